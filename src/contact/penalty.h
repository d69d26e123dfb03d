// The penalty model of Fei et al. 2017: springs between neighbouring hairs that push when they overlap and pull by the
// bridge between them, without friction. docs/theory/contact.md, "Penalty model".
#ifndef DR_CONTACT_PENALTY_H
#define DR_CONTACT_PENALTY_H

#include "contact/detect.h"

typedef struct dr_penalty {
    double stiffness;  // per length, dyn/cm2
    double multiplier; // rest distance over touching distance
} dr_penalty;

// The combined force of contact and bridge at distance d of axes that touch at `touching`, per length, attraction
// positive; and the stiffness that gives it when stretched from the rest distance (may be NULL).
double dr_penalty_force(const dr_penalty *penalty, const dr_contact_law *law, double touching, double distance,
                        double area, double *secant);

// The work per length of pulling two fibres apart from their rest distance to rupture: the energy of adhesion.
double dr_penalty_adhesion(const dr_penalty *penalty, const dr_contact_law *law, double touching, double area);

// Springs of a motion into set->contacts, and the links of vertices to other strands that they come from: what is to
// be remembered instead of dr_contact_set_record, set->near_links[set->near_count], sorted; force holds the distance,
// whether there is a bridge, and its area. False when memory is out.
bool dr_penalty_find(dr_contact_set *set, const dr_par *par, const dr_contact_bodies *bodies, const dr_penalty *penalty,
                     const dr_contact_record *links, size_t link_count);

// Writes the forces of springs into the links of the edges they act on, for the next step to start from.
void dr_penalty_keep(dr_contact_set *set, double dt);

#endif
