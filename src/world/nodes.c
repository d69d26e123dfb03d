// Matter on the grid's nodes: gather, forces, colliders, the verdict on a try, and the way back to the particles.
// docs/theory/step.md, docs/theory/transfer.md.
#include "world/world.h"

#include "math/mat3.h"
#include "math/simd.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define NODE_FLOATS (DR_BLOCK_NODES * 4)
#define LEAST_MASS  FLT_MIN // a node with less has lost its digits, and no velocity can be told from it

// Nothing lives on nodes where there is no matter but liquid, or where it shares the liquid's faces.
bool dr_nodes_used(const dr_world *world)
{
    return (world->state.particles.count > 0 || dr_cloth_stage_any(world)) && !world->constants.bodies_meet_liquid;
}

static bool is_empty(const dr_world *world)
{
    return !dr_nodes_used(world);
}

bool dr_nodes_reserve(dr_world *world)
{
    if (is_empty(world)) return true;
    size_t floats = world->grid.block_count * NODE_FLOATS;
    bool flip = world->constants.transfer.scheme == DR_SCHEME_FLIP;
    return dr_memory_reserve(world->allocator, (void **)&world->node, &world->node_capacity, floats, sizeof(float)) &&
           (!flip || dr_memory_reserve(world->allocator, (void **)&world->node_old, &world->node_old_capacity, floats,
                                       sizeof(float)));
}

// ---- gather

void dr_nodes_stress(const void *user, size_t first, size_t count, float (*stress)[9])
{
    for (size_t i = 0; i < count; i += DR_MATTER_BATCH)
        dr_matter_stress(user, first + i, count - i < DR_MATTER_BATCH ? count - i : DR_MATTER_BATCH, stress + i);
}

// RPIC damping of this step, from its value per damping_step.
double dr_nodes_damping(const dr_constants *constants, double dt)
{
    if (constants->damping_step <= 0.0) return constants->damping;
    return 1.0 - pow(1.0 - constants->damping, dt / constants->damping_step);
}

void dr_nodes_gather(dr_world *world, double dt)
{
    if (is_empty(world)) return;
    dr_transfer_stress stress = world->constants.has_elastic ? dr_nodes_stress : NULL;
    dr_transfer_to_nodes(&world->constants.transfer, &world->grid, &world->par, &world->state.particles, dt, stress,
                         world, world->node);
}

// ---- forces

typedef struct pass {
    dr_world *world;
    const dr_try *attempt;
} pass;

static void node_position(const dr_grid *grid, size_t block, int node, double x[3])
{
    static const double none[3] = {0};
    dr_grid_point(grid, block, node, none, x);
}

// Velocity from momentum, with the pull of gravity; the mass stays in lane 0. Two nodes at a time.
static void divide_block(float *node, float *old, const float pull[3])
{
    const dr_float8 least = dr_float8_all(LEAST_MASS), none = dr_float8_all(0.0F), one = dr_float8_all(1.0F);
    const dr_float4 change = {0.0F, pull[0], pull[1], pull[2]};
    const dr_float8 more = dr_float8_join(change, change);
    for (int n = 0; n < 4 * DR_BLOCK_NODES; n += 8) {
        dr_float8 all = dr_float8_load(node + n), mass = __builtin_shufflevector(all, all, 0, 0, 0, 0, 4, 4, 4, 4);
        dr_int8 empty = mass < least;
        dr_float8 still = dr_float8_select(empty, none, all / dr_float8_select(empty, one, mass));
        dr_float8 pulled = dr_float8_select(empty, none, still + more);
        if (old) dr_float8_store(old + n, __builtin_shufflevector(still, all, 8, 1, 2, 3, 12, 5, 6, 7));
        dr_float8_store(node + n, __builtin_shufflevector(pulled, all, 8, 1, 2, 3, 12, 5, 6, 7));
    }
}

