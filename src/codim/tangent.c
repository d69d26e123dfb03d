#include "codim/tangent.h"

#include "math/simd.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// ---- memory

typedef struct room {
    void **data;
    size_t bytes;
} room;

enum { ROOMS = 9 };

static void list_rooms(dr_tangent *t, room rooms[ROOMS])
{
    size_t v = t->mesh->vertices, e = t->mesh->elements;
    const room all[ROOMS] = {{(void **)&t->place, 3 * v * sizeof *t->place},
                             {(void **)&t->across, 6 * e * sizeof *t->across},
                             {(void **)&t->apart, e},
                             {(void **)&t->engaged, e},
                             {(void **)&t->rank, e * sizeof *t->rank},
                             {(void **)&t->pull, 3 * (size_t)t->mesh->corners * e * sizeof *t->pull},
                             {(void **)&t->stress, e * sizeof *t->stress},
                             {(void **)&t->energy, e * sizeof *t->energy},
                             {(void **)&t->stiff, DR_TANGENT_ENTRIES * e * sizeof *t->stiff}};
    memcpy(rooms, all, sizeof all);
}

bool dr_tangent_open(dr_tangent *tangent, const dr_manifold *mesh, const dr_allocator *allocator)
{
    room rooms[ROOMS];
    *tangent = (dr_tangent){.mesh = mesh};
    list_rooms(tangent, rooms);
    const dr_block_mesh meeting = {mesh->vertices, (size_t)mesh->corners, mesh->index, mesh->first, mesh->slot};
    bool ok = dr_block_rows_open(&tangent->rows, &meeting, allocator);
    for (int i = 0; i < ROOMS && ok; i++) {
        *rooms[i].data = dr_memory_alloc(allocator, rooms[i].bytes + 1);
        ok = *rooms[i].data != NULL;
    }
    if (!ok) dr_tangent_close(tangent, allocator);
    return ok;
}

