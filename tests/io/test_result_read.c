#define _POSIX_C_SOURCE 200809L
#include "support/check.h"
#include "support/scarce.h"

#include "base/memory.h"
#include "io/cache.h"
#include "io/h5.h"
#include "io/result.h"
#include "io/seal.h"

#include <stdlib.h>
#include <unistd.h>

static char root[64], frames[DR_FOLDER_PATH];

static int make_root(void **state)
{
    (void)state;
    if (!dr_h5_available()) return 0;
    snprintf(root, sizeof root, "/tmp/drench_read_XXXXXX");
    if (!mkdtemp(root)) return -1;
    dr_folder_join(frames, root, DR_RESULT_FRAMES);
    return dr_folder_make(frames, NULL) == DR_STATUS_OK ? 0 : -1;
}

static int drop_root(void **state)
{
    (void)state;
    if (!dr_h5_available()) return 0;
    dr_result_remove(root, NULL);
    return rmdir(frames) || rmdir(root);
}

// A made-up frame with points, curves and triangles.
static void write_frame(int number, int sample, const uint32_t *triangle)
{
    static const float places[5][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {0.1F, -0.2F, 1e-30F}, {5, 5, 5}};
    static const double film[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
    static const uint32_t first[3] = {0, 2, 5};
    static const uint32_t bodies[2] = {7, 8};
    const dr_frame_array position = {"position", "cm", DR_TYPE_FLOAT32, 3, 5, places};
    const dr_frame_array strand[] = {position, {"film_height", "cm", DR_TYPE_FLOAT64, 1, 5, film}};
    const dr_frame_array sheet[] = {position, {"body", NULL, DR_TYPE_UINT32, 1, 2, bodies}};
    const dr_frame_part parts[] = {
        {"liquid", DR_FRAME_POINTS, 5, 0, NULL, 1, &position},
        {"strands", DR_FRAME_CURVES, 5, 2, first, 2, strand},
        {"cloth", DR_FRAME_TRIANGLES, 5, 2, triangle, 2, sheet},
    };
    const dr_frame frame = {0.25, 12, number, sample, 3, parts};
    const dr_cache_stamp stamp = {1, 2, 4, true};
    assert_int_equal(dr_cache_write(root, &frame, &stamp, NULL, NULL), DR_STATUS_OK);
}

static const uint32_t good_triangles[6] = {0, 1, 2, 2, 3, 4};
static const uint32_t bad_triangles[6] = {0, 1, 2, 2, 3, 5};

static const dr_frame_part *find_part(const dr_frame *frame, const char *name)
{
    for (int i = 0; i < frame->part_count; i++) {
        if (strcmp(frame->parts[i].name, name) == 0) return &frame->parts[i];
    }
    return NULL;
}

static void test_a_frame_comes_back_as_it_was(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    dr_result *result = NULL;
    const dr_frame *frame = NULL;
    write_frame(3, 0, good_triangles);
    assert_int_equal(dr_result_open(root, NULL, &result, NULL), DR_STATUS_OK);
    assert_int_equal(dr_result_read(result, 0, &frame, NULL), DR_STATUS_OK);
    dr_result_close(result);
    assert_int_equal(frame->number, 3);
    assert_int_equal(frame->step, 12);
    assert_true(frame->time == 0.25);
    assert_int_equal(frame->part_count, 3);
    const dr_frame_part *strands = find_part(frame, "strands"), *cloth = find_part(frame, "cloth");
    assert_int_equal(strands->index[1], 2);
    assert_true(((const double *)dr_frame_find(strands, "film_height")->data)[4] == 0.5);
    assert_string_equal(dr_frame_find(strands, "film_height")->unit, "cm");
    assert_int_equal(((const uint32_t *)dr_frame_find(cloth, "body")->data)[1], 8);
    assert_memory_equal(cloth->index, good_triangles, sizeof good_triangles);
    dr_result_release(frame);
}

static void test_frames_come_in_order_and_new_ones_are_found(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    dr_result *result = NULL;
    int64_t number, sample;
    write_frame(10, 0, good_triangles);
    write_frame(9, 1, good_triangles);
    write_frame(9, 0, good_triangles);
    assert_int_equal(dr_result_open(root, NULL, &result, NULL), DR_STATUS_OK);
    assert_int_equal(dr_result_frame_count(result), 3);
    dr_result_frame_label(result, 1, &number, &sample);
    assert_int_equal(number, 9);
    assert_int_equal(sample, 1);
    write_frame(11, 0, good_triangles);
    assert_int_equal(dr_result_refresh(result, NULL), DR_STATUS_OK);
    assert_int_equal(dr_result_frame_count(result), 4);
    dr_result_close(result);
}

static dr_status read_first(dr_error *error)
{
    dr_result *result = NULL;
    const dr_frame *frame = NULL;
    dr_status status = dr_result_open(root, NULL, &result, error);
    if (!status) status = dr_result_read(result, 0, &frame, error);
    dr_result_release(frame);
    dr_result_close(result);
    return status;
}

static void test_an_index_that_points_outside_is_refused(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    dr_error error = {0};
    write_frame(1, 0, bad_triangles);
    assert_int_equal(read_first(&error), DR_STATUS_IO);
    assert_non_null(strstr(error.text, "frame_000001.h5: cloth: is damaged: an index that points outside"));
}

// Writes the first `bytes` of `data`, less those before `from`, as frame `number`.
static void put_bytes(int number, const char *data, size_t from, size_t bytes)
{
    char name[DR_RESULT_NAME], path[DR_FOLDER_PATH];
    dr_result_frame_name(name, number, 0);
    dr_folder_join(path, frames, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data + from, 1, bytes - from, file), bytes - from);
    assert_int_equal(fclose(file), 0);
}

