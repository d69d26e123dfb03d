// Curves from .hair, .bcc, OBJ and PLY: what is read, what is refused and where.
#define _POSIX_C_SOURCE 200809L
#include "io/assets.h"
#include "io/curves.h"
#include "io/obj.h"
#include "io/ply.h"
#include "io/reading.h"

#include <unistd.h>

typedef struct file {
    char *data;
    size_t bytes;
} file;

static file read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    file file = {malloc(4096), 0};
    file.bytes = fread(file.data, 1, 4096, in);
    fclose(in);
    return file;
}

static void put(file *file, size_t offset, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) file->data[offset + i] = (char)(value >> 8 * i & 255);
}

static void put_float(file *file, size_t offset, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(file, offset, bits, 4);
}

static void refuse(const file *file, size_t bytes, const char *name, const char *place, const char *word)
{
    opened(file->data);
    dr_curve_asset curves = {0};
    char *exact = malloc(bytes ? bytes : 1); // so that a sanitizer sees a step beyond
    memcpy(exact, file->data, bytes);
    expect_refused(dr_curves_parse(exact, bytes, name, &arena, &curves, &error), &error, place, word);
    dr_arena_close(&arena);
    free(exact);
}

static void refuse_text(const char *text, const char *name, const char *place, const char *word)
{
    file file = {(char *)(uintptr_t)text, strlen(text)};
    refuse(&file, file.bytes, name, place, word);
}

#define HAIR "tests/fuzz/corpus/hair/all.hair"
#define BCC  "tests/fuzz/corpus/bcc/small.bcc"

static void test_hair_is_read_with_thickness_and_colours(void **state)
{
    (void)state;
    file file = read_file(HAIR);
    opened(file.data);
    dr_curve_asset curves = {0};
    expect_ok(dr_curves_parse(file.data, file.bytes, "a.hair", &arena, &curves, &error));
    assert_int_equal(curves.curve_count, 2);
    assert_int_equal(curves.point_count, 5);
    assert_int_equal(curves.first[1], 3);
    assert_int_equal(curves.first[2], 5);
    for (size_t i = 0; i < 15; i++) check_near(curves.points[i], 0.25 * (double)i, 0.0);
    for (size_t i = 0; i < 5; i++) check_near(curves.radius[i], 0.005 * (double)(i + 1), 1e-9);
    check_near((double)curves.color[4], 0.4, 1e-7);
    check_near(curves.usual_radius, 0.01, 1e-9);
    assert_int_equal(curves.up, -1);
    assert_null(curves.closed);
    dr_arena_close(&arena);
    free(file.data);
}

static void test_hair_of_points_alone_is_read(void **state)
{
    (void)state;
    file file = read_file("tests/fuzz/corpus/hair/least.hair");
    opened(file.data);
    dr_curve_asset curves = {0};
    expect_ok(dr_curves_parse(file.data, file.bytes, "a.hair", &arena, &curves, &error));
    assert_int_equal(curves.curve_count, 2);
    assert_int_equal(curves.first[1], 4);
    assert_int_equal(curves.first[2], 8);
    assert_null(curves.radius);
    assert_null(curves.color);
    dr_arena_close(&arena);
    free(file.data);
}

static void test_mistakes_in_hair_are_named(void **state)
{
    (void)state;
    file file = read_file(HAIR);
    for (size_t bytes = 0; bytes < file.bytes; bytes++)
        refuse(&file, bytes, "a.hair", "a.hair: byte ", bytes < 128 ? "does not begin" : "ends too early");
    put(&file, 4, 0xffffffff, 4);
    refuse(&file, file.bytes, "a.hair", "a.hair: byte ", "ends too early");
    put(&file, 4, 2, 4);
    put(&file, 8, 0x7fffffff, 4);
    refuse(&file, file.bytes, "a.hair", "a.hair: byte ", "ends too early");
    put(&file, 8, 4, 4);
    refuse(&file, file.bytes, "a.hair", "a.hair: strand 1", "beyond");
    put(&file, 8, 5, 4);
    put(&file, 128, 0, 2);
    refuse(&file, file.bytes, "a.hair", "a.hair: strand 0", "single point");
    put(&file, 128, 1, 2);
    refuse(&file, file.bytes, "a.hair", "a.hair: ", "the strands have 4 points, the header says 5");
    put(&file, 128, 2, 2);
    put_float(&file, 132 + 8, NAN);
    refuse(&file, file.bytes, "a.hair", "a.hair: byte 140:", "not finite");
    put_float(&file, 132 + 8, 0.0f);
    put_float(&file, 132 + 60, -1.0f);
    refuse(&file, file.bytes, "a.hair", "a.hair: byte 192:", "below zero");
    put(&file, 12, 1, 4);
    refuse(&file, file.bytes, "a.hair", "a.hair: byte 4:", "no points");
    free(file.data);
}

