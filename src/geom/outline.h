// The surface of a shape as triangles, to be looked at. docs/theory/shapes.md, "Outlines".
#ifndef DR_GEOM_OUTLINE_H
#define DR_GEOM_OUTLINE_H

#include "geom/shape.h"

// Triangles turn so that their normals point out of the solid: into the free space within an inside-out shape.
typedef struct dr_outline {
    const dr_allocator *allocator;
    size_t vertex_count, triangle_count;
    double *vertices;    // [vertex][3]
    uint32_t *triangles; // [triangle][3]
    size_t vertex_capacity, triangle_capacity;
} dr_outline;

// What is endless is drawn about as large as `reach`, which is bounded. A mesh gives its own triangles (those of a
// shell its middle surface); what is cut out of or common to shapes is found on a lattice of its box. On failure the
// outline is empty.
dr_status dr_outline_build(const dr_shape *shape, const dr_box *reach, const dr_allocator *allocator,
                           dr_outline *outline, dr_error *error);
void dr_outline_free(dr_outline *outline);

// After dr_shape_deform: moves the vertices of a shape that is one mesh.
void dr_outline_follow(dr_outline *outline, const dr_shape *shape);

// ---- for outline*.c alone

struct dr_shape_node;
bool dr_outline_reserve(dr_outline *outline, size_t vertices, size_t triangles); // room for that many more
uint32_t dr_outline_add_vertex(dr_outline *outline, const double x[3]);          // room has been made
void dr_outline_add_triangle(dr_outline *outline, uint32_t a, uint32_t b, uint32_t c);

// The surface of a node, its own place included, from its distance on a lattice; false when memory is out.
bool dr_outline_contour(dr_outline *outline, const struct dr_shape_node *node, const dr_box *reach);

#endif
