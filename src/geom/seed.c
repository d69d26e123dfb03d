// Filling a shape with particles. docs/theory/shapes.md, eqs. (14)-(15).
// Cells are taken in blocks of 4^3 and a block or a cell that lies wholly inside or outside is settled by one look at
// its centre, since the slope of a distance is at most one.
#include "geom/seed.h"

#include "math/random.h"
#include "math/vec.h"

#include <assert.h>

#define BLOCK     4
#define FARTHEST  4e15 // cells from the origin
#define REFINE    5    // halvings when a volume is estimated
#define HALF_DIAG 0.8660254037844386

typedef struct filling {
    const dr_shape *shape;
    double cell;
    const double *origin;
    int per_cell, strata; // strata: cube root of per_cell, 0 where it has none
    uint64_t key;
    dr_box box;
    dr_seed_visitor visit;
    void *user;
} filling;

static int cube_root(int count)
{
    for (int i = 1; i * i * i <= count; i++)
        if (i * i * i == count) return i;
    return 0;
}

// Where in its cell a slot lies, 0 .. 1: in its own stratum, or on an additive lattice that is shifted cell by cell.
static void place_slot(const filling *filling, uint64_t cell_key, int slot, double share[3])
{
    static const double steps[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703}; // 1/g, 1/g^2, 1/g^3
    for (int i = 0; i < 3; i++) {
        if (filling->strata) {
            int stratum = i == 0 ? slot % filling->strata
                                 : (i == 1 ? slot / filling->strata : slot / (filling->strata * filling->strata)) %
                                       filling->strata;
            double jitter = dr_random_unit(cell_key, (uint64_t)(3 * slot + i));
            share[i] = ((double)stratum + jitter) / filling->strata;
        } else {
            double sum = slot * steps[i] + dr_random_unit(cell_key, (uint64_t)i);
            share[i] = sum - floor(sum);
        }
    }
}

static bool within(const dr_box *box, const double x[3])
{
    for (int i = 0; i < 3; i++)
        if (!(x[i] >= box->min[i] && x[i] <= box->max[i])) return false;
    return true;
}

// -1: the cube lies wholly inside the shape, 1: wholly outside, 0: neither is sure.
static int settle(const filling *filling, const int64_t first[3], int cells)
{
    double center[3], reach = HALF_DIAG * cells * filling->cell;
    for (int i = 0; i < 3; i++) center[i] = filling->origin[i] + ((double)first[i] + 0.5 * cells) * filling->cell;
    double distance = dr_shape_distance(filling->shape, center, NULL);
    return distance > reach ? 1 : distance < -reach ? -1 : 0;
}

static bool fill_cell(const filling *filling, const int64_t cell[3], bool sure)
{
    if (!sure) {
        int side = settle(filling, cell, 1);
        if (side > 0) return true;
        sure = side < 0;
    }
    uint64_t key = filling->key;
    for (int i = 0; i < 3; i++) key = dr_random_key(key, (uint64_t)cell[i]);
    for (int slot = 0; slot < filling->per_cell; slot++) {
        double share[3], x[3];
        place_slot(filling, key, slot, share);
        for (int i = 0; i < 3; i++) x[i] = filling->origin[i] + ((double)cell[i] + share[i]) * filling->cell;
        if (!within(&filling->box, x)) continue;
        if (!sure && !(dr_shape_distance(filling->shape, x, NULL) < 0.0)) continue;
        if (!filling->visit(filling->user, x)) return false;
    }
    return true;
}

static bool fill_block(const filling *filling, const int64_t first[3], const int64_t low[3], const int64_t high[3])
{
    int side = settle(filling, first, BLOCK);
    if (side > 0) return true;
    int64_t from[3], to[3], cell[3];
    for (int i = 0; i < 3; i++) {
        from[i] = first[i] > low[i] ? first[i] : low[i];
        to[i] = first[i] + BLOCK - 1 < high[i] ? first[i] + BLOCK - 1 : high[i];
    }
    for (cell[2] = from[2]; cell[2] <= to[2]; cell[2]++)
        for (cell[1] = from[1]; cell[1] <= to[1]; cell[1]++)
            for (cell[0] = from[0]; cell[0] <= to[0]; cell[0]++)
                if (!fill_cell(filling, cell, side < 0)) return false;
    return true;
}

