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
    const int32_t *stands;    // [block] a number for its solids, the same for as long as they are; -1: they may move
    uint64_t rounds;          // numbers of other rounds mean other solids
} dr_kernel_solids;

// What moments were found for: they are found anew where that is no longer so.
typedef struct dr_kernel_kept {
    uint64_t *key;  // [block] sorted
    uint64_t *mark; // [block] of the solids in it and around; 0: they may move
    size_t count;   // blocks
} dr_kernel_kept;

// moments: [block][64][4], the integral of the kernel over what is open and its first moments, in cells; as the last
// call left it, with room for the grid's blocks as `kept` has. kept NULL: nothing is known of it.
void dr_kernel_moments(const dr_kernel_solids *solids, const dr_grid *grid, const dr_par *par, dr_kernel_kept *kept,
                       float *moments);

#endif
