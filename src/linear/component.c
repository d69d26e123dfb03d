// docs/theory/pressure.md, section 6. Parts are flooded inside a block by shifts of bit masks, joined across blocks by
// union-find, where the smaller number stays: the result does not depend on threads.
#include "linear/component.h"

#include "grid/grid.h"
#include "linear/level.h"

#include <math.h>
#include <string.h>

enum { GRAIN = DR_LEVEL_GRAIN };

// ---- memory

enum { PART_ARRAYS = 6 };

static dr_work_array list_blocks(dr_components *components)
{
    return (dr_work_array){(void **)&components->first, sizeof(uint32_t)};
}

static void list_parts(dr_components *c, dr_work_array list[PART_ARRAYS])
{
    const dr_work_array arrays[PART_ARRAYS] = {
        {(void **)&c->mask, sizeof *c->mask},         {(void **)&c->root, sizeof *c->root},
        {(void **)&c->floating, sizeof *c->floating}, {(void **)&c->sum, sizeof *c->sum},
        {(void **)&c->mean, sizeof *c->mean},         {(void **)&c->cells, sizeof *c->cells},
    };
    memcpy(list, arrays, sizeof arrays);
}

static bool reserve_blocks(dr_components *components, size_t count)
{
    dr_work_array first = list_blocks(components);
    return dr_work_reserve(components->allocator, &first, 1, &components->block_capacity, count + 1);
}

static bool reserve_parts(dr_components *components, size_t count)
{
    dr_work_array list[PART_ARRAYS];
    list_parts(components, list);
    return dr_work_reserve(components->allocator, list, PART_ARRAYS, &components->part_capacity, count);
}

void dr_components_free(dr_components *components)
{
    dr_work_array list[PART_ARRAYS], first = list_blocks(components);
    list_parts(components, list);
    dr_work_free(components->allocator, &first, 1, &components->block_capacity);
    dr_work_free(components->allocator, list, PART_ARRAYS, &components->part_capacity);
    *components = (dr_components){0};
}

// ---- parts of a block

static uint64_t flood(const dr_component_block *block, uint64_t seed)
{
    uint64_t part = seed, before;
    do {
        before = part;
        for (int a = 0; a < 3; a++) {
            uint64_t inside = block->link[a] & ~dr_component_bottom[a];
            part |= (part << dr_block_stride[a] & inside) | (part & inside) >> dr_block_stride[a];
        }
    } while (part != before);
    return part;
}

static bool is_whole(const dr_component_block *block)
{
    bool whole = block->unknown == UINT64_MAX;
    for (int a = 0; a < 3; a++) whole = whole && (block->link[a] | dr_component_bottom[a]) == UINT64_MAX;
    return whole;
}

// Writes the parts where mask is not NULL; their number.
static uint32_t split(const dr_component_block *block, uint64_t *mask)
{
    if (is_whole(block)) {
        if (mask) mask[0] = UINT64_MAX;
        return 1;
    }
    uint32_t count = 0;
    for (uint64_t left = block->unknown; left; count++) {
        uint64_t part = flood(block, left & -left);
        if (mask) mask[count] = part;
        left &= ~part;
    }
    return count;
}

typedef struct search {
    dr_components *components;
    const dr_component_block *blocks;
} search;

static void count_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const search *what = user;
    for (size_t b = begin; b < end; b++) what->components->first[b + 1] = split(&what->blocks[b], NULL);
}

static void split_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const search *what = user;
    for (size_t b = begin; b < end; b++) {
        split(&what->blocks[b], what->components->mask + what->components->first[b]);
    }
}

// ---- joining

static uint32_t find_root(uint32_t *root, uint32_t part)
{
    while (root[part] != part) part = root[part] = root[root[part]];
    return part;
}

static void join(uint32_t *root, uint32_t a, uint32_t b)
{
    a = find_root(root, a);
    b = find_root(root, b);
    if (a < b) root[b] = a;
    if (b < a) root[a] = b;
}

// Parts of a block with those of the block below along an axis, through the links of its bottom layer.
static void join_below(dr_components *components, size_t block, size_t below, int axis, uint64_t links)
{
    int shift = 3 * dr_block_stride[axis];
    for (uint32_t p = components->first[block]; p < components->first[block + 1]; p++) {
        uint64_t open = components->mask[p] & links;
        if (!open) continue;
        for (uint32_t o = components->first[below]; o < components->first[below + 1]; o++) {
            if (components->mask[o] >> shift & open) join(components->root, p, o);
        }
    }
}

