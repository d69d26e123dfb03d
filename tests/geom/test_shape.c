// Distances of shapes against sampling of their surfaces, finite differences and known values.
#include "geom/solids.h"
#include "support/scarce.h"

static dr_shape *compile(const dr_scene *scene, const dr_shape_spec *spec)
{
    static dr_scene empty = {.name = "test"};
    dr_error error = {0};
    dr_shape *shape;
    dr_status status = dr_shape_create(scene ? scene : &empty, spec, NULL, &shape, &error);
    if (status) fail_msg("%s", error.text);
    return shape;
}

static double at(const dr_shape *shape, double x, double y, double z)
{
    double p[3] = {x, y, z};
    return dr_shape_distance(shape, p, NULL);
}

static const dr_shape_kind simple[] = {DR_SHAPE_SPHERE,   DR_SHAPE_BOX,   DR_SHAPE_CAPSULE,
                                       DR_SHAPE_CYLINDER, DR_SHAPE_TORUS, DR_SHAPE_HALF_SPACE};
#define SIMPLE (sizeof simple / sizeof *simple)

// The simple solids, tilted, scaled and moved.
static dr_shape_spec tilted(dr_shape_kind kind)
{
    dr_shape_spec spec = solid(kind);
    spec.center[1] = 0.2;
    spec.rounding = kind == DR_SHAPE_BOX ? 0.2 : 0.0;
    spec.scale = 1.3;
    dr_vec3_set(spec.rotate, 0.4, -0.7, 1.1);
    dr_vec3_set(spec.translate, 0.3, -0.1, 0.25);
    return spec;
}

static void test_known_distances(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_SPHERE);
    dr_shape *shape = compile(NULL, &spec);
    check_near(at(shape, 3, 0, 0), 2.0, 1e-14);
    check_near(at(shape, 0, 0, 0), -1.0, 1e-14);
    dr_shape_destroy(shape);

    spec = solid(DR_SHAPE_BOX);
    shape = compile(NULL, &spec);
    check_near(at(shape, 4, 0, 0), 3.0, 1e-14);
    check_near(at(shape, 2, 1.5, 0), sqrt(2.0), 1e-14);
    check_near(at(shape, 0, 0.1, 0), -0.4, 1e-14);
    dr_shape_destroy(shape);

    spec.rounding = 0.5;
    shape = compile(NULL, &spec);
    check_near(at(shape, 1, 0.5, 0), 0.5 * sqrt(2.0) - 0.5, 1e-14);
    check_near(at(shape, 4, 0, 0), 3.0, 1e-14);
    dr_shape_destroy(shape);

    spec = solid(DR_SHAPE_CAPSULE);
    shape = compile(NULL, &spec);
    check_near(at(shape, 0, 5, 0), 3.0, 1e-14);
    check_near(at(shape, 3, 0.9, 0), 2.0, 1e-14);
    dr_shape_destroy(shape);

    spec = solid(DR_SHAPE_CYLINDER);
    shape = compile(NULL, &spec);
    check_near(at(shape, 0, 5, 0), 4.0, 1e-14);
    check_near(at(shape, 4, 5, 0), 5.0, 1e-14);
    check_near(at(shape, 0, 0.8, 0), -0.2, 1e-14);
    dr_shape_destroy(shape);

    spec = solid(DR_SHAPE_TORUS);
    shape = compile(NULL, &spec);
    check_near(at(shape, 0, 0, 0), 0.7, 1e-14);
    check_near(at(shape, 1, 0, 0), -0.3, 1e-14);
    check_near(at(shape, 0, 4, 4), 5.0 - 0.3, 1e-14);
    dr_shape_destroy(shape);

    spec = solid(DR_SHAPE_HALF_SPACE);
    dr_vec3_set(spec.normal, 0, 3, 4);
    dr_vec3_set(spec.point, 0, 1, 0);
    shape = compile(NULL, &spec);
    check_near(at(shape, 9, 1, 5), 4.0, 1e-14);
    dr_shape_destroy(shape);
}

