// Curvature from a smoothed level set. docs/theory/tension.md, eq. (1)-(4).
//   g  gradient      H  second derivatives: xx yy zz yz zx xy
#include "liquid/curvature.h"

#include "grid/halo.h"
#include "liquid/tuning.h"

#include <math.h>

enum {
    REACH = 3,
    AROUND = REACH + 1,
    WIDE = DR_BLOCK_SIDE + 2 * AROUND,
    SIDE = DR_BLOCK_SIDE + 2,
    TAPS = 2 * REACH + 1
};

#define KNOWN (DR_LIQUID_BAND - DR_LIQUID_BAND_END) // cells: the level is good up to here,
#define FAR   (DR_TENSION_BAND + (float)REACH)      // and wanted up to here

static const float tap[TAPS] = {1.0F / 64, 6.0F / 64, 15.0F / 64, 20.0F / 64, 15.0F / 64, 6.0F / 64, 1.0F / 64};

// One axis of WIDE rows of `length` becomes SIDE rows.
DR_INLINE void smooth_axis(const float *from, int length, float *to)
{
    for (int i = 0; i < SIDE; i++) {
        for (int r = 0; r < length; r++) {
            float sum = 0.0F;
            for (int t = 0; t < TAPS; t++) sum += tap[t] * from[(i + t) * length + r];
            to[i * length + r] = sum;
        }
    }
}

// The level around a block, in cells, smoothed by three passes of (1 2 1)/4 along each axis: item (x, y, z),
// -1 <= x, y, z <= 4.
static bool load_smooth(const dr_grid *grid, size_t block, const float *level, float smooth[SIDE * SIDE * SIDE])
{
    float wide[WIDE * WIDE * WIDE], flat[SIDE * WIDE * WIDE], line[SIDE * SIDE * WIDE];
    float limit = FAR * (float)grid->cell, scale = 1.0F / (float)grid->cell;
    bool near = false;
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        near = near || fabsf(level[block * DR_BLOCK_NODES + (size_t)c]) < DR_TENSION_BAND * (float)grid->cell;
    }
    if (!near) return false;
    dr_halo_load_wide(grid, block, level, AROUND, AROUND, limit, wide);
    for (int i = 0; i < WIDE * WIDE * WIDE; i++) wide[i] = scale * fminf(fmaxf(wide[i], -limit), limit);
    smooth_axis(wide, WIDE * WIDE, flat);
    for (int x = 0; x < SIDE; x++) smooth_axis(flat + x * WIDE * WIDE, WIDE, line + x * SIDE * WIDE);
    for (int xy = 0; xy < SIDE * SIDE; xy++) smooth_axis(line + xy * WIDE, 1, smooth + xy * SIDE);
    return true;
}

typedef struct shape {
    double g[3], h[6];
} shape;

static shape differentiate(const float *f)
{
    static const int step[3] = {SIDE * SIDE, SIDE, 1};
    shape s;
    for (int a = 0; a < 3; a++) {
        int u = step[(a + 1) % 3], v = step[(a + 2) % 3];
        s.g[a] = 0.5 * (double)(f[step[a]] - f[-step[a]]);
        s.h[a] = (double)f[step[a]] - 2.0 * (double)f[0] + (double)f[-step[a]];
        s.h[3 + a] = 0.25 * (double)(f[u + v] - f[u - v] - f[v - u] + f[-u - v]);
    }
    return s;
}

// Sum and product of the principal curvatures of the level surface, eq. (2)-(3), in cells.
static bool bend(const shape *s, double *mean, double *gauss)
{
    double size = sqrt(s->g[0] * s->g[0] + s->g[1] * s->g[1] + s->g[2] * s->g[2]), sum = 0.0, product = 0.0;
    if (size < DR_CURVATURE_LEAST_SLOPE) return false; // a crease, or a speck
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        double gg = s->g[b] * s->g[c];
        sum += (s->h[b] + s->h[c]) * s->g[a] * s->g[a] - 2.0 * gg * s->h[3 + a];
        product += s->g[a] * s->g[a] * (s->h[b] * s->h[c] - s->h[3 + a] * s->h[3 + a]);
        product += 2.0 * gg * (s->h[3 + b] * s->h[3 + c] - s->h[a] * s->h[3 + a]);
    }
    *mean = sum / (size * size * size);
    *gauss = product / (size * size * size * size);
    return true;
}

// One principal curvature, on the parallel surface `distance` below.
static double shift(double curvature, double distance)
{
    return curvature / fmax(1.0 - distance * curvature, DR_CURVATURE_LEAST_STRETCH);
}

