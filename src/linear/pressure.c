// From a pressure problem to pressure and gradient: assemble, find floating regions, solve, try again where needed.
// docs/theory/pressure.md.
#include "linear/pressure.h"

#include "base/clock.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { CELLS = DR_LEVEL_CELLS, GRAIN = DR_LEVEL_GRAIN, HALF_SWEEPS = 5, SAFE_HALF_SWEEPS = 9 };

typedef struct solution {
    dr_pressure *pressure;
    const dr_pressure_problem *problem;
    float *result, *gradient;
} solution;

// ---- start

// r *= scale, x = the guess; sum of r r.
static void start_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solution *what = user;
    dr_conjugate *conjugate = &what->pressure->conjugate;
    const float *guess = what->problem->guess;
    double sum = 0.0, scale = what->pressure->scale;
    for (size_t b = begin; b < end; b++) {
        uint64_t unknown = what->pressure->masks[b].unknown;
        const float *from = guess ? guess + CELLS * (size_t)what->pressure->grid_block[b] : NULL;
        for (int c = 0; c < CELLS; c++) {
            size_t n = CELLS * b + (size_t)dr_level_item(c >> 4, c >> 2 & 3, c & 3);
            float start = from && (unknown >> c & 1) && isfinite(from[c]) ? (float)(scale * (double)from[c]) : 0.0F;
            conjugate->p[n] = start;
            conjugate->x[n] = (double)start;
            conjugate->r[n] *= scale;
            sum += conjugate->r[n] * conjugate->r[n];
        }
    }
    conjugate->partial[begin / GRAIN] = sum;
}

static void subtract_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solution *what = user;
    dr_conjugate *conjugate = &what->pressure->conjugate;
    for (size_t n = CELLS * begin; n < CELLS * end; n++) conjugate->r[n] -= conjugate->q[n];
}

static double add_pieces(dr_conjugate *conjugate, size_t blocks)
{
    return dr_par_sum(conjugate->partial, (blocks + GRAIN - 1) / GRAIN);
}

static void square_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solution *what = user;
    dr_conjugate *conjugate = &what->pressure->conjugate;
    double sum = 0.0;
    for (size_t n = CELLS * begin; n < CELLS * end; n++) sum += conjugate->r[n] * conjugate->r[n];
    conjugate->partial[begin / GRAIN] = sum;
}

// Scales the right-hand side to mean square 1, so that floats neither overflow nor vanish, and starts from the guess.
// Returns the norm of the right-hand side, scaled; 0 where there is nothing to solve.
static double start(solution *what, const dr_par *par)
{
    dr_pressure *pressure = what->pressure;
    dr_conjugate *conjugate = &pressure->conjugate;
    dr_level *level = &pressure->multigrid.level[0];
    dr_par_for(par, level->block_count, GRAIN, square_piece, what);
    double norm = sqrt(add_pieces(conjugate, level->block_count));
    double scale = sqrt((double)pressure->facts.unknowns) / norm;
    pressure->scale = isfinite(scale) && scale > 0.0 ? scale : 1.0;
    dr_par_for(par, level->block_count, GRAIN, start_piece, what);
    norm = sqrt(add_pieces(conjugate, level->block_count));
    if (what->problem->guess) {
        dr_level_apply(level, par, conjugate->p, conjugate->q, conjugate->partial);
        dr_par_for(par, level->block_count, GRAIN, subtract_piece, what);
    }
    return norm;
}

// ---- results

static void clear_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solution *what = user;
    memset(what->result + CELLS * begin, 0, CELLS * (end - begin) * sizeof *what->result);
    memset(what->gradient + 4 * CELLS * begin, 0, 4 * CELLS * (end - begin) * sizeof *what->gradient);
}

// Row (i,j) of a block of x, in the order of k.
DR_INLINE dr_double4 take_row(const double *x, int i, int j)
{
    const double *even = x + dr_level_item(i, j, 0), *odd = x + dr_level_item(i, j, 1);
    return (dr_double4){even[0], odd[0], even[1], odd[1]};
}

// Pressures of a block in the order of its cells, with the layers below it: x [5][4][4], y [4][5][4], z [4][4][5].
typedef struct pressures {
    double own[CELLS], x_low[16], y_low[16], z_low[16];
} pressures;

