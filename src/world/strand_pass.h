// Passes of strands in liquid over blocks, vertices and strands.
#ifndef DR_WORLD_STRAND_PASS_H
#define DR_WORLD_STRAND_PASS_H

#include "world/tuning.h"
#include "world/world.h"

typedef struct dr_strand_pass {
    dr_world *world;
    double dt;
    double part;
} dr_strand_pass;

static inline void dr_strand_visit_blocks(dr_world *world, double dt, dr_par_body body)
{
    dr_strand_pass job = {world, dt, 0.0};
    dr_par_for(&world->par, world->grid.block_count, 32, body, &job);
}

static inline void dr_strand_visit_vertices(dr_world *world, double dt, dr_par_body body)
{
    dr_strand_pass job = {world, dt, 0.0};
    dr_par_for(&world->par, world->state.strands.vertices, DR_VERTEX_CHUNK, body, &job);
}

static inline void dr_strand_visit_strands(dr_world *world, double dt, dr_par_body body)
{
    dr_strand_pass job = {world, dt, 0.0};
    dr_par_for(&world->par, (size_t)world->state.strands.count, 16, body, &job);
}

#endif
