// The state at the start: every body's shape filled with particles, in the order of the scene and of the seeding
// lattice.
#include "world/world.h"

#include "base/error.h"
#include "geom/seed.h"

typedef struct filling {
    dr_world *world;
    const dr_body_spec *body;
    uint32_t matter;
    double volume;
    double middle[3];
    bool failed;
} filling;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// The velocity gradient of a spin is its cross-product matrix.
static void set_motion(dr_particles *particles, size_t p, const filling *fill, const double x[3])
{
    const double *spin = fill->body->spin;
    double arm[3], turn[3];
    for (int a = 0; a < 3; a++) arm[a] = x[a] - fill->middle[a];
    cross(spin, arm, turn);
    for (int a = 0; a < 3; a++) particles->velocity[3 * p + (size_t)a] = (float)(fill->body->velocity[a] + turn[a]);
    const double affine[9] = {0, -spin[2], spin[1], spin[2], 0, -spin[0], -spin[1], spin[0], 0};
    for (int i = 0; i < 9; i++) particles->affine[9 * p + (size_t)i] = (float)affine[i];
}

static bool add_particle(void *user, const double x[3])
{
    filling *fill = user;
    dr_world *world = fill->world;
    dr_particles *particles = &world->state.particles;
    if (!dr_particles_reserve(particles, world->allocator, particles->count + 1)) {
        fill->failed = true;
        return false;
    }
    size_t p = particles->count++;
    dr_grid_place(&world->grid, x, &particles->key[p], particles->offset + 3 * p);
    set_motion(particles, p, fill, x);
    for (int i = 0; i < 9; i++) particles->strain[9 * p + (size_t)i] = i % 4 == 0 ? 1.0f : 0.0f;
    particles->volume[p] = (float)fill->volume;
    particles->mass[p] = (float)(fill->volume * world->constants.matter[fill->matter].density);
    particles->body[p] = fill->matter;
    particles->id[p] = world->state.next_id++;
    return true;
}

static dr_status fill_body(dr_world *world, const dr_scene *scene, int index, dr_error *error)
{
    const dr_body_spec *body = &dr_scene_view(scene)->bodies.items[index];
    dr_shape *shape;
    dr_status status = dr_shape_create(scene, &body->shape, world->allocator, &shape, error);
    if (status != DR_STATUS_OK) return status;
    double cell = world->grid.cell;
    filling fill = {.world = world, .body = body, .matter = (uint32_t)index};
    dr_box box = dr_domain_clip(&world->constants.domain, dr_shape_bounds(shape));
    fill.volume = cell * cell * cell / (double)body->particles_per_cell;
    for (int a = 0; a < 3; a++) fill.middle[a] = 0.5 * (box.min[a] + box.max[a]);
    size_t before = world->state.particles.count;
    dr_seed_visit(shape, cell, world->grid.origin, (int)body->particles_per_cell,
                  dr_world_random_key(world, DR_KEY_BODY, index), box, add_particle, &fill);
    dr_shape_destroy(shape);
    if (fill.failed) return dr_error_memory(error, "filling bodies with particles");
    if (world->state.particles.count > before) return DR_STATUS_OK;
    dr_scene_error(scene, &body->shape, body, error, "body \"%s\": its shape holds no particle", body->name);
    dr_error_hint(error, "a cell is %g cm; a body wants to be several cells thick", cell);
    return DR_STATUS_BAD_SCENE;
}

dr_status dr_state_open(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_constants *constants = &world->constants;
    size_t emitter_bytes = (size_t)constants->emitter_count * sizeof(dr_emitter_state);
    world->state.time = 0.0 - constants->time.pre_roll;
    world->state.emitters = dr_memory_alloc(world->allocator, emitter_bytes);
    world->emitters_after = dr_memory_alloc(world->allocator, emitter_bytes);
    if (!world->state.emitters || !world->emitters_after) return dr_error_memory(error, "opening the world");
    for (int i = 0; i < constants->emitter_count; i++) world->state.emitters[i].travel = -1.0;
    for (int i = 0; i < dr_scene_view(scene)->bodies.count; i++) {
        dr_status status = fill_body(world, scene, i, error);
        if (status != DR_STATUS_OK) return status;
    }
    return DR_STATUS_OK;
}

void dr_state_close(dr_world *world)
{
    size_t emitter_bytes = (size_t)world->constants.emitter_count * sizeof(dr_emitter_state);
    dr_memory_free(world->allocator, world->state.emitters, emitter_bytes);
    dr_memory_free(world->allocator, world->emitters_after, emitter_bytes);
    dr_particles_free(&world->state.particles, world->allocator);
}
