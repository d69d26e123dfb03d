// docs/theory/contact.md eq. (3), (16), (17).
#include "contact/candidates.h"

#include "base/number.h"
#include "geom/segment.h"
#include "math/vec.h"

#include <string.h>

#define MOST_PAIRS 300 // per edge, and MANY_PAIRS more: beyond that strands move too far for one step
#define MANY_PAIRS 1000000
#define MOST_STEPS 200  // after which a meeting counts
#define STRANDS    64   // of a piece of work that only passes over them
#define VERTICES   4096 // of a sum: fixed, so that sums do not depend on the number of threads
size_t dr_candidates_vertices(const dr_contact_bodies *bodies)
{
    return (size_t)bodies->compliance->first[bodies->compliance->strands];
}

double dr_candidates_film_height(double area, double radius)
{
    return sqrt(area / DR_PI + radius * radius) - radius;
}

// Where the edges of strands begin. Gives whether they do so where they did.
static bool number_edges(dr_contact_set *s, const dr_contact_bodies *bodies)
{
    const dr_compliance *c = bodies->compliance;
    size_t strands = (size_t)c->strands;
    bool same = s->edge_first_count == strands + 1;
    int32_t edges = 0;
    for (size_t i = 0; i <= strands; i++) {
        int32_t *first = s->edge_first + 2 * i;
        same = same && first[0] == c->first[i] && first[1] == edges;
        first[0] = c->first[i];
        first[1] = edges;
        if (i < strands && !(bodies->idle && bodies->idle[i])) edges += c->first[i + 1] - c->first[i] - 1;
    }
    s->edge_first_count = strands + 1;
    s->edge_count = (size_t)edges;
    return same;
}

static void list_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_contact_set *s = user;
    for (size_t strand = begin; strand < end; strand++) {
        const int32_t *first = s->edge_first + 2 * strand;
        for (int32_t e = first[1]; e < first[3]; e++) {
            s->edge_vertex[e] = first[0] + e - first[1];
            s->edge_strand[e] = (int32_t)strand;
        }
    }
}

// Gives false in *same where these are not the edges that were there.
static bool list_edges(dr_contact_set *s, const dr_par *par, const dr_contact_bodies *bodies, bool *same)
{
    size_t vertices = dr_candidates_vertices(bodies), strands = (size_t)bodies->compliance->strands;
    if (!dr_memory_reserve(s->allocator, (void **)&s->edge_first, &s->edge_first_capacity, 2 * strands + 2,
                           sizeof *s->edge_first) ||
        !dr_memory_reserve(s->allocator, (void **)&s->edge_vertex, &s->edge_vertex_capacity, vertices,
                           sizeof *s->edge_vertex) ||
        !dr_memory_reserve(s->allocator, (void **)&s->edge_strand, &s->edge_strand_capacity, vertices,
                           sizeof *s->edge_strand) ||
        !dr_memory_reserve(s->allocator, (void **)&s->strayed, &s->strayed_capacity, vertices, sizeof *s->strayed) ||
        !dr_memory_reserve(s->allocator, (void **)&s->strays, &s->strays_capacity, vertices, sizeof *s->strays) ||
        !dr_memory_reserve(s->allocator, (void **)&s->corridors, &s->corridor_capacity, vertices,
                           sizeof *s->corridors) ||
        !dr_memory_reserve(s->allocator, (void **)&s->boxes, &s->box_capacity, vertices, sizeof *s->boxes))
        return false;
    *same = number_edges(s, bodies);
    if (!*same) dr_par_for(par, strands, STRANDS, list_strands, s);
    return true;
}

// How far from the axis anything can matter: halves of the reaches of both sides add up to that of a pair. (16)
static double influence(const dr_candidates *candidates, int32_t vertex)
{
    const dr_contact_bodies *bodies = candidates->bodies;
    double widest = 0.0, angle = dr_contact_widest_angle(bodies);
    for (int32_t v = vertex; v < vertex + 2; v++) {
        double r = bodies->radius[v], area = bodies->film ? bodies->film[v] : 0.0;
        double wet = fmax(dr_candidates_film_height(area, r), (1.0 + 0.5 * angle) * sqrt(area));
        widest = fmax(widest, fmax(candidates->wide * r, area > DR_CONTACT_DRY ? r + wet : 0.0));
    }
    return widest;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static void sum_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_candidates *job = user;
    const double *x = job->bodies->compliance->x, *u = job->bodies->velocity;
    double *sum = job->set->middles + 6 * (begin / VERTICES), own[6] = {0};
    for (size_t i = 3 * begin; i < 3 * end; i += 3) {
        for (size_t a = 0; a < 3; a++) {
            own[a] += x[i + a];
            own[3 + a] += u[i + a];
        }
    }
    memcpy(sum, own, sizeof own);
}

