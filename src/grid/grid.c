// Morton keys, places, and the blocks that particles touch. docs/theory/grid.md.
#include "grid/grid.h"

#include "grid/lookup.h"
#include "grid/order.h"
#include "math/transpose.h"
#include "par/sort.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct dr_grid_private {
    dr_lookup lookup;
    dr_sort_item *item, *item_spare; // [block]
    uint32_t *rank;                  // [block as numbered by the lookup] its place in the sorted list
    size_t capacity;                 // of every array by block
    size_t known;                    // blocks whose keys and neighbours stand in the grid
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
        double cells = (position[a] - grid->origin[a]) / grid->cell - DR_GRID_SHIFT;
        double block = floor(cells / DR_BLOCK_SIDE);
        double limit = 4.0 * DR_GRID_REACH; // beyond every coordinate; keeps the conversion defined
        double bounded = block > limit ? limit : block >= -limit ? block : -limit;
        coordinate[a] = dr_grid_wrap(grid, a, (int64_t)bounded);
        offset[a] = dr_grid_inside(cells - DR_BLOCK_SIDE * block);
    }
    *key = dr_grid_key(coordinate);
}

// Neighbours in a list are mostly neighbours in space: the key of the block before is looked at first.
void dr_grid_place_many(const dr_grid *grid, const double *position, size_t count, uint64_t *key, float *offset)
{
    const dr_double4 origin = dr_double4_load3(grid->origin), cell = dr_double4_all(grid->cell);
    const dr_float4 highest = dr_float4_all(nextafterf((float)DR_BLOCK_SIDE, 0.0F));
    dr_double4 low = dr_double4_all(NAN), high = low; // where the block before begins and ends, in cells
    for (size_t p = 0; p < count; p++) {
        dr_double4 x = dr_double4_load3(position + 3 * p);
        dr_double4 cells = (x - origin) / cell - dr_double4_all(DR_GRID_SHIFT);
        if (dr_int4_every3(__builtin_convertvector((cells >= low) & (cells < high), dr_int4))) {
            dr_float4 inside = dr_double4_narrow(cells - low);
            key[p] = key[p - 1];
            dr_float4_store3(offset + 3 * p, dr_float4_select(inside < highest, inside, highest));
        } else {
            dr_grid_place(grid, position + 3 * p, key + p, offset + 3 * p);
            for (int a = 0; a < 3; a++) low[a] = DR_BLOCK_SIDE * floor(cells[a] / DR_BLOCK_SIDE);
            high = low + dr_double4_all(DR_BLOCK_SIDE);
        }
    }
}

float dr_grid_inside(double offset)
{
    float inside = (float)offset;
    if (!(inside >= 0.0F)) return 0.0F;
    return inside < (float)DR_BLOCK_SIDE ? inside : nextafterf((float)DR_BLOCK_SIDE, 0.0F);
}

static void find_position(const dr_grid *grid, const int32_t coordinate[3], const float offset[3], double position[3])
{
    for (int a = 0; a < 3; a++) {
        double cells = (double)DR_BLOCK_SIDE * coordinate[a] + (double)offset[a] + DR_GRID_SHIFT;
        position[a] = grid->origin[a] + grid->cell * cells;
    }
}

void dr_grid_position(const dr_grid *grid, uint64_t key, const float offset[3], double position[3])
{
    int32_t coordinate[3];
    dr_grid_coordinate(key, coordinate);
    find_position(grid, coordinate, offset, position);
}

// Most points are in the block of the one before.
void dr_grid_position_many(const dr_grid *grid, const uint64_t *key, const float *offset, size_t count,
                           double (*position)[3])
{
    int32_t coordinate[3] = {0};
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || key[i] != key[i - 1]) dr_grid_coordinate(key[i], coordinate);
        find_position(grid, coordinate, offset + 3 * i, position[i]);
    }
}

// ---- memory

