// Free pieces of liquid get back the momentum that they lack, docs/theory/liquid.md, eq. (10)-(12).
#include "blocks.h"

#include "grid/transfer.h"
#include "liquid/balance.h"
#include "support/scarce.h"

#include <string.h>

static const int low[3] = {-2, 0, 0}, high[3] = {2, 3, 3};
static const int32_t no_period[3] = {0, 0, 0};
static const double cell = 0.5;

typedef struct flow {
    dr_grid grid;
    dr_balance balance;
    size_t items;
    float *mass, *before, *velocity, *shift; // shift: NULL as long as nobody asks
    uint8_t *touch;
} flow;

static void open_flow(flow *f, const int32_t period[3], const dr_allocator *allocator)
{
    make_blocks(&f->grid, cell, period, low, high);
    dr_balance_open(&f->balance, allocator);
    f->items = f->grid.block_count * DR_BLOCK_NODES;
    f->mass = calloc(4 * f->items, sizeof(float));
    f->before = calloc(4 * f->items, sizeof(float));
    f->velocity = calloc(4 * f->items, sizeof(float));
    f->shift = NULL;
    f->touch = calloc(f->items, 1);
    assert_true(f->mass && f->before && f->velocity && f->touch);
}

static void close_flow(flow *f)
{
    free(f->mass);
    free(f->before);
    free(f->velocity);
    free(f->shift);
    free(f->touch);
    dr_balance_close(&f->balance);
    dr_grid_close(&f->grid);
}

static float pick(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return (float)(*seed >> 8) / (float)(1U << 23) - 1.0F;
}

typedef struct box {
    int from[3], to[3]; // cells
} box;

static const box left = {{-7, 2, 1}, {-2, 9, 7}}, right = {{0, 1, 2}, {6, 8, 9}};

static bool is_inside(const flow *f, size_t item, const box *piece)
{
    const double middle[3] = {0.5, 0.5, 0.5};
    double x[3];
    locate(&f->grid, item / DR_BLOCK_NODES, (int)(item % DR_BLOCK_NODES), middle, x);
    for (int a = 0; a < 3; a++) {
        if (x[a] < cell * piece->from[a] || x[a] > cell * piece->to[a]) return false;
    }
    return true;
}

// Masses and velocities at random in the box, the velocity wanted and the one there without any relation.
static void pour_box(flow *f, const box *piece, uint8_t touch)
{
    uint32_t seed = 7;
    for (size_t i = 0; i < f->items; i++) {
        if (!is_inside(f, i, piece)) continue;
        f->touch[i] = touch;
        for (size_t a = 0; a < 3; a++) {
            f->mass[4 * i + a] = 1.0F + 0.5F * pick(&seed);
            f->before[4 * i + a] = 10.0F * pick(&seed) + 3.0F;
            f->velocity[4 * i + a] = 10.0F * pick(&seed);
        }
    }
}

static bool restore(flow *f, int threads)
{
    const dr_balance_problem problem = {f->mass, f->before, f->touch, 0.1F, NULL, f->shift};
    const dr_par par = {threads};
    return dr_balance_restore(&f->balance, &f->grid, &par, &problem, f->velocity);
}

// What a piece lacks: momentum, and angular momentum about the origin; per gram.
static void find_lack(const flow *f, const box *piece, double lack[6])
{
    double mass = 0.0;
    memset(lack, 0, 6 * sizeof *lack);
    for (size_t i = 0; i < f->items; i++) {
        if (!is_inside(f, i, piece)) continue;
        for (int a = 0; a < 3; a++) {
            double x[3], m = (double)f->mass[4 * i + (size_t)a];
            double p = m * ((double)f->before[4 * i + (size_t)a] - (double)f->velocity[4 * i + (size_t)a]);
            locate_face(&f->grid, i / DR_BLOCK_NODES, (int)(i % DR_BLOCK_NODES), a, x);
            int next = (a + 1) % 3, last = (a + 2) % 3;
            mass += m / 3.0;
            lack[a] += p;
            lack[3 + next] += x[last] * p;
            lack[3 + last] -= x[next] * p;
        }
    }
    for (int k = 0; k < 6; k++) lack[k] /= mass;
}

static void expect_kept(const flow *f, const box *piece, const bool kept[6])
{
    double lack[6];
    find_lack(f, piece, lack);
    for (int k = 0; k < 6; k++) assert_int_equal(fabs(lack[k]) < 1e-6, kept[k]);
}

static const bool all[6] = {true, true, true, true, true, true};

static void test_every_free_piece_gets_its_own_momentum_and_spin_back(void **state)
{
    (void)state;
    flow f;
    const bool none[6] = {false};
    open_flow(&f, no_period, NULL);
    pour_box(&f, &left, 0);
    pour_box(&f, &right, 0);
    expect_kept(&f, &left, none);
    expect_kept(&f, &right, none);
    assert_true(restore(&f, 1));
    expect_kept(&f, &left, all);
    expect_kept(&f, &right, all);
    close_flow(&f);
}

