// Particles to staggered faces and back. docs/theory/transfer.md, eq. (13)-(18).
// Lane r of a vector is component r, whose samples sit on the lattice along axis r and half a cell off along the
// others. The three stencils of a particle are taken together as one that is a sample wider, with weight zero where it
// sticks out:
//   w[n][axis]   weights of the n-th sample along an axis, a lane for every component
//   m[n][axis]   what the velocity gradient weighs with: those weights times the distance from the particle, in cells,
//                or the kernel's slope where it is linear
// The spare lane sits half a cell off along every axis, in the middle of the cell.
// Mass and momentum go to one component after the other, which has a third of those samples.
// The sums are nested so that most of the work is done for a plane or a row and not for a sample.
#include "grid/transfer_faces_wide.h"

#include <assert.h>
#include <string.h>

typedef dr_face_stencil stencil;
typedef dr_face_taps taps;
typedef dr_face_charge charge;

enum { SIDE = DR_FACE_SIDE, HALF = DR_FACE_HALF, OWN = DR_FACE_OWN };

DR_INLINE int width_of(int degree)
{
    return degree + 2;
}

// Calls function(degree, ...) with a degree that the compiler knows; a cubic kernel would leave the block downwards.
#define CALL(kernel, function, ...)                                                                                    \
    do {                                                                                                               \
        assert((kernel) != DR_KERNEL_CUBIC);                                                                           \
        if ((kernel) == DR_KERNEL_LINEAR) function(1, __VA_ARGS__);                                                    \
        if ((kernel) == DR_KERNEL_QUADRATIC) function(2, __VA_ARGS__);                                                 \
    } while (0)

// Lane `axis` of own in lane `axis`, lane `axis` of other in the others.
DR_INLINE dr_float4 compose(int axis, dr_float4 own, dr_float4 other)
{
    switch (axis) {
    case 0:
        return __builtin_shufflevector(own, other, 0, 4, 4, 4);
    case 1:
        return __builtin_shufflevector(own, other, 5, 1, 5, 5);
    default:
        return __builtin_shufflevector(own, other, 6, 6, 2, 6);
    }
}

// Item n of a stencil that starts one item later in the lanes of `late`.
DR_INLINE dr_float4 delayed(int count, const dr_float4 *item, int n, dr_int4 late)
{
    dr_float4 zero = dr_float4_all(0.0F), now = n < count ? item[n] : zero, before = n > 0 ? item[n - 1] : zero;
    return dr_float4_select(late, before, now);
}

// Lanes of the vectors by axis: `half` for components half a cell off, `whole` for the component on the lattice.
DR_INLINE void make_stencil(int degree, const float offset[3], stencil *s)
{
    dr_float4 place = {offset[0], offset[1], offset[2], 0.0F}, middle = dr_float4_all(0.5F);
    if (degree == 1) place += middle; // the lowest is half a cell above the place less the kernel's reach
    dr_int4 base = __builtin_convertvector(place, dr_int4);
    dr_float4 t = place - __builtin_convertvector(base, dr_float4),
              f = t + dr_float4_all((float)dr_kernel_reach(degree));
    dr_int4 late = t >= middle;
    dr_float4 half[4], whole[4], slope[2] = {dr_float4_all(-1.0F), dr_float4_all(1.0F)};
    dr_kernel_weights4(degree, t, half);
    dr_kernel_weights4(degree, dr_float4_select(late, t - middle, t + middle), whole);
    s->item = (size_t)((base[0] * SIDE + base[1]) * DR_STENCIL_PITCH + base[2]);
    for (int n = 0; n < width_of(degree); n++) {
        dr_float4 other = n <= degree ? half[n] : dr_float4_all(0.0F), own = delayed(degree + 1, whole, n, late);
        dr_float4 d = dr_float4_all((float)n) - f;
        for (int a = 0; a < 3; a++) {
            s->w[n][a] = compose(a, own, other);
            s->m[n][a] = degree == 1 ? compose(a, delayed(2, slope, n, late), n < 2 ? slope[n] : dr_float4_all(0.0F))
                                     : compose(a, d - middle, d) * s->w[n][a];
        }
    }
}

DR_INLINE dr_float8 twice(dr_float4 v)
{
    return dr_float8_join(v, v);
}

// ---- to faces, a component at a time

