#include "grid/stencil.h"

#include <assert.h>
#include <math.h>

typedef struct octant {
    size_t item; // in the buffer
    int size[3];
} octant;

DR_INLINE octant find_octant(int side, int upper)
{
    octant o;
    int start[3];
    for (int a = 0; a < 3; a++) {
        bool above = upper >> (2 - a) & 1;
        start[a] = above ? DR_BLOCK_SIDE : 0;
        o.size[a] = above ? side - DR_BLOCK_SIDE : DR_BLOCK_SIDE;
    }
    o.item = (size_t)((start[0] * side + start[1]) * DR_STENCIL_PITCH + start[2]);
    return o;
}

DR_INLINE void add_buffer(const dr_grid *grid, size_t block, int side, const float *buffer, size_t stride, float *field)
{
    for (int upper = 0; upper < 8; upper++) {
        octant o = find_octant(side, upper);
        float *to = field + 4 * DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper);
        for (int i = 0; i < o.size[0]; i++) {
            for (int j = 0; j < o.size[1]; j++) {
                const float *from = buffer + stride * (o.item + (size_t)((i * side + j) * DR_STENCIL_PITCH));
                float *row = to + 4 * (i * 4 + j) * 4;
                for (size_t k = 0; k < (size_t)o.size[2]; k++) {
                    dr_float4_store(row + 4 * k, dr_float4_load(row + 4 * k) + dr_float4_load(from + stride * k));
                }
            }
        }
    }
}

// Rows of a whole buffer: four items of a block, three of the one above it.
enum { LOW = 4 * DR_BLOCK_SIDE, HIGH = 4 * (DR_STENCIL_SIDE - DR_BLOCK_SIDE) };

DR_INLINE size_t row_in_block(int i, int j)
{
    return (size_t)(4 * (i * DR_BLOCK_SIDE + j) * DR_BLOCK_SIDE);
}

DR_INLINE void add_eight(float *to, const float *from)
{
    dr_float8_store(to, dr_float8_load(to) + dr_float8_load(from));
}

static void add_whole(const dr_grid *grid, size_t block, const float *buffer, float *field)
{
    for (int upper = 0; upper < 8; upper += 2) {
        octant o = find_octant(DR_STENCIL_SIDE, upper);
        float *low = field + 4 * DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper);
        float *high = field + 4 * DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper + 1);
        for (int i = 0; i < o.size[0]; i++) {
            for (int j = 0; j < o.size[1]; j++) {
                const float *row = buffer + 4 * (o.item + (size_t)((i * DR_STENCIL_SIDE + j) * DR_STENCIL_PITCH));
                float *own = low + row_in_block(i, j), *above = high + row_in_block(i, j);
                add_eight(own, row);
                add_eight(own + 8, row + 8);
                add_eight(above, row + LOW);
                dr_float4_store(above + 8, dr_float4_load(above + 8) + dr_float4_load(row + LOW + 8));
            }
        }
    }
}

void dr_stencil_add(const dr_grid *grid, size_t block, int side, const float *buffer, size_t stride, float *field)
{
    if (side == DR_STENCIL_SIDE && stride == 4)
        add_whole(grid, block, buffer, field);
    else if (side == DR_STENCIL_SIDE && stride == 8)
        add_buffer(grid, block, DR_STENCIL_SIDE, buffer, 8, field);
    else
        add_buffer(grid, block, side, buffer, stride, field);
}

// Of every row the last item, which no node has, is zero.
static void load_whole(const dr_grid *grid, size_t block, const float *field, float *buffer)
{
    for (int upper = 0; upper < 8; upper += 2) {
        octant o = find_octant(DR_STENCIL_SIDE, upper);
        const float *low = field + 4 * DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper);
        const float *high = field + 4 * DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper + 1);
        for (int i = 0; i < o.size[0]; i++) {
            for (int j = 0; j < o.size[1]; j++) {
                float *row = buffer + 4 * (o.item + (size_t)((i * DR_STENCIL_SIDE + j) * DR_STENCIL_PITCH));
                const float *own = low + row_in_block(i, j), *above = high + row_in_block(i, j);
                dr_float8_store(row, dr_float8_load(own));
                dr_float8_store(row + 8, dr_float8_load(own + 8));
                dr_float8_store(row + LOW, dr_float8_load(above));
                dr_float4_store(row + LOW + 8, dr_float4_load(above + 8));
                dr_float4_store(row + LOW + HIGH, dr_float4_all(0.0F));
            }
        }
    }
}

