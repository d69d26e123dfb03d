// The liquid's pressure: the projection, and pressure added for others. docs/theory/pressure.md.
#include "liquid/liquid_pass.h"

#include "grid/halo.h"
#include "liquid/advection_divergence.h"
#include "liquid/tuning.h"
#include "liquid/rheology_stage.h"
#include "math/scalar.h"

#include <string.h>

static void mobility_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    dr_liquid *liquid = job->liquid;
    float mobility = (float)(job->step->dt / job->liquid->constants.density), dt = (float)job->step->dt;
    bool differ = job->liquid->constants.differ;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++) {
        bool own = differ && i % 4 != 3 && liquid->mass[i] > 0.0F;
        liquid->mobility[i] = own ? dt * liquid->volume[i] / liquid->mass[i] : mobility;
    }
}

static void correct_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    dr_liquid *liquid = job->liquid;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++) {
        liquid->velocity[i] -= liquid->mobility[i] * liquid->gradient[i];
    }
}

static void release_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++)
        liquid->velocity[i] += liquid->mobility[i] * liquid->gradient[i];
}

// The pressure just inside the surface, where tension pulls on it.
static bool pull_surface(dr_liquid *liquid, const dr_liquid_step *step)
{
    if (!(liquid->constants.surface_tension > 0.0)) {
        size_t blocks = liquid->grid->block_count;
        if (blocks) memset(liquid->ghost, 0, blocks * DR_BLOCK_FACES * sizeof(float));
        return true;
    }
    dr_tension_problem problem = {.level = liquid->surface.distance,
                                  .tension = liquid->constants.differ ? liquid->pull : NULL,
                                  .uniform_tension = liquid->constants.surface_tension,
                                  .density = liquid->constants.density,
                                  .dt = step->dt};
    return dr_tension_find(&liquid->tension, liquid->grid, liquid->par, &problem, liquid->ghost,
                           &liquid->tension_report);
}

static dr_pressure_problem pose_pressure(const dr_liquid *liquid, const float *source)
{
    const dr_liquid_mixture *mixture = &liquid->mixture;
    bool has_solids = liquid->constants.has_solids;
    const float *boundary = has_solids ? liquid->solids.velocity : NULL;
    return (dr_pressure_problem){.grid = liquid->grid,
                                 .kind = liquid->has_inflow ? liquid->shut : liquid->kind,
                                 .flux = mixture->flux ? mixture->flux : liquid->velocity,
                                 .mobility = mixture->flux ? mixture->mobility : liquid->mobility,
                                 .open = has_solids ? liquid->solids.open_area : NULL,
                                 .solid_velocity = liquid->has_inflow ? liquid->inlet : boundary,
                                 .theta = liquid->theta,
                                 .ghost_pressure = liquid->ghost,
                                 .inverse_stiffness =
                                     liquid->constants.compressible ? liquid->rheology.compliance : NULL,
                                 .old_pressure = liquid->constants.compressible ? liquid->rheology.old_pressure : NULL,
                                 .source = source,
                                 .guess = liquid->guess};
}

// early: before viscosity, where what it does to a mixture's liquid is taken back later.
static bool solve_pressure(dr_liquid *liquid, dr_liquid_step *step, const dr_pressure_problem *problem, bool early)
{
    if (!dr_pressure_solve(&liquid->solver, liquid->par, problem, &dr_pressure_defaults, liquid->pressure,
                           liquid->gradient, &liquid->pressure_report))
        return false;
    if (liquid->pressure_report.reason == DR_REASON_CONVERGED) {
        if (early || !liquid->mixture.flux) dr_liquid_visit_wet(liquid, step, correct_blocks);
        dr_liquid_let_in(liquid);
    } else {
        step->rejected = "the pressure did not converge";
    }
    return true;
}

// Where solids hold liquid, viscosity must not see forces that the pressure takes back: they are taken back before it.
// docs/theory/viscosity.md, "Rest".
bool dr_liquid_press(dr_liquid *liquid, dr_liquid_step *step)
{
    const dr_liquid_constants *constants = &liquid->constants;
    bool needed = constants->thick || (constants->solids_hold && constants->viscosity > 0.0);
    liquid->pressed = needed && liquid->grid->block_count > 0 && !liquid->mixture.solid;
    if (!pull_surface(liquid, step)) return false;
    dr_liquid_visit_wet(liquid, step, mobility_blocks);
    dr_warm_start_place(liquid->last, liquid->grid, liquid->guess);
    if (liquid->grid->block_count > 0 && constants->thick && !dr_liquid_thrust(liquid, step)) return false;
    if (liquid->pressed) {
        dr_pressure_problem problem = pose_pressure(liquid, NULL);
        if (!solve_pressure(liquid, step, &problem, true)) return false;
        if (!step->rejected) dr_liquid_carry_changes(liquid, step);
    }
    if (liquid->grid->block_count > 0 && constants->thick) dr_liquid_end_thrust(liquid);
    return true;
}

