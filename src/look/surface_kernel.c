// A kernel for every particle near the surface, shaped by the spread of the volume around it: round in the bulk, flat
// in a sheet, narrow in a thread or a lone drop. docs/theory/reconstruction.md, eq. (3)-(7).
//   m0, m1, m2   moments of the neighbours' volume        C   their covariance
//   K            covariance of the kernel
#include "look/surface_parts.h"

#include "math/simd.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { CHUNK = 512, LANES = 8, MOMENTS = 11 };

// Particles in a struct of arrays, in cells from the corner of a block.
typedef struct crowd {
    int count;
    float position[3][CHUNK];
    float volume[CHUNK]; // of typical ones
    float own[CHUNK];    // its power 2/3
} crowd;

typedef struct shaping {
    dr_surface_kernels *kernels;
    const dr_surface_bins *bins;
    const dr_surface_scale *scale;
    const dr_surface_points *points;
    float *reach; // [block]
} shaping;

static void add_to_crowd(crowd *crowd, const shaping *job, const int32_t block[3], uint32_t p)
{
    int i = crowd->count++;
    for (int a = 0; a < 3; a++) {
        double place = dr_surface_number(job->points->position, p, a) / job->scale->cell;
        crowd->position[a][i] = (float)(place - (double)DR_SURFACE_SIDE * block[a]);
    }
    double cell = job->scale->cell, volume = dr_surface_number(job->points->volume, p, 0) / (cell * cell * cell);
    crowd->volume[i] = (float)(volume / job->scale->volume);
    crowd->own[i] = powf(crowd->volume[i], 2.0F / 3.0F);
}

// Fills the last lanes up with nothing.
static void pad_crowd(crowd *crowd)
{
    while (crowd->count % LANES) {
        int i = crowd->count++;
        for (int a = 0; a < 3; a++) crowd->position[a][i] = 1e6F;
        crowd->volume[i] = crowd->own[i] = 0.0F;
    }
}

// m0, m1, m2 (xx, yy, zz, yz, zx, xy), own spread, with weight V (1 - d2/near2)^2                               eq. (3)
static void add_moments(const crowd *near, const float centre[3], float inverse_near2, dr_float8 sum[MOMENTS])
{
    dr_float8 c[3], zero = dr_float8_all(0.0F), one = dr_float8_all(1.0F), scale = dr_float8_all(inverse_near2);
    for (int a = 0; a < 3; a++) c[a] = dr_float8_all(centre[a]);
    for (int i = 0; i < near->count; i += LANES) {
        dr_float8 d[3];
        for (int a = 0; a < 3; a++) d[a] = dr_float8_load(near->position[a] + i) - c[a];
        dr_float8 inside = dr_float8_larger(zero, one - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * scale);
        dr_float8 w = dr_float8_load(near->volume + i) * inside * inside;
        sum[0] += w;
        for (int a = 0; a < 3; a++) {
            dr_float8 wd = w * d[a];
            sum[1 + a] += wd;
            sum[4 + a] = dr_float8_add_product(sum[4 + a], wd, d[a]);
            sum[7 + a] = dr_float8_add_product(sum[7 + a], w * d[(a + 1) % 3], d[(a + 2) % 3]);
        }
        sum[10] = dr_float8_add_product(sum[10], w, dr_float8_load(near->own + i));
    }
}

