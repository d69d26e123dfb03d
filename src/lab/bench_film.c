// The film of many strands: processor time per cell and sub-step of the flow, and per vertex and step of what joins it
// to its strand (the matrix and impulse that the strand is told, the settling at the end), beside a pass over the
// numbers that they read and write.
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "film/flow.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parameters {
    int64_t strands, vertices, steps;
    double step;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, strands, "2000", 16, 1000000, "How many."),
    ROW_COUNT(parameters, vertices, "50", 4, 1000, "Of each."),
    ROW_COUNT(parameters, steps, "7", 1, 1000, "Steps of which the median is taken."),
    ROW_REAL(parameters, step, DR_UNIT_TIME, "40 ms", 1e-6, 1.0, "Step size."),
};
static const dr_table table = ROW_TABLE("film", parameters, rows);

// One strand after the other: places, velocities, film and answer of all.
typedef struct wet_groom {
    size_t n; // vertices of all
    double *x, *v, *mass, *radius, *pull, *response, *matrix, *impulse, *tension, *room;
    unsigned char *held;
    dr_film film;
} wet_groom;

static double *take(size_t count)
{
    return calloc(count, sizeof(double));
}

static void close_groom(wet_groom *g)
{
    double *all[] = {g->x, g->v, g->mass, g->radius, g->pull, g->response, g->matrix, g->impulse, g->tension, g->room};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(g->held);
    dr_film_free(&g->film, NULL);
}

static bool open_groom(wet_groom *g, const parameters *p)
{
    size_t n = (size_t)(p->strands * p->vertices);
    *g = (wet_groom){
        .n = n, .x = take(3 * n), .v = take(3 * n), .mass = take(n), .radius = take(n), .pull = take(3 * n)};
    g->response = take(n);
    g->matrix = take(6 * n);
    g->impulse = take(3 * n);
    g->tension = take(n);
    g->room = take(dr_film_flow_room((int)p->vertices));
    g->held = calloc(n, 1);
    return g->x && g->v && g->mass && g->radius && g->pull && g->response && g->matrix && g->impulse && g->tension &&
           g->room && g->held && dr_film_reserve(&g->film, NULL, n, false, 1);
}

static dr_film_host host_of(const wet_groom *g, const parameters *p, size_t s)
{
    size_t first = s * (size_t)p->vertices;
    return (dr_film_host){.count = (int)p->vertices,
                          .position = g->x + 3 * first,
                          .velocity = g->v + 3 * first,
                          .mass = g->mass + first,
                          .radius = g->radius + first,
                          .pull = g->pull + 3 * first,
                          .gravity = g->pull,
                          .held = g->held + first,
                          .free_end = {false, true}};
}

// Wavy hair of ten centimetres with blobs of water on it.
static void wet_all(wet_groom *g, const parameters *p)
{
    double edge = 10.0 / (double)(p->vertices - 1);
    for (size_t i = 0; i < g->n; i++) {
        size_t s = i / (size_t)p->vertices, k = i % (size_t)p->vertices;
        double along = edge * (double)k;
        dr_vec3_set(g->x + 3 * i, 0.05 * (double)s, -along, 0.3 * sin(along + (double)s));
        dr_vec3_set(g->v + 3 * i, 5.0 * along, 0.0, 0.0);
        dr_vec3_set(g->pull + 3 * i, 0.0, -981.0, 0.0);
        g->mass[i] = 1.3 * 4.3e-5 * edge;
        g->radius[i] = 0.0037;
        g->film.volume[i] = dr_film_volume(0.01 + 0.008 * sin(2.0 * along + (double)s), edge, 0.0037);
    }
}

typedef struct pace {
    double flow, coupling; // seconds
    int64_t substeps;      // times cells
} pace;

static pace step_all(wet_groom *g, const parameters *p, bool still)
{
    dr_film_law law = {
        .density = 1.0, .viscosity = 0.0089, .surface_tension = 72.0, .hoop = true, .transport = true, .still = still};
    pace sum = {0};
    double begin = dr_clock_cpu();
    for (size_t s = 0; s < (size_t)p->strands; s++) {
        size_t first = s * (size_t)p->vertices;
        dr_film_host host = host_of(g, p, s);
        dr_film film = dr_film_of(&g->film, first);
        dr_film_answer answer = {g->response + first, g->matrix + 6 * first, g->impulse + 3 * first,
                                 g->tension + first};
        sum.substeps += p->vertices * dr_film_flow(&law, &host, p->step, &film, &answer, g->room);
        if (still) dr_film_settle(&law, &host, &host, p->step, answer.response, &film);
    }
    *(still ? &sum.coupling : &sum.flow) = dr_clock_cpu() - begin;
    return sum;
}

static double copy_all(wet_groom *g, double *to)
{
    double begin = dr_clock_cpu();
    memcpy(to, g->x, 3 * g->n * sizeof *to);
    memcpy(to, g->v, 3 * g->n * sizeof *to);
    memcpy(to, g->matrix, 6 * g->n * sizeof *to);
    return (dr_clock_cpu() - begin) / (double)g->n;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    wet_groom g;
    double *flow = take((size_t)p->steps), *coupling = take((size_t)p->steps), *floor = take((size_t)p->steps);
    bool ok = open_groom(&g, p) && flow && coupling && floor;
    double *spare = ok ? take(6 * g.n) : NULL, substeps = 0.0;
    ok = ok && spare;
    if (ok) wet_all(&g, p);
    for (int64_t i = 0; i < p->steps && ok && !dr_lab_stopped(lab); i++) {
        pace one = step_all(&g, p, false), other = step_all(&g, p, true);
        flow[i] = 1e6 * one.flow / (double)one.substeps;
        coupling[i] = 1e6 * other.coupling / (double)g.n;
        floor[i] = 1e6 * copy_all(&g, spare);
        substeps += (double)one.substeps / (double)g.n / (double)p->steps;
    }
    if (ok) {
        double least = dr_lab_median(floor, p->steps);
        dr_lab_compare(lab, "flow", "us per cell and sub-step", dr_lab_median(flow, p->steps), least);
        dr_lab_compare(lab, "coupling", "us per vertex and step", dr_lab_median(coupling, p->steps), least);
        dr_lab_measure(lab, "substeps", NULL, substeps);
    }
    free(spare);
    free(flow);
    free(coupling);
    free(floor);
    close_groom(&g);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "timing films");
}

const dr_lab_case dr_lab_film_bench = {"film", "the flow of films on many strands", &table, run};
