// Several fields between points and staggered faces at once. docs/theory/transfer.md, eq. (13)-(18).
// A component has a buffer of its own, so that a point touches the samples of its kernel and no others: rows of four
// along z, of which a quadratic kernel uses three. Two fields share a buffer, item by item. Points one after the other
// whose kernels begin at the same sample are summed up in registers: those that come cell by cell are spread fastest.
//   half, whole   weights of the n-th sample of components half a cell off an axis, and of the one on its lattice
#include "grid/stencil.h"

#include <assert.h>
#include <string.h>

enum {
    SIDE = DR_BLOCK_SIDE + 3,
    PART = 2 * (SIDE * SIDE * DR_STENCIL_PITCH + 8), // floats of a component of two fields; rows may end beyond
    PAIRS = (DR_TRANSFER_FIELDS + 1) / 2,
    BATCH = 2 * DR_STENCIL_BATCH // points that are asked for at once
};

typedef struct many_job {
    const dr_transfer *transfer;
    const dr_grid *grid;
    const dr_transfer_places *places;
    int fields, components;
    dr_transfer_supply supply;
    const void *user;
    float *const *to;
    const float *const *from;
    float *value;
    const unsigned char *skip;
    const uint32_t *blocks; // of one colour
} many_job;

static size_t floats_of(const many_job *job)
{
    return (size_t)(job->components * job->fields) * (PART / 2);
}

// Where those of a field and the next begin.
DR_INLINE size_t pair_at(int components, size_t field)
{
    return (size_t)components * field * (PART / 2);
}

// Calls function(degree, components, ...) with numbers that the compiler knows.
#define CALL(job, function, ...)                                                                                       \
    do {                                                                                                               \
        dr_kernel kernel = (job)->transfer->kernel;                                                                    \
        assert(kernel != DR_KERNEL_CUBIC);                                                                             \
        if (kernel == DR_KERNEL_LINEAR && (job)->components == 3) function(1, 3, job, __VA_ARGS__);                    \
        if (kernel == DR_KERNEL_LINEAR && (job)->components == 4) function(1, 4, job, __VA_ARGS__);                    \
        if (kernel == DR_KERNEL_QUADRATIC && (job)->components == 3) function(2, 3, job, __VA_ARGS__);                 \
        if (kernel == DR_KERNEL_QUADRATIC && (job)->components == 4) function(2, 4, job, __VA_ARGS__);                 \
    } while (0)

// ---- the kernels of a point

typedef struct kernels {
    size_t item, late[4];          // the lowest in a buffer; how much later those of a component begin
    float half[3][4], whole[3][4]; // [n][axis]
    dr_float4 half_row, whole_row; // along z
} kernels;

// The same with all components beginning at the lowest: on its own lattice a component then has one sample more.
typedef struct wide_kernels {
    size_t item;
    float half[3][4], whole[4][4];
    dr_float4 half_row, whole_row;
} wide_kernels;

// Lane 2 of each.
DR_INLINE dr_float4 row_along_z(const dr_float4 *w)
{
    dr_float4 low = __builtin_shufflevector(w[0], w[1], 2, 6, 2, 6),
              high = __builtin_shufflevector(w[2], w[3], 2, 6, 2, 6);
    return __builtin_shufflevector(low, high, 0, 1, 4, 5);
}

// Weights beyond the degree are 0. late: where the lattice begins a sample later.
DR_INLINE dr_int4 find_weights(int degree, const float offset[4], dr_float4 half[4], dr_float4 whole[4], dr_int4 *late)
{
    dr_float4 place = dr_float4_load(offset), middle = dr_float4_all(0.5F);
    if (degree == 1) place += middle;
    dr_int4 base = __builtin_convertvector(place, dr_int4);
    dr_float4 t = place - __builtin_convertvector(base, dr_float4);
    *late = t >= middle;
    for (int n = 0; n < 4; n++) half[n] = whole[n] = dr_float4_all(0.0F);
    dr_kernel_weights4(degree, t, half);
    dr_kernel_weights4(degree, dr_float4_select(*late, t - middle, t + middle), whole);
    return base;
}

DR_INLINE size_t item_of(dr_int4 base)
{
    return (size_t)((base[0] * SIDE + base[1]) * DR_STENCIL_PITCH + base[2]);
}

