// Numbers for the samples of a pixel: scrambled Sobol points in pairs, keyed by pixel and pair, a function of the
// sample's number alone; so no thread and no order matters. docs/render.md, "Samples".
#ifndef DR_LOOK_DICE_H
#define DR_LOOK_DICE_H

#include "math/random.h"

#include <stdint.h>

typedef struct dr_dice {
    uint64_t key; // of the picture and the pixel
    uint32_t sample;
    uint32_t pair; // how many were drawn
} dr_dice;

static inline uint32_t dr_dice_reverse(uint32_t x)
{
    x = (x >> 16) | (x << 16);
    x = ((x & 0xff00ff00u) >> 8) | ((x & 0x00ff00ffu) << 8);
    x = ((x & 0xf0f0f0f0u) >> 4) | ((x & 0x0f0f0f0fu) << 4);
    x = ((x & 0xccccccccu) >> 2) | ((x & 0x33333333u) << 2);
    return ((x & 0xaaaaaaaau) >> 1) | ((x & 0x55555555u) << 1);
}

// Owen scrambling of a fraction whose bits stand in reverse: each bit is changed by those below it alone.
static inline uint32_t dr_dice_scramble_reversed(uint32_t x, uint32_t seed)
{
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

static inline float dr_dice_fraction(uint32_t x)
{
    return (float)(x >> 8) * 0x1p-24f;
}

// The next two numbers, even in [0, 1).
static inline void dr_dice_roll(dr_dice *dice, float out[2])
{
    uint64_t seeds = dr_random_bits(dice->key, dice->pair++);
    uint32_t low = (uint32_t)seeds, high = (uint32_t)(seeds >> 32);
    uint32_t index = dr_dice_reverse(dr_dice_scramble_reversed(dr_dice_reverse(dice->sample), low ^ high));
    uint32_t second = 0;
    for (uint32_t i = index, column = 1u << 31; i; i >>= 1, column ^= column >> 1) {
        if (i & 1) second ^= column;
    }
    out[0] = dr_dice_fraction(dr_dice_reverse(dr_dice_scramble_reversed(index, low)));
    out[1] = dr_dice_fraction(dr_dice_reverse(dr_dice_scramble_reversed(dr_dice_reverse(second), high)));
}

#endif
