// Random particles for the tests of grid and transfers.
#ifndef DR_TEST_CLOUD_H
#define DR_TEST_CLOUD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "grid/grid.h"
#include "support/scarce.h"

#include <math.h>
#include <stdlib.h>

typedef struct dice {
    uint64_t state;
} dice;

static inline double roll(dice *d, double low, double high)
{
    d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(d->state >> 11) / 9007199254740992.0;
}

// Fills everything but the place.
static inline void fill_particle(dr_particles *particles, size_t p, dice *d)
{
    for (int a = 0; a < 3; a++) particles->velocity[3 * p + (size_t)a] = (float)roll(d, -5.0, 5.0);
    for (int a = 0; a < 9; a++) {
        particles->affine[9 * p + (size_t)a] = (float)roll(d, -20.0, 20.0);
        particles->strain[9 * p + (size_t)a] = (float)roll(d, -1.0, 1.0);
    }
    particles->mass[p] = (float)roll(d, 0.5, 2.0);
    particles->volume[p] = (float)roll(d, 0.5, 2.0);
    particles->body[p] = (uint32_t)roll(d, 0.0, 7.0);
    particles->id[p] = p;
}

// Particles spread evenly over a box (cm).
static inline void make_cloud(dr_particles *particles, const dr_grid *grid, size_t count, const double low[3],
                              const double high[3], uint64_t seed)
{
    dice d = {seed};
    *particles = (dr_particles){0};
    assert_true(dr_particles_reserve(particles, grid->allocator, count));
    particles->count = count;
    for (size_t p = 0; p < count; p++) {
        double position[3];
        for (int a = 0; a < 3; a++) position[a] = roll(&d, low[a], high[a]);
        dr_grid_place(grid, position, &particles->key[p], &particles->offset[3 * p]);
        fill_particle(particles, p, &d);
    }
}

#endif
