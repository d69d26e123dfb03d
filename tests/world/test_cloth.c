// Cloth and yarn on the grid in worlds: free fall, momentum, what is held, contact, saved states, meshes that are
// wrong.
#include "world/world.h"
#include "world_test.h"

#include "base/memory.h"
#include "geom/sheet.h"

#define SHEET "{name: sheet, material: fabric, type: rectangle, width: 4, depth: 4, edge: 0.5}"

static void check_corners(const dr_sheet *sheet, const dr_frame_part *part, size_t layer)
{
    size_t found = 0, all = sheet->triangle_count;
    for (size_t t = 0; t < all; t++) {
        for (size_t i = layer * all; i < (layer + 1) * all; i++) {
            bool same = true;
            for (size_t k = 0; k < 3; k++)
                same = same && part->index[3 * i + k] == sheet->triangles[3 * t + k] + layer * sheet->vertex_count;
            found += same;
        }
    }
    assert_int_equal(found, all);
}

// Frames have the vertices of a mesh where its maker put them, wherever the solver keeps them.
static void test_frames_keep_the_order_of_vertices(void **unused)
{
    (void)unused;
    dr_arena arena;
    dr_sheet sheet;
    dr_sheet_rule rule = {DR_SHEET_RECTANGLE, DR_SHEET_ONE_DIAGONAL, .width = 9.0, .depth = 6.0, .edge = 0.5};
    dr_world *world = open_world("domain: {cell: 0.5}\ncloths: [{name: rag, material: fabric, type: rectangle, "
                                 "pattern: one_diagonal, axis: [0, 0, 1], width: 9, depth: 6, edge: 0.5, layers: 2}]\n",
                                 1);
    const dr_frame_part *part = find_part(world, "cloth");
    const float *x = floats(part, "position"), *uv = floats(part, "coordinates");
    dr_arena_open(&arena, NULL);
    assert_true(dr_sheet_make(&rule, &arena, &sheet));
    assert_int_equal(part->point_count, 2 * sheet.vertex_count);
    for (size_t i = 0; i < part->point_count; i++) {
        size_t v = i % sheet.vertex_count;
        for (size_t a = 0; a < 2; a++) {
            assert_true(fabs((double)x[3 * i + a] - sheet.position[3 * v + a]) < 1e-5);
            assert_true(fabs((double)uv[2 * i + a] - sheet.surface[2 * v + a]) < 1e-5);
        }
    }
    for (size_t layer = 0; layer < 2; layer++) check_corners(&sheet, part, layer);
    dr_arena_close(&arena);
    dr_world_destroy(world);
}

// After n steps x = x0 + g dt^2 n (n + 1) / 2, for every vertex alike.
static void test_free_fall_is_exact(void **unused)
{
    (void)unused;
    dr_world *world = open_world("domain: {cell: 0.5}\ntime: {fixed_step: 2e-5}\ncloths: [" SHEET "]\n", 1);
    take_steps(world, 400);
    const dr_frame_part *part = find_part(world, "cloth");
    const float *x = floats(part, "position");
    double expected = -981.0 * 4e-10 * 400 * 401 / 2;
    for (size_t v = 0; v < part->point_count; v++) {
        if (!(fabs((double)x[3 * v + 1] / expected - 1.0) < 2e-5))
            fail_msg("%g, not %g", (double)x[3 * v + 1], expected);
    }
    dr_world_destroy(world);
}

#define MEETING                                                                                                        \
    "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\n"                                                                        \
    "materials: [{name: soft, kind: elastic, density: 1, youngs_modulus: 1e5, poisson_ratio: 0.3}]\n"                  \
    "bodies: [{name: ball, material: soft, velocity: [0, -60, 10], shape: {type: sphere, center: [0.3, 2, 0], "        \
    "radius: "                                                                                                         \
    "1}}]\n"                                                                                                           \
    "cloths: [" SHEET "]\n"