DR_INLINE void find_kernels(int degree, const float offset[4], kernels *s)
{
    dr_float4 half[4], whole[4];
    dr_int4 late;
    s->item = item_of(find_weights(degree, offset, half, whole, &late));
    for (int n = 0; n <= degree; n++) {
        dr_float4_store(s->half[n], half[n]);
        dr_float4_store(s->whole[n], whole[n]);
    }
    s->half_row = row_along_z(half);
    s->whole_row = row_along_z(whole);
    s->late[0] = (size_t)(-late[0] * SIDE * DR_STENCIL_PITCH);
    s->late[1] = (size_t)(-late[1] * DR_STENCIL_PITCH);
    s->late[2] = (size_t)-late[2];
    s->late[3] = 0;
}

DR_INLINE void find_wide_kernels(int degree, const float offset[4], wide_kernels *s)
{
    dr_float4 half[4], whole[4], shifted[4];
    dr_int4 late;
    s->item = item_of(find_weights(degree, offset, half, whole, &late));
    for (int n = 0; n < 4; n++) {
        shifted[n] = dr_float4_select(late, n > 0 ? whole[n - 1] : dr_float4_all(0.0F), whole[n]);
        dr_float4_store(s->whole[n], shifted[n]);
        if (n <= degree) dr_float4_store(s->half[n], half[n]);
    }
    s->half_row = row_along_z(half);
    s->whole_row = row_along_z(shifted);
}

// Every lane of a row twice.
DR_INLINE dr_float8 doubled(dr_float4 row)
{
    return __builtin_shufflevector(row, row, 0, 0, 1, 1, 2, 2, 3, 3);
}

DR_INLINE dr_float8 repeated(float even, float odd)
{
    return (dr_float8){even, odd, even, odd, even, odd, even, odd};
}

// Of component c; s->half and s->whole are picked at compile time.
#define FIRST_WEIGHT(s, c)  ((c) == 0 ? (s)->whole : (s)->half)
#define SECOND_WEIGHT(s, c) ((c) == 1 ? (s)->whole : (s)->half)
#define ROW_OF(s, c)        ((c) == 2 ? (s)->whole_row : (s)->half_row)
#define ROW(i, j)           (((i)*SIDE + (j)) * DR_STENCIL_PITCH)

// Calls function(degree, c, ...) for every component.
#define EACH(function, degree, components, ...)                                                                        \
    do {                                                                                                               \
        function(degree, 0, __VA_ARGS__);                                                                              \
        function(degree, 1, __VA_ARGS__);                                                                              \
        function(degree, 2, __VA_ARGS__);                                                                              \
        if ((components) == 4) function(degree, 3, __VA_ARGS__);                                                       \
    } while (0)

// Points lie anywhere in memory: looked up all at once, they come while others are waited for.
DR_INLINE void find_points(const many_job *job, size_t first, size_t count, size_t *point, float (*offset)[4])
{
    for (size_t i = 0; i < count; i++) {
        point[i] = dr_residents_point(job->places->residents, first + i);
        dr_float4_store(offset[i], dr_float4_load3(job->places->offset + 3 * point[i]));
    }
}

// ---- to faces

// Points of a batch whose kernels begin at one item.
typedef struct stretch {
    const wide_kernels *kernels;
    const float (*value)[4 * DR_TRANSFER_FIELDS];
    size_t field, count;
} stretch;

// Rows of component c: so many along the axis of its own lattice, or along x, and one less than that of those across;
// how far apart in a buffer, and the weights along both.
#define ROWS(degree, c)     ((c) < 2 ? (degree) + 2 : (degree) + 1)
#define STEP_OUT(c)         ((c) == 1 ? ROW(0, 1) : ROW(1, 0))
#define STEP_IN(c)          ((c) == 1 ? ROW(1, 0) : ROW(0, 1))
#define WEIGHT_OUT(s, c, n) ((c) == 0 ? (s)->whole[n][0] : (c) == 1 ? (s)->whole[n][1] : (s)->half[n][0])
#define WEIGHT_IN(s, c, n)  ((c) == 1 ? (s)->half[n][0] : (s)->half[n][1])

// Along z, of two fields item by item, and of one.
DR_INLINE dr_float8 row_of_two(dr_float4 row, const float *value)
{
    return doubled(row) * repeated(value[0], value[4]);
}

