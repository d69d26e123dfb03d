// The liquid within the step: hands it the grid, its particles, what solids leave open, and force fields.
// docs/theory/liquid.md.
#include "world/tuning.h"
#include "world/world.h"

#include "base/error.h"
#include "collide/motion.h"
#include "math/vec.h"

#include <assert.h>
#include <math.h>

// ---- life

dr_status dr_liquid_stage_open(dr_world *world, dr_error *error)
{
    dr_constants *constants = &world->constants;
    bool cut = dr_cut_cells_open(&world->cut, world->allocator, &world->par, &world->grid, &constants->domain,
                                 constants->colliders);
    constants->liquid.has_solids = world->cut.has_solids;
    constants->liquid.solids_hold = world->cut.any_hold;
    constants->liquid.solids_rub = world->cut.any_rub;
    dr_body_stage_open(world);
    const dr_liquid_context context = {.allocator = world->allocator,
                                       .par = &world->par,
                                       .grid = &world->grid,
                                       .particles = &world->state.liquid,
                                       .last = &world->state.guess,
                                       .transfer = constants->transfer};
    bool liquid = dr_liquid_open(&world->liquid, &context, &constants->liquid);
    return cut && liquid ? DR_STATUS_OK : dr_error_memory(error, "opening the liquid");
}

void dr_liquid_stage_close(dr_world *world)
{
    dr_body_stage_close(world);
    dr_liquid_close(&world->liquid);
    dr_cut_cells_close(&world->cut);
}

// The surface and the solvers take about as much again as the step's own arrays.
double dr_liquid_stage_block_bytes(const dr_world *world)
{
    if (!world->constants.has_liquid) return 0.0;
    return 2.0 * (double)(dr_liquid_block_bytes() + dr_cut_cells_block_bytes());
}

bool dr_liquid_stage_reserve(dr_world *world)
{
    return !world->constants.has_liquid || (dr_liquid_reserve(&world->liquid) && dr_cut_cells_reserve(&world->cut));
}

void dr_liquid_stage_survey(dr_world *world)
{
    world->survey = world->constants.has_liquid ? dr_liquid_survey(&world->liquid, world->constants.time.courant)
                                                : (dr_spray_survey){0};
}

// ---- one try

typedef struct pushing {
    const dr_constants *constants;
    double end, dt;
} pushing;

static void push(const void *user, const double x[3], double velocity[3])
{
    const pushing *job = user;
    dr_forces_add(job->constants, x, job->end, job->dt, velocity);
}

static dr_liquid_step make_step(const dr_try *attempt)
{
    return (dr_liquid_step){.dt = attempt->dt};
}

static void judge(dr_try *attempt, const dr_liquid_step *step)
{
    if (!step->rejected) return;
    attempt->rejected = true;
    attempt->reason = step->rejected;
}

void dr_liquid_stage_gather(dr_world *world, double dt)
{
    if (world->constants.has_liquid) dr_liquid_gather(&world->liquid, dt);
}

void dr_liquid_stage_predict(dr_world *world, const dr_try *attempt)
{
    if (!world->constants.has_liquid) return;
    dr_liquid_step step = make_step(attempt);
    pushing job = {&world->constants, attempt->end, attempt->dt};
    step.force = world->constants.force_count > 0 ? push : NULL;
    step.user = &job;
    dr_liquid_predict(&world->liquid, &step);
}

static bool meet_solids(dr_world *world, double dt)
{
    const dr_cut_cells *cut = &world->cut;
    if (!dr_cut_cells_measure(&world->cut, world->state.liquid.residents.touched, dt)) return false;
    world->liquid.solids = (dr_liquid_solids){.corner = cut->corner,
                                              .open_area = cut->open_area,
                                              .velocity = cut->solid_velocity,
                                              .rub = cut->rub,
                                              .open_volume = cut->open_volume,
                                              .friction = cut->friction,
                                              .open_before = cut->open_before,
                                              .touch = cut->touch,
                                              .near = cut->near_solid,
                                              .stands = cut->stands,
                                              .rounds = cut->rounds,
                                              .still = !cut->any_moves};
    return true;
}

