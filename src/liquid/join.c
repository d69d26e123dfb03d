#include "liquid/join.h"

#include <math.h>

// A plane at x = 0 with matter below fills 1/2 - 3x/4 + x^3/3 of the quadratic kernel around x for |x| < 1/2, and
// (3/2 - x)^3 / 6 beyond.
float dr_join_depth(float fill)
{
    if (!(fill < 1.0F)) return -1.5F;
    if (!(fill > 0.0F)) return 1.5F;
    if (fill < 1.0F / 6.0F) return 1.5F - cbrtf(6.0F * fill);
    if (fill > 5.0F / 6.0F) return cbrtf(6.0F * (1.0F - fill)) - 1.5F;
    const float root = 1.7320508F;
    return root * sinf(asinf((2.0F - 4.0F * fill) / root) / 3.0F);
}

typedef struct job {
    const float *distance, *fill, *solid;
    float cell, *level;
} job;

static void join_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *j = user;
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) {
        float own = j->distance[c];
        j->level[c] = j->solid[c] > 0.0F ? fminf(own, j->cell * dr_join_depth(j->fill[c] + j->solid[c])) : own;
    }
}

void dr_join_level(const dr_grid *grid, const dr_par *par, const float *distance, const float *fill, const float *solid,
                   float *level)
{
    job all = {distance, fill, solid, (float)grid->cell, level};
    dr_par_for(par, grid->block_count, 64, join_blocks, &all);
}
