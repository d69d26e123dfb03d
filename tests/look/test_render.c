// Pictures of made-up frames: where things are, what light does to them, and the same bytes for any number of threads.
#include "drench/render.h"
#include "math/vec.h"
#include "scene/scene.h"
#include "support/check.h"
#include "support/scarce.h"

#include <stdlib.h>

#define SIDE 64

static uint8_t pixels[3 * SIDE * SIDE];

// ---- scenes and frames

// Looks along -z from 10 cm away, 60 degrees from the lower to the upper edge: half the picture is 10 tan 30.
static dr_scene *open_scene(void)
{
    dr_scene *scene;
    assert_int_equal(dr_scene_create(NULL, &scene, NULL), DR_STATUS_OK);
    dr_look_spec *look = &dr_scene_edit(scene)->look;
    look->width = look->height = SIDE;
    look->samples = 16;
    for (int a = 0; a < 3; a++) look->camera.position[a] = look->camera.target[a] = 0.0;
    look->camera.position[2] = 10.0;
    look->camera.field_of_view = PI / 3.0;
    look->ground.show = DR_SHOW_NO;
    return scene;
}

static void set(dr_scene *scene, const char *path, const char *value)
{
    dr_error error = {0};
    if (dr_scene_set(scene, path, value, &error)) fail_msg("%s", error.text);
}

// White light from all sides and no sun.
static void light_furnace(dr_scene *scene)
{
    set(scene, "look.sun.strength", "0");
    set(scene, "look.sky.strength", "0.5");
    set(scene, "look.sky.zenith", "[1, 1, 1]");
    set(scene, "look.sky.horizon", "[1, 1, 1]");
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

typedef struct balls {
    float position[4][3], volume[4];
    uint32_t body[4];
    dr_frame_array arrays[3];
    dr_frame_part part;
    dr_frame frame;
} balls;

static void make_balls(balls *made, const char *name, int count, float radius)
{
    for (int i = 0; i < count; i++) made->volume[i] = 4.0f / 3.0f * (float)PI * radius * radius * radius;
    size_t n = (size_t)count;
    made->arrays[0] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, n, made->position};
    made->arrays[1] = (dr_frame_array){"volume", "cm3", DR_TYPE_FLOAT32, 1, n, made->volume};
    made->arrays[2] = (dr_frame_array){"body", "", DR_TYPE_UINT32, 1, n, made->body};
    made->part = (dr_frame_part){
        .name = name, .kind = DR_FRAME_POINTS, .point_count = n, .array_count = 3, .arrays = made->arrays};
    made->frame = (dr_frame){.number = 1, .part_count = 1, .parts = &made->part};
}

// A liquid ball of many particles on a lattice.
typedef struct pool {
    float (*position)[3], *volume;
    dr_frame_array arrays[2];
    dr_frame_part part;
    dr_frame frame;
} pool;

static void make_pool(pool *made, float radius, float spacing)
{
    int side = (int)(radius / spacing) + 1;
    size_t most = (size_t)((2 * side + 1) * (2 * side + 1) * (2 * side + 1)), count = 0;
    made->position = malloc(most * sizeof *made->position);
    made->volume = malloc(most * sizeof *made->volume);
    for (int i = -side; i <= side; i++) {
        for (int j = -side; j <= side; j++) {
            for (int k = -side; k <= side; k++) {
                float x[3] = {(float)i * spacing, (float)j * spacing, (float)k * spacing};
                if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] > radius * radius) continue;
                memcpy(made->position[count], x, sizeof x);
                made->volume[count++] = spacing * spacing * spacing;
            }
        }
    }
    made->arrays[0] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, count, made->position};
    made->arrays[1] = (dr_frame_array){"volume", "cm3", DR_TYPE_FLOAT32, 1, count, made->volume};
    made->part = (dr_frame_part){
        .name = "liquid", .kind = DR_FRAME_POINTS, .point_count = count, .array_count = 2, .arrays = made->arrays};
    made->frame = (dr_frame){.number = 1, .part_count = 1, .parts = &made->part};
}

static void free_pool(pool *made)
{
    free(made->position);
    free(made->volume);
}

// ---- where things are

