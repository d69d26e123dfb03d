// Velocity gradients on edges and in middles. docs/theory/rheology.md, eq. (18); walls as in viscosity.md, eq. (8).
#include "liquid/rheology_gradient.h"

#include "grid/halo.h"

#include <math.h>

enum { FACES = 3, CORNER_SIDE = 7, CORNERS = CORNER_SIDE * CORNER_SIDE * CORNER_SIDE, CELLS = DR_BLOCK_NODES };

#define SMALLEST_CUT 0.01F // distance of a wall from a face, in cells
#define FAR          2.0F  // cells: distance of solids where there is no block

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
    float wall[FACES][DR_HALO_ITEMS]; // distance of solids from the faces' centres, cells
    float speed[FACES][DR_HALO_ITEMS], grip[FACES][DR_HALO_ITEMS];
    float level[DR_HALO_ITEMS]; // of the liquid's surface
} around;

static const int corner_step[3] = {CORNER_SIDE * CORNER_SIDE, CORNER_SIDE, 1};

static void load_walls(const gradient_job *job, size_t block, around *at)
{
    const dr_strain_problem *problem = job->problem;
    float corner[CORNERS], cell = (float)job->grid->cell;
    at->walled = false;
    if (!problem->solid) return;
    dr_halo_load_wide(job->grid, block, problem->solid, 1, 2, FAR * cell, corner);
    for (int i = 0; i < CORNERS; i++) at->walled = at->walled || corner[i] < cell;
    for (int a = 0; a < FACES && at->walled; a++) {
        int u = corner_step[(a + 1) % 3], v = corner_step[(a + 2) % 3];
        for (int i = 0; i < DR_HALO_ITEMS; i++) {
            const float *from = corner + i / dr_halo_step[0] * corner_step[0] +
                                i / DR_HALO_SIDE % DR_HALO_SIDE * corner_step[1] + i % DR_HALO_SIDE;
            at->wall[a][i] = 0.25F * (from[0] + from[u] + from[v] + from[u + v]) / cell;
            at->speed[a][i] = 0.0F;
            at->grip[a][i] = 1.0F;
        }
        if (problem->solid_velocity)
            dr_halo_load_lane(job->grid, block, problem->solid_velocity + a, 0.0F, at->speed[a]);
        if (problem->grip) dr_halo_load_lane(job->grid, block, problem->grip + a, 1.0F, at->grip[a]);
    }
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
    theta = fmaxf(theta, SMALLEST_CUT);
    float speed_high = at->speed[axis][high], speed_low = at->speed[axis][low];
    float speed =
        solid_above ? speed_low + theta * (speed_high - speed_low) : speed_high + theta * (speed_low - speed_high);
    float grip = at->grip[axis][solid_above ? high : low];
    return grip * (solid_above ? speed - below : above - speed) / theta;
}

// Whether any of the cells around an edge is liquid: beyond there is no velocity to be told.
static bool is_wet(const around *at, int here, int s)
{
    int one = dr_halo_step[(s + 1) % 3], two = dr_halo_step[(s + 2) % 3];
    return at->level[here] < 0.0F || at->level[here - one] < 0.0F || at->level[here - two] < 0.0F ||
           at->level[here - one - two] < 0.0F;
}

static void fill_block(const gradient_job *job, size_t block)
{
    around at;
    float per_cell = (float)(1.0 / job->grid->cell);
    dr_halo_load_fours(job->grid, block, job->velocity, 0.0F, at.velocity);
    load_walls(job, block, &at);
    dr_halo_load(job->grid, block, job->problem->level, (float)job->grid->cell, at.level);
    for (int c = 0; c < CELLS; c++) {
        int here = dr_halo_place(c);
        size_t item = 4 * (block * CELLS + (size_t)c);
        bool deep[2], all = true;
        for (int s = 0; s < 3; s++) {
            int b = (s + 1) % 3, e = (s + 2) % 3;
            float along = differ(&at, b, here, here - dr_halo_step[e], &deep[0]);
            float across = differ(&at, e, here, here - dr_halo_step[b], &deep[1]);
            bool buried = (deep[0] && deep[1]) || !is_wet(&at, here, s);
            job->slope[0][item + (size_t)s] = buried ? 0.0F : per_cell * along;
            job->slope[1][item + (size_t)s] = buried ? 0.0F : per_cell * across;
            job->weight[item + (size_t)s] = buried ? 0.0F : 1.0F;
        }
        float diagonal[3];
        for (int a = 0; a < 3; a++) {
            diagonal[a] = per_cell * differ(&at, a, here + dr_halo_step[a], here, &deep[0]);
            all = all && deep[0];
        }
        all = all || !(at.level[here] < 0.0F);
        job->slope[0][item + 3] = all ? 0.0F : diagonal[0] - diagonal[2];
        job->slope[1][item + 3] = all ? 0.0F : diagonal[1] - diagonal[2];
        job->weight[item + 3] = all ? 0.0F : 1.0F;
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
