// Vertices of strands as points of the liquid's grid: their samples along edges, and sums with their kernels.
// docs/theory/strands_in_liquid.md.
#include "world/tuning.h"
#include "world/world.h"

#include "base/columns.h"
#include "math/kernel.h"
#include "math/simd.h"

#include <math.h>
#include <string.h>

#define SAMPLE(name, type, items)                                                                                      \
    {                                                                                                                  \
#name, offsetof(dr_strand_samples, name), type, items, "", ""                                                  \
    }

static const dr_column sample_columns[] = {SAMPLE(position, DR_TYPE_FLOAT64, 3),
                                           SAMPLE(ahead, DR_TYPE_FLOAT64, 1),
                                           SAMPLE(vertex, DR_TYPE_INT32, 1),
                                           SAMPLE(wet, DR_TYPE_UINT8, 1),
                                           SAMPLE(sorted, DR_TYPE_UINT32, 1),
                                           SAMPLE(listed, DR_TYPE_UINT32, 1),
                                           SAMPLE(brought, DR_TYPE_FLOAT32, 4 * DR_TRANSFER_FIELDS),
                                           SAMPLE(value, DR_TYPE_FLOAT32, 4 * DR_STRAND_FIELDS)};
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

// Whether a vertex is a sample: the edges beside it are no longer than a cell.
static bool is_whole(const dr_world *world, int s, size_t v)
{
    const dr_strands *strands = &world->state.strands;
    double half = fmax(dr_strand_half_before(strands, s, v), dr_strand_half_after(strands, s, v));
    return half <= DR_STRAND_SPACING * world->grid.cell;
}

typedef struct making {
    const dr_world *world;
    dr_strand_samples *samples; // NULL: they are counted alone
    size_t count, ties;
} making;

static void tie_last(making *job, size_t sample, double weight)
{
    if (job->samples) job->samples->of_vertex.tie[job->ties] = (dr_strand_tie){(uint32_t)sample, (float)weight};
    job->ties++;
}

// Appends a sample of a vertex.
static void sample(making *job, size_t v, double ahead, double weight)
{
    if (job->samples) {
        job->samples->ahead[job->count] = ahead;
        job->samples->vertex[job->count] = (int32_t)v;
    }
    tie_last(job, job->count++, weight);
}

// Those of a vertex by itself.
static void sample_vertex(making *job, int s, size_t v)
{
    const dr_strands *strands = &job->world->state.strands;
    const double half[2] = {dr_strand_half_before(strands, s, v), dr_strand_half_after(strands, s, v)};
    double spacing = DR_STRAND_SPACING * job->world->grid.cell, length = half[0] + half[1];
    if (job->samples) job->samples->of_vertex.first[v] = (uint32_t)job->ties;
    if (is_whole(job->world, s, v)) {
        sample(job, v, 0.0, 1.0);
        return;
    }
    for (int side = 0; side < 2; side++) {
        size_t along = count_along(half[side], spacing);
        for (size_t i = 0; i < along; i++)
            sample(job, v, (side ? 0.5 : -0.5) * ((double)i + 0.5) / (double)along,
                   half[side] / ((double)along * length));
    }
}

// The vertex after v that has samples of its own: the last that is no farther than a cell along the strand.
static size_t next_sampled(const dr_world *world, int s, size_t v, double *length)
{
    const dr_strands *strands = &world->state.strands;
    size_t end = (size_t)strands->first[s + 1], next = v + 1;
    double most = 2.0 * DR_STRAND_SPACING * world->grid.cell;
    *length = next < end ? strands->rest_length[v] : 0.0;
    if (!is_whole(world, s, v)) return next;
    while (next + 1 < end && is_whole(world, s, next) && is_whole(world, s, next + 1) &&
           *length + strands->rest_length[next] <= most)
        *length += strands->rest_length[next++];
    return next;
}

// Vertices between two that are samples have both in part, so that what is linear along the strand is read as it is.
static void sample_strand(making *job, int s)
{
    const dr_strands *strands = &job->world->state.strands;
    size_t next;
    for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v = next) {
        double whole, along = 0.0;
        sample_vertex(job, s, v);
        next = next_sampled(job->world, s, v, &whole);
        for (size_t between = v + 1; between < next; between++) {
            along += strands->rest_length[between - 1];
            if (job->samples) job->samples->of_vertex.first[between] = (uint32_t)job->ties;
            tie_last(job, job->count - 1, 1.0 - along / whole);
            tie_last(job, job->count, along / whole);
        }
    }
}

