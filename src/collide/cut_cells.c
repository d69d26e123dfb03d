// Cut cells of all blocks of a grid: measured where a solid moves or a block is new, kept elsewhere; and particles kept
// out of solids. docs/theory/solids.md.
#include "collide/cut_cells.h"

#include "collide/open_share.h"
#include "grid/halo.h"
#include "math/scalar.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const dr_column block_columns[] = {
    {"corner", offsetof(dr_cut_cells, corner), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"open_area", offsetof(dr_cut_cells, open_area), DR_TYPE_FLOAT32, DR_BLOCK_FACES, "", ""},
    {"solid_velocity", offsetof(dr_cut_cells, solid_velocity), DR_TYPE_FLOAT32, DR_BLOCK_FACES, "", ""},
    {"rub", offsetof(dr_cut_cells, rub), DR_TYPE_FLOAT32, DR_BLOCK_FACES, "", ""},
    {"open_volume", offsetof(dr_cut_cells, open_volume), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"open_before", offsetof(dr_cut_cells, open_before), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"friction", offsetof(dr_cut_cells, friction), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"touch", offsetof(dr_cut_cells, touch), DR_TYPE_UINT8, DR_BLOCK_NODES, "", ""},
    {"near_solid", offsetof(dr_cut_cells, near_solid), DR_TYPE_UINT8, 1, "", ""},
    {"block_open", offsetof(dr_cut_cells, block_open), DR_TYPE_FLOAT64, 1, "", ""},
    {"partial", offsetof(dr_cut_cells, partial), DR_TYPE_FLOAT64, 1, "", ""},
    {"holds", offsetof(dr_cut_cells, holds), DR_TYPE_INT32, 1, "", ""},
    {"stands", offsetof(dr_cut_cells, stands), DR_TYPE_INT32, 1, "", ""},
    {"task", offsetof(dr_cut_cells, task), DR_TYPE_UINT8, 1, "", ""},
};
static const dr_column_table block_table = {block_columns, (int)(sizeof block_columns / sizeof *block_columns)};

bool dr_cut_cells_open(dr_cut_cells *cut, const dr_allocator *allocator, const dr_par *par, const dr_grid *grid,
                       const dr_domain_spec *domain, const dr_collider_set *colliders)
{
    *cut = (dr_cut_cells){.allocator = allocator, .par = par, .solids = {grid, domain, colliders, NULL}};
    cut->has_solids = dr_cut_solids_any(&cut->solids);
    cut->any_hold = dr_cut_solids_friction(&cut->solids, true) > 0.0;
    cut->any_rub = dr_cut_solids_friction(&cut->solids, false) > 0.0;
    cut->open_space = INFINITY;
    if (!cut->has_solids) return true;
    cut->moved = dr_memory_alloc(allocator, (size_t)dr_collider_set_count(colliders) * sizeof *cut->moved);
    return cut->moved && dr_cut_solids_open_bands(&cut->solids, allocator);
}

void dr_cut_cells_close(dr_cut_cells *cut)
{
    dr_columns_free(&block_table, cut, cut->allocator, &cut->capacity);
    dr_cut_store_close(&cut->store, cut->allocator);
    dr_cut_solids_close_bands(&cut->solids, cut->allocator);
    if (cut->moved)
        dr_memory_free(cut->allocator, cut->moved,
                       (size_t)dr_collider_set_count(cut->solids.colliders) * sizeof *cut->moved);
}

size_t dr_cut_cells_block_bytes(void)
{
    return dr_columns_row_bytes(&block_table);
}

bool dr_cut_cells_reserve(dr_cut_cells *cut)
{
    size_t before = cut->capacity;
    if (!cut->has_solids) return true;
    if (!dr_columns_reserve(&block_table, cut, cut->allocator, &cut->capacity, cut->solids.grid->block_count))
        return false;
    for (size_t b = before; b < cut->capacity; b++) cut->holds[b] = DR_CUT_UNKNOWN;
    return true;
}

// ---- filling

// What the arrays of a block are: as they were, read from the store, measured to be stored, measured with solids that
// move.
enum { LEFT, READ, FRESH, STIRRED };

