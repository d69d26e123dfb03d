// Rotations as orthonormal matrices of nine doubles, row after row: x -> R x.
#ifndef DR_MATH_ROTATION_H
#define DR_MATH_ROTATION_H

#include "math/vec.h"

static inline void dr_rotation_identity(double out[9])
{
    for (int i = 0; i < 9; i++) out[i] = i % 4 == 0 ? 1.0 : 0.0;
}

static inline void dr_rotation_copy(double out[9], const double r[9])
{
    for (int i = 0; i < 9; i++) out[i] = r[i];
}

// out = R x; out may be x.
static inline void dr_rotation_apply(double out[3], const double r[9], const double x[3])
{
    dr_vec3_set(out, dr_vec3_dot(r, x), dr_vec3_dot(r + 3, x), dr_vec3_dot(r + 6, x));
}

// out = R^T x; out may be x.
static inline void dr_rotation_unapply(double out[3], const double r[9], const double x[3])
{
    dr_vec3_set(out, r[0] * x[0] + r[3] * x[1] + r[6] * x[2], r[1] * x[0] + r[4] * x[1] + r[7] * x[2],
                r[2] * x[0] + r[5] * x[1] + r[8] * x[2]);
}

// out = A B: first B, then A. out may be neither.
static inline void dr_rotation_compose(double out[9], const double a[9], const double b[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

// out = A B^T: what takes B to A. out may be neither.
static inline void dr_rotation_between(double out[9], const double a[9], const double b[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) out[3 * i + j] = dr_vec3_dot(a + 3 * i, b + 3 * j);
}

// By an angle about a unit axis (Rodrigues).
static inline void dr_rotation_about(double out[9], const double axis[3], double angle)
{
    double c = cos(angle), s = sin(angle), t = 2.0 * sin(0.5 * angle) * sin(0.5 * angle);
    double x = axis[0], y = axis[1], z = axis[2];
    dr_vec3_set(out, c + t * x * x, t * x * y - s * z, t * x * z + s * y);
    dr_vec3_set(out + 3, t * x * y + s * z, c + t * y * y, t * y * z - s * x);
    dr_vec3_set(out + 6, t * x * z - s * y, t * y * z + s * x, c + t * z * z);
}

// About x, then y, then z.
static inline void dr_rotation_euler(double out[9], const double angles[3])
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double x[9], y[9], z[9], zy[9];
    dr_rotation_about(x, axes[0], angles[0]);
    dr_rotation_about(y, axes[1], angles[1]);
    dr_rotation_about(z, axes[2], angles[2]);
    dr_rotation_compose(zy, z, y);
    dr_rotation_compose(out, zy, x);
}

// From a unit quaternion w, x, y, z.
static inline void dr_rotation_from_quaternion(double out[9], const double q[4])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    dr_vec3_set(out, 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y));
    dr_vec3_set(out + 3, 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x));
    dr_vec3_set(out + 6, 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y));
}

// To a unit quaternion w, x, y, z with w >= 0; the largest component is found first, so that nothing small is divided
// by.
static inline void dr_rotation_to_quaternion(double q[4], const double r[9])
{
    double trace = r[0] + r[4] + r[8];
    double size[4] = {trace, r[0], r[4], r[8]};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        if (size[i] > size[largest]) largest = i;
    if (largest == 0) {
        q[0] = 1.0 + trace;
        dr_vec3_set(q + 1, r[7] - r[5], r[2] - r[6], r[3] - r[1]);
    } else {
        int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        q[0] = r[3 * k + j] - r[3 * j + k];
        q[1 + i] = 1.0 + r[4 * i] - r[4 * j] - r[4 * k];
        q[1 + j] = r[3 * i + j] + r[3 * j + i];
        q[1 + k] = r[3 * i + k] + r[3 * k + i];
    }
    double length = sqrt(q[0] * q[0] + dr_vec3_dot(q + 1, q + 1));
    double factor = (q[0] < 0 ? -1.0 : 1.0) / length;
    for (int i = 0; i < 4; i++) q[i] *= factor;
}

// The unit axis of R and its angle, 0 .. pi; the axis of the identity is x.
static inline double dr_rotation_axis(double axis[3], const double r[9])
{
    static const double fallback[3] = {1, 0, 0};
    double q[4];
    dr_rotation_to_quaternion(q, r);
    double sine = dr_vec3_normalize(axis, q + 1, fallback);
    return 2.0 * atan2(sine, q[0]);
}

#endif
