// Particles step along straight lines, x <- x + dt u(x). That keeps volumes where det(I + dt grad u) = 1, which is
// div u = -dt Q to the order of dt^2, not div u = 0. docs/theory/density.md, eq. (3).
//   Q = u_x v_y + v_y w_z + w_z u_x - u_y v_x - v_z w_y - w_x u_z: positive where liquid turns, negative where it
//   strains
#include "liquid/advection_divergence.h"

#include "grid/halo.h"

#include <math.h>

typedef struct stride_job {
    const dr_grid *grid;
    const float *velocity;
    const uint8_t *kind;
    float *source;
    float dt, limit, per_cell; // per_cell: 1 / cell
} stride_job;

// d u_a / d x_b at the middle of a cell, times the cell: across its own faces, or between the neighbours along b.
static float slope(const float *halo, int at, int a, int b)
{
    int up = dr_halo_step[a], along = dr_halo_step[b];
    if (a == b) return halo[4 * (at + up) + a] - halo[4 * at + a];
    return 0.25F * (halo[4 * (at + along) + a] + halo[4 * (at + up + along) + a] - halo[4 * (at - along) + a] -
                    halo[4 * (at + up - along) + a]);
}

static float invariant(const float *halo, int at)
{
    float sum = 0.0F;
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3;
        sum += slope(halo, at, a, a) * slope(halo, at, b, b) - slope(halo, at, a, b) * slope(halo, at, b, a);
    }
    return sum;
}

// Up to `most` as it is; what is beyond is believed the less the larger it is.
static float hold(float value, float most)
{
    return fabsf(value) <= most ? value : most * (most / value);
}

static void stride_block(const stride_job *job, size_t block)
{
    const uint8_t *kind = job->kind + block * DR_BLOCK_NODES;
    bool wet = false;
    for (int c = 0; c < DR_BLOCK_NODES; c++) wet = wet || kind[c] == DR_CELL_LIQUID;
    if (!wet) return;
    float halo[4 * DR_HALO_ITEMS], most = job->limit / job->dt;
    dr_halo_load_fours(job->grid, block, job->velocity, 0.0F, halo);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        if (kind[c] != DR_CELL_LIQUID) continue;
        float q = invariant(halo, dr_halo_place(c)) * job->per_cell * job->per_cell;
        job->source[block * DR_BLOCK_NODES + (size_t)c] -= hold(job->dt * q, most);
    }
}

static void stride_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) stride_block(user, b);
}

void dr_advection_divergence(const dr_grid *grid, const dr_par *par, const float *velocity, const uint8_t *kind,
                             double dt, double limit, float *source)
{
    stride_job job = {grid, velocity, kind, source, (float)dt, (float)limit, (float)(1.0 / grid->cell)};
    dr_par_for(par, grid->block_count, 16, stride_blocks, &job);
}
