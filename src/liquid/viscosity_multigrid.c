// Multigrid for the viscous operator. docs/theory/viscosity.md, "The solve", eq. (10)-(13).
// A coarse block covers 2x2x2 blocks. Along its own axis a face velocity is interpolated linearly from face to face,
// across it with 3/4 and 1/4 from centre to centre; restriction is the transpose over 8.
#include "liquid/viscosity_multigrid.h"
#include "liquid/tuning.h"

#include <math.h>
#include <string.h>

enum { CELLS = DR_STRAIN_CELLS, FACES = DR_STRAIN_FACES, UNKNOWNS = DR_STRAIN_UNKNOWNS };
enum { SWEEPS = 3, LAST_SWEEPS = 12, FEW_BLOCKS = 8 };

#define LARGEST_EIGENVALUE 4.0 // of diagonal^-1 operator: no strain has more than four faces

// ---- memory

typedef struct block_array {
    void **data;
    size_t bytes;
} block_array;

enum { ARRAYS = 13, FINE_ARRAYS = 3 };

static void list_arrays(dr_viscosity_level *l, block_array list[ARRAYS])
{
    const block_array arrays[ARRAYS] = {
        {(void **)&l->residual, UNKNOWNS * sizeof(double)},
        {(void **)&l->change, UNKNOWNS * sizeof(double)},
        {(void **)&l->parent, sizeof(int32_t)},
        {(void **)&l->right, UNKNOWNS * sizeof(double)},
        {(void **)&l->solution, UNKNOWNS * sizeof(double)},
        {(void **)&l->grid.coordinate, 3 * sizeof(int32_t)},
        {(void **)&l->grid.neighbour, 27 * sizeof(int32_t)},
        {(void **)&l->child, 8 * sizeof(int32_t)},
        {(void **)&l->level, CELLS * sizeof(float)},
        {(void **)&l->viscosity, CELLS * sizeof(float)},
        {(void **)&l->density, CELLS * sizeof(float)},
        {(void **)&l->solid, CELLS * sizeof(float)},
        {(void **)&l->no_slip, 4 * CELLS * sizeof(float)},
    };
    memcpy(list, arrays, sizeof arrays);
}

static void free_arrays(dr_viscosity_level *level)
{
    block_array list[ARRAYS];
    list_arrays(level, list);
    for (int i = 0; i < ARRAYS; i++) {
        dr_memory_free(level->allocator, *list[i].data, level->capacity * list[i].bytes);
        *list[i].data = NULL;
    }
    level->capacity = 0;
}

static bool reserve(dr_viscosity_level *level, size_t blocks, int arrays)
{
    if (blocks <= level->capacity) return true;
    block_array list[ARRAYS];
    list_arrays(level, list);
    free_arrays(level);
    level->capacity = blocks + blocks / 4;
    for (int i = 0; i < arrays; i++) {
        *list[i].data = dr_memory_alloc(level->allocator, level->capacity * list[i].bytes);
        if (!*list[i].data) {
            free_arrays(level);
            return false;
        }
    }
    return true;
}

void dr_viscosity_multigrid_open(dr_viscosity_multigrid *multigrid, const dr_allocator *allocator)
{
    *multigrid = (dr_viscosity_multigrid){0};
    for (int l = 0; l < DR_VISCOSITY_LEVELS; l++) {
        multigrid->level[l].allocator = allocator;
        dr_strain_open(&multigrid->level[l].strain, allocator);
    }
}

void dr_viscosity_multigrid_close(dr_viscosity_multigrid *multigrid)
{
    for (int l = 0; l < DR_VISCOSITY_LEVELS; l++) {
        free_arrays(&multigrid->level[l]);
        dr_strain_close(&multigrid->level[l].strain);
    }
    *multigrid = (dr_viscosity_multigrid){0};
}

