// Shapes: a tree of solids compiled from a scene's description. docs/theory/shapes.md.
// Every node maps a point into its own frame, y = R^T (x - t) / s, asks its solid there and scales the answer back, eq.
// (6); unions and intersections take the least and the greatest of their children, eq. (7).
#include "geom/shape_node.h"

#include "geom/primitives.h"
#include "geom/upright.h"
#include "math/rotation.h"
#include "math/scalar.h"

#include <string.h>

#define DEEPEST 48 // a region that leads back to itself is found by its depth

typedef dr_shape_node node;

// ---- distance

static double mesh_distance(const node *node, const double p[3], double normal[3])
{
    if (node->shell > 0.0) return dr_mesh_shell_distance(node->mesh, p, node->shell, normal);
    return dr_mesh_distance(node->mesh, p, normal);
}

// The least of sign_i d_i, where all signs but perhaps the first are `sign`; times `turn`.
static double extreme(const node *owner, const double p[3], double first_sign, double sign, double turn,
                      double normal[3])
{
    double best = INFINITY;
    for (int i = 0; i < owner->child_count; i++) {
        double n[3], s = i == 0 ? first_sign : sign;
        double d = s * dr_shape_node_distance(&owner->children[i], p, normal ? n : NULL);
        if (d >= best) continue;
        best = d;
        if (normal) dr_vec3_scale(normal, turn * s, n);
    }
    return turn * best;
}

static double solid_distance(const node *node, const double p[3], double normal[3])
{
    double q[3];
    dr_vec3_sub(q, p, node->center);
    switch (node->kind) {
    case DR_SHAPE_SPHERE:
        return dr_primitive_sphere(q, node->radius, normal);
    case DR_SHAPE_BOX:
        return dr_primitive_box(q, node->half, node->rounding, normal);
    case DR_SHAPE_CAPSULE:
        return dr_primitive_capsule(q, node->axis, node->radius, node->half_height, normal);
    case DR_SHAPE_CYLINDER:
        return dr_primitive_cylinder(q, node->axis, node->radius, node->half_height, normal);
    case DR_SHAPE_TORUS:
        return dr_primitive_torus(q, node->axis, node->radius, node->tube, normal);
    case DR_SHAPE_HALF_SPACE:
        if (normal) dr_vec3_copy(normal, node->normal);
        return dr_vec3_dot(q, node->normal);
    case DR_SHAPE_MESH:
        return mesh_distance(node, p, normal);
    case DR_SHAPE_INTERSECTION:
        return extreme(node, p, -1.0, -1.0, -1.0, normal);
    case DR_SHAPE_DIFFERENCE:
        return extreme(node, p, -1.0, 1.0, -1.0, normal);
    case DR_SHAPE_INSIDE_OUT:
        return extreme(node, p, -1.0, -1.0, 1.0, normal);
    default:
        return extreme(node, p, 1.0, 1.0, 1.0, normal);
    }
}

static void to_local(const node *node, const double x[3], double out[3])
{
    double moved[3];
    dr_vec3_sub(moved, x, node->translation);
    dr_rotation_unapply(out, node->rotation, moved);
    dr_vec3_scale(out, 1.0 / node->scale, out);
}

double dr_shape_node_distance(const node *node, const double x[3], double normal[3])
{
    if (node->plain) return solid_distance(node, x, normal);
    double local[3];
    to_local(node, x, local);
    double distance = node->scale * solid_distance(node, local, normal);
    if (normal) dr_rotation_apply(normal, node->rotation, normal);
    return distance;
}

double dr_shape_distance(const dr_shape *shape, const double x[3], double normal[3])
{
    return dr_shape_node_distance(shape->root, x, normal);
}

