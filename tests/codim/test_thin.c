// Sheets and threads on the grid: golden values, derivatives by differences, the return maps.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "codim/curve.h"
#include "codim/surface.h"

#include <math.h>
#include <string.h>

#define DEGREE 0.017453292519943295

static double worst(const double a[3][3], const double b[3][3])
{
    double most = 0.0;
    for (int i = 0; i < 9; i++) most = fmax(most, fabs((&a[0][0])[i] - (&b[0][0])[i]));
    return most;
}

// Columns from rows as they are printed.
static void columns(const double rows[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) out[j][i] = rows[i][j];
    }
}

static dr_surface_law golden_sheet(void)
{
    double young = 400, nu = 0.3;
    return (dr_surface_law){.mu = young / 2 / (1 + nu),
                            .lambda = young * nu / ((1 + nu) * (1 - 2 * nu)),
                            .shear = 500,
                            .normal = 800,
                            .friction = tan(20 * DEGREE)};
}

static dr_curve_law golden_thread(double angle)
{
    dr_curve_law law = dr_curve_make(500, 0.3, angle);
    double alpha = sqrt(2.0 / 3.0) * 2 * sin(angle) / (3 - sin(angle));
    law.stretch = 2000;
    law.shear = 500;
    law.across = 2 * sqrt(2) * alpha; // the normalisation that the values were printed for
    return law;
}

static const double sheet_rows[3][3] = {{1.10, .05, .12}, {-.04, .95, -.06}, {.02, .03, .85}};
static const double thread_rows[3][3] = {{1.02, .08, -.03}, {.01, .90, .25}, {-.02, -.10, .70}};
static const double change_rows[3][3] = {{.1, -.2, .3}, {.05, .15, -.1}, {-.25, .2, .1}};

static void expect_rows(const double rows[3][3], const double found[3][3])
{
    double wanted[3][3];
    columns(rows, wanted);
    assert_true(worst((const double(*)[3])wanted, found) < 1e-10);
}

// The upper triangle row by row.
static void expect_upper(const double wanted[6], const dr_triangular *t)
{
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) assert_true(fabs(t->r[i][j] - wanted[k++]) < 1e-10);
    }
}

static void test_sheet_has_the_golden_values(void **state)
{
    (void)state;
    dr_surface_law law = golden_sheet();
    double g[3][3], p[3][3], dg[3][3], dp[3][3], normal[3];
    columns(sheet_rows, g);
    columns(change_rows, dg);
    dr_triangular t = dr_triangular_split((const double(*)[3])g);
    static const double upper[6] = {1.100908715562, 0.015986793229,  0.137522755393,
                                    0.951653520165, -0.029105706297, 0.848964280527};
    expect_upper(upper, &t);
    assert_true(fabs(dr_surface_energy(&law, &t) - 8.067347995884736) < 1e-10);
    dr_surface_stress(&law, &t, p);
    static const double stress[3][3] = {{40.50509809436, 2.683148030894, 68.536143231408},
                                        {-0.98612354284, -2.427167356984, -16.477396861137},
                                        {56.289122294962, -13.5719160197, -17.442671449688}};
    expect_rows(stress, (const double(*)[3])p);
    dr_surface_stress_change(&law, &t, (const double(*)[3])dg, dp);
    static const double change[3][3] = {{96.402161111391, -25.018384799742, 52.268839170039},
                                        {-38.336258726107, 113.171169570643, 49.017954110109},
                                        {32.357681684031, 44.370682367955, 16.229136742804}};
    expect_rows(change, (const double(*)[3])dp);
    assert_int_equal(dr_surface_return(&law, &t, normal), DR_SURFACE_SLIPS);
    static const double after[3] = {-0.003481031209, -0.029150153925, 0.848560533184};
    for (int k = 0; k < 3; k++) assert_true(fabs(normal[k] - after[k]) < 1e-11);
    memcpy(g[2], normal, sizeof normal);
    t = dr_triangular_split((const double(*)[3])g);
    static const double slid[6] = {1.100908715562, 0.015986793229,  0.012996611152,
                                   0.951653520165, -0.002750639674, 0.848964280527};
    expect_upper(slid, &t);
}

