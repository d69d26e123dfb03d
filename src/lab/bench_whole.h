// What benchmarks of a whole step share: processor time by stage beside the bytes that particles must move, and the
// gain of a second thread from two worlds that step in turn.
#ifndef DR_LAB_BENCH_WHOLE_H
#define DR_LAB_BENCH_WHOLE_H

#include "lab/lab.h"

typedef struct dr_bench_whole {
    dr_status (*make)(const void *user, dr_scene **scene, dr_error *error);
    const void *user;
    int64_t warm_up, steps; // before, and that are measured
    bool threads;           // also the gain of two
} dr_bench_whole;

// The gain of a second thread alone, under that name.
dr_status dr_bench_whole_gain(dr_lab *lab, const dr_bench_whole *whole, const char *name, dr_error *error);
dr_status dr_bench_whole_threads(dr_lab *lab, const dr_bench_whole *whole, dr_error *error);

dr_status dr_bench_whole_run(dr_lab *lab, const dr_bench_whole *whole, dr_error *error);

#endif
