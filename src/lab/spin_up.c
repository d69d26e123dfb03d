// Liquid at rest in a round cup that begins to turn, and holds it: its angular momentum over that of turning with the
// cup is 1 - 8 sum exp(-z^2 nu t/R^2)/z^2 over the zeros z of the Bessel function J1.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double radius, viscosity, density, spin, time, step;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "12", 4, 256, "Cells along the radius."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "1 P", 1e-6, 1e9, "Of the liquid."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e4, "Of the cup."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, spin, DR_UNIT_ANGULAR_SPEED, "5 rad/s", 1e-6, 1e6, "Of the cup."),
    ROW_REAL(parameters, time, DR_UNIT_NONE, "0.1", 0.01, 10.0, "How long to run, in units of radius^2/nu."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.05", 1e-4, 1.0, "Cells that the cup moves in a step."),
};
static const dr_table table = ROW_TABLE("spin-up", parameters, rows);

static const char format[] =
    "title: liquid in a cup that begins to turn\n"
    "gravity: [0, 0, 0]\n"
    "domain: {cell: %.17g, min: [%.17g, 0, %.17g], max: [%.17g, %.17g, %.17g], y_min: symmetry, y_max: symmetry}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: 0}]\n"
    "bodies: [{name: filling, material: liquid, shape: {type: intersection, of: [{type: cylinder, radius: %.17g, "
    "height: %.17g}, {type: half_space, point: [0, 0, 0], normal: [0, -1, 0]}, {type: half_space, point: [0, %.17g, "
    "0]}]}}]\n"
    "colliders: [{name: cup, boundary: sticky, shape: {type: inside_out, of: [{type: cylinder, radius: %.17g, height: "
    "%.17g}]}, motion: [{type: spin, axis: [0, 1, 0], rate: %.17g}]}]\n";

typedef struct record {
    double momentum, inertia;
} record;

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *mass = dr_frame_find(liquid, "mass"), *position = dr_frame_find(liquid, "position");
    const dr_frame_array *velocity = dr_frame_find(liquid, "velocity");
    *r = (record){0};
    for (size_t i = 0; i < mass->count; i++) {
        double x = dr_lab_item(position, i, 0), z = dr_lab_item(position, i, 2), m = dr_lab_item(mass, i, 0);
        r->momentum += m * (z * dr_lab_item(velocity, i, 0) - x * dr_lab_item(velocity, i, 2));
        r->inertia += m * (x * x + z * z);
    }
}

// Of what is left after a hundredth of radius^2/nu the first eight terms hold all but 1e-5.
static double left_behind(double time)
{
    static const double zeros[] = {3.8317059702,  7.0155866698,  10.1734681351, 13.3236919363,
                                   16.4706300509, 19.6158585105, 22.7600843806, 25.9036720876};
    double sum = 0.0;
    for (int n = 0; n < 8; n++) sum += 8.0 * exp(-zeros[n] * zeros[n] * time) / (zeros[n] * zeros[n]);
    return sum;
}

static dr_status turn(dr_lab *lab, const parameters *p, const char *part, int64_t cells, double *share, dr_error *error)
{
    double cell = p->radius / (double)cells, half = p->radius + 3.0 * cell, tall = 4.0 * cell;
    double duration = p->time * p->radius * p->radius * p->density / p->viscosity;
    double step = p->step * cell / (p->spin * p->radius);
    record r = {0};
    dr_lab_watch watcher = {.frame = watch_frame, .user = &r};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(&scene, error, format, cell, -half, -half, half, tall, half, p->density,
                                         p->viscosity, p->radius, 40.0 * tall, tall, p->radius, 40.0 * tall, p->spin);
    if (!status) {
        dr_lab_scene_time(scene, duration, 1, duration / ceil(duration / step));
        status = dr_lab_simulate(lab, part, scene, duration, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    *share = r.inertia > 0.0 ? r.momentum / (r.inertia * p->spin) : NAN;
    return status;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double fine = 0.0, coarse = 0.0, expected = 1.0 - left_behind(p->time);
    dr_status status = turn(lab, p, "fine", p->cells, &fine, error);
    if (!status) status = turn(lab, p, "coarse", p->cells / 2, &coarse, error);
    if (status) return status;
    dr_lab_expect_share(lab, "angular_momentum", "", fine, expected, 0.02);
    dr_lab_measure(lab, "coarse_angular_momentum", "", coarse);
    dr_lab_expect(lab, "error_over_coarse", "", fabs((fine - expected) / (coarse - expected)), 0.0, 1.0);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_spin_up = {
    "spin-up", "liquid in a sticky cup that begins to turn: its angular momentum, closer on the finer grid", &table,
    run};
