// The density projection: positions move, angular momentum stays. docs/theory/density.md.
#include "liquid/liquid_pass.h"

#include "grid/halo.h"
#include "liquid/tuning.h"
#include "math/scalar.h"

#include <string.h>

// The kernel of a sliver of a cell tells more of its neighbours than of itself.
static float trust(float open)
{
    const float middle = 2.0F * DR_LIQUID_LEAST_OPEN;
    return dr_clamp_float((open - middle) / middle + 0.5F, 0.0F, 1.0F);
}

// What of a cell's excess it answers for itself.
static float own_share(uint8_t kind, float open)
{
    return kind == DR_CELL_LIQUID ? trust(open) : 0.0F;
}

// ---- what kernels inside solids hold, eq. (7)

// Zero in cells that the surface passes, as their own excess is, and one where their kernels do not reach it.
static float depth_share(const dr_liquid *liquid, size_t c)
{
    float depth = -dr_liquid_outline(liquid)->distance[c] / (float)liquid->grid->cell;
    return dr_clamp_float((depth - DR_PLIC_REACH) / (1.5F - DR_PLIC_REACH), 0.0F, 1.0F);
}

typedef struct walls {
    uint8_t kind[DR_HALO_ITEMS];
    float open[DR_HALO_ITEMS], rest[DR_HALO_ITEMS];
} walls;

// What a neighbour by (x, y, z) takes of it, before it is known who else does: the share of the kernel that lies in it.
static float take(const walls *around, int at, int x, int y, int z)
{
    static const float along[3] = {0.25F, 1.0F, 0.25F};
    at += x * DR_HALO_X + y * DR_HALO_Y + z;
    return along[1 + x] * along[1 + y] * along[1 + z] * around->open[at] *
           own_share(around->kind[at], around->open[at]);
}

static float take_all(const walls *around, int at)
{
    float sum = 0.0F;
    for (int i = 0; i < 27; i++) sum += i == 13 ? 0.0F : take(around, at, i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1);
    return sum;
}

static void load_walls(const dr_liquid *liquid, size_t block, walls *to)
{
    dr_halo_load_bytes(liquid->grid, block, liquid->kind, DR_CELL_AIR, to->kind);
    dr_halo_load(liquid->grid, block, liquid->solids.open_volume, 1.0F, to->open);
}

static bool meets_walls(const dr_liquid *liquid, size_t block)
{
    return liquid->constants.has_solids && liquid->solids.near[block];
}

// What cells hand over, for each unit of what their neighbours take.
static void rest_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    const float *excess = dr_liquid_outline(liquid)->excess;
    for (size_t b = begin; b < end; b++) {
        float *rest = liquid->guess + b * DR_BLOCK_NODES;
        walls around;
        memset(rest, 0, DR_BLOCK_NODES * sizeof *rest);
        if (!meets_walls(liquid, b)) continue;
        bool loaded = false;
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)c;
            float own = own_share(liquid->kind[i], liquid->solids.open_volume[i]);
            if (own == 1.0F || excess[i] == 0.0F || liquid->kind[i] == DR_CELL_AIR) continue;
            float given = depth_share(liquid, i) * excess[i];
            if (given == 0.0F) continue;
            if (!loaded) load_walls(liquid, b, &around);
            loaded = true;
            float all = take_all(&around, dr_halo_place(c));
            if (all > 0.0F) rest[c] = (1.0F - own) * given / all;
        }
    }
}

// To the cells of the block around one at (x, y, z), which may lie beside the block.
static void hand_over(const walls *around, const int x[3], float rest, float sum[DR_BLOCK_NODES])
{
    int at = DR_HALO_ITEM(x[0], x[1], x[2]);
    for (int i = 0; i < 27; i++) {
        int way[3] = {i / 9 - 1, i / 3 % 3 - 1, i % 3 - 1}, inside = i != 13;
        for (int a = 0; a < 3; a++) inside &= x[a] + way[a] >= 0 && x[a] + way[a] < DR_BLOCK_SIDE;
        if (!inside) continue;
        int to = (x[0] + way[0]) * 16 + (x[1] + way[1]) * 4 + x[2] + way[2];
        sum[to] += rest * take(around, at, way[0], way[1], way[2]);
    }
}

static bool is_any(const float rest[DR_HALO_ITEMS])
{
    int any = 0;
    for (int i = 0; i < DR_HALO_ITEMS; i++) any |= rest[i] != 0.0F;
    return any != 0;
}

