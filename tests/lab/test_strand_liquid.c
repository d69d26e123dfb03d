// The cases of strands in liquid at small sizes.
#include "lab/perform.h"

#include <math.h>
#include <stdlib.h>

static double number_in(const char *shown, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *measured = strstr(shown, "\"measured\"");
    const char *at = measured ? strstr(measured, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static void test_columns_of_strands_and_liquid_stay_at_rest(void **state)
{
    (void)state;
    const char *const lids[] = {"closed=1", "closed=no"};
    const char *const densities[] = {"density=0.5", "density=1", "density=2"};
    const char *const fractions[] = {"fraction=0.05", "fraction=0.3", "fraction=0.6"};
    for (int i = 0; i < 18; i++) {
        char *shown =
            PERFORM("strand-column", lids[i % 2], densities[i / 2 % 3], fractions[i / 6], "cells=8", "steps=5");
        assert_true(number_in(shown, "largest_speed") < 1e-5);
        dr_lab_release_text(shown);
    }
}

static void test_strands_in_a_closed_column_fall_with_their_weight_less_buoyancy(void **state)
{
    (void)state;
    const char *const densities[] = {"density=0.5", "density=1", "density=2"};
    const double expected[] = {-0.538462, 0.0, 0.411765};
    for (int i = 0; i < 3; i++) {
        char *shown = PERFORM("strand-buoyancy", densities[i], "fraction=0.3", "cells=12");
        assert_true(fabs(number_in(shown, "acceleration_over_g") - expected[i]) < 1e-4);
        dr_lab_release_text(shown);
    }
}

static void test_a_stream_through_strands_drops_as_darcy_says(void **state)
{
    (void)state;
    char *shown = PERFORM("darcy-strands", "fraction=0.1");
    assert_true(fabs(number_in(shown, "drop_per_length") / 281.17 - 1.0) < 1e-3);
    dr_lab_release_text(shown);
}

// Less time than the case's own, so not yet at the last percent of its speed, but the same for all.
static void test_settling_does_not_depend_on_vertices(void **state)
{
    (void)state;
    const char *const vertices[] = {"vertices=11", "vertices=41"};
    double speed[2];
    for (int i = 0; i < 2; i++) {
        char *shown = PERFORM("settling", vertices[i], "length=0.6", "radius=0.008", "cell=0.1");
        speed[i] = number_in(shown, "speed");
        dr_lab_release_text(shown);
    }
    assert_true(speed[0] > 0.0 && fabs(speed[0] / speed[1] - 1.0) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_of_strands_and_liquid_stay_at_rest),
        cmocka_unit_test(test_strands_in_a_closed_column_fall_with_their_weight_less_buoyancy),
        cmocka_unit_test(test_a_stream_through_strands_drops_as_darcy_says),
        cmocka_unit_test(test_settling_does_not_depend_on_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
