// The passes of the pressure multigrid over one level. docs/theory/pressure.md, sections 3 and 4.
//   slab    8 cells of one colour and equal i: lanes 2*j + (k >> 1)
//   around  the six neighbours of such a slab, all of the other colour
#include "linear/level.h"

#include "math/simd.h"

#include <string.h>

typedef struct around {
    dr_float8 x_low, x_high, y_low, y_high, near, far;
} around;

// Where a block and its six neighbours keep one colour of a field.
typedef struct sides {
    const float *own, *side[6];
} sides;

DR_INLINE sides find_sides(const dr_level *level, size_t block, const float *field, int colour)
{
    const int32_t *neighbour = level->neighbour + 6 * block;
    const float *base = field + DR_LEVEL_HALF * colour;
    sides at = {.own = base + DR_LEVEL_CELLS * block};
    for (int n = 0; n < 6; n++) at.side[n] = base + DR_LEVEL_CELLS * (ptrdiff_t)neighbour[n];
    return at;
}

// The far z neighbours: the lower one of cells with even k, the upper one of cells with odd k. `odd` is the parity of
// i + colour: then even rows hold odd k.
DR_INLINE dr_float8 find_far(dr_float8 own, dr_float8 low, dr_float8 high, int odd)
{
    if (odd) {
        dr_float8 mixed = __builtin_shufflevector(own, high, 8, 1, 2, 3, 12, 5, 6, 7);
        mixed = __builtin_shufflevector(mixed, low, 0, 1, 2, 11, 4, 5, 6, 15);
        return __builtin_shufflevector(mixed, mixed, 1, 0, 3, 2, 5, 4, 7, 6);
    }
    dr_float8 mixed = __builtin_shufflevector(own, low, 0, 9, 2, 3, 4, 13, 6, 7);
    mixed = __builtin_shufflevector(mixed, high, 0, 1, 10, 3, 4, 5, 14, 7);
    return __builtin_shufflevector(mixed, mixed, 1, 0, 3, 2, 5, 4, 7, 6);
}

DR_INLINE around look(const sides *at, int colour, int i)
{
    dr_float8 own = dr_float8_load(at->own + 8 * i);
    return (around){
        .x_low = dr_float8_load(i > 0 ? at->own + 8 * (i - 1) : at->side[0] + 24),
        .x_high = dr_float8_load(i < 3 ? at->own + 8 * (i + 1) : at->side[1]),
        .y_low = __builtin_shufflevector(dr_float8_load(at->side[2] + 8 * i), own, 6, 7, 8, 9, 10, 11, 12, 13),
        .y_high = __builtin_shufflevector(own, dr_float8_load(at->side[3] + 8 * i), 2, 3, 4, 5, 6, 7, 8, 9),
        .near = own,
        .far =
            find_far(own, dr_float8_load(at->side[4] + 8 * i), dr_float8_load(at->side[5] + 8 * i), (i + colour) & 1),
    };
}

DR_INLINE dr_float8 term_of(const float *slab, dr_level_term term)
{
    return dr_float8_load(slab + 8 * (int)term);
}

DR_INLINE dr_float8 weigh(const float *slab, const around *nb)
{
    dr_float8 low = term_of(slab, DR_TERM_X_LOW) * nb->x_low, high = term_of(slab, DR_TERM_X_HIGH) * nb->x_high;
    low = dr_float8_add_product(low, term_of(slab, DR_TERM_Y_LOW), nb->y_low);
    high = dr_float8_add_product(high, term_of(slab, DR_TERM_Y_HIGH), nb->y_high);
    low = dr_float8_add_product(low, term_of(slab, DR_TERM_NEAR), nb->near);
    high = dr_float8_add_product(high, term_of(slab, DR_TERM_FAR), nb->far);
    return low + high;
}

DR_INLINE dr_float8 add_up(const around *nb)
{
    return (nb->x_low + nb->x_high) + (nb->y_low + nb->y_high) + (nb->near + nb->far);
}

DR_INLINE const float *slabs_of(const dr_level *level, int32_t stencil, int colour)
{
    return level->stencil + (size_t)stencil * DR_LEVEL_STENCIL + (size_t)colour * (DR_LEVEL_STENCIL / 2);
}

enum { SLAB = 8 * DR_TERM_COUNT };

