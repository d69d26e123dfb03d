// Preconditioned conjugate gradients. docs/theory/viscosity.md, "The solve".
//   r  residual      p  search direction      q  A p, and then z = P r in the same place
#include "linear/krylov.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { PIECE = 4096, LANES = 8 }; // items per partial sum; running sums inside one

void dr_krylov_open(dr_krylov *krylov, const dr_allocator *allocator)
{
    *krylov = (dr_krylov){.allocator = allocator};
}

enum { VECTORS = 3 };

static void list_vectors(dr_krylov *krylov, dr_work_array list[VECTORS])
{
    list[0] = (dr_work_array){(void **)&krylov->residual, sizeof(double)};
    list[1] = (dr_work_array){(void **)&krylov->search, sizeof(double)};
    list[2] = (dr_work_array){(void **)&krylov->image, sizeof(double)};
}

static void free_vectors(dr_krylov *krylov)
{
    dr_work_array list[VECTORS], partial = {(void **)&krylov->partial, sizeof(double)};
    list_vectors(krylov, list);
    dr_work_free(krylov->allocator, list, VECTORS, &krylov->capacity);
    dr_work_free(krylov->allocator, &partial, 1, &krylov->partial_capacity);
}

void dr_krylov_close(dr_krylov *krylov)
{
    free_vectors(krylov);
    *krylov = (dr_krylov){0};
}

bool dr_krylov_reserve(dr_krylov *krylov, size_t count)
{
    dr_work_array list[VECTORS], partial = {(void **)&krylov->partial, sizeof(double)};
    list_vectors(krylov, list);
    return dr_work_reserve(krylov->allocator, list, VECTORS, &krylov->capacity, count) &&
           dr_work_reserve(krylov->allocator, &partial, 1, &krylov->partial_capacity, count / PIECE + 1);
}

size_t dr_krylov_bytes(const dr_krylov *krylov)
{
    return (3 * krylov->capacity + krylov->partial_capacity) * sizeof(double);
}

// ---- vector loops

typedef struct vectors {
    const double *a, *b;
    double *x, *y;
    double factor;
    double *partial;
} vectors;

static double sum_products(const double *a, const double *b, size_t count)
{
    double sum[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        for (int l = 0; l < LANES; l++) sum[l] += a[i + (size_t)l] * b[i + (size_t)l];
    }
    for (int l = 0; i < count; i++, l++) sum[l] += a[i] * b[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static void dot_pieces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = user;
    v->partial[begin / PIECE] = sum_products(v->a + begin, v->b + begin, end - begin);
}

// The sum of a[i] b[i].
static double dot(dr_krylov *krylov, const dr_par *par, size_t count, const double *a, const double *b)
{
    vectors v = {.a = a, .b = b, .partial = krylov->partial};
    dr_par_for(par, count, PIECE, dot_pieces, &v);
    return dr_par_sum(krylov->partial, (count + PIECE - 1) / PIECE);
}

// x += factor a, y -= factor b, and the square of y.
static void advance_pieces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = user;
    for (size_t i = begin; i < end; i++) v->x[i] += v->factor * v->a[i];
    for (size_t i = begin; i < end; i++) v->y[i] -= v->factor * v->b[i];
    v->partial[begin / PIECE] = sum_products(v->y + begin, v->y + begin, end - begin);
}

// x = a + factor x
static void turn_pieces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = user;
    for (size_t i = begin; i < end; i++) v->x[i] = v->a[i] + v->factor * v->x[i];
}

// y = a - y
static void subtract_pieces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const vectors *v = user;
    for (size_t i = begin; i < end; i++) v->y[i] = v->a[i] - v->y[i];
}

// ---- the iteration

static dr_reason judge(double value)
{
    return isfinite(value) ? DR_REASON_STALLED : DR_REASON_NOT_FINITE;
}

