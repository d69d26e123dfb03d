// Force fields: what they do to matter at a place. docs/theory/step.md, "Force fields".
#include "world_test.h"

// The velocity that a speck at (3, 2, 1) has after `steps` steps of a millisecond in one field, beginning at rest.
static void blow(const char *field, int steps, double velocity[3])
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\ntime: {fixed_step: 1 ms}\n"
        "strands: [{material: hair, type: line, start: [2.999, 2, 1], end: [3.001, 2, 1], vertices: 3, root: free, "
        "contact: none}]\nforces: [%s]\n",
        field);
    dr_world *world = open_world(text, 1);
    dr_error error = {0};
    for (int i = 0; i < steps; i++) assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
    const dr_report *report = dr_world_report(world);
    for (int a = 0; a < 3; a++) velocity[a] = report->linear_momentum[a] / report->mass;
    dr_world_destroy(world);
}

static void expect(const char *field, int steps, double x, double y, double z, double tolerance)
{
    double v[3];
    blow(field, steps, v);
    double size = sqrt(x * x + y * y + z * z);
    if (!(fabs(v[0] - x) < tolerance * size && fabs(v[1] - y) < tolerance * size && fabs(v[2] - z) < tolerance * size))
        fail_msg("%s: (%g, %g, %g) cm/s instead of (%g, %g, %g)", field, v[0], v[1], v[2], x, y, z);
}

// Towards the centre (1, 2, 1) at a distance of 2, falling off over 3; away from it where it is negative.
static void test_points_draw_and_push(void **unused)
{
    (void)unused;
    double size = 1e-3 * 500.0 * exp(-4.0 / 9.0);
    expect("{type: point, center: [1, 2, 1], strength: 500, reach: 3}", 1, -size, 0.0, 0.0, 1e-4);
    expect("{type: point, center: [1, 2, 1], strength: -500, reach: 3}", 1, size, 0.0, 0.0, 1e-4);
    expect("{type: point, center: [3, 5, 1], strength: 500, reach: 3}", 1, 0.0, 1e-3 * 500.0 * exp(-1.0), 0.0, 1e-4);
}

// Right-handed about an axis of any length; only the distance from the axis counts.
static void test_vortices_turn_matter(void **unused)
{
    (void)unused;
    double size = 1e-3 * 500.0 * exp(-4.0 / 9.0);
    expect("{type: vortex, center: [1, 2, 1], strength: 500, reach: 3}", 1, 0.0, 0.0, -size, 1e-4);
    expect("{type: vortex, center: [1, 2, 7], axis: [0, 0, 5], strength: 500, reach: 3}", 1, 0.0, size, 0.0, 1e-4);
    expect("{type: vortex, center: [1, 2, 7], axis: [0, 0, -2], strength: 500, reach: 3}", 1, 0.0, -size, 0.0, 1e-4);
    // (1, 1, -1) from the centre, (1, 1, 1) / 3 of it along the axis: (2, 2, -4) / 3 across, sqrt(8 / 3) long
    double turn = 1e-3 * 500.0 * exp(-8.0 / 27.0) / sqrt(2.0);
    expect("{type: vortex, center: [2, 1, 2], axis: [2, 2, 2], strength: 500, reach: 3}", 1, -turn, turn, 0.0, 1e-4);
    expect("{type: vortex, center: [2, 3, 2], axis: [2, 2, 2], strength: 500, reach: 3}", 1, 0.0, turn, -turn, 1e-4);
}

// Matter takes on the wind's velocity as 1 - exp(-rate time).
static void test_wind_takes_matter_along(void **unused)
{
    (void)unused;
    double share = 1.0 - exp(-5.0 * 0.1);
    expect("{type: wind, velocity: [20, -10, 4], rate: 5 Hz}", 100, 20.0 * share, -10.0 * share, 4.0 * share, 0.005);
    share = 1.0 - exp(-10.0 * 0.1);
    expect("{type: wind, velocity: [20, 0, 0], rate: 10 Hz}", 100, 20.0 * share, 0.0, 0.0, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_draw_and_push),
        cmocka_unit_test(test_vortices_turn_matter),
        cmocka_unit_test(test_wind_takes_matter_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
