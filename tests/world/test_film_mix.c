// Several liquids on one strand: what it takes along, what it gives back, what drips, each counted by itself.
#include "world_test.h"

#include "world/world.h"

#define HEAD                                                                                                           \
    "materials:\n"                                                                                                     \
    "  - {name: hair, preset: hair}\n"                                                                                 \
    "  - {name: oil, kind: liquid, density: 0.9, viscosity: 0.3, surface_tension: 30}\n"                               \
    "  - {name: water, preset: water}\n"

// A film of oil that is drawn out of water, or dips into it.
#define POOL                                                                                                           \
    HEAD "time: {fixed_step: 2e-3}\n"                                                                                  \
         "domain: {cell: 0.2, min: [-1.2, -2, -0.8], max: [1.2, unbounded, 0.8], x_min: slip, x_max: slip, y_min: "    \
         "slip, z_min: slip, z_max: slip}\n"                                                                           \
         "bodies: [{name: pool, material: water, shape: {type: box, center: [0, -1, 0], size: [2.4, 2, 1.6]}}]\n"      \
         "strands: [{name: hair, material: hair, type: mat, center: [0, %g, 0], axis: [0, -1, 0], width: 0.6, depth: " \
         "0.6, count: 9, vertices: 12, length: 1.2, film_material: oil, film_height: 40 um, film_capture: 120 um, "    \
         "root_motion: [{type: keyframes, keys: [{time: 0}, {time: 0.2, translate: [0, %g, 0]}]}]}]\n"

static const char *names[2] = {"water", "oil"};

typedef struct amounts {
    double film[2], all[2]; // of water, of oil; or of two others
} amounts;

static int liquid_of(const dr_world *world, const char *name)
{
    for (int k = 0; k < world->constants.film_liquids.count; k++) {
        if (strcmp(world->constants.film_names[k], name) == 0) return k;
    }
    fail();
    return 0;
}

static amounts count_liquids(const dr_world *world)
{
    const dr_film *film = &world->state.film;
    const dr_particles *liquid = &world->state.liquid;
    amounts sum = {0};
    for (int i = 0; i < 2; i++) {
        int k = liquid_of(world, names[i]);
        for (size_t v = 0; v < film->vertices; v++) sum.film[i] += film->mix[(size_t)film->liquids * v + (size_t)k];
        sum.all[i] = sum.film[i];
        for (size_t p = 0; p < liquid->count; p++) {
            if (world->constants.matter[liquid->body[p]].liquid == k) sum.all[i] += (double)liquid->volume[p];
        }
    }
    return sum;
}

static void check_kept(const dr_world *world, const amounts *start)
{
    amounts now = count_liquids(world);
    for (int i = 0; i < 2; i++) {
        if (!(fabs(now.all[i] - start->all[i]) < 1e-12 * start->all[i]))
            fail_msg("liquid %d: %.17g of %.17g", i, now.all[i], start->all[i]);
    }
}

static void test_oil_on_hair_takes_water_along(void **unused)
{
    (void)unused;
    char text[2048];
    snprintf(text, sizeof text, POOL, 1.3, -0.5);
    dr_world *world = open_world(text, 2);
    dr_error error = {0};
    amounts start = count_liquids(world);
    assert_true(start.film[0] == 0.0 && start.film[1] > 0.0);
    for (int k = 0; k < 100; k++) {
        assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
        check_kept(world, &start);
    }
    amounts end = count_liquids(world);
    assert_true(end.film[0] > 0.02 * end.film[1] && end.film[1] > 0.0);
    const dr_film *film = &world->state.film;
    bool mixed = false;
    for (size_t v = 0; v < film->vertices; v++) {
        double sum = film->mix[2 * v] + film->mix[2 * v + 1];
        assert_true(fabs(sum - film->volume[v]) <= 1e-12 * film->volume[v] + 1e-22);
        mixed = mixed || (film->mix[2 * v] > 0.1 * sum && film->mix[2 * v + 1] > 0.1 * sum);
    }
    assert_true(mixed);
    dr_world_destroy(world);
}

static void test_mixtures_have_the_same_bits_for_any_threads_and_after_restore(void **unused)
{
    (void)unused;
    char text[2048];
    dr_error error = {0};
    snprintf(text, sizeof text, POOL, 1.3, -0.5);
    dr_world *world = open_world(text, 1), *other = open_world(text, 3);
    for (int k = 0; k < 60; k++) assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
    pass_state_on(world, other);
    for (int k = 0; k < 10; k++) {
        assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
        assert_int_equal(dr_world_step(other, 1.0, &error), DR_STATUS_OK);
    }
    assert_int_equal(dr_world_hash(world), dr_world_hash(other));
    dr_world_destroy(world);
    dr_world_destroy(other);
}

