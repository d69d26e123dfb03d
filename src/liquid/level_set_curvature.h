// How the surface bends: second differences of its distance. docs/theory/surface.md, eq. (8).
#ifndef DR_LIQUID_LEVEL_SET_CURVATURE_H
#define DR_LIQUID_LEVEL_SET_CURVATURE_H

#include "grid/halo.h"

#include <math.h>

// Second differences along the axes whose two neighbours are close to the surface: the others lie across it. Those
// between near and reach count in part, so that nothing jumps where the surface moves.
static inline float dr_level_set_curvature_at(const float *halo, int at, float near, float reach)
{
    float sum = 0.0F;
    for (int a = 0; a < 3; a++) {
        float low = halo[at - dr_halo_step[a]], high = halo[at + dr_halo_step[a]];
        float share = (reach - fmaxf(fabsf(low), fabsf(high))) / (reach - near);
        if (share > 0.0F) sum += fminf(share, 1.0F) * (low + high - 2.0F * halo[at]);
    }
    return sum;
}

static inline float dr_level_set_curvature_bounded(float x, float most)
{
    return fminf(fmaxf(x, -most), most);
}

#endif
