// Distances of a rigid shape from samples in its own coordinates, made where they are needed: an adaptively sampled
// distance field (Frisken, Perry, Rockwood and Jones 2000) of one level, with the exact distance in place of finer
// levels. docs/theory/collide.md.
//   a sample is a function of the shape and its place alone, so that answers do not depend on when it was made
#ifndef DR_COLLIDE_BAND_H
#define DR_COLLIDE_BAND_H

#include "geom/shape.h"
#include "par/par.h"

typedef struct dr_band_block dr_band_block;

typedef struct dr_band {
    const dr_allocator *allocator;
    const dr_shape *shape; // NULL: not in use
    double cell, spacing;
    size_t count, filled, capacity, slot_count;
    dr_band_block *blocks;
    int32_t *slots; // [slot] block, -1: free; open addressing
} dr_band;

// cell is that of the grid that asks; the shape outlives the band.
void dr_band_open(dr_band *band, const dr_allocator *allocator, const dr_shape *shape, double cell);
void dr_band_close(dr_band *band);

// Notes that distances will be asked for in the box around a point; then makes the samples that were noted since. False
// when memory is out.
bool dr_band_want(dr_band *band, const double x[3], const double half[3]);
void dr_band_fill(dr_band *band, const dr_par *par);

// Distance to the shape, within DR_BAND_ERROR cells of it up to DR_BAND_REACH cells; beyond, something not nearer than
// that and not further than the shape, with its sign. `enough` as dr_shape_distance_within, for places without samples.
double dr_band_distance(const dr_band *band, const double x[3], double enough);

#define DR_BAND_REACH 4.0

// At half of it more places ask the shape itself; at twice of it surfaces are wrong by that much more where they bend
// within a cell.
#define DR_BAND_ERROR 0.04

#endif
