#include "liquid/bins.h"

void dr_bins_open(dr_bins *bins, const dr_allocator *allocator)
{
    *bins = (dr_bins){.allocator = allocator};
}

void dr_bins_close(dr_bins *bins)
{
    dr_memory_free(bins->allocator, bins->first, bins->block_capacity * sizeof *bins->first);
    dr_memory_free(bins->allocator, bins->order, bins->particle_capacity * sizeof *bins->order);
    dr_memory_free(bins->allocator, bins->block, bins->particle_capacity * sizeof *bins->block);
    dr_memory_free(bins->allocator, bins->place, bins->particle_capacity * 3 * sizeof *bins->place);
    dr_bins_open(bins, bins->allocator);
}

// Arrays of one capacity: all or none.
static bool reserve(dr_bins *bins, size_t cells, size_t particles)
{
    const dr_allocator *allocator = bins->allocator;
    size_t order = bins->particle_capacity, block = order, place = order;
    if (!dr_memory_reserve(allocator, (void **)&bins->first, &bins->block_capacity, cells + 1, sizeof *bins->first)) {
        return false;
    }
    bool done = dr_memory_reserve(allocator, (void **)&bins->order, &order, particles, sizeof *bins->order) &&
                dr_memory_reserve(allocator, (void **)&bins->block, &block, particles, sizeof *bins->block) &&
                dr_memory_reserve(allocator, (void **)&bins->place, &place, particles, 3 * sizeof *bins->place);
    if (!done) {
        dr_memory_free(allocator, bins->order, order * sizeof *bins->order);
        dr_memory_free(allocator, bins->block, block * sizeof *bins->block);
        dr_memory_free(allocator, bins->place, place * 3 * sizeof *bins->place);
        bins->order = bins->block = NULL;
        bins->place = NULL;
        order = 0;
    }
    bins->particle_capacity = order;
    return done;
}

static int cell_of(const float offset[3])
{
    return ((int)offset[0] * 4 + (int)offset[1]) * 4 + (int)offset[2];
}

typedef struct bins_job {
    dr_bins *bins;
    const dr_grid *grid;
    const dr_particles *particles;
} bins_job;

static void sort_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const bins_job *job = user;
    for (size_t b = begin; b < end; b++) {
        uint32_t place[DR_BLOCK_NODES] = {0}, sum = job->particles->residents.first[b];
        for (size_t p = job->particles->residents.first[b]; p < job->particles->residents.first[b + 1]; p++) {
            place[cell_of(job->particles->offset + 3 * p)]++;
        }
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            uint32_t count = place[c];
            job->bins->first[b * DR_BLOCK_NODES + (size_t)c] = place[c] = sum;
            sum += count;
        }
        for (size_t p = job->particles->residents.first[b]; p < job->particles->residents.first[b + 1]; p++) {
            const float *offset = job->particles->offset + 3 * p;
            uint32_t to = place[cell_of(offset)]++;
            job->bins->order[to] = (uint32_t)p;
            job->bins->block[p] = (uint32_t)b;
            memcpy(job->bins->place + 3 * (size_t)to, offset, 3 * sizeof *offset);
        }
    }
}

bool dr_bins_build(dr_bins *bins, const dr_grid *grid, const dr_par *par, const dr_particles *particles)
{
    size_t cells = grid->block_count * DR_BLOCK_NODES;
    if (!reserve(bins, cells, particles->count)) return false;
    bins->cells = cells;
    bins_job job = {bins, grid, particles};
    dr_par_for(par, grid->block_count, 16, sort_blocks, &job);
    bins->first[cells] = (uint32_t)particles->count;
    return true;
}