size_t dr_viscosity_multigrid_bytes(const dr_viscosity_multigrid *multigrid)
{
    size_t sum = 0;
    for (int l = 0; l < DR_VISCOSITY_LEVELS; l++) {
        dr_viscosity_level level = multigrid->level[l];
        block_array list[ARRAYS];
        list_arrays(&level, list);
        sum += dr_strain_bytes(&level.strain);
        for (int i = 0; i < ARRAYS; i++) sum += *list[i].data ? level.capacity * list[i].bytes : 0;
    }
    return sum;
}

// ---- coarse blocks

static int32_t half(int32_t x)
{
    return x >= 0 ? x / 2 : -((1 - x) / 2);
}

// Blocks come in the order of a Morton curve, so those of one parent follow each other.
static size_t number_parents(const dr_grid *grid, int32_t *parent)
{
    size_t count = 0;
    for (size_t b = 0; b < grid->block_count; b++) {
        const int32_t *here = grid->coordinate + 3 * b, *before = here - 3;
        bool same = b > 0 && half(here[0]) == half(before[0]) && half(here[1]) == half(before[1]) &&
                    half(here[2]) == half(before[2]);
        if (!same) count++;
        parent[b] = (int32_t)count - 1;
    }
    return count;
}

static void link_parents(const dr_grid *fine, const int32_t *parent, dr_viscosity_level *coarse)
{
    size_t count = coarse->grid.block_count;
    for (size_t i = 0; i < 8 * count; i++) coarse->child[i] = -1;
    for (size_t i = 0; i < 27 * count; i++) coarse->grid.neighbour[i] = -1;
    for (size_t b = 0; b < fine->block_count; b++) {
        const int32_t *at = fine->coordinate + 3 * b;
        size_t home = (size_t)parent[b];
        for (int a = 0; a < 3; a++) coarse->grid.coordinate[3 * home + (size_t)a] = half(at[a]);
        coarse->child[8 * home + (size_t)((at[0] & 1) * 4 + (at[1] & 1) * 2 + (at[2] & 1))] = (int32_t)b;
        for (int n = 0; n < 27; n++) {
            int32_t to = fine->neighbour[27 * b + (size_t)n];
            if (to < 0) continue;
            int x = half((at[0] & 1) + n / 9 - 1) + 1, y = half((at[1] & 1) + n / 3 % 3 - 1) + 1;
            int z = half((at[2] & 1) + n % 3 - 1) + 1;
            coarse->grid.neighbour[27 * home + (size_t)((x * 3 + y) * 3 + z)] = parent[to];
        }
    }
}

static bool can_halve(const dr_grid *grid)
{
    for (int a = 0; a < 3; a++) {
        if (grid->period[a] % 2 != 0) return false;
    }
    return grid->block_count > FEW_BLOCKS;
}

static bool make_blocks(const dr_grid *fine, int32_t *parent, dr_viscosity_level *coarse)
{
    size_t count = number_parents(fine, parent);
    if (!reserve(coarse, count, ARRAYS)) return false;
    coarse->grid.block_count = count;
    coarse->grid.cell = 2.0 * fine->cell;
    for (int a = 0; a < 3; a++) coarse->grid.period[a] = fine->period[a] / 2;
    link_parents(fine, parent, coarse);
    return true;
}

// ---- the coarse problem

typedef struct halving {
    const dr_strain_problem *fine;
    dr_viscosity_level *coarse;
} halving;

// Item of the finer level at (x, y, z), 0 .. 7 each, of a coarse block; -1 where there is none.
static int64_t find_fine(const dr_viscosity_level *coarse, size_t block, int x, int y, int z)
{
    int64_t child = coarse->child[8 * block + (size_t)((x >> 2) * 4 + (y >> 2) * 2 + (z >> 2))];
    return child < 0 ? -1 : child * CELLS + ((x & 3) * 4 + (y & 3)) * 4 + (z & 3);
}

