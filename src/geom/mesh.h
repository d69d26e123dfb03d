// A triangle mesh with a tree over its triangles: closest points, winding numbers, signed distance.
// docs/theory/shapes.md, "Meshes".
#ifndef DR_GEOM_MESH_H
#define DR_GEOM_MESH_H

#include "base/error.h"
#include "base/memory.h"

typedef struct dr_mesh dr_mesh;

// Copies vertices [vertex][3] and triangles [triangle][3]; at least one triangle, every index below vertex_count.
dr_status dr_mesh_create(const double *vertices, size_t vertex_count, const uint32_t *triangles, size_t triangle_count,
                         const dr_allocator *allocator, dr_mesh **mesh, dr_error *error);
void dr_mesh_destroy(dr_mesh *mesh);

size_t dr_mesh_vertex_count(const dr_mesh *mesh);
void dr_mesh_bounds(const dr_mesh *mesh, double min[3], double max[3]);

// The triangles [triangle][3], in the order of the tree, and which way they turn: -1 where inwards.
const uint32_t *dr_mesh_triangles(const dr_mesh *mesh, size_t *count);
double dr_mesh_turn(const dr_mesh *mesh);

// The vertices, to move; dr_mesh_refit then brings the tree up to date. Neither allocates.
double *dr_mesh_vertices(dr_mesh *mesh);
void dr_mesh_refit(dr_mesh *mesh);

typedef struct dr_mesh_hit {
    double distance; // not signed
    double point[3];
    double weights[3]; // of the triangle's corners; exactly 0 for those that an edge or a vertex leaves out
    uint32_t corners[3];
    size_t triangle;  // in the order of the tree
    double normal[3]; // of the triangle, unit, as its corners turn
} dr_mesh_hit;

void dr_mesh_closest(const dr_mesh *mesh, const double x[3], dr_mesh_hit *hit);

// How often the surface winds around x: 1 inside and 0 outside a closed mesh, whichever way its triangles turn.
double dr_mesh_winding(const dr_mesh *mesh, const double x[3]);

// Negative inside: where the winding number is above one half, however it is found. normal may be NULL.
double dr_mesh_distance(const dr_mesh *mesh, const double x[3], double normal[3]);

// Exact where it is less than `enough` either way, else `enough` with its sign; much cheaper far from the surface.
double dr_mesh_distance_within(const dr_mesh *mesh, const double x[3], double enough);
double dr_mesh_shell_distance_within(const dr_mesh *mesh, const double x[3], double thickness, double enough);

// A shell of that thickness around the surface.
double dr_mesh_shell_distance(const dr_mesh *mesh, const double x[3], double thickness, double normal[3]);

#endif
