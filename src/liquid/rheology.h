// The law of a Herschel-Bulkley liquid with elastic strain: trial, von Mises yield, return map by backward Euler,
// tearing and recovery. docs/theory/rheology.md.
//   b      elastic left Cauchy-Green tensor of unit determinant; kept as b - I
//   total  the same of the whole deformation: what of it is not in b was plastic
// Symmetric matrices are six numbers: xx, xy, xz, yy, yz, zz.
#ifndef DR_LIQUID_RHEOLOGY_H
#define DR_LIQUID_RHEOLOGY_H

#include "math/viscoplastic.h"

#include <stdbool.h>

enum { DR_SYMMETRIC = 6 };

// One liquid. Stresses in dyn/cm2.
typedef struct dr_rheology {
    double shear_modulus; // 0: none of the below, the liquid is Newtonian
    double yield;         // norm of the deviatoric stress at which it yields: sqrt(2/3) of the von Mises stress
    double consistency, index;
    double viscosity;    // where there is no shear modulus
    double bulk_modulus; // 0: keeps its volume
    double tear;         // plastic strain beyond which it tears; 0: never
    double recovery;     // time in which plastic strain falls to 1/e, s
} dr_rheology;

// trial: norm of the deviatoric stress before; modulus: that of the trial state, mu tr(b)/3; dt in s.
dr_return_map dr_rheology_return(const dr_rheology *law, double trial, double modulus, double dt);

// What a step makes of a particle's strain.
typedef struct dr_rheology_state {
    double b[DR_SYMMETRIC], total[DR_SYMMETRIC]; // both less I
} dr_rheology_state;

typedef struct dr_rheology_answer {
    double stress[DR_SYMMETRIC]; // deviatoric Kirchhoff stress at the end of the step
    double viscosity;            // at least its derivative by the strain rate, over two: eq. (8)
    double flow;                 // that derivative along the stress where it yields; 0 where it does not
} dr_rheology_answer;

// Moves the state on by dt under the velocity gradient (row: component, column: direction), 1/s.
void dr_rheology_step(const dr_rheology *law, const double gradient[9], double dt, dr_rheology_state *state,
                      dr_rheology_answer *answer);

// The stress of a state as it is.
void dr_rheology_stress(const dr_rheology *law, const double b[DR_SYMMETRIC], double stress[DR_SYMMETRIC]);

// Whether a state has flowed so far that it tears: eq. (11).
bool dr_rheology_is_torn(const dr_rheology *law, const dr_rheology_state *state);

// Plastic strain is forgotten over dt: eq. (13).
void dr_rheology_recover(const dr_rheology *law, double dt, dr_rheology_state *state);

// The derivative of the stress (times f^-T) in the direction of a velocity gradient, times dt: eq. (9). For tests and
// for who wants the exact tangent. trial: b* (not less I).
void dr_rheology_tangent(const dr_rheology *law, const double trial[DR_SYMMETRIC], double dt, const double direction[9],
                         double change[9]);

// Pressure of a volume ratio, its stiffness, and back: eq. (14)-(16). dilation is the ratio less 1.
double dr_rheology_pressure(double bulk_modulus, double dilation);
double dr_rheology_stiffness(double bulk_modulus, double dilation);
double dr_rheology_dilation(double bulk_modulus, double pressure);

// Shear data of a rheometer in the model's own parameters: eq. (3).
double dr_rheology_yield_of_shear(double yield_stress);
double dr_rheology_consistency_of_shear(double consistency, double index);

// And back, from the model's yield (norm of the stress) and consistency: stress in simple shear.
double dr_rheology_shear_of_yield(double yield);
double dr_rheology_shear_of_consistency(double consistency, double index);

#endif
