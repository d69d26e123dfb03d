#include "codim/tangent.h"

#include "math/simd.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

size_t dr_tangent_batches(const dr_manifold *mesh)
{
    return (mesh->elements + DR_TANGENT_LANES - 1) / DR_TANGENT_LANES;
}

// ---- memory

typedef struct room {
    void **data;
    size_t bytes;
} room;

enum { ROOMS = 8 };

static void list_rooms(dr_tangent *t, room rooms[ROOMS])
{
    size_t v = t->mesh->vertices, e = t->mesh->elements, items = (size_t)DR_TANGENT_ITEMS * DR_TANGENT_LANES;
    const room all[ROOMS] = {{(void **)&t->place, 3 * v * sizeof *t->place},
                             {(void **)&t->across, 6 * e * sizeof *t->across},
                             {(void **)&t->apart, e},
                             {(void **)&t->engaged, e},
                             {(void **)&t->pull, 3 * (size_t)t->mesh->corners * e * sizeof *t->pull},
                             {(void **)&t->stress, e * sizeof *t->stress},
                             {(void **)&t->energy, e * sizeof *t->energy},
                             {(void **)&t->packed, dr_tangent_batches(t->mesh) * items * sizeof *t->packed}};
    memcpy(rooms, all, sizeof all);
}

bool dr_tangent_open(dr_tangent *tangent, const dr_manifold *mesh, const dr_allocator *allocator)
{
    room rooms[ROOMS];
    *tangent = (dr_tangent){.mesh = mesh};
    list_rooms(tangent, rooms);
    for (int i = 0; i < ROOMS; i++) {
        *rooms[i].data = dr_memory_alloc(allocator, rooms[i].bytes + 1);
        if (!*rooms[i].data) {
            dr_tangent_close(tangent, allocator);
            return false;
        }
    }
    return true;
}

void dr_tangent_close(dr_tangent *tangent, const dr_allocator *allocator)
{
    room rooms[ROOMS];
    if (!tangent->mesh) return;
    list_rooms(tangent, rooms);
    for (int i = 0; i < ROOMS; i++) {
        if (*rooms[i].data) dr_memory_free(allocator, *rooms[i].data, rooms[i].bytes + 1);
    }
    *tangent = (dr_tangent){0};
}

// ---- the laws of a step

// A direction is apart when it is as long as the return map leaves it there, to rounding.
#define APART 1e-12

void dr_tangent_begin(dr_tangent *tangent, size_t begin, size_t end)
{
    const dr_manifold *m = tangent->mesh;
    for (size_t e = begin; e < end; e++) {
        double g[3][3];
        dr_manifold_directions(m, e, g);
        dr_triangular t = dr_triangular_split((const double(*)[3])g);
        double open = m->corners == 3 ? t.r[2][2] : t.r[1][1] * t.r[2][2];
        tangent->apart[e] = open >= 1.0 - APART;
    }
}

static dr_triangular split_trial(const dr_tangent *tangent, size_t e)
{
    const dr_manifold *m = tangent->mesh;
    const double *rest = m->rest + 4 * e, *across = tangent->across + 6 * e;
    const uint32_t *corner = m->index + (size_t)m->corners * e;
    const double *x = tangent->place + 3 * (size_t)corner[0];
    double g[3][3], e1[3], e2[3];
    dr_vec3_sub(e1, tangent->place + 3 * (size_t)corner[1], x);
    if (m->corners == 2) {
        dr_vec3_scale(g[0], rest[0], e1);
        dr_vec3_copy(g[1], across);
        dr_vec3_copy(g[2], across + 3);
    } else {
        dr_vec3_sub(e2, tangent->place + 3 * (size_t)corner[2], x);
        for (int a = 0; a < 3; a++) {
            g[0][a] = e1[a] * rest[0] + e2[a] * rest[2];
            g[1][a] = e1[a] * rest[1] + e2[a] * rest[3];
        }
        dr_vec3_copy(g[2], across);
    }
    return dr_triangular_split((const double(*)[3])g);
}

// Less than this is what rounding presses: its stress is a million-millionth of the contact stiffness.
#define PRESSED 1e-6

// What of the law acts in this step at this strain. (9.3)
static dr_surface_law sheet_law(const dr_tangent *tangent, size_t e, const dr_triangular *t, bool *engaged)
{
    dr_surface_law law = tangent->mesh->laws[tangent->mesh->body[e]].sheet;
    if (tangent->apart[e]) law.shear = 0.0;
    *engaged = law.shear > 0.0 || (law.normal > 0.0 && t->r[2][2] < 1.0 - PRESSED);
    return law;
}