bool dr_grid_open(dr_grid *grid, const dr_allocator *allocator, double cell, const double origin[3],
                  const int32_t period[3])
{
    *grid = (dr_grid){.allocator = allocator, .cell = cell};
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

enum { BLOCK_ARRAYS = 7 };

static void list_arrays(dr_grid *grid, block_array list[BLOCK_ARRAYS])
{
    struct dr_grid_private *more = grid->more;
    const block_array arrays[BLOCK_ARRAYS] = {
        {(void **)&grid->key, sizeof *grid->key},
        {(void **)&grid->coordinate, 3 * sizeof *grid->coordinate},
        {(void **)&grid->neighbour, 27 * sizeof *grid->neighbour},
        {(void **)&grid->tile_first, sizeof *grid->tile_first},
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
    grid->more->capacity = grid->more->known = 0;
}

// Old contents are not kept.
static bool reserve_blocks(dr_grid *grid, size_t count)
{
    if (count < grid->more->capacity) return true;
    size_t capacity = count + count / 8 + 1;
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
        dr_memory_free(grid->allocator, grid->more, sizeof *grid->more);
    }
    *grid = (dr_grid){0};
}

size_t dr_grid_bytes(const dr_grid *grid)
{
    const struct dr_grid_private *more = grid->more;
    size_t per_block = sizeof *grid->key + 30 * sizeof(int32_t) + 2 * sizeof(uint32_t) + 2 * sizeof(dr_sort_item);
    return sizeof *more + more->lookup.slot_count * sizeof *more->lookup.slots + more->capacity * per_block;
}

// ---- build

// false: the grid does not reach so far.
static bool block_key(const dr_grid *grid, const int32_t *at, uint64_t *key)
{
    int32_t to[3];
    for (int a = 0; a < 3; a++) {
        to[a] = grid->period[a] > 0 ? dr_grid_wrap(grid, a, at[a]) : at[a];
        if (to[a] < -DR_GRID_REACH || to[a] >= DR_GRID_REACH) return false;
    }
    *key = dr_grid_key(to);
    return true;
}

// Of a coordinate and those beside it the bits of the key; false in `there`: the grid does not reach so far.
typedef struct beside {
    uint64_t bits[3][3]; // [axis][step + 1]
    bool there[3][3];
} beside;

static beside look_beside(const dr_grid *grid, const int32_t *from)
{
    beside out;
    for (int a = 0; a < 3; a++) {
        for (int step = -1; step <= 1; step++) {
            int32_t to = from[a] + step;
            if (grid->period[a] > 0) to = dr_grid_wrap(grid, a, to);
            out.there[a][step + 1] = to >= -DR_GRID_REACH && to < DR_GRID_REACH;
            out.bits[a][step + 1] = spread((uint64_t)(to + DR_GRID_REACH)) << (2 - a);
        }
    }
    return out;
}

// What blocks are made of.
typedef struct building {
    dr_grid *grid;
    const dr_point_set *sets;
    int count;
} building;

static dr_residents *residents_of(const dr_point_set *set)
{
    return set->particles ? &set->particles->residents : &set->points->residents;
}

static size_t count_of(const dr_point_set *set)
{
    return set->particles ? set->particles->count : set->points->count;
}

static bool wants_padding(const building *job, size_t number)
{
    bool padded = job->grid->padded;
    for (int i = 0; i < job->count && !padded; i++)
        padded = job->sets[i].padded && dr_order_count(residents_of(&job->sets[i])->order, number) > 0;
    return padded;
}

static bool all_padded(const building *job)
{
    bool all = true;
    for (int i = 0; i < job->count && !job->grid->padded; i++)
        all = all && (job->sets[i].padded || count_of(&job->sets[i]) == 0);
    return all;
}

static void list_items(const dr_lookup *lookup, dr_sort_item *items)
{
    for (size_t s = 0; s < lookup->slot_count; s++) {
        const dr_lookup_slot *slot = &lookup->slots[s];
        if (slot->key != DR_LOOKUP_EMPTY) items[slot->value] = (dr_sort_item){slot->key, (uint32_t)slot->value};
    }
}

// Items stand in the order of the lookup until they are sorted.
static bool add_block(dr_grid *grid, uint64_t key)
{
    struct dr_grid_private *more = grid->more;
    int32_t count = more->lookup.count, block = dr_lookup_add(&more->lookup, grid->allocator, key);
    if (block < count) return block >= 0;
    if ((size_t)block + 1 < more->capacity) {
        more->item[block] = (dr_sort_item){key, (uint32_t)block};
        return true;
    }
    if (!reserve_blocks(grid, (size_t)block + 1)) return false;
    list_items(&more->lookup, more->item);
    return true;
}

#define AXIS_BITS UINT64_C(0x1249249249249249) // of a key, of its last axis

// Of the block a step, 1 or -1, along an axis; false: the grid does not reach so far.
static bool find_beside(const dr_grid *grid, uint64_t key, int axis, int step, uint64_t *beside)
{
    uint64_t mask = AXIS_BITS << (2 - axis), own = key & mask;
    if (grid->period[axis] > 0) {
        int32_t to = dr_grid_wrap(grid, axis, (int64_t)gather(own >> (2 - axis)) - DR_GRID_REACH + step);
        own = spread((uint64_t)(to + DR_GRID_REACH)) << (2 - axis);
    } else {
        if (own == (step > 0 ? mask : 0)) return false;
        own = (step > 0 ? (own | ~mask) + 1 : own - 1) & mask;
    }
    *beside = (key & ~mask) | own;
    return true;
}

#define AHEAD 8 // blocks whose neighbours are fetched ahead

// Adds what is a step along an axis from the blocks that there are.
static bool add_along(dr_grid *grid, int axis, int step, size_t count)
{
    struct dr_grid_private *more = grid->more;
    for (size_t i = 0; i < count; i++) {
        uint64_t key;
        if (i + AHEAD < count && find_beside(grid, more->item[i + AHEAD].key, axis, step, &key))
            dr_lookup_fetch(&more->lookup, key);
        if (find_beside(grid, more->item[i].key, axis, step, &key) && !add_block(grid, key)) return false;
    }
    return true;
}

static bool add_all_beside(dr_grid *grid, uint64_t own)
{
    int32_t coordinate[3];
    dr_grid_coordinate(own, coordinate);
    beside at = look_beside(grid, coordinate);
    for (int n = 0; n < 27; n++) {
        int x = n / 9, y = n / 3 % 3, z = n % 3;
        if (!at.there[0][x] || !at.there[1][y] || !at.there[2][z]) continue;
        if (!add_block(grid, at.bits[0][x] | at.bits[1][y] | at.bits[2][z])) return false;
    }
    return true;
}

// Adds the 7 upper neighbours, or all 26, of every block that holds points, axis after axis: of those that are there
// then the neighbours along the next. The blocks with points are the first `count` of the lookup.
static bool add_neighbours(const building *job, size_t count)
{
    dr_grid *grid = job->grid;
    bool padded = all_padded(job);
    for (int a = 0; a < 3; a++) {
        size_t there = (size_t)grid->more->lookup.count;
        if (!add_along(grid, a, 1, there) || (padded && !add_along(grid, a, -1, there))) return false;
    }
    for (size_t i = 0; i < count && !padded; i++) {
        if (wants_padding(job, i) && !add_all_beside(grid, grid->more->item[i].key)) return false;
    }
    return true;
}

static void sort_blocks(dr_grid *grid)
{
    struct dr_grid_private *more = grid->more;
    grid->block_count = (size_t)more->lookup.count;
    dr_sort_items(more->item, more->item_spare, grid->block_count);
}

static bool list_blocks(dr_grid *grid)
{
    if (!reserve_blocks(grid, (size_t)grid->more->lookup.count)) return false;
    list_items(&grid->more->lookup, grid->more->item);
    return true;
}

static bool find_blocks(const building *job)
{
    size_t occupied = (size_t)job->grid->more->lookup.count;
    if (!list_blocks(job->grid) || !add_neighbours(job, occupied)) return false;
    sort_blocks(job->grid);
    return true;
}

// The block itself and those after it in the table of 27; what it finds finds it at the opposite place.
static void find_neighbours(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_grid *grid = user;
    for (size_t b = begin; b < end; b++) {
        beside at = look_beside(grid, grid->coordinate + 3 * b);
        grid->neighbour[27 * b + 13] = (int32_t)b;
        for (int n = 14; n < 27; n++) {
            int x = n / 9, y = n / 3 % 3, z = n % 3;
            bool there = at.there[0][x] && at.there[1][y] && at.there[2][z];
            uint64_t key = at.bits[0][x] | at.bits[1][y] | at.bits[2][z];
            int32_t found = there ? dr_lookup_find(&grid->more->lookup, key) : -1;
            grid->neighbour[27 * b + (size_t)n] = found;
            if (found >= 0) grid->neighbour[27 * (size_t)found + (size_t)(26 - n)] = (int32_t)b;
        }
    }
}

static void forget_neighbours(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_grid *grid = user;
    for (size_t b = begin; b < end; b++) {
        for (size_t n = 0; n < 13; n++) grid->neighbour[27 * b + n] = -1;
    }
}

// Where the blocks are those that there were, coordinates and neighbours are too.
static bool are_known(const dr_grid *grid)
{
    const struct dr_grid_private *more = grid->more;
    if (more->known != grid->block_count) return false;
    for (size_t b = 0; b < grid->block_count; b++) {
        if (grid->key[b] != more->item[b].key) return false;
    }
    return true;
}

enum { TILE_BITS = 2 }; // of a coordinate; three times as many of a key

static void find_tiles(dr_grid *grid)
{
    grid->tile_count = 0;
    for (size_t b = 0; b < grid->block_count; b++) {
        bool first = b == 0 || grid->key[b] >> 3 * TILE_BITS != grid->key[b - 1] >> 3 * TILE_BITS;
        if (first) grid->tile_first[grid->tile_count++] = (uint32_t)b;
    }
    grid->tile_first[grid->tile_count] = (uint32_t)grid->block_count;
}

int dr_grid_tile_colour(const dr_grid *grid, size_t tile)
{
    const int32_t *at = grid->coordinate + 3 * (size_t)grid->tile_first[tile];
    return (at[0] >> TILE_BITS & 1) << 2 | (at[1] >> TILE_BITS & 1) << 1 | (at[2] >> TILE_BITS & 1);
}

bool dr_grid_tiles(const dr_grid *grid)
{
    for (int a = 0; a < 3; a++) {
        int32_t tiles = (grid->period[a] + (1 << TILE_BITS) - 1) >> TILE_BITS;
        if (tiles > 1 && tiles % 2 == 1) return false;
    }
    return true;
}

static void rank_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_grid *grid = user;
    for (size_t b = begin; b < end; b++) grid->more->rank[grid->more->item[b].value] = (uint32_t)b;
}

