#include "codim/manifold.h"

#include "math/simd.h"
#include "math/vec.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define COLUMN(name, type, components, unit, doc)                                                                      \
    {                                                                                                                  \
#name, offsetof(dr_manifold, name), type, components, unit, doc                                                \
    }

static const dr_column vertex_columns[] = {
    COLUMN(position, DR_TYPE_FLOAT64, 3, "cm", "place"),
    COLUMN(velocity, DR_TYPE_FLOAT32, 3, "cm/s", "velocity"),
    COLUMN(affine, DR_TYPE_FLOAT32, 9, "1/s", "affine velocity, row by row"),
};
const dr_column_table dr_manifold_vertex_columns = {vertex_columns, 3};

#define MOTION                                                                                                         \
    COLUMN(element_velocity, DR_TYPE_FLOAT32, 3, "cm/s", "velocity"),                                                  \
        COLUMN(element_affine, DR_TYPE_FLOAT32, 9, "1/s", "affine velocity, row by row")

static const dr_column triangle_columns[] = {
    MOTION,
    COLUMN(direction, DR_TYPE_FLOAT64, 3, "", "elastic direction across the mesh"),
};
static const dr_column segment_columns[] = {
    MOTION,
    COLUMN(direction, DR_TYPE_FLOAT64, 6, "", "elastic directions across the mesh"),
};
const dr_column_table dr_manifold_triangle_columns = {triangle_columns, 3};
const dr_column_table dr_manifold_segment_columns = {segment_columns, 3};

static const dr_column_table *element_columns(const dr_manifold *m)
{
    return m->corners == 3 ? &dr_manifold_triangle_columns : &dr_manifold_segment_columns;
}

static const dr_column vertex_constants[] = {
    COLUMN(mass, DR_TYPE_FLOAT32, 1, "", ""),
    COLUMN(force, DR_TYPE_FLOAT32, 3, "", ""),
};
static const dr_column_table vertex_table = {vertex_constants, 2};

#define CONSTANTS                                                                                                      \
    COLUMN(index, DR_TYPE_UINT32, 3, "", ""), COLUMN(rest, DR_TYPE_FLOAT32, 4, "", ""),                                \
        COLUMN(element_mass, DR_TYPE_FLOAT32, 1, "", ""), COLUMN(body, DR_TYPE_UINT32, 1, "", ""),                     \
        COLUMN(slot, DR_TYPE_UINT32, 3, "", "")

static const dr_column triangle_constants[] = {CONSTANTS, COLUMN(pull, DR_TYPE_FLOAT32, 6, "", ""),
                                               COLUMN(press, DR_TYPE_FLOAT32, 3, "", "")};
static const dr_column segment_constants[] = {CONSTANTS, COLUMN(pull, DR_TYPE_FLOAT32, 3, "", ""),
                                              COLUMN(press, DR_TYPE_FLOAT32, 6, "", "")};
static const dr_column_table triangle_table = {triangle_constants, 7}, segment_table = {segment_constants, 7};

static const dr_column_table *element_table(const dr_manifold *m)
{
    return m->corners == 3 ? &triangle_table : &segment_table;
}

bool dr_manifold_reserve(dr_manifold *m, const dr_allocator *allocator, size_t vertices, size_t elements)
{
    return dr_columns_reserve(&dr_manifold_vertex_columns, m, allocator, &m->vertex_capacity, vertices) &&
           dr_columns_reserve(element_columns(m), m, allocator, &m->element_capacity, elements) &&
           dr_columns_reserve(&vertex_table, m, allocator, &m->room_vertices, vertices) &&
           dr_columns_reserve(element_table(m), m, allocator, &m->room_elements, elements);
}

