// Films on strands that move: turned about the root, free in space, hanging at a slant. docs/theory/film.md.
#include "lab/cases.h"
#include "lab/film.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/number.h"

#include <float.h>
#include <math.h>

// ---- film-spin, film-coriolis: a straight strand turns about its root, the film flies off its tip

typedef struct spinning {
    double rate, length, time, area, radius, step;
    int64_t edges;
} spinning;

static const dr_field spinning_rows[] = {
    ROW_REAL(spinning, rate, DR_UNIT_ANGULAR_SPEED, "6.283185307179586 rad/s", 1e-3, 1e4, "Of the turning."),
    ROW_REAL(spinning, length, DR_UNIT_LENGTH, "4.7 cm", 0.1, 1e3, "Of the strand."),
    ROW_REAL(spinning, time, DR_UNIT_TIME, "0.3 s", 1e-4, 1e3, "When it is measured."),
    ROW_REAL(spinning, area, DR_UNIT_AREA, "1e-3 cm2", 1e-9, 1.0, "Cross-section of the film at the start."),
    ROW_REAL(spinning, radius, DR_UNIT_LENGTH, "0.05 cm", 1e-4, 1.0, "Of the strand."),
    ROW_REAL(spinning, step, DR_UNIT_TIME, "0.5 ms", 1e-6, 0.1, "Step size."),
    ROW_COUNT(spinning, edges, "100", 10, 2000, "Of the strand."),
};
static const dr_table spin_table = ROW_TABLE("film-spin", spinning, spinning_rows);
static const dr_table coriolis_table = ROW_TABLE("film-coriolis", spinning, spinning_rows);

#define SPUN_MODULUS 1e13 // of the strand that turns, dyn/cm2
#define SPUN_DENSITY 1.3  // g/cm3

// No friction, no surface tension: drops leave the tip as liquid comes there. The strand starts at rest on a hub that
// turns already: its slowest vibration is damped within its own period, whatever the step.
static dr_status make_spin(const spinning *p, dr_scene **scene, dr_error *error)
{
    double edge = p->length / (double)p->edges, r = p->radius, height = sqrt(r * r + p->area / DR_PI) - r;
    double slowest = 3.516 / (p->length * p->length) * 0.5 * r * sqrt(SPUN_MODULUS / SPUN_DENSITY);
    return dr_lab_scene_text(
        scene, error,
        "title: a film on a strand that turns\ngravity: [0, 0, 0]\ndomain: {cell: %.17g}\n"
        "materials:\n"
        "  - {name: fibre, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: %.17g, damping: %.17g}\n"
        "  - {name: liquid, kind: liquid, density: 1, viscosity: 0, surface_tension: 0}\n"
        "colliders:\n"
        "  - {name: hub, shape: {type: sphere, center: [0, 0, 0], radius: %.17g}, motion: [{type: spin, axis: [0, 0, "
        "1], rate: %.17g}]}\n"
        "strands:\n"
        "  - {name: fibre, material: fibre, type: line, start: [0, 0, 0], end: [%.17g, 0, 0], vertices: %d, bound_to: "
        "hub, contact: none, film_material: liquid, film_height: %.17g, film_drips: tips}\n",
        0.5 * edge, SPUN_DENSITY, SPUN_MODULUS, r, SPUN_MODULUS / (3.0 * slowest), 0.25 * edge, p->rate, p->length,
        (int)p->edges + 1, height);
}

