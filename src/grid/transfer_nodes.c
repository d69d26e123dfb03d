// Particles to nodes and back. docs/theory/transfer.md, eq. (5)-(12).
//   w[n][axis]  weight of the n-th node along an axis       d[n][axis]  that node's distance from the particle, in
//   cells m[n][axis]  what the velocity gradient weighs it with: (6 - degree) d w, or the kernel's slope where it is
//   linear
// Two neighbours along z make one vector of 8; a row of 3 has a fourth with weight zero.
#include "grid/stencil.h"

typedef struct stencil {
    size_t item; // the lowest node in the buffer
    _Alignas(16) float w[4][4], d[4][4], m[4][4];
} stencil;

DR_INLINE int side_of(int degree)
{
    return DR_BLOCK_SIDE + degree;
}

DR_INLINE void make_stencil(int degree, const float offset[3], stencil *s)
{
    dr_float4 place = {offset[0], offset[1], offset[2], 0.0F};
    dr_int4 base = __builtin_convertvector(place, dr_int4);
    dr_float4 t = place - __builtin_convertvector(base, dr_float4), w[4];
    dr_float4 f = t + dr_float4_all((float)dr_kernel_reach(degree)), factor = dr_float4_all((float)(6 - degree));
    dr_kernel_weights4(degree, t, w);
    s->item = (size_t)((base[0] * side_of(degree) + base[1]) * DR_STENCIL_PITCH + base[2]);
    for (int n = 0; n <= degree; n++) {
        dr_float4 d = dr_float4_all((float)n) - f;
        dr_float4_store(s->w[n], w[n]);
        dr_float4_store(s->d[n], d);
        dr_float4_store(s->m[n], degree == 1 ? dr_float4_all(n ? 1.0F : -1.0F) : factor * d * w[n]);
    }
}

// A row's weights along z, two nodes to a vector.
DR_INLINE void pair_weights(int degree, const float w[4][4], dr_float8 pair[2])
{
    for (int n = 0; n < 2; n++) {
        dr_float4 low = 2 * n <= degree ? dr_float4_all(w[2 * n][2]) : dr_float4_all(0.0F);
        dr_float4 high = 2 * n + 1 <= degree ? dr_float4_all(w[2 * n + 1][2]) : dr_float4_all(0.0F);
        pair[n] = dr_float8_join(low, high);
    }
}

// ---- to nodes

typedef struct scatter_job {
    const dr_transfer *transfer;
    const dr_grid *grid;
    const dr_particles *particles;
    dr_transfer_stress stress;
    const void *user;
    float *node;
    float cell, stress_scale;
    const uint32_t *blocks; // of one colour
} scatter_job;

// q: mass and momentum; a: columns of the affine momentum per cell; g: of the stress, for the linear kernel alone.
typedef struct charge {
    dr_float4 q, a[3], g[3];
} charge;

DR_INLINE dr_float8 twice(dr_float4 v)
{
    return dr_float8_join(v, v);
}

DR_INLINE void scatter(int degree, bool sloped, const stencil *s, const charge *c, float *buffer)
{
    dr_float8 q = twice(c->q), ax = twice(c->a[0]), ay = twice(c->a[1]), az = twice(c->a[2]), w[2], dw[2], slope[2];
    float moment[4][4];
    for (int n = 0; n <= degree; n++) moment[n][2] = s->d[n][2] * s->w[n][2];
    pair_weights(degree, s->w, w);
    pair_weights(degree, (const float(*)[4])moment, dw);
    if (sloped) pair_weights(degree, s->m, slope);
    for (int i = 0; i <= degree; i++) {
        dr_float8 qi = dr_float8_add_product(q, ax, dr_float8_all(s->d[i][0]));
        for (int j = 0; j <= degree; j++) {
            dr_float8 wij = dr_float8_all(s->w[i][0] * s->w[j][1]);
            dr_float8 flat = dr_float8_add_product(qi, ay, dr_float8_all(s->d[j][1])) * wij, steep = az * wij;
            if (sloped) {
                flat = dr_float8_add_product(flat, twice(c->g[0]), dr_float8_all(s->m[i][0] * s->w[j][1]));
                flat = dr_float8_add_product(flat, twice(c->g[1]), dr_float8_all(s->w[i][0] * s->m[j][1]));
            }
            float *row = buffer + 4 * (s->item + (size_t)((i * side_of(degree) + j) * DR_STENCIL_PITCH));
            for (int n = 0; n <= degree / 2; n++) {
                dr_float8 sum = dr_float8_add_product(dr_float8_load(row + 8 * n), flat, w[n]);
                sum = dr_float8_add_product(sum, steep, dw[n]);
                if (sloped) sum = dr_float8_add_product(sum, twice(c->g[2]) * wij, slope[n]);
                dr_float8_store(row + 8 * n, sum);
            }
        }
    }
}