// Corridors are measured from the middle of all vertices and move with it: what goes along with all others stays.
static bool find_middle(const dr_candidates *job, const dr_par *par)
{
    dr_contact_set *s = job->set;
    size_t vertices = dr_candidates_vertices(job->bodies), pieces = (vertices + VERTICES - 1) / VERTICES;
    if (!dr_memory_reserve(s->allocator, (void **)&s->middles, &s->middle_capacity, 6 * pieces, sizeof *s->middles))
        return false;
    dr_par_for(par, vertices, VERTICES, sum_vertices, (void *)(uintptr_t)job);
    dr_vec3_set(s->centre, 0.0, 0.0, 0.0);
    dr_vec3_set(s->drift, 0.0, 0.0, 0.0);
    for (size_t i = 0; i < pieces; i++) {
        dr_vec3_add(s->centre, s->centre, s->middles + 6 * i);
        dr_vec3_add(s->drift, s->drift, s->middles + 6 * i + 3);
    }
    dr_vec3_scale(s->centre, 1.0 / (double)vertices, s->centre);
    dr_vec3_scale(s->drift, job->bodies->compliance->dt / (double)vertices, s->drift);
    if (!isfinite(s->drift[0] + s->drift[1] + s->drift[2])) dr_vec3_set(s->drift, 0.0, 0.0, 0.0);
    return true;
}

// The motion of an edge.
static void find_motion(const dr_candidates *job, size_t e, double x[6], double motion[6])
{
    const dr_contact_set *s = job->set;
    const size_t vertex = (size_t)s->edge_vertex[e];
    for (size_t end = 0; end < 2; end++) {
        dr_vec3_sub(x + 3 * end, job->bodies->compliance->x + 3 * (vertex + end), s->centre);
        dr_candidates_way(job, s->edge_strand[e], vertex + end, motion + 3 * end);
        dr_vec3_sub(motion + 3 * end, motion + 3 * end, s->drift);
    }
}

// Corridors are wider than a motion needs, so that they hold others that are a little different: by so many radii, and
// by a share of the way. Half of it finds pairs anew more often, twice of it gives more pairs to look at.
#define SLACK     0.5
#define SLACK_WAY 0.1

static dr_box box_ends(const double first[3], const double second[3], double more)
{
    dr_box box;
    for (int a = 0; a < 3; a++) {
        bool in_order = first[a] < second[a];
        box.min[a] = (in_order ? first[a] : second[a]) - more;
        box.max[a] = (in_order ? second[a] : first[a]) + more;
    }
    return box;
}

#define ASIDE 4.0 // radii; with a quarter of it all pairs are looked for a second time

// Contact brings strands back to about the motion that the step begins with: a corridor about the middle between that
// and the one at hand holds both, where they are not far from each other. Gives half of what is between them.
static double turn_back(const dr_candidates *job, size_t e, double motion[6])
{
    const dr_contact_set *s = job->set;
    const size_t vertex = (size_t)s->edge_vertex[e];
    const double dt = job->bodies->compliance->dt, *before = job->bodies->start_velocity + 3 * vertex;
    double half[6], most = 0.0;
    for (size_t end = 0; end < 6; end += 3) {
        for (size_t i = end; i < end + 3; i++) half[i] = 0.5 * (dt * before[i] - s->drift[i - end] - motion[i]);
        most = greater(most, dr_vec3_length(half + end));
    }
    if (!(most <= ASIDE * job->bodies->radius[vertex])) return 0.0;
    for (int i = 0; i < 6; i++) motion[i] += half[i];
    return most;
}

