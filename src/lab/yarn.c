// Yarn on the grid as a rod: clamped horizontally it hangs as the elastica does; let go of a straight line it takes the
// helix of its rest shape, which wants bending and twist. Air slows it down until it rests.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rod.h"
#include "lab/rows.h"
#include "lab/sheet.h"

#include <math.h>
#include <stdio.h>

#define GRAVITY 981.0
#define PI      3.14159265358979323846

typedef struct parameters {
    double gamma, turns, pitch, length, density, poisson, rest;
    int64_t segments;
    int integrator;
} parameters;

static const char *const integrators[] = {"auto", "explicit", "implicit", NULL};

#define SHARED(edges, how, time)                                                                                       \
    ROW_COUNT(parameters, segments, edges, 4, 1000, "Edges of the yarn."),                                             \
        ROW_CHOICE(parameters, integrator, integrators, how, "How it steps in time."),                                 \
        ROW_REAL(parameters, poisson, DR_UNIT_NONE, "0.3", 0.0, 0.45, "Poisson's ratio."),                             \
        ROW_REAL(parameters, length, DR_UNIT_LENGTH, "10 cm", 1e-2, 1e4, "Of the yarn."),                              \
        ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-4, 1e2, "Of the yarn."),                          \
        ROW_REAL(parameters, rest, DR_UNIT_NONE, time, 1.0, 1e3, "How long it comes to rest, over its own time.")

static const dr_field cantilever_rows[] = {
    ROW_REAL(parameters, gamma, DR_UNIT_NONE, "10", 1e-2, 1e3, "Weight per length L^3 / B."),
    SHARED("20", "explicit", "15"),
};
static const dr_table cantilever_table = ROW_TABLE("yarn-cantilever", parameters, cantilever_rows);

static const dr_field curl_rows[] = {
    ROW_REAL(parameters, turns, DR_UNIT_NONE, "1", 0.1, 10.0, "Of the helix."),
    ROW_REAL(parameters, pitch, DR_UNIT_NONE, "0.5", 0.0, 20.0, "Length of its axis over its girth."),
    SHARED("24", "explicit", "12"),
};
static const dr_table curl_table = ROW_TABLE("yarn-curl", parameters, curl_rows);

// Of a yarn whose bending stiffness makes it swing with omega = factor sqrt(B / (weight L^4)).
typedef struct thread {
    double radius, youngs_modulus, edge, rate, duration, gravity;
    const char *keys;
} thread;

static dr_status run_thread(dr_lab *lab, const parameters *p, const thread *t, dr_lab_sheet_record *record,
                            dr_error *error)
{
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: yarn on the grid\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\ntime: {integrator: %s}\n"
        "materials: [{name: thread, kind: yarn, density: %.17g, youngs_modulus: %.17g, poisson_ratio: %.17g, radius: "
        "%.17g}]\n"
        "forces: [{name: air, type: wind, velocity: [0, 0, 0], rate: %.17g}]\n"
        "strands: [{name: yarn, material: thread, type: line, start: [%.17g, 0, 0], end: [%.17g, 0, 0], vertices: %d, "
        "contact: grid, root: clamped%s}]\n",
        -t->gravity, t->edge, integrators[p->integrator], p->density, t->youngs_modulus, p->poisson, t->radius, t->rate,
        -0.5 * t->edge, ((double)p->segments - 0.5) * t->edge, (int)p->segments + 1, t->keys);
    return status ? status : dr_lab_sheet_run(lab, NULL, scene, t->duration, 20, record, error);
}

static const double *vertex(const dr_lab_sheet_record *record, int frame, size_t v)
{
    return record->x + 3 * ((size_t)(record->frames + frame) * record->vertices + v);
}

// Thin enough not to stretch by more than this under its own weight.
#define STRETCH 0.001

// The clamp is in the middle of the first edge.
static dr_status run_cantilever(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double l = p->length, radius = l * fmin(0.05, sqrt(4.0 * STRETCH / p->gamma)), reach, drop;
    double omega = sqrt(GRAVITY / l) * fmax(3.516 / sqrt(p->gamma), 1.2);
    thread t = {.radius = radius,
                .youngs_modulus = 4.0 * p->density * GRAVITY * l * l * l / (p->gamma * radius * radius),
                .edge = l / ((double)p->segments - 0.5),
                .rate = 2.0 * omega,
                .duration = p->rest / omega,
                .gravity = GRAVITY,
                .keys = ""};
    dr_lab_sheet_record record;
    dr_status status = run_thread(lab, p, &t, &record, error);
    if (status) return status;
    const double *tip = vertex(&record, -1, record.vertices - 1);
    dr_lab_rod_elastica(p->gamma, 0.0, &reach, &drop);
    dr_lab_expect_share(lab, "h_over_w", "", -tip[1] / tip[0], drop / reach, 0.03);
    dr_lab_measure(lab, "steps", "", (double)record.steps);
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_yarn_cantilever = {"yarn-cantilever",
                                            "yarn on the grid, clamped horizontally, hangs as the elastica does",
                                            &cantilever_table, run_cantilever};

// ---- a helix

// Vertices lie on the helix: its chords are the edges.
static double angle_of_edge(double radius, double rise, double edge)
{
    double step = edge / hypot(radius, rise);
    for (int i = 0; i < 50; i++) step *= edge / hypot(2.0 * radius * sin(0.5 * step), rise * step);
    return step;
}

static dr_status run_curl(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double l = p->length, edge = l / ((double)p->segments - 0.5), bend = 1e4;
    double girth = l / (p->turns * hypot(1.0, p->pitch)), radius = girth / (2.0 * PI), rise = p->pitch * radius;
    double thick = 0.1 * edge, section = PI * thick * thick, omega;
    char keys[200];
    thread t = {.radius = thick, .youngs_modulus = bend / (0.25 * section * thick * thick), .edge = edge};
    omega = 3.516 * sqrt(bend / (p->density * section)) / (l * l);
    t.rate = 2.0 * omega;
    t.duration = p->rest / omega;
    t.keys = keys;
    snprintf(keys, sizeof keys, ", rest: curly, rest_curl_radius: %.17g, rest_curl_length: %.17g", radius,
             p->pitch * girth);
    dr_lab_sheet_record record;
    dr_status status = run_thread(lab, p, &t, &record, error);
    if (status) return status;
    const double *tip = vertex(&record, -1, record.vertices - 1), *root = vertex(&record, -1, 0);
    double angle = angle_of_edge(radius, rise, edge) * (double)p->segments;
    double chord = hypot(2.0 * radius * sin(0.5 * angle), rise * angle);
    dr_lab_expect_share(lab, "chord", "cm", hypot(hypot(tip[0] - root[0], tip[1] - root[1]), tip[2] - root[2]), chord,
                        0.02);
    dr_lab_measure(lab, "steps", "", (double)record.steps);
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_yarn_curl = {"yarn-curl", "straight yarn on the grid takes the helix of its rest shape",
                                      &curl_table, run_curl};
