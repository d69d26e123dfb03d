// A liquid and any number of solid phases in the same cells: drag is eliminated face by face, so that one pressure
// moves them all. docs/theory/mixture.md, eq. (4)-(10). Where no phase is, flux is the liquid's velocity and mobility
// the time step over its density, to the bit.
#ifndef DR_MIXTURE_MIXTURE_H
#define DR_MIXTURE_MIXTURE_H

#include "mixture/fraction.h"

typedef struct dr_mixture {
    const dr_grid *grid;
    double dt;
    const float *liquid_mass;     // [face] g
    const float *liquid_volume;   // [face] cm3; NULL: mass over density
    const float *liquid_velocity; // [face] without pressure and drag, cm/s; known on faces without liquid too
    double liquid_density;        // of faces without liquid, and of all where there is no liquid_volume
    const dr_phase_faces *phases;
    int phase_count;
    const dr_phase_members *members; // NULL: none
    double most;                     // share that phases may take of a face together, 0 .. 1
    bool by_volume;                  // air moves with all phases by their volumes; otherwise with the liquid
} dr_mixture;

// What a dr_pressure_problem wants of the mixture: [face].
void dr_mixture_eliminate(const dr_mixture *mixture, const dr_par *par, float *flux, float *mobility);

// The velocities under that problem's pressure gradient [face]: of the liquid, which may replace liquid_velocity,
// without what the drag of members does to it, and of each phase, 0 where it is not; an entry that is NULL is left out.
void dr_mixture_correct(const dr_mixture *mixture, const dr_par *par, const float *gradient, float *liquid,
                        float *const *phases);

#endif
