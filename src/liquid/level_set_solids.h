// The surface beside solids and into them: planes in kernels of which solids leave a part open.
// docs/theory/surface.md, eq. (5)-(7).
#ifndef DR_LIQUID_LEVEL_SET_SOLIDS_H
#define DR_LIQUID_LEVEL_SET_SOLIDS_H

#include "liquid/tuning.h"
#include "liquid/level_set.h"

#define DR_LEVEL_SET_UNKNOWN (2.0F * DR_LIQUID_BAND) // a distance deep in a solid
#define DR_LEVEL_SET_NOTHING -1.0F                   // a fraction there

// On entry `distance` holds, in cells, what the fraction alone stands for, on return the distance at cell centres,
// continued three layers of cells into solids. Uses `spare`.
void dr_level_set_meet_solids(dr_level_set *surface, const dr_grid *grid, const dr_par *par, const float *moments);

#endif
