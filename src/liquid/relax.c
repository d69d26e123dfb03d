// Even spacing and even density. docs/theory/resample.md, eq. (8)-(14).
//   r  wanted distance of a pair, cells     g  mobility     e  excess: volume held over room, less one
#include "liquid/relax.h"

#include "grid/stencil.h"
#include "grid/halo.h"
#include "liquid/wall.h"

#include <math.h>

enum { GRAIN = 1024, SMOOTHINGS = 4 };

#define SPACING  0.9F    // of the cube root of a particle's volume: nearer ones are pushed apart
#define FARTHEST 0.1F    // cells
#define SHALLOW  1.25F   // cells from a cell's centre up to the surface: its particles stay where they are,
#define DEEP     1.75F   // and from here on they move freely
#define WALL     0.1F    // cells from a wall: particles stay
#define CLEAR    0.5F    // and move freely
#define UNEVEN   0.25F   // excess of one cell that means nothing,
#define DRIFT    0.02F   // and of its neighbourhood
#define EVEN     0.0005F // share of the volume by which the surface may enclose more or less than there is
#define BORNE    0.01F   // excess of all deep cells together that is taken into the bargain
#define MORE     3.0     // times what each would do, where others do not take part
#define BLUR     0.15F   // of the kernel's part in solids: how well the room beside it is known
#define SPARSE   0.2F    // of what cells should hold, smoothed: less tells nothing
#define ROOM     0.1F    // open share around a cell below which its excess alone is not judged

void dr_relax_open(dr_relax *relax, const dr_allocator *allocator)
{
    *relax = (dr_relax){.allocator = allocator};
    dr_bins_open(&relax->bins, allocator);
}

void dr_relax_close(dr_relax *relax)
{
    dr_bins_close(&relax->bins);
    dr_memory_free(relax->allocator, relax->shift, relax->shift_capacity * 4 * sizeof(float));
    dr_memory_free(relax->allocator, relax->mobility, relax->mobility_capacity * 2 * sizeof(float));
    dr_memory_free(relax->allocator, relax->partial, relax->partial_capacity * sizeof(double));
    dr_relax_open(relax, relax->allocator);
}

static bool reserve(dr_relax *relax, size_t particles, size_t partials)
{
    return dr_memory_reserve(relax->allocator, (void **)&relax->shift, &relax->shift_capacity, particles,
                             4 * sizeof(float)) &&
           dr_memory_reserve(relax->allocator, (void **)&relax->mobility, &relax->mobility_capacity, particles,
                             2 * sizeof(float)) &&
           dr_memory_reserve(relax->allocator, (void **)&relax->partial, &relax->partial_capacity, partials,
                             sizeof(double));
}

// ---- positions

typedef struct spread_job {
    dr_relax *relax;
    const dr_grid *grid;
    const float *distance, *solid;
    dr_particles *particles;
    float strength, per_length, cell, reach;
    size_t pieces;
} spread_job;

static float ramp(float x, float low, float high)
{
    return fminf(1.0F, fmaxf(0.0F, (x - low) / (high - low)));
}

// The grid cell of a particle lies one above that of its offset.
static void find_mobility(const spread_job *job, size_t block)
{
    float halo[DR_HALO_ITEMS], corner[DR_WALL_CORNERS], scale = 1.0F / job->cell;
    size_t first = job->grid->first[block], end = job->grid->first[block + 1];
    if (first == end) return;
    dr_halo_load(job->grid, block, job->distance, 0.0F, halo);
    bool near = job->solid && dr_wall_load(job->grid, block, job->solid, CLEAR, corner);
    for (size_t p = first; p < end; p++) {
        const float *offset = job->particles->offset + 3 * p;
        int at = DR_HALO_ITEM((int)offset[0] + 1, (int)offset[1] + 1, (int)offset[2] + 1);
        float mobility = ramp(-scale * halo[at], SHALLOW, DEEP);
        if (near) mobility *= ramp(dr_wall_distance(corner, offset), WALL, CLEAR);
        job->relax->mobility[2 * p] = mobility;
        job->relax->mobility[2 * p + 1] =
            0.5F * fminf(1.0F, SPACING * cbrtf(job->particles->volume[p]) * job->per_length);
    }
}

static void find_mobilities(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) find_mobility(user, b);
}

