#include "made_up.h"

static const dr_par one_thread = {1};

static dr_surface_mesh build_with(const made_up *m, const dr_surface_options *options, const dr_par *par)
{
    dr_surface_mesh mesh;
    dr_error error;
    dr_error_clear(&error);
    if (dr_surface_mesh_build(&m->frame, options, par, NULL, &mesh, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    return mesh;
}

static dr_surface_mesh build(const made_up *m, double cell)
{
    dr_surface_options options;
    dr_surface_options_default(&options);
    options.cell = (float)cell;
    return build_with(m, &options, &one_thread);
}

static dr_surface_mesh build_drops(const drops *d, double cell)
{
    made_up m = {0};
    made_up_liquid(&m, d);
    dr_surface_mesh mesh = build(&m, cell);
    made_up_free(&m);
    return mesh;
}

static void assert_closed(const dr_surface_mesh *mesh)
{
    const char *fault = mesh_fault(mesh);
    if (fault) fail_msg("%s", fault);
}

// ---- closed

static void test_a_frame_without_liquid_has_no_surface(void **state)
{
    (void)state;
    made_up m = {0};
    drops none = {0};
    made_up_liquid(&m, &none);
    dr_surface_mesh mesh = build(&m, 0.0);
    assert_int_equal(mesh.vertex_count, 0);
    assert_int_equal(mesh.triangle_count, 0);
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
}

// Drops strewn so thinly that every way in which a cell can be cut occurs, across many blocks.
static void test_the_mesh_is_closed_and_manifold_however_drops_lie(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        drops d = {0};
        uint64_t s = seed * 977;
        double side = 10.0 + (double)seed;
        for (int i = 0; i < 700 + 200 * (int)seed; i++) {
            double x[3] = {side * (dice(&s) - 0.5), side * (dice(&s) - 0.5), side * (dice(&s) - 0.3)};
            drops_add(&d, x, 0.05 + 3.0 * pow(dice(&s), 4.0));
        }
        dr_surface_mesh mesh = build_drops(&d, seed % 2 ? 0.0 : 0.35);
        assert_closed(&mesh);
        assert_true(mesh.triangle_count > 1000);
        dr_surface_mesh_free(&mesh);
        drops_free(&d);
    }
}

static void test_smoothing_from_none_to_most_keeps_the_mesh_closed(void **state)
{
    (void)state;
    ball b = {{0.2, 0.1, -0.4}, 5.0};
    drops d = {0};
    made_up m = {0};
    drops_fill(&d, ball_distance, &b, 7.0, 1.0, 0.25);
    made_up_liquid(&m, &d);
    for (int i = 0; i <= 4; i++) {
        dr_surface_options options = {.smoothing = 0.25F * (float)i, .films = true};
        dr_surface_mesh mesh = build_with(&m, &options, &one_thread);
        assert_closed(&mesh);
        check_near(mesh_volume(&mesh) / drops_volume(&d), 1.0, 0.04);
        dr_surface_mesh_free(&mesh);
    }
    made_up_free(&m);
    drops_free(&d);
}

// ---- volume, in every case with particles as liquid is poured, jittered by a quarter of their spacing

static void check_volume(shape_distance distance, const void *shape, double half, double tolerance)
{
    drops d = {0};
    drops_fill(&d, distance, shape, half, 1.0, 0.25);
    dr_surface_mesh mesh = build_drops(&d, 0.5);
    assert_closed(&mesh);
    check_near(mesh_volume(&mesh) / drops_volume(&d), 1.0, tolerance);
    dr_surface_mesh_free(&mesh);
    drops_free(&d);
}

static void test_a_ball_has_its_volume(void **state)
{
    (void)state;
    check_volume(ball_distance, &(ball){{0.13, 0.27, -0.11}, 10.0}, 12.0, 0.01);
    check_volume(ball_distance, &(ball){{-0.4, 0.2, 0.31}, 16.0}, 18.0, 0.01);
    check_volume(ball_distance, &(ball){{0.13, 0.27, -0.11}, 4.0}, 6.0, 0.03);
}

// 1.5 cells of a simulation with eight particles to a cell, and 1.5 cells of the mesh.
static void test_a_sheet_has_its_volume(void **state)
{
    (void)state;
    check_volume(disc_distance, &(disc){14.0, 3.0}, 16.0, 0.03);
    check_volume(disc_distance, &(disc){14.0, 0.75}, 16.0, 0.03);
    check_volume(disc_distance, &(disc){14.0, 1.5}, 16.0, 0.03);
}

static void test_a_jet_has_its_volume(void **state)
{
    (void)state;
    check_volume(thread_distance, &(thread){16.0, 3.0}, 20.0, 0.03);
    check_volume(thread_distance, &(thread){16.0, 1.5}, 20.0, 0.03);
    check_volume(thread_distance, &(thread){16.0, 0.75}, 20.0, 0.03);
}

static void test_lone_drops_are_round_and_have_their_volume(void **state)
{
    (void)state;
    for (int size = 0; size < 3; size++) {
        drops d = {0};
        double volume = size == 0 ? 1.0 : size == 1 ? 3.0 : 8.0;
        for (int i = 0; i < 27; i++) {
            double x[3] = {9.03 * (i % 3), 9.11 * (i / 3 % 3), 8.97 * (i / 9)};
            drops_add(&d, x, volume);
        }
        dr_surface_mesh mesh = build_drops(&d, 0.5);
        double radius = cbrt(3.0 * volume / (4.0 * PI)), area = 27.0 * 4.0 * PI * radius * radius;
        assert_closed(&mesh);
        check_near(mesh_volume(&mesh) / drops_volume(&d), 1.0, 0.12);
        check_near(mesh_area(&mesh) / area, 1.0, 0.12);
        dr_surface_mesh_free(&mesh);
        drops_free(&d);
    }
}

// Sheets get thinner as they spread: as long as particles lie less than 1.6 spacings apart there are no holes.
static void test_a_thin_sheet_does_not_tear(void **state)
{
    (void)state;
    drops d = {0};
    uint64_t seed = 5;
    for (int i = 0; i < 400; i++) {
        double x[3] = {1.5 * (i % 20) + 0.3 * dice(&seed), 1.5 * (i / 20) + 0.3 * dice(&seed), 0.2 * dice(&seed)};
        drops_add(&d, x, 1.0);
    }
    dr_surface_mesh mesh = build_drops(&d, 0.5);
    assert_closed(&mesh);
    assert_int_equal(mesh_pieces(&mesh), 1);
    assert_int_equal(mesh.vertex_count - mesh.triangle_count / 2, 2); // no holes
    dr_surface_mesh_free(&mesh);
    drops_free(&d);
}

// ---- no popping

// One particle becomes n, as liquid particles are split: evenly over a sphere turned at random.
static void split_drop(drops *d, size_t p, int n, uint64_t *seed)
{
    double volume = (double)d->volume[p], old = cbrt(3.0 * volume / (4.0 * PI)), fresh = old / cbrt((double)n);
    double away = 0.75 * fmax(fresh, old - fresh), x[3], turn = 2.0 * PI * dice(seed),
           tilt = acos(2.0 * dice(seed) - 1.0);
    for (int a = 0; a < 3; a++) x[a] = (double)d->position[p][a];
    double axis[3] = {sin(tilt) * cos(turn), sin(tilt) * sin(turn), cos(tilt)};
    d->volume[p] = (float)(volume / n);
    for (int i = 0; i < n; i++) {
        double at[3], side = i % 2 ? 1.0 : -1.0;
        for (int a = 0; a < 3; a++)
            at[a] = x[a] + side * away * axis[(a + i / 2) % 3] * (i / 2 == 1 && a == 0 ? -1 : 1);
        if (i == 0) {
            for (int a = 0; a < 3; a++) d->position[p][a] = (float)at[a];
        } else {
            drops_add(d, at, volume / n);
        }
    }
}

// A ball of particles of up to twice the usual volume, a fifth of which split in every step.
static void test_the_area_does_not_jump_when_particles_split(void **state)
{
    (void)state;
    ball b = {{0.13, 0.27, -0.11}, 8.0};
    drops d = {0};
    drops_fill(&d, ball_distance, &b, 10.0, 1.0, 0.25);
    dr_surface_mesh mesh = build_drops(&d, 0.4);
    double area = mesh_area(&mesh);
    size_t count = d.count;
    uint64_t seed = 3;
    dr_surface_mesh_free(&mesh);
    for (int step = 0; step < 5; step++) {
        for (size_t p = (size_t)step; p < count; p += 5) split_drop(&d, p, 2, &seed);
        mesh = build_drops(&d, 0.4);
        assert_closed(&mesh);
        check_near(mesh_area(&mesh) / area, 1.0, 0.02);
        area = mesh_area(&mesh);
        dr_surface_mesh_free(&mesh);
    }
    assert_int_equal(d.count, 2 * count);
    drops_free(&d);
}

// Also where the cells follow the particles' sizes.
static void test_the_area_does_not_jump_when_all_particles_split_at_once(void **state)
{
    (void)state;
    static const double cells[2] = {0.5, 0.0};
    for (int i = 0; i < 2; i++) {
        thread t = {14.0, 3.0};
        drops d = {0};
        drops_fill(&d, thread_distance, &t, 18.0, 1.0, 0.25);
        dr_surface_mesh before = build_drops(&d, cells[i]);
        uint64_t seed = 4;
        for (size_t p = d.count; p-- > 0;) split_drop(&d, p, 2, &seed);
        dr_surface_mesh after = build_drops(&d, cells[i]);
        check_near(mesh_area(&after) / mesh_area(&before), 1.0, 0.02);
        check_near(mesh_volume(&after) / mesh_volume(&before), 1.0, 0.02);
        dr_surface_mesh_free(&before);
        dr_surface_mesh_free(&after);
        drops_free(&d);
    }
}

// A particle that moves a little moves the surface a little, wherever cells and blocks end.
static void test_the_surface_follows_particles_without_jumps(void **state)
{
    (void)state;
    double last = 0.0;
    for (int step = 0; step < 48; step++) {
        drops d = {0};
        double shift = 0.055 * step;
        drops_fill(&d, ball_distance, &(ball){{0, 0, 0}, 3.0}, 5.0, 1.0, 0.25);
        for (size_t p = 0; p < d.count; p++) d.position[p][0] += (float)shift;
        drops_add(&d, (double[3]){6.0 - shift, 0.1, 0.2}, 1.0);
        dr_surface_mesh mesh = build_drops(&d, 0.5);
        double area = mesh_area(&mesh);
        if (step > 0) check_near(area / last, 1.0, 0.02);
        last = area;
        dr_surface_mesh_free(&mesh);
        drops_free(&d);
    }
}

// ---- what vertices carry

static void test_normals_point_out_and_velocity_is_the_liquids(void **state)
{
    (void)state;
    ball b = {{0.0, 0.0, 0.0}, 8.0};
    drops d = {0};
    drops_fill(&d, ball_distance, &b, 10.0, 1.0, 0.25);
    dr_surface_mesh mesh = build_drops(&d, 0.5);
    double off = 0.0;
    for (size_t v = 0; v < mesh.vertex_count; v++) {
        double x[3], n[3], length = 0.0, along = 0.0, from = 0.0;
        for (int a = 0; a < 3; a++) {
            x[a] = (double)mesh.position[v][a];
            n[a] = (double)mesh.normal[v][a];
            length += n[a] * n[a];
            along += n[a] * x[a];
            from += x[a] * x[a];
        }
        check_near(length, 1.0, 1e-5);
        assert_true(along > 0.7 * sqrt(from));
        off +=
            pow((double)mesh.velocity[v][0] + 10.0 * x[1], 2.0) + pow((double)mesh.velocity[v][1] - 10.0 * x[0], 2.0);
    }
    check_at_most(sqrt(off / (double)mesh.vertex_count), 0.05 * 80.0);
    dr_surface_mesh_free(&mesh);
    drops_free(&d);
}

// ---- machine

static void test_the_mesh_has_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    drops d = {0};
    made_up m = {0};
    dr_surface_options options;
    dr_surface_options_default(&options);
    drops_fill(&d, disc_distance, &(disc){20.0, 5.0}, 24.0, 1.0, 0.4);
    made_up_liquid(&m, &d);
    dr_surface_mesh one = build_with(&m, &options, &one_thread);
    for (int threads = 2; threads <= 5; threads++) {
        dr_par par = dr_par_open(threads);
        dr_surface_mesh other = build_with(&m, &options, &par);
        assert_int_equal(one.vertex_count, other.vertex_count);
        assert_int_equal(one.triangle_count, other.triangle_count);
        assert_memory_equal(one.position, other.position, one.vertex_count * sizeof *one.position);
        assert_memory_equal(one.velocity, other.velocity, one.vertex_count * sizeof *one.velocity);
        assert_memory_equal(one.normal, other.normal, one.vertex_count * sizeof *one.normal);
        assert_memory_equal(one.triangle, other.triangle, one.triangle_count * sizeof *one.triangle);
        dr_surface_mesh_free(&other);
    }
    dr_surface_mesh_free(&one);
    made_up_free(&m);
    drops_free(&d);
}

