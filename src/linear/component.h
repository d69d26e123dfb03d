// Connected regions of the pressure's unknowns, and those among them that nothing ties to a given pressure: there the
// equations fix the pressure up to a constant only. docs/theory/pressure.md, section 6.
//   bit (i*4 + j)*4 + k of a mask is cell (i,j,k) of a block
#ifndef DR_LINEAR_COMPONENT_H
#define DR_LINEAR_COMPONENT_H

#include "base/memory.h"
#include "par/par.h"

typedef struct dr_component_block {
    uint64_t unknown;
    uint64_t link[3]; // coupled to the cell below along x, y, z
    uint64_t ground;  // tied to a free surface or compressible
} dr_component_block;

// Cells of the lowest layer along x, y, z.
static const uint64_t dr_component_bottom[3] = {UINT64_C(0xFFFF), UINT64_C(0x000F000F000F000F),
                                                UINT64_C(0x1111111111111111)};

typedef struct dr_components {
    const dr_allocator *allocator;
    size_t block_count, part_count; // a part is a connected piece of one block
    size_t component_count, floating_count;
    uint32_t *first;   // [block+1] parts of the block
    uint64_t *mask;    // [part]
    uint32_t *root;    // [part] the component's first part
    int32_t *floating; // [part] number of the floating component, -1: grounded
    double *sum;       // [part]
    double *mean;      // [floating] sum, then mean
    double *cells;     // [floating]
    size_t block_capacity, part_capacity;
} dr_components;

void dr_components_free(dr_components *components);

// neighbour: [block][6], x low first. False when memory is out.
bool dr_components_find(dr_components *components, const dr_par *par, const dr_component_block *blocks,
                        const int32_t *neighbour, size_t block_count);

// Takes from every floating component its mean; values: [block][64] in the order of linear/level.h. Returns the largest
// mean taken, its sign dropped.
double dr_components_center(dr_components *components, const dr_par *par, double *values);

#endif
