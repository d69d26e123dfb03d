// Surface tension at the free surface. docs/theory/tension.md, eq. (5)-(10).
//   W    weight of band cells, a hat over the distance from the surface
//   L    the surface's Laplacian times W: differences between band cells, weighted alike
//   k'   (W + beta L W^-1 L) k' = W k: the curvature with waves too fast for the step held back
#include "liquid/tension.h"

#include "liquid/tuning.h"
#include "liquid/curvature.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { CELLS = DR_BLOCK_NODES, WEIGHTS = 4 };

static const int block_step[3] = {9, 3, 1}; // in the table of 27 neighbours
static const double nothing[CELLS];
static const float no_weight[CELLS];

double dr_tension_step_limit(double density, double tension, double cell)
{
    if (!(tension > 0.0)) return (double)INFINITY;
    return sqrt(density * cell * cell * cell / (6.283185307179586 * tension));
}

// ---- memory

enum { BLOCK_ARRAYS = 3, ARRAYS = 9 };

// By block first, then by slot.
static void list_arrays(dr_tension *t, dr_work_array list[ARRAYS])
{
    const dr_work_array arrays[ARRAYS] = {
        {(void **)&t->curvature, CELLS * sizeof(float)},
        {(void **)&t->spare, 2 * CELLS * sizeof(float)},
        {(void **)&t->slot, sizeof(int32_t)},
        {(void **)&t->block, sizeof(uint32_t)},
        {(void **)&t->weight, WEIGHTS * CELLS * sizeof(float)},
        {(void **)&t->smooth, CELLS * sizeof(double)},
        {(void **)&t->rhs, CELLS * sizeof(double)},
        {(void **)&t->middle, CELLS * sizeof(double)},
        {(void **)&t->inverse, CELLS * sizeof(double)},
    };
    memcpy(list, arrays, sizeof arrays);
}

static bool reserve(dr_tension *tension, int first, int last, size_t *capacity, size_t count)
{
    dr_work_array list[ARRAYS];
    list_arrays(tension, list);
    return dr_work_reserve(tension->allocator, list + first, last - first, capacity, count + 1);
}

void dr_tension_open(dr_tension *tension, const dr_allocator *allocator)
{
    *tension = (dr_tension){.allocator = allocator};
    dr_krylov_open(&tension->krylov, allocator);
}

void dr_tension_close(dr_tension *tension)
{
    dr_work_array list[ARRAYS];
    list_arrays(tension, list);
    dr_work_free(tension->allocator, list, BLOCK_ARRAYS, &tension->capacity);
    dr_work_free(tension->allocator, list + BLOCK_ARRAYS, ARRAYS - BLOCK_ARRAYS, &tension->slot_capacity);
    dr_krylov_close(&tension->krylov);
    *tension = (dr_tension){0};
}

size_t dr_tension_bytes(const dr_tension *tension)
{
    dr_tension copy = *tension;
    dr_work_array list[ARRAYS];
    list_arrays(&copy, list);
    size_t sum = dr_krylov_bytes(&tension->krylov);
    for (int i = 0; i < ARRAYS; i++) {
        sum += list[i].row_bytes * (i < BLOCK_ARRAYS ? tension->capacity : tension->slot_capacity);
    }
    return sum;
}

// ---- the band

static bool find_slots(dr_tension *tension, const float *level)
{
    const dr_grid *grid = tension->grid;
    float reach = DR_TENSION_BAND * (float)grid->cell;
    tension->slots = 0;
    for (size_t b = 0; b < grid->block_count; b++) {
        bool near = false;
        for (int c = 0; c < CELLS && !near; c++) near = fabsf(level[b * CELLS + (size_t)c]) < reach;
        tension->slot[b] = near ? (int32_t)tension->slots++ : -1;
    }
    if (!reserve(tension, BLOCK_ARRAYS, ARRAYS, &tension->slot_capacity, tension->slots)) return false;
    if (!dr_krylov_reserve(&tension->krylov, tension->slots * CELLS)) return false;
    for (size_t b = 0; b < grid->block_count; b++) {
        if (tension->slot[b] >= 0) tension->block[tension->slot[b]] = (uint32_t)b;
    }
    return true;
}

// The slot one block up (side 1) or down (-1) along an axis, -1: none.
static int32_t next_slot(const dr_tension *tension, size_t slot, int axis, int side)
{
    int32_t to = tension->grid->neighbour[27 * (size_t)tension->block[slot] + (size_t)(13 + side * block_step[axis])];
    return to < 0 ? -1 : tension->slot[to];
}

typedef struct weighing {
    dr_tension *tension;
    const float *level;
} weighing;

static float hat(const float *level, float cell)
{
    return fmaxf(0.0F, 1.0F - fabsf(*level) / (DR_TENSION_BAND * cell));
}

