// Cloth that is treated roughly: whatever happens, it ends or stops with a word, and every number is one.
#include "world/world.h"
#include "world_test.h"

#include "math/vec.h"

static size_t count_vertices(dr_world *world, double *lowest, double *highest)
{
    static dr_frame frame;
    dr_error error = {0};
    size_t count = 0;
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    *lowest = INFINITY;
    *highest = -INFINITY;
    for (int i = 0; i < frame.part_count; i++) {
        if (strcmp(frame.parts[i].name, "cloth") != 0) continue;
        const float *x = floats(&frame.parts[i], "position"), *v = floats(&frame.parts[i], "velocity");
        count = frame.parts[i].point_count;
        for (size_t k = 0; k < 3 * count; k++) assert_true(isfinite(x[k]) && isfinite(v[k]));
        for (size_t k = 0; k < count; k++) {
            *lowest = fmin(*lowest, (double)x[3 * k + 1]);
            *highest = fmax(*highest, (double)x[3 * k + 1]);
        }
    }
    return count;
}

// Runs to `time` or so many steps; the state at the end is sound either way.
static bool endure(const char *text, double time, int steps, double *lowest, double *highest)
{
    dr_world *world = open_world(text, 1);
    dr_error error = {0};
    dr_status status = DR_STATUS_OK;
    for (int i = 0; i < steps && dr_world_time(world) < time && status == DR_STATUS_OK; i++)
        status = dr_world_step(world, time, &error);
    if (status != DR_STATUS_OK) {
        assert_int_equal(status, DR_STATUS_NUMERICS);
        assert_non_null(strstr(error.text, "was rejected"));
    }
    assert_true(count_vertices(world, lowest, highest) > 0);
    dr_world_destroy(world);
    return status == DR_STATUS_OK;
}

#define SOFT       "materials: [{name: soft, preset: fabric, youngs_modulus: 2e5}]\n"
#define SPACE      "domain: {cell: 0.5}\n"
#define EXPLICITLY "time: {integrator: explicit}\n"
#define IMPLICITLY "time: {integrator: implicit}\n"

#define PILE                                                                                                           \
    "domain: {cell: 0.5, min: [-9, 0, -9], max: [9, 30, 9], y_min: separate, friction: 0.3}\n" SOFT                    \
    "cloths: [{name: pile, material: soft, type: rectangle, width: 2, depth: 2, edge: 0.5, center: [0, 0.4, 0], "      \
    "layers: 20, spacing: 0.5, velocity: [0, -50, 0]}]\n"

static void test_twenty_layers_fall_into_a_pile(void **unused)
{
    (void)unused;
    double lowest, highest;
    assert_true(endure(PILE EXPLICITLY, 0.1, 100000, &lowest, &highest));
    assert_true(lowest > -0.5 && highest < 11.0);
    assert_true(endure(PILE IMPLICITLY, 0.05, 100000, &lowest, &highest));
    assert_true(lowest > -0.5 && highest < 11.0);
}

#define RING                                                                                                           \
    SPACE SOFT "cloths: [{name: scarf, material: soft, type: disc, radius: 2.5, edge: 0.5, holds: [{name: middle, "    \
               "within: {type: sphere, radius: 0.6}, motion: [{type: keyframes, keys: [{time: 0}, {time: 0.15, "       \
               "translate: [0, -5, 0]}]}]}]}]\n"                                                                       \
               "colliders: [{name: ring, shape: {type: torus, center: [0, -1, 0], radius: 1.6, tube: 0.5, axis: y}, "  \
               "friction: 0.2}]\n"

static void test_a_scarf_is_pulled_through_a_ring(void **unused)
{
    (void)unused;
    double lowest, highest;
    endure(RING EXPLICITLY, 0.12, 3000, &lowest, &highest);
    assert_true(lowest < -1.0);
    endure(RING IMPLICITLY, 0.06, 100, &lowest, &highest);
    assert_true(lowest < -0.3);
}

