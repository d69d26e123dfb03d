// Problems gathered into a dr_error: one line each, "place: what is wrong", and an indented line of what would be
// right.
#ifndef DR_BASE_ERROR_H
#define DR_BASE_ERROR_H

#include "drench/status.h"

#if defined(__GNUC__)
#define DR_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define DR_PRINTF(text, rest)
#endif

// Forgets everything. error may be NULL here and in every function below.
void dr_error_clear(dr_error *error);

// Adds one problem and returns its status, so that `return dr_error_add(...)` reads well.
dr_status dr_error_add(dr_error *error, dr_status status, const char *format, ...) DR_PRINTF(3, 4);

// Adds an indented line under the problem added last.
void dr_error_hint(dr_error *error, const char *format, ...) DR_PRINTF(2, 3);

// "out of memory while <doing>".
dr_status dr_error_memory(dr_error *error, const char *doing);

// The C library's errno in words: "<path>: <doing>: No space left on device".
dr_status dr_error_system(dr_error *error, const char *path, const char *doing);

#endif
