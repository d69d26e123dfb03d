// The law of thick liquids against reference values computed for docs/theory/rheology.md.
#include "support/check.h"

#include "liquid/rheology_lanes.h"
#include "math/lanes_math.h"

#include <math.h>
#include <string.h>

#define ROOT_2_3 0.81649658092772603

typedef struct row {
    double trial, modulus, yield, consistency, index, dt, stress, by_trial, by_modulus;
} row;

static const row table[] = {
    {800, 3045, 319 * ROOT_2_3, 272, 0.22, 1e-3, 728.3319307, 0.58952846, -0.013875326},
    {200, 4040, 9.6 * ROOT_2_3, 173.56, 0.3162, 1e-3, 190.5020813, 0.85878000, -0.0020189660},
    {1000, 4400, 9.6 * ROOT_2_3, 173.56, 0.3162, 1e-3, 591.7795847, 0.31144181, -0.028894752},
    {50, 1005, 16.813 * ROOT_2_3, 6.496, 0.5173, 1e-3, 33.20670522, 0.37501124, -0.0062663425},
    {400, 4080, 300 * ROOT_2_3, 28, 0.98, 1e-3, 364.2028922, 0.76552002, -0.0067165203},
    {400, 4080, 300 * ROOT_2_3, 28, 1, 1e-3, 365.0106092, 0.77433628, -0.0066405772},
};

static dr_rheology law_of(const row *r)
{
    return (dr_rheology){
        .shear_modulus = 1.0, .yield = r->yield, .consistency = r->consistency, .index = r->index, .recovery = 1.0};
}

static void test_return_map_has_the_reference_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        dr_rheology law = law_of(&table[i]);
        dr_return_map map = dr_rheology_return(&law, table[i].trial, table[i].modulus, table[i].dt);
        check_near(map.stress / table[i].stress, 1.0, 1e-9);
        check_near(map.by_trial / table[i].by_trial, 1.0, 1e-7);
        check_near(map.by_modulus / table[i].by_modulus, 1.0, 1e-7);
    }
}

static void test_thickening_plastic_and_elastic_limits(void **state)
{
    (void)state;
    dr_rheology law = {.yield = 20.0, .consistency = 10.0, .index = 1.5};
    check_near(dr_rheology_return(&law, 60.0, 1000.0, 1e-3).stress, 55.35816393, 1e-7);
    check_near(dr_rheology_return(&law, 60.0, 1000.0, 0.1).stress, 20.86555327, 1e-7);
    assert_true(dr_rheology_return(&law, 10.0, 1000.0, 1e-3).stress == 10.0);
    law.consistency = 0.0;
    assert_true(dr_rheology_return(&law, 60.0, 1000.0, 1e-3).stress == 20.0);
}

static void test_derivatives_are_differences(void **state)
{
    (void)state;
    const double indices[] = {0.1, 0.22, 0.5, 0.98, 1.0, 1.5, 3.0};
    for (int i = 0; i < 7; i++) {
        dr_rheology law = {.yield = 30.0, .consistency = 20.0, .index = indices[i]};
        double s = 100.0, m = 3000.0, dt = 1e-3, ds = 1e-4, dm = 1e-3;
        dr_return_map map = dr_rheology_return(&law, s, m, dt);
        double by_s =
            (dr_rheology_return(&law, s + ds, m, dt).stress - dr_rheology_return(&law, s - ds, m, dt).stress) /
            (2.0 * ds);
        double by_m =
            (dr_rheology_return(&law, s, m + dm, dt).stress - dr_rheology_return(&law, s, m - dm, dt).stress) /
            (2.0 * dm);
        check_near(by_s, map.by_trial, 1e-6);
        check_near(by_m / map.by_modulus, 1.0, 1e-4);
    }
}

static const dr_rheology shaving_cream = {
    .shear_modulus = 2.9e3, .yield = 319 * ROOT_2_3, .consistency = 272, .index = 0.22};

