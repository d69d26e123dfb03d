// Two balls, elastic or liquid or one of each, meet obliquely in empty space. Whatever happens between them, the sums
// of momentum and of angular momentum stay what they were.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double radius, speed, offset, youngs_modulus, poisson_ratio;
    int64_t cells, steps;
    int matter;
} parameters;

enum { ELASTIC, LIQUID, BOTH, SAND_CLOTH };
static const char *const matters[] = {"elastic", "liquid", "both", "sand-cloth", NULL};

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "5", 2, 100, "Cells across the radius of a ball."),
    ROW_COUNT(parameters, steps, "400", 10, 1000000, "Steps of equal size."),
    ROW_CHOICE(parameters, matter, matters, "elastic",
               "What the balls are made of; both: one is liquid; sand-cloth: a ball of sand falls onto a free cloth."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e3, "Of each ball."),
    ROW_REAL(parameters, speed, DR_UNIT_SPEED, "50 cm/s", 1e-3, 1e5, "At which each ball comes."),
    ROW_REAL(parameters, offset, DR_UNIT_NONE, "0.8", 0.0, 1.9, "How far they come beside each other, in radii."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e5 dyn/cm2", 1.0, 1e12, "Of the balls."),
    ROW_REAL(parameters, poisson_ratio, DR_UNIT_NONE, "0.3", 0.0, 0.49, "Of the balls."),
};
static const dr_table table = ROW_TABLE("momentum", parameters, rows);

typedef struct sums {
    double linear[3], angular[3]; // after the first step
    double mass;
    double linear_drift, angular_drift, elastic;
    bool started;
} sums;

static double distance(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return dr_lab_norm(d);
}

static void watch(void *user, const dr_report *report)
{
    sums *sum = user;
    if (!sum->started) {
        for (int a = 0; a < 3; a++) {
            sum->linear[a] = report->linear_momentum[a];
            sum->angular[a] = report->angular_momentum[a];
        }
        sum->mass = report->mass;
        sum->started = true;
    }
    sum->linear_drift = fmax(sum->linear_drift, distance(report->linear_momentum, sum->linear));
    sum->angular_drift = fmax(sum->angular_drift, distance(report->angular_momentum, sum->angular));
    sum->elastic = fmax(sum->elastic, report->energy_elastic);
}

static dr_status add_ball(dr_scene *scene, const parameters *p, int side, dr_error *error)
{
    dr_body_spec *ball = dr_lab_scene_body(scene, side > 0 ? "right" : "left", error);
    if (!ball) return DR_STATUS_NO_MEMORY;
    ball->shape.kind = DR_SHAPE_SPHERE;
    ball->shape.radius = p->radius;
    ball->shape.center[0] = 1.2 * side * p->radius;
    ball->shape.center[1] = 0.5 * side * p->offset * p->radius;
    ball->velocity[0] = -side * p->speed;
    ball->velocity[2] = 0.2 * p->speed;
    return DR_STATUS_OK;
}

static void make_liquid(dr_scene_spec *spec)
{
    dr_material_spec *material = &spec->materials.items[0];
    spec->title = "two drops meet obliquely";
    material->kind = DR_MATERIAL_LIQUID;
    material->viscosity = material->surface_tension = 0.0;
}

// The right ball becomes a drop.
static dr_status make_both(dr_scene *scene, dr_error *error)
{
    void *item = NULL;
    dr_status status = dr_scene_append(scene, "materials", &item, error);
    if (status) return status;
    dr_material_spec *material = item;
    material->name = "drop";
    material->kind = DR_MATERIAL_LIQUID;
    material->density = 1.0;
    material->viscosity = material->surface_tension = 0.0;
    dr_scene_edit(scene)->title = "an elastic ball and a drop meet obliquely";
    dr_scene_edit(scene)->bodies.items[1].material = "drop";
    return DR_STATUS_OK;
}

// A ball of sand meets a sheet that nothing holds. Middles of triangles are where their corners are, not where their
// own velocity would take them, so that angular momentum is kept to the difference of the two alone.
static dr_status run_sand(dr_lab *lab, const parameters *p, dr_error *error)
{
    double cell = p->radius / (double)p->cells, step = 0.1 * cell / (sqrt(p->youngs_modulus) + p->speed);
    double duration = step * (double)p->steps;
    dr_scene *scene = NULL;
    sums sum = {0};
    dr_lab_watch watcher = {.report = watch, .user = &sum};
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: sand meets cloth\ngravity: [0, 0, 0]\ndomain: {cell: %.17g}\ntime: {integrator: explicit}\n"
        "materials: [{name: grains, preset: sand, youngs_modulus: %.17g}, {name: rag, preset: fabric, youngs_modulus: "
        "%.17g}]\n"
        "bodies: [{name: ball, material: grains, velocity: [%.17g, %.17g, 0], shape: {type: sphere, center: [0, %.17g, "
        "0], radius: %.17g}}]\n"
        "cloths: [{name: sheet, material: rag, type: rectangle, width: %.17g, depth: %.17g, edge: %.17g}]\n",
        cell, p->youngs_modulus, p->youngs_modulus, 0.2 * p->speed, -p->speed, p->radius + 2.0 * cell, p->radius,
        3.0 * p->radius, 3.0 * p->radius, cell);
    if (!status) dr_lab_scene_time(scene, duration, 10, step);
    if (!status) status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status) return status;
    double scale = sum.mass * p->speed;
    dr_lab_expect(lab, "linear_drift", "", sum.linear_drift / scale, 0.0, dr_lab_rounding(p->steps, 0.5));
    dr_lab_expect(lab, "angular_drift", "", sum.angular_drift / (scale * p->radius), 0.0, 1e-3);
    dr_lab_measure(lab, "elastic_share", "", sum.elastic / (0.5 * sum.mass * p->speed * p->speed));
    return DR_STATUS_OK;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    if (p->matter == SAND_CLOTH) return run_sand(lab, p, error);
    dr_lab_rubber rubber = {1.0, p->youngs_modulus, p->poisson_ratio};
    double cell = p->radius / (double)p->cells;
    double waves = p->matter != LIQUID ? dr_lab_rubber_speed(&rubber) : 0.0, step = 0.3 * cell / (waves + p->speed);
    double duration = step * (double)p->steps;
    dr_scene *scene = NULL;
    sums sum = {0};
    dr_lab_watch watcher = {.report = watch, .user = &sum};
    dr_status status = dr_lab_scene_create("two elastic balls meet obliquely", cell, &rubber, &scene, error);
    if (!status && p->matter == LIQUID) make_liquid(dr_scene_edit(scene));
    if (!status) status = add_ball(scene, p, -1, error);
    if (!status) status = add_ball(scene, p, 1, error);
    if (!status && p->matter == BOTH) status = make_both(scene, error);
    if (!status) dr_lab_scene_time(scene, duration, 10, step);
    if (!status) status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status) return status;
    double scale = sum.mass * p->speed;
    dr_lab_expect(lab, "linear_drift", "", sum.linear_drift / scale, 0.0, dr_lab_rounding(p->steps, 0.2));
    dr_lab_expect(lab, "angular_drift", "", sum.angular_drift / (scale * p->radius), 0.0,
                  dr_lab_rounding(p->steps, 0.2));
    dr_lab_measure(lab, "elastic_share", "", sum.elastic / (0.5 * sum.mass * p->speed * p->speed));
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_momentum = {
    "momentum", "two balls meet obliquely: momentum and angular momentum are kept to rounding", &table, run};
