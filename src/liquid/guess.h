// The pressure of the last step, where the next solve begins: kept with the keys of its blocks, since those change.
// docs/theory/pressure.md, section 5.
#ifndef DR_LIQUID_GUESS_H
#define DR_LIQUID_GUESS_H

#include "grid/grid.h"

typedef struct dr_guess {
    size_t count, capacity; // blocks
    uint64_t *key;          // [block] increasing
    float *pressure;        // [block][64] dyn/cm2
} dr_guess;

extern const dr_column_table dr_guess_columns;

bool dr_guess_reserve(dr_guess *guess, const dr_allocator *allocator, size_t blocks);
void dr_guess_free(dr_guess *guess, const dr_allocator *allocator);
void dr_guess_keep(dr_guess *guess, const dr_grid *grid, const float *pressure); // room was reserved
void dr_guess_place(const dr_guess *guess, const dr_grid *grid, float *pressure);
bool dr_guess_is_sound(const dr_guess *guess); // sorted, and all numbers

#endif
