// The liquid's part of the step: APIC on a staggered grid, implicit viscosity, one pressure projection.
// docs/theory/liquid.md.
#include "liquid/liquid.h"

#include "base/columns.h"
#include "liquid/constants.h"
#include "liquid/extrapolate.h"
#include "liquid/rim.h"
#include "liquid/solid.h"
#include "liquid/stride.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

#define FACE_FLOATS (DR_BLOCK_NODES * 4)

#define CELLS(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_liquid, name), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""                                      \
    }
#define FACES(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_liquid, name), DR_TYPE_FLOAT32, FACE_FLOATS, "", ""                                         \
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
    FACES(volume),
    FACES(thick),
    CELLS(density),
    CELLS(thickness),
    CELLS(pull),
    FACES(room),
    FACES(shift),
    BYTES(kind, DR_BLOCK_NODES),
    BYTES(known, DR_BLOCK_NODES),
    BYTES(spare, DR_BLOCK_NODES),
    {"partial", offsetof(dr_liquid, partial), DR_TYPE_FLOAT64, 1, "", ""},
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
    dr_surface_open(&liquid->surface, allocator);
    dr_pockets_open(&liquid->pockets, allocator);
    dr_resample_open(&liquid->resample, allocator);
    dr_viscosity_open(&liquid->viscosity, allocator);
    dr_tension_open(&liquid->tension, allocator);
    dr_balance_open(&liquid->balance, allocator);
    return dr_pressure_open(&liquid->solver, allocator);
}

void dr_liquid_close(dr_liquid *liquid)
{
    dr_liquid_shown_free(liquid);
    dr_columns_free(&block_table, liquid, liquid->allocator, &liquid->capacity);
    dr_memory_free(liquid->allocator, liquid->weight, liquid->weight_capacity * sizeof *liquid->weight);
    dr_surface_close(&liquid->surface);
    dr_pockets_close(&liquid->pockets);
    dr_resample_close(&liquid->resample);
    dr_viscosity_close(&liquid->viscosity);
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
    return dr_liquid_blend_reserve(liquid) &&
           dr_guess_reserve(liquid->last, liquid->allocator, liquid->grid->block_count) &&
           dr_columns_reserve(&block_table, liquid, liquid->allocator, &liquid->capacity, liquid->grid->block_count);
}

// ---- passes over blocks

typedef struct pass {
    dr_liquid *liquid;
    const dr_liquid_step *step; // NULL where it is not asked for
} pass;

static void visit_blocks(dr_liquid *liquid, const dr_liquid_step *step, dr_par_body body)
{
    pass job = {liquid, step};
    dr_par_for(liquid->par, liquid->grid->block_count, 32, body, &job);
}

// ---- gather

// Faces with less than this share of a full one's mass have no velocity of their own.
#define LEAST_SHARE 1e-12

static double least_mass(const dr_liquid *liquid)
{
    double cell = liquid->grid->cell;
    return LEAST_SHARE * liquid->constants.density * cell * cell * cell;
}

static void divide_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
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
    size_t bytes = (end - begin) * FACE_FLOATS * sizeof(float);
    memcpy(liquid->old + begin * FACE_FLOATS, liquid->velocity + begin * FACE_FLOATS, bytes);
}

void dr_liquid_gather(dr_liquid *liquid)
{
    dr_transfer_to_faces(&liquid->transfer, liquid->grid, liquid->par, liquid->particles, liquid->mass,
                         liquid->velocity);
    dr_liquid_blend(liquid);
    visit_blocks(liquid, NULL, divide_blocks);
}

// ---- predict

static const double face_shift[3][3] = {{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};

static void push_face(const pass *job, size_t block, int item, int axis, float *velocity)
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
    const pass *job = user;
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
    visit_blocks(liquid, step, predict_blocks);
    memcpy(liquid->predicted, liquid->velocity, liquid->grid->block_count * FACE_FLOATS * sizeof(float));
}

// ---- surface

