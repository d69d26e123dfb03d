// The surface of a made-up splash: a pool with waves, sheets and drops over it. Processor time per million particles
// beside the time to read them and write the mesh once; memory per cell of the surface beside the mesh alone.
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/clock.h"
#include "look/surface.h"

#include <math.h>
#include <string.h>

typedef struct parameters {
    int64_t particles;
    bool ball;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, particles, "1000000", 1000, 100000000, "About how many."),
    ROW_SWITCH(parameters, ball, "false", "A ball of liquid instead of a splash: the least surface."),
};
static const dr_table table = ROW_TABLE("surface", parameters, rows);

#define COPY_BYTES ((size_t)64 << 20)

typedef struct bench {
    const parameters *p;
    double side; // of the cube, spacings
    size_t count, capacity;
    float (*position)[3], (*velocity)[3];
    float *volume;
} bench;

static double noise(uint64_t n)
{
    n = (n ^ n >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ n >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (double)((n ^ n >> 32) >> 11) / 9007199254740992.0;
}

enum { SHEETS = 6, SPRAY = 100 }; // one cube in SPRAY of the air holds a lone particle

// A sheet: part of a bubble's skin, two spacings thick.
static bool in_sheet(const bench *b, int number, const double x[3])
{
    uint64_t seed = 64 * (uint64_t)(number + 1);
    double radius = (0.12 + 0.12 * noise(seed)) * b->side, sum = 0.0;
    for (int a = 0; a < 3; a++) {
        double middle = b->side * (a == 1 ? 0.5 : 0.2 + 0.6 * noise(seed + 1 + (uint64_t)a));
        sum += (x[a] - middle) * (x[a] - middle);
    }
    return fabs(sqrt(sum) - radius) < 1.0;
}

static bool is_liquid(const bench *b, const double x[3], uint64_t seed)
{
    double side = b->side, half = 0.5 * side;
    if (b->p->ball) {
        double d[3] = {x[0] - half, x[1] - half, x[2] - half};
        return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < half * half;
    }
    bool in = x[1] < side * (0.25 + 0.04 * sin(19.0 * x[0] / side) * sin(23.0 * x[2] / side));
    for (int n = 0; n < SHEETS; n++) in = in || in_sheet(b, n, x);
    return in || (noise(seed) * SPRAY < 1.0 && x[1] < 0.7 * side);
}

static bool add_particle(bench *b, const double x[3], uint64_t seed)
{
    if (b->count == b->capacity) return false;
    for (int a = 0; a < 3; a++) {
        double jitter = noise(seed + (uint64_t)a) - 0.5;
        b->position[b->count][a] = (float)(x[a] + 0.5 * jitter);
        b->velocity[b->count][a] = (float)jitter;
    }
    b->volume[b->count++] = 1.0F;
    return true;
}

static void fill(bench *b)
{
    int side = (int)b->side;
    for (int n = 0; n < side * side * side; n++) {
        double x[3] = {n % side + 0.5, n / side % side + 0.5, n / side / side + 0.5};
        uint64_t seed = 4 * (uint64_t)n;
        if (is_liquid(b, x, seed + 3) && !add_particle(b, x, seed)) return;
    }
}

// Seconds that copying one byte takes.
static double copy_seconds(char *bytes)
{
    double best = 1e30;
    memset(bytes, 1, 2 * COPY_BYTES);
    for (int i = 0; i < 5; i++) {
        double start = dr_clock_cpu();
        memcpy(bytes + (i & 1 ? COPY_BYTES : 0), bytes + (i & 1 ? 0 : COPY_BYTES), COPY_BYTES);
        best = fmin(best, dr_clock_cpu() - start);
    }
    return best / (double)COPY_BYTES;
}

static dr_status reconstruct(dr_lab *lab, const bench *b, double per_byte, dr_error *error)
{
    const dr_frame_array arrays[] = {{"position", "cm", DR_TYPE_FLOAT32, 3, b->count, b->position},
                                     {"volume", "cm3", DR_TYPE_FLOAT32, 1, b->count, b->volume},
                                     {"velocity", "cm/s", DR_TYPE_FLOAT32, 3, b->count, b->velocity}};
    const dr_frame_part part = {
        .name = "liquid", .kind = DR_FRAME_POINTS, .point_count = b->count, .array_count = 3, .arrays = arrays};
    const dr_frame frame = {.part_count = 1, .parts = &part};
    int threads = dr_lab_threads(lab);
    dr_par par = dr_par_open(threads > 0 ? threads : 1);
    dr_surface_options options;
    dr_surface_mesh mesh;
    dr_surface_options_default(&options);
    double start = dr_clock_cpu();
    dr_status status = dr_surface_mesh_build(&frame, &options, &par, NULL, &mesh, error);
    double seconds = dr_clock_cpu() - start;
    if (status) return status;
    double millions = 1e-6 * (double)b->count, cells = (double)mesh.cells;
    double mesh_bytes = 36.0 * (double)mesh.vertex_count + 12.0 * (double)mesh.triangle_count;
    double floor = per_byte * (28.0 * (double)b->count + mesh_bytes);
    dr_lab_compare(lab, "time", "s/million", seconds / millions, floor / millions);
    dr_lab_compare(lab, "memory", "B/cell", (double)mesh.peak_bytes / cells, mesh_bytes / cells);
    dr_lab_measure(lab, "particles", "", (double)b->count);
    dr_lab_measure(lab, "cells", "", cells);
    dr_lab_measure(lab, "triangles", "", (double)mesh.triangle_count);
    dr_surface_mesh_free(&mesh);
    return DR_STATUS_OK;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    double share = p->ball ? 0.52 : 0.29; // of the cube that is liquid
    bench b = {
        .p = p, .side = floor(cbrt((double)p->particles / share)), .capacity = (size_t)(1.1 * (double)p->particles)};
    b.position = dr_memory_alloc(NULL, b.capacity * sizeof *b.position);
    b.velocity = dr_memory_alloc(NULL, b.capacity * sizeof *b.velocity);
    b.volume = dr_memory_alloc(NULL, b.capacity * sizeof *b.volume);
    char *bytes = dr_memory_resize(NULL, NULL, 0, 2 * COPY_BYTES);
    dr_status status = DR_STATUS_NO_MEMORY;
    if (b.position && b.velocity && b.volume && bytes) {
        fill(&b);
        status = reconstruct(lab, &b, copy_seconds(bytes), error);
    } else {
        dr_error_memory(error, "measuring surfaces");
    }
    dr_memory_free(NULL, b.position, b.capacity * sizeof *b.position);
    dr_memory_free(NULL, b.velocity, b.capacity * sizeof *b.velocity);
    dr_memory_free(NULL, b.volume, b.capacity * sizeof *b.volume);
    dr_memory_free(NULL, bytes, 2 * COPY_BYTES);
    return status;
}

const dr_lab_case dr_lab_surface = {"surface", "the mesh around a splash, beside the memory's bandwidth", &table, run};
