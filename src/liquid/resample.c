// Split and merge. docs/theory/resample.md, eq. (3)-(6).
//   D = h^2/4  second moment of the quadratic kernel       B = m C D  affine momentum
// Deciding is done in parallel and changes nothing; the few particles that change are then treated one by one.
#include "liquid/resample.h"

#include "base/number.h"
#include "liquid/tuning.h"
#include "liquid/rheology_solve.h"
#include "math/random.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define PURPOSE 0x53504c4954u

void dr_resample_open(dr_resample *resample, const dr_allocator *allocator)
{
    *resample = (dr_resample){.allocator = allocator};
    dr_bins_open(&resample->bins, allocator);
}

void dr_resample_close(dr_resample *resample)
{
    const dr_allocator *allocator = resample->allocator;
    dr_bins_close(&resample->bins);
    dr_memory_free(allocator, resample->wanted, resample->capacity * sizeof *resample->wanted);
    dr_memory_free(allocator, resample->way, resample->capacity * 3 * sizeof *resample->way);
    dr_memory_free(allocator, resample->taken, resample->capacity);
    dr_memory_free(allocator, resample->merges, resample->merge_capacity * sizeof *resample->merges);
    dr_memory_free(allocator, resample->splits, resample->split_capacity * sizeof *resample->splits);
    dr_memory_free(allocator, resample->pieces, resample->piece_capacity);
    dr_resample_open(resample, allocator);
}

static bool reserve(dr_resample *resample, size_t count)
{
    if (count <= resample->capacity) return true;
    const dr_allocator *allocator = resample->allocator;
    size_t capacity = count + count / 2, old = resample->capacity;
    dr_memory_free(allocator, resample->wanted, old * sizeof *resample->wanted);
    dr_memory_free(allocator, resample->way, old * 3 * sizeof *resample->way);
    dr_memory_free(allocator, resample->taken, old);
    resample->wanted = dr_memory_resize(allocator, NULL, 0, capacity * sizeof *resample->wanted);
    resample->way = dr_memory_resize(allocator, NULL, 0, capacity * 3 * sizeof *resample->way);
    resample->taken = dr_memory_resize(allocator, NULL, 0, capacity);
    resample->capacity = capacity;
    if (resample->wanted && resample->way && resample->taken) return true;
    dr_memory_free(allocator, resample->wanted, capacity * sizeof *resample->wanted);
    dr_memory_free(allocator, resample->way, capacity * 3 * sizeof *resample->way);
    dr_memory_free(allocator, resample->taken, capacity);
    resample->wanted = NULL;
    resample->way = NULL;
    resample->taken = NULL;
    resample->capacity = 0;
    return false;
}

// ---- the plan

typedef struct plan_job {
    dr_resample *resample;
    const dr_grid *grid;
    const dr_particles *particles;
    float small, largest, reach; // cm3, cm3, cells
} plan_job;

typedef struct search {
    const plan_job *job;
    size_t p;
    float nearest;
    uint32_t found;
    float way[3];
} search;

// The nearest of those that may take it in; of equally near ones the older.
static void consider(void *user, uint32_t q, const float offset[3])
{
    search *s = user;
    const dr_particles *particles = s->job->particles;
    float distance = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
    if (distance > s->nearest || particles->body[q] != particles->body[s->p]) return;
    if (particles->volume[q] + particles->volume[s->p] > s->job->largest) return;
    if (distance == s->nearest && s->found != s->p && particles->id[q] > particles->id[s->found]) return;
    s->nearest = distance;
    s->found = q;
    for (int a = 0; a < 3; a++) s->way[a] = offset[a];
}

static void search_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const plan_job *job = user;
    for (size_t p = begin; p < end; p++) {
        search s = {.job = job, .p = p, .nearest = job->reach * job->reach, .found = (uint32_t)p};
        if (job->particles->volume[p] < job->small) {
            dr_bins_visit(&job->resample->bins, job->grid, job->particles, p, job->reach, consider, &s);
        }
        job->resample->wanted[p] = s.found;
        memcpy(job->resample->way + 3 * p, s.way, sizeof s.way);
    }
}

