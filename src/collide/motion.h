// Scripted rigid motion with its exact velocity. docs/theory/collide.md.
#ifndef DR_COLLIDE_MOTION_H
#define DR_COLLIDE_MOTION_H

#include "scene/scene.h"

// x -> rotation x + translation, and the velocity of the material point that is at x now: velocity + spin cross x.
typedef struct dr_pose {
    double rotation[9]; // row after row
    double translation[3];
    double velocity[3], spin[3];
} dr_pose;

typedef struct dr_motion dr_motion;

// Compiles a list of motions (sequences are left to the collider). The pose is the identity for an empty list.
dr_status dr_motion_create(const dr_scene *scene, const dr_motion_list *list, const dr_allocator *allocator,
                           dr_motion **motion, dr_error *error);
void dr_motion_destroy(dr_motion *motion);
void dr_motion_at(const dr_motion *motion, double time, dr_pose *pose);

// Share of a schedule at a time: 0..1.
double dr_schedule_at(const dr_schedule_spec *schedule, double time);

// The integral of the share from one time to another, s; and how long it is above 0 in between.
double dr_schedule_seconds(const dr_schedule_spec *schedule, double from, double to);
double dr_schedule_active(const dr_schedule_spec *schedule, double from, double to);

#endif
