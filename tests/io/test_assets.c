// Loading what a scene names: folders, once each, and problems told at the scene's line.
#define _POSIX_C_SOURCE 200809L
#include "io/assets.h"
#include "io/reading.h"

#include <unistd.h>

static char folder[64];
static char written[16][100];
static int written_count;

static void write_file(const char *name, const char *text)
{
    char *path = written[written_count++];
    snprintf(path, sizeof written[0], "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int open_folder(void **state)
{
    (void)state;
    written_count = 0;
    snprintf(folder, sizeof folder, "/tmp/drench-assets-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int close_folder(void **state)
{
    (void)state;
    for (int i = 0; i < written_count; i++) remove(written[i]);
    return rmdir(folder);
}

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"

static const char scene_text[] = "regions:\n"
                                 "  - name: block\n"
                                 "    shape:\n"
                                 "      type: union\n"
                                 "      of:\n"
                                 "        - {type: mesh, file: a.obj}\n"
                                 "        - {type: inside_out, of: [{type: mesh, file: a.obj, scale: 2}]}\n"
                                 "colliders:\n"
                                 "  - name: flag\n"
                                 "    shape: {type: mesh, file: a.obj, shell: 0.1}\n"
                                 "    motion:\n"
                                 "      - {type: sequence, file: 'wave_###.obj', first_frame: 8, frame_rate: 10}\n"
                                 "      - type: path\n"
                                 "        file: way.txt\n"
                                 "domain: {cell: 0.1}\n";

static dr_status parse(const dr_allocator *allocator, dr_scene **scene, dr_error *error)
{
    char name[100];
    snprintf(name, sizeof name, "%s/scene.yaml", folder);
    return dr_scene_parse(scene_text, strlen(scene_text), name, allocator, scene, error);
}

static void write_all(void)
{
    write_file("a.obj", TRIANGLE);
    write_file("wave_008.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    write_file("wave_009.obj", "v 0 0 1\nv 1 0 1\nv 0 1 1\n");
    write_file("wave_010.obj", "v 0 0 4\nv 1 0 4\nv 0 1 4\n");
    write_file("way.txt", "0 0 0 0\n1 2 3 4\n");
}

static void test_every_file_is_loaded_once_from_the_scenes_folder(void **state)
{
    (void)state;
    write_all();
    dr_error error = {0};
    dr_scene *scene;
    expect_ok(parse(NULL, &scene, &error));
    assert_int_equal(scene->assets.mesh_count, 1);
    assert_int_equal(dr_scene_mesh(scene, "a.obj")->triangle_count, 1);
    const dr_sequence_asset *sequence = dr_scene_sequence(scene, "wave_###.obj");
    assert_non_null(sequence);
    assert_int_equal(sequence->frame_count, 3);
    assert_int_equal(sequence->vertex_count, 3);
    check_near((double)sequence->positions[2 * 9 + 2], 4.0, 0.0);
    assert_int_equal(dr_scene_path(scene, "way.txt")->count, 2);
    expect_ok(dr_scene_load(scene, &error));
    assert_int_equal(scene->assets.mesh_count + scene->assets.path_count + scene->assets.sequence_count, 3);
    dr_scene_destroy(scene);
}

static void expect_message(const char *word)
{
    dr_error error = {0};
    dr_scene *scene;
    assert_int_equal(parse(NULL, &scene, &error), DR_STATUS_BAD_SCENE);
    assert_null(scene);
    if (!strstr(error.text, word)) fail_msg("\"%s\" does not say \"%s\"", error.text, word);
}

static void test_problems_are_told_at_the_scenes_line(void **state)
{
    (void)state;
    expect_message("scene.yaml:6:30: region \"block\": shape.of[0].file \"a.obj\" does not exist");
    expect_message("a.obj; files are looked for beside the scene file");
    expect_message("scene.yaml:12:32: collider \"flag\": motion[0].file \"wave_###.obj\" does not exist");
    expect_message("scene.yaml:14:15: collider \"flag\": motion[1].file \"way.txt\" does not exist");
    write_all();
    write_file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n");
    expect_message("scene.yaml:6:30: region \"block\": shape.of[0].file \"a.obj\" cannot be used");
    expect_message("/a.obj:4:7: corner \"7\"");
    write_file("a.obj", TRIANGLE);
    write_file("wave_009.obj", "v 0 0 0\n");
    expect_message("wave_009.obj: has 1 vertices, the first file of the sequence has 3");
    write_file("wave_009.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    write_file("wave_012.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    expect_message("wave_011.obj: is missing");
}

static void test_every_failing_allocation_is_clean(void **state)
{
    (void)state;
    write_all();
    dr_error error = {0};
    dr_scene *scene;
    char name[100];
    snprintf(name, sizeof name, "%s/scene.yaml", folder);
    expect_ok(parse(NULL, &scene, &error));
    dr_scene_spec spec = *dr_scene_view(scene);
    dr_status status = DR_STATUS_NO_MEMORY;
    long tries = 0;
    while (status != DR_STATUS_OK) {
        scarce scarce;
        scarce_open(&scarce, ++tries);
        dr_scene fresh = {.allocator = &scarce.allocator, .name = name, .spec = spec};
        dr_arena_open(&fresh.arena, &scarce.allocator);
        memset(&error, 0, sizeof error);
        status = dr_scene_load(&fresh, &error);
        if (status) assert_int_equal(status, DR_STATUS_NO_MEMORY);
        dr_scene_assets *assets = &fresh.assets;
        dr_memory_free(&scarce.allocator, assets->meshes, assets->mesh_capacity * sizeof *assets->meshes);
        dr_memory_free(&scarce.allocator, assets->paths, assets->path_capacity * sizeof *assets->paths);
        dr_memory_free(&scarce.allocator, assets->sequences, assets->sequence_capacity * sizeof *assets->sequences);
        dr_arena_close(&fresh.arena);
        assert_int_equal(scarce.out, 0);
    }
    assert_true(tries > 10);
    dr_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_file_is_loaded_once_from_the_scenes_folder, open_folder,
                                        close_folder),
        cmocka_unit_test_setup_teardown(test_problems_are_told_at_the_scenes_line, open_folder, close_folder),
        cmocka_unit_test_setup_teardown(test_every_failing_allocation_is_clean, open_folder, close_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
