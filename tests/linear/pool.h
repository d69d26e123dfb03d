// Pressure problems for tests: blocks from a list or a cuboid, arrays with room for everything, and the equation
// written out cell by cell, without any of the solver's layout.
#ifndef TESTS_LINEAR_POOL_H
#define TESTS_LINEAR_POOL_H

#include "linear/pressure.h"
#include "support/check.h"

#include <stdlib.h>

typedef struct pool {
    dr_grid grid;
    size_t cells;
    uint8_t *kind;
    float *flux, *mobility, *open, *solid_velocity, *theta, *ghost; // [face]
    float *stiffness, *old_pressure, *source, *guess;               // [cell]
    float *pressure, *gradient;                                     // results
    dr_pressure_problem problem;
    uint64_t random;
} pool;

static inline double pool_random(pool *p)
{
    p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(p->random >> 11) / 9007199254740992.0;
}

static inline float *pool_floats(size_t count, float value)
{
    float *all = malloc((count + 1) * sizeof *all);
    assert_non_null(all);
    for (size_t n = 0; n < count; n++) all[n] = value;
    return all;
}

// Open faces, mobility 1, no flow; everything is air.
static inline void pool_open(pool *p, double cell, const int32_t (*blocks)[3], size_t count, const int32_t period[3])
{
    const double origin[3] = {0.0, 0.0, 0.0};
    dr_par par = dr_par_open(1);
    *p = (pool){.random = 1};
    assert_true(dr_grid_open(&p->grid, NULL, cell, origin, period));
    assert_true(dr_grid_from_blocks(&p->grid, &par, blocks, count));
    size_t cells = p->cells = 64 * p->grid.block_count;
    p->kind = calloc(cells + 1, 1);
    p->flux = pool_floats(4 * cells, 0.0F);
    p->mobility = pool_floats(4 * cells, 1.0F);
    p->open = pool_floats(4 * cells, 1.0F);
    p->solid_velocity = pool_floats(4 * cells, 0.0F);
    p->theta = pool_floats(4 * cells, 0.5F);
    p->ghost = pool_floats(4 * cells, 0.0F);
    p->stiffness = pool_floats(cells, 0.0F);
    p->old_pressure = pool_floats(cells, 0.0F);
    p->source = pool_floats(cells, 0.0F);
    p->guess = pool_floats(cells, 0.0F);
    p->pressure = pool_floats(cells, 7.0F);
    p->gradient = pool_floats(4 * cells, 7.0F);
    p->problem = (dr_pressure_problem){.grid = &p->grid,
                                       .kind = p->kind,
                                       .flux = p->flux,
                                       .mobility = p->mobility,
                                       .open = p->open,
                                       .solid_velocity = p->solid_velocity,
                                       .theta = p->theta,
                                       .ghost_pressure = p->ghost,
                                       .source = p->source};
}

// All blocks low .. high-1.
static inline void pool_open_box(pool *p, double cell, const int low[3], const int high[3], const int32_t period[3])
{
    size_t count = (size_t)((high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2])), n = 0;
    int32_t(*list)[3] = malloc(count * sizeof *list);
    assert_non_null(list);
    for (int i = low[0]; i < high[0]; i++) {
        for (int j = low[1]; j < high[1]; j++) {
            for (int k = low[2]; k < high[2]; k++, n++) {
                list[n][0] = i;
                list[n][1] = j;
                list[n][2] = k;
            }
        }
    }
    pool_open(p, cell, (const int32_t(*)[3])list, count, period);
    free(list);
}

static inline void pool_close(pool *p)
{
    float *all[12] = {p->flux,      p->mobility,     p->open,   p->solid_velocity, p->theta,    p->ghost,
                      p->stiffness, p->old_pressure, p->source, p->guess,          p->pressure, p->gradient};
    for (int n = 0; n < 12; n++) free(all[n]);
    free(p->kind);
    dr_grid_close(&p->grid);
}

// Coordinates of a cell, in cells.
static inline void pool_cell(const pool *p, size_t c, int cell[3])
{
    const int32_t *block = p->grid.coordinate + 3 * (c / 64);
    for (int a = 0; a < 3; a++) cell[a] = 4 * block[a] + (int)(c >> (4 - 2 * a) & 3);
}

// The number of the cell at those coordinates, -1 where its block does not exist.
static inline long pool_find(const pool *p, const int cell[3])
{
    int32_t block[3];
    for (int a = 0; a < 3; a++) block[a] = cell[a] >> 2;
    int32_t b = dr_grid_find(&p->grid, block);
    return b < 0 ? -1 : 64L * b + 16 * (cell[0] & 3) + 4 * (cell[1] & 3) + (cell[2] & 3);
}

static inline long pool_beside(const pool *p, size_t c, int axis, int step)
{
    int cell[3];
    pool_cell(p, c, cell);
    cell[axis] += step;
    return pool_find(p, cell);
}

