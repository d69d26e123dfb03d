// Colliders: the laws of the projection, moving and deforming surfaces, several at once.
#include "collide/collider.h"
#include "geom/solids.h"
#include "support/scarce.h"

#define FRAMES 3

typedef struct stage {
    dr_scene scene;
    dr_mesh_asset mesh;
    dr_sequence_asset sequence;
    test_mesh ball;
    float *positions;
} stage;

// A mesh ball of radius 1 that grows to 2 and shrinks to 1.5, one sample per tenth of a second.
static void open_stage(stage *stage)
{
    static const double radius[FRAMES] = {1.0, 2.0, 1.5};
    stage->ball = ball_mesh(16);
    scene_with_mesh(&stage->scene, &stage->mesh, &stage->ball);
    size_t numbers = 3 * stage->ball.vertex_count;
    stage->positions = calloc(FRAMES * numbers, sizeof *stage->positions);
    for (size_t frame = 0; frame < FRAMES; frame++)
        for (size_t i = 0; i < numbers; i++)
            stage->positions[frame * numbers + i] = (float)(radius[frame] * stage->ball.vertices[i]);
    stage->sequence = (dr_sequence_asset){.file = "grow.pc2",
                                          .frame_count = FRAMES,
                                          .vertex_count = stage->ball.vertex_count,
                                          .start_frame = 0,
                                          .frame_step = 1,
                                          .positions = stage->positions};
    stage->scene.assets.sequences = &stage->sequence;
    stage->scene.assets.sequence_count = 1;
}

static void close_stage(stage *stage)
{
    release_mesh(&stage->ball);
    free(stage->positions);
}

static dr_collider_set *compile(dr_scene *scene, dr_collider_spec *specs, int count)
{
    dr_error error = {0};
    dr_collider_set *set;
    scene->spec.colliders = (dr_collider_list){specs, count};
    if (dr_collider_set_create(scene, NULL, &set, &error)) fail_msg("%s", error.text);
    return set;
}

static dr_collider_spec still(dr_shape_kind kind, int boundary, double friction)
{
    return (dr_collider_spec){.name = "thing", .shape = solid(kind), .boundary = boundary, .friction = friction};
}

static void random_unit_vector(double n[3], uint64_t key)
{
    static const double up[3] = {0, 1, 0};
    random_point(n, key, 0, 1.0);
    dr_vec3_normalize(n, n, up);
}

static void split(const double v[3], const double surface[3], const double n[3], double *normal, double tangential[3])
{
    double relative[3];
    dr_vec3_sub(relative, v, surface);
    *normal = dr_vec3_dot(relative, n);
    dr_vec3_add_scaled(tangential, relative, -*normal, n);
}

static void test_sticky_takes_the_surface_velocity(void **state)
{
    (void)state;
    double v[3] = {1, 2, 3}, surface[3] = {-4, 5, 6}, n[3] = {0, 1, 0};
    dr_collider_project(DR_BOUNDARY_STICKY, 0.5, n, surface, v);
    check_vector_near(v, surface, 0.0);
}

static void test_slip_keeps_the_tangential_part_both_ways(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100; i++) {
        double n[3], v[3], surface[3], before[3], after[3], vn;
        random_unit_vector(n, 100 + i);
        random_point(v, 1, i, 3.0);
        random_point(surface, 2, i, 3.0);
        split(v, surface, n, &vn, before);
        dr_collider_project(DR_BOUNDARY_SLIP, 0.0, n, surface, v);
        split(v, surface, n, &vn, after);
        check_near(vn, 0.0, 1e-13);
        check_vector_near(after, before, 1e-13);
    }
}

static void test_slip_rubs_only_where_matter_presses(void **state)
{
    (void)state;
    double n[3] = {0, 1, 0}, still[3] = {0};
    double pressed[3] = {3, -2, 0}, rubbed[3] = {2, 0, 0}, leaving[3] = {3, 2, 0}, kept[3] = {3, 0, 0};
    dr_collider_project(DR_BOUNDARY_SLIP, 0.5, n, still, pressed);
    check_vector_near(pressed, rubbed, 1e-13);
    dr_collider_project(DR_BOUNDARY_SLIP, 0.5, n, still, leaving);
    check_vector_near(leaving, kept, 1e-13);
}

