// Multigrid on sparse blocks: levels from the finest down to one block, and a symmetric cycle that preconditions
// conjugate gradients. docs/theory/pressure.md, section 4.
#ifndef DR_LINEAR_MULTIGRID_H
#define DR_LINEAR_MULTIGRID_H

#include "linear/level.h"

enum { DR_MULTIGRID_LEVELS = 24 };

typedef struct dr_multigrid {
    const dr_allocator *allocator;
    dr_level level[DR_MULTIGRID_LEVELS]; // 0: the finest, filled by the owner
    int visits[DR_MULTIGRID_LEVELS];     // how often a cycle goes on from this level to the next
    int level_count;
    int half_sweeps;     // before and after each visit; odd
    bool exact_bottom;   // the last level is one block and `bottom` its inverse
    float *bottom;       // [64][64]
    double *elimination; // [64][64] for making it
} dr_multigrid;

bool dr_multigrid_open(dr_multigrid *multigrid, const dr_allocator *allocator); // false when memory is out
void dr_multigrid_close(dr_multigrid *multigrid);

// Makes the coarser levels from level 0. period: blocks, 0 where not periodic. False when memory is out.
bool dr_multigrid_build(dr_multigrid *multigrid, const dr_par *par, const int32_t period[3], int half_sweeps);

// x of level 0 from b of level 0, in one cycle. A fixed symmetric positive map.
void dr_multigrid_cycle(dr_multigrid *multigrid, const dr_par *par);

#endif
