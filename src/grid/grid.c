// Morton keys, places, and the blocks that particles touch. docs/theory/grid.md.
#include "grid/grid.h"

#include "grid/lookup.h"
#include "grid/order.h"
#include "par/sort.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct dr_grid_private {
    dr_lookup lookup;
    dr_order order;
    dr_sort_item *item, *item_spare; // [block]
    uint32_t *rank;                  // [block as numbered by the lookup] its place in the sorted list
    size_t capacity;                 // of every array by block
};

// ---- keys

static uint64_t spread(uint64_t x)
{
    x &= UINT64_C(0x1fffff);
    x = (x | x << 32) & UINT64_C(0x1f00000000ffff);
    x = (x | x << 16) & UINT64_C(0x1f0000ff0000ff);
    x = (x | x << 8) & UINT64_C(0x100f00f00f00f00f);
    x = (x | x << 4) & UINT64_C(0x10c30c30c30c30c3);
    x = (x | x << 2) & UINT64_C(0x1249249249249249);
    return x;
}

static uint64_t gather(uint64_t x)
{
    x &= UINT64_C(0x1249249249249249);
    x = (x ^ x >> 2) & UINT64_C(0x10c30c30c30c30c3);
    x = (x ^ x >> 4) & UINT64_C(0x100f00f00f00f00f);
    x = (x ^ x >> 8) & UINT64_C(0x1f0000ff0000ff);
    x = (x ^ x >> 16) & UINT64_C(0x1f00000000ffff);
    x = (x ^ x >> 32) & UINT64_C(0x1fffff);
    return x;
}

uint64_t dr_grid_key(const int32_t coordinate[3])
{
    uint64_t key = 0;
    for (int a = 0; a < 3; a++) {
        assert(coordinate[a] >= -DR_GRID_REACH && coordinate[a] < DR_GRID_REACH);
        key |= spread((uint64_t)(coordinate[a] + DR_GRID_REACH)) << (2 - a);
    }
    return key;
}

void dr_grid_coordinate(uint64_t key, int32_t coordinate[3])
{
    for (int a = 0; a < 3; a++) coordinate[a] = (int32_t)gather(key >> (2 - a)) - DR_GRID_REACH;
}

// ---- places

int32_t dr_grid_wrap(const dr_grid *grid, int axis, int64_t coordinate)
{
    int64_t period = grid->period[axis];
    if (period > 0) {
        int64_t rest = coordinate % period;
        return (int32_t)(rest < 0 ? rest + period : rest);
    }
    if (coordinate < -DR_GRID_REACH) return -DR_GRID_REACH;
    if (coordinate > DR_GRID_REACH - 2) return DR_GRID_REACH - 2;
    return (int32_t)coordinate;
}

void dr_grid_place(const dr_grid *grid, const double position[3], uint64_t *key, float offset[3])
{
    int32_t coordinate[3];
    for (int a = 0; a < 3; a++) {
        double cells = (position[a] - grid->origin[a]) / grid->cell - grid->shift;
        double block = floor(cells / DR_BLOCK_SIDE);
        double limit = 4.0 * DR_GRID_REACH; // beyond every coordinate; keeps the conversion defined
        double bounded = block > limit ? limit : block >= -limit ? block : -limit;
        coordinate[a] = dr_grid_wrap(grid, a, (int64_t)bounded);
        offset[a] = dr_grid_inside(cells - DR_BLOCK_SIDE * block);
    }
    *key = dr_grid_key(coordinate);
}

float dr_grid_inside(double offset)
{
    float inside = (float)offset;
    if (!(inside >= 0.0F)) return 0.0F;
    return inside < (float)DR_BLOCK_SIDE ? inside : nextafterf((float)DR_BLOCK_SIDE, 0.0F);
}

void dr_grid_position(const dr_grid *grid, uint64_t key, const float offset[3], double position[3])
{
    int32_t coordinate[3];
    dr_grid_coordinate(key, coordinate);
    for (int a = 0; a < 3; a++) {
        double cells = (double)DR_BLOCK_SIDE * coordinate[a] + (double)offset[a] + grid->shift;
        position[a] = grid->origin[a] + grid->cell * cells;
    }
}

// ---- memory

bool dr_grid_open(dr_grid *grid, const dr_allocator *allocator, double cell, const double origin[3], double shift,
                  const int32_t period[3])
{
    *grid = (dr_grid){.allocator = allocator, .cell = cell, .shift = shift};
    for (int a = 0; a < 3; a++) {
        assert(period[a] == 0 || period[a] == 1 || (period[a] > 0 && period[a] % 2 == 0 && period[a] < DR_GRID_REACH));
        grid->origin[a] = origin[a];
        grid->period[a] = period[a];
    }
    grid->more = dr_memory_alloc(allocator, sizeof *grid->more);
    return grid->more != NULL;
}

// Every array by block: address of its pointer and bytes per block.
typedef struct block_array {
    void **data;
    size_t bytes;
} block_array;

