// The masses of the viscous solve at the surface. docs/theory/viscosity.md, eq. (20) and (14).
// A face inside a solid follows those beside it along the wall, and what it weighs is theirs, in equal shares.
#include "liquid/viscosity_mass.h"

#include "grid/halo.h"
#include "liquid/tuning.h"

#include <math.h>

enum { AXES = 3, WAYS = 4 };

// The item one step down (even ways) or up across a face's axis; -1: none.
static int64_t find_beside(const dr_grid *grid, int64_t item, int axis, int way)
{
    int x[AXES] = {(int)(item >> 4 & 3), (int)(item >> 2 & 3), (int)(item & 3)};
    x[(axis + 1 + way / 2) % AXES] += way & 1 ? 1 : -1;
    return dr_halo_find(grid, (size_t)item / DR_BLOCK_NODES, x[0], x[1], x[2]);
}

// Distance of solids from a face: the mean of its four corners, as the strains have it.
static float find_wall(const dr_strain_problem *problem, const dr_grid *grid, int64_t item, int axis)
{
    float sum = 0.0F;
    for (int corner = 0; corner < 4; corner++) {
        int x[AXES] = {(int)(item >> 4 & 3), (int)(item >> 2 & 3), (int)(item & 3)};
        x[(axis + 1) % AXES] += corner & 1;
        x[(axis + 2) % AXES] += corner >> 1;
        int64_t at = dr_halo_find(grid, (size_t)item / DR_BLOCK_NODES, x[0], x[1], x[2]);
        sum += 0.25F * (at < 0 ? DR_LIQUID_BAND * (float)grid->cell : problem->solid[at]);
    }
    return sum;
}

static bool is_free(const dr_strain_problem *problem, const dr_grid *grid, int64_t item, int axis)
{
    return item >= 0 && problem->mass[4 * item + axis] > 0.0F && find_wall(problem, grid, item, axis) > 0.0F;
}

// What a face inside a solid gives to each of the free ones beside it.
static double share_of(const dr_strain_problem *problem, const dr_grid *grid, int64_t item, int axis)
{
    int count = 0;
    for (int way = 0; way < WAYS; way++) count += is_free(problem, grid, find_beside(grid, item, axis, way), axis);
    return count > 0 ? (double)problem->mass[4 * item + axis] / count : 0.0;
}

static double no_slip(const dr_strain_problem *problem, int64_t face)
{
    return problem->slips ? 0.0 : problem->no_slip ? (double)problem->no_slip[face] : 1.0;
}

double dr_viscosity_mass(const dr_strain_problem *problem, const dr_grid *grid, int64_t item, int axis)
{
    double mass = (double)problem->mass[4 * item + axis], open = 1.0, held = 0.0;
    double wall = mass > 0.0 && problem->solid ? (double)find_wall(problem, grid, item, axis) : 0.0;
    if (wall <= 0.0 || wall > 1.5 * grid->cell) return mass; // distances have slopes of at most 1
    for (int way = 0; way < WAYS; way++) {
        int64_t other = find_beside(grid, item, axis, way);
        double there = other < 0 ? 1.0 : (double)find_wall(problem, grid, other, axis);
        if (there > 0.0) continue;
        double theta = fmax(wall / (wall - there), DR_LIQUID_LEAST_CUT);
        open += theta - 0.5;
        held += no_slip(problem, 4 * other + axis) * (0.125 / theta - 0.5 * theta);
        mass += share_of(problem, grid, other, axis);
    }
    open = fmax(open, DR_LIQUID_LEAST_CUT);
    return mass * fmax(open + held, DR_LIQUID_LEAST_CUT) / open;
}
