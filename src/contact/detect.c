// The contacts of a step: all meetings, sorted, without doubles, with what is left of the last step's.
// docs/theory/contact.md eq. (16)-(20).
#include "contact/narrow_phase.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

#define GRAIN    64
#define VERTICES 4096 // of a piece of work that only indexes them
#define DOUBLE   0.3  // of an edge: contacts so near to each other are one
#define ALIKE    0.9  // cosine between their normals
#define FAR      4    // edges: twice as far as the liquid of a contact is looked for

void dr_contact_set_open(dr_contact_set *set, const dr_allocator *allocator)
{
    *set = (dr_contact_set){.allocator = allocator, .places = 1};
    dr_tree_open(&set->tree, allocator);
}

void dr_contact_set_close(dr_contact_set *s)
{
    const dr_allocator *a = s->allocator;
    dr_memory_free(a, s->contacts, s->capacity * sizeof *s->contacts);
    dr_memory_free(a, s->edge_vertex, s->edge_vertex_capacity * sizeof *s->edge_vertex);
    dr_memory_free(a, s->edge_strand, s->edge_strand_capacity * sizeof *s->edge_strand);
    dr_memory_free(a, s->edge_first, s->edge_first_capacity * sizeof *s->edge_first);
    dr_memory_free(a, s->middles, s->middle_capacity * sizeof *s->middles);
    dr_memory_free(a, s->seen, s->seen_capacity * sizeof *s->seen);
    dr_memory_free(a, s->moved, s->moved_capacity * sizeof *s->moved);
    dr_memory_free(a, s->gone, s->gone_capacity * sizeof *s->gone);
    dr_memory_free(a, s->at, s->at_capacity * sizeof *s->at);
    dr_memory_free(a, s->solid_spare, s->solid_spare_capacity * sizeof *s->solid_spare);
    dr_memory_free(a, s->solid_seen, s->solid_seen_capacity * sizeof *s->solid_seen);
    dr_memory_free(a, s->near, s->near_flag_capacity * sizeof *s->near);
    dr_memory_free(a, s->strays, s->strays_capacity * sizeof *s->strays);
    dr_memory_free(a, s->strayed, s->strayed_capacity * sizeof *s->strayed);
    dr_memory_free(a, s->corridors, s->corridor_capacity * sizeof *s->corridors);
    dr_memory_free(a, s->boxes, s->box_capacity * sizeof *s->boxes);
    dr_memory_free(a, s->found, s->found_capacity * sizeof *s->found);
    dr_memory_free(a, s->starts, s->start_capacity * sizeof *s->starts);
    dr_memory_free(a, s->fresh, s->fresh_capacity * sizeof *s->fresh);
    dr_memory_free(a, s->items, s->item_capacity * sizeof *s->items);
    dr_memory_free(a, s->spare, s->spare_capacity * sizeof *s->spare);
    dr_memory_free(a, s->shares, s->share_capacity * sizeof *s->shares);
    dr_memory_free(a, s->index, s->index_capacity * sizeof *s->index);
    dr_memory_free(a, s->links, s->link_capacity * sizeof *s->links);
    dr_memory_free(a, s->near_links, s->near_capacity * sizeof *s->near_links);
    dr_memory_free(a, s->times, s->time_capacity * sizeof *s->times);
    dr_memory_free(a, s->zones, s->zone_capacity * sizeof *s->zones);
    dr_tree_close(&s->tree);
    *s = (dr_contact_set){.allocator = a};
}

// ---- records of the last step

// Where what is sorted by vertex begins for each of them.
typedef struct indexing {
    const char *item; // the vertex of the first one
    size_t bytes, count;
    size_t *index;
} indexing;

static size_t vertex_of(const indexing *job, size_t item)
{
    return (size_t) * (const int32_t *)(const void *)(job->item + job->bytes * item);
}

