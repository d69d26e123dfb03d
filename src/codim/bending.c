// Energy, gradient and Hessian of bending, from the angles of hinges. docs/theory/bending.md, eq. (7)-(9). Each pass
// writes what it owns (hinges, triangles, vertices), so that no result depends on the number of threads.
#include "codim/bending.h"

#include "math/simd.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define GRAIN 512

typedef struct pass {
    dr_bending *bending;
    const double *x, *direction, *mass;
    const float *velocity; // [v][4]
    double *out;
    float *pushed; // [v][4]
} pass;

typedef struct hinge {
    double edge[3], length;
    double to[2][3];             // from the first end to the opposite vertices
    double normal[2][3], square; // of both triangles, of twice their area; square: of the edge
    double area[2];              // squared lengths of the normals
} hinge;

static hinge look_at(const dr_bending *bending, const double *x, size_t e)
{
    const uint32_t *corner = bending->corner + 4 * e;
    hinge h;
    dr_vec3_sub(h.edge, x + 3 * (size_t)corner[1], x + 3 * (size_t)corner[0]);
    for (int i = 0; i < 2; i++) dr_vec3_sub(h.to[i], x + 3 * (size_t)corner[2 + i], x + 3 * (size_t)corner[0]);
    dr_vec3_cross(h.normal[0], h.edge, h.to[0]);
    dr_vec3_cross(h.normal[1], h.to[1], h.edge);
    h.square = dr_vec3_dot(h.edge, h.edge);
    h.length = sqrt(h.square);
    for (int i = 0; i < 2; i++) h.area[i] = dr_vec3_dot(h.normal[i], h.normal[i]);
    return h;
}

static bool is_degenerate(const hinge *h)
{
    return !(h->length > 0.0) || !(h->area[0] > 0.0) || !(h->area[1] > 0.0);
}

static double angle_of(const hinge *h)
{
    double cross[3];
    if (is_degenerate(h)) return 0.0;
    dr_vec3_cross(cross, h->normal[0], h->normal[1]);
    return atan2(dr_vec3_dot(cross, h->edge) / h->length, dr_vec3_dot(h->normal[0], h->normal[1]));
}

// Shares of the edge beyond the foot of each opposite vertex, for both ends.                                       (8)
static void find_shares(const hinge *h, double share[2][2])
{
    for (int i = 0; i < 2; i++) {
        share[1][i] = dr_vec3_dot(h->to[i], h->edge) / h->length;
        share[0][i] = h->length - share[1][i];
    }
}

static void slope_of(const hinge *h, double slope[12])
{
    double share[2][2];
    memset(slope, 0, 12 * sizeof *slope);
    if (is_degenerate(h)) return;
    find_shares(h, share);
    for (int i = 0; i < 2; i++) {
        dr_vec3_scale(slope + 3 * (2 + i), -h->length / h->area[i], h->normal[i]);
        for (int end = 0; end < 2; end++)
            dr_vec3_add_scaled(slope + 3 * end, slope + 3 * end, share[end][i] / h->area[i], h->normal[i]);
    }
}

