// Strands within the step: their predictor, their contact, their part of a frame.
#ifndef DR_WORLD_STRAND_STAGE_H
#define DR_WORLD_STRAND_STAGE_H

#include "contact/stage.h"
#include "geom/skin.h"
#include "world/film_stage.h"
#include "world/registry.h"
#include "world/strand_liquid.h"
#include "world/try.h"

// A vertex or edge that is held: where it was at the start, and what carries it along.
typedef struct dr_strand_hold {
    int32_t vertex, kind, strand;
    int end;            // 0: root, 1: tip
    int group;          // of world->cloth.hair; -1: root or tip
    unsigned char held; // how, as long as it is
    double position[3], director[3];
    dr_skin_place place; // on a collider that deforms
} dr_strand_hold;

// What strands need besides their state.
// Processor seconds of the last try: of the strands' passes, and of what joins them with the liquid.
typedef struct dr_strand_pace {
    double first, second, coupling;
} dr_strand_pace;

// A strand with its film that nothing else acts on: what the step began with, about and relative to its centre of mass.
typedef struct dr_strand_closed {
    bool is; // not: nothing else here is of use
    double angular[3], energy;
} dr_strand_closed;

typedef struct dr_strand_stage {
    dr_strand_pace pace;
    dr_strand_solver *solver;
    dr_strand_hold *holds;
    size_t hold_count, hold_room;
    double *goal_turn[2];                          // [vertex] at the end of the step, at that of its first stage
    double *goal_position[2], *goal_director[2];   // [vertex][3]
    double *start_acceleration, *start_spin_rate;  // [vertex][3], [vertex] of the first step
    unsigned char *order;                          // [strand] dr_strand_order of the step being tried
    double *impulse, *turn_impulse, *acceleration; // [vertex][3], [vertex], [vertex][3]; NULL: none
    dr_strand_load load;
    dr_strand_goal goal, middle;
    dr_strand_step step; // as it was predicted
    dr_strand_verdict verdict;
    int rejections;           // of the step being tried
    dr_strand_budget *sums;   // of chunks of strands
    float *view;              // [vertex]: position 3, velocity 3, radius, film height
    dr_strand_closed *closed; // [strand]
    uint64_t *ids;            // [strand]
    dr_frame_array arrays[7 + DR_FILM_LIQUIDS];
} dr_strand_stage;

// What contact of strands needs besides the memory of the last step.
typedef struct dr_strand_contact {
    dr_contact_stage *stage;
    dr_contact_outcome outcome;
    dr_bridge_table **tables; // [kind of strands][2] of pairs, of planes; NULL: dry, or as another kind
    bool *idle;               // [strand] takes no part
    bool *touched;            // [strand] contact acts on it in the step being tried
    int rejections;           // of the step being tried
} dr_strand_contact;

// strand_compile.c: the strands at the start
dr_status dr_strand_compile(dr_world *world, const dr_scene *scene, dr_error *error);

// What the scene's strands will come to, before any is made.
typedef struct dr_strand_forecast {
    double vertices;
    double bytes; // of memory, contacts guessed
} dr_strand_forecast;

dr_strand_forecast dr_strand_foresee(dr_world *world, const dr_scene *scene);

struct dr_strand_kind;

// strand_place.c: what carries strands at the start; colliders have been driven there
typedef struct dr_strand_carriers {
    int held[2];          // vertices of the root, of the tip
    dr_pose pose[2];      // of what carries them
    const dr_shape *skin; // that deforms and carries roots, as it is at the start; NULL: none
    dr_shape *drawn;      // the same as the scene describes it
} dr_strand_carriers;

dr_status dr_strand_carriers_open(const dr_world *world, const dr_scene *scene, const struct dr_strand_kind *kind,
                                  dr_strand_carriers *carriers, dr_error *error);
void dr_strand_carriers_close(dr_strand_carriers *carriers);

// Moves a strand as drawn, and a direction with it, to where its carriers stand; between two that differ it is drawn
// out evenly.
void dr_strand_carriers_place(const dr_strand_carriers *carriers, double *points, size_t count, double hint[3]);

// strand_overlap.c: strands that were brought out of colliders onto each other are refused
dr_status dr_strand_overlap_check(const dr_world *world, const dr_scene *scene, dr_error *error);

// strand_stage.c: strands within the step
dr_status dr_strand_stage_open(dr_world *world, dr_error *error);
void dr_strand_stage_close(dr_world *world);
bool dr_strand_stage_predict(dr_world *world, dr_try *attempt); // false when memory is out
bool dr_strand_stage_press(dr_world *world, dr_try *attempt);   // the same again under the liquid's pressure
bool dr_strand_stage_repeat(dr_world *world, dr_try *attempt);  // the same after `order` was changed
void dr_strand_stage_commit(dr_world *world, const dr_try *attempt);
void dr_strand_stage_arrive(dr_world *world); // at another time, by a restored state: holds what is held then
void dr_strand_stage_account(dr_world *world, dr_budget *sum);
void dr_strand_stage_report(dr_world *world);

// strand_momentum.c: strands that nothing acts on keep their angular momentum
void dr_strand_momentum_keep(dr_world *world);    // before strands are moved
void dr_strand_momentum_project(dr_world *world); // after, films included

// strand_contact.c: contact of strands within the step
dr_status dr_strand_contact_compile(dr_world *world, const dr_scene *scene, dr_error *error);
dr_status dr_strand_contact_open(dr_world *world, dr_error *error);
void dr_strand_contact_close(dr_world *world);
bool dr_strand_contact_run(dr_world *world, dr_try *attempt); // false when memory is out
void dr_strand_contact_commit(dr_world *world);
void dr_strand_contact_report(dr_world *world);

dr_status dr_strand_stage_view(dr_world *world, dr_frame_part *part, dr_error *error);

#endif
