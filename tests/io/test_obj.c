// OBJ text: what is read, what is passed over, what is refused and where.
#include "io/obj.h"
#include "io/reading.h"

#include <math.h>

static void test_triangles_quads_and_all_forms_of_corners(void **state)
{
    (void)state;
    const char *text = "# a comment\r\nmtllib x.mtl\no thing\ng\nv 0 0 0\nv 1 0 0 1.0\nv 1.0e0 1 -0\n"
                       "vn 0 0 1\nvt 0 0\nv 0 1 .5 0.1 0.2 0.3\ns off\nusemtl red\nf 1 2 3\nf 1/1 2/1 3/1 4/1\n"
                       "f 1//1 2//1 \\\n 3//1\nf -4/1/1 -3/1/1 -2/1/1\nl 1 2 3\n";
    opened(text);
    dr_mesh_asset mesh = {0};
    expect_ok(dr_obj_parse(text, strlen(text), "a.obj", &arena, &mesh, &error));
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.triangle_count, 5);
    check_near(mesh.vertices[3 * 3 + 2], 0.5, 0.0);
    static const uint32_t expected[] = {0, 1, 2, 0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 1, 2};
    assert_memory_equal(mesh.triangles, expected, sizeof expected);
    assert_int_equal(mesh.flat_count, 0);
    dr_arena_close(&arena);
}

static void test_flat_triangles_are_left_out_and_counted(void **state)
{
    (void)state;
    const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\nf 1 1 3\n";
    opened(text);
    dr_mesh_asset mesh = {0};
    expect_ok(dr_obj_parse(text, strlen(text), "a.obj", &arena, &mesh, &error));
    assert_int_equal(mesh.triangle_count, 1);
    assert_int_equal(mesh.flat_count, 2);
    dr_arena_close(&arena);
}

// Also of polygons, where triangles are left out, and by numbers from the end.
static void test_texture_coordinates_and_groups_stay_with_their_triangles(void **state)
{
    (void)state;
    const char *text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\ng left  right\nvt 0.5\nvt 0 1 0\nf 1/1 1/1 2/2\n"
                       "f 1/-2/7 2/3 3/2 4/9\nvt 7 8\ng waist\nf 2 3 4\n";
    opened(text);
    dr_mesh_asset mesh = {0};
    expect_ok(dr_obj_parse(text, strlen(text), "a.obj", &arena, &mesh, &error));
    static const double expected[2][3][2] = {{{0.5, 0}, {7, 8}, {0, 1}}, {{0.5, 0}, {0, 1}, {NAN, NAN}}};
    assert_int_equal(mesh.triangle_count, 4);
    for (size_t i = 0; i < 24; i++) {
        double value = mesh.texture[i], due = i < 6 || i >= 18 ? (double)NAN : expected[i / 6 - 1][i % 6 / 2][i % 2];
        assert_true(isnan(due) ? isnan(value) : value == due);
    }
    assert_int_equal(mesh.group_count, 2);
    assert_string_equal(mesh.groups[0], "left right");
    static const uint32_t group[] = {DR_NO_GROUP, 0, 0, 1};
    assert_memory_equal(mesh.group, group, sizeof group);
    dr_arena_close(&arena);
}

static void refuse(const char *text, const char *place, const char *word)
{
    opened(text);
    dr_mesh_asset mesh = {0};
    dr_status status = dr_obj_parse(text, strlen(text), "a.obj", &arena, &mesh, &error);
    expect_refused(status, &error, place, word);
    dr_arena_close(&arena);
}

static void test_mistakes_are_named_with_line_and_column(void **state)
{
    (void)state;
    refuse("v 0 0\n", "a.obj:1:", "three coordinates");
    refuse("v 0 0 0\nv 0 x 0\n", "a.obj:2:5:", "\"x\"");
    refuse("v 0 0 0\nvt 0 x\nf 1 1 1\n", "a.obj:2:6:", "\"x\"");
    refuse("v 0 0 nan\n", "a.obj:1:7:", "nan");
    refuse("v 0 0 1e999\n", "a.obj:1:7:", "1e999");
    refuse("v 0 0 inf\n", "a.obj:1:7:", "inf");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "a.obj:4:7:", "does not exist");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "a.obj:4:3:", "does not exist");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -4 1 2\n", "a.obj:4:3:", "does not exist");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "a.obj:4:7:", "not a corner");
    refuse("v 0 0 0\nv 1 0 0\nf 1 2\n", "a.obj:3:", "three corners");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3x\n", "a.obj:4:7:", "corner");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3/a\n", "a.obj:4:7:", "corner");
}