static void weigh_slots(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const weighing *job = user;
    const dr_tension *t = job->tension;
    float cell = (float)t->grid->cell;
    for (size_t s = begin; s < end; s++) {
        const float *here = job->level + (size_t)t->block[s] * CELLS;
        float *weight = t->weight + s * WEIGHTS * CELLS;
        for (int c = 0; c < CELLS; c++) weight[c] = hat(here + c, cell);
        for (int a = 0; a < 3; a++) {
            int32_t below = next_slot(t, s, a, -1);
            for (int c = 0; c < CELLS; c++) {
                bool first = (c / dr_block_stride[a] & 3) == 0;
                const float *other = here + c - dr_block_stride[a];
                if (first)
                    other =
                        below < 0 ? NULL : job->level + (size_t)t->block[below] * CELLS + c + 3 * dr_block_stride[a];
                float there = other ? hat(other, cell) : 0.0F;
                weight[(1 + a) * CELLS + c] = sqrtf(there * weight[c]);
            }
        }
    }
}

// ---- the operator

typedef struct application {
    const dr_tension *tension;
    const double *x;
    double *y;
} application;

// What flows into a slot's cells from below and above along an axis: y += L x.
DR_INLINE void flow_axis(const dr_tension *t, size_t slot, int axis, const double *x, double *y)
{
    const int s = dr_block_stride[axis];
    int32_t below = next_slot(t, slot, axis, -1), above = next_slot(t, slot, axis, 1);
    const double *here = x + slot * CELLS, *low = below < 0 ? nothing : x + (size_t)below * CELLS;
    const double *high = above < 0 ? nothing : x + (size_t)above * CELLS;
    const float *w = t->weight + (slot * WEIGHTS + 1 + (size_t)axis) * CELLS;
    const float *w_high = above < 0 ? no_weight : t->weight + ((size_t)above * WEIGHTS + 1 + (size_t)axis) * CELLS;
    for (int c = 0; c < CELLS; c++) {
        bool first = (c / s & 3) == 0, last = (c / s & 3) == 3;
        double down = (double)w[c] * (here[c] - (first ? low[c + 3 * s] : here[c - s]));
        double up =
            last ? (double)w_high[c - 3 * s] * (high[c - 3 * s] - here[c]) : (double)w[c + s] * (here[c + s] - here[c]);
        y[c] += down - up;
    }
}

static void flow(const dr_tension *t, size_t slot, const double *x, double y[CELLS])
{
    memset(y, 0, CELLS * sizeof *y);
    flow_axis(t, slot, 0, x, y);
    flow_axis(t, slot, 1, x, y);
    flow_axis(t, slot, 2, x, y);
}

// middle = beta W^-1 L x
static void spread_slots(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const application *job = user;
    for (size_t s = begin; s < end; s++) {
        double y[CELLS];
        flow(job->tension, s, job->x, y);
        const float *w = job->tension->weight + s * WEIGHTS * CELLS;
        for (int c = 0; c < CELLS; c++) {
            job->tension->middle[s * CELLS + (size_t)c] =
                w[c] > 0.0F ? job->tension->stiffness * y[c] / (double)w[c] : 0.0;
        }
    }
}

// y = W x + L middle
static void close_slots(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const application *job = user;
    for (size_t s = begin; s < end; s++) {
        double y[CELLS];
        flow(job->tension, s, job->tension->middle, y);
        const float *w = job->tension->weight + s * WEIGHTS * CELLS;
        for (int c = 0; c < CELLS; c++) {
            size_t i = s * CELLS + (size_t)c;
            job->y[i] = (double)w[c] * job->x[i] + y[c];
        }
    }
}

static void apply(void *user, const double *x, double *y)
{
    const dr_tension *t = user;
    application job = {t, x, y};
    dr_par_for(t->par, t->slots, 32, spread_slots, &job);
    dr_par_for(t->par, t->slots, 32, close_slots, &job);
}

static void scale_slots(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const application *job = user;
    for (size_t i = begin * CELLS; i < end * CELLS; i++) job->y[i] = job->tension->inverse[i] * job->x[i];
}

static void precondition(void *user, const double *r, double *z)
{
    const dr_tension *t = user;
    application job = {t, r, z};
    dr_par_for(t->par, t->slots, 32, scale_slots, &job);
}

// ---- the curvature that is used

// Sum of the roots of the weights of a cell's neighbours: its faces' weights over the root of its own.
static double sum_roots(const dr_tension *t, size_t slot, int c)
{
    const float *w = t->weight + slot * WEIGHTS * CELLS;
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        bool last = (c / dr_block_stride[a] & 3) == 3;
        int32_t above = last ? next_slot(t, slot, a, 1) : (int32_t)slot;
        size_t up = (size_t)(last ? c - 3 * dr_block_stride[a] : c + dr_block_stride[a]), plane = 1 + (size_t)a;
        sum += (double)w[plane * CELLS + (size_t)c];
        if (above >= 0) sum += (double)t->weight[((size_t)above * WEIGHTS + plane) * CELLS + up];
    }
    return sum / sqrt((double)w[c]);
}

