// Cloth on the grid: processor time of explicit steps per particle, of implicit ones per vertex and iteration beside
// what moving their numbers through memory costs alone, memory per particle, and what contact adds: the same triangles
// in a pile and flat.
#include "lab/bench_whole.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "drench/world.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

typedef struct parameters {
    int64_t triangles, curtain, pile, steps;
    bool threads;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, triangles, "1140000", 200, 100000000, "Of the twister, explicit steps."),
    ROW_COUNT(parameters, curtain, "1780000", 200, 100000000, "Of the curtain, implicit and explicit steps."),
    ROW_COUNT(parameters, pile, "100000", 200, 100000000, "Of cloth in ten layers and flat."),
    ROW_COUNT(parameters, steps, "5", 1, 1000, "Steps of which the median is taken; three more come first."),
    ROW_SWITCH(parameters, threads, "false", "Also the gain of two threads over one, steps in turn."),
};
static const dr_table table = ROW_TABLE("codim", parameters, rows);

// ---- worlds that are watched

typedef struct ledger {
    double live;
} ledger;

static void *count_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    const dr_allocator *standard = dr_allocator_default();
    void *fresh = standard->resize(standard->user, block, old_bytes, new_bytes);
    if (new_bytes == 0 || fresh) ((ledger *)user)->live += (double)new_bytes - (block ? (double)old_bytes : 0.0);
    return fresh;
}

typedef struct run {
    double seconds;   // CPU, of a step, the median
    double particles; // vertices and triangles
    double vertices;
    double bytes;      // of all memory
    double iterations; // products with the matrix in the steps, all of them
    double all;        // CPU seconds of those steps
    double solving;    // of those, seconds in the systems
} run;

enum { WARM = 3, MOST_STEPS = 1000 };

static double products(const dr_report *report)
{
    for (int i = 0; i < report->solve_count; i++) {
        if (strcmp(report->solves[i].name, "cloth inner") == 0) return report->solves[i].iterations;
    }
    return 0.0;
}

static dr_status time_steps(dr_lab *lab, dr_world *world, int64_t steps, run *out, dr_error *error)
{
    double values[MOST_STEPS];
    for (int64_t i = -WARM; i < steps && !dr_lab_stopped(lab); i++) {
        double begin = dr_clock_cpu();
        dr_status status = dr_world_step(world, 1e6, error);
        if (status != DR_STATUS_OK) return status;
        if (i < 0) continue;
        values[i] = dr_clock_cpu() - begin;
        out->all += values[i];
        out->iterations += products(dr_world_report(world));
        out->solving += world->cloth.solve.seconds;
    }
    out->seconds = dr_lab_median(values, steps);
    return DR_STATUS_OK;
}

static void count_particles(dr_world *world, run *out)
{
    dr_frame frame;
    dr_error error = {0};
    if (dr_world_view(world, &frame, &error) != DR_STATUS_OK) return;
    for (int i = 0; i < frame.part_count; i++) {
        if (strcmp(frame.parts[i].name, "cloth") != 0) continue;
        out->vertices = (double)frame.parts[i].point_count;
    }
}

static dr_status time_scene(dr_lab *lab, dr_scene *scene, double triangles, int64_t steps, run *out, dr_error *error)
{
    ledger book = {0};
    const dr_allocator allocator = {&book, count_resize};
    dr_world_options options = {.threads = dr_lab_threads(lab), .allocator = &allocator};
    dr_world *world = NULL;
    *out = (run){0};
    dr_status status = dr_world_create(scene, &options, &world, error);
    dr_scene_destroy(scene);
    if (status != DR_STATUS_OK) return status;
    status = time_steps(lab, world, steps, out, error);
    out->bytes = book.live;
    count_particles(world, out);
    out->particles = out->vertices + triangles;
    dr_world_destroy(world);
    return status;
}

// ---- scenes: edges as long as cells

#define HEAD                                                                                                           \
    "gravity: [0, -981, 0]\ndomain: {cell: 1}\ntime: {integrator: %s}\n"                                               \
    "materials: [{name: rag, preset: cloth twister}]\n"

