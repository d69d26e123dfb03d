// A round disc of liquid turns freely like a solid: its angular momentum stays what it was. Within, pressure is below
// that of the air by density rate^2 (R^2 - r^2) / 2, which holds it together.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double radius, rate, courant, density;
    int64_t cells, steps;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "16", 4, 512, "Cells across the radius."),
    ROW_COUNT(parameters, steps, "60", 1, 1000000, "Steps of equal size."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e4, "Of the disc."),
    ROW_REAL(parameters, rate, DR_UNIT_ANGULAR_SPEED, "1 rev/s", 1e-3, 1e5, "At which it turns."),
    ROW_REAL(parameters, courant, DR_UNIT_NONE, "0.5", 0.01, 1.0, "Cells that its edge moves in a step."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
};
static const dr_table table = ROW_TABLE("rotating-drop", parameters, rows);

static const char format[] =
    "title: a disc of liquid turns freely\n"
    "gravity: [0, 0, 0]\n"
    "domain: {cell: %.17g, min: [unbounded, unbounded, 0], max: [unbounded, unbounded, %.17g], z_min: symmetry, "
    "z_max: symmetry}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: 0, surface_tension: 0}]\n"
    "bodies: [{name: disc, material: liquid, spin: [0, 0, %.17g], shape: {type: cylinder, axis: z, "
    "center: [0, 0, %.17g], radius: %.17g, height: %.17g}}]\n";

typedef struct record {
    double start, last, drift, energy, first_energy;
} record;

static void watch(void *user, const dr_report *report)
{
    record *r = user;
    if (r->start == 0.0) {
        r->start = report->angular_momentum[2];
        r->first_energy = report->energy_kinetic;
    }
    r->last = report->angular_momentum[2];
    r->drift = fmax(r->drift, fabs(r->last / r->start - 1.0));
    r->energy = report->energy_kinetic;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double cell = p->radius / (double)p->cells, step = p->courant * cell / (p->rate * p->radius), height = 4.0 * cell;
    double duration = step * (double)p->steps;
    record r = {0};
    dr_lab_watch watcher = {.report = watch, .user = &r};
    dr_scene *scene = NULL;
    dr_status status =
        dr_lab_scene_text(&scene, error, format, cell, height, p->density, p->rate, 0.5 * height, p->radius, height);
    if (!status) {
        dr_lab_scene_time(scene, duration, 10, step);
        status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    double inertia = 0.5 * p->density * DR_PI * pow(p->radius, 4.0) * height;
    dr_lab_expect(lab, "angular_drift", "", r.drift, 0.0, dr_lab_rounding(p->steps, 1.0));
    dr_lab_expect(lab, "angular_start", "", r.start / (inertia * p->rate), 1.0, 1.0 / (double)p->cells);
    dr_lab_measure(lab, "energy_ratio", "", r.energy / r.first_energy);
    dr_lab_measure(lab, "turns", "rev", p->rate * duration / 6.283185307179586);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_rotating_drop = {"rotating-drop", "a disc of liquid turns freely: angular momentum stays",
                                          &table, run};
