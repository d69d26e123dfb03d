// Emitters as velocity boundaries of the liquid: what they bring makes its own room. docs/theory/exchange.md, "Inflow".
#include "world/world.h"

#include "collide/motion.h"
#include "liquid/halo.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define FACE_FLOATS (DR_BLOCK_NODES * 4)

// Cells whose middle is this close to an emitter belong to it, in cells: a shape that ends at their middles has them.
#define SNAP 1e-3

enum { MOST_EMITTERS = 255 };

static const double center_shift[3] = {0.5, 0.5, 0.5};

// The velocity of what an emitter brings in a step, on average over it; false where it brings nothing of its own.
static bool inflow_velocity(const dr_world *world, const dr_try *attempt, int index, double velocity[3])
{
    const dr_emitter *emitter = &world->constants.emitters[index];
    const dr_emitter_state *state = &world->state.emitters[index];
    bool spent = emitter->spec.volume_limit > 0.0 && state->emitted_volume >= emitter->spec.volume_limit;
    bool liquid = dr_matter_set(&world->constants.matter[emitter->matter]) == DR_SET_LIQUID;
    double seconds = dr_schedule_seconds(&emitter->spec.schedule, world->state.time, attempt->end);
    for (int a = 0; a < 3; a++) velocity[a] = emitter->spec.velocity[a] * seconds / attempt->dt;
    return liquid && !spent && !emitter->spec.waits && state->travel >= 0.0 && dr_vec3_length(velocity) > 0.0;
}

// ---- cells

typedef struct marking {
    dr_world *world;
    const dr_shape *shape;
    uint8_t mark;
    double within; // of the shape, cm
} marking;

static bool is_far(const marking *job, size_t block)
{
    const double middle_shift[3] = {2, 2, 2};
    double middle[3], cell = job->world->liquid.grid.cell;
    dr_liquid_place(&job->world->liquid.grid, block, 0, middle_shift, middle);
    return dr_shape_distance(job->shape, middle, NULL) > (2.0 * sqrt(3.0) + 1.0) * cell;
}

// The least distance of the middles of cells from the shape, per block.
static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const marking *job = user;
    for (size_t b = begin; b < end; b++) {
        double least = INFINITY, x[3];
        for (int c = 0; c < DR_BLOCK_NODES && !is_far(job, b); c++) {
            dr_liquid_place(&job->world->liquid.grid, b, c, center_shift, x);
            least = fmin(least, dr_shape_distance(job->shape, x, NULL));
        }
        job->world->partial[b] = least;
    }
}

static void mark_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const marking *job = user;
    dr_liquid *liquid = &job->world->liquid;
    for (size_t b = begin; b < end; b++) {
        double x[3];
        for (int c = 0; c < DR_BLOCK_NODES && job->world->partial[b] < job->within; c++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)c;
            dr_liquid_place(&liquid->grid, b, c, center_shift, x);
            bool open = !liquid->has_solids || liquid->open_volume[i] > 0.0F;
            if (open && dr_shape_distance(job->shape, x, NULL) < job->within) liquid->inflow[i] = job->mark;
        }
    }
}

// ---- faces

// The faces an emitter sends liquid through, counted as if it had no other side: sum of velocity out of it.
typedef struct sending {
    dr_world *world;
    uint8_t mark;
    double velocity[3], scale;
} sending;

// Outward velocity through the face between two cells, of which one is the emitter's.
static double outward(const sending *job, int a, bool own_above)
{
    double out = own_above ? -job->velocity[a] : job->velocity[a];
    return fmax(0.0, out);
}

static void count_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sending *job = user;
    const dr_liquid *liquid = &job->world->liquid;
    for (size_t b = begin; b < end; b++) {
        uint8_t inflow[DR_HALO_ITEMS];
        double sum = 0.0;
        dr_halo_load_bytes(&liquid->grid, b, liquid->inflow, 0, inflow);
        for (int i = 0; i < 3 * DR_BLOCK_NODES; i++) {
            int at = dr_halo_place(i / 3), a = i % 3;
            bool above = inflow[at] == job->mark, below = inflow[at - dr_halo_step[a]] == job->mark;
            float open =
                liquid->has_solids ? liquid->open_area[4 * (b * DR_BLOCK_NODES + (size_t)(i / 3)) + (size_t)a] : 1.0F;
            if (above != below) sum += (double)open * outward(job, a, above);
        }
        job->world->partial[b] = sum;
    }
}