static void harden_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++)
        liquid->source[i] *= 1.0F - liquid->rheology.soft[i];
}

static void find_source(dr_liquid *liquid, const dr_liquid_step *step)
{
    const dr_liquid_mixture *mixture = &liquid->mixture;
    if (liquid->grid->block_count)
        memset(liquid->source, 0, liquid->grid->block_count * DR_BLOCK_NODES * sizeof *liquid->source);
    const float *flux = mixture->flux ? mixture->flux : liquid->velocity;
    dr_advection_divergence(liquid->grid, liquid->par, flux, liquid->kind, step->dt, (double)DR_LIQUID_MOST_STRIDE,
                            liquid->source);
    if (liquid->constants.compressible) dr_liquid_visit(liquid, step, harden_blocks);
}

// The pressure of before viscosity is given back, and is the guess for the whole of it.
static void release_pressure(dr_liquid *liquid, const dr_liquid_step *step)
{
    dr_liquid_visit_wet(liquid, step, release_blocks);
    memcpy(liquid->guess, liquid->pressure, liquid->grid->block_count * DR_BLOCK_NODES * sizeof(float));
}

void dr_liquid_release(dr_liquid *liquid, const dr_liquid_step *step)
{
    if (liquid->pressed) release_pressure(liquid, step);
    liquid->pressed = false;
}

bool dr_liquid_pressure(dr_liquid *liquid, dr_liquid_step *step)
{
    find_source(liquid, step);
    dr_liquid_release(liquid, step);
    dr_pressure_problem problem = pose_pressure(liquid, liquid->source);
    if (!solve_pressure(liquid, step, &problem, false)) return false;
    if (!step->rejected) dr_liquid_even_out(liquid, step, problem);
    return true;
}

typedef struct again {
    dr_liquid *liquid;
    const float *flux, *risen;
} again;

static float through(const again *job, size_t face)
{
    const float *open = job->liquid->constants.has_solids ? job->liquid->solids.open_area : NULL;
    return open ? open[face] * job->flux[face] : job->flux[face];
}

// What a flux leaves in cells, less what compressible liquid gave way to pressures that were added, per second.
static void converge_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const again *job = user;
    const dr_grid *grid = job->liquid->grid;
    const float *soft = job->liquid->constants.compressible && job->risen ? job->liquid->rheology.compliance : NULL;
    float rate = (float)(1.0 / grid->cell);
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) {
        int item = (int)(c % DR_BLOCK_NODES);
        float sum = 0.0F;
        for (int a = 0; a < 3; a++) {
            int at[3] = {item >> 4, item >> 2 & 3, item & 3};
            at[a]++;
            int64_t above = dr_halo_find(grid, c / DR_BLOCK_NODES, at[0], at[1], at[2]);
            sum += through(job, 4 * c + (size_t)a);
            if (above >= 0) sum -= through(job, 4 * (size_t)above + (size_t)a);
        }
        job->liquid->source[c] = rate * sum - (soft ? soft[c] * job->risen[c] : 0.0F);
    }
}

void dr_liquid_press_again(dr_liquid *liquid, const float *flux, const float *risen)
{
    const dr_pressure_options options = {DR_SOLVE_ROUGH, DR_SOLVE_CYCLES, DR_SOLVE_CYCLES};
    again job = {liquid, flux, risen};
    dr_pressure_problem problem = pose_pressure(liquid, liquid->source);
    dr_solve_report report;
    problem.ghost_pressure = problem.guess = NULL;
    dr_par_for(liquid->par, liquid->grid->block_count, 32, converge_blocks, &job);
    dr_pressure_solve_source(&liquid->solver, liquid->par, &problem, &options, liquid->guess, liquid->result, &report);
}

typedef struct adding {
    dr_liquid *liquid;
    const float *pressure, *gradient;
    float factor;
} adding;

// On dry blocks there is no pressure, and nobody knows mobilities.
static void add_pressure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const adding *job = user;
    dr_liquid *liquid = job->liquid;
    for (size_t b = begin; b < end; b++) {
        if (!liquid->wet[b]) continue;
        for (size_t i = b * DR_BLOCK_FACES; i < (b + 1) * DR_BLOCK_FACES; i++) {
            liquid->gradient[i] += job->factor * job->gradient[i];
            liquid->velocity[i] -= job->factor * liquid->mobility[i] * job->gradient[i];
        }
        for (size_t i = b * DR_BLOCK_NODES; i < (b + 1) * DR_BLOCK_NODES; i++)
            liquid->pressure[i] += job->factor * job->pressure[i];
    }
}

void dr_liquid_add_pressure(dr_liquid *liquid, const dr_liquid_step *step, const float *pressure, const float *gradient,
                            double factor)
{
    adding job = {liquid, pressure, gradient, (float)factor};
    dr_par_for(liquid->par, liquid->grid->block_count, 32, add_pressure_blocks, &job);
    dr_liquid_carry_changes(liquid, step);
}