// Eight times the volume: four times the surface, and no more than four times the memory.
static void test_memory_follows_the_surface(void **state)
{
    (void)state;
    double bytes[2];
    for (int i = 0; i < 2; i++) {
        drops d = {0};
        drops_fill(&d, ball_distance, &(ball){{0.1, 0.2, 0.3}, i ? 32.0 : 16.0}, i ? 33.0 : 17.0, 1.0, 0.25);
        dr_surface_mesh mesh = build_drops(&d, 0.5);
        bytes[i] = (double)mesh.peak_bytes;
        check_at_most(bytes[i] / (double)mesh.cells, 400.0);
        dr_surface_mesh_free(&mesh);
        drops_free(&d);
    }
    check_at_most(bytes[1] / bytes[0], 4.0);
}

static void test_no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    drops d = {0};
    made_up m = {0};
    dr_surface_options options;
    dr_surface_options_default(&options);
    drops_fill(&d, ball_distance, &(ball){{0, 0, 0}, 2.0}, 4.0, 1.0, 0.25);
    made_up_liquid(&m, &d);
    dr_status status = DR_STATUS_NO_MEMORY;
    for (long n = 1; status != DR_STATUS_OK; n++) {
        scarce scarce;
        dr_surface_mesh mesh;
        dr_error error;
        dr_error_clear(&error);
        scarce_open(&scarce, n);
        status = dr_surface_mesh_build(&m.frame, &options, &one_thread, &scarce.allocator, &mesh, &error);
        if (status != DR_STATUS_OK) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        assert_int_equal(status == DR_STATUS_OK, mesh.triangle_count > 0);
        dr_surface_mesh_free(&mesh);
        assert_int_equal(scarce.out, 0);
        assert_true(n < 1000);
    }
    made_up_free(&m);
    drops_free(&d);
}

