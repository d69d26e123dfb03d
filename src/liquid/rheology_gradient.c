// Velocity gradients on edges and in middles. docs/theory/rheology.md, eq. (18); walls as in viscosity.md, eq. (8).
#include "liquid/rheology_gradient.h"

#include "grid/halo.h"
#include "liquid/tuning.h"
#include "math/scalar.h"

#include <math.h>

enum { FACES = 3, CORNER_SIDE = 7, CORNERS = CORNER_SIDE * CORNER_SIDE * CORNER_SIDE, CELLS = DR_BLOCK_NODES };

#define FAR 2.0F // cells: distance of solids where there is no block

typedef struct gradient_job {
    const dr_grid *grid;
    const dr_strain_problem *problem;
    const float *velocity;
    float *slope[2], *weight;
} gradient_job;

// What a block sees.
typedef struct around {
    bool walled;
    float velocity[4 * DR_HALO_ITEMS];
    float wall[FACES][DR_HALO_ITEMS];                      // distance of solids from the faces' centres, cells
    float nearest[DR_HALO_ITEMS], farthest[DR_HALO_ITEMS]; // of the three
    float speed[FACES][DR_HALO_ITEMS], no_slip[FACES][DR_HALO_ITEMS];
    float level[DR_HALO_ITEMS]; // of the liquid's surface
} around;

static const int corner_step[3] = {CORNER_SIDE * CORNER_SIDE, CORNER_SIDE, 1};

// Distance of solids from the faces' centres: the means of their four corners.
static void find_walls(const float *corner, float cell, around *at)
{
    float per = 0.25F / cell;
    for (int a = 0; a < FACES; a++) {
        int u = corner_step[(a + 1) % 3], v = corner_step[(a + 2) % 3];
        for (int row = 0; row < DR_HALO_SIDE * DR_HALO_SIDE; row++) {
            const float *from = corner + row / DR_HALO_SIDE * corner_step[0] + row % DR_HALO_SIDE * corner_step[1];
            float *to = at->wall[a] + row * DR_HALO_SIDE;
            for (int z = 0; z < DR_HALO_SIDE; z++)
                to[z] = per * (from[z] + from[z + u] + from[z + v] + from[z + u + v]);
        }
    }
    for (int i = 0; i < DR_HALO_ITEMS; i++) {
        at->nearest[i] = dr_min_float(dr_min_float(at->wall[0][i], at->wall[1][i]), at->wall[2][i]);
        at->farthest[i] = dr_max_float(dr_max_float(at->wall[0][i], at->wall[1][i]), at->wall[2][i]);
    }
}

// False where there is nothing but solid.
static bool load_walls(const gradient_job *job, size_t block, around *at)
{
    const dr_strain_problem *problem = job->problem;
    float corner[CORNERS], cell = (float)job->grid->cell, least = cell, most = -cell;
    at->walled = false;
    if (!problem->solid) return true;
    dr_halo_load_wide(job->grid, block, problem->solid, 1, 2, FAR * cell, corner);
    for (int i = 0; i < CORNERS; i++) {
        least = dr_min_float(least, corner[i]);
        most = dr_max_float(most, corner[i]);
    }
    if (!(most > 0.0F)) return false;
    if (!(least < cell)) return true;
    find_walls(corner, cell, at);
    for (int i = 0; i < DR_HALO_ITEMS; i++) at->walled |= at->nearest[i] <= 0.0F;
    for (int a = 0; a < FACES && at->walled; a++) {
        for (int i = 0; i < DR_HALO_ITEMS; i++) at->speed[a][i] = 0.0F, at->no_slip[a][i] = 1.0F;
        if (problem->solid_velocity)
            dr_halo_load_lane(job->grid, block, problem->solid_velocity + a, 0.0F, at->speed[a]);
        if (problem->no_slip) dr_halo_load_lane(job->grid, block, problem->no_slip + a, 1.0F, at->no_slip[a]);
    }
    return true;
}