static void test_rotations_go_x_then_y_then_z(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_SPHERE);
    spec.radius = 0.1;
    dr_vec3_set(spec.center, 0, 1, 0);
    dr_vec3_set(spec.rotate, PI / 2, PI / 2, 0); // y -> z -> x
    spec.scale = 2.0;
    spec.translate[1] = 5.0;
    dr_shape *shape = compile(NULL, &spec);
    check_near(at(shape, 2, 5, 0), -0.2, 1e-12);
    dr_shape_destroy(shape);
}

static void check_gradient(const dr_shape *shape, uint64_t key, double reach, double tolerance)
{
    int checked = 0;
    for (uint64_t i = 0; i < 400; i++) {
        double x[3], normal[3], slope[3], h = 1e-6;
        random_point(x, key, i, reach);
        dr_shape_distance(shape, x, normal);
        check_near(dr_vec3_length(normal), 1.0, 1e-12);
        for (int axis = 0; axis < 3; axis++) {
            double low[3], high[3];
            dr_vec3_copy(low, x);
            dr_vec3_copy(high, x);
            low[axis] -= h;
            high[axis] += h;
            slope[axis] = (dr_shape_distance(shape, high, NULL) - dr_shape_distance(shape, low, NULL)) / (2 * h);
        }
        if (fabs(dr_vec3_length(slope) - 1.0) > 1e-6) continue; // a ridge, where the nearest point changes
        check_vector_near(normal, slope, tolerance);
        checked++;
    }
    assert_true(checked > 350);
}

static void test_normals_are_gradients(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIMPLE; k++) {
        dr_shape_spec spec = tilted(simple[k]);
        dr_shape *shape = compile(NULL, &spec);
        check_gradient(shape, k, 4.0, 1e-6);
        dr_shape_destroy(shape);
    }
}

static void check_slope(const dr_shape *shape, uint64_t key, double reach)
{
    for (uint64_t i = 0; i < 3000; i++) {
        double x[3], y[3], step[3];
        random_point(x, key, 2 * i, reach);
        random_point(y, key, 2 * i + 1, i % 2 ? reach : 0.05);
        if (i % 2 == 0) dr_vec3_add(y, y, x);
        dr_vec3_sub(step, x, y);
        double change = fabs(dr_shape_distance(shape, x, NULL) - dr_shape_distance(shape, y, NULL));
        check_at_most(change, dr_vec3_length(step) + 1e-12);
    }
}

// Walking from x along the gradient by the distance must end on the surface: exactness, inside and outside.
static void test_simple_solids_are_exact(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIMPLE; k++) {
        dr_shape_spec spec = tilted(simple[k]);
        dr_shape *shape = compile(NULL, &spec);
        for (uint64_t i = 0; i < 500; i++) {
            double x[3], normal[3], foot[3];
            random_point(x, 77, i, 4.0);
            double distance = dr_shape_distance(shape, x, normal);
            dr_vec3_add_scaled(foot, x, -distance, normal);
            check_near(dr_shape_distance(shape, foot, NULL), 0.0, 1e-12);
        }
        check_slope(shape, 5, 4.0);
        dr_shape_destroy(shape);
    }
}

static void test_combinations_hold_what_they_should(void **state)
{
    (void)state;
    dr_shape_spec parts[3] = {tilted(DR_SHAPE_BOX), tilted(DR_SHAPE_TORUS), tilted(DR_SHAPE_CAPSULE)};
    parts[1].translate[0] += 0.8;
    parts[2].rotate[1] += 1.0;
    dr_shape *single[3];
    for (int i = 0; i < 3; i++) single[i] = compile(NULL, &parts[i]);
    for (int kind = DR_SHAPE_UNION; kind <= DR_SHAPE_DIFFERENCE; kind++) {
        dr_shape_spec spec = solid((dr_shape_kind)kind);
        spec.of = (dr_shape_list){parts, 3};
        dr_shape *shape = compile(NULL, &spec);
        for (uint64_t i = 0; i < 3000; i++) {
            double x[3];
            random_point(x, 3, i, 3.0);
            bool in[3];
            for (int j = 0; j < 3; j++) in[j] = dr_shape_distance(single[j], x, NULL) < 0.0;
            bool expected = kind == DR_SHAPE_UNION          ? in[0] || in[1] || in[2]
                            : kind == DR_SHAPE_INTERSECTION ? in[0] && in[1] && in[2]
                                                            : in[0] && !in[1] && !in[2];
            assert_int_equal(dr_shape_distance(shape, x, NULL) < 0.0, expected);
        }
        check_slope(shape, 9, 3.0);
        check_gradient(shape, 10, 3.0, 1e-5);
        dr_shape_destroy(shape);
    }
    for (int i = 0; i < 3; i++) dr_shape_destroy(single[i]);
}

