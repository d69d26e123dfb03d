// What of the cells lies inside the liquid's surface: shares of octants, and the volume that the liquid occupies.
// docs/theory/surface.md, "Volume".
#ifndef DR_LIQUID_INSIDE_H
#define DR_LIQUID_INSIDE_H

#include "grid/grid.h"

enum { DR_INSIDE_OCTANTS = 8 };

#define DR_INSIDE_FULL 255.0F // what is 1 in a byte

typedef struct dr_inside {
    const dr_allocator *allocator;
    size_t capacity;       // blocks
    uint8_t *air;          // [block][64][8] share of an octant outside the surface
    uint8_t *near, *spare; // [block][64] how far the cell belongs to liquid that is deep enough to have an inside
    float *open; // [block][64] open shares of cells as the step began; beside walls a little below 0 or above 1
} dr_inside;

void dr_inside_open(dr_inside *inside, const dr_allocator *allocator);
void dr_inside_close(dr_inside *inside);

// Solids where they will be when the step ends; particles are where they were when it began.
typedef struct dr_inside_solids {
    const float *open;            // [block][64] open shares of cells
    const float *area, *velocity; // [block][64][4] open shares of faces, velocity of solids there, cm/s
    double dt;
} dr_inside_solids;

// distance: of the surface at centres, cm; solids: NULL where there are none. False when memory is out.
bool dr_inside_find(dr_inside *inside, const dr_grid *grid, const dr_par *par, const float *distance,
                    const dr_inside_solids *solids);

// What the liquid occupies (cm3): the volume inside the surface where it is deep enough to have an inside, and around
// that; elsewhere, in spray and sheets thinner than two cells, the volume of the particles. The particles must be where
// the grid's last rebuild found them. partial: room for one double per block.
double dr_inside_volume(const dr_inside *inside, const dr_grid *grid, const dr_par *par, const dr_particles *particles,
                        double *partial);

// The open part of the kernel around the centres of a block, and the part of it inside the surface. solid: distance at
// corners, cm, or NULL.
void dr_inside_want(const dr_inside *inside, const dr_grid *grid, size_t block, const float *solid,
                    float room[DR_BLOCK_NODES], float wanted[DR_BLOCK_NODES]);

#endif
