// The liquid's part of the step: APIC on a staggered grid, implicit viscosity, one pressure projection.
// docs/theory/liquid.md.
#include "liquid/liquid_pass.h"

#include "base/columns.h"
#include "grid/halo.h"
#include "liquid/tuning.h"
#include "liquid/extrapolate.h"
#include "liquid/friction.h"
#include "liquid/rheology_stage.h"
#include "liquid/extrapolate_solenoidal.h"
#include "liquid/solid.h"
#include "math/scalar.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define CELLS(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_liquid, name), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""                                      \
    }
#define FACES(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_liquid, name), DR_TYPE_FLOAT32, DR_BLOCK_FACES, "", ""                                      \
    }
#define BYTES(name, count)                                                                                             \
    {                                                                                                                  \
#name, offsetof(dr_liquid, name), DR_TYPE_UINT8, count, "", ""                                                 \
    }

static const dr_column block_columns[] = {
    FACES(mass),
    FACES(velocity),
    FACES(old),
    FACES(predicted),
    FACES(result),
    FACES(mobility),
    FACES(theta),
    FACES(ghost),
    FACES(gradient),
    CELLS(pressure),
    CELLS(guess),
    CELLS(source),
    CELLS(share),
    FACES(volume),
    FACES(thick),
    CELLS(density),
    CELLS(thickness),
    CELLS(pull),
    FACES(moments),
    FACES(shift),
    FACES(no_slip),
    FACES(push),
    FACES(inlet),
    BYTES(kind, DR_BLOCK_NODES),
    BYTES(known, DR_BLOCK_NODES),
    BYTES(spare, DR_BLOCK_NODES),
    BYTES(inflow, DR_BLOCK_NODES),
    BYTES(shut, DR_BLOCK_NODES),
    BYTES(wet, 1),
    {"partial", offsetof(dr_liquid, partial), DR_TYPE_FLOAT64, 1, "", ""},
    {"kept.key", offsetof(dr_liquid, kept.key), DR_TYPE_UINT64, 1, "", ""},
    {"kept.mark", offsetof(dr_liquid, kept.mark), DR_TYPE_UINT64, 1, "", ""},
};
static const dr_column_table block_table = {block_columns, (int)(sizeof block_columns / sizeof *block_columns)};

// ---- life

bool dr_liquid_open(dr_liquid *liquid, const dr_liquid_context *context, const dr_liquid_constants *constants)
{
    const dr_allocator *allocator = context->allocator;
    *liquid = (dr_liquid){.allocator = allocator,
                          .par = context->par,
                          .grid = context->grid,
                          .particles = context->particles,
                          .last = context->last,
                          .transfer = context->transfer,
                          .constants = *constants,
                          .spacing = 1.0 / cbrt((double)constants->per_cell)};
    liquid->transfer.kernel = DR_KERNEL_QUADRATIC;
    dr_level_set_open(&liquid->surface, allocator, liquid->spacing);
    dr_level_set_open(&liquid->joint, allocator, liquid->spacing);
    dr_bubbles_open(&liquid->bubbles, allocator);
    dr_resample_open(&liquid->resample, allocator);
    dr_viscosity_open(&liquid->viscosity, allocator);
    dr_thick_open(&liquid->rheology, allocator);
    dr_tension_open(&liquid->tension, allocator);
    dr_balance_open(&liquid->balance, allocator);
    return dr_pressure_open(&liquid->solver, allocator);
}

void dr_liquid_close(dr_liquid *liquid)
{
    dr_liquid_shown_free(liquid);
    dr_columns_free(&block_table, liquid, liquid->allocator, &liquid->capacity);
    dr_memory_free(liquid->allocator, liquid->weight, liquid->weight_capacity * sizeof *liquid->weight);
    dr_liquid_deconvolve_free(liquid);
    dr_level_set_close(&liquid->surface);
    dr_level_set_close(&liquid->joint);
    dr_bubbles_close(&liquid->bubbles);
    dr_resample_close(&liquid->resample);
    dr_viscosity_close(&liquid->viscosity);
    dr_thick_close(&liquid->rheology);
    dr_tension_close(&liquid->tension);
    dr_balance_close(&liquid->balance);
    dr_pressure_close(&liquid->solver);
}

