// One block of cut cells: distances at its 5 x 5 x 5 corners, what they leave open, velocity and friction on its faces.
// Distances have slopes of at most one, so that a solid further from the middle of a block than its half diagonal and
// the distance that still counts changes nothing of it. docs/theory/solids.md.
#include "collide/cut_block.h"

#include "collide/open_share.h"
#include "geom/cut.h"
#include "grid/corner.h"
#include "grid/halo.h"
#include "math/rotation.h"
#include "math/scalar.h"

#include <math.h>
#include <string.h>

static const double center_shift[3] = {0.5, 0.5, 0.5}, middle_shift[3] = {2, 2, 2};
static const double face_shift[3][3] = {{0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};

// Solids count as this much thicker, in cells, so that a face that lies in a wall is closed.
#define SKIN 1e-5

// Distances beyond this many cells are all alike.
#define CLOSE 3.0

// Solids further than this from all corners of a block, in cells, hide nothing of it.
#define HIDES 1.75

// Cells within so many cells of a solid touch it.
#define TOUCHING 1.0

#define HALF_DIAGONAL 3.4641016151377544 // of a block, in cells

// Solids further than this from the middle of a block, in cells, change nothing of it.
#define REACH (HALF_DIAGONAL + CLOSE + 2.0 * SKIN)

enum { SIDES = 6, CORNERS = DR_BLOCK_SIDE + 1 }; // solids are the sides of the domain, then the colliders
enum { CLOSE_SOLIDS = 16 };                      // around one block; among more, the nearest alone tells

// ---- solids

static bool is_closed(int side)
{
    return side != DR_SIDE_OPEN && side != DR_SIDE_PERIODIC;
}

static int side_kind(const dr_domain_spec *domain, int side)
{
    return side & 1 ? domain->side_max[side / 2] : domain->side_min[side / 2];
}

static double side_distance(const dr_domain_spec *domain, int side, const double x[3])
{
    int a = side / 2;
    if (!is_closed(side_kind(domain, side))) return INFINITY;
    return side & 1 ? domain->max[a] - x[a] : x[a] - domain->min[a];
}

static double side_friction(const dr_domain_spec *domain, int side)
{
    int kind = side_kind(domain, side);
    return kind == DR_SIDE_STICKY ? INFINITY : kind == DR_SIDE_SYMMETRY ? 0.0 : domain->friction;
}

static void side_normal(int side, double normal[3])
{
    for (int a = 0; a < 3; a++) normal[a] = a != side / 2 ? 0.0 : side & 1 ? -1.0 : 1.0;
}

bool dr_cut_solids_any(const dr_cut_solids *solids)
{
    for (int side = 0; side < SIDES; side++) {
        if (is_closed(side_kind(solids->domain, side))) return true;
    }
    return dr_collider_set_count(solids->colliders) > 0;
}

static bool is_banded(const dr_cut_solids *solids, int collider)
{
    return solids->bands && solids->bands[collider].shape;
}

static void to_body(const dr_pose *pose, const double x[3], double local[3])
{
    double moved[3];
    dr_vec3_sub(moved, x, pose->translation);
    dr_rotation_unapply(local, pose->rotation, moved);
}

// Beyond `enough` either way it may be anything beyond.
static double distance_of(const dr_cut_solids *solids, int solid, const double x[3], double enough)
{
    double local[3];
    int collider = solid - SIDES;
    if (solid < SIDES) return side_distance(solids->domain, solid, x);
    if (!is_banded(solids, collider)) return dr_collider_set_distance_within(solids->colliders, collider, x, enough);
    to_body(dr_collider_set_pose(solids->colliders, collider), x, local);
    return dr_band_distance(&solids->bands[collider], local, enough);
}

static double friction_of(const dr_cut_solids *solids, int solid)
{
    return solid < SIDES ? side_friction(solids->domain, solid)
                         : dr_collider_set_friction(solids->colliders, solid - SIDES);
}

double dr_cut_solids_friction(const dr_cut_solids *solids, bool sticky_too)
{
    double largest = 0.0;
    for (int i = 0; i < SIDES + dr_collider_set_count(solids->colliders); i++) {
        bool there = i >= SIDES || is_closed(side_kind(solids->domain, i));
        double friction = there ? friction_of(solids, i) : 0.0;
        if (sticky_too || !isinf(friction)) largest = dr_max_double(largest, friction);
    }
    return largest;
}

static void normal_of(const dr_cut_solids *solids, int solid, const double x[3], double normal[3])
{
    if (solid < SIDES) {
        side_normal(solid, normal);
        return;
    }
    dr_collider_surface surface = dr_collider_set_surface(solids->colliders, solid - SIDES, x);
    memcpy(normal, surface.normal, sizeof surface.normal);
}

// Meshes are searched a cell around x, so that the side of x is known from what is nearest to it and not by winding;
// and without bound where x is deeper.
static double exact_distance(const dr_cut_solids *solids, int solid, const double x[3], double best)
{
    double search = dr_max_double(fabs(best), solids->grid->cell);
    if (solid < SIDES) return side_distance(solids->domain, solid, x);
    double distance = dr_collider_set_distance_within(solids->colliders, solid - SIDES, x, search);
    return distance > -search ? distance : dr_collider_set_clearance(solids->colliders, solid - SIDES, x, search);
}

dr_collider_point dr_cut_solids_nearest(const dr_cut_solids *solids, const double x[3], double enough)
{
    dr_collider_point point = {.index = -1, .distance = enough, .normal = {0, 1, 0}};
    int solid = -1, count = dr_collider_set_count(solids->colliders);
    for (int s = 0; s < SIDES + count; s++) {
        double distance = exact_distance(solids, s, x, point.distance);
        if (distance >= point.distance) continue;
        point.distance = distance;
        solid = s;
    }
    if (solid < 0) return point;
    normal_of(solids, solid, x, point.normal);
    point.friction = friction_of(solids, solid);
    if (solid < SIDES) return point;
    point.index = solid - SIDES;
    dr_collider_set_velocity(solids->colliders, solid - SIDES, x, point.velocity);
    return point;
}

// ---- the solids close to one block

typedef struct work {
    const dr_cut_solids *solids;
    const int32_t *coordinate;
    double cell;
    int count; // of the solids below; they are all solids where more than fit are close
    bool all;
    int close[CLOSE_SOLIDS];
    double apart[CLOSE_SOLIDS];                // from the middle of the block
    float corner[CLOSE_SOLIDS][DR_HALO_ITEMS]; // distances of each at corners 0 .. 4
    float nearest[DR_HALO_ITEMS];
} work;

static void place(const dr_grid *grid, const int32_t coordinate[3], int item, const double shift[3], double x[3])
{
    const int local[3] = {item >> 4, item >> 2 & 3, item & 3};
    for (int a = 0; a < 3; a++)
        x[a] = grid->origin[a] + grid->travel[a] +
               grid->cell * ((double)(4 * (int64_t)coordinate[a] + local[a]) + shift[a]);
}

static void point_at(const work *work, int item, const double shift[3], double x[3])
{
    place(work->solids->grid, work->coordinate, item, shift, x);
}

static int solid_at(const work *work, int i)
{
    return work->all ? i : work->close[i];
}

// Finds them, and says which come near.
static uint8_t find_close(work *work)
{
    const dr_cut_solids *solids = work->solids;
    int total = SIDES + dr_collider_set_count(solids->colliders);
    double x[3], near = (HALF_DIAGONAL + DR_CUT_TOUCHED) * work->cell, radius = REACH * work->cell;
    unsigned bits = 0;
    point_at(work, 0, middle_shift, x);
    for (int s = 0; s < total; s++) {
        double apart = distance_of(solids, s, x, radius);
        if (apart < near) bits |= s < SIDES ? DR_NEAR_SIDE : DR_NEAR_COLLIDER;
        if (apart >= radius || work->all) continue;
        work->all = work->count == CLOSE_SOLIDS;
        if (work->all) continue;
        work->apart[work->count] = apart;
        work->close[work->count++] = s;
    }
    if (work->all) work->count = total;
    return (uint8_t)bits;
}

static double nearest_distance(const work *work, const double x[3])
{
    double best = INFINITY;
    for (int i = 0; i < work->count; i++)
        best = dr_min_double(best, distance_of(work->solids, solid_at(work, i), x, CLOSE * work->cell));
    return best;
}

// The nearest one that is close, and of those the nearest with friction where only such are asked for and there is one.
// One alone need not be asked.
static int nearest_solid(const work *work, const double x[3], bool with_friction)
{
    double best = INFINITY, limit = CLOSE * work->cell;
    int nearest = solid_at(work, 0);
    bool holds = false;
    for (int i = 0; i < work->count && work->count > 1; i++) {
        int solid = solid_at(work, i);
        double distance = distance_of(work->solids, solid, x, limit);
        bool better = with_friction && distance < limit && friction_of(work->solids, solid) > 0.0;
        if (better == holds ? distance >= best : holds) continue;
        best = distance;
        nearest = solid;
        holds = better;
    }
    return nearest;
}

// ---- corners and faces

static void measure_corners(work *work)
{
    double limit = CLOSE * work->cell;
    for (int i = 0; i < DR_HALO_ITEMS; i++) work->nearest[i] = (float)limit;
    for (int i = 0; i < CORNERS * CORNERS * CORNERS; i++) {
        const int at[3] = {i / (CORNERS * CORNERS), i / CORNERS % CORNERS, i % CORNERS};
        const double shift[3] = {at[0], at[1], at[2]};
        double x[3];
        point_at(work, 0, shift, x);
        float *nearest = &work->nearest[DR_HALO_ITEM(at[0], at[1], at[2])];
        for (int k = 0; k < work->count; k++) {
            bool deep = !work->all && work->apart[k] <= -REACH * work->cell;
            double distance =
                deep ? -limit : distance_of(work->solids, solid_at(work, k), x, (CLOSE + SKIN) * work->cell);
            float bounded = (float)dr_clamp_double(distance - SKIN * work->cell, -limit, limit);
            if (!work->all) work->corner[k][DR_HALO_ITEM(at[0], at[1], at[2])] = bounded;
            *nearest = dr_min_float(*nearest, bounded);
        }
    }
}

// The solid that reaches deepest into a face that is open in part: the nearest to its centre may cover none of it.
static int cutting_solid(const work *work, int item, int a, const double x[3])
{
    int at = dr_halo_place(item), u = dr_halo_step[(a + 1) % 3], v = dr_halo_step[(a + 2) % 3], cutting = 0;
    float deepest = INFINITY;
    if (work->all) return nearest_solid(work, x, false);
    for (int i = 0; i < work->count; i++) {
        const float *corner = work->corner[i] + at;
        float least = dr_min_float(dr_min_float(corner[0], corner[u]), dr_min_float(corner[v], corner[u + v]));
        if (least >= deepest) continue;
        deepest = least;
        cutting = i;
    }
    return work->close[cutting];
}

// On an open face the velocity tells how a wall that holds the liquid beside it goes on, docs/theory/viscosity.md, eq.
// (8): where walls meet, one without friction does not count. Adding zero leaves no negative one.
static void measure_face(const work *work, int item, int a, dr_cut_block *block)
{
    double x[3], velocity[3] = {0, 0, 0};
    point_at(work, item, face_shift[a], x);
    float open = block->open_area[4 * item + a];
    bool whole = open > 1.0F - DR_OPEN_SHARE_LEAST;
    int solid = open > 0.0F && !whole ? cutting_solid(work, item, a, x) : nearest_solid(work, x, false);
    block->rub[4 * item + a] = (float)friction_of(work->solids, solid);
    if (whole) solid = nearest_solid(work, x, true);
    if (solid >= SIDES) dr_collider_set_velocity(work->solids->colliders, solid - SIDES, x, velocity);
    block->solid_velocity[4 * item + a] = (float)velocity[a] + 0.0F;
}

static void measure_faces(const work *work, dr_cut_block *block)
{
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        double x[3];
        if (fabs((double)block->corner[c]) > DR_CUT_TOUCHED * work->cell) continue;
        point_at(work, c, center_shift, x);
        block->friction[c] = isinf(friction_of(work->solids, nearest_solid(work, x, false))) ? 1.0F : 0.0F;
        for (int a = 0; a < 3; a++) measure_face(work, c, a, block);
    }
}

