// Text that grows. A failed allocation is remembered and every later addition does nothing, so that a writer checks
// once.
#ifndef DR_BASE_TEXT_H
#define DR_BASE_TEXT_H

#include "base/error.h"

typedef struct dr_text {
    const dr_allocator *allocator;
    char *data; // closed by a zero; NULL while empty
    size_t length, capacity;
    bool failed;
} dr_text;

void dr_text_open(dr_text *text, const dr_allocator *allocator);
void dr_text_close(dr_text *text);
void dr_text_clear(dr_text *text); // keeps the memory
void dr_text_add(dr_text *text, const char *more, size_t length);
void dr_text_put(dr_text *text, const char *more); // up to its closing zero
void dr_text_print(dr_text *text, const char *format, ...) DR_PRINTF(2, 3);

// Never NULL.
const char *dr_text_show(const dr_text *text);

#endif
