// Viscosity beyond the surface. docs/theory/viscosity.md, eq. (18)-(19).
#ifndef DR_LIQUID_VISCOSITY_SURFACE_H
#define DR_LIQUID_VISCOSITY_SURFACE_H

#include "liquid/strain.h"

enum { DR_VISCOSITY_MASKS = 2 * DR_STRAIN_FACES };

typedef struct dr_viscosity_surface {
    const dr_strain *strain; // solved, on the liquid's own blocks
    const float *level;      // [cell] of these blocks
    const uint32_t *block;   // where they are in the velocity
    const float *velocity;   // [face] before
    double *unknown;         // [block][3][64] after
    uint64_t *mask;          // [block][6] faces that are solved for, inside and outside, by axis; filled in
} dr_viscosity_surface;

void dr_viscosity_surface_hand(const dr_viscosity_surface *surface);

#endif