// ---- open volume beside edges of solids

// Corners of a cell that differ from a plane by more than this, in cells, see an edge between them.
#define EDGE 0.05F

static bool has_edge(const float *halo, int at, float cell)
{
    float corner[8], mean = 0.0F, slope[3] = {0.0F, 0.0F, 0.0F}, most = 0.0F;
    for (int i = 0; i < 8; i++) {
        corner[i] = halo[at + (i >> 2) * DR_HALO_X + (i >> 1 & 1) * DR_HALO_Y + (i & 1)];
        mean += 0.125F * corner[i];
        for (int a = 0; a < 3; a++) slope[a] += 0.125F * (i >> (2 - a) & 1 ? corner[i] : -corner[i]);
    }
    for (int i = 0; i < 8; i++) {
        float plane = mean;
        for (int a = 0; a < 3; a++) plane += i >> (2 - a) & 1 ? slope[a] : -slope[a];
        most = dr_max_float(most, fabsf(corner[i] - plane));
    }
    return most > EDGE * cell;
}

// The open share of a cell from the distance at the middles of its octants.
static float open_octants(const work *work, int item)
{
    double sum = 0.0;
    for (int i = 0; i < 8; i++) {
        const double shift[3] = {0.25 + 0.5 * (i >> 2), 0.25 + 0.5 * (i >> 1 & 1), 0.25 + 0.5 * (i & 1)};
        double x[3];
        point_at(work, item, shift, x);
        sum += 0.125 * dr_clamp_double(2.0 * (nearest_distance(work, x) / work->cell - SKIN) + 0.5, 0.0, 1.0);
    }
    return (float)sum;
}

