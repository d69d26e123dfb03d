// A wave that stands between two walls half a wave length apart: omega^2 = g k tanh(k depth); it decays with 2 nu k^2
// (low viscosity, walls that slip), without viscosity not at all, and it must not grow. Its height is the cosine part
// of where the liquid is, a = 2 / (width thickness) sum V cos(k x), which is exact for any depth since liquid below the
// trough adds nothing. A wave that is not low swings a little differently, Tadjbakhsh and Keller (1960): see
// docs/validation.md.
#include "base/number.h"
#include "lab/cases.h"
#include "lab/parts.h"
#include "lab/rows.h"

#include "base/memory.h"
#include "base/text.h"

#include <complex.h>
#include <math.h>

typedef struct parameters {
    double length, depth_over_length, amplitude, gravity, density, viscosity, periods, step;
    int deconvolve;
    int64_t cells;
} parameters;

static const char *const restored[] = {"never", "viscous", "always", NULL};

static const dr_field rows[] = {
    ROW_COUNT(parameters, cells, "64", 8, 1024, "Cells per wave length."),
    ROW_REAL(parameters, depth_over_length, DR_UNIT_NONE, "0.5", 0.02, 10.0,
             "Depth of the liquid over the wave length."),
    ROW_REAL(parameters, amplitude, DR_UNIT_NONE, "0.01", 1e-4, 0.1, "Height of the wave over its length."),
    ROW_REAL(parameters, periods, DR_UNIT_NONE, "5", 3.0, 1000.0, "How long to watch."),
    ROW_REAL(parameters, step, DR_UNIT_NONE, "0.01", 1e-5, 0.1, "Step over period."),
    ROW_REAL(parameters, length, DR_UNIT_LENGTH, "100 cm", 1e-2, 1e5, "Of the wave."),
    ROW_REAL(parameters, gravity, DR_UNIT_ACCELERATION, "981 cm/s2", 1e-3, 1e6, "Acceleration, straight down."),
    ROW_REAL(parameters, density, DR_UNIT_DENSITY, "1 g/cm3", 1e-3, 100.0, "Of the liquid."),
    ROW_REAL(parameters, viscosity, DR_UNIT_VISCOSITY, "0", 0.0, 1e6, "Of the liquid."),
    ROW_CHOICE(parameters, deconvolve, restored, "viscous",
               "As transfer.deconvolve: whether what transfers take is put back."),
};
static const dr_table table = ROW_TABLE("standing-wave", parameters, rows);

#define GROWTH 5e-4 // of a wave in a period that is taken for the error of measuring it

enum { TANGENTS = 8, SAMPLES = 40, MOST = 1024 };

static const char format[] =
    "title: a wave stands between two walls\n"
    "gravity: [0, %.17g, 0]\n"
    "domain: {cell: %.17g, min: [0, 0, 0], max: [%.17g, unbounded, %.17g], x_min: slip, x_max: slip, y_min: slip, "
    "z_min: symmetry, z_max: symmetry}\n"
    "transfer: {deconvolve: %s}\n"
    "materials: [{name: liquid, kind: liquid, density: %.17g, viscosity: %.17g, surface_tension: 0}]\n"
    "bodies: [{name: wave, material: liquid, shape: {type: intersection, of: [{type: box, center: [%.17g, %.17g, "
    "%.17g], "
    "size: [%.17g, %.17g, %.17g]}, %s]}}]\n";

// What lies below y = depth + height cos(k x) for x from 0 to the half wave length: below all tangents of the bulging
// part or, beyond the middle, below any of the hollow part.
static void draw_wave(dr_text *text, double k, double depth, double height)
{
    double half = 0.5 * DR_PI / k;
    dr_text_put(text, "{type: union, of: [{type: intersection, of: [");
    for (int i = 0; i <= 2 * TANGENTS + 1; i++) {
        double x = half * (i <= TANGENTS ? i : i - 1) / TANGENTS;
        if (i == TANGENTS + 1) {
            dr_text_print(text,
                          "]}, {type: intersection, of: [{type: half_space, point: [%.9g, 0, 0], normal: [-1, 0, 0]}, ",
                          half);
            dr_text_put(text, "{type: union, of: [");
        }
        dr_text_print(text, "{type: half_space, point: [%.9g, %.9g, 0], normal: [%.9g, 1, 0]}, ", x,
                      depth + height * cos(k * x), height * k * sin(k * x));
    }
    dr_text_put(text, "]}]}]}");
}

typedef struct record {
    double k, scale; // of the sum of cosines
    int count;
    double time[MOST], height[MOST];
} record;

