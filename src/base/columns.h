// Struct-of-arrays driven by one table: grow, permute, hash, checkpoint and export all read the same rows.
// The owner is a struct that holds one pointer per column; a row says at which offset.
#ifndef DR_BASE_COLUMNS_H
#define DR_BASE_COLUMNS_H

#include "drench/frame.h"

typedef struct dr_column {
    const char *name;
    size_t slot; // offsetof the pointer in the owner
    dr_type type;
    int components;
    const char *unit, *doc;
} dr_column;

typedef struct dr_column_table {
    const dr_column *columns;
    int count;
} dr_column_table;

size_t dr_column_item_bytes(const dr_column *column);
void **dr_column_pointer(const dr_column *column, void *owner);

// Bytes of one row over all columns.
size_t dr_columns_row_bytes(const dr_column_table *table);

// Gives every column room for `count` rows (keeps the old rows, grows by half). On failure the old rows are all still
// there.
bool dr_columns_reserve(const dr_column_table *table, void *owner, const dr_allocator *allocator, size_t *capacity,
                        size_t count);
void dr_columns_free(const dr_column_table *table, void *owner, const dr_allocator *allocator, size_t *capacity);
uint64_t dr_columns_hash(const dr_column_table *table, const void *owner, size_t count, uint64_t seed);

#endif
