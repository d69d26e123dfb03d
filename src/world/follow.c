// The grid moves along with a collider. docs/theory/domain.md, "A grid that moves".
#include "world/world.h"

#include "base/error.h"
#include "math/vec.h"

#include <string.h>

static dr_status refuse(const dr_scene *scene, dr_error *error, const char *why)
{
    const dr_domain_spec *domain = &dr_scene_view(scene)->domain;
    return dr_scene_error(scene, &domain->follows, domain, error, "domain: it cannot follow \"%s\": %s",
                          domain->follows, why);
}

dr_status dr_follow_compile(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_domain_spec *domain = &dr_scene_view(scene)->domain;
    const dr_collider_list *list = &dr_scene_view(scene)->colliders;
    dr_follow *follow = &world->constants.follow;
    *follow = (dr_follow){.collider = -1};
    if (!domain->follows || !*domain->follows) return DR_STATUS_OK;
    for (int i = 0; i < list->count; i++) {
        if (list->items[i].name && strcmp(list->items[i].name, domain->follows) == 0) follow->collider = i;
    }
    if (follow->collider < 0) return refuse(scene, error, "there is no such collider");
    for (int a = 0; a < 3; a++) {
        if (domain->side_min[a] != DR_SIDE_OPEN || domain->side_max[a] != DR_SIDE_OPEN)
            return refuse(scene, error, "sides of the domain stand still; leave them open and use colliders");
    }
    double at[3];
    dr_collider_set_origin(world->constants.colliders, follow->collider, 0.0, at);
    dr_vec3_sub(follow->from, world->grid.origin, at);
    return DR_STATUS_OK;
}

static void find_origin(const dr_world *world, double time, double origin[3])
{
    const dr_follow *follow = &world->constants.follow;
    dr_collider_set_origin(world->constants.colliders, follow->collider, time, origin);
    dr_vec3_add(origin, origin, follow->from);
}

void dr_follow_velocity(const dr_world *world, double dt, double velocity[3])
{
    double begin[3], end[3];
    for (int a = 0; a < 3; a++) velocity[a] = 0.0;
    if (world->constants.follow.collider < 0) return;
    find_origin(world, world->state.time, begin);
    find_origin(world, world->state.time + dt, end);
    for (int a = 0; a < 3; a++) velocity[a] = (end[a] - begin[a]) / dt;
}

void dr_follow_begin(dr_world *world, dr_try *attempt)
{
    double end[3];
    if (world->constants.follow.collider < 0) return;
    find_origin(world, attempt->end, end);
    dr_vec3_sub(world->grid.travel, end, world->grid.origin);
    for (int a = 0; a < 3; a++) attempt->frame[a] = world->grid.velocity[a] = world->grid.travel[a] / attempt->dt;
}

void dr_follow_arrive(dr_world *world, double time)
{
    static const double none[3] = {0};
    if (world->constants.follow.collider < 0) return;
    find_origin(world, time, world->grid.origin);
    dr_vec3_copy(world->grid.travel, none);
}
