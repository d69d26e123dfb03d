// The blocks that hold liquid particles, the bins within them, about as wide as the neighbourhood of a particle, and
// how full the bins are. Nothing here is kept per particle: memory follows the blocks. docs/theory/reconstruction.md,
// eq. (1)-(2).
#include "look/surface_parts.h"

#include <math.h>
#include <string.h>

size_t dr_surface_find(const uint64_t *keys, size_t count, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && keys[low] == key ? low : count;
}

void dr_surface_around(const uint64_t *keys, size_t count, const int32_t block[3], size_t around[DR_SURFACE_AROUND])
{
    for (int n = 0; n < DR_SURFACE_AROUND; n++) {
        int32_t other[3] = {block[0] + n % 3 - 1, block[1] + n / 3 % 3 - 1, block[2] + n / 9 - 1};
        around[n] = dr_surface_find(keys, count, dr_surface_key(other));
    }
}

int64_t dr_surface_bins_beside(const dr_surface_bins *bins, int per_side, const size_t around[DR_SURFACE_AROUND],
                               const int at[3], const int step[3])
{
    int block = 0, bin = 0;
    for (int a = 2; a >= 0; a--) {
        int place = at[a] + step[a], side = place < 0 ? 0 : place < per_side ? 1 : 2;
        block = block * 3 + side;
        bin = bin * per_side + place - (side - 1) * per_side;
    }
    return around[block] == bins->block_count ? -1 : (int64_t)around[block] * per_side * per_side * per_side + bin;
}

// ---- blocks

typedef struct binning {
    dr_surface_bins *bins;
    const dr_surface_scale *scale;
    const dr_surface_points *points;
    const dr_allocator *allocator;
    float *part; // [block][(bins + 2)^3] what its particles give to its bins and one more on each side
} binning;

static const uint64_t nowhere = UINT64_MAX;

// The key of a particle's block, with the number of its bin.
static uint64_t key_of(const dr_surface_scale *scale, const dr_surface_points *points, size_t p)
{
    double volume = dr_surface_number(points->volume, p, 0);
    if (!(volume > 0.0) || !isfinite(volume)) return nowhere;
    int32_t block[3];
    int bin = 0;
    for (int a = 2; a >= 0; a--) {
        double place = dr_surface_number(points->position, p, a) / (scale->cell * DR_SURFACE_SIDE);
        double low = floor(place);
        if (!(fabs(low) < DR_SURFACE_RANGE - 2)) return nowhere;
        int local = (int)((place - low) * scale->bins);
        block[a] = (int32_t)low;
        bin = bin * scale->bins + (local < scale->bins ? local : scale->bins - 1);
    }
    return dr_surface_key(block) | (uint64_t)bin;
}

bool dr_surface_bins_find(const dr_surface_bins *bins, const dr_surface_scale *scale, const dr_surface_points *points,
                          size_t p, size_t *block, size_t *bin)
{
    uint64_t key = key_of(scale, points, p);
    if (key == nowhere) return false;
    if (bins->key[*block] != key >> 9 << 9) *block = dr_surface_find(bins->key, bins->block_count, key >> 9 << 9);
    *bin = *block * (size_t)(scale->bins * scale->bins * scale->bins) + (size_t)(key & 511);
    return true;
}

enum { CHUNK = 16384 };

// Sorts the keys of the blocks of some particles and drops those that are known; returns how many are new.
static size_t find_new(const binning *job, size_t first, size_t count, dr_sort_item *items, dr_sort_item *spare)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = key_of(job->scale, job->points, first + i);
        if (key != nowhere) items[kept++] = (dr_sort_item){key >> 9 << 9, 0};
    }
    dr_sort_items(items, spare, kept);
    size_t fresh = 0, known = job->bins->block_count;
    for (size_t i = 0; i < kept; i++) {
        if (i > 0 && items[i].key == items[i - 1].key) continue;
        if (dr_surface_find(job->bins->key, known, items[i].key) == known) spare[fresh++] = items[i];
    }
    return fresh;
}

// Merges new keys into the sorted ones, from the end.
static bool merge_new(binning *job, const dr_sort_item *fresh, size_t count)
{
    dr_surface_bins *bins = job->bins;
    if (!dr_memory_reserve(job->allocator, (void **)&bins->key, &bins->block_capacity, bins->block_count + count,
                           sizeof *bins->key))
        return false;
    size_t old = bins->block_count, to = old + count;
    bins->block_count = to;
    while (count > 0) {
        bool later = old > 0 && bins->key[old - 1] > fresh[count - 1].key;
        bins->key[--to] = later ? bins->key[--old] : fresh[--count].key;
    }
    return true;
}

static bool find_blocks(binning *job)
{
    size_t count = job->points->count, chunk = count < CHUNK ? count : CHUNK, bytes = chunk * sizeof(dr_sort_item);
    dr_sort_item *items = dr_memory_resize(job->allocator, NULL, 0, bytes);
    dr_sort_item *spare = dr_memory_resize(job->allocator, NULL, 0, bytes);
    bool done = items && spare;
    for (size_t first = 0; done && first < count; first += chunk) {
        size_t fresh = find_new(job, first, count - first < chunk ? count - first : chunk, items, spare);
        done = merge_new(job, spare, fresh);
    }
    dr_memory_free(job->allocator, items, bytes);
    dr_memory_free(job->allocator, spare, bytes);
    return done;
}