static void put_block(dr_cut_cells *cut, size_t b, const dr_cut_block *block)
{
    size_t first = b * DR_BLOCK_NODES;
    double sum = 0.0;
    memcpy(cut->corner + first, block->corner, sizeof block->corner);
    memcpy(cut->open_area + 4 * first, block->open_area, sizeof block->open_area);
    memcpy(cut->solid_velocity + 4 * first, block->solid_velocity, sizeof block->solid_velocity);
    memcpy(cut->rub + 4 * first, block->rub, sizeof block->rub);
    memcpy(cut->open_volume + first, block->open_volume, sizeof block->open_volume);
    memcpy(cut->open_before + first, block->open_volume, sizeof block->open_volume);
    memcpy(cut->friction + first, block->friction, sizeof block->friction);
    memcpy(cut->touch + first, block->touch, sizeof block->touch);
    cut->near_solid[b] = block->near;
    for (int c = 0; c < DR_BLOCK_NODES; c++) sum += (double)block->open_volume[c];
    cut->block_open[b] = sum;
}

static void get_block(const dr_cut_cells *cut, size_t b, dr_cut_block *block)
{
    size_t first = b * DR_BLOCK_NODES;
    memset(block, 0, sizeof *block);
    memcpy(block->corner, cut->corner + first, sizeof block->corner);
    memcpy(block->open_area, cut->open_area + 4 * first, sizeof block->open_area);
    memcpy(block->rub, cut->rub + 4 * first, sizeof block->rub);
    memcpy(block->open_volume, cut->open_volume + first, sizeof block->open_volume);
    memcpy(block->friction, cut->friction + first, sizeof block->friction);
    memcpy(block->touch, cut->touch + first, sizeof block->touch);
    block->near = cut->near_solid[b];
}

static bool is_moving(const dr_grid *grid)
{
    return grid->velocity[0] != 0.0 || grid->velocity[1] != 0.0 || grid->velocity[2] != 0.0;
}

static void fill_block(dr_cut_cells *cut, size_t b)
{
    const dr_grid *grid = cut->solids.grid;
    const int32_t *coordinate = grid->coordinate + 3 * b;
    dr_cut_block block;
    bool stirred = is_moving(grid) || dr_cut_solids_stir(&cut->solids, coordinate);
    int32_t row = stirred ? DR_CUT_UNKNOWN : dr_cut_store_find(&cut->store, grid->key[b]);
    if (row != DR_CUT_UNKNOWN && row == cut->holds[b]) {
        cut->task[b] = LEFT;
        return;
    }
    cut->task[b] = stirred ? STIRRED : row == DR_CUT_UNKNOWN ? FRESH : READ;
    cut->holds[b] = cut->stands[b] = row;
    if (row == DR_CUT_UNKNOWN) {
        dr_cut_block_measure(&cut->solids, coordinate, &block);
    } else {
        dr_cut_block_open(&cut->solids, &block);
        if (row != DR_CUT_OPEN) dr_cut_store_read(&cut->store, row, &block);
    }
    put_block(cut, b, &block);
}

static void fill_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) fill_block(user, b);
}

// ---- keeping

static void store_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_cut_cells *cut = user;
    for (size_t b = begin; b < end; b++) {
        dr_cut_block block;
        if (cut->task[b] != FRESH || cut->holds[b] < 0) continue;
        get_block(cut, b, &block);
        dr_cut_store_write(&cut->store, cut->holds[b], &block);
    }
}

// Keeps what was measured without solids that move. Where memory is out it is measured again the next time.
static void keep_fresh(dr_cut_cells *cut)
{
    const dr_grid *grid = cut->solids.grid;
    dr_cut_store *store = &cut->store;
    size_t entries = 0, rows = 0, next = 0;
    for (size_t b = 0; b < grid->block_count; b++) {
        if (cut->task[b] != FRESH) continue;
        entries++;
        rows += cut->near_solid[b] != 0;
    }
    if (entries == 0 || store->row_count + rows > INT32_MAX) return;
    if (!dr_cut_store_reserve(store, cut->allocator, entries, rows)) return;
    for (size_t b = 0; b < grid->block_count; b++) {
        if (cut->task[b] != FRESH) continue;
        cut->holds[b] = cut->stands[b] = cut->near_solid[b] ? (int32_t)store->row_count++ : DR_CUT_OPEN;
        store->fresh[next++] = (dr_cut_entry){grid->key[b], cut->holds[b]};
    }
    dr_par_for(cut->par, grid->block_count, 32, store_blocks, cut);
    dr_cut_store_merge(store, entries);
}

// Entries of the store for one block of the grid, beyond which the store is emptied: blocks are then measured at most
// about twice. At half of it, up to three times as often; at twice, the store may take twice the memory.
#define STORED 2

