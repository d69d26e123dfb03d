// Signed distance from volume fractions. docs/theory/surface.md, eq. (1)-(11).
//   N   quadratic B-spline, variance 1/4          m   volume of the liquid: sum of V N
//   r   moments of the open space                 f   volume fraction m / r0
//   d   distance from the plane that f stands for
// Scattered over blocks of one colour at a time, so that no two threads meet.
#include "liquid/level_set.h"

#include "grid/stencil.h"
#include "liquid/level_set_curvature.h"
#include "liquid/level_set_solids.h"
#include "liquid/tuning.h"
#include "geom/cut.h"
#include "grid/halo.h"
#include "liquid/plic.h"

enum { SIDE = DR_BLOCK_SIDE + 2, SWEEPS = 3 };

#define BEND 0.125F // eq. (8): half the kernel's variance

// ---- memory

enum { ARRAYS = 8 };

typedef struct array {
    void **data;
    size_t bytes;
} array;

static array array_of(dr_level_set *surface, int i)
{
    const size_t cells = DR_BLOCK_NODES * sizeof(float);
    const array arrays[ARRAYS] = {
        {(void **)&surface->distance, cells},
        {(void **)&surface->fraction, cells},
        {(void **)&surface->excess, cells},
        {(void **)&surface->volume, cells},
        {(void **)&surface->plane, 4 * cells},
        {(void **)&surface->spare, cells},
        {(void **)&surface->sides, sizeof *surface->sides},
        {(void **)&surface->band, sizeof *surface->band},
    };
    return arrays[i];
}

void dr_level_set_open(dr_level_set *surface, const dr_allocator *allocator, double spacing)
{
    *surface = (dr_level_set){.allocator = allocator, .grain = (float)(spacing * spacing / 24.0)};
}

void dr_level_set_close(dr_level_set *surface)
{
    for (int i = 0; i < ARRAYS; i++) {
        array one = array_of(surface, i);
        dr_memory_free(surface->allocator, *one.data, surface->capacity * one.bytes);
        *one.data = NULL;
    }
    surface->capacity = surface->band_count = 0;
}

size_t dr_level_set_bytes(const dr_level_set *surface)
{
    dr_level_set copy = *surface;
    size_t sum = 0;
    for (int i = 0; i < ARRAYS; i++) sum += surface->capacity * array_of(&copy, i).bytes;
    return sum;
}

static bool reserve(dr_level_set *surface, size_t blocks)
{
    if (blocks <= surface->capacity) return true;
    dr_level_set_close(surface);
    surface->capacity = blocks + blocks / 4;
    for (int i = 0; i < ARRAYS; i++) {
        array one = array_of(surface, i);
        *one.data = dr_memory_resize(surface->allocator, NULL, 0, surface->capacity * one.bytes);
        if (*one.data) continue;
        dr_level_set_close(surface);
        return false;
    }
    return true;
}

// ---- scatter

typedef struct job {
    dr_level_set *surface;
    const dr_grid *grid;
    const dr_particles *particles;
    const float *moments, *open; // NULL: all is open
    const float *volume, *solid; // of the liquid; of solids in its cells, NULL: none
    const uint32_t *blocks;      // of one colour
    float per_volume;            // cells per cm3
    const float *from;
    float *to;
    float scale;
} job;

// Lanes of three weights along z and zeros after them, in a whole row, for a particle in cell 0 .. 3 of it.
static const int turned[DR_BLOCK_SIDE][DR_STENCIL_PITCH] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {7, 0, 1, 2, 3, 4, 5, 6}, {6, 7, 0, 1, 2, 3, 4, 5}, {5, 6, 7, 0, 1, 2, 3, 4}};

