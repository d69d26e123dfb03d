// A bed of parallel fibres on a slope, by contact on the grid: it begins to flow across the fibres at tan(angle) =
// sin(Phi) and along them at tan(angle) = tan(Phi) (1 + K)/2, K the ratio of the two pressures in the section. Weight
// across the slope is constant and the pull along it grows slowly from nothing. Across them the bed gives way at once,
// along them it slides ever faster, with the pull that is left. docs/theory/codim.md, section 4.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/sheet.h"
#include "lab/sheet_incline.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GRAVITY 981.0
#define CELL    0.5
#define SETTLE  0.4
#define RAMP    3.2
#define POISSON 0.3

enum { ACROSS, ALONG, BOTH_WAYS };
static const char *const ways[] = {"across", "along", "both", NULL};

typedef struct parameters {
    double friction_angle, stiffness;
    int64_t layers, length;
    int way;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, friction_angle, DR_UNIT_NONE, "40", 1.0, 60.0, "Of the fibres, in degrees."),
    ROW_CHOICE(parameters, way, ways, "both", "Which way they are pulled."),
    ROW_COUNT(parameters, layers, "6", 4, 100, "Of fibres, half a cell apart."),
    ROW_COUNT(parameters, length, "8", 8, 1000, "After which fibres begin again, in cells, a multiple of 8."),
    ROW_REAL(parameters, stiffness, DR_UNIT_NONE, "300", 10.0, 1e6, "Young's modulus over the weight on the ground."),
};
static const dr_table table = ROW_TABLE("fibre-bed", parameters, rows);

typedef struct bed {
    int across, layers, segments;
    double most; // pull at the end, over the weight
    bool along;
} bed;

#define LINE                                                                                                           \
    "- {name: f%d, material: fibre, type: line, start: [%.6g, %.6g, %.6g], end: [%.6g, %.6g, %.6g], vertices: %d, "    \
    "contact: grid, root: free}\n"

// Fibres lie along z in a domain that is periodic across them and along them: where one ends it begins again, and the
// bed has no ends.
static dr_status make(const parameters *p, const bed *b, dr_scene **scene, dr_error *error)
{
    size_t room = 2000 + 220 * (size_t)(b->across * b->layers), used;
    char *text = malloc(room);
    double half = 0.5 * CELL, side = half * b->across, weight = GRAVITY * half * b->layers;
    double pull[3] = {b->along ? 0.0 : b->most * GRAVITY, 0.0, b->along ? b->most * GRAVITY : 0.0};
    if (!text) return dr_error_memory(error, "making a bed of fibres");
    used = (size_t)snprintf(
        text, room,
        "title: a bed of fibres on a slope\ngravity: [0, %.17g, 0]\ntime: {integrator: explicit}\n"
        "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, 1000, %.17g], x_min: periodic, x_max: periodic, z_min: "
        "periodic, z_max: periodic, y_min: sticky}\n"
        "materials: [{name: fibre, kind: yarn, density: 1, youngs_modulus: %.17g, poisson_ratio: %.17g, radius: %.17g, "
        "friction_angle: %.17g deg, shear_stiffness: %.17g, transfer_damping: 0}]\n"
        "forces: [{name: pull, type: uniform, acceleration: [%.17g, 0, %.17g], schedule: {start: %.17g, ramp: "
        "%.17g}}, {name: air, type: wind, velocity: [0, 0, 0], rate: 20 Hz, schedule: {stop: %.17g}}]\nstrands:\n",
        -GRAVITY, CELL, side, CELL * b->segments, p->stiffness * weight, POISSON, half / sqrt(DR_PI), p->friction_angle,
        p->stiffness * weight, pull[0], pull[2], SETTLE, RAMP, SETTLE);
    for (int i = 0; i < b->across * b->layers; i++) {
        double x = half * (i % b->across + 0.5), y = half * (i / b->across + 1.5), z = CELL * b->segments;
        used += (size_t)snprintf(text + used, room - used, LINE, i, x, y, 0.0, x, y, z, b->segments + 1);
    }
    dr_status status = dr_scene_parse(text, used, "fibre-bed", NULL, scene, error);
    free(text);
    return status;
}

static dr_status measure(dr_lab *lab, const parameters *p, const bed *b, double *critical, dr_error *error)
{
    dr_scene *scene = NULL;
    double top = 0.5 * CELL * (b->layers - 2); // the three uppermost layers are looked at
    dr_status status = make(p, b, &scene, error);
    const dr_lab_pull pull = {.height = top,
                              .axis = b->along ? 2 : 0,
                              .settle = SETTLE,
                              .ramp = RAMP,
                              .most = b->most,
                              .cell = CELL,
                              .jump = b->along ? 0.0 : 0.1,
                              .part = b->along ? "along" : "across"};
    return status ? status : dr_lab_sheet_onset(lab, scene, &pull, critical, error);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double phi = p->friction_angle * DR_DEGREE, found = 0.0, slip = sin(phi);
    double side = fmax(POISSON / (1.0 - POISSON), (1.0 - slip) / (1.0 + slip));
    double across = atan(slip) / DR_DEGREE, along = atan(0.5 * tan(phi) * (1.0 + side)) / DR_DEGREE;
    dr_status status = DR_STATUS_OK;
    if (p->way != ALONG) {
        bed b = {.across = 16, .layers = (int)p->layers, .segments = (int)p->length, .most = 1.6 * slip};
        status = measure(lab, p, &b, &found, error);
        if (!status) dr_lab_expect(lab, "transverse_angle", "deg", found, across, 0.7);
    }
    if (!status && p->way != ACROSS) {
        bed b = {.across = 16, .layers = (int)p->layers, .segments = (int)p->length, .most = 1.6 * slip, .along = true};
        status = measure(lab, p, &b, &found, error);
        if (!status) dr_lab_expect(lab, "axial_angle", "deg", found, along, 0.7);
    }
    return status;
}

const dr_lab_case dr_lab_fibre_bed = {"fibre-bed", "a bed of parallel fibres on a slope begins to flow", &table, run};
