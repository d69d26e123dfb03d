// A sheet of liquid slides over a floor. One that holds it: Stokes' first problem in a sheet of finite depth, whose
// share of momentum left after t is the sum over odd n of 8/(n pi)^2 exp(-(n pi/2)^2 nu t/depth^2). One with friction,
// under liquid so viscous that it moves as one: mu times pressure slows it by mu g.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double depth, viscosity, density, gravity, speed, layer, mu, duration, step;
    int64_t cells;
} parameters;

#define SHARED_ROWS(thick, fast)                                                                                       \
    ROW_COUNT(parameters, cells, "16", 4, 512, "Cells across the depth."),                                             \
        ROW_REAL(parameters, step, DR_UNIT_TIME, "2 ms", 1e-7, 1.0, "Step."),                                          \
        ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, thick, 1e-6, 1e9, "Of the liquid."),                        \
        ROW_REAL(parameters, depth, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e4, "Of the sheet."),                               \
        ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),                      \
        ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),   \
        ROW_REAL(parameters, speed, DR_UNIT_SPEED, fast, 1e-3, 1e5, "Of the sheet at the beginning.")

static const dr_field stokes_rows[] = {
    SHARED_ROWS("0.1 P", "10 cm/s"),
    ROW_REAL(parameters, layer, DR_UNIT_NONE, "0.25", 0.01, 2.0,
             "How long to run: until sqrt(nu t) is this share of the depth."),
};
static const dr_table stokes_table = ROW_TABLE("stokes-first-problem", parameters, stokes_rows);

static const dr_field coulomb_rows[] = {
    SHARED_ROWS("1000 P", "50 cm/s"),
    ROW_REAL(parameters, mu, DR_UNIT_NONE, "0.3", 1e-3, 10.0, "Coefficient of friction."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "0.1 s", 1e-4, 100.0, "How long to run."),
};
static const dr_table coulomb_table = ROW_TABLE("coulomb-friction", parameters, coulomb_rows);

static const char format[] =
    "title: a sheet of liquid slides over a floor\n"
    "gravity: [0, %.17g, 0]\n"
    "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, %.17g, %.17g], x_min: periodic, x_max: periodic, "
    "y_min: %s, friction: %.17g, z_min: periodic, z_max: periodic}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: 0}]\n"
    "bodies: [{name: sheet, material: liquid, velocity: [%.17g, 0, 0], shape: {type: box, center: [%.17g, %.17g, "
    "%.17g], size: [%.17g, %.17g, %.17g]}}]\n";

static void watch_frame(void *user, const dr_frame *frame)
{
    double *mean = user, momentum = 0.0, mass = 0.0;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *weight = dr_frame_find(liquid, "mass"), *velocity = dr_frame_find(liquid, "velocity");
    for (size_t i = 0; i < weight->count; i++) {
        momentum += dr_lab_item(weight, i, 0) * dr_lab_item(velocity, i, 0);
        mass += dr_lab_item(weight, i, 0);
    }
    *mean = momentum / mass;
}

// The sheet's mean speed at the end.
static dr_status slide(dr_lab *lab, const parameters *p, const char *floor, double duration, double *mean,
                       dr_error *error)
{
    double cell = p->depth / (double)p->cells, wide = 8.0 * cell;
    dr_lab_watch watcher = {.frame = watch_frame, .user = mean};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(&scene, error, format, -p->gravity, cell, wide, 4.0 * p->depth, wide, floor,
                                         p->mu, p->density, p->viscosity, p->speed, 0.5 * wide, 0.5 * p->depth,
                                         0.5 * wide, wide, p->depth, wide);
    if (!status) {
        dr_lab_scene_time(scene, duration, 1, duration / ceil(duration / p->step));
        status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    return status;
}

static double stokes_left(double layer)
{
    double sum = 0.0;
    for (int n = 1; n < 2000; n += 2) {
        double k = 0.5 * n * DR_PI;
        sum += 2.0 / (k * k) * exp(-k * k * layer * layer);
    }
    return sum;
}

static dr_status run_stokes(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double mean = 0.0, duration = p->layer * p->layer * p->depth * p->depth * p->density / p->viscosity;
    dr_status status = slide(lab, p, "sticky", duration, &mean, error);
    if (status) return status;
    dr_lab_measure(lab, "duration", "s", duration);
    dr_lab_expect_share(lab, "momentum_lost", "", 1.0 - mean / p->speed, 1.0 - stokes_left(p->layer), 0.05);
    return DR_STATUS_OK;
}

static dr_status run_coulomb(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double mean = 0.0, stop = p->speed / (p->mu * p->gravity);
    dr_status status = slide(lab, p, "slip", p->duration, &mean, error);
    if (status) return status;
    dr_lab_measure(lab, "time_to_stop", "s", stop);
    dr_lab_expect_share(lab, "momentum_lost", "", 1.0 - mean / p->speed, fmin(1.0, p->duration / stop), 0.05);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_stokes_first_problem = {"stokes-first-problem",
                                                 "a sheet slides over a floor that holds it: the momentum it loses",
                                                 &stokes_table, run_stokes};
const dr_lab_case dr_lab_coulomb_friction = {"coulomb-friction",
                                             "a viscous sheet slides over a floor with friction: mu times pressure",
                                             &coulomb_table, run_coulomb};