DR_INLINE dr_float4 row_of_one(dr_float4 row, const float *value)
{
    return row * dr_float4_all(value[0]);
}

// Short loops, in full.
#define EVERY(n, count) _Pragma("GCC unroll 4") for (int n = 0; n < (count); n++)

// Sums a stretch up in registers that hold `fields` fields.
#define SCATTER(name, fields, vector, row_of)                                                                          \
    DR_INLINE void name(int degree, int c, const stretch *run, float *buffer)                                          \
    {                                                                                                                  \
        float *at = buffer + c * (fields) * (PART / 2) + (fields)*run->kernels->item;                                  \
        const int rows = ROWS(degree, c), out = (fields)*STEP_OUT(c), in = (fields)*STEP_IN(c);                        \
        vector sum[4][3], part[3];                                                                                     \
        EVERY(m, rows)                                                                                                 \
        EVERY(n, degree + 1) sum[m][n] = vector##_load(at + m * out + n * in);                                         \
        for (size_t i = 0; i < run->count; i++) {                                                                      \
            const wide_kernels *s = run->kernels + i;                                                                  \
            vector row = row_of(ROW_OF(s, c), run->value[i] + 4 * run->field + c);                                     \
            EVERY(n, degree + 1) part[n] = row * vector##_all(WEIGHT_IN(s, c, n));                                     \
            EVERY(m, rows)                                                                                             \
            {                                                                                                          \
                vector w = vector##_all(WEIGHT_OUT(s, c, m));                                                          \
                EVERY(n, degree + 1) sum[m][n] = vector##_add_product(sum[m][n], part[n], w);                          \
            }                                                                                                          \
        }                                                                                                              \
        EVERY(m, rows)                                                                                                 \
        EVERY(n, degree + 1) vector##_store(at + m * out + n * in, sum[m][n]);                                         \
    }

SCATTER(scatter_one, 1, dr_float4, row_of_one)
SCATTER(scatter_two, 2, dr_float8, row_of_two)

DR_INLINE void scatter_stretch(int degree, int components, size_t fields, stretch run, float *buffer)
{
    for (run.field = 0; run.field + 1 < fields; run.field += 2)
        EACH(scatter_two, degree, components, &run, buffer + pair_at(components, run.field));
    if (run.field < fields) EACH(scatter_one, degree, components, &run, buffer + pair_at(components, run.field));
}

DR_INLINE void scatter_many(int degree, int components, const many_job *job, size_t first, size_t count, float *buffer)
{
    float value[BATCH][4 * DR_TRANSFER_FIELDS], offset[BATCH][4];
    wide_kernels kernel[BATCH];
    size_t point[BATCH], next;
    find_points(job, first, count, point, offset);
    job->supply(job->user, point, count, value);
    for (size_t i = 0; i < count; i++) find_wide_kernels(degree, offset[i], &kernel[i]);
    for (size_t i = 0; i < count; i = next) {
        for (next = i + 1; next < count && kernel[next].item == kernel[i].item;) next++;
        stretch run = {kernel + i, (const float(*)[4 * DR_TRANSFER_FIELDS])(value + i), 0, next - i};
        scatter_stretch(degree, components, (size_t)job->fields, run, buffer);
    }
}

