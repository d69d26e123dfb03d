#include "support/check.h"

#include "look/camera.h"
#include "look/copies.h"
#include "look/sheet.h"
#include "look/thread.h"

#include <string.h>

// ---- sheets

static double volume_of(const dr_sheet *sheet)
{
    double sum = 0.0;
    for (size_t t = 0; t < sheet->triangle_count; t++) {
        const uint32_t *c = sheet->triangle[t];
        dr_float4 a = dr_float4_load3(sheet->position[c[0]]), b = dr_float4_load3(sheet->position[c[1]]);
        sum += (double)dr_space_dot(a, dr_space_cross(b, dr_float4_load3(sheet->position[c[2]]))) / 6.0;
    }
    return sum;
}

static const float flat[4][3] = {{0, 0, 0}, {3, 0, 0}, {0, 0, -2}, {3, 0, -2}},
                   up[4][3] = {{0, 1, 0}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0}};
static const float coordinates[4][2] = {{0, 0}, {3, 0}, {0, 2}, {3, 2}};
static const uint32_t square[2][3] = {{0, 1, 2}, {1, 3, 2}}, bodies[2] = {0, 1};

static dr_sheet flat_sheet(void)
{
    return (dr_sheet){.vertex_count = 4,
                      .triangle_count = 2,
                      .position = flat,
                      .normal = up,
                      .coordinates = coordinates,
                      .triangle = square,
                      .body = bodies};
}

static void test_a_flat_sheet_becomes_a_slab(void **state)
{
    (void)state;
    dr_arena arena;
    dr_arena_open(&arena, NULL);
    dr_sheet sheet = flat_sheet(), made;
    const float thickness[2] = {0.1f, 0.1f};
    for (int pieces = 1; pieces < 5; pieces++) {
        assert_true(dr_sheet_thicken(&sheet, pieces, thickness, &arena, &made));
        assert_int_equal(made.triangle_count, 4 * pieces * pieces + 8 * pieces); // two sides, a rim of four edges
        check_near(volume_of(&made), 3.0 * 2.0 * 0.1, 1e-6);
        for (size_t v = 0; v < made.vertex_count; v++) {
            check_near(fabs((double)made.position[v][1]), 0.05, 1e-7);
            check_near(made.coordinates[v][0], made.position[v][0], 1e-6);
            check_near(made.coordinates[v][1], -made.position[v][2], 1e-6);
        }
    }
    dr_arena_close(&arena);
}

static void test_neighbours_meet_along_their_edge(void **state)
{
    (void)state;
    dr_arena arena;
    dr_arena_open(&arena, NULL);
    dr_sheet sheet = flat_sheet(), made;
    float bent[4][3], normal[4][3];
    const float thickness[2] = {0.0f, 0.0f};
    memcpy(bent, flat, sizeof bent);
    memcpy(normal, up, sizeof normal);
    for (int v = 0; v < 4; v++) {
        dr_float4 n = dr_space_unit((dr_float4){0.3f * (float)v - 0.4f, 1.0f, 0.2f * (float)v, 0.0f});
        bent[v][1] = 0.3f * (float)(v * v);
        for (int a = 0; a < 3; a++) normal[v][a] = n[a];
    }
    sheet.position = (const float(*)[3])bent;
    sheet.normal = (const float(*)[3])normal;
    assert_true(dr_sheet_thicken(&sheet, 4, thickness, &arena, &made));
    // Of the vertices of the first side of the one, the five on the edge 1-2 are vertices of the other too.
    size_t side = 15, met = 0;
    for (size_t v = 0; v < side; v++) {
        for (size_t w = 2 * side; w < 3 * side; w++) {
            dr_float4 away = dr_float4_load3(made.position[v]) - dr_float4_load3(made.position[w]);
            met += dr_space_length(away) < 1e-6f;
        }
    }
    assert_int_equal(met, 5);
    dr_arena_close(&arena);
}