static bool is_store_full(const dr_cut_cells *cut)
{
    return cut->store.count > STORED * cut->solids.grid->block_count + DR_BLOCK_NODES;
}

// Notes which colliders move, and says whether that is new: a caller may have begun to move one that was kept as one at
// rest.
static bool note_movers(dr_cut_cells *cut)
{
    bool differ = false;
    cut->any_moves = false;
    for (int i = 0; i < dr_collider_set_count(cut->solids.colliders); i++) {
        bool moves = dr_collider_set_moves(cut->solids.colliders, i);
        cut->any_moves = cut->any_moves || moves;
        differ = differ || moves != cut->moved[i];
        cut->moved[i] = moves;
    }
    return differ;
}

// Whether the grid is no longer where the store was filled.
static bool note_origin(dr_cut_cells *cut)
{
    const dr_grid *grid = cut->solids.grid;
    bool differ = false;
    for (int a = 0; a < 3; a++) {
        double origin = grid->origin[a] + grid->travel[a];
        differ = differ || origin != cut->origin[a];
        cut->origin[a] = origin;
    }
    return differ;
}

static void forget(dr_cut_cells *cut)
{
    dr_cut_store_forget(&cut->store);
    cut->rounds++;
    for (size_t b = 0; b < cut->capacity; b++) cut->holds[b] = DR_CUT_UNKNOWN;
}

// ---- what depends on neighbours

// Faces closed for the sake of a neighbour's cell would stay closed when that neighbour is gone.
static void shut_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_cut_cells *cut = user;
    for (size_t b = begin; b < end; b++) {
        if (!cut->near_solid[b]) continue;
        if (dr_open_share_shut_block(cut->solids.grid, b, cut->open_area, cut->open_volume))
            cut->holds[b] = DR_CUT_UNKNOWN;
    }
}

typedef struct sweeping {
    dr_cut_cells *cut;
    float cells_per_speed, known; // known: depth to which velocities of solids are, cm
    float grid[3];                // velocity
} sweeping;

// What of solids went out of a cell through its faces in the step, low and high along x, y, z. False for a cell that
// was deep inside one, of which nothing was swept.
static bool find_outflow(const sweeping *job, size_t block, int c, float out[6])
{
    const dr_cut_cells *cut = job->cut;
    size_t item = block * DR_BLOCK_NODES + (size_t)c;
    for (int a = 0; a < 3; a++) {
        int64_t next =
            dr_halo_find(cut->solids.grid, block, (c >> 4) + (a == 0), (c >> 2 & 3) + (a == 1), (c & 3) + (a == 2));
        size_t low = 4 * item + (size_t)a, high = next < 0 ? low : 4 * (size_t)next + (size_t)a;
        if (cut->corner[low / 4] < -job->known || cut->corner[high / 4] < -job->known) return false;
        out[2 * a] = -(1.0F - cut->open_area[low]) * (cut->solid_velocity[low] - job->grid[a]) * job->cells_per_speed;
        out[2 * a + 1] =
            (1.0F - cut->open_area[high]) * (cut->solid_velocity[high] - job->grid[a]) * job->cells_per_speed;
    }
    return true;
}

// Faces of a block that no moving solid comes near have no part in a solid that moves: nothing was swept of it. Of a
// cell that a wall came into, or left, in the step this is more than it holds, or less than nothing.
static void sweep_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweeping *job = user;
    dr_cut_cells *cut = job->cut;
    float out[6];
    for (size_t b = begin; b < end; b++) {
        for (int c = 0; c < DR_BLOCK_NODES && cut->task[b] == STIRRED; c++) {
            if (!find_outflow(job, b, c, out)) continue;
            for (int n = 0; n < 6; n++) cut->open_before[b * DR_BLOCK_NODES + (size_t)c] -= out[n];
        }
    }
}

static int64_t across(const dr_grid *grid, size_t block, int c, int n)
{
    int x[3] = {c >> 4, c >> 2 & 3, c & 3};
    x[n / 2] += n & 1 ? 1 : -1;
    return dr_halo_find(grid, block, x[0], x[1], x[2]);
}

// A wall that came into a cell through a face was in the cell beyond that face before; one that left through a face is
// no longer in the cell on the other side.
static void hand_over(const sweeping *job, size_t block, int c, float rest)
{
    dr_cut_cells *cut = job->cut;
    float out[6], sum = 0.0F;
    if (!find_outflow(job, block, c, out)) return;
    for (int n = 0; n < 6; n++) {
        out[n] = dr_max_float(0.0F, rest > 0.0F ? -out[n] : out[n]);
        sum += out[n];
    }
    for (int n = 0; n < 6 && sum > 0.0F; n++) {
        int64_t to = across(cut->solids.grid, block, c, rest > 0.0F ? n : n ^ 1);
        if (to >= 0) cut->open_before[to] += rest * out[n] / sum;
    }
}