static const double *block_values(const dr_pressure *pressure, int32_t g)
{
    int32_t b = g < 0 ? -1 : pressure->block_of[g];
    return b < 0 ? NULL : pressure->conjugate.x + CELLS * (size_t)b;
}

static void load_pressures(const dr_pressure *pressure, const dr_grid *grid, size_t g, pressures *to)
{
    const double *own = block_values(pressure, (int32_t)g), *low[3];
    dr_double4 scale = dr_double4_all(1.0 / pressure->scale);
    for (int a = 0; a < 3; a++)
        low[a] = block_values(pressure, grid->neighbour[27 * g + (size_t)(13 - dr_block_step[a])]);
    memset(to, 0, sizeof *to);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; own && j < 4; j++) dr_double4_store(to->own + 16 * i + 4 * j, scale * take_row(own, i, j));
        if (low[0]) dr_double4_store(to->x_low + 4 * i, scale * take_row(low[0], 3, i));
        if (low[1]) dr_double4_store(to->y_low + 4 * i, scale * take_row(low[1], i, 3));
        for (int j = 0; low[2] && j < 4; j++) to->z_low[4 * i + j] = low[2][dr_level_item(i, j, 3)] / pressure->scale;
    }
}

// Differences along x, y, z of four cells, as if all were liquid.
DR_INLINE void subtract_row(const pressures *p, int i, int j, double per_cell, dr_float4 cell[4])
{
    int c = 16 * i + 4 * j;
    dr_double4 own = dr_double4_load(p->own + c), rate = dr_double4_all(per_cell);
    dr_double4 x_low = dr_double4_load(i > 0 ? p->own + c - 16 : p->x_low + 4 * j);
    dr_double4 y_low = dr_double4_load(j > 0 ? p->own + c - 4 : p->y_low + 4 * i);
    dr_double4 z_low = {p->z_low[4 * i + j], own[0], own[1], own[2]};
    dr_float4 x = dr_double4_narrow(rate * (own - x_low)), y = dr_double4_narrow(rate * (own - y_low));
    dr_float4 z = dr_double4_narrow(rate * (own - z_low)), none = dr_float4_all(0.0F);
    dr_float4 xy_low = __builtin_shufflevector(x, y, 0, 4, 1, 5), xy_high = __builtin_shufflevector(x, y, 2, 6, 3, 7);
    dr_float4 z_first = __builtin_shufflevector(z, none, 0, 4, 1, 4),
              z_last = __builtin_shufflevector(z, none, 2, 4, 3, 4);
    cell[0] = __builtin_shufflevector(xy_low, z_first, 0, 1, 4, 5);
    cell[1] = __builtin_shufflevector(xy_low, z_first, 2, 3, 6, 7);
    cell[2] = __builtin_shufflevector(xy_high, z_last, 0, 1, 4, 5);
    cell[3] = __builtin_shufflevector(xy_high, z_last, 2, 3, 6, 7);
}

// Zero where nothing can pass.
DR_INLINE dr_float4 gate(const dr_pressure_problem *problem, size_t c, dr_float4 gradient)
{
    dr_float4 zero = dr_float4_all(0.0F), weight = dr_float4_load(problem->mobility + 4 * c);
    if (problem->open) weight *= dr_float4_load(problem->open + 4 * c);
    return dr_float4_select(weight > zero, gradient, zero);
}

// The gradient at a face between liquid and air. `value` is the liquid's, `side` 1 where the air is above.
static float surface_gradient(const dr_pressure_problem *problem, size_t face, double value, double side)
{
    float weight = problem->mobility[face] * (problem->open ? problem->open[face] : 1.0F);
    if (!(weight > 0.0F)) return 0.0F;
    double theta = problem->theta ? (double)problem->theta[face] : 1.0;
    theta = fmax(theta, (double)DR_PRESSURE_LEAST_THETA);
    double ghost = problem->ghost_pressure ? (double)problem->ghost_pressure[face] : 0.0;
    return (float)(side * (ghost - value) / (theta * problem->grid->cell));
}

