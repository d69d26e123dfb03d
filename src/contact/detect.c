// docs/theory/contact.md eq. (1)-(4), (16)-(20).
#include "contact/candidates.h"

#include "geom/segment.h"
#include "math/vec.h"

#include <string.h>

#define GRAIN        64
#define MARGIN       DR_CONTACT_MARGIN
#define SLACK        DR_CONTACT_SLACK
#define PARALLEL     0.1   // sine below which edges touch along a line
#define SNAP         1e-6  // of an edge: so near to its end is there
#define NEXT_TO      0.02  // of an edge: contacts so near to each other are one
#define PUSH         0.2   // share of an overlap that is taken back in a step
#define MOST_PUSH    0.1   // of the touching distance, in a step
#define APPROACHING  -1e-4 // normal velocity, cm/s
#define DRY          DR_CONTACT_DRY
#define DOWNHILL     0.05 // slope at which a strand comes nearer to another
#define DOUBLE       0.3  // of an edge: dry contacts so near to each other are one
#define ALIKE        0.9  // cosine between their normals
#define MOST_OF_PAIR 3
#define STICKY       1e6 // friction of a sticky collider

void dr_contact_set_open(dr_contact_set *set, const dr_allocator *allocator)
{
    *set = (dr_contact_set){.allocator = allocator};
    dr_tree_open(&set->tree, allocator);
}

