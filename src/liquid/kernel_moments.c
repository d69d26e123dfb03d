// Kernel moments of the open space. docs/theory/surface.md, eq. (3)-(4).
// Cells are halved along every axis; the open share of a half follows from the distance of solids in its middle and is
// scaled so that the eight halves of a cell together have the open volume of the cell. What is open of a cut half lies
// beside its middle, away from the solid. The quadratic B-spline and its first moment are integrated exactly over
// halves, one axis after the other, and move with the middle to first order.
#include "liquid/kernel_moments.h"

#include "base/hash.h"
#include "grid/halo.h"
#include "liquid/tuning.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

#define BLOCK_FLOATS ((size_t)4 * DR_BLOCK_NODES) // of moments

enum { CORNERS = DR_BLOCK_SIDE + 3, HALVES = 2 * (DR_BLOCK_SIDE + 2), TAPS = 6 };

typedef float halves[HALVES][HALVES][HALVES];

// Integrals of the kernel over halves, and of the kernel times the distance; their derivatives where halves move.
typedef struct taps {
    float weight[TAPS], lever[TAPS], weight_slope[TAPS], lever_slope[TAPS];
} taps;

// Particles sample the kernel at the middles of the volumes they stand for, as the midpoint rule does: of an integral
// over [a, b] they see the integral less s^2/24 times the difference of the slopes at its ends, eq. (3).
static taps make_taps(double spacing)
{
    static const double weight[3] = {1.0 / 3, 7.0 / 48, 1.0 / 48}, lever[3] = {5.0 / 64, 13.0 / 128, 3.0 / 128};
    static const double value[4] = {0.75, 0.5, 0.125, 0.0}, slope[4] = {0.0, -1.0, -0.5, 0.0}; // of N at half cells
    static const double lever_slope[4] = {0.75, 0.0, -0.375, 0.0};                             // of x N
    double grain = spacing * spacing / 24.0;
    taps made;
    for (int i = 0; i < 3; i++) {
        made.weight[3 + i] = made.weight[2 - i] = (float)(weight[i] - grain * (slope[i + 1] - slope[i]));
        made.lever[3 + i] = (float)(lever[i] - grain * (lever_slope[i + 1] - lever_slope[i]));
        made.lever[2 - i] = -made.lever[3 + i];
        made.weight_slope[3 + i] = (float)(value[i + 1] - value[i]);
        made.weight_slope[2 - i] = -made.weight_slope[3 + i];
        made.lever_slope[3 + i] = made.lever_slope[2 - i] = (float)(0.5 * (i + 1) * value[i + 1] - 0.5 * i * value[i]);
    }
    return made;
}

DR_INLINE float between(float low, float high, int half)
{
    return half & 1 ? 0.25F * low + 0.75F * high : 0.75F * low + 0.25F * high;
}

static int nearest(int i)
{
    return i < 1 ? 1 : i > DR_BLOCK_SIDE ? DR_BLOCK_SIDE : i;
}

// Corners around a block in cells; where there is no block the nearest corner of this one is repeated. Returns the
// least.
static float load_corners(const dr_grid *grid, size_t block, const float *corner, float at[CORNERS][CORNERS][CORNERS])
{
    float least = INFINITY, scale = 1.0F / (float)grid->cell;
    dr_halo_load_wide(grid, block, corner, 1, 2, NAN, &at[0][0][0]);
    for (int i = 0; i < CORNERS * CORNERS * CORNERS; i++) {
        int x = i / (CORNERS * CORNERS), y = i / CORNERS % CORNERS, z = i % CORNERS;
        if (isnan(at[x][y][z]))
            at[x][y][z] =
                corner[DR_BLOCK_NODES * block + (size_t)((nearest(x) * 4 + nearest(y)) * 4 + nearest(z) - 21)];
        at[x][y][z] *= scale;
        least = dr_min_float(least, at[x][y][z]);
    }
    return least;
}

// Distances in the middles of halves, in cells, trilinear between corners; false where all are open.
static bool load_distances(const dr_grid *grid, size_t block, const float *corner, halves to)
{
    float at[CORNERS][CORNERS][CORNERS], z[CORNERS][CORNERS][HALVES], y[CORNERS][HALVES][HALVES];
    if (load_corners(grid, block, corner, at) > 0.5F) return false;
    for (int i = 0; i < CORNERS * CORNERS; i++) {
        const float *row = &at[0][0][0] + i * CORNERS;
        for (int h = 0; h < HALVES; h++) (&z[0][0][0])[i * HALVES + h] = between(row[h >> 1], row[(h >> 1) + 1], h);
    }
    for (int i = 0; i < CORNERS; i++) {
        for (int h = 0; h < HALVES; h++) {
            for (int k = 0; k < HALVES; k++) y[i][h][k] = between(z[i][h >> 1][k], z[i][(h >> 1) + 1][k], h);
        }
    }
    for (int h = 0; h < HALVES; h++) {
        const float *low = &y[h >> 1][0][0], *high = &y[(h >> 1) + 1][0][0];
        for (int k = 0; k < HALVES * HALVES; k++) (&to[h][0][0])[k] = between(low[k], high[k], h);
    }
    return true;
}

