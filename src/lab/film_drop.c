// A drop slides down a strand that was thrown sideways: it falls as a stone does, what it brings along leaves the
// strand's motion as it is, and it is the drop that it is on a strand at rest. docs/theory/film.md, eq. (5)-(6), (12).
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/number.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sliding {
    double speed, gravity, time, length, fibre_radius, film_height, density, surface_tension, step;
    int64_t edges;
} sliding;

static const dr_field sliding_rows[] = {
    ROW_REAL(sliding, speed, DR_UNIT_SPEED, "20 cm/s", 1e-3, 1e4, "At which the strand is thrown, across itself."),
    ROW_REAL(sliding, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1.0, 1e6, "Along the strand."),
    ROW_REAL(sliding, time, DR_UNIT_TIME, "0.05 s", 1e-4, 10.0, "When it is measured."),
    ROW_REAL(sliding, length, DR_UNIT_LENGTH, "4.7 cm", 0.1, 1e3, "Of the strand."),
    ROW_REAL(sliding, fibre_radius, DR_UNIT_LENGTH, "0.005 cm", 1e-5, 0.1, "Of the strand."),
    ROW_REAL(sliding, film_height, DR_UNIT_LENGTH, "0.05 cm", 1e-6, 1.0, "Of the drop."),
    ROW_REAL(sliding, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-2, 1e2, "Of the liquid."),
    ROW_REAL(sliding, surface_tension, DR_UNIT_SURFACE_TENSION, "72 dyn/cm", 0.0, 1e4, "Of it, where nothing falls."),
    ROW_REAL(sliding, step, DR_UNIT_TIME, "1 ms", 1e-6, 0.1, "Step size."),
    ROW_COUNT(sliding, edges, "41", 10, 2000, "Of the strand."),
};
#define FIBRE 1.3 // density of the strand, g/cm3

static const dr_table table = ROW_TABLE("film-drop", sliding, sliding_rows);

// fall: the strand is borne by a force at its upper end, and the drop slides down it without surface tension; otherwise
// nothing falls, and the surface moves the liquid. Nothing holds the strand.
static dr_status make_drop(const sliding *p, double speed, bool fall, dr_scene **scene, dr_error *error)
{
    double weight = FIBRE * DR_PI * p->fibre_radius * p->fibre_radius * p->length * p->gravity;
    return dr_lab_scene_text(
        scene, error,
        "title: a drop on a strand that is thrown sideways\ngravity: [0, -%.17g, 0]\ndomain: {cell: 0.1}\n"
        "materials:\n"
        "  - {name: fibre, kind: hair, density: %g, youngs_modulus: 1e13, radius: %.17g}\n"
        "  - {name: liquid, kind: liquid, density: %.17g, viscosity: 0, surface_tension: %g}\n"
        "strands:\n"
        "  - {name: fibre, material: fibre, type: line, start: [0, -%.17g, 0], end: [0, 0, 0], vertices: %d, root: "
        "free, tip_force: [0, %.17g, 0], velocity: [%.17g, 0, 0], contact: none, film_material: liquid, film_height: "
        "%.17g, film_from: 0.7, film_to: 0.9, film_drips: none}\n",
        fall ? p->gravity : 0.0, FIBRE, p->fibre_radius, p->density, fall ? 0.0 : p->surface_tension, p->length,
        (int)p->edges + 1, fall ? weight : 0.0, speed, p->film_height);
}

// Sideways momentum of strand and film, and the middle of the film along the strand.
static double momentum_of(const dr_world *world, double *middle)
{
    const dr_film *film = &world->state.film;
    const dr_strands *strands = &world->state.strands;
    double density = world->constants.strand_kinds[0].law.density, sum = 0.0, along = 0.0, all = 0.0;
    for (size_t v = 0; v < film->vertices; v++) {
        double mass = strands->mass[v] + density * film->volume[v];
        sum += mass * strands->velocity[3 * v] + film->impulse[3 * v];
        along -= film->volume[v] * strands->position[3 * v + 1];
        all += film->volume[v];
    }
    if (middle) *middle = along / all;
    return sum;
}

typedef struct slid {
    double way, slowest, fastest; // of the film along the strand
    double aside, lost;           // largest change of the strand's speed over it, of sideways momentum over its own
    double *volume;               // [vertex] at the end
    size_t vertices;
} slid;

static void look(const dr_world *world, double speed, double start, slid *out)
{
    const dr_strands *strands = &world->state.strands;
    for (size_t v = 0; v < strands->vertices && speed > 0.0; v++)
        out->aside = fmax(out->aside, fabs(strands->velocity[3 * v] / speed - 1.0));
    if (speed > 0.0) out->lost = fmax(out->lost, fabs(momentum_of(world, NULL) / start - 1.0));
}

