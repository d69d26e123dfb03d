#include "codim/curve.h"

#include <math.h>

// A section pressed to less than this share of its area has lost its shape and becomes round again. Half: twice-as-thin
// squeezed yarn still remembers; twice: sooner forgotten.
#define LEAST_AREA 0.01

dr_curve_law dr_curve_make(double youngs_modulus, double poisson_ratio, double friction_angle)
{
    double nu = poisson_ratio;
    return (dr_curve_law){.mu = youngs_modulus / (2.0 * (1.0 + nu)),
                          .lambda = youngs_modulus * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)),
                          .across = 2.0 * sin(friction_angle),
                          .along = tan(friction_angle)};
}

// The section in numbers without singular vectors: S = e1 + e2, delta = e1 - e2. (4.2)
typedef struct section {
    double x, y, z; // r22, r23, r33
    double sum, delta;
    double first, second; // delta / sinh(delta), and (sinh - delta cosh) / sinh^3
    double cx, cy, cz;    // slopes of cosh(delta)
} section;

static section measure(const dr_triangular *t)
{
    section s = {.x = t->r[1][1], .y = t->r[1][2], .z = t->r[2][2]};
    if (s.x * s.z < LEAST_AREA) s.z = LEAST_AREA / s.x; // the return map leaves none such
    double x = s.x, y = s.y, z = s.z, u = ((x - z) * (x - z) + y * y) / (2.0 * x * z);
    s.sum = log(x * z);
    s.delta = log1p(u + sqrt(u * (u + 2.0)));
    double d2 = s.delta * s.delta, sh = sinh(s.delta);
    s.first = s.delta < 1e-2 ? 1.0 - d2 / 6.0 + 7.0 * d2 * d2 / 360.0 : s.delta / sh;
    s.second = s.delta < 1e-2 ? -1.0 / 3.0 + 2.0 / 15.0 * d2 : (sh - s.delta * cosh(s.delta)) / (sh * sh * sh);
    s.cx = 0.5 / z - 0.5 * z / (x * x) - 0.5 * y * y / (x * x * z);
    s.cy = y / (x * z);
    s.cz = 0.5 / x - 0.5 * x / (z * z) - 0.5 * y * y / (x * z * z);
    return s;
}

double dr_curve_energy(const dr_curve_law *law, const dr_triangular *t)
{
    section s = measure(t);
    double stretch = t->r[0][0] - 1.0, r12 = t->r[0][1], r13 = t->r[0][2];
    return 0.5 * law->stretch * stretch * stretch + 0.5 * law->shear * (r12 * r12 + r13 * r13) +
           0.5 * (law->lambda + law->mu) * s.sum * s.sum + 0.5 * law->mu * s.delta * s.delta;
}

static void slope(const dr_curve_law *law, const dr_triangular *t, const section *s, double a[3][3])
{
    double bulk = (law->lambda + law->mu) * s->sum, mu = law->mu * s->first;
    a[0][0] = law->stretch * (t->r[0][0] - 1.0);
    a[0][1] = law->shear * t->r[0][1];
    a[0][2] = law->shear * t->r[0][2];
    a[1][1] = bulk / s->x + mu * s->cx;
    a[1][2] = mu * s->cy;
    a[2][2] = bulk / s->z + mu * s->cz;
    dr_triangular_complete(t, a);
}

void dr_curve_stress(const dr_curve_law *law, const dr_triangular *t, double p[3][3])
{
    double a[3][3];
    section s = measure(t);
    slope(law, t, &s, a);
    dr_triangular_turn(t, (const double(*)[3])a, p);
}

