// Cells that do not follow their eight. docs/theory/pressure.md, section 4, "Walls and jumps".
//   eight          the 2x2x2 cells that become one coarse cell
//   strong         a link a with a^2 >= STRENGTH most_i most_j, where most is a cell's largest link
//   main cluster   of an eight: the heaviest set of cells joined by strong links; the others are apart
//   adopted        a cluster that is apart takes the coarse cell beside, to which its strongest outward link leads
#include "grid/grid.h"
#include "linear/level.h"

#include <string.h>

enum { CELLS = DR_LEVEL_CELLS };

#define STRENGTH 0.0001F // the square of the share that counts as strong
#define HELD     0.25F   // share of a cluster's largest links that its ground must have to hold it
#define OUTWARD  0.1F    // share of a cluster's largest link that a link must have to be followed

static const uint64_t eight = UINT64_C(0x330033); // cells (0|1, 0|1, 0|1)

typedef struct strengths {
    float most[CELLS];           // by cell (i*4 + j)*4 + k
    uint64_t coupled, strong[3]; // strong[a]: to the cell below along axis a, inside the same eight
} strengths;

static int item_of(int c)
{
    return dr_level_item(c >> 4, c >> 2 & 3, c & 3);
}

static dr_level_term low_term(int axis)
{
    return axis == 0 ? DR_TERM_X_LOW : axis == 1 ? DR_TERM_Y_LOW : DR_TERM_NEAR; // inside an eight k is odd
}

static void weigh_links(const float *rows, strengths *to)
{
    *to = (strengths){.coupled = 0};
    for (int c = 0; c < CELLS; c++) {
        int item = item_of(c);
        for (int term = DR_TERM_X_LOW; term <= DR_TERM_FAR; term++) {
            float link = rows[dr_level_term_item(item, (dr_level_term)term)];
            to->most[c] = link > to->most[c] ? link : to->most[c];
        }
        if (to->most[c] > 0.0F) to->coupled |= UINT64_C(1) << c;
    }
    for (int c = 0; c < CELLS; c++) {
        for (int a = 0; a < 3; a++) {
            if ((c / dr_block_stride[a] & 1) == 0) continue;
            float link = rows[dr_level_term_item(item_of(c), low_term(a))];
            bool strong = link > 0.0F && link * link >= STRENGTH * to->most[c] * to->most[c - dr_block_stride[a]];
            if (strong) to->strong[a] |= UINT64_C(1) << c;
        }
    }
}

static uint64_t flood(const strengths *links, uint64_t seed)
{
    uint64_t part = seed, before;
    do {
        before = part;
        for (int a = 0; a < 3; a++) {
            part |= (part << dr_block_stride[a] & links->strong[a]) | (part & links->strong[a]) >> dr_block_stride[a];
        }
    } while (part != before);
    return part;
}

// The first coupled cell of every eight.
static uint64_t first_cells(uint64_t coupled)
{
    const uint64_t corners = UINT64_C(0x0000050500000505);
    uint64_t first = 0, done = 0;
    for (int n = 0; n < 8; n++) {
        int shift = 16 * (n >> 2) + 4 * (n >> 1 & 1) + (n & 1);
        uint64_t here = coupled >> shift & corners;
        first |= (here & ~done) << shift;
        done |= here;
    }
    return first;
}

static float weight_of(const strengths *links, uint64_t cluster)
{
    float sum = 0.0F;
    for (; cluster; cluster &= cluster - 1) sum += links->most[__builtin_ctzll(cluster)];
    return sum;
}

// The heaviest cluster among these cells of one eight.
static uint64_t find_main(const strengths *links, uint64_t cells)
{
    uint64_t best = 0;
    float best_weight = 0.0F;
    while (cells) {
        uint64_t cluster = flood(links, cells & -cells);
        float weight = weight_of(links, cluster);
        if (weight > best_weight) {
            best = cluster;
            best_weight = weight;
        }
        cells &= ~cluster;
    }
    return best;
}

// Whether the ground holds a cluster so firmly that a wrong coarse value does little harm.
static bool is_held(const strengths *links, const float *rows, uint64_t cluster)
{
    float ground = 0.0F, weight = weight_of(links, cluster);
    for (; cluster; cluster &= cluster - 1) {
        ground += rows[dr_level_term_item(item_of(__builtin_ctzll(cluster)), DR_TERM_GROUND)];
    }
    return ground > HELD * weight;
}

