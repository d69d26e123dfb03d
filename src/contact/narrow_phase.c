// Where two edges touch, and a vertex a collider. docs/theory/contact.md eq. (1)-(4), (16)-(20).
#include "contact/narrow_phase.h"

#include "geom/segment.h"
#include "math/vec.h"

#include <string.h>

#define MARGIN      DR_CONTACT_MARGIN
#define SLACK       DR_CONTACT_SLACK
#define PARALLEL    0.1   // sine below which edges touch along a line
#define SNAP        1e-6  // of an edge: so near to its end is there
#define NEXT_TO     0.02  // of an edge: contacts so near to each other are one
#define PUSH        0.2   // share of an overlap that is taken back in a step
#define MOST_PUSH   0.1   // of the touching distance, in a step
#define PUSH_TIME   1e-3  // s: shorter steps take back as much less. Half of it throws twice as fast, twice of it half
#define APPROACHING -1e-4 // normal velocity, cm/s
#define DRY         DR_CONTACT_DRY
#define DOWNHILL    0.05 // slope at which a strand comes nearer to another
#define STICKY      1e6  // friction of a sticky collider
#define STAYS       0.8 // of the lesser of touching and first distance: a contact that leaves less is not where it should be
#define SAME_SIDE   0.5  // cosine
#define ALLOWED     0.02 // of the touching distance: what a motion may bring sides too near by
#define PASSING     0.02 // of the time left: how exactly it is found when edges that pass each other are nearest
#define EARLY       0.5 // radii: how much farther off an edge makes a contact with a collider. Half of it takes more looks
#define WALK        2 // edges, of the coarser strand, from a contact over which its liquid is looked for

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

// The record of the last step that is nearest to these places and within an edge of them; NULL: there is none.
static const dr_contact_record *find_record(const dr_narrow_phase *job, const int32_t strand[2],
                                            const int32_t vertex[2], const double place[2], int32_t solid)
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
static double bridge_area(const dr_narrow_phase *job, const dr_contact *contact)
{
    double area = 0.0;
    for (int side = 0; side < 2; side++) {
        if (contact->vertex[side] < 0) continue;
        int32_t shares = job->linked ? job->set->shares[contact->vertex[side]] : 0;
        area += film_area(job->bodies, contact->vertex[side], contact->place[side]) / (shares > 1 ? shares : 1);
    }
    return area;
}

static double reach_of_liquid(const dr_narrow_phase *job, const dr_contact *contact, double area, bool linked)
{
    const dr_contact_law *law = dr_contact_law_between(job->bodies, contact->strand);
    double form = contact->touching;
    for (int side = 0; side < 2; side++) {
        if (contact->vertex[side] < 0) continue;
        double r = radius_at(job->bodies, contact->vertex[side], contact->place[side]);
        form += dr_candidates_film_height(film_area(job->bodies, contact->vertex[side], contact->place[side]), r);
    }
    double rupture = contact->touching + (1.0 + 0.5 * law->contact_angle) * sqrt(area);
    return linked ? fmax(form, rupture) : form;
}

static double edge_length(const dr_contact_bodies *bodies, int32_t edge)
{
    const double *x = bodies->compliance->x + 3 * (size_t)edge;
    double d[3];
    dr_vec3_sub(d, x + 3, x);
    return dr_vec3_length(d);
}

double dr_narrow_phase_span(const dr_contact_bodies *bodies, const dr_contact *contact)
{
    return WALK * fmax(edge_length(bodies, contact->vertex[0]), edge_length(bodies, contact->vertex[1]));
}

// The square of the distance of a point from an edge.
static double edge_distance2(const dr_contact_bodies *bodies, int32_t edge, const double p[3])
{
    const double *a = bodies->compliance->x + 3 * (size_t)edge;
    double t = dr_segment_place(a, a + 3, p), q[3];
    for (int i = 0; i < 3; i++) q[i] = p[i] - a[i] - t * (a[3 + i] - a[i]);
    return dr_vec3_dot(q, q);
}

