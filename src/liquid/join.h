// The surface that liquid and solids in its cells have together towards air. docs/theory/mixture.md, section 6.
#ifndef DR_LIQUID_JOIN_H
#define DR_LIQUID_JOIN_H

#include "grid/grid.h"

// How far outside a plane surface a cell's middle lies, in cells, when the share `fill` of the kernel around it is
// full.
float dr_join_depth(float fill);

// level [cell]: the liquid's own distance (cm) where there is no solid; with a share of solid (both shares as the
// kernel weighs them), that of the two together where it is smaller.
void dr_join_level(const dr_grid *grid, const dr_par *par, const float *distance, const float *fill, const float *solid,
                   float *level);

#endif
