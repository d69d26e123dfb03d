// A 64-bit hash of bytes, the same on every little-endian machine (not for secrets).
#ifndef DR_BASE_HASH_H
#define DR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t dr_hash_bytes(const void *data, size_t bytes, uint64_t seed);

#endif