// The derivative of slope_of along d, times factor.                                                                 (9)
static void turn_slope(const hinge *h, const double d[4][3], double factor, double turned[12])
{
    double share[2][2], edge[3];
    memset(turned, 0, 12 * sizeof *turned);
    if (is_degenerate(h)) return;
    find_shares(h, share);
    dr_vec3_sub(edge, d[1], d[0]);
    double length = dr_vec3_dot(h->edge, edge) / h->length;
    for (int i = 0; i < 2; i++) {
        double to[3], first[3], second[3], normal[3], unit[3], by[3];
        dr_vec3_sub(to, d[2 + i], d[0]);
        dr_vec3_cross(first, edge, h->to[i]);
        dr_vec3_cross(second, h->edge, to);
        dr_vec3_add(normal, first, second);
        if (i == 1) dr_vec3_scale(normal, -1.0, normal);
        dr_vec3_scale(unit, 1.0 / h->area[i], h->normal[i]);
        dr_vec3_scale(by, 1.0 / h->area[i], normal);
        dr_vec3_add_scaled(by, by, -2.0 * dr_vec3_dot(h->normal[i], normal) / h->area[i], unit);
        double along = (dr_vec3_dot(to, h->edge) + dr_vec3_dot(h->to[i], edge) - share[1][i] * length) / h->length;
        double change[2] = {length - along, along};
        for (int end = 0; end < 2; end++) {
            dr_vec3_add_scaled(turned + 3 * end, turned + 3 * end, factor * share[end][i], by);
            dr_vec3_add_scaled(turned + 3 * end, turned + 3 * end, factor * change[end], unit);
        }
        dr_vec3_scale(turned + 3 * (2 + i), -factor * h->length, by);
        dr_vec3_add_scaled(turned + 3 * (2 + i), turned + 3 * (2 + i), -factor * length, unit);
    }
}

// ---- passes over hinges

static void find_angles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_bending *bending = job->bending;
    for (size_t e = begin; e < end; e++) {
        hinge h = look_at(bending, job->x, e);
        bending->angle[e] = angle_of(&h) - bending->rest_angle[e];
        slope_of(&h, bending->slope + 12 * e);
    }
}

// How angles change along the direction.
static void find_changes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_bending *bending = job->bending;
    for (size_t e = begin; e < end; e++) {
        const double *slope = bending->slope + 12 * e;
        double sum = 0.0;
        for (int i = 0; i < 4; i++)
            sum += dr_vec3_dot(slope + 3 * i, job->direction + 3 * (size_t)bending->corner[4 * e + (size_t)i]);
        bending->torque[e] = sum;
    }
}

// Slopes become what turns of slopes along the direction do with the torques there are.
static void turn_slopes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    dr_bending *bending = job->bending;
    for (size_t e = begin; e < end; e++) {
        hinge h = look_at(bending, job->x, e);
        double d[4][3];
        for (int i = 0; i < 4; i++) dr_vec3_copy(d[i], job->direction + 3 * (size_t)bending->corner[4 * e + (size_t)i]);
        turn_slope(&h, (const double(*)[3])d, bending->torque[e], bending->slope + 12 * e);
        bending->torque[e] = 1.0;
    }
}

// ---- passes over triangles

static double scale_of(const dr_bending *bending, size_t t)
{
    return bending->scale ? (double)bending->scale[t] : 1.0;
}

// The three numbers W_t a of angles a, whose squares are the energy.
static void apply_root(const dr_bending *bending, size_t t, const double *angle, double curved[3])
{
    const int32_t *reach = bending->reach + DR_BENDING_REACH * t;
    const float *root = bending->root + 3 * DR_BENDING_REACH * t;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < DR_BENDING_REACH; i++, root += 3) {
        if (reach[i] < 0) continue;
        double one = angle[reach[i]];
        for (int r = 0; r < 3; r++) sum[r] += (double)root[r] * one;
    }
    dr_vec3_copy(curved, sum);
}

static void find_energies(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_bending *bending = ((const pass *)user)->bending;
    for (size_t t = begin; t < end; t++) {
        double curved[3];
        apply_root(bending, t, bending->angle, curved);
        bending->moment[t] = 0.5 * scale_of(bending, t) * dr_vec3_dot(curved, curved);
    }
}

static void find_moments(dr_bending *bending, const double *angle, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; t++) {
        double curved[3];
        apply_root(bending, t, angle, curved);
        dr_vec3_scale(bending->moment + 3 * t, scale_of(bending, t), curved);
    }
}

static void find_moments_of_angles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_bending *bending = ((const pass *)user)->bending;
    find_moments(bending, bending->angle, begin, end);
}

static void find_moments_of_changes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_bending *bending = ((const pass *)user)->bending;
    find_moments(bending, bending->torque, begin, end);
}

