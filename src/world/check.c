// dr_scene_check: everything that can be known of a scene without simulating it.
#include "world/tuning.h"
#include "world/world.h"

#include "base/clock.h"
#include "base/error.h"
#include "geom/seed.h"
#include "geom/thickness.h"

#include <math.h>

typedef struct checking {
    const dr_scene *scene;
    dr_world *world;
    dr_error *error;
    dr_status status;
    double particles, blocks; // estimates
    double bodies, emitted;   // particles of bodies; that emitters add
    dr_strand_forecast strands;
    dr_cloth_forecast cloth;
} checking;

static const char axis_names[] = "xyz";

// What takes part in checking one object: where it stands in the scene, and its shape.
typedef struct object {
    const char *role, *name;
    const dr_shape_spec *spec;
    const void *owner;
} object;

static void refuse(checking *check, const object *it, int axis, dr_box box, const char *how)
{
    const dr_domain_spec *domain = &check->world->constants.domain;
    check->status =
        dr_scene_error(check->scene, it->spec, it->owner, check->error,
                       "%s \"%s\": it reaches from %g to %g cm in %c, %s the domain's %g .. %g cm", it->role, it->name,
                       box.min[axis], box.max[axis], axis_names[axis], how, domain->min[axis], domain->max[axis]);
    dr_error_hint(check->error, "move or shrink it, or enlarge domain.min and domain.max");
}

// Keys of blocks count so far and no farther.
static bool check_reach(checking *check, const object *it, dr_box box)
{
    const dr_grid *grid = &check->world->grid;
    dr_box cut = dr_domain_clip(&check->world->constants.domain, box);
    double reach = (double)(DR_GRID_REACH - DR_GRID_MARGIN) * DR_BLOCK_SIDE * grid->cell;
    for (int a = 0; a < 3; a++) {
        double low = cut.min[a] - grid->origin[a], high = cut.max[a] - grid->origin[a];
        if (low > -reach && high < reach) continue;
        check->status = dr_scene_error(
            check->scene, it->spec, it->owner, check->error,
            "%s \"%s\": it reaches to %g cm in %c; with cells of %g cm the grid ends %g cm from %g", it->role, it->name,
            -low > high ? cut.min[a] : cut.max[a], axis_names[a], grid->cell, reach, grid->origin[a]);
        dr_error_hint(check->error, "bring the scene closer to the origin, or use larger cells");
        return false;
    }
    return true;
}

// Matter must lie within the domain, and not be endless. Endless shapes are meant to be cut by the domain.
static bool check_place(checking *check, const object *it, dr_box box)
{
    const dr_domain_spec *domain = &check->world->constants.domain;
    double slack = DR_SCENE_ROUNDING * domain->cell;
    dr_box cut = dr_domain_clip(domain, box);
    for (int a = 0; a < 3; a++) {
        if (cut.max[a] - cut.min[a] > DR_SCENE_ENDLESS) {
            check->status = dr_scene_error(check->scene, it->spec, it->owner, check->error,
                                           "%s \"%s\": its shape is endless in %c", it->role, it->name, axis_names[a]);
            dr_error_hint(check->error, "give the domain a min and max in %c, or intersect the shape with a box",
                          axis_names[a]);
            return false;
        }
        if ((isfinite(box.min[a]) && cut.min[a] > box.min[a] + slack) ||
            (isfinite(box.max[a]) && cut.max[a] < box.max[a] - slack)) {
            refuse(check, it, a, box, "outside");
            return false;
        }
    }
    return true;
}

// What stands still and acts on matter must touch the domain somewhere.
static void check_meets_domain(checking *check, const object *it)
{
    dr_shape *shape;
    dr_status status = dr_shape_create(check->scene, it->spec, check->world->allocator, &shape, check->error);
    if (status != DR_STATUS_OK) {
        check->status = status;
        return;
    }
    const dr_domain_spec *domain = &check->world->constants.domain;
    dr_box box = dr_shape_bounds(shape), cut = dr_domain_clip(domain, box);
    for (int a = 0; a < 3; a++) {
        if (box.min[a] > box.max[a] || cut.min[a] <= cut.max[a] + domain->cell) continue;
        refuse(check, it, a, box, "wholly outside");
        break;
    }
    dr_shape_destroy(shape);
}

// Particles that fill the shape.
static double count_matter(checking *check, const dr_shape *shape, int64_t per_cell)
{
    const dr_domain_spec *domain = &check->world->constants.domain;
    double cells = dr_seed_volume(shape, dr_domain_clip(domain, dr_shape_bounds(shape))) /
                   (domain->cell * domain->cell * domain->cell);
    check->particles += cells * (double)per_cell;
    check->blocks += 8.0 + 1.5 * cells / DR_BLOCK_NODES;
    return cells * (double)per_cell;
}

