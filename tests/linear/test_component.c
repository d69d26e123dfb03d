// Connected regions against a plain flood over cells.
#include "linear/component.h"
#include "linear/level.h"
#include "support/check.h"
#include "support/scarce.h"

#include <stdlib.h>

enum { SIDE = 3, BLOCKS = SIDE * SIDE * SIDE, WIDTH = 4 * SIDE, ALL = WIDTH * WIDTH * WIDTH };

typedef struct maze {
    dr_component_block block[BLOCKS];
    int32_t neighbour[BLOCKS][6];
    int label[ALL]; // 0: no unknown
    int count, floating;
} maze;

static uint64_t dice;

static double roll(void)
{
    dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(dice >> 11) / 9007199254740992.0;
}

static int block_of(int c)
{
    return (c / (WIDTH * WIDTH) / 4 * SIDE + c / WIDTH % WIDTH / 4) * SIDE + c % WIDTH / 4;
}

static int bit_of(int c)
{
    return 16 * (c / (WIDTH * WIDTH) % 4) + 4 * (c / WIDTH % 4) + c % 4;
}

static bool has(uint64_t mask, int c)
{
    return mask >> bit_of(c) & 1;
}

static const int step[3] = {WIDTH * WIDTH, WIDTH, 1};

static int place(int c, int axis)
{
    return c / step[axis] % WIDTH;
}

static void make_maze(maze *m, double unknown, double link, double ground)
{
    memset(m, 0, sizeof *m);
    for (int b = 0; b < BLOCKS; b++) {
        int at[3] = {b / (SIDE * SIDE), b / SIDE % SIDE, b % SIDE}, jump[3] = {SIDE * SIDE, SIDE, 1};
        for (int n = 0; n < 6; n++) {
            bool inside = n & 1 ? at[n / 2] + 1 < SIDE : at[n / 2] > 0;
            m->neighbour[b][n] = inside ? b + (n & 1 ? 1 : -1) * jump[n / 2] : -1;
        }
    }
    for (int c = 0; c < ALL; c++) {
        if (roll() < unknown) m->block[block_of(c)].unknown |= UINT64_C(1) << bit_of(c);
    }
    for (int c = 0; c < ALL; c++) {
        dr_component_block *block = &m->block[block_of(c)];
        if (!has(block->unknown, c)) continue;
        if (roll() < ground) block->ground |= UINT64_C(1) << bit_of(c);
        for (int a = 0; a < 3; a++) {
            bool below = place(c, a) > 0 && has(m->block[block_of(c - step[a])].unknown, c - step[a]);
            if (below && roll() < link) block->link[a] |= UINT64_C(1) << bit_of(c);
        }
    }
}

static bool linked(const maze *m, int c, int axis)
{
    return has(m->block[block_of(c)].link[axis], c);
}

static void flood(maze *m, int start)
{
    static int stack[ALL];
    int depth = 0;
    bool grounded = false;
    m->label[start] = ++m->count;
    stack[depth++] = start;
    while (depth) {
        int c = stack[--depth];
        grounded = grounded || has(m->block[block_of(c)].ground, c);
        for (int a = 0; a < 3; a++) {
            int low = linked(m, c, a) ? c - step[a] : -1;
            int high = place(c, a) + 1 < WIDTH && linked(m, c + step[a], a) ? c + step[a] : -1;
            if (low >= 0 && !m->label[low]) m->label[stack[depth++] = low] = m->count;
            if (high >= 0 && !m->label[high]) m->label[stack[depth++] = high] = m->count;
        }
    }
    m->floating += !grounded;
}

static void label_maze(maze *m)
{
    for (int c = 0; c < ALL; c++) {
        if (!m->label[c] && has(m->block[block_of(c)].unknown, c)) flood(m, c);
    }
}

static size_t item_of(int c)
{
    return 64 * (size_t)block_of(c) + (size_t)dr_level_item(c / (WIDTH * WIDTH) % 4, c / WIDTH % 4, c % 4);
}

static void check_maze(const maze *m)
{
    dr_components components = {0};
    dr_par par = {1};
    double values[64 * BLOCKS], before[64 * BLOCKS];
    assert_true(dr_components_find(&components, &par, m->block, &m->neighbour[0][0], BLOCKS));
    assert_int_equal(components.component_count, m->count);
    assert_int_equal(components.floating_count, m->floating);
    for (int n = 0; n < 64 * BLOCKS; n++) before[n] = values[n] = roll();
    dr_components_center(&components, &par, values);
    double *sum = calloc((size_t)m->count + 1, sizeof *sum), *change = calloc((size_t)m->count + 1, sizeof *change);
    int floating = 0;
    for (int c = 0; c < ALL; c++) { // every cell of a region moves by the same, and only where nothing grounds it
        int label = m->label[c];
        sum[label] += values[item_of(c)];
        if (change[label] == 0.0) change[label] = values[item_of(c)] - before[item_of(c)];
        check_near(values[item_of(c)] - before[item_of(c)], label ? change[label] : 0.0, 1e-12);
    }
    for (int n = 1; n <= m->count; n++) {
        if (change[n] == 0.0) continue;
        floating++;
        check_near(sum[n], 0.0, 1e-10);
    }
    assert_int_equal(floating, m->floating);
    free(sum);
    free(change);
    dr_components_free(&components);
}

static void test_regions_are_those_of_a_plain_flood(void **state)
{
    (void)state;
    const double unknown[5] = {0.3, 0.8, 1.0, 1.0, 1.0}, link[5] = {1.0, 0.6, 0.3, 1.0, 0.8},
                 ground[5] = {0.2, 0.01, 0.05, 0.0, 1.0};
    for (int n = 0; n < 50; n++) {
        static maze m;
        dice = (uint64_t)n + 1;
        make_maze(&m, unknown[n % 5], link[n % 5], ground[n % 5]);
        label_maze(&m);
        check_maze(&m);
    }
}

static void test_no_blocks_have_no_regions(void **state)
{
    (void)state;
    dr_components components = {0};
    dr_par par = {1};
    assert_true(dr_components_find(&components, &par, NULL, NULL, 0));
    assert_int_equal(components.component_count, 0);
    check_near(dr_components_center(&components, &par, NULL), 0.0, 0.0);
    dr_components_free(&components);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static maze m;
    dr_par par = {1};
    make_maze(&m, 0.8, 0.6, 0.1);
    bool done = false;
    for (long n = 1; !done; n++) {
        scarce memory;
        scarce_open(&memory, n);
        dr_components components = {.allocator = &memory.allocator};
        done = dr_components_find(&components, &par, m.block, &m.neighbour[0][0], BLOCKS);
        dr_components_free(&components);
        assert_int_equal(memory.out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regions_are_those_of_a_plain_flood),
        cmocka_unit_test(test_no_blocks_have_no_regions),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