static void hand_over_all(const walls *around, float sum[DR_BLOCK_NODES])
{
    memset(sum, 0, DR_BLOCK_NODES * sizeof *sum);
    for (int i = 0; i < DR_HALO_ITEMS; i++) {
        const int x[3] = {i / DR_HALO_X - 1, i / DR_HALO_Y % DR_HALO_SIDE - 1, i % DR_HALO_SIDE - 1};
        if (around->rest[i] != 0.0F) hand_over(around, x, around->rest[i], sum);
    }
}

// What cells beside solids hold themselves and what is handed over to them.
static void gather_excess(const dr_liquid *liquid, size_t block, float source[DR_BLOCK_NODES])
{
    float sum[DR_BLOCK_NODES];
    const uint8_t *kind = liquid->kind + block * DR_BLOCK_NODES;
    const float *open = liquid->solids.open_volume + block * DR_BLOCK_NODES;
    walls around;
    for (int c = 0; c < DR_BLOCK_NODES; c++) source[c] *= own_share(kind[c], open[c]);
    dr_halo_load(liquid->grid, block, liquid->guess, 0.0F, around.rest);
    if (!is_any(around.rest)) return;
    load_walls(liquid, block, &around);
    hand_over_all(&around, sum);
    for (size_t c = 0; c < DR_BLOCK_NODES; c++) source[c] += depth_share(liquid, block * DR_BLOCK_NODES + c) * sum[c];
}

// ---- the source

// Of liquid and solids in one cell the liquid alone gives way, so no more counts than there is of it.
static float most_of(const dr_liquid *liquid, size_t c)
{
    float most = DR_LIQUID_MOST_EXCESS;
    if (liquid->mixture.solid) most = dr_clamp_float(liquid->surface.fraction[c], 0.0F, most);
    return liquid->constants.has_solids ? most * liquid->solids.open_volume[c] : most;
}

// Per second.
static void excess_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    dr_liquid *liquid = job->liquid;
    float rate = (float)(1.0 / job->step->dt);
    for (size_t b = begin; b < end; b++) {
        float *source = liquid->source + b * DR_BLOCK_NODES;
        memcpy(source, dr_liquid_outline(liquid)->excess + b * DR_BLOCK_NODES, DR_BLOCK_NODES * sizeof *source);
        if (meets_walls(liquid, b)) gather_excess(liquid, b, source);
    }
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        float most = most_of(liquid, i);
        liquid->source[i] = rate * dr_clamp_float(liquid->source[i], -most, most);
        if (liquid->mixture.fibres) liquid->source[i] *= liquid->share[i];
        if (liquid->constants.compressible) liquid->source[i] *= 1.0F - liquid->rheology.soft[i];
    }
}

static void shift_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    const float *mobility = liquid->mixture.flux ? liquid->mixture.mobility : liquid->mobility;
    const float *fibres = liquid->mixture.fibres;
    float cell = (float)liquid->grid->cell, per_cell = 1.0F / (cell * cell * cell), most = (float)liquid->mixture.most;
    for (size_t i = begin * DR_BLOCK_FACES; i < end * DR_BLOCK_FACES; i++) {
        float open = fibres ? 1.0F - dr_min_float(most, per_cell * fibres[i]) : 1.0F;
        liquid->shift[i] = -mobility[i] / open * liquid->shift[i];
    }
}

// ---- the potential, eq. (5)-(6)

static float mobility_of(const float *mobility, size_t cell)
{
    return (1.0F / 3.0F) * (mobility[4 * cell] + mobility[4 * cell + 1] + mobility[4 * cell + 2]);
}

// Nobody reads source any more in this step.
static void potential_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    dr_liquid *liquid = job->liquid;
    const float *mobility = liquid->mixture.flux ? liquid->mixture.mobility : liquid->mobility;
    float scale = (float)(job->step->dt / (liquid->grid->cell * liquid->grid->cell));
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++) {
        bool wet = liquid->kind[c] == DR_CELL_LIQUID;
        liquid->source[c] = wet ? scale * mobility_of(mobility, c) * liquid->guess[c] : 0.0F;
    }
}

typedef struct neighbourhood {
    float potential[DR_HALO_ITEMS], shift[4 * DR_HALO_ITEMS];
    uint8_t kind[DR_HALO_ITEMS];
} neighbourhood;

