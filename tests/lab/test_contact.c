// The cases of contact and bridges pass, at their defaults and at other parameters.
#include "lab/perform.h"

static void test_strands_slide_down_slopes_by_coulombs_law(void **state)
{
    (void)state;
    PASS("incline");
    PASS("incline", "angle=16.6");
    PASS("incline", "angle=16.8", "youngs_modulus=1e8", "segments=30");
    PASS("incline", "pair=strand-strand", "mu=0.5", "angle=35");
    PASS("incline", "pair=strand-strand", "mu=0.5", "angle=26.4");
}

static void test_tension_grows_around_a_cylinder(void **state)
{
    (void)state;
    PASS("capstan", "steps=600");
    PASS("capstan", "mu=0.5", "turns=0.5", "steps=600", "radius=3");
}

static void test_a_pressed_rod_slips_when_friction_is_too_small(void **state)
{
    (void)state;
    PASS("stick-slip");
    PASS("stick-slip", "mu=0.4", "segments=40");
}

static void test_wet_fibres_part_over_the_length_that_adhesion_allows(void **state)
{
    (void)state;
    PASS("coalescence", "segments=60", "steps=400");
    PASS("clump", "segments=40", "steps=300");
}

static void test_columns_between_fibres_are_princens(void **state)
{
    (void)state;
    PASS("bridge-pair", "gap_over_radius=0.2");
    PASS("bridge-pair", "gap_over_radius=2");
    PASS("bridge-pair", "gap_over_radius=1", "contact_angle=0.6");
    PASS("bridge-pair", "gap_over_radius=2.9");
}

static void test_no_strand_of_a_pile_passes_through_another_or_the_bowl(void **state)
{
    (void)state;
    PASS("pile", "strands=60", "vertices=12", "duration=0.4");
    PASS("pile", "strands=30", "vertices=10", "duration=0.6", "mu=0.5", "step=5 ms", "youngs_modulus=1e7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strands_slide_down_slopes_by_coulombs_law),
        cmocka_unit_test(test_tension_grows_around_a_cylinder),
        cmocka_unit_test(test_a_pressed_rod_slips_when_friction_is_too_small),
        cmocka_unit_test(test_wet_fibres_part_over_the_length_that_adhesion_allows),
        cmocka_unit_test(test_columns_between_fibres_are_princens),
        cmocka_unit_test(test_no_strand_of_a_pile_passes_through_another_or_the_bowl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
