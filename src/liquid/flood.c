#include "liquid/flood.h"

enum { GRAIN = 32 };

void dr_flood_open(dr_flood *flood, const dr_allocator *allocator)
{
    *flood = (dr_flood){.allocator = allocator, .components = {.allocator = allocator}};
}

void dr_flood_close(dr_flood *flood)
{
    const dr_allocator *allocator = flood->allocator;
    dr_components_free(&flood->components);
    dr_memory_free(allocator, flood->masks, flood->mask_capacity * sizeof *flood->masks);
    dr_memory_free(allocator, flood->neighbour, flood->neighbour_capacity * 6 * sizeof *flood->neighbour);
    dr_flood_open(flood, allocator);
}

static bool reserve(dr_flood *flood, size_t blocks)
{
    return dr_memory_reserve(flood->allocator, (void **)&flood->masks, &flood->mask_capacity, blocks,
                             sizeof *flood->masks) &&
           dr_memory_reserve(flood->allocator, (void **)&flood->neighbour, &flood->neighbour_capacity, blocks,
                             6 * sizeof *flood->neighbour);
}

typedef struct job {
    dr_flood *flood;
    const dr_grid *grid;
    const dr_flood_problem *problem;
} job;

static void mask_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *work = user;
    for (size_t b = begin; b < end; b++) {
        dr_component_block mask = {0};
        work->problem->mark(work->problem->user, b, &mask);
        for (size_t a = 0; a < 3; a++) {
            int32_t low = work->grid->neighbour[27 * b + (size_t)(13 - dr_block_step[a])];
            int32_t high = work->grid->neighbour[27 * b + (size_t)(13 + dr_block_step[a])];
            if (work->problem->open_ends && low < 0) mask.ground |= mask.unknown & dr_component_bottom[a];
            if (work->problem->open_ends && high < 0)
                mask.ground |= mask.unknown & dr_component_bottom[a] << 3 * dr_block_stride[a];
            work->flood->neighbour[6 * b + 2 * a] = low;
            work->flood->neighbour[6 * b + 2 * a + 1] = high;
        }
        work->flood->masks[b] = mask;
    }
}

static uint64_t open_faces(const float *open_area, size_t block, size_t axis)
{
    uint64_t open = 0;
    if (!open_area) return ~open;
    for (size_t c = 0; c < DR_BLOCK_NODES; c++) {
        if (open_area[4 * (block * DR_BLOCK_NODES + c) + axis] > 0.0F) open |= 1ULL << c;
    }
    return open;
}

static void link_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *work = user;
    dr_component_block *masks = work->flood->masks;
    for (size_t b = begin; b < end; b++) {
        for (size_t a = 0; a < 3 && masks[b].unknown; a++) {
            int32_t next = work->flood->neighbour[6 * b + 2 * a];
            uint64_t inside = masks[b].unknown << dr_block_stride[a] & ~dr_component_bottom[a];
            uint64_t outside = next < 0 ? 0 : masks[next].unknown >> 3 * dr_block_stride[a] & dr_component_bottom[a];
            masks[b].link[a] = masks[b].unknown & (inside | outside) & open_faces(work->problem->open_area, b, a);
        }
    }
}

bool dr_flood_find(dr_flood *flood, const dr_grid *grid, const dr_par *par, const dr_flood_problem *problem)
{
    job work = {flood, grid, problem};
    size_t blocks = grid->block_count;
    if (!reserve(flood, blocks)) return false;
    dr_par_for(par, blocks, GRAIN, mask_blocks, &work);
    dr_par_for(par, blocks, GRAIN, link_blocks, &work);
    return dr_components_find(&flood->components, par, flood->masks, flood->neighbour, blocks);
}
