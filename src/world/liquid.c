// The liquid's part of the step: APIC on a staggered grid, implicit viscosity, one pressure projection.
// docs/theory/liquid.md.
#include "world/world.h"

#include "base/columns.h"
#include "liquid/edge.h"
#include "liquid/extrapolate.h"
#include "liquid/friction.h"
#include "liquid/rim.h"
#include "liquid/solid.h"

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
    FACES(rub),
    FACES(inlet),
    FACES(push),
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
    {"room", offsetof(dr_liquid, room), DR_TYPE_FLOAT32, 4 * DR_BLOCK_NODES, "", ""},
    BYTES(kind, DR_BLOCK_NODES),
    BYTES(known, DR_BLOCK_NODES),
    BYTES(spare, DR_BLOCK_NODES),
    BYTES(touch, DR_BLOCK_NODES),
    BYTES(inflow, DR_BLOCK_NODES),
    BYTES(shut, DR_BLOCK_NODES),
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
    dr_gaps_open(&liquid->gaps, world->allocator);
    dr_inside_open(&liquid->inside, world->allocator);
    dr_pockets_open(&liquid->pockets, world->allocator);
    dr_relax_open(&liquid->relax, world->allocator);
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
    dr_gaps_close(&liquid->gaps);
    dr_inside_close(&liquid->inside);
    dr_pockets_close(&liquid->pockets);
    dr_relax_close(&liquid->relax);
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

// Layers of faces beyond the known ones that a particle may meet in a step.
#define LAYERS 3

void dr_liquid_predict(dr_world *world, const dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    if (liquid->grid.block_count == 0) return;
    visit_blocks(world, attempt, predict_blocks);
    dr_extrapolate_faces(&liquid->grid, &world->par, LAYERS, liquid->velocity, liquid->known, liquid->spare);
    memcpy(liquid->predicted, liquid->velocity, liquid->grid.block_count * FACE_FLOATS * sizeof(float));
}

// ---- surface

bool dr_liquid_surface(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    const float *corner = liquid->has_solids ? liquid->corner : NULL;
    if (!dr_surface_build(&liquid->surface, &liquid->grid, &world->par, &world->state.liquid, corner, liquid->spacing))
        return false;
    dr_surface_mark(&liquid->grid, &world->par, liquid->surface.distance, corner ? liquid->open_volume : NULL,
                    liquid->kind);
    return true;
}

bool dr_liquid_fill_gaps(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    if (!dr_gaps_fill(&liquid->gaps, &liquid->grid, &world->par, liquid->kind, liquid->surface.distance)) return false;
    dr_surface_cut(&liquid->grid, &world->par, liquid->surface.distance, liquid->kind, liquid->theta);
    return true;
}

static void volume_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_grid *grid = &world->liquid.grid;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0;
        for (size_t p = grid->first[b]; p < grid->first[b + 1]; p++) sum += (double)world->state.liquid.volume[p];
        world->partial[b] = sum;
    }
}

static double particle_volume(dr_world *world)
{
    size_t blocks = world->liquid.grid.block_count;
    dr_par_for(&world->par, blocks, 32, volume_blocks, world);
    return dr_par_sum(world->partial, blocks);
}

static bool find_inside(dr_world *world, double dt)
{
    dr_liquid *liquid = &world->liquid;
    const dr_inside_solids solids = {liquid->open_volume, liquid->open_area, liquid->solid_velocity, dt};
    return dr_inside_find(&liquid->inside, &liquid->grid, &world->par, liquid->surface.distance,
                          liquid->has_solids ? &solids : NULL);
}

bool dr_liquid_measure(dr_world *world, double dt)
{
    dr_liquid *liquid = &world->liquid;
    if (!find_inside(world, dt)) return false;
    liquid->occupied =
        dr_inside_volume(&liquid->inside, &liquid->grid, &world->par, &world->state.liquid, world->partial);
    double volume = particle_volume(world);
    liquid->swollen = volume > 0.0 ? liquid->occupied / volume - 1.0 : 0.0;
    return true;
}

