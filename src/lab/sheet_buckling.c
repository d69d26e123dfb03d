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
#include <string.h>

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
    SHARED("24", "2", "0.01"),
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

// How the strip leaves its plane, nearly: across to what it would do in its next mode. s from 0 to 1 along it.
static double bow_lateral(double s)
{
    return s * s * (6.0 - 4.0 * s + s * s) / 3.0;
}

static double bow_euler(double s)
{
    return s > 0.0 && s < 1.0 ? 0.5 - 0.5 * cos(6.283185307179586 * s) : 0.0;
}

// The displacement to the side in that shape over time, and the rate from it. The strip goes from z = start towards -z.
static double measure(const buckling *job, const dr_lab_sheet_record *record, double start, double (*bow)(double s),
                      int from)
{
    double value[FRAMES + 1];
    for (int f = 0; f < record->frames; f++) {
        value[f] = 0.0;
        for (size_t v = 0; v < record->vertices; v++) {
            const double *rest = record->x + 3 * v, *now = rest + 3 * (size_t)f * record->vertices;
            double s = (start - rest[2]) / job->sheet.length;
            value[f] += s > 0.0 ? bow(s) * (now[0] - rest[0]) : 0.0;
        }
    }
    return dr_lab_sheet_growth(value, record->frames, from, record->step);
}

#define LATERAL_TIME 0.8

// First it comes to rest under its weight, straight; then it is pushed. Weight is along -y, the strip along -z and its
// width upright; B = E t^3 b / 12, C = E t^3 b / (6 (1 + nu)).
static dr_status grow_lateral(void *user, double load, double *rate, dr_error *error)
{
    buckling *job = user;
    const parameters *p = job->p;
    const dr_lab_sheet *sheet = &job->sheet;
    dr_lab_cut cut = dr_lab_sheet_cut(sheet, 1);
    double t = sheet->thickness, bend = YOUNG * t * t * t / 12.0,
           twist = YOUNG * t * t * t / (6.0 * (1.0 + p->poisson));
    double gravity = load * sqrt(bend * twist) / (p->density * t * pow(p->length, 3.0));
    double side = p->push * p->length / (job->unit * job->unit), edgewise = 3.516 * cut.width / (t * job->unit);
    double settled = 6.0 / edgewise, duration = settled + LATERAL_TIME * job->unit;
    char head[400], part[32];
    dr_scene *scene = NULL;
    dr_lab_sheet_record record;
    snprintf(part, sizeof part, "load-%d", job->tries++);
    dr_lab_sheet_head(sheet, cut.edge, head, sizeof head);
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a strip clamped edgewise\ngravity: [0, %.17g, 0]\n%s"
        "forces: [{name: push, type: uniform, acceleration: [%.17g, 0, 0], schedule: {start: %.17g}}, {name: air, "
        "type: wind, "
        "velocity: "
        "[0, 0, 0], rate: %.17g, schedule: {stop: %.17g}}]\n"
        "cloths: [{name: strip, material: sheet, type: rectangle, axis: [0, 1, 0], pattern: %s, edge: %.17g, width: "
        "%.17g, "
        "depth: %.17g, center: [0, 0, %.17g], rotate: [0, 0, 90 deg], bending: %s, holds: [{name: clamp, edge: bottom, "
        "depth: %.17g}]}]\n",
        -gravity, head, side, settled, 2.0 * edgewise, settled, dr_lab_patterns[sheet->pattern], cut.edge, cut.width,
        cut.depth, cut.clamp - 0.5 * cut.depth, sheet->hinges ? "hinges" : "plate", 1.01 * cut.clamp);
    if (!status) status = dr_lab_sheet_run(job->lab, part, scene, duration, FRAMES, &record, error);
    if (status) return status;
    *rate = measure(job, &record, 0.0, bow_lateral, (int)(1.5 + FRAMES * settled / duration)) * job->unit * job->unit;
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
    dr_lab_cut cut = dr_lab_sheet_cut(sheet, 2);
    double t = sheet->thickness, strain = load * t * t / (12.0 * p->length * p->length);
    double side = 40.0 * p->push * p->length / (job->unit * job->unit), way = strain * (cut.depth - 2.0 * cut.clamp);
    char head[400], part[32];
    dr_scene *scene = NULL;
    dr_lab_sheet_record record;
    snprintf(part, sizeof part, "load-%d", job->tries++);
    dr_lab_sheet_head(sheet, cut.edge, head, sizeof head);
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a strip pressed together\ngravity: [0, 0, 0]\n%s"
        "forces: [{name: push, type: uniform, acceleration: [%.17g, 0, 0], schedule: {start: %.17g}}, {name: air, "
        "type: wind, "
        "velocity: "
        "[0, 0, 0], rate: %.17g}]\n"
        "cloths: [{name: strip, material: sheet, type: rectangle, axis: [0, 1, 0], pattern: %s, edge: %.17g, width: "
        "%.17g, "
        "depth: %.17g, rotate: [0, 0, 90 deg], bending: %s, holds: [{name: first, edge: bottom, depth: %.17g}, {name: "
        "second, edge: top, depth: %.17g, motion: [{type: keyframes, keys: [{time: 0, ease: smooth}, {time: %.17g, "
        "translate: [0, 0, "
        "%.17g]}]}]}]}]\n",
        head, side, PRESSING * job->unit, 4.0 / job->unit, dr_lab_patterns[sheet->pattern], cut.edge, cut.width,
        cut.depth, sheet->hinges ? "hinges" : "plate", 1.01 * cut.clamp, 1.01 * cut.clamp, PRESSING * job->unit, way);
    if (!status) status = dr_lab_sheet_run(job->lab, part, scene, 0.6 * job->unit, FRAMES, &record, error);
    if (status) return status;
    *rate = measure(job, &record, 0.5 * p->length, bow_euler, (int)(FRAMES * 1.1 * PRESSING / 0.6) + 1) * job->unit *
            job->unit;
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