void dr_stencil_load(const dr_grid *grid, size_t block, int side, const float *field, float *buffer)
{
    if (side == DR_STENCIL_SIDE) {
        load_whole(grid, block, field, buffer);
        return;
    }
    memset(buffer, 0, sizeof(float) * 4 * (size_t)(side * side * DR_STENCIL_PITCH));
    for (int upper = 0; upper < 8; upper++) {
        octant o = find_octant(side, upper);
        const float *from = field + 4 * DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper);
        for (int i = 0; i < o.size[0]; i++) {
            for (int j = 0; j < o.size[1]; j++) {
                float *row = buffer + 4 * (o.item + (size_t)((i * side + j) * DR_STENCIL_PITCH));
                memcpy(row, from + 4 * (i * 4 + j) * 4, sizeof(float) * 4 * (size_t)o.size[2]);
            }
        }
    }
}

static void clear_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    size_t floats = 4 * DR_BLOCK_NODES;
    memset((float *)user + begin * floats, 0, (end - begin) * floats * sizeof(float));
}

void dr_stencil_clear(const dr_grid *grid, const dr_par *par, float *field)
{
    dr_par_for(par, grid->block_count, 256, clear_blocks, field);
}

// Into the block next door, or further. The bound keeps what is not a number, or not in reach, from becoming an
// address.
static void leave(const dr_grid *grid, size_t block, float offset[3], uint64_t *key)
{
    int32_t coordinate[3];
    for (int a = 0; a < 3; a++) {
        double limit = 4.0 * DR_GRID_REACH, blocks = floor((double)offset[a] / DR_BLOCK_SIDE);
        double bounded = blocks > limit ? limit : blocks >= -limit ? blocks : -limit;
        coordinate[a] = dr_grid_wrap(grid, a, grid->coordinate[3 * block + (size_t)a] + (int64_t)bounded);
        offset[a] = dr_grid_inside((double)offset[a] - DR_BLOCK_SIDE * blocks);
    }
    *key = dr_grid_key(coordinate);
}

// ---- what points need

// Of points that follow each other in memory, as most do, the lines of all of them once.
static void fetch_run(const dr_stencil_fetch *what, size_t from, size_t count)
{
    for (const dr_transfer_column *column = what->column; column->data; column++) {
        const char *at = (const char *)column->data + column->bytes * from, *end = at + column->bytes * count;
        for (; at < end; at += DR_CACHE_LINE) dr_prefetch(at);
        dr_prefetch(end - 1);
    }
}

static void fetch_block(const dr_stencil_fetch *what, size_t block)
{
    const uint32_t *first = what->residents->first + block;
    for (size_t next, n = first[0]; n < first[1]; n = next) {
        size_t p = dr_residents_point(what->residents, n);
        for (next = n + 1; next < first[1] && dr_residents_point(what->residents, next) == p + (next - n); next++) {
        }
        fetch_run(what, p, next - n);
    }
}

// ---- points to fields

static void add_points(const dr_stencil_scatter *job, size_t block, float *buffer)
{
    size_t end = job->residents->first[block + 1];
    for (size_t first = job->residents->first[block]; first < end; first += DR_STENCIL_BATCH)
        job->add(job->user, first, end - first < DR_STENCIL_BATCH ? end - first : DR_STENCIL_BATCH, buffer);
}

static void join_components(const float *apart, float *buffer)
{
    for (size_t i = 0; i < DR_STENCIL_ITEMS; i++) {
        const float *x = apart + 2 * i, *y = x + DR_STENCIL_APART, *z = y + DR_STENCIL_APART;
        dr_float8_store(buffer + 8 * i, (dr_float8){x[0], y[0], z[0], 0.0F, x[1], y[1], z[1], 0.0F});
    }
}

