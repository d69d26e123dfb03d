// The contacts that are swept: all, or those of strands about single ones that are not solved. docs/theory/contact.md
// eq. (51).
#ifndef DR_CONTACT_SUBDOMAIN_H
#define DR_CONTACT_SUBDOMAIN_H

#include "contact/rows.h"

bool dr_subdomain_reserve(dr_contact_solver *solver);

// All contacts.
void dr_subdomain_open(dr_contact_solver *solver);

// Those of the strands of contacts that the last look at all has found too near, and of strands that these touch, so
// many times over.
void dr_subdomain_close_in(dr_contact_solver *solver, int hops);

static inline bool dr_subdomain_is_all(const dr_contact_solver *solver)
{
    return solver->swept_count == solver->cones;
}

#endif