static void test_a_balls_outline_is_where_the_camera_puts_it(void **state)
{
    (void)state;
    static balls made;
    made.position[0][0] = 1.0f;
    made.position[0][1] = 2.0f;
    make_balls(&made, "particles", 1, 1.5f);
    dr_scene *scene = open_scene();
    set(scene, "look.sun.strength", "0");
    dr_scene_edit(scene)->look.sky.strength = 1.0;
    draw(scene, &made.frame);
    dr_scene_destroy(scene);
    // Rays along the row of the ball's middle that touch it: angles of the middle, give or take the asin of radius over
    // distance, in the plane of the eye, the middle and the row.
    double slope = 2.0 / 10.0, distance = sqrt(1.0 + 4.0 + 100.0), spread = asin(1.5 / distance);
    double forward = sqrt(1.0 + slope * slope); // length of a ray of the row for one cm of depth
    double middle = atan(1.0 / (10.0 * forward));
    int row = (int)(SIDE * (0.5 - 0.5 * slope / tan(PI / 6.0)));
    double left = SIDE * (0.5 + 0.5 * forward * tan(middle - spread) / tan(PI / 6.0));
    double right = SIDE * (0.5 + 0.5 * forward * tan(middle + spread) / tan(PI / 6.0));
    int first = SIDE, last = -1;
    for (int x = 0; x < SIDE; x++) {
        if (abs(at(x, row, 2) - at(0, row, 2)) < 30) continue;
        first = x < first ? x : first;
        last = x;
    }
    check_near(first, left, 1.0);
    check_near(last + 1, right, 1.0);
}

static void test_a_ball_throws_a_shadow_on_the_ground(void **state)
{
    (void)state;
    static balls made;
    make_balls(&made, "particles", 1, 1.0f);
    dr_scene *scene = open_scene();
    set(scene, "look.ground.show", "yes");
    set(scene, "look.ground.height", "-2");
    set(scene, "look.sun.direction", "[0, 1, 0]");
    set(scene, "look.camera.position", "[0, 6, 12]");
    set(scene, "look.camera.target", "[0, -2, 0]");
    draw(scene, &made.frame);
    dr_scene_destroy(scene);
    int dark = at(SIDE / 2, SIDE / 2, 1), light = at(4, SIDE / 2, 1);
    assert_true(dark < light - 40);
}

// ---- what light does

static void test_a_white_ball_vanishes_in_a_white_furnace(void **state)
{
    (void)state;
    static balls made;
    make_balls(&made, "particles", 1, 2.0f);
    dr_scene *scene = open_scene();
    dr_body_spec *body;
    assert_int_equal(dr_scene_append(scene, "bodies", (void **)&body, NULL), DR_STATUS_OK);
    body->name = "ball";
    dr_paint_spec *paint;
    assert_int_equal(dr_scene_append(scene, "look.paints", (void **)&paint, NULL), DR_STATUS_OK);
    paint->name = "ball";
    light_furnace(scene);
    for (int finish = DR_FINISH_MATTE; finish <= DR_FINISH_METAL; finish++) {
        dr_scene_edit(scene)->look.paints.items[0].finish = finish;
        for (int c = 0; c < 3; c++) dr_scene_edit(scene)->look.paints.items[0].colour[c] = 1.0;
        draw(scene, &made.frame);
        int sky = at(0, 0, 0);
        for (int i = 0; i < 3 * SIDE * SIDE; i++) {
            if (abs(pixels[i] - sky) > 10) fail_msg("finish %d: %d beside a sky of %d", finish, pixels[i], sky);
        }
    }
    dr_scene_destroy(scene);
}

static void test_clear_liquid_vanishes_in_a_white_furnace(void **state)
{
    (void)state;
    pool made;
    make_pool(&made, 2.0f, 0.25f);
    dr_scene *scene = open_scene();
    light_furnace(scene);
    set(scene, "look.liquid.colour", "[1, 1, 1]");
    set(scene, "look.liquid.refraction", "1.33");
    draw(scene, &made.frame);
    int sky = at(0, 0, 0), far = 0;
    for (int i = 0; i < 3 * SIDE * SIDE; i++) far += abs(pixels[i] - sky) > 2;
    assert_int_equal(far, 0);
    dr_scene_destroy(scene);
    free_pool(&made);
}