// The square of the distance of a point from the edges of a contact's other side about it.
static double other_distance2(const dr_narrow_phase *job, const dr_contact *contact, int side, const double p[3],
                              double span)
{
    const dr_contact_bodies *bodies = job->bodies;
    const int *first = &bodies->compliance->first[contact->strand[1 - side]];
    int32_t edge = contact->vertex[1 - side];
    double least = edge_distance2(bodies, edge, p), way = 0.0;
    for (int32_t e = edge - 1; e >= first[0] && way < span; e--) {
        least = fmin(least, edge_distance2(bodies, e, p));
        way += edge_length(bodies, e);
    }
    way = 0.0;
    for (int32_t e = edge + 1; e + 1 < first[1] && way < span; e++) {
        least = fmin(least, edge_distance2(bodies, e, p));
        way += edge_length(bodies, e);
    }
    return least;
}

// How far from a contact on one side lies within reach of the other strand, back or on along its own: in every edge
// linear in the square of the distance. (19)
static double wet_way(const dr_narrow_phase *job, const dr_contact *contact, int side, bool on, double reach)
{
    const int *first = &job->bodies->compliance->first[contact->strand[side]];
    const double *x = job->bodies->compliance->x, place = contact->place[side];
    double at[3], near2 = contact->distance * contact->distance, way = 0.0;
    double span = dr_narrow_phase_span(job->bodies, contact);
    int32_t v = contact->vertex[side], end = on ? v + 1 + (place == 1.0) : v - (place == 0.0);
    for (int a = 0; a < 3; a++) at[a] = x[3 * v + a] + place * (x[3 * v + 3 + a] - x[3 * v + a]);
    for (; way < span && end >= first[0] && end < first[1]; end += on ? 1 : -1) {
        const double *far = x + 3 * (size_t)end;
        double far2 = other_distance2(job, contact, side, far, span), d[3];
        dr_vec3_sub(d, far, at);
        double share = far2 <= reach * reach ? 1.0 : (reach * reach - near2) / (far2 - near2);
        way += share * dr_vec3_length(d);
        if (share < 1.0) break;
        near2 = far2;
        dr_vec3_copy(at, far);
    }
    return fmin(way, span);
}

// A vertex at a collider has half of the edges on either side of it.
static double wet_half(const dr_narrow_phase *job, const dr_contact *contact, bool on)
{
    const int *first = &job->bodies->compliance->first[contact->strand[0]];
    int32_t vertex = contact->vertex[0] + (contact->place[0] == 1.0), edge = on ? vertex : vertex - 1;
    const double *x = job->bodies->compliance->x + 3 * (size_t)edge;
    double d[3];
    if (edge < first[0] || edge + 1 >= first[1]) return 0.0;
    dr_vec3_sub(d, x + 3, x);
    return 0.5 * dr_vec3_length(d);
}

static void find_ways(const dr_narrow_phase *job, dr_contact *contact, double reach)
{
    bool external = dr_contact_is_external(contact);
    for (int way = 0; way < 4; way++) {
        contact->wet[way] = external ? wet_half(job, contact, way % 2) : wet_way(job, contact, way / 2, way % 2, reach);
    }
}

void dr_narrow_phase_relative(const dr_contact *contact, const double *velocity, double v[3])
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

bool dr_narrow_phase_violates(const dr_contact *contact, const dr_contact_bodies *bodies)
{
    double v[3];
    dr_narrow_phase_relative(contact, bodies->velocity, v);
    return dr_vec3_dot(contact->frame, v) + ALLOWED * contact->touching / bodies->compliance->dt < contact->least;
}

static double find_freedom(const dr_contact *contact, const dr_contact_bodies *bodies)
{
    return dr_candidates_freedom(bodies, contact->vertex, contact->place);
}

// What may be closed along the normal within the step, so that sides that do not overlap will not, and an overlap is
// taken back by and by. (4)
// Next to what is held an overlap is taken back by as much less as a place gives way less, so that it takes no more
// force.
static double least_velocity(const dr_contact *contact, const dr_contact_bodies *bodies)
{
    double dt = bodies->compliance->dt, overlap = fmax(0.0, contact->touching - contact->distance);
    double push = fmin(1.0, dt / PUSH_TIME) * fmin(PUSH * overlap, MOST_PUSH * contact->touching);
    if (overlap > 0.0) push *= find_freedom(contact, bodies) * find_freedom(contact, bodies);
    double left = overlap > 0.0 ? overlap - push : 0.0;
    return -(contact->gap + left) / dt;
}

