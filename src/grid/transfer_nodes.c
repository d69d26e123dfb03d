// Particles to nodes and back. docs/theory/transfer.md, eq. (5)-(12).
//   w[n][axis]   weight of the n-th node along an axis
//   dw[n][axis]  that weight times the node's distance from the particle, in cells
//   wz, dwz      the same along z, two neighbours to a vector of 8; a row of three has a fourth with weight zero
// The sums are nested so that most of the work is done for a plane or a row and not for a node.
#include "grid/stencil.h"

typedef struct stencil {
    size_t item; // the lowest node in the buffer
    dr_float8 wz[2], dwz[2];
    dr_float4 w[4], dw[4];
} stencil;

// A particle is DR_GRID_SHIFT above its offset: a linear kernel begins at the node above that of the offset, a
// quadratic one there or one above, a cubic one there.
DR_INLINE int side_of(int degree)
{
    return DR_BLOCK_SIDE + (degree == 1 ? 2 : 3);
}

DR_INLINE int pairs_of(int degree)
{
    return degree == 1 ? 1 : 2;
}

// From lane z of the nodes' weights to pairs. `late` starts a row of three one node early, with weight zero.
DR_INLINE void make_pairs(int degree, const dr_float4 w[4], int late, dr_float8 pair[2])
{
    static const int lanes[2][16] = {{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3},
                                     {3, 3, 3, 3, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}};
    dr_float4 low = __builtin_shufflevector(w[0], w[1], 2, 6, 2, 6), high = dr_float4_all(0.0F);
    if (degree == 2) high = __builtin_shufflevector(w[2], high, 2, 4, 2, 4);
    if (degree == 3) high = __builtin_shufflevector(w[2], w[3], 2, 6, 2, 6);
    dr_float4 all = __builtin_shufflevector(low, high, 0, 1, 4, 5);
    for (int n = 0; n < pairs_of(degree); n++) pair[n] = dr_float8_pick(dr_float8_join(all, all), lanes[late] + 8 * n);
}

DR_INLINE void make_stencil(int degree, const float offset[3], stencil *s)
{
    dr_float4 place = dr_float4_load3(offset);
    if (degree == 2) place += dr_float4_all(0.5F);
    dr_int4 base = __builtin_convertvector(place, dr_int4);
    dr_float4 t = place - __builtin_convertvector(base, dr_float4);
    dr_float4 f = t + dr_float4_all((float)dr_kernel_reach(degree));
    int late = degree == 2 ? base[2] & 1 : 0; // pairs of a row of three then never straddle a line of the cache
    int above = degree == 1 ? 1 : 0;
    s->item =
        (size_t)(((base[0] + above) * side_of(degree) + base[1] + above) * DR_STENCIL_PITCH + base[2] + above - late);
    dr_kernel_weights4(degree, t, s->w);
    for (int n = 0; n <= degree; n++) s->dw[n] = (dr_float4_all((float)n) - f) * s->w[n];
    make_pairs(degree, s->w, late, s->wz);
    make_pairs(degree, s->dw, late, s->dwz);
}

DR_INLINE dr_float8 spread(const dr_float4 *v, int lane)
{
    return dr_float8_all((*v)[lane]);
}

DR_INLINE dr_float8 twice(dr_float4 v)
{
    return dr_float8_join(v, v);
}

DR_INLINE size_t row_of(int degree, const stencil *s, int i, int j)
{
    return 4 * (s->item + (size_t)((i * side_of(degree) + j) * DR_STENCIL_PITCH));
}

// ---- to nodes

typedef struct scatter_job {
    const dr_transfer *transfer;
    const dr_transfer_load *load;
    float cell, stress_scale;
} scatter_job;

// q: mass and momentum; a: columns of the affine momentum per cell; g: of the stress, for the linear kernel alone.
typedef struct charge {
    dr_float4 q, a[3], g[3];
} charge;

// A plane of the scatter: what a node receives is (along + cross * distance in y) times its weight in y, and for the
// stress of the linear kernel slope times its slope in y.
typedef struct plane {
    dr_float8 along[2], cross[2], slope[2];
} plane;

