// How the arrays of the viscous operator are divided, for the files that fill and apply it.
#ifndef DR_LIQUID_STRAIN_PARTS_H
#define DR_LIQUID_STRAIN_PARTS_H

#include "liquid/strain.h"

enum {
    CELLS = DR_STRAIN_CELLS,
    FACES = DR_STRAIN_FACES,
    COEFFICIENTS = DR_STRAIN_COEFFICIENTS,
    STRAINS = 6,
    STRESSES = 9
};
enum { MASS = 0, NORMAL = 3, SHEAR = 6 }; // the first coefficient of its kind
enum { FULL = 4 };                        // a busy block, while it is assembled: all of it and around it is liquid

// False when memory is out. strain.c
bool dr_strain_reserve_unit(dr_strain *strain);

// Of cells at these places of a halo; 0 where none has a viscosity. strain_assemble.c
double dr_strain_cell_viscosity(const float *level, const float *viscosity, int at);
double dr_strain_edge_viscosity(const float *level, const float *viscosity, int at, int axis);

#endif