static size_t first_from(const indexing *job, size_t vertex)
{
    size_t low = 0, high = job->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (vertex_of(job, middle) < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void index_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const indexing *job = user;
    size_t at = first_from(job, begin);
    for (size_t v = begin; v < end; v++) {
        while (at < job->count && vertex_of(job, at) < v) at++;
        job->index[v] = at;
    }
}

static bool index_records(dr_narrow_phase *job, const dr_par *par, size_t count)
{
    dr_contact_set *s = job->set;
    size_t vertices = dr_candidates_vertices(job->bodies);
    if (!dr_memory_reserve(s->allocator, (void **)&s->index, &s->index_capacity, vertices + 1, sizeof *s->index) ||
        !dr_memory_reserve(s->allocator, (void **)&s->shares, &s->share_capacity, vertices, sizeof *s->shares))
        return false;
    indexing index = {count ? (const char *)&job->records->vertex[0] : NULL, sizeof *job->records, count, s->index};
    dr_par_for(par, vertices + 1, VERTICES, index_vertices, &index);
    memset(s->shares, 0, vertices * sizeof *s->shares);
    for (size_t k = 0; k < count; k++) {
        for (int side = 0; side < 2; side++) {
            if (job->records[k].vertex[side] >= 0) s->shares[job->records[k].vertex[side]]++;
        }
    }
    return true;
}

// ---- counting, then filling

// The contacts of a pair; in later looks those alone that the motion violates: the others would say nothing new.
static int find_contacts(const dr_narrow_phase *job, const dr_tree_pair *pair, dr_touch_look *look,
                         dr_contact out[DR_TOUCH_MOST])
{
    int made = dr_narrow_phase_edges(job, pair, look, out), kept = 0;
    if (!job->again) return made;
    for (int i = 0; i < made; i++) {
        if (!dr_narrow_phase_violates(&out[i], job->bodies)) continue;
        if (kept < i) out[kept] = out[i];
        kept++;
    }
    return kept;
}

// Pairs whose motion has been looked at already make nothing new.
static void count_pairs(void *user, size_t begin, size_t end, int thread)
{
    const dr_narrow_phase *job = user;
    dr_contact_set *s = job->set;
    dr_contact out[DR_TOUCH_MOST];
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        dr_tree_pair *pair = &s->tree.pairs[i];
        dr_touch_look look = {false, 0.0};
        s->found[i] = 0;
        if (!dr_candidates_moved(&job->candidates, pair)) continue;
        if (!dr_candidates_keep_apart(&job->candidates, pair)) {
            s->found[i] = (uint8_t)find_contacts(job, pair, &look, out);
            pair->until = s->at[pair->first] + s->at[pair->second] + look.spare;
        }
        s->near[i] = look.near;
    }
}

static void fill_pairs(void *user, size_t begin, size_t end, int thread)
{
    const dr_narrow_phase *job = user;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        if (job->set->found[i] == 0) continue;
        dr_contact out[DR_TOUCH_MOST];
        dr_touch_look look;
        int made = find_contacts(job, &job->set->tree.pairs[i], &look, out);
        memcpy(job->set->fresh + job->set->starts[i], out, (size_t)made * sizeof *out);
    }
}

// Whether nothing of a vertex and its edge comes near a collider: known from the last look at a motion from the same
// places, or found out.
static bool is_far(const dr_narrow_phase *job, size_t v, int32_t strand)
{
    dr_contact_set *s = job->set;
    const double dt = job->bodies->compliance->dt, *velocity = job->bodies->velocity;
    bool known = s->solid_places == s->places, tip = (int)v + 1 >= job->bodies->compliance->first[strand + 1];
    double moved = 0.0, d[3];
    for (size_t i = 3 * v; i < 3 * v + (tip ? 3 : 6) && known; i += 3) {
        dr_vec3_sub(d, velocity + i, s->solid_seen + i);
        moved = fmax(moved, dt * dr_vec3_length(d));
    }
    s->solid_spare[v] = known ? s->solid_spare[v] - 3.0 * moved : 0.0;
    if (!(s->solid_spare[v] > 0.0)) s->solid_spare[v] = dr_narrow_phase_solids_spare(job, v, strand);
    return s->solid_spare[v] > 0.0;
}