// Adds volume * N to the 27 centres around a particle.
DR_INLINE void scatter(const float offset[3], float volume, float *buffer)
{
    dr_float4 place = {offset[0], offset[1], offset[2], 0.0F};
    dr_int4 base = __builtin_convertvector(place, dr_int4);
    dr_float4 t = place - __builtin_convertvector(base, dr_float4), w[4];
    dr_kernel_weights4(2, t, w);
    float *first = buffer + (base[0] * SIDE + base[1]) * DR_STENCIL_PITCH;
    dr_float8 z = dr_float8_pick((dr_float8){w[0][2], w[1][2], w[2][2]}, turned[base[2]]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            float *row = first + (i * SIDE + j) * DR_STENCIL_PITCH;
            dr_float8_store(row, dr_float8_load(row) + dr_float8_all(volume * w[i][0] * w[j][1]) * z);
        }
    }
}

// Adds what a block's particles gave to it and to its upper neighbours.
static void add_volumes(const dr_grid *grid, size_t block, const float *buffer, float *volume)
{
    for (int x = 0; x < SIDE; x++) {
        for (int y = 0; y < SIDE; y++) {
            int upper = x / DR_BLOCK_SIDE << 2 | y / DR_BLOCK_SIDE << 1;
            const float *from = buffer + (x * SIDE + y) * DR_STENCIL_PITCH;
            size_t row = (size_t)(x % DR_BLOCK_SIDE * DR_BLOCK_SIDE + y % DR_BLOCK_SIDE) * DR_BLOCK_SIDE;
            float *low = volume + DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper) + row;
            float *high = volume + DR_BLOCK_NODES * (size_t)dr_stencil_upper(grid, block, upper | 1) + row;
            dr_float4_store(low, dr_float4_load(low) + dr_float4_load(from));
            for (int z = DR_BLOCK_SIDE; z < SIDE; z++) high[z - DR_BLOCK_SIDE] += from[z];
        }
    }
}

static void scatter_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *what = user;
    for (size_t n = begin; n < end; n++) {
        _Alignas(64) float buffer[SIDE * SIDE * DR_STENCIL_PITCH] = {0.0F};
        size_t block = what->blocks[n];
        const uint32_t *first = what->particles->residents.first;
        for (size_t p = first[block]; p < first[block + 1]; p++)
            scatter(what->particles->offset + 3 * p, what->particles->volume[p] * what->per_volume, buffer);
        add_volumes(what->grid, block, buffer, what->surface->volume);
    }
}

static void clear_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    float *volume = ((const job *)user)->surface->volume;
    memset(volume + begin * DR_BLOCK_NODES, 0, (end - begin) * DR_BLOCK_NODES * sizeof *volume);
}

static void scatter_all(job *what, const dr_par *par)
{
    const dr_residents *residents = &what->particles->residents;
    dr_par_for(par, what->grid->block_count, 1024, clear_blocks, what);
    for (int c = 0; c < 8; c++) {
        what->blocks = residents->colour_block + residents->colour_first[c];
        dr_par_for(par, residents->colour_first[c + 1] - residents->colour_first[c], 4, scatter_blocks, what);
    }
}

// ---- from fractions to distance

// The distance that a fraction stands for in a whole kernel.
static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *what = user;
    dr_level_set *surface = what->surface;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        float share = what->moments ? what->moments[4 * i] : 1.0F;
        bool known = share >= DR_LIQUID_LEAST_OPEN;
        float volume = surface->share ? what->volume[i] / surface->share[i] : what->volume[i];
        if (what->solid) volume += what->solid[i];
        surface->fraction[i] = known ? volume / share : DR_LEVEL_SET_NOTHING;
        surface->distance[i] = known ? dr_plic_distance(surface->fraction[i], surface->grain) : DR_LEVEL_SET_UNKNOWN;
    }
}

enum { INSIDE = 1, OUTSIDE = 2, MEETS = 4 }; // what there is in a block; the surface is there or beside

