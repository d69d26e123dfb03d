// Wet fibres in a row that lie together, films touching, are clamped and their clamps drawn apart: near the clamps they
// part. The dry length of two is that at which bending balances adhesion, (9 B (distance - d_0)^2 / W)^(1/4). W is the
// work of the law that docs/theory/contact.md, eq. (22)-(24), states, integrated here over menisci drawn here. The dry
// length of a row of N, from which on it is one clump, grows as N^(3/4), eq. (41). The films flow; with beads they also
// drain from where the fibres have parted, and more liquid than stated holds the fibres.
#include "base/number.h"
#include "geom/segment.h"
#include "lab/cases.h"
#include "lab/meeting.h"
#include "lab/meniscus.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

typedef struct parameters {
    double distance, bending, radius, density, area, surface_tension, contact_angle, stiffness, length, step;
    int64_t rows, segments, steps;
    bool beads;
} parameters;

#define FIBRE_ROWS                                                                                                     \
    ROW_REAL(parameters, bending, DR_UNIT_NONE, "5.74065", 1e-9, 1e12, "Bending stiffness of a fibre, dyn cm2."),      \
        ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "0.0037 cm", 1e-6, 10.0, "Of the fibres."),                       \
        ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1.32 g/cm3", 1e-4, 1e3, "Of the fibres."),                     \
        ROW_REAL(parameters, area, DR_UNIT_AREA, "1e-4 cm2", 1e-12, 10.0, "Cross-section of the liquid of a bridge."), \
        ROW_REAL(parameters, surface_tension, DR_UNIT_SURFACE_TENSION, "72 dyn/cm", 1e-6, 1e6, "Of the liquid."),      \
        ROW_REAL(parameters, contact_angle, DR_UNIT_ANGLE, "60 deg", 0.0, 1.4, "Of the liquid on the fibres."),        \
        ROW_REAL(parameters, stiffness, DR_UNIT_PRESSURE, "1e4 dyn/cm2", 1.0, 1e12, "Of the penalty model."),          \
        ROW_SWITCH(parameters, beads, "no",                                                                            \
                   "Films on the parted lengths bead and drain into the bridge: more liquid holds there."),            \
        ROW_REAL(parameters, step, DR_UNIT_NONE, "0.02", 1e-6, 10.0, "Step over L^2 sqrt(mass per length / B).")

static const dr_field rows[] = {
    ROW_REAL(parameters, distance, DR_UNIT_LENGTH, "0.1 cm", 1e-4, 1e3, "Of the clamped axes."),
    FIBRE_ROWS,
    ROW_REAL(parameters, length, DR_UNIT_NONE, "2.5", 1.5, 10.0, "Of the fibres, over the dry length expected."),
    ROW_COUNT(parameters, segments, "100", 20, 2000, "Edges of a fibre."),
    ROW_COUNT(parameters, steps, "600", 50, 1000000, "How many; clamps move during the first half."),
};
static const dr_table table = ROW_TABLE("coalescence", parameters, rows);

static const dr_field clump_rows[] = {
    ROW_REAL(parameters, distance, DR_UNIT_LENGTH, "0.05 cm", 1e-4, 1e3, "Of neighbouring clamped axes."),
    FIBRE_ROWS,
    ROW_REAL(parameters, length, DR_UNIT_NONE, "1.8", 1.3, 10.0, "Of the fibres, over the length expected to clump."),
    ROW_COUNT(parameters, rows, "4", 4, 6, "Of 2, 4, 8, ... fibres."),
    ROW_COUNT(parameters, segments, "60", 20, 2000, "Edges of a fibre."),
    ROW_COUNT(parameters, steps, "400", 50, 1000000, "How many; clamps move during the first half."),
};
static const dr_table clump_table = ROW_TABLE("clump", parameters, clump_rows);

#define MULTIPLIER 1.5

#define PARTS 400 // of the integral; half of it changes the length by 1e-5 of itself

// The pull of the liquid between the fibres at that distance of their axes, dyn/cm.
static double pull(const parameters *p, double distance)
{
    double half = 0.5 * distance / p->radius, area = p->area / (p->radius * p->radius);
    double alpha = dr_lab_meniscus_angle(half, p->contact_angle, area, 1e-3, DR_PI - p->contact_angle - 1e-4);
    return p->surface_tension * dr_lab_meniscus_force(half, p->contact_angle, alpha, area);
}