size_t dr_liquid_block_bytes(void)
{
    return dr_columns_row_bytes(&block_table);
}

bool dr_liquid_reserve(dr_liquid *liquid)
{
    if (liquid->constants.thick && !dr_thick_reserve(&liquid->rheology, liquid->grid, liquid->particles->count))
        return false;
    return dr_liquid_blend_reserve(liquid) && dr_liquid_deconvolve_reserve(liquid) &&
           dr_warm_start_reserve(liquid->last, liquid->allocator, liquid->grid->block_count) &&
           dr_columns_reserve(&block_table, liquid, liquid->allocator, &liquid->capacity, liquid->grid->block_count);
}

// ---- blocks that liquid is in or beside, or solids are near

static void look_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    for (size_t b = begin; b < end; b++) {
        const uint8_t *kind = job->liquid->kind + b * DR_BLOCK_NODES;
        uint8_t any = 0;
        for (int c = 0; c < DR_BLOCK_NODES; c++) any |= kind[c] == DR_CELL_LIQUID;
        job->liquid->spare[b] = any;
    }
}

// Nobody reads spare yet.
static void wet_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    for (size_t b = begin; b < end; b++) {
        const int32_t *neighbour = job->liquid->grid->neighbour + 27 * b;
        uint8_t any = job->liquid->constants.has_solids && job->liquid->solids.near[b];
        for (int n = 0; n < 27; n++) any |= neighbour[n] >= 0 && job->liquid->spare[neighbour[n]];
        job->liquid->wet[b] = any;
    }
}

// What moves places, and nothing writes on dry blocks.
static void dry_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    for (size_t b = begin; b < end; b++) {
        if (liquid->wet[b]) continue;
        memset(liquid->shift + b * DR_BLOCK_FACES, 0, DR_BLOCK_FACES * sizeof(float));
    }
}

static void find_wet(dr_liquid *liquid)
{
    dr_liquid_visit(liquid, NULL, look_blocks);
    dr_liquid_visit(liquid, NULL, wet_blocks);
    dr_liquid_visit(liquid, NULL, dry_blocks);
}

// ---- gather

static double least_mass(const dr_liquid *liquid)
{
    double cell = liquid->grid->cell;
    return DR_LIQUID_LEAST_MASS * liquid->constants.density * cell * cell * cell;
}

static void divide_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    dr_liquid *liquid = job->liquid;
    float least = (float)least_mass(job->liquid);
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        uint8_t known = 0;
        for (int a = 0; a < 3; a++) {
            float mass = liquid->mass[4 * i + (size_t)a];
            float *velocity = &liquid->velocity[4 * i + (size_t)a];
            *velocity = mass > least ? *velocity / mass : 0.0F;
            if (mass > least) known |= (uint8_t)(1U << a);
        }
        liquid->known[i] = known;
    }
    if (liquid->transfer.scheme != DR_SCHEME_FLIP && !liquid->constants.thick) return;
    size_t bytes = (end - begin) * DR_BLOCK_FACES * sizeof(float);
    memcpy(liquid->old + begin * DR_BLOCK_FACES, liquid->velocity + begin * DR_BLOCK_FACES, bytes);
}

void dr_liquid_gather(dr_liquid *liquid, double dt)
{
    dr_thick_matter matter = dr_liquid_matter(liquid);
    if (liquid->constants.thick) dr_thick_measure(&liquid->rheology, &matter, dt);
    dr_transfer_to_faces(&liquid->transfer, liquid->grid, liquid->par, liquid->particles, liquid->mass,
                         liquid->velocity);
    dr_liquid_blend(liquid);
    dr_liquid_visit(liquid, NULL, divide_blocks);
    if (dr_liquid_deconvolves(liquid)) dr_liquid_deconvolve(liquid, dt);
}

// ---- predict

