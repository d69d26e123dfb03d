// What a caller may change between steps: where colliders go, which emitters are on. docs/theory/collide.md,
// "Steering".
#include "world/world.h"

#include "base/error.h"
#include "math/rotation.h"

#include <math.h>
#include <string.h>

static size_t collider_count(const dr_world *world)
{
    return (size_t)dr_collider_set_count(world->constants.colliders);
}

dr_status dr_control_open(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_collider_list *list = &dr_scene_view(scene)->colliders;
    size_t count = collider_count(world);
    const char **names = dr_arena_alloc(&world->constants.arena, (count + 1) * sizeof *names);
    dr_steers *steers = &world->state.steers;
    if (!names || !dr_columns_reserve(&dr_steer_columns, steers, world->allocator, &steers->capacity, count))
        return dr_error_memory(error, "opening the world");
    steers->count = count;
    for (size_t i = 0; i < count; i++) {
        steers->item[i] = (dr_steer){0};
        const char *name = list->items[i].name ? list->items[i].name : "";
        names[i] = dr_arena_copy(&world->constants.arena, name, strlen(name));
        if (!names[i]) return dr_error_memory(error, "opening the world");
    }
    world->constants.collider_names = names;
    dr_collider_set_follow(world->constants.colliders, steers);
    return DR_STATUS_OK;
}

void dr_control_close(dr_world *world)
{
    dr_steers *steers = &world->state.steers;
    dr_columns_free(&dr_steer_columns, steers, world->allocator, &steers->capacity);
}

// A damaged file may say anything.
dr_status dr_control_inspect(const dr_world *world, const void *owner, dr_error *error)
{
    (void)world;
    const dr_steers *steers = owner;
    for (size_t i = 0; i < steers->count; i++) {
        const dr_steer *steer = &steers->item[i];
        double numbers[DR_STEER_NUMBERS];
        bool good = true;
        memcpy(numbers, steer, sizeof numbers);
        for (int k = 0; k < DR_STEER_NUMBERS; k++) good = good && isfinite(numbers[k]);
        if (!good || (steer->on != 0.0 && !(steer->end > steer->begin)))
            return dr_error_add(error, DR_STATUS_IO, "checkpoint: collider %zu is moved to what is no place", i);
    }
    return DR_STATUS_OK;
}

// ---- who is who

int dr_world_collider_count(const dr_world *world)
{
    return (int)collider_count(world);
}

int dr_world_emitter_count(const dr_world *world)
{
    return world->constants.emitter_count;
}

int dr_world_find_collider(const dr_world *world, const char *name)
{
    for (size_t i = 0; i < collider_count(world); i++) {
        if (*name && strcmp(world->constants.collider_names[i], name) == 0) return (int)i;
    }
    return -1;
}

int dr_world_find_emitter(const dr_world *world, const char *name)
{
    for (int i = 0; i < world->constants.emitter_count; i++) {
        const dr_emitter *emitter = &world->constants.emitters[i];
        if (*name && strcmp(world->constants.matter[emitter->matter].name, name) == 0) return i;
    }
    return -1;
}

static dr_status check_collider(const dr_world *world, int collider, dr_error *error)
{
    if (collider >= 0 && (size_t)collider < collider_count(world)) return DR_STATUS_OK;
    return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "there is no collider %d: the scene has %zu", collider,
                        collider_count(world));
}

// ---- colliders

static bool is_finite(const dr_placement *to)
{
    bool good = true;
    for (int a = 0; a < 3; a++)
        good = good && isfinite(to->translate[a]) && isfinite(to->rotate[a]) && isfinite(to->center[a]);
    return good;
}

dr_status dr_world_move_collider(dr_world *world, int collider, const dr_placement *to, double until, dr_error *error)
{
    dr_collider_set *colliders = world->constants.colliders;
    double now = world->state.time;
    dr_status status = check_collider(world, collider, error);
    if (status != DR_STATUS_OK) return status;
    if (!(until > now) || !isfinite(until))
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "a collider cannot be moved until %g s: it is %g s already",
                            until, now);
    if (!is_finite(to))
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "a collider cannot be moved to what is no number");
    status = dr_collider_set_drive(colliders, now, error);
    if (status != DR_STATUS_OK) return status;
    dr_steer_towards(&world->state.steers.item[collider], dr_collider_set_pose(colliders, collider), now, until,
                     to->center, to->rotate, to->translate);
    return DR_STATUS_OK;
}

dr_status dr_world_collider_pose(dr_world *world, int collider, dr_collider_pose *pose, dr_error *error)
{
    dr_status status = check_collider(world, collider, error);
    if (status == DR_STATUS_OK) status = dr_collider_set_drive(world->constants.colliders, world->state.time, error);
    if (status != DR_STATUS_OK) return status;
    const dr_pose *now = dr_collider_set_pose(world->constants.colliders, collider);
    dr_rotation_copy(pose->rotation, now->rotation);
    dr_vec3_copy(pose->translation, now->translation);
    dr_vec3_copy(pose->velocity, now->velocity);
    dr_vec3_copy(pose->spin, now->spin);
    return DR_STATUS_OK;
}

// ---- emitters

dr_status dr_world_switch_emitter(dr_world *world, int emitter, bool on, dr_error *error)
{
    if (emitter < 0 || emitter >= world->constants.emitter_count)
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "there is no emitter %d: the scene has %d", emitter,
                            world->constants.emitter_count);
    world->state.emitters.item[emitter].off = on ? 0.0 : 1.0;
    return DR_STATUS_OK;
}
