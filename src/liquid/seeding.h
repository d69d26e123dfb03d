// Filling a shape with liquid particles, evenly and reproducibly: one to every cube of a lattice, at the middle of what
// the shape holds of the cube and with that volume, so that the surface and the total volume are the shape's.
// docs/theory/resample.md, "Filling".
#ifndef DR_LIQUID_SEEDING_H
#define DR_LIQUID_SEEDING_H

#include <stdbool.h>
#include <stdint.h>

typedef double (*dr_seeding_distance)(const void *shape, const double x[3]); // cm, negative inside, slope at most one
typedef bool (*dr_seeding_visitor)(void *user, const double x[3], double volume); // false stops

typedef struct dr_seeding {
    double cell;      // cm
    double origin[3]; // of the lattice
    double per_cell;  // particles to a cell
    double jitter;    // largest displacement of a particle along an axis, in lattice spacings, 0 .. 0.5
    uint64_t key;     // of the random numbers
} dr_seeding;

#define DR_SEEDING_JITTER 0.5 // at most: particles stay in their cubes

// Visits every particle between low and high, in a fixed order. A place depends on key and lattice alone, not on low
// and high, except where they cut the lattice.  False when the visitor stopped.
bool dr_seeding_visit(const dr_seeding *pour, dr_seeding_distance distance, const void *shape, const double low[3],
                      const double high[3], dr_seeding_visitor visit, void *user);

#endif