static void test_momentum_of_cloth_and_a_body_is_kept(void **unused)
{
    (void)unused;
    dr_world *world = open_world(MEETING, 2);
    const dr_report *report = dr_world_report(world);
    double before[3], turning[3], mass = report->mass;
    memcpy(before, report->linear_momentum, sizeof before);
    memcpy(turning, report->angular_momentum, sizeof turning);
    double cloth_speed = 0.0;
    advance(world, 0.03);
    const dr_frame_part *part = find_part(world, "cloth");
    const float *v = floats(part, "velocity");
    for (size_t i = 0; i < part->point_count; i++) cloth_speed = fmin(cloth_speed, (double)v[3 * i + 1]);
    assert_true(cloth_speed < -20.0); // they met
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(report->linear_momentum[a] - before[a]) < 1e-5 * mass * 60.0);
        assert_true(fabs(report->angular_momentum[a] - turning[a]) < 2e-2 * mass * 60.0);
    }
    dr_world_destroy(world);
}

#define HELD                                                                                                           \
    "domain: {cell: 0.5}\n"                                                                                            \
    "cloths: [{name: sheet, material: fabric, type: rectangle, axis: [0, 0, 1], width: 3, depth: 3, edge: 0.5, "       \
    "holds: "                                                                                                          \
    "[{name: pin, edge: top, motion: [{type: sine, amplitude: [0.5, 0, 0], frequency: 5 Hz}], until: 0.1 s}]}]\n"

static double top_of(dr_world *world, size_t axis)
{
    const dr_frame_part *part = find_part(world, "cloth");
    const float *x = floats(part, "position");
    return (double)x[3 * (part->point_count - 1) + axis];
}

static void test_held_vertices_follow_and_are_let_go(void **unused)
{
    (void)unused;
    dr_world *world = open_world(HELD, 1);
    double x = top_of(world, 0), y = top_of(world, 1);
    advance(world, 0.05);
    assert_true(fabs(top_of(world, 0) - x - 0.5 * sin(2 * 3.14159265358979 * 5 * 0.05)) < 1e-5);
    assert_true(fabs(top_of(world, 1) - y) < 1e-5);
    advance(world, 0.16);
    assert_true(top_of(world, 1) < y - 0.5);
    dr_world_destroy(world);
}

// A strip reaches out of a clamp of whole triangles, bent by its weight.
#define CLAMPED(until)                                                                                                 \
    "domain: {cell: 0.5}\ntime: {integrator: implicit, max_step: 1 ms}\n"                                              \
    "materials: [{name: felt, preset: fabric, bending_rigidity: 400}]\n"                                               \
    "cloths: [{name: strip, material: felt, type: rectangle, width: 1.5, depth: 4, edge: 0.5, disturb: 0.05, holds: "  \
    "[{name: clamp, edge: bottom, depth: 0.6, until: " until "}]}]\n"

static int phase_of(dr_world *world)
{
    return world->cloth.bends[0].phase;
}

// Once it is let go it bends as if it had never been clamped, in a state that was restored too.
static void test_clamps_let_go(void **unused)
{
    (void)unused;
    dr_world *gone = open_world(CLAMPED("-1 s"), 1), *held = open_world(CLAMPED("0.02 s"), 1);
    dr_world *never = open_world("domain: {cell: 0.5}\ntime: {integrator: implicit, max_step: 1 ms}\n"
                                 "materials: [{name: felt, preset: fabric, bending_rigidity: 400}]\n"
                                 "cloths: [{name: strip, material: felt, type: rectangle, width: 1.5, depth: 4, edge: "
                                 "0.5}]\n",
                                 1);
    const dr_bending *free_one = &never->cloth.bends[0].bending;
    take_steps(gone, 1);
    take_steps(held, 1);
    assert_int_equal(phase_of(gone), 1);
    assert_int_equal(phase_of(held), 0);
    size_t roots = 3 * DR_BENDING_REACH * free_one->triangle_count * sizeof *free_one->root;
    assert_memory_equal(gone->cloth.bends[0].bending.root, free_one->root, roots);
    assert_true(memcmp(held->cloth.bends[0].bending.root, free_one->root, roots) != 0);
    advance(held, 0.03);
    take_steps(held, 1);
    assert_int_equal(phase_of(held), 1);
    assert_memory_equal(held->cloth.bends[0].bending.root, free_one->root, roots);
    dr_world_destroy(gone);
    dr_world_destroy(held);
    dr_world_destroy(never);
    check_bits_after_restore(CLAMPED("0.02 s"), 30, 5);
    check_bits_after_restore(CLAMPED("0.02 s"), 10, 15);
}

