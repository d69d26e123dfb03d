// Motion: places by hand, velocities against finite differences for every kind and for compositions.
#include "collide/motion.h"
#include "math/random.h"
#include "math/rotation.h"
#include "support/check.h"
#include "support/scarce.h"

static const double path_rows[4][8] = {{0.5, 1, 0, 0, 1, 0, 0, 0},
                                       {1.0, 2, 1, 0, 0.8, 0.6, 0, 0},
                                       {1.5, 2, 3, -1, 0.5, 0.5, 0.5, -0.5},
                                       {2.5, 1, 0, 0, 1, 0, 0, 0}};
static dr_path_asset path_asset = {.file = "way.txt", .count = 4, .rows = path_rows[0]};
static dr_scene scene = {.name = "test", .assets = {.paths = &path_asset, .path_count = 1}};

static dr_key_spec keys[5] = {
    {.time = 0.0, .translate = {0, 0, 0}, .rotate = {0, 0, 0}, .ease = DR_EASE_SMOOTH},
    {.time = 1.0, .translate = {1, 2, 3}, .rotate = {0.5, 1.0, -2.0}, .ease = DR_EASE_IN},
    {.time = 1.5, .translate = {-1, 2, 0}, .rotate = {0.5, 9.0, -2.0}, .ease = DR_EASE_OUT},
    {.time = 2.5, .translate = {0, 2, 0}, .rotate = {1.5, 1.0, 2.0}, .ease = DR_EASE_LINEAR},
    {.time = 3.0, .translate = {4, 4, 4}, .rotate = {0, 0, 0}, .ease = DR_EASE_LINEAR},
};

static dr_motion_spec some_keyframes(void)
{
    return (dr_motion_spec){.kind = DR_MOTION_KEYFRAMES, .keys = {keys, 5}, .center = {0.5, -1, 2}};
}

static dr_motion_spec some_spin(void)
{
    return (dr_motion_spec){
        .kind = DR_MOTION_SPIN, .center = {1, 2, 0}, .axis = {1, 2, -2}, .rate = 3.0, .start = 0.4, .stop = 2.2};
}

static dr_motion_spec some_sine(void)
{
    return (dr_motion_spec){.kind = DR_MOTION_SINE,
                            .center = {0, 1, 0},
                            .axis = {0, 0, 5},
                            .amplitude = {1, 0.5, -2},
                            .swing = 0.7,
                            .frequency = 1.3,
                            .phase = 0.6,
                            .start = -INFINITY,
                            .stop = INFINITY};
}

static dr_motion_spec some_path(void)
{
    return (dr_motion_spec){
        .kind = DR_MOTION_PATH, .file = "way.txt", .unit_length = 2.0, .up = DR_AXIS_Z, .loop = true};
}

static dr_motion *compile(dr_motion_spec *specs, int count)
{
    dr_error error = {0};
    dr_motion *motion;
    dr_motion_list list = {specs, count};
    if (dr_motion_create(&scene, &list, NULL, &motion, &error)) fail_msg("%s", error.text);
    return motion;
}

static void carry(const dr_pose *pose, const double x[3], double out[3])
{
    dr_rotation_apply(out, pose->rotation, x);
    dr_vec3_add(out, out, pose->translation);
}

// Keys lie at multiples of half a second, the spin begins at 0.4 and ends at 2.2.
static bool near_a_kink(double time)
{
    return fabs(time - 0.5 * round(2.0 * time)) < 1e-3 || fabs(time - 0.4) < 1e-3 || fabs(time - 2.2) < 1e-3;
}