bool dr_liquid_settle(dr_world *world, double dt)
{
    dr_liquid *liquid = &world->liquid;
    liquid->shown.kept = false;
    if (!dr_liquid_fill_gaps(world) || (liquid->gaps.filled > 0 && !find_inside(world, dt))) return false;
    return dr_pockets_find(&liquid->pockets, &liquid->grid, &world->par, liquid->kind,
                           liquid->has_solids ? liquid->open_area : NULL,
                           liquid->has_solids ? liquid->open_volume : NULL);
}

// ---- beyond the liquid

static void subtract_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = &((const pass *)user)->world->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) liquid->velocity[i] -= liquid->predicted[i];
}

// The largest change of a block's faces that are known.
static void change_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_liquid *liquid = &world->liquid;
    for (size_t b = begin; b < end; b++) {
        float largest = 0.0F;
        for (size_t i = b * FACE_FLOATS; i < (b + 1) * FACE_FLOATS; i++) {
            if (liquid->known[i / 4] >> (i % 4) & 1) largest = fmaxf(largest, fabsf(liquid->velocity[i]));
        }
        world->partial[b] = (double)largest;
    }
}

// Changes that are carried on may grow beyond the largest that is known, but not without end: in gaps narrower than a
// cell, particles are moved by them alone.
#define CARRIED 1.5

static float largest_carried(dr_world *world, const dr_try *attempt)
{
    double largest = 0.0;
    visit_blocks(world, attempt, change_blocks);
    for (size_t b = 0; b < world->liquid.grid.block_count; b++) largest = fmax(largest, world->partial[b]);
    return (float)(CARRIED * largest);
}

typedef struct adding {
    dr_liquid *liquid;
    float most; // of a change
} adding;

static void add_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const adding *job = user;
    dr_liquid *liquid = job->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) {
        bool reached = liquid->known[i / 4] >> (i % 4) & 1;
        bool buried = !reached && liquid->has_solids && !(liquid->open_area[i] > 0.0F);
        float own = liquid->velocity[i], change = fabsf(own) > job->most ? copysignf(job->most, own) : own;
        liquid->velocity[i] = buried ? liquid->solid_velocity[i] : change + liquid->predicted[i];
    }
}

// Particles in a corner of solids touch faces two cells away along every axis.
#define CORNER_LAYERS 6

// Faces beyond the liquid that particles still touch keep their own velocity and take over what the solves changed at
// the liquid's faces nearby: a rotation is carried on, where the velocity itself carried outwards would slow it down.
// Deep in solids nothing changed, and gravity alone would be left: there the solid's velocity holds.
static void carry_changes(dr_world *world, const dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    const float *open = liquid->has_solids ? liquid->open_area : NULL;
    visit_blocks(world, attempt, subtract_blocks);
    dr_extrapolate_know(&liquid->grid, &world->par, liquid->kind, open, liquid->known);
    adding sum = {liquid, largest_carried(world, attempt)};
    int layers = liquid->has_solids ? CORNER_LAYERS : LAYERS;
    dr_extrapolate_faces(&liquid->grid, &world->par, layers, liquid->velocity, liquid->known, liquid->spare);
    dr_par_for(&world->par, liquid->grid.block_count, 32, add_blocks, &sum);
}

static void swap_result(dr_liquid *liquid)
{
    float *swap = liquid->velocity;
    liquid->velocity = liquid->result;
    liquid->result = swap;
}

// The velocity that solids lend to the faces they cover.
static void constrain(dr_world *world, double dt, bool before_pressure)
{
    dr_liquid *liquid = &world->liquid;
    double cell = liquid->grid.cell, nu = world->constants.liquid_viscosity / world->constants.liquid_density;
    dr_solid_slip slip = {.corner = liquid->corner,
                          .open_area = liquid->open_area,
                          .solid_velocity = liquid->solid_velocity,
                          .friction = liquid->friction,
                          .diffusion = (float)(nu * dt / (cell * cell)),
                          .before_pressure = before_pressure};
    dr_solid_constrain(&slip, &liquid->grid, &world->par, liquid->velocity, liquid->result);
    swap_result(liquid);
}

// ---- viscosity

// Conjugate gradients come closer to the least of the energy in every iteration, so an answer that is this close may be
// used where iterations run out: shorter steps would take hardly fewer.
#define ROUGH_VISCOSITY 1e-3

static bool is_thick_enough(const dr_solve_report *report)
{
    return report->reason == DR_REASON_CONVERGED ||
           (report->reason == DR_REASON_ITERATIONS && report->residual < ROUGH_VISCOSITY);
}

