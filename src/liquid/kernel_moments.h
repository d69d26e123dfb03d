// The open part of the kernel around cell centres: how much of it solids and other phases leave to the liquid, and
// where the middle of that lies. docs/theory/surface.md, "Volume fraction".
#ifndef DR_LIQUID_KERNEL_MOMENTS_H
#define DR_LIQUID_KERNEL_MOMENTS_H

#include "grid/grid.h"

typedef struct dr_kernel_solids {
    const float *corner;      // [block][64] distance of solids at the lower corners of cells, cm, negative inside
    const float *open_volume; // [block][64] open shares of cells
    const uint8_t *near;      // [block] 0: no solid is near
    double spacing;           // of the particles, cells
} dr_kernel_solids;

// room: [block][64][4], the integral of the kernel over what is open and its first moments, in cells.
void dr_kernel_moments(const dr_kernel_solids *solids, const dr_grid *grid, const dr_par *par, float *room);

#endif
