// Sorts particles by block: a stable counting sort in three strokes, the same for any number of threads.
//   tally    every piece of the particles lists its distinct keys and how often they occur
//   place    the lists of all pieces, taken in order, give every particle its place among those of its block
//   permute  all columns are moved, one at a time
// docs/theory/grid.md.
#ifndef DR_GRID_ORDER_H
#define DR_GRID_ORDER_H

#include "grid/lookup.h"
#include "grid/particles.h"
#include "par/par.h"

enum { DR_ORDER_SIZES = 4 };

typedef struct dr_order {
    void *spare[DR_ORDER_SIZES]; // one column of every item size, exchanged with the particles' own
    size_t spare_capacity;
    uint32_t *source; // [particle] where the particle that comes here was
    size_t source_capacity;
    uint32_t *tally_count; // [piece] distinct keys
    size_t tally_capacity;
    uint16_t *table; // [thread] a small hash table
    size_t table_capacity;
    uint32_t *block_count; // [block] particles, blocks numbered as in the lookup
    size_t block_capacity;
} dr_order;

void dr_order_free(dr_order *order, const dr_allocator *allocator);
size_t dr_order_bytes(const dr_order *order);

// Adds the blocks of all particles to the lookup and counts their particles in block_count. False when memory is out.
bool dr_order_tally(dr_order *order, const dr_allocator *allocator, const dr_par *par, const dr_particles *particles,
                    dr_lookup *lookup);

// Moves the particles: block v of the tally starts at first[rank[v]]. Keys are written anew from block_key [block of
// first].
void dr_order_permute(dr_order *order, const dr_par *par, dr_particles *particles, const uint32_t *rank,
                      const uint32_t *first, const uint64_t *block_key, size_t block_count);

#endif
