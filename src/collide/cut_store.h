// Blocks of cut cells kept by the key of the block: only what no moving solid has a part in, so that a kept block has
// the bits of a measured one.
#ifndef DR_COLLIDE_CUT_STORE_H
#define DR_COLLIDE_CUT_STORE_H

#include "collide/cut_block.h"

// Instead of a row: nothing is known, and no solid is near.
enum { DR_CUT_UNKNOWN = -1, DR_CUT_OPEN = -2 };

typedef struct dr_cut_entry {
    uint64_t key;
    int32_t row; // or DR_CUT_OPEN
} dr_cut_entry;

typedef struct dr_cut_store {
    size_t count, capacity, fresh_capacity, row_count, row_capacity;
    dr_cut_entry *entries; // sorted by key
    dr_cut_entry *fresh;   // to be merged
    unsigned char *rows;   // the blocks less their velocity, which is zero
} dr_cut_store;

void dr_cut_store_close(dr_cut_store *store, const dr_allocator *allocator);
void dr_cut_store_forget(dr_cut_store *store); // keeps its memory

// The row of a block, or DR_CUT_OPEN, or DR_CUT_UNKNOWN.
int32_t dr_cut_store_find(const dr_cut_store *store, uint64_t key);

// All of a block but its velocity, which is left as it is.
void dr_cut_store_read(const dr_cut_store *store, int32_t row, dr_cut_block *block);
void dr_cut_store_write(dr_cut_store *store, int32_t row, const dr_cut_block *block);

// Room for that many more entries and rows; false when memory is out.
bool dr_cut_store_reserve(dr_cut_store *store, const dr_allocator *allocator, size_t entries, size_t rows);

// Puts the first of the fresh entries in: sorted by key, not in the store yet, and room was made for them.
void dr_cut_store_merge(dr_cut_store *store, size_t count);

#endif
