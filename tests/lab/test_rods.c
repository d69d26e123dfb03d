// The cases of rods at their full bars: they are quick.
#include "lab/lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void pass(const char *name, const char *first, const char *second)
{
    int count = 0;
    const dr_lab_case *const *cases = dr_lab_validations(&count);
    const dr_lab_case *which = dr_lab_find(cases, count, name);
    const char *const settings[] = {first, second};
    assert_non_null(which);
    dr_lab_request request = {.settings = settings, .setting_count = second ? 2 : first ? 1 : 0, .threads = 1};
    dr_lab *lab = NULL;
    dr_error error;
    assert_int_equal(dr_lab_perform(which, &request, &lab, &error), DR_STATUS_OK);
    if (!dr_lab_passed(lab)) fail_msg("%s", dr_lab_show(lab, false));
    dr_lab_destroy(lab);
}

static void test_cantilevers_hang_as_the_elastica(void **state)
{
    (void)state;
    static const char *const gammas[] = {"gamma=0.1", "gamma=1", "gamma=10", "gamma=50"};
    for (int i = 0; i < 4; i++) pass("rod-cantilever", gammas[i], NULL);
    pass("rod-cantilever", "gamma=1000", "segments=160");
}

// Whatever length, radius, density and modulus are: only Gamma counts.
static void test_cantilevers_depend_on_gamma_alone(void **state)
{
    (void)state;
    pass("rod-cantilever", "length=1 m", "radius=0.2 mm");
    pass("rod-cantilever", "youngs_modulus=1e7", "density=8");
    pass("rod-cantilever", "length=2 mm", "radius=1 um");
}

static void test_loads_and_moments_bend_rods_as_they_should(void **state)
{
    (void)state;
    static const char *const loads[] = {"alpha=1", "alpha=2", "alpha=5", "alpha=10"};
    static const char *const moments[] = {"moment=1", "moment=-3", "moment=6.2831853"};
    for (int i = 0; i < 4; i++) pass("rod-tip-load", loads[i], NULL);
    for (int i = 0; i < 3; i++) pass("rod-end-moment", moments[i], NULL);
}

static void test_rods_swing_at_their_frequencies(void **state)
{
    (void)state;
    pass("rod-vibration", "mode=1", NULL);
    pass("rod-vibration", "mode=2", NULL);
    pass("rod-vibration", "mode=3", NULL);
}

static void test_columns_rings_and_twisted_rods_give_way_where_they_should(void **state)
{
    (void)state;
    pass("rod-self-buckling", NULL, NULL);
    pass("rod-self-buckling", "gamma=7.6", NULL);
    pass("rod-self-buckling", "gamma=8.1", NULL);
    pass("rod-ring-twist", NULL, NULL);
    pass("rod-ring-twist", "twist=15.8", NULL);
    pass("rod-ring-twist", "twist=17", NULL);
    pass("rod-ring-twist", "c_over_b=1", NULL);
    pass("rod-twist-clamped", NULL, NULL);
    pass("rod-twist-clamped", "moment=8.7", NULL);
    pass("rod-twist-clamped", "moment=15", NULL);
}

static void test_curved_rods_leave_their_plane_in_between(void **state)
{
    (void)state;
    pass("rod-bend-twist", "gamma=20", NULL);
    pass("rod-bend-twist", "gamma=100", NULL);
    pass("rod-bend-twist", "gamma=300", NULL);
    pass("rod-bend-twist", "gamma=50", "curvature=5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cantilevers_hang_as_the_elastica),
        cmocka_unit_test(test_cantilevers_depend_on_gamma_alone),
        cmocka_unit_test(test_loads_and_moments_bend_rods_as_they_should),
        cmocka_unit_test(test_rods_swing_at_their_frequencies),
        cmocka_unit_test(test_columns_rings_and_twisted_rods_give_way_where_they_should),
        cmocka_unit_test(test_curved_rods_leave_their_plane_in_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
