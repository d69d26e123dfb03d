// Stress that relaxes by plastic flow: a yield stress and a power law, by backward Euler. docs/theory/rheology.md,
// eq. (4)-(6).
#ifndef DR_MATH_VISCOPLASTIC_H
#define DR_MATH_VISCOPLASTIC_H

// How a material yields: flows at the rate ((s - yield)/consistency)^(1/index). Stresses in dyn/cm2.
typedef struct dr_viscoplastic {
    double yield, consistency, index;
} dr_viscoplastic;

// The stress after plastic flow, and its derivatives by the trial's and by the modulus.
typedef struct dr_return_map {
    double stress, by_trial, by_modulus;
} dr_return_map;

// trial: norm of the stress before; modulus: flow at a rate lowers the stress by twice that times the rate and dt.
dr_return_map dr_viscoplastic_return(const dr_viscoplastic *law, double trial, double modulus, double dt);

#endif
