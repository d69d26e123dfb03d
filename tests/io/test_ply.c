// PLY, text and binary: the same mesh in every encoding; what is refused and where.
#include "io/ply.h"
#include "io/reading.h"

typedef struct writer {
    char data[4000];
    size_t count;
    int encoding; // 0 text, 1 little, 2 big
} writer;

static void put_text(writer *writer, const char *text)
{
    memcpy(writer->data + writer->count, text, strlen(text));
    writer->count += strlen(text);
}

static void put_bits(writer *writer, uint64_t bits, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        size_t shift = 8 * (writer->encoding == 1 ? i : bytes - 1 - i);
        writer->data[writer->count++] = (char)(bits >> shift & 255);
    }
}

static void put_integer(writer *writer, int64_t value, size_t bytes)
{
    char text[30];
    snprintf(text, sizeof text, "%lld ", (long long)value);
    if (writer->encoding == 0)
        put_text(writer, text);
    else
        put_bits(writer, (uint64_t)value, bytes);
}

static void put_real(writer *writer, double value, size_t bytes)
{
    char text[40];
    float single = (float)value;
    uint64_t bits = 0;
    uint32_t low;
    snprintf(text, sizeof text, "%.9g\n", value);
    memcpy(&bits, &value, sizeof bits);
    memcpy(&low, &single, sizeof low);
    if (writer->encoding == 0)
        put_text(writer, text);
    else
        put_bits(writer, bytes == 4 ? low : bits, bytes);
}

// A square of two triangles and one more, with extra properties, mixed types and an element to skip.
static void write_sample(writer *writer, int encoding)
{
    static const char *const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    static const double vertices[4][3] = {{0, 0, 0.5}, {1, 0, 0.5}, {1, 1, -0.25}, {0, 1, 0.5}};
    *writer = (struct writer){.encoding = encoding};
    put_text(writer, "ply\nformat ");
    put_text(writer, formats[encoding]);
    put_text(
        writer,
        " 1.0\ncomment by hand\nobj_info nothing\nelement material 2\nproperty list ushort float32 shine\n"
        "property uchar tone\nelement vertex 4\nproperty double z\nproperty short group\nproperty float y\n"
        "property float x\nelement face 2\nproperty uint8 flag\nproperty list uchar int vertex_index\nend_header\n");
    for (int i = 0; i < 2; i++) {
        put_integer(writer, i, 2);
        for (int k = 0; k < i; k++) put_real(writer, 0.125, 4);
        put_integer(writer, 200, 1);
    }
    for (int v = 0; v < 4; v++) {
        put_real(writer, vertices[v][2], 8);
        put_integer(writer, -3, 2);
        put_real(writer, vertices[v][1], 4);
        put_real(writer, vertices[v][0], 4);
    }
    put_integer(writer, 1, 1);
    put_integer(writer, 4, 1);
    for (int k = 0; k < 4; k++) put_integer(writer, k, 4);
    put_integer(writer, 1, 1);
    put_integer(writer, 3, 1);
    for (int k = 3; k > 0; k--) put_integer(writer, k, 4);
}

static void test_every_encoding_gives_the_same_mesh(void **state)
{
    (void)state;
    for (int encoding = 0; encoding < 3; encoding++) {
        writer writer;
        write_sample(&writer, encoding);
        opened(writer.data);
        dr_mesh_asset mesh = {0};
        expect_ok(dr_ply_parse(writer.data, writer.count, "a.ply", &arena, &mesh, &error));
        static const double vertices[] = {0, 0, 0.5, 1, 0, 0.5, 1, 1, -0.25, 0, 1, 0.5};
        static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 3, 2, 1};
        assert_int_equal(mesh.vertex_count, 4);
        assert_int_equal(mesh.triangle_count, 3);
        assert_memory_equal(mesh.vertices, vertices, sizeof vertices);
        assert_memory_equal(mesh.triangles, triangles, sizeof triangles);
        dr_arena_close(&arena);
    }
}

static void test_a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    for (int encoding = 0; encoding < 3; encoding++) {
        writer writer;
        write_sample(&writer, encoding);
        size_t whole = encoding == 0 ? writer.count - 2 : writer.count; // the last blank and digit of text may go
        for (size_t count = 0; count < whole; count++) {
            opened(writer.data);
            char *exact = malloc(count + 1); // so that a sanitizer sees a step beyond
            memcpy(exact, writer.data, count);
            char *cut = realloc(exact, count ? count : 1);
            dr_mesh_asset mesh = {0};
            assert_int_equal(dr_ply_parse(cut, count, "a.ply", &arena, &mesh, &error), DR_STATUS_BAD_SCENE);
            assert_true(strncmp(error.text, "a.ply:", 6) == 0);
            dr_arena_close(&arena);
            free(cut);
        }
    }
}