// Dry and approaching contacts keep the strands apart; wet ones that do not approach also hold them together. False
// where the pair has nothing to do with each other. (18), (20)
static bool activate(const dr_narrow_phase *job, dr_contact *contact, bool near)
{
    const dr_contact_law *law = dr_contact_law_between(job->bodies, contact->strand);
    double dt = job->bodies->compliance->dt, area = bridge_area(job, contact), v[3];
    if (contact->distance < contact->touching && find_freedom(contact, job->bodies) < DR_CONTACT_LEAST_FREE)
        return false;
    contact->least = least_velocity(contact, job->bodies);
    if (job->again || area < DRY || !law->pair) return near; // (38)
    bool linked = find_record(job, contact->strand, contact->vertex, contact->place, contact->solid) != NULL;
    double reach = reach_of_liquid(job, contact, area, linked);
    double exposed = dr_contact_exposure(job->bodies, contact);
    if (contact->distance > reach || !(exposed > 0.0)) return near;
    dr_narrow_phase_relative(contact, job->bodies->start_velocity, v);
    double speed = dr_vec3_dot(contact->frame, v);
    bool touches = contact->gap <= SLACK * contact->touching;
    if (speed < APPROACHING && !touches) return near;
    bool external = dr_contact_is_external(contact);
    double r = external ? contact->touching : 0.5 * contact->touching, d = fmax(contact->distance, contact->touching);
    double force = law->surface_tension * dr_bridge_table_force(external ? law->plane : law->pair, r, d, area, NULL);
    force += dr_bridge_thick(&law->goo, r, d, speed);
    contact->pull = dt * exposed * force;
    find_ways(job, contact, reach);
    if (!touches) contact->least = 0.0;
    return true;
}

// The normal nearest to the given one whose plane, a touching distance off, has the sides as the step begins beyond it:
// what does not move against each other violates no contact, so that there are always motions that satisfy all. (43)
static void turn_normal(const double apart[3], double touching, double normal[3])
{
    double distance = dr_vec3_length(apart), to[3], aside[3];
    if (!(distance > 0.0)) return;
    dr_vec3_scale(to, 1.0 / distance, apart);
    double least = fmin(1.0, touching / distance), along = dr_vec3_dot(normal, to);
    if (along >= least) return;
    dr_vec3_add_scaled(aside, normal, -along, to);
    double across = dr_vec3_length(aside);
    if (across > 0.0) dr_vec3_scale(aside, sqrt(1.0 - least * least) / across, aside);
    dr_vec3_scale(normal, least, to);
    dr_vec3_add(normal, normal, aside);
}

// A contact at given places of two edges; normal from their configuration when they come near. False where none.
static bool make_contact(const dr_narrow_phase *job, const dr_tree_pair *pair, const double x[12],
                         const double place[2], const double normal[3], bool near, dr_contact *contact)
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
    turn_normal(apart, contact->touching, contact->frame);
    contact->gap = dr_vec3_dot(contact->frame, apart) - contact->touching;
    contact->friction = sqrt(b->friction[contact->strand[0]] * b->friction[contact->strand[1]]);
    dr_contact_frame(contact);
    return activate(job, contact, near);
}

// The ends of the stretch along which nearly parallel edges lie side by side. Where the second edge ends before the
// first its end is the place, to the last bit: its neighbour names the same.
static int line_places(const double at[12], double reach, double places[2][2])
{
    double u[3], v[3], c[3], t[2];
    int count = 0;
    dr_vec3_sub(u, at + 3, at);
    dr_vec3_sub(v, at + 9, at + 6);
    dr_vec3_cross(c, u, v);
    double uu = dr_vec3_dot(u, u), vv = dr_vec3_dot(v, v);
    if (dr_vec3_dot(c, c) > PARALLEL * PARALLEL * uu * vv) return 0;
    for (int end = 0; end < 2; end++) t[end] = dr_segment_place(at, at + 3, at + 6 + 3 * end);
    if (fabs(t[1] - t[0]) * sqrt(uu) < reach) return 0;
    for (int end = 0; end < 2; end++) {
        double apart[3], p[3], place[2] = {t[end], end};
        dr_vec3_add_scaled(p, at, t[end], u);
        if (t[end] <= 0.0 || t[end] >= 1.0) place[1] = dr_segment_place(at + 6, at + 9, p);
        place_at(at, place, apart);
        if (dr_vec3_length(apart) > reach) continue;
        places[count][0] = place[0];
        places[count++][1] = place[1];
    }
    return count;
}

