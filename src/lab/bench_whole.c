#include "lab/bench_whole.h"

#include "base/clock.h"
#include "lab/parts.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct totals {
    double stage[DR_STAGE_COUNT], seconds, cpu, particles, cells, iterations;
} totals;

// A world after its warm-up.
static dr_status open_world(const dr_bench_whole *whole, int threads, dr_world **world, dr_error *error)
{
    dr_scene *scene = NULL;
    dr_status status = whole->make(whole->user, &scene, error);
    dr_world_options options = {.threads = threads};
    if (!status) status = dr_world_create(scene, &options, world, error);
    dr_scene_destroy(scene);
    for (int64_t i = 0; i < whole->warm_up && !status; i++) status = dr_world_step(*world, 1e3, error);
    return status;
}

static dr_status step_on(const dr_lab *lab, dr_world *world, int64_t steps, totals *sum, dr_error *error)
{
    for (int64_t i = 0; i < steps; i++) {
        if (dr_lab_stopped(lab)) return DR_STATUS_INTERRUPTED;
        double cpu = dr_clock_cpu();
        dr_status status = dr_world_step(world, 1e3, error);
        if (status) return status;
        const dr_report *report = dr_world_report(world);
        sum->cpu += dr_clock_cpu() - cpu;
        sum->seconds += report->step_seconds;
        sum->particles += (double)report->particles;
        sum->cells += (double)(world->grid.block_count * DR_BLOCK_NODES);
        sum->iterations += report->solve_count ? report->solves[0].iterations : 0;
        for (int s = 0; s < DR_STAGE_COUNT; s++) sum->stage[s] += report->stage_seconds[s];
    }
    return DR_STATUS_OK;
}

// Bytes a second of a copy that does not fit into the cache.
static double copy_bandwidth(void)
{
    size_t bytes = (size_t)64 << 20;
    char *from = malloc(bytes), *to = malloc(bytes);
    double best = 0.0;
    if (from && to) {
        memset(from, 1, bytes);
        memset(to, 2, bytes);
        for (int i = 0; i < 5; i++) {
            double begin = dr_clock_cpu();
            memcpy(to, from, bytes);
            from[i] = to[bytes - 1];
            best = fmax(best, 2.0 * (double)bytes / (dr_clock_cpu() - begin));
        }
    }
    free(from);
    free(to);
    return best;
}

// A step reads and writes every particle in the scatter, the gather and the sort: 76 bytes each without its strain.
#define PARTICLE_BYTES (4.0 * 76.0)

// What a stage cannot do without: columns of particles that it reads or writes, and arrays of the grid, each once.
// Floats of a particle: place 3, velocity 3, affine matrix 9, mass, volume; with key, body and number 88 bytes. Floats
// of a cell: three faces of a field, a fourth lane where there is one.
typedef struct stage_bytes {
    dr_stage stage;
    double particle, cell;
} stage_bytes;

static const stage_bytes floors[] = {
    {DR_STAGE_ACTIVATE, 2 * 88, 0},    // every column from one place to another
    {DR_STAGE_GATHER, 4 * 16, 4 * 8},  // place, velocity, affine matrix, mass; to mass and momentum of faces
    {DR_STAGE_SURFACE, 4 * 4, 4 * 12}, // place, volume; open kernel, volume, fraction, distance, excess, cuts of faces
    {DR_STAGE_VISCOSITY, 0, 4 * 7},    // distance; velocity before and after
    {DR_STAGE_PRESSURE, 0, 4 * 12},    // pressure, source; velocity and open faces; velocity, displacement
    {DR_STAGE_COLLIDE, 0, 4 * 14},     // velocity and displacement before and after
    {DR_STAGE_MOVE, 4 * 18, 4 * 8},    // place before and after, velocity, affine matrix; velocity and displacement
    {DR_STAGE_ACCOUNT, 4 * 16, 0},     // place, velocity, affine matrix, mass
};

