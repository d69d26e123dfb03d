// docs/theory/liquid.md, eq. (10)-(12), (15)-(17). Lengths are in cells, from the lowest corner of one of the piece's
// blocks.
//   r   what a face feels of a rigid motion: its axis e, and x cross e
//   G   sum of m r r^T, 21 numbers of its lower triangle      b  sum of m r (before - velocity)
// Sums go per part of a block and then over parts in their order: the same bits for any number of threads.
#include "liquid/balance.h"

#include "grid/halo.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { GRAIN = 32, MOTIONS = 6, PAIRS = 21, SHIFT = PAIRS + MOTIONS, SUMS = SHIFT + 3 };

void dr_balance_open(dr_balance *balance, const dr_allocator *allocator)
{
    *balance = (dr_balance){0};
    dr_flood_open(&balance->flood, allocator);
}

void dr_balance_close(dr_balance *balance)
{
    const dr_allocator *allocator = balance->flood.allocator;
    dr_flood_close(&balance->flood);
    dr_memory_free(allocator, balance->sum, balance->sum_capacity * SUMS * sizeof *balance->sum);
    dr_memory_free(allocator, balance->touched, balance->touched_capacity * sizeof *balance->touched);
    dr_memory_free(allocator, balance->reference, balance->reference_capacity * sizeof *balance->reference);
    dr_memory_free(allocator, balance->piece, balance->piece_capacity * sizeof *balance->piece);
    dr_memory_free(allocator, balance->gained, balance->gained_capacity * 3 * sizeof *balance->gained);
    dr_memory_free(allocator, balance->slot, balance->slot_capacity * sizeof *balance->slot);
    dr_memory_free(allocator, balance->slot_sum, balance->slot_sum_capacity * SUMS * sizeof *balance->slot_sum);
    dr_memory_free(allocator, balance->slot_piece, balance->slot_piece_capacity * sizeof *balance->slot_piece);
    dr_balance_open(balance, allocator);
}

static bool reserve_parts(dr_balance *balance, size_t parts, size_t pieces)
{
    return dr_memory_reserve(balance->flood.allocator, (void **)&balance->sum, &balance->sum_capacity, parts,
                             SUMS * sizeof *balance->sum) &&
           dr_memory_reserve(balance->flood.allocator, (void **)&balance->touched, &balance->touched_capacity, parts,
                             sizeof *balance->touched) &&
           dr_memory_reserve(balance->flood.allocator, (void **)&balance->reference, &balance->reference_capacity,
                             pieces, sizeof *balance->reference);
}

typedef struct job {
    dr_balance *balance;
    const dr_grid *grid;
    const dr_balance_problem *problem;
    float *velocity;
} job;

// ---- pieces of liquid

static bool is_wet(const dr_balance_problem *problem, size_t item)
{
    const float *mass = problem->mass + 4 * item;
    return mass[0] > problem->least || mass[1] > problem->least || mass[2] > problem->least;
}

static void mark_wet(const void *user, size_t block, dr_component_block *mask)
{
    const dr_balance_problem *problem = user;
    if (problem->wet && !problem->wet[block]) return;
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        size_t item = block * DR_BLOCK_NODES + (size_t)c;
        if (!is_wet(problem, item)) continue;
        mask->unknown |= 1ULL << c;
        if (problem->touch && problem->touch[item] & DR_TOUCH_FIRM) mask->ground |= 1ULL << c;
    }
}

static bool find_pieces(job *work, const dr_par *par)
{
    const dr_flood_problem wet = {.mark = mark_wet, .user = work->problem};
    const dr_components *components = &work->balance->flood.components;
    return dr_flood_find(&work->balance->flood, work->grid, par, &wet) &&
           reserve_parts(work->balance, components->part_count, components->floating_count);
}

// One block of every free piece.
static void find_references(dr_balance *balance)
{
    const dr_components *components = &balance->flood.components;
    for (size_t b = 0; b < components->block_count; b++) {
        for (uint32_t p = components->first[b]; p < components->first[b + 1]; p++) {
            if (components->floating[p] >= 0 && components->root[p] == p)
                balance->reference[components->floating[p]] = (uint32_t)b;
        }
    }
}

// ---- sums

