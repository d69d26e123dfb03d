#include "grid/order.h"

#include <assert.h>
#include <string.h>

#define PIECE       4096
#define TABLE       8192 // slots, a power of two, more than PIECE
#define TABLE_SHIFT 51   // 64 - log2(TABLE)

// One key of a piece. The tallies live in the widest spare column while it is idle.
typedef struct tally {
    uint64_t key;
    uint32_t count; // later: how many particles of the block come before the piece's first
    uint32_t block;
} tally;

// Points that keep their order have room for so many keys a piece, or more where a piece has more: of neighbours few
// are distinct. Half: more pieces are counted again as a scattered set comes; twice: two bytes more per point.
#define FEW_KEYS 512

// Keys whose slot of the table is fetched ahead. None: the table takes 3.2 % of a step of a large curtain, not 2.1 %.
#define AHEAD 8

static const size_t item_bytes[DR_ORDER_SIZES] = {4, 8, 12, 24, 36};
enum { WIDEST = DR_ORDER_SIZES - 1, KEY_SIZE = 1, SIX_SIZE = 3 };

static int size_index(size_t bytes)
{
    int s = 0;
    while (s < DR_ORDER_SIZES && item_bytes[s] != bytes) s++;
    assert(s < DR_ORDER_SIZES);
    return s;
}

static size_t piece_count(size_t particles)
{
    return (particles + PIECE - 1) / PIECE;
}

static size_t piece_bytes(const dr_order *order)
{
    return order->keys * sizeof(tally) + PIECE * sizeof(uint16_t);
}

static tally *piece_tallies(const dr_order *order, size_t piece)
{
    return (tally *)((char *)order->spare[WIDEST] + piece * piece_bytes(order));
}

// Which tally of its piece every one of the piece's `count` points belongs to.
static uint16_t *piece_members(const dr_order *order, size_t piece, size_t count)
{
    return (uint16_t *)(piece_tallies(order, piece) + (count < order->keys ? count : order->keys));
}

static void free_spares(dr_order *order, const dr_allocator *allocator)
{
    for (int s = 0; s < DR_ORDER_SIZES; s++) {
        dr_memory_free(allocator, order->spare[s], order->spare_capacity * item_bytes[s]);
        order->spare[s] = NULL;
    }
    order->spare_capacity = 0;
}

// Spare columns are as large as the particles' own, so that they can change places. The key column is made anew, so it
// serves as the spare one of its size. Points that do not move need the widest alone, for their tallies.
static bool reserve_spares(dr_order *order, const dr_allocator *allocator, size_t capacity, bool all, bool six)
{
    if (all ? order->spare_capacity == capacity : order->spare_capacity >= capacity) return true;
    free_spares(order, allocator);
    order->spare_capacity = capacity;
    for (int s = all ? 0 : WIDEST; s < DR_ORDER_SIZES; s++) {
        if (s == KEY_SIZE || (s == SIX_SIZE && !six)) continue;
        order->spare[s] = dr_memory_resize(allocator, NULL, 0, capacity * item_bytes[s]);
        if (!order->spare[s]) {
            free_spares(order, allocator);
            return false;
        }
    }
    return true;
}

static bool reserve(dr_order *order, const dr_allocator *allocator, const dr_par *par, const dr_order_points *points)
{
    size_t tables = (size_t)par->threads * TABLE;
    if (order->keys == 0) order->keys = points->spare ? PIECE : FEW_KEYS;
    size_t tallies = piece_count(points->count) * piece_bytes(order) / item_bytes[WIDEST] + 1;
    size_t spare = points->spare ? points->spare : tallies;
    return reserve_spares(order, allocator, spare, points->spare > 0, points->six) &&
           dr_memory_reserve(allocator, (void **)&order->source, &order->source_capacity, points->count,
                             sizeof *order->source) &&
           dr_memory_reserve(allocator, (void **)&order->tally_count, &order->tally_capacity,
                             piece_count(points->count), sizeof *order->tally_count) &&
           dr_memory_reserve(allocator, (void **)&order->table, &order->table_capacity, tables, sizeof *order->table);
}

