#include "codim/triangular.h"

#include "math/vec.h"

#include <math.h>

// A unit vector across u.
static void any_across(const double u[3], double out[3])
{
    double axis[3] = {0};
    int least = fabs(u[0]) <= fabs(u[1]) ? (fabs(u[0]) <= fabs(u[2]) ? 0 : 2) : (fabs(u[1]) <= fabs(u[2]) ? 1 : 2);
    axis[least] = 1.0;
    dr_vec3_add_scaled(out, axis, -dr_vec3_dot(axis, u), u);
    dr_vec3_normalize(out, out, axis);
}

static double across_part(const double v[3], const double q[3], double *along, double out[3])
{
    *along = dr_vec3_dot(q, v);
    dr_vec3_add_scaled(out, v, -*along, q);
    return dr_vec3_length(out);
}

// An element of which little or nothing is left in one of its first two directions.
static void split_collapsed(const double g[3][3], dr_triangular *t)
{
    static const double ahead[3] = {1, 0, 0};
    double rest[3], more, size = dr_vec3_length(g[0]);
    t->degenerate = !(size >= DR_TRIANGULAR_LEAST);
    dr_vec3_normalize(t->q[0], g[0], ahead);
    t->r[0][0] = fmax(size, DR_TRIANGULAR_LEAST);
    size = across_part(g[1], t->q[0], &t->r[0][1], rest);
    if (size < 1e-3 * dr_vec3_length(g[1])) { // cancellation has left little: once more
        size = across_part(rest, t->q[0], &more, rest);
        t->r[0][1] += more;
    }
    if (size >= DR_TRIANGULAR_LEAST) {
        dr_vec3_scale(t->q[1], 1.0 / size, rest);
    } else { // the remembered third direction tells how the element lies
        double side[3], across[3];
        t->degenerate = true;
        any_across(t->q[0], across);
        dr_vec3_cross(side, g[2], t->q[0]);
        dr_vec3_normalize(t->q[1], side, across);
    }
    t->r[1][1] = fmax(size, DR_TRIANGULAR_LEAST);
}

dr_triangular dr_triangular_split(const double g[3][3])
{
    dr_triangular t;
    double *u = t.q[0], *v = t.q[1], *n = t.q[2];
    double size = sqrt(g[0][0] * g[0][0] + g[0][1] * g[0][1] + g[0][2] * g[0][2]), over = 1.0 / size;
    for (int k = 0; k < 3; k++) u[k] = over * g[0][k];
    double along = u[0] * g[1][0] + u[1] * g[1][1] + u[2] * g[1][2];
    for (int k = 0; k < 3; k++) v[k] = g[1][k] - along * u[k];
    double rest = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    t.r[1][0] = t.r[2][0] = t.r[2][1] = 0.0;
    if (size >= DR_TRIANGULAR_LEAST && rest >= DR_TRIANGULAR_LEAST && rest > 1e-3 * fabs(along)) {
        t.degenerate = false;
        t.r[0][0] = size;
        t.r[0][1] = along;
        t.r[1][1] = rest;
        over = 1.0 / rest;
        for (int k = 0; k < 3; k++) v[k] *= over;
    } else {
        split_collapsed(g, &t);
    }
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
    for (int i = 0; i < 3; i++) t.r[i][2] = t.q[i][0] * g[2][0] + t.q[i][1] * g[2][1] + t.q[i][2] * g[2][2];
    return t;
}

void dr_triangular_complete(const dr_triangular *t, double a[3][3])
{
    const double(*r)[3] = t->r;
    a[2][1] = (a[1][2] * r[2][2] - a[2][2] * r[1][2]) / r[1][1];
    a[2][0] = (a[0][2] * r[2][2] - a[2][1] * r[0][1] - a[2][2] * r[0][2]) / r[0][0];
    a[1][0] = (a[0][1] * r[1][1] + a[0][2] * r[1][2] - a[1][1] * r[0][1] - a[1][2] * r[0][2]) / r[0][0];
}

void dr_triangular_turn(const dr_triangular *t, const double a[3][3], double p[3][3])
{
    for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) p[j][k] = t->q[0][k] * a[0][j] + t->q[1][k] * a[1][j] + t->q[2][k] * a[2][j];
    }
}

void dr_triangular_change(const dr_triangular *t, const double dg[3][3], double omega[3][3], double dr[3][3])
{
    const double(*r)[3] = t->r;
    double b[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) b[i][j] = dr_vec3_dot(t->q[i], dg[j]);
    }
    double w21 = b[1][0] / r[0][0], w31 = b[2][0] / r[0][0], w32 = (b[2][1] - w31 * r[0][1]) / r[1][1];
    const double spin[3][3] = {{0, -w21, -w31}, {w21, 0, -w32}, {w31, w32, 0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            omega[i][j] = spin[i][j];
            dr[i][j] = 0.0;
            for (int k = 0; k < 3 && i <= j; k++) dr[i][j] -= spin[i][k] * r[k][j];
            if (i <= j) dr[i][j] += b[i][j];
        }
    }
}

void dr_triangular_complete_change(const dr_triangular *t, const double a[3][3], const double e[3][3], double da[3][3])
{
    const double(*r)[3] = t->r;
    da[2][1] =
        (da[1][2] * r[2][2] + a[1][2] * e[2][2] - da[2][2] * r[1][2] - a[2][2] * e[1][2] - a[2][1] * e[1][1]) / r[1][1];
    da[2][0] = (da[0][2] * r[2][2] + a[0][2] * e[2][2] - da[2][1] * r[0][1] - a[2][1] * e[0][1] - da[2][2] * r[0][2] -
                a[2][2] * e[0][2] - a[2][0] * e[0][0]) /
               r[0][0];
    da[1][0] = (da[0][1] * r[1][1] + a[0][1] * e[1][1] + da[0][2] * r[1][2] + a[0][2] * e[1][2] - da[1][1] * r[0][1] -
                a[1][1] * e[0][1] - da[1][2] * r[0][2] - a[1][2] * e[0][2] - a[1][0] * e[0][0]) /
               r[0][0];
}

void dr_triangular_turn_change(const dr_triangular *t, const double a[3][3], const double omega[3][3],
                               const double da[3][3], double dp[3][3])
{
    double sum[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            sum[i][j] = da[i][j] + omega[i][0] * a[0][j] + omega[i][1] * a[1][j] + omega[i][2] * a[2][j];
    }
    dr_triangular_turn(t, (const double(*)[3])sum, dp);
}
