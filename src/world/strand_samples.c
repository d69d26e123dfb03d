// Vertices of strands as points of the liquid's grid: their samples along edges, and sums with their kernels.
// docs/theory/strands_in_liquid.md.
#include "world/tuning.h"
#include "world/world.h"

#include "base/columns.h"
#include "math/kernel.h"

#include <math.h>

#define SAMPLE(name, type, items)                                                                                      \
    {                                                                                                                  \
#name, offsetof(dr_strand_samples, name), type, items, "", ""                                                  \
    }

static const dr_column sample_columns[] = {SAMPLE(position, DR_TYPE_FLOAT64, 3), SAMPLE(ahead, DR_TYPE_FLOAT64, 1),
                                           SAMPLE(vertex, DR_TYPE_INT32, 1),     SAMPLE(weight, DR_TYPE_FLOAT32, 1),
                                           SAMPLE(value, DR_TYPE_FLOAT32, 4),    SAMPLE(other, DR_TYPE_FLOAT32, 4),
                                           SAMPLE(wet, DR_TYPE_UINT8, 1),        SAMPLE(listed, DR_TYPE_UINT32, 1)};
static const dr_column_table sample_table = {sample_columns, (int)(sizeof sample_columns / sizeof *sample_columns)};

double dr_strand_half_before(const dr_strands *strands, int s, size_t v)
{
    return v > (size_t)strands->first[s] ? 0.5 * strands->rest_length[v - 1] : 0.0;
}

double dr_strand_half_after(const dr_strands *strands, int s, size_t v)
{
    return v + 1 < (size_t)strands->first[s + 1] ? 0.5 * strands->rest_length[v] : 0.0;
}

static size_t count_along(double half, double spacing)
{
    return half > 0.0 ? (size_t)ceil(half / spacing) : 0;
}

// Appends the samples of a vertex, or only counts them.
static size_t sample_vertex(const dr_world *world, int s, size_t v, dr_strand_samples *samples)
{
    const dr_strands *strands = &world->state.strands;
    const double half[2] = {dr_strand_half_before(strands, s, v), dr_strand_half_after(strands, s, v)};
    double spacing = DR_STRAND_SPACING * world->grid.cell, length = half[0] + half[1];
    bool whole = fmax(half[0], half[1]) <= spacing;
    size_t count = whole ? 1 : count_along(half[0], spacing) + count_along(half[1], spacing);
    if (!samples) return count;
    size_t k = samples->count;
    for (int side = 0; side < 2 && !whole; side++) {
        size_t along = count_along(half[side], spacing);
        for (size_t i = 0; i < along; i++, k++) {
            samples->ahead[k] = (side ? 0.5 : -0.5) * ((double)i + 0.5) / (double)along;
            samples->weight[k] = (float)(half[side] / ((double)along * length));
        }
    }
    if (whole) {
        samples->ahead[k] = 0.0;
        samples->weight[k++] = 1.0F;
    }
    for (size_t i = samples->count; i < k; i++) samples->vertex[i] = (int32_t)v;
    samples->count = k;
    return count;
}

bool dr_strand_samples_make(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    dr_strand_samples *samples = &world->strand_liquid.samples;
    size_t count = 0;
    for (int s = 0; s < strands->count; s++) {
        for (int v = strands->first[s]; v < strands->first[s + 1]; v++)
            count += sample_vertex(world, s, (size_t)v, NULL);
    }
    if (!dr_columns_reserve(&sample_table, samples, world->allocator, &samples->capacity, count) ||
        !dr_memory_reserve(world->allocator, (void **)&samples->first, &samples->first_capacity, strands->vertices + 1,
                           sizeof *samples->first))
        return false;
    for (int s = 0; s < strands->count; s++) {
        for (int v = strands->first[s]; v < strands->first[s + 1]; v++) {
            samples->first[v] = samples->count;
            sample_vertex(world, s, (size_t)v, samples);
        }
    }
    samples->first[strands->vertices] = samples->count;
    return true;
}

static void place_samples(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    const double *x = world->state.strands.position;
    for (size_t k = begin; k < end; k++) {
        size_t v = (size_t)samples->vertex[k];
        double ahead = samples->ahead[k];
        const double *here = x + 3 * v, *to = ahead > 0.0 ? here + 3 : ahead < 0.0 ? here - 3 : here;
        for (size_t a = 0; a < 3; a++) samples->position[3 * k + a] = here[a] + fabs(ahead) * (to[a] - here[a]);
    }
}

