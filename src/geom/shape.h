// Shapes: signed distance of everything a scene can describe. docs/theory/shapes.md.
// Distance is negative inside. For the simple shapes and meshes it is exact; for unions outside and intersections
// inside it is exact or a lower bound, always with slope at most one, so that a far block may be skipped by one look at
// its centre.
#ifndef DR_GEOM_SHAPE_H
#define DR_GEOM_SHAPE_H

#include "scene/scene.h"

typedef struct dr_shape dr_shape;

typedef struct dr_box {
    double min[3], max[3]; // may be infinite
} dr_box;

// Distance from x to the box, 0 inside; never more than the distance to what it holds.
double dr_box_distance(const dr_box *box, const double x[3]);

// Compiles a description (its regions and meshes come from the scene; meshes are copied).
dr_status dr_shape_create(const dr_scene *scene, const dr_shape_spec *spec, const dr_allocator *allocator,
                          dr_shape **shape, dr_error *error);
void dr_shape_destroy(dr_shape *shape);

// Signed distance at x; normal (may be NULL) is its unit gradient. Safe from many threads.
double dr_shape_distance(const dr_shape *shape, const double x[3], double normal[3]);

// Signed distance where it is less than `enough` either way, else `enough` or more with its sign: far from meshes it is
// much cheaper. Safe from many threads.
double dr_shape_distance_within(const dr_shape *shape, const double x[3], double enough);
bool dr_shape_has_mesh(const dr_shape *shape);

// Whether the signed distance is a convex function, of a convex solid, or a concave one, of all that is outside of one;
// along a straight line it then has one least value, or has it at an end.
typedef enum dr_shape_bend { DR_SHAPE_ANY, DR_SHAPE_CONVEX, DR_SHAPE_CONCAVE } dr_shape_bend;
dr_shape_bend dr_shape_bends(const dr_shape *shape);

// A box that holds the solid part (infinite for a half-space or an inside-out shape; min > max where nothing is solid).
dr_box dr_shape_bounds(const dr_shape *shape);

// The one mesh of a deforming shape: moves its vertices (as many as the mesh has, [vertex][3], upright and in cm:
// before the shape's own scale, rotation and translation) and refits the tree, without allocating; velocities (may be
// NULL: at rest) are then interpolated by dr_shape_surface_velocity at the closest point, and false comes back where
// none were given.
dr_status dr_shape_deform(dr_shape *shape, const double *positions, const double *velocities, dr_error *error);
bool dr_shape_surface_velocity(const dr_shape *shape, const double x[3], double velocity[3]);
size_t dr_shape_mesh_vertex_count(const dr_shape *shape); // 0 where the shape is not one mesh

#endif
