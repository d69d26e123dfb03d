// Particles: struct-of-arrays driven by one column table.
// A particle's place is a block (Morton key of its integer coordinates) and an offset inside it in cells, so that
// precision does not depend on the distance from the origin. In cells from the grid's origin,
//     position = 4 * block + offset + shift,   0 <= offset < 4,
// where shift is the grid's (the kernel's lowest node is then floor(offset) and never leaves the block downwards).
#ifndef DR_GRID_PARTICLES_H
#define DR_GRID_PARTICLES_H

#include "base/columns.h"

typedef struct dr_particles {
    size_t count, capacity;
    uint64_t *key;   // Morton key of the block
    float *offset;   // [3] in cells
    float *velocity; // [3] cm/s
    float *affine;   // [9] C, row-major, 1/s
    float *strain;   // [9] elastic deformation gradient F, row-major
    float *mass;     // g
    float *volume;   // rest volume, cm3
    uint32_t *body;  // index of the matter record (material, body or emitter) it belongs to
    uint64_t *id;    // never reused
} dr_particles;

extern const dr_column_table dr_particle_columns;

bool dr_particles_reserve(dr_particles *particles, const dr_allocator *allocator, size_t count);
void dr_particles_free(dr_particles *particles, const dr_allocator *allocator);

#endif