bool dr_strand_samples_place(dr_world *world)
{
    dr_strand_samples *samples = &world->strand_liquid.samples;
    if (!world->strand_liquid.active) return true;
    samples->sorted_out = false;
    dr_par_for(&world->par, samples->count, DR_VERTEX_CHUNK, place_samples, world);
    return dr_grid_place_points(&world->grid, &world->par, samples->position, samples->count, &samples->points);
}

// ---- those near liquid

static dr_transfer_places places_of(const dr_strand_samples *samples)
{
    dr_transfer_places all = dr_transfer_point_places(&samples->points);
    return samples->sorted_out ? (dr_transfer_places){&samples->residents, all.offset} : all;
}

static void look_at_samples(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_samples *samples = user;
    for (size_t k = begin; k < end; k++) {
        const float *mass = samples->value + 4 * k;
        samples->wet[k] = mass[0] > 0.0F || mass[1] > 0.0F || mass[2] > 0.0F;
    }
}

// Samples stay in the order of blocks, blocks in that of their colours: sums are those of all samples.
static void list_samples(const dr_residents *all, size_t blocks, dr_strand_samples *samples)
{
    dr_residents *near = &samples->residents;
    uint32_t count = 0;
    for (size_t b = 0; b < blocks; b++) {
        near->first[b] = count;
        for (uint32_t i = all->first[b]; i < all->first[b + 1]; i++) {
            uint32_t k = (uint32_t)dr_residents_point(all, i);
            if (samples->wet[k]) samples->listed[count++] = k;
        }
    }
    near->first[blocks] = count;
    near->index = samples->listed;
    size_t at = 0;
    for (int c = 0; c < 8; c++) {
        near->colour_first[c] = at;
        for (size_t n = all->colour_first[c]; n < all->colour_first[c + 1]; n++) {
            uint32_t b = all->colour_block[n];
            if (near->first[b + 1] > near->first[b]) near->colour_block[at++] = b;
        }
    }
    near->colour_first[8] = at;
}

bool dr_strand_samples_sort_out(dr_world *world)
{
    dr_strand_samples *samples = &world->strand_liquid.samples;
    size_t blocks = world->grid.block_count;
    if (samples->sorted_out) return true;
    if (!dr_residents_reserve(&samples->residents, world->allocator, blocks)) return false;
    dr_par_for(&world->par, samples->count, DR_VERTEX_CHUNK, look_at_samples, samples);
    list_samples(&samples->points.residents, blocks, samples);
    samples->sorted_out = true;
    return true;
}

// ---- between vertices and faces

typedef struct moving {
    const dr_world *world;
    const double *value; // [vertex][3] or, of one number, [vertex]
    float *to;           // [sample][4] or [sample]
} moving;

static void charge_samples(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const moving *job = user;
    const dr_strand_samples *samples = &job->world->strand_liquid.samples;
    for (size_t k = begin; k < end; k++) {
        if (samples->sorted_out && !samples->wet[k]) continue;
        const double *value = job->value + 3 * (size_t)samples->vertex[k];
        for (size_t a = 0; a < 3; a++) job->to[4 * k + a] = samples->weight[k] * (float)value[a];
        job->to[4 * k + 3] = 0.0F;
    }
}

static void charge_singles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const moving *job = user;
    const dr_strand_samples *samples = &job->world->strand_liquid.samples;
    for (size_t k = begin; k < end; k++) job->to[k] = samples->weight[k] * (float)job->value[samples->vertex[k]];
}

static void charge(const dr_world *world, const double *value, float *to)
{
    moving job = {world, value, to};
    dr_par_for(&world->par, world->strand_liquid.samples.count, DR_VERTEX_CHUNK, charge_samples, &job);
}

void dr_strand_samples_spread(const dr_world *world, const double *value, float *face)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    dr_transfer_places places = places_of(samples);
    charge(world, value, samples->value);
    dr_transfer_spread_quads(&world->liquid.transfer, &world->grid, &world->par, &places,
                             (const float *const[2]){samples->value, NULL}, (float *const[2]){face, NULL});
}

