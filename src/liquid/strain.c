// The viscous operator. docs/theory/viscosity.md, eq. (1)-(9).
//   q = G u + q0    strains, each scaled by the root of its weight: 3 normal at the cell, 3 shear at its lower edges
//   A = M + G^T G   M: mass per volume of the faces
// Shear s couples the two axes b = s+1 and e = s+2 (cyclic): P (u_b - u_b below along e) + Q (u_e - u_e below along b).
#include "liquid/strain_parts.h"
#include "math/simd.h"

#include <string.h>

static const double nothing[CELLS];

// ---- memory

void dr_strain_open(dr_strain *strain, const dr_allocator *allocator)
{
    *strain = (dr_strain){.allocator = allocator};
}

typedef struct block_array {
    void **data;
    size_t bytes;
} block_array;

enum { ARRAYS = 6 };

static void list_arrays(dr_strain *v, block_array list[ARRAYS])
{
    const block_array arrays[ARRAYS] = {
        {(void **)&v->coefficient, COEFFICIENTS * CELLS * sizeof(float)},
        {(void **)&v->known, STRAINS * CELLS * sizeof(float)},
        {(void **)&v->stress, STRESSES * CELLS * sizeof(double)},
        {(void **)&v->inverse, FACES * CELLS * sizeof(double)},
        {(void **)&v->busy, sizeof(uint8_t)},
        {(void **)&v->plain, sizeof(uint64_t)},
    };
    memcpy(list, arrays, sizeof arrays);
}

static void free_unit(dr_strain *strain)
{
    dr_memory_free(strain->allocator, strain->unit, strain->unit_capacity * COEFFICIENTS * CELLS * sizeof(float));
    dr_memory_free(strain->allocator, strain->share, strain->unit_capacity * STRAINS * CELLS * sizeof(float));
    strain->unit = strain->share = NULL;
    strain->unit_capacity = 0;
}

void dr_strain_close(dr_strain *strain)
{
    block_array list[ARRAYS];
    list_arrays(strain, list);
    for (int i = 0; i < ARRAYS; i++) {
        dr_memory_free(strain->allocator, *list[i].data, strain->capacity * list[i].bytes);
    }
    free_unit(strain);
    *strain = (dr_strain){.allocator = strain->allocator};
}

bool dr_strain_reserve(dr_strain *strain, size_t blocks)
{
    if (blocks <= strain->capacity) return true;
    block_array list[ARRAYS];
    list_arrays(strain, list);
    dr_strain_close(strain);
    strain->capacity = blocks + blocks / 4;
    for (int i = 0; i < ARRAYS; i++) {
        *list[i].data = dr_memory_alloc(strain->allocator, strain->capacity * list[i].bytes);
        if (!*list[i].data) {
            dr_strain_close(strain);
            return false;
        }
    }
    return true;
}

// What is measured apart, of as many blocks.
bool dr_strain_reserve_unit(dr_strain *strain)
{
    if (strain->unit_capacity == strain->capacity) return true;
    free_unit(strain);
    strain->unit = dr_memory_alloc(strain->allocator, strain->capacity * COEFFICIENTS * CELLS * sizeof(float));
    strain->share = dr_memory_alloc(strain->allocator, strain->capacity * STRAINS * CELLS * sizeof(float));
    strain->unit_capacity = strain->capacity;
    return strain->unit && strain->share;
}

size_t dr_strain_bytes(const dr_strain *strain)
{
    size_t per_cell = (COEFFICIENTS + STRAINS) * sizeof(float) + (STRESSES + FACES) * sizeof(double);
    return strain->capacity * (CELLS * per_cell + sizeof(uint8_t) + sizeof(uint64_t)) +
           strain->unit_capacity * (COEFFICIENTS + STRAINS) * CELLS * sizeof(float);
}

// ---- differences of a block's plane [64] along an axis

// out = above - v; `next` is the same plane of the block above.
DR_INLINE void differ_up(int axis, const double *restrict v, const double *restrict next, double *restrict out)
{
    const int s = dr_block_stride[axis];
    for (int c = 0; c < CELLS - s; c++) out[c] = v[c + s] - v[c];
    for (int outer = 0; outer < CELLS; outer += 4 * s) {
        for (int c = outer + 3 * s; c < outer + 4 * s; c++) out[c] = next[c - 3 * s] - v[c];
    }
}

// out = v - below; `previous` is the same plane of the block below.
DR_INLINE void differ_down(int axis, const double *restrict v, const double *restrict previous, double *restrict out)
{
    const int s = dr_block_stride[axis];
    for (int c = s; c < CELLS; c++) out[c] = v[c] - v[c - s];
    for (int outer = 0; outer < CELLS; outer += 4 * s) {
        for (int c = outer; c < outer + s; c++) out[c] = v[c] - previous[c + 3 * s];
    }
}

// A plane of the next block (side 1) or the previous one (side -1) along an axis.
static const double *neighbour_plane(const dr_grid *grid, size_t block, int axis, int side, const double *field,
                                     int planes, int plane)
{
    int32_t to = grid->neighbour[27 * block + (size_t)(13 + side * dr_block_step[axis])];
    return to < 0 ? nothing : field + ((size_t)to * (size_t)planes + (size_t)plane) * CELLS;
}

// ---- the operator

typedef struct application {
    const dr_strain *strain;
    const double *x;
    double *y;
    bool with_known;
} application;

