#include "grid/stencil.h"

#include <assert.h>
#include <math.h>

typedef struct octant {
    size_t item; // in the buffer
    int size[3];
} octant;

static octant find_octant(int side, int upper)
{
    octant o;
    int start[3];
    for (int a = 0; a < 3; a++) {
        bool above = upper >> (2 - a) & 1;
        start[a] = above ? DR_BLOCK_SIDE : 0;
        o.size[a] = above ? side - DR_BLOCK_SIDE : DR_BLOCK_SIDE;
    }
    o.item = (size_t)((start[0] * side + start[1]) * DR_STENCIL_PITCH + start[2]);
    return o;
}

void dr_stencil_add(const dr_grid *grid, size_t block, int side, const float *buffer, size_t stride, float *field)
{
    for (int upper = 0; upper < 8; upper++) {
        octant o = find_octant(side, upper);
        float *to = field + 4 * DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper);
        for (int i = 0; i < o.size[0]; i++) {
            for (int j = 0; j < o.size[1]; j++) {
                const float *from = buffer + stride * (o.item + (size_t)((i * side + j) * DR_STENCIL_PITCH));
                float *row = to + 4 * (i * 4 + j) * 4;
                for (size_t k = 0; k < (size_t)o.size[2]; k++) {
                    dr_float4_store(row + 4 * k, dr_float4_load(row + 4 * k) + dr_float4_load(from + stride * k));
                }
            }
        }
    }
}

void dr_stencil_load(const dr_grid *grid, size_t block, int side, const float *field, float *buffer)
{
    memset(buffer, 0, sizeof(float) * 4 * (size_t)(side * side * DR_STENCIL_PITCH));
    for (int upper = 0; upper < 8; upper++) {
        octant o = find_octant(side, upper);
        const float *from = field + 4 * DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper);
        for (int i = 0; i < o.size[0]; i++) {
            for (int j = 0; j < o.size[1]; j++) {
                float *row = buffer + 4 * (o.item + (size_t)((i * side + j) * DR_STENCIL_PITCH));
                memcpy(row, from + 4 * (i * 4 + j) * 4, sizeof(float) * 4 * (size_t)o.size[2]);
            }
        }
    }
}

static void clear_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    size_t floats = 4 * DR_BLOCK_NODES;
    memset((float *)user + begin * floats, 0, (end - begin) * floats * sizeof(float));
}

void dr_stencil_clear(const dr_grid *grid, const dr_par *par, float *field)
{
    dr_par_for(par, grid->block_count, 256, clear_blocks, field);
}

// Into the block next door, or further. The bound keeps what is not a number, or not in reach, from becoming an
// address.
void dr_stencil_leave(const dr_grid *grid, size_t block, float offset[3], uint64_t *key)
{
    int32_t coordinate[3];
    for (int a = 0; a < 3; a++) {
        double limit = 4.0 * DR_GRID_REACH, blocks = floor((double)offset[a] / DR_BLOCK_SIDE);
        double bounded = blocks > limit ? limit : blocks >= -limit ? blocks : -limit;
        coordinate[a] = dr_grid_wrap(grid, a, grid->coordinate[3 * block + (size_t)a] + (int64_t)bounded);
        offset[a] = dr_grid_inside((double)offset[a] - DR_BLOCK_SIDE * blocks);
    }
    *key = dr_grid_key(coordinate);
}

dr_stencil_gather dr_stencil_prepare(const dr_transfer *transfer, const dr_grid *grid, const float *field,
                                     const float *old, double dt, dr_particles *particles, dr_transfer_update update,
                                     void *user)
{
    assert(transfer->scheme != DR_SCHEME_FLIP || old || grid->block_count == 0);
    double factor = transfer->kernel == DR_KERNEL_LINEAR ? 1.0 : 6.0 - ((int)transfer->kernel + 1);
    bool affine = transfer->scheme == DR_SCHEME_APIC;
    return (dr_stencil_gather){
        .transfer = transfer,
        .grid = grid,
        .particles = particles,
        .field = field,
        .old = transfer->scheme == DR_SCHEME_FLIP ? old : NULL,
        .update = update,
        .user = user,
        .per_cell = (float)(factor / grid->cell),
        .cells_per_speed = (float)(dt / grid->cell),
        .keep = affine ? (float)(1.0 - 0.5 * transfer->damping) : 0.0F,
        .mix = affine ? (float)(-0.5 * transfer->damping) : 0.0F,
    };
}