static bool plan_merge(dr_resample *resample, uint32_t p)
{
    uint32_t q = resample->wanted[p];
    if (q == p || resample->taken[p] || resample->taken[q]) return true;
    if (!dr_memory_reserve(resample->allocator, (void **)&resample->merges, &resample->merge_capacity,
                           resample->merge_count + 1, sizeof *resample->merges)) {
        return false;
    }
    const float *way = resample->way + 3 * (size_t)p;
    resample->taken[p] = resample->taken[q] = 1;
    resample->merges[resample->merge_count++] = (dr_merge){p, q, {-way[0], -way[1], -way[2]}};
    return true;
}

static bool plan_split(dr_resample *resample, uint32_t p, double share)
{
    size_t count = resample->split_count + 1;
    if (!dr_memory_reserve(resample->allocator, (void **)&resample->splits, &resample->split_capacity, count,
                           sizeof *resample->splits) ||
        !dr_memory_reserve(resample->allocator, (void **)&resample->pieces, &resample->piece_capacity, count, 1)) {
        return false;
    }
    double pieces = fmin(DR_RESAMPLE_PIECES, ceil(share));
    resample->splits[resample->split_count] = p;
    resample->pieces[resample->split_count++] = (uint8_t)pieces;
    resample->fresh_count += (size_t)pieces - 1;
    return true;
}

double dr_resample_quantum(double reference)
{
    int exponent;
    frexp(4.0 * reference, &exponent);
    return ldexp(1.0, exponent - 24);
}

bool dr_resample_plan(dr_resample *resample, const dr_grid *grid, const dr_par *par, const dr_particles *particles,
                      double reference)
{
    resample->merge_count = resample->split_count = resample->fresh_count = 0;
    resample->reference = reference;
    if (!reserve(resample, particles->count)) return false;
    if (!dr_bins_build(&resample->bins, grid, par, particles)) return false;
    double radius = cbrt(reference * 3.0 / (4.0 * DR_PI)) / grid->cell, reach = fmin(1.0, 2.0 * radius);
    plan_job job = {
        resample,    grid, particles, (float)(DR_RESAMPLE_MERGE * reference), (float)(DR_RESAMPLE_ACCEPT * reference),
        (float)reach};
    dr_par_for(par, particles->count, 1024, search_particles, &job);
    if (particles->count) memset(resample->taken, 0, particles->count);
    for (size_t p = 0; p < particles->count; p++) {
        double share = (double)particles->volume[p] / reference;
        if (share > DR_RESAMPLE_SPLIT && !plan_split(resample, (uint32_t)p, share)) return false;
        if (share < DR_RESAMPLE_MERGE && !plan_merge(resample, (uint32_t)p)) return false;
    }
    return true;
}

// ---- carrying it out

// Puts a particle of the block of key to an offset that may lie outside of the block.
static void put(const dr_grid *grid, dr_particles *particles, size_t p, uint64_t key, const double offset[3])
{
    int32_t coordinate[3];
    dr_grid_coordinate(key, coordinate);
    for (int a = 0; a < 3; a++) {
        double blocks = floor(offset[a] / DR_BLOCK_SIDE);
        coordinate[a] = dr_grid_wrap(grid, a, coordinate[a] + (int64_t)blocks);
        particles->offset[3 * p + (size_t)a] = dr_grid_inside(offset[a] - DR_BLOCK_SIDE * blocks);
    }
    particles->key[p] = dr_grid_key(coordinate);
}

// One partner's part of the whole: eq. (6).
typedef struct part {
    double mass, share; // share of the mass
    double x[3];        // cells, from the offset of `into`
    const float *velocity, *affine;
    double volume;
} part;

static void join(const part parts[2], double cell, double x[3], double velocity[3], double affine[9])
{
    double second = 0.25 * cell * cell;
    for (int a = 0; a < 3; a++) {
        x[a] = parts[0].share * parts[0].x[a] + parts[1].share * parts[1].x[a];
        velocity[a] = parts[0].share * (double)parts[0].velocity[a] + parts[1].share * (double)parts[1].velocity[a];
    }
    for (int i = 0; i < 9; i++) affine[i] = 0.0;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 9; i++) {
            double u = (double)parts[k].velocity[i / 3] - velocity[i / 3], d = cell * (parts[k].x[i % 3] - x[i % 3]);
            affine[i] += parts[k].share * ((double)parts[k].affine[i] + u * d / second);
        }
    }
}

static part take_part(const dr_particles *particles, size_t p, double mass)
{
    return (part){.mass = (double)particles->mass[p],
                  .share = mass > 0.0 ? (double)particles->mass[p] / mass : 0.5,
                  .velocity = particles->velocity + 3 * p,
                  .affine = particles->affine + 9 * p,
                  .volume = (double)particles->volume[p]};
}

