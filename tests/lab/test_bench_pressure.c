// The benchmark of the pressure solve on small cubes: it must measure, and the iterations it counts are bars.
#include "lab/bench_pressure.h"
#include "support/check.h"
#include "support/scarce.h"

static dr_bench_pressure_case small_case(dr_bench_pressure_scene scene, int side)
{
    return (dr_bench_pressure_case){.scene = scene, .side = side, .threads = 1, .repeats = 1, .tolerance = 1e-6};
}

static void test_iterations_stay_within_their_bars(void **state)
{
    (void)state;
    const int bars[4] = {12, 15, 25, 20};
    for (int scene = 0; scene < 4; scene++) {
        dr_bench_pressure_case what = small_case((dr_bench_pressure_scene)scene, 64);
        dr_bench_pressure_result found;
        assert_true(dr_bench_pressure(&what, NULL, &found));
        assert_int_equal(found.reason, DR_REASON_CONVERGED);
        assert_int_equal(found.tries, 1);
        check_at_most(found.iterations, bars[scene]);
        check_at_most(found.residual, 1e-6);
    }
}

static void test_iterations_hardly_grow_with_size(void **state)
{
    (void)state;
    dr_bench_pressure_result small, large;
    dr_bench_pressure_case what = small_case(DR_BENCH_PRESSURE_UNIFORM, 16);
    assert_true(dr_bench_pressure(&what, NULL, &small));
    what.side = 64;
    assert_true(dr_bench_pressure(&what, NULL, &large));
    check_at_most(large.iterations, small.iterations + 2);
}

static void test_figures_are_measured(void **state)
{
    (void)state;
    dr_bench_pressure_case what = small_case(DR_BENCH_PRESSURE_SPHERE, 32);
    dr_bench_pressure_result found;
    assert_true(dr_bench_pressure(&what, NULL, &found));
    assert_true(found.solve_seconds > 0.0 && found.setup_seconds > 0.0);
    assert_true(found.total_seconds >= found.solve_seconds + found.setup_seconds);
    assert_true(found.floor_seconds > 0.0 && found.ratio > 0.0);
    assert_true(found.uniform_blocks > 0 && found.uniform_blocks < found.blocks);
}

static void test_memory_that_runs_out_is_told(void **state)
{
    (void)state;
    dr_bench_pressure_case what = small_case(DR_BENCH_PRESSURE_SPLASH, 16);
    dr_bench_pressure_result found;
    bool done = false;
    for (long n = 1; !done; n++) {
        scarce memory;
        scarce_open(&memory, n);
        done = dr_bench_pressure(&what, &memory.allocator, &found);
        assert_int_equal(memory.out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterations_stay_within_their_bars),
        cmocka_unit_test(test_iterations_hardly_grow_with_size),
        cmocka_unit_test(test_figures_are_measured),
        cmocka_unit_test(test_memory_that_runs_out_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
