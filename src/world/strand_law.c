// The drag law at vertices of strands in liquid. docs/theory/strands_in_liquid.md, sections 2 and 8.
#include "world/tuning.h"
#include "world/world.h"

#include "math/scalar.h"
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
    return dr_min_double(1.0, (mass[0] + mass[1] + mass[2]) / (3.0 * full * open * (1.0 - wet->share[v])));
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

// Share of the volume around a vertex that is its own strand's. In thick liquid drag goes by the others' alone, eq.
// (21): so a strand alone has the drag of one, whatever the cell.
static double own_of(const dr_world *world, int s, size_t v, bool thick)
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    double cell = world->grid.cell, most = wet->volume[v] / (wet->length[v] * cell * cell);
    if (!thick || most < DR_STRAND_SLENDER) return 0.0;
    return dr_min_double(wet->share[v], dr_strand_samples_own(world, s, v) / wet->open[v]);
}

// Along and across, impulse per velocity in a step. A part of what drag across the strand does to the liquid becomes
// pressure, which pushes on the strand: that is part of its drag. eq. (22)
static void drag_at(const dr_strand_liquid *wet, double dt, size_t v, const dr_drag_flow *flow, double form_drag,
                    double drag[2])
{
    dr_drag law = dr_drag_fibre(flow);
    double scale = dt * wet->length[v] * wet->filled[v];
    drag[0] = scale * law.along;
    drag[1] = scale * law.across * (1.0 - form_drag * wet->own[v]);
}

// Relative to the liquid as the step begins.
static double speed_of(const dr_world *world, double dt, size_t v)
{
    double relative[3];
    for (size_t a = 0; a < 3; a++)
        relative[a] = world->strand_liquid.target[3 * v + a] - dt * world->liquid.constants.gravity[a] -
                      world->state.strands.velocity[3 * v + a];
    return dr_vec3_length(relative);
}

void dr_strand_law_find(dr_world *world, double dt, int s, size_t v, const double kinds[2])
{
    const dr_strands *strands = &world->state.strands;
    const dr_liquid_constants *liquid = &world->liquid.constants;
    const dr_strand_liquid *wet = &world->strand_liquid;
    double cell = world->grid.cell;
    size_t edge = v + 1 < (size_t)strands->first[s + 1] ? v : v - 1;
    const dr_liquid_kind *kind = liquid->thick ? kind_at(world, strands->position + 3 * v) : NULL;
    dr_drag_flow flow = {.density = liquid->differ ? kinds[0] : liquid->density,
                         .viscosity = liquid->differ ? kinds[1] : liquid->viscosity,
                         .yield = kind ? kind->yield : 0.0,
                         .consistency = kind ? kind->consistency : 0.0,
                         .index = kind ? kind->index : 0.0,
                         .radius = radius_of(strands, edge)};
    wet->own[v] = own_of(world, s, v, flow.index > 0.0);
    flow.share = wet->share[v] - wet->own[v];
    wet->filled[v] = fill_of(wet, v, flow.density * cell * cell * cell, wet->open[v]);
    wet->exposed[v] = dr_max_double(0.0, 1.0 - wet->filled[v] / DR_STRAND_SUBMERGED);
    flow.speed = strands->slip[v] > 0.0 ? strands->slip[v] : speed_of(world, dt, v);
    drag_at(wet, dt, v, &flow, dr_max_double(strands->form_drag[v], DR_STRAND_LEAST_FORM_DRAG), wet->drag + 2 * v);
}

double dr_strand_law_slip(const dr_strand_liquid *wet, size_t v, const double impulse[3])
{
    const double *drag = wet->drag + 2 * v;
    double slip[3], inverse[2] = {1.0 / drag[0], 1.0 / drag[1]};
    if (!(drag[0] > 0.0 && drag[1] > 0.0)) return 0.0;
    dr_strand_drag_apply(inverse, wet->tangent + 3 * v, impulse, slip);
    return dr_vec3_length(slip);
}