// A shape that the emitter's lattice moves through fills as often as the way is long: exact for those that are as long
// everywhere along the velocity.
static double count_emission(const checking *check, const dr_emitter_spec *emitter, const dr_shape *shape, double fill)
{
    const dr_scene_spec *spec = dr_scene_view(check->scene);
    dr_box box = dr_shape_bounds(shape);
    double end = (double)spec->time.frames / spec->time.frame_rate, speed = 0.0, length = INFINITY;
    double seconds = dr_schedule_seconds(&emitter->schedule, -spec->time.pre_roll, end);
    for (int a = 0; a < 3; a++) speed += emitter->velocity[a] * emitter->velocity[a];
    speed = sqrt(speed);
    for (int a = 0; a < 3; a++) {
        double share = fabs(emitter->velocity[a]) / speed;
        if (share > 0.0) length = fmin(length, (box.max[a] - box.min[a]) / share);
    }
    if (!(seconds > 0.0)) return 0.0;
    double sum = fill + (speed > 0.0 && isfinite(length) ? fill * speed * seconds / length : 0.0);
    double cell = spec->domain.cell, whole = cell * cell * cell / (double)emitter->particles_per_cell;
    return emitter->volume_limit > 0.0 ? fmin(sum, emitter->volume_limit / whole) : sum;
}

// A particle's columns, its share of sorting and of the frame; a block's node values and its place in the tables.
static double memory_needed(const checking *check)
{
    double sorting = 36.0, frame = 24.0 + 12.0; // bytes
    double particle = (double)dr_columns_row_bytes(&dr_particle_columns) + sorting + frame;
    if (check->world->constants.liquid.thick) particle += dr_thick_particle_bytes();
    double block =
        DR_BLOCK_NODES * 16.0 * (check->world->constants.transfer.scheme == DR_SCHEME_FLIP ? 2.0 : 1.0) + 200.0;
    block = fmax(block, dr_liquid_stage_block_bytes(check->world));
    return check->particles * particle + check->blocks * block + check->strands.bytes + check->cloth.bytes;
}

static double memory_limit(const checking *check)
{
    double limit = dr_scene_view(check->scene)->memory_limit;
    return limit > 0.0 ? limit : (double)dr_clock_machine_bytes();
}

// Body: its index, -1 for an emitter, which then is the object's owner.
static void check_matter(checking *check, const object *it, int64_t per_cell, int body)
{
    dr_shape *shape;
    dr_status status = dr_shape_create(check->scene, it->spec, check->world->allocator, &shape, check->error);
    if (status != DR_STATUS_OK) {
        check->status = status;
        return;
    }
    dr_box box = dr_shape_bounds(shape);
    if (check_place(check, it, box)) {
        double fill = count_matter(check, shape, per_cell);
        if (body >= 0)
            check->bodies += fill;
        else
            check->emitted += count_emission(check, it->owner, shape, fill);
        if (check_reach(check, it, box) && body >= 0 && memory_needed(check) <= memory_limit(check))
            status = dr_state_check_body(check->world, check->scene, body, shape, check->error);
    }
    if (status != DR_STATUS_OK) check->status = status;
    dr_shape_destroy(shape);
}

#define GIB (1024.0 * 1024.0 * 1024.0)

static void refuse_strands(checking *check, double needed, double limit)
{
    const dr_strands_list *list = &dr_scene_view(check->scene)->strands;
    check->status =
        dr_scene_error(check->scene, list->items, list->items, check->error,
                       "strands: %.3g vertices and their contacts would need about %.3g GiB; there are %.3g GiB",
                       check->strands.vertices, needed / GIB, limit / GIB);
    dr_error_hint(check->error,
                  "fewer or shorter strands, or fewer vertices, would fit; `contact: none` takes far less");
}

static void refuse_cloth(checking *check, double needed, double limit)
{
    const dr_cloth_list *list = &dr_scene_view(check->scene)->cloths;
    check->status = dr_scene_error(check->scene, list->items, list->items, check->error,
                                   "cloths: %.3g triangles would need about %.3g GiB; there are %.3g GiB",
                                   check->cloth.triangles, needed / GIB, limit / GIB);
    dr_error_hint(check->error, "longer edges or fewer layers would fit");
}

static void check_memory(checking *check)
{
    const dr_scene_spec *spec = dr_scene_view(check->scene);
    double needed = memory_needed(check);
    double limit = memory_limit(check);
    if (limit <= 0.0 || needed <= limit) return;
    if (check->strands.bytes + check->cloth.bytes > 0.5 * needed) {
        if (check->strands.bytes > check->cloth.bytes)
            refuse_strands(check, needed, limit);
        else
            refuse_cloth(check, needed, limit);
        return;
    }
    check->status =
        dr_scene_error(check->scene, &spec->domain.cell, &spec->domain, check->error,
                       "domain: cell %g cm would need about %.3g GiB for %.3g particles; there are %.3g GiB",
                       spec->domain.cell, needed / GIB, check->particles, limit / GIB);
    dr_error_hint(check->error, "a cell of %.2g cm would fit", spec->domain.cell * cbrt(needed / (0.9 * limit)));
}