// ---- memory

float *dr_level_field(const dr_allocator *allocator, size_t count)
{
    if (count > SIZE_MAX / (2 * DR_LEVEL_CELLS * sizeof(float))) return NULL;
    float *all = dr_memory_alloc(allocator, (count + 1) * DR_LEVEL_CELLS * sizeof(float));
    return all ? all + DR_LEVEL_CELLS : NULL;
}

void dr_level_field_free(const dr_allocator *allocator, float *field, size_t count)
{
    if (field) dr_memory_free(allocator, field - DR_LEVEL_CELLS, (count + 1) * DR_LEVEL_CELLS * sizeof(float));
}

enum { BLOCK_ARRAYS = 8, STENCIL_ARRAYS = 2 };

static void list_blocks(dr_level *l, dr_work_array list[BLOCK_ARRAYS])
{
    const dr_work_array arrays[BLOCK_ARRAYS] = {
        {(void **)&l->key, sizeof *l->key},         {(void **)&l->neighbour, 6 * sizeof *l->neighbour},
        {(void **)&l->place, sizeof *l->place},     {(void **)&l->stencil_of, sizeof *l->stencil_of},
        {(void **)&l->uniform, sizeof *l->uniform}, {(void **)&l->apart, sizeof *l->apart},
        {(void **)&l->touched, sizeof *l->touched}, {(void **)&l->adopted_first, sizeof *l->adopted_first},
    };
    memcpy(list, arrays, sizeof arrays);
}

static void free_blocks(dr_level *level, const dr_allocator *allocator)
{
    dr_work_array list[BLOCK_ARRAYS];
    list_blocks(level, list);
    dr_level_field_free(allocator, level->x, level->block_capacity);
    dr_level_field_free(allocator, level->b, level->block_capacity);
    level->x = level->b = NULL;
    dr_work_free(allocator, list, BLOCK_ARRAYS, &level->block_capacity);
}

bool dr_level_reserve_blocks(dr_level *level, const dr_allocator *allocator, size_t count)
{
    if (count <= level->block_capacity) return true;
    dr_work_array list[BLOCK_ARRAYS];
    list_blocks(level, list);
    free_blocks(level, allocator);
    if (!dr_work_reserve(allocator, list, BLOCK_ARRAYS, &level->block_capacity, count)) return false;
    level->x = dr_level_field(allocator, level->block_capacity);
    level->b = dr_level_field(allocator, level->block_capacity);
    bool ok = level->x && level->b;
    if (!ok) free_blocks(level, allocator);
    return ok;
}

static void list_stencils(dr_level *level, dr_work_array list[STENCIL_ARRAYS])
{
    list[0] = (dr_work_array){(void **)&level->stencil, DR_LEVEL_STENCIL * sizeof(float)};
    list[1] = (dr_work_array){(void **)&level->mass, DR_LEVEL_CELLS * sizeof(float)};
}

bool dr_level_reserve_stencils(dr_level *level, const dr_allocator *allocator, size_t count)
{
    dr_work_array list[STENCIL_ARRAYS];
    list_stencils(level, list);
    return dr_work_reserve(allocator, list, STENCIL_ARRAYS, &level->stencil_capacity, count);
}

void dr_level_free(dr_level *level, const dr_allocator *allocator)
{
    free_blocks(level, allocator);
    dr_work_array stencils[STENCIL_ARRAYS];
    list_stencils(level, stencils);
    dr_work_free(allocator, stencils, STENCIL_ARRAYS, &level->stencil_capacity);
    dr_memory_free(allocator, level->adopted, level->adopted_capacity * sizeof *level->adopted);
    *level = (dr_level){0};
}

// ---- rows

bool dr_level_coupled(const float *stencil, int item)
{
    float sum = 0.0F;
    for (int term = DR_TERM_X_LOW; term <= DR_TERM_FAR; term++) {
        sum += stencil[dr_level_term_item(item, (dr_level_term)term)];
    }
    return sum > 0.0F;
}

void dr_level_invert(float *stencil)
{
    for (int slab = 0; slab < 8; slab++) {
        float *at = stencil + slab * SLAB;
        for (int lane = 0; lane < 8; lane++) {
            float sum = at[8 * DR_TERM_GROUND + lane];
            for (int term = DR_TERM_X_LOW; term <= DR_TERM_FAR; term++) sum += at[8 * term + lane];
            at[8 * DR_TERM_INVERSE + lane] = sum > 0.0F ? 1.0F / sum : 0.0F;
        }
    }
}

