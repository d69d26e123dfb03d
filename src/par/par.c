#include "par/par.h"

#include "math/flush.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

dr_par dr_par_open(int threads)
{
#if defined(_OPENMP)
    if (threads <= 0) threads = omp_get_max_threads();
#else
    threads = 1;
#endif
    return (dr_par){threads < 1 ? 1 : threads};
}

void dr_par_for(const dr_par *par, size_t count, size_t grain, dr_par_body body, void *user)
{
    if (count == 0) return;
    if (grain < 1) grain = 1;
    size_t pieces = (count + grain - 1) / grain;
    if (par->threads == 1 || pieces == 1) {
        unsigned before = dr_flush_begin();
        for (size_t i = 0; i < pieces; i++) {
            size_t begin = i * grain, end = begin + grain < count ? begin + grain : count;
            body(user, begin, end, 0);
        }
        dr_flush_end(before);
        return;
    }
#if defined(_OPENMP)
    // A thread without a piece would only be waited for, and on a busy machine it may be long in coming.
    int threads = pieces < (size_t)par->threads ? (int)pieces : par->threads;
#pragma omp parallel num_threads(threads)
    {
        unsigned before = dr_flush_begin();
#pragma omp for schedule(dynamic, 1) nowait
        for (size_t i = 0; i < pieces; i++) {
            size_t begin = i * grain, end = begin + grain < count ? begin + grain : count;
            body(user, begin, end, omp_get_thread_num());
        }
        dr_flush_end(before);
    }
#endif
}

#if defined(_OPENMP)
_Static_assert(sizeof(omp_lock_t) <= sizeof(dr_par_lock), "a lock has room for OpenMP's");

void dr_par_lock_open(dr_par_lock *lock)
{
    omp_init_lock((omp_lock_t *)(void *)lock->state);
}

void dr_par_lock_close(dr_par_lock *lock)
{
    omp_destroy_lock((omp_lock_t *)(void *)lock->state);
}

void dr_par_lock_take(dr_par_lock *lock)
{
    omp_set_lock((omp_lock_t *)(void *)lock->state);
}

void dr_par_lock_give(dr_par_lock *lock)
{
    omp_unset_lock((omp_lock_t *)(void *)lock->state);
}
#else
void dr_par_lock_open(dr_par_lock *lock)
{
    (void)lock;
}

void dr_par_lock_close(dr_par_lock *lock)
{
    (void)lock;
}

void dr_par_lock_take(dr_par_lock *lock)
{
    (void)lock;
}

void dr_par_lock_give(dr_par_lock *lock)
{
    (void)lock;
}
#endif

double dr_par_sum(double *values, size_t count)
{
    if (count == 0) return 0.0;
    while (count > 1) {
        size_t half = count / 2;
        for (size_t i = 0; i < half; i++) values[i] = values[2 * i] + values[2 * i + 1];
        if (count & 1) values[half] = values[count - 1];
        count = half + (count & 1);
    }
    return values[0];
}
