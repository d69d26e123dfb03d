// Steps of liquid are bounded by how it moves against what is around it. docs/theory/timestep.md, eq. (10)-(14).
#include "world_test.h"

#define CELL  0.25
#define SPEED 200.0

// A floor far below makes the liquid's frame that of the floor.
#define SCENE(bodies, colliders)                                                                                       \
    "gravity: [0, 0, 0]\ndomain: {cell: 0.25}\nbodies:\n" bodies                                                       \
    "colliders:\n- {shape: {type: box, center: [0, -20, 0], size: [40, 2, 40]}}\n" colliders

#define STREAM "- {material: water, velocity: [200, 0, 0], shape: {type: box, center: [0, 0, 0], size: [4, 2, 2]}}\n"

static double first_step(dr_world *world)
{
    dr_error error = {0};
    assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
    assert_int_equal(dr_world_report(world)->rejected, 0);
    return dr_world_report(world)->dt;
}

static double first_step_of(const char *text)
{
    dr_world *world = open_world(text, 1);
    double dt = first_step(world);
    dr_world_destroy(world);
    return dt;
}

static bool is_about(double value, double expected)
{
    return fabs(value - expected) < 1e-3 * expected;
}

// It crosses two cells and a half, and its own liquid is not in the way of what lies loose on it.
static void test_a_stream_crosses_more_than_a_cell_as_it_is(void **unused)
{
    (void)unused;
    dr_world *world =
        open_world(SCENE("- {material: water, velocity: [200, 0, 0], shape: {type: box, center: [0, 0, 0], "
                         "size: [4.2, 2.2, 2.2]}}\n",
                         ""),
                   1);
    const dr_frame_part *liquid = find_part(world, "liquid");
    size_t count = liquid->point_count, bytes = 3 * count * sizeof(float);
    float *before = malloc(bytes);
    double sum = 0.0;
    memcpy(before, floats(liquid, "position"), bytes);
    for (size_t p = 0; p < count; p++) sum += (double)before[3 * p];
    double dt = first_step(world), largest = 0.0;
    assert_true(is_about(dt, 2.5 * CELL / SPEED));
    liquid = find_part(world, "liquid");
    assert_int_equal(liquid->point_count, count);
    for (size_t p = 0; p < count; p++) sum -= (double)floats(liquid, "position")[3 * p];
    assert_true(is_about(-sum / (double)count, SPEED * dt));
    for (size_t p = 0; p < count; p++)
        largest = fmax(largest, fabs((double)(floats(liquid, "velocity")[3 * p]) - SPEED));
    assert_true(largest < 1e-3 * SPEED);
    free(before);
    dr_world_destroy(world);
}

// Two cells of air before it, or one, or six.
static void test_a_long_step_ends_at_a_wall(void **unused)
{
    (void)unused;
    double dt = first_step_of(SCENE(STREAM, "- {shape: {type: box, center: [5.5, 0, 0], size: [6, 6, 6]}}\n"));
    assert_true(is_about(dt, 2.0 * CELL / SPEED));
    dt = first_step_of(SCENE(STREAM, "- {shape: {type: box, center: [5.25, 0, 0], size: [6, 6, 6]}}\n"));
    assert_true(is_about(dt, CELL / SPEED));
    dt = first_step_of(SCENE(STREAM, "- {shape: {type: box, center: [6.5, 0, 0], size: [6, 6, 6]}}\n"));
    assert_true(is_about(dt, 2.5 * CELL / SPEED));
}

static void test_no_stream_gets_through_a_wall_of_two_cells(void **unused)
{
    (void)unused;
    dr_world *world =
        open_world(SCENE(STREAM, "- {shape: {type: box, center: [3.2, 0, 0], size: [0.5, 16, 16]}}\n"), 2);
    advance(world, 0.02);
    const dr_frame_part *liquid = find_part(world, "liquid");
    const float *x = floats(liquid, "position");
    for (size_t p = 0; p < liquid->point_count; p++) assert_true(x[3 * p] < 3.2F);
    dr_world_destroy(world);
}

// Three cells of air between them.
static void test_a_long_step_ends_where_streams_meet(void **unused)
{
    (void)unused;
    double dt = first_step_of(SCENE(
        STREAM
        "- {material: water, velocity: [-200, 0, 0], shape: {type: box, center: [4.75, 0, 0], size: [4, 2, 2]}}\n",
        ""));
    assert_true(is_about(dt, 1.5 * CELL / SPEED));
}

static void test_a_stream_that_runs_into_liquid_crosses_a_cell(void **unused)
{
    (void)unused;
    double dt = first_step_of(
        SCENE(STREAM "- {material: water, shape: {type: box, center: [4, 0, 0], size: [4, 2, 2]}}\n", ""));
    assert_true(is_about(dt, CELL / SPEED));
}

// Shear keeps volumes along straight paths.
static void test_a_stream_along_liquid_at_rest_crosses_more(void **unused)
{
    (void)unused;
    double dt = first_step_of(
        SCENE(STREAM "- {material: water, shape: {type: box, center: [0, -2, 0], size: [4, 2, 2]}}\n", ""));
    assert_true(is_about(dt, 2.5 * CELL / SPEED));
}

// Straight paths take it apart: a quarter of a radian.
static void test_liquid_that_turns_does_not_turn_too_far(void **unused)
{
    (void)unused;
    double dt =
        first_step_of(SCENE("- {material: water, spin: [0, 0, 100], shape: {type: cylinder, axis: z, center: [0, "
                            "0, 0], radius: 1.5, height: 2}}\n",
                            ""));
    assert_true(100.0 * dt > 0.23 && 100.0 * dt < 0.255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream_crosses_more_than_a_cell_as_it_is),
        cmocka_unit_test(test_a_long_step_ends_at_a_wall),
        cmocka_unit_test(test_no_stream_gets_through_a_wall_of_two_cells),
        cmocka_unit_test(test_a_long_step_ends_where_streams_meet),
        cmocka_unit_test(test_a_stream_that_runs_into_liquid_crosses_a_cell),
        cmocka_unit_test(test_a_stream_along_liquid_at_rest_crosses_more),
        cmocka_unit_test(test_liquid_that_turns_does_not_turn_too_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
