// Strands fall across each other into a bowl and come to rest. In every step all pairs of edges are looked
// at for crossings of their centre lines, from the places before and after alone; the bowl is looked at vertex by
// vertex.
#include "lab/cases.h"
#include "lab/crossings.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

typedef struct parameters {
    double bowl, length, radius, density, youngs_modulus, mu, step, duration;
    int64_t strands, vertices;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, strands, "300", 2, 100000, "How many; the full pile has 2000."),
    ROW_COUNT(parameters, vertices, "30", 3, 1000, "Of each."),
    ROW_REAL(parameters, bowl, DR_UNIT_LENGTH, "5 cm", 1e-2, 1e3, "Radius of the bowl."),
    ROW_REAL(parameters, length, DR_UNIT_LENGTH, "2 cm", 1e-2, 1e3,
             "Of a strand, at most 0.4 of the radius of the bowl."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "0.02 cm", 1e-5, 1.0, "Of a strand."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1.3 g/cm3", 1e-4, 1e3, "Of the strands."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e9 dyn/cm2", 1.0, 1e15, "Of the strands."),
    ROW_REAL(parameters, mu, DR_UNIT_NONE, "0.3", 0.0, 10.0, "Coefficient of friction."),
    ROW_REAL(parameters, step, DR_UNIT_TIME, "2 ms", 1e-6, 0.1, "Step."),
    ROW_REAL(parameters, duration, DR_UNIT_TIME, "0.8 s", 1e-3, 100.0, "Simulated time."),
};
static const dr_table table = ROW_TABLE("pile", parameters, rows);

#define STILL 1e-3 // of the largest kinetic energy

typedef struct record {
    const parameters *p;
    double *before, *after;
    int *first;
    size_t vertices;
    int strands;
    int64_t crossings, through, steps, held, unconverged, contacts, frames;
    double kinetic, largest_kinetic, residual;
    bool failed;
} record;

// ---- the scene

// Nine side by side in every level, each turned by chance; levels as near as they can be without touching.
static void put_strand(dr_text *text, const parameters *p, int index)
{
    double l = p->length, turn = 6.283185307179586 * dr_random_unit(17, (uint64_t)index);
    double x = 1.05 * l * (index % 3 - 1), z = 1.05 * l * (index / 3 % 3 - 1),
           y = -0.3 * p->bowl + 3.0 * p->radius * (index / 9);
    double along[2] = {0.5 * l * cos(turn), 0.5 * l * sin(turn)};
    dr_text_print(
        text,
        "  - {name: strand_%d, material: strand, type: line, start: [%.17g, %.17g, %.17g], end: [%.17g, %.17g, "
        "%.17g], vertices: %d, root: free}\n",
        index, x - along[0], y, z - along[1], x + along[0], y, z + along[1], (int)p->vertices);
}

static dr_status make_scene(const parameters *p, dr_scene **scene, dr_error *error)
{
    dr_text text;
    dr_text_open(&text, NULL);
    dr_text_print(
        &text,
        "title: a pile of strands in a bowl\ndomain: {cell: %.17g}\ntime: {retries: 20}\n"
        "contact: {tolerance: 1e-2, sweeps: 500, bends: 4}\n"
        "materials: [{name: strand, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: %.17g, friction: "
        "%.17g}]\n"
        "colliders: [{name: bowl, shape: {type: difference, of: [{type: box, size: [%.17g, %.17g, %.17g], center: "
        "[0, %.17g, 0]}, {type: sphere, radius: %.17g}]}, boundary: separate, friction: %.17g}]\nstrands:\n",
        p->bowl, p->density, p->youngs_modulus, p->radius, p->mu, 3.0 * p->bowl, 1.5 * p->bowl, 3.0 * p->bowl,
        -0.75 * p->bowl, p->bowl, p->mu);
    for (int i = 0; i < (int)p->strands; i++) put_strand(&text, p, i);
    dr_status status = text.failed ? dr_error_memory(error, "writing a scene")
                                   : dr_scene_parse(text.data, text.length, "case", NULL, scene, error);
    dr_text_close(&text);
    return status;
}

// ---- watching

