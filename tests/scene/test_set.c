#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "scene/ledger.h"

static const char sample[] =
    "domain: {cell: 1 cm}\n"
    "materials:\n  - {name: goo, preset: mud, density: 2}\n"
    "colliders:\n"
    "  - name: ball\n"
    "    shape: {type: sphere, radius: 2}\n"
    "    motion: [{type: spin, rate: 1 rev/s}, {type: keyframes, keys: [{time: 0}, {time: 1}]}]\n"
    "  - {name: floor, shape: {type: half_space}}\n"
    "bodies: [{material: jelly, shape: {type: box, size: [1, 1, 1]}}]\n";

static dr_scene *make(void)
{
    dr_scene *scene;
    dr_error error;
    parse_text(sample, &scene, &error);
    assert_string_equal(error.text, "");
    return scene;
}

static void set(dr_scene *scene, const char *path, const char *text)
{
    dr_error error = {0};
    dr_scene_set(scene, path, text, &error);
    assert_string_equal(error.text, "");
}

static void test_values_are_set_by_path(void **unused)
{
    (void)unused;
    dr_scene *scene = make();
    const dr_scene_spec *spec = dr_scene_view(scene);
    set(scene, "time.frame_rate", "30 fps");
    set(scene, "title", "a \"new\" title: yes");
    set(scene, "gravity", "[0, -1 m/s2, 0]");
    set(scene, "colliders.ball.friction", "0.5");
    set(scene, "colliders.1.boundary", "sticky");
    set(scene, "colliders.ball.motion[0].rate", "60 rpm");
    set(scene, "colliders.ball.motion.1.keys.1.time", "3 s");
    set(scene, "bodies.0.shape.size", "[1 mm, 2 mm, 3 mm]");
    set(scene, "bodies.0.shape.type", "sphere");
    set(scene, "bodies.0.shape.radius", "1 in");
    set(scene, "output.particles", "no");
    set(scene, "domain.min", "[unbounded, -3, unbounded]");
    assert_true(spec->time.frame_rate == 30 && spec->gravity[1] == -100 && spec->domain.min[1] == -3);
    assert_string_equal(spec->title, "a \"new\" title: yes");
    assert_true(spec->colliders.items[0].friction == 0.5);
    assert_int_equal(spec->colliders.items[1].boundary, DR_BOUNDARY_STICKY);
    assert_true(spec->colliders.items[0].motion.items[1].keys.items[1].time == 3);
    assert_true(spec->bodies.items[0].shape.radius == 2.54 && !spec->output.particles);
    dr_scene_destroy(scene);
}

