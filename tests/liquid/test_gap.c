// Gaps between particles: which air is filled, and what is written there.
#include "blocks.h"

#include "base/memory.h"
#include "liquid/gap.h"

#include <string.h>

static const int low[3] = {0, 0, 0}, high[3] = {4, 4, 4};
static const double cell = 0.5;

typedef struct bath {
    dr_grid grid;
    dr_gaps gaps;
    uint8_t *kind;
    float *distance;
} bath;

// Liquid everywhere in 16 cells along each axis.
static void open_bath(bath *b, const int32_t period[3], const dr_allocator *allocator)
{
    make_blocks(&b->grid, cell, period, low, high);
    dr_gaps_open(&b->gaps, allocator);
    size_t items = b->grid.block_count * DR_BLOCK_NODES;
    b->kind = malloc(items);
    b->distance = malloc(items * sizeof(float));
    assert_true(b->kind && b->distance);
    memset(b->kind, DR_CELL_LIQUID, items);
    for (size_t i = 0; i < items; i++) b->distance[i] = -3.0F;
}

static void close_bath(bath *b)
{
    free(b->kind);
    free(b->distance);
    dr_gaps_close(&b->gaps);
    dr_grid_close(&b->grid);
}

static void put_box(bath *b, const int from[3], const int to[3], uint8_t kind)
{
    const double middle[3] = {0.5, 0.5, 0.5};
    for (size_t i = 0; i < b->grid.block_count * DR_BLOCK_NODES; i++) {
        double x[3];
        bool inside = true;
        locate(&b->grid, i / DR_BLOCK_NODES, (int)(i % DR_BLOCK_NODES), middle, x);
        for (int a = 0; a < 3; a++) inside = inside && x[a] > cell * from[a] && x[a] < cell * to[a];
        if (!inside) continue;
        b->kind[i] = kind;
        b->distance[i] = 1.0F;
    }
}

// Fills and counts what is left of the air.
static size_t fill(bath *b, size_t filled)
{
    size_t air = 0;
    assert_true(dr_gaps_fill(&b->gaps, &b->grid, &one_thread, b->kind, b->distance));
    assert_int_equal(b->gaps.filled, filled);
    for (size_t i = 0; i < b->grid.block_count * DR_BLOCK_NODES; i++) air += b->kind[i] == DR_CELL_AIR;
    return air;
}

static const int32_t no_period[3] = {0, 0, 0};

static void test_eight_cells_of_air_in_the_liquid_are_filled_and_nine_are_not(void **state)
{
    (void)state;
    bath b;
    open_bath(&b, no_period, NULL);
    put_box(&b, (const int[3]){3, 3, 3}, (const int[3]){5, 5, 5}, DR_CELL_AIR); // across eight blocks
    put_box(&b, (const int[3]){8, 8, 2}, (const int[3]){9, 9, 11}, DR_CELL_AIR);
    put_box(&b, (const int[3]){12, 12, 12}, (const int[3]){13, 13, 13}, DR_CELL_AIR);
    assert_int_equal(fill(&b, 9), 9);
    assert_int_equal(fill(&b, 0), 9); // once more finds nothing
    close_bath(&b);
}

// Two cells is as far as air is looked for.
static void test_a_filled_cell_lies_deep_where_no_air_is_near_and_no_other_changes(void **state)
{
    (void)state;
    bath b;
    open_bath(&b, no_period, NULL);
    put_box(&b, (const int[3]){7, 7, 7}, (const int[3]){9, 8, 8}, DR_CELL_AIR);
    assert_int_equal(fill(&b, 2), 0);
    size_t changed = 0;
    for (size_t i = 0; i < b.grid.block_count * DR_BLOCK_NODES; i++) {
        if (b.distance[i] == -3.0F) continue;
        assert_true(b.distance[i] == -2.0F * (float)cell);
        changed++;
    }
    assert_int_equal(changed, 2);
    close_bath(&b);
}

// Air from y = 10 on, whose surface lies half a cell below the centres there; a gap two cells below.
static void test_liquid_around_a_gap_is_as_deep_as_the_air_above_tells(void **state)
{
    (void)state;
    const double middle[3] = {0.5, 0.5, 0.5};
    bath b;
    open_bath(&b, no_period, NULL);
    put_box(&b, (const int[3]){0, 10, 0}, (const int[3]){16, 16, 16}, DR_CELL_AIR);
    put_box(&b, (const int[3]){7, 8, 7}, (const int[3]){8, 9, 8}, DR_CELL_AIR);
    for (size_t i = 0; i < b.grid.block_count * DR_BLOCK_NODES; i++)
        b.distance[i] = b.kind[i] == DR_CELL_AIR ? 0.5F * (float)cell : -0.3F * (float)cell;
    fill(&b, 1);
    for (size_t i = 0; i < b.grid.block_count * DR_BLOCK_NODES; i++) {
        double x[3];
        locate(&b.grid, i / DR_BLOCK_NODES, (int)(i % DR_BLOCK_NODES), middle, x);
        double above = x[0] / cell - 7.5, up = x[1] / cell, across = x[2] / cell - 7.5;
        if (fabs(above) > 2.1 || fabs(across) > 2.1 || up < 6.0 || up > 10.0) continue;
        assert_true(fabs((double)b.distance[i] / cell + fmin(2.0, 10.0 - up)) < 1e-5);
    }
    close_bath(&b);
}

