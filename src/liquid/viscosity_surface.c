// What viscosity does beyond the surface. docs/theory/viscosity.md, eq. (18)-(19).
// Faces whose centre is outside hand the impulse of the solve to those beside them that are inside, which alone the
// pressure sees, and change as these do. Momentum is kept.
#include "liquid/viscosity_surface.h"

#include "grid/halo.h"

enum { CELLS = DR_STRAIN_CELLS, FACES = DR_STRAIN_FACES, UNKNOWNS = DR_STRAIN_UNKNOWNS, WAYS = 6 };
enum { INSIDE = 0, OUTSIDE = FACES }; // the first mask of its kind

// ---- faces as bits: those of one axis of a block's cells

// Cells that have another one above them along x, y, z in the block.
static const uint64_t below_top[3] = {0x0000FFFFFFFFFFFFULL, 0x0FFF0FFF0FFF0FFFULL, 0x7777777777777777ULL};

static uint64_t mask_of(const dr_viscosity_surface *s, int64_t block, int mask)
{
    return block < 0 ? 0 : s->mask[(size_t)block * DR_VISCOSITY_MASKS + (size_t)mask];
}

// The same bits for the neighbours one step down (even ways) or up along an axis.
static uint64_t mask_beside(const dr_viscosity_surface *s, size_t block, int mask, int way)
{
    int axis = way / 2, step = dr_block_stride[axis], side = way & 1 ? 1 : -1;
    uint64_t own = mask_of(s, (int64_t)block, mask), keep = below_top[axis];
    uint64_t next =
        mask_of(s, s->strain->grid->neighbour[27 * block + (size_t)(13 + side * dr_block_step[axis])], mask);
    return side > 0 ? (own >> step & keep) | (next << 3 * step & ~keep)
                    : (own & keep) << step | (next >> 3 * step & ~(keep << step));
}

static uint64_t mask_around(const dr_viscosity_surface *s, size_t block, int mask)
{
    uint64_t any = 0;
    for (int way = 0; way < WAYS; way++) any |= mask_beside(s, block, mask, way);
    return any;
}

static uint64_t solved_mask(const dr_viscosity_surface *s, size_t block, int axis)
{
    const double *inverse = s->strain->inverse + block * UNKNOWNS + (size_t)axis * CELLS;
    uint64_t solved = 0;
    for (int c = 0; c < CELLS; c++) solved |= (uint64_t)(inverse[c] > 0.0) << c;
    return solved;
}

static uint64_t inside_mask(const dr_viscosity_surface *s, size_t block, int axis)
{
    const float *own = s->level + block * CELLS;
    const int step = dr_block_stride[axis];
    int32_t to = s->strain->grid->neighbour[27 * block + (size_t)(13 - dr_block_step[axis])];
    const float *next = to < 0 ? own : s->level + (size_t)to * CELLS;
    float sum[CELLS];
    uint64_t inside = 0;
    for (int outer = 0; outer < CELLS; outer += 4 * step) {
        for (int c = outer; c < outer + step; c++) sum[c] = own[c] + next[c + 3 * step];
        for (int c = outer + step; c < outer + 4 * step; c++) sum[c] = own[c] + own[c - step];
    }
    for (int c = 0; c < CELLS; c++) inside |= (uint64_t)(sum[c] <= 0.0F) << c;
    return inside;
}

static void mask_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_viscosity_surface *s = user;
    for (size_t b = begin; b < end; b++) {
        uint64_t *mask = s->mask + b * DR_VISCOSITY_MASKS;
        bool solves = s->strain->busy[b] & DR_STRAIN_SOLVES, deep = s->strain->plain[b] == ~0ULL;
        for (int a = 0; a < FACES; a++) {
            uint64_t solved = !solves ? 0 : deep ? ~0ULL : solved_mask(s, b, a);
            uint64_t inside = !solved ? 0 : deep ? ~0ULL : inside_mask(s, b, a);
            mask[INSIDE + a] = solved & inside;
            mask[OUTSIDE + a] = solved & ~inside;
        }
    }
}

