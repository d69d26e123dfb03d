// The liquid's surface from its particles: signed distance at cell centres, negative in the liquid, calibrated so that
// planes and spheres lie where they are; which cells are liquid; the cut of the surface on faces; the volume enclosed.
// docs/theory/surface.md.
//   cell arrays [block][64], face arrays [block][64][4] (lower x, y, z face and a spare), corner arrays [block][64] at
//   the cell's lower corner; lengths in cm
#ifndef DR_LIQUID_SURFACE_H
#define DR_LIQUID_SURFACE_H

#include "grid/grid.h"
#include "liquid/offset.h"

#define DR_SURFACE_BAND     3.0F  // cells: the distance stops here on either side
#define DR_SURFACE_FRACTION 0.01F // the smallest cut of a face

typedef struct dr_surface {
    const dr_allocator *allocator;
    size_t capacity; // blocks
    float *distance; // [block][64] cm
    float *fill;     // [block][64] particle volume around the centre per volume of a cell, weighted by the kernel
    float *lean;     // [block][64] 0 .. 1: how far its edge is held by a wall
    float *moment;   // [block][64][4] scattered volume and its first moments, in cells
    float *skin;     // [block][64][4] the same of what lies close to walls
    float *spare;    // [block][64]
    dr_offset_table table;
} dr_surface;

void dr_surface_open(dr_surface *surface, const dr_allocator *allocator);
void dr_surface_close(dr_surface *surface);
size_t dr_surface_bytes(const dr_surface *surface);

// Fills distance and fill. solid: distance of the solids at corners, negative inside, NULL where there are none.
// spacing: of the particles, in cells (0.5 for 8 to a cell). False when memory is out.
bool dr_surface_build(dr_surface *surface, const dr_grid *grid, const dr_par *par, const dr_particles *particles,
                      const float *solid, double spacing);

// Liquid, air, or solid where the open volume of the cell (NULL: all open) is zero.
void dr_surface_mark(const dr_grid *grid, const dr_par *par, const float *distance, const float *open_volume,
                     uint8_t *cell);

// Where the surface cuts the line between the centres either side of a face, counted from the liquid one:
// 0.01 .. 1 between liquid and air, 1 elsewhere.
void dr_surface_cut(const dr_grid *grid, const dr_par *par, const float *distance, const uint8_t *cell, float *theta);

#endif