// Edges with a millionth of the largest cell on both sides are wet.
static void measure_speed(const dr_world *world, slid *out)
{
    const dr_film *film = &world->state.film;
    double most = 0.0;
    out->slowest = INFINITY;
    for (size_t v = 0; v < film->vertices; v++) most = fmax(most, film->volume[v]);
    for (size_t e = 1; e + 2 < film->vertices; e++) {
        if (film->volume[e] < 1e-6 * most || film->volume[e + 1] < 1e-6 * most) continue;
        out->slowest = fmin(out->slowest, -film->velocity[e]);
        out->fastest = fmax(out->fastest, -film->velocity[e]);
    }
}

static dr_status slide(dr_lab *lab, const sliding *p, double speed, bool fall, slid *out, dr_error *error)
{
    dr_world_options options = {.threads = dr_lab_threads(lab)};
    dr_scene *scene = NULL;
    dr_world *world = NULL;
    *out = (slid){0};
    dr_status status = make_drop(p, speed, fall, &scene, error);
    if (!status) dr_lab_scene_time(scene, p->time, 10, p->step);
    if (!status) status = dr_world_create(scene, &options, &world, error);
    double begin, end, start = !status ? momentum_of(world, &begin) : 0.0;
    while (!status && dr_world_report(world)->time < p->time * (1.0 - 1e-9)) {
        status = dr_world_step(world, p->time, error);
        if (!status) look(world, speed, start, out);
    }
    if (!status) {
        size_t n = world->state.film.vertices;
        momentum_of(world, &end);
        out->way = end - begin;
        measure_speed(world, out);
        out->volume = malloc(n * sizeof *out->volume);
        out->vertices = n;
        if (out->volume) memcpy(out->volume, world->state.film.volume, n * sizeof *out->volume);
        if (!out->volume) status = dr_error_memory(error, "watching a drop");
    }
    dr_world_destroy(world);
    dr_scene_destroy(scene);
    return status;
}

// The largest difference of two drops, over their largest cell.
static double difference(const slid *a, const slid *b)
{
    double most = 0.0, largest = 0.0;
    for (size_t v = 0; v < a->vertices; v++) {
        most = fmax(most, fabs(a->volume[v] - b->volume[v]));
        largest = fmax(largest, a->volume[v]);
    }
    return most / largest;
}

static dr_status show_run(dr_lab *lab, const sliding *p, dr_error *error)
{
    dr_scene *scene = NULL;
    dr_status status = make_drop(p, p->speed, true, &scene, error);
    if (status) return status;
    dr_lab_scene_time(scene, p->time, 10, p->step);
    status = dr_lab_simulate(lab, NULL, scene, p->time, NULL, NULL, error);
    dr_scene_destroy(scene);
    return status;
}

static dr_status run_drop(dr_lab *lab, const void *values, dr_error *error)
{
    const sliding *p = values;
    slid falling = {0}, hanging = {0}, floating = {0}, resting = {0};
    dr_status status = show_run(lab, p, error); // for whoever wants to see it
    if (!status) status = slide(lab, p, p->speed, true, &falling, error);
    if (!status) status = slide(lab, p, 0.0, true, &hanging, error);
    if (!status) status = slide(lab, p, p->speed, false, &floating, error);
    if (!status) status = slide(lab, p, 0.0, false, &resting, error);
    if (!status) {
        double fallen = p->gravity * p->time;
        dr_lab_expect_share(lab, "slowest", "cm/s", falling.slowest, fallen, 1e-5);
        dr_lab_expect_share(lab, "fastest", "cm/s", falling.fastest, fallen, 1e-5);
        dr_lab_expect_share(lab, "way", "cm", falling.way, 0.5 * fallen * p->time, 1e-3);
        dr_lab_expect(lab, "sideways", NULL, fmax(falling.aside, floating.aside), 0.0, 1e-12);
        dr_lab_expect(lab, "momentum_drift", NULL, fmax(falling.lost, floating.lost), 0.0, 1e-12);
        dr_lab_expect(lab, "difference", NULL, fmax(difference(&falling, &hanging), difference(&floating, &resting)),
                      0.0, 1e-12);
    }
    free(falling.volume);
    free(hanging.volume);
    free(floating.volume);
    free(resting.volume);
    return status;
}

const dr_lab_case dr_lab_film_drop = {"film-drop", "a drop slides down a strand that moves and stays itself", &table,
                                      run_drop};