static const double face_shift[3][3] = {{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};

static void push_face(const dr_liquid_pass *job, size_t block, int item, int axis, float *velocity)
{
    const dr_liquid_step *step = job->step;
    *velocity += (float)(step->dt * job->liquid->constants.gravity[axis]);
    if (!step->force) return;
    double x[3], v[3] = {0};
    dr_grid_point(job->liquid->grid, block, item, face_shift[axis], x);
    v[axis] = (double)*velocity;
    step->force(step->user, x, v);
    *velocity = (float)v[axis];
}

static void predict_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    dr_liquid *liquid = job->liquid;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)n;
            for (int a = 0; a < 3; a++) {
                if (liquid->known[i] >> a & 1) push_face(job, b, n, a, &liquid->velocity[4 * i + (size_t)a]);
            }
        }
    }
}

void dr_liquid_predict(dr_liquid *liquid, const dr_liquid_step *step)
{
    if (liquid->grid->block_count == 0) return;
    dr_liquid_visit(liquid, step, predict_blocks);
    memcpy(liquid->predicted, liquid->velocity, liquid->grid->block_count * DR_BLOCK_FACES * sizeof(float));
    liquid->carried = false;
}

// ---- surface

// What is left to the liquid of the space that solids leave open. docs/theory/strands_in_liquid.md, eq. (1).
static void share_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    float cell = (float)liquid->grid->cell, per_cell = 1.0F / (cell * cell * cell), most = (float)liquid->mixture.most;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        float open = liquid->constants.has_solids ? liquid->moments[4 * i] : 1.0F;
        float taken = per_cell * liquid->mixture.fibres[4 * i + 3];
        liquid->share[i] = taken > most * open ? 1.0F - most : 1.0F - taken / open;
    }
}

static bool build_surfaces(dr_liquid *liquid, const dr_level_set_solids *around)
{
    const float *solid = liquid->mixture.solid, *share = liquid->mixture.fibres ? liquid->share : NULL;
    dr_particles particles = *liquid->particles;
    particles.volume = dr_liquid_volume(liquid);
    if (share) dr_liquid_visit(liquid, NULL, share_blocks);
    liquid->surface.share = liquid->joint.share = share;
    return dr_level_set_build(&liquid->surface, liquid->grid, liquid->par, &particles, around) &&
           (!solid || dr_level_set_join(&liquid->joint, &liquid->surface, liquid->grid, liquid->par, around, solid));
}

bool dr_liquid_surface(dr_liquid *liquid)
{
    const dr_liquid_solids *solids = liquid->constants.has_solids ? &liquid->solids : NULL;
    if (solids) {
        const dr_kernel_solids around = {.corner = solids->corner,
                                         .open_volume = solids->open_before,
                                         .near = solids->near,
                                         .spacing = liquid->spacing,
                                         .stands = solids->stands,
                                         .rounds = solids->rounds};
        dr_kernel_moments(&around, liquid->grid, liquid->par, &liquid->kept, liquid->moments);
    }
    dr_level_set_solids around = {liquid->moments, liquid->solids.open_volume};
    if (!build_surfaces(liquid, solids ? &around : NULL)) return false;
    dr_level_set_mark(dr_liquid_outline(liquid), liquid->grid, liquid->par, solids ? solids->open_volume : NULL,
                      liquid->kind);
    dr_level_set_cut(dr_liquid_outline(liquid), liquid->grid, liquid->par, liquid->kind, liquid->theta);
    liquid->occupied = dr_level_set_volume(&liquid->surface, liquid->grid, liquid->par, liquid->particles,
                                           solids ? solids->open_before : NULL, liquid->partial);
    liquid->shown.kept = false;
    find_wet(liquid);
    return dr_bubbles_find(&liquid->bubbles, liquid->grid, liquid->par, liquid->kind, solids ? solids->open_area : NULL,
                           solids ? solids->open_volume : NULL);
}

// ---- beyond the liquid

static void subtract_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++) liquid->velocity[i] -= liquid->predicted[i];
}