static bool reserve(binning *job)
{
    dr_surface_bins *bins = job->bins;
    bins->bin_count = bins->block_count * (size_t)(job->scale->bins * job->scale->bins * job->scale->bins);
    bins->fill = dr_memory_alloc(job->allocator, bins->bin_count * sizeof *bins->fill);
    bins->count = dr_memory_alloc(job->allocator, bins->bin_count * sizeof *bins->count);
    bins->grain = dr_memory_alloc(job->allocator, (bins->bin_count + 1) * sizeof *bins->grain);
    return bins->fill && bins->count && bins->grain;
}

void dr_surface_bins_close(dr_surface_bins *bins, const dr_allocator *allocator)
{
    dr_memory_free(allocator, bins->key, bins->block_capacity * sizeof *bins->key);
    dr_memory_free(allocator, bins->fill, bins->bin_count * sizeof *bins->fill);
    dr_memory_free(allocator, bins->count, bins->bin_count * sizeof *bins->count);
    dr_memory_free(allocator, bins->grain, (bins->bin_count + 1) * sizeof *bins->grain);
    *bins = (dr_surface_bins){0};
}

// ---- how full bins are

static size_t padded_size(const binning *job)
{
    size_t side = (size_t)job->scale->bins + 2;
    return side * side * side;
}

// Shares a particle's volume out among the eight bins whose middles are around it.                             eq. (2)
static void share_volume(const binning *job, const int32_t block[3], size_t p, float *part)
{
    int bins = job->scale->bins, low[3];
    double side = (double)job->scale->bin * job->scale->cell, high_share[3];
    for (int a = 0; a < 3; a++) {
        double place = dr_surface_number(job->points->position, p, a) / side - (double)bins * block[a] + 0.5;
        int bin = (int)place;
        low[a] = bin < 0 ? 0 : bin > bins ? bins : bin;
        high_share[a] = place - low[a];
    }
    double volume = dr_surface_number(job->points->volume, p, 0) / (side * side * side);
    for (int corner = 0; corner < 8; corner++) {
        double share = volume;
        int at = 0;
        for (int a = 2; a >= 0; a--) {
            int high = corner >> a & 1;
            share *= high ? high_share[a] : 1.0 - high_share[a];
            at = at * (bins + 2) + low[a] + high;
        }
        part[at] += (float)share;
    }
}

static void share_all(const binning *job)
{
    size_t block = 0, bin;
    for (size_t p = 0; p < job->points->count; p++) {
        if (!dr_surface_bins_find(job->bins, job->scale, job->points, p, &block, &bin)) continue;
        int32_t at[3];
        dr_surface_block_of(job->bins->key[block], at);
        job->bins->count[bin]++;
        share_volume(job, at, p, job->part + block * padded_size(job));
    }
}

static float fill_of(const binning *job, const size_t *around, const int at[3])
{
    int bins = job->scale->bins;
    float sum = 0.0F;
    for (int n = 0; n < DR_SURFACE_AROUND; n++) {
        int side[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}, place = 0;
        bool in = around[n] != job->bins->block_count;
        for (int a = 2; a >= 0; a--) {
            int local = at[a] - side[a] * bins + 1;
            in = in && local >= 0 && local < bins + 2;
            place = place * (bins + 2) + local;
        }
        if (in) sum += job->part[around[n] * padded_size(job) + (size_t)place];
    }
    return fminf(sum, 1.0F);
}

static void fill_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const binning *job = user;
    int bins = job->scale->bins, per_block = bins * bins * bins;
    for (size_t b = begin; b < end; b++) {
        int32_t block[3];
        size_t around[DR_SURFACE_AROUND];
        dr_surface_block_of(job->bins->key[b], block);
        dr_surface_around(job->bins->key, job->bins->block_count, block, around);
        for (int n = 0; n < per_block; n++) {
            int at[3] = {n % bins, n / bins % bins, n / bins / bins};
            job->bins->fill[b * (size_t)per_block + (size_t)n] = fill_of(job, around, at);
        }
    }
}

static bool measure_fill(binning *job, const dr_par *par)
{
    size_t bytes = job->bins->block_count * padded_size(job) * sizeof *job->part;
    job->part = dr_memory_alloc(job->allocator, bytes);
    if (!job->part) return false;
    share_all(job);
    dr_par_for(par, job->bins->block_count, 32, fill_blocks, job);
    dr_memory_free(job->allocator, job->part, bytes);
    return true;
}

bool dr_surface_bins_open(dr_surface_bins *bins, const dr_surface_scale *scale, const dr_surface_points *points,
                          const dr_par *par, const dr_allocator *allocator)
{
    *bins = (dr_surface_bins){0};
    if (points->count == 0) return true;
    binning job = {.bins = bins, .scale = scale, .points = points, .allocator = allocator};
    bool done = find_blocks(&job) && reserve(&job) && (bins->block_count == 0 || measure_fill(&job, par));
    if (!done) dr_surface_bins_close(bins, allocator);
    return done;
}
