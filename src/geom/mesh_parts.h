// What the files of the mesh share: its arrays, its tree, boxes and normals. docs/theory/shapes.md, eqs. (8)-(13).
//   c    area-weighted centre of a cluster       N   sum of area normals
//   M    first moment: sum of area (c_t - c) n^T, its symmetric part
// Invariants: nodes[0] is the root, children lie behind their parent and side by side, so that a walk from the last
// node to the first meets children before parents; corners are copied in the order of the leaves.
#ifndef DR_GEOM_MESH_PARTS_H
#define DR_GEOM_MESH_PARTS_H

#include "geom/mesh.h"
#include "math/vec.h"

enum { DR_MESH_STACK = 128 }; // nodes that a search of the tree holds back at most

typedef struct dr_mesh_node {
    double min[3], max[3];
    uint32_t first; // leaf: first triangle; else: first child, the second follows it
    uint32_t count; // triangles of a leaf, 0 for an inner node
} dr_mesh_node;

typedef struct dr_mesh_cluster {
    double center[3];
    double radius2;
    double normal[3];
    double moment[6]; // xx, yy, zz, xy + yx, yz + zy, zx + xz
    double area;
} dr_mesh_cluster;

struct dr_mesh {
    const dr_allocator *allocator;
    size_t vertex_count, triangle_count, node_count;
    double *vertices;    // [vertex][3]
    uint32_t *triangles; // [triangle][3], in the order of the leaves
    double *corners;     // [triangle][9]
    dr_mesh_node *nodes;
    dr_mesh_cluster *clusters; // one per node
    double sign;               // -1 where the triangles turn inwards
    bool closed;
    uint32_t *opposite; // [triangle][3], the neighbour's edge, of a closed mesh
    double *normals;    // [vertex][3], weighted by angles, of a closed mesh
    bool simple;        // closed, and no part of it inside another: the nearest normal tells the side
};

// Splits the triangles and puts them into the order of the leaves. False when memory is out.
bool dr_mesh_build_tree(dr_mesh *mesh);

static inline void dr_mesh_empty_box(double min[3], double max[3])
{
    dr_vec3_set(min, INFINITY, INFINITY, INFINITY);
    dr_vec3_set(max, -INFINITY, -INFINITY, -INFINITY);
}

static inline void dr_mesh_grow_box(double min[3], double max[3], const double low[3], const double high[3])
{
    for (int i = 0; i < 3; i++) {
        if (low[i] < min[i]) min[i] = low[i];
        if (high[i] > max[i]) max[i] = high[i];
    }
}

// Twice the area times the unit normal.
static inline void dr_mesh_area_normal(const double corners[9], double out[3])
{
    double first[3], second[3];
    dr_vec3_sub(first, corners + 3, corners);
    dr_vec3_sub(second, corners + 6, corners);
    dr_vec3_cross(out, first, second);
}

// Of a triangle; zero where it has no area.
static inline void dr_mesh_unit_normal(const dr_mesh *mesh, size_t t, double out[3])
{
    static const double none[3] = {0};
    double normal[3];
    dr_mesh_area_normal(mesh->corners + 9 * t, normal);
    dr_vec3_normalize(out, normal, none);
}

#endif