static void watch_frame(void *user, const dr_frame *frame)
{
    record *r = user;
    const dr_frame_part *liquid = dr_lab_liquid_part(frame);
    const dr_frame_array *position = dr_frame_find(liquid, "position"), *volume = dr_frame_find(liquid, "volume");
    double sum = 0.0;
    for (size_t i = 0; i < position->count; i++) {
        sum += dr_lab_item(volume, i, 0) * cos(r->k * dr_lab_item(position, i, 0));
    }
    if (r->count >= MOST) return;
    r->time[r->count] = frame->time;
    r->height[r->count++] = r->scale * sum;
}

// From the first to the last crossing of zero, half a period each.
static double find_period(const record *r)
{
    double first = 0.0, last = 0.0;
    int crossings = 0;
    for (int i = 1; i < r->count; i++) {
        double a = r->height[i - 1], b = r->height[i];
        if ((a < 0.0) == (b < 0.0)) continue;
        last = r->time[i - 1] + (r->time[i] - r->time[i - 1]) * a / (a - b);
        if (crossings++ == 0) first = last;
    }
    return crossings > 1 ? 2.0 * (last - first) / (crossings - 1) : NAN;
}

// Crests and troughs one after the other, by parabolas through three samples.
static int find_extremes(const record *r, double time[MOST], double height[MOST])
{
    int count = 0;
    for (int i = 1; i + 1 < r->count; i++) {
        double a = r->height[i - 1], b = r->height[i], c = r->height[i + 1];
        if (!(fabs(b) > fabs(a) && fabs(b) >= fabs(c))) continue;
        time[count] = r->time[i];
        height[count++] = b - (c - a) * (c - a) / (8.0 * (a - 2.0 * b + c));
    }
    return count;
}

// What a wave does: its angular frequency; how that changes with its height; and how it beats with the wave of half its
// length that it sheds at the start, with which it shares up to `shared` of its amplitude.
typedef struct theory {
    double omega, shift, beat, shared;
} theory;

static theory find_theory(const parameters *p)
{
    double k = 2.0 * DR_PI / p->length, steep = 2.0 * DR_PI * p->amplitude, depth = 2.0 * DR_PI * p->depth_over_length;
    double t = tanh(depth), w = sqrt(t), omega = sqrt(p->gravity * k * t);
    double second = (9.0 * pow(w, -7.0) - 12.0 * pow(w, -3.0) - 3.0 * w - 2.0 * pow(w, 5.0)) / 32.0;
    double shed = steep * ((t + 1.0 / t) / 8.0 + (1.0 / t - 3.0 / (t * t * t)) / 8.0);
    return (theory){.omega = omega,
                    .shift = 0.5 * steep * steep * second / w,
                    .beat = 2.0 * omega - sqrt(2.0 * p->gravity * k * tanh(2.0 * depth)),
                    .shared = 2.0 * shed * shed};
}

enum { TERMS = 4 };

// Least squares: the coefficients of the terms from their normal equations [row][TERMS | right], by elimination.
static void solve_terms(double row[TERMS][TERMS + 1], int terms)
{
    for (int i = 0; i < terms; i++) {
        for (int j = terms; j >= i; j--) row[i][j == terms ? TERMS : j] /= row[i][i];
        for (int r = 0; r < terms; r++) {
            double factor = row[r][i];
            if (r == i) continue;
            for (int j = i; j < terms; j++) row[r][j] -= factor * row[i][j];
            row[r][TERMS] -= factor * row[i][TERMS];
        }
    }
}

// Whether the wave is watched long enough to tell its beat from growth.
static bool sees_beat(const parameters *p, const theory *wave)
{
    return p->periods >= 5.0 && wave->beat * p->periods / wave->omega > 1.2;
}

// How fast the logarithm of the wave's height falls, least squares, beside what it beats. Its height is that of every
// crest or trough over the mean of the two beside it: particles lie a little unevenly, so the middle of the swinging is
// not zero.
static double find_decay(const record *r, const theory *wave, bool beats)
{
    double time[MOST], height[MOST], row[TERMS][TERMS + 1] = {{0.0}};
    int count = find_extremes(r, time, height), terms = beats ? TERMS : 2;
    for (int i = 1; i + 1 < count; i++) {
        double swing = log(fabs(height[i] - 0.5 * (height[i - 1] + height[i + 1])));
        const double term[TERMS] = {1.0, -time[i], cos(wave->beat * time[i]), sin(wave->beat * time[i])};
        for (int a = 0; a < terms; a++) {
            for (int b = 0; b < terms; b++) row[a][b] += term[a] * term[b];
            row[a][TERMS] += term[a] * swing;
        }
    }
    if (count < terms + 2) return NAN;
    solve_terms(row, terms);
    return row[1][TERMS];
}