// The section of the thread by two directions across it, in the frame that it had.
static void expect_block(const dr_triangular *t, const double second[3], const double third[3], const double block[4])
{
    const double *const column[2] = {second, third};
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            double found = 0.0;
            for (int k = 0; k < 3; k++) found += t->q[1 + i][k] * column[j][k];
            assert_true(fabs(found - block[2 * i + j]) < 1e-10);
        }
    }
}

static void test_thread_has_the_golden_values(void **state)
{
    (void)state;
    dr_curve_law law = golden_thread(40 * DEGREE);
    double g[3][3], p[3][3], dg[3][3], dp[3][3], second[3], third[3];
    columns(thread_rows, g);
    columns(change_rows, dg);
    dr_triangular t = dr_triangular_split((const double(*)[3])g);
    static const double upper[6] = {1.020245068599, 0.090762506823, -0.041264595435,
                                    0.904523171265, 0.172848284147, 0.722371582934};
    expect_upper(upper, &t);
    const dr_curve_law swells = {.lambda = 2.0},
                       shears = {.mu = 2.0, .lambda = -2.0}; // whose energies are S^2, Delta^2
    assert_true(fabs(sqrt(dr_curve_energy(&swells, &t)) - 0.425562971390) < 1e-10);
    assert_true(fabs(sqrt(dr_curve_energy(&shears, &t)) - 0.309414781904) < 1e-10);
    assert_true(fabs(dr_curve_energy(&law, &t) - 55.63511976970575) < 1e-10);
    dr_curve_stress(&law, &t, p);
    static const double stress[3][3] = {{39.122665673797, 49.513517903297, -27.644313560989},
                                        {51.002167241484, -170.384597795872, 11.637612772846},
                                        {-44.736107143957, 124.997114170217, -351.541185224022}};
    expect_rows(stress, (const double(*)[3])p);
    dr_curve_stress_change(&law, &t, (const double(*)[3])dg, dp);
    static const double change[3][3] = {{200.795788596352, -31.236263412269, -15.237035055119},
                                        {-64.447317697386, 109.116534852325, 114.260815853458},
                                        {127.36575277922, -66.848998700478, 127.678899543106}};
    expect_rows(change, (const double(*)[3])dp);
    assert_true(fabs(law.across - 1.259499911028) < 1e-10);
    assert_int_equal(dr_curve_return(&law, &t, second, third), DR_CURVE_STICKS);
    for (int k = 0; k < 3; k++) assert_true(fabs(second[k] - g[1][k]) + fabs(third[k] - g[2][k]) < 1e-14);
    law.across = 0.445300463996;
    assert_int_equal(dr_curve_return(&law, &t, second, third), DR_CURVE_SLIPS_ACROSS);
    static const double block[4] = {0.879063509918, 0.152054671078, -0.019944923634, 0.739843149996};
    expect_block(&t, second, third, block);
}

