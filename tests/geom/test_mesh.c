// Meshes: closest points, winding numbers and signs, against brute force and the sphere they approximate.
#include "geom/mesh.h"
#include "geom/solids.h"
#include "io/obj.h"
#include "io/reading.h"

static dr_mesh *build(const test_mesh *raw)
{
    dr_error error = {0};
    dr_mesh *mesh;
    if (dr_mesh_create(raw->vertices, raw->vertex_count, raw->triangles, raw->triangle_count, NULL, &mesh, &error))
        fail_msg("%s", error.text);
    return mesh;
}

static dr_mesh *build_ball(size_t rings)
{
    test_mesh raw = ball_mesh(rings);
    dr_mesh *mesh = build(&raw);
    release_mesh(&raw);
    return mesh;
}

// Squared distance to a triangle by minimising over a fine lattice of its points: an upper bound that is nearly exact.
static double sampled_distance(const test_mesh *raw, const double x[3])
{
    double best = INFINITY;
    const int n = 24;
    for (size_t t = 0; t < raw->triangle_count; t++)
        for (int i = 0; i <= n; i++)
            for (int j = 0; i + j <= n; j++) {
                double point[3] = {0}, away[3], weights[3] = {(double)i / n, (double)j / n, (double)(n - i - j) / n};
                for (int k = 0; k < 3; k++)
                    dr_vec3_add_scaled(point, point, weights[k], raw->vertices + 3 * raw->triangles[3 * t + (size_t)k]);
                dr_vec3_sub(away, x, point);
                best = fmin(best, dr_vec3_length(away));
            }
    return best;
}

static test_mesh random_soup(size_t triangle_count)
{
    test_mesh raw = {.vertex_count = 3 * triangle_count, .triangle_count = triangle_count};
    raw.vertices = calloc(9 * triangle_count, sizeof *raw.vertices);
    raw.triangles = calloc(3 * triangle_count, sizeof *raw.triangles);
    for (size_t v = 0; v < raw.vertex_count; v++) {
        double place[3], offset[3];
        random_point(place, 1, v / 3, 1.0);
        random_point(offset, 2, v, 0.4);
        dr_vec3_add(raw.vertices + 3 * v, place, offset);
        raw.triangles[v] = (uint32_t)v;
    }
    return raw;
}

static void test_closest_point_is_the_closest(void **state)
{
    (void)state;
    test_mesh raw = random_soup(60);
    dr_mesh *mesh = build(&raw);
    for (uint64_t i = 0; i < 60; i++) {
        double x[3], away[3], blended[3] = {0};
        dr_mesh_hit hit;
        random_point(x, 3, i, 2.0);
        dr_mesh_closest(mesh, x, &hit);
        dr_vec3_sub(away, x, hit.point);
        check_near(dr_vec3_length(away), hit.distance, 1e-12);
        for (int k = 0; k < 3; k++)
            dr_vec3_add_scaled(blended, blended, hit.weights[k], raw.vertices + 3 * (size_t)hit.corners[k]);
        check_vector_near(blended, hit.point, 1e-12);
        double sampled = sampled_distance(&raw, x);
        check_at_most(hit.distance, sampled + 1e-12);
        check_at_most(sampled, hit.distance + 0.03);
    }
    dr_mesh_destroy(mesh);
    release_mesh(&raw);
}

// The sum of all solid angles, no tree.
static double full_winding(const test_mesh *raw, const double x[3])
{
    double sum = 0.0;
    for (size_t t = 0; t < raw->triangle_count; t++) {
        double to[3][3], length[3], cross[3];
        for (size_t k = 0; k < 3; k++) {
            dr_vec3_sub(to[k], raw->vertices + 3 * (size_t)raw->triangles[3 * t + k], x);
            length[k] = dr_vec3_length(to[k]);
        }
        dr_vec3_cross(cross, to[1], to[2]);
        double rest = length[0] * length[1] * length[2];
        for (int k = 0; k < 3; k++) rest += dr_vec3_dot(to[k], to[(k + 1) % 3]) * length[(k + 2) % 3];
        sum += 2.0 * atan2(dr_vec3_dot(to[0], cross), rest);
    }
    return sum / (4.0 * PI);
}

static void test_winding_number_is_close_to_the_full_sum(void **state)
{
    (void)state;
    test_mesh raw = ball_mesh(24);
    raw.triangle_count -= raw.triangle_count / 5; // a large hole, so that the number is not only 0 and 1
    dr_mesh *mesh = build(&raw);
    double worst = 0.0;
    for (uint64_t i = 0; i < 500; i++) {
        double x[3];
        random_point(x, 4, i, 1.5);
        worst = fmax(worst, fabs(dr_mesh_winding(mesh, x) - full_winding(&raw, x)));
    }
    check_at_most(worst, 0.1);
    dr_mesh_destroy(mesh);
    release_mesh(&raw);
}

