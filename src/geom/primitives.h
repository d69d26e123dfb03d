// Signed distances of the simple solids about their own centre, exact everywhere. docs/theory/shapes.md, "Simple
// solids". normal (may be NULL) is the unit gradient; where it is not unique one of the candidates is given.
#ifndef DR_GEOM_PRIMITIVES_H
#define DR_GEOM_PRIMITIVES_H

double dr_primitive_sphere(const double p[3], double radius, double normal[3]);

// Half the edge lengths, edges and corners rounded with a radius of at most the smallest of them.
double dr_primitive_box(const double p[3], const double half[3], double rounding, double normal[3]);

// axis 0..2; half_height to the centres of the capsule's caps, to the ends of the cylinder.
double dr_primitive_capsule(const double p[3], int axis, double radius, double half_height, double normal[3]);
double dr_primitive_cylinder(const double p[3], int axis, double radius, double half_height, double normal[3]);

// Around axis: ring of `radius`, tube of `tube`.
double dr_primitive_torus(const double p[3], int axis, double radius, double tube, double normal[3]);

#endif
