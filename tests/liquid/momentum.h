// What particles carry in all: mass, volume, centre of mass, momentum, and the tensor sum of m u x^T + B whose
// antisymmetric part is the angular momentum.
#ifndef DR_TEST_MOMENTUM_H
#define DR_TEST_MOMENTUM_H

#include "pool.h"

typedef struct total {
    double mass, volume, middle[3], momentum[3], tensor[9], scale;
} total;

static inline total total_of(const dr_grid *grid, const dr_particles *particles)
{
    total t = {0};
    double second = 0.25 * grid->cell * grid->cell;
    for (size_t p = 0; p < particles->count; p++) {
        double x[3], m = (double)particles->mass[p];
        dr_grid_position(grid, particles->key[p], particles->offset + 3 * p, x);
        t.mass += m;
        t.volume += (double)particles->volume[p];
        for (int a = 0; a < 3; a++) {
            t.middle[a] += m * x[a];
            t.momentum[a] += m * (double)particles->velocity[3 * p + (size_t)a];
        }
        for (int i = 0; i < 9; i++) {
            double carried = (double)particles->velocity[3 * p + (size_t)(i / 3)] * x[i % 3];
            double own = second * (double)particles->affine[9 * p + (size_t)i];
            t.tensor[i] += m * (carried + own);
            t.scale += m * (fabs(carried) + fabs(own));
        }
    }
    return t;
}

static inline void assert_kept(const total *before, const total *after, double tolerance)
{
    double mass = before->mass, scale = before->scale;
    assert_true(fabs(after->mass - mass) <= 1e-7 * mass);
    assert_true(fabs(after->volume - before->volume) <= 1e-7 * before->volume);
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(after->middle[a] - before->middle[a]) <= tolerance * mass);
        assert_true(fabs(after->momentum[a] - before->momentum[a]) <= tolerance * scale);
    }
    for (int i = 0; i < 9; i++) assert_true(fabs(after->tensor[i] - before->tensor[i]) <= tolerance * scale);
}

// Velocities and affine parts at random, on top of a common velocity.
static inline void shake(dr_particles *particles, uint64_t seed)
{
    dice d = {seed};
    for (size_t p = 0; p < particles->count; p++) {
        for (size_t a = 0; a < 3; a++) particles->velocity[3 * p + a] = (float)roll(&d, -5.0, 5.0);
        for (size_t a = 0; a < 9; a++) particles->affine[9 * p + a] = (float)roll(&d, -20.0, 20.0);
    }
}

#endif
