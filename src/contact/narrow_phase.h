// Where strands touch each other and colliders. docs/theory/contact.md eq. (1)-(4), (16)-(20).
#ifndef DR_CONTACT_NARROW_PHASE_H
#define DR_CONTACT_NARROW_PHASE_H

#include "contact/candidates.h"

typedef struct dr_narrow_phase {
    dr_contact_set *set;
    const dr_contact_bodies *bodies;
    dr_candidates candidates;
    const dr_contact_record
        *records; // of the last step, sorted by vertex; set->index says where those of a vertex begin
    bool linked;  // records count
    size_t pairs; // of edges that are looked at
    bool again;   // contact has changed the motion already
} dr_narrow_phase;

enum { DR_TOUCH_MOST = 3 }; // contacts of a pair of edges

// What a look at a pair of edges finds out.
typedef struct dr_touch_look {
    bool near;    // they come within reach of each other's surfaces
    double spare; // by how much more than they need they stay apart, cm; 0 or less: it may be that they do not
} dr_touch_look;

// The contacts of two edges, or of a vertex and the edge that begins there with all colliders (out may be NULL; in later
// looks such as the motion violates); gives how many.
int dr_narrow_phase_edges(const dr_narrow_phase *job, const dr_tree_pair *pair, dr_touch_look *look,
                          dr_contact out[DR_TOUCH_MOST]);
int dr_narrow_phase_solids(const dr_narrow_phase *job, size_t vertex, int32_t strand, dr_contact *out);

// By how much more than it needs the edge that begins at a vertex stays away from all colliders, cm; 0 or less: it may
// be that it does not. Ends that go elsewhere by a distance take three times as much of it.
double dr_narrow_phase_solids_spare(const dr_narrow_phase *job, size_t vertex, int32_t strand);

// How far from a contact of two strands its liquid is looked for along either: two edges of the coarser one, cm.
double dr_narrow_phase_span(const dr_contact_bodies *bodies, const dr_contact *contact);

// Velocity of a contact's first side against its second, from that of the vertices.
void dr_narrow_phase_relative(const dr_contact *contact, const double *velocity, double v[3]);

// Whether the motion brings the sides of a contact too near.
bool dr_narrow_phase_violates(const dr_contact *contact, const dr_contact_bodies *bodies);

#endif