// Means over the 8 cells of a coarse one: of the level over all, of the rest over what is liquid.
static void halve_cell(const halving *job, size_t block, int c)
{
    const dr_strain_problem *fine = job->fine;
    float far = (float)job->coarse->grid.cell, level = 0.0F, viscosity = 0.0F, density = 0.0F, wet = 0.0F;
    for (int n = 0; n < 8; n++) {
        int x = 2 * (c >> 4) + (n >> 2), y = 2 * (c >> 2 & 3) + (n >> 1 & 1), z = 2 * (c & 3) + (n & 1);
        int64_t from = find_fine(job->coarse, block, x, y, z);
        level += from < 0 ? far : fine->level[from];
        if (from < 0 || fine->level[from] >= 0.0F) continue;
        viscosity += fine->viscosity ? fine->viscosity[from] : (float)fine->uniform_viscosity;
        density += fine->density ? fine->density[from] : (float)fine->uniform_density;
        wet += 1.0F;
    }
    size_t to = block * CELLS + (size_t)c;
    job->coarse->level[to] = 0.125F * level;
    job->coarse->viscosity[to] = wet > 0.0F ? viscosity / wet : 0.0F;
    job->coarse->density[to] = wet > 0.0F ? density / wet : 0.0F;
}

static void halve_solid(const halving *job, size_t block, int c)
{
    size_t to = block * CELLS + (size_t)c;
    int64_t from = find_fine(job->coarse, block, 2 * (c >> 4), 2 * (c >> 2 & 3), 2 * (c & 3));
    job->coarse->solid[to] = from < 0 ? (float)job->coarse->grid.cell : job->fine->solid[from];
    if (!job->fine->no_slip) return;
    for (size_t a = 0; a < 3; a++)
        job->coarse->no_slip[4 * to + a] = from < 0 ? 1.0F : job->fine->no_slip[4 * from + (int)a];
}

static void halve_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const halving *job = user;
    for (size_t b = begin; b < end; b++) {
        for (int c = 0; c < CELLS; c++) {
            halve_cell(job, b, c);
            if (job->fine->solid) halve_solid(job, b, c);
        }
    }
}

static dr_strain_problem halve(const dr_par *par, const dr_strain_problem *fine, dr_viscosity_level *coarse)
{
    halving job = {fine, coarse};
    dr_par_for(par, coarse->grid.block_count, 16, halve_blocks, &job);
    return (dr_strain_problem){.dt = fine->dt,
                               .level = coarse->level,
                               .viscosity = coarse->viscosity,
                               .density = coarse->density,
                               .uniform_density = fine->uniform_density,
                               .solid = fine->solid ? coarse->solid : NULL,
                               .no_slip = fine->no_slip ? coarse->no_slip : NULL,
                               .slips = fine->slips};
}

// ---- between levels

typedef struct passage {
    const dr_viscosity_level *fine, *coarse;
    const double *from;
    double *to;
} passage;

// A vector's component on a block and one layer around: 6^3 of the coarse level.
static void load_coarse(const passage *job, size_t block, int axis, double window[6][6][6])
{
    for (int x = -1; x < 5; x++) {
        for (int y = -1; y < 5; y++) {
            for (int z = -1; z < 5; z++) {
                int n = ((x + 4) / 4 * 3 + (y + 4) / 4) * 3 + (z + 4) / 4;
                int64_t home = job->coarse->grid.neighbour[27 * block + (size_t)n];
                int item = ((x & 3) * 4 + (y & 3)) * 4 + (z & 3);
                window[x + 1][y + 1][z + 1] = home < 0 ? 0.0 : job->from[home * UNKNOWNS + axis * CELLS + item];
            }
        }
    }
}

// Which two coarse values make the fine one at i (0 .. 7) of an axis, and how much of the second.
static double interpolate(int i, bool own, int place[2])
{
    place[0] = i / 2 + 1;
    if (own) {
        place[1] = place[0] + 1;
        return i & 1 ? 0.5 : 0.0;
    }
    place[1] = place[0] + (i & 1 ? 1 : -1);
    return 0.25;
}

