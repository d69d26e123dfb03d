// Enclosed air, by the flood that finds closed regions of liquid. docs/theory/surface.md, "Air pockets".
#include "liquid/pocket.h"

enum { CELLS = DR_BLOCK_NODES, GRAIN = 32 };

void dr_pockets_open(dr_pockets *pockets, const dr_allocator *allocator)
{
    *pockets = (dr_pockets){0};
    dr_flood_open(&pockets->flood, allocator);
}

void dr_pockets_close(dr_pockets *pockets)
{
    const dr_allocator *allocator = pockets->flood.allocator;
    dr_memory_free(allocator, pockets->partial, pockets->partial_capacity * sizeof *pockets->partial);
    dr_flood_close(&pockets->flood);
    dr_pockets_open(pockets, allocator);
}

typedef struct look_job {
    dr_pockets *pockets;
    const uint8_t *kind;
    const float *open_volume;
} look_job;

static void mark_air(const void *user, size_t block, dr_component_block *mask)
{
    const look_job *job = user;
    for (size_t c = 0; c < CELLS; c++) {
        if (job->kind[block * CELLS + c] == DR_CELL_AIR) mask->unknown |= 1ULL << c;
    }
}

static void sum_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const look_job *job = user;
    const dr_components *parts = &job->pockets->flood.components;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0;
        for (uint32_t p = parts->first[b]; p < parts->first[b + 1]; p++) {
            for (int c = 0; c < CELLS && parts->floating[p] >= 0; c++) {
                if (parts->mask[p] >> c & 1)
                    sum += job->open_volume ? (double)job->open_volume[b * CELLS + (size_t)c] : 1.0;
            }
        }
        job->pockets->partial[b] = sum;
    }
}

bool dr_pockets_find(dr_pockets *pockets, const dr_grid *grid, const dr_par *par, const uint8_t *kind,
                     const float *open_area, const float *open_volume)
{
    size_t blocks = grid->block_count;
    look_job job = {pockets, kind, open_volume};
    const dr_flood_problem problem = {mark_air, &job, open_area, true};
    pockets->count = 0;
    pockets->volume = 0.0;
    if (blocks == 0) return true;
    if (!dr_flood_find(&pockets->flood, grid, par, &problem) ||
        !dr_memory_reserve(pockets->flood.allocator, (void **)&pockets->partial, &pockets->partial_capacity, blocks,
                           sizeof *pockets->partial))
        return false;
    pockets->count = pockets->flood.components.floating_count;
    if (pockets->count == 0) return true;
    dr_par_for(par, blocks, GRAIN, sum_blocks, &job);
    pockets->volume = dr_par_sum(pockets->partial, blocks) * grid->cell * grid->cell * grid->cell;
    return true;
}
