// docs/theory/collide.md, "Meshes that move".
#include "collide/band.h"

#include "base/memory.h"
#include "math/scalar.h"
#include "math/vec.h"

enum { SIDE = 8, EDGE = SIDE + 1, CELLS = SIDE * SIDE * SIDE, SAMPLES = EDGE * EDGE * EDGE };

// Samples for one cell of the grid. At one, twice as many places ask the shape; at four, samples take eight times the
// memory.
#define PER_CELL 2.0

#define HALF_DIAGONAL (0.5 * SIDE * 1.7320508075688772) // of a block, in spacings

// Of what is beyond it is known only that it is.
#define FAR (DR_BAND_REACH + 8.0)

struct dr_band_block {
    int32_t at[3];
    bool sampled;  // else too far from the surface
    double middle; // distance there
    uint64_t exact[CELLS / 64];
    float sample[SAMPLES];
};

void dr_band_open(dr_band *band, const dr_allocator *allocator, const dr_shape *shape, double cell)
{
    *band = (dr_band){.allocator = allocator, .shape = shape, .cell = cell, .spacing = cell / PER_CELL};
}

void dr_band_close(dr_band *band)
{
    dr_memory_free(band->allocator, band->blocks, band->capacity * sizeof *band->blocks);
    dr_memory_free(band->allocator, band->slots, band->slot_count * sizeof *band->slots);
    *band = (dr_band){0};
}

// ---- finding blocks

static size_t slot_of(const dr_band *band, const int32_t at[3])
{
    uint64_t hash = (uint64_t)(uint32_t)at[0] * UINT64_C(0x9E3779B97F4A7C15) +
                    (uint64_t)(uint32_t)at[1] * UINT64_C(0xC2B2AE3D27D4EB4F) +
                    (uint64_t)(uint32_t)at[2] * UINT64_C(0x165667B19E3779F9);
    hash ^= hash >> 29;
    size_t slot = (size_t)(hash * UINT64_C(0xBF58476D1CE4E5B9) >> 32) & (band->slot_count - 1);
    for (;; slot = (slot + 1) & (band->slot_count - 1)) {
        int32_t block = band->slots[slot];
        if (block < 0) return slot;
        const int32_t *found = band->blocks[block].at;
        if (found[0] == at[0] && found[1] == at[1] && found[2] == at[2]) return slot;
    }
}

static bool grow_slots(dr_band *band)
{
    size_t count = band->slot_count ? 2 * band->slot_count : 64;
    if (2 * (band->count + 1) <= band->slot_count) return true;
    int32_t *slots = dr_memory_alloc(band->allocator, count * sizeof *slots);
    if (!slots) return false;
    dr_memory_free(band->allocator, band->slots, band->slot_count * sizeof *slots);
    band->slots = slots;
    band->slot_count = count;
    for (size_t i = 0; i < count; i++) slots[i] = -1;
    for (size_t b = 0; b < band->count; b++) slots[slot_of(band, band->blocks[b].at)] = (int32_t)b;
    return true;
}

static bool add_block(dr_band *band, const int32_t at[3])
{
    if (!grow_slots(band)) return false;
    size_t slot = slot_of(band, at);
    if (band->slots[slot] >= 0) return true;
    if (!dr_memory_reserve(band->allocator, (void **)&band->blocks, &band->capacity, band->count + 1,
                           sizeof *band->blocks))
        return false;
    dr_band_block *block = &band->blocks[band->count];
    for (int a = 0; a < 3; a++) block->at[a] = at[a];
    band->slots[slot] = (int32_t)band->count++;
    return true;
}

bool dr_band_want(dr_band *band, const double x[3], const double half[3])
{
    int32_t low[3], high[3];
    double width = SIDE * band->spacing;
    for (int a = 0; a < 3; a++) {
        low[a] = (int32_t)floor((x[a] - half[a]) / width);
        high[a] = (int32_t)floor((x[a] + half[a]) / width);
    }
    for (int32_t i = low[0]; i <= high[0]; i++)
        for (int32_t j = low[1]; j <= high[1]; j++)
            for (int32_t k = low[2]; k <= high[2]; k++)
                if (!add_block(band, (const int32_t[3]){i, j, k})) return false;
    return true;
}

// ---- samples

static double ask(const dr_band *band, const dr_band_block *block, double i, double j, double k, double enough)
{
    const double x[3] = {band->spacing * (SIDE * (double)block->at[0] + i),
                         band->spacing * (SIDE * (double)block->at[1] + j),
                         band->spacing * (SIDE * (double)block->at[2] + k)};
    return dr_shape_distance_within(band->shape, x, enough);
}

static int sample_at(int i, int j, int k)
{
    return (i * EDGE + j) * EDGE + k;
}