static void look_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *what = user;
    for (size_t b = begin; b < end; b++) {
        unsigned sides = 0;
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            float distance = what->from[b * DR_BLOCK_NODES + (size_t)c];
            sides |= distance < 0.0F ? INSIDE : distance < DR_LEVEL_SET_UNKNOWN ? OUTSIDE : 0U;
        }
        what->surface->sides[b] = (uint8_t)sides;
    }
}

// ---- the band

static void find_band(dr_level_set *surface, const dr_grid *grid)
{
    surface->band_count = 0;
    for (size_t b = 0; b < grid->block_count; b++) {
        unsigned sides = 0;
        for (int n = 0; n < 27; n++) {
            int32_t other = grid->neighbour[27 * b + (size_t)n];
            if (other >= 0) sides |= surface->sides[other];
        }
        if (sides == (INSIDE | OUTSIDE)) surface->band[surface->band_count++] = (uint32_t)b;
    }
    for (size_t n = 0; n < surface->band_count; n++) surface->sides[surface->band[n]] |= MEETS;
}

// Distances around a block, and which of its cells are open; walls: whether some are not.
typedef struct patch {
    float halo[DR_HALO_ITEMS], open[DR_HALO_ITEMS];
    bool walls;
} patch;

static void load_patch(const job *what, size_t block, patch *to)
{
    dr_halo_load(what->grid, block, what->from, DR_LEVEL_SET_UNKNOWN, to->halo);
    to->walls = false;
    for (int c = 0; what->open && c < DR_BLOCK_NODES && !to->walls; c++)
        to->walls = what->moments[4 * (block * DR_BLOCK_NODES + (size_t)c)] < DR_LEVEL_SET_OPEN;
    if (to->walls) dr_halo_load(what->grid, block, what->open, 1.0F, to->open);
}

// Eight cells, two rows along z, and their six neighbours. apart: nothing of the surface lies between a cell and a
// closed one, as liquid that does not fill a cell beside a wall has no air behind it.
typedef struct eight {
    dr_float8 here, near[6];
    dr_int8 apart[6];
} eight;

DR_INLINE dr_float8 two_rows(const float *from)
{
    return dr_float8_join(dr_float4_load(from), dr_float4_load(from + DR_HALO_Y));
}

DR_INLINE dr_int8 are_open(const float *from)
{
    return two_rows(from) > 0.0F;
}

DR_INLINE void load_eight(const patch *of, int c, eight *to)
{
    int at = dr_halo_place(c);
    dr_int8 none = {0};
    to->here = two_rows(of->halo + at);
    for (int n = 0; n < 6; n++) {
        int step = (n & 1 ? 1 : -1) * dr_halo_step[n / 2];
        to->near[n] = two_rows(of->halo + at + step);
        to->apart[n] = of->walls ? are_open(of->open + at) ^ are_open(of->open + at + step) : none;
    }
}

// Cells with a neighbour across a face on the other side of the surface.
DR_INLINE dr_int8 are_measured(const eight *of)
{
    dr_int8 meets = {0};
    for (int n = 0; n < 6; n++) {
        dr_int8 across = (of->near[n] < 0.0F) ^ (of->here < 0.0F);
        meets |= across & (of->near[n] != DR_LEVEL_SET_UNKNOWN) & ~of->apart[n];
    }
    return meets & (of->here != DR_LEVEL_SET_UNKNOWN);
}

DR_INLINE dr_float8 with_sign(dr_float8 size, dr_float8 sign)
{
    dr_int8 bit = (dr_int8)dr_float8_all(-0.0F);
    return (dr_float8)(((dr_int8)size & ~bit) | ((dr_int8)sign & bit));
}

// The distance of a cell, less what curvature makes a surface seem to be, eq. (8).
static float straighten(const float *halo, int at)
{
    float bend = BEND * dr_clamp_float(dr_level_set_curvature_at(halo, at, DR_LIQUID_NEARBY, DR_LIQUID_CURVED),
                                       -DR_LIQUID_MOST_CURVATURE, DR_LIQUID_MOST_CURVATURE);
    return dr_clamp_float(halo[at] - bend, -DR_PLIC_REACH, DR_PLIC_REACH);
}

