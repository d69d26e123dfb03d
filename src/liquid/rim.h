// Velocity beside the surface that keeps volumes. docs/theory/liquid.md, eq. (13)-(14).
#ifndef DR_LIQUID_RIM_H
#define DR_LIQUID_RIM_H

#include "grid/grid.h"

typedef struct dr_rim {
    const uint8_t *kind;         // [block][64] DR_CELL_...
    const float *open_area;      // [block][64][4], NULL: no solids
    const float *solid_velocity; // [block][64][4]
    float limit;                 // largest change of a velocity
    uint8_t *flags;              // [block][64] spare
    float *share;                // [block][64] spare
} dr_rim;

// Air cells that share a face with liquid, on one side of an axis alone, hold some of it. Their faces that lead away
// from the liquid get the velocity with which as much flows out of them as in. velocity: [block][64][4], known on all
// their faces.
void dr_rim_close(const dr_rim *rim, const dr_grid *grid, const dr_par *par, float *velocity);

#endif