// Yarn that is drawn twisted, clamped at its root and let go: its twist goes, and it falls as a whole.
#define LET_GO(until)                                                                                                  \
    "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\ntime: {integrator: explicit}\nstrands: [{name: yarn, material: yarn, "   \
    "type: line, start: [0, 0, 0], end: [3, 0, 0], vertices: 9, contact: grid, root: clamped, tip: clamped, twist: "   \
    "6, "                                                                                                              \
    "root_until: " until "}]\n"

static double elastic_after(const char *text, double time)
{
    dr_world *world = open_world(text, 1);
    advance(world, time);
    double energy = dr_world_report(world)->energy_elastic;
    dr_world_destroy(world);
    return energy;
}

static void test_clamped_ends_of_yarn_are_let_go(void **unused)
{
    (void)unused;
    double held = elastic_after(LET_GO("never"), 0.01), gone = elastic_after(LET_GO("5 ms"), 0.01);
    assert_true(held > 0.0);
    assert_true(gone < 1e-3 * held);
    check_bits_after_restore(LET_GO("1 ms"), 40, 40);
}

// Two layers that fall on a floor lie one above the other.
#define LAYERS                                                                                                         \
    "domain: {cell: 0.5, min: [-10, 0, -10], max: [10, 20, 10], y_min: separate}\n"                                    \
    "materials: [{name: soft, preset: fabric, youngs_modulus: 1e5, transfer_damping: 0.3}]\n"                          \
    "cloths: [{name: stack, material: soft, type: rectangle, center: [0, 1.5, 0], width: 4, depth: 4, edge: 0.5, "     \
    "layers: 3, spacing: 1}]\n"

static void test_layers_do_not_pass_each_other(void **unused)
{
    (void)unused;
    dr_world *world = open_world(LAYERS, 2);
    advance(world, 0.25);
    const dr_frame_part *part = find_part(world, "cloth");
    const float *x = floats(part, "position");
    size_t n = part->point_count / 3;
    for (size_t v = 0; v < n; v++) {
        for (size_t layer = 0; layer < 2; layer++) {
            double low = (double)x[3 * (layer * n + v) + 1], high = (double)x[3 * ((layer + 1) * n + v) + 1];
            assert_true(low > 0.0 && high > low + 0.2);
        }
        assert_true((double)x[3 * (2 * n + v) + 1] < 3.0);
    }
    dr_world_destroy(world);
}

// Two sheets that fly against each other, press each other and part: then nothing holds them, and they keep the speed
// at which they part although they still share nodes of the grid.
#define PARTING                                                                                                        \
    "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\ntime: {fixed_step: 1e-4, integrator: explicit}\n"                        \
    "cloths: [{name: low, material: fabric, type: rectangle, width: 4, depth: 4, edge: 0.5, velocity: [0, 20, 0]}, "   \
    "{name: high, material: fabric, type: rectangle, width: 4, depth: 4, edge: 0.5, center: [0, 1.5, 0], velocity: "   \
    "[0, -20, 0]}]\n"

// How far the second half of the vertices is above the first, or how much faster.
static double find_rise(dr_world *world, const char *name)
{
    const dr_frame_part *part = find_part(world, "cloth");
    const float *x = floats(part, name);
    size_t half = part->point_count / 2;
    double rise = 0.0;
    for (size_t v = 0; v < half; v++) rise += ((double)x[3 * (v + half) + 1] - (double)x[3 * v + 1]) / (double)half;
    return rise;
}

static void test_layers_that_part_do_not_stick(void **unused)
{
    (void)unused;
    dr_world *world = open_world(PARTING, 1);
    advance(world, 0.05);
    double near = find_rise(world, "position"), speed = find_rise(world, "velocity");
    assert_true(near > 0.5 && near < 1.0); // they met, and share nodes
    assert_true(speed > 1.0);
    advance(world, 0.2);
    double far = find_rise(world, "position"), kept = find_rise(world, "velocity");
    if (!(kept > 0.99 * speed)) fail_msg("they part at %g cm/s after %g", kept, speed);
    assert_true(far > near + 0.14 * speed);
    dr_world_destroy(world);
}

