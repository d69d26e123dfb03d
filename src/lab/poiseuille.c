// Liquid driven along a channel by a uniform force, at rest at both walls: once steady, its speed is the parabola
// f y (H - y) / (2 nu).
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double height, viscosity, density, reynolds, offset, times;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "16", 4, 512, "Cells across the channel."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "1 P", 1e-6, 1e9, "Of the liquid."),
    ROW_REAL(parameters, height, DR_UNIT_LENGTH, "1 cm", 1e-4, 1e4, "Of the channel, wall to wall."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, reynolds, DR_UNIT_NONE, "1", 1e-6, 1e3, "Largest speed times height over viscosity."),
    ROW_REAL(parameters, offset, DR_UNIT_NONE, "0", 0.0, 0.9, "Cells by which the upper wall lies inside one."),
    ROW_REAL(parameters, times, DR_UNIT_NONE, "16", 1.0, 100.0,
             "How long to run, in units of the time in which what is not yet steady falls to 1/e."),
};
static const dr_table table = ROW_TABLE("poiseuille", parameters, rows);

static const char format[] =
    "title: liquid in a channel\n"
    "gravity: [0, 0, 0]\n"
    "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, "
    "y_min: sticky, y_max: sticky, z_min: periodic, z_max: periodic}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: 0}]\n"
    "forces: [{name: push, type: uniform, acceleration: [%.17g, 0, 0]}]\n"
    "bodies: [{name: filling, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], "
    "size: [%.17g, %.17g, %.17g]}}]\n";

typedef struct record {
    double height, fastest; // of the parabola
    double squares, weight, largest, across;
} record;

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *position = dr_frame_find(liquid, "position"), *velocity = dr_frame_find(liquid, "velocity");
    r->squares = r->weight = r->largest = r->across = 0.0;
    for (size_t i = 0; i < position->count; i++) {
        double y = dr_lab_item(position, i, 1) / r->height;
        double difference = dr_lab_item(velocity, i, 0) / r->fastest - 4.0 * y * (1.0 - y);
        r->squares += difference * difference;
        r->weight += 1.0;
        r->largest = fmax(r->largest, fabs(difference));
        r->across = fmax(r->across, fabs(dr_lab_item(velocity, i, 1)) / r->fastest);
    }
}

static dr_status flow(dr_lab *lab, const parameters *p, const char *part, int64_t cells, record *r, dr_error *error)
{
    double cell = p->height / ((double)cells - p->offset), nu = p->viscosity / p->density, along = 8.0 * cell,
           wide = 8.0 * cell;
    double fastest = p->reynolds * nu / p->height, force = 8.0 * nu * fastest / (p->height * p->height);
    double duration = p->times * p->height * p->height / (9.8696044 * nu);
    *r = (record){.height = p->height, .fastest = fastest};
    dr_lab_watch watcher = {.frame = watch_frame, .user = r};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(&scene, error, format, cell, along, p->height, wide, p->density, p->viscosity,
                                         force, 0.5 * along, 0.5 * p->height, 0.5 * wide, along, p->height, wide);
    if (!status) {
        double step = fmin(0.4 * cell / fastest, 0.02 * duration);
        dr_lab_scene_time(scene, duration, 4, duration / ceil(duration / step));
        status = dr_lab_simulate(lab, part, scene, duration, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    return status;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    record fine = {0}, coarse = {0};
    dr_status status = flow(lab, p, "fine", p->cells, &fine, error);
    if (!status && p->cells >= 8) status = flow(lab, p, "coarse", p->cells / 2, &coarse, error);
    if (status) return status;
    double error_fine = sqrt(fine.squares / fmax(1.0, fine.weight));
    double rest = 2.0 * exp(-p->times);
    double ratio = ((double)p->cells - p->offset) / ((double)(p->cells / 2) - p->offset);
    dr_lab_expect(lab, "profile_error", "", error_fine, 0.0, 0.2 / (double)(p->cells * p->cells) + rest);
    dr_lab_measure(lab, "largest_error", "", fine.largest);
    dr_lab_measure(lab, "cross_speed", "", fine.across);
    if (p->cells >= 8) {
        double error_coarse = sqrt(coarse.squares / fmax(1.0, coarse.weight));
        double order = log(error_coarse / error_fine) / log(ratio);
        dr_lab_measure(lab, "order", "", order);
        dr_lab_expect(lab, "order_below_second", "", fmax(0.0, 2.0 - order), 0.0, 0.1);
    }
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_poiseuille = {
    "poiseuille", "liquid driven along a channel: the parabola, to the second order of the cell", &table, run};
