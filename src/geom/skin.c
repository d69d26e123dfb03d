// Places on a mesh that deforms. docs/theory/groom.md, "Skin".
#include "geom/skin.h"

#include "geom/shape_node.h"
#include "math/rotation.h"

#include <string.h>

// The node's own scale, rotation and translation, and back.
static void outwards(const dr_shape_node *node, const double x[3], double out[3])
{
    dr_vec3_scale(out, node->scale, x);
    dr_rotation_apply(out, node->rotation, out);
    dr_vec3_add(out, out, node->translation);
}

static void inwards(const dr_shape_node *node, const double x[3], double out[3])
{
    dr_vec3_sub(out, x, node->translation);
    dr_rotation_unapply(out, node->rotation, out);
    dr_vec3_scale(out, 1.0 / node->scale, out);
}

bool dr_skin_find(const dr_shape *shape, const double x[3], dr_skin_place *place)
{
    const dr_shape_node *node = shape->root;
    if (node->kind != DR_SHAPE_MESH) return false;
    double local[3];
    dr_mesh_hit hit;
    if (node->plain)
        dr_vec3_copy(local, x);
    else
        inwards(node, x, local);
    dr_mesh_closest(node->mesh, local, &hit);
    memcpy(place->corners, hit.corners, sizeof place->corners);
    memcpy(place->weights, hit.weights, sizeof place->weights);
    return true;
}

void dr_skin_frame(const dr_shape *shape, const dr_skin_place *place, double origin[3], double rotation[9])
{
    static const double up[3] = {0, 1, 0}, side[3] = {1, 0, 0};
    const dr_shape_node *node = shape->root;
    const double *vertices = dr_mesh_vertices(node->mesh);
    double corner[3][3], first[3], second[3];
    dr_vec3_set(origin, 0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++) {
        const double *at = vertices + 3 * (size_t)place->corners[k];
        if (node->plain)
            dr_vec3_copy(corner[k], at);
        else
            outwards(node, at, corner[k]);
        dr_vec3_add_scaled(origin, origin, place->weights[k], corner[k]);
    }
    dr_vec3_sub(first, corner[1], corner[0]);
    dr_vec3_sub(second, corner[2], corner[0]);
    dr_vec3_normalize(rotation, first, side);
    dr_vec3_cross(rotation + 3, first, second);
    dr_vec3_normalize(rotation + 3, rotation + 3, up);
    dr_vec3_cross(rotation + 6, rotation, rotation + 3);
}
