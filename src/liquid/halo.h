// A block of a field with one layer of its neighbours around it, in one small buffer: item (x, y, z), -1 <= x, y, z <=
// 4, lies at DR_HALO_ITEM(x, y, z). Where there is no neighbour stands the value the caller names.
#ifndef DR_LIQUID_HALO_H
#define DR_LIQUID_HALO_H

#include "grid/grid.h"

#include <string.h>

enum { DR_HALO_SIDE = 6, DR_HALO_ITEMS = 216 };

#define DR_HALO_ITEM(x, y, z) ((((x) + 1) * DR_HALO_SIDE + (y) + 1) * DR_HALO_SIDE + (z) + 1)
#define DR_HALO_X             (DR_HALO_SIDE * DR_HALO_SIDE) // from one item to the next along x, y, z
#define DR_HALO_Y             DR_HALO_SIDE
#define DR_HALO_Z             1

static const int dr_halo_step[3] = {DR_HALO_X, DR_HALO_Y, DR_HALO_Z};

// The place of a block's item c in its halo.
static inline int dr_halo_place(int c)
{
    return DR_HALO_ITEM(c >> 4, c >> 2 & 3, c & 3);
}

// Which neighbour (0, 1, 2) and which of its items a coordinate -1 .. 4 means.
static inline int dr_halo_side(int x)
{
    return x < 0 ? 0 : x < DR_BLOCK_SIDE ? 1 : 2;
}

// The item at (x, y, z), each -4 .. 7, of a block or one of its neighbours: -1 where there is none.
static inline int64_t dr_halo_find(const dr_grid *grid, size_t block, int x, int y, int z)
{
    int n = (dr_halo_side(x) * 3 + dr_halo_side(y)) * 3 + dr_halo_side(z);
    int64_t to = grid->neighbour[27 * block + (size_t)n];
    return to < 0 ? -1 : to * DR_BLOCK_NODES + ((x & 3) * 4 + (y & 3)) * 4 + (z & 3);
}

// A field of `lanes` floats per item.
static inline void dr_halo_load_lanes(const dr_grid *grid, size_t block, const float *field, int lanes, float missing,
                                      float *halo)
{
    for (int x = -1; x <= DR_BLOCK_SIDE; x++) {
        for (int y = -1; y <= DR_BLOCK_SIDE; y++) {
            for (int z = -1; z <= DR_BLOCK_SIDE; z++) {
                float *to = halo + lanes * DR_HALO_ITEM(x, y, z);
                int64_t from = dr_halo_find(grid, block, x, y, z);
                for (int l = 0; l < lanes; l++) to[l] = from < 0 ? missing : field[from * lanes + l];
            }
        }
    }
}

static inline void dr_halo_load(const dr_grid *grid, size_t block, const float *field, float missing,
                                float halo[DR_HALO_ITEMS])
{
    dr_halo_load_lanes(grid, block, field, 1, missing, halo);
}

static inline void dr_halo_load_bytes(const dr_grid *grid, size_t block, const uint8_t *field, uint8_t missing,
                                      uint8_t halo[DR_HALO_ITEMS])
{
    for (int x = -1; x <= DR_BLOCK_SIDE; x++) {
        for (int y = -1; y <= DR_BLOCK_SIDE; y++) {
            for (int z = -1; z <= DR_BLOCK_SIDE; z++) {
                int64_t from = dr_halo_find(grid, block, x, y, z);
                halo[DR_HALO_ITEM(x, y, z)] = from < 0 ? missing : field[from];
            }
        }
    }
}

#endif