// Velocity of a carried point by central differences against velocity + spin x place.
static void check_velocity(dr_motion_spec *specs, int count)
{
    dr_motion *motion = compile(specs, count);
    double h = 1e-5;
    for (uint64_t i = 0; i < 400; i++) {
        double time = 5.0 * dr_random_unit(1, i) - 1.0, x[3], before[3], now[3], after[3], swept[3];
        if (near_a_kink(time)) continue;
        for (uint64_t k = 0; k < 3; k++) x[k] = 4.0 * dr_random_unit(2, 3 * i + k) - 2.0;
        dr_pose pose;
        dr_motion_at(motion, time - h, &pose);
        carry(&pose, x, before);
        dr_motion_at(motion, time + h, &pose);
        carry(&pose, x, after);
        dr_motion_at(motion, time, &pose);
        carry(&pose, x, now);
        dr_vec3_cross(swept, pose.spin, now);
        for (int k = 0; k < 3; k++) check_near(pose.velocity[k] + swept[k], (after[k] - before[k]) / (2 * h), 2e-5);
    }
    dr_motion_destroy(motion);
}

static void test_velocity_is_the_derivative_of_every_kind(void **state)
{
    (void)state;
    dr_motion_spec specs[4] = {some_keyframes(), some_spin(), some_sine(), some_path()};
    for (int i = 0; i < 4; i++) check_velocity(&specs[i], 1);
}

static void test_velocity_is_the_derivative_of_compositions(void **state)
{
    (void)state;
    dr_motion_spec kinds[4] = {some_keyframes(), some_spin(), some_sine(), some_path()};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            dr_motion_spec specs[3] = {kinds[i], kinds[j], kinds[(i + j) % 4]};
            check_velocity(specs, 3);
        }
}

static void test_no_motion_is_the_identity(void **state)
{
    (void)state;
    dr_motion *motion = compile(NULL, 0);
    dr_pose pose;
    double x[3] = {1, 2, 3}, out[3];
    dr_motion_at(motion, 17.0, &pose);
    carry(&pose, x, out);
    check_vector_near(out, x, 0.0);
    check_vector_near(pose.velocity, ((double[3]){0}), 0.0);
    dr_motion_destroy(motion);
}

static void test_keys_are_met_and_the_ends_stand_still(void **state)
{
    (void)state;
    dr_motion_spec spec = some_keyframes();
    dr_motion *motion = compile(&spec, 1);
    for (int k = 0; k < 5; k++) {
        double rotation[9], x[3] = {0.3, 0.2, 0.1}, expected[3], out[3];
        dr_pose pose;
        dr_motion_at(motion, keys[k].time, &pose);
        carry(&pose, x, out);
        dr_vec3_sub(expected, x, spec.center);
        dr_rotation_euler(rotation, keys[k].rotate);
        dr_rotation_apply(expected, rotation, expected);
        for (int i = 0; i < 3; i++) expected[i] += spec.center[i] + keys[k].translate[i];
        check_vector_near(out, expected, 1e-12);
    }
    for (int end = 0; end < 2; end++) {
        dr_pose pose, at_end;
        dr_motion_at(motion, end ? 99.0 : -99.0, &pose);
        dr_motion_at(motion, end ? 3.0 : 0.0, &at_end);
        check_vector_near(pose.translation, at_end.translation, 1e-15);
        check_vector_near(pose.velocity, ((double[3]){0}), 0.0);
        check_vector_near(pose.spin, ((double[3]){0}), 0.0);
    }
    dr_motion_destroy(motion);
}

static void test_eases_start_and_end_as_they_say(void **state)
{
    (void)state;
    static const double first[] = {1.0, 0.0, 0.0, 2.0, 0.0}, last[] = {1.0, 0.0, 2.0, 0.0, 0.0};
    for (int ease = DR_EASE_LINEAR; ease <= DR_EASE_HOLD; ease++) {
        dr_key_spec two[2] = {{.time = 1.0, .ease = ease}, {.time = 2.0, .translate = {1, 0, 0}}};
        dr_motion_spec spec = {.kind = DR_MOTION_KEYFRAMES, .keys = {two, 2}};
        dr_motion *motion = compile(&spec, 1);
        dr_pose pose;
        dr_motion_at(motion, 1.0, &pose);
        check_near(pose.velocity[0], first[ease], 1e-12);
        dr_motion_at(motion, 2.0 - 1e-9, &pose);
        check_near(pose.velocity[0], last[ease], 1e-7);
        check_near(pose.translation[0], ease == DR_EASE_HOLD ? 0.0 : 1.0, 1e-8);
        dr_motion_at(motion, 2.0, &pose);
        check_near(pose.translation[0], 1.0, 0.0);
        check_near(pose.velocity[0], 0.0, 0.0);
        dr_motion_destroy(motion);
    }
}

