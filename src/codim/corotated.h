// The fixed corotated solid. docs/theory/elastic.md, eq. (1)-(4).
//   F  elastic deformation gradient     R  its rotation         J  det F
//   energy density  psi = mu |F - R|^2 + lambda/2 (J - 1)^2 (1) stress          tau = dpsi/dF F^T = 2 mu (F - R) F^T +
//   lambda (J - 1) J I                                         (2)
#ifndef DR_CODIM_COROTATED_H
#define DR_CODIM_COROTATED_H

typedef struct dr_corotated {
    float mu, lambda; // dyn/cm2
} dr_corotated;

dr_corotated dr_corotated_make(double youngs_modulus, double poisson_ratio);

// Kirchhoff stress tau, row-major; energy density (may be NULL).
void dr_corotated_stress(const dr_corotated *solid, const float strain[9], float stress[9], double *energy);

// F <- (I + dt grad v) F (3)
void dr_corotated_move(const float gradient[9], float dt, float strain[9]);

// A bound of the stiffness against a velocity gradient, for the step size: psi''[A F, A F] <= bound |A|^2. (4)
float dr_corotated_stiffness(const dr_corotated *solid, const float strain[9]);

#endif
