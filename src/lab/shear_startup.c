// A particle of a thick liquid is sheared at a constant rate: its stress rises to a steady one. The law in steps
// against the differential equation it stands for, which is integrated by a method of fourth order.
#include "lab/cases.h"
#include "lab/rows.h"
#include "lab/thick_material.h"

#include <math.h>
#include <string.h>

typedef struct parameters {
    double rate, step, strain;
    int material;
} parameters;

static const char *const materials[] = {DR_LAB_THICK_NAMES};

static const dr_field rows[] = {
    ROW_CHOICE(parameters, material, materials, "shaving cream", "Which liquid."),
    ROW_REAL(parameters, rate, DR_UNIT_FREQUENCY, "10 Hz", 1e-3, 1e4, "Of shear, per second."),
    ROW_REAL(parameters, step, DR_UNIT_TIME, "1e-5 s", 1e-7, 1.0, "Of time."),
    ROW_REAL(parameters, strain, DR_UNIT_NONE, "3", 0.1, 100.0, "Shear strain at which the stress is measured."),
};
static const dr_table table = ROW_TABLE("shear-startup", parameters, rows);

typedef struct measured {
    double shear, first, size, peak, peak_strain; // dyn/cm2; first: normal stress difference
} measured;

static double norm(const double s[6])
{
    return sqrt(s[0] * s[0] + s[3] * s[3] + s[5] * s[5] + 2.0 * (s[1] * s[1] + s[2] * s[2] + s[4] * s[4]));
}

static void record(measured *m, const double stress[6], double strain)
{
    m->shear = stress[1];
    m->first = stress[0] - stress[3];
    m->size = norm(stress);
    if (stress[1] > m->peak) {
        m->peak = stress[1];
        m->peak_strain = strain;
    }
}

static measured by_steps(const dr_rheology *law, const parameters *p)
{
    const double gradient[9] = {0.0, p->rate, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    dr_rheology_state state = {{0.0}, {0.0}};
    dr_rheology_answer answer = {.viscosity = 0.0};
    measured m = {0};
    int64_t steps = (int64_t)ceil(p->strain / (p->rate * p->step) - 1e-9);
    double dt = p->strain / p->rate / (double)steps;
    for (int64_t i = 0; i < steps; i++) {
        dr_rheology_step(law, gradient, dt, &state, &answer);
        record(&m, answer.stress, p->rate * dt * (double)(i + 1));
    }
    return m;
}

// db/dt = L b + b L^T - 2/3 tr(b) gamma(s) s/|s|, of b = bxx, bxy, byy, bzz.
static void slope(const dr_rheology *law, double rate, const double b[4], double out[4])
{
    double third = (b[0] + b[2] + b[3]) / 3.0, dev[4] = {b[0] - third, b[1], b[2] - third, b[3] - third};
    double size = sqrt(dev[0] * dev[0] + 2.0 * dev[1] * dev[1] + dev[2] * dev[2] + dev[3] * dev[3]);
    double over = fmax(0.0, law->shear_modulus * size - law->yield);
    double flow = over > 0.0 ? 2.0 * third * pow(over / law->consistency, 1.0 / law->index) / size : 0.0;
    out[0] = 2.0 * rate * b[1] - flow * dev[0];
    out[1] = rate * b[2] - flow * dev[1];
    out[2] = -flow * dev[2];
    out[3] = -flow * dev[3];
}

static double determinant(const double b[4])
{
    return (b[0] * b[2] - b[1] * b[1]) * b[3];
}

// Runge and Kutta, with steps that the stiffness of the flow allows; the determinant is kept at 1.
static measured by_equation(const dr_rheology *law, const parameters *p)
{
    double b[4] = {1.0, 0.0, 1.0, 1.0}, time = 0.0, end = p->strain / p->rate;
    measured m = {0};
    while (time < end) {
        double s[6] = {b[0], b[1], 0.0, b[2], 0.0, b[3]}, third = (b[0] + b[2] + b[3]) / 3.0;
        s[0] -= third, s[3] -= third, s[5] -= third;
        for (int i = 0; i < 6; i++) s[i] *= law->shear_modulus;
        double over = fmax(norm(s) - law->yield, 1e-12 * law->yield + 1e-12);
        double stiff =
            2.0 * law->shear_modulus * third * pow(over / law->consistency, 1.0 / law->index) / (law->index * over);
        double dt = fmin(fmin(0.2 / fmax(stiff, 1e-12), 1e-3 / p->rate), end - time), k[4][4], at[4];
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < 4; i++)
                at[i] = b[i] + (stage == 0 ? 0.0 : (stage == 3 ? 1.0 : 0.5) * dt * k[stage - 1][i]);
            slope(law, p->rate, at, k[stage]);
        }
        for (int i = 0; i < 4; i++) b[i] += dt / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        double scale = 1.0 / cbrt(determinant(b));
        for (int i = 0; i < 4; i++) b[i] *= scale;
        time = end - time <= dt ? end : time + dt;
        third = (b[0] + b[2] + b[3]) / 3.0;
        const double stress[6] = {law->shear_modulus * (b[0] - third),
                                  law->shear_modulus * b[1],
                                  0.0,
                                  law->shear_modulus * (b[2] - third),
                                  0.0,
                                  law->shear_modulus * (b[3] - third)};
        record(&m, stress, p->rate * time);
    }
    return m;
}

static dr_status run(dr_lab *lab, const void *values, dr_error *error)
{
    (void)error;
    const parameters *p = values;
    dr_material_spec material = dr_lab_thick_material(p->material);
    dr_lab_shear shear = dr_lab_thick_shear(&material);
    dr_rheology law = {.shear_modulus = material.shear_modulus,
                       .yield = sqrt(2.0 / 3.0) * material.yield_stress,
                       .consistency = material.consistency,
                       .index = material.flow_index};
    measured steps = by_steps(&law, p), exact = by_equation(&law, p);
    double tolerance = p->step * p->rate > 2e-4 ? 0.015 : 0.003;
    dr_lab_expect_share(lab, "steady_stress", "dyn/cm2", steps.shear, exact.shear, tolerance);
    dr_lab_expect_share(lab, "stress_norm", "dyn/cm2", steps.size, exact.size, tolerance);
    dr_lab_expect_share(lab, "peak_stress", "dyn/cm2", steps.peak, exact.peak, tolerance);
    dr_lab_measure(lab, "peak_strain", "", steps.peak_strain);
    dr_lab_measure(lab, "normal_stress_difference", "dyn/cm2", steps.first);
    dr_lab_measure(lab, "small_strain_stress", "dyn/cm2", shear.yield + shear.consistency * pow(p->rate, shear.index));
    return DR_STATUS_OK;
}

const dr_lab_case dr_lab_shear_startup = {
    "shear-startup", "a particle of a thick liquid in simple shear: the stress that it comes to", &table, run};