// Faces that are not between two liquid cells: the surface, or nothing.
static void write_surface(const solution *what, size_t g, const pressures *p, const dr_pressure_around *around, int a)
{
    const double *const layer[3] = {p->x_low, p->y_low, p->z_low};
    for (uint64_t left = ~(around->liquid & around->below[a]); left; left &= left - 1) {
        int c = __builtin_ctzll(left), at = c / dr_block_stride[a] & 3;
        int across = a == 0 ? c & 15 : a == 1 ? (c >> 4) * 4 + (c & 3) : c >> 2;
        size_t face = 4 * (CELLS * g + (size_t)c) + (size_t)a;
        bool own = around->liquid >> c & 1, low = around->below[a] >> c & 1;
        bool shut = (around->shut_below[a] | what->pressure->solid[g]) >> c & 1;
        float value = 0.0F;
        if (own && !shut) value = surface_gradient(what->problem, face, p->own[c], -1.0);
        if (low && !shut) {
            value =
                surface_gradient(what->problem, face, at > 0 ? p->own[c - dr_block_stride[a]] : layer[a][across], 1.0);
        }
        what->gradient[face] = value;
    }
}

static void write_block(const solution *what, size_t g)
{
    dr_pressure_around around = dr_pressure_survey(what->pressure, what->problem->grid, g);
    pressures p;
    double per_cell = 1.0 / what->problem->grid->cell;
    load_pressures(what->pressure, what->problem->grid, g, &p);
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            dr_float4 cell[4];
            size_t c = CELLS * g + (size_t)(16 * i + 4 * j);
            subtract_row(&p, i, j, per_cell, cell);
            dr_float4_store(what->result + c, dr_double4_narrow(dr_double4_load(p.own + 16 * i + 4 * j)));
            for (size_t k = 0; k < 4; k++) {
                dr_float4_store(what->gradient + 4 * (c + k), gate(what->problem, c + k, cell[k]));
            }
        }
    }
    for (int a = 0; a < 3; a++) write_surface(what, g, &p, &around, a);
}

// Whether a block, or one whose upper faces it holds, has liquid.
static bool has_pressure(const solution *what, size_t g)
{
    const dr_pressure *pressure = what->pressure;
    const int32_t *neighbour = what->problem->grid->neighbour + 27 * g;
    bool any = pressure->block_of[g] >= 0;
    for (int a = 0; a < 3 && !any; a++) any = block_values(pressure, neighbour[13 - dr_block_step[a]]);
    return any;
}

static void write_piece(void *user, size_t begin, size_t end, int thread)
{
    for (size_t g = begin; g < end; g++) {
        if (has_pressure(user, g))
            write_block(user, g);
        else
            clear_piece(user, g, g + 1, thread);
    }
}

// ---- solve

typedef struct attempt {
    int half_sweeps;
    bool diagonal;
    int iterations;
} attempt;

// Iterations on the right-hand side in conjugate.r, with the matrix and the hierarchy that are there.
static dr_reason iterate(solution *what, const dr_par *par, double tolerance, const attempt *how,
                         dr_solve_report *report)
{
    dr_pressure *pressure = what->pressure;
    double clock = dr_clock_cpu(), norm = start(what, par), last = 0.0, now = dr_clock_cpu();
    pressure->facts.setup_seconds += now - clock;
    report->residual = 0.0;
    if (norm == 0.0) {
        for (size_t n = 0; n < CELLS * pressure->facts.blocks; n++) pressure->conjugate.x[n] = 0.0;
        return DR_REASON_CONVERGED;
    }
    int iterations = 0;
    dr_conjugate_limits limits = {tolerance * norm, how->iterations, how->diagonal};
    dr_reason reason = dr_conjugate_solve(&pressure->conjugate, par, &pressure->multigrid, &limits, &iterations, &last);
    report->iterations += iterations;
    report->residual = last / norm;
    pressure->facts.solve_seconds += dr_clock_cpu() - now;
    return reason;
}

// One try from the assembled matrix; *memory is false when memory is out.
static dr_reason try_once(solution *what, const dr_par *par, double tolerance, const attempt *how,
                          dr_solve_report *report, bool *memory)
{
    dr_pressure *pressure = what->pressure;
    double clock = dr_clock_cpu();
    if (!how->diagonal) {
        *memory = dr_multigrid_build(&pressure->multigrid, par, what->problem->grid->period, how->half_sweeps);
        if (!*memory) return DR_REASON_STALLED;
    }
    pressure->facts.levels = pressure->multigrid.level_count;
    pressure->facts.setup_seconds += dr_clock_cpu() - clock;
    return iterate(what, par, tolerance, how, report);
}

