#include "grid/weights.h"

#include "grid/stencil.h"

typedef struct making {
    dr_weights *weights;
    const dr_grid *grid;
    const dr_weights_source *source;
    int degree;
    float per_cell; // of derivatives
} making;

typedef struct stencil {
    int base[3];
    float w[3][4], distance[3][4]; // by axis
} stencil;

static stencil find_stencil(int degree, const float offset[3])
{
    stencil s;
    int above = degree == 1 ? 1 : 0;
    for (int a = 0; a < 3; a++) {
        float place = offset[a] + (degree == 2 ? 0.5F : 0.0F);
        int base = (int)place;
        double w[4] = {0}, t = (double)(place - (float)base), f = t + dr_kernel_reach(degree);
        dr_kernel_weights(degree, t, w);
        s.base[a] = base + above;
        for (int n = 0; n < 4; n++) {
            s.w[a][n] = (float)w[n];
            s.distance[a][n] = (float)(n - f);
        }
    }
    return s;
}

static bool find_item(const dr_grid *grid, size_t block, int i, int j, int k, size_t *item)
{
    int upper = (i >= DR_BLOCK_SIDE) << 2 | (j >= DR_BLOCK_SIDE) << 1 | (k >= DR_BLOCK_SIDE);
    int32_t owner = dr_stencil_upper(grid, block, upper);
    int local = ((i % DR_BLOCK_SIDE) * DR_BLOCK_SIDE + j % DR_BLOCK_SIDE) * DR_BLOCK_SIDE + k % DR_BLOCK_SIDE;
    *item = (size_t)owner * DR_BLOCK_NODES + (size_t)local;
    return owner >= 0;
}

size_t dr_weights_items(const dr_grid *grid, dr_kernel kernel, size_t block, const float offset[3], size_t item[64])
{
    int side = dr_transfer_degree(kernel) + 1;
    stencil s = find_stencil(side - 1, offset);
    size_t count = 0;
    for (int n = 0; n < side * side * side; n++) {
        int i = n / (side * side), j = n / side % side, k = n % side;
        count += find_item(grid, block, s.base[0] + i, s.base[1] + j, s.base[2] + k, &item[count]);
    }
    return count;
}

static uint32_t number_of(const making *job, size_t block, int i, int j, int k)
{
    size_t item;
    return find_item(job->grid, block, i, j, k, &item) ? job->source->number[item] : DR_WEIGHTS_NONE;
}

// Where no node has a number the weight is nought, at the node 0.
static void write_taps(const making *job, size_t block, const stencil *s, const double *direction, dr_weight *tap)
{
    int side = job->degree + 1;
    for (int i = 0; i < side; i++) {
        for (int j = 0; j < side; j++) {
            for (int k = 0; k < side; k++, tap++) {
                uint32_t at = number_of(job, block, s->base[0] + i, s->base[1] + j, s->base[2] + k);
                float weight = s->w[0][i] * s->w[1][j] * s->w[2][k];
                if (direction)
                    weight *= job->per_cell * (float)((double)s->distance[0][i] * direction[0] +
                                                      (double)s->distance[1][j] * direction[1] +
                                                      (double)s->distance[2][k] * direction[2]);
                *tap = at == DR_WEIGHTS_NONE ? (dr_weight){0, 0.0F} : (dr_weight){at, weight};
            }
        }
    }
}

static void write_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const making *job = user;
    const dr_weights_source *source = job->source;
    const dr_residents *residents = source->places->residents;
    for (size_t b = begin; b < end; b++) {
        for (size_t n = residents->first[b]; n < residents->first[b + 1]; n++) {
            size_t p = dr_residents_point(residents, n), row = source->rows * (source->listed ? n : p);
            if (source->without && source->without[p]) {
                memset(job->weights->tap + job->weights->taps * row, 0,
                       source->rows * job->weights->taps * sizeof *job->weights->tap);
                continue;
            }
            stencil s = find_stencil(job->degree, source->places->offset + 3 * p);
            for (size_t r = 0; r < source->rows; r++) {
                const double *d = source->direction ? source->direction + source->stride * p + 3 * r : NULL;
                write_taps(job, b, &s, d, job->weights->tap + job->weights->taps * (row + r));
            }
        }
    }
}

// ---- by node

// Points in parts, one to a thread: how many weights each part brings to a node, then where in the list they go. Parts
// follow each other there, so that a node has its points in their order whatever the number of parts.
typedef struct listing {
    dr_weights *weights;
    size_t part; // points
    size_t parts;
} listing;

enum {
    PIECE = 4096,  // nodes
    MOST_PARTS = 8 // each takes four bytes of every node
};

static uint32_t *part_of(const listing *job, size_t part)
{
    return job->weights->cursor + part * job->weights->nodes;
}

static void count_part(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const listing *job = user;
    const dr_weights *weights = job->weights;
    uint32_t *count = part_of(job, begin / job->part);
    memset(count, 0, weights->nodes * sizeof *count);
    for (size_t i = weights->taps * begin; i < weights->taps * end; i++) {
        if (weights->tap[i].weight != 0.0F) count[weights->tap[i].at]++;
    }
}

