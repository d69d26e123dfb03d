// Bodies in liquid: elastic particles (and dust) as a phase of the mixture on the liquid's faces. The
// mean stress of a body is part of the one pressure, the rest of its stress is scattered to faces.
// docs/theory/mixture.md, section 6.
#include "world/world.h"

#include "base/columns.h"
#include "grid/halo.h"
#include "mixture/mixture.h"
#include "world/tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FACES(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_body_stage, name), DR_TYPE_FLOAT32, DR_BLOCK_FACES, "", ""                                  \
    }
#define CELLS(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(dr_body_stage, name), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""                                  \
    }

static const dr_column block_columns[] = {
    FACES(mass),     FACES(volume), FACES(momentum), FACES(drag),     FACES(old),   FACES(predicted),
    FACES(velocity), FACES(result), FACES(flux),     FACES(mobility), CELLS(solid), CELLS(open),
};
static const dr_column_table block_table = {block_columns, (int)(sizeof block_columns / sizeof *block_columns)};

static const dr_column particle_columns[] = {
    {"volume", offsetof(dr_body_stage, particle_volume), DR_TYPE_FLOAT32, 1, "", ""},
};
static const dr_column_table particle_table = {particle_columns, 1};

// ---- life

static bool has_other_matter(const dr_constants *constants)
{
    for (int i = 0; i < constants->matter_count; i++) {
        if (constants->matter[i].kind != DR_MATERIAL_LIQUID) return true;
    }
    return false;
}

// Faces know no other kernel with stress than the quadratic one.
void dr_body_stage_open(dr_world *world)
{
    dr_constants *constants = &world->constants;
    constants->bodies_meet_liquid = constants->has_liquid && (constants->has_thin || has_other_matter(constants));
    if (!constants->bodies_meet_liquid) return;
    constants->transfer.kernel = DR_KERNEL_QUADRATIC;
}

void dr_body_stage_close(dr_world *world)
{
    dr_columns_free(&block_table, &world->bodies, world->allocator, &world->bodies.capacity);
    dr_columns_free(&particle_table, &world->bodies, world->allocator, &world->bodies.particle_capacity);
}

bool dr_body_stage_reserve(dr_world *world)
{
    dr_body_stage *bodies = &world->bodies;
    if (!world->constants.bodies_meet_liquid) return true;
    return dr_columns_reserve(&particle_table, bodies, world->allocator, &bodies->particle_capacity,
                              world->state.particles.count) &&
           dr_columns_reserve(&block_table, bodies, world->allocator, &bodies->capacity, world->grid.block_count);
}

// ---- passes over blocks

typedef struct pass {
    dr_world *world;
    const dr_try *attempt;
    double dt;
} pass;

static void visit_blocks(dr_world *world, const dr_try *attempt, double dt, dr_par_body body)
{
    pass job = {world, attempt, dt};
    dr_par_for(&world->par, world->grid.block_count, 32, body, &job);
}

// ---- gather

static float determinant(const float f[9])
{
    return f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) + f[2] * (f[3] * f[7] - f[4] * f[6]);
}

static void measure_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_particles *particles = &world->state.particles;
    for (size_t p = begin; p < end; p++)
        world->bodies.particle_volume[p] =
            particles->volume[p] * fmaxf(DR_BODY_PRESSED, determinant(particles->strain + 9 * p));
}

// Grains have no surface of their own: what is between them moves with them. Nobody has written flux yet in this step.
static bool is_granular(dr_material_kind kind)
{
    return kind == DR_MATERIAL_SAND || kind == DR_MATERIAL_DUST;
}

static bool has_grains(const dr_constants *constants)
{
    for (int i = 0; i < constants->matter_count; i++) {
        if (is_granular(constants->matter[i].kind)) return true;
    }
    return false;
}

static void keep_grains(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    for (size_t p = begin; p < end; p++) {
        if (!is_granular(world->constants.matter[world->state.particles.body[p]].kind))
            world->bodies.particle_volume[p] = 0.0F;
    }
}