static void write_keys(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_grid *grid = user;
    for (size_t b = begin; b < end; b++) {
        grid->key[b] = grid->more->item[b].key;
        dr_grid_coordinate(grid->key[b], grid->coordinate + 3 * b);
    }
}

static void number_blocks(dr_grid *grid, const dr_par *par)
{
    struct dr_grid_private *more = grid->more;
    bool known = are_known(grid);
    dr_par_for(par, grid->block_count, 1024, rank_blocks, grid);
    if (!known) dr_par_for(par, grid->block_count, 1024, write_keys, grid);
    if (!known) find_tiles(grid);
    dr_lookup_renumber(&more->lookup, par, more->rank);
    if (!known) dr_par_for(par, grid->block_count, 256, forget_neighbours, grid);
    if (!known) dr_par_for(par, grid->block_count, 256, find_neighbours, grid);
    more->known = grid->block_count;
}

static int colour_of(const int32_t *coordinate)
{
    return (coordinate[0] & 1) << 2 | (coordinate[1] & 1) << 1 | (coordinate[2] & 1);
}

static void colour_blocks(const dr_grid *grid, dr_residents *residents)
{
    size_t count[8] = {0}, place[8];
    const uint32_t *first = residents->first;
    for (size_t b = 0; b < grid->block_count; b++) {
        if (first[b + 1] > first[b]) count[colour_of(grid->coordinate + 3 * b)]++;
    }
    residents->colour_first[0] = 0;
    for (int c = 0; c < 8; c++) residents->colour_first[c + 1] = residents->colour_first[c] + count[c];
    memcpy(place, residents->colour_first, sizeof place);
    for (size_t b = 0; b < grid->block_count; b++) {
        if (first[b + 1] > first[b])
            residents->colour_block[place[colour_of(grid->coordinate + 3 * b)]++] = (uint32_t)b;
    }
}