DR_INLINE void make_taps(int degree, const float offset[3], taps *s)
{
    dr_float4 place = {offset[0], offset[1], offset[2], 0.0F}, middle = dr_float4_all(0.5F), w[2][4];
    if (degree == 1) place += middle; // the lowest is half a cell above the place less the kernel's reach
    dr_int4 base = __builtin_convertvector(place, dr_int4);
    dr_float4 t = place - __builtin_convertvector(base, dr_float4),
              f = t + dr_float4_all((float)dr_kernel_reach(degree)), zero = dr_float4_all(0.0F);
    dr_int4 late = t >= middle, own = base - late;
    dr_float4 one_late = dr_float4_select(late, dr_float4_all(1.0F), zero);
    dr_kernel_weights4(degree, t, w[HALF]);
    dr_kernel_weights4(degree, dr_float4_select(late, t - middle, t + middle), w[OWN]);
    memcpy(s->first[HALF], &base, sizeof base);
    memcpy(s->first[OWN], &own, sizeof own);
    for (int n = 0; n < 3; n++) {
        dr_float4 at = dr_float4_all((float)n);
        bool none = n > degree;
        s->w[HALF][n] = none ? zero : w[HALF][n];
        s->w[OWN][n] = none ? zero : w[OWN][n];
        s->dw[HALF][n] = (at - f) * s->w[HALF][n];
        s->dw[OWN][n] = (at + one_late - f - middle) * s->w[OWN][n];
    }
}

typedef struct scatter_job {
    const dr_transfer *transfer;
    const dr_transfer_load *load;
    float cell, stress_scale;
    bool wide;
} scatter_job;

// Every tap along z twice, for mass and momentum.
DR_INLINE dr_float8 along_z(const dr_float4 tap[3])
{
    return (dr_float8){tap[0][2], tap[0][2], tap[1][2], tap[1][2], tap[2][2], tap[2][2], 0.0F, 0.0F};
}

// A row of samples along z is one vector: mass and momentum in turn.
DR_INLINE void scatter_component(int degree, int r, const taps *s, const charge *c, float *buffer)
{
    const int pair[8] = {r, 4 + r, r, 4 + r, r, 4 + r, r, 4 + r};
    const int x = r == 0 ? OWN : HALF, y = r == 1 ? OWN : HALF, z = r == 2 ? OWN : HALF;
    dr_float8 w = along_z(s->w[z]), dw = along_z(s->dw[z]);
    dr_float8 middle = dr_float8_add_product(dr_float8_pick(c->a[2], pair) * dw, dr_float8_pick(c->q, pair), w);
    dr_float8 sloped = dr_float8_pick(c->a[0], pair) * w, tilted = dr_float8_pick(c->a[1], pair) * w;
    float *first = buffer + 2 * ((s->first[x][0] * SIDE + s->first[y][1]) * DR_STENCIL_PITCH + s->first[z][2]);
    for (int i = 0; i <= degree; i++) {
        dr_float8 wi = dr_float8_all(s->w[x][i][0]), dwi = dr_float8_all(s->dw[x][i][0]);
        dr_float8 along = dr_float8_add_product(wi * middle, dwi, sloped), cross = wi * tilted;
        for (int j = 0; j <= degree; j++) {
            float *row = first + 2 * (i * SIDE + j) * DR_STENCIL_PITCH;
            dr_float8 sum = dr_float8_add_product(dr_float8_load(row), along, dr_float8_all(s->w[y][j][1]));
            dr_float8_store(row, dr_float8_add_product(sum, cross, dr_float8_all(s->dw[y][j][1])));
        }
    }
}

DR_INLINE void scatter(int degree, const taps *s, const charge *c, float *buffer)
{
    for (int r = 0; r < 3; r++) scatter_component(degree, r, s, c, buffer + (size_t)r * DR_STENCIL_APART);
}

void dr_transfer_faces_add_narrow(const taps *s, const charge *c, size_t count, float *buffer)
{
    for (size_t i = 0; i < count; i++) scatter(2, &s[i], &c[i], buffer);
}

DR_INLINE dr_float4 column(const float matrix[9], int c)
{
    return (dr_float4){matrix[c], matrix[3 + c], matrix[6 + c], 0.0F};
}

