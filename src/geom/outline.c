// Outlines of shapes: what is round about an axis is a profile turned about it, a box is six patches with rounded rims,
// a union is its parts one after the other. docs/theory/shapes.md, "Outlines".
#include "geom/outline.h"

#include "base/number.h"
#include "geom/shape_node.h"
#include "math/rotation.h"

#define SEGMENTS 64 // about an axis
#define ARC      16 // of a quarter of a profile
#define RIM      4  // of half a rounded edge
#define PROFILE  (4 * ARC + 2)

typedef struct walker {
    dr_outline *outline;
    const dr_box *reach;
} walker;

// ---- growing

bool dr_outline_reserve(dr_outline *outline, size_t vertices, size_t triangles)
{
    return dr_memory_reserve(outline->allocator, (void **)&outline->vertices, &outline->vertex_capacity,
                             outline->vertex_count + vertices, 3 * sizeof *outline->vertices) &&
           dr_memory_reserve(outline->allocator, (void **)&outline->triangles, &outline->triangle_capacity,
                             outline->triangle_count + triangles, 3 * sizeof *outline->triangles);
}

uint32_t dr_outline_add_vertex(dr_outline *outline, const double x[3])
{
    dr_vec3_copy(outline->vertices + 3 * outline->vertex_count, x);
    return (uint32_t)outline->vertex_count++;
}

