// Gaps between particles that look like air: a few cells, shut in by liquid and solids. They are filled, so that
// the pressure there is the liquid's and not that of the air. docs/theory/surface.md, "Gaps".
//   cell arrays [block][64]
#ifndef DR_LIQUID_GAP_H
#define DR_LIQUID_GAP_H

#include "liquid/flood.h"

#define DR_GAPS_CELLS 8 // one of more cells holds air

typedef struct dr_gaps {
    dr_flood flood; // of air cells
    size_t filled;  // cells, of the last call
} dr_gaps;

void dr_gaps_open(dr_gaps *gaps, const dr_allocator *allocator);
void dr_gaps_close(dr_gaps *gaps);

// Makes gaps liquid: their kind, and the distance (cm) of them and of the liquid around, which saw a surface there:
// that of the nearest other air, at most two cells. False when memory is out.
bool dr_gaps_fill(dr_gaps *gaps, const dr_grid *grid, const dr_par *par, uint8_t *kind, float *distance);

#endif
