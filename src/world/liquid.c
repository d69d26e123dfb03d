// The liquid's part of the step: APIC on a staggered grid, implicit viscosity, one pressure projection.
// docs/theory/liquid.md.
#include "world/world.h"

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
    CELLS(corner),
    FACES(open_area),
    FACES(solid_velocity),
    FACES(grip),
    CELLS(open_volume),
    CELLS(friction),
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
    CELLS(open_before),
    FACES(shift),
    BYTES(kind, DR_BLOCK_NODES),
    BYTES(known, DR_BLOCK_NODES),
    BYTES(spare, DR_BLOCK_NODES),
    BYTES(touch, DR_BLOCK_NODES),
    BYTES(near_solid, 1),
};
static const dr_column_table block_table = {block_columns, (int)(sizeof block_columns / sizeof *block_columns)};

// ---- life

bool dr_liquid_open(dr_world *world, const double origin[3], const int32_t period[3])
{
    dr_liquid *liquid = &world->liquid;
    liquid->transfer = world->constants.transfer;
    liquid->transfer.kernel = DR_KERNEL_QUADRATIC;
    dr_surface_open(&liquid->surface, world->allocator);
    dr_pockets_open(&liquid->pockets, world->allocator);
    dr_resample_open(&liquid->resample, world->allocator);
    dr_viscosity_open(&liquid->viscosity, world->allocator);
    dr_tension_open(&liquid->tension, world->allocator);
    dr_balance_open(&liquid->balance, world->allocator);
    return dr_pressure_open(&liquid->solver, world->allocator) &&
           dr_grid_open(&liquid->grid, world->allocator, world->constants.domain.cell, origin,
                        dr_transfer_face_shift(DR_KERNEL_QUADRATIC), period);
}

void dr_liquid_close(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    dr_liquid_shown_free(world);
    dr_guess_free(&world->state.guess, world->allocator);
    dr_columns_free(&block_table, liquid, world->allocator, &liquid->capacity);
    dr_memory_free(world->allocator, liquid->weight, liquid->weight_capacity * sizeof *liquid->weight);
    dr_surface_close(&liquid->surface);
    dr_pockets_close(&liquid->pockets);
    dr_resample_close(&liquid->resample);
    dr_viscosity_close(&liquid->viscosity);
    dr_tension_close(&liquid->tension);
    dr_balance_close(&liquid->balance);
    dr_pressure_close(&liquid->solver);
    dr_grid_close(&liquid->grid);
}

// The surface and the solvers take about as much again as the step's own arrays.
double dr_liquid_block_bytes(void)
{
    return 2.0 * (double)dr_columns_row_bytes(&block_table);
}

bool dr_liquid_activate(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    return dr_grid_rebuild(&liquid->grid, &world->par, &world->state.liquid) && dr_liquid_blend_reserve(world) &&
           dr_account_reserve(world, 0, 0) &&
           dr_guess_reserve(&world->state.guess, world->allocator, liquid->grid.block_count) &&
           dr_columns_reserve(&block_table, liquid, world->allocator, &liquid->capacity, liquid->grid.block_count);
}

// ---- passes over blocks

typedef struct pass {
    dr_world *world;
    double dt, end;
} pass;

static void visit_blocks(dr_world *world, const dr_try *attempt, dr_par_body body)
{
    pass job = {world, attempt->dt, attempt->end};
    dr_par_for(&world->par, world->liquid.grid.block_count, 32, body, &job);
}

// ---- gather

// Faces with less than this share of a full one's mass have no velocity of their own.
#define LEAST_SHARE 1e-12

double dr_liquid_least_mass(const dr_world *world)
{
    double cell = world->liquid.grid.cell;
    return LEAST_SHARE * world->constants.liquid_density * cell * cell * cell;
}

static void divide_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = &job->world->liquid;
    float least = (float)dr_liquid_least_mass(job->world);
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

void dr_liquid_gather(dr_world *world, const dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    dr_transfer_to_faces(&liquid->transfer, &liquid->grid, &world->par, &world->state.liquid, liquid->mass,
                         liquid->velocity);
    dr_liquid_blend(world);
    visit_blocks(world, attempt, divide_blocks);
}

// ---- predict

void dr_liquid_place(const dr_grid *grid, size_t block, int item, const double shift[3], double x[3])
{
    const int local[3] = {item >> 4, item >> 2 & 3, item & 3};
    for (int a = 0; a < 3; a++) {
        double cells = (double)(4 * (int64_t)grid->coordinate[3 * block + (size_t)a] + local[a]) + shift[a];
        x[a] = grid->origin[a] + grid->cell * cells;
    }
}

