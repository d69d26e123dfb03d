// Splitting large liquid particles and merging small ones, with volume, mass, linear and angular momentum kept.
// docs/theory/resample.md.
#ifndef DR_LIQUID_RESAMPLE_H
#define DR_LIQUID_RESAMPLE_H

#include "liquid/bins.h"

typedef struct dr_merge {
    uint32_t from, into; // particles; from disappears
    float offset[3];     // from `into` to `from`, cells
} dr_merge;

typedef struct dr_resample {
    const dr_allocator *allocator;
    dr_bins bins;
    uint32_t *wanted; // [particle] whom a small one would join, itself where nobody
    float *way;       // [particle][3] and the offset to it
    uint8_t *taken;   // [particle]
    dr_merge *merges;
    uint32_t *splits; // particles
    uint8_t *pieces;  // [split]
    size_t capacity;  // of the arrays by particle
    size_t merge_capacity, split_capacity, piece_capacity;
    size_t merge_count, split_count, fresh_count; // the plan; fresh: particles that splitting adds
    double reference;                             // volume that a particle should have, cm3
} dr_resample;

// Volumes of particles are multiples of a power of two, so that what is split, merged or handed over is a difference or
// a sum of them without rounding, up to four times the volume that a particle should have.
double dr_resample_quantum(double reference);

void dr_resample_open(dr_resample *resample, const dr_allocator *allocator);
void dr_resample_close(dr_resample *resample);

// Decides who splits and who merges; changes no particle. The particles must be where the grid's last rebuild found
// them. reference: the volume a particle should have, cm3. False when memory is out.
bool dr_resample_plan(dr_resample *resample, const dr_grid *grid, const dr_par *par, const dr_particles *particles,
                      double reference);

// Carries out the plan. Ids of new particles are taken from *next_id on; random numbers are keyed by (id, step).
// Particles come from the same allocator. Afterwards they are no longer sorted by block. False when memory is out:
// nothing has changed then.
bool dr_resample_apply(dr_resample *resample, const dr_grid *grid, dr_particles *particles, uint64_t step,
                       uint64_t *next_id);

#endif
