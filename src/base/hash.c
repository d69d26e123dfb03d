#include "base/hash.h"

#include <string.h>

// Four lanes of multiply and rotate over 32-byte strides, then a finalizer; fast enough to hash the state of every
// frame.
#define PRIME_A UINT64_C(0x9e3779b97f4a7c15)
#define PRIME_B UINT64_C(0xc2b2ae3d27d4eb4f)
#define PRIME_C UINT64_C(0x165667b19e3779f9)

static uint64_t rotate(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t stir(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * PRIME_B, 31) * PRIME_A;
}

static uint64_t finish(uint64_t value)
{
    value = (value ^ value >> 33) * PRIME_B;
    value = (value ^ value >> 29) * PRIME_C;
    return value ^ value >> 32;
}

uint64_t dr_hash_bytes(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data;
    size_t left = bytes;
    uint64_t lane[4] = {seed + PRIME_A, seed ^ PRIME_B, seed + PRIME_C, seed * PRIME_A + 1};
    for (; left >= 32; at += 32, left -= 32) {
        uint64_t word[4];
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 4; i++) lane[i] = stir(lane[i], word[i]);
    }
    for (int i = 0; left > 0; i++) {
        uint64_t word = 0;
        size_t part = left < 8 ? left : 8;
        memcpy(&word, at, part);
        lane[i & 3] = stir(lane[i & 3], word + part * PRIME_C);
        at += part;
        left -= part;
    }
    uint64_t sum = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
    return finish(sum + (uint64_t)bytes * PRIME_A);
}