#define CLAP                                                                                                           \
    SPACE SOFT                                                                                                         \
        "cloths: [{name: rag, material: soft, type: rectangle, width: 3, depth: 3, edge: 0.5, disturb: 0.1}]\n"        \
        "colliders:\n"                                                                                                 \
        "- {name: above, shape: {type: box, center: [0, 2, 0], size: [4, 1, 4]}, friction: 0.5, motion: [{type: "      \
        "keyframes, keys: [{time: 0}, {time: 0.04, translate: [0, -1.4, 0]}]}]}\n"                                     \
        "- {name: below, shape: {type: box, center: [0, -2, 0], size: [4, 1, 4]}, friction: 0.5, motion: [{type: "     \
        "keyframes, keys: [{time: 0}, {time: 0.04, translate: [0, 1.4, 0]}]}]}\n"

static void test_hands_clap_on_a_rag(void **unused)
{
    (void)unused;
    double lowest, highest;
    endure(CLAP EXPLICITLY, 0.05, 2000, &lowest, &highest);
    assert_true(lowest > -3.0 && highest < 3.0);
    endure(CLAP IMPLICITLY, 0.05, 100, &lowest, &highest);
    assert_true(lowest > -3.0 && highest < 3.0);
}

#define RACK                                                                                                           \
    SPACE SOFT "cloths: [{name: strip, material: soft, type: rectangle, pattern: one_diagonal, width: 1, depth: 0.5, " \
               "edge: 0.5, holds: [{name: left, edge: left}, {name: right, edge: right, motion: [{type: keyframes, "   \
               "keys: [{time: 0}, {time: 0.1, translate: [1000, 0, 0]}]}]}]}]\n"

static void test_triangles_are_stretched_a_thousandfold(void **unused)
{
    (void)unused;
    double lowest, highest;
    endure(RACK EXPLICITLY, 0.1, 2000, &lowest, &highest);
    endure(RACK IMPLICITLY, 0.1, 200, &lowest, &highest);
}

#define NEEDLE                                                                                                         \
    SPACE SOFT                                                                                                         \
        "cloths: [{name: sheet, material: soft, type: rectangle, width: 3, depth: 3, edge: 0.5, holds: [{name: rim, "  \
        "edge: "                                                                                                       \
        "boundary}]}]\n"                                                                                               \
        "colliders: [{name: needle, shape: {type: capsule, center: [0.1, 2, 0.1], radius: 0.12, height: 2, axis: y}, " \
        "friction: 0.3, motion: [{type: keyframes, keys: [{time: 0}, {time: 0.08, translate: [0, -3, 0]}]}]}]\n"

static void test_a_needle_goes_through_a_sheet(void **unused)
{
    (void)unused;
    double lowest, highest;
    endure(NEEDLE EXPLICITLY, 0.1, 3000, &lowest, &highest);
    endure(NEEDLE IMPLICITLY, 0.1, 150, &lowest, &highest);
}

// Its root is pinned inside a capsule that turns: what leads out of it hangs, and is not drawn out ever further.
#define ROOTED                                                                                                         \
    "domain: {cell: 0.407}\nstrands: [{name: yarn, material: knit sweater, type: line, start: [0.64, 0.238, -2.78], "  \
    "end: [1.21, -2.11, 2.16], vertices: 17, contact: grid, root: pinned}]\n"                                          \
    "colliders: [{name: capsule, boundary: slip, friction: 0.244, shape: {type: capsule, center: [0.23, 0.0783, "      \
    "-3.43], radius: 1.38, height: 1.77, axis: z}, motion: [{type: spin, axis: [-0.56, -0.933, -0.49], rate: "         \
    "-4.03}]}]\n"

static void test_yarn_with_its_root_in_a_collider_hangs(void **unused)
{
    (void)unused;
    dr_world *world = open_world(ROOTED EXPLICITLY, 1);
    double most = 0.0;
    while (dr_world_report(world)->time < 0.06) {
        take_steps(world, 1);
        const dr_report *report = dr_world_report(world);
        most = fmax(most, report->energy_elastic);
        assert_true(report->energy_kinetic < 2.0 * report->mass * 981.0 * 3.0); // it has not fallen as far
    }
    assert_true(most < 100.0);
    dr_world_destroy(world);
}

// ---- who is to blame where a step is rejected

