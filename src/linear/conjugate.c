// docs/theory/pressure.md, section 5.
#include "linear/conjugate.h"

#include "linear/krylov.h"
#include "math/simd.h"

#include <math.h>

enum { GRAIN = DR_LEVEL_GRAIN, CELLS = DR_LEVEL_CELLS };

static size_t count_pieces(size_t blocks)
{
    return (blocks + GRAIN - 1) / GRAIN;
}

enum { VECTORS = 3 };

static void list_vectors(dr_conjugate *conjugate, dr_work_array list[VECTORS])
{
    list[0] = (dr_work_array){(void **)&conjugate->x, CELLS * sizeof(double)};
    list[1] = (dr_work_array){(void **)&conjugate->r, CELLS * sizeof(double)};
    list[2] = (dr_work_array){(void **)&conjugate->q, CELLS * sizeof(double)};
}

void dr_conjugate_free(dr_conjugate *conjugate)
{
    const dr_allocator *allocator = conjugate->allocator;
    dr_work_array list[VECTORS];
    list_vectors(conjugate, list);
    dr_level_field_free(allocator, conjugate->p, conjugate->capacity);
    dr_memory_free(allocator, conjugate->partial, count_pieces(conjugate->capacity) * sizeof(double));
    dr_work_free(allocator, list, VECTORS, &conjugate->capacity);
    *conjugate = (dr_conjugate){.allocator = allocator};
}

bool dr_conjugate_reserve(dr_conjugate *conjugate, size_t blocks)
{
    if (blocks <= conjugate->capacity) return true;
    const dr_allocator *allocator = conjugate->allocator;
    dr_work_array list[VECTORS];
    dr_conjugate_free(conjugate);
    list_vectors(conjugate, list);
    if (!dr_work_reserve(allocator, list, VECTORS, &conjugate->capacity, blocks)) return false;
    conjugate->p = dr_level_field(allocator, conjugate->capacity);
    conjugate->partial = dr_memory_alloc(allocator, count_pieces(conjugate->capacity) * sizeof(double));
    bool ok = conjugate->p && conjugate->partial;
    if (!ok) dr_conjugate_free(conjugate);
    return ok;
}

// alpha: the step along p that x has yet to take.
typedef struct sweep {
    dr_conjugate *conjugate;
    const dr_par *par;
    dr_multigrid *multigrid;
    dr_level *level;
    bool diagonal;
    double alpha, beta;
} sweep;

static double run(sweep *what, dr_par_body body)
{
    size_t blocks = what->level->block_count;
    dr_par_for(what->par, blocks, GRAIN, body, what);
    return dr_par_sum(what->conjugate->partial, count_pieces(blocks));
}

// r -= alpha q, b = r; sum of r r.
static void step_residual(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep *what = user;
    double *r = what->conjugate->r;
    const double *q = what->conjugate->q;
    dr_double4 alpha = dr_double4_all(what->alpha), sum = {0.0};
    for (size_t n = CELLS * begin; n < CELLS * end; n += 8) {
        dr_double4 low = dr_double4_load(r + n) - alpha * dr_double4_load(q + n);
        dr_double4 high = dr_double4_load(r + n + 4) - alpha * dr_double4_load(q + n + 4);
        dr_double4_store(r + n, low);
        dr_double4_store(r + n + 4, high);
        dr_float8_store(what->level->b + n, dr_float8_join(dr_double4_narrow(low), dr_double4_narrow(high)));
        sum += low * low + high * high;
    }
    what->conjugate->partial[begin / GRAIN] = dr_double4_total(sum);
}

// b = r; sum of r r.
static void start_residual(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep *what = user;
    const double *r = what->conjugate->r;
    double sum = 0.0;
    for (size_t n = CELLS * begin; n < CELLS * end; n++) {
        what->level->b[n] = (float)r[n];
        sum += r[n] * r[n];
    }
    what->conjugate->partial[begin / GRAIN] = sum;
}

// Sum of r z.
static void multiply(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep *what = user;
    const float *b = what->level->b, *z = what->level->x;
    dr_double4 sum = {0.0}, more = {0.0};
    for (size_t n = CELLS * begin; n < CELLS * end; n += 8) {
        sum += dr_double4_from(dr_float4_load(b + n)) * dr_double4_from(dr_float4_load(z + n));
        more += dr_double4_from(dr_float4_load(b + n + 4)) * dr_double4_from(dr_float4_load(z + n + 4));
    }
    what->conjugate->partial[begin / GRAIN] = dr_double4_total(sum + more);
}

// x += alpha p, p = z + beta p.
static void step_direction(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep *what = user;
    double *x = what->conjugate->x;
    float *p = what->conjugate->p;
    const float *z = what->level->x;
    dr_double4 alpha = dr_double4_all(what->alpha);
    dr_float4 beta = dr_float4_all((float)what->beta);
    for (size_t n = CELLS * begin; n < CELLS * end; n += 4) {
        dr_float4 old = dr_float4_load(p + n);
        dr_double4_store(x + n, dr_double4_load(x + n) + alpha * dr_double4_from(old));
        dr_float4_store(p + n, dr_float4_add_product(dr_float4_load(z + n), beta, old));
    }
    what->conjugate->partial[begin / GRAIN] = 0.0;
}

static void start_direction(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep *what = user;
    for (size_t n = CELLS * begin; n < CELLS * end; n++) what->conjugate->p[n] = what->level->x[n];
    what->conjugate->partial[begin / GRAIN] = 0.0;
}

static void step_solution(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep *what = user;
    for (size_t n = CELLS * begin; n < CELLS * end; n++) {
        what->conjugate->x[n] += what->alpha * (double)what->conjugate->p[n];
    }
    what->conjugate->partial[begin / GRAIN] = 0.0;
}

static double precondition(void *user)
{
    sweep *what = user;
    if (what->diagonal) {
        for (int colour = 0; colour < 2; colour++) dr_level_relax(what->level, what->par, colour, true);
    } else {
        dr_multigrid_cycle(what->multigrid, what->par);
    }
    return run(what, multiply);
}

static double turn(void *user, double beta)
{
    sweep *what = user;
    dr_conjugate *conjugate = what->conjugate;
    what->beta = beta;
    run(what, what->alpha != 0.0 || beta > 0.0 ? step_direction : start_direction);
    what->alpha = 0.0;
    dr_level_apply(what->level, what->par, conjugate->p, conjugate->q, conjugate->partial);
    return dr_par_sum(conjugate->partial, count_pieces(what->level->block_count));
}

static double advance(void *user, double alpha)
{
    sweep *what = user;
    what->alpha = alpha;
    return sqrt(run(what, step_residual));
}

dr_reason dr_conjugate_solve(dr_conjugate *conjugate, const dr_par *par, dr_multigrid *multigrid,
                             const dr_conjugate_limits *limits, int *iterations, double *norm)
{
    sweep what = {conjugate, par, multigrid, &multigrid->level[0], limits->diagonal, 0.0, 0.0};
    dr_krylov_steps steps = {&what, precondition, turn, advance};
    *norm = sqrt(run(&what, start_residual));
    dr_reason reason = dr_krylov_iterate(&steps, limits->residual, limits->iterations, iterations, norm);
    if (what.alpha != 0.0) run(&what, step_solution);
    return reason;
}
