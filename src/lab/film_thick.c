// Films of thick liquids on a fibre: how fast they come down, below which height they stay, how fast a strand has to
// turn to throw them off. docs/theory/film.md, eq. (20)-(24).
#include "lab/cases.h"
#include "lab/film.h"
#include "lab/parts.h"
#include "lab/rows.h"
#include "lab/thick_material.h"

#include "base/number.h"
#include "world/world.h"

#include <math.h>

static const char *const materials[] = {DR_LAB_THICK_NAMES};

#define FIBRE                                                                                                          \
    "materials:\n"                                                                                                     \
    "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e13, radius: %.17g}\n"                               \
    "  - %s\n"

static const char hanging[] =
    "title: a thick film on a fibre\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\n" FIBRE "strands:\n"
    "  - {name: fibre, material: fibre, type: line, start: [0, 0, 0], end: [0, -%.17g, 0], vertices: %d, root: "
    "clamped, "
    "tip: clamped, contact: none, film_material: liquid, film_height: %.17g, film_slip: %.17g, film_beads: no, "
    "film_drips: none}\n";

typedef struct coat {
    dr_lab_shear shear;
    double density, radius, height, slip, pull;
} coat;

static double area_of(const coat *c)
{
    return DR_PI * c->height * (c->height + 2.0 * c->radius);
}

// The mean speed of the annulus under its weight, by its profile: stress rho a (H^2 - s^2)/(2 s).
static double annular_speed(const coat *c)
{
    enum { PARTS = 20000 };
    double H = c->radius + c->height, step = c->height / PARTS, u = 0.0, sum = 0.0, wall = 0.0;
    for (int i = 0; i <= PARTS; i++) {
        double s = i == PARTS ? c->radius : c->radius + (i + 0.5) * step;
        double over = c->density * c->pull * (H * H - s * s) / (2.0 * s) - c->shear.yield;
        double rate = over > 0.0 ? pow(over / c->shear.consistency, 1.0 / c->shear.index) : 0.0;
        if (i == PARTS)
            wall = c->slip * rate;
        else
            sum += 2.0 * DR_PI * s * (u + 0.5 * step * rate) * step;
        u += step * rate;
    }
    return sum / area_of(c) + wall;
}

enum { STEPS = 400 }; // a strand that was set in motion at once has come to turn evenly

// The fastest that the film of a scene is in the last of so many steps, or in the middle of its strand.
static dr_status find_speed(dr_lab *lab, const dr_scene *scene, int64_t steps, double step, bool only_middle,
                            double *speed, dr_error *error)
{
    dr_world_options options = {.threads = dr_lab_threads(lab)};
    dr_world *world = NULL;
    dr_status status = dr_world_create(scene, &options, &world, error);
    *speed = 0.0;
    for (int64_t i = 0; i < steps && !status; i++) {
        status = dr_world_step(world, 2.0 * (double)steps * step, error);
        *speed = 0.0;
        size_t count = !status ? world->state.film.vertices : 0;
        for (size_t v = only_middle ? count / 2 : 0; v < (only_middle ? count / 2 + 1 : count) && count > 0; v++)
            *speed = fmax(*speed, fabs(world->state.film.velocity[v]));
    }
    dr_world_destroy(world);
    return status;
}

// ---- film-terminal

typedef struct terminal {
    double fibre_radius, film_height, slip, gravity;
    int64_t edges;
    int material;
} terminal;