// One after the other, as few cells are concerned.
static void settle(const sweeping *job)
{
    dr_cut_cells *cut = job->cut;
    for (size_t b = 0; b < cut->solids.grid->block_count; b++) {
        for (int c = 0; c < DR_BLOCK_NODES && cut->task[b] == STIRRED; c++) {
            float *open = &cut->open_before[b * DR_BLOCK_NODES + (size_t)c],
                  rest = *open - dr_clamp_float(*open, 0.0F, 1.0F);
            if (rest != 0.0F) hand_over(job, b, c, rest);
        }
    }
}

static void bound_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweeping *job = user;
    float *open = job->cut->open_before;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++)
        if (job->cut->task[i / DR_BLOCK_NODES] == STIRRED) open[i] = dr_clamp_float(open[i], 0.0F, 1.0F);
}

// Of grid blocks that hold no such matter at all nothing is known to be taken.
static double open_space(dr_cut_cells *cut)
{
    const dr_grid *grid = cut->solids.grid;
    bool any = false;
    for (size_t b = 0; b < grid->block_count; b++) {
        any = any || cut->touched[b];
        cut->partial[b] = cut->touched[b] ? cut->block_open[b] : 0.0;
    }
    return any ? dr_par_sum(cut->partial, grid->block_count) * grid->cell * grid->cell * grid->cell : INFINITY;
}

bool dr_cut_cells_measure(dr_cut_cells *cut, const uint8_t *touched, double dt)
{
    const dr_grid *grid = cut->solids.grid;
    cut->open_space = INFINITY;
    cut->touched = touched;
    if (!cut->has_solids || grid->block_count == 0) return true;
    bool differ = note_movers(cut);
    if (differ) dr_cut_solids_choose_bands(&cut->solids, cut->allocator);
    if (!dr_cut_solids_sample(&cut->solids, cut->par)) return false;
    bool elsewhere = note_origin(cut);
    if (differ || elsewhere || is_store_full(cut)) forget(cut);
    dr_par_for(cut->par, grid->block_count, 8, fill_blocks, cut);
    keep_fresh(cut);
    dr_par_for(cut->par, grid->block_count, 32, shut_blocks, cut);
    sweeping job = {
        .cut = cut, .cells_per_speed = (float)(dt / grid->cell), .known = (float)(DR_CUT_TOUCHED * grid->cell)};
    for (int a = 0; a < 3; a++) job.grid[a] = (float)grid->velocity[a];
    dr_par_for(cut->par, grid->block_count, 32, sweep_blocks, &job);
    settle(&job);
    dr_par_for(cut->par, grid->block_count, 32, bound_blocks, &job);
    cut->open_space = open_space(cut);
    return true;
}

// ---- particles kept out

// Particles stay this far from solids, in cells.
#define CLEARANCE 0.05

typedef struct keeping {
    const dr_cut_cells *cut;
    dr_particles *particles;
    const dr_cut_knocks *knocks; // NULL: nobody asks
} keeping;

static int64_t block_of(const dr_grid *grid, size_t block, uint64_t key)
{
    int32_t coordinate[3];
    if (key == grid->key[block]) return (int64_t)block;
    dr_grid_coordinate(key, coordinate);
    return dr_grid_find(grid, coordinate);
}

// How far from solids the corners around the particles of a block are beyond what keeps clear of them, in cells: from
// corner 1 of the block on along each axis, as particles stand.
enum { REACHED = DR_BLOCK_SIDE + 1 };
static_assert((int)DR_GRID_SHIFT == 1, "particles are beside corners 1 to 5 of their block");
typedef struct clearing {
    float spare[REACHED][REACHED][REACHED];
} clearing;

static void find_clearing(const dr_cut_cells *cut, size_t block, clearing *to)
{
    float corner[REACHED + 1][REACHED + 1][REACHED + 1], cell = (float)cut->solids.grid->cell;
    dr_halo_load_wide(cut->solids.grid, block, cut->corner, 0, REACHED + 1 - DR_BLOCK_SIDE, -1.0F, &corner[0][0][0]);
    for (int x = 0; x < REACHED; x++) {
        for (int y = 0; y < REACHED; y++) {
            for (int z = 0; z < REACHED; z++)
                to->spare[x][y][z] = corner[x + 1][y + 1][z + 1] / cell - (float)CLEARANCE;
        }
    }
}