enum { BLOCK_ARRAYS = 8 };

static void list_arrays(dr_grid *grid, block_array list[BLOCK_ARRAYS])
{
    struct dr_grid_private *more = grid->more;
    const block_array arrays[BLOCK_ARRAYS] = {
        {(void **)&grid->key, sizeof *grid->key},
        {(void **)&grid->coordinate, 3 * sizeof *grid->coordinate},
        {(void **)&grid->neighbour, 27 * sizeof *grid->neighbour},
        {(void **)&grid->first, sizeof *grid->first},
        {(void **)&grid->colour_block, sizeof *grid->colour_block},
        {(void **)&more->item, sizeof *more->item},
        {(void **)&more->item_spare, sizeof *more->item_spare},
        {(void **)&more->rank, sizeof *more->rank},
    };
    memcpy(list, arrays, sizeof arrays);
}

static void free_blocks(dr_grid *grid)
{
    block_array list[BLOCK_ARRAYS];
    list_arrays(grid, list);
    for (int i = 0; i < BLOCK_ARRAYS; i++) {
        dr_memory_free(grid->allocator, *list[i].data, grid->more->capacity * list[i].bytes);
        *list[i].data = NULL;
    }
    grid->more->capacity = 0;
}

// Old contents are not kept. One more than asked for: `first` has an end.
static bool reserve_blocks(dr_grid *grid, size_t count)
{
    if (count < grid->more->capacity) return true;
    size_t capacity = count + count / 2 + 1;
    block_array list[BLOCK_ARRAYS];
    list_arrays(grid, list);
    free_blocks(grid);
    grid->more->capacity = capacity;
    for (int i = 0; i < BLOCK_ARRAYS; i++) {
        *list[i].data = dr_memory_alloc(grid->allocator, capacity * list[i].bytes);
        if (!*list[i].data) {
            free_blocks(grid);
            return false;
        }
    }
    return true;
}

void dr_grid_close(dr_grid *grid)
{
    if (grid->more) {
        free_blocks(grid);
        dr_lookup_free(&grid->more->lookup, grid->allocator);
        dr_order_free(&grid->more->order, grid->allocator);
        dr_memory_free(grid->allocator, grid->more, sizeof *grid->more);
    }
    *grid = (dr_grid){0};
}

size_t dr_grid_bytes(const dr_grid *grid)
{
    const struct dr_grid_private *more = grid->more;
    size_t per_block = sizeof *grid->key + 30 * sizeof(int32_t) + 3 * sizeof(uint32_t) + 2 * sizeof(dr_sort_item);
    return sizeof *more + more->lookup.slot_count * sizeof *more->lookup.slots + dr_order_bytes(&more->order) +
           more->capacity * per_block;
}

size_t dr_grid_sort_bytes(const dr_grid *grid)
{
    return dr_order_bytes(&grid->more->order);
}

// ---- rebuild

static bool neighbour_key(const dr_grid *grid, const int32_t *from, int dx, int dy, int dz, uint64_t *key)
{
    const int step[3] = {dx, dy, dz};
    int32_t to[3];
    for (int a = 0; a < 3; a++) {
        to[a] = from[a] + step[a];
        if (grid->period[a] > 0) to[a] = dr_grid_wrap(grid, a, to[a]);
        if (to[a] < -DR_GRID_REACH || to[a] >= DR_GRID_REACH) return false;
    }
    *key = dr_grid_key(to);
    return true;
}

// Adds the 7 upper neighbours, or all 26, of every block that holds particles. The blocks with particles are the first
// `occupied` of the lookup.
static bool add_neighbours(dr_grid *grid, const dr_sort_item *occupied, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int32_t coordinate[3];
        dr_grid_coordinate(occupied[i].key, coordinate);
        for (int n = 0; n < 27; n++) {
            int x = n / 9 - 1, y = n / 3 % 3 - 1, z = n % 3 - 1;
            uint64_t key;
            if (!grid->padded && (x < 0 || y < 0 || z < 0)) continue;
            if (!neighbour_key(grid, coordinate, x, y, z, &key)) continue;
            if (dr_lookup_add(&grid->more->lookup, grid->allocator, key) < 0) return false;
        }
    }
    return true;
}

static void list_items(const dr_lookup *lookup, dr_sort_item *items)
{
    for (size_t s = 0; s < lookup->slot_count; s++) {
        const dr_lookup_slot *slot = &lookup->slots[s];
        if (slot->key != DR_LOOKUP_EMPTY) items[slot->value] = (dr_sort_item){slot->key, (uint32_t)slot->value};
    }
}

static bool find_blocks(dr_grid *grid)
{
    struct dr_grid_private *more = grid->more;
    size_t occupied = (size_t)more->lookup.count;
    if (!reserve_blocks(grid, occupied)) return false;
    list_items(&more->lookup, more->item);
    if (!add_neighbours(grid, more->item, occupied)) return false;
    size_t count = (size_t)more->lookup.count;
    if (!reserve_blocks(grid, count)) return false;
    list_items(&more->lookup, more->item);
    dr_sort_items(more->item, more->item_spare, count);
    grid->block_count = count;
    return true;
}