static void meet_bodies(dr_world *world)
{
    const dr_body_stage *bodies = &world->bodies;
    if (!world->constants.bodies_meet_liquid) return;
    world->liquid.mixture =
        (dr_liquid_mixture){.solid = bodies->solid, .flux = bodies->flux, .mobility = bodies->mobility};
}

bool dr_liquid_stage_surface(dr_world *world, const dr_try *attempt)
{
    if (!world->constants.has_liquid) return true;
    if (!meet_solids(world, attempt->dt)) return false;
    meet_bodies(world);
    dr_strand_liquid_fill(world);
    return dr_liquid_surface(&world->liquid);
}

// What an emitter brings in a step, on average over it; false where it brings nothing of its own.
static bool make_inlet(const dr_world *world, const dr_try *attempt, int index, dr_liquid_inlet *inlet)
{
    const dr_emitter *emitter = &world->constants.emitters[index];
    const dr_emitter_state *state = &world->state.emitters.item[index];
    bool spent = emitter->spec.volume_limit > 0.0 && state->emitted_volume >= emitter->spec.volume_limit;
    bool liquid = dr_matter_set(&world->constants.matter[emitter->matter]) == DR_SET_LIQUID;
    double seconds = dr_schedule_seconds(&emitter->spec.schedule, world->state.time, attempt->end);
    *inlet = (dr_liquid_inlet){.shape = emitter->shape};
    for (int a = 0; a < 3; a++) inlet->velocity[a] = emitter->spec.velocity[a] * seconds / attempt->dt;
    inlet->flux = emitter->area * dr_vec3_length(inlet->velocity);
    return liquid && !spent && state->off == 0.0 && !emitter->spec.waits && state->travel >= 0.0 && inlet->flux > 0.0;
}

static void find_inflow(dr_world *world, const dr_try *attempt)
{
    dr_liquid_inlet inlets[DR_LIQUID_INLETS];
    int count = 0;
    for (int i = 0; i < world->constants.emitter_count && count < DR_LIQUID_INLETS; i++) {
        if (make_inlet(world, attempt, i, &inlets[count])) count++;
    }
    dr_liquid_find_inflow(&world->liquid, inlets, count);
}

bool dr_liquid_stage_press(dr_world *world, dr_try *attempt)
{
    if (!world->constants.has_liquid) return true;
    dr_liquid_step step = make_step(attempt);
    find_inflow(world, attempt);
    dr_strand_liquid_meet(world);
    dr_strand_liquid_mix(world, attempt->dt);
    bool ok = dr_liquid_press(&world->liquid, &step);
    judge(attempt, &step);
    return ok;
}

bool dr_liquid_stage_viscosity(dr_world *world, dr_try *attempt)
{
    if (!world->constants.has_liquid || attempt->rejected) return true;
    dr_liquid_step step = make_step(attempt);
    bool ok = dr_liquid_viscosity(&world->liquid, &step);
    judge(attempt, &step);
    return ok;
}

bool dr_liquid_stage_pressure(dr_world *world, dr_try *attempt)
{
    if (!world->constants.has_liquid || attempt->rejected) return true;
    dr_liquid_step step = make_step(attempt);
    if (world->strand_liquid.wet) dr_liquid_release(&world->liquid, &step);
    if (!dr_cloth_stage_press(world, attempt)) return false;
    if (attempt->rejected) return true;
    dr_body_stage_mix(world, attempt->dt);
    dr_strand_liquid_mix(world, attempt->dt);
    bool ok = dr_liquid_pressure(&world->liquid, &step);
    judge(attempt, &step);
    if (!ok || attempt->rejected) return ok;
    dr_body_stage_correct(world, attempt->dt);
    if (!dr_cloth_press_answer(world, attempt)) return false;
    dr_strand_liquid_free(world, attempt->dt);
    return ok;
}

static_assert((int)DR_CUT_FIRM == (int)DR_TOUCH_FIRM, "what cut cells touch is handed to the liquid as it is");

