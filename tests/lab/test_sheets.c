// The cases of cloth, coarser than they are by default.
#include "lab/perform.h"

static void test_strips_hang_and_stretch(void **state)
{
    (void)state;
    static const char *const patterns[] = {"pattern=equilateral", "pattern=union_jack", "pattern=one_diagonal",
                                           "pattern=crossed"};
    for (int i = 0; i < 4; i++) PASS("sheet-stretch", "cells=10", patterns[i]);
}

static void test_strips_bend_as_the_elastica_on_any_mesh(void **state)
{
    (void)state;
    PASS("sheet-cantilever", "gamma=1", "cells=10", "across=2");
    PASS("sheet-cantilever", "gamma=10", "cells=12", "across=2", "pattern=one_diagonal");
    PASS("sheet-cantilever", "gamma=10", "cells=12", "across=2", "pattern=crossed");
    PASS("sheet-cantilever", "gamma=100", "cells=20", "across=2", "pattern=crossed");
    PASS("sheet-cantilever", "gamma=10", "cells=12", "across=2", "pattern=diamonds");
}

static void test_strips_give_way_above_the_critical_load_alone(void **state)
{
    (void)state;
    PASS("sheet-euler", "load=34", "cells=12", "across=2");
    PASS("sheet-euler", "load=46", "cells=12", "across=2");
}

static void test_strips_tip_over_above_the_critical_load_alone(void **state)
{
    (void)state;
    static const char *const patterns[] = {"pattern=equilateral", "pattern=union_jack", "pattern=one_diagonal",
                                           "pattern=crossed"};
    PASS("sheet-lateral-buckling", "cells=14", patterns[2]);
    for (int i = 0; i < 4; i++) {
        PASS("sheet-lateral-buckling", "cells=14", "load=12.5", patterns[i]);
        PASS("sheet-lateral-buckling", "cells=14", "load=16.5", patterns[i]);
    }
}

static void test_strips_swing_as_heavy_chains(void **state)
{
    (void)state;
    PASS("sheet-swing", "cells=12", "pattern=union_jack");
    PASS("sheet-swing", "cells=12", "integrator=implicit");
}

static void test_squares_drape_in_long_steps_as_in_short_ones(void **state)
{
    (void)state;
    PASS("sheet-drape", "duration=4", "load=0.004");
}

// Implicit steps under wind too, which is a part of their inertia.
static void test_yarn_on_the_grid_is_a_rod(void **state)
{
    (void)state;
    PASS("yarn-cantilever", "gamma=1", "segments=12");
    PASS("yarn-cantilever", "gamma=1", "segments=12", "integrator=implicit");
    PASS("yarn-curl", "segments=12", "integrator=implicit");
}

static void test_sand_and_cloth_keep_their_momentum(void **state)
{
    (void)state;
    PASS("momentum", "matter=sand-cloth", "cells=3", "steps=200");
}

static void test_beds_of_fibres_hold_up_to_their_angle(void **state)
{
    (void)state;
    PASS("fibre-bed", "way=across");
    PASS("fibre-bed", "way=along");
}

// The product beside a model of its own, and what is wrong without each part of it.
static void test_heaps_of_fibres_need_every_part_of_the_model(void **state)
{
    (void)state;
    PASS("fibre-models", "seeds=2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strips_hang_and_stretch),
        cmocka_unit_test(test_strips_bend_as_the_elastica_on_any_mesh),
        cmocka_unit_test(test_strips_give_way_above_the_critical_load_alone),
        cmocka_unit_test(test_strips_tip_over_above_the_critical_load_alone),
        cmocka_unit_test(test_strips_swing_as_heavy_chains),
        cmocka_unit_test(test_squares_drape_in_long_steps_as_in_short_ones),
        cmocka_unit_test(test_yarn_on_the_grid_is_a_rod),
        cmocka_unit_test(test_sand_and_cloth_keep_their_momentum),
        cmocka_unit_test(test_beds_of_fibres_hold_up_to_their_angle),
        cmocka_unit_test(test_heaps_of_fibres_need_every_part_of_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