static void test_texture_coordinates_of_vertices_are_read(void **state)
{
    (void)state;
    const char *text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float s\nproperty float x\nproperty float y\n"
                       "property float z\nproperty float t\nelement face 1\nproperty list uchar int vertex_indices\n"
                       "end_header\n.1 0 0 0 .2\n.3 1 0 0 .4\n.5 0 1 0 .6\n3 2 0 1\n";
    opened(text);
    dr_mesh_asset mesh = {0};
    expect_ok(dr_ply_parse(text, strlen(text), "a.ply", &arena, &mesh, &error));
    static const double texture[] = {.5, .6, .1, .2, .3, .4}, vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    assert_memory_equal(mesh.texture, texture, sizeof texture);
    assert_memory_equal(mesh.vertices, vertices, sizeof vertices);
    dr_arena_close(&arena);
}

static void refuse(const char *text, const char *place, const char *word)
{
    opened(text);
    dr_mesh_asset mesh = {0};
    dr_status status = dr_ply_parse(text, strlen(text), "a.ply", &arena, &mesh, &error);
    expect_refused(status, &error, place, word);
    dr_arena_close(&arena);
}

#define HEAD   "ply\nformat ascii 1.0\n"
#define VERTEX "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define FACE   "element face 1\nproperty list uchar int vertex_indices\nend_header\n"

static void test_mistakes_are_named(void **state)
{
    (void)state;
    refuse("plx\n", "a.ply:1:", "ply");
    refuse("ply\nformat ascii 2.0\n", "a.ply:2:8:", "format");
    refuse("ply\nend_header\n", "a.ply:2:", "no format");
    refuse(HEAD "elephant\n", "a.ply:3:1:", "elephant");
    refuse(HEAD "element vertex -1\n", "a.ply:3:16:", "count");
    refuse(HEAD "property float x\n", "a.ply:3:", "before the first element");
    refuse(HEAD "element vertex 1\nproperty quaternion x\n", "a.ply:4:10:", "quaternion");
    refuse(HEAD "element face 1\nproperty list float int x\n", "a.ply:4:15:", "integers");
    refuse(HEAD VERTEX, "a.ply:", "header does not end");
    refuse(HEAD "element vertex 1\nproperty float x\nend_header\n1\n", "a.ply:", "\"y\"");
    refuse(HEAD "element vertex 99999999\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n",
           "a.ply:", "room");
    refuse(HEAD VERTEX FACE "0 0 0\n1 0 0\n0 1 x\n3 0 1 2\n", "a.ply:12:5:", "\"x\"");
    refuse(HEAD VERTEX FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "a.ply:13:7:", "does not exist");
    refuse(HEAD VERTEX FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 0.5\n", "a.ply:13:7:", "does not exist");
    refuse(HEAD VERTEX FACE "0 0 0\n1 0 0\n0 1 0\n-3 0 1 2\n", "a.ply:13:1:", "length of a list");
    refuse(HEAD VERTEX FACE "0 0 0\n1 0 0\n0 1 1e40\n3 0 1 2\n", "a.ply:12:5:", "too large");
    refuse(HEAD VERTEX "element face 0\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n",
           "a.ply:", "no faces");
    refuse(HEAD VERTEX "element face 1\nproperty uchar flag\nend_header\n0 0 0\n1 0 0\n0 1 0\n1\n",
           "a.ply:", "vertex_indices");
}

static void test_binary_numbers_must_be_finite(void **state)
{
    (void)state;
    writer writer;
    write_sample(&writer, 1);
    const char *body = strstr(writer.data, "end_header\n") + strlen("end_header\n");
    size_t offset = (size_t)(body - writer.data) + 3 + 7; // past the two materials: the first vertex's z
    memset(writer.data + offset, 0xff, 8);
    opened(writer.data);
    dr_mesh_asset mesh = {0};
    char place[40];
    snprintf(place, sizeof place, "a.ply: byte %zu:", offset);
    expect_refused(dr_ply_parse(writer.data, writer.count, "a.ply", &arena, &mesh, &error), &error, place,
                   "not finite");
    dr_arena_close(&arena);
}

static void test_a_real_file_of_points_is_refused(void **state)
{
    (void)state;
    size_t bytes;
    char *text = shared_asset("man_hair_init_700.ply", &bytes);
    if (!text) skip();
    opened(text);
    dr_mesh_asset mesh = {0};
    expect_refused(dr_ply_parse(text, bytes, "hair.ply", &arena, &mesh, &error), &error, "hair.ply", "no faces");
    dr_arena_close(&arena);
    free(text);
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    writer writer;
    write_sample(&writer, 1);
    long tries = 0;
    dr_status status;
    do {
        scarce scarce;
        dr_arena arena;
        dr_error error = {0};
        dr_mesh_asset mesh = {0};
        scarce_open(&scarce, ++tries);
        dr_arena_open(&arena, &scarce.allocator);
        status = dr_ply_parse(writer.data, writer.count, "a.ply", &arena, &mesh, &error);
        if (status) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        dr_arena_close(&arena);
        assert_int_equal(scarce.out, 0);
    } while (status);
    assert_true(tries > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texture_coordinates_of_vertices_are_read),
        cmocka_unit_test(test_every_encoding_gives_the_same_mesh),
        cmocka_unit_test(test_a_file_cut_anywhere_is_refused),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_binary_numbers_must_be_finite),
        cmocka_unit_test(test_a_real_file_of_points_is_refused),
        cmocka_unit_test(test_every_failing_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
