// The last check of a motion: what would still pass through is held before it does. docs/theory/contact.md eq. (21).
#include "contact/candidates.h"

#include "geom/segment.h"
#include "math/vec.h"

#include <string.h>

#define KEEP   0.5 // of the lesser of touching and first distance: what must be left of it
#define EXACT  0.2 // of that: how exactly its time is found
#define STOP   0.9 // share of the way to where it is reached
#define ROUNDS 24  // then strands that still meet stand still
#define NEVER  2.0
#define GRAIN  64

typedef struct check {
    dr_candidates candidates;
    bool solids;
} check;

// The share of the motion at which two edges are too near.
static double edges_meet(const dr_candidates *candidates, const dr_tree_pair *pair)
{
    double x[12], motion[12];
    dr_segment_hit hit;
    dr_candidates_motion(candidates, pair, x, motion);
    double least = KEEP * fmin(dr_candidates_touching(candidates, pair), dr_segment_closest(x).distance);
    if (!(least > 0.0)) return NEVER; // crossed from the beginning
    return dr_segment_meet(x, motion, least, EXACT * least, &hit) ? hit.time : NEVER;
}

static double solids_meet(const dr_candidates *candidates, int32_t strand, size_t vertex)
{
    const dr_collider_set *colliders = candidates->bodies->colliders;
    double r = candidates->bodies->radius[vertex], start[3], motion[3], time, first = NEVER;
    for (int solid = 0; solid < dr_collider_set_count(colliders); solid++) {
        if (!dr_candidates_solid_motion(candidates, strand, vertex, solid, r, start, motion)) continue;
        double least = KEEP * fmin(r, dr_collider_set_clearance(colliders, solid, start, r));
        if (!(least > 0.0)) continue;
        if (dr_candidates_meet_solid(colliders, solid, start, motion, least, EXACT * least, &time))
            first = fmin(first, time);
    }
    return first;
}

static void check_pairs(void *user, size_t begin, size_t end, int thread)
{
    const dr_candidates *candidates = &((check *)user)->candidates;
    dr_contact_set *s = candidates->set;
    (void)thread;
    for (size_t i = begin; i < end; i++) s->times[i] = edges_meet(candidates, &s->tree.pairs[i]);
}

static void check_solids(void *user, size_t begin, size_t end, int thread)
{
    const dr_candidates *candidates = &((check *)user)->candidates;
    const int *first = candidates->bodies->compliance->first;
    double *times = candidates->set->times + candidates->set->tree.pair_count;
    (void)thread;
    for (size_t s = begin; s < end; s++) {
        for (size_t v = (size_t)first[s]; v < (size_t)first[s + 1]; v++)
            times[v] = solids_meet(candidates, (int32_t)s, v);
    }
}

// When every pair and every vertex meets something, into set->times. False when memory is out.
static bool check_motion(check *check, const dr_par *par)
{
    const dr_candidates *candidates = &check->candidates;
    dr_contact_set *s = candidates->set;
    if (!dr_candidates_find(candidates, par, true)) return false;
    size_t items = s->tree.pair_count + dr_candidates_vertices(candidates->bodies);
    if (!dr_memory_reserve(s->allocator, (void **)&s->times, &s->time_capacity, items, sizeof *s->times)) return false;
    dr_par_for(par, s->tree.pair_count, GRAIN, check_pairs, check);
    if (check->solids) dr_par_for(par, (size_t)candidates->bodies->compliance->strands, 8, check_solids, check);
    return true;
}

static long shorten_pairs(const check *check, double *next, double stop, long *blocked)
{
    const dr_contact_set *s = check->candidates.set;
    const double *share = check->candidates.scale;
    long met = 0;
    for (size_t i = 0; i < s->tree.pair_count; i++) {
        if (s->times[i] > 1.0) continue;
        int32_t a = s->edge_strand[s->tree.pairs[i].first], b = s->edge_strand[s->tree.pairs[i].second];
        bool moves = share[a] > 0.0 || share[b] > 0.0;
        next[a] = fmin(next[a], stop * s->times[i] * share[a]);
        next[b] = fmin(next[b], stop * s->times[i] * share[b]);
        met += moves;
        *blocked += !moves; // only what scripts hold is still on its way
    }
    return met;
}

static long shorten_solids(const check *check, double *next, double stop)
{
    const dr_contact_set *s = check->candidates.set;
    const dr_compliance *c = check->candidates.bodies->compliance;
    const double *times = s->times + s->tree.pair_count, *share = check->candidates.scale;
    long met = 0;
    for (int32_t strand = 0; check->solids && strand < c->strands; strand++) {
        for (int32_t v = c->first[strand]; v < c->first[strand + 1]; v++) {
            if (times[v] > 1.0 || share[strand] == 0.0) continue;
            next[strand] = fmin(next[strand], stop * times[v] * share[strand]);
            met++;
        }
    }
    return met;
}

long dr_contact_set_hold(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies, double *share,
                         long *blocked)
{
    size_t strands = (size_t)bodies->compliance->strands;
    check check = {{set, bodies, share, DR_CONTACT_WIDE},
                   bodies->colliders && dr_collider_set_count(bodies->colliders) > 0};
    long held = 0;
    if (!dr_memory_reserve(set->allocator, (void **)&set->holds, &set->hold_capacity, strands, sizeof *set->holds))
        return -1;
    for (size_t s = 0; s < strands; s++) share[s] = 1.0;
    for (int round = 0;; round++) {
        double stop = round < ROUNDS ? STOP : 0.0;
        *blocked = 0;
        if (!check_motion(&check, par)) return -1;
        memcpy(set->holds, share, strands * sizeof *share);
        long met = shorten_pairs(&check, set->holds, stop, blocked);
        met += shorten_solids(&check, set->holds, stop);
        memcpy(share, set->holds, strands * sizeof *share);
        if (met == 0) break; // every round after ROUNDS stops a strand for good
    }
    for (size_t s = 0; s < strands; s++) held += share[s] < 1.0;
    return held;
}