static dr_curve_law thread_law(const dr_tangent *tangent, size_t e, const dr_triangular *t, bool *engaged)
{
    dr_curve_law law = tangent->mesh->laws[tangent->mesh->body[e]].thread;
    bool opened = t->r[1][1] * t->r[2][2] >= 1.0;
    *engaged = !(tangent->apart[e] && opened);
    double bulk = opened ? 0.0 : law.lambda + law.mu;
    if (tangent->apart[e]) law.mu = law.shear = 0.0;
    law.lambda = bulk - law.mu;
    return law;
}

// ---- energy and forces

static void pull_triangle(dr_tangent *tangent, size_t e, const double p[3][3])
{
    const double *rest = tangent->mesh->rest + 4 * e, *d = tangent->mesh->direction + 6 * e;
    double volume = tangent->mesh->volume[e];
    float *pull = tangent->pull + 9 * e;
    for (int a = 0; a < 3; a++) {
        double first = volume * (p[0][a] * rest[0] + p[1][a] * rest[1]);
        double second = volume * (p[0][a] * rest[2] + p[1][a] * rest[3]);
        pull[3 + a] = (float)-first;
        pull[6 + a] = (float)-second;
        pull[a] = -(pull[3 + a] + pull[6 + a]);
        for (int b = 0; b < 3; b++) tangent->stress[e][3 * a + b] = dr_manifold_flush(volume * p[2][a] * d[b]);
    }
}

static void pull_segment(dr_tangent *tangent, size_t e, const double p[3][3])
{
    const double *d = tangent->mesh->direction + 6 * e;
    double volume = tangent->mesh->volume[e];
    float *pull = tangent->pull + 6 * e;
    for (int a = 0; a < 3; a++) {
        pull[a] = (float)(volume * p[0][a] * tangent->mesh->rest[4 * e]);
        pull[3 + a] = -pull[a];
        for (int b = 0; b < 3; b++)
            tangent->stress[e][3 * a + b] = (float)(volume * (p[1][a] * d[b] + p[2][a] * d[3 + b]));
    }
}

void dr_tangent_evaluate(dr_tangent *tangent, size_t begin, size_t end)
{
    const dr_manifold *m = tangent->mesh;
    for (size_t e = begin; e < end; e++) {
        dr_triangular t = split_trial(tangent, e);
        double p[3][3];
        bool engaged;
        if (m->corners == 3) {
            dr_surface_law law = sheet_law(tangent, e, &t, &engaged);
            tangent->energy[e] = m->volume[e] * dr_surface_energy(&law, &t);
            dr_surface_stress(&law, &t, p);
            pull_triangle(tangent, e, (const double(*)[3])p);
        } else {
            dr_curve_law law = thread_law(tangent, e, &t, &engaged);
            tangent->energy[e] = m->volume[e] * dr_curve_energy(&law, &t);
            dr_curve_stress(&law, &t, p);
            pull_segment(tangent, e, (const double(*)[3])p);
        }
        tangent->engaged[e] = engaged;
    }
}

// ---- H

static int entry_of(int i, int j) // i <= j
{
    return 9 * i - i * (i - 1) / 2 + j - i;
}

static float *lane_of(const dr_tangent *tangent, size_t e)
{
    return tangent->packed + e / DR_TANGENT_LANES * DR_TANGENT_ITEMS * DR_TANGENT_LANES + e % DR_TANGENT_LANES;
}

static void pack(const dr_tangent *tangent, size_t e, const double h[9][9])
{
    const dr_manifold *m = tangent->mesh;
    float *lane = lane_of(tangent, e);
    for (int i = 0; i < 9; i++) {
        for (int j = i; j < 9; j++)
            lane[DR_TANGENT_LANES * entry_of(i, j)] = (float)(0.5 * m->volume[e] * (h[i][j] + h[j][i]));
    }
    lane += (size_t)DR_TANGENT_LANES * DR_TANGENT_ENTRIES;
    for (size_t i = 0; i < 4; i++) lane[DR_TANGENT_LANES * i] = (float)m->rest[4 * e + i];
    for (size_t i = 0; i < 6; i++) lane[DR_TANGENT_LANES * (4 + i)] = (float)m->direction[6 * e + i];
}

