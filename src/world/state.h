// What a checkpoint keeps; written by the commit stages only (move, exchange, account).
#ifndef DR_WORLD_STATE_H
#define DR_WORLD_STATE_H

#include "codim/manifold.h"
#include "contact/stage.h"
#include "liquid/warm_start.h"
#include "strand/rods.h"
#include "world/constants.h"
#include "world/registry.h"

// What of an emitter persists.
typedef struct dr_emitter_state {
    double emitted_volume;
    double travel; // seconds its lattice has moved with its velocity; negative before the first emission
    double off;    // not 0: the caller has switched it off
} dr_emitter_state;

enum { DR_EMITTER_NUMBERS = sizeof(dr_emitter_state) / sizeof(double) };

typedef struct dr_emitter_states {
    size_t count, capacity;
    dr_emitter_state *item;
} dr_emitter_states;

extern const dr_column_table dr_emitter_columns;

typedef struct dr_state {
    double time;
    int64_t step;
    uint64_t next_id;
    int64_t emitted, drained, culled;
    double drained_volume;             // of liquid
    double bubble_volume, bubble_lost; // of enclosed air as the last step began; by which it shrank since the start
    double step_limit, step_failed;    // what strands could do lately, and what they could not, s; 0: nothing is known
    dr_emitter_states emitters;
    dr_steers steers;       // of colliders
    dr_particles particles; // on nodes: dust, elastic
    dr_particles liquid;    // on faces
    dr_warm_start guess;
    dr_strands strands;
    dr_film film; // of strands; no vertices: all are dry for ever
    dr_contact_memory contacts;
    dr_manifold cloth, yarn; // on the grid
    dr_rods rods;            // yarn as it bends and twists
} dr_state;

// state.c: the state at the start, filled with the scene's bodies.
enum { DR_SET_NODES, DR_SET_LIQUID, DR_SET_COUNT };
dr_particles *dr_state_set(dr_world *world, int set);
int dr_matter_set(const dr_matter *matter); // the set its particles belong to

// A new particle of that matter; room for it has been made.
// Volumes of liquid particles are multiples of the quantum, dr_resample_quantum.
double dr_state_quantum(const dr_world *world);
float dr_state_round(const dr_world *world, double volume);
void dr_state_add(dr_world *world, uint32_t matter, const double x[3], const double velocity[3], const double spin[3],
                  double volume);
// Whether the body of that index gets any particle at all.
dr_status dr_state_check_body(dr_world *world, const dr_scene *scene, int index, const dr_shape *shape,
                              dr_error *error);
dr_status dr_state_open(dr_world *world, const dr_scene *scene, dr_error *error);
void dr_state_close(dr_world *world);

// control.c: what a caller may change between steps
dr_status dr_control_open(dr_world *world, const dr_scene *scene, dr_error *error);
void dr_control_close(dr_world *world);
dr_status dr_control_inspect(const dr_world *world, const void *steers, dr_error *error); // that were read

#endif
