#include "liquid/warm_start.h"

#include <math.h>
#include <string.h>

#define BLOCK_BYTES (DR_BLOCK_NODES * sizeof(float))

static const dr_column columns[] = {
    {"key", offsetof(dr_warm_start, key), DR_TYPE_UINT64, 1, "", "Morton key of the block"},
    {"value", offsetof(dr_warm_start, pressure), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "dyn/cm2", "pressure of its cells"},
};
const dr_column_table dr_warm_start_columns = {columns, (int)(sizeof columns / sizeof *columns)};

bool dr_warm_start_reserve(dr_warm_start *guess, const dr_allocator *allocator, size_t blocks)
{
    return dr_columns_reserve(&dr_warm_start_columns, guess, allocator, &guess->capacity, blocks);
}

void dr_warm_start_free(dr_warm_start *guess, const dr_allocator *allocator)
{
    dr_columns_free(&dr_warm_start_columns, guess, allocator, &guess->capacity);
    guess->count = 0;
}

void dr_warm_start_keep(dr_warm_start *guess, const dr_grid *grid, const float *pressure)
{
    guess->count = grid->block_count;
    if (guess->count == 0) return;
    memcpy(guess->key, grid->key, guess->count * sizeof *guess->key);
    memcpy(guess->pressure, pressure, guess->count * BLOCK_BYTES);
}

// Both lists are sorted by key; new blocks begin at 0.
void dr_warm_start_place(const dr_warm_start *guess, const dr_grid *grid, float *pressure)
{
    for (size_t b = 0, old = 0; b < grid->block_count; b++) {
        while (old < guess->count && guess->key[old] < grid->key[b]) old++;
        bool known = old < guess->count && guess->key[old] == grid->key[b];
        if (known) {
            memcpy(pressure + b * DR_BLOCK_NODES, guess->pressure + old * DR_BLOCK_NODES, BLOCK_BYTES);
        } else {
            memset(pressure + b * DR_BLOCK_NODES, 0, BLOCK_BYTES);
        }
    }
}

bool dr_warm_start_is_sound(const dr_warm_start *guess)
{
    bool good = true;
    for (size_t b = 1; b < guess->count; b++) good = good && guess->key[b - 1] < guess->key[b];
    for (size_t i = 0; i < guess->count * DR_BLOCK_NODES; i++) good = good && isfinite(guess->pressure[i]);
    return good;
}
