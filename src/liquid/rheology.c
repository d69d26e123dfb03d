// The law of thick liquids. docs/theory/rheology.md, eq. (1)-(16).
//   s  norm of the deviatoric stress mu dev b      mu_ = mu tr(b)/3     gamma  rate of plastic flow
#include "liquid/rheology.h"

#include "liquid/tuning.h"

#include <math.h>
#include <string.h>

// ---- the return map

dr_return_map dr_rheology_return(const dr_rheology *law, double trial, double modulus, double dt)
{
    const dr_viscoplastic plastic = {law->yield, law->consistency, law->index};
    return dr_viscoplastic_return(&plastic, trial, modulus, dt);
}

// ---- symmetric matrices

static void expand(const double s[DR_SYMMETRIC], double diagonal, double m[9])
{
    const double full[9] = {s[0] + diagonal, s[1], s[2], s[1], s[3] + diagonal, s[4], s[2], s[4], s[5] + diagonal};
    memcpy(m, full, sizeof full);
}

static void shrink(const double m[9], double s[DR_SYMMETRIC])
{
    s[0] = m[0];
    s[1] = 0.5 * (m[1] + m[3]);
    s[2] = 0.5 * (m[2] + m[6]);
    s[3] = m[4];
    s[4] = 0.5 * (m[5] + m[7]);
    s[5] = m[8];
}

static double determinant(const double m[9])
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static void multiply(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 9; i++) {
        int r = i / 3 * 3, c = i % 3;
        out[i] = a[r] * b[c] + a[r + 1] * b[3 + c] + a[r + 2] * b[6 + c];
    }
}

// e' of I + e' = f (I + e) f^T with f = I + g, without the cancellation of the identity.
static void carry(const double g[9], const double e[DR_SYMMETRIC], double out[DR_SYMMETRIC])
{
    double m[9], half[9], all[9];
    expand(e, 0.0, m);
    multiply(g, m, half); // g e
    for (int i = 0; i < 9; i++) half[i] += g[i];
    for (int i = 0; i < 9; i++) { // (g + g e) (I + g^T) + e + g^T + e g^T
        int r = i / 3, c = i % 3;
        double sum = half[i] + m[i] + g[3 * c + r];
        for (int k = 0; k < 3; k++) sum += half[3 * r + k] * g[3 * c + k] + m[3 * r + k] * g[3 * c + k];
        all[i] = sum;
    }
    shrink(all, out);
}

// e of (I + e) / det(I + e)^(1/3)
static bool normalise(double e[DR_SYMMETRIC])
{
    double trace = e[0] + e[3] + e[5];
    double pairs = e[0] * e[3] + e[3] * e[5] + e[5] * e[0] - e[1] * e[1] - e[2] * e[2] - e[4] * e[4];
    double m[9];
    expand(e, 0.0, m);
    double more = trace + pairs + determinant(m); // det(I + e) - 1
    if (!(more > DR_RHEOLOGY_LEAST_SQUARE - 1.0 && more < DR_RHEOLOGY_MOST_SQUARE)) return false;
    double scale = expm1(-log1p(more) / 3.0); // less 1
    for (int i = 0; i < DR_SYMMETRIC; i++) e[i] += scale * e[i];
    e[0] += scale;
    e[3] += scale;
    e[5] += scale;
    return true;
}

static double deviator(const double e[DR_SYMMETRIC], double dev[DR_SYMMETRIC])
{
    double mean = (e[0] + e[3] + e[5]) / 3.0;
    memcpy(dev, e, DR_SYMMETRIC * sizeof *dev);
    dev[0] -= mean;
    dev[3] -= mean;
    dev[5] -= mean;
    return mean;
}

static double norm(const double s[DR_SYMMETRIC])
{
    return sqrt(s[0] * s[0] + s[3] * s[3] + s[5] * s[5] + 2.0 * (s[1] * s[1] + s[2] * s[2] + s[4] * s[4]));
}

void dr_rheology_stress(const dr_rheology *law, const double b[DR_SYMMETRIC], double stress[DR_SYMMETRIC])
{
    deviator(b, stress);
    for (int i = 0; i < DR_SYMMETRIC; i++) stress[i] *= law->shear_modulus;
}

// ---- eigenvalues, for what tears

