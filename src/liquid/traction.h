// What viscous stress hands to solids: the answer of the viscous solve on the faces it does not solve for.
// docs/theory/collide.md, "Loads".
#ifndef DR_LIQUID_TRACTION_H
#define DR_LIQUID_TRACTION_H

#include "liquid/strain.h"

// An impulse on the solid, g cm/s, at a place of the grid in cells from the block's lower corner.
typedef void (*dr_traction_visit)(void *user, const double place[3], const double impulse[3]);

// Visits the strains of a block that have a face in a solid. dr_strain_stress was called for the velocity that the
// solve has found.
void dr_traction_block(const dr_strain *strain, size_t block, dr_traction_visit visit, void *user);

#endif
