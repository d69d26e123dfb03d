// Fabric by its threads: what follows, and what is refused. docs/theory/weave.md.
#include "scene/weave.h"
#include "support/check.h"

#include "base/error.h"
#include "base/number.h"
#include "drench/drench.h"
#include "scene/scene.h"

#include <math.h>

static dr_material_spec square_weave(void)
{
    return (dr_material_spec){
        .kind = DR_MATERIAL_CLOTH,
        .density = 1.5,
        .fibre_diameter = 15e-4,
        .stress_power = 2,
        .weave = {.ends = 20, .warp_yarn = 20e-5, .packing = 0.6, .fibre_modulus = 6e10, .cohesion = 2}};
}

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected))) fail_msg("%.15g, not %.15g", value, expected);
}

// Of equal threads, by hand.
static void test_a_square_weave(void **unused)
{
    (void)unused;
    dr_material_spec cloth = square_weave();
    dr_weave weave;
    assert_true(dr_weave_find(&cloth, &weave));
    double section = 20e-5 / 1.5, d = sqrt(4 * section / (DR_PI * 0.6)), crimp = 0.6 * d * d * 400;
    double bending = 2 * 6e10 * section * 2.25e-6 / 16, unbend = 25.0 / 3.0 * 2 * bending * 20 / (d * d);
    double stretch = 20 * 6e10 * section, weight = 2 * 20 * 20e-5 * (1 + crimp);
    for (int i = 0; i < 2; i++) {
        near(weave.height[i], d);
        near(weave.crimp[i], crimp);
        near(weave.stiffness[i], unbend * stretch / (unbend + stretch));
        near(weave.rigidity[i], 20 * bending / (1 + crimp));
    }
    near(weave.weight, weight);
    near(weave.thickness, 2 * d);
    assert_true(dr_weave_apply(&cloth));
    near(cloth.volume_fraction * cloth.thickness * cloth.density, weight);
    near(cloth.youngs_modulus * cloth.thickness * pow(cloth.volume_fraction, 2), weave.stiffness[0]);
}

// Stiffness by the work of a small strain: threads keep their length, what one loses in height the other gains.
static double work_of(const dr_weave *w, int i, double strain)
{
    int j = 1 - i;
    double p = w->pitch[j], length = p * (1 + 0.6 * pow(w->height[i] / p, 2)), longer = p * (1 + strain);
    double height = sqrt((length / longer - 1) / 0.6) * longer, change = w->height[i] - height, work = 0.0;
    for (int k = 0; k < 2; k++) work += 6 * w->bending[k] * change * change / pow(w->pitch[1 - k], 3);
    return work / (w->pitch[0] * w->pitch[1]);
}

static void test_stiffness_is_the_slope_of_the_work(void **unused)
{
    (void)unused;
    dr_material_spec cloth = square_weave();
    cloth.weave.picks = 10;
    cloth.weave.weft_yarn = 5e-5;
    cloth.weave.cohesion = 1;
    dr_weave weave;
    assert_true(dr_weave_find(&cloth, &weave));
    near(12 * weave.bending[0] * weave.height[0] / pow(weave.pitch[1], 3),
         12 * weave.bending[1] * weave.height[1] / pow(weave.pitch[0], 3));
    for (int i = 0; i < 2; i++) {
        double e = 1e-6, unbend = 2 * work_of(&weave, i, e) / (e * e);
        double stretch = 6e10 * weave.section[i] / weave.pitch[i], due = unbend * stretch / (unbend + stretch);
        // (5) leaves out the share 3/5 (h/p)^2 of the change of length.
        assert_true(fabs(weave.stiffness[i] / due - 1.0) < 3.0 * weave.crimp[i] + 1e-4);
    }
}

static void test_radius_and_mass_say_each_other(void **unused)
{
    (void)unused;
    dr_material_spec a = square_weave(), b = a;
    dr_weave x, y;
    assert_true(dr_weave_find(&a, &x));
    b.weave.warp_yarn = 0;
    b.weave.warp_radius = 0.5 * x.diameter[0];
    assert_true(dr_weave_find(&b, &y));
    near(y.mass[1], 20e-5);
    near(y.thickness, x.thickness);
}