// The first points of blocks; blocks are numbered by the lookup as the tally saw them.
static void count_residents(const dr_grid *grid, dr_residents *residents)
{
    uint32_t sum = 0;
    for (size_t b = 0; b < grid->block_count; b++) {
        residents->first[b] = sum;
        sum += dr_order_count(residents->order, grid->more->item[b].value);
    }
    residents->first[grid->block_count] = sum;
}

typedef struct touching {
    const dr_grid *grid;
    dr_residents *residents;
    bool padded;
} touching;

static void touch_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    static const int lower[8] = {13, 12, 10, 9, 4, 3, 1, 0}; // the block itself and those below it
    const touching *job = user;
    const uint32_t *first = job->residents->first;
    for (size_t b = begin; b < end; b++) {
        const int32_t *neighbour = job->grid->neighbour + 27 * b;
        uint8_t touched = 0;
        for (int i = 0; i < (job->padded ? 27 : 8) && !touched; i++) {
            int32_t from = neighbour[job->padded ? i : lower[i]];
            touched = from >= 0 && first[from + 1] > first[from];
        }
        job->residents->touched[b] = touched;
    }
}

static void count_sets(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const building *job = user;
    for (size_t i = begin; i < end; i++) {
        count_residents(job->grid, residents_of(&job->sets[i]));
        colour_blocks(job->grid, residents_of(&job->sets[i]));
    }
}

