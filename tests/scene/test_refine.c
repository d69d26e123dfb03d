#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "scene/ledger.h"

static const char sample[] =
    "domain: {cell: 1 cm}\n"
    "look: {liquid: {cell: 0.5 cm}}\n"
    "cloths:\n"
    "  - {name: made, material: fabric, type: rectangle, width: 10, depth: 10, edge: 2}\n"
    "  - {name: free, material: fabric, type: rectangle, width: 10, depth: 10}\n"
    "strands:\n"
    "  - {name: hair, material: hair, type: mat, width: 2, depth: 2, length: 3, count: 100, vertices: 20}\n"
    "  - {name: carpet, material: yarn, type: mat, width: 2, depth: 2, length: 3, count: 100, vertices: 20, contact: "
    "grid}\n"
    "  - {name: knit, material: yarn, type: knit, width: 4, depth: 4, spacing: 1, radius: 0.1, contact: grid}\n";

static dr_scene *make(double factor)
{
    dr_scene *scene;
    dr_error error;
    parse_text(sample, &scene, &error);
    assert_string_equal(error.text, "");
    dr_scene_refine(scene, factor);
    return scene;
}

static void test_a_finer_scene_has_smaller_cells_and_more_hair(void **unused)
{
    (void)unused;
    dr_scene *scene = make(2.0);
    const dr_scene_spec *spec = dr_scene_view(scene);
    const dr_strands_spec *strands = spec->strands.items;
    assert_true(spec->domain.cell == 0.5 && spec->look.liquid.cell == 0.25);
    assert_true(spec->cloths.items[0].edge == 1.0 && spec->cloths.items[1].edge == 0.0);
    assert_true(strands[0].count == 400 && strands[0].vertices == 20);
    assert_true(strands[1].count == 400 && strands[1].vertices == 40);
    assert_true(strands[2].spacing == 0.5 && strands[2].radius == 0.05 && strands[2].vertices == 20);
    dr_scene_destroy(scene);
}

static void test_a_coarser_scene_keeps_what_it_needs(void **unused)
{
    (void)unused;
    dr_scene *scene = make(0.01);
    const dr_strands_spec *strands = dr_scene_view(scene)->strands.items;
    assert_true(strands[0].count == 1 && strands[1].vertices == 3);
    dr_scene_destroy(scene);
}

static void test_finer_and_back_is_the_same_scene(void **unused)
{
    (void)unused;
    dr_scene *scene = make(1.0), *other = make(4.0);
    uint64_t first, second;
    dr_error error;
    dr_scene_hash(scene, &first, &error);
    dr_scene_refine(other, 0.25);
    dr_scene_hash(other, &second, &error);
    assert_true(first == second);
    dr_scene_destroy(scene);
    dr_scene_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_finer_scene_has_smaller_cells_and_more_hair),
        cmocka_unit_test(test_a_coarser_scene_keeps_what_it_needs),
        cmocka_unit_test(test_finer_and_back_is_the_same_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
