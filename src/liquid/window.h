// A block of a cell, corner or face array together with layers of its neighbours, in one small buffer:
// item (x, y, z), -low <= x, y, z < 4 + high, lies at ((x+low)*side + y+low)*side + z+low with side = 4 + low + high.
#ifndef DR_LIQUID_WINDOW_H
#define DR_LIQUID_WINDOW_H

#include "grid/grid.h"
#include "math/simd.h"

// From one row (x, y), of the block and its neighbours either way along z.
DR_INLINE void dr_window_load_row(const int32_t neighbour[3], const float *field, int stride, size_t item, int low,
                                  int high, float missing, float *to)
{
    const int begin[4] = {-low, 0, DR_BLOCK_SIDE, DR_BLOCK_SIDE + high};
    for (int n = 0; n < 3; n++) {
        if (neighbour[n] < 0) {
            for (int z = begin[n]; z < begin[n + 1]; z++) to[z] = missing;
            continue;
        }
        const float *from = field + ((size_t)neighbour[n] * DR_BLOCK_NODES + item) * (size_t)stride;
        for (int z = begin[n]; z < begin[n + 1]; z++) to[z] = from[(z & 3) * stride];
    }
}

// field: [block][64] with `stride` floats from item to item. Where there is no block stands `missing`.
DR_INLINE void dr_window_load(const dr_grid *grid, size_t block, const float *field, int stride, int low, int high,
                              float missing, float *window)
{
    const int side = DR_BLOCK_SIDE + low + high;
    for (int x = -low; x < DR_BLOCK_SIDE + high; x++) {
        for (int y = -low; y < DR_BLOCK_SIDE + high; y++) {
            int first = ((x < 0 ? 0 : x < DR_BLOCK_SIDE ? 1 : 2) * 3 + (y < 0 ? 0 : y < DR_BLOCK_SIDE ? 1 : 2)) * 3;
            dr_window_load_row(grid->neighbour + 27 * block + first, field, stride,
                               (size_t)((x & 3) * 16 + (y & 3) * 4), low, high, missing,
                               window + ((x + low) * side + y + low) * side + low);
        }
    }
}

#endif