// Item c of a block from its piece's reference.
static void find_place(const job *work, size_t block, int32_t piece, int c, double x[3])
{
    const int32_t *here = work->grid->coordinate + 3 * block;
    const int32_t *there = work->grid->coordinate + 3 * (size_t)work->balance->reference[piece];
    const int local[3] = {c >> 4, c >> 2 & 3, c & 3};
    for (int a = 0; a < 3; a++) x[a] = (double)(DR_BLOCK_SIDE * (here[a] - there[a]) + local[a]) + 0.5;
}

// r of the face below a cell's middle along an axis, eq. (10).
static void find_share(const double middle[3], int axis, double r[MOTIONS])
{
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    memset(r, 0, MOTIONS * sizeof *r);
    r[axis] = 1.0;
    r[3 + next] = middle[last]; // (x cross e) along the next axis
    r[3 + last] = -middle[next];
}

// A face has no part in three of the six motions.
static void add_face(double sum[SUMS], const double r[MOTIONS], int axis, double mass, double missing)
{
    static const int parts[3][3] = {{0, 4, 5}, {1, 3, 5}, {2, 3, 4}};
    const int *part = parts[axis];
    for (int i = 0; i < 3; i++) {
        double *row = sum + part[i] * (part[i] + 1) / 2;
        for (int j = 0; j <= i; j++) row[part[j]] += mass * r[part[i]] * r[part[j]];
        sum[PAIRS + part[i]] += mass * r[part[i]] * missing;
    }
}

static void sum_part(const job *work, size_t block, uint32_t part)
{
    const dr_balance_problem *problem = work->problem;
    int32_t piece = work->balance->flood.components.floating[part];
    double *sum = work->balance->sum + SUMS * (size_t)part, middle[3], r[MOTIONS];
    uint8_t touched = 0;
    memset(sum, 0, SUMS * sizeof *sum);
    for (uint64_t mask = work->balance->flood.components.mask[part]; mask; mask &= mask - 1) {
        int c = __builtin_ctzll(mask);
        size_t item = block * DR_BLOCK_NODES + (size_t)c;
        find_place(work, block, piece, c, middle);
        if (problem->touch) touched |= problem->touch[item];
        for (int a = 0; a < 3; a++) {
            size_t face = 4 * item + (size_t)a;
            if (!(problem->mass[face] > problem->least)) continue;
            find_share(middle, a, r);
            add_face(sum, r, a, (double)problem->mass[face],
                     (double)problem->before[face] - (double)work->velocity[face]);
            if (problem->shift) sum[SHIFT + a] += (double)problem->mass[face] * (double)problem->shift[face];
        }
    }
    work->balance->touched[part] = touched;
}

static void sum_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *work = user;
    const dr_components *components = &work->balance->flood.components;
    for (size_t b = begin; b < end; b++) {
        for (uint32_t p = components->first[b]; p < components->first[b + 1]; p++) {
            if (components->floating[p] >= 0) sum_part(work, b, p);
        }
    }
}

// Parts are numbered after their piece's root, and pieces in the order of their roots: a piece's sums never lie beyond
// those of its own parts that are still to be read.
static void join_parts(dr_balance *balance)
{
    const dr_components *components = &balance->flood.components;
    for (size_t p = 0; p < components->part_count; p++) {
        int32_t piece = components->floating[p];
        if (piece < 0) continue;
        double *into = balance->sum + SUMS * (size_t)piece;
        const double *from = balance->sum + SUMS * p;
        bool root = components->root[p] == p;
        if (root) {
            memmove(into, from, SUMS * sizeof *into);
            balance->touched[piece] = balance->touched[p];
            continue;
        }
        for (int i = 0; i < SUMS; i++) into[i] += from[i];
        balance->touched[piece] |= balance->touched[p];
    }
}

// ---- the rigid motion that is missing

static void find_free(const dr_grid *grid, uint8_t touched, bool kept[MOTIONS])
{
    bool turns[3];
    for (int a = 0; a < 3; a++) {
        kept[a] = !(touched >> a & 1);
        turns[a] = kept[a] && grid->period[a] == 0;
    }
    for (int a = 0; a < 3; a++) kept[3 + a] = turns[(a + 1) % 3] && turns[(a + 2) % 3];
}

