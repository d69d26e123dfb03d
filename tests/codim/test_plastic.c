#include "support/check.h"

#include "codim/plastic.h"
#include "math/random.h"

static uint64_t drawn;

static double draw(void)
{
    return 2.0 * dr_random_unit(41, drawn++) - 1.0;
}

static void random_strain(double size, float f[9])
{
    for (int i = 0; i < 9; i++) f[i] = (float)((i % 4 == 0 ? 1.0 : 0.0) + size * draw());
}

static double determinant(const double f[9])
{
    return f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6]);
}

// Logarithms of the singular values, by one-sided Jacobi rotations of the columns, in double.
static void strains_of(const double f[9], double eps[3])
{
    double c[9];
    memcpy(c, f, sizeof c);
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                double pp = 0, qq = 0, pq = 0;
                for (int r = 0; r < 9; r += 3) {
                    pp += c[r + p] * c[r + p];
                    qq += c[r + q] * c[r + q];
                    pq += c[r + p] * c[r + q];
                }
                double angle = 0.5 * atan2(2.0 * pq, pp - qq);
                for (int r = 0; r < 9; r += 3) {
                    double x = c[r + p], y = c[r + q];
                    c[r + p] = cos(angle) * x + sin(angle) * y;
                    c[r + q] = cos(angle) * y - sin(angle) * x;
                }
            }
        }
    }
    for (int i = 0; i < 3; i++) eps[i] = 0.5 * log(c[i] * c[i] + c[3 + i] * c[3 + i] + c[6 + i] * c[6 + i]);
}

// Equation (2) in double.
static double energy_density(const dr_plastic *matter, const double f[9])
{
    double eps[3], trace, sum;
    strains_of(f, eps);
    trace = eps[0] + eps[1] + eps[2];
    sum = eps[0] * eps[0] + eps[1] * eps[1] + eps[2] * eps[2];
    return (double)matter->mu * sum + 0.5 * (double)matter->lambda * trace * trace;
}

static double second_along(const dr_plastic *matter, const double f[9], const double a[9], double step, double *first)
{
    double energy[3];
    for (int k = 0; k < 3; k++) {
        double moved[9];
        for (int i = 0; i < 9; i++) {
            double product = 0.0;
            for (int j = 0; j < 3; j++) product += a[3 * (i / 3) + j] * f[3 * j + i % 3];
            moved[i] = f[i] + step * (k - 1) * product;
        }
        energy[k] = energy_density(matter, moved);
    }
    if (first) *first = (energy[2] - energy[0]) / (2.0 * step);
    return (energy[2] - 2.0 * energy[1] + energy[0]) / (step * step);
}

static void stress_of(const dr_plastic *matter, const float f[9], double tau[9], float *stiffness)
{
    float stress[1][9] = {{0.0F}}, energy = 0.0F;
    *stiffness = 0.0F;
    dr_plastic_batch(&matter, f, 1, &(dr_plastic_wanted){.stress = stress, .energy = &energy, .stiffness = stiffness});
    for (int i = 0; i < 9; i++) tau[i] = (double)stress[0][i];
    double wide[9];
    for (int i = 0; i < 9; i++) wide[i] = (double)f[i];
    check_near((double)energy, energy_density(matter, wide), 2e-5 * (double)(energy + matter->mu * 1e-3F));
}

// d psi along A F is tau : A, and the second derivative is below the bound.
static void test_stress_is_the_slope_of_the_energy(void **state)
{
    (void)state;
    dr_plastic sand = dr_plastic_sand(1000.0, 0.3, 0.6);
    for (int sample = 0; sample < 400; sample++) {
        float f[9], stiffness;
        double wide[9], a[9], tau[9], slope, work = 0.0, size = 0.0;
        random_strain(sample % 2 ? 0.3 : 0.02, f);
        for (int i = 0; i < 9; i++) wide[i] = (double)f[i], a[i] = draw();
        stress_of(&sand, f, tau, &stiffness);
        double second = second_along(&sand, wide, a, 1e-4, &slope), squared = 0.0;
        for (int i = 0; i < 9; i++) work += tau[i] * a[i], size += fabs(tau[i] * a[i]), squared += a[i] * a[i];
        check_near(work, slope, 2e-5 * size + 2e-3);
        check_at_most(second, 1.001 * (double)stiffness * squared);
    }
}

