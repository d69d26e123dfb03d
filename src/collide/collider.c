// Colliders: shapes that move, and what they do to the velocity at a grid node. docs/theory/collide.md.
#include "collide/collider.h"

#include "geom/upright.h"
#include "math/rotation.h"
#include "math/scalar.h"

#include <string.h>

// A deforming mesh: samples at even times, linear in between.
typedef struct deformation {
    size_t frame_count, vertex_count;
    double start, interval; // time of the first sample, time between two
    bool loop;
    double fastest;                 // of any vertex at any time, cm/s
    float *samples;                 // [frame][vertex][3], upright, in cm
    double *positions, *velocities; // [vertex][3], at the time driven to
} deformation;

typedef struct collider {
    dr_shape *shape;
    dr_motion *motion;
    int index;
    const dr_steers *steers;  // moves it in place of the script where its row is on; may be NULL
    deformation *deformation; // NULL for a rigid one
    bool moves;
    int boundary;
    double friction;
    dr_pose pose;
} collider;

struct dr_collider_set {
    const dr_allocator *allocator;
    dr_arena arena;
    int count;
    collider *colliders;
};

// ---- the three boundary rules, eqs. (4)-(6)

void dr_collider_project(int boundary, double friction, const double normal[3], const double surface_velocity[3],
                         double velocity[3])
{
    double relative[3], tangential[3];
    if (boundary == DR_BOUNDARY_STICKY) {
        dr_vec3_copy(velocity, surface_velocity);
        return;
    }
    dr_vec3_sub(relative, velocity, surface_velocity);
    double approach = dr_vec3_dot(relative, normal); // v_n
    if (boundary == DR_BOUNDARY_SEPARATE && approach >= 0.0) return;
    dr_vec3_add_scaled(tangential, relative, -approach, normal);
    double kept = 1.0;
    if (approach < 0.0) {
        double sliding = dr_vec3_length(tangential);
        kept = sliding <= -friction * approach ? 0.0 : 1.0 + friction * approach / sliding;
    }
    dr_vec3_add_scaled(velocity, surface_velocity, kept, tangential);
}

// ---- asking one collider

static bool is_steered(const collider *collider)
{
    return dr_steers_of(collider->steers, collider->index) != NULL;
}

static void pose_at(const collider *collider, double time, dr_pose *pose)
{
    const dr_steer *steer = dr_steers_of(collider->steers, collider->index);
    if (steer)
        dr_steer_at(steer, time, pose);
    else
        dr_motion_at(collider->motion, time, pose);
}

static void to_body(const collider *collider, const double x[3], double local[3])
{
    double moved[3];
    dr_vec3_sub(moved, x, collider->pose.translation);
    dr_rotation_unapply(local, collider->pose.rotation, moved);
}

static double distance_to(const collider *collider, const double x[3], double local[3], double normal[3])
{
    to_body(collider, x, local);
    double distance = dr_shape_distance(collider->shape, local, normal);
    if (normal) dr_rotation_apply(normal, collider->pose.rotation, normal);
    return distance;
}

// Never more than the distance to the collider; costs no look at a mesh.
static double gap_to(const collider *collider, const double x[3])
{
    double local[3];
    dr_box box = dr_shape_bounds(collider->shape);
    to_body(collider, x, local);
    return dr_box_distance(&box, local);
}

// Velocity of the material that is at x now: rigid motion plus the surface's own, eq. (3).
static void velocity_at(const collider *collider, const double x[3], const double local[3], double velocity[3])
{
    double swept[3], own[3];
    dr_vec3_cross(swept, collider->pose.spin, x);
    dr_vec3_add(velocity, collider->pose.velocity, swept);
    if (!dr_shape_surface_velocity(collider->shape, local, own)) return;
    dr_rotation_apply(own, collider->pose.rotation, own);
    dr_vec3_add(velocity, velocity, own);
}

