// Preconditioned conjugate gradients (linear/krylov.h) on the finest level of a multigrid. Solution, residual and sums
// are double; the search direction is float, which is exact as a direction. docs/theory/pressure.md, section 5.
#ifndef DR_LINEAR_CONJUGATE_H
#define DR_LINEAR_CONJUGATE_H

#include "drench/report.h"
#include "linear/multigrid.h"

typedef struct dr_conjugate {
    const dr_allocator *allocator;
    double *x, *r, *q; // [block][64]
    float *p;          // [-1 .. block][64]
    double *partial;   // [piece]
    size_t capacity;   // blocks
} dr_conjugate;

typedef struct dr_conjugate_limits {
    double residual; // absolute, of the 2-norm of r
    int iterations;
    bool diagonal; // precondition with the diagonal instead of the cycle
} dr_conjugate_limits;

bool dr_conjugate_reserve(dr_conjugate *conjugate, size_t blocks); // false when memory is out
void dr_conjugate_free(dr_conjugate *conjugate);

// From x and r = b - A x to a smaller r. The norm of the last r is written to *norm.
dr_reason dr_conjugate_solve(dr_conjugate *conjugate, const dr_par *par, dr_multigrid *multigrid,
                             const dr_conjugate_limits *limits, int *iterations, double *norm);

#endif
