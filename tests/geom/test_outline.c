// Outlines of shapes: closed, turned outwards, on the surface, and as large as it.
#include "geom/outline.h"

#include "geom/solids.h"
#include "support/scarce.h"

static const dr_box reach = {{-5, -5, -5}, {5, 5, 5}};

static dr_outline draw(const dr_shape_spec *spec, dr_shape **shape)
{
    static dr_scene empty = {.name = "test"};
    dr_error error = {0};
    dr_outline outline;
    if (dr_shape_create(&empty, spec, NULL, shape, &error)) fail_msg("%s", error.text);
    if (dr_outline_build(*shape, &reach, NULL, &outline, &error)) fail_msg("%s", error.text);
    return outline;
}

// The volume that the triangles enclose: positive where they turn outwards.
static double enclosed(const dr_outline *outline)
{
    double six = 0.0;
    for (size_t t = 0; t < outline->triangle_count; t++) {
        const uint32_t *c = outline->triangles + 3 * t;
        double cross[3];
        dr_vec3_cross(cross, outline->vertices + 3 * (size_t)c[1], outline->vertices + 3 * (size_t)c[2]);
        six += dr_vec3_dot(outline->vertices + 3 * (size_t)c[0], cross);
    }
    return six / 6.0;
}

static double farthest(const dr_outline *outline, const dr_shape *shape)
{
    double most = 0.0;
    for (size_t v = 0; v < outline->vertex_count; v++)
        most = fmax(most, fabs(dr_shape_distance(shape, outline->vertices + 3 * v, NULL)));
    return most;
}

static dr_shape_spec tilted(dr_shape_kind kind)
{
    dr_shape_spec spec = solid(kind);
    spec.center[1] = 0.2;
    spec.scale = 1.3;
    dr_vec3_set(spec.rotate, 0.4, -0.7, 1.1);
    dr_vec3_set(spec.translate, 0.3, -0.1, 0.25);
    return spec;
}

static void check_solid(const dr_shape_spec *spec, double volume, double share)
{
    dr_shape *shape;
    dr_outline outline = draw(spec, &shape);
    check_near(enclosed(&outline), volume, share * fabs(volume));
    assert_true(farthest(&outline, shape) < 1e-12);
    dr_outline_free(&outline);
    dr_shape_destroy(shape);
}

static void test_simple_solids_enclose_their_volume(void **state)
{
    (void)state;
    double pi = 3.14159265358979323846, cube = 1.3 * 1.3 * 1.3;
    struct {
        dr_shape_kind kind;
        double volume;
    } solids[] = {{DR_SHAPE_SPHERE, 4.0 / 3.0 * pi},
                  {DR_SHAPE_BOX, 6.0},
                  {DR_SHAPE_CAPSULE, 2.0 * pi + 4.0 / 3.0 * pi},
                  {DR_SHAPE_CYLINDER, 2.0 * pi},
                  {DR_SHAPE_TORUS, 2.0 * pi * pi * 0.09}};
    for (size_t i = 0; i < sizeof solids / sizeof *solids; i++) {
        dr_shape_spec spec = tilted(solids[i].kind);
        check_solid(&spec, cube * solids[i].volume, 0.005);
    }
}

static void test_rounded_boxes_are_on_their_surface(void **state)
{
    (void)state;
    dr_shape_spec spec = tilted(DR_SHAPE_BOX);
    spec.rounding = 0.3;
    dr_shape *shape;
    dr_outline outline = draw(&spec, &shape);
    assert_true(farthest(&outline, shape) < 1e-12);
    assert_true(enclosed(&outline) > 0.8 * 6.0 * 1.3 * 1.3 * 1.3);
    dr_outline_free(&outline);
    dr_shape_destroy(shape);
}

static void test_inside_out_turns_towards_the_free_space(void **state)
{
    (void)state;
    dr_shape_spec ball = tilted(DR_SHAPE_SPHERE), spec = solid(DR_SHAPE_INSIDE_OUT);
    spec.of = (dr_shape_list){&ball, 1};
    check_solid(&spec, -1.3 * 1.3 * 1.3 * 4.0 / 3.0 * 3.14159265358979323846, 0.005);
}

