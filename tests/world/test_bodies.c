// Bodies of elastic particles and liquid in one scene: they share cells and one pressure.
#include "world_test.h"

#define TANK                                                                                                           \
    "domain: {cell: 0.5, min: [0, 0, 0], max: [4, 12, 4], x_min: slip, x_max: slip, y_min: slip, z_min: slip, z_max: " \
    "slip}\n"

#define CUBE "{type: box, center: [2, 2, 2], size: [1.5, 1.5, 1.5]}"

#define POOL                                                                                                           \
    "{name: pool, material: water, shape: {type: difference, of: [{type: box, center: [2, 2, 2], size: [4, 4, 4]}, "   \
    "" CUBE "]}}"

// A cube at rest in the middle of a pool.
#define SUBMERGED(density)                                                                                             \
    TANK "materials: [{name: jelly, kind: elastic, density: " density ", youngs_modulus: 1e5, poisson_ratio: 0.3}]\n"  \
         "time: {fixed_step: 2e-4}\n"                                                                                  \
         "bodies: [{name: cube, material: jelly, shape: " CUBE "}, " POOL "]\n"

#define MEETING                                                                                                        \
    "gravity: [0, 0, 0]\ndomain: {cell: 0.25}\n"                                                                       \
    "materials: [{name: jelly, kind: elastic, density: 0.7, youngs_modulus: 2e4, poisson_ratio: 0.3}]\n"               \
    "bodies:\n"                                                                                                        \
    "  - {name: ball, material: jelly, velocity: [60, 0, 10], shape: {type: sphere, center: [-1.1, 0.3, 0], radius: "  \
    "0.9}}\n"                                                                                                          \
    "  - {name: drop, material: water, velocity: [-60, 0, 0], shape: {type: sphere, center: [1.1, -0.3, 0], radius: "  \
    "0.9}}\n"

static double mean_velocity(dr_world *world)
{
    const dr_frame_part *part = view(world);
    const float *velocity = floats(part, "velocity");
    double sum = 0.0;
    for (size_t i = 0; i < part->point_count; i++) sum += (double)velocity[3 * i + 1];
    return sum / (double)part->point_count;
}

// (1 - density)/(density + 0.68) with the added mass of a cube in open liquid, 0.42, 0 and -0.37; walls around take
// some of it. Liquid bound in the smeared surface of a cube of three cells would take a third.
static void test_light_bodies_rise_and_heavy_ones_sink_with_their_added_mass(void **unused)
{
    (void)unused;
    static const char *const scenes[] = {SUBMERGED("0.5"), SUBMERGED("1"), SUBMERGED("2")};
    static const double least[] = {0.28, -0.01, -0.38}, most[] = {0.43, 0.01, -0.3};
    for (int i = 0; i < 3; i++) {
        dr_world *world = open_world(scenes[i], 2);
        take_steps(world, 50);
        double acceleration = mean_velocity(world) / (981.0 * 50 * 2e-4);
        if (!(acceleration > least[i] && acceleration < most[i]))
            fail_msg("%g g is not within %g .. %g", acceleration, least[i], most[i]);
        dr_world_destroy(world);
    }
}

// A neutral body is as good as liquid: what the pool does around it is what it does without.
static void test_a_neutral_body_stays(void **unused)
{
    (void)unused;
    dr_world *world = open_world(SUBMERGED("1"), 2);
    take_steps(world, 60);
    const dr_frame_part *part = view(world);
    const float *position = floats(part, "position");
    double middle = 0.0;
    for (size_t i = 0; i < part->point_count; i++) middle += (double)position[3 * i + 1] / (double)part->point_count;
    assert_true(fabs(middle - 2.0) < 0.02);
    assert_true(dr_world_report(world)->largest_speed < 5.0);
    dr_world_destroy(world);
}

// The pressure's solve keeps both to rounding; where the density projection moves particles that are under way, angular
// momentum changes by its displacement times theirs (docs/theory/density.md).
static void test_a_ball_and_a_drop_keep_their_momentum(void **unused)
{
    (void)unused;
    dr_world *world = open_world(MEETING, 2);
    take_steps(world, 1);
    dr_report before = *dr_world_report(world);
    take_steps(world, 120);
    const dr_report *after = dr_world_report(world);
    assert_true(after->energy_elastic > 10.0); // they have met
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(after->linear_momentum[a] - before.linear_momentum[a]) < 1e-5 * before.mass * 60.0);
        assert_true(fabs(after->angular_momentum[a] - before.angular_momentum[a]) < 2e-3 * before.mass * 60.0);
    }
    dr_world_destroy(world);
}

// Air beside a body moves with it: in flight nothing presses on its surface. Where the two meet pressure takes energy
// and makes hardly any: on faces that air has a part of, its force and its flux weigh differently.
static void test_a_ball_that_flies_towards_a_drop_gains_no_energy(void **unused)
{
    (void)unused;
    dr_world *world = open_world(MEETING, 2);
    take_steps(world, 1);
    const dr_report *now = dr_world_report(world);
    double start = now->energy_kinetic + now->energy_elastic;
    take_steps(world, 1);
    now = dr_world_report(world);
    assert_true(now->energy_elastic < 1e-4 * start);
    for (int i = 0; i < 40; i++) {
        take_steps(world, 1);
        now = dr_world_report(world);
        assert_true(now->energy_kinetic + now->energy_elastic < 1.003 * start);
    }
    dr_world_destroy(world);
}

// Colliders and walls act on the body's faces too.
static void test_a_body_comes_to_rest_on_the_floor_beside_liquid(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.5, min: [-2, 0, -2], max: [6, 12, 2], x_min: slip, x_max: slip, y_min: separate, z_min: "
        "slip, "
        "z_max: slip}\n"
        "materials: [{name: jelly, kind: elastic, density: 1, youngs_modulus: 2e4, poisson_ratio: 0.3}]\n"
        "colliders: [{boundary: separate, shape: {type: box, center: [0, 0.5, 0], size: [3, 1, 3]}}]\n"
        "bodies: [{name: cube, material: jelly, shape: {type: box, center: [0, 2.2, 0], size: [2, 2, 2]}},\n"
        "         {name: puddle, material: water, shape: {type: box, center: [5, 0.25, 0], size: [2, 0.5, 4]}}]\n",
        2);
    advance(world, 0.1);
    const dr_frame_part *part = view(world);
    const float *position = floats(part, "position");
    float lowest = INFINITY;
    for (size_t i = 0; i < part->point_count; i++) lowest = fminf(lowest, position[3 * i + 1]);
    assert_true(lowest > 0.9F && lowest < 1.4F);
    assert_true(fabs(mean_velocity(world)) < 20.0);
    dr_world_destroy(world);
}

static void test_bodies_in_liquid_have_the_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    check_bits_for_any_threads(SUBMERGED("2"), 10);
}

static void test_restored_bodies_in_liquid_go_on_with_the_same_bits(void **unused)
{
    (void)unused;
    check_bits_after_restore(SUBMERGED("0.5"), 11, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_bodies_rise_and_heavy_ones_sink_with_their_added_mass),
        cmocka_unit_test(test_a_neutral_body_stays),
        cmocka_unit_test(test_a_ball_and_a_drop_keep_their_momentum),
        cmocka_unit_test(test_a_ball_that_flies_towards_a_drop_gains_no_energy),
        cmocka_unit_test(test_a_body_comes_to_rest_on_the_floor_beside_liquid),
        cmocka_unit_test(test_bodies_in_liquid_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_restored_bodies_in_liquid_go_on_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
