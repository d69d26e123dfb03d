// Filling shapes with particles: volume, evenness, and places that depend on the cell alone.
#include "geom/seed.h"
#include "geom/solids.h"

#define MOST 300000

typedef struct crowd {
    size_t count, stop_at;
    double *places;
} crowd;

static bool take(void *user, const double x[3])
{
    crowd *crowd = user;
    assert_true(crowd->count < MOST);
    dr_vec3_copy(crowd->places + 3 * crowd->count++, x);
    return crowd->count != crowd->stop_at;
}

static crowd open_crowd(void)
{
    return (crowd){.places = calloc(3 * MOST, sizeof(double))};
}

static dr_shape *compile(const dr_shape_spec *spec)
{
    dr_scene scene = {.name = "test"};
    dr_error error = {0};
    dr_shape *shape;
    if (dr_shape_create(&scene, spec, NULL, &shape, &error)) fail_msg("%s", error.text);
    return shape;
}

static const dr_box everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
static const double origin[3] = {0.013, -0.2, 0.4};

static void test_an_aligned_box_gets_exactly_its_volume(void **state)
{
    (void)state;
    static const int per_cell[] = {1, 2, 5, 8, 27, 64};
    dr_shape_spec spec = solid(DR_SHAPE_BOX); // 2 x 1 x 3
    dr_shape *shape = compile(&spec);
    crowd crowd = open_crowd();
    for (int i = 0; i < 6; i++) {
        crowd.count = 0;
        assert_true(dr_seed_visit(shape, 0.125, (double[3]){0, 0, 0}, per_cell[i], 7, everywhere, take, &crowd));
        assert_int_equal(crowd.count, 16 * 8 * 24 * per_cell[i]);
    }
    free(crowd.places);
    dr_shape_destroy(shape);
}

static void test_volume_of_a_ball_converges(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_SPHERE);
    dr_shape *shape = compile(&spec);
    crowd crowd = open_crowd();
    static const int per_cell[] = {8, 7};
    for (int i = 0; i < 2; i++) {
        static const double cells[] = {0.2, 0.1, 0.06}, tolerance[] = {0.02, 0.006, 0.003};
        for (int k = 0; k < 3; k++) {
            double cell = cells[k];
            crowd.count = 0;
            dr_seed_visit(shape, cell, origin, per_cell[i], 11, everywhere, take, &crowd);
            double volume = cell * cell * cell / per_cell[i] * (double)crowd.count;
            check_near(volume / (4.0 / 3.0 * PI), 1.0, tolerance[k]);
            for (size_t p = 0; p < crowd.count; p++) assert_true(dr_vec3_length(crowd.places + 3 * p) < 1.0);
        }
    }
    free(crowd.places);
    dr_shape_destroy(shape);
}

static int compare_places(const void *a, const void *b)
{
    return memcmp(a, b, 3 * sizeof(double));
}

// Two halves of the box, filled one after the other, hold the same particles as the whole.
static void test_places_do_not_depend_on_the_way_there(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_TORUS);
    dr_shape *shape = compile(&spec);
    for (int per_cell = 6; per_cell <= 8; per_cell += 2) {
        crowd whole = open_crowd(), parts = open_crowd();
        dr_seed_visit(shape, 0.1, origin, per_cell, 3, everywhere, take, &whole);
        dr_box left = everywhere, right = everywhere;
        left.max[0] = right.min[0] = 0.123;
        dr_seed_visit(shape, 0.1, origin, per_cell, 3, right, take, &parts);
        dr_seed_visit(shape, 0.1, origin, per_cell, 3, left, take, &parts);
        assert_int_equal(whole.count, parts.count);
        qsort(whole.places, whole.count, 3 * sizeof(double), compare_places);
        qsort(parts.places, parts.count, 3 * sizeof(double), compare_places);
        assert_memory_equal(whole.places, parts.places, 3 * whole.count * sizeof(double));
        free(whole.places);
        free(parts.places);
    }
    dr_shape_destroy(shape);
}

static void test_another_key_gives_other_places(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_BOX);
    dr_shape *shape = compile(&spec);
    crowd first = open_crowd(), second = open_crowd(), again = open_crowd();
    dr_seed_visit(shape, 0.25, origin, 8, 1, everywhere, take, &first);
    dr_seed_visit(shape, 0.25, origin, 8, 2, everywhere, take, &second);
    dr_seed_visit(shape, 0.25, origin, 8, 1, everywhere, take, &again);
    assert_int_equal(first.count, again.count);
    assert_memory_equal(first.places, again.places, 3 * first.count * sizeof(double));
    assert_memory_not_equal(first.places, second.places, 30 * sizeof(double));
    free(first.places);
    free(second.places);
    free(again.places);
    dr_shape_destroy(shape);
}

