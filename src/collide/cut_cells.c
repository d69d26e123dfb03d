// Solids as grids see them: distances at corners, velocity and grip on faces, what of faces and cells is open, and
// particles kept out. Walls and symmetry planes of the domain are solids at rest. docs/theory/solids.md.
#include "collide/cut_cells.h"

#include "collide/open_share.h"
#include "grid/halo.h"

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

static dr_collider_point nearest_solid(const dr_cut_cells *cut, const double x[3])
{
    dr_collider_point point = dr_collider_set_nearest(cut->colliders, x);
    double normal[3], grip = 0.0, wall = wall_distance(cut->domain, x, normal, &grip);
    if (wall < point.distance) {
        point = (dr_collider_point){.distance = wall, .grip = grip};
        memcpy(point.normal, normal, sizeof normal);
    }
    return point;
}

static bool any_solids(const dr_cut_cells *cut)
{
    for (int a = 0; a < 3; a++) {
        if (is_closed(cut->domain->side_min[a]) || is_closed(cut->domain->side_max[a])) return true;
    }
    return dr_collider_set_count(cut->colliders) > 0;
}

#define FACE_FLOATS (DR_BLOCK_NODES * 4)

static const dr_column block_columns[] = {
    {"corner", offsetof(dr_cut_cells, corner), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"open_area", offsetof(dr_cut_cells, open_area), DR_TYPE_FLOAT32, FACE_FLOATS, "", ""},
    {"solid_velocity", offsetof(dr_cut_cells, solid_velocity), DR_TYPE_FLOAT32, FACE_FLOATS, "", ""},
    {"grip", offsetof(dr_cut_cells, grip), DR_TYPE_FLOAT32, FACE_FLOATS, "", ""},
    {"open_volume", offsetof(dr_cut_cells, open_volume), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"friction", offsetof(dr_cut_cells, friction), DR_TYPE_FLOAT32, DR_BLOCK_NODES, "", ""},
    {"touch", offsetof(dr_cut_cells, touch), DR_TYPE_UINT8, DR_BLOCK_NODES, "", ""},
    {"near_solid", offsetof(dr_cut_cells, near_solid), DR_TYPE_UINT8, 1, "", ""},
    {"partial", offsetof(dr_cut_cells, partial), DR_TYPE_FLOAT64, 1, "", ""},
};
static const dr_column_table block_table = {block_columns, (int)(sizeof block_columns / sizeof *block_columns)};

void dr_cut_cells_open(dr_cut_cells *cut, const dr_allocator *allocator, const dr_par *par, const dr_grid *grid,
                       const dr_domain_spec *domain, const dr_collider_set *colliders)
{
    *cut = (dr_cut_cells){.allocator = allocator, .par = par, .grid = grid, .domain = domain, .colliders = colliders};
    cut->has_solids = any_solids(cut);
    cut->open_room = INFINITY;
}

void dr_cut_cells_close(dr_cut_cells *cut)
{
    dr_columns_free(&block_table, cut, cut->allocator, &cut->capacity);
}

size_t dr_cut_cells_block_bytes(void)
{
    return dr_columns_row_bytes(&block_table);
}

bool dr_cut_cells_reserve(dr_cut_cells *cut)
{
    return !cut->has_solids ||
           dr_columns_reserve(&block_table, cut, cut->allocator, &cut->capacity, cut->grid->block_count);
}

// Which solids come near enough to a block to matter to its cells and particles.
static uint8_t come_near(const dr_cut_cells *cut, const double middle[3], double radius)
{
    double normal[3], grip;
    bool side = wall_distance(cut->domain, middle, normal, &grip) < radius;
    bool collider = !dr_collider_set_misses(cut->colliders, middle, radius);
    return (uint8_t)((side ? DR_NEAR_SIDE : 0) | (collider ? DR_NEAR_COLLIDER : 0));
}

// Solids count as this much thicker, in cells, so that a face that lies in a wall is closed.
#define SKIN 1e-5

// Distances beyond this many cells are all alike.
#define CLOSE 3.0

// Only within this many cells of its surface a solid's velocity and grip are asked for.
#define TOUCHED 2.0

static void forget_solid(dr_cut_cells *cut, size_t item)
{
    cut->corner[item] = (float)(CLOSE * cut->grid->cell);
    cut->friction[item] = 0.0F;
    for (size_t i = 4 * item; i < 4 * item + 4; i++) cut->solid_velocity[i] = cut->grip[i] = 0.0F;
}

