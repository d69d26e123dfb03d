// The common surface of liquid and solids.
#include "support/check.h"

#include "liquid/join.h"

#include <stdlib.h>

static double spline(double x)
{
    double a = fabs(x);
    return a < 0.5 ? 0.75 - a * a : a < 1.5 ? 0.5 * (1.5 - a) * (1.5 - a) : 0.0;
}

// What a half space below `height` fills of the kernel around 0, by summing.
static double filled(double height)
{
    double sum = 0.0, step = 1e-4;
    for (double x = -1.5 + 0.5 * step; x < height; x += step) sum += step * spline(x);
    return sum;
}

static void test_the_share_of_a_plane_tells_its_distance(void **state)
{
    (void)state;
    for (int i = -14; i <= 14; i++) check_near((double)dr_join_depth((float)filled(0.1 * i)), -0.1 * i, 2e-3);
    check_near((double)dr_join_depth(1.3F), -1.5, 0.0);
    check_near((double)dr_join_depth(0.0F), 1.5, 0.0);
}

static void test_solids_take_part_where_they_are(void **state)
{
    (void)state;
    const double origin[3] = {0};
    const int32_t period[3] = {0}, block[1][3] = {{0, 0, 0}};
    const dr_par par = {1};
    dr_grid grid;
    float distance[64], fill[64], solid[64], level[64];
    assert_true(dr_grid_open(&grid, NULL, 0.5, origin, 1.0, period));
    assert_true(dr_grid_from_blocks(&grid, &par, block, 1));
    for (int c = 0; c < 64; c++) {
        distance[c] = 0.25F * (float)(c % 5) - 0.5F;
        fill[c] = 0.3F;
        solid[c] = c % 2 ? 0.45F : 0.0F;
    }
    dr_join_level(&grid, &par, distance, fill, solid, level);
    for (int c = 0; c < 64; c++) {
        float expected = c % 2 ? fminf(distance[c], 0.5F * dr_join_depth(0.75F)) : distance[c];
        assert_memory_equal(&level[c], &expected, sizeof expected);
    }
    dr_grid_close(&grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_share_of_a_plane_tells_its_distance),
        cmocka_unit_test(test_solids_take_part_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
