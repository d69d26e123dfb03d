// Colliders: a shape, its motion, and the velocity projection with Coulomb friction. docs/theory/collide.md.
#ifndef DR_COLLIDE_COLLIDER_H
#define DR_COLLIDE_COLLIDER_H

#include "collide/steer.h"
#include "geom/shape.h"

typedef struct dr_collider_set dr_collider_set;

dr_status dr_collider_set_create(const dr_scene *scene, const dr_allocator *allocator, dr_collider_set **set,
                                 dr_error *error);
void dr_collider_set_destroy(dr_collider_set *set);
int dr_collider_set_count(const dr_collider_set *set);

// From now on colliders follow these rows, one each, wherever they are on. They stay the caller's.
void dr_collider_set_follow(dr_collider_set *set, const dr_steers *steers);

// Moves every collider to its place at `time`. Derived from the scene, the steering and the time alone, so a rejected
// try may call it freely.
dr_status dr_collider_set_drive(dr_collider_set *set, double time, dr_error *error);

// The shape of one collider, where it stands, and whether the shape itself changes.
const dr_shape *dr_collider_set_shape(const dr_collider_set *set, int index);
const dr_pose *dr_collider_set_pose(const dr_collider_set *set, int index);
bool dr_collider_set_deforms(const dr_collider_set *set, int index);
bool dr_collider_set_moves(const dr_collider_set *set, int index); // or deforms, or is steered

// Where the origin of a collider is at a time. A function of the scene, the steering and the time alone.
void dr_collider_set_origin(const dr_collider_set *set, int index, double time, double x[3]);

// How fast the material of any collider moves between two times, in the mean and at most, cm/s, seen from a frame of
// that velocity; of an endless one, the origin of its motion counts. A function of the same.
double dr_collider_set_speed(const dr_collider_set *set, double from, double to, const double frame[3]);

// True when no collider comes within `radius` of `center` (a quick look before a block is visited node by node).
bool dr_collider_set_misses(const dr_collider_set *set, const double center[3], double radius);

// Projects the velocity of a grid node at x (theory eq. for sticky, slip, separate), every collider in order, twice;
// sticky wins. Returns whether it changed. closing: how fast what the node stands for may still approach colliders that
// it can leave, cm/s; 0: it is there.
bool dr_collider_set_project(const dr_collider_set *set, const double x[3], double closing, double velocity[3]);

// Signed distance to the nearest collider (infinite where there are none); normal and surface velocity may be NULL.
double dr_collider_set_distance(const dr_collider_set *set, const double x[3], double normal[3], double velocity[3]);

// The nearest collider's surface as a liquid meets it.
typedef struct dr_collider_point {
    int index; // which collider, -1: none
    double distance, normal[3], velocity[3];
    double friction; // infinite where it is sticky
    int boundary;    // dr_boundary
} dr_collider_point;

dr_collider_point dr_collider_set_nearest(const dr_collider_set *set, const double x[3]);

// The surface of collider `index` nearest to x, as a strand meets it; friction is infinite where it is sticky.
typedef struct dr_collider_surface {
    double distance, normal[3], velocity[3], friction;
} dr_collider_surface;

dr_collider_surface dr_collider_set_surface(const dr_collider_set *set, int index, const double x[3]);

// Signed distance to collider `index`, or a lower bound of it where that is above `enough`.
double dr_collider_set_clearance(const dr_collider_set *set, int index, const double x[3], double enough);

// Signed distance to collider `index` where it is less than `enough` either way, else `enough` or more with its sign.
double dr_collider_set_distance_within(const dr_collider_set *set, int index, const double x[3], double enough);

// The velocity of the material of collider `index` nearest to x, and how firmly it holds liquid: as of the nearest.
void dr_collider_set_velocity(const dr_collider_set *set, int index, const double x[3], double velocity[3]);
double dr_collider_set_friction(const dr_collider_set *set, int index); // infinite where it is sticky

// Projects v against one surface: the three boundary rules. n unit, pointing out.
void dr_collider_project(int boundary, double friction, const double normal[3], const double surface_velocity[3],
                         double velocity[3]);

#endif