DR_INLINE void make_charge(const scatter_job *job, size_t p, const float *stress, charge *c)
{
    static const float none[9] = {0.0F};
    const dr_transfer_load *load = job->load;
    float m = load->mass ? load->mass[p] : 0.0F;
    const float *v = load->mass ? load->velocity + 3 * p : none, *affine = load->affine ? load->affine + 9 * p : none;
    float scale = job->transfer->scheme == DR_SCHEME_APIC ? m * job->cell : 0.0F;
    c->q = (dr_float8){m, m, m, 0.0F, m * v[0], m * v[1], m * v[2], 0.0F};
    if (load->force) {
        const float *force = load->force + 3 * p;
        c->q +=
            (dr_float8){0.0F, 0.0F, 0.0F, 0.0F, force[0], force[1], force[2], 0.0F} * dr_float8_all((float)load->dt);
    }
    for (int a = 0; a < 3; a++) {
        dr_float4 along = column(affine, a) * dr_float4_all(scale);
        if (stress) along = dr_float4_add_product(along, column(stress, a), dr_float4_all(job->stress_scale));
        c->a[a] = dr_float8_join(dr_float4_all(0.0F), along);
    }
}

DR_INLINE void scatter_batch(int degree, const scatter_job *job, size_t first, size_t count, float *buffer)
{
    taps s[DR_STENCIL_BATCH];
    charge c[DR_STENCIL_BATCH];
    float stress[DR_STENCIL_BATCH][9];
    const dr_transfer_load *load = job->load;
    if (load->stress) load->stress(load->user, first, count, stress);
    for (size_t i = 0; i < count; i++) {
        size_t p = dr_residents_point(load->places.residents, first + i);
        make_taps(degree, load->places.offset + 3 * p, &s[i]);
        make_charge(job, p, load->stress ? stress[i] : NULL, &c[i]);
    }
    if (degree == 2)
        (job->wide ? dr_transfer_faces_add_wide : dr_transfer_faces_add_narrow)(s, c, count, buffer);
    else
        for (size_t i = 0; i < count; i++) scatter(degree, &s[i], &c[i], buffer);
}

static void add(const void *user, size_t first, size_t count, float *buffer)
{
    const scatter_job *job = user;
    CALL(job->transfer->kernel, scatter_batch, job, first, count, buffer);
}

void dr_transfer_load_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_load *load, float *mass, float *momentum)
{
    int degree = dr_transfer_degree(transfer->kernel);
    assert(degree > 1 || !load->stress);
    float stress_scale = (float)(-load->dt * dr_stencil_slope(degree) / grid->cell);
    scatter_job job = {transfer, load, (float)grid->cell, stress_scale, dr_simd_is_wide()};
    dr_stencil_run_scatter(par, (dr_stencil_scatter){.grid = grid,
                                                     .residents = load->places.residents,
                                                     .side = SIDE,
                                                     .field = {mass, momentum},
                                                     .keep = transfer->add,
                                                     .apart = true,
                                                     .add = add,
                                                     .user = &job});
}

// ---- one value to faces and cells

typedef struct value_job {
    dr_kernel kernel;
    const dr_transfer_places *places;
    const float *value;
} value_job;

DR_INLINE void scatter_value(int degree, const stencil *s, dr_float4 value, float *buffer)
{
    int width = width_of(degree);
    for (int i = 0; i < width; i++) {
        dr_float4 plane = s->w[i][0] * value;
        for (int j = 0; j < width; j++) {
            float *row = buffer + 4 * (s->item + (size_t)((i * SIDE + j) * DR_STENCIL_PITCH));
            dr_float4 line = plane * s->w[j][1];
            for (int k = 0; k < width; k++) {
                dr_float4_store(row + 4 * k, dr_float4_add_product(dr_float4_load(row + 4 * k), line, s->w[k][2]));
            }
        }
    }
}

DR_INLINE void scatter_values(int degree, const value_job *job, size_t first, size_t count, float *buffer)
{
    for (size_t i = first; i < first + count; i++) {
        size_t p = dr_residents_point(job->places->residents, i);
        stencil s;
        make_stencil(degree, job->places->offset + 3 * p, &s);
        scatter_value(degree, &s, dr_float4_all(job->value[p]), buffer);
    }
}

static void add_values(const void *user, size_t first, size_t count, float *buffer)
{
    const value_job *job = user;
    CALL(job->kernel, scatter_values, job, first, count, buffer);
}

