// Contacts: two places on strands, or a place on a strand and a collider, and the impulse between them.
// docs/theory/contact.md.
#ifndef DR_CONTACT_CONTACT_H
#define DR_CONTACT_CONTACT_H

#include "base/memory.h"
#include "contact/cone.h"
#include "drench/report.h"
#include "linear/compliance.h"
#include "par/par.h"

typedef struct dr_contact {
    int32_t strand[2]; // the second is -1 for a collider
    int32_t vertex[2]; // where the edge of each side begins, in the compliance's numbering; -1 for a collider
    double place[2];   // along that edge, 0..1
    int32_t solid;     // which collider, -1 for none
    bool spring;       // the normal impulse is that of a spring, of either sign, and there is no friction
    double frame[9];   // normal from second to first, two tangents; rows
    double distance;   // of both places as the step begins, cm
    double touching;   // the distance at which both sides touch, cm
    double gap;        // along the normal as the step begins, cm: what may be closed within the step
    double least;      // the least normal velocity, cm/s
    double solid_velocity[3];
    double friction;
    double pull;       // impulse of attraction over the step, dyn s
    double wet[4];     // how far its liquid reaches, back and on along the first side and the second, cm
    double compliance; // of a spring: velocity per impulse
    double impulse[3]; // that the cone gives, pull not yet taken off; in the frame, dyn s
    double slip;       // alpha of eq. (9), of the last solve; 0: not known
    double applied[3]; // that the velocities of the compliance know of already, pull taken off; in the frame, dyn s
} dr_contact;

static inline bool dr_contact_is_external(const dr_contact *contact)
{
    return contact->strand[1] < 0;
}

// What a miss counts against, cm: the distance that there is to lose, as far as both sides touch, or what an overlap is
// to be taken back by, where that is more. (44)
static inline double dr_contact_room(const dr_contact *contact, double dt)
{
    double there = contact->gap < 0.0 ? contact->touching + contact->gap : contact->touching;
    return contact->least * dt > there ? contact->least * dt : there;
}

// Completes the frame of a contact whose normal is set.
void dr_contact_frame(dr_contact *contact);

// ---- solver: Gauss-Seidel over coloured contacts with the strands' true compliance

typedef struct dr_contact_settings {
    int most_sweeps;
    double tolerance; // root mean square violation over the scale
    double scale;     // cm/s; 0: root mean square of the velocities that contacts have to stop
    double most_miss; // share of its room that any contact may be too near by at the end of the step; 0: any
} dr_contact_settings;

typedef struct dr_contact_solver dr_contact_solver;

dr_contact_solver *dr_contact_solver_create(const dr_allocator *allocator); // NULL when memory is out
void dr_contact_solver_destroy(dr_contact_solver *solver);

// Blocks of the Delassus operator, colours, the response to the impulses that contacts start with beyond those applied.
// False when memory is out. The contacts and the compliance stay until the last use of the solver.
bool dr_contact_solver_setup(dr_contact_solver *solver, const dr_par *par, const dr_compliance *compliance,
                             dr_contact *contacts, size_t count);

// Sweeps until Coulomb's law holds to the tolerance, and leaves the impulses in the contacts. False when memory is out.
bool dr_contact_solver_run(dr_contact_solver *solver, const dr_par *par, const dr_contact_settings *settings,
                           dr_solve_report *report);

// Contacts that are found after a solve and have no impulse.
typedef struct dr_contact_latecomers {
    size_t count;
    double violation2; // sum of squares, cm2/s2
    double miss;       // the largest, of their room
} dr_contact_latecomers;

// How these violate Coulomb's law where their sides move against each other by v, in the contact's frame.
void dr_contact_latecomers_add(dr_contact_latecomers *all, const dr_contact *contact, const double v[3], double dt);

// Whether a solve of all that begins with what the last one reported would end at once.
bool dr_contact_solver_leaves(const dr_contact_solver *solver, const dr_contact_settings *settings,
                              const dr_solve_report *last, const dr_contact_latecomers *all);

// The same contacts lie elsewhere now.
void dr_contact_solver_move(dr_contact_solver *solver, dr_contact *contacts);

// Root mean square of the velocities that contacts have to stop, cm/s, where vertices move by velocity[vertex][3].
double dr_contact_solver_scale(dr_contact_solver *solver, const dr_par *par, const double *velocity);

// One sweep over all contacts that are worked on and are not springs, and the root mean square violation of Coulomb's
// law, cm/s: what a benchmark times.
void dr_contact_solver_sweep(dr_contact_solver *solver, const dr_par *par);
double dr_contact_solver_violation(dr_contact_solver *solver, const dr_par *par);
int dr_contact_solver_colours(const dr_contact_solver *solver);
size_t dr_contact_solver_rows(const dr_contact_solver *solver); // contacts that are worked on

// Bytes that a sweep reads; *columns: right-hand sides that the set-up solved for.
double dr_contact_solver_bytes(const dr_contact_solver *solver, double *columns);

// change[vertex][4]: what the impulses beyond those applied change velocities and turns by; zero for strands without
// contact.
void dr_contact_solver_respond(dr_contact_solver *solver, const dr_par *par, double *change);

// The impulses of all contacts on vertices, pull taken off: impulse[vertex][3], dyn s.
void dr_contact_impulses(const dr_contact *contacts, size_t count, size_t vertices, double *impulse);

#endif
