// A stable sort of 64-bit keys.
#ifndef DR_PAR_SORT_H
#define DR_PAR_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct dr_sort_item {
    uint64_t key;
    uint32_t value;
} dr_sort_item;

// Sorts by key; equal keys keep their order. spare has room for count items.
void dr_sort_items(dr_sort_item *items, dr_sort_item *spare, size_t count);

#endif