static void predict_block(const pass *job, size_t block)
{
    const dr_world *world = job->world;
    const dr_constants *constants = &world->constants;
    float *node = world->node + block * NODE_FLOATS;
    float *old = constants->transfer.scheme == DR_SCHEME_FLIP ? world->node_old + block * NODE_FLOATS : NULL;
    double dt = job->attempt->dt;
    float pull[3];
    for (int a = 0; a < 3; a++) pull[a] = (float)(dt * constants->gravity[a]);
    divide_block(node, old, pull);
    for (int n = 0; n < DR_BLOCK_NODES && constants->force_count > 0; n++, node += 4) {
        if (node[0] < LEAST_MASS) continue;
        double x[3], v[3] = {(double)node[1], (double)node[2], (double)node[3]};
        node_position(&world->grid, block, n, x);
        dr_forces_add(constants, x, job->attempt->end, dt, v);
        for (int a = 0; a < 3; a++) node[1 + a] = (float)v[a];
    }
}

static void predict_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) predict_block(user, b);
}

void dr_nodes_predict(dr_world *world, const dr_try *attempt)
{
    if (is_empty(world)) return;
    pass job = {.world = world, .attempt = attempt};
    dr_par_for(&world->par, world->grid.block_count, 64, predict_blocks, &job);
}

// ---- colliders

static void collide_block(const pass *job, size_t block)
{
    const dr_world *world = job->world;
    const dr_collider_set *colliders = world->constants.colliders;
    double corner[3], center[3];
    node_position(&world->grid, block, 0, corner);
    for (int a = 0; a < 3; a++) center[a] = corner[a] + 1.5 * world->grid.cell;
    if (dr_collider_set_misses(colliders, center, 1.5 * sqrt(3.0) * world->grid.cell)) return;
    float *node = world->node + block * NODE_FLOATS;
    for (int n = 0; n < DR_BLOCK_NODES; n++, node += 4) {
        if (node[0] <= 0.0f) continue;
        double x[3], v[3] = {(double)node[1], (double)node[2], (double)node[3]};
        node_position(&world->grid, block, n, x);
        double closing = dr_cloth_gap_closing(world, block * DR_BLOCK_NODES + (size_t)n);
        if (!dr_collider_set_project(colliders, x, closing, v)) continue;
        for (int a = 0; a < 3; a++) node[1 + a] = (float)v[a];
    }
}

static void collide_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) collide_block(user, b);
}

void dr_nodes_collide(dr_world *world)
{
    if (is_empty(world) || dr_collider_set_count(world->constants.colliders) == 0) return;
    pass job = {.world = world};
    dr_par_for(&world->par, world->grid.block_count, 16, collide_blocks, &job);
}

// ---- the verdict

// Largest squared speed of a block; not a number where any node's is not.
static float judge_block(const float *node)
{
    dr_float4 largest = dr_float4_all(0.0F);
    dr_int4 sound = {-1, -1, -1, -1};
    for (int n = 0; n < 4 * DR_BLOCK_NODES; n += 16) {
        dr_float4 a = dr_float4_load(node + n), b = dr_float4_load(node + n + 4), c = dr_float4_load(node + n + 8);
        dr_float4 d = dr_float4_load(node + n + 12);
        dr_float4 xa = __builtin_shufflevector(a, b, 0, 1, 4, 5), xb = __builtin_shufflevector(c, d, 0, 1, 4, 5);
        dr_float4 ya = __builtin_shufflevector(a, b, 2, 3, 6, 7), yb = __builtin_shufflevector(c, d, 2, 3, 6, 7);
        dr_float4 x = __builtin_shufflevector(xa, xb, 1, 3, 5, 7), y = __builtin_shufflevector(ya, yb, 0, 2, 4, 6);
        dr_float4 z = __builtin_shufflevector(ya, yb, 1, 3, 5, 7), squared = x * x + y * y + z * z;
        sound &= squared == squared;
        largest = dr_float4_select(squared > largest, squared, largest);
    }
    float most = 0.0f;
    for (int l = 0; l < 4; l++) {
        if (!sound[l]) return NAN;
        most = fmaxf(most, largest[l]);
    }
    return most;
}

