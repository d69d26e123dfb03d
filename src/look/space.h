// Points, directions and colours of the renderer: the first three lanes of a vector of four floats, the last one 0.
#ifndef DR_LOOK_SPACE_H
#define DR_LOOK_SPACE_H

#include "base/number.h"
#include "math/simd.h"

#include <math.h>
#include <stdint.h>

#define DR_PI_FLOAT ((float)DR_PI)

DR_INLINE dr_float4 dr_space_make(double x, double y, double z)
{
    return (dr_float4){(float)x, (float)y, (float)z, 0.0f};
}

DR_INLINE dr_float4 dr_space_from(const double x[3])
{
    return dr_space_make(x[0], x[1], x[2]);
}

DR_INLINE float dr_space_dot(dr_float4 a, dr_float4 b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

DR_INLINE dr_float4 dr_space_cross(dr_float4 a, dr_float4 b)
{
    return (dr_float4){a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0], 0.0f};
}

DR_INLINE float dr_space_length(dr_float4 a)
{
    return sqrtf(dr_space_dot(a, a));
}

// a / |a|; straight up where a has no direction.
DR_INLINE dr_float4 dr_space_unit(dr_float4 a)
{
    float length = dr_space_length(a);
    return length > 1e-30f ? a * (1.0f / length) : (dr_float4){0.0f, 1.0f, 0.0f, 0.0f};
}

DR_INLINE dr_float4 dr_space_mix(dr_float4 a, dr_float4 b, float share)
{
    return a + share * (b - a);
}

DR_INLINE float dr_space_largest(dr_float4 a)
{
    return fmaxf(a[0], fmaxf(a[1], a[2]));
}

// Two directions that with the unit vector n make a right-handed frame.
DR_INLINE void dr_space_frame(dr_float4 n, dr_float4 *right, dr_float4 *ahead)
{
    dr_float4 other = fabsf(n[1]) < 0.9f ? (dr_float4){0.0f, 1.0f, 0.0f, 0.0f} : (dr_float4){1.0f, 0.0f, 0.0f, 0.0f};
    *right = dr_space_unit(dr_space_cross(other, n));
    *ahead = dr_space_cross(n, *right);
}

#endif