static bool solve_viscosity(dr_world *world, dr_try *attempt, const float *push, float *velocity)
{
    dr_liquid *liquid = &world->liquid;
    const dr_constants *constants = &world->constants;
    dr_strain_problem problem = {.dt = attempt->dt,
                                 .level = liquid->surface.distance,
                                 .uniform_viscosity = constants->liquid_viscosity,
                                 .uniform_density = constants->liquid_density,
                                 .push = push};
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
    if (!dr_viscosity_solve(&liquid->viscosity, &liquid->grid, &world->par, &problem, &goal, velocity,
                            &liquid->viscosity_report))
        return false;
    if (!is_thick_enough(&liquid->viscosity_report)) {
        attempt->rejected = true;
        attempt->reason = "the viscosity did not converge";
    }
    return true;
}

// Walls with friction hold liquid at first; where that takes more than they can, they let go. Nobody reads spare.
static bool solve_friction(dr_world *world, dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    dr_friction friction = {.dt = attempt->dt,
                            .viscosity = world->constants.liquid_viscosity,
                            .velocity = liquid->result,
                            .solid = liquid->corner,
                            .solid_velocity = liquid->solid_velocity,
                            .coefficient = liquid->rub,
                            .pressure = liquid->pressure};
    dr_friction_slip slip = {liquid->grip, liquid->push, liquid->spare};
    memcpy(liquid->result, liquid->velocity, liquid->grid.block_count * FACE_FLOATS * sizeof(float));
    if (!solve_viscosity(world, attempt, NULL, liquid->result)) return false;
    if (attempt->rejected || dr_friction_find(&friction, &liquid->grid, &world->par, &slip, world->partial) == 0.0) {
        swap_result(liquid);
        return true;
    }
    return solve_viscosity(world, attempt, liquid->push, liquid->velocity);
}

bool dr_liquid_thicken(dr_world *world, dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    liquid->viscous = world->constants.liquid_viscosity > 0.0;
    if (!liquid->viscous || liquid->grid.block_count == 0) return true;
    bool ok =
        liquid->solids_rub ? solve_friction(world, attempt) : solve_viscosity(world, attempt, NULL, liquid->velocity);
    if (ok && liquid->solids_hold) constrain(world, attempt->dt, true);
    return ok;
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

static void release_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_liquid *liquid = &job->world->liquid;
    for (size_t i = begin * FACE_FLOATS; i < end * FACE_FLOATS; i++) {
        liquid->velocity[i] += liquid->mobility[i] * liquid->gradient[i];
        liquid->result[i] = liquid->velocity[i] - liquid->predicted[i];
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

// Slower than this share of sqrt(g h) the edge of a liquid is at rest but for its swinging.
#define EDGE_SLOW 0.03

// An edge that leans on a wall is held by its weight as it would be after this many times the time in which it falls
// a cell.
#define EDGE_TIME 2.0

// velocity: that before the pressure. Cuts that are held already (theta NULL) are only told of its change.
static void hold_edge(dr_world *world, const dr_try *attempt, const float *velocity, float *theta)
{
    dr_liquid *liquid = &world->liquid;
    double cell = liquid->grid.cell, g = world->acceleration;
    if (!liquid->has_solids || !(g > 0.0)) return;
    dr_edge edge = {.lean = liquid->surface.lean,
                    .kind = liquid->kind,
                    .velocity = velocity,
                    .old = liquid->old,
                    .slow = EDGE_SLOW * sqrt(g * cell),
                    .mobility = liquid->mobility,
                    .resistance = world->constants.liquid_density * g * fmax(attempt->dt, EDGE_TIME * sqrt(cell / g))};
    dr_edge_hold(&edge, &liquid->grid, &world->par, theta, liquid->ghost);
}

static bool solve_pressure(dr_world *world, dr_try *attempt, const float *source)
{
    dr_liquid *liquid = &world->liquid;
    dr_pressure_problem problem = {.grid = &liquid->grid,
                                   .kind = liquid->has_inflow ? liquid->shut : liquid->kind,
                                   .flux = liquid->velocity,
                                   .mobility = liquid->mobility,
                                   .open = liquid->has_solids ? liquid->open_area : NULL,
                                   .solid_velocity = liquid->has_inflow   ? liquid->inlet
                                                     : liquid->has_solids ? liquid->solid_velocity
                                                                          : NULL,
                                   .theta = liquid->theta,
                                   .ghost_pressure = liquid->ghost,
                                   .source = source,
                                   .guess = liquid->guess};
    if (!dr_pressure_solve(&liquid->solver, &world->par, &problem, &dr_pressure_defaults, liquid->pressure,
                           liquid->gradient, &liquid->pressure_report))
        return false;
    if (liquid->pressure_report.reason == DR_REASON_CONVERGED) {
        visit_blocks(world, attempt, correct_blocks);
        dr_liquid_let_in(world);
    } else {
        attempt->rejected = true;
        attempt->reason = "the pressure did not converge";
    }
    return true;
}

// Where solids hold liquid, viscosity must not see forces that the pressure takes back: they are taken back before it.
// docs/theory/viscosity.md, "Rest".
bool dr_liquid_press(dr_world *world, dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    liquid->pressed = liquid->solids_hold && world->constants.liquid_viscosity > 0.0 && liquid->grid.block_count > 0;
    if (!pull_surface(world, attempt)) return false;
    visit_blocks(world, attempt, mobility_blocks);
    dr_guess_place(world, liquid->guess);
    dr_liquid_find_inflow(world, attempt);
    if (!liquid->pressed) return true;
    hold_edge(world, attempt, liquid->velocity, liquid->theta);
    if (!solve_pressure(world, attempt, NULL)) return false;
    if (!attempt->rejected) carry_changes(world, attempt);
    return true;
}

bool dr_liquid_project(dr_world *world, dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    if (!dr_liquid_find_source(world, attempt)) return false;
    if (liquid->pressed) {
        visit_blocks(world, attempt, release_blocks);
        memcpy(liquid->guess, liquid->pressure, liquid->grid.block_count * DR_BLOCK_NODES * sizeof(float));
        hold_edge(world, attempt, liquid->result, NULL);
    } else {
        hold_edge(world, attempt, liquid->velocity, liquid->theta);
    }
    return solve_pressure(world, attempt, liquid->source);
}

// ---- beyond the liquid and inside solids

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
                  .share = liquid->room};
    dr_rim_close(&rim, &liquid->grid, &world->par, liquid->velocity);
}

