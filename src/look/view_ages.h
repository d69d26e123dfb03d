// When a particle came to be, from its id: ids are handed out in order, and statistics say how many there were when.
#ifndef DR_LOOK_VIEW_AGES_H
#define DR_LOOK_VIEW_AGES_H

#include "drench/status.h"

typedef struct dr_view_ages {
    const dr_allocator *allocator;
    double *time;  // [entry] s, rising
    uint64_t *ids; // [entry] handed out until then, rising
    size_t count, time_capacity, ids_capacity;
} dr_view_ages;

void dr_view_ages_open(dr_view_ages *ages, const dr_allocator *allocator);
void dr_view_ages_close(dr_view_ages *ages);
void dr_view_ages_clear(dr_view_ages *ages);

// After a step. Steps without new ids take no room. False when memory is out.
bool dr_view_ages_add(dr_view_ages *ages, double time, uint64_t ids);

// The time of the step that handed out the id; of the last step known for an id that is newer. Needs an entry.
double dr_view_ages_birth(const dr_view_ages *ages, uint64_t id);

#endif
