// A jet into an open box that a drain empties: what was emitted is there or has left.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double time, side, speed, density, viscosity;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, time, DR_UNIT_TIME, "1.5 s", 1e-3, 1e5, "Simulated time."),
    ROW_COUNT(parameters, cells, "16", 8, 512, "Cells along the box."),
    ROW_REAL(parameters, side, DR_UNIT_LENGTH, "10 cm", 1e-2, 1e5, "Of the box."),
    ROW_REAL(parameters, speed, DR_UNIT_SPEED, "60 cm/s", 0.0, 1e5, "Of the jet."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "8.9e-3 P", 0.0, 1e6, "Of the liquid."),
};
static const dr_table table = ROW_TABLE("emitter", parameters, rows);

// Lengths in units of the side. The far side of the box is open and low: what runs over it leaves the domain.
static const char format[] =
    "title: a jet into a box with a drain\n"
    "domain: {cell: %.17g, min: [%.17g, 0, %.17g], max: [%.17g, %.17g, %.17g], x_min: separate, x_max: open, "
    "y_min: separate, y_max: open, z_min: separate, z_max: separate}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: 0}]\n"
    "emitters: [{name: jet, material: liquid, velocity: [%.17g, %.17g, 0], "
    "shape: {type: sphere, center: [-0.25, 0.7, 0], radius: 0.13, scale: %.17g}}]\n"
    "drains: [{name: drain, shape: {type: sphere, center: [0.1, 0, 0], radius: 0.1, scale: %.17g}}]\n";

typedef struct record {
    double drift, emitted, drained, present;
    int64_t particles;
} record;

static void watch(void *user, const dr_report *report)
{
    record *r = user;
    r->emitted = report->volume_emitted;
    r->drained = report->volume_drained;
    r->present = report->volume_bulk;
    r->particles = report->emitted;
    if (r->emitted > 0.0) r->drift = fmax(r->drift, fabs(r->present + r->drained - r->emitted) / r->emitted);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double half = 0.5 * p->side;
    record r = {0};
    dr_lab_watch watcher = {.report = watch, .user = &r};
    dr_scene *scene = NULL;
    dr_status status =
        dr_lab_scene_text(&scene, error, format, p->side / (double)p->cells, -half, -0.6 * half, half, 2.0 * p->side,
                          0.6 * half, p->density, p->viscosity, 0.8 * p->speed, -0.6 * p->speed, p->side, p->side);
    if (!status) {
        dr_lab_scene_time(scene, p->time, (int)fmin(1000.0, ceil(24.0 * p->time)), 0.0);
        status = dr_lab_simulate(lab, NULL, scene, p->time, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    dr_lab_expect(lab, "drift", "", r.drift, 0.0, 100.0 * 5.97e-8);
    dr_lab_measure(lab, "emitted", "cm3", r.emitted);
    dr_lab_measure(lab, "present", "cm3", r.present);
    dr_lab_measure(lab, "drained", "cm3", r.drained);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_emitter = {"emitter", "a jet into a box with a drain: what was emitted is there or has left",
                                    &table, run};
