#include "look/view_ages.h"

#include "base/memory.h"

void dr_view_ages_open(dr_view_ages *ages, const dr_allocator *allocator)
{
    *ages = (dr_view_ages){.allocator = allocator};
}

void dr_view_ages_close(dr_view_ages *ages)
{
    dr_memory_free(ages->allocator, ages->time, ages->time_capacity * sizeof *ages->time);
    dr_memory_free(ages->allocator, ages->ids, ages->ids_capacity * sizeof *ages->ids);
    *ages = (dr_view_ages){.allocator = ages->allocator};
}

void dr_view_ages_clear(dr_view_ages *ages)
{
    ages->count = 0;
}

static bool reserve(dr_view_ages *ages, size_t count)
{
    void *time = ages->time, *ids = ages->ids;
    bool good = dr_memory_reserve(ages->allocator, &time, &ages->time_capacity, count, sizeof *ages->time);
    ages->time = time;
    good = good && dr_memory_reserve(ages->allocator, &ids, &ages->ids_capacity, count, sizeof *ages->ids);
    ages->ids = ids;
    return good;
}

bool dr_view_ages_add(dr_view_ages *ages, double time, uint64_t ids)
{
    if (ages->count && ids <= ages->ids[ages->count - 1]) return true;
    if (!reserve(ages, ages->count + 1)) return false;
    ages->time[ages->count] = time;
    ages->ids[ages->count++] = ids;
    return true;
}

double dr_view_ages_birth(const dr_view_ages *ages, uint64_t id)
{
    size_t low = 0, high = ages->count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (id < ages->ids[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return ages->time[low];
}