// One update of shaving cream: the state after it is stress over modulus plus a third of the trace.
static void test_one_update_of_shaving_cream(void **state)
{
    (void)state;
    const double gradient[9] = {10, 80, 0, 0, -4, 20, 5, 0, -6},
                 trial[6] = {1.2305755898, 0.0796835996, 0.0060602738, 0.9923941636, 0.0165674151, 0.8234305309};
    dr_rheology_state s = {.b = {0.2, 0, 0, 0, 0, 1.0 / 1.2 - 1.0}};
    dr_rheology_answer answer;
    dr_rheology_step(&shaving_cream, gradient, 1e-3, &s, &answer);
    double third = (trial[0] + trial[3] + trial[5]) / 3.0, share = 785.830285 / 903.215841;
    for (int i = 0; i < 6; i++) {
        bool diagonal = i == 0 || i == 3 || i == 5;
        double dev = trial[i] - (diagonal ? third : 0.0);
        check_near(answer.stress[i], 2.9e3 * share * dev, 1e-5);
        check_near(s.b[i], share * dev + (diagonal ? third - 1.0 : 0.0), 1e-9);
    }
}

// The stress times f^-T, as the force on the grid has it.
static void force_of(const dr_rheology *law, const double start[6], const double u[9], double dt, double out[9])
{
    dr_rheology_state s = {0};
    dr_rheology_answer answer;
    memcpy(s.b, start, sizeof s.b);
    dr_rheology_step(law, u, dt, &s, &answer);
    double f[9], inverse[9];
    for (int i = 0; i < 9; i++) f[i] = dt * u[i] + (i % 4 == 0 ? 1.0 : 0.0);
    double det =
        f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6]);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            int a = (c + 1) % 3, b = (c + 2) % 3, d = (r + 1) % 3, e = (r + 2) % 3;
            inverse[3 * r + c] = (f[3 * a + d] * f[3 * b + e] - f[3 * a + e] * f[3 * b + d]) / det;
        }
    }
    const double *t = answer.stress, full[9] = {t[0], t[1], t[2], t[1], t[3], t[4], t[2], t[4], t[5]};
    for (int i = 0; i < 9; i++) {
        out[i] = 0.0;
        for (int k = 0; k < 3; k++) out[i] += full[i / 3 * 3 + k] * inverse[i % 3 * 3 + k];
    }
}

// At u = 0 the tangent is the derivative of stress times f^-T by dt times the gradient.
static void test_tangent_is_the_difference_of_forces(void **state)
{
    (void)state;
    const double direction[9] = {.1, .5, -.2, .3, -.4, .6, .2, .1, .25};
    const double starts[2][6] = {{0.2, 0, 0, 0, 0, 1.0 / 1.2 - 1.0}, {0.01, 0.02, -0.01, 0.0, 0.005, -0.0095}};
    for (int k = 0; k < 2; k++) {
        double trial[6], change[9], up[9], down[9], small = 1e-3, plus[9], minus[9];
        for (int i = 0; i < 6; i++) trial[i] = starts[k][i] + (i == 0 || i == 3 || i == 5 ? 1.0 : 0.0);
        double det = trial[0] * (trial[3] * trial[5] - trial[4] * trial[4]) -
                     trial[1] * (trial[1] * trial[5] - trial[4] * trial[2]) +
                     trial[2] * (trial[1] * trial[4] - trial[3] * trial[2]);
        for (int i = 0; i < 6; i++) trial[i] /= cbrt(det);
        dr_rheology_tangent(&shaving_cream, trial, 1e-3, direction, change);
        for (int i = 0; i < 9; i++) plus[i] = small * direction[i], minus[i] = -small * direction[i];
        force_of(&shaving_cream, starts[k], plus, 1e-3, up);
        force_of(&shaving_cream, starts[k], minus, 1e-3, down);
        for (int i = 0; i < 9; i++) check_near((up[i] - down[i]) / (2e-3 * small), change[i], 2e-4 * 3e3);
    }
}

typedef struct startup {
    dr_rheology law;
    double rate, dt, stress, first, size;
} startup;

// Simple shear up to a strain of 3.
static void shear(const startup *s, dr_rheology_state *at, dr_rheology_answer *answer)
{
    const double gradient[9] = {0, s->rate, 0, 0, 0, 0, 0, 0, 0};
    *at = (dr_rheology_state){0};
    for (int i = 0; i < (int)(3.0 / (s->rate * s->dt) + 0.5); i++)
        dr_rheology_step(&s->law, gradient, s->dt, at, answer);
}