// Least and greatest of bounded distances are bounds of the least and the greatest.
static double distance_within(const node *node, const double x[3], double enough)
{
    double local[3], reach = enough / node->scale, sign = 1.0, best = INFINITY;
    bool least = node->kind == DR_SHAPE_UNION || node->kind == DR_SHAPE_REGION || node->kind == DR_SHAPE_INSIDE_OUT;
    if (node->kind != DR_SHAPE_MESH && node->child_count == 0) return dr_shape_node_distance(node, x, NULL);
    to_local(node, x, local);
    if (node->kind == DR_SHAPE_MESH)
        return node->scale * (node->shell > 0.0 ? dr_mesh_shell_distance_within(node->mesh, local, node->shell, reach)
                                                : dr_mesh_distance_within(node->mesh, local, reach));
    for (int i = 0; i < node->child_count; i++) {
        bool kept = i == 0 || node->kind != DR_SHAPE_DIFFERENCE;
        sign = (node->kind == DR_SHAPE_UNION || node->kind == DR_SHAPE_REGION) || !kept ? 1.0 : -1.0;
        best = dr_min_double(best, sign * distance_within(&node->children[i], local, reach));
    }
    return node->scale * (least ? best : -best);
}

double dr_shape_distance_within(const dr_shape *shape, const double x[3], double enough)
{
    return distance_within(shape->root, x, enough);
}

bool dr_shape_has_mesh(const dr_shape *shape)
{
    return shape->mesh_count > 0;
}

// ---- convexity

static bool is_convex(const node *node)
{
    switch (node->kind) {
    case DR_SHAPE_SPHERE:
    case DR_SHAPE_BOX:
    case DR_SHAPE_CAPSULE:
    case DR_SHAPE_CYLINDER:
    case DR_SHAPE_HALF_SPACE:
        return true;
    case DR_SHAPE_UNION:
    case DR_SHAPE_REGION:
        return node->child_count == 1 && is_convex(&node->children[0]);
    case DR_SHAPE_INTERSECTION: // the greatest of convex functions
        for (int i = 0; i < node->child_count; i++) {
            if (!is_convex(&node->children[i])) return false;
        }
        return true;
    default:
        return false;
    }
}

dr_shape_bend dr_shape_bends(const dr_shape *shape)
{
    const node *root = shape->root;
    if (root->kind == DR_SHAPE_INSIDE_OUT && root->child_count == 1 && is_convex(&root->children[0]))
        return DR_SHAPE_CONCAVE;
    return is_convex(root) ? DR_SHAPE_CONVEX : DR_SHAPE_ANY;
}

// ---- bounds

double dr_box_distance(const dr_box *box, const double x[3])
{
    double out[3];
    for (int i = 0; i < 3; i++) out[i] = dr_max_double(dr_max_double(box->min[i] - x[i], x[i] - box->max[i]), 0.0);
    return dr_vec3_length(out);
}