static void measure_cell(dr_cut_cells *cut, size_t block, int item)
{
    size_t i = block * DR_BLOCK_NODES + (size_t)item;
    double x[3], limit = CLOSE * cut->grid->cell;
    dr_grid_point(cut->grid, block, item, corner_shift, x);
    double distance = nearest_solid(cut, x).distance - SKIN * cut->grid->cell;
    forget_solid(cut, i);
    if (distance >= limit) return;
    cut->corner[i] = (float)fmax(-limit, distance);
    if (fabs(distance) > TOUCHED * cut->grid->cell) return;
    dr_grid_point(cut->grid, block, item, center_shift, x);
    cut->friction[i] = (float)nearest_solid(cut, x).grip;
    for (int a = 0; a < 3; a++) {
        dr_grid_point(cut->grid, block, item, face_shift[a], x);
        dr_collider_point point = nearest_solid(cut, x);
        cut->solid_velocity[4 * i + (size_t)a] = (float)point.velocity[a];
        cut->grip[4 * i + (size_t)a] = (float)point.grip;
    }
}

static void measure_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_cut_cells *cut = user;
    const double middle_shift[3] = {2, 2, 2};
    for (size_t b = begin; b < end; b++) {
        double middle[3];
        dr_grid_point(cut->grid, b, 0, middle_shift, middle);
        cut->near_solid[b] = come_near(cut, middle, (2.0 * sqrt(3.0) + 2.0) * cut->grid->cell);
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            if (cut->near_solid[b])
                measure_cell(cut, b, n);
            else
                forget_solid(cut, b * DR_BLOCK_NODES + (size_t)n);
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

static bool sees_edge(const dr_cut_cells *cut, size_t block, int item)
{
    float corner[8];
    for (int i = 0; i < 8; i++) {
        int64_t from = dr_halo_find(cut->grid, block, (item >> 4) + (i >> 2), (item >> 2 & 3) + (i >> 1 & 1),
                                    (item & 3) + (i & 1));
        if (from < 0) return false;
        corner[i] = cut->corner[from];
    }
    return has_edge(corner, (float)cut->grid->cell);
}

// The open share of a cell from the distance at the middles of its octants.
static float open_octants(const dr_cut_cells *cut, size_t block, int item)
{
    double sum = 0.0, cell = cut->grid->cell;
    for (int i = 0; i < 8; i++) {
        const double shift[3] = {0.25 + 0.5 * (i >> 2), 0.25 + 0.5 * (i >> 1 & 1), 0.25 + 0.5 * (i & 1)};
        double x[3];
        dr_grid_point(cut->grid, block, item, shift, x);
        sum += 0.125 * fmin(1.0, fmax(0.0, 2.0 * (nearest_solid(cut, x).distance / cell - SKIN) + 0.5));
    }
    return (float)sum;
}

// A plane through the corners of a cell tells too little of its room where two walls meet in it.
static void edge_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_cut_cells *cut = user;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES && cut->near_solid[b]; n++) {
            float *open = &cut->open_volume[b * DR_BLOCK_NODES + (size_t)n];
            if (*open > 0.0F && *open < 1.0F && sees_edge(cut, b, n))
                *open = fmaxf(DR_OPEN_SHARE_LEAST, open_octants(cut, b, n));
        }
    }
}

// ---- room between solids

enum { SIDES = 6, CORNERS = DR_BLOCK_SIDE + 1 }; // solids are the sides of the domain, then the colliders
enum { CLOSE_SOLIDS = 16 };                      // around one block; among more, the nearest alone tells

// Solids further than this from all corners of a block, in cells, hide nothing of its room.
#define HIDES 1.75

static double distance_of(const dr_cut_cells *cut, int solid, const double x[3], double enough)
{
    const dr_domain_spec *domain = cut->domain;
    if (solid >= SIDES) return dr_collider_set_clearance(cut->colliders, solid - SIDES, x, enough);
    int a = solid / 2;
    bool upper = solid & 1;
    if (!is_closed(upper ? domain->side_max[a] : domain->side_min[a])) return INFINITY;
    return upper ? domain->max[a] - x[a] : x[a] - domain->min[a];
}

static void normal_of(const dr_cut_cells *cut, int solid, const double x[3], double normal[3])
{
    if (solid >= SIDES) {
        dr_collider_surface surface = dr_collider_set_surface(cut->colliders, solid - SIDES, x);
        memcpy(normal, surface.normal, sizeof surface.normal);
    } else {
        for (int a = 0; a < 3; a++) normal[a] = a != solid / 2 ? 0.0 : solid & 1 ? -1.0 : 1.0;
    }
}