static void open_halves(halves distance, halves half)
{
    const float *from = &distance[0][0][0];
    float *to = &half[0][0][0];
    for (int i = 0; i < HALVES * HALVES * HALVES; i++) to[i] = dr_clamp_float(2.0F * from[i] + 0.5F, 0.0F, 1.0F);
}

// Halves are raised or lowered to what is open of their cell, eq. (4).
static void match_cell(float *first, float open)
{
    float mean = 0.0F, *item[8];
    for (int i = 0; i < 8; i++) {
        item[i] = first + ((i >> 2) * HALVES + (i >> 1 & 1)) * HALVES + (i & 1);
        mean += 0.125F * *item[i];
    }
    if (mean == open) return;
    for (int i = 0; i < 8; i++)
        *item[i] = open < mean ? *item[i] * open / mean : *item[i] + (1.0F - *item[i]) * (open - mean) / (1.0F - mean);
}

static void match_cells(const dr_grid *grid, size_t block, const float *open_volume, halves half)
{
    float open[DR_HALO_ITEMS];
    dr_halo_load(grid, block, open_volume, NAN, open);
    for (int i = 0; i < DR_HALO_ITEMS; i++) {
        int x = i / DR_HALO_X, y = i / DR_HALO_Y % DR_HALO_SIDE, z = i % DR_HALO_SIDE;
        if (!isnan(open[i])) match_cell(&half[2 * x][2 * y][2 * z], open[i]);
    }
}

// Share of a half times how far what is open of it lies beside its middle, in cells. False: no half is cut.
static bool find_shifts(halves distance, halves half, halves shift[3])
{
    static const int step[3] = {HALVES * HALVES, HALVES, 1};
    const float *shares = &half[0][0][0];
    int any = 0;
    for (int i = 0; i < HALVES * HALVES * HALVES; i++) any |= shares[i] * (1.0F - shares[i]) > DR_LIQUID_LEAST_HALF;
    if (!any) return false;
    for (int i = 0; i < HALVES * HALVES * HALVES; i++) {
        const int at[3] = {i / step[0], i / step[1] % HALVES, i % HALVES};
        float share = shares[i], way[3] = {0.0F}, length = (float)DR_LIQUID_NO_LENGTH;
        bool cut = share * (1.0F - share) > DR_LIQUID_LEAST_HALF;
        for (int a = 0; a < 3 && cut; a++) {
            const float *here = &distance[0][0][0] + i;
            way[a] = here[at[a] + 1 < HALVES ? step[a] : 0] - here[at[a] > 0 ? -step[a] : 0];
            length += way[a] * way[a];
        }
        float scale = cut ? 0.25F * share * (1.0F - share) / sqrtf(length) : 0.0F;
        for (int a = 0; a < 3; a++) (&shift[a][0][0][0])[i] = scale * way[a];
    }
    return true;
}

typedef struct rows {
    float item[HALVES][HALVES][DR_BLOCK_SIDE];
} rows;

typedef struct columns {
    float item[HALVES][DR_BLOCK_SIDE][DR_BLOCK_SIDE];
} columns;

DR_INLINE void reduce_z(halves half, const float *tap, bool add, rows *to)
{
    for (int i = 0; i < HALVES * HALVES; i++) {
        const float *from = &half[0][0][0] + i * HALVES;
        float *item = &to->item[0][0][0] + i * DR_BLOCK_SIDE;
        for (int k = 0; k < DR_BLOCK_SIDE; k++) {
            float sum = add ? item[k] : 0.0F;
            for (int t = 0; t < TAPS; t++) sum += tap[t] * from[2 * k + t];
            item[k] = sum;
        }
    }
}

DR_INLINE void reduce_y(const rows *from, const float *tap, bool add, columns *to)
{
    for (int i = 0; i < HALVES; i++) {
        for (int j = 0; j < DR_BLOCK_SIDE; j++) {
            dr_float4 sum = add ? dr_float4_load(to->item[i][j]) : dr_float4_all(0.0F);
            for (int t = 0; t < TAPS; t++)
                sum = dr_float4_add_product(sum, dr_float4_all(tap[t]), dr_float4_load(from->item[i][2 * j + t]));
            dr_float4_store(to->item[i][j], sum);
        }
    }
}

DR_INLINE void reduce_x(const columns *from, const float *tap, bool add, int lane, float *moments)
{
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        float sum = add ? moments[4 * c + lane] : 0.0F;
        for (int t = 0; t < TAPS; t++) sum += tap[t] * from->item[2 * (c >> 4) + t][c >> 2 & 3][c & 3];
        moments[4 * c + lane] = sum;
    }
}

static void reduce(halves half, const taps *tap, float *moments)
{
    rows plain, z_lever;
    columns all;
    reduce_z(half, tap->weight, false, &plain);
    reduce_z(half, tap->lever, false, &z_lever);
    reduce_y(&plain, tap->weight, false, &all);
    reduce_x(&all, tap->weight, false, 0, moments);
    reduce_x(&all, tap->lever, false, 1, moments);
    reduce_y(&plain, tap->lever, false, &all);
    reduce_x(&all, tap->weight, false, 2, moments);
    reduce_y(&z_lever, tap->weight, false, &all);
    reduce_x(&all, tap->weight, false, 3, moments);
}

