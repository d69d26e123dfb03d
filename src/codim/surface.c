#include "codim/surface.h"

#include <math.h>

// The isotropic part is the weaker direction's; what the stronger has beyond it makes the small-strain stiffness in
// each direction, with the other free to contract, exactly its modulus. (3.3)
dr_surface_law dr_surface_make(double warp_modulus, double weft_modulus, double poisson_ratio)
{
    double weak = fmin(warp_modulus, weft_modulus), strong = fmax(warp_modulus, weft_modulus), nu = poisson_ratio;
    double plane = weak / (1.0 - nu * nu * weak / strong), more = plane * (strong / weak - 1.0);
    return (dr_surface_law){.mu = 0.5 * (1.0 - nu) * plane,
                            .lambda = nu * plane,
                            .warp = warp_modulus > weft_modulus ? more : 0.0,
                            .weft = weft_modulus > warp_modulus ? more : 0.0};
}

// Stretches are far from where squares overflow.
static double root(double a, double b)
{
    return sqrt(a * a + b * b);
}

static double pressed(const dr_triangular *t)
{
    return fmax(0.0, 1.0 - t->r[2][2]);
}

double dr_surface_energy(const dr_surface_law *law, const dr_triangular *t)
{
    double r11 = t->r[0][0], r12 = t->r[0][1], r22 = t->r[1][1], j = r11 * r22;
    double n = root(r11 + r22, r12), weft = root(r12, r22) - 1.0, c = pressed(t);
    double plane =
        law->mu * (r11 * r11 + r12 * r12 + r22 * r22 - 2.0 * n + 2.0) + 0.5 * law->lambda * (j - 1.0) * (j - 1.0);
    plane += 0.5 * law->warp * (r11 - 1.0) * (r11 - 1.0) + 0.5 * law->weft * weft * weft;
    double shear = 0.5 * law->shear * (t->r[0][2] * t->r[0][2] + t->r[1][2] * t->r[1][2]);
    return plane + shear + law->normal / 3.0 * c * c * c;
}

static void slope(const dr_surface_law *law, const dr_triangular *t, double a[3][3])
{
    double r11 = t->r[0][0], r12 = t->r[0][1], r22 = t->r[1][1], j = r11 * r22, sum = r11 + r22;
    double n = root(sum, r12), s = root(r12, r22), c = pressed(t), mu = law->mu, lambda = law->lambda;
    a[0][0] = 2.0 * mu * (r11 - sum / n) + lambda * (j - 1.0) * r22 + law->warp * (r11 - 1.0);
    a[0][1] = 2.0 * mu * r12 * (1.0 - 1.0 / n) + law->weft * (1.0 - 1.0 / s) * r12;
    a[1][1] = 2.0 * mu * (r22 - sum / n) + lambda * (j - 1.0) * r11 + law->weft * (1.0 - 1.0 / s) * r22;
    a[0][2] = law->shear * t->r[0][2];
    a[1][2] = law->shear * t->r[1][2];
    a[2][2] = -law->normal * c * c;
    dr_triangular_complete(t, a);
}

void dr_surface_stress(const dr_surface_law *law, const dr_triangular *t, double p[3][3])
{
    double a[3][3];
    slope(law, t, a);
    dr_triangular_turn(t, (const double(*)[3])a, p);
}

// Second derivatives by r11, r12, r22. (3.2)
static void curve_in_plane(const dr_surface_law *law, const dr_triangular *t, const double e[3][3], double da[3][3])
{
    double r11 = t->r[0][0], r12 = t->r[0][1], r22 = t->r[1][1], j = r11 * r22, sum = r11 + r22;
    double n = root(sum, r12), n3 = n * n * n, s = root(r12, r22), s3 = s * s * s;
    double mu = law->mu, lambda = law->lambda, turn = 2.0 * mu * r12 * r12 / n3, mixed = 2.0 * mu * sum * r12 / n3;
    double h1111 = 2.0 * mu - turn + lambda * r22 * r22 + law->warp, h1122 = -turn + lambda * (2.0 * j - 1.0);
    double h2222 = 2.0 * mu - turn + lambda * r11 * r11 + law->weft * (1.0 - r12 * r12 / s3);
    double h1212 = 2.0 * mu * (1.0 - sum * sum / n3) + law->weft * (1.0 - r22 * r22 / s3);
    double h1222 = mixed + law->weft * r12 * r22 / s3;
    da[0][0] = h1111 * e[0][0] + mixed * e[0][1] + h1122 * e[1][1];
    da[0][1] = mixed * e[0][0] + h1212 * e[0][1] + h1222 * e[1][1];
    da[1][1] = h1122 * e[0][0] + h1222 * e[0][1] + h2222 * e[1][1];
}

void dr_surface_stress_change(const dr_surface_law *law, const dr_triangular *t, const double dg[3][3], double dp[3][3])
{
    double a[3][3], omega[3][3], e[3][3], da[3][3];
    slope(law, t, a);
    dr_triangular_change(t, dg, omega, e);
    curve_in_plane(law, t, (const double(*)[3])e, da);
    da[0][2] = law->shear * e[0][2];
    da[1][2] = law->shear * e[1][2];
    da[2][2] = 2.0 * law->normal * pressed(t) * e[2][2];
    dr_triangular_complete_change(t, (const double(*)[3])a, (const double(*)[3])e, da);
    dr_triangular_turn_change(t, (const double(*)[3])a, (const double(*)[3])omega, (const double(*)[3])da, dp);
}

double dr_surface_stiffness_along(const dr_surface_law *law, const dr_triangular *t)
{
    double r11 = t->r[0][0], r12 = t->r[0][1], r22 = t->r[1][1], j = r11 * r22;
    double size = r11 * r11 + r12 * r12 + r22 * r22;
    return 2.0 * law->mu + law->lambda * (size + fabs(j - 1.0)) + fmax(law->warp, law->weft);
}

double dr_surface_stiffness_across(const dr_surface_law *law, const dr_triangular *t)
{
    double squared = 0.0;
    for (int i = 0; i < 3; i++) squared += t->r[i][2] * t->r[i][2];
    return squared * fmax(law->shear, 2.0 * law->normal * fmax(DR_SURFACE_MARGIN * pressed(t), DR_SURFACE_FIRST_TOUCH));
}

dr_surface_state dr_surface_return(const dr_surface_law *law, const dr_triangular *t, double normal[3])
{
    double r13 = t->r[0][2], r23 = t->r[1][2], r33 = t->r[2][2], c = 1.0 - r33;
    dr_surface_state state = DR_SURFACE_STICKS;
    double pull = law->shear * root(r13, r23), most = law->friction * law->normal * c * c;
    if (r33 >= 1.0) {
        r13 = r23 = 0.0;
        r33 = 1.0;
        state = DR_SURFACE_APART;
    } else if (r33 < 0.0) {
        r13 = r23 = 0.0;
        r33 = fmax(r33, -1.0);
        state = DR_SURFACE_INVERTED;
    } else if (law->friction == 0.0) {
        r13 = r23 = 0.0;
        state = DR_SURFACE_SLIPS;
    } else if (pull > most) {
        r13 *= most / pull;
        r23 *= most / pull;
        state = DR_SURFACE_SLIPS;
    }
    for (int k = 0; k < 3; k++) normal[k] = r13 * t->q[0][k] + r23 * t->q[1][k] + r33 * t->q[2][k];
    return state;
}
