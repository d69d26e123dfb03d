// Liquid particles sorted into blocks and, within them, into bins about as wide as the neighbourhood of a particle; and
// how full the bins are. docs/theory/reconstruction.md, eq. (1)-(2).
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

// ---- sorting

typedef struct sorting {
    dr_surface_bins *bins;
    const dr_surface_scale *scale;
    const dr_surface_points *points;
    dr_sort_item *items;
} sorting;

static const uint64_t nowhere = UINT64_MAX;

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

static void make_items(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sorting *job = user;
    for (size_t p = begin; p < end; p++) {
        job->items[p] = (dr_sort_item){key_of(job->scale, job->points, p), (uint32_t)p};
    }
}

static size_t count_blocks(const dr_sort_item *items, size_t count)
{
    size_t blocks = 0;
    for (size_t i = 0; i < count; i++) blocks += i == 0 || items[i].key >> 9 != items[i - 1].key >> 9;
    return blocks;
}

static bool reserve(dr_surface_bins *bins, const dr_surface_scale *scale, const dr_allocator *allocator)
{
    size_t per_block = (size_t)(scale->bins * scale->bins * scale->bins);
    bins->bin_count = bins->block_count * per_block;
    bins->key = dr_memory_alloc(allocator, bins->block_count * sizeof *bins->key);
    bins->first = dr_memory_alloc(allocator, (bins->bin_count + 1) * sizeof *bins->first);
    bins->grain = dr_memory_alloc(allocator, (bins->bin_count + 1) * sizeof *bins->grain);
    bins->fill = dr_memory_alloc(allocator, bins->bin_count * sizeof *bins->fill);
    bins->order = dr_memory_alloc(allocator, bins->order_count * sizeof *bins->order);
    return bins->key && bins->first && bins->grain && bins->fill && bins->order;
}

void dr_surface_bins_close(dr_surface_bins *bins, const dr_allocator *allocator)
{
    dr_memory_free(allocator, bins->key, bins->block_count * sizeof *bins->key);
    dr_memory_free(allocator, bins->first, (bins->bin_count + 1) * sizeof *bins->first);
    dr_memory_free(allocator, bins->grain, (bins->bin_count + 1) * sizeof *bins->grain);
    dr_memory_free(allocator, bins->fill, bins->bin_count * sizeof *bins->fill);
    dr_memory_free(allocator, bins->order, bins->order_count * sizeof *bins->order);
    *bins = (dr_surface_bins){0};
}

static void take_order(dr_surface_bins *bins, const dr_sort_item *items, size_t per_block)
{
    size_t block = 0, bin = 0;
    for (size_t i = 0; i < bins->order_count; i++) {
        if (i > 0 && items[i].key >> 9 != items[i - 1].key >> 9) block++;
        bins->key[block] = items[i].key >> 9 << 9;
        bins->order[i] = items[i].value;
        size_t mine = block * per_block + (items[i].key & 511);
        while (bin < mine) bins->first[++bin] = (uint32_t)i;
    }
    while (bin < bins->bin_count) bins->first[++bin] = (uint32_t)bins->order_count;
}

static bool sort_points(sorting *job, const dr_par *par, const dr_allocator *allocator)
{
    size_t count = job->points->count, bytes = count * sizeof(dr_sort_item);
    job->items = dr_memory_resize(allocator, NULL, 0, bytes);
    dr_sort_item *spare = dr_memory_resize(allocator, NULL, 0, bytes);
    bool sorted = job->items && spare;
    if (sorted) {
        dr_par_for(par, count, 8192, make_items, job);
        dr_sort_items(job->items, spare, count);
    }
    dr_memory_free(allocator, spare, bytes);
    dr_surface_bins *bins = job->bins;
    if (sorted) {
        while (count > 0 && job->items[count - 1].key == nowhere) count--;
        bins->order_count = count;
        bins->block_count = count_blocks(job->items, count);
        sorted = reserve(bins, job->scale, allocator);
    }
    if (sorted) take_order(bins, job->items, (size_t)(job->scale->bins * job->scale->bins * job->scale->bins));
    dr_memory_free(allocator, job->items, bytes);
    return sorted;
}

// ---- how full bins are

typedef struct filling {
    const dr_surface_bins *bins;
    const dr_surface_scale *scale;
    const dr_surface_points *points;
    float *raw;
} filling;

static void fill_bins(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const filling *job = user;
    double side = (double)job->scale->bin * job->scale->cell, whole = side * side * side;
    for (size_t bin = begin; bin < end; bin++) {
        double sum = 0.0;
        for (uint32_t i = job->bins->first[bin]; i < job->bins->first[bin + 1]; i++) {
            sum += dr_surface_number(job->points->volume, job->bins->order[i], 0);
        }
        job->raw[bin] = (float)fmin(1.0, sum / whole);
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

static float smooth_bin(const filling *job, const size_t *around, const int at[3])
{
    static const float share[3] = {0.25F, 0.5F, 0.25F};
    float sum = 0.0F;
    for (int n = 0; n < 27; n++) {
        int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        int64_t bin = dr_surface_bins_beside(job->bins, job->scale->bins, around, at, step);
        if (bin >= 0) sum += share[step[0] + 1] * share[step[1] + 1] * share[step[2] + 1] * job->raw[bin];
    }
    return sum;
}

static void smooth_fill(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const filling *job = user;
    int bins = job->scale->bins, per_block = bins * bins * bins;
    for (size_t b = begin; b < end; b++) {
        int32_t block[3];
        size_t around[DR_SURFACE_AROUND];
        dr_surface_block_of(job->bins->key[b], block);
        dr_surface_around(job->bins->key, job->bins->block_count, block, around);
        for (int n = 0; n < per_block; n++) {
            int at[3] = {n % bins, n / bins % bins, n / bins / bins};
            job->bins->fill[b * (size_t)per_block + (size_t)n] = smooth_bin(job, around, at);
        }
    }
}

static bool measure_fill(const sorting *sorted, const dr_par *par, const dr_allocator *allocator)
{
    size_t bytes = sorted->bins->bin_count * sizeof(float);
    filling job = {sorted->bins, sorted->scale, sorted->points, dr_memory_resize(allocator, NULL, 0, bytes)};
    if (!job.raw) return bytes == 0;
    dr_par_for(par, sorted->bins->bin_count, 512, fill_bins, &job);
    dr_par_for(par, sorted->bins->block_count, 32, smooth_fill, &job);
    dr_memory_free(allocator, job.raw, bytes);
    return true;
}

bool dr_surface_bins_open(dr_surface_bins *bins, const dr_surface_scale *scale, const dr_surface_points *points,
                          const dr_par *par, const dr_allocator *allocator)
{
    *bins = (dr_surface_bins){0};
    if (points->count == 0) return true;
    sorting job = {.bins = bins, .scale = scale, .points = points};
    bool done = sort_points(&job, par, allocator) && measure_fill(&job, par, allocator);
    if (!done) dr_surface_bins_close(bins, allocator);
    return done;
}
