#include "made_up.h"

static const dr_par one_thread = {1};

static dr_surface_mesh build(const made_up *m, double cell)
{
    dr_surface_options options;
    dr_surface_mesh mesh;
    dr_error error;
    dr_error_clear(&error);
    dr_surface_options_default(&options);
    options.cell = (float)cell;
    if (dr_surface_mesh_build(&m->frame, &options, &one_thread, NULL, &mesh, &error) != DR_STATUS_OK) {
        fail_msg("%s", error.text);
    }
    const char *fault = mesh_fault(&mesh);
    if (fault) fail_msg("%s", fault);
    return mesh;
}

// ---- curves

typedef struct strands {
    float *position, *radius, *height, *velocity;
} strands;

// `count` curves of `points` points each; everything else is the caller's to fill in.
static strands add_strands(made_up *m, size_t count, size_t points)
{
    dr_frame_part *part = made_up_part(m, "strands", DR_FRAME_CURVES, count * points);
    uint32_t *index = made_up_own(m, calloc(count + 1, sizeof *index));
    for (size_t i = 0; i <= count; i++) index[i] = (uint32_t)(i * points);
    part->index = index;
    part->element_count = count;
    return (strands){made_up_array(m, part, "position", 3), made_up_array(m, part, "radius", 1),
                     made_up_array(m, part, "film_height", 1), made_up_array(m, part, "velocity", 3)};
}

// A curve along a slanted line through the origin, from -half to half.
static void lay_straight(strands *s, size_t first, size_t points, double half, double shift)
{
    for (size_t i = 0; i < points; i++) {
        double along = half * (2.0 * (double)i / (double)(points - 1) - 1.0);
        for (int a = 0; a < 3; a++) s->position[3 * (first + i) + (size_t)a] = (float)(along * slanted[a]);
        s->position[3 * (first + i) + 2] += (float)shift;
        s->velocity[3 * (first + i)] = 7.0F;
    }
}

static void test_a_film_of_even_thickness_is_a_tube(void **state)
{
    (void)state;
    made_up m = {0};
    strands s = add_strands(&m, 1, 21);
    lay_straight(&s, 0, 21, 10.0, 0.0);
    for (int i = 0; i < 21; i++) {
        s.radius[i] = 0.5F;
        s.height[i] = 0.5F;
    }
    dr_surface_mesh mesh = build(&m, 0.3);
    check_near(mesh_volume(&mesh) / (PI * 20.0 + 4.0 / 3.0 * PI), 1.0, 0.03);
    for (size_t v = 0; v < mesh.vertex_count; v++) check_near((double)mesh.velocity[v][0], 7.0, 1e-3);
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
}

// Drops hang on a wet hair: the radius swings between 0.5 and 1.5.
static void test_a_film_may_vary_along_a_curve(void **state)
{
    (void)state;
    made_up m = {0};
    strands s = add_strands(&m, 1, 161);
    lay_straight(&s, 0, 161, 10.0, 0.0);
    double volume = 0.0;
    for (int i = 0; i < 161; i++) {
        s.radius[i] = 0.2F;
        s.height[i] = (float)(0.8 + 0.5 * sin(0.1 * i));
        volume += (i == 0 || i == 160 ? 0.5 : 1.0) * 0.125 * PI * pow(1.0 + 0.5 * sin(0.1 * i), 2.0);
    }
    double ends = 2.0 / 3.0 * PI * (1.0 + pow(1.0 + 0.5 * sin(16.0), 3.0));
    dr_surface_mesh mesh = build(&m, 0.25);
    check_near(mesh_volume(&mesh) / (volume + ends), 1.0, 0.04);
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
}

static void test_a_dry_curve_has_no_surface_and_a_film_grows_from_nothing(void **state)
{
    (void)state;
    double last = 0.0;
    for (int step = 0; step <= 20; step++) {
        made_up m = {0};
        strands s = add_strands(&m, 1, 11);
        lay_straight(&s, 0, 11, 5.0, 0.0);
        for (int i = 0; i < 11; i++) {
            s.radius[i] = 0.6F;
            s.height[i] = 0.005F * (float)step;
        }
        dr_surface_mesh mesh = build(&m, 0.3);
        double volume = mesh_volume(&mesh);
        if (step == 0) assert_int_equal(mesh.triangle_count, 0);
        assert_true(volume >= last);
        last = volume;
        dr_surface_mesh_free(&mesh);
        made_up_free(&m);
    }
    check_near(last / (PI * 0.49 * 10.0 + 4.0 / 3.0 * PI * 0.343), 1.0, 0.05);
}

