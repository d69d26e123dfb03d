// Two wet fibres that lie together, films touching, are clamped and their clamps drawn apart: near the clamps they
// part. The dry length is that at which bending balances adhesion, (9 B (distance - d_0)^2 / W)^(1/4). W is the work of
// the law that docs/theory/contact.md, eq. (22)-(24), states, integrated here over menisci drawn here. The films flow;
// with beads they also drain from where the fibres have parted, and more liquid than stated holds the fibres.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/meeting.h"
#include "lab/meniscus.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"

#include <math.h>

typedef struct parameters {
    double distance, bending, radius, density, area, surface_tension, contact_angle, stiffness, length, step;
    int64_t segments, steps;
    bool beads;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, distance, DR_UNIT_LENGTH, "0.1 cm", 1e-4, 1e3, "Of the clamped axes."),
    ROW_REAL(parameters, bending, DR_UNIT_NONE, "5.74065", 1e-9, 1e12, "Bending stiffness of a fibre, dyn cm2."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "0.0037 cm", 1e-6, 10.0, "Of the fibres."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1.32 g/cm3", 1e-4, 1e3, "Of the fibres."),
    ROW_REAL(parameters, area, DR_UNIT_AREA, "1e-4 cm2", 1e-12, 10.0, "Cross-section of the liquid of both."),
    ROW_REAL(parameters, surface_tension, DR_UNIT_SURFACE_TENSION, "72 dyn/cm", 1e-6, 1e6, "Of the liquid."),
    ROW_REAL(parameters, contact_angle, DR_UNIT_ANGLE, "60 deg", 0.0, 1.4, "Of the liquid on the fibres."),
    ROW_REAL(parameters, stiffness, DR_UNIT_PRESSURE, "1e4 dyn/cm2", 1.0, 1e12, "Of the penalty model."),
    ROW_REAL(parameters, length, DR_UNIT_NONE, "2.5", 1.5, 10.0, "Of the fibres, over the dry length expected."),
    ROW_COUNT(parameters, segments, "100", 20, 2000, "Edges of a fibre."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.02", 1e-6, 10.0, "Step over L^2 sqrt(mass per length / B)."),
    ROW_COUNT(parameters, steps, "600", 50, 1000000, "How many; clamps move during the first half."),
    ROW_SWITCH(parameters, beads, "no",
               "Films on the parted lengths bead and drain into the bridge: more liquid holds there."),
};
static const dr_table table = ROW_TABLE("coalescence", parameters, rows);

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
    "  - {name: %s, material: fibre, type: line, start: [%.17g, 0, 0], end: [%.17g, %.17g, 0], vertices: %d, "         \
    "contact: penalty, film_height: %.17g, film_beads: %s, film_material: liquid, root_motion: [{type: keyframes, "    \
    "keys: [{time: 0}, "                                                                                               \
    "{time: %.17g, translate: [%.17g, 0, 0]}]}]}\n"

static dr_status make_scene(const parameters *p, double length, double time, double duration, dr_scene **scene,
                            dr_error *error)
{
    double r = p->radius, edge = length / ((double)p->segments - 0.5), film = sqrt(0.5 * p->area / DR_PI + r * r) - r;
    double half = fmin(MULTIPLIER * r, 0.99 * (r + film)), out = 0.5 * p->distance - half; // films touch
    double young = 4.0 * p->bending / (DR_PI * r * r * r * r);
    int vertices = (int)p->segments + 1;
    const char *beads = p->beads ? "yes" : "no";
    double down = -edge * (double)p->segments, damping = young * time / (3.0 * 4.0 * DR_PI * DR_PI);
    return dr_lab_scene_text(
        scene, error,
        "title: two wet fibres\ngravity: [0, 0, 0]\ndomain: {cell: %.17g}\n"
        "contact: {tolerance: 1e-4, sweeps: 2000, stiffness: %.17g, rest_distance: %.17g}\n"
        "materials:\n"
        "  - {name: fibre, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: %.17g, damping: %.17g}\n"
        "  - {name: liquid, kind: liquid, density: 1e-3, viscosity: 0.01, surface_tension: %.17g, contact_angle: %.17g "
        "rad}\n"
        "strands:\n" FIBRE FIBRE,
        length, p->stiffness, MULTIPLIER, p->density, young, r, damping, p->surface_tension, p->contact_angle, "left",
        -half, -half, down, vertices, film, beads, 0.5 * duration, -out, "right", half, half, down, vertices, film,
        beads, 0.5 * duration, out);
}

// From the clamp, in the middle of the first edge, to where the fibres are first within 1.02 of their rest distance.
static double dry_length(const parameters *p, const dr_lab_meeting *m)
{
    size_t n = (size_t)p->segments + 1;
    double limit = 1.02 * MULTIPLIER * 2.0 * p->radius, before = 0.0;
    const double *root = dr_lab_meeting_vertex(m, -1, 0), *second = dr_lab_meeting_vertex(m, -1, 1);
    double clamp = 0.5 * (root[1] + second[1]);
    for (size_t v = 0; v < n; v++) {
        const double *a = dr_lab_meeting_vertex(m, -1, v), *b = dr_lab_meeting_vertex(m, -1, n + v);
        double apart = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
        if (v > 0 && apart < limit) {
            double edge = dr_lab_meeting_vertex(m, -1, v - 1)[1] - a[1];
            return clamp - a[1] - edge * (limit - apart) / (before - apart);
        }
        before = apart;
    }
    return NAN;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double expected = expected_length(p);
    if (!(p->distance > 3.0 * MULTIPLIER * p->radius && isfinite(expected)))
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT,
                            "coalescence: the clamps must be apart, and the liquid must hold the fibres");
    double length = p->length * expected, weight = DR_PI * p->radius * p->radius * p->density;
    double time = length * length * sqrt(weight / p->bending), step = p->step * time;
    dr_scene *scene = NULL;
    dr_lab_meeting m;
    dr_status status = make_scene(p, length, time, (double)p->steps * step, &scene, error);
    if (!status) status = dr_lab_meeting_run(lab, scene, (double)p->steps * step, 20, step, &m, error);
    if (status) return status;
    double measured = dry_length(p, &m);
    dr_lab_expect(lab, "dry_length_ratio", NULL, measured / expected, 1.0, 0.05);
    dr_lab_measure(lab, "dry_length", "cm", measured);
    dr_lab_measure(lab, "expected_length", "cm", expected);
    dr_lab_meeting_show(lab, &m);
    dr_lab_meeting_forget(&m);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_coalescence = {"coalescence", "two wet fibres drawn apart at their clamps: how far they part",
                                        &table, run};