void dr_order_free(dr_order *order, const dr_allocator *allocator)
{
    free_spares(order, allocator);
    dr_memory_free(allocator, order->source, order->source_capacity * sizeof *order->source);
    dr_memory_free(allocator, order->tally_count, order->tally_capacity * sizeof *order->tally_count);
    dr_memory_free(allocator, order->table, order->table_capacity * sizeof *order->table);
    dr_memory_free(allocator, order->block_count, order->block_capacity * sizeof *order->block_count);
    *order = (dr_order){0};
}

size_t dr_order_bytes(const dr_order *order)
{
    size_t bytes = order->source_capacity * sizeof *order->source + order->tally_capacity * sizeof *order->tally_count +
                   order->table_capacity * sizeof *order->table + order->block_capacity * sizeof *order->block_count;
    for (int s = 0; s < DR_ORDER_SIZES; s++) bytes += order->spare[s] ? order->spare_capacity * item_bytes[s] : 0;
    return bytes;
}

// ---- tally

typedef struct tally_job {
    dr_order *order;
    const uint64_t *key;
} tally_job;

#define NO_ROOM UINT32_MAX

// The number of the key's tally in the piece; new keys are added, NO_ROOM where there are too many. Table entries are
// that number + 1, 0 where empty.
static uint32_t find_tally(uint16_t *table, tally *tallies, size_t keys, uint32_t *count, uint64_t key)
{
    size_t s = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> TABLE_SHIFT);
    for (; table[s]; s = (s + 1) & (TABLE - 1)) {
        if (tallies[table[s] - 1].key == key) return table[s] - 1U;
    }
    if (*count == keys) return NO_ROOM;
    tallies[*count] = (tally){key, 0, 0};
    table[s] = (uint16_t)++ * count;
    return *count - 1;
}

static void tally_piece(void *user, size_t begin, size_t end, int thread)
{
    tally_job *job = user;
    const uint64_t *key = job->key;
    size_t piece = begin / PIECE;
    tally *tallies = piece_tallies(job->order, piece);
    uint16_t *member = piece_members(job->order, piece, end - begin);
    uint16_t *table = job->order->table + (size_t)thread * TABLE;
    memset(table, 0, TABLE * sizeof *table);
    uint32_t count = 0, current = 0;
    for (size_t p = begin; p < end; p++) {
        if (count == 0 || tallies[current].key != key[p])
            current = find_tally(table, tallies, job->order->keys, &count, key[p]);
        if (current == NO_ROOM) break;
        tallies[current].count++;
        member[p - begin] = (uint16_t)current;
    }
    job->order->tally_count[piece] = current == NO_ROOM ? NO_ROOM : count;
}

static bool has_room(const dr_order *order, size_t pieces)
{
    for (size_t piece = 0; piece < pieces; piece++) {
        if (order->tally_count[piece] == NO_ROOM) return false;
    }
    return true;
}

static bool tally_pieces(dr_order *order, const dr_allocator *allocator, const dr_par *par,
                         const dr_order_points *points)
{
    tally_job job = {order, points->key};
    for (;; order->keys *= 2) {
        if (!reserve(order, allocator, par, points)) return false;
        dr_par_for(par, points->count, PIECE, tally_piece, &job);
        if (has_room(order, piece_count(points->count))) return true;
    }
}

// Blocks that other sets brought have none of this one's points yet.
static bool know_blocks(dr_order *order, const dr_allocator *allocator, size_t blocks)
{
    if (!dr_memory_reserve(allocator, (void **)&order->block_count, &order->block_capacity, blocks,
                           sizeof *order->block_count))
        return false;
    for (; order->known < blocks; order->known++) order->block_count[order->known] = 0;
    return true;
}

static bool number_block(dr_order *order, const dr_allocator *allocator, dr_lookup *lookup, tally *one)
{
    int32_t block = dr_lookup_add(lookup, allocator, one->key);
    if (block < 0 || !know_blocks(order, allocator, (size_t)lookup->count)) return false;
    uint32_t before = order->block_count[block];
    order->block_count[block] += one->count;
    one->count = before;
    one->block = (uint32_t)block;
    return true;
}