static void add_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++) {
        bool reached = liquid->known[i / 4] >> (i % 4) & 1;
        bool buried = !reached && liquid->constants.has_solids && !(liquid->solids.open_area[i] > 0.0F);
        float change = reached ? liquid->velocity[i] : 0.0F;
        liquid->velocity[i] = buried ? liquid->solids.velocity[i] : change + liquid->predicted[i];
    }
}

static const float *open_area(const dr_liquid *liquid)
{
    return liquid->constants.has_solids ? liquid->solids.open_area : NULL;
}

// A face one cell away along all three axes is three layers away; beside solids its way may lead through those that are
// cut. Particles in a corner of solids touch faces two cells away along every axis.
enum { OPEN_LAYERS = 3, CORNER_LAYERS = 6 };

// Carries the field of the liquid's own faces outwards, and another with it unless that is NULL; known tells where they
// have come to.
static void carry(dr_liquid *liquid, const float *open, float *field, float *with)
{
    const dr_extrapolate how = {.open_area = open,
                                .own_area = open ? liquid->solids.open_area : NULL,
                                .open_layers = open ? CORNER_LAYERS : OPEN_LAYERS,
                                .closed_layers = CORNER_LAYERS,
                                .beside = true,
                                .spare = liquid->spare,
                                .mass = liquid->mass,
                                .wet = liquid->wet,
                                .fresh = (uint8_t *)liquid->partial,
                                .with = with};
    dr_extrapolate_know(&how, liquid->grid, liquid->par, liquid->kind, liquid->known);
    dr_extrapolate_faces(&how, liquid->grid, liquid->par, field, liquid->known);
}

// Faces beyond the liquid that particles still touch keep their own velocity and take over what the solves changed at
// the liquid's faces nearby: a rotation is carried on, where the velocity itself carried outwards would slow it down.
// Deep in solids nothing changed, and gravity alone would be left: there the solid's velocity holds.
void dr_liquid_carry_changes(dr_liquid *liquid, const dr_liquid_step *step)
{
    dr_liquid_visit_wet(liquid, step, subtract_blocks);
    carry(liquid, open_area(liquid), liquid->velocity, NULL);
    dr_liquid_visit_wet(liquid, step, add_blocks);
}

// NULL: all of them stand.
static const float *moving_solids(const dr_liquid *liquid)
{
    return liquid->solids.still ? NULL : liquid->solids.velocity;
}

static void swap_with_result(dr_liquid *liquid, float **field)
{
    float *swap = *field;
    *field = liquid->result;
    liquid->result = swap;
}

// The velocity that solids lend to the faces they cover.
static void constrain(dr_liquid *liquid, const float *open, double dt, bool before_pressure)
{
    double cell = liquid->grid->cell, nu = dr_liquid_thickest(liquid, dt) / liquid->constants.density;
    dr_solid_slip slip = {.corner = liquid->solids.corner,
                          .open_area = open,
                          .solid_velocity = moving_solids(liquid),
                          .friction = liquid->solids.friction,
                          .mass = liquid->mass,
                          .wet = liquid->wet,
                          .diffusion = (float)(nu * dt / (cell * cell)),
                          .before_pressure = before_pressure};
    dr_solid_constrain(&slip, liquid->grid, liquid->par, liquid->velocity, liquid->result);
    swap_with_result(liquid, &liquid->velocity);
}

void dr_liquid_constrain(dr_liquid *liquid, double dt, bool before_pressure)
{
    constrain(liquid, open_area(liquid), dt, before_pressure);
}

// ---- viscosity

static bool is_thick_enough(const dr_solve_report *report, double rough)
{
    return report->reason == DR_REASON_CONVERGED ||
           (report->reason == DR_REASON_ITERATIONS && report->residual < rough);
}

// No solid holds or rubs the liquid.
static bool all_slips(const dr_liquid *liquid)
{
    const dr_liquid_constants *constants = &liquid->constants;
    return !constants->solids_hold && !constants->solids_rub && !constants->thick;
}

