// A rod clamped above a floor, its tip straight below on the floor, pressed down: it buckles, and the tip sticks until
// the elastica's sideways force on it is more than mu times the force down. How far it is pressed by then.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/meeting.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double mu, length, radius, density, youngs_modulus, step;
    int64_t segments, steps;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, mu, DR_UNIT_NONE, "0.2378", 0.05, 0.7, "Coefficient of friction."),
    ROW_COUNT(parameters, segments, "60", 10, 1000, "Edges of the rod."),
    ROW_REAL(parameters, length, DR_UNIT_LENGTH, "10 cm", 1e-3, 1e5, "Of the rod."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "0.06 cm", 1e-6, 1e3, "Of the rod; thin against its length."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1.3 g/cm3", 1e-4, 1e3, "Of the rod."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e10 dyn/cm2", 1.0, 1e15, "Of the rod."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.02", 1e-6, 100.0, "Step over L^2 sqrt(mass per length / B)."),
    ROW_COUNT(parameters, steps, "2500", 100, 1000000, "How many."),
};
static const dr_table table = ROW_TABLE("stick-slip", parameters, rows);

#define FRAMES 500
#define POST   0.004 // width over the rod's length
#define GENTLE 0.4   // share of the time in which it buckles

// ---- the elastica: theta'' = -p sin theta + q cos theta, theta(0) = 0, theta'(1) = 0, tip below the clamp

typedef struct shot {
    double slope, aside, height; // theta' at the tip, where the tip is
} shot;

static void derive(const double y[4], double p, double q, double d[4])
{
    d[0] = y[1];
    d[1] = -p * sin(y[0]) + q * cos(y[0]);
    d[2] = sin(y[0]);
    d[3] = cos(y[0]);
}

static shot shoot(double k, double p, double q)
{
    enum { STEPS = 400 };
    double y[4] = {0.0, k, 0.0, 0.0}, h = 1.0 / STEPS;
    for (int n = 0; n < STEPS; n++) {
        double a[4], b[4], c[4], d[4], z[4];
        derive(y, p, q, a);
        for (int i = 0; i < 4; i++) z[i] = y[i] + 0.5 * h * a[i];
        derive(z, p, q, b);
        for (int i = 0; i < 4; i++) z[i] = y[i] + 0.5 * h * b[i];
        derive(z, p, q, c);
        for (int i = 0; i < 4; i++) z[i] = y[i] + h * c[i];
        derive(z, p, q, d);
        for (int i = 0; i < 4; i++) y[i] += h * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) / 6.0;
    }
    return (shot){y[1], y[2], y[3]};
}

// Newton for the two forces of a given curvature at the clamp.
static shot balance(double k, double *p, double *q)
{
    for (int i = 0; i < 30; i++) {
        double e = 1e-6;
        shot at = shoot(k, *p, *q), dp = shoot(k, *p + e, *q), dq = shoot(k, *p, *q + e);
        double a = (dp.slope - at.slope) / e, b = (dq.slope - at.slope) / e;
        double c = (dp.aside - at.aside) / e, d = (dq.aside - at.aside) / e, det = a * d - b * c;
        *p -= (d * at.slope - b * at.aside) / det;
        *q -= (a * at.aside - c * at.slope) / det;
        if (fabs(at.slope) + fabs(at.aside) < 1e-12) break;
    }
    return shoot(k, *p, *q);
}

// The compression at which the forces have the ratio mu: up from Euler's load in small steps of curvature.
static double expected_compression(double mu)
{
    double p = 20.190729, q = -0.1, before = 0.0, ratio_before = 0.0;
    for (double k = 0.1; k < 12.0; k += 0.05) {
        shot at = balance(k, &p, &q);
        double ratio = fabs(q) / p, compression = 1.0 - at.height;
        if (ratio >= mu) return before + (compression - before) * (mu - ratio_before) / (ratio - ratio_before);
        before = compression;
        ratio_before = ratio;
    }
    return NAN;
}

// ---- the run

// The way down while it buckles: a few times what the rod is shortened by under Euler's load.
static double gentle(const parameters *p)
{
    return 8.0 * 20.19 * 0.25 * p->radius * p->radius / p->length;
}

static dr_status make_scene(const parameters *p, double duration, double down, dr_scene **scene, dr_error *error)
{
    double edge = p->length / ((double)p->segments - 0.5); // the clamp is in the middle of the first edge
    double time = duration / ((double)p->steps * p->step), wave = 4.0 * DR_PI * DR_PI / time;
    return dr_lab_scene_text(
        scene, error,
        "title: a rod pressed on a post\ngravity: [0, 0, 0]\ndomain: {cell: %.17g}\n"
        "contact: {tolerance: 1e-8, sweeps: 1000}\n"
        "materials: [{name: rod, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: %.17g, friction: %.17g, "
        "damping: %.17g}]\n"
        "colliders: [{name: post, shape: {type: box, center: [0, %.17g, 0], size: [%.17g, %.17g, %.17g]}, boundary: "
        "separate, friction: %.17g}]\n"
        "strands: [{name: rod, material: rod, type: line, start: [0, %.17g, 0], end: [0, %.17g, 0], vertices: %d, "
        "disturb: %.17g, root_motion: [{type: keyframes, keys: [{time: 0, ease: linear}, {time: %.17g, translate: [0, "
        "%.17g, 0], ease: in}, {time: %.17g, translate: [0, %.17g, 0]}]}]}]\n",
        p->length, p->density, p->youngs_modulus, p->radius, p->mu, p->youngs_modulus / (3.0 * wave), -0.5 * p->length,
        POST * p->length, p->length, POST * p->length, p->mu, p->radius + p->length + 0.5 * edge, p->radius,
        (int)p->segments + 1, 1e-5 * p->length, GENTLE * duration, -gentle(p), duration, -down);
}

// How far the clamp has come down when the tip leaves its place; not a number: it never does.
static double first_slip(const parameters *p, const dr_lab_meeting *m)
{
    const double *start = dr_lab_meeting_vertex(m, 0, (size_t)p->segments);
    for (int f = 1; f < m->frames; f++) {
        const double *tip = dr_lab_meeting_vertex(m, f, (size_t)p->segments);
        if (hypot(tip[0] - start[0], tip[2] - start[2]) > 1e-4 * p->length)
            return dr_lab_meeting_vertex(m, 0, 0)[1] - dr_lab_meeting_vertex(m, f, 0)[1];
    }
    return NAN;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double bending = 0.25 * DR_PI * p->youngs_modulus * pow(p->radius, 4);
    double time = p->length * p->length * sqrt(DR_PI * p->radius * p->radius * p->density / bending);
    double step = p->step * time, duration = (double)p->steps * step, expected = expected_compression(p->mu);
    double most = 1.3 * expected;
    dr_scene *scene = NULL;
    dr_lab_meeting m;
    dr_status status = make_scene(p, duration, most * p->length, &scene, error);
    if (!status) status = dr_lab_meeting_run(lab, NULL, scene, duration, FRAMES, step, &m, error);
    if (status) return status;
    dr_lab_expect_share(lab, "slip_compression", NULL, first_slip(p, &m) / p->length, expected, 0.03);
    dr_lab_meeting_show(lab, &m);
    dr_lab_meeting_forget(&m);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_stick_slip = {"stick-slip", "a rod pressed on a post: when its tip begins to slide", &table,
                                       run};
