// Liquids that scatter light: their colours by the names of their materials, and no light that is lost or won.
#include "drench/render.h"
#include "look/cast.h"
#include "look/preset.h"
#include "made_up.h"

enum { SIDE = 40, DRAWS = 20000 };
#define RADIUS 2.0
static uint8_t pixels[3 * SIDE * SIDE];

static void set(dr_scene *scene, const char *path, const char *value)
{
    dr_error error = {0};
    if (dr_scene_set(scene, path, value, &error)) fail_msg("%s", error.text);
}

static dr_scene *open_scene(const char *material)
{
    dr_scene *scene;
    dr_body_spec *body;
    assert_int_equal(dr_scene_create(NULL, &scene, NULL), DR_STATUS_OK);
    assert_int_equal(dr_scene_append(scene, "bodies", (void **)&body, NULL), DR_STATUS_OK);
    body->name = "ball";
    body->material = material;
    dr_look_spec *look = &dr_scene_edit(scene)->look;
    look->width = look->height = SIDE;
    look->samples = 32;
    for (int a = 0; a < 3; a++) look->camera.position[a] = look->camera.target[a] = 0.0;
    look->camera.position[2] = 10.0;
    look->camera.field_of_view = 0.5;
    look->ground.show = DR_SHOW_NO;
    return scene;
}

static void light_furnace(dr_scene *scene)
{
    set(scene, "look.sun.strength", "0");
    set(scene, "look.sky.strength", "0.5");
    set(scene, "look.sky.zenith", "[1, 1, 1]");
    set(scene, "look.sky.horizon", "[1, 1, 1]");
}

// A ball of liquid.
static void make_ball(made_up *m)
{
    drops d = {0};
    const double spacing = 0.25;
    for (int i = -8; i <= 8; i++) {
        for (int j = -8; j <= 8; j++) {
            for (int k = -8; k <= 8; k++) {
                double x[3] = {i * spacing, j * spacing, k * spacing};
                if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] <= RADIUS * RADIUS)
                    drops_add(&d, x, spacing * spacing * spacing);
            }
        }
    }
    dr_frame_part *part = made_up_part(m, "liquid", DR_FRAME_POINTS, d.count);
    memcpy(made_up_array(m, part, "position", 3), d.position, d.count * sizeof *d.position);
    memcpy(made_up_array(m, part, "volume", 1), d.volume, d.count * sizeof *d.volume);
    free(d.position);
    free(d.volume);
    free(d.velocity);
}

static void draw(const dr_scene *scene, const made_up *m)
{
    dr_error error = {0};
    if (dr_render_frame(scene, &m->frame, NULL, pixels, &error)) fail_msg("%s", error.text);
}

// Mean over the inner half of the ball.
static void measure(double mean[3])
{
    int count = 0;
    for (int c = 0; c < 3; c++) mean[c] = 0.0;
    for (int y = SIDE / 4; y < 3 * SIDE / 4; y++) {
        for (int x = SIDE / 4; x < 3 * SIDE / 4; x++, count++) {
            for (int c = 0; c < 3; c++) mean[c] += pixels[3 * (y * SIDE + x) + c] / 255.0;
        }
    }
    for (int c = 0; c < 3; c++) mean[c] /= count;
}

static void look_at(const char *material, const char *like, double mean[3])
{
    made_up m = {0};
    make_ball(&m);
    dr_scene *scene = open_scene(material);
    if (like) set(scene, "look.liquid.like", like);
    draw(scene, &m);
    measure(mean);
    dr_scene_destroy(scene);
    made_up_free(&m);
}

static void test_thick_liquids_have_their_colours(void **state)
{
    (void)state;
    double cream[3], foam[3], chocolate[3], paint[3], sauce[3], mud[3];
    look_at("milk cream", NULL, cream);
    look_at("shaving cream", NULL, foam);
    look_at("milk chocolate", NULL, chocolate);
    look_at("acrylic paint", NULL, paint);
    look_at("oyster sauce", NULL, sauce);
    look_at("mud", NULL, mud);
    for (int c = 0; c < 3; c++) assert_true(foam[c] > 0.85); // white
    assert_true(fabs(foam[0] - foam[2]) < 0.08);
    assert_true(cream[0] > 0.85 && cream[2] > 0.75 && cream[2] < cream[0]);         // white, a little yellow
    assert_true(paint[2] > 1.3 * paint[1] && paint[1] > paint[0]);                  // blue
    assert_true(chocolate[0] > 1.25 * chocolate[1] && chocolate[1] > chocolate[2]); // brown
    assert_true(mud[0] > 1.1 * mud[1] && mud[1] > 1.1 * mud[2]);
    assert_true(sauce[0] > sauce[1] && sauce[1] > sauce[2]); // brown, and darker than all others
    for (int c = 0; c < 3; c++) assert_true(sauce[c] < chocolate[c] && chocolate[c] < mud[c] && mud[c] < cream[c]);
}

