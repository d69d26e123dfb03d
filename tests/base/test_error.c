#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/error.h"

#include <errno.h>
#include <string.h>

static void test_problems_gather_line_by_line_with_hints_below(void **unused)
{
    (void)unused;
    dr_error error;
    dr_error_clear(&error);
    assert_int_equal(dr_error_add(&error, DR_STATUS_BAD_SCENE, "a.yaml:%d:%d: wrong", 3, 4), DR_STATUS_BAD_SCENE);
    dr_error_hint(&error, "right would be %s", "this");
    dr_error_add(&error, DR_STATUS_NO_MEMORY, "second");
    assert_int_equal(error.status, DR_STATUS_BAD_SCENE);
    assert_int_equal(error.count, 2);
    assert_string_equal(error.text, "a.yaml:3:4: wrong\n    right would be this\nsecond");
}

static void test_a_full_buffer_drops_whole_lines_and_still_counts(void **unused)
{
    (void)unused;
    dr_error error;
    dr_error_clear(&error);
    for (int i = 0; i < 1000; i++) dr_error_add(&error, DR_STATUS_IO, "problem number %04d of many", i);
    assert_int_equal(error.count, 1000);
    size_t length = strlen(error.text);
    assert_true(length < sizeof error.text && length > sizeof error.text - 100);
    assert_memory_equal(error.text + length - 4, "many", 4);
}

static void test_no_error_wanted_is_no_crash(void **unused)
{
    (void)unused;
    assert_int_equal(dr_error_add(NULL, DR_STATUS_IO, "x"), DR_STATUS_IO);
    dr_error_hint(NULL, "x");
    dr_error_clear(NULL);
    errno = ENOENT;
    assert_int_equal(dr_error_system(NULL, "file", "reading"), DR_STATUS_NO_FILE);
}

static void test_every_status_has_a_name(void **unused)
{
    (void)unused;
    for (int status = DR_STATUS_OK; status <= DR_STATUS_UNSUPPORTED; status++)
        assert_string_not_equal(dr_status_name((dr_status)status), "unknown");
    assert_string_equal(dr_status_name((dr_status)99), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problems_gather_line_by_line_with_hints_below),
        cmocka_unit_test(test_a_full_buffer_drops_whole_lines_and_still_counts),
        cmocka_unit_test(test_no_error_wanted_is_no_crash),
        cmocka_unit_test(test_every_status_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