// Forgets what is too far away to be measured.
static void straighten_band(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *what = user;
    for (size_t n = begin; n < end; n++) {
        size_t b = what->surface->band[n];
        patch here;
        const float *halo = here.halo;
        load_patch(what, b, &here);
        for (int first = 0; first < DR_BLOCK_NODES; first += 8) {
            dr_float8 unknown = dr_float8_all(DR_LEVEL_SET_UNKNOWN), end = dr_float8_all(DR_LIQUID_BAND);
            float *to = &what->to[b * DR_BLOCK_NODES + (size_t)first];
            eight cells;
            load_eight(&here, first, &cells);
            dr_float8_store(to, dr_float8_select(cells.here == unknown, unknown, with_sign(end, cells.here)));
            unsigned measured = dr_int8_bits(are_measured(&cells));
            for (int l = 0; l < 8; l++) {
                if (measured >> l & 1) to[l] = straighten(halo, dr_halo_place(first + l));
            }
        }
    }
}

// Far away from the surface.
static void fill_ends(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *what = user;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        bool known = what->scale != 1.0F || what->from[i] != DR_LEVEL_SET_UNKNOWN;
        what->to[i] = known ? copysignf(what->scale * DR_LIQUID_BAND, what->from[i]) : DR_LEVEL_SET_UNKNOWN;
    }
}

// The distance whose upwind gradient is one, from the smallest distances along the three axes.
DR_INLINE dr_float8 solve_eikonal(dr_float8 a, dr_float8 b, dr_float8 c)
{
    dr_float8 zero = dr_float8_all(0.0F);
    dr_float8 low = dr_float8_smaller(a, dr_float8_smaller(b, c)), high = dr_float8_larger(a, dr_float8_larger(b, c));
    dr_float8 mid = a + b + c - low - high, one = low + 1.0F, gap = mid - low;
    dr_float8 two = 0.5F * (low + mid + dr_float8_sqrt(dr_float8_larger(zero, 2.0F - gap * gap)));
    dr_float8 sum = low + mid + high, squares = low * low + mid * mid + high * high;
    dr_float8 three = (sum + dr_float8_sqrt(dr_float8_larger(zero, sum * sum - 3.0F * (squares - 1.0F)))) / 3.0F;
    return dr_float8_select(one <= mid, one, dr_float8_select(two <= high, two, three));
}

// The distance of a neighbour, counted from the side of the cell.
DR_INLINE dr_float8 distance_towards(const eight *of, int n)
{
    dr_float8 there = with_sign(dr_float8_all(1.0F), of->here) * of->near[n];
    dr_int8 unknown = (of->near[n] == DR_LEVEL_SET_UNKNOWN) | ((there < 0.0F) & of->apart[n]);
    return dr_float8_select(unknown, dr_float8_all(DR_LIQUID_BAND), there);
}

DR_INLINE dr_float8 continue_cells(const eight *of)
{
    dr_float8 near[3];
    for (int a = 0; a < 3; a++) {
        dr_float8 nearest = dr_float8_smaller(distance_towards(of, 2 * a), distance_towards(of, 2 * a + 1));
        near[a] = dr_float8_larger(dr_float8_all(-1.0F), nearest);
    }
    dr_float8 distance = solve_eikonal(near[0], near[1], near[2]);
    distance = with_sign(dr_float8_smaller(dr_float8_all(DR_LIQUID_BAND), distance), of->here);
    return dr_float8_select(are_measured(of), of->here, distance);
}

