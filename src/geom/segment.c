// docs/theory/contact.md eq. (1)-(3).
#include "geom/segment.h"

#include "math/vec.h"

#define MOST_STEPS 1000 // after which a pair counts as met
#define ROUNDING   1e-9

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static double clamp_unit(double t)
{
    return t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
}

double dr_segment_place(const double a[3], const double b[3], const double p[3])
{
    double edge[3], to[3];
    dr_vec3_sub(edge, b, a);
    dr_vec3_sub(to, p, a);
    double length2 = dr_vec3_dot(edge, edge);
    return length2 > 0.0 ? clamp_unit(dr_vec3_dot(edge, to) / length2) : 0.0;
}

static void between(const double x[12], const dr_segment_pair *pair, double out[3])
{
    for (int a = 0; a < 3; a++) {
        double first = x[a] + pair->place[0] * (x[3 + a] - x[a]);
        double second = x[6 + a] + pair->place[1] * (x[9 + a] - x[6 + a]);
        out[a] = first - second;
    }
}

static void keep_nearer(const double x[12], double first, double second, dr_segment_pair *best, double *best2,
                        double apart[3])
{
    dr_segment_pair pair = {.place = {first, second}};
    double d[3];
    between(x, &pair, d);
    double distance2 = dr_vec3_dot(d, d);
    if (distance2 < *best2) {
        *best2 = distance2;
        *best = pair;
        dr_vec3_copy(apart, d);
    }
}

// The common perpendicular, where it meets both segments; *sure: they are far from parallel, so nothing is nearer. (1)
static bool perpendicular(const double x[12], const double u[3], const double v[3], double *first, double *second,
                          bool *sure)
{
    double w[3];
    dr_vec3_sub(w, x, x + 6);
    double a = dr_vec3_dot(u, u), b = dr_vec3_dot(u, v), c = dr_vec3_dot(v, v);
    double d = dr_vec3_dot(u, w), e = dr_vec3_dot(v, w), area2 = a * c - b * b;
    *sure = area2 > 1e-4 * a * c;
    if (!(area2 > 1e-14 * a * c)) return false;
    *first = (b * e - c * d) / area2;
    *second = (a * e - b * d) / area2;
    return *first >= 0.0 && *first <= 1.0 && *second >= 0.0 && *second <= 1.0;
}

// Some unit vector across both directions, for segments that cross.
static void across(const double u[3], const double v[3], double normal[3])
{
    double c[3], axis[3] = {1.0, 0.0, 0.0}, up[3] = {0.0, 1.0, 0.0};
    dr_vec3_cross(c, u, v);
    if (dr_vec3_dot(c, c) <= 1e-20 * dr_vec3_dot(u, u) * dr_vec3_dot(v, v)) {
        bool along_x = fabs(u[0]) > fabs(u[1]) && fabs(u[0]) > fabs(u[2]);
        dr_vec3_cross(c, u, along_x ? up : axis);
    }
    dr_vec3_normalize(normal, c, up);
}

dr_segment_pair dr_segment_closest(const double x[12])
{
    double u[3], v[3], first, second, apart[3] = {0}, best2 = INFINITY;
    dr_segment_pair best = {0};
    dr_vec3_sub(u, x + 3, x);
    dr_vec3_sub(v, x + 9, x + 6);
    bool sure, crosses = perpendicular(x, u, v, &first, &second, &sure);
    if (crosses) keep_nearer(x, first, second, &best, &best2, apart);
    for (int end = 0; end < 2 && !(crosses && sure); end++) {
        keep_nearer(x, end, dr_segment_place(x + 6, x + 9, x + 3 * end), &best, &best2, apart);
        keep_nearer(x, dr_segment_place(x, x + 3, x + 6 + 3 * end), end, &best, &best2, apart);
    }
    best.distance = sqrt(best2);
    double size2 = dr_vec3_dot(u, u) + dr_vec3_dot(v, v);
    if (best2 > 1e-28 * size2 && best2 > 0.0)
        dr_vec3_scale(best.normal, 1.0 / best.distance, apart);
    else
        across(u, v, best.normal);
    return best;
}

