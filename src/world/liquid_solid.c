// Solids as the liquid sees them: distances at corners, velocity and grip on faces, and particles kept out of them.
// Walls and symmetry planes of the domain are solids at rest. docs/theory/liquid.md, "Solids".
#include "world/world.h"

#include "liquid/halo.h"
#include "liquid/solid.h"

#include <math.h>
#include <string.h>

static const double corner_shift[3] = {0, 0, 0}, center_shift[3] = {0.5, 0.5, 0.5};
static const double face_shift[3][3] = {{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};

static bool is_closed(int side)
{
    return side != DR_SIDE_OPEN && side != DR_SIDE_PERIODIC;
}

static double side_grip(int side, double friction)
{
    return side == DR_SIDE_STICKY ? 1.0 : side == DR_SIDE_SYMMETRY ? 0.0 : fmin(friction, 1.0);
}

// Distance to the nearest closed side, its inward normal and grip; infinite where there is none.
static double wall_distance(const dr_domain_spec *domain, const double x[3], double normal[3], double *grip)
{
    double best = INFINITY;
    for (int side = 0; side < 6; side++) {
        int a = side / 2;
        bool upper = side & 1;
        int kind = upper ? domain->side_max[a] : domain->side_min[a];
        double distance = upper ? domain->max[a] - x[a] : x[a] - domain->min[a];
        if (!is_closed(kind) || distance >= best) continue;
        best = distance;
        for (int b = 0; b < 3; b++) normal[b] = b != a ? 0.0 : upper ? -1.0 : 1.0;
        *grip = side_grip(kind, domain->friction);
    }
    return best;
}

static dr_collider_point nearest_solid(const dr_world *world, const double x[3])
{
    dr_collider_point point = dr_collider_set_nearest(world->constants.colliders, x);
    double normal[3], grip = 0.0, wall = wall_distance(&world->constants.domain, x, normal, &grip);
    if (wall < point.distance) {
        point = (dr_collider_point){.index = -1, .distance = wall, .grip = grip};
        memcpy(point.normal, normal, sizeof normal);
    }
    return point;
}

dr_collider_point dr_liquid_solid_at(const dr_world *world, const double x[3])
{
    return nearest_solid(world, x);
}

bool dr_liquid_has_solids(const dr_constants *constants)
{
    for (int a = 0; a < 3; a++) {
        if (is_closed(constants->domain.side_min[a]) || is_closed(constants->domain.side_max[a])) return true;
    }
    return dr_collider_set_count(constants->colliders) > 0;
}

// Which solids come near enough to a block to matter to its cells and particles.
static uint8_t come_near(const dr_world *world, const double middle[3], double radius)
{
    double normal[3], grip;
    bool side = wall_distance(&world->constants.domain, middle, normal, &grip) < radius;
    bool collider = !dr_collider_set_misses(world->constants.colliders, middle, radius);
    return (uint8_t)((side ? DR_NEAR_SIDE : 0) | (collider ? DR_NEAR_COLLIDER : 0));
}

// Solids count as this much thicker, in cells, so that a face that lies in a wall is closed.
#define SKIN 1e-5

// Distances beyond this many cells are all alike.
#define CLOSE 3.0

// Only within this many cells of its surface a solid's velocity and grip are asked for.
#define TOUCHED 2.0

static void forget_solid(dr_liquid *liquid, size_t item)
{
    liquid->corner[item] = (float)(CLOSE * liquid->grid.cell);
    liquid->friction[item] = 0.0F;
    for (size_t i = 4 * item; i < 4 * item + 4; i++) liquid->solid_velocity[i] = liquid->grip[i] = 0.0F;
}

static void measure_cell(dr_world *world, size_t block, int item)
{
    dr_liquid *liquid = &world->liquid;
    size_t i = block * DR_BLOCK_NODES + (size_t)item;
    double x[3], limit = CLOSE * liquid->grid.cell;
    dr_liquid_place(&liquid->grid, block, item, corner_shift, x);
    double distance = nearest_solid(world, x).distance - SKIN * liquid->grid.cell;
    forget_solid(liquid, i);
    if (distance >= limit) return;
    liquid->corner[i] = (float)fmax(-limit, distance);
    if (fabs(distance) > TOUCHED * liquid->grid.cell) return;
    dr_liquid_place(&liquid->grid, block, item, center_shift, x);
    liquid->friction[i] = (float)nearest_solid(world, x).grip;
    for (int a = 0; a < 3; a++) {
        dr_liquid_place(&liquid->grid, block, item, face_shift[a], x);
        dr_collider_point point = nearest_solid(world, x);
        liquid->solid_velocity[4 * i + (size_t)a] = (float)point.velocity[a];
        liquid->grip[4 * i + (size_t)a] = (float)point.grip;
    }
}

static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    dr_liquid *liquid = &world->liquid;
    const double middle_shift[3] = {2, 2, 2};
    for (size_t b = begin; b < end; b++) {
        double middle[3];
        dr_liquid_place(&liquid->grid, b, 0, middle_shift, middle);
        liquid->near_solid[b] = come_near(world, middle, (2.0 * sqrt(3.0) + 2.0) * liquid->grid.cell);
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            if (liquid->near_solid[b])
                measure_cell(world, b, n);
            else
                forget_solid(liquid, b * DR_BLOCK_NODES + (size_t)n);
        }
    }
}

