#define _POSIX_C_SOURCE 200809L
#include "support/check.h"

#include "io/seal.h"

#include <stdlib.h>
#include <unistd.h>

#define CONTENT 300
#define WHOLE   (DR_SEAL_BYTES + CONTENT)

static char root[64], path[DR_FOLDER_PATH], whole[WHOLE];

static int make_file(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/drench_seal_XXXXXX");
    if (!mkdtemp(root)) return -1;
    dr_folder_join(path, root, "file");
    for (int i = 0; i < CONTENT; i++) whole[DR_SEAL_BYTES + i] = (char)(i * i);
    dr_piece content = {whole + DR_SEAL_BYTES, CONTENT};
    dr_seal_make(whole, "frame", &content);
    return 0;
}

static int drop_file(void **state)
{
    (void)state;
    return unlink(path) || rmdir(root);
}

static void put(const char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static dr_status check(const char *kind, dr_error *error)
{
    bool sealed = false;
    dr_status status = dr_seal_check(path, kind, NULL, &sealed, error);
    assert_true(status || sealed);
    return status;
}

static void test_a_whole_file_passes(void **state)
{
    (void)state;
    bool sealed = false;
    put(whole, WHOLE);
    assert_int_equal(check("frame", NULL), DR_STATUS_OK);
    assert_int_equal(dr_seal_glance(path, "frame", &sealed, NULL), DR_STATUS_OK);
    assert_true(sealed);
}

static void test_any_flipped_bit_is_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < WHOLE; i++) {
        char damaged[WHOLE];
        memcpy(damaged, whole, WHOLE);
        damaged[i] = (char)(damaged[i] ^ 1 << i % 8);
        put(damaged, WHOLE);
        assert_int_equal(check("frame", NULL), DR_STATUS_IO);
    }
}

static void test_any_other_length_is_noticed_at_a_glance(void **state)
{
    (void)state;
    char longer[WHOLE + 1] = {0};
    memcpy(longer, whole, WHOLE);
    for (size_t length = 0; length <= WHOLE + 1; length++) {
        if (length == WHOLE) continue;
        bool sealed = false;
        dr_error error = {0};
        put(longer, length);
        assert_int_equal(dr_seal_glance(path, "frame", &sealed, &error), DR_STATUS_IO);
        assert_non_null(strstr(error.text, "file: is damaged"));
        assert_int_equal(check("frame", NULL), DR_STATUS_IO);
    }
}

static void test_one_kind_is_not_taken_for_another(void **state)
{
    (void)state;
    dr_error error = {0};
    put(whole, WHOLE);
    assert_int_equal(check("checkpoint", &error), DR_STATUS_IO);
    assert_non_null(strstr(error.text, "file: is a frame under the name of a checkpoint"));
}

static void test_a_plain_file_has_no_seal(void **state)
{
    (void)state;
    bool sealed = true;
    put("\x89HDF\r\n\x1a\n and so on", 18);
    assert_int_equal(dr_seal_check(path, "frame", NULL, &sealed, NULL), DR_STATUS_OK);
    assert_false(sealed);
}

static void test_a_missing_file_is_told(void **state)
{
    (void)state;
    dr_error error = {0};
    put(whole, WHOLE);
    bool sealed = false;
    assert_int_not_equal(dr_seal_check("/nowhere/file", "frame", NULL, &sealed, &error), DR_STATUS_OK);
    assert_non_null(strstr(error.text, "/nowhere/file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_whole_file_passes, make_file, drop_file),
        cmocka_unit_test_setup_teardown(test_any_flipped_bit_is_noticed, make_file, drop_file),
        cmocka_unit_test_setup_teardown(test_any_other_length_is_noticed_at_a_glance, make_file, drop_file),
        cmocka_unit_test_setup_teardown(test_one_kind_is_not_taken_for_another, make_file, drop_file),
        cmocka_unit_test_setup_teardown(test_a_plain_file_has_no_seal, make_file, drop_file),
        cmocka_unit_test_setup_teardown(test_a_missing_file_is_told, make_file, drop_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