static void test_points_of_a_ball_bulge_towards_it(void **state)
{
    (void)state;
    dr_arena arena;
    dr_arena_open(&arena, NULL);
    static const float corner[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const uint32_t triangle[1][3] = {{0, 1, 2}}, body[1] = {0};
    static const float thickness[1] = {0}, none[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    dr_sheet made, sheet = {3, 1, corner, corner, none, NULL, triangle, body};
    assert_true(dr_sheet_thicken(&sheet, 3, thickness, &arena, &made));
    double nearest = 1.0;
    for (size_t v = 0; v < made.vertex_count; v++)
        nearest = fmin(nearest, (double)dr_space_length(dr_float4_load3(made.position[v])));
    assert_true(nearest > 0.85); // flat, the middle would be at 0.577
    dr_arena_close(&arena);
}

// ---- threads

static dr_studio_hit hit_on_cloth(float u, float v)
{
    dr_studio_hit hit = {.kind = DR_STUDIO_SOLID};
    hit.face = hit.normal = (dr_float4){0.0f, 1.0f, 0.0f, 0.0f};
    hit.warp = (dr_float4){1.0f, 0.0f, 0.0f, 0.0f};
    hit.weft = (dr_float4){0.0f, 0.0f, 1.0f, 0.0f};
    hit.coordinates[0] = u;
    hit.coordinates[1] = v;
    hit.paint = dr_paint_make(DR_FINISH_CLOTH, (const double[3]){0.6, 0.6, 0.6});
    hit.paint.thread = 0.1f;
    return hit;
}

static void test_threads_keep_the_mean_of_colour_and_normal(void **state)
{
    (void)state;
    double sum = 0.0, tilt[3] = {0}, most = 0.0;
    int count = 64;
    float plain = hit_on_cloth(0.0f, 0.0f).paint.colour[0];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++) {
            dr_studio_hit hit =
                hit_on_cloth(0.2f * ((float)i + 0.5f) / (float)count, 0.2f * ((float)j + 0.5f) / (float)count);
            dr_thread_shade(&hit, 0.01f);
            sum += (double)hit.paint.colour[0];
            for (int a = 0; a < 3; a++) tilt[a] += (double)hit.normal[a];
            most = fmax(most, (double)fabsf(hit.normal[0]));
        }
    }
    check_near(sum / (count * count) / (double)plain, 1.0, 1e-3);
    check_near(tilt[0] / (count * count), 0.0, 1e-6);
    check_near(tilt[2] / (count * count), 0.0, 1e-6);
    assert_true(most > 0.4);
}

static void test_threads_finer_than_a_pixel_are_not_drawn(void **state)
{
    (void)state;
    dr_studio_hit hit = hit_on_cloth(0.013f, 0.041f), before = hit;
    dr_thread_shade(&hit, 0.2f);
    assert_true(hit.normal[0] == before.normal[0] && hit.paint.colour[0] == before.paint.colour[0]);
    dr_thread_shade(&hit, 0.02f);
    assert_true(hit.normal[0] != before.normal[0] && hit.paint.colour[0] != before.paint.colour[0]);
}

// ---- copies of strands

static void test_copies_run_along_with_their_strand(void **state)
{
    (void)state;
    dr_arena arena;
    dr_arena_open(&arena, NULL);
    static const float position[5][3] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {5, 5, 5}, {5, 6, 5}};
    static const float radius[5] = {0.1f, 0.1f, 0.05f, 0.2f, 0.2f};
    static const uint32_t first[3] = {0, 3, 5}, body[2] = {0, 1}, copies[2] = {4, 1};
    static const float spread[2] = {0.3f, 9.0f};
    dr_studio_curves curves = {
        .point_count = 5, .curve_count = 2, .position = position, .radius = radius, .first = first, .body = body};
    assert_true(dr_copies_make(&curves, copies, spread, &arena));
    assert_int_equal(curves.curve_count, 5);
    assert_int_equal(curves.point_count, 4 * 3 + 2);
    double most = 0.0;
    for (size_t c = 0; c < 4; c++) {
        for (size_t v = 0; v < 3; v++) {
            dr_float4 away = dr_float4_load3(curves.position[3 * c + v]) - dr_float4_load3(position[v]);
            assert_true(dr_space_length(away) <= (v == 2 ? 0.15f : 0.3f) + 1e-6f);
            assert_true(curves.radius[3 * c + v] == radius[v]);
            most = fmax(most, c > 0 ? (double)dr_space_length(away) : 0.0);
            if (c == 0) assert_true(dr_space_length(away) == 0.0f);
        }
    }
    assert_true(most > 0.05);
    assert_true(curves.position[12][0] == 5.0f && curves.body[4] == 1);
    dr_arena_close(&arena);
}