// The plane of a cell's corners lies off a curved wall: the mean of a distance over the cell is two thirds of that in
// its middle and a third of the corners' mean, docs/theory/solids.md, eq. (12).
static float open_curved(const work *work, int item)
{
    double x[3], slope[3], mean = dr_corner_plane(work->nearest, dr_halo_place(item), slope);
    point_at(work, item, center_shift, x);
    double middle = nearest_distance(work, x) - SKIN * work->cell;
    return (float)(1.0 - dr_cut_cube((2.0 * middle + mean) / 3.0, slope));
}

// A plane through the corners of a cell tells too little of its open volume where two walls meet in it.
static void measure_edges(const work *work, dr_cut_block *block)
{
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        float *open = &block->open_volume[c];
        if (!(*open > 0.0F && *open < 1.0F)) continue;
        bool edge = has_edge(work->nearest, dr_halo_place(c), (float)work->cell);
        *open = dr_clamp_float(edge ? open_octants(work, c) : open_curved(work, c), DR_OPEN_SHARE_LEAST, 1.0F);
    }
}

// ---- open volume between solids

typedef struct cover {
    float area[4 * DR_BLOCK_NODES], volume[DR_BLOCK_NODES];
} cover;

static void uncover(float covered, float *open)
{
    if (1.0F - covered > *open + DR_OPEN_SHARE_LEAST) *open = 1.0F - covered;
}

