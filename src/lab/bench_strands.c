// The implicit step of many strands: processor time per vertex and Newton iteration, all of it together (gathering into
// lanes, frames, energy, gradient, matrix, factorisation, solution, line search, scattering), beside what the
// multiply-adds of one iteration cost alone; the same for a tenth of the strands; and the gain of a second thread,
// steps in turn.
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/simd.h"
#include "math/vec.h"
#include "strand/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parameters {
    int64_t strands, vertices, steps, pairs;
    double step;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, strands, "10000", 16, 10000000, "How many."),
    ROW_COUNT(parameters, vertices, "50", 4, 1000, "Of each."),
    ROW_COUNT(parameters, steps, "7", 1, 1000, "Steps of which the median is taken."),
    ROW_COUNT(parameters, pairs, "10", 0, 1000, "Steps with one and with two threads, in turn; 0: none."),
    ROW_REAL(parameters, step, DR_UNIT_TIME, "1 ms", 1e-6, 1.0, "Step size."),
};
static const dr_table table = ROW_TABLE("strands", parameters, rows);

// Arithmetic instructions of one iteration over one vertex, counted in the compiled loop.
#define ARITHMETIC 1400.0

typedef struct groom {
    dr_strand_material material;
    dr_strands strands;
    dr_strand_solver *solver;
    dr_strand_verdict verdict;
} groom;

static void close_groom(groom *g)
{
    dr_strand_solver_close(g->solver);
    dr_strands_free(&g->strands, NULL);
}

// Wavy hair, ten centimetres long, clamped at its root, no two alike; pulled aside and down.
static void draw(groom *g, int64_t vertices, int k, double *points)
{
    const double radius[2] = {0.0037, 0.0037};
    double edge = 10.0 / (double)(vertices - 1);
    for (int64_t i = 0; i < vertices; i++)
        dr_vec3_set(points + 3 * i, 0.05 * k, -edge * (double)i, 0.3 * sin(edge * (double)i + k));
    int s = dr_strands_add(&g->strands, points, (int)vertices, radius, 0);
    size_t first = (size_t)g->strands.first[s];
    g->strands.held[first] = DR_STRAND_HELD | DR_STRAND_TURN_HELD;
    g->strands.held[first + 1] = DR_STRAND_HELD;
}

static bool open_groom(groom *g, int64_t strands, int64_t vertices, int threads)
{
    double *points = malloc(3 * (size_t)vertices * sizeof *points);
    dr_par par = {threads};
    *g = (groom){.material = {.density = 1.32, .young = 1e10, .shear = 3.6e9}};
    g->strands.materials = &g->material;
    bool ok = points && dr_strands_reserve(&g->strands, NULL, (int)strands, (size_t)(strands * vertices));
    for (int k = 0; ok && k < strands; k++) draw(g, vertices, k, points);
    if (ok) g->solver = dr_strand_solver_open(&g->strands, NULL, &par);
    free(points);
    return ok && g->solver;
}

static bool step_once(groom *g, double dt)
{
    dr_strand_goal goal = {g->strands.position, g->strands.director, NULL};
    dr_strand_step step = {.dt = dt, .gravity = {100.0, -981.0, 50.0}, .goal = &goal};
    if (!dr_strand_solver_predict(g->solver, &g->strands, &step, &g->verdict)) return false;
    dr_strand_solver_commit(g->solver, &g->strands);
    return true;
}

typedef struct pace {
    double microseconds, iterations, failed; // per vertex and iteration; per strand and step
} pace;

static dr_status time_steps(dr_lab *lab, const parameters *p, int64_t strands, pace *out, dr_error *error)
{
    groom g;
    memset(&g, 0, sizeof g);
    double *values = malloc((size_t)p->steps * sizeof *values);
    bool ok = values && open_groom(&g, strands, p->vertices, 1);
    *out = (pace){0};
    for (int64_t i = -2; i < p->steps && ok && !dr_lab_stopped(lab); i++) {
        double begin = dr_clock_cpu();
        ok = step_once(&g, p->step);
        if (i < 0) continue;
        values[i] = 1e6 * (dr_clock_cpu() - begin) / (double)g.verdict.vertex_iterations;
        out->iterations += (double)g.verdict.iterations / (double)(strands * p->steps);
        out->failed += g.verdict.failed;
    }
    if (ok) out->microseconds = dr_lab_median(values, p->steps);
    close_groom(&g);
    free(values);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "timing strands");
}

// Wall seconds of one thread over those of two, steps in turn, so that what else the machine does hits both alike.
static dr_status time_threads(dr_lab *lab, const parameters *p, double *gain, dr_error *error)
{
    groom g[2];
    memset(g, 0, sizeof g);
    double *values = malloc((size_t)p->pairs * sizeof *values);
    bool ok = values && open_groom(&g[0], p->strands, p->vertices, 1) && open_groom(&g[1], p->strands, p->vertices, 2);
    for (int64_t i = -1; i < p->pairs && ok && !dr_lab_stopped(lab); i++) {
        double seconds[2];
        for (int k = 0; k < 2 && ok; k++) {
            double begin = dr_clock_now();
            ok = step_once(&g[k], p->step);
            seconds[k] = dr_clock_now() - begin;
        }
        if (i >= 0) values[i] = seconds[0] / seconds[1];
    }
    if (ok) *gain = dr_lab_median(values, p->pairs);
    for (int k = 0; k < 2; k++) close_groom(&g[k]);
    free(values);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "timing strands");
}

// Microseconds of one multiply-add over all lanes of a register, many of them at once.
static double time_arithmetic(void)
{
    enum { CHAINS = 12, TURNS = 200000 };
    dr_lanes sum[CHAINS], factor = dr_lanes_all(0.999999), more = dr_lanes_all(1e-7);
    double best = INFINITY;
    for (int k = 0; k < CHAINS; k++) sum[k] = dr_lanes_all(1.0 + k);
    for (int run = 0; run < 5; run++) {
        double begin = dr_clock_cpu();
        for (int i = 0; i < TURNS; i++) {
            for (int k = 0; k < CHAINS; k++) sum[k] = sum[k] * factor + more;
        }
        best = fmin(best, 1e6 * (dr_clock_cpu() - begin) / ((double)CHAINS * TURNS));
    }
    double rest = 0.0;
    for (int k = 0; k < CHAINS; k++) rest += sum[k][0];
    return rest > 0.0 ? best : NAN;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    pace all, tenth;
    double gain = NAN;
    dr_status status = time_steps(lab, p, p->strands, &all, error);
    if (!status) status = time_steps(lab, p, p->strands / 10 > 16 ? p->strands / 10 : 16, &tenth, error);
    if (!status && p->pairs > 0) status = time_threads(lab, p, &gain, error);
    if (status) return status;
    dr_lab_compare(lab, "vertex_iteration", "CPU us", all.microseconds, ARITHMETIC * time_arithmetic() / DR_LANES);
    dr_lab_measure(lab, "vertex_iteration_of_a_tenth", "CPU us", tenth.microseconds);
    dr_lab_measure(lab, "iterations_per_step", "", all.iterations);
    dr_lab_measure(lab, "not_converged", "", all.failed);
    if (p->pairs > 0) dr_lab_measure(lab, "two_threads_over_one", "", gain);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_strands = {"strands", "the implicit step of many strands, per vertex and Newton iteration",
                                    &table, run};