// Second derivatives by r22, r23, r33. (4.3)
static void curve_of_section(const dr_curve_law *law, const section *s, const double e[3][3], double da[3][3])
{
    double x = s->x, y = s->y, z = s->z, bulk = law->lambda + law->mu, mu = law->mu;
    double cxx = z / (x * x * x) + y * y / (x * x * x * z), czz = x / (z * z * z) + y * y / (x * z * z * z);
    double cyy = 1.0 / (x * z), cxy = -y / (x * x * z), cyz = -y / (x * z * z);
    double cxz = -0.5 / (z * z) - 0.5 / (x * x) + 0.5 * y * y / (x * x * z * z);
    double g1 = s->first, g2 = s->second;
    double hxx = bulk * (1.0 - s->sum) / (x * x) + mu * (g2 * s->cx * s->cx + g1 * cxx);
    double hzz = bulk * (1.0 - s->sum) / (z * z) + mu * (g2 * s->cz * s->cz + g1 * czz);
    double hxz = mu * (g2 * s->cx * s->cz + g1 * cxz) + bulk / (x * z);
    double hyy = mu * (g2 * s->cy * s->cy + g1 * cyy), hxy = mu * (g2 * s->cx * s->cy + g1 * cxy);
    double hyz = mu * (g2 * s->cy * s->cz + g1 * cyz);
    da[1][1] = hxx * e[1][1] + hxy * e[1][2] + hxz * e[2][2];
    da[1][2] = hxy * e[1][1] + hyy * e[1][2] + hyz * e[2][2];
    da[2][2] = hxz * e[1][1] + hyz * e[1][2] + hzz * e[2][2];
}

void dr_curve_stress_change(const dr_curve_law *law, const dr_triangular *t, const double dg[3][3], double dp[3][3])
{
    double a[3][3], omega[3][3], e[3][3], da[3][3];
    section s = measure(t);
    slope(law, t, &s, a);
    dr_triangular_change(t, dg, omega, e);
    curve_of_section(law, &s, (const double(*)[3])e, da);
    da[0][0] = law->stretch * e[0][0];
    da[0][1] = law->shear * e[0][1];
    da[0][2] = law->shear * e[0][2];
    dr_triangular_complete_change(t, (const double(*)[3])a, (const double(*)[3])e, da);
    dr_triangular_turn_change(t, (const double(*)[3])a, (const double(*)[3])omega, (const double(*)[3])da, dp);
}

double dr_curve_stiffness_across(const dr_curve_law *law, const dr_triangular *t)
{
    section s = measure(t);
    double size = 0.0;
    for (int j = 1; j < 3; j++) {
        for (int i = 0; i < 3; i++) size += t->r[i][j] * t->r[i][j];
    }
    return 1.25 * (2.0 * (law->lambda + law->mu) * (1.0 + fabs(s.sum) + s.delta) + law->shear * size);
}

int dr_curve_return(const dr_curve_law *law, const dr_triangular *t, double second[3], double third[3])
{
    double x = t->r[1][1], y = t->r[1][2], z = t->r[2][2], r12 = t->r[0][1], r13 = t->r[0][2];
    double b[2][2] = {{x, y}, {0.0, z}};
    int state = DR_CURVE_STICKS;
    if (x * z <= LEAST_AREA) {
        b[0][0] = b[1][1] = sqrt(LEAST_AREA);
        b[0][1] = b[1][0] = r12 = r13 = 0.0;
        state = DR_CURVE_COLLAPSED;
    } else if (x * z >= 1.0) {
        double n = hypot(x + z, y);
        b[0][0] = b[1][1] = (x + z) / n;
        b[0][1] = y / n;
        b[1][0] = -y / n;
        r12 = r13 = 0.0;
        state = DR_CURVE_APART;
    } else {
        section s = measure(t);
        double bulk = law->lambda + law->mu, most = -law->across * bulk * s.sum / (2.0 * law->mu);
        if (s.delta > most) {
            double whole = sinh(s.delta), keep = sinh(0.5 * (s.delta + most)) / whole;
            double turn = sinh(0.5 * (s.delta - most)) / whole;
            b[0][0] = keep * x + turn * z;
            b[0][1] = keep * y;
            b[1][0] = -turn * y;
            b[1][1] = keep * z + turn * x;
            state |= DR_CURVE_SLIPS_ACROSS;
        }
        double pull = law->shear * hypot(b[0][0] * r12 + b[0][1] * r13, b[1][0] * r12 + b[1][1] * r13);
        double limit = -law->along * bulk * s.sum;
        if (pull > limit) {
            r12 *= limit / pull;
            r13 *= limit / pull;
            state |= DR_CURVE_SLIPS_ALONG;
        }
    }
    for (int k = 0; k < 3; k++) {
        second[k] = r12 * t->q[0][k] + b[0][0] * t->q[1][k] + b[1][0] * t->q[2][k];
        third[k] = r13 * t->q[0][k] + b[0][1] * t->q[1][k] + b[1][1] * t->q[2][k];
    }
    return state;
}
