// How kernels are shaped at the nodes of a block: by the spread of the volume around, round in the bulk, flat at a
// surface and in a sheet, narrow in a thread or a lone drop. Measured on a lattice of every fifth node, blended
// between. All places are differences of whole numbers and a particle's own place, so that blocks agree to the last
// bit. docs/theory/reconstruction.md, eq. (3)-(6).
//   m0, m1, m2   moments of the volume around        C   its covariance, in typical spacings squared
//   K            covariance of the kernel            k2  thickness squared of what is thin
#include "base/number.h"
#include "look/surface_parts.h"

#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { N = DR_SURFACE_NODES, LANES = 8, MOMENTS = 10, STEP = 5, POINTS = DR_SURFACE_SIDE / STEP + 1 };

// What is blended between lattice points: m0, and K weighted with it.
enum { BLEND_WEIGHT, BLEND_K, BLENDS = 7 };

typedef struct lattice {
    float at[POINTS][POINTS][POINTS][BLENDS]; // z, y, x
} lattice;

// ---- moments

typedef struct eight {
    dr_float8 d[3], volume;
} eight;

// Adds m0, m1 and m2 (xx, yy, zz, yz, zx, xy) with weight V (1 - d2/near2)^2.                  eq. (3)
static void add_eight(const eight *e, float inverse_near2, dr_float8 sum[MOMENTS])
{
    const dr_float8 *d = e->d;
    dr_float8 distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    dr_float8 inside =
        dr_float8_larger(dr_float8_all(0.0F), dr_float8_all(1.0F) - distance2 * dr_float8_all(inverse_near2));
    dr_float8 w = e->volume * inside * inside;
    sum[0] += w;
    for (int a = 0; a < 3; a++) {
        dr_float8 wd = w * d[a];
        sum[1 + a] += wd;
        sum[4 + a] = dr_float8_add_product(sum[4 + a], wd, d[a]);
        sum[7 + a] = dr_float8_add_product(sum[7 + a], w * d[(a + 1) % 3], d[(a + 2) % 3]);
    }
}

static eight take_eight(const dr_surface_grains *grains, uint32_t first, const float from[3])
{
    eight e = {.volume = dr_float8_load(grains->volume + first)};
    for (int a = 0; a < 3; a++) e.d[a] = dr_float8_load(grains->place[a] + first) - dr_float8_all(from[a]);
    return e;
}

// The last few of a bin, filled up with particles of no volume.
static eight take_rest(const dr_surface_grains *grains, uint32_t first, uint32_t end, const float from[3])
{
    float row[4][LANES] = {{0.0F}};
    for (uint32_t i = first; i < end; i++) {
        for (int a = 0; a < 3; a++) row[a][i - first] = grains->place[a][i];
        row[3][i - first] = grains->volume[i];
    }
    eight e = {.volume = dr_float8_load(row[3])};
    for (int a = 0; a < 3; a++) e.d[a] = dr_float8_load(row[a]) - dr_float8_all(from[a]);
    return e;
}

typedef struct looking {
    const dr_surface_world *world;
    const size_t *around;
} looking;

// One bin's part; from: the lattice point as seen from the block that holds the bin.
static void add_bin(const looking *look, size_t bin, const float from[3], float inverse_near2, dr_float8 sum[MOMENTS])
{
    const dr_surface_grains *grains = &look->world->grains;
    uint32_t i = look->world->bins.grain[bin], end = look->world->bins.grain[bin + 1];
    for (; i + LANES <= end; i += LANES) {
        eight e = take_eight(grains, i, from);
        add_eight(&e, inverse_near2, sum);
    }
    if (i < end) {
        eight e = take_rest(grains, i, end, from);
        add_eight(&e, inverse_near2, sum);
    }
}

