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
    double slope[3], mean = dr_corner_plane(halo, at, slope);
    return snap(1.0 - dr_cut_cube(mean, slope));
}

static void measure_block(const measure_job *job, size_t block)
{
    float halo[DR_HALO_ITEMS], least = 1.0F;
    dr_corner_load(job->grid, block, job->corner, halo);
    for (int i = 0; i < DR_HALO_ITEMS; i++) least = fminf(least, halo[i]);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        size_t item = block * DR_BLOCK_NODES + (size_t)c;
        int at = dr_halo_place(c);
        for (int a = 0; a < 3; a++)
            job->open_area[4 * item + (size_t)a] = least >= 0.0F ? 1.0F : open_face(halo, at, a);
        job->open_area[4 * item + 3] = 1.0F;
        job->open_volume[item] = least >= 0.0F ? 1.0F : open_cell(halo, at);
    }
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

// A cell without room has no open faces, however its neighbours see them.
static void shut_block(const shut_job *job, size_t block)
{
    float room[DR_HALO_ITEMS];
    bool cut = false;
    for (size_t i = block * DR_BLOCK_NODES; i < (block + 1) * DR_BLOCK_NODES; i++)
        cut = cut || job->open_volume[i] < 1.0F;
    if (!cut) return;
    dr_halo_load(job->grid, block, job->open_volume, 1.0F, room);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        float *open = job->open_area + 4 * (block * DR_BLOCK_NODES + (size_t)c);
        int at = dr_halo_place(c);
        for (int a = 0; a < 3; a++) {
            if (room[at] == 0.0F || room[at - dr_halo_step[a]] == 0.0F) open[a] = 0.0F;
        }
    }
}

static void shut_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) shut_block(user, b);
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
