// Coulomb friction of liquid on solids: the viscous stress of a wall is at most mu times the pressure on it.
// docs/theory/viscosity.md, "Friction".
#ifndef DR_LIQUID_FRICTION_H
#define DR_LIQUID_FRICTION_H

#include "grid/grid.h"

typedef struct dr_friction {
    double dt, viscosity;        // s, g/(cm s)
    const float *velocity;       // [face] cm/s, as walls that hold would leave it
    const float *solid;          // [corner] signed distance, negative inside, cm
    const float *solid_velocity; // [face] cm/s
    const float *coefficient;    // [face] mu of solids, infinite where they hold
    const float *pressure;       // [cell] dyn/cm2
} dr_friction;

typedef struct dr_friction_slip {
    float *no_slip; // [face] of solids: cleared where liquid beside slips
    float *push;    // [face] what friction adds to density times velocity in dt, g/(cm2 s); 0 where nothing slips
    uint8_t *slips; // [cell] bits of its lower x, y, z faces
} dr_friction_slip;

// Finds where the stress of a wall would be more than mu times the pressure. Returns how many faces slip; partial is
// room for one number per block.
double dr_friction_find(const dr_friction *friction, const dr_grid *grid, const dr_par *par, const dr_friction_slip *to,
                        double *partial);

#endif