// ---- one face

typedef struct place {
    int64_t item; // of the liquid's blocks; -1: none
    int axis;
} place;

static place beside(const dr_viscosity_surface *s, place at, int way)
{
    int x[3] = {(int)(at.item >> 4 & 3), (int)(at.item >> 2 & 3), (int)(at.item & 3)};
    x[way / 2] += way & 1 ? 1 : -1;
    return (place){dr_halo_find(s->strain->grid, (size_t)at.item / CELLS, x[0], x[1], x[2]), at.axis};
}

static bool is_in(const dr_viscosity_surface *s, place at, int kind)
{
    return at.item >= 0 && (mask_of(s, at.item / CELLS, kind + at.axis) >> at.item % CELLS & 1);
}

static double mass_of(const dr_viscosity_surface *s, place at)
{
    size_t block = (size_t)at.item / CELLS, cell = (size_t)at.item % CELLS;
    return (double)s->strain->coefficient[(block * DR_STRAIN_COEFFICIENTS + (size_t)at.axis) * CELLS + cell];
}

static double *after(const dr_viscosity_surface *s, place at)
{
    return s->unknown + (size_t)(at.item / CELLS) * UNKNOWNS + (size_t)at.axis * CELLS + (size_t)(at.item % CELLS);
}

static double before(const dr_viscosity_surface *s, place at)
{
    size_t block = s->block[at.item / CELLS];
    return (double)s->velocity[(block * CELLS + (size_t)at.item % CELLS) * 4 + (size_t)at.axis];
}

static double change_of(const dr_viscosity_surface *s, place at)
{
    return *after(s, at) - before(s, at);
}

static int count_inside(const dr_viscosity_surface *s, place at)
{
    int count = 0;
    for (int way = 0; way < WAYS; way++) count += is_in(s, beside(s, at, way), INSIDE);
    return count;
}

// Of a face inside, eq. (18).
static void take_impulse(const dr_viscosity_surface *s, place at)
{
    double mass = mass_of(s, at), impulse = mass * change_of(s, at);
    for (int way = 0; way < WAYS; way++) {
        place other = beside(s, at, way);
        if (!is_in(s, other, OUTSIDE)) continue;
        double share = mass_of(s, other) / count_inside(s, other);
        impulse += share * change_of(s, other);
        mass += share;
    }
    *after(s, at) = before(s, at) + impulse / mass;
}

// Of a face outside, eq. (19).
static void follow(const dr_viscosity_surface *s, place at)
{
    double sum = 0.0;
    int count = 0;
    for (int way = 0; way < WAYS; way++) {
        place other = beside(s, at, way);
        if (!is_in(s, other, INSIDE)) continue;
        sum += change_of(s, other);
        count++;
    }
    *after(s, at) = before(s, at) + sum / count;
}

// ---- passes over faces that have one of the other kind beside them

static void visit(const dr_viscosity_surface *s, size_t block, int kind, int other,
                  void (*face)(const dr_viscosity_surface *, place))
{
    for (int a = 0; a < FACES; a++) {
        uint64_t own = mask_of(s, (int64_t)block, kind + a);
        if (own) own &= mask_around(s, block, other + a);
        for (; own; own &= own - 1) face(s, (place){(int64_t)block * CELLS + __builtin_ctzll(own), a});
    }
}

static void take_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) visit(user, b, INSIDE, OUTSIDE, take_impulse);
}

static void follow_blocks(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) visit(user, b, OUTSIDE, INSIDE, follow);
}

void dr_viscosity_surface_hand(const dr_viscosity_surface *surface)
{
    const dr_strain *strain = surface->strain;
    size_t blocks = strain->grid->block_count;
    dr_par_for(strain->par, blocks, 16, mask_blocks, (void *)surface);
    dr_par_for(strain->par, blocks, 16, take_blocks, (void *)surface);
    dr_par_for(strain->par, blocks, 16, follow_blocks, (void *)surface);
}