static uint64_t drop_held(const strengths *links, const float *rows, uint64_t cells)
{
    uint64_t kept = 0;
    while (cells) {
        uint64_t cluster = flood(links, cells & -cells);
        if (!is_held(links, rows, cluster)) kept |= cluster;
        cells &= ~cluster;
    }
    return kept;
}

static uint64_t eight_at(int n)
{
    return eight << (32 * (n >> 2) + 8 * (n >> 1 & 1) + 2 * (n & 1));
}

static uint64_t find_apart(const float *rows)
{
    strengths links;
    weigh_links(rows, &links);
    if (flood(&links, first_cells(links.coupled)) == links.coupled) return 0;
    uint64_t apart = 0;
    for (int n = 0; n < 8; n++) {
        uint64_t cells = links.coupled & eight_at(n);
        apart |= drop_held(&links, rows, cells & ~find_main(&links, cells));
    }
    return apart;
}

static void find_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_level *level = user;
    for (size_t b = begin; b < end; b++) {
        int32_t stencil = level->stencil_of[b];
        bool plain = stencil < 0 || level->place[b] < 0;
        level->apart[b] = plain ? 0 : find_apart(level->stencil + (size_t)stencil * DR_LEVEL_STENCIL);
    }
}

// ---- who takes them

static uint32_t beside(const dr_level *level, uint32_t cell, int side)
{
    int item = (int)(cell & 63), i = item >> 3 & 3, j = item >> 1 & 3, k = 2 * (item & 1) + ((i + j + (item >> 5)) & 1);
    int at[3] = {i, j, k}, axis = side / 2;
    at[axis] += side & 1 ? 1 : -1;
    int32_t block = (int32_t)(cell >> 6);
    if (at[axis] & ~3) block = level->neighbour[6 * (size_t)block + (size_t)side];
    if (block < 0) return DR_LEVEL_NOWHERE;
    return 64 * (uint32_t)block + (uint32_t)dr_level_item(at[0] & 3, at[1] & 3, at[2] & 3);
}

static bool is_apart(const dr_level *level, uint32_t cell)
{
    int item = (int)(cell & 63), i = item >> 3 & 3, j = item >> 1 & 3, k = 2 * (item & 1) + ((i + j + (item >> 5)) & 1);
    return level->apart[cell >> 6] >> (16 * i + 4 * j + k) & 1;
}

// The side of the eight to which a cluster's strongest link leads, among cells that follow their own eight; -1: none.
static int find_side(const dr_level *level, size_t block, const float *rows, uint64_t cluster)
{
    float best = 0.0F, most = 0.0F;
    int side = -1;
    for (; cluster; cluster &= cluster - 1) {
        int c = __builtin_ctzll(cluster), item = item_of(c);
        for (int term = DR_TERM_X_LOW; term <= DR_TERM_FAR; term++) {
            float link = rows[dr_level_term_item(item, (dr_level_term)term)];
            most = link > most ? link : most;
        }
        for (int a = 0; a < 3; a++) {
            int outward = 2 * a + (c / dr_block_stride[a] & 1);
            float link = rows[dr_level_term_item(item, dr_level_side_term(outward, c & 3))];
            uint32_t other =
                link > best ? beside(level, 64 * (uint32_t)block + (uint32_t)item, outward) : DR_LEVEL_NOWHERE;
            if (other == DR_LEVEL_NOWHERE || is_apart(level, other)) continue;
            best = link;
            side = outward;
        }
    }
    return best >= OUTWARD * most ? side : -1;
}

static void adopt_block(dr_level *level, size_t block)
{
    if (!level->apart[block]) return;
    const float *rows = level->stencil + (size_t)level->stencil_of[block] * DR_LEVEL_STENCIL;
    dr_level_aggregateion *next = level->adopted + level->adopted_first[block];
    strengths links;
    weigh_links(rows, &links);
    for (int n = 0; n < 8; n++) {
        uint64_t left = level->apart[block] & eight_at(n);
        while (left) {
            uint64_t cluster = flood(&links, left & -left);
            int side = find_side(level, block, rows, cluster);
            left &= ~cluster;
            for (; cluster; cluster &= cluster - 1) {
                uint32_t cell = 64 * (uint32_t)block + (uint32_t)item_of(__builtin_ctzll(cluster));
                *next++ = (dr_level_aggregateion){.cell = cell, .side = side};
            }
        }
    }
}

static void adopt_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) adopt_block(user, b);
}