void dr_tangent_close(dr_tangent *tangent, const dr_allocator *allocator)
{
    room rooms[ROOMS];
    if (!tangent->mesh) return;
    list_rooms(tangent, rooms);
    for (int i = 0; i < ROOMS; i++) {
        if (*rooms[i].data) dr_memory_free(allocator, *rooms[i].data, rooms[i].bytes + 1);
    }
    dr_block_rows_close(&tangent->rows, allocator);
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
    const double *across = tangent->across + 6 * e;
    const uint32_t *corner = m->index + (size_t)m->corners * e;
    const double *x = tangent->place + 3 * (size_t)corner[0];
    double g[3][3], e1[3], e2[3], rest[4];
    dr_manifold_rest(m, e, rest);
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

// What of the law acts in this step at this strain. (9.3)
static dr_surface_law sheet_law(const dr_tangent *tangent, size_t e, const dr_triangular *t, bool *engaged)
{
    dr_surface_law law = tangent->mesh->laws[tangent->mesh->body[e]].sheet;
    if (tangent->apart[e]) law.shear = 0.0;
    *engaged = law.shear > 0.0 || (law.normal > 0.0 && t->r[2][2] < 1.0 - DR_TANGENT_PRESSED);
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
    const double *d = dr_manifold_across(tangent->mesh, e);
    double volume = dr_manifold_volume(tangent->mesh, e), rest[4];
    dr_manifold_rest(tangent->mesh, e, rest);
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
    const double *d = dr_manifold_across(tangent->mesh, e);
    double volume = dr_manifold_volume(tangent->mesh, e);
    float *pull = tangent->pull + 6 * e;
    for (int a = 0; a < 3; a++) {
        pull[a] = (float)(volume * p[0][a] * (double)tangent->mesh->rest[4 * e]);
        pull[3 + a] = -pull[a];
        for (int b = 0; b < 3; b++)
            tangent->stress[e][3 * a + b] = (float)(volume * (p[1][a] * d[b] + p[2][a] * d[3 + b]));
    }
}

void dr_tangent_evaluate_one(dr_tangent *tangent, size_t e)
{
    const dr_manifold *m = tangent->mesh;
    dr_triangular t = split_trial(tangent, e);
    double p[3][3];
    bool engaged;
    if (m->corners == 3) {
        dr_surface_law law = sheet_law(tangent, e, &t, &engaged);
        tangent->energy[e] = dr_manifold_volume(m, e) * dr_surface_energy(&law, &t);
        dr_surface_stress(&law, &t, p);
        pull_triangle(tangent, e, (const double(*)[3])p);
    } else {
        dr_curve_law law = thread_law(tangent, e, &t, &engaged);
        tangent->energy[e] = dr_manifold_volume(m, e) * dr_curve_energy(&law, &t);
        dr_curve_stress(&law, &t, p);
        pull_segment(tangent, e, (const double(*)[3])p);
    }
    tangent->engaged[e] = engaged;
}

void dr_tangent_evaluate(dr_tangent *tangent, size_t begin, size_t end)
{
    for (size_t e = begin; e < end; e += DR_LANES) {
        size_t count = end - e < DR_LANES ? end - e : DR_LANES;
        if (tangent->mesh->corners == 3 && dr_tangent_evaluate_lanes(tangent, e, count)) continue;
        for (size_t l = 0; l < count; l++) dr_tangent_evaluate_one(tangent, e + l);
    }
}

// ---- K

// What of the columns of G belongs to the places of corners 1 and 2 and to the directions: columns, then those.
static void find_shares(const dr_manifold *m, size_t e, double share[3][3])
{
    double rest[4];
    dr_manifold_rest(m, e, rest);
    memset(share, 0, 9 * sizeof(double));
    share[0][0] = rest[0];
    share[1][1] = share[2][2] = 1.0;
    if (m->corners == 2) return;
    share[0][1] = rest[2];
    share[1][0] = rest[1];
    share[1][1] = rest[3];
}

// From H = d2psi/dG2, by columns of G, to K.
static void keep(const dr_tangent *tangent, size_t e, const double h[9][9])
{
    const dr_manifold *m = tangent->mesh;
    float *stiff = tangent->stiff + DR_TANGENT_ENTRIES * e;
    double share[3][3];
    find_shares(m, e, share);
    for (int i = 0; i < 9; i++) {
        for (int j = i; j < 9; j++) {
            double sum = 0.0;
            for (int k = 0; k < 9; k++) {
                double both = share[k / 3][i / 3] * share[k % 3][j / 3];
                int row = 3 * (k / 3) + i % 3, column = 3 * (k % 3) + j % 3;
                sum += both * 0.5 * (h[row][column] + h[column][row]);
            }
            stiff[dr_tangent_entry(i, j)] = (float)(dr_manifold_volume(m, e) * sum);
        }
    }
}

void dr_tangent_build_one(dr_tangent *tangent, size_t e)
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
    for (int i = 0; i < 9; i++) {
        double dg[3][3] = {{0}}, dp[3][3];
        dg[i / 3][i % 3] = 1.0;
        if (triangle)
            dr_surface_stress_change(&sheet, &t, (const double(*)[3])dg, dp);
        else
            dr_curve_stress_change(&thread, &t, (const double(*)[3])dg, dp);
        for (int j = 0; j < 9; j++) h[i][j] = dp[j / 3][j % 3];
    }
    keep(tangent, e, (const double(*)[9])h);
}

void dr_tangent_build(dr_tangent *tangent, size_t begin, size_t end)
{
    for (size_t e = begin; e < end; e += DR_LANES) {
        size_t count = end - e < DR_LANES ? end - e : DR_LANES;
        if (tangent->mesh->corners == 3 && dr_tangent_build_lanes(tangent, e, count)) continue;
        for (size_t l = 0; l < count; l++) dr_tangent_build_one(tangent, e + l);
    }
}

// ---- block rows

typedef struct block {
    float of[3][3]; // row, column
} block;

// What a change of unit l (a corner but 0, or a direction) does to unit k.
DR_INLINE block take_block(const float *stiff, int k, int l)
{
    block b;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int row = 3 * k + i, column = 3 * l + j;
            b.of[i][j] = stiff[row <= column ? dr_tangent_entry(row, column) : dr_tangent_entry(column, row)];
        }
    }
    return b;
}

DR_INLINE void add_block(block *to, const block *b)
{
    for (int i = 0; i < 9; i++) to->of[i / 3][i % 3] += b->of[i / 3][i % 3];
}

DR_INLINE void add_to_row(float *entry, const block *b, float sign)
{
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) entry[3 * j + i] += sign * b->of[i][j];
    }
}