static void settle_set(const building *job, const dr_par *par, const dr_point_set *set)
{
    const dr_grid *grid = job->grid;
    dr_residents *residents = residents_of(set);
    touching touch = {grid, residents, set->padded || grid->padded};
    dr_par_for(par, grid->block_count, 256, touch_blocks, &touch);
    residents->index = NULL;
    if (count_of(set) == 0) return;
    dr_order_place(residents->order, par, count_of(set), grid->more->rank, residents->first);
    if (set->particles) {
        dr_order_permute(residents->order, par, set->particles, residents->first, grid->key, grid->block_count);
    } else {
        residents->index = residents->order->source;
    }
}

static bool tally_set(const building *job, const dr_par *par, const dr_point_set *set)
{
    const dr_allocator *allocator = job->grid->allocator;
    dr_residents *residents = residents_of(set);
    if (!residents->order) residents->order = dr_memory_alloc(allocator, sizeof *residents->order);
    if (!residents->order) return false;
    const dr_order_points points = {.key = set->particles ? set->particles->key : set->points->key,
                                    .count = count_of(set),
                                    .six = set->particles && set->particles->elastic,
                                    .spare = set->particles ? set->particles->capacity : 0};
    return dr_order_tally(residents->order, allocator, par, &points, &job->grid->more->lookup);
}

static void begin(dr_grid *grid, const dr_par *par)
{
    grid->block_count = 0;
    dr_lookup_clear(&grid->more->lookup, par);
}

bool dr_grid_build(dr_grid *grid, const dr_par *par, const dr_point_set *sets, int count)
{
    building job = {grid, sets, count};
    begin(grid, par);
    for (int i = 0; i < count; i++)
        memset(residents_of(&sets[i])->colour_first, 0, sizeof residents_of(&sets[i])->colour_first);
    for (int i = 0; i < count; i++) {
        if (!tally_set(&job, par, &sets[i])) return false;
    }
    bool ok = find_blocks(&job);
    for (int i = 0; i < count && ok; i++)
        ok = dr_residents_reserve(residents_of(&sets[i]), grid->allocator, grid->block_count);
    if (!ok) {
        begin(grid, par);
        return false;
    }
    number_blocks(grid, par);
    dr_par_for(par, (size_t)count, 1, count_sets, &job);
    for (int i = 0; i < count; i++) settle_set(&job, par, &sets[i]);
    return true;
}

bool dr_grid_rebuild(dr_grid *grid, const dr_par *par, dr_particles *particles)
{
    return dr_grid_build(grid, par, &(dr_point_set){.particles = particles}, 1);
}

bool dr_grid_from_blocks(dr_grid *grid, const dr_par *par, const int32_t (*coordinate)[3], size_t count)
{
    begin(grid, par);
    for (size_t b = 0; b < count; b++) {
        uint64_t key;
        if (!block_key(grid, coordinate[b], &key)) continue;
        if (dr_lookup_add(&grid->more->lookup, grid->allocator, key) < 0) return false;
    }
    if (!list_blocks(grid)) return false;
    sort_blocks(grid);
    number_blocks(grid, par);
    return true;
}

typedef struct placing {
    const dr_grid *grid;
    const double *position;
    dr_points *points;
} placing;

static void place_points(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const placing *job = user;
    dr_grid_place_many(job->grid, job->position + 3 * begin, end - begin, job->points->key + begin,
                       job->points->offset + 3 * begin);
}

bool dr_grid_place_points(const dr_grid *grid, const dr_par *par, const double *position, size_t count,
                          dr_points *points)
{
    if (!dr_points_reserve(points, grid->allocator, count)) return false;
    points->count = count;
    placing job = {grid, position, points};
    dr_par_for(par, count, 1024, place_points, &job);
    return true;
}

int32_t dr_grid_find(const dr_grid *grid, const int32_t coordinate[3])
{
    uint64_t key;
    if (grid->block_count == 0 || !block_key(grid, coordinate, &key)) return -1;
    return dr_lookup_find(&grid->more->lookup, key);
}