bool dr_liquid_surface(dr_liquid *liquid)
{
    const dr_liquid_solids *solids = liquid->constants.has_solids ? &liquid->solids : NULL;
    if (solids) {
        const dr_room_solids around = {solids->corner, solids->open_before, solids->near, liquid->spacing};
        dr_room_measure(&around, liquid->grid, liquid->par, liquid->room);
    }
    if (!dr_surface_build(&liquid->surface, liquid->grid, liquid->par, liquid->particles, solids ? liquid->room : NULL))
        return false;
    dr_surface_mark(&liquid->surface, liquid->grid, liquid->par, solids ? solids->open_volume : NULL, liquid->kind);
    dr_surface_cut(&liquid->surface, liquid->grid, liquid->par, liquid->kind, liquid->theta);
    liquid->occupied = dr_surface_volume(&liquid->surface, liquid->grid, liquid->par, liquid->particles,
                                         solids ? solids->open_before : NULL, liquid->partial);
    liquid->shown.kept = false;
    return dr_pockets_find(&liquid->pockets, liquid->grid, liquid->par, liquid->kind, solids ? solids->open_area : NULL,
                           solids ? solids->open_volume : NULL);
}

// ---- viscosity

// Below this, viscosity moves nothing by a measurable part of a cell's velocity in a step.
#define LEAST_DIFFUSION 1e-3

// Conjugate gradients come closer to the least of the energy in every iteration, so an answer that is this close may be
// used where iterations run out: shorter steps would take hardly fewer.
#define ROUGH_VISCOSITY 1e-3

static bool is_thick_enough(const dr_solve_report *report)
{
    return report->reason == DR_REASON_CONVERGED ||
           (report->reason == DR_REASON_ITERATIONS && report->residual < ROUGH_VISCOSITY);
}

bool dr_liquid_viscosity(dr_liquid *liquid, dr_liquid_step *step)
{
    const dr_liquid_constants *constants = &liquid->constants;
    double cell = liquid->grid->cell;
    liquid->viscous = constants->viscosity * step->dt / (constants->density * cell * cell) > LEAST_DIFFUSION;
    if (!liquid->viscous) return true;
    dr_strain_problem problem = {.dt = step->dt,
                                 .level = liquid->surface.distance,
                                 .uniform_viscosity = constants->viscosity,
                                 .uniform_density = constants->density};
    if (constants->differ) {
        problem.viscosity = liquid->thickness;
        problem.density = liquid->density;
    }
    if (liquid->constants.has_solids) {
        problem.solid = liquid->solids.corner;
        problem.solid_velocity = liquid->solids.velocity;
        problem.grip = liquid->solids.grip;
    }
    dr_krylov_goal goal = {.tolerance = 1e-6, .limit = 500};
    if (!dr_viscosity_solve(&liquid->viscosity, liquid->grid, liquid->par, &problem, &goal, liquid->velocity,
                            &liquid->viscosity_report))
        return false;
    if (!is_thick_enough(&liquid->viscosity_report)) {
        step->rejected = "the viscosity did not converge";
    }
    return true;
}

// ---- pressure

static void mobility_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = job->liquid;
    float mobility = (float)(job->step->dt / job->liquid->constants.density), dt = (float)job->step->dt;
    bool differ = job->liquid->constants.differ;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) {
        bool own = differ && i % 4 != 3 && liquid->mass[i] > 0.0F;
        liquid->mobility[i] = own ? dt * liquid->volume[i] / liquid->mass[i] : mobility;
    }
}

static void correct_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = job->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) {
        liquid->velocity[i] -= liquid->mobility[i] * liquid->gradient[i];
    }
}

// The pressure just inside the surface, where tension pulls on it.
static bool pull_surface(dr_liquid *liquid, const dr_liquid_step *step)
{
    if (!(liquid->constants.surface_tension > 0.0)) {
        size_t blocks = liquid->grid->block_count;
        if (blocks) memset(liquid->ghost, 0, blocks * FACE_FLOATS * sizeof(float));
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

// The kernel of a cell whose centre lies in a solid tells more of its neighbours than of itself.
static float trust(float open)
{
    return dr_clamp_float((open - 0.5F) / DR_LIQUID_CUT_RAMP + 0.5F, 0.0F, 1.0F);
}

// What cells hold too much or too little, per second.
static void excess_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = job->liquid;
    const float *open = liquid->constants.has_solids ? liquid->solids.open_volume : NULL;
    float rate = (float)(1.0 / job->step->dt);
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        float excess = dr_clamp_float(liquid->surface.excess[i], -DR_LIQUID_MOST_EXCESS, DR_LIQUID_MOST_EXCESS);
        liquid->source[i] = rate * excess * (open ? open[i] * trust(open[i]) : 1.0F);
    }
}

