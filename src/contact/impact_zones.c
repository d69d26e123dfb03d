// The last check of a motion: what would still pass through each other goes on together instead, zone by zone.
// docs/theory/contact.md eq. (21).
#include "contact/candidates.h"

#include "geom/segment.h"
#include "math/vec.h"

#include <string.h>

#define STILL 1e-30 // cm/s: what is held answers forces by 1e-40 of them
#define KEEP  0.1   // of the lesser of touching and first distance: what must be left of it, so that lines do not cross
#define CLEAR                                                                                                          \
    0.1 // of the lesser of radius and first distance from a collider: it pushes out what came near, lines that cross
        // stay so
#define EXACT   0.2  // of that: how exactly its time is found
#define DEEP    0.01 // of touching: below that nearly all of the distance must be left, so that it does not vanish
#define ALL     0.999
#define SHARP   1e-4
#define STOP    0.9 // share of the way to where it is reached
#define ROUNDS  16  // then zones that still meet move as a whole
#define NEVER   2.0
#define GRAIN   64
#define STRANDS 64

typedef struct check {
    dr_candidates candidates;
    bool solids;
} check;

// Whether scripts have laid two edges through each other: no contact keeps them apart there. (48)
static bool is_laid(const dr_candidates *candidates, const dr_tree_pair *pair, const double place[2])
{
    const int32_t *at = candidates->set->edge_vertex, vertex[2] = {at[pair->first], at[pair->second]};
    return dr_candidates_freedom(candidates->bodies, vertex, place) < DR_CONTACT_LEAST_FREE;
}

// The share of the motion at which two edges are too near.
static double edges_meet(const dr_candidates *candidates, const dr_tree_pair *pair)
{
    double x[12], motion[12];
    dr_segment_hit hit;
    if (!dr_candidates_may_meet(candidates, pair)) return NEVER;
    dr_candidates_motion(candidates, pair, x, motion);
    double touching = dr_candidates_touching(candidates, pair);
    if (dr_segment_spare(x, motion, touching) > 0.0) return NEVER;
    double distance = dr_segment_closest(x).distance;
    bool deep = distance < DEEP * touching;
    double least = (deep ? ALL : KEEP) * fmin(touching, distance);
    if (!(least > 0.0)) return NEVER; // crossed from the beginning
    if (!dr_segment_meet(x, motion, least, (deep ? SHARP : EXACT) * least, &hit)) return NEVER;
    return distance < touching && is_laid(candidates, pair, hit.pair.place) ? NEVER : hit.time;
}

// At least so far is an edge from a collider as the step begins: at least half of what it is.
static double edge_distance(const dr_collider_set *colliders, int solid, const double start[6], double r)
{
    double nearest = 0.0, below = 0.0, place;
    for (double slack = EXACT * r; slack > SHARP * r; slack *= EXACT) {
        const dr_edge_look look = {0.0, r, slack};
        nearest = dr_candidates_edge_clearance(colliders, solid, start, &look, &place, &below);
        if (below >= 0.5 * nearest) break;
    }
    return below;
}

// The edge that begins at a vertex, between its ends.
static double edge_meets(const dr_candidates *candidates, int32_t strand, size_t vertex, int solid)
{
    const dr_collider_set *colliders = candidates->bodies->colliders;
    double r = candidates->bodies->radius[vertex], start[6], motion[6], time, place;
    if ((int)vertex + 1 >= candidates->bodies->compliance->first[strand + 1]) return NEVER;
    if (!dr_candidates_edge_motion(candidates, strand, vertex, solid, r, start, motion)) return NEVER;
    double least = CLEAR * fmin(r, edge_distance(colliders, solid, start, r));
    if (!(least > 0.0)) return NEVER;
    bool meets = dr_candidates_meet_edge(colliders, solid, start, motion, least, KEEP * least, &time, &place);
    return meets ? time : NEVER;
}