// What corners do to the corner k of an element of so many: unit k - 1, or the negative sum of units.
DR_INLINE void add_element(dr_tangent *tangent, size_t v, size_t e, int k, int corners)
{
    const float *stiff = tangent->stiff + DR_TANGENT_ENTRIES * e;
    const uint32_t *corner = tangent->mesh->index + (size_t)corners * e;
    block all = {{{0}}};
    for (int l = 1; l < corners; l++) {
        block sum = {{{0}}};
        for (int i = 1; i < corners; i++) {
            if (k != 0 && i != k) continue;
            block one = take_block(stiff, i - 1, l - 1);
            add_block(&sum, &one);
        }
        add_block(&all, &sum);
        add_to_row(dr_block_rows_at(&tangent->rows, v, corner[l]), &sum, k == 0 ? -1.0F : 1.0F);
    }
    add_to_row(dr_block_rows_at(&tangent->rows, v, corner[0]), &all, k == 0 ? 1.0F : -1.0F);
}

void dr_tangent_assemble(dr_tangent *tangent, size_t begin, size_t end)
{
    const dr_manifold *m = tangent->mesh;
    dr_block_rows *rows = &tangent->rows;
    memset(rows->block + 9 * (size_t)rows->first[begin], 0,
           9 * (size_t)(rows->first[end] - rows->first[begin]) * sizeof *rows->block);
    for (size_t v = begin; v < end; v++) {
        for (uint32_t i = m->first[v]; i < m->first[v + 1]; i++) {
            size_t slot = m->slot[i];
            if (m->corners == 3)
                add_element(tangent, v, slot / 3, (int)(slot % 3), 3);
            else
                add_element(tangent, v, slot / 2, (int)(slot % 2), 2);
        }
    }
}

// ---- products

DR_INLINE void add_product(const block *b, const float *x, float factor, float sum[3])
{
    for (int i = 0; i < 3; i++) sum[i] += factor * (b->of[i][0] * x[0] + b->of[i][1] * x[1] + b->of[i][2] * x[2]);
}

// What the directions of the elements around a vertex do to it.
static void add_turns(const dr_tangent *tangent, size_t v, const float *turn, float out[3])
{
    const dr_manifold *m = tangent->mesh;
    int units = m->corners - 1;
    size_t turns = dr_tangent_turns(m);
    for (uint32_t i = m->first[v]; i < m->first[v + 1]; i++) {
        size_t e = m->slot[i] / (uint32_t)m->corners;
        int k = (int)(m->slot[i] % (uint32_t)m->corners);
        if (tangent->rank[e] == DR_TANGENT_NONE) continue;
        for (int d = 0; d < (int)turns; d++) {
            const float *x = turn + 4 * (turns * tangent->rank[e] + (size_t)d);
            for (int l = 0; l < units; l++) {
                if (k != 0 && l != k - 1) continue;
                block b = take_block(tangent->stiff + DR_TANGENT_ENTRIES * e, l, units + d);
                add_product(&b, x, k == 0 ? -1.0F : 1.0F, out);
            }
        }
    }
}

void dr_tangent_multiply(const dr_tangent *tangent, size_t begin, size_t end, const float *velocity, const float *turn,
                         float *out)
{
    dr_block_rows_multiply(&tangent->rows, begin, end, velocity, out);
    for (size_t v = begin; v < end && turn; v++) add_turns(tangent, v, turn, out + 4 * v);
}

void dr_tangent_multiply_turns(const dr_tangent *tangent, size_t begin, size_t end, const uint32_t *list,
                               const float *velocity, const float *turn, float *out)
{
    const dr_manifold *m = tangent->mesh;
    int units = m->corners - 1;
    size_t turns = dr_tangent_turns(m);
    for (size_t n = begin * turns; n < end * turns; n++) {
        size_t e = list[n / turns];
        const uint32_t *corner = m->index + (size_t)m->corners * e;
        const float *stiff = tangent->stiff + DR_TANGENT_ENTRIES * e, *base = velocity + 4 * (size_t)corner[0];
        int own = units + (int)(n % turns);
        float sum[3] = {0.0F};
        for (int l = 0; l < units; l++) {
            const float *to = velocity + 4 * (size_t)corner[l + 1];
            const float edge[3] = {to[0] - base[0], to[1] - base[1], to[2] - base[2]};
            block b = take_block(stiff, own, l);
            add_product(&b, edge, 1.0F, sum);
        }
        for (size_t d = 0; d < turns; d++) {
            block b = take_block(stiff, own, units + (int)d);
            add_product(&b, turn + 4 * (turns * (n / turns) + d), 1.0F, sum);
        }
        memcpy(out + 4 * n, sum, sizeof sum);
        out[4 * n + 3] = 0.0F;
    }
}
