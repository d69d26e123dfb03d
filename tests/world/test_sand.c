// Sand, goo and slime in ordinary scenes, alone, with elastic bodies and with liquid.
#include "world_test.h"

#define MEETING                                                                                                        \
    "gravity: [0, 0, 0]\ndomain: {cell: 0.25}\n"                                                                       \
    "materials: [{name: jelly, kind: elastic, density: 0.7, youngs_modulus: 2e4, poisson_ratio: 0.3},\n"               \
    "            {name: grains, kind: sand, density: 2, youngs_modulus: 1e5, friction_angle: 30 deg},\n"               \
    "            {name: paste, kind: goo, density: 1, youngs_modulus: 2e4, yield_stress: 300, viscosity: 5}]\n"        \
    "bodies:\n"                                                                                                        \
    "  - {name: ball, material: jelly, velocity: [60, 0, 10], shape: {type: sphere, center: [-1.1, 0.3, 0], radius: "  \
    "0.9}}\n"                                                                                                          \
    "  - {name: heap, material: grains, velocity: [-60, 0, 0], shape: {type: sphere, center: [1.1, -0.3, 0], radius: " \
    "0.9}}\n"                                                                                                          \
    "  - {name: blob, material: paste, velocity: [0, -80, 0], shape: {type: sphere, center: [0, 1.8, 0], radius: "     \
    "0.8}}\n"

#define DROP                                                                                                           \
    "  - {name: drop, material: water, velocity: [0, 80, 0], shape: {type: sphere, center: [0.2, -1.8, 0], radius: "   \
    "0.8}}\n"

#define HEAP(angle)                                                                                                    \
    "domain: {cell: 1.5, min: [-16, 0, -16], max: [16, 16, 16], y_min: sticky}\n"                                      \
    "materials: [{name: grains, kind: sand, density: 2, youngs_modulus: 4e5, friction_angle: " angle " deg}]\n"        \
    "bodies: [{name: column, material: grains, shape: {type: cylinder, center: [0, 3, 0], radius: 4, height: 6}}]\n"

static void check_momentum(const char *scene, double angular)
{
    dr_world *world = open_world(scene, 1);
    take_steps(world, 1);
    dr_report before = *dr_world_report(world);
    take_steps(world, 90);
    const dr_report *after = dr_world_report(world);
    assert_true(after->energy_elastic > 10.0); // they have met
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(after->linear_momentum[a] - before.linear_momentum[a]) < 1e-5 * before.mass * 60.0);
        assert_true(fabs(after->angular_momentum[a] - before.angular_momentum[a]) < angular * before.mass * 60.0);
    }
    dr_world_destroy(world);
}

static void test_bodies_that_meet_keep_their_momentum(void **unused)
{
    (void)unused;
    check_momentum(MEETING, 1e-5);
    check_momentum(MEETING DROP, 2e-3); // as elastic bodies in liquid
}

static void test_the_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    check_bits_for_any_threads(MEETING, 15);
    check_bits_for_any_threads(MEETING DROP, 5);
}

static void test_restored_sand_goes_on_with_the_same_bits(void **unused)
{
    (void)unused;
    check_bits_after_restore(MEETING, 40, 20);
    check_bits_after_restore(HEAP("30"), 40, 10);
}

static double highest(dr_world *world)
{
    const dr_frame_part *part = view(world);
    const float *position = floats(part, "position");
    float top = 0.0F;
    for (size_t i = 0; i < part->point_count; i++) top = fmaxf(top, position[3 * i + 1]);
    return (double)top;
}

static double energy(dr_world *world)
{
    const dr_report *report = dr_world_report(world);
    return report->energy_kinetic + report->energy_elastic + report->energy_potential;
}

// Rough sand stands higher; none of it gains energy while it comes down.
static void test_heaps_are_as_steep_as_friction_lets_them(void **unused)
{
    (void)unused;
    const char *const scenes[] = {HEAP("5"), HEAP("25"), HEAP("45")};
    double height[3];
    for (int i = 0; i < 3; i++) {
        dr_world *world = open_world(scenes[i], 1);
        double last = energy(world), first = last;
        for (int part = 1; part <= 8; part++) {
            advance(world, 0.05 * part);
            assert_true(energy(world) < last + 1e-3 * first);
            last = energy(world);
        }
        height[i] = highest(world);
        dr_world_destroy(world);
    }
    if (!(height[0] < 0.7 * height[1] && height[1] < 0.9 * height[2] && height[2] > 3.0 && height[2] < 6.1))
        fail_msg("heights %g, %g, %g", height[0], height[1], height[2]);
}

#define SLUMP(material)                                                                                                \
    "domain: {cell: 1.5, min: [-16, 0, -16], max: [16, 16, 16], y_min: sticky}\n"                                      \
    "bodies: [{name: cube, material: " material ", shape: {type: box, center: [0, 3, 0], size: [6, 6, 6]}}]\n"

