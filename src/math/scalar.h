// Minima, maxima and bounds that compile to one instruction; what is not a number loses against b.
#ifndef DR_MATH_SCALAR_H
#define DR_MATH_SCALAR_H

#include "math/simd.h"

DR_INLINE float dr_min_float(float a, float b)
{
    return a < b ? a : b;
}

DR_INLINE float dr_max_float(float a, float b)
{
    return a > b ? a : b;
}

DR_INLINE float dr_clamp_float(float x, float low, float high)
{
    return dr_min_float(dr_max_float(x, low), high);
}

#endif