// Four items of four components: rows become columns.
DR_INLINE void transpose(dr_float4 row[4])
{
    dr_float4 a = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
              b = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
              c = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7),
              d = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    row[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    row[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    row[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    row[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

// Where a row of a block's items, or of those of its upper neighbours, is in a buffer and in a field.
typedef struct strip {
    size_t item, count, face;
} strip;

enum { STRIPS = 2 * SIDE * SIDE };

static void find_strips(const dr_grid *grid, size_t block, strip strips[STRIPS])
{
    for (int n = 0; n < STRIPS; n++) {
        int i = n / 2 / SIDE, j = n / 2 % SIDE, above = n % 2;
        int upper = 4 * (i >= DR_BLOCK_SIDE) + 2 * (j >= DR_BLOCK_SIDE) + above;
        size_t row = (size_t)(i % DR_BLOCK_SIDE * DR_BLOCK_SIDE + j % DR_BLOCK_SIDE) * DR_BLOCK_SIDE;
        strips[n] = (strip){.item = (size_t)((i * SIDE + j) * DR_STENCIL_PITCH + above * DR_BLOCK_SIDE),
                            .count = above ? SIDE - DR_BLOCK_SIDE : DR_BLOCK_SIDE,
                            .face = 4 * (DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper) + row)};
    }
}

DR_INLINE void add_columns(dr_float4 row[4], const strip *at, float *field)
{
    float *to = field + at->face;
    transpose(row);
    for (size_t k = 0; k < at->count; k++) dr_float4_store(to + 4 * k, dr_float4_load(to + 4 * k) + row[k]);
}

static void add_buffer(const many_job *job, const strip *strips, int f, const float *buffer)
{
    bool paired = f + 1 < job->fields;
    for (int n = 0; n < STRIPS; n++) {
        dr_float4 even[4] = {{0.0F}}, odd[4] = {{0.0F}};
        for (int c = 0; c < job->components; c++) {
            if (paired) {
                dr_float8 both = dr_float8_load(buffer + c * PART + 2 * strips[n].item);
                even[c] = __builtin_shufflevector(both, both, 0, 2, 4, 6);
                odd[c] = __builtin_shufflevector(both, both, 1, 3, 5, 7);
            } else {
                even[c] = dr_float4_load(buffer + c * (PART / 2) + strips[n].item);
            }
        }
        add_columns(even, &strips[n], job->to[f]);
        if (paired) add_columns(odd, &strips[n], job->to[f + 1]);
    }
}

static void scatter_many_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const many_job *job = user;
    _Alignas(64) float buffer[4 * PART * PAIRS];
    size_t used = floats_of(job);
    for (size_t n = begin; n < end; n++) {
        size_t b = job->blocks[n], last = job->places->residents->first[b + 1];
        strip strips[STRIPS];
        memset(buffer, 0, used * sizeof *buffer);
        for (size_t first = job->places->residents->first[b]; first < last; first += BATCH) {
            size_t count = last - first < BATCH ? last - first : BATCH;
            CALL(job, scatter_many, first, count, buffer);
        }
        find_strips(job->grid, b, strips);
        for (int f = 0; f < job->fields; f += 2)
            add_buffer(job, strips, f, buffer + pair_at(job->components, (size_t)f));
    }
}

void dr_transfer_spread_many(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                             const dr_transfer_places *places, dr_transfer_fields what, dr_transfer_supply supply,
                             const void *user, float *const *face)
{
    many_job job = {.transfer = transfer,
                    .grid = grid,
                    .places = places,
                    .fields = what.count,
                    .components = what.middle ? 4 : 3,
                    .supply = supply,
                    .user = user,
                    .to = face};
    const dr_residents *residents = places->residents;
    assert(what.count <= DR_TRANSFER_FIELDS);
    for (int f = 0; f < what.count; f++) dr_stencil_clear(grid, par, face[f]);
    for (int c = 0; c < 8; c++) {
        job.blocks = residents->colour_block + residents->colour_first[c];
        dr_par_for(par, residents->colour_first[c + 1] - residents->colour_first[c], 4, scatter_many_blocks, &job);
    }
}

// ---- from faces

DR_INLINE void read_two(int degree, int c, const kernels *s, const float *buffer, float *value)
{
    const float *at = buffer + c * PART + 2 * (s->item + s->late[c]);
    dr_float8 sum = dr_float8_all(0.0F);
#pragma GCC unroll 3
    for (int i = 0; i <= degree; i++) {
        dr_float8 plane = dr_float8_all(0.0F);
#pragma GCC unroll 3
        for (int j = 0; j <= degree; j++)
            plane = dr_float8_add_product(plane, dr_float8_load(at + 2 * ROW(i, j)),
                                          dr_float8_all(SECOND_WEIGHT(s, c)[j][1]));
        sum = dr_float8_add_product(sum, plane, dr_float8_all(FIRST_WEIGHT(s, c)[i][0]));
    }
    sum *= doubled(ROW_OF(s, c));
    dr_float4 halves = dr_float8_low(sum) + dr_float8_high(sum);
    value[c] = halves[0] + halves[2];
    value[4 + c] = halves[1] + halves[3];
}

DR_INLINE void read_one(int degree, int c, const kernels *s, const float *buffer, dr_float4 *sum)
{
    const float *at = buffer + c * (PART / 2) + s->item + s->late[c];
#pragma GCC unroll 3
    for (int i = 0; i <= degree; i++) {
        dr_float4 plane = dr_float4_all(0.0F);
#pragma GCC unroll 3
        for (int j = 0; j <= degree; j++)
            plane =
                dr_float4_add_product(plane, dr_float4_load(at + ROW(i, j)), dr_float4_all(SECOND_WEIGHT(s, c)[j][1]));
        sum[c] = dr_float4_add_product(sum[c], plane, dr_float4_all(FIRST_WEIGHT(s, c)[i][0]));
    }
    sum[c] *= ROW_OF(s, c);
}

DR_INLINE void read_many(int degree, int components, const many_job *job, size_t first, size_t count,
                         const float *buffer)
{
    size_t fields = (size_t)job->fields, point[BATCH];
    float offset[BATCH][4];
    find_points(job, first, count, point, offset);
    for (size_t i = 0; i < count; i++) {
        float *value = job->value + 4 * fields * point[i];
        size_t f = 0;
        kernels s;
        find_kernels(degree, offset[i], &s);
        for (; f + 1 < fields; f += 2) {
            if (components == 3) value[4 * f + 3] = value[4 * f + 7] = 0.0F;
            EACH(read_two, degree, components, &s, buffer + pair_at(components, f), value + 4 * f);
        }
        if (f < fields) {
            dr_float4 sum[4] = {{0.0F}};
            EACH(read_one, degree, components, &s, buffer + pair_at(components, f), sum);
            transpose(sum);
            dr_float4_store(value + 4 * f, (sum[0] + sum[1]) + (sum[2] + sum[3]));
        }
    }
}

static void load_buffer(const many_job *job, const strip *strips, int f, float *buffer)
{
    bool paired = f + 1 < job->fields;
    for (int n = 0; n < STRIPS; n++) {
        dr_float4 even[4] = {{0.0F}}, odd[4] = {{0.0F}};
        for (size_t k = 0; k < strips[n].count; k++) {
            even[k] = dr_float4_load(job->from[f] + strips[n].face + 4 * k);
            if (paired) odd[k] = dr_float4_load(job->from[f + 1] + strips[n].face + 4 * k);
        }
        transpose(even);
        transpose(odd);
        for (int c = 0; c < job->components; c++) {
            if (paired)
                dr_float8_store(buffer + c * PART + 2 * strips[n].item,
                                __builtin_shufflevector(even[c], odd[c], 0, 4, 1, 5, 2, 6, 3, 7));
            else
                dr_float4_store(buffer + c * (PART / 2) + strips[n].item, even[c]);
        }
    }
}

static void clear_many(const many_job *job, size_t begin, size_t end)
{
    size_t floats = 4 * (size_t)job->fields;
    for (size_t i = begin; i < end; i++)
        memset(job->value + floats * dr_residents_point(job->places->residents, i), 0, floats * sizeof *job->value);
}

static void read_many_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const many_job *job = user;
    const uint32_t *of = job->places->residents->first;
    _Alignas(64) float buffer[4 * PART * PAIRS];
    memset(buffer, 0, floats_of(job) * sizeof *buffer);
    for (size_t b = begin; b < end; b++) {
        strip strips[STRIPS];
        if (of[b] == of[b + 1]) continue;
        if (job->skip && job->skip[b]) {
            clear_many(job, of[b], of[b + 1]);
            continue;
        }
        find_strips(job->grid, b, strips);
        for (int f = 0; f < job->fields; f += 2)
            load_buffer(job, strips, f, buffer + pair_at(job->components, (size_t)f));
        for (size_t first = of[b]; first < of[b + 1]; first += BATCH) {
            size_t count = of[b + 1] - first < BATCH ? of[b + 1] - first : BATCH;
            CALL(job, read_many, first, count, buffer);
        }
    }
}

void dr_transfer_read_many(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                           const dr_transfer_places *places, dr_transfer_fields what, const float *const *face,
                           const unsigned char *skip, float *value)
{
    many_job job = {.transfer = transfer,
                    .grid = grid,
                    .places = places,
                    .fields = what.count,
                    .components = what.middle ? 4 : 3,
                    .from = face,
                    .value = value,
                    .skip = skip};
    assert(what.count <= DR_TRANSFER_FIELDS);
    dr_par_for(par, grid->block_count, 8, read_many_blocks, &job);
}
