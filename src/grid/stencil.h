// What the transfers to nodes and to faces share: a block's nodes and those above it in one small buffer, the weights
// of a particle, and how a particle moves. docs/theory/transfer.md.
#ifndef DR_GRID_STENCIL_H
#define DR_GRID_STENCIL_H

#include "grid/grid.h"
#include "grid/transfer.h"
#include "math/kernel.h"

enum {
    DR_STENCIL_BATCH = 16, // particles per call of the user's functions
    DR_STENCIL_PITCH = 8,  // items from one row of a buffer to the next
    DR_STENCIL_SIDE = 8,   // rows of the largest buffer, either way
    DR_STENCIL_ITEMS = DR_STENCIL_SIDE * DR_STENCIL_SIDE * DR_STENCIL_PITCH
};

// The index of the neighbour `upper` (bits x, y, z) in the table of 27.
DR_INLINE int32_t dr_stencil_upper(const dr_grid *grid, size_t block, int upper)
{
    return grid->neighbour[27 * block + 13 + (size_t)(9 * (upper >> 2) + 3 * (upper >> 1 & 1) + (upper & 1))];
}

// Adds a buffer of side x side x side items to the block and its upper neighbours: 4 floats of every `stride`.
void dr_stencil_add(const dr_grid *grid, size_t block, int side, const float *buffer, size_t stride, float *field);

// Fills such a buffer with items of 4 floats; those beyond the side are zero.
void dr_stencil_load(const dr_grid *grid, size_t block, int side, const float *field, float *buffer);

// Zeroes [block][64][4].
void dr_stencil_clear(const dr_grid *grid, const dr_par *par, float *field);

// ---- a particle receives what it found

typedef struct dr_stencil_gather {
    const dr_transfer *transfer;
    const dr_grid *grid;
    dr_particles *particles;
    const float *field, *old; // old: FLIP alone
    dr_transfer_update update;
    void *user;
    float per_cell, cells_per_speed, keep, mix; // keep, mix: of the gradient and its transpose, eq. (9)
} dr_stencil_gather;

dr_stencil_gather dr_stencil_prepare(const dr_transfer *transfer, const dr_grid *grid, const float *field,
                                     const float *old, double dt, dr_particles *particles, dr_transfer_update update,
                                     void *user);

// value: the velocity; slope: its derivatives along x, y, z, per cell. Lane r is component r.
typedef struct dr_stencil_sample {
    dr_float4 value, slope[3];
} dr_stencil_sample;

// Puts a particle that left the block into the one where it is now.
void dr_stencil_leave(const dr_grid *grid, size_t block, float offset[3], uint64_t *key);

// Three rows into nine floats.
DR_INLINE void dr_stencil_store_rows(float *to, const dr_float4 row[3])
{
    dr_float4_store(to, row[0]);
    dr_float4_store(to + 3, row[1]);
    dr_float4_store(to + 5, __builtin_shufflevector(row[1], row[2], 2, 4, 5, 6));
}

DR_INLINE void dr_stencil_turn(const dr_float4 column[3], dr_float4 row[3])
{
    dr_float4 low = __builtin_shufflevector(column[0], column[1], 0, 4, 1, 5);
    dr_float4 high = __builtin_shufflevector(column[0], column[1], 2, 6, 3, 7);
    row[0] = __builtin_shufflevector(low, column[2], 0, 1, 4, 4);
    row[1] = __builtin_shufflevector(low, column[2], 2, 3, 5, 5);
    row[2] = __builtin_shufflevector(high, column[2], 0, 1, 6, 6);
}

// Velocity, affine matrix and place of particle p; the velocity gradient for the user.
DR_INLINE void dr_stencil_write(const dr_stencil_gather *job, size_t block, size_t p, const dr_stencil_sample *fresh,
                                const dr_stencil_sample *old, float gradient[9])
{
    dr_particles *particles = job->particles;
    dr_float4 column[3], row[3], damped[3], velocity = fresh->value;
    for (int c = 0; c < 3; c++) column[c] = fresh->slope[c] * dr_float4_all(job->per_cell);
    dr_stencil_turn(column, row);
    for (int r = 0; r < 3; r++) damped[r] = dr_float4_all(job->keep) * row[r] + dr_float4_all(job->mix) * column[r];
    if (job->update) dr_stencil_store_rows(gradient, row);
    dr_stencil_store_rows(particles->affine + 9 * p, damped);
    if (old) {
        dr_float4 blend = dr_float4_all((float)job->transfer->flip_blend);
        velocity += blend * (dr_float4_load3(particles->velocity + 3 * p) - old->value);
    }
    dr_float4_store3(particles->velocity + 3 * p, velocity);
    float *offset = particles->offset + 3 * p;
    dr_float4 place = dr_float4_load3(offset) + dr_float4_all(job->cells_per_speed) * fresh->value;
    dr_float4_store3(offset, place);
    dr_int4 inside = (place >= dr_float4_all(0.0F)) & (place < dr_float4_all((float)DR_BLOCK_SIDE));
    if (!dr_int4_every3(inside)) dr_stencil_leave(job->grid, block, offset, particles->key + p);
}

#endif
