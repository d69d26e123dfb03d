// Velocity beyond the liquid. docs/theory/solids.md, eq. (8).
// Only faces known before a layer are read while it is written, so threads do not meet.
#include "liquid/extrapolate.h"

#include "grid/halo.h"

#include <math.h>

enum { ALL = 7 };

typedef struct layer_job {
    const dr_extrapolate *how;
    const dr_grid *grid;
    float *velocity;
    const uint8_t *known;
    uint8_t *next;
    bool closed_only;
    const uint8_t *before; // [block] the last layer made some faces known there; NULL: it may have anywhere
    uint8_t *fresh;        // [block] this one does; NULL: nobody asks
} layer_job;

static bool is_wanted(const layer_job *job, size_t face, bool reached)
{
    const dr_extrapolate *how = job->how;
    if (!job->closed_only && (reached || !how->beside)) return true;
    return how->open_area && !(how->open_area[face] > 0.0F);
}

// Which faces of a cell may become known in this layer.
static unsigned wanted_faces(const layer_job *job, size_t item, unsigned known, unsigned heavy)
{
    unsigned wanted = ALL & ~known & heavy, reached = known >> DR_EXTRAPOLATE_OWN;
    for (unsigned a = 0; a < 3 && wanted; a++) {
        if (!is_wanted(job, 4 * item + a, reached >> a & 1)) wanted &= ~(1U << a);
    }
    return wanted;
}

// The faces of a block's cells that have mass: most of what is not known has none.
static void find_heavy(const layer_job *job, size_t block, uint8_t heavy[DR_BLOCK_NODES])
{
    memset(heavy, ALL, DR_BLOCK_NODES);
    if (!job->how->mass) return;
    const float *mass = job->how->mass + block * DR_BLOCK_FACES;
    uint8_t one[DR_BLOCK_FACES];
    for (int i = 0; i < DR_BLOCK_FACES; i++) one[i] = mass[i] > 0.0F;
    for (int c = 0; c < DR_BLOCK_NODES; c++)
        heavy[c] = (uint8_t)(one[4 * c] | one[4 * c + 1] << 1 | one[4 * c + 2] << 2);
}

static float gentler(float a, float b)
{
    return a * b <= 0.0F ? 0.0F : fabsf(a) < fabsf(b) ? a : b;
}

// The faces next to a place on one side that are known before one that is not, at most three.
typedef struct line {
    int count;
    int64_t item[3];
} line;

static void find_line(const layer_job *job, size_t block, int c, unsigned axis, int a, int step, line *to)
{
    int x[3] = {c >> 4, c >> 2 & 3, c & 3};
    int64_t own = (int64_t)(block * DR_BLOCK_NODES) + c;
    for (to->count = 0; to->count < 3; to->count++) {
        x[a] += step;
        own += step * dr_block_stride[a];
        bool inside = (unsigned)x[a] < DR_BLOCK_SIDE;
        int64_t from = inside ? own : dr_halo_find(job->grid, block, x[0], x[1], x[2]);
        if (from < 0 || !(job->known[from] >> axis & 1)) return;
        to->item[to->count] = from;
    }
}

// What they say about it: the nearest, and its slope where the next two agree.
static float continue_line(const line *from, const float *field, unsigned axis)
{
    float nearest = field[4 * from->item[0] + axis];
    if (from->count < 3) return nearest;
    float second = field[4 * from->item[1] + axis], third = field[4 * from->item[2] + axis];
    return nearest + gentler(nearest - second, second - third);
}

// The mean over the six neighbours of a face that were known before this layer; no other is read.
static bool reach_mean(const layer_job *job, size_t block, int c, unsigned axis, const uint8_t *known)
{
    float *with = job->how->with, sum = 0.0F, sum_with = 0.0F;
    size_t face = 4 * (block * DR_BLOCK_NODES + (size_t)c) + axis;
    int count = 0;
    for (int side = 0; side < 6; side++) {
        int step = side & 1 ? 1 : -1, a = side >> 1;
        line from;
        if (!(known[dr_halo_place(c) + step * dr_halo_step[a]] >> axis & 1)) continue;
        find_line(job, block, c, axis, a, step, &from);
        sum += continue_line(&from, job->velocity, axis);
        if (with) sum_with += continue_line(&from, with, axis);
        count++;
    }
    if (count > 0) job->velocity[face] = sum / (float)count;
    if (count > 0 && with) with[face] = sum_with / (float)count;
    return count > 0;
}

// Where nothing became known in the last layer, nothing will in this one.
static bool is_settled(const layer_job *job, size_t block)
{
    const int32_t *neighbour = job->grid->neighbour + 27 * block;
    unsigned any = 0;
    for (int n = 0; job->before && n < 27; n++) any |= neighbour[n] >= 0 ? job->before[neighbour[n]] : 0U;
    return job->before && !any;
}

