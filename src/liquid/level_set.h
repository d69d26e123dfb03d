// The liquid's surface from the amount of liquid in cells: volume fractions against the open space, a plane through
// every cell that the surface meets, signed distance at cell centres, negative in the liquid; which cells are liquid;
// the cut of the surface on faces; the volume enclosed. docs/theory/surface.md.
//   cell arrays [block][64], face arrays [block][64][4] (lower x, y, z face and a spare); lengths in cm
#ifndef DR_LIQUID_LEVEL_SET_H
#define DR_LIQUID_LEVEL_SET_H

#include "grid/grid.h"

typedef struct dr_level_set {
    const dr_allocator *allocator;
    size_t capacity;    // blocks
    float grain;        // s^2/24, s the spacing of particles in cells
    const float *share; // [block][64] what finer matter in the liquid's cells leaves of the open space; NULL: all
    float *distance;    // [block][64] cm
    float *fraction;    // [block][64] liquid over open space, both weighted by the kernel
    float *excess;      // [block][64] what of that is more (or less) than the surface leaves open
    float *volume;      // [block][64] scattered, in cells
    float *plane;       // [block][64][4] beside solids: distance and slope of the surface, while it is found
    float *spare;       // [block][64]
    uint8_t *sides;     // [block] whether there are centres in the liquid, and outside of it
    uint32_t *band;     // blocks that the surface meets, and those around them
    size_t band_count;
} dr_level_set;

// spacing: of the particles, in cells.
void dr_level_set_open(dr_level_set *surface, const dr_allocator *allocator, double spacing);
void dr_level_set_close(dr_level_set *surface);
size_t dr_level_set_bytes(const dr_level_set *surface);

// What solids leave open of the kernel around a centre (kernel_moments.h) and of a cell.
typedef struct dr_level_set_solids {
    const float *moments;     // [block][64][4]
    const float *open_volume; // [block][64] share of the cell
} dr_level_set_solids;

// solids: NULL where all is open. False when memory is out.
bool dr_level_set_build(dr_level_set *surface, const dr_grid *grid, const dr_par *par, const dr_particles *particles,
                        const dr_level_set_solids *solids);

// The surface that the liquid of `own`, just built with the same solids around it, and solids that share its cells have
// together towards air. solid: [block][64] their volume in the kernel around a centre, in cells. False when memory is
// out.
bool dr_level_set_join(dr_level_set *joint, const dr_level_set *own, const dr_grid *grid, const dr_par *par,
                       const dr_level_set_solids *solids, const float *solid);

// Liquid, air, or solid where the open volume of the cell (NULL: all open) is zero.
void dr_level_set_mark(const dr_level_set *surface, const dr_grid *grid, const dr_par *par, const float *open_volume,
                       uint8_t *cell);

// Where the surface cuts the line between the centres either side of a face, counted from the liquid one:
// DR_LIQUID_LEAST_CUT .. 1 between liquid and air, 1 elsewhere.
void dr_level_set_cut(const dr_level_set *surface, const dr_grid *grid, const dr_par *par, const uint8_t *cell,
                      float *theta);

// What the liquid occupies (cm3): inside the surface, and in cells that are not near it the particles' own volume.
// partial: room for one double per block.
double dr_level_set_volume(const dr_level_set *surface, const dr_grid *grid, const dr_par *par,
                           const dr_particles *particles, const float *open_volume, double *partial);

#endif
