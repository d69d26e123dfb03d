// Contacts that are springs, and cones among them. docs/theory/contact.md eq. (15), (39), (40).
#ifndef DR_CONTACT_SPRINGS_H
#define DR_CONTACT_SPRINGS_H

#include "contact/rows.h"

bool dr_springs_reserve(dr_contact_solver *solver);

// What springs need of a strand that is touched; matrix: the compliance of its touched vertices.
void dr_springs_fill(dr_contact_solver *solver, const dr_contact_host *host, const double *matrix);
void dr_springs_place(dr_contact_solver *solver); // what is read of them, when there are rows

// The response to the impulses that springs start with.
void dr_springs_start(dr_contact_solver *solver, const dr_par *par);

// A sweep over cones, as dr_contact_solver_sweep() makes, the other way round.
void dr_contact_solver_sweep_back(dr_contact_solver *solver, const dr_par *par);

// Sweeps that lead away, eq. (47): the impulses of the best look so far are kept, and gone back to, from where on
// changes are half as long. Gives the violation of these.
#define DR_CONTACT_SHORTEST 1e-3 // share of a change that is worth making
void dr_contact_solver_keep_best(dr_contact_solver *solver);
bool dr_contact_solver_is_lost(double violation, double best);
double dr_contact_solver_go_back(dr_contact_solver *solver, const dr_par *par);

// Gives the violation that is left.
double dr_springs_relax(dr_contact_solver *solver, const dr_par *par, const dr_contact_settings *settings, double limit,
                        double violation, int *iterations);

// ---- spring_groups.c: blocks of springs between the same two strands (40)

bool dr_spring_groups_make(dr_contact_solver *solver); // after rows and uses; false when memory is out

// The part of a touched strand in the blocks of its springs, and in their own answers.
void dr_spring_groups_fill(dr_contact_solver *solver, const dr_contact_host *host, const double *matrix);
void dr_spring_groups_factorise(dr_contact_solver *solver, const dr_par *par);

// to = (blocks of S + C)^-1 from, of springs; vectors as in springs.c.
void dr_spring_groups_solve(dr_contact_solver *solver, const dr_par *par, const double *from, double *to);

#endif
