#include "collide/cut_store.h"

#include "base/memory.h"

#include <string.h>

#define ROW_BYTES offsetof(dr_cut_block, solid_velocity)

void dr_cut_store_close(dr_cut_store *store, const dr_allocator *allocator)
{
    dr_memory_free(allocator, store->entries, store->capacity * sizeof *store->entries);
    dr_memory_free(allocator, store->fresh, store->fresh_capacity * sizeof *store->fresh);
    dr_memory_free(allocator, store->rows, store->row_capacity * ROW_BYTES);
    *store = (dr_cut_store){0};
}

void dr_cut_store_forget(dr_cut_store *store)
{
    store->count = store->row_count = 0;
}

int32_t dr_cut_store_find(const dr_cut_store *store, uint64_t key)
{
    size_t low = 0, high = store->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (store->entries[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < store->count && store->entries[low].key == key ? store->entries[low].row : DR_CUT_UNKNOWN;
}

void dr_cut_store_read(const dr_cut_store *store, int32_t row, dr_cut_block *block)
{
    memcpy(block, store->rows + (size_t)row * ROW_BYTES, ROW_BYTES);
}

void dr_cut_store_write(dr_cut_store *store, int32_t row, const dr_cut_block *block)
{
    memcpy(store->rows + (size_t)row * ROW_BYTES, block, ROW_BYTES);
}

bool dr_cut_store_reserve(dr_cut_store *store, const dr_allocator *allocator, size_t entries, size_t rows)
{
    return dr_memory_reserve(allocator, (void **)&store->entries, &store->capacity, store->count + entries,
                             sizeof *store->entries) &&
           dr_memory_reserve(allocator, (void **)&store->fresh, &store->fresh_capacity, entries,
                             sizeof *store->fresh) &&
           dr_memory_reserve(allocator, (void **)&store->rows, &store->row_capacity, store->row_count + rows,
                             ROW_BYTES);
}

void dr_cut_store_merge(dr_cut_store *store, size_t count)
{
    size_t old = store->count, to = old + count;
    store->count = to;
    while (count > 0) {
        bool older = old > 0 && store->entries[old - 1].key > store->fresh[count - 1].key;
        store->entries[--to] = older ? store->entries[--old] : store->fresh[--count];
    }
}