// Where the blocks begin and end along an axis, in cells.
static void find_ends(const bath *b, int axis, int ends[2])
{
    ends[0] = INT32_MAX;
    ends[1] = INT32_MIN;
    for (size_t i = 0; i < b->grid.block_count; i++) {
        int at = DR_BLOCK_SIDE * b->grid.coordinate[3 * i + (size_t)axis];
        if (at < ends[0]) ends[0] = at;
        if (at + DR_BLOCK_SIDE > ends[1]) ends[1] = at + DR_BLOCK_SIDE;
    }
}

static void test_air_that_reaches_the_end_of_the_blocks_is_open(void **state)
{
    (void)state;
    for (int side = 0; side < 6; side++) {
        bath b;
        int from[3] = {6, 6, 6}, to[3] = {7, 7, 7}, ends[2], axis = side / 2;
        open_bath(&b, no_period, NULL);
        find_ends(&b, axis, ends);
        from[axis] = side % 2 ? ends[1] - 1 : ends[0];
        to[axis] = from[axis] + 1;
        put_box(&b, from, to, DR_CELL_AIR);
        assert_int_equal(fill(&b, 0), 1);
        close_bath(&b);
    }
}

static void test_air_is_joined_across_a_period(void **state)
{
    (void)state;
    bath b;
    const int32_t around[3] = {4, 0, 0};
    open_bath(&b, around, NULL);
    put_box(&b, (const int[3]){0, 6, 6}, (const int[3]){5, 7, 7}, DR_CELL_AIR); // five cells and four: one gap of nine
    put_box(&b, (const int[3]){12, 6, 6}, (const int[3]){16, 7, 7}, DR_CELL_AIR);
    assert_int_equal(fill(&b, 0), 9);
    put_box(&b, (const int[3]){4, 6, 6}, (const int[3]){5, 7, 7}, DR_CELL_LIQUID);
    assert_int_equal(fill(&b, 8), 0);
    close_bath(&b);
}

static void test_solids_shut_gaps_in_too(void **state)
{
    (void)state;
    bath b;
    open_bath(&b, no_period, NULL);
    put_box(&b, (const int[3]){0, 0, 0}, (const int[3]){16, 4, 16}, DR_CELL_SOLID);
    put_box(&b, (const int[3]){6, 4, 6}, (const int[3]){8, 5, 8}, DR_CELL_AIR);
    assert_int_equal(fill(&b, 4), 0);
    for (size_t i = 0; i < b.grid.block_count * DR_BLOCK_NODES; i++) {
        if (b.kind[i] == DR_CELL_SOLID) assert_true(b.distance[i] == 1.0F);
    }
    close_bath(&b);
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    bath one, many;
    const dr_par three = {3};
    open_bath(&one, no_period, NULL);
    open_bath(&many, no_period, NULL);
    for (size_t i = 0; i < one.grid.block_count * DR_BLOCK_NODES; i++) {
        bool air = i * 2654435761U % 97 < 20;
        one.kind[i] = many.kind[i] = air ? DR_CELL_AIR : DR_CELL_LIQUID;
    }
    assert_true(dr_gaps_fill(&one.gaps, &one.grid, &one_thread, one.kind, one.distance));
    assert_true(dr_gaps_fill(&many.gaps, &many.grid, &three, many.kind, many.distance));
    assert_true(one.gaps.filled > 0);
    assert_memory_equal(one.kind, many.kind, one.grid.block_count * DR_BLOCK_NODES);
    assert_memory_equal(one.distance, many.distance, one.grid.block_count * DR_BLOCK_NODES * sizeof(float));
    close_bath(&one);
    close_bath(&many);
}

static void *refuse(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user, (void)block, (void)old_bytes, (void)new_bytes;
    return NULL;
}

static void test_memory_that_is_out_is_said(void **state)
{
    (void)state;
    const dr_allocator poor = {.resize = refuse};
    bath b;
    open_bath(&b, no_period, &poor);
    assert_false(dr_gaps_fill(&b.gaps, &b.grid, &one_thread, b.kind, b.distance));
    close_bath(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eight_cells_of_air_in_the_liquid_are_filled_and_nine_are_not),
        cmocka_unit_test(test_a_filled_cell_lies_deep_where_no_air_is_near_and_no_other_changes),
        cmocka_unit_test(test_liquid_around_a_gap_is_as_deep_as_the_air_above_tells),
        cmocka_unit_test(test_air_that_reaches_the_end_of_the_blocks_is_open),
        cmocka_unit_test(test_air_is_joined_across_a_period),
        cmocka_unit_test(test_solids_shut_gaps_in_too),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_memory_that_is_out_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
