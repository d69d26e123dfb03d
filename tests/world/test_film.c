// Films in worlds: through the ordinary step, dripping into liquid, saved and restored, the same for any threads.
#include "world_test.h"

#define HEAD                                                                                                           \
    "domain: {cell: 0.1}\n"                                                                                            \
    "time: {frame_rate: 100, frames: 10, max_step: 1 ms}\n"                                                            \
    "materials:\n"                                                                                                     \
    "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e10, radius: 0.005, damping: 1e5}\n"

// A tuft that is shaken; what drips is liquid.
#define SHAKEN                                                                                                         \
    "strands:\n"                                                                                                       \
    "  - {name: tuft, material: fibre, type: tuft, axis: [0, -1, 0], root_radius: 0.3, count: 6, vertices: 14, "       \
    "length: 2, contact: %s, film_height: 0.02, film_drops: liquid, root_motion: [{type: sine, amplitude: [0.3, 0, "   \
    "0], frequency: 8}]}\n"

static double all_liquid(const dr_report *report)
{
    return report->volume_bulk + report->volume_film + report->volume_drained;
}

static dr_world *open_shaken(const char *contact, int threads)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD SHAKEN, contact);
    return open_world(text, threads);
}

static void test_every_drop_is_counted(void **state)
{
    (void)state;
    dr_world *world = open_shaken("none", 1);
    const dr_report *report = dr_world_report(world);
    double start = all_liquid(report);
    advance(world, 0.1);
    assert_true(report->volume_bulk > 0.01 * start && report->volume_film > 0.01 * start);
    assert_true(fabs(all_liquid(report) - start) < 1e-12 * start);
    assert_int_equal(report->emitted, 0);
    dr_world_destroy(world);
}

static void test_restored_films_go_on_with_the_same_bits(void **state)
{
    (void)state;
    dr_world *world = open_shaken("cone", 2), *other = open_shaken("cone", 1);
    advance(world, 0.03);
    pass_state_on(world, other);
    advance(world, 0.05);
    advance(other, 0.05);
    assert_true(dr_world_report(world)->volume_bulk > 0.0);
    assert_int_equal(dr_world_hash(world), dr_world_hash(other));
    dr_world_destroy(world);
    dr_world_destroy(other);
}

static void test_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; threads++) {
        dr_world *world = open_shaken("none", threads);
        advance(world, 0.04);
        if (threads > 1) assert_int_equal(dr_world_hash(world), hash);
        hash = dr_world_hash(world);
        dr_world_destroy(world);
    }
}

// In free fall nothing but gravity acts: momentum of strand, film and drops.
static void test_a_free_wet_strand_keeps_momentum_while_it_drips(void **state)
{
    (void)state;
    dr_world *world = open_world(
        HEAD "gravity: [0, 0, 0]\n"
             "strands: [{material: fibre, type: arc, root_radius: 1, sweep: 120 deg, axis: [0, 0, 1], vertices: 20, "
             "root: free, contact: none, velocity: [30, 0, 0], film_height: 0.03, film_from: 0.3, film_to: 1}]\n",
        1);
    const dr_report *report = dr_world_report(world);
    double start[3], mass = report->mass;
    memcpy(start, report->linear_momentum, sizeof start);
    assert_true(fabs(start[0] - 30.0 * mass) < 1e-12 * mass * 30.0);
    advance(world, 0.05);
    for (int a = 0; a < 3; a++) assert_true(fabs(report->linear_momentum[a] - start[a]) < 1e-11 * 30.0 * mass);
    dr_world_destroy(world);
}

// A strand far away has the same bits whether or not another one drips, and whether or not it could be wet.
static void test_far_strands_do_not_notice(void **state)
{
    (void)state;
    static const char *const others[] = {"", ", film_height: 0.02"};
    uint64_t bits[2][3];
    for (int i = 0; i < 2; i++) {
        char text[2048];
        dr_frame frame;
        snprintf(text, sizeof text,
                 HEAD
                 "strands:\n"
                 "  - {material: fibre, type: line, start: [0, 0, 0], end: [2, 0, 0], vertices: 12, contact: none}\n"
                 "  - {material: fibre, type: line, start: [9, 0, 0], end: [9, -2, 0], vertices: 9, contact: none, "
                 "film_drips: all%s}\n",
                 others[i]);
        dr_world *world = open_world(text, 1);
        for (int k = 0; k < 40; k++) advance(world, 0.001 * (k + 1));
        dr_error error = {0};
        assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
        const float *x = floats(&frame.parts[frame.part_count > 1 ? frame.part_count - 1 : 0], "position");
        for (int p = 0; p < frame.part_count; p++) {
            if (strcmp(frame.parts[p].name, "strands") == 0) x = floats(&frame.parts[p], "position");
        }
        for (int a = 0; a < 3; a++) {
            uint32_t word;
            memcpy(&word, x + 3 * 11 + a, sizeof word);
            bits[i][a] = word;
        }
        assert_true(i == 0 || dr_world_report(world)->volume_film > 0.0);
        dr_world_destroy(world);
    }
    for (int a = 0; a < 3; a++) assert_int_equal(bits[0][a], bits[1][a]);
}

// Nothing explodes: a wet root that is whipped, strong surface tension, thin and thick films.
static void test_rough_treatment_stays_finite(void **state)
{
    (void)state;
    static const char *const wild[] = {
        "film_height: 0.02, root_motion: [{type: sine, amplitude: [5, 0, 0], frequency: 60}]", "film_height: 1e-9 cm",
        "film_height: 0.5", "film_height: 0.02, film_material: strong", "film_height: 0.02, film_material: thick"};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD "  - {name: strong, kind: liquid, density: 1, viscosity: 0.01, surface_tension: 10000}\n"
                      "  - {name: thick, kind: liquid, density: 1, viscosity: 1e4, surface_tension: 72}\n"
                      "strands:\n  - {material: fibre, type: line, end: [0, -2, 0], vertices: 12, contact: none, %s}\n",
                 wild[i]);
        dr_world *world = open_world(text, 1);
        const dr_report *report = dr_world_report(world);
        double start = all_liquid(report);
        advance(world, 0.02);
        assert_true(isfinite(report->energy_kinetic) && fabs(all_liquid(report) - start) < 1e-12 * start);
        dr_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_drop_is_counted),
        cmocka_unit_test(test_restored_films_go_on_with_the_same_bits),
        cmocka_unit_test(test_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_a_free_wet_strand_keeps_momentum_while_it_drips),
        cmocka_unit_test(test_far_strands_do_not_notice),
        cmocka_unit_test(test_rough_treatment_stays_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
