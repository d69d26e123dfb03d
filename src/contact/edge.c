// Edges of strands against colliders. docs/theory/contact.md eq. (33), (34). A collider is known by its signed
// distance, which has slope at most one: along an edge, between two places whose distances are known, nothing is nearer
// than the mean of both less half the way between them (Piyavskii 1972).
#include "contact/candidates.h"

#include "math/vec.h"

#define MOST_LOOKS 64  // at one edge, after which the nearest place so far counts
#define MOST_STEPS 200 // of its motion, after which a meeting counts
#define FAIRLY                                                                                                         \
    0.3 // of how far an edge is out of reach: how exactly its distance need be known. Half of it takes more
        // looks at an edge, twice of it more steps of the motion

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
    for (;;) {
        int least = 0;
        for (int i = 1; i < count; i++) least = bound(&pieces[i], length) < bound(&pieces[least], length) ? i : least;
        piece at = pieces[least];
        double middle = 0.5 * (at.from + at.to);
        *below = bound(&at, length);
        // Nothing is nearer by more than that, or all is farther than matters.
        if (*below >= nearest - fmax(look->slack, FAIRLY * (nearest - look->reach)) || *below > look->enough) break;
        if (count + 1 >= MOST_LOOKS) break;
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
