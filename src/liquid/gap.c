// docs/theory/surface.md, "Gaps". Air cells are joined across faces; where a block is missing there is open air.
#include "liquid/gap.h"

#include "grid/halo.h"

#include <math.h>

enum { REACH = 2 }; // cells around a gap that it makes look shallow, and in which air is looked for

#define SHALLOW 0.25F // cells below the surface: where a filled cell is put

void dr_gaps_open(dr_gaps *gaps, const dr_allocator *allocator)
{
    *gaps = (dr_gaps){0};
    dr_flood_open(&gaps->flood, allocator);
}

void dr_gaps_close(dr_gaps *gaps)
{
    dr_flood_close(&gaps->flood);
}

static void mark_air(const void *user, size_t block, dr_component_block *mask)
{
    const uint8_t *kind = (const uint8_t *)user + block * DR_BLOCK_NODES;
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        if (kind[c] == DR_CELL_AIR) mask->unknown |= 1ULL << c;
    }
}

static bool is_gap(const dr_components *components, uint32_t part)
{
    int32_t piece = components->floating[part];
    return piece >= 0 && components->cells[piece] <= DR_GAPS_CELLS;
}

typedef int offset[3];

static void offset_of(int i, offset to)
{
    const int side = 2 * REACH + 1;
    to[0] = i / (side * side) - REACH;
    to[1] = i / side % side - REACH;
    to[2] = i % side - REACH;
}

enum { AROUND = (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1) };

// How far below the surface a cell lies by the air cells around it, at most REACH cells.
static float depth_below_air(const dr_grid *grid, size_t block, const int at[3], const uint8_t *kind,
                             const float *distance)
{
    float cell = (float)grid->cell, depth = (float)REACH * cell;
    for (int i = 0; i < AROUND; i++) {
        offset to;
        offset_of(i, to);
        int64_t item = dr_halo_find(grid, block, at[0] + to[0], at[1] + to[1], at[2] + to[2]);
        if (item < 0 || kind[item] != DR_CELL_AIR) continue;
        float length = sqrtf((float)(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]));
        depth = fminf(depth, length * cell - distance[item]);
    }
    return depth;
}

// Liquid around a gap saw a surface there.
static void deepen(const dr_grid *grid, size_t block, int c, const uint8_t *kind, float *distance)
{
    for (int i = 0; i < AROUND; i++) {
        offset to;
        offset_of(i, to);
        const int at[3] = {(c >> 4) + to[0], (c >> 2 & 3) + to[1], (c & 3) + to[2]};
        int64_t item = dr_halo_find(grid, block, at[0], at[1], at[2]);
        if (item < 0 || kind[item] != DR_CELL_LIQUID) continue;
        distance[item] = fminf(distance[item], -depth_below_air(grid, block, at, kind, distance));
    }
}

static void fill_part(const dr_gaps *gaps, size_t block, uint32_t part, float depth, uint8_t *kind, float *distance)
{
    for (uint64_t mask = gaps->flood.components.mask[part]; mask; mask &= mask - 1) {
        size_t item = block * DR_BLOCK_NODES + (size_t)__builtin_ctzll(mask);
        kind[item] = DR_CELL_LIQUID;
        distance[item] = -depth;
    }
}

static void deepen_all(const dr_gaps *gaps, const dr_grid *grid, const uint8_t *kind, float *distance)
{
    const dr_components *components = &gaps->flood.components;
    for (size_t b = 0; b < grid->block_count; b++) {
        for (uint32_t p = components->first[b]; p < components->first[b + 1]; p++) {
            if (!is_gap(components, p)) continue;
            for (uint64_t mask = components->mask[p]; mask; mask &= mask - 1)
                deepen(grid, b, __builtin_ctzll(mask), kind, distance);
        }
    }
}

bool dr_gaps_fill(dr_gaps *gaps, const dr_grid *grid, const dr_par *par, uint8_t *kind, float *distance)
{
    const dr_flood_problem problem = {.mark = mark_air, .user = kind, .open_ends = true};
    const dr_components *components = &gaps->flood.components;
    size_t blocks = grid->block_count;
    gaps->filled = 0;
    if (blocks == 0) return true;
    if (!dr_flood_find(&gaps->flood, grid, par, &problem)) return false;
    if (components->floating_count == 0) return true;
    for (size_t b = 0; b < blocks; b++) {
        for (uint32_t p = components->first[b]; p < components->first[b + 1]; p++) {
            if (!is_gap(components, p)) continue;
            fill_part(gaps, b, p, SHALLOW * (float)grid->cell, kind, distance);
            gaps->filled += (size_t)__builtin_popcountll(components->mask[p]);
        }
    }
    if (gaps->filled > 0) deepen_all(gaps, grid, kind, distance);
    return true;
}
