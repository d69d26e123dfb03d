// The fixed corotated solid, eight particles side by side in vector lanes. docs/theory/elastic.md.
#include "codim/corotated.h"

#include "math/mat3.h"
#include "math/simd.h"

typedef struct lanes {
    dr_float8 m[9]; // a 3x3 matrix per lane
} lanes;

dr_corotated dr_corotated_make(double youngs_modulus, double poisson_ratio)
{
    double mu = youngs_modulus / (2.0 * (1.0 + poisson_ratio));
    double lambda = youngs_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio));
    return (dr_corotated){(float)mu, (float)lambda};
}

// Lanes past `count` are at rest.
static lanes load(const float *strain, size_t count)
{
    lanes f;
    for (int i = 0; i < 9; i++) {
        float value[8];
        for (size_t k = 0; k < 8; k++) value[k] = k < count ? strain[9 * k + (size_t)i] : i % 4 == 0 ? 1.0F : 0.0F;
        f.m[i] = dr_float8_load(value);
    }
    return f;
}

DR_INLINE lanes cofactor(const lanes *a)
{
    const dr_float8 *m = a->m;
    return (lanes){{m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6],
                    m[2] * m[7] - m[1] * m[8], m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7],
                    m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5], m[0] * m[4] - m[1] * m[3]}};
}

DR_INLINE dr_float8 determinant(const lanes *a)
{
    const dr_float8 *m = a->m;
    return m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

// The Newton iteration of dr_mat3_rotation in all lanes; false where a lane needs the careful way.
static int newton(const lanes *f, lanes *r)
{
    const dr_float8 smallest = dr_float8_all(0.02F), settled = dr_float8_all(2e-4F);
    *r = *f;
    for (int iteration = 0; iteration < 12; iteration++) {
        lanes c = cofactor(r);
        dr_float8 j = r->m[0] * c.m[0] + r->m[1] * c.m[1] + r->m[2] * c.m[2], change = dr_float8_all(0.0F);
        if (!dr_float8_every_less(smallest, j)) return 0;
        dr_float8 inverse = 0.5F / j;
        for (int i = 0; i < 9; i++) {
            dr_float8 next = 0.5F * r->m[i] + inverse * c.m[i];
            change = dr_float8_larger(change, dr_float8_absolute(next - r->m[i]));
            r->m[i] = next;
        }
        if (dr_float8_every_less(change, settled)) return 1;
    }
    return 0;
}

static lanes rotation(const lanes *f)
{
    lanes r;
    if (newton(f, &r)) return r;
    for (int k = 0; k < 8; k++) {
        float one[9], turned[9];
        for (int i = 0; i < 9; i++) one[i] = f->m[i][k];
        dr_mat3_rotation(one, turned);
        for (int i = 0; i < 9; i++) r.m[i][k] = turned[i];
    }
    return r;
}

// a b^T, which is symmetric but for rounding, made so.
DR_INLINE void symmetric_product(const lanes *a, const lanes *b, dr_float8 out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] =
                a->m[3 * i] * b->m[3 * j] + a->m[3 * i + 1] * b->m[3 * j + 1] + a->m[3 * i + 2] * b->m[3 * j + 2];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i + 1; j < 3; j++) out[3 * i + j] = out[3 * j + i] = 0.5F * (out[3 * i + j] + out[3 * j + i]);
    }
}

// tr S - 3, S = R^T F.
DR_INLINE dr_float8 stretch_sum(const lanes *f, const lanes *difference)
{
    dr_float8 sum = dr_float8_all(-3.0F);
    for (int i = 0; i < 9; i++) sum += f->m[i] * (f->m[i] - difference->m[i]);
    return sum;
}

// Where lambda is below 0: + lambda (tr S - 3) R F^T (6)
static void add_auxetic(const lanes *f, const lanes *difference, dr_float8 less, dr_float8 tau[9])
{
    dr_float8 whole[9], part[9], sum = stretch_sum(f, difference);
    symmetric_product(f, f, whole);
    symmetric_product(difference, f, part);
    for (int i = 0; i < 9; i++) tau[i] += less * sum * (whole[i] - part[i]);
}

