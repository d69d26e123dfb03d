#include "bath.h"
#include "momentum.h"

// A ball, its particles displaced at random by some cells.
static void open_ball(bath *b, double disorder, double squeeze, const dr_allocator *allocator)
{
    body ball = {.kind = SPHERE, .at = {0.1, 0.2, -0.1}, .radius = 6.0 * cell};
    dice d = {23};
    open_bath(b, allocator);
    pour_body(&b->water, &ball, 8, DR_POUR_JITTER, 7.0 * cell);
    for (size_t p = 0; p < b->water.particles.count; p++) {
        double x[3];
        dr_grid_position(&b->water.grid, b->water.particles.key[p], b->water.particles.offset + 3 * p, x);
        for (int a = 0; a < 3; a++) {
            x[a] = ball.at[a] + squeeze * (x[a] - ball.at[a]) + cell * roll(&d, -disorder, disorder);
        }
        dr_grid_place(&b->water.grid, x, b->water.particles.key + p, b->water.particles.offset + 3 * p);
    }
    shake(&b->water.particles, 9);
    settle(b, &one_thread);
}

static double unevenness(const bath *b)
{
    double sum = 0.0;
    int count = 0;
    for (size_t i = 0; i < b->items; i++) {
        if ((double)b->surface.distance[i] > -2.0 * cell) continue;
        sum += pow((double)b->surface.fill[i] - 1.0, 2);
        count++;
    }
    assert_true(count > 100);
    return sqrt(sum / count);
}

static void test_spreading_keeps_everything_and_makes_even(void **state)
{
    (void)state;
    bath b;
    open_ball(&b, 0.4, 1.0, NULL);
    total before = total_of(&b.water.grid, &b.water.particles);
    double uneven = unevenness(&b);
    dr_relax_report report;
    for (int i = 0; i < 20; i++) {
        assert_true(dr_relax_spread(&b.relax, &b.water.grid, &one_thread, b.surface.distance, NULL, 0.2,
                                    &b.water.particles, &report));
        assert_true(report.largest > 0.0 && report.largest <= 0.1001);
        assert_true(report.mean > 0.0 && report.mean < report.largest);
        settle(&b, &one_thread);
    }
    total after = total_of(&b.water.grid, &b.water.particles);
    assert_kept(&before, &after, 1e-6);
    assert_true(unevenness(&b) < 0.9 * uneven);
    close_bath(&b);
}

// What the report says moved is what would be missing without the affine part.
static void test_the_report_tells_what_the_affine_part_took_up(void **state)
{
    (void)state;
    bath b;
    open_ball(&b, 0.4, 1.0, NULL);
    size_t count = b.water.particles.count;
    float *affine = malloc(9 * count * sizeof(float));
    memcpy(affine, b.water.particles.affine, 9 * count * sizeof(float));
    total before = total_of(&b.water.grid, &b.water.particles);
    dr_relax_report report;
    assert_true(dr_relax_spread(&b.relax, &b.water.grid, &one_thread, b.surface.distance, NULL, 0.2, &b.water.particles,
                                &report));
    memcpy(b.water.particles.affine, affine, 9 * count * sizeof(float));
    total after = total_of(&b.water.grid, &b.water.particles);
    double size = 0.0;
    for (int a = 0; a < 3; a++) {
        int p = 3 * ((a + 2) % 3) + (a + 1) % 3, q = 3 * ((a + 1) % 3) + (a + 2) % 3;
        double change = (after.tensor[p] - after.tensor[q]) - (before.tensor[p] - before.tensor[q]);
        assert_true(fabs(change - report.angular_taken[a]) < 1e-6 * before.scale);
        size += fabs(change);
    }
    assert_true(size > 2e-6 * before.scale);
    free(affine);
    close_bath(&b);
}

