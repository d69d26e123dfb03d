#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "scene/ledger.h"

#include <math.h>
#include <stdio.h>

#define CELL "domain: {cell: 1 cm}\n"
#define BALL "shape: {type: sphere, radius: 1}"

static void assert_problem(const dr_scene *scene, const char *text, const char *problem)
{
    dr_error error = {0};
    dr_status status = dr_scene_check_values(scene, &error);
    if (strncmp(error.text, problem, strlen(problem)) != 0) {
        fail_msg("for\n%s\ncame\n%s\ninstead of\n%s", text, error.text, problem);
    }
    assert_int_equal(status, *problem ? DR_STATUS_BAD_SCENE : DR_STATUS_OK);
}

static void test_values_that_do_not_go_together_are_found(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *problem;
    } cases[] = {
        {CELL "bodies: [{name: a, material: jelly, " BALL "}, {name: b, material: water, " BALL "}]\n", ""},
        {CELL "bodies: [{name: a, material: jely, " BALL "}]\n",
         "t.yaml:2:30: body \"a\": material: there is no material \"jely\"\n    did you mean \"jelly\"?"},
        {CELL "emitters: [{name: a, material: unobtainium, " BALL "}]\n",
         "t.yaml:2:32: emitter \"a\": material: there is no material \"unobtainium\"\n    `drench materials` lists"},
        {CELL "bodies: [{name: a, material: jelly, " BALL "}, {name: a, material: jelly, " BALL "}]\n",
         "t.yaml:2:79: body \"a\": name is taken: another body is called that"},
        {CELL "bodies: [{material: jelly, " BALL "}, {material: jelly, " BALL "}]\n", ""},
        {CELL "bodies: [{name: a, material: jelly, " BALL "}]\nlook: {paints: [{name: a}, {name: jelly}]}\n", ""},
        {CELL "strands: [{name: blond, material: hair, type: line, end: [1, 0, 0]}]\n"
              "look: {paints: [{name: blond}, {name: strands}, {name: hair}]}\n",
         ""},
        {CELL "strands: [{name: blond, material: hair, type: line, end: [1, 0, 0]}]\n"
              "look: {paints: [{name: blonde}]}\n",
         "t.yaml:3:24: paint \"blonde\": name: nothing in the scene is called \"blonde\" or made of it\n"
         "    did you mean \"blond\"?"},
        {CELL "bodies: [{name: a, material: jelly, " BALL "}]\nlook: {paints: [{name: water}]}\n",
         "t.yaml:3:24: paint \"water\": name: nothing in the scene is called \"water\" or made of it\n    bodies, "},
        {CELL "strands: [{name: a, material: hair, type: line, end: [1, 0, 0], film_from: 0.6, film_to: 0.3}]\n",
         "t.yaml:2:76: strands \"a\": film_from is 0.6 and film_to is 0.3: nothing would be wet"},
        {CELL
         "strands: [{name: a, material: hair, type: line, end: [1, 0, 0], film_profile: [{at: 0, height: 1 um}, {at: "
         "0.5, height: 0}]}]\n",
         ""},
        {CELL "strands: [{name: a, material: hair, type: line, end: [1, 0, 0], film_profile: [{at: 0.5, height: 1 um}, "
              "{at: 0.5, height: 0}]}]\n",
         "t.yaml:2:110: strands \"a\": film_profile[1].at is 0.5, not beyond the point before it at 0.5"},
        {CELL
         "strands: [{name: a, material: hair, type: line, end: [1, 0, 0], film_height: 1 um, film_profile: [{at: 0, "
         "height: 1 um}]}]\n",
         "t.yaml:2:98: strands \"a\": film_profile stands in place of film_height; give one of them"},
        {CELL "strands: [{name: a, material: hair, type: line, end: [1, 0, 0], root_until: 1 s}]\n", ""},
        {CELL "strands: [{name: a, material: hair, type: line, end: [1, 0, 0], tip_until: 1 s}]\n",
         "t.yaml:2:76: strands \"a\": tip_until: that end is free from the beginning"},
        {CELL "drains: [{name: a, shape: {type: none}}]\n", "t.yaml:2:34: drain \"a\": shape.type is none"},
        {CELL "drains: [{name: a, shape: {type: union}}]\n", "t.yaml:2:27: drain \"a\": shape.of is empty"},
        {CELL "drains: [{name: a, shape: {type: inside_out, of: [{type: half_space}, {type: half_space}]}}]\n",
         "t.yaml:2:50: drain \"a\": shape.of holds 2 shapes; inside_out takes exactly one"},
        {CELL "drains: [{name: a, shape: {type: half_space, normal: [0, 0, 0]}}]\n",
         "t.yaml:2:54: drain \"a\": shape.normal is zero"},
        {CELL "drains: [{name: a, shape: {type: torus, radius: 1, tube: 2}}]\n",
         "t.yaml:2:58: drain \"a\": shape.tube is 2 cm, it must be smaller than the radius, 1 cm"},
        {CELL "drains: [{name: a, shape: {type: box, size: [1, 2, 3], rounding: 0.6}}]\n",
         "t.yaml:2:66: drain \"a\": shape.rounding is 0.6 cm, more than half of the shortest edge, 1 cm"},
        {CELL "drains: [{name: a, " BALL ", schedule: {start: 3 s, stop: 2 s}}]\n",
         "t.yaml:2:83: drain \"a\": schedule.stop is 2 s, before its start at 3 s"},
        {CELL "regions: [{name: pool, " BALL "}]\ndrains: [{name: a, shape: {type: region, region: pol}}]\n",
         "t.yaml:3:50: drain \"a\": shape.region: there is no region \"pol\"\n    did you mean \"pool\"?"},
        {CELL "regions: [{name: a, shape: {type: region, region: b}}, {name: b, shape: {type: region, region: a}}]\n",
         "t.yaml:2:28: region \"a\": shape refers to itself"},
        {CELL "regions: [{name: a, shape: {type: union, of: [{type: region, region: a}]}}]\n",
         "t.yaml:2:28: region \"a\": shape refers to itself"},
        {CELL "colliders: [{name: c, " BALL ", motion: [{type: keyframes}]}]\n",
         "t.yaml:2:66: collider \"c\": motion[0].keys is empty"},
        {CELL "colliders: [{name: c, " BALL ", motion: [{type: keyframes, keys: [{time: 1}, {time: 1}]}]}]\n",
         "t.yaml:2:109: collider \"c\": motion[0].keys[1].time is 1 s, not after the key before it at 1 s"},
        {CELL "colliders: [{name: c, " BALL ", motion: [{type: spin, rate: 1, axis: [0, 0, 0]}]}]\n",
         "t.yaml:2:94: collider \"c\": motion[0].axis is zero"},
        {CELL "colliders: [{name: c, " BALL ", motion: [{type: sequence, file: a.pc2}]}]\n",
         "t.yaml:2:65: collider \"c\": motion[0] is a sequence, which only a shape of type mesh can follow"},
        {CELL "forces: [{name: f, type: vortex, strength: 1, reach: 1, axis: [0, 0, 0]}]\n",
         "t.yaml:2:63: force \"f\": axis is zero"},
        {"domain: {cell: 1, min: [0, 0, 0], max: [1, 0, 1]}\n",
         "t.yaml:1:40: domain.max is 0 cm in y, not above its min, 0 cm"},
        {"domain: {cell: 1, y_min: slip}\n", "t.yaml:1:26: domain.y_min is a wall without a place; give domain.min"},
        {"domain: {cell: 1, min: [0, 0, 0], max: [1, 1, 1], z_min: periodic}\n",
         "t.yaml:1:9: domain.z_max: both sides of a direction must be periodic, or none"},
        {CELL "time: {min_step: 1 s, max_step: 1 ms}\n",
         "t.yaml:2:18: time.min_step is 1 s, more than max_step, 0.001 s"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dr_scene *scene;
        dr_error error;
        parse_text(cases[i].text, &scene, &error);
        assert_string_equal(error.text, "");
        assert_problem(scene, cases[i].text, cases[i].problem);
        dr_scene_destroy(scene);
    }
}