static void measure_point(const looking *look, const int node[3], dr_float8 sum[MOMENTS])
{
    const dr_surface_scale *scale = &look->world->scale;
    float inverse_near2 = 1.0F / (scale->near * scale->near);
    int low[3], high[3], bins = scale->bins, step[3], zero[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++) {
        low[a] = (int)floorf(((float)node[a] - scale->near) / scale->bin);
        high[a] = (int)floorf(((float)node[a] + scale->near) / scale->bin);
    }
    for (step[2] = low[2]; step[2] <= high[2]; step[2]++) {
        for (step[1] = low[1]; step[1] <= high[1]; step[1]++) {
            for (step[0] = low[0]; step[0] <= high[0]; step[0]++) {
                int64_t bin = dr_surface_bins_beside(&look->world->bins, bins, look->around, zero, step);
                if (bin < 0) continue;
                float from[3];
                for (int a = 0; a < 3; a++) {
                    int block = step[a] < 0 ? -1 : step[a] < bins ? 0 : 1;
                    from[a] = (float)(node[a] - block * DR_SURFACE_SIDE);
                }
                add_bin(look, (size_t)bin, from, inverse_near2, sum);
            }
        }
    }
}

#define SPREAD 8.4F // side of a box squared to its covariance as weighted here

// ---- kernels