static void test_a_single_angle_keeps_its_revolutions(void **state)
{
    (void)state;
    dr_key_spec two[2] = {{.time = 0.0, .rotate = {0.3, 0, 0.2}}, {.time = 1.0, .rotate = {0.3, 6 * PI, 0.2}}};
    dr_motion_spec spec = {.kind = DR_MOTION_KEYFRAMES, .keys = {two, 2}};
    dr_motion *motion = compile(&spec, 1);
    dr_pose pose;
    dr_motion_at(motion, 0.3, &pose);
    check_near(dr_vec3_length(pose.spin), 6 * PI, 1e-12);
    double rotation[9];
    dr_rotation_euler(rotation, (double[3]){0.3, 0.3 * 6 * PI, 0.2});
    for (int i = 0; i < 9; i++) check_near(pose.rotation[i], rotation[i], 1e-12);
    dr_motion_destroy(motion);
}

static void test_spin_stands_still_outside_its_time(void **state)
{
    (void)state;
    dr_motion_spec spec = some_spin();
    dr_motion *motion = compile(&spec, 1);
    dr_pose pose;
    dr_motion_at(motion, 0.0, &pose);
    check_near(pose.rotation[0], 1.0, 1e-15);
    check_near(dr_vec3_length(pose.spin), 0.0, 0.0);
    dr_motion_at(motion, 0.4, &pose);
    check_near(dr_vec3_length(pose.spin), 3.0, 1e-12);
    dr_motion_at(motion, 9.0, &pose);
    check_near(dr_vec3_length(pose.spin), 0.0, 0.0);
    double axis[3];
    check_near(dr_rotation_axis(axis, pose.rotation), 2 * PI - 1.8 * 3.0, 1e-12);
    dr_motion_destroy(motion);
}

static void test_the_first_motion_acts_first(void **state)
{
    (void)state;
    dr_key_spec moved = {.time = 0, .translate = {1, 0, 0}}, turned = {.time = 0, .rotate = {0, 0, PI / 2}};
    dr_motion_spec specs[2] = {{.kind = DR_MOTION_KEYFRAMES, .keys = {&moved, 1}},
                               {.kind = DR_MOTION_KEYFRAMES, .keys = {&turned, 1}}};
    dr_motion *motion = compile(specs, 2);
    dr_pose pose;
    double out[3];
    dr_motion_at(motion, 0.0, &pose);
    carry(&pose, (double[3]){0, 0, 0}, out);
    check_vector_near(out, ((double[3]){0, 1, 0}), 1e-15);
    dr_motion_destroy(motion);
}

static void test_a_path_is_scaled_and_stood_upright(void **state)
{
    (void)state;
    dr_motion_spec spec = some_path();
    dr_motion *motion = compile(&spec, 1);
    dr_pose pose;
    dr_motion_at(motion, 1.5, &pose); // 2, 3, -1 in the file, z up
    check_vector_near(pose.translation, ((double[3]){4, -2, -6}), 1e-12);
    dr_motion_at(motion, 3.5, &pose); // two seconds later, once around
    check_vector_near(pose.translation, ((double[3]){4, -2, -6}), 1e-12);
    dr_motion_destroy(motion);
}