// Gaps that are narrower than this, in cells, are shut: particles keep away from either side.
#define NARROW 0.2

// Solids face each other where their normals are this much against each other.
#define FACING -0.7

static bool is_narrow(const work *work, const int hiding[], int count, const double x[3])
{
    double cell = work->cell, distance[CLOSE_SOLIDS], first[3], second[3];
    for (int i = 0; i < count; i++) distance[i] = distance_of(work->solids, work->close[hiding[i]], x, cell);
    for (int i = 1; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (!(distance[i] + distance[j] < NARROW * cell && dr_max_double(distance[i], distance[j]) < cell))
                continue;
            normal_of(work->solids, work->close[hiding[i]], x, first);
            normal_of(work->solids, work->close[hiding[j]], x, second);
            if (first[0] * second[0] + first[1] * second[1] + first[2] * second[2] < FACING) return true;
        }
    }
    return false;
}

static int find_hiding(const work *work, int hiding[CLOSE_SOLIDS])
{
    int count = 0;
    for (int i = 0; i < work->count && !work->all; i++) {
        if (work->apart[i] <= (HALF_DIAGONAL + HIDES) * work->cell) hiding[count++] = i;
    }
    return count;
}

// The distance of the nearest solid shows less open volume than there is where solids come within a cell of each other,
// and none where every corner is in one of them. Solids together cover no more than the sum of what each of them
// covers.
static void measure_between(const work *work, dr_cut_block *block)
{
    int hiding[CLOSE_SOLIDS], count = find_hiding(work, hiding);
    if (count < 2) return;
    cover sum = {{0}, {0}};
    for (int i = 0; i < count; i++) dr_open_share_cover(work->corner[hiding[i]], sum.area, sum.volume);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        double x[3];
        float *open = &block->open_volume[c];
        point_at(work, c, center_shift, x);
        uncover(sum.volume[c], open);
        for (int a = 0; a < 3; a++) uncover(sum.area[4 * c + a], &block->open_area[4 * c + a]);
        if (*open > 0.0F && *open < 1.0F && is_narrow(work, hiding, count, x)) *open = 0.0F;
    }
}

