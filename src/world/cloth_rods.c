// Yarn on the grid as rods: what bending and twist add to the forces of its vertices. docs/theory/rods.md, "Rods of
// others". The frames of a state are found where it is accounted for, or else before the step; tries of the step begin
// from them and leave them alone.
#include "world/world.h"
#include "world/tuning.h"

#include <math.h>
#include <string.h>

bool dr_cloth_rods_any(const dr_world *world)
{
    return world->state.rods.stiff;
}

static size_t slope_bytes(const dr_world *world)
{
    return 3 * world->state.yarn.vertices * sizeof(double);
}

static size_t mass_bytes(const dr_world *world)
{
    return world->state.yarn.vertices * sizeof(double);
}

bool dr_cloth_rods_open(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    dr_rods *rods = &world->state.rods;
    if (!rods->stiff) return true;
    stage->rod_slope = dr_memory_alloc(world->allocator, slope_bytes(world));
    stage->rod_mass = dr_memory_alloc(world->allocator, mass_bytes(world));
    if (!stage->rod_slope || !stage->rod_mass ||
        !dr_rods_open(rods, world->allocator, stage->solve.tangent[DR_THIN_YARN].mesh != NULL))
        return false;
    for (size_t v = 0; v < rods->vertices; v++) stage->rod_mass[v] = (double)world->state.yarn.mass[v];
    dr_rods_start(rods, &world->par, world->state.yarn.position);
    stage->rod_limit = dr_rods_limit(rods, &world->par, stage->rod_mass);
    return true;
}

void dr_cloth_rods_close(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    if (stage->rod_slope) dr_memory_free(world->allocator, stage->rod_slope, slope_bytes(world));
    if (stage->rod_mass) dr_memory_free(world->allocator, stage->rod_mass, mass_bytes(world));
    dr_rods_free(&world->state.rods, world->allocator);
}

double dr_cloth_rods_account(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    if (!dr_cloth_rods_any(world)) return 0.0;
    stage->rod_energy = dr_rods_start(&world->state.rods, &world->par, world->state.yarn.position);
    stage->rods_known = true;
    return stage->rod_energy;
}

static void find_slope(dr_world *world)
{
    memset(world->cloth.rod_slope, 0, slope_bytes(world));
    dr_rods_gradient(&world->state.rods, &world->par, world->cloth.rod_slope);
}

void dr_cloth_rods_bend(dr_world *world)
{
    dr_cloth_stage *stage = &world->cloth;
    if (!dr_cloth_rods_any(world)) return;
    if (!stage->rods_known) dr_cloth_rods_account(world);
    stage->rods_known = false;
    find_slope(world);
    double limit = DR_CLOTH_SQUEEZED * stage->rod_limit;
    if (DR_CLOTH_SQUEEZED * limit > stage->eigenvalue)
        limit = dr_rods_limit(&world->state.rods, &world->par, stage->rod_mass);
    stage->eigenvalue += limit;
}

double dr_cloth_rods_look(dr_world *world, const double *place)
{
    if (!dr_cloth_rods_any(world)) return 0.0;
    double energy = dr_rods_look(&world->state.rods, &world->par, place);
    find_slope(world);
    return energy;
}

void dr_cloth_rods_linearise(dr_world *world)
{
    if (dr_cloth_rods_any(world)) dr_rods_linearise(&world->state.rods, &world->par, false);
}

void dr_cloth_rods_apply(dr_world *world, const float *velocity)
{
    if (!dr_cloth_rods_any(world)) return;
    memset(world->cloth.rod_slope, 0, slope_bytes(world));
    dr_rods_apply(&world->state.rods, &world->par, velocity, world->cloth.rod_slope);
}

void dr_cloth_rods_keep(dr_world *world)
{
    if (dr_cloth_rods_any(world)) dr_rods_keep(&world->state.rods, &world->par, world->state.yarn.position);
}