static bool recall_solids(dr_contact_set *s, size_t vertices)
{
    return dr_memory_reserve(s->allocator, (void **)&s->solid_spare, &s->solid_spare_capacity, vertices,
                             sizeof *s->solid_spare) &&
           dr_memory_reserve(s->allocator, (void **)&s->solid_seen, &s->solid_seen_capacity, 3 * vertices,
                             sizeof *s->solid_seen);
}

static void for_strands(const dr_narrow_phase *job, size_t begin, size_t end, bool fill)
{
    const dr_compliance *c = job->bodies->compliance;
    size_t pairs = job->pairs;
    for (size_t s = begin; s < end; s++) {
        for (size_t v = (size_t)c->first[s]; v < (size_t)c->first[s + 1]; v++) {
            if (!fill)
                job->set->found[pairs + v] =
                    is_far(job, v, (int32_t)s) ? 0 : (uint8_t)dr_narrow_phase_solids(job, v, (int32_t)s, NULL);
            else if (job->set->found[pairs + v])
                dr_narrow_phase_solids(job, v, (int32_t)s, job->set->fresh + job->set->starts[pairs + v]);
        }
    }
}

static void count_solids(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for_strands(user, begin, end, false);
}

static void fill_solids(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for_strands(user, begin, end, true);
}

// All contacts of the motion into set->fresh, in the order of pairs and then of vertices. Gives how many, or SIZE_MAX.
static size_t find_fresh(dr_narrow_phase *job, const dr_par *par, size_t pairs)
{
    dr_contact_set *s = job->set;
    size_t vertices = dr_candidates_vertices(job->bodies), strands = (size_t)job->bodies->compliance->strands;
    job->pairs = pairs;
    bool solids = job->bodies->colliders && dr_collider_set_count(job->bodies->colliders) > 0;
    size_t items = pairs + (solids ? vertices : 0), total = 0;
    if (!dr_memory_reserve(s->allocator, (void **)&s->found, &s->found_capacity, DR_TOUCH_MOST * items,
                           sizeof *s->found) ||
        !dr_memory_reserve(s->allocator, (void **)&s->starts, &s->start_capacity, items, sizeof *s->starts))
        return SIZE_MAX;
    if (pairs > 0 && !dr_candidates_recall(&job->candidates, par)) return SIZE_MAX;
    dr_par_for(par, pairs, GRAIN, count_pairs, job);
    if (pairs > 0) dr_candidates_seen(&job->candidates, par);
    if (solids && !recall_solids(s, vertices)) return SIZE_MAX;
    if (solids) dr_par_for(par, strands, 8, count_solids, job);
    if (solids) {
        memcpy(s->solid_seen, job->bodies->velocity, 3 * vertices * sizeof *s->solid_seen);
        s->solid_places = s->places;
    }
    for (size_t i = 0; i < items; i++) {
        s->starts[i] = total;
        total += s->found[i];
    }
    if (!dr_memory_reserve(s->allocator, (void **)&s->fresh, &s->fresh_capacity, total, sizeof *s->fresh))
        return SIZE_MAX;
    dr_par_for(par, pairs, GRAIN, fill_pairs, job);
    if (solids) dr_par_for(par, strands, 8, fill_solids, job);
    return total;
}

// ---- order and duplicates

static uint64_t key_of(const dr_contact *contact)
{
    uint32_t second = contact->solid >= 0 ? UINT32_MAX - (uint32_t)contact->solid : (uint32_t)contact->vertex[1];
    return (uint64_t)contact->vertex[0] << 32 | second;
}

// The same vertices or the same edges of both strands.
static bool same_place(const dr_contact *p, const dr_contact *q)
{
    if (key_of(p) != key_of(q)) return false;
    if (p->solid >= 0 && p->place[0] == q->place[0]) return true;
    for (int side = 0; side < 2; side++) {
        bool corner = p->place[side] == 0.0, other = q->place[side] == 0.0;
        if (corner != other) return false;
        if (!corner && fabs(p->place[side] - q->place[side]) > 0.25) return false;
    }
    return true;
}

