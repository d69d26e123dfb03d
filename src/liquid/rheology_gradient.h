// Differences of the velocity on edges and in the middles of cells, as the viscous operator takes them: walls where
// they are. docs/theory/rheology.md, eq. (18).
#ifndef DR_LIQUID_RHEOLOGY_GRADIENT_H
#define DR_LIQUID_RHEOLOGY_GRADIENT_H

#include "liquid/strain.h"

// slope[0]: d u_y/dz on x edges, d u_z/dx on y edges, d u_x/dy on z edges, and in middles the first of the diagonal
// less the third; slope[1]: d u_z/dy, d u_x/dz, d u_y/dx, and the second less the third; all times weight, which is 1,
// and 0 deep in solids. [block][64][4] each, 1/s.
void dr_rheology_gradient(const dr_grid *grid, const dr_par *par, const dr_strain_problem *problem,
                          const float *velocity, float *const slope[2], float *weight);

// A particle's velocity gradient [9], row by row and without its trace, from what it reads there [8].
void dr_rheology_gradient_at(const float value[8], float gradient[9]);

#endif
