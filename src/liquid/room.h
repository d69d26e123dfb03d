// How much room solids leave in the kernel around a cell centre. docs/theory/resample.md, eq. (11).
#ifndef DR_LIQUID_ROOM_H
#define DR_LIQUID_ROOM_H

#include "grid/grid.h"

#include <math.h>

enum { DR_ROOM_HALVES = 2 * (DR_BLOCK_SIDE + 2) };

typedef float dr_room_halves[DR_ROOM_HALVES][DR_ROOM_HALVES][DR_ROOM_HALVES]; // of a block and one layer around it

// The quadratic B-spline's integral below x, cells.
static inline float dr_room_below(float x)
{
    float s = 1.5F - fabsf(x), tail = s > 0.0F ? s * s * s / 6.0F : 0.0F;
    if (x <= -0.5F) return tail;
    return x < 0.5F ? 0.5F + x * (0.75F - x * x / 3.0F) : 1.0F - tail;
}

// The open part of the kernel around the centres of a block, 1 without solids. solid: distance at corners, cm, or NULL.
void dr_room_find(const dr_grid *grid, size_t block, const float *solid, float room[DR_BLOCK_NODES]);

// The same with the open shares of cells (NULL: by the distances alone), and the part of it that is not air. air:
// shares of half-cells.
void dr_room_split(const dr_grid *grid, size_t block, const float *solid, const float *open, dr_room_halves air,
                   float room[DR_BLOCK_NODES], float wanted[DR_BLOCK_NODES]);

#endif