// Liquid must not leak through a collider that the grid cannot see.
static void check_holds_liquid(checking *check, const object *it)
{
    const dr_domain_spec *domain = &check->world->constants.domain;
    dr_shape *shape;
    if (!check->world->constants.has_liquid) return;
    dr_status status = dr_shape_create(check->scene, it->spec, check->world->allocator, &shape, check->error);
    if (status != DR_STATUS_OK) {
        check->status = status;
        return;
    }
    double holds = DR_WALL_HOLDS * domain->cell;
    double thickness = dr_shape_thickness(shape, dr_shape_bounds(shape), domain->cell, holds);
    dr_shape_destroy(shape);
    if (!(thickness < (1.0 - DR_SCENE_ROUNDING) * holds)) return;
    check->status = dr_scene_error(check->scene, it->spec, it->owner, check->error,
                                   "%s \"%s\": a wall of %.3g cm leaks: liquid is held from %.3g cm on, one cell",
                                   it->role, it->name, thickness, holds);
    dr_error_hint(check->error, "make it %.3g cm thick, or domain.cell at most %.3g cm", holds, thickness);
}

static void check_helpers(checking *check, const dr_scene_spec *spec)
{
    for (int i = 0; i < spec->colliders.count; i++) {
        const dr_collider_spec *collider = &spec->colliders.items[i];
        check_holds_liquid(check, &(object){"collider", collider->name, &collider->shape, collider});
        if (collider->motion.count > 0) continue;
        check_meets_domain(check, &(object){"collider", collider->name, &collider->shape, collider});
    }
    for (int i = 0; i < spec->drains.count; i++) {
        const dr_drain_spec *drain = &spec->drains.items[i];
        check_meets_domain(check, &(object){"drain", drain->name, &drain->shape, drain});
    }
    for (int i = 0; i < spec->forces.count; i++) {
        const dr_force_spec *force = &spec->forces.items[i];
        if (force->within.kind == DR_SHAPE_NONE) continue;
        check_meets_domain(check, &(object){"force", force->name, &force->within, force});
    }
}

static void check_everything(checking *check)
{
    const dr_scene_spec *spec = dr_scene_view(check->scene);
    check->strands = dr_strand_foresee(check->world, check->scene);
    check->cloth = dr_cloth_foresee(check->scene);
    for (int i = 0; i < spec->bodies.count; i++) {
        const dr_body_spec *body = &spec->bodies.items[i];
        check_matter(check, &(object){"body", body->name, &body->shape, body}, body->particles_per_cell, i);
    }
    for (int i = 0; i < spec->emitters.count; i++) {
        const dr_emitter_spec *emitter = &spec->emitters.items[i];
        check_matter(check, &(object){"emitter", emitter->name, &emitter->shape, emitter}, emitter->particles_per_cell,
                     -1);
    }
    check_helpers(check, spec);
    check_memory(check);
    if (check->status == DR_STATUS_OK) check->status = dr_strand_compile(check->world, check->scene, check->error);
    if (check->status == DR_STATUS_OK) check->status = dr_cloth_compile(check->world, check->scene, check->error);
}

dr_status dr_scene_check(const dr_scene *scene, dr_error *error)
{
    return dr_scene_forecast(scene, &(dr_forecast){0}, error);
}

dr_status dr_scene_forecast(const dr_scene *scene, dr_forecast *forecast, dr_error *error)
{
    *forecast = (dr_forecast){0};
    dr_status status = dr_scene_check_values(scene, error);
    if (status != DR_STATUS_OK) return status;
    dr_world *world = dr_memory_alloc(scene->allocator, sizeof *world);
    if (!world) return dr_error_memory(error, "checking a scene");
    world->allocator = scene->allocator;
    world->par = dr_par_open(1);
    checking check = {.scene = scene, .world = world, .error = error};
    check.status = dr_constants_compile(world, scene, error);
    if (check.status == DR_STATUS_OK) check_everything(&check);
    if (check.status == DR_STATUS_OK)
        *forecast = (dr_forecast){.particles = check.bodies,
                                  .emitted = check.emitted,
                                  .vertices = check.strands.vertices,
                                  .bytes = memory_needed(&check),
                                  .machine_bytes = (double)dr_clock_machine_bytes(),
                                  .cloth_vertices = (double)world->state.cloth.vertices,
                                  .triangles = (double)world->state.cloth.elements};
    dr_world_destroy(world);
    return check.status;
}