static int find_close(const dr_cut_cells *cut, size_t block, int close[CLOSE_SOLIDS])
{
    const double middle_shift[3] = {2, 2, 2};
    int solids = SIDES + dr_collider_set_count(cut->colliders), count = 0;
    double x[3], radius = (2.0 * sqrt(3.0) + HIDES) * cut->grid->cell;
    dr_grid_point(cut->grid, block, 0, middle_shift, x);
    for (int s = 0; s < solids; s++) {
        if (distance_of(cut, s, x, radius) > radius) continue;
        if (count == CLOSE_SOLIDS) return 0;
        close[count++] = s;
    }
    return count;
}

typedef struct cover {
    float area[4 * DR_BLOCK_NODES], volume[DR_BLOCK_NODES];
} cover;

static void add_cover(const dr_cut_cells *cut, size_t block, int solid, cover *sum)
{
    double cell = cut->grid->cell, limit = CLOSE * cell;
    float corner[DR_HALO_ITEMS] = {0};
    for (int i = 0; i < CORNERS * CORNERS * CORNERS; i++) {
        const int at[3] = {i / (CORNERS * CORNERS), i / CORNERS % CORNERS, i % CORNERS};
        const double shift[3] = {at[0], at[1], at[2]};
        double x[3];
        dr_grid_point(cut->grid, block, 0, shift, x);
        double distance = distance_of(cut, solid, x, limit) - SKIN * cell;
        corner[DR_HALO_ITEM(at[0], at[1], at[2])] = (float)fmax(-limit, fmin(limit, distance));
    }
    dr_open_share_cover(corner, sum->area, sum->volume);
}

static void uncover(float covered, float *open)
{
    if (1.0F - covered > *open + DR_OPEN_SHARE_LEAST) *open = 1.0F - covered;
}

// Gaps that are narrower than this, in cells, are shut: particles keep away from either side.
#define NARROW 0.2

// Solids face each other where their normals are this much against each other.
#define FACING -0.7

static bool is_narrow(const dr_cut_cells *cut, const int close[], int count, const double x[3])
{
    double cell = cut->grid->cell, distance[CLOSE_SOLIDS], first[3], second[3];
    for (int i = 0; i < count; i++) distance[i] = distance_of(cut, close[i], x, cell);
    for (int i = 1; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (!(distance[i] + distance[j] < NARROW * cell && fmax(distance[i], distance[j]) < cell)) continue;
            normal_of(cut, close[i], x, first);
            normal_of(cut, close[j], x, second);
            if (first[0] * second[0] + first[1] * second[1] + first[2] * second[2] < FACING) return true;
        }
    }
    return false;
}

static void uncover_block(dr_cut_cells *cut, size_t block)
{
    int close[CLOSE_SOLIDS], count = find_close(cut, block, close);
    if (count < 2) return;
    cover sum = {{0}, {0}};
    for (int i = 0; i < count; i++) add_cover(cut, block, close[i], &sum);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        size_t item = block * DR_BLOCK_NODES + (size_t)c;
        double x[3];
        dr_grid_point(cut->grid, block, c, center_shift, x);
        uncover(sum.volume[c], &cut->open_volume[item]);
        for (int a = 0; a < 3; a++) uncover(sum.area[4 * c + a], &cut->open_area[4 * item + (size_t)a]);
        float *open = &cut->open_volume[item];
        if (*open > 0.0F && *open < 1.0F && is_narrow(cut, close, count, x)) *open = 0.0F;
    }
}

// The distance of the nearest solid shows less room than there is where solids come within a cell of each other, and
// none where every corner is in one of them. Solids together cover no more than the sum of what each of them covers.
static void uncover_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_cut_cells *cut = user;
    for (size_t b = begin; b < end; b++) {
        if (cut->near_solid[b]) uncover_block(cut, b);
    }
}

static void room_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_cut_cells *cut = user;
    for (size_t b = begin; b < end; b++) {
        double sum = 0.0;
        for (size_t i = b * DR_BLOCK_NODES; i < (b + 1) * DR_BLOCK_NODES; i++) sum += (double)cut->open_volume[i];
        cut->partial[b] = sum;
    }
}

static double open_room(dr_cut_cells *cut)
{
    const dr_grid *grid = cut->grid;
    dr_par_for(cut->par, grid->block_count, 32, room_blocks, cut);
    return dr_par_sum(cut->partial, grid->block_count) * grid->cell * grid->cell * grid->cell;
}

