// How soon liquid meets solids: the longest step that ends before fast liquid is in them.
// docs/theory/timestep.md, eq. (13).
#include "world/tuning.h"
#include "world/world.h"

#include "math/scalar.h"

#include <math.h>

typedef struct approach {
    const dr_world *world;
    double dt;
    float slow; // liquid that is no faster crosses no more than it may anyhow
} approach;

static double distance(const approach *job, const double x[3], double enough)
{
    return dr_cut_solids_nearest(&job->world->cut.solids, x, enough).distance;
}

// Way from x along a direction to the surface of a solid that is entered deeper than at x; `reach` where none is.
static double clear_way(const approach *job, const double x[3], const double direction[3], double reach)
{
    double cell = job->world->grid.cell, start = distance(job, x, reach), way = fmax(start, 0.5 * cell);
    double deep = fmin(start, 0.0) - DR_STEP_ENTERED * cell;
    while (way < reach) {
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = x[a] + way * direction[a];
        double here = distance(job, at, reach - way);
        if (here < deep) return way + here;
        way += fmax(here, 0.5 * cell);
    }
    return reach;
}

static double cell_step(const approach *job, size_t block, int c, const float v[3])
{
    static const double middle[3] = {DR_GRID_SHIFT + 0.5, DR_GRID_SHIFT + 0.5, DR_GRID_SHIFT + 0.5};
    const dr_grid *grid = &job->world->grid;
    double x[3], direction[3], speed = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    dr_grid_point(grid, block, c, middle, x);
    for (int a = 0; a < 3; a++) direction[a] = (double)v[a] / speed;
    double reach = speed * job->dt + grid->cell, gap = clear_way(job, x, direction, reach) - 0.5 * grid->cell;
    return fmax(gap, 0.0) / speed;
}

static double block_step(const approach *job, size_t block)
{
    static const double middle[3] = {DR_GRID_SHIFT + 2.0, DR_GRID_SHIFT + 2.0, DR_GRID_SHIFT + 2.0};
    const dr_grid *grid = &job->world->grid;
    const float *cell = job->world->liquid.result + block * 4 * DR_BLOCK_NODES;
    double x[3], step = job->dt, reach = (double)job->world->survey.speed * job->dt + 4.0 * grid->cell;
    dr_grid_point(grid, block, 0, middle, x);
    bool near = distance(job, x, reach) < reach;
    for (int c = 0; c < DR_BLOCK_NODES && near; c++) {
        const float *v = cell + 4 * c;
        bool fast = v[3] > 0.0F && v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > job->slow * job->slow;
        if (fast) step = fmin(step, cell_step(job, block, c, v));
    }
    return step;
}

static void step_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const approach *job = user;
    const uint32_t *first = job->world->state.liquid.residents.first;
    for (size_t b = begin; b < end; b++)
        job->world->liquid.partial[b] = first[b] < first[b + 1] ? block_step(job, b) : job->dt;
}

double dr_approach_step(dr_world *world, double dt)
{
    double reach = world->constants.time.courant * world->grid.cell, step = dt;
    if (!world->cut.has_solids) return dt;
    approach job = {world, dt, (float)(reach / dt)};
    dr_par_for(&world->par, world->grid.block_count, 8, step_blocks, &job);
    for (size_t b = 0; b < world->grid.block_count; b++) step = fmin(step, world->liquid.partial[b]);
    return step;
}
