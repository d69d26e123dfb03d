// The drag law at vertices of strands in liquid. docs/theory/strands_in_liquid.md, sections 2 and 8.
#include "world/tuning.h"
#include "world/world.h"

#include "math/vec.h"
#include "mixture/drag.h"

#include <math.h>

static double radius_of(const dr_strands *strands, size_t edge)
{
    return sqrt(strands->radius[2 * edge] * strands->radius[2 * edge + 1]);
}

// How much of what the pores could hold there is of liquid: drag acts on what there is. open: of the kernel.
static double fill_of(const dr_strand_liquid *wet, size_t v, double full, double open)
{
    const double *mass = wet->mass + 3 * v;
    return fmin(1.0, (mass[0] + mass[1] + mass[2]) / (3.0 * full * open * (1.0 - wet->share[v])));
}

// Of several liquids that of the nearest particle in the block of a place; thick ones do not mix.
static const dr_liquid_kind *kind_at(const dr_world *world, const double x[3])
{
    const dr_liquid_constants *constants = &world->liquid.constants;
    const dr_particles *liquid = &world->state.liquid;
    const dr_liquid_kind *kind = &constants->kinds[constants->law - constants->laws];
    if (!constants->several) return kind;
    uint64_t key;
    float offset[3], nearest = INFINITY;
    int32_t at[3];
    dr_grid_place(&world->grid, x, &key, offset);
    dr_grid_coordinate(key, at);
    int32_t block = dr_grid_find(&world->grid, at);
    if (block < 0) return kind;
    for (uint32_t p = liquid->residents.first[block]; p < liquid->residents.first[block + 1]; p++) {
        float squared = 0.0F;
        for (size_t a = 0; a < 3; a++) {
            float way = liquid->offset[3 * (size_t)p + a] - offset[a];
            squared += way * way;
        }
        if (!(squared < nearest)) continue;
        nearest = squared;
        kind = &constants->kinds[liquid->body[p]];
    }
    return kind;
}

// value: viscosity and density of several liquids around the vertex.
void dr_strand_law_find(dr_world *world, double dt, int s, size_t v)
{
    const dr_strands *strands = &world->state.strands;
    const dr_liquid_constants *liquid = &world->liquid.constants;
    const dr_strand_liquid *wet = &world->strand_liquid;
    double cell = world->grid.cell, relative[3];
    double density = liquid->differ ? wet->value[4 * v] : liquid->density;
    double viscosity = liquid->differ ? wet->value[4 * v + 1] : liquid->viscosity;
    size_t edge = v + 1 < (size_t)strands->first[s + 1] ? v : v - 1;
    for (size_t a = 0; a < 3; a++)
        relative[a] = wet->target[3 * v + a] - dt * liquid->gravity[a] - strands->velocity[3 * v + a];
    const dr_liquid_kind *kind = liquid->thick ? kind_at(world, strands->position + 3 * v) : NULL;
    dr_drag drag = dr_drag_fibre(&(dr_drag_flow){.density = density,
                                                 .viscosity = viscosity,
                                                 .yield = kind ? kind->yield : 0.0,
                                                 .consistency = kind ? kind->consistency : 0.0,
                                                 .index = kind ? kind->index : 0.0,
                                                 .radius = radius_of(strands, edge),
                                                 .share = wet->share[v],
                                                 .speed = dr_vec3_length(relative)});
    double fill = fill_of(wet, v, density * cell * cell * cell, wet->open[v]), scale = dt * wet->length[v] * fill;
    wet->filled[v] = fill;
    wet->exposed[v] = fmax(0.0, 1.0 - fill / DR_STRAND_SUBMERGED);
    wet->drag[2 * v] = scale * drag.along;
    wet->drag[2 * v + 1] = scale * drag.across;
}
