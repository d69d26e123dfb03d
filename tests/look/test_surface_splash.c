// A column of liquid falls into a pool, by the ordinary simulation: every frame must have a sound surface.
#include "made_up.h"

#include "drench/drench.h"

static const char scene_text[] =
    "domain: {cell: 0.5, min: [0, 0, 0], max: [10, 12, 4], x_min: slip, x_max: slip, y_min: slip, z_min: slip, "
    "z_max: slip}\n"
    "bodies:\n"
    "  - {name: pool, material: water, shape: {type: box, center: [5, 0.5, 2], size: [10, 1, 4]}}\n"
    "  - {name: column, material: water, shape: {type: box, center: [1.5, 3.5, 2], size: [3, 5, 4]}}\n";

static dr_world *open_world(void)
{
    dr_scene *scene;
    dr_world *world;
    dr_error error = {0};
    dr_world_options options = {.threads = 1};
    if (dr_scene_parse(scene_text, strlen(scene_text), "splash.yaml", NULL, &scene, &error) != DR_STATUS_OK) {
        if (error.status == DR_STATUS_UNSUPPORTED) skip();
        fail_msg("%s", error.text);
    }
    if (dr_world_create(scene, &options, &world, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    dr_scene_destroy(scene);
    return world;
}

static double liquid_volume(const dr_frame *frame)
{
    double sum = 0.0;
    for (int i = 0; i < frame->part_count; i++) {
        if (strcmp(frame->parts[i].name, "liquid") != 0) continue;
        const dr_frame_array *volume = dr_frame_find(frame->parts + i, "volume");
        for (size_t p = 0; p < volume->count; p++) sum += (double)((const float *)volume->data)[p];
    }
    return sum;
}

static void test_every_frame_of_a_splash_is_closed_and_holds_the_liquid(void **state)
{
    (void)state;
    dr_world *world = open_world();
    dr_par par = {1};
    dr_surface_options options;
    dr_surface_options_default(&options);
    for (int number = 0; number < 24; number++) {
        dr_frame frame;
        dr_surface_mesh mesh;
        dr_error error = {0};
        if (dr_world_advance(world, 0.025 * number, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
        assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
        assert_int_equal(dr_surface_mesh_build(&frame, &options, &par, NULL, &mesh, &error), DR_STATUS_OK);
        const char *fault = mesh_fault(&mesh);
        if (fault) fail_msg("frame %d: %s", number, fault);
        check_near(mesh_volume(&mesh) / liquid_volume(&frame), 1.0, number == 0 ? 0.01 : 0.12);
        check_at_most((double)mesh.peak_bytes / (double)mesh.cells, 400.0);
        dr_surface_mesh_free(&mesh);
    }
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_frame_of_a_splash_is_closed_and_holds_the_liquid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
