// A particle level set from the mean offset of the liquid around a cell centre. docs/theory/surface.md, eq. (1)-(10).
//   N     quadratic B-spline, variance 1/4           V   particle volume in cells
//   m     sum of V N, and of V N (x_p - x_c)         q   |mean offset|, 0 deep inside, growing outwards
//   psi   distance from solids, positive outside     n   its gradient
// Scattered over blocks of one colour at a time, so that no two threads meet.
#include "liquid/surface.h"

#include "grid/stencil.h"
#include "liquid/bend.h"
#include "grid/halo.h"
#include "liquid/lean.h"
#include "liquid/wall.h"

#include <math.h>

enum { SIDE = DR_BLOCK_SIDE + 2, SWEEPS = 3 };

#define DR_OFFSET_SKIN 1.0F   // thickness of a wall's skin, cells
#define BEND           0.138F // eq. (6): how far a curved surface is seen from where it is, cells per curvature
#define TRUSTED        0.75F  // cells: within this the distance is measured, beyond it is continued
#define MEASURED       0.9F   // the largest distance that counts as measured
#define NEARBY         0.75F  // cells: within this the distance tells of curvature,
#define CURVED         1.0F   // and beyond this it does not
#define FEW            1e-6F  // cells of volume: nothing there

// ---- memory

static float **array_of(dr_surface *surface, int i)
{
    float **arrays[] = {&surface->distance, &surface->fill,   &surface->spare,
                        &surface->lean,     &surface->moment, &surface->skin};
    return arrays[i];
}

static size_t bytes_of(int i)
{
    return (i < 4 ? 1U : 4U) * DR_BLOCK_NODES * sizeof(float);
}

enum { ARRAYS = 6 };

void dr_surface_open(dr_surface *surface, const dr_allocator *allocator)
{
    *surface = (dr_surface){.allocator = allocator, .table = {.spacing = -1.0F}};
}

void dr_surface_close(dr_surface *surface)
{
    for (int i = 0; i < ARRAYS; i++) {
        dr_memory_free(surface->allocator, *array_of(surface, i), surface->capacity * bytes_of(i));
        *array_of(surface, i) = NULL;
    }
    surface->capacity = 0;
}

size_t dr_surface_bytes(const dr_surface *surface)
{
    size_t sum = 0;
    for (int i = 0; i < ARRAYS; i++) sum += surface->capacity * bytes_of(i);
    return sum;
}

static bool reserve(dr_surface *surface, size_t blocks)
{
    if (blocks <= surface->capacity) return true;
    dr_surface_close(surface);
    surface->capacity = blocks + blocks / 2;
    for (int i = 0; i < ARRAYS; i++) {
        *array_of(surface, i) = dr_memory_resize(surface->allocator, NULL, 0, surface->capacity * bytes_of(i));
        if (*array_of(surface, i)) continue;
        dr_surface_close(surface);
        return false;
    }
    return true;
}

// ---- scatter

typedef struct scatter_job {
    dr_surface *surface;
    const dr_grid *grid;
    const dr_particles *particles;
    const float *solid;
    const uint32_t *blocks; // of one colour
    float per_volume;       // cells per cm3
} scatter_job;

// Adds volume * N * (1, x_p - x_c) to the 27 centres around a particle.
DR_INLINE void scatter(const float offset[3], float volume, float *buffer)
{
    dr_float4 place = {offset[0], offset[1], offset[2], 0.0F};
    dr_int4 base = __builtin_convertvector(place, dr_int4);
    dr_float4 t = place - __builtin_convertvector(base, dr_float4), w[4];
    dr_float4 f = t + dr_float4_all((float)dr_kernel_reach(2));
    dr_kernel_weights4(2, t, w);
    float *first = buffer + 4 * ((base[0] * SIDE + base[1]) * DR_STENCIL_PITCH + base[2]);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            dr_float4 q = {1.0F, f[0] - (float)i, f[1] - (float)j, f[2]};
            dr_float4 down = {0.0F, 0.0F, 0.0F, 1.0F}, wij = dr_float4_all(volume * w[i][0] * w[j][1]);
            float *row = first + 4 * (i * SIDE + j) * DR_STENCIL_PITCH;
            for (int k = 0; k < 3; k++, q -= down) {
                dr_float4 sum = dr_float4_add_product(dr_float4_load(row + 4 * k), q, wij * dr_float4_all(w[k][2]));
                dr_float4_store(row + 4 * k, sum);
            }
        }
    }
}

