// Scripted rigid motion: keyframes, spin, sine and paths, composed in order. docs/theory/collide.md, "Motion".
// Each part is a rigid map x -> R x + T with velocity V + w cross x at the place where the point is now; parts compose
// by eq. (1) of the page. Keyframes and paths are the same thing: keys with a place, a rotation, and for the way to the
// next key a fixed axis and an angle.
#include "collide/motion.h"

#include "geom/upright.h"
#include "math/rotation.h"

#include <string.h>

#define ALWAYS 1e29 // a start before this is no start: time counts from zero

typedef struct key {
    double time;
    double place[3];
    double rotation[9];
    double axis[3], angle; // to the next key
    int ease;
} key;

typedef struct part {
    dr_motion_kind kind;
    double center[3], axis[3];
    double start, stop, origin; // spin, sine: time counts from origin
    double rate;                // spin: angular speed; sine: angular frequency
    double amplitude[3], swing, phase;
    bool loop;
    size_t key_count;
    const key *keys;
} part;

struct dr_motion {
    const dr_allocator *allocator;
    dr_arena arena;
    int part_count;
    part *parts;
};

static void stand(dr_pose *pose)
{
    memset(pose, 0, sizeof *pose);
    dr_rotation_identity(pose->rotation);
}

// Share of the way and its derivative after the share s of the time.
static double ease_at(int ease, double s, double *slope)
{
    switch (ease) {
    case DR_EASE_SMOOTH:
        *slope = 6.0 * s * (1.0 - s);
        return s * s * (3.0 - 2.0 * s);
    case DR_EASE_IN:
        *slope = 2.0 * s;
        return s * s;
    case DR_EASE_OUT:
        *slope = 2.0 * (1.0 - s);
        return s * (2.0 - s);
    case DR_EASE_HOLD:
        *slope = 0.0;
        return 0.0;
    default:
        *slope = 1.0;
        return s;
    }
}

// Turns about `center` (which itself is carried to center + place): fills translation and velocity from the rest.
static void turn_about(dr_pose *pose, const double center[3], const double place[3], const double place_velocity[3])
{
    double turned[3], now[3], swept[3];
    dr_rotation_apply(turned, pose->rotation, center);
    dr_vec3_add(now, center, place);
    dr_vec3_sub(pose->translation, now, turned);
    dr_vec3_cross(swept, pose->spin, now);
    dr_vec3_sub(pose->velocity, place_velocity, swept);
}

