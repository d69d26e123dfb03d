// Vectors of three doubles.
#ifndef DR_MATH_VEC_H
#define DR_MATH_VEC_H

#include <math.h>
#include <stdbool.h>

static inline void dr_vec3_set(double out[3], double x, double y, double z)
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void dr_vec3_copy(double out[3], const double a[3])
{
    dr_vec3_set(out, a[0], a[1], a[2]);
}

static inline void dr_vec3_add(double out[3], const double a[3], const double b[3])
{
    dr_vec3_set(out, a[0] + b[0], a[1] + b[1], a[2] + b[2]);
}

static inline void dr_vec3_sub(double out[3], const double a[3], const double b[3])
{
    dr_vec3_set(out, a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

static inline void dr_vec3_scale(double out[3], double s, const double a[3])
{
    dr_vec3_set(out, s * a[0], s * a[1], s * a[2]);
}

// out = a + s b
static inline void dr_vec3_add_scaled(double out[3], const double a[3], double s, const double b[3])
{
    dr_vec3_set(out, a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]);
}

static inline double dr_vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void dr_vec3_cross(double out[3], const double a[3], const double b[3])
{
    dr_vec3_set(out, a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]);
}

static inline double dr_vec3_length(const double a[3])
{
    return sqrt(dr_vec3_dot(a, a));
}

// out = a / |a|, or `fallback` where a has no direction. Returns |a|.
static inline double dr_vec3_normalize(double out[3], const double a[3], const double fallback[3])
{
    double length = dr_vec3_length(a);
    if (length > 1e-300)
        dr_vec3_scale(out, 1.0 / length, a);
    else
        dr_vec3_copy(out, fallback);
    return length;
}

static inline bool dr_vec3_finite(const double a[3])
{
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]);
}

#endif
