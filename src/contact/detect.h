// Which strands meet during a step, where and with what law. docs/theory/contact.md, "Detection", "Activation".
#ifndef DR_CONTACT_DETECT_H
#define DR_CONTACT_DETECT_H

#include "bridge/table.h"
#include "collide/collider.h"
#include "contact/contact.h"
#include "geom/tree.h"

// Liquid between strands; surface_tension 0 and goo zero: dry.
typedef struct dr_contact_law {
    double surface_tension, contact_angle;
    dr_bridge_goo goo;
    const dr_bridge_table *pair, *plane; // of the contact angle; NULL where dry
} dr_contact_law;

// The strands during one step, vertices in the numbering of the compliance.
typedef struct dr_contact_bodies {
    const dr_compliance *compliance;  // places as the step begins, its length
    const double *velocity;           // [vertex][3] of the motion that is looked at
    const double *start_velocity;     // [vertex][3] as the step begins
    const double *radius;             // [vertex]
    const double *mass;               // [vertex] g; NULL: as radius^2
    const double *film;               // [vertex] cross-section of the liquid layer, cm2; NULL: dry
    const double *exposed;            // [vertex] how much of bridges there is: 0 under liquid, 1 in air; NULL: all
    const double *friction;           // [strand]
    const bool *idle;                 // [strand] takes no part; NULL: all do
    const bool *held;                 // [vertex] a script moves it, whatever it meets; NULL: none
    const dr_collider_set *colliders; // at the end of the step; NULL: none
    double collider_speed;            // of any of them during the step, at most
    const dr_contact_law *law;        // of all strands
    const dr_contact_law *laws;       // of each kind of strand; NULL: law is that of all
    int law_count;
    const int32_t *kind; // [strand]; read where there are laws
    bool angle_known;    // widest_angle is that of all laws: there may be as many as strands
    double widest_angle;
} dr_contact_bodies;

// The liquid of one strand, and that of a bridge between two; the second may be -1, a collider's. Of unlike liquids the
// one of less surface tension spreads over the other, and its law holds.
const dr_contact_law *dr_contact_law_of(const dr_contact_bodies *bodies, int32_t strand);
const dr_contact_law *dr_contact_law_between(const dr_contact_bodies *bodies, const int32_t strand[2]);
double dr_contact_widest_angle(const dr_contact_bodies *bodies);                        // of any liquid
double dr_contact_exposure(const dr_contact_bodies *bodies, const dr_contact *contact); // of the bridge there, 0..1

// A contact of the last step: who, where, and the force between them. This is all that persists.
typedef struct dr_contact_record {
    int32_t strand[2], vertex[2], solid;
    double place[2];
    double force[3]; // on the first, dyn, pull taken off
} dr_contact_record;

typedef struct dr_contact_set {
    const dr_allocator *allocator;
    dr_contact *contacts;
    size_t count, capacity;
    size_t added; // contacts that the last dr_contact_set_extend found
    // working
    int32_t *edge_vertex, *edge_strand; // [edge]
    size_t edge_count, edge_vertex_capacity, edge_strand_capacity;
    int32_t *edge_first; // [strand][2] its first vertex and its first edge, after the last strand their numbers
    size_t edge_first_count, edge_first_capacity;
    struct dr_contact_corridor *corridors; // [edge]
    dr_tree_box *boxes;                    // around them
    bool boxed;                            // corridors and pairs are there, of this step or of one before
    double centre[3], drift[3]; // of all vertices: where corridors are measured from, and how fast that moves
    double *middles;            // [piece][6] sums of vertices
    size_t middle_capacity;
    bool *strays;      // [edge] has left its corridor
    uint32_t *strayed; // such edges
    size_t strays_capacity;
    size_t strayed_count, strayed_since, strayed_capacity; // now; since all were made
    size_t corridor_capacity;
    bool crowded;
    size_t box_capacity;
    dr_tree tree;
    uint64_t edition, seen_edition; // of the pairs; of those that were looked at
    double *seen;                   // [vertex][3] velocities of the motion that was looked at
    uint8_t *moved;                 // [strand] its motion is another one now
    uint8_t *near;                  // [pair] came near in that motion
    uint64_t places, seen_places;   // of strands, which every step begins from; of those that were looked at
    double *gone, *at; // [edge] how far motions from these places are from the first one that was looked at, one after
                       // another added up: the last one; that at hand
    size_t gone_capacity, at_capacity;
    double *solid_spare, *solid_seen; // [vertex] by how much more than it needs it stays away from colliders;
                                      // [vertex][3] velocities of the motion that was looked at, from solid_places
    size_t solid_spare_capacity, solid_seen_capacity;
    uint64_t solid_places;
    size_t seen_capacity, moved_capacity, near_flag_capacity;
    uint8_t *found; // contacts of every pair, then of every vertex and collider
    size_t found_capacity;
    size_t *starts;
    size_t start_capacity;
    dr_contact *fresh;
    size_t fresh_capacity;
    dr_sort_item *items, *spare;
    size_t item_capacity, spare_capacity;
    int32_t *shares; // [vertex] contacts that the liquid of an edge is divided among
    size_t share_capacity;
    size_t *index; // [vertex + 1] where its records begin
    size_t index_capacity;
    dr_contact_record *links, *near_links; // of the penalty model: all, and the nearest of each vertex and strand
    size_t near_count, link_capacity, near_capacity;
    double *times; // when pairs and vertices meet something
    size_t time_capacity;
    struct dr_contact_zone *zones; // [strand] of strands that are held together
    size_t zone_capacity;
} dr_contact_set;

void dr_contact_set_open(dr_contact_set *set, const dr_allocator *allocator);
void dr_contact_set_close(dr_contact_set *set);

// Where so many pairs of edges might meet that strands must have gone astray, set->crowded is true from then on until
// the next dr_contact_set_find, and what is found is of no use.

// Finds the contacts of a motion, warm-started from the records of the last step (sorted as dr_contact_set_record
// leaves them). Room for as many as there are; false when memory is out.
bool dr_contact_set_find(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies,
                         const dr_contact_record *records, size_t record_count);

// Adds the contacts that another motion from the same places violates and that are not among those found so far.
bool dr_contact_set_extend(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies);

// Appends the contacts with colliders alone, after whatever else the set holds.
bool dr_contact_set_add_solids(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies);

// Starts the contacts with colliders, sorted by vertex, with the forces of the last step.
void dr_contact_set_warm_solids(dr_contact_set *set, double dt, const dr_contact_record *records, size_t count);

// What is to be remembered: records[set->count].
void dr_contact_set_record(const dr_contact_set *set, double dt, dr_contact_record *records);

// The last check, after dr_contact_set_find from the same places or on a set that is new: how much of its motion every
// strand may make, share[strand] in 0..1, so that no strand passes through another or comes through the surface of a
// collider. For the rest it goes along with those it would have met, drift[strand][3], cm/s. Vertices that are held by
// scripts move all the way; *blocked counts pairs of edges that meet because of these. Gives the number of strands held
// back, negative when memory is out.
long dr_contact_set_hold(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies, double *share,
                         double *drift, long *blocked);

// Whether a strand was held because it or one it goes along with met a collider.
bool dr_contact_set_anchored(const dr_contact_set *set, int32_t strand);

#endif
