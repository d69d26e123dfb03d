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

enum { MOST_PADDED = DR_SURFACE_MOST_BINS + 2 };
typedef float padded_bins[MOST_PADDED * MOST_PADDED * MOST_PADDED]; // a block's bins and one more on each side

typedef struct filling {
    const dr_surface_bins *bins;
    const dr_surface_scale *scale;
    const dr_surface_points *points;
    padded_bins *part; // [block] what its particles give
} filling;

// Shares a particle's volume out among the eight bins whose middles are around it.                             eq. (2)
static void share_volume(const filling *job, const int32_t block[3], uint32_t p, float *part)
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

static void share_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const filling *job = user;
    size_t per_block = (size_t)(job->scale->bins * job->scale->bins * job->scale->bins);
    for (size_t b = begin; b < end; b++) {
        int32_t block[3];
        dr_surface_block_of(job->bins->key[b], block);
        memset(job->part[b], 0, sizeof job->part[b]);
        for (uint32_t i = job->bins->first[b * per_block]; i < job->bins->first[(b + 1) * per_block]; i++) {
            share_volume(job, block, job->bins->order[i], job->part[b]);
        }
    }
}

static float fill_of(const filling *job, const size_t *around, const int at[3])
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
        if (in) sum += job->part[around[n]][place];
    }
    return fminf(sum, 1.0F);
}

static void fill_blocks(void *user, size_t begin, size_t end, int thread)
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
            job->bins->fill[b * (size_t)per_block + (size_t)n] = fill_of(job, around, at);
        }
    }
}

static bool measure_fill(const sorting *sorted, const dr_par *par, const dr_allocator *allocator)
{
    size_t blocks = sorted->bins->block_count, bytes = blocks * sizeof(padded_bins);
    filling job = {sorted->bins, sorted->scale, sorted->points, dr_memory_resize(allocator, NULL, 0, bytes)};
    if (!job.part) return bytes == 0;
    dr_par_for(par, blocks, 16, share_blocks, &job);
    dr_par_for(par, blocks, 32, fill_blocks, &job);
    dr_memory_free(allocator, job.part, bytes);
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
