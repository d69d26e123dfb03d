// Tables of kernel integrals. docs/theory/surface.md, eq. (3)-(5), (7) and (8).
#include "liquid/offset.h"

#include <math.h>

static double kernel(double t)
{
    t = fabs(t);
    return t < 0.5 ? 0.75 - t * t : t < 1.5 ? 0.5 * (1.5 - t) * (1.5 - t) : 0.0;
}

static double kernel_slope(double t)
{
    double s = fabs(t), slope = s < 0.5 ? -2.0 * s : s < 1.5 ? s - 1.5 : 0.0;
    return t < 0.0 ? -slope : slope;
}

// Kernel and first moment of the half-line t > d, and of a skin whose weight falls from 1 at d to 0.
typedef struct half_line {
    double weight, lever, skin;
} half_line;

static half_line integrate(double d)
{
    enum { STEPS = 300 };
    half_line sum = {0};
    double h = 3.0 / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double t = -1.5 + (i + 0.5) * h, inside = fmin(1.0, fmax(0.0, 0.5 + (t - d) / h)), w = h * inside * kernel(t);
        sum.weight += w;
        sum.lever += w * t;
        sum.skin += w * fmax(0.0, 1.0 - (t - d) / (double)DR_OFFSET_SKIN);
    }
    return sum;
}

// Mean offset of a half-space whose plane is d away, d > 0 where the centre is in air: eq. (3), with half the
// difference that a lattice of particles makes, eq. (4).
static double mean_offset(double d, double spacing)
{
    if (d > 1.2) return d + 0.25 * (1.5 - d);
    half_line liquid = integrate(d);
    double grain = spacing * spacing / 48.0, weight = liquid.weight + grain * kernel_slope(d);
    return (liquid.lever + grain * (kernel(d) + d * kernel_slope(d))) / weight;
}

// Liquid that goes on into a wall along its normal seems displaced where its surface does not stand on the wall at a
// right angle; a fit to the exact integrals over wedges, eq. (8).
static double lean(double psi)
{
    double near = 1.1 - psi;
    return near > 0.0 ? 0.30 * near * near : 0.0;
}

static void invert(const double offset[DR_OFFSET_STEPS + 1], float depth[DR_OFFSET_STEPS + 1])
{
    for (int i = 0, at = 0; i <= DR_OFFSET_STEPS; i++) {
        double q = 1.5 * i / DR_OFFSET_STEPS;
        while (at < DR_OFFSET_STEPS - 1 && offset[at + 1] < q) at++;
        double share = (q - offset[at]) / fmax(1e-9, offset[at + 1] - offset[at]);
        depth[i] = (float)(-1.5 + 3.0 * (at + fmin(1.0, fmax(0.0, share))) / DR_OFFSET_STEPS);
    }
}

void dr_offset_make(dr_offset_table *table, float spacing)
{
    if (table->spacing == spacing) return;
    table->spacing = spacing;
    double offset[DR_OFFSET_STEPS + 1];
    for (int i = 0; i <= DR_OFFSET_STEPS; i++) {
        double d = -1.5 + 3.0 * i / DR_OFFSET_STEPS;
        half_line wall = integrate(d);
        table->solid[i] = (float)wall.weight;
        table->solid_lever[i] = (float)wall.lever;
        table->skin[i] = (float)integrate(-d).skin;
        table->lean[i] = (float)lean(d);
        offset[i] = mean_offset(d, (double)spacing);
    }
    invert(offset, table->depth);
}