static void shift_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const pass *)user)->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++)
        liquid->shift[i] = -liquid->mobility[i] * liquid->shift[i];
}

// The density projection: positions alone move. docs/theory/density.md.
static void even_out(dr_liquid *liquid, const dr_liquid_step *step, dr_pressure_problem problem)
{
    const dr_pressure_options options = {DR_LIQUID_DENSITY_TOLERANCE, 30, 30};
    visit_blocks(liquid, step, excess_blocks);
    problem.source = liquid->source;
    problem.ghost_pressure = problem.guess = NULL;
    dr_pressure_solve_source(&liquid->solver, liquid->par, &problem, &options, liquid->guess, liquid->shift,
                             &liquid->density_report);
    visit_blocks(liquid, step, shift_blocks);
}

bool dr_liquid_pressure(dr_liquid *liquid, dr_liquid_step *step)
{
    if (!pull_surface(liquid, step)) return false;
    visit_blocks(liquid, step, mobility_blocks);
    if (liquid->grid->block_count)
        memset(liquid->source, 0, liquid->grid->block_count * DR_BLOCK_NODES * sizeof *liquid->source);
    dr_stride_source(liquid->grid, liquid->par, liquid->velocity, liquid->kind, step->dt, (double)DR_LIQUID_MOST_STRIDE,
                     liquid->source);
    dr_pressure_problem problem = {.grid = liquid->grid,
                                   .kind = liquid->kind,
                                   .flux = liquid->velocity,
                                   .mobility = liquid->mobility,
                                   .open = liquid->constants.has_solids ? liquid->solids.open_area : NULL,
                                   .solid_velocity = liquid->constants.has_solids ? liquid->solids.velocity : NULL,
                                   .theta = liquid->theta,
                                   .ghost_pressure = liquid->ghost,
                                   .source = liquid->source,
                                   .guess = liquid->guess};
    dr_guess_place(liquid->last, liquid->grid, liquid->guess);
    if (!dr_pressure_solve(&liquid->solver, liquid->par, &problem, &dr_pressure_defaults, liquid->pressure,
                           liquid->gradient, &liquid->pressure_report))
        return false;
    if (liquid->pressure_report.reason != DR_REASON_CONVERGED) {
        step->rejected = "the pressure did not converge";
        return true;
    }
    visit_blocks(liquid, step, correct_blocks);
    even_out(liquid, step, problem);
    return true;
}

// ---- beyond the liquid and inside solids

static void subtract_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const pass *)user)->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) liquid->velocity[i] -= liquid->predicted[i];
}

static void add_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const pass *)user)->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) {
        bool reached = liquid->known[i / 4] >> (i % 4) & 1;
        bool buried = !reached && liquid->constants.has_solids && !(liquid->solids.open_area[i] > 0.0F);
        float change = reached ? liquid->velocity[i] : 0.0F;
        liquid->velocity[i] = buried ? liquid->solids.velocity[i] : change + liquid->predicted[i];
    }
}

// Faces one layer beyond the liquid's own still lie within the reach of its surface. Particles in a corner of solids
// touch faces two cells away along every axis.
enum { OPEN_LAYERS = 1, CORNER_LAYERS = 6 };

// Largest change of velocity beside the surface, in cells per step.
#define RIM_LIMIT 0.1

// Nobody reads spare and guess any more in this try.
static void close_rim(dr_liquid *liquid, const dr_liquid_step *step)
{
    dr_rim rim = {.kind = liquid->kind,
                  .open_area = liquid->constants.has_solids ? liquid->solids.open_area : NULL,
                  .solid_velocity = liquid->solids.velocity,
                  .limit = (float)(RIM_LIMIT * liquid->grid->cell / step->dt),
                  .flags = liquid->spare,
                  .share = liquid->guess};
    dr_rim_close(&rim, liquid->grid, liquid->par, liquid->velocity);
}

static void slip_shift(dr_liquid *liquid)
{
    if (!liquid->constants.has_solids) return;
    dr_solid_slip slip = {.corner = liquid->solids.corner, .open_area = liquid->solids.open_area};
    dr_solid_constrain(&slip, liquid->grid, liquid->par, liquid->shift, liquid->result);
    float *swap = liquid->shift;
    liquid->shift = liquid->result;
    liquid->result = swap;
}

