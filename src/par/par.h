// Threads behind one parallel_for. Only par/ starts threads. The body of a loop may not depend on which thread runs it:
// results have the same bits for any number of threads.
#ifndef DR_PAR_PAR_H
#define DR_PAR_PAR_H

#include <stddef.h>
#include <stdint.h>

typedef struct dr_par {
    int threads; // 1: everything in the caller's thread
} dr_par;

// 0: as many as the machine has.
dr_par dr_par_open(int threads);

// Calls body(user, begin, end, thread) for pieces of [0, count) of at most `grain` items; thread is 0 .. threads - 1.
typedef void (*dr_par_body)(void *user, size_t begin, size_t end, int thread);
void dr_par_for(const dr_par *par, size_t count, size_t grain, dr_par_body body, void *user);

// Sum of values in a fixed tree, whatever the number of threads: values are overwritten.
double dr_par_sum(double *values, size_t count);

#endif
