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

// What a cell holds too much or too little, as a share of it. Of liquid and solids in one cell the liquid alone gives
// way, so no more counts than there is of it.
static float excess_of(const dr_liquid *liquid, size_t c)
{
    float most = DR_LIQUID_MOST_EXCESS;
    if (liquid->mixture.solid) most = dr_clamp_float(liquid->surface.fraction[c], 0.0F, most);
    return dr_clamp_float(dr_liquid_outline(liquid)->excess[c], -most, most);
}

// The same per second.
static void excess_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_liquid_pass *job = user;
    dr_liquid *liquid = job->liquid;
    const float *open = liquid->constants.has_solids ? liquid->solids.open_volume : NULL;
    float rate = (float)(1.0 / job->step->dt);
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        liquid->source[i] = rate * excess_of(liquid, i) * (open ? open[i] * trust(open[i]) : 1.0F);
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
    dr_liquid_visit_wet(liquid, step, excess_blocks);
    problem.source = liquid->source;
    problem.ghost_pressure = problem.guess = NULL;
    dr_pressure_solve_source(&liquid->solver, liquid->par, &problem, &options, liquid->guess, liquid->shift,
                             &liquid->density_report);
    dr_liquid_visit_wet(liquid, step, shift_blocks);
}
