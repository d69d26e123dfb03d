// Little-endian numbers in bytes that lie at any address.
#ifndef DR_IO_BYTES_H
#define DR_IO_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t dr_bytes_get(const char *data, size_t offset, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;) value = value << 8 | (unsigned char)data[offset + i];
    return value;
}

static inline uint32_t dr_bytes_word(const char *data, size_t offset)
{
    return (uint32_t)dr_bytes_get(data, offset, 4);
}

static inline float dr_bytes_float(const char *data, size_t offset)
{
    uint32_t bits = dr_bytes_word(data, offset);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
