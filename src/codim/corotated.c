// The fixed corotated solid. docs/theory/elastic.md.
#include "codim/corotated.h"

#include "math/mat3.h"

#include <stddef.h>
#include <string.h>

dr_corotated dr_corotated_make(double youngs_modulus, double poisson_ratio)
{
    double mu = youngs_modulus / (2.0 * (1.0 + poisson_ratio));
    double lambda = youngs_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio));
    return (dr_corotated){(float)mu, (float)lambda};
}

void dr_corotated_stress(const dr_corotated *solid, const float strain[9], float stress[9], double *energy)
{
    float rotation[9], difference[9];
    dr_mat3_rotation(strain, rotation);
    for (int i = 0; i < 9; i++) difference[i] = strain[i] - rotation[i];
    float j = dr_mat3_determinant(strain);
    dr_mat3_multiply_transposed(difference, strain, stress);
    for (int i = 0; i < 9; i++) stress[i] *= 2.0f * solid->mu;                  // 2 mu (F - R) F^T
    for (int i = 0; i < 9; i += 4) stress[i] += solid->lambda * (j - 1.0f) * j; // + lambda (J - 1) J I
    for (int i = 0; i < 3; i++) {
        for (int k = i + 1; k < 3; k++) { // symmetric but for rounding
            float mean = 0.5f * (stress[3 * i + k] + stress[3 * k + i]);
            stress[3 * i + k] = stress[3 * k + i] = mean;
        }
    }
    if (energy) {
        double dilation = (double)j - 1.0;
        *energy = (double)solid->mu * (double)dr_mat3_norm_squared(difference) +
                  0.5 * (double)solid->lambda * dilation * dilation;
    }
}

void dr_corotated_move(const float gradient[9], float dt, float strain[9])
{
    float change[9];
    dr_mat3_multiply(gradient, strain, change);
    for (int i = 0; i < 9; i++) strain[i] += dt * change[i];
}

// Largest eigenvalue of F F^T by its largest absolute row sum.
static float stretch_squared(const float strain[9])
{
    float product[9], largest = 0.0f;
    dr_mat3_multiply_transposed(strain, strain, product);
    for (int i = 0; i < 3; i++) {
        largest = fmaxf(largest, fabsf(product[3 * i]) + fabsf(product[3 * i + 1]) + fabsf(product[3 * i + 2]));
    }
    return largest;
}

float dr_corotated_stiffness(const dr_corotated *solid, const float strain[9])
{
    float j = dr_mat3_determinant(strain);
    float shear = 2.0f * solid->mu * fmaxf(1.0f, stretch_squared(strain));
    float volume = solid->lambda * (3.0f * fmaxf(1.0f, j * j) + 2.0f * fabsf(j * (j - 1.0f)));
    return shear + volume;
}
