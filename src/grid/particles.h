// Particles: struct-of-arrays driven by one column table.
// A particle's place is a block (Morton key of its integer coordinates) and an offset inside it in cells, so that
// precision does not depend on the distance from the origin. In cells from the grid's origin,
//     position = 4 * block + offset + DR_GRID_SHIFT,   0 <= offset < 4,
// so that what a kernel touches, nodes, faces or cells, never leaves the block downwards.
#ifndef DR_GRID_PARTICLES_H
#define DR_GRID_PARTICLES_H

#include "base/columns.h"
#include "grid/residents.h"

typedef struct dr_particles {
    size_t count, capacity;
    const dr_column_table *columns; // NULL: dr_particle_columns; a column that is not in it stays NULL
    uint64_t *key;                  // Morton key of the block
    float *offset;                  // [3] in cells
    float *velocity;                // [3] cm/s
    float *affine;                  // [9] C, row-major, 1/s
    float *strain;                  // [9] elastic deformation gradient F, row-major
    float *elastic, *total;         // [6] thick liquids: strain b - I, elastic and of the whole deformation
    float *dilation;                // thick liquids: volume over rest volume, less 1; sand: logarithm of the volume
                                    // gained without stress
    float *mass;                    // g
    float *volume;                  // rest volume, cm3
    uint32_t *body;                 // index of the matter record (material, body or emitter) it belongs to
    uint64_t *id;                   // never reused
    dr_residents residents;
} dr_particles;

extern const dr_column_table dr_granular_particle_columns; // of sand
extern const dr_column_table dr_particle_columns;          // without dilation
extern const dr_column_table dr_plain_particle_columns;    // without strain either
extern const dr_column_table dr_thick_particle_columns;    // of thick liquids

bool dr_particles_reserve(dr_particles *particles, const dr_allocator *allocator, size_t count);
void dr_particles_free(dr_particles *particles, const dr_allocator *allocator);
const dr_column_table *dr_particles_columns(const dr_particles *particles);

// Points that keep their own order: only their places, and who lives where.
typedef struct dr_points {
    size_t count, capacity;
    uint64_t *key;
    float *offset; // [3] in cells
    dr_residents residents;
} dr_points;

bool dr_points_reserve(dr_points *points, const dr_allocator *allocator, size_t count);
void dr_points_free(dr_points *points, const dr_allocator *allocator);

#endif
