// Made-up frames and what a mesh is measured by.
#ifndef TESTS_LOOK_MADE_UP_H
#define TESTS_LOOK_MADE_UP_H

#include "look/surface.h"

#include "../support/check.h"
#include "../support/scarce.h"
#include "math/random.h"

#include <stdlib.h>

enum { MOST_PARTS = 4, MOST_ARRAYS = 8 };

// A frame that owns its arrays.
typedef struct made_up {
    dr_frame frame;
    dr_frame_part parts[MOST_PARTS];
    dr_frame_array arrays[MOST_PARTS][MOST_ARRAYS];
    void *owned[MOST_PARTS * MOST_ARRAYS];
    int owned_count;
} made_up;

static inline void made_up_free(made_up *m)
{
    for (int i = 0; i < m->owned_count; i++) free(m->owned[i]);
    *m = (made_up){0};
}

static inline void *made_up_own(made_up *m, void *block)
{
    assert_non_null(block);
    m->owned[m->owned_count++] = block;
    return block;
}

static inline dr_frame_part *made_up_part(made_up *m, const char *name, dr_frame_kind kind, size_t points)
{
    int i = m->frame.part_count++;
    m->frame.parts = m->parts;
    m->parts[i] = (dr_frame_part){.name = name, .kind = kind, .point_count = points, .arrays = m->arrays[i]};
    return m->parts + i;
}

static inline float *made_up_array(made_up *m, dr_frame_part *part, const char *name, int components)
{
    float *data = made_up_own(m, calloc(part->point_count * (size_t)components + 1, sizeof(float)));
    m->arrays[part - m->parts][part->array_count++] =
        (dr_frame_array){name, "", DR_TYPE_FLOAT32, components, part->point_count, data};
    return data;
}

// ---- liquid

typedef struct drops {
    size_t count, capacity;
    float (*position)[3];
    float *volume;
    float (*velocity)[3];
} drops;

static inline void drops_add(drops *d, const double x[3], double volume)
{
    if (d->count == d->capacity) {
        d->capacity = d->capacity ? 2 * d->capacity : 1024;
        d->position = realloc(d->position, d->capacity * sizeof *d->position);
        d->volume = realloc(d->volume, d->capacity * sizeof *d->volume);
        d->velocity = realloc(d->velocity, d->capacity * sizeof *d->velocity);
    }
    for (int a = 0; a < 3; a++) {
        d->position[d->count][a] = (float)x[a];
        d->velocity[d->count][a] = (float)(10.0 * (a == 0 ? -x[1] : a == 1 ? x[0] : 0.0));
    }
    d->volume[d->count++] = (float)volume;
}

static inline double dice(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

typedef double (*shape_distance)(const void *shape, const double x[3]); // negative inside

// Fills a shape as liquid is poured: a lattice of spacing s over it, cubes cut by its surface in part, jittered.
static inline void drops_fill(drops *d, shape_distance distance, const void *shape, double half, double s,
                              double jitter)
{
    int n = (int)ceil(half / s);
    uint64_t seed = 7;
    for (int z = -n; z < n; z++) {
        for (int y = -n; y < n; y++) {
            for (int x = -n; x < n; x++) {
                double share = 0.0, middle[3] = {0, 0, 0};
                for (int o = 0; o < 64; o++) {
                    double at[3] = {(x + 0.125 + 0.25 * (o & 3)) * s, (y + 0.125 + 0.25 * (o >> 2 & 3)) * s,
                                    (z + 0.125 + 0.25 * (o >> 4)) * s};
                    double f = fmin(1.0, fmax(0.0, 0.5 - distance(shape, at) / (0.25 * s)));
                    share += f / 64.0;
                    for (int a = 0; a < 3; a++) middle[a] += f / 64.0 * at[a];
                }
                if (share < 0.02) continue;
                for (int a = 0; a < 3; a++) {
                    middle[a] =
                        middle[a] / share + jitter * s * fmax(0.0, 2.0 * share - 1.0) * (2.0 * dice(&seed) - 1.0);
                }
                drops_add(d, middle, share * s * s * s);
            }
        }
    }
}

static inline double drops_volume(const drops *d)
{
    double sum = 0.0;
    for (size_t i = 0; i < d->count; i++) sum += (double)d->volume[i];
    return sum;
}

static inline void drops_free(drops *d)
{
    free(d->position);
    free(d->volume);
    free(d->velocity);
    *d = (drops){0};
}

// The frame borrows the drops.
static inline void made_up_liquid(made_up *m, const drops *d)
{
    dr_frame_part *part = made_up_part(m, "liquid", DR_FRAME_POINTS, d->count);
    dr_frame_array *arrays = m->arrays[part - m->parts];
    arrays[part->array_count++] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, d->count, d->position};
    arrays[part->array_count++] = (dr_frame_array){"volume", "cm3", DR_TYPE_FLOAT32, 1, d->count, d->volume};
    arrays[part->array_count++] = (dr_frame_array){"velocity", "cm/s", DR_TYPE_FLOAT32, 3, d->count, d->velocity};
}

typedef struct ball {
    double at[3], radius;
} ball;

static inline double ball_distance(const void *shape, const double x[3])
{
    const ball *b = shape;
    double sum = 0.0;
    for (int a = 0; a < 3; a++) sum += (x[a] - b->at[a]) * (x[a] - b->at[a]);
    return sqrt(sum) - b->radius;
}

// A disc with a round rim across a slanted axis: a sheet.
typedef struct disc {
    double radius, thick;
} disc;

static const double slanted[3] = {2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0};

