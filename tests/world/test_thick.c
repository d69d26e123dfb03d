// Thick liquids in a world: they go on with the same bits, and are water where they have no elastic part.
#include "world_test.h"

// A ball of cream falls onto paint and water.
#define MEETING                                                                                                        \
    "domain: {cell: 0.25, min: [-1, 0, -1], max: [1, 4, 1], x_min: slip, x_max: slip, y_min: sticky, z_min: slip, "    \
    "z_max: slip}\ntime: {fixed_step: 2 ms}\nbodies:\n"                                                                \
    "  - {material: acrylic paint, shape: {type: box, center: [-0.5, 0.5, 0], size: [1, 1, 2]}}\n"                     \
    "  - {material: water, shape: {type: box, center: [0.5, 0.5, 0], size: [1, 1, 2]}}\n"                              \
    "  - {material: shaving cream, shape: {type: sphere, center: [0, 2, 0], radius: 0.6}, velocity: [0, -50, 0]}\n"

static void test_restored_thick_liquids_go_on_with_the_same_bits(void **unused)
{
    (void)unused;
    dr_world *world = open_world(MEETING, 1), *other = open_world(MEETING, 1);
    take_steps(world, 9);
    pass_state_on(world, other);
    assert_true(dr_world_hash(world) == dr_world_hash(other));
    take_steps(world, 5);
    take_steps(other, 5);
    assert_true(dr_world_hash(world) == dr_world_hash(other));
    dr_world_destroy(world);
    dr_world_destroy(other);
}

static void test_thick_liquids_have_the_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    uint64_t hash = 0;
    for (int threads = 1; threads <= 8; threads *= 2) {
        dr_world *world = open_world(MEETING, threads);
        take_steps(world, 8);
        if (threads == 1) hash = dr_world_hash(world);
        assert_true(dr_world_hash(world) == hash);
        dr_world_destroy(world);
    }
}

#define POOL(material)                                                                                                 \
    "domain: {cell: 0.25, min: [-1, 0, -1], max: [1, 3, 1], x_min: slip, x_max: slip, y_min: sticky, z_min: slip, "    \
    "z_max: slip}\nmaterials: [{name: liquid, " material "}]\n"                                                        \
    "bodies: [{material: liquid, shape: {type: box, center: [-0.5, 1, 0], size: [1, 2, 2]}}]\n"

// Without an elastic part a rheometer's numbers are those of a Newtonian liquid.
static void test_water_of_a_rheometer_has_the_bits_of_water(void **unused)
{
    (void)unused;
    dr_world *water = open_world(POOL("kind: liquid, density: 1, viscosity: 8.9e-3"), 1);
    dr_world *other = open_world(POOL("preset: drilling mud, density: 1, shear_modulus: 0, surface_tension: 72, "
                                      "rheometer: {yield_stress: 0, consistency: 8.9e-3, index: 1}"),
                                 1);
    take_steps(water, 10);
    take_steps(other, 10);
    assert_true(dr_world_hash(water) == dr_world_hash(other));
    dr_world_destroy(water);
    dr_world_destroy(other);
}

static void test_a_yield_stress_needs_a_shear_modulus(void **unused)
{
    (void)unused;
    dr_scene *scene = parse_scene(POOL("kind: liquid, density: 1, yield_stress: 10"));
    dr_world *world = NULL;
    dr_error error = {0};
    dr_world_options options = {.threads = 1};
    assert_int_equal(dr_world_create(scene, &options, &world, &error), DR_STATUS_BAD_SCENE);
    assert_non_null(strstr(error.text, "shear_modulus"));
    dr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thick_liquids_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_restored_thick_liquids_go_on_with_the_same_bits),
        cmocka_unit_test(test_water_of_a_rheometer_has_the_bits_of_water),
        cmocka_unit_test(test_a_yield_stress_needs_a_shear_modulus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