static void test_inside_out_turns_distance_and_normal(void **state)
{
    (void)state;
    dr_shape_spec inner = tilted(DR_SHAPE_CYLINDER), spec = solid(DR_SHAPE_INSIDE_OUT);
    spec.of = (dr_shape_list){&inner, 1};
    dr_shape *plain = compile(NULL, &inner), *turned = compile(NULL, &spec);
    for (uint64_t i = 0; i < 200; i++) {
        double x[3], a[3], b[3];
        random_point(x, 4, i, 3.0);
        check_near(dr_shape_distance(turned, x, b), -dr_shape_distance(plain, x, a), 0.0);
        for (int j = 0; j < 3; j++) check_near(b[j], -a[j], 0.0);
    }
    assert_true(isinf(dr_shape_bounds(turned).max[0]));
    dr_shape_destroy(plain);
    dr_shape_destroy(turned);
}

// What is said to be convex lies below its chords, what is concave above them.
static void check_bend(const dr_shape *shape, dr_shape_bend expected)
{
    dr_shape_bend bend = dr_shape_bends(shape);
    assert_int_equal(bend, expected);
    for (uint64_t i = 0; i < 500 && bend != DR_SHAPE_ANY; i++) {
        double x[3], y[3], middle[3];
        random_point(x, 11, i, 3.0);
        random_point(y, 12, i, 3.0);
        for (int a = 0; a < 3; a++) middle[a] = 0.5 * (x[a] + y[a]);
        double chord = 0.5 * (dr_shape_distance(shape, x, NULL) + dr_shape_distance(shape, y, NULL));
        double above = chord - dr_shape_distance(shape, middle, NULL);
        assert_true((bend == DR_SHAPE_CONVEX ? above : -above) > -1e-12);
    }
}

static void test_convex_and_concave_distances_are_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < SIMPLE; i++) {
        dr_shape_spec one = tilted(simple[i]), around = solid(DR_SHAPE_INSIDE_OUT);
        around.of = (dr_shape_list){&one, 1};
        dr_shape *plain = compile(NULL, &one), *turned = compile(NULL, &around);
        bool torus = simple[i] == DR_SHAPE_TORUS;
        check_bend(plain, torus ? DR_SHAPE_ANY : DR_SHAPE_CONVEX);
        check_bend(turned, torus ? DR_SHAPE_ANY : DR_SHAPE_CONCAVE);
        dr_shape_destroy(plain);
        dr_shape_destroy(turned);
    }
    dr_shape_spec two[2] = {tilted(DR_SHAPE_BOX), tilted(DR_SHAPE_CYLINDER)};
    dr_shape_spec both = solid(DR_SHAPE_INTERSECTION), either = solid(DR_SHAPE_UNION);
    both.of = either.of = (dr_shape_list){two, 2};
    dr_shape *common = compile(NULL, &both), *joined = compile(NULL, &either);
    check_bend(common, DR_SHAPE_CONVEX);
    check_bend(joined, DR_SHAPE_ANY);
    dr_shape_destroy(common);
    dr_shape_destroy(joined);
}

