// The liquid's surface where it meets a wall. docs/theory/surface.md, "Walls".
#ifndef DR_LIQUID_WALL_H
#define DR_LIQUID_WALL_H

#include "grid/grid.h"
#include "liquid/offset.h"

#define DR_WALL_SIDE    (DR_BLOCK_SIDE + 3)
#define DR_WALL_CORNERS (DR_WALL_SIDE * DR_WALL_SIDE * DR_WALL_SIDE)

// Corner distances (cm) of a block that holds particles and of those above it, in cells; false where none is below
// least.
bool dr_wall_load(const dr_grid *grid, size_t block, const float *solid, float least, float corner[DR_WALL_CORNERS]);

// Distance from solids, in cells, of a particle at that offset of the block.
float dr_wall_distance(const float corner[DR_WALL_CORNERS], const float offset[3]);

// The mean of a cell's corners (a halo), and the slope between them.
float dr_wall_slope(const float *corner, int at, float slope[3]);

// Distance from solids at a cell's centre, in the unit of the corners (a halo), and the unit vector away from them.
float dr_wall_at(const float *corner, int at, float normal[3]);

// Goes on with the liquid of a wall's skin inside the wall: adds to the moments m of a centre at distance psi (cells).
void dr_wall_fill(const dr_offset_table *table, float psi, const float normal[3], const float skin[4], float m[4]);

#endif