void dr_outline_add_triangle(dr_outline *outline, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *triangle = outline->triangles + 3 * outline->triangle_count++;
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

static void add_quad(dr_outline *outline, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    dr_outline_add_triangle(outline, a, b, c);
    dr_outline_add_triangle(outline, a, c, d);
}

// ---- round about an axis

typedef struct profile {
    int count;
    bool closed; // from the last point back to the first
    double radius[PROFILE], height[PROFILE];
} profile;

static void add_point(profile *profile, double radius, double height)
{
    profile->radius[profile->count] = radius;
    profile->height[profile->count++] = height;
}

// An arc about (middle_radius, middle_height) from one angle to another, in quarters; 0 is outwards, 1 is up.
static void add_arc(profile *profile, double middle_radius, double middle_height, double radius, int from, int to)
{
    int steps = ARC * (to - from);
    for (int i = 0; i <= steps; i++) {
        double angle = 0.5 * DR_PI * (from + (double)i / ARC);
        double reach = middle_radius + radius * cos(angle);
        add_point(profile, reach > 1e-12 * radius ? reach : 0.0, middle_height + radius * sin(angle));
    }
}

static profile profile_of(const dr_shape_node *node)
{
    profile profile = {0};
    double radius = node->radius, height = node->half_height;
    switch (node->kind) {
    case DR_SHAPE_SPHERE:
        add_arc(&profile, 0.0, 0.0, radius, -1, 1);
        break;
    case DR_SHAPE_CAPSULE:
        add_arc(&profile, 0.0, -height, radius, -1, 0);
        add_arc(&profile, 0.0, height, radius, 0, 1);
        break;
    case DR_SHAPE_CYLINDER:
        add_point(&profile, 0.0, -height);
        add_point(&profile, radius, -height);
        add_point(&profile, radius, height);
        add_point(&profile, 0.0, height);
        break;
    default: // torus
        add_arc(&profile, radius, 0.0, node->tube, -2, 2);
        profile.count--;
        profile.closed = true;
    }
    return profile;
}

static void add_ring(dr_outline *outline, const dr_shape_node *node, double radius, double height)
{
    int up = node->axis, right = (up + 1) % 3, ahead = (up + 2) % 3;
    for (int i = 0; i < SEGMENTS; i++) {
        double angle = 2.0 * DR_PI * i / SEGMENTS, x[3];
        dr_vec3_copy(x, node->center);
        x[up] += height;
        x[right] += radius * cos(angle);
        x[ahead] += radius * sin(angle);
        dr_outline_add_vertex(outline, x);
    }
}

// The band between two rings; where one is a point its triangles have no area and are left out.
static void add_band(dr_outline *outline, const profile *profile, uint32_t first, int below, int above)
{
    for (int i = 0; i < SEGMENTS; i++) {
        uint32_t here = (uint32_t)i, next = (uint32_t)((i + 1) % SEGMENTS);
        uint32_t low = first + (uint32_t)(below * SEGMENTS), high = first + (uint32_t)(above * SEGMENTS);
        if (profile->radius[below] > 0.0) dr_outline_add_triangle(outline, low + here, low + next, high + next);
        if (profile->radius[above] > 0.0) dr_outline_add_triangle(outline, low + here, high + next, high + here);
    }
}

static bool add_round(dr_outline *outline, const dr_shape_node *node)
{
    profile profile = profile_of(node);
    size_t rings = (size_t)profile.count;
    uint32_t first = (uint32_t)outline->vertex_count;
    if (!dr_outline_reserve(outline, rings * SEGMENTS, 2 * rings * SEGMENTS)) return false;
    for (int i = 0; i < profile.count; i++) add_ring(outline, node, profile.radius[i], profile.height[i]);
    for (int i = 0; i + 1 < profile.count; i++) add_band(outline, &profile, first, i, i + 1);
    if (profile.closed) add_band(outline, &profile, first, profile.count - 1, 0);
    return true;
}

// ---- boxes

// A point of the patch on one side: half of the patch's columns belong to either edge, and lean over it by up to 45
// degrees.
static void rim_point(const dr_shape_node *node, int axis, double sign, const int at[2], int rim, double x[3])
{
    double direction[3], inner[3];
    direction[axis] = sign;
    inner[axis] = sign;
    for (int k = 0; k < 2; k++) {
        int across = (axis + 1 + k) % 3, low = at[k] <= rim;
        double lean = rim == 0 ? 0.0 : (double)(low ? at[k] - rim : at[k] - rim - 1) / rim;
        direction[across] = tan(0.25 * DR_PI * lean);
        inner[across] = low ? -1.0 : 1.0;
    }
    double length = dr_vec3_length(direction);
    for (int a = 0; a < 3; a++) {
        double half = node->half[a] - node->rounding;
        x[a] = node->center[a] + inner[a] * half + node->rounding * direction[a] / length;
    }
}

static void add_patch(dr_outline *outline, const dr_shape_node *node, int axis, double sign, int rim)
{
    int side = 2 * (rim + 1);
    uint32_t first = (uint32_t)outline->vertex_count, row = (uint32_t)side;
    for (int i = 0; i < side * side; i++) {
        double x[3];
        rim_point(node, axis, sign, (int[2]){i % side, i / side}, rim, x);
        dr_outline_add_vertex(outline, x);
    }
    for (int i = 0; i + 1 < side; i++) {
        for (int j = 0; j + 1 < side; j++) {
            uint32_t a = first + (uint32_t)i + row * (uint32_t)j;
            if (sign > 0.0) {
                add_quad(outline, a, a + 1, a + 1 + row, a + row);
            } else {
                add_quad(outline, a, a + row, a + 1 + row, a + 1);
            }
        }
    }
}

static bool add_box(dr_outline *outline, const dr_shape_node *node)
{
    int rim = node->rounding > 0.0 ? RIM : 0;
    size_t side = 2 * ((size_t)rim + 1);
    if (!dr_outline_reserve(outline, 6 * side * side, 12 * (side - 1) * (side - 1))) return false;
    for (int axis = 0; axis < 3; axis++) {
        add_patch(outline, node, axis, -1.0, rim);
        add_patch(outline, node, axis, 1.0, rim);
    }
    return true;
}

// ---- half-spaces, meshes

// A square on the surface, around the point nearest to the middle of what is looked at.
static bool add_half_space(walker *walker, const dr_shape_node *node)
{
    const dr_box *reach = walker->reach;
    const double *normal = node->normal;
    double middle[3], size[3], across[3] = {0}, along[3], away[3];
    if (!dr_outline_reserve(walker->outline, 4, 2)) return false;
    for (int a = 0; a < 3; a++) middle[a] = 0.5 * (reach->min[a] + reach->max[a]);
    dr_vec3_sub(size, reach->max, reach->min);
    dr_vec3_sub(away, middle, node->center);
    dr_vec3_add_scaled(middle, middle, -dr_vec3_dot(away, normal), normal);
    int least = fabs(normal[0]) <= fabs(normal[1]) ? 0 : 1;
    if (fabs(normal[2]) < fabs(normal[least])) least = 2;
    along[0] = along[1] = along[2] = 0.0;
    along[least] = 1.0;
    dr_vec3_cross(across, normal, along);
    dr_vec3_normalize(across, across, along);
    dr_vec3_cross(along, normal, across);
    uint32_t first = (uint32_t)walker->outline->vertex_count;
    double half = dr_vec3_length(size);
    for (int i = 0; i < 4; i++) {
        double x[3];
        dr_vec3_add_scaled(x, middle, i == 0 || i == 3 ? -half : half, across);
        dr_vec3_add_scaled(x, x, i < 2 ? -half : half, along);
        dr_outline_add_vertex(walker->outline, x);
    }
    add_quad(walker->outline, first, first + 1, first + 2, first + 3);
    return true;
}

static bool add_mesh(dr_outline *outline, const dr_shape_node *node)
{
    size_t vertex_count = dr_mesh_vertex_count(node->mesh), triangle_count;
    const uint32_t *triangles = dr_mesh_triangles(node->mesh, &triangle_count);
    const double *vertices = dr_mesh_vertices(node->mesh);
    uint32_t first = (uint32_t)outline->vertex_count;
    bool inwards = dr_mesh_turn(node->mesh) < 0.0;
    if (!dr_outline_reserve(outline, vertex_count, triangle_count)) return false;
    for (size_t v = 0; v < vertex_count; v++) dr_outline_add_vertex(outline, vertices + 3 * v);
    for (size_t t = 0; t < triangle_count; t++) {
        const uint32_t *c = triangles + 3 * t;
        dr_outline_add_triangle(outline, first + c[0], first + c[inwards ? 2 : 1], first + c[inwards ? 1 : 2]);
    }
    return true;
}

// ---- the tree

static bool add_node(walker *walker, const dr_shape_node *node);

static bool add_children(walker *walker, const dr_shape_node *node)
{
    for (int i = 0; i < node->child_count; i++) {
        if (!add_node(walker, &node->children[i])) return false;
    }
    return true;
}

static void turn(dr_outline *outline, size_t first)
{
    for (size_t t = first; t < outline->triangle_count; t++) {
        uint32_t *triangle = outline->triangles + 3 * t, kept = triangle[1];
        triangle[1] = triangle[2];
        triangle[2] = kept;
    }
}

static void place(const dr_shape_node *node, double x[3])
{
    dr_vec3_scale(x, node->scale, x);
    dr_rotation_apply(x, node->rotation, x);
    dr_vec3_add(x, x, node->translation);
}

static bool add_solid(walker *walker, const dr_shape_node *node)
{
    dr_outline *outline = walker->outline;
    size_t first = outline->triangle_count;
    switch (node->kind) {
    case DR_SHAPE_SPHERE:
    case DR_SHAPE_CAPSULE:
    case DR_SHAPE_CYLINDER:
    case DR_SHAPE_TORUS:
        return add_round(outline, node);
    case DR_SHAPE_BOX:
        return add_box(outline, node);
    case DR_SHAPE_HALF_SPACE:
        return add_half_space(walker, node);
    case DR_SHAPE_MESH:
        return add_mesh(outline, node);
    case DR_SHAPE_INSIDE_OUT:
        if (!add_children(walker, node)) return false;
        turn(outline, first);
        return true;
    default:
        return add_children(walker, node);
    }
}

static bool add_node(walker *walker, const dr_shape_node *node)
{
    dr_outline *outline = walker->outline;
    size_t first = outline->vertex_count;
    if (node->kind == DR_SHAPE_INTERSECTION || node->kind == DR_SHAPE_DIFFERENCE)
        return dr_outline_contour(outline, node, walker->reach);
    if (!add_solid(walker, node)) return false;
    if (node->plain) return true;
    for (size_t v = first; v < outline->vertex_count; v++) place(node, outline->vertices + 3 * v);
    return true;
}

dr_status dr_outline_build(const dr_shape *shape, const dr_box *reach, const dr_allocator *allocator,
                           dr_outline *outline, dr_error *error)
{
    *outline = (dr_outline){.allocator = allocator};
    if (add_node(&(walker){outline, reach}, shape->root)) return DR_STATUS_OK;
    dr_outline_free(outline);
    return dr_error_memory(error, "drawing a shape");
}

void dr_outline_free(dr_outline *outline)
{
    dr_memory_free(outline->allocator, outline->vertices, 3 * outline->vertex_capacity * sizeof *outline->vertices);
    dr_memory_free(outline->allocator, outline->triangles, 3 * outline->triangle_capacity * sizeof *outline->triangles);
    *outline = (dr_outline){.allocator = outline->allocator};
}

void dr_outline_follow(dr_outline *outline, const dr_shape *shape)
{
    size_t count = dr_shape_mesh_vertex_count(shape);
    for (size_t v = 0; v < count && v < outline->vertex_count; v++) {
        double *x = outline->vertices + 3 * v;
        dr_vec3_copy(x, dr_mesh_vertices(shape->root->mesh) + 3 * v);
        if (!shape->root->plain) place(shape->root, x);
    }
}
