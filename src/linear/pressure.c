// From a pressure problem to pressure and gradient: assemble, find floating regions, solve, try again where needed.
// docs/theory/pressure.md.
#include "linear/pressure.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

enum { CELLS = DR_LEVEL_CELLS, GRAIN = DR_LEVEL_GRAIN, HALF_SWEEPS = 5, SAFE_HALF_SWEEPS = 9 };

static const int stride[3] = {16, 4, 1};

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

// A cell beside or in a grid block: its pressure where it is an unknown.
typedef struct cell_view {
    bool liquid, unknown, solid;
    double value;
} cell_view;

static cell_view view_cell(const dr_pressure *pressure, int32_t g, int c)
{
    cell_view view = {0};
    if (g < 0) return view;
    view.liquid = pressure->liquid[g] >> c & 1;
    view.solid = pressure->solid[g] >> c & 1;
    int32_t b = pressure->block_of[g];
    view.unknown = b >= 0 && (pressure->masks[b].unknown >> c & 1);
    if (view.unknown) {
        size_t n = CELLS * (size_t)b + (size_t)dr_level_item(c >> 4, c >> 2 & 3, c & 3);
        view.value = pressure->conjugate.x[n] / pressure->scale;
    }
    return view;
}

static double face_gradient(const dr_pressure_problem *problem, size_t face, const cell_view *low,
                            const cell_view *high)
{
    float weight = problem->mobility[face] * (problem->open ? problem->open[face] : 1.0F);
    if (!(low->unknown || high->unknown) || !(weight > 0.0F) || low->solid || high->solid) return 0.0;
    double h = problem->grid->cell;
    if (low->liquid && high->liquid) return (high->value - low->value) / h;
    double theta = problem->theta ? (double)problem->theta[face] : 1.0;
    theta = fmin(fmax(theta, (double)DR_PRESSURE_LEAST_THETA), 1.0);
    double ghost = problem->ghost_pressure ? (double)problem->ghost_pressure[face] : 0.0;
    return (low->liquid ? ghost - low->value : high->value - ghost) / (theta * h);
}

static void write_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    static const int below_table[3] = {4, 10, 12};
    const solution *what = user;
    const dr_grid *grid = what->problem->grid;
    for (size_t g = begin; g < end; g++) {
        for (int c = 0; c < CELLS; c++) {
            cell_view own = view_cell(what->pressure, (int32_t)g, c);
            size_t cell = CELLS * g + (size_t)c;
            what->result[cell] = (float)own.value;
            what->gradient[4 * cell + 3] = 0.0F;
            for (int a = 0; a < 3; a++) {
                bool inside = (c / stride[a] & 3) > 0;
                int32_t other = inside ? (int32_t)g : grid->neighbour[27 * g + (size_t)below_table[a]];
                cell_view low = view_cell(what->pressure, other, inside ? c - stride[a] : c + 3 * stride[a]);
                size_t face = 4 * cell + (size_t)a;
                what->gradient[face] = (float)face_gradient(what->problem, face, &low, &own);
            }
        }
    }
}

// ---- solve

typedef struct attempt {
    int half_sweeps;
    bool diagonal;
    int iterations;
} attempt;

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
    double norm = start(what, par), last = 0.0, now = dr_clock_cpu();
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
