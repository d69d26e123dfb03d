// docs/theory/timestep.md, eq. (7)-(12).
#include "liquid/spray.h"

#include "grid/halo.h"
#include "liquid/tuning.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

// ---- how the rest moves

static const dr_spray_survey none = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};

typedef struct look_job {
    const dr_grid *grid;
    const dr_particles *particles;
    const dr_spray_room *room;
    float per_cell, courant; // cells per volume; cells that liquid may cross
} look_job;

// Velocity of the liquid in each cell of a block, and the share of the cell that it fills: 0 where it is spray.
static void sum_cells(const look_job *job, size_t block, float (*cell)[4])
{
    const dr_particles *particles = job->particles;
    const uint32_t *first = particles->residents.first;
    memset(cell, 0, DR_BLOCK_NODES * sizeof *cell);
    for (size_t p = first[block]; p < first[block + 1]; p++) {
        const float *offset = particles->offset + 3 * p, *v = particles->velocity + 3 * p;
        float *to = cell[((int)offset[0] * DR_BLOCK_SIDE + (int)offset[1]) * DR_BLOCK_SIDE + (int)offset[2]];
        float share = job->per_cell * particles->volume[p];
        for (int a = 0; a < 3; a++) to[a] += share * v[a];
        to[3] += share;
    }
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        bool spray = !(cell[c][3] >= DR_LIQUID_SPRAY);
        for (int a = 0; a < 3; a++) cell[c][a] = spray ? 0.0F : cell[c][a] / cell[c][3];
        if (spray) cell[c][3] = 0.0F;
    }
}

static void look_block(const look_job *job, size_t block)
{
    float(*cell)[4] = (float(*)[4])(job->room->cell + block * 4 * DR_BLOCK_NODES), squared = 0.0F;
    dr_spray_survey *to = &job->room->found[block];
    sum_cells(job, block, cell);
    *to = none;
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        if (cell[c][3] == 0.0F) continue;
        float square = 0.0F;
        for (int a = 0; a < 3; a++) {
            to->low[a] = fminf(to->low[a], cell[c][a]);
            to->high[a] = fmaxf(to->high[a], cell[c][a]);
            square += cell[c][a] * cell[c][a];
        }
        squared = fmaxf(squared, square);
        to->any = true;
    }
    to->speed = sqrtf(squared);
}

static void look_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) look_block(user, b);
}

// ---- how it moves against itself

// Across a gap of at most GAP cells from a cell up along an axis: speed at which it closes, over the gap. (12)
enum { GAP = 3 };

static float across_gap(const look_job *job, size_t block, int c, int axis)
{
    int x[3] = {c >> 4, c >> 2 & 3, c & 3};
    const float *cell = job->room->cell, *own = cell + 4 * (block * DR_BLOCK_NODES + (size_t)c);
    x[axis]++;
    for (int gap = 1; gap <= GAP; gap++) {
        x[axis]++;
        int64_t next = dr_halo_find(job->grid, block, x[0], x[1], x[2]);
        if (next >= 0 && cell[4 * next + 3] > 0.0F) return (own[axis] - cell[4 * next + axis]) / (float)gap;
    }
    return 0.0F;
}

// Difference of velocities from a cell to the next along an axis, or from the one before; 0 where there is none.
static void find_slope(const float *own, const float *up, const float *down, float slope[3])
{
    for (int a = 0; a < 3; a++) slope[a] = up[3] > 0.0F ? up[a] - own[a] : down[3] > 0.0F ? own[a] - down[a] : 0.0F;
}

// By how many times what they may in a step the liquid of a cell and that around it move against each other. (10)-(12)
static float relate_cell(const look_job *job, const float *own, size_t block, int c)
{
    float slope[3][3], most = 0.0F, q = 0.0F, bound = 1.0F / (DR_LIQUID_DEFORMATION * job->courant);
    for (int b = 0; b < 3; b++) {
        const float *up = own + 4 * dr_halo_step[b];
        find_slope(own, up, own - 4 * dr_halo_step[b], slope[b]);
        most = dr_max_float(up[3] > 0.0F ? -bound * slope[b][b] : across_gap(job, block, c, b), most);
    }
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3;
        q += slope[a][a] * slope[b][b] - slope[a][b] * slope[b][a];
    }
    return dr_max_float(bound * sqrtf(fabsf(q)), most);
}

static void relate_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const look_job *job = user;
    for (size_t b = begin; b < end; b++) {
        dr_spray_survey *to = &job->room->found[b];
        float halo[4 * DR_HALO_ITEMS];
        if (!to->any) continue;
        dr_halo_load_fours(job->grid, b, job->room->cell, 0.0F, halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            const float *own = halo + 4 * dr_halo_place(c);
            if (own[3] > 0.0F) to->relative = dr_max_float(relate_cell(job, own, b, c), to->relative);
        }
    }
}

