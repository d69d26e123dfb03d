// Borders, paints, sky, camera and tone: what can be checked without a picture.
#include "look/camera.h"
#include "look/crease.h"
#include "look/denoise.h"
#include "look/dice.h"
#include "look/light.h"
#include "look/paint.h"
#include "look/picture.h"
#include "support/check.h"

static dr_float4 slanted(float degrees) // from above, onto a surface with normal +y
{
    float angle = degrees * DR_PI_FLOAT / 180.0f;
    return dr_space_make(sinf(angle), -cosf(angle), 0.0);
}

static const dr_float4 up = {0.0f, 1.0f, 0.0f, 0.0f};

// ---- borders

static void test_refraction_keeps_snells_law(void **state)
{
    (void)state;
    for (float degrees = 0.0f; degrees < 89.0f; degrees += 4.0f) {
        dr_float4 in = slanted(degrees), out, back;
        assert_true(dr_optics_refract(in, up, 1.0f / 1.33f, &out));
        check_near(dr_space_length(out), 1.0, 1e-6);
        check_near(out[0], in[0] / 1.33f, 1e-5);
        assert_true(out[1] < 0.0f && out[2] == 0.0f);
        assert_true(dr_optics_refract(-out, -up, 1.33f, &back)); // the same way back
        check_near(back[0], -in[0], 1e-4);
    }
}

static void test_beyond_the_critical_angle_all_is_reflected(void **state)
{
    (void)state;
    float critical = asinf(1.0f / 1.33f) * 180.0f / DR_PI_FLOAT;
    dr_float4 out, below = slanted(critical - 0.5f), beyond = slanted(critical + 0.5f);
    assert_true(dr_optics_refract(below, up, 1.33f, &out));
    assert_false(dr_optics_refract(beyond, up, 1.33f, &out));
    assert_true(dr_optics_fresnel(-below[1], 1.33f) < 0.8f);
    assert_true(dr_optics_fresnel(-beyond[1], 1.33f) == 1.0f);
}

static void test_fresnel_at_known_angles(void **state)
{
    (void)state;
    float straight = (1.33f - 1.0f) / (1.33f + 1.0f);
    check_near(dr_optics_fresnel(1.0f, 1.0f / 1.33f), straight * straight, 1e-6);
    check_near(dr_optics_fresnel(1.0f, 1.33f), straight * straight, 1e-6);
    check_near(dr_optics_fresnel(1e-4f, 1.0f / 1.33f), 1.0, 2e-3);
    // At Brewster's angle only the light across the plane is reflected: half of sin^2 of the angle between the rays.
    float brewster = atanf(1.33f), inner = asinf(sinf(brewster) / 1.33f);
    float across = sinf(brewster - inner) / sinf(brewster + inner);
    check_near(dr_optics_fresnel(cosf(brewster), 1.0f / 1.33f), 0.5f * across * across, 1e-5);
}

static void test_absorption_doubles_with_the_way(void **state)
{
    (void)state;
    dr_float4 once = dr_optics_absorb(dr_space_make(0.1, 0.5, 2.0), 1.5f);
    dr_float4 twice = dr_optics_absorb(dr_space_make(0.1, 0.5, 2.0), 3.0f);
    for (int c = 0; c < 3; c++) check_near(twice[c], once[c] * once[c], 1e-6);
    check_near(once[0], exp(-0.15), 1e-6);
}

// ---- paints

#define DRAWS 4096

static dr_paint white(dr_finish finish)
{
    return dr_paint_make(finish, (const double[3]){1, 1, 1});
}

// The light a white surface sends on in a world that is white all around.
static float furnace(const dr_paint *paint, float degrees)
{
    dr_float4 out = -slanted(degrees), in;
    double sum = 0.0;
    for (uint32_t s = 0; s < DRAWS; s++) {
        dr_dice dice = {.key = 7, .sample = s};
        sum += (double)dr_paint_draw(paint, up, out, &dice, &in)[0];
    }
    return (float)(sum / DRAWS);
}

