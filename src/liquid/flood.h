// Connected pieces of the grid's cells, across blocks: of liquid that touches nothing, of air that leads nowhere.
// The flood is that of linear/component.h; here are the masks it starts from.
#ifndef DR_LIQUID_FLOOD_H
#define DR_LIQUID_FLOOD_H

#include "grid/grid.h"
#include "linear/component.h"

typedef struct dr_flood {
    const dr_allocator *allocator;
    dr_components components;  // "floating" are pieces without a grounded cell
    dr_component_block *masks; // [block]
    int32_t *neighbour;        // [block][6]
    size_t mask_capacity, neighbour_capacity;
} dr_flood;

// Which cells belong to pieces, and how.
typedef struct dr_flood_problem {
    // Sets the bits of a block's cells: unknown, and ground where one ties its piece down.
    void (*mark)(const void *user, size_t block, dr_component_block *mask);
    const void *user;
    const float *open_area; // [face]: cells are joined where it is above 0; NULL: across every face
    bool open_ends;         // cells at a side without a block are grounded
} dr_flood_problem;

void dr_flood_open(dr_flood *flood, const dr_allocator *allocator);
void dr_flood_close(dr_flood *flood);

// Finds the pieces. False when memory is out.
bool dr_flood_find(dr_flood *flood, const dr_grid *grid, const dr_par *par, const dr_flood_problem *problem);

#endif