// Equation (1) times h^2 at a liquid cell, with pressures q (NULL: none) and what is given (else only what pressure
// does): outflow minus sources.
static inline double pool_balance(const pool *p, size_t c, const double *q, bool given)
{
    const dr_pressure_problem *m = &p->problem;
    double h = p->grid.cell, sum = 0.0, own = q ? q[c] : 0.0;
    for (int n = 0; n < 6; n++) {
        int a = n / 2, up = n & 1;
        long other = pool_beside(p, c, a, up ? 1 : -1), holder = up ? other : (long)c;
        if (holder < 0) continue;
        size_t f = 4 * (size_t)holder + (size_t)a;
        uint8_t kind = other < 0 ? (uint8_t)DR_CELL_AIR : m->kind[other];
        double open = kind == DR_CELL_SOLID ? 0.0 : m->open ? (double)m->open[f] : 1.0, sign = up ? 1.0 : -1.0;
        double wall = m->solid_velocity ? (double)m->solid_velocity[f] : 0.0;
        if (given) sum += sign * h * (open * (double)m->flux[f] + (1.0 - open) * wall);
        double weight = open * (double)m->mobility[f];
        if (kind == DR_CELL_LIQUID) {
            sum += weight * (own - (q ? q[other] : 0.0));
        } else {
            double theta = m->theta ? fmin(1.0, fmax(0.01, (double)m->theta[f])) : 1.0;
            double ghost = given && m->ghost_pressure ? (double)m->ghost_pressure[f] : 0.0;
            sum += weight / theta * (own - ghost);
        }
    }
    double stiffness = m->inverse_stiffness ? (double)m->inverse_stiffness[c] : 0.0;
    double old = given && m->old_pressure ? (double)m->old_pressure[c] : 0.0;
    sum += h * h * stiffness * (own - old);
    return sum - (given && m->source ? h * h * (double)m->source[c] : 0.0);
}

// What is left of equation (1) on faces after the solve: the largest |divergence - source| of a liquid cell, from the
// gradients the solver gave.
static inline double pool_divergence(const pool *p, size_t c)
{
    const dr_pressure_problem *m = &p->problem;
    double sum = 0.0;
    for (int n = 0; n < 6; n++) {
        int a = n / 2, up = n & 1;
        long other = pool_beside(p, c, a, up ? 1 : -1), holder = up ? other : (long)c;
        if (holder < 0) continue;
        size_t f = 4 * (size_t)holder + (size_t)a;
        bool solid = other >= 0 && m->kind[other] == DR_CELL_SOLID;
        double open = solid ? 0.0 : m->open ? (double)m->open[f] : 1.0;
        double wall = m->solid_velocity ? (double)m->solid_velocity[f] : 0.0;
        double liquid = (double)m->flux[f] - (double)m->mobility[f] * (double)p->gradient[f];
        sum += (up ? 1.0 : -1.0) * (open * liquid + (1.0 - open) * wall);
    }
    return sum / p->grid.cell - (m->source ? (double)m->source[c] : 0.0);
}

static inline dr_solve_report pool_solve(pool *p, int threads, const dr_pressure_options *options,
                                         dr_pressure_facts *facts)
{
    dr_pressure pressure;
    dr_par par = {threads};
    dr_solve_report report;
    assert_true(dr_pressure_open(&pressure, NULL));
    assert_true(dr_pressure_solve(&pressure, &par, &p->problem, options ? options : &dr_pressure_defaults, p->pressure,
                                  p->gradient, &report));
    if (facts) *facts = pressure.facts;
    dr_pressure_close(&pressure);
    return report;
}

// Blobs of liquid, air and solid, random coefficients over `decades`, random everything else.
static inline void pool_fill_random(pool *p, uint64_t seed, double decades)
{
    p->random = 2 * seed + 1;
    double wave[4][3], shift[4];
    for (int w = 0; w < 4; w++) {
        shift[w] = 6.0 * pool_random(p);
        for (int a = 0; a < 3; a++) wave[w][a] = 1.2 * (pool_random(p) - 0.5);
    }
    for (size_t c = 0; c < p->cells; c++) {
        int cell[3];
        pool_cell(p, c, cell);
        double value[4];
        for (int w = 0; w < 4; w++) {
            value[w] = sin(wave[w][0] * cell[0] + wave[w][1] * cell[1] + wave[w][2] * cell[2] + shift[w]);
        }
        bool liquid = value[0] + value[1] > -0.5, solid = value[2] + value[3] > 1.0;
        p->kind[c] = (uint8_t)(solid ? DR_CELL_SOLID : liquid ? DR_CELL_LIQUID : DR_CELL_AIR);
        p->source[c] = (float)(pool_random(p) - 0.5);
        for (size_t f = 4 * c; f < 4 * c + 3; f++) {
            double open = 1.5 * pool_random(p) - 0.2;
            p->flux[f] = (float)(2.0 * pool_random(p) - 1.0);
            p->mobility[f] = (float)pow(10.0, -decades * pool_random(p));
            p->open[f] = (float)fmin(1.0, fmax(0.0, open));
            p->solid_velocity[f] = (float)(pool_random(p) - 0.5);
            p->theta[f] = (float)pool_random(p);
            p->ghost[f] = (float)(pool_random(p) - 0.5);
        }
    }
}

#endif
