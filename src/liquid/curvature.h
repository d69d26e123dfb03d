// Curvature of the liquid's surface from the level set. docs/theory/tension.md, eq. (1)-(4).
#ifndef DR_LIQUID_CURVATURE_H
#define DR_LIQUID_CURVATURE_H

#include "grid/grid.h"

// curvature [cell]: the sum of the principal curvatures (1/cm, positive for a drop, 2/R) at the surface point nearest
// to the cell's centre, at most one over the cell in size; 0 beyond DR_TENSION_BAND. level [cell]: signed distance,
// negative in the liquid, good up to three cells either side of the surface. spare: room for two more cell arrays.
void dr_curvature_find(const dr_grid *grid, const dr_par *par, const float *level, float *spare, float *curvature);

#endif
