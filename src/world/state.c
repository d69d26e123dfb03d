// The state at the start: every body's shape filled with particles, in the order of the scene and of the seeding
// lattice.
#include "world/tuning.h"
#include "world/world.h"

#include "base/error.h"
#include "geom/seed.h"
#include "liquid/seeding.h"
#include "math/vec.h"

#include <math.h>

static const dr_column emitter_columns[] = {
    {"progress", offsetof(dr_emitter_states, item), DR_TYPE_FLOAT64, DR_EMITTER_NUMBERS, "",
     "emitted volume, travel of the lattice, whether it is off"},
};
const dr_column_table dr_emitter_columns = {emitter_columns, 1};

dr_particles *dr_state_set(dr_world *world, int set)
{
    return set == DR_SET_LIQUID ? &world->state.liquid : &world->state.particles;
}

int dr_matter_set(const dr_matter *matter)
{
    return matter->kind == DR_MATERIAL_LIQUID ? DR_SET_LIQUID : DR_SET_NODES;
}

double dr_state_quantum(const dr_world *world)
{
    double cell = world->grid.cell;
    return dr_resample_quantum(cell * cell * cell / (double)world->constants.liquid.per_cell);
}

float dr_state_round(const dr_world *world, double volume)
{
    double quantum = dr_state_quantum(world);
    return (float)(quantum * nearbyint(volume / quantum));
}

// The velocity gradient of a spin is its cross-product matrix.
void dr_state_add(dr_world *world, uint32_t matter, const double x[3], const double velocity[3], const double spin[3],
                  double volume)
{
    const dr_matter *made_of = &world->constants.matter[matter];
    dr_particles *particles = dr_state_set(world, dr_matter_set(made_of));
    size_t p = particles->count++;
    const double affine[9] = {0, -spin[2], spin[1], spin[2], 0, -spin[0], -spin[1], spin[0], 0};
    dr_grid_place(&world->grid, x, &particles->key[p], particles->offset + 3 * p);
    for (int a = 0; a < 3; a++) particles->velocity[3 * p + (size_t)a] = (float)velocity[a];
    for (int i = 0; i < 9; i++) {
        particles->affine[9 * p + (size_t)i] = (float)affine[i];
        if (particles->strain) particles->strain[9 * p + (size_t)i] = i % 4 == 0 ? 1.0F : 0.0F;
    }
    for (size_t i = 0; particles->elastic && i < DR_SYMMETRIC; i++)
        particles->elastic[DR_SYMMETRIC * p + i] = particles->total[DR_SYMMETRIC * p + i] = 0.0F;
    if (particles->dilation) particles->dilation[p] = 0.0F;
    particles->volume[p] = made_of->kind == DR_MATERIAL_LIQUID ? dr_state_round(world, volume) : (float)volume;
    particles->mass[p] = (float)((double)particles->volume[p] * made_of->density);
    particles->body[p] = matter;
    particles->id[p] = world->state.next_id++;
}

// ---- bodies

typedef enum purpose { LOOK, COUNT, ADD } purpose; // LOOK stops at the first

typedef struct filling {
    dr_world *world;
    const dr_body_spec *body;
    const dr_shape *shape;
    dr_box box; // of the shape, within the domain
    uint32_t matter;
    uint64_t key;
    double volume; // of a particle on nodes
    double middle[3];
    purpose purpose;
    size_t count;
} filling;

static bool add_volume(void *user, const double x[3], double volume)
{
    filling *fill = user;
    fill->count++;
    if (fill->purpose != ADD) return fill->purpose == COUNT;
    const double *spin = fill->body->spin;
    double arm[3], velocity[3];
    for (int a = 0; a < 3; a++) arm[a] = x[a] - fill->middle[a];
    dr_vec3_cross(velocity, spin, arm);
    dr_vec3_add(velocity, velocity, fill->body->velocity);
    dr_state_add(fill->world, fill->matter, x, velocity, spin, volume);
    return true;
}

static bool add_particle(void *user, const double x[3])
{
    filling *fill = user;
    return add_volume(user, x, fill->volume);
}

// There is no liquid inside colliders.
static double open_distance(const void *user, const double x[3])
{
    const filling *fill = user;
    const dr_constants *constants = &fill->world->constants;
    double collider = dr_collider_set_distance(constants->colliders, x, NULL, NULL);
    return fmax(dr_shape_distance(fill->shape, x, NULL), -collider - DR_WORLD_ROUNDING * constants->domain.cell);
}

static size_t fill_once(filling *fill, purpose purpose)
{
    const dr_world *world = fill->world;
    double cell = world->constants.domain.cell;
    dr_box box = fill->box;
    fill->purpose = purpose;
    fill->count = 0;
    if (dr_matter_set(&world->constants.matter[fill->matter]) == DR_SET_LIQUID) {
        dr_seeding pour = {.cell = cell,
                           .per_cell = (double)fill->body->particles_per_cell,
                           .jitter = purpose == ADD ? fill->body->jitter : 0.0,
                           .key = fill->key};
        dr_vec3_copy(pour.origin, world->grid.origin);
        dr_seeding_visit(&pour, open_distance, fill, box.min, box.max, add_volume, fill);
    } else {
        dr_seed_visit(fill->shape, cell, world->grid.origin, (int)fill->body->particles_per_cell, fill->key, box,
                      add_particle, fill);
    }
    return fill->count;
}

