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

static void free_vectors(dr_krylov *krylov)
{
    double **list[] = {&krylov->residual, &krylov->search, &krylov->image};
    for (int i = 0; i < 3; i++) {
        dr_memory_free(krylov->allocator, *list[i], krylov->capacity * sizeof(double));
        *list[i] = NULL;
    }
    dr_memory_free(krylov->allocator, krylov->partial, krylov->partial_capacity * sizeof(double));
    krylov->partial = NULL;
    krylov->capacity = krylov->partial_capacity = 0;
}

void dr_krylov_close(dr_krylov *krylov)
{
    free_vectors(krylov);
    *krylov = (dr_krylov){0};
}

bool dr_krylov_reserve(dr_krylov *krylov, size_t count)
{
    if (count <= krylov->capacity) return true;
    free_vectors(krylov);
    krylov->capacity = count + count / 4;
    krylov->partial_capacity = krylov->capacity / PIECE + 1;
    krylov->residual = dr_memory_alloc(krylov->allocator, krylov->capacity * sizeof(double));
    krylov->search = dr_memory_alloc(krylov->allocator, krylov->capacity * sizeof(double));
    krylov->image = dr_memory_alloc(krylov->allocator, krylov->capacity * sizeof(double));
    krylov->partial = dr_memory_alloc(krylov->allocator, krylov->partial_capacity * sizeof(double));
    if (krylov->residual && krylov->search && krylov->image && krylov->partial) return true;
    free_vectors(krylov);
    return false;
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

double dr_krylov_dot(dr_krylov *krylov, const dr_par *par, size_t count, const double *a, const double *b)
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

static double precondition(dr_krylov *krylov, const dr_par *par, const dr_krylov_system *system)
{
    if (system->precondition) {
        system->precondition(system->user, krylov->residual, krylov->image);
    } else {
        memcpy(krylov->image, krylov->residual, system->count * sizeof(double));
    }
    return dr_krylov_dot(krylov, par, system->count, krylov->residual, krylov->image);
}

static void turn(dr_krylov *krylov, const dr_par *par, size_t count, double factor)
{
    vectors v = {.a = krylov->image, .x = krylov->search, .factor = factor};
    dr_par_for(par, count, PIECE, turn_pieces, &v);
}

// One step along the search direction; returns the norm of the new residual.
static double advance(dr_krylov *krylov, const dr_par *par, size_t count, double factor, double *x)
{
    vectors v = {krylov->search, krylov->image, x, krylov->residual, factor, krylov->partial};
    dr_par_for(par, count, PIECE, advance_pieces, &v);
    return sqrt(dr_par_sum(krylov->partial, (count + PIECE - 1) / PIECE));
}

static double start(dr_krylov *krylov, const dr_par *par, const dr_krylov_system *system, const double *rhs,
                    const double *x)
{
    vectors v = {.a = rhs, .y = krylov->residual};
    system->apply(system->user, x, krylov->residual);
    dr_par_for(par, system->count, PIECE, subtract_pieces, &v);
    memset(krylov->search, 0, system->count * sizeof(double));
    return sqrt(dr_krylov_dot(krylov, par, system->count, krylov->residual, krylov->residual));
}

dr_solve_report dr_krylov_solve(dr_krylov *krylov, const dr_par *par, const dr_krylov_system *system,
                                const dr_krylov_goal *goal, const double *rhs, double *x)
{
    assert(system->count <= krylov->capacity);
    size_t count = system->count;
    double reference = goal->reference;
    if (!(reference > 0.0)) reference = sqrt(dr_krylov_dot(krylov, par, count, rhs, rhs));
    double size = start(krylov, par, system, rhs, x), aim = goal->tolerance * reference, before = 0.0;
    dr_solve_report report = {"cg", DR_REASON_CONVERGED, 0, 0.0};
    while (size > aim || !isfinite(size)) {
        if (!isfinite(size)) report.reason = DR_REASON_NOT_FINITE;
        if (report.iterations >= goal->limit) report.reason = DR_REASON_ITERATIONS;
        if (report.reason != DR_REASON_CONVERGED) break;
        double product = precondition(krylov, par, system);
        turn(krylov, par, count, before > 0.0 ? product / before : 0.0);
        before = product;
        system->apply(system->user, krylov->search, krylov->image);
        double curvature = dr_krylov_dot(krylov, par, count, krylov->search, krylov->image);
        if (!(curvature > 0.0) || !(product > 0.0)) {
            report.reason = isfinite(curvature) && isfinite(product) ? DR_REASON_STALLED : DR_REASON_NOT_FINITE;
            break;
        }
        size = advance(krylov, par, count, product / curvature, x);
        report.iterations++;
    }
    report.residual = reference > 0.0 ? size / reference : 0.0;
    return report;
}