// Solves G s = b by Cholesky, in the rows that are free; eq. (12). s takes the place of b.
static void solve_motion(const double *sum, const bool kept[MOTIONS], double s[MOTIONS])
{
    double l[MOTIONS][MOTIONS] = {{0.0}};
    for (int i = 0, at = 0; i < MOTIONS; i++) {
        for (int j = 0; j <= i; j++, at++) {
            l[i][j] = kept[i] && kept[j] ? sum[at] : i == j ? 1.0 : 0.0;
            for (int k = 0; k < j; k++) l[i][j] -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(l[i][j]) : l[i][j] / l[j][j];
        }
    }
    for (int i = 0; i < MOTIONS; i++) {
        s[i] = kept[i] ? sum[PAIRS + i] : 0.0;
        for (int k = 0; k < i; k++) s[i] -= l[i][k] * s[k];
        s[i] /= l[i][i];
    }
    for (int i = MOTIONS - 1; i >= 0; i--) {
        for (int k = i + 1; k < MOTIONS; k++) s[i] -= l[k][i] * s[k];
        s[i] /= l[i][i];
    }
}

// eq. (15): G begins with the mass on the faces of each axis.
static void find_drift(double *sum, const bool kept[MOTIONS])
{
    for (int a = 0; a < 3; a++) {
        double mass = sum[a * (a + 1) / 2 + a];
        sum[SHIFT + a] = kept[a] && mass > 0.0 ? sum[SHIFT + a] / mass : 0.0;
    }
}

static void solve_pieces(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *work = user;
    for (size_t i = begin; i < end; i++) {
        double *sum = work->balance->sum + SUMS * i, s[MOTIONS];
        bool kept[MOTIONS];
        find_free(work->grid, work->balance->touched[i], kept);
        find_drift(sum, kept);
        solve_motion(sum, kept, s);
        bool finite = true;
        for (int k = 0; k < MOTIONS; k++) finite = finite && isfinite(s[k]);
        for (int k = 0; k < MOTIONS; k++) sum[k] = finite ? s[k] : 0.0;
    }
}

// What rounding takes from one face goes to the next: a correction far smaller than the last digit of a velocity would
// otherwise be lost in every face alike. A face takes no more than a few roundings of its own.
static float add_rounded(float velocity, double change, double mass, double *carry)
{
    double most = 4.0 * (double)FLT_EPSILON * fabs((double)velocity), share = mass > 0.0 ? *carry / mass : 0.0;
    if (!(fabs(share) <= most)) share = 0.0;
    float result = (float)((double)velocity + change + share);
    *carry += mass * ((double)velocity + change - (double)result);
    return result;
}

static void move_part(const job *work, size_t block, uint32_t part)
{
    int32_t piece = work->balance->flood.components.floating[part];
    const double *s = work->balance->sum + SUMS * (size_t)piece;
    double middle[3], r[MOTIONS], carry[3] = {0.0, 0.0, 0.0};
    for (uint64_t mask = work->balance->flood.components.mask[part]; mask; mask &= mask - 1) {
        int c = __builtin_ctzll(mask);
        find_place(work, block, piece, c, middle);
        for (int a = 0; a < 3; a++) {
            size_t face = 4 * (block * DR_BLOCK_NODES + (size_t)c) + (size_t)a;
            double change = 0.0;
            find_share(middle, a, r);
            for (int k = 0; k < MOTIONS; k++) change += r[k] * s[k];
            work->velocity[face] =
                add_rounded(work->velocity[face], change, (double)work->problem->mass[face], &carry[a]);
            if (work->problem->shift) work->problem->shift[face] -= (float)s[SHIFT + a];
        }
    }
}

static void move_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *work = user;
    const dr_components *components = &work->balance->flood.components;
    for (size_t b = begin; b < end; b++) {
        for (uint32_t p = components->first[b]; p < components->first[b + 1]; p++) {
            if (components->floating[p] >= 0) move_part(work, b, p);
        }
    }
}

bool dr_balance_restore(dr_balance *balance, const dr_grid *grid, const dr_par *par, const dr_balance_problem *problem,
                        float *velocity)
{
    job work = {balance, grid, problem, velocity};
    if (grid->block_count == 0) return true;
    if (!find_pieces(&work, par)) return false;
    if (balance->flood.components.floating_count == 0) return true;
    find_references(balance);
    dr_par_for(par, grid->block_count, GRAIN, sum_blocks, &work);
    join_parts(balance);
    dr_par_for(par, balance->flood.components.floating_count, GRAIN, solve_pieces, &work);
    dr_par_for(par, grid->block_count, GRAIN, move_blocks, &work);
    return true;
}

