// A world: compiled constants and all state. The only thing that steps.
#ifndef DRENCH_WORLD_H
#define DRENCH_WORLD_H

#include "drench/frame.h"
#include "drench/report.h"
#include "drench/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dr_world dr_world;

typedef struct dr_world_options {
    int threads;                   // 0: as many as the machine has or OMP_NUM_THREADS says
    const dr_allocator *allocator; // NULL: the C library's
    bool loads;                    // measure what matter does to solids in every step; changes nothing else
} dr_world_options;

// What a scene comes to, as far as that can be told before it is simulated.
typedef struct dr_forecast {
    double particles;                 // of bodies
    double emitted;                   // particles that emitters add until the last frame, where nothing stops them
    double vertices;                  // of strands
    double bytes;                     // of memory for what there is at the start, about
    double machine_bytes;             // memory of this machine, 0: not known
    double cloth_vertices, triangles; // of cloths
} dr_forecast;

// dr_scene_check, with what it found out.
DR_API dr_status dr_scene_forecast(const dr_scene *scene, dr_forecast *forecast, dr_error *error);

// Compiles a scene. The scene may be destroyed afterwards. options may be NULL. On failure *world is NULL.
DR_API dr_status dr_world_create(const dr_scene *scene, const dr_world_options *options, dr_world **world,
                                 dr_error *error);
DR_API void dr_world_destroy(dr_world *world);

// Makes one step that does not pass to_time. Rejected tries leave no trace; when the smallest step is rejected too, the
// state is the last good one and the status is DR_STATUS_NUMERICS.
DR_API dr_status dr_world_step(dr_world *world, double to_time, dr_error *error);

// Steps until to_time.
DR_API dr_status dr_world_advance(dr_world *world, double to_time, dr_error *error);

DR_API double dr_world_time(const dr_world *world); // negative during pre-roll
DR_API int64_t dr_world_step_count(const dr_world *world);
DR_API const dr_report *dr_world_report(const dr_world *world); // of the last step made

// ---- steering, between steps

// Colliders and emitters are counted as the scene lists them, from 0. -1 where none has that name.
DR_API int dr_world_collider_count(const dr_world *world);
DR_API int dr_world_emitter_count(const dr_world *world);
DR_API int dr_world_find_collider(const dr_world *world, const char *name);
DR_API int dr_world_find_emitter(const dr_world *world, const char *name);

// Where a shape is put from where the scene has it: turned about `center` by `rotate` (x, then y, then z, rad), then
// moved by `translate` (cm). All zero: where the scene has it.
typedef struct dr_placement {
    double translate[3], rotate[3], center[3];
} dr_placement;

// Takes a collider from its script: evenly, by the shortest turn, it goes from where it is now to that placement until
// that time, and stands there until it is moved again. A mesh goes on deforming by its sequence.
DR_API dr_status dr_world_move_collider(dr_world *world, int collider, const dr_placement *to, double until,
                                        dr_error *error);

// Where a collider is now: a point x of the scene's shape is at rotation x + translation (rows of a matrix), and the
// material that is at y now moves with velocity + spin cross y.
typedef struct dr_collider_pose {
    double rotation[9], translation[3], velocity[3], spin[3];
} dr_collider_pose;

DR_API dr_status dr_world_collider_pose(dr_world *world, int collider, dr_collider_pose *pose, dr_error *error);

// Off: it emits nothing, whatever its schedule says, until it is switched on again. All are on at the beginning.
DR_API dr_status dr_world_switch_emitter(dr_world *world, int emitter, bool on, dr_error *error);

// ---- loads

// The mean force of matter on a solid over the last step, dyn, and its torque about a point, dyn cm.
typedef struct dr_load {
    double force[3], torque[3];
} dr_load;

// In place of a collider's number: all sides of the domain; what liquid lost and no solid got, the error of the
// balance.
enum { DR_LOAD_SIDES = -1, DR_LOAD_REST = -2 };

// Of a world made with options.loads; zero before the first step. about NULL: the origin. Liquid counts by pressure,
// viscous stress and friction, elastic matter by what its nodes lost, strands by contact and, where their roots are
// bound to the collider, by what they pull with.
DR_API dr_status dr_world_load(const dr_world *world, int solid, const double about[3], dr_load *load, dr_error *error);

// ---- state

// A hash of everything that a checkpoint keeps.
DR_API uint64_t dr_world_hash(const dr_world *world);

// A view of the state, valid until the next step. number and sample are left as they are in *frame.
DR_API dr_status dr_world_view(dr_world *world, dr_frame *frame, dr_error *error);

// The state as named arrays, for a checkpoint: visit is called once per array, in a fixed order.
typedef dr_status (*dr_state_visit)(void *user, const dr_frame_array *array, dr_error *error);
DR_API dr_status dr_world_save(const dr_world *world, dr_state_visit visit, void *user, dr_error *error);

// The way back: the world asks for the arrays by name. fetch fills *array with data that lives until the call returns;
// an array that is missing or of the wrong type is an error and leaves the world as it was; so is a state that another
// build keeps otherwise, or in another order (DR_STATUS_UNSUPPORTED).
typedef dr_status (*dr_state_fetch)(void *user, const char *name, dr_frame_array *array, dr_error *error);
DR_API dr_status dr_world_restore(dr_world *world, dr_state_fetch fetch, void *user, dr_error *error);

#ifdef __cplusplus
}
#endif
#endif