void dr_liquid_extend(dr_world *world, const dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    carry_changes(world, attempt);
    close_rim(world, attempt);
    dr_liquid_let_in(world);
    if (!liquid->has_solids) return;
    constrain(world, attempt->dt, false);
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
        .field = liquid->velocity, .old = liquid->old, .dt = dt, .particles = &world->state.liquid};
    dr_transfer_from_faces(&liquid->transfer, &liquid->grid, &world->par, &back);
    dr_liquid_keep_out(world);
    dr_guess_keep(world);
}

// ---- tidying up

// Every so many steps particles are spread and resampled.
#define TIDY_STEPS    8
#define TIDY_STRENGTH 0.2

static bool resample(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    double cell = liquid->grid.cell, reference = cell * cell * cell / (double)liquid->per_cell;
    return dr_resample_plan(&liquid->resample, &liquid->grid, &world->par, &world->state.liquid, reference) &&
           dr_account_reserve(world, world->state.particles.count,
                              world->state.liquid.count + liquid->resample.fresh_count) &&
           dr_resample_apply(&liquid->resample, &liquid->grid, &world->state.liquid, (uint64_t)world->state.step,
                             &world->state.next_id);
}

static bool spread(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    dr_liquid_meet_solids(world);
    return dr_liquid_surface(world) && dr_liquid_fill_gaps(world) &&
           dr_relax_spread(&liquid->relax, &liquid->grid, &world->par, liquid->surface.distance,
                           liquid->has_solids ? liquid->corner : NULL, TIDY_STRENGTH, &world->state.liquid,
                           &liquid->relax_report);
}

// Where memory is out nothing is tidied, which does no harm.
void dr_liquid_tidy(dr_world *world)
{
    if (world->state.step % TIDY_STEPS != 0) return;
    dr_liquid_shown_keep(world);
    if (!dr_liquid_activate(world) || !resample(world)) return;
    if (dr_liquid_activate(world)) spread(world);
}