// ---- particles

// Pieces that particles of one block may be of: each has cells of its own among the block's and those just above it.
enum { PIECES = 27 };

typedef struct turning {
    dr_balance *balance;
    const dr_grid *grid;
    dr_particles *particles;
} turning;

// Planes may leave a piece no axis to turn about: what it gained stays with them.
static bool may_turn(const turning *work, int32_t piece)
{
    bool kept[MOTIONS];
    if (piece < 0) return false;
    find_free(work->grid, work->balance->touched[piece], kept);
    return kept[3] || kept[4] || kept[5];
}

// The piece of a cell that is free to turn, -1 where there is none.
static int32_t find_piece(const turning *work, int64_t cell)
{
    const dr_components *components = &work->balance->flood.components;
    if (cell < 0) return -1;
    size_t block = (size_t)cell / DR_BLOCK_NODES;
    for (uint32_t p = components->first[block]; p < components->first[block + 1]; p++) {
        if (!(components->mask[p] >> (cell % DR_BLOCK_NODES) & 1)) continue;
        return may_turn(work, components->floating[p]) ? components->floating[p] : -1;
    }
    return -1;
}

static bool has_free(const turning *work, size_t block)
{
    const dr_components *components = &work->balance->flood.components;
    for (int n = 13; n < 27; n++) { // the block itself and those after it, among them all that its particles touch
        int32_t near = work->grid->neighbour[27 * block + (size_t)n];
        if (near < 0) continue;
        for (uint32_t p = components->first[near]; p < components->first[near + 1]; p++) {
            if (may_turn(work, components->floating[p])) return true;
        }
    }
    return false;
}

// The middle one of the x faces that a particle touches.
static int32_t piece_of(const turning *work, size_t block, size_t p)
{
    const float *offset = work->particles->offset + 3 * p;
    int x = (int)(offset[0] + 0.5F) + 1, y = (int)offset[1] + 1, z = (int)offset[2] + 1;
    return find_piece(work, dr_halo_find(work->grid, block, x, y, z));
}

static void assign_block(const turning *work, size_t block)
{
    const uint32_t *first = work->particles->residents.first;
    dr_balance *balance = work->balance;
    int32_t found[PIECES];
    uint32_t count = 0;
    bool any = first[block] < first[block + 1] && has_free(work, block);
    for (size_t p = first[block]; p < first[block + 1]; p++) {
        int32_t piece = any ? piece_of(work, block, p) : -1;
        uint32_t k = 0;
        while (piece >= 0 && k < count && found[k] != piece) k++;
        if (k == PIECES) piece = -1;
        if (piece >= 0 && k == count) found[count++] = piece;
        balance->piece[p] = piece;
    }
    balance->slot[block + 1] = count;
}

static void assign_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) assign_block(user, b);
}

bool dr_balance_assign(dr_balance *balance, const dr_grid *grid, const dr_par *par, const dr_particles *particles)
{
    const dr_allocator *allocator = balance->flood.allocator;
    dr_particles seen = *particles;
    turning work = {balance, grid, &seen};
    size_t blocks = grid->block_count;
    balance->slots = 0;
    if (blocks == 0 || balance->flood.components.floating_count == 0) return true;
    if (!dr_memory_reserve(allocator, (void **)&balance->piece, &balance->piece_capacity, particles->count,
                           sizeof *balance->piece) ||
        !dr_memory_reserve(allocator, (void **)&balance->gained, &balance->gained_capacity, particles->count,
                           3 * sizeof *balance->gained) ||
        !dr_memory_reserve(allocator, (void **)&balance->slot, &balance->slot_capacity, blocks + 1,
                           sizeof *balance->slot))
        return false;
    dr_par_for(par, blocks, GRAIN, assign_blocks, &work);
    balance->slot[0] = 0;
    for (size_t b = 0; b < blocks; b++) balance->slot[b + 1] += balance->slot[b];
    balance->slots = balance->slot[blocks];
    return dr_memory_reserve(allocator, (void **)&balance->slot_sum, &balance->slot_sum_capacity, balance->slots,
                             SUMS * sizeof *balance->slot_sum) &&
           dr_memory_reserve(allocator, (void **)&balance->slot_piece, &balance->slot_piece_capacity, balance->slots,
                             sizeof *balance->slot_piece);
}

