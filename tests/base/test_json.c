#include "support/check.h"
#include "support/scarce.h"

#include "base/json.h"

static void write_sample(dr_json *json)
{
    double list[] = {1.0, 0.1, -2.5e-300};
    dr_json_object(json, NULL);
    dr_json_text(json, "text", "a \"b\"\n\\c");
    dr_json_number(json, "third", 1.0 / 3.0);
    dr_json_number(json, "none", NAN);
    dr_json_numbers(json, "list", list, 3);
    dr_json_object(json, "inner");
    dr_json_bool(json, "yes", true);
    dr_json_hash(json, "hash", UINT64_C(0xfedcba9876543210));
    dr_json_integer(json, "big", INT64_MIN);
    dr_json_end_object(json);
    dr_json_end_object(json);
}

static dr_json_value written(dr_text *text)
{
    dr_json json;
    dr_text_open(text, NULL);
    dr_json_open(&json, text);
    write_sample(&json);
    return dr_json_parse(text->data, text->length);
}

static void test_numbers_come_back_with_the_same_bits(void **state)
{
    (void)state;
    dr_text text;
    dr_json_value whole = written(&text), cursor = {NULL, 0}, list = dr_json_member(whole, "list");
    assert_true(dr_json_as_number(dr_json_member(whole, "third"), 0.0) == 1.0 / 3.0);
    assert_true(dr_json_as_number(dr_json_next(list, &cursor), 0.0) == 1.0);
    assert_true(dr_json_as_number(dr_json_next(list, &cursor), 0.0) == 0.1);
    assert_true(dr_json_as_number(dr_json_next(list, &cursor), 0.0) == -2.5e-300);
    assert_null(dr_json_next(list, &cursor).data);
    assert_true(dr_json_as_number(dr_json_member(whole, "none"), 7.0) == 7.0);
    dr_text_close(&text);
}

static void test_text_and_hashes_come_back(void **state)
{
    (void)state;
    dr_text text;
    char back[40];
    uint64_t hash = 0;
    dr_json_value whole = written(&text), inner = dr_json_member(whole, "inner");
    assert_true(dr_json_as_text(dr_json_member(whole, "text"), back, sizeof back));
    assert_string_equal(back, "a \"b\"\n\\c");
    assert_true(dr_json_as_text(dr_json_member(whole, "text"), back, 4));
    assert_string_equal(back, "a \"");
    assert_true(dr_json_as_hash(dr_json_member(inner, "hash"), &hash));
    assert_true(hash == UINT64_C(0xfedcba9876543210));
    assert_true(dr_json_as_bool(dr_json_member(inner, "yes"), false));
    assert_null(dr_json_member(whole, "yes").data);
    dr_text_close(&text);
}

static void test_what_is_not_json_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "{",         "{\"a\": }", "[1, 2",  "\"abc", "{\"a\": 1,}", "1 2",
                                      "nule", "{\"a\" 1}", "[1 2]",     "{a: 1}", "\"a\\", "[,]",         "}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_null(dr_json_parse(bad[i], strlen(bad[i])).data);
    char deep[4001];
    memset(deep, '[', 2000);
    memset(deep + 2000, ']', 2000);
    assert_null(dr_json_parse(deep, 4000).data);
    assert_non_null(dr_json_parse(" [1, {\"a\": [true, null]}] \n", 27).data);
}

static void test_a_cut_text_never_parses(void **state)
{
    (void)state;
    dr_text text;
    dr_json_value whole = written(&text);
    assert_non_null(whole.data);
    for (size_t i = 0; i < text.length; i++) assert_null(dr_json_parse(text.data, i).data);
    dr_text_close(&text);
}

static void test_memory_that_is_out_is_remembered(void **state)
{
    (void)state;
    for (long n = 1; n < 4; n++) {
        scarce scarce;
        scarce_open(&scarce, n);
        dr_text text;
        dr_json json;
        dr_text_open(&text, &scarce.allocator);
        dr_json_open(&json, &text);
        for (int i = 0; i < 20; i++) write_sample(&json);
        assert_true(text.failed);
        dr_text_close(&text);
        assert_int_equal(scarce.out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_come_back_with_the_same_bits), cmocka_unit_test(test_text_and_hashes_come_back),
        cmocka_unit_test(test_what_is_not_json_is_refused),          cmocka_unit_test(test_a_cut_text_never_parses),
        cmocka_unit_test(test_memory_that_is_out_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
