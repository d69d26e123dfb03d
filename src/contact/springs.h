// Contacts that are springs, all of them. docs/theory/contact.md eq. (15).
#ifndef DR_CONTACT_SPRINGS_H
#define DR_CONTACT_SPRINGS_H

#include "contact/rows.h"

bool dr_springs_reserve(dr_contact_solver *solver);

// What springs need of a strand that is touched; block: eight right-hand sides, near: 18 doubles a touched vertex.
void dr_springs_fill(dr_contact_solver *solver, const dr_contact_host *host, double *block, double *near);

// The response to the impulses that contacts start with.
void dr_springs_start(dr_contact_solver *solver, const dr_par *par);

// Gives the violation that is left.
double dr_springs_relax(dr_contact_solver *solver, const dr_par *par, const dr_contact_settings *settings, double limit,
                        double violation, int *iterations);

#endif
