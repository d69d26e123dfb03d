// The liquid's surface where it meets a wall. docs/theory/surface.md, "Walls".
#ifndef DR_LIQUID_WALL_H
#define DR_LIQUID_WALL_H

#include "grid/grid.h"
#include "liquid/offset.h"

// Distance from solids at a cell's centre, in the unit of the corners (a halo), and the unit vector away from them.
float dr_wall_at(const float *corner, int at, float normal[3]);

// Goes on with the liquid of a wall's skin inside the wall: adds to the moments m of a centre at distance psi (cells).
void dr_wall_fill(const dr_offset_table *table, float psi, const float normal[3], const float skin[4], float m[4]);

// Takes back what the filling does to a surface that does not stand at a right angle on the wall. solid: at corners,
// cm; distance: at centres, in cells; the two others are [block][64][4] of room.
void dr_wall_lean(const dr_grid *grid, const dr_par *par, const float *solid, const dr_offset_table *table,
                  float *distance, float *normal, float *spare);

#endif