static void scatter_apart(const dr_stencil_scatter *job, size_t block)
{
    _Alignas(64) float apart[3 * DR_STENCIL_APART], buffer[8 * DR_STENCIL_ITEMS];
    memset(apart, 0, sizeof apart);
    add_points(job, block, apart);
    join_components(apart, buffer);
    dr_stencil_add(job->grid, block, DR_STENCIL_SIDE, buffer, 8, job->field[0]);
    dr_stencil_add(job->grid, block, DR_STENCIL_SIDE, buffer + 4, 8, job->field[1]);
}

static void scatter_block(const dr_stencil_scatter *job, size_t block)
{
    _Alignas(64) float buffer[8 * DR_STENCIL_ITEMS];
    size_t lanes = job->field[1] ? 8 : 4;
    if (job->apart) {
        scatter_apart(job, block);
        return;
    }
    memset(buffer, 0, sizeof(float) * lanes * (size_t)(job->side * job->side * DR_STENCIL_PITCH));
    add_points(job, block, buffer);
    if (job->with) add_points(job->with, block, buffer);
    dr_stencil_add(job->grid, block, job->side, buffer, lanes, job->field[0]);
    if (job->field[1]) dr_stencil_add(job->grid, block, job->side, buffer + 4, lanes, job->field[1]);
}

static void fetch_points(const dr_stencil_scatter *job, size_t block)
{
    if (job->fetch) fetch_block(job->fetch, block);
    if (job->with && job->with->fetch) fetch_block(job->with->fetch, block);
}

static void scatter_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_stencil_scatter *job = user;
    for (size_t n = begin; n < end; n++) {
        if (n + 1 < job->block_count) fetch_points(job, job->blocks[n + 1]);
        scatter_block(job, job->blocks[n]);
    }
}

// Blocks where the other set is alone.
static void scatter_rest(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_stencil_scatter *job = user;
    for (size_t n = begin; n < end; n++) {
        const uint32_t *first = job->residents->first + job->blocks[n];
        if (first[0] == first[1]) scatter_block(job, job->blocks[n]);
    }
}

static void scatter_colours(const dr_par *par, dr_stencil_scatter job, const dr_residents *residents, dr_par_body body)
{
    for (int c = 0; c < 8; c++) {
        job.blocks = residents->colour_block + residents->colour_first[c];
        job.block_count = residents->colour_first[c + 1] - residents->colour_first[c];
        dr_par_for(par, job.block_count, 4, body, &job);
    }
}

// ---- tiles: what the points of a block bring to others stays near while those are at work

// So many blocks do not stay in a cache from one colour to the next. Half: as few as 16 tiles of a colour for all
// threads where matter is dense; twice: a sheet of 300,000 triangles takes 5 % longer.
#define MANY_BLOCKS 16384

static bool is_empty(const dr_stencil_scatter *job, size_t block)
{
    return job->residents->first[block] == job->residents->first[block + 1];
}

static size_t next_block(const dr_stencil_scatter *job, size_t block, size_t end)
{
    while (block < end && is_empty(job, block) && (!job->with || is_empty(job->with, block))) block++;
    return block;
}

static void scatter_tiles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_stencil_scatter *job = user;
    for (size_t t = begin; t < end; t++) {
        if (dr_grid_tile_colour(job->grid, t) != job->colour) continue;
        size_t last = job->grid->tile_first[t + 1];
        for (size_t next, b = next_block(job, job->grid->tile_first[t], last); b < last; b = next) {
            next = next_block(job, b + 1, last);
            if (next < last) fetch_points(job, next);
            scatter_block(job, b);
        }
    }
}