// The box's corner of that number, 0 .. 7, where it is at that pose.
static void corner_at(const dr_box *box, const dr_pose *pose, int corner, double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = corner >> a & 1 ? box->max[a] : box->min[a];
    dr_rotation_apply(x, pose->rotation, x);
    dr_vec3_add(x, x, pose->translation);
}

// The way of a point is convex in the point, so that no point of a box goes farther than its farthest corner. A box
// that is endless, or that depends on more than the time, is left to the origin of its motion.
static double speed_between(const collider *collider, double from, double to, const double frame[3])
{
    dr_pose start, end;
    dr_box box = dr_shape_bounds(collider->shape);
    bool known = !collider->deformation;
    for (int a = 0; a < 3; a++) known = known && isfinite(box.min[a]) && isfinite(box.max[a]);
    if (!known) box = (dr_box){0};
    pose_at(collider, from, &start);
    pose_at(collider, to, &end);
    double farthest = 0.0;
    for (int i = 0; i < 8; i++) {
        double before[3], after[3], way[3];
        corner_at(&box, &start, i, before);
        corner_at(&box, &end, i, after);
        dr_vec3_sub(way, after, before);
        for (int a = 0; a < 3; a++) way[a] -= (to - from) * frame[a];
        farthest = fmax(farthest, dr_vec3_length(way));
    }
    return farthest / (to - from) + (collider->deformation ? collider->deformation->fastest : 0.0);
}

// ---- asking all of them

void dr_collider_set_origin(const dr_collider_set *set, int index, double time, double x[3])
{
    dr_pose pose;
    pose_at(&set->colliders[index], time, &pose);
    dr_vec3_copy(x, pose.translation);
}

double dr_collider_set_speed(const dr_collider_set *set, double from, double to, const double frame[3])
{
    double fastest = 0.0;
    bool moving = frame[0] != 0.0 || frame[1] != 0.0 || frame[2] != 0.0;
    for (int i = 0; i < set->count; i++) {
        const collider *collider = &set->colliders[i];
        if (moving || dr_collider_set_moves(set, i)) fastest = fmax(fastest, speed_between(collider, from, to, frame));
    }
    return fastest;
}

int dr_collider_set_count(const dr_collider_set *set)
{
    return set->count;
}

const dr_shape *dr_collider_set_shape(const dr_collider_set *set, int index)
{
    return set->colliders[index].shape;
}

const dr_pose *dr_collider_set_pose(const dr_collider_set *set, int index)
{
    return &set->colliders[index].pose;
}

bool dr_collider_set_deforms(const dr_collider_set *set, int index)
{
    return set->colliders[index].deformation != NULL;
}

bool dr_collider_set_moves(const dr_collider_set *set, int index)
{
    return set->colliders[index].moves || is_steered(&set->colliders[index]);
}

bool dr_collider_set_misses(const dr_collider_set *set, const double center[3], double radius)
{
    for (int i = 0; i < set->count; i++) {
        const collider *collider = &set->colliders[i];
        double local[3];
        if (gap_to(collider, center) > radius) continue;
        if (distance_to(collider, center, local, NULL) <= radius) return false;
    }
    return true;
}

// One pass over the colliders that hold x. Gives how many there were, -1 after a sticky one, which ends it.
static int project_once(const dr_collider_set *set, const double x[3], double closing, double velocity[3])
{
    int touching = 0;
    for (int i = 0; i < set->count; i++) {
        const collider *collider = &set->colliders[i];
        double local[3], normal[3], surface[3];
        if (gap_to(collider, x) > 0.0) continue;
        if (distance_to(collider, x, local, normal) > 0.0) continue;
        velocity_at(collider, x, local, surface);
        if (collider->boundary == DR_BOUNDARY_SEPARATE) dr_vec3_add_scaled(surface, surface, -closing, normal);
        dr_collider_project(collider->boundary, collider->friction, normal, surface, velocity);
        if (collider->boundary == DR_BOUNDARY_STICKY) return -1;
        touching++;
    }
    return touching;
}

