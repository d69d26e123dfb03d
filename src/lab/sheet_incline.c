// A sheet on an inclined plane. Weight across the slope is constant; once everything has settled, the pull along it
// grows slowly from nothing. A body that slides under a pull that grows evenly, with some drag, has the acceleration
// a (t - t0) - r v: least squares of its second difference over time, velocity and one tell t0, and the pull at that
// time is the friction.
#include "base/number.h"
#include "lab/parts.h"
#include "lab/sheet.h"
#include "lab/sheet_incline.h"

#include <math.h>

#define GRAVITY 981.0
#define CELL    0.5
enum { FRAMES = 320 };

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

// The time at which a t + r v + b, fitted to accelerations, vanishes for v = 0: -b/a, by Cramer's rule.
static double find_zero(double m[3][3], const double y[3])
{
    double top = 0.0, bottom = 0.0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        bottom += y[i] * (m[j][1] * m[k][2] - m[k][1] * m[j][2]); // of time, replaced
        top += y[i] * (m[j][0] * m[k][1] - m[k][0] * m[j][1]);    // of one, replaced
    }
    return -top / bottom;
}

// The pull over the weight across at which they began to move. What has moved less than a fifth of a cell may still be
// sticking and bending; four cells further on it may have left what it slides on.
static double onset(const dr_lab_sheet_record *record, const dr_lab_pull *pull)
{
    double m[3][3] = {{0}}, y[3] = {0}, step = record->step;
    int start = (int)(pull->settle / step), count = 0;
    double rest = mean_above(record, start, pull->height, pull->axis);
    for (int f = start + 1; f + 1 < record->frames; f++) {
        double x[3];
        for (int i = 0; i < 3; i++) x[i] = mean_above(record, f - 1 + i, pull->height, pull->axis);
        double way = (x[1] - rest) / pull->cell;
        if (way > 4.0) break;
        if (way < 0.2) continue;
        const double row[3] = {f * step, (x[2] - x[0]) / (2.0 * step), 1.0};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) m[i][j] += row[i] * row[j];
            y[i] += row[i] * (x[2] - 2.0 * x[1] + x[0]) / (step * step);
        }
        count++;
    }
    return count > 4 ? pull->most / pull->ramp * (find_zero(m, y) - pull->settle) : NAN;
}

#define AIR                                                                                                            \
    "forces: [{name: pull, type: uniform, acceleration: [%.17g, 0, 0], schedule: {start: %.17g, ramp: %.17g}}, "       \
    "{name: air, type: wind, velocity: [0, 0, 0], rate: 20 Hz, schedule: {stop: %.17g}}]\n"

#define SHEET                                                                                                          \
    "materials: [{name: sheet, kind: cloth, density: 2, youngs_modulus: %.17g, poisson_ratio: 0.2, thickness: 0.1, "   \
    "volume_fraction: 0.5, stress_power: 1, stretch_stiffness: 2e4, shear_stiffness: 1e4, friction_angle: %.17g}]\n"

#define SETTLE 0.4
#define RAMP   1.6

// The same of what gives way at once: when it has moved by the jump.
static double onset_at_once(const dr_lab_sheet_record *record, const dr_lab_pull *pull)
{
    int start = (int)(pull->settle / record->step);
    double rest = mean_above(record, start, pull->height, pull->axis), before = 0.0;
    for (int f = start + 1; f < record->frames; f++) {
        double way = (mean_above(record, f, pull->height, pull->axis) - rest) / pull->cell;
        if (way > pull->jump) {
            double time = (f - (way - pull->jump) / (way - before)) * record->step;
            return pull->most / pull->ramp * (time - pull->settle);
        }
        before = way;
    }
    return NAN;
}

dr_status dr_lab_sheet_onset(dr_lab *lab, dr_scene *scene, const dr_lab_pull *pull, double *critical, dr_error *error)
{
    dr_lab_sheet_record record;
    dr_status status = dr_lab_sheet_run(lab, pull->part, scene, pull->settle + pull->ramp, FRAMES, &record, error);
    if (status) return status;
    *critical = atan((pull->jump > 0.0 ? onset_at_once : onset)(&record, pull)) / DR_DEGREE;
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
        "title: a sheet on a sheet on a slope\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\n" SHEET AIR "cloths:\n"
        "- {name: base, material: sheet, type: rectangle, center: [%.17g, %.17g, 0], width: %.17g, depth: %.17g, edge: "
        "%.17g, holds: [{name: all, within: {type: box, size: [99, 1.2, 99]}}]}\n"
        "- {name: slider, material: sheet, type: rectangle, center: [0, %.17g, 0], width: %.17g, depth: %.17g, edge: "
        "%.17g}\n",
        -GRAVITY, CELL, 1e5, atan(mu), GRAVITY * most, SETTLE, RAMP, SETTLE, 3.0 * CELL, 0.9 * CELL, below,
        size + 2.0 * CELL, CELL, 2.4 * CELL, size, size, CELL);
    dr_lab_pull pull = pull_of(1.5 * CELL, most);
    return status ? status : dr_lab_sheet_onset(lab, scene, &pull, critical, error);
}
