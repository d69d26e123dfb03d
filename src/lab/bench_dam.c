// A whole step of a dam break: processor time by stage, beside the bytes that its particles must move; and, where asked
// for, the gain of a second thread.
#include "lab/bench_whole.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    int64_t particles, steps, warm_up;
    bool threads;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, particles, "1000000", 1000, 100000000, "About how many."),
    ROW_COUNT(parameters, steps, "10", 1, 1000, "Steps that are measured."),
    ROW_COUNT(parameters, warm_up, "5", 1, 1000, "Steps before them."),
    ROW_SWITCH(parameters, threads, "false", "Also the gain of two threads over one, steps in turn."),
};
static const dr_table table = ROW_TABLE("dam", parameters, rows);

// A column of width 1, height 2 and depth 1 in a tank of 4 x 2.4 x 1, 8 particles to a cell.
static dr_status make_scene(const void *values, dr_scene **scene, dr_error *error)
{
    const parameters *p = values;
    double cell = cbrt(2.0 * 8.0 / (double)p->particles);
    return dr_lab_scene_text(
        scene, error,
        "title: dam break\ntime: {max_step: 10 ms}\n"
        "domain: {cell: %.9g, min: [0, 0, 0], max: [4, 2.4, 1],\n"
        "  x_min: slip, x_max: slip, y_min: slip, z_min: slip, z_max: slip}\n"
        "bodies: [{material: water, shape: {type: box, center: [0.5, 1, 0.5], size: [1, 2, 1]}}]\n",
        cell);
}

static dr_status run(dr_lab *lab, const void *parameters_of_case, dr_error *error)
{
    const parameters *p = parameters_of_case;
    const dr_bench_whole whole = {make_scene, p, p->warm_up, p->steps, p->threads};
    return dr_bench_whole_run(lab, &whole, error);
}

const dr_lab_case dr_lab_dam = {"dam", "a whole step of a dam break, stage by stage", &table, run};