static void turn(const double x[3], double u[3])
{
    const double spin[3] = {0.5, -2.0, 1.0}, drift[3] = {3.0, 4.0, -5.0};
    for (int a = 0; a < 3; a++) {
        int next = (a + 1) % 3, last = (a + 2) % 3;
        u[a] = drift[a] + spin[next] * x[last] - spin[last] * x[next];
    }
}

static void test_a_rigid_motion_comes_back_whole(void **state)
{
    (void)state;
    flow f;
    open_flow(&f, no_period, NULL);
    pour_box(&f, &right, 0);
    float *motion = fill_faces(&f.grid, turn);
    memcpy(f.before, motion, 4 * f.items * sizeof(float));
    memset(f.velocity, 0, 4 * f.items * sizeof(float));
    assert_true(restore(&f, 1));
    for (size_t i = 0; i < f.items; i++) {
        bool inside = is_inside(&f, i, &right);
        for (size_t a = 0; a < 3; a++) {
            float wanted = inside ? motion[4 * i + a] : 0.0F;
            assert_true(fabsf(f.velocity[4 * i + a] - wanted) < 2e-5F);
        }
    }
    free(motion);
    close_flow(&f);
}

static void test_a_piece_that_touches_something_firm_is_left_alone(void **state)
{
    (void)state;
    flow f;
    open_flow(&f, no_period, NULL);
    pour_box(&f, &left, 0);
    pour_box(&f, &right, 0);
    for (size_t i = 0; i < f.items; i++) {
        if (is_inside(&f, i, &(box){{5, 7, 8}, {6, 8, 9}})) f.touch[i] = DR_TOUCH_FIRM; // one cell, a corner
    }
    float *velocity = malloc(4 * f.items * sizeof(float));
    memcpy(velocity, f.velocity, 4 * f.items * sizeof(float));
    assert_true(restore(&f, 1));
    expect_kept(&f, &left, all);
    for (size_t i = 0; i < f.items; i++) {
        if (is_inside(&f, i, &right)) assert_memory_equal(f.velocity + 4 * i, velocity + 4 * i, 4 * sizeof(float));
    }
    free(velocity);
    close_flow(&f);
}

static void test_smooth_planes_leave_free_what_goes_along_them(void **state)
{
    (void)state;
    const bool beside_x[6] = {false, true, true, true, false, false};
    const bool in_a_corner[6] = {false, false, true, false, false, false};
    flow f;
    open_flow(&f, no_period, NULL);
    pour_box(&f, &left, 1);
    pour_box(&f, &right, 1 | 2);
    assert_true(restore(&f, 1));
    expect_kept(&f, &left, beside_x);
    expect_kept(&f, &right, in_a_corner);
    close_flow(&f);
}

static void test_in_a_periodic_direction_there_is_no_spin_to_keep(void **state)
{
    (void)state;
    const int32_t period[3] = {4, 0, 0};
    const bool kept[6] = {true, true, true, true, false, false};
    flow f;
    open_flow(&f, period, NULL);
    pour_box(&f, &right, 0);
    assert_true(restore(&f, 1));
    expect_kept(&f, &right, kept);
    close_flow(&f);
}

static void test_faces_with_hardly_any_mass_join_nothing(void **state)
{
    (void)state;
    flow f;
    const box bridge = {{-2, 3, 3}, {0, 4, 4}};
    open_flow(&f, no_period, NULL);
    pour_box(&f, &left, 0);
    pour_box(&f, &right, DR_TOUCH_FIRM);
    for (size_t i = 0; i < f.items; i++) {
        for (size_t a = 0; a < 3 && is_inside(&f, i, &bridge); a++) f.mass[4 * i + a] = 0.09F;
    }
    assert_true(restore(&f, 1));
    expect_kept(&f, &left, all);
    for (size_t i = 0; i < f.items; i++) {
        for (size_t a = 0; a < 3 && is_inside(&f, i, &bridge); a++) assert_true(f.velocity[4 * i + a] == 0.0F);
    }
    close_flow(&f);
}

// A lack far below the last digit of every velocity is given back all the same, in the sum.
static void test_a_small_lack_in_a_fast_piece_is_not_rounded_away(void **state)
{
    (void)state;
    flow f;
    double lack[6];
    open_flow(&f, no_period, NULL);
    pour_box(&f, &right, 0);
    for (size_t i = 0; i < f.items; i++) {
        for (size_t a = 0; a < 3 && is_inside(&f, i, &right); a++) {
            f.before[4 * i + a] = 1000.0F + (i % 40 == 0 ? 0x1p-14F : 0.0F);
            f.velocity[4 * i + a] = 1000.0F;
        }
    }
    find_lack(&f, &right, lack);
    assert_true(lack[0] > 1e-6); // the last digit of 1000 is 6e-5
    assert_true(restore(&f, 1));
    find_lack(&f, &right, lack);
    for (int a = 0; a < 3; a++) assert_true(fabs(lack[a]) < 5e-7);
    close_flow(&f);
}