bool dr_collider_set_project(const dr_collider_set *set, const double x[3], double closing, double velocity[3])
{
    double before[3];
    dr_vec3_copy(before, velocity);
    int touching = project_once(set, x, closing, velocity);
    if (touching > 1) project_once(set, x, closing, velocity);
    return touching != 0 && memcmp(before, velocity, sizeof before) != 0;
}

// The nearest collider, NULL where there is none; normal and velocity may be NULL.
static const collider *find_nearest(const dr_collider_set *set, const double x[3], double *distance, double normal[3],
                                    double velocity[3])
{
    const collider *nearest = NULL;
    *distance = INFINITY;
    for (int i = 0; i < set->count; i++) {
        const collider *collider = &set->colliders[i];
        double local[3], n[3];
        if (gap_to(collider, x) > dr_max_double(*distance, 0.0)) continue;
        double found = distance_to(collider, x, local, normal ? n : NULL);
        if (found >= *distance) continue;
        *distance = found;
        nearest = collider;
        if (normal) dr_vec3_copy(normal, n);
        if (velocity) velocity_at(collider, x, local, velocity);
    }
    return nearest;
}

double dr_collider_set_distance(const dr_collider_set *set, const double x[3], double normal[3], double velocity[3])
{
    double distance;
    if (normal) dr_vec3_set(normal, 0, 1, 0);
    if (velocity) dr_vec3_set(velocity, 0, 0, 0);
    find_nearest(set, x, &distance, normal, velocity);
    return distance;
}

static double friction_of(const collider *collider)
{
    return collider->boundary == DR_BOUNDARY_STICKY ? INFINITY : collider->friction;
}

dr_collider_point dr_collider_set_nearest(const dr_collider_set *set, const double x[3])
{
    dr_collider_point point = {.index = -1, .normal = {0, 1, 0}};
    const collider *nearest = find_nearest(set, x, &point.distance, point.normal, point.velocity);
    if (nearest) point.index = nearest->index;
    if (nearest) point.friction = friction_of(nearest);
    if (nearest) point.boundary = nearest->boundary;
    return point;
}

dr_collider_surface dr_collider_set_surface(const dr_collider_set *set, int index, const double x[3])
{
    const collider *collider = &set->colliders[index];
    dr_collider_surface surface;
    double local[3];
    surface.distance = distance_to(collider, x, local, surface.normal);
    velocity_at(collider, x, local, surface.velocity);
    surface.friction = friction_of(collider);
    return surface;
}

double dr_collider_set_clearance(const dr_collider_set *set, int index, const double x[3], double enough)
{
    double local[3], gap = gap_to(&set->colliders[index], x);
    return gap > 0.0 && gap > enough ? gap : distance_to(&set->colliders[index], x, local, NULL);
}

double dr_collider_set_distance_within(const dr_collider_set *set, int index, const double x[3], double enough)
{
    const collider *collider = &set->colliders[index];
    double local[3], gap = gap_to(collider, x);
    if (gap >= enough) return gap;
    to_body(collider, x, local);
    return dr_shape_distance_within(collider->shape, local, enough);
}

void dr_collider_set_velocity(const dr_collider_set *set, int index, const double x[3], double velocity[3])
{
    const collider *collider = &set->colliders[index];
    double local[3];
    to_body(collider, x, local);
    velocity_at(collider, x, local, velocity);
}

double dr_collider_set_friction(const dr_collider_set *set, int index)
{
    return friction_of(&set->colliders[index]);
}

// ---- driving

// Sample before `time`, the one after it, the share of the way, and whether it moves there; eq. (2).
static void find_samples(const deformation *deformation, double time, size_t *from, size_t *to, double *share,
                         bool *moving)
{
    double place = (time - deformation->start) / deformation->interval;
    double count = (double)deformation->frame_count, last = count - 1.0;
    if (deformation->loop) {
        place = fmod(place, count);
        if (place < 0.0) place += count;
        if (place >= count) place = 0.0;
    }
    *moving = deformation->frame_count > 1 && (deformation->loop || (place >= 0.0 && place < last));
    if (!deformation->loop) place = fmax(0.0, fmin(last, place));
    *from = (size_t)place;
    *share = place - (double)*from;
    *to = *from + 1 < deformation->frame_count ? *from + 1 : deformation->loop ? 0 : *from;
}

