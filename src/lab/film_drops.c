// Drops that leave strands: from a tip, from along a strand that is level, under many times gravity.
// docs/theory/film.md.
#include "lab/cases.h"
#include "lab/film.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/number.h"
#include "film/flow.h"

#include <math.h>

typedef struct dripping {
    double fibre_radius, surface_tension, density, viscosity, gravity, cell;
} dripping;

static const dr_field dripping_rows[] = {
    ROW_REAL(dripping, fibre_radius, DR_UNIT_LENGTH, "0.0037 cm", 1e-5, 0.1, "Of the fibre."),
    ROW_REAL(dripping, surface_tension, DR_UNIT_SURFACE_TENSION, "72 dyn/cm", 1e-3, 1e4, "Of the liquid."),
    ROW_REAL(dripping, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-2, 1e2, "Of the liquid."),
    ROW_REAL(dripping, viscosity, DR_UNIT_VISCOSITY, "0.0089 P", 0.0, 1e3, "Of the liquid."),
    ROW_REAL(dripping, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1.0, 1e6, "Downwards."),
    ROW_REAL(dripping, cell, DR_UNIT_LENGTH, "0.1 cm", 1e-3, 10.0, "Of the liquid's grid."),
};
static const dr_table tip_table = ROW_TABLE("drip-tip", dripping, dripping_rows);
static const dr_table level_table = ROW_TABLE("drip-horizontal", dripping, dripping_rows);

#define LIQUID                                                                                                         \
    "title: %s\ngravity: [0, -%.17g, 0]\ndomain: {cell: %.17g}\n"                                                      \
    "materials:\n"                                                                                                     \
    "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: %.17g, damping: %.17g, radius: %.17g}\n"              \
    "  - {name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: %.17g}\n"

// How long film of that height takes to fall that far, freely and then by friction.
static double falling_time(const dripping *p, double height, double length)
{
    double r = p->fibre_radius, area = DR_PI * height * (height + 2.0 * r);
    double slow = p->viscosity * area / (p->density * p->gravity * dr_film_mobility(r, height, 0.0));
    return sqrt(length / p->gravity) + length * slow;
}

// The first drop that falls: the first rise of the bulk's volume.
static dr_status run_tip(dr_lab *lab, const void *values, dr_error *error)
{
    const dripping *p = values;
    double expected = 2.0 * DR_PI * p->fibre_radius * p->surface_tension / (p->density * p->gravity);
    double size = cbrt(expected), length = 20.0 * size, height = 0.4 * size,
           time = 4.0 * falling_time(p, height, length);
    dr_scene *scene = NULL;
    dr_lab_film film;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        LIQUID "strands:\n"
               "  - {name: fibre, material: fibre, type: line, start: [0, 0, 0], end: [0, -%.17g, 0], vertices: 41, "
               "contact: none, film_material: liquid, film_height: %.17g, film_from: 0.5, film_to: 0.9, film_drops: "
               "liquid, film_drips: tips}\n",
        "a drop leaves a tip", p->gravity, p->cell, 1e12, 1e8, p->fibre_radius, p->density, p->viscosity,
        p->surface_tension, length, height);
    if (!status) status = dr_lab_film_run(lab, NULL, scene, time, 20, 0.002 * time, &film, error);
    if (status) return status;
    double drop = NAN, total = 0.0;
    for (size_t k = 1; k < film.steps && isnan(drop); k++) {
        double rise = film.step[k].bulk - film.step[k - 1].bulk;
        if (rise > 0.0) drop = rise;
    }
    for (size_t k = 0; k < film.steps; k++)
        total = fmax(total, fabs(film.step[k].bulk + film.step[k].film + film.step[k].drained - film.step[0].film -
                                 film.step[0].bulk - film.step[0].drained));
    dr_lab_expect_share(lab, "drop_volume", "cm3", drop, expected, 0.05);
    dr_lab_expect(lab, "volume_drift", NULL, total / film.step[0].film, 0.0, 1e-12);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_drip_tip = {"drip-tip", "the drop that leaves the tip of a vertical fibre", &tip_table,
                                     run_tip};

// ---- level fibres

typedef struct level {
    const char *title, *drops;
    const dripping *liquid;
    double length, height, from, to;
    int vertices;
} level;

