// The rim: air cells that share a face with liquid. docs/theory/liquid.md, eq. (13)-(14).
#include "liquid/extrapolate_solenoidal.h"

#include "grid/halo.h"
#include "liquid/level_set.h"

#include <math.h>

enum { INSIDE, RIM, GAP, AWAY }; // liquid or solid; rim; air between liquid, which may shrink; air beyond

typedef struct rim_job {
    const dr_solenoidal *rim;
    const dr_grid *grid;
    float *velocity;
} rim_job;

static bool has(const uint8_t *values, int value)
{
    bool any = false;
    for (int c = 0; c < DR_BLOCK_NODES; c++) any = any || values[c] == value;
    return any;
}

// What lies beyond closed faces does not count.
static int flag_air(const uint8_t *kind, const float *open, int at)
{
    int flag = AWAY;
    for (int a = 0; a < 3; a++) {
        int below = at - dr_halo_step[a], above = at + dr_halo_step[a];
        bool low = kind[below] == DR_CELL_LIQUID && (!open || open[4 * at + a] > 0.0F);
        bool high = kind[above] == DR_CELL_LIQUID && (!open || open[4 * above + a] > 0.0F);
        if (low && high) return GAP;
        if (low || high) flag = RIM;
    }
    return flag;
}

static void flag_block(const rim_job *job, size_t block)
{
    uint8_t kind[DR_HALO_ITEMS], *flags = job->rim->flags + block * DR_BLOCK_NODES;
    float open[4 * DR_HALO_ITEMS];
    bool solids = job->rim->open_area, wet = !job->rim->wet || job->rim->wet[block];
    memset(flags, INSIDE, DR_BLOCK_NODES);
    if (!wet || !has(job->rim->kind + block * DR_BLOCK_NODES, DR_CELL_AIR)) return;
    dr_halo_load_bytes(job->grid, block, job->rim->kind, DR_CELL_AIR, kind);
    if (solids) dr_halo_load_fours(job->grid, block, job->rim->open_area, 1.0F, open);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        int at = dr_halo_place(c);
        if (kind[at] == DR_CELL_AIR) flags[c] = (uint8_t)flag_air(kind, solids ? open : NULL, at);
    }
}

static void flag_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) flag_block(user, b);
}

typedef struct around {
    uint8_t flags[DR_HALO_ITEMS];
    float velocity[4 * DR_HALO_ITEMS], open[4 * DR_HALO_ITEMS], solid[4 * DR_HALO_ITEMS];
} around;

static void load_around(const rim_job *job, size_t block, around *to)
{
    dr_halo_load_bytes(job->grid, block, job->rim->flags, INSIDE, to->flags);
    dr_halo_load_fours(job->grid, block, job->velocity, 0.0F, to->velocity);
    if (job->rim->open_area) dr_halo_load_fours(job->grid, block, job->rim->open_area, 1.0F, to->open);
    if (job->rim->solid_velocity) dr_halo_load_fours(job->grid, block, job->rim->solid_velocity, 0.0F, to->solid);
}

// What each face that leads away has to let out besides what it does, eq. (13).
static float find_share(const rim_job *job, const around *halo, int at)
{
    bool solids = job->rim->open_area, moving = job->rim->solid_velocity;
    float sum = 0.0F, area = 0.0F, limit = job->rim->limit;
    for (int side = 0; side < 6; side++) {
        int a = side >> 1, step = dr_halo_step[a], face = 4 * (side & 1 ? at + step : at) + a;
        float open = solids ? halo->open[face] : 1.0F, out = open * halo->velocity[face];
        if (moving) out += (1.0F - open) * halo->solid[face];
        sum += side & 1 ? out : -out;
        if (halo->flags[side & 1 ? at + step : at - step] == AWAY) area += open;
    }
    return area > 0.0F ? fminf(limit, fmaxf(-limit, -sum / area)) : 0.0F;
}

static void share_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const rim_job *job = user;
    around halo;
    for (size_t b = begin; b < end; b++) {
        const uint8_t *flags = job->rim->flags + b * DR_BLOCK_NODES;
        if (job->rim->wet && !job->rim->wet[b]) continue;
        if (has(flags, RIM)) load_around(job, b, &halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++)
            job->rim->share[b * DR_BLOCK_NODES + (size_t)c] =
                flags[c] == RIM ? find_share(job, &halo, dr_halo_place(c)) : 0.0F;
    }
}

// eq. (14)
static void close_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const rim_job *job = user;
    for (size_t b = begin; b < end; b++) {
        uint8_t flags[DR_HALO_ITEMS];
        float share[DR_HALO_ITEMS];
        if (job->rim->wet && !job->rim->wet[b]) continue;
        if (!has(job->rim->flags + b * DR_BLOCK_NODES, RIM) && !has(job->rim->flags + b * DR_BLOCK_NODES, AWAY))
            continue;
        dr_halo_load_bytes(job->grid, b, job->rim->flags, INSIDE, flags);
        dr_halo_load(job->grid, b, job->rim->share, 0.0F, share);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            float *velocity = job->velocity + 4 * (b * DR_BLOCK_NODES + (size_t)c);
            int at = dr_halo_place(c);
            for (int a = 0; a < 3; a++) {
                int below = at - dr_halo_step[a];
                if (flags[at] == AWAY && flags[below] == RIM) velocity[a] += share[below];
                if (flags[at] == RIM && flags[below] == AWAY) velocity[a] -= share[at];
            }
        }
    }
}

void dr_extrapolate_solenoidal(const dr_solenoidal *rim, const dr_grid *grid, const dr_par *par, float *velocity)
{
    rim_job job = {rim, grid, velocity};
    dr_par_for(par, grid->block_count, 32, flag_blocks, &job);
    dr_par_for(par, grid->block_count, 16, share_blocks, &job);
    dr_par_for(par, grid->block_count, 16, close_blocks, &job);
}
