// The step: a table of contents. docs/architecture.md, docs/theory/step.md.
// Everything that can reject a try comes before the commit stages (move, exchange, account); those write the state and
// cannot fail. Sorting particles by block changes their order and nothing else, so it may come first.
#include "world/tuning.h"
#include "world/world.h"

#include "base/clock.h"
#include "base/error.h"

#include <math.h>

typedef struct stopwatch {
    double *seconds;
    double since;
} stopwatch;

static void lap(stopwatch *watch, dr_stage stage)
{
    double now = dr_clock_now();
    watch->seconds[stage] += now - watch->since;
    watch->since = now;
}

// Reads particles, force fields. Writes their order, the blocks of the grid, room for values on them, how fast they are
// and may speed up.
static dr_status activate(dr_world *world, stopwatch *watch, dr_error *error)
{
    bool ok = dr_world_activate(world) && dr_load_reserve(world);
    if (ok) dr_forces_survey(world);
    if (ok) dr_liquid_stage_survey(world);
    lap(watch, DR_STAGE_ACTIVATE);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "building the grid");
}

// Reads the scripts. Writes collider places, and how the grid moves.
static dr_status drive(dr_world *world, dr_try *attempt, stopwatch *watch, dr_error *error)
{
    dr_status status = dr_collider_set_drive(world->constants.colliders, attempt->end, error);
    dr_follow_begin(world, attempt);
    lap(watch, DR_STAGE_DRIVE);
    return status;
}

// Reads strands, the scripts that hold them, force fields, the liquid around them. Writes where strands would be at the
// end of the step without its pressure.
static dr_status strands(dr_world *world, dr_try *attempt, stopwatch *watch, dr_error *error)
{
    bool ok = dr_strand_stage_predict(world, attempt);
    lap(watch, DR_STAGE_STRANDS);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "moving strands");
}

// Reads the liquid's pressure and velocity around strands. Writes where they would be at the end of the step.
static dr_status press_strands(dr_world *world, dr_try *attempt, stopwatch *watch, dr_error *error)
{
    bool ok = dr_strand_stage_press(world, attempt);
    lap(watch, DR_STAGE_STRANDS);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "moving strands");
}

// Reads what strands received of the liquid. Writes the liquid's velocity.
static void react(dr_world *world, const dr_try *attempt, stopwatch *watch)
{
    dr_strand_liquid_react(world, attempt);
    lap(watch, DR_STAGE_STRANDS);
}

// Reads particles. Writes mass and momentum of nodes, elastic forces included, and of the liquid's faces.
static void gather(dr_world *world, const dr_try *attempt, stopwatch *watch)
{
    dr_nodes_gather(world, attempt->dt);
    if (!world->constants.bodies_meet_liquid) dr_cloth_stage_gather(world, attempt->dt);
    dr_domain_fold(world);
    dr_body_stage_gather(world, attempt->dt);
    dr_liquid_stage_gather(world, attempt->dt);
    dr_strand_liquid_gather(world);
    lap(watch, DR_STAGE_GATHER);
}

// Reads momentum. Writes velocity with gravity and force fields.
static void predict(dr_world *world, const dr_try *attempt, stopwatch *watch)
{
    dr_nodes_predict(world, attempt);
    dr_body_stage_predict(world, attempt);
    dr_liquid_stage_predict(world, attempt);
    lap(watch, DR_STAGE_PREDICT);
}

// Reads liquid particles, collider places. Writes what of cells and faces is open, liquid, air.
static bool surface(dr_world *world, const dr_try *attempt, stopwatch *watch)
{
    bool ok = dr_liquid_stage_surface(world, attempt);
    lap(watch, DR_STAGE_SURFACE);
    return ok;
}

// Reads the surface, solids, emitters, velocity. Writes what the pressure solves share and, where solids hold viscous
// liquid, its velocity.
static bool press(dr_world *world, dr_try *attempt, stopwatch *watch)
{
    bool ok = dr_liquid_stage_press(world, attempt);
    lap(watch, DR_STAGE_PRESSURE);
    return ok;
}