static void test_white_paints_vanish_in_a_white_furnace(void **state)
{
    (void)state;
    static const dr_finish finishes[] = {DR_FINISH_MATTE, DR_FINISH_SATIN, DR_FINISH_GLOSS, DR_FINISH_METAL};
    for (size_t i = 0; i < sizeof finishes / sizeof *finishes; i++) {
        dr_paint paint = white(finishes[i]);
        for (float degrees = 0.0f; degrees < 80.0f; degrees += 15.0f) {
            float light = furnace(&paint, degrees);
            check_near(light, 1.0, 0.025); // facets that hide each other lose a little
            assert_true(light <= 1.0001f);
        }
    }
}

static void test_wet_paints_take_light_and_never_give(void **state)
{
    (void)state;
    dr_paint dry = dr_paint_make(DR_FINISH_MATTE, (const double[3]){0.7, 0.6, 0.5});
    float before = furnace(&dry, 20.0f);
    for (float wetness = 0.1f; wetness <= 1.0f; wetness += 0.3f) {
        dr_paint wet = dr_paint_wet(dry, wetness);
        float light = furnace(&wet, 20.0f);
        assert_true(light < before);
        assert_true(wet.roughness < dry.roughness && wet.coat > dry.coat);
        before = light;
    }
    dr_paint bright = dr_paint_wet(white(DR_FINISH_MATTE), 1.0f);
    assert_true(furnace(&bright, 60.0f) <= 1.0001f);
}

// What is drawn and what is evaluated are one thing: the mean of the draws is the integral over all directions.
static void test_sent_light_is_what_draws_promise(void **state)
{
    (void)state;
    dr_paint satin = dr_paint_make(DR_FINISH_SATIN, (const double[3]){0.8, 0.8, 0.8});
    dr_paint metal = dr_paint_make(DR_FINISH_METAL, (const double[3]){0.8, 0.8, 0.8});
    const dr_paint *paints[] = {&satin, &metal};
    for (size_t i = 0; i < 2; i++) {
        dr_float4 out = -slanted(35.0f);
        double sum = 0.0;
        int rings = 600, turns = 600;
        for (int r = 0; r < rings; r++) {
            for (int t = 0; t < turns; t++) {
                float cosine = ((float)r + 0.5f) / (float)rings, sine = sqrtf(1.0f - cosine * cosine);
                float angle = 2.0f * DR_PI_FLOAT * ((float)t + 0.5f) / (float)turns;
                dr_float4 in = dr_space_make(sine * cosf(angle), cosine, sine * sinf(angle));
                sum += (double)dr_paint_send(paints[i], up, out, in)[0];
            }
        }
        double whole = sum * 2.0 * PI / (rings * turns);
        check_near(furnace(paints[i], 35.0f), whole, 0.01);
    }
}

// ---- numbers

static void test_samples_of_a_pixel_are_spread_evenly(void **state)
{
    (void)state;
    for (uint64_t key = 0; key < 20; key++) {
        int rows[16] = {0}, columns[16] = {0};
        for (uint32_t s = 0; s < 16; s++) {
            dr_dice dice = {.key = key, .sample = s};
            float at[2];
            dr_dice_roll(&dice, at);
            assert_true(at[0] >= 0.0f && at[0] < 1.0f && at[1] >= 0.0f && at[1] < 1.0f);
            columns[(int)(16.0f * at[0])]++;
            rows[(int)(16.0f * at[1])]++;
        }
        for (int i = 0; i < 16; i++) assert_true(rows[i] == 1 && columns[i] == 1);
    }
}

// ---- light and tone

static void test_the_suns_disc_gives_what_arrives(void **state)
{
    (void)state;
    dr_look_spec look = {.sun = {{0, 1, 0}, 0.2, 3.0, {1, 1, 1}}, .sky = {1, {1, 1, 1}, {1, 1, 1}}};
    dr_light light = dr_light_make(&look);
    double sum = 0.0;
    int rings = 4000;
    for (int r = 0; r < rings; r++) { // cosine times disc over its solid angle
        double angle = 0.15 * (r + 0.5) / rings;
        dr_float4 direction = dr_space_make(sin(angle), cos(angle), 0.0);
        if (dr_light_is_sun(&light, direction))
            sum += (double)light.sun_disc[0] * cos(angle) * 2.0 * PI * sin(angle) * 0.15 / rings;
    }
    check_near(sum, 3.0, 0.01);
    assert_false(dr_light_is_sun(&light, dr_space_make(sin(0.11), cos(0.11), 0.0)));
}