// Solids with any friction hold the liquid until that takes more than they can.
static void hold_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++)
        liquid->no_slip[i] = liquid->solids.rub[i] > 0.0F ? 1.0F : 0.0F;
}

void dr_liquid_hold(dr_liquid *liquid, const dr_liquid_step *step)
{
    if (liquid->constants.has_solids && !all_slips(liquid)) dr_liquid_visit_wet(liquid, step, hold_blocks);
}

dr_strain_problem dr_liquid_pose_viscosity(const dr_liquid *liquid, const dr_liquid_step *step)
{
    const dr_liquid_constants *constants = &liquid->constants;
    dr_strain_problem problem = {.dt = step->dt,
                                 .level = liquid->surface.distance,
                                 .uniform_viscosity = constants->viscosity,
                                 .uniform_density = constants->density};
    if (constants->differ) {
        problem.viscosity = liquid->thickness;
        problem.density = liquid->density;
    }
    if (constants->has_solids) {
        problem.solid = liquid->solids.corner;
        problem.solid_velocity = moving_solids(liquid);
        problem.slips = all_slips(liquid);
        problem.no_slip = problem.slips ? NULL : liquid->no_slip;
    }
    return problem;
}

bool dr_liquid_solve_shear(dr_liquid *liquid, dr_liquid_step *step, const dr_strain_problem *problem)
{
    const dr_krylov_goal goal = {.tolerance = DR_SOLVE_INNER, .limit = DR_SOLVE_ITERATIONS};
    if (!dr_viscosity_solve_measured(&liquid->viscosity, problem, &goal, liquid->velocity, &liquid->viscosity_report))
        return false;
    if (!is_thick_enough(&liquid->viscosity_report, DR_SOLVE_WORST)) step->rejected = "the viscosity did not converge";
    return true;
}

static bool solve_viscosity(dr_liquid *liquid, dr_liquid_step *step, const float *push, float *velocity)
{
    const dr_krylov_goal goal = {.tolerance = DR_VISCOSITY_TOLERANCE, .limit = DR_SOLVE_ITERATIONS};
    dr_strain_problem problem = dr_liquid_pose_viscosity(liquid, step);
    problem.push = push;
    problem.mass = liquid->mass;
    problem.hands_over = true;
    if (!dr_viscosity_solve(&liquid->viscosity, liquid->grid, liquid->par, &problem, &goal, velocity,
                            &liquid->viscosity_report))
        return false;
    if (!is_thick_enough(&liquid->viscosity_report, DR_SOLVE_ROUGH)) step->rejected = "the viscosity did not converge";
    return true;
}

// Walls with friction hold liquid at first; where that takes more than they can, they let go. Nobody reads spare.
static bool solve_friction(dr_liquid *liquid, dr_liquid_step *step)
{
    const dr_liquid_solids *solids = &liquid->solids;
    dr_friction friction = {.dt = step->dt,
                            .viscosity = liquid->constants.viscosity,
                            .velocity = liquid->result,
                            .solid = solids->corner,
                            .solid_velocity = solids->velocity,
                            .coefficient = solids->rub,
                            .pressure = liquid->pressure};
    dr_friction_slip slip = {liquid->no_slip, liquid->push, liquid->spare};
    memcpy(liquid->result, liquid->velocity, liquid->grid->block_count * DR_BLOCK_FACES * sizeof(float));
    if (!solve_viscosity(liquid, step, NULL, liquid->result)) return false;
    if (step->rejected || dr_friction_find(&friction, liquid->grid, liquid->par, &slip, liquid->partial) == 0.0) {
        swap_with_result(liquid, &liquid->velocity);
        return true;
    }
    return solve_viscosity(liquid, step, liquid->push, liquid->velocity);
}

bool dr_liquid_viscosity(dr_liquid *liquid, dr_liquid_step *step)
{
    const dr_liquid_constants *constants = &liquid->constants;
    liquid->viscous = dr_liquid_is_viscous(liquid);
    if (!liquid->viscous || liquid->grid->block_count == 0) return true;
    dr_liquid_hold(liquid, step);
    bool rub = constants->solids_rub && !constants->thick;
    bool ok = constants->thick ? dr_liquid_shear(liquid, step)
              : rub            ? solve_friction(liquid, step)
                               : solve_viscosity(liquid, step, NULL, liquid->velocity);
    if (ok && constants->solids_hold) dr_liquid_constrain(liquid, step->dt, true);
    return ok;
}