static void merge(const dr_grid *grid, dr_particles *particles, const dr_merge *plan)
{
    size_t p = plan->into, q = plan->from;
    double mass = (double)particles->mass[p] + (double)particles->mass[q], x[3], velocity[3], affine[9];
    part parts[2] = {take_part(particles, p, mass), take_part(particles, q, mass)};
    for (int a = 0; a < 3; a++) parts[1].x[a] = (double)plan->offset[a];
    join(parts, grid->cell, x, velocity, affine);
    double volume = parts[0].volume + parts[1].volume;
    dr_thick_mean(particles, p, q, parts[0].volume / volume, parts[1].volume / volume);
    for (int i = 0; i < 9; i++) {
        particles->affine[9 * p + (size_t)i] = (float)affine[i];
    }
    for (int a = 0; a < 3; a++) {
        particles->velocity[3 * p + (size_t)a] = (float)velocity[a];
        x[a] += (double)particles->offset[3 * p + (size_t)a];
    }
    particles->mass[p] = (float)mass;
    particles->volume[p] = (float)volume;
    put(grid, particles, p, particles->key[p], x);
}

// A rotation that is even over all rotations, as a unit quaternion.
static void random_turn(uint64_t key, double turn[4])
{
    double u = dr_random_unit(key, 0), v = 2.0 * DR_PI * dr_random_unit(key, 1),
           w = 2.0 * DR_PI * dr_random_unit(key, 2);
    turn[0] = sqrt(1.0 - u) * sin(v);
    turn[1] = sqrt(1.0 - u) * cos(v);
    turn[2] = sqrt(u) * sin(w);
    turn[3] = sqrt(u) * cos(w);
}

static void rotate(const double turn[4], double x[3])
{
    double t[3];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        t[a] = 2.0 * (turn[b] * x[c] - turn[c] * x[b]);
    }
    double y[3];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        y[a] = x[a] + turn[3] * t[a] + turn[b] * t[c] - turn[c] * t[b];
    }
    memcpy(x, y, sizeof y);
}

// Pieces evenly over a sphere, moved so that their middle is the whole's: eq. (3).
static void arrange(int pieces, double radius, uint64_t key, double place[DR_RESAMPLE_PIECES][3])
{
    double turn[4], middle[3] = {0.0, 0.0, 0.0};
    random_turn(key, turn);
    for (int k = 0; k < pieces; k++) {
        double z = 1.0 - (2.0 * k + 1.0) / pieces, r = sqrt(1.0 - z * z), angle = 2.399963229728653 * k;
        place[k][0] = radius * r * cos(angle);
        place[k][1] = radius * r * sin(angle);
        place[k][2] = radius * z;
        rotate(turn, place[k]);
        for (int a = 0; a < 3; a++) middle[a] += place[k][a] / pieces;
    }
    for (int k = 0; k < pieces; k++) {
        for (int a = 0; a < 3; a++) place[k][a] -= middle[a];
    }
}

static double radius_of(double volume, double cell)
{
    return cbrt(volume * 3.0 / (4.0 * DR_PI)) / cell;
}

// eq. (4): the affine part of a piece, less what the pieces' own places and velocities carry.
static void split_affine(const float affine[9], int pieces, const double (*place)[3], float piece[9])
{
    double spread[9] = {0.0};
    for (int k = 0; k < pieces; k++) {
        for (int i = 0; i < 9; i++) spread[i] += 4.0 * place[k][i / 3] * place[k][i % 3] / pieces;
    }
    for (int i = 0; i < 9; i++) {
        double sum = (double)affine[i];
        for (int a = 0; a < 3; a++) sum -= (double)affine[i / 3 * 3 + a] * spread[3 * a + i % 3];
        piece[i] = (float)sum;
    }
}

// What all pieces have in common.
typedef struct whole {
    float velocity[3], affine[9], piece_affine[9];
    double offset[3], cell;
    uint64_t key;
} whole;

static void put_piece(const dr_grid *grid, dr_particles *particles, size_t p, const whole *w, const double place[3])
{
    double x[3];
    for (int a = 0; a < 3; a++) {
        double u = (double)w->velocity[a];
        for (int b = 0; b < 3; b++) u += (double)w->affine[3 * a + b] * w->cell * place[b];
        particles->velocity[3 * p + (size_t)a] = (float)u;
        x[a] = w->offset[a] + place[a];
    }
    memcpy(particles->affine + 9 * p, w->piece_affine, sizeof w->piece_affine);
    put(grid, particles, p, w->key, x);
}

