// The law of rheology.h for several points side by side. docs/theory/rheology.md, eq. (4)-(8), (10), (11), (13).
#ifndef DR_LIQUID_RHEOLOGY_LANES_H
#define DR_LIQUID_RHEOLOGY_LANES_H

#include "liquid/rheology.h"
#include "math/simd.h"

// A lane is a point: its law, what it had and what a step makes of it.
typedef struct dr_rheology_lanes {
    dr_lanes shear_modulus, yield, consistency, index;
    dr_lanes b[DR_SYMMETRIC];      // less I; moved on
    dr_lanes gradient[9];          // 1/s
    dr_lanes stress[DR_SYMMETRIC]; // deviatoric Kirchhoff stress at the end of the step
    dr_lanes viscosity;            // eq. (8)
} dr_rheology_lanes;

// What points that can tear remember besides.
typedef struct dr_rheology_history {
    dr_lanes total[DR_SYMMETRIC]; // less I
    dr_lanes tear, keep;          // plastic strain beyond which they tear; what stays of its logarithm in a step
} dr_rheology_history;

// Two of them at a time keep the machine busy: chains of one fill the gaps of the other.
enum { DR_RHEOLOGY_PAIR = 2, DR_RHEOLOGY_POINTS = 2 * DR_LANES };

// Points 0 .. DR_RHEOLOGY_POINTS-1; law, b and gradient of all of them must be numbers.
void dr_rheology_lanes_clear(dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR]);
void dr_rheology_lanes_law(dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR], int point, const dr_rheology *law);
void dr_rheology_lanes_step(dr_rheology_lanes lanes[DR_RHEOLOGY_PAIR], double dt);

// Which lanes are torn before a step; these go by dr_rheology_step, one by one.
void dr_rheology_lanes_torn(const dr_rheology_lanes *lanes, const dr_rheology_history *history, bool torn[DR_LANES]);

// The history of lanes that are not torn goes along with a step, and is forgotten over it: before the step, after it.
void dr_rheology_lanes_carry(const dr_rheology_lanes *lanes, double dt, dr_rheology_history *history);
void dr_rheology_lanes_recover(const dr_rheology_lanes *lanes, dr_rheology_history *history);

#endif
