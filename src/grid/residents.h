// Which points of a set live in which block of a grid. A set of particles is sorted by block and lies in that order;
// points that keep their own order (vertices of strands) are listed by block.
#ifndef DR_GRID_RESIDENTS_H
#define DR_GRID_RESIDENTS_H

#include "base/memory.h"

typedef struct dr_residents {
    uint32_t *first;        // [block+1] of the block's points, counted in the order of blocks
    const uint32_t *index;  // [point] which point of the set comes there; NULL: the set is in that order
    uint8_t *touched;       // [block] 1: its points' kernels reach it, or a set that is padded has it as neighbour
    size_t colour_first[9]; // blocks that hold points, by the parity of their coordinates
    uint32_t *colour_block;
    size_t capacity;        // blocks
    struct dr_order *order; // NULL before the first sort
} dr_residents;

bool dr_residents_reserve(dr_residents *residents, const dr_allocator *allocator, size_t blocks);
void dr_residents_free(dr_residents *residents, const dr_allocator *allocator);
size_t dr_residents_bytes(const dr_residents *residents);      // memory held
size_t dr_residents_sort_bytes(const dr_residents *residents); // of that, what sorting needs; it grows with the points

// The point that is the i-th in the order of blocks.
static inline size_t dr_residents_point(const dr_residents *residents, size_t i)
{
    return residents->index ? residents->index[i] : i;
}

#endif