// The load at which the rate passes through zero: it is nearly linear in the square of the load.
static dr_status search(buckling *job, dr_lab_rod_rate grow, const double first[2], double *critical, dr_error *error)
{
    double load[2] = {first[0] * first[0], first[1] * first[1]}, rate[2] = {0};
    for (int i = 0; i < 4; i++) {
        int at = i < 2 ? i : fabs(rate[0]) > fabs(rate[1]) ? 0 : 1;
        if (i > 1) load[at] = *critical * *critical;
        dr_status status = grow(job, sqrt(load[at]), &rate[at], error);
        if (status) return status;
        double next = load[0] - rate[0] * (load[1] - load[0]) / (rate[1] - rate[0]);
        if (i > 0) *critical = next > 0.0 ? sqrt(next) : NAN;
        if (i > 1 && fabs(*critical - sqrt(load[at])) < 3e-3 * *critical) break;
    }
    return DR_STATUS_OK;
}

static dr_status judge_load(dr_lab *lab, buckling *job, dr_lab_rod_rate grow, double expected, dr_error *error)
{
    double rate = 0.0;
    dr_status status = grow(job, job->p->load, &rate, error);
    if (status) return status;
    dr_lab_expect(lab, "buckled", "", rate > 0.0, job->p->load > expected, 0.0);
    dr_lab_measure(lab, "growth_rate", "", rate > 0.0 ? sqrt(rate) : 0.0);
    dr_lab_measure(lab, "growth_rate_squared", "", rate);
    return DR_STATUS_OK;
}

// ---- what a strip that is not slender does

#define SLENDER 12.85376 // q L^3 / sqrt(B C) of a slender one

enum { POINTS = 800 };

// Solves the symmetric system of five diagonals a[i][0..2] (own, next, next but one) in place; x is the right side.
static void solve_bands(double a[][3], double *x, int count)
{
    for (int i = 0; i < count; i++) {
        for (int k = 1; k <= 2 && i + k < count; k++) {
            double factor = a[i][k] / a[i][0];
            for (int l = k; l <= 2; l++) a[i + k][l - k] -= factor * a[i][l];
            x[i + k] -= factor * x[i];
        }
    }
    for (int i = count; i-- > 0;) {
        for (int k = 1; k <= 2 && i + k < count; k++) x[i] -= a[i][k] * x[i + k];
        x[i] /= a[i][0];
    }
}