// A pair's displacement of p, mass-weighted so that the pair's centre stays: eq. (8)-(9).
static float pair_push(const spread_job *job, size_t p, size_t q, const float offset[3], float push[3])
{
    const float *mobility = job->relax->mobility, *mass = job->particles->mass;
    float square = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    float r = mobility[2 * p + 1] + mobility[2 * q + 1];
    if (square >= r * r || square == 0.0F) return 0.0F;
    float distance = sqrtf(square), share = mass[q] / (mass[p] + mass[q]);
    float length = job->strength * mobility[2 * p] * mobility[2 * q] * share * (r - distance) / distance;
    for (int a = 0; a < 3; a++) push[a] = -length * offset[a];
    return length;
}

typedef struct spread_visit {
    const spread_job *job;
    size_t p;
    float shift[3], granted;
    float gradient[9];
    double angular[3];
} spread_visit;

static void add_wish(void *user, uint32_t q, const float offset[3])
{
    spread_visit *visit = user;
    float push[3];
    if (pair_push(visit->job, visit->p, q, offset, push) == 0.0F) return;
    for (int a = 0; a < 3; a++) visit->shift[a] += push[a];
}

static void wish_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const spread_job *job = user;
    for (size_t p = begin; p < end; p++) {
        spread_visit visit = {.job = job, .p = p};
        if (job->relax->mobility[2 * p] > 0.0F) {
            dr_bins_visit(&job->relax->bins, job->grid, job->particles, p, job->reach, add_wish, &visit);
        }
        float *s = visit.shift, length = sqrtf(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
        job->relax->shift[4 * p + 3] = length > FARTHEST ? FARTHEST / length : 1.0F;
    }
}

// What a pair may do is what both are granted; half of the pair's change of angular momentum goes to each: eq. (10).
static void add_shift(void *user, uint32_t q, const float offset[3])
{
    spread_visit *visit = user;
    const spread_job *job = visit->job;
    const float *u = job->particles->velocity + 3 * visit->p, *v = job->particles->velocity + 3 * (size_t)q;
    float push[3], granted = fminf(visit->granted, job->relax->shift[4 * (size_t)q + 3]);
    if (pair_push(job, visit->p, q, offset, push) == 0.0F) return;
    for (int a = 0; a < 3; a++) {
        push[a] *= granted;
        visit->shift[a] += push[a];
    }
    for (int i = 0; i < 9; i++) visit->gradient[i] -= 2.0F * (u[i / 3] - v[i / 3]) * push[i % 3] / job->cell;
    double mass = 0.5 * (double)(job->particles->mass[visit->p] * job->cell);
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        visit->angular[a] += mass * (double)(push[b] * (u[c] - v[c]) - push[c] * (u[b] - v[b]));
    }
}

// Pushes are found from places that do not change until all are known: they wait in shift and in the affine matrices of
// their own particle, which no other reads.
static void push_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const spread_job *job = user;
    double *out = job->relax->partial + begin / GRAIN, angular[3] = {0.0, 0.0, 0.0}, sum = 0.0, most = 0.0;
    for (size_t p = begin; p < end; p++) {
        float *wish = job->relax->shift + 4 * p, *affine = job->particles->affine + 9 * p;
        spread_visit visit = {.job = job, .p = p, .granted = wish[3]};
        if (job->relax->mobility[2 * p] > 0.0F) {
            dr_bins_visit(&job->relax->bins, job->grid, job->particles, p, job->reach, add_shift, &visit);
        }
        const float *s = visit.shift;
        double length = sqrt((double)(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]));
        sum += length;
        most = fmax(most, length);
        for (int a = 0; a < 3; a++) angular[a] += visit.angular[a];
        for (int i = 0; i < 9; i++) affine[i] += visit.gradient[i];
        memcpy(wish, s, 3 * sizeof *s);
    }
    const double values[5] = {sum, most, angular[0], angular[1], angular[2]};
    for (size_t i = 0; i < 5; i++) out[i * job->pieces] = values[i];
}

static void move_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const spread_job *job = user;
    for (size_t p = begin; p < end; p++) {
        const float *shift = job->relax->shift + 4 * p;
        if (shift[0] == 0.0F && shift[1] == 0.0F && shift[2] == 0.0F) continue;
        float *offset = job->particles->offset + 3 * p;
        bool inside = true;
        for (int a = 0; a < 3; a++) {
            offset[a] += shift[a];
            inside = inside && offset[a] >= 0.0F && offset[a] < (float)DR_BLOCK_SIDE;
        }
        if (!inside) dr_stencil_leave(job->grid, job->relax->bins.block[p], offset, job->particles->key + p);
    }
}