DR_INLINE void column(const float matrix[9], int c, float scale, dr_float4 *out)
{
    *out = (dr_float4){0.0F, matrix[c], matrix[3 + c], matrix[6 + c]} * dr_float4_all(scale);
}

DR_INLINE void make_charge(const scatter_job *job, int degree, size_t p, const float *stress, charge *c)
{
    const dr_particles *particles = job->particles;
    float mass = particles->mass[p];
    const float *v = particles->velocity + 3 * p;
    float affine_scale = job->transfer->scheme == DR_SCHEME_APIC ? mass * job->cell : 0.0F;
    c->q = (dr_float4){mass, mass * v[0], mass * v[1], mass * v[2]};
    for (int a = 0; a < 3; a++) {
        column(particles->affine + 9 * p, a, affine_scale, &c->a[a]);
        if (!stress) continue;
        column(stress, a, job->stress_scale, &c->g[a]);
        if (degree > 1) c->a[a] += c->g[a];
    }
}

DR_INLINE void scatter_batch(const scatter_job *job, int degree, size_t first, size_t count, const float (*stress)[9],
                             float *buffer)
{
    for (size_t i = 0; i < count; i++) {
        stencil s;
        charge c;
        make_stencil(degree, job->particles->offset + 3 * (first + i), &s);
        make_charge(job, degree, first + i, stress ? stress[i] : NULL, &c);
        if (degree == 1 && stress) {
            scatter(degree, true, &s, &c, buffer);
        } else {
            scatter(degree, false, &s, &c, buffer);
        }
    }
}

DR_INLINE void scatter_block(const scatter_job *job, int degree, size_t block)
{
    _Alignas(64) float buffer[4 * DR_STENCIL_ITEMS];
    float stress[DR_STENCIL_BATCH][9];
    int side = side_of(degree);
    memset(buffer, 0, sizeof(float) * 4 * (size_t)(side * side * DR_STENCIL_PITCH));
    size_t end = job->grid->first[block + 1];
    for (size_t first = job->grid->first[block]; first < end; first += DR_STENCIL_BATCH) {
        size_t count = end - first < DR_STENCIL_BATCH ? end - first : DR_STENCIL_BATCH;
        if (job->stress) {
            job->stress(job->user, first, count, stress);
            scatter_batch(job, degree, first, count, (const float(*)[9])stress, buffer);
        } else {
            scatter_batch(job, degree, first, count, NULL, buffer);
        }
    }
    dr_stencil_add(job->grid, block, side, buffer, 4, job->node);
}

static void scatter_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const scatter_job *job = user;
    for (size_t n = begin; n < end; n++) {
        switch (job->transfer->kernel) {
        case DR_KERNEL_LINEAR:
            scatter_block(job, 1, job->blocks[n]);
            break;
        case DR_KERNEL_QUADRATIC:
            scatter_block(job, 2, job->blocks[n]);
            break;
        case DR_KERNEL_CUBIC:
            scatter_block(job, 3, job->blocks[n]);
            break;
        }
    }
}

void dr_transfer_to_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                          const dr_particles *particles, double dt, dr_transfer_stress stress, const void *user,
                          float *node)
{
    double factor = transfer->kernel == DR_KERNEL_LINEAR ? 1.0 : 6.0 - ((int)transfer->kernel + 1);
    scatter_job job = {
        transfer, grid, particles, stress, user, node, (float)grid->cell, (float)(-dt * factor / grid->cell), NULL};
    dr_stencil_clear(grid, par, node);
    for (int c = 0; c < 8; c++) {
        job.blocks = grid->colour_block + grid->colour_first[c];
        dr_par_for(par, grid->colour_first[c + 1] - grid->colour_first[c], 4, scatter_blocks, &job);
    }
}

// ---- from nodes

