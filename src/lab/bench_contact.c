// Contact of many strands with their true compliance: processor time per contact of one Gauss-Seidel sweep, beside the
// time to read the same numbers from memory, and of the set-up, beside that of its back-substitutions alone.
#include "lab/bench_contact.h"
#include "lab/cases.h"
#include "lab/rows.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "contact/contact.h"
#include "math/random.h"
#include "math/vec.h"
#include "strand/solver.h"

#include <stdlib.h>
#include <string.h>

typedef struct parameters {
    int64_t strands, vertices, contacts, sweeps, repeats, steps;
    double settle;
    int scene;
} parameters;

static const char *const choices[] = {"kernel", "weave", "pile", "sweep", NULL};

static const dr_field rows[] = {
    ROW_CHOICE(parameters, scene, choices, "kernel",
               "Sweeps over contacts anywhere; a ball that falls into a weave (strands=100 vertices=100: a vertex at "
               "every crossing, "
               "interlaced; vertices=98: crossed); a pile that "
               "has fallen into a bowl (strands=1000 vertices=30); wet hair that is swept past a post for a second "
               "(strands=200 vertices=24)."),
    ROW_COUNT(parameters, strands, "10000", 2, 10000000, "How many; of a weave, of either side."),
    ROW_COUNT(parameters, vertices, "50", 4, 1000, "Of each."),
    ROW_COUNT(parameters, contacts, "8", 2, 1000, "That a strand takes part in, in the mean."),
    ROW_COUNT(parameters, sweeps, "10", 1, 10000, "Over which the mean is taken."),
    ROW_COUNT(parameters, steps, "20", 1, 100000, "Of a millisecond, of scenes, that are measured."),
    ROW_REAL(parameters, settle, DR_UNIT_TIME, "0 s", 0.0, 100.0,
             "Simulated before, of scenes; of a sweep the time that is measured, 0: a second."),
    ROW_COUNT(parameters, repeats, "5", 1, 1000, "Of which the median is taken."),
};
static const dr_table table = ROW_TABLE("contact", parameters, rows);

typedef struct bench {
    const parameters *p;
    dr_strand_material material;
    dr_strands strands;
    dr_strand_solver *solver;
    dr_contact_solver *contact;
    dr_contact *contacts;
    size_t count;
    dr_par par;
    double *points, *block;
} bench;

static void close_bench(bench *b)
{
    dr_contact_solver_destroy(b->contact);
    dr_strand_solver_close(b->solver);
    dr_strands_free(&b->strands, NULL);
    dr_memory_free(NULL, b->contacts, b->count * sizeof *b->contacts);
    dr_memory_free(NULL, b->points, 3 * (size_t)b->p->vertices * sizeof *b->points);
    dr_memory_free(NULL, b->block, 4 * DR_COMPLIANCE_LANES * (size_t)b->p->vertices * sizeof *b->block);
}

// Wavy hair, ten centimetres long, clamped at its root.
static void draw(bench *b, int k)
{
    const double radius[2] = {0.0037, 0.0037};
    double edge = 10.0 / (double)(b->p->vertices - 1);
    for (int64_t i = 0; i < b->p->vertices; i++)
        dr_vec3_set(b->points + 3 * i, 0.05 * k, -edge * (double)i, 0.3 * sin(edge * (double)i + k));
    int s = dr_strands_add(&b->strands, b->points, (int)b->p->vertices, radius, 0);
    size_t first = (size_t)b->strands.first[s];
    b->strands.held[first] = DR_STRAND_HELD | DR_STRAND_TURN_HELD;
    b->strands.held[first + 1] = DR_STRAND_HELD;
}

// A contact of strand s with one of the twenty next ones, anywhere along both.
static void place_contact(bench *b, size_t k)
{
    uint64_t at = 8 * (uint64_t)k;
    int32_t n = (int32_t)b->p->vertices, all = (int32_t)b->p->strands, s = (int32_t)(k % (size_t)all);
    int32_t other = s + 1 + (int32_t)(20.0 * dr_random_unit(1, at));
    if (other >= all) other = s > 0 ? s - 1 : 1;
    int32_t low = s < other ? s : other, high = s < other ? other : s;
    dr_contact *c = &b->contacts[k];
    *c = (dr_contact){.strand = {low, high}, .solid = -1, .friction = 0.3};
    c->vertex[0] = low * n + 1 + (int32_t)((n - 3) * dr_random_unit(1, at + 1));
    c->vertex[1] = high * n + 1 + (int32_t)((n - 3) * dr_random_unit(1, at + 2));
    double normal[3];
    for (int side = 0; side < 2; side++) c->place[side] = dr_random_unit(1, at + 3 + (uint64_t)side);
    for (int a = 0; a < 3; a++) normal[a] = dr_random_unit(1, at + 5 + (uint64_t)a) - 0.5;
    dr_vec3_normalize(c->frame, normal, (double[3]){0.0, 1.0, 0.0});
    dr_contact_frame(c);
}

