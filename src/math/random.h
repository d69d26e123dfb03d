// Random numbers that are a function of a key and a counter: no state, so no order, no thread and no machine matters.
// A block of two rounds of a 64-bit finaliser with multiplication (every output bit depends on every input bit).
#ifndef DR_MATH_RANDOM_H
#define DR_MATH_RANDOM_H

#include <stdint.h>

static inline uint64_t dr_random_mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

// 64 even bits for the counter-th draw under a key.
static inline uint64_t dr_random_bits(uint64_t key, uint64_t counter)
{
    uint64_t x = dr_random_mix(key + 0x9e3779b97f4a7c15u);
    return dr_random_mix(x ^ dr_random_mix(counter * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u));
}

// A key made of a key and one more number: dr_random_key(dr_random_key(seed, body), cell).
static inline uint64_t dr_random_key(uint64_t key, uint64_t part)
{
    return dr_random_bits(key, part);
}

// Even in [0, 1).
static inline double dr_random_unit(uint64_t key, uint64_t counter)
{
    return (double)(dr_random_bits(key, counter) >> 11) * 0x1p-53;
}

#endif