static void test_what_cannot_be_set_is_explained(void **unused)
{
    (void)unused;
    static const struct {
        const char *path, *text, *problem;
    } cases[] = {
        {"tim.frames", "3", "tim.frames=3: the scene has no \"tim\"\n    did you mean \"time\"?"},
        {"time.frmes", "3", "time.frmes=3: time has no \"frmes\"\n    did you mean \"frames\"?"},
        {"", "3", "=3: the path is empty"},
        {"time", "3", "time=3: time is a group of values; name one of them"},
        {"colliders", "3", "colliders=3: colliders is a group of values"},
        {"colliders.ball", "3", "colliders.ball=3: this is a whole collider; name one of its values"},
        {"colliders.bal.friction", "3",
         "colliders.bal.friction=3: there is no collider \"bal\"\n    there are 0 \"ball\", 1 \"floor\""},
        {"colliders.7.friction", "3", "colliders.7.friction=3: there is no collider \"7\""},
        {"emitters.a.material", "x", "emitters.a.material=x: there is no emitter \"a\"\n    the list is empty"},
        {"seed.low", "3", "seed.low=3: seed is a single value"},
        {"time.frames", "-3", "time.frames=-3: time.frames is -3, outside 0 .. 1000000000"},
        {"domain.cell", "3 kg", "domain.cell=3 kg: domain.cell: a length was expected, 3 kg is a mass"},
        {"gravity", "3", "gravity=3: gravity takes three numbers"},
        {"gravity", "[1, 2]", "gravity=[1, 2]: gravity takes three numbers"},
        {"gravity", "[1, 2, 3, 4]", "gravity=[1, 2, 3, 4]: gravity takes three numbers"},
        {"colliders.ball.shape.height", "3",
         "colliders.ball.shape.height=3: collider \"ball\": shape has no \"height\""},
        {"colliders.ball.friction", "x",
         "colliders.ball.friction=x: collider \"ball\": friction: \"x\" is not a number"},
        {"materials.goo.preset", "watr",
         "materials.goo.preset=watr: there is no material \"watr\"\n    did you mean \"water\"?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dr_scene *scene = make();
        dr_error error = {0};
        assert_int_equal(dr_scene_set(scene, cases[i].path, cases[i].text, &error), DR_STATUS_BAD_SCENE);
        if (strncmp(error.text, cases[i].problem, strlen(cases[i].problem)) != 0) {
            fail_msg("%s\ninstead of\n%s", error.text, cases[i].problem);
        }
        dr_scene_destroy(scene);
    }
}

static void test_a_value_that_was_refused_stays_as_it_was(void **unused)
{
    (void)unused;
    dr_scene *scene = make();
    dr_error error = {0};
    uint64_t before, after;
    dr_scene_hash(scene, &before, &error);
    assert_int_not_equal(dr_scene_set(scene, "gravity", "[1, 2, x]", &error), DR_STATUS_OK);
    assert_int_not_equal(dr_scene_set(scene, "domain.cell", "-1", &error), DR_STATUS_OK);
    dr_scene_hash(scene, &after, &error);
    assert_true(before == after);
    dr_scene_destroy(scene);
}

static void test_a_new_preset_keeps_what_was_written(void **unused)
{
    (void)unused;
    dr_scene *scene = make();
    set(scene, "materials.goo.flow_index", "0.9");
    set(scene, "materials.goo.preset", "milk cream");
    const dr_material_spec *goo = dr_scene_material(scene, "goo");
    assert_true(goo->density == 2 && goo->flow_index == 0.9);
    assert_true(goo->yield_stress == dr_material_find("milk cream")->yield_stress);
    dr_scene_destroy(scene);
}

static void test_appended_items_have_their_defaults_and_origins_move_along(void **unused)
{
    (void)unused;
    dr_scene *scene = make();
    dr_error error = {0};
    void *item;
    for (int i = 0; i < 40; i++) {
        assert_int_equal(dr_scene_append(scene, "colliders", &item, &error), DR_STATUS_OK);
        dr_collider_spec *collider = item;
        assert_int_equal(collider->boundary, DR_BOUNDARY_SEPARATE);
        assert_true(collider->shape.scale == 1);
        collider->shape.kind = DR_SHAPE_HALF_SPACE;
    }
    assert_int_equal(dr_scene_append(scene, "colliders.ball.motion.1.keys", &item, &error), DR_STATUS_OK);
    ((dr_key_spec *)item)->time = 2;
    const dr_scene_spec *spec = dr_scene_view(scene);
    assert_int_equal(spec->colliders.count, 42);
    assert_int_equal(spec->colliders.items[0].motion.items[1].keys.count, 3);
    dr_scene_check_values(scene, &error);
    assert_string_equal(error.text, "");
    dr_scene_edit(scene)->colliders.items[0].shape.radius = -1;
    dr_scene_check_values(scene, &error);
    assert_memory_equal(error.text, "t.yaml:6:35: collider \"ball\": shape.radius is -1 cm, outside", 60);
    error = (dr_error){0};
    assert_int_equal(dr_scene_append(scene, "time", &item, &error), DR_STATUS_BAD_SCENE);
    assert_string_equal(error.text, "append to time: time is not a list");
    dr_scene_destroy(scene);
}

static void test_differences_are_listed_by_path(void **unused)
{
    (void)unused;
    dr_scene *before = make(), *after = make();
    dr_error error = {0};
    char text[1000];
    int count;
    void *item;
    set(after, "title", "neutral");
    set(after, "time.frames", "7");
    dr_scene_difference(before, after, text, sizeof text, &count);
    assert_int_equal(count, 0);
    assert_string_equal(text, "");
    set(after, "time.frame_rate", "30");
    set(after, "colliders.ball.shape.radius", "3");
    set(after, "gravity", "[0, 0, 0]");
    dr_scene_append(after, "forces", &item, &error);
    dr_scene_difference(before, after, text, sizeof text, &count);
    assert_string_equal(text, "gravity: [0 cm/s2, -981 cm/s2, 0 cm/s2] -> [0 cm/s2, 0 cm/s2, 0 cm/s2]\n"
                              "time.frame_rate: 24 Hz -> 30 Hz\n"
                              "colliders.ball.shape.radius: 2 cm -> 3 cm\n"
                              "forces: 0 items -> 1 items");
    assert_int_equal(count, 4);
    char little[40];
    dr_scene_difference(before, after, little, sizeof little, &count);
    assert_string_equal(little, "time.frame_rate: 24 Hz -> 30 Hz");
    assert_int_equal(count, 4);
    dr_scene_difference(before, after, NULL, 0, &count);
    assert_int_equal(count, 4);
    dr_scene_destroy(before);
    dr_scene_destroy(after);
}

static uint64_t hash_after(const char *path, const char *text)
{
    dr_scene *scene = make();
    dr_error error = {0};
    uint64_t hash;
    if (path) set(scene, path, text);
    dr_scene_hash(scene, &hash, &error);
    dr_scene_destroy(scene);
    return hash;
}

static void test_the_hash_follows_the_meaning(void **unused)
{
    (void)unused;
    uint64_t hash = hash_after(NULL, NULL);
    assert_true(hash == hash_after("title", "another"));
    assert_true(hash == hash_after("output.compression", "7"));
    assert_true(hash == hash_after("colliders.ball.shape.radius", "20 mm"));
    assert_true(hash != hash_after("seed", "2"));
    assert_true(hash != hash_after("colliders.ball.shape.radius", "21 mm"));
    assert_true(hash != hash_after("bodies.0.material", "rubber"));
    assert_true(hash != hash_after("materials.goo.flow_index", "0.5"));
    assert_true(hash != hash_after("gravity", "[0, 0, -981]"));
}

static void test_the_hash_does_not_see_order_comments_or_units(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "domain: {cell: 1 cm, friction: 0.5}\nbodies: [{name: a, material: jelly, shape: {type: sphere, radius: 2 "
        "cm}}]\n",
        "# a comment\nbodies:\n  - shape: {radius: 20 mm, type: sphere, center: [0, -0.0, 0]}\n    material: jelly\n"
        "    name: a\ndomain:\n  friction: 50 %\n  cell: 0.01 m\ntitle: other\n"};
    uint64_t hashes[2];
    for (int i = 0; i < 2; i++) {
        dr_scene *scene;
        dr_error error;
        parse_text(texts[i], &scene, &error);
        assert_string_equal(error.text, "");
        dr_scene_hash(scene, &hashes[i], &error);
        dr_scene_destroy(scene);
    }
    assert_true(hashes[0] == hashes[1]);
}