static bool sort_fresh(dr_contact_set *s, size_t total)
{
    if (!dr_memory_reserve(s->allocator, (void **)&s->items, &s->item_capacity, total, sizeof *s->items) ||
        !dr_memory_reserve(s->allocator, (void **)&s->spare, &s->spare_capacity, total, sizeof *s->spare))
        return false;
    for (size_t i = 0; i < total; i++) s->items[i] = (dr_sort_item){key_of(&s->fresh[i]), (uint32_t)i};
    dr_sort_items(s->items, s->spare, total);
    return true;
}

// Appends what is not there yet; of two that say the same the narrower gap stays.
static void append(dr_contact_set *s, size_t group, const dr_contact *contact)
{
    for (size_t k = s->count; k-- > group;) {
        if (!same_place(&s->contacts[k], contact)) continue;
        if (contact->gap < s->contacts[k].gap) s->contacts[k] = *contact;
        return;
    }
    s->contacts[s->count++] = *contact;
}

static bool merge_fresh(dr_contact_set *s, size_t total)
{
    if (!sort_fresh(s, total) ||
        !dr_memory_reserve(s->allocator, (void **)&s->contacts, &s->capacity, total, sizeof *s->contacts))
        return false;
    s->count = 0;
    size_t group = 0;
    for (size_t i = 0; i < total; i++) {
        if (i == 0 || s->items[i].key != s->items[i - 1].key) group = s->count;
        append(s, group, &s->fresh[s->items[i].value]);
    }
    return true;
}

// Contacts of two strands that say nearly the same.
static bool is_double(const dr_contact *p, const dr_contact *q)
{
    return p->strand[0] == q->strand[0] && p->strand[1] == q->strand[1] && p->solid < 0 && q->solid < 0 &&
           fabs(p->vertex[0] + p->place[0] - q->vertex[0] - q->place[0]) < DOUBLE &&
           fabs(p->vertex[1] + p->place[1] - q->vertex[1] - q->place[1]) < DOUBLE &&
           dr_vec3_dot(p->frame, q->frame) > ALIKE;
}

// Of those the one with the narrowest gap stays. Contacts are sorted by vertex.
static void drop_doubles(dr_contact_set *s)
{
    size_t kept = 0, from = 0;
    for (size_t k = 0; k < s->count; k++) {
        const dr_contact *contact = &s->contacts[k];
        bool stays = true;
        while (from < k && s->contacts[from].vertex[0] + 1 < contact->vertex[0]) from++;
        for (size_t i = from; i < s->count && stays; i++) {
            const dr_contact *other = &s->contacts[i];
            if (other->vertex[0] > contact->vertex[0] + 1) break;
            bool first = other->gap < contact->gap || (other->gap == contact->gap && i < k);
            stays = i == k || !first || !is_double(other, contact);
        }
        s->found[k] = stays;
    }
    for (size_t k = 0; k < s->count; k++) {
        if (s->found[k]) s->contacts[kept++] = s->contacts[k];
    }
    s->count = kept;
}

// ---- the length over which liquid pulls

// How far on along a strand another contact is, as far as it is nearer than a limit; negative: back.
static double way_between(const dr_contact_bodies *bodies, const dr_contact *from, const dr_contact *to, int side,
                          double limit)
{
    int32_t low = from->vertex[side], high = to->vertex[side];
    double sign = low <= high ? 1.0 : -1.0, place[2] = {from->place[side], to->place[side]}, sum = 0.0;
    if (low > high) {
        low = to->vertex[side];
        high = from->vertex[side];
        place[0] = to->place[side];
        place[1] = from->place[side];
    }
    for (int32_t v = low; v <= high && sum <= limit; v++) {
        const double *x = bodies->compliance->x + 3 * (size_t)v;
        double d[3], part = (v == high ? place[1] : 1.0) - (v == low ? place[0] : 0.0);
        if (part == 0.0) continue;
        dr_vec3_sub(d, x + 3, x);
        sum += part * dr_vec3_length(d);
    }
    return sign * sum;
}