static void test_scenes_made_in_code_are_checked_by_the_tables(void **unused)
{
    (void)unused;
    dr_scene *scene;
    dr_error error = {0};
    void *item;
    dr_scene_create(NULL, &scene, &error);
    dr_scene_spec *spec = dr_scene_edit(scene);
    assert_problem(scene, "", "scene: domain.cell is 0 cm, outside 1e-06 cm .. 100000 cm");
    spec->domain.cell = NAN;
    assert_problem(scene, "", "scene: domain.cell is nan cm, outside");
    spec->domain.cell = 1;
    assert_problem(scene, "", "");
    spec->gravity[1] = INFINITY;
    assert_problem(scene, "", "scene: gravity is inf cm/s2, outside");
    spec->gravity[1] = 0;
    spec->transfer.kernel = 7;
    assert_problem(scene, "", "scene: transfer.kernel is number 7 of 3 choices");
    spec->transfer.kernel = DR_KERNEL_CUBIC;
    spec->title = "\xff";
    assert_problem(scene, "", "scene: title holds a character that cannot be written, byte 1 of it");
    spec->title = "";
    spec->bodies.count = 2;
    assert_problem(scene, "", "scene: bodies is a list of 2 items at no address");
    spec->bodies.count = 0;
    dr_scene_append(scene, "bodies", &item, &error);
    dr_body_spec *body = item;
    body->name = "blob";
    assert_problem(scene, "", "scene: body \"blob\": material is missing\n");
    body->material = "jelly";
    assert_problem(scene, "", "scene: body \"blob\": shape.type is none");
    body->shape.kind = 99;
    assert_problem(scene, "", "scene: body \"blob\": shape.type is number 99 of 13 choices");
    body->shape.kind = DR_SHAPE_SPHERE;
    assert_problem(scene, "", "scene: body \"blob\": shape.radius is 0 cm, outside");
    body->shape.radius = 1;
    assert_problem(scene, "", "");
    dr_scene_destroy(scene);
}

