// Films of hair that hangs into a bath: at rest they stay as they are, where the surface sways they follow it, and
// while hair is dipped and drips no liquid is lost in ten thousand steps.
#include "world_test.h"

#include "world/world.h"

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

// Wet hair that stands close in water: many hands reach for one particle.
static dr_world *open_crowd(int threads)
{
    char text[2048];
    snprintf(text, sizeof text, BATH, "0.1", "0.8", "0.8", "0.8", "0.8", "0.8", 400, 16, "1.2", ", film_height: 0.003");
    return open_world(text, threads);
}

// Of handovers one strand or one particle has, each waits for the one before it.
static void check_ranks(const dr_world *world)
{
    const dr_film_stage *film = &world->film;
    size_t strands = (size_t)world->state.strands.count, all = film->handed[strands], shared = 0;
    for (size_t k = 0; k < all; k++) {
        const dr_film_handover *one = &film->handovers[k];
        assert_true(one->volume != 0.0);
        for (size_t i = 0; i < k; i++) {
            bool both = film->handovers[i].particle == one->particle;
            if (both || film->handovers[i].strand == one->strand) assert_true(film->rank[i] < film->rank[k]);
            shared += both;
        }
    }
    assert_true(all > 1000 && shared > 1000);
}

static void test_handovers_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; threads++) {
        dr_world *world = open_crowd(threads);
        step_on(world);
        if (threads == 1) check_ranks(world);
        for (int i = 0; i < 20; i++) step_on(world);
        if (threads > 1) assert_int_equal(dr_world_hash(world), hash);
        hash = dr_world_hash(world);
        dr_world_destroy(world);
    }
}

// Less than what the volume of a particle can say goes neither way: nobody looks for a particle for it.
static void test_nothing_is_asked_for_that_no_particle_can_give(void **state)
{
    (void)state;
    dr_world *world = open_crowd(1);
    const double *volume = world->state.film.volume;
    for (int i = 0; i < 3; i++) step_on(world);
    size_t left = 0, strands = (size_t)world->state.strands.count, asked = world->film.handed[strands];
    for (size_t v = 0; v < world->state.strands.vertices; v++)
        left += volume[v] > 0.0 && volume[v] < dr_state_quantum(world);
    assert_true(left > 1000 && asked < left / 2);
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handovers_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_nothing_is_asked_for_that_no_particle_can_give),
        cmocka_unit_test(test_film_in_a_bath_follows_its_surface),
        cmocka_unit_test(test_no_liquid_is_lost_in_ten_thousand_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