// The liquid between two contacts of the same strands, near each other on both, belongs half to either.
static void halve_ways(const dr_contact_bodies *bodies, const dr_contact *other, dr_contact *contact)
{
    double limit = 2.0 * dr_narrow_phase_span(bodies, contact), way[2];
    for (int side = 0; side < 2; side++) {
        way[side] = way_between(bodies, contact, other, side, limit);
        if (fabs(way[side]) > limit) return;
    }
    for (int side = 0; side < 2; side++) {
        double *wet = contact->wet + 2 * side + (way[side] > 0.0);
        if (way[side] != 0.0) *wet = fmin(*wet, 0.5 * fabs(way[side]));
    }
}

// Gives contacts, of these such as are flagged, their lengths: pull was that of a centimetre. (19)
static void find_lengths(dr_contact_set *s, const dr_contact_bodies *bodies, const uint8_t *fresh)
{
    size_t from = 0;
    for (size_t k = 0; k < s->count; k++) {
        dr_contact *contact = &s->contacts[k];
        if (!(contact->pull > 0.0) || (fresh && !fresh[k])) continue;
        while (from < k && s->contacts[from].vertex[0] + FAR < contact->vertex[0]) from++;
        for (size_t i = from; i < s->count && contact->solid < 0; i++) {
            const dr_contact *other = &s->contacts[i];
            if (other->vertex[0] > contact->vertex[0] + FAR) break;
            bool beside = i != k && other->strand[0] == contact->strand[0] && other->strand[1] == contact->strand[1] &&
                          other->pull > 0.0 && other->solid < 0;
            if (beside) halve_ways(bodies, other, contact);
        }
    }
    for (size_t k = 0; k < s->count; k++) {
        dr_contact *contact = &s->contacts[k];
        if (!(contact->pull > 0.0) || (fresh && !fresh[k])) continue;
        double first = contact->wet[0] + contact->wet[1], second = contact->wet[2] + contact->wet[3];
        contact->pull *= contact->solid < 0 ? 0.5 * (first + second) : first;
    }
}

// The contact that is nearest to a record and within an edge of it, among those sorted by vertex; NULL: there is none.
static dr_contact *find_heir(const dr_narrow_phase *job, const dr_contact_record *r)
{
    const dr_contact_set *s = job->set;
    const dr_compliance *c = job->bodies->compliance;
    int32_t from = r->vertex[0] > c->first[r->strand[0]] ? r->vertex[0] - 1 : r->vertex[0];
    int32_t to = r->vertex[0] + 1 < c->first[r->strand[0] + 1] ? r->vertex[0] + 2 : r->vertex[0] + 1;
    dr_contact *best = NULL;
    double nearest = 1.0;
    for (size_t k = s->index[from]; k < s->index[to]; k++) {
        dr_contact *contact = &s->contacts[k];
        if (contact->strand[1] != r->strand[1] || contact->solid != r->solid) continue;
        double off = fabs(contact->vertex[0] + contact->place[0] - r->vertex[0] - r->place[0]);
        if (r->solid < 0) off = fmax(off, fabs(contact->vertex[1] + contact->place[1] - r->vertex[1] - r->place[1]));
        if (off < nearest) {
            nearest = off;
            best = contact;
        }
    }
    return best;
}

// Into the cone: what an impulse may be.
static void trim(dr_contact *contact)
{
    double *impulse = contact->impulse, along = hypot(impulse[1], impulse[2]);
    if (impulse[0] <= 0.0) memset(impulse, 0, sizeof contact->impulse);
    double limit = contact->friction * impulse[0];
    for (int a = 1; a < 3 && along > limit; a++) impulse[a] *= limit / along;
}

// Every force of the last step goes to one contact, so that none is counted twice. What is not known to act does not:
// the pull of a contact is held.
static void warm_start(const dr_narrow_phase *job, const dr_par *par, size_t record_count)
{
    dr_contact_set *s = job->set;
    double dt = job->bodies->compliance->dt;
    indexing index = {s->count ? (const char *)&s->contacts->vertex[0] : NULL, sizeof *s->contacts, s->count, s->index};
    dr_par_for(par, dr_candidates_vertices(job->bodies) + 1, VERTICES, index_vertices, &index);
    for (size_t k = 0; k < record_count; k++) {
        dr_contact *heir = find_heir(job, &job->records[k]);
        for (int a = 0; heir && a < 3; a++)
            heir->impulse[a] += dt * dr_vec3_dot(heir->frame + 3 * a, job->records[k].force);
    }
    for (size_t k = 0; k < s->count; k++) {
        s->contacts[k].impulse[0] += s->contacts[k].pull;
        trim(&s->contacts[k]);
    }
}

