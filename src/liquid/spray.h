// Spray: liquid too thin for a surface of its own. It flies free, and does not bound the step of the rest.
// docs/theory/timestep.md, eq. (7)-(12).
#ifndef DR_LIQUID_SPRAY_H
#define DR_LIQUID_SPRAY_H

#include "grid/grid.h"
#include "par/par.h"

// How the liquid that is more than spray moves, cell by cell, cm/s.
typedef struct dr_spray_survey {
    bool any;
    float speed;           // the largest
    float relative;        // speed of its parts against each other, over the cells by which they may move so
    float low[3], high[3]; // of the velocities along each axis
} dr_spray_survey;

typedef struct dr_spray_room {
    float *cell;            // [cell][4] velocity, and the share that liquid fills, 0 where there is none but spray
    dr_spray_survey *found; // [block]
} dr_spray_room;

// courant: cells that liquid may cross.
dr_spray_survey dr_spray_look(const dr_grid *grid, const dr_par *par, const dr_particles *particles, double courant,
                              const dr_spray_room *room);

// Whether a solid stands in the way of a particle at x; one that does has moved it out of itself.
typedef bool (*dr_spray_stop)(void *user, size_t block, size_t p, const double x[3]);

typedef struct dr_spray_flight {
    const uint8_t *kind;   // [cell] as the step began
    const float *velocity; // [face] at its end
    bool along; // liquid may have crossed more than Courant allows: what moves along with a particle is not in its way
    double dt;
    double frame[3];    // velocity of the frame in which the liquid was when the step began, cm/s
    dr_spray_stop stop; // NULL: there are no solids
    void *user;
    size_t piece; // blocks that one thread visits at a time
} dr_spray_flight;

// Particles have moved in a straight line; those that crossed more than a cell of air are stopped by the first solid
// on their way, or liquid that does not move along with them.
void dr_spray_fly(const dr_spray_flight *flight, const dr_grid *grid, const dr_par *par, dr_particles *particles);

#endif