// The sum at the surface, `distance` below the cell's centre, eq. (4).
static double move_to_surface(double mean, double gauss, double distance)
{
    double half = 0.5 * mean, root = sqrt(fmax(half * half - gauss, 0.0));
    double moved = shift(half + root, distance) + shift(half - root, distance);
    return fmin(fmax(moved, -1.0), 1.0);
}

// ---- the level beyond three cells

typedef struct extension {
    const dr_grid *grid;
    const float *from;
    float *to;
    float known; // cells
} extension;

// Distance behind three planes a <= b <= c away along the axes, one cell on: the upwind solution of |grad| = 1.
static float step_on(float a, float b, float c)
{
    float two = a + b, three = two + c;
    if (b - a >= 1.0F) return a + 1.0F;
    float d = 0.5F * (two + sqrtf(2.0F - (b - a) * (b - a)));
    if (d <= c) return d;
    float square = three * three - 3.0F * (a * a + b * b + c * c - 1.0F);
    return (three + sqrtf(fmaxf(square, 0.0F))) / 3.0F;
}

static float extend_cell(const float *f, float sign)
{
    static const int step[3] = {SIDE * SIDE, SIDE, 1};
    float low[3];
    for (int a = 0; a < 3; a++) {
        float up = sign * f[step[a]], down = sign * f[-step[a]]; // of the other sign: the end of the grid
        low[a] = fminf(up > 0.0F ? up : FAR, down > 0.0F ? down : FAR);
    }
    float least = fminf(low[0], fminf(low[1], low[2])), most = fmaxf(low[0], fmaxf(low[1], low[2]));
    return sign * fminf(step_on(least, low[0] + low[1] + low[2] - least - most, most), FAR);
}

// What a block and one layer around it know, in cells; false where they know nothing.
static bool load_known(const extension *job, size_t block, float around[SIDE * SIDE * SIDE])
{
    float scale = 1.0F / (float)job->grid->cell;
    bool some = false;
    dr_halo_load(job->grid, block, job->from, FAR * (float)job->grid->cell, around);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        around[i] *= scale;
        bool known = fabsf(around[i]) <= job->known;
        if (!known) around[i] = copysignf(FAR, around[i]);
        some = some || known;
    }
    return some;
}

static void extend_block(const extension *job, size_t block)
{
    float around[SIDE * SIDE * SIDE], cell = (float)job->grid->cell;
    const float *from = job->from + block * DR_BLOCK_NODES;
    float *to = job->to + block * DR_BLOCK_NODES;
    bool beyond = false;
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        to[c] = from[c];
        beyond = beyond || fabsf(from[c]) > job->known * cell;
    }
    if (!beyond) return;
    bool some = load_known(job, block, around);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        const float *at = around + (((c >> 4) + 1) * SIDE + (c >> 2 & 3) + 1) * SIDE + (c & 3) + 1;
        if (fabsf(*at) > job->known) to[c] = cell * (some ? extend_cell(at, copysignf(1.0F, *at)) : *at);
    }
}

static void extend_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) extend_block(user, b);
}

// ---- all blocks

typedef struct job {
    const dr_grid *grid;
    const float *level;
    float *curvature;
} job;

static void find_block(const job *j, size_t block)
{
    float smooth[SIDE * SIDE * SIDE];
    bool near = load_smooth(j->grid, block, j->level, smooth);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        size_t item = block * DR_BLOCK_NODES + (size_t)c;
        double distance = (double)j->level[item] / j->grid->cell, mean, gauss;
        j->curvature[item] = 0.0F;
        if (!near || !(fabs(distance) < (double)DR_TENSION_BAND)) continue;
        shape s = differentiate(smooth + (((c >> 4) + 1) * SIDE + (c >> 2 & 3) + 1) * SIDE + (c & 3) + 1);
        if (bend(&s, &mean, &gauss))
            j->curvature[item] = (float)(move_to_surface(mean, gauss, distance) / j->grid->cell);
    }
}

static void find_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) find_block(user, b);
}

void dr_curvature_find(const dr_grid *grid, const dr_par *par, const float *level, float *spare, float *curvature)
{
    float *second = spare + grid->block_count * DR_BLOCK_NODES;
    extension once = {grid, level, spare, KNOWN}, twice = {grid, spare, second, KNOWN + 1.0F};
    dr_par_for(par, grid->block_count, 16, extend_blocks, &once);
    dr_par_for(par, grid->block_count, 16, extend_blocks, &twice);
    job j = {grid, second, curvature};
    dr_par_for(par, grid->block_count, 16, find_blocks, &j);
}
