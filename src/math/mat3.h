// 3x3 matrices, row-major float[9]; arithmetic in float, the decompositions in the precision of their arguments.
#ifndef DR_MATH_MAT3_H
#define DR_MATH_MAT3_H

#include <math.h>
#include <stdbool.h>

static inline void dr_mat3_identity(float out[9])
{
    for (int i = 0; i < 9; i++) out[i] = i % 4 == 0 ? 1.0f : 0.0f;
}

// out = a b; out may not be a or b.
static inline void dr_mat3_multiply(const float a[9], const float b[9], float out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
    }
}

// out = a b^T; out may not be a or b.
static inline void dr_mat3_multiply_transposed(const float a[9], const float b[9], float out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
    }
}

// The matrix of cofactors: det(a) a^-T.
static inline void dr_mat3_cofactor(const float a[9], float out[9])
{
    out[0] = a[4] * a[8] - a[5] * a[7];
    out[1] = a[5] * a[6] - a[3] * a[8];
    out[2] = a[3] * a[7] - a[4] * a[6];
    out[3] = a[2] * a[7] - a[1] * a[8];
    out[4] = a[0] * a[8] - a[2] * a[6];
    out[5] = a[1] * a[6] - a[0] * a[7];
    out[6] = a[1] * a[5] - a[2] * a[4];
    out[7] = a[2] * a[3] - a[0] * a[5];
    out[8] = a[0] * a[4] - a[1] * a[3];
}

static inline float dr_mat3_determinant(const float a[9])
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) + a[1] * (a[5] * a[6] - a[3] * a[8]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

static inline float dr_mat3_norm_squared(const float a[9])
{
    float sum = 0.0f;
    for (int i = 0; i < 9; i++) sum += a[i] * a[i];
    return sum;
}

// The rotation nearest to a (determinant +1, also where a is inverted or singular): a = rotation * stretch, where the
// stretch has at most one negative eigenvalue, the one of smallest magnitude.
void dr_mat3_rotation(const float a[9], float rotation[9]);

#endif
