// Fibres of any slope fall on each other in a plane, that is ribbons in a slab, onto a floor that holds them, by
// contact on the grid: the more they rub, the narrower and the higher is the pile. A single pile is chance; means over
// several are in order. Jiang, Gast, Teran 2017, figure 12.
#include "lab/cases.h"
#include "lab/heap.h"
#include "lab/rows.h"

#include <math.h>

enum { ANGLES = 4 };
static const double angles[ANGLES] = {0.0, 5.0, 20.0, 40.0};

typedef struct parameters {
    double stiffness, duration, step;
    int64_t seeds, first;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, seeds, "6", 1, 1000, "Piles of which means are taken."),
    ROW_COUNT(parameters, first, "1", 1, 1000000, "Seed of the first pile."),
    ROW_REAL(parameters, stiffness, DR_UNIT_PRESSURE, "2000 dyn/cm2", 1.0, 1e9,
             "Of the fibres, of which a third counts."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "2.5 s", 1e-2, 100.0, "When the piles are measured."),
    ROW_REAL(parameters, step, DR_UNIT_TIME, "0.1 ms", 1e-7, 1e-2, "Longest step."),
};
static const dr_table table = ROW_TABLE("fibre-pile", parameters, rows);

// Means over the piles, and how far chance moves them.
typedef struct means {
    dr_lab_heap mean, error;
} means;

static dr_status measure(dr_lab *lab, const parameters *p, double angle, means *found, dr_error *error)
{
    dr_lab_heap_rule rule = {
        .stretch = p->stiffness, .stiffness = p->stiffness, .angle = angle, .duration = p->duration, .step = p->step};
    double n = (double)p->seeds, width = 0.0, height = 0.0, width2 = 0.0, height2 = 0.0;
    for (int64_t i = 0; i < p->seeds && !dr_lab_stopped(lab); i++) {
        dr_lab_heap one;
        dr_status status = dr_lab_heap_fall(lab, &rule, p->first + i, &one, error);
        if (status) return status;
        width += one.width / n;
        height += one.height / n;
        width2 += one.width * one.width / n;
        height2 += one.height * one.height / n;
    }
    double over = 1.0 / fmax(1.0, n - 1.0);
    found->mean = (dr_lab_heap){width, height};
    found->error = (dr_lab_heap){sqrt(fmax(0.0, width2 - width * width) * over),
                                 sqrt(fmax(0.0, height2 - height * height) * over)};
    return DR_STATUS_OK;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    double width[ANGLES], height[ANGLES], width_error[ANGLES], height_error[ANGLES], disorder = 0.0;
    for (int i = 0; i < ANGLES; i++) {
        means found;
        dr_status status = measure(lab, values, angles[i], &found, error);
        if (status) return status;
        width[i] = found.mean.width;
        height[i] = found.mean.height;
        width_error[i] = found.error.width;
        height_error[i] = found.error.height;
        if (i > 0) disorder += (width[i] >= width[i - 1]) + (height[i] <= height[i - 1]);
    }
    dr_lab_measure_list(lab, "widths", "cm", width, ANGLES);
    dr_lab_measure_list(lab, "width_errors", "cm", width_error, ANGLES);
    dr_lab_measure_list(lab, "heights", "cm", height, ANGLES);
    dr_lab_measure_list(lab, "height_errors", "cm", height_error, ANGLES);
    dr_lab_expect(lab, "out_of_order", "", disorder, 0.0, 0.0);
    dr_lab_expect(lab, "width_ratio_at_most_1.4", "", fmin(width[0] / width[ANGLES - 1], 1.4), 1.4, 0.0);
    dr_lab_measure(lab, "width_ratio", "", width[0] / width[ANGLES - 1]);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_fibre_pile = {
    "fibre-pile", "fibres fall into piles: the more they rub, the narrower and higher", &table, run};