// The last key not after `time`; key_count where time is before the first.
static size_t find_key(const part *part, double time)
{
    size_t low = 0, high = part->key_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (part->keys[middle].time <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? part->key_count : low - 1;
}

static double wrap_time(const part *part, double time)
{
    double first = part->keys[0].time, period = part->keys[part->key_count - 1].time - first;
    if (!part->loop || period <= 0.0) return time;
    double wrapped = fmod(time - first, period);
    return first + (wrapped < 0.0 ? wrapped + period : wrapped);
}

static void follow_keys(const part *part, double time, dr_pose *pose)
{
    static const double rest[3] = {0};
    stand(pose);
    time = wrap_time(part, time);
    size_t k = find_key(part, time);
    if (k >= part->key_count - 1) {
        const key *end = &part->keys[k == part->key_count ? 0 : k];
        dr_rotation_copy(pose->rotation, end->rotation);
        turn_about(pose, part->center, end->place, rest);
        return;
    }
    const key *from = &part->keys[k], *to = from + 1;
    double span = to->time - from->time, slope;
    double share = ease_at(from->ease, (time - from->time) / span, &slope);
    double step[3], place[3], velocity[3], turn[9];
    dr_vec3_sub(step, to->place, from->place);
    dr_vec3_add_scaled(place, from->place, share, step);
    dr_vec3_scale(velocity, slope / span, step);
    dr_rotation_about(turn, from->axis, from->angle * share);
    dr_rotation_compose(pose->rotation, turn, from->rotation);
    dr_vec3_scale(pose->spin, from->angle * slope / span, from->axis);
    turn_about(pose, part->center, place, velocity);
}

// Time since the origin, standing still outside start .. stop.
static double clock_of(const part *part, double time, bool *moving)
{
    *moving = time >= part->start && time < part->stop;
    if (time < part->start) time = part->start;
    if (time > part->stop) time = part->stop;
    return time - part->origin;
}

static void follow_spin(const part *part, double time, dr_pose *pose)
{
    static const double rest[3] = {0};
    bool moving;
    double elapsed = clock_of(part, time, &moving);
    stand(pose);
    dr_rotation_about(pose->rotation, part->axis, part->rate * elapsed);
    if (moving) dr_vec3_scale(pose->spin, part->rate, part->axis);
    turn_about(pose, part->center, rest, rest);
}

static void follow_sine(const part *part, double time, dr_pose *pose)
{
    bool moving;
    double angle = part->rate * clock_of(part, time, &moving) + part->phase;
    double value = sin(angle), slope = moving ? part->rate * cos(angle) : 0.0;
    double place[3], velocity[3];
    stand(pose);
    dr_rotation_about(pose->rotation, part->axis, part->swing * value);
    dr_vec3_scale(pose->spin, part->swing * slope, part->axis);
    dr_vec3_scale(place, value, part->amplitude);
    dr_vec3_scale(velocity, slope, part->amplitude);
    turn_about(pose, part->center, place, velocity);
}

// pose = next after pose, eq. (1).
static void compose(dr_pose *pose, const dr_pose *next)
{
    double turned[3], swept[3], rotation[9];
    dr_rotation_compose(rotation, next->rotation, pose->rotation);
    dr_rotation_copy(pose->rotation, rotation);
    dr_rotation_apply(turned, next->rotation, pose->translation);
    dr_vec3_add(pose->translation, turned, next->translation);
    dr_rotation_apply(turned, next->rotation, pose->spin); // R2 w1
    dr_vec3_add(pose->spin, turned, next->spin);
    dr_vec3_cross(swept, turned, next->translation);
    dr_rotation_apply(turned, next->rotation, pose->velocity);
    dr_vec3_add(pose->velocity, turned, next->velocity);
    dr_vec3_sub(pose->velocity, pose->velocity, swept);
}

void dr_motion_at(const dr_motion *motion, double time, dr_pose *pose)
{
    stand(pose);
    for (int i = 0; i < motion->part_count; i++) {
        const part *part = &motion->parts[i];
        dr_pose next;
        if (part->kind == DR_MOTION_SPIN)
            follow_spin(part, time, &next);
        else if (part->kind == DR_MOTION_SINE)
            follow_sine(part, time, &next);
        else
            follow_keys(part, time, &next);
        compose(pose, &next);
    }
}

// ---- compiling

typedef struct maker {
    const dr_scene *scene;
    dr_motion *motion;
    dr_error *error;
} maker;

static void link_shortest(key *from, const key *to)
{
    double between[9];
    dr_rotation_between(between, to->rotation, from->rotation);
    from->angle = dr_rotation_axis(from->axis, between);
}

// Where only one of the three angles differs, the turn is about a fixed axis and keeps all its revolutions.
static void link_keys(key *from, const key *to, const double from_angles[3], const double to_angles[3])
{
    int differing = 0, which = 0;
    for (int i = 0; i < 3; i++)
        if (from_angles[i] != to_angles[i]) {
            differing++;
            which = i;
        }
    if (differing != 1) {
        link_shortest(from, to);
        return;
    }
    double unit[3] = {0}, later[3] = {0}, rotation[9];
    unit[which] = 1.0;
    for (int i = which + 1; i < 3; i++) later[i] = from_angles[i];
    dr_rotation_euler(rotation, later);
    dr_rotation_apply(from->axis, rotation, unit);
    from->angle = to_angles[which] - from_angles[which];
}

static dr_status make_keyframes(maker *maker, const dr_motion_spec *spec, part *part)
{
    const dr_key_list *list = &spec->keys;
    if (list->count < 1)
        return dr_scene_complain(maker->scene, list, spec, maker->error, "is empty, but there must be keys");
    key *keys = dr_arena_alloc(&maker->motion->arena, (size_t)list->count * sizeof *keys);
    if (!keys) return dr_error_memory(maker->error, "compiling keyframes");
    for (int k = 0; k < list->count; k++) {
        const dr_key_spec *item = &list->items[k];
        keys[k].time = item->time;
        keys[k].ease = item->ease;
        dr_vec3_copy(keys[k].place, item->translate);
        dr_rotation_euler(keys[k].rotation, item->rotate);
        if (k == 0) continue;
        if (!(item->time > keys[k - 1].time))
            return dr_scene_complain(maker->scene, &item->time, item, maker->error,
                                     "is %g s, not after the time of the key before it, %g s", item->time,
                                     keys[k - 1].time);
        link_keys(&keys[k - 1], &keys[k], item[-1].rotate, item->rotate);
    }
    dr_vec3_copy(part->center, spec->center);
    part->key_count = (size_t)list->count;
    part->keys = keys;
    return DR_STATUS_OK;
}

static dr_status make_path(maker *maker, const dr_motion_spec *spec, part *part)
{
    const dr_path_asset *path = spec->file ? dr_scene_path(maker->scene, spec->file) : NULL;
    if (!path || path->count == 0)
        return dr_scene_complain(maker->scene, &spec->file, spec, maker->error, "\"%s\" is not loaded",
                                 spec->file ? spec->file : "");
    key *keys = dr_arena_alloc(&maker->motion->arena, path->count * sizeof *keys);
    if (!keys) return dr_error_memory(maker->error, "compiling a path");
    double upright[9], raw[9], turned[9];
    dr_upright_rotation(upright, spec->up);
    for (size_t k = 0; k < path->count; k++) {
        const double *row = path->rows + 8 * k;
        keys[k].time = row[0];
        dr_upright_point(keys[k].place, spec->up, spec->unit_length, row + 1);
        dr_rotation_from_quaternion(raw, row + 4);
        dr_rotation_compose(turned, upright, raw);
        dr_rotation_between(keys[k].rotation, turned, upright);
        if (k > 0) link_shortest(&keys[k - 1], &keys[k]);
    }
    part->loop = spec->loop;
    part->key_count = path->count;
    part->keys = keys;
    return DR_STATUS_OK;
}

static dr_status make_turning(maker *maker, const dr_motion_spec *spec, part *part)
{
    static const double y[3] = {0, 1, 0};
    bool spin = spec->kind == DR_MOTION_SPIN;
    double turns = spin ? spec->rate : spec->swing;
    if (dr_vec3_normalize(part->axis, spec->axis, y) < 1e-300 && turns != 0.0)
        return dr_scene_complain(maker->scene, spec->axis, spec, maker->error,
                                 "has no length, but an axis is needed to turn about");
    if (spec->stop < spec->start)
        return dr_scene_complain(maker->scene, &spec->stop, spec, maker->error,
                                 "is %g s, but stop cannot come before start, %g s", spec->stop, spec->start);
    dr_vec3_copy(part->center, spec->center);
    part->start = spec->start;
    part->stop = spec->stop;
    part->origin = spec->start > -ALWAYS ? spec->start : 0.0;
    part->rate = spin ? spec->rate : 6.283185307179586 * spec->frequency;
    part->swing = spec->swing;
    part->phase = spec->phase;
    dr_vec3_copy(part->amplitude, spec->amplitude);
    return DR_STATUS_OK;
}

static dr_status make_part(maker *maker, const dr_motion_spec *spec, part *part)
{
    part->kind = (dr_motion_kind)spec->kind;
    switch (part->kind) {
    case DR_MOTION_KEYFRAMES:
        return make_keyframes(maker, spec, part);
    case DR_MOTION_PATH:
        return make_path(maker, spec, part);
    default:
        return make_turning(maker, spec, part);
    }
}

static dr_status make_parts(maker *maker, const dr_motion_list *list)
{
    dr_motion *motion = maker->motion;
    size_t room = list->count > 0 ? (size_t)list->count : 1;
    motion->parts = dr_arena_alloc(&motion->arena, room * sizeof *motion->parts);
    if (!motion->parts) return dr_error_memory(maker->error, "compiling a motion");
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].kind == DR_MOTION_SEQUENCE) continue;
        dr_status status = make_part(maker, &list->items[i], &motion->parts[motion->part_count]);
        if (status) return status;
        motion->part_count++;
    }
    return DR_STATUS_OK;
}

