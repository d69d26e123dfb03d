#include "world_test.h"

#include "world/stages.h"

#define SOFT "materials: [{name: soft, kind: elastic, density: 1, youngs_modulus: 2e4, poisson_ratio: 0.3}]\n"

static double sum_of(const float *values, size_t count, size_t stride)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += (double)values[i * stride];
    return sum;
}

static void test_free_fall_is_exact(void **unused)
{
    (void)unused;
    const char *const variants[] = {"kernel: linear", "kernel: quadratic", "kernel: cubic", "scheme: flip",
                                    "scheme: pic"};
    const char *const materials[] = {"dust", "soft", "soft", "soft", "soft"};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "domain: {cell: 0.5}\ntime: {fixed_step: 1 ms}\ntransfer: {%s}\n" SOFT
                 "bodies: [{material: %s, shape: {type: box, center: [0, 10, 0], size: [3, 3, 3]}, velocity: [10, 0, "
                 "-5]}]\n",
                 variants[i], materials[i]);
        dr_world *world = open_world(text, 2);
        size_t count = view(world)->point_count;
        double start = sum_of(floats(view(world), "position") + 1, count, 3) / (double)count;
        advance(world, 0.1);
        int64_t n = dr_world_step_count(world);
        double dt = 0.1 / (double)n, expected = start - 981.0 * dt * dt * (double)(n * (n + 1)) / 2.0;
        const float *x = floats(view(world), "position"), *v = floats(view(world), "velocity");
        assert_true(fabs(sum_of(x + 1, count, 3) / (double)count - expected) < 5e-5);
        for (size_t p = 0; p < count; p++) {
            assert_true(fabsf(v[3 * p] - 10.0f) < 1e-3f);
            assert_true(fabsf(v[3 * p + 1] + 98.1f) < 2e-3f);
            assert_true(fabsf(v[3 * p + 2] + 5.0f) < 1e-3f);
        }
        dr_world_destroy(world);
    }
}

// Dust that sinks towards a floor leaves less and less mass on the nodes above it.
static void test_dust_comes_to_rest_with_every_kernel_and_scheme(void **unused)
{
    (void)unused;
    const char *const kernels[] = {"linear", "quadratic", "cubic"}, *const schemes[] = {"pic", "flip", "apic"};
    for (int i = 0; i < 9; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "domain: {cell: 0.2}\ntransfer: {kernel: %s, scheme: %s}\n"
                 "bodies: [{material: dust, shape: {type: box, center: [0, 0.7, 0], size: [1, 1, 1]}}]\n"
                 "colliders: [{shape: {type: half_space}, boundary: sticky}]\n",
                 kernels[i / 3], schemes[i % 3]);
        dr_world *world = open_world(text, 1);
        advance(world, 0.5);
        assert_true(dr_world_report(world)->largest_speed < 5.0);
        dr_world_destroy(world);
    }
}

static void test_a_free_system_keeps_mass_linear_and_angular_momentum(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\n" SOFT "bodies:\n"
        "  - {material: soft, shape: {type: sphere, center: [-2.5, 0, 0], radius: 2}, velocity: [60, 5, 0]}\n"
        "  - {material: soft, shape: {type: sphere, center: [2.5, 1, 0], radius: 2}, velocity: [-60, 0, 10]}\n",
        2);
    dr_report before = *dr_world_report(world);
    advance(world, 0.1);
    const dr_report *after = dr_world_report(world);
    assert_true(after->energy_elastic > 0.01 * before.energy_kinetic); // they did meet
    double scale = before.mass * 65.0, arm = 4.0;
    double linear = 100.0 * 1.2e-7 * scale, angular = linear * arm;
    assert_true(fabs(after->mass - before.mass) <= 1e-12 * before.mass);
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(after->linear_momentum[a] - before.linear_momentum[a]) < linear);
        assert_true(fabs(after->angular_momentum[a] - before.angular_momentum[a]) < angular);
    }
    dr_world_destroy(world);
}

static void test_a_spinning_body_keeps_spinning(void **unused)
{
    (void)unused;
    dr_world *world = open_world("gravity: [0, 0, 0]\ndomain: {cell: 0.5}\n" SOFT
                                 "bodies: [{material: soft, shape: {type: sphere, radius: 3}, spin: [0, 0, 4]}]\n",
                                 2);
    double before = dr_world_report(world)->angular_momentum[2], energy = dr_world_report(world)->energy_kinetic;
    advance(world, 0.5);
    assert_true(fabs(dr_world_report(world)->angular_momentum[2] / before - 1.0) < 2e-5);
    assert_true(dr_world_report(world)->energy_kinetic > 0.9 * energy);
    dr_world_destroy(world);
}

