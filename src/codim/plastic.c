// Elasticity and flow of sand, goo and slime, eight particles side by side. docs/theory/sand.md.
#include "codim/plastic.h"

#include "codim/principal.h"

// The logarithm of a stretch below this is taken there: what is pressed so far has long been pushed out of its cell.
#define LEAST_STRETCH 0.05F

static void find_moduli(double youngs_modulus, double poisson_ratio, dr_plastic *matter)
{
    matter->mu = (float)(youngs_modulus / (2.0 * (1.0 + poisson_ratio)));
    matter->lambda = (float)(youngs_modulus * poisson_ratio / ((1.0 + poisson_ratio) * (1.0 - 2.0 * poisson_ratio)));
}

dr_plastic dr_plastic_sand(double youngs_modulus, double poisson_ratio, double friction_angle)
{
    dr_plastic sand = {.law = DR_PLASTIC_SAND};
    find_moduli(youngs_modulus, poisson_ratio, &sand);
    double sine = sin(friction_angle), alpha = sqrt(2.0 / 3.0) * 2.0 * sine / (3.0 - sine);
    sand.friction = (float)(alpha * (3.0 * (double)sand.lambda + 2.0 * (double)sand.mu) / (2.0 * (double)sand.mu));
    return sand;
}

dr_plastic dr_plastic_goo(double youngs_modulus, double poisson_ratio, double yield_stress, double viscosity)
{
    dr_plastic goo = {.law = DR_PLASTIC_GOO};
    find_moduli(youngs_modulus, poisson_ratio, &goo);
    goo.yield = (float)(sqrt(2.0 / 3.0) * yield_stress / (2.0 * (double)goo.mu));
    goo.rate = viscosity > 0.0 ? (float)((double)goo.mu / viscosity) : INFINITY;
    return goo;
}

static float trace_of(const dr_principal *of, size_t k)
{
    return of->strain[0][k] + of->strain[1][k] + of->strain[2][k];
}

// ---- elasticity

static void give_stress(const dr_plastic *const *matter, const dr_principal *of, size_t count, float (*stress)[9])
{
    float value[3][DR_PRINCIPAL_LANES] = {{0.0F}};
    dr_float8 tau[9];
    for (size_t k = 0; k < count; k++) {
        for (int i = 0; i < 3; i++)
            value[i][k] = 2.0F * matter[k]->mu * of->strain[i][k] + matter[k]->lambda * trace_of(of, k);
    }
    dr_principal_compose(of, (const float(*)[DR_PRINCIPAL_LANES])value, tau);
    for (size_t k = 0; k < count; k++) {
        for (int i = 0; i < 9; i++) stress[k][i] += tau[i][k];
    }
}

static float squared_strain(const dr_principal *of, size_t k)
{
    return of->strain[0][k] * of->strain[0][k] + of->strain[1][k] * of->strain[1][k] +
           of->strain[2][k] * of->strain[2][k];
}

static float energy_of(const dr_plastic *matter, const dr_principal *of, size_t k)
{
    float trace = trace_of(of, k);
    return matter->mu * squared_strain(of, k) + 0.5F * matter->lambda * trace * trace;
}

static float stiffness_of(const dr_plastic *matter, const dr_principal *of, size_t k)
{
    float trace = fabsf(trace_of(of, k)), strain = sqrtf(squared_strain(of, k));
    return (3.0F * matter->lambda + 2.0F * matter->mu) * (1.0F + trace) + 4.0F * matter->mu * strain;
}

void dr_plastic_batch(const dr_plastic *const *matter, const float *strain, size_t count,
                      const dr_plastic_wanted *wanted)
{
    dr_principal of = dr_principal_find(strain, count, LEAST_STRETCH);
    if (wanted->stress) give_stress(matter, &of, count, wanted->stress);
    for (size_t k = 0; k < count; k++) {
        if (wanted->energy) wanted->energy[k] += energy_of(matter[k], &of, k);
        if (wanted->stiffness) wanted->stiffness[k] = fmaxf(wanted->stiffness[k], stiffness_of(matter[k], &of, k));
    }
}

// ---- flow

// Strain e of a particle of sand becomes one in the cone; gives the volume that it has gained without stress.  (4)-(6)
static float flow_sand(const dr_plastic *sand, float dilation, float e[3])
{
    for (int i = 0; i < 3; i++) e[i] += dilation / 3.0F;
    float trace = e[0] + e[1] + e[2], deviator[3];
    if (trace >= 0.0F) {
        e[0] = e[1] = e[2] = 0.0F;
        return trace;
    }
    for (int i = 0; i < 3; i++) deviator[i] = e[i] - trace / 3.0F;
    float size = sqrtf(deviator[0] * deviator[0] + deviator[1] * deviator[1] + deviator[2] * deviator[2]);
    float beyond = size + sand->friction * trace;
    for (int i = 0; i < 3 && beyond > 0.0F; i++) e[i] -= beyond * deviator[i] / size;
    return 0.0F;
}

// Implicit in time: with a viscosity the stress falls towards the yield stress, without one it is there.        (7),
// (8)
static void flow_goo(const dr_plastic *goo, float dt, float e[3])
{
    float mean = (e[0] + e[1] + e[2]) / 3.0F, deviator[3];
    for (int i = 0; i < 3; i++) deviator[i] = e[i] - mean;
    float size = sqrtf(deviator[0] * deviator[0] + deviator[1] * deviator[1] + deviator[2] * deviator[2]);
    if (size <= goo->yield) return;
    float left = 1.0F / (1.0F + goo->rate * dt), now = goo->yield + (size - goo->yield) * left;
    for (int i = 0; i < 3; i++) e[i] = mean + deviator[i] * (now / size);
}

// Adds U diag(exp(change) - 1) U^T F to F.
static void apply_change(const dr_principal *of, const float growth[3][DR_PRINCIPAL_LANES],
                         const unsigned char *changed, size_t count, float *strain)
{
    dr_float8 by[9], more[9];
    dr_principal_compose(of, growth, by);
    for (int i = 0; i < 9; i++) {
        const dr_float8 *row = by + 3 * (i / 3), *f = of->deformation + i % 3;
        more[i] = row[0] * f[0] + row[1] * f[3] + row[2] * f[6];
    }
    for (size_t k = 0; k < count; k++) {
        for (int i = 0; i < 9 && changed[k]; i++) strain[9 * k + (size_t)i] += more[i][k];
    }
}

void dr_plastic_return(const dr_plastic *const *matter, size_t count, float dt, float *strain, float *dilation)
{
    dr_principal of = dr_principal_find(strain, count, LEAST_STRETCH);
    float growth[3][DR_PRINCIPAL_LANES] = {{0.0F}};
    unsigned char changed[DR_PRINCIPAL_LANES] = {0}, any = 0;
    for (size_t k = 0; k < count; k++) {
        float before[3] = {of.strain[0][k], of.strain[1][k], of.strain[2][k]}, e[3] = {before[0], before[1], before[2]};
        if (matter[k]->law == DR_PLASTIC_SAND) dilation[k] = flow_sand(matter[k], dilation[k], e);
        if (matter[k]->law == DR_PLASTIC_GOO) flow_goo(matter[k], dt, e);
        for (int i = 0; i < 3; i++) {
            growth[i][k] = expm1f(e[i] - before[i]);
            if (e[i] != before[i]) changed[k] = any = 1;
        }
    }
    if (any) apply_change(&of, (const float(*)[DR_PRINCIPAL_LANES])growth, changed, count, strain);
}