// Jacobi rotations: m = u diag(value) u^T.
static void diagonalise(double m[9], double u[9], double value[3])
{
    for (int i = 0; i < 9; i++) u[i] = i % 4 == 0 ? 1.0 : 0.0;
    for (int sweep = 0; sweep < DR_RHEOLOGY_SWEEPS; sweep++) {
        double off = m[1] * m[1] + m[2] * m[2] + m[5] * m[5];
        if (!(off > DR_RHEOLOGY_OFF_DIAGONAL * (m[0] * m[0] + m[4] * m[4] + m[8] * m[8]))) break;
        for (int k = 0; k < 3; k++) {
            int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2;
            if (m[3 * p + q] == 0.0) continue;
            double half = 0.5 * (m[4 * q] - m[4 * p]) / m[3 * p + q];
            double t = (half >= 0.0 ? 1.0 : -1.0) / (fabs(half) + sqrt(half * half + 1.0));
            double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
            for (int i = 0; i < 3; i++) {
                double a = m[3 * i + p], b = m[3 * i + q];
                m[3 * i + p] = c * a - s * b;
                m[3 * i + q] = s * a + c * b;
            }
            for (int i = 0; i < 3; i++) {
                double a = m[3 * p + i], b = m[3 * q + i];
                m[3 * p + i] = c * a - s * b;
                m[3 * q + i] = s * a + c * b;
            }
            for (int i = 0; i < 3; i++) {
                double a = u[3 * i + p], b = u[3 * i + q];
                u[3 * i + p] = c * a - s * b;
                u[3 * i + q] = s * a + c * b;
            }
        }
    }
    for (int i = 0; i < 3; i++) value[i] = m[4 * i];
}

static double largest_stretch(const double e[DR_SYMMETRIC])
{
    double m[9], u[9], value[3];
    expand(e, 1.0, m);
    diagonalise(m, u, value);
    return fmax(value[0], fmax(value[1], value[2]));
}

// The lower factor of b = I + e.
static void factor(const double e[DR_SYMMETRIC], double l[9])
{
    memset(l, 0, 9 * sizeof *l);
    l[0] = sqrt(fmax(1.0 + e[0], DR_RHEOLOGY_LEAST_SQUARE));
    l[3] = e[1] / l[0];
    l[6] = e[2] / l[0];
    l[4] = sqrt(fmax(1.0 + e[3] - l[3] * l[3], DR_RHEOLOGY_LEAST_SQUARE));
    l[7] = (e[4] - l[6] * l[3]) / l[4];
    l[8] = sqrt(fmax(1.0 + e[5] - l[6] * l[6] - l[7] * l[7], DR_RHEOLOGY_LEAST_SQUARE));
}

// m = l^-1 (I + total) l^-T: the plastic part of the deformation, eq. (10).
static void plastic_part(const double l[9], const double total[DR_SYMMETRIC], double m[9])
{
    expand(total, 1.0, m);
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < 3; c++) {
            m[c] /= l[0];
            m[3 + c] = (m[3 + c] - l[3] * m[c]) / l[4];
            m[6 + c] = (m[6 + c] - l[6] * m[c] - l[7] * m[3 + c]) / l[8];
        }
        for (int k = 0; k < 3; k++) { // transpose
            int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2;
            double swap = m[3 * p + q];
            m[3 * p + q] = m[3 * q + p];
            m[3 * q + p] = swap;
        }
    }
}

static double deviation(const double m[9])
{
    double mean = (m[0] + m[4] + m[8]) / 3.0, sum = 0.0;
    for (int i = 0; i < 9; i++) {
        double x = i % 4 == 0 ? m[i] - mean : m[i];
        sum += x * x;
    }
    return sqrt(sum);
}

bool dr_rheology_is_torn(const dr_rheology *law, const dr_rheology_state *state)
{
    if (!(law->tear > 0.0)) return false;
    double l[9], m[9];
    factor(state->b, l);
    plastic_part(l, state->total, m);
    return !(deviation(m) < law->tear);
}

void dr_rheology_recover(const dr_rheology *law, double dt, dr_rheology_state *state)
{
    if (!(law->tear > 0.0)) return;
    double l[9], m[9], u[9], value[3], lu[9], keep = exp(-dt / law->recovery);
    factor(state->b, l);
    plastic_part(l, state->total, m);
    if (deviation(m) < DR_RHEOLOGY_FORGOTTEN) return;
    diagonalise(m, u, value);
    multiply(l, u, lu);
    double out[9] = {0.0};
    for (int k = 0; k < 3; k++) {
        double power = pow(fmin(fmax(value[k], 1.0 / DR_RHEOLOGY_MOST_STRETCH), DR_RHEOLOGY_MOST_STRETCH), keep);
        for (int i = 0; i < 9; i++) out[i] += power * lu[i / 3 * 3 + k] * lu[i % 3 * 3 + k];
    }
    for (int i = 0; i < 9; i += 4) out[i] -= 1.0;
    shrink(out, state->total);
    normalise(state->total);
}

// ---- the step

// Only the turning of a gradient: the rotation by its antisymmetric part, less I, to the second order.
static void turning(const double g[9], double out[9])
{
    double w[9], square[9];
    for (int i = 0; i < 9; i++) w[i] = 0.5 * (g[i] - g[i % 3 * 3 + i / 3]);
    multiply(w, w, square);
    for (int i = 0; i < 9; i++) out[i] = w[i] + 0.5 * square[i];
}