// One sweep towards |grad| = 1 from the cells that are measured.
static void continue_band(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *what = user;
    bool is_last = what->to == what->surface->distance;
    dr_float8 nothing = dr_float8_all(is_last ? DR_LIQUID_BAND : DR_LEVEL_SET_UNKNOWN);
    for (size_t n = begin; n < end; n++) {
        size_t b = what->surface->band[n];
        patch here;
        load_patch(what, b, &here);
        for (int c = 0; c < DR_BLOCK_NODES; c += 8) {
            eight cells;
            load_eight(&here, c, &cells);
            dr_int8 unknown = cells.here == DR_LEVEL_SET_UNKNOWN;
            dr_float8 distance = dr_float8_select(unknown, nothing, continue_cells(&cells));
            dr_float8_store(what->to + b * DR_BLOCK_NODES + (size_t)c, what->scale * distance);
        }
    }
}

// ---- excess

static void exceed_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *what = user;
    const dr_level_set *surface = what->surface;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        float d = what->scale * surface->distance[i], f = surface->fraction[i];
        bool counts = d < 0.0F && f >= 0.0F;
        surface->excess[i] = counts ? f - dr_plic_fraction(d, surface->grain) : 0.0F;
    }
}

// Measured cells hold what their plane says, or more than any plane within DR_PLIC_REACH does.
static void exceed_band(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const job *what = user;
    const dr_level_set *surface = what->surface;
    float most = 1.0F - dr_plic_least(surface->grain);
    for (size_t n = begin; n < end; n++) {
        size_t b = surface->band[n];
        patch here;
        load_patch(what, b, &here);
        for (int first = 0; first < DR_BLOCK_NODES; first += 8) {
            size_t i = b * DR_BLOCK_NODES + (size_t)first;
            eight cells;
            load_eight(&here, first, &cells);
            unsigned measured = dr_int8_bits(are_measured(&cells));
            for (unsigned l = 0; l < 8; l++) {
                if (measured >> l & 1) surface->excess[i + l] = dr_max_float(0.0F, surface->fraction[i + l] - most);
            }
        }
    }
}

static void run_band(job *what, const dr_par *par, dr_par_body body, const float *from, float *to, float scale)
{
    what->from = from;
    what->to = to;
    what->scale = scale;
    dr_par_for(par, what->surface->band_count, 16, body, what);
}

static void run_blocks(job *what, const dr_par *par, dr_par_body body, const float *from, float *to, float scale)
{
    what->from = from;
    what->to = to;
    what->scale = scale;
    dr_par_for(par, what->grid->block_count, 32, body, what);
}

// The volumes are known.
static void find_distance(job *what, const dr_par *par)
{
    dr_level_set *surface = what->surface;
    const dr_grid *grid = what->grid;
    float cell = (float)grid->cell;
    if (grid->block_count == 0) return;
    run_blocks(what, par, measure_blocks, NULL, NULL, 1.0F);
    if (what->moments) dr_level_set_meet_solids(surface, grid, par, what->moments);
    run_blocks(what, par, look_blocks, surface->distance, NULL, 1.0F);
    find_band(surface, grid);
    run_blocks(what, par, fill_ends, surface->distance, surface->spare, 1.0F);
    run_band(what, par, straighten_band, surface->distance, surface->spare, 1.0F);
    run_blocks(what, par, fill_ends, surface->spare, surface->distance, cell);
    float *turn[2] = {surface->spare, surface->excess};
    memcpy(surface->excess, surface->spare, grid->block_count * DR_BLOCK_NODES * sizeof(float));
    for (int i = 0; i + 1 < SWEEPS; i++) run_band(what, par, continue_band, turn[i % 2], turn[(i + 1) % 2], 1.0F);
    run_band(what, par, continue_band, turn[(SWEEPS - 1) % 2], surface->distance, cell);
    run_blocks(what, par, exceed_blocks, NULL, NULL, 1.0F / cell);
    run_band(what, par, exceed_band, surface->spare, NULL, 1.0F);
}

static void meet_solids(job *what, const dr_level_set_solids *solids)
{
    if (!solids) return;
    what->moments = solids->moments;
    what->open = solids->open_volume;
}