static dr_box everywhere(void)
{
    return (dr_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

static dr_box around(const double center[3], double x, double y, double z)
{
    return (dr_box){{center[0] - x, center[1] - y, center[2] - z}, {center[0] + x, center[1] + y, center[2] + z}};
}

static dr_box around_axis(const node *node, double across, double along)
{
    double reach[3] = {across, across, across};
    reach[node->axis] = along;
    return around(node->center, reach[0], reach[1], reach[2]);
}

// A half-space is bounded only along an axis that its normal follows.
static dr_box half_space_bounds(const node *node)
{
    dr_box box = everywhere();
    for (int i = 0; i < 3; i++) {
        if (node->normal[i] == 1.0) box.max[i] = node->center[i];
        if (node->normal[i] == -1.0) box.min[i] = node->center[i];
    }
    return box;
}

static dr_box mesh_bounds(const node *node)
{
    dr_box box;
    dr_mesh_bounds(node->mesh, box.min, box.max);
    for (int i = 0; i < 3; i++) {
        box.min[i] -= 0.5 * node->shell;
        box.max[i] += 0.5 * node->shell;
    }
    return box;
}

static dr_box join(dr_box a, dr_box b)
{
    for (int i = 0; i < 3; i++) {
        a.min[i] = fmin(a.min[i], b.min[i]);
        a.max[i] = fmax(a.max[i], b.max[i]);
    }
    return a;
}

static dr_box meet(dr_box a, dr_box b)
{
    for (int i = 0; i < 3; i++) {
        a.min[i] = fmax(a.min[i], b.min[i]);
        a.max[i] = fmin(a.max[i], b.max[i]);
    }
    return a;
}

static dr_box children_bounds(const node *node, dr_box (*combine)(dr_box, dr_box))
{
    dr_box box = dr_shape_node_bounds(&node->children[0]);
    for (int i = 1; i < node->child_count; i++) box = combine(box, dr_shape_node_bounds(&node->children[i]));
    return box;
}

static dr_box solid_bounds(const node *node)
{
    switch (node->kind) {
    case DR_SHAPE_SPHERE:
        return around(node->center, node->radius, node->radius, node->radius);
    case DR_SHAPE_BOX:
        return around(node->center, node->half[0], node->half[1], node->half[2]);
    case DR_SHAPE_CAPSULE:
        return around_axis(node, node->radius, node->radius + node->half_height);
    case DR_SHAPE_CYLINDER:
        return around_axis(node, node->radius, node->half_height);
    case DR_SHAPE_TORUS:
        return around_axis(node, node->radius + node->tube, node->tube);
    case DR_SHAPE_HALF_SPACE:
        return half_space_bounds(node);
    case DR_SHAPE_MESH:
        return mesh_bounds(node);
    case DR_SHAPE_INTERSECTION:
        return children_bounds(node, meet);
    case DR_SHAPE_DIFFERENCE:
        return dr_shape_node_bounds(&node->children[0]);
    case DR_SHAPE_INSIDE_OUT:
        return everywhere();
    default:
        return children_bounds(node, join);
    }
}

// The box of a box that was scaled, rotated and moved; a factor of 0 keeps infinity out.
static dr_box carry_box(const node *node, dr_box box)
{
    dr_box out;
    for (int i = 0; i < 3; i++) {
        out.min[i] = out.max[i] = node->translation[i];
        for (int j = 0; j < 3; j++) {
            double factor = node->scale * node->rotation[3 * i + j];
            if (factor == 0.0) continue;
            double low = factor * box.min[j], high = factor * box.max[j];
            out.min[i] += fmin(low, high);
            out.max[i] += fmax(low, high);
        }
    }
    return out;
}

dr_box dr_shape_node_bounds(const node *node)
{
    dr_box box = solid_bounds(node);
    bool empty = box.min[0] > box.max[0] || box.min[1] > box.max[1] || box.min[2] > box.max[2];
    if (empty) return (dr_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return node->plain ? box : carry_box(node, box);
}

dr_box dr_shape_bounds(const dr_shape *shape)
{
    return shape->bounds;
}

// ---- compiling

typedef struct maker {
    const dr_scene *scene;
    dr_shape *shape;
    dr_error *error;
} maker;

static dr_status make_node(maker *maker, const dr_shape_spec *spec, node *node, int depth);

static dr_status complain(maker *maker, const void *address, const dr_shape_spec *spec, const char *what)
{
    return dr_scene_complain(maker->scene, address, spec, maker->error, "%s", what);
}

static dr_status make_box(maker *maker, const dr_shape_spec *spec, node *node)
{
    for (int i = 0; i < 3; i++) node->half[i] = 0.5 * spec->size[i];
    double smallest = fmin(node->half[0], fmin(node->half[1], node->half[2]));
    node->rounding = spec->rounding;
    if (spec->rounding > smallest)
        return dr_scene_complain(maker->scene, &spec->rounding, spec, maker->error,
                                 "is %g cm, but a rounding is at most half the shortest edge, %g cm", spec->rounding,
                                 smallest);
    return DR_STATUS_OK;
}

static dr_status make_half_space(maker *maker, const dr_shape_spec *spec, node *node)
{
    static const double up[3] = {0, 1, 0};
    dr_vec3_copy(node->center, spec->point);
    if (dr_vec3_normalize(node->normal, spec->normal, up) > 1e-300) return DR_STATUS_OK;
    return complain(maker, spec->normal, spec, "has no length, but a normal must point out of the half-space");
}

static dr_status make_mesh(maker *maker, const dr_shape_spec *spec, node *node)
{
    dr_shape *shape = maker->shape;
    const dr_mesh_asset *asset = spec->file ? dr_scene_mesh(maker->scene, spec->file) : NULL;
    if (!asset)
        return dr_scene_complain(maker->scene, &spec->file, spec, maker->error, "\"%s\" is not loaded",
                                 spec->file ? spec->file : "");
    if (!dr_memory_reserve(shape->allocator, (void **)&shape->meshes, &shape->mesh_capacity, shape->mesh_count + 1,
                           sizeof *shape->meshes))
        return dr_error_memory(maker->error, "compiling a mesh");
    dr_status status = dr_mesh_create(asset->vertices, asset->vertex_count, asset->triangles, asset->triangle_count,
                                      shape->allocator, &node->mesh, maker->error);
    if (status) return status;
    shape->meshes[shape->mesh_count++] = node->mesh;
    double *vertices = dr_mesh_vertices(node->mesh);
    for (size_t v = 0; v < asset->vertex_count; v++)
        dr_upright_point(vertices + 3 * v, spec->up, spec->unit_length, asset->vertices + 3 * v);
    dr_mesh_refit(node->mesh);
    node->shell = fmax(spec->shell, 0.0);
    return DR_STATUS_OK;
}

static dr_status make_children(maker *maker, const dr_shape_spec *spec, node *node, int depth)
{
    const dr_shape_list *list = &spec->of;
    if (list->count < 1) return complain(maker, list, spec, "is empty, but `of` needs at least one shape");
    if (spec->kind == DR_SHAPE_INSIDE_OUT && list->count != 1)
        return complain(maker, list, spec, "has several shapes, but inside_out takes one; put them into a union");
    node->children = dr_arena_alloc(&maker->shape->arena, (size_t)list->count * sizeof *node->children);
    if (!node->children) return dr_error_memory(maker->error, "compiling a shape");
    node->child_count = list->count;
    for (int i = 0; i < list->count; i++) {
        dr_status status = make_node(maker, &list->items[i], &node->children[i], depth + 1);
        if (status) return status;
    }
    return DR_STATUS_OK;
}

static dr_status make_region(maker *maker, const dr_shape_spec *spec, node *node, int depth)
{
    const dr_shape_spec *region = spec->region ? dr_scene_region(maker->scene, spec->region) : NULL;
    if (!region)
        return dr_scene_complain(maker->scene, &spec->region, spec, maker->error,
                                 "names \"%s\", but there is no such region", spec->region ? spec->region : "");
    node->children = dr_arena_alloc(&maker->shape->arena, sizeof *node->children);
    if (!node->children) return dr_error_memory(maker->error, "compiling a shape");
    node->child_count = 1;
    return make_node(maker, region, node->children, depth + 1);
}

static dr_status make_solid(maker *maker, const dr_shape_spec *spec, node *node, int depth)
{
    switch (spec->kind) {
    case DR_SHAPE_SPHERE:
    case DR_SHAPE_CAPSULE:
    case DR_SHAPE_CYLINDER:
    case DR_SHAPE_TORUS:
        return DR_STATUS_OK;
    case DR_SHAPE_BOX:
        return make_box(maker, spec, node);
    case DR_SHAPE_HALF_SPACE:
        return make_half_space(maker, spec, node);
    case DR_SHAPE_MESH:
        return make_mesh(maker, spec, node);
    case DR_SHAPE_UNION:
    case DR_SHAPE_INTERSECTION:
    case DR_SHAPE_DIFFERENCE:
    case DR_SHAPE_INSIDE_OUT:
        return make_children(maker, spec, node, depth);
    case DR_SHAPE_REGION:
        return make_region(maker, spec, node, depth);
    default:
        return complain(maker, &spec->kind, spec, "is missing; say what type of shape it is");
    }
}

static dr_status make_node(maker *maker, const dr_shape_spec *spec, node *node, int depth)
{
    if (depth > DEEPEST)
        return complain(maker, &spec->kind, spec, "is nested too deeply; does a region lead back to itself?");
    if (!(spec->scale > 0.0) || !isfinite(spec->scale))
        return dr_scene_complain(maker->scene, &spec->scale, spec, maker->error,
                                 "is %g, but a scale must be above zero", spec->scale);
    node->kind = (dr_shape_kind)spec->kind;
    node->scale = spec->scale;
    dr_rotation_euler(node->rotation, spec->rotate);
    dr_vec3_copy(node->translation, spec->translate);
    static const double none[3] = {0};
    node->plain =
        spec->scale == 1.0 && !memcmp(spec->rotate, none, sizeof none) && !memcmp(spec->translate, none, sizeof none);
    dr_vec3_copy(node->center, spec->center);
    node->radius = spec->radius;
    node->tube = spec->tube;
    node->half_height = 0.5 * spec->height;
    node->axis = spec->axis >= 0 && spec->axis < 3 ? spec->axis : DR_AXIS_Y;
    return make_solid(maker, spec, node, depth);
}

static dr_status make_root(maker *maker, const dr_shape_spec *spec)
{
    dr_shape *shape = maker->shape;
    shape->root = dr_arena_alloc(&shape->arena, sizeof *shape->root);
    if (!shape->root) return dr_error_memory(maker->error, "compiling a shape");
    dr_status status = make_node(maker, spec, shape->root, 0);
    if (status) return status;
    shape->bounds = dr_shape_node_bounds(shape->root);
    size_t vertex_count = dr_shape_mesh_vertex_count(shape);
    if (vertex_count == 0) return DR_STATUS_OK;
    shape->velocities = dr_arena_alloc(&shape->arena, 3 * vertex_count * sizeof *shape->velocities);
    return shape->velocities ? DR_STATUS_OK : dr_error_memory(maker->error, "compiling a mesh");
}

dr_status dr_shape_create(const dr_scene *scene, const dr_shape_spec *spec, const dr_allocator *allocator,
                          dr_shape **shape, dr_error *error)
{
    *shape = NULL;
    dr_shape *made = dr_memory_alloc(allocator, sizeof *made);
    if (!made) return dr_error_memory(error, "compiling a shape");
    made->allocator = allocator;
    dr_arena_open(&made->arena, allocator);
    dr_status status = make_root(&(maker){scene, made, error}, spec);
    if (status) {
        dr_shape_destroy(made);
        return status;
    }
    *shape = made;
    return DR_STATUS_OK;
}

void dr_shape_destroy(dr_shape *shape)
{
    if (!shape) return;
    for (size_t i = 0; i < shape->mesh_count; i++) dr_mesh_destroy(shape->meshes[i]);
    dr_memory_free(shape->allocator, shape->meshes, shape->mesh_capacity * sizeof *shape->meshes);
    dr_arena_close(&shape->arena);
    dr_memory_free(shape->allocator, shape, sizeof *shape);
}

// ---- deforming

size_t dr_shape_mesh_vertex_count(const dr_shape *shape)
{
    return shape->root->kind == DR_SHAPE_MESH ? dr_mesh_vertex_count(shape->root->mesh) : 0;
}

dr_status dr_shape_deform(dr_shape *shape, const double *positions, const double *velocities, dr_error *error)
{
    size_t count = dr_shape_mesh_vertex_count(shape);
    if (count == 0) return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "only a shape that is one mesh can be deformed");
    memcpy(dr_mesh_vertices(shape->root->mesh), positions, 3 * count * sizeof *positions);
    dr_mesh_refit(shape->root->mesh);
    shape->bounds = dr_shape_node_bounds(shape->root);
    shape->moving = velocities != NULL;
    if (velocities) memcpy(shape->velocities, velocities, 3 * count * sizeof *velocities);
    return DR_STATUS_OK;
}

bool dr_shape_surface_velocity(const dr_shape *shape, const double x[3], double velocity[3])
{
    dr_vec3_set(velocity, 0, 0, 0);
    if (!shape->moving) return false;
    const node *node = shape->root;
    double local[3];
    dr_mesh_hit hit;
    to_local(node, x, local);
    dr_mesh_closest(node->mesh, local, &hit);
    for (int i = 0; i < 3; i++)
        dr_vec3_add_scaled(velocity, velocity, node->scale * hit.weights[i],
                           shape->velocities + 3 * (size_t)hit.corners[i]);
    dr_rotation_apply(velocity, node->rotation, velocity);
    return true;
}
