// B-splines of degree 1, 2, 3 seen from a particle: the weights of the degree + 1 nodes it touches along one axis, and
// their derivatives times the cell. docs/theory/transfer.md, eq. (1)-(4).
//   t  distance from the lowest cell boundary of the kernel's pieces, 0 <= t < 1
//   f  distance from the lowest node, in cells: f = t + dr_kernel_reach(degree)
#ifndef DR_MATH_KERNEL_H
#define DR_MATH_KERNEL_H

#include "math/simd.h"

// f - t: 0, 1/2, 1.
DR_INLINE double dr_kernel_reach(int degree)
{
    return 0.5 * (degree - 1);
}

DR_INLINE void dr_kernel_weights(int degree, double t, double w[4])
{
    double s = 1.0 - t;
    if (degree == 1) {
        w[0] = s;
        w[1] = t;
    } else if (degree == 2) {
        w[0] = 0.5 * s * s;
        w[1] = 0.5 + t * s;
        w[2] = 0.5 * t * t;
    } else {
        w[0] = s * s * s / 6.0;
        w[1] = t * t * (0.5 * t - 1.0) + 2.0 / 3.0;
        w[2] = s * s * (0.5 * s - 1.0) + 2.0 / 3.0;
        w[3] = t * t * t / 6.0;
    }
}

DR_INLINE void dr_kernel_slopes(int degree, double t, double g[4])
{
    double s = 1.0 - t;
    if (degree == 1) {
        g[0] = -1.0;
        g[1] = 1.0;
    } else if (degree == 2) {
        g[0] = -s;
        g[1] = s - t;
        g[2] = t;
    } else {
        g[0] = -0.5 * s * s;
        g[1] = t * (1.5 * t - 2.0);
        g[2] = -s * (1.5 * s - 2.0);
        g[3] = 0.5 * t * t;
    }
}

// The same weights for four values of t (three axes, usually) at once, in float.
DR_INLINE void dr_kernel_weights4(int degree, dr_float4 t, dr_float4 w[4])
{
    dr_float4 s = dr_float4_all(1.0F) - t;
    if (degree == 1) {
        w[0] = s;
        w[1] = t;
    } else if (degree == 2) {
        w[0] = dr_float4_all(0.5F) * s * s;
        w[1] = dr_float4_add_product(dr_float4_all(0.5F), t, s);
        w[2] = dr_float4_all(0.5F) * t * t;
    } else {
        dr_float4 third = dr_float4_all(2.0F / 3.0F), sixth = dr_float4_all(1.0F / 6.0F), one = dr_float4_all(1.0F);
        w[0] = s * s * s * sixth;
        w[1] = dr_float4_add_product(third, t * t, dr_float4_all(0.5F) * t - one);
        w[2] = dr_float4_add_product(third, s * s, dr_float4_all(0.5F) * s - one);
        w[3] = t * t * t * sixth;
    }
}

#endif