static const double face_shift[3][3] = {{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};

static void push_face(const pass *job, size_t block, int item, int axis, float *velocity)
{
    const dr_constants *constants = &job->world->constants;
    *velocity += (float)(job->dt * constants->gravity[axis]);
    if (constants->force_count == 0) return;
    double x[3];
    float v[3] = {0};
    dr_liquid_place(&job->world->liquid.grid, block, item, face_shift[axis], x);
    v[axis] = *velocity;
    dr_forces_add(constants, x, job->end, job->dt, v);
    *velocity = v[axis];
}

static void predict_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = &job->world->liquid;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)n;
            for (int a = 0; a < 3; a++) {
                if (liquid->known[i] >> a & 1) push_face(job, b, n, a, &liquid->velocity[4 * i + (size_t)a]);
            }
        }
    }
}

void dr_liquid_predict(dr_world *world, const dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    if (liquid->grid.block_count == 0) return;
    visit_blocks(world, attempt, predict_blocks);
    memcpy(liquid->predicted, liquid->velocity, liquid->grid.block_count * FACE_FLOATS * sizeof(float));
}

// ---- surface

static void shut_pass(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    const dr_room_solids solids = {liquid->corner, liquid->open_before, liquid->near_solid, liquid->spacing};
    dr_room_measure(&solids, &liquid->grid, &world->par, liquid->room);
}

bool dr_liquid_surface(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    bool solids = liquid->has_solids;
    if (solids) shut_pass(world);
    if (!dr_surface_build(&liquid->surface, &liquid->grid, &world->par, &world->state.liquid,
                          solids ? liquid->room : NULL))
        return false;
    dr_surface_mark(&liquid->surface, &liquid->grid, &world->par, solids ? liquid->open_volume : NULL, liquid->kind);
    dr_surface_cut(&liquid->surface, &liquid->grid, &world->par, liquid->kind, liquid->theta);
    liquid->occupied = dr_surface_volume(&liquid->surface, &liquid->grid, &world->par, &world->state.liquid,
                                         solids ? liquid->open_before : NULL, world->partial);
    liquid->shown.kept = false;
    return dr_pockets_find(&liquid->pockets, &liquid->grid, &world->par, liquid->kind,
                           solids ? liquid->open_area : NULL, solids ? liquid->open_volume : NULL);
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

bool dr_liquid_thicken(dr_world *world, dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    const dr_constants *constants = &world->constants;
    double cell = liquid->grid.cell;
    liquid->viscous =
        constants->liquid_viscosity * attempt->dt / (constants->liquid_density * cell * cell) > LEAST_DIFFUSION;
    if (!liquid->viscous) return true;
    dr_strain_problem problem = {.dt = attempt->dt,
                                 .level = liquid->surface.distance,
                                 .uniform_viscosity = constants->liquid_viscosity,
                                 .uniform_density = constants->liquid_density};
    if (constants->liquids_differ) {
        problem.viscosity = liquid->thickness;
        problem.density = liquid->density;
    }
    if (liquid->has_solids) {
        problem.solid = liquid->corner;
        problem.solid_velocity = liquid->solid_velocity;
        problem.grip = liquid->grip;
    }
    dr_krylov_goal goal = {.tolerance = 1e-6, .limit = 500};
    if (!dr_viscosity_solve(&liquid->viscosity, &liquid->grid, &world->par, &problem, &goal, liquid->velocity,
                            &liquid->viscosity_report))
        return false;
    if (!is_thick_enough(&liquid->viscosity_report)) {
        attempt->rejected = true;
        attempt->reason = "the viscosity did not converge";
    }
    return true;
}

// ---- pressure

static void mobility_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = &job->world->liquid;
    float mobility = (float)(job->dt / job->world->constants.liquid_density), dt = (float)job->dt;
    bool differ = job->world->constants.liquids_differ;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) {
        bool own = differ && i % 4 != 3 && liquid->mass[i] > 0.0F;
        liquid->mobility[i] = own ? dt * liquid->volume[i] / liquid->mass[i] : mobility;
    }
}

static void correct_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = &job->world->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) {
        liquid->velocity[i] -= liquid->mobility[i] * liquid->gradient[i];
    }
}