static void make_corridor(const dr_candidates *job, size_t e)
{
    struct dr_contact_corridor *c = &job->set->corridors[e];
    double end[6], aside = 0.0;
    find_motion(job, e, c->x, c->motion);
    double way = greater(dr_vec3_length(c->motion), dr_vec3_length(c->motion + 3));
    if (job->first) aside = turn_back(job, e, c->motion);
    c->reach = influence(job, job->set->edge_vertex[e]);
    c->slack = aside + SLACK * job->bodies->radius[job->set->edge_vertex[e]] + SLACK_WAY * way;
    for (int i = 0; i < 6; i++) end[i] = c->x[i] + c->motion[i];
    job->set->boxes[e] = (dr_tree_box){.begin = box_ends(c->x, c->x + 3, c->reach + c->slack),
                                       .end = box_ends(end, end + 3, c->reach + c->slack)};
}

static void make_corridors(void *user, size_t begin, size_t end, int thread)
{
    const dr_candidates *job = user;
    (void)thread;
    for (size_t e = begin; e < end; e++) make_corridor(job, e);
}

// Whether the motion of an edge stays within its corridor: ends that begin and end near those of another motion are
// near them all the way, and so is what is between them. (49)
static bool stays_within(const dr_candidates *job, size_t e)
{
    const struct dr_contact_corridor *c = &job->set->corridors[e];
    double x[6], motion[6], aside[3];
    double left = c->slack - greater(0.0, influence(job, job->set->edge_vertex[e]) - c->reach);
    bool within = left >= 0.0;
    find_motion(job, e, x, motion);
    for (int end = 0; end < 6 && within; end += 3) {
        dr_vec3_sub(aside, x + end, c->x + end);
        within = dr_vec3_dot(aside, aside) <= left * left;
        for (int a = 0; a < 3; a++) aside[a] += motion[end + a] - c->motion[end + a];
        within = within && dr_vec3_dot(aside, aside) <= left * left;
    }
    return within;
}

// Edges that have left their corridors get others.
static void find_strayed(void *user, size_t begin, size_t end, int thread)
{
    const dr_candidates *job = user;
    (void)thread;
    for (size_t e = begin; e < end; e++) {
        job->set->strays[e] = !stays_within(job, e);
        if (job->set->strays[e]) make_corridor(job, e);
    }
}

static void follow_strayed(const dr_candidates *job, const dr_par *par)
{
    dr_contact_set *s = job->set;
    dr_par_for(par, s->edge_count, 256, find_strayed, (void *)(uintptr_t)job);
    s->strayed_count = 0;
    for (size_t e = 0; e < s->edge_count; e++) {
        if (s->strays[e]) s->strayed[s->strayed_count++] = (uint32_t)e;
    }
}

// Edges of one strand count when the strand between them is long enough to bend back by half a turn. (17)
static bool is_long(const dr_candidates *job, uint32_t first, uint32_t second, double turn)
{
    const dr_contact_set *s = job->set;
    if (s->edge_strand[first] != s->edge_strand[second]) return true;
    int32_t from = s->edge_vertex[first] + 1, to = s->edge_vertex[second];
    if (to <= from) return false;
    double need = turn * job->bodies->radius[from], length = 0.0;
    for (int32_t v = from; v < to && length < need; v++) {
        double d[3];
        dr_vec3_sub(d, job->bodies->compliance->x + 3 * (size_t)(v + 1), job->bodies->compliance->x + 3 * (size_t)v);
        length += dr_vec3_length(d);
    }
    return length >= need;
}

bool dr_candidates_may_meet(const dr_candidates *candidates, const dr_tree_pair *pair)
{
    return is_long(candidates, pair->first, pair->second, DR_PI);
}

// Whether two edges may meet while both stay within their corridors. Pairs outlive the step, in which strands may be
// stretched.
static bool may_meet_later(const void *user, uint32_t first, uint32_t second)
{
    const dr_candidates *job = user;
    const struct dr_contact_corridor *p = &job->set->corridors[first], *q = &job->set->corridors[second];
    double x[12], motion[12];
    if (!is_long(job, first, second, 0.75 * DR_PI)) return false;
    for (int i = 0; i < 6; i++) {
        x[i] = p->x[i];
        x[6 + i] = q->x[i];
        motion[i] = p->motion[i];
        motion[6 + i] = q->motion[i];
    }
    return !(dr_segment_spare(x, motion, p->reach + p->slack + q->reach + q->slack) > 0.0);
}