static void test_tone_rises_and_never_passes_white(void **state)
{
    (void)state;
    float before = -1.0f;
    for (float light = 0.0f; light < 4.0f; light += 0.01f) {
        float tone = dr_picture_tone(light);
        assert_true(tone > before && tone <= 1.0f);
        assert_true(before < 0.0f || tone - before < 0.0101f);
        before = tone;
    }
    assert_int_equal(dr_picture_byte(0.0f), 0);
    assert_int_equal(dr_picture_byte(-1.0f), 0);
    assert_int_equal(dr_picture_byte(NAN), 0);
    assert_int_equal(dr_picture_byte(1e30f), 255);
    assert_int_equal(dr_picture_byte(0.2158605f), 128); // middle grey of sRGB
}

// ---- noise

#define WIDE 40

// Two even halves with noise of a known variance, and an edge that only the light shows.
static void test_noise_goes_and_edges_stay(void **state)
{
    (void)state;
    static dr_denoise_pixel pixels[WIDE * WIDE];
    static dr_float4 calm[WIDE * WIDE];
    double before = 0.0, after = 0.0;
    float spread = 0.03f;
    for (int i = 0; i < WIDE * WIDE; i++) {
        float level = i % WIDE < WIDE / 2 ? 0.2f : 0.6f;
        for (uint64_t c = 0; c < 3; c++) // even, of that standard deviation
            pixels[i].light[c] = level + spread * 3.4641f * ((float)dr_random_unit(c, (uint64_t)i) - 0.5f);
        pixels[i].light[3] = spread * spread;
    }
    dr_denoise_filter(pixels, WIDE, WIDE, &(dr_par){1}, calm);
    for (int i = 0; i < WIDE * WIDE; i++) {
        double level = i % WIDE < WIDE / 2 ? 0.2 : 0.6;
        before += pow((double)pixels[i].light[0] - level, 2.0);
        after += pow((double)calm[i][0] - level, 2.0);
    }
    check_at_most(after, before / 16.0);
    check_near(calm[WIDE / 2 - 1 + WIDE * 20][0], 0.2, 0.03);
    check_near(calm[WIDE / 2 + WIDE * 20][0], 0.6, 0.03);
}

static void test_a_quiet_picture_is_left_alone(void **state)
{
    (void)state;
    static dr_denoise_pixel pixels[WIDE * WIDE];
    static dr_float4 calm[WIDE * WIDE];
    for (int i = 0; i < WIDE * WIDE; i++) {
        for (uint64_t c = 0; c < 3; c++) pixels[i].light[c] = (float)dr_random_unit(c, (uint64_t)i);
    }
    dr_denoise_filter(pixels, WIDE, WIDE, &(dr_par){1}, calm);
    for (int i = 0; i < WIDE * WIDE; i++) check_near(calm[i][1], pixels[i].light[1], 0.01);
    dr_float4 light = dr_denoise_release(dr_denoise_press(dr_space_make(0.0, 0.7, 9.0)));
    check_near(light[1], 0.7, 1e-5);
    check_near(light[2], 9.0, 1e-3);
}

// ---- camera

