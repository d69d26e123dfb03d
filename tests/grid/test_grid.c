#include "cloud.h"

#include "base/hash.h"

#include <string.h>

static const double origin[3] = {0.3, -1.7, 12.0};
static const int32_t open_sides[3] = {0, 0, 0};
static const dr_par one_thread = {1};

static void test_keys_carry_coordinates_both_ways(void **state)
{
    (void)state;
    const int32_t edge[] = {-DR_GRID_REACH, -DR_GRID_REACH + 1, -1, 0, 1, 12345, DR_GRID_REACH - 1};
    for (int i = 0; i < 7 * 7 * 7; i++) {
        int32_t from[3] = {edge[i % 7], edge[i / 7 % 7], edge[i / 49]}, to[3];
        dr_grid_coordinate(dr_grid_key(from), to);
        assert_memory_equal(from, to, sizeof from);
    }
}

static void test_keys_follow_the_morton_curve(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        int32_t at[3] = {i >> 2, i >> 1 & 1, i & 1}, zero[3] = {0, 0, 0};
        assert_int_equal(dr_grid_key(at), dr_grid_key(zero) + (uint64_t)i);
    }
}

static void test_place_and_position_agree(void **state)
{
    (void)state;
    dr_grid grid;
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    dice d = {1};
    for (int i = 0; i < 1000; i++) {
        double span = i < 500 ? 10.0 : 9e5, from[3], to[3];
        for (int a = 0; a < 3; a++) from[a] = roll(&d, -span, span);
        uint64_t key;
        float offset[3];
        dr_grid_place(&grid, from, &key, offset);
        dr_grid_position(&grid, key, offset, to);
        for (int a = 0; a < 3; a++) {
            assert_true(offset[a] >= 0.0F && offset[a] < 4.0F);
            assert_true(fabs(from[a] - to[a]) < 0.25 * 4e-7);
        }
    }
    dr_grid_close(&grid);
}

static void test_positions_of_many_are_those_of_each(void **state)
{
    (void)state;
    enum { COUNT = 60 };
    dr_grid grid;
    uint64_t key[COUNT];
    float offset[3 * COUNT];
    double from[3], one[3], many[COUNT][3];
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    dice d = {3};
    for (size_t i = 0; i < COUNT; i++) {
        for (int a = 0; a < 3; a++) from[a] = origin[a] + roll(&d, -1.0, 1.0) + (double)(i / 5);
        dr_grid_place(&grid, from, &key[i], offset + 3 * i);
    }
    dr_grid_position_many(&grid, key, offset, COUNT, many);
    for (size_t i = 0; i < COUNT; i++) {
        dr_grid_position(&grid, key[i], offset + 3 * i, one);
        assert_memory_equal(one, many[i], sizeof one);
    }
    dr_grid_close(&grid);
}

static void test_places_beyond_reach_stay_valid(void **state)
{
    (void)state;
    dr_grid grid;
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    const double far[3] = {1e30, -1e30, (double)NAN};
    uint64_t key;
    float offset[3];
    int32_t at[3];
    dr_grid_place(&grid, far, &key, offset);
    dr_grid_coordinate(key, at);
    assert_int_equal(at[0], DR_GRID_REACH - 2);
    assert_int_equal(at[1], -DR_GRID_REACH);
    for (int a = 0; a < 3; a++) assert_true(offset[a] >= 0.0F && offset[a] < 4.0F);
    dr_grid_close(&grid);
}

