// The masses of the viscous solve. docs/theory/viscosity.md, "Masses".
#ifndef DR_LIQUID_VISCOSITY_MASS_H
#define DR_LIQUID_VISCOSITY_MASS_H

#include "liquid/strain.h"

// The mass of the face of an item across an axis, g: the particles', with the shares of faces in solids beside, (20)
// and (14).
double dr_viscosity_mass(const dr_strain_problem *problem, const dr_grid *grid, int64_t item, int axis);

#endif
