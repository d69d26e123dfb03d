// Liquid that flows from strand to strand: kept, with its momentum, and noticed by nobody who is far.
#include "world_test.h"

#define HEAD                                                                                                           \
    "gravity: [0, 0, 0]\n"                                                                                             \
    "domain: {cell: 0.1}\n"                                                                                            \
    "time: {frame_rate: 100, frames: 10, max_step: 0.2 ms}\n"                                                          \
    "materials:\n"                                                                                                     \
    "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e10, radius: 0.0037, damping: 1e5}\n"

// Four strands side by side, free, the outer ones hardly wet; they are joined as soon as they touch. flow: yes or no.
#define BUNDLE                                                                                                         \
    "contact: {bridge_flow: %s}\n"                                                                                     \
    "strands:\n"                                                                                                       \
    "  - {material: fibre, type: line, start: [0, 0, 0], end: [1, 0, 0], vertices: 12, root: free, contact: %s, "      \
    "film_height: 0.0002, film_drips: none, velocity: [0, 0, 8]}\n"                                                    \
    "  - {material: fibre, type: line, start: [0, 0.0085, 0], end: [1, 0.0085, 0], vertices: 9, root: free, contact: " \
    "%s, film_height: 0.0015, film_drips: none, velocity: [0, 0, 9]}\n"                                                \
    "  - {material: fibre, type: line, start: [0, 0.017, 0], end: [1, 0.017, 0], vertices: 12, root: free, contact: "  \
    "%s, film_height: 0.0015, film_drips: none, velocity: [0, 0, 10]}\n"                                               \
    "  - {material: fibre, type: line, start: [0, 0.0255, 0], end: [1, 0.0255, 0], vertices: 11, root: free, contact:" \
    " %s, film_height: 0.0002, film_drips: none, velocity: [0, 0, 11]}\n"
#define OUTER 12 // vertices of the first strand

static dr_world *open_bundle(const char *flow, const char *model, const char *more, int threads)
{
    char text[4096];
    snprintf(text, sizeof text, HEAD BUNDLE "%s", flow, model, model, model, model, more);
    return open_world(text, threads);
}

static const dr_frame_part *strands_of(dr_world *world)
{
    static dr_frame frame;
    dr_error error = {0};
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    for (int i = 0; i < frame.part_count; i++) {
        if (strcmp(frame.parts[i].name, "strands") == 0) return &frame.parts[i];
    }
    fail();
    return NULL;
}

static double outer_height(dr_world *world)
{
    const float *height = floats(strands_of(world), "film_height");
    double sum = 0.0;
    for (int v = 1; v + 1 < OUTER; v++) sum += (double)height[v] / (OUTER - 2);
    return sum;
}

static void test_bundles_share_their_liquid_and_keep_volume_and_momentum(void **state)
{
    (void)state;
    static const char *const models[] = {"penalty", "cone"};
    for (int i = 0; i < 2; i++) {
        double height[2];
        for (int on = 0; on < 2; on++) {
            dr_world *world = open_bundle(on ? "yes" : "no", models[i], "", 1);
            const dr_report *report = dr_world_report(world);
            double volume = report->volume_film, mass = report->mass, start[3];
            memcpy(start, report->linear_momentum, sizeof start);
            for (int k = 1; k <= 20; k++) {
                advance(world, 0.0002 * k);
                assert_true(fabs(report->volume_film - volume) < 1e-14 * volume);
                for (int a = 0; a < 3; a++)
                    assert_true(fabs(report->linear_momentum[a] - start[a]) < 1e-12 * 11.0 * mass);
            }
            height[on] = outer_height(world);
            dr_world_destroy(world);
        }
        assert_true(height[1] > 2.0 * height[0]);
    }
}

// A film so thick that its bridge has swallowed the neighbour, and pulls no more, wets it all the same, up to the ends.
static void test_a_thick_film_wets_its_dry_neighbour(void **state)
{
    (void)state;
    static const char *const models[] = {"penalty", "cone"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD
                 "contact: {bridge_flow: yes}\n"
                 "strands:\n"
                 "  - {material: fibre, type: line, start: [0, 0, 0], end: [1, 0, 0], vertices: 11, tip: clamped, "
                 "contact: %s, film_height: 0.004, film_drips: none}\n"
                 "  - {material: fibre, type: line, start: [0, 0.0085, 0], end: [1, 0.0085, 0], vertices: 11, tip: "
                 "clamped, contact: %s, film_height: 0.0001, film_drips: none}\n",
                 models[i], models[i]);
        dr_world *world = open_world(text, 1);
        double volume = dr_world_report(world)->volume_film;
        advance(world, 0.02);
        const float *height = floats(strands_of(world), "film_height");
        for (int v = 0; v < 11; v++) {
            if (!(height[11 + v] > 0.9f * height[v]))
                fail_msg("%s, vertex %d: %g beside %g", models[i], v, (double)height[11 + v], (double)height[v]);
        }
        assert_true(fabs(dr_world_report(world)->volume_film - volume) < 1e-14 * volume);
        dr_world_destroy(world);
    }
}

// A strand far away has the same bits whether or not liquid flows across the bundle.
static void test_far_strands_do_not_notice(void **state)
{
    (void)state;
    uint32_t bits[2][6];
    for (int on = 0; on < 2; on++) {
        dr_world *world = open_bundle(on ? "yes" : "no", "penalty",
                                      "  - {material: fibre, type: line, start: [9, 0, 0], end: [9, 2, 0], vertices: "
                                      "9, contact: penalty, film_height: 0.002, velocity: [3, 1, 0]}\n",
                                      1);
        for (int k = 1; k <= 20; k++) advance(world, 0.0002 * k);
        const dr_frame_part *part = strands_of(world);
        const float *x = floats(part, "position") + 3 * (part->point_count - 1),
                    *h = floats(part, "film_height") + part->point_count - 3;
        memcpy(bits[on], x, 3 * sizeof *x);
        memcpy(bits[on] + 3, h, 3 * sizeof *h);
        dr_world_destroy(world);
    }
    for (int a = 0; a < 6; a++) assert_int_equal(bits[0][a], bits[1][a]);
}

static void test_the_same_bits_for_any_threads_and_after_restore(void **state)
{
    (void)state;
    dr_world *world = open_bundle("yes", "cone", "", 1), *other = open_bundle("yes", "cone", "", 3);
    advance(world, 0.002);
    pass_state_on(world, other);
    advance(world, 0.004);
    advance(other, 0.004);
    assert_int_equal(dr_world_hash(world), dr_world_hash(other));
    dr_world_destroy(world);
    dr_world_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bundles_share_their_liquid_and_keep_volume_and_momentum),
        cmocka_unit_test(test_a_thick_film_wets_its_dry_neighbour),
        cmocka_unit_test(test_far_strands_do_not_notice),
        cmocka_unit_test(test_the_same_bits_for_any_threads_and_after_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