static void test_a_half_space_is_a_square_on_its_surface(void **state)
{
    (void)state;
    dr_shape_spec spec = solid(DR_SHAPE_HALF_SPACE);
    dr_vec3_set(spec.normal, 0.2, 1.0, -0.3);
    dr_vec3_set(spec.point, 0.0, 0.5, 0.0);
    dr_shape *shape;
    dr_outline outline = draw(&spec, &shape);
    assert_int_equal(outline.triangle_count, 2);
    assert_true(farthest(&outline, shape) < 1e-12);
    double a[3], b[3], normal[3];
    dr_vec3_sub(a, outline.vertices + 3, outline.vertices);
    dr_vec3_sub(b, outline.vertices + 6, outline.vertices);
    dr_vec3_cross(normal, a, b);
    assert_true(dr_vec3_dot(normal, spec.normal) > 0.0);
    dr_outline_free(&outline);
    dr_shape_destroy(shape);
}

// A cup: what is cut out by a lattice has sharp rims and the right volume.
static dr_shape_spec cup(dr_shape_spec parts[2])
{
    parts[0] = solid(DR_SHAPE_CYLINDER);
    parts[1] = solid(DR_SHAPE_CYLINDER);
    parts[1].radius = 0.8;
    parts[1].center[1] = 0.2;
    dr_shape_spec spec = solid(DR_SHAPE_DIFFERENCE);
    spec.of = (dr_shape_list){parts, 2};
    dr_vec3_set(spec.rotate, 0.3, 0.2, 0.1);
    return spec;
}

static void test_a_difference_is_found_on_a_lattice(void **state)
{
    (void)state;
    dr_shape_spec parts[2], spec = cup(parts);
    dr_shape *shape;
    dr_outline outline = draw(&spec, &shape);
    double volume = 3.14159265358979323846 * (2.0 - 0.64 * 1.8);
    check_near(enclosed(&outline), volume, 0.01 * volume);
    assert_true(farthest(&outline, shape) < 0.01); // half a cell of the lattice
    dr_outline_free(&outline);
    dr_shape_destroy(shape);
}

static void test_every_edge_of_a_difference_has_two_sides(void **state)
{
    (void)state;
    dr_shape_spec parts[2], spec = cup(parts);
    dr_shape *shape;
    dr_outline outline = draw(&spec, &shape);
    int64_t sum = 0, mixed = 0; // the same number of half edges either way: sums of their keys agree
    for (size_t t = 0; t < outline.triangle_count; t++) {
        for (size_t k = 0; k < 3; k++) {
            uint64_t a = outline.triangles[3 * t + k], b = outline.triangles[3 * t + (k + 1) % 3];
            uint64_t key = dr_random_bits(a < b ? a : b, a < b ? b : a) >> 24;
            sum += a < b ? (int64_t)key : -(int64_t)key;
            mixed += (int64_t)(key & 1);
        }
    }
    assert_int_equal(sum, 0);
    assert_true(mixed > 0);
    dr_outline_free(&outline);
    dr_shape_destroy(shape);
}

static void test_memory_that_runs_out_leaves_nothing(void **state)
{
    (void)state;
    static dr_scene empty = {.name = "test"};
    dr_shape_spec parts[2], spec = cup(parts);
    dr_shape *shape;
    assert_int_equal(dr_shape_create(&empty, &spec, NULL, &shape, NULL), DR_STATUS_OK);
    scarce memory;
    dr_status status = DR_STATUS_NO_MEMORY;
    for (long fails_at = 1; status; fails_at++) {
        dr_outline outline;
        scarce_open(&memory, fails_at);
        status = dr_outline_build(shape, &reach, &memory.allocator, &outline, NULL);
        assert_true(status == DR_STATUS_OK || status == DR_STATUS_NO_MEMORY);
        if (!status) dr_outline_free(&outline);
        assert_int_equal(memory.out, 0);
    }
    dr_shape_destroy(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple_solids_enclose_their_volume),
        cmocka_unit_test(test_rounded_boxes_are_on_their_surface),
        cmocka_unit_test(test_inside_out_turns_towards_the_free_space),
        cmocka_unit_test(test_a_half_space_is_a_square_on_its_surface),
        cmocka_unit_test(test_a_difference_is_found_on_a_lattice),
        cmocka_unit_test(test_every_edge_of_a_difference_has_two_sides),
        cmocka_unit_test(test_memory_that_runs_out_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