static void test_particles_that_are_nowhere_are_left_out(void **state)
{
    (void)state;
    drops d = {0};
    drops_fill(&d, ball_distance, &(ball){{0, 0, 0}, 4.0}, 6.0, 1.0, 0.25);
    double volume = drops_volume(&d), bad[4] = {NAN, INFINITY, -INFINITY, 1e30};
    for (int i = 0; i < 4; i++) {
        drops_add(&d, (double[3]){bad[i], 0.0, 0.0}, 1.0);
        drops_add(&d, (double[3]){20.0, 0.0, 0.0}, i == 3 ? -1.0 : bad[i]);
    }
    dr_surface_mesh mesh = build_drops(&d, 0.5);
    assert_closed(&mesh);
    check_near(mesh_volume(&mesh) / volume, 1.0, 0.03);
    dr_surface_mesh_free(&mesh);
    drops_free(&d);
}

static void test_liquid_without_volume_is_an_error(void **state)
{
    (void)state;
    made_up m = {0};
    dr_frame_part *part = made_up_part(&m, "liquid", DR_FRAME_POINTS, 3);
    made_up_array(&m, part, "position", 3);
    dr_surface_options options;
    dr_surface_mesh mesh;
    dr_error error;
    dr_error_clear(&error);
    dr_surface_options_default(&options);
    assert_int_equal(dr_surface_mesh_build(&m.frame, &options, &one_thread, NULL, &mesh, &error),
                     DR_STATUS_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "volume"));
    assert_int_equal(mesh.vertex_count, 0);
    made_up_free(&m);
}