// Every solid point lies in the box, and the box is no larger than sampling says (to the sampling's accuracy).
static void test_bounds_hold_the_solid_tightly(void **state)
{
    (void)state;
    for (size_t k = 0; k < SIMPLE; k++) {
        if (simple[k] == DR_SHAPE_HALF_SPACE) continue;
        dr_shape_spec spec = solid(simple[k]);
        dr_vec3_set(spec.center, 0.1, 0.2, 0.3);
        dr_shape *shape = compile(NULL, &spec);
        dr_box box = dr_shape_bounds(shape);
        double low[3] = {9, 9, 9}, high[3] = {-9, -9, -9};
        for (uint64_t i = 0; i < 40000; i++) {
            double x[3];
            random_point(x, 8, i, 2.6);
            if (dr_shape_distance(shape, x, NULL) > 0.0) continue;
            check_near(dr_box_distance(&box, x), 0.0, 0.0);
            for (int j = 0; j < 3; j++) {
                low[j] = fmin(low[j], x[j]);
                high[j] = fmax(high[j], x[j]);
            }
        }
        check_vector_near(box.min, low, 0.2);
        check_vector_near(box.max, high, 0.2);
        dr_shape_destroy(shape);
    }
}

static void test_a_turned_half_space_stays_bounded_where_it_can(void **state)
{
    (void)state;
    dr_shape_spec ground = solid(DR_SHAPE_HALF_SPACE), ball = solid(DR_SHAPE_SPHERE),
                  spec = solid(DR_SHAPE_INTERSECTION);
    ground.translate[1] = 0.25;
    dr_shape_spec parts[2] = {ground, ball};
    spec.of = (dr_shape_list){parts, 2};
    dr_shape *shape = compile(NULL, &spec);
    dr_box box = dr_shape_bounds(shape);
    check_vector_near(box.max, ((double[3]){1, 0.25, 1}), 1e-15);
    check_vector_near(box.min, ((double[3]){-1, -1, -1}), 1e-15);
    dr_shape_destroy(shape);
}

static void test_regions_are_found_and_cycles_refused(void **state)
{
    (void)state;
    dr_region_spec regions[2] = {{.name = "ball", .shape = solid(DR_SHAPE_SPHERE)},
                                 {.name = "loop", .shape = solid(DR_SHAPE_REGION)}};
    regions[1].shape.region = "loop";
    dr_scene scene = {.name = "test"};
    scene.spec.regions = (dr_region_list){regions, 2};
    dr_shape_spec spec = solid(DR_SHAPE_REGION);
    spec.region = "ball";
    spec.translate[0] = 2.0;
    dr_shape *shape = compile(&scene, &spec);
    check_near(at(shape, 2, 0, 0), -1.0, 1e-15);
    dr_shape_destroy(shape);

    dr_error error = {0};
    spec.region = "loop";
    assert_int_equal(dr_shape_create(&scene, &spec, NULL, &shape, &error), DR_STATUS_BAD_SCENE);
    assert_null(shape);
    spec.region = "nowhere";
    assert_int_equal(dr_shape_create(&scene, &spec, NULL, &shape, &error), DR_STATUS_BAD_SCENE);
    assert_non_null(strstr(error.text, "nowhere"));
}

static void refuse(const dr_shape_spec *spec, const char *word)
{
    dr_scene scene = {.name = "test"};
    dr_error error = {0};
    dr_shape *shape;
    assert_int_equal(dr_shape_create(&scene, spec, NULL, &shape, &error), DR_STATUS_BAD_SCENE);
    assert_null(shape);
    if (!strstr(error.text, word)) fail_msg("\"%s\" does not speak of %s", error.text, word);
}