// ---- relaxation: x = (b + sum of links times neighbours) / diagonal

typedef struct relaxation {
    dr_level *level;
    int colour;
} relaxation;

DR_INLINE void relax_block(dr_level *level, size_t block, int colour)
{
    float *x = level->x + DR_LEVEL_CELLS * block + DR_LEVEL_HALF * colour;
    const float *b = level->b + DR_LEVEL_CELLS * block + DR_LEVEL_HALF * colour;
    sides at = find_sides(level, block, level->x, 1 - colour);
    int32_t stencil = level->stencil_of[block];
    if (stencil < 0) {
        dr_float8 link = dr_float8_all(level->uniform[block].link);
        dr_float8 inverse = dr_float8_all(level->uniform[block].inverse);
        for (int i = 0; i < 4; i++) {
            around nb = look(&at, colour, i);
            dr_float8 sum = dr_float8_add_product(dr_float8_load(b + 8 * i), link, add_up(&nb));
            dr_float8_store(x + 8 * i, inverse * sum);
        }
        return;
    }
    const float *slab = slabs_of(level, stencil, colour);
    for (int i = 0; i < 4; i++, slab += SLAB) {
        around nb = look(&at, colour, i);
        dr_float8 sum = dr_float8_load(b + 8 * i) + weigh(slab, &nb);
        dr_float8_store(x + 8 * i, term_of(slab, DR_TERM_INVERSE) * sum);
    }
}

static void relax_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const relaxation *what = user;
    if (what->colour == 0) {
        for (size_t b = begin; b < end; b++) relax_block(what->level, b, 0);
    } else {
        for (size_t b = begin; b < end; b++) relax_block(what->level, b, 1);
    }
}

static void start_block(dr_level *level, size_t block, int colour)
{
    float *x = level->x + DR_LEVEL_CELLS * block + DR_LEVEL_HALF * colour;
    const float *b = level->b + DR_LEVEL_CELLS * block + DR_LEVEL_HALF * colour;
    int32_t stencil = level->stencil_of[block];
    if (stencil < 0) {
        dr_float8 inverse = dr_float8_all(level->uniform[block].inverse);
        for (int i = 0; i < 4; i++) dr_float8_store(x + 8 * i, inverse * dr_float8_load(b + 8 * i));
        return;
    }
    const float *slab = slabs_of(level, stencil, colour);
    for (int i = 0; i < 4; i++, slab += SLAB) {
        dr_float8_store(x + 8 * i, term_of(slab, DR_TERM_INVERSE) * dr_float8_load(b + 8 * i));
    }
}

static void start_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const relaxation *what = user;
    for (size_t b = begin; b < end; b++) start_block(what->level, b, what->colour);
}

void dr_level_relax(dr_level *level, const dr_par *par, int colour, bool first)
{
    relaxation what = {level, colour};
    dr_par_for(par, level->block_count, DR_LEVEL_GRAIN, first ? start_piece : relax_piece, &what);
}

// ---- between levels

typedef struct pair {
    const dr_level *fine;
    const dr_level *coarse;
    float *target;
} pair;

// A block's adoptions end where those of the next begin.
DR_INLINE size_t adopted_end(const dr_level *level, size_t block)
{
    return block + 1 < level->block_count ? (size_t)level->adopted_first[block + 1] : level->adopted_count;
}

// Residual of colour 1, slab i.
DR_INLINE dr_float8 find_residual(const dr_level *level, size_t block, const sides *at, int i)
{
    size_t first = DR_LEVEL_CELLS * block + DR_LEVEL_HALF + 8 * (size_t)i;
    dr_float8 x = dr_float8_load(level->x + first), b = dr_float8_load(level->b + first);
    around nb = look(at, 1, i);
    int32_t stencil = level->stencil_of[block];
    if (stencil < 0) {
        const dr_level_uniform *row = &level->uniform[block];
        dr_float8 diagonal = dr_float8_all(6.0F * row->link + row->ground);
        return b - diagonal * x + dr_float8_all(row->link) * add_up(&nb);
    }
    const float *slab = slabs_of(level, stencil, 1) + i * SLAB;
    dr_float8 diagonal = term_of(slab, DR_TERM_GROUND);
    for (int term = DR_TERM_X_LOW; term <= DR_TERM_FAR; term++) diagonal += term_of(slab, (dr_level_term)term);
    return b - diagonal * x + weigh(slab, &nb);
}