void dr_contact_set_close(dr_contact_set *s)
{
    const dr_allocator *a = s->allocator;
    dr_memory_free(a, s->contacts, s->capacity * sizeof *s->contacts);
    dr_memory_free(a, s->edge_vertex, s->edge_vertex_capacity * sizeof *s->edge_vertex);
    dr_memory_free(a, s->edge_strand, s->edge_strand_capacity * sizeof *s->edge_strand);
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

typedef struct job {
    dr_contact_set *set;
    const dr_contact_bodies *bodies;
    dr_candidates candidates;
    const dr_contact_record *records;
    bool linked; // records count
} job;

static double film_area(const dr_contact_bodies *bodies, int32_t vertex, double place)
{
    if (!bodies->film) return 0.0;
    return place > 0.0 ? (1.0 - place) * bodies->film[vertex] + place * bodies->film[vertex + 1] : bodies->film[vertex];
}

static double radius_at(const dr_contact_bodies *bodies, int32_t vertex, double place)
{
    return place > 0.0 ? (1.0 - place) * bodies->radius[vertex] + place * bodies->radius[vertex + 1]
                       : bodies->radius[vertex];
}

// ---- records of the last step

static bool index_records(job *job, size_t count)
{
    dr_contact_set *s = job->set;
    size_t vertices = dr_candidates_vertices(job->bodies), at = 0;
    if (!dr_memory_reserve(s->allocator, (void **)&s->index, &s->index_capacity, vertices + 1, sizeof *s->index) ||
        !dr_memory_reserve(s->allocator, (void **)&s->shares, &s->share_capacity, vertices, sizeof *s->shares))
        return false;
    for (size_t v = 0; v <= vertices; v++) {
        while (at < count && (size_t)job->records[at].vertex[0] < v) at++;
        s->index[v] = at;
    }
    memset(s->shares, 0, vertices * sizeof *s->shares);
    for (size_t k = 0; k < count; k++) {
        for (int side = 0; side < 2; side++) {
            if (job->records[k].vertex[side] >= 0) s->shares[job->records[k].vertex[side]]++;
        }
    }
    return true;
}

// The record of the last step that is nearest to these places and within an edge of them; NULL: there is none.
static const dr_contact_record *find_record(const job *job, const int32_t strand[2], const int32_t vertex[2],
                                            const double place[2], int32_t solid)
{
    const dr_contact_record *best = NULL;
    const dr_compliance *c = job->bodies->compliance;
    if (!job->linked) return NULL;
    int32_t from = vertex[0] > c->first[strand[0]] ? vertex[0] - 1 : vertex[0];
    int32_t to = vertex[0] + 1 < c->first[strand[0] + 1] ? vertex[0] + 2 : vertex[0] + 1;
    double nearest = 1.0;
    for (size_t k = job->set->index[from]; k < job->set->index[to]; k++) {
        const dr_contact_record *r = &job->records[k];
        if (r->strand[1] != strand[1] || r->solid != solid) continue;
        double off = fabs(r->vertex[0] + r->place[0] - vertex[0] - place[0]);
        if (solid < 0) off = fmax(off, fabs(r->vertex[1] + r->place[1] - vertex[1] - place[1]));
        if (off < nearest) {
            nearest = off;
            best = r;
        }
    }
    return best;
}

// ---- two edges

static void place_at(const double x[12], const double place[2], double apart[3])
{
    for (int a = 0; a < 3; a++) {
        apart[a] = x[a] + place[0] * (x[3 + a] - x[a]) - x[6 + a] - place[1] * (x[9 + a] - x[6 + a]);
    }
}

// The liquid between both sides, divided among the contacts that the edges had. (18)
static double bridge_area(const job *job, const dr_contact *contact)
{
    double area = 0.0;
    for (int side = 0; side < 2; side++) {
        if (contact->vertex[side] < 0) continue;
        int32_t shares = job->linked ? job->set->shares[contact->vertex[side]] : 0;
        area += film_area(job->bodies, contact->vertex[side], contact->place[side]) / (shares > 1 ? shares : 1);
    }
    return area;
}

static double reach_of_liquid(const job *job, const dr_contact *contact, double area, bool linked)
{
    const dr_contact_law *law = job->bodies->law;
    double form = contact->touching;
    for (int side = 0; side < 2; side++) {
        if (contact->vertex[side] < 0) continue;
        double r = radius_at(job->bodies, contact->vertex[side], contact->place[side]);
        form += dr_candidates_film_height(film_area(job->bodies, contact->vertex[side], contact->place[side]), r);
    }
    double rupture = contact->touching + (1.0 + 0.5 * law->contact_angle) * sqrt(area);
    return linked ? fmax(form, rupture) : form;
}

// The square of the distance of a point from the edge of a contact's other side or one of its neighbours.
static double other_distance2(const job *job, const dr_contact *contact, int side, const double p[3])
{
    const int *first = &job->bodies->compliance->first[contact->strand[1 - side]];
    int32_t edge = contact->vertex[1 - side];
    double least = INFINITY;
    for (int32_t e = edge > first[0] ? edge - 1 : edge; e <= edge + 1 && e + 1 < first[1]; e++) {
        const double *a = job->bodies->compliance->x + 3 * (size_t)e;
        double t = dr_segment_place(a, a + 3, p), q[3];
        for (int i = 0; i < 3; i++) q[i] = p[i] - a[i] - t * (a[3 + i] - a[i]);
        least = fmin(least, dr_vec3_dot(q, q));
    }
    return least;
}

// How much of one edge beside a contact lies within reach of the other side: linear in the square of the distance. (19)
static double wet_part(const job *job, const dr_contact *contact, int side, int32_t edge, int32_t end, double reach)
{
    const double *x = job->bodies->compliance->x, *far = x + 3 * (size_t)end;
    double near2 = contact->distance * contact->distance, far2 = near2, d[3];
    dr_vec3_sub(d, x + 3 * (size_t)(edge + 1), x + 3 * (size_t)edge);
    if (!dr_contact_is_external(contact)) far2 = other_distance2(job, contact, side, far);
    double share = far2 <= reach * reach ? 1.0 : (reach * reach - near2) / (far2 - near2);
    return share * dr_vec3_length(d);
}

// Both ways along the strand of one side. A vertex has half of the edges on either side of it.
static double wet_side(const job *job, const dr_contact *contact, int side, double reach)
{
    const int *first = &job->bodies->compliance->first[contact->strand[side]];
    double place = contact->place[side], total = 0.0;
    int32_t v = contact->vertex[side];
    bool corner = place == 0.0 || place == 1.0;
    int32_t back = corner ? v + (place == 1.0) - 1 : v, on = corner ? back + 1 : v;
    double most_back = corner ? 0.5 : place, most_on = corner ? 0.5 : 1.0 - place;
    if (back >= first[0]) total += most_back * wet_part(job, contact, side, back, back, reach);
    if (on + 1 < first[1]) total += most_on * wet_part(job, contact, side, on, on + 1, reach);
    return total;
}

// Where edges lie side by side every vertex of either strand makes a contact: each has its half.
static double wet_length(const job *job, const dr_contact *contact, double reach)
{
    double first = wet_side(job, contact, 0, reach);
    if (dr_contact_is_external(contact)) return first;
    bool corner = contact->place[0] == 0.0, other = contact->place[1] == 0.0;
    double mean = 0.5 * (first + wet_side(job, contact, 1, reach));
    return corner != other ? 0.5 * mean : mean;
}

static void relative(const dr_contact *contact, const double *velocity, double v[3])
{
    dr_vec3_set(v, 0.0, 0.0, 0.0);
    for (int corner = 0; corner < 4; corner++) {
        int side = corner / 2;
        if (contact->vertex[side] < 0) continue;
        double weight = corner % 2 ? contact->place[side] : 1.0 - contact->place[side];
        if (weight <= 0.0) continue;
        size_t at = 3 * (size_t)(contact->vertex[side] + corner % 2);
        dr_vec3_add_scaled(v, v, side ? -weight : weight, velocity + at);
    }
    if (dr_contact_is_external(contact)) dr_vec3_sub(v, v, contact->solid_velocity);
}

// What may be closed within the step, or how fast an overlap is taken back. (4)
static double least_velocity(const dr_contact *contact, double dt)
{
    if (contact->gap >= 0.0) return -contact->gap / dt;
    return fmin(-PUSH * contact->gap, MOST_PUSH * contact->touching) / dt;
}

// Dry and approaching contacts keep the strands apart; wet ones that do not approach also hold them together. False
// where the pair has nothing to do with each other. (18), (20)
static bool activate(const job *job, dr_contact *contact, bool near)
{
    const dr_contact_law *law = job->bodies->law;
    double dt = job->bodies->compliance->dt, area = bridge_area(job, contact), v[3];
    contact->least = least_velocity(contact, dt);
    if (area < DRY || !law->pair) return near;
    bool linked = find_record(job, contact->strand, contact->vertex, contact->place, contact->solid) != NULL;
    double reach = reach_of_liquid(job, contact, area, linked);
    if (contact->distance > reach) return near;
    relative(contact, job->bodies->start_velocity, v);
    double speed = dr_vec3_dot(contact->frame, v);
    bool touches = contact->gap <= SLACK * contact->touching;
    if (speed < APPROACHING && !touches) return near;
    bool external = dr_contact_is_external(contact);
    double r = external ? contact->touching : 0.5 * contact->touching, d = fmax(contact->distance, contact->touching);
    double force = law->surface_tension * dr_bridge_table_force(external ? law->plane : law->pair, r, d, area, NULL);
    force += dr_bridge_thick(&law->goo, r, d, speed);
    contact->pull = dt * wet_length(job, contact, reach) * force;
    if (!touches) contact->least = 0.0;
    return true;
}

// A contact at given places of two edges; normal from their configuration when they come near. False where none.
static bool make_contact(const job *job, const dr_tree_pair *pair, const double x[12], const double place[2],
                         const double normal[3], bool near, dr_contact *contact)
{
    const dr_contact_bodies *b = job->bodies;
    const dr_contact_set *s = job->set;
    double apart[3];
    *contact = (dr_contact){.strand = {s->edge_strand[pair->first], s->edge_strand[pair->second]},
                            .vertex = {s->edge_vertex[pair->first], s->edge_vertex[pair->second]},
                            .place = {place[0], place[1]},
                            .solid = -1};
    place_at(x, place, apart);
    for (int side = 0; side < 2; side++) {
        contact->touching += radius_at(b, contact->vertex[side], place[side]);
        if (place[side] < SNAP) contact->place[side] = 0.0;
        if (place[side] > 1.0 - SNAP) contact->place[side] = 1.0;
        // A vertex belongs to the edge that begins there, so that neighbours name it alike.
        if (contact->place[side] == 1.0 &&
            contact->vertex[side] + 2 < b->compliance->first[contact->strand[side] + 1]) {
            contact->vertex[side]++;
            contact->place[side] = 0.0;
        }
    }
    contact->distance = dr_vec3_length(apart);
    dr_vec3_copy(contact->frame, normal);
    contact->gap = dr_vec3_dot(normal, apart) - contact->touching;
    contact->friction = sqrt(b->friction[contact->strand[0]] * b->friction[contact->strand[1]]);
    dr_contact_frame(contact);
    return activate(job, contact, near);
}

// The ends of the stretch along which nearly parallel edges lie side by side.
static int line_places(const double at[12], double reach, double places[2][2])
{
    double u[3], v[3], c[3], low = 1.0, high = 0.0;
    int count = 0;
    dr_vec3_sub(u, at + 3, at);
    dr_vec3_sub(v, at + 9, at + 6);
    dr_vec3_cross(c, u, v);
    double uu = dr_vec3_dot(u, u), vv = dr_vec3_dot(v, v);
    if (dr_vec3_dot(c, c) > PARALLEL * PARALLEL * uu * vv) return 0;
    for (int end = 0; end < 2; end++) {
        double t = dr_segment_place(at, at + 3, at + 6 + 3 * end);
        low = fmin(low, t);
        high = fmax(high, t);
    }
    if ((high - low) * sqrt(uu) < reach) return 0;
    for (int end = 0; end < 2; end++) {
        double t = end ? high : low, p[3], place[2];
        dr_vec3_add_scaled(p, at, t, u);
        place[0] = t;
        place[1] = dr_segment_place(at + 6, at + 9, p);
        double apart[3];
        place_at(at, place, apart);
        if (dr_vec3_length(apart) > reach) continue;
        places[count][0] = place[0];
        places[count++][1] = place[1];
    }
    return count;
}

// How near edges must be to touch along a line, by themselves or by their liquid.
static double line_reach(const job *job, const dr_tree_pair *pair, double touching)
{
    const dr_contact_bodies *b = job->bodies;
    const uint32_t edges[2] = {pair->first, pair->second};
    double wet = touching;
    for (int side = 0; side < 2 && b->film; side++) {
        int32_t v = job->set->edge_vertex[edges[side]];
        wet += (1.0 + 0.5 * b->law->contact_angle) * sqrt(fmax(b->film[v], b->film[v + 1]));
    }
    return fmax((1.0 + MARGIN + SLACK) * touching, wet);
}

// Whether edges are nearest at none of those places, and dry ones nearer than there.
static bool is_between(double places[2][2], int count, const double at[12], const dr_segment_pair *nearest, double near)
{
    for (int i = 0; i < count; i++) {
        double apart[3], aside = fmax(fabs(places[i][0] - nearest->place[0]), fabs(places[i][1] - nearest->place[1]));
        place_at(at, places[i], apart);
        if (aside < NEXT_TO || dr_vec3_length(apart) < nearest->distance + near) return false;
    }
    return true;
}

// Of strands side by side the vertices of the first make contacts and the tips of the second; not its other vertices.
static bool is_inner(const job *job, const dr_tree_pair *pair, const double place[2])
{
    int32_t strand = job->set->edge_strand[pair->second], v = job->set->edge_vertex[pair->second];
    const int *first = &job->bodies->compliance->first[strand];
    if (place[0] < SNAP || place[0] > 1.0 - SNAP) return false;
    return !(v == first[0] && place[1] < SNAP) && !(v + 2 == first[1] && place[1] > 1.0 - SNAP);
}

static int drop_inner(const job *job, const dr_tree_pair *pair, double places[2][2], int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (is_inner(job, pair, places[i])) continue;
        memmove(places[kept++], places[i], sizeof places[i]);
    }
    return kept;
}

