// What of the liquid's grid others may look at: the pressure at a place, the volume inside its surface.
// docs/theory/liquid.md, "What is shown".
#include "world/world.h"

#include <math.h>

typedef struct spot {
    int32_t cell[3];
    double from_middle[3]; // cells
} spot;

// The item of a cell in [block][64], -1 where it has no block.
static int64_t find_cell(const dr_grid *grid, const int32_t cell[3])
{
    int32_t block[3];
    int64_t item = 0;
    for (int a = 0; a < 3; a++) {
        block[a] = (cell[a] - (cell[a] & (DR_BLOCK_SIDE - 1))) / DR_BLOCK_SIDE;
        item = item * DR_BLOCK_SIDE + (cell[a] & (DR_BLOCK_SIDE - 1));
    }
    int32_t b = dr_grid_find(grid, block);
    return b < 0 ? -1 : (int64_t)b * DR_BLOCK_NODES + item;
}

static bool find_spot(const dr_grid *grid, const double x[3], spot *spot)
{
    for (int a = 0; a < 3; a++) {
        double place = (x[a] - grid->origin[a]) / grid->cell, cell = floor(place);
        if (!(fabs(cell) < DR_BLOCK_SIDE * (DR_GRID_REACH - 1.0))) return false;
        spot->cell[a] = (int32_t)cell;
        spot->from_middle[a] = place - cell - 0.5;
    }
    return true;
}

static spot move_spot(spot from, int axis, int step)
{
    from.cell[axis] += step;
    from.from_middle[axis] -= step;
    return from;
}

// A sliver of a cell inside a wall has no pressure of its own: the nearest neighbour across a face that has.
static bool leave_wall(const dr_liquid *liquid, spot *spot)
{
    double best = 2.0;
    struct spot from = *spot;
    for (int side = 0; side < 6; side++) {
        int axis = side >> 1, step = side & 1 ? 1 : -1;
        struct spot other = move_spot(from, axis, step);
        int64_t item = find_cell(&liquid->grid, other.cell);
        double distance = fabs(other.from_middle[axis]);
        if (item < 0 || liquid->kind[item] != DR_CELL_LIQUID || distance >= best) continue;
        best = distance;
        *spot = other;
    }
    return best < 2.0;
}

// Linear in the cell, with the mean of the gradients on its two faces; a closed face has none to give.
static double slope(const dr_liquid *liquid, const spot *spot, int64_t item, int axis)
{
    int64_t next = find_cell(&liquid->grid, move_spot(*spot, axis, 1).cell);
    double below = (double)liquid->gradient[4 * item + axis];
    double above = next < 0 ? 0.0 : (double)liquid->gradient[4 * next + axis];
    return below == 0.0 ? above : above == 0.0 ? below : 0.5 * (below + above);
}

double dr_liquid_pressure_at(const dr_world *world, const double x[3])
{
    const dr_liquid *liquid = &world->liquid;
    spot spot;
    if (!find_spot(&liquid->grid, x, &spot)) return 0.0;
    int64_t item = find_cell(&liquid->grid, spot.cell);
    if (item < 0) return 0.0;
    if (liquid->kind[item] == DR_CELL_SOLID && !leave_wall(liquid, &spot)) return 0.0;
    item = find_cell(&liquid->grid, spot.cell);
    if (liquid->kind[item] != DR_CELL_LIQUID) return 0.0;
    double pressure = (double)liquid->pressure[item];
    for (int a = 0; a < 3; a++) {
        pressure += slope(liquid, &spot, item, a) * spot.from_middle[a] * liquid->grid.cell;
    }
    return pressure;
}

double dr_liquid_occupied(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    return dr_surface_volume(&liquid->grid, &world->par, liquid->surface.distance,
                             liquid->has_solids ? liquid->open_volume : NULL, world->partial);
}
