// The film of many strands: processor time per cell and sub-step of the flow, and per vertex and step of what joins it
// to its strand (the matrix and impulse that the strand is told, the settling at the end), beside a pass over the
// numbers that they read and write. Then whole steps of strands that hang half into water: what joins strands and
// liquid per wet vertex and step, the second pass of strands over the first, how each stage grows with the number of
// strands.
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "film/flow.h"
#include "lab/bench_whole.h"
#include "lab/parts.h"
#include "math/vec.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parameters {
    int64_t strands, vertices, steps, bath, bath_steps;
    double step;
    bool threads;
} parameters;

static const dr_field rows[] = {
    ROW_COUNT(parameters, strands, "2000", 16, 1000000, "How many."),
    ROW_COUNT(parameters, vertices, "50", 4, 1000, "Of each."),
    ROW_COUNT(parameters, steps, "7", 1, 1000, "Steps of which the median is taken."),
    ROW_REAL(parameters, step, DR_UNIT_TIME, "40 ms", 1e-6, 1.0, "Step size."),
    ROW_COUNT(parameters, bath, "10000", 0, 1000000,
              "Strands that hang half into water; an eighth, a quarter and half of them too. 0: none."),
    ROW_COUNT(parameters, bath_steps, "3", 1, 1000, "Steps of these that are measured, after two."),
    ROW_SWITCH(parameters, threads, "false", "Also the gain of two threads over one there, steps in turn."),
};
static const dr_table table = ROW_TABLE("film", parameters, rows);

// One strand after the other: places, velocities, film and answer of all.
typedef struct wet_groom {
    size_t n; // vertices of all
    double *x, *v, *mass, *radius, *pull, *response, *matrix, *impulse, *tension, *turn, *way, *room;
    unsigned char *held;
    dr_film film;
} wet_groom;

static double *take(size_t count)
{
    return calloc(count, sizeof(double));
}

static void close_groom(wet_groom *g)
{
    double *all[] = {g->x,      g->v,       g->mass,    g->radius, g->pull, g->response,
                     g->matrix, g->impulse, g->tension, g->turn,   g->way,  g->room};
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
    g->turn = take(3 * n);
    g->way = take(n);
    g->room = take(dr_film_flow_room((int)p->vertices));
    g->held = calloc(n, 1);
    return g->x && g->v && g->mass && g->radius && g->pull && g->response && g->matrix && g->impulse && g->tension &&
           g->turn && g->way && g->room && g->held && dr_film_reserve(&g->film, NULL, n, false, 1);
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
                                 g->tension + first,  g->turn + 3 * first,   g->way + first};
        sum.substeps += p->vertices * dr_film_flow(&law, &host, p->step, &film, &answer, g->room);
        if (still) dr_film_settle(&law, &host, &host, &answer, &film);
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

// ---- half under water

typedef struct hanging {
    int64_t strands, vertices;
} hanging;

// A hair to a square millimetre, five centimetres long, over a pool of half that depth that sways; as wide as there are
// hairs.
static dr_status make_bath(const void *values, dr_scene **scene, dr_error *error)
{
    const hanging *h = values;
    double width = 0.1 * sqrt((double)h->strands);
    return dr_lab_scene_text(
        scene, error,
        "title: hair hangs half into water\ngravity: [50, -981, 0]\ntime: {fixed_step: 1 ms}\n"
        "domain: {cell: 0.25, min: [-%.9g, 0, -%.9g], max: [%.9g, unbounded, %.9g], x_min: slip, x_max: slip, y_min: "
        "slip, z_min: slip, z_max: slip}\n"
        "bodies: [{material: water, shape: {type: box, center: [0, 1.5, 0], size: [%.9g, 3, %.9g]}}]\n"
        "strands: [{material: hair, type: mat, center: [0, 5.5, 0], axis: [0, -1, 0], width: %.9g, depth: %.9g, "
        "length: 5, count: %d, vertices: %d, film_height: 0.005}]\n",
        0.5 * width, 0.5 * width, 0.5 * width, 0.5 * width, width, width, width - 0.1, width - 0.1, (int)h->strands,
        (int)h->vertices);
}

typedef struct bath_pace {
    double stage[DR_STAGE_COUNT], step; // CPU s
    dr_strand_pace pace;
    double wet;   // vertices
    double floor; // s per wet vertex: to copy what strands in liquid keep of it once
} bath_pace;

static double count_wet(const dr_world *world)
{
    double count = 0.0;
    for (size_t v = 0; v < world->state.strands.vertices; v++) count += world->strand_liquid.filled[v] > 0.0;
    return count;
}

// Mass, velocity, drag, pressure, answer and impulse of a vertex in liquid and the sums of its samples: numbers of
// dr_strand_liquid that each step writes and reads at least once.
enum { KEPT = 64 };

static double copy_kept(size_t wet)
{
    double *from = take(KEPT * wet), *to = take(KEPT * wet), seconds = 0.0;
    if (from && to && wet > 0) {
        for (size_t i = 0; i < KEPT * wet; i++) from[i] = to[i] = (double)i; // pages are there after that
        double begin = dr_clock_cpu();
        memcpy(to, from, KEPT * wet * sizeof *to);
        volatile double seen = to[KEPT * wet / 2];
        (void)seen;
        seconds = (dr_clock_cpu() - begin) / (double)wet;
    }
    free(from);
    free(to);
    return seconds;
}

