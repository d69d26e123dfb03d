// Table of f(d, A) over surface tension, docs/theory/bridges.md eq. (10)-(12).
//   s     sqrt(A) / r, on a logarithmic scale from LEAST to MOST
//   zeta  (d - touching) / (rupture - touching), on a square-root scale: the force is steep where fibres touch
#include "bridge/table.h"

#include "base/number.h"

#include <math.h>

#define SIZES     97
#define DISTANCES 97
#define LEAST     0.02
#define MOST      15.0

struct dr_bridge_table {
    dr_bridge_sides sides; // first radius 1
    double force[SIZES][DISTANCES];
};

static double size_at(int i)
{
    return LEAST * pow(MOST / LEAST, i / (double)(SIZES - 1));
}

// Where the liquid swallows the fibres the force is that of the fullest bridge: below 0 or 0, and continuous.
static double exact(const dr_bridge_sides *sides, double distance, double area)
{
    dr_bridge bridge;
    if (dr_bridge_solve(sides, distance, area, &bridge)) return bridge.force;
    double top = DR_PI - sides->angle[0];
    return dr_bridge_shape(sides, distance, top, &bridge) ? fmin(0.0, bridge.force) : 0.0;
}

dr_bridge_table *dr_bridge_table_create(const dr_bridge_sides *sides, const dr_allocator *allocator)
{
    dr_bridge_table *table = dr_memory_alloc(allocator, sizeof *table);
    if (!table) return NULL;
    table->sides = *sides;
    for (int k = 0; k < 2; k++) table->sides.radius[k] = sides->radius[k] / sides->radius[0];
    double touching = dr_bridge_touching(&table->sides);
    for (int i = 0; i < SIZES; i++) {
        double s = size_at(i), reach = dr_bridge_rupture(&table->sides, s * s) - touching;
        for (int j = 0; j < DISTANCES; j++) {
            double root = j / (double)(DISTANCES - 1);
            table->force[i][j] = exact(&table->sides, touching + reach * root * root, s * s);
        }
    }
    return table;
}

void dr_bridge_table_destroy(dr_bridge_table *table, const dr_allocator *allocator)
{
    if (table) dr_memory_free(allocator, table, sizeof *table);
}

// Weights of the four nodes around x (in units of nodes) and their derivatives; the cubic through the two inner ones
// with central slopes, one-sided at the ends. Returns the first node.
static int weigh(double x, int count, double weights[4], double slopes[4])
{
    int first = (int)x;
    if (first > count - 2) first = count - 2;
    double t = x - first, t2 = t * t, t3 = t2 * t;
    double value[4] = {2 * t3 - 3 * t2 + 1, t3 - 2 * t2 + t, t3 - t2, 3 * t2 - 2 * t3};
    double slope[4] = {6 * t2 - 6 * t, 3 * t2 - 4 * t + 1, 3 * t2 - 2 * t, 6 * t - 6 * t2};
    double low = first > 0 ? 0.5 : 0.0, high = first < count - 2 ? 0.5 : 0.0;
    const double *from[2] = {value, slope};
    double *to[2] = {weights, slopes};
    for (int k = 0; k < 2; k++) { // [before, left, right, after]
        const double *h = from[k];
        double *w = to[k];
        w[0] = -low * h[1];
        w[1] = h[0] - (1.0 - 2.0 * low) * h[1] - high * h[2];
        w[2] = h[3] + (low + (1.0 - 2.0 * low)) * h[1] + (1.0 - 2.0 * high) * h[2];
        w[3] = high * h[2];
        w[1] -= (1.0 - 2.0 * high) * h[2];
    }
    return first;
}

static double reach_of(const dr_bridge_table *table, double radius, double area)
{
    return dr_bridge_table_rupture(table, radius, area) - radius * dr_bridge_touching(&table->sides);
}

double dr_bridge_table_force(const dr_bridge_table *table, double radius, double distance, double area, double *slope)
{
    double s = sqrt(area) / radius, fade = fmin(1.0, s / LEAST);
    double reach = reach_of(table, radius, area);
    double gap = fmax(0.0, distance - radius * dr_bridge_touching(&table->sides));
    if (slope) *slope = 0.0;
    if (!(area > 0.0) || gap > reach) return 0.0;
    double row = log(fmin(fmax(s, LEAST), MOST) / LEAST) / log(MOST / LEAST) * (SIZES - 1);
    double root = sqrt(gap / reach);
    double wi[4], wj[4], di[4], dj[4], force = 0.0, steep = 0.0;
    int i = weigh(row, SIZES, wi, di), j = weigh(root * (DISTANCES - 1), DISTANCES, wj, dj);
    for (int a = 0; a < 4; a++) {
        if (i + a < 1 || i + a > SIZES) continue;
        for (int b = 0; b < 4; b++) {
            if (j + b < 1 || j + b > DISTANCES) continue;
            double node = wi[a] * table->force[i + a - 1][j + b - 1];
            force += node * wj[b];
            steep += node * dj[b];
        }
    }
    if (force <= 0.0) return 0.0;
    if (slope && root > 0.0) *slope = fade * steep * (DISTANCES - 1) * 0.5 / (root * reach);
    return fade * force;
}

double dr_bridge_table_rupture(const dr_bridge_table *table, double radius, double area)
{
    return radius * dr_bridge_rupture(&table->sides, area / (radius * radius));
}