static void test_the_bound_is_met_by_pressure_at_rest(void **state)
{
    (void)state;
    dr_plastic sand = dr_plastic_sand(1000.0, 0.3, 0.6);
    const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const float same[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double tau[9];
    float stiffness;
    stress_of(&sand, same, tau, &stiffness);
    check_near(second_along(&sand, rest, rest, 1e-4, NULL), 3.0 * (double)stiffness, 1e-3 * (double)stiffness);
}

static void norms_of(const double tau[9], double *deviator, double *trace)
{
    double sum = 0.0;
    *trace = tau[0] + tau[4] + tau[8];
    for (int i = 0; i < 9; i++) {
        double d = tau[i] - (i % 4 == 0 ? *trace / 3.0 : 0.0);
        sum += d * d;
    }
    *deviator = sqrt(sum);
}

static double alpha_of(double angle)
{
    return sqrt(2.0 / 3.0) * 2.0 * sin(angle) / (3.0 - sin(angle));
}

static void test_sand_slides_on_the_cone_and_inside_nothing_is_touched(void **state)
{
    (void)state;
    int slid = 0, held = 0, parted = 0;
    for (int sample = 0; sample < 3000; sample++) {
        double angle = 0.2 + 0.5 * fabs(draw()), tau[9], before[9], deviator, trace;
        dr_plastic sand = dr_plastic_sand(1000.0, 0.3, angle);
        const dr_plastic *of = &sand;
        float f[9], kept[9], dilation = 0.0F, stiffness;
        random_strain(0.12 * fabs(draw()), f);
        float pressed = 0.1F * (float)(draw() + 0.5);
        for (int i = 0; i < 9; i += 4) f[i] -= pressed;
        memcpy(kept, f, sizeof f);
        stress_of(&sand, f, before, &stiffness);
        dr_plastic_return(&of, 1, 1e-3F, f, &dilation);
        stress_of(&sand, f, tau, &stiffness);
        norms_of(tau, &deviator, &trace);
        double alpha = alpha_of(angle), was, old;
        norms_of(before, &was, &old);
        if (old >= 0.0) {
            parted++;
            check_at_most(deviator, 1e-3);
            assert_true(dilation >= 0.0F);
        } else if (was + alpha * old > 0.0) {
            slid++;
            check_near(deviator + alpha * trace, 0.0, 2e-5 * fabs(trace) + 1e-3);
            check_near(trace, old, 2e-5 * fabs(old) + 1e-3);
            assert_true(dilation == 0.0F);
        } else {
            held++;
            assert_memory_equal(f, kept, sizeof f);
        }
        float again[9], more = dilation;
        memcpy(again, f, sizeof f);
        dr_plastic_return(&of, 1, 1e-3F, again, &more);
        for (int i = 0; i < 9; i++) check_near((double)again[i], (double)f[i], 1e-5);
    }
    assert_true(slid > 300 && held > 300 && parted > 100);
}

// However it is pressed and pulled, what it has lost in strain it remembers as volume.
static void test_volume_is_booked_along_any_path(void **state)
{
    (void)state;
    dr_plastic sand = dr_plastic_sand(1000.0, 0.3, 0.6);
    const dr_plastic *of = &sand;
    float f[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, dilation = 0.0F;
    double volume = 0.0, lowest = 0.0;
    for (int step = 0; step < 2000; step++) {
        double a[9], wide[9];
        float moved[9];
        for (int i = 0; i < 9; i++)
            a[i] = (i % 4 == 0 ? 1.0 : 0.0) + 0.01 * draw() + (i % 4 ? 0 : -0.0005 * sin(0.01 * step));
        volume += log(determinant(a));
        for (int i = 0; i < 9; i++) {
            moved[i] = 0.0F;
            for (int j = 0; j < 3; j++) moved[i] += (float)a[3 * (i / 3) + j] * f[3 * j + i % 3];
        }
        memcpy(f, moved, sizeof f);
        dr_plastic_return(&of, 1, 1e-3F, f, &dilation);
        for (int i = 0; i < 9; i++) wide[i] = (double)f[i];
        check_near(log(determinant(wide)) + (double)dilation, volume, 2e-4);
        lowest = fmin(lowest, volume);
    }
    assert_true(lowest < -0.01);
}

static void test_goo_yields_at_its_stress(void **state)
{
    (void)state;
    int flowed = 0, held = 0;
    for (int sample = 0; sample < 1000; sample++) {
        double yield = 50.0, tau[9], before[9], deviator, trace, was, old;
        dr_plastic goo = dr_plastic_goo(1000.0, 0.3, yield, 0.0);
        const dr_plastic *of = &goo;
        float f[9], kept[9], stiffness;
        random_strain(0.08 * fabs(draw()), f);
        memcpy(kept, f, sizeof f);
        stress_of(&goo, f, before, &stiffness);
        dr_plastic_return(&of, 1, 1e-3F, f, NULL);
        stress_of(&goo, f, tau, &stiffness);
        norms_of(before, &was, &old);
        norms_of(tau, &deviator, &trace);
        check_near(trace, old, 2e-5 * fabs(old) + 2e-3);
        if (was > sqrt(2.0 / 3.0) * yield) {
            flowed++;
            check_near(sqrt(1.5) * deviator, yield, 2e-3);
        } else {
            held++;
            assert_memory_equal(f, kept, sizeof f);
        }
    }
    assert_true(flowed > 100 && held > 100);
}

// Bingham: yield stress in shear, and viscosity times the rate.
static void test_slime_in_steady_shear(void **state)
{
    (void)state;
    double yield = 10.0, viscosity = 5.0, rate = 2.0, tau[9];
    dr_plastic slime = dr_plastic_goo(1000.0, 0.3, yield, viscosity);
    const dr_plastic *of = &slime;
    float f[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, stiffness, dt = 1e-4F;
    for (int step = 0; step < 4000; step++) {
        for (int i = 0; i < 3; i++) f[i] += (float)rate * dt * f[3 + i];
        dr_plastic_return(&of, 1, dt, f, NULL);
    }
    stress_of(&slime, f, tau, &stiffness);
    check_near(tau[1], yield / sqrt(3.0) + viscosity * rate, 0.005 * tau[1]);
}

static void test_a_lane_does_not_depend_on_its_neighbours(void **state)
{
    (void)state;
    dr_plastic sand = dr_plastic_sand(1000.0, 0.3, 0.6), goo = dr_plastic_goo(1000.0, 0.3, 20.0, 0.0), none = {0};
    const dr_plastic *of[8] = {&sand, &goo, &none, &sand, &goo, &sand, &none, &goo};
    float all[8 * 9], one[8 * 9], dilation[8] = {0}, own[8] = {0}, together[8][9] = {{0}}, alone[8][9] = {{0}};
    for (int k = 0; k < 8; k++) random_strain(0.1, all + 9 * k);
    memcpy(one, all, sizeof all);
    dr_plastic_return(of, 8, 1e-3F, all, dilation);
    dr_plastic_batch(of, all, 8, &(dr_plastic_wanted){.stress = together});
    for (int k = 0; k < 8; k++) {
        dr_plastic_return(of + k, 1, 1e-3F, one + 9 * k, own + k);
        dr_plastic_batch(of + k, one + 9 * k, 1, &(dr_plastic_wanted){.stress = alone + k});
        assert_memory_equal(all + 9 * k, one + 9 * k, 9 * sizeof(float));
        assert_memory_equal(together[k], alone[k], sizeof alone[k]);
        assert_true(dilation[k] == own[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stress_is_the_slope_of_the_energy),
        cmocka_unit_test(test_the_bound_is_met_by_pressure_at_rest),
        cmocka_unit_test(test_sand_slides_on_the_cone_and_inside_nothing_is_touched),
        cmocka_unit_test(test_volume_is_booked_along_any_path),
        cmocka_unit_test(test_goo_yields_at_its_stress),
        cmocka_unit_test(test_slime_in_steady_shear),
        cmocka_unit_test(test_a_lane_does_not_depend_on_its_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