static dr_status time_bath(const dr_lab *lab, const parameters *p, int64_t strands, bath_pace *sum, dr_error *error)
{
    enum { WARM_UP = 2 };
    hanging h = {strands, p->vertices};
    dr_world_options options = {.threads = 1};
    dr_scene *scene = NULL;
    dr_world *world = NULL;
    dr_status status = make_bath(&h, &scene, error);
    if (!status) status = dr_world_create(scene, &options, &world, error);
    dr_scene_destroy(scene);
    *sum = (bath_pace){0};
    for (int64_t i = -WARM_UP; i < p->bath_steps && !status; i++) {
        if (dr_lab_stopped(lab)) status = DR_STATUS_INTERRUPTED;
        double begin = dr_clock_cpu(), share = 1.0 / (double)p->bath_steps;
        if (!status) status = dr_world_step(world, 1e3, error);
        if (status || i < 0) continue;
        const dr_report *report = dr_world_report(world);
        double cpu = dr_clock_cpu() - begin;
        sum->step += share * cpu;
        for (int s = 0; s < DR_STAGE_COUNT; s++)
            sum->stage[s] += share * cpu * report->stage_seconds[s] / report->step_seconds;
        sum->pace.first += share * world->strands.pace.first;
        sum->pace.second += share * world->strands.pace.second;
        sum->pace.coupling += share * world->strands.pace.coupling;
        sum->wet += share * count_wet(world);
    }
    dr_world_destroy(world);
    sum->floor = copy_kept((size_t)sum->wet);
    return status;
}

static void show_growth(dr_lab *lab, const bath_pace *small, const bath_pace *large)
{
    static const struct {
        dr_stage stage;
        const char *share, *growth;
    } rows_of[] = {{DR_STAGE_ACTIVATE, "share_activate", "growth_activate"},
                   {DR_STAGE_GATHER, "share_gather", "growth_gather"},
                   {DR_STAGE_STRANDS, "share_strands", "growth_strands"},
                   {DR_STAGE_SURFACE, "share_surface", "growth_surface"},
                   {DR_STAGE_VISCOSITY, "share_viscosity", "growth_viscosity"},
                   {DR_STAGE_PRESSURE, "share_pressure", "growth_pressure"},
                   {DR_STAGE_CONTACT, "share_contact", "growth_contact"},
                   {DR_STAGE_COLLIDE, "share_collide", "growth_collide"},
                   {DR_STAGE_MOVE, "share_move", "growth_move"},
                   {DR_STAGE_EXCHANGE, "share_exchange", "growth_exchange"},
                   {DR_STAGE_ACCOUNT, "share_account", "growth_account"}};
    for (size_t k = 0; k < sizeof rows_of / sizeof *rows_of; k++) {
        dr_lab_measure(lab, rows_of[k].share, "", large->stage[rows_of[k].stage] / large->step);
        dr_lab_measure(lab, rows_of[k].growth, "", large->stage[rows_of[k].stage] / small->stage[rows_of[k].stage]);
    }
}

static dr_status make_full_bath(const void *values, dr_scene **scene, dr_error *error)
{
    const parameters *p = values;
    hanging h = {p->bath, p->vertices};
    return make_bath(&h, scene, error);
}

// growth: of a stage from an eighth of the strands to all, 8 where it is linear.
static dr_status run_bath(dr_lab *lab, const parameters *p, dr_error *error)
{
    static const char *const names[] = {"step_of_an_eighth", "step_of_a_quarter", "step_of_half", "step"};
    enum { SIZES = 4 };
    bath_pace pace[SIZES];
    for (int k = 0; k < SIZES; k++) {
        int64_t strands = p->bath >> (SIZES - 1 - k);
        dr_status status = time_bath(lab, p, strands > 1 ? strands : 1, &pace[k], error);
        if (status) return status;
        dr_lab_measure(lab, names[k], "CPU s", pace[k].step);
    }
    const bath_pace *all = &pace[SIZES - 1];
    dr_lab_measure(lab, "wet_vertices", "", all->wet);
    dr_lab_compare(lab, "bath_coupling", "us per wet vertex and step", 1e6 * all->pace.coupling / all->wet,
                   1e6 * all->floor);
    dr_lab_measure(lab, "first_pass", "us per vertex and step",
                   1e6 * all->pace.first / (double)(p->bath * p->vertices));
    dr_lab_measure(lab, "second_pass_over_first", "", all->pace.second / all->pace.first);
    show_growth(lab, &pace[0], all);
    if (!p->threads) return DR_STATUS_OK;
    const dr_bench_whole whole = {make_full_bath, p, 2, p->bath_steps, true};
    return dr_bench_whole_threads(lab, &whole, error);
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
        dr_lab_compare(lab, "joining", "us per vertex and step", dr_lab_median(coupling, p->steps), least);
        dr_lab_measure(lab, "substeps", NULL, substeps);
    }
    free(spare);
    free(flow);
    free(coupling);
    free(floor);
    close_groom(&g);
    if (!ok) return dr_error_memory(error, "timing films");
    return p->bath > 0 ? run_bath(lab, p, error) : DR_STATUS_OK;
}

const dr_lab_case dr_lab_film_bench = {"film", "the flow of films on many strands", &table, run};
