// Yarn on the grid that bends and twists: momentum, frames that turn with what holds them, threads, saved states.
#include "world/world.h"
#include "world_test.h"

#define ROPE "materials: [{name: rope, kind: yarn, density: 1, youngs_modulus: 1e7, poisson_ratio: 0.3, radius: 0.1}]\n"

// A straight thread that would rather be a helix.
#define CURLING(more)                                                                                                  \
    "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\n" ROPE                                                                   \
    "strands: [{name: y, material: rope, type: line, start: [0, 0, 0], end: [6, 0, 0], vertices: 13, contact: grid, "  \
    "rest: curly, rest_curl_radius: 1, rest_curl_length: 2, " more "}]\n"

static void test_a_thread_that_curls_keeps_its_momentum(void **unused)
{
    (void)unused;
    dr_world *world = open_world(CURLING("root: free, velocity: [3, 0, 1]"), 1);
    const dr_report *report = dr_world_report(world);
    double linear[3], turning[3];
    memcpy(linear, report->linear_momentum, sizeof linear);
    memcpy(turning, report->angular_momentum, sizeof turning);
    assert_true(report->energy_elastic > 100.0);
    advance(world, 0.01);
    double size = sqrt(2.0 * report->mass * report->energy_kinetic);
    assert_true(report->energy_kinetic > 100.0); // it curls
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(report->linear_momentum[a] - linear[a]) < 1e-5 * size);
        assert_true(fabs(report->angular_momentum[a] - turning[a]) < 1e-3 * size * 6.0);
    }
    dr_world_destroy(world);
}

static double energy_after(const char *text, double time)
{
    dr_world *world = open_world(text, 1);
    advance(world, time);
    double energy = dr_world_report(world)->energy_elastic;
    dr_world_destroy(world);
    return energy;
}

// Both ends of a straight thread are clamped, one turns: k_t angle^2 / (2 length) of energy, from clamp to clamp.
static void test_an_end_that_turns_twists_the_thread(void **unused)
{
    (void)unused;
    const char *explicit_steps = "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\ntime: {integrator: explicit}\n" ROPE
                                 "strands: [{name: y, material: rope, type: line, start: [0, 0, 0], end: [6, 0, 0], "
                                 "vertices: 13, contact: grid, root: clamped, tip: clamped, tip_motion: [{type: "
                                 "keyframes, keys: [{time: 0 s}, {time: 0.02 s, rotate: [60 deg, 0, 0]}]}]}]\n";
    const char *implicit_steps = "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\ntime: {integrator: implicit}\n" ROPE
                                 "strands: [{name: y, material: rope, type: line, start: [0, 0, 0], end: [6, 0, 0], "
                                 "vertices: 13, contact: grid, root: clamped, tip: clamped, tip_motion: [{type: "
                                 "keyframes, keys: [{time: 0 s}, {time: 0.02 s, rotate: [60 deg, 0, 0]}]}]}]\n";
    double angle = 3.14159265358979323846 / 3.0, torsion = 1e7 / 2.6 * 0.5 * 3.14159265358979323846 * 1e-4;
    double expected = 0.5 * torsion * angle * angle / 5.5;
    double first = energy_after(explicit_steps, 0.021), second = energy_after(implicit_steps, 0.021);
    if (!(fabs(first / expected - 1.0) < 1e-3)) fail_msg("explicit: %g, not %g", first, expected);
    if (!(fabs(second / expected - 1.0) < 1e-3)) fail_msg("implicit: %g, not %g", second, expected);
}

// How far the vertices of a soft yarn have gone from where they were drawn, with air that slows them down.
static double wander(const char *ends, const char *more)
{
    char text[900];
    snprintf(text, sizeof text,
             "domain: {cell: 0.5}\ntime: {integrator: implicit}\nmaterials: [{name: rope, kind: yarn, density: 1, "
             "youngs_modulus: 1e6, poisson_ratio: 0.3, radius: 0.1}]\n"
             "forces: [{name: air, type: wind, velocity: [0, 0, 0], rate: 20}]\n"
             "strands: [{name: y, material: rope, type: line, start: [0, 0, 0], end: %s, vertices: 13, contact: grid, "
             "root: clamped, tip: free%s}]\n",
             ends, more);
    dr_world *world = open_world(text, 1);
    size_t count = find_part(world, "yarn")->point_count;
    float drawn[3 * 13];
    double most = 0.0;
    assert_int_equal(count, 13);
    memcpy(drawn, floats(find_part(world, "yarn"), "position"), sizeof drawn);
    advance(world, 0.5);
    const float *x = floats(find_part(world, "yarn"), "position");
    for (size_t i = 0; i < 3 * count; i++) most = fmax(most, fabs((double)(x[i] - drawn[i])));
    dr_world_destroy(world);
    return most;
}