static void gather_volume(dr_world *world)
{
    dr_body_stage *bodies = &world->bodies;
    const dr_transfer *transfer = &world->constants.transfer;
    const dr_particles *particles = &world->state.particles;
    dr_par_for(&world->par, particles->count, DR_PARTICLE_CHUNK, measure_particles, world);
    dr_transfer_values_to_faces(transfer, &world->grid, &world->par, particles, bodies->particle_volume,
                                bodies->volume);
    dr_cloth_stage_gather_volume(world, bodies->result);
    if (!has_grains(&world->constants)) return;
    dr_par_for(&world->par, particles->count, DR_PARTICLE_CHUNK, keep_grains, world);
    dr_transfer_values_to_faces(transfer, &world->grid, &world->par, particles, bodies->particle_volume, bodies->flux);
}

// No slip inside bodies, between grains and beside sheets; the smeared surface of a body is smooth.
static void share_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_body_stage *bodies = &world->bodies;
    double cell = world->grid.cell, per_cell = 1.0 / (cell * cell * cell);
    bool granular = has_grains(&world->constants);
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
        double share = (double)bodies->volume[f] * per_cell;
        double grains = granular ? (double)bodies->flux[f] * per_cell : 0.0;
        double cover = world->constants.has_thin ? (double)bodies->result[f] * per_cell : 0.0;
        bool held = share >= DR_BODY_INSIDE || grains >= DR_BODY_GRAINS || cover >= DR_BODY_SHEET;
        bodies->drag[f] = held ? INFINITY : 0.0F;
        if (f % 4 == 3) bodies->solid[f / 4] = (float)share;
    }
}

static dr_phase_faces make_phase(const dr_body_stage *bodies)
{
    return (dr_phase_faces){
        .mass = bodies->mass, .volume = bodies->volume, .momentum = bodies->momentum, .drag = bodies->drag};
}

void dr_body_stage_gather(dr_world *world, double dt)
{
    dr_body_stage *bodies = &world->bodies;
    const dr_transfer *transfer = &world->constants.transfer;
    dr_particles *particles = &world->state.particles;
    if (!world->constants.bodies_meet_liquid) return;
    dr_transfer_stress_to_faces(transfer, &world->grid, &world->par, particles, dt,
                                world->constants.has_elastic ? dr_nodes_stress : NULL, world, bodies->mass,
                                bodies->momentum);
    dr_cloth_stage_gather(world, dt);
    gather_volume(world);
    visit_blocks(world, NULL, dt, share_blocks);
    dr_phase_faces phase = make_phase(bodies);
    dr_fraction_open(&world->grid, &world->par, &phase, 1, 1.0, bodies->open);
}

// ---- predict

static const double face_shift[3][3] = {{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};

static void predict_face(const pass *job, size_t block, int item, int axis)
{
    const dr_constants *constants = &job->world->constants;
    dr_body_stage *bodies = &job->world->bodies;
    size_t f = block * DR_BLOCK_FACES + (size_t)(4 * item + axis);
    float mass = bodies->mass[f];
    double v[3] = {0};
    bodies->old[f] = bodies->predicted[f] = 0.0F;
    if (mass < FLT_MIN) return;
    bodies->old[f] = bodies->momentum[f] / mass;
    v[axis] = (double)(bodies->old[f] + (float)(job->dt * constants->gravity[axis]));
    if (constants->force_count > 0) {
        double x[3];
        dr_grid_point(&job->world->grid, block, item, face_shift[axis], x);
        dr_forces_add(constants, x, job->attempt->end, job->dt, v);
    }
    bodies->predicted[f] = (float)v[axis];
    bodies->momentum[f] = mass * bodies->predicted[f];
}

static void predict_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) {
        for (int i = 0; i < 3 * DR_BLOCK_NODES; i++) predict_face(user, b, i / 3, i % 3);
    }
}

void dr_body_stage_predict(dr_world *world, const dr_try *attempt)
{
    if (world->constants.bodies_meet_liquid) visit_blocks(world, attempt, attempt->dt, predict_blocks);
}

// ---- the mixture

static dr_mixture make_mixture(const dr_world *world, const dr_phase_faces *phase, double dt)
{
    const dr_liquid *liquid = &world->liquid;
    return (dr_mixture){.grid = &world->grid,
                        .dt = dt,
                        .liquid_mass = liquid->mass,
                        .liquid_volume = liquid->constants.differ ? liquid->volume : NULL,
                        .liquid_velocity = liquid->velocity,
                        .liquid_density = liquid->constants.density,
                        .phases = phase,
                        .phase_count = 1,
                        .members = world->strand_liquid.wet ? &world->strand_liquid.members : NULL,
                        .by_volume = true,
                        .most = 1.0};
}

