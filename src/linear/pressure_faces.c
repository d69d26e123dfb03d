// What is liquid and solid around a block, and its faces: weight = open * mobility, flow = open * flux + (1 - open) *
// solid_velocity. docs/theory/pressure.md, section 2.
#include "linear/pressure_faces.h"

#include "math/simd.h"

enum { CELLS = DR_LEVEL_CELLS, FACES = DR_PRESSURE_FACES };

// The mask moved up by one cell along an axis, with the top layer of the block below coming in.
static uint64_t shift_up(uint64_t mask, uint64_t under, int axis)
{
    return (mask << dr_block_stride[axis] & ~dr_component_bottom[axis]) |
           (under >> (3 * dr_block_stride[axis]) & dr_component_bottom[axis]);
}

static uint64_t shift_down(uint64_t mask, uint64_t over, int axis)
{
    uint64_t top = dr_component_bottom[axis] << (3 * dr_block_stride[axis]);
    return (mask >> dr_block_stride[axis] & ~top) | (over << (3 * dr_block_stride[axis]) & top);
}

dr_pressure_around dr_pressure_survey(const dr_pressure *pressure, const dr_grid *grid, size_t g)
{
    dr_pressure_around around = {.liquid = pressure->liquid[g]};
    for (int a = 0; a < 3; a++) {
        int32_t low = dr_pressure_block_beside(grid, g, 2 * a), high = dr_pressure_block_beside(grid, g, 2 * a + 1);
        uint64_t none_above = high < 0 ? dr_component_bottom[a] << (3 * dr_block_stride[a]) : 0;
        around.below[a] = shift_up(around.liquid, low < 0 ? 0 : pressure->liquid[low], a);
        around.above[a] = shift_down(around.liquid, high < 0 ? 0 : pressure->liquid[high], a);
        around.shut_below[a] = shift_up(pressure->solid[g], low < 0 ? 0 : pressure->solid[low], a);
        around.shut_above[a] = shift_down(pressure->solid[g], high < 0 ? 0 : pressure->solid[high], a) | none_above;
    }
    return around;
}

// ---- faces

typedef enum face_value { WEIGHT, FLOW } face_value;

// x, y and z face of grid cell c: the share that is open times what the liquid does, and for the flow the rest times
// what the solid does.
DR_INLINE dr_float4 load_cell(const dr_pressure_problem *problem, size_t c, face_value which)
{
    const dr_float4 one = dr_float4_all(1.0F), zero = dr_float4_all(0.0F);
    dr_float4 open = problem->open ? dr_float4_load(problem->open + 4 * c) : one;
    if (which == WEIGHT) {
        dr_float4 weight = open * dr_float4_load(problem->mobility + 4 * c);
        return dr_float4_select(weight < zero, zero, weight);
    }
    dr_float4 flow = dr_float4_load(problem->flux + 4 * c);
    if (problem->open) flow *= open;
    if (!problem->solid_velocity) return flow;
    return dr_float4_add_product(flow, one - open, dr_float4_load(problem->solid_velocity + 4 * c));
}

// Four cells' x, y, z to four x, four y and four z.
DR_INLINE void turn(const dr_float4 cell[4], dr_float4 row[3])
{
    dr_float4 xy_low = __builtin_shufflevector(cell[0], cell[1], 0, 4, 1, 5);
    dr_float4 xy_high = __builtin_shufflevector(cell[2], cell[3], 0, 4, 1, 5);
    dr_float4 z_low = __builtin_shufflevector(cell[0], cell[1], 2, 6, 3, 7);
    dr_float4 z_high = __builtin_shufflevector(cell[2], cell[3], 2, 6, 3, 7);
    row[0] = __builtin_shufflevector(xy_low, xy_high, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(xy_low, xy_high, 2, 3, 6, 7);
    row[2] = __builtin_shufflevector(z_low, z_high, 0, 1, 4, 5);
}

DR_INLINE void load_row(const dr_pressure_problem *problem, size_t c, face_value which, dr_float4 row[3])
{
    dr_float4 cell[4];
    for (size_t k = 0; k < 4; k++) cell[k] = load_cell(problem, c + k, which);
    turn(cell, row);
}

// The layers of faces above the block; where no block follows they are closed and still.
DR_INLINE void load_tops(const dr_pressure_problem *problem, size_t g, face_value which, float to[3][FACES])
{
    const dr_float4 zero = dr_float4_all(0.0F);
    int32_t high[3];
    for (int a = 0; a < 3; a++) high[a] = dr_pressure_block_beside(problem->grid, g, 2 * a + 1);
    for (int n = 0; n < 4; n++) {
        dr_float4 x[3] = {zero, zero, zero}, y[3] = {zero, zero, zero};
        if (high[0] >= 0) load_row(problem, CELLS * (size_t)high[0] + 4 * (size_t)n, which, x);
        if (high[1] >= 0) load_row(problem, CELLS * (size_t)high[1] + 16 * (size_t)n, which, y);
        dr_float4_store(to[0] + dr_pressure_face_item(0, 4, n, 0), x[0]);
        dr_float4_store(to[1] + dr_pressure_face_item(1, n, 4, 0), y[1]);
        for (int j = 0; j < 4; j++) {
            size_t c = CELLS * (size_t)(high[2] < 0 ? 0 : high[2]) + (size_t)(16 * n + 4 * j);
            to[2][dr_pressure_face_item(2, n, j, 4)] = high[2] < 0 ? 0.0F : load_cell(problem, c, which)[2];
        }
    }
}

DR_INLINE void load_faces(const dr_pressure_problem *problem, size_t g, face_value which, float to[3][FACES])
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            dr_float4 row[3];
            load_row(problem, CELLS * g + (size_t)(16 * i + 4 * j), which, row);
            for (int a = 0; a < 3; a++) dr_float4_store(to[a] + dr_pressure_face_item(a, i, j, 0), row[a]);
        }
    }
    load_tops(problem, g, which, to);
}

void dr_pressure_load_weights(const dr_pressure_problem *problem, size_t g, float to[3][FACES])
{
    load_faces(problem, g, WEIGHT, to);
}

void dr_pressure_load_flows(const dr_pressure_problem *problem, size_t g, float to[3][FACES])
{
    load_faces(problem, g, FLOW, to);
}

void dr_pressure_shut_faces(const dr_pressure_problem *problem, size_t g, const dr_pressure_around *around,
                            dr_pressure_faces *to)
{
    for (int a = 0; a < 3; a++) {
        for (int c = 0; c < CELLS; c++) {
            int item = dr_pressure_face_item(a, c >> 4, c >> 2 & 3, c & 3);
            bool below = around->shut_below[a] >> c & 1, above = around->shut_above[a] >> c & 1;
            size_t f = 4 * (CELLS * g + (size_t)c) + (size_t)a;
            if (below) to->weight[a][item] = 0.0F;
            if (below) to->flow[a][item] = problem->solid_velocity ? problem->solid_velocity[f] : 0.0F;
            if (!above) continue;
            item += dr_pressure_step_up[a];
            to->weight[a][item] = 0.0F;
            to->flow[a][item] = 0.0F;
            bool inside = (c / dr_block_stride[a] & 3) < 3;
            int32_t high = dr_pressure_block_beside(problem->grid, g, 2 * a + 1);
            if (!problem->solid_velocity || (!inside && high < 0)) continue;
            size_t other = inside ? CELLS * g + (size_t)(c + dr_block_stride[a])
                                  : CELLS * (size_t)high + (size_t)(c - 3 * dr_block_stride[a]);
            to->flow[a][item] = problem->solid_velocity[4 * other + (size_t)a];
        }
    }
}
