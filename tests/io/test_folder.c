#define _GNU_SOURCE
#include "support/check.h"
#include "support/scarce.h"

#include "io/folder.h"
#include "io/result.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64];

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/drench_folder_XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static dr_status drop(void *user, const char *folder, const char *name, dr_error *error)
{
    (void)user;
    return dr_folder_remove(folder, name, error);
}

static int drop_root(void **state)
{
    (void)state;
    dr_folder_each(root, drop, NULL, NULL);
    return rmdir(root);
}

static void write_file(const char *name, const char *keep, const char *text)
{
    dr_piece pieces[] = {{text, strlen(text)}, {"!", 1}};
    assert_int_equal(dr_folder_write(root, name, keep, pieces, 2, NULL), DR_STATUS_OK);
}

static void expect_file(const char *name, const char *wanted)
{
    char path[DR_FOLDER_PATH], *text = NULL;
    size_t bytes = 0;
    dr_folder_join(path, root, name);
    assert_int_equal(dr_folder_read(path, NULL, &text, &bytes, NULL), DR_STATUS_OK);
    assert_string_equal(text, wanted);
    dr_memory_free(NULL, text, bytes + 1);
}

static void test_a_new_file_replaces_the_old_one_which_may_stay(void **state)
{
    (void)state;
    write_file("a", "a.old", "one");
    expect_file("a", "one!");
    write_file("a", "a.old", "two");
    expect_file("a", "two!");
    expect_file("a.old", "one!");
}

// A limit on the size of files is a full disk that needs no disk.
static void test_a_full_disk_leaves_the_old_file_and_no_rest(void **state)
{
    (void)state;
    struct rlimit before, small;
    static char large[100000];
    dr_piece piece = {large, sizeof large};
    dr_error error = {0};
    write_file("a", NULL, "good");
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 50000;
    setrlimit(RLIMIT_FSIZE, &small);
    dr_status status = dr_folder_write(root, "a", "a.old", &piece, 1, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, DR_STATUS_IO);
    assert_non_null(strstr(error.text, "too large"));
    assert_non_null(strstr(error.text, "--resume"));
    expect_file("a", "good!");
    assert_int_equal(dr_folder_remove(root, "a", NULL), DR_STATUS_OK);
    assert_true(dr_folder_is_empty(root));
}

static void test_a_folder_has_one_writer(void **state)
{
    (void)state;
    int first = -1, second = -1;
    char wanted[40];
    dr_error error = {0};
    assert_int_equal(dr_folder_holder(root), 0);
    assert_int_equal(dr_folder_lock(root, &first, NULL), DR_STATUS_OK);
    assert_int_equal(dr_folder_lock(root, &second, &error), DR_STATUS_BUSY);
    snprintf(wanted, sizeof wanted, "process %ld", (long)getpid());
    assert_non_null(strstr(error.text, wanted));
    assert_int_equal(dr_folder_holder(root), getpid());
    assert_true(dr_folder_is_empty(root));
    dr_folder_unlock(first);
    assert_int_equal(dr_folder_holder(root), 0);
    assert_int_equal(dr_folder_lock(root, &second, NULL), DR_STATUS_OK);
    dr_folder_unlock(second);
}

static void test_folders_are_made_with_those_above(void **state)
{
    (void)state;
    char path[DR_FOLDER_PATH], file[DR_FOLDER_PATH];
    dr_error error = {0};
    dr_folder_join(path, root, "x/y//z/");
    assert_int_equal(dr_folder_make(path, NULL), DR_STATUS_OK);
    assert_true(dr_folder_exists(path));
    write_file("file", NULL, "");
    dr_folder_join(file, root, "file");
    assert_int_equal(dr_folder_make(file, &error), DR_STATUS_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "is a file"));
    assert_int_equal(dr_folder_make("", NULL), DR_STATUS_BAD_ARGUMENT);
    static const char *const made[] = {"x/y/z", "x/y", "x"};
    for (int i = 0; i < 3; i++) {
        dr_folder_join(path, root, made[i]);
        assert_int_equal(rmdir(path), 0);
    }
}

static void test_frame_names_come_back(void **state)
{
    (void)state;
    static const int64_t numbers[] = {0, 1, 999999, 12345678, -5, -1234567};
    char name[DR_RESULT_NAME];
    int64_t number, sample;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (int64_t s = 0; s < 12; s += 3) {
            dr_result_frame_name(name, numbers[i], s);
            assert_true(dr_result_frame_parse(name, &number, &sample));
            assert_true(number == numbers[i] && sample == s);
        }
    }
    assert_false(dr_result_frame_parse("frame_1.h5", &number, &sample));
    assert_false(dr_result_frame_parse("frame_000001.h5.bak", &number, &sample));
    assert_false(dr_result_frame_parse(".frame_000001.h5.tmp", &number, &sample));
    assert_false(dr_result_frame_parse("frame_000001_s0.h5", &number, &sample));
}

static void test_reading_without_memory_fails_cleanly(void **state)
{
    (void)state;
    scarce scarce;
    char path[DR_FOLDER_PATH], *text = NULL;
    size_t bytes = 0;
    write_file("a", NULL, "text");
    dr_folder_join(path, root, "a");
    scarce_open(&scarce, 1);
    assert_int_equal(dr_folder_read(path, &scarce.allocator, &text, &bytes, NULL), DR_STATUS_NO_MEMORY);
    assert_null(text);
    assert_int_equal(scarce.out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_new_file_replaces_the_old_one_which_may_stay, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_a_full_disk_leaves_the_old_file_and_no_rest, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_a_folder_has_one_writer, make_root, drop_root),
        cmocka_unit_test_setup_teardown(test_folders_are_made_with_those_above, make_root, drop_root),
        cmocka_unit_test(test_frame_names_come_back),
        cmocka_unit_test_setup_teardown(test_reading_without_memory_fails_cleanly, make_root, drop_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
