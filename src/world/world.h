// The world's own struct. Only src/world knows it.
//   constants  what the scene was compiled to; never written after create
//   state      what a checkpoint keeps; written by the commit stages only (move, exchange, account)
//   working    derived from constants, state and time; a rejected try may leave anything here
#ifndef DR_WORLD_WORLD_H
#define DR_WORLD_WORLD_H

#include "base/memory.h"
#include "codim/corotated.h"
#include "collide/collider.h"
#include "drench/world.h"
#include "geom/outline.h"
#include "grid/grid.h"
#include "grid/particles.h"
#include "grid/transfer.h"
#include "par/par.h"
#include "contact/stage.h"
#include "strand/solver.h"
#include "geom/skin.h"
#include "world/liquid.h"

// What a particle is made of; particles.body is an index into these. One per body, then one per emitter.
typedef struct dr_matter {
    const char *name; // of the body or emitter
    dr_material_kind kind;
    double density;
    dr_corotated solid;     // zero for matter without stress
    double viscosity;       // liquid
    double surface_tension; // liquid; 0 where none acts
} dr_matter;

typedef struct dr_force_field {
    dr_force_spec spec;
    dr_shape *within; // NULL: everywhere
} dr_force_field;

typedef struct dr_emitter {
    dr_emitter_spec spec;
    dr_shape *shape;
    uint32_t matter;
    uint64_t key; // of its random numbers
} dr_emitter;

typedef struct dr_drain {
    dr_drain_spec spec;
    dr_shape *shape;
} dr_drain;

// One entry of the scene's strands; dr_strands.body is an index into these.
typedef struct dr_strand_kind {
    dr_strands_spec spec; // text and lists other than its name are the scene's: gone
    int first, count;     // strands
    dr_motion *motion[2]; // of roots and tips
    int collider;         // that roots are bound to, -1: none
    dr_material_spec film;
    size_t joined, pushed; // points that were mended at the start
    size_t cut;            // closed curves that were cut open
} dr_strand_kind;

typedef struct dr_constants {
    dr_arena arena; // names
    uint64_t seed;
    double gravity[3];
    dr_time_spec time;
    dr_domain_spec domain;
    double damping, damping_step; // RPIC
    dr_transfer transfer;
    dr_matter *matter;
    int matter_count;
    bool has_elastic, has_liquid;
    bool liquids_differ;                     // in density, viscosity or surface tension
    double liquid_density, liquid_viscosity; // the lightest, the thickest
    double surface_tension;                  // the strongest, 0: off
    dr_force_field *forces;
    int force_count;
    dr_emitter *emitters;
    int emitter_count;
    dr_drain *drains;
    int drain_count;
    dr_collider_set *colliders;
    const char **collider_names;
    dr_strand_kind *strand_kinds;
    dr_strand_material *strand_materials; // one each
    int strand_kind_count;
    bool strands_meet; // there is contact
    dr_contact_choice contact;
} dr_constants;

// What of an emitter persists.
typedef struct dr_emitter_state {
    double emitted_volume;
    double travel; // seconds its lattice has moved with its velocity; negative before the first emission
    double off;    // not 0: the caller has switched it off
} dr_emitter_state;

enum { DR_EMITTER_NUMBERS = sizeof(dr_emitter_state) / sizeof(double) };

// The liquid's pressure as the last step left it.
typedef struct dr_guess {
    size_t count;    // blocks
    uint64_t *key;   // [block] increasing
    float *pressure; // [block][64] dyn/cm2
    size_t key_capacity, pressure_capacity;
} dr_guess;

typedef struct dr_state {
    double time;
    int64_t step;
    uint64_t next_id;
    int64_t emitted, drained, culled;
    double drained_volume;             // of liquid
    double pocket_volume, pocket_lost; // of enclosed air as the last step began; by which it shrank since the start
    double stir;                       // the mean speed of the last moments, cm/s
    dr_emitter_state *emitters;
    dr_steer *steers;       // [collider]
    dr_particles particles; // on nodes: dust, elastic
    dr_particles liquid;    // on faces
    dr_guess guess;
    dr_strands strands;
    dr_contact_memory contacts;
} dr_state;

// Largest values over all particles, for the choice of the next step.
typedef struct dr_extremes {
    double speed;
    double stiffness_over_density; // cm2/s2
    double mean_speed;             // root of the mean square
} dr_extremes;

