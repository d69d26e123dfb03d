// A thread on the grid: stretch of its mesh, elastic contact of its section, Coulomb friction across and along it.
// docs/theory/codim.md, section 4. After Jiang, Gast and Teran 2017, corrected.
//   G = Q R; column 0 follows the mesh, columns 1 and 2 the normal directions that the grid carries
//   psi = k/2 (r11 - 1)^2 + gamma/2 (r12^2 + r13^2) + mu (e1^2 + e2^2) + lambda/2 (e1 + e2)^2,
//   e1, e2 the logarithms of the singular values of the section [r22 r23; 0 r33]                                  (4.1)
#ifndef DR_CODIM_CURVE_H
#define DR_CODIM_CURVE_H

#include "codim/triangular.h"

typedef struct dr_curve_law {
    double mu, lambda; // of the section
    double stretch;    // k
    double shear;      // gamma
    double across;     // a: of the yield condition of the section, 2 sin(friction angle)
    double along;      // beta: tan(friction angle)
} dr_curve_law;

dr_curve_law dr_curve_make(double youngs_modulus, double poisson_ratio, double friction_angle);

double dr_curve_energy(const dr_curve_law *law, const dr_triangular *t);
void dr_curve_stress(const dr_curve_law *law, const dr_triangular *t, double p[3][3]);
void dr_curve_stress_change(const dr_curve_law *law, const dr_triangular *t, const double dg[3][3], double dp[3][3]);

double dr_curve_stiffness_across(const dr_curve_law *law, const dr_triangular *t); // (6.3)

typedef enum dr_curve_state {
    DR_CURVE_STICKS = 0,
    DR_CURVE_SLIPS_ACROSS = 1, // a mask
    DR_CURVE_SLIPS_ALONG = 2,
    DR_CURVE_APART = 4,
    DR_CURVE_COLLAPSED = 8
} dr_curve_state;

// The two normal directions after plastic flow; the first column is not touched. (4.4)
int dr_curve_return(const dr_curve_law *law, const dr_triangular *t, double second[3], double third[3]);

#endif
