// A pool with its surface, what is inside it and what spreads its particles, and walls around it.
#ifndef DR_TEST_BATH_H
#define DR_TEST_BATH_H

#include "pool.h"

#include "liquid/relax.h"
#include "collide/open_share.h"
#include "liquid/level_set.h"

static const double cell = 0.25;
static const dr_par one_thread = {1};

typedef struct bath {
    pool water;
    dr_level_set surface;
    dr_inside inside;
    dr_relax relax;
    size_t items;          // cells of all blocks
    float *spare, *source; // [cell][4], [cell]
} bath;

static inline void open_bath(bath *b, const dr_allocator *relax_allocator)
{
    *b = (bath){0};
    open_pool(&b->water, cell);
    dr_level_set_open(&b->surface, NULL);
    dr_inside_open(&b->inside, NULL);
    dr_relax_open(&b->relax, relax_allocator);
}

static inline void settle(bath *b, const dr_par *par)
{
    assert_true(dr_grid_rebuild(&b->water.grid, par, &b->water.particles));
    assert_true(dr_level_set_build(&b->surface, &b->water.grid, par, &b->water.particles, NULL, 0.5));
    assert_true(dr_inside_find(&b->inside, &b->water.grid, par, b->surface.distance, NULL));
    b->items = b->water.grid.block_count * DR_BLOCK_NODES;
    b->spare = realloc(b->spare, 4 * b->items * sizeof(float));
    b->source = realloc(b->source, b->items * sizeof(float));
}

// A box off the grid that is full, and the walls around it.
static inline body open_full_box(bath *b)
{
    body box = {.kind = BOX, .at = {0.03, 0.02, 0.05}, .half = {1.31, 1.27, 1.4}}, wall = box;
    wall.hollow = true;
    open_bath(b, NULL);
    pour_body(&b->water, &box, 8, DR_SEEDING_JITTER, 1.6);
    settle(b, &one_thread);
    return wall;
}

static inline void close_bath(bath *b)
{
    free(b->spare);
    free(b->source);
    dr_relax_close(&b->relax);
    dr_inside_close(&b->inside);
    dr_level_set_close(&b->surface);
    close_pool(&b->water);
}

typedef struct walls {
    float *corner, *open, *area, *velocity;
} walls;

// They move along x.
static inline walls build_walls(const dr_grid *grid, const body *shape, double speed)
{
    size_t items = grid->block_count * DR_BLOCK_NODES;
    walls w = {wall_corners(grid, shape), malloc(items * sizeof(float)), malloc(4 * items * sizeof(float)),
               calloc(4 * items, sizeof(float))};
    for (size_t i = 0; i < items; i++) w.velocity[4 * i] = (float)speed;
    dr_open_share_measure(grid, &one_thread, w.corner, w.area, w.open);
    return w;
}

static inline void drop_walls(walls *w)
{
    free(w->corner);
    free(w->open);
    free(w->area);
    free(w->velocity);
}

#endif