static float total(dr_float8 v)
{
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

// Thickness squared across the directions in which nothing spreads: the k2 at which a box of sides
// sqrt(SPREAD C + k2) holds the volume m0.                                                                    eq. (5)
static float thickness2(const float c[6], float m0)
{
    float e[6];
    for (int i = 0; i < 6; i++) e[i] = SPREAD * c[i];
    float sum = e[0] + e[1] + e[2], xx = e[1] * e[2] - e[3] * e[3];
    float minors = xx + e[0] * e[2] - e[4] * e[4] + e[0] * e[1] - e[5] * e[5];
    float determinant = e[0] * xx + e[5] * (e[3] * e[4] - e[5] * e[2]) + e[4] * (e[5] * e[3] - e[1] * e[4]);
    float wanted = m0 * m0 - determinant, k2 = powf(m0, 2.0F / 3.0F);
    if (!(wanted > 0.0F)) return 0.0F;
    for (int round = 0; round < 6; round++) {
        float value = ((k2 + sum) * k2 + minors) * k2 - wanted, slope = (3.0F * k2 + 2.0F * sum) * k2 + minors;
        k2 -= value / slope;
    }
    return fmaxf(k2, 0.0F);
}

// K across what is thin: 0.39 k2 gives about a lone drop its volume; one of a few cells loses some of it to their
// coarseness, and gets it back from a narrower kernel, whose drop is larger.
static float base_of(float k2, float spacing)
{
    k2 = k2 < 0.25F ? 0.25F : k2 > 9.0F ? 9.0F : k2;
    float cells2 = k2 * spacing * spacing;
    return k2 * (0.25F + 0.14F * fminf(1.0F, fmaxf(0.0F, 0.25F * (cells2 - 4.0F))));
}

static void shape_point(const dr_float8 sum[MOMENTS], const dr_surface_scale *scale, float out[BLENDS])
{
    float m0 = total(sum[0]), mean[3], c[6], offset2 = 0.0F, per_spacing2 = 1.0F / (scale->spacing * scale->spacing);
    memset(out, 0, BLENDS * sizeof *out);
    if (!(m0 > 1e-6F)) return;
    for (int a = 0; a < 3; a++) {
        mean[a] = total(sum[1 + a]) / m0;
        offset2 += mean[a] * mean[a];
    }
    for (int a = 0; a < 3; a++) {
        c[a] = (total(sum[4 + a]) / m0 - mean[a] * mean[a]) * per_spacing2;
        c[3 + a] = (total(sum[7 + a]) / m0 - mean[(a + 1) % 3] * mean[(a + 2) % 3]) * per_spacing2;
    }
    float near2 = scale->near * scale->near, inside = fmaxf(0.05F, 1.0F - offset2 / near2);
    float base = base_of(thickness2(c, m0 / (inside * inside)), scale->spacing);
    out[BLEND_WEIGHT] = m0;
    for (int a = 0; a < 3; a++) {
        out[BLEND_K + a] = m0 * (scale->smooth * c[a] + base); // eq. (4)
        out[BLEND_K + 3 + a] = m0 * scale->smooth * c[3 + a];
    }
}

static void measure_lattice(lattice *lattice, const looking *look)
{
    for (int n = 0; n < POINTS * POINTS * POINTS; n++) {
        int at[3] = {n % POINTS, n / POINTS % POINTS, n / POINTS / POINTS};
        int node[3] = {at[0] * STEP, at[1] * STEP, at[2] * STEP};
        dr_float8 sum[MOMENTS] = {0};
        measure_point(look, node, sum);
        shape_point(sum, &look->world->scale, lattice->at[at[2]][at[1]][at[0]]);
    }
}

// ---- blending

static float between(int i, int *point)
{
    *point = i / STEP < POINTS - 2 ? i / STEP : POINTS - 2;
    return (float)(i - *point * STEP) / (float)STEP;
}

static void blend_line(const lattice *lattice, int y, int z, float line[POINTS][BLENDS])
{
    int py, pz;
    float ty = between(y, &py), tz = between(z, &pz);
    for (int x = 0; x < POINTS; x++) {
        for (int i = 0; i < BLENDS; i++) {
            float low = (1.0F - ty) * lattice->at[pz][py][x][i] + ty * lattice->at[pz][py + 1][x][i];
            float high = (1.0F - ty) * lattice->at[pz + 1][py][x][i] + ty * lattice->at[pz + 1][py + 1][x][i];
            line[x][i] = (1.0F - tz) * low + tz * high;
        }
    }
}

#define KERNEL_K 11.0F // q = 1 at K times this

// The form of a node from K; a shape that would reach too far is made smaller.                                 eq. (6)
static void shape_node(dr_surface_shapes *shapes, int node, const float blend[BLENDS], const dr_surface_scale *scale)
{
    float k[6], factor = KERNEL_K * scale->spacing * scale->spacing / blend[BLEND_WEIGHT], widest = 0.0F;
    for (int i = 0; i < 6; i++) k[i] = factor * blend[BLEND_K + i];
    for (int a = 0; a < 3; a++) widest = fmaxf(widest, k[a]);
    if (widest > scale->reach * scale->reach) {
        for (int i = 0; i < 6; i++) k[i] *= scale->reach * scale->reach / widest;
    }
    float xx = k[1] * k[2] - k[3] * k[3], xy = k[3] * k[4] - k[5] * k[2], zx = k[5] * k[3] - k[1] * k[4];
    float determinant = k[0] * xx + k[5] * xy + k[4] * zx, inverse = 1.0F / determinant;
    float form[6] = {xx, k[0] * k[2] - k[4] * k[4], k[0] * k[1] - k[5] * k[5], k[4] * k[5] - k[0] * k[3], zx, xy};
    for (int i = 0; i < 6; i++) shapes->form[i][node] = inverse * form[i];
    shapes->scale[node] = (float)scale->volume * (float)(315.0 / (64.0 * DR_PI)) / sqrtf(determinant);
    for (int a = 0; a < 3; a++) {
        float *reach = shapes->reach[a] + node / N;
        *reach = fmaxf(*reach, sqrtf(k[a]));
    }
}

static void shape_row(dr_surface_shapes *shapes, int row, float line[POINTS][BLENDS], const dr_surface_scale *scale,
                      const float *deep)
{
    for (int x = 0; x < N; x++) {
        int point, node = row * N + x;
        float t = between(x, &point), blend[BLENDS];
        for (int i = 0; i < BLENDS; i++) blend[i] = (1.0F - t) * line[point][i] + t * line[point + 1][i];
        shapes->scale[node] = 0.0F;
        for (int i = 0; i < 6; i++) shapes->form[i][node] = 0.0F;
        if (blend[BLEND_WEIGHT] > 0.0F && deep[x] < 1.0F) shape_node(shapes, node, blend, scale);
    }
}

void dr_surface_shapes_make(dr_surface_shapes *shapes, const dr_surface_world *world,
                            const size_t around[DR_SURFACE_AROUND], const float *deep)
{
    lattice lattice;
    looking look = {world, around};
    measure_lattice(&lattice, &look);
    memset(shapes->reach, 0, sizeof shapes->reach);
    shapes->widest = 0.0F;
    for (int row = 0; row < N * N; row++) {
        float line[POINTS][BLENDS];
        blend_line(&lattice, row % N, row / N, line);
        shape_row(shapes, row, line, &world->scale, deep + row * N);
        for (int a = 0; a < 3; a++) shapes->widest = fmaxf(shapes->widest, shapes->reach[a][row]);
    }
}
