// Memory: blocks from the caller's allocator, an arena that is freed whole, and a scratch stack for one step.
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

// A scratch stack: take and release in the order of a stack, empty at the end of every step. After a step that needed
// more than one chunk, dr_scratch_reset joins them, so that a steady step allocates nothing.
typedef struct dr_scratch_chunk dr_scratch_chunk;
typedef struct dr_scratch {
    const dr_allocator *allocator;
    dr_scratch_chunk *top;
    size_t taken, peak;
} dr_scratch;
typedef struct dr_scratch_mark {
    dr_scratch_chunk *chunk;
    size_t used, taken;
} dr_scratch_mark;

void dr_scratch_open(dr_scratch *scratch, const dr_allocator *allocator);
dr_scratch_mark dr_scratch_here(const dr_scratch *scratch);
void *dr_scratch_take(dr_scratch *scratch, size_t bytes); // not zeroed, aligned to 64 bytes, NULL when memory is out
void dr_scratch_release(dr_scratch *scratch, dr_scratch_mark mark);
bool dr_scratch_reset(dr_scratch *scratch); // everything must have been released; false when memory is out
void dr_scratch_close(dr_scratch *scratch);

#endif