// Inside the emitter its own velocity; out of it the one that brings its flux; nothing comes back in.
static void send_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sending *job = user;
    dr_liquid *liquid = &job->world->liquid;
    for (size_t b = begin; b < end; b++) {
        uint8_t inflow[DR_HALO_ITEMS];
        dr_halo_load_bytes(&liquid->grid, b, liquid->inflow, 0, inflow);
        for (int i = 0; i < 3 * DR_BLOCK_NODES; i++) {
            int at = dr_halo_place(i / 3), a = i % 3;
            bool above = inflow[at] == job->mark, below = inflow[at - dr_halo_step[a]] == job->mark;
            float *inlet = &liquid->inlet[4 * (b * DR_BLOCK_NODES + (size_t)(i / 3)) + (size_t)a];
            if (above && below) *inlet = (float)job->velocity[a];
            if (above != below) *inlet = (float)((above ? -1.0 : 1.0) * job->scale * outward(job, a, above));
        }
    }
}

static double sum_partial(dr_world *world)
{
    return dr_par_sum(world->partial, world->liquid.grid.block_count);
}

static bool mark_emitter(dr_world *world, int index)
{
    dr_liquid *liquid = &world->liquid;
    double least = INFINITY, cell = liquid->grid.cell;
    marking job = {.world = world, .shape = world->constants.emitters[index].shape, .mark = (uint8_t)(index + 1)};
    dr_par_for(&world->par, liquid->grid.block_count, 8, measure_blocks, &job);
    for (size_t b = 0; b < liquid->grid.block_count; b++) least = fmin(least, world->partial[b]);
    job.within = fmax(0.0, least) + SNAP * cell;
    if (!(least < cell)) return false;
    dr_par_for(&world->par, liquid->grid.block_count, 8, mark_blocks, &job);
    return true;
}

// Faces are a staircase around the shape: their velocity is scaled so that what leaves is what the emitter brings.
static void send_emitter(dr_world *world, int index, const double velocity[3])
{
    dr_liquid *liquid = &world->liquid;
    double cell = liquid->grid.cell, flux = world->constants.emitters[index].area * dr_vec3_length(velocity);
    sending job = {.world = world, .mark = (uint8_t)(index + 1)};
    memcpy(job.velocity, velocity, sizeof job.velocity);
    dr_par_for(&world->par, liquid->grid.block_count, 16, count_blocks, &job);
    double stairs = sum_partial(world) * cell * cell;
    job.scale = stairs > 0.0 ? flux / stairs : 0.0;
    dr_par_for(&world->par, liquid->grid.block_count, 16, send_blocks, &job);
}

// ---- the stages

// Cells of emitters are shut for the pressure.
static void shut_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = &((dr_world *)user)->liquid;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++)
        liquid->shut[i] = liquid->inflow[i] ? DR_CELL_SOLID : liquid->kind[i];
}

void dr_liquid_find_inflow(dr_world *world, const dr_try *attempt)
{
    dr_liquid *liquid = &world->liquid;
    size_t blocks = liquid->grid.block_count;
    int count = world->constants.emitter_count < MOST_EMITTERS ? world->constants.emitter_count : MOST_EMITTERS;
    double velocity[3];
    liquid->has_inflow = false;
    if (blocks == 0 || count == 0) return;
    memset(liquid->inflow, 0, blocks * DR_BLOCK_NODES);
    for (int i = 0; i < count; i++) {
        if (inflow_velocity(world, attempt, i, velocity) && mark_emitter(world, i)) liquid->has_inflow = true;
    }
    if (!liquid->has_inflow) return;
    size_t bytes = blocks * FACE_FLOATS * sizeof(float);
    if (liquid->has_solids)
        memcpy(liquid->inlet, liquid->solid_velocity, bytes);
    else
        memset(liquid->inlet, 0, bytes);
    for (int i = 0; i < count; i++) {
        if (inflow_velocity(world, attempt, i, velocity)) send_emitter(world, i, velocity);
    }
    dr_par_for(&world->par, blocks, 32, shut_blocks, world);
}

