// Where strips of cloth give way: clamped edgewise under their own weight, and pressed together between two clamps. A
// small constant push to the side starts it; the square of the rate at which the middle or the tip then runs away
// passes through zero at the critical load. Asked without a load, the case searches for it.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rod.h"
#include "lab/rows.h"
#include "lab/sheet.h"

#include <math.h>
#include <stdio.h>

typedef struct parameters {
    double load, length, thickness, density, poisson, push;
    int64_t cells, across;
    int pattern;
    bool hinges;
} parameters;

#define SHARED(rows_along, edges_across, thick)                                                                        \
    ROW_COUNT(parameters, cells, rows_along, 4, 400, "Rows of vertices along the strip."),                             \
        ROW_COUNT(parameters, across, edges_across, 1, 200, "Edges across it."),                                       \
        ROW_CHOICE(parameters, pattern, dr_lab_patterns, "equilateral", "How it is cut into triangles."),              \
        ROW_SWITCH(parameters, hinges, "no", "Bends at each edge by itself."),                                         \
        ROW_REAL(parameters, length, DR_UNIT_LENGTH, "10 cm", 1e-2, 1e4, "Of the strip."),                             \
        ROW_REAL(parameters, thickness, DR_UNIT_NONE, thick, 1e-4, 0.2, "Of the strip, over its length."),             \
        ROW_REAL(parameters, density, DR_UNIT_DENSITY, "0.5 g/cm3", 1e-4, 1e2, "Of the sheet."),                       \
        ROW_REAL(parameters, push, DR_UNIT_NONE, "1e-4", 1e-9, 0.1, "To the side, over what makes it swing.")

static const dr_field lateral_rows[] = {
    ROW_REAL(parameters, load, DR_UNIT_NONE, "0", 0.0, 1e3, "q L^3 / sqrt(B C); 0: searched for."),
    ROW_REAL(parameters, poisson, DR_UNIT_NONE, "0.3", 0.0, 0.45, "Poisson's ratio."),
    SHARED("24", "3", "0.05"),
};
static const dr_table lateral_table = ROW_TABLE("sheet-lateral-buckling", parameters, lateral_rows);

static const dr_field euler_rows[] = {
    ROW_REAL(parameters, load, DR_UNIT_NONE, "0", 0.0, 1e3, "P L^2 / D per width; 0: searched for."),
    ROW_REAL(parameters, poisson, DR_UNIT_NONE, "0", 0.0, 0.45, "Poisson's ratio."),
    SHARED("20", "3", "0.05"),
};
static const dr_table euler_table = ROW_TABLE("sheet-euler", parameters, euler_rows);

typedef struct buckling {
    dr_lab *lab;
    const parameters *p;
    dr_lab_sheet sheet;
    double unit; // L^2 sqrt(mass per area / rigidity), s
    int tries;
} buckling;

#define YOUNG 1e6

static buckling start(dr_lab *lab, const parameters *p)
{
    buckling job = {.lab = lab, .p = p};
    job.sheet = (dr_lab_sheet){.length = p->length,
                               .thickness = p->thickness * p->length,
                               .density = p->density,
                               .youngs_modulus = YOUNG,
                               .poisson = p->poisson,
                               .cells = p->cells,
                               .across = p->across,
                               .pattern = p->pattern,
                               .hinges = p->hinges};
    job.unit = p->length * p->length * sqrt(12.0 * p->density / YOUNG) / job.sheet.thickness;
    return job;
}

enum { FRAMES = 60 };

// Sideways place of the end or the middle over time, and the rate from it.
static double measure(const buckling *job, dr_lab_sheet_record *record, int axis, int sign, int from)
{
    double value[FRAMES + 1], at[3], slack = 0.6 * dr_lab_sheet_row(&job->sheet, 1);
    for (int f = 0; f < record->frames; f++) {
        if (sign != 0)
            dr_lab_sheet_end(record, f, axis, sign, slack, at);
        else
            dr_lab_sheet_middle(record, f, axis, slack, at);
        value[f] = at[0];
    }
    return dr_lab_sheet_growth(value, record->frames, from, record->step);
}