static void test_a_scene_may_choose_another_look(void **state)
{
    (void)state;
    double mud[3], chosen[3];
    look_at("mud", NULL, mud);
    look_at("mud", "cream", chosen);
    for (int c = 0; c < 3; c++) assert_true(chosen[c] > mud[c] + 0.2);
    made_up m = {0};
    make_ball(&m);
    dr_scene *scene = open_scene("mud");
    light_furnace(scene);
    set(scene, "look.liquid.scattering", "0"); // clear, as any liquid that absorbs
    set(scene, "look.liquid.colour", "[1, 1, 1]");
    draw(scene, &m);
    for (int i = 0; i < 3 * SIDE * SIDE; i++) assert_true(abs(pixels[i] - pixels[0]) <= 2);
    dr_scene_destroy(scene);
    made_up_free(&m);
}

// White from all sides: whatever length light wanders below the surface, as much comes out as went in, and of a liquid
// that sends back a part of it that part, beside the mirrored share.
static void test_scattering_keeps_light(void **state)
{
    (void)state;
    const char *lengths[] = {"0.001 cm", "0.03 cm", "0.2 cm"};
    made_up m = {0};
    make_ball(&m);
    for (int i = 0; i < 3; i++) {
        dr_scene *scene = open_scene("milk cream");
        light_furnace(scene);
        set(scene, "look.liquid.scattering", lengths[i]);
        set(scene, "look.liquid.colour", "[1, 1, 1]");
        draw(scene, &m);
        for (int p = 0; p < 3 * SIDE * SIDE; p++) {
            if (abs(pixels[p] - pixels[0]) > 10)
                fail_msg("%s: %d beside a sky of %d", lengths[i], pixels[p], pixels[0]);
        }
        set(scene, "look.liquid.colour", "[0.735357, 0.735357, 0.735357]"); // linear 0.5
        set(scene, "look.liquid.refraction", "1");                          // and nothing is mirrored
        draw(scene, &m);
        double shown = pixels[3 * (SIDE / 2 * SIDE + SIDE / 2)] / 255.0;
        check_near(pow((shown + 0.055) / 1.055, 2.4), 0.25, 0.01);
        dr_scene_destroy(scene);
    }
    made_up_free(&m);
}

// The distance of the profile of two exponentials: mean (1/4 + 3 * 3/4) d, variance by its second moment.
static void test_light_wanders_as_far_as_the_profile_says(void **state)
{
    (void)state;
    const double grey[3] = {0.9, 0.9, 0.9};
    dr_paint paint = dr_paint_make(DR_FINISH_GLOSS, grey);
    dr_paint_scatter(&paint, 1.35f, 0.2f, 0.03f);
    uint64_t seed = 7;
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < DRAWS; i++) {
        float random[2] = {(float)dice(&seed), (float)dice(&seed)};
        double way = dr_paint_wander(&paint, random) / (double)paint.wander;
        sum += way / DRAWS;
        squares += way * way / DRAWS;
    }
    check_near(sum, 2.5, 0.05);
    check_near(squares, 2.0 * (0.25 + 9.0 * 0.75), 0.7);
}