bool dr_contact_set_find(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies,
                         const dr_contact_record *records, size_t record_count)
{
    dr_narrow_phase job = {set, bodies, {set, bodies, NULL, NULL, true, DR_CONTACT_WIDE}, records, true, 0, false};
    if (!index_records(&job, par, record_count) || !dr_candidates_find(&job.candidates, par, false)) return false;
    set->edition++;
    set->places++;
    size_t total = find_fresh(&job, par, set->tree.pair_count);
    if (total == SIZE_MAX || !merge_fresh(set, total)) return false;
    drop_doubles(set);
    find_lengths(set, bodies, NULL);
    warm_start(&job, par, record_count);
    return true;
}

#define ASIDE  0.02   // of an edge: so far away a contact is another one
#define TILTED 0.9986 // cosine of three degrees, likewise

static bool differs(const dr_contact *p, const dr_contact *q)
{
    return fabs(p->place[0] - q->place[0]) > ASIDE || fabs(p->place[1] - q->place[1]) > ASIDE ||
           dr_vec3_dot(p->frame, q->frame) < TILTED;
}

// Takes a contact in that the motion violates. Where edges slide and turn against each other within the step, the first
// meeting does not tell all: the same pair may need another place and normal.
static void take_in(dr_contact_set *set, size_t group, const dr_contact *contact)
{
    bool known = false;
    for (size_t k = group; k < set->count; k++) {
        if (!same_place(&set->contacts[k], contact)) continue;
        known = true;
        if (!differs(&set->contacts[k], contact)) return;
    }
    set->found[set->count] = 1;
    dr_contact *fresh = &set->contacts[set->count++];
    *fresh = *contact;
    if (known) fresh->pull = 0.0;
    set->added++;
}

// Makes room for what was found beside the contacts that are known, which go aside.
static bool set_aside(dr_contact_set *set, size_t known, size_t total)
{
    if (!dr_memory_reserve(set->allocator, (void **)&set->fresh, &set->fresh_capacity, total + known,
                           sizeof *set->fresh) ||
        !sort_fresh(set, total) ||
        !dr_memory_reserve(set->allocator, (void **)&set->contacts, &set->capacity, total + known,
                           sizeof *set->contacts) ||
        !dr_memory_reserve(set->allocator, (void **)&set->found, &set->found_capacity, total + known,
                           sizeof *set->found))
        return false;
    if (known) memcpy(set->fresh + total, set->contacts, known * sizeof *set->fresh);
    return true;
}

// Contacts that are known keep their place and impulse; the new ones are sorted in, behind those of the same key.
bool dr_contact_set_extend(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies)
{
    dr_narrow_phase job = {set, bodies, {set, bodies, NULL, NULL, false, DR_CONTACT_WIDE}, NULL, false, 0, true};
    set->added = 0;
    if (!dr_candidates_find(&job.candidates, par, true)) return false;
    size_t total = find_fresh(&job, par, set->tree.pair_count), known = set->count, old = 0, new = 0;
    if (total == SIZE_MAX) return false;
    if (total == 0) return true;
    if (!set_aside(set, known, total)) return false;
    set->count = 0;
    size_t group = 0;
    uint64_t last = UINT64_MAX;
    while (old < known || new < total) {
        bool is_old = old < known && (new == total || key_of(&set->fresh[total + old]) <= set->items[new].key);
        const dr_contact *contact = &set->fresh[is_old ? total + old++ : set->items[new ++].value];
        if (key_of(contact) != last) group = set->count;
        last = key_of(contact);
        if (is_old) {
            set->found[set->count] = 0;
            set->contacts[set->count++] = *contact;
        } else {
            take_in(set, group, contact);
        }
    }
    find_lengths(set, bodies, set->found);
    for (size_t k = 0; k < set->count; k++) {
        if (set->found[k]) set->contacts[k].impulse[0] = set->contacts[k].pull;
    }
    return true;
}

