#define _POSIX_C_SOURCE 200809L
#include "support/check.h"
#include "support/scarce.h"

#include "io/folder.h"
#include "io/h5.h"

#include <stdlib.h>
#include <unistd.h>

static char root[64], path[DR_FOLDER_PATH];

static int make_root(void **state)
{
    (void)state;
    if (!dr_h5_available()) return 0;
    snprintf(root, sizeof root, "/tmp/drench_h5_XXXXXX");
    if (!mkdtemp(root)) return -1;
    dr_folder_join(path, root, "file.h5");
    return 0;
}

static int drop_root(void **state)
{
    (void)state;
    if (!dr_h5_available()) return 0;
    dr_folder_remove(root, "file.h5", NULL);
    return rmdir(root);
}

// offset: bytes of something else before the file, as a checkpoint has its header.
static void write_sample(size_t offset, int compression)
{
    static const float points[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {0.1F, -0.2F, 1e-30F}};
    static const uint64_t ids[4] = {1, 2, 3, UINT64_MAX};
    static const char before[1024];
    dr_frame_array position = {"position", "cm", DR_TYPE_FLOAT32, 3, 4, points};
    dr_frame_array id = {"id", "", DR_TYPE_UINT64, 1, 4, ids};
    dr_frame_array none = {"none", NULL, DR_TYPE_FLOAT64, 3, 0, NULL};
    dr_h5 *file = NULL;
    dr_piece pieces[2] = {{before, offset}, {NULL, 0}};
    assert_int_equal(dr_h5_create(NULL, &file, NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_put_array(file, "a/b/position", &position, compression, NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_put_array(file, "a/b/id", &id, compression, NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_put_array(file, "a/none", &none, compression, NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_put_number(file, "/", "time", 0.1, NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_put_integer(file, "a", "count", INT64_MIN, NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_put_text(file, "/", "version", "0.1.0", NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_image(file, &pieces[1].data, &pieces[1].bytes, NULL), DR_STATUS_OK);
    assert_int_equal(dr_folder_write(root, "file.h5", NULL, pieces, 2, NULL), DR_STATUS_OK);
    dr_h5_close(file);
}

static void expect_sample(void)
{
    dr_h5 *file = NULL;
    dr_frame_array array;
    double time = 0.0;
    int64_t count = 0;
    char version[16];
    assert_int_equal(dr_h5_open(path, NULL, &file, NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_get_array(file, "a/b/position", &array, NULL), DR_STATUS_OK);
    assert_true(array.type == DR_TYPE_FLOAT32 && array.components == 3 && array.count == 4);
    assert_true(((const float *)array.data)[10] == -0.2F);
    assert_int_equal(dr_h5_get_array(file, "a/b/id", &array, NULL), DR_STATUS_OK);
    assert_true(array.type == DR_TYPE_UINT64 && ((const uint64_t *)array.data)[3] == UINT64_MAX);
    assert_int_equal(dr_h5_get_array(file, "a/none", &array, NULL), DR_STATUS_OK);
    assert_true(array.count == 0 && array.components == 3);
    assert_int_equal(dr_h5_get_number(file, "/", "time", &time, NULL), DR_STATUS_OK);
    assert_true(time == 0.1);
    assert_int_equal(dr_h5_get_integer(file, "a", "count", &count, NULL), DR_STATUS_OK);
    assert_true(count == INT64_MIN);
    assert_int_equal(dr_h5_get_text(file, "/", "version", version, sizeof version, NULL), DR_STATUS_OK);
    assert_string_equal(version, "0.1.0");
    dr_h5_close(file);
}

static void test_arrays_and_attributes_come_back(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    for (int compression = 0; compression < 10; compression += 3) {
        write_sample(0, compression);
        expect_sample();
    }
}

static void test_a_header_before_the_file_does_no_harm(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    write_sample(512, 0);
    expect_sample();
}

static void test_what_is_missing_is_named(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    dr_h5 *file = NULL;
    dr_frame_array array;
    dr_error error = {0};
    write_sample(0, 0);
    assert_int_equal(dr_h5_open(path, NULL, &file, NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_get_array(file, "a/velocity", &array, &error), DR_STATUS_IO);
    assert_non_null(strstr(error.text, "a/velocity"));
    assert_non_null(strstr(error.text, "file.h5"));
    dr_h5_close(file);
}

static void test_a_damaged_file_is_an_error(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    dr_h5 *file = NULL;
    dr_piece piece = {"not HDF5 at all", 15};
    assert_int_equal(dr_folder_write(root, "file.h5", NULL, &piece, 1, NULL), DR_STATUS_OK);
    assert_int_equal(dr_h5_open(path, NULL, &file, NULL), DR_STATUS_IO);
    assert_null(file);
}

static void test_memory_that_is_out_is_an_error(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    write_sample(0, 0);
    for (long n = 1; n <= 2; n++) {
        scarce scarce;
        dr_h5 *file = NULL;
        dr_frame_array array;
        scarce_open(&scarce, n);
        dr_status status = dr_h5_open(path, &scarce.allocator, &file, NULL);
        if (!status) status = dr_h5_get_array(file, "a/b/id", &array, NULL);
        assert_int_equal(status, DR_STATUS_NO_MEMORY);
        dr_h5_close(file);
        assert_int_equal(scarce.out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_arrays_and_attributes_come_back, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_a_header_before_the_file_does_no_harm, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_what_is_missing_is_named, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_a_damaged_file_is_an_error, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_memory_that_is_out_is_an_error, make_root, drop_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
