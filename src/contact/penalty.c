// docs/theory/contact.md eq. (22)-(28).
#include "contact/penalty.h"

#include "contact/candidates.h"
#include "geom/segment.h"
#include "math/vec.h"

#include <string.h>

#define WEIGHT 0.5 // both directions of a pair are found
#define WORK   400 // intervals of the integral

// ---- the force of a pair, (22)-(24)

static double bridge_force(const dr_contact_law *law, double radius, double distance, double area)
{
    if (!law->pair || area < DR_CONTACT_DRY) return 0.0;
    return law->surface_tension * dr_bridge_table_force(law->pair, radius, distance, area, NULL);
}

double dr_penalty_force(const dr_penalty *penalty, const dr_contact_law *law, double touching, double distance,
                        double area, double *secant)
{
    double rest = penalty->multiplier * touching, beyond = 2.0 * rest - touching, r = 0.5 * touching; // d_0, B
    double pull = bridge_force(law, r, beyond, area) / (beyond - rest), k; // f_s(B)/(B - d_0)
    if (distance < touching) {
        k = penalty->stiffness;
    } else if (distance < rest) {
        k = pull + (penalty->stiffness - pull) * (rest - distance) / (rest - touching);
    } else if (distance < beyond) {
        k = pull;
    } else {
        k = bridge_force(law, r, distance, area) / (distance - rest);
    }
    if (secant) *secant = k;
    return k * (distance - rest);
}

double dr_penalty_adhesion(const dr_penalty *penalty, const dr_contact_law *law, double touching, double area)
{
    double rest = penalty->multiplier * touching, sum = 0.0;
    double end = fmax(rest, touching + (1.0 + 0.5 * law->contact_angle) * sqrt(area)), step = (end - rest) / WORK;
    for (int i = 0; i < WORK; i++) sum += dr_penalty_force(penalty, law, touching, rest + step * (i + 0.5), area, NULL);
    return sum * step;
}

// ---- links: the closest point of another strand, one per vertex and strand

typedef struct job {
    dr_contact_set *set;
    const dr_contact_bodies *bodies;
    const dr_penalty *penalty;
    dr_candidates candidates;
    const dr_contact_record *old;
    size_t old_count;
} job;

static double search_radius(const job *job, int32_t vertex, int32_t other)
{
    const dr_contact_bodies *b = job->bodies;
    double touching = b->radius[vertex] + b->radius[other];
    double area = b->film ? b->film[vertex] + fmax(b->film[other], b->film[other + 1]) : 0.0;
    double wet = touching + (1.0 + 0.5 * dr_contact_widest_angle(b)) * sqrt(area);
    return 1.5 * fmax(wet, job->penalty->multiplier * touching);
}

// A vertex near an edge of another strand; force[0] holds the distance.
static bool link_to(const job *job, int32_t vertex, int32_t strand, int32_t edge, int32_t other,
                    dr_contact_record *link)
{
    const double *x = job->bodies->compliance->x + 3 * (size_t)vertex,
                 *a = job->bodies->compliance->x + 3 * (size_t)edge;
    double place = dr_segment_place(a, a + 3, x), d[3];
    for (int i = 0; i < 3; i++) d[i] = x[i] - a[i] - place * (a[3 + i] - a[i]);
    double distance = dr_vec3_length(d);
    if (distance > search_radius(job, vertex, edge)) return false;
    *link =
        (dr_contact_record){.strand = {strand, other}, .vertex = {vertex, edge}, .solid = -1, .place = {0.0, place}};
    link->force[0] = distance;
    return true;
}

// Both ends of either edge of a pair against the other edge. Gives how many.
static int link_pair(const job *job, const dr_tree_pair *pair, dr_contact_record out[4])
{
    const dr_contact_set *s = job->set;
    const uint32_t edges[2] = {pair->first, pair->second};
    int made = 0;
    if (s->edge_strand[edges[0]] == s->edge_strand[edges[1]]) return 0;
    for (int side = 0; side < 2; side++) {
        int32_t from = s->edge_vertex[edges[side]], to = s->edge_vertex[edges[1 - side]];
        int32_t strand = s->edge_strand[edges[side]], other = s->edge_strand[edges[1 - side]];
        for (int end = 0; end < 2; end++) made += link_to(job, from + end, strand, to, other, &out[made]);
    }
    return made;
}

static void count_links(void *user, size_t begin, size_t end, int thread)
{
    const job *job = user;
    dr_contact_record out[4];
    (void)thread;
    for (size_t i = begin; i < end; i++) job->set->found[i] = (uint8_t)link_pair(job, &job->set->tree.pairs[i], out);
}

