// A world's life: create, look, destroy.
#include "world/world.h"

#include "base/error.h"

#include <math.h>

static dr_status open_world(dr_world *world, const dr_scene *scene, dr_error *error)
{
    dr_status status = dr_constants_compile(world, scene, error);
    if (status == DR_STATUS_OK) status = dr_state_open(world, scene, error);
    if (status != DR_STATUS_OK) return status;
    if (!dr_account_reserve(world, 0)) return dr_error_memory(error, "opening the world");
    dr_account_extremes(world);
    world->report.time = world->state.time;
    world->report.particles = (int64_t)(world->state.particles.count + world->state.liquid.count);
    world->report.strands = world->state.strands.count;
    world->report.vertices = (int64_t)world->state.strands.vertices;
    world->report.volume_total = world->report.volume_bulk + world->report.volume_film;
    world->report.limited_by = "start";
    return DR_STATUS_OK;
}

enum { MOST_SETS = DR_SET_COUNT + 1 + 2 * DR_THIN_COUNT };

// The points of strands in liquid and of cloth and yarn on the grid. Returns how many sets there are then.
static int list_points(dr_world *world, dr_point_set sets[MOST_SETS], int count)
{
    if (world->strand_liquid.active) sets[count++].points = &world->strand_liquid.samples.points;
    if (!world->constants.has_thin) return count;
    for (int i = 0; i < DR_THIN_COUNT; i++) {
        if (!world->cloth.thin[i].mesh) continue;
        sets[count++].points = &world->cloth.thin[i].vertices;
        sets[count++].points = &world->cloth.thin[i].elements;
    }
    return count;
}

// Curvature of the liquid's surface looks two cells around it.
bool dr_world_activate(dr_world *world)
{
    const dr_constants *constants = &world->constants;
    bool padded = constants->liquid.surface_tension > 0.0;
    if (!dr_strand_samples_place(world) || (constants->has_thin && !dr_cloth_stage_place(world))) return false;
    dr_point_set sets[MOST_SETS] = {
        {.particles = &world->state.particles, .padded = padded && constants->bodies_meet_liquid},
        {.particles = &world->state.liquid, .padded = padded},
    };
    int count = list_points(world, sets, DR_SET_COUNT);
    return dr_grid_build(&world->grid, &world->par, sets, count) && dr_strand_liquid_reserve(world) &&
           dr_nodes_reserve(world) && dr_cloth_stage_reserve(world) && dr_liquid_stage_reserve(world) &&
           dr_body_stage_reserve(world) && dr_account_reserve(world, 0);
}

dr_status dr_world_create(const dr_scene *scene, const dr_world_options *options, dr_world **world, dr_error *error)
{
    *world = NULL;
    dr_status status = dr_scene_check_values(scene, error);
    if (status != DR_STATUS_OK) return status;
    const dr_allocator *allocator = options ? options->allocator : NULL;
    dr_world *fresh = dr_memory_alloc(allocator, sizeof *fresh);
    if (!fresh) return dr_error_memory(error, "opening the world");
    fresh->allocator = allocator;
    fresh->par = dr_par_open(options ? options->threads : 0);
    fresh->load.wanted = options && options->loads;
    status = open_world(fresh, scene, error);
    if (status == DR_STATUS_OK)
        *world = fresh;
    else
        dr_world_destroy(fresh);
    return status;
}

void dr_world_destroy(dr_world *world)
{
    if (!world) return;
    const dr_allocator *allocator = world->allocator;
    dr_collider_view_free(world); // counts the colliders that the constants hold
    dr_state_close(world);
    dr_liquid_stage_close(world);
    dr_constants_free(world);
    dr_grid_close(&world->grid);
    dr_memory_free(allocator, world->node, world->node_capacity * sizeof *world->node);
    dr_memory_free(allocator, world->node_old, world->node_old_capacity * sizeof *world->node_old);
    dr_memory_free(allocator, world->partial, world->partial_capacity * sizeof *world->partial);
    dr_memory_free(allocator, world->leaving, world->leaving_capacity);
    dr_memory_free(allocator, world->planned, world->planned_capacity * sizeof *world->planned);
    dr_memory_free(allocator, world->sums, world->sum_capacity * sizeof *world->sums);
    for (int i = 0; i < DR_SET_COUNT; i++) {
        const dr_particle_view *view = &world->views[i];
        dr_memory_free(allocator, view->position, view->position_capacity * sizeof *view->position);
        dr_memory_free(allocator, view->pressure, view->pressure_capacity * sizeof *view->pressure);
    }
    dr_memory_free(allocator, world, sizeof *world);
}

double dr_world_time(const dr_world *world)
{
    return world->state.time;
}

int64_t dr_world_step_count(const dr_world *world)
{
    return world->state.step;
}

const dr_report *dr_world_report(const dr_world *world)
{
    return &world->report;
}