// first: how many come before in its piece of nodes; of a piece that begins at the node n, piece[n / PIECE]: all of it.
static void sum_nodes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const listing *job = user;
    uint32_t sum = 0;
    for (size_t n = begin; n < end; n++) {
        job->weights->first[n] = sum;
        for (size_t k = 0; k < job->parts; k++) sum += part_of(job, k)[n];
    }
    job->weights->piece[begin / PIECE] = sum;
}

static uint32_t sum_pieces(dr_weights *weights)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < (weights->nodes + PIECE - 1) / PIECE; i++) {
        uint32_t here = weights->piece[i];
        weights->piece[i] = sum;
        sum += here;
    }
    return sum;
}

static void place_nodes(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const listing *job = user;
    for (size_t n = begin; n < end; n++) {
        uint32_t sum = job->weights->first[n] += job->weights->piece[begin / PIECE];
        for (size_t k = 0; k < job->parts; k++) {
            uint32_t *cursor = part_of(job, k) + n, here = *cursor;
            *cursor = sum;
            sum += here;
        }
    }
}

static void fill_part(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const listing *job = user;
    const dr_weights *weights = job->weights;
    uint32_t *cursor = part_of(job, begin / job->part);
    for (size_t p = begin; p < end; p++) {
        const dr_weight *tap = weights->tap + weights->taps * p;
        for (size_t i = 0; i < weights->taps; i++) {
            if (tap[i].weight != 0.0F) weights->entry[cursor[tap[i].at]++] = (dr_weight){(uint32_t)p, tap[i].weight};
        }
    }
}

static void list_by_node(dr_weights *weights, const dr_par *par, size_t parts)
{
    listing job = {.weights = weights, .part = (weights->points + parts - 1) / parts, .parts = parts};
    if (weights->points == 0) job.parts = 0;
    dr_par_for(par, weights->points, job.part, count_part, &job);
    for (size_t k = 0; k < job.parts; k++) {
        if (k * job.part >= weights->points) job.parts = k; // those after it have none
    }
    dr_par_for(par, weights->nodes, PIECE, sum_nodes, &job);
    weights->first[weights->nodes] = sum_pieces(weights);
    dr_par_for(par, weights->nodes, PIECE, place_nodes, &job);
    dr_par_for(par, weights->points, job.part, fill_part, &job);
}

static bool reserve(dr_weights *weights, const dr_allocator *allocator, size_t weighed, size_t nodes, size_t parts)
{
    return dr_memory_reserve(allocator, (void **)&weights->tap, &weights->tap_capacity, weighed,
                             sizeof *weights->tap) &&
           dr_memory_reserve(allocator, (void **)&weights->entry, &weights->entry_capacity, weighed,
                             sizeof *weights->entry) &&
           dr_memory_reserve(allocator, (void **)&weights->first, &weights->first_capacity, nodes + 1,
                             sizeof *weights->first) &&
           dr_memory_reserve(allocator, (void **)&weights->cursor, &weights->cursor_capacity, parts * nodes,
                             sizeof *weights->cursor) &&
           dr_memory_reserve(allocator, (void **)&weights->piece, &weights->piece_capacity, nodes / PIECE + 1,
                             sizeof *weights->piece);
}

static bool are_all_residents(const dr_weights_source *source, const dr_grid *grid)
{
    return source->rows * source->places->residents->first[grid->block_count] == source->points;
}

bool dr_weights_build(dr_weights *weights, const dr_allocator *allocator, const dr_grid *grid, const dr_par *par,
                      const dr_weights_source *source)
{
    int degree = dr_transfer_degree(source->kernel);
    size_t side = (size_t)degree + 1, taps = side * side * side, all = taps * source->points;
    size_t parts = (size_t)par->threads < MOST_PARTS ? (size_t)par->threads : MOST_PARTS;
    if (!reserve(weights, allocator, all, source->nodes, parts)) return false;
    weights->points = source->points;
    weights->nodes = source->nodes;
    weights->taps = taps;
    making job = {weights, grid, source, degree, (float)(dr_stencil_slope(degree) / grid->cell)};
    if (!are_all_residents(source, grid)) dr_par_clear(par, weights->tap, all * sizeof *weights->tap);
    dr_par_for(par, grid->block_count, 8, write_blocks, &job);
    list_by_node(weights, par, parts);
    return true;
}

void dr_weights_free(dr_weights *weights, const dr_allocator *allocator)
{
    dr_memory_free(allocator, weights->tap, weights->tap_capacity * sizeof *weights->tap);
    dr_memory_free(allocator, weights->entry, weights->entry_capacity * sizeof *weights->entry);
    dr_memory_free(allocator, weights->first, weights->first_capacity * sizeof *weights->first);
    dr_memory_free(allocator, weights->cursor, weights->cursor_capacity * sizeof *weights->cursor);
    dr_memory_free(allocator, weights->piece, weights->piece_capacity * sizeof *weights->piece);
    *weights = (dr_weights){0};
}