static void test_names_choose_looks(void **state)
{
    (void)state;
    static const struct {
        const char *name, *preset, *look;
    } cases[] = {{"cream", "shaving cream", "shaving cream"},
                 {"paint", "acrylic paint", "acrylic paint"},
                 {"hot chocolate", "honey", "milk chocolate"},
                 {"thing", "drilling mud", "drilling mud"},
                 {"soy sauce", "water", "oyster sauce"},
                 {"mud", "water", "mud"},
                 {"stuff", "water", "water"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dr_scene *scene = open_scene(cases[i].name);
        dr_material_spec *material;
        assert_int_equal(dr_scene_append(scene, "materials", (void **)&material, NULL), DR_STATUS_OK);
        material->name = cases[i].name;
        material->preset = cases[i].preset;
        assert_string_equal(dr_preset_of_material(scene, cases[i].name)->name, cases[i].look);
        dr_scene_destroy(scene);
    }
}

// A film that strands carry is the scene's liquid where there is no other.
static void test_a_film_alone_has_the_look_of_its_liquid(void **state)
{
    (void)state;
    made_up m = {0};
    make_ball(&m);
    dr_scene *scene = open_scene("jelly");
    dr_strands_spec *strands;
    assert_int_equal(dr_scene_append(scene, "strands", (void **)&strands, NULL), DR_STATUS_OK);
    strands->name = "hair";
    strands->material = "hair";
    strands->film_material = "milk chocolate";
    draw(scene, &m);
    double mean[3];
    measure(mean);
    assert_true(mean[0] > 1.25 * mean[1] && mean[1] > mean[2] && mean[0] < 0.6);
    dr_scene_destroy(scene);
    made_up_free(&m);
}

// Left half of the ball cream, right half chocolate: each has its own look, thick and thin side by side too.
static void test_every_liquid_has_its_own_look(void **state)
{
    (void)state;
    made_up m = {0};
    make_ball(&m);
    dr_frame_part *part = m.parts;
    const float *position = part->arrays[0].data;
    uint32_t *body = made_up_own(&m, calloc(part->point_count, sizeof *body));
    for (size_t p = 0; p < part->point_count; p++) body[p] = position[3 * p] > 0.0f;
    m.arrays[0][part->array_count++] = (dr_frame_array){"body", "", DR_TYPE_UINT32, 1, part->point_count, body};
    dr_scene *scene = open_scene("shaving cream");
    dr_body_spec *second;
    assert_int_equal(dr_scene_append(scene, "bodies", (void **)&second, NULL), DR_STATUS_OK);
    second->name = "right";
    second->material = "milk chocolate";
    draw(scene, &m);
    const uint8_t *left = pixels + 3 * (SIDE / 2 * SIDE + SIDE / 3);
    const uint8_t *right = pixels + 3 * (SIDE / 2 * SIDE + 2 * SIDE / 3);
    assert_true(left[0] > 200 && left[2] > 200);
    assert_true(right[0] < 160 && right[0] > 1.2 * right[1]);
    dr_scene_destroy(scene);
    made_up_free(&m);
}

// A strand for cream across the picture, wet with cream on the left and with chocolate on the right; gives what is seen
// there and in the middle, where both are mixed.
static void look_at_mixed_film(double radius, double height, double seen[3][3])
{
    enum { POINTS = 13 };
    static const uint32_t first[2] = {0, POINTS};
    made_up m = {0};
    dr_frame_part *part = made_up_part(&m, "strands", DR_FRAME_CURVES, POINTS);
    float *position = made_up_array(&m, part, "position", 3), *thickness = made_up_array(&m, part, "radius", 1);
    float *film = made_up_array(&m, part, "film_height", 1);
    float *cream = made_up_array(&m, part, "film_volume_shaving cream", 1);
    float *chocolate = made_up_array(&m, part, "film_volume_milk chocolate", 1);
    part->element_count = 1;
    part->index = first;
    for (int p = 0; p < POINTS; p++) {
        position[3 * p] = 0.5f * (float)(p - POINTS / 2);
        thickness[p] = (float)radius;
        film[p] = (float)height;
        cream[p] = p < POINTS / 2 ? 1e-3f : p == POINTS / 2 ? 5e-4f : 0.0f;
        chocolate[p] = 1e-3f - cream[p];
    }
    dr_scene *scene = open_scene("shaving cream");
    dr_body_spec *second;
    dr_strands_spec *strands;
    assert_int_equal(dr_scene_append(scene, "bodies", (void **)&second, NULL), DR_STATUS_OK);
    second->name = "second";
    second->material = "milk chocolate";
    assert_int_equal(dr_scene_append(scene, "strands", (void **)&strands, NULL), DR_STATUS_OK);
    strands->name = "hair";
    strands->material = "hair";
    strands->film_material = "shaving cream";
    set(scene, "look.denoise", "no");
    draw(scene, &m);
    static const int at[3] = {SIDE / 4, SIDE / 2, 3 * SIDE / 4};
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 3; c++) seen[i][c] = pixels[3 * (SIDE / 2 * SIDE + at[i]) + c] / 255.0;
    }
    dr_scene_destroy(scene);
    made_up_free(&m);
}

static void test_a_mixed_film_looks_like_the_liquids_it_holds(void **state)
{
    (void)state;
    static const double cases[2][2] = {{0.6, 0.1}, {0.05, 0.8}}; // the strand's own coat, a surface around it
    for (int i = 0; i < 2; i++) {
        double seen[3][3];
        look_at_mixed_film(cases[i][0], cases[i][1], seen);
        print_message("cream %.2f %.2f %.2f, both %.2f %.2f %.2f, chocolate %.2f %.2f %.2f\n", seen[0][0], seen[0][1],
                      seen[0][2], seen[1][0], seen[1][1], seen[1][2], seen[2][0], seen[2][1], seen[2][2]);
        assert_true(seen[0][0] > 0.75 && seen[0][2] > 0.75);
        assert_true(seen[2][0] < 0.65 && seen[2][0] > 1.2 * seen[2][1]);
        assert_true(seen[1][1] < seen[0][1] - 0.1 && seen[1][1] > seen[2][1] + 0.1);
    }
}

static void test_thick_liquids_tell_their_colour(void **state)
{
    (void)state;
    double colour[3];
    dr_scene *thick = open_scene("milk chocolate"), *clear = open_scene("honey");
    assert_true(dr_cast_thick_colour(thick, colour));
    assert_true(colour[0] > colour[1] && colour[1] > colour[2]);
    assert_false(dr_cast_thick_colour(clear, colour));
    dr_scene_destroy(thick);
    dr_scene_destroy(clear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thick_liquids_have_their_colours),
        cmocka_unit_test(test_a_scene_may_choose_another_look),
        cmocka_unit_test(test_scattering_keeps_light),
        cmocka_unit_test(test_light_wanders_as_far_as_the_profile_says),
        cmocka_unit_test(test_names_choose_looks),
        cmocka_unit_test(test_a_film_alone_has_the_look_of_its_liquid),
        cmocka_unit_test(test_every_liquid_has_its_own_look),
        cmocka_unit_test(test_a_mixed_film_looks_like_the_liquids_it_holds),
        cmocka_unit_test(test_thick_liquids_tell_their_colour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