static void number_blocks(dr_grid *grid, size_t occupied)
{
    struct dr_grid_private *more = grid->more;
    uint32_t sum = 0;
    for (size_t b = 0; b < grid->block_count; b++) {
        uint32_t number = more->item[b].value;
        more->rank[number] = (uint32_t)b;
        grid->key[b] = more->item[b].key;
        dr_grid_coordinate(grid->key[b], grid->coordinate + 3 * b);
        grid->first[b] = sum;
        sum += number < occupied ? more->order.block_count[number] : 0;
    }
    grid->first[grid->block_count] = sum;
    dr_lookup_renumber(&more->lookup, more->rank);
}

static int colour_of(const int32_t *coordinate)
{
    return (coordinate[0] & 1) << 2 | (coordinate[1] & 1) << 1 | (coordinate[2] & 1);
}

static void colour_blocks(dr_grid *grid)
{
    size_t count[8] = {0};
    for (size_t b = 0; b < grid->block_count; b++) {
        if (grid->first[b + 1] > grid->first[b]) count[colour_of(grid->coordinate + 3 * b)]++;
    }
    grid->colour_first[0] = 0;
    for (int c = 0; c < 8; c++) grid->colour_first[c + 1] = grid->colour_first[c] + count[c];
    size_t place[8];
    memcpy(place, grid->colour_first, sizeof place);
    for (size_t b = 0; b < grid->block_count; b++) {
        if (grid->first[b + 1] == grid->first[b]) continue;
        grid->colour_block[place[colour_of(grid->coordinate + 3 * b)]++] = (uint32_t)b;
    }
}

static void find_neighbours(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_grid *grid = user;
    for (size_t b = begin; b < end; b++) {
        int32_t *neighbour = grid->neighbour + 27 * b;
        for (int n = 0; n < 27; n++) {
            uint64_t key;
            bool there = neighbour_key(grid, grid->coordinate + 3 * b, n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1, &key);
            neighbour[n] = there ? dr_lookup_find(&grid->more->lookup, key) : -1;
        }
    }
}

static bool add_company(dr_grid *grid, const dr_particles *company)
{
    for (size_t p = 0; p < company->count; p++) {
        if (p > 0 && company->key[p] == company->key[p - 1]) continue;
        if (dr_lookup_add(&grid->more->lookup, grid->allocator, company->key[p]) < 0) return false;
    }
    return true;
}

bool dr_grid_rebuild(dr_grid *grid, const dr_par *par, dr_particles *particles)
{
    return dr_grid_rebuild_with(grid, par, particles, NULL);
}

bool dr_grid_rebuild_with(dr_grid *grid, const dr_par *par, dr_particles *particles, const dr_particles *company)
{
    struct dr_grid_private *more = grid->more;
    grid->block_count = 0;
    memset(grid->colour_first, 0, sizeof grid->colour_first);
    dr_lookup_clear(&more->lookup);
    if (!dr_order_tally(&more->order, grid->allocator, par, particles, &more->lookup)) return false;
    size_t occupied = (size_t)more->lookup.count;
    if (company && !add_company(grid, company)) return false;
    if (!find_blocks(grid)) return false;
    number_blocks(grid, occupied);
    colour_blocks(grid);
    dr_par_for(par, grid->block_count, 256, find_neighbours, grid);
    if (particles->count == 0) return true;
    dr_order_permute(&more->order, par, particles, more->rank, grid->first, grid->key, grid->block_count);
    return true;
}

bool dr_grid_from_blocks(dr_grid *grid, const dr_par *par, const int32_t (*coordinate)[3], size_t count)
{
    struct dr_grid_private *more = grid->more;
    grid->block_count = 0;
    memset(grid->colour_first, 0, sizeof grid->colour_first);
    dr_lookup_clear(&more->lookup);
    for (size_t b = 0; b < count; b++) {
        uint64_t key;
        if (!neighbour_key(grid, coordinate[b], 0, 0, 0, &key)) continue;
        if (dr_lookup_add(&more->lookup, grid->allocator, key) < 0) return false;
    }
    size_t blocks = (size_t)more->lookup.count;
    if (!reserve_blocks(grid, blocks)) return false;
    list_items(&more->lookup, more->item);
    dr_sort_items(more->item, more->item_spare, blocks);
    grid->block_count = blocks;
    number_blocks(grid, 0);
    dr_par_for(par, grid->block_count, 256, find_neighbours, grid);
    return true;
}

int32_t dr_grid_find(const dr_grid *grid, const int32_t coordinate[3])
{
    uint64_t key;
    if (grid->block_count == 0 || !neighbour_key(grid, coordinate, 0, 0, 0, &key)) return -1;
    return dr_lookup_find(&grid->more->lookup, key);
}