// The product rule, one lane of moments at a time: z and y are the taps of the lane along these axes.
static void add_shifts(halves shift[3], const taps *tap, int lane, float *moments)
{
    const float *x = lane == 1 ? tap->lever : tap->weight, *x_slope = lane == 1 ? tap->lever_slope : tap->weight_slope;
    const float *y = lane == 2 ? tap->lever : tap->weight, *y_slope = lane == 2 ? tap->lever_slope : tap->weight_slope;
    const float *z = lane == 3 ? tap->lever : tap->weight, *z_slope = lane == 3 ? tap->lever_slope : tap->weight_slope;
    rows row;
    columns column;
    reduce_z(shift[2], z_slope, false, &row);
    reduce_y(&row, y, false, &column);
    reduce_z(shift[1], z, false, &row);
    reduce_y(&row, y_slope, true, &column);
    reduce_x(&column, x, true, lane, moments);
    reduce_z(shift[0], z, false, &row);
    reduce_y(&row, y, false, &column);
    reduce_x(&column, x_slope, true, lane, moments);
}

// ---- blocks

typedef struct moments_job {
    const dr_kernel_solids *solids;
    const dr_grid *grid;
    taps tap;
    dr_kernel_kept *kept; // NULL: none
    float *moments;
} moments_job;

enum { MAY_MOVE = 0, ALL_OPEN = 1, NO_BLOCK = -3 };

// Of the solids that the moments of a block are found from.
static uint64_t find_mark(const dr_kernel_solids *solids, const dr_grid *grid, size_t block)
{
    int32_t around[27];
    if (!solids->near[block]) return ALL_OPEN;
    for (size_t n = 0; n < 27; n++) {
        int32_t other = grid->neighbour[27 * block + n];
        around[n] = other < 0 ? NO_BLOCK : solids->stands[other];
        if (around[n] == -1) return MAY_MOVE;
    }
    return dr_hash_bytes(around, sizeof around, solids->rounds) | 2;
}

static bool is_kept(const moments_job *job, size_t block)
{
    if (!job->kept) return false;
    uint64_t mark = find_mark(job->solids, job->grid, block);
    bool same = mark != MAY_MOVE && mark == job->kept->mark[block];
    job->kept->mark[block] = mark;
    return same;
}

static void measure_block(const moments_job *job, size_t block, float *moments)
{
    halves distance, half, shift[3];
    if (job->solids->near[block] && load_distances(job->grid, block, job->solids->corner, distance)) {
        open_halves(distance, half);
        match_cells(job->grid, block, job->solids->open_volume, half);
        reduce(half, &job->tap, moments);
        bool cut = find_shifts(distance, half, shift);
        for (int lane = 0; cut && lane < 4; lane++) add_shifts(shift, &job->tap, lane, moments);
    } else {
        for (int c = 0; c < DR_BLOCK_NODES; c++) dr_float4_store(moments + 4 * c, (dr_float4){1.0F, 0.0F, 0.0F, 0.0F});
    }
}

static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const moments_job *job = user;
    for (size_t b = begin; b < end; b++) {
        if (!is_kept(job, b)) measure_block(job, b, job->moments + BLOCK_FLOATS * b);
    }
}

// ---- what is kept, from one grid to the next

static void move_block(dr_kernel_kept *kept, float *moments, size_t from, size_t to)
{
    if (from == to) return;
    kept->key[to] = kept->key[from];
    kept->mark[to] = kept->mark[from];
    memcpy(moments + BLOCK_FLOATS * to, moments + BLOCK_FLOATS * from, BLOCK_FLOATS * sizeof *moments);
}

// In place: first those that are left move down, then all move up to where they belong.
static void carry_blocks(dr_kernel_kept *kept, const dr_grid *grid, float *moments)
{
    size_t left = 0, next = 0, count = grid->block_count;
    if (kept->count == count && memcmp(kept->key, grid->key, count * sizeof *kept->key) == 0) return;
    for (size_t b = 0; b < kept->count; b++) {
        while (next < count && grid->key[next] < kept->key[b]) next++;
        if (next < count && grid->key[next] == kept->key[b]) move_block(kept, moments, b, left++);
    }
    for (size_t b = count; b-- > 0;) {
        if (left > 0 && kept->key[left - 1] == grid->key[b]) {
            move_block(kept, moments, --left, b);
        } else {
            kept->key[b] = grid->key[b];
            kept->mark[b] = MAY_MOVE;
        }
    }
    kept->count = count;
}

void dr_kernel_moments(const dr_kernel_solids *solids, const dr_grid *grid, const dr_par *par, dr_kernel_kept *kept,
                       float *moments)
{
    moments_job job = {solids, grid, make_taps(solids->spacing), kept, moments};
    if (grid->block_count == 0) return;
    if (kept) carry_blocks(kept, grid, moments);
    dr_par_for(par, grid->block_count, 16, measure_blocks, &job);
}