static void fill_links(void *user, size_t begin, size_t end, int thread)
{
    const job *job = user;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        dr_contact_record out[4];
        int made = link_pair(job, &job->set->tree.pairs[i], out);
        if (made > 0) memcpy(job->set->links + job->set->starts[i], out, (size_t)made * sizeof *out);
    }
}

static bool reserve_links(dr_contact_set *s, size_t pairs, size_t *total)
{
    *total = 0;
    for (size_t i = 0; i < pairs; i++) {
        s->starts[i] = *total;
        *total += s->found[i];
    }
    return dr_memory_reserve(s->allocator, (void **)&s->links, &s->link_capacity, *total, sizeof *s->links) &&
           dr_memory_reserve(s->allocator, (void **)&s->items, &s->item_capacity, *total, sizeof *s->items) &&
           dr_memory_reserve(s->allocator, (void **)&s->spare, &s->spare_capacity, *total, sizeof *s->spare);
}

static uint64_t link_key(const dr_contact_record *link)
{
    return (uint64_t)link->vertex[0] << 32 | (uint32_t)link->strand[1];
}

// Of all links of a vertex to a strand the nearest stays.
static bool keep_nearest(dr_contact_set *s, size_t total)
{
    size_t keys = 0;
    for (size_t i = 0; i < total; i++) s->items[i] = (dr_sort_item){link_key(&s->links[i]), (uint32_t)i};
    dr_sort_items(s->items, s->spare, total);
    for (size_t i = 0; i < total; i++) keys += i == 0 || s->items[i].key != s->items[i - 1].key;
    s->near_count = 0;
    if (!dr_memory_reserve(s->allocator, (void **)&s->near_links, &s->near_capacity, keys, sizeof *s->near_links))
        return false;
    for (size_t i = 0; i < total; i++) {
        const dr_contact_record *link = &s->links[s->items[i].value];
        bool same = i > 0 && s->items[i].key == s->items[i - 1].key;
        if (!same) s->near_links[s->near_count++] = *link;
        dr_contact_record *best = &s->near_links[s->near_count - 1];
        if (link->force[0] < best->force[0]) *best = *link;
    }
    return true;
}

static bool find_links(job *job, const dr_par *par)
{
    dr_contact_set *s = job->set;
    size_t total;
    if (!dr_candidates_find(&job->candidates, par, false)) return false;
    size_t pairs = s->tree.pair_count;
    if (!dr_memory_reserve(s->allocator, (void **)&s->found, &s->found_capacity, pairs, sizeof *s->found) ||
        !dr_memory_reserve(s->allocator, (void **)&s->starts, &s->start_capacity, pairs, sizeof *s->starts))
        return false;
    dr_par_for(par, pairs, 256, count_links, job);
    if (!reserve_links(s, pairs, &total)) return false;
    dr_par_for(par, pairs, 256, fill_links, job);
    return keep_nearest(s, total);
}

// ---- which links hold liquid, (25)

