#include "momentum.h"

#include "liquid/resample.h"
#include "liquid/tuning.h"

static const double cell = 0.25;
static const dr_par one_thread = {1};

static double reference(void)
{
    return cell * cell * cell / 8.0;
}

// A ball of particles of many sizes.
static void open_mixed(pool *water, double small, double large, const dr_allocator *allocator)
{
    body ball = {.kind = SPHERE, .at = {0.1, 0.2, -0.1}, .radius = 4.0 * cell};
    dice d = {17};
    open_pool_with(water, cell, allocator, (int32_t[3]){0, 0, 0});
    pour_body(water, &ball, 8, DR_SEEDING_JITTER, 5.0 * cell);
    for (size_t p = 0; p < water->particles.count; p++) {
        double size = small + (large - small) * pow(roll(&d, 0.0, 1.0), 3.0);
        water->particles.volume[p] = (float)(size * reference());
        water->particles.mass[p] = 1.1F * water->particles.volume[p];
    }
    shake(&water->particles, 3);
    assert_true(dr_grid_rebuild(&water->grid, &one_thread, &water->particles));
}

static void resample_once(pool *water, dr_resample *resample, const dr_par *par, uint64_t step, uint64_t *next_id)
{
    assert_true(dr_resample_plan(resample, &water->grid, par, &water->particles, reference()));
    assert_true(dr_resample_apply(resample, &water->grid, &water->particles, step, next_id));
    assert_true(dr_grid_rebuild(&water->grid, par, &water->particles));
}

static void test_splitting_keeps_volume_and_momenta(void **state)
{
    (void)state;
    pool water;
    dr_resample resample;
    open_mixed(&water, 0.6, 40.0, NULL);
    dr_resample_open(&resample, NULL);
    uint64_t next = 1000000;
    size_t count = water.particles.count;
    total before = total_of(&water.grid, &water.particles);
    resample_once(&water, &resample, &one_thread, 5, &next);
    total after = total_of(&water.grid, &water.particles);
    assert_kept(&before, &after, 3e-7);
    assert_int_equal(resample.merge_count, 0);
    assert_true(resample.split_count > 100);
    assert_int_equal(water.particles.count, count + resample.fresh_count);
    assert_int_equal(next, 1000000 + resample.fresh_count);
    for (size_t p = 0; p < water.particles.count; p++) {
        assert_true((double)water.particles.volume[p] <= 2.0 * reference());
        assert_true((double)water.particles.volume[p] >= 0.59 * reference());
    }
    dr_resample_close(&resample);
    close_pool(&water);
}

static void test_merging_keeps_volume_and_momenta(void **state)
{
    (void)state;
    pool water;
    dr_resample resample;
    open_mixed(&water, 0.05, 1.2, NULL);
    dr_resample_open(&resample, NULL);
    uint64_t next = 1000000;
    size_t count = water.particles.count, small = 0, left = 0;
    for (size_t p = 0; p < count; p++) small += (double)water.particles.volume[p] < DR_RESAMPLE_MERGE * reference();
    total before = total_of(&water.grid, &water.particles);
    for (uint64_t step = 0; step < 6; step++) {
        size_t held = water.particles.count;
        resample_once(&water, &resample, &one_thread, step, &next);
        total after = total_of(&water.grid, &water.particles);
        assert_kept(&before, &after, 3e-7);
        assert_int_equal(resample.split_count, 0);
        assert_int_equal(water.particles.count, held - resample.merge_count);
    }
    for (size_t p = 0; p < water.particles.count; p++) {
        left += (double)water.particles.volume[p] < DR_RESAMPLE_MERGE * reference();
        assert_true((double)water.particles.volume[p] <= 1.50001 * reference());
    }
    assert_true(small > 500 && left < small / 10);
    assert_int_equal(next, 1000000);
    dr_resample_close(&resample);
    close_pool(&water);
}

// A rotating body keeps turning at its rate, whatever is split or merged.
static void test_a_rigid_rotation_stays_one(void **state)
{
    (void)state;
    const double spin[3] = {3.0, -2.0, 5.0};
    pool water;
    dr_resample resample;
    open_mixed(&water, 0.05, 4.0, NULL);
    dr_resample_open(&resample, NULL);
    for (size_t p = 0; p < water.particles.count; p++) {
        double x[3];
        dr_grid_position(&water.grid, water.particles.key[p], water.particles.offset + 3 * p, x);
        for (size_t a = 0; a < 3; a++) {
            size_t b = (a + 1) % 3, c = (a + 2) % 3;
            water.particles.velocity[3 * p + a] = (float)(spin[b] * x[c] - spin[c] * x[b]);
            water.particles.affine[9 * p + 4 * a] = 0.0F;
            water.particles.affine[9 * p + 3 * a + b] = (float)-spin[c];
            water.particles.affine[9 * p + 3 * a + c] = (float)spin[b];
        }
    }
    uint64_t next = 1000000;
    resample_once(&water, &resample, &one_thread, 1, &next);
    assert_true(resample.split_count > 50 && resample.merge_count > 50);
    for (size_t p = 0; p < water.particles.count; p++) {
        double x[3];
        dr_grid_position(&water.grid, water.particles.key[p], water.particles.offset + 3 * p, x);
        for (size_t a = 0; a < 3; a++) {
            size_t b = (a + 1) % 3, c = (a + 2) % 3;
            double truth = spin[b] * x[c] - spin[c] * x[b];
            assert_true(fabs((double)water.particles.velocity[3 * p + a] - truth) < 1e-4);
        }
    }
    dr_resample_close(&resample);
    close_pool(&water);
}

