// Filling a shape with liquid particles. docs/theory/resample.md, eq. (1)-(2).
#include "liquid/pour.h"

#include "math/random.h"

#include <math.h>
#include <stddef.h>

#define HALF_DIAGONAL 0.8660254037844386
#define LEAST         0.02 // share of a cube that still gets a particle

enum { SAMPLES = 4 };

// What the shape holds of a cube: its share, and the middle of it counted from the cube's in cubes.
typedef struct portion {
    double share, middle[3];
} portion;

double dr_pour_spacing(const dr_pour *pour)
{
    return pour->cell / cbrt(pour->per_cell);
}

static double blend(const double corner[8], const double t[3])
{
    double sum = 0.0;
    for (int i = 0; i < 8; i++) {
        double w = 1.0;
        for (int a = 0; a < 3; a++) w *= i >> a & 1 ? t[a] : 1.0 - t[a];
        sum += w * corner[i];
    }
    return sum;
}

// From the distances at the corners, in cubes: eq. (1).
static portion measure(const double corner[8])
{
    portion part = {0};
    for (int i = 0; i < SAMPLES * SAMPLES * SAMPLES; i++) {
        const int at[3] = {i % SAMPLES, i / SAMPLES % SAMPLES, i / (SAMPLES * SAMPLES)};
        double t[3];
        for (int a = 0; a < 3; a++) t[a] = (at[a] + 0.5) / SAMPLES;
        double inside = fmin(1.0, fmax(0.0, 0.5 - SAMPLES * blend(corner, t)));
        part.share += inside;
        for (int a = 0; a < 3; a++) part.middle[a] += inside * (t[a] - 0.5);
    }
    for (int a = 0; a < 3; a++) part.middle[a] /= fmax(part.share, 1e-9);
    part.share /= SAMPLES * SAMPLES * SAMPLES;
    return part;
}

static portion portion_of(const double low[3], double side, dr_pour_distance distance, const void *shape)
{
    double x[3], corner[8];
    for (int a = 0; a < 3; a++) x[a] = low[a] + 0.5 * side;
    double d = distance(shape, x);
    if (d >= HALF_DIAGONAL * side) return (portion){0};
    if (d <= -HALF_DIAGONAL * side) return (portion){.share = 1.0};
    for (int i = 0; i < 8; i++) {
        for (int a = 0; a < 3; a++) x[a] = low[a] + (i >> a & 1 ? side : 0.0);
        corner[i] = distance(shape, x) / side;
    }
    return measure(corner);
}

static bool visit_cube(const dr_pour *pour, const int64_t at[3], const portion *part, dr_pour_visitor visit, void *user)
{
    double side = dr_pour_spacing(pour), room = 2.0 * part->share - 1.0, x[3];
    double jitter = room > 0.0 ? pour->jitter * room : 0.0;
    uint64_t key = pour->key;
    for (int a = 0; a < 3; a++) key = dr_random_key(key, (uint64_t)at[a]);
    for (int a = 0; a < 3; a++) {
        double shift = jitter * (2.0 * dr_random_unit(key, (uint64_t)a) - 1.0);
        x[a] = pour->origin[a] + side * ((double)at[a] + 0.5 + part->middle[a] + shift);
    }
    return visit(user, x, part->share * side * side * side);
}

bool dr_pour_visit(const dr_pour *pour, dr_pour_distance distance, const void *shape, const double low[3],
                   const double high[3], dr_pour_visitor visit, void *user)
{
    double side = dr_pour_spacing(pour), corner[3];
    int64_t from[3], to[3], at[3];
    for (int a = 0; a < 3; a++) {
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
