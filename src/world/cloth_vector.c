// Vectors of the implicit step of cloth on nodes or faces: sums, products, the mass as a preconditioner.
// docs/theory/codim.md, section 9. Sums are double, per piece of fixed length and then in a fixed tree.
#include "world/cloth_newton.h"

#include "math/simd.h"

#include <float.h>

#define GRAIN 64 // blocks of a sum: fixed, so that sums do not depend on the number of threads

typedef dr_cloth_newton solving;

void dr_cloth_vector_run(const solving *job, dr_par_body body)
{
    solving copy = *job;
    dr_par_for(&job->world->par, job->world->grid.block_count, GRAIN, body, &copy);
}

double dr_cloth_vector_sum(const solving *job)
{
    return dr_par_sum(dr_cloth_newton_solve(job)->partial, (job->world->grid.block_count + GRAIN - 1) / GRAIN);
}

// The sum over items of m^power a.b.
static double add_items(const float *mass, const float *a, const float *b, size_t begin, size_t end)
{
    dr_double4 sum = dr_double4_all(0.0);
    for (size_t n = begin; n < end; n += 4) {
        dr_double4 one = dr_double4_from(dr_float4_load(a + n)) * dr_double4_from(dr_float4_load(b + n));
        sum += mass ? dr_double4_from(dr_float4_load(mass + n)) * one : one;
    }
    return dr_double4_total(sum);
}

static void dot_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    dr_cloth_newton_solve(job)->partial[begin / GRAIN] = add_items(
        job->factor != 0.0 ? job->mass : NULL, job->a, job->b, begin * DR_NEWTON_FLOATS, end * DR_NEWTON_FLOATS);
}

double dr_cloth_vector_dot(const solving *job, const float *a, const float *b, bool weighted)
{
    solving copy = *job;
    copy.a = a;
    copy.b = b;
    copy.factor = weighted ? 1.0 : 0.0;
    dr_cloth_vector_run(&copy, dot_blocks);
    return dr_cloth_vector_sum(&copy);
}

// out += factor a
static void add_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    float factor = (float)job->factor;
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i++) job->out[i] += factor * job->a[i];
}

void dr_cloth_vector_add(const solving *job, float *out, double factor, const float *a)
{
    solving copy = *job;
    copy.out = out;
    copy.a = a;
    copy.factor = factor;
    dr_cloth_vector_run(&copy, add_blocks);
}

DR_INLINE dr_float8 divide(const solving *job, size_t i)
{
    dr_float8 mass = dr_float8_load(job->mass + i), one = dr_float8_all(1.0F);
    dr_int8 empty = mass < dr_float8_all(FLT_MIN);
    dr_float8 value = dr_float8_all((float)job->factor) / dr_float8_select(empty, one, mass);
    return dr_float8_select(empty, dr_float8_all(0.0F), value * dr_float8_load(job->a + i));
}

DR_INLINE dr_double4 product(dr_float4 a, dr_float4 b)
{
    return dr_double4_from(a) * dr_double4_from(b);
}

// out = factor M^-1 a; partial: of a.out
static void divide_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    dr_double4 sum = dr_double4_all(0.0);
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i += 8) {
        dr_float8 value = divide(job, i);
        sum += product(dr_float4_load(job->a + i), dr_float8_low(value));
        sum += product(dr_float4_load(job->a + i + 4), dr_float8_high(value));
        dr_float8_store(job->out + i, value);
    }
    dr_cloth_newton_solve(job)->partial[begin / GRAIN] = dr_double4_total(sum);
}

static void size_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    dr_double4 sum = dr_double4_all(0.0);
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i += 8) {
        dr_float8 value = divide(job, i);
        dr_float4 low = dr_float8_low(value), high = dr_float8_high(value);
        sum += dr_double4_from(dr_float4_load(job->mass + i)) * product(low, low);
        sum += dr_double4_from(dr_float4_load(job->mass + i + 4)) * product(high, high);
    }
    dr_cloth_newton_solve(job)->partial[begin / GRAIN] = dr_double4_total(sum);
}

// The sum over items of m |P M^-1 a|^2. Where nothing constrains them, nothing is written.
double dr_cloth_vector_size(const solving *job, const float *a)
{
    solving copy = *job;
    copy.a = a;
    copy.factor = 1.0;
    if (dr_cloth_newton_solve(job)->wall_count == 0) {
        dr_cloth_vector_run(&copy, size_blocks);
        return dr_cloth_vector_sum(&copy);
    }
    float *scaled = dr_cloth_newton_vector(job, DR_NEWTON_SCALED);
    dr_cloth_vector_precondition(job, a, 1.0, scaled);
    return dr_cloth_vector_dot(job, scaled, scaled, true);
}

double dr_cloth_vector_divide(const solving *job, const float *a, double factor, float *out)
{
    dr_cloth_vector_precondition(job, a, factor, out);
    bool free = dr_cloth_newton_solve(job)->wall_count == 0;
    return free ? dr_cloth_vector_sum(job) : dr_cloth_vector_dot(job, a, out, false);
}

// out = P M^-1 a, with what constraints leave of it
void dr_cloth_vector_precondition(const solving *job, const float *a, double factor, float *out)
{
    solving copy = *job;
    copy.a = a;
    copy.out = out;
    copy.factor = factor;
    dr_cloth_vector_run(&copy, divide_blocks);
    dr_cloth_wall_project_all(job->world, out);
}

// out += m (a - b); where b is NULL, m a
static void add_inertia_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const solving *job = user;
    for (size_t i = begin * DR_NEWTON_FLOATS; i < end * DR_NEWTON_FLOATS; i++)
        job->out[i] += job->mass[i] * (job->b ? job->a[i] - job->b[i] : job->a[i]);
}

void dr_cloth_vector_add_inertia(const solving *job, float *out, const float *a, const float *b)
{
    solving copy = *job;
    copy.out = out;
    copy.a = a;
    copy.b = b;
    dr_cloth_vector_run(&copy, add_inertia_blocks);
}