DR_INLINE void scatter(int degree, bool sloped, const stencil *s, const charge *c, float *buffer)
{
    static const dr_float8 ends = {-1.0F, -1.0F, -1.0F, -1.0F, 1.0F, 1.0F, 1.0F, 1.0F};
    dr_float8 middle[2], x[2], y[2];
    for (int n = 0; n < pairs_of(degree); n++) {
        middle[n] = dr_float8_add_product(twice(c->a[2]) * s->dwz[n], twice(c->q), s->wz[n]);
        if (sloped) middle[n] = dr_float8_add_product(middle[n], twice(c->g[2]), ends);
        x[n] = twice(c->a[0]) * s->wz[n];
        y[n] = twice(c->a[1]) * s->wz[n];
    }
    for (int i = 0; i <= degree; i++) {
        plane p;
        dr_float8 w = spread(&s->w[i], 0), dw = spread(&s->dw[i], 0);
        for (int n = 0; n < pairs_of(degree); n++) {
            p.along[n] = dr_float8_add_product(w * middle[n], dw, x[n]);
            p.cross[n] = w * y[n];
            if (!sloped) continue;
            dr_float8 side = twice(c->g[0]) * s->wz[n];
            p.along[n] = i ? p.along[n] + side : p.along[n] - side;
            p.slope[n] = w * twice(c->g[1]) * s->wz[n];
        }
        for (int j = 0; j <= degree; j++) {
            float *row = buffer + row_of(degree, s, i, j);
            for (int n = 0; n < pairs_of(degree); n++) {
                dr_float8 sum = dr_float8_add_product(dr_float8_load(row + 8 * n), p.along[n], spread(&s->w[j], 1));
                sum = dr_float8_add_product(sum, p.cross[n], spread(&s->dw[j], 1));
                if (sloped) sum = j ? sum + p.slope[n] : sum - p.slope[n];
                dr_float8_store(row + 8 * n, sum);
            }
        }
    }
}

// Columns of a matrix below a lane of nought.
DR_INLINE void columns(const float matrix[9], float scale, dr_float4 out[3])
{
    dr_float8 most = dr_float8_load(matrix);
    dr_float4 by = {0.0F, scale, scale, scale}, third = __builtin_shufflevector(most, most, 2, 2, 5, 5);
    third[3] = matrix[8];
    out[0] = __builtin_shufflevector(most, most, 0, 0, 3, 6) * by;
    out[1] = __builtin_shufflevector(most, most, 1, 1, 4, 7) * by;
    out[2] = third * by;
}

DR_INLINE void make_charge(const scatter_job *job, int degree, size_t p, const float *stress, charge *c)
{
    static const float none[9] = {0.0F};
    const dr_transfer_load *load = job->load;
    float mass = load->mass ? load->mass[p] : 0.0F;
    const float *v = load->mass ? load->velocity + 3 * p : none, *affine = load->affine ? load->affine + 9 * p : none;
    float affine_scale = job->transfer->scheme == DR_SCHEME_APIC ? mass * job->cell : 0.0F;
    c->q = (dr_float4){1.0F, v[0], v[1], v[2]} * dr_float4_all(mass);
    if (load->force) {
        const float *force = load->force + 3 * p;
        c->q += (dr_float4){0.0F, force[0], force[1], force[2]} * dr_float4_all((float)load->dt);
    }
    columns(affine, affine_scale, c->a);
    if (!stress) return;
    columns(stress, job->stress_scale, c->g);
    for (int a = 0; a < 3 && degree > 1; a++) c->a[a] += c->g[a];
}

DR_INLINE void scatter_batch(int degree, const scatter_job *job, size_t first, size_t count, float *buffer)
{
    stencil s[DR_STENCIL_BATCH];
    charge c[DR_STENCIL_BATCH];
    float stress[DR_STENCIL_BATCH][9];
    const dr_transfer_load *load = job->load;
    if (load->stress) load->stress(load->user, first, count, stress);
    for (size_t i = 0; i < count; i++) {
        size_t p = dr_residents_point(load->places.residents, first + i);
        make_stencil(degree, load->places.offset + 3 * p, &s[i]);
        make_charge(job, degree, p, load->stress ? stress[i] : NULL, &c[i]);
    }
    if (degree == 1 && load->stress) {
        for (size_t i = 0; i < count; i++) scatter(degree, true, &s[i], &c[i], buffer);
    } else {
        for (size_t i = 0; i < count; i++) scatter(degree, false, &s[i], &c[i], buffer);
    }
}

