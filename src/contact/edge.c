// Edges of strands against colliders. docs/theory/contact.md eq. (33), (34). A collider is known by its signed
// distance, which has slope at most one: along an edge, between two places whose distances are known, nothing is nearer
// than the mean of both less half the way between them (Piyavskii 1972). Of a convex solid it is convex as well, and
// nothing is nearer than where the tangents at two places cross (Kelley 1960).
#include "contact/candidates.h"

#include "math/vec.h"

#define MOST_LOOKS 64  // at one edge, after which the nearest place so far counts
#define MOST_STEPS 200 // of its motion, after which a meeting counts
#define FAIRLY                                                                                                         \
    0.3 // of how far an edge is out of reach: how exactly its distance need be known. Half of it takes more
        // looks at an edge, twice of it more steps of the motion

#define APART 0.1 // of what lies between two places: looks keep off them by that much. Half of it: kinks take longer

typedef struct piece {
    double from, to;                   // places
    double from_distance, to_distance; // there
} piece;

static double bound(const piece *piece, double length)
{
    return 0.5 * (piece->from_distance + piece->to_distance - (piece->to - piece->from) * length);
}

static double distance_at(const dr_collider_set *set, int solid, const double edge[6], double place, double enough)
{
    double at[3];
    for (int a = 0; a < 3; a++) at[a] = edge[a] + place * (edge[3 + a] - edge[a]);
    return dr_collider_set_clearance(set, solid, at, enough);
}

// Nothing is nearer by more than matters, or all is farther than that.
static bool is_enough(const dr_edge_look *look, double nearest, double below)
{
    return below >= nearest - fmax(look->slack, FAIRLY * (nearest - look->reach)) || below > look->enough;
}

typedef struct tangent {
    double place, distance, slope; // of the distance along the edge, per edge
} tangent;

static tangent touch_at(const dr_collider_set *set, int solid, const double edge[6], double place)
{
    double at[3], d[3];
    dr_vec3_sub(d, edge + 3, edge);
    dr_vec3_add_scaled(at, edge, place, d);
    dr_collider_surface surface = dr_collider_set_surface(set, solid, at);
    return (tangent){place, surface.distance, dr_vec3_dot(surface.normal, d)};
}

// A convex distance lies above its tangents: where those of two places cross it is looked at next (Kelley 1960).
static double convex_clearance(const dr_collider_set *set, int solid, const double edge[6], const dr_edge_look *look,
                               double *place, double *below)
{
    tangent low = touch_at(set, solid, edge, 0.0), high = touch_at(set, solid, edge, 1.0);
    double nearest = fmin(low.distance, high.distance);
    *place = low.distance <= high.distance ? 0.0 : 1.0;
    *below = nearest;
    if (low.slope >= 0.0 || high.slope <= 0.0) return nearest;
    for (int k = 0; k < MOST_LOOKS; k++) {
        double width = high.place - low.place;
        double cross = (high.distance - low.distance - high.slope * width) / (low.slope - high.slope);
        *below = fmin(nearest, low.distance + low.slope * cross);
        if (is_enough(look, nearest, *below)) break;
        cross = fmin(fmax(cross, APART * width), (1.0 - APART) * width);
        tangent next = touch_at(set, solid, edge, low.place + cross);
        if (next.distance < nearest) {
            nearest = next.distance;
            *place = next.place;
        }
        if (next.slope < 0.0)
            low = next;
        else
            high = next;
    }
    return nearest;
}

