// The volume fraction that a quadratic B-spline sees of liquid behind a plane, and its inverse. docs/theory/surface.md,
// eq. (1)-(2).
//   d  distance of the kernel's centre from the plane in cells, negative in the liquid
#ifndef DR_LIQUID_PLIC_H
#define DR_LIQUID_PLIC_H

#include "math/scalar.h"

#include <math.h>

#define DR_PLIC_REACH 1.0F // cells: beyond this the fraction tells nothing of the distance, its slope is below 1/8

static inline float dr_plic_fraction(float d)
{
    if (d <= -1.5F) return 1.0F;
    if (d >= 1.5F) return 0.0F;
    if (d < -0.5F) return 1.0F - (1.5F + d) * (1.5F + d) * (1.5F + d) / 6.0F;
    if (d > 0.5F) return (1.5F - d) * (1.5F - d) * (1.5F - d) / 6.0F;
    return 0.5F - d * (0.75F - d * d / 3.0F);
}

// Bounded to DR_PLIC_REACH either side, where the fraction is 1/48 from its end.
static inline float dr_plic_distance(float fraction)
{
    if (fraction <= 1.0F / 48) return DR_PLIC_REACH;
    if (fraction >= 47.0F / 48) return -DR_PLIC_REACH;
    if (fraction < 1.0F / 6) return 1.5F - cbrtf(6.0F * fraction);
    if (fraction > 5.0F / 6) return cbrtf(6.0F * (1.0F - fraction)) - 1.5F;
    float y = 0.5F - fraction, d = y * (4.0F / 3);
    for (int i = 0; i < 3; i++) d -= (d * (0.75F - d * d / 3.0F) - y) / (0.75F - d * d);
    return d;
}

#endif
