// The fixed corotated solid. docs/theory/elastic.md, eq. (1)-(4).
//   F  elastic deformation gradient     R  its rotation         J  det F
//   energy density  psi = mu |F - R|^2 + lambda/2 (J - 1)^2 (1) stress          tau = dpsi/dF F^T = 2 mu (F - R) F^T +
//   lambda (J - 1) J I                                         (2)
#ifndef DR_CODIM_COROTATED_H
#define DR_CODIM_COROTATED_H

#include <stddef.h>

typedef struct dr_corotated {
    float mu, lambda; // dyn/cm2; both zero: matter without stress
} dr_corotated;

dr_corotated dr_corotated_make(double youngs_modulus, double poisson_ratio);

// What is wanted of a batch; NULL where it is not.
typedef struct dr_corotated_wanted {
    float (*stress)[9]; // Kirchhoff stress tau, row-major
    float *energy;      // density, psi
    float *stiffness; // bound of psi''[A F, A F] over |A|^2, for the step size                                      (4)
} dr_corotated_wanted;

#define DR_COROTATED_BATCH 8

// For `count` (1 .. 8) particles side by side: solid[i], strain + 9 i.
void dr_corotated_batch(const dr_corotated *const *solid, const float *strain, size_t count,
                        const dr_corotated_wanted *wanted);

// F <- (I + dt grad v) F (3)
void dr_corotated_move(const float gradient[9], float dt, float strain[9]);

#endif
