// How strands answer impulses: the factorised systems of one implicit step, for whoever pushes on vertices (contact).
// docs/theory/rods.md. C = M + h D + h^2 H at the end of the predictor; an impulse r changes velocities by C^-1 r.
#ifndef DR_LINEAR_COMPLIANCE_H
#define DR_LINEAR_COMPLIANCE_H

#include <stdint.h>

#define DR_COMPLIANCE_LANES 8 // right-hand sides that are solved together

// Unknowns of a strand of n vertices: 4 n, per vertex its three coordinates and then the turn of the edge that starts
// there (of the last vertex: nothing, zero).
typedef struct dr_compliance {
    int strands;
    const int *first; // [strands + 1] first vertex of each strand in x and v
    const double *x;  // [vertex][3] places at the start of the step, cm
    const double *v;  // [vertex][3] velocities after the predictor, cm/s: before any impulse
    double dt;        // the step: places at its end are x + dt v
    // Eight right-hand sides at once, in place: block[vertex][4][8] holds impulses (dyn s; dyn cm s for turns) and
    // becomes changes of velocity (cm/s; rad/s). What is held by a script answers nothing. `from` is the first vertex
    // of the strand with an impulse: all before it are zero on entry. Strand s of this set; may be called from any
    // thread.
    void (*solve)(const void *self, int s, int from, double *block);
    // One right-hand side of each of eight strands, in place: block[vertex][4][8], where strand s has the lane
    // home[s] % 8 of the batch home[s] / 8; all of them are at most `rows` vertices long, and lanes of strands that are
    // not asked for are zero. NULL: not there.
    void (*solve_each)(const void *self, int batch, int rows, double *block);
    const int32_t *home; // [strand]
    int batches;
    const void *self;
} dr_compliance;

#endif
