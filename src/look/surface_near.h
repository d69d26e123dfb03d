// The point of a segment or triangle nearest to another, as shares of the corners.
#ifndef DR_LOOK_SURFACE_NEAR_H
#define DR_LOOK_SURFACE_NEAR_H

#include <math.h>
#include <string.h>

static inline float dr_surface_near_dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void dr_surface_near_share(float share[3], int a, int b, float t)
{
    share[0] = share[1] = share[2] = 0.0F;
    t = t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
    share[a] = 1.0F - t;
    share[b] = t;
}

static inline float dr_surface_near_along(const float d[3], const float a[3], const float b[3])
{
    float edge[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, from[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
    float length2 = dr_surface_near_dot(edge, edge);
    return length2 > 0.0F ? dr_surface_near_dot(from, edge) / length2 : 0.0F;
}

static inline float dr_surface_near_distance2(const float corner[3][3], const float d[3], const float share[3])
{
    float sum = 0.0F;
    for (int a = 0; a < 3; a++) {
        float place = share[0] * corner[0][a] + share[1] * corner[1][a] + share[2] * corner[2][a];
        sum += (d[a] - place) * (d[a] - place);
    }
    return sum;
}

// Inside the triangle's prism by its plane, elsewhere on the nearest of its edges.
static inline void dr_surface_near_triangle(const float corner[3][3], const float d[3], float share[3])
{
    const float *a = corner[0], *b = corner[1], *c = corner[2];
    float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    float w[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
    float uu = dr_surface_near_dot(u, u), uv = dr_surface_near_dot(u, v), vv = dr_surface_near_dot(v, v),
          uw = dr_surface_near_dot(u, w), vw = dr_surface_near_dot(v, w), area2 = uu * vv - uv * uv;
    if (area2 > 1e-12F * uu * vv) {
        share[1] = (vv * uw - uv * vw) / area2;
        share[2] = (uu * vw - uv * uw) / area2;
        share[0] = 1.0F - share[1] - share[2];
        if (share[0] >= 0.0F && share[1] >= 0.0F && share[2] >= 0.0F) return;
    }
    float best = INFINITY;
    dr_surface_near_share(share, 0, 1, 0.0F);
    for (int edge = 0; edge < 3; edge++) {
        float trial[3];
        dr_surface_near_share(trial, edge, (edge + 1) % 3,
                              dr_surface_near_along(d, corner[edge], corner[(edge + 1) % 3]));
        float distance2 = dr_surface_near_distance2(corner, d, trial);
        if (distance2 >= best) continue;
        best = distance2;
        memcpy(share, trial, sizeof trial);
    }
}

#endif
