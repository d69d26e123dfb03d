// Open shares of faces and cells. docs/theory/solids.md, eq. (1)-(4).
#include "collide/open_share.h"

#include "geom/cut.h"
#include "grid/corner.h"

typedef struct measure_job {
    const dr_grid *grid;
    const float *corner;
    float *open_area, *open_volume;
} measure_job;

static float snap(double open)
{
    return open < (double)DR_OPEN_SHARE_LEAST ? 0.0F : (float)open;
}

// The lower face across axis a of the cell whose lower corner is at.
static float open_face(const float *halo, int at, int a)
{
    int u = dr_halo_step[(a + 1) % 3], v = dr_halo_step[(a + 2) % 3];
    double p = (double)halo[at], q = (double)halo[at + u], r = (double)halo[at + u + v], s = (double)halo[at + v];
    if (p >= 0.0 && q >= 0.0 && r >= 0.0 && s >= 0.0) return 1.0F;
    return snap(1.0 - dr_cut_square(p, q, r, s));
}

static float open_cell(const float *halo, int at)
{
    float least = halo[at];
    for (int i = 1; i < 8; i++)
        least = dr_min_float(least, halo[at + (i >> 2) * DR_HALO_X + (i >> 1 & 1) * DR_HALO_Y + (i & 1)]);
    if (least >= 0.0F) return 1.0F;
    double slope[3], mean = dr_corner_plane(halo, at, slope);
    return snap(1.0 - dr_cut_cube(mean, slope));
}

void dr_open_share_block(const float *halo, float *area, float *volume)
{
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        int at = dr_halo_place(c);
        for (int a = 0; a < 3; a++) area[4 * c + a] = open_face(halo, at, a);
        area[4 * c + 3] = 1.0F;
        volume[c] = open_cell(halo, at);
    }
}

static void measure_block(const measure_job *job, size_t block)
{
    float halo[DR_HALO_ITEMS];
    dr_corner_load(job->grid, block, job->corner, halo);
    dr_open_share_block(halo, job->open_area + 4 * block * DR_BLOCK_NODES, job->open_volume + block * DR_BLOCK_NODES);
}

static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) measure_block(user, b);
}

typedef struct shut_job {
    const dr_grid *grid;
    float *open_area;
    const float *open_volume;
} shut_job;

// A closed cell has no open faces, however its neighbours see them.
bool dr_open_share_shut_block(const dr_grid *grid, size_t block, float *open_area, const float *open_volume)
{
    float share[DR_HALO_ITEMS];
    bool cut = false, outer = false;
    for (size_t i = block * DR_BLOCK_NODES; i < (block + 1) * DR_BLOCK_NODES; i++) cut = cut || open_volume[i] < 1.0F;
    if (!cut) return false;
    dr_halo_load(grid, block, open_volume, 1.0F, share);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        const int local[3] = {c >> 4, c >> 2 & 3, c & 3};
        float *open = open_area + 4 * (block * DR_BLOCK_NODES + (size_t)c);
        int at = dr_halo_place(c);
        for (int a = 0; a < 3; a++) {
            if (open[a] == 0.0F || (share[at] != 0.0F && share[at - dr_halo_step[a]] != 0.0F)) continue;
            open[a] = 0.0F;
            outer = outer || local[a] == 0;
        }
    }
    return outer;
}

static void shut_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const shut_job *job = user;
    for (size_t b = begin; b < end; b++) dr_open_share_shut_block(job->grid, b, job->open_area, job->open_volume);
}

void dr_open_share_shut(const dr_grid *grid, const dr_par *par, float *open_area, const float *open_volume)
{
    shut_job job = {grid, open_area, open_volume};
    dr_par_for(par, grid->block_count, 16, shut_blocks, &job);
}

void dr_open_share_measure(const dr_grid *grid, const dr_par *par, const float *corner, float *open_area,
                           float *open_volume)
{
    measure_job job = {grid, corner, open_area, open_volume};
    dr_par_for(par, grid->block_count, 16, measure_blocks, &job);
    dr_open_share_shut(grid, par, open_area, open_volume);
}

void dr_open_share_cover(const float *corner, float *area, float *volume)
{
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        int at = dr_halo_place(c);
        for (int a = 0; a < 3; a++) area[4 * c + a] += 1.0F - open_face(corner, at, a);
        volume[c] += 1.0F - open_cell(corner, at);
    }
}