static double blend(const double window[6][6][6], const int x[2], const int y[2], const int z[2], const double t[3])
{
    double sum = 0.0;
    for (int n = 0; n < 8; n++) {
        double w = (n & 4 ? t[0] : 1.0 - t[0]) * (n & 2 ? t[1] : 1.0 - t[1]) * (n & 1 ? t[2] : 1.0 - t[2]);
        sum += w * window[x[n >> 2]][y[n >> 1 & 1]][z[n & 1]];
    }
    return sum;
}

static void prolong_axis(const passage *job, size_t block, int axis)
{
    double window[6][6][6], t[3];
    load_coarse(job, block, axis, window);
    for (int child = 0; child < 8; child++) {
        int64_t home = job->coarse->child[8 * block + (size_t)child];
        if (home < 0) continue;
        size_t first = (size_t)home * UNKNOWNS + (size_t)(axis * CELLS);
        for (int c = 0; c < CELLS; c++) {
            size_t f = first + (size_t)c;
            if (!(job->fine->strain.inverse[f] > 0.0)) continue;
            int x[2], y[2], z[2];
            t[0] = interpolate((child >> 2) * 4 + (c >> 4), axis == 0, x);
            t[1] = interpolate((child >> 1 & 1) * 4 + (c >> 2 & 3), axis == 1, y);
            t[2] = interpolate((child & 1) * 4 + (c & 3), axis == 2, z);
            job->to[f] += blend((const double(*)[6][6])window, x, y, z, t);
        }
    }
}

static void prolong_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const passage *job = user;
    for (size_t b = begin; b < end; b++) {
        for (int a = 0; a < FACES && job->coarse->strain.busy[b]; a++) prolong_axis(job, b, a);
    }
}

// A vector's component on the fine cells of a coarse block and one layer around: 10^3.
static void load_fine(const passage *job, size_t block, int axis, double window[10][10][10])
{
    for (int x = -1; x < 9; x++) {
        for (int y = -1; y < 9; y++) {
            for (int z = -1; z < 9; z++) {
                int n = ((x + 8) / 8 * 3 + (y + 8) / 8) * 3 + (z + 8) / 8;
                int64_t home = job->coarse->grid.neighbour[27 * block + (size_t)n];
                int64_t from = home < 0 ? -1 : find_fine(job->coarse, (size_t)home, x & 7, y & 7, z & 7);
                double value = from < 0 ? 0.0 : job->from[from / CELLS * UNKNOWNS + axis * CELLS + from % CELLS];
                window[x + 1][y + 1][z + 1] = value;
            }
        }
    }
}

// The transpose of interpolation along one axis, from 10 values `pitch` apart to 4.
static void gather(const double *from, int pitch, bool own, double to[4])
{
    for (int i = 0; i < 4; i++) {
        const double *v = from + 2 * i * pitch;
        to[i] = own ? 0.5 * (v[0] + v[2 * pitch]) + v[pitch]
                    : 0.25 * (v[0] + v[3 * pitch]) + 0.75 * (v[pitch] + v[2 * pitch]);
    }
}

static void restrict_axis(const passage *job, size_t block, int axis)
{
    double window[10][10][10], flat[10][10][4], line[10][4][4];
    load_fine(job, block, axis, window);
    for (int x = 0; x < 10; x++) {
        for (int y = 0; y < 10; y++) gather(window[x][y], 1, axis == 2, flat[x][y]);
        for (int z = 0; z < 4; z++) {
            double to[4];
            gather(&flat[x][0][z], 4, axis == 1, to);
            for (int y = 0; y < 4; y++) line[x][y][z] = to[y];
        }
    }
    for (int i = 0; i < 16; i++) {
        double to[4];
        gather(&line[0][i / 4][i % 4], 16, axis == 0, to);
        for (int x = 0; x < 4; x++) {
            size_t f = block * UNKNOWNS + (size_t)(axis * CELLS + x * 16 + i);
            job->to[f] = job->coarse->strain.inverse[f] > 0.0 ? 0.125 * to[x] : 0.0;
        }
    }
}