// Behind an emitter in air its own velocity holds on its faces too, so that what it brings gets away from them.
static void let_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = &((dr_world *)user)->liquid;
    for (size_t b = begin; b < end; b++) {
        uint8_t inflow[DR_HALO_ITEMS], kind[DR_HALO_ITEMS];
        dr_halo_load_bytes(&liquid->grid, b, liquid->inflow, 0, inflow);
        dr_halo_load_bytes(&liquid->grid, b, liquid->kind, DR_CELL_AIR, kind);
        for (int i = 0; i < 3 * DR_BLOCK_NODES; i++) {
            int at = dr_halo_place(i / 3), a = i % 3, below = at - dr_halo_step[a];
            size_t face = 4 * (b * DR_BLOCK_NODES + (size_t)(i / 3)) + (size_t)a;
            if (!inflow[at] && !inflow[below]) continue;
            bool behind = (bool)inflow[at] != (bool)inflow[below] && liquid->inlet[face] == 0.0F;
            bool air = kind[inflow[at] ? below : at] == DR_CELL_AIR;
            if (!(behind && air)) liquid->velocity[face] = liquid->inlet[face];
        }
    }
}

void dr_liquid_let_in(dr_world *world)
{
    if (world->liquid.has_inflow) dr_par_for(&world->par, world->liquid.grid.block_count, 16, let_blocks, world);
}

// ---- the flux

// The area of a shape as seen along a direction, every part of it counted where it is entered: lines through a lattice
// across it, at most this many along either side.
enum { LINES = 96, LOOKS = 192 };

static double line_entries(const dr_shape *shape, const double from[3], const double way[3], double step)
{
    double entries = 0.0, x[3];
    bool inside = false;
    for (int k = 0; k <= LOOKS; k++) {
        for (int a = 0; a < 3; a++) x[a] = from[a] + way[a] * step * k;
        bool now = dr_shape_distance(shape, x, NULL) < 0.0;
        entries += now && !inside ? 1.0 : 0.0;
        inside = now;
    }
    return entries;
}

double dr_emitter_area(const dr_shape *shape, const double velocity[3])
{
    dr_box box = dr_shape_bounds(shape);
    double length = dr_vec3_length(velocity), middle[3], radius = 0.0, way[3], one[3], two[3], sum = 0.0;
    for (int a = 0; a < 3; a++) {
        middle[a] = 0.5 * (box.min[a] + box.max[a]);
        radius += 0.25 * (box.max[a] - box.min[a]) * (box.max[a] - box.min[a]);
    }
    radius = sqrt(radius);
    if (!(length > 0.0) || !isfinite(radius)) return 0.0;
    for (int a = 0; a < 3; a++) way[a] = velocity[a] / length;
    const double helper[3] = {fabs(way[0]) < 0.7 ? 1.0 : 0.0, fabs(way[0]) < 0.7 ? 0.0 : 1.0, 0.0};
    dr_vec3_cross(one, way, helper);
    double across = dr_vec3_length(one);
    for (int a = 0; a < 3; a++) one[a] /= across;
    dr_vec3_cross(two, way, one);
    double pitch = 2.0 * radius / LINES;
    for (int i = 0; i < LINES * LINES; i++) {
        double u = (i / LINES + 0.5) * pitch - radius, v = (i % LINES + 0.5) * pitch - radius, from[3];
        for (int a = 0; a < 3; a++) from[a] = middle[a] - radius * way[a] + u * one[a] + v * two[a];
        sum += line_entries(shape, from, way, 2.0 * radius / LOOKS);
    }
    return sum * pitch * pitch;
}
