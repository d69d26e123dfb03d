// The cases of rods at their full bars: they are quick.
#include "lab/perform.h"

static void test_cantilevers_hang_as_the_elastica(void **state)
{
    (void)state;
    static const char *const gammas[] = {"gamma=0.1", "gamma=1", "gamma=10", "gamma=50"};
    for (int i = 0; i < 4; i++) PASS("rod-cantilever", gammas[i]);
    PASS("rod-cantilever", "gamma=1000", "segments=160");
}

// Whatever length, radius, density and modulus are: only Gamma counts.
static void test_cantilevers_depend_on_gamma_alone(void **state)
{
    (void)state;
    PASS("rod-cantilever", "length=1 m", "radius=0.2 mm");
    PASS("rod-cantilever", "youngs_modulus=1e7", "density=8");
    PASS("rod-cantilever", "length=2 mm", "radius=1 um");
}

static void test_loads_and_moments_bend_rods_as_they_should(void **state)
{
    (void)state;
    static const char *const loads[] = {"alpha=1", "alpha=2", "alpha=5", "alpha=10"};
    static const char *const moments[] = {"moment=1", "moment=-3", "moment=6.2831853"};
    for (int i = 0; i < 4; i++) PASS("rod-tip-load", loads[i]);
    for (int i = 0; i < 3; i++) PASS("rod-end-moment", moments[i]);
}

static void test_rods_swing_at_their_frequencies(void **state)
{
    (void)state;
    PASS("rod-vibration", "mode=1");
    PASS("rod-vibration", "mode=2");
    PASS("rod-vibration", "mode=3");
    PASS("rod-vibration", "integrator=euler");
    PASS("rod-spin");
    PASS("rod-swing");
}

static void test_columns_rings_and_twisted_rods_give_way_where_they_should(void **state)
{
    (void)state;
    PASS("rod-self-buckling");
    PASS("rod-self-buckling", "gamma=7.6");
    PASS("rod-self-buckling", "gamma=8.1");
    PASS("rod-ring-twist");
    PASS("rod-ring-twist", "twist=15.8");
    PASS("rod-ring-twist", "twist=17");
    PASS("rod-ring-twist", "c_over_b=1");
    PASS("rod-twist-clamped");
    PASS("rod-twist-clamped", "moment=8.7");
    PASS("rod-twist-clamped", "moment=15");
}

// With a load given nothing tells where the critical one is; the theory's is no measurement.
static void test_a_threshold_that_was_not_searched_is_not_told(void **state)
{
    (void)state;
    char *shown = PERFORM("rod-self-buckling", "gamma=7.6");
    assert_null(strstr(shown, "critical_gamma"));
    dr_lab_release_text(shown);
    shown = PERFORM("rod-ring-twist", "twist=15.8");
    assert_null(strstr(shown, "critical_twist"));
    dr_lab_release_text(shown);
}

static void test_curved_rods_leave_their_plane_in_between(void **state)
{
    (void)state;
    PASS("rod-bend-twist", "gamma=20");
    PASS("rod-bend-twist", "gamma=100");
    PASS("rod-bend-twist", "gamma=300");
    PASS("rod-bend-twist", "gamma=50", "curvature=5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilevers_hang_as_the_elastica),
        cmocka_unit_test(test_cantilevers_depend_on_gamma_alone),
        cmocka_unit_test(test_loads_and_moments_bend_rods_as_they_should),
        cmocka_unit_test(test_rods_swing_at_their_frequencies),
        cmocka_unit_test(test_columns_rings_and_twisted_rods_give_way_where_they_should),
        cmocka_unit_test(test_a_threshold_that_was_not_searched_is_not_told),
        cmocka_unit_test(test_curved_rods_leave_their_plane_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
