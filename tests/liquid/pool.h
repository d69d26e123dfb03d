// Bodies of liquid for the tests: planes, spheres and boxes filled with particles, and what stirs them.
#ifndef DR_TEST_POOL_H
#define DR_TEST_POOL_H

#include "../grid/cloud.h"

#include "grid/transfer.h"
#include "liquid/seeding.h"

#include <stdio.h>
#include <string.h>

typedef struct body {
    enum { PLANE, SPHERE, BOX } kind;
    double at[3];     // a point of the plane, the middle of the sphere or box
    double normal[3]; // out of the liquid
    double radius;
    double half[3];
    bool hollow;   // all but the sphere or box
    double turned; // the box, about z
} body;

static double body_distance(const void *shape, const double x[3])
{
    const body *s = shape;
    double d[3] = {x[0] - s->at[0], x[1] - s->at[1], x[2] - s->at[2]};
    if (s->kind == PLANE) return d[0] * s->normal[0] + d[1] * s->normal[1] + d[2] * s->normal[2];
    double side = s->hollow ? -1.0 : 1.0;
    if (s->kind == SPHERE) return side * (sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - s->radius);
    double inside = -1e30, outside = 0.0, cosine = cos(s->turned), sine = sin(s->turned), x0 = d[0];
    d[0] = cosine * x0 + sine * d[1];
    d[1] = cosine * d[1] - sine * x0;
    for (int a = 0; a < 3; a++) {
        double q = fabs(d[a]) - s->half[a];
        inside = fmax(inside, q);
        outside += q > 0.0 ? q * q : 0.0;
    }
    return side * (inside < 0.0 ? inside : sqrt(outside));
}

typedef struct pool {
    dr_grid grid;
    dr_particles particles;
    double volume;
} pool;

static inline bool add_drop(void *user, const double x[3], double volume)
{
    pool *water = user;
    dr_particles *particles = &water->particles;
    size_t p = particles->count;
    if (!dr_particles_reserve(particles, water->grid.allocator, p + 1)) return false;
    particles->count++;
    dr_grid_place(&water->grid, x, &particles->key[p], &particles->offset[3 * p]);
    memset(particles->velocity + 3 * p, 0, 3 * sizeof(float));
    memset(particles->affine + 9 * p, 0, 9 * sizeof(float));
    particles->volume[p] = (float)volume;
    particles->mass[p] = (float)volume;
    particles->body[p] = 0;
    particles->id[p] = p;
    water->volume += volume;
    return true;
}

static inline void open_pool_with(pool *water, double cell, const dr_allocator *allocator, const int32_t period[3])
{
    const double origin[3] = {0.1, -0.2, 0.3};
    *water = (pool){.particles = {.columns = &dr_plain_particle_columns}};
    assert_true(dr_grid_open(&water->grid, allocator, cell, origin, period));
}

static inline void open_pool(pool *water, double cell)
{
    open_pool_with(water, cell, NULL, (int32_t[3]){0, 0, 0});
}

static inline void pour_body(pool *water, const body *shape, int per_cell, double jitter, double span)
{
    dr_seeding pour = {.cell = water->grid.cell, .per_cell = per_cell, .jitter = jitter, .key = 7};
    double low[3], high[3];
    for (int a = 0; a < 3; a++) {
        pour.origin[a] = water->grid.origin[a];
        low[a] = shape->at[a] - span;
        high[a] = shape->at[a] + span;
    }
    assert_true(dr_seeding_visit(&pour, body_distance, shape, low, high, add_drop, water));
}

static inline void close_pool(pool *water)
{
    dr_particles_free(&water->particles, water->grid.allocator);
    dr_grid_close(&water->grid);
}

// The centre of a cell, or its lower corner where half is 0 (cm).
static inline void cell_place(const dr_grid *grid, size_t block, int c, double half, double x[3])
{
    const int at[3] = {c >> 4, c >> 2 & 3, c & 3};
    for (int a = 0; a < 3; a++) {
        x[a] = grid->origin[a] + grid->cell * (4.0 * grid->coordinate[3 * block + (size_t)a] + at[a] + half);
    }
}

// Distances of all blocks' corners from a wall.
static inline float *wall_corners(const dr_grid *grid, const body *shape)
{
    size_t items = grid->block_count * DR_BLOCK_NODES;
    float *corner = malloc(items * sizeof(float));
    for (size_t i = 0; i < items; i++) {
        double x[3];
        cell_place(grid, i / 64, (int)(i % 64), 0.0, x);
        corner[i] = (float)body_distance(shape, x);
    }
    return corner;
}

#endif