dr_status dr_motion_create(const dr_scene *scene, const dr_motion_list *list, const dr_allocator *allocator,
                           dr_motion **motion, dr_error *error)
{
    *motion = NULL;
    dr_motion *made = dr_memory_alloc(allocator, sizeof *made);
    if (!made) return dr_error_memory(error, "compiling a motion");
    made->allocator = allocator;
    dr_arena_open(&made->arena, allocator);
    dr_status status = make_parts(&(maker){scene, made, error}, list);
    if (status) {
        dr_motion_destroy(made);
        return status;
    }
    *motion = made;
    return DR_STATUS_OK;
}

void dr_motion_destroy(dr_motion *motion)
{
    if (!motion) return;
    dr_arena_close(&motion->arena);
    dr_memory_free(motion->allocator, motion, sizeof *motion);
}

double dr_schedule_at(const dr_schedule_spec *schedule, double time)
{
    if (!(time >= schedule->start && time < schedule->stop)) return 0.0;
    if (schedule->ramp <= 0.0) return 1.0;
    double in = (time - schedule->start) / schedule->ramp, out = (schedule->stop - time) / schedule->ramp;
    return fmin(1.0, fmin(in, out));
}

double dr_schedule_active(const dr_schedule_spec *schedule, double from, double to)
{
    return fmax(0.0, fmin(to, schedule->stop) - fmax(from, schedule->start));
}

// The share is linear between its corners, so that its value in the middle of a piece is its mean.
double dr_schedule_seconds(const dr_schedule_spec *schedule, double from, double to)
{
    double begin = fmax(from, schedule->start), end = fmin(to, schedule->stop), sum = 0.0;
    double in = schedule->start + schedule->ramp, out = schedule->stop - schedule->ramp;
    double corners[] = {fmin(in, out), 0.5 * (schedule->start + schedule->stop), fmax(in, out), end};
    if (!(begin < end)) return 0.0;
    for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
        double next = fmin(fmax(corners[i], begin), end);
        if (next > begin) sum += (next - begin) * dr_schedule_at(schedule, 0.5 * (begin + next));
        begin = fmax(begin, next);
    }
    return sum;
}
