// Force fields: what they do, and what they leave alone.
#include "world_test.h"

#define DUST                                                                                                           \
    "domain: {cell: 0.5}\n"                                                                                            \
    "bodies: [{name: ball, material: dust, shape: {type: sphere, radius: 2}}]\n"

#define DROP                                                                                                           \
    "domain: {cell: 0.25}\n"                                                                                           \
    "bodies: [{name: drop, material: water, velocity: [0, 0, 3], shape: {type: sphere, radius: 1}}]\n"

// Fields as strong as a thousand times gravity that never act on matter near the origin in the first second.
static const char *const elsewhere[] = {
    "forces: [{type: uniform, acceleration: [1e6, 0, 0], within: {type: box, center: [100, 0, 0], size: [9, 9, 9]}}]\n",
    "forces: [{type: uniform, acceleration: [1e6, 0, 0], schedule: {start: 5}}]\n",
    "forces: [{type: uniform, acceleration: [0, 1e6, 0], schedule: {stop: -1}}]\n",
    "forces: [{type: wind, velocity: [1e5, 0, 0], rate: 10, within: {type: sphere, center: [0, 99, 0], radius: 2}}]\n",
    "forces: [{type: point, center: [200, 0, 0], strength: 1e6, reach: 2}]\n",
    "forces: [{type: vortex, center: [200, 0, 0], axis: [1, 1, 0], strength: 1e6, reach: 2}]\n",
};
enum { ELSEWHERE = sizeof elsewhere / sizeof *elsewhere };

static double first_step(const char *scene, const char *forces)
{
    char text[1000];
    snprintf(text, sizeof text, "%s%s", scene, forces);
    dr_world *world = open_world(text, 1);
    take_steps(world, 1);
    double dt = dr_world_report(world)->dt;
    dr_world_destroy(world);
    return dt;
}

static void test_fields_elsewhere_do_not_shorten_the_step(void **unused)
{
    (void)unused;
    double alone = first_step(DUST, "");
    for (int i = 0; i < ELSEWHERE; i++) assert_true(first_step(DUST, elsewhere[i]) == alone);
}

static void test_fields_here_shorten_the_step(void **unused)
{
    (void)unused;
    const char *const here[] = {
        "forces: [{type: uniform, acceleration: [1e6, 0, 0], within: {type: box, center: [4, 0, 0], size: [5, 9, "
        "9]}}]\n",
        "forces: [{type: uniform, acceleration: [1e6, 0, 0], schedule: {start: 1 ms}}]\n",
        "forces: [{type: wind, velocity: [1e5, 0, 0], rate: 10}]\n",
        "forces: [{type: point, center: [5, 0, 0], strength: 1e6, reach: 2}]\n",
        "forces: [{type: vortex, center: [200, 200, 0], axis: [1, 1, 0], strength: 1e6, reach: 2}]\n",
    };
    double alone = first_step(DUST, "");
    for (size_t i = 0; i < sizeof here / sizeof *here; i++) assert_true(first_step(DUST, here[i]) < 0.5 * alone);
}

static void test_a_field_against_gravity_lengthens_the_step(void **unused)
{
    (void)unused;
    const char *const up = "forces: [{type: uniform, acceleration: [0, 1e5, 0]}]\n";
    double weightless = first_step(DUST "gravity: [0, 0, 0]\n", "");
    assert_true(first_step(DUST "gravity: [0, -1e5, 0]\n", "") < 0.5 * weightless);
    assert_true(first_step(DUST "gravity: [0, -1e5, 0]\n", up) == weightless);
}

static void test_liquid_does_not_feel_fields_elsewhere(void **unused)
{
    (void)unused;
    uint64_t alone = 0;
    for (int i = -1; i < ELSEWHERE; i++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", DROP, i < 0 ? "" : elsewhere[i]);
        dr_world *world = open_world(text, 1);
        take_steps(world, 10);
        if (i < 0) alone = dr_world_hash(world);
        assert_true(dr_world_hash(world) == alone);
        dr_world_destroy(world);
    }
}

// ---- strands

#define HAIR(gravity, forces)                                                                                          \
    "domain: {cell: 0.5}\ntime: {fixed_step: 1 ms}\ngravity: " gravity "\n" forces                                     \
    "materials: [{name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e10, radius: 0.005}]\n"                      \
    "strands: [{name: one, material: fibre, type: line, start: [1000, 0, 0], end: [1004, 0, 0], vertices: 12}]\n"

// The velocities of strands in a checkpoint, which are doubles.
static void keep_velocity(dr_world *world, double velocity[36])
{
    stored state = {0};
    dr_frame_array array = {0};
    dr_error error = {0};
    assert_int_equal(dr_world_save(world, store_array, &state, &error), DR_STATUS_OK);
    assert_int_equal(fetch_stored(&state, "strands/velocity", &array, &error), DR_STATUS_OK);
    assert_int_equal(array.count, 12);
    memcpy(velocity, array.data, 36 * sizeof *velocity);
    forget_stored(&state);
}

static void test_a_uniform_field_moves_strands_as_gravity_does(void **unused)
{
    (void)unused;
    dr_world *by_gravity = open_world(HAIR("[1.1, -981.7, 3.3]", ""), 1);
    dr_world *by_field =
        open_world(HAIR("[0, 0, 0]", "forces: [{type: uniform, acceleration: [1.1, -981.7, 3.3]}]\n"), 1);
    double v[36], w[36], fastest = 0.0;
    take_steps(by_gravity, 20);
    take_steps(by_field, 20);
    keep_velocity(by_gravity, v);
    keep_velocity(by_field, w);
    for (int i = 0; i < 36; i++) fastest = fmax(fastest, fabs(v[i]));
    assert_true(fastest > 1.0);
    for (int i = 0; i < 36; i++) assert_true(fabs(v[i] - w[i]) < 1e-9 * fastest); // floats would leave 1e-5
    dr_world_destroy(by_gravity);
    dr_world_destroy(by_field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields_elsewhere_do_not_shorten_the_step),
        cmocka_unit_test(test_fields_here_shorten_the_step),
        cmocka_unit_test(test_a_field_against_gravity_lengthens_the_step),
        cmocka_unit_test(test_liquid_does_not_feel_fields_elsewhere),
        cmocka_unit_test(test_a_uniform_field_moves_strands_as_gravity_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