static void test_liquids_do_not_mix_and_lone_drops_stay(void **state)
{
    (void)state;
    pool water;
    dr_resample resample;
    open_pool(&water, cell);
    dr_resample_open(&resample, NULL);
    add_drop(&water, (double[3]){0.0, 0.0, 0.0}, 0.1 * reference());
    add_drop(&water, (double[3]){0.01, 0.0, 0.0}, reference());
    add_drop(&water, (double[3]){9.0, 0.0, 0.0}, 0.001 * reference());
    water.particles.body[1] = 1;
    uint64_t next = 3;
    assert_true(dr_grid_rebuild(&water.grid, &one_thread, &water.particles));
    resample_once(&water, &resample, &one_thread, 0, &next);
    assert_int_equal(water.particles.count, 3);
    dr_resample_close(&resample);
    close_pool(&water);
}

static void test_ids_stay_unique(void **state)
{
    (void)state;
    pool water;
    dr_resample resample;
    open_mixed(&water, 0.05, 9.0, NULL);
    dr_resample_open(&resample, NULL);
    uint64_t next = water.particles.count;
    for (uint64_t step = 0; step < 3; step++) resample_once(&water, &resample, &one_thread, step, &next);
    uint8_t *seen = calloc(next, 1);
    for (size_t p = 0; p < water.particles.count; p++) {
        assert_true(water.particles.id[p] < next);
        assert_int_equal(seen[water.particles.id[p]]++, 0);
    }
    free(seen);
    dr_resample_close(&resample);
    close_pool(&water);
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int threads = 1; threads <= 3; threads++) {
        pool water;
        dr_resample resample;
        dr_par par = {threads};
        open_mixed(&water, 0.05, 9.0, NULL);
        dr_resample_open(&resample, NULL);
        uint64_t next = water.particles.count;
        for (uint64_t step = 0; step < 3; step++) resample_once(&water, &resample, &par, step, &next);
        hash[threads - 1] = dr_columns_hash(&dr_plain_particle_columns, &water.particles, water.particles.count, next);
        dr_resample_close(&resample);
        close_pool(&water);
    }
    assert_int_equal(hash[0], hash[1]);
    assert_int_equal(hash[0], hash[2]);
}

static void test_memory_that_is_out_changes_nothing(void **state)
{
    (void)state;
    bool done = false;
    for (int fail = 1; !done; fail++) {
        scarce memory;
        scarce_open(&memory, 0);
        pool water;
        dr_resample resample;
        open_mixed(&water, 0.05, 9.0, &memory.allocator);
        dr_resample_open(&resample, &memory.allocator);
        uint64_t next = 9999,
                 hash = dr_columns_hash(&dr_plain_particle_columns, &water.particles, water.particles.count, 0);
        memory.fails_at = memory.requests + fail;
        done = dr_resample_plan(&resample, &water.grid, &one_thread, &water.particles, reference()) &&
               dr_resample_apply(&resample, &water.grid, &water.particles, 1, &next);
        assert_int_equal(done, memory.requests < memory.fails_at);
        if (!done) {
            uint64_t same = dr_columns_hash(&dr_plain_particle_columns, &water.particles, water.particles.count, 0);
            assert_int_equal(hash, same);
            assert_int_equal(next, 9999);
        }
        dr_resample_close(&resample);
        close_pool(&water);
        assert_int_equal(memory.out, 0);
    }
}

static void test_a_steady_plan_needs_no_memory(void **state)
{
    (void)state;
    scarce memory;
    scarce_open(&memory, 0);
    pool water;
    dr_resample resample;
    open_mixed(&water, 0.05, 9.0, NULL);
    dr_resample_open(&resample, &memory.allocator);
    assert_true(dr_resample_plan(&resample, &water.grid, &one_thread, &water.particles, reference()));
    long calls = memory.requests;
    assert_true(dr_resample_plan(&resample, &water.grid, &one_thread, &water.particles, reference()));
    assert_int_equal(memory.requests, calls);
    dr_resample_close(&resample);
    close_pool(&water);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_splitting_keeps_volume_and_momenta),
        cmocka_unit_test(test_merging_keeps_volume_and_momenta),
        cmocka_unit_test(test_a_rigid_rotation_stays_one),
        cmocka_unit_test(test_liquids_do_not_mix_and_lone_drops_stay),
        cmocka_unit_test(test_ids_stay_unique),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_memory_that_is_out_changes_nothing),
        cmocka_unit_test(test_a_steady_plan_needs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