// Faces of bodies without liquid: what the liquid's velocity is continued from moves with the body.
static void follow_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_body_stage *bodies = &world->bodies;
    const dr_liquid *liquid = &world->liquid;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
        if (liquid->mass[f] > 0.0F || bodies->mass[f] < FLT_MIN || f % 4 == 3) continue;
        liquid->velocity[f] = liquid->predicted[f] = bodies->predicted[f];
    }
}

void dr_body_stage_mix(dr_world *world, double dt)
{
    const dr_body_stage *bodies = &world->bodies;
    if (!world->constants.bodies_meet_liquid) return;
    visit_blocks(world, NULL, dt, follow_blocks);
    dr_phase_faces phase = make_phase(bodies);
    dr_mixture mixture = make_mixture(world, &phase, dt);
    dr_mixture_eliminate(&mixture, &world->par, bodies->flux, bodies->mobility);
}

void dr_body_stage_correct(dr_world *world, double dt)
{
    const dr_body_stage *bodies = &world->bodies;
    if (!world->constants.bodies_meet_liquid) return;
    dr_phase_faces phase = make_phase(bodies);
    dr_mixture mixture = make_mixture(world, &phase, dt);
    float *velocity[1] = {bodies->velocity};
    dr_mixture_correct(&mixture, &world->par, world->liquid.gradient, world->liquid.velocity, velocity);
}

// ---- colliders and walls

// Component `other` of the body's velocity at a face across `axis`: the mean of the four faces around it.
static double beside(const dr_world *world, size_t block, int item, int axis, int other)
{
    const dr_body_stage *bodies = &world->bodies;
    double momentum = 0.0, mass = 0.0;
    for (int i = 0; i < 4; i++) {
        int x[3] = {item >> 4, item >> 2 & 3, item & 3};
        x[axis] -= i & 1;
        x[other] += i >> 1;
        int64_t from = dr_halo_find(&world->grid, block, x[0], x[1], x[2]);
        if (from < 0) continue;
        double m = (double)bodies->mass[4 * from + other];
        mass += m;
        momentum += m * (double)bodies->velocity[4 * from + other];
    }
    return mass > 0.0 ? momentum / mass : 0.0;
}

static void project_on_walls(const dr_world *world, const double x[3], double v[3])
{
    const dr_domain_spec *domain = &world->constants.domain;
    for (int side = 0; side < 6; side++) {
        int a = side / 2, kind = side & 1 ? domain->side_max[a] : domain->side_min[a];
        double inward = side & 1 ? domain->max[a] - x[a] : x[a] - domain->min[a], normal[3] = {0}, still[3] = {0};
        if (kind == DR_SIDE_OPEN || kind == DR_SIDE_PERIODIC || inward > DR_WORLD_ROUNDING * world->grid.cell) continue;
        normal[a] = side & 1 ? -1.0 : 1.0;
        int boundary = kind == DR_SIDE_STICKY     ? DR_BOUNDARY_STICKY
                       : kind == DR_SIDE_SEPARATE ? DR_BOUNDARY_SEPARATE
                                                  : DR_BOUNDARY_SLIP;
        dr_collider_project(boundary, kind == DR_SIDE_SYMMETRY ? 0.0 : domain->friction, normal, still, v);
    }
}

static void project_face(const dr_world *world, size_t block, int item, int axis)
{
    const dr_body_stage *bodies = &world->bodies;
    size_t f = block * DR_BLOCK_FACES + (size_t)(4 * item + axis);
    double x[3], v[3];
    if (bodies->mass[f] < FLT_MIN) return;
    for (int a = 0; a < 3; a++) v[a] = a == axis ? (double)bodies->velocity[f] : beside(world, block, item, axis, a);
    dr_grid_point(&world->grid, block, item, face_shift[axis], x);
    dr_collider_set_project(world->constants.colliders, x, 0.0, v);
    project_on_walls(world, x, v);
    bodies->result[f] = (float)v[axis];
}