// Whether the strand comes nearer still beyond the end of an edge where this meets the other: then the next edge makes
// the contact.
static bool nearer_beyond(const job *job, const dr_tree_pair *pair, const double at[12], const dr_segment_hit *hit)
{
    const dr_contact_bodies *b = job->bodies;
    const uint32_t edges[2] = {pair->first, pair->second};
    const dr_contact_set *s = job->set;
    if (s->edge_strand[edges[0]] == s->edge_strand[edges[1]]) return false;
    for (int side = 0; side < 2; side++) {
        int32_t strand = s->edge_strand[edges[side]], v = s->edge_vertex[edges[side]];
        double place = hit->pair.place[side], on[3], way[3];
        bool begins = place<SNAP, ends = place> 1.0 - SNAP;
        int32_t next = begins ? v - 1 : v + 2;
        if (!(begins || ends) || next < b->compliance->first[strand] || next >= b->compliance->first[strand + 1])
            continue;
        dr_candidates_way(&job->candidates, strand, (size_t)next, way);
        dr_vec3_add_scaled(on, b->compliance->x + 3 * (size_t)next, hit->time, way);
        dr_vec3_sub(on, on, at + 6 * side + (begins ? 0 : 3));
        double rise = dr_vec3_dot(hit->pair.normal, on);
        if ((side == 0 ? rise : -rise) < -DOWNHILL * dr_vec3_length(on)) return true;
    }
    return false;
}