bool dr_contact_set_add_solids(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies)
{
    dr_narrow_phase job = {set, bodies, {set, bodies, NULL, NULL, false, DR_CONTACT_WIDE}, NULL, false, 0, false};
    set->places++;
    size_t total = find_fresh(&job, par, 0);
    if (total == SIZE_MAX || !dr_memory_reserve(set->allocator, (void **)&set->contacts, &set->capacity,
                                                set->count + total, sizeof *set->contacts))
        return false;
    if (total) memcpy(set->contacts + set->count, set->fresh, total * sizeof *set->fresh);
    for (size_t k = set->count; k < set->count + total; k++)
        set->contacts[k].pull *= set->contacts[k].wet[0] + set->contacts[k].wet[1];
    set->count += total;
    return true;
}

void dr_contact_set_warm_solids(dr_contact_set *set, double dt, const dr_contact_record *records, size_t count)
{
    size_t at = 0;
    for (size_t k = 0; k < set->count; k++) {
        dr_contact *contact = &set->contacts[k];
        if (contact->solid < 0) continue;
        contact->impulse[0] = contact->pull;
        while (at < count && records[at].vertex[0] < contact->vertex[0]) at++;
        for (size_t i = at; i < count && records[i].vertex[0] == contact->vertex[0]; i++) {
            if (records[i].solid != contact->solid || fabs(records[i].place[0] - contact->place[0]) > DOUBLE) continue;
            for (int a = 0; a < 3; a++)
                contact->impulse[a] += dt * dr_vec3_dot(contact->frame + 3 * a, records[i].force);
            break;
        }
        trim(contact);
    }
}

void dr_contact_set_record(const dr_contact_set *set, double dt, dr_contact_record *records)
{
    for (size_t k = 0; k < set->count; k++) {
        const dr_contact *c = &set->contacts[k];
        dr_contact_record *r = &records[k];
        memset(r, 0, sizeof *r);
        for (int side = 0; side < 2; side++) {
            r->strand[side] = c->strand[side];
            r->vertex[side] = c->vertex[side];
            r->place[side] = c->place[side];
        }
        r->solid = c->solid;
        double local[3] = {c->impulse[0] - c->pull, c->impulse[1], c->impulse[2]};
        for (int a = 0; a < 3; a++)
            r->force[a] = (c->frame[a] * local[0] + c->frame[3 + a] * local[1] + c->frame[6 + a] * local[2]) / dt;
    }
}

// ---- liquids

const dr_contact_law *dr_contact_law_of(const dr_contact_bodies *bodies, int32_t strand)
{
    return bodies->laws ? &bodies->laws[bodies->kind[strand]] : bodies->law;
}

const dr_contact_law *dr_contact_law_between(const dr_contact_bodies *bodies, const int32_t strand[2])
{
    const dr_contact_law *first = dr_contact_law_of(bodies, strand[0]);
    const dr_contact_law *second = strand[1] < 0 ? first : dr_contact_law_of(bodies, strand[1]);
    if (!first->pair || !second->pair) return first->pair ? first : second;
    return second->surface_tension < first->surface_tension ? second : first;
}

double dr_contact_exposure(const dr_contact_bodies *bodies, const dr_contact *contact)
{
    double sum = 0.0;
    int sides = dr_contact_is_external(contact) ? 1 : 2;
    if (!bodies->exposed) return 1.0;
    for (int side = 0; side < sides; side++) {
        const double *at = bodies->exposed + contact->vertex[side], place = contact->place[side];
        sum += place > 0.0 ? (1.0 - place) * at[0] + place * at[1] : at[0];
    }
    return sum / sides;
}

double dr_contact_widest_angle(const dr_contact_bodies *bodies)
{
    if (bodies->angle_known) return bodies->widest_angle;
    double widest = bodies->law->contact_angle;
    for (int i = 0; bodies->laws && i < bodies->law_count; i++) widest = fmax(widest, bodies->laws[i].contact_angle);
    return widest;
}