// ---- inside solids

// Nobody reads spare and guess any more in this try.
static void close_rim(dr_liquid *liquid, const dr_liquid_step *step)
{
    dr_solenoidal rim = {.kind = liquid->kind,
                         .open_area = liquid->constants.has_solids ? liquid->solids.open_area : NULL,
                         .solid_velocity = moving_solids(liquid),
                         .limit = (float)(DR_LIQUID_RIM * liquid->grid->cell / step->dt),
                         .flags = liquid->spare,
                         .share = liquid->guess,
                         .wet = liquid->wet};
    dr_extrapolate_solenoidal(&rim, liquid->grid, liquid->par, liquid->velocity);
}

// A face's velocity is that of the middle of its open part, and particles take it for that of its centre. Where solids
// cover more than half of it, its centre is in them: as of closed faces, more and more the closer it is to being one,
// its velocity is then what is continued from faces whose centre is in the liquid. docs/theory/solids.md, eq. (13).
static float own_share(float open)
{
    return dr_min_float(1.0F, open / DR_LIQUID_CENTRE_OPEN);
}

// Nobody reads no_slip any more in this try.
static void cover_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    const float *open = liquid->solids.open_area;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++)
        liquid->no_slip[i] = open[i] >= DR_LIQUID_CENTRE_OPEN ? open[i] : 0.0F;
}

static bool is_reached(const dr_liquid *liquid, size_t face)
{
    return liquid->known[face / 4] >> (face % 4) & 1;
}

// One of the liquid's own faces with its centre in a solid.
static bool is_cut(const dr_liquid *liquid, size_t face)
{
    float open = face % 4 < 3 ? liquid->solids.open_area[face] : 0.0F;
    if (!(open > 0.0F && open < DR_LIQUID_CENTRE_OPEN)) return false;
    size_t item = face / 4, block = item / DR_BLOCK_NODES;
    int x[3] = {(int)(item >> 4 & 3), (int)(item >> 2 & 3), (int)(item & 3)};
    x[face % 4]--;
    int64_t below = dr_halo_find(liquid->grid, block, x[0], x[1], x[2]);
    return liquid->kind[item] == DR_CELL_LIQUID || (below >= 0 && liquid->kind[below] == DR_CELL_LIQUID);
}

static void blend(const dr_liquid *liquid, size_t begin, size_t end, const float *before, float *field)
{
    const float *open = liquid->solids.open_area;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++) {
        if (!is_cut(liquid, i)) continue;
        float own = is_reached(liquid, i) ? own_share(open[i]) : 1.0F;
        field[i] = own * before[i] + (1.0F - own) * field[i];
    }
}

static void blend_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    blend(liquid, begin, end, liquid->ghost, liquid->velocity);
}

// The density projection's displacements, in the same way.
static void blend_shift(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    blend(liquid, begin, end, liquid->push, liquid->shift);
}

// Before they are carried. Nobody reads push and ghost any more in this try.
static void keep_own(dr_liquid *liquid)
{
    size_t bytes = liquid->grid->block_count * DR_BLOCK_FACES * sizeof(float);
    memcpy(liquid->push, liquid->shift, bytes);
    memcpy(liquid->ghost, liquid->velocity, bytes);
}

// What the solves changed and the density projection's displacements, together where both are asked for.
static void carry_both(dr_liquid *liquid, const dr_liquid_step *step, const float *open)
{
    if (liquid->carried) {
        carry(liquid, open, liquid->shift, NULL);
        return;
    }
    dr_liquid_visit_wet(liquid, step, subtract_blocks);
    carry(liquid, open, liquid->shift, liquid->velocity);
    dr_liquid_visit_wet(liquid, step, add_blocks);
}