static void build_element(dr_tangent *tangent, size_t e)
{
    bool triangle = tangent->mesh->corners == 3, engaged;
    dr_triangular t = split_trial(tangent, e);
    dr_surface_law sheet = {0};
    dr_curve_law thread = {0};
    double h[9][9] = {{0}};
    if (triangle)
        sheet = sheet_law(tangent, e, &t, &engaged);
    else
        thread = thread_law(tangent, e, &t, &engaged);
    int columns = engaged ? 9 : triangle ? 6 : 3;
    for (int i = 0; i < columns; i++) {
        double dg[3][3] = {{0}}, dp[3][3];
        dg[i / 3][i % 3] = 1.0;
        if (triangle)
            dr_surface_stress_change(&sheet, &t, (const double(*)[3])dg, dp);
        else
            dr_curve_stress_change(&thread, &t, (const double(*)[3])dg, dp);
        for (int j = 0; j < 9; j++) h[i][j] = dp[j / 3][j % 3];
    }
    if (!engaged) { // what acts across is nought to rounding
        for (int i = 0; i < 9; i++) {
            for (int j = 0; j < 9; j++) {
                if (i >= columns || j >= columns) h[i][j] = 0.0;
            }
        }
    }
    tangent->engaged[e] = engaged;
    pack(tangent, e, (const double(*)[9])h);
}

void dr_tangent_build(dr_tangent *tangent, size_t begin, size_t end)
{
    for (size_t b = begin; b < end; b++) {
        for (size_t e = b * DR_TANGENT_LANES; e < (b + 1) * DR_TANGENT_LANES; e++) {
            if (e < tangent->mesh->elements)
                build_element(tangent, e);
            else
                for (size_t i = 0; i < DR_TANGENT_ITEMS; i++) lane_of(tangent, e)[DR_TANGENT_LANES * i] = 0.0F;
        }
    }
}

// ---- its product

typedef struct batch {
    size_t first, count; // elements
    const float *items;
} batch;

DR_INLINE dr_float8 item_of(const batch *b, int i)
{
    return dr_float8_load(b->items + DR_TANGENT_LANES * i);
}

// Velocities of corner k less those of corner 0, a vector of lanes per axis.
DR_INLINE void find_edge(const dr_manifold *m, const batch *b, int k, const float *velocity, dr_float8 edge[3])
{
    float lanes[3][DR_TANGENT_LANES] = {{0}};
    size_t corners = (size_t)m->corners;
    for (size_t l = 0; l < b->count; l++) {
        const uint32_t *corner = m->index + corners * (b->first + l);
        const float *to = velocity + 4 * (size_t)corner[k], *from = velocity + 4 * (size_t)corner[0];
        for (int a = 0; a < 3; a++) lanes[a][l] = to[a] - from[a];
    }
    for (int a = 0; a < 3; a++) edge[a] = dr_float8_load(lanes[a]);
}

// L d of one of the directions.
static void find_turn(const dr_tangent *tangent, const batch *b, int which, const float *gradient, dr_float8 turn[3])
{
    float lanes[3][DR_TANGENT_LANES] = {{0}};
    for (size_t l = 0; l < b->count; l++) {
        if (!tangent->engaged[b->first + l]) continue;
        const float *g = gradient + 9 * (b->first + l);
        const float *d = b->items + DR_TANGENT_LANES * (DR_TANGENT_ENTRIES + 4 + 3 * which) + l;
        for (int a = 0; a < 3; a++)
            lanes[a][l] = g[3 * a] * d[0] + g[3 * a + 1] * d[DR_TANGENT_LANES] + g[3 * a + 2] * d[2 * DR_TANGENT_LANES];
    }
    for (int a = 0; a < 3; a++) turn[a] = dr_float8_load(lanes[a]);
}

DR_INLINE void multiply(const batch *b, int count, const dr_float8 x[9], dr_float8 y[9])
{
    for (int i = 0; i < count; i++) y[i] = dr_float8_all(0.0F);
    for (int i = 0; i < count; i++) {
        y[i] = dr_float8_add_product(y[i], item_of(b, 9 * i - i * (i - 1) / 2), x[i]);
        for (int j = i + 1; j < count; j++) {
            dr_float8 h = item_of(b, 9 * i - i * (i - 1) / 2 + j - i);
            y[i] = dr_float8_add_product(y[i], h, x[j]);
            y[j] = dr_float8_add_product(y[j], h, x[i]);
        }
    }
}