dr_spray_survey dr_spray_look(const dr_grid *grid, const dr_par *par, const dr_particles *particles, double courant,
                              const dr_spray_room *room)
{
    double cell = grid->cell;
    look_job job = {grid, particles, room, (float)(1.0 / (cell * cell * cell)), (float)courant};
    dr_spray_survey all = none;
    dr_par_for(par, grid->block_count, 16, look_blocks, &job);
    dr_par_for(par, grid->block_count, 16, relate_blocks, &job);
    for (size_t b = 0; b < grid->block_count; b++) {
        const dr_spray_survey *found = &room->found[b];
        all.any = all.any || found->any;
        all.speed = fmaxf(all.speed, found->speed);
        all.relative = fmaxf(all.relative, found->relative);
        for (int a = 0; a < 3; a++) {
            all.low[a] = fminf(all.low[a], found->low[a]);
            all.high[a] = fmaxf(all.high[a], found->high[a]);
        }
    }
    return all;
}

// ---- flight

typedef struct flying {
    const dr_spray_flight *flight;
    const dr_grid *grid;
    dr_particles *particles;
} flying;

// The cell at x, -1 where the grid has none.
static int64_t find_cell(const flying *job, const double x[3])
{
    int32_t at[3];
    int item = 0;
    for (int a = 0; a < 3; a++) {
        int64_t cell = (int64_t)floor((x[a] - job->grid->origin[a]) / job->grid->cell);
        at[a] = (int32_t)(cell >> 2);
        item = item * DR_BLOCK_SIDE + (int)(cell & 3);
    }
    int32_t block = dr_grid_find(job->grid, at);
    return block < 0 ? -1 : (int64_t)block * DR_BLOCK_NODES + item;
}

static bool is_liquid(const flying *job, int64_t cell)
{
    return cell >= 0 && job->flight->kind[cell] == DR_CELL_LIQUID;
}

// Whether the liquid of a cell and a particle come apart by more than a cell in the step: what moves along with a
// particle is not in its way.
static bool is_met(const flying *job, int64_t cell, const float v[3])
{
    size_t block = (size_t)cell / DR_BLOCK_NODES, item = (size_t)cell % DR_BLOCK_NODES;
    double squared = 0.0, cells_per_speed = job->flight->dt / job->grid->cell;
    for (int a = 0; a < 3; a++) {
        int x[3] = {(int)(item >> 4), (int)(item >> 2 & 3), (int)(item & 3)};
        x[a]++;
        int64_t above = dr_halo_find(job->grid, block, x[0], x[1], x[2]);
        double low = (double)job->flight->velocity[4 * cell + a];
        double high = above < 0 ? low : (double)job->flight->velocity[4 * above + a];
        double way = cells_per_speed * ((double)v[a] - 0.5 * (low + high));
        squared += way * way;
    }
    return squared > 1.0;
}

// From where a particle was, in strides of half a cell at most.
static void fly(const flying *job, size_t block, size_t p, double cells)
{
    const dr_spray_flight *flight = job->flight;
    dr_particles *particles = job->particles;
    const float *v = particles->velocity + 3 * p;
    double end[3], start[3], x[3], seen[3];
    int strides = (int)fmin(ceil(2.0 * cells), DR_SPRAY_STRIDES);
    dr_grid_position(job->grid, particles->key[p], particles->offset + 3 * p, end);
    for (int a = 0; a < 3; a++) start[a] = end[a] - flight->dt * ((double)v[a] - job->grid->velocity[a]);
    if (is_liquid(job, find_cell(job, start))) return;
    for (int k = 1; k <= strides; k++) {
        double share = (double)k / strides;
        for (int a = 0; a < 3; a++) {
            x[a] = start[a] + share * (end[a] - start[a]);
            seen[a] = x[a] - share * flight->dt * (flight->frame[a] - job->grid->velocity[a]);
        }
        if (flight->stop && flight->stop(flight->user, block, p, x)) return;
        int64_t cell = find_cell(job, seen);
        if (!is_liquid(job, cell) || (flight->along && !is_met(job, cell, v))) continue;
        if (k < strides) dr_grid_place(job->grid, x, &particles->key[p], particles->offset + 3 * p);
        return;
    }
}

static void fly_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const flying *job = user;
    const dr_spray_flight *flight = job->flight;
    const uint32_t *first = job->particles->residents.first;
    double cells_per_speed = flight->dt / job->grid->cell;
    for (size_t b = begin; b < end; b++) {
        for (size_t p = first[b]; p < first[b + 1]; p++) {
            const float *v = job->particles->velocity + 3 * p;
            double squared = 0.0;
            for (int a = 0; a < 3; a++) {
                double way = cells_per_speed * ((double)v[a] - flight->frame[a]);
                squared += way * way;
            }
            if (squared > 1.0) fly(job, b, p, sqrt(squared));
        }
    }
}

void dr_spray_fly(const dr_spray_flight *flight, const dr_grid *grid, const dr_par *par, dr_particles *particles)
{
    flying job = {flight, grid, particles};
    dr_par_for(par, grid->block_count, flight->piece, fly_blocks, &job);
}
