// What of the liquid's grid others may look at: the pressure at a place.
#include "liquid/liquid.h"

#include <math.h>
#include <string.h>

static const dr_column shown_columns[] = {
    {"key", offsetof(dr_liquid_shown, key), DR_TYPE_UINT64, 1, "", ""},
    {"pressure", offsetof(dr_liquid_shown, pressure), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"gradient", offsetof(dr_liquid_shown, gradient), DR_TYPE_FLOAT32, DR_BLOCK_FACES, "", ""},
    {"kind", offsetof(dr_liquid_shown, kind), DR_TYPE_UINT8, DR_BLOCK_NODES, "", ""},
};
static const dr_column_table shown_table = {shown_columns, (int)(sizeof shown_columns / sizeof *shown_columns)};

void dr_liquid_shown_free(dr_liquid *liquid)
{
    dr_columns_free(&shown_table, &liquid->shown, liquid->allocator, &liquid->shown.capacity);
}

// Keeps what is shown of the blocks that are about to be made anew.
void dr_liquid_shown_keep(dr_liquid *liquid)
{
    dr_liquid_shown *shown = &liquid->shown;
    size_t blocks = liquid->grid->block_count;
    shown->kept = true;
    shown->count = 0;
    if (blocks == 0 || !dr_columns_reserve(&shown_table, shown, liquid->allocator, &shown->capacity, blocks)) return;
    shown->count = blocks;
    memcpy(shown->key, liquid->grid->key, blocks * sizeof *shown->key);
    memcpy(shown->pressure, liquid->pressure, blocks * DR_BLOCK_NODES * sizeof(float));
    memcpy(shown->gradient, liquid->gradient, blocks * DR_BLOCK_FACES * sizeof(float));
    memcpy(shown->kind, liquid->kind, blocks * DR_BLOCK_NODES);
}

static dr_liquid_shown look(const dr_liquid *liquid)
{
    if (liquid->shown.kept) return liquid->shown;
    return (dr_liquid_shown){.count = liquid->grid->block_count,
                             .key = liquid->grid->key,
                             .pressure = liquid->pressure,
                             .gradient = liquid->gradient,
                             .kind = liquid->kind};
}

typedef struct spot {
    int32_t cell[3];
    double from_middle[3]; // cells
} spot;

// The item of a cell in [block][64], -1 where it has no block. Blocks are sorted by key.
static int64_t find_cell(const dr_liquid_shown *shown, const dr_grid *grid, const int32_t cell[3])
{
    int32_t block[3];
    int64_t item = 0;
    for (int a = 0; a < 3; a++) {
        int local = cell[a] & (DR_BLOCK_SIDE - 1);
        block[a] = dr_grid_wrap(grid, a, (cell[a] - local) / DR_BLOCK_SIDE);
        item = item * DR_BLOCK_SIDE + local;
    }
    uint64_t key = dr_grid_key(block);
    size_t low = 0, high = shown->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (shown->key[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < shown->count && shown->key[low] == key ? (int64_t)low * DR_BLOCK_NODES + item : -1;
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
static bool leave_wall(const dr_liquid_shown *shown, const dr_grid *grid, spot *spot)
{
    double best = 2.0;
    struct spot from = *spot;
    for (int side = 0; side < 6; side++) {
        int axis = side >> 1, step = side & 1 ? 1 : -1;
        struct spot other = move_spot(from, axis, step);
        int64_t item = find_cell(shown, grid, other.cell);
        double distance = fabs(other.from_middle[axis]);
        if (item < 0 || shown->kind[item] != DR_CELL_LIQUID || distance >= best) continue;
        best = distance;
        *spot = other;
    }
    return best < 2.0;
}

// Linear in the cell, with the mean of the gradients on its two faces; a closed face has none to give.
static double slope(const dr_liquid_shown *shown, const dr_grid *grid, const spot *spot, int64_t item, int axis)
{
    int64_t next = find_cell(shown, grid, move_spot(*spot, axis, 1).cell);
    double below = (double)shown->gradient[4 * item + axis];
    double above = next < 0 ? 0.0 : (double)shown->gradient[4 * next + axis];
    return below == 0.0 ? above : above == 0.0 ? below : 0.5 * (below + above);
}

double dr_liquid_pressure_at(const dr_liquid *liquid, const double x[3])
{
    const dr_grid *grid = liquid->grid;
    dr_liquid_shown shown = look(liquid);
    spot spot;
    if (!find_spot(grid, x, &spot)) return 0.0;
    int64_t item = find_cell(&shown, grid, spot.cell);
    if (item < 0) return 0.0;
    if (shown.kind[item] == DR_CELL_SOLID && !leave_wall(&shown, grid, &spot)) return 0.0;
    item = find_cell(&shown, grid, spot.cell);
    if (shown.kind[item] != DR_CELL_LIQUID) return 0.0;
    double pressure = (double)shown.pressure[item];
    for (int a = 0; a < 3; a++) {
        pressure += slope(&shown, grid, &spot, item, a) * spot.from_middle[a] * grid->cell;
    }
    return pressure;
}
