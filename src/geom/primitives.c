// Signed distances of the simple solids, docs/theory/shapes.md, eqs. (1)-(5).
#include "geom/primitives.h"

#include "math/vec.h"

double dr_primitive_sphere(const double p[3], double radius, double normal[3])
{
    static const double up[3] = {0, 1, 0};
    if (!normal) return dr_vec3_length(p) - radius;
    return dr_vec3_normalize(normal, p, up) - radius;
}

double dr_primitive_box(const double p[3], const double half[3], double rounding, double normal[3])
{
    double beyond[3], outside[3];
    int nearest = 0;
    for (int i = 0; i < 3; i++) {
        beyond[i] = fabs(p[i]) - (half[i] - rounding);
        outside[i] = fmax(beyond[i], 0.0);
        if (beyond[i] > beyond[nearest]) nearest = i;
    }
    if (beyond[nearest] <= 0.0) {
        if (normal) {
            dr_vec3_set(normal, 0, 0, 0);
            normal[nearest] = copysign(1.0, p[nearest]);
        }
        return beyond[nearest] - rounding;
    }
    double length = dr_vec3_length(outside);
    if (normal)
        for (int i = 0; i < 3; i++) normal[i] = copysign(outside[i] / length, p[i]);
    return length - rounding;
}

double dr_primitive_capsule(const double p[3], int axis, double radius, double half_height, double normal[3])
{
    double q[3], sideways[3] = {0};
    dr_vec3_copy(q, p);
    q[axis] -= fmax(-half_height, fmin(half_height, p[axis]));
    if (!normal) return dr_vec3_length(q) - radius;
    sideways[(axis + 1) % 3] = 1.0;
    return dr_vec3_normalize(normal, q, sideways) - radius;
}

// Distance from the axis; `radial` is the unit vector away from it.
static double split_radially(const double p[3], int axis, double radial[3])
{
    double q[3], sideways[3] = {0};
    dr_vec3_copy(q, p);
    q[axis] = 0.0;
    sideways[(axis + 1) % 3] = 1.0;
    return dr_vec3_normalize(radial, q, sideways);
}

double dr_primitive_cylinder(const double p[3], int axis, double radius, double half_height, double normal[3])
{
    double radial[3];
    double side = split_radially(p, axis, radial) - radius;
    double end = fabs(p[axis]) - half_height;
    double side_out = fmax(side, 0.0), end_out = fmax(end, 0.0);
    double outside = sqrt(side_out * side_out + end_out * end_out);
    double side_share, end_share, distance;
    if (outside > 0.0) {
        side_share = side_out / outside;
        end_share = end_out / outside;
        distance = outside;
    } else {
        side_share = side >= end ? 1.0 : 0.0;
        end_share = 1.0 - side_share;
        distance = fmax(side, end);
    }
    if (normal) {
        dr_vec3_scale(normal, side_share, radial);
        normal[axis] = copysign(end_share, p[axis]);
    }
    return distance;
}

double dr_primitive_torus(const double p[3], int axis, double radius, double tube, double normal[3])
{
    double radial[3];
    double across = split_radially(p, axis, radial) - radius, along = p[axis];
    double length = sqrt(across * across + along * along);
    if (normal) {
        bool on_ring = length < 1e-300;
        dr_vec3_scale(normal, on_ring ? 1.0 : across / length, radial);
        normal[axis] = on_ring ? 0.0 : along / length;
    }
    return length - tube;
}
