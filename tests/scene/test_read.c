#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "drench/version.h"
#include "scene/ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CELL "domain: {cell: 1 cm}\n"

typedef struct bad_case {
    const char *text, *problem;
} bad_case;

static void assert_begins(const char *text, const char *got, const char *expected)
{
    if (strncmp(got, expected, strlen(expected)) != 0)
        fail_msg("for\n%s\ncame\n%s\ninstead of\n%s", text, got, expected);
}

static void assert_refused(const char *text, const char *problem)
{
    dr_scene *scene;
    dr_error error;
    dr_status status = parse_text(text, &scene, &error);
    assert_begins(text, error.text, problem);
    assert_int_equal(status, DR_STATUS_BAD_SCENE);
    assert_int_equal(error.status, DR_STATUS_BAD_SCENE);
    assert_null(scene);
}

static void test_every_slip_is_named_with_its_place(void **unused)
{
    (void)unused;
    static const bad_case cases[] = {
        {"", "t.yaml: the file is empty"},
        {"# only a comment\n", "t.yaml: the file is empty"},
        {"domain: {}\n", "t.yaml:1:9: domain.cell is missing\n    a quarter of"},
        {"title: x\n", "t.yaml:1:1: domain.cell is missing"},
        {"- 1\n", "t.yaml:1:1: the scene: a group of keys was expected, this is a list"},
        {"hello\n", "t.yaml:1:1: the scene: a group of keys was expected, this is a single value"},
        {CELL "colider: []\n", "t.yaml:2:1: the scene: there is no \"colider\" here\n    did you mean \"colliders\"?"},
        {CELL "zzzzzz: 1\n", "t.yaml:2:1: the scene: there is no \"zzzzzz\" here\n    known: format, title"},
        {CELL CELL, "t.yaml:2:1: domain is written twice"},
        {"domain: {cell: 1, cell: 2}\n", "t.yaml:1:19: domain.cell is written twice"},
        {"domain: 3\n", "t.yaml:1:9: domain: a group of keys was expected, this is a single value"},
        {"domain: [3]\n", "t.yaml:1:9: domain: a group of keys was expected, this is a list"},
        {"domain:\n", "t.yaml:1:1: domain has no value"},
        {"domain: {cell: }\n", "t.yaml:1:10: domain.cell has no value"},
        {"domain: {cell: ~}\n", "t.yaml:1:16: domain.cell has no value"},
        {"domain: {cell: [1]}\n", "t.yaml:1:16: domain.cell: a single value was expected, this is a list"},
        {"domain: {cell: -1 cm}\n", "t.yaml:1:16: domain.cell is -1 cm, outside 1e-06 cm .. 100000 cm"},
        {"domain: {cell: 3 kg}\n", "t.yaml:1:16: domain.cell: a length was expected, 3 kg is a mass"},
        {"domain: {cell: .nan}\n", "t.yaml:1:16: domain.cell: \".nan\" is not a number"},
        {"domain: {cell: .inf}\n", "t.yaml:1:16: domain.cell: \".inf\" is not a number"},
        {"domain: {cell: 1, min: [0, 0]}\n", "t.yaml:1:24: domain.min: three numbers were expected"},
        {"domain: {cell: 1, min: 0}\n", "t.yaml:1:24: domain.min: three numbers were expected"},
        {"domain: {cell: 1, min: [0, [1], 0]}\n", "t.yaml:1:28: domain.min: three numbers were expected"},
        {"domain: {cell: 1, min: [0, 3 s, 0]}\n", "t.yaml:1:28: domain.min: a length was expected, 3 s is a time"},
        {"domain: {cell: 1, x_min: opne}\n",
         "t.yaml:1:26: domain.x_min cannot be \"opne\"; did you mean \"open\"? choose from open, sticky"},
        {"domain: {cell: 1, cull: maybe}\n", "t.yaml:1:25: domain.cull: \"maybe\" is neither yes nor no"},
        {CELL "seed: 1.5\n", "t.yaml:2:7: seed: \"1.5\" is not a whole number"},
        {CELL "seed: 9223372036854775808\n", "t.yaml:2:7: seed: \"9223372036854775808\" is too large a number"},
        {CELL "format: 2\nthings: [3]\n",
         "t.yaml:2:9: format is 2: this scene was made for a newer version of drench\n    drench " DR_VERSION
         " reads format 1"},
        {CELL "format: 0\n", "t.yaml:2:9: format is 0, outside 1 .. 1"},
        {"domain: {cell: 1,5 cm}\n",
         "t.yaml:1:16: domain.cell: \"1,5 cm\" is not a number: the decimal point is a dot"},
        {"domain:\n  cell: 1,5 cm\n",
         "t.yaml:2:9: domain.cell: \"1,5 cm\" is not a number: the decimal point is a dot"},
        {"domain: {cell: 1, min: [0,5, 1, 2]}\n",
         "t.yaml:1:24: domain.min: three numbers were expected, such as [0, 1, 0]; these are 4: the decimal point is a "
         "dot"},
        {CELL "time: {frames: -1}\n", "t.yaml:2:16: time.frames is -1, outside 0 .. 1000000000"},
        {CELL "title: \"a\\0b\"\n", "t.yaml:2:8: title holds a character that cannot be written, byte 2 of it"},
        {CELL "title: \"\\u202a\\e\"\n", "t.yaml:2:8: title holds a character that cannot be written, byte 4 of it"},
        {CELL "colliders: {}\n",
         "t.yaml:2:12: colliders: a list (each item after a dash) was expected, this is a group of keys"},
        {CELL "colliders: [3]\n", "t.yaml:2:13: colliders[0]: a group of keys was expected, this is a single value"},
        {CELL "colliders:\n  - name: ball\n", "t.yaml:3:5: collider \"ball\": shape is missing"},
        {CELL "colliders:\n  - {name: ball, shape: {radius: 1}}\n",
         "t.yaml:3:25: collider \"ball\": shape.type is missing"},
        {CELL "colliders:\n  - {name: ball, shape: {type: sphere}}\n",
         "t.yaml:3:25: collider \"ball\": shape.radius is missing\n    at least two cells"},
        {CELL "colliders:\n  - {name: ball, shape: {type: sphere, radius: 1, height: 2}}\n",
         "t.yaml:3:51: collider \"ball\": shape: a shape of type sphere has no height\n    it has type, center, "
         "radius, scale, rotate, translate"},
        {CELL "colliders:\n  - {shape: {type: sphere, radius: 1}, frction: 1}\n",
         "t.yaml:3:40: colliders[0]: there is no \"frction\" here\n    did you mean \"friction\"?"},
        {CELL "colliders:\n  - {name: a, shape: {type: half_space, rotate: [90, 0, 0]}}\n",
         "t.yaml:3:50: collider \"a\": shape.rotate: 90 has no unit: write 90 deg, or 90 rad if that is meant"},
        {CELL "colliders:\n  - {name: a, shape: {type: union, of: [{type: sphere, radius: 1 s}]}}\n",
         "t.yaml:3:64: collider \"a\": shape.of[0].radius: a length was expected, 1 s is a time"},
        {CELL "bodies:\n  - {name: b, shape: {type: sphere, radius: 1}}\n",
         "t.yaml:3:5: body \"b\": material is missing"},
        {CELL "bodies:\n  - {name: b, material: '', shape: {type: sphere, radius: 1}}\n",
         "t.yaml:3:25: body \"b\": material is empty"},
        {CELL "materials:\n  - {name: a, preset: watr}\n",
         "t.yaml:3:23: material \"a\": preset: there is no material \"watr\" yet\n    did you mean \"water\"?"},
        {CELL "materials:\n  - {name: a, preset: water, kind: elastic}\n",
         "t.yaml:3:36: material \"a\": kind cannot be elastic, since the preset is liquid"},
        {CELL "materials:\n  - {preset: water}\n", "t.yaml:3:5: materials[0].name is missing"},
        {CELL "materials:\n  - {name: a, kind: elastic, viscosity: 1 P, density: 1, youngs_modulus: 1}\n",
         "t.yaml:3:30: material \"a\": a material of kind elastic has no viscosity\n    it has name, preset, source, "
         "kind, density, youngs_modulus, poisson_ratio"},
        {CELL "materials:\n  - {name: a, kind: elastic, density: 1, youngs_modulus: 1 MPa, poisson_ratio: 0.5}\n",
         "t.yaml:3:80: material \"a\": poisson_ratio is 0.5, outside -0.99 .. 0.4999"},
        // the document itself
        {"a: [b\nc: d", "t.yaml:3:1: this is not YAML: "},
        {"a: 1\n---\nb: 2\n", "t.yaml:2:1: a second document begins here"},
        {"%\xe2!\xb6\xc4", "t.yaml:1:2: this is not text in UTF-8"},
        {"title: a\n\xff\xfe", "t.yaml:2:1: this is not text in UTF-8"},
        {"title: \x01", "t.yaml:1:8: this is not text in UTF-8"},
        {"? {a: 1}\n: b\n", "t.yaml:1:3: a key must be a single word"},
        {"a: *nothing\n", "t.yaml:1:4: there is no anchor &nothing before this"},
        {"a: &a [*a]\n", "t.yaml:1:8: the alias *a stands inside itself"},
        {"title: x\n<<: 3\n", "t.yaml:2:1: << takes one group of keys, once"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) assert_refused(cases[i].text, cases[i].problem);
}

static void test_of_a_newer_scene_nothing_else_is_told(void **unused)
{
    (void)unused;
    dr_scene *scene;
    dr_error error;
    assert_int_equal(parse_text("format: 2\nthings: [3]\n", &scene, &error), DR_STATUS_BAD_SCENE);
    assert_int_equal(error.count, 1);
    assert_null(scene);
}

static void test_all_problems_are_gathered(void **unused)
{
    (void)unused;
    dr_scene *scene;
    dr_error error;
    parse_text("domain: {cell: 0}\nseed: x\ntime: {frames: y}\ncolor: red\n", &scene, &error);
    assert_int_equal(error.count, 4);
    assert_non_null(strstr(error.text, "t.yaml:2:7: seed"));
    assert_non_null(strstr(error.text, "t.yaml:3:16: time.frames"));
    assert_non_null(strstr(error.text, "t.yaml:4:1: the scene: there is no \"color\""));
}

static void test_json_and_anchors_and_merging_work(void **unused)
{
    (void)unused;
    dr_scene *scene;
    dr_error error;
    parse_text("{\"domain\": {\"cell\": \"3 mm\", \"min\": [0, \"1 in\", -2.5e1]}, \"seed\": 5}", &scene, &error);
    assert_string_equal(error.text, "");
    assert_true(scene->spec.domain.cell == 0.3 && scene->spec.domain.min[1] == 2.54 &&
                scene->spec.domain.min[2] == -25);
    dr_scene_destroy(scene);
    parse_text("\xef\xbb\xbf" CELL, &scene, &error);
    assert_string_equal(error.text, "");
    dr_scene_destroy(scene);
    parse_text(CELL "bodies:\n  - &first {name: a, material: jelly, shape: &s {type: sphere, radius: 2}}\n"
                    "  - {<<: *first, name: b}\n  - {name: c, material: water, shape: *s}\n",
               &scene, &error);
    assert_string_equal(error.text, "");
    assert_int_equal(scene->spec.bodies.count, 3);
    assert_string_equal(scene->spec.bodies.items[1].name, "b");
    assert_string_equal(scene->spec.bodies.items[1].material, "jelly");
    assert_true(scene->spec.bodies.items[2].shape.radius == 2);
    dr_scene_destroy(scene);
}

static void test_repetition_and_nesting_are_bounded(void **unused)
{
    (void)unused;
    char laughs[2000] = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n", deep[20001];
    for (int i = 1; i < 10; i++) {
        char line[160];
        snprintf(line, sizeof line, "k%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", i, i,
                 i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
        strcat(laughs, line);
    }
    assert_refused(laughs, "t.yaml:6:");
    memset(deep, '[', 20000);
    deep[20000] = 0;
    assert_refused(deep, "t.yaml:1:49: nested too deeply");
    for (int i = 0; i < 20000; i++) deep[i] = "a:\n "[i % 4];
    dr_scene *scene;
    dr_error error;
    assert_int_not_equal(parse_text(deep, &scene, &error), DR_STATUS_OK);
}

static void test_files_that_cannot_be_read_are_named(void **unused)
{
    (void)unused;
    dr_scene *scene;
    dr_error error = {0};
    assert_int_equal(dr_scene_read("tests/scene/there_is_none.yaml", NULL, &scene, &error), DR_STATUS_NO_FILE);
    assert_begins("", error.text, "tests/scene/there_is_none.yaml: cannot open the scene: ");
    error = (dr_error){0};
    assert_int_equal(dr_scene_read("tests/scene", NULL, &scene, &error), DR_STATUS_BAD_ARGUMENT);
    char *large = calloc(1, ((size_t)64 << 20) + 2);
    memset(large, '#', ((size_t)64 << 20) + 1);
    error = (dr_error){0};
    assert_int_equal(dr_yaml_scene_parse(large, ((size_t)64 << 20) + 1, "large", NULL, &scene, &error),
                     DR_STATUS_BAD_SCENE);
    assert_begins("", error.text, "large: the file is larger than 64 MiB");
    free(large);
}

static void test_words_stand_for_numbers(void **unused)
{
    (void)unused;
    dr_scene *scene;
    dr_error error;
    parse_text("domain: {cell: 1, min: [unbounded, 0, unbounded]}\nmemory_limit: machine\n"
               "emitters: [{material: water, shape: {type: sphere, radius: 1}, schedule: {start: always, stop: never}, "
               "volume_limit: none}]",
               &scene, &error);
    assert_string_equal(error.text, "");
    assert_true(scene->spec.domain.min[0] == -DR_UNBOUNDED && scene->spec.domain.max[0] == DR_UNBOUNDED);
    assert_true(scene->spec.emitters.items[0].schedule.stop == DR_UNBOUNDED);
    assert_true(scene->spec.emitters.items[0].volume_limit == 0);
    dr_scene_destroy(scene);
    assert_refused("domain: {cell: never}\n", "t.yaml:1:16: domain.cell: \"never\" is not a number");
}

static void test_nothing_is_printed(void **unused)
{
    (void)unused;
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int kept = dup(2);
    dup2(fileno(file), 2);
    dr_scene *scene;
    dr_error error;
    static const char *const texts[] = {"a: [b\nc: d", "a: 'b", "\t- a\n b", "%YAML 9.9\n---\n...\n]", "a: !!x &y *z"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) parse_text(texts[i], &scene, &error);
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    fseek(file, 0, SEEK_END);
    assert_int_equal(ftell(file), 0);
    fclose(file);
}

int main(void)
{
#ifndef DR_HAVE_FYAML
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_slip_is_named_with_its_place),
        cmocka_unit_test(test_of_a_newer_scene_nothing_else_is_told),
        cmocka_unit_test(test_all_problems_are_gathered),
        cmocka_unit_test(test_json_and_anchors_and_merging_work),
        cmocka_unit_test(test_repetition_and_nesting_are_bounded),
        cmocka_unit_test(test_files_that_cannot_be_read_are_named),
        cmocka_unit_test(test_words_stand_for_numbers),
        cmocka_unit_test(test_nothing_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