static void check_topology(const dr_grid *grid, const dr_particles *particles)
{
    const uint32_t *first = particles->residents.first;
    for (size_t b = 0; b < grid->block_count; b++) {
        const int32_t *at = grid->coordinate + 3 * b;
        assert_true(b == 0 || grid->key[b - 1] < grid->key[b]);
        assert_int_equal(grid->key[b], dr_grid_key(at));
        assert_int_equal(dr_grid_find(grid, at), b);
        for (int n = 0; n < 27; n++) {
            int32_t to[3] = {at[0] + n / 9 - 1, at[1] + n / 3 % 3 - 1, at[2] + n % 3 - 1};
            assert_int_equal(grid->neighbour[27 * b + (size_t)n], dr_grid_find(grid, to));
            bool above = n / 9 >= 1 && n / 3 % 3 >= 1 && n % 3 >= 1;
            if (above && first[b] < first[b + 1]) assert_true(grid->neighbour[27 * b + (size_t)n] >= 0);
        }
        for (size_t p = first[b]; p < first[b + 1]; p++) assert_int_equal(particles->key[p], grid->key[b]);
    }
    assert_int_equal(first[grid->block_count], particles->count);
}

static void check_colours(const dr_grid *grid, const dr_residents *residents)
{
    size_t occupied = 0;
    for (size_t b = 0; b < grid->block_count; b++) occupied += residents->first[b] < residents->first[b + 1];
    assert_int_equal(residents->colour_first[8], occupied);
    int32_t *owner = malloc(grid->block_count * sizeof *owner + 1);
    for (int c = 0; c < 8; c++) {
        memset(owner, -1, grid->block_count * sizeof *owner);
        for (size_t n = residents->colour_first[c]; n < residents->colour_first[c + 1]; n++) {
            int32_t block = (int32_t)residents->colour_block[n];
            for (int u = 0; u < 8; u++) {
                int32_t to = grid->neighbour[27 * block + 13 + 9 * (u >> 2) + 3 * (u >> 1 & 1) + (u & 1)];
                assert_true(owner[to] == -1 || owner[to] == block);
                owner[to] = block;
            }
        }
    }
    free(owner);
}

// Blocks of two tiles of one colour share no upper neighbour, and every block is in one tile.
static void check_tiles(const dr_grid *grid)
{
    int32_t *owner = malloc(grid->block_count * sizeof *owner + 1);
    assert_int_equal(grid->tile_first[grid->tile_count], grid->block_count);
    for (int c = 0; c < 8; c++) {
        memset(owner, -1, grid->block_count * sizeof *owner);
        for (size_t t = 0; t < grid->tile_count; t++) {
            assert_true(grid->tile_first[t] < grid->tile_first[t + 1]);
            for (size_t b = grid->tile_first[t]; b < grid->tile_first[t + 1]; b++) {
                for (int u = 0; u < 8 && dr_grid_tile_colour(grid, t) == c; u++) {
                    int32_t to = grid->neighbour[27 * b + 13 + (size_t)(9 * (u >> 2) + 3 * (u >> 1 & 1) + (u & 1))];
                    if (to < 0) continue;
                    assert_true(owner[to] == -1 || owner[to] == (int32_t)t);
                    owner[to] = (int32_t)t;
                }
            }
        }
    }
    free(owner);
}

static void test_every_block_is_found_with_its_neighbours(void **state)
{
    (void)state;
    dr_grid grid;
    dr_particles cloud;
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    make_cloud(&cloud, &grid, 20000, (double[3]){-4, -3, 8}, (double[3]){4, 5, 14}, 7);
    assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
    check_topology(&grid, &cloud);
    check_colours(&grid, &cloud.residents);
    check_tiles(&grid);
    dr_particles_free(&cloud, NULL);
    dr_grid_close(&grid);
}

static void test_scattered_particles_and_the_edge_of_reach(void **state)
{
    (void)state;
    dr_grid grid;
    dr_particles cloud;
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    double far = 1.2 * 4 * 0.25 * DR_GRID_REACH;
    make_cloud(&cloud, &grid, 9000, (double[3]){-far, -far, -far}, (double[3]){far, far, far}, 3);
    assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
    check_topology(&grid, &cloud);
    check_colours(&grid, &cloud.residents);
    dr_particles_free(&cloud, NULL);
    dr_grid_close(&grid);
}

