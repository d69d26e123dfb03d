// A sheet on an inclined plane. Weight across the slope is constant; once everything has settled, the pull along it
// grows slowly from nothing. A body that begins to slide under a pull that grows evenly goes like the cube of time, so
// the cube root of its way tells when it began, and the pull at that time is the friction.
#include "lab/parts.h"
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

// The pull over the weight across at which they began to move.
static double onset(const dr_lab_sheet_record *record, const dr_lab_pull *pull)
{
    double n = 0.0, t = 0.0, y = 0.0, tt = 0.0, ty = 0.0, rest = 0.0;
    int start = (int)(pull->settle / record->step);
    for (int f = start; f < record->frames; f++) {
        double mean = mean_above(record, f, pull->height, pull->axis), time = f * record->step;
        if (f == start) rest = mean;
        double way = (mean - rest) / pull->cell;
        if (way < 0.2 || way > 4.0) continue;
        double root = cbrt(way);
        n += 1.0;
        t += time;
        y += root;
        tt += time * time;
        ty += time * root;
    }
    double slope = (n * ty - t * y) / (n * tt - t * t), zero = (t - y / slope) / n;
    return n > 2.5 ? pull->most / pull->ramp * (zero - pull->settle) : NAN;
}

#define AIR                                                                                                            \
    "forces: [{name: pull, type: uniform, acceleration: [%.17g, 0, 0], schedule: {start: %.17g, ramp: %.17g}}, "       \
    "{name: air, type: wind, velocity: [0, 0, 0], rate: 20 Hz, schedule: {stop: %.17g}}]\n"

#define SHEET                                                                                                          \
    "materials: [{name: sheet, kind: cloth, density: 2, youngs_modulus: %.17g, poisson_ratio: 0.2, thickness: 0.1, "   \
    "volume_fraction: 0.5, stress_power: 1, stretch_stiffness: 2e4, shear_stiffness: 1e4, friction_angle: %.17g}]\n"

#define SETTLE 0.4
#define RAMP   1.6

dr_status dr_lab_sheet_onset(dr_lab *lab, dr_scene *scene, const dr_lab_pull *pull, double *critical, dr_error *error)
{
    dr_lab_sheet_record record;
    dr_status status = dr_lab_sheet_run(lab, pull->part, scene, pull->settle + pull->ramp, FRAMES, &record, error);
    if (status) return status;
    *critical = atan(onset(&record, pull)) / RADIAN;
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

static dr_lab_pull pull_of(double height, double most)
{
    return (dr_lab_pull){.height = height, .settle = SETTLE, .ramp = RAMP, .most = most, .cell = CELL};
}

dr_status dr_lab_sheet_incline(dr_lab *lab, double mu, double *critical, dr_error *error)
{
    double most = 2.0 * mu, size = 12 * CELL;
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a sheet on a slope\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\n" SHEET AIR
        "colliders: [{name: slope, shape: {type: half_space}, boundary: separate, friction: %.17g}]\n"
        "cloths: [{name: slider, material: sheet, type: rectangle, center: [0, %.17g, 0], width: %.17g, depth: %.17g, "
        "edge: %.17g}]\n",
        -GRAVITY, CELL, 2e6, atan(3.0), GRAVITY * most, SETTLE, RAMP, SETTLE, mu, 1.1 * CELL, size, size, CELL);
    dr_lab_pull pull = pull_of(0.0, most);
    return status ? status : dr_lab_sheet_onset(lab, scene, &pull, critical, error);
}

// The lower sheet is held as a whole and reaches beyond the upper one.
dr_status dr_lab_sheet_on_sheet(dr_lab *lab, double mu, double *critical, dr_error *error)
{
    double most = 2.0 * mu, size = 8 * CELL, below = size + 8 * CELL;
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a sheet on a sheet on a slope\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\n" SHEET AIR
        "cloths:\n"
        "- {name: base, material: sheet, type: rectangle, center: [%.17g, %.17g, 0], width: %.17g, depth: %.17g, edge: "
        "%.17g, holds: [{name: all, within: {type: box, size: [99, 1.2, 99]}}]}\n"
        "- {name: slider, material: sheet, type: rectangle, center: [0, %.17g, 0], width: %.17g, depth: %.17g, edge: "
        "%.17g}\n",
        -GRAVITY, CELL, 1e5, atan(mu), GRAVITY * most, SETTLE, RAMP, SETTLE, 3.0 * CELL, 0.9 * CELL, below,
        size + 2.0 * CELL, CELL, 2.4 * CELL, size, size, CELL);
    dr_lab_pull pull = pull_of(1.5 * CELL, most);
    return status ? status : dr_lab_sheet_onset(lab, scene, &pull, critical, error);
}
