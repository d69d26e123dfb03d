// Bodies of glass, and what cameras keep in the picture.
#include "drench/render.h"
#include "look/action.h"
#include "made_up.h"

enum { SIDE = 48, RINGS = 48, SEGMENTS = 96 };
static uint8_t pixels[3 * SIDE * SIDE];

static void set(dr_scene *scene, const char *path, const char *value)
{
    dr_error error = {0};
    if (dr_scene_set(scene, path, value, &error)) fail_msg("%s", error.text);
}

// A ball of clear glass before the eye, without ground and sun.
static dr_scene *open_scene(void)
{
    dr_scene *scene;
    dr_collider_spec *collider;
    dr_paint_spec *paint;
    assert_int_equal(dr_scene_create(NULL, &scene, NULL), DR_STATUS_OK);
    assert_int_equal(dr_scene_append(scene, "colliders", (void **)&collider, NULL), DR_STATUS_OK);
    assert_int_equal(dr_scene_append(scene, "look.paints", (void **)&paint, NULL), DR_STATUS_OK);
    collider->name = paint->name = "ball";
    collider->shape.kind = DR_SHAPE_SPHERE;
    paint->finish = DR_FINISH_GLASS;
    for (int a = 0; a < 3; a++) paint->colour[a] = 1.0;
    dr_look_spec *look = &dr_scene_edit(scene)->look;
    look->width = look->height = SIDE;
    look->samples = 64;
    for (int a = 0; a < 3; a++) look->camera.position[a] = look->camera.target[a] = 0.0;
    look->camera.position[2] = 10.0;
    look->camera.field_of_view = 0.5;
    look->ground.show = DR_SHOW_NO;
    set(scene, "look.sun.strength", "0");
    set(scene, "look.sky.strength", "0.5");
    return scene;
}

static void add_ball(made_up *m, double radius)
{
    dr_frame_part *part = made_up_part(m, "colliders", DR_FRAME_TRIANGLES, (RINGS + 1) * SEGMENTS);
    float *position = made_up_array(m, part, "position", 3);
    uint32_t *index = made_up_own(m, calloc(6 * RINGS * SEGMENTS, sizeof *index));
    uint32_t *body = made_up_own(m, calloc(2 * RINGS * SEGMENTS, sizeof *body));
    for (uint32_t r = 0; r <= RINGS; r++) {
        for (uint32_t s = 0; s < SEGMENTS; s++) {
            double fall = PI * r / RINGS, turn = 2.0 * PI * s / SEGMENTS;
            float *x = position + 3 * (r * SEGMENTS + s);
            x[0] = (float)(radius * sin(fall) * cos(turn));
            x[1] = (float)(radius * cos(fall));
            x[2] = (float)(radius * sin(fall) * sin(turn));
        }
    }
    for (uint32_t r = 0; r < RINGS; r++) {
        for (uint32_t s = 0; s < SEGMENTS; s++) {
            uint32_t a = r * SEGMENTS + s, b = r * SEGMENTS + (s + 1) % SEGMENTS;
            uint32_t quad[6] = {a, b, b + SEGMENTS, a, b + SEGMENTS, a + SEGMENTS};
            memcpy(index + 6 * a, quad, sizeof quad);
        }
    }
    part->element_count = 2 * RINGS * SEGMENTS;
    part->index = index;
    m->arrays[part - m->parts][part->array_count++] =
        (dr_frame_array){"body", "", DR_TYPE_UINT32, 1, part->element_count, body};
}

static void draw(const dr_scene *scene, const dr_frame *frame)
{
    dr_error error = {0};
    if (dr_render_frame(scene, frame, NULL, pixels, &error)) fail_msg("%s", error.text);
}

static int at(int x, int y, int c)
{
    return pixels[3 * (y * SIDE + x) + c];
}

static void test_a_ball_of_clear_glass_vanishes_in_a_white_furnace(void **state)
{
    (void)state;
    made_up m = {0};
    dr_scene *scene = open_scene();
    add_ball(&m, 1.5);
    set(scene, "look.sky.zenith", "[1, 1, 1]");
    set(scene, "look.sky.horizon", "[1, 1, 1]");
    draw(scene, &m.frame);
    for (int i = 0; i < SIDE * SIDE; i++) assert_in_range(pixels[3 * i] + 3 - pixels[0], 0, 6);
    dr_scene_destroy(scene);
    made_up_free(&m);
}