// How near edges must be to touch along a line, by themselves or by their liquid.
static double line_reach(const dr_narrow_phase *job, const dr_tree_pair *pair, double touching)
{
    const dr_contact_bodies *b = job->bodies;
    const uint32_t edges[2] = {pair->first, pair->second};
    double wet = touching, angle = dr_contact_widest_angle(b);
    for (int side = 0; side < 2 && b->film; side++) {
        int32_t v = job->set->edge_vertex[edges[side]];
        wet += (1.0 + 0.5 * angle) * sqrt(fmax(b->film[v], b->film[v + 1]));
    }
    return fmax((1.0 + MARGIN + SLACK) * touching, wet);
}

// Whether edges are nearest at none of those places, and nearer than there.
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
static bool is_inner(const dr_narrow_phase *job, const dr_tree_pair *pair, const double place[2])
{
    int32_t strand = job->set->edge_strand[pair->second], v = job->set->edge_vertex[pair->second];
    const int *first = &job->bodies->compliance->first[strand];
    if (place[0] < SNAP || place[0] > 1.0 - SNAP) return false;
    return !(v == first[0] && place[1] < SNAP) && !(v + 2 == first[1] && place[1] > 1.0 - SNAP);
}

static int drop_inner(const dr_narrow_phase *job, const dr_tree_pair *pair, double places[2][2], int count)
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
static bool nearer_beyond(const dr_narrow_phase *job, const dr_tree_pair *pair, const double at[12],
                          const dr_segment_hit *hit)
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

static dr_segment_pair pair_at(const double x[12], const double motion[12], double time)
{
    double at[12];
    for (int i = 0; i < 12; i++) at[i] = x[i] + time * motion[i];
    return dr_segment_closest(at);
}

// When edges that come near and part again are nearest, by golden section.
static double time_of_passing(const double x[12], const double motion[12], double from)
{
    const double share = 0.5 * (sqrt(5.0) - 1.0);
    double low = from, high = 1.0, p = high - share * (high - low), q = low + share * (high - low);
    double at_p = pair_at(x, motion, p).distance, at_q = pair_at(x, motion, q).distance;
    while (high - low > PASSING * (1.0 - from)) {
        if (at_p < at_q) {
            high = q;
            q = p;
            at_q = at_p;
            p = high - share * (high - low);
            at_p = pair_at(x, motion, p).distance;
        } else {
            low = p;
            p = q;
            at_p = at_q;
            q = low + share * (high - low);
            at_q = pair_at(x, motion, q).distance;
        }
    }
    return 0.5 * (low + high);
}

// Edges that touch slide and turn against each other: where they come too near all the same, the contact belongs to the
// end of the step, if they are still on the same side of each other and too near there: Gauss-Newton on the distance at
// the end (32). Of edges that pass each other, or through each other, it belongs to the time at which they are nearest,
// with the normal of before they crossed: true for these. (41)
static bool follow(const double x[12], const double motion[12], double touching, dr_segment_hit *hit)
{
    double least = STAYS * fmin(touching, dr_segment_closest(x).distance);
    dr_segment_hit later;
    if (!(least > 0.0) || !dr_segment_meet(x, motion, least, SLACK * least, &later)) return false;
    dr_segment_pair last = pair_at(x, motion, 1.0);
    *hit = (dr_segment_hit){1.0, last};
    if (dr_vec3_dot(last.normal, later.pair.normal) > SAME_SIDE && last.distance < least) return false;
    hit->time = time_of_passing(x, motion, later.time);
    hit->pair = pair_at(x, motion, hit->time);
    if (dr_vec3_dot(hit->pair.normal, later.pair.normal) < SAME_SIDE) dr_vec3_copy(hit->pair.normal, later.pair.normal);
    return true;
}

// Whether edges are on the other side of each other there than they were as the step began: they have passed through
// each other, or their neighbours have. A contact there would hold them to the wrong side, against those that hold them
// to the right one. The plane between them at the beginning, which has all of either edge on one side, is what they
// must not cross, at the places where they do. (42)
static bool is_beyond(const double x[12], const dr_segment_pair *pair)
{
    double apart[3];
    place_at(x, pair->place, apart);
    return dr_vec3_dot(pair->normal, apart) < -SAME_SIDE * dr_vec3_length(apart);
}