double dr_candidates_edge_clearance(const dr_collider_set *set, int solid, const double edge[6],
                                    const dr_edge_look *look, double *place, double *below)
{
    piece pieces[MOST_LOOKS];
    double d[3];
    int count = 1;
    dr_vec3_sub(d, edge + 3, edge);
    double length = dr_vec3_length(d), far = look->enough + length;
    pieces[0] = (piece){0.0, 1.0, distance_at(set, solid, edge, 0.0, far), distance_at(set, solid, edge, 1.0, far)};
    double nearest = fmin(pieces[0].from_distance, pieces[0].to_distance);
    *place = pieces[0].from_distance <= pieces[0].to_distance ? 0.0 : 1.0;
    dr_shape_bend bend = dr_shape_bends(dr_collider_set_shape(set, solid));
    *below = bend == DR_SHAPE_CONCAVE ? nearest : bound(&pieces[0], length);
    if (bend == DR_SHAPE_CONCAVE || is_enough(look, nearest, *below)) return nearest;
    if (bend == DR_SHAPE_CONVEX) return convex_clearance(set, solid, edge, look, place, below);
    for (;;) {
        int least = 0;
        for (int i = 1; i < count; i++) least = bound(&pieces[i], length) < bound(&pieces[least], length) ? i : least;
        piece at = pieces[least];
        double middle = 0.5 * (at.from + at.to);
        *below = bound(&at, length);
        if (is_enough(look, nearest, *below) || count + 1 >= MOST_LOOKS) break;
        double distance = distance_at(set, solid, edge, middle, far);
        if (distance < nearest) {
            nearest = distance;
            *place = middle;
        }
        pieces[least] = (piece){at.from, middle, at.from_distance, distance};
        pieces[count++] = (piece){middle, at.to, distance, at.to_distance};
    }
    return nearest;
}

#define GOLDEN   0.61803398874989485
#define NARROW   0.25 // of an edge, on either side of a place that was found by looking around
#define CLOSINGS 16   // 0.618^16 = 5e-4 of that is left

double dr_candidates_edge_nearest(const dr_collider_set *set, int solid, const double edge[6], double place,
                                  double enough)
{
    double low = fmax(0.0, place - NARROW), high = fmin(1.0, place + NARROW);
    double p = high - GOLDEN * (high - low), q = low + GOLDEN * (high - low);
    double at_p = distance_at(set, solid, edge, p, enough), at_q = distance_at(set, solid, edge, q, enough);
    for (int k = 0; k < CLOSINGS; k++) {
        if (at_p <= at_q) {
            high = q, q = p, at_q = at_p;
            p = high - GOLDEN * (high - low);
            at_p = distance_at(set, solid, edge, p, enough);
        } else {
            low = p, p = q, at_p = at_q;
            q = low + GOLDEN * (high - low);
            at_q = distance_at(set, solid, edge, q, enough);
        }
    }
    return 0.5 * (low + high);
}

bool dr_candidates_edge_motion(const dr_candidates *candidates, int32_t strand, size_t vertex, int solid, double reach,
                               double start[6], double motion[6])
{
    const dr_contact_bodies *b = candidates->bodies;
    double dt = b->compliance->dt, middle[3] = {0}, end[6], d[3], way = 0.0;
    bool held = b->held && b->held[vertex] && b->held[vertex + 1];
    if (held || (b->idle && b->idle[strand])) return false;
    for (size_t i = 0; i < 2; i++) {
        double *by = motion + 3 * i, *to = end + 3 * i;
        dr_candidates_way(candidates, strand, vertex + i, by);
        dr_vec3_add(to, b->compliance->x + 3 * (vertex + i), by);
        dr_vec3_add_scaled(middle, middle, 0.5, to);
        way = fmax(way, dr_vec3_length(by));
    }
    dr_vec3_sub(d, end + 3, end);
    double enough = reach + 0.5 * dr_vec3_length(d) + way + dt * b->collider_speed;
    if (dr_collider_set_clearance(b->colliders, solid, middle, enough) > enough) return false;
    for (size_t i = 0; i < 2; i++) {
        dr_collider_surface surface = dr_collider_set_surface(b->colliders, solid, end + 3 * i);
        dr_vec3_add_scaled(start + 3 * i, b->compliance->x + 3 * (vertex + i), dt, surface.velocity);
        dr_vec3_sub(motion + 3 * i, end + 3 * i, start + 3 * i);
    }
    return true;
}

bool dr_candidates_meet_edge(const dr_collider_set *set, int solid, const double start[6], const double motion[6],
                             double reach, double slack, double *time, double *place)
{
    double way = fmax(dr_vec3_length(motion), dr_vec3_length(motion + 3)), at[6], below;
    const dr_edge_look look = {reach, reach + slack + way, 0.5 * slack};
    *time = 0.0;
    for (int step = 0; step < MOST_STEPS; step++) {
        for (int i = 0; i < 6; i++) at[i] = start[i] + *time * motion[i];
        double nearest = dr_candidates_edge_clearance(set, solid, at, &look, place, &below);
        if (nearest <= reach + slack) return true;
        double gap = below - reach;
        if (gap > (1.0 - *time) * way) return false;
        *time += gap / way;
    }
    return true;
}
