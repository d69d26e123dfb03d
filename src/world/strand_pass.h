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

// Vertices near liquid: what stands of others is nothing, and stays.
typedef struct dr_strand_runs {
    const dr_strand_liquid *wet;
    dr_par_body body;
    void *user;
} dr_strand_runs;

static inline void dr_strand_visit_runs(void *user, size_t begin, size_t end, int thread)
{
    const dr_strand_runs *job = user;
    for (size_t i = begin; i < end; i++) job->body(job->user, job->wet->run[2 * i], job->wet->run[2 * i + 1], thread);
}

static inline void dr_strand_visit_near(dr_world *world, dr_par_body body, void *user)
{
    dr_strand_runs job = {&world->strand_liquid, body, user};
    dr_par_for(&world->par, world->strand_liquid.runs, 16, dr_strand_visit_runs, &job);
}

static inline void dr_strand_visit_wet(dr_world *world, double dt, dr_par_body body)
{
    dr_strand_pass job = {world, dt, 0.0};
    dr_strand_visit_near(world, body, &job);
}

static inline void dr_strand_visit_strands(dr_world *world, double dt, dr_par_body body)
{
    dr_strand_pass job = {world, dt, 0.0};
    dr_par_for(&world->par, (size_t)world->state.strands.count, 16, body, &job);
}

#endif