static bool reserve_ties(const dr_world *world, dr_strand_ties *ties, size_t from, size_t count)
{
    return dr_memory_reserve(world->allocator, (void **)&ties->first, &ties->first_capacity, from + 1,
                             sizeof *ties->first) &&
           dr_memory_reserve(world->allocator, (void **)&ties->tie, &ties->capacity, count, sizeof *ties->tie);
}

// Ties of samples are those of vertices, in the order of vertices.
static void turn_ties(dr_strand_samples *samples, size_t vertices)
{
    const dr_strand_ties *from = &samples->of_vertex;
    dr_strand_ties *to = &samples->of_sample;
    memset(to->first, 0, (samples->count + 1) * sizeof *to->first);
    for (size_t i = 0; i < from->first[vertices]; i++) to->first[from->tie[i].at + 1]++;
    for (size_t k = 0; k < samples->count; k++) to->first[k + 1] += to->first[k];
    for (size_t v = 0; v < vertices; v++) {
        for (size_t i = from->first[v]; i < from->first[v + 1]; i++)
            to->tie[to->first[from->tie[i].at]++] = (dr_strand_tie){(uint32_t)v, from->tie[i].weight};
    }
    for (size_t k = samples->count; k > 0; k--) to->first[k] = to->first[k - 1];
    to->first[0] = 0;
}

bool dr_strand_samples_make(dr_world *world)
{
    const dr_strands *strands = &world->state.strands;
    dr_strand_samples *samples = &world->strand_liquid.samples;
    making counted = {.world = world}, made = {.world = world, .samples = samples};
    for (int s = 0; s < strands->count; s++) sample_strand(&counted, s);
    if (!dr_columns_reserve(&sample_table, samples, world->allocator, &samples->capacity, counted.count) ||
        !reserve_ties(world, &samples->of_vertex, strands->vertices, counted.ties) ||
        !reserve_ties(world, &samples->of_sample, counted.count, counted.ties))
        return false;
    for (int s = 0; s < strands->count; s++) sample_strand(&made, s);
    samples->count = made.count;
    samples->of_vertex.first[strands->vertices] = (uint32_t)made.ties;
    turn_ties(samples, strands->vertices);
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

// ---- cell by cell

static size_t cell_of(const float offset[3])
{
    return (size_t)(((int)offset[0] * DR_BLOCK_SIDE + (int)offset[1]) * DR_BLOCK_SIDE + (int)offset[2]);
}

static void sort_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_samples *samples = user;
    const dr_residents *all = &samples->points.residents;
    const float *offset = samples->points.offset;
    for (size_t b = begin; b < end; b++) {
        uint32_t first[DR_BLOCK_NODES + 1] = {0};
        for (uint32_t i = all->first[b]; i < all->first[b + 1]; i++)
            first[cell_of(offset + 3 * dr_residents_point(all, i)) + 1]++;
        for (size_t c = 0; c < DR_BLOCK_NODES; c++) first[c + 1] += first[c];
        for (uint32_t i = all->first[b]; i < all->first[b + 1]; i++) {
            size_t k = dr_residents_point(all, i);
            samples->sorted[all->first[b] + first[cell_of(offset + 3 * k)]++] = (uint32_t)k;
        }
    }
}

void dr_strand_samples_sort(dr_world *world)
{
    dr_strand_samples *samples = &world->strand_liquid.samples;
    dr_par_for(&world->par, world->grid.block_count, 16, sort_blocks, samples);
    samples->every = samples->points.residents;
    samples->every.index = samples->sorted;
}

// ---- those near liquid

static dr_transfer_places places_of(const dr_strand_samples *samples)
{
    return (dr_transfer_places){samples->sorted_out ? &samples->residents : &samples->every, samples->points.offset};
}

