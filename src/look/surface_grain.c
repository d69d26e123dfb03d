// The particles that lie near the surface, gathered in the order of bins. docs/theory/reconstruction.md, eq. (2).
#include "look/surface_parts.h"

typedef struct picking {
    dr_surface_grains *grains;
    dr_surface_bins *bins;
    const dr_surface_scale *scale;
    const dr_surface_points *points;
} picking;

// Whether a bin lies so near to one that is not full that its particles matter where the field is looked at.
static bool is_near(const picking *job, const size_t *around, const int at[3])
{
    int wide = job->scale->bins < 2 ? 1 : 2, side = 2 * wide + 1;
    for (int n = 0; n < side * side * side; n++) {
        int step[3] = {n % side - wide, n / side % side - wide, n / side / side - wide};
        int64_t bin = dr_surface_bins_beside(job->bins, job->scale->bins, around, at, step);
        if (bin < 0 || job->bins->fill[bin] < DR_SURFACE_FULL) return true;
    }
    return false;
}

static void pick_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const picking *job = user;
    dr_surface_bins *bins = job->bins;
    int side = job->scale->bins, per_block = side * side * side;
    for (size_t b = begin; b < end; b++) {
        int32_t block[3];
        size_t around[DR_SURFACE_AROUND];
        dr_surface_block_of(bins->key[b], block);
        dr_surface_around(bins->key, bins->block_count, block, around);
        for (int n = 0; n < per_block; n++) {
            size_t bin = b * (size_t)per_block + (size_t)n;
            int at[3] = {n % side, n / side % side, n / side / side};
            uint32_t count = bins->count[bin];
            bins->grain[bin + 1] = count > 0 && is_near(job, around, at) ? count : 0;
        }
    }
}

static void take_grain(const picking *job, size_t grain, size_t p, const int32_t block[3])
{
    dr_surface_grains *grains = job->grains;
    double cell = job->scale->cell;
    for (int a = 0; a < 3; a++) {
        double place = dr_surface_number(job->points->position, p, a) / cell - (double)DR_SURFACE_SIDE * block[a];
        grains->place[a][grain] = (float)place;
    }
    double volume = dr_surface_number(job->points->volume, p, 0) / (cell * cell * cell * job->scale->volume);
    grains->volume[grain] = (float)volume;
    grains->particle[grain] = (uint32_t)p;
}

// Puts every particle of a bin that is near into its place; a bin's count says how many are still to come.
static void take_all(const picking *job)
{
    dr_surface_bins *bins = job->bins;
    size_t block = 0, bin;
    for (size_t p = 0; p < job->points->count; p++) {
        if (!dr_surface_bins_find(bins, job->scale, job->points, p, &block, &bin)) continue;
        if (bins->grain[bin] == bins->grain[bin + 1]) continue;
        int32_t at[3];
        dr_surface_block_of(bins->key[block], at);
        take_grain(job, bins->grain[bin + 1] - bins->count[bin]--, p, at);
    }
}

static bool reserve(dr_surface_grains *grains, const dr_allocator *allocator)
{
    size_t bytes = grains->count * sizeof(float);
    for (int a = 0; a < 3; a++) grains->place[a] = dr_memory_alloc(allocator, bytes);
    grains->volume = dr_memory_alloc(allocator, bytes);
    grains->particle = dr_memory_alloc(allocator, bytes);
    return grains->place[0] && grains->place[1] && grains->place[2] && grains->volume && grains->particle;
}

bool dr_surface_grains_open(dr_surface_grains *grains, dr_surface_bins *bins, const dr_surface_scale *scale,
                            const dr_surface_points *points, const dr_par *par, const dr_allocator *allocator)
{
    *grains = (dr_surface_grains){0};
    if (bins->bin_count == 0) return true;
    picking job = {grains, bins, scale, points};
    dr_par_for(par, bins->block_count, 32, pick_blocks, &job);
    for (size_t bin = 0; bin < bins->bin_count; bin++) bins->grain[bin + 1] += bins->grain[bin];
    grains->count = bins->grain[bins->bin_count];
    if (!reserve(grains, allocator)) return false;
    take_all(&job);
    return true;
}

void dr_surface_grains_close(dr_surface_grains *grains, const dr_allocator *allocator)
{
    size_t bytes = grains->count * sizeof(float);
    for (int a = 0; a < 3; a++) dr_memory_free(allocator, grains->place[a], bytes);
    dr_memory_free(allocator, grains->volume, bytes);
    dr_memory_free(allocator, grains->particle, bytes);
    *grains = (dr_surface_grains){0};
}
