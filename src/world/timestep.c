// The choice of the step. docs/theory/timestep.md.
#include "world/tuning.h"
#include "world/world.h"

#include "math/vec.h"

#include <math.h>

static void limit(dr_try *attempt, double dt, const char *by)
{
    if (dt < attempt->dt) {
        attempt->dt = dt;
        attempt->limited_by = by;
    }
}

// The step in which a particle of that speed and acceleration moves `cells` cells. (1)
static double courant_step(double reach, double speed, double acceleration)
{
    double root = sqrt(speed * speed + 2.0 * acceleration * reach);
    return speed + root > 0.0 ? 2.0 * reach / (speed + root) : INFINITY;
}

// What emitters will bring in the next moments must not cross more than other particles may.
static double fastest_emission(const dr_world *world)
{
    double fastest = 0.0, now = world->state.time, soon = now + world->constants.time.max_step;
    for (int i = 0; i < world->constants.emitter_count; i++) {
        const dr_emitter_spec *spec = &world->constants.emitters[i].spec;
        const dr_emitter_state *state = &world->state.emitters.item[i];
        bool spent = spec->volume_limit > 0.0 && state->emitted_volume >= spec->volume_limit;
        if (spent || state->off != 0.0 || dr_schedule_active(&spec->schedule, now, soon) <= 0.0) continue;
        fastest = fmax(fastest, dr_vec3_length(spec->velocity));
    }
    return fastest;
}

// Symplectic Euler is stable below 2 / sqrt(largest eigenvalue); kappa is the kernel's share of it. (2)
static double elastic_step(const dr_world *world)
{
    double kappa = world->constants.transfer.kernel == DR_KERNEL_CUBIC ? 3.0 : 4.0;
    double h = world->grid.cell;
    double eigenvalue = kappa * world->extremes.stiffness_over_density / (h * h);
    return eigenvalue > 0.0 ? world->constants.time.elastic_safety * 2.0 / sqrt(eigenvalue) : INFINITY;
}

// Motion along and across thin meshes, (6.1) of docs/theory/codim.md.
static double thin_step(const dr_world *world)
{
    double eigenvalue = world->cloth.eigenvalue;
    return eigenvalue > 0.0 ? world->constants.time.elastic_safety * 2.0 / sqrt(eigenvalue) : INFINITY;
}

static double tension_step(const dr_world *world)
{
    const dr_liquid_constants *liquid = &world->constants.liquid;
    if (!(liquid->surface_tension > 0.0)) return INFINITY;
    return DR_STEP_CAPILLARY * dr_tension_step_limit(liquid->density, liquid->surface_tension, world->grid.cell);
}

// A collider must not jump over what is in its way: where it is too fast within the step, the step ends before that or
// is as short as its speed asks for. (5)
static void limit_by_colliders(const dr_world *world, dr_try *attempt)
{
    double reach = world->constants.time.courant * world->grid.cell, now = world->state.time, dt = attempt->dt;
    double frame[3];
    dr_follow_velocity(world, dt, frame);
    for (int k = 0; k < DR_STEP_LOOKS; k++) {
        double speed = dr_collider_set_speed(world->constants.colliders, now + dt * k / DR_STEP_LOOKS,
                                             now + dt * (k + 1) / DR_STEP_LOOKS, frame);
        if (speed * dt <= reach) continue;
        limit(attempt, fmax(reach / speed, dt * k / DR_STEP_LOOKS), "collider");
        return;
    }
}

// The last two steps before an output time share what is left, so that no sliver of a step remains. (3)
static void meet(dr_try *attempt, double now, double to_time)
{
    double left = to_time - now;
    if (left <= attempt->dt * (1.0 + DR_TIME_ROUNDING)) {
        if (left < attempt->dt) attempt->limited_by = "frame";
        attempt->dt = left;
        attempt->end = to_time;
        return;
    }
    if (left < 2.0 * attempt->dt) {
        attempt->dt = 0.5 * left;
        attempt->limited_by = "frame";
    }
    attempt->end = now + attempt->dt;
}

// Liquid with nothing that stands still around it moves the same in every frame: the one in the middle of its
// velocities, which falls with gravity. (7)
static bool flies_free(const dr_world *world)
{
    const dr_constants *constants = &world->constants;
    return world->survey.any && !world->cut.has_solids && world->state.particles.count == 0 &&
           world->state.strands.count == 0 && !constants->has_thin && constants->emitter_count == 0 &&
           constants->drain_count == 0 && world->uneven[DR_SET_LIQUID] == 0.0;
}

// Over the grid, which may move.
static double liquid_speed(const dr_world *world, double dt)
{
    const dr_spray_survey *survey = &world->survey;
    double frame[3], most[3] = {0};
    if (world->constants.follow.collider < 0) return (double)survey->speed;
    dr_follow_velocity(world, dt, frame);
    for (int a = 0; a < 3 && survey->any; a++)
        most[a] = fmax(fabs((double)survey->low[a] - frame[a]), fabs((double)survey->high[a] - frame[a]));
    return dr_vec3_length(most);
}

double dr_timestep_liquid_speed(const dr_world *world, const dr_try *attempt)
{
    const dr_spray_survey *survey = &world->survey;
    double most[3] = {0};
    for (int a = 0; a < 3 && survey->any; a++)
        most[a] =
            fmax(fabs((double)survey->low[a] - attempt->frame[a]), fabs((double)survey->high[a] - attempt->frame[a]));
    return dr_vec3_length(most);
}