static double largest_of(const double *values, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) most = fmax(most, values[i]);
    return most;
}

static float largest_volume(const dr_particles *particles)
{
    float most = 0.0F;
    for (size_t p = 0; p < particles->count; p++) most = particles->volume[p] > most ? particles->volume[p] : most;
    return most;
}

bool dr_relax_spread(dr_relax *relax, const dr_grid *grid, const dr_par *par, const float *distance, const float *solid,
                     double strength, dr_particles *particles, dr_relax_report *report)
{
    size_t count = particles->count, pieces = (count + GRAIN - 1) / GRAIN;
    *report = (dr_relax_report){0};
    if (count == 0) return true;
    if (!reserve(relax, count, 5 * pieces) || !dr_bins_build(&relax->bins, grid, par, particles)) return false;
    spread_job job = {.relax = relax, .grid = grid, .distance = distance, .solid = solid, .particles = particles};
    job.strength = (float)strength;
    job.cell = (float)grid->cell;
    job.per_length = 1.0F / job.cell;
    job.reach = fminf(1.0F, SPACING * job.per_length * cbrtf(largest_volume(particles)));
    job.pieces = pieces;
    dr_par_for(par, grid->block_count, 16, find_mobilities, &job);
    dr_par_for(par, count, GRAIN, wish_particles, &job);
    dr_par_for(par, count, GRAIN, push_particles, &job);
    dr_par_for(par, count, GRAIN, move_particles, &job);
    report->largest = largest_of(relax->partial + pieces, pieces);
    report->mean = dr_par_sum(relax->partial, pieces) / (double)count;
    for (size_t a = 0; a < 3; a++) report->angular_taken[a] = dr_par_sum(relax->partial + (2 + a) * pieces, pieces);
    return true;
}

// ---- volumes

typedef struct density_job {
    const dr_relax_source *in;
    const dr_grid *grid;
    const float *from[2]; // what cells hold too much, and what they should hold
    float *to[2], *source;
    double *partial;
    size_t blocks;
    float even; // rate of swelling of cells that take part, 1/s
} density_job;

static float beyond(float x, float tolerated)
{
    return x > tolerated ? x - tolerated : x < -tolerated ? x + tolerated : 0.0F;
}

// eq. (12): the excess of cells waits in source until it is smoothed.
static void excess_block(const density_job *job, size_t block)
{
    float room[DR_BLOCK_NODES], wanted[DR_BLOCK_NODES];
    dr_inside_want(job->in->inside, job->grid, block, job->in->solid, room, wanted);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        size_t item = block * DR_BLOCK_NODES + (size_t)c;
        float near = (float)job->in->inside->near[item] / DR_INSIDE_FULL;
        float excess = beyond(job->in->fill[item] - wanted[c], (float)job->in->tolerance * BLUR * (1.0F - room[c]));
        job->source[item] = room[c] > ROOM ? excess : 0.0F;
        job->to[0][item] = near * excess;
        job->to[1][item] = near * wanted[c];
    }
}

static void excess_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) excess_block(user, b);
}

static void smooth_block(const density_job *job, size_t block, int i)
{
    float halo[DR_HALO_ITEMS];
    dr_halo_load(job->grid, block, job->from[i], 0.0F, halo);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        int at = dr_halo_place(c);
        float sum = halo[at];
        for (int side = 0; side < 6; side++) sum += halo[at + (side & 1 ? 1 : -1) * dr_halo_step[side >> 1]];
        job->to[i][block * DR_BLOCK_NODES + (size_t)c] = sum / 7.0F;
    }
}

static void smooth_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) {
        for (int i = 0; i < 2; i++) smooth_block(user, b, i);
    }
}

// What liquid that has an inside holds too much, around a cell.
static float ratio_at(const density_job *job, size_t item)
{
    return job->from[0][item] / fmaxf(job->from[1][item], SPARSE);
}

static bool is_inner(const density_job *job, size_t item)
{
    return job->in->distance[item] < 0.0F && job->in->inside->near[item];
}

// How far a cell takes part in what all of it should do: not where it holds too little to swell, too much to shrink.
static float even_part(const density_job *job, float ratio)
{
    return 1.0F - ramp(job->in->swollen > 0.0 ? ratio : -ratio, 0.5F * BORNE, BORNE);
}