static void constrain_shift(dr_liquid *liquid, const dr_liquid_step *step, const float *open)
{
    dr_solid_slip slip = {.corner = liquid->solids.corner, .open_area = open, .mass = liquid->mass, .wet = liquid->wet};
    dr_solid_constrain(&slip, liquid->grid, liquid->par, liquid->shift, liquid->result);
    swap_with_result(liquid, &liquid->shift);
    dr_liquid_visit_wet(liquid, step, blend_shift);
}

void dr_liquid_carry(dr_liquid *liquid, const dr_liquid_step *step)
{
    dr_liquid_carry_changes(liquid, step);
    liquid->carried = true;
}

void dr_liquid_extend(dr_liquid *liquid, const dr_liquid_step *step)
{
    const float *open = liquid->constants.has_solids ? liquid->no_slip : NULL;
    if (liquid->grid->block_count == 0) return;
    if (open) dr_liquid_visit_wet(liquid, step, cover_blocks);
    if (open) keep_own(liquid);
    carry_both(liquid, step, open);
    if (open) constrain_shift(liquid, step, open);
    dr_liquid_find_shift_potential(liquid, step);
    close_rim(liquid, step);
    dr_liquid_let_in(liquid);
    if (!open) return;
    constrain(liquid, open, step->dt, false);
    dr_liquid_visit_wet(liquid, step, blend_blocks);
}

// ---- the verdict

typedef struct judge_job {
    dr_liquid *liquid;
    float frame[4], least; // mass of a face that is more than spray
} judge_job;

// Of all faces with mass.
static bool are_finite(const float *velocity, const float *mass)
{
    bool finite = true;
    for (int i = 0; i < DR_BLOCK_FACES; i++)
        finite &= !(mass[i] > 0.0F) | (fabsf(velocity[i]) <= FLT_MAX) | (i % 4 == 3);
    return finite;
}

// Those of spray bound no step.
static void judge_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const judge_job *job = user;
    for (size_t b = begin; b < end; b++) {
        const float *velocity = job->liquid->velocity + b * DR_BLOCK_FACES;
        const float *mass = job->liquid->mass + b * DR_BLOCK_FACES;
        float largest = 0.0F;
        for (int i = 0; i < DR_BLOCK_FACES && job->liquid->wet[b]; i++) {
            float speed = fabsf(velocity[i] - job->frame[i % 4]);
            largest = i % 4 < 3 && mass[i] >= job->least && speed > largest ? speed : largest;
        }
        job->liquid->partial[b] = are_finite(velocity, mass) ? (double)largest : (double)NAN;
    }
}

double dr_liquid_fastest(dr_liquid *liquid, const double frame[3])
{
    double largest = 0.0;
    double cell = liquid->grid->cell, full = liquid->constants.density * cell * cell * cell;
    judge_job job = {.liquid = liquid, .least = DR_LIQUID_SPRAY * (float)full};
    for (int a = 0; a < 3; a++) job.frame[a] = (float)frame[a];
    dr_par_for(liquid->par, liquid->grid->block_count, 32, judge_blocks, &job);
    for (size_t b = 0; b < liquid->grid->block_count && !isnan(largest); b++) {
        if (!(liquid->partial[b] <= largest)) largest = liquid->partial[b];
    }
    return largest;
}

// Nobody has written result and source yet in this step.
static_assert(sizeof(dr_spray_survey) <= DR_BLOCK_NODES * sizeof(float), "source has room for what blocks find");

dr_spray_survey dr_liquid_survey(dr_liquid *liquid, double courant)
{
    const dr_spray_room room = {liquid->result, (dr_spray_survey *)liquid->source};
    return dr_spray_look(liquid->grid, liquid->par, liquid->particles, courant, &room);
}

// ---- back to the particles

