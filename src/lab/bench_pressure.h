// How long the pressure solve takes, and in how many iterations, beside what moving its bytes would take.
#ifndef DR_LAB_BENCH_PRESSURE_H
#define DR_LAB_BENCH_PRESSURE_H

#include "drench/report.h"

typedef enum dr_bench_pressure_scene {
    DR_BENCH_PRESSURE_UNIFORM, // a cube of liquid, five walls and a free surface
    DR_BENCH_PRESSURE_SPHERE,  // a wavy pool around a cut-cell sphere
    DR_BENCH_PRESSURE_JUMP,    // a pool with a ball a thousand times heavier
    DR_BENCH_PRESSURE_SPLASH   // a pool under drops and sheets
} dr_bench_pressure_scene;

typedef struct dr_bench_pressure_case {
    dr_bench_pressure_scene scene;
    int side; // cells, a multiple of 4
    int threads;
    int repeats;
    double tolerance;
} dr_bench_pressure_case;

// Seconds are processor time, medians of the repeats.
typedef struct dr_bench_pressure_result {
    size_t unknowns, blocks, uniform_blocks;
    int levels, tries, iterations;
    dr_reason reason;
    double residual;
    double setup_seconds, solve_seconds, total_seconds; // matrix and levels; iterations; all of a call
    double copy_bandwidth;                              // bytes read and written per second, measured in the same run
    double bytes_moved;                                 // what the iterations' passes cannot but read and write
    double floor_seconds, ratio;                        // bytes_moved / copy_bandwidth; solve_seconds / floor_seconds
} dr_bench_pressure_result;

// False when memory is out.
bool dr_bench_pressure(const dr_bench_pressure_case *what, const dr_allocator *allocator,
                       dr_bench_pressure_result *result);

#endif