static void restrict_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const passage *job = user;
    for (size_t b = begin; b < end; b++) {
        if (!job->coarse->strain.busy[b]) memset(job->to + b * UNKNOWNS, 0, UNKNOWNS * sizeof(double));
        for (int a = 0; a < FACES && job->coarse->strain.busy[b]; a++) restrict_axis(job, b, a);
    }
}

// ---- smoothing

typedef struct sweep {
    const dr_viscosity_level *level;
    const double *right, *image; // image NULL: of a zero solution
    double *solution;
    double keep, add; // change = keep change + add diagonal^-1 residual
} sweep;

static void sweep_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep *job = user;
    const double *restrict inverse = job->level->strain.inverse;
    double *restrict change = job->level->change, *restrict solution = job->solution;
    size_t last = end * UNKNOWNS;
    if (!job->image) {
        for (size_t f = begin * UNKNOWNS; f < last; f++)
            solution[f] = change[f] = job->add * inverse[f] * job->right[f];
        return;
    }
    for (size_t f = begin * UNKNOWNS; f < last; f++) {
        double old = job->keep != 0.0 ? job->keep * change[f] : 0.0;
        change[f] = old + job->add * inverse[f] * (job->right[f] - job->image[f]);
        solution[f] += change[f];
    }
}

// Chebyshev's iteration for the upper part of the spectrum, eq. (13).
static void smooth(const dr_viscosity_multigrid *multigrid, const dr_viscosity_level *level, const double *right,
                   double *solution, int sweeps, double smallest, bool from_zero)
{
    double middle = 0.5 * (LARGEST_EIGENVALUE + smallest), radius = 0.5 * (LARGEST_EIGENVALUE - smallest);
    double sigma = middle / radius, rho = 1.0 / sigma;
    sweep job = {level, right, NULL, solution, 0.0, 1.0 / middle};
    for (int s = 0; s < sweeps; s++) {
        if (s > 0 || !from_zero) {
            dr_strain_apply(&level->strain, solution, level->residual);
            job.image = level->residual;
        }
        if (s > 0) {
            double next = 1.0 / (2.0 * sigma - rho);
            job.keep = next * rho;
            job.add = 2.0 * next / radius;
            rho = next;
        }
        dr_par_for(multigrid->par, level->strain.grid->block_count, 64, sweep_blocks, &job);
    }
}

// ---- the cycle

static void subtract_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const passage *job = user;
    for (size_t f = begin * UNKNOWNS; f < end * UNKNOWNS; f++) job->to[f] = job->from[f] - job->to[f];
}

static void descend(const dr_viscosity_multigrid *multigrid, int l, const double *right, double *solution)
{
    const dr_viscosity_level *fine = &multigrid->level[l], *coarse = fine + 1;
    if (l == multigrid->count - 1) {
        smooth(multigrid, fine, right, solution, LAST_SWEEPS, DR_MULTIGRID_LAST * DR_MULTIGRID_SMOOTHED, true);
        return;
    }
    smooth(multigrid, fine, right, solution, SWEEPS, DR_MULTIGRID_SMOOTHED, true);
    dr_strain_apply(&fine->strain, solution, fine->residual);
    passage rest = {fine, coarse, right, fine->residual}, down = {fine, coarse, fine->residual, coarse->right};
    passage up = {fine, coarse, coarse->solution, solution};
    dr_par_for(multigrid->par, fine->strain.grid->block_count, 64, subtract_blocks, &rest);
    dr_par_for(multigrid->par, coarse->grid.block_count, 8, restrict_blocks, &down);
    descend(multigrid, l + 1, coarse->right, coarse->solution);
    dr_par_for(multigrid->par, coarse->grid.block_count, 8, prolong_blocks, &up);
    smooth(multigrid, fine, right, solution, SWEEPS, DR_MULTIGRID_SMOOTHED, false);
}

