// The field on the nodes of one block: kernels of the particles around, films, and what lies deep inside. Every sum is
// taken in the order of blocks, bins and particles and from integers where places are compared, so that blocks agree to
// the last bit on the nodes they share. docs/theory/reconstruction.md, eq. (7)-(10).
#include "look/surface_parts.h"

#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { N = DR_SURFACE_NODES, LANES = 8 };

// ---- particles

// (1 - q2)^3 (A + B q2): the second moment vanishes.
#define KERNEL_A 3.4375F
#define KERNEL_B -8.9375F

typedef struct range {
    int low[3], high[3]; // nodes of the block, high beyond the last
} range;

static range reach_range(const dr_surface_kernel *k, const int from[3])
{
    const float *m = k->form;
    float xx = m[1] * m[2] - m[3] * m[3], yy = m[0] * m[2] - m[4] * m[4], zz = m[0] * m[1] - m[5] * m[5];
    float determinant = m[0] * xx + m[5] * (m[3] * m[4] - m[5] * m[2]) + m[4] * (m[5] * m[3] - m[1] * m[4]);
    float minor[3] = {xx, yy, zz};
    range r;
    for (int a = 0; a < 3; a++) {
        float half = 1.0001F * sqrtf(minor[a] / determinant);
        int low = (int)ceilf(k->offset[a] - half) - from[a], high = (int)floorf(k->offset[a] + half) + 1 - from[a];
        r.low[a] = low < 0 ? 0 : low;
        r.high[a] = high > N ? N : high;
    }
    return r;
}

// The sixteen nodes of a row: q2 = a x2 + b x + c.
static void add_row(dr_surface_nodes *nodes, int row, const dr_float8 x[2], float a, float b, float c, float weight,
                    const float velocity[3])
{
    dr_float8 zero = dr_float8_all(0.0F), one = dr_float8_all(1.0F);
    for (int half = 0; half < 2; half++) {
        dr_float8 q2 = dr_float8_all(c) + x[half] * (dr_float8_all(b) + x[half] * dr_float8_all(a));
        dr_float8 inside = dr_float8_larger(zero, one - q2);
        dr_float8 w = dr_float8_all(weight) * inside * inside * inside;
        int at = row * N + half * LANES;
        dr_float8 value = w * (dr_float8_all(KERNEL_A) + dr_float8_all(KERNEL_B) * q2);
        dr_float8_store(nodes->value + at, dr_float8_load(nodes->value + at) + value);
        dr_float8_store(nodes->weight + at, dr_float8_load(nodes->weight + at) + w);
        for (int i = 0; i < 3; i++) {
            float *sum = nodes->velocity[i] + at;
            dr_float8_store(sum, dr_float8_add_product(dr_float8_load(sum), w, dr_float8_all(velocity[i])));
        }
    }
}

static void add_kernel(dr_surface_nodes *nodes, const dr_surface_kernel *k, const int32_t origin[3],
                       const float velocity[3])
{
    static const float steps[2][LANES] = {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}};
    int from[3] = {origin[0] - k->node[0], origin[1] - k->node[1], origin[2] - k->node[2]};
    range r = reach_range(k, from);
    if (r.low[0] >= r.high[0]) return;
    const float *m = k->form;
    dr_float8 x[2];
    for (int half = 0; half < 2; half++) {
        x[half] = dr_float8_load(steps[half]) + dr_float8_all((float)from[0]) - dr_float8_all(k->offset[0]);
    }
    for (int z = r.low[2]; z < r.high[2]; z++) {
        float dz = (float)(z + from[2]) - k->offset[2];
        for (int y = r.low[1]; y < r.high[1]; y++) {
            float dy = (float)(y + from[1]) - k->offset[1];
            float half_b = m[5] * dy + m[4] * dz, c = m[1] * dy * dy + 2.0F * m[3] * dy * dz + m[2] * dz * dz;
            if (m[0] * (c - 1.0F) > half_b * half_b) continue;
            add_row(nodes, z * N + y, x, m[0], 2.0F * half_b, c, k->weight, velocity);
        }
    }
}

