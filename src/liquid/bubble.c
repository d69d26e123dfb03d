// Enclosed air, by the flood that finds closed regions of liquid. docs/theory/surface.md, "Bubbles".
#include "liquid/bubble.h"

enum { CELLS = DR_BLOCK_NODES, GRAIN = 32 };

void dr_bubbles_open(dr_bubbles *bubbles, const dr_allocator *allocator)
{
    *bubbles = (dr_bubbles){0};
    dr_flood_open(&bubbles->flood, allocator);
}

void dr_bubbles_close(dr_bubbles *bubbles)
{
    const dr_allocator *allocator = bubbles->flood.allocator;
    dr_memory_free(allocator, bubbles->partial, bubbles->partial_capacity * sizeof *bubbles->partial);
    dr_flood_close(&bubbles->flood);
    dr_bubbles_open(bubbles, allocator);
}

typedef struct look_job {
    dr_bubbles *bubbles;
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
    const dr_components *parts = &job->bubbles->flood.components;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0;
        for (uint32_t p = parts->first[b]; p < parts->first[b + 1]; p++) {
            for (int c = 0; c < CELLS && parts->floating[p] >= 0; c++) {
                if (parts->mask[p] >> c & 1)
                    sum += job->open_volume ? (double)job->open_volume[b * CELLS + (size_t)c] : 1.0;
            }
        }
        job->bubbles->partial[b] = sum;
    }
}

bool dr_bubbles_find(dr_bubbles *bubbles, const dr_grid *grid, const dr_par *par, const uint8_t *kind,
                     const float *open_area, const float *open_volume)
{
    size_t blocks = grid->block_count;
    look_job job = {bubbles, kind, open_volume};
    const dr_flood_problem problem = {mark_air, &job, open_area, true};
    bubbles->count = 0;
    bubbles->volume = 0.0;
    if (blocks == 0) return true;
    if (!dr_flood_find(&bubbles->flood, grid, par, &problem) ||
        !dr_memory_reserve(bubbles->flood.allocator, (void **)&bubbles->partial, &bubbles->partial_capacity, blocks,
                           sizeof *bubbles->partial))
        return false;
    bubbles->count = bubbles->flood.components.floating_count;
    if (bubbles->count == 0) return true;
    dr_par_for(par, blocks, GRAIN, sum_blocks, &job);
    bubbles->volume = dr_par_sum(bubbles->partial, blocks) * grid->cell * grid->cell * grid->cell;
    return true;
}