void dr_liquid_move(dr_liquid *liquid, double dt, double damping)
{
    const dr_transfer_back back = {.field = liquid->velocity,
                                   .old = liquid->old,
                                   .shift = liquid->shift,
                                   .dt = dt,
                                   .particles = liquid->particles,
                                   .update = liquid->constants.thick ? dr_liquid_strain : NULL,
                                   .user = &(dr_liquid_moving){liquid, dt},
                                   .gained = liquid->mixture.solid ? NULL : dr_balance_gained(&liquid->balance)};
    dr_transfer transfer = liquid->transfer;
    transfer.damping = damping;
    if (liquid->constants.thick && liquid->grid->block_count) dr_liquid_read_gradient(liquid, dt);
    dr_transfer_from_faces(&transfer, liquid->grid, liquid->par, &back);
    if (back.gained) dr_balance_turn(&liquid->balance, liquid->grid, liquid->par, liquid->particles);
}

void dr_liquid_keep(dr_liquid *liquid)
{
    dr_warm_start_keep(liquid->last, liquid->grid, liquid->pressure);
}

static dr_balance_problem pose_balance(const dr_liquid *liquid, const float *mass, const float *before)
{
    return (dr_balance_problem){.mass = mass,
                                .before = before,
                                .touch = liquid->constants.has_solids ? liquid->solids.touch : NULL,
                                .least = (float)least_mass(liquid)};
}

bool dr_liquid_balance_of(dr_liquid *liquid, const float *mass, const float *before, float *velocity)
{
    dr_balance_problem problem = pose_balance(liquid, mass, before);
    return dr_balance_restore(&liquid->balance, liquid->grid, liquid->par, &problem, velocity);
}

bool dr_liquid_balance(dr_liquid *liquid)
{
    dr_balance_problem problem = pose_balance(liquid, liquid->mass, liquid->predicted);
    problem.wet = liquid->wet;
    problem.shift = liquid->shift;
    return dr_balance_restore(&liquid->balance, liquid->grid, liquid->par, &problem, liquid->velocity) &&
           dr_balance_assign(&liquid->balance, liquid->grid, liquid->par, liquid->particles);
}

// Whether a cell of an inlet has a neighbour in liquid without a free surface.
static bool is_walled_in(const dr_liquid *liquid, size_t block, int item)
{
    for (int way = 0; way < 6; way++) {
        int x[3] = {item >> 4, item >> 2 & 3, item & 3};
        x[way / 2] += way & 1 ? 1 : -1;
        int64_t to = dr_halo_find(liquid->grid, block, x[0], x[1], x[2]);
        if (to < 0) continue;
        if (dr_pressure_is_enclosed(&liquid->solver, (size_t)to / DR_BLOCK_NODES, (int)(to % DR_BLOCK_NODES)))
            return true;
    }
    return false;
}

bool dr_liquid_is_full(const dr_liquid *liquid, const double x[3], bool waits)
{
    int32_t at[3];
    int item = 0;
    for (int a = 0; a < 3; a++) {
        int64_t cell = (int64_t)floor((x[a] - liquid->grid->origin[a]) / liquid->grid->cell);
        at[a] = (int32_t)(cell >> 2);
        item = item * DR_BLOCK_SIDE + (int)(cell & 3);
    }
    int32_t block = dr_grid_find(liquid->grid, at);
    if (block < 0) return false;
    size_t i = (size_t)block * DR_BLOCK_NODES + (size_t)item;
    if (liquid->has_inflow && liquid->inflow[i]) return is_walled_in(liquid, (size_t)block, item);
    return (waits && dr_liquid_outline(liquid)->fraction[i] > DR_LIQUID_FULL) ||
           dr_pressure_is_enclosed(&liquid->solver, (size_t)block, item);
}

// ---- resampling

bool dr_liquid_plan_resampling(dr_liquid *liquid)
{
    double cell = liquid->grid->cell, reference = cell * cell * cell / (double)liquid->constants.per_cell;
    return dr_resample_plan(&liquid->resample, liquid->grid, liquid->par, liquid->particles, reference);
}

bool dr_liquid_resample(dr_liquid *liquid, uint64_t step, uint64_t *next_id)
{
    return dr_resample_apply(&liquid->resample, liquid->grid, liquid->particles, step, next_id);
}
