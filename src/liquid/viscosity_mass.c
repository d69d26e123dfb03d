// The masses of the viscous solve at the surface. docs/theory/viscosity.md, eq. (20) and (14).
// A face inside a solid follows those beside it along the wall, and what it weighs is theirs, in equal shares.
#include "liquid/viscosity_mass.h"

#include "grid/halo.h"
#include "liquid/tuning.h"

#include <math.h>
#include <string.h>

enum { AXES = 3, WAYS = 4 };

typedef struct mass_job {
    const dr_viscosity_mass *how;
    const dr_grid *grid;
} mass_job;

// The item one step down (even ways) or up across a face's axis; -1: none.
static int64_t find_beside(const dr_grid *grid, int64_t item, int axis, int way)
{
    int x[AXES] = {(int)(item >> 4 & 3), (int)(item >> 2 & 3), (int)(item & 3)};
    x[(axis + 1 + way / 2) % AXES] += way & 1 ? 1 : -1;
    return dr_halo_find(grid, (size_t)item / DR_BLOCK_NODES, x[0], x[1], x[2]);
}

// Distance of solids from a face: the mean of its four corners, as the strains have it.
static float find_wall(const mass_job *job, int64_t item, int axis)
{
    float sum = 0.0F;
    for (int corner = 0; corner < 4; corner++) {
        int x[AXES] = {(int)(item >> 4 & 3), (int)(item >> 2 & 3), (int)(item & 3)};
        x[(axis + 1) % AXES] += corner & 1;
        x[(axis + 2) % AXES] += corner >> 1;
        int64_t at = dr_halo_find(job->grid, (size_t)item / DR_BLOCK_NODES, x[0], x[1], x[2]);
        sum += 0.25F * (at < 0 ? DR_LIQUID_BAND * (float)job->grid->cell : job->how->solid[at]);
    }
    return sum;
}

static bool is_free(const mass_job *job, int64_t item, int axis)
{
    return item >= 0 && job->how->mass[4 * item + axis] > 0.0F && find_wall(job, item, axis) > 0.0F;
}

// What a face inside a solid gives to each of the free ones beside it.
static double share_of(const mass_job *job, int64_t item, int axis)
{
    int count = 0;
    for (int way = 0; way < WAYS; way++) count += is_free(job, find_beside(job->grid, item, axis, way), axis);
    return count > 0 ? (double)job->how->mass[4 * item + axis] / count : 0.0;
}

static double no_slip(const dr_viscosity_mass *how, int64_t face)
{
    return how->slips ? 0.0 : how->no_slip ? (double)how->no_slip[face] : 1.0;
}

static void weigh_face(const mass_job *job, int64_t item, int axis)
{
    const dr_viscosity_mass *how = job->how;
    double mass = (double)how->mass[4 * item + axis], open = 1.0, held = 0.0;
    double wall = mass > 0.0 ? (double)find_wall(job, item, axis) : 0.0;
    if (wall <= 0.0 || wall > 1.5 * job->grid->cell) return; // distances have slopes of at most 1
    for (int way = 0; way < WAYS; way++) {
        int64_t other = find_beside(job->grid, item, axis, way);
        double there = other < 0 ? 1.0 : (double)find_wall(job, other, axis);
        if (there > 0.0) continue;
        double theta = fmax(wall / (wall - there), DR_LIQUID_LEAST_CUT);
        open += theta - 0.5;
        held += no_slip(how, 4 * other + axis) * (0.125 / theta - 0.5 * theta);
        mass += share_of(job, other, axis);
    }
    open = fmax(open, DR_LIQUID_LEAST_CUT);
    how->own[4 * item + axis] = (float)(mass * fmax(open + held, DR_LIQUID_LEAST_CUT) / open);
}

// Whether a solid may cover faces of the block or of cells beside it.
static bool is_near(const mass_job *job, size_t block)
{
    float far = DR_LIQUID_BAND * (float)job->grid->cell, least = far;
    for (size_t c = block * DR_BLOCK_NODES; c < (block + 1) * DR_BLOCK_NODES; c++)
        least = job->how->solid[c] < least ? job->how->solid[c] : least;
    return least < far;
}

static void weigh_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const mass_job *job = user;
    for (size_t b = begin; b < end; b++) {
        size_t first = b * DR_BLOCK_FACES;
        memcpy(job->how->own + first, job->how->mass + first, DR_BLOCK_FACES * sizeof(float));
        if (!is_near(job, b)) continue;
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            for (int a = 0; a < AXES; a++) weigh_face(job, (int64_t)(b * DR_BLOCK_NODES) + c, a);
        }
    }
}

void dr_viscosity_weigh(const dr_viscosity_mass *mass, const dr_grid *grid, const dr_par *par)
{
    mass_job job = {mass, grid};
    dr_par_for(par, grid->block_count, 16, weigh_blocks, &job);
}