static double worst_against_sphere(size_t rings)
{
    dr_mesh *mesh = build_ball(rings);
    double worst = 0.0;
    for (uint64_t i = 0; i < 2000; i++) {
        double x[3];
        random_point(x, 5, i, 1.6);
        worst = fmax(worst, fabs(dr_mesh_distance(mesh, x, NULL) - (dr_vec3_length(x) - 1.0)));
    }
    dr_mesh_destroy(mesh);
    return worst;
}

static void test_a_mesh_ball_converges_to_the_sphere_in_second_order(void **state)
{
    (void)state;
    double coarse = worst_against_sphere(16), fine = worst_against_sphere(64);
    check_at_most(coarse, 0.02);
    check_near(log2(coarse / fine) / 2.0, 2.0, 0.15);
}

static void check_sides(const test_mesh *raw, double margin)
{
    dr_mesh *mesh = build(raw);
    for (uint64_t i = 0; i < 3000; i++) {
        double x[3];
        random_point(x, 6, i, 1.5);
        double sphere = dr_vec3_length(x) - 1.0;
        if (fabs(sphere) < margin) continue;
        double distance = dr_mesh_distance(mesh, x, NULL);
        if ((distance < 0.0) != (sphere < 0.0)) fail_msg("wrong side at %g %g %g: %g", x[0], x[1], x[2], distance);
    }
    dr_mesh_destroy(mesh);
}

static void test_either_orientation_gives_the_same_solid(void **state)
{
    (void)state;
    test_mesh raw = ball_mesh(20);
    check_sides(&raw, 0.02);
    turn_inward(&raw);
    check_sides(&raw, 0.02);
    release_mesh(&raw);
}

static void test_small_holes_do_not_leak(void **state)
{
    (void)state;
    test_mesh raw = ball_mesh(20);
    for (size_t t = 7; t < raw.triangle_count; t += 60) // a missing triangle here and there
        memmove(raw.triangles + 3 * t, raw.triangles + 3 * (t + 1),
                3 * (raw.triangle_count-- - t - 1) * sizeof(uint32_t));
    check_sides(&raw, 0.06);
    turn_inward(&raw);
    check_sides(&raw, 0.06);
    release_mesh(&raw);
}

static void test_normals_point_out_even_on_the_surface(void **state)
{
    (void)state;
    for (int inward = 0; inward < 2; inward++) {
        test_mesh raw = ball_mesh(16);
        if (inward) turn_inward(&raw);
        dr_mesh *mesh = build(&raw);
        for (uint64_t i = 0; i < 300; i++) {
            double x[3], normal[3];
            random_point(x, 7, i, 1.4);
            double length = dr_vec3_length(x);
            if (length < 0.5) continue;
            dr_mesh_hit hit;
            dr_mesh_closest(mesh, x, &hit);
            dr_mesh_distance(mesh, i % 2 ? x : hit.point, normal);
            check_near(dr_vec3_length(normal), 1.0, 1e-12);
            assert_true(dr_vec3_dot(normal, x) / length > 0.9);
        }
        dr_mesh_destroy(mesh);
        release_mesh(&raw);
    }
}

static void test_slope_of_a_closed_mesh_is_at_most_one(void **state)
{
    (void)state;
    dr_mesh *mesh = build_ball(12);
    for (uint64_t i = 0; i < 4000; i++) {
        double x[3], y[3], step[3];
        random_point(x, 8, 2 * i, 1.5);
        random_point(y, 8, 2 * i + 1, 1.5);
        dr_vec3_sub(step, x, y);
        double change = fabs(dr_mesh_distance(mesh, x, NULL) - dr_mesh_distance(mesh, y, NULL));
        check_at_most(change, dr_vec3_length(step) + 1e-12);
    }
    dr_mesh_destroy(mesh);
}

static void test_shell_is_thick_on_both_sides(void **state)
{
    (void)state;
    dr_mesh *mesh = build_ball(64);
    double normal[3];
    check_near(dr_mesh_shell_distance(mesh, (double[3]){0, 1.2, 0}, 0.1, normal), 0.15, 1e-3);
    check_near(normal[1], 1.0, 1e-3);
    check_near(dr_mesh_shell_distance(mesh, (double[3]){0, 0.8, 0}, 0.1, normal), 0.15, 1e-3);
    check_near(normal[1], -1.0, 1e-3);
    check_near(dr_mesh_shell_distance(mesh, (double[3]){0, 1.0, 0}, 0.1, normal), -0.05, 1e-3);
    dr_mesh_destroy(mesh);
}