void dr_strand_samples_spread_two(const dr_world *world, const double *value, const double *other, float *face,
                                  float *other_face)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    dr_transfer_places places = places_of(samples);
    charge(world, value, samples->value);
    charge(world, other, samples->other);
    dr_transfer_spread_quads(&world->liquid.transfer, &world->grid, &world->par, &places,
                             (const float *const[2]){samples->value, samples->other},
                             (float *const[2]){face, other_face});
}

void dr_strand_samples_spread_one(const dr_world *world, const double *value, float *face)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    moving job = {world, value, samples->value};
    dr_transfer_places places = dr_transfer_point_places(&samples->points);
    dr_par_for(&world->par, samples->count, DR_VERTEX_CHUNK, charge_singles, &job);
    dr_transfer_spread_faces(&world->liquid.transfer, &world->grid, &world->par, &places, samples->value, face);
}

static void join_samples(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    double *value = world->strand_liquid.value;
    for (size_t v = begin; v < end; v++) {
        for (size_t a = 0; a < 4; a++) value[4 * v + a] = 0.0;
        for (size_t k = samples->first[v]; k < samples->first[v + 1]; k++) {
            if (samples->sorted_out && !samples->wet[k]) continue;
            for (size_t a = 0; a < 4; a++)
                value[4 * v + a] += (double)samples->weight[k] * (double)samples->value[4 * k + a];
        }
    }
}

void dr_strand_samples_read(const dr_world *world, const float *face)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    dr_transfer_places places = places_of(samples);
    dr_transfer_read_faces(&world->liquid.transfer, &world->grid, &world->par, &places, face, samples->value, NULL);
    dr_par_for(&world->par, world->state.strands.vertices, DR_VERTEX_CHUNK, join_samples, (void *)world);
}

// ---- what a strand finds of itself

// Sum over cells of the kernels of two places, in cells, along an axis: 0 where they are three cells apart.
static double overlap(double x, double y)
{
    double at = floor(x), wx[4], wy[4], sum = 0.0;
    int ahead = (int)fmin(fmax(floor(y) - at, -3.0), 3.0);
    dr_kernel_weights(2, x - at, wx);
    dr_kernel_weights(2, y - floor(y), wy);
    for (int i = 0; i < 3; i++) {
        int j = i - ahead;
        if (j >= 0 && j < 3) sum += wx[i] * wy[j];
    }
    return sum;
}

static double overlap_of(const dr_world *world, const double x[3], const double y[3])
{
    double product = 1.0, cell = world->grid.cell;
    for (int a = 0; a < 3; a++) {
        if (!(fabs(x[a] - y[a]) < 3.0 * cell)) return 0.0;
    }
    for (int a = 0; a < 3; a++) product *= overlap(x[a] / cell, y[a] / cell);
    return product;
}

// Volume of vertex `other` in cells around vertex v, by the kernels of both. near: whether any is so near that
// neighbours beyond it may have some.
static double meet(const dr_world *world, size_t v, size_t other, bool *near)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    double sum = 0.0;
    *near = false;
    for (size_t k = samples->first[v]; k < samples->first[v + 1]; k++) {
        for (size_t i = samples->first[other]; i < samples->first[other + 1]; i++) {
            double part = overlap_of(world, samples->position + 3 * k, samples->position + 3 * i);
            *near = *near || part > 0.0;
            sum += (double)samples->weight[k] * (double)samples->weight[i] * part;
        }
    }
    return sum * world->strand_liquid.volume[other];
}

double dr_strand_samples_own(const dr_world *world, int s, size_t v)
{
    const dr_strands *strands = &world->state.strands;
    double cell = world->grid.cell, sum;
    bool near;
    sum = meet(world, v, v, &near);
    near = true;
    for (size_t other = v + 1; near && other < (size_t)strands->first[s + 1]; other++)
        sum += meet(world, v, other, &near);
    near = true;
    for (size_t other = v; near && other > (size_t)strands->first[s]; other--) sum += meet(world, v, other - 1, &near);
    return sum / (cell * cell * cell);
}

void dr_strand_samples_free(dr_world *world)
{
    dr_strand_samples *samples = &world->strand_liquid.samples;
    dr_columns_free(&sample_table, samples, world->allocator, &samples->capacity);
    dr_memory_free(world->allocator, samples->first, samples->first_capacity * sizeof *samples->first);
    dr_points_free(&samples->points, world->allocator);
    dr_residents_free(&samples->residents, world->allocator);
}
