// Values at the lower corners of cells, [block][64]: those of a block and around it, and the plane through a cell's
// eight.
#ifndef DR_GRID_CORNER_H
#define DR_GRID_CORNER_H

#include "grid/halo.h"

// The first of a neighbour's items in a halo along an axis, side -1 .. 1, and how many they are.
static inline int dr_corner_first(int side)
{
    return side < 0 ? -1 : side > 0 ? DR_BLOCK_SIDE : 0;
}

static inline int dr_corner_count(int side)
{
    return side == 0 ? DR_BLOCK_SIDE : 1;
}

static inline int dr_corner_nearest(int x)
{
    return x < 0 ? 0 : x < DR_BLOCK_SIDE ? x : DR_BLOCK_SIDE - 1;
}

// Repeats the nearest corners of a block where it has no neighbour n.
static inline void dr_corner_repeat(int n, const float *own, float halo[DR_HALO_ITEMS])
{
    const int side[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
    int first[3], end[3];
    for (int a = 0; a < 3; a++) {
        first[a] = dr_corner_first(side[a]);
        end[a] = first[a] + dr_corner_count(side[a]);
    }
    for (int x = first[0]; x < end[0]; x++) {
        for (int y = first[1]; y < end[1]; y++) {
            for (int z = first[2]; z < end[2]; z++)
                halo[DR_HALO_ITEM(x, y, z)] =
                    own[dr_corner_nearest(x) * 16 + dr_corner_nearest(y) * 4 + dr_corner_nearest(z)];
        }
    }
}

// Corners of a block and around it; where there is no block the nearest corner of this one is repeated.
static inline void dr_corner_load(const dr_grid *grid, size_t block, const float *corner, float halo[DR_HALO_ITEMS])
{
    dr_halo_load(grid, block, corner, 0.0F, halo);
    for (int n = 0; n < 27; n++) {
        if (grid->neighbour[27 * block + (size_t)n] < 0) dr_corner_repeat(n, corner + block * DR_BLOCK_NODES, halo);
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