static void show_floors(dr_lab *lab, const char *const names[DR_STAGE_COUNT], const totals *sum, double steps)
{
    double bandwidth = copy_bandwidth();
    for (size_t i = 0; i < sizeof floors / sizeof *floors; i++) {
        const stage_bytes *floor = &floors[i];
        double bytes = floor->particle * sum->particles + floor->cell * sum->cells;
        double cpu = sum->stage[floor->stage] / sum->seconds * sum->cpu;
        dr_lab_compare(lab, names[floor->stage] + sizeof "share_" - 1, "CPU s", cpu / steps, bytes / steps / bandwidth);
    }
}

static dr_status show_stages(dr_lab *lab, const dr_bench_whole *whole, dr_error *error)
{
    static const char *const names[DR_STAGE_COUNT] = {
        [DR_STAGE_DRIVE] = "share_drive",         [DR_STAGE_ACTIVATE] = "share_activate",
        [DR_STAGE_GATHER] = "share_gather",       [DR_STAGE_STRANDS] = "share_strands",
        [DR_STAGE_PREDICT] = "share_predict",     [DR_STAGE_SURFACE] = "share_surface",
        [DR_STAGE_VISCOSITY] = "share_viscosity", [DR_STAGE_PRESSURE] = "share_pressure",
        [DR_STAGE_CONTACT] = "share_contact",     [DR_STAGE_COLLIDE] = "share_collide",
        [DR_STAGE_MOVE] = "share_move",           [DR_STAGE_EXCHANGE] = "share_exchange",
        [DR_STAGE_ACCOUNT] = "share_account",
    };
    dr_world *world = NULL;
    totals sum = {0};
    dr_status status = open_world(whole, 1, &world, error);
    if (!status) status = step_on(lab, world, whole->steps, &sum, error);
    dr_world_destroy(world);
    if (status) return status;
    double steps = (double)whole->steps, particles = sum.particles / steps;
    dr_lab_compare(lab, "step", "CPU s", sum.cpu / steps, PARTICLE_BYTES * particles / copy_bandwidth());
    dr_lab_measure(lab, "per_particle", "ns", 1e9 * sum.cpu / sum.particles);
    dr_lab_measure(lab, "particles", "", particles);
    dr_lab_measure(lab, "pressure_iterations", "", sum.iterations / steps);
    for (int s = 0; s < DR_STAGE_COUNT; s++) dr_lab_measure(lab, names[s], "", sum.stage[s] / sum.seconds);
    show_floors(lab, names, &sum, steps);
    return DR_STATUS_OK;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// One step of each in turn, ten times over; the same scene, so the same work.
dr_status dr_bench_whole_gain(dr_lab *lab, const dr_bench_whole *whole, const char *name, dr_error *error)
{
    enum { TURNS = 10 };
    double ratio[TURNS];
    dr_world *world[2] = {NULL, NULL};
    dr_status status = open_world(whole, 1, &world[0], error);
    if (!status) status = open_world(whole, 2, &world[1], error);
    for (int i = 0; i < TURNS && !status; i++) {
        totals sum[2];
        memset(sum, 0, sizeof sum);
        for (int w = 0; w < 2 && !status; w++) status = step_on(lab, world[w], 1, &sum[w], error);
        if (!status) ratio[i] = sum[0].seconds / sum[1].seconds;
    }
    for (int w = 0; w < 2; w++) dr_world_destroy(world[w]);
    if (status) return status;
    qsort(ratio, TURNS, sizeof *ratio, by_size);
    dr_lab_measure(lab, name, "", 0.5 * (ratio[TURNS / 2 - 1] + ratio[TURNS / 2]));
    return DR_STATUS_OK;
}

dr_status dr_bench_whole_threads(dr_lab *lab, const dr_bench_whole *whole, dr_error *error)
{
    return dr_bench_whole_gain(lab, whole, "two_threads_gain", error);
}

dr_status dr_bench_whole_run(dr_lab *lab, const dr_bench_whole *whole, dr_error *error)
{
    dr_status status = show_stages(lab, whole, error);
    return !status && whole->threads ? dr_bench_whole_threads(lab, whole, error) : status;
}