// Faces beyond the liquid that particles still touch keep their own velocity and take over what viscosity and pressure
// changed at the liquid's faces nearby: a rotation is carried on, where the velocity itself carried outwards would slow
// it down. Deep in solids nothing changed, and gravity alone would be left: there the solid's velocity holds.
void dr_liquid_extend(dr_liquid *liquid, const dr_liquid_step *step)
{
    const float *open = liquid->constants.has_solids ? liquid->solids.open_area : NULL;
    const dr_extrapolate how = {open, OPEN_LAYERS, CORNER_LAYERS, liquid->spare};
    visit_blocks(liquid, step, subtract_blocks);
    dr_extrapolate_know(liquid->grid, liquid->par, liquid->kind, open, liquid->known);
    dr_extrapolate_faces(&how, liquid->grid, liquid->par, liquid->shift, liquid->known);
    slip_shift(liquid);
    dr_extrapolate_know(liquid->grid, liquid->par, liquid->kind, open, liquid->known);
    dr_extrapolate_faces(&how, liquid->grid, liquid->par, liquid->velocity, liquid->known);
    visit_blocks(liquid, step, add_blocks);
    close_rim(liquid, step);
    if (!liquid->constants.has_solids) return;
    dr_solid_slip slip = {.corner = liquid->solids.corner,
                          .open_area = liquid->solids.open_area,
                          .solid_velocity = liquid->solids.velocity,
                          .friction = liquid->solids.friction};
    dr_solid_constrain(&slip, liquid->grid, liquid->par, liquid->velocity, liquid->result);
    float *swap = liquid->velocity;
    liquid->velocity = liquid->result;
    liquid->result = swap;
}

// ---- the verdict

// Faces with less than this share of a full one's mass hardly move a particle.
#define LIGHT 0.01

// Faces without mass move no particle, and light ones as much less as they are lighter.
static void judge_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    float per_light = (float)(LEAST_SHARE / (LIGHT * least_mass(job->liquid)));
    for (size_t b = begin; b < end; b++) {
        const float *velocity = job->liquid->velocity + b * FACE_FLOATS;
        const float *mass = job->liquid->mass + b * FACE_FLOATS;
        float largest = 0.0F;
        for (int i = 0; i < FACE_FLOATS; i++) {
            float size = i % 4 < 3 && mass[i] > 0.0F ? fabsf(velocity[i]) * fminf(1.0F, mass[i] * per_light) : 0.0F;
            if (!(size <= largest)) largest = size;
            if (isnan(largest)) break;
        }
        job->liquid->partial[b] = (double)largest;
    }
}

double dr_liquid_fastest(dr_liquid *liquid)
{
    double largest = 0.0;
    visit_blocks(liquid, NULL, judge_blocks);
    for (size_t b = 0; b < liquid->grid->block_count && !isnan(largest); b++) {
        if (!(liquid->partial[b] <= largest)) largest = liquid->partial[b];
    }
    return largest;
}

// ---- back to the particles

void dr_liquid_move(dr_liquid *liquid, double dt, double damping)
{
    const dr_transfer_back back = {.field = liquid->velocity,
                                   .old = liquid->old,
                                   .shift = liquid->shift,
                                   .dt = dt,
                                   .particles = liquid->particles};
    dr_transfer transfer = liquid->transfer;
    transfer.damping = damping;
    dr_transfer_from_faces(&transfer, liquid->grid, liquid->par, &back);
}

void dr_liquid_keep(dr_liquid *liquid)
{
    dr_guess_keep(liquid->last, liquid->grid, liquid->pressure);
}

bool dr_liquid_balance(dr_liquid *liquid)
{
    dr_balance_problem problem = {
        .mass = liquid->mass, .before = liquid->predicted, .least = (float)least_mass(liquid)};
    if (liquid->constants.has_solids) problem.touch = liquid->solids.touch;
    return dr_balance_restore(&liquid->balance, liquid->grid, liquid->par, &problem, liquid->velocity);
}

// More than this share of a cell's room is not filled by emission.
#define FULL 1.05F

bool dr_liquid_is_full(const dr_liquid *liquid, const double x[3])
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
    return liquid->surface.fraction[(size_t)block * DR_BLOCK_NODES + (size_t)item] > FULL ||
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
