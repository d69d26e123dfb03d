// The motion of strands over a step, the pairs of edges that may meet in it, and meetings with colliders: what
// detection and the last check share. docs/theory/contact.md, "Candidates".
#ifndef DR_CONTACT_CANDIDATES_H
#define DR_CONTACT_CANDIDATES_H

#include "contact/detect.h"

#define DR_CONTACT_MARGIN 0.1  // a pair is a contact when it comes so near: share of the touching distance
#define DR_CONTACT_SLACK  0.05 // of the touching distance: how exactly the first meeting is found
#define DR_CONTACT_WIDE   (1.0 + DR_CONTACT_MARGIN + DR_CONTACT_SLACK)
#define DR_CONTACT_DRY    1e-12 // film area, cm2

// Of the motion of a vertex: sides that overlap where they have less are laid through each other by what holds them.
// Half of it asks for twice the force beside clamps that overlap, twice of it leaves twice as much of an edge to them.
#define DR_CONTACT_LEAST_FREE 0.1

typedef struct dr_candidates {
    dr_contact_set *set;
    const dr_contact_bodies *bodies;
    const double *share; // [strand] of its motion that a strand makes, NULL: all of it
    const double *drift; // [strand][3] velocity of the rest
    bool first;          // of the step: what contact makes of it is not known
    double wide;         // how far dry strands matter to each other: share of the touching distance
} dr_candidates;

// Pairs of edges whose corridors meet into set->tree, and others: pairs live on as long as edges stay in the corridors
// they were found for, be it in another round or in another step. again: of another motion from the same places. False
// when memory is out.
bool dr_candidates_find(const dr_candidates *candidates, const dr_par *par, bool again);

// What is known of pairs from the last look at a motion. Marks the strands whose motion is another one now, all where
// the pairs are others; makes room. False when memory is out.
bool dr_candidates_recall(const dr_candidates *candidates, const dr_par *par);

// Pairs are looked at with this motion.
void dr_candidates_seen(const dr_candidates *candidates, const dr_par *par);

static inline bool dr_candidates_moved(const dr_candidates *candidates, const dr_tree_pair *pair)
{
    const dr_contact_set *s = candidates->set;
    return s->moved[s->edge_strand[pair->first]] || s->moved[s->edge_strand[pair->second]];
}

// Whether a pair is known to stay apart in this motion, since it stayed apart by more in one before. (37)
static inline bool dr_candidates_keep_apart(const dr_candidates *candidates, const dr_tree_pair *pair)
{
    const dr_contact_set *s = candidates->set;
    return s->at[pair->first] + s->at[pair->second] < pair->until && s->places == s->seen_places;
}

// Whether two edges have anything to do with each other. (17)
bool dr_candidates_may_meet(const dr_candidates *candidates, const dr_tree_pair *pair);

// Both edges of a pair: their ends as the step begins, and how far these go.
void dr_candidates_motion(const dr_candidates *candidates, const dr_tree_pair *pair, double x[12], double motion[12]);

// The touching distance of a pair where its edges are thickest.
double dr_candidates_touching(const dr_candidates *candidates, const dr_tree_pair *pair);

// The way of a vertex as seen from a collider where that stands at the end of the step. False where it stays farther
// than `reach` from it.
bool dr_candidates_solid_motion(const dr_candidates *candidates, int32_t strand, size_t vertex, int solid, double reach,
                                double start[3], double motion[3]);

// The first time at which a point on that way comes within reach: never late, `slack` too far at most.
bool dr_candidates_meet_solid(const dr_collider_set *set, int solid, const double start[3], const double motion[3],
                              double reach, double slack, double *time);

// The same of an edge and both its ends, edge.c.
bool dr_candidates_edge_motion(const dr_candidates *candidates, int32_t strand, size_t vertex, int solid, double reach,
                               double start[6], double motion[6]);
bool dr_candidates_meet_edge(const dr_collider_set *set, int solid, const double start[6], const double motion[6],
                             double reach, double slack, double *time, double *place);

// The least distance of an edge that was found, its place, and what it cannot be below: to `slack` where it is within
// reach, less exactly where it is not; more than `enough`: farther than that.
typedef struct dr_edge_look {
    double reach, enough, slack;
} dr_edge_look;

double dr_candidates_edge_clearance(const dr_collider_set *set, int solid, const double edge[6],
                                    const dr_edge_look *look, double *place, double *below);

// The place that is nearest to the collider beside one that was found.
double dr_candidates_edge_nearest(const dr_collider_set *set, int solid, const double edge[6], double place,
                                  double enough);

// How much of the motion of its vertices the freer of two sides has where scripts hold some of them. (48)
static inline double dr_candidates_freedom(const dr_contact_bodies *bodies, const int32_t vertex[2],
                                           const double place[2])
{
    double most = 0.0;
    if (!bodies->held) return 1.0;
    for (int side = 0; side < 2 && vertex[side] >= 0; side++) {
        const bool *held = bodies->held + vertex[side];
        double free = (held[0] ? 0.0 : 1.0 - place[side]) + (place[side] > 0.0 && !held[1] ? place[side] : 0.0);
        most = free > most ? free : most;
    }
    return most;
}

// How far a vertex goes.
static inline void dr_candidates_way(const dr_candidates *candidates, int32_t strand, size_t vertex, double way[3])
{
    const dr_contact_bodies *b = candidates->bodies;
    const double dt = b->compliance->dt, *v = b->velocity + 3 * vertex;
    bool all = !candidates->share || (b->held && b->held[vertex]);
    double share = all ? 1.0 : candidates->share[strand];
    for (int a = 0; a < 3; a++)
        way[a] = dt * (all ? v[a] : share * v[a] + (1.0 - share) * candidates->drift[3 * strand + a]);
}

// A motion of an edge, from the middle of all vertices, and how far others of it may be from that. (49)
struct dr_contact_corridor {
    double x[6], motion[6]; // of its ends
    double reach;           // how far from it anything matters
    double slack;           // how far from there its ends may be, and how much more may matter, together
};

// Strands that are held together: impact_zones.c. Sums over their vertices.
struct dr_contact_zone {
    int32_t root;  // the strand that stands for the zone; of a strand that does not, one nearer to it
    bool anchored; // met a collider
    bool driven;   // scripts move some of it
    double share;
    double weight, sum[3];           // of velocities
    double held_weight, held_sum[3]; // of those that scripts hold
};

size_t dr_candidates_vertices(const dr_contact_bodies *bodies);
double dr_candidates_film_height(double area, double radius);

#endif
