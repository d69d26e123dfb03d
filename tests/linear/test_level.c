// The matrix on the blocks, its coarser versions and the cycle, against their definitions.
#include "linear/pool.h"

static const int32_t open_period[3] = {0, 0, 0};

enum { FULL = 1000 }; // seeds from here on: a box full of liquid

// A ragged set of blocks: not full, not one piece.
static void open_ragged(pool *p, uint64_t seed, const int32_t period[3])
{
    int32_t list[64][3];
    size_t count = 0;
    for (int n = 0; n < 64; n++) {
        if ((n * 7 + (int)seed) % 5 == 0) continue;
        list[count][0] = n / 16 - (period[0] ? 0 : 2);
        list[count][1] = n / 4 % 4;
        list[count][2] = n % 4 - (period[2] ? 0 : 1);
        count++;
    }
    pool_open(p, 0.5, (const int32_t(*)[3])list, count, period);
    pool_fill_random(p, seed, 2.0);
}

// Liquid in every cell of 4 x 4 x 3 blocks, all faces open, every number its own.
static void open_full(pool *p, uint64_t seed)
{
    const int low[3] = {-1, 0, 0}, high[3] = {3, 4, 3};
    pool_open_box(p, 0.5, low, high, open_period);
    pool_fill_random(p, seed, 2.0);
    memset(p->kind, DR_CELL_LIQUID, p->cells);
    for (size_t f = 0; f < 4 * p->cells; f++) p->open[f] = fmaxf(p->open[f], 0.1F);
}

typedef struct bed {
    pool pool;
    dr_pressure pressure;
    dr_par par;
    size_t items; // numbers of level 0
} bed;

static void open_bed(bed *b, uint64_t seed, bool compressible, const int32_t period[3])
{
    bool finite;
    b->par = dr_par_open(1);
    if (seed >= FULL) {
        open_full(&b->pool, seed);
    } else {
        open_ragged(&b->pool, seed, period);
    }
    for (size_t c = 0; c < b->pool.cells; c++) b->pool.stiffness[c] = (float)pool_random(&b->pool);
    if (compressible) b->pool.problem.inverse_stiffness = b->pool.stiffness;
    b->pool.problem.old_pressure = b->pool.old_pressure;
    assert_true(dr_pressure_open(&b->pressure, NULL));
    assert_true(dr_pressure_assemble(&b->pressure, &b->par, &b->pool.problem, &finite));
    assert_true(finite);
    assert_true(dr_multigrid_build(&b->pressure.multigrid, &b->par, period, 5));
    b->items = 64 * b->pressure.multigrid.level[0].block_count;
}

static void close_bed(bed *b)
{
    dr_pressure_close(&b->pressure);
    pool_close(&b->pool);
}

static size_t grid_cell(const dr_pressure *pressure, size_t block, int c)
{
    return 64 * (size_t)pressure->grid_block[block] + (size_t)c;
}

// Random numbers on the unknowns of level 0, zero elsewhere.
static void fill_unknowns(bed *b, float *values)
{
    for (size_t block = 0; block < b->items / 64; block++) {
        for (int c = 0; c < 64; c++) {
            bool unknown = b->pressure.masks[block].unknown >> c & 1;
            float value = (float)(2.0 * pool_random(&b->pool) - 1.0);
            values[64 * block + (size_t)dr_level_item(c >> 4, c >> 2 & 3, c & 3)] = unknown ? value : 0.0F;
        }
    }
}

static double dot(const float *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t n = 0; n < count; n++) sum += (double)a[n] * b[n];
    return sum;
}

static void apply(bed *b, const float *x, double *y)
{
    memcpy(b->pressure.conjugate.p, x, b->items * sizeof *x);
    dr_level_apply(&b->pressure.multigrid.level[0], &b->par, b->pressure.conjugate.p, y, b->pressure.conjugate.partial);
}

