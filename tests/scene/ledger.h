// An allocator that counts live bytes and fails the n-th request, and short ways to make scenes from text.
#ifndef DR_TESTS_SCENE_LEDGER_H
#define DR_TESTS_SCENE_LEDGER_H

#include "io/yaml_scene.h"

#include <string.h>

typedef struct ledger {
    long live, calls, fail_at;
} ledger;

static inline void *ledger_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    ledger *book = user;
    if (new_bytes && ++book->calls == book->fail_at) return NULL;
    const dr_allocator *standard = dr_allocator_default();
    void *fresh = standard->resize(standard->user, block, old_bytes, new_bytes);
    if (new_bytes == 0 || fresh) book->live += (long)new_bytes - (block ? (long)old_bytes : 0);
    return fresh;
}

static inline dr_status parse_text(const char *text, dr_scene **scene, dr_error *error)
{
    *error = (dr_error){0};
    return dr_yaml_scene_parse(text, strlen(text), "t.yaml", NULL, scene, error);
}

#endif
