// Filling a shape with particles, evenly and reproducibly. docs/theory/shapes.md, "Filling".
#ifndef DR_GEOM_SEED_H
#define DR_GEOM_SEED_H

#include "geom/shape.h"

#define DR_SEED_MOST 64 // particles per cell

// Called for every particle; false stops.
typedef bool (*dr_seed_visitor)(void *user, const double x[3]);

// Visits per_cell (1 .. 64) places in every cell of the lattice of spacing `cell` through `origin`, those of them
// that lie in the shape and in limits. A place depends on key, cell and slot alone, not on the way here; the order is
// fixed. Each stands for the volume cell^3 / per_cell, so that the total is right on average and in the limit. False
// where it was stopped or where shape and limits together have no end.
bool dr_seed_visit(const dr_shape *shape, double cell, const double origin[3], int per_cell, uint64_t key,
                   dr_box limits, dr_seed_visitor visit, void *user);

// Estimate of the volume of the shape within limits (to about a percent), infinite where they have no end.
double dr_seed_volume(const dr_shape *shape, dr_box limits);

#endif
