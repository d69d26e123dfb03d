// The next coarser level of the pressure multigrid. docs/theory/pressure.md, section 4.
//   blocks are in Morton order, so the up to eight children of a coarse block lie next to each other
//   two coarse blocks are neighbours when a child of one has a child of the other at its side: no link, no neighbour
//   cells without couplings are solved by one relaxation and are not carried on
#include "linear/level.h"

#include <string.h>

static bool block_coupled(const dr_level *level, size_t block)
{
    int32_t stencil = level->stencil_of[block];
    if (stencil < 0) return level->uniform[block].link > 0.0F;
    const float *rows = level->stencil + (size_t)stencil * DR_LEVEL_STENCIL;
    float sum = 0.0F;
    for (int slab = 0; slab < 8; slab++) {
        const float *at = rows + slab * 8 * DR_TERM_COUNT;
        for (int n = 0; n < 8 * DR_TERM_INVERSE; n++) sum += at[n];
    }
    return sum > 0.0F;
}

static void mark_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_level *fine = user;
    for (size_t b = begin; b < end; b++) fine->place[b] = block_coupled(fine, b) ? 0 : -1;
}

static size_t count_parents(const dr_level *fine)
{
    size_t count = 0;
    uint64_t last = UINT64_MAX;
    for (size_t b = 0; b < fine->block_count; b++) {
        if (fine->place[b] < 0 || fine->key[b] >> 3 == last) continue;
        last = fine->key[b] >> 3;
        count++;
    }
    return count;
}

static void list_parents(dr_level *fine, dr_level *coarse)
{
    size_t count = 0;
    for (size_t b = 0; b < fine->block_count; b++) {
        if (fine->place[b] < 0) continue;
        uint64_t key = fine->key[b] >> 3;
        if (count == 0 || coarse->key[count - 1] != key) coarse->key[count++] = key;
        fine->place[b] = (int32_t)(8 * (count - 1) + (fine->key[b] & 7));
    }
    coarse->block_count = count;
}

static void link_parents(const dr_level *fine, dr_level *coarse)
{
    memset(coarse->neighbour, -1, 6 * coarse->block_count * sizeof *coarse->neighbour);
    for (size_t b = 0; b < fine->block_count; b++) {
        int32_t place = fine->place[b];
        if (place < 0) continue;
        for (int n = 0; n < 6; n++) {
            unsigned bit = 4U >> (n / 2), upper = (unsigned)n & 1U;
            bool outside = (fine->fold & bit) || ((((unsigned)place & bit) != 0) == (upper != 0));
            int32_t other = fine->neighbour[6 * b + (size_t)n];
            if (!outside || other < 0 || fine->place[other] < 0) continue;
            coarse->neighbour[6 * (size_t)(place >> 3) + (size_t)n] = fine->place[other] >> 3;
        }
    }
}

// ---- which coarse blocks are uniform

static bool same_row(const dr_level_uniform *a, const dr_level_uniform *b)
{
    return a->link == b->link && a->ground == b->ground;
}

static int copies_of(unsigned fold)
{
    return (fold & 4 ? 2 : 1) * (fold & 2 ? 2 : 1) * (fold & 1 ? 2 : 1);
}

// Children from `first` on that share its parent; those that are uniform and equal are counted.
static size_t scan_children(const dr_level *fine, size_t first, int *alike)
{
    size_t b = first;
    *alike = 0;
    for (; b < fine->block_count && fine->key[b] >> 3 == fine->key[first] >> 3; b++) {
        bool uniform = fine->stencil_of[b] < 0 && fine->stencil_of[first] < 0 && !fine->touched[b];
        if (uniform && same_row(&fine->uniform[b], &fine->uniform[first])) *alike += copies_of(fine->fold);
    }
    return b;
}

static size_t sort_kinds(const dr_level *fine, dr_level *coarse)
{
    int32_t stencils = 0;
    for (size_t b = 0; b < fine->block_count;) {
        int alike;
        size_t first = b;
        b = scan_children(fine, first, &alike);
        size_t child = first;
        while (child < b && fine->place[child] < 0) child++;
        if (child == b) continue;
        size_t parent = (size_t)(fine->place[child] >> 3);
        const dr_level_uniform *row = &fine->uniform[first];
        coarse->stencil_of[parent] = alike == 8 ? -1 : stencils++;
        coarse->uniform[parent] = (dr_level_uniform){0};
        if (alike != 8) continue;
        float link = 2.0F * row->link, ground = 8.0F * row->ground; // ground of a uniform block is compressible
        coarse->uniform[parent] = (dr_level_uniform){link, 1.0F / (6.0F * link + ground), ground};
    }
    return (size_t)stencils;
}

// ---- rows of the coarse blocks that are not

// Seven terms and the mass of the eight coarse cells that a fine block becomes.
typedef struct octet {
    float term[8][DR_TERM_COUNT];
    float mass[8];
} octet;

// The far neighbour of a fine cell lies outside its pair: below for even k (odd == 0), above for odd k. The coarse cell
// of its pair has the parity of `pair`.
static dr_level_term far_becomes(int odd, int pair)
{
    return odd == pair ? DR_TERM_FAR : DR_TERM_NEAR;
}