// Straight through the middle of a ball: what is mirrored at the front, and what comes through both borders, with all
// that goes back and forth in between.
static void test_liquid_absorbs_by_the_way_through_it(void **state)
{
    (void)state;
    pool made;
    make_pool(&made, 2.0f, 0.125f);
    dr_scene *scene = open_scene();
    light_furnace(scene);
    set(scene, "look.samples", "64");
    set(scene, "look.liquid.colour", "[0.484529, 0.735357, 1]"); // linear 0.2, 0.5, 1
    set(scene, "look.liquid.depth", "4");
    set(scene, "look.liquid.smoothing", "0");
    set(scene, "look.denoise", "no");
    set(scene, "look.liquid.refraction", "1.33");
    draw(scene, &made.frame);
    double share = 0.33 / 2.33 * 0.33 / 2.33, left[3] = {0.2, 0.5, 1.0};
    for (int c = 0; c < 3; c++) {
        double through = (1.0 - share) * (1.0 - share) * left[c] / (1.0 - share * left[c]);
        double expected = 0.5 * (share + through);
        double sum = 0.0; // four pixels about the middle
        for (int i = 0; i < 4; i++) {
            double shown = at(SIDE / 2 - (i & 1), SIDE / 2 - (i >> 1), c) / 255.0;
            sum += 0.25 * (shown <= 0.04045 ? shown / 12.92 : pow((shown + 0.055) / 1.055, 2.4));
        }
        check_near(sum, expected, 0.04 * expected);
    }
    dr_scene_destroy(scene);
    free_pool(&made);
}

// ---- curves, cloth and the rest

typedef struct everything {
    float hair[6][3], radius[6], film[6];
    uint32_t first[3];
    float cloth[4][3], wetness[4];
    uint32_t cloth_triangle[2][3];
    float solid[4][3];
    uint32_t solid_triangle[2][3], solid_body[2];
    dr_frame_array hair_arrays[3], cloth_arrays[2], solid_arrays[2];
    dr_frame_part parts[4];
    pool pool;
    dr_frame frame;
} everything;

static void make_everything(everything *e)
{
    memset(e, 0, sizeof *e);
    make_pool(&e->pool, 1.0f, 0.25f);
    for (int i = 0; i < 6; i++) {
        e->hair[i][0] = i < 3 ? -2.5f : 2.5f;
        e->hair[i][1] = 2.0f * (float)(i % 3) - 2.0f;
        e->radius[i] = 0.5f;
        e->film[i] = i < 3 ? 0.0f : 0.3f;
    }
    memcpy(e->first, (uint32_t[3]){0, 3, 6}, sizeof e->first);
    for (int i = 0; i < 4; i++) {
        e->cloth[i][0] = i & 1 ? 4.0f : -4.0f;
        e->cloth[i][1] = i & 2 ? 5.5f : 3.0f;
        e->wetness[i] = i & 1 ? 1.0f : 0.0f;
        e->solid[i][0] = i & 1 ? 4.0f : -4.0f;
        e->solid[i][1] = i & 2 ? -3.0f : -5.0f;
    }
    memcpy(e->cloth_triangle, (uint32_t[2][3]){{0, 1, 2}, {1, 3, 2}}, sizeof e->cloth_triangle);
    memcpy(e->solid_triangle, (uint32_t[2][3]){{0, 1, 2}, {1, 3, 2}}, sizeof e->solid_triangle);
    e->hair_arrays[0] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, 6, e->hair};
    e->hair_arrays[1] = (dr_frame_array){"radius", "cm", DR_TYPE_FLOAT32, 1, 6, e->radius};
    e->hair_arrays[2] = (dr_frame_array){"film_height", "cm", DR_TYPE_FLOAT32, 1, 6, e->film};
    e->cloth_arrays[0] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, 4, e->cloth};
    e->cloth_arrays[1] = (dr_frame_array){"wetness", "", DR_TYPE_FLOAT32, 1, 4, e->wetness};
    e->solid_arrays[0] = (dr_frame_array){"position", "cm", DR_TYPE_FLOAT32, 3, 4, e->solid};
    e->solid_arrays[1] = (dr_frame_array){"body", "", DR_TYPE_UINT32, 1, 2, e->solid_body};
    e->parts[0] = e->pool.part;
    e->parts[1] = (dr_frame_part){"strands", DR_FRAME_CURVES, 6, 2, e->first, 3, e->hair_arrays};
    e->parts[2] = (dr_frame_part){"cloth", DR_FRAME_TRIANGLES, 4, 2, e->cloth_triangle[0], 2, e->cloth_arrays};
    e->parts[3] = (dr_frame_part){"colliders", DR_FRAME_TRIANGLES, 4, 2, e->solid_triangle[0], 2, e->solid_arrays};
    e->frame = (dr_frame){.number = 1, .part_count = 4, .parts = e->parts};
}