// The pressure just inside the surface, where tension pulls on it.
static bool pull_surface(dr_world *world, const dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    if (!(world->constants.surface_tension > 0.0)) {
        size_t blocks = liquid->grid.block_count;
        if (blocks) memset(liquid->ghost, 0, blocks * FACE_FLOATS * sizeof(float));
        return true;
    }
    dr_tension_problem problem = {.level = liquid->surface.distance,
                                  .tension = world->constants.liquids_differ ? liquid->pull : NULL,
                                  .uniform_tension = world->constants.surface_tension,
                                  .density = world->constants.liquid_density,
                                  .dt = attempt->dt};
    return dr_tension_find(&liquid->tension, &liquid->grid, &world->par, &problem, liquid->ghost,
                           &liquid->tension_report);
}

// What cells hold too much or too little, per second.
static void excess_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = &job->world->liquid;
    float rate = (float)(1.0 / job->dt);
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        float excess = dr_clamp_float(liquid->surface.excess[i], -DR_LIQUID_MOST_EXCESS, DR_LIQUID_MOST_EXCESS);
        liquid->source[i] = rate * excess * (liquid->has_solids ? liquid->open_volume[i] : 1.0F);
    }
}

static void shift_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = &job->world->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++)
        liquid->shift[i] = -liquid->mobility[i] * liquid->shift[i];
}

// The density projection: positions alone move. docs/theory/density.md.
static void even_out(dr_world *world, const dr_try *attempt, dr_pressure_problem problem)
{
    dr_liquid *liquid = &world->liquid;
    const dr_pressure_options options = {DR_LIQUID_DENSITY_TOLERANCE, 30, 30};
    visit_blocks(world, attempt, excess_blocks);
    problem.source = liquid->source;
    problem.ghost_pressure = problem.guess = NULL;
    dr_pressure_solve_source(&liquid->solver, &world->par, &problem, &options, liquid->guess, liquid->shift,
                             &liquid->density_report);
    visit_blocks(world, attempt, shift_blocks);
}

bool dr_liquid_project(dr_world *world, dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    if (!pull_surface(world, attempt)) return false;
    visit_blocks(world, attempt, mobility_blocks);
    if (liquid->grid.block_count)
        memset(liquid->source, 0, liquid->grid.block_count * DR_BLOCK_NODES * sizeof *liquid->source);
    dr_stride_source(&liquid->grid, &world->par, liquid->velocity, liquid->kind, attempt->dt,
                     (double)DR_LIQUID_MOST_STRIDE, liquid->source);
    dr_pressure_problem problem = {.grid = &liquid->grid,
                                   .kind = liquid->kind,
                                   .flux = liquid->velocity,
                                   .mobility = liquid->mobility,
                                   .open = liquid->has_solids ? liquid->open_area : NULL,
                                   .solid_velocity = liquid->has_solids ? liquid->solid_velocity : NULL,
                                   .theta = liquid->theta,
                                   .ghost_pressure = liquid->ghost,
                                   .source = liquid->source,
                                   .guess = liquid->guess};
    dr_guess_place(world, liquid->guess);
    if (!dr_pressure_solve(&liquid->solver, &world->par, &problem, &dr_pressure_defaults, liquid->pressure,
                           liquid->gradient, &liquid->pressure_report))
        return false;
    if (liquid->pressure_report.reason != DR_REASON_CONVERGED) {
        attempt->rejected = true;
        attempt->reason = "the pressure did not converge";
        return true;
    }
    visit_blocks(world, attempt, correct_blocks);
    even_out(world, attempt, problem);
    return true;
}

// ---- beyond the liquid and inside solids

static void subtract_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = &((const pass *)user)->world->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) liquid->velocity[i] -= liquid->predicted[i];
}

static void add_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = &((const pass *)user)->world->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) {
        bool reached = liquid->known[i / 4] >> (i % 4) & 1;
        bool buried = !reached && liquid->has_solids && !(liquid->open_area[i] > 0.0F);
        float change = reached ? liquid->velocity[i] : 0.0F;
        liquid->velocity[i] = buried ? liquid->solid_velocity[i] : change + liquid->predicted[i];
    }
}

// Faces one layer beyond the liquid's own still lie within the reach of its surface. Particles in a corner of solids
// touch faces two cells away along every axis.
enum { OPEN_LAYERS = 1, CORNER_LAYERS = 6 };

// Largest change of velocity beside the surface, in cells per step.
#define RIM_LIMIT 0.1

// Nobody reads spare and room any more in this try.
static void close_rim(dr_world *world, const dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    dr_rim rim = {.kind = liquid->kind,
                  .open_area = liquid->has_solids ? liquid->open_area : NULL,
                  .solid_velocity = liquid->solid_velocity,
                  .limit = (float)(RIM_LIMIT * liquid->grid.cell / attempt->dt),
                  .flags = liquid->spare,
                  .share = liquid->guess};
    dr_rim_close(&rim, &liquid->grid, &world->par, liquid->velocity);
}