// How long the plane across `normal` keeps the segments `reach` apart. (2)
static double plane_keeps(const double x[12], const double motion[12], const double normal[3], double reach)
{
    double keeps = INFINITY;
    for (int i = 0; i < 2; i++) {
        for (int j = 2; j < 4; j++) {
            double apart[3], speed[3];
            dr_vec3_sub(apart, x + 3 * i, x + 3 * j);
            dr_vec3_sub(speed, motion + 3 * i, motion + 3 * j);
            double gap = dr_vec3_dot(normal, apart) - reach, rate = dr_vec3_dot(normal, speed);
            if (gap <= 0.0) return 0.0;
            if (rate < 0.0) keeps = gap < -rate * keeps ? gap / -rate : keeps;
        }
    }
    return keeps;
}

// The fastest at which any two points of the segments can approach.
static double fastest_approach(const double motion[12])
{
    double speed2 = 0.0;
    for (int i = 0; i < 2; i++) {
        for (int j = 2; j < 4; j++) {
            double d[3];
            dr_vec3_sub(d, motion + 3 * i, motion + 3 * j);
            speed2 = greater(speed2, dr_vec3_dot(d, d));
        }
    }
    return sqrt(speed2);
}

bool dr_segment_meet(const double x[12], const double motion[12], double reach, double slack, dr_segment_hit *hit)
{
    double at[12], fastest = fastest_approach(motion), time = 0.0;
    for (int step = 0; step < MOST_STEPS; step++) {
        for (int i = 0; i < 12; i++) at[i] = x[i] + time * motion[i];
        hit->time = time;
        hit->pair = dr_segment_closest(at);
        double gap = hit->pair.distance - reach;
        if (gap <= slack) return true;
        if (!(fastest > 0.0)) return false;
        // Until then they stay farther apart than reach: by the fastest approach, or by a plane between them. (3)
        double safe = fmax(gap / fastest, plane_keeps(at, motion, hit->pair.normal, reach));
        if (!(time + safe <= 1.0 + ROUNDING)) return false;
        time = fmin(1.0, time + safe);
    }
    return true;
}

// How far apart the segments are along a direction, at least, as they begin and as they end: in between they are no
// nearer than the mean of both, since places are linear in time.
static double least_apart(const double x[12], const double motion[12], const double n[3])
{
    double from[4], to[4], n2 = dr_vec3_dot(n, n);
    for (int i = 0; i < 4; i++) {
        from[i] = dr_vec3_dot(n, x + 3 * i);
        to[i] = from[i] + dr_vec3_dot(n, motion + 3 * i);
    }
    double begin = lesser(from[0], from[1]) - greater(from[2], from[3]);
    double end = lesser(to[0], to[1]) - greater(to[2], to[3]), least = lesser(begin, end);
    return least > 0.0 && n2 > 0.0 ? least / sqrt(n2) * (1.0 - ROUNDING) : 0.0;
}

double dr_segment_spare(const double x[12], const double motion[12], double reach)
{
    double u[3], w[3], n[3];
    for (int a = 0; a < 3; a++) {
        u[a] =
            x[3 + a] - x[a] + x[9 + a] - x[6 + a] + 0.5 * (motion[3 + a] - motion[a] + motion[9 + a] - motion[6 + a]);
        w[a] =
            x[3 + a] + x[a] - x[9 + a] - x[6 + a] + 0.5 * (motion[3 + a] + motion[a] - motion[9 + a] - motion[6 + a]);
    }
    double uu = dr_vec3_dot(u, u);
    dr_vec3_add_scaled(n, w, uu > 0.0 ? -dr_vec3_dot(u, w) / uu : 0.0, u);
    double across = least_apart(x, motion, n) - reach;
    return across > 0.0 ? across : least_apart(x, motion, w) - reach;
}
