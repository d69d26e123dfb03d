// How the liquid's surface leans on walls. docs/theory/surface.md, "Walls".
#ifndef DR_LIQUID_LEAN_H
#define DR_LIQUID_LEAN_H

#include "grid/grid.h"
#include "liquid/offset.h"

typedef struct dr_lean {
    const dr_offset_table *table;
    const float *solid;    // at corners, cm
    const float *fill;     // volume in the kernel
    float *distance;       // at centres, cells
    float *held;           // how far the edge is held, 0 .. 1
    float *normal, *spare; // [block][64][4] of room
} dr_lean;

// Where a surface does not stand at a right angle on the wall, the distance becomes the one at which the open wedge
// between them is filled as it is; inside walls it goes on as beside them.
void dr_lean_find(const dr_lean *lean, const dr_grid *grid, const dr_par *par);

#endif
