// How fast particles go to the grid and back, beside what the memory of the machine would allow.
#ifndef DR_LAB_BENCH_TRANSFER_H
#define DR_LAB_BENCH_TRANSFER_H

#include "drench/scene.h"

typedef struct dr_bench_transfer_case {
    size_t particles;
    double per_cell; // particles per cell
    int threads;
    dr_kernel kernel;
    bool faces;     // else nodes
    int repeats;    // timed steps
    double courant; // cells that the fastest particle moves per step
} dr_bench_transfer_case;

// Rates are particles per second, from the median of the repeats: of processor time on one thread, of time on several.
typedef struct dr_bench_transfer_result {
    size_t particles, blocks;
    double rate, best_rate; // to the grid and back
    double sorted_rate;     // with sorting and building the grid
    double scatter_rate, gather_rate, sort_rate;
    double copy_bandwidth; // bytes read and written per second, on as many threads, measured in the same run
    double bytes_moved;    // per particle: what a transfer there and back cannot but read and write
    double floor_rate;     // copy_bandwidth / bytes_moved
    double ratio;          // floor_rate / rate
    double particle_bytes; // memory held per particle: columns and what sorting needs
    double grid_bytes;     // memory held per particle by blocks and the fields on them
} dr_bench_transfer_result;

// False when memory is out.
bool dr_bench_transfer(const dr_bench_transfer_case *what, const dr_allocator *allocator,
                       dr_bench_transfer_result *result);

#endif
