// Drag of liquid on fibres against the numbers of the laws.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mixture/drag.h"

#include <math.h>

static void expect(double value, double expected, double share)
{
    if (!(fabs(value - expected) <= share * fabs(expected))) fail_msg("%.7g is not %.7g", value, expected);
}

// Drummond and Tahir's dimensionless drag per length.
static void test_drag_among_aligned_fibres_is_that_of_the_table(void **unused)
{
    (void)unused;
    static const double rows[][3] = {{1e-4, 1.6247, 3.2494},  {1e-3, 2.3126, 4.6253},  {0.01, 3.9904, 7.9812},
                                     {0.05, 7.7643, 15.5543}, {0.1, 12.3009, 24.8121}, {0.3, 44.4084, 90.2696}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dr_drag_flow flow = {.density = 1.0, .viscosity = 0.0089, .radius = 0.005, .share = rows[i][0]};
        dr_drag drag = dr_drag_array(&flow);
        expect(drag.along / flow.viscosity, rows[i][1], 1e-4);
        expect(drag.across / flow.viscosity, rows[i][2], 1e-4);
    }
}

// The equivalent sphere of a capsule of length 12 r in creeping flow, and the drag coefficient beyond it.
static void test_drag_alone_is_that_of_a_capsule_of_fixed_slenderness(void **unused)
{
    (void)unused;
    dr_drag_flow flow = {.density = 1.0, .viscosity = 2.0, .radius = 0.03};
    dr_drag slow = dr_drag_alone(&flow);
    expect(slow.across / flow.viscosity, 4.617029, 1e-6);
    expect(slow.along / flow.viscosity, 1.570796, 1e-6);
    // A = 27.14159 r^2, d = 5.878584 r, Re = 10: C0 = 2.4, surface over projection 3.241, C_d by (3)
    flow.speed = 10.0 * flow.viscosity / (5.878584 * flow.radius);
    double middle = 3.240992 * 0.44 * pow(2.4, 11.0 / 24.0) * pow(0.5579315 / (0.5579315 + 2.4), 11.0 / 48.0);
    double beyond = (2.4 + middle + 0.44 * 0.5579315 / (0.5579315 + 128.0 * 2.4)) / 2.4;
    expect(dr_drag_alone(&flow).across / slow.across, beyond, 1e-5);
}

// What is left for drag when the mixture's pressure gradient pushes on the fibre as well: Darcy's law, whole.
static void test_a_phase_feels_the_share_that_pressure_leaves(void **unused)
{
    (void)unused;
    dr_drag_flow flow = {.density = 1.0, .viscosity = 0.0089, .radius = 0.005, .share = 0.1};
    expect(dr_drag_fibre(&flow).across, 0.81 * 24.8121 * 0.0089, 1e-4);
    double per_area = 0.1 / (3.141592653589793 * 0.005 * 0.005), pores = 0.9;
    double gradient = per_area * dr_drag_fibre(&flow).across * (1.0 / pores) / pores; // pores times it balances drag
    expect(gradient, 281.17, 1e-4);
    flow.share = 0.0;
    expect(dr_drag_fibre(&flow).across, dr_drag_alone(&flow).across, 1e-12);
}

// Renaud's coefficient for spheres and for a rod, Herschel-Bulkley indices 1, 0.5173 and 0.3162.
static void test_drag_coefficient_in_thick_liquid_is_that_of_the_table(void **unused)
{
    (void)unused;
    static const double index[3] = {1.0, 0.5173, 0.3162};
    static const double sphere[][4] = {{0.01, 2409.16, 3424.81, 3493.55},
                                       {1.0, 27.1729, 34.6874, 35.1019},
                                       {100.0, 1.09086, 0.718441, 0.649317},
                                       {1000.0, 0.407070, 0.554905, 0.544991}};
    static const double rod[][4] = {{0.1, 244.262, 342.816, 349.473}, {10.0, 3.81557, 3.73551, 3.63981}};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) expect(dr_drag_coefficient(sphere[i][0], index[k], 4.0), sphere[i][k + 1], 3e-6);
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) expect(dr_drag_coefficient(rod[i][0], index[k], 3.154868), rod[i][k + 1], 3e-6);
    }
}

// At rest a yield stress holds with 12 X yield on the area across, whatever the speed: 235.037 dyn/cm2 for drilling
// mud.
static void test_a_yield_stress_holds_a_fibre(void **unused)
{
    (void)unused;
    dr_drag_flow flow = {.density = 1.22, .radius = 0.005, .yield = 13.7278, .consistency = 6.496, .index = 0.5173};
    double area = (24.0 + 3.141592653589793) * 0.005 * 0.005 / (12.0 * 0.005);
    for (double u = 1e-12; u < 1.0; u *= 100.0) {
        flow.speed = u;
        double hold = dr_drag_fibre(&flow).across * u / area;
        if (u < 1e-4) expect(hold / (u / 1e-4), 235.037, 0.06);
        if (u > 1e-4) assert_true(hold > 235.037);
    }
    flow.speed = 1e-4;
    flow.consistency = 1e-9;
    expect(dr_drag_fibre(&flow).across * 1e-4 / area, 235.037, 1e-5);
}

// In the mixture the larger of both laws counts, along and across on its own, at any speed and share.
static void test_drag_in_the_mixture_is_the_larger_of_both_laws(void **unused)
{
    (void)unused;
    int alone_larger = 0, array_larger = 0;
    for (int i = 0; i < 4000; i++) {
        double share = 0.3 * pow(10.0, -0.2 * (i % 20)), speed = pow(10.0, 0.035 * (i / 20) - 3.0), pores = 1.0 - share;
        dr_drag_flow flow = {.density = 1.0, .viscosity = 0.0089, .radius = 0.004, .share = share, .speed = speed};
        dr_drag both = dr_drag_fibre(&flow);
        flow.speed *= pores;
        dr_drag alone = dr_drag_alone(&flow), array = dr_drag_array(&flow);
        expect(both.along, pores * pores * fmax(alone.along, array.along), 1e-14);
        expect(both.across, pores * pores * fmax(alone.across, array.across), 1e-14);
        alone_larger += alone.along > array.along;
        array_larger += alone.along < array.along;
    }
    assert_true(alone_larger > 500 && array_larger > 500);
}

// A Newtonian liquid given as a thick one has the same drag alone.
static void test_thick_drag_of_a_newtonian_liquid_is_that_of_one_fibre(void **unused)
{
    (void)unused;
    dr_drag_flow plain = {.density = 1.1, .viscosity = 0.3, .radius = 0.01, .speed = 4.0}, thick = plain;
    thick.consistency = 0.3;
    thick.index = 1.0;
    expect(dr_drag_thick(&thick).across, dr_drag_alone(&plain).across, 1e-6);
    expect(dr_drag_thick(&thick).along, dr_drag_alone(&plain).along, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drag_among_aligned_fibres_is_that_of_the_table),
        cmocka_unit_test(test_drag_in_the_mixture_is_the_larger_of_both_laws),
        cmocka_unit_test(test_drag_coefficient_in_thick_liquid_is_that_of_the_table),
        cmocka_unit_test(test_a_yield_stress_holds_a_fibre),
        cmocka_unit_test(test_thick_drag_of_a_newtonian_liquid_is_that_of_one_fibre),
        cmocka_unit_test(test_drag_alone_is_that_of_a_capsule_of_fixed_slenderness),
        cmocka_unit_test(test_a_phase_feels_the_share_that_pressure_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