static void give_stress(const lanes *f, const lanes *difference, dr_float8 j, dr_float8 mu, dr_float8 lambda,
                        size_t count, float (*stress)[9])
{
    dr_float8 tau[9];
    symmetric_product(difference, f, tau);
    for (int i = 0; i < 9; i++) tau[i] *= 2.0F * mu; // 2 mu (F - R) F^T
    dr_float8 none = dr_float8_all(0.0F), more = dr_float8_larger(lambda, none);
    for (int i = 0; i < 9; i += 4) tau[i] += more * (j - 1.0F) * j; // + lambda (J - 1) J I
    if (!dr_float8_every_less(-dr_float8_all(1e-30F), lambda)) add_auxetic(f, difference, lambda - more, tau);
    for (size_t k = 0; k < count; k++) {
        for (int i = 0; i < 9; i++) stress[k][i] = tau[i][k];
    }
}

static void give_energy(const lanes *f, const lanes *difference, dr_float8 j, dr_float8 mu, dr_float8 lambda,
                        size_t count, float *energy)
{
    dr_float8 more = dr_float8_larger(lambda, dr_float8_all(0.0F)), sum = stretch_sum(f, difference);
    dr_float8 squared = dr_float8_all(0.0F);
    for (int i = 0; i < 9; i++) squared += difference->m[i] * difference->m[i];
    dr_float8 psi = mu * squared + 0.5F * more * (j - 1.0F) * (j - 1.0F) + 0.5F * (lambda - more) * sum * sum;
    for (size_t k = 0; k < count; k++) energy[k] = psi[k];
}

// Largest eigenvalue of F F^T by its largest absolute row sum.
static dr_float8 stretch_squared(const lanes *f)
{
    dr_float8 product[9], largest = dr_float8_all(1.0F);
    symmetric_product(f, f, product);
    for (int i = 0; i < 3; i++) {
        dr_float8 row = dr_float8_absolute(product[3 * i]) + dr_float8_absolute(product[3 * i + 1]) +
                        dr_float8_absolute(product[3 * i + 2]);
        largest = dr_float8_larger(largest, row);
    }
    return largest;
}

static void give_stiffness(const lanes *f, dr_float8 j, dr_float8 mu, dr_float8 lambda, size_t count, float *stiffness)
{
    dr_float8 none = dr_float8_all(0.0F), one = dr_float8_all(1.0F), more = dr_float8_larger(lambda, none);
    dr_float8 stretch = stretch_squared(f), squared = dr_float8_larger(one, j * j);
    dr_float8 bound = 2.0F * mu * stretch + more * (3.0F * squared + 2.0F * dr_float8_absolute(j * (j - 1.0F)));
    bound += 12.0F * (more - lambda) * dr_float8_larger(one - j, none) * stretch; // 3 - tr S <= 3 (1 - J)
    for (size_t k = 0; k < count; k++) stiffness[k] = bound[k];
}

void dr_corotated_batch(const dr_corotated *const *solid, const float *strain, size_t count,
                        const dr_corotated_wanted *wanted)
{
    dr_float8 mu = dr_float8_all(0.0F), lambda = mu;
    for (size_t k = 0; k < count; k++) {
        mu[k] = solid[k]->mu;
        lambda[k] = solid[k]->lambda;
    }
    lanes f = load(strain, count), difference;
    dr_float8 j = determinant(&f);
    if (wanted->stress || wanted->energy) {
        lanes r = rotation(&f);
        for (int i = 0; i < 9; i++) difference.m[i] = f.m[i] - r.m[i];
    }
    if (wanted->stress) give_stress(&f, &difference, j, mu, lambda, count, wanted->stress);
    if (wanted->energy) give_energy(&f, &difference, j, mu, lambda, count, wanted->energy);
    if (wanted->stiffness) give_stiffness(&f, j, mu, lambda, count, wanted->stiffness);
}

void dr_corotated_move(const float gradient[9], float dt, float strain[9])
{
    float change[9];
    dr_mat3_multiply(gradient, strain, change);
    for (int i = 0; i < 9; i++) strain[i] += dt * change[i];
}