// ---- room beside edges of solids

// Corners of a cell that differ from a plane by more than this, in cells, see an edge between them.
#define EDGE 0.05F

static bool has_edge(const float corner[8], float cell)
{
    float mean = 0.0F, slope[3] = {0.0F, 0.0F, 0.0F}, most = 0.0F;
    for (int i = 0; i < 8; i++) {
        mean += 0.125F * corner[i];
        for (int a = 0; a < 3; a++) slope[a] += 0.125F * (i >> (2 - a) & 1 ? corner[i] : -corner[i]);
    }
    for (int i = 0; i < 8; i++) {
        float plane = mean;
        for (int a = 0; a < 3; a++) plane += i >> (2 - a) & 1 ? slope[a] : -slope[a];
        most = fmaxf(most, fabsf(corner[i] - plane));
    }
    return most > EDGE * cell;
}

static bool sees_edge(const dr_liquid *liquid, size_t block, int item)
{
    float corner[8];
    for (int i = 0; i < 8; i++) {
        int64_t from = dr_halo_find(&liquid->grid, block, (item >> 4) + (i >> 2), (item >> 2 & 3) + (i >> 1 & 1),
                                    (item & 3) + (i & 1));
        if (from < 0) return false;
        corner[i] = liquid->corner[from];
    }
    return has_edge(corner, (float)liquid->grid.cell);
}

// The open share of a cell from the distance at the middles of its octants.
static float open_octants(const dr_world *world, size_t block, int item)
{
    double sum = 0.0, cell = world->liquid.grid.cell;
    for (int i = 0; i < 8; i++) {
        const double shift[3] = {0.25 + 0.5 * (i >> 2), 0.25 + 0.5 * (i >> 1 & 1), 0.25 + 0.5 * (i & 1)};
        double x[3];
        dr_liquid_place(&world->liquid.grid, block, item, shift, x);
        sum += 0.125 * fmin(1.0, fmax(0.0, 2.0 * (nearest_solid(world, x).distance / cell - SKIN) + 0.5));
    }
    return (float)sum;
}

// A plane through the corners of a cell tells too little of its room where two walls meet in it.
static void edge_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    dr_liquid *liquid = &world->liquid;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES && liquid->near_solid[b]; n++) {
            float *open = &liquid->open_volume[b * DR_BLOCK_NODES + (size_t)n];
            if (*open > 0.0F && *open < 1.0F && sees_edge(liquid, b, n))
                *open = fmaxf(DR_SOLID_LEAST, open_octants(world, b, n));
        }
    }
}

// ---- room between solids

enum { SIDES = 6, CORNERS = DR_BLOCK_SIDE + 1 }; // solids are the sides of the domain, then the colliders
enum { CLOSE_SOLIDS = 16 };                      // around one block; among more, the nearest alone tells

// Solids further than this from all corners of a block, in cells, hide nothing of its room.
#define HIDES 1.75

