#include "made_up.h"

static const dr_par one_thread = {1};

static dr_surface_mesh build(const made_up *m, float cell)
{
    dr_surface_options options;
    dr_surface_mesh mesh;
    dr_error error;
    dr_error_clear(&error);
    dr_surface_options_default(&options);
    options.cell = cell;
    if (dr_surface_mesh_build(&m->frame, &options, &one_thread, NULL, &mesh, &error) != DR_STATUS_OK) {
        fail_msg("%s", error.text);
    }
    return mesh;
}

static void assert_closed(const dr_surface_mesh *mesh)
{
    const char *fault = mesh_fault(mesh);
    if (fault) fail_msg("%s", fault);
}

static void test_a_frame_without_liquid_has_no_surface(void **state)
{
    (void)state;
    made_up m = {0};
    dr_surface_mesh mesh = build(&m, 0.0F);
    assert_int_equal(mesh.vertex_count, 0);
    assert_int_equal(mesh.triangle_count, 0);
    dr_surface_mesh_free(&mesh);
}

static void test_a_ball_is_closed_and_has_its_volume(void **state)
{
    (void)state;
    ball b = {{0.13, 0.27, -0.11}, 10.0};
    drops d = {0};
    made_up m = {0};
    drops_fill(&d, ball_distance, &b, 12.0, 1.0, 0.25);
    made_up_liquid(&m, &d);
    dr_surface_mesh mesh = build(&m, 0.0F);
    assert_closed(&mesh);
    check_near(mesh_volume(&mesh) / drops_volume(&d), 1.0, 0.01);
    dr_surface_mesh_free(&mesh);
    made_up_free(&m);
    drops_free(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_frame_without_liquid_has_no_surface),
        cmocka_unit_test(test_a_ball_is_closed_and_has_its_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