static int meet_edges(const job *job, const dr_tree_pair *pair, dr_contact out[MOST_OF_PAIR])
{
    const dr_contact_bodies *b = job->bodies;
    double x[12], motion[12], at[12], places[2][2], apart[3];
    double touching = dr_candidates_touching(&job->candidates, pair), reach = (1.0 + MARGIN) * touching;
    dr_segment_hit hit;
    dr_candidates_motion(&job->candidates, pair, x, motion);
    bool near = dr_segment_meet(x, motion, reach, SLACK * touching, &hit);
    if (!near) { // liquid acts at the distance of the beginning
        if (!b->film || !b->law->pair) return 0;
        hit.time = 0.0;
        hit.pair = dr_segment_closest(x);
    }
    for (int i = 0; i < 12; i++) at[i] = x[i] + hit.time * motion[i];
    if (!b->film && nearer_beyond(job, pair, at, &hit)) return 0;
    int lines = line_places(at, line_reach(job, pair, touching), places), made = 0;
    if (!b->film) lines = drop_inner(job, pair, places, lines);
    for (int i = 0; i < lines; i++) {
        double normal[3];
        place_at(at, places[i], apart);
        dr_vec3_normalize(normal, apart, hit.pair.normal);
        made += make_contact(job, pair, x, places[i], normal, near, &out[made]);
    }
    // Where they cross, in between, is a contact as well; their liquid has been counted.
    double level = b->film ? 0.0 : NEXT_TO * touching;
    if (lines > 0 && (!near || !is_between(places, lines, at, &hit.pair, level))) return made;
    if (!make_contact(job, pair, x, hit.pair.place, hit.pair.normal, near, &out[made])) return made;
    if (lines > 0) out[made].pull = 0.0;
    return made + 1;
}