static int64_t block_start(int64_t cell)
{
    return cell - ((cell % BLOCK) + BLOCK) % BLOCK;
}

static dr_box cut(dr_box box, const dr_box *limits)
{
    for (int i = 0; i < 3; i++) {
        box.min[i] = fmax(box.min[i], limits->min[i]);
        box.max[i] = fmin(box.max[i], limits->max[i]);
    }
    return box;
}

static bool is_empty(const dr_box *box)
{
    return box->min[0] > box->max[0] || box->min[1] > box->max[1] || box->min[2] > box->max[2];
}

bool dr_seed_visit(const dr_shape *shape, double cell, const double origin[3], int per_cell, uint64_t key,
                   dr_box limits, dr_seed_visitor visit, void *user)
{
    assert(cell > 0.0 && per_cell >= 1 && per_cell <= DR_SEED_MOST);
    filling filling = {.shape = shape,
                       .cell = cell,
                       .origin = origin,
                       .per_cell = per_cell,
                       .strata = cube_root(per_cell),
                       .key = key,
                       .box = cut(dr_shape_bounds(shape), &limits),
                       .visit = visit,
                       .user = user};
    if (is_empty(&filling.box)) return true;
    int64_t low[3], high[3], block[3];
    for (int i = 0; i < 3; i++) {
        double from = floor((filling.box.min[i] - origin[i]) / cell),
               to = floor((filling.box.max[i] - origin[i]) / cell);
        if (!(from > -FARTHEST && to < FARTHEST)) return false;
        low[i] = (int64_t)from;
        high[i] = (int64_t)to;
    }
    for (block[2] = block_start(low[2]); block[2] <= high[2]; block[2] += BLOCK)
        for (block[1] = block_start(low[1]); block[1] <= high[1]; block[1] += BLOCK)
            for (block[0] = block_start(low[0]); block[0] <= high[0]; block[0] += BLOCK)
                if (!fill_block(&filling, block, low, high)) return false;
    return true;
}

// Share of a box that is solid: halved until a look at the centre settles it, at the end by the distance of the centre.
static double solid_share(const dr_shape *shape, const double center[3], const double half[3], int depth)
{
    double distance = dr_shape_distance(shape, center, NULL), reach = dr_vec3_length(half);
    if (distance > reach) return 0.0;
    if (distance < -reach) return 1.0;
    if (depth == 0) {
        double width = 2.0 * (half[0] + half[1] + half[2]) / 3.0;
        return fmax(0.0, fmin(1.0, 0.5 - distance / width));
    }
    double quarter[3], sum = 0.0;
    dr_vec3_scale(quarter, 0.5, half);
    for (int part = 0; part < 8; part++) {
        double place[3];
        for (int i = 0; i < 3; i++) place[i] = center[i] + (part >> i & 1 ? quarter[i] : -quarter[i]);
        sum += solid_share(shape, place, quarter, depth - 1);
    }
    return sum / 8.0;
}

double dr_seed_volume(const dr_shape *shape, dr_box limits)
{
    dr_box box = cut(dr_shape_bounds(shape), &limits);
    if (is_empty(&box)) return 0.0;
    double center[3], half[3];
    for (int i = 0; i < 3; i++) {
        center[i] = 0.5 * (box.min[i] + box.max[i]);
        half[i] = 0.5 * (box.max[i] - box.min[i]);
        if (!isfinite(half[i])) return INFINITY;
    }
    return 8.0 * half[0] * half[1] * half[2] * solid_share(shape, center, half, REFINE);
}