void dr_stencil_run_scatter(const dr_par *par, dr_stencil_scatter job)
{
    for (int f = 0; f < 2; f++) {
        if (job.field[f] && !job.keep) dr_stencil_clear(job.grid, par, job.field[f]);
    }
    if (job.fetch && job.grid->block_count >= MANY_BLOCKS && dr_grid_tiles(job.grid)) {
        for (job.colour = 0; job.colour < 8; job.colour++)
            dr_par_for(par, job.grid->tile_count, 8, scatter_tiles, &job);
        return;
    }
    scatter_colours(par, job, job.residents, scatter_blocks);
    if (job.with) scatter_colours(par, job, job.with->residents, scatter_rest);
}

// ---- a field to particles

typedef struct gather_job {
    const dr_stencil_gather *what;
    dr_transfer_back back;                      // old: FLIP alone
    float per_cell, cells_per_speed, keep, mix; // keep, mix: of the gradient and its transpose, eq. (9)
    float spin;                                 // of the shift's potential, eq. (19)
    float dt, variance;                         // variance: of the kernel, cm2
    dr_float4 grid;                             // its own velocity
} gather_job;

static gather_job prepare_gather(const dr_stencil_gather *what)
{
    const dr_transfer *transfer = what->transfer;
    const dr_grid *grid = what->grid;
    bool affine = transfer->scheme == DR_SCHEME_APIC, flip = transfer->scheme == DR_SCHEME_FLIP;
    int degree = dr_transfer_degree(transfer->kernel);
    assert(!flip || what->back->old || grid->block_count == 0);
    gather_job job = {
        .what = what,
        .back = *what->back,
        .per_cell = (float)(dr_stencil_slope(degree) / grid->cell),
        .cells_per_speed = (float)(what->back->dt / grid->cell),
        .keep = affine ? (float)(1.0 - 0.5 * transfer->damping) : 0.0F,
        .mix = affine ? (float)(-0.5 * transfer->damping) : 0.0F,
        .spin = affine && degree > 1 ? (float)dr_stencil_slope(degree) : 0.0F,
        .dt = (float)what->back->dt,
        .variance = degree > 1 ? (float)(grid->cell * grid->cell / dr_stencil_slope(degree)) : 0.0F,
        .grid = {(float)grid->velocity[0], (float)grid->velocity[1], (float)grid->velocity[2], 0.0F},
    };
    if (!flip) job.back.old = NULL;
    return job;
}

// Three rows into nine floats.
DR_INLINE void store_rows(float *to, const dr_float4 row[3])
{
    dr_float4_store(to, row[0]);
    dr_float4_store(to + 3, row[1]);
    dr_float4_store(to + 5, __builtin_shufflevector(row[1], row[2], 2, 4, 5, 6));
}

DR_INLINE void turn(const dr_float4 column[3], dr_float4 row[3])
{
    dr_float4 low = __builtin_shufflevector(column[0], column[1], 0, 4, 1, 5);
    dr_float4 high = __builtin_shufflevector(column[0], column[1], 2, 6, 3, 7);
    row[0] = __builtin_shufflevector(low, column[2], 0, 1, 4, 4);
    row[1] = __builtin_shufflevector(low, column[2], 2, 3, 5, 5);
    row[2] = __builtin_shufflevector(high, column[2], 0, 1, 6, 6);
}

// The affine matrix of a gradient with these rows and columns, eq. (9) of eq. (19).
DR_INLINE void damp(const gather_job *job, float turned, const dr_float4 row[3], const dr_float4 column[3],
                    dr_float4 damped[3])
{
    float half = 0.5F * turned, own = job->keep - half * (job->keep - job->mix),
          other = job->mix + half * (job->keep - job->mix);
    for (int r = 0; r < 3; r++) damped[r] = dr_float4_all(own) * row[r] + dr_float4_all(other) * column[r];
}

// What moving by the shift brings of angular momentum, less what the affine matrix gives back for it, eq. (20).
static void store_gain(const gather_job *job, size_t p, dr_float4 shift, const dr_float4 row[3], dr_float4 velocity)
{
    float *gained = job->back.gained + 3 * p, spin = job->spin * job->variance * shift[3];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        gained[a] = job->dt * (shift[b] * velocity[c] - shift[c] * velocity[b]) - spin * (row[c][b] - row[b][c]);
    }
}