void dr_transfer_spread_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                              const dr_transfer_places *places, const float *value, float *face)
{
    value_job job = {transfer->kernel, places, value};
    dr_stencil_run_scatter(par, (dr_stencil_scatter){.grid = grid,
                                                     .residents = places->residents,
                                                     .side = SIDE,
                                                     .field = {face, NULL},
                                                     .keep = transfer->add,
                                                     .add = add_values,
                                                     .user = &job});
}

// ---- four values to the three faces and the middle of a cell, of one field or of two

typedef struct quad_job {
    dr_kernel kernel;
    const dr_transfer_places *places;
    const float *value[2]; // [point][4]
} quad_job;

DR_INLINE void scatter_pair(int degree, const stencil *s, dr_float8 value, float *buffer)
{
    int width = width_of(degree);
    for (int i = 0; i < width; i++) {
        dr_float8 plane = twice(s->w[i][0]) * value;
        for (int j = 0; j < width; j++) {
            float *row = buffer + 8 * (s->item + (size_t)((i * SIDE + j) * DR_STENCIL_PITCH));
            dr_float8 line = plane * twice(s->w[j][1]);
            for (int k = 0; k < width; k++)
                dr_float8_store(row + 8 * k,
                                dr_float8_add_product(dr_float8_load(row + 8 * k), line, twice(s->w[k][2])));
        }
    }
}

DR_INLINE void scatter_quads(int degree, const quad_job *job, size_t first, size_t count, float *buffer)
{
    for (size_t i = first; i < first + count; i++) {
        size_t p = dr_residents_point(job->places->residents, i);
        dr_float4 low = dr_float4_load(job->value[0] + 4 * p);
        stencil s;
        make_stencil(degree, job->places->offset + 3 * p, &s);
        if (job->value[1])
            scatter_pair(degree, &s, dr_float8_join(low, dr_float4_load(job->value[1] + 4 * p)), buffer);
        else
            scatter_value(degree, &s, low, buffer);
    }
}

static void add_quads(const void *user, size_t first, size_t count, float *buffer)
{
    const quad_job *job = user;
    CALL(job->kernel, scatter_quads, job, first, count, buffer);
}

void dr_transfer_spread_quads(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                              const dr_transfer_places *places, const float *const value[2], float *const face[2])
{
    quad_job job = {transfer->kernel, places, {value[0], value[1]}};
    dr_stencil_run_scatter(par, (dr_stencil_scatter){.grid = grid,
                                                     .residents = places->residents,
                                                     .side = SIDE,
                                                     .field = {face[0], face[1]},
                                                     .keep = transfer->add,
                                                     .add = add_quads,
                                                     .user = &job});
}

// ---- from faces; two neighbours along z make one vector of 8

DR_INLINE void pair_weights(int degree, const dr_float4 w[4][3], dr_float8 pair[2])
{
    for (int n = 0; 2 * n < width_of(degree); n++) {
        dr_float4 high = 2 * n + 1 < width_of(degree) ? w[2 * n + 1][2] : dr_float4_all(0.0F);
        pair[n] = dr_float8_join(w[2 * n][2], high);
    }
}

DR_INLINE dr_float4 fold(dr_float8 v)
{
    return dr_float8_low(v) + dr_float8_high(v);
}

// Sums along x, then y, then z.
DR_INLINE void gather(int degree, const stencil *s, const float *buffer, dr_stencil_sample *out)
{
    dr_float8 zero = dr_float8_all(0.0F), v = zero, vx = zero, vy = zero, vz = zero, w[2], m[2];
    int width = width_of(degree);
    pair_weights(degree, s->w, w);
    pair_weights(degree, s->m, m);
    for (int n = 0; 2 * n < width; n++) {
        dr_float8 plane = zero, plane_x = zero, plane_y = zero;
        for (int j = 0; j < width; j++) {
            dr_float8 row = zero, row_x = zero;
            for (int i = 0; i < width; i++) {
                size_t item = s->item + (size_t)((i * SIDE + j) * DR_STENCIL_PITCH + 2 * n);
                dr_float8 face = dr_float8_load(buffer + 4 * item);
                row = dr_float8_add_product(row, face, twice(s->w[i][0]));
                row_x = dr_float8_add_product(row_x, face, twice(s->m[i][0]));
            }
            plane = dr_float8_add_product(plane, row, twice(s->w[j][1]));
            plane_x = dr_float8_add_product(plane_x, row_x, twice(s->w[j][1]));
            plane_y = dr_float8_add_product(plane_y, row, twice(s->m[j][1]));
        }
        v = dr_float8_add_product(v, plane, w[n]);
        vx = dr_float8_add_product(vx, plane_x, w[n]);
        vy = dr_float8_add_product(vy, plane_y, w[n]);
        vz = dr_float8_add_product(vz, plane, m[n]);
    }
    *out = (dr_stencil_sample){fold(v), {fold(vx), fold(vy), fold(vz)}};
}