static void join_blocks(dr_components *components, const dr_component_block *blocks, const int32_t *neighbour)
{
    for (size_t p = 0; p < components->part_count; p++) components->root[p] = (uint32_t)p;
    for (size_t b = 0; b < components->block_count; b++) {
        for (int a = 0; a < 3; a++) {
            int32_t below = neighbour[6 * b + 2 * (size_t)a];
            uint64_t links = blocks[b].link[a] & dr_component_bottom[a];
            if (below >= 0 && links) join_below(components, b, (size_t)below, a, links);
        }
    }
    for (size_t p = 0; p < components->part_count; p++) {
        components->root[p] = find_root(components->root, (uint32_t)p);
    }
}

static void number_floating(dr_components *components, const dr_component_block *blocks)
{
    for (size_t p = 0; p < components->part_count; p++) components->floating[p] = 0;
    for (size_t b = 0; b < components->block_count; b++) {
        for (uint32_t p = components->first[b]; p < components->first[b + 1]; p++) {
            if (components->mask[p] & blocks[b].ground) components->floating[components->root[p]] = -1;
        }
    }
    components->component_count = components->floating_count = 0;
    for (size_t p = 0; p < components->part_count; p++) {
        uint32_t root = components->root[p];
        if (root == p) components->component_count++;
        if (root != p) {
            components->floating[p] = components->floating[root];
        } else if (components->floating[p] == 0) {
            components->floating[p] = (int32_t)components->floating_count++;
        }
    }
    for (size_t f = 0; f < components->floating_count; f++) components->cells[f] = 0.0;
    for (size_t p = 0; p < components->part_count; p++) {
        int32_t number = components->floating[p];
        if (number >= 0) components->cells[number] += (double)__builtin_popcountll(components->mask[p]);
    }
}

bool dr_components_find(dr_components *components, const dr_par *par, const dr_component_block *blocks,
                        const int32_t *neighbour, size_t block_count)
{
    if (!reserve_blocks(components, block_count)) return false;
    search what = {components, blocks};
    components->block_count = block_count;
    components->first[0] = 0;
    dr_par_for(par, block_count, GRAIN, count_piece, &what);
    for (size_t b = 0; b < block_count; b++) components->first[b + 1] += components->first[b];
    components->part_count = components->first[block_count];
    if (!reserve_parts(components, components->part_count)) return false;
    if (components->part_count > 0) dr_par_for(par, block_count, GRAIN, split_piece, &what);
    join_blocks(components, blocks, neighbour);
    number_floating(components, blocks);
    return true;
}

// ---- means

typedef struct centering {
    dr_components *components;
    double *values;
} centering;

static double add_part(const double *values, uint64_t mask)
{
    double sum = 0.0;
    for (; mask; mask &= mask - 1) {
        int c = __builtin_ctzll(mask);
        sum += values[dr_level_item(c >> 4, c >> 2 & 3, c & 3)];
    }
    return sum;
}

static void sum_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const centering *what = user;
    dr_components *components = what->components;
    for (size_t b = begin; b < end; b++) {
        for (uint32_t p = components->first[b]; p < components->first[b + 1]; p++) {
            if (components->floating[p] < 0) continue;
            components->sum[p] = add_part(what->values + DR_LEVEL_CELLS * b, components->mask[p]);
        }
    }
}

static void subtract_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const centering *what = user;
    const dr_components *components = what->components;
    for (size_t b = begin; b < end; b++) {
        double *values = what->values + DR_LEVEL_CELLS * b;
        for (uint32_t p = components->first[b]; p < components->first[b + 1]; p++) {
            if (components->floating[p] < 0) continue;
            double mean = components->mean[components->floating[p]];
            for (uint64_t mask = components->mask[p]; mask; mask &= mask - 1) {
                int c = __builtin_ctzll(mask);
                values[dr_level_item(c >> 4, c >> 2 & 3, c & 3)] -= mean;
            }
        }
    }
}

double dr_components_center(dr_components *components, const dr_par *par, double *values)
{
    if (components->floating_count == 0) return 0.0;
    centering what = {components, values};
    dr_par_for(par, components->block_count, GRAIN, sum_piece, &what);
    for (size_t f = 0; f < components->floating_count; f++) components->mean[f] = 0.0;
    for (size_t p = 0; p < components->part_count; p++) {
        if (components->floating[p] >= 0) components->mean[components->floating[p]] += components->sum[p];
    }
    double largest = 0.0;
    for (size_t f = 0; f < components->floating_count; f++) {
        components->mean[f] /= components->cells[f];
        largest = fmax(largest, fabs(components->mean[f]));
    }
    dr_par_for(par, components->block_count, GRAIN, subtract_piece, &what);
    return largest;
}