// ---- what cells touch

// The closed sides near a place, as bits of their axes; a side with friction is firm.
static unsigned touched_sides(const dr_domain_spec *domain, const double x[3], double reach)
{
    unsigned touch = 0;
    for (int side = 0; side < SIDES; side++) {
        int kind = side_kind(domain, side);
        if (side_distance(domain, side, x) > reach) continue;
        bool smooth = kind == DR_SIDE_SYMMETRY || (kind != DR_SIDE_STICKY && domain->friction == 0.0);
        touch |= smooth ? 1U << (side / 2) : (unsigned)DR_CUT_FIRM;
    }
    return touch;
}

static void measure_touch(const work *work, dr_cut_block *block)
{
    static const double corner_shift[3] = {0, 0, 0};
    double reach = TOUCHING * work->cell;
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        double x[3];
        if ((double)block->corner[c] > reach) continue;
        point_at(work, c, corner_shift, x);
        block->touch[c] =
            block->near & DR_NEAR_COLLIDER ? DR_CUT_FIRM : (uint8_t)touched_sides(work->solids->domain, x, 2.0 * reach);
    }
}

// ---- samples of meshes that move

bool dr_cut_solids_open_bands(dr_cut_solids *solids, const dr_allocator *allocator)
{
    int count = dr_collider_set_count(solids->colliders);
    if (count == 0) return true;
    solids->bands = dr_memory_alloc(allocator, (size_t)count * sizeof *solids->bands);
    if (solids->bands) dr_cut_solids_choose_bands(solids, allocator);
    return solids->bands != NULL;
}

