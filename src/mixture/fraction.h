// Which share of faces and cells solid phases take, and what they leave to the liquid. docs/theory/mixture.md, sect. 1.
#ifndef DR_MIXTURE_FRACTION_H
#define DR_MIXTURE_FRACTION_H

#include "grid/grid.h"
#include "mixture/phase.h"

// What the phases' volumes at a place are multiplied with to become shares: 1 over the cell's volume, less where they
// would take more than `most` of it together. One factor for all, so that the flux they carry is clamped alike, eq.
// (3).
static inline double dr_fraction_scale(double volumes, double cell_volume, double most)
{
    return volumes > most * cell_volume ? most / volumes : 1.0 / cell_volume;
}

// The share of every cell that phases leave to the liquid, [cell], between 1 - most and 1.
void dr_fraction_open(const dr_grid *grid, const dr_par *par, const dr_phase_faces *phases, int count, double most,
                      float *open);

#endif