// Whether the distance at one of the corners of its cell, less the way from there, already tells that a particle is
// clear of solids: distances have slopes of at most one.
static bool is_clear(const clearing *around, const float offset[3])
{
    int at[3];
    float place[3];
    for (int a = 0; a < 3; a++) {
        at[a] = (int)offset[a];
        place[a] = offset[a] - (float)at[a];
    }
    for (int i = 0; i < 8; i++) {
        const int up[3] = {i >> 2, i >> 1 & 1, i & 1};
        float spare = around->spare[at[0] + up[0]][at[1] + up[1]][at[2] + up[2]], way2 = 0.0F;
        for (int a = 0; a < 3; a++) way2 += (place[a] - (float)up[a]) * (place[a] - (float)up[a]);
        if (spare > 0.0F && spare * spare >= way2) return true;
    }
    return false;
}

// The impulse of a particle that is stopped by a solid.
static void knock(const keeping *job, size_t block, size_t p, const dr_collider_point *solid, double towards,
                  const double x[3])
{
    double impulse[3], lost = towards * (double)job->particles->mass[p];
    if (!job->knocks) return;
    for (int a = 0; a < 3; a++) impulse[a] = lost * solid->normal[a];
    job->knocks->add(job->knocks->user, block, solid->index, x, impulse);
}

static void keep_out(const keeping *job, size_t block, size_t p)
{
    const dr_cut_cells *cut = job->cut;
    dr_particles *particles = job->particles;
    const dr_grid *grid = cut->solids.grid;
    double x[3], clearance = CLEARANCE * grid->cell;
    dr_grid_position(grid, particles->key[p], particles->offset + 3 * p, x);
    bool moved = false;
    for (int again = 0; again < 3; again++) {
        dr_collider_point point = dr_cut_solids_nearest(&cut->solids, x, clearance);
        if (point.distance >= clearance) break;
        double towards = 0.0;
        float *v = particles->velocity + 3 * p;
        for (int a = 0; a < 3; a++) {
            x[a] += (clearance - point.distance) * point.normal[a];
            towards += ((double)v[a] - point.velocity[a]) * point.normal[a];
        }
        for (int a = 0; a < 3 && towards < 0.0; a++) v[a] -= (float)(towards * point.normal[a]);
        if (towards < 0.0) knock(job, block, p, &point, towards, x);
        moved = true;
    }
    if (moved) dr_grid_place(grid, x, &particles->key[p], particles->offset + 3 * p);
}

static void keep_out_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const keeping *job = user;
    const dr_cut_cells *cut = job->cut;
    const dr_grid *grid = cut->solids.grid;
    const uint32_t *first = job->particles->residents.first;
    for (size_t b = begin; b < end; b++) {
        clearing around[2];       // of particles that stay, of the last that left
        int64_t of[2] = {-1, -1}; // in these blocks
        if (!cut->near_solid[b]) continue;
        for (size_t p = first[b]; p < first[b + 1]; p++) {
            int64_t in = block_of(grid, b, job->particles->key[p]);
            int left = in != (int64_t)b;
            if (in >= 0 && in != of[left]) find_clearing(cut, (size_t)in, &around[left]);
            if (in >= 0) of[left] = in;
            if (in < 0 || !is_clear(&around[left], job->particles->offset + 3 * p)) keep_out(job, b, p);
        }
    }
}

void dr_cut_cells_keep_out(const dr_cut_cells *cut, dr_particles *particles, const dr_cut_knocks *knocks)
{
    if (!cut->has_solids) return;
    keeping job = {cut, particles, knocks};
    dr_par_for(cut->par, cut->solids.grid->block_count, knocks ? knocks->piece : 8, keep_out_blocks, &job);
}

bool dr_cut_cells_stop(const dr_cut_cells *cut, dr_particles *particles, const dr_cut_knocks *knocks, size_t block,
                       size_t p, const double x[3])
{
    const dr_grid *grid = cut->solids.grid;
    double clearance = CLEARANCE * grid->cell;
    keeping job = {cut, particles, knocks};
    if (dr_cut_solids_nearest(&cut->solids, x, clearance).distance >= clearance) return false;
    dr_grid_place(grid, x, &particles->key[p], particles->offset + 3 * p);
    keep_out(&job, block, p);
    return true;
}