static void project_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_body_stage *bodies = &world->bodies;
    size_t floats = DR_BLOCK_FACES;
    memcpy(bodies->result + begin * floats, bodies->velocity + begin * floats, (end - begin) * floats * sizeof(float));
    for (size_t b = begin; b < end; b++) {
        for (int i = 0; i < 3 * DR_BLOCK_NODES && world->cut.near_solid[b]; i++) project_face(world, b, i / 3, i % 3);
    }
}

static void project(dr_world *world)
{
    dr_body_stage *bodies = &world->bodies;
    if (!world->cut.has_solids) return;
    visit_blocks(world, NULL, 0.0, project_blocks);
    dr_load_keep_faces(world, bodies->velocity, bodies->result);
    float *swap = bodies->velocity;
    bodies->velocity = bodies->result;
    bodies->result = swap;
}

// ---- momentum of free pieces of liquid and bodies together

// flux: mass of both; mobility: their mean velocity before; result: and now. Nobody reads the first two any more.
static void join_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_body_stage *bodies = &world->bodies;
    const dr_liquid *liquid = &world->liquid;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
        double solid = (double)bodies->mass[f], wet = (double)liquid->mass[f], mass = solid + wet;
        double before = solid * (double)bodies->predicted[f] + wet * (double)liquid->predicted[f];
        double now = solid * (double)bodies->velocity[f] + wet * (double)liquid->velocity[f];
        bodies->flux[f] = (float)mass;
        bodies->mobility[f] = mass > 0.0 ? (float)(before / mass) : 0.0F;
        bodies->result[f] = mass > 0.0 ? (float)(now / mass) : 0.0F;
        bodies->predicted[f] = bodies->result[f];
    }
}

static void share_change(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    const dr_body_stage *bodies = &world->bodies;
    for (size_t f = begin * DR_BLOCK_FACES; f < end * DR_BLOCK_FACES; f++) {
        float change = bodies->result[f] - bodies->predicted[f];
        bodies->velocity[f] += change;
        world->liquid.velocity[f] += change;
    }
}

// What is held comes last: the balance of free pieces knows nothing of it. Implicit steps have it in their impulses.
bool dr_body_stage_collide(dr_world *world, const dr_try *attempt)
{
    dr_body_stage *bodies = &world->bodies;
    if (!world->constants.bodies_meet_liquid) return true;
    project(world);
    visit_blocks(world, NULL, 0.0, join_blocks);
    if (!dr_liquid_balance_of(&world->liquid, bodies->flux, bodies->mobility, bodies->result)) return false;
    visit_blocks(world, NULL, 0.0, share_change);
    if (!world->cloth.solve.on) dr_cloth_hold_solve(world, attempt);
    return true;
}

// ---- the verdict

static void judge_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = ((const pass *)user)->world;
    for (size_t b = begin; b < end; b++) {
        float largest = 0.0F;
        for (size_t f = b * DR_BLOCK_FACES; f < (b + 1) * DR_BLOCK_FACES && !isnan(largest); f++) {
            float size = f % 4 < 3 ? fabsf(world->bodies.velocity[f]) : 0.0F;
            if (world->bodies.mass[f] > 0.0F && !(size <= largest)) largest = size;
        }
        world->partial[b] = (double)largest;
    }
}

double dr_body_stage_fastest(dr_world *world)
{
    double largest = 0.0;
    const float *face = world->bodies.velocity;
    if (world->cloth.solve.on) return dr_nodes_fastest_points(world, dr_cloth_implicit_fastest(world, face), face);
    visit_blocks(world, NULL, 0.0, judge_blocks);
    for (size_t b = 0; b < world->grid.block_count && !isnan(largest); b++) {
        if (!(world->partial[b] <= largest)) largest = world->partial[b];
    }
    return largest;
}

// ---- back to the particles

void dr_body_stage_move(dr_world *world, double dt)
{
    if (!world->constants.bodies_meet_liquid) return;
    dr_strain_update job = {world, (float)dt};
    dr_transfer transfer = dr_nodes_transfer(world, dt);
    const dr_transfer_back back = {.field = world->bodies.velocity,
                                   .old = world->bodies.old,
                                   .dt = dt,
                                   .particles = &world->state.particles,
                                   .update = dr_nodes_strain,
                                   .user = &job};
    dr_transfer_from_faces(&transfer, &world->grid, &world->par, &back);
}