static void test_any_number_of_threads_draws_the_same_bytes(void **state)
{
    (void)state;
    static uint8_t other[sizeof pixels];
    everything made;
    make_everything(&made);
    dr_scene *scene = open_scene();
    dr_render_options options;
    dr_render_options_default(&options);
    options.threads = 1;
    assert_int_equal(dr_render_frame(scene, &made.frame, &options, pixels, NULL), DR_STATUS_OK);
    for (int threads = 2; threads <= 5; threads += 3) {
        options.threads = threads;
        assert_int_equal(dr_render_frame(scene, &made.frame, &options, other, NULL), DR_STATUS_OK);
        assert_memory_equal(pixels, other, sizeof pixels);
    }
    dr_scene_destroy(scene);
    free_pool(&made.pool);
}

static void test_wet_things_are_darker(void **state)
{
    (void)state;
    everything made;
    make_everything(&made);
    dr_scene *scene = open_scene();
    light_furnace(scene);
    dr_paint_spec *paint;
    assert_int_equal(dr_scene_append(scene, "look.paints", (void **)&paint, NULL), DR_STATUS_OK);
    paint->name = "strands";
    paint->finish = DR_FINISH_SATIN;
    dr_vec3_set(paint->colour, 0.8, 0.7, 0.6);
    draw(scene, &made.frame);
    int dry_hair = at(SIDE / 2 - 14, SIDE / 2, 0), wet_hair = at(SIDE / 2 + 14, SIDE / 2, 0);
    int dry_cloth = at(SIDE / 2 - 20, SIDE / 2 - 23, 0), wet_cloth = at(SIDE / 2 + 20, SIDE / 2 - 23, 0);
    assert_true(wet_hair < dry_hair - 15);
    assert_true(wet_cloth < dry_cloth - 15);
    dr_scene_destroy(scene);
    free_pool(&made.pool);
}

// ---- what is told

static void keep_share(void *user, const dr_render_progress *progress)
{
    double *last = user;
    assert_true(progress->share >= *last && progress->share <= 1.0);
    *last = progress->share;
}

// Two thick strands, one beside the other, painted by the names of their groups.
static void test_strands_are_painted_by_their_groups(void **unused)
{
    (void)unused;
    static const float position[4][3] = {{-3, -3, 0}, {-3, 3, 0}, {3, -3, 0}, {3, 3, 0}}, radius[4] = {1, 1, 1, 1};
    static const uint32_t first[3] = {0, 2, 4}, group[2] = {1, 0};
    const dr_frame_array arrays[] = {{"position", "cm", DR_TYPE_FLOAT32, 3, 4, position},
                                     {"radius", "cm", DR_TYPE_FLOAT32, 1, 4, radius},
                                     {"group", "", DR_TYPE_UINT32, 1, 2, group}};
    const dr_frame_part part = {"strands", DR_FRAME_CURVES, 4, 2, first, 3, arrays};
    const dr_frame frame = {.part_count = 1, .parts = &part};
    dr_scene *scene = open_scene();
    void *item;
    light_furnace(scene);
    static const char *const names[] = {"one", "two"}, *const colours[] = {"[0.9, 0.1, 0.1]", "[0.1, 0.1, 0.9]"};
    for (int i = 0; i < 2; i++) {
        char path[40];
        assert_int_equal(dr_scene_append(scene, "strands", &item, NULL), DR_STATUS_OK);
        ((dr_strands_spec *)item)->name = names[i];
        assert_int_equal(dr_scene_append(scene, "look.paints", &item, NULL), DR_STATUS_OK);
        ((dr_paint_spec *)item)->name = names[i];
        snprintf(path, sizeof path, "look.paints.%d.colour", i);
        set(scene, path, colours[i]);
    }
    draw(scene, &frame);
    int left = SIDE / 2 - 16, right = SIDE / 2 + 16, middle = SIDE / 2;
    assert_true(at(left, middle, 2) > at(left, middle, 0) + 60);
    assert_true(at(right, middle, 0) > at(right, middle, 2) + 60);
    dr_scene_destroy(scene);
}