// Edges that pass each other are to be as far apart as they may be when they are nearest, and at the end. (41)
static int pass_contact(const dr_narrow_phase *job, const dr_tree_pair *pair, const double x[12],
                        const dr_segment_hit *hit, dr_contact *contact)
{
    double left = STAYS * fmin(dr_candidates_touching(&job->candidates, pair), dr_segment_closest(x).distance);
    make_contact(job, pair, x, hit->pair.place, hit->pair.normal, true, contact);
    double then = (left - contact->gap - contact->touching) / (hit->time * job->bodies->compliance->dt);
    contact->least = fmax(contact->least, then);
    return 1;
}

// Whether liquid may reach from edge to edge as the step begins, where it acts. (38)
static bool may_be_wet(const dr_narrow_phase *job, const dr_tree_pair *pair, const double x[12], double touching)
{
    static const double still[12];
    return job->bodies->film && !job->again && !(dr_segment_spare(x, still, line_reach(job, pair, touching)) > 0.0);
}

int dr_narrow_phase_edges(const dr_narrow_phase *job, const dr_tree_pair *pair, dr_touch_look *look,
                          dr_contact out[DR_TOUCH_MOST])
{
    const dr_contact_bodies *b = job->bodies;
    double x[12], motion[12], at[12], places[2][2], apart[3];
    double touching = dr_candidates_touching(&job->candidates, pair), reach = (1.0 + MARGIN) * touching;
    dr_segment_hit hit;
    *look = (dr_touch_look){false, INFINITY};
    if (!dr_candidates_may_meet(&job->candidates, pair)) return 0;
    dr_candidates_motion(&job->candidates, pair, x, motion);
    look->spare = dr_segment_spare(x, motion, DR_CONTACT_WIDE * touching);
    if (look->spare > 0.0 && !may_be_wet(job, pair, x, touching)) return 0;
    bool near = look->spare <= 0.0 && dr_segment_meet(x, motion, reach, SLACK * touching, &hit);
    look->near = near;
    bool passes = near && job->again && follow(x, motion, touching, &hit);
    if (near && job->again && is_beyond(x, &hit.pair))
        return make_contact(job, pair, x, hit.pair.place, dr_segment_closest(x).normal, near, out);
    if (!near) { // liquid acts at the distance of the beginning, which the first look has seen
        if (!b->film || job->again) return 0;
        hit.pair = dr_segment_closest(x);
        if (hit.pair.distance > line_reach(job, pair, touching)) return 0;
        hit.time = 0.0;
    }
    for (int i = 0; i < 12; i++) at[i] = x[i] + hit.time * motion[i];
    if (nearer_beyond(job, pair, at, &hit)) return 0;
    if (passes) return pass_contact(job, pair, x, &hit, out);
    int lines = line_places(at, line_reach(job, pair, touching), places), made = 0;
    lines = drop_inner(job, pair, places, lines);
    for (int i = 0; i < lines; i++) {
        double normal[3];
        place_at(at, places[i], apart);
        dr_vec3_normalize(normal, apart, hit.pair.normal);
        made += make_contact(job, pair, x, places[i], normal, near, &out[made]);
    }
    // Where they cross, in between, is a contact as well.
    if (lines > 0 && (!near || !is_between(places, lines, at, &hit.pair, NEXT_TO * touching))) return made;
    return made + make_contact(job, pair, x, hit.pair.place, hit.pair.normal, near, &out[made]);
}

// ---- a vertex or an edge, and a collider

// How far the liquid of a vertex reaches to a solid.
static double wet_reach(const dr_narrow_phase *job, int32_t vertex)
{
    dr_contact lone = {.vertex = {vertex, -1}, .touching = job->bodies->radius[vertex]};
    return job->bodies->film ? reach_of_liquid(job, &lone, job->bodies->film[vertex], true) : 0.0;
}

// What a motion may leave of a distance from a collider; of a strand that is inside, not less than there was. (35)
static double enough_left(double r, double distance)
{
    return distance > 0.0 ? STAYS * fmin(r, distance) : distance;
}

