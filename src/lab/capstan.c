// A strand wound around a cylinder, pulled slowly at one end against a weight at the other: the tensions at its ends
// have the ratio exp(mu angle).
#include "base/number.h"
#include "lab/cases.h"
#include "lab/meeting.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include <math.h>

typedef struct parameters {
    double mu, turns, radius, strand_radius, density, youngs_modulus, step;
    int64_t segments, steps;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, mu, DR_UNIT_NONE, "0.3", 0.01, 2.0, "Coefficient of friction."),
    ROW_REAL(parameters, turns, DR_UNIT_NONE, "1", 0.1, 5.0, "Around the cylinder."),
    ROW_COUNT(parameters, segments, "100", 20, 1000, "Edges in a turn."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e3, "Of the cylinder."),
    ROW_REAL(parameters, strand_radius, DR_UNIT_NONE, "0.003", 1e-5, 0.05, "Over that of the cylinder."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1.3 g/cm3", 1e-4, 1e3, "Of the strand."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e7 dyn/cm2", 1.0, 1e15, "Of the strand."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.2", 1e-4, 100.0,
             "Step over the time that sound needs around the cylinder."),
    ROW_COUNT(parameters, steps, "1000", 100, 1000000, "How many."),
};
static const dr_table table = ROW_TABLE("capstan", parameters, rows);

#define STRAIN 0.01 // at the end that is pulled
#define FRAMES 50

// The weight is what exp(mu angle) times stretches the strand by STRAIN.
static double weight(const parameters *p)
{
    double r = p->strand_radius * p->radius;
    return STRAIN * DR_PI * r * r * p->youngs_modulus * exp(-p->mu * 2.0 * DR_PI * p->turns);
}

// Twice what the strand stretches by, and a little.
static double pulled_by(const parameters *p)
{
    double angle = 2.0 * DR_PI * p->turns;
    return (2.0 * STRAIN * fmin(angle, 1.0 / p->mu) + 0.03) * p->radius;
}

static dr_status make_scene(const parameters *p, double duration, dr_scene **scene, dr_error *error)
{
    double r = p->strand_radius * p->radius, angle = 2.0 * DR_PI * p->turns, force = weight(p);
    return dr_lab_scene_text(
        scene, error,
        "title: a strand around a cylinder\ngravity: [0, 0, 0]\ndomain: {cell: %.17g}\n"
        "contact: {tolerance: 1e-6, sweeps: 1000}\n"
        "materials: [{name: string, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: %.17g, friction: "
        "%.17g}]\n"
        "colliders: [{name: drum, shape: {type: cylinder, axis: z, radius: %.17g, height: %.17g}, boundary: separate, "
        "friction: %.17g}]\n"
        "strands: [{name: string, material: string, type: arc, axis: [0, 0, 1], root_radius: %.17g, sweep: %.17g rad, "
        "rise: %.17g, vertices: %d, root: pinned, tip_force: [%.17g, %.17g, 0], root_motion: [{type: keyframes, keys: "
        "[{time: 0, ease: linear}, {time: %.17g, translate: [0, %.17g, 0]}]}]}]\n",
        p->radius, p->density, p->youngs_modulus, r, p->mu, p->radius, 100.0 * r * (p->turns + 1.0), p->mu,
        p->radius + r, angle, 10.0 * r, (int)((double)p->segments * p->turns) + 1, -force * sin(angle),
        force * cos(angle), duration, -pulled_by(p));
}

static double tension(const parameters *p, const dr_lab_meeting *m, int frame)
{
    double now = 0.0, start = 0.0, r = p->strand_radius * p->radius;
    for (int a = 0; a < 3; a++) {
        double d = dr_lab_meeting_vertex(m, frame, 1)[a] - dr_lab_meeting_vertex(m, frame, 0)[a];
        double d0 = dr_lab_meeting_vertex(m, 0, 1)[a] - dr_lab_meeting_vertex(m, 0, 0)[a];
        now += d * d;
        start += d0 * d0;
    }
    return DR_PI * r * r * p->youngs_modulus * (sqrt(now / start) - 1.0);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double sound = 2.0 * DR_PI * p->radius * sqrt(p->density / p->youngs_modulus), sum = 0.0;
    double step = p->step * sound, duration = (double)p->steps * step;
    dr_scene *scene = NULL;
    dr_lab_meeting m;
    dr_status status = make_scene(p, duration, &scene, error);
    if (!status) status = dr_lab_meeting_run(lab, NULL, scene, duration, FRAMES, step, &m, error);
    if (status) return status;
    for (int i = 1; i <= 5; i++) sum += tension(p, &m, -i) / 5.0;
    dr_lab_expect_share(lab, "tension_ratio", NULL, sum / weight(p), exp(p->mu * 2.0 * DR_PI * p->turns), 0.01);
    dr_lab_meeting_show(lab, &m);
    dr_lab_meeting_forget(&m);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_capstan = {"capstan", "a strand pulled around a cylinder against a weight", &table, run};
