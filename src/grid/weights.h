// The weights of points on nodes, written out: what a solver uses that goes between both many times while the points
// stay where they are. docs/theory/codim.md, section 9.
//   a point has `taps` nodes; a node knows its points too, so that each way is a sum of its own
//   nodes are numbered by the caller; what has no number takes no part
#ifndef DR_GRID_WEIGHTS_H
#define DR_GRID_WEIGHTS_H

#include "grid/transfer.h"
#include "math/simd.h"

#define DR_WEIGHTS_NONE UINT32_MAX

typedef struct dr_weight {
    uint32_t at; // the node of a point, or the point of a node
    float weight;
} dr_weight;

typedef struct dr_weights {
    size_t points, nodes, taps;
    dr_weight *tap;   // [point][taps]
    uint32_t *first;  // [node + 1]
    dr_weight *entry; // by node
    size_t tap_capacity, first_capacity, entry_capacity;
    uint32_t *cursor, *piece; // while they are listed by node
    size_t cursor_capacity, piece_capacity;
} dr_weights;

// What makes them: points as residents of blocks, one or several weights for each of them.
typedef struct dr_weights_source {
    const dr_transfer_places *places;
    dr_kernel kernel;
    const uint32_t *number;  // [block][64] of nodes, below `nodes`, or DR_WEIGHTS_NONE
    size_t nodes, points;    // points: rows
    size_t rows;             // of each resident
    const double *direction; // [point][stride]: weights are the derivative along it, of one row after the other; NULL:
    size_t stride;           // plain ones
    const uint8_t *without;  // [point] those that take no part; NULL: none
    bool listed;             // rows are in the order of the residents' list; otherwise by the numbers of points
} dr_weights_source;

// False when memory is out. Rows of points that are not residents are nought.
bool dr_weights_build(dr_weights *weights, const dr_allocator *allocator, const dr_grid *grid, const dr_par *par,
                      const dr_weights_source *source);
void dr_weights_free(dr_weights *weights, const dr_allocator *allocator);

// The items [block][64] of the nodes that a point of a block touches, at most 64; gives how many.
size_t dr_weights_items(const dr_grid *grid, dr_kernel kernel, size_t block, const float offset[3], size_t item[64]);

// Sums of values [point][4] at a node, and of values [node][4] at a point.
DR_INLINE dr_float4 dr_weights_to_node(const dr_weights *weights, size_t node, const float *value)
{
    dr_float4 sum = dr_float4_all(0.0F);
    for (uint32_t i = weights->first[node]; i < weights->first[node + 1]; i++) {
        const dr_weight *w = &weights->entry[i];
        sum = dr_float4_add_product(sum, dr_float4_load(value + 4 * (size_t)w->at), dr_float4_all(w->weight));
    }
    return sum;
}

DR_INLINE dr_float4 dr_weights_to_point(const dr_weights *weights, size_t point, const float *value)
{
    const dr_weight *tap = weights->tap + weights->taps * point;
    dr_float4 sum[3] = {dr_float4_all(0.0F), dr_float4_all(0.0F), dr_float4_all(0.0F)};
    for (size_t i = 0; i + 2 < weights->taps; i += 3) {
        for (size_t k = 0; k < 3; k++) {
            const float *from = value + 4 * (size_t)tap[i + k].at;
            sum[k] = dr_float4_add_product(sum[k], dr_float4_load(from), dr_float4_all(tap[i + k].weight));
        }
    }
    for (size_t i = weights->taps / 3 * 3; i < weights->taps; i++) {
        const float *from = value + 4 * (size_t)tap[i].at;
        sum[0] = dr_float4_add_product(sum[0], dr_float4_load(from), dr_float4_all(tap[i].weight));
    }
    return sum[0] + (sum[1] + sum[2]);
}

#endif