static void test_energy_does_not_grow_in_a_bounce(void **unused)
{
    (void)unused;
    dr_world *world = open_world("domain: {cell: 0.5, min: [-20, 0, -20], max: [20, 30, 20], y_min: separate}\n" SOFT
                                 "bodies: [{material: soft, shape: {type: sphere, center: [0, 6, 0], radius: 3}}]\n",
                                 2);
    dr_report start = *dr_world_report(world);
    double total = start.energy_kinetic + start.energy_elastic + start.energy_potential, lowest = 1e300;
    for (int i = 1; i <= 30; i++) {
        advance(world, 0.02 * i);
        const dr_report *now = dr_world_report(world);
        assert_true(now->energy_kinetic + now->energy_elastic + now->energy_potential < total * 1.001);
        double height = now->energy_potential / (now->mass * 981.0);
        lowest = fmin(lowest, height);
    }
    assert_true(lowest > 0.5 && lowest < 3.2); // it touched the floor and did not go through
    dr_world_destroy(world);
}

static void test_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    check_bits_for_any_threads(BUSY_SCENE, 200);
}

static void test_saved_and_restored_goes_on_with_the_same_bits(void **unused)
{
    (void)unused;
    check_bits_after_restore(BUSY_SCENE, 60, 60);
}

static void test_a_damaged_state_is_refused_and_changes_nothing(void **unused)
{
    (void)unused;
    dr_error error = {0};
    dr_world *world = open_world(BUSY_SCENE, 1);
    stored state = {0};
    assert_int_equal(dr_world_save(world, store_array, &state, &error), DR_STATUS_OK);
    uint64_t hash = dr_world_hash(world);
    for (int i = 0; i < state.count; i++) {
        stored damaged = state;
        damaged.arrays[i].components += 1;
        assert_int_not_equal(dr_world_restore(world, fetch_stored, &damaged, &error), DR_STATUS_OK);
        damaged = state;
        damaged.names[i][0] = '?';
        assert_int_not_equal(dr_world_restore(world, fetch_stored, &damaged, &error), DR_STATUS_OK);
        assert_true(dr_world_hash(world) == hash);
    }
    forget_stored(&state);
    dr_world_destroy(world);
}

// ---- rejection

typedef struct row {
    uint64_t id;
    float values[6];
} row;

static int by_id(const void *a, const void *b)
{
    uint64_t x = ((const row *)a)->id, y = ((const row *)b)->id;
    return x < y ? -1 : x > y;
}

static row *rows_by_id(dr_world *world, size_t *count)
{
    const dr_frame_part *part = view(world);
    const uint64_t *id = dr_frame_find(part, "id")->data;
    row *rows = calloc(part->point_count, sizeof *rows);
    for (size_t p = 0; p < part->point_count; p++) {
        rows[p].id = id[p];
        memcpy(rows[p].values, floats(part, "position") + 3 * p, 3 * sizeof(float));
        memcpy(rows[p].values + 3, floats(part, "velocity") + 3 * p, 3 * sizeof(float));
    }
    qsort(rows, part->point_count, sizeof *rows, by_id);
    *count = part->point_count;
    return rows;
}

#define STIFF_FIXED(retries)                                                                                           \
    "domain: {cell: 0.5}\ntime: {fixed_step: 20 ms, courant: 0.2, retries: " #retries ", min_step: 1 us}\n"            \
    "materials: [{name: soft, kind: elastic, density: 1, youngs_modulus: 2e4}]\n"                                      \
    "emitters: [{material: dust, shape: {type: sphere, center: [9, 0, 0], radius: 1}, velocity: [4, 0, 0]}]\n"         \
    "bodies: [{material: soft, shape: {type: sphere, radius: 2}, velocity: [0, 0, 40]}]\n"

static void test_a_step_that_fails_leaves_no_trace(void **unused)
{
    (void)unused;
    dr_error error = {0};
    dr_world *world = open_world(STIFF_FIXED(1), 2); // 40 cm/s in 20 ms is 1.6 cells: too fast, also at half of it
    size_t before_count, after_count;
    row *before = rows_by_id(world, &before_count);
    assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_NUMERICS);
    assert_non_null(strstr(error.text, "faster than time.courant"));
    row *after = rows_by_id(world, &after_count);
    assert_int_equal(before_count, after_count);
    assert_memory_equal(before, after, before_count * sizeof *before);
    assert_int_equal(dr_world_step_count(world), 0);
    assert_true(dr_world_time(world) == 0.0);
    free(before);
    free(after);
    dr_world_destroy(world);
}