// A thick coat that ends at once, wherever it lies among the blocks of the lattice: neighbours agree, no vertex is
// lost.
static void test_a_coat_with_steep_ends_stays_at_its_curve(void **state)
{
    (void)state;
    for (int shift = 0; shift < 40; shift++) {
        made_up m = {0};
        strands s = add_strands(&m, 1, 41);
        lay_straight(&s, 0, 41, 10.0, 0.09 * shift);
        for (int i = 0; i < 41; i++) {
            s.radius[i] = 0.05F;
            s.height[i] = i > 15 && i < 26 ? 1.5F : 0.0F;
        }
        dr_surface_mesh mesh = build(&m, 0.2);
        assert_true(mesh.vertex_count > 0);
        for (size_t v = 0; v < mesh.vertex_count; v++) {
            double x[3] = {mesh.position[v][0], mesh.position[v][1], mesh.position[v][2] - 0.09 * shift};
            double along = x[0] * slanted[0] + x[1] * slanted[1] + x[2] * slanted[2], away = 0.0;
            for (int a = 0; a < 3; a++) away += pow(x[a] - along * slanted[a], 2.0);
            if (!(sqrt(away) < 1.8) || !(fabs(along) < 5.5))
                fail_msg("shift %d: %g out, %g along", shift, sqrt(away), along);
        }
        dr_surface_mesh_free(&mesh);
        made_up_free(&m);
    }
}

static void test_wet_curves_that_touch_become_one(void **state)
{
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        made_up m = {0};
        strands s = add_strands(&m, 2, 11);
        lay_straight(&s, 0, 11, 5.0, 0.0);
        lay_straight(&s, 11, 11, 5.0, apart ? 4.0 : 1.3);
        for (int i = 0; i < 22; i++) {
            s.radius[i] = 0.2F;
            s.height[i] = 0.4F;
        }
        dr_surface_mesh mesh = build(&m, 0.25);
        assert_int_equal(mesh_pieces(&mesh), apart ? 2 : 1);
        dr_surface_mesh_free(&mesh);
        made_up_free(&m);
    }
}

static void test_a_film_and_the_drop_it_meets_are_one_surface(void **state)
{
    (void)state;
    made_up m = {0};
    drops d = {0};
    drops_fill(&d, ball_distance, &(ball){{0, 0, 0}, 4.0}, 6.0, 1.0, 0.25);
    made_up_liquid(&m, &d);
    strands s = add_strands(&m, 1, 41);
    lay_straight(&s, 0, 41, 12.0, 0.0);
    for (int i = 0; i < 41; i++) {
        s.radius[i] = 0.3F;
        s.height[i] = 0.5F;
    }
    dr_surface_mesh mesh = build(&m, 0.5);
    assert_int_equal(mesh_pieces(&mesh), 1);
    double ball_volume = 4.0 / 3.0 * PI * 64.0, tube = PI * 0.64 * 16.0 + 4.0 / 3.0 * PI * 0.512;
    check_near(mesh_volume(&mesh) / (ball_volume + tube), 1.0, 0.03);
    dr_surface_mesh_free(&mesh);
    dr_surface_options options;
    dr_error error;
    dr_error_clear(&error);
    dr_surface_options_default(&options);
    options.films = false;
    assert_int_equal(dr_surface_mesh_build(&m.frame, &options, &one_thread, NULL, &mesh, &error), DR_STATUS_OK);
    check_near(mesh_volume(&mesh) / ball_volume, 1.0, 0.03);
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
    drops_free(&d);
}

// ---- fabric

static dr_frame_part *add_cloth(made_up *m, int side, double width, double thick, double wet)
{
    size_t points = (size_t)(side * side), triangles = (size_t)(2 * (side - 1) * (side - 1));
    dr_frame_part *part = made_up_part(m, "cloth", DR_FRAME_TRIANGLES, points);
    uint32_t *index = made_up_own(m, calloc(3 * triangles, sizeof *index)), *next = index;
    float *position = made_up_array(m, part, "position", 3), *wetness = made_up_array(m, part, "wetness", 1);
    float *thickness = made_up_array(m, part, "thickness", 1);
    for (int i = 0; i < side * side; i++) {
        position[3 * i] = (float)(width * (i % side) / (side - 1));
        position[3 * i + 1] = (float)(width * (i / side) / (side - 1));
        position[3 * i + 2] = 0.5F * position[3 * i];
        wetness[i] = (float)wet;
        thickness[i] = (float)thick;
        if (i % side == side - 1 || i / side == side - 1) continue;
        uint32_t a = (uint32_t)i, b = a + 1, c = a + (uint32_t)side, e = c + 1;
        uint32_t two[6] = {a, b, e, a, e, c};
        memcpy(next, two, sizeof two);
        next += 6;
    }
    part->index = index;
    part->element_count = triangles;
    return part;
}