static double distance_of(const dr_world *world, int solid, const double x[3], double enough)
{
    const dr_domain_spec *domain = &world->constants.domain;
    if (solid >= SIDES) return dr_collider_set_clearance(world->constants.colliders, solid - SIDES, x, enough);
    int a = solid / 2;
    bool upper = solid & 1;
    if (!is_closed(upper ? domain->side_max[a] : domain->side_min[a])) return INFINITY;
    return upper ? domain->max[a] - x[a] : x[a] - domain->min[a];
}

static void normal_of(const dr_world *world, int solid, const double x[3], double normal[3])
{
    if (solid >= SIDES) {
        dr_collider_surface surface = dr_collider_set_surface(world->constants.colliders, solid - SIDES, x);
        memcpy(normal, surface.normal, sizeof surface.normal);
    } else {
        for (int a = 0; a < 3; a++) normal[a] = a != solid / 2 ? 0.0 : solid & 1 ? -1.0 : 1.0;
    }
}

static int find_close(const dr_world *world, size_t block, int close[CLOSE_SOLIDS])
{
    const double middle_shift[3] = {2, 2, 2};
    int solids = SIDES + dr_collider_set_count(world->constants.colliders), count = 0;
    double x[3], radius = (2.0 * sqrt(3.0) + HIDES) * world->liquid.grid.cell;
    dr_liquid_place(&world->liquid.grid, block, 0, middle_shift, x);
    for (int s = 0; s < solids; s++) {
        if (distance_of(world, s, x, radius) > radius) continue;
        if (count == CLOSE_SOLIDS) return 0;
        close[count++] = s;
    }
    return count;
}

typedef struct cover {
    float area[4 * DR_BLOCK_NODES], volume[DR_BLOCK_NODES];
} cover;

static void add_cover(const dr_world *world, size_t block, int solid, cover *sum)
{
    double cell = world->liquid.grid.cell, limit = CLOSE * cell;
    float corner[DR_HALO_ITEMS] = {0};
    for (int i = 0; i < CORNERS * CORNERS * CORNERS; i++) {
        const int at[3] = {i / (CORNERS * CORNERS), i / CORNERS % CORNERS, i % CORNERS};
        const double shift[3] = {at[0], at[1], at[2]};
        double x[3];
        dr_liquid_place(&world->liquid.grid, block, 0, shift, x);
        double distance = distance_of(world, solid, x, limit) - SKIN * cell;
        corner[DR_HALO_ITEM(at[0], at[1], at[2])] = (float)fmax(-limit, fmin(limit, distance));
    }
    dr_solid_cover(corner, sum->area, sum->volume);
}

static void uncover(float covered, float *open)
{
    if (1.0F - covered > *open + DR_SOLID_LEAST) *open = 1.0F - covered;
}

// Gaps that are narrower than this, in cells, are shut: particles keep away from either side.
#define NARROW 0.2

// Solids face each other where their normals are this much against each other.
#define FACING -0.7

static bool is_narrow(const dr_world *world, const int close[], int count, const double x[3])
{
    double cell = world->liquid.grid.cell, distance[CLOSE_SOLIDS], first[3], second[3];
    for (int i = 0; i < count; i++) distance[i] = distance_of(world, close[i], x, cell);
    for (int i = 1; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (!(distance[i] + distance[j] < NARROW * cell && fmax(distance[i], distance[j]) < cell)) continue;
            normal_of(world, close[i], x, first);
            normal_of(world, close[j], x, second);
            if (first[0] * second[0] + first[1] * second[1] + first[2] * second[2] < FACING) return true;
        }
    }
    return false;
}

static void uncover_block(dr_world *world, size_t block)
{
    dr_liquid *liquid = &world->liquid;
    int close[CLOSE_SOLIDS], count = find_close(world, block, close);
    if (count < 2) return;
    cover sum = {{0}, {0}};
    for (int i = 0; i < count; i++) add_cover(world, block, close[i], &sum);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        size_t item = block * DR_BLOCK_NODES + (size_t)c;
        double x[3];
        dr_liquid_place(&liquid->grid, block, c, center_shift, x);
        uncover(sum.volume[c], &liquid->open_volume[item]);
        for (int a = 0; a < 3; a++) uncover(sum.area[4 * c + a], &liquid->open_area[4 * item + (size_t)a]);
        float *open = &liquid->open_volume[item];
        if (*open > 0.0F && *open < 1.0F && is_narrow(world, close, count, x)) *open = 0.0F;
    }
}