// Nothing but solids that stand is in the liquid's way.
static bool is_alone(const dr_world *world)
{
    static const double still[3] = {0};
    const dr_constants *constants = &world->constants;
    double now = world->state.time;
    return world->state.particles.count == 0 && world->state.strands.count == 0 && !constants->has_thin &&
           constants->follow.collider < 0 &&
           !(dr_collider_set_speed(constants->colliders, now, now + constants->time.max_step, still) > 0.0);
}

// Liquid may cross more cells where all around moves along with it. (10)-(14)
static double relative_step(dr_world *world, dr_try *attempt, double speed, double acceleration)
{
    double cell = world->grid.cell, reach = world->constants.time.courant * cell;
    double step = courant_step(reach, speed, acceleration);
    if (!is_alone(world)) return step;
    double longest = fmin(courant_step(DR_STEP_ALONG * reach, speed, acceleration), world->constants.time.max_step);
    if (world->survey.relative > 0.0F) longest = fmin(longest, cell / (double)world->survey.relative);
    if (longest > step) longest = dr_approach_step(world, longest);
    attempt->along = longest > step;
    return fmax(longest, step);
}

// (1), (7)
static void limit_by_courant(dr_world *world, dr_try *attempt)
{
    const dr_spray_survey *survey = &world->survey;
    double reach = world->constants.time.courant * world->grid.cell, half[3];
    if (flies_free(world)) {
        for (int a = 0; a < 3; a++) {
            attempt->frame[a] = 0.5 * (double)(survey->low[a] + survey->high[a]);
            half[a] = 0.5 * (double)(survey->high[a] - survey->low[a]);
        }
        limit(attempt, relative_step(world, attempt, dr_vec3_length(half), 0.0), "courant");
        return;
    }
    double speed = fmax(world->extremes.speed, fastest_emission(world));
    double acceleration = fmax(world->acceleration[DR_SET_NODES], world->acceleration[DR_SET_LIQUID]);
    if (speed > 0.0) limit(attempt, courant_step(reach, speed, acceleration), "courant");
    limit(attempt, relative_step(world, attempt, liquid_speed(world, attempt->dt), acceleration), "courant");
}

// Cloth and yarn: explicit steps end at the stability limit; implicit ones may be longer. Whichever of them it is.
static void limit_by_thin(dr_world *world, dr_try *attempt)
{
    const dr_time_spec *time = &world->constants.time;
    double cells = fmin(DR_STEP_THIN, time->courant), thin = world->extremes.thin_speed, stable = thin_step(world);
    limit(attempt, courant_step(cells * world->grid.cell, thin, world->acceleration[DR_SET_NODES]), "cloth");
    world->cloth.solve.on = dr_cloth_implicit_choose(world, attempt->dt, stable);
    double longest = fmin(time->implicit_reach * stable, dr_cloth_implicit_longest(world));
    limit(attempt, world->cloth.solve.on ? longest : stable, "cloth");
}

dr_try dr_timestep_choose(dr_world *world, double to_time)
{
    const dr_time_spec *time = &world->constants.time;
    dr_try attempt = {.dt = time->max_step, .limited_by = "max_step"};
    if (time->fixed_step > 0.0) {
        attempt.dt = time->fixed_step;
        attempt.limited_by = "fixed_step";
        world->cloth.solve.on =
            world->constants.has_thin && dr_cloth_implicit_choose(world, attempt.dt, thin_step(world));
    } else {
        limit_by_courant(world, &attempt);
        limit(&attempt, elastic_step(world), "elastic");
        limit_by_colliders(world, &attempt);
        limit(&attempt, tension_step(world), "tension");
        limit(&attempt, dr_film_stage_step(world), "film");
        if (world->state.step_limit > 0.0) limit(&attempt, world->state.step_limit, "strands");
        if (world->constants.has_thin) limit_by_thin(world, &attempt);
        if (attempt.dt < time->min_step) {
            attempt.dt = time->min_step;
            attempt.limited_by = "min_step";
        }
    }
    meet(&attempt, world->state.time, to_time);
    return attempt;
}

// What strands could not do is not tried again at once: from the step that was taken in its place the size grows, up to
// nearly what failed quickly, from there on slowly. (6)
void dr_timestep_remember(dr_world *world, const dr_try *taken, double failed)
{
    double *limit = &world->state.step_limit, *fails = &world->state.step_failed;
    if (failed > 0.0) {
        *limit = taken->dt;
        *fails = failed;
    } else if (*limit > 0.0 && *limit < DR_STEP_NEARLY * *fails) {
        *limit = fmin(DR_STEP_QUICK * *limit, DR_STEP_NEARLY * *fails);
    } else {
        *limit *= *limit < *fails ? DR_STEP_SLOW : DR_STEP_QUICK;
    }
    if (taken->forced || *limit > DR_STEP_FORGET * *fails) *limit = *fails = 0.0;
}

bool dr_timestep_shorten(const dr_world *world, dr_try *attempt, int rejected)
{
    const dr_time_spec *time = &world->constants.time;
    double dt = 0.5 * attempt->dt;
    if (rejected > time->retries || dt < 0.25 * time->min_step) return false;
    dr_try shorter = {.dt = dt,
                      .end = world->state.time + dt,
                      .along = attempt->along,
                      .limited_by = "retry",
                      .reason = attempt->reason};
    dr_vec3_copy(shorter.frame, attempt->frame);
    *attempt = shorter;
    return true;
}
