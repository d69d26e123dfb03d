// docs/theory/surface.md, "Gaps". Air cells are joined across faces; where a block is missing there is open air.
#include "liquid/gap.h"

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

static void fill_part(const dr_gaps *gaps, size_t block, uint32_t part, float depth, uint8_t *kind, float *distance)
{
    for (uint64_t mask = gaps->flood.components.mask[part]; mask; mask &= mask - 1) {
        size_t item = block * DR_BLOCK_NODES + (size_t)__builtin_ctzll(mask);
        kind[item] = DR_CELL_LIQUID;
        distance[item] = -depth;
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
            int32_t piece = components->floating[p];
            if (piece < 0 || components->cells[piece] > DR_GAPS_CELLS) continue;
            fill_part(gaps, b, p, SHALLOW * (float)grid->cell, kind, distance);
            gaps->filled += (size_t)__builtin_popcountll(components->mask[p]);
        }
    }
    return true;
}