static void test_periodic_directions_wrap(void **state)
{
    (void)state;
    const int32_t periods[][3] = {{2, 0, 4}, {1, 6, 0}, {2, 2, 2}, {1, 1, 1}};
    for (int i = 0; i < 4; i++) {
        dr_grid grid;
        dr_particles cloud;
        assert_true(dr_grid_open(&grid, NULL, 0.25, origin, periods[i]));
        make_cloud(&cloud, &grid, 5000, (double[3]){-9, -9, 2}, (double[3]){9, 9, 19}, 5);
        assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
        check_topology(&grid, &cloud);
        check_colours(&grid, &cloud.residents);
        if (dr_grid_tiles(&grid)) check_tiles(&grid);
        for (size_t b = 0; b < 3 * grid.block_count; b++) {
            if (periods[i][b % 3]) assert_in_range(grid.coordinate[b], 0, periods[i][b % 3] - 1);
        }
        dr_particles_free(&cloud, NULL);
        dr_grid_close(&grid);
    }
}

static void test_rows_stay_together_and_order_is_kept(void **state)
{
    (void)state;
    dr_grid grid;
    dr_particles cloud, before;
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    make_cloud(&cloud, &grid, 30000, (double[3]){-4, -3, 8}, (double[3]){4, 5, 14}, 7);
    make_cloud(&before, &grid, 30000, (double[3]){-4, -3, 8}, (double[3]){4, 5, 14}, 7);
    assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
    for (size_t p = 0; p < cloud.count; p++) {
        size_t q = cloud.id[p];
        assert_int_equal(cloud.key[p], before.key[q]);
        assert_memory_equal(cloud.offset + 3 * p, before.offset + 3 * q, 12);
        assert_memory_equal(cloud.velocity + 3 * p, before.velocity + 3 * q, 12);
        assert_memory_equal(cloud.affine + 9 * p, before.affine + 9 * q, 36);
        assert_memory_equal(cloud.strain + 9 * p, before.strain + 9 * q, 36);
        assert_memory_equal(cloud.mass + p, before.mass + q, 4);
        assert_memory_equal(cloud.volume + p, before.volume + q, 4);
        assert_int_equal(cloud.body[p], before.body[q]);
        if (p > 0 && cloud.key[p] == cloud.key[p - 1]) assert_true(cloud.id[p] > cloud.id[p - 1]);
    }
    dr_particles_free(&cloud, NULL);
    dr_particles_free(&before, NULL);
    dr_grid_close(&grid);
}

static void test_no_particles_make_no_blocks(void **state)
{
    (void)state;
    dr_grid grid;
    dr_particles none = {0};
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    assert_true(dr_grid_rebuild(&grid, &one_thread, &none));
    assert_int_equal(grid.block_count, 0);
    assert_int_equal(none.residents.first[0], 0);
    assert_int_equal(dr_grid_find(&grid, (int32_t[3]){0, 0, 0}), -1);
    dr_particles_free(&none, NULL);
    dr_grid_close(&grid);
}

static void test_listed_blocks_are_made_and_no_others(void **state)
{
    (void)state;
    dr_grid grid;
    const int32_t list[5][3] = {{3, 0, -2}, {0, 0, 0}, {2, 0, -2}, {0, 0, 0}, {-7, 5, 1}};
    assert_true(dr_grid_open(&grid, NULL, 1.0, origin, open_sides));
    for (int n = 0; n < 2; n++) {
        assert_true(dr_grid_from_blocks(&grid, &one_thread, list, 5));
        assert_int_equal(grid.block_count, 4);
        for (size_t b = 0; b < 4; b++) {
            assert_true(b == 0 || grid.key[b - 1] < grid.key[b]);
            assert_int_equal(dr_grid_find(&grid, grid.coordinate + 3 * b), b);
        }
        size_t low = (size_t)dr_grid_find(&grid, list[2]);
        assert_int_equal(grid.neighbour[27 * low + 22], dr_grid_find(&grid, list[0]));
        assert_int_equal(grid.neighbour[27 * low + 4], -1);
    }
    assert_true(dr_grid_from_blocks(&grid, &one_thread, NULL, 0));
    assert_int_equal(grid.block_count, 0);
    dr_grid_close(&grid);
}