static inline double disc_distance(const void *shape, const double x[3])
{
    const disc *d = shape;
    double up = 0.0, sum = 0.0;
    for (int a = 0; a < 3; a++) up += x[a] * slanted[a];
    for (int a = 0; a < 3; a++) sum += (x[a] - up * slanted[a]) * (x[a] - up * slanted[a]);
    double out = fmax(0.0, sqrt(sum) - d->radius);
    return sqrt(out * out + up * up) - 0.5 * d->thick;
}

// A thread along a slanted axis with round ends: a jet.
typedef struct thread {
    double half_length, radius;
} thread;

static inline double thread_distance(const void *shape, const double x[3])
{
    const thread *t = shape;
    double along = x[0] * slanted[0] + x[1] * slanted[1] + x[2] * slanted[2], sum = 0.0;
    along = fmax(-t->half_length, fmin(t->half_length, along));
    for (int a = 0; a < 3; a++) sum += (x[a] - along * slanted[a]) * (x[a] - along * slanted[a]);
    return sqrt(sum) - t->radius;
}

// ---- the mesh

static inline void triangle_corners(const dr_surface_mesh *mesh, size_t t, double c[3][3])
{
    for (int i = 0; i < 3; i++) {
        for (int a = 0; a < 3; a++) c[i][a] = (double)mesh->position[mesh->triangle[t][i]][a];
    }
}

static inline void triangle_normal(double c[3][3], double n[3])
{
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, d = (a + 2) % 3;
        n[a] = (c[1][b] - c[0][b]) * (c[2][d] - c[0][d]) - (c[1][d] - c[0][d]) * (c[2][b] - c[0][b]);
    }
}

static inline double mesh_volume(const dr_surface_mesh *mesh)
{
    double sum = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double c[3][3], n[3];
        triangle_corners(mesh, t, c);
        triangle_normal(c, n);
        for (int a = 0; a < 3; a++) sum += n[a] * c[0][a] / 6.0;
    }
    return sum;
}

static inline double mesh_area(const dr_surface_mesh *mesh)
{
    double sum = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double c[3][3], n[3];
        triangle_corners(mesh, t, c);
        triangle_normal(c, n);
        sum += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    return sum;
}

// Pieces that hang together.
static inline int mesh_pieces(const dr_surface_mesh *mesh)
{
    uint32_t *of = malloc((mesh->vertex_count + 1) * sizeof *of);
    int pieces = (int)mesh->vertex_count;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) of[v] = v;
    for (size_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t a = mesh->triangle[i / 3][i % 3], b = mesh->triangle[i / 3][(i + 1) % 3];
        while (of[a] != a) a = of[a] = of[of[a]];
        while (of[b] != b) b = of[b] = of[of[b]];
        pieces -= a != b;
        of[a] = b;
    }
    free(of);
    return pieces;
}

typedef struct half_edge {
    uint32_t from, to, triangle;
} half_edge;

static inline int compare_half_edges(const void *a, const void *b)
{
    const half_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to != y->to ? (x->to < y->to ? -1 : 1) : 0;
}

static inline const half_edge *find_half_edge(const half_edge *edges, size_t count, uint32_t from, uint32_t to)
{
    half_edge wanted = {from, to, 0};
    return bsearch(&wanted, edges, count, sizeof *edges, compare_half_edges);
}

// The corner that follows `corner` in a triangle, by `step`.
static inline uint32_t corner_after(const dr_surface_mesh *mesh, uint32_t t, uint32_t corner, int step)
{
    for (int i = 0; i < 3; i++) {
        if (mesh->triangle[t][i] == corner) return mesh->triangle[t][(i + step) % 3];
    }
    return UINT32_MAX;
}

// Walks around a vertex from one triangle to the next; how many there are in the round.
static inline size_t round_size(const dr_surface_mesh *mesh, const half_edge *edges, uint32_t v, const half_edge *start)
{
    size_t size = 0, count = 3 * mesh->triangle_count;
    const half_edge *at = start;
    do {
        uint32_t back = corner_after(mesh, at->triangle, v, 2);
        at = find_half_edge(edges, count, v, back);
        size++;
    } while (at && at != start && size < count);
    return size;
}

// NULL where every edge has exactly two triangles that run along it in opposite directions and the triangles around
// every vertex form one round; else what is wrong.
static inline const char *mesh_fault(const dr_surface_mesh *mesh)
{
    size_t count = 3 * mesh->triangle_count;
    const char *fault = NULL;
    half_edge *edges = malloc((count + 1) * sizeof *edges);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *t = mesh->triangle[i / 3];
        edges[i] = (half_edge){t[i % 3], t[(i + 1) % 3], (uint32_t)(i / 3)};
        if (edges[i].from >= mesh->vertex_count) fault = "a corner that is no vertex";
        if (edges[i].from == edges[i].to) fault = "a triangle with a corner twice";
    }
    qsort(edges, count, sizeof *edges, compare_half_edges);
    for (size_t i = 0; i < count && !fault; i++) {
        if (i > 0 && compare_half_edges(edges + i, edges + i - 1) == 0) fault = "an edge run along twice the same way";
        if (!find_half_edge(edges, count, edges[i].to, edges[i].from)) fault = "an open edge";
    }
    size_t used = 0;
    for (size_t i = 0; i < count && !fault;) {
        size_t j = i;
        while (j < count && edges[j].from == edges[i].from) j++;
        if (round_size(mesh, edges, edges[i].from, edges + i) != j - i) fault = "a vertex with more than one round";
        i = j;
        used++;
    }
    if (!fault && used != mesh->vertex_count) fault = "a vertex without triangles";
    free(edges);
    return fault;
}

#endif