void dr_viscosity_multigrid_precondition(dr_viscosity_multigrid *multigrid, const double *r, double *z)
{
    if (multigrid->count > 1) {
        descend(multigrid, 0, r, z);
    } else {
        sweep job = {&multigrid->level[0], r, NULL, z, 0.0, 1.0};
        dr_par_for(multigrid->par, multigrid->level[0].strain.grid->block_count, 64, sweep_blocks, &job);
    }
}

// ---- assembly

// The largest dt viscosity / (density cell^2).
static double diffusion(const dr_grid *grid, const dr_strain_problem *problem)
{
    double largest = 0.0;
    for (size_t i = 0; i < grid->block_count * CELLS; i++) {
        if (problem->level[i] >= 0.0F) continue;
        double viscosity = problem->viscosity ? (double)problem->viscosity[i] : problem->uniform_viscosity;
        double density = problem->density ? (double)problem->density[i] : problem->uniform_density;
        largest = fmax(largest, viscosity / density);
        if (!problem->viscosity && !problem->density) break;
    }
    return problem->dt * largest / (grid->cell * grid->cell);
}

bool dr_viscosity_multigrid_assemble(dr_viscosity_multigrid *multigrid, const dr_grid *grid, const dr_par *par,
                                     const dr_strain_problem *problem)
{
    multigrid->par = par;
    multigrid->count = 1;
    if (!reserve(&multigrid->level[0], grid->block_count, FINE_ARRAYS)) return false;
    if (!dr_strain_assemble(&multigrid->level[0].strain, grid, par, problem)) return false;
    double reach = diffusion(grid, problem);
    if (reach < DR_MULTIGRID_WORTH) return true;
    dr_strain_problem now = *problem;
    const dr_grid *finer = grid;
    while (can_halve(finer) && reach > DR_MULTIGRID_COARSEST && multigrid->count < DR_VISCOSITY_LEVELS) {
        dr_viscosity_level *coarse = &multigrid->level[multigrid->count];
        if (!make_blocks(finer, coarse[-1].parent, coarse)) return false;
        now = halve(par, &now, coarse);
        if (!dr_strain_assemble(&coarse->strain, &coarse->grid, par, &now)) return false;
        finer = &coarse->grid;
        reach *= 0.25;
        multigrid->count++;
    }
    return true;
}

bool dr_viscosity_multigrid_measure(dr_viscosity_multigrid *multigrid, const dr_grid *grid, const dr_par *par,
                                    const dr_strain_problem *problem)
{
    multigrid->par = par;
    multigrid->count = multigrid->measured = 1;
    return reserve(&multigrid->level[0], grid->block_count, FINE_ARRAYS) &&
           dr_strain_outline(&multigrid->level[0].strain, grid, par, problem);
}

bool dr_viscosity_multigrid_thicken(dr_viscosity_multigrid *multigrid, const dr_strain_problem *problem,
                                    const uint32_t *from)
{
    const dr_par *par = multigrid->par;
    const dr_grid *finer = multigrid->level[0].strain.grid;
    dr_strain_problem now = *problem;
    dr_strain_thicken(&multigrid->level[0].strain, problem, from);
    multigrid->count = 1;
    double reach = diffusion(finer, problem);
    if (reach < DR_MULTIGRID_WORTH) return true;
    while (can_halve(finer) && reach > DR_MULTIGRID_COARSEST && multigrid->count < DR_VISCOSITY_LEVELS) {
        dr_viscosity_level *coarse = &multigrid->level[multigrid->count];
        bool is_new = multigrid->count == multigrid->measured;
        if (is_new && !make_blocks(finer, coarse[-1].parent, coarse)) return false;
        now = halve(par, &now, coarse);
        if (is_new && !dr_strain_outline(&coarse->strain, &coarse->grid, par, &now)) return false;
        dr_strain_thicken(&coarse->strain, &now, NULL);
        finer = &coarse->grid;
        reach *= 0.25;
        multigrid->count++;
        if (is_new) multigrid->measured++;
    }
    return true;
}
