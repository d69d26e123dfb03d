// The frame view of a world: particles with absolute places in centimetres, those on nodes and those of the liquid,
// and colliders.
#include "world/world.h"

#include "base/error.h"

typedef struct placing {
    dr_particle_set set;
    float *position;
} placing;

static void place_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const placing *job = user;
    const dr_particles *particles = job->set.particles;
    for (size_t p = begin; p < end; p++) {
        double x[3];
        dr_grid_position(job->set.grid, particles->key[p], particles->offset + 3 * p, x);
        for (int a = 0; a < 3; a++) job->position[3 * p + (size_t)a] = (float)x[a];
    }
}

typedef struct pressing {
    const dr_world *world;
    const float *position;
    float *pressure;
} pressing;

static void press_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const pressing *job = user;
    for (size_t p = begin; p < end; p++) {
        const float *at = job->position + 3 * p;
        job->pressure[p] = (float)dr_liquid_pressure_at(&job->world->liquid, (double[3]){at[0], at[1], at[2]});
    }
}

static void view_set(dr_world *world, int set, const char *name, float *position)
{
    placing job = {dr_state_set(world, set), position};
    const dr_particles *particles = job.set.particles;
    size_t count = particles->count;
    dr_par_for(&world->par, count, DR_PARTICLE_CHUNK, place_particles, &job);
    const dr_frame_array arrays[] = {
        {"position", "cm", DR_TYPE_FLOAT32, 3, count, position},
        {"velocity", "cm/s", DR_TYPE_FLOAT32, 3, count, particles->velocity},
        {"mass", "g", DR_TYPE_FLOAT32, 1, count, particles->mass},
        {"volume", "cm3", DR_TYPE_FLOAT32, 1, count, particles->volume},
        {"body", "", DR_TYPE_UINT32, 1, count, particles->body},
        {"id", "", DR_TYPE_UINT64, 1, count, particles->id},
    };
    int array_count = (int)(sizeof arrays / sizeof *arrays);
    for (int i = 0; i < array_count; i++) world->view_arrays[set][i] = arrays[i];
    world->view_parts[set] = (dr_frame_part){.name = name,
                                             .kind = DR_FRAME_POINTS,
                                             .point_count = count,
                                             .array_count = array_count,
                                             .arrays = world->view_arrays[set]};
}

static void view_pressure(dr_world *world, const float *position)
{
    dr_frame_part *part = &world->view_parts[DR_SET_LIQUID];
    pressing job = {world, position, world->view_pressure};
    dr_par_for(&world->par, part->point_count, DR_PARTICLE_CHUNK, press_particles, &job);
    world->view_arrays[DR_SET_LIQUID][part->array_count++] =
        (dr_frame_array){"pressure", "dyn/cm2", DR_TYPE_FLOAT32, 1, part->point_count, world->view_pressure};
}

dr_status dr_world_view(dr_world *world, dr_frame *frame, dr_error *error)
{
    size_t solid = world->state.particles.count, liquid = world->state.liquid.count;
    if (!dr_memory_reserve(world->allocator, (void **)&world->view_position, &world->view_capacity,
                           3 * (solid + liquid), sizeof(float)) ||
        !dr_memory_reserve(world->allocator, (void **)&world->view_pressure, &world->view_pressure_capacity, liquid,
                           sizeof(float)))
        return dr_error_memory(error, "viewing particles");
    float *wet = solid ? world->view_position + 3 * solid : world->view_position;
    view_set(world, DR_SET_NODES, "particles", world->view_position);
    view_set(world, DR_SET_LIQUID, "liquid", wet);
    view_pressure(world, wet);
    frame->time = world->state.time;
    frame->step = world->state.step;
    frame->part_count = world->constants.has_liquid ? 2 : 1;
    frame->parts = world->view_parts;
    if (dr_strand_stage_view(world, &world->view_parts[frame->part_count])) frame->part_count++;
    if (dr_collider_set_count(world->constants.colliders) == 0) return DR_STATUS_OK;
    return dr_collider_view_part(world, &world->view_parts[frame->part_count++], error);
}
