// A cube of particles turns about its middle: sort, to the grid, momentum to velocity, back. Sort and the two transfers
// are timed apart, in processor time, step by step; medians are reported.
#include "lab/bench_transfer.h"

#include "base/clock.h"
#include "grid/transfer.h"
#include "lab/lab.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    const dr_bench_transfer_case *what;
    const dr_allocator *allocator;
    dr_par par;
    dr_transfer transfer;
    dr_grid grid;
    dr_particles particles;
    float *field, *mass; // [block][64][4]; mass for faces alone
    size_t field_blocks;
    char *copy; // two halves of COPY_BYTES
    double dt;
} bench;

#define COPY_BYTES ((size_t)64 << 20)

enum { SORT, SCATTER, GATHER, COPY, STAGES, WARM_UPS = 2 };

// ---- particles

static double noise(uint64_t n)
{
    n = (n ^ n >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    n = (n ^ n >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    return (double)((n ^ n >> 32) >> 11) / 9007199254740992.0;
}

static void fill_particle(bench *b, size_t p, double side)
{
    double position[3], spin[3] = {0.6, 0.64, 0.48};
    for (int a = 0; a < 3; a++) position[a] = side * (noise(3 * p + (uint64_t)a) - 0.5);
    dr_grid_place(&b->grid, position, b->particles.key + p, b->particles.offset + 3 * p);
    for (int r = 0; r < 3; r++) {
        int c = (r + 1) % 3, d = (r + 2) % 3;
        b->particles.velocity[3 * p + (size_t)r] = (float)(spin[c] * position[d] - spin[d] * position[c]);
        b->particles.affine[9 * p + (size_t)(3 * r + c)] = (float)-spin[d];
        b->particles.affine[9 * p + (size_t)(3 * r + d)] = (float)spin[c];
    }
    b->particles.mass[p] = 1.0F;
    b->particles.id[p] = p;
}

static bool make_particles(bench *b)
{
    size_t count = b->what->particles;
    double side = cbrt((double)count / b->what->per_cell);
    if (!dr_particles_reserve(&b->particles, b->allocator, count)) return false;
    for (int c = 0; c < dr_particle_columns.count; c++) {
        const dr_column *column = &dr_particle_columns.columns[c];
        memset(*dr_column_pointer(column, &b->particles), 0, count * dr_column_item_bytes(column));
    }
    b->particles.count = count;
    for (size_t p = 0; p < count; p++) fill_particle(b, p, side);
    b->dt = b->what->courant / (0.5 * sqrt(3.0) * side); // the spin is one radian per unit of time, the cell one unit
    return true;
}

// ---- steps

static void free_fields(bench *b)
{
    size_t bytes = b->field_blocks * 4 * DR_BLOCK_NODES * sizeof(float);
    dr_memory_free(b->allocator, b->field, bytes);
    dr_memory_free(b->allocator, b->mass, bytes);
    b->field = b->mass = NULL;
    b->field_blocks = 0;
}

static bool reserve_fields(bench *b)
{
    if (b->grid.block_count <= b->field_blocks) return true;
    size_t blocks = b->grid.block_count + b->grid.block_count / 8, bytes = blocks * 4 * DR_BLOCK_NODES * sizeof(float);
    free_fields(b);
    b->field_blocks = blocks;
    b->field = dr_memory_alloc(b->allocator, bytes);
    b->mass = b->what->faces ? dr_memory_alloc(b->allocator, bytes) : NULL;
    return b->field && (b->mass || !b->what->faces);
}

static void scatter(bench *b)
{
    if (b->what->faces) {
        dr_transfer_to_faces(&b->transfer, &b->grid, &b->par, &b->particles, b->mass, b->field);
    } else {
        dr_transfer_to_nodes(&b->transfer, &b->grid, &b->par, &b->particles, b->dt, NULL, NULL, b->field);
    }
}

static void gather(bench *b)
{
    const dr_transfer_back back = {.field = b->field, .dt = b->dt, .particles = &b->particles};
    if (b->what->faces) {
        dr_transfer_from_faces(&b->transfer, &b->grid, &b->par, &back);
    } else {
        dr_transfer_from_nodes(&b->transfer, &b->grid, &b->par, &back);
    }
}

static void divide_by_mass(bench *b)
{
    for (size_t n = 0; n < b->grid.block_count * DR_BLOCK_NODES; n++) {
        float *momentum = b->field + 4 * n;
        for (int r = 0; r < 3; r++) {
            float mass = b->what->faces ? b->mass[4 * n + (size_t)r] : momentum[0];
            float *one = momentum + (b->what->faces ? r : r + 1);
            *one = mass > 0.0F ? *one / mass : 0.0F;
        }
    }
}

static void copy_range(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const bench *b = user;
    memcpy(b->copy + COPY_BYTES + begin, b->copy + begin, end - begin);
}

// What one second of this machine's memory is worth, on as many threads as the transfers have.
static void copy_memory(bench *b)
{
    dr_par_for(&b->par, COPY_BYTES, COPY_BYTES / 64, copy_range, b);
}

static double clock_of(const bench *b)
{
    return b->par.threads == 1 ? dr_clock_cpu() : dr_clock_now();
}

static double seconds_since(const bench *b, double *then)
{
    double now = clock_of(b), passed = now - *then;
    *then = now;
    return passed;
}

static bool step(bench *b, double seconds[STAGES])
{
    double clock = clock_of(b);
    if (!dr_grid_rebuild(&b->grid, &b->par, &b->particles)) return false;
    seconds[SORT] = seconds_since(b, &clock);
    if (!reserve_fields(b)) return false;
    clock = clock_of(b);
    scatter(b);
    seconds[SCATTER] = seconds_since(b, &clock);
    divide_by_mass(b);
    clock = clock_of(b);
    gather(b);
    seconds[GATHER] = seconds_since(b, &clock);
    return true;
}

// ---- numbers

// Reads 64 bytes to the grid (offset, velocity, affine, mass); reads 12 and writes 60 on the way back.
static double bytes_moved(void)
{
    return 64.0 + 12.0 + 60.0;
}

static void report(const bench *b, double *const seconds[STAGES + 1], int repeats, dr_bench_transfer_result *result)
{
    double count = (double)b->particles.count, *both = seconds[STAGES], middle[STAGES];
    for (int i = 0; i < repeats; i++) both[i] = seconds[SCATTER][i] + seconds[GATHER][i];
    for (int s = 0; s < STAGES; s++) middle[s] = dr_lab_median(seconds[s], repeats);
    double transfer = dr_lab_median(both, repeats);
    size_t grid_blocks = b->field_blocks * 4 * DR_BLOCK_NODES * sizeof(float) * (b->what->faces ? 2 : 1);
    size_t order_bytes = dr_residents_sort_bytes(&b->particles.residents);
    size_t own_bytes = dr_residents_bytes(&b->particles.residents) - order_bytes;
    *result = (dr_bench_transfer_result){
        .particles = b->particles.count,
        .blocks = b->grid.block_count,
        .rate = count / transfer,
        .best_rate = count / both[0],
        .sorted_rate = count / (transfer + middle[SORT]),
        .scatter_rate = count / middle[SCATTER],
        .gather_rate = count / middle[GATHER],
        .sort_rate = count / middle[SORT],
        .copy_bandwidth = 2.0 * (double)COPY_BYTES / middle[COPY],
        .bytes_moved = bytes_moved(),
        .particle_bytes = (double)dr_columns_row_bytes(&dr_particle_columns) + (double)order_bytes / count,
        .grid_bytes = (double)(dr_grid_bytes(&b->grid) + own_bytes + grid_blocks) / count,
    };
    result->floor_rate = result->copy_bandwidth / result->bytes_moved;
    result->ratio = result->floor_rate / result->rate;
}

static bool measure(bench *b, double *values, dr_bench_transfer_result *result)
{
    int repeats = b->what->repeats;
    double *seconds[STAGES + 1];
    for (int s = 0; s <= STAGES; s++) seconds[s] = values + s * repeats;
    double one[STAGES];
    for (int i = 0; i < WARM_UPS; i++) {
        if (!step(b, one)) return false;
    }
    memset(b->copy, 1, 2 * COPY_BYTES);
    for (int i = 0; i < repeats; i++) {
        if (!step(b, one)) return false;
        double clock = clock_of(b);
        copy_memory(b);
        one[COPY] = seconds_since(b, &clock);
        for (int s = 0; s < STAGES; s++) seconds[s][i] = one[s];
    }
    report(b, seconds, repeats, result);
    return true;
}

bool dr_bench_transfer(const dr_bench_transfer_case *what, const dr_allocator *allocator,
                       dr_bench_transfer_result *result)
{
    bench b = {.what = what, .allocator = allocator, .par = dr_par_open(what->threads)};
    b.transfer = (dr_transfer){.kernel = what->kernel, .scheme = DR_SCHEME_APIC};
    size_t bytes = (size_t)(STAGES + 1) * (size_t)what->repeats * sizeof(double);
    double *values = dr_memory_alloc(allocator, bytes);
    b.copy = dr_memory_resize(allocator, NULL, 0, 2 * COPY_BYTES);
    bool done = values && b.copy &&
                dr_grid_open(&b.grid, allocator, 1.0, (double[3]){0, 0, 0}, (int32_t[3]){0, 0, 0}) &&
                make_particles(&b) && measure(&b, values, result);
    dr_memory_free(allocator, values, bytes);
    dr_memory_free(allocator, b.copy, 2 * COPY_BYTES);
    free_fields(&b);
    dr_particles_free(&b.particles, allocator);
    dr_grid_close(&b.grid);
    return done;
}