void dr_manifold_free(dr_manifold *m, const dr_allocator *allocator)
{
    if (m->first) dr_memory_free(allocator, m->first, (m->vertices + 1) * sizeof *m->first);
    m->first = NULL;
    dr_columns_free(&dr_manifold_vertex_columns, m, allocator, &m->vertex_capacity);
    dr_columns_free(element_columns(m), m, allocator, &m->element_capacity);
    dr_columns_free(&vertex_table, m, allocator, &m->room_vertices);
    dr_columns_free(element_table(m), m, allocator, &m->room_elements);
}

// ---- elements at rest

static const double *corner(const dr_manifold *m, size_t e, int k)
{
    return m->position + 3 * (size_t)m->index[(size_t)m->corners * e + (size_t)k];
}

// A unit vector of the plane across n, as near to `hint` as it can be; `other` where that has no part in the plane.
static void lay_in_plane(const double hint[3], const double n[3], const double other[3], double out[3])
{
    double flat[3];
    dr_vec3_add_scaled(flat, hint, -dr_vec3_dot(hint, n), n);
    bool none = dr_vec3_length(flat) < 1e-6 * dr_vec3_length(hint);
    dr_vec3_normalize(out, none ? other : flat, other);
}

// Rest edges in the plane of warp and weft, inverted: columns (a, c) and (b, d). (1.2)
static double invert_edges(dr_manifold *m, size_t e, double a, double b, double c, double d)
{
    double det = a * d - b * c, inverse[4] = {d / det, -b / det, -c / det, a / det};
    for (size_t i = 0; i < 4; i++) m->rest[4 * e + i] = (float)inverse[i];
    return 0.5 * det;
}

static double rest_flat(dr_manifold *m, size_t e, const double *flat)
{
    double e1[3], e2[3], *n = dr_manifold_across(m, e);
    dr_vec3_sub(e1, corner(m, e, 1), corner(m, e, 0));
    dr_vec3_sub(e2, corner(m, e, 2), corner(m, e, 0));
    dr_vec3_cross(n, e1, e2);
    dr_vec3_normalize(n, n, n);
    return invert_edges(m, e, flat[2] - flat[0], flat[4] - flat[0], flat[3] - flat[1], flat[5] - flat[1]);
}

static double rest_triangle(dr_manifold *m, size_t e, const double *warp)
{
    double e1[3], e2[3], n[3], u[3], v[3];
    dr_vec3_sub(e1, corner(m, e, 1), corner(m, e, 0));
    dr_vec3_sub(e2, corner(m, e, 2), corner(m, e, 0));
    dr_vec3_cross(n, e1, e2);
    double twice = dr_vec3_normalize(n, n, n);
    dr_vec3_normalize(u, e1, e1);
    if (warp) lay_in_plane(warp, n, u, u);
    dr_vec3_cross(v, n, u);
    double a = dr_vec3_dot(e1, u), b = dr_vec3_dot(e2, u), c = dr_vec3_dot(e1, v), d = dr_vec3_dot(e2, v);
    invert_edges(m, e, a, b, c, d);
    dr_vec3_copy(dr_manifold_across(m, e), n);
    return 0.5 * twice;
}

static double rest_segment(dr_manifold *m, size_t e)
{
    double way[3], t[3], axis[3] = {0}, *d = dr_manifold_across(m, e);
    dr_vec3_sub(way, corner(m, e, 1), corner(m, e, 0));
    double length = dr_vec3_normalize(t, way, way);
    int least = fabs(t[0]) <= fabs(t[1]) ? (fabs(t[0]) <= fabs(t[2]) ? 0 : 2) : (fabs(t[1]) <= fabs(t[2]) ? 1 : 2);
    axis[least] = 1.0;
    lay_in_plane(axis, t, axis, d);
    dr_vec3_cross(d + 3, t, d);
    m->rest[4 * e] = (float)(1.0 / length);
    return length;
}

void dr_manifold_rest_segment(dr_manifold *m, size_t e)
{
    rest_segment(m, e);
}

