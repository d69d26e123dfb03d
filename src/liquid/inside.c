// Shares of octants inside the surface, docs/theory/surface.md, eq. (11)-(12): the distance between centres is
// trilinear, and a plane within each octant.
#include "liquid/inside.h"

#include "liquid/bend.h"
#include "geom/cut.h"
#include "grid/halo.h"
#include "liquid/room.h"
#include "liquid/surface.h"

#include <string.h>

#define FULL DR_INSIDE_FULL

void dr_inside_open(dr_inside *inside, const dr_allocator *allocator)
{
    *inside = (dr_inside){.allocator = allocator};
}

void dr_inside_close(dr_inside *inside)
{
    size_t cells = inside->capacity * DR_BLOCK_NODES;
    dr_memory_free(inside->allocator, inside->air, cells * DR_INSIDE_OCTANTS);
    dr_memory_free(inside->allocator, inside->near, cells);
    dr_memory_free(inside->allocator, inside->spare, cells);
    dr_memory_free(inside->allocator, inside->open, cells * sizeof *inside->open);
    dr_inside_open(inside, inside->allocator);
}

static bool reserve(dr_inside *inside, size_t blocks)
{
    if (blocks <= inside->capacity) return true;
    dr_inside_close(inside);
    inside->capacity = blocks + blocks / 2;
    size_t cells = inside->capacity * DR_BLOCK_NODES;
    inside->air = dr_memory_resize(inside->allocator, NULL, 0, cells * DR_INSIDE_OCTANTS);
    inside->near = dr_memory_resize(inside->allocator, NULL, 0, cells);
    inside->spare = dr_memory_resize(inside->allocator, NULL, 0, cells);
    inside->open = dr_memory_resize(inside->allocator, NULL, 0, cells * sizeof *inside->open);
    if (inside->air && inside->near && inside->spare && inside->open) return true;
    dr_inside_close(inside);
    return false;
}

// ---- octants

typedef struct find_job {
    dr_inside *inside;
    const dr_grid *grid;
    const float *distance;
    const dr_inside_solids *solids;
    const uint8_t *from;
    uint8_t *to;
} find_job;

// The distances at the eight centres around an octant, its own cell's first; bit a of an index: the neighbour along a.
static void load_around(const float *halo, int at, int octant, double d[8])
{
    for (int i = 0; i < 8; i++) {
        int from = at;
        for (int a = 0; a < 3; a++) {
            if (i >> a & 1) from += octant >> a & 1 ? dr_halo_step[a] : -dr_halo_step[a];
        }
        d[i] = (double)halo[from];
    }
}

// eq. (11): the trilinear distance in the middle of the octant less what it is too large by on average where the
// surface bends, and its slope there, per octant.
static double share_of_air(const double d[8], double bend)
{
    double middle = -bend / 12.0, slope[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 8; i++) {
        double weight[3];
        for (int a = 0; a < 3; a++) weight[a] = i >> a & 1 ? 0.25 : 0.75;
        middle += weight[0] * weight[1] * weight[2] * d[i];
        for (int a = 0; a < 3; a++)
            slope[a] += (i >> a & 1 ? 0.5 : -0.5) * weight[(a + 1) % 3] * weight[(a + 2) % 3] * d[i];
    }
    return 1.0 - dr_cut_cube(middle, slope);
}

// Whether the surface comes near: 0 all liquid around the cell, 1 all air, 2 both.
static int sides_around(const float *halo, int at)
{
    int liquid = 0;
    for (int i = 0; i < 27; i++)
        liquid += halo[at + (i / 9 - 1) * DR_HALO_X + (i / 3 % 3 - 1) * DR_HALO_Y + i % 3 - 1] < 0.0F;
    return liquid == 27 ? 0 : liquid == 0 ? 1 : 2;
}

static void find_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const find_job *job = user;
    float cell = (float)job->grid->cell;
    for (size_t b = begin; b < end; b++) {
        float halo[DR_HALO_ITEMS];
        dr_halo_load(job->grid, b, job->distance, DR_SURFACE_BAND * cell, halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            uint8_t *air = job->inside->air + DR_INSIDE_OCTANTS * (b * DR_BLOCK_NODES + (size_t)c);
            int at = dr_halo_place(c), sides = sides_around(halo, at);
            memset(air, sides == 1 ? (int)FULL : 0, DR_INSIDE_OCTANTS);
            if (sides != 2) continue;
            double bend = (double)dr_bend_bounded(dr_bend_at(halo, at, cell, 1.5F * cell), DR_BEND_MOST * cell);
            for (int i = 0; i < DR_INSIDE_OCTANTS; i++) {
                double d[8];
                load_around(halo, at, i, d);
                air[i] = (uint8_t)((double)FULL * share_of_air(d, bend) + 0.5);
            }
        }
    }
}

// ---- room as the step began

// Where a wall came from another cell, that one has less than it had and this one more; together they are right.
#define BEYOND 0.25F // at most, of a cell

// What solids swept of a cell in the step, from what of them passed through its faces: eq. (13).
static float swept(const find_job *job, size_t block, int c)
{
    const dr_inside_solids *solids = job->solids;
    size_t item = block * DR_BLOCK_NODES + (size_t)c;
    float sum = 0.0F;
    for (int a = 0; a < 3; a++) {
        int64_t next = dr_halo_find(job->grid, block, (c >> 4) + (a == 0), (c >> 2 & 3) + (a == 1), (c & 3) + (a == 2));
        size_t low = 4 * item + (size_t)a, high = next < 0 ? low : 4 * (size_t)next + (size_t)a;
        sum +=
            (1.0F - solids->area[high]) * solids->velocity[high] - (1.0F - solids->area[low]) * solids->velocity[low];
    }
    return sum * (float)(solids->dt / job->grid->cell);
}

