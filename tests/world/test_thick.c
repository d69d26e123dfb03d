// Thick liquids in a world: they go on with the same bits, and are water where they have no elastic part.
#include "world/world.h"
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

// Hair wet with mud falls into cream, a wet strand stands beside.
#define WET                                                                                                            \
    "domain: {cell: 0.25, min: [-1, 0, -1], max: [1, 4, 1], x_min: slip, x_max: slip, y_min: sticky, z_min: slip, "    \
    "z_max: slip}\ntime: {fixed_step: 1 ms}\nbodies:\n"                                                                \
    "  - {material: shaving cream, shape: {type: box, center: [0, 0.5, 0], size: [2, 1, 2]}}\n"                        \
    "strands:\n"                                                                                                       \
    "  - {material: hair, type: mat, center: [-0.5, 1.1, 0], axis: [1, 0, 0], width: 0.3, depth: 0.3, length: 1, "     \
    "count: 9, vertices: 9, root: free, velocity: [0, -100, 0], contact: none, film_material: shaving cream, "         \
    "film_capture: 0.01}\n"                                                                                            \
    "  - {material: hair, type: line, start: [0.8, 3.8, 0], end: [0.8, 2, 0], vertices: 20, contact: none, "           \
    "film_material: drilling mud, film_height: 0.02, film_drips: tips}\n"

static void test_wet_strands_in_thick_liquid_go_on_with_the_same_bits(void **unused)
{
    (void)unused;
    dr_world *world = open_world(WET, 1), *other = open_world(WET, 3);
    take_steps(world, 9);
    pass_state_on(world, other);
    take_steps(world, 5);
    take_steps(other, 5);
    assert_true(dr_world_hash(world) == dr_world_hash(other));
    dr_world_destroy(world);
    dr_world_destroy(other);
}

// A knot of strands in a ball of cream that flies past: what one loses the other gains.
static void test_cream_and_strands_keep_their_momentum(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "gravity: [0, 0, 0]\ndomain: {cell: 0.25}\ntime: {fixed_step: 1 ms}\nbodies:\n"
        "  - {material: shaving cream, shape: {type: sphere, center: [0, 0, 0], radius: 1}, velocity: [40, 20, 0]}\n"
        "strands:\n"
        "  - {material: hair, type: ball, center: [0, 0, 0], root_radius: 0.1, length: 0.6, count: 20, vertices: 9, "
        "root: free, contact: none}\n",
        1);
    double before[3] = {0.0}, after[3] = {0.0}, mass = 0.0;
    take_steps(world, 1);
    for (int a = 0; a < 3; a++) before[a] = dr_world_report(world)->linear_momentum[a];
    take_steps(world, 10);
    for (int a = 0; a < 3; a++) after[a] = dr_world_report(world)->linear_momentum[a];
    mass = dr_world_report(world)->mass;
    for (int a = 0; a < 3; a++) assert_true(fabs(after[a] - before[a]) < 2e-6 * mass * 45.0);
    dr_world_destroy(world);
}

// A layer on a sticky wall, pushed along it with 92 % of what its yield stress bears, swings and comes to rest.
static void test_a_layer_below_yield_does_not_creep_along_its_wall(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "gravity: [160, 0, 0]\ndomain: {cell: 0.25, min: [0, 0, 0], max: [2, 3, 2], x_min: periodic, x_max: periodic, "
        "y_min: sticky, z_min: periodic, z_max: periodic}\ntime: {fixed_step: 1 ms}\n"
        "materials: [{name: stiff, kind: liquid, density: 1, surface_tension: 0, bulk_modulus: 2e10, shear_modulus: "
        "1e5, "
        "yield_stress: 300, consistency: 50, flow_index: 1}]\n"
        "bodies: [{material: stiff, shape: {type: box, center: [1, 0.5, 1], size: [2, 1, 2]}}]\n",
        1);
    take_steps(world, 200);
    assert_true(fabs(dr_world_report(world)->linear_momentum[0] / dr_world_report(world)->mass) < 1e-3);
    dr_world_destroy(world);
}

// The eight materials of Fei et al. 2019.
static const char *const eight[] = {"water",      "tetrachloroethylene", "drilling mud", "acrylic paint",
                                    "milk cream", "shaving cream",       "oyster sauce", "milk chocolate"};

// Kinetic and potential energy never come back by more than this share, and every step is taken.
static void watch_fall(const char *text, int steps, double share)
{
    dr_world *world = open_world(text, 1);
    double least = INFINITY, first = 0.0;
    for (int i = 0; i < steps; i++) {
        take_steps(world, 1);
        const dr_report *report = dr_world_report(world);
        double energy = report->energy_kinetic + report->energy_potential;
        if (i == 0) first = energy;
        assert_true(energy < least + share * first);
        assert_true(!report->rejected_because || !strstr(report->rejected_because, "converge"));
        assert_int_equal(report->culled, 0);
        least = fmin(least, energy);
    }
    dr_world_destroy(world);
}

