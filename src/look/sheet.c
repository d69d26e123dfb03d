// Phong tessellation (Boubekeur and Alexa 2008): a point of a triangle is drawn towards the planes through its corners
// across their normals. Along an edge the result depends on the two ends alone, so neighbours meet without slits. Both
// sides share coordinates; the rim runs around along edges that one triangle alone has.
#include "look/sheet.h"

#include "look/space.h"

#include <stdlib.h>
#include <string.h>

#define BULGE 0.75f // towards the tangent planes: half of it looks faceted, 1 has waves where normals turn quickly

typedef struct edge {
    uint32_t low, high; // vertices
    uint32_t from;      // 3 t + i: goes from corner i to corner i + 1 of triangle t
} edge;

typedef struct making {
    const dr_sheet *sheet;
    int pieces;
    const float *thickness;
    size_t vertex, triangle;
    float (*position)[3], (*normal)[3], (*coordinates)[2], *wetness;
    uint32_t (*corner)[3], *body;
} making;

typedef struct place {
    dr_float4 position, normal;
    float coordinates[2], wetness;
} place;

static place place_at(const making *m, const uint32_t *corner, const float weight[3])
{
    const dr_sheet *sheet = m->sheet;
    place at = {0};
    dr_float4 flat = {0};
    for (int k = 0; k < 3; k++) {
        uint32_t v = corner[k];
        flat += weight[k] * dr_float4_load3(sheet->position[v]);
        at.normal += weight[k] * dr_float4_load3(sheet->normal[v]);
        for (int a = 0; a < 2; a++) at.coordinates[a] += weight[k] * sheet->coordinates[v][a];
        if (sheet->wetness) at.wetness += weight[k] * sheet->wetness[v];
    }
    dr_float4 pulled = {0};
    for (int k = 0; k < 3; k++) {
        dr_float4 n = dr_float4_load3(sheet->normal[corner[k]]);
        dr_float4 away = flat - dr_float4_load3(sheet->position[corner[k]]);
        pulled += weight[k] * (flat - dr_space_dot(away, n) * n);
    }
    at.position = dr_space_mix(flat, pulled, BULGE);
    at.normal = dr_space_unit(at.normal);
    return at;
}

static uint32_t put_vertex(making *m, const place *at, dr_float4 position, dr_float4 normal)
{
    size_t v = m->vertex++;
    for (int a = 0; a < 3; a++) {
        m->position[v][a] = position[a];
        m->normal[v][a] = normal[a];
    }
    memcpy(m->coordinates[v], at->coordinates, sizeof *m->coordinates);
    if (m->wetness) m->wetness[v] = at->wetness;
    return (uint32_t)v;
}

static void put_triangle(making *m, uint32_t a, uint32_t b, uint32_t c, uint32_t body)
{
    m->corner[m->triangle][0] = a;
    m->corner[m->triangle][1] = b;
    m->corner[m->triangle][2] = c;
    m->body[m->triangle++] = body;
}

// The number of vertex (i, j), i along the second side and j along the first, of a triangle cut into n.
static uint32_t lattice(int n, int i, int j)
{
    return (uint32_t)(j * (n + 1) - j * (j - 1) / 2 + i);
}

static void put_side(making *m, size_t t, float side)
{
    int n = m->pieces;
    uint32_t body = m->sheet->body[t], first = (uint32_t)m->vertex;
    float half = 0.5f * side * m->thickness[body];
    for (int j = 0; j <= n; j++) {
        for (int i = 0; i + j <= n; i++) {
            float v = (float)j / (float)n, u = (float)i / (float)n;
            place at = place_at(m, m->sheet->triangle[t], (float[3]){1.0f - u - v, u, v});
            put_vertex(m, &at, at.position + half * at.normal, side * at.normal);
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i + j < n; i++) {
            uint32_t a = first + lattice(n, i, j), b = first + lattice(n, i + 1, j), c = first + lattice(n, i, j + 1);
            put_triangle(m, a, side > 0.0f ? b : c, side > 0.0f ? c : b, body);
            if (i + j + 1 >= n) continue;
            uint32_t d = first + lattice(n, i + 1, j + 1);
            put_triangle(m, b, side > 0.0f ? d : c, side > 0.0f ? c : d, body);
        }
    }
}

