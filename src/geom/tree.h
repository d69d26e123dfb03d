// A tree over boxes that move, to find all pairs that may overlap. docs/theory/contact.md, "Candidates".
#ifndef DR_GEOM_TREE_H
#define DR_GEOM_TREE_H

#include "base/memory.h"
#include "geom/shape.h"
#include "par/par.h"
#include "par/sort.h"

// What it holds goes along straight lines from somewhere in the first to somewhere in the second.
typedef struct dr_tree_box {
    dr_box begin, end;
} dr_tree_box;

typedef struct dr_tree_pair {
    uint32_t first, second; // first < second
    double until;           // of whoever looks at pairs; 0 where they are new
} dr_tree_pair;

// A box as the tree keeps it: in floats, rounded outwards.
typedef struct dr_tree_node {
    float begin_min[4], begin_max[4], end_min[4], end_max[4];
} dr_tree_node;

typedef struct dr_tree {
    const dr_allocator *allocator;
    size_t count;
    dr_sort_item *items, *spare;
    dr_tree_node *leaves;       // in the order of the tree
    dr_tree_node *nodes;        // level after level, the finest first
    uint32_t *numbers, *places; // the box of a leaf, the leaf of a box
    size_t item_capacity, spare_capacity, leaf_capacity, node_capacity, number_capacity, place_capacity;
    dr_tree_pair *pairs;
    size_t pair_count, pair_capacity;
    size_t most;  // pairs of boxes that are looked at; 0: all
    bool crowded; // there are more, and none is kept
} dr_tree;

void dr_tree_open(dr_tree *tree, const dr_allocator *allocator);
void dr_tree_close(dr_tree *tree);

// Whether a pair is of interest; called from several threads.
typedef bool (*dr_tree_filter)(const void *user, uint32_t first, uint32_t second);

// Fills tree->pairs with the pairs of finite boxes that are not apart along the same axis all the way, as floats tell,
// and pass the filter, sorted by first and then by second: the same whatever the number of threads. False when memory
// is out.
bool dr_tree_find_pairs(dr_tree *tree, const dr_par *par, const dr_tree_box *boxes, size_t count, dr_tree_filter filter,
                        const void *user);

// Some of these boxes have changed: adds the pairs that this brings, sorted in among the others, which stay as they
// are. False when memory is out.
bool dr_tree_add_pairs(dr_tree *tree, const dr_par *par, const dr_tree_box *boxes, const uint32_t *changed,
                       size_t changed_count, dr_tree_filter filter, const void *user);

#endif