// A block slumps in a sticky box and a ball falls into it, at steps of a cell.
static void test_every_material_is_stable_at_courant_1(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof eight / sizeof *eight; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "time: {courant: 1, max_step: 50 ms}\ndomain: {cell: 0.25, min: [-1, 0, -1], max: [1, 8, 1], x_min: "
                 "sticky, x_max: sticky, y_min: sticky, z_min: sticky, z_max: sticky}\nbodies:\n"
                 "  - {material: %s, shape: {type: box, center: [-0.5, 1, 0], size: [1, 2, 2]}}\n"
                 "  - {material: %s, shape: {type: sphere, center: [0.4, 3, 0], radius: 0.5}, velocity: [0, -50, 0]}\n",
                 eight[i], eight[i]);
        watch_fall(text, 24, 0.02);
    }
}

// Hair falls into a bath, in steps of a millisecond.
static void test_strands_fall_into_every_material_at_1_ms(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof eight / sizeof *eight; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "time: {fixed_step: 1 ms}\ndomain: {cell: 0.25, min: [-1, 0, -1], max: [1, 4, 1], x_min: slip, x_max: "
                 "slip, y_min: sticky, z_min: slip, z_max: slip}\nbodies:\n"
                 "  - {material: %s, shape: {type: box, center: [0, 0.5, 0], size: [2, 1, 2]}}\nstrands:\n"
                 "  - {material: hair, type: mat, center: [-0.5, 1.1, 0], axis: [1, 0, 0], width: 0.4, depth: 0.4, "
                 "length: 1, count: 16, vertices: 9, root: free, velocity: [0, -100, 0]}\n",
                 eight[i]);
        watch_fall(text, 20, 0.02);
    }
}

// The height of a body's middle, and the largest speed in it.
static void find_middle(const dr_world *world, uint32_t body, double *height, double *fastest)
{
    const dr_particles *particles = &world->state.liquid;
    double sum = 0.0, mass = 0.0, most = 0.0;
    for (size_t p = 0; p < particles->count; p++) {
        double x[3];
        if (particles->body[p] != body) continue;
        dr_grid_position(&world->grid, particles->key[p], particles->offset + 3 * p, x);
        sum += (double)particles->mass[p] * x[1];
        mass += (double)particles->mass[p];
        for (int a = 0; a < 3; a++) most = fmax(most, fabs((double)particles->velocity[3 * p + (size_t)a]));
    }
    *height = sum / mass;
    *fastest = most;
}

// A block of chocolate, hardly lighter than water, falls into it: every step is taken, the block comes up and floats in
// one piece, all but its top under water.
static void test_thick_liquid_floats_in_thin(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.25, min: [-1, 0, -1], max: [1, 3, 1], x_min: slip, x_max: slip, y_min: slip, z_min: slip, "
        "z_max: slip}\nbodies:\n"
        "  - {material: water, shape: {type: box, center: [0, 0.5, 0], size: [2, 1, 2]}}\n"
        "  - {material: milk chocolate, shape: {type: box, center: [0, 1.5, 0], size: [1, 0.5, 1]}}\n",
        1);
    double height = 0.0, fastest = 0.0;
    while (dr_world_report(world)->time < 0.4) {
        take_steps(world, 1);
        const char *why = dr_world_report(world)->rejected_because;
        assert_true(!why || !strstr(why, "converge"));
    }
    find_middle(world, 1, &height, &fastest);
    assert_true(height > 0.75 && height < 1.05); // 1.125 is the surface, 0.87 the middle of a block that floats
    assert_true(fastest < 6.0);
    dr_world_destroy(world);
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

// A sheet thinner than a cell: its weight along the wall is seven tenths of what its yield stress bears.
static void test_a_thin_sheet_below_yield_stays_on_its_wall(void **unused)
{
    (void)unused;
    dr_world *world =
        open_world("gravity: [600, -400, 0]\ntime: {fixed_step: 2 ms}\n"
                   "domain: {cell: 0.2, min: [0, 0, 0], max: [4, 1, 0.8], y_min: sticky, z_min: symmetry, z_max: "
                   "symmetry}\n"
                   "materials: [{name: paste, kind: liquid, density: 1, surface_tension: 0, shear_modulus: 1e4, "
                   "rheometer: {yield_stress: 100, consistency: 20, index: 1}}]\n"
                   "bodies: [{material: paste, shape: {type: box, center: [1, 0.06, 0.4], size: [1.6, 0.12, 0.8]}}]\n",
                   1);
    const dr_particles *liquid = &world->state.liquid;
    take_steps(world, 150);
    double mean = 0.0;
    for (size_t p = 0; p < liquid->count; p++) mean += (double)liquid->velocity[3 * p] / (double)liquid->count;
    if (!(fabs(mean) < 0.03)) fail_msg("it slides at %g cm/s", mean);
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thick_liquids_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_restored_thick_liquids_go_on_with_the_same_bits),
        cmocka_unit_test(test_wet_strands_in_thick_liquid_go_on_with_the_same_bits),
        cmocka_unit_test(test_cream_and_strands_keep_their_momentum),
        cmocka_unit_test(test_a_layer_below_yield_does_not_creep_along_its_wall),
        cmocka_unit_test(test_a_thin_sheet_below_yield_stays_on_its_wall),
        cmocka_unit_test(test_every_material_is_stable_at_courant_1),
        cmocka_unit_test(test_strands_fall_into_every_material_at_1_ms),
        cmocka_unit_test(test_thick_liquid_floats_in_thin),
        cmocka_unit_test(test_water_of_a_rheometer_has_the_bits_of_water),
        cmocka_unit_test(test_a_yield_stress_needs_a_shear_modulus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