// Weight is along -y, the strip along -z and its width upright; B = E t^3 b / 12, C = E t^3 b / (6 (1 + nu)).
static dr_status grow_lateral(void *user, double load, double *rate, dr_error *error)
{
    buckling *job = user;
    const parameters *p = job->p;
    const dr_lab_sheet *sheet = &job->sheet;
    double edge = dr_lab_sheet_edge(sheet, 1), row = dr_lab_sheet_row(sheet, 1), depth = row * (double)sheet->cells;
    double t = sheet->thickness, bend = YOUNG * t * t * t / 12.0,
           twist = YOUNG * t * t * t / (6.0 * (1.0 + p->poisson));
    double gravity = load * sqrt(bend * twist) / (p->density * t * pow(p->length, 3.0));
    double side = p->push * p->length / (job->unit * job->unit);
    char head[400], part[32];
    dr_scene *scene = NULL;
    dr_lab_sheet_record record;
    snprintf(part, sizeof part, "load-%d", job->tries++);
    dr_lab_sheet_head(sheet, 1, head, sizeof head);
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a strip clamped edgewise\ngravity: [%.17g, %.17g, 0]\n%s"
        "cloths: [{name: strip, material: sheet, type: rectangle, axis: [0, 1, 0], pattern: %s, edge: %.17g, width: "
        "%.17g, "
        "depth: %.17g, center: [0, 0, %.17g], rotate: [0, 0, 90 deg], bending: %s, holds: [{name: clamp, edge: bottom, "
        "depth: %.17g}]}]\n",
        side, -gravity, head, dr_lab_patterns[sheet->pattern], edge, (double)sheet->across * edge, depth,
        0.5 * row - 0.5 * depth, sheet->hinges ? "hinges" : "plate", 1.01 * row);
    if (!status) status = dr_lab_sheet_run(job->lab, part, scene, 1.2 * job->unit, FRAMES, &record, error);
    if (status) return status;
    *rate = measure(job, &record, 2, -1, 0) * job->unit * job->unit;
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

// One end is brought nearer while the strip is still straight: P = E t times the strain.
#define PRESSING 0.15 // of the unit of time

static dr_status grow_euler(void *user, double load, double *rate, dr_error *error)
{
    buckling *job = user;
    const parameters *p = job->p;
    const dr_lab_sheet *sheet = &job->sheet;
    double edge = dr_lab_sheet_edge(sheet, 2), row = dr_lab_sheet_row(sheet, 2), depth = row * (double)sheet->cells;
    double t = sheet->thickness, strain = load * t * t / (12.0 * p->length * p->length);
    double side = 40.0 * p->push * p->length / (job->unit * job->unit), way = strain * (depth - 2.0 * row);
    char head[400], part[32];
    dr_scene *scene = NULL;
    dr_lab_sheet_record record;
    snprintf(part, sizeof part, "load-%d", job->tries++);
    dr_lab_sheet_head(sheet, 2, head, sizeof head);
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a strip pressed together\ngravity: [0, 0, 0]\n%s"
        "forces: [{name: push, acceleration: [%.17g, 0, 0], schedule: {start: %.17g}}, {name: air, type: wind, "
        "velocity: "
        "[0, 0, 0], rate: %.17g}]\n"
        "cloths: [{name: strip, material: sheet, type: rectangle, axis: [0, 1, 0], pattern: %s, edge: %.17g, width: "
        "%.17g, "
        "depth: %.17g, rotate: [0, 0, 90 deg], bending: %s, holds: [{name: first, edge: bottom, depth: %.17g}, {name: "
        "second, edge: top, depth: %.17g, motion: [{keys: [{time: 0, ease: smooth}, {time: %.17g, translate: [0, 0, "
        "%.17g]}]}]}]}]\n",
        head, side, PRESSING * job->unit, 4.0 / job->unit, dr_lab_patterns[sheet->pattern], edge,
        (double)sheet->across * edge, depth, sheet->hinges ? "hinges" : "plate", 1.01 * row, 1.01 * row,
        PRESSING * job->unit, way);
    if (!status) status = dr_lab_sheet_run(job->lab, part, scene, 0.6 * job->unit, FRAMES, &record, error);
    if (status) return status;
    *rate = measure(job, &record, 2, 0, (int)(FRAMES * 1.1 * PRESSING / 0.6) + 1) * job->unit * job->unit;
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

static dr_status judge(dr_lab *lab, buckling *job, dr_lab_rod_rate grow, double expected, double tolerance,
                       dr_error *error)
{
    double critical = job->p->load, rate = 0.0;
    dr_status status;
    if (critical > 0.0) {
        status = grow(job, critical, &rate, error);
        if (status) return status;
        dr_lab_expect(lab, "buckled", "", rate > 0.0, critical > expected, 0.0);
        dr_lab_measure(lab, "growth_rate", "", rate > 0.0 ? sqrt(rate) : 0.0);
        return DR_STATUS_OK;
    }
    status = dr_lab_rod_search(grow, job, 0.85 * expected, &critical, error);
    if (status) return status;
    dr_lab_expect_share(lab, "critical_load", "", critical, expected, tolerance);
    dr_lab_measure(lab, "runs", "", job->tries);
    return DR_STATUS_OK;
}

static dr_status run_lateral(dr_lab *lab, const void *values, dr_error *error)
{
    buckling job = start(lab, values);
    return judge(lab, &job, grow_lateral, 12.85376, 0.05, error);
}

static dr_status run_euler(dr_lab *lab, const void *values, dr_error *error)
{
    buckling job = start(lab, values);
    return judge(lab, &job, grow_euler, 39.4784176, 0.03, error);
}

const dr_lab_case dr_lab_sheet_lateral_buckling = {
    "sheet-lateral-buckling", "a strip of cloth clamped edgewise tips over", &lateral_table, run_lateral};
const dr_lab_case dr_lab_sheet_euler = {"sheet-euler", "a strip of cloth pressed together between clamps gives way",
                                        &euler_table, run_euler};