static void test_startup_of_shear(void **state)
{
    (void)state;
    const dr_rheology mud = {.shear_modulus = 1e3, .yield = 16.813 * ROOT_2_3, .consistency = 6.496, .index = 0.5173};
    const dr_rheology paint = {.shear_modulus = 4e3, .yield = 9.6 * ROOT_2_3, .consistency = 173.56, .index = 0.3162};
    const startup rows[] = {{mud, 10, 1e-5, 22.332, 1.000, 31.593},
                            {mud, 100, 1e-5, 51.156, 5.290, 72.475},
                            {paint, 100, 1e-5, 471.496, 112.139, 673.054},
                            {shaving_cream, 10, 1e-5, 470.444, 154.030, 677.091}};
    for (int i = 0; i < 4; i++) {
        dr_rheology_state s;
        dr_rheology_answer answer;
        shear(&rows[i], &s, &answer);
        const double *t = answer.stress;
        double size = sqrt(t[0] * t[0] + t[3] * t[3] + t[5] * t[5] + 2 * (t[1] * t[1] + t[2] * t[2] + t[4] * t[4]));
        check_near(t[1] / rows[i].stress, 1.0, 2e-4);
        check_near((t[0] - t[3]) / rows[i].first, 1.0, 1e-3);
        check_near(size / rows[i].size, 1.0, 2e-4);
    }
}

// Stopped, the stress falls to the yield stress and stays there; below it nothing changes at all.
static void test_stress_stays_at_yield(void **state)
{
    (void)state;
    const dr_rheology chocolate = {.shear_modulus = 4e3, .yield = 300 * ROOT_2_3, .consistency = 28, .index = 0.98};
    startup s = {.law = chocolate, .rate = 10.0, .dt = 1e-3};
    const double still[9] = {0};
    dr_rheology_state at, before;
    dr_rheology_answer answer;
    shear(&s, &at, &answer);
    for (int i = 0; i < 1000; i++) dr_rheology_step(&s.law, still, 1e-3, &at, &answer);
    const double *t = answer.stress;
    double size = sqrt(t[0] * t[0] + t[3] * t[3] + t[5] * t[5] + 2 * (t[1] * t[1] + t[2] * t[2] + t[4] * t[4]));
    assert_true(size >= s.law.yield * (1.0 - 1e-12) && size < s.law.yield * 1.01);
    for (int i = 0; i < 6; i++) at.b[i] *= 0.5;
    dr_rheology_step(&s.law, still, 1e-3, &at, &answer);
    before = at;
    for (int i = 0; i < 1000; i++) dr_rheology_step(&s.law, still, 1e-3, &at, &answer);
    for (int i = 0; i < 6; i++) check_near(at.b[i], before.b[i], 1e-14);
}

static void test_pressure_and_volume(void **state)
{
    (void)state;
    double dilation = dr_rheology_dilation(2.5e4, 1962.0);
    check_near(1.0 + dilation, 0.92459483, 1e-8);
    check_near(dr_rheology_pressure(2.5e4, dilation), 1962.0, 1e-8);
    double slope = (dr_rheology_pressure(2.5e4, dilation + 1e-6) - dr_rheology_pressure(2.5e4, dilation - 1e-6)) / 2e-6;
    check_near(-(1.0 + dilation) * slope / dr_rheology_stiffness(2.5e4, dilation), 1.0, 1e-8);
    check_near(dr_rheology_yield_of_shear(1.0), 1.7320508, 1e-7);
    check_near(dr_rheology_consistency_of_shear(1.0, 1.0), 2.0, 1e-14);
}

// Pulled far enough the liquid tears, and does not resist being pulled any more; left alone it heals.
static void test_tearing_and_recovery(void **state)
{
    (void)state;
    dr_rheology law = shaving_cream;
    law.tear = 10.0;
    law.recovery = 0.35;
    const double pull[9] = {20, 0, 0, 0, -10, 0, 0, 0, -10}, still[9] = {0};
    dr_rheology_state s = {0};
    dr_rheology_answer answer;
    int steps = 0;
    for (; steps < 1000 && !dr_rheology_is_torn(&law, &s); steps++) {
        dr_rheology_step(&law, pull, 1e-3, &s, &answer);
        dr_rheology_recover(&law, 1e-3, &s);
    }
    assert_in_range(steps, 40, 200);
    double before = answer.stress[0];
    for (int i = 0; i < 50; i++) dr_rheology_step(&law, pull, 1e-3, &s, &answer);
    assert_true(answer.stress[0] < 0.75 * before);
    for (int i = 0; i < 2000; i++) {
        dr_rheology_step(&law, still, 1e-3, &s, &answer);
        dr_rheology_recover(&law, 1e-3, &s);
    }
    assert_false(dr_rheology_is_torn(&law, &s));
}

