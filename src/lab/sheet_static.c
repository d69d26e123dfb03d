// Strips of cloth at rest under their own weight: hanging, and clamped horizontally. Air slows them down until they
// are.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rod.h"
#include "lab/rows.h"
#include "lab/sheet.h"

#include <math.h>

#define GRAVITY 981.0

typedef struct parameters {
    double load, gamma, length, density, poisson, rest;
    int64_t cells, across;
    int pattern;
    bool hinges;
} parameters;

#define SHARED(rows_along)                                                                                             \
    ROW_COUNT(parameters, cells, rows_along, 4, 400, "Rows of vertices along the strip."),                             \
        ROW_COUNT(parameters, across, "3", 1, 200, "Edges across it."),                                                \
        ROW_CHOICE(parameters, pattern, dr_lab_patterns, "equilateral", "How it is cut into triangles."),              \
        ROW_REAL(parameters, poisson, DR_UNIT_NONE, "0", 0.0, 0.45, "Poisson's ratio."),                               \
        ROW_REAL(parameters, length, DR_UNIT_LENGTH, "10 cm", 1e-2, 1e4, "Of the strip."),                             \
        ROW_REAL(parameters, density, DR_UNIT_DENSITY, "0.5 g/cm3", 1e-4, 1e2, "Of the sheet."),                       \
        ROW_REAL(parameters, rest, DR_UNIT_NONE, "15", 1.0, 1e3, "How long it comes to rest, over its own time.")

static const dr_field stretch_rows[] = {
    ROW_REAL(parameters, load, DR_UNIT_NONE, "0.01", 1e-6, 0.3,
             "Weight per section over Young's modulus, rho g L / E."),
    SHARED("20"),
};
static const dr_table stretch_table = ROW_TABLE("sheet-stretch", parameters, stretch_rows);

static const dr_field cantilever_rows[] = {
    ROW_REAL(parameters, gamma, DR_UNIT_NONE, "10", 1e-3, 2e3, "Weight per area L^3 / rigidity."),
    ROW_SWITCH(parameters, hinges, "no", "Bends at each edge by itself."),
    SHARED("20"),
};
static const dr_table cantilever_table = ROW_TABLE("sheet-cantilever", parameters, cantilever_rows);

static dr_lab_sheet sheet_of(const parameters *p)
{
    return (dr_lab_sheet){.length = p->length,
                          .density = p->density,
                          .poisson = p->poisson,
                          .cells = p->cells,
                          .across = p->across,
                          .pattern = p->pattern,
                          .hinges = p->hinges};
}

static dr_status hang(dr_lab *lab, const dr_lab_sheet *sheet, double rate, double duration, dr_lab_sheet_record *record,
                      dr_error *error)
{
    char head[400];
    dr_lab_cut cut = dr_lab_sheet_cut(sheet, 0);
    dr_scene *scene = NULL;
    dr_lab_sheet_head(sheet, cut.edge, head, sizeof head);
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a strip hangs\ngravity: [0, %.17g, 0]\n%s"
        "forces: [{name: air, type: wind, velocity: [0, 0, 0], rate: %.17g}]\n"
        "cloths: [{name: strip, material: sheet, type: rectangle, axis: [0, 0, 1], pattern: %s, edge: %.17g, width: "
        "%.17g, depth: %.17g, center: [0, %.17g, 0], holds: [{name: top, edge: top}]}]\n",
        -GRAVITY, head, rate, dr_lab_patterns[sheet->pattern], cut.edge, cut.width, sheet->length,
        -0.5 * sheet->length);
    return status ? status : dr_lab_sheet_run(lab, NULL, scene, duration, 20, record, error);
}

static dr_status run_stretch(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_lab_sheet sheet = sheet_of(p);
    dr_lab_sheet_record record;
    sheet.youngs_modulus = p->density * GRAVITY * p->length / p->load;
    sheet.thickness = 0.01 * p->length;
    double omega = 1.5707963267948966 * dr_lab_sheet_speed(&sheet) / p->length, tip[3];
    dr_status status = hang(lab, &sheet, 2.0 * omega, p->rest / omega, &record, error);
    if (status) return status;
    dr_lab_sheet_end(&record, -1, 1, -1, 0.1 * dr_lab_sheet_cut(&sheet, 0).row, tip);
    double stretch = -tip[1] / p->length - 1.0;
    dr_lab_expect(lab, "elongation_ratio", "", stretch / (0.5 * p->load), 1.0, 0.02);
    dr_lab_measure(lab, "steps", "", (double)record.steps);
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_sheet_stretch = {"sheet-stretch", "a strip of cloth hangs and stretches under its weight",
                                          &stretch_table, run_stretch};

// ---- cantilever

// Thin enough not to stretch by more than this under its own weight.
#define STRETCH 0.005

static dr_status reach_out(dr_lab *lab, const dr_lab_sheet *sheet, double rate, double duration,
                           dr_lab_sheet_record *record, dr_error *error)
{
    char head[400];
    dr_lab_cut cut = dr_lab_sheet_cut(sheet, 1);
    dr_scene *scene = NULL;
    dr_lab_sheet_head(sheet, cut.edge, head, sizeof head);
    dr_status status =
        dr_lab_scene_text(&scene, error,
                          "title: a strip reaches out\ngravity: [0, %.17g, 0]\n%s"
                          "forces: [{name: air, type: wind, velocity: [0, 0, 0], rate: %.17g}]\n"
                          "cloths: [{name: strip, material: sheet, type: rectangle, pattern: %s, edge: %.17g, width: "
                          "%.17g, depth: %.17g, "
                          "center: [0, 0, %.17g], bending: %s, holds: [{name: clamp, edge: bottom, depth: %.17g}]}]\n",
                          -GRAVITY, head, rate, dr_lab_patterns[sheet->pattern], cut.edge, cut.width, cut.depth,
                          cut.clamp - 0.5 * cut.depth, sheet->hinges ? "hinges" : "plate", 1.01 * cut.clamp);
    return status ? status : dr_lab_sheet_run(lab, NULL, scene, duration, 20, record, error);
}

// A narrow strip is free to bow across: its rigidity per width is E t^3 / 12, without the plate's 1 - nu^2.
static dr_status run_cantilever(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_lab_sheet sheet = sheet_of(p);
    dr_lab_sheet_record record;
    double thin = fmin(0.1, sqrt(12.0 * STRETCH / p->gamma)), t = thin * p->length, reach, drop, tip[3];
    sheet.thickness = t;
    sheet.youngs_modulus = 12.0 * p->density * GRAVITY * p->length * p->length * p->length / (p->gamma * t * t);
    double omega = sqrt(GRAVITY / p->length) * fmax(3.516 / sqrt(p->gamma), 1.2);
    dr_status status = reach_out(lab, &sheet, 2.0 * omega, p->rest / omega, &record, error);
    if (status) return status;
    dr_lab_rod_elastica(p->gamma, 0.0, &reach, &drop);
    dr_lab_sheet_end(&record, -1, 2, -1, 0.1 * dr_lab_sheet_cut(&sheet, 1).row, tip);
    dr_lab_expect_share(lab, "h_over_w", "", tip[1] / tip[2], drop / reach, 0.03);
    dr_lab_measure(lab, "steps", "", (double)record.steps);
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_sheet_cantilever = {"sheet-cantilever",
                                             "a strip of cloth clamped horizontally bends under its weight",
                                             &cantilever_table, run_cantilever};