// Elements of two cells, so that the grid knows their corners apart; matter may cross a cell and a third in a step.
#define SPREAD                                                                                                         \
    "domain: {cell: 0.5}\ngravity: [0, 0, 0]\n" SOFT "time: {courant: %g, integrator: %s, min_step: %s, retries: %d, " \
    "max_step: 1 ms}\n"                                                                                                \
    "cloths:\n- {name: calm, material: soft, type: rectangle, center: [-9, 0, 0], width: 2, depth: 2, edge: 1}\n"      \
    "- {name: rash, material: soft, type: rectangle, pattern: one_diagonal, center: [9, 0, 0], width: 1, "             \
    "depth: 1, edge: 1}\n"                                                                                             \
    "strands:\n- {name: still, material: knit sweater, type: line, start: [0, 5, 0], end: [4, 5, 0], vertices: 5, "    \
    "contact: grid}\n"                                                                                                 \
    "- {name: yarn, material: knit sweater, type: line, start: [0, 9, 0], end: [4, 9, 0], vertices: 5, contact: "      \
    "grid}\n"

static dr_world *open_wide(double courant, const char *integrator, bool stubborn)
{
    char text[1600];
    snprintf(text, sizeof text, SPREAD, courant, integrator, stubborn ? "1 ms" : "1e-9 s", stubborn ? 0 : 20);
    return open_world(text, 1);
}

static dr_world *open_spread(const char *integrator, bool stubborn)
{
    return open_wide(0.9, integrator, stubborn);
}

// The corner of the last triangle of "rash" that no other has.
static size_t lone_corner(const dr_manifold *m)
{
    const uint32_t *corner = m->index + 3 * (m->elements - 1);
    for (int k = 0; k < 3; k++) {
        if (m->first[corner[k] + 1] - m->first[corner[k]] == 1) return corner[k];
    }
    fail();
    return 0;
}

// Which way it lies from the middle of its triangle.
static void find_way_out(const dr_manifold *m, size_t v, double out[3])
{
    double middle[3];
    dr_manifold_middle(m, m->elements - 1, middle);
    dr_vec3_sub(out, m->position + 3 * v, middle);
    dr_vec3_normalize(out, out, out);
}

static void expect_blame(dr_world *world, const char *what)
{
    dr_error error = {0};
    assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_NUMERICS);
    if (!strstr(error.text, what)) fail_msg("%s", error.text);
    dr_world_destroy(world);
}

static void throw_corner(dr_world *world, double speed)
{
    dr_manifold *m = &world->state.cloth;
    size_t v = lone_corner(m);
    double way[3];
    find_way_out(m, v, way);
    for (size_t a = 0; a < 3; a++) m->velocity[3 * v + a] = (float)(speed * way[a]);
}

static void test_a_triangle_that_is_not_finite_is_named(void **unused)
{
    (void)unused;
    const char *const integrators[] = {"explicit", "implicit"};
    for (int i = 0; i < 2; i++) {
        dr_world *world = open_spread(integrators[i], true);
        throw_corner(world, NAN);
        expect_blame(world, ": triangle 2 of cloth \"rash\" (vertices ");
    }
    dr_world *world = open_spread("explicit", true);
    throw_corner(world, NAN);
    expect_blame(world, ") is not finite");
}

static void test_a_triangle_that_would_be_torn_or_invert_is_named(void **unused)
{
    (void)unused;
    const char *const integrators[] = {"explicit", "implicit"};
    for (int i = 0; i < 2; i++) {
        dr_world *world = open_spread(integrators[i], true);
        throw_corner(world, 1e5);
        expect_blame(world, ") would be torn to ");
        world = open_spread(integrators[i], true);
        throw_corner(world, -1e5);
        expect_blame(world, ") would invert");
    }
}

static void test_a_triangle_that_is_too_fast_is_named(void **unused)
{
    (void)unused;
    dr_world *world = open_spread("explicit", true);
    dr_manifold *m = &world->state.cloth;
    for (size_t i = 3 * (m->elements - 2); i < 3 * m->elements; i++) m->velocity[3 * (size_t)m->index[i] + 1] = 1e5F;
    expect_blame(world, "matter moves faster than time.courant allows: triangle 1 of cloth \"rash\" (vertices 1, 2, 4) "
                        "has 1e+05 cm/s");
}

static void throw_vertex(dr_world *world, size_t v, float speed)
{
    world->state.yarn.velocity[3 * v] = speed;
}