static void test_blocks_do_not_depend_on_the_order_of_particles(void **state)
{
    (void)state;
    dr_grid grid, other;
    dr_particles cloud, turned;
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    assert_true(dr_grid_open(&other, NULL, 0.25, origin, open_sides));
    make_cloud(&cloud, &grid, 10000, (double[3]){-4, -3, 8}, (double[3]){4, 5, 14}, 7);
    make_cloud(&turned, &grid, 10000, (double[3]){-4, -3, 8}, (double[3]){4, 5, 14}, 7);
    for (size_t p = 0; p < 5000; p++) {
        uint64_t key = turned.key[p];
        turned.key[p] = turned.key[9999 - p];
        turned.key[9999 - p] = key;
    }
    assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
    assert_true(dr_grid_rebuild(&other, &one_thread, &turned));
    assert_int_equal(grid.block_count, other.block_count);
    assert_memory_equal(grid.key, other.key, grid.block_count * sizeof *grid.key);
    assert_memory_equal(grid.neighbour, other.neighbour, 27 * grid.block_count * sizeof *grid.neighbour);
    assert_memory_equal(cloud.residents.first, turned.residents.first, (grid.block_count + 1) * sizeof(uint32_t));
    dr_particles_free(&cloud, NULL);
    dr_particles_free(&turned, NULL);
    dr_grid_close(&grid);
    dr_grid_close(&other);
}

// Opens, fills and builds with the n-th allocation failing.
static bool build_with(scarce *memory)
{
    dr_grid grid;
    dr_particles cloud = {0};
    dice d = {4};
    bool built = false;
    if (dr_grid_open(&grid, &memory->allocator, 0.25, origin, open_sides) &&
        dr_particles_reserve(&cloud, &memory->allocator, 3000)) {
        for (size_t p = 0; p < 3000; p++) {
            double position[3] = {roll(&d, -4, 4), roll(&d, -4, 4), roll(&d, -4, 4)};
            dr_grid_place(&grid, position, &cloud.key[p], &cloud.offset[3 * p]);
            fill_particle(&cloud, p, &d);
        }
        cloud.count = 3000;
        uint64_t before = dr_columns_hash(&dr_particle_columns, &cloud, cloud.count, 0);
        built = dr_grid_rebuild(&grid, &one_thread, &cloud);
        if (!built) {
            assert_int_equal(grid.block_count, 0);
            assert_int_equal(dr_columns_hash(&dr_particle_columns, &cloud, cloud.count, 0), before);
        }
    }
    dr_particles_free(&cloud, &memory->allocator);
    dr_grid_close(&grid);
    return built;
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    bool built = false;
    for (int n = 1; !built; n++) {
        scarce memory;
        scarce_open(&memory, n);
        built = build_with(&memory);
        assert_true(built == (memory.requests < n));
        assert_int_equal(memory.out, 0);
    }
}

static void test_steady_rebuild_allocates_nothing(void **state)
{
    (void)state;
    scarce memory;
    scarce_open(&memory, 0);
    dr_grid grid;
    dr_particles cloud;
    dice d = {9};
    assert_true(dr_grid_open(&grid, &memory.allocator, 0.25, origin, open_sides));
    make_cloud(&cloud, &grid, 20000, (double[3]){-4, -3, 8}, (double[3]){4, 5, 14}, 7);
    assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
    long warm = memory.requests;
    for (int step = 0; step < 10; step++) {
        for (size_t p = 0; p < cloud.count; p++) {
            double position[3] = {roll(&d, -4, 4), roll(&d, -3, 5), roll(&d, 8, 14)};
            dr_grid_place(&grid, position, &cloud.key[p], &cloud.offset[3 * p]);
        }
        assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
        check_topology(&grid, &cloud);
    }
    assert_int_equal(memory.requests, warm);
    assert_int_equal(memory.out, dr_grid_bytes(&grid) + dr_residents_bytes(&cloud.residents) +
                                     cloud.capacity * dr_columns_row_bytes(&dr_particle_columns));
    dr_particles_free(&cloud, &memory.allocator);
    dr_grid_close(&grid);
    assert_int_equal(memory.out, 0);
}

