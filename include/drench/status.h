// How the library speaks of failure, and where it takes memory from.
#ifndef DRENCH_STATUS_H
#define DRENCH_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define DR_API
#else
#define DR_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dr_status {
    DR_STATUS_OK = 0,
    DR_STATUS_BAD_ARGUMENT, // the caller asked for something that makes no sense
    DR_STATUS_BAD_SCENE,    // a scene, or a file it names, says something wrong
    DR_STATUS_NO_MEMORY,
    DR_STATUS_NO_FILE,
    DR_STATUS_IO,          // disk full, permission, a damaged file
    DR_STATUS_BUSY,        // another run holds the folder
    DR_STATUS_NUMERICS,    // the step could not be made, even at the smallest size
    DR_STATUS_INTERRUPTED, // the caller asked to stop
    DR_STATUS_UNSUPPORTED  // this build lacks an optional part
} dr_status;

#define DR_ERROR_TEXT 6000

// One or more problems, one line each (hints on indented lines below), in a buffer that needs no allocation.
typedef struct dr_error {
    dr_status status; // of the first problem
    int count;        // problems met, also those that no longer fitted into the text
    char text[DR_ERROR_TEXT];
} dr_error;

// A word for a status ("bad scene"). Never NULL.
DR_API const char *dr_status_name(dr_status status);

// Where memory comes from. resize(user, NULL, 0, n) allocates, resize(user, p, n, 0) frees and returns NULL; blocks are
// aligned to 64 bytes; on failure NULL comes back and the old block is untouched; making a block smaller never fails.
// Called from one thread at a time.
typedef struct dr_allocator {
    void *user;
    void *(*resize)(void *user, void *block, size_t old_bytes, size_t new_bytes);
} dr_allocator;

// The C library's memory. Every function that takes a dr_allocator takes NULL for this one.
DR_API const dr_allocator *dr_allocator_default(void);

#ifdef __cplusplus
}
#endif
#endif
