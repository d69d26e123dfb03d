#include "lab/heap.h"

#include "base/error.h"
#include "base/text.h"
#include "lab/sheet.h"
#include "math/random.h"

#include <math.h>
#include <stdio.h>

#define LENGTH 0.3
enum { FRAMES = 4 };

dr_lab_heap_fibre dr_lab_heap_draw(int64_t seed, int number)
{
    uint64_t key = (uint64_t)seed, draw = 2 * (uint64_t)number;
    double slope = dr_random_unit(key, draw) - 0.5, along = 1.0 / sqrt(1.0 + slope * slope);
    return (dr_lab_heap_fibre){
        .middle = {0.1 * (dr_random_unit(key, draw + 1) - 0.5), 3.0 * DR_LAB_HEAP_CELL * (number + 1) + 0.25 * LENGTH},
        .along = {along, along * slope},
        .length = LENGTH};
}

// A ribbon as wide as a cell, between two walls that are smooth.
static void put_fibre(dr_text *text, const dr_lab_heap_fibre *fibre, int number)
{
    dr_text_print(text,
                  "- {name: f%d, material: fibre, type: rectangle, pattern: one_diagonal, bending: none, edge: %.9g, "
                  "width: %.9g, depth: %.9g, axis: [%.9g, %.9g, 0], center: [%.9g, %.9g, %.9g]}\n",
                  number, DR_LAB_HEAP_CELL, fibre->length, DR_LAB_HEAP_CELL, -fibre->along[1], fibre->along[0],
                  fibre->middle[0], fibre->middle[1], 0.5 * DR_LAB_HEAP_CELL);
}

static dr_status make(const dr_lab_heap_rule *rule, int64_t seed, dr_scene **scene, dr_error *error)
{
    double modulus = rule->stiffness / 3.0, young = rule->stretch / 3.0, fill = 0.99;
    dr_text text;
    dr_text_open(&text, NULL);
    dr_text_print(
        &text,
        "title: a heap of fibres\ngravity: [0, %.9g, 0]\ntime: {integrator: explicit, max_step: %.9g}\n"
        "domain: {cell: %.9g, min: [-1000, 0, 0], max: [1000, 1000, %.9g], y_min: sticky, z_min: slip, z_max: slip}\n"
        "materials: [{name: fibre, kind: cloth, density: %.9g, youngs_modulus: %.9g, poisson_ratio: 0, "
        "thickness: %.9g, volume_fraction: %.9g, stress_power: 1, friction_angle: %.9g deg, stretch_stiffness: "
        "%.9g, shear_stiffness: %.9g, transfer_damping: 0}]\ncloths:\n",
        -DR_LAB_HEAP_GRAVITY, rule->step, DR_LAB_HEAP_CELL, DR_LAB_HEAP_CELL, DR_LAB_HEAP_DENSITY / fill, young / fill,
        DR_LAB_HEAP_CELL, fill, rule->angle, modulus, 0.25 * modulus);
    for (int i = 0; i < DR_LAB_HEAP_FIBRES; i++) {
        dr_lab_heap_fibre fibre = dr_lab_heap_draw(seed, i);
        put_fibre(&text, &fibre, i);
    }
    dr_status status = text.failed ? dr_error_memory(error, "making a heap of fibres")
                                   : dr_scene_parse(text.data, text.length, "heap", NULL, scene, error);
    dr_text_close(&text);
    return status;
}

// Vertices at the ends of a ribbon stand for half an edge.
static double share_of(const double *start, const dr_lab_heap_fibre *fibre)
{
    double along = (start[0] - fibre->middle[0]) * fibre->along[0] + (start[1] - fibre->middle[1]) * fibre->along[1];
    return fabs(along) > 0.5 * fibre->length - 0.1 * DR_LAB_HEAP_CELL ? 0.5 : 1.0;
}

static dr_lab_heap look(const dr_lab_sheet_record *record, int64_t seed)
{
    const double *x = record->x + 3 * (size_t)(record->frames - 1) * record->vertices;
    double mass = 0.0, first = 0.0, second = 0.0, height = 0.0;
    for (size_t v = 0; v < record->vertices; v++) {
        dr_lab_heap_fibre fibre = dr_lab_heap_draw(seed, (int)(v * DR_LAB_HEAP_FIBRES / record->vertices));
        double share = share_of(record->x + 3 * v, &fibre);
        mass += share;
        first += share * x[3 * v];
        second += share * x[3 * v] * x[3 * v];
        height += share * x[3 * v + 1];
    }
    first /= mass;
    return (dr_lab_heap){sqrt(fmax(0.0, second / mass - first * first)), height / mass};
}

dr_status dr_lab_heap_fall(dr_lab *lab, const dr_lab_heap_rule *rule, int64_t seed, dr_lab_heap *heap, dr_error *error)
{
    dr_scene *scene = NULL;
    dr_lab_sheet_record record;
    char part[60];
    snprintf(part, sizeof part, "%g_%lld", rule->angle, (long long)seed);
    dr_status status = make(rule, seed, &scene, error);
    if (!status) status = dr_lab_sheet_run(lab, part, scene, rule->duration, FRAMES, &record, error);
    if (status) return status;
    *heap = look(&record, seed);
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}
