// Implicit viscosity of the liquid on the staggered grid: the velocity that makes kinetic change and dissipation
// together smallest. docs/theory/viscosity.md.
//   cell arrays [block][64], face arrays [block][64][4] (lower x, y, z face and a spare), corner arrays [block][64] at
//   the cell's lower corner; where there is no block there is air
#ifndef DR_LIQUID_VISCOSITY_H
#define DR_LIQUID_VISCOSITY_H

#include "grid/grid.h"
#include "linear/krylov.h"

typedef struct dr_viscosity_problem {
    double dt;
    const float *level;     // [cell] signed distance, negative in the liquid, continued into solids, cm
    const float *viscosity; // [cell] g/(cm s), read in liquid cells; NULL: uniform_viscosity
    const float *density;   // [cell] g/cm3, read in liquid cells; NULL: uniform_density
    double uniform_viscosity, uniform_density; // the density also where the array has 0
    const float *mass;                         // [face] g, NULL: density times the liquid volume around the face
    const float *solid;          // [corner] signed distance of solids, negative inside, cm; NULL: no solids
    const float *solid_velocity; // [face] cm/s, inside solids and one face beyond; NULL: at rest
    const float *grip;           // [face] in solids: 1 no slip .. 0 free slip; NULL: no slip
    double tolerance;            // relative residual
    int iterations;              // at most
} dr_viscosity_problem;

// Work space, kept from step to step.
typedef struct dr_viscosity {
    const dr_allocator *allocator;
    size_t capacity;    // blocks
    float *coefficient; // [block][12][64]: mass of 3 faces, 3 normal strains, 6 parts of shear strains
    float *known;       // [block][6][64]: what solids add to the strains
    double *stress;     // [block][9][64]
    double *inverse;    // [block][3][64]: of the diagonal, 0 where a face is not solved for
    double *rhs, *unknown;
    dr_krylov krylov;
    const dr_grid *grid; // of the solve in progress
    const dr_par *par;
} dr_viscosity;

void dr_viscosity_open(dr_viscosity *viscosity, const dr_allocator *allocator);
void dr_viscosity_close(dr_viscosity *viscosity);
size_t dr_viscosity_bytes(const dr_viscosity *viscosity);

// velocity: [face], comes in before and goes out after viscosity; faces in solids and away from the liquid stay as they
// are, and all do when the solve meets a number that is not finite. False when memory is out.
bool dr_viscosity_solve(dr_viscosity *viscosity, const dr_grid *grid, const dr_par *par,
                        const dr_viscosity_problem *problem, float *velocity, dr_solve_report *report);

// The part of a unit cube about the origin where value + gradient . x < 0.
double dr_viscosity_fraction(double value, const double gradient[3]);

#endif
