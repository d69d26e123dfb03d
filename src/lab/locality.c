// A pool at rest does not know of a splash in a basin of its own far away: the same steps with and without the splash,
// velocities compared particle by particle. What is left is what the linear solver's tolerance leaves.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>

typedef struct parameters {
    double distance, depth, density, gravity, viscosity, step, speed;
    int64_t cells, steps;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, distance, DR_UNIT_NONE, "100", 4.0, 1e5, "From the pool to the other basin, in cells."),
    ROW_COUNT(parameters, cells, "8", 4, 256, "Cells across the depth of the pool, which is a cube."),
    ROW_COUNT(parameters, steps, "60", 1, 1000000, "Steps of equal size."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.05", 1e-3, 1.0, "Their size, in units of sqrt(cell / gravity)."),
    ROW_REAL(parameters, speed, DR_UNIT_NONE, "5", 0.0, 100.0,
             "Of the ball that falls into the other basin, in units of sqrt(gravity depth)."),
    ROW_REAL(parameters, depth, DR_UNIT_LENGTH, "10 cm", 1e-3, 1e5, "Of the pool."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "8.9e-3 P", 0.0, 1e6, "Of the liquid."),
};
static const dr_table table = ROW_TABLE("locality", parameters, rows);

// Lengths in units of the depth: two hollows in one solid, the pool from 0 to 1, the other from `far` on.
static const char format[] =
    "title: a pool at rest beside a splash far away\n"
    "gravity: [0, %.17g, 0]\n"
    "domain: {cell: %.17g}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: 0}]\n"
    "bodies:\n"
    "- {name: pool, material: liquid, shape: {type: box, center: [0.5, 0.5, 0.5], size: [1, 1, 1], scale: %.17g}}\n"
    "%s"
    "colliders: [{name: basins, boundary: slip, shape: {type: inside_out, of: [{type: union, of: [\n"
    "  {type: box, center: [0.5, 1, 0.5], size: [1, 2, 1]},\n"
    "  {type: box, center: [%.17g, 2, 0.5], size: [2, 4, 1]}]}], scale: %.17g}}]\n";

static const char splash_format[] =
    "- {name: shallow, material: liquid, shape: {type: box, center: [%.17g, 0.25, 0.5], size: [2, 0.5, 1], "
    "scale: %.17g}}\n"
    "- {name: ball, material: liquid, velocity: [0, %.17g, 0], shape: {type: sphere, center: [%.17g, 1.1, 0.5], "
    "radius: 0.4, scale: %.17g}}\n";

enum { FRAMES = 12 };

// Velocities of the pool alone, [frame][id][3]; the ids of the pool come first.
typedef struct record {
    float *velocity;
    size_t count; // particles of the pool
    int frame;
    bool alone, failed;
    double largest, fastest, splash; // difference; speed of the pool; of the splash, cm/s
    int rejected;
} record;

static size_t record_bytes(size_t count)
{
    return (size_t)(FRAMES + 1) * 3 * count * sizeof(float);
}

static void compare(record *r, const double v[3], float *kept)
{
    if (r->alone) {
        for (int a = 0; a < 3; a++) kept[a] = (float)v[a];
        r->fastest = fmax(r->fastest, dr_lab_norm(v));
        return;
    }
    const double difference[3] = {v[0] - (double)kept[0], v[1] - (double)kept[1], v[2] - (double)kept[2]};
    r->largest = fmax(r->largest, dr_lab_norm(difference));
}

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *velocity = dr_frame_find(liquid, "velocity"), *id = dr_frame_find(liquid, "id");
    if (r->alone && !r->velocity) {
        r->count = velocity->count;
        r->velocity = dr_memory_alloc(NULL, record_bytes(r->count));
        r->failed = !r->velocity;
    }
    if (r->failed || r->frame > FRAMES) return;
    size_t found = 0;
    for (size_t i = 0; i < velocity->count; i++) {
        size_t own = ((const uint64_t *)id->data)[i];
        const double v[3] = {dr_lab_item(velocity, i, 0), dr_lab_item(velocity, i, 1), dr_lab_item(velocity, i, 2)};
        if (own < r->count) {
            found++;
            compare(r, v, r->velocity + 3 * ((size_t)r->frame * r->count + own));
        } else {
            r->splash = fmax(r->splash, dr_lab_norm(v));
        }
    }
    if (found != r->count) r->largest = (double)NAN; // particles of the pool are gone or have other names
    r->frame++;
}

static void watch_report(void *user, const dr_report *report)
{
    record *r = user;
    r->rejected += report->rejected;
}

static dr_status follow(dr_lab *lab, const parameters *p, bool alone, record *r, dr_error *error)
{
    double cell = p->depth / (double)p->cells, step = p->step * sqrt(cell / p->gravity);
    double duration = step * (double)p->steps, far = 1.0 + p->distance / (double)p->cells + 1.0;
    char splash[1000] = "";
    if (!alone) {
        (void)snprintf(splash, sizeof splash, splash_format, far, p->depth, -p->speed * sqrt(p->gravity * p->depth),
                       far, p->depth);
    }
    r->alone = alone;
    r->frame = 0;
    dr_lab_watch watcher = {.frame = watch_frame, .report = watch_report, .user = r};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(&scene, error, format, -p->gravity, cell, p->density, p->viscosity, p->depth,
                                         splash, far, p->depth);
    if (!status) {
        dr_lab_scene_time(scene, duration, FRAMES, step);
        status = dr_lab_simulate(lab, alone ? "alone" : "beside", scene, duration, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    return !status && r->failed ? dr_error_memory(error, "keeping velocities") : status;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    record r = {0};
    double unit = sqrt(p->gravity * p->depth);
    dr_status status = follow(lab, p, true, &r, error);
    if (!status) status = follow(lab, p, false, &r, error);
    dr_memory_free(NULL, r.velocity, record_bytes(r.count));
    if (status) return status;
    dr_lab_expect(lab, "drift", "sqrt(g h)", isnan(r.largest) ? (double)NAN : r.largest / unit, 0.0, 1e-5);
    dr_lab_measure(lab, "pool_speed", "sqrt(g h)", r.fastest / unit);
    dr_lab_measure(lab, "splash_speed", "sqrt(g h)", r.splash / unit);
    dr_lab_measure(lab, "rejected", "", (double)r.rejected);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_locality = {"locality", "a pool at rest does not know of a splash far away", &table, run};