static void test_nonsense_is_refused(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_NONE);
    refuse(&spec, "type");
    spec = solid(DR_SHAPE_SPHERE);
    spec.scale = 0.0;
    refuse(&spec, "scale");
    spec = solid(DR_SHAPE_BOX);
    spec.rounding = 0.6;
    refuse(&spec, "rounding");
    spec = solid(DR_SHAPE_HALF_SPACE);
    spec.normal[1] = 0.0;
    refuse(&spec, "normal");
    spec = solid(DR_SHAPE_UNION);
    refuse(&spec, "of");
    spec = solid(DR_SHAPE_MESH);
    spec.file = "missing.obj";
    refuse(&spec, "missing.obj");
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    test_mesh ball = ball_mesh(6);
    dr_scene scene;
    dr_mesh_asset asset;
    scene_with_mesh(&scene, &asset, &ball);
    dr_shape_spec parts[2] = {solid(DR_SHAPE_MESH), solid(DR_SHAPE_MESH)}, spec = solid(DR_SHAPE_UNION);
    parts[0].file = parts[1].file = "mesh.obj";
    spec.of = (dr_shape_list){parts, 2};
    dr_status status = DR_STATUS_NO_MEMORY;
    long tries = 0;
    while (status != DR_STATUS_OK) {
        scarce scarce;
        dr_error error = {0};
        dr_shape *shape;
        scarce_open(&scarce, ++tries);
        status = dr_shape_create(&scene, &spec, &scarce.allocator, &shape, &error);
        if (status) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        dr_shape_destroy(shape);
        assert_int_equal(scarce.out, 0);
    }
    assert_true(tries > 10);
    release_mesh(&ball);
}

// Beyond the bound only the side is told, and that it is beyond.
static void check_within(const dr_shape *shape)
{
    size_t near = 0, far = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        double x[3];
        random_point(x, 77, i, 2.5);
        double distance = dr_shape_distance(shape, x, NULL), within = dr_shape_distance_within(shape, x, 0.3);
        if (fabs(distance) < 0.3) {
            check_near(within, distance, 1e-12);
            near++;
        } else {
            assert_true(distance > 0.0 ? within >= 0.3 - 1e-12 : within <= -0.3 + 1e-12);
            far++;
        }
    }
    assert_true(near > 100 && far > 100);
}

static void test_a_bounded_distance_is_exact_within_its_bound(void **state)
{
    (void)state;
    static const dr_shape_kind kinds[] = {DR_SHAPE_UNION, DR_SHAPE_INTERSECTION, DR_SHAPE_DIFFERENCE,
                                          DR_SHAPE_INSIDE_OUT};
    dr_scene scene;
    dr_mesh_asset asset;
    test_mesh mesh = ball_mesh(12);
    scene_with_mesh(&scene, &asset, &mesh);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        dr_error error = {0};
        dr_shape *shape;
        dr_shape_spec parts[3] = {solid(DR_SHAPE_MESH), solid(DR_SHAPE_BOX), solid(DR_SHAPE_MESH)};
        dr_shape_spec whole = solid(kinds[k]);
        parts[0].file = parts[2].file = "mesh.obj";
        parts[2].shell = 0.2;
        dr_vec3_set(parts[2].translate, 0.5, 0.2, 0.0);
        parts[0].scale = 1.3;
        whole.scale = 0.9;
        dr_vec3_set(whole.rotate, 0.3, 0.1, 0.7);
        whole.of = (dr_shape_list){parts, kinds[k] == DR_SHAPE_INSIDE_OUT     ? 1
                                          : kinds[k] == DR_SHAPE_INTERSECTION ? 2
                                                                              : 3};
        if (dr_shape_create(&scene, &whole, NULL, &shape, &error)) fail_msg("%s", error.text);
        check_within(shape);
        dr_shape_destroy(shape);
    }
    release_mesh(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_distances),
        cmocka_unit_test(test_rotations_go_x_then_y_then_z),
        cmocka_unit_test(test_normals_are_gradients),
        cmocka_unit_test(test_simple_solids_are_exact),
        cmocka_unit_test(test_combinations_hold_what_they_should),
        cmocka_unit_test(test_inside_out_turns_distance_and_normal),
        cmocka_unit_test(test_convex_and_concave_distances_are_known),
        cmocka_unit_test(test_bounds_hold_the_solid_tightly),
        cmocka_unit_test(test_a_turned_half_space_stays_bounded_where_it_can),
        cmocka_unit_test(test_regions_are_found_and_cycles_refused),
        cmocka_unit_test(test_nonsense_is_refused),
        cmocka_unit_test(test_every_failing_allocation_is_clean),
        cmocka_unit_test(test_a_bounded_distance_is_exact_within_its_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