static double solids_meet(const dr_candidates *candidates, int32_t strand, size_t vertex)
{
    const dr_collider_set *colliders = candidates->bodies->colliders;
    double r = candidates->bodies->radius[vertex], start[3], motion[3], time, first = NEVER;
    for (int solid = 0; solid < dr_collider_set_count(colliders); solid++) {
        first = fmin(first, edge_meets(candidates, strand, vertex, solid));
        if (!dr_candidates_solid_motion(candidates, strand, vertex, solid, r, start, motion)) continue;
        double least = CLEAR * fmin(r, dr_collider_set_clearance(colliders, solid, start, r));
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
    for (size_t i = begin; i < end; i++) {
        const dr_tree_pair *pair = &s->tree.pairs[i];
        bool far =
            dr_candidates_keep_apart(candidates, pair) || (!dr_candidates_moved(candidates, pair) && !s->near[i]);
        s->times[i] = far ? NEVER : edges_meet(candidates, &s->tree.pairs[i]);
    }
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
    if (!dr_candidates_recall(candidates, par)) return false;
    dr_par_for(par, s->tree.pair_count, GRAIN, check_pairs, check);
    if (check->solids) dr_par_for(par, (size_t)candidates->bodies->compliance->strands, 8, check_solids, check);
    return true;
}

// ---- zones: strands that are held together

// The zone of a strand is that of its root. A zone makes a share of its motion, and for the rest moves as a whole: with
// the mean velocity of its strands, which keeps linear momentum and loses spin; with what scripts hold, where they hold
// any of it; not at all where it met a collider.
static int32_t find_root(struct dr_contact_zone *zones, int32_t strand)
{
    while (zones[strand].root != strand) {
        zones[strand].root = zones[zones[strand].root].root;
        strand = zones[strand].root;
    }
    return strand;
}

static void open_zone(const dr_contact_bodies *b, int32_t strand, struct dr_contact_zone *zone)
{
    const dr_compliance *c = b->compliance;
    *zone = (struct dr_contact_zone){.root = strand, .share = 1.0};
    for (size_t v = (size_t)c->first[strand]; v < (size_t)c->first[strand + 1]; v++) {
        double weight = b->mass ? b->mass[v] : b->radius[v] * b->radius[v];
        const double *u = b->velocity + 3 * v;
        zone->weight += weight;
        dr_vec3_add_scaled(zone->sum, zone->sum, weight, u);
        if (!b->held || !b->held[v]) continue;
        zone->held_weight += 1.0;
        zone->driven = zone->driven || dr_vec3_length(u) > STILL;
        dr_vec3_add(zone->held_sum, zone->held_sum, u);
    }
}

static void open_zones(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_candidates *candidates = &((check *)user)->candidates;
    for (size_t s = begin; s < end; s++) open_zone(candidates->bodies, (int32_t)s, &candidates->set->zones[s]);
}

static struct dr_contact_zone *join_zones(struct dr_contact_zone *zones, int32_t a, int32_t b)
{
    int32_t p = find_root(zones, a), q = find_root(zones, b);
    if (p > q) { // the lower number stays, whatever the order
        int32_t other = p;
        p = q;
        q = other;
    }
    if (p == q) return &zones[p];
    struct dr_contact_zone *into = &zones[p], *from = &zones[q];
    from->root = p;
    into->share = fmin(into->share, from->share);
    into->weight += from->weight;
    into->held_weight += from->held_weight;
    dr_vec3_add(into->sum, into->sum, from->sum);
    dr_vec3_add(into->held_sum, into->held_sum, from->held_sum);
    into->anchored = into->anchored || from->anchored;
    into->driven = into->driven || from->driven;
    return into;
}

static void find_drift(const struct dr_contact_zone *zone, double drift[3])
{
    dr_vec3_set(drift, 0.0, 0.0, 0.0);
    if (zone->held_weight > 0.0)
        dr_vec3_scale(drift, 1.0 / zone->held_weight, zone->held_sum);
    else if (!zone->anchored)
        dr_vec3_scale(drift, 1.0 / zone->weight, zone->sum);
}

// Gives the share and drift of zones to their strands.
static void spread_zones(struct dr_contact_zone *zones, int32_t strands, double *share, double *drift)
{
    for (int32_t s = 0; s < strands; s++) {
        const struct dr_contact_zone *zone = &zones[find_root(zones, s)];
        share[s] = zone->share;
        find_drift(zone, drift + 3 * s);
    }
}

// ---- rounds

// Joins the zones of all edges that meet; a zone that is together already makes less of its motion.
static long join_pairs(const check *check, double stop, long *blocked)
{
    const dr_contact_set *s = check->candidates.set;
    const double *share = check->candidates.share;
    long met = 0;
    for (size_t i = 0; i < s->tree.pair_count; i++) {
        if (s->times[i] > 1.0) continue;
        int32_t a = s->edge_strand[s->tree.pairs[i].first], b = s->edge_strand[s->tree.pairs[i].second];
        bool joined = find_root(s->zones, a) == find_root(s->zones, b);
        struct dr_contact_zone *zone = join_zones(s->zones, a, b);
        if (joined && share[a] == 0.0 && share[b] == 0.0) {
            if (zone->driven) (*blocked)++; // only what scripts hold is still on its way
            continue;
        }
        zone->share = fmin(zone->share, stop * s->times[i] * fmin(share[a], share[b]));
        met++;
    }
    return met;
}

static long anchor_vertices(const check *check, double stop)
{
    const dr_contact_set *s = check->candidates.set;
    const dr_compliance *c = check->candidates.bodies->compliance;
    const double *times = s->times + s->tree.pair_count, *share = check->candidates.share;
    long met = 0;
    for (int32_t strand = 0; check->solids && strand < c->strands; strand++) {
        struct dr_contact_zone *zone = &s->zones[find_root(s->zones, strand)];
        for (int32_t v = c->first[strand]; v < c->first[strand + 1]; v++) {
            if (times[v] > 1.0 || (zone->anchored && share[strand] == 0.0)) continue;
            zone->anchored = true;
            zone->share = fmin(zone->share, stop * times[v] * share[strand]);
            met++;
        }
    }
    return met;
}

long dr_contact_set_hold(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies, double *share,
                         double *drift, long *blocked)
{
    int32_t strands = bodies->compliance->strands;
    check check = {{set, bodies, share, drift, false, DR_CONTACT_WIDE},
                   bodies->colliders && dr_collider_set_count(bodies->colliders) > 0};
    long held = 0;
    if (!dr_memory_reserve(set->allocator, (void **)&set->zones, &set->zone_capacity, (size_t)strands,
                           sizeof *set->zones))
        return -1;
    dr_par_for(par, (size_t)strands, STRANDS, open_zones, &check);
    for (int round = 0;; round++) {
        double stop = round < ROUNDS ? STOP : 0.0;
        spread_zones(set->zones, strands, share, drift);
        *blocked = 0;
        if (!check_motion(&check, par)) return -1;
        long met = join_pairs(&check, stop, blocked) + anchor_vertices(&check, stop);
        if (met == 0 || set->crowded) break; // every round after ROUNDS joins zones, stops one or anchors one
    }
    for (int32_t s = 0; s < strands; s++) held += share[s] < 1.0;
    return held;
}

bool dr_contact_set_anchored(const dr_contact_set *set, int32_t strand)
{
    return set->zones[find_root(set->zones, strand)].anchored;
}
