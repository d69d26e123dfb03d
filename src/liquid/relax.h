// Keeping liquid particles evenly spread: pushing close ones apart, and a source for the pressure solve where cells
// hold more or less than they should. docs/theory/resample.md.
#ifndef DR_LIQUID_RELAX_H
#define DR_LIQUID_RELAX_H

#include "liquid/bins.h"
#include "liquid/inside.h"

// ---- positions

typedef struct dr_relax {
    const dr_allocator *allocator;
    dr_bins bins;
    float *shift;    // [particle][4] wanted displacement in cells, and how much of it is granted
    float *mobility; // [particle][2] 0 at the surface and at walls, 1 inside; and half the wanted spacing, cells
    size_t shift_capacity, mobility_capacity;
    double *partial; // of the report
    size_t partial_capacity;
} dr_relax;

typedef struct dr_relax_report {
    double largest, mean; // displacement, cells
    double
        angular_taken[3]; // angular momentum (g cm2/s) that moving the particles changed and their affine part took up
} dr_relax_report;

void dr_relax_open(dr_relax *relax, const dr_allocator *allocator);
void dr_relax_close(dr_relax *relax);

// Pushes apart particles that are closer than their volume allows, by the share strength (0 .. 0.5) of what is missing
// and at most a tenth of a cell, deeper than 0.75 cells in the liquid and away from walls. Mass, momentum, centre of
// mass and angular momentum are kept. distance: of the surface at centres, solid: at corners (NULL: none), both cm. The
// particles must be where the grid's last rebuild found them; afterwards some may belong to another block. False when
// memory is out.
bool dr_relax_spread(dr_relax *relax, const dr_grid *grid, const dr_par *par, const float *distance, const float *solid,
                     double strength, dr_particles *particles, dr_relax_report *report);

// ---- volumes

typedef struct dr_relax_source {
    const float *fill;       // [block][64] from the surface
    const float *distance;   // [block][64] cm
    const float *solid;      // [block][64] at corners, cm, NULL: none
    const dr_inside *inside; // of the surface
    double tolerance;        // how much of what means nothing in liquid at rest means nothing now, 0 .. 1
    double swollen;          // volume inside the surface over that of the particles, less one
    double time;             // seconds in which an excess should be gone: some ten steps
    double even_time;        // seconds in which the whole should be what it was; 0, infinite: never
    double limit;            // largest change of a volume in a step (0.02), and the step
    double dt;
} dr_relax_source;

typedef struct dr_relax_volume {
    double excess;       // mean of (volume held / room) - 1 over inner cells
    double largest;      // largest excess or lack of an inner cell
    double source;       // cm3/s that the source adds in all
    size_t inner, moved; // cells that were looked at, and that got a source
} dr_relax_volume;

// source: [block][64], 1/s, the divergence that drives inner cells towards full; zero where what is missing is no more
// than the unevenness of freshly seeded particles. spare: [block][64] four times. False when memory is out.
bool dr_relax_density(dr_relax *relax, const dr_relax_source *in, const dr_grid *grid, const dr_par *par, float *spare,
                      float *source, dr_relax_volume *report);

#endif
