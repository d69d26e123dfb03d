// Values at the lower corners of cells, [block][64]: those of a block and around it, and the plane through a cell's
// eight.
#ifndef DR_GRID_CORNER_H
#define DR_GRID_CORNER_H

#include "grid/halo.h"

static inline int dr_corner_nearest(int x)
{
    return x < 0 ? 0 : x < DR_BLOCK_SIDE ? x : DR_BLOCK_SIDE - 1;
}

// Corners of a block and around it; where there is no block the nearest corner of this one is repeated.
static inline void dr_corner_load(const dr_grid *grid, size_t block, const float *corner, float halo[DR_HALO_ITEMS])
{
    bool all = true;
    for (int n = 0; n < 27; n++) all &= grid->neighbour[27 * block + (size_t)n] >= 0;
    if (all) {
        dr_halo_load(grid, block, corner, 0.0F, halo);
        return;
    }
    for (int x = -1; x <= DR_BLOCK_SIDE; x++) {
        for (int y = -1; y <= DR_BLOCK_SIDE; y++) {
            for (int z = -1; z <= DR_BLOCK_SIDE; z++) {
                int64_t from = dr_halo_find(grid, block, x, y, z);
                if (from < 0)
                    from = dr_halo_find(grid, block, dr_corner_nearest(x), dr_corner_nearest(y), dr_corner_nearest(z));
                halo[DR_HALO_ITEM(x, y, z)] = corner[from];
            }
        }
    }
}

// The mean of the eight corners of a cell, and its slope per cell.
static inline double dr_corner_plane(const float *halo, int at, double slope[3])
{
    double mean = 0.0;
    slope[0] = slope[1] = slope[2] = 0.0;
    for (int i = 0; i < 8; i++) {
        double d = (double)halo[at + (i >> 2) * DR_HALO_X + (i >> 1 & 1) * DR_HALO_Y + (i & 1)];
        mean += 0.125 * d;
        for (int a = 0; a < 3; a++) slope[a] += 0.25 * (i >> (2 - a) & 1 ? d : -d);
    }
    return mean;
}

#endif
