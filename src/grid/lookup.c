#include "grid/lookup.h"

#include "math/simd.h"

enum { SMALLEST = 64, PIECE = 4096 }; // slots

static size_t first_slot(const dr_lookup *lookup, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (lookup->slot_count - 1);
}

// The slot that holds the key, or the empty one where it belongs.
static dr_lookup_slot *seek(const dr_lookup *lookup, uint64_t key)
{
    size_t s = first_slot(lookup, key);
    while (lookup->slots[s].key != key && lookup->slots[s].key != DR_LOOKUP_EMPTY)
        s = (s + 1) & (lookup->slot_count - 1);
    return &lookup->slots[s];
}

void dr_lookup_free(dr_lookup *lookup, const dr_allocator *allocator)
{
    dr_memory_free(allocator, lookup->slots, lookup->slot_count * sizeof *lookup->slots);
    *lookup = (dr_lookup){0};
}

static void empty_slots(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_lookup_slot *slots = user;
    for (size_t s = begin; s < end; s++) slots[s].key = DR_LOOKUP_EMPTY;
}

void dr_lookup_clear(dr_lookup *lookup, const dr_par *par)
{
    dr_par_for(par, lookup->slot_count, PIECE, empty_slots, lookup->slots);
    lookup->count = 0;
}

static bool grow(dr_lookup *lookup, const dr_allocator *allocator)
{
    dr_lookup larger = {.slot_count = lookup->slot_count ? 2 * lookup->slot_count : SMALLEST};
    if (larger.slot_count > SIZE_MAX / sizeof *larger.slots) return false;
    larger.slots = dr_memory_resize(allocator, NULL, 0, larger.slot_count * sizeof *larger.slots);
    if (!larger.slots) return false;
    empty_slots(larger.slots, 0, larger.slot_count, 0);
    for (size_t s = 0; s < lookup->slot_count; s++) {
        if (lookup->slots[s].key != DR_LOOKUP_EMPTY) *seek(&larger, lookup->slots[s].key) = lookup->slots[s];
    }
    larger.count = lookup->count;
    dr_lookup_free(lookup, allocator);
    *lookup = larger;
    return true;
}

int32_t dr_lookup_add(dr_lookup *lookup, const dr_allocator *allocator, uint64_t key)
{
    if (lookup->slot_count) {
        dr_lookup_slot *slot = seek(lookup, key);
        if (slot->key == key) return slot->value;
    }
    if (lookup->count == INT32_MAX) return -1;
    if (2 * ((size_t)lookup->count + 1) > lookup->slot_count && !grow(lookup, allocator)) return -1;
    dr_lookup_slot *slot = seek(lookup, key);
    *slot = (dr_lookup_slot){key, lookup->count};
    return lookup->count++;
}

void dr_lookup_fetch(const dr_lookup *lookup, uint64_t key)
{
    if (lookup->slot_count) dr_prefetch(&lookup->slots[first_slot(lookup, key)]);
}

int32_t dr_lookup_find(const dr_lookup *lookup, uint64_t key)
{
    if (lookup->slot_count == 0) return -1;
    const dr_lookup_slot *slot = seek(lookup, key);
    return slot->key == key ? slot->value : -1;
}

typedef struct renumbering {
    dr_lookup_slot *slots;
    const uint32_t *rank;
} renumbering;

static void renumber_slots(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const renumbering *job = user;
    for (size_t s = begin; s < end; s++) {
        if (job->slots[s].key != DR_LOOKUP_EMPTY) job->slots[s].value = (int32_t)job->rank[job->slots[s].value];
    }
}

void dr_lookup_renumber(dr_lookup *lookup, const dr_par *par, const uint32_t *rank)
{
    renumbering job = {lookup->slots, rank};
    dr_par_for(par, lookup->slot_count, PIECE, renumber_slots, &job);
}
