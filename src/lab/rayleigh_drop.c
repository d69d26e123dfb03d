// A drop that is longer than wide swings about the sphere, Rayleigh (1879): omega^2 = 8 tension / (density R^3) for its
// second mode. Its length is read from the second moments of the particles, z^2 - (x^2 + y^2)/2, which are zero in a
// sphere. Cells make it slow by the square of their size; a second, coarser drop tells by how much, so that the
// frequency of vanishing cells can be judged as well.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>

typedef struct parameters {
    double radius, amplitude, surface_tension, density, viscosity, periods;
    int64_t cells;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "0.1 cm", 1e-4, 1e3, "Of the sphere that it swings about."),
    ROW_COUNT(parameters, cells, "24", 4, 256, "Cells across the radius."),
    ROW_REAL(parameters, amplitude, DR_UNIT_NONE, "0.05", 1e-3, 0.3, "How much longer than the radius it is at first."),
    ROW_REAL(parameters, surface_tension, DR_UNIT_SURFACE_TENSION, "72.8 dyn/cm", 1e-3, 1e4, "Of the liquid."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "0.9982 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "0", 0.0, 1e6, "Of the liquid."),
    ROW_REAL(parameters, periods, DR_UNIT_NONE, "1.4", 1.3, 25.0, "How long to watch."),
};
static const dr_table table = ROW_TABLE("rayleigh-drop", parameters, rows);

#define COARSE 0.8 // of the cells of the finer drop

enum { BALLS = 16, SAMPLES = 40, MOST = 1024 };

static const char format[] =
    "title: a drop swings\n"
    "gravity: [0, 0, 0]\n"
    "domain: {cell: %.17g}\n"
    "liquid: {surface_tension: yes}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: %.17g}]\n"
    "bodies: [{name: drop, material: liquid, shape: {type: union, of: [%s]}}]\n";

// A spheroid of half axes c along z and a < c across is the union of balls with their middles between +-(c - a^2/c) on
// the axis, of radius a sqrt(1 - z^2/(c^2 - a^2)).
static void draw_spheroid(dr_text *text, double c, double a)
{
    double end = c - a * a / c;
    for (int i = 0; i <= BALLS; i++) {
        double z = end * (2.0 * i / BALLS - 1.0), radius = a * sqrt(1.0 - z * z / (c * c - a * a));
        dr_text_print(text, "{type: sphere, center: [0, 0, %.9g], radius: %.9g}, ", z, radius);
    }
}

typedef struct record {
    int count;
    double time[MOST], length[MOST];
} record;

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *position = dr_frame_find(liquid, "position"), *volume = dr_frame_find(liquid, "volume");
    double all = 0.0, sum = 0.0;
    for (size_t i = 0; i < position->count; i++) {
        double x = dr_lab_item(position, i, 0), y = dr_lab_item(position, i, 1), z = dr_lab_item(position, i, 2);
        double v = dr_lab_item(volume, i, 0);
        all += v;
        sum += v * (z * z - 0.5 * (x * x + y * y));
    }
    if (r->count >= MOST) return;
    r->time[r->count] = frame->time;
    r->length[r->count++] = sum / all;
}

// From one crossing of zero to the one after the next, the last such pair.
static double find_period(const record *r)
{
    double crossing[3] = {NAN, NAN, NAN};
    for (int i = 1; i < r->count; i++) {
        double a = r->length[i - 1], b = r->length[i];
        if ((a < 0.0) == (b < 0.0)) continue;
        crossing[0] = crossing[1];
        crossing[1] = crossing[2];
        crossing[2] = r->time[i - 1] + (r->time[i] - r->time[i - 1]) * a / (a - b);
    }
    return crossing[2] - crossing[0];
}

// The last crest of the sign of the first over the first.
static double find_kept(const record *r)
{
    double last = NAN;
    for (int i = 1; i + 1 < r->count; i++) {
        double a = r->length[i - 1], b = r->length[i], c = r->length[i + 1];
        if (b > 0.0 && b > a && b >= c) last = b;
    }
    return last / r->length[0];
}

static dr_status watch_drop(dr_lab *lab, const parameters *p, const char *part, int64_t cells, double period, record *r,
                            dr_error *error)
{
    dr_lab_watch watcher = {.frame = watch_frame, .user = r};
    dr_scene *scene = NULL;
    dr_text shape;
    dr_text_open(&shape, NULL);
    draw_spheroid(&shape, p->radius * (1.0 + p->amplitude), p->radius / sqrt(1.0 + p->amplitude));
    dr_status status = shape.failed ? dr_error_memory(error, "drawing a drop") : DR_STATUS_OK;
    if (!status)
        status = dr_lab_scene_text(&scene, error, format, p->radius / (double)cells, p->density, p->viscosity,
                                   p->surface_tension, dr_text_show(&shape));
    dr_text_close(&shape);
    if (!status) {
        dr_lab_scene_time(scene, period * p->periods, (int)ceil(SAMPLES * p->periods), 0.0);
        status = dr_lab_simulate(lab, part, scene, period * p->periods, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    return status;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double omega = sqrt(8.0 * p->surface_tension / (p->density * pow(p->radius, 3.0))), period = 2.0 * DR_PI / omega;
    record *r = dr_memory_alloc(NULL, sizeof *r);
    if (!r) return dr_error_memory(error, "watching a drop");
    int64_t fewer = (int64_t)llround(COARSE * (double)p->cells);
    dr_status status = watch_drop(lab, p, "fine", p->cells, period, r, error);
    double ratio = period / find_period(r), kept = find_kept(r);
    *r = (record){0};
    if (!status) status = watch_drop(lab, p, "coarse", fewer, period, r, error);
    if (!status) {
        double coarse = period / find_period(r), finer = (double)p->cells / (double)fewer;
        dr_lab_expect(lab, "frequency_ratio", "", ratio, 1.0, 0.03);
        dr_lab_measure(lab, "coarse_frequency_ratio", "", coarse);
        dr_lab_expect(lab, "frequency_ratio_without_cells", "", ratio + (ratio - coarse) / (finer * finer - 1.0), 1.0,
                      0.02);
        dr_lab_measure(lab, "frequency", "Hz", ratio / period);
        dr_lab_measure(lab, "theory", "Hz", 1.0 / period);
        dr_lab_measure(lab, "amplitude_kept", "", kept);
    }
    dr_memory_free(NULL, r, sizeof *r);
    return status;
}

const dr_lab_case dr_lab_rayleigh_drop = {"rayleigh-drop", "a drop swings about the sphere under its surface tension",
                                          &table, run};