// The distance of the nearest solid shows less room than there is where solids come within a cell of each other, and
// none where every corner is in one of them. Solids together cover no more than the sum of what each of them covers.
static void uncover_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    for (size_t b = begin; b < end; b++) {
        if (world->liquid.near_solid[b]) uncover_block(world, b);
    }
}

static void room_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0;
        for (size_t i = b * DR_BLOCK_NODES; i < (b + 1) * DR_BLOCK_NODES; i++)
            sum += (double)world->liquid.open_volume[i];
        world->partial[b] = sum;
    }
}

static double open_room(dr_world *world)
{
    const dr_grid *grid = &world->liquid.grid;
    dr_par_for(&world->par, grid->block_count, 32, room_blocks, world);
    return dr_par_sum(world->partial, grid->block_count) * grid->cell * grid->cell * grid->cell;
}

void dr_liquid_meet_solids(dr_world *world)
{
    dr_liquid *liquid = &world->liquid;
    liquid->open_room = INFINITY;
    if (!liquid->has_solids) return;
    dr_par_for(&world->par, liquid->grid.block_count, 8, measure_blocks, world);
    dr_solid_measure(&liquid->grid, &world->par, liquid->corner, liquid->open_area, liquid->open_volume);
    dr_par_for(&world->par, liquid->grid.block_count, 8, edge_blocks, world);
    dr_par_for(&world->par, liquid->grid.block_count, 8, uncover_blocks, world);
    dr_solid_shut(&liquid->grid, &world->par, liquid->open_area, liquid->open_volume);
    if (liquid->grid.block_count > 0) liquid->open_room = open_room(world);
}

// ---- particles kept out

// Liquid particles stay this far from solids, in cells.
#define CLEARANCE 0.05

static void keep_out(dr_world *world, size_t block, size_t p)
{
    dr_particles *particles = &world->state.liquid;
    dr_grid *grid = &world->liquid.grid;
    double x[3], clearance = CLEARANCE * grid->cell;
    dr_grid_position(grid, particles->key[p], particles->offset + 3 * p, x);
    bool moved = false;
    for (int again = 0; again < 3; again++) {
        dr_collider_point point = nearest_solid(world, x);
        if (point.distance >= clearance) break;
        double towards = 0.0;
        float *v = particles->velocity + 3 * p;
        for (int a = 0; a < 3; a++) {
            x[a] += (clearance - point.distance) * point.normal[a];
            towards += ((double)v[a] - point.velocity[a]) * point.normal[a];
        }
        for (int a = 0; a < 3 && towards < 0.0; a++) v[a] -= (float)(towards * point.normal[a]);
        if (towards < 0.0) {
            double lost = towards * (double)particles->mass[p];
            const double impulse[3] = {lost * point.normal[0], lost * point.normal[1], lost * point.normal[2]};
            dr_load_knock(world, block, point.index, x, impulse);
        }
        moved = true;
    }
    if (moved) dr_grid_place(grid, x, &particles->key[p], particles->offset + 3 * p);
}

static void keep_out_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    const dr_grid *grid = &world->liquid.grid;
    for (size_t b = begin; b < end; b++) {
        if (!world->liquid.near_solid[b]) continue;
        for (size_t p = grid->first[b]; p < grid->first[b + 1]; p++) keep_out(world, b, p);
    }
}

void dr_liquid_keep_out(dr_world *world)
{
    if (!world->liquid.has_solids) return;
    size_t piece = world->load.wanted ? DR_LOAD_CHUNK : 8;
    dr_load_begin_knocks(world);
    dr_par_for(&world->par, world->liquid.grid.block_count, piece, keep_out_blocks, world);
    dr_load_end_knocks(world);
}
