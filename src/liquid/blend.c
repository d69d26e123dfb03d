// Several liquids in one scene: density of faces and cells, viscosity and surface tension of cells, as the
// volume-weighted means of what the particles around are made of. docs/theory/liquid.md, "Several liquids".
#include "liquid/rheology_stage.h"

#include <string.h>

#define CHUNK 2048 // particles of one piece of a parallel loop

typedef enum factor { VOLUME, VISCOSITY, TENSION } factor;

typedef struct weighing {
    dr_liquid *liquid;
    factor factor; // what a particle's volume is multiplied by, if by anything
} weighing;

static double factor_of(const dr_liquid_kind *kind, factor factor)
{
    return factor == VISCOSITY ? kind->viscosity : factor == TENSION ? kind->surface_tension : 1.0;
}

static void weigh_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const weighing *job = user;
    const dr_particles *particles = job->liquid->particles;
    for (size_t p = begin; p < end; p++) {
        const dr_liquid_kind *kind = &job->liquid->constants.kinds[particles->body[p]];
        job->liquid->weight[p] = dr_liquid_volume(job->liquid)[p] * (float)factor_of(kind, job->factor);
    }
}

// Scatters a weight per particle to the faces; the momentum that comes with it is not wanted.
static void scatter(dr_liquid *liquid, factor factor, float *face)
{
    weighing job = {liquid, factor};
    dr_par_for(liquid->par, liquid->particles->count, CHUNK, weigh_particles, &job);
    dr_particles weighed = *liquid->particles;
    weighed.mass = liquid->weight;
    dr_transfer_to_faces(&liquid->transfer, liquid->grid, liquid->par, &weighed, face, liquid->result);
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
        sum += (double)face[block * DR_BLOCK_FACES + (size_t)(4 * item + a)];
        if (next >= 0) sum += (double)face[(size_t)next * DR_BLOCK_FACES + (size_t)(4 * there + a)];
    }
    return sum;
}

static void blend_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid *liquid = user;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)n;
            double volume = around(liquid->grid, liquid->volume, b, n);
            bool empty = !(volume > 0.0);
            liquid->density[i] =
                (float)(empty ? liquid->constants.density : around(liquid->grid, liquid->mass, b, n) / volume);
            liquid->thickness[i] =
                (float)(empty ? liquid->constants.viscosity : around(liquid->grid, liquid->thick, b, n) / volume);
        }
    }
}

// Thick is free again: it now holds volume times surface tension.
static void pull_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid *liquid = user;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            double volume = around(liquid->grid, liquid->volume, b, n);
            liquid->pull[b * DR_BLOCK_NODES + (size_t)n] =
                (float)(volume > 0.0 ? around(liquid->grid, liquid->thick, b, n) / volume
                                     : liquid->constants.surface_tension);
        }
    }
}

bool dr_liquid_blend_reserve(dr_liquid *liquid)
{
    return !liquid->constants.differ ||
           dr_memory_reserve(liquid->allocator, (void **)&liquid->weight, &liquid->weight_capacity,
                             liquid->particles->count, sizeof *liquid->weight);
}

void dr_liquid_blend(dr_liquid *liquid)
{
    if (!liquid->constants.differ) return;
    scatter(liquid, VOLUME, liquid->volume);
    scatter(liquid, VISCOSITY, liquid->thick);
    dr_par_for(liquid->par, liquid->grid->block_count, 32, blend_blocks, liquid);
    if (!(liquid->constants.surface_tension > 0.0)) return;
    scatter(liquid, TENSION, liquid->thick);
    dr_par_for(liquid->par, liquid->grid->block_count, 32, pull_blocks, liquid);
}
