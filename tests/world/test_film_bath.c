// Films of hair that hangs into a bath: at rest they stay as they are, where the surface sways they follow it, and
// while hair is dipped and drips no liquid is lost in ten thousand steps.
#include "world_test.h"

#define BATH                                                                                                           \
    "domain: {cell: %s}\n"                                                                                             \
    "time: {frame_rate: 100, frames: 10, max_step: 1 ms}\n"                                                            \
    "materials:\n"                                                                                                     \
    "  - {name: fibre, kind: hair, density: 1.32, youngs_modulus: 3.9e10, radius: 0.0037}\n"                           \
    "  - {name: water, kind: liquid, density: 1, viscosity: 0.0089, surface_tension: 72}\n"                            \
    "colliders:\n"                                                                                                     \
    "  - {name: tank, shape: {type: inside_out, of: [{type: box, center: [0, 0.5, 0], size: [%s, 2.2, %s]}]}, "        \
    "boundary: sticky, motion: [{type: sine, amplitude: [0.05, 0, 0], frequency: 2, start: 0.1}]}\n"                   \
    "bodies:\n"                                                                                                        \
    "  - {name: pool, material: water, shape: {type: box, center: [0, -0.3, 0], size: [%s, 0.6, %s]}}\n"               \
    "strands:\n"                                                                                                       \
    "  - {name: hairs, material: fibre, type: mat, center: [0, %s, 0], axis: [0, -1, 0], width: 0.3, depth: 0.3, "     \
    "count: %d, vertices: %d, length: %s, film_material: water%s}\n"

static dr_world *open_bath(void)
{
    char text[2048];
    snprintf(text, sizeof text, BATH, "0.1", "0.8", "0.8", "0.8", "0.8", "0.8", 3, 31, "1.2", "");
    return open_world(text, 1);
}

static void step_on(dr_world *world)
{
    dr_error error = {0};
    if (dr_world_step(world, 1e3, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
}

// The largest change of the film from one step to the next, over its volume.
static double largest_change(dr_world *world, double until)
{
    const dr_report *report = dr_world_report(world);
    double most = 0.0;
    while (report->time < until) {
        double before = report->volume_film;
        step_on(world);
        assert_true(report->volume_film > 0.0 && report->dt <= 1.0001e-3);
        most = fmax(most, fabs(report->volume_film / before - 1.0));
    }
    return most;
}

static void test_film_in_a_bath_follows_its_surface(void **state)
{
    (void)state;
    dr_world *world = open_bath();
    const dr_report *report = dr_world_report(world);
    advance(world, 0.07);
    double film = report->volume_film;
    assert_true(largest_change(world, 0.1) < 0.01); // at rest
    assert_true(fabs(report->volume_film / film - 1.0) < 0.05);
    assert_true(largest_change(world, 0.25) < 0.1); // it sways by half a cell
    dr_world_destroy(world);
}

static void test_no_liquid_is_lost_in_ten_thousand_steps(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, BATH, "0.2", "0.6", "0.6", "0.6", "0.6", "0.9", 2, 9, "0.8",
             ", root_motion: [{type: sine, amplitude: [0, 0.3, 0], frequency: 6}]");
    dr_world *world = open_world(text, 1);
    const dr_report *report = dr_world_report(world);
    double start = report->volume_bulk + report->volume_film, most = 0.0;
    int caught = 0, shed = 0;
    for (int i = 0; i < 10000; i++) {
        double before = report->volume_film;
        step_on(world);
        caught += report->volume_film > before;
        shed += report->volume_film < before;
        double all = report->volume_bulk + report->volume_film + report->volume_drained;
        most = fmax(most, fabs(all / start - 1.0));
    }
    assert_true(caught > 100 && shed > 100);
    assert_true(most < 1e-12);
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_film_in_a_bath_follows_its_surface),
        cmocka_unit_test(test_no_liquid_is_lost_in_ten_thousand_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