static void test_thread_slips_both_ways_as_printed(void **state)
{
    (void)state;
    dr_curve_law law = golden_thread(10 * DEGREE);
    double g[3][3], after[3][3];
    columns(thread_rows, g);
    g[1][0] = .3;
    dr_triangular t = dr_triangular_split((const double(*)[3])g);
    assert_true(fabs(t.r[0][1] - 0.310709661587) + fabs(t.r[0][2] + 0.041264595435) < 1e-10);
    assert_true(fabs(law.across - 0.283774500621) + fabs(law.along - 0.176326980708) < 1e-10);
    assert_int_equal(dr_curve_return(&law, &t, after[1], after[2]), DR_CURVE_SLIPS_ACROSS | DR_CURVE_SLIPS_ALONG);
    static const double along[2] = {0.086319138767, -0.011463835149};
    static const double block[4] = {0.848368638775, 0.130222486095, -0.044265010049, 0.760341545296};
    for (int j = 0; j < 2; j++) {
        double found = 0.0;
        for (int k = 0; k < 3; k++) found += t.q[0][k] * after[1 + j][k];
        assert_true(fabs(found - along[j]) < 1e-10);
    }
    expect_block(&t, after[1], after[2], block);
    memcpy(after[0], g[0], sizeof after[0]);
    static const double rows[3][3] = {{1.02, 0.075477048053, 0.001050445783},
                                      {.01, 0.839926118493, 0.20871773348},
                                      {-.02, -0.134041272674, 0.742727665567}};
    double wanted[3][3];
    columns(rows, wanted);
    assert_true(worst((const double(*)[3])wanted, (const double(*)[3])after) < 1e-11);
}

// ---- any state

static double random_between(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

// Directions that are not too far from rest; inverted ones for sheets now and then.
static void random_state(uint64_t *seed, double g[3][3], bool inverted)
{
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) g[j][i] = (i == j) + random_between(seed, -0.4, 0.4);
    }
    if (inverted) {
        for (int i = 0; i < 3; i++) g[2][i] = -0.6 * g[2][i];
    }
}

static dr_surface_law some_sheet(void)
{
    dr_surface_law law = dr_surface_make(900, 400, 0.25);
    law.normal = 800;
    law.shear = 500;
    law.friction = 0.4;
    return law;
}

typedef double (*energy_of)(const void *law, const dr_triangular *t);
typedef void (*stress_of)(const void *law, const dr_triangular *t, double p[3][3]);
typedef void (*change_of)(const void *law, const dr_triangular *t, const double dg[3][3], double dp[3][3]);

static double energy_at(energy_of energy, const void *law, const double g[3][3])
{
    dr_triangular t = dr_triangular_split(g);
    return energy(law, &t);
}

static void expect_derivatives(const void *law, energy_of energy, stress_of stress, change_of change,
                               const double g[3][3], uint64_t *seed)
{
    double p[3][3], dp[3][3], dg[3][3], ahead[3][3], back[3][3], step = 1e-6, size = 1.0;
    dr_triangular t = dr_triangular_split(g);
    stress(law, &t, p);
    for (int i = 0; i < 9; i++) {
        double moved[3][3];
        memcpy(moved, g, sizeof moved);
        (&moved[0][0])[i] += step;
        double up = energy_at(energy, law, (const double(*)[3])moved);
        (&moved[0][0])[i] -= 2 * step;
        double down = energy_at(energy, law, (const double(*)[3])moved);
        size = fmax(size, fabs((&p[0][0])[i]));
        assert_true(fabs((up - down) / (2 * step) - (&p[0][0])[i]) < 1e-6 * (size + 1000.0));
        (&dg[0][0])[i] = random_between(seed, -1, 1);
    }
    change(law, &t, (const double(*)[3])dg, dp);
    for (int side = -1; side < 2; side += 2) {
        double moved[3][3];
        for (int i = 0; i < 9; i++) (&moved[0][0])[i] = (&g[0][0])[i] + side * step * (&dg[0][0])[i];
        dr_triangular beside = dr_triangular_split((const double(*)[3])moved);
        stress(law, &beside, side > 0 ? ahead : back);
    }
    for (int i = 0; i < 9; i++) {
        double difference = ((&ahead[0][0])[i] - (&back[0][0])[i]) / (2 * step);
        assert_true(fabs(difference - (&dp[0][0])[i]) < 1e-6 * (fabs(difference) + 5000.0));
    }
}

