#include "mixture/fraction.h"

typedef struct opening {
    const dr_phase_faces *phases;
    int count;
    double cell_volume, most;
    float *open;
} opening;

static void open_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const opening *job = user;
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) {
        double volumes = 0.0;
        for (int i = 0; i < job->count; i++) volumes += (double)job->phases[i].volume[4 * c + 3];
        job->open[c] = (float)(1.0 - volumes * dr_fraction_scale(volumes, job->cell_volume, job->most));
    }
}

void dr_fraction_open(const dr_grid *grid, const dr_par *par, const dr_phase_faces *phases, int count, double most,
                      float *open)
{
    opening job = {phases, count, grid->cell * grid->cell * grid->cell, most, open};
    dr_par_for(par, grid->block_count, 64, open_blocks, &job);
}
