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

DR_INLINE double dr_min_double(double a, double b)
{
    return a < b ? a : b;
}

DR_INLINE double dr_max_double(double a, double b)
{
    return a > b ? a : b;
}

DR_INLINE double dr_clamp_double(double x, double low, double high)
{
    return dr_min_double(dr_max_double(x, low), high);
}

#endif
