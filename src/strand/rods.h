// Bending and twist of curves whose vertices somebody else moves, as a function of where they are. docs/theory/rods.md,
// "Rods of others". The energies are those of the strand solver (bend.h, twist.h); what turns edges about themselves is
// always in equilibrium (Bergou et al. 2008, quasistatic frames):
//   E(x) = min over turns of E(x, turns)
// so that its slope needs no derivative of the turns, and its second derivative is a Schur complement.
#ifndef DR_STRAND_RODS_H
#define DR_STRAND_RODS_H

#include "par/par.h"
#include "strand/strand.h"

typedef struct dr_rods {
    size_t curves, vertices;
    uint32_t *first; // [curve + 1] vertex
    size_t curve_capacity, vertex_capacity, state_capacity;
    bool stiff; // any of them
    // state; that of an edge is kept where it starts
    double *director; // [vertex][3] first director of the edge
    double *twist;    // [vertex] rad, whole turns counted
    // made of
    double *curvature, *rest_twist; // [vertex][4], [vertex] at rest
    double *bend, *torsion;         // [vertex][2], [vertex] B / (2 length), k_t / length, dyn cm
    double *turn_held;              // [vertex] 1: the turn of the edge is given
    // working
    uint32_t *slot;               // [curve + 1] where its rows begin
    size_t slots;                 // of a row
    double *row;                  // [row][slot]
    float *matrix;                // [slot][36]
    double *energy;               // [curve]
    size_t opened, curves_opened; // bytes of row, of energy
} dr_rods;

extern const dr_column_table dr_rods_columns; // director, twist

// Appends strand s as it is made: rest shape, stiffness, frames, what is held of its turns. False when memory is out.
bool dr_rods_add(dr_rods *rods, const dr_allocator *allocator, const dr_strands *strands, int s);

// After the last curve: room to work in. False when memory is out.
bool dr_rods_open(dr_rods *rods, const dr_allocator *allocator, bool implicit);
void dr_rods_free(dr_rods *rods, const dr_allocator *allocator);

// As a step begins, vertices at x[vertex][3]: frames that are in equilibrium there. Gives the energy, erg.
double dr_rods_start(dr_rods *rods, const dr_par *par, const double *x);

// Where a held edge will point its first director at the end of the step.
void dr_rods_lead(dr_rods *rods, size_t curve, size_t edge, const double director[3]);

// Whether the turn of an edge is given or finds itself, from now on.
void dr_rods_hold_turn(dr_rods *rods, size_t curve, size_t edge, bool held);

// Energy at places where the step may end, frames having followed from its beginning.
double dr_rods_look(dr_rods *rods, const dr_par *par, const double *x);

// At the places last looked at: adds the slope to gradient[vertex][3], dyn.
void dr_rods_gradient(dr_rods *rods, const dr_par *par, double *gradient);

// There too: what any number of products with velocities [vertex][4] need. `whole`: the exact second derivative;
// otherwise the part of it that is never negative.
void dr_rods_linearise(dr_rods *rods, const dr_par *par, bool whole);
void dr_rods_apply(dr_rods *rods, const dr_par *par, const float *velocity, double *out); // is added to

// There too: a bound of the largest eigenvalue of mass^-1 times the second derivative, its part that is never negative,
// 1/s2.
double dr_rods_limit(dr_rods *rods, const dr_par *par, const double *mass);

// Commits: the state becomes the frames as the step began, carried to where vertices are now.
void dr_rods_keep(dr_rods *rods, const dr_par *par, const double *x);

#endif