// One part of a step with constant gradient g (times its dt). answer->viscosity comes in as that of the parts before.
static void step_part(const dr_rheology *law, const double g[9], double dt, bool torn, dr_rheology_state *state,
                      dr_rheology_answer *answer)
{
    double b[DR_SYMMETRIC], dev[DR_SYMMETRIC], turn[9];
    const double *way = g;
    carry(g, state->b, b);
    bool ok = normalise(b);
    if (torn && ok && largest_stretch(b) > largest_stretch(state->b)) { // eq. (12)
        turning(g, turn);
        way = turn;
        carry(turn, state->b, b);
        ok = normalise(b);
    }
    if (!ok) memset(b, 0, sizeof b);
    if (law->tear > 0.0) {
        double total[DR_SYMMETRIC];
        carry(way, state->total, total);
        if (normalise(total)) memcpy(state->total, total, sizeof total);
    }
    double mean = deviator(b, dev), size = norm(dev), modulus = law->shear_modulus * (1.0 + mean);
    double trial = law->shear_modulus * size;
    dr_return_map map = dr_rheology_return(law, trial, modulus, dt);
    double share = trial > 0.0 ? map.stress / trial : 1.0;
    for (int i = 0; i < DR_SYMMETRIC; i++) {
        answer->stress[i] = law->shear_modulus * share * dev[i];
        state->b[i] = share * dev[i];
    }
    state->b[0] += mean;
    state->b[3] += mean;
    state->b[5] += mean;
    answer->viscosity = fmax(share, map.by_trial) * (answer->viscosity + dt * modulus);
    answer->flow = trial > law->yield ? map.by_trial * (answer->flow + dt * modulus) : 0.0;
}

void dr_rheology_step(const dr_rheology *law, const double gradient[9], double dt, dr_rheology_state *state,
                      dr_rheology_answer *answer)
{
    double size = 0.0, g[9];
    for (int i = 0; i < 9; i++) size += gradient[i] * gradient[i];
    size = dt * sqrt(size);
    double parts = fmin(fmax(1.0, ceil(size / DR_RHEOLOGY_PART)), DR_RHEOLOGY_PARTS);
    if (!(parts >= 1.0)) parts = 1.0;
    for (int i = 0; i < 9; i++) g[i] = gradient[i] * dt / parts;
    bool torn = dr_rheology_is_torn(law, state);
    answer->viscosity = answer->flow = 0.0;
    for (int k = 0; k < (int)parts; k++) step_part(law, g, dt / parts, torn, state, answer);
}

// ---- the tangent

static double contract(const double a[9], const double b[9])
{
    double sum = 0.0;
    for (int i = 0; i < 9; i++) sum += a[i] * b[i];
    return sum;
}

void dr_rheology_tangent(const dr_rheology *law, const double trial[DR_SYMMETRIC], double dt, const double direction[9],
                         double change[9])
{
    double b[9], d[9], lb[9], db[9], third = (trial[0] + trial[3] + trial[5]) / 3.0, mu = law->shear_modulus;
    expand(trial, 0.0, b);
    memcpy(d, b, sizeof d);
    for (int i = 0; i < 9; i += 4) d[i] -= third;
    double size = sqrt(contract(d, d)), s = mu * size;
    dr_return_map map = dr_rheology_return(law, s, mu * third, dt);
    double share = s > 0.0 ? map.stress / s : 1.0;
    double by_s = s > 0.0 ? (map.by_trial - share) / s : 0.0, by_modulus = s > 0.0 ? map.by_modulus / s : 0.0;
    double trace = direction[0] + direction[4] + direction[8], along = contract(b, direction);
    multiply(direction, b, lb);
    multiply(d, b, db);
    double stretch = size > 0.0 ? 2.0 * mu / size * contract(db, direction) - 2.0 / 3.0 * s * trace : 0.0;
    double bulk = mu / 3.0 * (2.0 * along - 2.0 * trace * third);
    for (int i = 0; i < 9; i++) {
        double elastic = lb[i] + third * direction[i % 3 * 3 + i / 3] - 2.0 / 3.0 * trace * d[i];
        if (i % 4 == 0) elastic -= 2.0 / 3.0 * along;
        change[i] = mu * (share * elastic + d[i] * (by_s * stretch + by_modulus * bulk));
    }
}

// ---- volume

double dr_rheology_pressure(double bulk_modulus, double dilation)
{
    double ratio = 1.0 + dilation;
    return -0.5 * bulk_modulus * dilation * (ratio + 1.0) / ratio;
}

double dr_rheology_stiffness(double bulk_modulus, double dilation)
{
    double ratio = 1.0 + dilation;
    return 0.5 * bulk_modulus * (ratio + 1.0 / ratio);
}

double dr_rheology_dilation(double bulk_modulus, double pressure)
{
    double q = pressure / bulk_modulus;
    return q * q / (1.0 + sqrt(1.0 + q * q)) - q;
}

double dr_rheology_yield_of_shear(double yield_stress)
{
    return sqrt(3.0) * yield_stress;
}

double dr_rheology_consistency_of_shear(double consistency, double index)
{
    return exp2(0.5 * (index + 1.0)) * consistency;
}

double dr_rheology_shear_of_yield(double yield)
{
    return yield / sqrt(2.0);
}

double dr_rheology_shear_of_consistency(double consistency, double index)
{
    return exp2(-0.5 * (index + 1.0)) * consistency;
}
