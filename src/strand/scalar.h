// The formulas of frames and curvatures for one strand at a time, where speed does not matter. docs/theory/rods.md, eq.
// (1)-(7).
#ifndef DR_STRAND_SCALAR_H
#define DR_STRAND_SCALAR_H

#include "math/vec.h"

static inline double dr_scalar_length(const double x[6])
{
    double e[3];
    dr_vec3_sub(e, x + 3, x);
    return dr_vec3_length(e);
}

// The tangent of the edge from x[0..2] to x[3..5].
static inline double dr_scalar_tangent(const double x[6], double t[3])
{
    static const double any[3] = {1.0, 0.0, 0.0};
    double e[3];
    dr_vec3_sub(e, x + 3, x);
    return dr_vec3_normalize(t, e, any);
}

// x with m x = b, m symmetric and positive: xx xy xz yy yz zz.
static inline void dr_scalar_solve(const double m[6], const double b[3], double x[3])
{
    double xx = m[3] * m[5] - m[4] * m[4], xy = m[2] * m[4] - m[1] * m[5], xz = m[1] * m[4] - m[2] * m[3];
    double yy = m[0] * m[5] - m[2] * m[2], yz = m[1] * m[2] - m[0] * m[4], zz = m[0] * m[3] - m[1] * m[1];
    double over = 1.0 / (m[0] * xx + m[1] * xy + m[2] * xz), c[3] = {b[0], b[1], b[2]};
    x[0] = over * (xx * c[0] + xy * c[1] + xz * c[2]);
    x[1] = over * (xy * c[0] + yy * c[1] + yz * c[2]);
    x[2] = over * (xz * c[0] + yz * c[1] + zz * c[2]);
}

// Unit, across t, as near to `hint` as can be; any where hint is NULL or along t.
static inline void dr_scalar_across(const double t[3], const double hint[3], double out[3])
{
    int least = 0;
    for (int a = 1; a < 3; a++) {
        if (fabs(t[a]) < fabs(t[least])) least = a;
    }
    double axis[3] = {least == 0, least == 1, least == 2}, other[3];
    dr_vec3_add_scaled(axis, axis, -dr_vec3_dot(axis, t), t);
    dr_vec3_normalize(axis, axis, t);
    if (hint)
        dr_vec3_add_scaled(other, hint, -dr_vec3_dot(hint, t), t);
    else
        dr_vec3_set(other, 0.0, 0.0, 0.0);
    if (dr_vec3_length(other) < 1e-9)
        dr_vec3_copy(out, axis);
    else
        dr_vec3_normalize(out, other, axis);
}

// u <- the smallest rotation from unit s to unit t, applied; made unit and across t. (1)
static inline void dr_scalar_transport(const double s[3], const double t[3], double u[3])
{
    double b[3], turned[3], c = dr_vec3_dot(s, t);
    dr_vec3_cross(b, s, t);
    if (1.0 + c > 1e-12) {
        dr_vec3_cross(turned, b, u);
        dr_vec3_add_scaled(turned, turned, dr_vec3_dot(b, u) / (1.0 + c), b);
        dr_vec3_add_scaled(u, turned, c, u);
    }
    dr_vec3_add_scaled(u, u, -dr_vec3_dot(u, t), t);
    dr_vec3_normalize(u, u, u);
}

// u <- u turned about unit t, to which it is perpendicular.
static inline void dr_scalar_turn(const double t[3], double angle, double u[3])
{
    double v[3], c = cos(angle), s = sin(angle);
    dr_vec3_cross(v, t, u);
    for (int a = 0; a < 3; a++) u[a] = c * u[a] + s * v[a];
}

// The angle about unit t that takes u to v, both across t.
static inline double dr_scalar_angle(const double t[3], const double u[3], const double v[3])
{
    double w[3];
    dr_vec3_cross(w, u, v);
    return atan2(dr_vec3_dot(t, w), dr_vec3_dot(u, v));
}

// 1 + te . tf and H of the curvature binormal kb = H te x tf. (5), (7)
double dr_scalar_binormal(const double te[3], const double tf[3], double kb[3]);

// The four curvatures of the vertex between two edges: x of three vertices, directors of the two edges. (6)
void dr_scalar_curvature(const double x[9], const double directors[6], double curvature[4]);

// The twist between two frames, the branch nearest to `near`. (3), (4)
double dr_scalar_twist(const double te[3], const double me[3], const double tf[3], const double mf[3], double near);

#endif
