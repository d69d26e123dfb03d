// docs/theory/timestep.md, eq. (7)-(9).
#include "liquid/spray.h"

#include "liquid/tuning.h"

#include <math.h>
#include <string.h>

enum { ROOM = 8 }; // floats of a block: speed, lowest and highest velocity along each axis, whether there is any

// ---- how the rest moves

typedef struct look_job {
    const dr_particles *particles;
    float least; // volume from which on a cell's liquid is more than spray, cm3
    float *room;
} look_job;

// Volume and momentum per density of the liquid in each cell of a block.
static void sum_cells(const look_job *job, size_t block, float sum[DR_BLOCK_NODES][4])
{
    const dr_particles *particles = job->particles;
    const uint32_t *first = particles->residents.first;
    memset(sum, 0, DR_BLOCK_NODES * sizeof *sum);
    for (size_t p = first[block]; p < first[block + 1]; p++) {
        const float *offset = particles->offset + 3 * p, *v = particles->velocity + 3 * p;
        float *cell = sum[((int)offset[0] * DR_BLOCK_SIDE + (int)offset[1]) * DR_BLOCK_SIDE + (int)offset[2]];
        float volume = particles->volume[p];
        for (int a = 0; a < 3; a++) cell[a] += volume * v[a];
        cell[3] += volume;
    }
}

static void look_block(const look_job *job, size_t block)
{
    float sum[DR_BLOCK_NODES][4], *to = job->room + ROOM * block, squared = 0.0F;
    const uint32_t *first = job->particles->residents.first;
    for (int a = 0; a < 3; a++) to[1 + a] = INFINITY, to[4 + a] = -INFINITY;
    to[0] = to[7] = 0.0F;
    if (first[block] == first[block + 1]) return;
    sum_cells(job, block, sum);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        if (!(sum[c][3] >= job->least)) continue;
        float square = 0.0F;
        for (int a = 0; a < 3; a++) {
            float v = sum[c][a] / sum[c][3];
            to[1 + a] = fminf(to[1 + a], v);
            to[4 + a] = fmaxf(to[4 + a], v);
            square += v * v;
        }
        squared = fmaxf(squared, square);
        to[7] = 1.0F;
    }
    to[0] = sqrtf(squared);
}

static void look_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) look_block(user, b);
}

dr_spray_survey dr_spray_look(const dr_grid *grid, const dr_par *par, const dr_particles *particles, float *room)
{
    double cell = grid->cell;
    look_job job = {particles, (float)(DR_LIQUID_SPRAY * cell * cell * cell), room};
    dr_spray_survey found = {0};
    for (int a = 0; a < 3; a++) found.low[a] = INFINITY, found.high[a] = -INFINITY;
    dr_par_for(par, grid->block_count, 16, look_blocks, &job);
    for (size_t b = 0; b < grid->block_count; b++) {
        const float *from = room + ROOM * b;
        if (from[7] == 0.0F) continue;
        found.any = true;
        found.speed = fmax(found.speed, (double)from[0]);
        for (int a = 0; a < 3; a++) {
            found.low[a] = fmin(found.low[a], (double)from[1 + a]);
            found.high[a] = fmax(found.high[a], (double)from[4 + a]);
        }
    }
    return found;
}

// ---- flight

typedef struct flying {
    const dr_spray_flight *flight;
    const dr_grid *grid;
    dr_particles *particles;
} flying;

static bool is_liquid(const flying *job, const double x[3])
{
    int32_t at[3];
    int item = 0;
    for (int a = 0; a < 3; a++) {
        int64_t cell = (int64_t)floor((x[a] - job->grid->origin[a]) / job->grid->cell);
        at[a] = (int32_t)(cell >> 2);
        item = item * DR_BLOCK_SIDE + (int)(cell & 3);
    }
    int32_t block = dr_grid_find(job->grid, at);
    return block >= 0 && job->flight->kind[(size_t)block * DR_BLOCK_NODES + (size_t)item] == DR_CELL_LIQUID;
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
    if (is_liquid(job, start)) return;
    for (int k = 1; k <= strides; k++) {
        double share = (double)k / strides;
        for (int a = 0; a < 3; a++) {
            x[a] = start[a] + share * (end[a] - start[a]);
            seen[a] = x[a] - share * flight->dt * (flight->frame[a] - job->grid->velocity[a]);
        }
        if (flight->stop && flight->stop(flight->user, block, p, x)) return;
        if (!is_liquid(job, seen)) continue;
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
