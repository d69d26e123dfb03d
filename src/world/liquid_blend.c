// Several liquids in one scene: density of faces and cells, viscosity and surface tension of cells, as the
// volume-weighted means of what the particles around are made of. docs/theory/liquid.md, "Several liquids".
#include "world/world.h"

#include <string.h>

#define FACE_FLOATS (DR_BLOCK_NODES * 4)

typedef enum factor { VOLUME, VISCOSITY, TENSION } factor;

typedef struct weighing {
    dr_world *world;
    factor factor; // what a particle's volume is multiplied by, if by anything
} weighing;

static double factor_of(const dr_matter *matter, factor factor)
{
    return factor == VISCOSITY ? matter->viscosity : factor == TENSION ? matter->surface_tension : 1.0;
}

static void weigh_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const weighing *job = user;
    const dr_particles *particles = &job->world->state.liquid;
    for (size_t p = begin; p < end; p++) {
        const dr_matter *matter = &job->world->constants.matter[particles->body[p]];
        job->world->liquid.weight[p] = particles->volume[p] * (float)factor_of(matter, job->factor);
    }
}

// Scatters a weight per particle to the faces; the momentum that comes with it is not wanted.
static void scatter(dr_world *world, factor factor, float *face)
{
    dr_liquid *liquid = &world->liquid;
    weighing job = {world, factor};
    dr_par_for(&world->par, world->state.liquid.count, DR_PARTICLE_CHUNK, weigh_particles, &job);
    dr_particles weighed = world->state.liquid;
    weighed.mass = liquid->weight;
    dr_transfer_to_faces(&liquid->transfer, &liquid->grid, &world->par, &weighed, face, liquid->result);
}

// The sum of a face array over the six faces of a cell.
static double around(const dr_grid *grid, const float *face, size_t block, int item)
{
    static const int stride[3] = {16, 4, 1}, above[3] = {22, 16, 14}; // the upper neighbour among the 27
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        int local = item / stride[a] & 3;
        int64_t next = local < 3 ? (int64_t)block : grid->neighbour[27 * block + (size_t)above[a]];
        int there = local < 3 ? item + stride[a] : item - 3 * stride[a];
        sum += (double)face[block * FACE_FLOATS + (size_t)(4 * item + a)];
        if (next >= 0) sum += (double)face[(size_t)next * FACE_FLOATS + (size_t)(4 * there + a)];
    }
    return sum;
}

static void blend_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_liquid *liquid = &world->liquid;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)n;
            double volume = around(&liquid->grid, liquid->volume, b, n);
            bool empty = !(volume > 0.0);
            liquid->density[i] =
                (float)(empty ? world->constants.liquid_density : around(&liquid->grid, liquid->mass, b, n) / volume);
            liquid->thickness[i] = (float)(empty ? world->constants.liquid_viscosity
                                                 : around(&liquid->grid, liquid->thick, b, n) / volume);
        }
    }
}

// Thick is free again: it now holds volume times surface tension.
static void pull_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_liquid *liquid = &world->liquid;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            double volume = around(&liquid->grid, liquid->volume, b, n);
            liquid->pull[b * DR_BLOCK_NODES + (size_t)n] =
                (float)(volume > 0.0 ? around(&liquid->grid, liquid->thick, b, n) / volume
                                     : world->constants.surface_tension);
        }
    }
}

bool dr_liquid_blend_reserve(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    return !world->constants.liquids_differ ||
           dr_memory_reserve(world->allocator, (void **)&liquid->weight, &liquid->weight_capacity,
                             world->state.liquid.count, sizeof *liquid->weight);
}

void dr_liquid_blend(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    if (!world->constants.liquids_differ) return;
    scatter(world, VOLUME, liquid->volume);
    scatter(world, VISCOSITY, liquid->thick);
    dr_par_for(&world->par, liquid->grid.block_count, 32, blend_blocks, world);
    if (!(world->constants.surface_tension > 0.0)) return;
    scatter(world, TENSION, liquid->thick);
    dr_par_for(&world->par, liquid->grid.block_count, 32, pull_blocks, world);
}