#define MANY 4 // a share of all edges: where more have strayed at once, or all over time, all corridors are made anew

static bool keep_pairs(const dr_candidates *candidates, const dr_par *par)
{
    dr_contact_set *s = candidates->set;
    follow_strayed(candidates, par);
    s->strayed_since += s->strayed_count;
    s->boxed = MANY * s->strayed_count <= s->edge_count && s->strayed_since <= s->edge_count;
    if (!s->boxed) return true;
    if (!dr_tree_add_pairs(&s->tree, par, s->boxes, s->strayed, s->strayed_count, may_meet_later, candidates))
        return false;
    s->boxed = !s->tree.crowded;
    s->edition += s->strayed_count > 0;
    return true;
}

bool dr_candidates_find(const dr_candidates *candidates, const dr_par *par, bool again)
{
    dr_contact_set *s = candidates->set;
    bool same;
    if (!list_edges(s, par, candidates->bodies, &same) || !find_middle(candidates, par)) return false;
    s->crowded = again && s->crowded;
    if (s->boxed && same && !keep_pairs(candidates, par)) return false;
    if (s->boxed && same) return true;
    s->boxed = false;
    s->strayed_since = 0;
    s->edition++;
    dr_par_for(par, s->edge_count, 1024, make_corridors, (void *)(uintptr_t)candidates);
    s->tree.most = MOST_PAIRS * s->edge_count + MANY_PAIRS;
    if (!dr_tree_find_pairs(&s->tree, par, s->boxes, s->edge_count, may_meet_later, candidates)) return false;
    s->boxed = !s->tree.crowded;
    s->crowded = s->crowded || s->tree.crowded;
    return true;
}

// How far the motion at hand is from those before. Only whole motions are known of.
static void find_gone(void *user, size_t begin, size_t end, int thread)
{
    const dr_candidates *candidates = user;
    dr_contact_set *s = candidates->set;
    const double dt = candidates->bodies->compliance->dt, *velocity = candidates->bodies->velocity;
    bool new = s->places != s->seen_places;
    (void)thread;
    for (size_t e = begin; e < end; e++) {
        size_t v = (size_t)s->edge_vertex[e];
        bool whole = !candidates->share || candidates->share[s->edge_strand[e]] >= 1.0;
        double way = 0.0, d[3];
        for (size_t end = v; end < v + 2 && !new; end++) {
            dr_vec3_sub(d, velocity + 3 * end, s->seen + 3 * end);
            way = greater(way, dt * dr_vec3_length(d));
        }
        s->at[e] = new ? 0.0 : whole ? s->gone[e] + way : INFINITY;
    }
}

// The velocities of a strand: where they begin, how many numbers.
static size_t numbers_of(const dr_compliance *c, size_t strand, size_t *count)
{
    size_t from = 3 * (size_t)c->first[strand];
    *count = 3 * (size_t)c->first[strand + 1] - from;
    return from;
}

static void find_moved(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_candidates *candidates = user;
    dr_contact_set *s = candidates->set;
    for (size_t strand = begin; strand < end; strand++) {
        size_t count, from = numbers_of(candidates->bodies->compliance, strand, &count);
        s->moved[strand] = s->seen_edition != s->edition || (candidates->share && candidates->share[strand] < 1.0) ||
                           memcmp(s->seen + from, candidates->bodies->velocity + from, count * sizeof *s->seen) != 0;
    }
}