bool dr_order_tally(dr_order *order, const dr_allocator *allocator, const dr_par *par, const dr_order_points *points,
                    dr_lookup *lookup)
{
    assert(points->count <= UINT32_MAX);
    order->known = 0;
    if (points->count == 0) return true;
    if (!tally_pieces(order, allocator, par, points)) return false;
    for (size_t piece = 0; piece < piece_count(points->count); piece++) {
        tally *tallies = piece_tallies(order, piece);
        for (uint32_t t = 0; t < order->tally_count[piece]; t++) {
            if (t + AHEAD < order->tally_count[piece]) dr_lookup_fetch(lookup, tallies[t + AHEAD].key);
            if (!number_block(order, allocator, lookup, &tallies[t])) return false;
        }
    }
    return true;
}

// ---- place

typedef struct place_job {
    dr_order *order;
    const uint32_t *rank, *first;
} place_job;

static void place_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    place_job *job = user;
    size_t piece = begin / PIECE;
    tally *tallies = piece_tallies(job->order, piece);
    const uint16_t *member = piece_members(job->order, piece, end - begin);
    for (uint32_t t = 0; t < job->order->tally_count[piece]; t++) {
        tallies[t].count += job->first[job->rank[tallies[t].block]];
    }
    for (size_t p = begin; p < end; p++) job->order->source[tallies[member[p - begin]].count++] = (uint32_t)p;
}

static bool in_order(const uint32_t *source, size_t count)
{
    for (size_t p = 0; p < count; p++) {
        if (source[p] != p) return false;
    }
    return true;
}

// ---- permute

typedef struct move_job {
    const uint32_t *source;
    const char *from;
    char *to;
    size_t bytes;
} move_job;

static inline void move_items(const move_job *job, size_t begin, size_t end, size_t bytes)
{
    for (size_t i = begin; i < end; i++) memcpy(job->to + i * bytes, job->from + job->source[i] * bytes, bytes);
}

static void move_range(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const move_job *job = user;
    switch (job->bytes) {
    case 4:
        move_items(job, begin, end, 4);
        break;
    case 8:
        move_items(job, begin, end, 8);
        break;
    case 12:
        move_items(job, begin, end, 12);
        break;
    case 24:
        move_items(job, begin, end, 24);
        break;
    case 36:
        move_items(job, begin, end, 36);
        break;
    }
}

typedef struct key_job {
    uint64_t *key;
    const uint32_t *first;
    const uint64_t *block_key;
} key_job;

static void write_keys(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const key_job *job = user;
    for (size_t b = begin; b < end; b++) {
        for (size_t p = job->first[b]; p < job->first[b + 1]; p++) job->key[p] = job->block_key[b];
    }
}

void dr_order_place(dr_order *order, const dr_par *par, size_t count, const uint32_t *rank, const uint32_t *first)
{
    place_job place = {order, rank, first};
    dr_par_for(par, count, PIECE, place_piece, &place);
}

void dr_order_permute(dr_order *order, const dr_par *par, dr_particles *particles, const uint32_t *first,
                      const uint64_t *block_key, size_t block_count)
{
    const dr_column_table *table = dr_particles_columns(particles);
    if (in_order(order->source, particles->count)) return;
    order->spare[KEY_SIZE] = particles->key;
    particles->key = NULL;
    for (int c = 0; c < table->count; c++) {
        const dr_column *column = &table->columns[c];
        void **data = dr_column_pointer(column, particles);
        if (!*data) continue;
        int size = size_index(dr_column_item_bytes(column));
        move_job move = {order->source, *data, order->spare[size], item_bytes[size]};
        dr_par_for(par, particles->count, 4 * PIECE, move_range, &move);
        void *moved = order->spare[size];
        order->spare[size] = *data;
        *data = moved;
    }
    particles->key = order->spare[KEY_SIZE];
    order->spare[KEY_SIZE] = NULL;
    key_job keys = {particles->key, first, block_key};
    dr_par_for(par, block_count, 256, write_keys, &keys);
}