static void test_sorting_is_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t first = 0;
    const int threads[] = {1, 2, 3, 4, 8};
    for (int t = 0; t < 5; t++) {
        dr_par par = {threads[t]};
        dr_grid grid;
        dr_particles cloud;
        assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
        make_cloud(&cloud, &grid, 100000, (double[3]){-4, -3, 8}, (double[3]){4, 5, 14}, 7);
        assert_true(dr_grid_rebuild(&grid, &par, &cloud));
        uint64_t hash = dr_columns_hash(&dr_particle_columns, &cloud, cloud.count, 0);
        if (t == 0) first = hash;
        assert_int_equal(hash, first);
        dr_particles_free(&cloud, NULL);
        dr_grid_close(&grid);
    }
}

static void test_padded_grids_have_blocks_all_around(void **state)
{
    (void)state;
    dr_grid grid;
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    grid.padded = true;
    dr_particles particles;
    const double low[3] = {0.0, 0.0, 12.0}, high[3] = {3.0, 3.0, 14.0};
    make_cloud(&particles, &grid, 200, low, high, 5);
    assert_true(dr_grid_rebuild(&grid, &one_thread, &particles));
    check_topology(&grid, &particles);
    const uint32_t *first = particles.residents.first;
    for (size_t b = 0; b < grid.block_count; b++) {
        for (size_t n = 0; n < 27 && first[b] < first[b + 1]; n++) {
            assert_true(grid.neighbour[27 * b + n] >= 0);
        }
    }
    dr_particles_free(&particles, NULL);
    dr_grid_close(&grid);
}

// ---- several sets

typedef struct crowd {
    dr_grid grid;
    dr_particles water, jelly; // apart but for a corner
    dr_points hair;            // across both
    double *position;
} crowd;

enum { WATER = 3000, JELLY = 2000, HAIR = 1500 }; // hair in more blocks than a piece of a sort has room for at first
static const double water_low[3] = {-4, -3, 8}, water_high[3] = {1, 2, 12};
static const double jelly_low[3] = {0, 1, 11}, jelly_high[3] = {5, 5, 15};

static void fill_crowd(crowd *c, const dr_allocator *allocator)
{
    dice d = {21};
    *c = (crowd){.position = calloc(3 * HAIR, sizeof(double))};
    assert_true(dr_grid_open(&c->grid, allocator, 0.25, origin, open_sides));
    make_cloud(&c->water, &c->grid, WATER, water_low, water_high, 7);
    make_cloud(&c->jelly, &c->grid, JELLY, jelly_low, jelly_high, 8);
    for (int i = 0; i < 3 * HAIR; i++) c->position[i] = roll(&d, -6.0, 16.0);
}

static bool build_crowd(crowd *c, const dr_par *par, bool padded)
{
    const dr_point_set sets[] = {
        {.particles = &c->water, .padded = padded}, {.points = &c->hair}, {.particles = &c->jelly}};
    return dr_grid_place_points(&c->grid, par, c->position, HAIR, &c->hair) && dr_grid_build(&c->grid, par, sets, 3);
}

static void close_crowd(crowd *c)
{
    dr_particles_free(&c->water, c->grid.allocator);
    dr_particles_free(&c->jelly, c->grid.allocator);
    dr_points_free(&c->hair, c->grid.allocator);
    dr_grid_close(&c->grid);
    free(c->position);
}