// ---- a vertex and a collider

// How far the liquid of a vertex reaches to a solid.
static double wet_reach(const job *job, int32_t vertex)
{
    dr_contact lone = {.vertex = {vertex, -1}, .touching = job->bodies->radius[vertex]};
    return job->bodies->film ? reach_of_liquid(job, &lone, job->bodies->film[vertex], true) : 0.0;
}

static bool touch_solid(const job *job, int32_t strand, int32_t vertex, int solid, dr_contact *contact)
{
    const dr_contact_bodies *b = job->bodies;
    double r = b->radius[vertex], reach = (1.0 + MARGIN) * r, time, start[3], motion[3], at[3], back[3];
    double look = fmax(reach + SLACK * r, wet_reach(job, vertex));
    if (!dr_candidates_solid_motion(&job->candidates, strand, (size_t)vertex, solid, look, start, motion)) return false;
    bool near = dr_candidates_meet_solid(b->colliders, solid, start, motion, reach, SLACK * r, &time);
    if (!near) time = 0.0;
    dr_vec3_add_scaled(at, start, time, motion);
    dr_collider_surface surface = dr_collider_set_surface(b->colliders, solid, at);
    *contact = (dr_contact){.strand = {strand, -1}, .vertex = {vertex, -1}, .solid = solid, .touching = r};
    if (vertex + 1 == b->compliance->first[strand + 1]) { // the tip: the end of its edge
        contact->vertex[0]--;
        contact->place[0] = 1.0;
    }
    dr_vec3_copy(contact->frame, surface.normal);
    dr_vec3_copy(contact->solid_velocity, surface.velocity);
    dr_vec3_sub(back, start, at);
    contact->distance = surface.distance + dr_vec3_dot(surface.normal, back);
    contact->gap = contact->distance - r;
    contact->friction = isinf(surface.friction) ? STICKY : sqrt(surface.friction * b->friction[strand]);
    dr_contact_frame(contact);
    return activate(job, contact, near);
}