// From the rest distance to rupture: linear up to B = 2 d_0 - d_min, then the liquid's own pull.
static double work_of_parting(const parameters *p)
{
    double touching = 2.0 * p->radius, rest = MULTIPLIER * touching, bend = 2.0 * rest - touching;
    double end = touching + (1.0 + 0.5 * p->contact_angle) * sqrt(p->area), step = (end - bend) / PARTS;
    if (!(end > bend)) return NAN;
    double sum = 0.5 * (bend - rest) * pull(p, bend);
    for (int i = 0; i < PARTS; i++) sum += step * pull(p, bend + step * (i + 0.5));
    return sum;
}

static double expected_length(const parameters *p)
{
    double rest = MULTIPLIER * 2.0 * p->radius;
    return pow(9.0 * p->bending * (p->distance - rest) * (p->distance - rest) / work_of_parting(p), 0.25);
}

#define FIBRE                                                                                                          \
    "  - {name: fibre %d, material: fibre, type: line, start: [%.17g, 0, 0], end: [%.17g, %.17g, 0], vertices: %d, "   \
    "contact: penalty, film_height: %.17g, film_beads: %s, film_material: liquid, root_motion: [{type: keyframes, "    \
    "keys: [{time: 0}, {time: %.17g, translate: [%.17g, 0, 0]}]}]}\n"
#define FIBRE_TEXT 512  // characters at most
#define MOST_ROWS  6    // of a clump
#define MOST       64   // fibres of a row
#define ZIPPED     1.02 // rest distances: two fibres are together
#define CLUMPS     0.25 // tolerance of the exponent

// Height of the film of which the liquid of one bridge comes from this fibre: all of it at both ends of a row.
static double film_height(const parameters *p, bool end)
{
    double area = end ? 0.5 * p->area : p->area, r = p->radius;
    return sqrt(area / DR_PI + r * r) - r;
}

// A row of that many fibres, side by side at the rest distance, or nearer where films would not touch there.
static void write_row(const parameters *p, int count, double down, double duration, char *text, size_t room)
{
    double apart = 2.0 * fmin(MULTIPLIER * p->radius, 0.99 * (p->radius + film_height(p, true)));
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        bool end = i == 0 || i + 1 == count;
        double middle = i - 0.5 * (count - 1), x = middle * apart, out = middle * (p->distance - apart);
        used += (size_t)snprintf(text + used, room - used, FIBRE, i, x, x, down, (int)p->segments + 1,
                                 film_height(p, end), p->beads ? "yes" : "no", 0.5 * duration, out);
    }
}

static dr_status make_scene(const parameters *p, int count, double length, double time, double duration,
                            dr_scene **scene, dr_error *error)
{
    double r = p->radius, edge = length / ((double)p->segments - 0.5), down = -edge * (double)p->segments;
    double young = 4.0 * p->bending / (DR_PI * r * r * r * r);
    double damping = young * time / (3.0 * 4.0 * DR_PI * DR_PI);
    char row[MOST * FIBRE_TEXT];
    write_row(p, count, down, duration, row, sizeof row);
    return dr_lab_scene_text(
        scene, error,
        "title: %d wet fibres\ngravity: [0, 0, 0]\ndomain: {cell: %.17g}\n"
        "contact: {tolerance: 1e-4, sweeps: 2000, stiffness: %.17g, rest_distance: %.17g}\n"
        "materials:\n"
        "  - {name: fibre, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: %.17g, damping: %.17g}\n"
        "  - {name: liquid, kind: liquid, density: 1e-3, viscosity: 0.01, surface_tension: %.17g, contact_angle: %.17g "
        "rad}\n"
        "strands:\n%s",
        count, length, p->stiffness, MULTIPLIER, p->density, young, r, damping, p->surface_tension, p->contact_angle,
        row);
}

// The distance of a vertex from the fibre whose first vertex is `first`.
static double distance_to(const dr_lab_meeting *m, const double x[3], size_t first, size_t vertices)
{
    double least = INFINITY;
    for (size_t v = first; v + 1 < first + vertices; v++) {
        const double *a = dr_lab_meeting_vertex(m, -1, v), *b = dr_lab_meeting_vertex(m, -1, v + 1);
        double t = dr_segment_place(a, b, x), d[3];
        for (int i = 0; i < 3; i++) d[i] = x[i] - a[i] - t * (b[i] - a[i]);
        least = fmin(least, dr_lab_norm(d));
    }
    return least;
}