// From the middle of the neighbour by `to` (-1, 0 or 1 along each axis) back to the cell at `at`, across the faces of
// the neighbour.
static float continue_from(const neighbourhood *around, int at, const int to[3], float cells_per_speed)
{
    int from = at + to[0] * DR_HALO_X + to[1] * DR_HALO_Y + to[2] * DR_HALO_Z;
    float value = around->potential[from];
    for (int a = 0; a < 3; a++) {
        int face = to[a] < 0 ? from + dr_halo_step[a] : from;
        value += (float)to[a] * cells_per_speed * around->shift[4 * face + a];
    }
    return value;
}

// The mean of what neighbours in liquid tell.
static float continue_potential(const neighbourhood *around, int at, float cells_per_speed)
{
    float sum = 0.0F, weight = 0.0F;
    for (int row = 0; row < 9; row++) {
        const uint8_t *kind = around->kind + at + (row / 3 - 1) * DR_HALO_X + (row % 3 - 1) * DR_HALO_Y;
        for (int z = -1; z <= 1; z++) {
            if (kind[z] != DR_CELL_LIQUID) continue;
            const int to[3] = {row / 3 - 1, row % 3 - 1, z};
            float w = 1.0F / (float)(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
            sum += w * continue_from(around, at, to, cells_per_speed);
            weight += w;
        }
    }
    return weight > 0.0F ? sum / weight : 0.0F;
}

static bool has_solid(const uint8_t *kind)
{
    bool any = false;
    for (int c = 0; c < DR_BLOCK_NODES; c++) any = any || kind[c] == DR_CELL_SOLID;
    return any;
}

static bool has_liquid(const uint8_t kind[DR_HALO_ITEMS])
{
    int any = 0;
    for (int i = 0; i < DR_HALO_ITEMS; i++) any |= kind[i] == DR_CELL_LIQUID;
    return any != 0;
}

// Into solids; beyond the surface it stays zero. Nobody reads guess any more in this step.
static void continue_block(const dr_liquid_pass *job, size_t block)
{
    const dr_liquid *liquid = job->liquid;
    float cells_per_speed = (float)(job->step->dt / liquid->grid->cell);
    size_t first = block * DR_BLOCK_NODES;
    neighbourhood around;
    memcpy(liquid->guess + first, liquid->source + first, DR_BLOCK_NODES * sizeof(float));
    if (!has_solid(liquid->kind + first)) return;
    dr_halo_load_bytes(liquid->grid, block, liquid->kind, DR_CELL_AIR, around.kind);
    if (!has_liquid(around.kind)) return;
    dr_halo_load(liquid->grid, block, liquid->source, 0.0F, around.potential);
    dr_halo_load_fours(liquid->grid, block, liquid->shift, 0.0F, around.shift);
    for (size_t c = 0; c < DR_BLOCK_NODES; c++) {
        if (liquid->kind[first + c] == DR_CELL_SOLID)
            liquid->guess[first + c] = continue_potential(&around, dr_halo_place((int)c), cells_per_speed);
    }
}

static void continue_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    for (size_t b = begin; b < end; b++) continue_block(job, b);
}

static void store_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_liquid *liquid = ((const dr_liquid_pass *)user)->liquid;
    for (size_t c = begin * DR_BLOCK_NODES; c < end * DR_BLOCK_NODES; c++)
        liquid->shift[4 * c + 3] =
            dr_clamp_float(liquid->guess[c], -DR_LIQUID_MOST_POTENTIAL, DR_LIQUID_MOST_POTENTIAL);
}

void dr_liquid_find_shift_potential(dr_liquid *liquid, const dr_liquid_step *step)
{
    dr_liquid_visit_wet(liquid, step, potential_blocks);
    dr_liquid_visit_wet(liquid, step, continue_blocks);
    dr_liquid_visit_wet(liquid, step, store_blocks);
}

void dr_liquid_even_out(dr_liquid *liquid, const dr_liquid_step *step, dr_pressure_problem problem)
{
    const dr_pressure_options options = {DR_LIQUID_DENSITY_TOLERANCE, DR_SOLVE_CYCLES, DR_SOLVE_CYCLES};
    dr_liquid_visit(liquid, step, rest_blocks);
    dr_liquid_visit_wet(liquid, step, excess_blocks);
    problem.source = liquid->source;
    problem.ghost_pressure = problem.guess = NULL;
    dr_pressure_solve_source(&liquid->solver, liquid->par, &problem, &options, liquid->guess, liquid->shift,
                             &liquid->density_report);
    dr_liquid_visit_wet(liquid, step, shift_blocks);
}