// Colliders as a frame shows them: triangles made at the first view, placed at every one.
typedef struct dr_collider_view {
    dr_box bodies; // around the scene's bodies as they begin
    int body_count;
    dr_outline *outlines; // one per collider, NULL before the first view
    size_t vertex_count, triangle_count;
    float (*position)[3];
    uint32_t (*triangle)[3];
    uint32_t *body; // of each triangle
    dr_frame_array arrays[2];
} dr_collider_view;

// One try of a step.
typedef struct dr_try {
    double dt, end;
    const char *limited_by;
    bool rejected;
    const char *reason; // why the last one was, NULL: none was
} dr_try;

// A particle that the commit of this try will emit.
typedef struct dr_planned {
    double position[3];
    float velocity[3];
    float volume;
    int emitter;
} dr_planned;

// A vertex or edge that is held: where it was at the start, and what carries it along.
typedef struct dr_strand_hold {
    int32_t vertex, kind;
    int end; // 0: root, 1: tip
    double position[3], director[3];
    dr_skin_place place; // on a collider that deforms
} dr_strand_hold;

// What strands need besides their state.
typedef struct dr_strand_stage {
    dr_strand_solver *solver;
    dr_strand_hold *holds;
    size_t hold_count;
    double *goal_turn;                                    // [vertex]
    double *goal_position, *goal_director;                // [vertex][3]
    double *impulse, *turn_impulse, *acceleration, *film; // [vertex][3], [vertex], [vertex][3], [vertex]; NULL: none
    dr_strand_load load;
    dr_strand_goal goal;
    dr_strand_step step; // as it was predicted
    dr_strand_verdict verdict;
    int rejections; // of the step being tried
    dr_strand_budget budget;
    dr_strand_budget *sums; // of chunks of strands
    float *view;            // [vertex]: position 3, velocity 3, radius, film height
    uint64_t *ids;          // [strand]
    dr_frame_array arrays[6];
} dr_strand_stage;

// What contact of strands needs besides the memory of the last step.
typedef struct dr_strand_contact {
    dr_contact_stage *stage;
    dr_contact_outcome outcome;
    dr_bridge_table *pair, *plane; // of the liquid, NULL: dry
    bool *idle;                    // [strand] takes no part
    int rejections;                // of the step being tried
} dr_strand_contact;

// What matter did to solids in the step made last.
typedef struct dr_load_stage {
    bool wanted;
    double dt;                       // of that step; 0: none was made
    double (*sum)[6], (*partial)[6]; // [solid], [chunk][solid]: impulse, angular impulse about the origin
    float *node_before;              // [block][64][4] before solids
    double *contact;                 // [vertex][3] impulses of contact
    size_t partial_capacity, node_capacity;
} dr_load_stage;

struct dr_world {
    const dr_allocator *allocator;
    dr_constants constants;
    dr_state state;
    // working
    dr_par par;
    dr_grid grid;
    dr_liquid liquid;
    dr_strand_stage strands;
    dr_strand_contact contact;
    dr_load_stage load;
    float *node, *node_old; // [block][64][4]: mass, momentum or velocity
    size_t node_capacity, node_old_capacity;
    double *partial; // sums per block or per chunk of particles
    size_t partial_capacity;
    unsigned char *leaving; // per particle of the larger set
    size_t leaving_capacity;
    dr_planned *planned;
    size_t planned_count, planned_capacity;
    double planned_volume;
    dr_emitter_state *emitters_after; // as they will be when this try is committed
    dr_steer *steers_read;            // [collider] from a checkpoint
    double acceleration;              // bound of gravity and force fields
    dr_extremes extremes;
    dr_report report;
    float *view_position; // [particle][3], cm
    float *view_pressure; // [liquid particle], dyn/cm2
    size_t view_capacity, view_pressure_capacity;
    dr_frame_array view_arrays[2][8];
    dr_frame_part view_parts[4]; // particles, liquid where there may be any, strands and colliders where there are any
    dr_collider_view view_colliders;
};

#define DR_PARTICLE_CHUNK 2048 // of sums over particles: fixed, so that sums do not depend on the number of threads

