#include "world_test.h"

// What dr_scene_check says of a scene with cells of 0.5 cm; empty where nothing is wrong.
static const char *verdict(const char *domain, const char *rest)
{
    static dr_error error;
    char text[1000];
    snprintf(text, sizeof text, "domain: {cell: 0.5%s}\n%s", domain, rest);
    dr_scene *scene = parse_scene(text);
    error = (dr_error){0};
    dr_scene_check(scene, &error);
    dr_scene_destroy(scene);
    return error.count ? error.text : "";
}

static void assert_told(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("\"%s\" does not say \"%s\"", text, part);
}

#define BALL "bodies: [{name: ball, material: jelly, shape: {type: sphere, center: [0, 5, 0], radius: 2}}]\n"

static void test_a_body_that_would_get_no_particle_is_refused(void **unused)
{
    (void)unused;
    const char *const nothing[] = {
        "{type: sphere, radius: 0.001}",
        "{type: intersection, of: [{type: sphere, radius: 1}, {type: sphere, center: [5, 0, 0], radius: 1}]}"};
    const char *const materials[] = {"jelly", "water"};
    for (int i = 0; i < 4; i++) {
        char body[300];
        snprintf(body, sizeof body, "bodies: [{name: ghost, material: %s, shape: %s}]\n", materials[i & 1],
                 nothing[i >> 1]);
        assert_told(verdict("", body), "body \"ghost\": its shape holds no particle");
    }
    assert_string_equal(verdict("", BALL), "");
}

static void test_matter_beyond_the_grids_reach_is_refused(void **unused)
{
    (void)unused;
    const char *far = "bodies: [{name: far, material: jelly, shape: {type: sphere, center: [0, 0, 9e6], radius: 2}}]\n";
    assert_told(verdict("", far), "body \"far\": it reaches to 9e+06 cm in z");
}

static void test_a_periodic_direction_of_too_many_cells_is_refused(void **unused)
{
    (void)unused;
    assert_told(verdict(", min: [-1e7, 0, 0], max: [1e7, 10, 10], x_min: periodic, x_max: periodic", BALL),
                "more blocks than the grid can count");
}

static void test_what_stands_still_outside_the_domain_is_refused(void **unused)
{
    (void)unused;
    const char *domain = ", min: [-9, -9, -9], max: [9, 9, 9]";
    const char *const kinds[] = {"colliders: [{name: it, shape", "drains: [{name: it, shape",
                                 "forces: [{name: it, type: uniform, acceleration: [1, 0, 0], within"};
    for (int i = 0; i < 3; i++) {
        char text[400];
        snprintf(text, sizeof text, BALL "%s: {type: box, center: [20, 0, 0], size: [2, 2, 2]}}]\n", kinds[i]);
        assert_told(verdict(domain, text), "\"it\": it reaches from 19 to 21 cm in x, wholly outside the domain");
        snprintf(text, sizeof text, BALL "%s: {type: box, center: [9, 0, 0], size: [2, 2, 2]}}]\n", kinds[i]);
        assert_string_equal(verdict(domain, text), "");
    }
    assert_string_equal(verdict(domain,
                                BALL "colliders: [{shape: {type: sphere, center: [20, 0, 0], radius: 1}, motion: "
                                     "[{type: sine, amplitude: [20, 0, 0], frequency: 1}]}]\n"),
                        "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_body_that_would_get_no_particle_is_refused),
        cmocka_unit_test(test_matter_beyond_the_grids_reach_is_refused),
        cmocka_unit_test(test_a_periodic_direction_of_too_many_cells_is_refused),
        cmocka_unit_test(test_what_stands_still_outside_the_domain_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
