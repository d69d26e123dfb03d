// Multigrid for the viscous operator: the same problem on grids of doubled cells, one V-cycle as a preconditioner.
// docs/theory/viscosity.md, "The solve".
#ifndef DR_LIQUID_VISCOSITY_MULTIGRID_H
#define DR_LIQUID_VISCOSITY_MULTIGRID_H

#include "liquid/strain.h"

#define DR_VISCOSITY_LEVELS 12

typedef struct dr_viscosity_level {
    const dr_allocator *allocator;
    size_t capacity; // blocks
    dr_strain strain;
    double *residual, *change;                            // [block][3][64]
    double *right, *solution;                             // [block][3][64], coarse levels only, as all below
    dr_grid grid;                                         // cell, coordinate, neighbour and count of blocks alone
    int32_t *parent;                                      // [block] on the next coarser level
    int32_t *child;                                       // [block][8] of the next finer level, -1: none
    float *level, *viscosity, *density, *solid, *no_slip; // as in dr_strain_problem
} dr_viscosity_level;

typedef struct dr_viscosity_multigrid {
    const dr_par *par;
    int count;
    int measured;                                  // levels, of the problem as it is
    dr_viscosity_level level[DR_VISCOSITY_LEVELS]; // 0: the caller's grid
} dr_viscosity_multigrid;

void dr_viscosity_multigrid_open(dr_viscosity_multigrid *multigrid, const dr_allocator *allocator);
void dr_viscosity_multigrid_close(dr_viscosity_multigrid *multigrid);
size_t dr_viscosity_multigrid_bytes(const dr_viscosity_multigrid *multigrid);

// The operator on the caller's grid, and coarser ones where viscosity reaches further than a cell or two in the step.
// False when memory is out.
bool dr_viscosity_multigrid_assemble(dr_viscosity_multigrid *multigrid, const dr_grid *grid, const dr_par *par,
                                     const dr_strain_problem *problem);

// The same in two parts, as dr_strain_outline and dr_strain_thicken have them.
bool dr_viscosity_multigrid_measure(dr_viscosity_multigrid *multigrid, const dr_grid *grid, const dr_par *par,
                                    const dr_strain_problem *problem);
bool dr_viscosity_multigrid_thicken(dr_viscosity_multigrid *multigrid, const dr_strain_problem *problem,
                                    const uint32_t *from);

// z = P r: one V-cycle, or the diagonal alone where there is one level. A linear, symmetric and positive map.
void dr_viscosity_multigrid_precondition(dr_viscosity_multigrid *multigrid, const double *r, double *z);

#endif
