// What the transfers to nodes and to faces share: a block's nodes and those above it in one small buffer, the weights
// of a particle, and how a particle moves. docs/theory/transfer.md.
#ifndef DR_GRID_STENCIL_H
#define DR_GRID_STENCIL_H

#include "grid/grid.h"
#include "grid/transfer.h"
#include "math/kernel.h"

enum {
    DR_STENCIL_BATCH = 64, // particles per call of the user's functions
    DR_STENCIL_PITCH = 8,  // items from one row of a buffer to the next
    DR_STENCIL_SIDE = 8,   // rows of the largest buffer, either way
    DR_STENCIL_ITEMS = DR_STENCIL_SIDE * DR_STENCIL_SIDE * DR_STENCIL_PITCH
};

// The index of the neighbour `upper` (bits x, y, z) in the table of 27.
DR_INLINE int32_t dr_stencil_upper(const dr_grid *grid, size_t block, int upper)
{
    return grid->neighbour[27 * block + 13 + (size_t)(9 * (upper >> 2) + 3 * (upper >> 1 & 1) + (upper & 1))];
}

// Adds a buffer of side x side x side items of 4 floats to the block and its upper neighbours.
void dr_stencil_add(const dr_grid *grid, size_t block, int side, const float *buffer, float *field);

// Fills such a buffer; items beyond the side are zero.
void dr_stencil_load(const dr_grid *grid, size_t block, int side, const float *field, float *buffer);

// Zeroes [block][64][4].
void dr_stencil_clear(const dr_grid *grid, const dr_par *par, float *field);

// Moves a particle of the block by dt * velocity, into another block where it leaves this one.
void dr_stencil_move(const dr_grid *grid, size_t block, float cells_per_speed, const float velocity[3], float offset[3],
                     uint64_t *key);

// The damped affine matrix of RPIC, eq. (9).
DR_INLINE void dr_stencil_damp(float damping, const float gradient[9], float affine[9])
{
    float keep = 1.0F - 0.5F * damping, mix = -0.5F * damping;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) affine[3 * r + c] = keep * gradient[3 * r + c] + mix * gradient[3 * c + r];
    }
}

#endif
