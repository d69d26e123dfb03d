// Threads behind one parallel_for. Only par/ starts threads; they serve all who call, one at a time, and stay until the
// process ends. The body of a loop may not depend on which thread runs it: results have the same bits for any number of
// threads.
#ifndef DR_PAR_PAR_H
#define DR_PAR_PAR_H

#include <stddef.h>
#include <stdint.h>

typedef struct dr_par {
    int threads; // 1: everything in the caller's thread
} dr_par;

// 0: as many as the machine has or OMP_NUM_THREADS says.
dr_par dr_par_open(int threads);

// Calls body(user, begin, end, thread) for pieces of [0, count) of at most `grain` items; thread is 0 .. threads - 1.
typedef void (*dr_par_body)(void *user, size_t begin, size_t end, int thread);
void dr_par_for(const dr_par *par, size_t count, size_t grain, dr_par_body body, void *user);

// One thread at a time between take and give. Not to be taken twice.
typedef struct dr_par_lock {
    _Alignas(16) unsigned char state[64];
} dr_par_lock;

void dr_par_lock_open(dr_par_lock *lock);
void dr_par_lock_close(dr_par_lock *lock);
void dr_par_lock_take(dr_par_lock *lock);
void dr_par_lock_give(dr_par_lock *lock);

// Sum of values in a fixed tree, whatever the number of threads: values are overwritten. total: the same tree on all
// threads, for many values.
double dr_par_sum(double *values, size_t count);
double dr_par_total(const dr_par *par, double *values, size_t count);

void dr_par_clear(const dr_par *par, void *data, size_t bytes);
void dr_par_copy(const dr_par *par, void *to, const void *from, size_t bytes);

#endif