static bool holds(const dr_residents *residents, int32_t block)
{
    return block >= 0 && residents->first[block + 1] > residents->first[block];
}

// Whether a block holds points of the set, or is an upper neighbour of one that does; with padding, any neighbour.
static bool is_reached(const dr_grid *grid, const dr_residents *residents, size_t b, bool padded)
{
    for (int n = 0; n < 27; n++) {
        bool below = n / 9 <= 1 && n / 3 % 3 <= 1 && n % 3 <= 1;
        if ((below || padded) && holds(residents, grid->neighbour[27 * b + (size_t)n])) return true;
    }
    return false;
}

static void test_blocks_are_those_of_all_sets_together(void **state)
{
    (void)state;
    for (int padded = 0; padded < 2; padded++) {
        crowd c;
        fill_crowd(&c, NULL);
        assert_true(build_crowd(&c, &one_thread, padded));
        const dr_residents *water = &c.water.residents, *jelly = &c.jelly.residents, *hair = &c.hair.residents;
        size_t alone = 0, shared = 0;
        check_topology(&c.grid, &c.water);
        check_topology(&c.grid, &c.jelly);
        check_colours(&c.grid, water);
        check_colours(&c.grid, jelly);
        check_colours(&c.grid, hair);
        for (size_t b = 0; b < c.grid.block_count; b++) {
            bool reached[3] = {is_reached(&c.grid, water, b, padded), is_reached(&c.grid, jelly, b, false),
                               is_reached(&c.grid, hair, b, false)};
            assert_true(reached[0] || reached[1] || reached[2]);
            assert_int_equal(water->touched[b], reached[0]);
            assert_int_equal(jelly->touched[b], reached[1]);
            assert_int_equal(hair->touched[b], reached[2]);
            alone += reached[0] && !reached[1];
            shared += reached[0] && reached[1];
        }
        assert_true(alone > 0 && shared > 0);
        close_crowd(&c);
    }
}

static void test_points_keep_their_order_and_are_listed_by_block(void **state)
{
    (void)state;
    crowd c;
    bool seen[HAIR] = {false};
    fill_crowd(&c, NULL);
    assert_true(build_crowd(&c, &one_thread, false));
    const dr_residents *hair = &c.hair.residents;
    assert_int_equal(hair->first[c.grid.block_count], HAIR);
    for (size_t p = 0; p < HAIR; p++) {
        uint64_t key;
        float offset[3];
        dr_grid_place(&c.grid, c.position + 3 * p, &key, offset);
        assert_int_equal(c.hair.key[p], key);
        assert_memory_equal(c.hair.offset + 3 * p, offset, sizeof offset);
    }
    for (size_t b = 0; b < c.grid.block_count; b++) {
        for (size_t i = hair->first[b]; i < hair->first[b + 1]; i++) {
            size_t p = dr_residents_point(hair, i);
            assert_int_equal(c.hair.key[p], c.grid.key[b]);
            assert_true(i == hair->first[b] || dr_residents_point(hair, i - 1) < p);
            assert_false(seen[p]);
            seen[p] = true;
        }
    }
    close_crowd(&c);
}

static uint64_t hash_crowd(const crowd *c)
{
    size_t blocks = c->grid.block_count;
    uint64_t hash = dr_columns_hash(&dr_particle_columns, &c->water, c->water.count, 0);
    hash = dr_columns_hash(&dr_particle_columns, &c->jelly, c->jelly.count, hash);
    hash = dr_hash_bytes(c->hair.residents.index, HAIR * sizeof(uint32_t), hash);
    const dr_residents *sets[3] = {&c->water.residents, &c->jelly.residents, &c->hair.residents};
    for (int i = 0; i < 3; i++) {
        hash = dr_hash_bytes(sets[i]->first, (blocks + 1) * sizeof(uint32_t), hash);
        hash = dr_hash_bytes(sets[i]->colour_block, sets[i]->colour_first[8] * sizeof(uint32_t), hash);
        hash = dr_hash_bytes(sets[i]->touched, blocks, hash);
    }
    return dr_hash_bytes(c->grid.key, blocks * sizeof(uint64_t), hash);
}

