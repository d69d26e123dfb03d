// How much of its own drag a strand has by pressure. docs/theory/strands_in_liquid.md, eq. (22)-(23).
#include "world/tuning.h"
#include "world/world.h"

#include "grid/halo.h"
#include "math/kernel.h"
#include "math/vec.h"

#include <math.h>

// Where the kernel of a place begins among the faces of an axis, and its weights, along each axis.
static void find_weights(const float offset[3], int axis, int first[3], double weight[3][4])
{
    for (int b = 0; b < 3; b++) {
        double from = (double)offset[b] + (b == axis ? 0.5 : 0.0);
        first[b] = (int)floor(from);
        dr_kernel_weights(2, from - floor(from), weight[b]);
    }
}

// One component of the pressure's gradient around a place, of the faces that have one. False where most have none.
static bool read_component(const dr_world *world, size_t block, const float offset[3], int axis, double *mean)
{
    int first[3];
    double weight[3][4], sum = 0.0, all = 0.0;
    find_weights(offset, axis, first, weight);
    for (int n = 0; n < 27; n++) {
        int i = n / 9, j = n / 3 % 3, k = n % 3;
        int64_t item = dr_halo_find(&world->grid, block, first[0] + i, first[1] + j, first[2] + k);
        if (item < 0) continue;
        size_t face = 4 * (size_t)item + (size_t)axis;
        if (!(world->liquid.mass[face] > 0.0F) || world->liquid.gradient[face] == 0.0F) continue;
        double w = weight[0][i] * weight[1][j] * weight[2][k];
        sum += w * (double)world->liquid.gradient[face];
        all += w;
    }
    *mean = all > 0.0 ? sum / all : 0.0;
    return all > 0.5;
}

static bool read_gradient(const dr_world *world, const double x[3], double gradient[3])
{
    uint64_t key;
    float offset[3];
    int32_t at[3];
    dr_grid_place(&world->grid, x, &key, offset);
    dr_grid_coordinate(key, at);
    int32_t block = dr_grid_find(&world->grid, at);
    if (block < 0) return false;
    for (int a = 0; a < 3; a++) {
        if (!read_component(world, (size_t)block, offset, a, &gradient[a])) return false;
    }
    return true;
}

// The mean over four places around the strand, which has the gradient of any harmonic pressure that it makes cancel.
static bool read_around(const dr_world *world, size_t v, double gradient[3])
{
    const double *t = world->strand_liquid.tangent + 3 * v, *x = world->state.strands.position + 3 * v;
    double reach = DR_STRAND_FORM_DRAG_REACH * world->grid.cell, across[2][3];
    int least = fabs(t[0]) < fabs(t[1]) ? 0 : 1;
    if (fabs(t[2]) < fabs(t[least])) least = 2;
    const double axis[3] = {least == 0, least == 1, least == 2};
    dr_vec3_cross(across[0], t, axis);
    dr_vec3_scale(across[0], 1.0 / dr_vec3_length(across[0]), across[0]);
    dr_vec3_cross(across[1], t, across[0]);
    for (int a = 0; a < 3; a++) gradient[a] = 0.0;
    for (int i = 0; i < 4; i++) {
        double place[3], there[3];
        dr_vec3_add_scaled(place, x, i & 1 ? reach : -reach, across[i >> 1]);
        if (!read_gradient(world, place, there)) return false;
        dr_vec3_add_scaled(gradient, gradient, 0.25, there);
    }
    return true;
}

double dr_strand_form_drag_find(const dr_world *world, size_t v, const double force[3])
{
    const dr_strand_liquid *wet = &world->strand_liquid;
    double around[3], push = 0.0, square = dr_vec3_dot(force, force);
    if (!(wet->own[v] > 0.0) || !(square > 0.0) || !read_around(world, v, around)) return 0.0;
    for (int a = 0; a < 3; a++) push += wet->volume[v] * (around[a] - wet->slope[3 * v + (size_t)a]) * force[a];
    double whole = square + push; // the law's force is that of drag and of its pressure
    double form_drag = whole > 0.0 ? push / (wet->own[v] * whole) : DR_STRAND_MOST_FORM_DRAG;
    return fmin(fmax(form_drag, DR_STRAND_LEAST_FORM_DRAG), DR_STRAND_MOST_FORM_DRAG);
}
