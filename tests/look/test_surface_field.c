#include "made_up.h"

#include "look/surface_field.h"

static const dr_par one_thread = {1};

static void fill_ball(made_up *m, drops *d, double radius)
{
    ball b = {{0.13, 0.27, -0.11}, radius};
    drops_fill(d, ball_distance, &b, radius + 2.0, 1.0, 0.25);
    made_up_liquid(m, d);
}

static dr_surface_field build(const made_up *m, const dr_par *par)
{
    dr_surface_options options;
    dr_surface_field field;
    dr_error error;
    dr_error_clear(&error);
    dr_surface_options_default(&options);
    if (dr_surface_field_build(&m->frame, &options, par, NULL, &field, &error) != DR_STATUS_OK) {
        fail_msg("%s", error.text);
    }
    return field;
}

static void place_of(const dr_surface_field *field, const dr_surface_leaf *leaf, int n, double x[3])
{
    int at[3] = {n / 64, n / 8 % 8, n % 8};
    for (int a = 0; a < 3; a++) x[a] = (leaf->origin[a] + at[a]) * (double)field->cell;
}

static void test_distances_from_a_ball_are_those_of_the_ball(void **state)
{
    (void)state;
    made_up m = {0};
    drops d = {0};
    fill_ball(&m, &d, 8.0);
    dr_surface_field field = build(&m, &one_thread);
    ball b = {{0.13, 0.27, -0.11}, 8.0};
    size_t in_band = 0;
    double squares = 0.0;
    for (size_t i = 0; i < field.leaf_count; i++) {
        for (int n = 0; n < DR_SURFACE_LEAF_NODES; n++) {
            double x[3];
            place_of(&field, field.leaf + i, n, x);
            double exact = ball_distance(&b, x), band = (double)field.band;
            double cut = fmax(-band, fmin(band, exact));
            double off = (double)field.leaf[i].distance[n] - cut;
            check_near(off, 0.0, 0.5 * (double)field.cell);
            squares += off * off;
            in_band += fabs(exact) < 0.8 * band;
        }
    }
    check_at_most(sqrt(squares / (double)(field.leaf_count * DR_SURFACE_LEAF_NODES)), 0.08 * (double)field.cell);
    double area = 4.0 * PI * 64.0, cell = (double)field.cell;
    check_near((double)in_band * cell / area * cell * cell, 1.6 * 3.0 * cell, 0.1 * 1.6 * 3.0 * cell);
    dr_surface_field_free(&field);
    made_up_free(&m);
    drops_free(&d);
}

// The drops turn about z with 10 radians a second.
static void test_velocity_in_the_band_is_the_liquids(void **state)
{
    (void)state;
    made_up m = {0};
    drops d = {0};
    fill_ball(&m, &d, 6.0);
    dr_surface_field field = build(&m, &one_thread);
    for (size_t i = 0; i < field.leaf_count; i++) {
        for (int n = 0; n < DR_SURFACE_LEAF_NODES; n++) {
            double x[3];
            place_of(&field, field.leaf + i, n, x);
            if (fabs((double)field.leaf[i].distance[n]) > 0.5 * (double)field.cell) continue;
            check_near((double)field.leaf[i].velocity[n][0], -10.0 * x[1], 6.0);
            check_near((double)field.leaf[i].velocity[n][1], 10.0 * x[0], 6.0);
        }
    }
    dr_surface_field_free(&field);
    made_up_free(&m);
    drops_free(&d);
}

static void test_leaves_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    made_up m = {0};
    drops d = {0};
    fill_ball(&m, &d, 6.0);
    dr_par three = dr_par_open(3);
    dr_surface_field one = build(&m, &one_thread), other = build(&m, &three);
    assert_int_equal(one.leaf_count, other.leaf_count);
    assert_true(one.leaf_count > 0);
    assert_memory_equal(one.leaf, other.leaf, one.leaf_count * sizeof *one.leaf);
    dr_surface_field_free(&one);
    dr_surface_field_free(&other);
    made_up_free(&m);
    drops_free(&d);
}

static void test_a_frame_without_liquid_has_no_leaves(void **state)
{
    (void)state;
    made_up m = {0};
    dr_surface_field field = build(&m, &one_thread);
    assert_int_equal(field.leaf_count, 0);
    dr_surface_field_free(&field);
}

static void test_no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    made_up m = {0};
    drops d = {0};
    dr_surface_options options;
    dr_surface_options_default(&options);
    fill_ball(&m, &d, 2.0);
    dr_status status = DR_STATUS_NO_MEMORY;
    for (long n = 1; status != DR_STATUS_OK; n++) {
        scarce scarce;
        dr_surface_field field;
        dr_error error;
        dr_error_clear(&error);
        scarce_open(&scarce, n);
        status = dr_surface_field_build(&m.frame, &options, &one_thread, &scarce.allocator, &field, &error);
        if (status != DR_STATUS_OK) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        assert_int_equal(status == DR_STATUS_OK, field.leaf_count > 0);
        dr_surface_field_free(&field);
        assert_int_equal(scarce.out, 0);
    }
    made_up_free(&m);
    drops_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distances_from_a_ball_are_those_of_the_ball),
        cmocka_unit_test(test_velocity_in_the_band_is_the_liquids),
        cmocka_unit_test(test_leaves_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(test_a_frame_without_liquid_has_no_leaves),
        cmocka_unit_test(test_no_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
