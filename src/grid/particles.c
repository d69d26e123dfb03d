#include "grid/particles.h"

#include <stddef.h>

#define COLUMN(name, type, components, unit, doc)                                                                      \
    {                                                                                                                  \
#name, offsetof(dr_particles, name), type, components, unit, doc                                               \
    }

#define PLAIN                                                                                                          \
    COLUMN(key, DR_TYPE_UINT64, 1, "", "Morton key of the block"),                                                     \
        COLUMN(offset, DR_TYPE_FLOAT32, 3, "cell", "place inside the block"),                                          \
        COLUMN(velocity, DR_TYPE_FLOAT32, 3, "cm/s", "velocity"),                                                      \
        COLUMN(affine, DR_TYPE_FLOAT32, 9, "1/s", "affine velocity, row by row"),                                      \
        COLUMN(mass, DR_TYPE_FLOAT32, 1, "g", "mass"), COLUMN(volume, DR_TYPE_FLOAT32, 1, "cm3", "rest volume"),       \
        COLUMN(body, DR_TYPE_UINT32, 1, "", "matter record it belongs to"),                                            \
        COLUMN(id, DR_TYPE_UINT64, 1, "", "identity, never reused")

static const dr_column columns[] = {
    PLAIN,
    // The last may lack.
    COLUMN(strain, DR_TYPE_FLOAT32, 9, "", "elastic deformation gradient, row by row"),
    COLUMN(dilation, DR_TYPE_FLOAT32, 1, "", "logarithm of the volume gained without stress"),
};

static const dr_column thick_columns[] = {
    PLAIN,
    COLUMN(elastic, DR_TYPE_FLOAT32, 6, "", "elastic strain b - I of unit determinant: xx, xy, xz, yy, yz, zz"),
    COLUMN(total, DR_TYPE_FLOAT32, 6, "", "the same of the whole deformation"),
    COLUMN(dilation, DR_TYPE_FLOAT32, 1, "", "volume over rest volume, less 1"),
};

enum { COLUMNS = sizeof columns / sizeof *columns };
const dr_column_table dr_granular_particle_columns = {columns, COLUMNS};
const dr_column_table dr_particle_columns = {columns, COLUMNS - 1};
const dr_column_table dr_plain_particle_columns = {columns, COLUMNS - 2};
const dr_column_table dr_thick_particle_columns = {thick_columns, sizeof thick_columns / sizeof *thick_columns};

const dr_column_table *dr_particles_columns(const dr_particles *particles)
{
    return particles->columns ? particles->columns : &dr_particle_columns;
}

bool dr_particles_reserve(dr_particles *particles, const dr_allocator *allocator, size_t count)
{
    return dr_columns_reserve(dr_particles_columns(particles), particles, allocator, &particles->capacity, count);
}

void dr_particles_free(dr_particles *particles, const dr_allocator *allocator)
{
    dr_columns_free(dr_particles_columns(particles), particles, allocator, &particles->capacity);
    dr_residents_free(&particles->residents, allocator);
    particles->count = 0;
}

static const dr_column point_columns[] = {
    {"key", offsetof(dr_points, key), DR_TYPE_UINT64, 1, "", "Morton key of the block"},
    {"offset", offsetof(dr_points, offset), DR_TYPE_FLOAT32, 3, "cell", "place inside the block"},
};
static const dr_column_table point_table = {point_columns, 2};

bool dr_points_reserve(dr_points *points, const dr_allocator *allocator, size_t count)
{
    return dr_columns_reserve(&point_table, points, allocator, &points->capacity, count);
}

void dr_points_free(dr_points *points, const dr_allocator *allocator)
{
    dr_columns_free(&point_table, points, allocator, &points->capacity);
    dr_residents_free(&points->residents, allocator);
    points->count = 0;
}
