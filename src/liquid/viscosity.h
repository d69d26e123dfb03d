// Implicit viscosity of the liquid on the staggered grid: the velocity that makes kinetic change and dissipation
// together smallest. docs/theory/viscosity.md.
#ifndef DR_LIQUID_VISCOSITY_H
#define DR_LIQUID_VISCOSITY_H

#include "linear/krylov.h"
#include "liquid/viscosity_multigrid.h"

// Work space, kept from step to step.
typedef struct dr_viscosity {
    const dr_allocator *allocator;
    size_t capacity;       // blocks that liquid is in or beside; all below is on these alone
    double *rhs, *unknown; // [block][3][64]
    uint32_t *block;       // of the caller's grid
    dr_grid grid;          // cell, coordinate, neighbour and count of blocks alone
    float *level, *viscosity, *density, *solid, *mass, *solid_velocity, *no_slip, *push, *start, *stress,
        *edge_viscosity; // as in
                         // dr_strain_problem
    uint64_t *mask;      // [block][6] of faces at the surface
    int32_t *number;     // [block of the caller's grid] -1: none of these
    size_t number_capacity;
    dr_strain_problem measured; // on those blocks
    dr_krylov krylov;
    dr_viscosity_multigrid multigrid;
} dr_viscosity;

void dr_viscosity_open(dr_viscosity *viscosity, const dr_allocator *allocator);
void dr_viscosity_close(dr_viscosity *viscosity);
size_t dr_viscosity_bytes(const dr_viscosity *viscosity);

// velocity: [face], comes in before and goes out after viscosity; faces in solids and away from the liquid stay as they
// are, and all do when the solve meets a number that is not finite. False when memory is out.
bool dr_viscosity_solve(dr_viscosity *viscosity, const dr_grid *grid, const dr_par *par,
                        const dr_strain_problem *problem, const dr_krylov_goal *goal, float *velocity,
                        dr_solve_report *report);

// For several solves in one liquid at rest: what they share. Viscosity, stress, push and start of the problem do not
// count. False when memory is out.
bool dr_viscosity_measure(dr_viscosity *viscosity, const dr_grid *grid, const dr_par *par,
                          const dr_strain_problem *problem);

// The velocity that a given stress, as in dr_strain_problem, gives in the step: thrust, [face].
void dr_viscosity_thrust(dr_viscosity *viscosity, const dr_grid *grid, const dr_par *par, const float *stress,
                         float *thrust);

// As dr_viscosity_solve from nothing, with viscosity, edge_viscosity and stress of the problem.
bool dr_viscosity_solve_measured(dr_viscosity *viscosity, const dr_strain_problem *problem, const dr_krylov_goal *goal,
                                 float *velocity, dr_solve_report *report);

#endif