static void test_yarn_that_is_sag_free_stays_as_drawn(void **unused)
{
    (void)unused;
    double sags = wander("[6, 0, 0]", ""), stays = wander("[6, 0, 0]", ", sag_free: yes");
    if (!(sags > 2.0 && stays < 0.1 * sags)) fail_msg("level: %g cm, sag-free %g cm", sags, stays);
    sags = wander("[0, -6, 0]", ""), stays = wander("[0, -6, 0]", ", sag_free: yes");
    if (!(sags > 0.01 && stays < 0.1 * sags)) fail_msg("upright: %g cm, sag-free %g cm", sags, stays);
}

static void test_no_share_of_a_rod_is_no_resistance(void **unused)
{
    (void)unused;
    const char *slack =
        "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\nmaterials: [{name: rope, kind: yarn, density: 1, "
        "youngs_modulus: 1e7, radius: 0.1, bending_share: 0}]\nstrands: [{name: y, material: rope, type: "
        "line, start: [0, 0, 0], end: [6, 0, 0], vertices: 13, contact: grid, root: free, rest: curly, "
        "rest_curl_radius: 1}]\n";
    assert_true(energy_after(slack, 0.002) == 0.0);
    double whole = energy_after(CURLING("root: clamped, tip: clamped"), 1e-6);
    assert_true(whole > 100.0);
}

// One thread is held, the other hangs on it by its seam.
#define SEAM(more)                                                                                                     \
    "domain: {cell: 0.5}\n" ROPE "strands:\n"                                                                          \
    "  - {name: rail, material: rope, type: line, start: [0, 0, 0], end: [4, 0, 0], vertices: 9, contact: grid, "      \
    "root: "                                                                                                           \
    "clamped, tip: clamped}\n"                                                                                         \
    "  - {name: rag, material: rope, type: line, start: [0, -0.5, 0], end: [4, -0.5, 0], vertices: 9, contact: grid, " \
    "root: free" more "}\n"

static void test_a_seam_holds(void **unused)
{
    (void)unused;
    const char *text[2] = {SEAM(", sewn_to: rail, sewn_within: 0.6"), SEAM("")};
    double lowest[2] = {0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        dr_world *world = open_world(text[i], 1);
        advance(world, 0.04);
        const dr_frame_part *part = find_part(world, "yarn");
        const float *x = floats(part, "position");
        for (size_t v = 0; v < part->point_count; v++) lowest[i] = fmin(lowest[i], (double)x[3 * v + 1]);
        dr_world_destroy(world);
    }
    if (!(lowest[0] > -0.7)) fail_msg("it hangs at %g", lowest[0]);
    assert_true(lowest[1] < -0.9);
}

// Loops of yarn on a towel that is held by two edges and shaken over a ball: their feet go where the cloth goes, and
// nothing else holds them.
#define TOWEL(integrator)                                                                                              \
    "domain: {cell: 0.5}\ntime: {integrator: " integrator "}\nstrands:\n"                                              \
    "  - {name: first, material: yarn, type: arc, center: [-0.5, 0.02, 0], axis: [0, 0, 1], root_radius: 0.5, sweep: " \
    "180 deg, vertices: 7, "                                                                                           \
    "contact: grid, root: free, sewn_to: towel, sewn_within: 0.1}\n"                                                   \
    "cloths: [{name: towel, material: terry, type: rectangle, pattern: one_diagonal, width: 4, depth: 4, edge: 0.5, "  \
    "holds: [{name: hand, edge: left, motion: [{type: sine, amplitude: [0, 0.5, 0], frequency: 8 Hz}]}]}]\n"           \
    "colliders: [{name: ball, shape: {type: sphere, center: [0.5, -1, 0], radius: 0.8}, friction: 0.4}]\n"