static void add_cell(const float *rows, const float *mass, int item, octet *sum)
{
    if (!dr_level_coupled(rows, item)) return;
    int colour = item >> 5, i = item >> 3 & 3, j = item >> 1 & 3, pair = item & 1;
    float term[DR_TERM_COUNT], own_mass = mass ? mass[item] : 0.0F;
    for (int t = 0; t < DR_TERM_COUNT; t++) term[t] = 0.5F * rows[dr_level_term_item(item, (dr_level_term)t)];
    int cell = 4 * (i >> 1) + 2 * (j >> 1) + pair;
    float *to = sum->term[cell];
    dr_level_term x = i & 1 ? DR_TERM_X_HIGH : DR_TERM_X_LOW, y = j & 1 ? DR_TERM_Y_HIGH : DR_TERM_Y_LOW;
    to[x] += term[x];
    to[y] += term[y];
    to[far_becomes((i + j + colour) & 1, pair)] += term[DR_TERM_FAR];
    to[DR_TERM_GROUND] += term[DR_TERM_GROUND] + 0.5F * own_mass;
    sum->mass[cell] += own_mass;
}

static void add_uniform(const dr_level_uniform *row, octet *sum)
{
    for (int cell = 0; cell < 8; cell++) {
        for (int t = DR_TERM_X_LOW; t <= DR_TERM_FAR; t++) sum->term[cell][t] = 2.0F * row->link;
        sum->term[cell][DR_TERM_GROUND] = sum->mass[cell] = 8.0F * row->ground;
    }
}

static void put_octet(dr_level *coarse, int32_t stencil, int octant, const octet *sum)
{
    float *rows = coarse->stencil + (size_t)stencil * DR_LEVEL_STENCIL;
    float *mass = coarse->mass + (size_t)stencil * DR_LEVEL_CELLS;
    for (int cell = 0; cell < 8; cell++) {
        int i = (octant >> 1 & 2) + (cell >> 2), j = (octant & 2) + (cell >> 1 & 1), k = 2 * (octant & 1) + (cell & 1);
        int item = dr_level_item(i, j, k);
        for (int t = 0; t < DR_TERM_COUNT; t++) rows[dr_level_term_item(item, (dr_level_term)t)] = sum->term[cell][t];
        if (coarse->compressible) mass[item] = sum->mass[cell];
    }
}

typedef struct pair {
    const dr_level *fine;
    dr_level *coarse;
} pair;

static void fill_block(const pair *levels, size_t block)
{
    const dr_level *fine = levels->fine;
    int32_t place = fine->place[block];
    if (place < 0 || fine->touched[block] || levels->coarse->stencil_of[place >> 3] < 0) return;
    octet sum = {0};
    int32_t stencil = fine->stencil_of[block];
    if (stencil < 0) {
        add_uniform(&fine->uniform[block], &sum);
    } else {
        const float *rows = fine->stencil + (size_t)stencil * DR_LEVEL_STENCIL;
        const float *mass = fine->compressible ? fine->mass + (size_t)stencil * DR_LEVEL_CELLS : NULL;
        for (int item = 0; item < DR_LEVEL_CELLS; item++) add_cell(rows, mass, item, &sum);
    }
    for (unsigned copy = 0; copy < 8; copy++) {
        if (copy & ~fine->fold) continue;
        put_octet(levels->coarse, levels->coarse->stencil_of[place >> 3], (place & 7) | (int)copy, &sum);
    }
}

static void fill_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) fill_block(user, b);
}

static void invert_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_level *coarse = user;
    for (size_t s = begin; s < end; s++) dr_level_invert(coarse->stencil + s * DR_LEVEL_STENCIL);
}

bool dr_level_coarsen(dr_level *fine, const dr_allocator *allocator, const dr_par *par, dr_level *coarse)
{
    dr_par_for(par, fine->block_count, DR_LEVEL_GRAIN, mark_piece, fine);
    coarse->block_count = coarse->stencil_count = 0;
    coarse->compressible = fine->compressible;
    size_t count = count_parents(fine);
    if (count == 0) return true;
    if (!dr_level_reserve_blocks(coarse, allocator, count)) return false;
    list_parents(fine, coarse);
    link_parents(fine, coarse);
    if (!dr_level_aggregate(fine, allocator, par)) return false;
    dr_level_find_targets(fine, coarse);
    size_t stencils = sort_kinds(fine, coarse);
    if (!dr_level_reserve_stencils(coarse, allocator, stencils)) return false;
    coarse->stencil_count = stencils;
    if (stencils) memset(coarse->stencil, 0, stencils * DR_LEVEL_STENCIL * sizeof *coarse->stencil);
    if (stencils) memset(coarse->mass, 0, stencils * DR_LEVEL_CELLS * sizeof *coarse->mass);
    memset(coarse->b, 0, coarse->block_count * DR_LEVEL_CELLS * sizeof *coarse->b);
    pair levels = {fine, coarse};
    dr_par_for(par, fine->block_count, DR_LEVEL_GRAIN, fill_piece, &levels);
    dr_level_add_touched(fine, coarse);
    dr_par_for(par, stencils, DR_LEVEL_GRAIN, invert_piece, coarse);
    return true;
}
