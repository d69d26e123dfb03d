// The viscous operator of other viscosities, where what is liquid and what is solid stays. docs/theory/viscosity.md,
// eq. (4)-(9): coefficients go with the root of the viscosity, what a given stress adds with one over it.
#include "grid/halo.h"
#include "liquid/strain_parts.h"

#include <math.h>
#include <string.h>

enum { ITEMS = DR_HALO_ITEMS };

typedef struct thickening {
    const dr_strain *strain;
    const dr_strain_problem *problem;
    const uint32_t *from;
} thickening;

// Viscosities of a block's cells and of its lower edges.
typedef struct viscosities {
    float cell[CELLS], edge[3][CELLS];
} viscosities;

static void find_uniform(const thickening *job, viscosities *to)
{
    float eta = (float)job->problem->uniform_viscosity;
    for (int c = 0; c < CELLS; c++) to->cell[c] = to->edge[0][c] = to->edge[1][c] = to->edge[2][c] = eta;
}

// Where coefficients are, and where a cell has none of its own the mean of those around it.
static void find_viscosities(const thickening *job, size_t block, viscosities *to)
{
    const dr_strain *v = job->strain;
    const dr_strain_problem *problem = job->problem;
    const float *unit = v->unit + block * COEFFICIENTS * CELLS;
    float level[ITEMS], viscosity[ITEMS];
    dr_halo_load(v->grid, block, problem->level, (float)v->grid->cell, level);
    dr_halo_load(v->grid, block, problem->viscosity, 0.0F, viscosity);
    for (int c = 0; c < CELLS; c++) {
        bool counts = unit[NORMAL * CELLS + c] + unit[(NORMAL + 1) * CELLS + c] + unit[(NORMAL + 2) * CELLS + c] > 0.0F;
        to->cell[c] = counts ? (float)dr_strain_cell_viscosity(level, viscosity, dr_halo_place(c)) : 0.0F;
    }
    if (problem->edge_viscosity) {
        size_t home = job->from ? job->from[block] : block;
        memcpy(to->edge, problem->edge_viscosity + home * 4 * CELLS, sizeof to->edge);
        return;
    }
    for (int i = 0; i < 3 * CELLS; i++) {
        int axis = i / CELLS, c = i % CELLS;
        bool counts = unit[(SHEAR + 2 * axis) * CELLS + c] > 0.0F;
        to->edge[axis][c] = counts ? (float)dr_strain_edge_viscosity(level, viscosity, dr_halo_place(c), axis) : 0.0F;
    }
}

// A plane of coefficients.
static void scale(const float *restrict unit, const float *restrict root, float *restrict to)
{
    for (int c = 0; c < CELLS; c++) to[c] = unit[c] * root[c];
}

// What a given stress adds to a plane of strains; half: of normal ones.
static void give(const float *restrict share, const float *restrict stress, const float *restrict root, float half,
                 float *restrict to)
{
    for (int c = 0; c < CELLS; c++) to[c] = root[c] > 0.0F ? half * share[c] * stress[c] / root[c] : 0.0F;
}

static void thicken_block(const thickening *job, size_t block)
{
    const dr_strain *v = job->strain;
    const float *unit = v->unit + block * COEFFICIENTS * CELLS, *share = v->share + block * STRAINS * CELLS;
    float *coefficient = v->coefficient + block * COEFFICIENTS * CELLS, *known = v->known + block * STRAINS * CELLS;
    size_t home = job->from ? job->from[block] : block;
    const float *stress = job->problem->stress ? job->problem->stress + home * STRAINS * CELLS : NULL;
    float cell = (float)v->grid->cell;
    viscosities eta;
    if (job->problem->viscosity) {
        find_viscosities(job, block, &eta);
    } else {
        find_uniform(job, &eta);
    }
    for (int c = 0; c < CELLS; c++) eta.cell[c] = sqrtf(eta.cell[c]);
    for (int a = 0; a < 3; a++) {
        for (int c = 0; c < CELLS; c++) eta.edge[a][c] = sqrtf(eta.edge[a][c]);
    }
    memcpy(coefficient, unit, NORMAL * CELLS * sizeof(float));
    if (!stress) memset(known, 0, STRAINS * CELLS * sizeof(float));
    for (int a = 0; a < 3; a++) {
        int normal = NORMAL + a, shear = SHEAR + 2 * a;
        scale(unit + normal * CELLS, eta.cell, coefficient + normal * CELLS);
        scale(unit + shear * CELLS, eta.edge[a], coefficient + shear * CELLS);
        scale(unit + (shear + 1) * CELLS, eta.edge[a], coefficient + (shear + 1) * CELLS);
        if (!stress) continue;
        give(share + a * CELLS, stress + a * CELLS, eta.cell, 0.5F * cell, known + a * CELLS);
        give(share + (3 + a) * CELLS, stress + (3 + a) * CELLS, eta.edge[a], cell, known + (3 + a) * CELLS);
    }
}