// Coarse cell (a, b, e) of an octant, among the 64 numbers of its block.
DR_INLINE int octant_item(int octant, int a, int b, int e)
{
    return dr_level_item((octant >> 1 & 2) + a, (octant & 2) + b, 2 * (octant & 1) + e);
}

// Takes the residuals of a block's adopted cells out, for their targets.
static void take_out(const dr_level *level, size_t block, float residual[DR_LEVEL_HALF])
{
    for (size_t n = (size_t)level->adopted_first[block]; n < adopted_end(level, block); n++) {
        dr_level_aggregateion *one = &level->adopted[n];
        int item = (int)(one->cell & 63) - DR_LEVEL_HALF;
        one->residual = item < 0 ? 0.0F : residual[item];
        if (item >= 0) residual[item] = 0.0F;
    }
}

static void restrict_block(const pair *levels, size_t block)
{
    int32_t place = levels->fine->place[block];
    if (place < 0) return;
    sides at = find_sides(levels->fine, block, levels->fine->x, 0);
    float residual[DR_LEVEL_HALF], sum[2][8];
    for (int i = 0; i < 4; i++) dr_float8_store(residual + 8 * i, find_residual(levels->fine, block, &at, i));
    if (levels->fine->apart[block]) take_out(levels->fine, block, residual);
    for (int a = 0; a < 2; a++) {
        dr_float8 v = dr_float8_load(residual + 16 * a) + dr_float8_load(residual + 16 * a + 8);
        dr_float8_store(sum[a], v + __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5));
    }
    float *target = levels->target + DR_LEVEL_CELLS * (size_t)(place >> 3);
    unsigned fold = levels->fine->fold;
    for (unsigned copy = 0; copy < 8; copy++) {
        if (copy & ~fold) continue;
        int octant = (place & 7) | (int)copy;
        for (int c = 0; c < 8; c++) {
            target[octant_item(octant, c >> 2, c >> 1 & 1, c & 1)] = sum[c >> 2][2 * (c & 2) + (c & 1)];
        }
    }
}

static void restrict_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) restrict_block(user, b);
}

void dr_level_restrict(const dr_level *level, const dr_par *par, dr_level *coarse)
{
    pair levels = {level, coarse, coarse->b};
    dr_par_for(par, level->block_count, DR_LEVEL_GRAIN, restrict_piece, &levels);
    for (size_t n = 0; n < level->adopted_count; n++) {
        const dr_level_aggregateion *one = &level->adopted[n];
        if (one->target != DR_LEVEL_NOWHERE) coarse->b[one->target] += one->residual;
    }
}

// Adopted cells have another value than the one their block was given.
static void exchange(const pair *levels, size_t block)
{
    const dr_level *fine = levels->fine;
    for (size_t n = (size_t)fine->adopted_first[block]; n < adopted_end(fine, block); n++) {
        const dr_level_aggregateion *one = &fine->adopted[n];
        if ((one->cell & 63) < DR_LEVEL_HALF) continue;
        float right = one->target == DR_LEVEL_NOWHERE ? 0.0F : levels->coarse->x[one->target];
        levels->target[one->cell] += right - levels->coarse->x[dr_level_parent(fine, one->cell)];
    }
}

static void prolong_block(const pair *levels, size_t block)
{
    int32_t place = levels->fine->place[block];
    if (place < 0) return;
    const float *from = levels->coarse->x + DR_LEVEL_CELLS * (size_t)(place >> 3);
    float *x = levels->target + DR_LEVEL_CELLS * block + DR_LEVEL_HALF;
    for (int a = 0; a < 2; a++) {
        float value[4];
        for (int c = 0; c < 4; c++) value[c] = from[octant_item(place & 7, a, c >> 1, c & 1)];
        dr_float4 four = dr_float4_load(value);
        dr_float8 all = dr_float8_join(__builtin_shufflevector(four, four, 0, 1, 0, 1),
                                       __builtin_shufflevector(four, four, 2, 3, 2, 3));
        for (int i = 2 * a; i < 2 * a + 2; i++) dr_float8_store(x + 8 * i, dr_float8_load(x + 8 * i) + all);
    }
    if (levels->fine->apart[block]) exchange(levels, block);
}