// A strand with oil and one with water hang side by side; liquid flows across, runs down and drips: of each its own.
static void test_drops_of_mixtures_are_of_their_liquids(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "materials:\n  - {name: hair, preset: hair}\n  - {name: water, preset: water}\n"
        "  - {name: oil, kind: liquid, density: 0.9, viscosity: 0.02, surface_tension: 30}\n"
        "gravity: [0, -98100, 0]\ndomain: {cell: 0.03}\ntime: {fixed_step: 2e-4}\ncontact: {bridge_flow: yes}\n"
        "strands:\n"
        "  - {material: hair, type: line, start: [0, 0, 0], end: [0, -1, 0], vertices: 21, film_material: oil, "
        "film_height: 15 um, film_drops: liquid, contact: penalty}\n"
        "  - {material: hair, type: line, start: [0.0095, 0, 0], end: [0.0095, -1, 0], vertices: 21, "
        "film_material: water, film_height: 15 um, film_drops: liquid, contact: penalty}\n",
        1);
    dr_error error = {0};
    amounts start = count_liquids(world);
    for (int k = 0; k < 700; k++) {
        assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
        check_kept(world, &start);
    }
    amounts end = count_liquids(world);
    const dr_film *film = &world->state.film;
    int oil = liquid_of(world, "oil");
    double across = 0.0; // oil on the strand that had water
    for (size_t v = 21; v < 42; v++) across += film->mix[2 * v + (size_t)oil];
    assert_true(across > 0.0);
    for (int i = 0; i < 2; i++) assert_true(end.film[i] < 0.9 * start.film[i]); // of each some has dripped
    dr_world_destroy(world);
}

// Whether some vertex has more than a trace of both liquids.
static bool is_mixed(const dr_film *film)
{
    for (size_t v = 0; v < film->vertices; v++) {
        double least = 1e-3 * film->volume[v];
        if (film->mix[2 * v] > least && film->mix[2 * v + 1] > least) return true;
    }
    return false;
}

// Mud on hair that dips into paint: thick liquids mix too, volumes of each are kept, bits do not depend on threads.
static void test_thick_liquids_mix_on_hair(void **unused)
{
    (void)unused;
    const char *const text =
        "materials:\n  - {name: hair, preset: hair}\n  - {name: paint, preset: acrylic paint}\n"
        "  - {name: mud, preset: drilling mud}\ntime: {fixed_step: 2e-3}\n"
        "domain: {cell: 0.2, min: [-0.8, -1, -0.8], max: [0.8, unbounded, 0.8], x_min: slip, x_max: slip, y_min: slip, "
        "z_min: slip, z_max: slip}\n"
        "bodies: [{name: pool, material: paint, shape: {type: box, center: [0, -0.5, 0], size: [1.6, 1, 1.6]}}]\n"
        "strands: [{name: hair, material: hair, type: mat, center: [0, 1.25, 0], axis: [0, -1, 0], width: 0.6, depth: "
        "0.6, count: 9, vertices: 12, length: 1.2, film_material: mud, film_height: 60 um, film_capture: 120 um, "
        "root_motion: [{type: keyframes, keys: [{time: 0}, {time: 0.1, translate: [0, -0.5, 0]}]}]}]\n";
    dr_world *world = open_world(text, 1), *other = open_world(text, 3);
    dr_error error = {0};
    names[0] = "paint";
    names[1] = "mud";
    amounts start = count_liquids(world);
    assert_true(start.film[0] == 0.0 && start.film[1] > 0.0);
    bool mixed = false;
    for (int k = 0; k < 50; k++) {
        assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
        check_kept(world, &start);
        mixed = mixed || is_mixed(&world->state.film);
        if (k == 30) pass_state_on(world, other);
        if (k > 30) assert_int_equal(dr_world_step(other, 1.0, &error), DR_STATUS_OK);
    }
    assert_true(mixed); // on the way: what is below the surface in the end has gone back
    assert_int_equal(dr_world_hash(world), dr_world_hash(other));
    names[0] = "water";
    names[1] = "oil";
    dr_world_destroy(world);
    dr_world_destroy(other);
}

// The volumes of each liquid are in frames, and a bridge of a mixed film pulls with its own surface tension.
static void test_mixtures_are_seen_in_frames_and_by_bridges(void **unused)
{
    (void)unused;
    char text[2048];
    snprintf(text, sizeof text, POOL, 1.3, -0.5);
    dr_world *world = open_world(text, 1);
    dr_frame frame;
    dr_error error = {0};
    advance(world, 0.2);
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    const dr_film *film = &world->state.film;
    int water = liquid_of(world, "water"), oil = liquid_of(world, "oil");
    const dr_frame_array *seen = NULL;
    for (int i = 0; i < frame.part_count && !seen; i++) seen = dr_frame_find(&frame.parts[i], "film_volume_water");
    assert_non_null(seen);
    const double *exposed = dr_film_stage_exposed(world);
    const dr_film_liquids *liquids = &world->constants.film_liquids;
    bool mixed = false;
    for (size_t v = 0; v < film->vertices; v++) {
        const double *mix = film->mix + 2 * v;
        double all = mix[0] + mix[1], open = world->strand_liquid.wet ? world->strand_liquid.exposed[v] : 1.0;
        assert_true(((const float *)seen->data)[v] == (float)mix[water]);
        if (!(all > 0.0)) continue;
        double sigma = (mix[0] * liquids->surface_tension[0] + mix[1] * liquids->surface_tension[1]) / all;
        assert_true(fabs(exposed[v] - open * sigma / liquids->surface_tension[oil]) < 1e-12);
        mixed = mixed || fabs(sigma / liquids->surface_tension[oil] - 1.0) > 0.01;
    }
    assert_true(mixed);
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixtures_are_seen_in_frames_and_by_bridges),
        cmocka_unit_test(test_oil_on_hair_takes_water_along),
        cmocka_unit_test(test_mixtures_have_the_same_bits_for_any_threads_and_after_restore),
        cmocka_unit_test(test_drops_of_mixtures_are_of_their_liquids),
        cmocka_unit_test(test_thick_liquids_mix_on_hair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
