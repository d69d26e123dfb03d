#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *default_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    if (block && new_bytes <= old_bytes) return block;
    if (new_bytes > SIZE_MAX - DR_ALIGNMENT) return NULL;
    void *fresh = aligned_alloc(DR_ALIGNMENT, (new_bytes + DR_ALIGNMENT - 1) / DR_ALIGNMENT * DR_ALIGNMENT);
    if (fresh && block) {
        memcpy(fresh, block, old_bytes);
        free(block);
    }
    return fresh;
}

const dr_allocator *dr_allocator_default(void)
{
    static const dr_allocator standard = {NULL, default_resize};
    return &standard;
}

void *dr_memory_resize(const dr_allocator *allocator, void *block, size_t old_bytes, size_t new_bytes)
{
    if (!allocator) allocator = dr_allocator_default();
    return allocator->resize(allocator->user, block, old_bytes, new_bytes);
}

void *dr_memory_alloc(const dr_allocator *allocator, size_t bytes)
{
    void *block = dr_memory_resize(allocator, NULL, 0, bytes ? bytes : 1);
    if (block) memset(block, 0, bytes);
    return block;
}

void dr_memory_free(const dr_allocator *allocator, void *block, size_t bytes)
{
    if (block) dr_memory_resize(allocator, block, bytes ? bytes : 1, 0);
}

bool dr_memory_reserve(const dr_allocator *allocator, void **data, size_t *capacity, size_t count, size_t item_bytes)
{
    if (count <= *capacity) return true;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < count) wanted = count;
    if (wanted > SIZE_MAX / item_bytes) return false;
    void *fresh = dr_memory_resize(allocator, *data, *capacity * item_bytes, wanted * item_bytes);
    if (!fresh) return false;
    *data = fresh;
    *capacity = wanted;
    return true;
}

// ---- arena

struct dr_arena_chunk {
    dr_arena_chunk *next;
    size_t bytes, used; // of the whole block, this header included
};

#define ARENA_CHUNK 16384
#define ARENA_ALIGN 16

void dr_arena_open(dr_arena *arena, const dr_allocator *allocator)
{
    arena->allocator = allocator;
    arena->chunks = NULL;
}

static dr_arena_chunk *add_chunk(dr_arena *arena, size_t bytes)
{
    dr_arena_chunk *chunk = dr_memory_alloc(arena->allocator, bytes);
    if (!chunk) return NULL;
    chunk->bytes = bytes;
    chunk->used = (sizeof *chunk + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk;
}

void *dr_arena_alloc(dr_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t rounded = (bytes + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    dr_arena_chunk *chunk = arena->chunks;
    if (!chunk || chunk->bytes - chunk->used < rounded) {
        size_t needed = rounded + 64;
        chunk = add_chunk(arena, needed > ARENA_CHUNK ? needed : ARENA_CHUNK);
        if (!chunk) return NULL;
    }
    void *block = (char *)chunk + chunk->used;
    chunk->used += rounded;
    return block;
}

char *dr_arena_copy(dr_arena *arena, const char *text, size_t length)
{
    char *copy = dr_arena_alloc(arena, length + 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void dr_arena_close(dr_arena *arena)
{
    for (dr_arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        dr_memory_free(arena->allocator, chunk, chunk->bytes);
    }
    arena->chunks = NULL;
}

// ---- scratch

struct dr_scratch_chunk {
    dr_scratch_chunk *below;
    size_t bytes, used; // of the room after this header
};

#define SCRATCH_HEADER 64
#define SCRATCH_CHUNK  ((size_t)1 << 16)

void dr_scratch_open(dr_scratch *scratch, const dr_allocator *allocator)
{
    *scratch = (dr_scratch){.allocator = allocator};
}

dr_scratch_mark dr_scratch_here(const dr_scratch *scratch)
{
    return (dr_scratch_mark){scratch->top, scratch->top ? scratch->top->used : 0, scratch->taken};
}

static bool push_chunk(dr_scratch *scratch, size_t bytes)
{
    if (bytes > SIZE_MAX - SCRATCH_HEADER) return false;
    dr_scratch_chunk *chunk = dr_memory_resize(scratch->allocator, NULL, 0, SCRATCH_HEADER + bytes);
    if (!chunk) return false;
    *chunk = (dr_scratch_chunk){scratch->top, bytes, 0};
    scratch->top = chunk;
    return true;
}

static void pop_chunk(dr_scratch *scratch)
{
    dr_scratch_chunk *chunk = scratch->top;
    scratch->top = chunk->below;
    dr_memory_free(scratch->allocator, chunk, SCRATCH_HEADER + chunk->bytes);
}

void *dr_scratch_take(dr_scratch *scratch, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t rounded = (bytes + DR_ALIGNMENT - 1) / DR_ALIGNMENT * DR_ALIGNMENT;
    if (!scratch->top || scratch->top->bytes - scratch->top->used < rounded) {
        if (!push_chunk(scratch, rounded > SCRATCH_CHUNK ? rounded : SCRATCH_CHUNK)) return NULL;
    }
    void *block = (char *)scratch->top + SCRATCH_HEADER + scratch->top->used;
    scratch->top->used += rounded;
    scratch->taken += rounded;
    if (scratch->taken > scratch->peak) scratch->peak = scratch->taken;
    return block;
}

void dr_scratch_release(dr_scratch *scratch, dr_scratch_mark mark)
{
    // The lowest chunk stays, so that the next take finds it.
    while (scratch->top != mark.chunk && scratch->top->below) pop_chunk(scratch);
    if (scratch->top) scratch->top->used = scratch->top == mark.chunk ? mark.used : 0;
    scratch->taken = mark.taken;
}

bool dr_scratch_reset(dr_scratch *scratch)
{
    assert(scratch->taken == 0);
    if (!scratch->top || scratch->top->bytes >= scratch->peak) return true;
    pop_chunk(scratch);
    return push_chunk(scratch, scratch->peak + scratch->peak / 4);
}

void dr_scratch_close(dr_scratch *scratch)
{
    while (scratch->top) pop_chunk(scratch);
    scratch->taken = scratch->peak = 0;
}