static void test_a_retried_step_equals_the_step_of_that_size(void **unused)
{
    (void)unused;
    dr_error error = {0};
    dr_world *retried = open_world(STIFF_FIXED(8), 2);
    assert_int_equal(dr_world_step(retried, 1.0, &error), DR_STATUS_OK);
    assert_true(dr_world_report(retried)->rejected > 0);
    double dt = dr_world_report(retried)->dt;
    dr_world *direct = open_world(STIFF_FIXED(8), 2);
    assert_int_equal(dr_world_step(direct, dt, &error), DR_STATUS_OK);
    assert_int_equal(dr_world_report(direct)->rejected, 0);
    assert_true(dr_world_hash(direct) == dr_world_hash(retried));
    dr_world_destroy(retried);
    dr_world_destroy(direct);
}

static void test_a_fast_collider_does_not_jump_over_matter(void **unused)
{
    (void)unused;
    dr_world *world = open_world("gravity: [0, 0, 0]\ndomain: {cell: 0.25}\n"
                                 "bodies: [{material: dust, shape: {type: sphere, radius: 1}}]\n"
                                 "colliders: [{shape: {type: box, center: [-4, 0, 0], size: [1, 4, 4]}, motion: "
                                 "[{type: keyframes, keys: [{time: 13 "
                                 "ms, ease: linear}, {time: 14 ms, translate: [4, 0, 0]}]}]}]\n",
                                 2);
    advance(world, 0.02);
    const dr_report *report = dr_world_report(world);
    assert_true(report->linear_momentum[0] > 0.5 * 4000.0 * report->mass);
    assert_true(report->step < 900);
    dr_world_destroy(world);
}

// ---- coming and going

static void test_an_emitter_gives_area_times_speed_whatever_the_step(void **unused)
{
    (void)unused;
    const char *const steps[] = {"1 ms", "3.7 ms", "10 ms"};
    for (size_t i = 0; i < 3; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "gravity: [0, 0, 0]\ndomain: {cell: 0.25}\ntime: {fixed_step: %s, courant: 1}\n"
                 "emitters: [{material: dust, velocity: [20, 0, 0], shape: {type: box, size: [1, 2, 3]}}]\n",
                 steps[i]);
        dr_world *world = open_world(text, 2);
        advance(world, 0.5);
        const dr_frame_part *part = view(world);
        double volume = sum_of(floats(part, "volume"), part->point_count, 1);
        double expected = 6.0 * (1.0 + 20.0 * 0.5); // the filled shape and what flowed in
        assert_true(fabs(volume / expected - 1.0) < 0.002);
        dr_world_destroy(world);
    }
}

static void test_a_schedule_within_a_step_counts_for_what_it_is(void **unused)
{
    (void)unused;
    dr_world *world =
        open_world("gravity: [0, 0, 0]\ndomain: {cell: 0.25}\ntime: {max_step: 10 ms}\n"
                   "emitters: [{material: dust, velocity: [400, 0, 0], schedule: {start: 13.1 ms, stop: 18.6 ms}, "
                   "shape: {type: box, "
                   "size: [1, 2, 3]}}]\n"
                   "forces: [{type: uniform, acceleration: [0, 1000, 0], schedule: {start: 61.3 ms, stop: 61.8 ms}}]\n",
                   2);
    advance(world, 0.1);
    const dr_report *report = dr_world_report(world);
    double expected = 6.0 * (1.0 + 400.0 * 0.0055);
    assert_true(fabs(report->mass / expected - 1.0) < 0.005);
    assert_true(fabs(report->linear_momentum[0] / report->mass - 400.0) < 0.01);
    assert_true(fabs(report->linear_momentum[1] / report->mass - 0.5) < 1e-4);
    dr_world_destroy(world);
}

static void test_an_empty_world_steps_with_every_scheme(void **unused)
{
    (void)unused;
    const char *const schemes[] = {"pic", "flip", "apic"};
    for (int i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "domain: {cell: 0.25}\ntransfer: {scheme: %s}\n"
                 "emitters: [{material: dust, shape: {type: sphere, radius: 1}, schedule: {start: 30 ms}}]\n",
                 schemes[i]);
        dr_world *world = open_world(text, 1);
        advance(world, 0.02);
        assert_int_equal(dr_world_report(world)->particles, 0);
        advance(world, 0.04);
        assert_true(dr_world_report(world)->particles > 0);
        dr_world_destroy(world);
    }
}

