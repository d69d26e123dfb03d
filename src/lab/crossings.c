// Two edges cross when their four ends come into one plane, at a root of a cubic in time, and the segments meet there.
#include "lab/crossings.h"

#include "base/memory.h"
#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// ---- two edges

static void at_time(const double x[12], const double y[12], double t, double out[12])
{
    for (int i = 0; i < 12; i++) out[i] = x[i] + t * (y[i] - x[i]);
}

// Six times the volume of the ends' tetrahedron.
static double volume(const double x[12], const double y[12], double t)
{
    double p[12], u[3], v[3], w[3], c[3];
    at_time(x, y, t, p);
    dr_vec3_sub(u, p + 3, p);
    dr_vec3_sub(v, p + 9, p + 6);
    dr_vec3_sub(w, p + 6, p);
    dr_vec3_cross(c, u, v);
    return dr_vec3_dot(c, w);
}

// Whether coplanar segments meet: the crossing of their lines lies on both.
static bool segments_meet(const double p[12])
{
    double u[3], v[3], w[3], n[3], a[3], b[3];
    dr_vec3_sub(u, p + 3, p);
    dr_vec3_sub(v, p + 9, p + 6);
    dr_vec3_sub(w, p + 6, p);
    dr_vec3_cross(n, u, v);
    double area2 = dr_vec3_dot(n, n);
    if (area2 < 1e-20 * dr_vec3_dot(u, u) * dr_vec3_dot(v, v)) return false; // parallel: they pass along each other
    dr_vec3_cross(a, w, v);
    dr_vec3_cross(b, w, u);
    double s = dr_vec3_dot(a, n) / area2, t = dr_vec3_dot(b, n) / area2;
    return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

static bool crosses_between(const double x[12], const double y[12], double low, double high)
{
    double at_low = volume(x, y, low), at_high = volume(x, y, high), p[12];
    if (at_low == 0.0 || (at_low > 0.0) == (at_high > 0.0)) return false;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if ((volume(x, y, middle) > 0.0) == (at_low > 0.0))
            low = middle;
        else
            high = middle;
    }
    at_time(x, y, high, p);
    return segments_meet(p);
}

int dr_crossings_of_pair(const double x[12], const double y[12])
{
    // The cubic from four values; it rises and falls at most twice.
    double f0 = volume(x, y, 0.0), f1 = volume(x, y, 1.0 / 3.0), f2 = volume(x, y, 2.0 / 3.0), f3 = volume(x, y, 1.0);
    double a = 4.5 * (f3 - 3.0 * f2 + 3.0 * f1 - f0), b = 4.5 * (2.0 * f0 - 5.0 * f1 + 4.0 * f2 - f3);
    double c = 0.5 * (-11.0 * f0 + 18.0 * f1 - 9.0 * f2 + 2.0 * f3), cuts[4] = {0.0, 0.0, 0.0, 1.0};
    double under = b * b - 3.0 * a * c;
    int count = 1, crossings = 0;
    if (under > 0.0) {
        double root = sqrt(under), q = -(b + copysign(root, b));
        double turns[2] = {a != 0.0 ? q / (3.0 * a) : -1.0, q != 0.0 ? c / q : -1.0};
        if (turns[0] > turns[1]) {
            double other = turns[0];
            turns[0] = turns[1];
            turns[1] = other;
        }
        for (int i = 0; i < 2; i++) {
            if (turns[i] > 0.0 && turns[i] < 1.0) cuts[count++] = turns[i];
        }
    }
    cuts[count] = 1.0;
    for (int i = 0; i < count; i++) crossings += crosses_between(x, y, cuts[i], cuts[i + 1]);
    return crossings;
}

// ---- all edges: sorted by where their way begins along the axis on which they overlap least

typedef struct way {
    double min[3], max[3]; // the axis of sorting first
    int32_t vertex, strand;
} way;

static int by_beginning(const void *p, const void *q)
{
    const way *a = p, *b = q;
    return a->min[0] < b->min[0] ? -1 : a->min[0] > b->min[0] ? 1 : (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static size_t list_ways(const double *before, const double *after, const int *first, int strands, way *ways)
{
    size_t count = 0;
    for (int s = 0; s < strands; s++) {
        for (int v = first[s]; v + 1 < first[s + 1]; v++) {
            way *w = &ways[count++];
            *w = (way){.vertex = v, .strand = s};
            for (int a = 0; a < 3; a++) {
                const double *p = before + 3 * (size_t)v + a, *q = after + 3 * (size_t)v + a;
                w->min[a] = fmin(fmin(p[0], p[3]), fmin(q[0], q[3]));
                w->max[a] = fmax(fmax(p[0], p[3]), fmax(q[0], q[3]));
            }
        }
    }
    return count;
}

// Swaps the axis along which the ways are short compared with all there is to the front.
static void choose_axis(way *ways, size_t count)
{
    double ratio[3];
    for (int a = 0; a < 3; a++) {
        double low = INFINITY, high = -INFINITY, sum = 0.0;
        for (size_t i = 0; i < count; i++) {
            low = fmin(low, ways[i].min[a]);
            high = fmax(high, ways[i].max[a]);
            sum += ways[i].max[a] - ways[i].min[a];
        }
        ratio[a] = sum > 0.0 ? (high - low) / sum : INFINITY;
    }
    int best = ratio[1] > ratio[0] ? 1 : 0;
    if (ratio[2] > ratio[best]) best = 2;
    for (size_t i = 0; i < count; i++) {
        double low = ways[i].min[best], high = ways[i].max[best];
        ways[i].min[best] = ways[i].min[0];
        ways[i].max[best] = ways[i].max[0];
        ways[i].min[0] = low;
        ways[i].max[0] = high;
    }
}

static bool apart(const way *p, const way *q)
{
    for (int a = 1; a < 3; a++) {
        if (p->max[a] < q->min[a] || q->max[a] < p->min[a]) return true;
    }
    return p->strand == q->strand && abs(p->vertex - q->vertex) < 2;
}

static int cross(const double *before, const double *after, const way *p, const way *q)
{
    double x[12], y[12];
    for (int i = 0; i < 6; i++) {
        x[i] = before[3 * (size_t)p->vertex + (size_t)i];
        y[i] = after[3 * (size_t)p->vertex + (size_t)i];
        x[6 + i] = before[3 * (size_t)q->vertex + (size_t)i];
        y[6 + i] = after[3 * (size_t)q->vertex + (size_t)i];
    }
    return dr_crossings_of_pair(x, y);
}

long dr_crossings_count(const double *before, const double *after, const int *first, int strands)
{
    size_t room = (size_t)first[strands] * sizeof(way);
    way *ways = dr_memory_alloc(NULL, room);
    if (!ways) return -1;
    size_t count = list_ways(before, after, first, strands, ways);
    long crossings = 0;
    choose_axis(ways, count);
    qsort(ways, count, sizeof *ways, by_beginning);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && ways[j].min[0] <= ways[i].max[0]; j++) {
            if (!apart(&ways[i], &ways[j])) crossings += cross(before, after, &ways[i], &ways[j]);
        }
    }
    dr_memory_free(NULL, ways, room);
    return crossings;
}