// The matrix, and a right-hand side that floating regions can balance.
static bool prepare(solution *what, const dr_par *par, bool *finite)
{
    dr_pressure *pressure = what->pressure;
    double clock = dr_clock_cpu();
    if (!dr_pressure_assemble(pressure, par, what->problem, finite)) return false;
    if (!*finite) return true;
    const dr_level *level = &pressure->multigrid.level[0];
    dr_components *components = &pressure->components;
    if (!dr_components_find(components, par, pressure->masks, level->neighbour, level->block_count)) return false;
    double h = what->problem->grid->cell;
    pressure->facts.imbalance = dr_components_center(components, par, pressure->conjugate.r) / (h * h);
    pressure->facts.components = components->component_count;
    pressure->facts.floating = components->floating_count;
    pressure->facts.setup_seconds += dr_clock_cpu() - clock;
    return true;
}

bool dr_pressure_solve(dr_pressure *pressure, const dr_par *par, const dr_pressure_problem *problem,
                       const dr_pressure_options *options, float *result, float *gradient, dr_solve_report *report)
{
    const attempt tries[3] = {{HALF_SWEEPS, false, options->iterations},
                              {SAFE_HALF_SWEEPS, false, options->iterations},
                              {1, true, options->safe_iterations}};
    solution what = {pressure, problem, result, gradient};
    *report = (dr_solve_report){.name = "pressure", .reason = DR_REASON_STALLED};
    pressure->facts = (dr_pressure_facts){0};
    bool finite = true, memory = true;
    for (int t = 0; t < 3 && report->reason != DR_REASON_CONVERGED && finite; t++) {
        if (!prepare(&what, par, &finite)) return false;
        pressure->facts.tries = t + 1;
        if (finite) report->reason = try_once(&what, par, options->tolerance, &tries[t], report, &memory);
        if (!memory) return false;
    }
    if (!finite) report->reason = DR_REASON_NOT_FINITE;
    if (report->reason == DR_REASON_NOT_FINITE) {
        report->residual = (double)INFINITY;
        dr_par_for(par, problem->grid->block_count, GRAIN, clear_piece, &what);
        return true;
    }
    dr_components_center(&pressure->components, par, pressure->conjugate.x);
    dr_par_for(par, problem->grid->block_count, GRAIN, write_piece, &what);
    return true;
}

static void source_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solution *what = user;
    double h = what->problem->grid->cell;
    for (size_t b = begin; b < end; b++) {
        uint64_t unknown = what->pressure->masks[b].unknown;
        const float *source = what->problem->source + CELLS * (size_t)what->pressure->grid_block[b];
        double *right = what->pressure->conjugate.r + CELLS * b;
        for (int c = 0; c < CELLS; c++) {
            bool is_wanted = (unknown >> c & 1) && isfinite(source[c]);
            right[dr_level_item(c >> 4, c >> 2 & 3, c & 3)] = is_wanted ? h * h * (double)source[c] : 0.0;
        }
    }
}

void dr_pressure_solve_source(dr_pressure *pressure, const dr_par *par, const dr_pressure_problem *problem,
                              const dr_pressure_options *options, float *result, float *gradient,
                              dr_solve_report *report)
{
    solution what = {pressure, problem, result, gradient};
    attempt how = {HALF_SWEEPS, pressure->facts.tries > 2, options->iterations};
    *report = (dr_solve_report){.name = "density", .reason = DR_REASON_STALLED};
    dr_par_for(par, pressure->facts.blocks, GRAIN, source_piece, &what);
    dr_components_center(&pressure->components, par, pressure->conjugate.r);
    report->reason = iterate(&what, par, options->tolerance, &how, report);
    if (report->reason == DR_REASON_NOT_FINITE) {
        dr_par_for(par, problem->grid->block_count, GRAIN, clear_piece, &what);
        return;
    }
    dr_components_center(&pressure->components, par, pressure->conjugate.x);
    dr_par_for(par, problem->grid->block_count, GRAIN, write_piece, &what);
}

bool dr_pressure_is_enclosed(const dr_pressure *pressure, size_t block, int cell)
{
    if (block >= pressure->grid_capacity || pressure->facts.floating == 0) return false;
    int32_t own = pressure->block_of[block];
    if (own < 0) return false;
    const dr_components *components = &pressure->components;
    for (uint32_t part = components->first[own]; part < components->first[own + 1]; part++) {
        if (components->mask[part] >> cell & 1) return components->floating[part] >= 0;
    }
    return false;
}
