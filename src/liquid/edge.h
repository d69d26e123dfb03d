// The edge of a liquid at a wall resists motion. docs/theory/surface.md, eq. (10).
#ifndef DR_LIQUID_EDGE_H
#define DR_LIQUID_EDGE_H

#include "grid/grid.h"

typedef struct dr_edge {
    const float *lean;     // [cell] 0 .. 1, of the surface
    const uint8_t *kind;   // [cell]
    const float *velocity; // [face] before the pressure, cm/s
    const float *old;      // [face] before forces, cm/s
    double slow;           // cm/s: edges that lean and moved no faster are held, twice as fast ones are not
    const float *mobility; // [face] cm3 s/g
    double resistance;     // pressure per outward velocity, g/(cm2 s)
} dr_edge;

// Puts the resistance into the cuts of the surface (theta, cells; NULL where it is in them) and the pressure there
// (ghost, dyn/cm2), to which velocity adds in proportion.
void dr_edge_hold(const dr_edge *edge, const dr_grid *grid, const dr_par *par, float *theta, float *ghost);

#endif