// The first of the fields that were read is the liquid's mass.
static void look_at_samples(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_strand_samples *samples = user;
    for (size_t k = begin; k < end; k++) {
        const float *mass = samples->value + 4 * samples->fields * k;
        samples->wet[k] = mass[0] > 0.0F || mass[1] > 0.0F || mass[2] > 0.0F;
    }
}

// Samples stay in the order of cells, blocks in that of their colours: sums are those of all samples.
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
    list_samples(&samples->every, blocks, samples);
    samples->sorted_out = true;
    return true;
}

// ---- vertices near liquid

static bool is_near(const dr_strand_samples *samples, size_t v)
{
    const dr_strand_ties *ties = &samples->of_vertex;
    for (size_t i = ties->first[v]; i < ties->first[v + 1]; i++) {
        if (samples->wet[ties->tie[i].at]) return true;
    }
    return false;
}

// A vertex that liquid was near and is no more.
static void leave(dr_strand_liquid *wet, size_t v)
{
    double *const three[] = {wet->mass,  wet->lighter, wet->target, wet->stream,
                             wet->slope, wet->image,   wet->given,  wet->guess};
    for (size_t i = 0; i < sizeof three / sizeof *three; i++) {
        for (size_t k = 3 * v; k < 3 * v + 3; k++) three[i][k] = 0.0;
    }
    for (size_t k = 2 * v; k < 2 * v + 2; k++) wet->drag[k] = wet->answer[k] = 0.0;
    wet->share[v] = wet->filled[v] = wet->slip[v] = wet->form_drag[v] = wet->yield[v] = 0.0;
    wet->open[v] = wet->exposed[v] = 1.0;
}

static void list_run(dr_strand_liquid *wet, size_t begin, size_t end)
{
    for (size_t v = begin; v < end; v += DR_VERTEX_CHUNK) {
        size_t left = end - v;
        wet->run[2 * wet->runs] = (uint32_t)v;
        wet->run[2 * wet->runs++ + 1] = (uint32_t)(left < DR_VERTEX_CHUNK ? end : v + DR_VERTEX_CHUNK);
    }
}

static void look_at_vertices(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_strand_liquid *wet = user;
    for (size_t v = begin; v < end; v++) {
        bool near = is_near(&wet->samples, v);
        if (!near && wet->near[v]) leave(wet, v);
        wet->near[v] = near;
    }
}

// The first vertex from `v` on that is near liquid, or is not.
static size_t find_vertex(const dr_strand_liquid *wet, size_t v, size_t count, bool near)
{
    const unsigned char *found = v < count ? memchr(wet->near + v, near, count - v) : NULL;
    return found ? (size_t)(found - wet->near) : count;
}

void dr_strand_samples_list(dr_world *world)
{
    dr_strand_liquid *wet = &world->strand_liquid;
    size_t count = world->state.strands.vertices;
    dr_par_for(&world->par, count, DR_VERTEX_CHUNK, look_at_vertices, wet);
    wet->runs = 0;
    for (size_t begin = find_vertex(wet, 0, count, true), end; begin < count;
         begin = find_vertex(wet, end, count, true)) {
        end = find_vertex(wet, begin, count, false);
        list_run(wet, begin, end);
    }
}

// ---- between vertices and faces

typedef struct bringing {
    const dr_strand_liquid *wet;
    size_t fields;
} bringing;

// What samples near liquid have of their vertices.
static void collect_samples(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const bringing *job = user;
    const dr_strand_samples *samples = &job->wet->samples;
    const dr_strand_ties *ties = &samples->of_sample;
    size_t floats = 4 * job->fields;
    for (size_t k = begin; k < end; k++) {
        dr_float4 sum[DR_TRANSFER_FIELDS];
        if (!samples->wet[k]) continue;
        for (size_t f = 0; f < job->fields; f++) sum[f] = dr_float4_all(0.0F);
        for (uint32_t n = ties->first[k]; n < ties->first[k + 1]; n++) {
            const float *from = job->wet->bring + floats * ties->tie[n].at;
            dr_float4 weight = dr_float4_all(ties->tie[n].weight);
            for (size_t f = 0; f < job->fields; f++)
                sum[f] = dr_float4_add_product(sum[f], dr_float4_load(from + 4 * f), weight);
        }
        for (size_t f = 0; f < job->fields; f++) dr_float4_store(samples->brought + floats * k + 4 * f, sum[f]);
    }
}