// Gives a scene a loaded mesh of one triangle.
static void load_triangle(dr_scene *scene, const double *vertices)
{
    static const uint32_t triangle[3] = {0, 1, 2};
    dr_scene_assets *assets = &scene->assets;
    assert_true(dr_memory_reserve(scene->allocator, (void **)&assets->meshes, &assets->mesh_capacity, 1,
                                  sizeof *assets->meshes));
    assets->meshes[0] = (dr_mesh_asset){
        .file = "a.obj", .vertex_count = 3, .triangle_count = 1, .vertices = vertices, .triangles = triangle};
    assets->mesh_count = 1;
}

static void test_the_content_of_files_counts(void **unused)
{
    (void)unused;
    static const double here[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, there[9] = {0, 0, 0, 1, 0, 0, 0, 2, 0};
    dr_scene *before = make(), *after = make();
    dr_error error = {0};
    uint64_t first, second;
    char text[200];
    int count;
    load_triangle(before, here);
    load_triangle(after, here);
    dr_scene_hash(before, &first, &error);
    dr_scene_hash(after, &second, &error);
    assert_true(first == second);
    after->assets.meshes[0].vertices = there;
    dr_scene_hash(after, &second, &error);
    assert_true(first != second);
    dr_scene_difference(before, after, text, sizeof text, &count);
    assert_string_equal(text, "a.obj: file -> other content");
    dr_scene_destroy(before);
    dr_scene_destroy(after);
}

int main(void)
{
#ifndef DR_HAVE_FYAML
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_set_by_path),
        cmocka_unit_test(test_what_cannot_be_set_is_explained),
        cmocka_unit_test(test_a_value_that_was_refused_stays_as_it_was),
        cmocka_unit_test(test_a_new_preset_keeps_what_was_written),
        cmocka_unit_test(test_appended_items_have_their_defaults_and_origins_move_along),
        cmocka_unit_test(test_differences_are_listed_by_path),
        cmocka_unit_test(test_the_hash_follows_the_meaning),
        cmocka_unit_test(test_the_hash_does_not_see_order_comments_or_units),
        cmocka_unit_test(test_the_content_of_files_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