static void test_separate_sticks_exactly_within_the_friction_cone(void **state)
{
    (void)state;
    double mu = 0.4;
    int stuck = 0, slid = 0, left = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        double n[3], v[3], old[3], surface[3], before[3], after[3], vn, rest;
        random_unit_vector(n, 100 + i);
        random_point(v, 1, i, 3.0);
        random_point(surface, 2, i, 3.0);
        dr_vec3_copy(old, v);
        split(v, surface, n, &vn, before);
        dr_collider_project(DR_BOUNDARY_SEPARATE, mu, n, surface, v);
        split(v, surface, n, &rest, after);
        if (vn >= 0.0) {
            check_vector_near(v, old, 0.0);
            left++;
        } else if (dr_vec3_length(before) <= -mu * vn) {
            check_vector_near(v, surface, 0.0);
            stuck++;
        } else {
            check_near(rest, 0.0, 1e-13);
            check_near(dr_vec3_length(after), dr_vec3_length(before) + mu * vn, 1e-12);
            check_near(dr_vec3_dot(after, before), dr_vec3_length(after) * dr_vec3_length(before), 1e-12);
            slid++;
        }
    }
    assert_true(stuck > 10 && slid > 300 && left > 400);
}

static void test_only_nodes_inside_are_projected(void **state)
{
    (void)state;
    dr_scene scene = {.name = "test"};
    dr_collider_spec spec = still(DR_SHAPE_SPHERE, DR_BOUNDARY_STICKY, 0.0);
    dr_collider_set *set = compile(&scene, &spec, 1);
    double v[3] = {1, 1, 1};
    assert_false(dr_collider_set_project(set, (double[3]){1.01, 0, 0}, 0.0, v));
    check_near(v[0], 1.0, 0.0);
    assert_true(dr_collider_set_project(set, (double[3]){0.99, 0, 0}, 0.0, v));
    check_near(v[0], 0.0, 0.0);
    dr_collider_set_destroy(set);
}

static void test_a_spinning_collider_drags_with_its_surface(void **state)
{
    (void)state;
    dr_scene scene = {.name = "test"};
    dr_motion_spec spin = {.kind = DR_MOTION_SPIN, .axis = {0, 1, 0}, .rate = 2.0, .stop = 100.0};
    dr_collider_spec spec = still(DR_SHAPE_CYLINDER, DR_BOUNDARY_STICKY, 0.0);
    spec.motion = (dr_motion_list){&spin, 1};
    dr_collider_set *set = compile(&scene, &spec, 1);
    assert_int_equal(dr_collider_set_drive(set, 1.234, NULL), DR_STATUS_OK);
    double v[3] = {9, 9, 9};
    assert_true(dr_collider_set_project(set, (double[3]){0.9, 0.1, 0}, 0.0, v));
    check_vector_near(v, ((double[3]){0, 0, -1.8}), 1e-12);
    dr_collider_set_destroy(set);
}

static void test_distance_follows_the_motion(void **state)
{
    (void)state;
    dr_scene scene = {.name = "test"};
    dr_key_spec keys[2] = {{.time = 0.0}, {.time = 1.0, .translate = {4, 0, 0}, .rotate = {0, 0, PI / 2}}};
    dr_motion_spec motion = {.kind = DR_MOTION_KEYFRAMES, .keys = {keys, 2}};
    dr_collider_spec spec = still(DR_SHAPE_BOX, DR_BOUNDARY_SLIP, 0.0); // 2 x 1 x 3
    spec.motion = (dr_motion_list){&motion, 1};
    dr_collider_set *set = compile(&scene, &spec, 1);
    double normal[3], velocity[3];
    check_near(dr_collider_set_distance(set, (double[3]){3, 0, 0}, normal, velocity), 2.0, 1e-14);
    check_near(normal[0], 1.0, 1e-14);
    dr_collider_set_drive(set, 1.0, NULL);
    check_near(dr_collider_set_distance(set, (double[3]){3, 0, 0}, normal, velocity), 0.5, 1e-14);
    check_near(normal[0], -1.0, 1e-14);
    assert_true(dr_collider_set_misses(set, (double[3]){0, 0, 0}, 3.4));
    assert_false(dr_collider_set_misses(set, (double[3]){0, 0, 0}, 3.6));
    dr_collider_set_destroy(set);
}

// Within the box of a collider nothing is known of the distance without asking for it.
static void test_clearance_inside_is_the_distance(void **state)
{
    (void)state;
    dr_scene scene = {.name = "test"};
    dr_collider_spec spec = still(DR_SHAPE_BOX, DR_BOUNDARY_SLIP, 0.0); // 2 x 1 x 3
    dr_collider_set *set = compile(&scene, &spec, 1);
    for (double enough = -1.0; enough < 1.0; enough += 0.25)
        check_near(dr_collider_set_clearance(set, 0, (double[3]){0, 0, 0}, enough), -0.5, 1e-14);
    assert_true(dr_collider_set_clearance(set, 0, (double[3]){3, 0, 0}, 0.5) > 0.5);
    dr_collider_set_destroy(set);
}

