// A square of cloth hangs by two corners, in implicit steps far beyond the elastic limit. Where nothing damps it but
// its own steps, its energy never rises; in air it comes to rest where explicit steps do.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/sheet.h"

#include <math.h>

#define GRAVITY 981.0

typedef struct parameters {
    double load, reach, duration, length, density;
    int64_t cells;
    int pattern;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "8", 2, 200, "Rows of vertices along a side."),
    ROW_CHOICE(parameters, pattern, dr_lab_patterns, "equilateral", "How it is cut into triangles."),
    ROW_REAL(parameters, reach, DR_UNIT_NONE, "20", 1.0, 1e3, "Implicit steps, over the longest stable explicit ones."),
    ROW_REAL(parameters, load, DR_UNIT_NONE, "0.001", 1e-6, 0.1,
             "Weight per section over Young's modulus, rho g L / E."),
    ROW_REAL(parameters, length, DR_UNIT_LENGTH, "6 cm", 1e-2, 1e4, "Of a side."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "0.5 g/cm3", 1e-4, 1e2, "Of the sheet."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "10 s", 1e-3, 1e3, "How long each run lasts."),
};
static const dr_table table = ROW_TABLE("sheet-drape", parameters, rows);

// Held at the corners of the edge at -z. air: how fast it slows the sheet down, 1/s.
static dr_status drape(dr_lab *lab, const parameters *p, const char *name, bool implicit, double air,
                       dr_lab_sheet_record *record, dr_error *error)
{
    dr_lab_sheet sheet = {.length = p->length,
                          .thickness = 0.01 * p->length,
                          .density = p->density,
                          .youngs_modulus = p->density * GRAVITY * p->length / p->load,
                          .cells = p->cells,
                          .pattern = p->pattern};
    double edge = dr_lab_sheet_cut(&sheet, 0).edge;
    char head[400];
    dr_scene *scene = NULL;
    dr_lab_sheet_head(&sheet, edge, head, sizeof head);
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a square drapes\ngravity: [0, %.17g, 0]\n%s"
        "forces: [{name: air, type: wind, velocity: [0, 0, 0], rate: %.17g}]\n"
        "cloths: [{name: square, material: sheet, type: rectangle, pattern: %s, edge: %.17g, width: %.17g, depth: "
        "%.17g, holds: [{name: corners, within: {type: union, of: [{type: sphere, center: [%.17g, 0, %.17g], radius: "
        "%.17g}, {type: sphere, center: [%.17g, 0, %.17g], radius: %.17g}]}}]}]\n",
        -GRAVITY, head, air, dr_lab_patterns[p->pattern], edge, p->length, p->length, -0.5 * p->length,
        -0.5 * p->length, 0.6 * edge, 0.5 * p->length, -0.5 * p->length, 0.6 * edge);
    if (status) return status;
    dr_time_spec *time = &dr_scene_edit(scene)->time;
    if (implicit) time->integrator = DR_STEPPING_IMPLICIT;
    time->implicit_reach = p->reach;
    return dr_lab_sheet_run(lab, name, scene, p->duration, 10, record, error);
}

// How far apart vertices are at the end, at most.
static double farthest(const dr_lab_sheet_record *a, const dr_lab_sheet_record *b)
{
    const double *x = a->x + 3 * (size_t)(a->frames - 1) * a->vertices;
    const double *y = b->x + 3 * (size_t)(b->frames - 1) * b->vertices;
    double most = 0.0;
    for (size_t v = 0; v < a->vertices; v++) {
        double apart[3] = {x[3 * v] - y[3 * v], x[3 * v + 1] - y[3 * v + 1], x[3 * v + 2] - y[3 * v + 2]};
        most = fmax(most, dr_lab_norm(apart));
    }
    return most;
}

static void judge(dr_lab *lab, const parameters *p, const dr_lab_sheet_record *fall, const dr_lab_sheet_record *rest,
                  const dr_lab_sheet_record *brief)
{
    double weight = p->density * 0.01 * p->length * p->length * p->length * GRAVITY;
    dr_lab_expect(lab, "energy_rise", "", fall->rise / (weight * p->length), 0.0, 1e-6);
    dr_lab_expect(lab, "drape_difference", "", farthest(rest, brief) / p->length, 0.0, 0.01);
    dr_lab_expect(lab, "residual", "", fmax(fall->residual, rest->residual), 0.0, 0.1);
    dr_lab_measure(lab, "steps_ratio", "", (double)brief->steps / (double)rest->steps);
    dr_lab_measure(lab, "newtons", "", fall->newtons / (double)fall->steps);
    dr_lab_measure(lab, "products", "", fall->products / (double)fall->steps);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_lab_sheet_record record[3] = {{0}};
    double air = sqrt(GRAVITY / p->length);
    dr_status status = drape(lab, p, "undamped", true, 0.0, &record[0], error);
    if (!status) status = drape(lab, p, "implicit", true, air, &record[1], error);
    if (!status) status = drape(lab, p, "explicit", false, air, &record[2], error);
    if (!status) judge(lab, p, &record[0], &record[1], &record[2]);
    for (int i = 0; i < 3; i++) dr_lab_sheet_forget(&record[i]);
    return status;
}

const dr_lab_case dr_lab_sheet_drape = {"sheet-drape", "a square of cloth hangs by two corners, in long steps", &table,
                                        run};