bool dr_liquid_stage_collide(dr_world *world, const dr_try *attempt)
{
    if (!world->constants.has_liquid) return true;
    dr_liquid_step step = make_step(attempt);
    dr_liquid_extend(&world->liquid, &step);
    return world->constants.bodies_meet_liquid ? dr_body_stage_collide(world, attempt)
                                               : dr_liquid_balance(&world->liquid);
}

double dr_liquid_stage_fastest(dr_world *world, const dr_try *attempt)
{
    return world->constants.has_liquid ? dr_liquid_fastest(&world->liquid, attempt->frame) : 0.0;
}

// ---- commit

// Solids in the way of spray.
typedef struct obstacles {
    dr_world *world;
    const dr_cut_knocks *knocks;
} obstacles;

static bool stop(void *user, size_t block, size_t p, const double x[3])
{
    const obstacles *job = user;
    return dr_cut_cells_stop(&job->world->cut, &job->world->state.liquid, job->knocks, block, p, x);
}

// Blocks that one thread visits at a time.
#define PIECE 8

static void fly(dr_world *world, const dr_try *attempt, const dr_cut_knocks *knocks)
{
    obstacles job = {world, knocks};
    dr_spray_flight flight = {.kind = world->liquid.kind,
                              .velocity = world->liquid.velocity,
                              .along = attempt->along,
                              .dt = attempt->dt,
                              .stop = world->cut.has_solids ? stop : NULL,
                              .user = &job,
                              .piece = knocks ? knocks->piece : PIECE};
    dr_vec3_copy(flight.frame, attempt->frame);
    dr_spray_fly(&flight, &world->grid, &world->par, &world->state.liquid);
}

void dr_liquid_stage_move(dr_world *world, const dr_try *attempt)
{
    if (!world->constants.has_liquid) return;
    dr_liquid_move(&world->liquid, attempt->dt, dr_nodes_damping(&world->constants, attempt->dt));
    const dr_cut_knocks *knocks = dr_load_begin_knocks(world);
    fly(world, attempt, knocks);
    dr_cut_cells_keep_out(&world->cut, &world->state.liquid, knocks);
    dr_load_end_knocks(world);
    dr_liquid_keep(&world->liquid);
}

// Where memory is out nothing is resampled, which does no harm.
void dr_liquid_stage_exchange(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    if (!world->constants.has_liquid || world->state.step % DR_STEP_RESAMPLE != 0) return;
    dr_liquid_shown_keep(liquid);
    if (dr_world_activate(world) && dr_liquid_plan_resampling(liquid) &&
        dr_account_reserve(world, liquid->resample.fresh_count))
        dr_liquid_resample(liquid, (uint64_t)world->state.step, &world->state.next_id);
}

// Enclosed air has no pressure of its own and may vanish; that is counted.
static void account_bubbles(dr_world *world)
{
    dr_state *state = &world->state;
    double now = world->liquid.bubbles.volume;
    if (now < state->bubble_volume) state->bubble_lost += state->bubble_volume - now;
    state->bubble_volume = now;
}

void dr_liquid_stage_account(dr_world *world)
{
    if (!world->constants.has_liquid) return;
    account_bubbles(world);
}

void dr_liquid_stage_report(dr_world *world)
{
    const dr_liquid *liquid = &world->liquid;
    dr_report *report = &world->report;
    report->volume_occupied = liquid->occupied;
    report->bubbles = (int64_t)liquid->bubbles.count;
    report->volume_bubbles = world->state.bubble_volume;
    report->volume_bubbles_lost = world->state.bubble_lost;
    dr_account_solve(world, &liquid->pressure_report);
    dr_account_solve(world, &liquid->density_report);
    if (world->constants.liquid.surface_tension > 0.0) dr_account_solve(world, &liquid->tension_report);
    if (liquid->viscous) dr_account_solve(world, &liquid->viscosity_report);
    if (liquid->viscous && world->constants.liquid.thick) dr_account_solve(world, &liquid->stress_report);
}
