// The field on the nodes of one block: kernels of the particles around, films, and what lies deep inside. Every sum is
// taken in the order of blocks, bins and particles and from integers where places are compared, so that blocks agree to
// the last bit on the nodes they share. docs/theory/reconstruction.md, eq. (7)-(10).
#include "look/surface_near.h"
#include "look/surface_parts.h"

#include "math/simd.h"

#include <math.h>
#include <string.h>

enum { N = DR_SURFACE_NODES, LANES = 8 };

// ---- particles

// (1 - q2)^3 (A + B q2): its second moment over a plane through the middle vanishes, so that a curved surface stays
// where it is.
#define KERNEL_A 5.5F
#define KERNEL_B -16.5F

typedef struct grain {
    float place[3]; // in its own block
    int from[3];    // of that block to this one, nodes
    float volume, velocity[3];
} grain;

// Eight nodes of a row that lie at x, y, z from a particle.                                                     eq. (7)
DR_INLINE void add_eight(dr_surface_nodes *nodes, int at, dr_float8 x, float dy, float dz, const grain *g)
{
    dr_float8 one = dr_float8_all(1.0F), y = dr_float8_all(dy), z = dr_float8_all(dz), m[6];
    for (int i = 0; i < 6; i++) m[i] = dr_float8_load(nodes->shapes.form[i] + at);
    dr_float8 mx = dr_float8_add_product(dr_float8_add_product(m[0] * x, m[5], y), m[4], z);
    dr_float8 my = dr_float8_add_product(dr_float8_add_product(m[5] * x, m[1], y), m[3], z);
    dr_float8 mz = dr_float8_add_product(dr_float8_add_product(m[4] * x, m[3], y), m[2], z);
    dr_float8 q2 = dr_float8_add_product(dr_float8_add_product(mx * x, my, y), mz, z);
    if (dr_float8_every_less(one, q2)) return;
    dr_float8 inside = dr_float8_larger(dr_float8_all(0.0F), one - q2);
    dr_float8 w = dr_float8_all(g->volume) * dr_float8_load(nodes->shapes.scale + at) * inside * inside * inside;
    w *= dr_float8_add_product(dr_float8_all(KERNEL_A), dr_float8_all(KERNEL_B), q2);
    dr_float8_store(nodes->value + at, dr_float8_load(nodes->value + at) + w);
    for (int i = 0; i < 3; i++) {
        float *sum = nodes->velocity[i] + at;
        dr_float8_store(sum, dr_float8_add_product(dr_float8_load(sum), w, dr_float8_all(g->velocity[i])));
    }
}

#define MARGIN 1.001F // beyond it a kernel is 0 whatever the rounding

// Whether the eight nodes from x on lie within reach.
static bool meets(float x, float reach)
{
    return x <= MARGIN * reach && x + (float)(LANES - 1) >= -MARGIN * reach;
}

typedef struct range {
    int low[3], high[3]; // nodes of the block, high beyond the last
} range;

static range nodes_within(const grain *g, float reach)
{
    range r;
    for (int a = 0; a < 3; a++) {
        float place = g->place[a] - (float)g->from[a];
        int low = (int)floorf(place - reach), high = (int)ceilf(place + reach) + 1;
        r.low[a] = low < 0 ? 0 : low;
        r.high[a] = high > N ? N : high;
    }
    return r;
}

static void add_grain(dr_surface_nodes *nodes, const grain *g)
{
    static const float steps[2][LANES] = {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}};
    const dr_surface_shapes *shapes = &nodes->shapes;
    dr_float8 dx[2];
    for (int half = 0; half < 2; half++) {
        dx[half] = dr_float8_load(steps[half]) + dr_float8_all((float)g->from[0]) - dr_float8_all(g->place[0]);
    }
    float x[2] = {dx[0][0], dx[1][0]};
    range r = nodes_within(g, MARGIN * shapes->widest);
    for (int z = r.low[2]; z < r.high[2]; z++) {
        float dz = (float)(z + g->from[2]) - g->place[2];
        for (int y = r.low[1]; y < r.high[1]; y++) {
            int row = z * N + y;
            float dy = (float)(y + g->from[1]) - g->place[1];
            if (fabsf(dz) > MARGIN * shapes->reach[2][row] || fabsf(dy) > MARGIN * shapes->reach[1][row]) continue;
            if (meets(x[0], shapes->reach[0][row])) add_eight(nodes, row * N, dx[0], dy, dz, g);
            if (meets(x[1], shapes->reach[0][row])) add_eight(nodes, row * N + LANES, dx[1], dy, dz, g);
        }
    }
}

static bool misses(const grain *g, float reach)
{
    for (int a = 0; a < 3; a++) {
        float place = g->place[a] - (float)g->from[a];
        if (place < -MARGIN * reach || place > (float)(N - 1) + MARGIN * reach) return true;
    }
    return false;
}

static void add_bin(dr_surface_nodes *nodes, const dr_surface_world *world, size_t bin, grain *g)
{
    const dr_surface_grains *grains = &world->grains;
    for (uint32_t i = world->bins.grain[bin]; i < world->bins.grain[bin + 1]; i++) {
        for (int a = 0; a < 3; a++) g->place[a] = grains->place[a][i];
        if (misses(g, nodes->shapes.widest)) continue;
        g->volume = grains->volume[i];
        for (int a = 0; a < 3; a++) {
            g->velocity[a] = (float)dr_surface_number(world->points.velocity, grains->particle[i], a);
        }
        add_grain(nodes, g);
    }
}