// compile.c
enum { DR_KEY_BODY = 1, DR_KEY_EMITTER = 2, DR_KEY_STRANDS = 3, DR_KEY_DISTURBANCE = 4 }; // what random numbers are for
uint64_t dr_world_random_key(const dr_world *world, int purpose, int index);
dr_box dr_domain_clip(const dr_domain_spec *domain, dr_box box); // the part of a shape's box that particles can fill
dr_status dr_constants_compile(dr_world *world, const dr_scene *scene, dr_error *error);
void dr_constants_free(dr_world *world);

// state.c: the state at the start, filled with the scene's bodies.
typedef struct dr_particle_set {
    dr_particles *particles;
    dr_grid *grid; // that they are placed on
} dr_particle_set;
enum { DR_SET_NODES, DR_SET_LIQUID, DR_SET_COUNT };
dr_particle_set dr_state_set(dr_world *world, int set);
int dr_matter_set(const dr_matter *matter); // the set its particles belong to

// A new particle of that matter; room for it has been made.
void dr_state_add(dr_world *world, uint32_t matter, const double x[3], const double velocity[3], const double spin[3],
                  double volume);
// Whether the body of that index gets any particle at all.
dr_status dr_state_check_body(dr_world *world, const dr_scene *scene, int index, const dr_shape *shape,
                              dr_error *error);
dr_status dr_state_open(dr_world *world, const dr_scene *scene, dr_error *error);
void dr_state_close(dr_world *world);

// timestep.c
dr_try dr_timestep_choose(const dr_world *world, double to_time);
bool dr_timestep_shorten(const dr_world *world, dr_try *attempt, int rejected); // false: no smaller step is allowed

// nodes.c: the grid between gather and move
bool dr_nodes_reserve(dr_world *world);
void dr_nodes_gather(dr_world *world, double dt);
void dr_nodes_predict(dr_world *world, const dr_try *attempt);
void dr_nodes_collide(dr_world *world);
double dr_nodes_fastest(dr_world *world); // not a number where any velocity is not
void dr_nodes_move(dr_world *world, double dt);

// forces.c
void dr_forces_add(const dr_constants *constants, const double x[3], double time, double dt, float v[3]);

// liquid.c, liquid_solid.c, liquid_view.c: the liquid between gather and move. What gives a bool is false when memory
// is out.
bool dr_liquid_open(dr_world *world, const double origin[3], const int32_t period[3]);
void dr_liquid_close(dr_world *world);
double dr_liquid_block_bytes(void); // memory of one block, solvers included, about
bool dr_liquid_activate(dr_world *world);
double dr_liquid_least_mass(const dr_world *world); // of a face with a velocity of its own, g
void dr_liquid_gather(dr_world *world, const dr_try *attempt);
void dr_liquid_predict(dr_world *world, const dr_try *attempt);
bool dr_liquid_has_solids(const dr_constants *constants);
dr_collider_point dr_liquid_solid_at(const dr_world *world, const double x[3]); // the nearest; index -1: a side
void dr_liquid_meet_solids(dr_world *world);
bool dr_liquid_surface(dr_world *world);
bool dr_liquid_thicken(dr_world *world, dr_try *attempt); // viscosity
bool dr_liquid_find_source(dr_world *world, const dr_try *attempt);
bool dr_liquid_project(dr_world *world, dr_try *attempt); // pressure
void dr_liquid_extend(dr_world *world, const dr_try *attempt);
bool dr_liquid_balance(dr_world *world);                          // liquid_balance.c
double dr_liquid_fastest(dr_world *world, const dr_try *attempt); // not a number where any velocity is not
void dr_liquid_move(dr_world *world, double dt);
void dr_liquid_keep_out(dr_world *world);
void dr_liquid_tidy(dr_world *world);
// liquid_guess.c
bool dr_guess_reserve(dr_guess *guess, const dr_allocator *allocator, size_t blocks);
void dr_guess_free(dr_guess *guess, const dr_allocator *allocator);
void dr_guess_keep(dr_world *world);
void dr_guess_place(const dr_world *world, float *pressure);
dr_status dr_guess_inspect(const dr_guess *guess, dr_error *error);
bool dr_liquid_blend_reserve(dr_world *world); // liquid_blend.c
void dr_liquid_blend(dr_world *world);
double dr_liquid_pressure_at(const dr_world *world, const double x[3]); // of the last try, dyn/cm2; 0 in air
bool dr_liquid_measure(dr_world *world, double dt); // the volume inside the surface as particles tell of it
bool dr_liquid_fill_gaps(dr_world *world);
bool dr_liquid_settle(dr_world *world, double dt); // gaps filled; what is inside then; enclosed air
void dr_liquid_shown_keep(dr_world *world);
void dr_liquid_shown_free(dr_world *world);
void dr_liquid_place(const dr_grid *grid, size_t block, int item, const double shift[3], double x[3]);

