// The pressure solve: what bench_pressure.c measures, as a case.
#include "lab/bench_pressure.h"
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/error.h"

typedef struct parameters {
    int64_t side, repeats;
    double tolerance;
    bool sweep;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, side, "128", 8, 1024, "Cells along an edge of the cube; rounded down to a multiple of 4."),
    ROW_COUNT(parameters, repeats, "5", 1, 1000, "Solves of which the median is taken."),
    ROW_REAL(parameters, tolerance, DR_UNIT_NONE, "1e-6", 1e-12, 0.1, "Residual relative to the right-hand side."),
    ROW_SWITCH(parameters, sweep, "true",
               "Also the uniform cube with half and with twice as many cells along an edge."),
};
static const dr_table table = ROW_TABLE("pressure", parameters, rows);

static dr_status measure(const dr_lab *lab, const parameters *p, dr_bench_pressure_scene scene, int64_t side,
                         dr_bench_pressure_result *result, dr_error *error)
{
    int threads = dr_lab_threads(lab);
    dr_bench_pressure_case what = {.scene = scene,
                                   .side = (int)(side / 4 * 4),
                                   .threads = threads > 0 ? threads : 1,
                                   .repeats = (int)p->repeats,
                                   .tolerance = p->tolerance};
    if (dr_lab_stopped(lab)) return DR_STATUS_INTERRUPTED;
    return dr_bench_pressure(&what, NULL, result) ? DR_STATUS_OK
                                                  : dr_error_memory(error, "measuring the pressure solve");
}

// Names of one scene's numbers.
typedef struct scene_names {
    dr_bench_pressure_scene scene;
    const char *solve, *total, *iterations, *residual, *unknowns;
} scene_names;

#define SCENE_NAMES(scene, word)                                                                                       \
    {                                                                                                                  \
        scene, word, word "_total", word "_iterations", word "_residual", word "_unknowns"                             \
    }

static const scene_names names[] = {
    SCENE_NAMES(DR_BENCH_PRESSURE_UNIFORM, "uniform"),
    SCENE_NAMES(DR_BENCH_PRESSURE_SPHERE, "sphere"),
    SCENE_NAMES(DR_BENCH_PRESSURE_JUMP, "jump"),
    SCENE_NAMES(DR_BENCH_PRESSURE_SPLASH, "splash"),
};

static dr_status show_scene(dr_lab *lab, const parameters *p, const scene_names *scene, dr_error *error)
{
    dr_bench_pressure_result result;
    dr_status status = measure(lab, p, scene->scene, p->side, &result, error);
    if (status) return status;
    dr_lab_compare(lab, scene->solve, "s", result.solve_seconds, result.floor_seconds);
    dr_lab_measure(lab, scene->total, "s", result.total_seconds);
    dr_lab_measure(lab, scene->iterations, "", result.iterations);
    dr_lab_measure(lab, scene->residual, "", result.residual);
    dr_lab_measure(lab, scene->unknowns, "", (double)result.unknowns);
    return DR_STATUS_OK;
}

static dr_status show_sweep(dr_lab *lab, const parameters *p, dr_error *error)
{
    const int64_t sides[3] = {p->side / 2, p->side, 2 * p->side};
    double cells[3], iterations[3], solve[3], setup[3], total[3], floor[3];
    for (int n = 0; n < 3; n++) {
        dr_bench_pressure_result result;
        dr_status status = measure(lab, p, DR_BENCH_PRESSURE_UNIFORM, sides[n], &result, error);
        if (status) return status;
        cells[n] = (double)(sides[n] / 4 * 4);
        iterations[n] = result.iterations;
        solve[n] = result.solve_seconds;
        setup[n] = result.setup_seconds;
        total[n] = result.total_seconds;
        floor[n] = result.floor_seconds;
    }
    dr_lab_measure_list(lab, "side", "cells", cells, 3);
    dr_lab_measure_list(lab, "iterations_by_side", "", iterations, 3);
    dr_lab_measure_list(lab, "solve_by_side", "s", solve, 3);
    dr_lab_measure_list(lab, "setup_by_side", "s", setup, 3);
    dr_lab_measure_list(lab, "total_by_side", "s", total, 3);
    dr_lab_measure_list(lab, "floor_by_side", "s", floor, 3);
    return DR_STATUS_OK;
}

static dr_status run(dr_lab *lab, const void *parameters_, dr_error *error)
{
    const parameters *p = parameters_;
    dr_status status = DR_STATUS_OK;
    for (size_t n = 0; !status && n < sizeof names / sizeof *names; n++) status = show_scene(lab, p, &names[n], error);
    return !status && p->sweep ? show_sweep(lab, p, error) : status;
}

const dr_lab_case dr_lab_pressure = {
    "pressure", "the pressure solve: a cube of liquid, a cut-cell sphere, a jump of density, a splash", &table, run};
