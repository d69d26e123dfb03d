// Fibres of any slope fall on each other in a plane, that is ribbons in a slab, onto a floor that holds them, by
// contact on the grid: the more they rub, the narrower and the higher is the pile. A single pile is chance; means over
// several are in order. Jiang, Gast, Teran 2017, figure 12.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/sheet.h"

#include "base/error.h"
#include "base/text.h"
#include "math/random.h"

#include <math.h>
#include <stdio.h>

#define CELL    0.02
#define LENGTH  0.3
#define GRAVITY 9.8
#define SLAB    0.08
enum { ANGLES = 4, FIBRES = 14, FRAMES = 4 };
static const double angles[ANGLES] = {0.0, 5.0, 20.0, 40.0};

typedef struct parameters {
    double stiffness, duration;
    int64_t seeds;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, seeds, "6", 1, 1000, "Piles of which means are taken."),
    ROW_REAL(parameters, stiffness, DR_UNIT_PRESSURE, "2000 dyn/cm2", 1.0, 1e9, "Young's modulus of the fibres."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "2.5 s", 1e-2, 100.0, "When the piles are measured."),
};
static const dr_table table = ROW_TABLE("fibre-pile", parameters, rows);

typedef struct pile {
    double width, height; // root mean square of the places of mass along x; their mean above the floor
} pile;

// A ribbon between two walls that are smooth.
static void put_fibre(dr_text *text, int64_t seed, int number)
{
    uint64_t key = (uint64_t)seed, draw = 2 * (uint64_t)number;
    double slope = dr_random_unit(key, draw) - 0.5, middle = 0.1 * (dr_random_unit(key, draw + 1) - 0.5);
    dr_text_print(text,
                  "- {name: f%d, material: fibre, type: rectangle, pattern: one_diagonal, bending: none, edge: %.9g, "
                  "width: %.9g, depth: %.9g, axis: [%.9g, 1, 0], center: [%.9g, %.9g, %.9g]}\n",
                  number, CELL, LENGTH, SLAB, -slope, middle, 3.0 * CELL * (number + 1) + 0.25 * LENGTH, 0.5 * SLAB);
}

static dr_status make(const parameters *p, double angle, int64_t seed, dr_scene **scene, dr_error *error)
{
    dr_text text;
    dr_text_open(&text, NULL);
    dr_text_print(
        &text,
        "title: a pile of fibres\ngravity: [0, %.9g, 0]\ntime: {integrator: explicit}\ndomain: {cell: %.9g, "
        "min: [-1000, 0, 0], max: [1000, 1000, %.9g], y_min: sticky, z_min: slip, z_max: slip}\n"
        "materials: [{name: fibre, kind: cloth, density: 2, youngs_modulus: %.9g, poisson_ratio: 0, "
        "thickness: %.9g, volume_fraction: 0.99, stress_power: 1, friction_angle: %.9g deg, stretch_stiffness: "
        "%.9g, shear_stiffness: %.9g, transfer_damping: 0}]\ncloths:\n",
        -GRAVITY, CELL, SLAB, p->stiffness, CELL, angle, p->stiffness, 0.25 * p->stiffness);
    for (int i = 0; i < FIBRES; i++) put_fibre(&text, seed, i);
    dr_status status = text.failed ? dr_error_memory(error, "making a pile of fibres")
                                   : dr_scene_parse(text.data, text.length, "fibre-pile", NULL, scene, error);
    dr_text_close(&text);
    return status;
}

static pile look(const dr_lab_sheet_record *record)
{
    const double *x = record->x + 3 * (size_t)(record->frames - 1) * record->vertices;
    double first = 0.0, second = 0.0, height = 0.0, over = 1.0 / (double)record->vertices;
    for (size_t v = 0; v < record->vertices; v++) {
        first += over * x[3 * v];
        second += over * x[3 * v] * x[3 * v];
        height += over * x[3 * v + 1];
    }
    return (pile){sqrt(fmax(0.0, second - first * first)), height};
}

static dr_status measure(dr_lab *lab, const parameters *p, double angle, pile *mean, dr_error *error)
{
    *mean = (pile){0};
    for (int64_t seed = 1; seed <= p->seeds && !dr_lab_stopped(lab); seed++) {
        dr_scene *scene = NULL;
        dr_lab_sheet_record record;
        char part[40];
        snprintf(part, sizeof part, "%g_%lld", angle, (long long)seed);
        dr_status status = make(p, angle, seed, &scene, error);
        if (!status) status = dr_lab_sheet_run(lab, part, scene, p->duration, FRAMES, &record, error);
        if (status) return status;
        pile one = look(&record);
        dr_lab_sheet_forget(&record);
        mean->width += one.width / (double)p->seeds;
        mean->height += one.height / (double)p->seeds;
    }
    return DR_STATUS_OK;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    double width[ANGLES], height[ANGLES], disorder = 0.0;
    for (int i = 0; i < ANGLES; i++) {
        pile mean;
        dr_status status = measure(lab, values, angles[i], &mean, error);
        if (status) return status;
        width[i] = mean.width;
        height[i] = mean.height;
        if (i > 0) disorder += (width[i] >= width[i - 1]) + (height[i] <= height[i - 1]);
    }
    dr_lab_measure_list(lab, "widths", "cm", width, ANGLES);
    dr_lab_measure_list(lab, "heights", "cm", height, ANGLES);
    dr_lab_expect(lab, "out_of_order", "", disorder, 0.0, 0.0);
    dr_lab_expect(lab, "width_ratio_at_most_1.4", "", fmin(width[0] / width[ANGLES - 1], 1.4), 1.4, 0.0);
    dr_lab_measure(lab, "width_ratio", "", width[0] / width[ANGLES - 1]);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_fibre_pile = {
    "fibre-pile", "fibres fall into piles: the more they rub, the narrower and higher", &table, run};
