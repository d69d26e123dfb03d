// One implicit step of up to eight strands side by side: the minimum over places q and turns of
//   sum weight/2 |q - anchor|^2 + stretch + bending + twist,
// by Newton's method with a line search on this energy, lane by lane. docs/theory/rods.md, eq. (21)-(27).
#ifndef DR_STRAND_NEWTON_H
#define DR_STRAND_NEWTON_H

#include "drench/report.h"
#include "linear/banded_ldlt.h"

#define DR_ROD_WIDTH DR_LDLT_WIDTH
#define DR_ROD_HELD  1e40 // on the diagonal of what is held: beyond any stiffness, its square is still a number

// What does not change during the solve. Edge values are those of the edge that starts at the vertex, curvatures and
// twist those of the vertex; a vertex without them has stiffness 0.
typedef struct dr_rod_row {
    double anchor[3][DR_ROD_WIDTH], weight[DR_ROD_WIDTH]; // dyn/cm
    double held[DR_ROD_WIDTH];                            // 0: free, 1: held where the guess puts it
    double turn_anchor[DR_ROD_WIDTH], turn_weight[DR_ROD_WIDTH], turn_held[DR_ROD_WIDTH];
    double length[DR_ROD_WIDTH], stretch[DR_ROD_WIDTH];       // at rest, cm; dyn/cm
    double drawn[DR_ROD_WIDTH];                               // cm: in the linear answer before; read where `once`
    double curvature[4][DR_ROD_WIDTH], bend[2][DR_ROD_WIDTH]; // at rest; dyn cm
    double twist[DR_ROD_WIDTH], torsion[DR_ROD_WIDTH];        // at rest; dyn cm
} dr_rod_row;

// Where strands are.
typedef struct dr_rod_place {
    double x[3][DR_ROD_WIDTH];
    double tangent[3][DR_ROD_WIDTH], director[3][DR_ROD_WIDTH]; // of the edge
    double turn[DR_ROD_WIDTH];                                  // of the edge since the step began, rad
    double twist[DR_ROD_WIDTH];                                 // at the vertex, rad, whole turns counted
} dr_rod_place;

typedef struct dr_newton {
    int rows; // vertices of the longest
    dr_rod_row *row;
    dr_rod_place *base, *trial;
    double (*drag)[6][DR_ROD_WIDTH]; // a symmetric matrix per vertex besides its weight (xx xy xz yy yz zz); NULL: none
    double (*guess)[4][DR_ROD_WIDTH], (*step)[4][DR_ROD_WIDTH]; // two guesses: displacements and turns from base
    dr_ldlt_row *factor;
    double tolerance[DR_ROD_WIDTH]; // cm: converged where no vertex would move farther
    double small[DR_ROD_WIDTH];     // cm: steps below this need no line search, energies no longer tell
    double arc[DR_ROD_WIDTH];       // 1: nothing but the first vertices is held, long steps may go along arcs
    bool skip[DR_ROD_WIDTH];        // this lane stays as it is; its steps are 0
    bool two;                       // guesses; else only job->step
    bool once;                      // one step of Newton's method from the guess, whole, whatever it brings
    int limit;                      // iterations
    // results
    double energy[DR_ROD_WIDTH];
    double size[DR_ROD_WIDTH]; // of the last step, cm
    int iterations[DR_ROD_WIDTH];
    dr_reason reason[DR_ROD_WIDTH];
} dr_newton;

// base holds the strands at the start of the step and, on return, at its end; factor is the matrix before the last
// iteration's step. Both guesses are tried and are overwritten. Lanes that do not converge say so in `reason` and hold
// their best.
void dr_newton_solve(dr_newton *job);

// The same code made for narrow and for wide registers.
void dr_newton_solve_narrow(dr_newton *job);
void dr_newton_solve_wide(dr_newton *job);

#endif