static void part_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const density_job *job = user;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0, count = 0.0;
        for (size_t i = b * DR_BLOCK_NODES; i < (b + 1) * DR_BLOCK_NODES; i++) {
            if (!is_inner(job, i)) continue;
            sum += (double)even_part(job, ratio_at(job, i));
            count += 1.0;
        }
        job->partial[b] = sum;
        job->partial[job->blocks + b] = count;
    }
}

// The rate at which those that take part should swell, eq. (15).
static float even_rate(const density_job *job)
{
    double part = dr_par_sum(job->partial, job->blocks), all = dr_par_sum(job->partial + job->blocks, job->blocks);
    float swollen = (float)job->in->swollen;
    if (!(part > 0.0) || !(job->in->even_time > 0.0)) return 0.0F;
    return -swollen * (float)fmin(MORE, all / part) * ramp(fabsf(swollen), EVEN, 2.0F * EVEN) /
           (float)job->in->even_time;
}

// eq. (13)
static float inner_source(const density_job *job, size_t item, float rate, float most)
{
    float ratio = ratio_at(job, item), lump = beyond(job->source[item], UNEVEN);
    float least = (float)job->in->tolerance * DRIFT, drift = ratio * ramp(fabsf(ratio), least, 2.0F * least);
    float source = rate * (fabsf(lump) > fabsf(drift) ? lump : drift);
    return fminf(most, fmaxf(-most, source));
}

static void source_block(const density_job *job, size_t block, float rate, float most)
{
    double sum[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    for (size_t i = block * DR_BLOCK_NODES; i < (block + 1) * DR_BLOCK_NODES; i++) {
        float excess = job->source[i];
        bool liquid = job->in->distance[i] < 0.0F;
        if (job->in->inside->near[i]) sum[0] += (double)excess;
        if (!is_inner(job, i)) {
            job->source[i] = liquid ? fminf(most, rate * fmaxf(0.0F, excess - UNEVEN)) : 0.0F;
            continue;
        }
        float source = inner_source(job, i, rate, most);
        job->source[i] = source + job->even * even_part(job, ratio_at(job, i));
        sum[1] = fmax(sum[1], fabs((double)excess));
        sum[2] += (double)job->source[i];
        sum[3] += 1.0;
        sum[4] += source != 0.0F;
    }
    for (size_t k = 0; k < 5; k++) job->partial[k * job->blocks + block] = sum[k];
}

static void source_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const density_job *job = user;
    float rate = (float)(1.0 / job->in->time), most = (float)(job->in->limit / job->in->dt);
    for (size_t b = begin; b < end; b++) source_block(job, b, rate, most);
}

static void read_report(const density_job *job, dr_relax_volume *report)
{
    double cell = job->grid->cell, *partial = job->partial;
    size_t n = job->blocks;
    report->largest = largest_of(partial + n, n);
    report->source = dr_par_sum(partial + 2 * n, n) * cell * cell * cell;
    report->inner = (size_t)dr_par_sum(partial + 3 * n, n);
    report->moved = (size_t)dr_par_sum(partial + 4 * n, n);
    report->excess = report->inner ? dr_par_sum(partial, n) / (double)report->inner : 0.0;
}

bool dr_relax_density(dr_relax *relax, const dr_relax_source *in, const dr_grid *grid, const dr_par *par, float *spare,
                      float *source, dr_relax_volume *report)
{
    size_t blocks = grid->block_count, items = blocks * DR_BLOCK_NODES;
    *report = (dr_relax_volume){0};
    if (blocks == 0) return true;
    if (!dr_memory_reserve(relax->allocator, (void **)&relax->partial, &relax->partial_capacity, 5 * blocks,
                           sizeof(double))) {
        return false;
    }
    density_job job = {.in = in, .grid = grid, .source = source, .blocks = blocks, .partial = relax->partial};
    for (size_t i = 0; i < 2; i++) job.to[i] = spare + i * items;
    dr_par_for(par, blocks, 16, excess_blocks, &job);
    for (size_t k = 0; k < SMOOTHINGS; k++) {
        for (size_t i = 0; i < 2; i++) {
            job.from[i] = job.to[i];
            job.to[i] = spare + (2 * ((k + 1) % 2) + i) * items;
        }
        dr_par_for(par, blocks, 16, smooth_blocks, &job);
    }
    for (size_t i = 0; i < 2; i++) job.from[i] = job.to[i];
    dr_par_for(par, blocks, 16, part_blocks, &job);
    job.even = even_rate(&job);
    dr_par_for(par, blocks, 16, source_blocks, &job);
    read_report(&job, report);
    return true;
}