static double drift_of(const flow *f, const box *piece, size_t axis)
{
    double sum = 0.0, mass = 0.0;
    for (size_t i = 0; i < f->items; i++) {
        if (!is_inside(f, i, piece)) continue;
        sum += (double)f->mass[4 * i + axis] * (double)f->shift[4 * i + axis];
        mass += (double)f->mass[4 * i + axis];
    }
    return sum / mass;
}

// Along the axes on which nothing holds it.
static void test_displacements_leave_the_centre_of_mass_of_a_free_piece(void **state)
{
    (void)state;
    flow f;
    uint32_t seed = 3;
    open_flow(&f, no_period, NULL);
    pour_box(&f, &left, 2);
    pour_box(&f, &right, DR_TOUCH_FIRM);
    f.shift = calloc(4 * f.items, sizeof(float));
    for (size_t i = 0; i < 4 * f.items; i++) f.shift[i] = 1.0F + pick(&seed);
    assert_true(restore(&f, 1));
    for (size_t a = 0; a < 3; a++) {
        assert_int_equal(fabs(drift_of(&f, &left, a)) < 1e-6, a != 1);
        assert_true(drift_of(&f, &right, a) > 0.5);
    }
    close_flow(&f);
}

// ---- particles, of two drops on either side of x = 0

typedef struct drops {
    dr_grid grid;
    dr_balance balance;
    dr_particles cloud;
    float *mass, *velocity;
} drops;

static void open_drops(drops *d, const dr_allocator *allocator)
{
    const double origin[3] = {0.0, 0.0, 0.0};
    uint32_t seed = 11;
    *d = (drops){0};
    assert_true(dr_grid_open(&d->grid, NULL, cell, origin, no_period));
    assert_true(dr_particles_reserve(&d->cloud, NULL, 1000));
    for (size_t p = 0; p < 1000; p++) {
        const double away = p % 2 ? 3.0 : -3.0;
        const double x[3] = {away + (double)pick(&seed), (double)pick(&seed), (double)pick(&seed)};
        dr_grid_place(&d->grid, x, d->cloud.key + p, d->cloud.offset + 3 * p);
        d->cloud.mass[p] = 1.0F + 0.5F * pick(&seed);
        d->cloud.id[p] = p;
        for (size_t a = 0; a < 9; a++) d->cloud.affine[9 * p + a] = pick(&seed);
        for (size_t a = 0; a < 3; a++) d->cloud.velocity[3 * p + a] = pick(&seed);
    }
    d->cloud.count = 1000;
    assert_true(dr_grid_rebuild(&d->grid, &one_thread, &d->cloud));
    dr_balance_open(&d->balance, allocator);
    d->mass = calloc(d->grid.block_count, 256 * sizeof(float));
    d->velocity = calloc(d->grid.block_count, 256 * sizeof(float));
    const dr_transfer transfer = {DR_KERNEL_QUADRATIC, DR_SCHEME_APIC, 0.0, 0.0, false};
    dr_transfer_to_faces(&transfer, &d->grid, &one_thread, &d->cloud, d->mass, d->velocity);
}

static void close_drops(drops *d)
{
    free(d->mass);
    free(d->velocity);
    dr_balance_close(&d->balance);
    dr_particles_free(&d->cloud, NULL);
    dr_grid_close(&d->grid);
}

static bool assign(drops *d, int threads)
{
    const dr_par par = {threads};
    const dr_balance_problem problem = {d->mass, d->velocity, NULL, 1e-6F, NULL, NULL};
    return dr_balance_restore(&d->balance, &d->grid, &par, &problem, d->velocity) &&
           dr_balance_assign(&d->balance, &d->grid, &par, &d->cloud);
}

// Momentum and angular momentum of a drop, and what its particles gained.
static void sum_drop(const drops *d, bool right_one, double sum[6], double gained[3])
{
    memset(sum, 0, 6 * sizeof *sum);
    memset(gained, 0, 3 * sizeof *gained);
    for (size_t p = 0; p < d->cloud.count; p++) {
        const float *v = d->cloud.velocity + 3 * p, *c = d->cloud.affine + 9 * p;
        double x[3], m = (double)d->cloud.mass[p];
        dr_grid_position(&d->grid, d->cloud.key[p], d->cloud.offset + 3 * p, x);
        for (int i = 0; i < 3 && (x[0] > 0.0) == right_one; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double twist = (double)c[3 * k + j] - (double)c[3 * j + k];
            sum[i] += m * (double)v[i];
            sum[3 + i] += m * (x[j] * (double)v[k] - x[k] * (double)v[j] + 0.25 * cell * cell * twist);
            if (d->balance.gained) gained[i] += m * (double)d->balance.gained[3 * p + (size_t)i];
        }
    }
}