static void add(const void *user, size_t first, size_t count, float *buffer)
{
    const scatter_job *job = user;
    DR_STENCIL_CALL(job->transfer->kernel, scatter_batch, job, first, count, buffer);
}

static void list_column(dr_stencil_fetch *fetch, size_t *count, const void *data, size_t bytes)
{
    if (data) fetch->column[(*count)++] = (dr_transfer_column){data, bytes};
}

static dr_stencil_fetch list_columns(const dr_transfer_places *places, const dr_transfer_column *more)
{
    dr_stencil_fetch fetch = {.residents = places->residents};
    size_t count = 0;
    list_column(&fetch, &count, places->offset, 3 * sizeof(float));
    for (int i = 0; i < DR_TRANSFER_COLUMNS; i++) list_column(&fetch, &count, more[i].data, more[i].bytes);
    return fetch;
}

static dr_stencil_fetch list_load(const dr_transfer_load *load)
{
    dr_stencil_fetch fetch = list_columns(&load->places, load->column);
    size_t count = 0;
    while (fetch.column[count].data) count++;
    list_column(&fetch, &count, load->mass, sizeof(float));
    list_column(&fetch, &count, load->velocity, 3 * sizeof(float));
    list_column(&fetch, &count, load->affine, 9 * sizeof(float));
    list_column(&fetch, &count, load->force, 3 * sizeof(float));
    return fetch;
}

void dr_transfer_load_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_load *load, float *node)
{
    int degree = dr_transfer_degree(transfer->kernel);
    float stress_scale = (float)(-load->dt * dr_stencil_slope(degree) / grid->cell);
    scatter_job job = {transfer, load, (float)grid->cell, stress_scale}, other = job;
    dr_stencil_fetch fetch = list_load(load), other_fetch;
    dr_stencil_scatter with, scatter = {.grid = grid,
                                        .residents = load->places.residents,
                                        .side = side_of(degree),
                                        .field = {node, NULL},
                                        .keep = transfer->add,
                                        .add = add,
                                        .user = &job,
                                        .fetch = load->places.residents->index ? &fetch : NULL};
    if (load->with) {
        other.load = load->with;
        with = scatter;
        with.residents = load->with->places.residents;
        with.user = &other;
        other_fetch = list_load(load->with);
        with.fetch = &other_fetch;
        scatter.with = &with;
    }
    dr_stencil_run_scatter(par, scatter);
}

// ---- four values to nodes

typedef struct value_job {
    dr_kernel kernel;
    const dr_transfer_places *places;
    const float *value;
} value_job;

DR_INLINE void spread_batch(int degree, const value_job *job, size_t first, size_t count, float *buffer)
{
    for (size_t i = first; i < first + count; i++) {
        size_t p = dr_residents_point(job->places->residents, i);
        stencil s;
        charge c = {.q = dr_float4_load(job->value + 4 * p)};
        for (int a = 0; a < 3; a++) c.a[a] = dr_float4_all(0.0F);
        make_stencil(degree, job->places->offset + 3 * p, &s);
        scatter(degree, false, &s, &c, buffer);
    }
}

static void add_values(const void *user, size_t first, size_t count, float *buffer)
{
    const value_job *job = user;
    DR_STENCIL_CALL(job->kernel, spread_batch, job, first, count, buffer);
}

void dr_transfer_spread_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                              const dr_transfer_places *places, const float *value, float *node)
{
    value_job job = {transfer->kernel, places, value};
    dr_stencil_run_scatter(par, (dr_stencil_scatter){.grid = grid,
                                                     .residents = places->residents,
                                                     .side = side_of(dr_transfer_degree(transfer->kernel)),
                                                     .field = {node, NULL},
                                                     .keep = transfer->add,
                                                     .add = add_values,
                                                     .user = &job});
}

// ---- from nodes

// Mass out of the way: velocity from lanes 1..3 to 0..2.
DR_INLINE dr_float4 fold(dr_float8 v)
{
    dr_float4 sum = dr_float8_low(v) + dr_float8_high(v);
    return __builtin_shufflevector(sum, sum, 1, 2, 3, 0);
}