// ---- what triangles do to hinges, and hinges to vertices

// What lies by triangles or hinges is scattered to those that list it: it is fetched so many entries ahead.
enum { AHEAD = 96 };

static void find_torques(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_bending *bending = ((const pass *)user)->bending;
    uint32_t last = bending->hinge_first[end];
    for (size_t e = begin; e < end; e++) {
        double sum = 0.0;
        for (uint32_t k = bending->hinge_first[e]; k < bending->hinge_first[e + 1]; k++) {
            size_t entry = bending->hinge_entry[k];
            if (k + AHEAD < last) {
                size_t next = bending->hinge_entry[k + AHEAD];
                dr_prefetch(bending->root + 3 * next);
                dr_prefetch(bending->moment + 3 * (next / DR_BENDING_REACH));
            }
            const float *root = bending->root + 3 * entry;
            const double *moment = bending->moment + 3 * (entry / DR_BENDING_REACH);
            for (int r = 0; r < 3; r++) sum += (double)root[r] * moment[r];
        }
        bending->torque[e] = sum;
    }
}

static void push_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pass *job = user;
    const dr_bending *bending = job->bending;
    uint32_t last = bending->vertex_first[end];
    for (size_t v = begin; v < end; v++) {
        double sum[3];
        dr_vec3_copy(sum, job->out + 3 * v);
        for (uint32_t k = bending->vertex_first[v]; k < bending->vertex_first[v + 1]; k++) {
            size_t entry = bending->vertex_entry[k];
            if (k + AHEAD < last) dr_prefetch(bending->slope + 3 * (size_t)bending->vertex_entry[k + AHEAD]);
            dr_vec3_add_scaled(sum, sum, bending->torque[entry / 4], bending->slope + 3 * entry);
        }
        dr_vec3_copy(job->out + 3 * v, sum);
    }
}

double dr_bending_energy(dr_bending *bending, const dr_par *par, const double *x)
{
    pass job = {.bending = bending, .x = x};
    dr_par_for(par, bending->hinge_count, GRAIN, find_angles, &job);
    dr_par_for(par, bending->triangle_count, GRAIN, find_energies, &job);
    return dr_par_total(par, bending->moment, bending->triangle_count);
}

void dr_bending_gradient(dr_bending *bending, const dr_par *par, const double *x, double *gradient)
{
    dr_bending_linearise(bending, par, x);
    dr_bending_gradient_again(bending, par, gradient);
}

void dr_bending_gradient_again(dr_bending *bending, const dr_par *par, double *gradient)
{
    pass job = {.bending = bending, .out = gradient};
    dr_par_for(par, bending->triangle_count, GRAIN, find_moments_of_angles, &job);
    dr_par_for(par, bending->hinge_count, GRAIN, find_torques, &job);
    dr_par_for(par, bending->vertex_count, GRAIN, push_vertices, &job);
}

void dr_bending_hessian_apply(dr_bending *bending, const dr_par *par, const double *x, const double *direction,
                              bool whole, double *out)
{
    pass job = {.bending = bending, .x = x, .direction = direction, .out = out};
    dr_par_for(par, bending->hinge_count, GRAIN, find_angles, &job);
    dr_par_for(par, bending->hinge_count, GRAIN, find_changes, &job);
    dr_par_for(par, bending->triangle_count, GRAIN, find_moments_of_changes, &job);
    dr_par_for(par, bending->hinge_count, GRAIN, find_torques, &job);
    dr_par_for(par, bending->vertex_count, GRAIN, push_vertices, &job);
    if (!whole) return;
    dr_par_for(par, bending->triangle_count, GRAIN, find_moments_of_angles, &job);
    dr_par_for(par, bending->hinge_count, GRAIN, find_torques, &job);
    dr_par_for(par, bending->hinge_count, GRAIN, turn_slopes, &job);
    dr_par_for(par, bending->vertex_count, GRAIN, push_vertices, &job);
}