static bool open_bench(bench *b, const parameters *p)
{
    *b = (bench){.p = p, .par = dr_par_open(1)};
    b->material = (dr_strand_material){.density = 1.32, .young = 3.9e10, .shear = 1.4e10, .friction = 0.3};
    b->strands.materials = &b->material;
    b->count = (size_t)(p->strands * p->contacts / 2);
    b->points = dr_memory_alloc(NULL, 3 * (size_t)p->vertices * sizeof *b->points);
    b->block = dr_memory_alloc(NULL, 4 * DR_COMPLIANCE_LANES * (size_t)p->vertices * sizeof *b->block);
    b->contacts = dr_memory_alloc(NULL, b->count * sizeof *b->contacts);
    b->contact = dr_contact_solver_create(NULL);
    if (!b->points || !b->block || !b->contacts || !b->contact ||
        !dr_strands_reserve(&b->strands, NULL, (int)p->strands, (size_t)(p->strands * p->vertices)))
        return false;
    for (int k = 0; k < (int)p->strands; k++) draw(b, k);
    for (size_t k = 0; k < b->count; k++) place_contact(b, k);
    b->solver = dr_strand_solver_open(&b->strands, NULL, &b->par);
    dr_strand_goal goal = {.position = b->strands.position, .director = b->strands.director};
    dr_strand_step step = {.dt = 1e-3, .gravity = {0.0, -981.0, 0.0}, .goal = &goal, .keep = true};
    dr_strand_verdict verdict;
    return b->solver && dr_strand_solver_predict(b->solver, &b->strands, &step, &verdict);
}

// What the set-up needs of the strands' factors alone: eight right-hand sides at once, strand after strand.
static double time_solves(bench *b, const dr_compliance *compliance, double columns)
{
    int64_t each = (int64_t)(columns / (double)b->p->strands / DR_COMPLIANCE_LANES + 0.5), sample = b->p->strands / 8;
    double begin = dr_clock_cpu();
    for (int64_t i = 0; i < sample; i++) {
        for (int64_t k = 0; k < each; k++) {
            memset(b->block, 0, 4 * DR_COMPLIANCE_LANES * (size_t)b->p->vertices * sizeof *b->block);
            compliance->solve(compliance->self, (int)i, (int)(k * (b->p->vertices - 1) / each), b->block);
        }
    }
    return (dr_clock_cpu() - begin) / (double)(sample * each) * columns / DR_COMPLIANCE_LANES;
}

// Reads as many bytes as a sweep does.
static double time_reading(double bytes)
{
    size_t count = (size_t)(bytes / sizeof(double)) / 8 * 8;
    double *data = dr_memory_alloc(NULL, count * sizeof *data), sums[8] = {0};
    if (!data) return 0.0;
    double begin = dr_clock_cpu();
    for (size_t i = 0; i < count; i += 8) {
        for (int l = 0; l < 8; l++) sums[l] += data[i + (size_t)l];
    }
    double seconds = dr_clock_cpu() - begin;
    volatile double kept = sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
    (void)kept;
    dr_memory_free(NULL, data, count * sizeof *data);
    return seconds;
}

static bool measure(dr_lab *lab, bench *b)
{
    double setup[1000], sweep[1000], contacts = 0.0;
    dr_compliance compliance = dr_strand_solver_compliance(b->solver, &b->strands);
    for (int64_t r = -1; r < b->p->repeats; r++) { // the first only warms up
        for (size_t k = 0; k < b->count; k++) memset(b->contacts[k].impulse, 0, sizeof b->contacts[k].impulse);
        double begin = dr_clock_cpu();
        if (!dr_contact_solver_setup(b->contact, &b->par, &compliance, b->contacts, b->count)) return false;
        double middle = dr_clock_cpu();
        contacts = (double)dr_contact_solver_rows(b->contact);
        for (int64_t i = 0; i < b->p->sweeps; i++) dr_contact_solver_sweep(b->contact, &b->par);
        double end = dr_clock_cpu();
        if (r < 0) continue;
        setup[r] = 1e6 * (middle - begin) / contacts;
        sweep[r] = 1e6 * (end - middle) / contacts / (double)b->p->sweeps;
    }
    double columns = 0.0, bytes = dr_contact_solver_bytes(b->contact, &columns);
    dr_lab_compare(lab, "sweep_per_contact", "CPU us", dr_lab_median(sweep, b->p->repeats),
                   1e6 * time_reading(bytes) / contacts);
    dr_lab_compare(lab, "setup_per_contact", "CPU us", dr_lab_median(setup, b->p->repeats),
                   1e6 * time_solves(b, &compliance, columns) / contacts);
    dr_lab_measure(lab, "contacts", "", contacts);
    dr_lab_measure(lab, "colours", "", dr_contact_solver_colours(b->contact));
    dr_lab_measure(lab, "bytes_per_contact", "", bytes / contacts);
    return true;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    const dr_bench_scene scene = {p->strands, p->vertices, p->steps, p->settle};
    if (p->scene == 1) return dr_bench_weave(lab, &scene, error);
    if (p->scene == 2) return dr_bench_pile(lab, &scene, error);
    if (p->scene == 3) return dr_bench_sweep(lab, &scene, error);
    bench b;
    bool ok = open_bench(&b, values) && measure(lab, &b);
    close_bench(&b);
    return ok ? DR_STATUS_OK : dr_error_memory(error, "making contacts");
}

const dr_lab_case dr_lab_contact = {"contact", "contacts of strands with their true compliance: a sweep and the set-up",
                                    &table, run};