DR_INLINE void stress_normal(const application *job, size_t block, int axis, double *stress)
{
    const float *n = job->strain->coefficient + (block * COEFFICIENTS + (size_t)(NORMAL + axis)) * CELLS;
    const float *known = job->strain->known + (block * STRAINS + (size_t)axis) * CELLS;
    const double *x = job->x + (block * FACES + (size_t)axis) * CELLS;
    double d[CELLS];
    differ_up(axis, x, neighbour_plane(job->strain->grid, block, axis, 1, job->x, FACES, axis), d);
    for (int c = 0; c < CELLS; c++) stress[c] = (double)n[c] * (double)n[c] * d[c];
    if (!job->with_known) return;
    for (int c = 0; c < CELLS; c++) stress[c] += (double)n[c] * (double)known[c];
}

DR_INLINE void stress_shear(const application *job, size_t block, int axis, double *stress)
{
    const int b = (axis + 1) % 3, e = (axis + 2) % 3;
    const dr_grid *grid = job->strain->grid;
    const float *p = job->strain->coefficient + (block * COEFFICIENTS + (size_t)(SHEAR + 2 * axis)) * CELLS;
    const float *q = p + CELLS, *known = job->strain->known + (block * STRAINS + (size_t)(3 + axis)) * CELLS;
    const double *x = job->x + block * FACES * CELLS;
    double along[CELLS], across[CELLS];
    differ_down(e, x + b * CELLS, neighbour_plane(grid, block, e, -1, job->x, FACES, b), along);
    differ_down(b, x + e * CELLS, neighbour_plane(grid, block, b, -1, job->x, FACES, e), across);
    for (int c = 0; c < CELLS; c++) along[c] = (double)p[c] * along[c] + (double)q[c] * across[c];
    if (job->with_known) {
        for (int c = 0; c < CELLS; c++) along[c] += (double)known[c];
    }
    for (int c = 0; c < CELLS; c++) stress[c] = (double)p[c] * along[c];
    for (int c = 0; c < CELLS; c++) stress[CELLS + c] = (double)q[c] * along[c];
}

// Planes of stress: 3 normal, then (P, Q) of 3 shears.
static void stress_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const application *job = user;
    for (size_t b = begin; b < end; b++) {
        double *stress = job->strain->stress + b * STRESSES * CELLS;
        if (!(job->strain->busy[b] & DR_STRAIN_BEARS)) continue;
        stress_normal(job, b, 0, stress);
        stress_normal(job, b, 1, stress + CELLS);
        stress_normal(job, b, 2, stress + 2 * CELLS);
        stress_shear(job, b, 0, stress + 3 * CELLS);
        stress_shear(job, b, 1, stress + 5 * CELLS);
        stress_shear(job, b, 2, stress + 7 * CELLS);
    }
}

// Face `axis` is b of the shear axis+2 (P, differing along axis+1) and c of the shear axis+1 (Q, along axis+2).
DR_INLINE void diverge_axis(const application *job, size_t block, int axis)
{
    const dr_strain *v = job->strain;
    const int one = (axis + 1) % 3, two = (axis + 2) % 3, p = 3 + 2 * two, q = 3 + 2 * one + 1;
    const double *stress = v->stress + block * STRESSES * CELLS;
    size_t first = (block * FACES + (size_t)axis) * CELLS;
    const float *mass = v->coefficient + (block * COEFFICIENTS + (size_t)(MASS + axis)) * CELLS;
    double normal[CELLS], along[CELLS], across[CELLS];
    differ_down(axis, stress + axis * CELLS, neighbour_plane(v->grid, block, axis, -1, v->stress, STRESSES, axis),
                normal);
    differ_up(one, stress + p * CELLS, neighbour_plane(v->grid, block, one, 1, v->stress, STRESSES, p), along);
    differ_up(two, stress + q * CELLS, neighbour_plane(v->grid, block, two, 1, v->stress, STRESSES, q), across);
    for (int c = 0; c < CELLS; c++) {
        size_t f = first + (size_t)c;
        double sum = (double)mass[c] * job->x[f] - (normal[c] + along[c] + across[c]);
        job->y[f] = v->inverse[f] > 0.0 ? sum : 0.0;
    }
}

static void diverge_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const application *job = user;
    for (size_t b = begin; b < end; b++) {
        if (!(job->strain->busy[b] & DR_STRAIN_SOLVES)) {
            memset(job->y + b * FACES * CELLS, 0, FACES * CELLS * sizeof(double));
            continue;
        }
        diverge_axis(user, b, 0);
        diverge_axis(user, b, 1);
        diverge_axis(user, b, 2);
    }
}

static void apply_with(const dr_strain *strain, const double *x, double *y, bool with_known)
{
    application job = {strain, x, y, with_known};
    dr_par_for(strain->par, strain->grid->block_count, 64, stress_blocks, &job);
    dr_par_for(strain->par, strain->grid->block_count, 64, diverge_blocks, &job);
}

void dr_strain_apply(const dr_strain *strain, const double *x, double *y)
{
    apply_with(strain, x, y, false);
}

void dr_strain_stress(const dr_strain *strain, const double *x)
{
    application job = {strain, x, NULL, true};
    dr_par_for(strain->par, strain->grid->block_count, 64, stress_blocks, &job);
}

void dr_strain_push(const dr_strain *strain, double *y)
{
    memset(y, 0, strain->grid->block_count * FACES * CELLS * sizeof(double));
    if (strain->pushed) apply_with(strain, y, y, true);
}
