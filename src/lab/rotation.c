// An elastic ball turns freely about its middle: it turns by rate times time, and keeps its angular momentum and, but
// for the rounding of the transfers, its energy.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define DENSITY 1.0 // g/cm3

typedef struct parameters {
    double radius, rate, turns, youngs_modulus;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "5", 2, 64, "Cells across the radius."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e3, "Of the ball."),
    ROW_REAL(parameters, rate, DR_UNIT_ANGULAR_SPEED, "20 rad/s", 1e-3, 1e4, "Angular speed."),
    ROW_REAL(parameters, turns, DR_UNIT_NONE, "1", 0.01, 100.0, "Turns to make."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e6 dyn/cm2", 1e2, 1e12, "Of the ball."),
};
static const dr_table table = ROW_TABLE("rotating-solid", parameters, rows);

typedef struct record {
    double angular[3], drift, start_energy, end_energy;
    bool started, failed;
    int64_t steps;
    double *start; // [id][2]: place in the plane of rotation
    size_t count;
    double sine, cosine; // of the turn, summed over particles and weighed by the square of the distance
} record;

static void watch_report(void *user, const dr_report *report)
{
    record *r = user;
    double energy = report->energy_kinetic + report->energy_elastic;
    if (!r->started) {
        memcpy(r->angular, report->angular_momentum, sizeof r->angular);
        r->start_energy = energy;
        r->started = true;
    }
    double d[3];
    for (int a = 0; a < 3; a++) d[a] = report->angular_momentum[a] - r->angular[a];
    r->drift = fmax(r->drift, dr_lab_norm(d) / dr_lab_norm(r->angular));
    r->end_energy = energy;
    r->steps = report->step;
}

static void keep_start(record *r, const dr_frame_array *position, const dr_frame_array *id)
{
    const uint64_t *ids = id->data;
    for (size_t i = 0; i < id->count; i++) {
        if (ids[i] >= r->count) r->count = (size_t)ids[i] + 1;
    }
    r->start = dr_memory_alloc(NULL, r->count * 2 * sizeof *r->start);
    r->failed = !r->start;
    for (size_t i = 0; r->start && i < id->count; i++) {
        for (int a = 0; a < 2; a++) r->start[2 * ids[i] + (size_t)a] = dr_lab_item(position, i, a);
    }
}

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_array *position = dr_frame_find(&frame->parts[0], "position");
    const dr_frame_array *id = dr_frame_find(&frame->parts[0], "id");
    if (!r->start && !r->failed) keep_start(r, position, id);
    if (!r->start) return;
    r->sine = r->cosine = 0.0;
    for (size_t i = 0; i < id->count; i++) {
        const double *from = &r->start[2 * ((const uint64_t *)id->data)[i]];
        double x = dr_lab_item(position, i, 0), y = dr_lab_item(position, i, 1);
        r->sine += from[0] * y - from[1] * x;
        r->cosine += from[0] * x + from[1] * y;
    }
}

// The centrifugal load over the stiffness: the ball widens by a tenth to a fifth of this share and turns slower by
// twice as much.
static double stretch(const parameters *p)
{
    double speed = p->rate * p->radius;
    return DENSITY * speed * speed / p->youngs_modulus;
}

static dr_status check_stretch(const parameters *p, dr_error *error)
{
    if (stretch(p) <= 0.5) return DR_STATUS_OK;
    dr_status status = dr_error_add(error, DR_STATUS_BAD_ARGUMENT,
                                    "rotating-solid: at %g rad/s a ball of %g cm and %g dyn/cm2 is pulled apart",
                                    p->rate, p->radius, p->youngs_modulus);
    dr_error_hint(error, "youngs_modulus=%.2g would hold it together", 4.0 * stretch(p) * p->youngs_modulus);
    return status;
}

static void judge(dr_lab *lab, const parameters *p, const record *r)
{
    double wanted = 2.0 * DR_PI * p->turns, turned = atan2(r->sine, r->cosine);
    turned += 2.0 * DR_PI * round((wanted - turned) / (2.0 * DR_PI));
    dr_lab_expect(lab, "angle", "rad", turned, wanted, 0.01 * fmax(1.0, wanted) + 0.5 * stretch(p) * wanted);
    dr_lab_expect(lab, "angular_drift", "", r->drift, 0.0, dr_lab_rounding(r->steps, 1.0));
    dr_lab_expect_share(lab, "energy", "erg", r->end_energy, r->start_energy, 0.05);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_lab_rubber rubber = {DENSITY, p->youngs_modulus, 0.3};
    record r = {0};
    dr_lab_watch watcher = {.frame = watch_frame, .report = watch_report, .user = &r};
    double duration = 2.0 * DR_PI * p->turns / p->rate;
    dr_scene *scene = NULL;
    dr_status status = check_stretch(p, error);
    if (!status)
        status = dr_lab_scene_create("a ball turns freely", p->radius / (double)p->cells, &rubber, &scene, error);
    dr_body_spec *ball = status ? NULL : dr_lab_scene_body(scene, "ball", error);
    if (!status && !ball) status = DR_STATUS_NO_MEMORY;
    if (!status) {
        ball->shape.kind = DR_SHAPE_SPHERE;
        ball->shape.radius = p->radius;
        ball->spin[2] = p->rate;
        dr_lab_scene_time(scene, duration, 20, 0.0);
        status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    }
    if (!status && r.failed) status = dr_error_memory(error, "following particles");
    if (!status) judge(lab, p, &r);
    dr_memory_free(NULL, r.start, r.count * 2 * sizeof *r.start);
    dr_scene_destroy(scene);
    return status;
}

const dr_lab_case dr_lab_rotation = {"rotating-solid", "an elastic ball turns freely and keeps its spin", &table, run};