void dr_cut_cells_measure(dr_cut_cells *cut)
{
    cut->open_room = INFINITY;
    if (!cut->has_solids) return;
    dr_par_for(cut->par, cut->grid->block_count, 8, measure_blocks, cut);
    dr_open_share_measure(cut->grid, cut->par, cut->corner, cut->open_area, cut->open_volume);
    dr_par_for(cut->par, cut->grid->block_count, 8, edge_blocks, cut);
    dr_par_for(cut->par, cut->grid->block_count, 8, uncover_blocks, cut);
    dr_open_share_shut(cut->grid, cut->par, cut->open_area, cut->open_volume);
    if (cut->grid->block_count > 0) cut->open_room = open_room(cut);
}

// ---- what cells touch

// Cells within so many cells of a solid touch it.
#define TOUCHING 1.0

// The closed sides near a place, as bits of their axes; a side with grip is firm.
static unsigned touched_sides(const dr_domain_spec *domain, const double x[3], double reach)
{
    unsigned touch = 0;
    for (int side = 0; side < 6; side++) {
        int a = side / 2, kind = side & 1 ? domain->side_max[a] : domain->side_min[a];
        double distance = side & 1 ? domain->max[a] - x[a] : x[a] - domain->min[a];
        if (kind == DR_SIDE_OPEN || kind == DR_SIDE_PERIODIC || distance > reach) continue;
        bool smooth = kind == DR_SIDE_SYMMETRY || (kind != DR_SIDE_STICKY && domain->friction == 0.0);
        touch |= smooth ? 1U << a : (unsigned)DR_CUT_FIRM;
    }
    return touch;
}

static void touch_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_cut_cells *cut = user;
    double reach = TOUCHING * cut->grid->cell;
    for (size_t b = begin; b < end; b++) {
        for (int n = 0; n < DR_BLOCK_NODES; n++) {
            size_t i = b * DR_BLOCK_NODES + (size_t)n;
            cut->touch[i] = 0;
            if (!cut->near_solid[b] || (double)cut->corner[i] > reach) continue;
            double x[3];
            dr_grid_point(cut->grid, b, n, corner_shift, x);
            cut->touch[i] = cut->near_solid[b] & DR_NEAR_COLLIDER ? DR_CUT_FIRM
                                                                  : (uint8_t)touched_sides(cut->domain, x, 2.0 * reach);
        }
    }
}

void dr_cut_cells_touch(dr_cut_cells *cut)
{
    if (cut->has_solids) dr_par_for(cut->par, cut->grid->block_count, 32, touch_blocks, cut);
}

// ---- particles kept out

// Particles stay this far from solids, in cells.
#define CLEARANCE 0.05

typedef struct keeping {
    const dr_cut_cells *cut;
    dr_particles *particles;
} keeping;

static void keep_out(const dr_cut_cells *cut, dr_particles *particles, size_t p)
{
    const dr_grid *grid = cut->grid;
    double x[3], clearance = CLEARANCE * grid->cell;
    dr_grid_position(grid, particles->key[p], particles->offset + 3 * p, x);
    bool moved = false;
    for (int again = 0; again < 3; again++) {
        dr_collider_point point = nearest_solid(cut, x);
        if (point.distance >= clearance) break;
        double towards = 0.0;
        float *v = particles->velocity + 3 * p;
        for (int a = 0; a < 3; a++) {
            x[a] += (clearance - point.distance) * point.normal[a];
            towards += ((double)v[a] - point.velocity[a]) * point.normal[a];
        }
        for (int a = 0; a < 3 && towards < 0.0; a++) v[a] -= (float)(towards * point.normal[a]);
        moved = true;
    }
    if (moved) dr_grid_place(grid, x, &particles->key[p], particles->offset + 3 * p);
}

static void keep_out_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const keeping *job = user;
    const dr_grid *grid = job->cut->grid;
    for (size_t b = begin; b < end; b++) {
        if (!job->cut->near_solid[b]) continue;
        for (size_t p = grid->first[b]; p < grid->first[b + 1]; p++) keep_out(job->cut, job->particles, p);
    }
}

void dr_cut_cells_keep_out(const dr_cut_cells *cut, dr_particles *particles)
{
    if (!cut->has_solids) return;
    keeping job = {cut, particles};
    dr_par_for(cut->par, cut->grid->block_count, 8, keep_out_blocks, &job);
}
