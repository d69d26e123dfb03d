// Sorts points by block: a stable counting sort in three strokes, the same for any number of threads.
//   tally    every piece of the points lists its distinct keys and how often they occur
//   place    the lists of all pieces, taken in order, give every particle its place among those of its block
//   permute  all columns are moved, one at a time; points that keep their order are not
// docs/theory/grid.md.
#ifndef DR_GRID_ORDER_H
#define DR_GRID_ORDER_H

#include "grid/lookup.h"
#include "grid/particles.h"
#include "par/par.h"

enum { DR_ORDER_SIZES = 5 };

typedef struct dr_order {
    void *spare[DR_ORDER_SIZES]; // one column of every item size, exchanged with the particles' own
    size_t spare_capacity;
    uint32_t *source; // [particle] where the particle that comes here was
    size_t source_capacity;
    uint32_t *tally_count; // [piece] distinct keys
    size_t tally_capacity;
    uint16_t *table; // [thread] a small hash table
    size_t table_capacity;
    uint32_t *block_count; // [block] points, blocks numbered as in the lookup
    size_t block_capacity;
    size_t known; // blocks with a count; those of other sets may come later
    size_t keys;  // of a piece that there is room for; 0: before the first sort
} dr_order;

void dr_order_free(dr_order *order, const dr_allocator *allocator);
size_t dr_order_bytes(const dr_order *order);

// Points to sort: their keys, and the columns that move with them.
typedef struct dr_order_points {
    const uint64_t *key;
    size_t count;
    bool six;     // some of these columns have six floats
    size_t spare; // items that spare columns need: the capacity of the particles' own; 0: nothing moves
} dr_order_points;

// Adds the blocks of all points to the lookup and counts their points in block_count. False when memory is out.
bool dr_order_tally(dr_order *order, const dr_allocator *allocator, const dr_par *par, const dr_order_points *points,
                    dr_lookup *lookup);

// Lists the points by block in `source`: block v of the tally starts at first[rank[v]].
void dr_order_place(dr_order *order, const dr_par *par, size_t count, const uint32_t *rank, const uint32_t *first);

// Moves the particles to where they were placed. Keys are written anew from block_key [block of first].
void dr_order_permute(dr_order *order, const dr_par *par, dr_particles *particles, const uint32_t *first,
                      const uint64_t *block_key, size_t block_count);

static inline uint32_t dr_order_count(const dr_order *order, size_t block)
{
    return block < order->known ? order->block_count[block] : 0;
}

#endif