static void scatter_block(const scatter_job *job, size_t block)
{
    _Alignas(64) float moment[4 * SIDE * SIDE * DR_STENCIL_PITCH], skin[4 * SIDE * SIDE * DR_STENCIL_PITCH];
    float corner[DR_WALL_CORNERS];
    bool near = job->solid && dr_wall_load(job->grid, block, job->solid, DR_OFFSET_SKIN, corner);
    memset(moment, 0, sizeof moment);
    if (near) memset(skin, 0, sizeof skin);
    for (size_t p = job->grid->first[block]; p < job->grid->first[block + 1]; p++) {
        const float *offset = job->particles->offset + 3 * p;
        float volume = job->particles->volume[p] * job->per_volume;
        scatter(offset, volume, moment);
        if (!near) continue;
        float share = 1.0F - dr_wall_distance(corner, offset) / DR_OFFSET_SKIN;
        if (share > 0.0F) scatter(offset, volume * fminf(share, 1.0F), skin);
    }
    dr_stencil_add(job->grid, block, SIDE, moment, 4, job->surface->moment);
    if (near) dr_stencil_add(job->grid, block, SIDE, skin, 4, job->surface->skin);
}

static void scatter_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const scatter_job *job = user;
    for (size_t n = begin; n < end; n++) scatter_block(job, job->blocks[n]);
}

static void scatter_all(scatter_job *job, const dr_par *par)
{
    const dr_grid *grid = job->grid;
    dr_stencil_clear(grid, par, job->surface->moment);
    if (job->solid) dr_stencil_clear(grid, par, job->surface->skin);
    for (int c = 0; c < 8; c++) {
        job->blocks = grid->colour_block + grid->colour_first[c];
        dr_par_for(par, grid->colour_first[c + 1] - grid->colour_first[c], 4, scatter_blocks, job);
    }
}

// ---- from moments to distance

static float measure_cell(const dr_surface *surface, const float m[4])
{
    if (!(m[0] > FEW)) return DR_SURFACE_BAND;
    float q = sqrtf(m[1] * m[1] + m[2] * m[2] + m[3] * m[3]) / m[0];
    return dr_offset_look_up(surface->table.depth, q, 0.0F, DR_OFFSET_REACH);
}

static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const scatter_job *job = user;
    dr_surface *surface = job->surface;
    float far = 2.0F * DR_SURFACE_BAND * (float)job->grid->cell, scale = 1.0F / (float)job->grid->cell;
    for (size_t b = begin; b < end; b++) {
        float corner[DR_HALO_ITEMS];
        if (job->solid) dr_halo_load(job->grid, b, job->solid, far, corner);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            size_t item = b * DR_BLOCK_NODES + (size_t)c;
            float m[4], n[3];
            memcpy(m, surface->moment + 4 * item, sizeof m);
            surface->fill[item] = m[0];
            if (job->solid) {
                float psi = scale * dr_wall_at(corner, dr_halo_place(c), n);
                if (psi < DR_OFFSET_REACH) dr_wall_fill(&surface->table, psi, n, surface->skin + 4 * item, m);
            }
            surface->spare[item] = measure_cell(surface, m);
        }
    }
}

// ---- curvature, and the distance further away

typedef struct sweep_job {
    const dr_grid *grid;
    const float *from;
    float *to;
    float scale;
} sweep_job;

// Outside, short distances are good. Inside they may tell of uneven particles as well, and count beside air alone.
static bool is_measured(const float *halo, int at)
{
    bool negative = halo[at] < 0.0F, touches = false, meets = false;
    for (int i = 0; i < 27; i++) {
        int x = i / 9 - 1, y = i / 3 % 3 - 1, z = i % 3 - 1;
        bool other = (halo[at + x * DR_HALO_X + y * DR_HALO_Y + z] < 0.0F) != negative;
        meets = meets || other;
        touches = touches || (other && x * x + y * y + z * z == 1);
    }
    return touches || (fabsf(halo[at]) < TRUSTED && (meets || !negative));
}

// Takes back what curvature makes a surface seem to be, eq. (6); forgets what is too far away to be measured.
static void straighten_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep_job *job = user;
    for (size_t b = begin; b < end; b++) {
        float halo[DR_HALO_ITEMS];
        dr_halo_load(job->grid, b, job->from, DR_OFFSET_REACH, halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            int at = dr_halo_place(c);
            float bend = BEND * dr_bend_bounded(dr_bend_at(halo, at, NEARBY, CURVED), DR_BEND_MOST);
            job->to[b * DR_BLOCK_NODES + (size_t)c] = is_measured(halo, at) ? dr_bend_bounded(halo[at] - bend, MEASURED)
                                                                            : copysignf(DR_SURFACE_BAND, halo[at]);
        }
    }
}

// The distance whose upwind gradient is one, from the smallest distances along the three axes, increasing.
static float solve_eikonal(float a, float b, float c)
{
    float low = fminf(a, fminf(b, c)), high = fmaxf(a, fmaxf(b, c)), mid = a + b + c - low - high;
    float d = low + 1.0F;
    if (d <= mid) return d;
    float gap = mid - low;
    d = 0.5F * (low + mid + sqrtf(fmaxf(0.0F, 2.0F - gap * gap)));
    if (d <= high) return d;
    float sum = low + mid + high, squares = low * low + mid * mid + high * high;
    return (sum + sqrtf(fmaxf(0.0F, sum * sum - 3.0F * (squares - 1.0F)))) / 3.0F;
}

