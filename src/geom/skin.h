// What grows on a mesh that moves and deforms: a place on its surface with a frame that follows. docs/theory/groom.md,
// "Skin".
#ifndef DR_GEOM_SKIN_H
#define DR_GEOM_SKIN_H

#include "geom/shape.h"

// A place of the surface: three corners of the mesh and their shares.
typedef struct dr_skin_place {
    uint32_t corners[3];
    double weights[3];
} dr_skin_place;

// The place of the surface nearest to x. False where the shape is not one mesh.
bool dr_skin_find(const dr_shape *shape, const double x[3], dr_skin_place *place);

// Where that place is now, and a rotation whose rows are the triangle's first edge, its normal and what is across both.
void dr_skin_frame(const dr_shape *shape, const dr_skin_place *place, double origin[3], double rotation[9]);

#endif