// Every stratum of every cell of an aligned box holds one particle.
static void test_cubes_are_stratified(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_BOX);
    dr_vec3_set(spec.size, 1, 1, 1);
    dr_vec3_set(spec.center, 0.5, 0.5, 0.5);
    dr_shape *shape = compile(&spec);
    crowd crowd = open_crowd();
    dr_seed_visit(shape, 0.1, (double[3]){0, 0, 0}, 27, 1, everywhere, take, &crowd);
    static int counts[30][30][30];
    for (size_t p = 0; p < crowd.count; p++) {
        int c[3];
        for (int i = 0; i < 3; i++) c[i] = (int)(30.0 * crowd.places[3 * p + (size_t)i]);
        counts[c[0]][c[1]][c[2]]++;
    }
    for (int i = 0; i < 30 * 30 * 30; i++) assert_int_equal((&counts[0][0][0])[i], 1);
    free(crowd.places);
    dr_shape_destroy(shape);
}

// Uncubed counts: the mean of each coordinate's share is a half and its spread that of even places.
static void test_other_counts_are_even_on_average(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_BOX);
    dr_vec3_set(spec.size, 2, 2, 2);
    dr_shape *shape = compile(&spec);
    crowd crowd = open_crowd();
    dr_seed_visit(shape, 0.1, (double[3]){0, 0, 0}, 5, 1, everywhere, take, &crowd);
    for (size_t i = 0; i < 3; i++) {
        double mean = 0.0, square = 0.0;
        for (size_t p = 0; p < crowd.count; p++) {
            double share = 10.0 * crowd.places[3 * p + i];
            share -= floor(share);
            mean += share / (double)crowd.count;
            square += share * share / (double)crowd.count;
        }
        check_near(mean, 0.5, 0.005);
        check_near(square - mean * mean, 1.0 / 12.0, 0.003);
    }
    free(crowd.places);
    dr_shape_destroy(shape);
}

static void test_endless_shapes_need_limits_and_visitors_can_stop(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_HALF_SPACE);
    dr_shape *shape = compile(&spec);
    crowd crowd = open_crowd();
    assert_false(dr_seed_visit(shape, 0.1, origin, 8, 1, everywhere, take, &crowd));
    assert_int_equal(crowd.count, 0);
    assert_true(isinf(dr_seed_volume(shape, everywhere)));
    dr_box limits = {{0, -1, 0}, {1, 1, 1}};
    assert_true(dr_seed_visit(shape, 0.1, origin, 8, 1, limits, take, &crowd));
    check_near((double)crowd.count, 8000, 250);
    check_near(dr_seed_volume(shape, limits), 1.0, 0.01);
    crowd.count = 0;
    crowd.stop_at = 5;
    assert_false(dr_seed_visit(shape, 0.1, origin, 8, 1, limits, take, &crowd));
    assert_int_equal(crowd.count, 5);
    limits.min[1] = 0.5;
    assert_true(dr_seed_visit(shape, 0.1, origin, 8, 1, limits, take, &crowd));
    assert_int_equal(crowd.count, 5);
    check_near(dr_seed_volume(shape, limits), 0.0, 0.0);
    free(crowd.places);
    dr_shape_destroy(shape);
}

static void test_volume_estimates_are_good_to_a_percent(void **state)
{
    (void)state;
    static const dr_shape_kind kinds[] = {DR_SHAPE_SPHERE, DR_SHAPE_BOX, DR_SHAPE_CAPSULE, DR_SHAPE_CYLINDER,
                                          DR_SHAPE_TORUS};
    double expected[] = {4.0 / 3.0 * PI, 6.0, (2.0 + 4.0 / 3.0) * PI, 2.0 * PI, 2.0 * PI * PI * 0.09};
    for (int i = 0; i < 5; i++)
        for (int tilted = 0; tilted < 2; tilted++) {
            dr_shape_spec spec = solid(kinds[i]);
            if (tilted) dr_vec3_set(spec.rotate, 0.3, 0.5, 0.7);
            dr_shape *shape = compile(&spec);
            check_near(dr_seed_volume(shape, everywhere) / expected[i], 1.0, 0.02);
            dr_shape_destroy(shape);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_aligned_box_gets_exactly_its_volume),
        cmocka_unit_test(test_volume_of_a_ball_converges),
        cmocka_unit_test(test_places_do_not_depend_on_the_way_there),
        cmocka_unit_test(test_another_key_gives_other_places),
        cmocka_unit_test(test_cubes_are_stratified),
        cmocka_unit_test(test_other_counts_are_even_on_average),
        cmocka_unit_test(test_endless_shapes_need_limits_and_visitors_can_stop),
        cmocka_unit_test(test_volume_estimates_are_good_to_a_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
