#include "cloud.h"

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
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, open_sides));
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

static void test_places_beyond_reach_stay_valid(void **state)
{
    (void)state;
    dr_grid grid;
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, open_sides));
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
    for (size_t b = 0; b < grid->block_count; b++) {
        const int32_t *at = grid->coordinate + 3 * b;
        assert_true(b == 0 || grid->key[b - 1] < grid->key[b]);
        assert_int_equal(grid->key[b], dr_grid_key(at));
        assert_int_equal(dr_grid_find(grid, at), b);
        for (int n = 0; n < 27; n++) {
            int32_t to[3] = {at[0] + n / 9 - 1, at[1] + n / 3 % 3 - 1, at[2] + n % 3 - 1};
            assert_int_equal(grid->neighbour[27 * b + (size_t)n], dr_grid_find(grid, to));
            bool above = n / 9 >= 1 && n / 3 % 3 >= 1 && n % 3 >= 1;
            if (above && grid->first[b] < grid->first[b + 1]) assert_true(grid->neighbour[27 * b + (size_t)n] >= 0);
        }
        for (size_t p = grid->first[b]; p < grid->first[b + 1]; p++) assert_int_equal(particles->key[p], grid->key[b]);
    }
    assert_int_equal(grid->first[grid->block_count], particles->count);
}

static void check_colours(const dr_grid *grid)
{
    size_t occupied = 0;
    for (size_t b = 0; b < grid->block_count; b++) occupied += grid->first[b] < grid->first[b + 1];
    assert_int_equal(grid->colour_first[8], occupied);
    int32_t *owner = malloc(grid->block_count * sizeof *owner + 1);
    for (int c = 0; c < 8; c++) {
        memset(owner, -1, grid->block_count * sizeof *owner);
        for (size_t n = grid->colour_first[c]; n < grid->colour_first[c + 1]; n++) {
            int32_t block = (int32_t)grid->colour_block[n];
            for (int u = 0; u < 8; u++) {
                int32_t to = grid->neighbour[27 * block + 13 + 9 * (u >> 2) + 3 * (u >> 1 & 1) + (u & 1)];
                assert_true(owner[to] == -1 || owner[to] == block);
                owner[to] = block;
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
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, open_sides));
    make_cloud(&cloud, &grid, 20000, (double[3]){-4, -3, 8}, (double[3]){4, 5, 14}, 7);
    assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
    check_topology(&grid, &cloud);
    check_colours(&grid);
    dr_particles_free(&cloud, NULL);
    dr_grid_close(&grid);
}

static void test_scattered_particles_and_the_edge_of_reach(void **state)
{
    (void)state;
    dr_grid grid;
    dr_particles cloud;
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, open_sides));
    double far = 1.2 * 4 * 0.25 * DR_GRID_REACH;
    make_cloud(&cloud, &grid, 9000, (double[3]){-far, -far, -far}, (double[3]){far, far, far}, 3);
    assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
    check_topology(&grid, &cloud);
    check_colours(&grid);
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
        assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, periods[i]));
        make_cloud(&cloud, &grid, 5000, (double[3]){-9, -9, 2}, (double[3]){9, 9, 19}, 5);
        assert_true(dr_grid_rebuild(&grid, &one_thread, &cloud));
        check_topology(&grid, &cloud);
        check_colours(&grid);
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
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, open_sides));
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
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, open_sides));
    assert_true(dr_grid_rebuild(&grid, &one_thread, &none));
    assert_int_equal(grid.block_count, 0);
    assert_int_equal(grid.first[0], 0);
    assert_int_equal(dr_grid_find(&grid, (int32_t[3]){0, 0, 0}), -1);
    dr_grid_close(&grid);
}

