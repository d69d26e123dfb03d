// A film runs down an incline that holds it, free at its surface: once steady, its speed is Nusselt's half parabola
// g sin(angle) y (2 H - y) / (2 nu).
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double height, viscosity, density, gravity, angle, times;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "12", 4, 512, "Cells across the film."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "20 P", 1e-6, 1e9, "Of the liquid."),
    ROW_REAL(parameters, height, DR_UNIT_LENGTH, "1 cm", 1e-4, 1e4, "Of the film."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(parameters, angle, DR_UNIT_NONE, "20", 0.1, 80.0, "Of the incline, in degrees."),
    ROW_REAL(parameters, times, DR_UNIT_NONE, "16", 1.0, 100.0,
             "How long to run, in units of the time in which what is not yet steady falls to 1/e."),
};
static const dr_table table = ROW_TABLE("falling-film", parameters, rows);

static const char format[] =
    "title: a film runs down an incline\n"
    "gravity: [%.17g, %.17g, 0]\n"
    "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, "
    "y_min: sticky, z_min: periodic, z_max: periodic}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: 0}]\n"
    "bodies: [{name: film, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], "
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
        double difference = dr_lab_item(velocity, i, 0) / r->fastest - y * (2.0 - y);
        r->squares += difference * difference;
        r->weight += 1.0;
        r->largest = fmax(r->largest, fabs(difference));
        r->across = fmax(r->across, fabs(dr_lab_item(velocity, i, 1)) / r->fastest);
    }
}

static dr_status flow(dr_lab *lab, const parameters *p, const char *part, int64_t cells, record *r, dr_error *error)
{
    double cell = p->height / (double)cells, nu = p->viscosity / p->density, wide = 8.0 * cell;
    double along = p->gravity * sin(p->angle * DR_DEGREE), down = p->gravity * cos(p->angle * DR_DEGREE);
    double fastest = 0.5 * along * p->height * p->height / nu;
    double duration = p->times * 4.0 * p->height * p->height / (9.8696044 * nu);
    *r = (record){.height = p->height, .fastest = fastest};
    dr_lab_watch watcher = {.frame = watch_frame, .user = r};
    dr_scene *scene = NULL;
    dr_status status =
        dr_lab_scene_text(&scene, error, format, along, -down, cell, wide, 2.0 * p->height, wide, p->density,
                          p->viscosity, 0.5 * wide, 0.5 * p->height, 0.5 * wide, wide, p->height, wide);
    if (!status) {
        double step = fmin(0.4 * cell / fastest, 0.02 * duration);
        dr_lab_scene_time(scene, duration, 1, duration / ceil(duration / step));
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
    dr_lab_expect(lab, "profile_error", "", error_fine, 0.0, 1.0 / (double)(p->cells * p->cells) + exp(-p->times));
    dr_lab_measure(lab, "largest_error", "", fine.largest);
    dr_lab_measure(lab, "cross_speed", "", fine.across);
    if (p->cells >= 8) {
        double error_coarse = sqrt(coarse.squares / fmax(1.0, coarse.weight));
        double order = log2(error_coarse / error_fine);
        dr_lab_measure(lab, "order", "", order);
        dr_lab_expect(lab, "order_below_second", "", fmax(0.0, 2.0 - order), 0.0, 0.1);
    }
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_falling_film = {
    "falling-film", "a film runs down a sticky incline: the half parabola, to the second order of the cell", &table,
    run};