// Whether faces of it became known.
static bool extend_block(const layer_job *job, size_t block)
{
    uint8_t known[DR_HALO_ITEMS], any = 0, all = ALL, *next = job->next + block * DR_BLOCK_NODES;
    memcpy(next, job->known + block * DR_BLOCK_NODES, DR_BLOCK_NODES);
    if ((job->how->wet && !job->how->wet[block]) || is_settled(job, block)) return false;
    for (int c = 0; c < DR_BLOCK_NODES; c++) all &= next[c];
    if ((all & ALL) == ALL) return false;
    uint8_t wanted[DR_BLOCK_NODES], heavy[DR_BLOCK_NODES];
    find_heavy(job, block, heavy);
    for (int c = 0; c < DR_BLOCK_NODES; c++)
        any |= wanted[c] = (uint8_t)wanted_faces(job, block * DR_BLOCK_NODES + (size_t)c, next[c], heavy[c]);
    if (!any) return false;
    dr_halo_load_bytes(job->grid, block, job->known, 0, known);
    any = 0;
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        for (unsigned a = 0; a < 3 && wanted[c]; a++) {
            if ((wanted[c] >> a & 1) && reach_mean(job, block, c, a, known))
                any = 1, next[c] = (uint8_t)(next[c] | 1U << a);
        }
    }
    return any;
}

static void extend_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const layer_job *job = user;
    for (size_t b = begin; b < end; b++) {
        bool any = extend_block(job, b);
        if (job->fresh) job->fresh[b] = any;
    }
}

// Each item of the halo becomes the union of itself and its two neighbours along an axis.
static void widen(uint8_t bits[DR_HALO_ITEMS], int step)
{
    uint8_t from[DR_HALO_ITEMS];
    memcpy(from, bits, sizeof from);
    for (int i = step; i < DR_HALO_ITEMS - step; i++) bits[i] = (uint8_t)(from[i - step] | from[i] | from[i + step]);
}

// The bits of the liquid's own faces become those of faces within a cell of them along every axis.
static void reach_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const layer_job *job = user;
    for (size_t b = begin; b < end; b++) {
        uint8_t bits[DR_HALO_ITEMS], any = 0, *next = job->next + b * DR_BLOCK_NODES;
        memcpy(next, job->known + b * DR_BLOCK_NODES, DR_BLOCK_NODES);
        if (job->how->wet && !job->how->wet[b]) continue;
        dr_halo_load_bytes(job->grid, b, job->known, 0, bits);
        for (int i = 0; i < DR_HALO_ITEMS; i++) any |= bits[i];
        for (int a = 0; a < 3 && any; a++) widen(bits, dr_halo_step[a]);
        for (int c = 0; c < DR_BLOCK_NODES && any; c++)
            next[c] = (uint8_t)((next[c] & ALL) | (bits[dr_halo_place(c)] & ALL << DR_EXTRAPOLATE_OWN));
    }
}

void dr_extrapolate_faces(const dr_extrapolate *how, const dr_grid *grid, const dr_par *par, float *velocity,
                          uint8_t *known)
{
    uint8_t *from = known, *to = how->spare;
    int layers = how->open_area && how->closed_layers > how->open_layers ? how->closed_layers : how->open_layers;
    for (int i = how->beside ? -1 : 0; i < layers; i++) {
        layer_job job = {how, grid, velocity, from, to, i >= how->open_layers, NULL, NULL};
        if (how->fresh && i > 0) job.before = how->fresh + (size_t)(1 - i % 2) * grid->block_count;
        if (how->fresh && i >= 0) job.fresh = how->fresh + (size_t)(i % 2) * grid->block_count;
        dr_par_for(par, grid->block_count, 16, i < 0 ? reach_blocks : extend_blocks, &job);
        uint8_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != known && grid->block_count) memcpy(known, from, grid->block_count * DR_BLOCK_NODES);
}

// ---- what is known at the start

typedef struct know_job {
    const dr_grid *grid;
    const dr_extrapolate *how;
    const uint8_t *cell;
    uint8_t *known;
} know_job;

static void know_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const know_job *job = user;
    for (size_t b = begin; b < end; b++) {
        uint8_t cell[DR_HALO_ITEMS];
        if (job->how->wet && !job->how->wet[b]) {
            memset(job->known + b * DR_BLOCK_NODES, 0, DR_BLOCK_NODES);
            continue;
        }
        dr_halo_load_bytes(job->grid, b, job->cell, DR_CELL_AIR, cell);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            size_t item = b * DR_BLOCK_NODES + (size_t)c;
            int at = dr_halo_place(c), known = 0;
            for (int a = 0; a < 3; a++) {
                size_t face = 4 * item + (size_t)a;
                bool wet = cell[at] == DR_CELL_LIQUID || cell[at - dr_halo_step[a]] == DR_CELL_LIQUID;
                bool open = !job->how->open_area || job->how->open_area[face] > 0.0F;
                if (wet && open) known |= 1 << a;
                if (wet && (job->how->own_area ? job->how->own_area[face] > 0.0F : open))
                    known |= 1 << (DR_EXTRAPOLATE_OWN + a);
            }
            job->known[item] = (uint8_t)known;
        }
    }
}

void dr_extrapolate_know(const dr_extrapolate *how, const dr_grid *grid, const dr_par *par, const uint8_t *cell,
                         uint8_t *known)
{
    know_job job = {grid, how, cell, known};
    dr_par_for(par, grid->block_count, 32, know_blocks, &job);
}