static void test_a_camera_left_to_itself_sees_the_whole_box(void **state)
{
    (void)state;
    static const dr_box boxes[] = {{{-1, 0, -1}, {1, 2, 1}},
                                   {{0, 0, 0}, {100, 3, 12}},
                                   {{5, 5, 5}, {6, 60, 6}},
                                   {{-1e-3, 0, 0}, {1e-3, 1e-3, 2e-2}}};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        dr_camera_spec spec = {.position = {DR_AUTO, DR_AUTO, DR_AUTO},
                               .target = {DR_AUTO, DR_AUTO, DR_AUTO},
                               .azimuth = 0.4 + (double)i,
                               .elevation = 0.3,
                               .zoom = 1.0,
                               .field_of_view = 0.5};
        double aspect = 16.0 / 9.0, most = 0.0;
        dr_camera camera = dr_camera_make(&spec, &boxes[i], aspect);
        float across = dr_space_length(camera.right), upright = dr_space_length(camera.up);
        check_near(across / upright, aspect, 1e-4);
        for (int c = 0; c < 8; c++) {
            double corner[3];
            for (int a = 0; a < 3; a++) corner[a] = c >> a & 1 ? boxes[i].max[a] : boxes[i].min[a];
            dr_float4 seen = dr_space_from(corner) - camera.position;
            float depth = dr_space_dot(seen, camera.ahead);
            assert_true(depth > 0.0f);
            double x = (double)(dr_space_dot(seen, camera.right) / (across * across * depth));
            double y = (double)(dr_space_dot(seen, camera.up) / (upright * upright * depth));
            most = fmax(most, fmax(fabs(x), fabs(y)));
        }
        check_at_most(most, 1.0);
        assert_true(most > 0.85); // and no farther away than need be
    }
}

static void test_a_given_camera_looks_where_it_is_told(void **state)
{
    (void)state;
    dr_box box = {{-1, -1, -1}, {1, 1, 1}};
    dr_camera_spec spec = {.position = {3, 4, 12}, .target = {0, 0, 0}, .zoom = 1.0, .field_of_view = 0.5};
    dr_camera camera = dr_camera_make(&spec, &box, 1.0);
    dr_float4 middle = dr_camera_ray(&camera, 0.5f, 0.5f);
    check_near(middle[0], -3.0 / 13.0, 1e-6);
    check_near(middle[1], -4.0 / 13.0, 1e-6);
    check_near(middle[2], -12.0 / 13.0, 1e-6);
    dr_float4 top = dr_camera_ray(&camera, 0.5f, 0.0f);
    check_near(acos((double)dr_space_dot(top, middle)), 0.25, 1e-4);
    assert_true(top[1] > middle[1]);
}

// ---- normals

static void test_sharp_edges_stay_and_round_ones_are_smoothed(void **state)
{
    (void)state;
    // A roof of two faces at right angles beside two that bend by a few degrees, vertices not shared.
    static const float position[12][3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 0},
                                          {5, 0, 0}, {6, 0, 0}, {5, 0, 1}, {5, 0, 0}, {5, 0, 1}, {4, 0.1f, 0}};
    static const uint32_t triangle[4][3] = {{0, 2, 1}, {3, 5, 4}, {6, 8, 7}, {9, 11, 10}};
    float normal[12][3];
    assert_true(dr_crease_normals(12, position, 4, triangle, NULL, normal));
    check_near(normal[0][1], 1.0, 1e-6); // flat
    check_near(normal[3][0], 1.0, 1e-6); // upright
    assert_true(normal[6][0] > 0.01f);   // leans towards its neighbour
    check_near(normal[6][0], normal[9][0], 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refraction_keeps_snells_law),
        cmocka_unit_test(test_beyond_the_critical_angle_all_is_reflected),
        cmocka_unit_test(test_fresnel_at_known_angles),
        cmocka_unit_test(test_absorption_doubles_with_the_way),
        cmocka_unit_test(test_white_paints_vanish_in_a_white_furnace),
        cmocka_unit_test(test_wet_paints_take_light_and_never_give),
        cmocka_unit_test(test_sent_light_is_what_draws_promise),
        cmocka_unit_test(test_samples_of_a_pixel_are_spread_evenly),
        cmocka_unit_test(test_the_suns_disc_gives_what_arrives),
        cmocka_unit_test(test_tone_rises_and_never_passes_white),
        cmocka_unit_test(test_noise_goes_and_edges_stay),
        cmocka_unit_test(test_a_quiet_picture_is_left_alone),
        cmocka_unit_test(test_a_camera_left_to_itself_sees_the_whole_box),
        cmocka_unit_test(test_a_given_camera_looks_where_it_is_told),
        cmocka_unit_test(test_sharp_edges_stay_and_round_ones_are_smoothed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
