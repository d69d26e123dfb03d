// A column of liquid collapses on a dry floor. Martin and Moyce (1952) filmed it for two bases a, height 2 a, time in
// sqrt(a / 2g), place of the front in a. Their diaphragm let the liquid go over some time, so their clock does not
// start with the liquid: its zero is taken from their first point, which lies before the times judged. Potential flow
// of an ideal liquid let go at once (tools/dam_reference) is the other judge, on the clock of the release; for other
// bases it is the only one. docs/validation.md.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/memory.h"

#include <math.h>

typedef struct parameters {
    double base, gravity, density, viscosity, time;
    int64_t cells, width;
    int floor;
} parameters;

static const char *const floors[] = {"slip", "sticky", NULL};

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "64", 4, 512, "Cells across the base of the column."),
    ROW_REAL(parameters, base, DR_UNIT_LENGTH, "2.25 in", 1e-2, 1e5, "Of the column; its height is twice that."),
    ROW_REAL(parameters, time, DR_UNIT_NONE, "3", 0.1, 9.3, "When to stop, in units of sqrt(base / 2 g)."),
    ROW_COUNT(parameters, width, "4", 4, 512, "Cells across the channel; its sides are symmetry planes."),
    ROW_CHOICE(parameters, floor, floors, "slip", "What the floor does to the liquid."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "8.9e-3 P", 0.0, 1e6, "Of the liquid."),
};
static const dr_table table = ROW_TABLE("dam-break", parameters, rows);

#define INCH 2.54 // cm

// Time and front as measured, read from their figure 3.
static const double small[][2] = {{0.849, 1.245}, {1.212, 1.443}, {1.602, 1.884}, {2.283, 2.689}, {2.950, 3.728},
                                  {3.598, 4.528}, {3.905, 4.999}, {4.592, 5.841}, {4.961, 6.271}, {5.316, 6.717}};
static const double large[][2] = {{0.832, 1.217}, {1.219, 1.474}, {1.997, 2.292}, {2.547, 2.995},  {3.345, 4.134},
                                  {4.034, 4.944}, {5.091, 6.980}, {6.306, 8.966}, {8.031, 11.977}, {9.237, 13.970}};

typedef struct experiment {
    double base; // cm
    const double (*points)[2];
    int count;
} experiment;

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const experiment experiments[] = {{1.125 * INCH, small, COUNT(small)}, {2.25 * INCH, large, COUNT(large)}};

// The one with that base, NULL where it was not filmed.
static const experiment *find_experiment(double base)
{
    for (int i = 0; i < COUNT(experiments); i++) {
        if (fabs(base / experiments[i].base - 1.0) < 1e-3) return &experiments[i];
    }
    return NULL;
}

// The front of the ideal liquid at the first of those times, known to about 1 % (finer and coarser runs of
// tools/dam_reference).
static const double ideal[][2] = {{0.832, 1.42}, {1.219, 1.78}, {1.997, 2.68}, {2.547, 3.43}};

enum { POINTS = 10, MOST_FRAMES = 1000 };

static const char format[] =
    "title: a column of liquid collapses on a dry floor\n"
    "gravity: [0, %.17g, 0]\n"
    "domain: {cell: %.17g, min: [0, 0, 0], max: [unbounded, unbounded, %.17g], x_min: slip, y_min: %s, "
    "z_min: symmetry, z_max: symmetry}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: 0}]\n"
    "bodies: [{name: column, material: liquid, shape: {type: box, center: [%.17g, %.17g, %.17g], "
    "size: [%.17g, %.17g, %.17g]}}]\n";

typedef struct record {
    const parameters *p;
    double unit; // of time, s
    int count;
    double time[MOST_FRAMES], front[MOST_FRAMES];
} record;

// The foremost particle of the liquid that reaches there without a gap of a cell, and the quarter cell it stands for.
enum { MOST_CELLS = 16384 };

static double find_front(const dr_frame_part *liquid, double cell)
{
    const dr_frame_array *position = dr_frame_find(liquid, "position");
    float foremost[MOST_CELLS] = {0.0F};
    for (size_t i = 0; i < position->count; i++) {
        double x = dr_lab_item(position, i, 0) / cell;
        if (!(x >= 0.0 && x < MOST_CELLS - 1)) continue;
        foremost[(int)x] = fmaxf(foremost[(int)x], (float)x);
    }
    int last = 0;
    while (foremost[last + 1] > 0.0F) last++;
    return ((double)foremost[last] + 0.25) * cell;
}

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    double base = r->p->base, cell = base / (double)r->p->cells;
    if (r->count >= MOST_FRAMES) return;
    r->time[r->count] = frame->time / r->unit;
    r->front[r->count++] = find_front(dr_lab_liquid_part(frame), cell) / base;
}