static void test_listed_blocks_are_made_and_no_others(void **state)
{
    (void)state;
    dr_grid grid;
    const int32_t list[5][3] = {{3, 0, -2}, {0, 0, 0}, {2, 0, -2}, {0, 0, 0}, {-7, 5, 1}};
    assert_true(dr_grid_open(&grid, NULL, 1.0, origin, 0.0, open_sides));
    for (int n = 0; n < 2; n++) {
        assert_true(dr_grid_from_blocks(&grid, &one_thread, list, 5));
        assert_int_equal(grid.block_count, 4);
        for (size_t b = 0; b < 4; b++) {
            assert_true(b == 0 || grid.key[b - 1] < grid.key[b]);
            assert_int_equal(dr_grid_find(&grid, grid.coordinate + 3 * b), b);
            assert_int_equal(grid.first[b + 1], 0);
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
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, open_sides));
    assert_true(dr_grid_open(&other, NULL, 0.25, origin, 0.5, open_sides));
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
    assert_memory_equal(grid.first, other.first, (grid.block_count + 1) * sizeof *grid.first);
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
    if (dr_grid_open(&grid, &memory->allocator, 0.25, origin, 0.5, open_sides) &&
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
    assert_true(dr_grid_open(&grid, &memory.allocator, 0.25, origin, 0.5, open_sides));
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
    assert_int_equal(memory.out, dr_grid_bytes(&grid) + cloud.capacity * dr_columns_row_bytes(&dr_particle_columns));
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
        assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, open_sides));
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
    assert_true(dr_grid_open(&grid, NULL, 0.25, origin, 0.5, open_sides));
    grid.padded = true;
    dr_particles particles;
    const double low[3] = {0.0, 0.0, 12.0}, high[3] = {3.0, 3.0, 14.0};
    make_cloud(&particles, &grid, 200, low, high, 5);
    assert_true(dr_grid_rebuild(&grid, &one_thread, &particles));
    check_topology(&grid, &particles);
    for (size_t b = 0; b < grid.block_count; b++) {
        for (size_t n = 0; n < 27 && grid.first[b] < grid.first[b + 1]; n++) {
            assert_true(grid.neighbour[27 * b + n] >= 0);
        }
    }
    dr_particles_free(&particles, NULL);
    dr_grid_close(&grid);
}

static void test_grids_in_company_have_the_same_blocks(void **state)
{
    (void)state;
    const double low[2][3] = {{0.0, 0.0, 12.0}, {2.5, 1.0, 9.0}}, high[2][3] = {{3.0, 3.0, 14.0}, {9.0, 2.0, 13.0}};
    for (int count = 0; count <= 200; count += 100) { // the second set is empty at first
        dr_grid grid[2];
        dr_particles particles[2];
        for (int i = 0; i < 2; i++) {
            assert_true(dr_grid_open(&grid[i], NULL, 0.25, origin, 1.0, open_sides));
            make_cloud(&particles[i], &grid[i], i == 0 ? 300 : (size_t)count, low[i], high[i], 5 + (uint64_t)i);
        }
        for (int i = 0; i < 2; i++)
            assert_true(dr_grid_rebuild_with(&grid[i], &one_thread, &particles[i], &particles[1 - i]));
        assert_int_equal(grid[0].block_count, grid[1].block_count);
        size_t blocks = grid[0].block_count;
        assert_memory_equal(grid[0].key, grid[1].key, blocks * sizeof *grid[0].key);
        assert_memory_equal(grid[0].neighbour, grid[1].neighbour, 27 * blocks * sizeof *grid[0].neighbour);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(grid[i].first[blocks], particles[i].count);
            for (size_t b = 0; b < blocks; b++) {
                for (size_t p = grid[i].first[b]; p < grid[i].first[b + 1]; p++)
                    assert_true(particles[i].key[p] == grid[i].key[b]);
                for (int upper = 0; upper < 8 && grid[i].first[b] < grid[i].first[b + 1]; upper++)
                    assert_true(grid[i].neighbour[27 * b + 13 +
                                                  (size_t)(9 * (upper >> 2) + 3 * (upper >> 1 & 1) + (upper & 1))] >=
                                0);
            }
            dr_particles_free(&particles[i], NULL);
            dr_grid_close(&grid[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_carry_coordinates_both_ways),
        cmocka_unit_test(test_keys_follow_the_morton_curve),
        cmocka_unit_test(test_place_and_position_agree),
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
        cmocka_unit_test(test_grids_in_company_have_the_same_blocks),
        cmocka_unit_test(test_padded_grids_have_blocks_all_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
