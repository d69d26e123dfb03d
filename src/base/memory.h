// Memory: blocks from the caller's allocator, and an arena that is freed whole.
#ifndef DR_BASE_MEMORY_H
#define DR_BASE_MEMORY_H

#include "drench/status.h"

#define DR_ALIGNMENT 64

// As dr_allocator.resize; allocator NULL is the C library. Sizes that overflow fail.
void *dr_memory_resize(const dr_allocator *allocator, void *block, size_t old_bytes, size_t new_bytes);
void *dr_memory_alloc(const dr_allocator *allocator, size_t bytes); // zeroed
void dr_memory_free(const dr_allocator *allocator, void *block, size_t bytes);

// A growing array: makes *data hold at least `count` items of `item_bytes`, growing by half; new room is not zeroed.
bool dr_memory_reserve(const dr_allocator *allocator, void **data, size_t *capacity, size_t count, size_t item_bytes);

// Work arrays that grow together: after a call with more than *capacity rows what was in them is lost, and the new ones
// are zeroed. On failure all are freed.
typedef struct dr_work_array {
    void **data;
    size_t row_bytes;
} dr_work_array;

bool dr_work_reserve(const dr_allocator *allocator, const dr_work_array *arrays, int array_count, size_t *capacity,
                     size_t rows);
void dr_work_free(const dr_allocator *allocator, const dr_work_array *arrays, int array_count, size_t *capacity);

// An arena: many small blocks, freed together. Blocks are zeroed and aligned to 16 bytes.
typedef struct dr_arena_chunk dr_arena_chunk;
typedef struct dr_arena {
    const dr_allocator *allocator;
    dr_arena_chunk *chunks;
} dr_arena;

void dr_arena_open(dr_arena *arena, const dr_allocator *allocator);
void *dr_arena_alloc(dr_arena *arena, size_t bytes); // NULL when memory is out
char *dr_arena_copy(dr_arena *arena, const char *text, size_t length);
void dr_arena_close(dr_arena *arena);

#endif