static filling make_filling(dr_world *world, const dr_scene *scene, int index, const dr_shape *shape)
{
    const dr_body_spec *body = &dr_scene_view(scene)->bodies.items[index];
    double cell = world->constants.domain.cell;
    filling fill = {.world = world, .body = body, .shape = shape, .matter = (uint32_t)index};
    fill.box = dr_domain_clip(&world->constants.domain, dr_shape_bounds(shape));
    fill.key = dr_world_random_key(world, DR_KEY_BODY, index);
    fill.volume = cell * cell * cell / (double)body->particles_per_cell;
    for (int a = 0; a < 3; a++) fill.middle[a] = 0.5 * (fill.box.min[a] + fill.box.max[a]);
    return fill;
}

dr_status dr_state_check_body(dr_world *world, const dr_scene *scene, int index, const dr_shape *shape, dr_error *error)
{
    filling fill = make_filling(world, scene, index, shape);
    if (fill_once(&fill, LOOK) > 0) return DR_STATUS_OK;
    dr_scene_error(scene, &fill.body->shape, fill.body, error, "body \"%s\": its shape holds no particle",
                   fill.body->name);
    dr_error_hint(error,
                  "a cell is %g cm; a body wants to be several cells thick, a mesh to be closed, and liquid not to lie "
                  "inside a collider",
                  world->constants.domain.cell);
    return DR_STATUS_BAD_SCENE;
}

// Counts first, so that memory is taken once and just enough of it.
static dr_status fill_shape(dr_world *world, const dr_scene *scene, int index, const dr_shape *shape, dr_error *error)
{
    dr_status status = dr_state_check_body(world, scene, index, shape, error);
    if (status != DR_STATUS_OK) return status;
    filling fill = make_filling(world, scene, index, shape);
    size_t count = fill_once(&fill, COUNT);
    dr_particles *particles = dr_state_set(world, dr_matter_set(&world->constants.matter[index]));
    if (!dr_particles_reserve(particles, world->allocator, particles->count + count))
        return dr_error_memory(error, "filling bodies with particles");
    fill_once(&fill, ADD);
    return DR_STATUS_OK;
}

static dr_status fill_body(dr_world *world, const dr_scene *scene, int index, dr_error *error)
{
    dr_shape *shape;
    dr_status status =
        dr_shape_create(scene, &dr_scene_view(scene)->bodies.items[index].shape, world->allocator, &shape, error);
    if (status != DR_STATUS_OK) return status;
    status = fill_shape(world, scene, index, shape, error);
    dr_box box = dr_shape_bounds(shape);
    dr_collider_view_include(world, &box);
    dr_shape_destroy(shape);
    return status;
}

dr_status dr_state_open(dr_world *world, const dr_scene *scene, dr_error *error)
{
    const dr_constants *constants = &world->constants;
    size_t emitters = (size_t)constants->emitter_count;
    world->state.time = 0.0 - constants->time.pre_roll;
    world->state.particles.columns = constants->has_sand ? &dr_granular_particle_columns : &dr_particle_columns;
    world->state.liquid.columns = constants->liquid.thick ? &dr_thick_particle_columns : &dr_plain_particle_columns;
    dr_emitter_states *states = &world->state.emitters;
    world->emitters_after = dr_memory_alloc(world->allocator, emitters * sizeof(dr_emitter_state));
    if (!world->emitters_after ||
        !dr_columns_reserve(&dr_emitter_columns, states, world->allocator, &states->capacity, emitters))
        return dr_error_memory(error, "opening the world");
    states->count = emitters;
    for (size_t i = 0; i < emitters; i++) states->item[i] = (dr_emitter_state){.travel = -1.0};
    dr_status driven = dr_control_open(world, scene, error);
    if (driven == DR_STATUS_OK) driven = dr_collider_set_drive(constants->colliders, world->state.time, error);
    if (driven != DR_STATUS_OK) return driven;
    for (int i = 0; i < dr_scene_view(scene)->bodies.count; i++) {
        dr_status status = fill_body(world, scene, i, error);
        if (status != DR_STATUS_OK) return status;
    }
    dr_status status = dr_strand_compile(world, scene, error);
    if (status == DR_STATUS_OK) status = dr_cloth_compile(world, scene, error);
    if (status == DR_STATUS_OK) status = dr_cloth_stage_open(world, error);
    if (status == DR_STATUS_OK) status = dr_strand_stage_open(world, error);
    if (status == DR_STATUS_OK) status = dr_strand_contact_open(world, error);
    if (status == DR_STATUS_OK) status = dr_strand_liquid_open(world, error);
    return status == DR_STATUS_OK ? dr_load_open(world, error) : status;
}

void dr_state_close(dr_world *world)
{
    size_t emitter_bytes = (size_t)world->constants.emitter_count * sizeof(dr_emitter_state);
    dr_columns_free(&dr_emitter_columns, &world->state.emitters, world->allocator, &world->state.emitters.capacity);
    dr_memory_free(world->allocator, world->emitters_after, emitter_bytes);
    dr_control_close(world);
    dr_load_close(world);
    dr_particles_free(&world->state.particles, world->allocator);
    dr_particles_free(&world->state.liquid, world->allocator);
    dr_warm_start_free(&world->state.guess, world->allocator);
    dr_strand_liquid_close(world);
    dr_strand_contact_close(world);
    dr_cloth_stage_close(world);
    dr_strand_stage_close(world);
}