static bool misses(const dr_surface_kernel *k, const int32_t origin[3], float reach)
{
    for (int a = 0; a < 3; a++) {
        float place = (float)(k->node[a] - origin[a]) + k->offset[a];
        if (place < -reach || place > (float)(N - 1) + reach) return true;
    }
    return false;
}

static void add_bin(dr_surface_nodes *nodes, const dr_surface_world *world, size_t bin, const int32_t origin[3])
{
    for (uint32_t i = world->bins.kernel[bin]; i < world->bins.kernel[bin + 1]; i++) {
        const dr_surface_kernel *k = world->kernels.kernel + i;
        if (misses(k, origin, world->kernels.reach)) continue;
        float velocity[3];
        for (int a = 0; a < 3; a++) velocity[a] = (float)dr_surface_number(world->points.velocity, k->particle, a);
        add_kernel(nodes, k, origin, velocity);
    }
}

static void add_particles(dr_surface_nodes *nodes, const dr_surface_world *world, const int32_t origin[3],
                          const size_t around[DR_SURFACE_AROUND])
{
    int bins = world->scale.bins;
    size_t per_block = (size_t)(bins * bins * bins);
    for (int n = 0; n < DR_SURFACE_AROUND; n++) {
        if (around[n] == world->bins.block_count) continue;
        for (size_t bin = around[n] * per_block; bin < (around[n] + 1) * per_block; bin++) {
            add_bin(nodes, world, bin, origin);
        }
    }
}

// ---- deep inside

enum { MOST_FILL = DR_SURFACE_MOST_BINS + 2 };
typedef float fill_cube[MOST_FILL][MOST_FILL][MOST_FILL]; // z, y, x; the bins of a block and one more on each side

static float gather_fill(fill_cube fill, const dr_surface_world *world, const size_t around[DR_SURFACE_AROUND])
{
    int bins = world->scale.bins;
    float least = 1.0F;
    for (int z = 0; z < bins + 2; z++) {
        for (int y = 0; y < bins + 2; y++) {
            for (int x = 0; x < bins + 2; x++) {
                int at[3] = {0, 0, 0}, step[3] = {x - 1, y - 1, z - 1};
                int64_t bin = dr_surface_bins_beside(&world->bins, bins, around, at, step);
                fill[z][y][x] = bin < 0 ? 0.0F : world->bins.fill[bin];
                least = fminf(least, fill[z][y][x]);
            }
        }
    }
    return least;
}

// Where node i lies between the middles of bins, from whole numbers alone.
static float between_bins(int i, int bins, int *bin)
{
    int twice = 2 * bins * i + DR_SURFACE_SIDE; // from the middle of the bin before the block, in 1/30 of a bin
    *bin = twice / (2 * DR_SURFACE_SIDE);
    return (float)(twice % (2 * DR_SURFACE_SIDE)) / (float)(2 * DR_SURFACE_SIDE);
}

static float blend(float a, float b, float t)
{
    return a + t * (b - a);
}

// How surely a node lies deep inside, by how full the bins around are.                                         eq. (8)
static float depth_of(float fill)
{
    float t = (fill - 0.75F) / (DR_SURFACE_FULL - 0.75F);
    t = t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
    return t * t * (3.0F - 2.0F * t);
}

static void deepen_row(dr_surface_nodes *nodes, int row, const float fill[MOST_FILL], int bins)
{
    for (int x = 0; x < N; x++) {
        int bin;
        float t = between_bins(x, bins, &bin), deep = depth_of(blend(fill[bin], fill[bin + 1], t));
        float *value = nodes->value + row * N + x;
        if (*value < 1.0F) *value += deep * (1.0F - *value);
    }
}

