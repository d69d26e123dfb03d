#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/kernel.h"

#include <math.h>

#define EXACT 1e-12

// The B-splines as functions of the distance from their middle, in cells.
static double spline(int degree, double x)
{
    double a = fabs(x);
    if (degree == 1) return a < 1.0 ? 1.0 - a : 0.0;
    if (degree == 2) return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0.0;
    if (a < 1.0) return 0.5 * a * a * a - a * a + 2.0 / 3.0;
    return a < 2.0 ? (2.0 - a) * (2.0 - a) * (2.0 - a) / 6.0 : 0.0;
}

static void test_weights_are_the_splines(void **state)
{
    (void)state;
    for (int degree = 1; degree <= 3; degree++) {
        for (int s = 0; s < 1000; s++) {
            double t = s / 1000.0, w[4];
            dr_kernel_weights(degree, t, w);
            for (int n = 0; n <= degree; n++) {
                assert_true(fabs(w[n] - spline(degree, t + dr_kernel_reach(degree) - n)) < EXACT);
                assert_true(w[n] >= 0.0);
            }
        }
    }
}

static void test_weights_sum_to_one_and_have_no_first_moment(void **state)
{
    (void)state;
    for (int degree = 1; degree <= 3; degree++) {
        for (int s = 0; s < 1000; s++) {
            double t = s / 1000.0, f = t + dr_kernel_reach(degree), w[4], g[4];
            double sum = 0.0, first = 0.0, second = 0.0, slope = 0.0, slope_first = 0.0;
            dr_kernel_weights(degree, t, w);
            dr_kernel_slopes(degree, t, g);
            for (int n = 0; n <= degree; n++) {
                sum += w[n];
                first += w[n] * (n - f);
                second += w[n] * (n - f) * (n - f);
                slope += g[n];
                slope_first += g[n] * n;
            }
            assert_true(fabs(sum - 1.0) < EXACT);
            assert_true(fabs(first) < EXACT);
            assert_true(fabs(second - (degree == 1 ? t * (1.0 - t) : 1.0 / (6 - degree))) < EXACT);
            assert_true(fabs(slope) < EXACT);
            assert_true(fabs(slope_first - 1.0) < EXACT);
        }
    }
}

static void test_slopes_are_derivatives_of_weights(void **state)
{
    (void)state;
    const double step = 1e-5;
    for (int degree = 1; degree <= 3; degree++) {
        for (int s = 1; s < 100; s++) {
            double t = s / 100.0, above[4], below[4], g[4];
            dr_kernel_weights(degree, t + step, above);
            dr_kernel_weights(degree, t - step, below);
            dr_kernel_slopes(degree, t, g);
            for (int n = 0; n <= degree; n++) assert_true(fabs((above[n] - below[n]) / (2.0 * step) - g[n]) < 1e-8);
        }
    }
}

static void test_float_weights_agree_with_double_ones(void **state)
{
    (void)state;
    for (int degree = 1; degree <= 3; degree++) {
        for (int s = 0; s < 1000; s++) {
            float t = (float)s / 1000.0F;
            double w[4];
            dr_float4 v[4];
            dr_kernel_weights(degree, (double)t, w);
            dr_kernel_weights4(degree, dr_float4_all(t), v);
            for (int n = 0; n <= degree; n++) assert_true(fabs(w[n] - (double)v[n][2]) < 2e-7);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_the_splines),
        cmocka_unit_test(test_weights_sum_to_one_and_have_no_first_moment),
        cmocka_unit_test(test_slopes_are_derivatives_of_weights),
        cmocka_unit_test(test_float_weights_agree_with_double_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
