// A grid of all blocks in a box, and arrays on it filled from functions of the position.
#ifndef DR_TESTS_LIQUID_BLOCKS_H
#define DR_TESTS_LIQUID_BLOCKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "grid/grid.h"

#include <math.h>
#include <stdlib.h>

static const dr_par one_thread = {1};

typedef double (*scalar_field)(const double x[3]);
typedef void (*vector_field)(const double x[3], double out[3]);

// Blocks low .. high-1; axes with a period have all their blocks.
static inline void make_blocks(dr_grid *grid, double cell, const int32_t period[3], const int low[3], const int high[3])
{
    const double origin[3] = {0.0, 0.0, 0.0};
    assert_true(dr_grid_open(grid, NULL, cell, origin, period));
    dr_particles particles = {0};
    size_t count = (size_t)((high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]));
    assert_true(dr_particles_reserve(&particles, NULL, count));
    for (int i = low[0]; i < high[0]; i++) {
        for (int j = low[1]; j < high[1]; j++) {
            for (int k = low[2]; k < high[2]; k++) {
                const double x[3] = {cell * (4 * i + 2), cell * (4 * j + 2), cell * (4 * k + 2)};
                size_t p = particles.count++;
                dr_grid_place(grid, x, &particles.key[p], &particles.offset[3 * p]);
            }
        }
    }
    assert_true(dr_grid_rebuild(grid, &one_thread, &particles));
    dr_particles_free(&particles, NULL);
}

// Where the item c of a block lies, moved by `shift` cells.
static inline void locate(const dr_grid *grid, size_t block, int c, const double shift[3], double x[3])
{
    const int at[3] = {c >> 4, c >> 2 & 3, c & 3};
    for (int a = 0; a < 3; a++) {
        x[a] = grid->origin[a] + grid->cell * (4 * grid->coordinate[3 * block + (size_t)a] + at[a] + shift[a]);
    }
}

static inline void locate_face(const dr_grid *grid, size_t block, int c, int axis, double x[3])
{
    const double shift[3] = {axis == 0 ? 0.0 : 0.5, axis == 1 ? 0.0 : 0.5, axis == 2 ? 0.0 : 0.5};
    locate(grid, block, c, shift, x);
}

// A cell array (shift 0.5) or a corner array (shift 0).
static inline float *fill_scalar(const dr_grid *grid, double shift, scalar_field field)
{
    const double shifts[3] = {shift, shift, shift};
    float *array = malloc(grid->block_count * 64 * sizeof(float));
    for (size_t i = 0; i < grid->block_count * 64; i++) {
        double x[3];
        locate(grid, i / 64, (int)(i % 64), shifts, x);
        array[i] = (float)field(x);
    }
    return array;
}

static inline float *fill_faces(const dr_grid *grid, vector_field field)
{
    float *array = calloc(grid->block_count * 64 * 4, sizeof(float));
    for (size_t i = 0; i < grid->block_count * 64; i++) {
        for (int a = 0; a < 3; a++) {
            double x[3], value[3];
            locate_face(grid, i / 64, (int)(i % 64), a, x);
            field(x, value);
            array[4 * i + (size_t)a] = (float)value[a];
        }
    }
    return array;
}

#endif
