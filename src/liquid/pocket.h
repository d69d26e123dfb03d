// Air that liquid and solids enclose: regions of air cells that lead nowhere out of the grid's blocks.
// docs/theory/surface.md, "Air pockets".
#ifndef DR_LIQUID_POCKET_H
#define DR_LIQUID_POCKET_H

#include "liquid/flood.h"

typedef struct dr_pockets {
    dr_flood flood;  // of air cells
    double *partial; // [block]
    size_t partial_capacity;
    size_t count;
    double volume; // cm3
} dr_pockets;

void dr_pockets_open(dr_pockets *pockets, const dr_allocator *allocator);
void dr_pockets_close(dr_pockets *pockets);

// Sets count and volume. kind: [cell]; open_area [face] and open_volume [cell]: shares, NULL without solids. False when
// memory is out.
bool dr_pockets_find(dr_pockets *pockets, const dr_grid *grid, const dr_par *par, const uint8_t *kind,
                     const float *open_area, const float *open_volume);

#endif
