#include "grid/particles.h"

#include <stddef.h>

#define COLUMN(name, type, components, unit, doc)                                                                      \
    {                                                                                                                  \
#name, offsetof(dr_particles, name), type, components, unit, doc                                               \
    }

static const dr_column columns[] = {
    COLUMN(key, DR_TYPE_UINT64, 1, "", "Morton key of the block"),
    COLUMN(offset, DR_TYPE_FLOAT32, 3, "cell", "place inside the block"),
    COLUMN(velocity, DR_TYPE_FLOAT32, 3, "cm/s", "velocity"),
    COLUMN(affine, DR_TYPE_FLOAT32, 9, "1/s", "affine velocity, row by row"),
    COLUMN(strain, DR_TYPE_FLOAT32, 9, "", "elastic deformation gradient, row by row"),
    COLUMN(mass, DR_TYPE_FLOAT32, 1, "g", "mass"),
    COLUMN(volume, DR_TYPE_FLOAT32, 1, "cm3", "rest volume"),
    COLUMN(body, DR_TYPE_UINT32, 1, "", "matter record it belongs to"),
    COLUMN(id, DR_TYPE_UINT64, 1, "", "identity, never reused"),
};

const dr_column_table dr_particle_columns = {columns, (int)(sizeof columns / sizeof columns[0])};

bool dr_particles_reserve(dr_particles *particles, const dr_allocator *allocator, size_t count)
{
    return dr_columns_reserve(&dr_particle_columns, particles, allocator, &particles->capacity, count);
}

void dr_particles_free(dr_particles *particles, const dr_allocator *allocator)
{
    dr_columns_free(&dr_particle_columns, particles, allocator, &particles->capacity);
    particles->count = 0;
}
