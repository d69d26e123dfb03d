// What models of fibres make of the same heaps, in a plane: with strain from the grid alone fibres come apart, with
// strain along them alone nothing holds them apart, without flow they hook on each other. The whole model is also what
// the product computes, ribbons in a slab. Jiang, Gast, Teran 2017, figure 10.
#include "lab/cases.h"
#include "lab/heap.h"
#include "lab/plane_fibres.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>

enum { MODELS = DR_LAB_PLANE_WHOLE + 1 };

typedef struct parameters {
    double stretch, stiffness, friction_angle, duration, step;
    int64_t seeds, first;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, seeds, "6", 1, 1000, "Heaps of which means are taken."),
    ROW_COUNT(parameters, first, "1", 1, 1000000, "Seed of the first heap."),
    ROW_REAL(parameters, stretch, DR_UNIT_PRESSURE, "100 dyn/cm2", 1.0, 1e9,
             "Stiffness along fibres, of which a third counts."),
    ROW_REAL(parameters, stiffness, DR_UNIT_PRESSURE, "2000 dyn/cm2", 1.0, 1e9,
             "Where they touch, of which a third counts."),
    ROW_REAL(parameters, friction_angle, DR_UNIT_NONE, "5", 0.0, 60.0, "Of the fibres, in degrees."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "2.5 s", 1e-2, 100.0, "When the heaps are measured."),
    ROW_REAL(parameters, step, DR_UNIT_TIME, "0.1 ms", 1e-7, 1e-3, "Longest step."),
};
static const dr_table table = ROW_TABLE("fibre-models", parameters, rows);

typedef struct sight {
    dr_lab_heap heap;
    double stretch;
} sight;

static dr_lab_heap look(const dr_lab_plane *plane)
{
    double mass = 0.0, first = 0.0, second = 0.0, height = 0.0;
    for (int i = 0; i < plane->fibres * plane->points; i++) {
        const dr_lab_plane_point *p = &plane->point[i];
        mass += p->mass;
        first += p->mass * p->x[0];
        second += p->mass * p->x[0] * p->x[0];
        height += p->mass * p->x[1];
    }
    first /= mass;
    return (dr_lab_heap){sqrt(fmax(0.0, second / mass - first * first)), height / mass};
}

static dr_status fall(const dr_lab *lab, const parameters *p, int model, int64_t seed, sight *seen, dr_error *error)
{
    const dr_lab_plane_law law = {.model = (dr_lab_plane_model)model,
                                  .stretch = p->stretch / DR_LAB_HEAP_DENSITY,
                                  .across = p->stiffness / DR_LAB_HEAP_DENSITY,
                                  .shear = 0.25 * p->stiffness / DR_LAB_HEAP_DENSITY,
                                  .friction = tan(p->friction_angle * DR_DEGREE),
                                  .cell = DR_LAB_HEAP_CELL,
                                  .gravity = DR_LAB_HEAP_GRAVITY,
                                  .step = p->step};
    dr_lab_plane plane;
    dr_status status = dr_lab_plane_open(&plane, &law, DR_LAB_HEAP_FIBRES, DR_LAB_HEAP_SEGMENTS, error);
    if (status) return status;
    for (int i = 0; i < DR_LAB_HEAP_FIBRES; i++) {
        dr_lab_heap_fibre fibre = dr_lab_heap_draw(seed, i);
        dr_lab_plane_put(&plane, i, fibre.middle, fibre.along, fibre.length);
    }
    for (int64_t i = 0; i < llround(p->duration / p->step) && !dr_lab_stopped(lab); i++) {
        if (!dr_lab_plane_step(&plane))
            status = dr_error_add(error, DR_STATUS_NUMERICS, "a fibre has left the grid of the lab's model");
        if (status) break;
    }
    *seen = (sight){look(&plane), dr_lab_plane_stretch(&plane)};
    dr_lab_plane_close(&plane);
    return status;
}

static dr_status compare(dr_lab *lab, const parameters *p, sight mean[MODELS], dr_lab_heap *product, dr_error *error)
{
    dr_lab_heap_rule rule = {p->stretch, p->stiffness, p->friction_angle, p->duration, p->step};
    double over = 1.0 / (double)p->seeds;
    for (int64_t i = 0; i < p->seeds && !dr_lab_stopped(lab); i++) {
        dr_lab_heap made = {0};
        dr_status status = dr_lab_heap_fall(lab, &rule, p->first + i, &made, error);
        product->width += over * made.width;
        product->height += over * made.height;
        for (int m = 0; m < MODELS && !status; m++) {
            sight one = {0};
            status = fall(lab, p, m, p->first + i, &one, error);
            mean[m].heap.width += over * one.heap.width;
            mean[m].heap.height += over * one.heap.height;
            mean[m].stretch += over * one.stretch;
        }
        if (status) return status;
    }
    return DR_STATUS_OK;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    sight mean[MODELS] = {0};
    dr_lab_heap product = {0};
    double width[MODELS], height[MODELS], stretch[MODELS];
    dr_status status = compare(lab, values, mean, &product, error);
    if (status) return status;
    for (int m = 0; m < MODELS; m++) {
        width[m] = mean[m].heap.width;
        height[m] = mean[m].heap.height;
        stretch[m] = mean[m].stretch;
    }
    const sight *whole = &mean[DR_LAB_PLANE_WHOLE];
    dr_lab_measure_list(lab, "widths", "cm", width, MODELS);
    dr_lab_measure_list(lab, "heights", "cm", height, MODELS);
    dr_lab_measure_list(lab, "largest_stretches", "", stretch, MODELS);
    dr_lab_expect_share(lab, "width_of_the_product", "cm", product.width, whole->heap.width, 0.03);
    dr_lab_expect_share(lab, "height_of_the_product", "cm", product.height, whole->heap.height, 0.05);
    double apart = (stretch[DR_LAB_PLANE_MESHLESS] - 1.0) / (whole->stretch - 1.0);
    double narrow = width[DR_LAB_PLANE_ELASTIC] / whole->heap.width;
    dr_lab_expect(lab, "meshless_strain_at_most_2", "", fmin(apart, 2.0), 2.0, 0.0);
    dr_lab_expect(lab, "unheld_height", "", height[DR_LAB_PLANE_ALONG] / whole->heap.height, 0.0, 0.1);
    dr_lab_expect(lab, "elastic_width_at_least_0.6", "", fmax(narrow, 0.6), 0.6, 0.0);
    dr_lab_measure(lab, "meshless_strain", "", apart);
    dr_lab_measure(lab, "elastic_width", "", narrow);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_fibre_models = {
    "fibre-models", "what four models of fibres make of the same heaps, and the product", &table, run};