// ---- light through cloth, lenses

static void test_cloth_sends_on_no_more_than_arrives(void **state)
{
    (void)state;
    dr_paint cloth = dr_paint_make(DR_FINISH_CLOTH, (const double[3]){1.0, 1.0, 1.0});
    dr_float4 normal = {0.0f, 1.0f, 0.0f, 0.0f}, out = dr_space_unit((dr_float4){0.3f, 1.0f, 0.0f, 0.0f});
    cloth.through = 0.2f;
    double before = 0.0, behind = 0.0;
    int count = 200;
    for (int i = 0; i < count; i++) {
        float cosine = ((float)i + 0.5f) / (float)count, sine = sqrtf(1.0f - cosine * cosine);
        dr_float4 in = {sine, cosine, 0.0f, 0.0f}, below = {sine, -cosine, 0.0f, 0.0f};
        before += 2.0 * DR_PI / count * (double)dr_paint_send(&cloth, normal, out, in)[0];
        behind += 2.0 * DR_PI / count * (double)dr_paint_send_through(&cloth, normal, below)[0];
        assert_true(dr_paint_send_through(&cloth, normal, in)[0] == 0.0f);
    }
    check_near(before, 0.8, 1e-3);
    check_near(behind, 0.2, 1e-3);
}

static void test_rays_of_a_lens_meet_where_it_is_sharp(void **state)
{
    (void)state;
    dr_camera_spec spec = {.position = {0, 0, 10}, .target = {0, 0, 0}, .field_of_view = 0.5, .zoom = 1.0};
    spec.aperture = 0.8;
    spec.focus = DR_AUTO;
    dr_box box = {{-1, -1, -1}, {1, 1, 1}};
    dr_camera camera = dr_camera_make(&spec, &box, 1.5);
    check_near(camera.focus, 10.0, 1e-5);
    for (int i = 0; i < 8; i++) {
        dr_float4 eye = camera.position, direction = dr_camera_ray(&camera, 0.8f, 0.3f);
        float way = 10.0f / dr_space_dot(direction, camera.ahead);
        dr_float4 sharp = eye + way * direction;
        dr_camera_blur(&camera, (const float[2]){0.9f, 0.125f * (float)i}, &eye, &direction);
        check_near(dr_space_length(eye - camera.position), 0.4 * sqrt(0.9), 1e-5);
        dr_float4 found = eye + (10.0f / dr_space_dot(direction, camera.ahead)) * direction;
        check_near(dr_space_length(found - sharp), 0.0, 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_flat_sheet_becomes_a_slab),
        cmocka_unit_test(test_neighbours_meet_along_their_edge),
        cmocka_unit_test(test_points_of_a_ball_bulge_towards_it),
        cmocka_unit_test(test_threads_keep_the_mean_of_colour_and_normal),
        cmocka_unit_test(test_threads_finer_than_a_pixel_are_not_drawn),
        cmocka_unit_test(test_copies_run_along_with_their_strand),
        cmocka_unit_test(test_cloth_sends_on_no_more_than_arrives),
        cmocka_unit_test(test_rays_of_a_lens_meet_where_it_is_sharp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
