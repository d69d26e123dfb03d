// Conjugate gradients with a preconditioner: the iteration, on vectors that somebody else keeps, and a solve in double
// of a system given by two functions. linear/conjugate.h runs the same iteration on a level of the multigrid. Sums are
// made per piece of fixed length and then in a fixed tree: the same bits for any number of threads.
// docs/theory/viscosity.md, "The solve".
#ifndef DR_LINEAR_KRYLOV_H
#define DR_LINEAR_KRYLOV_H

#include "base/memory.h"
#include "drench/report.h"
#include "par/par.h"

// The steps of the iteration: x solution, r residual, z = P r, p search direction, q = A p.
typedef struct dr_krylov_steps {
    void *user;
    double (*precondition)(void *user);          // z = P r; returns r . z
    double (*turn)(void *user, double beta);     // p = z + beta p, q = A p; returns p . q; beta is 0 at first
    double (*advance)(void *user, double alpha); // x += alpha p, r -= alpha q; returns |r|
} dr_krylov_steps;

// Iterates until |r|, which comes in as *norm, is at most `aim`. x is never moved by a step that is not finite.
dr_reason dr_krylov_iterate(const dr_krylov_steps *steps, double aim, int limit, int *iterations, double *norm);

// A symmetric, positive (semi)definite system of `count` unknowns.
typedef struct dr_krylov_system {
    size_t count;
    void *user;
    void (*apply)(void *user, const double *x, double *y);
    void (*precondition)(void *user, const double *r, double *z); // NULL: none
} dr_krylov_system;

// Converged when |rhs - A x| <= tolerance * reference, the Euclidean norm; reference 0 stands for |rhs|.
typedef struct dr_krylov_goal {
    double tolerance, reference;
    int limit; // iterations
} dr_krylov_goal;

// Work space, kept from solve to solve.
typedef struct dr_krylov {
    const dr_allocator *allocator;
    size_t capacity, partial_capacity;
    double *residual, *search, *image, *partial;
} dr_krylov;

void dr_krylov_open(dr_krylov *krylov, const dr_allocator *allocator);
void dr_krylov_close(dr_krylov *krylov);
bool dr_krylov_reserve(dr_krylov *krylov, size_t count); // false when memory is out
size_t dr_krylov_bytes(const dr_krylov *krylov);

// Solves A x = rhs from the x that comes in. Room for system->count unknowns must have been reserved.
dr_solve_report dr_krylov_solve(dr_krylov *krylov, const dr_par *par, const dr_krylov_system *system,
                                const dr_krylov_goal *goal, const double *rhs, double *x);

#endif