float *dr_balance_gained(const dr_balance *balance)
{
    return balance->slots > 0 ? balance->gained : NULL;
}

static void find_particle(const turning *work, int32_t piece, size_t p, double x[3])
{
    int32_t here[3];
    const int32_t *there = work->grid->coordinate + 3 * (size_t)work->balance->reference[piece];
    dr_grid_coordinate(work->particles->key[p], here);
    for (int a = 0; a < 3; a++)
        x[a] = (double)(DR_BLOCK_SIDE * (here[a] - there[a])) + (double)work->particles->offset[3 * p + (size_t)a] +
               DR_GRID_SHIFT;
}

// Three faces at its place, and the variance of the kernel, 1/4 cell^2 across each axis of two of them.
static void add_particle(const turning *work, int32_t piece, size_t p, double sum[SUMS])
{
    const float *gained = work->balance->gained + 3 * p;
    double x[3], r[MOTIONS], mass = (double)work->particles->mass[p], per_cell = 1.0 / work->grid->cell;
    find_particle(work, piece, p, x);
    for (int a = 0; a < 3; a++) {
        find_share(x, a, r);
        add_face(sum, r, a, mass, 0.0);
        sum[(3 + a) * (4 + a) / 2 + 3 + a] += 0.5 * mass;
        sum[PAIRS + 3 + a] -= per_cell * mass * (double)gained[a];
    }
}

static void sum_particles(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const turning *work = user;
    dr_balance *balance = work->balance;
    const uint32_t *first = work->particles->residents.first;
    for (size_t b = begin; b < end; b++) {
        uint32_t used = balance->slot[b];
        for (size_t p = first[b]; p < first[b + 1] && balance->slot[b] < balance->slot[b + 1]; p++) {
            int32_t piece = balance->piece[p];
            uint32_t k = balance->slot[b];
            if (piece < 0) continue;
            while (k < used && balance->slot_piece[k] != piece) k++;
            double *sum = balance->slot_sum + SUMS * (size_t)k;
            if (k == used) {
                balance->slot_piece[used++] = piece;
                memset(sum, 0, SUMS * sizeof *sum);
            }
            add_particle(work, piece, p, sum);
        }
    }
}

static void join_slots(dr_balance *balance)
{
    memset(balance->sum, 0, balance->flood.components.floating_count * SUMS * sizeof *balance->sum);
    for (size_t k = 0; k < balance->slots; k++) {
        double *into = balance->sum + SUMS * (size_t)balance->slot_piece[k];
        for (int i = 0; i < SUMS; i++) into[i] += balance->slot_sum[SUMS * k + (size_t)i];
    }
}

// The rigid motion of a piece at a particle, eq. (17).
static void turn_particle(const turning *work, int32_t piece, size_t p)
{
    const double *s = work->balance->sum + SUMS * (size_t)piece, *spin = s + 3;
    float *velocity = work->particles->velocity + 3 * p, *affine = work->particles->affine + 9 * p;
    double x[3], per_cell = 1.0 / work->grid->cell;
    find_particle(work, piece, p, x);
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        velocity[a] += (float)(s[a] + spin[b] * x[c] - spin[c] * x[b]);
        affine[3 * c + b] += (float)(per_cell * spin[a]);
        affine[3 * b + c] -= (float)(per_cell * spin[a]);
    }
}

static void turn_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const turning *work = user;
    const dr_balance *balance = work->balance;
    const uint32_t *first = work->particles->residents.first;
    for (size_t b = begin; b < end; b++) {
        for (size_t p = first[b]; p < first[b + 1] && balance->slot[b] < balance->slot[b + 1]; p++) {
            if (balance->piece[p] >= 0) turn_particle(work, balance->piece[p], p);
        }
    }
}

void dr_balance_turn(dr_balance *balance, const dr_grid *grid, const dr_par *par, dr_particles *particles)
{
    turning work = {balance, grid, particles};
    job solving = {balance, grid, NULL, NULL};
    if (grid->block_count == 0 || !dr_balance_gained(balance)) return;
    dr_par_for(par, grid->block_count, GRAIN, sum_particles, &work);
    join_slots(balance);
    dr_par_for(par, balance->flood.components.floating_count, GRAIN, solve_pieces, &solving);
    dr_par_for(par, grid->block_count, GRAIN, turn_blocks, &work);
}