uint32_t dr_manifold_place(dr_manifold *m, const double position[3], const double velocity[3])
{
    size_t v = m->vertices++;
    assert(v < m->room_vertices);
    dr_vec3_copy(m->position + 3 * v, position);
    for (size_t a = 0; a < 3; a++) m->velocity[3 * v + a] = (float)velocity[a];
    memset(m->affine + 9 * v, 0, 9 * sizeof *m->affine);
    m->mass[v] = 0.0F;
    return (uint32_t)v;
}

static size_t join_corners(dr_manifold *m, const uint32_t *corners, uint32_t body)
{
    size_t e = m->elements++, count = (size_t)m->corners;
    assert(e < m->room_elements);
    for (size_t k = 0; k < count; k++) m->index[count * e + k] = corners[k];
    memset(m->element_velocity + 3 * e, 0, 3 * sizeof *m->element_velocity);
    memset(m->element_affine + 9 * e, 0, 9 * sizeof *m->element_affine);
    m->body[e] = body;
    return e;
}

// A triangle's mass goes in quarters to its corners and itself, a segment's in thirds. (1.1)
static void share_mass(dr_manifold *m, size_t e, double volume)
{
    size_t count = (size_t)m->corners;
    float share = (float)(m->laws[m->body[e]].density * volume / (double)(count + 1));
    m->element_mass[e] = share;
    for (size_t k = 0; k < count; k++) m->mass[m->index[count * e + k]] += share;
}

void dr_manifold_add(dr_manifold *m, const uint32_t *corners, const double *warp, double section, uint32_t body)
{
    size_t e = join_corners(m, corners, body);
    share_mass(m, e, section * (m->corners == 3 ? rest_triangle(m, e, warp) : rest_segment(m, e)));
}

void dr_manifold_add_flat(dr_manifold *m, const uint32_t *corners, const double *flat, double section, uint32_t body)
{
    size_t e = join_corners(m, corners, body);
    share_mass(m, e, section * rest_flat(m, e, flat));
}

bool dr_manifold_join(dr_manifold *m, const dr_allocator *allocator)
{
    size_t count = (size_t)m->corners, all = count * m->elements;
    m->first = dr_memory_alloc(allocator, (m->vertices + 1) * sizeof *m->first);
    if (!m->first) return false;
    for (size_t i = 0; i < all; i++) m->first[m->index[i] + 1]++;
    for (size_t v = 0; v < m->vertices; v++) m->first[v + 1] += m->first[v];
    for (size_t i = 0; i < all; i++) m->slot[m->first[m->index[i]]++] = (uint32_t)i;
    for (size_t v = m->vertices; v > 0; v--) m->first[v] = m->first[v - 1];
    m->first[0] = 0;
    for (size_t e = 0; e < m->elements; e++) {
        for (size_t k = 0; k < count; k++) {
            for (size_t a = 0; a < 3; a++)
                m->element_velocity[3 * e + a] += m->velocity[3 * (size_t)m->index[count * e + k] + a] / (float)count;
        }
    }
    return true;
}

// ---- strain

void dr_manifold_directions(const dr_manifold *m, size_t e, double g[3][3])
{
    double rest[4], e1[3], e2[3];
    const double *x = corner(m, e, 0);
    dr_manifold_rest(m, e, rest);
    dr_vec3_sub(e1, corner(m, e, 1), x);
    if (m->corners == 2) {
        dr_vec3_scale(g[0], rest[0], e1);
        dr_vec3_copy(g[1], dr_manifold_across(m, e));
        dr_vec3_copy(g[2], dr_manifold_across(m, e) + 3);
        return;
    }
    dr_vec3_sub(e2, corner(m, e, 2), x);
    for (int a = 0; a < 3; a++) {
        g[0][a] = e1[a] * rest[0] + e2[a] * rest[2];
        g[1][a] = e1[a] * rest[1] + e2[a] * rest[3];
    }
    dr_vec3_copy(g[2], dr_manifold_across(m, e));
}

