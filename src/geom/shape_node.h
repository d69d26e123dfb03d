// What a shape is made of: the tree that shape.c compiles and outline.c walks. Only geom sees it.
#ifndef DR_GEOM_SHAPE_NODE_H
#define DR_GEOM_SHAPE_NODE_H

#include "geom/mesh.h"
#include "geom/shape.h"

typedef struct dr_shape_node dr_shape_node;
struct dr_shape_node {
    dr_shape_kind kind;
    bool plain; // no scale, rotation or translation
    double scale, rotation[9], translation[3];
    double center[3]; // half-space: a point of its surface
    double radius, tube, rounding, half[3], half_height, normal[3];
    int axis;
    dr_mesh *mesh;
    double shell;
    int child_count;
    dr_shape_node *children;
};

struct dr_shape {
    const dr_allocator *allocator;
    dr_arena arena;
    dr_shape_node *root;
    dr_mesh **meshes; // every mesh of the tree, to free
    size_t mesh_count, mesh_capacity;
    double *velocities; // of a deforming mesh
    bool moving;
    dr_box bounds;
};

// Distance and bounds of one node, its own scale, rotation and translation included.
double dr_shape_node_distance(const dr_shape_node *node, const double x[3], double normal[3]);
dr_box dr_shape_node_bounds(const dr_shape_node *node);

#endif
