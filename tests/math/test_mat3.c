#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "math/mat3.h"

#include <stdlib.h>

static float uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(*state >> 40) / 8388608.0f - 1.0f;
}

static void random_matrix(uint64_t *state, float size, float m[9])
{
    for (int i = 0; i < 9; i++) m[i] = size * uniform(state);
}

static float difference(const float a[9], const float b[9])
{
    float largest = 0.0f;
    for (int i = 0; i < 9; i++) largest = fmaxf(largest, fabsf(a[i] - b[i]));
    return largest;
}

static void assert_rotation(const float r[9], float tolerance)
{
    float product[9], identity[9];
    dr_mat3_multiply_transposed(r, r, product);
    dr_mat3_identity(identity);
    assert_true(difference(product, identity) < tolerance);
    assert_true(dr_mat3_determinant(r) > 0.5f);
}

// R^T a must be symmetric: that, and being a rotation, is what makes R the polar factor.
static void assert_polar(const float a[9], const float r[9], float tolerance)
{
    float transposed[9], stretch[9];
    for (int i = 0; i < 9; i++) transposed[i] = r[3 * (i % 3) + i / 3];
    dr_mat3_multiply(transposed, a, stretch);
    float size = 1.0f + sqrtf(dr_mat3_norm_squared(a));
    assert_true(fabsf(stretch[1] - stretch[3]) < tolerance * size);
    assert_true(fabsf(stretch[2] - stretch[6]) < tolerance * size);
    assert_true(fabsf(stretch[5] - stretch[7]) < tolerance * size);
}

static void test_rotation_is_the_polar_factor_of_random_matrices(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (int n = 0; n < 20000; n++) {
        float a[9], r[9];
        random_matrix(&state, n % 3 == 0 ? 0.1f : n % 3 == 1 ? 1.0f : 20.0f, a);
        dr_mat3_rotation(a, r);
        assert_rotation(r, 3e-6f);
        assert_polar(a, r, 3e-6f);
    }
}

static void test_rotation_of_a_rotation_is_itself(void **unused)
{
    (void)unused;
    uint64_t state = 2;
    for (int n = 0; n < 1000; n++) {
        float a[9], r[9], again[9];
        random_matrix(&state, 1.0f, a);
        dr_mat3_rotation(a, r);
        dr_mat3_rotation(r, again);
        assert_true(difference(r, again) < 1e-6f);
    }
}

static void test_rotation_survives_singular_and_inverted_matrices(void **unused)
{
    (void)unused;
    const float cases[][9] = {{0, 0, 0, 0, 0, 0, 0, 0, 0},         {1, 0, 0, 0, 1, 0, 0, 0, 0},
                              {1, 0, 0, 0, 0, 0, 0, 0, 0},         {1, 0, 0, 0, 1, 0, 0, 0, -1},
                              {-1, 0, 0, 0, -1, 0, 0, 0, -1},      {1e-20f, 0, 0, 0, 1e-20f, 0, 0, 0, 1e-20f},
                              {1e10f, 0, 0, 0, 1e-10f, 0, 0, 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float r[9];
        dr_mat3_rotation(cases[i], r);
        assert_rotation(r, 1e-5f);
    }
    float identity[9], r[9], flat[9] = {1, 0, 0, 0, 1, 0, 0, 0, -0.5f};
    dr_mat3_identity(identity);
    dr_mat3_rotation(flat, r); // the smallest stretch is the one that is negative
    assert_true(difference(r, identity) < 1e-6f);
}

static void test_cofactor_gives_the_inverse(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (int n = 0; n < 1000; n++) {
        float a[9], cofactor[9], product[9], identity[9];
        random_matrix(&state, 1.0f, a);
        float determinant = dr_mat3_determinant(a);
        if (fabsf(determinant) < 0.1f) continue;
        dr_mat3_cofactor(a, cofactor);
        dr_mat3_multiply_transposed(a, cofactor, product);
        for (int i = 0; i < 9; i++) product[i] /= determinant;
        dr_mat3_identity(identity);
        assert_true(difference(product, identity) < 2e-5f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation_is_the_polar_factor_of_random_matrices),
        cmocka_unit_test(test_rotation_of_a_rotation_is_itself),
        cmocka_unit_test(test_rotation_survives_singular_and_inverted_matrices),
        cmocka_unit_test(test_cofactor_gives_the_inverse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