static void test_wet_fabric_is_a_slab_and_dry_fabric_none(void **state)
{
    (void)state;
    made_up wet = {0}, dry = {0};
    add_cloth(&wet, 9, 16.0, 1.6, 1.0);
    add_cloth(&dry, 9, 16.0, 1.6, 0.0);
    dr_surface_mesh mesh = build(&wet, 0.4), none = build(&dry, 0.4);
    double area = 16.0 * 16.0 * sqrt(1.25), rim = 2.0 * 16.0 * (1.0 + sqrt(1.25));
    double round = 4.0 / 3.0 * PI * 0.512, volume = area * 1.6 + 0.5 * PI * 0.64 * rim + round;
    check_near(mesh_volume(&mesh) / volume, 1.0, 0.03);
    assert_int_equal(mesh_pieces(&mesh), 1);
    assert_int_equal(none.triangle_count, 0);
    dr_surface_mesh_free(&mesh);
    dr_surface_mesh_free(&none);
    made_up_free(&wet);
    made_up_free(&dry);
}

static void test_a_drop_on_wet_fabric_is_one_surface_with_it(void **state)
{
    (void)state;
    made_up m = {0};
    drops d = {0};
    drops_fill(&d, ball_distance, &(ball){{8.0, 8.0, 6.5}, 3.0}, 14.0, 1.0, 0.25);
    made_up_liquid(&m, &d);
    add_cloth(&m, 9, 16.0, 1.6, 1.0);
    dr_surface_mesh mesh = build(&m, 0.5);
    assert_int_equal(mesh_pieces(&mesh), 1);
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
    drops_free(&d);
}

// Long segments and triangles, indices that point nowhere, numbers that are none.
static void test_bad_curves_and_fabric_do_no_harm(void **state)
{
    (void)state;
    made_up m = {0};
    strands s = add_strands(&m, 3, 5);
    lay_straight(&s, 0, 5, 60.0, 0.0);
    lay_straight(&s, 5, 5, 5.0, 9.0);
    lay_straight(&s, 10, 5, 5.0, 18.0);
    for (int i = 0; i < 15; i++) {
        s.radius[i] = 0.2F;
        s.height[i] = 0.6F;
    }
    s.position[3 * 7] = NAN;
    s.height[12] = INFINITY;
    dr_frame_part *cloth = add_cloth(&m, 3, 90.0, 2.0, 1.0);
    ((uint32_t *)(uintptr_t)cloth->index)[4] = 4000000;
    dr_surface_mesh mesh = build(&m, 0.5);
    assert_true(mesh.triangle_count > 0);
    for (size_t v = 0; v < mesh.vertex_count; v++) assert_true(isfinite(mesh.position[v][0]));
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
}

static void test_films_alone_choose_their_own_cells(void **state)
{
    (void)state;
    made_up m = {0};
    strands s = add_strands(&m, 1, 21);
    lay_straight(&s, 0, 21, 1.0, 0.0);
    for (int i = 0; i < 21; i++) {
        s.radius[i] = 0.01F;
        s.height[i] = 0.03F;
    }
    dr_surface_mesh mesh = build(&m, 0.0);
    check_near(mesh_volume(&mesh) / (PI * 0.0016 * 2.0), 1.0, 0.08);
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
}

static void test_no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    made_up m = {0};
    dr_surface_options options;
    dr_surface_options_default(&options);
    options.cell = 0.5F;
    add_cloth(&m, 4, 6.0, 1.6, 1.0);
    dr_status status = DR_STATUS_NO_MEMORY;
    for (long n = 1; status != DR_STATUS_OK; n++) {
        scarce scarce;
        dr_surface_mesh mesh;
        dr_error error;
        dr_error_clear(&error);
        scarce_open(&scarce, n);
        status = dr_surface_mesh_build(&m.frame, &options, &one_thread, &scarce.allocator, &mesh, &error);
        if (status != DR_STATUS_OK) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        dr_surface_mesh_free(&mesh);
        assert_int_equal(scarce.out, 0);
    }
    made_up_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_film_of_even_thickness_is_a_tube),
        cmocka_unit_test(test_a_film_may_vary_along_a_curve),
        cmocka_unit_test(test_a_dry_curve_has_no_surface_and_a_film_grows_from_nothing),
        cmocka_unit_test(test_a_coat_with_steep_ends_stays_at_its_curve),
        cmocka_unit_test(test_wet_curves_that_touch_become_one),
        cmocka_unit_test(test_a_film_and_the_drop_it_meets_are_one_surface),
        cmocka_unit_test(test_wet_fabric_is_a_slab_and_dry_fabric_none),
        cmocka_unit_test(test_a_drop_on_wet_fabric_is_one_surface_with_it),
        cmocka_unit_test(test_bad_curves_and_fabric_do_no_harm),
        cmocka_unit_test(test_films_alone_choose_their_own_cells),
        cmocka_unit_test(test_no_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