static void test_yarns_are_read_open_and_closed(void **state)
{
    (void)state;
    file file = read_file(BCC);
    opened(file.data);
    dr_curve_asset curves = {0};
    expect_ok(dr_curves_parse(file.data, file.bytes, "a.bcc", &arena, &curves, &error));
    assert_int_equal(curves.curve_count, 3);
    assert_int_equal(curves.point_count, 8);
    assert_int_equal(curves.first[1], 3);
    assert_int_equal(curves.first[2], 6);
    static const uint8_t closed[] = {0, 1, 0};
    assert_memory_equal(curves.closed, closed, 3);
    check_near(curves.points[3 * 5 + 2], 0.5, 0.0);
    assert_int_equal(curves.up, 2);
    assert_null(curves.radius);
    dr_arena_close(&arena);
    free(file.data);
}

static void test_mistakes_in_yarns_are_named(void **state)
{
    (void)state;
    file file = read_file(BCC);
    for (size_t bytes = 0; bytes < file.bytes; bytes++)
        refuse(&file, bytes, "a.bcc", "a.bcc: byte ", bytes < 64 ? "does not begin" : "ends too early");
    put(&file, 8, UINT64_MAX, 8);
    refuse(&file, file.bytes, "a.bcc", "a.bcc: byte ", "ends too early");
    put(&file, 8, 3, 8);
    put(&file, 16, UINT64_MAX / 12 + 2, 8);
    refuse(&file, file.bytes, "a.bcc", "a.bcc: byte ", "ends too early");
    put(&file, 16, 7, 8);
    refuse(&file, file.bytes, "a.bcc", "a.bcc: byte ", "beyond the 7 points");
    put(&file, 16, 8, 8);
    put(&file, 64, 0x80000000, 4);
    refuse(&file, file.bytes, "a.bcc", "a.bcc: byte 64:", "beyond");
    put(&file, 64, 1, 4);
    refuse(&file, file.bytes, "a.bcc", "a.bcc: byte 64:", "too few points: 1");
    put(&file, 64, 3, 4);
    put_float(&file, 68, INFINITY);
    refuse(&file, file.bytes, "a.bcc", "a.bcc: byte 68:", "not finite");
    file.data[6] = 2;
    refuse(&file, file.bytes, "a.bcc", "a.bcc: byte 6:", "2 dimensions");
    file.data[4] = 'B';
    refuse(&file, file.bytes, "a.bcc", "a.bcc: byte 4:", "Catmull-Rom");
    put(&file, 3, 0x88, 1);
    refuse(&file, file.bytes, "a.bcc", "a.bcc: byte 3:", "0x88");
    free(file.data);
}

static void test_lines_of_an_obj_are_curves(void **state)
{
    (void)state;
    file file = read_file("tests/fuzz/corpus/obj/lines.obj");
    opened(file.data);
    dr_curve_asset curves = {0};
    expect_ok(dr_curves_parse(file.data, file.bytes, "a.obj", &arena, &curves, &error));
    static const uint32_t first[] = {0, 3, 6,
                                     8}; // two edges that meet are one line; three points are one by themselves
    static const double x[] = {0, 1, 2, 2, 0, 1, 0, 1};
    assert_int_equal(curves.curve_count, 3);
    assert_memory_equal(curves.first, first, sizeof first);
    for (size_t i = 0; i < 8; i++) check_near(curves.points[3 * i], x[i], 0.0);
    dr_arena_close(&arena);
    free(file.data);
    refuse_text("v 0 0 0\nv 1 0 0\nl 1\n", "a.obj", "a.obj:3:", "at least two points");
    refuse_text("v 0 0 0\nv 1 0 0\nl 1 3\n", "a.obj", "a.obj:3:5:", "does not exist");
    refuse_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "a.obj", "a.obj:", "a mesh, not curves");
    refuse_text("v 0 0 0\n", "a.obj", "a.obj:", "no lines");
}

