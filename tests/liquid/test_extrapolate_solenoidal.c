#include "blocks.h"

#include "liquid/extrapolate_solenoidal.h"
#include "liquid/level_set.h"

#include <string.h>

static const double cell = 0.5;

typedef struct field {
    dr_grid grid;
    size_t items;
    float *velocity, *share;
    uint8_t *kind, *flags;
} field;

static void open_field(field *f)
{
    const int32_t period[3] = {0, 0, 0};
    const int low[3] = {0, 0, 0}, high[3] = {3, 3, 3};
    make_blocks(&f->grid, cell, period, low, high);
    f->items = f->grid.block_count * 64;
    f->velocity = calloc(4 * f->items, sizeof(float));
    f->share = calloc(f->items, sizeof(float));
    f->kind = calloc(f->items, 1);
    f->flags = calloc(f->items, 1);
}

static void close_field(field *f)
{
    free(f->velocity);
    free(f->share);
    free(f->kind);
    free(f->flags);
    dr_grid_close(&f->grid);
}

static void coordinates(const field *f, size_t item, int x[3])
{
    const int local[3] = {(int)(item >> 4 & 3), (int)(item >> 2 & 3), (int)(item & 3)};
    for (int a = 0; a < 3; a++) x[a] = 4 * f->grid.coordinate[3 * (item / 64) + (size_t)a] + local[a];
}

static size_t find(const field *f, int x, int y, int z)
{
    for (size_t i = 0; i < f->items; i++) {
        int at[3];
        coordinates(f, i, at);
        if (at[0] == x && at[1] == y && at[2] == z) return i;
    }
    fail();
    return 0;
}

static double outflow(const field *f, int x, int y, int z)
{
    const float *u = f->velocity;
    size_t here = find(f, x, y, z);
    return (double)(u[4 * find(f, x + 1, y, z)] - u[4 * here]) +
           (double)(u[4 * find(f, x, y + 1, z) + 1] - u[4 * here + 1]) +
           (double)(u[4 * find(f, x, y, z + 1) + 2] - u[4 * here + 2]);
}

static void close_rim(field *f, float limit)
{
    dr_solenoidal rim = {.kind = f->kind, .limit = limit, .flags = f->flags, .share = f->share};
    dr_extrapolate_solenoidal(&rim, &f->grid, &one_thread, f->velocity);
}

// Liquid below y = 6 cells, a velocity that grows upwards.
static void fill_pool(field *f)
{
    for (size_t i = 0; i < f->items; i++) {
        int x[3];
        coordinates(f, i, x);
        f->kind[i] = x[1] < 6 ? DR_CELL_LIQUID : DR_CELL_AIR;
        f->velocity[4 * i] = (float)(0.1 * x[0] * (x[1] + 0.5));
        f->velocity[4 * i + 1] = (float)(0.3 * x[1] - 0.02 * x[2]);
    }
}

static void test_as_much_flows_out_beside_the_surface_as_in(void **state)
{
    (void)state;
    field f;
    open_field(&f);
    fill_pool(&f);
    assert_true(fabs(outflow(&f, 5, 6, 5)) > 0.5);
    close_rim(&f, 100.0F);
    for (int x = 1; x < 10; x++) assert_true(fabs(outflow(&f, x, 6, x)) < 1e-5);
    close_field(&f);
}

static void test_no_velocity_changes_by_more_than_the_limit(void **state)
{
    (void)state;
    field f;
    open_field(&f);
    fill_pool(&f);
    size_t face = 4 * find(&f, 5, 7, 5) + 1;
    double before = (double)f.velocity[face];
    close_rim(&f, 0.25F);
    assert_true(fabs(fabs((double)f.velocity[face] - before) - 0.25) < 1e-6);
    close_field(&f);
}

static void test_only_faces_that_lead_away_from_the_liquid_change(void **state)
{
    (void)state;
    field f;
    open_field(&f);
    fill_pool(&f);
    float *before = malloc(4 * f.items * sizeof *before);
    memcpy(before, f.velocity, 4 * f.items * sizeof *before);
    close_rim(&f, 100.0F);
    for (size_t i = 0; i < f.items; i++) {
        int x[3];
        coordinates(&f, i, x);
        for (size_t a = 0; a < 3; a++)
            if (a != 1 || x[1] != 7) assert_true(f.velocity[4 * i + a] == before[4 * i + a]);
    }
    free(before);
    close_field(&f);
}

static void test_a_rotation_stays(void **state)
{
    (void)state;
    field f;
    open_field(&f);
    fill_pool(&f);
    for (size_t i = 0; i < f.items; i++) {
        int x[3];
        coordinates(&f, i, x);
        f.velocity[4 * i] = (float)-(x[1] - 5);
        f.velocity[4 * i + 1] = (float)(x[0] - 5);
    }
    close_rim(&f, 100.0F);
    assert_true(fabs((double)f.velocity[4 * find(&f, 8, 7, 3) + 1] - 3.0) < 1e-6);
    close_field(&f);
}

// Air that liquid closes in on from both sides may shrink.
static void test_a_gap_may_close(void **state)
{
    (void)state;
    field f;
    open_field(&f);
    for (size_t i = 0; i < f.items; i++) {
        int x[3];
        coordinates(&f, i, x);
        f.kind[i] = x[0] < 6 && x[1] != 5 ? DR_CELL_LIQUID : DR_CELL_AIR;
        f.velocity[4 * i + 1] = x[1] <= 5 ? 1.0F : -1.0F;
    }
    close_rim(&f, 100.0F);
    assert_true(f.velocity[4 * find(&f, 6, 5, 5)] == 0.0F);
    assert_true(outflow(&f, 4, 5, 5) == -2.0);
    close_field(&f);
}

// Air behind a closed face is not beside the liquid.
static void test_liquid_behind_a_wall_changes_nothing(void **state)
{
    (void)state;
    field f;
    open_field(&f);
    fill_pool(&f);
    float *before = malloc(4 * f.items * sizeof *before), *open = malloc(4 * f.items * sizeof *open);
    float *still = calloc(4 * f.items, sizeof *still);
    memcpy(before, f.velocity, 4 * f.items * sizeof *before);
    for (size_t i = 0; i < f.items; i++) {
        int x[3];
        coordinates(&f, i, x);
        for (size_t a = 0; a < 4; a++) open[4 * i + a] = a == 1 && x[1] == 6 ? 0.0F : 1.0F;
    }
    dr_solenoidal rim = {.kind = f.kind,
                         .open_area = open,
                         .solid_velocity = still,
                         .limit = 100.0F,
                         .flags = f.flags,
                         .share = f.share};
    dr_extrapolate_solenoidal(&rim, &f.grid, &one_thread, f.velocity);
    assert_memory_equal(f.velocity, before, 4 * f.items * sizeof *before);
    free(still);
    free(open);
    free(before);
    close_field(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_much_flows_out_beside_the_surface_as_in),
        cmocka_unit_test(test_no_velocity_changes_by_more_than_the_limit),
        cmocka_unit_test(test_only_faces_that_lead_away_from_the_liquid_change),
        cmocka_unit_test(test_a_rotation_stays),
        cmocka_unit_test(test_a_gap_may_close),
        cmocka_unit_test(test_liquid_behind_a_wall_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