static void test_the_surface_and_walls_stay(void **state)
{
    (void)state;
    bath b;
    open_ball(&b, 0.4, 1.0, NULL);
    size_t count = b.water.particles.count;
    body wall = {.kind = PLANE, .at = {0.1, 0.0, 0.0}, .normal = {1, 0, 0}};
    float *corner = wall_corners(&b.water.grid, &wall), *offset = malloc(3 * count * sizeof(float));
    memcpy(offset, b.water.particles.offset, 3 * count * sizeof(float));
    dr_relax_report report;
    assert_true(dr_relax_spread(&b.relax, &b.water.grid, &one_thread, b.surface.distance, corner, 0.2,
                                &b.water.particles, &report));
    body ball = {.kind = SPHERE, .at = {0.1, 0.2, -0.1}, .radius = 6.0 * cell};
    int moved = 0;
    for (size_t p = 0; p < count; p++) {
        double x[3];
        dr_grid_position(&b.water.grid, b.water.particles.key[p], b.water.particles.offset + 3 * p, x);
        bool still = memcmp(offset + 3 * p, b.water.particles.offset + 3 * p, 3 * sizeof(float)) == 0;
        if (body_distance(&wall, x) < 0.0 || body_distance(&ball, x) > -0.1 * cell) assert_true(still);
        moved += !still;
    }
    assert_true(moved > 100);
    free(corner);
    free(offset);
    close_bath(&b);
}

// ---- density

static dr_relax_source make_source(const bath *b, const float *solid)
{
    return (dr_relax_source){.fill = b->surface.fill,
                             .distance = b->surface.distance,
                             .solid = solid,
                             .inside = &b->inside,
                             .tolerance = 1.0,
                             .time = 0.01,
                             .limit = 0.02,
                             .dt = 0.001};
}

static dr_relax_volume find_source(bath *b, const dr_par *par)
{
    dr_relax_source in = make_source(b, NULL);
    dr_relax_volume report;
    assert_true(dr_relax_density(&b->relax, &in, &b->water.grid, par, b->spare, b->source, &report));
    return report;
}

// Where the surface is only known to some hundredths of a cell, so is what a cell beside it should hold.
static void test_seeded_liquid_has_hardly_any_source(void **state)
{
    (void)state;
    bath b;
    open_ball(&b, 0.0, 1.0, NULL);
    dr_relax_volume report = find_source(&b, &one_thread);
    assert_true(report.inner > 200);
    assert_true(fabs(report.excess) < 0.01);
    assert_true(fabs(report.source) < 0.01 / 0.01 * (double)report.inner * cell * cell * cell);
    for (size_t i = 0; i < b.items; i++) {
        assert_true(fabs((double)b.source[i]) < 0.03 / 0.01);
        if ((double)b.surface.distance[i] < -3.0 * cell) assert_true(b.source[i] == 0.0F);
    }
    close_bath(&b);
}

static void test_squeezed_liquid_swells_and_stretched_liquid_shrinks(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        bath b;
        double squeeze = i ? 1.02 : 0.98, excess = pow(squeeze, -3.0) - 1.0;
        open_ball(&b, 0.0, squeeze, NULL);
        dr_relax_volume report = find_source(&b, &one_thread);
        assert_true(fabs(report.excess - excess) < 0.01);
        assert_true(report.moved > report.inner / 2);
        double mean = report.source / ((double)report.inner * cell * cell * cell);
        assert_true(fabs(mean - excess / 0.01) < 1.5);
        for (size_t c = 0; c < b.items; c++) {
            assert_true(fabs((double)b.source[c]) <= 0.02 / 0.001 + 1e-4);
            if (b.surface.distance[c] > 0.0F) assert_true(b.source[c] == 0.0F);
        }
        close_bath(&b);
    }
}

// What the surface encloses too much is taken back everywhere, unless deep cells are too full already.
static void test_liquid_whose_surface_encloses_too_much_shrinks(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        bath b;
        dr_relax_volume report;
        open_ball(&b, 0.0, i ? 0.99 : 1.0, NULL);
        dr_relax_source in = make_source(&b, NULL);
        double before = find_source(&b, &one_thread).source;
        in.swollen = 0.02;
        in.even_time = 0.1;
        assert_true(dr_relax_density(&b.relax, &in, &b.water.grid, &one_thread, b.spare, b.source, &report));
        double rate = (report.source - before) / ((double)report.inner * cell * cell * cell);
        assert_true(fabs(rate - (i ? 0.0 : -0.2)) < 1e-3);
        in.swollen = 0.0004;
        assert_true(dr_relax_density(&b.relax, &in, &b.water.grid, &one_thread, b.spare, b.source, &report));
        assert_true(report.source == before);
        close_bath(&b);
    }
}

