// Layers that slide. A sheet lies on an inclined plane, or on a sheet that sticks to one; a bed of parallel fibres
// lies on a plane that holds it. Weight across the slope is constant; once everything has settled, the pull along it
// grows slowly from nothing. A body that begins to slide under a pull that grows evenly goes like the cube of time, so
// the cube root of its way tells when it began, and the pull at that time is the friction.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/sheet.h"
#include "lab/sheet_incline.h"

#include <math.h>

#define RADIAN  (3.14159265358979323846 / 180.0)
#define GRAVITY 981.0
#define CELL    0.5
enum { FRAMES = 80 };

// The mean place along an axis of the vertices that began above some height.
static double mean_above(const dr_lab_sheet_record *record, int frame, double height, int axis)
{
    double sum = 0.0, count = 0.0;
    for (size_t v = 0; v < record->vertices; v++) {
        if (record->x[3 * v + 1] < height) continue;
        sum += record->x[3 * ((size_t)frame * record->vertices + v) + (size_t)axis];
        count += 1.0;
    }
    return sum / count;
}

// The pull over the weight across at which they began to move. The pull grows from 0 at time `begin` at `rate` 1/s.
static double onset(const dr_lab_sheet_record *record, double height, int axis, double begin, double rate)
{
    double n = 0.0, t = 0.0, y = 0.0, tt = 0.0, ty = 0.0, rest = 0.0;
    int start = (int)(begin / record->step);
    for (int f = start; f < record->frames; f++) {
        double mean = mean_above(record, f, height, axis), time = f * record->step;
        if (f == start) rest = mean;
        double way = (mean - rest) / CELL;
        if (way < 0.2 || way > 4.0) continue;
        double root = cbrt(way);
        n += 1.0;
        t += time;
        y += root;
        tt += time * time;
        ty += time * root;
    }
    double slope = (n * ty - t * y) / (n * tt - t * t), zero = (t - y / slope) / n;
    return n > 2.5 ? rate * (zero - begin) : NAN;
}

#define AIR                                                                                                            \
    "forces: [{name: pull, type: uniform, acceleration: [%.17g, 0, %.17g], schedule: {start: %.17g, ramp: %.17g}}, "   \
    "{name: air, type: wind, velocity: [0, 0, 0], rate: 20 Hz, schedule: {stop: %.17g}}]\n"

dr_status dr_lab_sheet_incline(dr_lab *lab, bool on_sheet, double mu, double *critical, dr_error *error)
{
    double settle = 0.4, ramp = 1.6, most = 2.0 * mu, size = 12 * CELL;
    dr_scene *scene = NULL;
    dr_lab_sheet_record record;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a sheet on a slope\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\n"
        "materials: [{name: sheet, kind: cloth, density: 2, youngs_modulus: 2e6, poisson_ratio: 0.2, thickness: 0.1, "
        "volume_fraction: 0.5, stress_power: 1, stretch_stiffness: 2e4, shear_stiffness: 1e4, friction_angle: "
        "%.17g}]\n" AIR "colliders: [{name: slope, shape: {type: half_space}, boundary: %s, friction: %.17g}]\n"
        "cloths:\n%s  - {name: slider, material: sheet, type: rectangle, center: [0, %.17g, 0], width: %.17g, depth: "
        "%.17g, edge: %.17g}\n",
        -GRAVITY, CELL, atan(on_sheet ? mu : 3.0), GRAVITY * most, 0.0, settle, ramp, settle,
        on_sheet ? "sticky" : "separate", on_sheet ? 0.0 : mu,
        on_sheet ? "  - {name: bed, material: sheet, type: rectangle, center: [2, 0.55, 0], width: 14, depth: 8, edge: "
                   "0.5}\n"
                 : "",
        on_sheet ? 2.3 * CELL : 1.1 * CELL, size, size, CELL);
    if (!status) status = dr_lab_sheet_run(lab, NULL, scene, settle + ramp, FRAMES, &record, error);
    if (status) return status;
    *critical = atan(onset(&record, on_sheet ? 1.5 * CELL : 0.0, 0, settle, most / ramp)) / RADIAN;
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

// ---- a bed of parallel fibres

typedef struct parameters {
    double friction_angle;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, friction_angle, DR_UNIT_NONE, "40", 1.0, 60.0,
             "Of the fibres against each other, in degrees."),
    ROW_COUNT(parameters, cells, "8", 8, 64, "Of the bed, high and wide; two fibres to each, both ways."),
};
static const dr_table table = ROW_TABLE("fibre-bed", parameters, rows);

// Fibres along x in a space that is periodic along x and z, on a floor that holds them; the pull goes across or along.
static dr_status pull_bed(dr_lab *lab, const parameters *p, bool along, double limit, double *critical, dr_error *error)
{
    double settle = 0.6, ramp = 1.6, side = (double)p->cells * CELL, most = 2.0 * limit, gap = 0.5 * CELL;
    dr_scene *scene = NULL;
    dr_lab_sheet_record record;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a bed of fibres on a slope\ngravity: [0, %.17g, 0]\n"
        "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, unbounded, %.17g], x_min: periodic, x_max: periodic, "
        "z_min: "
        "periodic, z_max: periodic, y_min: sticky}\n"
        "materials: [{name: fibre, kind: yarn, density: 1, youngs_modulus: 4e5, poisson_ratio: 0.3, radius: %.17g, "
        "shear_stiffness: 4e5, stretch_stiffness: 4e5, friction_angle: %.17g}]\n" AIR
        "strands: [{name: bed, material: fibre, type: mat, contact: grid, root: free, axis: [1, 0, 0], center: [0, "
        "%.17g, "
        "%.17g], width: %.17g, depth: %.17g, count: %d, length: %.17g, vertices: %d}]\n",
        -GRAVITY, CELL, side, side, 0.564189584 * gap, p->friction_angle * RADIAN, along ? GRAVITY * most : 0.0,
        along ? 0.0 : GRAVITY * most, settle, ramp, settle, 0.5 * side, 0.5 * side, side, side,
        (int)(4 * p->cells * p->cells), side, (int)(2 * p->cells + 1));
    if (!status)
        status = dr_lab_sheet_run(lab, along ? "along" : "across", scene, settle + ramp, FRAMES, &record, error);
    if (status) return status;
    *critical = atan(onset(&record, 0.8 * side, along ? 0 : 2, settle, most / ramp)) / RADIAN;
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

// Across: tan = sin(angle). Along: tan(angle) (1 + K)/2, K the larger of that at rest and that of a yielding section.
static dr_status run_bed(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double phi = p->friction_angle * RADIAN, across = 0.0, along = 0.0;
    double ratio = fmax(0.3 / 0.7, (1.0 - sin(phi)) / (1.0 + sin(phi)));
    double limit_along = 0.5 * tan(phi) * (1.0 + ratio);
    dr_status status = pull_bed(lab, p, false, sin(phi), &across, error);
    if (!status) status = pull_bed(lab, p, true, limit_along, &along, error);
    if (status) return status;
    dr_lab_expect(lab, "transverse_angle", "deg", across, atan(sin(phi)) / RADIAN, 0.7);
    dr_lab_expect(lab, "axial_angle", "deg", along, atan(limit_along) / RADIAN, 0.7);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_fibre_bed = {"fibre-bed", "a bed of parallel fibres on a slope slips across and along them",
                                      &table, run_bed};