static void judge_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    for (size_t b = begin; b < end; b++)
        job->world->partial[b] = (double)judge_block(job->world->node + b * NODE_FLOATS);
}

// Of sizes that are not negative the larger has the larger bits, and what is not a number larger ones than infinity.
static void judge_points(void *user, size_t first, size_t count, const float (*value)[4], const float (*gradient)[9])
{
    (void)first, (void)gradient;
    atomic_uint *largest = user;
    for (size_t i = 0; i < count; i++) {
        float squared = value[i][0] * value[i][0] + value[i][1] * value[i][1] + value[i][2] * value[i][2];
        unsigned bits;
        memcpy(&bits, &squared, sizeof bits);
        bits &= 0x7fffffffU; // the sign of what is not a number
        unsigned before = atomic_load_explicit(largest, memory_order_relaxed);
        while (bits > before && !atomic_compare_exchange_weak(largest, &before, bits)) continue;
    }
}

double dr_nodes_fastest_points(const dr_world *world, double vertex, const float *face)
{
    const dr_particles *particles = &world->state.particles;
    if (particles->count == 0 || isnan(vertex)) return vertex;
    atomic_uint largest = 0;
    dr_transfer transfer = dr_nodes_transfer(world, 0.0);
    const dr_transfer_visit visit = {
        .places = dr_transfer_particle_places(particles), .call = judge_points, .user = &largest};
    if (face)
        dr_transfer_visit_faces(&transfer, &world->grid, &world->par, &visit, face);
    else
        dr_transfer_visit_nodes(&transfer, &world->grid, &world->par, &visit, world->node);
    float squared;
    unsigned bits = atomic_load(&largest);
    memcpy(&squared, &bits, sizeof squared);
    double particle = sqrt((double)squared);
    return vertex >= particle ? vertex : particle;
}

double dr_nodes_fastest(dr_world *world)
{
    pass job = {.world = world};
    double largest = 0.0;
    if (world->constants.bodies_meet_liquid) return dr_body_stage_fastest(world);
    if (is_empty(world)) return largest;
    if (world->cloth.solve.on) return dr_nodes_fastest_points(world, world->cloth.solve.fastest, NULL);
    dr_par_for(&world->par, world->grid.block_count, 64, judge_blocks, &job);
    for (size_t b = 0; b < world->grid.block_count && !isnan(largest); b++) {
        if (!(world->partial[b] <= largest)) largest = world->partial[b];
    }
    return sqrt(largest);
}

// ---- back to the particles

void dr_nodes_strain(void *user, size_t first, size_t count, const float (*gradient)[9])
{
    const dr_strain_update *job = user;
    for (size_t i = 0; i < count; i += DR_MATTER_BATCH) {
        size_t batch = count - i < DR_MATTER_BATCH ? count - i : DR_MATTER_BATCH;
        dr_matter_strain(job->world, first + i, batch, gradient + i, job->dt);
    }
}

dr_transfer dr_nodes_transfer(const dr_world *world, double dt)
{
    dr_transfer transfer = world->constants.transfer;
    transfer.damping = dr_nodes_damping(&world->constants, dt);
    return transfer;
}

void dr_nodes_move(dr_world *world, double dt)
{
    if (is_empty(world)) return;
    dr_strain_update job = {world, (float)dt};
    dr_transfer transfer = dr_nodes_transfer(world, dt);
    const dr_transfer_back back = {.field = world->node,
                                   .old = world->node_old,
                                   .dt = dt,
                                   .particles = &world->state.particles,
                                   .update = world->constants.has_elastic ? dr_nodes_strain : NULL,
                                   .user = &job};
    dr_transfer_from_nodes(&transfer, &world->grid, &world->par, &back);
}
