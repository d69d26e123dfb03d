// Which contacts the solver works on, and what whole strands answer. docs/theory/contact.md eq. (50).
#ifndef DR_CONTACT_WORKING_SET_H
#define DR_CONTACT_WORKING_SET_H

#include "contact/rows.h"

// Lists the contacts that act as the solve begins, or that the motion violates which they make. False when memory is
// out.
bool dr_working_set_start(dr_contact_solver *solver, const dr_par *par);

// What is not listed: how the motion of the impulses as they are in the contacts violates it.
typedef struct dr_working_rest {
    double violation2; // sum of squares, cm2/s2
    double miss;       // the largest, touching distances per second
    size_t count;      // of those that come too near by more than a change is worth
} dr_working_rest;

// Rows begin from what the strands answer to the impulses in the contacts, if that is known. (53)
void dr_working_set_refine(dr_contact_solver *solver, const dr_par *par);

dr_working_rest dr_working_set_look(dr_contact_solver *solver, const dr_par *par);

// Of what is not listed the sum of squares of the velocities that it has to stop where vertices move by
// velocity[vertex][3].
double dr_working_set_free(dr_contact_solver *solver, const dr_par *par, const double *velocity);

// Lists those too.
void dr_working_set_extend(dr_contact_solver *solver);

#endif
