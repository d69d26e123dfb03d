// From a block's Morton key to its index: open addressing, numbered in the order of adding.
#ifndef DR_GRID_LOOKUP_H
#define DR_GRID_LOOKUP_H

#include "base/memory.h"
#include "par/par.h"

typedef struct dr_lookup_slot {
    uint64_t key; // DR_LOOKUP_EMPTY where there is none
    int32_t value;
} dr_lookup_slot;

#define DR_LOOKUP_EMPTY UINT64_MAX

typedef struct dr_lookup {
    dr_lookup_slot *slots;
    size_t slot_count; // a power of two, or 0
    int32_t count;
} dr_lookup;

void dr_lookup_free(dr_lookup *lookup, const dr_allocator *allocator);
void dr_lookup_clear(dr_lookup *lookup, const dr_par *par);

// The value of the key, which becomes the next number when the key is new; -1 when memory is out.
int32_t dr_lookup_add(dr_lookup *lookup, const dr_allocator *allocator, uint64_t key);

void dr_lookup_fetch(const dr_lookup *lookup, uint64_t key); // which is to be added soon

// -1 where there is none.
int32_t dr_lookup_find(const dr_lookup *lookup, uint64_t key);

// Every value v becomes rank[v].
void dr_lookup_renumber(dr_lookup *lookup, const dr_par *par, const uint32_t *rank);

#endif