static void test_yarn_and_cloth_are_joined(void **unused)
{
    (void)unused;
    static const char *const text[] = {TOWEL("explicit"), TOWEL("implicit")};
    for (int i = 0; i < 2; i++) {
        dr_world *world = open_world(text[i], 1);
        const dr_frame_part *part = find_part(world, "cloth");
        size_t root = SIZE_MAX, tip = SIZE_MAX;
        for (size_t v = 0; v < part->point_count; v++) {
            const float *x = floats(part, "position") + 3 * v;
            if (fabs((double)x[2]) < 1e-6 && fabs((double)x[0]) < 1e-6) root = v;
            if (fabs((double)x[2]) < 1e-6 && fabs((double)x[0] + 1.0) < 1e-6) tip = v;
        }
        assert_true(root < part->point_count && tip < part->point_count);
        advance(world, 0.1);
        float place[6];
        part = find_part(world, "cloth");
        memcpy(place, floats(part, "position") + 3 * root, 3 * sizeof *place);
        memcpy(place + 3, floats(part, "position") + 3 * tip, 3 * sizeof *place);
        const dr_frame_part *yarn = find_part(world, "yarn");
        const float *x = floats(yarn, "position");
        assert_memory_equal(x, place, 3 * sizeof *place);
        assert_memory_equal(x + 3 * (yarn->point_count - 1), place + 3, 3 * sizeof *place);
        assert_true(fabs((double)place[1]) > 0.05);                        // it moved
        assert_true(fabs((double)x[3 * 3 + 1] - (double)place[1]) > 0.05); // and the loop is one
        dr_world_destroy(world);
    }
    check_bits_after_restore(TOWEL("implicit"), 10, 10);
    // a yarn that stands on the cloth, with vertices much closer than the reach, has one foot
    dr_world *world = open_world("domain: {cell: 0.5}\nstrands: [{name: hair, material: yarn, type: line, start: [0, "
                                 "0.02, 0], end: [0, 1, 0], vertices: 15, contact: grid, root: free, sewn_to: rag, "
                                 "sewn_within: 0.3}]\ncloths: [{name: rag, material: fabric, type: rectangle, pattern: "
                                 "one_diagonal, width: 2, depth: 2, edge: 0.5}]\n",
                                 1);
    assert_int_equal(world->cloth.join_count, 1);
    assert_int_equal(world->cloth.joins[0].yarn, 0);
    dr_world_destroy(world);
}

static void expect_refusal(const char *more, const char *words)
{
    char text[2000];
    snprintf(text, sizeof text, SEAM("%s"), more);
    dr_scene *scene = parse_scene(text);
    dr_error error = {0};
    assert_int_not_equal(dr_scene_check(scene, &error), DR_STATUS_OK);
    if (!strstr(error.text, words)) fail_msg("%s", error.text);
    dr_scene_destroy(scene);
}

static void test_seams_that_join_nothing_are_refused(void **unused)
{
    (void)unused;
    expect_refusal(", sewn_to: curtain", "there is no cloth and there are no other strands of that name");
    expect_refusal(", sewn_to: rail, sewn_within: 0.1", "no vertices are that near to each other");
}

// A tube knitted of one yarn about a ball that is a little too wide for it: where the ball is not, the loops stay where
// they were drawn.
#define TUBE                                                                                                           \
    "domain: {cell: 0.5}\n" ROPE                                                                                       \
    "strands: [{name: tube, material: rope, type: knit, round: yes, width: 12, depth: 8, "                             \
    "spacing: 1, vertices: 12, contact: grid, root: free}]\n"

static void test_a_collider_moves_the_loops_inside_it_alone(void **unused)
{
    (void)unused;
    dr_world *alone = open_world(TUBE, 1);
    dr_world *about = open_world(TUBE "colliders: [{name: ball, shape: {type: sphere, radius: 1.9}}]\n", 1);
    const dr_frame_part *drawn = find_part(alone, "yarn");
    size_t count = drawn->point_count, inside = 0;
    const float *from = floats(drawn, "position"), *to = floats(find_part(about, "yarn"), "position");
    for (size_t v = 0; v < 3 * count; v += 3) {
        const float *x = from + v, *y = to + v;
        double moved = hypot(hypot((double)(y[0] - x[0]), (double)(y[1] - x[1])), (double)(y[2] - x[2]));
        double depth = 2.0 - hypot(hypot((double)x[0], (double)x[1]), (double)x[2]); // of the yarn's surface
        inside += depth > 0.1;
        if (!(moved < fmax(depth, 0.0) + 1e-5)) fail_msg("moved by %g cm, %g cm deep", moved, depth);
        assert_true(hypot(hypot((double)y[0], (double)y[1]), (double)y[2]) > 1.99 - 1e-5);
    }
    assert_true(inside > 0 && inside < count / 4);
    dr_world_destroy(alone);
    dr_world_destroy(about);
}

static void test_same_bits_for_any_threads(void **unused)
{
    (void)unused;
    check_bits_for_any_threads(CURLING("root: clamped"), 30);
    check_bits_for_any_threads("time: {integrator: implicit}\n" CURLING("root: clamped"), 6);
}

static void test_same_bits_after_restore(void **unused)
{
    (void)unused;
    check_bits_after_restore(CURLING("root: clamped"), 20, 20);
    check_bits_after_restore("time: {integrator: implicit}\n" CURLING("root: clamped"), 4, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_thread_that_curls_keeps_its_momentum),
        cmocka_unit_test(test_an_end_that_turns_twists_the_thread),
        cmocka_unit_test(test_yarn_that_is_sag_free_stays_as_drawn),
        cmocka_unit_test(test_no_share_of_a_rod_is_no_resistance),
        cmocka_unit_test(test_a_seam_holds),
        cmocka_unit_test(test_yarn_and_cloth_are_joined),
        cmocka_unit_test(test_seams_that_join_nothing_are_refused),
        cmocka_unit_test(test_a_collider_moves_the_loops_inside_it_alone),
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_same_bits_after_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
