// Enclosed air: how many bubbles there are, and their volume.
#include "blocks.h"

#include "base/memory.h"
#include "liquid/bubble.h"

static const int low[3] = {0, 0, 0}, high[3] = {4, 4, 4};
static const int32_t no_period[3] = {0, 0, 0};

typedef struct bath {
    dr_grid grid;
    dr_bubbles bubbles;
    uint8_t *kind;
} bath;

// Liquid in 1 .. 15 of all axes, air around it up to the last block.
static void open_bath(bath *b, const dr_allocator *allocator)
{
    make_blocks(&b->grid, 0.5, no_period, low, high);
    dr_bubbles_open(&b->bubbles, allocator);
    b->kind = calloc(b->grid.block_count, DR_BLOCK_NODES);
    assert_non_null(b->kind);
}

static void close_bath(bath *b)
{
    free(b->kind);
    dr_bubbles_close(&b->bubbles);
    dr_grid_close(&b->grid);
}

static void fill_box(bath *b, const int from[3], const int to[3], uint8_t kind)
{
    const double middle[3] = {0.5, 0.5, 0.5};
    for (size_t i = 0; i < b->grid.block_count * DR_BLOCK_NODES; i++) {
        double x[3];
        bool inside = true;
        locate(&b->grid, i / DR_BLOCK_NODES, (int)(i % DR_BLOCK_NODES), middle, x);
        for (int a = 0; a < 3; a++) inside = inside && x[a] > 0.5 * from[a] && x[a] < 0.5 * to[a];
        if (inside) b->kind[i] = kind;
    }
}

static void expect_bubbles(bath *b, size_t count, int cells)
{
    assert_true(dr_bubbles_find(&b->bubbles, &b->grid, &one_thread, b->kind, NULL, NULL));
    assert_int_equal(b->bubbles.count, count);
    assert_true(fabs(b->bubbles.volume - 0.125 * cells) < 1e-12);
}

static void test_bubbles_are_counted_and_measured(void **state)
{
    (void)state;
    bath b;
    open_bath(&b, NULL);
    fill_box(&b, (const int[3]){1, 1, 1}, (const int[3]){15, 15, 15}, DR_CELL_LIQUID);
    expect_bubbles(&b, 0, 0);
    fill_box(&b, (const int[3]){3, 3, 3}, (const int[3]){9, 5, 4}, DR_CELL_AIR); // across blocks
    expect_bubbles(&b, 1, 12);
    fill_box(&b, (const int[3]){12, 12, 12}, (const int[3]){13, 13, 13}, DR_CELL_AIR);
    expect_bubbles(&b, 2, 13);
    fill_box(&b, (const int[3]){3, 4, 3}, (const int[3]){4, 16, 4}, DR_CELL_AIR); // a chimney
    expect_bubbles(&b, 1, 1);
    close_bath(&b);
}

static void test_solids_enclose_too(void **state)
{
    (void)state;
    bath b;
    open_bath(&b, NULL);
    fill_box(&b, (const int[3]){4, 4, 4}, (const int[3]){10, 10, 10}, DR_CELL_SOLID);
    fill_box(&b, (const int[3]){5, 5, 5}, (const int[3]){9, 7, 9}, DR_CELL_LIQUID);
    fill_box(&b, (const int[3]){5, 7, 5}, (const int[3]){9, 9, 9}, DR_CELL_AIR);
    expect_bubbles(&b, 1, 32);
    close_bath(&b);
}

static void *refuse(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    (void)block;
    (void)old_bytes;
    (void)new_bytes;
    return NULL;
}

static void test_memory_that_is_out_is_said(void **state)
{
    (void)state;
    const dr_allocator poor = {.resize = refuse};
    bath b;
    open_bath(&b, &poor);
    assert_false(dr_bubbles_find(&b.bubbles, &b.grid, &one_thread, b.kind, NULL, NULL));
    close_bath(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bubbles_are_counted_and_measured),
        cmocka_unit_test(test_solids_enclose_too),
        cmocka_unit_test(test_memory_that_is_out_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