// Neighbours on the grid lie anywhere in memory: all are asked for at once.
static void supply_brought(const void *user, const size_t *point, size_t count, float (*value)[4 * DR_TRANSFER_FIELDS])
{
    const bringing *job = user;
    size_t floats = 4 * job->fields;
    const float *from = job->wet->samples.brought;
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < floats; f += 16) __builtin_prefetch(from + floats * point[i] + f);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < floats; f += 4)
            dr_float4_store(value[i] + f, dr_float4_load(from + floats * point[i] + f));
    }
}

void dr_strand_samples_spread(const dr_world *world, int fields, float *const *face)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    bringing job = {&world->strand_liquid, (size_t)fields};
    dr_transfer_places places = places_of(samples);
    dr_par_for(&world->par, samples->count, DR_VERTEX_CHUNK, collect_samples, &job);
    dr_transfer_spread_many(&world->liquid.transfer, &world->grid, &world->par, &places,
                            (dr_transfer_fields){fields, false}, supply_brought, &job, face);
}

typedef struct single {
    const dr_strand_samples *samples;
    const double *value; // [vertex]
} single;

static void collect_single(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const single *job = user;
    const dr_strand_ties *ties = &job->samples->of_sample;
    for (size_t k = begin; k < end; k++) {
        double sum = 0.0;
        for (uint32_t n = ties->first[k]; n < ties->first[k + 1]; n++)
            sum += (double)ties->tie[n].weight * job->value[ties->tie[n].at];
        job->samples->brought[k] = (float)sum;
    }
}

static void supply_single(const void *user, const size_t *point, size_t count, float (*value)[4 * DR_TRANSFER_FIELDS])
{
    const single *job = user;
    for (size_t i = 0; i < count; i++) dr_float4_store(value[i], dr_float4_all(job->samples->brought[point[i]]));
}

void dr_strand_samples_spread_one(const dr_world *world, const double *value, float *face)
{
    const dr_strand_samples *samples = &world->strand_liquid.samples;
    single job = {samples, value};
    dr_transfer_places places = {&samples->every, samples->points.offset};
    dr_par_for(&world->par, samples->count, DR_VERTEX_CHUNK, collect_single, &job);
    dr_transfer_spread_many(&world->liquid.transfer, &world->grid, &world->par, &places, (dr_transfer_fields){1, true},
                            supply_single, &job, &face);
}

void dr_strand_samples_read(dr_world *world, dr_transfer_fields what, const float *const *face,
                            const unsigned char *skip)
{
    dr_strand_samples *samples = &world->strand_liquid.samples;
    dr_transfer_places places = places_of(samples);
    samples->fields = (size_t)what.count;
    dr_transfer_read_many(&world->liquid.transfer, &world->grid, &world->par, &places, what, face, skip,
                          samples->value);
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
    const dr_strand_ties *ties = &samples->of_vertex;
    double sum = 0.0;
    *near = false;
    for (size_t k = ties->first[v]; k < ties->first[v + 1]; k++) {
        for (size_t i = ties->first[other]; i < ties->first[other + 1]; i++) {
            const dr_strand_tie here = ties->tie[k], there = ties->tie[i];
            double part =
                overlap_of(world, samples->position + 3 * (size_t)here.at, samples->position + 3 * (size_t)there.at);
            *near = *near || part > 0.0;
            sum += (double)here.weight * (double)there.weight * part;
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

static void free_ties(const dr_world *world, dr_strand_ties *ties)
{
    dr_memory_free(world->allocator, ties->first, ties->first_capacity * sizeof *ties->first);
    dr_memory_free(world->allocator, ties->tie, ties->capacity * sizeof *ties->tie);
}

void dr_strand_samples_free(dr_world *world)
{
    dr_strand_samples *samples = &world->strand_liquid.samples;
    dr_columns_free(&sample_table, samples, world->allocator, &samples->capacity);
    free_ties(world, &samples->of_vertex);
    free_ties(world, &samples->of_sample);
    dr_points_free(&samples->points, world->allocator);
    dr_residents_free(&samples->residents, world->allocator);
}
