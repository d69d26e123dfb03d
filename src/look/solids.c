// Walls are planes; a collider is a mesh of its triangles, or a plane where it is a half-space.
// docs/theory/reconstruction.md, "Walls".
#include "look/solids.h"

#include "base/memory.h"
#include "geom/mesh.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { WALLS = 6, NESTED = 16 };

typedef struct plane {
    double point[3], normal[3]; // unit, out of the solid
} plane;

typedef struct solid {
    dr_mesh *mesh;  // NULL: the plane
    plane plane;    //
    double sign;    // -1: inside out
    double shell;   // thickness of a shell around the mesh, 0: it is full
    double low[3];  // box of the mesh
    double high[3]; //
} solid;

struct dr_solids {
    const dr_allocator *allocator;
    plane walls[WALLS];
    int wall_count;
    solid *solids;
    size_t count, capacity;
};

// ---- walls

static bool holds_liquid(int side)
{
    return side == DR_SIDE_STICKY || side == DR_SIDE_SLIP || side == DR_SIDE_SEPARATE || side == DR_SIDE_SYMMETRY;
}

static void add_wall(dr_solids *solids, int axis, double place, double direction)
{
    plane *wall = &solids->walls[solids->wall_count++];
    wall->point[axis] = place;
    wall->normal[axis] = direction;
}

static void add_walls(dr_solids *solids, const dr_domain_spec *domain)
{
    for (int a = 0; a < 3; a++) {
        if (domain->min[a] > -DR_UNBOUNDED && holds_liquid(domain->side_min[a]))
            add_wall(solids, a, domain->min[a], 1.0);
        if (domain->max[a] < DR_UNBOUNDED && holds_liquid(domain->side_max[a]))
            add_wall(solids, a, domain->max[a], -1.0);
    }
}

// ---- colliders

typedef struct look_up {
    const float (*position)[3];
    const uint32_t (*triangle)[3];
    const uint32_t *body;
    size_t triangle_count;
} look_up;

static bool find_colliders(const dr_frame *frame, look_up *found)
{
    for (int i = 0; i < frame->part_count; i++) {
        const dr_frame_part *part = &frame->parts[i];
        if (strcmp(part->name, "colliders") != 0 || part->kind != DR_FRAME_TRIANGLES || !part->index) continue;
        const dr_frame_array *position = dr_frame_find(part, "position"), *body = dr_frame_find(part, "body");
        if (!position || position->type != DR_TYPE_FLOAT32 || position->components != 3 ||
            position->count != part->point_count)
            continue;
        bool numbered = body && body->type == DR_TYPE_UINT32 && body->count == part->element_count;
        found->position = (const float(*)[3])position->data;
        found->triangle = (const uint32_t(*)[3])(const void *)part->index;
        found->body = numbered ? body->data : NULL;
        found->triangle_count = part->element_count;
        return part->element_count > 0;
    }
    return false;
}

// What a collider is once names of regions are followed; NULL where it is not known.
static const dr_shape_spec *shape_of(const dr_scene_spec *spec, uint32_t body)
{
    if (!spec || body >= (uint32_t)spec->colliders.count) return NULL;
    const dr_shape_spec *shape = &spec->colliders.items[body].shape;
    for (int depth = 0; depth < NESTED && shape->kind == DR_SHAPE_REGION; depth++) {
        int i = 0;
        while (i < spec->regions.count && strcmp(spec->regions.items[i].name, shape->region) != 0) i++;
        if (i == spec->regions.count) return NULL;
        shape = &spec->regions.items[i].shape;
    }
    return shape;
}

static plane plane_through(const look_up *found, size_t t)
{
    plane plane;
    double corner[3][3], first[3], second[3];
    for (int c = 0; c < 3; c++) {
        for (int a = 0; a < 3; a++) corner[c][a] = (double)found->position[found->triangle[t][c]][a];
    }
    dr_vec3_sub(first, corner[1], corner[0]);
    dr_vec3_sub(second, corner[2], corner[0]);
    dr_vec3_cross(plane.normal, first, second);
    dr_vec3_normalize(plane.normal, plane.normal, (const double[3]){0, 1, 0});
    dr_vec3_copy(plane.point, corner[0]);
    return plane;
}

// The triangles from begin to end as a mesh of their own, with the run of vertices that they use.
static dr_status make_mesh(const dr_solids *solids, const look_up *found, size_t begin, size_t end, dr_mesh **mesh,
                           dr_error *error)
{
    const uint32_t *corners = found->triangle[begin];
    size_t count = 3 * (end - begin);
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t i = 0; i < count; i++) {
        low = corners[i] < low ? corners[i] : low;
        high = corners[i] > high ? corners[i] : high;
    }
    size_t vertices = (size_t)(high - low) + 1, place_bytes = 3 * vertices * sizeof(double);
    double *places = dr_memory_alloc(solids->allocator, place_bytes);
    uint32_t *index = dr_memory_alloc(solids->allocator, count * sizeof *index);
    dr_status status = places && index ? DR_STATUS_OK : dr_error_memory(error, "measuring colliders");
    for (size_t i = 0; !status && i < 3 * vertices; i++) places[i] = (double)found->position[low + i / 3][i % 3];
    for (size_t i = 0; !status && i < count; i++) index[i] = corners[i] - low;
    if (!status) status = dr_mesh_create(places, vertices, index, count / 3, solids->allocator, mesh, error);
    dr_memory_free(solids->allocator, places, place_bytes);
    dr_memory_free(solids->allocator, index, count * sizeof *index);
    return status;
}

