// A thrown elastic ball in empty space: every particle has the velocity v + g t, and the ball stays as it was.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double radius, speed, gravity, duration, youngs_modulus;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "4", 2, 64, "Cells across the radius."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e3, "Of the ball."),
    ROW_REAL(parameters, speed, DR_UNIT_SPEED, "100 cm/s", 0.0, 1e5,
             "At which it is thrown, sideways and upwards alike."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e5, "Acceleration, straight down."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "0.2 s", 1e-4, 100.0, "Simulated time."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e5 dyn/cm2", 1.0, 1e12, "Of the ball."),
};
static const dr_table table = ROW_TABLE("free-fall", parameters, rows);

typedef struct record {
    double start[3], place[3], mean[3];
    double spread; // largest difference of a particle's velocity from the mean
    double time, largest_step;
    int64_t steps;
    bool started;
} record;

static void average(const dr_frame_array *array, double mean[3])
{
    for (int a = 0; a < 3; a++) {
        mean[a] = 0.0;
        for (size_t i = 0; i < array->count; i++) mean[a] += dr_lab_item(array, i, a);
        mean[a] /= (double)array->count;
    }
}

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_array *position = dr_frame_find(&frame->parts[0], "position");
    const dr_frame_array *velocity = dr_frame_find(&frame->parts[0], "velocity");
    average(position, r->place);
    average(velocity, r->mean);
    r->time = frame->time;
    if (!r->started) {
        for (int a = 0; a < 3; a++) r->start[a] = r->place[a];
        r->started = true;
    }
    for (size_t i = 0; i < velocity->count; i++) {
        double d[3];
        for (int a = 0; a < 3; a++) d[a] = dr_lab_item(velocity, i, a) - r->mean[a];
        r->spread = fmax(r->spread, dr_lab_norm(d));
    }
}

static void watch_report(void *user, const dr_report *report)
{
    record *r = user;
    r->largest_step = fmax(r->largest_step, report->dt);
    r->steps = report->step;
}

// Every particle takes g dt in every step at the same speed, so that roundings add up instead of averaging out.
static void judge(dr_lab *lab, const parameters *p, const record *r)
{
    double t = r->time, fall = p->gravity * t, scale = fmax(p->speed, fall);
    double rise = p->speed * t - 0.5 * fall * t, rounding = scale * dr_lab_rounding(r->steps, 1.0);
    double place = rounding * t + 1e-6 * (p->radius + scale * t);
    dr_lab_expect(lab, "velocity_x", "cm/s", r->mean[0], p->speed, rounding);
    dr_lab_expect(lab, "velocity_y", "cm/s", r->mean[1], p->speed - fall, rounding);
    dr_lab_expect(lab, "place_x", "cm", r->place[0] - r->start[0], p->speed * t, place);
    dr_lab_expect(lab, "place_y", "cm", r->place[1] - r->start[1], rise, 0.51 * fall * r->largest_step + place);
    dr_lab_expect(lab, "velocity_spread", "cm/s", r->spread, 0.0, 10.0 * rounding);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_lab_rubber rubber = {1.0, p->youngs_modulus, 0.3};
    record r = {0};
    dr_lab_watch watcher = {.frame = watch_frame, .report = watch_report, .user = &r};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_create("a thrown ball", p->radius / (double)p->cells, &rubber, &scene, error);
    dr_body_spec *ball = status ? NULL : dr_lab_scene_body(scene, "ball", error);
    if (!status && !ball) status = DR_STATUS_NO_MEMORY;
    if (!status) {
        ball->shape.kind = DR_SHAPE_SPHERE;
        ball->shape.radius = p->radius;
        ball->velocity[0] = ball->velocity[1] = p->speed;
        dr_scene_edit(scene)->gravity[1] = -p->gravity;
        dr_lab_scene_time(scene, p->duration, 10, 0.0);
        status = dr_lab_simulate(lab, NULL, scene, p->duration, &watcher, NULL, error);
    }
    if (!status) judge(lab, p, &r);
    dr_scene_destroy(scene);
    return status;
}

const dr_lab_case dr_lab_free_fall = {
    "free-fall", "a thrown ball: velocity is exact, its place to the order of the step", &table, run};