// Reads the surface and solids. Writes the liquid's velocity.
static bool viscosity(dr_world *world, dr_try *attempt, stopwatch *watch)
{
    bool ok = dr_liquid_stage_viscosity(world, attempt);
    lap(watch, DR_STAGE_VISCOSITY);
    return ok;
}

// Reads the surface, solids, velocity. Writes pressure, the liquid's velocity.
static bool pressure(dr_world *world, dr_try *attempt, stopwatch *watch)
{
    bool ok = dr_liquid_stage_pressure(world, attempt);
    lap(watch, DR_STAGE_PRESSURE);
    return ok;
}

// Reads predicted strands, collider places. Writes where strands will be, and the verdict on this try.
static dr_status contact(dr_world *world, dr_try *attempt, stopwatch *watch, dr_error *error)
{
    bool ok = dr_strand_contact_run(world, attempt);
    lap(watch, DR_STAGE_CONTACT);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "finding contacts");
}

// One cell more than the step was chosen for.
static double most_liquid_cells(const dr_world *world, const dr_try *attempt)
{
    double speed = dr_timestep_liquid_speed(world, attempt);
    return fmax(DR_STEP_LIQUID_CELLS, 1.0 + speed * attempt->dt / world->grid.cell);
}

static void find_reason(dr_world *world, dr_try *attempt, double nodes, double liquid)
{
    if (attempt->rejected) return;
    if (!isfinite(nodes) || !isfinite(liquid)) {
        attempt->rejected = true;
        attempt->reason = "a velocity is not a finite number";
    } else if (nodes * attempt->dt > DR_STEP_SLACK * world->constants.time.courant * world->grid.cell ||
               liquid * attempt->dt > most_liquid_cells(world, attempt) * world->grid.cell) {
        attempt->rejected = true;
        attempt->reason = "matter moves faster than time.courant allows";
    }
}

// Where nodes that are too fast have nothing but cloth and yarn, the fastest of it is to blame though it be slower.
static void judge(dr_world *world, dr_try *attempt)
{
    double nodes = dr_nodes_fastest(world), liquid = dr_liquid_stage_fastest(world, attempt);
    double reach = world->constants.time.courant * world->grid.cell / attempt->dt;
    bool alone = world->state.particles.count == 0 && nodes > DR_STEP_SLACK * reach;
    find_reason(world, attempt, nodes, liquid);
    if (world->constants.has_thin && attempt->rejected && !attempt->strands)
        dr_cloth_fault_tell(world, attempt, alone ? 0.0 : reach);
    if (world->constants.has_thin) dr_cloth_fault_judge(world, attempt, fmax(nodes, liquid));
}

// Reads collider places and velocity. Writes velocity and the verdict on this try.
static dr_status collide(dr_world *world, dr_try *attempt, stopwatch *watch, dr_error *error)
{
    bool ok = dr_cloth_stage_solve(world, attempt);
    dr_load_keep(world);
    dr_cloth_wall_load(world);
    dr_domain_project(world);
    dr_nodes_collide(world);
    dr_domain_unfold(world);
    ok = dr_liquid_stage_collide(world, attempt) && ok;
    judge(world, attempt);
    lap(watch, DR_STAGE_COLLIDE);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "meeting walls");
}

// Reads the scripts, where liquid has no room left. Writes the plan of emission, room for it and for the sums.
static dr_status plan_exchange(dr_world *world, const dr_try *attempt, stopwatch *watch, dr_error *error)
{
    dr_status status = dr_exchange_plan(world, attempt->end, error);
    if (status == DR_STATUS_OK && !dr_account_reserve(world, world->planned_count))
        status = dr_error_memory(error, "making room for a step");
    lap(watch, DR_STAGE_EXCHANGE);
    return status;
}

// Commit. Reads velocity. Writes particle velocity, affine part, strain and place, and strands.
static void move(dr_world *world, const dr_try *attempt, stopwatch *watch)
{
    dr_follow_arrive(world, attempt->end);
    dr_cloth_stage_move(world, attempt);
    dr_nodes_move(world, attempt->dt);
    dr_domain_reflect(world);
    dr_body_stage_move(world, attempt->dt);
    dr_liquid_stage_move(world, attempt);
    dr_strand_stage_commit(world, attempt);
    dr_strand_contact_commit(world);
    lap(watch, DR_STAGE_MOVE);
}