static float total(dr_float8 v)
{
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

// C in typical spacings squared, with what the particles spread by themselves.                                 eq. (4)
static void find_covariance(const dr_float8 sum[MOMENTS], float spacing, float c[6])
{
    float m0 = total(sum[0]), mean[3], scale = 1.0F / (spacing * spacing), own = total(sum[10]) / (12.0F * m0);
    for (int a = 0; a < 3; a++) mean[a] = total(sum[1 + a]) / m0;
    for (int a = 0; a < 3; a++) {
        c[a] = (total(sum[4 + a]) / m0 - mean[a] * mean[a]) * scale + own;
        c[3 + a] = (total(sum[7 + a]) / m0 - mean[(a + 1) % 3] * mean[(a + 2) % 3]) * scale;
    }
}

// The inverse of a symmetric matrix; returns the determinant.
static float invert(const float k[6], float out[6])
{
    float xx = k[1] * k[2] - k[3] * k[3], xy = k[3] * k[4] - k[5] * k[2], zx = k[5] * k[3] - k[1] * k[4];
    float determinant = k[0] * xx + k[5] * xy + k[4] * zx, scale = 1.0F / determinant;
    out[0] = scale * xx;
    out[1] = scale * (k[0] * k[2] - k[4] * k[4]);
    out[2] = scale * (k[0] * k[1] - k[5] * k[5]);
    out[3] = scale * (k[4] * k[5] - k[0] * k[3]);
    out[4] = scale * zx;
    out[5] = scale * xy;
    return determinant;
}

#define LONE       0.156F // base of a lone particle
#define KERNEL_K   11.0F  // q = 1 at K times this
#define LEAST_BASE 0.04F
#define MOST_REACH (0.99F * DR_SURFACE_SIDE) // no kernel reaches past the blocks around its own

// Of the volume around alone, which is the same before and after a split.                                      eq. (5)
static float base_of(float m0)
{
    float base = LONE * (m0 < 1.0F ? powf(m0, 2.0F / 3.0F) : powf(m0, 0.15F));
    return fmaxf(base, LEAST_BASE);
}

static void shape_kernel(const dr_float8 sum[MOMENTS], const dr_surface_scale *scale, float volume,
                         dr_surface_kernel *kernel, float *reach)
{
    float c[6], form[6], s2 = scale->spacing * scale->spacing, base = base_of(total(sum[0])), widest = 0.0F;
    find_covariance(sum, scale->spacing, c);
    for (int a = 0; a < 3; a++) {
        c[a] = KERNEL_K * s2 * (scale->smooth * c[a] + base);
        c[3 + a] = KERNEL_K * s2 * scale->smooth * c[3 + a];
        widest = fmaxf(widest, sqrtf(c[a]));
    }
    if (widest > MOST_REACH) {
        for (int n = 0; n < 6; n++) c[n] *= MOST_REACH * MOST_REACH / (widest * widest);
        widest = MOST_REACH;
    }
    *reach = fmaxf(*reach, widest);
    float determinant = invert(c, form);
    memcpy(kernel->form, form, sizeof form);
    kernel->weight = volume * (float)scale->volume * (float)(315.0 / (64.0 * PI)) / sqrtf(determinant); // eq. (6)
}

static void collect(crowd *crowd, const shaping *job, const int32_t block[3], uint32_t *from, uint32_t to)
{
    while (*from < to && crowd->count < CHUNK) add_to_crowd(crowd, job, block, job->bins->order[(*from)++]);
}

static void gather_moments(const shaping *job, const size_t *around, const int32_t block[3], const int at[3],
                           const crowd *mine, dr_float8 (*sum)[MOMENTS])
{
    crowd near;
    float inverse = 1.0F / (job->scale->near * job->scale->near);
    for (int n = 0; n < 27; n++) {
        int step[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        int64_t bin = dr_surface_bins_beside(job->bins, job->scale->bins, around, at, step);
        if (bin < 0) continue;
        uint32_t from = job->bins->first[bin], to = job->bins->first[bin + 1];
        while (from < to) {
            near.count = 0;
            collect(&near, job, block, &from, to);
            pad_crowd(&near);
            for (int i = 0; i < mine->count; i++) {
                float centre[3] = {mine->position[0][i], mine->position[1][i], mine->position[2][i]};
                add_moments(&near, centre, inverse, sum[i]);
            }
        }
    }
}

enum { GROUP = 32 };

static float shape_bin(const shaping *job, const size_t *around, const int32_t block[3], const int at[3], size_t bin)
{
    float reach = 0.0F;
    dr_surface_kernel *kernel = job->kernels->kernel + job->bins->kernel[bin];
    uint32_t end = job->bins->first[bin + 1];
    for (uint32_t p = job->bins->first[bin]; p < end;) {
        crowd mine = {.count = 0};
        uint32_t first = p, stop = end - p > GROUP ? p + GROUP : end;
        collect(&mine, job, block, &p, stop);
        dr_float8 sum[GROUP][MOMENTS] = {0};
        gather_moments(job, around, block, at, &mine, sum);
        for (int i = 0; i < mine.count; i++, kernel++) {
            for (int a = 0; a < 3; a++) {
                float low = floorf(mine.position[a][i]);
                kernel->node[a] = (int32_t)low + DR_SURFACE_SIDE * block[a];
                kernel->offset[a] = mine.position[a][i] - low;
            }
            kernel->particle = job->bins->order[first + (uint32_t)i];
            shape_kernel(sum[i], job->scale, mine.volume[i], kernel, &reach);
        }
    }
    return reach;
}

static void shape_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const shaping *job = user;
    int bins = job->scale->bins, per_block = bins * bins * bins;
    for (size_t b = begin; b < end; b++) {
        int32_t block[3];
        size_t around[DR_SURFACE_AROUND];
        dr_surface_block_of(job->bins->key[b], block);
        dr_surface_around(job->bins->key, job->bins->block_count, block, around);
        job->reach[b] = 0.0F;
        for (int n = 0; n < per_block; n++) {
            size_t bin = b * (size_t)per_block + (size_t)n;
            int at[3] = {n % bins, n / bins % bins, n / bins / bins};
            if (job->bins->kernel[bin] == job->bins->kernel[bin + 1]) continue;
            job->reach[b] = fmaxf(job->reach[b], shape_bin(job, around, block, at, bin));
        }
    }
}

// ---- which particles need one

typedef struct picking {
    dr_surface_bins *bins;
    int per_side;
} picking;

// Whether a bin lies so near to one that is not full that its particles reach where the field is looked at.
static bool is_near(const picking *job, const size_t *around, const int at[3])
{
    int wide = job->per_side < 2 ? 1 : 2, side = 2 * wide + 1;
    for (int n = 0; n < side * side * side; n++) {
        int step[3] = {n % side - wide, n / side % side - wide, n / side / side - wide};
        int64_t bin = dr_surface_bins_beside(job->bins, job->per_side, around, at, step);
        if (bin < 0 || job->bins->fill[bin] < DR_SURFACE_FULL) return true;
    }
    return false;
}

static void pick_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const picking *job = user;
    dr_surface_bins *bins = job->bins;
    int side = job->per_side, per_block = side * side * side;
    for (size_t b = begin; b < end; b++) {
        int32_t block[3];
        size_t around[DR_SURFACE_AROUND];
        dr_surface_block_of(bins->key[b], block);
        dr_surface_around(bins->key, bins->block_count, block, around);
        for (int n = 0; n < per_block; n++) {
            size_t bin = b * (size_t)per_block + (size_t)n;
            int at[3] = {n % side, n / side % side, n / side / side};
            uint32_t count = bins->first[bin + 1] - bins->first[bin];
            bins->kernel[bin + 1] = count > 0 && is_near(job, around, at) ? count : 0;
        }
    }
}

