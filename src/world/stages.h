// The stages of a step, in files of their own. What gives a bool is false when memory is out; a stage that has nothing
// to do does nothing.
#ifndef DR_WORLD_STAGES_H
#define DR_WORLD_STAGES_H

#include "world/constants.h"
#include "world/registry.h"
#include "world/try.h"

// Largest values over the particles on nodes, for the choice of the next step.
typedef struct dr_extremes {
    double speed;
    double stiffness_over_density; // cm2/s2
    double thin_speed;             // of cloth and yarn on the grid
} dr_extremes;

// A set of particles as a frame shows it.
enum { DR_VIEW_ARRAYS = 8 };
typedef struct dr_particle_view {
    float *position; // [particle][3], cm
    float *pressure; // [liquid particle], dyn/cm2
    size_t position_capacity, pressure_capacity;
    dr_frame_array arrays[DR_VIEW_ARRAYS];
} dr_particle_view;

// A particle that the commit of this try will add.
typedef struct dr_planned {
    double position[3];
    float velocity[3];
    float volume;
    uint32_t matter;
} dr_planned;

// Sums over particles go per chunk of so many: fixed, so that they do not depend on the number of threads.
#define DR_PARTICLE_CHUNK 2048

// world.c: sorts particles, makes the blocks of all matter, and room for values on them
bool dr_world_activate(dr_world *world);

// forces.c: how fast gravity and force fields may speed up particles in the next step, where they are
void dr_forces_survey(dr_world *world);

// matter.c: of `count` particles side by side, DR_MATTER_BATCH at most; stress times their volumes, energy densities
enum { DR_MATTER_BATCH = 8 };
void dr_matter_stress(const dr_world *world, size_t first, size_t count, float (*stress)[9]);
void dr_matter_energy(const dr_world *world, size_t first, size_t count, float *energy, float *stiffness);
void dr_matter_strain(dr_world *world, size_t first, size_t count, const float (*gradient)[9], float dt);

// nodes.c: the grid between gather and move
bool dr_nodes_used(const dr_world *world); // whether any matter is on nodes
bool dr_nodes_reserve(dr_world *world);
double dr_nodes_damping(const dr_constants *constants, double dt); // RPIC, of a step
void dr_nodes_gather(dr_world *world, double dt);
void dr_nodes_predict(dr_world *world, const dr_try *attempt);
void dr_nodes_collide(dr_world *world);
double dr_nodes_fastest(dr_world *world); // not a number where any velocity is not
// Of an implicit step: the larger of what the fastest vertex of cloth has and the fastest particle gathers from nodes
// or, where given, faces. Nodes at the rim of the kernels of cloth weigh next to nothing, and an elastic impulse makes
// them as fast as it likes.
double dr_nodes_fastest_points(const dr_world *world, double vertex, const float *face);
void dr_nodes_move(dr_world *world, double dt);

// What bodies on nodes and in liquid share: stress for the grid, strain from it, and how they go back.
typedef struct dr_strain_update {
    dr_world *world;
    float dt;
} dr_strain_update;
void dr_nodes_stress(const void *world, size_t first, size_t count, float (*stress)[9]);
void dr_nodes_strain(void *update, size_t first, size_t count, const float (*gradient)[9]);
dr_transfer dr_nodes_transfer(const dr_world *world, double dt);

// liquid_stage.c: the liquid between activate and account
dr_status dr_liquid_stage_open(dr_world *world, dr_error *error); // when constants are compiled
void dr_liquid_stage_close(dr_world *world);
double dr_liquid_stage_block_bytes(const dr_world *world); // memory of one block, solvers included, about
bool dr_liquid_stage_reserve(dr_world *world);
void dr_liquid_stage_gather(dr_world *world, double dt);
void dr_liquid_stage_predict(dr_world *world, const dr_try *attempt);
bool dr_liquid_stage_surface(dr_world *world, const dr_try *attempt);
bool dr_liquid_stage_press(dr_world *world, dr_try *attempt);
bool dr_liquid_stage_viscosity(dr_world *world, dr_try *attempt);
bool dr_liquid_stage_pressure(dr_world *world, dr_try *attempt);
bool dr_liquid_stage_collide(dr_world *world, const dr_try *attempt);
void dr_liquid_stage_survey(dr_world *world);                           // how it moves, for the choice of the step
double dr_liquid_stage_fastest(dr_world *world, const dr_try *attempt); // not a number where any velocity is not
void dr_liquid_stage_move(dr_world *world, const dr_try *attempt);
void dr_liquid_stage_exchange(dr_world *world);
void dr_liquid_stage_account(dr_world *world);
void dr_liquid_stage_report(dr_world *world);

// body_stage.c: bodies that share the liquid's cells, where there are both
void dr_body_stage_open(dr_world *world);
void dr_body_stage_close(dr_world *world);
bool dr_body_stage_reserve(dr_world *world);
void dr_body_stage_gather(dr_world *world, double dt);
void dr_body_stage_predict(dr_world *world, const dr_try *attempt);
void dr_body_stage_mix(dr_world *world, double dt);                 // before the pressure
void dr_body_stage_correct(dr_world *world, double dt);             // after it: velocities of bodies and liquid
bool dr_body_stage_collide(dr_world *world, const dr_try *attempt); // and the balance of both, and what is held
double dr_body_stage_fastest(dr_world *world);                      // not a number where any velocity is not
void dr_body_stage_move(dr_world *world, double dt);

// approach.c: the longest step up to dt that ends before liquid faster than Courant allows is in solids
double dr_approach_step(dr_world *world, double dt);

// follow.c: the grid moves along with a collider
dr_status dr_follow_compile(dr_world *world, const dr_scene *scene, dr_error *error);
void dr_follow_velocity(const dr_world *world, double dt, double velocity[3]); // of the grid in the next dt
void dr_follow_begin(dr_world *world, dr_try *attempt); // how it moves in this try; solids are asked at its end
void dr_follow_arrive(dr_world *world, double time);    // it is where it is at that time

// domain.c: walls and symmetry planes on the grid's nodes
void dr_domain_fold(dr_world *world);    // after gather: what lies beyond a symmetry plane is added to its mirror image
void dr_domain_project(dr_world *world); // walls
void dr_domain_unfold(dr_world *world);  // before move: velocities beyond a symmetry plane are the mirrored ones
void dr_domain_reflect(dr_world *world); // after move: what slipped beyond a symmetry plane becomes its image

// exchange.c
dr_status dr_exchange_plan(dr_world *world, double end, dr_error *error); // what commit will emit, and room for it
dr_planned *dr_exchange_push(dr_world *world); // one more particle of the plan; NULL when memory is out
void dr_exchange_emit(dr_world *world);
void dr_exchange_remove(dr_world *world);

// account.c
bool dr_account_reserve(dr_world *world, size_t more); // room for sums over blocks and so many more particles
void dr_account_particles(dr_world *world, dr_budget *sum);
void dr_account_liquid(dr_world *world, dr_budget *sum);
void dr_account_extremes(dr_world *world); // also after a restore: the same values from the same particles
void dr_account_solve(dr_world *world, const dr_solve_report *solve); // into the report, while it has room
void dr_account_report(dr_world *world, const dr_try *attempt, int rejected);

// view.c
dr_status dr_view_particles(dr_world *world, dr_frame_part *part, dr_error *error);
dr_status dr_view_liquid(dr_world *world, dr_frame_part *part, dr_error *error);

#endif