static void refuse(const char *text, const char *words)
{
    dr_scene *scene = NULL;
    dr_error error = {0};
    dr_status status = dr_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &error);
    if (status == DR_STATUS_OK) status = dr_scene_check(scene, &error);
    if (status == DR_STATUS_OK || !strstr(error.text, words)) fail_msg("\"%s\" does not say \"%s\"", error.text, words);
    dr_scene_destroy(scene);
}

#define CLOTH(more)                                                                                                    \
    "domain: {cell: 1}\nmaterials: [{name: a, kind: cloth, density: 1.5, fibre_diameter: 15 um" more "}]"
#define YARN "warp_yarn: 20 tex, fibre_modulus: 6 GPa"

static void test_mistakes_are_named(void **unused)
{
    (void)unused;
    refuse(CLOTH(""), "thickness is missing");
    refuse(CLOTH(", thickness: 1 mm, youngs_modulus: 1 MPa, weave: {ends: 20 /cm, warp_yarn: 20 tex}"),
           "needs fibre_modulus");
    refuse(CLOTH(", weave: {ends: 200 /cm, " YARN "}"), "test.yaml:2:");
    refuse(CLOTH(", weave: {ends: 200 /cm, " YARN "}"), "threads of warp are 0.0168 cm thick: 200 of them do not fit");
    refuse(CLOTH(", thickness: 1 mm, weave: {ends: 20 /cm, " YARN "}"),
           "thickness follows from `weave`, which gives 0.0336");
    refuse(CLOTH(", weave: {ends: 20 cm, " YARN "}"), "a number per length");
}

// A value that is set counts, and what a run keeps of its scene reads back.
static void test_what_follows_follows_what_is_set(void **unused)
{
    (void)unused;
    const char *text = CLOTH(", weave: {ends: 20 /cm, " YARN "}");
    dr_scene *scene = NULL, *again = NULL;
    dr_error error = {0};
    char *copy = NULL;
    size_t length;
    assert_int_equal(dr_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &error), DR_STATUS_OK);
    double before = dr_scene_view(scene)->materials.items[0].thickness;
    assert_true(before > 0.03 && before < 0.04);
    assert_int_equal(dr_scene_set(scene, "materials.a.weave.warp_yarn", "45 denier", &error), DR_STATUS_OK);
    near(dr_scene_view(scene)->materials.items[0].thickness, 0.5 * before);
    assert_int_not_equal(dr_scene_set(scene, "materials.a.thickness", "1 mm", &error), DR_STATUS_OK);
    assert_int_equal(dr_scene_write_text(scene, &copy, &length, &error), DR_STATUS_OK);
    dr_error_clear(&error);
    if (dr_scene_parse(copy, length, "copy.yaml", NULL, &again, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    near(dr_scene_view(again)->materials.items[0].thickness, 0.5 * before);
    dr_scene_release_text(scene, copy, length);
    dr_scene_destroy(scene);
    dr_scene_destroy(again);
}

// Shirting and suiting as they are woven weigh and bend as the built-in ones.
static void test_built_in_fabrics_are_such_weaves(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double ends, picks, yarn, modulus;
    } rows[] = {{"cotton", 34, 27, 17e-5, 6e10}, {"wool", 24, 21, 50e-5, 3e10}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        dr_material_spec cloth = *dr_material_find(rows[i].name);
        double weight = cloth.volume_fraction * cloth.thickness * cloth.density;
        dr_weave weave;
        cloth.weave = (dr_weave_spec){.ends = rows[i].ends,
                                      .picks = rows[i].picks,
                                      .warp_yarn = rows[i].yarn,
                                      .packing = 0.6,
                                      .fibre_modulus = rows[i].modulus,
                                      .cohesion = 3};
        assert_true(dr_weave_find(&cloth, &weave));
        assert_true(fabs(weave.weight / weight - 1.0) < 0.15);
        assert_true(fabs(weave.thickness / cloth.thickness - 1.0) < 0.3);
        assert_true(fabs(weave.rigidity[0] / cloth.bending_rigidity - 1.0) < 0.15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_square_weave),
        cmocka_unit_test(test_stiffness_is_the_slope_of_the_work),
        cmocka_unit_test(test_radius_and_mass_say_each_other),
        cmocka_unit_test(test_mistakes_are_named),
        cmocka_unit_test(test_what_follows_follows_what_is_set),
        cmocka_unit_test(test_built_in_fabrics_are_such_weaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
