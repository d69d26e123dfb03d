// A stick pinned at one end and thrown across itself turns about the pin for ever: nothing turns it, so that its
// angular momentum about the pin stays. In steps as they are chosen by default; docs/theory/rods.md, "Two stages".
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/number.h"

#include <math.h>

typedef struct parameters {
    double rate, duration, length, radius, density, youngs_modulus;
    int64_t segments;
    int integrator;
} parameters;

static const char *const integrators[] = {"tr_bdf2", "euler", NULL};

static const dr_field rows[] = {
    ROW_REAL(parameters, rate, DR_UNIT_NONE, "22", 1e-3, 1e3, "Angular speed, rad/s."),
    ROW_CHOICE(parameters, integrator, integrators, "tr_bdf2", "How the stick steps in time."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "1 s", 1e-3, 1e3, "Simulated time."),
    ROW_COUNT(parameters, segments, "10", 2, 1000, "Edges of the stick."),
    ROW_REAL(parameters, length, DR_UNIT_LENGTH, "2 cm", 1e-3, 1e3, "Of the stick."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "0.05 cm", 1e-6, 10.0, "Of the stick."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1.3 g/cm3", 1e-4, 1e3, "Of the stick."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e10 dyn/cm2", 1.0, 1e15, "Of the stick."),
};
static const dr_table table = ROW_TABLE("rod-spin", parameters, rows);

typedef struct record {
    double first, last; // angular momentum about the pin
    double steps;
} record;

static void watch(void *user, const dr_report *report)
{
    record *r = user;
    r->last = report->angular_momentum[2];
    r->steps += 1.0;
}

#define FRAMES 24 // of the run

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double speed = p->rate * p->length / 1.5; // thrown evenly: 3/2 v/l about its end
    double mass = p->density * DR_PI * p->radius * p->radius * p->length;
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a stick turns about a pin\ngravity: [0, 0, 0]\ndomain: {cell: %.17g}\n"
        "materials: [{name: wood, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: %.17g, damping: 0}]\n"
        "strands: [{name: stick, material: wood, type: line, start: [0, 0, 0], end: [%.17g, 0, 0], vertices: %d, root: "
        "pinned, velocity: [0, %.17g, 0], contact: none, integrator: %s}]\n",
        p->length, p->density, p->youngs_modulus, p->radius, p->length, (int)p->segments + 1, speed,
        integrators[p->integrator]);
    if (status) return status;
    record r = {.first = 0.5 * mass * p->length * speed};
    dr_lab_watch watcher = {.report = watch, .user = &r};
    dr_lab_scene_time(scene, p->duration, FRAMES, 0.0);
    status = dr_lab_simulate(lab, "spin", scene, p->duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status || dr_lab_stopped(lab)) return status;
    dr_lab_expect(lab, "spin_kept", "", r.last / r.first, 1.0, 0.03);
    dr_lab_measure(lab, "steps", "", r.steps);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_rod_spin = {"rod-spin", "a stick pinned at one end turns freely and keeps its spin", &table,
                                     run};
