// Inlets as velocity boundaries of the liquid: what they bring pushes what is there away. docs/theory/exchange.md,
// "Inflow".
#include "grid/halo.h"
#include "liquid/tuning.h"
#include "liquid/liquid.h"

#include <math.h>
#include <string.h>

static const double center_shift[3] = {0.5, 0.5, 0.5};

// ---- cells

typedef struct marking {
    dr_liquid *liquid;
    const dr_shape *shape;
    uint8_t mark;
    double within; // of the shape, cm
} marking;

static bool is_far(const marking *job, size_t block)
{
    const double middle_shift[3] = {2, 2, 2};
    double middle[3], cell = job->liquid->grid->cell;
    dr_grid_point(job->liquid->grid, block, 0, middle_shift, middle);
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
            dr_grid_point(job->liquid->grid, b, c, center_shift, x);
            least = fmin(least, dr_shape_distance(job->shape, x, NULL));
        }
        job->liquid->partial[b] = least;
    }
}

static void mark_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const marking *job = user;
    dr_liquid *liquid = job->liquid;
    for (size_t b = begin; b < end; b++) {
        double x[3];
        for (int c = 0; c < DR_BLOCK_NODES && job->liquid->partial[b] < job->within; c++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)c;
            dr_grid_point(liquid->grid, b, c, center_shift, x);
            bool open = !liquid->constants.has_solids || liquid->solids.open_volume[i] > 0.0F;
            if (open && dr_shape_distance(job->shape, x, NULL) < job->within) liquid->inflow[i] = job->mark;
        }
    }
}

// ---- faces

// The faces an inlet sends liquid through, counted as if it had no other side: sum of velocity out of it.
typedef struct sending {
    dr_liquid *liquid;
    uint8_t mark;
    double velocity[3], scale;
} sending;

// Outward velocity through the face between two cells, of which one is the inlet's.
static double outward(const sending *job, int a, bool own_above)
{
    double out = own_above ? -job->velocity[a] : job->velocity[a];
    return fmax(0.0, out);
}

static void count_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sending *job = user;
    const dr_liquid *liquid = job->liquid;
    for (size_t b = begin; b < end; b++) {
        uint8_t inflow[DR_HALO_ITEMS];
        double sum = 0.0;
        dr_halo_load_bytes(liquid->grid, b, liquid->inflow, 0, inflow);
        for (int i = 0; i < 3 * DR_BLOCK_NODES; i++) {
            int at = dr_halo_place(i / 3), a = i % 3;
            bool above = inflow[at] == job->mark, below = inflow[at - dr_halo_step[a]] == job->mark;
            float open = liquid->constants.has_solids
                             ? liquid->solids.open_area[4 * (b * DR_BLOCK_NODES + (size_t)(i / 3)) + (size_t)a]
                             : 1.0F;
            if (above != below) sum += (double)open * outward(job, a, above);
        }
        job->liquid->partial[b] = sum;
    }
}

// Inside the inlet its own velocity; out of it the one that brings its flux; nothing comes back in.
static void send_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sending *job = user;
    dr_liquid *liquid = job->liquid;
    for (size_t b = begin; b < end; b++) {
        uint8_t inflow[DR_HALO_ITEMS];
        dr_halo_load_bytes(liquid->grid, b, liquid->inflow, 0, inflow);
        for (int i = 0; i < 3 * DR_BLOCK_NODES; i++) {
            int at = dr_halo_place(i / 3), a = i % 3;
            bool above = inflow[at] == job->mark, below = inflow[at - dr_halo_step[a]] == job->mark;
            float *inlet = &liquid->inlet[4 * (b * DR_BLOCK_NODES + (size_t)(i / 3)) + (size_t)a];
            if (above && below) *inlet = (float)job->velocity[a];
            if (above != below) *inlet = (float)((above ? -1.0 : 1.0) * job->scale * outward(job, a, above));
        }
    }
}

static bool mark_inlet(dr_liquid *liquid, const dr_shape *shape, int index)
{
    double least = INFINITY, cell = liquid->grid->cell;
    marking job = {.liquid = liquid, .shape = shape, .mark = (uint8_t)(index + 1)};
    dr_par_for(liquid->par, liquid->grid->block_count, 8, measure_blocks, &job);
    for (size_t b = 0; b < liquid->grid->block_count; b++) least = fmin(least, liquid->partial[b]);
    job.within = fmax(0.0, least) + DR_LIQUID_SNAP * cell;
    if (!(least < cell)) return false;
    dr_par_for(liquid->par, liquid->grid->block_count, 8, mark_blocks, &job);
    return true;
}

// Faces are a staircase around the shape: their velocity is scaled so that what leaves is what the inlet brings.
static void send_inlet(dr_liquid *liquid, const dr_liquid_inlet *inlet, int index)
{
    double cell = liquid->grid->cell;
    sending job = {.liquid = liquid, .mark = (uint8_t)(index + 1)};
    memcpy(job.velocity, inlet->velocity, sizeof job.velocity);
    dr_par_for(liquid->par, liquid->grid->block_count, 16, count_blocks, &job);
    double stairs = dr_par_sum(liquid->partial, liquid->grid->block_count) * cell * cell;
    job.scale = stairs > 0.0 ? inlet->flux / stairs : 0.0;
    dr_par_for(liquid->par, liquid->grid->block_count, 16, send_blocks, &job);
}

// ---- the stages

// Cells of inlets are shut for the pressure.
static void shut_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = user;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++)
        liquid->shut[i] = liquid->inflow[i] ? DR_CELL_SOLID : liquid->kind[i];
}

void dr_liquid_find_inflow(dr_liquid *liquid, const dr_liquid_inlet *inlets, int count)
{
    size_t blocks = liquid->grid->block_count, bytes = blocks * DR_BLOCK_FACES * sizeof(float);
    liquid->has_inflow = false;
    if (blocks == 0 || count == 0) return;
    memset(liquid->inflow, 0, blocks * DR_BLOCK_NODES);
    for (int i = 0; i < count; i++) {
        if (mark_inlet(liquid, inlets[i].shape, i)) liquid->has_inflow = true;
    }
    if (!liquid->has_inflow) return;
    if (liquid->constants.has_solids)
        memcpy(liquid->inlet, liquid->solids.velocity, bytes);
    else
        memset(liquid->inlet, 0, bytes);
    for (int i = 0; i < count; i++) send_inlet(liquid, &inlets[i], i);
    dr_par_for(liquid->par, blocks, 32, shut_blocks, liquid);
}

// Behind an inlet in air its own velocity holds on its faces too, so that what it brings gets away from them.
static void let_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = user;
    for (size_t b = begin; b < end; b++) {
        uint8_t inflow[DR_HALO_ITEMS], kind[DR_HALO_ITEMS];
        dr_halo_load_bytes(liquid->grid, b, liquid->inflow, 0, inflow);
        dr_halo_load_bytes(liquid->grid, b, liquid->kind, DR_CELL_AIR, kind);
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

void dr_liquid_let_in(dr_liquid *liquid)
{
    if (liquid->has_inflow) dr_par_for(liquid->par, liquid->grid->block_count, 16, let_blocks, liquid);
}
