// The tree of boxes over a mesh's triangles, split where the surface areas of the halves make it cheapest (binned).
// docs/theory/shapes.md, "Meshes".
#include "geom/mesh_parts.h"

#include <assert.h>
#include <string.h>

#define LEAF 4
#define BINS 16

typedef struct builder {
    dr_mesh *mesh;
    const double *middles; // [triangle][3]
    uint32_t *order;
} builder;

static double half_area(const double min[3], const double max[3])
{
    double x = max[0] - min[0], y = max[1] - min[1], z = max[2] - min[2];
    return x < 0 ? 0.0 : x * y + y * z + z * x;
}

static void triangle_box(const dr_mesh *mesh, uint32_t t, double min[3], double max[3])
{
    dr_mesh_empty_box(min, max);
    for (int i = 0; i < 3; i++) {
        const double *corner = mesh->vertices + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)i];
        dr_mesh_grow_box(min, max, corner, corner);
    }
}

typedef struct bin {
    double min[3], max[3];
    size_t count;
} bin;

static int bin_of(double middle, double low, double factor)
{
    int index = (int)((middle - low) * factor);
    return index < 0 ? 0 : index >= BINS ? BINS - 1 : index;
}

// The bin after which to cut so that the expected cost is least.
static int choose_cut(const bin bins[BINS])
{
    double behind[BINS], min[3], max[3], best = INFINITY;
    size_t count = 0;
    dr_mesh_empty_box(min, max);
    for (int b = BINS - 1; b > 0; b--) {
        dr_mesh_grow_box(min, max, bins[b].min, bins[b].max);
        count += bins[b].count;
        behind[b] = count ? half_area(min, max) * (double)count : INFINITY;
    }
    dr_mesh_empty_box(min, max);
    count = 0;
    int cut = BINS / 2 - 1;
    for (int b = 0; b + 1 < BINS; b++) {
        dr_mesh_grow_box(min, max, bins[b].min, bins[b].max);
        count += bins[b].count;
        double cost = count ? half_area(min, max) * (double)count + behind[b + 1] : INFINITY;
        if (cost < best) {
            best = cost;
            cut = b;
        }
    }
    return cut;
}

// Orders [begin, end) so that the first part goes left; gives its size.
static size_t partition(builder *builder, size_t begin, size_t end)
{
    double low[3], high[3];
    dr_mesh_empty_box(low, high);
    for (size_t i = begin; i < end; i++) {
        const double *middle = builder->middles + 3 * (size_t)builder->order[i];
        dr_mesh_grow_box(low, high, middle, middle);
    }
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (high[i] - low[i] > high[axis] - low[axis]) axis = i;
    double width = high[axis] - low[axis];
    if (!(width > 0.0)) return (end - begin) / 2;
    double factor = BINS / width;
    if (!isfinite(factor)) return (end - begin) / 2;
    bin bins[BINS];
    for (int b = 0; b < BINS; b++) {
        dr_mesh_empty_box(bins[b].min, bins[b].max);
        bins[b].count = 0;
    }
    for (size_t i = begin; i < end; i++) {
        double min[3], max[3];
        uint32_t t = builder->order[i];
        bin *bin = &bins[bin_of(builder->middles[3 * (size_t)t + (size_t)axis], low[axis], factor)];
        triangle_box(builder->mesh, t, min, max);
        dr_mesh_grow_box(bin->min, bin->max, min, max);
        bin->count++;
    }
    int cut = choose_cut(bins);
    size_t left = begin;
    for (size_t i = begin; i < end; i++) {
        uint32_t t = builder->order[i];
        if (bin_of(builder->middles[3 * (size_t)t + (size_t)axis], low[axis], factor) > cut) continue;
        builder->order[i] = builder->order[left];
        builder->order[left++] = t;
    }
    return left - begin;
}

// Splits ranges until they fit a leaf; a range too deep for the search stack is halved by count, which bounds the
// depth.
static void build_nodes(builder *builder)
{
    dr_mesh *mesh = builder->mesh;
    struct {
        size_t begin, end;
        uint32_t node;
        int depth;
    } stack[DR_MESH_STACK];
    int top = 0;
    mesh->node_count = 1;
    stack[top].begin = 0;
    stack[top].end = mesh->triangle_count;
    stack[top].node = 0;
    stack[top++].depth = 0;
    while (top > 0) {
        top--;
        size_t begin = stack[top].begin, end = stack[top].end, count = end - begin;
        int depth = stack[top].depth;
        dr_mesh_node *node = &mesh->nodes[stack[top].node];
        if (count <= LEAF) {
            node->first = (uint32_t)begin;
            node->count = (uint32_t)count;
            continue;
        }
        size_t left = depth < 40 ? partition(builder, begin, end) : count / 2;
        if (left == 0 || left == count) left = count / 2;
        node->first = (uint32_t)mesh->node_count;
        node->count = 0;
        mesh->node_count += 2;
        for (uint32_t side = 0; side < 2; side++) {
            assert(top < DR_MESH_STACK);
            stack[top].begin = side ? begin + left : begin;
            stack[top].end = side ? end : begin + left;
            stack[top].node = node->first + side;
            stack[top++].depth = depth + 1;
        }
    }
}

static void find_middles(const dr_mesh *mesh, double *middles, uint32_t *order)
{
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        double min[3], max[3];
        triangle_box(mesh, (uint32_t)t, min, max);
        for (size_t i = 0; i < 3; i++) middles[3 * t + i] = 0.5 * (min[i] + max[i]);
        order[t] = (uint32_t)t;
    }
}

// Puts the triangles into the order of the leaves; `scratch` has room for as many.
static void reorder_triangles(dr_mesh *mesh, const uint32_t *order, uint32_t *scratch)
{
    memcpy(scratch, mesh->triangles, 3 * mesh->triangle_count * sizeof *scratch);
    for (size_t t = 0; t < mesh->triangle_count; t++)
        memcpy(mesh->triangles + 3 * t, scratch + 3 * (size_t)order[t], 3 * sizeof *scratch);
}

bool dr_mesh_build_tree(dr_mesh *mesh)
{
    size_t count = mesh->triangle_count;
    size_t middle_bytes = 3 * count * sizeof(double), order_bytes = 4 * count * sizeof(uint32_t);
    double *middles = dr_memory_alloc(mesh->allocator, middle_bytes);
    uint32_t *order = dr_memory_alloc(mesh->allocator, order_bytes);
    bool ok = middles && order;
    if (ok) {
        find_middles(mesh, middles, order);
        build_nodes(&(builder){mesh, middles, order});
        reorder_triangles(mesh, order, order + count);
    }
    dr_memory_free(mesh->allocator, middles, middle_bytes);
    dr_memory_free(mesh->allocator, order, order_bytes);
    return ok;
}