float dr_manifold_flush(double stress)
{
    return fabs(stress) < 1e-20 ? 0.0F : (float)stress;
}

// Forces on corners from P S^-T, and V P of the direction that the grid carries. (5.1), (5.2)
static void pull_triangle(dr_manifold *m, size_t e, const double p[3][3])
{
    double volume = dr_manifold_volume(m, e), rest[4];
    dr_manifold_rest(m, e, rest);
    for (size_t a = 0; a < 3; a++) {
        m->pull[6 * e + a] = (float)-(volume * (p[0][a] * rest[0] + p[1][a] * rest[1]));
        m->pull[6 * e + 3 + a] = (float)-(volume * (p[0][a] * rest[2] + p[1][a] * rest[3]));
        m->press[3 * e + a] = dr_manifold_flush(volume * p[2][a]);
    }
}

static void pull_segment(dr_manifold *m, size_t e, const double p[3][3])
{
    double volume = dr_manifold_volume(m, e);
    for (size_t a = 0; a < 3; a++) {
        m->pull[3 * e + a] = (float)(-volume * p[0][a] * (double)m->rest[4 * e]);
        m->press[6 * e + a] = dr_manifold_flush(volume * p[1][a]);
        m->press[6 * e + 3 + a] = dr_manifold_flush(volume * p[2][a]);
    }
}

void dr_manifold_stress(const dr_manifold *m, size_t e, float stress[9])
{
    const double *d = dr_manifold_across(m, e);
    bool triangle = m->corners == 3;
    const float *press = m->press + (triangle ? 3 : 6) * e;
    if (triangle && press[0] == 0.0F && press[1] == 0.0F && press[2] == 0.0F) {
        memset(stress, 0, 9 * sizeof *stress);
        return;
    }
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) {
            double sum = (double)press[a] * d[b] + (triangle ? 0.0 : (double)press[3 + a] * d[3 + b]);
            stress[3 * a + b] = dr_manifold_flush(sum);
        }
    }
}

// The sum of the inverse squares of the rest heights, 1/cm2: rows of the inverse rest edges are the slopes of the
// shares of corners 1 and 2.
static double steepness(const dr_manifold *m, size_t e)
{
    double rest[4];
    dr_manifold_rest(m, e, rest);
    if (m->corners == 2) return 2.0 * rest[0] * rest[0];
    double x = rest[0] + rest[2], y = rest[1] + rest[3];
    return rest[0] * rest[0] + rest[1] * rest[1] + rest[2] * rest[2] + rest[3] * rest[3] + x * x + y * y;
}

void dr_manifold_strain_one(dr_manifold *m, size_t e, double grid_stiffness, dr_manifold_strains *sum)
{
    const dr_manifold_law *law = &m->laws[m->body[e]];
    double g[3][3], p[3][3], along, across, over = (m->corners + 1) / law->density;
    dr_manifold_directions(m, e, g);
    dr_triangular t = dr_triangular_split((const double(*)[3])g);
    if (m->corners == 3) {
        dr_surface_stress(&law->sheet, &t, p);
        pull_triangle(m, e, (const double(*)[3])p);
        along = dr_surface_stiffness_along(&law->sheet, &t);
        across = dr_surface_stiffness_across(&law->sheet, &t);
        sum->energy += dr_manifold_volume(m, e) * dr_surface_energy(&law->sheet, &t);
    } else {
        dr_curve_stress(&law->thread, &t, p);
        pull_segment(m, e, (const double(*)[3])p);
        along = law->thread.stretch;
        across = dr_curve_stiffness_across(&law->thread, &t);
        sum->energy += dr_manifold_volume(m, e) * dr_curve_energy(&law->thread, &t);
    }
    sum->degenerate += t.degenerate;
    sum->along = fmax(sum->along, over * along * steepness(m, e));
    sum->across = fmax(sum->across, over * across * grid_stiffness);
}

