// The liquid's cases at small sizes. What is asked here is what each of them is sure of; the full bars are those of
// `drench validate`.
#include "lab/perform.h"

#include <float.h>
#include <stdlib.h>

// The number measured under that name, not a number where there is none.
static double number_in(const char *shown, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *measured = strstr(shown, "\"measured\"");
    const char *at = measured ? strstr(measured, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : NAN;
}

static void test_pressure_is_hydrostatic_in_any_container(void **state)
{
    (void)state;
    const char *const containers[] = {"container=box",    "container=cylinder", "container=bowl",  "container=wedge",
                                      "container=tilted", "container=flask",    "container=pillar"};
    for (int i = 0; i < 7; i++) {
        char *shown = PERFORM("hydrostatic", "cells=8", "steps=200", containers[i]);
        assert_true(number_in(shown, "pressure_error") < 0.012);
        assert_true(number_in(shown, "largest_pressure_error") < 0.015);
        assert_true(number_in(shown, "largest_speed") < 0.012);
        dr_lab_release_text(shown);
    }
}

static void test_two_phases_stay_at_rest_in_closed_and_open_columns(void **state)
{
    (void)state;
    const char *const containers[] = {"container=closed", "container=open"};
    const char *const densities[] = {"density=0.5", "density=1", "density=2"};
    const char *const fractions[] = {"fraction=0.05", "fraction=0.3", "fraction=0.6"};
    const char *const heights[] = {"height=1", "height=0.5"};
    for (int i = 0; i < 36; i++) {
        char *shown = PERFORM("mixture-column", containers[i % 2], densities[i / 2 % 3], fractions[i / 6 % 3],
                              heights[i / 18], "drag=3");
        assert_true(number_in(shown, "solid_speed") < 1e-6);
        assert_true(number_in(shown, "liquid_speed") < 1e-6);
        assert_true(number_in(shown, "share_error") < 1e-6);
        assert_true(number_in(shown, "pressure_error") < 1e-5);
        dr_lab_release_text(shown);
    }
}

static void test_a_column_falls_as_an_ideal_liquid_does(void **state)
{
    (void)state;
    char *shown = PERFORM("dam-break", "cells=16");
    assert_true(number_in(shown, "ideal_error") < 0.02);
    assert_true(number_in(shown, "shifted_front_error") < 0.05);
    // `front` is on the clock of the release: the liquid is ahead of the experiment's by what its clock was late.
    assert_true(number_in(shown, "front_error") > 0.15);
    assert_non_null(strstr(shown, "\"experiment\": [1.217,"));
    dr_lab_release_text(shown);
}

// What was filmed for one base says nothing of another.
static void test_every_base_of_a_column_has_its_own_experiment(void **state)
{
    (void)state;
    char *small = PERFORM("dam-break", "cells=4", "time=1.3", "base=1.125 in");
    char *other = PERFORM("dam-break", "cells=4", "time=1.3", "base=10 cm");
    assert_non_null(strstr(small, "\"experiment\": [1.245,"));
    assert_null(strstr(other, "\"experiment\""));
    assert_non_null(strstr(other, "\"ideal_error\""));
    dr_lab_release_text(small);
    dr_lab_release_text(other);
}

static void test_a_case_that_expects_nothing_does_not_pass(void **state)
{
    (void)state;
    dr_lab *lab = run_case((const char *const[]){"dam-break", "cells=4", "time=0.5", NULL});
    assert_int_equal(dr_lab_judge(lab), DR_LAB_NOT_JUDGED);
    char *shown = dr_lab_show(lab, false);
    assert_non_null(strstr(shown, "not judged"));
    dr_lab_release_text(shown);
    dr_lab_destroy(lab);
}

// Not by its growth alone.
static double expected_decay(const char *viscosity)
{
    char *shown = PERFORM("standing-wave", "cells=16", "periods=3", viscosity);
    static const char key[] = "\"decay_per_period\": ";
    const char *expected = strstr(shown, "\"expected\"");
    assert_non_null(expected);
    const char *decay = strstr(expected, key);
    assert_non_null(decay);
    double value = strtod(decay + strlen(key), NULL);
    dr_lab_release_text(shown);
    return value;
}

// Lamb's root: 0.34992 a second of 50 cm2/s, where 2 nu k^2 would be 0.39478. A period takes 0.80181 s.
static void test_a_standing_wave_is_judged_by_its_decay(void **state)
{
    (void)state;
    assert_true(expected_decay("viscosity=0") == 0.0);
    assert_true(fabs(expected_decay("viscosity=50 P") / (0.34992 * 0.80181) - 1.0) < 1e-4);
}

// 13 % too slowly where faces beyond the surface lose what viscosity gives them.
static void test_a_viscous_wave_decays_as_the_exact_root(void **state)
{
    (void)state;
    char *shown = PERFORM("standing-wave", "cells=40", "periods=3", "viscosity=100 P");
    assert_true(fabs(number_in(shown, "decay_rate") / number_in(shown, "viscous_decay_rate") - 1.0) < 0.03);
    dr_lab_release_text(shown);
}

static void test_volume_is_judged_at_three_amplitudes(void **state)
{
    (void)state;
    char *shown = PERFORM("volume", "cells=6", "time=0.05");
    const char *expected = strstr(shown, "\"expected\"");
    assert_non_null(expected);
    assert_non_null(strstr(expected, "\"occupied_drift_at_0.01\""));
    assert_non_null(strstr(expected, "\"occupied_drift_at_0.03\""));
    assert_non_null(strstr(expected, "\"occupied_drift_at_0.08\""));
    assert_true(number_in(shown, "largest_speed_at_0.08") > 1.5 * number_in(shown, "largest_speed_at_0.01"));
    dr_lab_release_text(shown);
}

static void test_a_standing_wave_has_its_period(void **state)
{
    (void)state;
    char *shown = PERFORM("standing-wave", "cells=32", "length=30 cm", "periods=3");
    assert_true(fabs(number_in(shown, "period_ratio") - 1.0) < 0.03);
    assert_true(number_in(shown, "decay_over_coarse") < 1.0);
    dr_lab_release_text(shown);
}

// With the surface a quarter of a cell above the middle of a cell, troughs take cells in and out of the liquid: waves
// grew there by 2 % a period.
static void test_a_standing_wave_does_not_grow(void **state)
{
    (void)state;
    char *shown = PERFORM("standing-wave", "cells=32", "depth_over_length=0.2734375", "periods=3");
    assert_true(number_in(shown, "growth_per_period") < 5e-4);
    assert_true(number_in(shown, "decay_per_period") < 0.016);
    dr_lab_release_text(shown);
}

static void test_a_turning_disc_keeps_its_angular_momentum(void **state)
{
    (void)state;
    char *shown = PERFORM("rotating-drop", "cells=8", "steps=30");
    assert_true(number_in(shown, "angular_drift") < 1e-6);
    assert_true(number_in(shown, "energy_ratio") > 0.99);
    dr_lab_release_text(shown);
}

static void test_channel_flow_is_a_parabola(void **state)
{
    (void)state;
    char *shown = PERFORM("poiseuille", "cells=16", "viscosity=20 P");
    assert_true(number_in(shown, "profile_error") < 0.0002);
    assert_true(number_in(shown, "order") > 2.0);
    dr_lab_release_text(shown);
}

static void test_a_drop_swings_with_its_frequency(void **state)
{
    (void)state;
    char *shown = PERFORM("rayleigh-drop", "cells=10");
    // So few cells swing 4.5 % too slowly. A tenth more of surface tension would be 5 % more.
    assert_true(fabs(number_in(shown, "frequency_ratio") - 0.956) < 0.02);
    assert_true(fabs(number_in(shown, "amplitude_kept") - 1.0) < 0.15);
    dr_lab_release_text(shown);
}

static void test_shaken_liquid_keeps_its_volume(void **state)
{
    (void)state;
    char *shown = PERFORM("volume", "cells=10", "time=0.5", "amplitude=0.04");
    assert_true(number_in(shown, "particle_drift") < 1e-6);
    assert_true(number_in(shown, "occupied_drift") < 0.03);
    assert_true(fabs(number_in(shown, "occupied_start") - 1.0) < 0.01); // in edges of the box there is room, too
    dr_lab_release_text(shown);
}

static void test_what_was_emitted_is_there_or_has_left(void **state)
{
    (void)state;
    char *shown = PERFORM("emitter", "cells=10", "time=0.4");
    assert_true(number_in(shown, "drift") < 1e-6);
    assert_true(number_in(shown, "drained") > 0.0 && number_in(shown, "present") > 0.0);
    dr_lab_release_text(shown);
}

static void test_drops_that_meet_keep_their_momentum(void **state)
{
    (void)state;
    char *shown = PERFORM("momentum", "matter=liquid", "cells=5", "steps=40");
    assert_true(number_in(shown, "linear_drift") < 100.0 * (double)FLT_EPSILON);
    assert_true(number_in(shown, "angular_drift") < 1e-6);
    dr_lab_release_text(shown);
}

static void test_a_pool_does_not_know_of_a_splash_far_away(void **state)
{
    (void)state;
    char *shown = PERFORM("locality", "cells=4", "steps=24", "distance=40");
    assert_true(number_in(shown, "drift") < 1e-5);
    assert_true(number_in(shown, "splash_speed") > 4.0);
    assert_true(number_in(shown, "pool_speed") > 0.0);
    assert_int_equal((int)number_in(shown, "rejected"), 0);
    dr_lab_release_text(shown);
}

// Where the walls lie on the grid makes a difference even to boxes that stand; motion adds little to it.
static void test_a_moving_box_sloshes_as_one_that_stands(void **state)
{
    (void)state;
    char *slow = PERFORM("galilean", "cells=8", "periods=0.5", "speed=1e-4", "step=0.01");
    char *fast = PERFORM("galilean", "cells=8", "periods=0.5", "speed=50", "step=0.01");
    assert_true(number_in(slow, "swing") > 0.3);
    assert_true(number_in(slow, "difference") < 1e-3);
    assert_true(number_in(fast, "difference") < 0.2);
    assert_true(number_in(fast, "difference") < 3.0 * number_in(fast, "difference_aside"));
    dr_lab_release_text(slow);
    dr_lab_release_text(fast);
}

static void test_sloshing_makes_little_energy(void **state)
{
    (void)state;
    char *shown = PERFORM("sloshing-energy", "cells=12", "periods=1");
    assert_true(number_in(shown, "largest_rise") < 0.008);
    assert_true(number_in(shown, "largest_rise") < number_in(shown, "largest_rise_at_end"));
    assert_true(number_in(shown, "left") > 0.8 && number_in(shown, "left") < 1.05);
    assert_true(number_in(shown, "steps") > 199.0);
    dr_lab_release_text(shown);
}

static void test_whole_scenes_are_timed_beside_their_limits(void **state)
{
    (void)state;
    int count = 0;
    const dr_lab_case *const *benches = dr_lab_benches(&count);
    const char *const settings[] = {"scene=drops", "time=2 ms"};
    dr_lab_request request = {.settings = settings, .setting_count = 2, .threads = 1};
    dr_lab *lab = NULL;
    dr_error error = {0};
    if (dr_lab_perform(dr_lab_find(benches, count, "scenes"), &request, &lab, &error) != DR_STATUS_OK) {
        fail_msg("%s", error.text);
    }
    char *shown = dr_lab_show(lab, true);
    assert_true(fabs(number_in(shown, "drops_particles") - 13600.0) < 200.0);
    assert_true(number_in(shown, "drops") > 0.0);
    assert_non_null(strstr(strstr(shown, "\"tolerance\""), "\"drops\": 5"));
    assert_null(strstr(shown, "\"dam\""));
    dr_lab_release_text(shown);
    dr_lab_destroy(lab);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure_is_hydrostatic_in_any_container),
        cmocka_unit_test(test_two_phases_stay_at_rest_in_closed_and_open_columns),
        cmocka_unit_test(test_a_column_falls_as_an_ideal_liquid_does),
        cmocka_unit_test(test_every_base_of_a_column_has_its_own_experiment),
        cmocka_unit_test(test_a_case_that_expects_nothing_does_not_pass),
        cmocka_unit_test(test_a_standing_wave_is_judged_by_its_decay),
        cmocka_unit_test(test_a_viscous_wave_decays_as_the_exact_root),
        cmocka_unit_test(test_volume_is_judged_at_three_amplitudes),
        cmocka_unit_test(test_a_standing_wave_has_its_period),
        cmocka_unit_test(test_a_standing_wave_does_not_grow),
        cmocka_unit_test(test_a_turning_disc_keeps_its_angular_momentum),
        cmocka_unit_test(test_channel_flow_is_a_parabola),
        cmocka_unit_test(test_a_drop_swings_with_its_frequency),
        cmocka_unit_test(test_shaken_liquid_keeps_its_volume),
        cmocka_unit_test(test_what_was_emitted_is_there_or_has_left),
        cmocka_unit_test(test_drops_that_meet_keep_their_momentum),
        cmocka_unit_test(test_a_pool_does_not_know_of_a_splash_far_away),
        cmocka_unit_test(test_a_moving_box_sloshes_as_one_that_stands),
        cmocka_unit_test(test_sloshing_makes_little_energy),
        cmocka_unit_test(test_whole_scenes_are_timed_beside_their_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