static void test_edges_and_strands_of_a_ply_are_curves(void **state)
{
    (void)state;
    static const char *const names[] = {"tests/fuzz/corpus/ply/edges.ply", "tests/fuzz/corpus/ply/strands.ply"};
    static const uint32_t firsts[2][3] = {{0, 3, 5}, {0, 2, 5}};
    for (int i = 0; i < 2; i++) {
        file file = read_file(names[i]);
        opened(file.data);
        dr_curve_asset curves = {0};
        expect_ok(dr_curves_parse(file.data, file.bytes, "a.ply", &arena, &curves, &error));
        assert_int_equal(curves.curve_count, 2);
        assert_memory_equal(curves.first, firsts[i], sizeof firsts[i]);
        check_near(curves.points[3 * 4 + 1], 1.0, 0.0);
        check_near(curves.radius[2], 0.05, 1e-9);
        if (i == 0) check_near((double)curves.color[3 * 3 + 2], 0.2, 1e-6);
        assert_true((i == 0) == (curves.color != NULL));
        dr_arena_close(&arena);
        free(file.data);
    }
#define HEAD "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
    refuse_text(HEAD "end_header\n0 0 0\n1 0 0\n", "a.ply", "a.ply:", "no edges");
    refuse_text(HEAD "element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n0 0 0\n1 0 0\n0 2\n",
                "a.ply", "a.ply:13:", "does not exist");
    refuse_text(HEAD "element edge 1\nproperty int vertex1\nend_header\n0 0 0\n1 0 0\n0\n", "a.ply",
                "a.ply:", "\"vertex2\"");
    refuse_text(HEAD "property int curve\nend_header\n0 0 0 1\n1 0 0 2\n", "a.ply", "a.ply:", "no lines");
}

static void test_real_files_of_hair_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t curves, points;
    } files[] = {{"hairbundle.obj", 1096, 44936}, {"streambox.hair.obj", 1573, 66066}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t bytes;
        char *data = shared_asset(files[i].name, &bytes);
        if (!data) skip();
        opened(data);
        dr_curve_asset curves = {0};
        expect_ok(dr_curves_parse(data, bytes, files[i].name, &arena, &curves, &error));
        assert_int_equal(curves.curve_count, files[i].curves);
        assert_int_equal(curves.point_count, files[i].points);
        dr_arena_close(&arena);
        free(data);
    }
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    static const char *const names[] = {HAIR, BCC, "tests/fuzz/corpus/obj/lines.obj", "tests/fuzz/corpus/ply/edges.ply",
                                        "tests/fuzz/corpus/ply/strands.ply"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        file file = read_file(names[i]);
        dr_status status = DR_STATUS_NO_MEMORY;
        for (long tries = 1; status == DR_STATUS_NO_MEMORY; tries++) {
            scarce scarce;
            dr_arena arena;
            dr_error error = {0};
            dr_curve_asset curves = {0};
            scarce_open(&scarce, tries);
            dr_arena_open(&arena, &scarce.allocator);
            status = dr_curves_parse(file.data, file.bytes, names[i], &arena, &curves, &error);
            dr_arena_close(&arena);
            assert_int_equal(scarce.out, 0);
            assert_true(tries > 1 || status == DR_STATUS_NO_MEMORY);
        }
        assert_int_equal(status, DR_STATUS_OK);
        free(file.data);
    }
}

// A scene finds its curves beside it, once, and a problem is told with the name the scene writes.
static void test_a_scene_loads_curves_once(void **state)
{
    (void)state;
    dr_error error = {0};
    dr_scene *scene = NULL;
    expect_ok(dr_scene_parse("domain: {cell: 0.1}\n", 20, "tests/fuzz/corpus/hair/scene.yaml", NULL, &scene, &error));
    const char *names[] = {"all.hair", "all.hair", "none.hair", "../bcc/small.bcc", "scene.yaml/x"};
    uint64_t before, after;
    assert_int_equal(dr_scene_hash(scene, &before, &error), DR_STATUS_OK);
    for (int i = 0; i < 2; i++) expect_ok(dr_assets_load_curves(scene, &names[i], &scene->spec, &error));
    assert_int_equal(scene->assets.curves_count, 1);
    assert_int_equal(dr_scene_curves(scene, "all.hair")->curve_count, 2);
    assert_int_equal(dr_scene_hash(scene, &after, &error), DR_STATUS_OK);
    assert_true(before != after);
    assert_int_equal(dr_assets_load_curves(scene, &names[2], &scene->spec, &error), DR_STATUS_BAD_SCENE);
    assert_non_null(strstr(error.text, "\"none.hair\" does not exist"));
    expect_ok(dr_assets_load_curves(scene, &names[3], &scene->spec, &error));
    assert_int_equal(scene->assets.curves_count, 2);
    dr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hair_is_read_with_thickness_and_colours),
        cmocka_unit_test(test_hair_of_points_alone_is_read),
        cmocka_unit_test(test_mistakes_in_hair_are_named),
        cmocka_unit_test(test_yarns_are_read_open_and_closed),
        cmocka_unit_test(test_mistakes_in_yarns_are_named),
        cmocka_unit_test(test_lines_of_an_obj_are_curves),
        cmocka_unit_test(test_edges_and_strands_of_a_ply_are_curves),
        cmocka_unit_test(test_real_files_of_hair_are_read),
        cmocka_unit_test(test_every_failing_allocation_is_clean),
        cmocka_unit_test(test_a_scene_loads_curves_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
