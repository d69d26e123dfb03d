// Velocity on faces beyond the liquid, layer by layer from what is known. docs/theory/solids.md, "Beyond the liquid".
#ifndef DR_LIQUID_EXTRAPOLATE_H
#define DR_LIQUID_EXTRAPOLATE_H

#include "grid/grid.h"

typedef struct dr_extrapolate {
    const float *open_area; // [block][64][4], NULL: all open
    int open_layers;        // of faces that are open
    int closed_layers;      // of faces in solids, counted from the liquid's own
    uint8_t *spare;         // [block][64]
    const float *mass;      // [block][64][4] faces without any are left out; NULL: none is
    const uint8_t *wet;     // [block] 0: nothing is known there or beside; NULL: all are looked at
} dr_extrapolate;

// known: [block][64], bit a set where the lower face across axis a has a velocity. Every layer gives to the unknown
// faces the mean of their known neighbours of the same axis (two along each axis) and makes them known.
void dr_extrapolate_faces(const dr_extrapolate *how, const dr_grid *grid, const dr_par *par, float *velocity,
                          uint8_t *known);

// Faces that touch a liquid cell and are open at least in part.
void dr_extrapolate_know(const dr_extrapolate *how, const dr_grid *grid, const dr_par *par, const uint8_t *cell,
                         uint8_t *known);

#endif
