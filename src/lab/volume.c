// Liquid shaken in a closed box: the sum of its particles' volumes stays to rounding, and the volume inside its surface
// stays near that sum; gently, with waves that break, and hard: within 1, 1.5 and 2 %.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double time, side, fill, amplitude, frequency, gravity, density, viscosity;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, time, DR_UNIT_TIME, "10 s", 1e-3, 1e5, "How long it is shaken."),
    ROW_COUNT(parameters, cells, "16", 4, 512, "Cells along the box."),
    ROW_REAL(parameters, side, DR_UNIT_LENGTH, "10 cm", 1e-2, 1e5, "Length and height of the box; it is half as deep."),
    ROW_REAL(parameters, fill, DR_UNIT_NONE, "0.4", 0.05, 0.95, "Share of the box that is filled."),
    ROW_REAL(parameters, amplitude, DR_UNIT_NONE, "0", 0.0, 0.5,
             "Of the shaking, over the side; 0: 0.01, 0.03 and 0.08, each by itself."),
    ROW_REAL(parameters, frequency, DR_UNIT_NONE, "1", 0.0, 10.0, "Over that of the first wave in the box."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 0.0, 1e6, "Acceleration, straight down."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "8.9e-3 P", 0.0, 1e6, "Of the liquid."),
};
static const dr_table table = ROW_TABLE("volume", parameters, rows);

static const char format[] =
    "title: liquid is shaken in a closed box\n"
    "gravity: [0, %.17g, 0]\n"
    "domain: {cell: %.17g}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: 0}]\n"
    "bodies: [{name: filling, material: liquid, shape: {type: box, center: [0, %.17g, 0], size: [%.17g, %.17g, "
    "%.17g]}}]\n"
    "colliders: [{name: box, boundary: slip, shape: {type: inside_out, of: [{type: box, center: [0, %.17g, 0], "
    "size: [%.17g, %.17g, %.17g]}]}, motion: [{type: sine, amplitude: [%.17g, 0, 0], frequency: %.17g}]}]\n";

typedef struct record {
    double bulk, occupied; // at the start, cm3
    double bulk_drift, occupied_drift, since_start, occupied_last, fastest;
} record;

static void watch(void *user, const dr_report *report)
{
    record *r = user;
    if (r->bulk == 0.0) {
        r->bulk = report->volume_total;
        r->occupied = report->volume_occupied;
    }
    r->bulk_drift = fmax(r->bulk_drift, fabs(report->volume_total / r->bulk - 1.0));
    r->occupied_last = report->volume_occupied / report->volume_total - 1.0;
    r->occupied_drift = fmax(r->occupied_drift, fabs(r->occupied_last));
    r->since_start = fmax(r->since_start, fabs(report->volume_occupied / r->occupied - 1.0));
    r->fastest = fmax(r->fastest, report->largest_speed);
}

static dr_status shake(dr_lab *lab, const parameters *p, const char *part, double amplitude, record *r, dr_error *error)
{
    double side = p->side, cell = side / (double)p->cells, depth = 0.5 * side, level = p->fill * side;
    double k = DR_PI / side, own = sqrt(p->gravity * k * tanh(k * level)) / 6.283185307179586;
    dr_lab_watch watcher = {.report = watch, .user = r};
    dr_scene *scene = NULL;
    dr_status status =
        dr_lab_scene_text(&scene, error, format, -p->gravity, cell, p->density, p->viscosity, 0.5 * level, side, level,
                          depth, 0.5 * side, side, side, depth, amplitude * side, p->frequency * own);
    if (!status) {
        dr_lab_scene_time(scene, p->time, (int)fmin(1000.0, ceil(24.0 * p->time)), 0.0);
        status = dr_lab_simulate(lab, part, scene, p->time, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    return status;
}

// What is measured of one amplitude, and its folder.
typedef struct names {
    double amplitude;
    const char *part, *particles, *occupied, *since_start, *last, *start, *speed;
} names;

// Waves break from 0.03 on and throw sheets thinner than a cell at 0.08, which no surface of cells resolves.
static double tolerance_of(double amplitude)
{
    return amplitude <= 0.01 ? 0.01 : amplitude <= 0.03 ? 0.015 : 0.02;
}

static void judge(dr_lab *lab, const record *r, const names *words, double tolerance)
{
    dr_lab_expect(lab, words->particles, "", r->bulk_drift, 0.0, 100.0 * 5.97e-8);
    dr_lab_expect(lab, words->occupied, "", r->occupied_drift, 0.0, tolerance);
    dr_lab_expect(lab, words->since_start, "", r->since_start, 0.0, tolerance);
    dr_lab_measure(lab, words->last, "", r->occupied_last);
    dr_lab_measure(lab, words->start, "", r->occupied / r->bulk);
    dr_lab_measure(lab, words->speed, "cm/s", r->fastest);
}

#define NAMES(size, suffix, folder)                                                                                    \
    {                                                                                                                  \
        size, folder, "particle_drift" suffix, "occupied_drift" suffix, "occupied_since_start" suffix,                 \
            "occupied_last" suffix, "occupied_start" suffix, "largest_speed" suffix                                    \
    }

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    static const names own = NAMES(0.0, "", NULL),
                       all[] = {NAMES(0.01, "_at_0.01", "at_0.01"), NAMES(0.03, "_at_0.03", "at_0.03"),
                                NAMES(0.08, "_at_0.08", "at_0.08")};
    const parameters *p = values;
    bool given = p->amplitude > 0.0;
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < (given ? 1 : 3) && !status; i++) {
        const names *words = given ? &own : &all[i];
        double amplitude = given ? p->amplitude : words->amplitude;
        record r = {0};
        status = shake(lab, p, words->part, amplitude, &r, error);
        if (!status) judge(lab, &r, words, tolerance_of(amplitude));
    }
    return status;
}

const dr_lab_case dr_lab_volume = {"volume", "liquid shaken in a closed box: no volume is lost or made", &table, run};
