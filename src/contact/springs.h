// Contacts that are springs, and cones among them. docs/theory/contact.md eq. (15), (39), (40).
#ifndef DR_CONTACT_SPRINGS_H
#define DR_CONTACT_SPRINGS_H

#include "contact/rows.h"

bool dr_springs_reserve(dr_contact_solver *solver);

// What springs need of a strand that is touched; block: eight right-hand sides, matrix: of its touched vertices.
void dr_springs_fill(dr_contact_solver *solver, const dr_contact_host *host, double *block, double *matrix);

// The response to the impulses that contacts start with.
void dr_springs_start(dr_contact_solver *solver, const dr_par *par);

// Gives the violation that is left.
double dr_springs_relax(dr_contact_solver *solver, const dr_par *par, const dr_contact_settings *settings, double limit,
                        double violation, int *iterations);

// ---- spring_groups.c: blocks of springs between the same two strands, the preconditioner (40)

bool dr_spring_groups_make(dr_contact_solver *solver); // after rows and uses; false when memory is out

// The part of a touched strand in the blocks of its springs, and in their own answers.
void dr_spring_groups_fill(dr_contact_solver *solver, const dr_contact_host *host, const double *matrix);
void dr_spring_groups_factorise(dr_contact_solver *solver, const dr_par *par);

// Of the normals of all springs: to = (blocks of S + C)^-1 from; three numbers per row.
void dr_spring_groups_solve(dr_contact_solver *solver, const dr_par *par, const double *from, double *to);

#endif
