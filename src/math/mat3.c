// The rotation of a polar decomposition. Well-conditioned matrices take a scaled Newton iteration towards (a + a^-T)/2;
// the others take the unit quaternion q that maximises tr(R(q)^T a): the leading eigenvector of the symmetric 4x4
// matrix of Horn 1987, by cyclic Jacobi rotations in double. Both give the same rotation where both apply.
#include "math/mat3.h"

#include <string.h>

static bool newton(const float a[9], float r[9])
{
    memcpy(r, a, 9 * sizeof *r);
    for (int iteration = 0; iteration < 12; iteration++) {
        float cofactor[9], change = 0.0f;
        dr_mat3_cofactor(r, cofactor);
        float determinant = r[0] * cofactor[0] + r[1] * cofactor[1] + r[2] * cofactor[2];
        if (!(determinant > 0.02f)) return false;
        float inverse = 0.5f / determinant;
        for (int i = 0; i < 9; i++) {
            float next = 0.5f * r[i] + inverse * cofactor[i];
            change = fmaxf(change, fabsf(next - r[i]));
            r[i] = next;
        }
        if (change < 2e-4f) return true; // quadratic convergence: the next change is below 4e-8
    }
    return false;
}

static void build_horn(const float a[9], double n[4][4])
{
    double xx = a[0], xy = a[1], xz = a[2], yx = a[3], yy = a[4], yz = a[5], zx = a[6], zy = a[7], zz = a[8];
    double upper[4][4] = {{xx + yy + zz, zy - yz, xz - zx, yx - xy},
                          {0, xx - yy - zz, xy + yx, xz + zx},
                          {0, 0, yy - xx - zz, yz + zy},
                          {0, 0, 0, zz - xx - yy}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) n[i][j] = i <= j ? upper[i][j] : upper[j][i];
    }
}

static void rotate_pair(double n[4][4], double v[4][4], int p, int q)
{
    if (n[p][q] == 0.0) return;
    double theta = (n[q][q] - n[p][p]) / (2.0 * n[p][q]);
    double t = (theta >= 0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 4; k++) {
        double kp = n[k][p], kq = n[k][q];
        n[k][p] = c * kp - s * kq;
        n[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 4; k++) {
        double pk = n[p][k], qk = n[q][k], vp = v[k][p], vq = v[k][q];
        n[p][k] = c * pk - s * qk;
        n[q][k] = s * pk + c * qk;
        v[k][p] = c * vp - s * vq;
        v[k][q] = s * vp + c * vq;
    }
}

static void leading_quaternion(double n[4][4], double quaternion[4])
{
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int p = 0; p < 3; p++) {
            for (int q = p + 1; q < 4; q++) rotate_pair(n, v, p, q);
        }
    }
    int best = 0;
    for (int i = 1; i < 4; i++) {
        if (n[i][i] > n[best][best]) best = i;
    }
    for (int i = 0; i < 4; i++) quaternion[i] = v[i][best];
}

static void from_quaternion(const double quaternion[4], float rotation[9])
{
    double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    double r[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                   2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                   2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++) rotation[i] = (float)r[i];
}

void dr_mat3_rotation(const float a[9], float rotation[9])
{
    if (newton(a, rotation)) return;
    double horn[4][4], quaternion[4];
    build_horn(a, horn);
    leading_quaternion(horn, quaternion);
    from_quaternion(quaternion, rotation);
}