static size_t number_adopted(dr_level *level)
{
    size_t count = 0;
    for (size_t b = 0; b < level->block_count; b++) {
        level->adopted_first[b] = (int32_t)count;
        count += (size_t)__builtin_popcountll(level->apart[b]);
    }
    return count;
}

// Blocks with cells apart, and their neighbours.
static void mark_touched(dr_level *level)
{
    memset(level->touched, 0, level->block_count);
    for (size_t b = 0; b < level->block_count; b++) {
        if (!level->apart[b]) continue;
        level->touched[b] = 1;
        for (size_t n = 0; n < 6; n++) {
            int32_t other = level->neighbour[6 * b + n];
            if (other >= 0) level->touched[other] = 1;
        }
    }
}

bool dr_level_aggregate(dr_level *level, const dr_allocator *allocator, const dr_par *par)
{
    if (level->fold) {
        memset(level->apart, 0, level->block_count * sizeof *level->apart);
    } else {
        dr_par_for(par, level->block_count, DR_LEVEL_GRAIN, find_piece, level);
    }
    level->adopted_count = number_adopted(level);
    mark_touched(level);
    if (!dr_memory_reserve(allocator, (void **)&level->adopted, &level->adopted_capacity, level->adopted_count,
                           sizeof *level->adopted)) {
        return false;
    }
    dr_par_for(par, level->block_count, DR_LEVEL_GRAIN, adopt_piece, level);
    return true;
}

// ---- rows of coarse cells near them

uint32_t dr_level_parent(const dr_level *fine, uint32_t cell)
{
    int item = (int)(cell & 63), i = item >> 3 & 3, j = item >> 1 & 3;
    int32_t place = fine->place[cell >> 6];
    int coarse = dr_level_item((place >> 1 & 2) + (i >> 1), (place & 2) + (j >> 1), 2 * (place & 1) + (item & 1));
    return 64 * (uint32_t)(place >> 3) + (uint32_t)coarse;
}

void dr_level_find_targets(dr_level *fine, const dr_level *coarse)
{
    for (size_t n = 0; n < fine->adopted_count; n++) {
        dr_level_aggregateion *one = &fine->adopted[n];
        uint32_t parent = dr_level_parent(fine, one->cell);
        one->target = one->side < 0 ? DR_LEVEL_NOWHERE : beside(coarse, parent, one->side);
    }
}

// Where a fine cell's value comes from: its parent, moved by one coarse cell along `side` where that is not -1.
typedef struct origin {
    uint32_t coarse; // DR_LEVEL_NOWHERE: from nowhere
    int side;
} origin;

static origin find_origin(const dr_level *fine, uint32_t cell)
{
    if (fine->apart[cell >> 6] && is_apart(fine, cell)) {
        const dr_level_aggregateion *one = fine->adopted + fine->adopted_first[cell >> 6];
        while (one->cell != cell) one++;
        return (origin){one->target, one->side};
    }
    return (origin){dr_level_parent(fine, cell), -1};
}

static float *row_term(dr_level *coarse, uint32_t cell, dr_level_term term)
{
    size_t stencil = (size_t)coarse->stencil_of[cell >> 6];
    return coarse->stencil + stencil * DR_LEVEL_STENCIL + dr_level_term_item((int)(cell & 63), term);
}

static int parity(uint32_t cell)
{
    int item = (int)(cell & 63);
    return ((item >> 3) + (item >> 1) + (item >> 5)) & 1;
}

static void add_link(dr_level *coarse, uint32_t cell, int side, float link)
{
    *row_term(coarse, cell, dr_level_side_term(side, parity(cell))) += link;
}

static void move(int offset[3], int side, int sign)
{
    if (side >= 0) offset[side / 2] += side & 1 ? sign : -sign;
}

static int length_of(const int offset[3])
{
    int sum = 0;
    for (int a = 0; a < 3; a++) sum += offset[a] < 0 ? -offset[a] : offset[a];
    return sum;
}

static int side_towards(const int offset[3])
{
    for (int a = 0; a < 3; a++) {
        if (offset[a]) return 2 * a + (offset[a] > 0);
    }
    return -1;
}

static bool is_alive(const dr_level *coarse, uint32_t cell)
{
    if (cell == DR_LEVEL_NOWHERE || coarse->stencil_of[cell >> 6] < 0) return false;
    size_t stencil = (size_t)coarse->stencil_of[cell >> 6];
    return dr_level_coupled(coarse->stencil + stencil * DR_LEVEL_STENCIL, (int)(cell & 63));
}

