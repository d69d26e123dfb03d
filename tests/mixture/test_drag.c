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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drag_among_aligned_fibres_is_that_of_the_table),
        cmocka_unit_test(test_drag_alone_is_that_of_a_capsule_of_fixed_slenderness),
        cmocka_unit_test(test_a_phase_feels_the_share_that_pressure_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