void dr_cut_solids_choose_bands(const dr_cut_solids *solids, const dr_allocator *allocator)
{
    for (int i = 0; i < dr_collider_set_count(solids->colliders); i++) {
        const dr_shape *shape = dr_collider_set_shape(solids->colliders, i);
        bool wanted = dr_shape_has_mesh(shape) && dr_collider_set_moves(solids->colliders, i) &&
                      !dr_collider_set_deforms(solids->colliders, i);
        if (wanted == is_banded(solids, i)) continue;
        if (wanted)
            dr_band_open(&solids->bands[i], allocator, shape, solids->grid->cell);
        else
            dr_band_close(&solids->bands[i]);
    }
}

void dr_cut_solids_close_bands(dr_cut_solids *solids, const dr_allocator *allocator)
{
    if (!solids->bands) return; // there may be no colliders yet
    int count = dr_collider_set_count(solids->colliders);
    for (int i = 0; i < count; i++) dr_band_close(&solids->bands[i]);
    dr_memory_free(allocator, solids->bands, (size_t)count * sizeof *solids->bands);
    solids->bands = NULL;
}

// The box around a block in the coordinates of a body, where the body's own box comes near.
static bool want_block(const dr_cut_solids *solids, int collider, size_t b)
{
    const dr_pose *pose = dr_collider_set_pose(solids->colliders, collider);
    double x[3], local[3], half[3];
    place(solids->grid, solids->grid->coordinate + 3 * b, 0, middle_shift, x);
    to_body(pose, x, local);
    dr_box box = dr_shape_bounds(solids->bands[collider].shape);
    if (dr_box_distance(&box, local) >= REACH * solids->grid->cell) return true;
    for (int a = 0; a < 3; a++) {
        double turned = fabs(pose->rotation[a]) + fabs(pose->rotation[3 + a]) + fabs(pose->rotation[6 + a]);
        half[a] = (2.0 + SKIN) * solids->grid->cell * turned;
    }
    return dr_band_want(&solids->bands[collider], local, half);
}

bool dr_cut_solids_sample(const dr_cut_solids *solids, const dr_par *par)
{
    for (int i = 0; i < dr_collider_set_count(solids->colliders); i++) {
        if (!is_banded(solids, i)) continue;
        for (size_t b = 0; b < solids->grid->block_count; b++) {
            if (!want_block(solids, i, b)) return false;
        }
        dr_band_fill(&solids->bands[i], par);
    }
    return true;
}

// ---- one block

bool dr_cut_solids_stir(const dr_cut_solids *solids, const int32_t coordinate[3])
{
    double x[3], radius = REACH * solids->grid->cell;
    place(solids->grid, coordinate, 0, middle_shift, x);
    for (int i = 0; i < dr_collider_set_count(solids->colliders); i++) {
        if (dr_collider_set_moves(solids->colliders, i) && distance_of(solids, SIDES + i, x, radius) < radius)
            return true;
    }
    return false;
}

void dr_cut_block_open(const dr_cut_solids *solids, dr_cut_block *block)
{
    memset(block, 0, sizeof *block);
    for (int c = 0; c < DR_BLOCK_NODES; c++) {
        block->corner[c] = (float)(CLOSE * solids->grid->cell);
        block->open_volume[c] = 1.0F;
        for (int a = 0; a < 4; a++) block->open_area[4 * c + a] = 1.0F;
    }
}

void dr_cut_block_measure(const dr_cut_solids *solids, const int32_t coordinate[3], dr_cut_block *block)
{
    work work;
    work.solids = solids;
    work.coordinate = coordinate;
    work.cell = solids->grid->cell;
    work.count = 0;
    work.all = false;
    dr_cut_block_open(solids, block);
    block->near = find_close(&work);
    if (!block->near) return;
    measure_corners(&work);
    for (int c = 0; c < DR_BLOCK_NODES; c++) block->corner[c] = work.nearest[dr_halo_place(c)];
    dr_open_share_block(work.nearest, block->open_area, block->open_volume);
    measure_faces(&work, block);
    measure_edges(&work, block);
    measure_between(&work, block);
    measure_touch(&work, block);
}