void dr_bending_linearise(dr_bending *bending, const dr_par *par, const double *x)
{
    pass job = {.bending = bending, .x = x};
    dr_par_for(par, bending->hinge_count, GRAIN, find_angles, &job);
}

// ---- the diagonal, the step

// What of a triangle's W grad theta belongs to each of its vertices, at most 9 x 4 of them.
typedef struct columns {
    int count;
    uint32_t vertex[4 * DR_BENDING_REACH];
    double column[4 * DR_BENDING_REACH][9]; // rows of W, then x y z
} columns;

static void find_columns(const dr_bending *bending, size_t t, columns *of)
{
    const int32_t *reach = bending->reach + DR_BENDING_REACH * t;
    const float *root = bending->root + 3 * DR_BENDING_REACH * t;
    double factor = sqrt(scale_of(bending, t));
    of->count = 0;
    for (int i = 0; i < 4 * DR_BENDING_REACH; i++) {
        if (reach[i / 4] < 0) continue;
        size_t entry = 4 * (size_t)reach[i / 4] + (size_t)(i % 4);
        int known = 0;
        while (known < of->count && of->vertex[known] != bending->corner[entry]) known++;
        if (known == of->count) {
            of->vertex[of->count] = bending->corner[entry];
            memset(of->column[of->count++], 0, sizeof *of->column);
        }
        for (int r = 0; r < 3; r++) {
            double *out = of->column[known] + 3 * r;
            dr_vec3_add_scaled(out, out, factor * (double)root[3 * (i / 4) + r], bending->slope + 3 * entry);
        }
    }
}

void dr_bending_diagonal(dr_bending *bending, const dr_par *par, const double *x, double *diagonal)
{
    pass job = {.bending = bending, .x = x};
    columns of;
    dr_par_for(par, bending->hinge_count, GRAIN, find_angles, &job);
    for (size_t t = 0; t < bending->triangle_count; t++) {
        find_columns(bending, t, &of);
        for (int k = 0; k < of.count; k++) {
            for (int i = 0; i < 9; i++)
                diagonal[3 * (size_t)of.vertex[k] + (size_t)(i % 3)] += of.column[k][i] * of.column[k][i];
        }
    }
}

static double size_of(const double column[9])
{
    double sum = 0.0;
    for (int i = 0; i < 9; i++) sum += column[i] * column[i];
    return sqrt(sum);
}

// Largest eigenvalue of one triangle alone, with the masses that are its own.                                      (10)
static double bound_triangle(const columns *of, const double *share, const double *mass)
{
    double product[9] = {0.0}, sum = 0.0;
    for (int k = 0; k < of->count; k++) {
        double size = size_of(of->column[k]), own = mass[of->vertex[k]] * size / share[of->vertex[k]];
        if (!(own > 0.0)) continue;
        for (int i = 0; i < 9; i++)
            product[i] += dr_vec3_dot(of->column[k] + 3 * (i / 3), of->column[k] + 3 * (i % 3)) / own;
    }
    for (int i = 0; i < 9; i++) sum += product[i] * product[i];
    return sqrt(sum);
}

double dr_bending_limit(dr_bending *bending, const dr_par *par, const double *x, const double *mass)
{
    pass job = {.bending = bending, .x = x};
    double largest = 0.0, *share = bending->share;
    columns of;
    dr_par_for(par, bending->hinge_count, GRAIN, find_angles, &job);
    memset(share, 0, bending->vertex_count * sizeof *share);
    for (size_t t = 0; t < bending->triangle_count; t++) {
        find_columns(bending, t, &of);
        for (int k = 0; k < of.count; k++) share[of.vertex[k]] += size_of(of.column[k]);
    }
    for (size_t t = 0; t < bending->triangle_count; t++) {
        find_columns(bending, t, &of);
        largest = fmax(largest, bound_triangle(&of, share, mass));
    }
    return largest;
}