static const dr_contact_record *find_link(const dr_contact_record *links, size_t count, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (link_key(&links[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && link_key(&links[low]) == key ? &links[low] : NULL;
}

static double area_at(const job *job, const dr_contact_record *link)
{
    const dr_contact_bodies *b = job->bodies;
    if (!b->film) return 0.0;
    double other =
        b->film[link->vertex[1]] + link->place[1] * (b->film[link->vertex[1] + 1] - b->film[link->vertex[1]]);
    int32_t mine = job->set->shares[link->vertex[0]];
    int32_t first = job->set->shares[link->vertex[1]], second = job->set->shares[link->vertex[1] + 1];
    int32_t theirs = link->place[1] < 0.5 ? first : second;
    return b->film[link->vertex[0]] / (mine > 1 ? mine : 1) + other / (theirs > 1 ? theirs : 1);
}

// A bridge forms when films touch and lasts until it ruptures.
static bool holds_liquid(const job *job, const dr_contact_record *link, double area)
{
    const dr_contact_bodies *b = job->bodies;
    int32_t v = link->vertex[0], w = link->vertex[1];
    if (!b->film || area < DR_CONTACT_DRY) return false;
    double touching = b->radius[v] + b->radius[w];
    double form = touching + dr_candidates_film_height(b->film[v], b->radius[v]) +
                  dr_candidates_film_height(b->film[w], b->radius[w]);
    double rupture = touching + (1.0 + 0.5 * dr_contact_law_between(b, link->strand)->contact_angle) * sqrt(area);
    const dr_contact_record *before = find_link(job->old, job->old_count, link_key(link));
    bool linked = before && before->force[1] > 0.0;
    return link->force[0] <= (linked ? fmax(form, rupture) : fmin(form, rupture));
}

// Counts the liquid links of every vertex in the last step, then decides those of this one.
static bool decide_liquid(job *job)
{
    dr_contact_set *s = job->set;
    size_t vertices = dr_candidates_vertices(job->bodies);
    if (!dr_memory_reserve(s->allocator, (void **)&s->shares, &s->share_capacity, vertices, sizeof *s->shares))
        return false;
    memset(s->shares, 0, vertices * sizeof *s->shares);
    for (size_t k = 0; k < job->old_count; k++) s->shares[job->old[k].vertex[0]] += job->old[k].force[1] > 0.0;
    for (size_t k = 0; k < s->near_count; k++) {
        dr_contact_record *link = &s->near_links[k];
        double area = area_at(job, link);
        link->force[1] = holds_liquid(job, link, area) ? 1.0 : 0.0;
        link->force[2] = area;
    }
    return true;
}

// ---- springs along an edge, (26)-(28)

static double range_of(const job *job, const dr_contact_record *link)
{
    const dr_contact_bodies *b = job->bodies;
    double touching = b->radius[link->vertex[0]] + b->radius[link->vertex[1]];
    double dry = job->penalty->multiplier * touching;
    if (!(link->force[1] > 0.0)) return dry;
    const dr_contact_law *law = dr_contact_law_between(b, link->strand);
    return fmax(dry, touching + (1.0 + 0.5 * law->contact_angle) * sqrt(link->force[2]));
}

// A spring at the middle of the part of the source edge that is in range. (27)
static bool make_spring(const job *job, int32_t edge, const dr_contact_record *link, const double part[2], double to,
                        dr_contact *contact)
{
    const dr_contact_bodies *b = job->bodies;
    const int *first = &b->compliance->first[link->strand[1]];
    double dt = b->compliance->dt, middle = 0.5 * (part[0] + part[1]), apart[3], length[3], secant;
    int32_t other = (int32_t)fmin(fmax(floor(to), first[0]), first[1] - 2);
    *contact = (dr_contact){.strand = {link->strand[0], link->strand[1]},
                            .vertex = {edge, other},
                            .place = {middle, fmin(fmax(to - other, 0.0), 1.0)},
                            .solid = -1,
                            .spring = true};
    const double *x = job->bodies->compliance->x + 3 * (size_t)edge,
                 *y = job->bodies->compliance->x + 3 * (size_t)other;
    for (int a = 0; a < 3; a++) {
        apart[a] = x[a] + middle * (x[3 + a] - x[a]) - y[a] - contact->place[1] * (y[3 + a] - y[a]);
        length[a] = x[3 + a] - x[a];
    }
    contact->touching = b->radius[edge] + b->radius[other];
    contact->distance = dr_vec3_normalize(contact->frame, apart, (double[3]){0.0, 1.0, 0.0});
    dr_contact_frame(contact);
    double area = link->force[1] > 0.0 ? link->force[2] : 0.0, exposed = dr_contact_exposure(b, contact);
    dr_contact_law law = *dr_contact_law_between(b, link->strand);
    law.surface_tension *= exposed;
    dr_penalty_force(job->penalty, &law, contact->touching, contact->distance, area, &secant);
    double own = WEIGHT * (part[1] - part[0]) * dr_vec3_length(length), whole = own * secant;
    for (int way = 0; way < 4 && area > 0.0; way++) contact->wet[way] = 0.5 * exposed * own;
    if (!(whole > 0.0)) return false;
    contact->compliance = 1.0 / (dt * dt * whole);
    contact->gap = contact->distance - job->penalty->multiplier * contact->touching;
    contact->least = -contact->gap / dt; // (28)
    const dr_contact_record *before =
        find_link(job->old, job->old_count, (uint64_t)edge << 32 | (uint32_t)link->strand[1]);
    contact->impulse[0] = before && before->place[0] != 0.0
                              ? dt * before->place[0]
                              : contact->least / contact->compliance; // as if it stood still
    return true;
}

// The links of both ends of an edge to one strand; either may be missing.
static bool join_ends(const job *job, int32_t edge, const dr_contact_record *first, const dr_contact_record *second,
                      dr_contact *contact)
{
    const dr_contact_record *known = first ? first : second;
    const double *x = job->bodies->compliance->x;
    double gap[2], to[2], part[2] = {0.0, 1.0};
    for (int end = 0; end < 2; end++) {
        const dr_contact_record *link = end ? second : first;
        double distance = link ? link->force[0] : 0.0;
        if (!link) { // its distance to the edge that the other end is linked to
            const double *p = x + 3 * (size_t)(edge + end), *a = x + 3 * (size_t)known->vertex[1];
            double t = dr_segment_place(a, a + 3, p), d[3];
            for (int i = 0; i < 3; i++) d[i] = p[i] - a[i] - t * (a[3 + i] - a[i]);
            distance = dr_vec3_length(d);
            to[end] = known->vertex[1] + t;
        } else {
            to[end] = link->vertex[1] + link->place[1];
        }
        gap[end] = range_of(job, link ? link : known) - distance;
    }
    if (gap[0] <= 0.0 && gap[1] <= 0.0) return false;
    if (gap[0] <= 0.0) part[0] = gap[0] / (gap[0] - gap[1]);
    if (gap[1] <= 0.0) part[1] = gap[0] / (gap[0] - gap[1]);
    const dr_contact_record *nearer = !first ? second : !second ? first : gap[0] >= gap[1] ? first : second;
    dr_contact_record mean = *nearer;
    if (first && second) mean.force[2] = 0.5 * (first->force[2] + second->force[2]);
    double middle = 0.5 * (part[0] + part[1]);
    if (!make_spring(job, edge, &mean, part, to[0] + middle * (to[1] - to[0]), contact)) return false;
    return true;
}

// Where the links of a vertex begin in the sorted list.
static void index_links(dr_contact_set *s, size_t vertices)
{
    size_t at = 0;
    for (size_t v = 0; v <= vertices; v++) {
        while (at < s->near_count && (size_t)s->near_links[at].vertex[0] < v) at++;
        s->index[v] = at;
    }
}

// Links of both ends of an edge to the same strand belong together.
static size_t make_edge(job *job, int32_t edge, bool fill)
{
    dr_contact_set *s = job->set;
    size_t i = s->index[edge], j = s->index[edge + 1], i_end = j, j_end = s->index[edge + 2], found = 0;
    for (; i < i_end || j < j_end; found++) {
        const dr_contact_record *first = i < i_end ? &s->near_links[i] : NULL;
        const dr_contact_record *second = j < j_end ? &s->near_links[j] : NULL;
        if (first && second && first->strand[1] < second->strand[1]) second = NULL;
        if (first && second && first->strand[1] > second->strand[1]) first = NULL;
        if (first) i++;
        if (second) j++;
        if (fill && join_ends(job, edge, first, second, &s->contacts[s->count])) s->count++;
    }
    return found;
}

static bool make_springs(job *job)
{
    dr_contact_set *s = job->set;
    size_t vertices = dr_candidates_vertices(job->bodies), most = 0;
    if (!dr_memory_reserve(s->allocator, (void **)&s->index, &s->index_capacity, vertices + 2, sizeof *s->index))
        return false;
    index_links(s, vertices);
    s->index[vertices + 1] = s->near_count;
    s->count = 0;
    for (size_t e = 0; e < s->edge_count; e++) most += make_edge(job, s->edge_vertex[e], false);
    if (!dr_memory_reserve(s->allocator, (void **)&s->contacts, &s->capacity, most, sizeof *s->contacts)) return false;
    for (size_t e = 0; e < s->edge_count; e++) make_edge(job, s->edge_vertex[e], true);
    return true;
}

void dr_penalty_keep(dr_contact_set *s, double dt)
{
    for (size_t k = 0; k < s->count; k++) {
        const dr_contact *contact = &s->contacts[k];
        if (!contact->spring) continue;
        size_t from = s->index[contact->vertex[0]], to = s->index[contact->vertex[0] + 1];
        for (size_t i = from; i < to; i++) {
            if (s->near_links[i].strand[1] == contact->strand[1]) s->near_links[i].place[0] = contact->impulse[0] / dt;
        }
    }
}

bool dr_penalty_find(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies, const dr_penalty *penalty,
                     const dr_contact_record *links, size_t link_count)
{
    job job = {set,   bodies,    penalty, {set, bodies, NULL, NULL, false, fmax(DR_CONTACT_WIDE, penalty->multiplier)},
               links, link_count};
    return find_links(&job, par) && decide_liquid(&job) && make_springs(&job);
}
