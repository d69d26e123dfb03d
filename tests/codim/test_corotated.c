#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "codim/corotated.h"
#include "math/mat3.h"

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0 * 2.0 - 1.0;
}

static double determinant(const double f[9])
{
    return f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6]);
}

// Singular values of f, by one-sided Jacobi rotations of its columns.
static void singular_values(const double f[9], double sigma[3])
{
    double c[9];
    for (int i = 0; i < 9; i++) c[i] = f[i];
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
    for (int i = 0; i < 3; i++) sigma[i] = sqrt(c[i] * c[i] + c[3 + i] * c[3 + i] + c[6 + i] * c[6 + i]);
}

// Equation (1) by singular values, in double, for det f > 0.
static double energy_density(const dr_corotated *solid, const double f[9])
{
    double sigma[3], j = determinant(f), sum = 0.0;
    singular_values(f, sigma);
    for (int i = 0; i < 3; i++) sum += (sigma[i] - 1.0) * (sigma[i] - 1.0);
    double trace = sigma[0] + sigma[1] + sigma[2] - 3.0, volume = solid->lambda < 0.0F ? trace : j - 1.0;
    return (double)solid->mu * sum + 0.5 * (double)solid->lambda * volume * volume;
}

static double stress_of(const dr_corotated *solid, const float strain[9], float stress[9])
{
    float energy;
    dr_corotated_batch(&solid, strain, 1, &(dr_corotated_wanted){.stress = (float(*)[9])stress, .energy = &energy});
    return (double)energy;
}

static double stiffness_of(const dr_corotated *solid, const float strain[9])
{
    float stiffness;
    dr_corotated_batch(&solid, strain, 1, &(dr_corotated_wanted){.stiffness = &stiffness});
    return (double)stiffness;
}

static void random_strain(uint64_t *state, double size, double f[9])
{
    for (int i = 0; i < 9; i++) f[i] = (i % 4 == 0 ? 1.0 : 0.0) + size * uniform(state);
}

// tau = dpsi/dF F^T, so psi changes by tau : A under F -> (I + A) F.
static double energy_along(const dr_corotated *solid, const double f[9], const double a[9], double t)
{
    double moved[9];
    for (int i = 0; i < 9; i++) {
        moved[i] = f[i];
        for (int k = 0; k < 3; k++) moved[i] += t * a[3 * (i / 3) + k] * f[3 * k + i % 3];
    }
    return energy_density(solid, moved);
}

static void test_stress_is_the_gradient_of_the_energy(void **unused)
{
    (void)unused;
    uint64_t state = 7;
    for (int n = 0; n < 600; n++) {
        dr_corotated solid = dr_corotated_make(1000.0, n % 2 ? 0.3 : -0.7);
        double f[9], a[9];
        float strain[9], stress[9];
        random_strain(&state, 0.3, f);
        for (int i = 0; i < 9; i++) {
            strain[i] = (float)f[i];
            f[i] = (double)strain[i];
            a[i] = uniform(&state);
        }
        if (determinant(f) < 0.1) continue;
        double h = 1e-4, work = 0.0;
        double energy = stress_of(&solid, strain, stress);
        for (int i = 0; i < 9; i++) work += (double)stress[i] * a[i];
        double slope = (energy_along(&solid, f, a, h) - energy_along(&solid, f, a, -h)) / (2.0 * h);
        assert_true(fabs(slope - work) < 1e-6 * 3e3); // moduli of 1e3 in float, and the difference's own h^2
        assert_true(fabs(energy - energy_density(&solid, f)) < 1e-5 * (1.0 + energy));
    }
}

static void test_rest_and_rotation_have_no_stress(void **unused)
{
    (void)unused;
    dr_corotated solid = dr_corotated_make(1000.0, 0.3);
    float c = 0.6f, s = 0.8f;
    float turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, stress[9];
    double energy = stress_of(&solid, turned, stress);
    for (int i = 0; i < 9; i++) assert_true(fabsf(stress[i]) < 1e-3f);
    assert_true(energy < 1e-8);
}

static void test_small_stretch_feels_youngs_modulus(void **unused)
{
    (void)unused;
    double e = 500.0, nu = 0.3, epsilon = 1e-3;
    dr_corotated solid = dr_corotated_make(e, nu);
    float strain[9] = {(float)(1.0 + epsilon),     0, 0, 0, (float)(1.0 - nu * epsilon), 0, 0, 0,
                       (float)(1.0 - nu * epsilon)},
          stress[9];
    stress_of(&solid, strain, stress);
    assert_true(fabs((double)stress[0] / (e * epsilon) - 1.0) < 3e-3);
    assert_true(fabs((double)stress[4]) < 3e-3 * e * epsilon);
}

static void test_stiffness_bounds_the_second_derivative(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    for (int n = 0; n < 4000; n++) {
        dr_corotated solid = dr_corotated_make(1000.0, n % 2 ? 0.35 : -0.9);
        double f[9], a[9], norm = 0.0, h = 1e-3;
        float strain[9];
        random_strain(&state, 0.4, f);
        for (int i = 0; i < 9; i++) {
            strain[i] = (float)f[i];
            a[i] = uniform(&state);
            norm += a[i] * a[i];
        }
        if (dr_mat3_determinant(strain) < 0.2f) continue;
        double curvature =
            (energy_along(&solid, f, a, h) - 2.0 * energy_along(&solid, f, a, 0.0) + energy_along(&solid, f, a, -h)) /
            (h * h);
        assert_true(curvature <= 1.001 * stiffness_of(&solid, strain) * norm);
    }
}

static void test_lanes_do_not_mix_and_inverted_ones_take_the_careful_way(void **unused)
{
    (void)unused;
    uint64_t state = 13;
    for (int n = 0; n < 200; n++) {
        dr_corotated solids[8];
        const dr_corotated *solid[8];
        float strain[8][9], together[8][9], alone[9];
        for (int k = 0; k < 8; k++) {
            double f[9];
            random_strain(&state, k == n % 8 ? 2.0 : 0.3, f);
            for (int i = 0; i < 9; i++) strain[k][i] = (float)f[i];
            solids[k] = dr_corotated_make(100.0 * (k + 1), 0.3);
            solid[k] = &solids[k];
        }
        dr_corotated_batch(solid, strain[0], 8, &(dr_corotated_wanted){.stress = together});
        for (int k = 0; k < 8; k++) {
            stress_of(solid[k], strain[k], alone);
            for (int i = 0; i < 9; i++)
                assert_true(fabsf(alone[i] - together[k][i]) <
                            2e-5F * solids[k].mu * (1.0F + dr_mat3_norm_squared(strain[k])));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stress_is_the_gradient_of_the_energy),
        cmocka_unit_test(test_rest_and_rotation_have_no_stress),
        cmocka_unit_test(test_small_stretch_feels_youngs_modulus),
        cmocka_unit_test(test_lanes_do_not_mix_and_inverted_ones_take_the_careful_way),
        cmocka_unit_test(test_stiffness_bounds_the_second_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