static char *read_frame_file(int number, size_t *bytes)
{
    char path[DR_FOLDER_PATH], name[DR_RESULT_NAME], *data = NULL;
    dr_result_frame_name(name, number, 0);
    dr_folder_join(path, frames, name);
    assert_int_equal(dr_folder_read(path, NULL, &data, bytes, NULL), DR_STATUS_OK);
    return data;
}

static void test_a_frame_cut_short_anywhere_is_refused(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    size_t bytes = 0;
    write_frame(1, 0, good_triangles);
    char *data = read_frame_file(1, &bytes);
    for (size_t length = 0; length + 1 < bytes; length += 211) {
        put_bytes(1, data, 0, length);
        assert_int_not_equal(read_first(NULL), DR_STATUS_OK);
    }
    dr_memory_free(NULL, data, bytes + 1);
}

static void test_a_frame_with_any_flipped_byte_is_refused(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    size_t bytes = 0;
    write_frame(1, 0, good_triangles);
    char *data = read_frame_file(1, &bytes);
    for (size_t i = 0; i < bytes; i += 37) {
        dr_error error = {0};
        data[i] = (char)(data[i] ^ 0x5a);
        put_bytes(1, data, 0, bytes);
        assert_int_equal(read_first(&error), DR_STATUS_IO);
        assert_non_null(strstr(error.text, "frame_000001.h5: is "));
        data[i] = (char)(data[i] ^ 0x5a);
    }
    put_bytes(1, data, 0, bytes);
    assert_int_equal(read_first(NULL), DR_STATUS_OK);
    dr_memory_free(NULL, data, bytes + 1);
}

static void test_a_frame_of_old_without_a_seal_is_read(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    size_t bytes = 0;
    write_frame(1, 0, good_triangles);
    char *data = read_frame_file(1, &bytes);
    put_bytes(1, data, DR_SEAL_BYTES, bytes);
    assert_int_equal(read_first(NULL), DR_STATUS_OK);
    put_bytes(1, data, DR_SEAL_BYTES, bytes - 100);
    assert_int_equal(read_first(NULL), DR_STATUS_IO);
    dr_memory_free(NULL, data, bytes + 1);
}

static void test_a_frame_under_the_name_of_another_is_refused(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    size_t bytes = 0;
    dr_error error = {0};
    write_frame(2, 0, good_triangles);
    char *data = read_frame_file(2, &bytes);
    put_bytes(1, data, 0, bytes);
    dr_memory_free(NULL, data, bytes + 1);
    assert_int_equal(read_first(&error), DR_STATUS_IO);
    assert_non_null(strstr(error.text, "frame_000001.h5: is frame_000002.h5 under another name"));
}

static void test_a_frame_of_another_scene_is_refused(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    dr_error error = {0};
    write_frame(1, 0, good_triangles);
    dr_piece own = {"{\"scene_hash\": \"0000000000000001\"}", 34},
             other = {"{\"scene_hash\": \"0000000000000002\"}", 34};
    assert_int_equal(dr_folder_write(root, DR_RESULT_RUN, NULL, &own, 1, NULL), DR_STATUS_OK);
    assert_int_equal(read_first(NULL), DR_STATUS_OK);
    assert_int_equal(dr_folder_write(root, DR_RESULT_RUN, NULL, &other, 1, NULL), DR_STATUS_OK);
    assert_int_equal(read_first(&error), DR_STATUS_IO);
    assert_non_null(strstr(error.text, "frame_000001.h5: is a frame of another scene"));
}

static void test_folders_without_results_are_refused(void **state)
{
    (void)state;
    dr_error error = {0};
    dr_result *result = NULL;
    assert_int_equal(dr_result_open("/nowhere/at/all", NULL, &result, &error), DR_STATUS_NO_FILE);
    assert_int_equal(dr_result_open("src", NULL, &result, &error), DR_STATUS_BAD_ARGUMENT);
    assert_null(result);
}

static void test_scarce_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    write_frame(1, 0, good_triangles);
    dr_status status = DR_STATUS_NO_MEMORY;
    for (long n = 1; status != DR_STATUS_OK; n++) {
        scarce memory;
        scarce_open(&memory, n);
        dr_result *result = NULL;
        const dr_frame *frame = NULL;
        status = dr_result_open(root, &memory.allocator, &result, NULL);
        if (!status) status = dr_result_read(result, 0, &frame, NULL);
        dr_result_release(frame);
        dr_result_close(result);
        assert_int_equal(memory.out, 0);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_frame_comes_back_as_it_was, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_frames_come_in_order_and_new_ones_are_found, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_an_index_that_points_outside_is_refused, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_a_frame_cut_short_anywhere_is_refused, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_a_frame_with_any_flipped_byte_is_refused, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_a_frame_of_old_without_a_seal_is_read, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_a_frame_under_the_name_of_another_is_refused, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_a_frame_of_another_scene_is_refused, make_root, drop_root),
        cmocka_unit_test(test_folders_without_results_are_refused),
        cmocka_unit_test_setup_teardown(test_scarce_memory_leaves_nothing_behind, make_root, drop_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
