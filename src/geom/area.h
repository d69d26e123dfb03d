// The area of shapes as seen along a direction.
#ifndef DR_GEOM_AREA_H
#define DR_GEOM_AREA_H

#include "geom/shape.h"

// Every part of the shape counts where a line along the direction enters it, cm2; 0 where the direction is zero or the
// shape has no end.
double dr_shape_area_across(const dr_shape *shape, const double direction[3]);

#endif
