// A hair that hangs from its root, thrown aside: how much of its first mode's swing the steps as they are chosen by
// default take away. The mode is that of a hanging chain with the hair's stiffness, by finite differences.
// docs/theory/rods.md, "Two stages".
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

typedef struct parameters {
    double swing, periods, length;
    int64_t segments;
    int integrator;
} parameters;

static const char *const integrators[] = {"tr_bdf2", "euler", NULL};

static const dr_field rows[] = {
    ROW_REAL(parameters, swing, DR_UNIT_NONE, "0.03", 1e-4, 0.3, "Of the tip, about, over the length."),
    ROW_CHOICE(parameters, integrator, integrators, "tr_bdf2", "How the hair steps in time."),
    ROW_REAL(parameters, periods, DR_UNIT_NONE, "8", 2.0, 1000.0, "How long to watch."),
    ROW_COUNT(parameters, segments, "24", 4, 1000, "Edges of the hair."),
    ROW_REAL(parameters, length, DR_UNIT_LENGTH, "12 cm", 1e-2, 1e3, "Of the hair."),
};
static const dr_table table = ROW_TABLE("rod-swing", parameters, rows);

#define GRAVITY 981.0
#define DENSITY 1.32   // g/cm3
#define YOUNG   3.9e10 // dyn/cm2
#define RADIUS  37e-4  // cm
#define OUTPUTS 24     // of a period
#define LOST    0.01   // of the swing in a period, at most
#define POINTS  150    // of the mode's equation; what is left of its error is about their square, 1e-4
#define ROUNDS  30     // of inverse iteration

// ---- the mode: B x'''' - (w (L - s) x')' = m omega^2 x, x(0) = x''(0) = 0, the tip free

typedef struct mode {
    double omega;
    double x[POINTS + 1];
} mode;

// A spring of stiffness k over places i, i + 1, ... with weights c.
static void add_spring(double (*a)[POINTS + 1], double k, int i, const double *c, int count)
{
    for (int p = 0; p < count; p++) {
        for (int q = 0; q < count; q++) a[i + p][i + q] += k * c[p] * c[q];
    }
}

static void make_matrix(double (*a)[POINTS + 1], double length)
{
    const double area = DR_PI * RADIUS * RADIUS, weight = DENSITY * area * GRAVITY, h = length / POINTS;
    const double bending = 0.25 * YOUNG * area * RADIUS * RADIUS, slope[2] = {-1.0, 1.0}, bend[3] = {1.0, -2.0, 1.0};
    memset(a, 0, sizeof(double[POINTS + 1][POINTS + 1]));
    for (int i = 0; i < POINTS; i++) add_spring(a, weight * (length - h * (i + 0.5)) / h, i, slope, 2);
    for (int i = 0; i + 2 <= POINTS; i++) add_spring(a, bending / (h * h * h), i, bend, 3);
}

static double mass_at(int i, double length)
{
    return DENSITY * DR_PI * RADIUS * RADIUS * length / POINTS * (i == POINTS ? 0.5 : 1.0);
}

// Elimination within two places of the diagonal, from the first place that moves.
static void factorise(double (*a)[POINTS + 1])
{
    for (int k = 1; k <= POINTS; k++) {
        for (int r = k + 1; r <= POINTS && r <= k + 2; r++) {
            a[r][k] /= a[k][k];
            for (int c = k + 1; c <= POINTS && c <= k + 2; c++) a[r][c] -= a[r][k] * a[k][c];
        }
    }
}

static void solve(double (*a)[POINTS + 1], double *x)
{
    for (int r = 1; r <= POINTS; r++) {
        for (int k = r > 2 ? r - 2 : 1; k < r; k++) x[r] -= a[r][k] * x[k];
    }
    for (int r = POINTS; r >= 1; r--) {
        for (int c = r + 1; c <= POINTS && c <= r + 2; c++) x[r] -= a[r][c] * x[c];
        x[r] /= a[r][r];
    }
}

// Inverse iteration; the tip's part is 1.
static void find_mode(double length, mode *m)
{
    double a[POINTS + 1][POINTS + 1];
    make_matrix(a, length);
    factorise(a);
    for (int i = 0; i <= POINTS; i++) m->x[i] = (double)i / POINTS;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i <= POINTS; i++) m->x[i] *= mass_at(i, length);
        solve(a, m->x);
        m->omega = 1.0 / sqrt(m->x[POINTS]);
        for (int i = 0; i <= POINTS; i++) m->x[i] *= m->omega * m->omega;
    }
}

