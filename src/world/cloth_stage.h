// Thin matter within the step: cloth (triangles) and yarn (segments) that meet all other matter on the grid.
// docs/theory/codim.md.
#ifndef DR_WORLD_CLOTH_STAGE_H
#define DR_WORLD_CLOTH_STAGE_H

#include "codim/bending.h"
#include "codim/manifold.h"
#include "collide/motion.h"
#include "geom/skin.h"
#include "grid/transfer.h"
#include "world/registry.h"
#include "world/try.h"

// What carries vertices that are held.
typedef struct dr_hold_group {
    dr_motion *motion;
    int collider; // -1: the motion
    double until;
} dr_hold_group;

// A vertex that is held: where it is in the frame of what carries it.
typedef struct dr_cloth_hold {
    uint32_t vertex;
    int group;
    double place[3];
    dr_skin_place skin; // on a collider that deforms
} dr_cloth_hold;

// What a mesh needs besides its state.
typedef struct dr_thin {
    dr_manifold *mesh;
    dr_points vertices, elements;
    float *kicked;                                              // [vertex][3] velocity with the step's forces
    float *value, *gradient, *element_value, *element_gradient; // [4], [9] what the grid gives back
    float *volume, *element_volume;                             // [vertex], [element] solid, cm3
    float *cover, *element_cover;                               // [vertex], [element] what it covers, times a cell, cm3
    dr_manifold_limits *limits;                                 // per chunk of elements
    dr_cloth_hold *holds;
    size_t hold_count, hold_capacity;
    dr_hold_group *groups;
    int group_count;
    size_t group_capacity;
    dr_budget *sums; // per chunk
    size_t chunks;
} dr_thin;

enum { DR_THIN_CLOTH, DR_THIN_YARN, DR_THIN_COUNT };

// One of the scene's cloths that resists bending.
typedef struct dr_cloth_bend {
    dr_bending bending;
    size_t first;      // vertex
    double rest_limit; // eigenvalue as it rests, 1/s2
} dr_cloth_bend;

typedef struct dr_cloth_stage {
    dr_thin thin[DR_THIN_COUNT];
    double eigenvalue; // largest of motion along and across meshes, 1/s2
    size_t degenerate; // elements
    dr_cloth_bend *bends;
    int bend_count;
    size_t bend_capacity;
    double *bend_slope, *bend_mass; // [vertex][3], [vertex] of cloth
    // held vertices of both
    size_t held, held_capacity;
    double *held_place, *held_goal;               // [held][3] now, at the end of the step
    double *residual, *search, *image, *solution; // [held][3]
    float *impulse, *answer;                      // [held][4]
    dr_points held_points;
    float *node; // [2][block][64][4]
    size_t node_capacity;
    int hold_iterations;
    double hold_error; // what is left of the velocities that are missing, share
    // the view
    float *view[DR_THIN_COUNT]; // [vertex]: position 3, velocity 3; normal 3 or radius 1
    float *radius;              // [vertex] of yarn
    size_t radius_capacity;
    uint32_t *curves, *curve_body; // [yarn + 1], [yarn]
    size_t curve_count, curve_capacity, curve_body_capacity;
    float *coordinates; // [vertex][2] on the cloth, cm
    size_t coordinate_capacity;
    dr_frame_array arrays[DR_THIN_COUNT][6];
} dr_cloth_stage;

// cloth_compile.c: the scene's cloths
dr_status dr_cloth_compile(dr_world *world, const dr_scene *scene, dr_error *error);
double dr_cloth_foresee(const dr_scene *scene, double *bytes); // vertices, memory

// A curve of one of the scene's strands of contact `grid`.
typedef struct dr_yarn {
    const dr_strands_spec *spec;
    int body, collider;   // entry of the scene; what roots follow, -1: their motion
    const double *points; // [count][3]
    const double *radius; // [count], NULL: the usual one
    double usual;
    size_t count;
    bool begins; // the first of its entry
} dr_yarn;

dr_status dr_cloth_open_yarn(dr_world *world, const dr_scene *scene, dr_error *error); // before the first
dr_status dr_cloth_add_yarn(dr_world *world, const dr_scene *scene, const dr_yarn *yarn, dr_error *error);

// cloth_stage.c
dr_status dr_cloth_stage_open(dr_world *world, dr_error *error);
void dr_cloth_stage_close(dr_world *world);
bool dr_cloth_stage_any(const dr_world *world);
bool dr_cloth_stage_place(dr_world *world);   // forces and what they allow of the step; points to make the grid of
bool dr_cloth_stage_reserve(dr_world *world); // room on its blocks
void dr_cloth_stage_gather(dr_world *world, double dt);
// Onto the liquid's faces: solid volume is added to the bodies'; cover: what it would be if it were a cell thick.
void dr_cloth_stage_gather_volume(dr_world *world, float *cover);
void dr_cloth_stage_move(dr_world *world, const dr_try *attempt);
void dr_cloth_stage_account(dr_world *world, dr_budget *sum);
void dr_cloth_stage_account_yarn(dr_world *world, dr_budget *sum);
void dr_cloth_stage_report(dr_world *world);
dr_transfer dr_cloth_stage_transfer(const dr_world *world);

// cloth_hold.c
void dr_cloth_hold_bind(dr_world *world, dr_thin *thin);                      // colliders have been driven to the start
bool dr_cloth_hold_place(dr_world *world);                                    // false when memory is out
void dr_cloth_hold_solve(dr_world *world, const dr_try *attempt, bool faces); // on faces, or on nodes
void dr_cloth_hold_commit(dr_world *world, double dt);                        // puts held vertices where they belong

// cloth_view.c
dr_status dr_cloth_view_open(dr_world *world, dr_error *error);
void dr_cloth_view_close(dr_world *world);
dr_status dr_cloth_view(dr_world *world, dr_frame_part *part, dr_error *error);
dr_status dr_cloth_view_yarn(dr_world *world, dr_frame_part *part, dr_error *error);

#endif
