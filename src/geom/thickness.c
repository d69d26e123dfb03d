// How thin the walls of a shape are: from points near the surface a line goes in and looks where it comes out.
// docs/theory/solids.md, "Thin walls".
#include "geom/thickness.h"

#include "math/vec.h"

#include <math.h>

// Looks along a line through a wall. A distance may end before the surface; then the line has not entered yet.
enum { LOOKS = 64 };

// Points of the lattice at most: beyond that it is made coarser.
#define MOST_POINTS 4e5

// Sides are parallel where their normals are this much against each other: 18 degrees. Twice that would take the edges
// of wedges for walls, half would miss walls that are curved within a cell.
#define PARALLEL -0.95

// The way through the shape from the point of its surface next to x, against its normal there.
static double way_through(const dr_shape *shape, const double x[3], double limit)
{
    double normal[3], other[3], at[3], distance = dr_shape_distance(shape, x, normal), step = limit / LOOKS;
    bool entered = false;
    for (int k = 1; k <= LOOKS; k++) {
        for (int a = 0; a < 3; a++) at[a] = x[a] - (distance + step * k) * normal[a];
        double depth = dr_shape_distance(shape, at, other);
        if (depth < 0.0) {
            entered = true;
        } else if (dr_vec3_dot(normal, other) < PARALLEL) {
            return step * k - depth;
        } else if (entered) {
            return INFINITY;
        }
    }
    return INFINITY;
}

double dr_shape_thickness(const dr_shape *shape, dr_box box, double pitch, double limit)
{
    double points = 1.0, least = INFINITY;
    int64_t count[3], all = 1;
    for (int a = 0; a < 3; a++) points *= fmax(1.0, (box.max[a] - box.min[a]) / pitch + 1.0);
    if (!isfinite(points)) return INFINITY;
    pitch *= fmax(1.0, cbrt(points / MOST_POINTS));
    for (int a = 0; a < 3; a++) {
        count[a] = (int64_t)fmax(1.0, ceil((box.max[a] - box.min[a]) / pitch));
        all *= count[a];
    }
    for (int64_t i = 0; i < all; i++) {
        const int64_t at[3] = {i / (count[1] * count[2]), i / count[2] % count[1], i % count[2]};
        double x[3];
        for (int a = 0; a < 3; a++)
            x[a] = box.min[a] + (box.max[a] - box.min[a]) * ((double)at[a] + 0.5) / (double)count[a];
        if (fabs(dr_shape_distance(shape, x, NULL)) < pitch) least = fmin(least, way_through(shape, x, limit));
    }
    return least;
}
