// Greedy multiplicative Schwarz: docs/theory/contact.md eq. (51).
#include "contact/subdomain.h"

#include <string.h>

bool dr_subdomain_reserve(dr_contact_solver *s)
{
    const dr_allocator *a = s->allocator;
    return dr_memory_reserve(a, (void **)&s->swept, &s->swept_capacity, s->count, sizeof *s->swept) &&
           dr_memory_reserve(a, (void **)&s->missing, &s->missing_capacity, s->count, sizeof *s->missing) &&
           dr_memory_reserve(a, (void **)&s->chosen, &s->chosen_capacity, s->count, sizeof *s->chosen) &&
           dr_memory_reserve(a, (void **)&s->moving, &s->moving_capacity, s->host_count, sizeof *s->moving) &&
           dr_memory_reserve(a, (void **)&s->reached, &s->reached_capacity, s->host_count, sizeof *s->reached);
}

void dr_subdomain_open(dr_contact_solver *s)
{
    for (size_t i = 0; i < s->cones; i++) s->swept[i] = (uint32_t)i;
    for (size_t h = 0; h < s->host_count; h++) s->moving[h] = (uint32_t)h;
    memcpy(s->swept_begin, s->begin, sizeof s->swept_begin);
    s->swept_count = s->cones;
    s->moving_count = s->host_count;
}

static void hosts_of(const dr_contact_solver *s, size_t row, int32_t host[2])
{
    const dr_contact *contact = &s->contacts[s->order[row]];
    host[0] = s->host_of[contact->strand[0]];
    host[1] = contact->strand[1] < 0 ? host[0] : s->host_of[contact->strand[1]];
}

// ---- a part of them

// The strands of contacts that are chosen.
static void mark_hosts(dr_contact_solver *s)
{
    memset(s->reached, 0, s->host_count * sizeof *s->reached);
    for (size_t i = 0; i < s->cones; i++) {
        int32_t host[2];
        if (!s->chosen[i]) continue;
        hosts_of(s, i, host);
        s->reached[host[0]] = s->reached[host[1]] = true;
    }
}

static double place_on(const dr_contact *contact, int32_t strand)
{
    int side = contact->strand[0] == strand ? 0 : 1;
    return contact->vertex[side] + contact->place[side];
}

// The contacts beside one on its strands, within an edge of it.
static void choose_beside(dr_contact_solver *s, size_t row)
{
    const dr_contact *contact = &s->contacts[s->order[row]];
    for (int side = 0; side < 2 && contact->strand[side] >= 0; side++) {
        int32_t strand = contact->strand[side];
        const dr_contact_host *h = &s->hosts[s->host_of[strand]];
        double here = contact->vertex[side] + contact->place[side];
        for (size_t k = h->uses; k < h->uses + h->use_count; k++) {
            size_t other = s->uses[k] / 2;
            if (fabs(place_on(&s->contacts[s->order[other]], strand) - here) <= 1.0) s->chosen[other] = true;
        }
    }
}

// The contacts of strands on which there are some already.
static void choose_farther(dr_contact_solver *s)
{
    mark_hosts(s);
    for (size_t i = 0; i < s->cones; i++) {
        int32_t host[2];
        hosts_of(s, i, host);
        s->chosen[i] = s->reached[host[0]] || s->reached[host[1]];
    }
}

static void list(dr_contact_solver *s)
{
    s->swept_count = s->moving_count = 0;
    for (int patch = 0; patch < DR_ROWS_MOST_PATCHES; patch++) {
        s->swept_begin[patch] = s->swept_count;
        for (size_t i = s->begin[patch]; i < s->begin[patch + 1]; i++) {
            if (s->chosen[i]) s->swept[s->swept_count++] = (uint32_t)i;
        }
    }
    s->swept_begin[DR_ROWS_MOST_PATCHES] = s->swept_count;
    mark_hosts(s);
    for (size_t h = 0; h < s->host_count; h++) {
        if (s->reached[h]) s->moving[s->moving_count++] = (uint32_t)h;
    }
}

void dr_subdomain_close_in(dr_contact_solver *s, int hops)
{
    memset(s->chosen, 0, s->count * sizeof *s->chosen);
    for (size_t i = 0; i < s->cones; i++) {
        if (s->missing[i]) choose_beside(s, i);
    }
    for (int hop = 0; hop < hops; hop++) choose_farther(s);
    list(s);
}