static void put_rim(making *m, const edge *e)
{
    uint32_t t = e->from / 3, body = m->sheet->body[t];
    int n = m->pieces, one = (int)(e->from % 3), two = (one + 1) % 3;
    const uint32_t *corner = m->sheet->triangle[t];
    dr_float4 along =
        dr_float4_load3(m->sheet->position[corner[two]]) - dr_float4_load3(m->sheet->position[corner[one]]);
    uint32_t before[2] = {0, 0};
    for (int i = 0; i <= n; i++) {
        float weight[3] = {0}, half = 0.5f * m->thickness[body];
        weight[two] = (float)i / (float)n;
        weight[one] = 1.0f - weight[two];
        place at = place_at(m, corner, weight);
        dr_float4 out = dr_space_unit(dr_space_cross(along, at.normal));
        uint32_t upper = put_vertex(m, &at, at.position + half * at.normal, out);
        uint32_t lower = put_vertex(m, &at, at.position - half * at.normal, out);
        if (i > 0) {
            put_triangle(m, before[0], before[1], upper, body);
            put_triangle(m, upper, before[1], lower, body);
        }
        before[0] = upper;
        before[1] = lower;
    }
}

// ---- edges that one triangle alone has

static int compare(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static size_t find_rim(const dr_sheet *sheet, edge *edges)
{
    size_t count = 3 * sheet->triangle_count, kept = 0;
    for (size_t e = 0; e < count; e++) {
        const uint32_t *corner = sheet->triangle[e / 3];
        uint32_t a = corner[e % 3], b = corner[(e + 1) % 3];
        edges[e] = (edge){a < b ? a : b, a < b ? b : a, (uint32_t)e};
    }
    qsort(edges, count, sizeof *edges, compare);
    for (size_t e = 0; e < count;) {
        size_t next = e + 1;
        while (next < count && edges[next].low == edges[e].low && edges[next].high == edges[e].high) next++;
        if (next == e + 1) edges[kept++] = edges[e];
        e = next;
    }
    return kept;
}

static bool make_room(making *m, size_t rim, dr_arena *arena)
{
    size_t n = (size_t)m->pieces, triangles = m->sheet->triangle_count;
    size_t vertices = triangles * (n + 1) * (n + 2) + rim * 2 * (n + 1), pieces = 2 * n * n * triangles + 2 * n * rim;
    m->position = dr_arena_alloc(arena, vertices * sizeof *m->position + 1);
    m->normal = dr_arena_alloc(arena, vertices * sizeof *m->normal + 1);
    m->coordinates = dr_arena_alloc(arena, vertices * sizeof *m->coordinates + 1);
    m->corner = dr_arena_alloc(arena, pieces * sizeof *m->corner + 1);
    m->body = dr_arena_alloc(arena, pieces * sizeof *m->body + 1);
    if (m->sheet->wetness) m->wetness = dr_arena_alloc(arena, vertices * sizeof *m->wetness + 1);
    return m->position && m->normal && m->coordinates && m->corner && m->body && (m->wetness || !m->sheet->wetness);
}

bool dr_sheet_thicken(const dr_sheet *sheet, int pieces, const float *thickness, dr_arena *arena, dr_sheet *made)
{
    making m = {.sheet = sheet, .pieces = pieces, .thickness = thickness};
    edge *edges = dr_arena_alloc(arena, 3 * sheet->triangle_count * sizeof *edges + 1);
    if (!edges) return false;
    size_t rim = find_rim(sheet, edges);
    if (!make_room(&m, rim, arena)) return false;
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        put_side(&m, t, 1.0f);
        put_side(&m, t, -1.0f);
    }
    for (size_t e = 0; e < rim; e++) put_rim(&m, &edges[e]);
    *made = (dr_sheet){.vertex_count = m.vertex,
                       .triangle_count = m.triangle,
                       .position = (const float(*)[3])m.position,
                       .normal = (const float(*)[3])m.normal,
                       .coordinates = (const float(*)[2])m.coordinates,
                       .wetness = m.wetness,
                       .triangle = (const uint32_t(*)[3])m.corner,
                       .body = m.body};
    return true;
}