// A link to a coarse cell two steps away, through the one between: (e1 - e2)^2 <= 2 (e1 - m)^2 + 2 (m - e2)^2. False
// where there is none between.
static bool add_detour(dr_level *coarse, uint32_t from, const int offset[3], int first, float link)
{
    int left[3] = {offset[0], offset[1], offset[2]};
    if (first < 0) return false;
    move(left, first, -1);
    uint32_t between = beside(coarse, from, first);
    if (length_of(left) != 1 || !is_alive(coarse, between)) return false;
    int second = side_towards(left);
    uint32_t to = beside(coarse, between, second);
    if (to == DR_LEVEL_NOWHERE || coarse->stencil_of[to >> 6] < 0) return false;
    add_link(coarse, from, first, link);
    add_link(coarse, between, first ^ 1, link);
    add_link(coarse, between, second, link);
    add_link(coarse, to, second ^ 1, link);
    return true;
}

// The link of a fine cell on one side, as seen from the coarse cell its value comes from. `far`: only links that are
// not between coarse neighbours, else only those that are.
static void add_side(const dr_level *fine, dr_level *coarse, uint32_t cell, origin from, int side, float link, bool far)
{
    uint32_t other = beside(fine, cell, side);
    origin to = other == DR_LEVEL_NOWHERE ? (origin){DR_LEVEL_NOWHERE, -1} : find_origin(fine, other);
    int item = (int)(cell & 63), at[3] = {item >> 3 & 3, item >> 1 & 3, parity(cell)}, offset[3] = {0};
    bool leaves = (at[side / 2] & 1) == (side & 1);
    if (leaves) move(offset, side, 1);
    move(offset, to.side, 1);
    move(offset, from.side, -1);
    int length = length_of(offset);
    float half = 0.5F * link;
    if (to.coarse == DR_LEVEL_NOWHERE) {
        if (!far) *row_term(coarse, from.coarse, DR_TERM_GROUND) += half;
    } else if (length == 1) {
        if (!far) add_link(coarse, from.coarse, side_towards(offset), half);
    } else if (length > 1 && far) {
        int first = from.side >= 0 && leaves ? side : to.side, last = side_towards(offset);
        if (!add_detour(coarse, from.coarse, offset, first, half) &&
            !add_detour(coarse, from.coarse, offset, last, half)) {
            *row_term(coarse, from.coarse, DR_TERM_GROUND) += link;
        }
    }
}

static void add_rows(const dr_level *fine, dr_level *coarse, size_t block, bool far)
{
    int32_t stencil = fine->stencil_of[block];
    const float *rows = stencil < 0 ? NULL : fine->stencil + (size_t)stencil * DR_LEVEL_STENCIL;
    const dr_level_uniform *uniform = &fine->uniform[block];
    for (int item = 0; item < CELLS; item++) {
        if (rows && !dr_level_coupled(rows, item)) continue;
        uint32_t cell = 64 * (uint32_t)block + (uint32_t)item;
        origin from = find_origin(fine, cell);
        if (from.coarse == DR_LEVEL_NOWHERE) continue;
        for (int side = 0; side < 6; side++) {
            dr_level_term term = dr_level_side_term(side, parity(cell));
            float link = rows ? rows[dr_level_term_item(item, term)] : uniform->link;
            if (link > 0.0F) add_side(fine, coarse, cell, from, side, link, far);
        }
        if (far) continue;
        float ground = rows ? rows[dr_level_term_item(item, DR_TERM_GROUND)] : uniform->ground, mass = 0.0F;
        if (fine->compressible) mass = rows ? fine->mass[(size_t)stencil * CELLS + (size_t)item] : uniform->ground;
        *row_term(coarse, from.coarse, DR_TERM_GROUND) += 0.5F * (ground + mass);
        if (fine->compressible) {
            size_t target = (size_t)coarse->stencil_of[from.coarse >> 6] * CELLS + (from.coarse & 63);
            coarse->mass[target] += mass;
        }
    }
}

void dr_level_add_touched(const dr_level *fine, dr_level *coarse)
{
    for (int far = 0; far < 2; far++) {
        for (size_t b = 0; b < fine->block_count; b++) {
            if (fine->touched[b] && fine->place[b] >= 0) add_rows(fine, coarse, b, far);
        }
    }
}
