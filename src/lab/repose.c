// A bed of sand that is tilted slowly: the angle at which it begins to slide. The bed is periodic, gravity has a
// growing part along it. While it slides, what resists it over its weight is the tangent of that angle and a little
// that grows with its speed, the damping of the grid: a line through it over the speed tells what is left at no speed.
// docs/theory/sand.md, "Slopes".
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double friction_angle, cell, density, gravity, stiffness, poisson_ratio, time;
    int64_t cells, particles_per_cell;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, friction_angle, DR_UNIT_NONE, "30", 5.0, 50.0, "Of the grains, in degrees."),
    ROW_COUNT(parameters, cells, "8", 4, 64, "Cells from the bottom of the bed to its top."),
    ROW_COUNT(parameters, particles_per_cell, "8", 1, 64, "Of sand."),
    ROW_REAL(parameters, cell, DR_UNIT_LENGTH, "1 cm", 1e-4, 1e4, "Of the grid."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "2.2 g/cm3", 1e-4, 1e2, "Of the bed."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-2, 1e6, "Across the bed."),
    ROW_REAL(parameters, stiffness, DR_UNIT_NONE, "200", 10.0, 1e6,
             "Young's modulus over the pressure at the bottom of the bed."),
    ROW_REAL(parameters, poisson_ratio, DR_UNIT_NONE, "0.3", 0.0, 0.45, "Of the bed."),
    ROW_REAL(parameters, time, DR_UNIT_NONE, "25", 5.0, 1e4, "That tilting takes, in sqrt(depth / gravity)."),
};
static const dr_table table = ROW_TABLE("repose", parameters, rows);

#define SETTLE 4.0  // sqrt(depth / gravity), before it is tilted
#define FROM   0.6  // times the tangent that is known: the slope on which it settles
#define TO     1.35 // and the last one
#define STEADY 0.04 // sqrt(gravity depth): from here on it slides, and no longer only sways

// The tangent of the slope on which the cone of this friction angle yields in plane shear.
static double known_tangent(const parameters *p)
{
    double sine = sin(p->friction_angle * DR_DEGREE);
    return 2.0 * sqrt(3.0) * sine / (3.0 - sine);
}

typedef struct fit {
    const parameters *p;
    double unit, sample;        // sqrt(depth / gravity); time between two looks
    double last_time, last;     // look: speed along the bed, over sqrt(gravity depth)
    double count, x, y, xx, xy; // resistance over speed
    bool slides;
    double swayed; // speed before that
} fit;

static double tangent_at(const fit *line, double time)
{
    double tilted = (time / line->unit - SETTLE) / line->p->time;
    return known_tangent(line->p) * (FROM + (TO - FROM) * fmax(0.0, tilted));
}

static void watch(void *user, const dr_report *report)
{
    fit *line = user;
    double passed = report->time - line->last_time;
    double speed = report->linear_momentum[0] / (report->mass * line->p->gravity * line->unit);
    if (passed < line->sample) return;
    double pull = tangent_at(line, report->time - 0.5 * passed);
    double x = 0.5 * (speed + line->last), y = pull - (speed - line->last) * line->unit / passed;
    line->slides |= line->last > STEADY;
    if (line->slides) {
        line->count += 1.0;
        line->x += x;
        line->y += y;
        line->xx += x * x;
        line->xy += x * y;
    } else if (pull < 0.9 * known_tangent(line->p)) {
        line->swayed = fmax(line->swayed, fabs(speed));
    }
    line->last_time = report->time;
    line->last = speed;
}

static dr_status make_scene(const parameters *p, double unit, dr_scene **scene, dr_error *error)
{
    double depth = (double)p->cells * p->cell, wide = 8.0 * p->cell;
    return dr_lab_scene_text(
        scene, error,
        "title: a bed of sand that is tilted\ngravity: [0, %.17g, 0]\n"
        "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, z_min: "
        "periodic, z_max: periodic, y_min: sticky}\n"
        "materials: [{name: grains, kind: sand, density: %.17g, youngs_modulus: %.17g, poisson_ratio: %.17g, "
        "friction_angle: %.17g deg}]\n"
        "bodies: [{name: bed, material: grains, particles_per_cell: %d, shape: {type: box, center: [%.17g, %.17g, "
        "%.17g], size: [%.17g, %.17g, %.17g]}}]\n"
        "forces: [{name: lean, type: uniform, acceleration: [%.17g, 0, 0]}, {name: tilt, type: uniform, acceleration: "
        "[%.17g, 0, 0], schedule: {start: %.17g, ramp: %.17g}}]\n",
        -p->gravity, p->cell, wide, 3.0 * depth, wide, p->density, p->stiffness * p->density * p->gravity * depth,
        p->poisson_ratio, p->friction_angle, (int)p->particles_per_cell, 0.5 * wide, 0.5 * depth, 0.5 * wide, wide,
        depth, wide, FROM * known_tangent(p) * p->gravity, (TO - FROM) * known_tangent(p) * p->gravity, SETTLE * unit,
        p->time * unit);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double unit = sqrt((double)p->cells * p->cell / p->gravity), duration = (SETTLE + p->time) * unit;
    fit line = {.p = p, .unit = unit, .sample = 0.7 * unit};
    dr_lab_watch watcher = {.report = watch, .user = &line};
    dr_scene *scene = NULL;
    dr_status status = make_scene(p, unit, &scene, error);
    if (!status) dr_lab_scene_time(scene, duration, 20, 0.0);
    if (!status) status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (status) return status;
    double spread = line.count * line.xx - line.x * line.x;
    double damping = spread > 0.0 ? (line.count * line.xy - line.x * line.y) / spread : NAN;
    double tangent = (line.y - damping * line.x) / line.count;
    dr_lab_expect(lab, "angle", "deg", atan(tangent) / DR_DEGREE, atan(known_tangent(p)) / DR_DEGREE, 0.7);
    dr_lab_measure(lab, "resistance_per_speed", NULL, damping);
    dr_lab_expect(lab, "speed_before", NULL, line.swayed, 0.0, STEADY);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_repose = {"repose", "a bed of sand begins to slide at its angle", &table, run};
