// The area of shapes as seen along a direction. docs/theory/exchange.md, "Inflow".
#include "geom/area.h"

#include "math/vec.h"

#include <math.h>

// Lines through a lattice across the shape, so many along either side, and places that each of them looks at.
enum { LINES = 96, LOOKS = 192 };

static double line_entries(const dr_shape *shape, const double from[3], const double way[3], double step)
{
    double entries = 0.0, x[3];
    bool inside = false;
    for (int k = 0; k <= LOOKS; k++) {
        for (int a = 0; a < 3; a++) x[a] = from[a] + way[a] * step * k;
        bool now = dr_shape_distance(shape, x, NULL) < 0.0;
        entries += now && !inside ? 1.0 : 0.0;
        inside = now;
    }
    return entries;
}

double dr_shape_area_across(const dr_shape *shape, const double direction[3])
{
    dr_box box = dr_shape_bounds(shape);
    double length = dr_vec3_length(direction), middle[3], radius = 0.0, way[3], one[3], two[3], sum = 0.0;
    for (int a = 0; a < 3; a++) {
        middle[a] = 0.5 * (box.min[a] + box.max[a]);
        radius += 0.25 * (box.max[a] - box.min[a]) * (box.max[a] - box.min[a]);
    }
    radius = sqrt(radius);
    if (!(length > 0.0) || !isfinite(radius)) return 0.0;
    for (int a = 0; a < 3; a++) way[a] = direction[a] / length;
    const double helper[3] = {fabs(way[0]) < 0.7 ? 1.0 : 0.0, fabs(way[0]) < 0.7 ? 0.0 : 1.0, 0.0};
    dr_vec3_cross(one, way, helper);
    double across = dr_vec3_length(one);
    for (int a = 0; a < 3; a++) one[a] /= across;
    dr_vec3_cross(two, way, one);
    double pitch = 2.0 * radius / LINES;
    for (int i = 0; i < LINES * LINES; i++) {
        double u = (i / LINES + 0.5) * pitch - radius, v = (i % LINES + 0.5) * pitch - radius, from[3];
        for (int a = 0; a < 3; a++) from[a] = middle[a] - radius * way[a] + u * one[a] + v * two[a];
        sum += line_entries(shape, from, way, 2.0 * radius / LOOKS);
    }
    return sum * pitch * pitch;
}
