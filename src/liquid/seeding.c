// Filling a shape with liquid particles. docs/theory/resample.md, eq. (1)-(2).
#include "liquid/seeding.h"

#include "math/random.h"

#include <math.h>
#include <stddef.h>

#define HALF_DIAGONAL 0.8660254037844386
#define LEAST         0.02 // share of a cube that still gets a particle

// What the shape holds of a cube: its share, and the middle of it counted from the cube's in cubes.
typedef struct portion {
    double share, middle[3];
} portion;

double dr_seeding_spacing(const dr_seeding *pour)
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
    for (int a = 0; a < 3; a++) way[a] /= fmax(sqrt(length), 1e-30);
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
    for (int a = 0; a < 3; a++) part.middle[a] /= fmax(part.share, 1e-9);
    return part;
}

static portion portion_of(const double low[3], double side, dr_seeding_distance distance, const void *shape)
{
    double x[3], octant[8];
    for (int a = 0; a < 3; a++) x[a] = low[a] + 0.5 * side;
    double d = distance(shape, x);
    if (d >= HALF_DIAGONAL * side) return (portion){0};
    if (d <= -HALF_DIAGONAL * side) return (portion){.share = 1.0};
    for (int i = 0; i < 8; i++) {
        for (int a = 0; a < 3; a++) x[a] = low[a] + side * (i >> a & 1 ? 0.75 : 0.25);
        octant[i] = distance(shape, x) / (0.5 * side);
    }
    return measure(octant);
}

static bool visit_cube(const dr_seeding *pour, const int64_t at[3], const portion *part, dr_seeding_visitor visit,
                       void *user)
{
    double side = dr_seeding_spacing(pour), room = 2.0 * part->share - 1.0, x[3];
    double jitter = room > 0.0 ? pour->jitter * room : 0.0;
    uint64_t key = pour->key;
    for (int a = 0; a < 3; a++) key = dr_random_key(key, (uint64_t)at[a]);
    for (int a = 0; a < 3; a++) {
        double shift = jitter * (2.0 * dr_random_unit(key, (uint64_t)a) - 1.0);
        x[a] = pour->origin[a] + side * ((double)at[a] + 0.5 + part->middle[a] + shift);
    }
    return visit(user, x, part->share * side * side * side);
}

bool dr_seeding_visit(const dr_seeding *pour, dr_seeding_distance distance, const void *shape, const double low[3],
                      const double high[3], dr_seeding_visitor visit, void *user)
{
    double side = dr_seeding_spacing(pour), corner[3];
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
                portion part = portion_of(corner, side, distance, shape);
                if (part.share < LEAST) continue;
                if (!visit_cube(pour, at, &part, visit, user)) return false;
            }
        }
    }
    return true;
}