static void refuse(dr_motion_spec spec, const char *word)
{
    dr_error error = {0};
    dr_motion *motion;
    dr_motion_list list = {&spec, 1};
    assert_int_equal(dr_motion_create(&scene, &list, NULL, &motion, &error), DR_STATUS_BAD_SCENE);
    assert_null(motion);
    if (!strstr(error.text, word)) fail_msg("\"%s\" does not speak of %s", error.text, word);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    dr_key_spec backwards[2] = {{.time = 1.0}, {.time = 1.0}};
    refuse((dr_motion_spec){.kind = DR_MOTION_KEYFRAMES, .keys = {backwards, 2}}, "time");
    refuse((dr_motion_spec){.kind = DR_MOTION_KEYFRAMES}, "keys");
    refuse((dr_motion_spec){.kind = DR_MOTION_SPIN, .rate = 1.0, .stop = 1.0}, "axis");
    refuse((dr_motion_spec){.kind = DR_MOTION_SPIN, .axis = {0, 1, 0}, .start = 2.0, .stop = 1.0}, "stop");
    refuse((dr_motion_spec){.kind = DR_MOTION_PATH, .file = "lost.txt"}, "lost.txt");
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    dr_motion_spec specs[4] = {some_keyframes(), some_spin(), some_sine(), some_path()};
    dr_motion_list list = {specs, 4};
    dr_status status = DR_STATUS_NO_MEMORY;
    long tries = 0;
    while (status != DR_STATUS_OK) {
        scarce scarce;
        dr_error error = {0};
        dr_motion *motion;
        scarce_open(&scarce, ++tries);
        status = dr_motion_create(&scene, &list, &scarce.allocator, &motion, &error);
        if (status) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        dr_motion_destroy(motion);
        assert_int_equal(scarce.out, 0);
    }
    assert_true(tries > 2);
}

static void test_schedule_ramps_in_and_out(void **state)
{
    (void)state;
    dr_schedule_spec plain = {1.0, 2.0, 0.0}, ramped = {1.0, 3.0, 0.5}, endless = {0.0, INFINITY, 1.0};
    check_near(dr_schedule_at(&plain, 0.999), 0.0, 0.0);
    check_near(dr_schedule_at(&plain, 1.0), 1.0, 0.0);
    check_near(dr_schedule_at(&plain, 2.0), 0.0, 0.0);
    check_near(dr_schedule_at(&ramped, 1.25), 0.5, 1e-15);
    check_near(dr_schedule_at(&ramped, 2.0), 1.0, 0.0);
    check_near(dr_schedule_at(&ramped, 2.9), 0.2, 1e-12);
    check_near(dr_schedule_at(&endless, 1e9), 1.0, 0.0);
}

static void test_schedule_counts_every_part_of_a_step(void **state)
{
    (void)state;
    const dr_schedule_spec schedules[] = {{1.0, 2.0, 0.0},      {1.0, 3.0, 0.5},       {1.0, 1.5, 0.4},
                                          {0.0, INFINITY, 1.0}, {-INFINITY, 2.0, 0.7}, {-INFINITY, INFINITY, 0.5}};
    const double wholes[] = {1.0, 1.5, 0.15625, 3.5, 1.65, 4.0}; // from 0 to 4
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        check_near(dr_schedule_seconds(&schedules[i], 0.0, 4.0), wholes[i], 1e-14);
        double sum = 0.0;
        for (int k = 0; k < 37; k++) sum += dr_schedule_seconds(&schedules[i], 4.0 * k / 37.0, 4.0 * (k + 1) / 37.0);
        check_near(sum, wholes[i], 1e-13);
    }
    check_near(dr_schedule_seconds(&schedules[0], 1.999, 2.5), 0.001, 1e-14);
    check_near(dr_schedule_active(&schedules[0], 1.999, 2.5), 0.001, 1e-14);
    check_near(dr_schedule_active(&schedules[0], 2.0, 2.5), 0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_velocity_is_the_derivative_of_every_kind),
        cmocka_unit_test(test_velocity_is_the_derivative_of_compositions),
        cmocka_unit_test(test_no_motion_is_the_identity),
        cmocka_unit_test(test_keys_are_met_and_the_ends_stand_still),
        cmocka_unit_test(test_eases_start_and_end_as_they_say),
        cmocka_unit_test(test_a_single_angle_keeps_its_revolutions),
        cmocka_unit_test(test_spin_stands_still_outside_its_time),
        cmocka_unit_test(test_the_first_motion_acts_first),
        cmocka_unit_test(test_a_path_is_scaled_and_stood_upright),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_every_failing_allocation_is_clean),
        cmocka_unit_test(test_schedule_ramps_in_and_out),
        cmocka_unit_test(test_schedule_counts_every_part_of_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