static bool make_room(record *r, const dr_frame_part *part)
{
    r->vertices = part->point_count;
    r->strands = (int)part->element_count;
    r->before = dr_memory_alloc(NULL, 3 * r->vertices * sizeof *r->before);
    r->after = dr_memory_alloc(NULL, 3 * r->vertices * sizeof *r->after);
    r->first = dr_memory_alloc(NULL, ((size_t)r->strands + 1) * sizeof *r->first);
    if (!r->before || !r->after || !r->first) return false;
    for (int s = 0; s <= r->strands; s++) r->first[s] = (int)part->index[s];
    return true;
}

static void forget(record *r)
{
    dr_memory_free(NULL, r->before, 3 * r->vertices * sizeof *r->before);
    dr_memory_free(NULL, r->after, 3 * r->vertices * sizeof *r->after);
    dr_memory_free(NULL, r->first, ((size_t)r->strands + 1) * sizeof *r->first);
}

// Below the rim and outside the ball that the bowl is hollowed by.
static int64_t count_through(const record *r)
{
    int64_t count = 0;
    for (size_t v = 0; v < r->vertices; v++) {
        const double *x = r->after + 3 * v;
        count += x[1] < 0.0 && dr_lab_norm(x) > r->p->bowl;
    }
    return count;
}

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    for (int i = 0; i < frame->part_count && !r->failed; i++) {
        const dr_frame_part *part = &frame->parts[i];
        if (strcmp(part->name, "strands") != 0) continue;
        if (!r->before && !make_room(r, part)) r->failed = true;
        if (r->failed) return;
        const dr_frame_array *position = dr_frame_find(part, "position");
        memcpy(r->before, r->after, 3 * r->vertices * sizeof *r->before);
        for (size_t v = 0; v < r->vertices; v++) {
            for (int a = 0; a < 3; a++) r->after[3 * v + (size_t)a] = dr_lab_item(position, v, a);
        }
        if (r->frames++ > 0) {
            long crossings = dr_crossings_count(r->before, r->after, r->first, r->strands);
            r->failed = crossings < 0;
            r->crossings += crossings;
            r->through += count_through(r);
        }
    }
}

static void watch_report(void *user, const dr_report *report)
{
    record *r = user;
    r->steps = report->step;
    r->held += report->held;
    r->kinetic = report->energy_kinetic;
    r->largest_kinetic = fmax(r->largest_kinetic, report->energy_kinetic);
    if (report->contacts > r->contacts) r->contacts = report->contacts;
    for (int i = 0; i < report->solve_count; i++) {
        const dr_solve_report *solve = &report->solves[i];
        if (strcmp(solve->name, "contact") != 0) continue;
        r->residual = solve->residual;
        r->unconverged += solve->reason != DR_REASON_CONVERGED;
    }
}

static void judge(dr_lab *lab, const record *r)
{
    dr_lab_expect(lab, "crossings", NULL, (double)r->crossings, 0.0, 0.0);
    dr_lab_expect(lab, "through_bowl", NULL, (double)r->through, 0.0, 0.0);
    dr_lab_expect(lab, "kinetic_energy_left", NULL, r->kinetic / r->largest_kinetic, 0.0, STILL);
    dr_lab_measure(lab, "contacts", NULL, (double)r->contacts);
    dr_lab_measure(lab, "contact_residual", NULL, r->residual);
    dr_lab_measure(lab, "steps", NULL, (double)r->steps);
    dr_lab_measure(lab, "unconverged_steps", NULL, (double)r->unconverged);
    dr_lab_measure(lab, "strands_held", NULL, (double)r->held);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    record r = {.p = p};
    dr_lab_watch watcher = {.frame = watch_frame, .report = watch_report, .user = &r};
    dr_scene *scene = NULL;
    dr_status status = make_scene(p, &scene, error);
    if (status) return status;
    int frames = (int)ceil(p->duration / p->step - 1e-9); // every step is looked at
    dr_lab_scene_time(scene, p->duration, frames, p->step);
    status = dr_lab_simulate(lab, NULL, scene, p->duration, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (!status && r.failed) status = dr_error_memory(error, "counting crossings");
    if (!status) judge(lab, &r);
    forget(&r);
    return status;
}

const dr_lab_case dr_lab_pile = {"pile", "strands fall into a bowl: none passes through another", &table, run};