// From the clamps, in the middle of the first edges, to where a fibre and the next one are first within `near` rest
// distances.
static double parted_length(const parameters *p, int fibre, double near, const dr_lab_meeting *m)
{
    size_t n = (size_t)p->segments + 1, left = n * (size_t)fibre;
    double limit = near * MULTIPLIER * 2.0 * p->radius, before = 0.0;
    const double *root = dr_lab_meeting_vertex(m, -1, left), *second = dr_lab_meeting_vertex(m, -1, left + 1);
    double clamp = 0.5 * (root[1] + second[1]);
    for (size_t v = left; v < left + n; v++) {
        const double *a = dr_lab_meeting_vertex(m, -1, v);
        double apart = distance_to(m, a, left + n, n);
        if (v > left && apart < limit) {
            double edge = dr_lab_meeting_vertex(m, -1, v - 1)[1] - a[1];
            return clamp - a[1] - edge * (limit - apart) / (before - apart);
        }
        before = apart;
    }
    return INFINITY;
}

// The length from which on a row is one clump: all neighbours are held by the linear part of (23).
static double dry_length(const parameters *p, int count, const dr_lab_meeting *m)
{
    double most = 0.0;
    for (int i = 0; i + 1 < count; i++) most = fmax(most, parted_length(p, i, 2.0 - 1.0 / MULTIPLIER, m));
    return most;
}

static dr_status check(const parameters *p, const char *name, dr_error *error)
{
    if (p->distance > 3.0 * MULTIPLIER * p->radius && isfinite(expected_length(p))) return DR_STATUS_OK;
    return dr_error_add(error, DR_STATUS_BAD_ARGUMENT,
                        "%s: the clamps must be apart, and the liquid must hold the fibres", name);
}

// Draws the clamps of a row apart; fibres are `length` times as long as the dry length expected.
static dr_status part_row(dr_lab *lab, const char *part, const parameters *p, int count, double expected,
                          dr_lab_meeting *m, dr_error *error)
{
    double length = p->length * expected, weight = DR_PI * p->radius * p->radius * p->density;
    double time = length * length * sqrt(weight / p->bending), step = p->step * time;
    dr_scene *scene = NULL;
    dr_status status = make_scene(p, count, length, time, (double)p->steps * step, &scene, error);
    return status ? status : dr_lab_meeting_run(lab, part, scene, (double)p->steps * step, 20, step, m, error);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double expected = expected_length(p);
    dr_lab_meeting m;
    dr_status status = check(p, "coalescence", error);
    if (!status) status = part_row(lab, NULL, p, 2, expected, &m, error);
    if (status) return status;
    double measured = parted_length(p, 0, ZIPPED, &m);
    dr_lab_expect(lab, "dry_length_ratio", NULL, measured / expected, 1.0, 0.05);
    dr_lab_measure(lab, "dry_length", "cm", measured);
    dr_lab_measure(lab, "expected_length", "cm", expected);
    dr_lab_meeting_show(lab, &m);
    dr_lab_meeting_forget(&m);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_coalescence = {"coalescence", "two wet fibres drawn apart at their clamps: how far they part",
                                        &table, run};

// ---- clumps of a row

// The slope of log y over log x by least squares.
static double slope(const double *x, const double *y, int count)
{
    double mean[2] = {0.0, 0.0}, xx = 0.0, xy = 0.0;
    for (int i = 0; i < count; i++) {
        mean[0] += log(x[i]) / count;
        mean[1] += log(y[i]) / count;
    }
    for (int i = 0; i < count; i++) {
        xx += (log(x[i]) - mean[0]) * (log(x[i]) - mean[0]);
        xy += (log(x[i]) - mean[0]) * (log(y[i]) - mean[1]);
    }
    return xy / xx;
}

// A row of N is one clump where its fibres are longer than its dry length: that length clumps N.
static dr_status run_clump(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double size[MOST_ROWS], length[MOST_ROWS], two = expected_length(p);
    int64_t unconverged = 0;
    dr_status status = check(p, "clump", error);
    for (int i = 0; i < (int)p->rows && !status; i++) {
        dr_lab_meeting m;
        char part[32];
        int count = 2 << i;
        snprintf(part, sizeof part, "row-of-%d", count);
        status = part_row(lab, part, p, count, two * pow(0.5 * count, 0.75), &m, error);
        if (status) break;
        size[i] = count;
        length[i] = dry_length(p, count, &m);
        unconverged += m.unconverged;
        dr_lab_meeting_forget(&m);
    }
    if (status) return status;
    dr_lab_expect(lab, "exponent", NULL, slope(length, size, (int)p->rows), 4.0 / 3.0, CLUMPS);
    dr_lab_measure_list(lab, "size", NULL, size, (int)p->rows);
    dr_lab_measure_list(lab, "length", "cm", length, (int)p->rows);
    dr_lab_measure(lab, "unconverged_steps", NULL, (double)unconverged);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_clump = {"clump", "rows of wet fibres drawn apart at their clamps: how many a length clumps",
                                  &clump_table, run_clump};