static void test_same_bits_for_any_threads(void **unused)
{
    (void)unused;
    check_bits_for_any_threads(BUSY_CLOTH("time: {integrator: explicit}\n"), 150);
}

static void test_same_bits_after_restore(void **unused)
{
    (void)unused;
    check_bits_after_restore(BUSY_CLOTH("time: {integrator: explicit}\n"), 60, 60);
}

// A drop falls onto a sheet that is held at two edges: the sheet carries it, and no energy comes from nowhere.
#define CAUGHT                                                                                                         \
    "domain: {cell: 0.5}\n"                                                                                            \
    "materials: [{name: soft, preset: fabric, youngs_modulus: 1e6}, {name: water, preset: water}]\n"                   \
    "bodies: [{name: drop, material: water, shape: {type: sphere, center: [0, 1.4, 0], radius: 1}}]\n"                 \
    "cloths: [{name: sheet, material: soft, type: rectangle, width: 5, depth: 5, edge: 0.5, holds: [{name: left, "     \
    "edge: left}, {name: right, edge: right}]}]\n"

// As a build that numbers vertices otherwise would have written it.
static void test_states_kept_otherwise_are_refused(void **unused)
{
    (void)unused;
    static const char text[] = "domain: {cell: 0.5}\ncloths: [" SHEET "]\nstrands: [{material: yarn, type: line, "
                               "start: [0, 3, 0], end: [1, 3, 0], vertices: 5, contact: grid}]\n";
    static const char *const names[] = {"cloth/layout", "cloth_elements/layout", "yarn/layout"};
    dr_world *world = open_world(text, 1), *other = open_world(text, 1);
    take_steps(world, 3);
    uint64_t hash = dr_world_hash(other);
    for (size_t k = 0; k < 3; k++) {
        for (int missing = 0; missing < 2; missing++) {
            stored state = {0};
            dr_error error = {0};
            assert_int_equal(dr_world_save(world, store_array, &state, &error), DR_STATUS_OK);
            int i = 0;
            while (i < state.count && strcmp(state.names[i], names[k]) != 0) i++;
            assert_true(i < state.count);
            if (missing)
                state.names[i][0] = '?';
            else
                *(uint64_t *)(uintptr_t)state.arrays[i].data ^= 1;
            assert_int_equal(dr_world_restore(other, fetch_stored, &state, &error), DR_STATUS_UNSUPPORTED);
            assert_non_null(strstr(error.text, missing ? "does not say how it keeps" : "in another order"));
            assert_true(dr_world_hash(other) == hash);
            forget_stored(&state);
        }
    }
    world->cloth.number[0] ^= 1; // the same arrays, other vertices
    stored state = {0};
    dr_error error = {0};
    assert_int_equal(dr_world_save(world, store_array, &state, &error), DR_STATUS_OK);
    assert_int_equal(dr_world_restore(other, fetch_stored, &state, &error), DR_STATUS_UNSUPPORTED);
    forget_stored(&state);
    dr_world_destroy(world);
    dr_world_destroy(other);
}

static void test_a_held_sheet_catches_a_drop(void **unused)
{
    (void)unused;
    dr_world *world = open_world(CAUGHT, 1);
    const dr_report *report = dr_world_report(world);
    double first = report->energy_potential, most = 0.0;
    for (int i = 1; i <= 6; i++) {
        advance(world, 0.015 * i);
        double energy = report->energy_kinetic + report->energy_elastic + report->energy_potential;
        most = fmax(most, energy - first);
    }
    if (!(most < 0.05 * first)) fail_msg("%g of %g", most, first);
    assert_true(fabs(report->linear_momentum[1]) < 0.3 * report->mass * 981.0 * 0.09);
    dr_world_destroy(world);
}