static void test_a_volume_limit_is_met_exactly(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "gravity: [0, 0, 0]\ndomain: {cell: 0.25}\ntime: {fixed_step: 2 ms}\n"
        "emitters: [{material: dust, velocity: [20, 0, 0], volume_limit: 7.1234, shape: {type: sphere, radius: 1}}]\n",
        2);
    advance(world, 0.3);
    const dr_frame_part *part = view(world);
    assert_true(fabs(sum_of(floats(part, "volume"), part->point_count, 1) - 7.1234) < 1e-5);
    dr_world_destroy(world);
}

// What was emitted, drained and culled so far goes with a checkpoint, each count in its own place.
static void test_counts_go_on_after_a_restore(void **unused)
{
    (void)unused;
    static const char text[] =
        "gravity: [0, 0, 0]\ndomain: {cell: 0.5, min: [-9, -9, -9], max: [9, 9, 9]}\n"
        "materials: [{name: rubber, kind: elastic, density: 1, youngs_modulus: 1e3, poisson_ratio: 0.3}]\n"
        "bodies:\n"
        "  - {material: rubber, velocity: [200, 0, 0], shape: {type: box, size: [2, 2, 2]}}\n"
        "  - {material: rubber, velocity: [-200, 0, 0], shape: {type: box, center: [-7, 0, 0], size: [3, 3, 3]}}\n"
        "emitters: [{material: water, velocity: [0, 50, 0], shape: {type: sphere, center: [0, -5, 0], radius: 1}}]\n"
        "drains:\n"
        "  - {shape: {type: half_space, point: [3, 0, 0], normal: [-1, 0, 0]}}\n"
        "  - {shape: {type: box, center: [0, -3, 0], size: [2, 1, 2]}}\n";
    dr_world *world = open_world(text, 1), *other = open_world(text, 1);
    advance(world, 0.03);
    const dr_report *one = dr_world_report(world), *two = dr_world_report(other);
    assert_true(one->emitted > 0 && one->drained > 0 && one->culled > 0 && one->volume_drained > 0.0);
    assert_true(one->emitted != one->drained && one->drained != one->culled && one->culled != one->emitted);
    pass_state_on(world, other);
    advance(world, 0.031);
    advance(other, 0.031);
    assert_int_equal(one->emitted, two->emitted);
    assert_int_equal(one->drained, two->drained);
    assert_int_equal(one->culled, two->culled);
    assert_true(one->volume_drained == two->volume_drained && one->volume_emitted == two->volume_emitted);
    dr_world_destroy(world);
    dr_world_destroy(other);
}

static void test_a_drain_takes_what_enters_it_and_counts(void **unused)
{
    (void)unused;
    dr_world *world = open_world("gravity: [0, 0, 0]\ndomain: {cell: 0.25}\n"
                                 "bodies: [{material: dust, velocity: [20, 0, 0], shape: {type: sphere, radius: 1}}]\n"
                                 "drains: [{shape: {type: half_space, point: [3, 0, 0], normal: [-1, 0, 0]}}]\n",
                                 2);
    int64_t start = dr_world_report(world)->particles;
    advance(world, 0.15);
    const dr_report *report = dr_world_report(world);
    assert_true(report->drained > 0 && report->drained < start);
    assert_int_equal(report->drained + report->particles, start);
    const dr_frame_part *part = view(world);
    for (size_t p = 0; p < part->point_count; p++) assert_true(floats(part, "position")[3 * p] <= 3.0f);
    advance(world, 0.5);
    assert_int_equal(dr_world_report(world)->particles, 0);
    advance(world, 0.6); // a world with nothing in it steps on
    dr_world_destroy(world);
}

static void test_particles_beyond_an_open_side_are_culled_and_counted(void **unused)
{
    (void)unused;
    dr_world *world = open_world("gravity: [0, 0, 0]\ndomain: {cell: 0.25, min: [-3, -3, -3], max: [3, 3, 3]}\n"
                                 "bodies: [{material: dust, velocity: [0, 30, 0], shape: {type: sphere, radius: 1}}]\n",
                                 1);
    int64_t start = dr_world_report(world)->particles;
    advance(world, 0.5);
    assert_int_equal(dr_world_report(world)->culled, start);
    dr_world_destroy(world);
}

// ---- the domain

static void test_a_periodic_direction_wraps(void **unused)
{
    (void)unused;
    dr_world *world = open_world("gravity: [0, 0, 0]\ntime: {fixed_step: 1 ms}\n"
                                 "domain: {cell: 0.25, min: [-2, unbounded, unbounded], max: [2, unbounded, "
                                 "unbounded], x_min: periodic, x_max: periodic}\n" SOFT
                                 "bodies: [{material: soft, velocity: [20, 0, 0], shape: {type: sphere, radius: 1}}]\n",
                                 2);
    size_t count = view(world)->point_count;
    double elastic = 0.0;
    for (int i = 1; i <= 10; i++) {
        advance(world, 0.04 * i); // once around in ten
        elastic = fmax(elastic, dr_world_report(world)->energy_elastic);
        const float *x = floats(view(world), "position");
        for (size_t p = 0; p < count; p++) assert_true(x[3 * p] >= -2.001f && x[3 * p] <= 2.3f);
    }
    assert_true(elastic < 1e-4 * dr_world_report(world)->energy_kinetic); // crossing the seam is not felt
    dr_world_destroy(world);
}