bool dr_level_set_build(dr_level_set *surface, const dr_grid *grid, const dr_par *par, const dr_particles *particles,
                        const dr_level_set_solids *solids)
{
    if (!reserve(surface, grid->block_count)) return false;
    job what = {.surface = surface, .grid = grid, .particles = particles, .volume = surface->volume};
    meet_solids(&what, solids);
    what.per_volume = (float)(1.0 / (grid->cell * grid->cell * grid->cell));
    scatter_all(&what, par);
    find_distance(&what, par);
    return true;
}

bool dr_level_set_join(dr_level_set *joint, const dr_level_set *own, const dr_grid *grid, const dr_par *par,
                       const dr_level_set_solids *solids, const float *solid)
{
    if (!reserve(joint, grid->block_count)) return false;
    job what = {.surface = joint, .grid = grid, .volume = own->volume, .solid = solid};
    meet_solids(&what, solids);
    find_distance(&what, par);
    return true;
}

// ---- what follows from the distance

typedef struct mark_job {
    const dr_level_set *surface;
    const dr_grid *grid;
    const dr_particles *particles;
    const float *open_volume;
    uint8_t *cell;
    float *theta;
    double *partial;
} mark_job;

static void mark_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const mark_job *job = user;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        bool solid = job->open_volume && !(job->open_volume[i] > 0.0F);
        job->cell[i] = solid ? DR_CELL_SOLID : job->surface->distance[i] < 0.0F ? DR_CELL_LIQUID : DR_CELL_AIR;
    }
}

void dr_level_set_mark(const dr_level_set *surface, const dr_grid *grid, const dr_par *par, const float *open_volume,
                       uint8_t *cell)
{
    mark_job job = {.surface = surface, .grid = grid, .open_volume = open_volume, .cell = cell};
    dr_par_for(par, grid->block_count, 64, mark_blocks, &job);
}

// eq. (9)
static float cut_between(float here, float there, uint8_t cell, uint8_t other)
{
    if (cell == other || cell == DR_CELL_SOLID || other == DR_CELL_SOLID) return 1.0F;
    float liquid = cell == DR_CELL_LIQUID ? here : there, air = cell == DR_CELL_LIQUID ? there : here;
    float theta = liquid / (liquid - air);
    float least = (float)DR_LIQUID_LEAST_CUT;
    return theta >= least ? dr_min_float(theta, 1.0F) : least;
}

static void whole_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const mark_job *job = user;
    for (size_t i = begin * 4 * DR_BLOCK_NODES; i < end * 4 * DR_BLOCK_NODES; i++) job->theta[i] = 1.0F;
}

static void cut_band(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const mark_job *job = user;
    for (size_t n = begin; n < end; n++) {
        size_t b = job->surface->band[n];
        float halo[DR_HALO_ITEMS];
        uint8_t cell[DR_HALO_ITEMS];
        dr_halo_load(job->grid, b, job->surface->distance, DR_LIQUID_BAND * (float)job->grid->cell, halo);
        dr_halo_load_bytes(job->grid, b, job->cell, DR_CELL_AIR, cell);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            float *theta = job->theta + 4 * (b * DR_BLOCK_NODES + (size_t)c);
            int at = dr_halo_place(c);
            for (int a = 0; a < 3; a++) {
                int below = at - dr_halo_step[a];
                theta[a] = cut_between(halo[at], halo[below], cell[at], cell[below]);
            }
        }
    }
}

void dr_level_set_cut(const dr_level_set *surface, const dr_grid *grid, const dr_par *par, const uint8_t *cell,
                      float *theta)
{
    mark_job job = {.surface = surface, .grid = grid, .cell = (uint8_t *)cell, .theta = theta};
    dr_par_for(par, grid->block_count, 64, whole_blocks, &job);
    dr_par_for(par, surface->band_count, 16, cut_band, &job);
}

// ---- volume