// Adds weight times the square of sum coefficient[k] phi[at + k].
static void add_square(double a[][3], int at, const double *coefficient, int terms, double weight)
{
    for (int k = 0; k < terms; k++) {
        for (int l = k; l < terms; l++) {
            if (at + k >= 0) a[at + k][l - k] += weight * coefficient[k] * coefficient[l];
        }
    }
}

// A clamp keeps the strip from warping, which costs D b^3 / 12 phi''^2 / 2 per length beside the C phi'^2 / 2 of its
// twist (Reissner and Stein 1951): it tips over where, over all phi with phi(0) = phi'(0) = 0, s = z / L,
//   int phi'^2 + gamma phi''^2 ds = load^2 int (1 - s)^4 / 4 phi^2 ds, gamma = (b / L)^2 / (24 (1 - nu)).
// Differences over POINTS intervals, inverse iteration; phi[i] is at s = (i + 1) / POINTS.
static double critical_of_width(double share, double poisson)
{
    static const double first[2] = {-1.0, 1.0}, second[3] = {1.0, -2.0, 1.0};
    const double h = 1.0 / POINTS, gamma = share * share / (24.0 * (1.0 - poisson));
    double phi[POINTS], right[POINTS], load = 0.0;
    for (int i = 0; i < POINTS; i++) phi[i] = (i + 1) * h;
    for (int round = 0; round < 30; round++) {
        double a[POINTS][3] = {{0.0}}, above = 0.0, below = 0.0;
        a[0][0] = 2.0 * gamma / (h * h * h); // half an interval with phi'' = 2 phi / h^2
        for (int i = -1; i + 1 < POINTS; i++) add_square(a, i, first, 2, 1.0 / h);
        for (int i = -1; i + 2 < POINTS; i++) add_square(a, i, second, 3, gamma / (h * h * h));
        for (int i = 0; i < POINTS; i++) right[i] = 0.25 * h * pow(1.0 - (i + 1) * h, 4.0) * phi[i];
        for (int i = 0; i < POINTS; i++) below += right[i] * phi[i];
        memcpy(phi, right, sizeof phi);
        solve_bands(a, phi, POINTS);
        for (int i = 0; i < POINTS; i++) above += right[i] * phi[i];
        load = sqrt(below / above);
        for (int i = 0; i < POINTS; i++) phi[i] *= load * load;
    }
    return load;
}

// Judged as the slender strip that it leads to.
static dr_status run_lateral(dr_lab *lab, const void *values, dr_error *error)
{
    buckling job = start(lab, values);
    double width = dr_lab_sheet_cut(&job.sheet, 1).width / job.p->length, load = 0.0;
    double expected = critical_of_width(width, job.p->poisson);
    const double first[2] = {0.97 * expected, 1.07 * expected};
    if (job.p->load > 0.0) return judge_load(lab, &job, grow_lateral, expected, error);
    dr_status status = search(&job, grow_lateral, first, &load, error);
    if (status) return status;
    dr_lab_expect_share(lab, "critical_load", "", load * SLENDER / expected, SLENDER, 0.05);
    dr_lab_measure(lab, "critical_load_of_width", "", load);
    dr_lab_measure(lab, "expected_of_width", "", expected);
    dr_lab_measure(lab, "width_over_length", "", width);
    dr_lab_measure(lab, "runs", "", job.tries);
    return DR_STATUS_OK;
}

static dr_status run_euler(dr_lab *lab, const void *values, dr_error *error)
{
    static const double first[2] = {36.0, 44.0};
    buckling job = start(lab, values);
    double critical = 0.0;
    if (job.p->load > 0.0) return judge_load(lab, &job, grow_euler, 39.4784176, error);
    dr_status status = search(&job, grow_euler, first, &critical, error);
    if (status) return status;
    dr_lab_expect_share(lab, "critical_load", "", critical, 39.4784176, 0.03);
    dr_lab_measure(lab, "runs", "", job.tries);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_sheet_lateral_buckling = {
    "sheet-lateral-buckling", "a strip of cloth clamped edgewise tips over", &lateral_table, run_lateral};
const dr_lab_case dr_lab_sheet_euler = {"sheet-euler", "a strip of cloth pressed together between clamps gives way",
                                        &euler_table, run_euler};