static dr_status deform(collider *collider, double time, dr_error *error)
{
    deformation *deformation = collider->deformation;
    size_t from, to, numbers = 3 * deformation->vertex_count;
    double share;
    bool moving;
    find_samples(deformation, time, &from, &to, &share, &moving);
    const float *a = deformation->samples + from * numbers, *b = deformation->samples + to * numbers;
    double rate = moving ? 1.0 / deformation->interval : 0.0;
    for (size_t i = 0; i < numbers; i++) {
        double step = (double)b[i] - (double)a[i];
        deformation->positions[i] = (double)a[i] + share * step;
        deformation->velocities[i] = rate * step;
    }
    return dr_shape_deform(collider->shape, deformation->positions, deformation->velocities, error);
}

void dr_collider_set_follow(dr_collider_set *set, const dr_steers *steers)
{
    for (int i = 0; i < set->count; i++) set->colliders[i].steers = steers;
}

dr_status dr_collider_set_drive(dr_collider_set *set, double time, dr_error *error)
{
    for (int i = 0; i < set->count; i++) {
        collider *collider = &set->colliders[i];
        pose_at(collider, time, &collider->pose);
        if (!collider->deformation) continue;
        dr_status status = deform(collider, time, error);
        if (status) return status;
    }
    return DR_STATUS_OK;
}

// ---- compiling

typedef struct maker {
    const dr_scene *scene;
    dr_collider_set *set;
    dr_error *error;
} maker;

static dr_status check_sequence(maker *maker, const dr_collider_spec *spec, const dr_motion_spec *motion,
                                const dr_sequence_asset *asset, size_t vertex_count)
{
    if (!asset || asset->frame_count == 0)
        return dr_scene_complain(maker->scene, &motion->file, motion, maker->error, "\"%s\" is not loaded",
                                 motion->file ? motion->file : "");
    if (vertex_count == 0)
        return dr_scene_complain(maker->scene, &spec->shape.kind, spec, maker->error,
                                 "is not mesh, but the motion is a sequence, which deforms one mesh");
    if (asset->vertex_count != vertex_count)
        return dr_scene_complain(maker->scene, &motion->file, motion, maker->error,
                                 "\"%s\" has %zu vertices, but the mesh \"%s\" has %zu", motion->file,
                                 asset->vertex_count, spec->shape.file, vertex_count);
    return DR_STATUS_OK;
}

static void copy_samples(deformation *deformation, const dr_motion_spec *motion, const float *positions)
{
    size_t count = deformation->frame_count * deformation->vertex_count;
    for (size_t v = 0; v < count; v++) {
        double raw[3] = {(double)positions[3 * v], (double)positions[3 * v + 1], (double)positions[3 * v + 2]}, x[3];
        dr_upright_point(x, motion->up, motion->unit_length, raw);
        for (size_t i = 0; i < 3; i++) deformation->samples[3 * v + i] = (float)x[i];
    }
}

// The vertices move linearly between samples, and from the last to the first where it loops.
static double fastest_vertex(const deformation *deformation)
{
    size_t numbers = 3 * deformation->vertex_count, count = deformation->frame_count;
    double longest = 0.0;
    for (size_t k = deformation->loop ? 0 : 1; k < count; k++) {
        const float *to = deformation->samples + k * numbers;
        const float *from = deformation->samples + (k ? k - 1 : count - 1) * numbers;
        for (size_t v = 0; v < numbers; v += 3) {
            double way[3];
            for (size_t a = 0; a < 3; a++) way[a] = (double)to[v + a] - (double)from[v + a];
            longest = fmax(longest, dr_vec3_length(way));
        }
    }
    return longest / deformation->interval;
}