// The diagonal of (9): w + beta ((sum of roots)^2 + 6 w).
static void start_slots(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_tension *t = user;
    for (size_t s = begin; s < end; s++) {
        for (int c = 0; c < CELLS; c++) {
            size_t i = s * CELLS + (size_t)c;
            double w = (double)t->weight[s * WEIGHTS * CELLS + (size_t)c], roots = w > 0.0 ? sum_roots(t, s, c) : 0.0;
            t->smooth[i] = w > 0.0 ? (double)t->curvature[(size_t)t->block[s] * CELLS + (size_t)c] : 0.0;
            t->rhs[i] = w * t->smooth[i];
            t->inverse[i] = w > 0.0 ? 1.0 / (w + t->stiffness * (roots * roots + 6.0 * w)) : 0.0;
        }
    }
}

static dr_solve_report hold_back(dr_tension *tension, const dr_tension_problem *problem)
{
    double cell = tension->grid->cell,
           c = problem->dt * problem->dt * problem->uniform_tension / (4.0 * problem->density);
    dr_solve_report report = {"tension", DR_REASON_CONVERGED, 0, 0.0};
    tension->stiffness = fmax(DR_TENSION_LEAST, DR_TENSION_SAFETY * pow(c / (cell * cell * cell), 4.0 / 3.0));
    weighing job = {tension, problem->level};
    dr_par_for(tension->par, tension->slots, 32, weigh_slots, &job);
    dr_par_for(tension->par, tension->slots, 32, start_slots, tension);
    if (tension->slots == 0) return report;
    dr_krylov_system system = {tension->slots * CELLS, tension, apply, precondition};
    dr_krylov_goal goal = {DR_SOLVE_INNER, 0.0, DR_SOLVE_ITERATIONS};
    report = dr_krylov_solve(&tension->krylov, tension->par, &system, &goal, tension->rhs, tension->smooth);
    report.name = "tension";
    return report;
}

// ---- the pressure

typedef struct jump {
    const dr_tension *tension;
    const dr_tension_problem *problem;
    float *pressure;
} jump;

static double curvature_at(const dr_tension *t, size_t block, int c)
{
    return t->slot[block] < 0 ? 0.0 : t->smooth[(size_t)t->slot[block] * CELLS + (size_t)c];
}

static float jump_at(const jump *job, size_t block, int c, int axis)
{
    const dr_tension *t = job->tension;
    const dr_tension_problem *problem = job->problem;
    size_t below = block;
    int other = c - dr_block_stride[axis];
    if ((c / dr_block_stride[axis] & 3) == 0) {
        int32_t to = t->grid->neighbour[27 * block + (size_t)(13 - block_step[axis])];
        if (to < 0) return 0.0F;
        below = (size_t)to;
        other = c + 3 * dr_block_stride[axis];
    }
    size_t here = block * CELLS + (size_t)c, there = below * CELLS + (size_t)other;
    double level = (double)problem->level[here], level_below = (double)problem->level[there];
    if ((level < 0.0) == (level_below < 0.0)) return 0.0F;
    double part = level / (level - level_below); // of the way down to the surface
    double curvature = (1.0 - part) * curvature_at(t, block, c) + part * curvature_at(t, below, other);
    double sigma = problem->tension ? (double)problem->tension[level < 0.0 ? here : there] : problem->uniform_tension;
    return (float)(sigma * curvature);
}

static void jump_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const jump *job = user;
    for (size_t b = begin; b < end; b++) {
        float *to = job->pressure + b * CELLS * 4;
        memset(to, 0, CELLS * 4 * sizeof(float));
        if (job->tension->slot[b] < 0) continue;
        for (int c = 0; c < CELLS; c++) {
            for (int a = 0; a < 3; a++) to[4 * c + a] = jump_at(job, b, c, a);
        }
    }
}

bool dr_tension_find(dr_tension *tension, const dr_grid *grid, const dr_par *par, const dr_tension_problem *problem,
                     float *pressure, dr_solve_report *report)
{
    *report = (dr_solve_report){"tension", DR_REASON_CONVERGED, 0, 0.0};
    tension->grid = grid;
    tension->par = par;
    if (!reserve(tension, 0, BLOCK_ARRAYS, &tension->capacity, grid->block_count)) return false;
    if (!find_slots(tension, problem->level)) return false;
    dr_curvature_find(grid, par, problem->level, tension->spare, tension->curvature);
    *report = hold_back(tension, problem);
    jump job = {tension, problem, pressure};
    dr_par_for(par, grid->block_count, 32, jump_blocks, &job);
    return true;
}
