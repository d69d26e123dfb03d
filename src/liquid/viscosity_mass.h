// The masses of the viscous solve. docs/theory/viscosity.md, "Masses".
#ifndef DR_LIQUID_VISCOSITY_MASS_H
#define DR_LIQUID_VISCOSITY_MASS_H

#include "grid/grid.h"
#include "par/par.h"

typedef struct dr_viscosity_mass {
    const float *mass;    // [face] of the particles
    const float *solid;   // [corner] signed distance, negative inside, cm
    const float *no_slip; // [face] in solids: 1 no slip .. 0 free slip; NULL: no slip,
    bool slips;           // or free slip
    float *own;           // [face] filled in: with the shares of faces in solids beside, eq. (20) and (14)
} dr_viscosity_mass;

void dr_viscosity_weigh(const dr_viscosity_mass *mass, const dr_grid *grid, const dr_par *par);

#endif