// Velocity, affine matrix and place of particle p; the velocity gradient for the user.
DR_INLINE void write_particle(const gather_job *job, size_t block, size_t p, const dr_stencil_sample *fresh,
                              const dr_stencil_sample *old, const dr_stencil_sample *shift, float gradient[9])
{
    dr_particles *particles = job->back.particles;
    dr_float4 column[3], row[3], damped[3], velocity = fresh->value;
    for (int c = 0; c < 3; c++) column[c] = fresh->slope[c] * dr_float4_all(job->per_cell);
    turn(column, row);
    damp(job, shift ? job->spin * shift->value[3] : 0.0F, row, column, damped);
    if (job->back.update) store_rows(gradient, row);
    store_rows(particles->affine + 9 * p, damped);
    if (old) {
        dr_float4 blend = dr_float4_all((float)job->what->transfer->flip_blend);
        velocity += blend * (dr_float4_load3(particles->velocity + 3 * p) - old->value);
    }
    dr_float4_store3(particles->velocity + 3 * p, velocity);
    if (shift && job->back.gained) store_gain(job, p, shift->value, row, velocity);
    float *offset = particles->offset + 3 * p;
    dr_float4 way = shift ? fresh->value + shift->value : fresh->value;
    dr_float4 place = dr_float4_load3(offset) + dr_float4_all(job->cells_per_speed) * (way - job->grid);
    dr_float4_store3(offset, place);
    dr_int4 inside = (place >= dr_float4_all(0.0F)) & (place < dr_float4_all((float)DR_BLOCK_SIDE));
    if (!dr_int4_every3(inside)) leave(job->what->grid, block, offset, particles->key + p);
}

static void gather_batch(const gather_job *job, size_t block, size_t first, size_t count, const float *const buffer[3])
{
    const dr_stencil_gather *what = job->what;
    const dr_transfer_back *back = &job->back;
    float gradient[DR_STENCIL_BATCH][9];
    dr_stencil_sample found[3][DR_STENCIL_BATCH];
    what->find(what->transfer->kernel, back->particles->offset + 3 * first, count, buffer, found);
    for (size_t i = 0; i < count; i++) {
        write_particle(job, block, first + i, &found[0][i], buffer[1] ? &found[1][i] : NULL,
                       buffer[2] ? &found[2][i] : NULL, gradient[i]);
    }
    if (back->update) back->update(back->user, first, count, (const float(*)[9])gradient);
}

static void gather_block(const gather_job *job, size_t block)
{
    _Alignas(64) float buffer[4 * (DR_STENCIL_ITEMS + 2)], old[4 * (DR_STENCIL_ITEMS + 2)],
        shift[4 * (DR_STENCIL_ITEMS + 2)];
    const float *const all[3] = {buffer, job->back.old ? old : NULL, job->back.shift ? shift : NULL};
    const dr_grid *grid = job->what->grid;
    dr_stencil_load(grid, block, job->what->side, job->back.field, buffer);
    if (job->back.old) dr_stencil_load(grid, block, job->what->side, job->back.old, old);
    if (job->back.shift) dr_stencil_load(grid, block, job->what->side, job->back.shift, shift);
    const uint32_t *of = job->back.particles->residents.first;
    size_t end = of[block + 1];
    for (size_t first = of[block]; first < end; first += DR_STENCIL_BATCH) {
        gather_batch(job, block, first, end - first < DR_STENCIL_BATCH ? end - first : DR_STENCIL_BATCH, all);
    }
}

static void gather_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const gather_job *job = user;
    const uint32_t *first = job->back.particles->residents.first;
    for (size_t b = begin; b < end; b++) {
        if (first[b] < first[b + 1]) gather_block(job, b);
    }
}

void dr_stencil_run_gather(const dr_par *par, const dr_stencil_gather *gather)
{
    gather_job job = prepare_gather(gather);
    dr_par_for(par, gather->grid->block_count, 8, gather_blocks, &job);
}

// ---- a field to points that stay

#define READ_GRAIN 8 // blocks

