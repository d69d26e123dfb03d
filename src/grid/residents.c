#include "grid/residents.h"

#include "grid/order.h"

static size_t block_bytes(const dr_residents *residents)
{
    return sizeof *residents->first + sizeof *residents->touched + sizeof *residents->colour_block;
}

static void free_blocks(dr_residents *residents, const dr_allocator *allocator)
{
    size_t blocks = residents->capacity;
    dr_memory_free(allocator, residents->first, blocks * sizeof *residents->first);
    dr_memory_free(allocator, residents->touched, blocks * sizeof *residents->touched);
    dr_memory_free(allocator, residents->colour_block, blocks * sizeof *residents->colour_block);
    residents->first = residents->colour_block = NULL;
    residents->touched = NULL;
    residents->capacity = 0;
}

// Old contents are not kept. One more than asked for: `first` has an end.
bool dr_residents_reserve(dr_residents *residents, const dr_allocator *allocator, size_t blocks)
{
    if (blocks < residents->capacity) return true;
    size_t capacity = blocks + blocks / 8 + 1;
    free_blocks(residents, allocator);
    residents->capacity = capacity;
    residents->first = dr_memory_alloc(allocator, capacity * sizeof *residents->first);
    residents->touched = dr_memory_alloc(allocator, capacity * sizeof *residents->touched);
    residents->colour_block = dr_memory_alloc(allocator, capacity * sizeof *residents->colour_block);
    if (residents->first && residents->touched && residents->colour_block) return true;
    free_blocks(residents, allocator);
    return false;
}

void dr_residents_free(dr_residents *residents, const dr_allocator *allocator)
{
    free_blocks(residents, allocator);
    if (residents->order) {
        dr_order_free(residents->order, allocator);
        dr_memory_free(allocator, residents->order, sizeof *residents->order);
    }
    *residents = (dr_residents){0};
}

size_t dr_residents_sort_bytes(const dr_residents *residents)
{
    return residents->order ? sizeof *residents->order + dr_order_bytes(residents->order) : 0;
}

size_t dr_residents_bytes(const dr_residents *residents)
{
    return residents->capacity * block_bytes(residents) + dr_residents_sort_bytes(residents);
}
