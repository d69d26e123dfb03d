// Edges are put into one bucket per vertex that is the smaller of their two; partners are looked for within a bucket.
#include "geom/adjacency.h"

#define FULLEST 512 // edges in one bucket; a mesh with more is not worth the search

static void edge_ends(const uint32_t *triangles, size_t edge, uint32_t *from, uint32_t *to)
{
    *from = triangles[edge];
    *to = triangles[edge % 3 == 2 ? edge - 2 : edge + 1];
}

static uint32_t smaller_end(const uint32_t *triangles, size_t edge)
{
    uint32_t from, to;
    edge_ends(triangles, edge, &from, &to);
    return from < to ? from : to;
}

// starts[v] .. starts[v + 1] are the edges of bucket v.
static void fill_buckets(const uint32_t *triangles, size_t edge_count, size_t vertex_count, uint32_t *starts,
                         uint32_t *edges)
{
    for (size_t edge = 0; edge < edge_count; edge++) starts[smaller_end(triangles, edge) + 1]++;
    for (size_t v = 0; v < vertex_count; v++) starts[v + 1] += starts[v];
    for (size_t edge = edge_count; edge-- > 0;) {
        uint32_t bucket = smaller_end(triangles, edge);
        edges[--starts[bucket + 1]] = (uint32_t)edge;
    }
    for (size_t v = 0; v < vertex_count; v++) starts[v] = starts[v + 1];
    starts[vertex_count] = (uint32_t)edge_count;
}

// Finds the one edge that runs the other way; false where there is none, or another that runs the same way.
static bool pair_edge(const uint32_t *triangles, const uint32_t *bucket, size_t count, uint32_t edge,
                      uint32_t *opposite)
{
    uint32_t from, to, other_from, other_to;
    size_t partners = 0;
    edge_ends(triangles, edge, &from, &to);
    for (size_t i = 0; i < count; i++) {
        edge_ends(triangles, bucket[i], &other_from, &other_to);
        if (bucket[i] != edge && other_from == from && other_to == to) return false;
        if (other_from != to || other_to != from) continue;
        opposite[edge] = bucket[i];
        partners++;
    }
    return partners == 1;
}

static bool pair_all(const uint32_t *triangles, size_t vertex_count, const uint32_t *starts, const uint32_t *edges,
                     uint32_t *opposite)
{
    for (size_t v = 0; v < vertex_count; v++) {
        size_t count = starts[v + 1] - starts[v];
        if (count > FULLEST) return false;
        for (size_t i = starts[v]; i < starts[v + 1]; i++)
            if (!pair_edge(triangles, edges + starts[v], count, edges[i], opposite)) return false;
    }
    return true;
}

bool dr_adjacency_find(const uint32_t *triangles, size_t triangle_count, size_t vertex_count,
                       const dr_allocator *allocator, uint32_t *opposite, bool *closed)
{
    size_t edge_count = 3 * triangle_count;
    uint32_t *starts = dr_memory_alloc(allocator, (vertex_count + 1) * sizeof *starts);
    uint32_t *edges = dr_memory_alloc(allocator, edge_count * sizeof *edges);
    bool ok = starts && edges;
    if (ok) {
        fill_buckets(triangles, edge_count, vertex_count, starts, edges);
        *closed = pair_all(triangles, vertex_count, starts, edges, opposite);
    }
    dr_memory_free(allocator, starts, (vertex_count + 1) * sizeof *starts);
    dr_memory_free(allocator, edges, edge_count * sizeof *edges);
    return ok;
}