static double sheet_energy(const void *law, const dr_triangular *t)
{
    return dr_surface_energy(law, t);
}
static void sheet_stress(const void *law, const dr_triangular *t, double p[3][3])
{
    dr_surface_stress(law, t, p);
}
static void sheet_change(const void *law, const dr_triangular *t, const double dg[3][3], double dp[3][3])
{
    dr_surface_stress_change(law, t, dg, dp);
}
static double thread_energy(const void *law, const dr_triangular *t)
{
    return dr_curve_energy(law, t);
}
static void thread_stress(const void *law, const dr_triangular *t, double p[3][3])
{
    dr_curve_stress(law, t, p);
}
static void thread_change(const void *law, const dr_triangular *t, const double dg[3][3], double dp[3][3])
{
    dr_curve_stress_change(law, t, dg, dp);
}

static void test_stress_is_the_slope_of_energy(void **state)
{
    (void)state;
    uint64_t seed = 7;
    dr_surface_law sheet = some_sheet();
    dr_curve_law thread = golden_thread(30 * DEGREE);
    for (int n = 0; n < 400; n++) {
        double g[3][3];
        random_state(&seed, g, n % 4 == 0);
        dr_triangular t = dr_triangular_split((const double(*)[3])g);
        if (fabs(t.r[2][2] - 1.0) > 1e-4) // the contact's second derivative has a corner there
            expect_derivatives(&sheet, sheet_energy, sheet_stress, sheet_change, (const double(*)[3])g, &seed);
        if (t.r[1][1] * t.r[2][2] > 0.05)
            expect_derivatives(&thread, thread_energy, thread_stress, thread_change, (const double(*)[3])g, &seed);
    }
}