// strand_compile.c: the strands at the start
dr_status dr_strand_compile(dr_world *world, const dr_scene *scene, dr_error *error);

// What the scene's strands will come to, before any is made.
typedef struct dr_strand_forecast {
    double vertices;
    double bytes; // of memory, contacts guessed
} dr_strand_forecast;

dr_strand_forecast dr_strand_foresee(dr_world *world, const dr_scene *scene);

// strand_stage.c: strands within the step
dr_status dr_strand_stage_open(dr_world *world, dr_error *error);
void dr_strand_stage_close(dr_world *world);
bool dr_strand_stage_predict(dr_world *world, dr_try *attempt); // false when memory is out
void dr_strand_stage_commit(dr_world *world, double dt);
void dr_strand_stage_account(dr_world *world); // adds to the budgets of the report
dr_solve_report dr_strand_stage_report(dr_world *world);

// strand_contact.c: contact of strands within the step
dr_status dr_strand_contact_compile(dr_world *world, const dr_scene *scene, dr_error *error);
dr_status dr_strand_contact_open(dr_world *world, dr_error *error);
void dr_strand_contact_close(dr_world *world);
bool dr_strand_contact_run(dr_world *world, dr_try *attempt); // false when memory is out
void dr_strand_contact_commit(dr_world *world);
void dr_strand_contact_report(dr_world *world);

bool dr_strand_stage_view(dr_world *world, dr_frame_part *part);

// domain.c: walls and symmetry planes on the grid's nodes
void dr_domain_fold(dr_world *world);    // after gather: what lies beyond a symmetry plane is added to its mirror image
void dr_domain_project(dr_world *world); // walls
void dr_domain_unfold(dr_world *world);  // before move: velocities beyond a symmetry plane are the mirrored ones
void dr_domain_reflect(
    dr_world *world); // after move: a particle that slipped beyond a symmetry plane becomes its image

// exchange.c
dr_status dr_exchange_plan(dr_world *world, double end, dr_error *error); // what commit will emit, and room for it
void dr_exchange_emit(dr_world *world);
void dr_exchange_remove(dr_world *world);

// collider_view.c
dr_status dr_collider_view_part(dr_world *world, dr_frame_part *part, dr_error *error);
void dr_collider_view_include(dr_world *world, const dr_box *box); // of a body
void dr_collider_view_free(dr_world *world);

// control.c
dr_status dr_control_open(dr_world *world, const dr_scene *scene, dr_error *error);
void dr_control_close(dr_world *world);
dr_status dr_control_inspect(const dr_world *world, dr_error *error); // what a checkpoint said of steering

// load.c: forces on solids, where they are wanted
dr_status dr_load_open(dr_world *world, dr_error *error);
void dr_load_close(dr_world *world);
bool dr_load_reserve(dr_world *world); // blocks are known
void dr_load_keep(dr_world *world);    // before walls and colliders act on nodes
void dr_load_measure(dr_world *world, double dt);
void dr_load_finish(dr_world *world); // after the commit
#define DR_LOAD_CHUNK 64              // blocks of a sum: fixed, so that sums do not depend on the number of threads
void dr_load_begin_knocks(dr_world *world); // particles of the liquid are brought out of solids, by chunks of blocks
void dr_load_knock(dr_world *world, size_t block, int solid, const double x[3], const double impulse[3]);
void dr_load_end_knocks(dr_world *world);

// account.c
void dr_matter_solids(const dr_world *world, size_t first, size_t count, const dr_corotated **solid); // of particles
bool dr_account_reserve(dr_world *world, size_t particles, size_t liquid);
void dr_account_extremes(dr_world *world); // also after a restore: the same values from the same particles
void dr_account_pockets(dr_world *world);
void dr_account_stir(dr_world *world, double dt);
void dr_account_report(dr_world *world, const dr_try *attempt, int rejected);

#endif