// Sums along x, then y, then z. The slopes of a kernel of degree 2 or 3 are taken as distance times weight; the factor
// 6 - degree is in the job's per_cell.
DR_INLINE void gather(int degree, const stencil *s, const float *buffer, dr_stencil_sample *out)
{
    static const dr_float8 ends = {-1.0F, -1.0F, -1.0F, -1.0F, 1.0F, 1.0F, 1.0F, 1.0F};
    dr_float8 zero = dr_float8_all(0.0F), v = zero, vx = zero, vy = zero, vz = zero;
    for (int n = 0; n < pairs_of(degree); n++) {
        dr_float8 plane = zero, plane_x = zero, plane_y = zero;
        for (int j = 0; j <= degree; j++) {
            dr_float8 row = zero, row_x = zero;
            for (int i = 0; i <= degree; i++) {
                dr_float8 node = dr_float8_load(buffer + row_of(degree, s, i, j) + 8 * n);
                dr_float8 slope = degree == 1 ? dr_float8_all(i ? 1.0F : -1.0F) : spread(&s->dw[i], 0);
                row = i ? dr_float8_add_product(row, node, spread(&s->w[i], 0)) : node * spread(&s->w[i], 0);
                row_x = i ? dr_float8_add_product(row_x, node, slope) : node * slope;
            }
            dr_float8 slope = degree == 1 ? dr_float8_all(j ? 1.0F : -1.0F) : spread(&s->dw[j], 1);
            plane = dr_float8_add_product(plane, row, spread(&s->w[j], 1));
            plane_x = dr_float8_add_product(plane_x, row_x, spread(&s->w[j], 1));
            plane_y = dr_float8_add_product(plane_y, row, slope);
        }
        v = dr_float8_add_product(v, plane, s->wz[n]);
        vx = dr_float8_add_product(vx, plane_x, s->wz[n]);
        vy = dr_float8_add_product(vy, plane_y, s->wz[n]);
        vz = dr_float8_add_product(vz, plane, degree == 1 ? ends : s->dwz[n]);
    }
    *out = (dr_stencil_sample){fold(v), {fold(vx), fold(vy), fold(vz)}};
}

DR_INLINE void gather_batch(int degree, const float *offset, size_t count, const float *const buffer[3],
                            dr_stencil_sample (*found)[DR_STENCIL_BATCH])
{
    stencil s[DR_STENCIL_BATCH];
    for (size_t i = 0; i < count; i++) make_stencil(degree, offset + 3 * i, &s[i]);
    for (size_t i = 0; i < count && buffer[0]; i++) gather(degree, &s[i], buffer[0], &found[0][i]);
    for (size_t i = 0; i < count && buffer[1]; i++) gather(degree, &s[i], buffer[1], &found[1][i]);
    for (size_t i = 0; i < count && buffer[2]; i++) gather(degree, &s[i], buffer[2], &found[2][i]);
}

static void find(dr_kernel kernel, const float *offset, size_t count, const float *const buffer[3],
                 dr_stencil_sample (*found)[DR_STENCIL_BATCH])
{
    DR_STENCIL_CALL(kernel, gather_batch, offset, count, buffer, found);
}

void dr_transfer_from_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_back *back)
{
    int side = side_of(dr_transfer_degree(transfer->kernel));
    dr_stencil_run_gather(par, &(dr_stencil_gather){transfer, grid, back, side, find});
}

void dr_transfer_read_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_places *places, const float *node, float *value, float *gradient)
{
    int side = side_of(dr_transfer_degree(transfer->kernel));
    dr_stencil_run_read(par, &(dr_stencil_read){.transfer = transfer,
                                                .grid = grid,
                                                .places = places,
                                                .field = node,
                                                .side = side,
                                                .find = find,
                                                .value = value,
                                                .gradient = gradient});
}

void dr_transfer_visit_nodes(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                             const dr_transfer_visit *visit, const float *node)
{
    const dr_transfer_visit *other = visit->with ? visit->with : visit;
    dr_stencil_fetch fetch = list_columns(&visit->places, visit->column),
                     other_fetch = list_columns(&other->places, other->column);
    dr_stencil_read with, read = {.transfer = transfer,
                                  .grid = grid,
                                  .places = &visit->places,
                                  .field = node,
                                  .side = side_of(dr_transfer_degree(transfer->kernel)),
                                  .find = find,
                                  .call = visit->call,
                                  .user = visit->user,
                                  .fetch = &fetch};
    if (visit->with) {
        with = read;
        with.places = &other->places;
        with.call = other->call;
        with.user = other->user;
        with.fetch = &other_fetch;
        read.with = &with;
    }
    dr_stencil_run_read(par, &read);
}