// The share of one eighth of a cell inside the plane of its distance and of the slopes towards its neighbours there.
static double share_of_octant(double distance, const double slope[3], int octant)
{
    double half[3];
    for (int a = 0; a < 3; a++) {
        half[a] = 0.5 * slope[a];
        distance += 0.5 * (octant >> a & 1 ? half[a] : -half[a]);
    }
    return dr_cut_cube(distance, half);
}

// Distances are linear between centres: where they rise or fall to both sides of a cell, as in a sheet, every eighth of
// it has a plane of its own.
static double share_in_sheet(const float *halo, int at)
{
    double sum = 0.0;
    for (int octant = 0; octant < 8; octant++) {
        double slope[3];
        for (int a = 0; a < 3; a++) {
            int step = dr_halo_step[a];
            slope[a] = (double)(octant >> a & 1 ? halo[at + step] - halo[at] : halo[at] - halo[at - step]);
        }
        sum += 0.125 * share_of_octant((double)halo[at], slope, octant);
    }
    return sum;
}

// The share of a cell inside the plane of its distance and slope, eq. (10).
static double share_inside(const float *halo, int at, double cell)
{
    double slope[3];
    bool sheet = false;
    if (fabsf(halo[at]) > 1.5F * (float)cell) return halo[at] < 0.0F ? 1.0 : 0.0;
    for (int a = 0; a < 3; a++) {
        float low = halo[at] - halo[at - dr_halo_step[a]], high = halo[at + dr_halo_step[a]] - halo[at];
        slope[a] = 0.5 * (double)(low + high);
        sheet = sheet || low * high < 0.0F;
    }
    return sheet ? share_in_sheet(halo, at) : dr_cut_cube((double)halo[at], slope);
}

// Particles in cells with nothing of the surface in or around them: spray.
static double add_spray(const mark_job *job, size_t block, const float *halo)
{
    double sum = 0.0;
    const uint32_t *first = job->particles->residents.first;
    for (size_t p = first[block]; p < first[block + 1]; p++) {
        const float *offset = job->particles->offset + 3 * p;
        int at = DR_HALO_ITEM((int)offset[0] + 1, (int)offset[1] + 1, (int)offset[2] + 1);
        if (halo[at] >= 1.5F * (float)job->grid->cell) sum += (double)job->particles->volume[p];
    }
    return sum;
}

// Far away from any surface.
static double add_all(const mark_job *job, size_t block)
{
    double sum = 0.0;
    const uint32_t *first = job->particles->residents.first;
    for (size_t p = first[block]; p < first[block + 1]; p++) sum += (double)job->particles->volume[p];
    return sum;
}

static void occupy_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const mark_job *job = user;
    double cell = job->grid->cell, volume = cell * cell * cell;
    for (size_t b = begin; b < end; b++) {
        float halo[DR_HALO_ITEMS];
        double sum = 0.0;
        if (job->surface->sides[b] == OUTSIDE) {
            job->partial[b] = add_all(job, b);
            continue;
        }
        dr_halo_load(job->grid, b, job->surface->distance, DR_LIQUID_BAND * (float)cell, halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)c;
            double open = job->open_volume ? (double)job->open_volume[i] : 1.0;
            if (job->surface->share) open *= (double)job->surface->share[i];
            if (open > 0.0) sum += open * share_inside(halo, dr_halo_place(c), cell);
        }
        job->partial[b] = sum * volume + add_spray(job, b, halo);
    }
}

double dr_level_set_volume(const dr_level_set *surface, const dr_grid *grid, const dr_par *par,
                           const dr_particles *particles, const float *open_volume, double *partial)
{
    mark_job job = {
        .surface = surface, .grid = grid, .particles = particles, .open_volume = open_volume, .partial = partial};
    dr_par_for(par, grid->block_count, 16, occupy_blocks, &job);
    return dr_par_sum(partial, grid->block_count);
}