static void clear_block(const dr_strain *v, size_t block)
{
    memset(v->coefficient + block * COEFFICIENTS * CELLS, 0, COEFFICIENTS * CELLS * sizeof(float));
    memset(v->known + block * STRAINS * CELLS, 0, STRAINS * CELLS * sizeof(float));
}

static void thicken_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const thickening *job = user;
    for (size_t b = begin; b < end; b++) {
        if (job->strain->busy[b]) {
            thicken_block(job, b);
        } else {
            clear_block(job->strain, b);
        }
    }
}

// ---- the diagonal

static const float nothing[CELLS];

static const float *neighbour_plane(const dr_strain *v, size_t block, int axis, int side, int plane)
{
    int32_t to = v->grid->neighbour[27 * block + (size_t)(13 + side * dr_block_step[axis])];
    return to < 0 ? nothing : v->coefficient + ((size_t)to * COEFFICIENTS + (size_t)plane) * CELLS;
}

// to += squares of a plane, and of those a step up (side 1) or down (-1) along an axis.
static void add_squares(const dr_strain *v, size_t block, int axis, int side, int plane, float *restrict to)
{
    const float *restrict own = v->coefficient + (block * COEFFICIENTS + (size_t)plane) * CELLS;
    const float *restrict other = neighbour_plane(v, block, axis, side, plane);
    const int s = dr_block_stride[axis];
    float next[CELLS];
    for (int c = 0; c < CELLS; c++) {
        bool inside = side > 0 ? (c / s & 3) < 3 : (c / s & 3) > 0;
        next[c] = inside ? own[c + side * s] : other[c - 3 * side * s];
    }
    for (int c = 0; c < CELLS; c++) to[c] += own[c] * own[c] + next[c] * next[c];
}

static void invert_block(const dr_strain *v, size_t block)
{
    double *inverse = v->inverse + block * FACES * CELLS;
    v->busy[block] &= DR_STRAIN_BEARS;
    if (!v->busy[block]) {
        memset(inverse, 0, FACES * CELLS * sizeof *inverse);
        return;
    }
    float most = 0.0F;
    for (int a = 0; a < FACES; a++) {
        int one = (a + 1) % 3, two = (a + 2) % 3;
        const float *mass = v->coefficient + (block * COEFFICIENTS + (size_t)(MASS + a)) * CELLS;
        float sum[CELLS] = {0.0F};
        add_squares(v, block, a, -1, NORMAL + a, sum);
        add_squares(v, block, one, 1, SHEAR + 2 * two, sum);
        add_squares(v, block, two, 1, SHEAR + 2 * one + 1, sum);
        for (int c = 0; c < CELLS; c++) {
            bool solved = sum[c] > 0.0F && mass[c] >= 0.0F;
            inverse[a * CELLS + c] = solved ? 1.0 / ((double)mass[c] + (double)sum[c]) : 0.0;
            most = solved ? 1.0F : most;
        }
    }
    if (most > 0.0F) v->busy[block] |= DR_STRAIN_SOLVES;
}

// Faces that bear no stress, and those in solids, are not solved for.
static void invert_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) invert_block(user, b);
}

void dr_strain_thicken(dr_strain *strain, const dr_strain_problem *problem, const uint32_t *from)
{
    thickening job = {strain, problem, from};
    strain->pushed = problem->stress != NULL;
    dr_par_for(strain->par, strain->grid->block_count, 16, thicken_blocks, &job);
    dr_par_for(strain->par, strain->grid->block_count, 16, invert_blocks, strain);
}
