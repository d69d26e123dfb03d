// Velocity beside the surface that keeps volumes. docs/theory/liquid.md, eq. (13)-(14).
#ifndef DR_LIQUID_EXTRAPOLATE_SOLENOIDAL_H
#define DR_LIQUID_EXTRAPOLATE_SOLENOIDAL_H

#include "grid/grid.h"

typedef struct dr_solenoidal {
    const uint8_t *kind;         // [block][64] DR_CELL_...
    const float *open_area;      // [block][64][4], NULL: no solids
    const float *solid_velocity; // [block][64][4], NULL: solids are at rest
    float limit;                 // largest change of a velocity
    uint8_t *flags;              // [block][64] spare
    float *share;                // [block][64] spare
    const uint8_t *wet;          // [block] 0: no liquid is there or beside; NULL: all are looked at
} dr_solenoidal;

// Air cells that share a face with liquid, on one side of an axis alone, hold some of it. Their faces that lead away
// from the liquid get the velocity with which as much flows out of them as in. velocity: [block][64][4], known on all
// their faces.
void dr_extrapolate_solenoidal(const dr_solenoidal *rim, const dr_grid *grid, const dr_par *par, float *velocity);

#endif
