// An elastic block on an inclined collider: it slides where tan(angle) > mu, and then with g (sin(angle) - mu
// cos(angle)).
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double angle, friction, side, gravity, duration, youngs_modulus;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, angle, DR_UNIT_ANGLE, "30 deg", 0.0, 1.2, "Of the slope."),
    ROW_REAL(parameters, friction, DR_UNIT_NONE, "0.3", 0.0, 10.0, "Coefficient of friction."),
    ROW_COUNT(parameters, cells, "8", 4, 64, "Cells along the block."),
    ROW_REAL(parameters, side, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e3,
             "Length and width of the block; its height is half of it."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1.0, 1e5, "Acceleration, straight down."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "0.1 s", 1e-3, 10.0, "Simulated time."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e6 dyn/cm2", 1e2, 1e12, "Of the block."),
};
static const dr_table table = ROW_TABLE("slide", parameters, rows);

// Least squares of speed along the slope over time, once the block has settled.
typedef struct fit {
    double down[3], from;
    double count, time, speed, time_time, time_speed, last;
} fit;

static void watch(void *user, const dr_report *report)
{
    fit *line = user;
    double speed = 0.0;
    for (int a = 0; a < 3; a++) speed += report->linear_momentum[a] * line->down[a] / report->mass;
    line->last = speed;
    if (report->time < line->from) return;
    line->count += 1.0;
    line->time += report->time;
    line->speed += speed;
    line->time_time += report->time * report->time;
    line->time_speed += report->time * speed;
}

static double slope(const fit *line)
{
    double spread = line->count * line->time_time - line->time * line->time;
    return spread > 0.0 ? (line->count * line->time_speed - line->time * line->speed) / spread : NAN;
}

static dr_status add_parts(dr_scene *scene, const parameters *p, dr_error *error)
{
    double up[3] = {sin(p->angle), cos(p->angle), 0.0};
    void *item = NULL;
    dr_body_spec *block = dr_lab_scene_body(scene, "block", error);
    if (!block) return DR_STATUS_NO_MEMORY;
    block->shape.kind = DR_SHAPE_BOX;
    block->shape.rotate[2] = -p->angle;
    for (int a = 0; a < 3; a++) {
        block->shape.size[a] = a == 1 ? 0.5 * p->side : p->side;
        block->shape.translate[a] = 0.25 * p->side * up[a];
    }
    dr_status status = dr_scene_append(scene, "colliders", &item, error);
    if (status) return status;
    dr_collider_spec *plane = item;
    plane->name = "slope";
    plane->shape.kind = DR_SHAPE_HALF_SPACE;
    for (int a = 0; a < 3; a++) plane->shape.normal[a] = up[a];
    plane->boundary = DR_BOUNDARY_SEPARATE;
    plane->friction = p->friction;
    dr_scene_edit(scene)->gravity[1] = -p->gravity;
    return DR_STATUS_OK;
}

// What the block still sways after it was let go tilts the fitted line: as the square of the waves' time across the
// block over the time of the fit.
static double tolerance(const parameters *p, const dr_lab_rubber *rubber)
{
    double sway = 0.5 * p->side / (dr_lab_rubber_speed(rubber) * 0.7 * p->duration);
    return p->gravity * (0.01 + fmin(50.0 * sway * sway, 0.04));
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_lab_rubber rubber = {1.0, p->youngs_modulus, 0.2};
    fit line = {.down = {cos(p->angle), -sin(p->angle), 0.0}, .from = 0.3 * p->duration};
    dr_lab_watch watcher = {.report = watch, .user = &line};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_create("a block on a slope", p->side / (double)p->cells, &rubber, &scene, error);
    if (!status) status = add_parts(scene, p, error);
    if (!status) dr_lab_scene_time(scene, p->duration, 20, 0.0);
    if (!status) status = dr_lab_simulate(lab, NULL, scene, p->duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status) return status;
    double expected = p->gravity * fmax(0.0, sin(p->angle) - p->friction * cos(p->angle));
    dr_lab_expect(lab, "acceleration", "cm/s2", slope(&line), expected, tolerance(p, &rubber));
    dr_lab_measure(lab, "last_speed", "cm/s", line.last);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_slide = {"slide", "a block on a slope slides, or not, as friction says", &table, run};