static dr_status watch_wave(dr_lab *lab, const parameters *p, const char *part, double cells, record *r,
                            dr_error *error)
{
    double cell = p->length / cells, width = 0.5 * p->length, thickness = 4.0 * cell;
    double depth = p->depth_over_length * p->length, height = p->amplitude * p->length;
    double k = 2.0 * DR_PI / p->length, omega = sqrt(p->gravity * k * tanh(k * depth)), period = 2.0 * DR_PI / omega;
    *r = (record){.k = k, .scale = 2.0 / (width * thickness)};
    dr_lab_watch watcher = {.frame = watch_frame, .user = r};
    dr_scene *scene = NULL;
    dr_text shape;
    dr_text_open(&shape, NULL);
    draw_wave(&shape, k, depth, height);
    dr_status status = shape.failed ? dr_error_memory(error, "drawing a wave") : DR_STATUS_OK;
    if (!status)
        status = dr_lab_scene_text(&scene, error, format, -p->gravity, cell, width, thickness, restored[p->deconvolve],
                                   p->density, p->viscosity, 0.5 * width, depth, 0.5 * thickness, width, 2.0 * depth,
                                   thickness, dr_text_show(&shape));
    dr_text_close(&shape);
    if (!status) {
        int frames = (int)ceil(SAMPLES * p->periods);
        dr_lab_scene_time(scene, period * p->periods, frames, p->step * period);
        status = dr_lab_simulate(lab, part, scene, period * p->periods, &watcher, NULL, error);
    }
    dr_scene_destroy(scene);
    return status;
}

// The decay of a wave of any viscosity, 1/s (Lamb, Hydrodynamics, art. 349): the real part of the root of
// (s + 2 nu k^2)^2 + omega^2 = 4 nu^2 k^3 sqrt(k^2 + s/nu), for vorticity that does not reach the bottom.
static double find_viscous_decay(double nu, double k, double omega)
{
    if (!(nu > 0.0)) return 0.0;
    double bare = 2.0 * nu * k * k;
    double complex s = -bare + I * omega;
    for (int i = 0; i < 50; i++) {
        double complex layer = csqrt(k * k + s / nu);
        double complex miss = (s + bare) * (s + bare) + omega * omega - 4.0 * nu * nu * k * k * k * layer;
        s -= miss / (2.0 * (s + bare) - 2.0 * nu * k * k * k / layer);
    }
    return -creal(s);
}

// Low waves: a hundredth at 64 cells, and no growth beyond what is an error of measuring. Higher ones may differ by
// what they should, or grow for a while by what they share, where that cannot be told from a beat.
static void judge(dr_lab *lab, const parameters *p, const theory *wave, double period, double decay, double coarse)
{
    double k = 2.0 * DR_PI / p->length, unit = 2.0 * DR_PI / wave->omega;
    double due = find_viscous_decay(p->viscosity / p->density, k, wave->omega);
    double accuracy = 0.01 * fmax(1.0, 4096.0 / (double)(p->cells * p->cells));
    double growth = sees_beat(p, wave) ? GROWTH : fmax(GROWTH, wave->shared / p->periods);
    dr_lab_expect(lab, "period_ratio", "", period / unit, 1.0, fmax(accuracy, fabs(wave->shift) + 0.5 * accuracy));
    dr_lab_measure(lab, "decay_rate", "1/s", decay);
    dr_lab_measure(lab, "viscous_decay_rate", "1/s", due);
    dr_lab_expect(lab, "decay_per_period", "", decay * unit, due * unit, 0.03 * due * unit + 0.5 * accuracy);
    dr_lab_measure(lab, "coarse_decay_per_period", "", coarse * unit);
    dr_lab_measure(lab, "shared_with_second", "", wave->shared);
    dr_lab_expect(lab, "growth_per_period", "", fmax(0.0, -fmin(decay, coarse) * unit), 0.0, growth);
    dr_lab_expect(lab, "decay_over_coarse", "", (decay - due) / (coarse - due), 0.0, 1.0);
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    const parameters *p = values;
    theory wave = find_theory(p);
    bool beats = sees_beat(p, &wave);
    record *r = dr_memory_alloc(NULL, sizeof *r);
    if (!r) return dr_error_memory(error, "watching a wave");
    dr_status status = watch_wave(lab, p, "fine", (double)p->cells, r, error);
    double period = find_period(r), decay = find_decay(r, &wave, beats);
    if (!status) status = watch_wave(lab, p, "coarse", 0.5 * (double)p->cells, r, error);
    if (!status) judge(lab, p, &wave, period, decay, find_decay(r, &wave, beats));
    dr_memory_free(NULL, r, sizeof *r);
    return status;
}

const dr_lab_case dr_lab_standing_wave = {
    "standing-wave", "a wave stands between walls: its period, and a decay that falls with the cell size", &table, run};
