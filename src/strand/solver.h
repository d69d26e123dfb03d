// The implicit step of all strands. docs/theory/rods.md, eq. (21)-(32).
#ifndef DR_STRAND_SOLVER_H
#define DR_STRAND_SOLVER_H

#include "drench/report.h"
#include "linear/compliance.h"
#include "par/par.h"
#include "strand/strand.h"

// What liquid and contact do to vertices during a step; any may be NULL.
typedef struct dr_strand_load {
    const double *film_matrix;       // [vertex][6] g: film that moves with it, xx xy xz yy yz zz
    const double *film_impulse;      // [vertex][3] dyn s
    const double *film_tension;      // [vertex] dyn, along the edge
    const double *film_turn;         // [vertex] g cm2: inertia of the film that turns with the edge
    const double *film_spin;         // [vertex] dyn cm s, on the edge about itself
    const double *impulse;           // [vertex][3] dyn s, of contacts and loads
    const double *turn_impulse;      // [vertex] dyn cm s, on the edge about itself
    const double *drag;              // [vertex][2] along and across the strand, dyn s/cm
    const double *liquid_velocity;   // [vertex][3] cm/s, where there is drag
    const double *pressure_gradient; // [vertex][3] dyn/cm3
    const double *volume;            // [vertex] cm3 that it acts on; NULL: the strand's own
    const double *acceleration;      // [vertex][3] cm/s2, of force fields, besides gravity
} dr_strand_load;

// Where held vertices and directors are to be at the end of the step: [vertex][3], looked at where `held` says so; and
// how far edges turn about themselves, about, so that whole turns are counted: [vertex], NULL: less than half a turn.
typedef struct dr_strand_goal {
    const double *position, *director, *turn;
} dr_strand_goal;

// The first of the two stages of TR-BDF2 ends after this share of the step.
#define DR_STRAND_MIDDLE 0.5857864376269049 // 2 - sqrt(2)

typedef struct dr_strand_step {
    double dt, gravity[3];
    const dr_strand_goal *goal;
    const dr_strand_goal *middle; // the goal at the end of the first stage; looked at for strands of two stages
    const unsigned char *order;   // [strand] dr_strand_order, NULL: backward Euler for all
    const double *acceleration;   // [vertex][3] as the step begins, for strands of two stages; NULL: the strands' own
    const double *spin_rate;      // [vertex] likewise
    const dr_strand_load *load;   // NULL: dry and free
    bool keep;                    // the factorised systems, for dr_strand_solver_compliance
    bool twice;                   // and what dr_strand_solver_continue goes on from
    const double *velocity;       // [vertex][3] cm/s, with spin, [vertex] rad/s: a motion about which the step is made
    const double *spin;           // linear, one iteration of Newton's method; NULL: as many as it takes
    const double *length;         // [vertex] cm, of edges as the linear answer that led there has them
    const bool *wanted;           // [strand] of such a step: others stay as they were predicted; NULL: all
} dr_strand_step;

typedef struct dr_strand_verdict {
    int64_t iterations;        // Newton's, over all strands
    int64_t vertex_iterations; // weighed with the vertices of the strand
    int most;                  // of one strand
    int failed;                // strands that did not converge
    dr_reason reason;          // of the worst
    double size;               // its last step, cm
} dr_strand_verdict;

typedef struct dr_strand_solver dr_strand_solver;

// Room for these strands, whose number and sizes must not change; NULL when memory is out.
dr_strand_solver *dr_strand_solver_open(const dr_strands *strands, const dr_allocator *allocator, const dr_par *par);
void dr_strand_solver_close(dr_strand_solver *solver);

// For the first step of all, by two stages: the accelerations that strands start it with, as they would be released
// from rest where they are. acceleration[vertex][3], spin_rate[vertex]. False when memory is out.
bool dr_strand_solver_release(dr_strand_solver *solver, const dr_strands *strands, const dr_strand_step *step,
                              double *acceleration, double *spin_rate, dr_strand_verdict *verdict);

// Solves for the end of the step; the strands are not touched. False when memory is out.
bool dr_strand_solver_predict(dr_strand_solver *solver, const dr_strands *strands, const dr_strand_step *step,
                              dr_strand_verdict *verdict);

// The step that was predicted last, with `twice`, once more: of wanted strands, which all go by one stage, with these
// further impulses on vertices, [vertex][3] dyn s, which `load` contains by now. It goes on from where the prediction
// ended, with the linear answer to the impulses. The others stay as they are.
void dr_strand_solver_continue(dr_strand_solver *solver, const dr_strands *strands, const dr_strand_step *step,
                               const bool *wanted, const double *impulse, dr_strand_verdict *verdict);

// What a predicted step would bring, to be read and, by contact, to be changed: [vertex][3] cm/s, the way over the step
// divided by its time. For strands of one stage that is the velocity at its end.
double *dr_strand_solver_velocity(dr_strand_solver *solver);
double *dr_strand_solver_spin(dr_strand_solver *solver); // [vertex] rad/s, of edges about themselves, likewise
const double *dr_strand_solver_position(const dr_strand_solver *solver);

// The velocity that strand s has at the end of the step, [vertex][3] of all strands' vertices.
const double *dr_strand_solver_end_velocity(const dr_strand_solver *solver, int s);

// The factorised systems of the last step that was predicted with `keep`, and the velocities it came to. They stay
// until the next prediction.
dr_compliance dr_strand_solver_compliance(const dr_strand_solver *solver, const dr_strands *strands);

// How much of its own motion each vertex has in these systems, [vertex][3] along the axes: 1 where nothing is held, 0
// where a script holds it or a strand that does not stretch. Of strands with wanted[strand] only; the others keep what
// they have. docs/theory/strands_in_liquid.md, eq. (7). False when memory is out.
bool dr_strand_solver_freedom(dr_strand_solver *solver, const dr_strands *strands, const bool *wanted, double *freedom);

// What impulses on vertices, [vertex][3], change velocities by in these systems: [vertex][3], of wanted strands alone.
// False when memory is out.
bool dr_strand_solver_respond(dr_strand_solver *solver, const dr_strands *strands, const bool *wanted,
                              const double *impulse, double *change);

// After velocities were changed: places, frames and twist that belong to them. changed[strand]: which; NULL: all. These
// velocities will be those at the end of the step.
void dr_strand_solver_correct(dr_strand_solver *solver, const dr_strands *strands, double dt,
                              const unsigned char *changed);

// Whether strand s was corrected since it was predicted.
bool dr_strand_solver_corrected(const dr_strand_solver *solver, int s);

// Makes the predicted state the state.
void dr_strand_solver_commit(dr_strand_solver *solver, dr_strands *strands);

#endif