// The difference of the velocities of two faces of an axis over a cell; *buried where both are in solids.
static float differ(const around *at, int axis, int high, int low, bool *buried)
{
    float above = at->velocity[4 * high + axis], below = at->velocity[4 * low + axis];
    *buried = false;
    if (!at->walled) return above - below;
    float wall_high = at->wall[axis][high], wall_low = at->wall[axis][low];
    if (wall_high > 0.0F && wall_low > 0.0F) return above - below;
    *buried = wall_high <= 0.0F && wall_low <= 0.0F;
    if (*buried) return 0.0F;
    bool solid_above = wall_high <= 0.0F;
    float theta = solid_above ? wall_low / (wall_low - wall_high) : wall_high / (wall_high - wall_low);
    theta = fmaxf(theta, (float)DR_LIQUID_LEAST_CUT);
    float speed_high = at->speed[axis][high], speed_low = at->speed[axis][low];
    float speed =
        solid_above ? speed_low + theta * (speed_high - speed_low) : speed_high + theta * (speed_low - speed_high);
    float no_slip = at->no_slip[axis][solid_above ? high : low];
    return no_slip * (solid_above ? speed - below : above - speed) / theta;
}

// Whether any of the cells around an edge is liquid: beyond there is no velocity to be told.
static bool is_wet(const around *at, int here, int s)
{
    int one = dr_halo_step[(s + 1) % 3], two = dr_halo_step[(s + 2) % 3];
    return at->level[here] < 0.0F || at->level[here - one] < 0.0F || at->level[here - two] < 0.0F ||
           at->level[here - one - two] < 0.0F;
}

// One cell's points, with walls and surface near.
static void fill_cell(const gradient_job *job, const around *at, int here, size_t item)
{
    float per_cell = (float)(1.0 / job->grid->cell);
    bool deep[2], all = true;
    for (int s = 0; s < 3; s++) {
        int b = (s + 1) % 3, e = (s + 2) % 3;
        float along = differ(at, b, here, here - dr_halo_step[e], &deep[0]);
        float across = differ(at, e, here, here - dr_halo_step[b], &deep[1]);
        bool buried = (deep[0] && deep[1]) || !is_wet(at, here, s);
        job->slope[0][item + (size_t)s] = buried ? 0.0F : per_cell * along;
        job->slope[1][item + (size_t)s] = buried ? 0.0F : per_cell * across;
        job->weight[item + (size_t)s] = buried ? 0.0F : 1.0F;
    }
    float diagonal[3];
    for (int a = 0; a < 3; a++) {
        diagonal[a] = per_cell * differ(at, a, here + dr_halo_step[a], here, &deep[0]);
        all = all && deep[0];
    }
    all = all || !(at->level[here] < 0.0F);
    job->slope[0][item + 3] = all ? 0.0F : diagonal[0] - diagonal[2];
    job->slope[1][item + 3] = all ? 0.0F : diagonal[1] - diagonal[2];
    job->weight[item + 3] = all ? 0.0F : 1.0F;
}

// The same in liquid, away from walls: differences of all three components at once.
static void fill_open_cell(const gradient_job *job, const around *at, int here, size_t item)
{
    dr_float4 own = dr_float4_load(at->velocity + 4 * here), per_cell = dr_float4_all((float)(1.0 / job->grid->cell));
    dr_float4 down[3];
    float up[3];
    for (int a = 0; a < 3; a++) {
        down[a] = (own - dr_float4_load(at->velocity + 4 * (here - dr_halo_step[a]))) * per_cell;
        up[a] = (at->velocity[4 * (here + dr_halo_step[a]) + a] - own[a]) * per_cell[0];
    }
    dr_float4 high = {down[2][1], down[0][2], down[1][0], up[0] - up[2]};
    dr_float4 low = {down[1][2], down[2][0], down[0][1], up[1] - up[2]};
    dr_float4_store(job->slope[0] + item, high);
    dr_float4_store(job->slope[1] + item, low);
    dr_float4_store(job->weight + item, dr_float4_all(1.0F));
}