static void test_nothing_is_infinitely_far(void **state)
{
    (void)state;
    dr_scene scene = {.name = "test"};
    dr_collider_set *set = compile(&scene, NULL, 0);
    double v[3] = {1, 2, 3};
    assert_true(isinf(dr_collider_set_distance(set, v, NULL, NULL)));
    assert_true(dr_collider_set_misses(set, v, 1e9));
    assert_false(dr_collider_set_project(set, v, 0.0, v));
    dr_collider_set_destroy(set);
}

static void test_sticky_wins_in_any_order(void **state)
{
    (void)state;
    dr_scene scene = {.name = "test"};
    for (int order = 0; order < 2; order++) {
        dr_collider_spec specs[2] = {still(DR_SHAPE_SPHERE, DR_BOUNDARY_SLIP, 0.0),
                                     still(DR_SHAPE_SPHERE, DR_BOUNDARY_SLIP, 0.0)};
        specs[order].boundary = DR_BOUNDARY_STICKY;
        dr_collider_set *set = compile(&scene, specs, 2);
        double v[3] = {1, 2, 3};
        dr_collider_set_project(set, (double[3]){0.5, 0.2, 0}, 0.0, v);
        check_vector_near(v, ((double[3]){0}), 0.0);
        dr_collider_set_destroy(set);
    }
}

static void test_a_corner_of_two_walls_lets_nothing_through(void **state)
{
    (void)state;
    dr_scene scene = {.name = "test"};
    dr_collider_spec specs[2] = {still(DR_SHAPE_HALF_SPACE, DR_BOUNDARY_SEPARATE, 0.0),
                                 still(DR_SHAPE_HALF_SPACE, DR_BOUNDARY_SEPARATE, 0.0)};
    dr_vec3_set(specs[1].shape.normal, 1, 0, 0);
    dr_collider_set *set = compile(&scene, specs, 2);
    double v[3] = {-1, -2, 3};
    assert_true(dr_collider_set_project(set, (double[3]){-0.1, -0.1, 0}, 0.0, v));
    check_vector_near(v, ((double[3]){0, 0, 3}), 1e-15);
    dr_collider_set_destroy(set);
}

static dr_motion_spec growth(void)
{
    return (dr_motion_spec){
        .kind = DR_MOTION_SEQUENCE, .file = "grow.pc2", .unit_length = 1.0, .up = DR_AXIS_Y, .frame_rate = 10.0};
}

static void test_a_sequence_deforms_linearly_with_its_own_velocity(void **state)
{
    (void)state;
    stage stage;
    open_stage(&stage);
    dr_motion_spec motions[2] = {growth(), {.kind = DR_MOTION_SINE, .amplitude = {1, 0, 0}, .frequency = 1.0}};
    motions[1].stop = 10.0;
    dr_collider_spec spec = still(DR_SHAPE_MESH, DR_BOUNDARY_STICKY, 0.0);
    spec.shape.file = "mesh.obj";
    spec.motion = (dr_motion_list){motions, 2};
    dr_collider_set *set = compile(&stage.scene, &spec, 1);
    static const double times[] = {-1.0, 0.0, 0.05, 0.13, 0.2, 5.0}, radius[] = {1, 1, 1.5, 1.85, 1.5, 1.5},
                        rate[] = {0, 10, 10, -5, 0, 0};
    for (int i = 0; i < 6; i++) {
        double time = times[i], offset = sin(2 * PI * fmax(time, 0.0)), slope = 2 * PI * cos(2 * PI * time);
        assert_int_equal(dr_collider_set_drive(set, time, NULL), DR_STATUS_OK);
        double x[3] = {offset, 3, 0}, velocity[3], normal[3];
        check_near(dr_collider_set_distance(set, x, normal, velocity), 3.0 - radius[i], 1e-6);
        check_near(velocity[0], time < 0 ? 0.0 : slope, 1e-6);
        check_near(velocity[1], rate[i], 1e-5);
    }
    dr_collider_set_destroy(set);
    close_stage(&stage);
}

static void test_a_looping_sequence_returns_from_the_last_sample_to_the_first(void **state)
{
    (void)state;
    stage stage;
    open_stage(&stage);
    dr_motion_spec motion = growth();
    motion.loop = true;
    dr_collider_spec spec = still(DR_SHAPE_MESH, DR_BOUNDARY_STICKY, 0.0);
    spec.shape.file = "mesh.obj";
    spec.motion = (dr_motion_list){&motion, 1};
    dr_collider_set *set = compile(&stage.scene, &spec, 1);
    double x[3] = {0, 3, 0}, velocity[3];
    dr_collider_set_drive(set, 0.25, NULL);
    check_near(dr_collider_set_distance(set, x, NULL, velocity), 3.0 - 1.25, 1e-6);
    check_near(velocity[1], -5.0, 1e-5);
    dr_collider_set_drive(set, 0.35 - 0.6, NULL);
    check_near(dr_collider_set_distance(set, x, NULL, velocity), 3.0 - 1.5, 1e-6);
    dr_collider_set_destroy(set);
    close_stage(&stage);
}