// Mass out of the way: velocity from lanes 1..3 to 0..2.
DR_INLINE dr_float4 fold(dr_float8 v)
{
    dr_float4 sum = dr_float8_low(v) + dr_float8_high(v);
    return __builtin_shufflevector(sum, sum, 1, 2, 3, 0);
}

DR_INLINE void gather(int degree, const stencil *s, const float *buffer, dr_stencil_sample *out)
{
    dr_float8 zero = dr_float8_all(0.0F), v = zero, x = zero, y = zero, z = zero, w[2], m[2];
    pair_weights(degree, s->w, w);
    pair_weights(degree, s->m, m);
    for (int i = 0; i <= degree; i++) {
        dr_float8 vi = zero, yi = zero, zi = zero;
        for (int j = 0; j <= degree; j++) {
            const float *row = buffer + 4 * (s->item + (size_t)((i * side_of(degree) + j) * DR_STENCIL_PITCH));
            dr_float8 flat = dr_float8_load(row) * w[0], steep = dr_float8_load(row) * m[0];
            if (degree > 1) {
                flat = dr_float8_add_product(flat, dr_float8_load(row + 8), w[1]);
                steep = dr_float8_add_product(steep, dr_float8_load(row + 8), m[1]);
            }
            vi = dr_float8_add_product(vi, flat, dr_float8_all(s->w[j][1]));
            yi = dr_float8_add_product(yi, flat, dr_float8_all(s->m[j][1]));
            zi = dr_float8_add_product(zi, steep, dr_float8_all(s->w[j][1]));
        }
        v = dr_float8_add_product(v, vi, dr_float8_all(s->w[i][0]));
        x = dr_float8_add_product(x, vi, dr_float8_all(s->m[i][0]));
        y = dr_float8_add_product(y, yi, dr_float8_all(s->w[i][0]));
        z = dr_float8_add_product(z, zi, dr_float8_all(s->w[i][0]));
    }
    *out = (dr_stencil_sample){fold(v), {fold(x), fold(y), fold(z)}};
}

DR_INLINE void gather_batch(const dr_stencil_gather *job, int degree, size_t block, size_t first, size_t count,
                            const float *buffer, const float *old_buffer)
{
    float gradient[DR_STENCIL_BATCH][9];
    for (size_t i = 0; i < count; i++) {
        stencil s;
        dr_stencil_sample fresh, old;
        make_stencil(degree, job->particles->offset + 3 * (first + i), &s);
        gather(degree, &s, buffer, &fresh);
        if (old_buffer) gather(degree, &s, old_buffer, &old);
        dr_stencil_write(job, block, first + i, &fresh, old_buffer ? &old : NULL, gradient[i]);
    }
    if (job->update) job->update(job->user, first, count, (const float(*)[9])gradient);
}

DR_INLINE void gather_block(const dr_stencil_gather *job, int degree, size_t block)
{
    _Alignas(64) float buffer[4 * DR_STENCIL_ITEMS], old[4 * DR_STENCIL_ITEMS];
    dr_stencil_load(job->grid, block, side_of(degree), job->field, buffer);
    if (job->old) dr_stencil_load(job->grid, block, side_of(degree), job->old, old);
    size_t end = job->grid->first[block + 1];
    for (size_t first = job->grid->first[block]; first < end; first += DR_STENCIL_BATCH) {
        size_t count = end - first < DR_STENCIL_BATCH ? end - first : DR_STENCIL_BATCH;
        gather_batch(job, degree, block, first, count, buffer, job->old ? old : NULL);
    }
}

static void gather_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_stencil_gather *job = user;
    for (size_t b = begin; b < end; b++) {
        if (job->grid->first[b] == job->grid->first[b + 1]) continue;
        switch (job->transfer->kernel) {
        case DR_KERNEL_LINEAR:
            gather_block(job, 1, b);
            break;
        case DR_KERNEL_QUADRATIC:
            gather_block(job, 2, b);
            break;
        case DR_KERNEL_CUBIC:
            gather_block(job, 3, b);
            break;
        }
    }
}

void dr_transfer_from_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par, const float *node,
                            const float *old, double dt, dr_particles *particles, dr_transfer_update update, void *user)
{
    dr_stencil_gather job = dr_stencil_prepare(transfer, grid, node, old, dt, particles, update, user);
    dr_par_for(par, grid->block_count, 8, gather_blocks, &job);
}