static void test_values_that_were_set_are_named_by_their_path(void **unused)
{
    (void)unused;
    dr_scene *scene;
    dr_error error;
    parse_text(CELL "bodies: [{name: a, material: jelly, " BALL "}]\n", &scene, &error);
    dr_scene_set(scene, "bodies.a.material", "jely", &error);
    assert_problem(scene, "", "bodies.a.material=jely: body \"a\": material: there is no material \"jely\"");
    dr_scene_destroy(scene);
}

static void test_regions_that_multiply_are_refused(void **unused)
{
    (void)unused;
    char text[8000] = CELL "regions:\n  - {name: r0, shape: {type: sphere, radius: 1}}\n";
    for (int i = 1; i < 30; i++) {
        char line[200];
        snprintf(
            line, sizeof line,
            "  - {name: r%d, shape: {type: union, of: [{type: region, region: r%d}, {type: region, region: r%d}]}}\n",
            i, i - 1, i - 1);
        strcat(text, line);
    }
    dr_scene *scene;
    dr_error error;
    parse_text(text, &scene, &error);
    assert_string_equal(error.text, "");
    assert_problem(scene, text, "t.yaml:19:24: region \"r16\": shape is made of too many shapes");
    dr_scene_destroy(scene);
}

int main(void)
{
#ifndef DR_HAVE_FYAML
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_that_do_not_go_together_are_found),
        cmocka_unit_test(test_scenes_made_in_code_are_checked_by_the_tables),
        cmocka_unit_test(test_values_that_were_set_are_named_by_their_path),
        cmocka_unit_test(test_regions_that_multiply_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
