// Velocity on faces beyond the liquid, layer by layer from what is known. docs/theory/solids.md, "Beyond the liquid".
#ifndef DR_LIQUID_EXTRAPOLATE_H
#define DR_LIQUID_EXTRAPOLATE_H

#include "grid/grid.h"

typedef struct dr_extrapolate {
    const float *open_area; // [block][64][4] 0: nothing is known of a face by itself; NULL: all are open
    const float *own_area;  // [block][64][4] open part of the liquid's own faces; NULL: open_area
    int open_layers;        // of faces that are open
    int closed_layers;      // of faces in solids
    bool beside;        // open faces within a cell along every axis of the liquid's own alone: where its kernels reach
    uint8_t *spare;     // [block][64]
    const float *mass;  // [block][64][4] faces without any are left out; NULL: none is
    const uint8_t *wet; // [block] 0: nothing is known there or beside; NULL: all are looked at
    uint8_t *fresh;     // [2][block] spare, to leave out blocks with nothing new around; NULL: all are looked at
    float *with;        // [block][64][4] a second field, known where the first is; NULL: none
} dr_extrapolate;

enum { DR_EXTRAPOLATE_OWN = 3 };

// known: [block][64], bit a set where the lower face across axis a has a velocity. Every layer gives to the unknown
// faces the mean of their known neighbours of the same axis (two along each axis) and makes them known.
void dr_extrapolate_faces(const dr_extrapolate *how, const dr_grid *grid, const dr_par *par, float *velocity,
                          uint8_t *known);

// The liquid's own faces touch a liquid cell and are open at least in part, bits DR_EXTRAPOLATE_OWN + a; known are
// those of them that open_area has open.
void dr_extrapolate_know(const dr_extrapolate *how, const dr_grid *grid, const dr_par *par, const uint8_t *cell,
                         uint8_t *known);

#endif
