// Points to edges and middles of cells. docs/theory/transfer.md.
// Lane r of a vector below 3 is on the lower edge of a cell along axis r: half a cell off along r, on the lattice along
// the others. The other lanes are in the cell's middle.
#include "grid/stencil.h"

typedef struct stencil {
    size_t item; // the lowest in the buffer
    dr_float8 w[4][3];
} stencil;

enum { SIDE = DR_BLOCK_SIDE + 3, WIDTH = 4 };

typedef struct edge_job {
    const dr_transfer_places *places;
    dr_transfer_values values;
    const void *user;
} edge_job;

// Lanes that are half a cell off along an axis have `half`, the others `whole`.
DR_INLINE dr_float8 compose(int axis, float half, float whole)
{
    switch (axis) {
    case 0:
        return (dr_float8){half, whole, whole, half, half, half, half, half};
    case 1:
        return (dr_float8){whole, half, whole, half, half, half, half, half};
    default:
        return (dr_float8){whole, whole, half, half, half, half, half, half};
    }
}

DR_INLINE void make_stencil(const float offset[3], stencil *s)
{
    dr_float4 place = {offset[0], offset[1], offset[2], 0.0F}, middle = dr_float4_all(0.5F);
    dr_int4 base = __builtin_convertvector(place, dr_int4);
    dr_float4 t = place - __builtin_convertvector(base, dr_float4);
    dr_int4 late = t >= middle;
    dr_float4 half[4], whole[4], zero = dr_float4_all(0.0F);
    dr_kernel_weights4(2, t, half);
    dr_kernel_weights4(2, dr_float4_select(late, t - middle, t + middle), whole);
    half[3] = zero;
    whole[3] = zero;
    s->item = (size_t)((base[0] * SIDE + base[1]) * DR_STENCIL_PITCH + base[2]);
    for (int n = 0; n < WIDTH; n++) {
        dr_float4 own = dr_float4_select(late, n > 0 ? whole[n - 1] : zero, whole[n]);
        for (int a = 0; a < 3; a++) s->w[n][a] = compose(a, half[n][a], own[a]);
    }
}

DR_INLINE void scatter(const stencil *s, const float value[8], float *buffer)
{
    dr_float8 v = dr_float8_load(value);
    for (int i = 0; i < WIDTH; i++) {
        dr_float8 plane = v * s->w[i][0];
        for (int j = 0; j < WIDTH; j++) {
            float *row = buffer + 8 * (s->item + (size_t)((i * SIDE + j) * DR_STENCIL_PITCH));
            dr_float8 line = plane * s->w[j][1];
            for (int k = 0; k < WIDTH; k++) {
                dr_float8_store(row + 8 * k, dr_float8_add_product(dr_float8_load(row + 8 * k), line, s->w[k][2]));
            }
        }
    }
}

static void add(const void *user, size_t first, size_t count, float *buffer)
{
    const edge_job *job = user;
    float value[DR_STENCIL_BATCH][8];
    job->values(job->user, first, count, value);
    for (size_t i = 0; i < count; i++) {
        stencil s;
        make_stencil(job->places->offset + 3 * dr_residents_point(job->places->residents, first + i), &s);
        scatter(&s, value[i], buffer);
    }
}

void dr_transfer_spread_edges(const dr_grid *grid, const dr_par *par, const dr_transfer_places *places,
                              dr_transfer_values values, const void *user, float *edge, float *middle)
{
    edge_job job = {places, values, user};
    dr_stencil_run_scatter(par, (dr_stencil_scatter){.grid = grid,
                                                     .residents = places->residents,
                                                     .side = SIDE,
                                                     .field = {edge, middle},
                                                     .add = add,
                                                     .user = &job});
}

// ---- and back

typedef struct read_job {
    const dr_grid *grid;
    const dr_transfer_places *places;
    const float *const *field; // [3]
    float *value;              // [point][8]
} read_job;

// Lanes of a vector of 4: three edges and the middle.
DR_INLINE void read_point(const stencil *s, const float *const buffer[3], float value[8])
{
    dr_float4 zero = dr_float4_all(0.0F), sum[3] = {zero, zero, zero};
    for (int i = 0; i < WIDTH; i++) {
        for (int j = 0; j < WIDTH; j++) {
            dr_float4 line = dr_float8_low(s->w[i][0]) * dr_float8_low(s->w[j][1]);
            size_t row = s->item + (size_t)((i * SIDE + j) * DR_STENCIL_PITCH);
            for (int k = 0; k < WIDTH; k++) {
                dr_float4 w = line * dr_float8_low(s->w[k][2]);
                for (int f = 0; f < 3; f++)
                    sum[f] = dr_float4_add_product(sum[f], w, dr_float4_load(buffer[f] + 4 * (row + (size_t)k)));
            }
        }
    }
    dr_float4 weight = dr_float4_select(sum[2] > zero, sum[2], dr_float4_all(1.0F));
    dr_float4_store(value, sum[0] / weight);
    dr_float4_store(value + 4, sum[1] / weight);
}

static void read_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const read_job *job = user;
    const dr_residents *residents = job->places->residents;
    for (size_t b = begin; b < end; b++) {
        _Alignas(64) float buffer[3][4 * (DR_STENCIL_ITEMS + 2)];
        const float *const all[3] = {buffer[0], buffer[1], buffer[2]};
        if (residents->first[b] == residents->first[b + 1]) continue;
        for (int f = 0; f < 3; f++) dr_stencil_load(job->grid, b, SIDE, job->field[f], buffer[f]);
        for (size_t i = residents->first[b]; i < residents->first[b + 1]; i++) {
            size_t p = dr_residents_point(residents, i);
            stencil s;
            make_stencil(job->places->offset + 3 * p, &s);
            read_point(&s, all, job->value + 8 * p);
        }
    }
}

void dr_transfer_read_edges(const dr_grid *grid, const dr_par *par, const dr_transfer_places *places,
                            const float *const field[2], const float *weight, float *value)
{
    const float *const all[3] = {field[0], field[1], weight};
    read_job job = {grid, places, all, value};
    dr_par_for(par, grid->block_count, 8, read_blocks, &job);
}