static double blend(const float *sample, int at, const double t[3])
{
    double sum = 0.0;
    for (int i = 0; i < 8; i++) {
        const int x = i >> 2, y = i >> 1 & 1, z = i & 1;
        double weight = (x ? t[0] : 1.0 - t[0]) * (y ? t[1] : 1.0 - t[1]) * (z ? t[2] : 1.0 - t[2]);
        sum += weight * (double)sample[at + sample_at(x, y, z)];
    }
    return sum;
}

// Samples that cannot be within reach, as seen from the middle, are not asked for.
static void take_samples(const dr_band *band, dr_band_block *block)
{
    double reach = DR_BAND_REACH * band->cell;
    for (int s = 0; s < SAMPLES; s++) {
        const int i = s / (EDGE * EDGE), j = s / EDGE % EDGE, k = s % EDGE;
        const double from[3] = {i - 0.5 * SIDE, j - 0.5 * SIDE, k - 0.5 * SIDE};
        bool far = fabs(block->middle) - band->spacing * dr_vec3_length(from) >= reach;
        double distance = far ? copysign(reach, block->middle) : ask(band, block, i, j, k, reach);
        block->sample[s] = (float)dr_clamp_double(distance, -reach, reach);
    }
}

// Where samples do not tell the middle between them, the shape bends there, and is asked itself. The middle is wrong by
// at least half as much as any other place, but where a bend touches a corner alone.
static void check_samples(const dr_band *band, dr_band_block *block)
{
    static const double half[3] = {0.5, 0.5, 0.5};
    double reach = DR_BAND_REACH * band->cell, slack = band->spacing; // a sample is less than this from the middle
    for (int c = 0; c < CELLS; c++) {
        const int i = c / (SIDE * SIDE), j = c / SIDE % SIDE, k = c % SIDE;
        double told = blend(block->sample, sample_at(i, j, k), half);
        if (fabs(told) > reach - slack) continue;
        double distance = ask(band, block, i + 0.5, j + 0.5, k + 0.5, reach);
        if (fabs(told - distance) > 0.5 * DR_BAND_ERROR * band->cell) block->exact[c / 64] |= UINT64_C(1) << (c % 64);
    }
}

static void fill_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_band *band = user;
    for (size_t b = begin; b < end; b++) {
        dr_band_block *block = &band->blocks[band->filled + b];
        for (int i = 0; i < CELLS / 64; i++) block->exact[i] = 0;
        block->middle = ask(band, block, 0.5 * SIDE, 0.5 * SIDE, 0.5 * SIDE, FAR * band->cell);
        block->sampled = fabs(block->middle) < HALF_DIAGONAL * band->spacing + DR_BAND_REACH * band->cell;
        if (!block->sampled) continue;
        take_samples(band, block);
        check_samples(band, block);
    }
}

void dr_band_fill(dr_band *band, const dr_par *par)
{
    dr_par_for(par, band->count - band->filled, 1, fill_blocks, band);
    band->filled = band->count;
}

// ---- asking

// Beyond reach, not more than the distance: that of the middle less the way from there.
static double far_distance(const dr_band *band, const dr_band_block *block, const double place[3])
{
    double way[3];
    for (int a = 0; a < 3; a++) way[a] = band->spacing * (place[a] - 0.5 * SIDE);
    return copysign(fabs(block->middle) - dr_vec3_length(way), block->middle);
}

double dr_band_distance(const dr_band *band, const double x[3], double enough)
{
    int32_t at[3];
    int cell[3];
    double place[3], t[3];
    dr_box box = dr_shape_bounds(band->shape);
    double gap = dr_box_distance(&box, x);
    if (gap >= enough) return gap;
    for (int a = 0; a < 3; a++) {
        double spacings = x[a] / band->spacing;
        at[a] = (int32_t)floor(spacings / SIDE);
        place[a] = dr_clamp_double(spacings - SIDE * (double)at[a], 0.0, SIDE);
        cell[a] = place[a] < SIDE ? (int)place[a] : SIDE - 1;
        t[a] = place[a] - cell[a];
    }
    int32_t found = band->slot_count ? band->slots[slot_of(band, at)] : -1;
    if (found < 0) return dr_shape_distance_within(band->shape, x, enough);
    const dr_band_block *block = &band->blocks[found];
    if (!block->sampled) return far_distance(band, block, place);
    int c = (cell[0] * SIDE + cell[1]) * SIDE + cell[2];
    if (block->exact[c / 64] >> (c % 64) & 1) return dr_shape_distance_within(band->shape, x, enough);
    return blend(block->sample, sample_at(cell[0], cell[1], cell[2]), t);
}
