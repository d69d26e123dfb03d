// A whole step of strands in a bath of thick liquid that sloshes: processor time by stage, beside the bytes that its
// particles must move; and, where asked for, the gain of a second thread.
#include "lab/bench_whole.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/thick_material.h"

#include <math.h>

typedef struct parameters {
    int64_t particles, strands, vertices, steps, warm_up;
    int material;
    bool threads;
} parameters;

static const char *const materials[] = {DR_LAB_THICK_NAMES};

static const dr_field rows[] = {
    ROW_CHOICE(parameters, material, materials, "shaving cream", "Which liquid."),
    ROW_COUNT(parameters, particles, "1000000", 1000, 100000000, "About how many."),
    ROW_COUNT(parameters, strands, "10000", 1, 10000000, "Hairs that stand in the bath."),
    ROW_COUNT(parameters, vertices, "0", 0, 1000, "Of each; 0: a cell apart."),
    ROW_COUNT(parameters, steps, "4", 1, 1000, "Steps that are measured."),
    ROW_COUNT(parameters, warm_up, "2", 1, 1000, "Steps before them."),
    ROW_SWITCH(parameters, threads, "false", "Also the gain of two threads over one, steps in turn."),
};
static const dr_table table = ROW_TABLE("bath", parameters, rows);

#define LENGTH 3.0 // of hairs, cm

// 4 x 2 x 4 cm of liquid, eight particles to a cell, and hairs of 3 cm clamped to the floor.
static dr_status make_scene(const void *values, dr_scene **scene, dr_error *error)
{
    const parameters *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    double cell = cbrt(32.0 * 8.0 / (double)p->particles);
    char text[512];
    int vertices = p->vertices > 1 ? (int)p->vertices : (int)ceil(LENGTH / cell) + 1;
    dr_lab_thick_text(&material, "liquid", text, sizeof text);
    return dr_lab_scene_text(
        scene, error,
        "title: strands in a bath\ngravity: [300, -981, 0]\ntime: {fixed_step: 1 ms}\n"
        "domain: {cell: %.9g, min: [-2, 0, -2], max: [2, 4, 2], x_min: slip, x_max: slip, y_min: sticky, z_min: slip, "
        "z_max: slip}\nmaterials: [%s]\n"
        "bodies: [{material: liquid, shape: {type: box, center: [0, 1, 0], size: [4, 2, 4]}}]\n"
        "strands: [{material: hair, type: mat, center: [0, 0.1, 0], axis: [0, 1, 0], width: 3, depth: 3, length: %g, "
        "count: %d, vertices: %d, root: clamped, film_material: liquid}]\n",
        cell, text, LENGTH, (int)p->strands, vertices);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    const dr_bench_whole whole = {make_scene, p, p->warm_up, p->steps, p->threads};
    return dr_bench_whole_run(lab, &whole, error);
}

const dr_lab_case dr_lab_bath = {"bath", "a whole step of strands in a bath of thick liquid, stage by stage", &table,
                                 run};
