// Vertices at one place are taken for one (a table of places). A corner's normal is the sum of the area normals of
// those triangles around its vertex that turn by less than the crease against its own.
#include "look/crease.h"

#include "look/space.h"

#include <string.h>

#define CREASE  0.8f // cosine of the angle up to which an edge is smoothed
#define NOTHING UINT32_MAX

typedef struct knitting {
    size_t vertex_count, triangle_count;
    const float (*position)[3];
    const uint32_t (*triangle)[3];
    uint32_t *place;   // of each vertex: the first vertex that lies there
    uint32_t *slots;   // table of places
    size_t slot_count; // a power of two
    uint32_t *first;   // of each vertex: where its corners begin
    uint32_t *corners; // triangles around places, one after the other
    float (*face)[3];  // area normals
} knitting;

static uint32_t find_place(knitting *k, uint32_t v)
{
    uint32_t bits[3];
    float x[3];
    for (int a = 0; a < 3; a++) x[a] = k->position[v][a] + 0.0f; // no -0
    memcpy(bits, x, sizeof bits);
    uint64_t mixed =
        (bits[0] * 0x9e3779b97f4a7c15u) ^ (bits[1] * 0xc2b2ae3d27d4eb4fu) ^ (bits[2] * 0x165667b19e3779f9u);
    size_t slot = (size_t)(mixed >> 20) & (k->slot_count - 1);
    while (k->slots[slot] != NOTHING) {
        const float *other = k->position[k->slots[slot]];
        if (other[0] == x[0] && other[1] == x[1] && other[2] == x[2]) return k->slots[slot];
        slot = (slot + 1) & (k->slot_count - 1);
    }
    k->slots[slot] = v;
    return v;
}

static void find_places(knitting *k)
{
    memset(k->slots, 0xff, k->slot_count * sizeof *k->slots);
    for (size_t v = 0; v < k->vertex_count; v++) k->place[v] = find_place(k, (uint32_t)v);
}

static void list_corners(knitting *k)
{
    memset(k->first, 0, (k->vertex_count + 1) * sizeof *k->first);
    for (size_t t = 0; t < k->triangle_count; t++) {
        for (int c = 0; c < 3; c++) k->first[k->place[k->triangle[t][c]] + 1]++;
    }
    for (size_t v = 0; v < k->vertex_count; v++) k->first[v + 1] += k->first[v];
    for (size_t t = k->triangle_count; t-- > 0;) {
        for (int c = 0; c < 3; c++) {
            uint32_t place = k->place[k->triangle[t][c]];
            k->corners[--k->first[place + 1]] = (uint32_t)t; // ends where the next one began
        }
    }
    // Now first[v + 1] is where v begins: shift back.
    for (size_t v = 0; v < k->vertex_count; v++) k->first[v] = k->first[v + 1];
    k->first[k->vertex_count] = (uint32_t)(3 * k->triangle_count);
}

static void find_faces(knitting *k)
{
    for (size_t t = 0; t < k->triangle_count; t++) {
        dr_float4 a = dr_float4_load3(k->position[k->triangle[t][0]]);
        dr_float4 b = dr_float4_load3(k->position[k->triangle[t][1]]) - a;
        dr_float4 c = dr_float4_load3(k->position[k->triangle[t][2]]) - a;
        dr_float4_store3(k->face[t], dr_space_cross(b, c));
    }
}

static dr_float4 corner_normal(const knitting *k, size_t t, uint32_t place)
{
    dr_float4 own = dr_float4_load3(k->face[t]), sum = {0};
    float own_length = dr_space_length(own);
    for (uint32_t i = k->first[place]; i < k->first[place + 1]; i++) {
        dr_float4 other = dr_float4_load3(k->face[k->corners[i]]);
        if (dr_space_dot(own, other) >= CREASE * own_length * dr_space_length(other)) sum += other;
    }
    return dr_space_unit(sum);
}

static bool open_knitting(knitting *k, const dr_allocator *allocator)
{
    for (k->slot_count = 16; k->slot_count < 2 * k->vertex_count;) k->slot_count *= 2;
    k->place = dr_memory_alloc(allocator, k->vertex_count * sizeof *k->place);
    k->slots = dr_memory_alloc(allocator, k->slot_count * sizeof *k->slots);
    k->first = dr_memory_alloc(allocator, (k->vertex_count + 1) * sizeof *k->first);
    k->corners = dr_memory_alloc(allocator, 3 * k->triangle_count * sizeof *k->corners);
    k->face = dr_memory_alloc(allocator, k->triangle_count * sizeof *k->face);
    return k->place && k->slots && k->first && k->corners && k->face;
}

static void close_knitting(knitting *k, const dr_allocator *allocator)
{
    dr_memory_free(allocator, k->place, k->vertex_count * sizeof *k->place);
    dr_memory_free(allocator, k->slots, k->slot_count * sizeof *k->slots);
    dr_memory_free(allocator, k->first, (k->vertex_count + 1) * sizeof *k->first);
    dr_memory_free(allocator, k->corners, 3 * k->triangle_count * sizeof *k->corners);
    dr_memory_free(allocator, k->face, k->triangle_count * sizeof *k->face);
}

bool dr_crease_normals(size_t vertex_count, const float (*position)[3], size_t triangle_count,
                       const uint32_t (*triangle)[3], const dr_allocator *allocator, float (*normal)[3])
{
    knitting k = {
        .vertex_count = vertex_count, .triangle_count = triangle_count, .position = position, .triangle = triangle};
    bool good = open_knitting(&k, allocator);
    if (good) {
        find_places(&k);
        list_corners(&k);
        find_faces(&k);
        for (size_t t = 0; t < triangle_count; t++) {
            for (size_t c = 0; c < 3; c++)
                dr_float4_store3(normal[3 * t + c], corner_normal(&k, t, k.place[triangle[t][c]]));
        }
    }
    close_knitting(&k, allocator);
    return good;
}
