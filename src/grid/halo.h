// A block of a field with layers of its neighbours around it, in one small buffer. With one layer all around, item
// (x, y, z), -1 <= x, y, z <= 4, lies at DR_HALO_ITEM(x, y, z). Where there is no neighbour stands the value the caller
// names.
#ifndef DR_GRID_HALO_H
#define DR_GRID_HALO_H

#include "grid/grid.h"
#include "math/simd.h"

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

// How much of a field a halo takes: items of `size` bytes, `pitch` bytes apart, at -low <= x, y, z < 4 + high.
typedef struct dr_halo_extent {
    size_t size, pitch;
    int low, high;
} dr_halo_extent;

// `count` items along z of a block of the field, from item `first` on; NULL stands for no block.
DR_INLINE void dr_halo_copy_items(const char *block, size_t first, int count, dr_halo_extent extent,
                                  const void *missing, char *to)
{
    if (block && extent.size == extent.pitch) {
        memcpy(to, block + first * extent.size, (size_t)count * extent.size);
        return;
    }
    for (size_t i = 0; i < (size_t)count; i++) {
        memcpy(to + i * extent.size, block ? block + (first + i) * extent.pitch : missing, extent.size);
    }
}

DR_INLINE const char *dr_halo_block(const char *field, int32_t block, size_t pitch)
{
    return block < 0 ? NULL : field + (size_t)block * DR_BLOCK_NODES * pitch;
}

DR_INLINE void dr_halo_copy(const dr_grid *grid, size_t block, const char *field, dr_halo_extent extent,
                            const void *missing, char *to)
{
    const int low = extent.low, high = extent.high;
    for (int x = -low; x < DR_BLOCK_SIDE + high; x++) {
        for (int y = -low; y < DR_BLOCK_SIDE + high; y++) {
            const int32_t *neighbour = grid->neighbour + 27 * block + 9 * dr_halo_side(x) + 3 * dr_halo_side(y);
            size_t row = (size_t)((x & 3) * 16 + (y & 3) * 4);
            const char *below = dr_halo_block(field, neighbour[0], extent.pitch);
            const char *here = dr_halo_block(field, neighbour[1], extent.pitch);
            const char *above = dr_halo_block(field, neighbour[2], extent.pitch);
            dr_halo_copy_items(below, row + (size_t)(DR_BLOCK_SIDE - low), low, extent, missing, to);
            dr_halo_copy_items(here, row, DR_BLOCK_SIDE, extent, missing, to + (size_t)low * extent.size);
            dr_halo_copy_items(above, row, high, extent, missing, to + (size_t)(low + DR_BLOCK_SIDE) * extent.size);
            to += (size_t)(low + DR_BLOCK_SIDE + high) * extent.size;
        }
    }
}

static inline void dr_halo_load(const dr_grid *grid, size_t block, const float *field, float missing,
                                float halo[DR_HALO_ITEMS])
{
    dr_halo_copy(grid, block, (const char *)field, (dr_halo_extent){4, 4, 1, 1}, &missing, (char *)halo);
}

static inline void dr_halo_load_bytes(const dr_grid *grid, size_t block, const uint8_t *field, uint8_t missing,
                                      uint8_t halo[DR_HALO_ITEMS])
{
    dr_halo_copy(grid, block, (const char *)field, (dr_halo_extent){1, 1, 1, 1}, &missing, (char *)halo);
}

// A field of 4 floats per item, all of them.
static inline void dr_halo_load_fours(const dr_grid *grid, size_t block, const float *field, float missing,
                                      float halo[4 * DR_HALO_ITEMS])
{
    const float item[4] = {missing, missing, missing, missing};
    dr_halo_copy(grid, block, (const char *)field, (dr_halo_extent){16, 16, 1, 1}, item, (char *)halo);
}

// One of them: `field` points to it in the first item.
static inline void dr_halo_load_lane(const dr_grid *grid, size_t block, const float *field, float missing,
                                     float halo[DR_HALO_ITEMS])
{
    dr_halo_copy(grid, block, (const char *)field, (dr_halo_extent){4, 16, 1, 1}, &missing, (char *)halo);
}

// More than one layer: (4 + low + high)^3 items, (-low, -low, -low) first.
DR_INLINE void dr_halo_load_wide(const dr_grid *grid, size_t block, const float *field, int low, int high,
                                 float missing, float *halo)
{
    dr_halo_copy(grid, block, (const char *)field, (dr_halo_extent){4, 4, low, high}, &missing, (char *)halo);
}

#endif