// Commit. Reads emitters, drains, open sides. Writes which particles there are.
static void exchange(dr_world *world, stopwatch *watch)
{
    dr_exchange_remove(world);
    dr_exchange_emit(world);
    dr_liquid_stage_exchange(world);
    lap(watch, DR_STAGE_EXCHANGE);
}

// Commit. Reads everything. Writes time, budgets, the report.
static void account(dr_world *world, const dr_try *attempt, int rejected, stopwatch *watch)
{
    world->state.time = attempt->end;
    world->state.step++;
    dr_account_extremes(world);
    dr_liquid_stage_account(world);
    dr_account_report(world, attempt, rejected);
    lap(watch, DR_STAGE_ACCOUNT);
}

static dr_status try_step(dr_world *world, dr_try *attempt, stopwatch *watch, dr_error *error)
{
    dr_status status = drive(world, attempt, watch, error);
    if (status != DR_STATUS_OK) return status;
    gather(world, attempt, watch);
    predict(world, attempt, watch);
    if (!surface(world, attempt, watch)) return dr_error_memory(error, "moving the liquid");
    status = strands(world, attempt, watch, error);
    if (status != DR_STATUS_OK || attempt->rejected) return status;
    if (!press(world, attempt, watch) || !viscosity(world, attempt, watch) || !pressure(world, attempt, watch))
        return dr_error_memory(error, "moving the liquid");
    status = press_strands(world, attempt, watch, error);
    if (status == DR_STATUS_OK) status = contact(world, attempt, watch, error);
    if (status == DR_STATUS_OK) react(world, attempt, watch);
    if (status == DR_STATUS_OK) status = plan_exchange(world, attempt, watch, error);
    if (status == DR_STATUS_OK) status = collide(world, attempt, watch, error);
    return status;
}

static dr_status give_up(const dr_world *world, const dr_try *attempt, dr_error *error)
{
    dr_error_add(error, DR_STATUS_NUMERICS, "step %lld at %.6g s was rejected down to a step of %.3g s: %s",
                 (long long)world->state.step + 1, world->state.time, attempt->dt, attempt->reason);
    dr_error_hint(
        error,
        "the state of step %lld is kept; a smaller time.min_step, more time.retries or a softer material may help",
        (long long)world->state.step);
    return DR_STATUS_NUMERICS;
}

dr_status dr_world_step(dr_world *world, double to_time, dr_error *error)
{
    if (!(to_time > world->state.time)) return DR_STATUS_OK;
    double seconds[DR_STAGE_COUNT] = {0};
    double begin = dr_clock_now();
    stopwatch watch = {seconds, begin};

    dr_status status = activate(world, &watch, error);
    if (status != DR_STATUS_OK) return status;
    dr_try attempt = dr_timestep_choose(world, to_time);
    int rejected = 0;
    double too_long = 0.0; // for strands
    for (;; rejected++) {
        status = try_step(world, &attempt, &watch, error);
        if (status != DR_STATUS_OK) return status;
        if (!attempt.rejected) break;
        dr_try failed = attempt;
        if (attempt.strands) too_long = attempt.dt;
        if (!dr_timestep_shorten(world, &attempt, rejected + 1)) return give_up(world, &failed, error);
    }
    dr_timestep_remember(world, &attempt, too_long);
    dr_load_measure(world, attempt.dt);
    move(world, &attempt, &watch);
    dr_load_finish(world);
    exchange(world, &watch);
    account(world, &attempt, rejected, &watch);

    for (int stage = 0; stage < DR_STAGE_COUNT; stage++) world->report.stage_seconds[stage] = seconds[stage];
    world->report.step_seconds = dr_clock_now() - begin;
    return DR_STATUS_OK;
}

dr_status dr_world_advance(dr_world *world, double to_time, dr_error *error)
{
    while (world->state.time < to_time) {
        dr_status status = dr_world_step(world, to_time, error);
        if (status != DR_STATUS_OK) return status;
    }
    return DR_STATUS_OK;
}
