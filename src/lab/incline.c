// A strand on a slope: on a plane, or across two others that lie along it. It slides where tan(angle) > mu, and then
// with g (sin(angle) - mu cos(angle)). A film that holds by its yield stress adds to what presses it on a plane.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/meeting.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/sheet_incline.h"

#include <math.h>
#include <stdio.h>

enum { STRAND_PLANE, STRAND_STRAND, SHEET_PLANE, SHEET_SHEET };
static const char *const pairs[] = {"strand-plane", "strand-strand", "sheet-plane", "sheet-sheet", NULL};

typedef struct parameters {
    double mu, angle, adhesion, length, radius, density, youngs_modulus, gravity, step, duration;
    int64_t segments;
    int pair;
} parameters;

static const dr_field rows[] = {
    ROW_REAL(parameters, mu, DR_UNIT_NONE, "0.3", 0.0, 10.0, "Coefficient of friction."),
    ROW_REAL(parameters, angle, DR_UNIT_NONE, "25", 0.0, 80.0, "Of the slope, in degrees."),
    ROW_REAL(parameters, adhesion, DR_UNIT_NONE, "0", 0.0, 100.0,
             "Of a strand on a plane, by the yield stress of its film, over its weight."),
    ROW_CHOICE(parameters, pair, pairs, "strand-plane", "What slides on what."),
    ROW_COUNT(parameters, segments, "12", 4, 500, "Edges of the strand."),
    ROW_REAL(parameters, length, DR_UNIT_LENGTH, "2 cm", 1e-3, 1e3, "Of the strand."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "0.02 cm", 1e-6, 10.0, "Of all strands."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1.3 g/cm3", 1e-4, 1e3, "Of all strands."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e10 dyn/cm2", 1.0, 1e15, "Of all strands."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(parameters, step, DR_UNIT_TIME, "1 ms", 1e-7, 1.0, "Step."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "0.06 s", 1e-5, 10.0, "Simulated time."),
};
static const dr_table table = ROW_TABLE("incline", parameters, rows);

#define HEAD                                                                                                           \
    "title: a strand on a slope\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\ncontact: {tolerance: 1e-7, sweeps: "   \
    "3000}\nmaterials: [{name: fibre, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: %.17g, friction: "    \
    "%.17g}%s]\n"

// Places are given along and across the slope (and to the side) and turned into the world's by hand.
static void turn(double angle, double along, double above, double out[2])
{
    out[0] = along * cos(angle) + above * sin(angle);
    out[1] = -along * sin(angle) + above * cos(angle);
}

#define SLIDES       1e-3 // of gravity: what is slower counts as held
#define FILM         0.2  // of the radius, high
#define FILM_DENSITY 1e-3 // g/cm3

// A film that weighs next to nothing and holds with 3/4 pi r sqrt(2/3) Y per length.
static void describe_film(const parameters *p, char *material, size_t material_room, char *film, size_t film_room)
{
    double r = p->radius, h = FILM * r; // its own weight presses and pulls too
    double weight = DR_PI * (r * r * p->density + FILM_DENSITY * h * (h + 2.0 * r)) * p->gravity;
    double yield = p->adhesion * weight / (0.75 * DR_PI * r * sqrt(2.0 / 3.0));
    material[0] = film[0] = 0;
    if (!(p->adhesion > 0.0)) return;
    snprintf(material, material_room,
             ", {name: liquid, kind: liquid, density: %.17g, surface_tension: 0, shear_modulus: %.17g, yield_stress: "
             "%.17g, consistency: 1e-6, flow_index: 1}",
             FILM_DENSITY, 100.0 * yield, yield);
    snprintf(film, film_room, ", film_material: liquid, film_height: %.17g, film_drips: none", h);
}

static dr_status on_plane(const parameters *p, dr_scene **scene, dr_error *error)
{
    double a = p->angle * DR_DEGREE, from[2], to[2];
    char material[256], film[128];
    describe_film(p, material, sizeof material, film, sizeof film);
    turn(a, 0.0, p->radius, from);
    turn(a, p->length, p->radius, to);
    return dr_lab_scene_text(scene, error,
                             HEAD "colliders: [{name: slope, shape: {type: half_space, normal: [%.17g, %.17g, 0]}, "
                                  "boundary: separate, friction: %.17g}]\n"
                                  "strands: [{name: slider, material: fibre, type: line, start: [%.17g, %.17g, 0], "
                                  "end: [%.17g, %.17g, 0], vertices: %d, root: free%s}]\n",
                             -p->gravity, p->length, p->density, p->youngs_modulus, p->radius, p->mu, material, sin(a),
                             cos(a), p->mu, from[0], from[1], to[0], to[1], (int)p->segments + 1, film);
}

// Rails of three edges, clamped at both ends, are held as a whole.
#define RAIL                                                                                                           \
    "  - {name: %s, material: fibre, type: line, start: [%.17g, %.17g, %.17g], end: [%.17g, %.17g, %.17g], "           \
    "vertices: "                                                                                                       \
    "4, tip: clamped}\n"

static dr_status on_rails(const parameters *p, dr_scene **scene, dr_error *error)
{
    double a = p->angle * DR_DEGREE, way = 0.6 * p->gravity * p->duration * p->duration + p->length;
    double back[2], front[2], at[2], side = 0.25 * p->length;
    turn(a, -0.1 * way, 0.0, back);
    turn(a, way, 0.0, front);
    turn(a, 0.0, 2.0 * p->radius, at);
    return dr_lab_scene_text(scene, error,
                             HEAD "strands:\n"
                                  "  - {name: slider, material: fibre, type: line, start: [%.17g, %.17g, %.17g], end: "
                                  "[%.17g, %.17g, %.17g], vertices: %d, root: free}\n" RAIL RAIL,
                             -p->gravity, p->length, p->density, p->youngs_modulus, p->radius, p->mu, "", at[0], at[1],
                             -0.5 * p->length, at[0], at[1], 0.5 * p->length, (int)p->segments + 1, "left", back[0],
                             back[1], -side, front[0], front[1], -side, "right", back[0], back[1], side, front[0],
                             front[1], side);
}

// The second difference over two halves of the second part of the run: exact for constant acceleration.
static double acceleration(const parameters *p, const dr_lab_meeting *m, int frames)
{
    double a = p->angle * DR_DEGREE, place[3] = {0};
    int part = (frames - 2) / 2, at[3] = {frames - 2 * part, frames - part, frames};
    for (int i = 0; i < 3; i++) {
        for (size_t v = 0; v <= (size_t)p->segments; v++) {
            const double *x = dr_lab_meeting_vertex(m, at[i], v);
            place[i] += (x[0] * cos(a) - x[1] * sin(a)) / (double)(p->segments + 1);
        }
    }
    double time = p->duration * part / frames;
    return (place[2] - 2.0 * place[1] + place[0]) / (time * time * p->gravity);
}

// Sheets are pulled ever more until they slide; whether they do at the angle asked for follows.
static dr_status run_sheet(dr_lab *lab, const parameters *p, dr_error *error)
{
    double critical = 0.0, expected = atan(p->mu) / DR_DEGREE;
    dr_status status =
        (p->pair == SHEET_PLANE ? dr_lab_sheet_incline : dr_lab_sheet_on_sheet)(lab, p->mu, &critical, error);
    if (status) return status;
    dr_lab_expect(lab, "critical_angle", "deg", critical, expected, 0.5);
    dr_lab_expect(lab, "slides", NULL, p->angle > critical, p->angle > expected, 0.0);
    return DR_STATUS_OK;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    enum { FRAMES = 12 };
    const parameters *p = values;
    dr_scene *scene = NULL;
    dr_lab_meeting m;
    double a = p->angle * DR_DEGREE, adhesion = p->pair == STRAND_PLANE ? p->adhesion : 0.0;
    double expected = fmax(0.0, sin(a) - p->mu * (cos(a) + adhesion));
    if (p->pair == SHEET_PLANE || p->pair == SHEET_SHEET) return run_sheet(lab, p, error);
    dr_status status = (p->pair == STRAND_PLANE ? on_plane : on_rails)(p, &scene, error);
    if (!status) status = dr_lab_meeting_run(lab, NULL, scene, p->duration, FRAMES, p->step, &m, error);
    if (status) return status;
    double measured = acceleration(p, &m, FRAMES);
    if (expected > 0.0)
        dr_lab_expect_share(lab, "acceleration_over_g", NULL, measured, expected, 0.01);
    else
        dr_lab_expect(lab, "acceleration_over_g", NULL, measured, 0.0, 1e-3);
    dr_lab_expect(lab, "slides", NULL, measured > SLIDES, expected > SLIDES, 0.0);
    dr_lab_meeting_show(lab, &m);
    dr_lab_meeting_forget(&m);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_incline = {"incline", "a strand on a slope of a plane or of strands", &table, run};