static void add_particles(dr_surface_nodes *nodes, const dr_surface_world *world,
                          const size_t around[DR_SURFACE_AROUND])
{
    size_t per_block = (size_t)(world->scale.bins * world->scale.bins * world->scale.bins);
    for (int n = 0; n < DR_SURFACE_AROUND; n++) {
        if (around[n] == world->bins.block_count) continue;
        int side[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
        grain g;
        for (int a = 0; a < 3; a++) g.from[a] = -side[a] * DR_SURFACE_SIDE;
        for (size_t bin = around[n] * per_block; bin < (around[n] + 1) * per_block; bin++) {
            add_bin(nodes, world, bin, &g);
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
    float t = (fill - 0.7F) / (DR_SURFACE_FULL - 0.7F);
    t = t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
    return t * t * (3.0F - 2.0F * t);
}

static void measure_depth(float *deep, fill_cube fill, int bins)
{
    for (int z = 0; z < N; z++) {
        int bz, by, bx;
        float tz = between_bins(z, bins, &bz);
        for (int y = 0; y < N; y++) {
            float ty = between_bins(y, bins, &by), along[MOST_FILL] = {0.0F};
            for (int x = 0; x < bins + 2; x++) {
                along[x] = blend(blend(fill[bz][by][x], fill[bz][by + 1][x], ty),
                                 blend(fill[bz + 1][by][x], fill[bz + 1][by + 1][x], ty), tz);
            }
            for (int x = 0; x < N; x++) {
                float tx = between_bins(x, bins, &bx);
                *deep++ = depth_of(blend(along[bx], along[bx + 1], tx));
            }
        }
    }
}

static void deepen(dr_surface_nodes *nodes)
{
    for (int n = 0; n < DR_SURFACE_BLOCK_NODES; n++) {
        if (nodes->value[n] < 1.0F) nodes->value[n] += nodes->deep[n] * (1.0F - nodes->value[n]);
    }
}

// ---- films

// 1 inside, 0 outside, 1/2 at the film's radius; films thinner than the blend fade.                           eq. (10)
static float film_value(float distance, float radius, bool tube)
{
    float wide = (float)DR_SURFACE_BLEND, thin = radius < wide ? radius / wide : 1.0F;
    float t = radius < wide ? 1.0F - distance / (radius + wide) : (radius + wide - distance) / (2.0F * wide);
    t = t < 0.0F ? 0.0F : t > 1.0F ? 1.0F : t;
    return (tube ? thin * thin : thin) * t * t * (3.0F - 2.0F * t);
}

typedef struct closeness {
    float share[3]; // of the corners at the nearest point
    float distance, radius;
} closeness;

// A tube goes round its axis. Beyond an end where its curve goes on it gets thinner, so that it fills the outside of a
// bend but does not stand out of a curve's next, thinner part; at a curve's own end it is round.
static closeness near_tube(const dr_surface_film *film, const float d[3])
{
    float t = dr_surface_near_along(d, film->corner[0], film->corner[1]), inside = fmaxf(0.0F, fminf(1.0F, t));
    bool goes_on = t < 0.0F ? !film->open[0] : !film->open[1];
    closeness c = {.share = {1.0F - inside, inside, 0.0F}};
    float edge[3], axis[3] = {1.0F - t, t, 0.0F};
    for (int a = 0; a < 3; a++) edge[a] = film->corner[1][a] - film->corner[0][a];
    float beyond = goes_on ? fabsf(t - inside) * sqrtf(dr_surface_near_dot(edge, edge)) : 0.0F;
    c.radius = c.share[0] * film->radius[0] + inside * film->radius[1] - 0.5F * beyond;
    c.distance = sqrtf(dr_surface_near_distance2(film->corner, d, goes_on ? axis : c.share));
    return c;
}

static closeness near_slab(const dr_surface_film *film, const float d[3])
{
    closeness c = {.radius = 0.0F};
    dr_surface_near_triangle(film->corner, d, c.share);
    for (int i = 0; i < 3; i++) c.radius += c.share[i] * film->radius[i];
    c.distance = sqrtf(dr_surface_near_distance2(film->corner, d, c.share));
    return c;
}

static void add_film_node(dr_surface_nodes *nodes, const dr_surface_film *film, const float d[3], int node)
{
    bool tube = film->corners == 2;
    closeness c = tube ? near_tube(film, d) : near_slab(film, d);
    float value = c.radius > 0.0F ? film_value(c.distance, c.radius, tube) : 0.0F;
    if (!(value > 0.0F)) return;
    nodes->larger[node] = fmaxf(nodes->larger[node], value);
    nodes->weight[node] += value;
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) nodes->velocity[a][node] += value * c.share[i] * film->velocity[i][a];
    }
}

static range film_range(const dr_surface_film *film, const int from[3])
{
    range r;
    for (int a = 0; a < 3; a++) {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < film->corners; i++) {
            float reach = dr_surface_film_reach(film, i, a);
            low = fminf(low, film->corner[i][a] - reach);
            high = fmaxf(high, film->corner[i][a] + reach);
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
    bool full = gather_fill(fill, world, around) >= DR_SURFACE_FULL, walled = dr_surface_solids_reach(world, block);
    if (full && !walled) return false;
    memset(nodes->value, 0, sizeof nodes->value);
    memset(nodes->velocity, 0, sizeof nodes->velocity);
    measure_depth(nodes->deep, fill, world->scale.bins);
    dr_surface_shapes_make(&nodes->shapes, world, around, nodes->deep);
    add_particles(nodes, world, around);
    memcpy(nodes->weight, nodes->value, sizeof nodes->weight);
    deepen(nodes);
    add_films(nodes, &world->films, key, origin);
    if (walled) dr_surface_solids_cut(nodes, world, block);
    return true;
}
