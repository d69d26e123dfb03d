// Numbers into growing bytes: binary, little-endian as the machines drench runs on, and decimal text.
#ifndef DR_IO_PUT_H
#define DR_IO_PUT_H

#include "base/number.h"
#include "base/text.h"
#include "drench/frame.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the writers of binary files put numbers as they lie in memory, little-endian"
#endif

static inline void dr_put_bytes(dr_text *out, const void *data, size_t bytes)
{
    if (bytes) dr_text_add(out, data, bytes);
}

static inline void dr_put_u32(dr_text *out, uint32_t value)
{
    dr_text_add(out, (const char *)&value, sizeof value);
}

static inline void dr_put_u64(dr_text *out, uint64_t value)
{
    dr_text_add(out, (const char *)&value, sizeof value);
}

static inline void dr_put_float(dr_text *out, float value)
{
    dr_text_add(out, (const char *)&value, sizeof value);
}

// Nine digits: a float comes back with the same bits.
static inline void dr_put_decimal(dr_text *out, double value)
{
    char text[DR_NUMBER_ROOM];
    dr_text_add(out, text, (size_t)dr_number_print_short(text, value));
}

static inline void dr_put_integer(dr_text *out, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + size % 10);
    } while (size /= 10);
    if (value < 0) digits[--at] = '-';
    dr_text_add(out, digits + at, sizeof digits - at);
}

#endif