static void gain(drops *d)
{
    uint32_t seed = 5;
    float *gained = dr_balance_gained(&d->balance);
    assert_non_null(gained);
    for (size_t i = 0; i < 3 * d->cloud.count; i++) gained[i] = 1.0F + pick(&seed);
}

static void test_a_free_piece_gives_back_the_angular_momentum_that_displacements_brought(void **state)
{
    (void)state;
    drops d;
    double before[2][6], after[6], gained[3];
    open_drops(&d, NULL);
    assert_true(assign(&d, 1));
    gain(&d);
    for (int k = 0; k < 2; k++) sum_drop(&d, k, before[k], gained);
    dr_balance_turn(&d.balance, &d.grid, &one_thread, &d.cloud);
    for (int k = 0; k < 2; k++) {
        sum_drop(&d, k, after, gained);
        for (int i = 0; i < 3; i++) {
            assert_true(gained[i] > 100.0);
            assert_true(fabs(after[i] - before[k][i]) < 1e-4);
            assert_true(fabs(after[3 + i] - before[k][3 + i] + gained[i]) < 1e-3);
        }
    }
    close_drops(&d);
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    flow one, many;
    open_flow(&one, no_period, NULL);
    open_flow(&many, no_period, NULL);
    for (int k = 0; k < 2; k++) {
        flow *f = k ? &many : &one;
        pour_box(f, &left, 0);
        pour_box(f, &right, 2);
        assert_true(restore(f, k ? 3 : 1));
    }
    assert_memory_equal(one.velocity, many.velocity, 4 * one.items * sizeof(float));
    close_flow(&one);
    close_flow(&many);
}

static void test_threads_do_not_change_a_bit_of_a_particle(void **state)
{
    (void)state;
    drops one, many;
    for (int k = 0; k < 2; k++) {
        drops *d = k ? &many : &one;
        const dr_par par = {k ? 3 : 1};
        open_drops(d, NULL);
        assert_true(assign(d, par.threads));
        gain(d);
        dr_balance_turn(&d->balance, &d->grid, &par, &d->cloud);
    }
    assert_memory_equal(one.cloud.velocity, many.cloud.velocity, 3 * one.cloud.count * sizeof(float));
    assert_memory_equal(one.cloud.affine, many.cloud.affine, 9 * one.cloud.count * sizeof(float));
    close_drops(&one);
    close_drops(&many);
}

static void test_scarce_memory_changes_nothing(void **state)
{
    (void)state;
    bool enough = false;
    for (long n = 1; !enough; n++) {
        flow f;
        scarce memory;
        scarce_open(&memory, n);
        open_flow(&f, no_period, &memory.allocator);
        pour_box(&f, &left, 0);
        float *velocity = malloc(4 * f.items * sizeof(float));
        memcpy(velocity, f.velocity, 4 * f.items * sizeof(float));
        enough = restore(&f, 1);
        assert_int_equal(memcmp(f.velocity, velocity, 4 * f.items * sizeof(float)) != 0, enough);
        free(velocity);
        close_flow(&f);
        assert_int_equal(memory.out, 0);
        assert_true(n < 100);
    }
}

static void test_scarce_memory_assigns_nothing(void **state)
{
    (void)state;
    bool enough = false;
    for (long n = 1; !enough; n++) {
        drops d;
        scarce memory;
        scarce_open(&memory, n);
        open_drops(&d, &memory.allocator);
        enough = assign(&d, 1);
        close_drops(&d);
        assert_int_equal(memory.out, 0);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_free_piece_gets_its_own_momentum_and_spin_back),
        cmocka_unit_test(test_a_rigid_motion_comes_back_whole),
        cmocka_unit_test(test_a_piece_that_touches_something_firm_is_left_alone),
        cmocka_unit_test(test_smooth_planes_leave_free_what_goes_along_them),
        cmocka_unit_test(test_in_a_periodic_direction_there_is_no_spin_to_keep),
        cmocka_unit_test(test_faces_with_hardly_any_mass_join_nothing),
        cmocka_unit_test(test_displacements_leave_the_centre_of_mass_of_a_free_piece),
        cmocka_unit_test(test_a_free_piece_gives_back_the_angular_momentum_that_displacements_brought),
        cmocka_unit_test(test_threads_do_not_change_a_bit_of_a_particle),
        cmocka_unit_test(test_scarce_memory_assigns_nothing),
        cmocka_unit_test(test_a_small_lack_in_a_fast_piece_is_not_rounded_away),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_scarce_memory_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