static void test_moved_vertices_move_the_distance(void **state)
{
    (void)state;
    dr_mesh *mesh = build_ball(24);
    double *vertices = dr_mesh_vertices(mesh);
    for (size_t v = 0; v < dr_mesh_vertex_count(mesh); v++) {
        dr_vec3_scale(vertices + 3 * v, 2.0, vertices + 3 * v);
        vertices[3 * v] += 5.0;
    }
    dr_mesh_refit(mesh);
    for (uint64_t i = 0; i < 500; i++) {
        double x[3], offset[3];
        random_point(offset, 9, i, 3.0);
        dr_vec3_add(x, offset, (double[3]){5, 0, 0});
        check_near(dr_mesh_distance(mesh, x, NULL), dr_vec3_length(offset) - 2.0, 0.03);
    }
    dr_mesh_destroy(mesh);
}

static void test_degenerate_triangles_and_coincident_vertices_do_no_harm(void **state)
{
    (void)state;
    double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5, 0, 0};
    uint32_t triangles[3 * 40];
    for (size_t t = 0; t < 40; t++) { // one real triangle, many without area, all in one place
        uint32_t corners[3] = {0, 1, t == 20 ? 2 : 3};
        memcpy(triangles + 3 * t, corners, sizeof corners);
    }
    test_mesh raw = {4, 40, vertices, triangles};
    dr_mesh *mesh = build(&raw);
    double normal[3];
    check_near(dr_mesh_shell_distance(mesh, (double[3]){0.2, 0.2, 2}, 0, normal), 2.0, 1e-12);
    check_near(dr_mesh_shell_distance(mesh, (double[3]){3, 0, 0}, 0, normal), 2.0, 1e-12);
    assert_true(isfinite(dr_mesh_distance(mesh, (double[3]){0.5, 0, 0}, normal)));
    check_near(dr_vec3_length(normal), 1.0, 1e-12);
    dr_mesh_destroy(mesh);
}

static test_mesh two_balls(double distance, double size, bool inward)
{
    test_mesh first = ball_mesh(16), second = ball_mesh(16),
              both = {2 * first.vertex_count, 2 * first.triangle_count, 0, 0};
    both.vertices = calloc(3 * both.vertex_count, sizeof(double));
    both.triangles = calloc(3 * both.triangle_count, sizeof(uint32_t));
    if (inward) turn_inward(&second);
    for (size_t i = 0; i < 3 * first.vertex_count; i++) {
        both.vertices[i] = first.vertices[i];
        both.vertices[3 * first.vertex_count + i] = size * second.vertices[i] + (i % 3 == 0 ? distance : 0.0);
    }
    for (size_t i = 0; i < 3 * first.triangle_count; i++) {
        both.triangles[i] = first.triangles[i];
        both.triangles[3 * first.triangle_count + i] = second.triangles[i] + (uint32_t)first.vertex_count;
    }
    release_mesh(&first);
    release_mesh(&second);
    return both;
}

static void test_overlapping_parts_are_one_solid_and_cavities_stay_empty(void **state)
{
    (void)state;
    for (int cavity = 0; cavity < 2; cavity++) {
        double distance = cavity ? 0.1 : 1.0, size = cavity ? 0.5 : 1.0;
        test_mesh raw = two_balls(distance, size, cavity);
        dr_mesh *mesh = build(&raw);
        for (uint64_t i = 0; i < 3000; i++) {
            double x[3], y[3];
            random_point(x, 13, i, 2.0);
            dr_vec3_sub(y, x, (double[3]){distance, 0, 0});
            double first = dr_vec3_length(x) - 1.0, second = dr_vec3_length(y) - size;
            if (fabs(first) < 0.03 || fabs(second) < 0.03) continue;
            bool expected = cavity ? first < 0.0 && second > 0.0 : first < 0.0 || second < 0.0;
            assert_int_equal(dr_mesh_distance(mesh, x, NULL) < 0.0, expected);
        }
        dr_mesh_destroy(mesh);
        release_mesh(&raw);
    }
}