static void visit_batch(const dr_stencil_read *job, size_t first, size_t count, float per_cell,
                        const dr_stencil_sample *sample)
{
    float value[DR_STENCIL_BATCH][4], gradient[DR_STENCIL_BATCH][9];
    for (size_t i = 0; i < count; i++) {
        dr_float4 column[3], rows[3];
        for (int c = 0; c < 3; c++) column[c] = sample[i].slope[c] * dr_float4_all(per_cell);
        turn(column, rows);
        dr_float4_store(value[i], sample[i].value);
        store_rows(gradient[i], rows);
    }
    job->call(job->user, first, count, (const float(*)[4])value, (const float(*)[9])gradient);
}

static void read_batch(const dr_stencil_read *job, size_t first, size_t count, const float *const buffer[3])
{
    float offset[3 * DR_STENCIL_BATCH] = {0.0F}, row[9];
    float per_cell = (float)(dr_stencil_slope(dr_transfer_degree(job->transfer->kernel)) / job->grid->cell);
    dr_stencil_sample found[3][DR_STENCIL_BATCH];
    for (size_t i = 0; i < count; i++) {
        size_t p = dr_residents_point(job->places->residents, first + i);
        memcpy(offset + 3 * i, job->places->offset + 3 * p, 3 * sizeof *offset);
    }
    job->find(job->transfer->kernel, offset, count, buffer, found);
    const dr_stencil_sample *sample = found[buffer[0] ? 0 : 2];
    if (job->call) {
        visit_batch(job, first, count, per_cell, sample);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t p = dr_residents_point(job->places->residents, first + i);
        dr_float4 column[3], rows[3];
        if (job->value) dr_float4_store(job->value + 4 * p, sample[i].value);
        if (!job->gradient) continue;
        for (int c = 0; c < 3; c++) column[c] = sample[i].slope[c] * dr_float4_all(per_cell);
        turn(column, rows);
        store_rows(row, rows);
        memcpy(job->gradient + 9 * p, row, sizeof row);
    }
}

static bool has_points(const dr_stencil_read *job, size_t block)
{
    const uint32_t *of = job->places->residents->first;
    return of[block] < of[block + 1];
}

// The first block from this one on with points, before `end`.
static size_t find_points(const dr_stencil_read *job, size_t block, size_t end)
{
    while (block < end && !has_points(job, block) && !(job->with && has_points(job->with, block))) block++;
    return block;
}

static void read_points(const dr_stencil_read *job, size_t block, const float *buffer)
{
    const uint32_t *of = job->places->residents->first;
    bool sloped = job->gradient || job->call;
    const float *const one[3] = {sloped ? buffer : NULL, NULL, sloped ? NULL : buffer};
    for (size_t first = of[block]; first < of[block + 1]; first += DR_STENCIL_BATCH) {
        size_t left = of[block + 1] - first;
        read_batch(job, first, left < DR_STENCIL_BATCH ? left : DR_STENCIL_BATCH, one);
    }
}

static void read_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_stencil_read *job = user;
    // Blocks without points may follow each other by the thousand: the next piece is looked at and no further.
    size_t ahead = end + READ_GRAIN < job->grid->block_count ? end + READ_GRAIN : job->grid->block_count;
    for (size_t next, b = find_points(job, begin, end); b < end; b = next) {
        _Alignas(64) float buffer[4 * (DR_STENCIL_ITEMS + 2)];
        next = find_points(job, b + 1, ahead);
        if (next < ahead) {
            if (job->fetch) fetch_block(job->fetch, next);
            if (job->with && job->with->fetch) fetch_block(job->with->fetch, next);
        }
        dr_stencil_load(job->grid, b, job->side, job->field, buffer);
        read_points(job, b, buffer);
        if (job->with) read_points(job->with, b, buffer);
    }
}

void dr_stencil_run_read(const dr_par *par, const dr_stencil_read *read)
{
    dr_stencil_read job = *read;
    dr_par_for(par, read->grid->block_count, READ_GRAIN, read_blocks, &job);
}
