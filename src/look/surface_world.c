// Everything the field is made of, and the blocks in which it has to be looked at.
#include "look/surface_parts.h"

#include <math.h>

// Bits of the blocks around (as in dr_surface_around) that the grains of a block reach.
static uint32_t find_reached(const dr_surface_world *world, size_t b)
{
    uint32_t reached = 0;
    int bins = world->scale.bins, per_block = bins * bins * bins;
    float reach = world->scale.near + 0.01F, bin = world->scale.bin;
    for (int n = 0; n < per_block; n++) {
        size_t item = b * (size_t)per_block + (size_t)n;
        if (world->bins.grain[item] == world->bins.grain[item + 1]) continue;
        int at[3] = {n % bins, n / bins % bins, n / bins / bins};
        int low[3], high[3];
        for (int a = 0; a < 3; a++) {
            low[a] = (float)at[a] * bin - reach <= 0.0F ? 0 : 1;
            high[a] = (float)(at[a] + 1) * bin + reach >= (float)DR_SURFACE_SIDE ? 2 : 1;
        }
        for (int z = low[2]; z <= high[2]; z++) {
            for (int y = low[1]; y <= high[1]; y++) {
                for (int x = low[0]; x <= high[0]; x++) reached |= 1U << ((z * 3 + y) * 3 + x);
            }
        }
    }
    return reached;
}

static size_t count_bits(uint32_t bits)
{
    size_t count = 0;
    for (; bits; bits &= bits - 1) count++;
    return count;
}

// Keys of the reached blocks, some of them many times; returns how many. keys NULL: only counted.
static size_t list_reached(const dr_surface_world *world, dr_sort_item *items)
{
    size_t count = 0;
    for (size_t b = 0; b < world->bins.block_count; b++) {
        uint32_t reached = find_reached(world, b);
        if (!items) {
            count += count_bits(reached);
            continue;
        }
        int32_t block[3];
        dr_surface_block_of(world->bins.key[b], block);
        for (int n = 0; n < DR_SURFACE_AROUND; n++) {
            int32_t other[3] = {block[0] + n % 3 - 1, block[1] + n / 3 % 3 - 1, block[2] + n / 9 - 1};
            if (reached >> n & 1) items[count++] = (dr_sort_item){dr_surface_key(other), 0};
        }
    }
    for (size_t b = 0; world->solids && b < world->bins.block_count; b++) { // full ones that a solid stands in
        int32_t block[3];
        dr_surface_block_of(world->bins.key[b], block);
        if (!dr_surface_solids_reach(world, block)) continue;
        if (items) items[count] = (dr_sort_item){world->bins.key[b], 0};
        count++;
    }
    const dr_surface_films *films = &world->films;
    for (size_t i = 0; i < films->item_count; i++) {
        if (i > 0 && films->item[i].key == films->item[i - 1].key) continue;
        if (items) items[count] = (dr_sort_item){films->item[i].key, 0};
        count++;
    }
    return count;
}

static size_t drop_repeats(const dr_sort_item *items, size_t count, uint64_t *keys)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && items[i].key == items[i - 1].key) continue;
        if (keys) keys[kept] = items[i].key;
        kept++;
    }
    return kept;
}

static bool find_blocks(dr_surface_world *world, const dr_allocator *allocator)
{
    size_t count = list_reached(world, NULL), bytes = count * sizeof(dr_sort_item);
    if (count == 0) return true;
    dr_sort_item *items = dr_memory_resize(allocator, NULL, 0, bytes);
    dr_sort_item *spare = dr_memory_resize(allocator, NULL, 0, bytes);
    bool done = items && spare;
    if (done) {
        list_reached(world, items);
        dr_sort_items(items, spare, count);
    }
    dr_memory_free(allocator, spare, bytes);
    if (done) {
        world->block_count = drop_repeats(items, count, NULL);
        world->block = dr_memory_alloc(allocator, world->block_count * sizeof *world->block);
        done = world->block != NULL;
    }
    if (done) drop_repeats(items, count, world->block);
    dr_memory_free(allocator, items, bytes);
    return done;
}

#define NEAR          3.0F  // spacings within which neighbours count
#define POSITIVE      0.58F // share of its reach within which a kernel is positive
#define LEAST_SPACING 2.0   // cells: finer particles are seen as one of this spacing is
#define MOST_SPACING  4.9   // cells: the finest cells that make sense

// Half a spacing to a cell by default; where there are no particles, half the radius of films.                     eq.
// (1)
static void choose_scale(dr_surface_scale *scale, const dr_frame *frame, const dr_surface_options *options,
                         double volume)
{
    double spacing = cbrt(volume), cell = (double)options->cell;
    if (!(cell > 0.0)) cell = volume > 0.0 ? 0.5 * spacing : 0.5 * dr_surface_typical_radius(frame);
    if (!(cell > 0.0) || !isfinite(cell)) cell = 1.0;
    if (cell < spacing / MOST_SPACING) cell = spacing / MOST_SPACING;
    double wide = fmax(spacing / cell, LEAST_SPACING), smoothing = fmin(1.0, fmax(0.0, (double)options->smoothing));
    int bins = (int)(DR_SURFACE_SIDE / (NEAR * wide));
    bins = bins < 1 ? 1 : bins > DR_SURFACE_MOST_BINS ? DR_SURFACE_MOST_BINS : bins;
    *scale = (dr_surface_scale){.cell = cell,
                                .volume = wide * wide * wide,
                                .spacing = (float)wide,
                                .near = (float)(NEAR * wide),
                                .reach = (float)fmin(NEAR * wide / POSITIVE, DR_SURFACE_SIDE - 0.5),
                                .smooth = (float)(0.4 + 2.0 * smoothing),
                                .bins = bins,
                                .bin = (float)DR_SURFACE_SIDE / (float)bins};
}

void dr_surface_world_close(dr_surface_world *world, const dr_allocator *allocator)
{
    dr_surface_bins_close(&world->bins, allocator);
    dr_surface_grains_close(&world->grains, allocator);
    dr_surface_films_close(&world->films, allocator);
    dr_solids_close(world->solids);
    dr_memory_free(allocator, world->block, world->block_count * sizeof *world->block);
    *world = (dr_surface_world){0};
}

dr_status dr_surface_world_open(dr_surface_world *world, const dr_frame *frame, const dr_surface_options *options,
                                const dr_par *par, const dr_allocator *allocator, dr_error *error)
{
    *world = (dr_surface_world){0};
    dr_status status = dr_surface_find_points(frame, &world->points, error);
    if (status != DR_STATUS_OK) return status;
    status = dr_solids_open(options->scene, frame, allocator, &world->solids, error);
    if (status != DR_STATUS_OK) return status;
    choose_scale(&world->scale, frame, options, dr_surface_typical_volume(&world->points));
    world->overlap = options->overlap / (float)world->scale.cell;
    bool done = dr_surface_bins_open(&world->bins, &world->scale, &world->points, par, allocator) &&
                dr_surface_grains_open(&world->grains, &world->bins, &world->scale, &world->points, par, allocator) &&
                (!options->films || dr_surface_films_open(&world->films, &world->scale, frame, allocator)) &&
                find_blocks(world, allocator);
    if (done) return DR_STATUS_OK;
    dr_surface_world_close(world, allocator);
    return dr_error_memory(error, "reconstructing the liquid's surface");
}
