// An allocator for tests: counts what is out, and fails the n-th request when told to.
#ifndef TESTS_SUPPORT_SCARCE_H
#define TESTS_SUPPORT_SCARCE_H

#include "base/memory.h"

typedef struct scarce {
    dr_allocator allocator;
    long requests; // so far
    long fails_at; // the request that fails; 0: none
    size_t out;    // bytes not given back
} scarce;

static inline void *scarce_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    scarce *scarce = user;
    if (new_bytes && ++scarce->requests == scarce->fails_at) return NULL;
    void *fresh = dr_memory_resize(NULL, block, old_bytes, new_bytes);
    if (fresh || !new_bytes) scarce->out += new_bytes - (block ? old_bytes : 0);
    return fresh;
}

static inline void scarce_open(scarce *scarce, long fails_at)
{
    scarce->allocator = (dr_allocator){scarce, scarce_resize};
    scarce->requests = 0;
    scarce->fails_at = fails_at;
    scarce->out = 0;
}

#endif