static float continue_from(const float *halo, int at)
{
    float side = copysignf(1.0F, halo[at]), near[3];
    for (int a = 0; a < 3; a++) {
        float low = side * halo[at - dr_halo_step[a]], high = side * halo[at + dr_halo_step[a]];
        near[a] = fmaxf(-1.0F, fminf(low, high));
    }
    return side * fminf(DR_SURFACE_BAND, solve_eikonal(near[0], near[1], near[2]));
}

static void continue_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const sweep_job *job = user;
    for (size_t b = begin; b < end; b++) {
        float halo[DR_HALO_ITEMS];
        dr_halo_load(job->grid, b, job->from, DR_SURFACE_BAND, halo);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            int at = dr_halo_place(c);
            float distance = fabsf(halo[at]) <= MEASURED ? halo[at] : continue_from(halo, at);
            job->to[b * DR_BLOCK_NODES + (size_t)c] = job->scale * distance;
        }
    }
}

static void sweep(const dr_par *par, dr_par_body body, const dr_grid *grid, const float *from, float *to, float scale)
{
    sweep_job job = {grid, from, to, scale};
    dr_par_for(par, grid->block_count, 16, body, &job);
}

bool dr_surface_build(dr_surface *surface, const dr_grid *grid, const dr_par *par, const dr_particles *particles,
                      const float *solid, double spacing)
{
    if (!reserve(surface, grid->block_count)) return false;
    dr_offset_make(&surface->table, (float)spacing);
    double cell = grid->cell;
    scatter_job job = {surface, grid, particles, solid, NULL, (float)(1.0 / (cell * cell * cell))};
    scatter_all(&job, par);
    dr_par_for(par, grid->block_count, 16, measure_blocks, &job);
    const dr_lean lean = {&surface->table, solid,           surface->fill, surface->spare,
                          surface->lean,   surface->moment, surface->skin};
    if (solid) dr_lean_find(&lean, grid, par);
    sweep(par, straighten_blocks, grid, surface->spare, surface->distance, 1.0F);
    for (int i = 0; i < SWEEPS; i++) {
        float *swap = surface->spare;
        surface->spare = surface->distance;
        surface->distance = swap;
        sweep(par, continue_blocks, grid, surface->spare, surface->distance, i == SWEEPS - 1 ? (float)cell : 1.0F);
    }
    return true;
}

// ---- what follows from the distance

typedef struct mark_job {
    const dr_grid *grid;
    const float *distance, *open_volume;
    uint8_t *cell;
    float *theta;
} mark_job;

static void mark_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const mark_job *job = user;
    for (size_t i = begin * DR_BLOCK_NODES; i < end * DR_BLOCK_NODES; i++) {
        bool solid = job->open_volume && !(job->open_volume[i] > 0.0F);
        job->cell[i] = solid ? DR_CELL_SOLID : job->distance[i] < 0.0F ? DR_CELL_LIQUID : DR_CELL_AIR;
    }
}

void dr_surface_mark(const dr_grid *grid, const dr_par *par, const float *distance, const float *open_volume,
                     uint8_t *cell)
{
    mark_job job = {.grid = grid, .distance = distance, .open_volume = open_volume, .cell = cell};
    dr_par_for(par, grid->block_count, 64, mark_blocks, &job);
}

// eq. (9)
static float cut_between(float here, float there, uint8_t cell, uint8_t other)
{
    if (cell == other || cell == DR_CELL_SOLID || other == DR_CELL_SOLID) return 1.0F;
    float liquid = cell == DR_CELL_LIQUID ? here : there, air = cell == DR_CELL_LIQUID ? there : here;
    float theta = liquid / (liquid - air);
    return theta >= DR_SURFACE_FRACTION ? fminf(theta, 1.0F) : DR_SURFACE_FRACTION;
}

static void cut_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const mark_job *job = user;
    for (size_t b = begin; b < end; b++) {
        float halo[DR_HALO_ITEMS];
        uint8_t cell[DR_HALO_ITEMS];
        dr_halo_load(job->grid, b, job->distance, DR_SURFACE_BAND * (float)job->grid->cell, halo);
        dr_halo_load_bytes(job->grid, b, job->cell, DR_CELL_AIR, cell);
        for (int c = 0; c < DR_BLOCK_NODES; c++) {
            float *theta = job->theta + 4 * (b * DR_BLOCK_NODES + (size_t)c);
            int at = dr_halo_place(c);
            for (int a = 0; a < 3; a++) {
                int below = at - dr_halo_step[a];
                theta[a] = cut_between(halo[at], halo[below], cell[at], cell[below]);
            }
            theta[3] = 1.0F;
        }
    }
}

void dr_surface_cut(const dr_grid *grid, const dr_par *par, const float *distance, const uint8_t *cell, float *theta)
{
    mark_job job = {.grid = grid, .distance = distance, .cell = (uint8_t *)cell, .theta = theta};
    dr_par_for(par, grid->block_count, 16, cut_blocks, &job);
}
