// The cases of thick liquids at other parameters than their defaults.
#include "perform.h"

// However the strands are cut into edges.
static void test_a_yield_stress_holds_strands_of_any_edges(void **state)
{
    (void)state;
    PASS("pull-off", "edges=3");
    PASS("pull-off", "edges=9");
    PASS("pull-off", "edges=36");
    PASS("pull-off", "edges=100", "material=shaving cream");
}

static void test_a_layer_springs_back_with_what_backward_euler_leaves(void **state)
{
    (void)state;
    PASS("hb-recoil");
    PASS("hb-recoil", "steps=25", "cells=8");
}

// Fast layers do not slip along their walls.
static void test_sauce_runs_down_a_wall_at_eight_cells(void **state)
{
    (void)state;
    PASS("hb-incline", "material=oyster sauce", "height=0.15 cm", "cells=8", "times=3");
}

// However long the steps are: strands that slip, and those that the yield stress holds.
static void test_strands_near_yield_settle_by_the_law_in_any_steps(void **state)
{
    (void)state;
    PASS("settling-thick", "material=mud", "steps=150", "length=2"); // 12 % off where half of a thrust is pressure
    PASS("settling-thick", "material=oyster sauce", "steps=150", "cell=0.5");
    PASS("settling-thick", "material=shaving cream", "steps=100", "cell=0.25", "length=2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_yield_stress_holds_strands_of_any_edges),
        cmocka_unit_test(test_a_layer_springs_back_with_what_backward_euler_leaves),
        cmocka_unit_test(test_sauce_runs_down_a_wall_at_eight_cells),
        cmocka_unit_test(test_strands_near_yield_settle_by_the_law_in_any_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