static dr_status make_twister(int64_t triangles, const char *bending, dr_scene **scene, dr_error *error)
{
    double side = floor(sqrt(0.5 * (double)triangles));
    return dr_lab_scene_text(
        scene, error,
        "title: cloth twister\n" HEAD
        "cloths: [{name: sheet, material: rag, bending: %s, type: rectangle, axis: [0, 0, 1], pattern: "
        "one_diagonal, edge: 1, width: %.17g, depth: %.17g, holds: [{name: top, edge: top, motion: "
        "[{type: spin, rate: 0.5 rev/s}]}, {name: bottom, edge: bottom, motion: [{type: spin, "
        "rate: -0.5 rev/s}]}]}]\n",
        "explicit", bending, side, side);
}

static dr_status make_curtain(int64_t triangles, const char *integrator, const char *bending, dr_scene **scene,
                              dr_error *error)
{
    double side = floor(sqrt(0.5 * (double)triangles));
    return dr_lab_scene_text(scene, error,
                             "title: curtain\n" HEAD
                             "cloths: [{name: sheet, material: rag, bending: %s, type: rectangle, axis: [0, 0, 1], "
                             "pattern: one_diagonal, edge: 1, width: %.17g, depth: %.17g, "
                             "holds: [{name: top, edge: top}]}]\n",
                             integrator, bending, side, side);
}

// Layers half a cell apart press each other from the first step on.
static dr_status make_pile(int64_t triangles, int layers, dr_scene **scene, dr_error *error)
{
    double side = floor(sqrt(0.5 * (double)triangles / layers));
    return dr_lab_scene_text(scene, error,
                             "title: pile\n" HEAD
                             "cloths: [{name: sheet, material: rag, type: rectangle, pattern: one_diagonal, edge: 1, "
                             "width: %.17g, depth: %.17g, layers: %d, spacing: 0.5}]\n",
                             "explicit", side, side, layers);
}

// ---- what they say

static dr_status time_twister(dr_lab *lab, const parameters *p, const char *bending, run *out, dr_error *error)
{
    dr_scene *scene = NULL;
    dr_status status = make_twister(p->triangles, bending, &scene, error);
    return status ? status : time_scene(lab, scene, (double)p->triangles, p->steps, out, error);
}

// The paper's cloth resists stretch, shear and contact alone: that is what is held against its figures. The plate comes
// beside it.
static dr_status run_explicit(dr_lab *lab, const parameters *p, dr_error *error)
{
    run r, plate;
    dr_status status = time_twister(lab, p, "none", &r, error);
    if (!status) status = time_twister(lab, p, "plate", &plate, error);
    if (status) return status;
    dr_lab_expect(lab, "explicit_per_particle", "CPU us", 1e6 * r.seconds / r.particles, 0.0, 1.0 / 7.0);
    dr_lab_expect(lab, "bytes_per_particle", "B", r.bytes / r.particles, 0.0, 250.0);
    dr_lab_measure(lab, "particle_steps_per_second", "1/s", r.particles / r.seconds);
    dr_lab_measure(lab, "twister_step", "CPU s", r.seconds);
    dr_lab_measure(lab, "plate_per_particle", "CPU us", 1e6 * plate.seconds / plate.particles);
    dr_lab_measure(lab, "plate_bytes_per_particle", "B", plate.bytes / plate.particles);
    return DR_STATUS_OK;
}

// Seconds that a byte takes through memory: reads two arrays, writes one, each far larger than the caches.
static double time_byte(void)
{
    size_t count = (size_t)1 << 24;
    float *a = dr_memory_alloc(NULL, count * sizeof *a), *b = dr_memory_alloc(NULL, count * sizeof *b);
    double best = INFINITY;
    for (int turn = 0; turn < 5 && a && b; turn++) {
        double begin = dr_clock_cpu();
        for (size_t i = 0; i < count; i++) a[i] += 0.5F * b[i];
        best = fmin(best, (dr_clock_cpu() - begin) / (3.0 * (double)(count * sizeof *a)));
    }
    if (a) dr_memory_free(NULL, a, count * sizeof *a);
    if (b) dr_memory_free(NULL, b, count * sizeof *b);
    return best;
}

// What one iteration for a hanging cloth reads and writes, bytes per vertex: block rows (seven blocks and columns);
// bending (two triangles: corners, normal, levers twice, guesses three times, shares, stiffness, four times the places
// across; six corners of triangles with their normals); weights of 27 nodes from both sides; three nodes; fifteen times
// a vector.
#define BYTES_OF_ROWS (7.0 * (36.0 + 4.0))
#define BYTES_OF_BENDING                                                                                               \
    (2.0 * (12.0 + 16.0 + 2.0 * 24.0 + 3.0 * 36.0 + 36.0 + 24.0 + 4.0 * 12.0) + 6.0 * 4.0 + 2.0 * 16.0)