// Spikes and slivers: the side of points around random tetrahedra, most of them nearest to an edge or a corner.
static void test_sharp_corners_have_the_right_side(void **state)
{
    (void)state;
    uint32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    for (uint64_t k = 0; k < 200; k++) {
        double vertices[12];
        for (uint64_t v = 0; v < 4; v++) random_point(vertices + 3 * v, 14, 4 * k + v, 1.0);
        test_mesh raw = {4, 4, vertices, triangles};
        dr_mesh *mesh = build(&raw);
        for (uint64_t i = 0; i < 100; i++) {
            double x[3];
            random_point(x, 15, 100 * k + i, 1.0);
            assert_int_equal(dr_mesh_distance(mesh, x, NULL) < 0.0, fabs(full_winding(&raw, x)) > 0.5);
        }
        dr_mesh_destroy(mesh);
    }
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    test_mesh raw = ball_mesh(6);
    dr_status status = DR_STATUS_NO_MEMORY;
    long tries = 0;
    while (status != DR_STATUS_OK) {
        scarce scarce;
        dr_error error = {0};
        dr_mesh *mesh;
        scarce_open(&scarce, ++tries);
        status = dr_mesh_create(raw.vertices, raw.vertex_count, raw.triangles, raw.triangle_count, &scarce.allocator,
                                &mesh, &error);
        if (status) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        dr_mesh_destroy(mesh);
        assert_int_equal(scarce.out, 0);
    }
    assert_true(tries > 8);
    release_mesh(&raw);
}

// A cow and a bowl made by other programs, where they are at hand: distance and side against all triangles one by one.
static void test_real_meshes_agree_with_brute_force(void **state)
{
    (void)state;
    static const char *const files[] = {"spot_triangulated.obj", "bowl.obj", "streambox.obj"};
    for (int f = 0; f < 3; f++) {
        size_t bytes;
        char *text = shared_asset(files[f], &bytes);
        if (!text) skip();
        opened(text);
        dr_mesh_asset asset = {0};
        expect_ok(dr_obj_parse(text, bytes, files[f], &arena, &asset, &error));
        test_mesh raw = {asset.vertex_count, asset.triangle_count, calloc(3 * asset.vertex_count, sizeof(double)),
                         calloc(3 * asset.triangle_count, sizeof(uint32_t))};
        memcpy(raw.vertices, asset.vertices, 3 * asset.vertex_count * sizeof(double));
        memcpy(raw.triangles, asset.triangles, 3 * asset.triangle_count * sizeof(uint32_t));
        dr_mesh *mesh = build(&raw);
        double low[3], high[3];
        dr_mesh_bounds(mesh, low, high);
        int inside = 0;
        for (uint64_t i = 0; i < 200; i++) {
            double x[3];
            for (uint64_t k = 0; k < 3; k++) x[k] = low[k] + dr_random_unit(12, 3 * i + k) * (high[k] - low[k]);
            double distance = dr_mesh_distance(mesh, x, NULL), winding = fabs(full_winding(&raw, x));
            if (fabs(winding - 0.5) > 0.1) assert_int_equal(distance<0.0, winding> 0.5);
            inside += distance < 0.0;
            double nearest = INFINITY;
            for (size_t v = 0; v < raw.vertex_count; v++) {
                double away[3];
                dr_vec3_sub(away, x, raw.vertices + 3 * v);
                nearest = fmin(nearest, dr_vec3_length(away));
            }
            check_at_most(fabs(distance), nearest + 1e-12);
        }
        assert_true(inside > 0);
        dr_mesh_destroy(mesh);
        release_mesh(&raw);
        dr_arena_close(&arena);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closest_point_is_the_closest),
        cmocka_unit_test(test_winding_number_is_close_to_the_full_sum),
        cmocka_unit_test(test_a_mesh_ball_converges_to_the_sphere_in_second_order),
        cmocka_unit_test(test_either_orientation_gives_the_same_solid),
        cmocka_unit_test(test_small_holes_do_not_leak),
        cmocka_unit_test(test_normals_point_out_even_on_the_surface),
        cmocka_unit_test(test_slope_of_a_closed_mesh_is_at_most_one),
        cmocka_unit_test(test_shell_is_thick_on_both_sides),
        cmocka_unit_test(test_moved_vertices_move_the_distance),
        cmocka_unit_test(test_degenerate_triangles_and_coincident_vertices_do_no_harm),
        cmocka_unit_test(test_overlapping_parts_are_one_solid_and_cavities_stay_empty),
        cmocka_unit_test(test_sharp_corners_have_the_right_side),
        cmocka_unit_test(test_every_failing_allocation_is_clean),
        cmocka_unit_test(test_real_meshes_agree_with_brute_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