static int meet_solids(const job *job, size_t vertex, int32_t strand, dr_contact *out)
{
    int made = 0, solids = dr_collider_set_count(job->bodies->colliders);
    for (int solid = 0; solid < solids; solid++) {
        dr_contact contact;
        if (!touch_solid(job, strand, (int32_t)vertex, solid, &contact)) continue;
        if (out) out[made] = contact;
        made++;
    }
    return made;
}

// ---- counting, then filling

static void count_pairs(void *user, size_t begin, size_t end, int thread)
{
    const job *job = user;
    dr_contact out[MOST_OF_PAIR];
    (void)thread;
    for (size_t i = begin; i < end; i++) job->set->found[i] = (uint8_t)meet_edges(job, &job->set->tree.pairs[i], out);
}

static void fill_pairs(void *user, size_t begin, size_t end, int thread)
{
    const job *job = user;
    (void)thread;
    for (size_t i = begin; i < end; i++) {
        if (job->set->found[i] == 0) continue;
        dr_contact out[MOST_OF_PAIR];
        int made = meet_edges(job, &job->set->tree.pairs[i], out);
        memcpy(job->set->fresh + job->set->starts[i], out, (size_t)made * sizeof *out);
    }
}

static void for_strands(const job *job, size_t begin, size_t end, bool fill)
{
    const dr_compliance *c = job->bodies->compliance;
    size_t pairs = job->set->tree.pair_count;
    for (size_t s = begin; s < end; s++) {
        for (size_t v = (size_t)c->first[s]; v < (size_t)c->first[s + 1]; v++) {
            if (!fill)
                job->set->found[pairs + v] = (uint8_t)meet_solids(job, v, (int32_t)s, NULL);
            else if (job->set->found[pairs + v])
                meet_solids(job, v, (int32_t)s, job->set->fresh + job->set->starts[pairs + v]);
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
static size_t find_fresh(job *job, const dr_par *par)
{
    dr_contact_set *s = job->set;
    size_t vertices = dr_candidates_vertices(job->bodies), strands = (size_t)job->bodies->compliance->strands;
    bool solids = job->bodies->colliders && dr_collider_set_count(job->bodies->colliders) > 0;
    size_t pairs = s->tree.pair_count, items = pairs + (solids ? vertices : 0), total = 0;
    if (!dr_memory_reserve(s->allocator, (void **)&s->found, &s->found_capacity, MOST_OF_PAIR * items,
                           sizeof *s->found) ||
        !dr_memory_reserve(s->allocator, (void **)&s->starts, &s->start_capacity, items, sizeof *s->starts))
        return SIZE_MAX;
    dr_par_for(par, pairs, GRAIN, count_pairs, job);
    if (solids) dr_par_for(par, strands, 8, count_solids, job);
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
    if (p->solid >= 0) return p->place[0] == q->place[0];
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

// Dry contacts of two strands that say nearly the same.
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

// The contact that is nearest to a record and within an edge of it, among those sorted by vertex; NULL: there is none.
static dr_contact *find_heir(const job *job, const dr_contact_record *r)
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

// Every force of the last step goes to one contact, so that none is counted twice.
static void warm_start(const job *job, size_t record_count)
{
    dr_contact_set *s = job->set;
    size_t vertices = dr_candidates_vertices(job->bodies), at = 0;
    double dt = job->bodies->compliance->dt;
    for (size_t v = 0; v <= vertices; v++) {
        while (at < s->count && (size_t)s->contacts[at].vertex[0] < v) at++;
        s->index[v] = at;
    }
    for (size_t k = 0; k < record_count; k++) {
        dr_contact *heir = find_heir(job, &job->records[k]);
        for (int a = 0; heir && a < 3; a++)
            heir->impulse[a] += dt * dr_vec3_dot(heir->frame + 3 * a, job->records[k].force);
    }
    for (size_t k = 0; k < s->count; k++) trim(&s->contacts[k]);
}

bool dr_contact_set_find(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies,
                         const dr_contact_record *records, size_t record_count)
{
    job job = {set, bodies, {set, bodies, NULL, NULL, DR_CONTACT_WIDE}, records, true};
    if (!index_records(&job, record_count) || !dr_candidates_find(&job.candidates, par, false)) return false;
    size_t total = find_fresh(&job, par);
    if (total == SIZE_MAX || !merge_fresh(set, total)) return false;
    if (!bodies->film) drop_doubles(set);
    warm_start(&job, record_count);
    return true;
}

#define ALLOWED 0.02   // of the touching distance: what a motion may bring sides too near by
#define ASIDE   0.02   // of an edge: so far away a contact is another one
#define TILTED  0.9986 // cosine of three degrees, likewise

// Whether the motion brings the sides of a contact too near.
static bool violates(const dr_contact *contact, const dr_contact_bodies *bodies)
{
    double v[3];
    relative(contact, bodies->velocity, v);
    return dr_vec3_dot(contact->frame, v) + ALLOWED * contact->touching / bodies->compliance->dt < contact->least;
}

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
    dr_contact *fresh = &set->contacts[set->count++];
    *fresh = *contact;
    if (known) fresh->pull = 0.0;
    set->added++;
}

// Contacts that are known keep their place and impulse; the new ones are sorted in.
bool dr_contact_set_extend(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies)
{
    job job = {set, bodies, {set, bodies, NULL, NULL, DR_CONTACT_WIDE}, NULL, false};
    set->added = 0;
    if (!dr_candidates_find(&job.candidates, par, true)) return false;
    size_t total = find_fresh(&job, par), known = set->count;
    if (total == SIZE_MAX) return false;
    if (!dr_memory_reserve(set->allocator, (void **)&set->fresh, &set->fresh_capacity, total + known,
                           sizeof *set->fresh))
        return false;
    memmove(set->fresh + known, set->fresh, total * sizeof *set->fresh);
    if (known) memcpy(set->fresh, set->contacts, known * sizeof *set->fresh);
    if (!sort_fresh(set, total + known) || !dr_memory_reserve(set->allocator, (void **)&set->contacts, &set->capacity,
                                                              total + known, sizeof *set->contacts))
        return false;
    set->count = 0;
    size_t group = 0;
    for (size_t i = 0; i < total + known; i++) {
        if (i == 0 || set->items[i].key != set->items[i - 1].key) group = set->count;
        const dr_contact *contact = &set->fresh[set->items[i].value];
        if (set->items[i].value < known)
            set->contacts[set->count++] = *contact;
        else if (violates(contact, bodies))
            take_in(set, group, contact);
    }
    return true;
}

bool dr_contact_set_add_solids(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies)
{
    job job = {set, bodies, {set, bodies, NULL, NULL, DR_CONTACT_WIDE}, NULL, false};
    set->tree.pair_count = 0;
    set->boxed = false;
    size_t total = find_fresh(&job, par);
    if (total == SIZE_MAX || !dr_memory_reserve(set->allocator, (void **)&set->contacts, &set->capacity,
                                                set->count + total, sizeof *set->contacts))
        return false;
    if (total) memcpy(set->contacts + set->count, set->fresh, total * sizeof *set->fresh);
    set->count += total;
    return true;
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
        for (int a = 0; a < 3; a++) {
            r->force[a] =
                (c->frame[a] * c->impulse[0] + c->frame[3 + a] * c->impulse[1] + c->frame[6 + a] * c->impulse[2]) / dt;
        }
    }
}