static dr_status add_collider(dr_solids *solids, const dr_shape_spec *shape, const look_up *found, size_t begin,
                              size_t end, dr_error *error)
{
    solid one = {.sign = 1.0};
    if (shape && shape->kind == DR_SHAPE_HALF_SPACE) {
        one.plane = plane_through(found, begin);
    } else {
        dr_status status = make_mesh(solids, found, begin, end, &one.mesh, error);
        if (status) return status;
        if (shape && shape->kind == DR_SHAPE_INSIDE_OUT) one.sign = -1.0;
        if (shape && shape->kind == DR_SHAPE_MESH) one.shell = shape->scale * shape->shell;
        dr_mesh_bounds(one.mesh, one.low, one.high);
    }
    if (!dr_memory_reserve(solids->allocator, (void **)&solids->solids, &solids->capacity, solids->count + 1,
                           sizeof one)) {
        dr_mesh_destroy(one.mesh);
        return dr_error_memory(error, "measuring colliders");
    }
    solids->solids[solids->count++] = one;
    return DR_STATUS_OK;
}

// Colliders one by one, in the order of their triangles.
static dr_status add_colliders(dr_solids *solids, const dr_scene_spec *spec, const dr_frame *frame, dr_error *error)
{
    look_up found;
    if (!find_colliders(frame, &found)) return DR_STATUS_OK;
    dr_status status = DR_STATUS_OK;
    for (size_t begin = 0, end; !status && begin < found.triangle_count; begin = end) {
        uint32_t body = found.body ? found.body[begin] : UINT32_MAX;
        for (end = begin + 1; end < found.triangle_count && (!found.body || found.body[end] == body);) end++;
        const dr_shape_spec *shape = shape_of(spec, body);
        if (shape || !spec) status = add_collider(solids, shape, &found, begin, end, error);
    }
    return status;
}

// ---- all of them

dr_status dr_solids_open(const dr_scene *scene, const dr_frame *frame, const dr_allocator *allocator,
                         dr_solids **solids, dr_error *error)
{
    const dr_scene_spec *spec = scene ? dr_scene_view(scene) : NULL;
    *solids = NULL;
    dr_solids *made = dr_memory_alloc(allocator, sizeof *made);
    if (!made) return dr_error_memory(error, "measuring colliders");
    made->allocator = allocator;
    if (spec) add_walls(made, &spec->domain);
    dr_status status = add_colliders(made, spec, frame, error);
    if (status || made->wall_count + (int)made->count == 0) {
        dr_solids_close(made);
    } else {
        *solids = made;
    }
    return status;
}

void dr_solids_close(dr_solids *solids)
{
    if (!solids) return;
    for (size_t i = 0; i < solids->count; i++) dr_mesh_destroy(solids->solids[i].mesh);
    dr_memory_free(solids->allocator, solids->solids, solids->capacity * sizeof *solids->solids);
    dr_memory_free(solids->allocator, solids, sizeof *solids);
}

// ---- distance

static double plane_distance(const plane *plane, const double x[3])
{
    double away[3];
    dr_vec3_sub(away, x, plane->point);
    return dr_vec3_dot(away, plane->normal);
}

static double box_distance(const solid *solid, const double x[3])
{
    double away[3];
    for (int a = 0; a < 3; a++) away[a] = fmax(0.0, fmax(solid->low[a] - x[a], x[a] - solid->high[a]));
    return dr_vec3_length(away);
}

static double mesh_distance(const solid *solid, const double x[3], double normal[3])
{
    if (solid->shell > 0.0) return dr_mesh_shell_distance(solid->mesh, x, solid->shell, normal);
    double distance = solid->sign * dr_mesh_distance(solid->mesh, x, normal);
    if (normal) dr_vec3_scale(normal, solid->sign, normal);
    return distance;
}

static void nearer(double distance, const double own[3], double *least, double normal[3])
{
    if (distance >= *least) return;
    *least = distance;
    if (normal) dr_vec3_copy(normal, own);
}

double dr_solids_distance(const dr_solids *solids, const double x[3], double normal[3])
{
    double least = INFINITY, own[3];
    if (normal) dr_vec3_set(normal, 0, 1, 0);
    for (int i = 0; i < solids->wall_count; i++)
        nearer(plane_distance(&solids->walls[i], x), solids->walls[i].normal, &least, normal);
    for (size_t i = 0; i < solids->count; i++) {
        const solid *one = &solids->solids[i];
        if (!one->mesh) {
            nearer(plane_distance(&one->plane, x), one->plane.normal, &least, normal);
        } else if (one->sign < 0.0 || box_distance(one, x) - 0.5 * one->shell < least) {
            double distance = mesh_distance(one, x, normal ? own : NULL);
            nearer(distance, own, &least, normal);
        }
    }
    return least;
}