static void give_stress(dr_tangent *tangent, const batch *b, const dr_float8 *y, int directions)
{
    float lanes[6][DR_TANGENT_LANES];
    const float *d = b->items + DR_TANGENT_LANES * (DR_TANGENT_ENTRIES + 4);
    for (int i = 0; i < 3 * directions; i++) dr_float8_store(lanes[i], y[i]);
    for (size_t l = 0; l < b->count; l++) {
        if (!tangent->engaged[b->first + l]) continue;
        float *stress = tangent->stress[b->first + l];
        for (int i = 0; i < 9; i++) {
            float sum = 0.0F;
            for (int k = 0; k < directions; k++)
                sum += lanes[3 * k + i / 3][l] * d[DR_TANGENT_LANES * (3 * k + i % 3) + (int)l];
            stress[i] = sum;
        }
    }
}

static bool any_engaged(const dr_tangent *tangent, const batch *b)
{
    bool any = false;
    for (size_t l = 0; l < b->count; l++) any |= tangent->engaged[b->first + l];
    return any;
}

static void apply_triangles(dr_tangent *tangent, const batch *b, const float *velocity, const float *gradient)
{
    dr_float8 first[3], second[3], x[9], y[9], rest[4];
    float lanes[6][DR_TANGENT_LANES];
    bool engaged = any_engaged(tangent, b);
    find_edge(tangent->mesh, b, 1, velocity, first);
    find_edge(tangent->mesh, b, 2, velocity, second);
    for (int i = 0; i < 4; i++) rest[i] = item_of(b, DR_TANGENT_ENTRIES + i);
    for (int a = 0; a < 3; a++) {
        x[a] = first[a] * rest[0] + second[a] * rest[2];
        x[3 + a] = first[a] * rest[1] + second[a] * rest[3];
    }
    if (engaged) {
        find_turn(tangent, b, 0, gradient, x + 6);
        multiply(b, 9, x, y);
        give_stress(tangent, b, y + 6, 1);
    } else {
        multiply(b, 6, x, y);
    }
    for (int a = 0; a < 3; a++) {
        dr_float8_store(lanes[a], y[a] * rest[0] + y[3 + a] * rest[1]);
        dr_float8_store(lanes[3 + a], y[a] * rest[2] + y[3 + a] * rest[3]);
    }
    for (size_t l = 0; l < b->count; l++) {
        float *pull = tangent->pull + 9 * (b->first + l);
        for (int a = 0; a < 3; a++) {
            pull[a] = lanes[a][l] + lanes[3 + a][l];
            pull[3 + a] = -lanes[a][l];
            pull[6 + a] = -lanes[3 + a][l];
        }
    }
}

static void apply_segments(dr_tangent *tangent, const batch *b, const float *velocity, const float *gradient)
{
    dr_float8 x[9], y[9], rest = item_of(b, DR_TANGENT_ENTRIES);
    float lanes[3][DR_TANGENT_LANES];
    bool engaged = any_engaged(tangent, b);
    find_edge(tangent->mesh, b, 1, velocity, x);
    for (int a = 0; a < 3; a++) x[a] *= rest;
    if (engaged) {
        find_turn(tangent, b, 0, gradient, x + 3);
        find_turn(tangent, b, 1, gradient, x + 6);
        multiply(b, 9, x, y);
        give_stress(tangent, b, y + 3, 2);
    } else {
        multiply(b, 3, x, y);
    }
    for (int a = 0; a < 3; a++) dr_float8_store(lanes[a], y[a] * rest);
    for (size_t l = 0; l < b->count; l++) {
        float *pull = tangent->pull + 6 * (b->first + l);
        for (int a = 0; a < 3; a++) {
            pull[a] = lanes[a][l];
            pull[3 + a] = -lanes[a][l];
        }
    }
}

void dr_tangent_apply(dr_tangent *tangent, size_t begin, size_t end, const float *velocity, const float *gradient)
{
    for (size_t i = begin; i < end; i++) {
        size_t first = i * DR_TANGENT_LANES, left = tangent->mesh->elements - first;
        batch b = {first, left < DR_TANGENT_LANES ? left : DR_TANGENT_LANES,
                   tangent->packed + i * DR_TANGENT_ITEMS * DR_TANGENT_LANES};
        if (tangent->mesh->corners == 3)
            apply_triangles(tangent, &b, velocity, gradient);
        else
            apply_segments(tangent, &b, velocity, gradient);
    }
}
