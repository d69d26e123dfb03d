#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lab/bench_transfer.h"
#include "support/scarce.h"

static dr_bench_transfer_case small_case(bool faces)
{
    return (dr_bench_transfer_case){.particles = 20000,
                                    .per_cell = 8.0,
                                    .threads = 1,
                                    .kernel = DR_KERNEL_QUADRATIC,
                                    .faces = faces,
                                    .repeats = 3,
                                    .courant = 0.2};
}

static void test_figures_are_there_and_memory_is_within_its_bar(void **state)
{
    (void)state;
    for (int faces = 0; faces < 2; faces++) {
        dr_bench_transfer_case what = small_case(faces);
        dr_bench_transfer_result found;
        assert_true(dr_bench_transfer(&what, NULL, &found));
        assert_int_equal(found.particles, 20000);
        assert_true(found.blocks >= 20000 / 8 / 64);
        assert_true(found.rate > 0.0 && found.best_rate >= found.rate && found.sorted_rate < found.rate);
        assert_true(found.copy_bandwidth > 0.0 && found.floor_rate > 0.0);
        assert_true(found.particle_bytes >= 124.0 && found.particle_bytes <= 250.0);
    }
}

static void test_memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    dr_bench_transfer_case what = small_case(true);
    dr_bench_transfer_result found;
    bool done = false;
    for (int n = 1; !done; n++) {
        scarce memory;
        scarce_open(&memory, n);
        done = dr_bench_transfer(&what, &memory.allocator, &found);
        assert_true(done == (memory.requests < n));
        assert_int_equal(memory.out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_are_there_and_memory_is_within_its_bar),
        cmocka_unit_test(test_memory_that_runs_out_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
