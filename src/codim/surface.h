// A thin sheet on the grid: in-plane elasticity of its mesh, contact across it, Coulomb friction between layers.
// docs/theory/codim.md, section 3. After Jiang, Gast and Teran 2017, corrected.
//   G = Q R; columns 0 and 1 follow warp and weft of the mesh, column 2 the normal direction that the grid carries
//   psi = h(r11, r12, r22) + gamma/2 (r13^2 + r23^2) + k/3 max(0, 1 - r33)^3                                     (3.1)
#ifndef DR_CODIM_SURFACE_H
#define DR_CODIM_SURFACE_H

#include "codim/triangular.h"

typedef struct dr_surface_law {
    double mu, lambda; // plane stress, of the weaker direction, dyn/cm2
    double warp, weft; // what the directions have beyond it
    double normal;     // k
    double shear;      // gamma
    double friction;   // c_F, between layers
} dr_surface_law;

// Two Young's moduli (equal: isotropic) and the contraction of the weaker direction per stretch of the stronger.
dr_surface_law dr_surface_make(double warp_modulus, double weft_modulus, double poisson_ratio);

double dr_surface_energy(const dr_surface_law *law, const dr_triangular *t);               // (3.1)
void dr_surface_stress(const dr_surface_law *law, const dr_triangular *t, double p[3][3]); // dpsi/dG
void dr_surface_stress_change(const dr_surface_law *law, const dr_triangular *t, const double dg[3][3],
                              double dp[3][3]);

// Contact stiffens as it is pressed: the step is chosen for twice the compression that is there, and for some where
// there is none yet. Half of either: steps at an impact are rejected now and then; twice: steps shorter by 1.4.
#define DR_SURFACE_MARGIN      2.0
#define DR_SURFACE_FIRST_TOUCH 0.01

// Bounds of the second derivative in the plane and across it, for the step size. (6.2)
double dr_surface_stiffness_along(const dr_surface_law *law, const dr_triangular *t);
double dr_surface_stiffness_across(const dr_surface_law *law, const dr_triangular *t);

typedef enum dr_surface_state {
    DR_SURFACE_STICKS,
    DR_SURFACE_SLIPS,
    DR_SURFACE_APART,
    DR_SURFACE_INVERTED
} dr_surface_state;

// The normal direction after plastic flow; the directions in the plane are not touched. (3.4)
dr_surface_state dr_surface_return(const dr_surface_law *law, const dr_triangular *t, double normal[3]);

#endif
