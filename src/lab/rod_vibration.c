// A clamped rod that was set in motion swings in its modes: cos(b) cosh(b) = -1, omega = b^2 / T. The part of one mode
// is taken out of the motion by the mode's shape; its zeros give the frequency, its crests the damping, which is that
// of the scheme, -log |R(i omega dt)| / (omega dt) of the critical one. docs/theory/rods.md, "Two stages".
#include "base/number.h"
#include "lab/cases.h"
#include "lab/rod_rows.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>

typedef struct parameters {
    double periods, amplitude;
    int64_t mode;
    int integrator;
    ROD_PARAMETERS;
} parameters;

static const char *const integrators[] = {"tr_bdf2", "euler", NULL};

static const dr_field rows[] = {
    ROW_COUNT(parameters, mode, "1", 1, 6, "Which mode."),
    ROW_CHOICE(parameters, integrator, integrators, "tr_bdf2", "How the rod steps in time."),
    ROW_REAL(parameters, periods, DR_UNIT_NONE, "6", 1.0, 1000.0, "How long to watch."),
    ROW_REAL(parameters, amplitude, DR_UNIT_NONE, "1e-3", 1e-9, 0.1, "Of the tip, about, over the length."),
    ROW_COUNT(parameters, segments, "40", 5, 2000, "Edges of the rod."),
    ROW_REAL(parameters, length, DR_UNIT_LENGTH, "10 cm", 1e-3, 1e5, "Of the rod."),
    ROW_REAL(parameters, radius, DR_UNIT_LENGTH, "0.01 cm", 1e-6, 1e3, "Of the rod; thin against its length."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1.3 g/cm3", 1e-4, 1e3, "Of the rod."),
    ROW_REAL(parameters, youngs_modulus, DR_UNIT_PRESSURE, "1e10 dyn/cm2", 1.0, 1e15, "Of the rod."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.0025", 1e-6, 0.1, "Step over the period of the mode."),
};
static const dr_table table = ROW_TABLE("rod-vibration", parameters, rows);

// The mode's root of cos b cosh b = -1, by bisection around (2 mode - 1) pi/2, where it nearly is.
static double find_root(int64_t mode)
{
    double low = ((double)mode - 0.5) * DR_PI - 0.4, high = low + 0.8;
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (low + high);
        bool same = (cos(low) + 1.0 / cosh(low) > 0.0) == (cos(middle) + 1.0 / cosh(middle) > 0.0);
        if (same)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static double shape(double b, double s)
{
    double share = (cos(b) + cosh(b)) / (sin(b) + sinh(b));
    return s > 0.0 ? cosh(b * s) - cos(b * s) - share * (sinh(b * s) - sin(b * s)) : 0.0;
}

enum { MODES = 7 };

// Mode shapes at the vertices with the weight of each, and the least-squares fit of all of them to a motion: the row of
// the inverse of their products that belongs to one mode.
typedef struct fit {
    int vertices;
    double *pick; // [vertex]
} fit;

// Gaussian elimination without pivots: the products of mode shapes are nearly a multiple of the identity.
static void solve(double a[MODES][MODES], double x[MODES])
{
    for (int k = 0; k < MODES; k++) {
        for (int r = k + 1; r < MODES; r++) {
            double share = a[r][k] / a[k][k];
            for (int c = k; c < MODES; c++) a[r][c] -= share * a[k][c];
            x[r] -= share * x[k];
        }
    }
    for (int k = MODES - 1; k >= 0; k--) {
        for (int c = k + 1; c < MODES; c++) x[k] -= a[k][c] * x[c];
        x[k] /= a[k][k];
    }
}

static double weighed_shape(const fit *f, int mode, int v)
{
    double s = (v - 0.5) / (f->vertices - 1.5);
    return shape(find_root(mode + 1), s);
}

static void make_fit(fit *f, int64_t mode)
{
    double product[MODES][MODES] = {0}, row[MODES] = {0};
    row[mode - 1] = 1.0;
    for (int v = 1; v < f->vertices; v++) {
        double weight = v + 1 == f->vertices ? 0.5 : 1.0, value[MODES];
        for (int i = 0; i < MODES; i++) value[i] = weighed_shape(f, i, v);
        for (int i = 0; i < MODES; i++) {
            for (int k = 0; k < MODES; k++) product[i][k] += weight * value[i] * value[k];
        }
    }
    solve(product, row);
    for (int v = 1; v < f->vertices; v++) {
        double weight = v + 1 == f->vertices ? 0.5 : 1.0;
        for (int i = 0; i < MODES; i++) f->pick[v] += weight * row[i] * weighed_shape(f, i, v);
    }
}

// The part of the mode in the motion since the output before; slower modes are larger in places than in motions.
static double project(const dr_lab_rod_record *record, const fit *f, int frame)
{
    double sum = 0.0;
    for (int v = 1; v < record->vertices; v++)
        sum += f->pick[v] * (dr_lab_rod_vertex(record, frame, v)[1] - dr_lab_rod_vertex(record, frame - 1, v)[1]);
    return sum;
}

typedef struct swing {
    double period, decay; // per second
} swing;

static swing find_swing(const dr_lab_rod_record *record, const fit *f)
{
    double first = 0.0, last = 0.0, crest = 0.0, first_crest = 0.0, last_crest = 0.0;
    int zeros = 0, crests = 0;
    for (int i = 2; i < record->frames; i++) {
        double a = project(record, f, i - 1), c = project(record, f, i), time = record->step * (i - 1);
        crest = fmax(crest, fabs(a));
        if (i == 2 || (a < 0.0) == (c < 0.0)) continue;
        last = time + record->step * a / (a - c);
        if (zeros++ == 0) {
            first = last;
        } else {
            last_crest = log(crest);
            if (crests++ == 0) first_crest = last_crest;
        }
        crest = 0.0;
    }
    double half = crests > 1 ? (last - first) / (zeros - 1) : NAN;
    return (swing){2.0 * half, crests > 1 ? (first_crest - last_crest) / ((crests - 1) * half) : NAN};
}

#define SEEN 2e-4 // of the critical damping: how well crests that lie between outputs tell it

// |R(i x)|^2 = 1/(1 + x^2), or p(x)/(p(x) + q x^4).
static double scheme_damping(int integrator, double x)
{
    const double g = 2.0 - sqrt(2.0), a = 2.0 * (2.0 - g), b = 1.0 + (1.0 - g) * (1.0 - g), c = g * (1.0 - g);
    double excess = integrator == 1 ? x * x : c * c * pow(x, 4.0) / (a * a + b * b * x * x);
    return log1p(excess) / (2.0 * x);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    const dr_lab_rod rod = ROD_OF(p, 2.0 / 3.0);
    char strand[400];
    dr_lab_rod_record record = {0};
    double b = find_root(p->mode), time = dr_lab_rod_time(&rod), omega = b * b / time,
           edge = p->length / ((double)p->segments - 0.5);
    snprintf(strand, sizeof strand,
             "type: line, start: [%.17g, 0, 0], end: [%.17g, 0, 0], vertices: %d, velocity: [0, %.17g, 0]", -0.5 * edge,
             p->length, (int)p->segments + 1, p->amplitude * p->length * omega);
    dr_lab_rod_run run = {.title = "a rod swings",
                          .strand = strand,
                          .integrator = integrators[p->integrator],
                          .step = p->step * 6.283185307179586 / (b * b),
                          .steps = (int64_t)(p->periods / p->step)};
    dr_status status = dr_lab_rod_watch(lab, &rod, &run, &record, error);
    if (status) return status;
    fit f = {.vertices = record.vertices};
    f.pick = dr_memory_alloc(NULL, (size_t)f.vertices * sizeof *f.pick);
    if (!f.pick) {
        dr_lab_rod_forget(&record);
        return dr_error_memory(error, "watching a rod");
    }
    make_fit(&f, p->mode);
    swing found = find_swing(&record, &f);
    dr_memory_free(NULL, f.pick, (size_t)f.vertices * sizeof *f.pick);
    double damping = found.decay / omega, expected = scheme_damping(p->integrator, omega * run.step * time);
    dr_lab_expect(lab, "frequency_ratio", "", 6.283185307179586 / (found.period * omega), 1.0, 0.01);
    dr_lab_expect(lab, "damping_ratio", "", damping, expected, fmax(0.05 * expected, SEEN));
    dr_lab_measure(lab, "energy_lost_per_period", "", 1.0 - exp(-4.0 * DR_PI * damping));
    dr_lab_measure(lab, "frequency", "Hz", 1.0 / found.period);
    dr_lab_rod_forget(&record);
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_rod_vibration = {
    "rod-vibration", "a clamped rod swings: frequency of a mode, damping of the scheme", &table, run};
