// Resistance at the edge of the liquid, taken implicitly. docs/theory/surface.md, eq. (10).
#include "liquid/edge.h"

#include "grid/halo.h"

#include <math.h>

typedef struct hold_job {
    const dr_edge *edge;
    const dr_grid *grid;
    float *theta, *ghost;
} hold_job;

// With r the resistance, u and v the outward velocity before and after the solve, v = u - mobility G:
//     G = (r v - p) / (theta h)  is the same as  G = (r u - p) / (theta h + r mobility)
// A weak hold lets go early.
static void hold_face(const hold_job *job, size_t face, float share, float out)
{
    float slow = sqrtf(share) * (float)job->edge->slow, speed = fabsf(job->edge->old[face]);
    float held = slow > 0.0F ? fminf(1.0F, fmaxf(0.0F, 2.0F - speed / slow)) : 0.0F;
    float resistance = held * share * (float)job->edge->resistance;
    job->theta[face] += resistance * job->edge->mobility[face] / (float)job->grid->cell;
    job->ghost[face] += resistance * out * job->edge->velocity[face];
}

static void hold_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const hold_job *job = user;
    for (size_t b = begin; b < end; b++) {
        float lean[DR_HALO_ITEMS], most = 0.0F;
        uint8_t kind[DR_HALO_ITEMS];
        dr_halo_load(job->grid, b, job->edge->lean, 0.0F, lean);
        for (int i = 0; i < DR_HALO_ITEMS; i++) most = fmaxf(most, lean[i]);
        if (most == 0.0F) continue;
        dr_halo_load_bytes(job->grid, b, job->edge->kind, DR_CELL_AIR, kind);
        for (int i = 0; i < 3 * DR_BLOCK_NODES; i++) {
            int c = i / 3, a = i % 3, at = dr_halo_place(c), below = at - dr_halo_step[a];
            bool cut = kind[at] != kind[below] && kind[at] != DR_CELL_SOLID && kind[below] != DR_CELL_SOLID;
            float share = fmaxf(lean[at], lean[below]);
            if (cut && share > 0.0F)
                hold_face(job, 4 * (b * DR_BLOCK_NODES + (size_t)c) + (size_t)a, share,
                          kind[at] == DR_CELL_AIR ? 1.0F : -1.0F);
        }
    }
}

void dr_edge_hold(const dr_edge *edge, const dr_grid *grid, const dr_par *par, float *theta, float *ghost)
{
    hold_job job = {edge, grid, theta, ghost};
    dr_par_for(par, grid->block_count, 16, hold_blocks, &job);
}