bool dr_candidates_recall(const dr_candidates *candidates, const dr_par *par)
{
    dr_contact_set *s = candidates->set;
    const dr_compliance *c = candidates->bodies->compliance;
    size_t vertices = dr_candidates_vertices(candidates->bodies);
    if (!dr_memory_reserve(s->allocator, (void **)&s->seen, &s->seen_capacity, 3 * vertices, sizeof *s->seen) ||
        !dr_memory_reserve(s->allocator, (void **)&s->moved, &s->moved_capacity, (size_t)c->strands,
                           sizeof *s->moved) ||
        !dr_memory_reserve(s->allocator, (void **)&s->gone, &s->gone_capacity, s->edge_count, sizeof *s->gone) ||
        !dr_memory_reserve(s->allocator, (void **)&s->at, &s->at_capacity, s->edge_count, sizeof *s->at) ||
        !dr_memory_reserve(s->allocator, (void **)&s->near, &s->near_flag_capacity, s->tree.pair_count,
                           sizeof *s->near))
        return false;
    dr_par_for(par, (size_t)c->strands, STRANDS, find_moved, (void *)(uintptr_t)candidates);
    dr_par_for(par, s->edge_count, 1024, find_gone, (void *)(uintptr_t)candidates);
    return true;
}

static void see_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_candidates *candidates = user;
    dr_contact_set *s = candidates->set;
    for (size_t strand = begin; strand < end; strand++) {
        size_t count, from = numbers_of(candidates->bodies->compliance, strand, &count);
        const int32_t *edge = s->edge_first + 2 * strand;
        memcpy(s->seen + from, candidates->bodies->velocity + from, count * sizeof *s->seen);
        memcpy(s->gone + edge[1], s->at + edge[1], (size_t)(edge[3] - edge[1]) * sizeof *s->gone);
    }
}

void dr_candidates_seen(const dr_candidates *candidates, const dr_par *par)
{
    dr_contact_set *s = candidates->set;
    dr_par_for(par, (size_t)candidates->bodies->compliance->strands, STRANDS, see_strands,
               (void *)(uintptr_t)candidates);
    s->seen_edition = s->edition;
    s->seen_places = s->places;
}

void dr_candidates_motion(const dr_candidates *job, const dr_tree_pair *pair, double x[12], double motion[12])
{
    const dr_contact_bodies *b = job->bodies;
    const uint32_t edges[2] = {pair->first, pair->second};
    for (int side = 0; side < 2; side++) {
        for (int end = 0; end < 2; end++) {
            size_t vertex = (size_t)(job->set->edge_vertex[edges[side]] + end);
            double *to = x + 6 * side + 3 * end, *by = motion + 6 * side + 3 * end;
            dr_vec3_copy(to, b->compliance->x + 3 * vertex);
            dr_candidates_way(job, job->set->edge_strand[edges[side]], vertex, by);
        }
    }
}

double dr_candidates_touching(const dr_candidates *candidates, const dr_tree_pair *pair)
{
    const double *first = candidates->bodies->radius + candidates->set->edge_vertex[pair->first];
    const double *second = candidates->bodies->radius + candidates->set->edge_vertex[pair->second];
    return fmax(first[0], first[1]) + fmax(second[0], second[1]);
}

bool dr_candidates_solid_motion(const dr_candidates *candidates, int32_t strand, size_t vertex, int solid, double reach,
                                double start[3], double motion[3])
{
    const dr_contact_bodies *b = candidates->bodies;
    const double *x = b->compliance->x + 3 * vertex;
    double dt = b->compliance->dt, end[3];
    if ((b->idle && b->idle[strand]) || (b->held && b->held[vertex])) return false;
    dr_candidates_way(candidates, strand, vertex, motion);
    dr_vec3_add(end, x, motion);
    double enough = reach + dr_vec3_length(motion) + dt * b->collider_speed;
    if (dr_collider_set_clearance(b->colliders, solid, end, enough) > enough) return false;
    dr_collider_surface surface = dr_collider_set_surface(b->colliders, solid, end);
    dr_vec3_add_scaled(start, x, dt, surface.velocity);
    dr_vec3_sub(motion, end, start);
    return true;
}

bool dr_candidates_meet_solid(const dr_collider_set *set, int solid, const double start[3], const double motion[3],
                              double reach, double slack, double *time)
{
    double way = dr_vec3_length(motion), at[3];
    *time = 0.0;
    for (int step = 0; step < MOST_STEPS; step++) {
        dr_vec3_add_scaled(at, start, *time, motion);
        double gap = dr_collider_set_clearance(set, solid, at, reach + slack + way) - reach;
        if (gap <= slack) return true;
        if (gap > (1.0 - *time) * way) return false;
        *time += gap / way;
    }
    return true;
}