// Cells as bits: in liquid with no solid near; with neither liquid below them nor anything open.
typedef struct masks {
    uint64_t plain, nothing;
} masks;

static masks find_masks(const around *at)
{
    masks found = {0, 0};
    float low[DR_HALO_ITEMS];
    memcpy(low, at->level, sizeof low);
    for (int a = 0; a < 3; a++) { // the lowest of the eight cells below
        for (int i = DR_HALO_ITEMS - 1; i >= dr_halo_step[a]; i--)
            low[i] = dr_min_float(low[i], low[i - dr_halo_step[a]]);
    }
    for (int c = 0; c < CELLS; c++) {
        int here = dr_halo_place(c);
        bool clear = at->level[here] < 0.0F, buried = at->walled;
        for (int i = 0; i < 7 && at->walled; i++) {
            int item = here + (i == 0 ? 0 : i < 4 ? dr_halo_step[i - 1] : -dr_halo_step[i - 4]);
            clear &= at->nearest[item] > 0.0F;
            buried &= at->farthest[item] <= 0.0F;
        }
        found.plain |= (uint64_t)clear << c;
        found.nothing |= (uint64_t)(buried || !(low[here] < 0.0F)) << c;
    }
    return found;
}

static void clear_cell(const gradient_job *job, size_t item)
{
    dr_float4 zero = dr_float4_all(0.0F);
    dr_float4_store(job->slope[0] + item, zero);
    dr_float4_store(job->slope[1] + item, zero);
    dr_float4_store(job->weight + item, zero);
}

static void fill_block(const gradient_job *job, size_t block)
{
    around at;
    float low = 0.0F;
    dr_halo_load(job->grid, block, job->problem->level, (float)job->grid->cell, at.level);
    for (int i = 0; i < DR_HALO_ITEMS; i++) low = dr_min_float(low, at.level[i]);
    if (!(low < 0.0F) || !load_walls(job, block, &at)) { // there is no velocity to be told
        size_t first = 4 * block * CELLS, bytes = 4 * CELLS * sizeof(float);
        for (int f = 0; f < 2; f++) memset(job->slope[f] + first, 0, bytes);
        memset(job->weight + first, 0, bytes);
        return;
    }
    dr_halo_load_fours(job->grid, block, job->velocity, 0.0F, at.velocity);
    masks found = find_masks(&at);
    for (int c = 0; c < CELLS; c++) {
        size_t item = 4 * (block * CELLS + (size_t)c);
        if (found.nothing >> c & 1) {
            clear_cell(job, item);
        } else if (found.plain >> c & 1) {
            fill_open_cell(job, &at, dr_halo_place(c), item);
        } else {
            fill_cell(job, &at, dr_halo_place(c), item);
        }
    }
}

static void fill_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) fill_block(user, b);
}

void dr_rheology_gradient(const dr_grid *grid, const dr_par *par, const dr_strain_problem *problem,
                          const float *velocity, float *const slope[2], float *weight)
{
    gradient_job job = {grid, problem, velocity, {slope[0], slope[1]}, weight};
    dr_par_for(par, grid->block_count, 8, fill_blocks, &job);
}

void dr_rheology_gradient_at(const float value[8], float gradient[9])
{
    float third = (value[3] + value[7]) / 3.0F;
    gradient[0] = value[3] - third;
    gradient[4] = value[7] - third;
    gradient[8] = -third;
    gradient[5] = value[0]; // d u_y/dz
    gradient[6] = value[1]; // d u_z/dx
    gradient[1] = value[2]; // d u_x/dy
    gradient[7] = value[4]; // d u_z/dy
    gradient[2] = value[5]; // d u_x/dz
    gradient[3] = value[6]; // d u_y/dx
}