static void test_progress_rises_and_ends(void **state)
{
    (void)state;
    static balls made;
    make_balls(&made, "particles", 1, 2.0f);
    dr_scene *scene = open_scene();
    double last = 0.0;
    dr_render_options options;
    dr_render_options_default(&options);
    options.progress = keep_share;
    options.user = &last;
    options.threads = 2;
    assert_int_equal(dr_render_frame(scene, &made.frame, &options, pixels, NULL), DR_STATUS_OK);
    assert_true(last == 1.0);
    dr_scene_destroy(scene);
}

// ---- what goes wrong

static void test_a_stop_is_heard(void **state)
{
    (void)state;
    static balls made;
    make_balls(&made, "particles", 1, 2.0f);
    dr_scene *scene = open_scene();
    volatile int stop = 1;
    dr_render_options options;
    dr_render_options_default(&options);
    options.stop = &stop;
    assert_int_equal(dr_render_frame(scene, &made.frame, &options, pixels, NULL), DR_STATUS_INTERRUPTED);
    dr_scene_destroy(scene);
}

static void test_a_part_without_places_is_told(void **state)
{
    (void)state;
    static balls made;
    make_balls(&made, "particles", 1, 2.0f);
    made.part.array_count = 1;
    dr_scene *scene = open_scene();
    dr_error error = {0};
    assert_int_equal(dr_render_frame(scene, &made.frame, NULL, pixels, &error), DR_STATUS_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "volume"));
    dr_scene_destroy(scene);
}

static void test_memory_that_runs_out_is_a_clean_error(void **state)
{
    (void)state;
    everything made;
    make_everything(&made);
    dr_scene *scene = open_scene();
    dr_scene_edit(scene)->look.width = dr_scene_edit(scene)->look.height = 2;
    dr_scene_edit(scene)->look.samples = 1;
    dr_render_options options;
    dr_render_options_default(&options);
    options.threads = 1;
    scarce memory;
    dr_status status = DR_STATUS_NO_MEMORY;
    for (long fails_at = 1; status; fails_at++) {
        scarce_open(&memory, fails_at);
        options.allocator = &memory.allocator;
        status = dr_render_frame(scene, &made.frame, &options, pixels, NULL);
        assert_true(status == DR_STATUS_OK || status == DR_STATUS_NO_MEMORY);
        assert_int_equal(memory.out, 0);
    }
    dr_scene_destroy(scene);
    free_pool(&made.pool);
}

int main(void)
{
#ifndef DR_HAVE_EMBREE
    printf("built without Embree: nothing to draw with\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_balls_outline_is_where_the_camera_puts_it),
        cmocka_unit_test(test_a_ball_throws_a_shadow_on_the_ground),
        cmocka_unit_test(test_a_white_ball_vanishes_in_a_white_furnace),
        cmocka_unit_test(test_clear_liquid_vanishes_in_a_white_furnace),
        cmocka_unit_test(test_liquid_absorbs_by_the_way_through_it),
        cmocka_unit_test(test_any_number_of_threads_draws_the_same_bytes),
        cmocka_unit_test(test_wet_things_are_darker),
        cmocka_unit_test(test_strands_are_painted_by_their_groups),
        cmocka_unit_test(test_progress_rises_and_ends),
        cmocka_unit_test(test_a_stop_is_heard),
        cmocka_unit_test(test_a_part_without_places_is_told),
        cmocka_unit_test(test_memory_that_runs_out_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