// A vertex that slides along a surface that curves towards it: where it comes too near all the same, the contact
// belongs to the place where it ends, if that is on the same side, else to where it came too near. (35)
static void follow_solid(const dr_narrow_phase *job, int solid, const double start[3], const double motion[3], double r,
                         double *time)
{
    const dr_collider_set *colliders = job->bodies->colliders;
    double end[3], at[3], later, enough = r + dr_vec3_length(motion);
    double left = enough_left(r, dr_collider_set_clearance(colliders, solid, start, enough));
    dr_vec3_add(end, start, motion);
    dr_vec3_add_scaled(at, start, *time, motion);
    if (dr_collider_set_clearance(colliders, solid, end, enough) < left) {
        dr_collider_surface first = dr_collider_set_surface(colliders, solid, at);
        dr_collider_surface last = dr_collider_set_surface(colliders, solid, end);
        if (dr_vec3_dot(first.normal, last.normal) > SAME_SIDE) {
            *time = 1.0;
            return;
        }
    }
    if (left > 0.0 && dr_candidates_meet_solid(colliders, solid, start, motion, left, SLACK * left, &later))
        *time = later;
}

static bool touch_solid(const dr_narrow_phase *job, int32_t strand, int32_t vertex, int solid, dr_contact *contact)
{
    const dr_contact_bodies *b = job->bodies;
    double r = b->radius[vertex], reach = (1.0 + MARGIN) * r, time, start[3], motion[3], at[3], back[3];
    double look = fmax(reach + SLACK * r, wet_reach(job, vertex));
    if (!dr_candidates_solid_motion(&job->candidates, strand, (size_t)vertex, solid, look, start, motion)) return false;
    bool near = dr_candidates_meet_solid(b->colliders, solid, start, motion, reach, SLACK * r, &time);
    if (!near) time = 0.0;
    if (near && job->again) follow_solid(job, solid, start, motion, r, &time);
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
    contact->distance = dr_collider_set_surface(b->colliders, solid, start).distance;
    contact->gap = surface.distance + dr_vec3_dot(surface.normal, back) - r;
    contact->friction = isinf(surface.friction) ? STICKY : sqrt(surface.friction * b->friction[strand]);
    dr_contact_frame(contact);
    return activate(job, contact, near);
}

// Whether an edge is nearer to a collider at a place between its ends than at these, by more than the margin.
static bool bulges(const dr_narrow_phase *job, int solid, const double at[6], double *place, double r,
                   dr_collider_surface *surface)
{
    const dr_collider_set *colliders = job->bodies->colliders;
    double x[3];
    *place = dr_candidates_edge_nearest(colliders, solid, at, *place, INFINITY);
    for (int a = 0; a < 3; a++) x[a] = at[a] + *place * (at[3 + a] - at[a]);
    *surface = dr_collider_set_surface(colliders, solid, x);
    double enough = surface->distance + MARGIN * r;
    return dr_collider_set_clearance(colliders, solid, at, enough) > enough &&
           dr_collider_set_clearance(colliders, solid, at + 3, enough) > enough;
}

// The same of an edge: its nearest place wanders as it slides and turns about the collider. (35)
static bool follow_between(const dr_narrow_phase *job, int solid, const double start[6], const double motion[6],
                           double r, const double normal[3], double at[6], double *place, dr_collider_surface *surface)
{
    const dr_collider_set *colliders = job->bodies->colliders;
    const dr_edge_look look = {r, r, SLACK * r};
    double end[6], from, to, below, where;
    for (int i = 0; i < 6; i++) end[i] = start[i] + motion[i];
    from = dr_candidates_edge_clearance(colliders, solid, start, &look, &where, &below);
    to = dr_candidates_edge_clearance(colliders, solid, end, &look, &where, &below);
    double left = enough_left(r, from), time = 1.0;
    dr_collider_surface last;
    if (to < left && bulges(job, solid, end, &where, r, &last) && dr_vec3_dot(last.normal, normal) > SAME_SIDE) {
        memcpy(at, end, sizeof end);
    } else {
        if (!(left > 0.0) ||
            !dr_candidates_meet_edge(colliders, solid, start, motion, left, SLACK * left, &time, &where))
            return false;
        for (int i = 0; i < 6; i++) end[i] = start[i] + time * motion[i];
        if (!bulges(job, solid, end, &where, r, &last)) return false;
        memcpy(at, end, sizeof end);
    }
    *place = where;
    *surface = last;
    return true;
}

