// Filling a shape with liquid particles. docs/theory/resample.md, eq. (1)-(2).
#include "liquid/seeding.h"

#include "liquid/tuning.h"
#include "math/random.h"

#include <math.h>
#include <stddef.h>

#define HALF_DIAGONAL 0.8660254037844386

// What the shape holds of a cube: its share, and the middle of it counted from the cube's in cubes; how deep in the
// shape the cube's middle lies, in cubes.
typedef struct portion {
    double share, middle[3], depth;
} portion;

// A shape and the lattice over it.
typedef struct lattice {
    const dr_seeding *pour;
    dr_seeding_distance distance;
    const void *shape;
    double side;
} lattice;

// Of the lattice, cm.
static double spacing_of(const dr_seeding *pour)
{
    return pour->cell / cbrt(pour->per_cell);
}

// The mean direction out of the shape, from the distances of the octants.
static void find_way_out(const double distance[8], double way[3])
{
    double length = 0.0;
    for (int a = 0; a < 3; a++) {
        way[a] = 0.0;
        for (int i = 0; i < 8; i++) way[a] += i >> a & 1 ? distance[i] : -distance[i];
        length += way[a] * way[a];
    }
    for (int a = 0; a < 3; a++) way[a] /= sqrt(fmax(length, DR_LIQUID_NO_LENGTH));
}

// From the distances at the middles of the octants, in octants: eq. (1).
static portion measure(const double distance[8])
{
    portion part = {0};
    double way[3];
    find_way_out(distance, way);
    for (int i = 0; i < 8; i++) {
        double inside = fmin(1.0, fmax(0.0, 0.5 - distance[i]));
        part.share += inside / 8.0;
        for (int a = 0; a < 3; a++) {
            double middle = (i >> a & 1 ? 0.25 : -0.25) - 0.25 * (1.0 - inside) * way[a];
            part.middle[a] += inside / 8.0 * middle;
        }
    }
    for (int a = 0; a < 3; a++) part.middle[a] /= fmax(part.share, DR_LIQUID_NO_SHARE);
    return part;
}

static portion portion_of(const lattice *over, const double low[3])
{
    double side = over->side, x[3], octant[8];
    for (int a = 0; a < 3; a++) x[a] = low[a] + 0.5 * side;
    double d = over->distance(over->shape, x);
    if (d >= HALF_DIAGONAL * side) return (portion){0};
    if (d <= -HALF_DIAGONAL * side) return (portion){.share = 1.0, .depth = -d / side};
    for (int i = 0; i < 8; i++) {
        for (int a = 0; a < 3; a++) x[a] = low[a] + side * (i >> a & 1 ? 0.75 : 0.25);
        octant[i] = over->distance(over->shape, x) / (0.5 * side);
    }
    return measure(octant);
}

// ---- disorder

// An edge of the lattice is this far from everything in the four cubes around it; a cube's middle from its edges.
#define FROM_EDGE 1.5
#define TO_EDGE   0.7071067811865476

// The vector potential on the lattice's edge along an axis from a corner with that key, eq. (2): nothing where one of
// the cubes around may not lie in the shape.
static double potential(const lattice *over, const int64_t at[3], uint64_t key, int axis, bool deep)
{
    double x[3], share = 1.0;
    for (int a = 0; a < 3 && !deep; a++)
        x[a] = over->pour->origin[a] + over->side * ((double)at[a] + (a == axis ? 0.5 : 0.0));
    if (!deep) share = fmin(1.0, fmax(0.0, -over->distance(over->shape, x) / over->side - FROM_EDGE));
    return share * (2.0 * dr_random_unit(key, (uint64_t)axis) - 1.0);
}

// Of a cube's edges along an axis, [lower or upper along the next axis][and along the one after].
typedef double edges[2][2];

// Keys of a cube's corners.
static void find_keys(const lattice *over, const int64_t cube[3], uint64_t key[2][2][2])
{
    for (int x = 0; x < 2; x++) {
        uint64_t plane = dr_random_key(over->pour->key, (uint64_t)(cube[0] + x));
        for (int y = 0; y < 2; y++) {
            uint64_t row = dr_random_key(plane, (uint64_t)(cube[1] + y));
            for (int z = 0; z < 2; z++) key[x][y][z] = dr_random_key(row, (uint64_t)(cube[2] + z));
        }
    }
}

static void find_edges(const lattice *over, const int64_t cube[3], bool deep, edges all[3])
{
    uint64_t key[2][2][2];
    find_keys(over, cube, key);
    for (int axis = 0; axis < 3; axis++) {
        int b = (axis + 1) % 3, c = (axis + 2) % 3;
        for (int i = 0; i < 4; i++) {
            int up[3] = {0, 0, 0};
            up[b] = i >> 1;
            up[c] = i & 1;
            int64_t at[3] = {cube[0] + up[0], cube[1] + up[1], cube[2] + up[2]};
            all[axis][i >> 1][i & 1] = potential(over, at, key[up[0]][up[1]][up[2]], axis, deep);
        }
    }
}

// Its curl through the lower or upper (side 1) face of a cube across an axis, at most 4.
static double curl(edges all[3], int axis, int side)
{
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    return all[c][side][1] - all[c][side][0] - all[b][1][side] + all[b][0][side];
}

static void disorder(const lattice *over, const int64_t at[3], double depth, double shift[3])
{
    bool deep = depth >= FROM_EDGE + 1.0 + TO_EDGE, any = depth > FROM_EDGE - TO_EDGE && over->pour->jitter > 0.0;
    edges all[3];
    if (any) find_edges(over, at, deep, all);
    for (int a = 0; a < 3; a++) shift[a] = any ? 0.125 * over->pour->jitter * (curl(all, a, 0) + curl(all, a, 1)) : 0.0;
}

static bool visit_cube(const lattice *over, const int64_t at[3], const portion *part, dr_seeding_visitor visit,
                       void *user)
{
    double side = over->side, shift[3], x[3];
    disorder(over, at, part->depth, shift);
    for (int a = 0; a < 3; a++)
        x[a] = over->pour->origin[a] + side * ((double)at[a] + 0.5 + part->middle[a] + shift[a]);
    return visit(user, x, part->share * side * side * side);
}

bool dr_seeding_visit(const dr_seeding *pour, dr_seeding_distance distance, const void *shape, const double low[3],
                      const double high[3], dr_seeding_visitor visit, void *user)
{
    const lattice over = {pour, distance, shape, spacing_of(pour)};
    double side = over.side, corner[3];
    int64_t from[3], to[3], at[3];
    for (int a = 0; a < 3; a++) {
        if (!(low[a] < high[a])) return true;
        from[a] = (int64_t)floor((low[a] - pour->origin[a]) / side);
        to[a] = (int64_t)ceil((high[a] - pour->origin[a]) / side);
    }
    for (at[0] = from[0]; at[0] < to[0]; at[0]++) {
        for (at[1] = from[1]; at[1] < to[1]; at[1]++) {
            for (at[2] = from[2]; at[2] < to[2]; at[2]++) {
                for (int a = 0; a < 3; a++) corner[a] = pour->origin[a] + side * (double)at[a];
                portion part = portion_of(&over, corner);
                if (part.share < DR_LIQUID_LEAST_CUBE) continue;
                if (!visit_cube(&over, at, &part, visit, user)) return false;
            }
        }
    }
    return true;
}