static void open_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const find_job *job = user;
    for (size_t b = begin; b < end; b++) {
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)c;
            float open = job->solids ? job->solids->open[i] - swept(job, b, c) : 1.0F;
            job->inside->open[i] = fminf(1.0F + BEYOND, fmaxf(-BEYOND, open));
        }
    }
}

// ---- what has an inside

// Liquid has more and more of an inside that the distance measures from the first depth on, and one in full from the
// second; so many cells around belong to it.
#define SHALLOW 0.75F
#define DEEP    1.25F
#define AROUND  2

static void deep_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const find_job *job = user;
    float scale = 1.0F / (float)job->grid->cell;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        float share = (-scale * job->distance[i] - SHALLOW) / (DEEP - SHALLOW);
        job->to[i] = (uint8_t)(FULL * fminf(1.0F, fmaxf(0.0F, share)) + 0.5F);
    }
}

static void widen_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const find_job *job = user;
    for (size_t b = begin; b < end; b++) {
        uint8_t halo[DR_HALO_ITEMS];
        dr_halo_load_bytes(job->grid, b, job->from, 0, halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            int at = dr_halo_place(c);
            uint8_t most = 0;
            for (int i = 0; i < 27; i++) {
                uint8_t other = halo[at + (i / 9 - 1) * DR_HALO_X + (i / 3 % 3 - 1) * DR_HALO_Y + i % 3 - 1];
                most = other > most ? other : most;
            }
            job->to[b * DR_BLOCK_NODES + (size_t)c] = most;
        }
    }
}

bool dr_inside_find(dr_inside *inside, const dr_grid *grid, const dr_par *par, const float *distance,
                    const dr_inside_solids *solids)
{
    if (!reserve(inside, grid->block_count)) return false;
    find_job job = {.inside = inside, .grid = grid, .distance = distance, .solids = solids};
    uint8_t *turns[2] = {inside->near, inside->spare};
    dr_par_for(par, grid->block_count, 16, find_blocks, &job);
    dr_par_for(par, grid->block_count, 64, open_blocks, &job);
    job.to = turns[AROUND % 2];
    dr_par_for(par, grid->block_count, 64, deep_blocks, &job);
    for (int i = 0; i < AROUND; i++) {
        job.from = job.to;
        job.to = turns[(AROUND - 1 - i) % 2];
        dr_par_for(par, grid->block_count, 16, widen_blocks, &job);
    }
    return true;
}

// ---- volume

typedef struct volume_job {
    const dr_inside *inside;
    const dr_grid *grid;
    const dr_particles *particles;
    double *partial;
} volume_job;

static double enclosed(const dr_inside *inside, size_t item)
{
    if (!inside->near[item]) return 0.0;
    int air = 0;
    for (int i = 0; i < DR_INSIDE_OCTANTS; i++) air += inside->air[DR_INSIDE_OCTANTS * item + (size_t)i];
    double share = inside->near[item] / (double)FULL;
    return share * (double)inside->open[item] * (1.0 - air / ((double)FULL * DR_INSIDE_OCTANTS));
}

// The grid cell of a particle lies one above that of its offset.
static double add_thin(const volume_job *job, size_t block)
{
    const dr_grid *grid = job->grid;
    double sum = 0.0;
    if (grid->first[block] == grid->first[block + 1]) return sum;
    uint8_t halo[DR_HALO_ITEMS];
    dr_halo_load_bytes(grid, block, job->inside->near, 0, halo);
    for (size_t p = grid->first[block]; p < grid->first[block + 1]; p++) {
        const float *offset = job->particles->offset + 3 * p;
        int at = DR_HALO_ITEM((int)offset[0] + 1, (int)offset[1] + 1, (int)offset[2] + 1);
        sum += (1.0 - halo[at] / (double)FULL) * (double)job->particles->volume[p];
    }
    return sum;
}

static void occupy_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const volume_job *job = user;
    double volume = job->grid->cell * job->grid->cell * job->grid->cell;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0;
        for (size_t i = b * DR_BLOCK_NODES; i < (b + 1) * DR_BLOCK_NODES; i++) sum += enclosed(job->inside, i);
        job->partial[b] = sum * volume + add_thin(job, b);
    }
}

double dr_inside_volume(const dr_inside *inside, const dr_grid *grid, const dr_par *par, const dr_particles *particles,
                        double *partial)
{
    volume_job job = {inside, grid, particles, partial};
    dr_par_for(par, grid->block_count, 16, occupy_blocks, &job);
    return dr_par_sum(partial, grid->block_count);
}

// ---- what cells should hold

static void load_air(const dr_inside *inside, const dr_grid *grid, size_t block, dr_room_halves air)
{
    for (int i = 0; i < DR_HALO_ITEMS; i++) {
        int x = i / DR_HALO_X, y = i / DR_HALO_Y % DR_HALO_SIDE, z = i % DR_HALO_SIDE;
        int64_t from = dr_halo_find(grid, block, x - 1, y - 1, z - 1);
        for (int k = 0; k < DR_INSIDE_OCTANTS; k++) {
            float *half = &air[2 * x + (k & 1)][2 * y + (k >> 1 & 1)][2 * z + (k >> 2 & 1)];
            *half = from < 0 ? 1.0F : (float)inside->air[DR_INSIDE_OCTANTS * from + k] / FULL;
        }
    }
}

void dr_inside_want(const dr_inside *inside, const dr_grid *grid, size_t block, const float *solid,
                    float room[DR_BLOCK_NODES], float wanted[DR_BLOCK_NODES])
{
    dr_room_halves air;
    load_air(inside, grid, block, air);
    dr_room_split(grid, block, solid, inside->open, air, room, wanted);
}
