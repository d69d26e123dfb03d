// Paths of motion from text.
#include "io/path.h"
#include "io/reading.h"

static void test_rows_are_read(void **state)
{
    (void)state;
    const char *text = "# time x y z\n\n0 1 2 3\r\n0.5, 1.5,2.5 ,3.5 # with commas\n  1e0\t4 5 6 0 0 2 0\n#end";
    opened(text);
    dr_path_asset path = {0};
    expect_ok(dr_path_parse(text, strlen(text), "a.txt", &arena, &path, &error));
    static const double rows[] = {0, 1, 2, 3, 1, 0, 0, 0, 0.5, 1.5, 2.5, 3.5, 1, 0, 0, 0, 1, 4, 5, 6, 0, 0, 1, 0};
    assert_int_equal(path.count, 3);
    assert_memory_equal(path.rows, rows, sizeof rows);
    dr_arena_close(&arena);
}

static void refuse(const char *text, const char *place, const char *word)
{
    opened(text);
    dr_path_asset path = {0};
    expect_refused(dr_path_parse(text, strlen(text), "a.txt", &arena, &path, &error), &error, place, word);
    dr_arena_close(&arena);
}

static void test_mistakes_are_named_with_line_and_column(void **state)
{
    (void)state;
    refuse("", "a.txt:", "no line");
    refuse("# nothing\n", "a.txt:", "no line");
    refuse("0 1 2\n", "a.txt:1:1:", "this has 3");
    refuse("0 1 2 3 4\n", "a.txt:1:1:", "this has 5");
    refuse("0 1 2 3 1 0 0 0 9\n", "a.txt:1:17:", "at most eight");
    refuse("0 1 2 3\n1 1 z 3\n", "a.txt:2:5:", "\"z\"");
    refuse("0 1 2 3\n0 1 2 3\n", "a.txt:2:1:", "does not come after");
    refuse("0 1 2 3 0 0 0 0\n", "a.txt:1:1:", "quaternion");
    refuse("0 1 2 nan\n", "a.txt:1:7:", "nan");
}

static void test_a_failing_allocation_is_clean(void **state)
{
    (void)state;
    const char *text = "0 1 2 3\n";
    scarce scarce;
    dr_arena arena;
    dr_error error = {0};
    dr_path_asset path = {0};
    scarce_open(&scarce, 1);
    dr_arena_open(&arena, &scarce.allocator);
    assert_int_equal(dr_path_parse(text, strlen(text), "a.txt", &arena, &path, &error), DR_STATUS_NO_MEMORY);
    dr_arena_close(&arena);
    assert_int_equal(scarce.out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_read),
        cmocka_unit_test(test_mistakes_are_named_with_line_and_column),
        cmocka_unit_test(test_a_failing_allocation_is_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