static double shape_at(const mode *m, double place)
{
    int i = (int)fmin(place * POINTS, POINTS - 1.0);
    return m->x[i] + (place * POINTS - i) * (m->x[i + 1] - m->x[i]);
}

// ---- the run

typedef struct record {
    mode mode;
    double *part; // of the mode at every output
    int count, room;
} record;

// Mass is even along the hair, so that its modes are orthogonal as they are.
static void watch(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_array *x = NULL;
    for (int p = 0; p < frame->part_count; p++) {
        if (strcmp(frame->parts[p].name, "strands") == 0) x = dr_frame_find(&frame->parts[p], "position");
    }
    if (!x || r->count == r->room) return;
    double sum = 0.0, weight = 0.0;
    for (size_t v = 0; v < x->count; v++) {
        double shape = shape_at(&r->mode, (double)v / (double)(x->count - 1));
        double mass = v == 0 || v + 1 == x->count ? 0.5 : 1.0;
        sum += mass * shape * dr_lab_item(x, v, 0);
        weight += mass * shape * shape;
    }
    r->part[r->count++] = sum / weight;
}

typedef struct found {
    double period, lost; // outputs; of the swing, in a period
} found;

// Crests lie on parabolas through three outputs.
static found find_swing(const record *r)
{
    double first = 0.0, last = 0.0, first_time = 0.0, last_time = 0.0;
    int crests = 0;
    for (int i = 1; i + 1 < r->count; i++) {
        double a = r->part[i - 1], b = r->part[i], c = r->part[i + 1], bend = a - 2.0 * b + c;
        if (fabs(b) < fabs(a) || fabs(b) <= fabs(c) || bend == 0.0) continue;
        double off = 0.5 * (a - c) / bend;
        last = fabs(b - 0.25 * (a - c) * off);
        last_time = i + off;
        if (crests++ == 0) {
            first = last;
            first_time = last_time;
        }
    }
    if (crests < 2) return (found){NAN, NAN};
    double periods = 0.5 * (crests - 1);
    return (found){(last_time - first_time) / periods, 1.0 - pow(last / first, 1.0 / periods)};
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    record r = {.room = (int)(OUTPUTS * p->periods) + 1};
    find_mode(p->length, &r.mode);
    double omega = r.mode.omega, period = 2.0 * DR_PI / omega;
    dr_scene *scene = NULL;
    dr_status status = dr_lab_scene_text(
        &scene, error,
        "title: a hair swings\ngravity: [0, %.17g, 0]\ndomain: {cell: %.17g}\n"
        "materials: [{name: swinging, kind: hair, density: %.17g, youngs_modulus: %.17g, radius: %.17g, damping: 0}]\n"
        "strands: [{name: hair, material: swinging, type: line, start: [0, 0, 0], end: [0, %.17g, 0], vertices: %d, "
        "root: pinned, velocity: [%.17g, 0, 0], contact: none, integrator: %s}]\n",
        -GRAVITY, p->length, DENSITY, YOUNG, RADIUS, -p->length, (int)p->segments + 1, p->swing * p->length * omega,
        integrators[p->integrator]);
    if (status) return status;
    size_t bytes = (size_t)r.room * sizeof *r.part;
    r.part = dr_memory_alloc(NULL, bytes);
    if (!r.part) {
        dr_scene_destroy(scene);
        return dr_error_memory(error, "watching a hair");
    }
    dr_lab_watch watcher = {.frame = watch, .user = &r};
    dr_lab_scene_time(scene, p->periods * period, r.room - 1, 0.0);
    status = dr_lab_simulate(lab, "swing", scene, p->periods * period, &watcher, NULL, error);
    dr_scene_destroy(scene);
    found swing = find_swing(&r);
    dr_memory_free(NULL, r.part, bytes);
    if (status || dr_lab_stopped(lab)) return status;
    dr_lab_expect(lab, "period_ratio", "", swing.period / OUTPUTS, 1.0, 0.003);
    dr_lab_expect(lab, "lost_per_period", "", swing.lost, 0.0, LOST);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_rod_swing = {"rod-swing", "a hair hangs and swings: its first mode, and what steps take of it",
                                      &table, run};
