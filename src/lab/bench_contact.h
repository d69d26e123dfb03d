// Scenes of the benchmark of contact.
#ifndef DR_LAB_BENCH_CONTACT_H
#define DR_LAB_BENCH_CONTACT_H

#include "lab/lab.h"

typedef struct dr_bench_scene {
    int64_t strands;  // yarns of either side of a weave; strands of a pile
    int64_t vertices; // of each
    int64_t steps;    // that are measured
    double settle;    // s before that
} dr_bench_scene;

// A ball falls into a plain weave that is pinned all around; strands that have fallen into a bowl.
dr_status dr_bench_weave(dr_lab *lab, const dr_bench_scene *scene, dr_error *error);
dr_status dr_bench_pile(dr_lab *lab, const dr_bench_scene *scene, dr_error *error);

// Wet hair is swept past a post: a second in steps of the default size, or what settle says.
dr_status dr_bench_sweep(dr_lab *lab, const dr_bench_scene *scene, dr_error *error);

#endif