static dr_status make_deformation(maker *maker, const dr_collider_spec *spec, const dr_motion_spec *motion,
                                  collider *collider)
{
    const dr_sequence_asset *asset = motion->file ? dr_scene_sequence(maker->scene, motion->file) : NULL;
    dr_status status = check_sequence(maker, spec, motion, asset, dr_shape_mesh_vertex_count(collider->shape));
    if (status) return status;
    dr_arena *arena = &maker->set->arena;
    size_t numbers = 3 * asset->vertex_count;
    deformation *made = dr_arena_alloc(arena, sizeof *made);
    float *samples = dr_arena_alloc(arena, asset->frame_count * numbers * sizeof *samples);
    double *positions = dr_arena_alloc(arena, numbers * sizeof *positions);
    double *velocities = dr_arena_alloc(arena, numbers * sizeof *velocities);
    if (!made || !samples || !positions || !velocities) return dr_error_memory(maker->error, "compiling a sequence");
    double rate = motion->frame_rate > 0.0 ? motion->frame_rate : maker->scene->spec.time.frame_rate;
    *made = (deformation){.frame_count = asset->frame_count,
                          .vertex_count = asset->vertex_count,
                          .start = asset->start_frame / rate,
                          .interval = asset->frame_step / rate,
                          .loop = motion->loop,
                          .samples = samples,
                          .positions = positions,
                          .velocities = velocities};
    copy_samples(made, motion, asset->positions);
    made->fastest = spec->shape.scale * fastest_vertex(made);
    collider->deformation = made;
    return DR_STATUS_OK;
}

static dr_status make_collider(maker *maker, const dr_collider_spec *spec, collider *collider)
{
    const dr_allocator *allocator = maker->set->allocator;
    collider->boundary = spec->boundary;
    collider->friction = spec->friction;
    collider->moves = spec->motion.count > 0;
    dr_status status = dr_shape_create(maker->scene, &spec->shape, allocator, &collider->shape, maker->error);
    if (status) return status;
    status = dr_motion_create(maker->scene, &spec->motion, allocator, &collider->motion, maker->error);
    for (int i = 0; i < spec->motion.count && !status; i++) {
        const dr_motion_spec *motion = &spec->motion.items[i];
        if (motion->kind != DR_MOTION_SEQUENCE) continue;
        if (collider->deformation)
            return dr_scene_complain(maker->scene, &motion->kind, motion, maker->error,
                                     "is sequence once more, but only one sequence can deform a mesh");
        status = make_deformation(maker, spec, motion, collider);
    }
    return status;
}

static dr_status make_colliders(maker *maker)
{
    dr_collider_set *set = maker->set;
    const dr_collider_list *list = &maker->scene->spec.colliders;
    if (list->count == 0) return DR_STATUS_OK;
    set->colliders = dr_arena_alloc(&set->arena, (size_t)list->count * sizeof *set->colliders);
    if (!set->colliders) return dr_error_memory(maker->error, "compiling colliders");
    for (int i = 0; i < list->count; i++) {
        set->count = i + 1;
        set->colliders[i].index = i;
        dr_status status = make_collider(maker, &list->items[i], &set->colliders[i]);
        if (status) return status;
    }
    return dr_collider_set_drive(set, 0.0, maker->error);
}

dr_status dr_collider_set_create(const dr_scene *scene, const dr_allocator *allocator, dr_collider_set **set,
                                 dr_error *error)
{
    *set = NULL;
    dr_collider_set *made = dr_memory_alloc(allocator, sizeof *made);
    if (!made) return dr_error_memory(error, "compiling colliders");
    made->allocator = allocator;
    dr_arena_open(&made->arena, allocator);
    dr_status status = make_colliders(&(maker){scene, made, error});
    if (status) {
        dr_collider_set_destroy(made);
        return status;
    }
    *set = made;
    return DR_STATUS_OK;
}

void dr_collider_set_destroy(dr_collider_set *set)
{
    if (!set) return;
    for (int i = 0; i < set->count; i++) {
        dr_shape_destroy(set->colliders[i].shape);
        dr_motion_destroy(set->colliders[i].motion);
    }
    dr_arena_close(&set->arena);
    dr_memory_free(set->allocator, set, sizeof *set);
}