static double front_at(const record *r, double time)
{
    int i = 1;
    while (i < r->count - 1 && r->time[i] < time) i++;
    double share = (time - r->time[i - 1]) / (r->time[i] - r->time[i - 1]);
    return r->front[i - 1] + share * (r->front[i] - r->front[i - 1]);
}

// The largest relative difference for times from 1 to 3 when the clock of the reference runs late by `delay`; not a
// number where none of them is watched.
static double worst_error(const record *r, const double (*reference)[2], int count, double delay)
{
    double worst = NAN;
    for (int i = 0; i < count; i++) {
        double time = reference[i][0];
        if (time < 1.0 || time > 3.0 || time > r->time[r->count - 1]) continue;
        worst = fmax(worst, fabs(front_at(r, time - delay) / reference[i][1] - 1.0));
    }
    return worst;
}

// How much later than the liquid the experiment's clock has it pass the first point.
static double find_delay(const record *r, const double first[2])
{
    int i = 1;
    while (i < r->count - 1 && r->front[i] < first[1]) i++;
    double share = (first[1] - r->front[i - 1]) / (r->front[i] - r->front[i - 1]);
    return first[0] - (r->time[i - 1] + share * (r->time[i] - r->time[i - 1]));
}

static void expect(dr_lab *lab, const char *name, double worst, double most)
{
    if (!isnan(worst)) dr_lab_expect(lab, name, "", worst, 0.0, most);
}

static void judge_experiment(dr_lab *lab, const record *r, const experiment *filmed)
{
    double front[POINTS], measured[POINTS], delay = find_delay(r, filmed->points[0]);
    int count = 0;
    for (; count < filmed->count && filmed->points[count][0] <= r->time[r->count - 1]; count++) {
        front[count] = front_at(r, filmed->points[count][0] - delay);
        measured[count] = filmed->points[count][1];
    }
    dr_lab_measure_list(lab, "experiment", "a", measured, count);
    double late = worst_error(r, filmed->points, filmed->count, 0.0);
    if (!isnan(late)) dr_lab_measure(lab, "front_error", "", late);
    dr_lab_measure(lab, "clock_delay", "sqrt(a/2g)", delay);
    dr_lab_measure_list(lab, "shifted_front", "a", front, count);
    expect(lab, "shifted_front_error", worst_error(r, filmed->points, filmed->count, delay), 0.04);
}

// Times are those of the experiment, or else those the ideal liquid is known at; `front` is on the clock of the
// release.
static void judge(dr_lab *lab, const record *r)
{
    const experiment *filmed = find_experiment(r->p->base);
    const double(*points)[2] = filmed ? filmed->points : ideal;
    double time[POINTS], front[POINTS];
    int count = 0, known = filmed ? filmed->count : COUNT(ideal);
    for (; count < known && points[count][0] <= r->time[r->count - 1]; count++) {
        time[count] = points[count][0];
        front[count] = front_at(r, time[count]);
    }
    dr_lab_measure_list(lab, "time", "sqrt(a/2g)", time, count);
    dr_lab_measure_list(lab, "front", "a", front, count);
    if (filmed) judge_experiment(lab, r, filmed);
    expect(lab, "ideal_error", worst_error(r, ideal, COUNT(ideal), 0.0), 0.03);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double a = p->base, cell = a / (double)p->cells, width = cell * (double)p->width;
    static const double margin = 0.05; // beyond the last point, so that it lies between two frames
    record *r = dr_memory_alloc(NULL, sizeof *r);
    if (!r) return dr_error_memory(error, "watching the front");
    *r = (record){.p = p, .unit = sqrt(0.5 * a / p->gravity)};
    double duration = (p->time + margin) * r->unit;
    dr_lab_watch watcher = {.frame = watch_frame, .user = r};
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(&scene, error, format, -p->gravity, cell, width, floors[p->floor], p->density,
                                         p->viscosity, 0.5 * a, a, 0.5 * width, a, 2.0 * a, width);
    if (!status) {
        dr_lab_scene_time(scene, duration, (int)ceil(20.0 * (p->time + margin)), 0.0);
        status = dr_lab_simulate(lab, NULL, scene, duration, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    if (!status) judge(lab, r);
    dr_memory_free(NULL, r, sizeof *r);
    return status;
}

const dr_lab_case dr_lab_dam_break = {
    "dam-break", "a column of liquid collapses: its front against the experiment of Martin and Moyce", &table, run};
