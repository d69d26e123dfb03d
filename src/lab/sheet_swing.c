// A strip of cloth hangs by its upper edge and swings: a heavy chain, whose lowest mode J0(j sqrt(s)), s the height
// above the free end over the length, has omega = j/2 sqrt(g/L), j = 2.404826 the first zero of J0.
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/sheet.h"

#include <math.h>

#define GRAVITY 981.0
#define ZERO    2.404825557695773
#define PI      3.14159265358979323846

typedef struct parameters {
    double load, length, density, push;
    int64_t cells, across;
    int pattern, integrator;
} parameters;

static const char *const integrators[] = {"explicit", "implicit", NULL};

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "20", 4, 400, "Rows of vertices along the strip."),
    ROW_COUNT(parameters, across, "2", 1, 200, "Edges across it."),
    ROW_CHOICE(parameters, pattern, dr_lab_patterns, "equilateral", "How it is cut into triangles."),
    ROW_CHOICE(parameters, integrator, integrators, "explicit", "How it steps in time; implicit steps damp."),
    ROW_REAL(parameters, load, DR_UNIT_NONE, "0.01", 1e-6, 0.1,
             "Weight per section over Young's modulus, rho g L / E."),
    ROW_REAL(parameters, length, DR_UNIT_LENGTH, "10 cm", 1e-2, 1e4, "Of the strip."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "0.5 g/cm3", 1e-4, 1e2, "Of the sheet."),
    ROW_REAL(parameters, push, DR_UNIT_NONE, "0.1", 1e-6, 1.0,
             "To the side, over the weight, for a tenth of a period."),
};
static const dr_table table = ROW_TABLE("sheet-swing", parameters, rows);

enum { FRAMES = 60 };

// J0(ZERO sqrt(s)) by its series, 0 <= s <= 1.
static double mode(double s)
{
    double sum = 1.0, term = 1.0, quarter = 0.25 * ZERO * ZERO * s;
    for (int k = 1; k < 20; k++) {
        term *= -quarter / ((double)k * k);
        sum += term;
    }
    return sum;
}

// How far it is aside in the lowest mode, at every output, and from that the frequency: second differences of a swing
// are -(2 sin(omega step / 2) / step)^2 times itself.
static double find_omega(const dr_lab_sheet_record *record, double length, int from)
{
    double value[FRAMES + 1];
    for (int f = 0; f < record->frames; f++) {
        value[f] = 0.0;
        for (size_t v = 0; v < record->vertices; v++) {
            const double *rest = record->x + 3 * v, *now = rest + 3 * (size_t)f * record->vertices;
            value[f] += mode(1.0 + rest[1] / length) * now[2];
        }
    }
    double squared = -dr_lab_sheet_growth(value, record->frames, from, record->step);
    return 2.0 / record->step * asin(fmin(1.0, 0.5 * record->step * sqrt(fmax(0.0, squared))));
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_lab_sheet sheet = {.length = p->length,
                          .thickness = 1e-3 * p->length, // bends by itself over a hundredth of its length
                          .density = p->density,
                          .youngs_modulus = p->density * GRAVITY * p->length / p->load,
                          .cells = p->cells,
                          .across = p->across,
                          .pattern = p->pattern};
    double omega = 0.5 * ZERO * sqrt(GRAVITY / p->length), period = 2.0 * PI / omega, stop = 0.1 * period;
    dr_lab_cut cut = dr_lab_sheet_cut(&sheet, 0);
    double duration = 2.0 * period;
    char head[400];
    dr_scene *scene = NULL;
    dr_lab_sheet_record record;
    dr_lab_sheet_head(&sheet, cut.edge, head, sizeof head);
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a strip swings\ngravity: [0, %.17g, 0]\n%s"
        "forces: [{name: push, type: uniform, acceleration: [0, 0, %.17g], schedule: {stop: %.17g}}]\n"
        "cloths: [{name: strip, material: sheet, type: rectangle, axis: [0, 0, 1], pattern: %s, edge: %.17g, width: "
        "%.17g, depth: %.17g, center: [0, %.17g, 0], holds: [{name: top, edge: top}]}]\n",
        -GRAVITY, head, p->push * GRAVITY, stop, dr_lab_patterns[p->pattern], cut.edge, cut.width, p->length,
        -0.5 * p->length);
    if (status) return status;
    if (p->integrator == 1) dr_scene_edit(scene)->time.integrator = DR_STEPPING_IMPLICIT;
    status = dr_lab_sheet_run(lab, NULL, scene, duration, FRAMES, &record, error);
    if (status) return status;
    double found = find_omega(&record, p->length, (int)(1.5 + FRAMES * stop / duration));
    dr_lab_expect(lab, "period_ratio", "", omega / found, 1.0, 0.02);
    dr_lab_measure(lab, "period", "s", 2.0 * PI / found);
    dr_lab_measure(lab, "steps", "", (double)record.steps);
    dr_lab_sheet_forget(&record);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_sheet_swing = {"sheet-swing", "a strip of cloth hangs and swings under its weight", &table,
                                        run};
