// Air that liquid and solids enclose: regions of air cells that lead nowhere out of the grid's blocks.
// docs/theory/surface.md, "Bubbles".
#ifndef DR_LIQUID_BUBBLE_H
#define DR_LIQUID_BUBBLE_H

#include "liquid/flood.h"

typedef struct dr_bubbles {
    dr_flood flood;  // of air cells
    double *partial; // [block]
    size_t partial_capacity;
    size_t count;
    double volume; // cm3
} dr_bubbles;

void dr_bubbles_open(dr_bubbles *bubbles, const dr_allocator *allocator);
void dr_bubbles_close(dr_bubbles *bubbles);

// Sets count and volume. kind: [cell]; open_area [face] and open_volume [cell]: shares, NULL without solids. False when
// memory is out.
bool dr_bubbles_find(dr_bubbles *bubbles, const dr_grid *grid, const dr_par *par, const uint8_t *kind,
                     const float *open_area, const float *open_volume);

#endif
