#include "base/text.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void dr_text_open(dr_text *text, const dr_allocator *allocator)
{
    *text = (dr_text){.allocator = allocator};
}

void dr_text_close(dr_text *text)
{
    dr_memory_free(text->allocator, text->data, text->capacity);
    *text = (dr_text){.allocator = text->allocator};
}

void dr_text_clear(dr_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->data) text->data[0] = 0;
}

// Room for `more` bytes and the closing zero.
static bool make_room(dr_text *text, size_t more)
{
    if (text->failed) return false;
    void *data = text->data;
    size_t needed = text->length + more + 1;
    if (needed < 256) needed = 256;
    if (!dr_memory_reserve(text->allocator, &data, &text->capacity, needed, 1)) text->failed = true;
    text->data = data;
    return !text->failed;
}

void dr_text_add(dr_text *text, const char *more, size_t length)
{
    if (!make_room(text, length)) return;
    memcpy(text->data + text->length, more, length);
    text->length += length;
    text->data[text->length] = 0;
}

void dr_text_put(dr_text *text, const char *more)
{
    dr_text_add(text, more, strlen(more));
}

void dr_text_print(dr_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !make_room(text, (size_t)length)) return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

const char *dr_text_show(const dr_text *text)
{
    return text->data ? text->data : "";
}
