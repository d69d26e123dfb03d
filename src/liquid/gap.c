// docs/theory/surface.md, "Gaps". Air cells are joined across faces; where a block is missing there is open air.
#include "liquid/gap.h"

#include "liquid/halo.h"

enum { GRAIN = 32 };

#define SHALLOW 0.25F // cells below the surface: where a filled cell is put

void dr_gaps_open(dr_gaps *gaps, const dr_allocator *allocator)
{
    *gaps = (dr_gaps){.allocator = allocator, .components = {.allocator = allocator}};
}

void dr_gaps_close(dr_gaps *gaps)
{
    const dr_allocator *allocator = gaps->allocator;
    dr_components_free(&gaps->components);
    dr_memory_free(allocator, gaps->masks, gaps->mask_capacity * sizeof *gaps->masks);
    dr_memory_free(allocator, gaps->neighbour, gaps->neighbour_capacity * 6 * sizeof *gaps->neighbour);
    dr_gaps_open(gaps, allocator);
}

static bool reserve(dr_gaps *gaps, size_t blocks)
{
    return dr_memory_reserve(gaps->allocator, (void **)&gaps->masks, &gaps->mask_capacity, blocks,
                             sizeof *gaps->masks) &&
           dr_memory_reserve(gaps->allocator, (void **)&gaps->neighbour, &gaps->neighbour_capacity, blocks,
                             6 * sizeof *gaps->neighbour);
}

typedef struct job {
    dr_gaps *gaps;
    const dr_grid *grid;
    const uint8_t *kind;
} job;

static const int stride[3] = {16, 4, 1}, below[3] = {4, 10, 12}, above[3] = {22, 16, 14}; // among the 27 neighbours
static const uint64_t bottom[3] = {0xFFFFULL, 0x000F000F000F000FULL, 0x1111111111111111ULL};

static void mask_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *work = user;
    for (size_t b = begin; b < end; b++) {
        dr_component_block mask = {0};
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            if (work->kind[b * DR_BLOCK_NODES + (size_t)c] == DR_CELL_AIR) mask.unknown |= 1ULL << c;
        }
        for (size_t a = 0; a < 3; a++) {
            int32_t low = work->grid->neighbour[27 * b + (size_t)below[a]];
            int32_t high = work->grid->neighbour[27 * b + (size_t)above[a]];
            if (low < 0) mask.ground |= mask.unknown & bottom[a];
            if (high < 0) mask.ground |= mask.unknown & bottom[a] << 3 * stride[a];
            work->gaps->neighbour[6 * b + 2 * a] = low;
            work->gaps->neighbour[6 * b + 2 * a + 1] = high;
        }
        work->gaps->masks[b] = mask;
    }
}

static void link_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *work = user;
    dr_component_block *masks = work->gaps->masks;
    for (size_t b = begin; b < end; b++) {
        for (size_t a = 0; a < 3; a++) {
            int32_t next = work->gaps->neighbour[6 * b + 2 * a];
            uint64_t inside = masks[b].unknown << stride[a] & ~bottom[a];
            uint64_t outside = next < 0 ? 0 : masks[next].unknown >> 3 * stride[a] & bottom[a];
            masks[b].link[a] = masks[b].unknown & (inside | outside);
        }
    }
}

static void fill_part(const dr_gaps *gaps, size_t block, uint32_t part, float depth, uint8_t *kind, float *distance)
{
    for (uint64_t mask = gaps->components.mask[part]; mask; mask &= mask - 1) {
        size_t item = block * DR_BLOCK_NODES + (size_t)__builtin_ctzll(mask);
        kind[item] = DR_CELL_LIQUID;
        distance[item] = -depth;
    }
}

bool dr_gaps_fill(dr_gaps *gaps, const dr_grid *grid, const dr_par *par, uint8_t *kind, float *distance)
{
    job work = {gaps, grid, kind};
    size_t blocks = grid->block_count;
    const dr_components *components = &gaps->components;
    gaps->filled = 0;
    if (blocks == 0) return true;
    if (!reserve(gaps, blocks)) return false;
    dr_par_for(par, blocks, GRAIN, mask_blocks, &work);
    dr_par_for(par, blocks, GRAIN, link_blocks, &work);
    if (!dr_components_find(&gaps->components, par, gaps->masks, gaps->neighbour, blocks)) return false;
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
