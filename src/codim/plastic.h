// Matter that flows: sand (Drucker-Prager with volume correction), goo (von Mises) and slime (goo with a viscosity),
// all with the elastic energy of Hencky. docs/theory/sand.md, eq. (1)-(9).
//   psi = mu |eps|^2 + lambda/2 (tr eps)^2,  tau = U (2 mu eps + lambda tr eps) U^T                             (2),
//   (3)
#ifndef DR_CODIM_PLASTIC_H
#define DR_CODIM_PLASTIC_H

#include <stddef.h>

typedef enum dr_plastic_law {
    DR_PLASTIC_NONE, // other matter: no stress, nothing flows
    DR_PLASTIC_SAND,
    DR_PLASTIC_GOO
} dr_plastic_law;

typedef struct dr_plastic {
    dr_plastic_law law;
    float mu, lambda; // dyn/cm2
    float friction;   // sand: alpha (3 lambda + 2 mu) / (2 mu), of strains                                          (5)
    float yield;      // goo: |dev eps| where it begins to flow
    float rate;       // goo: mu / viscosity, 1/s; infinite without one
} dr_plastic;

dr_plastic dr_plastic_sand(double youngs_modulus, double poisson_ratio, double friction_angle);

// yield_stress: in tension, von Mises. viscosity 0: as slow as it may be, the stress does not exceed the yield stress.
dr_plastic dr_plastic_goo(double youngs_modulus, double poisson_ratio, double yield_stress, double viscosity);

// What is wanted of a batch; NULL where it is not.
typedef struct dr_plastic_wanted {
    float (*stress)[9]; // Kirchhoff stress tau, row-major; is added to
    float *energy;      // density, psi; is added to
    float *stiffness; // bound of psi''[A F, A F] over |A|^2; the larger of it and what is there                    (9)
} dr_plastic_wanted;

#define DR_PLASTIC_BATCH 8

// For `count` (1 .. 8) particles side by side: matter[i], strain + 9 i.
void dr_plastic_batch(const dr_plastic *const *matter, const float *strain, size_t count,
                      const dr_plastic_wanted *wanted);

// Return mapping after a step: strain + 9 i becomes one that the matter can bear, and dilation[i], of sand, the
// logarithm of the volume that it has gained without stress. Strain that yields nowhere is not touched. (4)-(8)
void dr_plastic_return(const dr_plastic *const *matter, size_t count, float dt, float *strain, float *dilation);

#endif