static void test_matrix_and_right_side_are_those_of_the_equation(void **state)
{
    (void)state;
    for (int seed = 0; seed < 8; seed++) {
        const int32_t period[3] = {seed == 4 ? 4 : 0, 0, seed == 5 ? 4 : 0};
        bed b;
        open_bed(&b, (uint64_t)(seed < 6 ? seed : FULL + seed), seed % 2 == 1, period);
        float *x = pool_floats(b.items, 0.0F);
        double *y = calloc(b.items, sizeof *y), *q = calloc(b.pool.cells, sizeof *q);
        fill_unknowns(&b, x);
        apply(&b, x, y);
        size_t unknowns = 0;
        for (size_t n = 0; n < b.items; n++) {
            int c = (int)(n % 64);
            q[grid_cell(&b.pressure, n / 64, c)] =
                (double)x[n / 64 * 64 + (size_t)dr_level_item(c >> 4, c >> 2 & 3, c & 3)];
        }
        for (size_t n = 0; n < b.items; n++) {
            int c = (int)(n % 64);
            size_t cell = grid_cell(&b.pressure, n / 64, c),
                   item = n / 64 * 64 + (size_t)dr_level_item(c >> 4, c >> 2 & 3, c & 3);
            if (!(b.pressure.masks[n / 64].unknown >> c & 1)) continue;
            unknowns++;
            double expected = pool_balance(&b.pool, cell, q, false);
            check_near(y[item], expected, 1e-6 * (1.0 + fabs(expected)));
            double right = -pool_balance(&b.pool, cell, NULL, true);
            check_near(b.pressure.conjugate.r[item], right, 1e-6 * (1.0 + fabs(right)));
        }
        assert_true(unknowns > 300);
        assert_true(unknowns == b.pressure.facts.unknowns);
        free(x);
        free(y);
        free(q);
        close_bed(&b);
    }
}

static void test_matrix_is_symmetric_and_positive(void **state)
{
    (void)state;
    for (int seed = 0; seed < 4; seed++) {
        bed b;
        open_bed(&b, (seed < 2 ? 10 : FULL) + (uint64_t)seed, seed % 2 == 1, open_period);
        float *x = pool_floats(b.items, 0.0F), *y = pool_floats(b.items, 0.0F);
        double *ax = calloc(b.items, sizeof *ax), *ay = calloc(b.items, sizeof *ay);
        fill_unknowns(&b, x);
        fill_unknowns(&b, y);
        apply(&b, x, ax);
        apply(&b, y, ay);
        double energy = dot(x, ax, b.items);
        check_near(dot(y, ax, b.items), dot(x, ay, b.items), 1e-13 * energy);
        assert_true(energy > 0.0);
        free(x);
        free(y);
        free(ax);
        free(ay);
        close_bed(&b);
    }
}

static void cycle(bed *b, const float *x, float *y)
{
    dr_level *level = &b->pressure.multigrid.level[0];
    memcpy(level->b, x, b->items * sizeof *x);
    dr_multigrid_cycle(&b->pressure.multigrid, &b->par);
    memcpy(y, level->x, b->items * sizeof *y);
}

static void test_cycle_is_symmetric_and_positive(void **state)
{
    (void)state;
    for (int seed = 0; seed < 6; seed++) {
        const int32_t period[3] = {seed == 4 ? 4 : 0, 0, seed == 5 ? 4 : 0};
        bed b;
        open_bed(&b, 20 + (uint64_t)seed, seed % 2 == 1, period);
        assert_true(b.pressure.multigrid.level_count >= 3);
        float *x = pool_floats(b.items, 0.0F), *y = pool_floats(b.items, 0.0F);
        float *mx = pool_floats(b.items, 0.0F), *my = pool_floats(b.items, 0.0F);
        double xmy = 0.0, ymx = 0.0, xmx = 0.0, ymy = 0.0;
        fill_unknowns(&b, x);
        fill_unknowns(&b, y);
        cycle(&b, x, mx);
        cycle(&b, y, my);
        for (size_t n = 0; n < b.items; n++) {
            xmy += (double)x[n] * (double)my[n];
            ymx += (double)y[n] * (double)mx[n];
            xmx += (double)x[n] * (double)mx[n];
            ymy += (double)y[n] * (double)my[n];
        }
        assert_true(xmx > 0.0 && ymy > 0.0);
        check_near(xmy, ymx, 1e-5 * sqrt(xmx * ymy));
        free(x);
        free(y);
        free(mx);
        free(my);
        close_bed(&b);
    }
}

static double energy_of(const dr_level *level, const dr_par *par, const float *x)
{
    size_t items = 64 * level->block_count;
    double *y = calloc(items, sizeof *y), *partial = calloc(items, sizeof *partial);
    dr_level_apply(level, par, x, y, partial);
    double energy = dot(x, y, items);
    free(y);
    free(partial);
    return energy;
}