static void test_meshes_without_triangles_are_refused(void **state)
{
    (void)state;
    refuse("", "a.obj:", "no faces");
    refuse("v 0 0 0\n", "a.obj:", "no faces");
    refuse("v 0 0 0\nv 1 0 0\nl 1 2\n", "a.obj:", "curves");
    refuse("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "a.obj:", "area");
}

static void test_numbers_are_rounded_correctly(void **state)
{
    (void)state;
    const char *text =
        "v 0.1 -123456789.123456789 3.14159265358979323846\nv 1e-5 .5 5.\nv +7 1E3 -0.0000001234567890123\n";
    opened(text);
    double *vertices;
    size_t count;
    expect_ok(dr_obj_parse_vertices(text, strlen(text), "a.obj", &arena, &vertices, &count, &error));
    const double expected[] = {0.1, -123456789.123456789,  3.14159265358979323846, 1e-5, .5, 5., 7,
                               1e3, -0.0000001234567890123};
    assert_int_equal(count, 3);
    assert_memory_equal(vertices, expected, sizeof expected);
    dr_arena_close(&arena);
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 1 1\ng a b\nf 1/1 2/1 3/1\n";
    long tries = 0;
    dr_status status;
    do {
        scarce scarce;
        dr_arena arena;
        dr_error error = {0};
        dr_mesh_asset mesh = {0};
        scarce_open(&scarce, ++tries);
        dr_arena_open(&arena, &scarce.allocator);
        status = dr_obj_parse(text, strlen(text), "a.obj", &arena, &mesh, &error);
        if (status) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        dr_arena_close(&arena);
        assert_int_equal(scarce.out, 0);
    } while (status);
    assert_true(tries > 1);
}

// Meshes made by other programs, where they are at hand.
static void test_real_files_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        size_t vertices, triangles;
    } files[] = {{"bowl.obj", 4962, 9920},
                 {"spot_triangulated.obj", 2930, 5856},
                 {"spot_triangulated_large.obj", 17570, 35136},
                 {"streambox.obj", 1856, 3716}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t bytes;
        char *text = shared_asset(files[i].file, &bytes);
        if (!text) skip();
        opened(text);
        dr_mesh_asset mesh = {0};
        expect_ok(dr_obj_parse(text, bytes, files[i].file, &arena, &mesh, &error));
        assert_int_equal(mesh.vertex_count, files[i].vertices);
        assert_int_equal(mesh.triangle_count + mesh.flat_count, files[i].triangles);
        dr_arena_close(&arena);
        free(text);
    }
}

static void test_a_real_file_of_curves_is_refused(void **state)
{
    (void)state;
    size_t bytes;
    char *text = shared_asset("hairbundle.obj", &bytes);
    if (!text) skip();
    opened(text);
    dr_mesh_asset mesh = {0};
    dr_status status = dr_obj_parse(text, bytes, "hair.obj", &arena, &mesh, &error);
    expect_refused(status, &error, "hair.obj", "1096 lines");
    dr_arena_close(&arena);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangles_quads_and_all_forms_of_corners),
        cmocka_unit_test(test_flat_triangles_are_left_out_and_counted),
        cmocka_unit_test(test_texture_coordinates_and_groups_stay_with_their_triangles),
        cmocka_unit_test(test_mistakes_are_named_with_line_and_column),
        cmocka_unit_test(test_meshes_without_triangles_are_refused),
        cmocka_unit_test(test_numbers_are_rounded_correctly),
        cmocka_unit_test(test_every_failing_allocation_is_clean),
        cmocka_unit_test(test_real_files_are_read),
        cmocka_unit_test(test_a_real_file_of_curves_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
