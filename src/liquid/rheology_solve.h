// Thick liquids on the grid: stress of particles on edges and in the middles of cells, and the implicit shear solve.
// docs/theory/rheology.md, "On the grid".
#ifndef DR_LIQUID_RHEOLOGY_SOLVE_H
#define DR_LIQUID_RHEOLOGY_SOLVE_H

#include "grid/transfer.h"
#include "liquid/rheology.h"
#include "liquid/viscosity.h"

// Work space, kept from step to step; everything is made anew in every try. Lattice points of a cell: its lower x, y, z
// edges and its middle.
typedef struct dr_thick {
    const dr_allocator *allocator;
    size_t capacity;                  // blocks
    float *weight;                    // [cell][4] volume of particles around lattice points, cm3
    float *edge, *middle;             // [cell][4] means of elastic strain: yz, zx, xy, xx; yy, zz
    float *elastic;                   // [block][4][6][64] elastic strain of lattice points, as far as it counts
    float *share;                     // [cell] of thick liquid
    dr_rheology *law;                 // [cell] where there are several
    float *slope[2], *open;           // [cell][4] of the velocity's iterate, rheology_gradient.h
    float *stress, *rate;             // [block][6][64] normal ones of cells, then those of their lower x, y, z edges
    float *eta;                       // [block][4][64] viscosity with which the stress changes
    float *thickness;                 // [cell] the same of middles, for the implicit operator, g/(cm s)
    double *off, *all;                // [block] sums of squares: of what was not foretold, of the stress
    float *thrust, *base;             // [face] velocity that the stress of the last step gives; velocity without it
    float *compliance, *old_pressure; // [cell] 1/(K dt), cm s/g; pressure that the volumes tell, dyn/cm2
    float *soft;                      // [cell] share of the volume that can be compressed
    size_t particle_capacity;
    float *volume;       // [particle] as it is now, cm3
    float *gradient;     // [particle][9] of the velocity, without its trace
    float *value, *read; // [particle][8] what it puts on lattice points, and what it reads there
    double residual;     // relative, of the last solve
    int iterations;
} dr_thick;

// What particles are made of.
typedef struct dr_thick_matter {
    const dr_rheology *laws; // [particles.body]
    const dr_rheology *law;  // of all of them, where they are not several
    bool several;
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

// thrust: the velocity that the stored stress gives to faces over dt; the viscous solve is measured for it. problem: as
// of that solve; its viscosity and solid velocity do not count. False when memory is out.
bool dr_thick_push(dr_thick *thick, const dr_thick_matter *matter, const dr_strain_problem *problem,
                   dr_viscosity *viscosity);

// Elastic strain and laws of lattice points, from particles.
void dr_thick_strain(dr_thick *thick, const dr_thick_matter *matter);

// Stress at the end of a step of dt, of lattice points with the gradients in slope, and the viscosity with which it
// changes: stress, eta, thickness. stored: the stress as it is, gradients do not count. Gives how far the stress is
// from what the one before and its viscosity had foretold, relative to it. rheology_lattice.c.
// level: [cell] signed distance of the surface; solid: [corner] that of solids, or NULL.
double dr_thick_stress(dr_thick *thick, const dr_thick_matter *matter, const float *level, const float *solid,
                       double dt, bool stored);

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
