// The frame view of a world: particles with absolute places in centimetres.
#include "world/world.h"

#include "base/error.h"

static void place_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    const dr_particles *particles = &world->state.particles;
    for (size_t p = begin; p < end; p++) {
        double x[3];
        dr_grid_position(&world->grid, particles->key[p], particles->offset + 3 * p, x);
        for (int a = 0; a < 3; a++) world->view_position[3 * p + (size_t)a] = (float)x[a];
    }
}

dr_status dr_world_view(dr_world *world, dr_frame *frame, dr_error *error)
{
    const dr_particles *particles = &world->state.particles;
    size_t count = particles->count;
    if (!dr_memory_reserve(world->allocator, (void **)&world->view_position, &world->view_capacity, 3 * count,
                           sizeof(float)))
        return dr_error_memory(error, "viewing particles");
    dr_par_for(&world->par, count, DR_PARTICLE_CHUNK, place_particles, world);

    const dr_frame_array arrays[] = {
        {"position", "cm", DR_TYPE_FLOAT32, 3, count, world->view_position},
        {"velocity", "cm/s", DR_TYPE_FLOAT32, 3, count, particles->velocity},
        {"mass", "g", DR_TYPE_FLOAT32, 1, count, particles->mass},
        {"volume", "cm3", DR_TYPE_FLOAT32, 1, count, particles->volume},
        {"body", "", DR_TYPE_UINT32, 1, count, particles->body},
        {"id", "", DR_TYPE_UINT64, 1, count, particles->id},
    };
    int array_count = (int)(sizeof arrays / sizeof *arrays);
    for (int i = 0; i < array_count; i++) world->view_arrays[i] = arrays[i];
    world->view_part = (dr_frame_part){.name = "particles",
                                       .kind = DR_FRAME_POINTS,
                                       .point_count = count,
                                       .array_count = array_count,
                                       .arrays = world->view_arrays};
    frame->time = world->state.time;
    frame->step = world->state.step;
    frame->part_count = 1;
    frame->parts = &world->view_part;
    return DR_STATUS_OK;
}