// The logarithm of plastic stretches decays with the time of recovery.
static void test_recovery_takes_its_time(void **state)
{
    (void)state;
    dr_rheology law = {.shear_modulus = 1.0, .tear = 10.0, .recovery = 0.5};
    dr_rheology_state s = {.total = {3.0, 0, 0, -0.5, 0, -0.5}};
    for (int i = 0; i < 500; i++) dr_rheology_recover(&law, 1e-3, &s);
    check_near(log(1.0 + s.total[0]), log(4.0) * exp(-1.0), 1e-9);
    check_near(log(1.0 + s.total[3]), log(0.5) * exp(-1.0), 1e-9);
}

// ---- several at once

static double within(double x, double y)
{
    return fabs(x - y) / (1e-300 + fmax(fabs(x), fabs(y)));
}

static void test_exponentials_and_logarithms_of_lanes(void **state)
{
    (void)state;
    for (int i = -7000; i < 7000; i++) {
        double x = 0.1 * i + 1e-5 * i * i * 1e-3;
        if (fabs(x) < 705.0) assert_true(within(dr_lanes_exp(dr_lanes_all(x))[0], exp(x)) < 1e-14);
        double y = exp(fmin(fmax(x, -700.0), 700.0)), z = 1.0 + 1e-4 * i / 7.0;
        check_near(dr_lanes_log(dr_lanes_all(y))[0], log(y), 4e-16 * (1.0 + fabs(x)));
        check_near(dr_lanes_log(dr_lanes_all(z))[0], log(z), 1e-15 * fabs(log(z)) + 1e-19);
        assert_true(within(dr_lanes_inverse_cube_root(dr_lanes_all(y))[0], 1.0 / cbrt(y)) < 1e-15);
        assert_true(within(dr_lanes_exp_small(dr_lanes_all(1e-6 * i))[0], exp(1e-6 * i)) < 1e-12);
    }
    assert_true(dr_lanes_exp(dr_lanes_all(-800.0))[0] == 0.0);
}

// Strain of many steps of changing gradients, small and beyond a part, of every kind of law.
static void test_lanes_do_what_one_does(void **state)
{
    (void)state;
    static const double index[] = {0.1, 0.22, 0.3162, 0.5173, 0.98, 1.0, 1.5, 4.0};
    for (int i = 0; i < 8; i++) {
        for (int kind = 0; kind < 4; kind++) {
            dr_rheology law = {.shear_modulus = 2890.0, .yield = 100.0, .consistency = 27.2, .index = index[i]};
            if (kind == 1) law.consistency = 0.0;
            if (kind == 2) law.yield = 0.0;
            if (kind == 3) law.yield = 1e9;
            dr_rheology_state one[DR_RHEOLOGY_POINTS] = {{.b = {0.0}}};
            dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR];
            dr_rheology_lanes_clear(lanes);
            for (int lane = 0; lane < DR_RHEOLOGY_POINTS; lane++) dr_rheology_lanes_law(lanes, lane, &law);
            for (int k = 0; k < 200; k++) {
                dr_rheology_answer answer[DR_RHEOLOGY_POINTS];
                for (int lane = 0; lane < DR_RHEOLOGY_POINTS; lane++) {
                    dr_rheology_lanes *of = &lanes[lane / DR_LANES];
                    const int l = lane % DR_LANES;
                    double g[9], rate = (kind == 3 ? 2.0 : lane == 2 ? 400.0 : 20.0) * sin(0.3 * k + lane), trace;
                    for (int j = 0; j < 9; j++) g[j] = rate * sin(1.7 * j + 0.1 * k + lane);
                    trace = (g[0] + g[4] + g[8]) / 3.0;
                    for (int j = 0; j < 9; j++) of->gradient[j][l] = g[j] -= j % 4 ? 0.0 : trace;
                    dr_rheology_step(&law, g, 1e-3, &one[lane], &answer[lane]);
                }
                dr_rheology_lanes_step(lanes, 1e-3);
                for (int lane = 0; lane < DR_RHEOLOGY_POINTS; lane++) {
                    dr_rheology_lanes *of = &lanes[lane / DR_LANES];
                    const int l = lane % DR_LANES;
                    double size = 1.0;
                    for (int j = 0; j < DR_SYMMETRIC; j++) size = fmax(size, fabs(one[lane].b[j]));
                    for (int j = 0; j < DR_SYMMETRIC; j++) {
                        check_near(of->b[j][l], one[lane].b[j], 1e-9 * size);
                        check_near(of->stress[j][l], answer[lane].stress[j], 1e-9 * size * 2890.0);
                        one[lane].b[j] = of->b[j][l];
                    }
                    check_near(of->viscosity[l] / answer[lane].viscosity, 1.0, 1e-8);
                }
            }
        }
    }
}

