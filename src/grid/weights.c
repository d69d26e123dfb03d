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
            if (source->without && source->without[p]) continue;
            stencil s = find_stencil(job->degree, source->places->offset + 3 * p);
            for (size_t r = 0; r < source->rows; r++) {
                const double *d = source->direction ? source->direction + source->stride * p + 3 * r : NULL;
                write_taps(job, b, &s, d, job->weights->tap + job->weights->taps * (row + r));
            }
        }
    }
}

// Counted, then filled in the order of points: the same whatever the number of threads.
static void list_by_node(dr_weights *weights)
{
    size_t all = weights->points * weights->taps;
    uint32_t *first = weights->first;
    memset(first, 0, (weights->nodes + 1) * sizeof *first);
    for (size_t i = 0; i < all; i++) {
        if (weights->tap[i].weight != 0.0F) first[weights->tap[i].at + 1]++;
    }
    for (size_t n = 0; n < weights->nodes; n++) first[n + 1] += first[n];
    for (size_t p = 0; p < weights->points; p++) {
        for (const dr_weight *tap = weights->tap + weights->taps * p; tap < weights->tap + weights->taps * (p + 1);
             tap++) {
            if (tap->weight != 0.0F) weights->entry[first[tap->at]++] = (dr_weight){(uint32_t)p, tap->weight};
        }
    }
    for (size_t n = weights->nodes; n > 0; n--) first[n] = first[n - 1];
    first[0] = 0;
}

bool dr_weights_build(dr_weights *weights, const dr_allocator *allocator, const dr_grid *grid, const dr_par *par,
                      const dr_weights_source *source)
{
    int degree = dr_transfer_degree(source->kernel);
    size_t side = (size_t)degree + 1, taps = side * side * side, all = taps * source->points;
    if (!dr_memory_reserve(allocator, (void **)&weights->tap, &weights->tap_capacity, all, sizeof *weights->tap) ||
        !dr_memory_reserve(allocator, (void **)&weights->entry, &weights->entry_capacity, all,
                           sizeof *weights->entry) ||
        !dr_memory_reserve(allocator, (void **)&weights->first, &weights->first_capacity, source->nodes + 1,
                           sizeof *weights->first))
        return false;
    weights->points = source->points;
    weights->nodes = source->nodes;
    weights->taps = taps;
    making job = {weights, grid, source, degree, (float)(dr_stencil_slope(degree) / grid->cell)};
    if (!source->listed || source->without) memset(weights->tap, 0, all * sizeof *weights->tap);
    dr_par_for(par, grid->block_count, 8, write_blocks, &job);
    list_by_node(weights);
    return true;
}

void dr_weights_free(dr_weights *weights, const dr_allocator *allocator)
{
    dr_memory_free(allocator, weights->tap, weights->tap_capacity * sizeof *weights->tap);
    dr_memory_free(allocator, weights->entry, weights->entry_capacity * sizeof *weights->entry);
    dr_memory_free(allocator, weights->first, weights->first_capacity * sizeof *weights->first);
    *weights = (dr_weights){0};
}