// Of the k-th of so many pieces: the last takes what rounding left. quantum: 0 for what is no volume.
static float portion(float all, int pieces, bool last, double quantum)
{
    double share = (double)all / pieces;
    float each = (float)(quantum > 0.0 ? quantum * floor(share / quantum) : share);
    return last ? (float)((double)all - (pieces - 1) * (double)each) : each;
}

static void split(const dr_grid *grid, dr_particles *particles, size_t p, int pieces, double quantum, uint64_t step,
                  size_t fresh, uint64_t id)
{
    double place[DR_RESAMPLE_PIECES][3], volume = (double)particles->volume[p];
    double old = radius_of(volume, grid->cell), small = radius_of(volume / pieces, grid->cell);
    uint64_t key = dr_random_key(dr_random_key(particles->id[p], step), PURPOSE);
    arrange(pieces, fmin(DR_LIQUID_SPLIT_REACH, DR_RESAMPLE_SPREAD * fmax(small, old - small)), key, place);
    whole w = {.cell = grid->cell, .key = particles->key[p]};
    memcpy(w.velocity, particles->velocity + 3 * p, sizeof w.velocity);
    memcpy(w.affine, particles->affine + 9 * p, sizeof w.affine);
    for (int a = 0; a < 3; a++) w.offset[a] = (double)particles->offset[3 * p + (size_t)a];
    split_affine(w.affine, pieces, (const double(*)[3])place, w.piece_affine);
    float mass = particles->mass[p], amount = particles->volume[p];
    for (int k = 0; k < pieces; k++) {
        size_t to = k ? fresh + (size_t)k - 1 : p;
        particles->body[to] = particles->body[p];
        particles->mass[to] = portion(mass, pieces, k == pieces - 1, 0.0);
        particles->volume[to] = portion(amount, pieces, k == pieces - 1, quantum);
        if (k) particles->id[to] = id + (uint64_t)k - 1;
        dr_thick_copy(particles, p, to);
        put_piece(grid, particles, to, &w, place[k]);
    }
}

static void move_particle(dr_particles *particles, size_t from, size_t to)
{
    const dr_column_table *table = dr_particles_columns(particles);
    for (int c = 0; c < table->count; c++) {
        const dr_column *column = &table->columns[c];
        size_t bytes = dr_column_item_bytes(column);
        char *data = *dr_column_pointer(column, particles);
        memcpy(data + to * bytes, data + from * bytes, bytes);
    }
}

// Fills the holes from the end; the plan's merges are in the order of taking, so holes are marked first.
static void close_holes(dr_resample *resample, dr_particles *particles)
{
    if (resample->merge_count == 0) return;
    memset(resample->taken, 0, resample->capacity);
    for (size_t i = 0; i < resample->merge_count; i++) resample->taken[resample->merges[i].from] = 1;
    size_t last = particles->count;
    for (size_t i = 0; i < resample->merge_count; i++) {
        size_t hole = resample->merges[i].from;
        while (last > 0 && last - 1 < resample->capacity && resample->taken[last - 1]) last--;
        if (hole >= last) continue;
        move_particle(particles, --last, hole);
        resample->taken[hole] = 0;
    }
    while (last > 0 && last - 1 < resample->capacity && resample->taken[last - 1]) last--;
    particles->count = last;
}

bool dr_resample_apply(dr_resample *resample, const dr_grid *grid, dr_particles *particles, uint64_t step,
                       uint64_t *next_id)
{
    if (!dr_particles_reserve(particles, resample->allocator, particles->count + resample->fresh_count)) return false;
    size_t fresh = particles->count;
    for (size_t i = 0; i < resample->split_count; i++) {
        int pieces = resample->pieces[i];
        split(grid, particles, resample->splits[i], pieces, dr_resample_quantum(resample->reference), step, fresh,
              *next_id);
        fresh += (size_t)pieces - 1;
        *next_id += (uint64_t)pieces - 1;
    }
    particles->count = fresh;
    for (size_t i = 0; i < resample->merge_count; i++) merge(grid, particles, &resample->merges[i]);
    close_holes(resample, particles);
    return true;
}
