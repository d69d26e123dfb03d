// What a caller changes between steps: colliders that are moved, emitters that are switched.
#include "world_test.h"

#define SPHERE                                                                                                         \
    "domain: {cell: 0.5}\ngravity: [0, 0, 0]\n"                                                                        \
    "colliders: [{name: floor, shape: {type: half_space, point: [0, -50, 0]}},\n"                                      \
    "  {name: ball, shape: {type: sphere, center: [1, 0, 0], radius: 1}, motion: [{type: sine, amplitude: [0, 2, 0], " \
    "frequency: 3}]}]\n"

static dr_collider_pose pose_of(dr_world *world, int collider)
{
    dr_collider_pose pose;
    dr_error error = {0};
    if (dr_world_collider_pose(world, collider, &pose, &error)) fail_msg("%s", error.text);
    return pose;
}

static void move(dr_world *world, int collider, dr_placement to, double until)
{
    dr_error error = {0};
    if (dr_world_move_collider(world, collider, &to, until, &error)) fail_msg("%s", error.text);
}

static void assert_vector(const double *value, double x, double y, double z)
{
    const double wanted[3] = {x, y, z};
    for (int a = 0; a < 3; a++) {
        if (fabs(value[a] - wanted[a]) > 1e-12)
            fail_msg("[%.15g, %.15g, %.15g] is not [%g, %g, %g]", value[0], value[1], value[2], x, y, z);
    }
}

static void test_a_collider_goes_where_it_is_told(void **unused)
{
    (void)unused;
    dr_world *world = open_world(SPHERE, 1);
    int ball = dr_world_find_collider(world, "ball");
    assert_int_equal(ball, 1);
    assert_int_equal(dr_world_find_collider(world, "bal"), -1);
    assert_int_equal(dr_world_collider_count(world), 2);
    double quarter = 0.5 * 3.141592653589793;
    move(world, ball, (dr_placement){.translate = {4, 0, 2}, .rotate = {0, 0, quarter}, .center = {1, 0, 0}}, 0.2);
    advance(world, 0.1);
    dr_collider_pose pose = pose_of(world, ball);
    double half = sqrt(0.5);
    assert_vector(pose.rotation, half, -half, 0);
    assert_vector(pose.spin, 0, 0, quarter / 0.2);
    // The centre moves along a straight line: R c + T, and V + w x (R c + T).
    double c[3] = {pose.rotation[0] + pose.translation[0], pose.rotation[3] + pose.translation[1],
                   pose.rotation[6] + pose.translation[2]};
    assert_vector(c, 3, 0, 1);
    double v[3] = {pose.velocity[0] - pose.spin[2] * c[1], pose.velocity[1] + pose.spin[2] * c[0], pose.velocity[2]};
    assert_vector(v, 20, 0, 10);
    advance(world, 0.2);
    pose = pose_of(world, ball);
    assert_vector(pose.rotation, 0, -1, 0);
    assert_vector(pose.spin, 0, 0, quarter / 0.2); // the step that ends here moved
    advance(world, 0.3);
    pose = pose_of(world, ball);
    assert_vector(pose.spin, 0, 0, 0);
    assert_vector(pose.velocity, 0, 0, 0);
    assert_vector(pose.rotation + 3, 1, 0, 0);
    dr_world_destroy(world);
}

// Pieces of a way, one after the other, are the same way.
static void test_a_ball_pushed_by_the_caller_is_pushed_as_by_a_script(void **unused)
{
    (void)unused;
    static const char text[] = "domain: {cell: 0.5}\ngravity: [0, 0, 0]\ntime: {fixed_step: 0.5 ms}\n"
                               "bodies: [{material: jelly, shape: {type: sphere, radius: 1.5}}]\n"
                               "colliders: [{name: wall, shape: {type: box, center: [-3, 0, 0], size: [2, 6, 6]}%s}]\n";
    char scripted[1000], plain[1000];
    snprintf(plain, sizeof plain, text, "");
    snprintf(scripted, sizeof scripted, text,
             ", motion: [{type: keyframes, keys: [{time: 0, ease: linear}, {time: 10 s, translate: [200, 0, 0]}]}]");
    dr_world *one = open_world(scripted, 1), *other = open_world(plain, 2);
    for (int i = 1; i <= 5; i++) {
        move(other, 0, (dr_placement){.translate = {0.4 * i, 0, 0}}, 0.02 * i);
        advance(other, 0.02 * i);
        advance(one, 0.02 * i);
    }
    const dr_report *a = dr_world_report(one), *b = dr_world_report(other);
    assert_true(a->linear_momentum[0] > 100.0);
    assert_true(fabs(a->linear_momentum[0] - b->linear_momentum[0]) < 1e-4 * a->linear_momentum[0]);
    dr_world_destroy(one);
    dr_world_destroy(other);
}

