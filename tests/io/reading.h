// Helpers for the tests of readers.
#ifndef TESTS_IO_READING_H
#define TESTS_IO_READING_H

#include "base/memory.h"
#include "support/check.h"
#include "support/scarce.h"

#include <stdlib.h>

// An arena and an error for one text.
#define opened(text)                                                                                                   \
    dr_arena arena;                                                                                                    \
    dr_error error = {0};                                                                                              \
    (void)(text);                                                                                                      \
    dr_arena_open(&arena, NULL)

#define expect_ok(call)                                                                                                \
    do {                                                                                                               \
        if (call) fail_msg("%s", error.text);                                                                          \
    } while (0)

// Refused, at a place, with a word that tells why.
static inline void expect_refused(dr_status status, const dr_error *error, const char *place, const char *word)
{
    assert_int_equal(status, DR_STATUS_BAD_SCENE);
    if (strncmp(error->text, place, strlen(place)) != 0 || !strstr(error->text, word))
        fail_msg("\"%s\" does not begin with \"%s\" and say \"%s\"", error->text, place, word);
}

// A file that lies beside the repository on some machines; NULL where it does not. Freed by the caller.
static inline char *shared_asset(const char *name, size_t *bytes)
{
    char path[300];
    snprintf(path, sizeof path, "../shared/peer-scenes/creamystrand/assets/%s", name);
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *data = size > 0 ? malloc((size_t)size) : NULL;
    *bytes = data ? fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    return data;
}

#endif
