// Two fibres side by side, joined by a bridge, have unlike films: liquid flows across until they are alike. For a small
// difference its rate is 4 M A P'(A) / d^2 with the mobility M = (r^2 + 4 b r)/(8 mu), the section A of the bridge and
// its pressure P(A), from menisci drawn here. docs/theory/film.md, eq. (25)-(28).
#include "lab/cases.h"
#include "lab/film.h"
#include "lab/meniscus.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/number.h"

#include <math.h>

typedef struct parameters {
    double fibre_radius, distance, area, difference, surface_tension, contact_angle, viscosity, density, slip;
    int contact;
    int64_t edges, steps;
} parameters;

static const char *const models[] = {"penalty", "cone", NULL};

static const dr_field rows[] = {
    ROW_REAL(parameters, fibre_radius, DR_UNIT_LENGTH, "0.0037 cm", 1e-5, 0.1, "Of the fibres."),
    ROW_REAL(parameters, distance, DR_UNIT_NONE, "2.3", 2.0, 10.0, "Of the axes, over the radius; films must touch."),
    ROW_REAL(parameters, area, DR_UNIT_NONE, "3", 1e-3, 100.0, "Section of the liquid of both, over radius squared."),
    ROW_REAL(parameters, difference, DR_UNIT_NONE, "0.02", 1e-6, 1.0, "Of both sections, over their sum."),
    ROW_REAL(parameters, surface_tension, DR_UNIT_SURFACE_TENSION, "72 dyn/cm", 1e-3, 1e4, "Of the liquid."),
    ROW_REAL(parameters, contact_angle, DR_UNIT_ANGLE, "30 deg", 0.0, 1.4, "Of the liquid on the fibres."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "0.0089 P", 1e-6, 1e6, "Of the liquid."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-2, 1e2, "Of the liquid."),
    ROW_REAL(parameters, slip, DR_UNIT_LENGTH, "0 cm", 0.0, 1.0, "Slip length."),
    ROW_CHOICE(parameters, contact, models, "penalty", "Model of contact."),
    ROW_COUNT(parameters, edges, "40", 8, 10000, "Of a fibre."),
    ROW_COUNT(parameters, steps, "200", 20, 1000000, "How many, over two times of decay."),
};
static const dr_table table = ROW_TABLE("film-across", parameters, rows);

#define LENGTH 100.0 // of the fibres, radii
#define DECAYS 2.0   // times of decay that are looked at

// Area and pressure of the bridge over radius and surface tension, where it wets up to alpha.
static double pressure_at(const parameters *p, double alpha, double *area)
{
    *area = dr_lab_meniscus_draw(0.5 * p->distance, p->contact_angle, alpha).area;
    return -sin(0.5 * DR_PI - alpha - p->contact_angle) / (0.5 * p->distance - cos(alpha));
}

static double expected_rate(const parameters *p)
{
    double r = p->fibre_radius, step = 1e-4, area[2], pressure[2], top = DR_PI - p->contact_angle - 1e-4;
    double alpha = dr_lab_meniscus_angle(0.5 * p->distance, p->contact_angle, p->area, 1e-3, top);
    for (int i = 0; i < 2; i++) pressure[i] = pressure_at(p, alpha + (i ? step : -step), &area[i]);
    double slope = p->surface_tension / (r * r * r) * (pressure[1] - pressure[0]) / (area[1] - area[0]);
    return 4.0 * (r * r + 4.0 * p->slip * r) / (8.0 * p->viscosity) * p->area / (p->distance * p->distance) * slope;
}

#define FIBRE                                                                                                          \
    "  - {name: %s, material: fibre, type: line, start: [%.17g, 0, 0], end: [%.17g, %.17g, 0], vertices: %d, "         \
    "tip: clamped, contact: %s, film_height: %.17g, film_beads: no, film_drips: none, film_slip: %.17g, "              \
    "film_material: liquid}\n"

static dr_status make_scene(const parameters *p, dr_scene **scene, dr_error *error)
{
    double r = p->fibre_radius, half = 0.5 * p->distance * r, length = LENGTH * r, height[2];
    for (int i = 0; i < 2; i++) {
        double area = 0.5 * p->area * (1.0 + (i ? p->difference : -p->difference));
        height[i] = r * (sqrt(area / DR_PI + 1.0) - 1.0);
    }
    const char *model = models[p->contact];
    int vertices = (int)p->edges + 1;
    return dr_lab_scene_text(
        scene, error,
        "title: liquid flows from fibre to fibre\ngravity: [0, 0, 0]\ndomain: {cell: %.17g}\n"
        "contact: {bridge_flow: yes}\nmaterials:\n"
        "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e14, radius: %.17g}\n"
        "  - {name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: %.17g, contact_angle: "
        "%.17g rad}\n"
        "strands:\n" FIBRE FIBRE,
        length, r, p->density, p->viscosity, p->surface_tension, p->contact_angle, "left", -half, -half, length,
        vertices, model, height[0], p->slip, "right", half, half, length, vertices, model, height[1], p->slip);
}

// The difference of the sections of both fibres in their middle.
static double difference(const parameters *p, const dr_lab_film *film, int frame)
{
    double section[2], r = p->fibre_radius;
    for (size_t i = 0; i < 2; i++) {
        double h = dr_lab_film_height(film, frame, i * ((size_t)p->edges + 1) + (size_t)p->edges / 2);
        section[i] = DR_PI * h * (h + 2.0 * r);
    }
    return section[1] - section[0];
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double rate = expected_rate(p), time = DECAYS / rate;
    if (!(rate > 0.0))
        return dr_error_add(error, DR_STATUS_BAD_ARGUMENT, "film-across: there is no bridge of that section");
    dr_scene *scene = NULL;
    dr_lab_film film;
    dr_status status = make_scene(p, &scene, error);
    if (!status) status = dr_lab_film_run(lab, NULL, scene, time, 10, time / (double)p->steps, &film, error);
    if (status) return status;
    double drift = 0.0, first = difference(p, &film, 1), last = difference(p, &film, film.frames - 1);
    double measured = log(first / last) / (film.time[film.frames - 1] - film.time[1]);
    for (size_t k = 0; k < film.steps; k++) drift = fmax(drift, fabs(film.step[k].film / film.step[0].film - 1.0));
    dr_lab_expect_share(lab, "rate", "1/s", measured, rate, 0.01);
    dr_lab_expect(lab, "volume_drift", NULL, drift, 0.0, 1e-13);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_across = {"film-across", "liquid flows from fibre to fibre through a bridge", &table,
                                        run};