static void test_a_surface_far_from_the_origin_is_the_same(void **state)
{
    (void)state;
    drops d = {0};
    drops_fill(&d, ball_distance, &(ball){{0.1, 0.2, 0.3}, 4.0}, 6.0, 1.0, 0.25);
    dr_surface_mesh here = build_drops(&d, 0.5);
    for (size_t p = 0; p < d.count; p++) d.position[p][0] -= 5000.0F;
    dr_surface_mesh there = build_drops(&d, 0.5);
    assert_closed(&there);
    check_near(mesh_area(&there) / mesh_area(&here), 1.0, 0.002);
    dr_surface_mesh_free(&here);
    dr_surface_mesh_free(&there);
    drops_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_frame_without_liquid_has_no_surface),
        cmocka_unit_test(test_the_mesh_is_closed_and_manifold_however_drops_lie),
        cmocka_unit_test(test_smoothing_from_none_to_most_keeps_the_mesh_closed),
        cmocka_unit_test(test_a_ball_has_its_volume),
        cmocka_unit_test(test_a_sheet_has_its_volume),
        cmocka_unit_test(test_a_jet_has_its_volume),
        cmocka_unit_test(test_lone_drops_are_round_and_have_their_volume),
        cmocka_unit_test(test_a_thin_sheet_does_not_tear),
        cmocka_unit_test(test_the_area_does_not_jump_when_particles_split),
        cmocka_unit_test(test_the_area_does_not_jump_when_all_particles_split_at_once),
        cmocka_unit_test(test_the_surface_follows_particles_without_jumps),
        cmocka_unit_test(test_normals_point_out_and_velocity_is_the_liquids),
        cmocka_unit_test(test_the_mesh_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_memory_follows_the_surface),
        cmocka_unit_test(test_no_memory_leaves_nothing_behind),
        cmocka_unit_test(test_particles_that_are_nowhere_are_left_out),
        cmocka_unit_test(test_liquid_without_volume_is_an_error),
        cmocka_unit_test(test_a_surface_far_from_the_origin_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