// A ball turns what is behind it upside down: with a blue sky above, the blue is seen in its lower half.
static void test_a_ball_of_glass_turns_the_world_upside_down(void **state)
{
    (void)state;
    made_up m = {0};
    dr_scene *scene = open_scene();
    add_ball(&m, 1.5);
    set(scene, "look.sky.zenith", "[0, 0, 1]");
    set(scene, "look.sky.horizon", "[1, 0, 0]");
    draw(scene, &m.frame);
    int high = at(SIDE / 2, SIDE / 2 - 8, 2), low = at(SIDE / 2, SIDE / 2 + 8, 2);
    assert_true(low > high + 40);
    dr_scene_edit(scene)->look.paints.items[0].finish = DR_FINISH_HIDDEN;
    draw(scene, &m.frame);
    assert_true(at(SIDE / 2, SIDE / 2 - 8, 2) >= at(SIDE / 2, SIDE / 2 + 8, 2));
    dr_scene_destroy(scene);
    made_up_free(&m);
}

// ---- cameras

static dr_box find(const dr_frame *frame)
{
    dr_box box;
    assert_int_equal(dr_action_find(frame, NULL, NULL, &box, NULL), DR_STATUS_OK);
    return box;
}

static void test_every_hair_counts_for_the_camera(void **state)
{
    (void)state;
    made_up m = {0};
    static const uint32_t first[2] = {0, 50001};
    dr_frame_part *part = made_up_part(&m, "strands", DR_FRAME_CURVES, 50001);
    float *position = made_up_array(&m, part, "position", 3);
    part->element_count = 1;
    part->index = first;
    position[3 * 12345 + 1] = 7.0f;
    check_near(find(&m.frame).max[1], 7.0, 0.0);
    made_up_free(&m);
}

static void test_a_floor_without_end_does_not_make_all_else_small(void **state)
{
    (void)state;
    made_up m = {0};
    static const uint32_t first[2] = {0, 2};
    dr_frame_part *part = made_up_part(&m, "strands", DR_FRAME_CURVES, 2);
    float *position = made_up_array(&m, part, "position", 3);
    part->element_count = 1;
    part->index = first;
    position[3] = position[4] = 1.0f;
    add_ball(&m, 1.2);
    dr_scene *scene = open_scene();
    dr_box box;
    assert_int_equal(dr_action_find(&m.frame, scene, NULL, &box, NULL), DR_STATUS_OK);
    check_near(box.max[1], 1.2, 1e-6);
    dr_scene_edit(scene)->colliders.items[0].shape.kind = DR_SHAPE_HALF_SPACE;
    assert_int_equal(dr_action_find(&m.frame, scene, NULL, &box, NULL), DR_STATUS_OK);
    check_near(box.max[1], 1.0, 0.0);
    dr_scene_destroy(scene);
    made_up_free(&m);
}

static void test_spray_stays_in_the_picture_and_a_lone_drop_does_not_rule_it(void **state)
{
    (void)state;
    made_up m = {0};
    size_t count = 20000;
    dr_frame_part *part = made_up_part(&m, "liquid", DR_FRAME_POINTS, count);
    float *position = made_up_array(&m, part, "position", 3);
    uint64_t seed = 3;
    for (size_t i = 0; i < 3 * count; i++) position[i] = (float)dice(&seed);
    position[1] = 1.5f; // above the bulk
    check_near(find(&m.frame).max[1], 1.5, 0.0);
    position[1] = 100.0f; // gone
    dr_box box = find(&m.frame);
    assert_true(box.max[1] > 1.5 && box.max[1] < 2.0);
    made_up_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ball_of_clear_glass_vanishes_in_a_white_furnace),
        cmocka_unit_test(test_a_ball_of_glass_turns_the_world_upside_down),
        cmocka_unit_test(test_every_hair_counts_for_the_camera),
        cmocka_unit_test(test_a_floor_without_end_does_not_make_all_else_small),
        cmocka_unit_test(test_spray_stays_in_the_picture_and_a_lone_drop_does_not_rule_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