// Between its ends an edge makes a contact on what bulges: where it meets it first, or else where it is nearest at the
// end of the step. Its liquid is that of its ends. (34)
static bool touch_between(const dr_narrow_phase *job, int32_t strand, int32_t vertex, int solid, dr_contact *contact)
{
    const dr_contact_bodies *b = job->bodies;
    double start[6], motion[6], at[6], from[3], back[3], time, place, below;
    double r = fmax(b->radius[vertex], b->radius[vertex + 1]), reach = (1.0 + MARGIN) * r;
    const dr_edge_look look = {reach, reach, 0.5 * EARLY * r};
    dr_collider_surface surface;
    if (!dr_candidates_edge_motion(&job->candidates, strand, (size_t)vertex, solid, reach + EARLY * r, start, motion))
        return false;
    if (!dr_candidates_meet_edge(b->colliders, solid, start, motion, reach, EARLY * r, &time, &place)) return false;
    for (int i = 0; i < 6; i++) at[i] = start[i] + time * motion[i];
    if (!bulges(job, solid, at, &place, r, &surface)) {
        for (int i = 0; i < 6; i++) at[i] = start[i] + motion[i];
        double nearest = dr_candidates_edge_clearance(b->colliders, solid, at, &look, &place, &below);
        dr_collider_surface first = surface;
        if (nearest > reach + EARLY * r || !bulges(job, solid, at, &place, r, &surface)) return false;
        if (dr_vec3_dot(first.normal, surface.normal) < SAME_SIDE) return false;
    }
    if (job->again) follow_between(job, solid, start, motion, r, surface.normal, at, &place, &surface);
    *contact = (dr_contact){.strand = {strand, -1}, .vertex = {vertex, -1}, .solid = solid, .touching = r};
    contact->place[0] = place;
    dr_vec3_copy(contact->frame, surface.normal);
    dr_vec3_copy(contact->solid_velocity, surface.velocity);
    for (int a = 0; a < 3; a++) {
        from[a] = start[a] + place * (start[3 + a] - start[a]);
        back[a] = from[a] - at[a] - place * (at[3 + a] - at[a]);
    }
    contact->distance = dr_collider_set_surface(b->colliders, solid, from).distance;
    contact->gap = surface.distance + dr_vec3_dot(surface.normal, back) - r;
    contact->friction = isinf(surface.friction) ? STICKY : sqrt(surface.friction * b->friction[strand]);
    contact->least = least_velocity(contact, b);
    dr_contact_frame(contact);
    return true;
}

// By how much more than it needs the edge that begins at a vertex stays away from all colliders; of a tip 0. What its
// ends go elsewhere takes three times as much of it: its middle, its length and its way. (37)
double dr_narrow_phase_solids_spare(const dr_narrow_phase *job, size_t vertex, int32_t strand)
{
    const dr_contact_bodies *b = job->bodies;
    const double *x = b->compliance->x + 3 * vertex;
    double dt = b->compliance->dt, middle[3], d[3], way[2][3], least = INFINITY;
    if ((int)vertex + 1 >= b->compliance->first[strand + 1]) return 0.0;
    for (size_t i = 0; i < 2; i++) dr_candidates_way(&job->candidates, strand, vertex + i, way[i]);
    for (int a = 0; a < 3; a++) {
        double first = x[a] + way[0][a], second = x[3 + a] + way[1][a];
        middle[a] = 0.5 * (first + second);
        d[a] = second - first;
    }
    double r = fmax(b->radius[vertex], b->radius[vertex + 1]);
    double reach = fmax((1.0 + MARGIN + fmax(SLACK, EARLY)) * r, wet_reach(job, (int32_t)vertex));
    double enough =
        reach + 0.5 * dr_vec3_length(d) + fmax(dr_vec3_length(way[0]), dr_vec3_length(way[1])) + dt * b->collider_speed;
    for (int solid = 0; solid < dr_collider_set_count(b->colliders) && least > 0.0; solid++)
        least = fmin(least, dr_collider_set_clearance(b->colliders, solid, middle, enough) - enough);
    return least;
}

int dr_narrow_phase_solids(const dr_narrow_phase *job, size_t vertex, int32_t strand, dr_contact *out)
{
    int made = 0, solids = dr_collider_set_count(job->bodies->colliders);
    bool begins = (int)vertex + 1 < job->bodies->compliance->first[strand + 1];
    for (int i = 0; i < 2 * solids; i++) {
        dr_contact contact;
        if (i % 2 ? !begins || !touch_between(job, strand, (int32_t)vertex, i / 2, &contact)
                  : !touch_solid(job, strand, (int32_t)vertex, i / 2, &contact))
            continue;
        if (job->again && !dr_narrow_phase_violates(&contact, job->bodies)) continue;
        if (out) out[made] = contact;
        made++;
    }
    return made;
}
