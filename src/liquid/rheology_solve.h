// Thick liquids on the grid: stress of particles on edges and in the middles of cells, and the implicit shear solve.
// docs/theory/rheology.md, "On the grid".
#ifndef DR_LIQUID_RHEOLOGY_SOLVE_H
#define DR_LIQUID_RHEOLOGY_SOLVE_H

#include "grid/transfer.h"
#include "liquid/rheology.h"
#include "liquid/strain.h"

// Work space, kept from step to step; everything is made anew in every try.
typedef struct dr_thick {
    const dr_allocator *allocator;
    size_t capacity;                  // blocks
    float *edge, *middle;             // [cell][4] of dr_transfer_spread_edges
    float *weight;                    // [cell][4] volume of particles on edges and in the middle, cm3
    float *open;                      // [cell][4] 1, and 0 on edges and middles deep in solids
    float *stress;                    // [block][6][64] normal stresses of cells, shear stresses of their lower edges
    float *thickness;                 // [cell] viscosity of the implicit operator, g/(cm s)
    float *thrust, *base;             // [face] velocity that the stress of the last step gives; velocity without it
    float *compliance, *old_pressure; // [cell] 1/(K dt), cm s/g; pressure that the volumes tell, dyn/cm2
    double *force;                    // [block][3][64] of the stress of the last step, the other way
    float *soft;                      // [cell] share of the volume that can be compressed
    size_t particle_capacity;
    float *volume;   // [particle] as it is now, cm3
    float *gradient; // [particle][9] of the velocity that the stress was found for
    float *value;    // [particle][8] what it puts on edges and middles
    float *read;     // [particle][8] what it reads there
    float *rate;     // [particle][6] of the strain that it was found for
    size_t sum_capacity;
    double *sums[2]; // [chunk]
    dr_strain strain;
    double residual; // relative, of the last solve
    int iterations;
} dr_thick;

// What particles are made of.
typedef struct dr_thick_matter {
    const dr_rheology *laws; // [particles.body]
    const dr_grid *grid;
    const dr_par *par;
    dr_particles *particles;
} dr_thick_matter;

// Bytes of a particle beyond those of water: columns, their share of sorting, work space.
double dr_thick_particle_bytes(void);

void dr_thick_open(dr_thick *thick, const dr_allocator *allocator);
void dr_thick_close(dr_thick *thick);
bool dr_thick_reserve(dr_thick *thick, const dr_grid *grid, size_t particles); // false when memory is out

// Volumes of particles, and what of cells can be compressed.
void dr_thick_measure(dr_thick *thick, const dr_thick_matter *matter, double dt);

// thrust: the velocity that the stored stress gives to faces over dt. problem: as of the viscous solve; its viscosity
// and solid velocity do not count. False when memory is out.
bool dr_thick_push(dr_thick *thick, const dr_thick_matter *matter, const dr_strain_problem *problem);

// The stress of particles at the end of a step with these velocity gradients [particle][9], and the viscosity with
// which it changes; spread brings both to thick->stress and thick->thickness. Gives how far the stress is from what the
// one before and its viscosity had foretold, relative to it (1 where there was none before: first).
double dr_thick_stress(dr_thick *thick, const dr_thick_matter *matter, double dt, const float *gradient, bool first);
void dr_thick_spread(dr_thick *thick, const dr_thick_matter *matter);

// The velocity gradients of particles without their trace, thick->gradient. problem: where solids are, their velocity.
void dr_thick_gradient(dr_thick *thick, const dr_thick_matter *matter, const dr_strain_problem *problem,
                       const float *velocity);

// Commits a step: strain and plastic strain with thick->gradient, volume with the trace of these gradients, of
// particles first .. first+count-1.
void dr_thick_update(const dr_thick *thick, const dr_thick_matter *matter, double dt, size_t first, size_t count,
                     const float (*gradient)[9]);

// Resampling: a piece is as the whole; a merged particle has the mean, by these shares.
void dr_thick_copy(dr_particles *particles, size_t from, size_t to);
void dr_thick_mean(dr_particles *particles, size_t into, size_t other, double share, double other_share);

#endif