static void prolong_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t b = begin; b < end; b++) prolong_block(user, b);
}

void dr_level_prolong(dr_level *level, const dr_par *par, const dr_level *coarse)
{
    pair levels = {level, coarse, level->x};
    dr_par_for(par, level->block_count, DR_LEVEL_GRAIN, prolong_piece, &levels);
}

// ---- the matrix in double

typedef struct product {
    const dr_level *level;
    const float *p;
    double *q, *partial;
} product;

typedef struct wide {
    dr_double4 low, high;
} wide;

DR_INLINE wide widen(dr_float8 v)
{
    return (wide){dr_double4_from(dr_float8_low(v)), dr_double4_from(dr_float8_high(v))};
}

DR_INLINE wide flow(wide sum, dr_float8 link, wide own, dr_float8 neighbour)
{
    wide a = widen(link), n = widen(neighbour);
    sum.low += a.low * (own.low - n.low);
    sum.high += a.high * (own.high - n.high);
    return sum;
}

DR_INLINE wide apply_slab(const float *slab, const around *nb, wide own)
{
    wide ground = widen(term_of(slab, DR_TERM_GROUND));
    wide sum = {ground.low * own.low, ground.high * own.high};
    sum = flow(sum, term_of(slab, DR_TERM_X_LOW), own, nb->x_low);
    sum = flow(sum, term_of(slab, DR_TERM_X_HIGH), own, nb->x_high);
    sum = flow(sum, term_of(slab, DR_TERM_Y_LOW), own, nb->y_low);
    sum = flow(sum, term_of(slab, DR_TERM_Y_HIGH), own, nb->y_high);
    sum = flow(sum, term_of(slab, DR_TERM_NEAR), own, nb->near);
    return flow(sum, term_of(slab, DR_TERM_FAR), own, nb->far);
}

DR_INLINE wide apply_uniform(const dr_level_uniform *row, const around *nb, wide own)
{
    const dr_float8 side[6] = {nb->x_low, nb->x_high, nb->y_low, nb->y_high, nb->near, nb->far};
    dr_double4 link = dr_double4_all((double)row->link), ground = dr_double4_all((double)row->ground);
    wide sum = {{0.0}, {0.0}};
    for (int n = 0; n < 6; n++) {
        wide other = widen(side[n]);
        sum.low += own.low - other.low;
        sum.high += own.high - other.high;
    }
    return (wide){link * sum.low + ground * own.low, link * sum.high + ground * own.high};
}

DR_INLINE dr_double4 apply_half(const product *what, size_t block, int colour, dr_double4 dot)
{
    const dr_level *level = what->level;
    size_t first = DR_LEVEL_CELLS * block + DR_LEVEL_HALF * (size_t)colour;
    sides at = find_sides(level, block, what->p, 1 - colour);
    int32_t stencil = level->stencil_of[block];
    const float *slab = stencil < 0 ? NULL : slabs_of(level, stencil, colour);
    for (int i = 0; i < 4; i++) {
        around nb = look(&at, colour, i);
        wide own = widen(dr_float8_load(what->p + first + 8 * i));
        wide q = slab ? apply_slab(slab + i * SLAB, &nb, own) : apply_uniform(&level->uniform[block], &nb, own);
        dot += own.low * q.low + own.high * q.high;
        dr_double4_store(what->q + first + 8 * i, q.low);
        dr_double4_store(what->q + first + 8 * i + 4, q.high);
    }
    return dot;
}

static void apply_piece(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const product *what = user;
    dr_double4 dot = {0.0};
    for (size_t b = begin; b < end; b++) {
        dot = apply_half(what, b, 0, dot);
        dot = apply_half(what, b, 1, dot);
    }
    what->partial[begin / DR_LEVEL_GRAIN] = dr_double4_total(dot);
}

void dr_level_apply(const dr_level *level, const dr_par *par, const float *p, double *q, double *partial)
{
    product what = {level, p, q, partial};
    dr_par_for(par, level->block_count, DR_LEVEL_GRAIN, apply_piece, &what);
}
