// The volume fraction that a quadratic B-spline sees of the particles of liquid behind a plane, and its inverse.
// docs/theory/surface.md, eq. (1)-(2).
//   d      distance of the kernel's centre from the plane in cells, negative in the liquid
//   grain  s^2/24, s the spacing of particles in cells
#ifndef DR_LIQUID_PLIC_H
#define DR_LIQUID_PLIC_H

#include "liquid/tuning.h"
#include "math/scalar.h"

#include <math.h>

static inline float dr_plic_fraction(float d, float grain)
{
    float x = fabsf(d), y = 1.5F - x;
    if (x <= 0.5F) return 0.5F - d * (0.75F + 2.0F * grain - d * d / 3.0F);
    float end = x < 1.5F ? y * (y * y / 6.0F - grain) : 0.0F;
    return d < 0.0F ? 1.0F - end : end;
}

// The density of the kernel, which is what the fraction falls by.
static inline float dr_plic_slope(float d, float grain)
{
    float x = fabsf(d), y = 1.5F - x;
    return x <= 0.5F ? 0.75F + 2.0F * grain - d * d : x < 1.5F ? 0.5F * y * y - grain : 0.0F;
}

// The same of eight at once.
DR_INLINE dr_float8 dr_plic_fraction8(dr_float8 d, dr_float8 grain)
{
    dr_float8 zero = dr_float8_all(0.0F), x = dr_float8_absolute(d), y = 1.5F - x;
    dr_float8 end = dr_float8_select(x < 1.5F, y * (y * y / 6.0F - grain), zero);
    dr_float8 outer = dr_float8_select(d < 0.0F, 1.0F - end, end);
    return dr_float8_select(x <= 0.5F, 0.5F - d * (0.75F + 2.0F * grain - d * d / 3.0F), outer);
}

DR_INLINE dr_float8 dr_plic_slope8(dr_float8 d, dr_float8 grain)
{
    dr_float8 zero = dr_float8_all(0.0F), x = dr_float8_absolute(d), y = 1.5F - x;
    dr_float8 outer = dr_float8_select(x < 1.5F, 0.5F * y * y - grain, zero);
    return dr_float8_select(x <= 0.5F, 0.75F + 2.0F * grain - d * d, outer);
}

// The fraction at DR_PLIC_REACH.
static inline float dr_plic_least(float grain)
{
    return 1.0F / 48 - 0.5F * grain;
}

// Bounded to DR_PLIC_REACH either side.
static inline float dr_plic_distance(float fraction, float grain)
{
    float from_end = dr_min_float(fraction, 1.0F - fraction), d;
    if (from_end <= dr_plic_least(grain)) return fraction < 0.5F ? DR_PLIC_REACH : -DR_PLIC_REACH;
    d = from_end < 1.0F / 6 - grain ? 1.5F - cbrtf(6.0F * (from_end + 0.75F * grain)) : (0.5F - from_end) * (4.0F / 3);
    for (int i = 0; i < 2; i++) d += (dr_plic_fraction(d, grain) - from_end) / dr_plic_slope(d, grain);
    return fraction < 0.5F ? d : -d;
}

#endif