// Each coarse cell's value on the cells that follow it; cells without couplings are not carried on.
static void spread(const dr_level *fine, const float *coarse, float *x)
{
    for (uint32_t cell = 0; cell < 64 * fine->block_count; cell++) {
        int32_t place = fine->place[cell / 64], stencil = fine->stencil_of[cell / 64];
        bool alone =
            stencil >= 0 && !dr_level_coupled(fine->stencil + (size_t)stencil * DR_LEVEL_STENCIL, (int)(cell % 64));
        x[cell] = place < 0 || alone ? 0.0F : coarse[dr_level_parent(fine, cell)];
    }
    for (size_t n = 0; n < fine->adopted_count; n++) {
        uint32_t target = fine->adopted[n].target;
        x[fine->adopted[n].cell] = target == DR_LEVEL_NOWHERE ? 0.0F : coarse[target];
    }
}

static void fill_coarse(bed *b, const dr_level *coarse, float *e)
{
    for (size_t n = 0; n < 64 * coarse->block_count; n++) {
        int32_t stencil = coarse->stencil_of[n / 64];
        const float *rows = coarse->stencil + (size_t)(stencil < 0 ? 0 : stencil) * DR_LEVEL_STENCIL;
        bool dead = stencil >= 0 && rows[dr_level_term_item((int)(n % 64), DR_TERM_INVERSE)] == 0.0F;
        e[n] = dead ? 0.0F : (float)pool_random(&b->pool);
    }
}

// e A_c e over (P e) A (P e), between a level and the next.
static double energy_ratio(bed *b, int l)
{
    const dr_level *fine = &b->pressure.multigrid.level[l], *coarse = fine + 1;
    float *e = dr_level_field(NULL, coarse->block_count), *x = dr_level_field(NULL, fine->block_count);
    fill_coarse(b, coarse, e);
    spread(fine, e, x);
    double below = energy_of(fine, &b->par, x), ratio = energy_of(coarse, &b->par, e) / below;
    assert_true(below > 0.0);
    dr_level_field_free(NULL, e, coarse->block_count);
    dr_level_field_free(NULL, x, fine->block_count);
    return ratio;
}

// Where nothing is compressible the coarse matrix is half the Galerkin one; detours around walls make it larger, never
// smaller.
static void test_coarse_energy_is_half_of_the_fine_one(void **state)
{
    (void)state;
    size_t adopted = 0, plain = 0;
    for (int seed = 31; seed < 37; seed++) {
        bed b;
        open_bed(&b, (uint64_t)seed, false, open_period);
        for (int l = 0; l + 1 < b.pressure.multigrid.level_count; l++) {
            size_t here = b.pressure.multigrid.level[l].adopted_count;
            double ratio = energy_ratio(&b, l);
            adopted += here;
            plain += here == 0;
            if (here == 0) check_near(ratio, 0.5, 1e-5);
            assert_true(ratio >= 0.5 - 1e-5);
            check_at_most(ratio, 1.0);
        }
        close_bed(&b);
    }
    assert_true(adopted > 0 && plain > 0);
}

// Sums of the residual down, values up: each the other's transpose, on the colour they touch.
static void test_restriction_is_the_transpose_of_prolongation(void **state)
{
    (void)state;
    bed b;
    open_bed(&b, 41, false, open_period);
    dr_level *fine = &b.pressure.multigrid.level[0], *coarse = fine + 1;
    float *r = pool_floats(b.items, 0.0F);
    fill_unknowns(&b, r);
    for (size_t n = 0; n < b.items; n++) {
        if ((n & 32) == 0 || fine->place[n / 64] < 0) r[n] = 0.0F;
    }
    memcpy(fine->b, r, b.items * sizeof *r);
    memset(fine->x, 0, b.items * sizeof *r);
    dr_level_restrict(fine, &b.par, coarse);
    for (size_t n = 0; n < 64 * coarse->block_count; n++) coarse->x[n] = (float)pool_random(&b.pool);
    dr_level_prolong(fine, &b.par, coarse);
    double down = 0.0, up = 0.0;
    for (size_t n = 0; n < 64 * coarse->block_count; n++) down += (double)coarse->b[n] * (double)coarse->x[n];
    for (size_t n = 0; n < b.items; n++) up += (double)r[n] * (double)fine->x[n];
    check_near(down, up, 1e-4 * fabs(up));
    assert_true(fabs(up) > 1.0);
    free(r);
    close_bed(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix_and_right_side_are_those_of_the_equation),
        cmocka_unit_test(test_matrix_is_symmetric_and_positive),
        cmocka_unit_test(test_cycle_is_symmetric_and_positive),
        cmocka_unit_test(test_coarse_energy_is_half_of_the_fine_one),
        cmocka_unit_test(test_restriction_is_the_transpose_of_prolongation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