static void test_half_a_body_at_a_symmetry_plane_moves_as_the_half_of_a_whole(void **unused)
{
    (void)unused;
    dr_world *half = open_world(
        "time: {fixed_step: 1 ms}\n"
        "domain: {cell: 0.25, min: [0, 0, 0], max: [9, 9, 9], x_min: symmetry, y_min: separate, cull: no}\n" SOFT
        "bodies: [{material: soft, particles_per_cell: 8, shape: {type: sphere, center: [0, 2.5, 5], radius: 2}}]\n",
        2);
    dr_world *whole = open_world(
        "time: {fixed_step: 1 ms}\n"
        "domain: {cell: 0.25, min: [-9, 0, 0], max: [9, 9, 9], x_min: slip, y_min: separate, cull: no}\n" SOFT
        "bodies: [{material: soft, particles_per_cell: 8, shape: {type: sphere, center: [0, 2.5, 5], radius: 2}}]\n",
        2);
    advance(half, 0.12);
    advance(whole, 0.12);
    const dr_report *h = dr_world_report(half), *w = dr_world_report(whole);
    assert_true(fabs(2.0 * h->mass / w->mass - 1.0) < 0.02);
    assert_true(fabs(2.0 * h->energy_elastic / w->energy_elastic - 1.0) < 0.05);
    assert_true(fabs(2.0 * h->energy_potential / w->energy_potential - 1.0) < 0.02);
    const dr_frame_part *part = view(half);
    for (size_t p = 0; p < part->point_count; p++) assert_true(floats(part, "position")[3 * p] >= 0.0f);
    dr_world_destroy(half);
    dr_world_destroy(whole);
}

static void test_a_report_takes_no_more_solves_than_it_has_room_for(void **unused)
{
    (void)unused;
    dr_world *world = open_world("domain: {cell: 0.5}\n", 1);
    const dr_report *report = dr_world_report(world);
    int64_t contacts = report->contacts;
    for (int i = 0; i < 3 * DR_REPORT_SOLVES; i++)
        dr_account_solve(world, &(dr_solve_report){"one", DR_REASON_CONVERGED, i, 0.5});
    assert_int_equal(report->solve_count, DR_REPORT_SOLVES);
    for (int i = 0; i < DR_REPORT_SOLVES; i++) assert_int_equal(report->solves[i].iterations, i);
    assert_int_equal(report->contacts, contacts); // what lies behind them
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall_is_exact),
        cmocka_unit_test(test_dust_comes_to_rest_with_every_kernel_and_scheme),
        cmocka_unit_test(test_a_free_system_keeps_mass_linear_and_angular_momentum),
        cmocka_unit_test(test_a_spinning_body_keeps_spinning),
        cmocka_unit_test(test_energy_does_not_grow_in_a_bounce),
        cmocka_unit_test(test_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_saved_and_restored_goes_on_with_the_same_bits),
        cmocka_unit_test(test_a_damaged_state_is_refused_and_changes_nothing),
        cmocka_unit_test(test_a_step_that_fails_leaves_no_trace),
        cmocka_unit_test(test_a_retried_step_equals_the_step_of_that_size),
        cmocka_unit_test(test_an_emitter_gives_area_times_speed_whatever_the_step),
        cmocka_unit_test(test_a_fast_collider_does_not_jump_over_matter),
        cmocka_unit_test(test_an_empty_world_steps_with_every_scheme),
        cmocka_unit_test(test_a_schedule_within_a_step_counts_for_what_it_is),
        cmocka_unit_test(test_a_volume_limit_is_met_exactly),
        cmocka_unit_test(test_counts_go_on_after_a_restore),
        cmocka_unit_test(test_a_drain_takes_what_enters_it_and_counts),
        cmocka_unit_test(test_particles_beyond_an_open_side_are_culled_and_counted),
        cmocka_unit_test(test_a_periodic_direction_wraps),
        cmocka_unit_test(test_half_a_body_at_a_symmetry_plane_moves_as_the_half_of_a_whole),
        cmocka_unit_test(test_a_report_takes_no_more_solves_than_it_has_room_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