static const dr_field terminal_rows[] = {
    ROW_CHOICE(terminal, material, materials, "drilling mud", "Which liquid."),
    ROW_REAL(terminal, fibre_radius, DR_UNIT_LENGTH, "0.05 cm", 1e-6, 10.0, "Of the fibre."),
    ROW_REAL(terminal, film_height, DR_UNIT_LENGTH, "0.02 cm", 1e-6, 10.0, "Of the film."),
    ROW_REAL(terminal, slip, DR_UNIT_LENGTH, "2e-4 cm", 0.0, 1.0, "Slip length."),
    ROW_REAL(terminal, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Along the fibre."),
    ROW_COUNT(terminal, edges, "60", 20, 2000, "Of the fibre."),
};
static const dr_table terminal_table = ROW_TABLE("film-terminal", terminal, terminal_rows);

static dr_status make_hanging(const coat *c, const dr_material_spec *material, double length, int vertices,
                              dr_scene **scene, dr_error *error)
{
    char text[512];
    dr_lab_thick_text(material, "liquid", text, sizeof text);
    return dr_lab_scene_text(scene, error, hanging, -c->pull, 0.1 * length, c->radius, text, length, vertices,
                             c->height, c->slip);
}

static dr_status run_terminal(dr_lab *lab, const void *values, dr_error *error)
{
    const terminal *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    coat c = {dr_lab_thick_shear(&material), material.density, p->fibre_radius, p->film_height, p->slip, p->gravity};
    double expected = annular_speed(&c), settling = fmax(expected / p->gravity / c.shear.index, 1e-4), speed = 0.0;
    double duration = 20.0 * settling, length = fmax(10.0 * duration * expected, 40.0 * (c.radius + c.height));
    dr_scene *scene = NULL;
    dr_status status = make_hanging(&c, &material, length, (int)p->edges + 1, &scene, error);
    if (!status) {
        dr_lab_scene_time(scene, 2.0 * duration, 1, duration / STEPS);
        status = find_speed(lab, scene, STEPS, duration / STEPS, true, &speed, error);
    }
    dr_scene_destroy(scene);
    if (status) return status;
    if (expected > 0.0)
        dr_lab_expect_share(lab, "speed", "cm/s", speed, expected, 0.05);
    else
        dr_lab_expect(lab, "speed", "cm/s", speed, 0.0, 0.0);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_terminal = {"film-terminal", "a thick film comes down a fibre at its speed",
                                          &terminal_table, run_terminal};

// ---- film-yield

typedef struct yielding {
    double fibre_radius, gravity, step;
    int64_t edges, steps;
    int material;
} yielding;

static const dr_field yielding_rows[] = {
    ROW_CHOICE(yielding, material, materials, "drilling mud", "Which liquid."),
    ROW_REAL(yielding, fibre_radius, DR_UNIT_LENGTH, "0.005 cm", 1e-6, 10.0, "Of the fibre."),
    ROW_REAL(yielding, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Along the fibre."),
    ROW_REAL(yielding, step, DR_UNIT_TIME, "1 ms", 1e-6, 0.1, "Step size."),
    ROW_COUNT(yielding, edges, "20", 4, 2000, "Of the fibre."),
    ROW_COUNT(yielding, steps, "10000", 1, 10000000, "For which a film just below stays."),
};
static const dr_table yielding_table = ROW_TABLE("film-yield", yielding, yielding_rows);

static dr_status try_height(dr_lab *lab, const yielding *p, double height, int64_t steps, double *speed,
                            dr_error *error)
{
    dr_material_spec material = dr_lab_thick_material(p->material);
    coat c = {{0}, material.density, p->fibre_radius, height, 2e-4, p->gravity};
    dr_scene *scene = NULL;
    dr_status status = make_hanging(&c, &material, 0.1 * (double)p->edges, (int)p->edges + 1, &scene, error);
    if (!status) {
        dr_lab_scene_time(scene, 2.0 * (double)steps * p->step, 1, p->step);
        status = find_speed(lab, scene, steps, p->step, false, speed, error);
    }
    dr_scene_destroy(scene);
    return status;
}

static dr_status try_few_steps(dr_lab *lab, const void *values, double height, double *speed, dr_error *error)
{
    return try_height(lab, values, height, 3, speed, error);
}

// Between where a film stays and where it flows, by halves.
typedef dr_status (*attempt)(dr_lab *lab, const void *values, double at, double *speed, dr_error *error);

static dr_status bisect(dr_lab *lab, const void *values, attempt try, int times, double *stays, double *flows,
                        dr_error *error)
{
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < times && !status; i++) {
        double middle = 0.5 * (*stays + *flows), speed = 0.0;
        status = try(lab, values, middle, &speed, error);
        *(speed > 0.0 ? flows : stays) = middle;
    }
    return status;
}

static dr_status run_yielding(dr_lab *lab, const void *values, dr_error *error)
{
    const yielding *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    double r = p->fibre_radius, yield = dr_lab_thick_shear(&material).yield, speed = 0.0;
    double expected = sqrt(r * r + 2.0 * r * yield / (material.density * p->gravity)) - r;
    double low = 0.5 * expected, high = 2.0 * expected;
    dr_status status = bisect(lab, p, try_few_steps, 20, &low, &high, error);
    if (!status) status = try_height(lab, p, 0.999 * low, p->steps, &speed, error);
    if (status) return status;
    dr_lab_expect_share(lab, "critical_height", "cm", 0.5 * (low + high), expected, 0.002);
    dr_lab_expect(lab, "speed_below", "cm/s", speed, 0.0, 0.0);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_yield = {"film-yield", "below which height a thick film stays on a vertical fibre",
                                       &yielding_table, run_yielding};

// ---- film-yield-spin

typedef struct spinning {
    double fibre_radius, film_height, length, step;
    int64_t edges;
    int material;
} spinning;

static const dr_field spinning_rows[] = {
    ROW_CHOICE(spinning, material, materials, "milk cream", "Which liquid."),
    ROW_REAL(spinning, fibre_radius, DR_UNIT_LENGTH, "0.05 cm", 1e-6, 10.0, "Of the strand."),
    ROW_REAL(spinning, film_height, DR_UNIT_LENGTH, "0.02 cm", 1e-6, 10.0, "Of the film."),
    ROW_REAL(spinning, length, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e3, "Of the strand, from the axis."),
    ROW_REAL(spinning, step, DR_UNIT_TIME, "0.1 ms", 1e-7, 0.1, "Step size."),
    ROW_COUNT(spinning, edges, "40", 4, 2000, "Of the strand."),
};
static const dr_table spinning_table = ROW_TABLE("film-yield-spin", spinning, spinning_rows);

static dr_status try_rate(dr_lab *lab, const void *values, double rate, double *speed, dr_error *error)
{
    const spinning *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    char text[512];
    dr_lab_thick_text(&material, "liquid", text, sizeof text);
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a thick film on a strand that turns\ngravity: [0, 0, 0]\ndomain: {cell: %.17g}\n" FIBRE "colliders:\n"
        "  - {name: hub, shape: {type: sphere, center: [0, 0, 0], radius: %.17g}, motion: [{type: spin, axis: [0, 0, "
        "1], rate: %.17g}]}\n"
        "strands:\n"
        "  - {name: fibre, material: fibre, type: line, start: [0, 0, 0], end: [%.17g, 0, 0], vertices: %d, bound_to: "
        "hub, contact: none, film_material: liquid, film_height: %.17g, film_slip: 2e-4 cm, film_beads: no, "
        "film_drips: none}\n",
        0.1 * p->length, p->fibre_radius, text, 0.1 * p->length / (double)p->edges, rate, p->length, (int)p->edges + 1,
        p->film_height);
    if (!status) {
        dr_lab_scene_time(scene, 2.0 * STEPS * p->step, 1, p->step);
        status = find_speed(lab, scene, STEPS, p->step, false, speed, error);
    }
    dr_scene_destroy(scene);
    return status;
}

// The outermost edge yields first, where the film's weight in the turning is largest.
static dr_status run_spinning(dr_lab *lab, const void *values, dr_error *error)
{
    const spinning *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    coat c = {dr_lab_thick_shear(&material), material.density, p->fibre_radius, p->film_height, 0.0, 0.0};
    double x = p->length * (1.0 - 0.5 / (double)p->edges);
    double expected = sqrt(2.0 * DR_PI * c.radius * c.shear.yield / (c.density * area_of(&c) * x));
    double low = 0.25 * expected, high = 4.0 * expected;
    dr_status status = bisect(lab, p, try_rate, 16, &low, &high, error);
    if (status) return status;
    dr_lab_expect_share(lab, "critical_rate", "rad/s", 0.5 * (low + high), expected, 0.01);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_yield_spin = {"film-yield-spin", "how fast a strand turns when a thick film leaves it",
                                            &spinning_table, run_spinning};

// ---- pull-off

typedef struct parting {
    double radius, film_height, length, step;
    int64_t edges;
    int material;
} parting;

static const dr_field parting_rows[] = {
    ROW_CHOICE(parting, material, materials, "milk cream", "Which liquid."),
    ROW_REAL(parting, radius, DR_UNIT_LENGTH, "0.005 cm", 1e-6, 10.0, "Of both strands."),
    ROW_REAL(parting, film_height, DR_UNIT_LENGTH, "0.005 cm", 1e-7, 10.0, "Of the film on each."),
    ROW_REAL(parting, length, DR_UNIT_LENGTH, "1 cm", 1e-3, 1e3, "Of both."),
    ROW_REAL(parting, step, DR_UNIT_TIME, "0.1 ms", 1e-7, 0.1, "Step size."),
    ROW_COUNT(parting, edges, "6", 3, 500, "Of the one that is drawn; the other has three."),
};
static const dr_table parting_table = ROW_TABLE("pull-off", parting, parting_rows);

// Two strands side by side, one of three edges, clamped at both ends and so held as a whole, gravity drawing the other
// away: how far apart they are after some steps.
static dr_status try_pull(dr_lab *lab, const parting *p, double pull, double *away, dr_error *error)
{
    dr_material_spec material = dr_lab_thick_material(p->material);
    char text[512];
    dr_lab_thick_text(&material, "liquid", text, sizeof text);
    dr_scene *scene = NULL;
    dr_world *world = NULL;
    dr_world_options options = {.threads = dr_lab_threads(lab)};
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a strand is drawn off another\ngravity: [%.17g, 0, 0]\ndomain: {cell: %.17g}\ncontact: {tolerance: "
        "1e-8, sweeps: 3000}\n" FIBRE "strands:\n"
        "  - {name: held, material: fibre, type: line, start: [0, 0, 0], end: [0, %.17g, 0], vertices: 4, tip: "
        "clamped, film_material: liquid, film_height: %.17g, film_beads: no, film_drips: none}\n"
        "  - {name: drawn, material: fibre, type: line, start: [%.17g, 0, 0], end: [%.17g, %.17g, 0], vertices: %d, "
        "root: free, film_material: liquid, film_height: %.17g, film_beads: no, film_drips: none}\n",
        pull, p->length, p->radius, text, p->length, p->film_height, 2.0 * p->radius, 2.0 * p->radius, p->length,
        (int)p->edges + 1, p->film_height);
    if (!status) {
        dr_lab_scene_time(scene, 2.0 * p->step, 1, p->step);
        status = dr_world_create(scene, &options, &world, error);
    }
    if (!status) status = dr_world_step(world, 2.0 * p->step, error);
    *away = 0.0;
    for (size_t v = 4; !status && v < world->state.strands.vertices; v++)
        *away += world->state.strands.velocity[3 * v] * world->state.strands.mass[v];
    dr_world_destroy(world);
    dr_scene_destroy(scene);
    return status;
}

// Drawn with half of what the film's yield stress holds it stays; drawn with twice that it has the momentum of what is
// beyond.
static dr_status run_parting(dr_lab *lab, const void *values, dr_error *error)
{
    const parting *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    coat c = {{0}, material.density, p->radius, p->film_height, 0.0, 0.0};
    double own = 1.3 * DR_PI * p->radius * p->radius, mass = own + c.density * area_of(&c), away = 0.0, stays = 0.0;
    double expected = 0.75 * DR_PI * p->radius * sqrt(2.0 / 3.0) * material.yield_stress;
    double pull = 2.0 * expected / mass, kept = p->length * own * pull * p->step;
    dr_status status = try_pull(lab, p, pull, &away, error);
    if (!status) status = try_pull(lab, p, 0.25 * pull, &stays, error);
    if (status) return status;
    dr_lab_expect_share(lab, "pull", "dyn/cm", mass * pull * (1.0 - away / kept), expected, 1e-3);
    dr_lab_expect(lab, "momentum_below", NULL, stays / kept, 0.0, 1e-3);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_pull_off = {"pull-off", "two strands that a thick film's yield stress holds together",
                                     &parting_table, run_parting};