bool dr_surface_kernels_open(dr_surface_kernels *kernels, dr_surface_bins *bins, const dr_surface_scale *scale,
                             const dr_surface_points *points, const dr_par *par, const dr_allocator *allocator)
{
    *kernels = (dr_surface_kernels){0};
    if (bins->bin_count == 0) return true;
    dr_par_for(par, bins->block_count, 32, pick_blocks, &(picking){bins, scale->bins});
    for (size_t bin = 0; bin < bins->bin_count; bin++) bins->kernel[bin + 1] += bins->kernel[bin];
    kernels->count = bins->kernel[bins->bin_count];
    kernels->kernel = dr_memory_alloc(allocator, kernels->count * sizeof *kernels->kernel);
    size_t bytes = bins->block_count * sizeof(float);
    shaping job = {kernels, bins, scale, points, dr_memory_alloc(allocator, bytes)};
    bool done = kernels->kernel && job.reach;
    if (done) {
        dr_par_for(par, bins->block_count, 4, shape_blocks, &job);
        for (size_t b = 0; b < bins->block_count; b++) kernels->reach = fmaxf(kernels->reach, job.reach[b]);
    }
    dr_memory_free(allocator, job.reach, bytes);
    return done;
}

void dr_surface_kernels_close(dr_surface_kernels *kernels, const dr_allocator *allocator)
{
    dr_memory_free(allocator, kernels->kernel, kernels->count * sizeof *kernels->kernel);
    *kernels = (dr_surface_kernels){0};
}
