// Pools of liquid in a cube with five walls, described by a distance field of the liquid (in cells, negative inside),
// one of a solid and a density. The flux is gravity for one time step and a swirl.
#include "lab/bench_pressure.h"

#include "base/clock.h"
#include "lab/lab.h"
#include "linear/pressure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = DR_BLOCK_NODES, DROPS = 2000, SHEETS = 100 };

#define COPY_BYTES ((size_t)64 << 20)

typedef struct bench {
    const dr_bench_pressure_case *what;
    const dr_allocator *allocator;
    dr_par par;
    dr_grid grid;
    float *distance; // [side + 8]^3, four cells around the cube
    uint8_t *kind;
    float *flux, *mobility, *open, *theta, *result, *gradient;
    size_t blocks;
    char *copy; // two halves of COPY_BYTES
    dr_pressure pressure;
} bench;

// ---- shapes

static double noise(uint64_t n)
{
    n = (n ^ n >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ n >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (double)((n ^ n >> 32) >> 11) / 9007199254740992.0;
}

static size_t distance_item(const bench *b, int i, int j, int k)
{
    size_t side = (size_t)b->what->side + 8;
    return ((size_t)(i + 4) * side + (size_t)(j + 4)) * side + (size_t)(k + 4);
}

static double pool_distance(const bench *b, const double x[3])
{
    double side = b->what->side;
    switch (b->what->scene) {
    case DR_BENCH_PRESSURE_SPHERE:
        return x[1] - side * (0.75 + 0.05 * sin(5.0 * x[0] / side + 2.0 * x[2] / side));
    case DR_BENCH_PRESSURE_JUMP:
        return x[1] - side * 0.75 - 0.3;
    case DR_BENCH_PRESSURE_SPLASH:
        return x[1] - side * (0.2 + 0.05 * sin(12.8 * x[0] / side) * sin(16.6 * x[2] / side));
    default:
        return x[1] - side;
    }
}

static double solid_distance(const bench *b, const double x[3])
{
    double side = b->what->side;
    if (b->what->scene != DR_BENCH_PRESSURE_SPHERE) return side;
    double d[3] = {x[0] - 0.5 * side, x[1] - 0.45 * side, x[2] - 0.5 * side};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 0.25 * side;
}

static double density(const bench *b, const double x[3])
{
    double side = b->what->side;
    if (b->what->scene != DR_BENCH_PRESSURE_JUMP) return 1.0;
    double d[3] = {x[0] - 0.5 * side, x[1] - 0.4 * side, x[2] - 0.5 * side};
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 0.0625 * side * side ? 1000.0 : 1.0;
}

static void fill_pool(bench *b)
{
    int side = b->what->side;
    for (int i = -4; i < side + 4; i++) {
        for (int j = -4; j < side + 4; j++) {
            for (int k = -4; k < side + 4; k++) {
                double x[3] = {i + 0.5, j + 0.5, k + 0.5};
                b->distance[distance_item(b, i, j, k)] = (float)pool_distance(b, x);
            }
        }
    }
}

typedef struct blob {
    double centre[3], radius, normal[3], thickness; // thickness 0: a drop, else a disc
} blob;

static blob make_blob(const bench *b, int number)
{
    double side = b->what->side, length = 0.0;
    uint64_t seed = 16 * (uint64_t)number;
    blob made = {.radius = (1.0 + 4.0 * noise(seed + 3)) * side / 128.0};
    for (int a = 0; a < 3; a++) made.centre[a] = side * noise(seed + (uint64_t)a);
    for (int a = 0; a < 3; a++) made.normal[a] = noise(seed + 4 + (uint64_t)a) - 0.5;
    for (int a = 0; a < 3; a++) length += made.normal[a] * made.normal[a];
    for (int a = 0; a < 3; a++) made.normal[a] /= sqrt(length);
    if (number >= DROPS) {
        made.radius *= 6.0;
        made.thickness = 1.2;
    }
    return made;
}

static double blob_distance(const blob *shape, const double x[3])
{
    double d[3] = {x[0] - shape->centre[0], x[1] - shape->centre[1], x[2] - shape->centre[2]};
    double round = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - shape->radius;
    if (shape->thickness == 0.0) return round;
    double flat = fabs(d[0] * shape->normal[0] + d[1] * shape->normal[1] + d[2] * shape->normal[2]) - shape->thickness;
    return fmax(round, flat);
}

static void add_blob(bench *b, const blob *shape)
{
    int low[3], high[3], side = b->what->side;
    for (int a = 0; a < 3; a++) {
        low[a] = (int)fmax(-4.0, floor(shape->centre[a] - shape->radius - 2.0));
        high[a] = (int)fmin(side + 4.0, ceil(shape->centre[a] + shape->radius + 2.0));
    }
    for (int i = low[0]; i < high[0]; i++) {
        for (int j = low[1]; j < high[1]; j++) {
            for (int k = low[2]; k < high[2]; k++) {
                double x[3] = {i + 0.5, j + 0.5, k + 0.5};
                float *at = &b->distance[distance_item(b, i, j, k)];
                *at = fminf(*at, (float)blob_distance(shape, x));
            }
        }
    }
}

static bool fill_distance(bench *b)
{
    size_t side = (size_t)b->what->side + 8;
    b->distance = dr_memory_alloc(b->allocator, side * side * side * sizeof *b->distance);
    if (!b->distance) return false;
    fill_pool(b);
    for (int n = 0; b->what->scene == DR_BENCH_PRESSURE_SPLASH && n < DROPS + SHEETS; n++) {
        blob shape = make_blob(b, n);
        add_blob(b, &shape);
    }
    return true;
}

// ---- blocks

static bool block_wanted(const bench *b, const int32_t block[3])
{
    for (int c = 0; c < 6 * 6 * 6; c++) {
        int x[3] = {4 * block[0] + c / 36 - 1, 4 * block[1] + c / 6 % 6 - 1, 4 * block[2] + c % 6 - 1};
        bool inside = true;
        for (int a = 0; a < 3; a++) inside = inside && x[a] >= 0 && x[a] < b->what->side;
        if (inside && b->distance[distance_item(b, x[0], x[1], x[2])] < 0.0F) return true;
    }
    return false;
}

// Blocks with liquid in them or beside them, inside the walls; one layer above the open top.
static bool make_blocks(bench *b)
{
    int32_t wide = b->what->side / 4;
    size_t most = (size_t)wide * (size_t)wide * (size_t)(wide + 1), count = 0;
    int32_t(*list)[3] = dr_memory_alloc(b->allocator, most * sizeof *list);
    if (!list) return false;
    for (size_t n = 0; n < most; n++) {
        int32_t block[3] = {(int32_t)(n / (size_t)(wide * (wide + 1))), (int32_t)(n / (size_t)wide) % (wide + 1),
                            (int32_t)(n % (size_t)wide)};
        if (block_wanted(b, block)) memcpy(list[count++], block, sizeof block);
    }
    bool ok = dr_grid_from_blocks(&b->grid, &b->par, (const int32_t(*)[3])list, count);
    dr_memory_free(b->allocator, list, most * sizeof *list);
    return ok;
}

// ---- arrays

static void fill_face(bench *b, size_t face, int axis, const int cell[3])
{
    double x[3] = {cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5}, low[3] = {x[0], x[1], x[2]}, side = b->what->side;
    low[axis] -= 1.0;
    double middle[3] = {0.5 * (x[0] + low[0]), 0.5 * (x[1] + low[1]), 0.5 * (x[2] + low[2])};
    double share = fmin(1.0, fmax(0.0, solid_distance(b, middle) + 0.5));
    bool wall = cell[axis] == 0;
    b->open[face] = wall || share < 0.01 ? 0.0F : (float)share;
    b->mobility[face] = (float)(2.0 / (density(b, x) + density(b, low)));
    double swirl = sin(6.0 * x[(axis + 1) % 3] / side) * cos(4.0 * x[(axis + 2) % 3] / side);
    b->flux[face] = (float)(swirl - (axis == 1 ? 1.0 : 0.0));
    float own = b->distance[distance_item(b, cell[0], cell[1], cell[2])];
    int below[3] = {cell[0], cell[1], cell[2]};
    below[axis]--;
    float other = b->distance[distance_item(b, below[0], below[1], below[2])];
    float inside = fminf(own, other), outside = fmaxf(own, other);
    b->theta[face] = inside < 0.0F && outside >= 0.0F ? inside / (inside - outside) : 1.0F;
}

static void fill_arrays(bench *b)
{
    int side = b->what->side;
    for (size_t n = 0; n < CELLS * b->grid.block_count; n++) {
        const int32_t *block = b->grid.coordinate + 3 * (n / CELLS);
        int c = (int)(n % CELLS),
            cell[3] = {4 * block[0] + (c >> 4), 4 * block[1] + (c >> 2 & 3), 4 * block[2] + (c & 3)};
        double x[3] = {cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5};
        bool liquid = cell[1] < side && b->distance[distance_item(b, cell[0], cell[1], cell[2])] < 0.0F;
        bool solid = solid_distance(b, x) < -1.0;
        b->kind[n] = (uint8_t)(solid ? DR_CELL_SOLID : liquid ? DR_CELL_LIQUID : DR_CELL_AIR);
        for (int a = 0; a < 3; a++) fill_face(b, 4 * n + (size_t)a, a, cell);
    }
}

static void *take(const bench *b, size_t items)
{
    return dr_memory_alloc(b->allocator, CELLS * b->blocks * items);
}

static bool make_arrays(bench *b)
{
    b->blocks = b->grid.block_count;
    b->kind = take(b, 1);
    b->flux = take(b, 4 * sizeof(float));
    b->mobility = take(b, 4 * sizeof(float));
    b->open = take(b, 4 * sizeof(float));
    b->theta = take(b, 4 * sizeof(float));
    b->gradient = take(b, 4 * sizeof(float));
    b->result = take(b, sizeof(float));
    if (!b->kind || !b->flux || !b->mobility || !b->open || !b->theta || !b->gradient || !b->result) return false;
    fill_arrays(b);
    return true;
}

static void close_bench(bench *b)
{
    size_t side = (size_t)b->what->side + 8, cells = CELLS * b->blocks;
    dr_memory_free(b->allocator, b->distance, side * side * side * sizeof *b->distance);
    dr_memory_free(b->allocator, b->kind, cells);
    float *faces[5] = {b->flux, b->mobility, b->open, b->theta, b->gradient};
    for (int n = 0; n < 5; n++) dr_memory_free(b->allocator, faces[n], 4 * cells * sizeof(float));
    dr_memory_free(b->allocator, b->result, cells * sizeof(float));
    if (b->grid.more) dr_grid_close(&b->grid);
    dr_pressure_close(&b->pressure);
}

// ---- numbers

static void copy_range(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    bench *b = user;
    memcpy(b->copy + COPY_BYTES + begin, b->copy + begin, end - begin);
}

// More than a cache holds.
static double time_copy(bench *b)
{
    double clock = dr_clock_cpu();
    dr_par_for(&b->par, COPY_BYTES, COPY_BYTES / 64, copy_range, b);
    return dr_clock_cpu() - clock;
}

// Bytes of one iteration, pass by pass, as read and written once by each pass; a store to memory not read before
// counts twice. Per cell of the level: half sweeps from zero 6, others 8, residual 6, correction 6, and of rows that
// are not uniform 16 per half of the cells touched; of the finest level also directions 28, product 20, residual 36,
// sum 8.
static double bytes_of_level(const dr_multigrid *multigrid, int l)
{
    const dr_level *level = &multigrid->level[l];
    double cells = (double)(CELLS * level->block_count), rows = (double)(CELLS * level->stencil_count);
    int sweeps = multigrid->half_sweeps, visits = l + 1 < multigrid->level_count ? multigrid->visits[l] : 0;
    double bytes = cells * (6.0 + 8.0 * (sweeps - 1)) + rows * (2.0 + 14.0 * (sweeps - 1));
    bytes += visits * (cells * (12.0 + 8.0 * sweeps) + rows * (14.0 + 14.0 * sweeps));
    return bytes + (l == 0 ? 92.0 * cells + 28.0 * rows : 0.0);
}

static double bytes_of_iteration(const dr_multigrid *multigrid)
{
    double bytes = 0.0, times = 1.0;
    for (int l = 0; l < multigrid->level_count; l++) {
        bytes += times * bytes_of_level(multigrid, l);
        times *= multigrid->visits[l];
    }
    return bytes;
}

enum { SETUP, SOLVE, TOTAL, COPY, STAGES };

static bool solve_once(bench *b, double seconds[STAGES], dr_bench_pressure_result *result)
{
    dr_pressure_problem problem = {.grid = &b->grid,
                                   .kind = b->kind,
                                   .flux = b->flux,
                                   .mobility = b->mobility,
                                   .open = b->open,
                                   .theta = b->theta};
    dr_pressure_options options = dr_pressure_defaults;
    options.tolerance = b->what->tolerance;
    dr_solve_report report;
    double clock = dr_clock_cpu();
    if (!dr_pressure_solve(&b->pressure, &b->par, &problem, &options, b->result, b->gradient, &report)) return false;
    const dr_pressure_facts *facts = &b->pressure.facts;
    seconds[TOTAL] = dr_clock_cpu() - clock;
    seconds[SETUP] = facts->setup_seconds;
    seconds[SOLVE] = facts->solve_seconds;
    *result = (dr_bench_pressure_result){.unknowns = facts->unknowns,
                                         .blocks = facts->blocks,
                                         .uniform_blocks = facts->uniform_blocks,
                                         .levels = facts->levels,
                                         .tries = facts->tries,
                                         .iterations = report.iterations,
                                         .reason = report.reason,
                                         .residual = report.residual};
    return true;
}

static bool measure(bench *b, double *values, dr_bench_pressure_result *result)
{
    int repeats = b->what->repeats;
    double seconds[STAGES];
    for (int n = -1; n < repeats; n++) {
        if (!solve_once(b, seconds, result)) return false;
        if (n < 0) memset(b->copy, 1, 2 * COPY_BYTES);
        seconds[COPY] = time_copy(b);
        for (int s = 0; n >= 0 && s < STAGES; s++) values[s * repeats + n] = seconds[s];
    }
    for (int s = 0; s < STAGES; s++) seconds[s] = dr_lab_median(values + s * repeats, repeats);
    result->setup_seconds = seconds[SETUP];
    result->solve_seconds = seconds[SOLVE];
    result->total_seconds = seconds[TOTAL];
    result->copy_bandwidth = 2.0 * (double)COPY_BYTES / seconds[COPY];
    result->bytes_moved = result->iterations * bytes_of_iteration(&b->pressure.multigrid);
    result->floor_seconds = result->bytes_moved / result->copy_bandwidth;
    result->ratio = result->solve_seconds / result->floor_seconds;
    return true;
}

static bool run(bench *b, dr_bench_pressure_result *result)
{
    const double origin[3] = {0.0, 0.0, 0.0};
    const int32_t period[3] = {0, 0, 0};
    if (!dr_pressure_open(&b->pressure, b->allocator)) return false;
    if (!dr_grid_open(&b->grid, b->allocator, 1.0, origin, period)) return false;
    if (!fill_distance(b) || !make_blocks(b) || !make_arrays(b)) return false;
    size_t bytes = STAGES * (size_t)b->what->repeats * sizeof(double);
    double *values = dr_memory_alloc(b->allocator, bytes);
    b->copy = dr_memory_resize(b->allocator, NULL, 0, 2 * COPY_BYTES);
    bool ok = values && b->copy && measure(b, values, result);
    dr_memory_free(b->allocator, values, bytes);
    dr_memory_free(b->allocator, b->copy, 2 * COPY_BYTES);
    return ok;
}

bool dr_bench_pressure(const dr_bench_pressure_case *what, const dr_allocator *allocator,
                       dr_bench_pressure_result *result)
{
    bench b = {.what = what, .allocator = allocator, .par = dr_par_open(what->threads)};
    *result = (dr_bench_pressure_result){0};
    bool ok = run(&b, result);
    close_bench(&b);
    return ok;
}