// Beside a wall off the grid the kernel is cut: its room is what counts.
static void test_a_full_basin_has_no_source_at_its_walls(void **state)
{
    (void)state;
    bath b;
    body wall = open_full_box(&b);
    walls w = build_walls(&b.water.grid, &wall, 0.0);
    const dr_inside_solids solids = {w.open, w.area, w.velocity, 0.01};
    assert_true(dr_surface_build(&b.surface, &b.water.grid, &one_thread, &b.water.particles, w.corner, 0.5));
    assert_true(dr_inside_find(&b.inside, &b.water.grid, &one_thread, b.surface.distance, &solids));
    dr_relax_source in = make_source(&b, w.corner);
    dr_relax_volume report;
    assert_true(dr_relax_density(&b.relax, &in, &b.water.grid, &one_thread, b.spare, b.source, &report));
    assert_true(report.inner > 800);
    assert_true(fabs(report.excess) < 0.01);
    assert_true(report.moved < report.inner / 20);
    drop_walls(&w);
    close_bath(&b);
}

// ---- threads and memory

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    uint64_t hash[3];
    float *source = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        bath b;
        dr_par par = {threads};
        dr_relax_report report;
        open_ball(&b, 0.4, 0.97, NULL);
        find_source(&b, &par);
        if (!source) {
            source = malloc(b.items * sizeof(float));
            memcpy(source, b.source, b.items * sizeof(float));
        }
        assert_memory_equal(source, b.source, b.items * sizeof(float));
        assert_true(
            dr_relax_spread(&b.relax, &b.water.grid, &par, b.surface.distance, NULL, 0.2, &b.water.particles, &report));
        hash[threads - 1] = dr_columns_hash(&dr_plain_particle_columns, &b.water.particles, b.water.particles.count, 0);
        close_bath(&b);
    }
    free(source);
    assert_int_equal(hash[0], hash[1]);
    assert_int_equal(hash[0], hash[2]);
}

static void test_memory_that_is_out_is_said_and_a_steady_state_needs_none(void **state)
{
    (void)state;
    bool done = false;
    for (int fail = 1; !done; fail++) {
        scarce memory;
        scarce_open(&memory, fail);
        bath b;
        dr_relax_report report;
        dr_relax_volume volume;
        open_ball(&b, 0.1, 1.0, &memory.allocator);
        dr_relax_source in = make_source(&b, NULL);
        done = dr_relax_density(&b.relax, &in, &b.water.grid, &one_thread, b.spare, b.source, &volume) &&
               dr_relax_spread(&b.relax, &b.water.grid, &one_thread, b.surface.distance, NULL, 0.2, &b.water.particles,
                               &report);
        assert_int_equal(done, memory.requests < fail);
        if (done) {
            long calls = memory.requests;
            settle(&b, &one_thread);
            assert_true(dr_relax_spread(&b.relax, &b.water.grid, &one_thread, b.surface.distance, NULL, 0.2,
                                        &b.water.particles, &report));
            assert_int_equal(memory.requests, calls);
        }
        close_bath(&b);
        assert_int_equal(memory.out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spreading_keeps_everything_and_makes_even),
        cmocka_unit_test(test_the_report_tells_what_the_affine_part_took_up),
        cmocka_unit_test(test_the_surface_and_walls_stay),
        cmocka_unit_test(test_seeded_liquid_has_hardly_any_source),
        cmocka_unit_test(test_squeezed_liquid_swells_and_stretched_liquid_shrinks),
        cmocka_unit_test(test_liquid_whose_surface_encloses_too_much_shrinks),
        cmocka_unit_test(test_a_full_basin_has_no_source_at_its_walls),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
        cmocka_unit_test(test_memory_that_is_out_is_said_and_a_steady_state_needs_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
