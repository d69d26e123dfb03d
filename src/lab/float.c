// An elastic cube in a pool. One that is lighter than the liquid begins a tenth of its edge above where it will float
// and comes to rest there; one that is as heavy or heavier begins submerged and at rest and falls with its weight less
// its buoyancy, carrying its added mass along.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>
#include <string.h>

#define GRAVITY 981.0

// Liquid that a cube carries along when it moves across a face, over its volume (Brennen 1982, a review of added mass).
#define ADDED_MASS 0.68

#define WIDTH 3.0 // of the pool, in edges
#define DEPTH 2.0 // before the cube is in it, where it floats; where it is submerged, half as much again

typedef struct parameters {
    double density, edge, youngs_modulus, time;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, density, DR_UNIT_NONE, "0.5", 0.1, 10.0, "Of the cube, over the liquid's."),
    ROW_COUNT(parameters, cells, "6", 3, 64, "Cells along an edge of the cube."),
    ROW_REAL(parameters, edge, DR_UNIT_LENGTH, "2 cm", 0.1, 100.0, "Of the cube."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e5 dyn/cm2", 1e3, 1e9, "Of the cube."),
    ROW_REAL(parameters, time, DR_UNIT_NONE, "12", 0.1, 1000.0,
             "Watched, in units of sqrt(edge / g), where it floats."),
};
static const dr_table table = ROW_TABLE("float", parameters, rows);

static const char format[] =
    "title: an elastic cube in a pool\n"
    "domain: {cell: %.17g, min: [%.17g, 0, %.17g], max: [%.17g, unbounded, %.17g], x_min: slip, x_max: slip, "
    "y_min: slip, z_min: slip, z_max: slip}\n"
    "materials: [{name: liquid, kind: liquid, density: 1, viscosity: 0, surface_tension: 0}, {name: solid, kind: "
    "elastic, density: %.17g, youngs_modulus: %.17g, poisson_ratio: 0.3}]\n"
    "bodies: [{name: cube, material: solid, shape: {type: box, center: [0, %.17g, 0], size: [%.17g, %.17g, %.17g]}}, "
    "{name: pool, material: liquid, shape: {type: difference, of: [{type: box, center: [0, %.17g, 0], size: [%.17g, "
    "%.17g, %.17g]}, {type: box, center: [0, %.17g, 0], size: [%.17g, %.17g, %.17g]}]}}]\n";

typedef struct record {
    double area;       // of the pool
    double half;       // of the time that is watched
    double sunk, fell; // mean share below the liquid's level; velocity over time at the end, cm/s2
    int count;
} record;

static double volume_below(const dr_frame_array *position, const dr_frame_array *volume, double level)
{
    double sum = 0.0;
    for (size_t i = 0; i < position->count; i++) {
        if (dr_lab_item(position, i, 1) < level) sum += dr_lab_item(volume, i, 0);
    }
    return sum;
}

// The share of the cube below the level at which liquid and what of the cube is below it fill the pool.
static double sunk_share(const dr_frame_part *cube, const dr_frame_part *liquid, double area)
{
    const dr_frame_array *position = dr_frame_find(cube, "position"), *volume = dr_frame_find(cube, "volume");
    const dr_frame_array *drops = dr_frame_find(liquid, "volume");
    double poured = 0.0, all = volume_below(position, volume, INFINITY), low = 0.0, high;
    for (size_t i = 0; i < drops->count; i++) poured += dr_lab_item(drops, i, 0);
    high = (poured + all) / area;
    for (int i = 0; i < 60; i++) {
        double level = 0.5 * (low + high);
        if (poured + volume_below(position, volume, level) > area * level)
            low = level;
        else
            high = level;
    }
    return volume_below(position, volume, low) / all;
}

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame), *cube = &frame->parts[0];
    const dr_frame_array *velocity = dr_frame_find(cube, "velocity");
    if (!liquid || !velocity || frame->time <= 0.0) return;
    double sum = 0.0;
    for (size_t i = 0; i < velocity->count; i++) sum -= dr_lab_item(velocity, i, 1);
    r->fell = sum / (double)velocity->count / frame->time;
    if (frame->time < r->half) return;
    r->sunk += sunk_share(cube, liquid, r->area);
    r->count++;
}

// The start of one that sinks is watched for so many steps; pressure moves it as a whole from the first.
#define START_STEPS 10
#define START_STEP  0.02 // in units of sqrt(edge / g)

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double a = p->edge, cell = a / (double)p->cells, half = 0.5 * WIDTH * a, unit = sqrt(a / GRAVITY);
    bool floats = p->density < 1.0;
    double depth = (floats ? DEPTH : 1.5 * DEPTH) * a, duration = unit * (floats ? p->time : START_STEP * START_STEPS);
    double middle = floats ? depth + 0.5 * a - (p->density - 0.1) * a : 0.5 * depth;
    record r = {.area = 4.0 * half * half, .half = 0.5 * duration};
    dr_lab_watch watcher = {.frame = watch_frame, .user = &r};
    dr_scene *scene = NULL;
    dr_status status =
        dr_lab_scene_text(&scene, error, format, cell, -half, -half, half, half, p->density, p->youngs_modulus, middle,
                          a, a, a, 0.5 * depth, 2.0 * half, depth, 2.0 * half, middle, a, a, a);
    if (!status) {
        dr_lab_scene_time(scene, duration, floats ? 48 : START_STEPS, floats ? 0.0 : 0.2 * START_STEP * unit);
        status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    double sunk = r.count > 0 ? r.sunk / r.count : 0.0, fell = r.fell / GRAVITY;
    if (floats) {
        dr_lab_expect_share(lab, "sunk_fraction", "", sunk, p->density, 0.03);
        dr_lab_measure(lab, "acceleration_over_g", "", fell);
    } else {
        dr_lab_expect(lab, "sunk_fraction", "", sunk, 1.0, 1e-6);
        dr_lab_expect(lab, "acceleration_over_g", "", fell, (p->density - 1.0) / (p->density + ADDED_MASS),
                      p->density > 1.0 ? 0.1 * (p->density - 1.0) / (p->density + ADDED_MASS) : 0.01);
    }
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_float = {"float", "an elastic cube in a pool floats, stays or sinks", &table, run};