static void refuse(dr_scene *scene, dr_collider_spec *spec, const char *word)
{
    dr_error error = {0};
    dr_collider_set *set;
    scene->spec.colliders = (dr_collider_list){spec, 1};
    assert_int_equal(dr_collider_set_create(scene, NULL, &set, &error), DR_STATUS_BAD_SCENE);
    assert_null(set);
    if (!strstr(error.text, word)) fail_msg("\"%s\" does not speak of %s", error.text, word);
}

static void test_a_sequence_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    stage stage;
    open_stage(&stage);
    dr_motion_spec motions[2] = {growth(), growth()};
    dr_collider_spec spec = still(DR_SHAPE_SPHERE, DR_BOUNDARY_STICKY, 0.0);
    spec.motion = (dr_motion_list){motions, 1};
    refuse(&stage.scene, &spec, "mesh");
    spec.shape = solid(DR_SHAPE_MESH);
    spec.shape.file = "mesh.obj";
    spec.motion.count = 2;
    refuse(&stage.scene, &spec, "one sequence");
    spec.motion.count = 1;
    stage.sequence.vertex_count--;
    refuse(&stage.scene, &spec, "vertices");
    motions[0].file = "lost.pc2";
    refuse(&stage.scene, &spec, "lost.pc2");
    close_stage(&stage);
}

static void test_driving_allocates_nothing(void **state)
{
    (void)state;
    stage stage;
    open_stage(&stage);
    dr_motion_spec motion = growth();
    dr_collider_spec spec = still(DR_SHAPE_MESH, DR_BOUNDARY_STICKY, 0.0);
    spec.shape.file = "mesh.obj";
    spec.motion = (dr_motion_list){&motion, 1};
    stage.scene.spec.colliders = (dr_collider_list){&spec, 1};
    scarce scarce;
    scarce_open(&scarce, 0);
    dr_collider_set *set;
    assert_int_equal(dr_collider_set_create(&stage.scene, &scarce.allocator, &set, NULL), DR_STATUS_OK);
    long requests = scarce.requests;
    for (int i = 0; i < 20; i++) dr_collider_set_drive(set, 0.01 * i, NULL);
    assert_int_equal(scarce.requests, requests);
    dr_collider_set_destroy(set);
    assert_int_equal(scarce.out, 0);
    close_stage(&stage);
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    stage stage;
    open_stage(&stage);
    dr_motion_spec motion = growth();
    dr_collider_spec specs[2] = {still(DR_SHAPE_MESH, DR_BOUNDARY_STICKY, 0.0),
                                 still(DR_SHAPE_SPHERE, DR_BOUNDARY_SLIP, 0.0)};
    specs[0].shape.file = "mesh.obj";
    specs[0].motion = (dr_motion_list){&motion, 1};
    stage.scene.spec.colliders = (dr_collider_list){specs, 2};
    dr_status status = DR_STATUS_NO_MEMORY;
    long tries = 0;
    while (status != DR_STATUS_OK) {
        scarce scarce;
        dr_error error = {0};
        dr_collider_set *set;
        scarce_open(&scarce, ++tries);
        status = dr_collider_set_create(&stage.scene, &scarce.allocator, &set, &error);
        if (status) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        dr_collider_set_destroy(set);
        assert_int_equal(scarce.out, 0);
    }
    assert_true(tries > 10);
    close_stage(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sticky_takes_the_surface_velocity),
        cmocka_unit_test(test_slip_keeps_the_tangential_part_both_ways),
        cmocka_unit_test(test_slip_rubs_only_where_matter_presses),
        cmocka_unit_test(test_separate_sticks_exactly_within_the_friction_cone),
        cmocka_unit_test(test_only_nodes_inside_are_projected),
        cmocka_unit_test(test_a_spinning_collider_drags_with_its_surface),
        cmocka_unit_test(test_distance_follows_the_motion),
        cmocka_unit_test(test_clearance_inside_is_the_distance),
        cmocka_unit_test(test_nothing_is_infinitely_far),
        cmocka_unit_test(test_sticky_wins_in_any_order),
        cmocka_unit_test(test_a_corner_of_two_walls_lets_nothing_through),
        cmocka_unit_test(test_a_sequence_deforms_linearly_with_its_own_velocity),
        cmocka_unit_test(test_a_looping_sequence_returns_from_the_last_sample_to_the_first),
        cmocka_unit_test(test_a_sequence_that_does_not_fit_is_refused),
        cmocka_unit_test(test_driving_allocates_nothing),
        cmocka_unit_test(test_every_failing_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