static void slip_shift(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    if (!liquid->has_solids) return;
    dr_solid_slip slip = {.corner = liquid->corner, .open_area = liquid->open_area};
    dr_solid_constrain(&slip, &liquid->grid, &world->par, liquid->shift, liquid->result);
    float *swap = liquid->shift;
    liquid->shift = liquid->result;
    liquid->result = swap;
}

// Faces beyond the liquid that particles still touch keep their own velocity and take over what viscosity and pressure
// changed at the liquid's faces nearby: a rotation is carried on, where the velocity itself carried outwards would slow
// it down. Deep in solids nothing changed, and gravity alone would be left: there the solid's velocity holds.
void dr_liquid_extend(dr_world *world, const dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    const float *open = liquid->has_solids ? liquid->open_area : NULL;
    const dr_extrapolate how = {open, OPEN_LAYERS, CORNER_LAYERS, liquid->spare};
    visit_blocks(world, attempt, subtract_blocks);
    dr_extrapolate_know(&liquid->grid, &world->par, liquid->kind, open, liquid->known);
    dr_extrapolate_faces(&how, &liquid->grid, &world->par, liquid->shift, liquid->known);
    slip_shift(world);
    dr_extrapolate_know(&liquid->grid, &world->par, liquid->kind, open, liquid->known);
    dr_extrapolate_faces(&how, &liquid->grid, &world->par, liquid->velocity, liquid->known);
    visit_blocks(world, attempt, add_blocks);
    close_rim(world, attempt);
    if (!liquid->has_solids) return;
    dr_solid_slip slip = {.corner = liquid->corner,
                          .open_area = liquid->open_area,
                          .solid_velocity = liquid->solid_velocity,
                          .friction = liquid->friction};
    dr_solid_constrain(&slip, &liquid->grid, &world->par, liquid->velocity, liquid->result);
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
    float per_light = (float)(LEAST_SHARE / (LIGHT * dr_liquid_least_mass(job->world)));
    for (size_t b = begin; b < end; b++) {
        const float *velocity = job->world->liquid.velocity + b * FACE_FLOATS;
        const float *mass = job->world->liquid.mass + b * FACE_FLOATS;
        float largest = 0.0F;
        for (int i = 0; i < FACE_FLOATS; i++) {
            float size = i % 4 < 3 && mass[i] > 0.0F ? fabsf(velocity[i]) * fminf(1.0F, mass[i] * per_light) : 0.0F;
            if (!(size <= largest)) largest = size;
            if (isnan(largest)) break;
        }
        job->world->partial[b] = (double)largest;
    }
}

double dr_liquid_fastest(dr_world *world, const dr_try *attempt)
{
    double largest = 0.0;
    visit_blocks(world, attempt, judge_blocks);
    for (size_t b = 0; b < world->liquid.grid.block_count && !isnan(largest); b++) {
        if (!(world->partial[b] <= largest)) largest = world->partial[b];
    }
    return largest;
}

// ---- back to the particles

void dr_liquid_move(dr_world *world, double dt)
{
    dr_liquid *liquid = &world->liquid;
    const dr_transfer_back back = {
        .field = liquid->velocity, .old = liquid->old, .shift = liquid->shift, .dt = dt, .particles = &world->state.liquid};
    dr_transfer_from_faces(&liquid->transfer, &liquid->grid, &world->par, &back);
    dr_liquid_keep_out(world);
    dr_guess_keep(world);
}

// ---- tidying up

// Every so many steps particles are spread and resampled.
#define TIDY_STEPS 8

static void resample(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    double cell = liquid->grid.cell, reference = cell * cell * cell / (double)liquid->per_cell;
    if (dr_resample_plan(&liquid->resample, &liquid->grid, &world->par, &world->state.liquid, reference) &&
        dr_account_reserve(world, world->state.particles.count,
                           world->state.liquid.count + liquid->resample.fresh_count))
        dr_resample_apply(&liquid->resample, &liquid->grid, &world->state.liquid, (uint64_t)world->state.step,
                          &world->state.next_id);
}

// Where memory is out nothing is tidied, which does no harm.
void dr_liquid_tidy(dr_world *world)
{
    if (world->state.step % TIDY_STEPS != 0) return;
    dr_liquid_shown_keep(world);
    if (dr_liquid_activate(world)) resample(world);
}
