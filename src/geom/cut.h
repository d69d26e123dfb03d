// Shares of cubes and squares on one side of a surface. docs/theory/solids.md, eq. (1)-(4).
#ifndef DR_GEOM_CUT_H
#define DR_GEOM_CUT_H

#include "math/scalar.h"

#include <math.h>

// The share of the unit cube where d + n.x < 0, x counted from its centre; exact. n need not be a unit vector, d is
// measured by it.
static inline double dr_cut_cube(double d, const double n[3])
{
    double m[3], sum = 0.0, most = dr_max_double(fabs(n[0]), dr_max_double(fabs(n[1]), fabs(n[2])));
    double reach = 0.5 * (fabs(n[0]) + fabs(n[1]) + fabs(n[2])) + 1e-4 * most; // of its corners, and more
    if (!(most > 0.0) || fabs(d) > reach) return d < 0.0 ? 1.0 : 0.0;
    for (int a = 0; a < 3; a++) sum += m[a] = dr_max_double(fabs(n[a]) / most, 1e-5);
    double alpha = 0.5 * sum - d / most;
    if (alpha <= 0.0) return 0.0;
    if (alpha >= sum) return 1.0;
    if (alpha > 0.5 * sum) return 1.0 - dr_cut_cube(-d, n);
    double cubes = alpha * alpha * alpha;
    for (int a = 0; a < 3; a++) {
        double one = dr_max_double(0.0, alpha - m[a]), two = dr_max_double(0.0, alpha - m[a] - m[(a + 1) % 3]);
        cubes += two * two * two - one * one * one;
    }
    return dr_clamp_double(cubes / (6.0 * m[0] * m[1] * m[2]), 0.0, 1.0);
}

// The share of a triangle whose corners have the values a, b, c where the value is negative.
static inline double dr_cut_triangle(double a, double b, double c)
{
    int inside = (a < 0.0) + (b < 0.0) + (c < 0.0);
    if (inside == 0 || inside == 3) return inside ? 1.0 : 0.0;
    double lone = (a < 0.0) == (b < 0.0) ? c : (a < 0.0) == (c < 0.0) ? b : a;
    double other = lone == c ? a : lone == b ? c : b, third = a + b + c - lone - other;
    double corner = lone / (lone - other) * lone / (lone - third);
    return lone < 0.0 ? corner : 1.0 - corner;
}

// The share of a square whose corners have the values a, b, c, d in turn where the value is negative: four triangles
// around the mean.
static inline double dr_cut_square(double a, double b, double c, double d)
{
    double mean = 0.25 * (a + b + c + d);
    return 0.25 * (dr_cut_triangle(a, b, mean) + dr_cut_triangle(b, c, mean) + dr_cut_triangle(c, d, mean) +
                   dr_cut_triangle(d, a, mean));
}

#endif
