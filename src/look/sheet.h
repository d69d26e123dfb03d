// Cloth as a body: a sheet of triangles becomes two smooth sides, as far apart as it is thick, with a rim where it
// ends. docs/render.md, "Cloth".
#ifndef DR_LOOK_SHEET_H
#define DR_LOOK_SHEET_H

#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dr_sheet {
    size_t vertex_count, triangle_count;
    const float (*position)[3];
    const float (*normal)[3];      // per vertex, unit
    const float (*coordinates)[2]; // per vertex, along warp and weft
    const float *wetness;          // per vertex; NULL: dry
    const uint32_t (*triangle)[3];
    const uint32_t *body; // per triangle
} dr_sheet;

// Cuts each triangle into pieces * pieces on a curved patch and doubles it; thickness[body] may be 0. Only the arena's
// memory is used. False when it is out.
bool dr_sheet_thicken(const dr_sheet *sheet, int pieces, const float *thickness, dr_arena *arena, dr_sheet *made);

#endif