static dr_status run_spin(dr_lab *lab, const void *values, dr_error *error)
{
    const spinning *p = values;
    dr_scene *scene = NULL;
    dr_lab_film film;
    dr_status status = make_spin(p, &scene, error);
    if (!status) status = dr_lab_film_run(lab, NULL, scene, p->time, 10, p->step, &film, error);
    if (status) return status;
    const dr_lab_film_step *last = &film.step[film.steps - 1];
    double all = p->area * p->length;
    dr_lab_expect(lab, "fraction_left", NULL, last->film / all, 1.0 / cosh(p->rate * p->time),
                  0.01 / cosh(p->rate * p->time));
    dr_lab_expect(lab, "volume_drift", NULL,
                  fabs(last->film + last->drained - film.step[0].film - film.step[0].drained) / all, 0.0, 1e-12);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_spin = {"film-spin", "a film flies off a strand that turns about its root", &spin_table,
                                      run_spin};

// The torque that the hub needs, over some steps about the time; the strand's own inertia takes none.
static dr_status measure_torque(const spinning *p, const dr_scene *scene, int threads, double *torque, dr_error *error)
{
    enum { STEPS = 20 };
    static const double origin[3] = {0};
    dr_world_options options = {.threads = threads, .loads = true};
    dr_world *world = NULL;
    dr_status status = dr_world_create(scene, &options, &world, error);
    *torque = 0.0;
    if (!status) status = dr_world_advance(world, p->time - 0.5 * STEPS * p->step, error);
    for (int i = 0; i < STEPS && !status; i++) {
        dr_load load;
        status = dr_world_step(world, p->time + STEPS * p->step, error);
        if (!status) status = dr_world_load(world, 0, origin, &load, error);
        if (!status) *torque -= load.torque[2] / STEPS;
    }
    dr_world_destroy(world);
    return status;
}

static dr_status run_coriolis(dr_lab *lab, const void *values, dr_error *error)
{
    const spinning *p = values;
    double wt = p->rate * p->time, torque;
    double expected = 2.0 * p->area * p->rate * p->rate * pow(p->length, 3) * tanh(wt) / (3.0 * cosh(wt));
    dr_scene *scene = NULL;
    dr_lab_film film;
    dr_status status = make_spin(p, &scene, error);
    if (status) return status;
    dr_lab_scene_time(scene, 2.0 * p->time, 20, p->step);
    status = measure_torque(p, scene, dr_lab_threads(lab), &torque, error);
    if (!status)
        status = dr_lab_film_run(lab, NULL, scene, p->time, 10, p->step, &film, error); // for whoever wants to see it
    else
        dr_scene_destroy(scene);
    if (status) return status;
    dr_lab_expect_share(lab, "root_torque", "dyn cm", torque, expected, 0.02);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_coriolis = {"film-coriolis", "the torque that a film flying off asks of the root",
                                          &coriolis_table, run_coriolis};

// ---- film-arc, film-energy

typedef struct arc {
    double step, surface_tension, viscosity, youngs_modulus, fibre_density;
    int64_t edges, steps;
} arc;

#define ARC_ROWS(modulus, density)                                                                                     \
    ROW_COUNT(arc, edges, "40", 6, 2000, "Of the strand."),                                                            \
        ROW_REAL(arc, step, DR_UNIT_TIME, "1 ms", 1e-6, 0.1, "Step size."),                                            \
        ROW_REAL(arc, surface_tension, DR_UNIT_SURFACE_TENSION, "72 dyn/cm", 0.0, 1e6, "Of the liquid."),              \
        ROW_REAL(arc, viscosity, DR_UNIT_VISCOSITY, "0.0089 P", 0.0, 1e6, "Of the liquid."),                           \
        ROW_COUNT(arc, steps, "200", 1, 100000, "How many."),                                                          \
        ROW_REAL(arc, youngs_modulus, DR_UNIT_PRESSURE, modulus, 1e3, 1e14, "Of the strand."),                         \
        ROW_REAL(arc, fibre_density, DR_UNIT_DENSITY, density, 1e-3, 100.0, "Of the strand."),
static const dr_field arc_rows[] = {ARC_ROWS("3.9e10 dyn/cm2", "1.3 g/cm3")};
static const dr_field slant_rows[] = {ARC_ROWS("1.047e10 dyn/cm2", "1.32 g/cm3")};
static const dr_table arc_table = ROW_TABLE("film-arc", arc, arc_rows);
static const dr_table energy_table = ROW_TABLE("film-energy", arc, slant_rows);

static dr_status make_arc(const arc *p, dr_scene **scene, dr_error *error)
{
    return dr_lab_scene_text(
        scene, error,
        "title: a blob of film on a free arc\ngravity: [0, 0, 0]\ndomain: {cell: 0.1}\n"
        "materials:\n"
        "  - {name: fibre, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: 0.005}\n"
        "  - {name: liquid, kind: liquid, density: 1, viscosity: %.17g, surface_tension: %.17g}\n"
        "strands:\n"
        "  - {name: fibre, material: fibre, type: arc, center: [0, 0, 0], radius: 0.005, root_radius: 1, axis: [0, 0, "
        "1], sweep: 150 deg, vertices: %d, root: free, contact: none, film_material: liquid, film_height: 0.03, "
        "film_from: 0.2, film_to: 0.35, film_drips: none}\n",
        p->fibre_density, p->youngs_modulus, p->viscosity, p->surface_tension, (int)p->edges + 1);
}

static double largest_change(const dr_lab_film *film, bool angular)
{
    double most = 0.0;
    for (size_t k = 0; k < film->steps; k++) {
        const double *now = angular ? film->step[k].angular : film->step[k].linear;
        most = fmax(most, dr_lab_norm(now));
    }
    return most;
}

// Magnitudes added: the momentum that the kinetic energy would have in one direction; arms are about one. Velocities
// are differences of places, of about one too, over the step: a hundred roundings of these are allowed besides.
static dr_status run_arc(dr_lab *lab, const void *values, dr_error *error)
{
    const arc *p = values;
    dr_scene *scene = NULL;
    dr_lab_film film;
    dr_status status = make_arc(p, &scene, error);
    if (!status) status = dr_lab_film_run(lab, NULL, scene, (double)p->steps * p->step, 10, p->step, &film, error);
    if (status) return status;
    double added = 0.0, part = 1e-12;
    for (size_t k = 0; k < film.steps; k++) added = fmax(added, sqrt(2.0 * film.step[k].kinetic * film.step[k].mass));
    added += 100.0 * DBL_EPSILON * film.step[0].mass / p->step / part;
    part *= fmax(1.0, (double)p->steps / 2000.0);
    dr_lab_expect(lab, "linear_drift", NULL, largest_change(&film, false) / added, 0.0, part);
    dr_lab_expect(lab, "angular_drift", NULL, largest_change(&film, true) / added, 0.0, part);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_arc = {"film-arc", "a blob of film on a free curved strand keeps momentum", &arc_table,
                                     run_arc};

static dr_status make_slant(const arc *p, dr_scene **scene, dr_error *error)
{
    return dr_lab_scene_text(
        scene, error,
        "title: film on a strand at a slant\ndomain: {cell: 0.1}\n"
        "materials:\n"
        "  - {name: fibre, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: 0.0037}\n"
        "  - {name: liquid, kind: liquid, density: 1, viscosity: %.17g, surface_tension: %.17g}\n"
        "strands:\n"
        "  - {name: fibre, material: fibre, type: line, start: [0, 0, 0], end: [3.3234, -3.3234, 0], vertices: %d, "
        "contact: none, film_material: liquid, film_height: 0.05, film_from: 0.07, film_to: 0.25, film_drips: none}\n",
        p->fibre_density, p->youngs_modulus, p->viscosity, p->surface_tension, (int)p->edges + 1);
}

static dr_status run_energy(dr_lab *lab, const void *values, dr_error *error)
{
    const arc *p = values;
    dr_scene *scene = NULL;
    dr_lab_film film;
    dr_status status = make_slant(p, &scene, error);
    if (!status) status = dr_lab_film_run(lab, NULL, scene, (double)p->steps * p->step, 10, p->step, &film, error);
    if (status) return status;
    double start = film.step[0].energy, rise = 0.0, fall = 0.0, once = 0.0;
    for (size_t k = 0; k < film.steps; k++) {
        rise = fmax(rise, film.step[k].energy - start);
        fall = fmax(fall, start - film.step[k].energy);
        if (k > 0) once = fmax(once, film.step[k].energy - film.step[k - 1].energy);
    }
    dr_lab_expect(lab, "energy_gain", NULL, rise / film.step[0].magnitude, 0.0, 1e-4);
    dr_lab_measure(lab, "energy_loss", NULL, fall / film.step[0].magnitude);
    dr_lab_measure(lab, "rise_in_a_step", NULL, once / film.step[0].magnitude);
    dr_lab_film_forget(&film);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_energy = {"film-energy", "film on a strand at a slant: energy never rises", &energy_table,
                                        run_energy};
