// Where strands are at the start. A motion moves what it belongs to from where the scene describes it: a shape, and
// what is held on it or by a motion of its own alike. Strands are drawn where that motion is none; at the start they
// stand where their carriers do. docs/theory/groom.md, "Where strands begin".
#include "world/world.h"

#include "math/rotation.h"

#include <math.h>

static int held_at(int hold)
{
    return hold == DR_HOLD_CLAMPED ? 2 : hold == DR_HOLD_PINNED ? 1 : 0;
}

dr_status dr_strand_carriers_open(const dr_world *world, const dr_scene *scene, const dr_strand_kind *kind,
                                  dr_strand_carriers *carriers, dr_error *error)
{
    const dr_collider_set *colliders = world->constants.colliders;
    double start = 0.0 - world->constants.time.pre_roll;
    *carriers = (dr_strand_carriers){.held = {held_at(kind->spec.root), held_at(kind->spec.tip)}};
    for (int end = 0; end < 2; end++) dr_motion_at(kind->motion[end], start, &carriers->pose[end]);
    if (kind->collider < 0 || carriers->held[0] == 0) return DR_STATUS_OK;
    carriers->pose[0] = *dr_collider_set_pose(colliders, kind->collider);
    if (!dr_collider_set_deforms(colliders, kind->collider)) return DR_STATUS_OK;
    carriers->skin = dr_collider_set_shape(colliders, kind->collider);
    return dr_shape_create(scene, &dr_scene_view(scene)->colliders.items[kind->collider].shape, world->allocator,
                           &carriers->drawn, error);
}

void dr_strand_carriers_close(dr_strand_carriers *carriers)
{
    dr_shape_destroy(carriers->drawn);
    carriers->drawn = NULL;
}

static void apply(const dr_pose *pose, const double x[3], double out[3])
{
    dr_rotation_apply(out, pose->rotation, x);
    dr_vec3_add(out, out, pose->translation);
}

// The rigid motion that takes the place of the skin nearest to x from where it is drawn to where it is.
static void follow_skin(const dr_strand_carriers *carriers, const double x[3], dr_pose *pose)
{
    dr_skin_place place;
    double from[3], to[3], drawn[9], now[9];
    bool known = isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); // what is not is refused later
    if (!known || !dr_skin_find(carriers->drawn, x, &place)) return;
    dr_skin_frame(carriers->drawn, &place, from, drawn);
    dr_skin_frame(carriers->skin, &place, to, now);
    dr_pose moved = *pose;
    double turned[9]; // rows are axes: now^T drawn
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            turned[3 * a + b] = 0.0;
            for (int k = 0; k < 3; k++) turned[3 * a + b] += now[3 * k + a] * drawn[3 * k + b];
        }
    }
    dr_rotation_compose(moved.rotation, pose->rotation, turned);
    dr_rotation_apply(from, turned, from);
    dr_vec3_sub(to, to, from);
    apply(pose, to, moved.translation);
    *pose = moved;
}

void dr_strand_carriers_place(const dr_strand_carriers *carriers, double *points, size_t count, double hint[3])
{
    dr_pose pose[2] = {carriers->pose[0], carriers->pose[1]};
    if (carriers->held[0] + carriers->held[1] == 0) return;
    if (carriers->skin) follow_skin(carriers, points, &pose[0]);
    if (carriers->held[0] == 0) pose[0] = pose[1];
    if (carriers->held[1] == 0) pose[1] = pose[0];
    double first = (double)carriers->held[0] - 1.0, last = (double)count - (double)carriers->held[1];
    for (size_t i = 0; i < count; i++) {
        double root[3], tip[3], share = last > first ? ((double)i - first) / (last - first) : 0.0;
        apply(&pose[0], points + 3 * i, root);
        apply(&pose[1], points + 3 * i, tip);
        share = fmin(fmax(share, 0.0), 1.0);
        for (size_t a = 0; a < 3; a++) points[3 * i + a] = root[a] + share * (tip[a] - root[a]);
    }
    dr_rotation_apply(hint, pose[0].rotation, hint);
}