static void deepen(dr_surface_nodes *nodes, fill_cube fill, int bins)
{
    for (int z = 0; z < N; z++) {
        int bz, by;
        float tz = between_bins(z, bins, &bz);
        for (int y = 0; y < N; y++) {
            float ty = between_bins(y, bins, &by), along[MOST_FILL] = {0.0F};
            for (int x = 0; x < bins + 2; x++) {
                along[x] = blend(blend(fill[bz][by][x], fill[bz][by + 1][x], ty),
                                 blend(fill[bz + 1][by][x], fill[bz + 1][by + 1][x], ty), tz);
            }
            deepen_row(nodes, z * N + y, along, bins);
        }
    }
}

// ---- films

// Share of each corner at the point of the segment nearest to d.
static void nearest_on_segment(const dr_surface_film *film, const float d[3], float share[3])
{
    float along = 0.0F, length2 = 0.0F;
    for (int a = 0; a < 3; a++) {
        float edge = film->corner[1][a] - film->corner[0][a];
        along += (d[a] - film->corner[0][a]) * edge;
        length2 += edge * edge;
    }
    float t = length2 > 0.0F ? along / length2 : 0.0F;
    share[1] = t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
    share[0] = 1.0F - share[1];
    share[2] = 0.0F;
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void share_edge(float share[3], int a, int b, float t)
{
    share[0] = share[1] = share[2] = 0.0F;
    t = t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
    share[a] = 1.0F - t;
    share[b] = t;
}

static float parameter_on(const float d[3], const float a[3], const float b[3])
{
    float edge[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, from[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
    float length2 = dot(edge, edge);
    return length2 > 0.0F ? dot(from, edge) / length2 : 0.0F;
}

static float distance2_at(const dr_surface_film *film, const float d[3], const float share[3])
{
    float sum = 0.0F;
    for (int a = 0; a < 3; a++) {
        float place = share[0] * film->corner[0][a] + share[1] * film->corner[1][a] + share[2] * film->corner[2][a];
        sum += (d[a] - place) * (d[a] - place);
    }
    return sum;
}

// Inside the triangle's prism by its plane, elsewhere on the nearest of its edges.
static void nearest_on_triangle(const dr_surface_film *film, const float d[3], float share[3])
{
    const float *a = film->corner[0], *b = film->corner[1], *c = film->corner[2];
    float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    float w[3] = {d[0] - a[0], d[1] - a[1], d[2] - a[2]};
    float uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), uw = dot(u, w), vw = dot(v, w), area2 = uu * vv - uv * uv;
    if (area2 > 1e-12F * uu * vv) {
        share[1] = (vv * uw - uv * vw) / area2;
        share[2] = (uu * vw - uv * uw) / area2;
        share[0] = 1.0F - share[1] - share[2];
        if (share[0] >= 0.0F && share[1] >= 0.0F && share[2] >= 0.0F) return;
    }
    float best = INFINITY;
    for (int edge = 0; edge < 3; edge++) {
        float trial[3];
        share_edge(trial, edge, (edge + 1) % 3, parameter_on(d, film->corner[edge], film->corner[(edge + 1) % 3]));
        float distance2 = distance2_at(film, d, trial);
        if (distance2 >= best) continue;
        best = distance2;
        memcpy(share, trial, sizeof trial);
    }
}

// 1 inside, 0 outside, 1/2 at the film's radius; films thinner than the blend fade.                           eq. (10)
static float film_value(float distance, float radius, bool tube)
{
    float wide = (float)DR_SURFACE_BLEND, thin = radius < wide ? radius / wide : 1.0F;
    float t = radius < wide ? 1.0F - distance / (radius + wide) : (radius + wide - distance) / (2.0F * wide);
    t = t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
    return (tube ? thin * thin : thin) * t * t * (3.0F - 2.0F * t);
}

static void add_film_node(dr_surface_nodes *nodes, const dr_surface_film *film, const float d[3], int node)
{
    float share[3] = {1.0F, 0.0F, 0.0F};
    bool tube = film->corners == 2;
    if (tube) {
        nearest_on_segment(film, d, share);
    } else {
        nearest_on_triangle(film, d, share);
    }
    float radius = share[0] * film->radius[0] + share[1] * film->radius[1] + share[2] * film->radius[2];
    float value = film_value(sqrtf(distance2_at(film, d, share)), radius, tube);
    if (!(value > 0.0F)) return;
    nodes->larger[node] = fmaxf(nodes->larger[node], value);
    nodes->weight[node] += value;
    for (int a = 0; a < 3; a++) {
        nodes->velocity[a][node] += value * (share[0] * film->velocity[0][a] + share[1] * film->velocity[1][a] +
                                             share[2] * film->velocity[2][a]);
    }
}

static range film_range(const dr_surface_film *film, const int from[3])
{
    range r;
    for (int a = 0; a < 3; a++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < film->corners; i++) {
            low = fminf(low, film->corner[i][a] - film->radius[i] - (float)DR_SURFACE_BLEND);
            high = fmaxf(high, film->corner[i][a] + film->radius[i] + (float)DR_SURFACE_BLEND);
        }
        int first = (int)floorf(low) - from[a], last = (int)ceilf(high) + 1 - from[a];
        r.low[a] = first < 0 ? 0 : first;
        r.high[a] = last > N ? N : last;
    }
    return r;
}

static void add_film(dr_surface_nodes *nodes, const dr_surface_film *film, const int32_t origin[3])
{
    int from[3] = {origin[0] - film->node[0], origin[1] - film->node[1], origin[2] - film->node[2]};
    range r = film_range(film, from);
    for (int z = r.low[2]; z < r.high[2]; z++) {
        for (int y = r.low[1]; y < r.high[1]; y++) {
            for (int x = r.low[0]; x < r.high[0]; x++) {
                float d[3] = {(float)(x + from[0]), (float)(y + from[1]), (float)(z + from[2])};
                add_film_node(nodes, film, d, (z * N + y) * N + x);
            }
        }
    }
}

static void add_owner(dr_surface_nodes *nodes)
{
    for (int n = 0; n < DR_SURFACE_BLOCK_NODES; n++) {
        if (nodes->larger[n] > 0.0F) nodes->value[n] = fmaxf(nodes->value[n], 0.0F) + nodes->larger[n];
    }
    memset(nodes->larger, 0, sizeof nodes->larger);
}

static size_t first_item(const dr_surface_films *films, uint64_t key)
{
    size_t low = 0, high = films->item_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (films->item[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool has_films(const dr_surface_films *films, uint64_t key)
{
    size_t i = first_item(films, key);
    return i < films->item_count && films->item[i].key == key;
}

static void add_films(dr_surface_nodes *nodes, const dr_surface_films *films, uint64_t key, const int32_t origin[3])
{
    if (!has_films(films, key)) return;
    memset(nodes->larger, 0, sizeof nodes->larger);
    uint32_t owner = 0;
    for (size_t i = first_item(films, key); i < films->item_count && films->item[i].key == key; i++) {
        const dr_surface_film *film = films->film + films->item[i].value;
        if (film->owner != owner) add_owner(nodes);
        owner = film->owner;
        add_film(nodes, film, origin);
    }
    add_owner(nodes);
}

bool dr_surface_nodes_evaluate(dr_surface_nodes *nodes, const dr_surface_world *world, uint64_t key)
{
    int32_t block[3], origin[3];
    size_t around[DR_SURFACE_AROUND];
    fill_cube fill;
    dr_surface_block_of(key, block);
    for (int a = 0; a < 3; a++) origin[a] = block[a] * DR_SURFACE_SIDE;
    dr_surface_around(world->bins.key, world->bins.block_count, block, around);
    if (gather_fill(fill, world, around) >= DR_SURFACE_FULL) return false;
    memset(nodes->value, 0, sizeof nodes->value);
    memset(nodes->weight, 0, sizeof nodes->weight);
    memset(nodes->velocity, 0, sizeof nodes->velocity);
    add_particles(nodes, world, origin, around);
    deepen(nodes, fill, world->scale.bins);
    add_films(nodes, &world->films, key, origin);
    return true;
}