static void test_cloth_and_liquid_share_momentum(void **unused)
{
    (void)unused;
    dr_world *world = open_world("gravity: [0, 0, 0]\ndomain: {cell: 0.5}\ncloths: [" SHEET "]\n"
                                 "bodies: [{name: drop, material: water, velocity: [0, -40, 0], shape: {type: sphere, "
                                 "center: [0, 1.4, 0], radius: 1}}]\n",
                                 1);
    const dr_report *report = dr_world_report(world);
    double before = report->linear_momentum[1];
    advance(world, 0.02);
    const dr_frame_part *part = find_part(world, "cloth");
    const float *v = floats(part, "velocity");
    double least = 0.0;
    for (size_t i = 0; i < part->point_count; i++) least = fmin(least, (double)v[3 * i + 1]);
    assert_true(least < -10.0);
    assert_true(fabs(report->linear_momentum[1] / before - 1.0) < 1e-3);
    dr_world_destroy(world);
}

// ---- what is wrong is named

static void expect_complaint(const char *mesh, const char *words)
{
    const char *path = "test_cloth_mesh.obj";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(mesh, file);
    fclose(file);
    const char *text = "domain: {cell: 0.5}\ncloths: [{name: rag, material: fabric, type: file, file: "
                       "test_cloth_mesh.obj}]\n";
    dr_scene *scene = NULL;
    dr_error error = {0};
    dr_status status = dr_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &error);
    if (status == DR_STATUS_OK) status = dr_scene_check(scene, &error);
    if (words) {
        assert_int_not_equal(status, DR_STATUS_OK);
        if (!strstr(error.text, words)) fail_msg("%s", error.text);
    } else if (status != DR_STATUS_OK) {
        fail_msg("%s", error.text);
    }
    dr_scene_destroy(scene);
    remove(path);
}

static void test_meshes_that_are_no_sheets_are_refused(void **unused)
{
    (void)unused;
    expect_complaint("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n", NULL);
    expect_complaint("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n",
                     "edge between vertices 1 and 2 has more than two triangles");
}

static void test_holds_that_hold_nothing_are_refused(void **unused)
{
    (void)unused;
    const char *text =
        "domain: {cell: 0.5}\ncloths: [{name: rag, material: fabric, type: rectangle, width: 2, depth: 2, "
        "holds: [{name: air, within: {type: sphere, center: [9, 9, 9], radius: 1}}]}]\n";
    dr_scene *scene = parse_scene(text);
    dr_error error = {0};
    assert_int_not_equal(dr_scene_check(scene, &error), DR_STATUS_OK);
    assert_non_null(strstr(error.text, "hold \"air\" holds no vertex"));
    dr_scene_destroy(scene);
}

static void test_cloth_deep_inside_a_collider_is_refused(void **unused)
{
    (void)unused;
    const char *text = "domain: {cell: 0.5}\ncloths: [{name: rag, material: fabric, type: rectangle, axis: [0, 0, 1], "
                       "width: 2, depth: 3, edge: 0.5}]\ncolliders: [{name: floor, shape: {type: half_space, normal: "
                       "[0, 1, 0], point: [0, -0.4, 0]}}]\n";
    dr_scene *scene = parse_scene(text);
    dr_error error = {0};
    assert_int_not_equal(dr_scene_check(scene, &error), DR_STATUS_OK);
    assert_non_null(strstr(error.text, "vertices are more than a cell inside a collider, up to 1.1 cm"));
    dr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_keep_the_order_of_vertices),
        cmocka_unit_test(test_free_fall_is_exact),
        cmocka_unit_test(test_momentum_of_cloth_and_a_body_is_kept),
        cmocka_unit_test(test_held_vertices_follow_and_are_let_go),
        cmocka_unit_test(test_clamps_let_go),
        cmocka_unit_test(test_clamped_ends_of_yarn_are_let_go),
        cmocka_unit_test(test_layers_do_not_pass_each_other),
        cmocka_unit_test(test_layers_that_part_do_not_stick),
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_same_bits_after_restore),
        cmocka_unit_test(test_states_kept_otherwise_are_refused),
        cmocka_unit_test(test_a_held_sheet_catches_a_drop),
        cmocka_unit_test(test_cloth_and_liquid_share_momentum),
        cmocka_unit_test(test_meshes_that_are_no_sheets_are_refused),
        cmocka_unit_test(test_holds_that_hold_nothing_are_refused),
        cmocka_unit_test(test_cloth_deep_inside_a_collider_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
