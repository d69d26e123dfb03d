// Curvatures and twist of one vertex. docs/theory/rods.md, eq. (3)-(7).
#include "strand/scalar.h"

#include "strand/joint.h"

double dr_scalar_binormal(const double te[3], const double tf[3], double kb[3])
{
    double sum[3];
    dr_vec3_add(sum, te, tf);
    double chi = fmax(0.5 * dr_vec3_dot(sum, sum), 1e-12);
    dr_lanes h = dr_lanes_all(2.0 / chi), slope = h;
    if (chi < DR_JOINT_FOLD) dr_joint_fold(dr_lanes_all(chi), &h, &slope);
    dr_vec3_cross(kb, te, tf);
    dr_vec3_scale(kb, h[0], kb);
    return h[0];
}

void dr_scalar_curvature(const double x[9], const double directors[6], double curvature[4])
{
    double t[2][3], kb[3];
    for (int j = 0; j < 2; j++) dr_scalar_tangent(x + 3 * j, t[j]);
    dr_scalar_binormal(t[0], t[1], kb);
    for (int j = 0; j < 2; j++) {
        double second[3];
        dr_vec3_cross(second, t[j], directors + 3 * j);
        curvature[2 * j] = dr_vec3_dot(second, kb);
        curvature[2 * j + 1] = -dr_vec3_dot(directors + 3 * j, kb);
    }
}

double dr_scalar_twist(const double te[3], const double me[3], const double tf[3], const double mf[3], double near)
{
    const double turn = 6.283185307179586;
    double carried[3];
    dr_vec3_copy(carried, me);
    dr_scalar_transport(te, tf, carried);
    double angle = dr_scalar_angle(tf, carried, mf);
    return angle + turn * nearbyint((near - angle) / turn);
}