// Corner 0 bears the opposite of both others.
static void pull_by_triangles(const dr_manifold *m, size_t v, double sum[3])
{
    static const double first[3] = {-1.0, 1.0, 0.0}, second[3] = {-1.0, 0.0, 1.0};
    dr_double4 all = dr_double4_all(0.0), last = all;
    for (uint32_t i = m->first[v]; i < m->first[v + 1]; i++) {
        uint32_t e = m->slot[i] / 3, k = m->slot[i] - 3 * e;
        const float *pull = m->pull + 6 * (size_t)e;
        all += dr_double4_all(first[k]) * dr_double4_from(dr_float4_load(pull));
        last += dr_double4_all(second[k]) * dr_double4_from(dr_float4_load(pull + 2)); // of it lanes 1 to 3
    }
    for (int a = 0; a < 3; a++) sum[a] = all[a] + last[a + 1];
}

static void pull_by_segments(const dr_manifold *m, size_t v, double sum[3])
{
    for (uint32_t i = m->first[v]; i < m->first[v + 1]; i++) {
        double sign = m->slot[i] % 2 ? 1.0 : -1.0;
        const float *pull = m->pull + 3 * (size_t)(m->slot[i] / 2);
        for (int a = 0; a < 3; a++) sum[a] += sign * (double)pull[a];
    }
}

void dr_manifold_gather(dr_manifold *m, size_t begin, size_t end, const double *slope)
{
    for (size_t v = begin; v < end; v++) {
        double sum[3] = {0};
        if (m->corners == 3)
            pull_by_triangles(m, v, sum);
        else
            pull_by_segments(m, v, sum);
        for (size_t a = 0; a < 3; a++) m->force[3 * v + a] = (float)(slope ? sum[a] - slope[3 * v + a] : sum[a]);
    }
}

double dr_manifold_energy(const dr_manifold *m, size_t e)
{
    const dr_manifold_law *law = &m->laws[m->body[e]];
    double g[3][3];
    dr_manifold_directions(m, e, g);
    dr_triangular t = dr_triangular_split((const double(*)[3])g);
    return dr_manifold_volume(m, e) *
           (m->corners == 3 ? dr_surface_energy(&law->sheet, &t) : dr_curve_energy(&law->thread, &t));
}

// ---- flow

void dr_manifold_carry(const float gradient[9], double dt, const double d[3], double out[3])
{
    double once[3];
    for (int a = 0; a < 3; a++) {
        const float *row = gradient + 3 * a;
        once[a] = dt * ((double)row[0] * d[0] + (double)row[1] * d[1] + (double)row[2] * d[2]);
    }
    dr_vec3_add(out, d, once);
}

// d <- (1 + dt L + dt^2 L^2 / 2) d: a turn does not lengthen it to second order.
static void carry(const float gradient[9], double dt, bool linear, double d[3])
{
    double once[3], twice[3];
    dr_manifold_carry(gradient, dt, d, once);
    dr_manifold_carry(gradient, dt, once, twice);
    for (int a = 0; a < 3; a++) d[a] = linear ? once[a] : 0.5 * (d[a] + twice[a]);
}

void dr_manifold_flow_one(dr_manifold *m, const dr_manifold_step *step, size_t e)
{
    const dr_manifold_law *law = &m->laws[m->body[e]];
    const float *gradient = m->element_affine + 9 * e;
    double g[3][3], *d = dr_manifold_across(m, e);
    carry(gradient, step->dt, step->linear, d);
    if (m->corners == 2) carry(gradient, step->dt, step->linear, d + 3);
    dr_manifold_directions(m, e, g);
    dr_triangular t = dr_triangular_split((const double(*)[3])g);
    if (m->corners == 3) {
        dr_surface_law sheet = law->sheet;
        if (step->friction) sheet.friction = fmax(sheet.friction, (double)step->friction[e]);
        dr_surface_return(&sheet, &t, d);
    } else {
        dr_curve_return(&law->thread, &t, d, d + 3);
    }
}
