// The frame view of a world: a part of what the registry says shows itself, and colliders. Particles have absolute
// places in centimetres.
#include "world/world.h"

#include "base/error.h"

#include <assert.h>
#include <string.h>

typedef struct placing {
    const dr_grid *grid;
    const dr_particles *particles;
    float *position;
} placing;

static void place_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const placing *job = user;
    const dr_particles *particles = job->particles;
    for (size_t p = begin; p < end; p++) {
        double x[3];
        dr_grid_position(job->grid, particles->key[p], particles->offset + 3 * p, x);
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

// Columns that a frame shows as they are.
static const char *const shown[] = {"velocity", "mass", "volume", "body", "id"};
enum { SHOWN = sizeof shown / sizeof *shown };
static_assert(SHOWN + 2 <= DR_VIEW_ARRAYS, "places and pressure come with them");

static const dr_column *find_column(const dr_column_table *table, const char *name)
{
    int i = 0;
    while (strcmp(table->columns[i].name, name) != 0) i++;
    return &table->columns[i];
}

static dr_status view_set(dr_world *world, int set, const dr_record *record, dr_frame_part *part, dr_error *error)
{
    dr_particle_view *view = &world->views[set];
    const dr_particles *particles = dr_state_set(world, set);
    size_t count = particles->count;
    if (!dr_memory_reserve(world->allocator, (void **)&view->position, &view->position_capacity, 3 * count,
                           sizeof(float)))
        return dr_error_memory(error, "viewing particles");
    placing job = {&world->grid, particles, view->position};
    dr_par_for(&world->par, count, DR_PARTICLE_CHUNK, place_particles, &job);
    view->arrays[0] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, count, view->position};
    for (int i = 0; i < SHOWN; i++) {
        const dr_column *column = find_column(dr_record_columns(record, world), shown[i]);
        view->arrays[1 + i] =
            (dr_frame_array){column->name,       column->unit, column->type,
                             column->components, count,        dr_record_data(record, column, particles)};
    }
    *part = (dr_frame_part){.name = record->name,
                            .kind = DR_FRAME_POINTS,
                            .point_count = count,
                            .array_count = 1 + SHOWN,
                            .arrays = view->arrays};
    return DR_STATUS_OK;
}

dr_status dr_view_particles(dr_world *world, dr_frame_part *part, dr_error *error)
{
    return view_set(world, DR_SET_NODES, &dr_registry[DR_RECORD_PARTICLES], part, error);
}

dr_status dr_view_liquid(dr_world *world, dr_frame_part *part, dr_error *error)
{
    dr_particle_view *view = &world->views[DR_SET_LIQUID];
    dr_status status = view_set(world, DR_SET_LIQUID, &dr_registry[DR_RECORD_LIQUID], part, error);
    if (status != DR_STATUS_OK) return status;
    if (!dr_memory_reserve(world->allocator, (void **)&view->pressure, &view->pressure_capacity, part->point_count,
                           sizeof(float)))
        return dr_error_memory(error, "viewing particles");
    pressing job = {world, view->position, view->pressure};
    dr_par_for(&world->par, part->point_count, DR_PARTICLE_CHUNK, press_particles, &job);
    view->arrays[part->array_count++] =
        (dr_frame_array){"pressure", "dyn/cm2", DR_TYPE_FLOAT32, 1, part->point_count, view->pressure};
    return DR_STATUS_OK;
}

dr_status dr_world_view(dr_world *world, dr_frame *frame, dr_error *error)
{
    frame->time = world->state.time;
    frame->step = world->state.step;
    frame->part_count = 0;
    frame->parts = world->view_parts;
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < DR_RECORD_COUNT && status == DR_STATUS_OK; i++) {
        const dr_record *record = &dr_registry[i];
        if (!record->view || !dr_record_is_present(record, world)) continue;
        status = record->view(world, &world->view_parts[frame->part_count++], error);
    }
    if (status != DR_STATUS_OK || dr_collider_set_count(world->constants.colliders) == 0) return status;
    return dr_collider_view_part(world, &world->view_parts[frame->part_count++], error);
}
