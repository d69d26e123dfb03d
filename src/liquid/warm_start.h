// The pressure of the last step, where the next solve begins: kept with the keys of its blocks, since those change.
// docs/theory/pressure.md, section 5.
#ifndef DR_LIQUID_WARM_START_H
#define DR_LIQUID_WARM_START_H

#include "grid/grid.h"

typedef struct dr_warm_start {
    size_t count, capacity; // blocks
    uint64_t *key;          // [block] increasing
    float *pressure;        // [block][64] dyn/cm2
} dr_warm_start;

extern const dr_column_table dr_warm_start_columns;

bool dr_warm_start_reserve(dr_warm_start *guess, const dr_allocator *allocator, size_t blocks);
void dr_warm_start_free(dr_warm_start *guess, const dr_allocator *allocator);
void dr_warm_start_keep(dr_warm_start *guess, const dr_grid *grid, const float *pressure); // room was reserved
void dr_warm_start_place(const dr_warm_start *guess, const dr_grid *grid, float *pressure);
bool dr_warm_start_is_sound(const dr_warm_start *guess); // sorted, and all numbers

#endif
