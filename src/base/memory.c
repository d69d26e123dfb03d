#define _DEFAULT_SOURCE
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Blocks that large lie on pages of 2 MiB where the system has them: matter is reached block by block of the grid, and
// with pages of 4 KiB most of those visits wait for the page table. Half of it: more memory is lost to alignment;
// twice: smaller scenes gain nothing.
#define LARGE_BLOCK ((size_t)4 << 20)
#define LARGE_PAGE  ((size_t)2 << 20)

static void *take(size_t bytes)
{
    size_t alignment = bytes < LARGE_BLOCK ? DR_ALIGNMENT : LARGE_PAGE;
    if (bytes > SIZE_MAX - alignment) return NULL;
    size_t whole = (bytes + alignment - 1) / alignment * alignment;
    void *fresh = aligned_alloc(alignment, whole);
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (fresh && alignment == LARGE_PAGE) (void)madvise(fresh, whole, MADV_HUGEPAGE);
#endif
    return fresh;
}

static void *default_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    if (block && new_bytes <= old_bytes) return block;
    void *fresh = take(new_bytes);
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

// ---- work arrays

void dr_work_free(const dr_allocator *allocator, const dr_work_array *arrays, int array_count, size_t *capacity)
{
    for (int i = 0; i < array_count; i++) {
        dr_memory_free(allocator, *arrays[i].data, *capacity * arrays[i].row_bytes);
        *arrays[i].data = NULL;
    }
    *capacity = 0;
}

bool dr_work_reserve(const dr_allocator *allocator, const dr_work_array *arrays, int array_count, size_t *capacity,
                     size_t rows)
{
    if (rows <= *capacity) return true;
    dr_work_free(allocator, arrays, array_count, capacity);
    size_t wanted = rows + rows / 4;
    for (int i = 0; i < array_count; i++) {
        bool fits = wanted <= SIZE_MAX / arrays[i].row_bytes;
        *arrays[i].data = fits ? dr_memory_alloc(allocator, wanted * arrays[i].row_bytes) : NULL;
        if (*arrays[i].data) continue;
        *capacity = wanted;
        dr_work_free(allocator, arrays, array_count, capacity);
        return false;
    }
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