#define PASTE(yield, viscosity)                                                                                        \
    "materials: [{name: paste, kind: goo, density: 1, youngs_modulus: 2e5, poisson_ratio: 0.4, yield_stress: " yield   \
    ", viscosity: " viscosity "}]\n" SLUMP("paste")

// What its weight does not make yield stands; goo comes to rest lower; a viscosity slows it down.
static void test_goo_slumps_as_far_as_its_yield_stress_lets_it(void **unused)
{
    (void)unused;
    const char *const scenes[] = {PASTE("5e4", "0"), PASTE("500", "0"), PASTE("500", "3e3")};
    double height[3];
    for (int i = 0; i < 3; i++) {
        dr_world *world = open_world(scenes[i], 1);
        advance(world, 0.15);
        height[i] = highest(world);
        dr_world_destroy(world);
    }
    assert_true(height[0] > 5.4 && height[1] < 0.75 * height[0] && height[2] > 1.1 * height[1]);
}

// Sand that is poured onto a soft block lies on it.
static void test_sand_lies_on_an_elastic_block(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.5, min: [-6, 0, -6], max: [6, 16, 6], y_min: sticky, x_min: slip, x_max: slip, z_min: slip, "
        "z_max: slip}\n"
        "materials: [{name: jelly, kind: elastic, density: 1, youngs_modulus: 1e5, poisson_ratio: 0.3},\n"
        "            {name: grains, kind: sand, density: 1.5, youngs_modulus: 2e5, friction_angle: 35 deg}]\n"
        "bodies: [{name: block, material: jelly, shape: {type: box, center: [0, 1.5, 0], size: [12, 3, 12]}},\n"
        "         {name: heap, material: grains, shape: {type: box, center: [0, 4.5, 0], size: [4, 2, 4]}}]\n",
        1);
    advance(world, 0.2);
    const dr_frame_part *part = view(world);
    const float *position = floats(part, "position");
    const uint32_t *body = dr_frame_find(part, "body")->data;
    for (size_t i = 0; i < part->point_count; i++) assert_true(body[i] == 0 || position[3 * i + 1] > 2.0F);
    dr_world_destroy(world);
}

static void test_sand_sinks_in_water(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.5, min: [0, 0, 0], max: [4, 12, 4], x_min: slip, x_max: slip, y_min: slip, z_min: slip, "
        "z_max: slip}\n"
        "materials: [{name: grains, kind: sand, density: 2, youngs_modulus: 2e5, friction_angle: 35 deg}]\n"
        "bodies: [{name: heap, material: grains, shape: {type: box, center: [2, 4.5, 2], size: [2, 1, 2]}},\n"
        "         {name: pool, material: water, shape: {type: box, center: [2, 2, 2], size: [4, 4, 4]}}]\n",
        1);
    advance(world, 0.25);
    const dr_frame_part *part = view(world);
    const float *position = floats(part, "position"), *velocity = floats(part, "velocity");
    double middle = 0.0, speed = 0.0, count = (double)part->point_count;
    for (size_t i = 0; i < part->point_count; i++) {
        middle += (double)position[3 * i + 1] / count;
        speed += (double)velocity[3 * i + 1] / count;
    }
    if (!(middle < 3.2 && middle > 0.5 && speed < -1.0)) fail_msg("sand at %g cm sinks with %g cm/s", middle, speed);
    dr_world_destroy(world);
}

// Emitted grains are sand like all others, and a drain takes them.
static void test_sand_comes_and_goes(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.5, min: [-4, 0, -4], max: [4, 12, 4], y_min: sticky}\n"
        "emitters: [{name: spout, material: sand, velocity: [0, -100, 0], shape: {type: sphere, center: [0, 8, 0], "
        "radius: 0.8}}]\n"
        "drains: [{name: sink, shape: {type: box, center: [0, 0.5, 0], size: [8, 1, 8]}}]\n",
        1);
    advance(world, 0.15);
    const dr_report *report = dr_world_report(world);
    assert_true(report->emitted > 100 && report->drained > 10);
    assert_true(report->emitted == report->particles + report->drained);
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_that_meet_keep_their_momentum),
        cmocka_unit_test(test_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_restored_sand_goes_on_with_the_same_bits),
        cmocka_unit_test(test_heaps_are_as_steep_as_friction_lets_them),
        cmocka_unit_test(test_goo_slumps_as_far_as_its_yield_stress_lets_it),
        cmocka_unit_test(test_sand_lies_on_an_elastic_block),
        cmocka_unit_test(test_sand_sinks_in_water),
        cmocka_unit_test(test_sand_comes_and_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
