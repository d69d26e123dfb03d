// The shear solve of thick liquids. docs/theory/rheology.md, eq. (19)-(22).
#include "liquid/rheology_stage.h"

#include "liquid/tuning.h"
#include "liquid/extrapolate.h"
#include "liquid/rheology_gradient.h"

#include <math.h>
#include <string.h>

bool dr_liquid_is_viscous(const dr_liquid *liquid)
{
    return liquid->constants.viscosity > 0.0 || liquid->constants.stiffness > 0.0;
}

double dr_liquid_thickest(const dr_liquid *liquid, double dt)
{
    return fmax(liquid->constants.viscosity, dt * liquid->constants.stiffness);
}

// ---- passes over faces

typedef struct pass {
    dr_liquid *liquid;
    float sign;
    const float *iterate;
} pass;

static void thrust_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = job->liquid;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++)
        liquid->velocity[i] += job->sign * liquid->rheology.thrust[i];
}

static void add_thrust(dr_liquid *liquid, float sign)
{
    pass job = {liquid, sign, NULL};
    dr_par_for(liquid->par, liquid->grid->block_count, 32, thrust_blocks, &job);
}

bool dr_liquid_thrust(dr_liquid *liquid, const dr_liquid_step *step)
{
    dr_thick_matter matter = dr_liquid_matter(liquid);
    dr_liquid_hold(liquid, step);
    dr_strain_problem problem = dr_liquid_pose_viscosity(liquid, step);
    if (!dr_thick_push(&liquid->rheology, &matter, &problem, &liquid->viscosity)) return false;
    size_t bytes = liquid->grid->block_count * DR_BLOCK_FACES * sizeof(float);
    add_thrust(liquid, 1.0F);
    memcpy(liquid->rheology.base, liquid->predicted, bytes);
    memcpy(liquid->predicted, liquid->velocity, bytes);
    return true;
}

void dr_liquid_end_thrust(dr_liquid *liquid)
{
    memcpy(liquid->predicted, liquid->rheology.base, liquid->grid->block_count * DR_BLOCK_FACES * sizeof(float));
}

// ---- the solve

void dr_liquid_read_gradient(dr_liquid *liquid, double dt)
{
    dr_thick_matter matter = dr_liquid_matter(liquid);
    dr_liquid_step step = {.dt = dt};
    dr_liquid_hold(liquid, &step); // what the velocity beyond the surface needed has overwritten it
    dr_strain_problem problem = dr_liquid_pose_viscosity(liquid, &step);
    dr_thick_gradient(&liquid->rheology, &matter, &problem, liquid->velocity);
}

// The gradient of an iterate: beyond the liquid it is continued, and then put back.
static void find_slopes(dr_liquid *liquid, const dr_liquid_step *step, float *kept)
{
    size_t bytes = liquid->grid->block_count * DR_BLOCK_FACES * sizeof(float);
    memcpy(kept, liquid->velocity, bytes);
    dr_liquid_carry_changes(liquid, step);
    dr_strain_problem problem = dr_liquid_pose_viscosity(liquid, step);
    dr_rheology_gradient(liquid->grid, liquid->par, &problem, liquid->velocity, liquid->rheology.slope,
                         liquid->rheology.open);
    memcpy(liquid->velocity, kept, bytes);
}

// velocity = base - iterate, or velocity + iterate
static void difference_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = job->liquid;
    const float *base = job->sign < 0.0F ? liquid->rheology.base : liquid->velocity;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++)
        liquid->velocity[i] = base[i] + job->sign * job->iterate[i];
}

static void differ(dr_liquid *liquid, const float *iterate, float sign)
{
    pass job = {liquid, sign, iterate};
    dr_par_for(liquid->par, liquid->grid->block_count, 32, difference_blocks, &job);
}

// One step of Newton's method from an iterate, whose stress is that of the particles: eq. (21). Walls are where the
// iterate has them, so they do not count. What does not change was measured for the thrust.
static bool solve_once(dr_liquid *liquid, dr_liquid_step *step, const float *iterate)
{
    dr_thick *thick = &liquid->rheology;
    const dr_strain_problem problem = {
        .viscosity = thick->thickness, .edge_viscosity = thick->eta, .stress = thick->stress};
    differ(liquid, iterate, -1.0F);
    if (!dr_liquid_solve_shear(liquid, step, &problem)) return false;
    differ(liquid, iterate, 1.0F);
    return true;
}

static void know_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const pass *)user)->liquid;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        const float *mass = liquid->mass + 4 * i;
        liquid->known[i] =
            (uint8_t)((unsigned)(mass[0] > 0.0F) | (unsigned)(mass[1] > 0.0F) << 1 | (unsigned)(mass[2] > 0.0F) << 2);
    }
}

// The velocity of the step's beginning, continued to where particles have left none.
static void begin_iterate(dr_liquid *liquid, dr_liquid_step *step, float *iterate)
{
    size_t blocks = liquid->grid->block_count;
    pass job = {liquid, 0.0F, NULL};
    memcpy(iterate, liquid->old, blocks * DR_BLOCK_FACES * sizeof(float));
    dr_par_for(liquid->par, blocks, 32, know_blocks, &job);
    const dr_extrapolate how = {.open_layers = 2, .spare = liquid->spare, .wet = liquid->wet};
    dr_extrapolate_faces(&how, liquid->grid, liquid->par, iterate, liquid->known);
    dr_strain_problem problem = dr_liquid_pose_viscosity(liquid, step);
    dr_rheology_gradient(liquid->grid, liquid->par, &problem, iterate, liquid->rheology.slope, liquid->rheology.open);
}

bool dr_liquid_shear(dr_liquid *liquid, dr_liquid_step *step)
{
    dr_thick *thick = &liquid->rheology;
    dr_thick_matter matter = dr_liquid_matter(liquid);
    float *iterate = liquid->shift; // nobody reads shift before the pressure
    int iterations = 0;
    begin_iterate(liquid, step, iterate);
    add_thrust(liquid, -1.0F);
    memcpy(thick->base, liquid->velocity, liquid->grid->block_count * DR_BLOCK_FACES * sizeof(float));
    dr_thick_stress(thick, &matter, liquid->surface.distance,
                    liquid->constants.has_solids ? liquid->solids.corner : NULL, step->dt, false);
    for (thick->iterations = 1;; thick->iterations++) {
        if (!solve_once(liquid, step, iterate)) return false;
        iterations += liquid->viscosity_report.iterations;
        if (step->rejected) return true;
        find_slopes(liquid, step, iterate);
        thick->residual = dr_thick_stress(thick, &matter, liquid->surface.distance,
                                          liquid->constants.has_solids ? liquid->solids.corner : NULL, step->dt, false);
        if (thick->residual <= DR_RHEOLOGY_TOLERANCE || thick->iterations == DR_RHEOLOGY_ITERATIONS) break;
    }
    liquid->viscosity_report.iterations = iterations;
    bool converged = thick->residual <= DR_RHEOLOGY_TOLERANCE;
    liquid->stress_report = (dr_solve_report){"stress", converged ? DR_REASON_CONVERGED : DR_REASON_ITERATIONS,
                                              thick->iterations, thick->residual};
    if (!(thick->residual <= DR_SOLVE_WORST)) step->rejected = "the stress of a thick liquid did not converge";
    return true;
}

void dr_liquid_strain(void *user, size_t first, size_t count, const float (*gradient)[9])
{
    const dr_liquid_moving *moving = user;
    dr_thick_matter matter = dr_liquid_matter(moving->liquid);
    dr_thick_update(&moving->liquid->rheology, &matter, moving->dt, first, count, gradient);
}
