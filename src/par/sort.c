// Radix sort by bytes, lowest first; a byte that is the same in all keys costs nothing.
#include "par/sort.h"

#include <string.h>

#define DIGITS 8
#define VALUES 256

static void count_digits(const dr_sort_item *items, size_t count, size_t histogram[DIGITS][VALUES])
{
    memset(histogram, 0, sizeof(size_t) * DIGITS * VALUES);
    for (size_t i = 0; i < count; i++) {
        for (int d = 0; d < DIGITS; d++) histogram[d][items[i].key >> (8 * d) & 255]++;
    }
}

static void scatter_digit(const dr_sort_item *from, dr_sort_item *to, size_t count, int digit, const size_t *histogram)
{
    size_t place[VALUES], sum = 0;
    for (int v = 0; v < VALUES; v++) {
        place[v] = sum;
        sum += histogram[v];
    }
    for (size_t i = 0; i < count; i++) to[place[from[i].key >> (8 * digit) & 255]++] = from[i];
}

void dr_sort_items(dr_sort_item *items, dr_sort_item *spare, size_t count)
{
    if (count < 2) return;
    size_t histogram[DIGITS][VALUES];
    count_digits(items, count, histogram);
    dr_sort_item *from = items, *to = spare;
    for (int d = 0; d < DIGITS; d++) {
        if (histogram[d][from[0].key >> (8 * d) & 255] == count) continue;
        scatter_digit(from, to, count, d, histogram[d]);
        dr_sort_item *other = from;
        from = to;
        to = other;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
}