static void test_segments_are_named_by_strand(void **unused)
{
    (void)unused;
    dr_world *world = open_spread("explicit", true);
    throw_vertex(world, 9, 1e5F);
    expect_blame(world, "segment 4 of strand 1 of \"yarn\" would be torn to ");
    world = open_spread("explicit", true);
    throw_vertex(world, 9, -1e5F);
    expect_blame(world, "segment 4 of strand 1 of \"yarn\" would invert");
    world = open_spread("explicit", true);
    throw_vertex(world, 9, NAN);
    expect_blame(world, "segment 4 of strand 1 of \"yarn\" is not finite");
}

// A step that is made at last tells what was wrong with the tries before.
static void test_the_report_of_a_step_names_who_had_it_rejected(void **unused)
{
    (void)unused;
    dr_world *world = open_spread("explicit", false);
    throw_corner(world, -4e4);
    take_steps(world, 1);
    const dr_report *report = dr_world_report(world);
    assert_true(report->rejected > 0);
    if (!strstr(report->rejected_because, "triangle 2 of cloth \"rash\"")) fail_msg("%s", report->rejected_because);
    dr_world_destroy(world);
}

// The corner inwards, the rest of its triangle against it.
static void close_triangle(dr_world *world, double speed)
{
    dr_manifold *m = &world->state.cloth;
    size_t lone = lone_corner(m), first = 3 * (m->elements - 1);
    double way[3];
    find_way_out(m, lone, way);
    for (size_t i = first; i < first + 3; i++) {
        size_t v = m->index[i];
        for (size_t a = 0; a < 3; a++) m->velocity[3 * v + a] = (float)((v == lone ? -speed : speed) * way[a]);
    }
}

static void expect_break(dr_world *world, const char *which, const char *of, const char *how)
{
    dr_error error = {0};
    char what[60];
    snprintf(what, sizeof what, "an element breaks: %s", which);
    dr_status status = dr_world_step(world, 1.0, &error);
    if (status != DR_STATUS_NUMERICS) fail_msg("no step was rejected where a %s%s", which, how);
    if (!strstr(error.text, what) || !strstr(error.text, of) || !strstr(error.text, how)) fail_msg("%s", error.text);
    dr_world_destroy(world);
}

// Nodes may move three cells here, and what breaks an element is rejected all the same.
static void test_a_step_that_inverts_or_tears_an_element_is_rejected(void **unused)
{
    (void)unused;
    const char *const integrators[] = {"explicit", "implicit"};
    for (int i = 0; i < 2; i++) {
        dr_world *world = open_wide(2.0, integrators[i], true);
        close_triangle(world, 1200.0);
        expect_break(world, "triangle ", " of cloth \"rash\" (vertices ", ") would invert");
        world = open_wide(2.0, integrators[i], true);
        throw_vertex(world, 8, 1200.0F);
        throw_vertex(world, 9, -1200.0F);
        expect_break(world, "segment 4", " of strand 1 of \"yarn\"", " would invert");
    }
    dr_world *world = open_wide(2.0, "explicit", true);
    throw_vertex(world, 8, -1200.0F);
    throw_vertex(world, 9, 1200.0F);
    expect_break(world, "segment 4", " of strand 1 of \"yarn\"", " would be torn to ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_triangle_that_is_not_finite_is_named),
        cmocka_unit_test(test_a_triangle_that_would_be_torn_or_invert_is_named),
        cmocka_unit_test(test_a_triangle_that_is_too_fast_is_named),
        cmocka_unit_test(test_segments_are_named_by_strand),
        cmocka_unit_test(test_a_step_that_inverts_or_tears_an_element_is_rejected),
        cmocka_unit_test(test_the_report_of_a_step_names_who_had_it_rejected),
        cmocka_unit_test(test_twenty_layers_fall_into_a_pile),
        cmocka_unit_test(test_a_scarf_is_pulled_through_a_ring),
        cmocka_unit_test(test_hands_clap_on_a_rag),
        cmocka_unit_test(test_triangles_are_stretched_a_thousandfold),
        cmocka_unit_test(test_a_needle_goes_through_a_sheet),
        cmocka_unit_test(test_yarn_with_its_root_in_a_collider_hangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
