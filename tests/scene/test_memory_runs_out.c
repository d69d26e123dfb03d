#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "scene/ledger.h"

#include <stdio.h>
#include <stdlib.h>

static char everything[1 << 16];
static size_t everything_length;

static int read_everything(void **unused)
{
    (void)unused;
    FILE *file = fopen("tests/scene/everything.yaml", "rb");
    if (!file) return 1;
    everything_length = fread(everything, 1, sizeof everything, file);
    fclose(file);
    return 0;
}

// Everything a program does with a scene, in one go; stops at the first failure.
static dr_status use(const dr_allocator *allocator, dr_error *error)
{
    dr_scene *scene;
    void *item;
    char *text = NULL;
    size_t length;
    uint64_t hash;
    dr_status status = dr_yaml_scene_parse(everything, everything_length, "t.yaml", allocator, &scene, error);
    if (status != DR_STATUS_OK) {
        assert_null(scene);
        return status;
    }
    status = dr_scene_check_values(scene, error);
    for (int i = 0; i < 70 && status == DR_STATUS_OK; i++) status = dr_scene_append(scene, "forces", &item, error);
    if (status == DR_STATUS_OK) status = dr_scene_append(scene, "bodies.hollow.shape.of", &item, error);
    if (status == DR_STATUS_OK) status = dr_scene_set(scene, "title", "a title", error);
    if (status == DR_STATUS_OK) status = dr_scene_set(scene, "materials.goo.preset", "mud", error);
    if (status == DR_STATUS_OK && !dr_scene_take(scene, 100000)) status = dr_error_memory(error, "taking");
    if (status == DR_STATUS_OK) status = dr_scene_hash(scene, &hash, error);
    if (status == DR_STATUS_OK) status = dr_scene_write_text(scene, &text, &length, error);
    if (status == DR_STATUS_OK) dr_scene_release_text(scene, text, length);
    dr_scene_destroy(scene);
    return status;
}

static void test_every_failing_request_gives_a_clean_error(void **unused)
{
    (void)unused;
    for (long n = 1;; n++) {
        ledger book = {.fail_at = n};
        dr_allocator allocator = {&book, ledger_resize};
        dr_error error = {0};
        dr_status status = use(&allocator, &error);
        assert_int_equal(book.live, 0);
        if (status == DR_STATUS_OK) {
            assert_true(n > 20);
            assert_int_equal(error.count, 0);
            return;
        }
        assert_int_equal(status, DR_STATUS_NO_MEMORY);
        assert_int_equal(error.status, DR_STATUS_NO_MEMORY);
        assert_non_null(strstr(error.text, "out of memory while "));
    }
}

static void test_errors_may_be_left_out(void **unused)
{
    (void)unused;
    dr_scene *scene;
    assert_int_equal(dr_yaml_scene_parse("a: [", 4, "t", NULL, &scene, NULL), DR_STATUS_BAD_SCENE);
    assert_int_equal(dr_yaml_scene_parse("a: 1", 4, "t", NULL, &scene, NULL), DR_STATUS_BAD_SCENE);
    assert_int_equal(dr_scene_create(NULL, &scene, NULL), DR_STATUS_OK);
    assert_int_equal(dr_scene_set(scene, "a", "b", NULL), DR_STATUS_BAD_SCENE);
    assert_int_equal(dr_scene_check_values(scene, NULL), DR_STATUS_BAD_SCENE);
    dr_scene_destroy(scene);
    dr_scene_destroy(NULL);
}

int main(void)
{
#ifndef DR_HAVE_FYAML
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_failing_request_gives_a_clean_error),
        cmocka_unit_test(test_errors_may_be_left_out),
    };
    return cmocka_run_group_tests(tests, read_everything, NULL);
}