static void test_switched_emitters_emit_nothing(void **unused)
{
    (void)unused;
    dr_error error = {0};
    dr_world *world =
        open_world("domain: {cell: 0.5}\ngravity: [0, 0, 0]\n"
                   "emitters: [{name: tap, material: dust, velocity: [0, -10, 0], shape: {type: box, size: "
                   "[2, 1, 2]}}]\n",
                   1);
    int tap = dr_world_find_emitter(world, "tap");
    assert_int_equal(tap, 0);
    assert_int_equal(dr_world_emitter_count(world), 1);
    advance(world, 0.1);
    int64_t first = dr_world_report(world)->emitted;
    assert_true(first > 0);
    assert_int_equal(dr_world_switch_emitter(world, tap, false, &error), DR_STATUS_OK);
    advance(world, 0.2);
    assert_int_equal(dr_world_report(world)->emitted, first);
    assert_int_equal(dr_world_switch_emitter(world, tap, true, &error), DR_STATUS_OK);
    advance(world, 0.3);
    assert_true(dr_world_report(world)->emitted > first);
    dr_world_destroy(world);
}

// A tap under water that is switched off no longer holds the water's velocity: it is as if its schedule had ended then.
static void test_a_tap_switched_off_under_water_lets_it_come_to_rest(void **unused)
{
    (void)unused;
#define POOL_AND_TAP(stop)                                                                                             \
    "domain: {cell: 0.5, min: [-3, 0, -3], max: [3, 9, 3], x_min: slip, x_max: slip, y_min: slip, z_min: slip, "       \
    "z_max: slip}\ntime: {fixed_step: 0.002}\n"                                                                        \
    "bodies: [{material: water, shape: {type: box, center: [0, 2, 0], size: [6, 4, 6]}}]\n"                            \
    "emitters: [{name: tap, material: water, velocity: [0, 30, 0], schedule: {stop: " stop                             \
    "}, shape: {type: box, center: [0, 1, 0], size: [2, 1, 2]}}]\n"
    dr_error error = {0};
    dr_world *ended = open_world(POOL_AND_TAP("0.04"), 1), *switched = open_world(POOL_AND_TAP("9"), 1);
    advance(ended, 0.04);
    advance(switched, 0.04);
    assert_true(dr_world_report(switched)->emitted > 0);
    assert_int_equal(dr_world_switch_emitter(switched, 0, false, &error), DR_STATUS_OK);
    advance(ended, 0.08);
    advance(switched, 0.08);
    assert_int_equal(dr_world_report(switched)->emitted, dr_world_report(ended)->emitted);
    assert_true(dr_world_report(switched)->energy_kinetic == dr_world_report(ended)->energy_kinetic);
    dr_world_destroy(ended);
    dr_world_destroy(switched);
}

static void test_what_was_changed_is_part_of_the_state(void **unused)
{
    (void)unused;
    static const char text[] =
        SPHERE "bodies: [{material: jelly, shape: {type: sphere, center: [4, 0, 0], radius: 1}}]\n"
               "emitters: [{name: tap, material: dust, velocity: [0, -10, 0], shape: {type: box, center: [9, 0, 0], "
               "size: [2, 1, 2]}}]\n";
    dr_error error = {0};
    dr_world *world = open_world(text, 1), *other = open_world(text, 2);
    advance(world, 0.02);
    move(world, 1, (dr_placement){.translate = {2, 0, 0}, .rotate = {0.3, 0, 0.2}}, 0.2);
    assert_int_equal(dr_world_switch_emitter(world, 0, false, &error), DR_STATUS_OK);
    advance(world, 0.05);
    pass_state_on(world, other);
    assert_int_equal(dr_world_hash(world), dr_world_hash(other));
    advance(world, 0.15);
    advance(other, 0.15);
    assert_int_equal(dr_world_hash(world), dr_world_hash(other));
    assert_true(dr_world_report(other)->linear_momentum[0] > 0.0);
    dr_world_destroy(world);
    dr_world_destroy(other);
}

static void test_mistakes_are_told(void **unused)
{
    (void)unused;
    dr_world *world = open_world(SPHERE, 1);
    dr_placement to = {.translate = {1, 0, 0}};
    dr_collider_pose pose;
    dr_error error = {0};
    assert_int_equal(dr_world_move_collider(world, 2, &to, 1.0, &error), DR_STATUS_BAD_ARGUMENT);
    assert_int_equal(dr_world_move_collider(world, -1, &to, 1.0, &error), DR_STATUS_BAD_ARGUMENT);
    assert_int_equal(dr_world_move_collider(world, 1, &to, 0.0, &error), DR_STATUS_BAD_ARGUMENT);
    assert_int_equal(dr_world_move_collider(world, 1, &to, NAN, &error), DR_STATUS_BAD_ARGUMENT);
    to.rotate[1] = INFINITY;
    assert_int_equal(dr_world_move_collider(world, 1, &to, 1.0, &error), DR_STATUS_BAD_ARGUMENT);
    assert_int_equal(dr_world_collider_pose(world, 7, &pose, &error), DR_STATUS_BAD_ARGUMENT);
    assert_int_equal(dr_world_switch_emitter(world, 0, true, &error), DR_STATUS_BAD_ARGUMENT);
    assert_int_equal(error.count, 7);
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_collider_goes_where_it_is_told),
        cmocka_unit_test(test_a_ball_pushed_by_the_caller_is_pushed_as_by_a_script),
        cmocka_unit_test(test_switched_emitters_emit_nothing),
        cmocka_unit_test(test_a_tap_switched_off_under_water_lets_it_come_to_rest),
        cmocka_unit_test(test_what_was_changed_is_part_of_the_state),
        cmocka_unit_test(test_mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
