// dr_scene_check: everything that can be known of a scene without simulating it.
#include "world/world.h"

#include "base/clock.h"
#include "base/error.h"
#include "geom/seed.h"

#include <math.h>

typedef struct checking {
    const dr_scene *scene;
    dr_world *world;
    dr_error *error;
    dr_status status;
    double particles, blocks; // estimates
} checking;

static const char axis_names[] = "xyz";

// Matter must lie within the domain, and not be endless. Endless shapes are meant to be cut by the domain.
static bool check_place(checking *check, const char *role, const char *name, const dr_shape_spec *spec,
                        const void *owner, dr_box box)
{
    const dr_domain_spec *domain = &check->world->constants.domain;
    double slack = 1e-3 * domain->cell;
    dr_box cut = dr_domain_clip(domain, box);
    for (int a = 0; a < 3; a++) {
        if (cut.max[a] - cut.min[a] > 1e12) {
            check->status = dr_scene_error(check->scene, spec, owner, check->error,
                                           "%s \"%s\": its shape is endless in %c", role, name, axis_names[a]);
            dr_error_hint(check->error, "give the domain a min and max in %c, or intersect the shape with a box",
                          axis_names[a]);
            return false;
        }
        if ((isfinite(box.min[a]) && cut.min[a] > box.min[a] + slack) ||
            (isfinite(box.max[a]) && cut.max[a] < box.max[a] - slack)) {
            check->status =
                dr_scene_error(check->scene, spec, owner, check->error,
                               "%s \"%s\": it reaches from %g to %g cm in %c, outside the domain's %g .. %g cm", role,
                               name, box.min[a], box.max[a], axis_names[a], domain->min[a], domain->max[a]);
            dr_error_hint(check->error, "move or shrink it, or enlarge domain.min and domain.max");
            return false;
        }
    }
    return true;
}

static void count_matter(checking *check, const dr_shape *shape, int64_t per_cell)
{
    const dr_domain_spec *domain = &check->world->constants.domain;
    double cells = dr_seed_volume(shape, dr_domain_clip(domain, dr_shape_bounds(shape))) /
                   (domain->cell * domain->cell * domain->cell);
    check->particles += cells * (double)per_cell;
    check->blocks += 8.0 + 1.5 * cells / DR_BLOCK_NODES;
}

static void check_matter(checking *check, const char *role, const char *name, const dr_shape_spec *spec,
                         const void *owner, int64_t per_cell)
{
    dr_shape *shape;
    dr_status status = dr_shape_create(check->scene, spec, check->world->allocator, &shape, check->error);
    if (status != DR_STATUS_OK) {
        check->status = status;
        return;
    }
    if (check_place(check, role, name, spec, owner, dr_shape_bounds(shape))) count_matter(check, shape, per_cell);
    dr_shape_destroy(shape);
}

// A particle's columns, its share of sorting and of the frame; a block's node values and its place in the tables.
static double memory_needed(const checking *check)
{
    double particle = (double)dr_columns_row_bytes(&dr_particle_columns) + 36.0 + 24.0 + 12.0;
    double block =
        DR_BLOCK_NODES * 16.0 * (check->world->constants.transfer.scheme == DR_SCHEME_FLIP ? 2.0 : 1.0) + 200.0;
    return check->particles * particle + check->blocks * block;
}

static void check_memory(checking *check)
{
    const dr_scene_spec *spec = dr_scene_view(check->scene);
    double needed = memory_needed(check);
    double limit = spec->memory_limit > 0.0 ? spec->memory_limit : (double)dr_clock_available_bytes();
    if (limit <= 0.0 || needed <= limit) return;
    double gib = 1024.0 * 1024.0 * 1024.0;
    check->status =
        dr_scene_error(check->scene, &spec->domain.cell, &spec->domain, check->error,
                       "domain: cell %g cm would need about %.3g GiB for %.3g particles; there are %.3g GiB",
                       spec->domain.cell, needed / gib, check->particles, limit / gib);
    dr_error_hint(check->error, "a cell of %.2g cm would fit", spec->domain.cell * cbrt(needed / (0.9 * limit)));
}

static void check_everything(checking *check)
{
    const dr_scene_spec *spec = dr_scene_view(check->scene);
    for (int i = 0; i < spec->bodies.count; i++) {
        const dr_body_spec *body = &spec->bodies.items[i];
        check_matter(check, "body", body->name, &body->shape, body, body->particles_per_cell);
    }
    for (int i = 0; i < spec->emitters.count; i++) {
        const dr_emitter_spec *emitter = &spec->emitters.items[i];
        check_matter(check, "emitter", emitter->name, &emitter->shape, emitter, emitter->particles_per_cell);
    }
    check_memory(check);
}

dr_status dr_scene_check(const dr_scene *scene, dr_error *error)
{
    dr_status status = dr_scene_check_values(scene, error);
    if (status != DR_STATUS_OK) return status;
    dr_world *world = dr_memory_alloc(scene->allocator, sizeof *world);
    if (!world) return dr_error_memory(error, "checking a scene");
    world->allocator = scene->allocator;
    world->par = dr_par_open(1);
    checking check = {.scene = scene, .world = world, .error = error};
    check.status = dr_constants_compile(world, scene, error);
    if (check.status == DR_STATUS_OK) check_everything(&check);
    dr_world_destroy(world);
    return check.status;
}
