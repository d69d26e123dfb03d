// What a straight step of particles does to volumes, as a source for the pressure solve. docs/theory/density.md,
// eq. (3).
#ifndef DR_LIQUID_ADVECTION_DIVERGENCE_H
#define DR_LIQUID_ADVECTION_DIVERGENCE_H

#include "grid/grid.h"

// Adds to source [block][64] (1/s) the divergence with which x + dt u keeps the volume of every liquid cell to the
// order of dt^2. velocity: [block][64][4], known on liquid cells and around them. limit: largest change of a volume in
// a step.
void dr_advection_divergence(const dr_grid *grid, const dr_par *par, const float *velocity, const uint8_t *kind,
                             double dt, double limit, float *source);

#endif