// The fibre is damped so that it does not swing where it is held: what it feels is gravity.
static dr_status make_level(const level *l, dr_scene **scene, dr_error *error)
{
    const dripping *p = l->liquid;
    return dr_lab_scene_text(
        scene, error,
        LIQUID "strands:\n"
               "  - {name: fibre, material: fibre, type: line, start: [0, 0, 0], end: [%.17g, 0, 0], vertices: %d, "
               "tip: clamped, contact: none, film_material: liquid, film_height: %.17g, film_from: %.17g, film_to: "
               "%.17g, film_drops: %s}\n",
        l->title, p->gravity, p->cell, 1e14, 1e12, p->fibre_radius, p->density, p->viscosity, p->surface_tension,
        l->length, l->vertices, l->height, l->from, l->to, l->drops);
}

// Half as much again as is held, on as much of the fibre as holds one drop.
static dr_status run_level(dr_lab *lab, const void *values, dr_error *error)
{
    const dripping *p = values;
    double expected = 4.0 * DR_PI * p->fibre_radius * p->surface_tension / (p->density * p->gravity);
    double reach = cbrt(0.75 * expected / DR_PI), r = p->fibre_radius;
    level l = {.title = "a drop on a level fibre",
               .drops = "liquid",
               .liquid = p,
               .length = 20.0 * reach,
               .height = sqrt(1.5 * expected / (DR_PI * 1.8 * reach) + r * r) - r,
               .from = 0.455,
               .to = 0.545,
               .vertices = 161};
    dr_scene *scene = NULL;
    dr_lab_film film;
    double time = 2.0 * sqrt(reach / p->gravity);
    dr_status status = make_level(&l, &scene, error);
    if (!status) status = dr_lab_film_run(lab, NULL, scene, time, 10, 0.01 * time, &film, error);
    if (status) return status;
    dr_lab_expect_share(lab, "held_volume", "cm3", film.step[film.steps - 1].film, expected, 0.03);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_drip_horizontal = {"drip-horizontal", "what a level fibre holds in one place", &level_table,
                                            run_level};

// ---- shake

typedef struct shaking {
    double fibre_radius, area, acceleration, surface_tension, density;
} shaking;

static const dr_field shaking_rows[] = {
    ROW_REAL(shaking, fibre_radius, DR_UNIT_LENGTH, "0.005 cm", 1e-5, 0.1, "Of the fibre."),
    ROW_REAL(shaking, area, DR_UNIT_AREA, "0.01 cm2", 1e-8, 1.0, "Cross-section of the film at the start."),
    ROW_REAL(shaking, acceleration, DR_UNIT_NONE, "10", 1e-3, 1e4, "Across the fibre, in gravities of 981 cm/s2."),
    ROW_REAL(shaking, surface_tension, DR_UNIT_SURFACE_TENSION, "72 dyn/cm", 1e-3, 1e4, "Of the liquid."),
    ROW_REAL(shaking, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-2, 1e2, "Of the liquid."),
};
static const dr_table shaking_table = ROW_TABLE("shake", shaking, shaking_rows);

static dr_status run_shake(dr_lab *lab, const void *values, dr_error *error)
{
    const shaking *p = values;
    dripping liquid = {p->fibre_radius, p->surface_tension, p->density, 1.0, 981.0 * p->acceleration, 0.1};
    double held = 4.0 * DR_PI * p->fibre_radius * p->surface_tension / (p->density * liquid.gravity);
    double reach = cbrt(0.75 * held / DR_PI), r = p->fibre_radius, expected = fmin(1.0, held / (2.0 * reach) / p->area);
    level l = {.title = "a film that is shaken off",
               .drops = "drained",
               .liquid = &liquid,
               .length = 100.0 * reach,
               .height = sqrt(p->area / DR_PI + r * r) - r,
               .from = 0.0,
               .to = 1.0,
               .vertices = 201};
    dr_scene *scene = NULL;
    dr_lab_film film;
    double step = 0.05 * sqrt(reach / liquid.gravity);
    dr_status status = make_level(&l, &scene, error);
    if (!status) status = dr_lab_film_run(lab, NULL, scene, 40.0 * step, 10, step, &film, error);
    if (status) return status;
    const dr_lab_film_step *last = &film.step[film.steps - 1];
    double all = film.step[0].film + film.step[0].drained;
    dr_lab_expect_share(lab, "fraction_kept", NULL, last->film / all, expected, 0.05);
    dr_lab_expect(lab, "drift", NULL, fabs(last->film + last->drained - all) / all, 0.0, 1e-13);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_shake = {"shake", "what of a film stays on a fibre that is shaken", &shaking_table, run_shake};