static dr_reason iterate(const dr_krylov_steps *steps, double *before, double *norm)
{
    double along = steps->precondition(steps->user); // r . z
    if (!(along > 0.0) || !isfinite(along)) return judge(along);
    double energy = steps->turn(steps->user, *before > 0.0 ? along / *before : 0.0); // p . A p
    *before = along;
    if (!(energy > 0.0) || !isfinite(along / energy)) return judge(energy);
    *norm = steps->advance(steps->user, along / energy);
    return isfinite(*norm) ? DR_REASON_CONVERGED : DR_REASON_NOT_FINITE;
}

dr_reason dr_krylov_iterate(const dr_krylov_steps *steps, double aim, int limit, int *iterations, double *norm)
{
    double before = 0.0;
    dr_reason reason = isfinite(*norm) ? DR_REASON_CONVERGED : DR_REASON_NOT_FINITE;
    *iterations = 0;
    while (reason == DR_REASON_CONVERGED && *norm > aim) {
        if (*iterations == limit) return DR_REASON_ITERATIONS;
        reason = iterate(steps, &before, norm);
        if (reason == DR_REASON_CONVERGED) ++*iterations;
    }
    return reason;
}

// ---- in double

typedef struct solve {
    dr_krylov *krylov;
    const dr_par *par;
    const dr_krylov_system *system;
    double *x;
} solve;

static double precondition(void *user)
{
    const solve *what = user;
    const dr_krylov_system *system = what->system;
    double *residual = what->krylov->residual, *image = what->krylov->image;
    if (system->precondition) {
        system->precondition(system->user, residual, image);
    } else {
        memcpy(image, residual, system->count * sizeof(double));
    }
    return dot(what->krylov, what->par, system->count, residual, image);
}

static double turn(void *user, double beta)
{
    const solve *what = user;
    dr_krylov *krylov = what->krylov;
    vectors v = {.a = krylov->image, .x = krylov->search, .factor = beta};
    dr_par_for(what->par, what->system->count, PIECE, turn_pieces, &v);
    what->system->apply(what->system->user, krylov->search, krylov->image);
    return dot(krylov, what->par, what->system->count, krylov->search, krylov->image);
}

static double advance(void *user, double alpha)
{
    const solve *what = user;
    dr_krylov *krylov = what->krylov;
    size_t count = what->system->count;
    vectors v = {krylov->search, krylov->image, what->x, krylov->residual, alpha, krylov->partial};
    dr_par_for(what->par, count, PIECE, advance_pieces, &v);
    return sqrt(dr_par_sum(krylov->partial, (count + PIECE - 1) / PIECE));
}

static double start(const solve *what, const double *rhs)
{
    dr_krylov *krylov = what->krylov;
    const dr_krylov_system *system = what->system;
    vectors v = {.a = rhs, .y = krylov->residual};
    system->apply(system->user, what->x, krylov->residual);
    dr_par_for(what->par, system->count, PIECE, subtract_pieces, &v);
    memset(krylov->search, 0, system->count * sizeof(double));
    return sqrt(dot(krylov, what->par, system->count, krylov->residual, krylov->residual));
}

dr_solve_report dr_krylov_solve(dr_krylov *krylov, const dr_par *par, const dr_krylov_system *system,
                                const dr_krylov_goal *goal, const double *rhs, double *x)
{
    assert(system->count <= krylov->capacity);
    solve what = {krylov, par, system, x};
    dr_krylov_steps steps = {&what, precondition, turn, advance};
    dr_solve_report report = {.name = "cg"};
    double reference = goal->reference;
    if (!(reference > 0.0)) reference = sqrt(dot(krylov, par, system->count, rhs, rhs));
    double norm = start(&what, rhs);
    report.reason = dr_krylov_iterate(&steps, goal->tolerance * reference, goal->limit, &report.iterations, &norm);
    report.residual = reference > 0.0 ? norm / reference : 0.0;
    return report;
}