// Uniaxial stretch with the other direction free: the slope of stress over strain is the modulus.
static void test_warp_and_weft_have_their_moduli(void **state)
{
    (void)state;
    dr_surface_law law = some_sheet();
    static const double modulus[2] = {900, 400};
    for (int axis = 0; axis < 2; axis++) {
        double strain = 1e-5, other = 0.0, p[3][3];
        for (int k = 0; k < 100; k++) { // finds the contraction without stress across
            double g[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            g[axis][axis] += strain;
            g[1 - axis][1 - axis] += other;
            dr_triangular t = dr_triangular_split((const double(*)[3])g);
            dr_surface_stress(&law, &t, p);
            other -= p[1 - axis][1 - axis] / 1000.0;
        }
        assert_true(fabs(p[axis][axis] / strain / modulus[axis] - 1.0) < 1e-4);
    }
}

// ---- return maps

static void test_sheet_slides_exactly_at_the_limit(void **state)
{
    (void)state;
    uint64_t seed = 11;
    dr_surface_law law = some_sheet();
    law.shear = 60;
    int seen[4] = {0};
    for (int n = 0; n < 20000; n++) {
        double g[3][3], again[3];
        random_state(&seed, g, n % 7 == 0);
        dr_triangular t = dr_triangular_split((const double(*)[3])g);
        double r33 = t.r[2][2], old[3] = {g[2][0], g[2][1], g[2][2]};
        dr_surface_state what = dr_surface_return(&law, &t, g[2]);
        dr_triangular after = dr_triangular_split((const double(*)[3])g);
        double pull = law.shear * hypot(after.r[0][2], after.r[1][2]), c = fmax(0.0, 1.0 - after.r[2][2]);
        double most = law.friction * law.normal * c * c;
        seen[what]++;
        if (what == DR_SURFACE_SLIPS) {
            assert_true(fabs(pull - most) <= 1e-12 * law.normal);
            assert_true(fabs(after.r[2][2] - r33) < 1e-13);
        } else if (what == DR_SURFACE_STICKS) {
            for (int k = 0; k < 3; k++) assert_true(fabs(g[2][k] - old[k]) < 1e-14);
            assert_true(pull <= most * (1 + 1e-12));
        } else if (what == DR_SURFACE_APART) {
            assert_true(pull < 1e-12 && most < 1e-12);
        } else {
            assert_true(after.r[2][2] < 0.0); // never flipped
        }
        dr_surface_return(&law, &after, again);
        for (int k = 0; k < 3; k++) assert_true(fabs(again[k] - g[2][k]) < 1e-12);
    }
    for (int k = 0; k < 4; k++) assert_true(seen[k] > 100);
}

static void test_thread_slides_exactly_at_the_limits(void **state)
{
    (void)state;
    uint64_t seed = 13;
    dr_curve_law law = golden_thread(25 * DEGREE);
    int across = 0, along = 0, still = 0, apart = 0;
    for (int n = 0; n < 20000; n++) {
        double g[3][3];
        random_state(&seed, g, false);
        dr_triangular t = dr_triangular_split((const double(*)[3])g);
        double before = t.r[1][1] * t.r[2][2];
        int what = dr_curve_return(&law, &t, g[1], g[2]);
        dr_triangular after = dr_triangular_split((const double(*)[3])g);
        double x = after.r[1][1], y = after.r[1][2], z = after.r[2][2], sum = log(x * z);
        double u = ((x - z) * (x - z) + y * y) / (2 * x * z), delta = log1p(u + sqrt(u * (u + 2)));
        double bulk = law.lambda + law.mu, push = -bulk * sum;
        double pull = law.shear * hypot(x * after.r[0][1] + y * after.r[0][2], z * after.r[0][2]);
        if (what & DR_CURVE_APART) {
            assert_true(fabs(sum) < 1e-12 && delta < 1e-6 && pull < 1e-9);
            apart++;
        } else if (!(what & DR_CURVE_COLLAPSED)) {
            assert_true(fabs(x * z / before - 1) < 1e-12); // keeps its volume
            double yield = 2 * law.mu * delta - law.across * push;
            assert_true(yield <= 1e-9 * bulk && pull <= law.along * push + 1e-9 * bulk);
            if (what & DR_CURVE_SLIPS_ACROSS) assert_true(fabs(yield) <= 1e-9 * bulk);
            if (what & DR_CURVE_SLIPS_ALONG) assert_true(fabs(pull - law.along * push) <= 1e-9 * bulk);
            across += (what & DR_CURVE_SLIPS_ACROSS) != 0;
            along += (what & DR_CURVE_SLIPS_ALONG) != 0;
            still += what == DR_CURVE_STICKS;
        }
    }
    assert_true(across > 100 && along > 100 && still > 10 && apart > 100);
}

// A frame that moves with the element sees the same energy and the turned stress.
static void test_rotation_changes_nothing(void **state)
{
    (void)state;
    uint64_t seed = 17;
    dr_surface_law law = some_sheet();
    double c = cos(0.7), s = sin(0.7);
    for (int n = 0; n < 100; n++) {
        double g[3][3], turned[3][3], p[3][3], q[3][3];
        random_state(&seed, g, false);
        for (int j = 0; j < 3; j++) {
            turned[j][0] = c * g[j][0] - s * g[j][1];
            turned[j][1] = s * g[j][0] + c * g[j][1];
            turned[j][2] = g[j][2];
        }
        dr_triangular t = dr_triangular_split((const double(*)[3])g),
                      u = dr_triangular_split((const double(*)[3])turned);
        assert_true(fabs(dr_surface_energy(&law, &t) - dr_surface_energy(&law, &u)) < 1e-11);
        dr_surface_stress(&law, &t, p);
        dr_surface_stress(&law, &u, q);
        for (int j = 0; j < 3; j++) assert_true(fabs(q[j][0] - (c * p[j][0] - s * p[j][1])) < 1e-10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheet_has_the_golden_values),
        cmocka_unit_test(test_thread_has_the_golden_values),
        cmocka_unit_test(test_thread_slips_both_ways_as_printed),
        cmocka_unit_test(test_stress_is_the_slope_of_energy),
        cmocka_unit_test(test_warp_and_weft_have_their_moduli),
        cmocka_unit_test(test_sheet_slides_exactly_at_the_limit),
        cmocka_unit_test(test_thread_slides_exactly_at_the_limits),
        cmocka_unit_test(test_rotation_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
