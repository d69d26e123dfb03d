// A layer of thick liquid on a wall that holds it is set in motion along it, below yield: it is sheared, stops and
// springs back. Of a uniform start the wall takes the momentum evenly, all of it in the time H/c that a shear wave
// takes to the surface, c = sqrt(mu/rho), and gives it back the other way in the same. Of mode n, (2n+1) pi c/(2H),
// which has 8/(pi (2n+1))^2 of the momentum, backward Euler keeps 1/sqrt(1 + (omega dt)^2) in a step.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/thick_material.h"

#include <math.h>

typedef struct parameters {
    double height, strain;
    int64_t cells, steps;
    int material;
} parameters;

static const char *const materials[] = {DR_LAB_THICK_NAMES};

static const dr_field rows[] = {
    ROW_CHOICE(parameters, material, materials, "shaving cream", "Which liquid."),
    ROW_REAL(parameters, height, DR_UNIT_LENGTH, "2 cm", 1e-3, 1e3, "Of the layer."),
    ROW_REAL(parameters, strain, DR_UNIT_NONE, "0.5", 1e-3, 1.0, "Of the wall's layer, over that at which it yields."),
    ROW_COUNT(parameters, cells, "12", 4, 256, "Cells across the layer."),
    ROW_COUNT(parameters, steps, "100", 10, 100000, "In the time H/c."),
};
static const dr_table table = ROW_TABLE("hb-recoil", parameters, rows);

typedef struct swing {
    double first, last, time, crossing, least; // momentum per mass along x, s
} swing;

static void watch(void *user, const dr_report *report)
{
    swing *s = user;
    double now = report->linear_momentum[0] / report->mass;
    if (s->time == 0.0) s->first = s->last = now;
    if (s->crossing == 0.0 && s->last > 0.0 && now <= 0.0)
        s->crossing = s->time + (report->time - s->time) * s->last / (s->last - now);
    s->least = fmin(s->least, now);
    s->last = now;
    s->time = report->time;
}

// The momentum that has come back after the time 2 H/c, of all that was there, with so many steps in H/c.
static double kept(int64_t steps)
{
    double sum = 0.0;
    for (int n = 0; n < 1000; n++) {
        double odd = 2.0 * n + 1.0, turn = 0.5 * DR_PI * odd / (double)steps; // omega dt
        sum += 8.0 / (DR_PI * DR_PI * odd * odd) * pow(1.0 + turn * turn, -(double)steps);
    }
    return sum;
}

// What the transfer between particles and grid may take: some of short waves in every step.
static double spread(const parameters *p)
{
    double fine = 12.0 / (double)p->cells;
    return 0.02 + 0.03 * fine * fine * (double)p->steps / 100.0;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    material.bulk_modulus = 2e10;
    double wave = sqrt(material.shear_modulus / material.density), turn = p->height / wave;
    double speed = p->strain * dr_lab_thick_shear(&material).yield / material.shear_modulus * wave;
    double cell = p->height / (double)p->cells, wide = 8.0 * cell;
    char text[512];
    dr_lab_thick_text(&material, "liquid", text, sizeof text);
    swing s = {0};
    dr_lab_watch watcher = {.report = watch, .user = &s};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a layer springs back\ngravity: [0, 0, 0]\ndomain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, "
        "%.17g], x_min: periodic, x_max: periodic, y_min: sticky, z_min: periodic, z_max: periodic}\n"
        "materials: [%s]\nbodies: [{name: layer, material: liquid, velocity: [%.17g, 0, 0], shape: {type: box, center: "
        "[%.17g, %.17g, %.17g], size: [%.17g, %.17g, %.17g]}}]\n",
        cell, wide, 2.0 * p->height, wide, text, speed, 0.5 * wide, 0.5 * p->height, 0.5 * wide, wide, p->height, wide);
    if (!status) {
        dr_lab_scene_time(scene, 2.5 * turn, 1, turn / (double)p->steps);
        status = dr_lab_simulate(lab, NULL, scene, 2.5 * turn, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    dr_lab_expect_share(lab, "turning_time", "s", s.crossing, turn, 0.03);
    dr_lab_expect(lab, "recoil", NULL, -s.least / speed, kept(p->steps), spread(p));
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_hb_recoil = {"hb-recoil", "a layer of thick liquid is sheared below yield and springs back",
                                      &table, run};
