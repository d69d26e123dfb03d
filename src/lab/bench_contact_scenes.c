// Whole steps of strands in contact: processor time of a step and of a vertex, how many steps converged.
#include "lab/bench_contact.h"
#include "lab/parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "math/random.h"

#include <math.h>
#include <string.h>

#define STEP 1e-3 // s

typedef struct record {
    double settle, begin, end;
    double steps, converged, rejected, iterations, contacts, vertices;
} record;

// The clock runs from the end of the last step that is not measured.
static void watch(void *user, const dr_report *report)
{
    record *r = user;
    double now = dr_clock_cpu();
    if (report->time <= r->settle + 0.5 * STEP) {
        r->begin = r->end = now;
        return;
    }
    if (r->steps == 0.0 && r->begin == 0.0) r->begin = now; // the first step of all only warms up
    r->end = now;
    r->steps += 1.0;
    r->rejected += report->rejected;
    r->contacts = (double)report->contacts;
    r->vertices = (double)report->vertices;
    for (int i = 0; i < report->solve_count; i++) {
        if (strcmp(report->solves[i].name, "contact") != 0) continue;
        r->converged += report->solves[i].reason == DR_REASON_CONVERGED;
        r->iterations += report->solves[i].iterations;
    }
}

static void tell(dr_lab *lab, const record *r)
{
    double cpu = r->end - r->begin;
    if (!(r->steps > 0.0)) return;
    dr_lab_measure(lab, "all", "CPU s", cpu);
    dr_lab_measure(lab, "steps", "", r->steps);
    dr_lab_measure(lab, "step", "CPU s", cpu / r->steps);
    dr_lab_measure(lab, "vertex", "CPU us", 1e6 * cpu / r->steps / r->vertices);
    dr_lab_measure(lab, "converged", "", r->converged / r->steps);
    dr_lab_measure(lab, "rejected", "", r->rejected);
    dr_lab_measure(lab, "sweeps", "", r->iterations / r->steps);
    dr_lab_measure(lab, "contacts", "", r->contacts);
    dr_lab_measure(lab, "vertices", "", r->vertices);
}

static dr_status time_steps(dr_lab *lab, const char *name, dr_scene *scene, const dr_bench_scene *s, dr_error *error)
{
    record r = {.settle = fmax(s->settle, STEP)};
    dr_lab_watch watcher = {.report = watch, .user = &r};
    double until = r.settle + STEP * (double)s->steps;
    dr_lab_scene_time(scene, until, 1, STEP);
    dr_status status = dr_lab_simulate(lab, name, scene, until, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (!status) tell(lab, &r);
    return status;
}

// Yarns with four vertices or more from crossing to crossing, or with one at every crossing, pass over and under each
// other; others lie on those of the other side.
dr_status dr_bench_weave(dr_lab *lab, const dr_bench_scene *s, dr_error *error)
{
    bool one = s->vertices == s->strands, woven = one || s->vertices >= 4 * s->strands;
    double side = 0.1 * ((double)s->strands - (one ? 1.0 : 0.0)), ball = 0.2 * side;
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a ball falls into a weave\n"
        "domain: {cell: 1}\n"
        "materials: [{name: yarn, kind: hair, density: 1.3, youngs_modulus: 1e9, radius: 0.02, friction: 0.3}]\n"
        "strands: [{name: weave, material: yarn, type: weave, width: %.17g, depth: %.17g, spacing: 0.1, amplitude: "
        "%g, woven: %s, yarn_vertices: %d, root: pinned, tip: pinned}]\n"
        "colliders: [{name: ball, shape: {type: sphere, radius: %.17g, center: [0, %.17g, 0]}, friction: 0.3,\n"
        "  motion: [{type: keyframes, keys: [{time: 0, ease: linear}, {time: 1, translate: [0, %.17g, 0]}]}]}]\n",
        side, side, one ? 0.0245 : 0.021, woven ? "yes" : "no", (int)s->vertices, ball, ball + 0.045, -2.0 * side);
    return status ? status : time_steps(lab, "weave", scene, s, error);
}

// Nine side by side in every level, each turned by chance.
static void put_strand(dr_text *text, int index, int vertices)
{
    double turn = 6.283185307179586 * dr_random_unit(17, (uint64_t)index);
    double x = 2.1 * (index % 3 - 1), z = 2.1 * (index / 3 % 3 - 1), y = -1.5 + 0.06 * (index / 9);
    dr_text_print(text,
                  "  - {name: s%d, material: strand, type: line, start: [%.17g, %.17g, %.17g], end: [%.17g, %.17g, "
                  "%.17g], vertices: %d, root: free}\n",
                  index, x - cos(turn), y, z - sin(turn), x + cos(turn), y, z + sin(turn), vertices);
}

dr_status dr_bench_pile(dr_lab *lab, const dr_bench_scene *s, dr_error *error)
{
    dr_scene *scene = NULL;
    dr_text text;
    dr_text_open(&text, NULL);
    dr_text_print(&text,
                  "title: a pile of strands in a bowl\ndomain: {cell: 5}\n"
                  "materials: [{name: strand, kind: hair, density: 1.3, youngs_modulus: 1e9, radius: 0.02, friction: "
                  "0.3}]\n"
                  "colliders: [{name: bowl, shape: {type: difference, of: [{type: box, size: [15, 7.5, 15], center: "
                  "[0, -3.75, 0]}, {type: sphere, radius: 5}]}, boundary: separate, friction: 0.3}]\nstrands:\n");
    for (int i = 0; i < (int)s->strands; i++) put_strand(&text, i, (int)s->vertices);
    dr_status status = text.failed ? dr_error_memory(error, "writing a scene")
                                   : dr_scene_parse(text.data, text.length, "bench", NULL, &scene, error);
    dr_text_close(&text);
    return status ? status : time_steps(lab, "pile", scene, s, error);
}

#define SWEEP_FRAMES 24 // of a second

// Wet hair is swept past a post and back within a second, in steps as they are chosen by default.
dr_status dr_bench_sweep(dr_lab *lab, const dr_bench_scene *s, dr_error *error)
{
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: wet hair is swept past a post\n"
        "domain: {cell: 0.5}\n"
        "strands: [{name: lock, material: hair, type: tuft, count: %d, vertices: %d, length: 12, root_radius: 0.8,\n"
        "  spread: 15 deg, axis: [0, -1, 0], center: [-8, 15, 0], variation: 0.3, film_height: 20 um, film_material: "
        "water,\n"
        "  root_motion: [{type: keyframes, keys: [{time: 0}, {time: 0.5, translate: [16, 0, 0]}, {time: 1}]}]}]\n"
        "colliders: [{name: post, shape: {type: cylinder, axis: z, center: [0, 6, 0], radius: 1, height: 8}, friction: "
        "0.3}]\n"
        "forces: [{name: breeze, type: wind, velocity: [0, 0, 100], rate: 2}]\n",
        (int)s->strands, (int)s->vertices);
    if (status) return status;
    record r = {.settle = -1.0, .begin = dr_clock_cpu()};
    dr_lab_watch watcher = {.report = watch, .user = &r};
    dr_lab_scene_time(scene, 1.0, SWEEP_FRAMES, 0.0);
    status = dr_lab_simulate(lab, "sweep", scene, s->settle > 0.0 ? s->settle : 1.0, &watcher, NULL, error);
    dr_scene_destroy(scene);
    if (!status) tell(lab, &r);
    return status;
}
