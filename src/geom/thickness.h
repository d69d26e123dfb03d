// How thin the walls of a shape are. docs/theory/solids.md, "Thin walls".
#ifndef DR_GEOM_THICKNESS_H
#define DR_GEOM_THICKNESS_H

#include "geom/shape.h"

// The least thickness, cm, among walls of the shape thinner than `limit` whose two sides are parallel, looked at from a
// lattice of that pitch in the box; infinite where there is none, or the box has no end. Edges and tips are no walls.
double dr_shape_thickness(const dr_shape *shape, dr_box box, double pitch, double limit);

#endif
