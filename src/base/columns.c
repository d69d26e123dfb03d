#include "base/columns.h"

#include "base/hash.h"
#include "base/memory.h"

#include <string.h>

size_t dr_type_bytes(dr_type type)
{
    switch (type) {
    case DR_TYPE_UINT8:
        return 1;
    case DR_TYPE_INT32:
    case DR_TYPE_UINT32:
    case DR_TYPE_FLOAT32:
        return 4;
    case DR_TYPE_INT64:
    case DR_TYPE_UINT64:
    case DR_TYPE_FLOAT64:
        return 8;
    }
    return 0;
}

const dr_frame_array *dr_frame_find(const dr_frame_part *part, const char *name)
{
    for (int i = 0; i < part->array_count; i++) {
        if (strcmp(part->arrays[i].name, name) == 0) return &part->arrays[i];
    }
    return NULL;
}

size_t dr_column_item_bytes(const dr_column *column)
{
    return dr_type_bytes(column->type) * (size_t)column->components;
}

void **dr_column_pointer(const dr_column *column, void *owner)
{
    return (void **)((char *)owner + column->slot);
}

size_t dr_columns_row_bytes(const dr_column_table *table)
{
    size_t bytes = 0;
    for (int i = 0; i < table->count; i++) bytes += dr_column_item_bytes(&table->columns[i]);
    return bytes;
}

static bool resize_column(const dr_column *column, void *owner, const dr_allocator *allocator, size_t from, size_t to)
{
    size_t item = dr_column_item_bytes(column);
    void **data = dr_column_pointer(column, owner);
    void *fresh = to > SIZE_MAX / item ? NULL : dr_memory_resize(allocator, *data, from * item, to * item);
    if (to && !fresh) return false;
    *data = fresh;
    return true;
}

bool dr_columns_reserve(const dr_column_table *table, void *owner, const dr_allocator *allocator, size_t *capacity,
                        size_t count)
{
    if (count <= *capacity) return true;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < count) wanted = count;
    for (int i = 0; i < table->count; i++) {
        if (resize_column(&table->columns[i], owner, allocator, *capacity, wanted)) continue;
        while (i-- > 0) resize_column(&table->columns[i], owner, allocator, wanted, *capacity);
        return false;
    }
    *capacity = wanted;
    return true;
}

void dr_columns_free(const dr_column_table *table, void *owner, const dr_allocator *allocator, size_t *capacity)
{
    for (int i = 0; i < table->count; i++) {
        void **data = dr_column_pointer(&table->columns[i], owner);
        dr_memory_free(allocator, *data, *capacity * dr_column_item_bytes(&table->columns[i]));
        *data = NULL;
    }
    *capacity = 0;
}

uint64_t dr_columns_hash(const dr_column_table *table, const void *owner, size_t count, uint64_t seed)
{
    uint64_t hash = seed;
    for (int i = 0; i < table->count; i++) {
        const void *data = *(void *const *)((const char *)owner + table->columns[i].slot);
        hash = dr_hash_bytes(data, count * dr_column_item_bytes(&table->columns[i]), hash);
    }
    return hash;
}
