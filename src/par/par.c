#include "par/par.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

dr_par dr_par_open(int threads)
{
#if defined(_OPENMP)
    if (threads <= 0) threads = omp_get_num_procs();
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
        for (size_t i = 0; i < pieces; i++) {
            size_t begin = i * grain, end = begin + grain < count ? begin + grain : count;
            body(user, begin, end, 0);
        }
        return;
    }
#if defined(_OPENMP)
#pragma omp parallel for schedule(dynamic, 1) num_threads(par->threads)
    for (size_t i = 0; i < pieces; i++) {
        size_t begin = i * grain, end = begin + grain < count ? begin + grain : count;
        body(user, begin, end, omp_get_thread_num());
    }
#endif
}

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
