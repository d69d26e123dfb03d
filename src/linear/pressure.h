// The pressure projection of a mixture: from fluxes and mobilities on faces to the pressure that makes the mixture keep
// its volume. docs/theory/pressure.md. For every liquid cell c, with h the cell's side,
//     1/h sum_f s_f [ open_f (flux_f - mobility_f G_f) + (1 - open_f) solid_velocity_f ]
//         + inverse_stiffness_c (p_c - old_pressure_c) = source_c,                                              (1)
//     G_f = (p_above - p_below) / h            between two liquid cells,
//     G_f = (ghost_pressure_f - p_c) / (theta_f h), with the face's sign, towards air.
// After the solve the mixture's velocity on an open face is flux - mobility * gradient.
//
// Cells are [block][64] in the order of grid/grid.h; faces [block][64][4], the lower x, y, z face of each cell and a
// spare. A block that does not exist holds air; its faces, the upper faces of a last block, are closed and still. Faces
// to solid cells are closed and move with solid_velocity. Numbers on faces and cells that touch no liquid cell are
// never read into the answer.
#ifndef DR_LINEAR_PRESSURE_H
#define DR_LINEAR_PRESSURE_H

#include "drench/report.h"
#include "grid/grid.h"
#include "linear/component.h"
#include "linear/conjugate.h"

typedef struct dr_pressure_problem {
    const dr_grid *grid;
    const uint8_t *kind;            // [cell] dr_cell_kind
    const float *flux;              // [face] velocity without pressure, of the mixture, cm/s
    const float *mobility;          // [face] velocity per pressure gradient: time step over density, cm3 s/g
    const float *open;              // [face] share not covered by solids; NULL: 1
    const float *solid_velocity;    // [face] cm/s; NULL: 0
    const float *theta;             // [face] distance from the liquid cell's middle to the surface, in cells; NULL: 1
                                    // more than 1: the surface resists its motion
    const float *ghost_pressure;    // [face] pressure at the surface, dyn/cm2; NULL: 0
    const float *inverse_stiffness; // [cell] 1 / (bulk modulus * time step), cm s/g; NULL: 0, incompressible
    const float *old_pressure;      // [cell] dyn/cm2; NULL: 0
    const float *source;            // [cell] volume made per volume and time, 1/s; NULL: 0
    const float *guess;             // [cell] where to start, dyn/cm2; NULL: 0
} dr_pressure_problem;

typedef struct dr_pressure_options {
    double tolerance;    // of the residual's 2-norm, relative to that of the right-hand side
    int iterations;      // limit of the first two tries
    int safe_iterations; // limit of the last one, with the diagonal
} dr_pressure_options;

static const dr_pressure_options dr_pressure_defaults = {1e-6, 150, 2000};

// Smallest theta that is used: nearer surfaces make the matrix needlessly stiff.
#define DR_PRESSURE_LEAST_THETA 0.01F

// What the last solve met, beside its report.
typedef struct dr_pressure_facts {
    size_t unknowns, blocks, uniform_blocks;
    size_t components, floating; // connected regions; those tied to no pressure
    double imbalance;            // largest mean source that had to be taken from a floating region, 1/s
    int levels, tries;
    double setup_seconds, solve_seconds; // processor time: matrix and hierarchy; iterations; the rest is neither
} dr_pressure_facts;

// The solver's memory, kept from solve to solve: a solve that is no larger than one before allocates nothing.
typedef struct dr_pressure {
    const dr_allocator *allocator;
    dr_multigrid multigrid;
    dr_components components;
    dr_conjugate conjugate;
    dr_pressure_facts facts;
    double scale;              // internal values are pressures times this
    int32_t *block_of;         // [grid block] block of level 0, -1: no liquid
    uint64_t *liquid, *solid;  // [grid block] cells of the kind
    uint32_t *grid_block;      // [block of level 0]
    dr_component_block *masks; // [block of level 0]
    size_t grid_capacity, block_capacity;
} dr_pressure;

// What lies around the cells of one grid block, as masks of its 64 cells.
typedef struct dr_pressure_around {
    uint64_t liquid, below[3], above[3];   // liquid cells; cells with a liquid neighbour along x, y, z
    uint64_t shut_below[3], shut_above[3]; // cells whose face belongs to a solid neighbour or does not exist
} dr_pressure_around;

dr_pressure_around dr_pressure_survey(const dr_pressure *pressure, const dr_grid *grid, size_t grid_block);

bool dr_pressure_open(dr_pressure *pressure, const dr_allocator *allocator); // false when memory is out
void dr_pressure_close(dr_pressure *pressure);

// Writes pressure [cell] (0 outside liquid; each floating region has the mean 0) and gradient [face] (G above; 0 where
// no liquid can pass). A try that does not converge is repeated with more smoothing, then with the diagonal alone; the
// report says how the last one ended. Numbers that are not finite give the reason "not finite" and zeros. False when
// memory is out: nothing is written then.
bool dr_pressure_solve(dr_pressure *pressure, const dr_par *par, const dr_pressure_problem *problem,
                       const dr_pressure_options *options, float *result, float *gradient, dr_solve_report *report);

// Solves once more with the matrix of the last solve, which must have converged, for a source alone: flux, solid
// velocity and ghost pressure count as zero. Kind, mobility, open, theta must be those of the last solve.
void dr_pressure_solve_source(dr_pressure *pressure, const dr_par *par, const dr_pressure_problem *problem,
                              const dr_pressure_options *options, float *result, float *gradient,
                              dr_solve_report *report);

// Whether a cell of the last solve is liquid in a region that no free surface touches: there is no room for more.
bool dr_pressure_is_enclosed(const dr_pressure *pressure, size_t block, int cell);

// The matrix alone, level 0 of the multigrid, with its right-hand side in conjugate.r: a part of the solve, for tests.
// *finite says whether all numbers were. False when memory is out.
bool dr_pressure_assemble(dr_pressure *pressure, const dr_par *par, const dr_pressure_problem *problem, bool *finite);

#endif