// Points that remember their plastic strain, side by side and one by one, until some of them tear.
static void test_history_of_lanes_is_that_of_one(void **state)
{
    (void)state;
    dr_rheology law = {
        .shear_modulus = 1000, .yield = 13.7, .consistency = 6.5, .index = 0.5173, .tear = 3, .recovery = 0.35};
    dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR];
    dr_rheology_history history = {.tear = dr_lanes_all(law.tear), .keep = dr_lanes_all(exp(-1e-3 / law.recovery))};
    dr_rheology_state one[DR_LANES];
    double last[DR_LANES] = {0};
    int torn_ones = 0;
    memset(one, 0, sizeof one);
    memset(history.total, 0, sizeof history.total);
    dr_rheology_lanes_clear(lanes);
    for (int i = 0; i < DR_RHEOLOGY_POINTS; i++) dr_rheology_lanes_law(lanes, i, &law);
    for (int step = 0; step < 60; step++) {
        bool torn[DR_LANES];
        for (int i = 0; i < DR_LANES; i++) {
            for (int k = 0; k < 9; k++) lanes->gradient[k][i] = 15.0 * (i + 1) * sin(1.0 + k + 0.02 * step);
            double third = (lanes->gradient[0][i] + lanes->gradient[4][i] + lanes->gradient[8][i]) / 3.0;
            for (int k = 0; k < 9; k += 4) lanes->gradient[k][i] -= third;
        }
        dr_rheology_lanes_torn(lanes, &history, torn);
        for (int i = 0; i < DR_LANES; i++) {
            assert_int_equal(torn[i], dr_rheology_is_torn(&law, &one[i]));
            torn_ones += torn[i];
        }
        if (torn_ones) break;
        dr_rheology_lanes_carry(lanes, 1e-3, &history);
        dr_rheology_lanes_step(lanes, 1e-3);
        dr_rheology_lanes_recover(lanes, &history);
        for (int i = 0; i < DR_LANES; i++) {
            dr_rheology_answer answer;
            double g[9];
            for (int k = 0; k < 9; k++) g[k] = lanes->gradient[k][i];
            dr_rheology_step(&law, g, 1e-3, &one[i], &answer);
            dr_rheology_recover(&law, 1e-3, &one[i]);
            for (int k = 0; k < DR_SYMMETRIC; k++) {
                check_near(history.total[k][i], one[i].total[k], 1e-7);
                check_near(lanes->b[k][i], one[i].b[k], 1e-7);
            }
            last[i] = one[i].total[1];
        }
    }
    assert_true(torn_ones > 0 && fabs(last[0]) > 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_return_map_has_the_reference_values),
        cmocka_unit_test(test_thickening_plastic_and_elastic_limits),
        cmocka_unit_test(test_derivatives_are_differences),
        cmocka_unit_test(test_one_update_of_shaving_cream),
        cmocka_unit_test(test_exponentials_and_logarithms_of_lanes),
        cmocka_unit_test(test_lanes_do_what_one_does),
        cmocka_unit_test(test_tangent_is_the_difference_of_forces),
        cmocka_unit_test(test_startup_of_shear),
        cmocka_unit_test(test_stress_stays_at_yield),
        cmocka_unit_test(test_pressure_and_volume),
        cmocka_unit_test(test_tearing_and_recovery),
        cmocka_unit_test(test_recovery_takes_its_time),
        cmocka_unit_test(test_history_of_lanes_is_that_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