// The value alone.
DR_INLINE void sample(int degree, const stencil *s, const float *buffer, dr_stencil_sample *out)
{
    dr_float8 zero = dr_float8_all(0.0F), v = zero, w[2];
    int width = width_of(degree);
    pair_weights(degree, s->w, w);
    for (int n = 0; 2 * n < width; n++) {
        dr_float8 plane = zero;
        for (int j = 0; j < width; j++) {
            dr_float8 row = zero;
            for (int i = 0; i < width; i++) {
                size_t item = s->item + (size_t)((i * SIDE + j) * DR_STENCIL_PITCH + 2 * n);
                row = dr_float8_add_product(row, dr_float8_load(buffer + 4 * item), twice(s->w[i][0]));
            }
            plane = dr_float8_add_product(plane, row, twice(s->w[j][1]));
        }
        v = dr_float8_add_product(v, plane, w[n]);
    }
    out->value = fold(v);
}

DR_INLINE void gather_stencils(int degree, const stencil *s, size_t count, const float *const buffer[3],
                               dr_stencil_sample (*found)[DR_STENCIL_BATCH])
{
    for (size_t i = 0; i < count && buffer[0]; i++) gather(degree, &s[i], buffer[0], &found[0][i]);
    for (size_t i = 0; i < count && buffer[1]; i++) gather(degree, &s[i], buffer[1], &found[1][i]);
    for (size_t i = 0; i < count && buffer[2]; i++) sample(degree, &s[i], buffer[2], &found[2][i]);
}

void dr_transfer_faces_find_narrow(const stencil *s, size_t count, const float *const buffer[3],
                                   dr_stencil_sample (*found)[DR_STENCIL_BATCH])
{
    gather_stencils(2, s, count, buffer, found);
}

DR_INLINE void gather_batch(int degree, const float *offset, size_t count, const float *const buffer[3],
                            dr_stencil_sample (*found)[DR_STENCIL_BATCH])
{
    stencil s[DR_STENCIL_BATCH];
    for (size_t i = 0; i < count; i++) make_stencil(degree, offset + 3 * i, &s[i]);
    if (degree == 2)
        (dr_simd_is_wide() ? dr_transfer_faces_find_wide : dr_transfer_faces_find_narrow)(s, count, buffer, found);
    else
        gather_stencils(degree, s, count, buffer, found);
}

static void find(dr_kernel kernel, const float *offset, size_t count, const float *const buffer[3],
                 dr_stencil_sample (*found)[DR_STENCIL_BATCH])
{
    CALL(kernel, gather_batch, offset, count, buffer, found);
}

void dr_transfer_from_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_back *back)
{
    dr_stencil_run_gather(par, &(dr_stencil_gather){transfer, grid, back, SIDE, find});
}

void dr_transfer_read_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                            const dr_transfer_places *places, const float *face, float *value, float *gradient)
{
    dr_stencil_run_read(par, &(dr_stencil_read){.transfer = transfer,
                                                .grid = grid,
                                                .places = places,
                                                .field = face,
                                                .side = SIDE,
                                                .find = find,
                                                .value = value,
                                                .gradient = gradient});
}

void dr_transfer_visit_faces(const dr_transfer *transfer, const dr_grid *grid, const dr_par *par,
                             const dr_transfer_visit *visit, const float *face)
{
    for (; visit; visit = visit->with)
        dr_stencil_run_read(par, &(dr_stencil_read){.transfer = transfer,
                                                    .grid = grid,
                                                    .places = &visit->places,
                                                    .field = face,
                                                    .side = SIDE,
                                                    .find = find,
                                                    .call = visit->call,
                                                    .user = visit->user});
}