#define BYTES_OF_WEIGHTS  (2.0 * 27.0 * 8.0 + 3.0 * 36.0)
#define BYTES_PER_PRODUCT (BYTES_OF_ROWS + BYTES_OF_BENDING + BYTES_OF_WEIGHTS + 15.0 * 16.0)

static dr_status run_curtain(dr_lab *lab, const parameters *p, dr_error *error)
{
    dr_scene *scene = NULL;
    run r;
    dr_status status = make_curtain(p->curtain, "explicit", "none", &scene, error);
    if (!status) status = time_scene(lab, scene, (double)p->curtain, p->steps, &r, error);
    if (status) return status;
    dr_lab_expect(lab, "curtain_step", "CPU s", r.seconds, 0.0, 0.30 * (double)p->curtain / 1.78e6);
    status = make_curtain(p->curtain, "implicit", "hinges", &scene, error);
    if (!status) status = time_scene(lab, scene, (double)p->curtain, p->steps, &r, error);
    if (status) return status;
    double hinges = 1e6 * r.solving / (r.vertices * r.iterations);
    status = make_curtain(p->curtain, "implicit", "plate", &scene, error);
    if (!status) status = time_scene(lab, scene, (double)p->curtain, p->steps, &r, error);
    if (status) return status;
    double all = r.vertices * r.iterations, each = 1e6 * r.solving / all;
    dr_lab_expect(lab, "implicit_per_vertex_and_iteration", "CPU us", each, 0.0, 0.15);
    dr_lab_measure(lab, "hinges_per_vertex_and_iteration", "CPU us", hinges);
    dr_lab_compare(lab, "implicit_beside_memory", "CPU us", each, 1e6 * BYTES_PER_PRODUCT * time_byte());
    dr_lab_measure(lab, "implicit_whole_step", "CPU us/vertex/iteration", 1e6 * r.all / all);
    dr_lab_measure(lab, "implicit_iterations", "", r.iterations / (double)p->steps);
    dr_lab_measure(lab, "implicit_step", "CPU s", r.seconds);
    return DR_STATUS_OK;
}

static dr_status run_pile(dr_lab *lab, const parameters *p, dr_error *error)
{
    run flat, pile;
    dr_scene *scene = NULL;
    dr_status status = make_pile(p->pile, 1, &scene, error);
    if (!status) status = time_scene(lab, scene, (double)p->pile, p->steps, &flat, error);
    if (!status) status = make_pile(p->pile, 10, &scene, error);
    if (!status) status = time_scene(lab, scene, (double)p->pile, p->steps, &pile, error);
    if (status) return status;
    double ratio = pile.seconds / pile.particles / (flat.seconds / flat.particles);
    dr_lab_expect(lab, "pile_over_flat", "", fmax(ratio, 1.0), 1.0, 0.15);
    return DR_STATUS_OK;
}

static dr_status make_explicit(const void *user, dr_scene **scene, dr_error *error)
{
    return make_twister(((const parameters *)user)->triangles, "none", scene, error);
}

static dr_status make_implicit(const void *user, dr_scene **scene, dr_error *error)
{
    return make_curtain(((const parameters *)user)->curtain, "implicit", "plate", scene, error);
}

static dr_status run_threads(dr_lab *lab, const parameters *p, dr_error *error)
{
    const dr_bench_whole quick = {.make = make_explicit, .user = p, .warm_up = WARM};
    const dr_bench_whole slow = {.make = make_implicit, .user = p, .warm_up = WARM};
    if (!p->threads) return DR_STATUS_OK;
    dr_status status = dr_bench_whole_gain(lab, &quick, "explicit_two_threads", error);
    return status ? status : dr_bench_whole_gain(lab, &slow, "implicit_two_threads", error);
}

static dr_status run_all(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    dr_status status = run_explicit(lab, p, error);
    if (!status && !dr_lab_stopped(lab)) status = run_curtain(lab, p, error);
    if (!status && !dr_lab_stopped(lab)) status = run_pile(lab, p, error);
    if (!status && !dr_lab_stopped(lab)) status = run_threads(lab, p, error);
    return status;
}

const dr_lab_case dr_lab_codim = {"codim", "steps of cloth on the grid, explicit and implicit", &table, run_all};