static void test_several_sets_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t alone = 0;
    for (int threads = 1; threads < 5; threads++) {
        crowd c;
        fill_crowd(&c, NULL);
        assert_true(build_crowd(&c, &(dr_par){threads}, true));
        if (threads == 1) alone = hash_crowd(&c);
        assert_int_equal(hash_crowd(&c), alone);
        close_crowd(&c);
    }
}

static void test_each_allocation_for_several_sets_may_fail(void **state)
{
    (void)state;
    bool built = false;
    for (int n = 1; !built; n++) {
        scarce memory;
        crowd c;
        scarce_open(&memory, 0);
        fill_crowd(&c, &memory.allocator);
        uint64_t water = dr_columns_hash(&dr_particle_columns, &c.water, WATER, 0);
        memory.fails_at = memory.requests + n;
        built = build_crowd(&c, &one_thread, true);
        if (!built) {
            assert_int_equal(c.grid.block_count, 0);
            assert_int_equal(dr_columns_hash(&dr_particle_columns, &c.water, WATER, 0), water);
        }
        close_crowd(&c);
        assert_int_equal(memory.out, 0);
    }
}

static void test_columns_that_a_set_lacks_stay_away(void **state)
{
    (void)state;
    dr_grid grid;
    dr_particles plain = {.columns = &dr_plain_particle_columns};
    dice d = {5};
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, open_sides));
    assert_true(dr_particles_reserve(&plain, NULL, 1000));
    assert_null(plain.strain);
    for (size_t p = 0; p < 1000; p++) {
        double x[3] = {roll(&d, -4, 4), roll(&d, -4, 4), roll(&d, -4, 4)};
        dr_grid_place(&grid, x, &plain.key[p], plain.offset + 3 * p);
        plain.id[p] = p;
        plain.mass[p] = (float)p;
    }
    plain.count = 1000;
    assert_true(dr_grid_rebuild(&grid, &one_thread, &plain));
    check_topology(&grid, &plain);
    for (size_t p = 0; p < 1000; p++) assert_true(plain.mass[p] == (float)plain.id[p]);
    assert_null(plain.strain);
    dr_particles_free(&plain, NULL);
    dr_grid_close(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_carry_coordinates_both_ways),
        cmocka_unit_test(test_keys_follow_the_morton_curve),
        cmocka_unit_test(test_place_and_position_agree),
        cmocka_unit_test(test_positions_of_many_are_those_of_each),
        cmocka_unit_test(test_places_beyond_reach_stay_valid),
        cmocka_unit_test(test_every_block_is_found_with_its_neighbours),
        cmocka_unit_test(test_scattered_particles_and_the_edge_of_reach),
        cmocka_unit_test(test_periodic_directions_wrap),
        cmocka_unit_test(test_rows_stay_together_and_order_is_kept),
        cmocka_unit_test(test_no_particles_make_no_blocks),
        cmocka_unit_test(test_listed_blocks_are_made_and_no_others),
        cmocka_unit_test(test_blocks_do_not_depend_on_the_order_of_particles),
        cmocka_unit_test(test_each_allocation_may_fail),
        cmocka_unit_test(test_steady_rebuild_allocates_nothing),
        cmocka_unit_test(test_sorting_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(test_padded_grids_have_blocks_all_around),
        cmocka_unit_test(test_blocks_are_those_of_all_sets_together),
        cmocka_unit_test(test_points_keep_their_order_and_are_listed_by_block),
        cmocka_unit_test(test_several_sets_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(test_each_allocation_for_several_sets_may_fail),
        cmocka_unit_test(test_columns_that_a_set_lacks_stay_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
