// Steered colliders. docs/theory/collide.md, "Steering": the velocity at the end is that of the way there, so that the
// step that ends with the way still moves.
#include "collide/steer.h"

#include "math/rotation.h"

static const dr_column steer_columns[] = {
    {"way", offsetof(dr_steers, item), DR_TYPE_FLOAT64, DR_STEER_NUMBERS, "", "where a collider is steered, in a row"},
};
const dr_column_table dr_steer_columns = {steer_columns, 1};

const dr_steer *dr_steers_of(const dr_steers *steers, int index)
{
    return steers && steers->item[index].on != 0.0 ? &steers->item[index] : NULL;
}

void dr_steer_towards(dr_steer *steer, const dr_pose *now, double begin, double end, const double center[3],
                      const double rotate[3], const double translate[3])
{
    double rotation[9], between[9], to[3];
    *steer = (dr_steer){.on = 1.0, .begin = begin, .end = end};
    dr_vec3_copy(steer->center, center);
    dr_rotation_apply(steer->from, now->rotation, center);
    dr_vec3_add(steer->from, steer->from, now->translation);
    dr_vec3_add(to, center, translate);
    dr_vec3_sub(steer->step, to, steer->from);
    dr_rotation_copy(steer->rotation, now->rotation);
    dr_rotation_euler(rotation, rotate);
    dr_rotation_between(between, rotation, now->rotation);
    steer->angle = dr_rotation_axis(steer->axis, between);
}

void dr_steer_at(const dr_steer *steer, double time, dr_pose *pose)
{
    double span = steer->end - steer->begin, share = fmin(fmax((time - steer->begin) / span, 0.0), 1.0);
    double rate = time >= steer->begin && time <= steer->end ? 1.0 / span : 0.0;
    double turn[9], place[3], carried[3], swept[3];
    dr_rotation_about(turn, steer->axis, share * steer->angle);
    dr_rotation_compose(pose->rotation, turn, steer->rotation);
    dr_vec3_add_scaled(place, steer->from, share, steer->step);
    dr_rotation_apply(carried, pose->rotation, steer->center);
    dr_vec3_sub(pose->translation, place, carried);
    dr_vec3_scale(pose->spin, rate * steer->angle, steer->axis);
    dr_vec3_cross(swept, pose->spin, place);
    dr_vec3_scale(pose->velocity, rate, steer->step);
    dr_vec3_sub(pose->velocity, pose->velocity, swept);
}
