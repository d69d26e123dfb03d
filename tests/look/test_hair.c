// Light on hair: nothing is lost or won, and what is drawn is what is sent.
#include "look/hair.h"
#include "look/paint.h"
#include "support/check.h"

static const dr_float4 along = {1.0f, 0.0f, 0.0f, 0.0f};

static dr_hair clear_hair(float roughness_along, float roughness_around)
{
    return (dr_hair){.along = roughness_along, .around = roughness_around};
}

// Seen at an angle from its cross section, at an offset from its axis.
static dr_hair_place seen(const dr_hair *hair, float degrees, float offset)
{
    float angle = degrees * DR_PI_FLOAT / 180.0f;
    dr_float4 out = dr_space_make(sinf(angle), 0.0, cosf(angle));
    dr_float4 normal = dr_space_make(0.0, offset, sqrtf(1.0f - offset * offset));
    return dr_hair_place_make(hair, along, normal, out);
}

enum { ROWS = 512, COLUMNS = 720 };

// The integral over all directions of what is sent, each weighted with 1 + its slope along the hair.
static double integrate(const dr_hair_place *place, int colour, double slope)
{
    double sum = 0.0;
    for (int i = 0; i < ROWS; i++) {
        double sine = -1.0 + 2.0 * (i + 0.5) / ROWS, cosine = sqrt(1.0 - sine * sine);
        for (int j = 0; j < COLUMNS; j++) {
            double turn = 2.0 * PI * (j + 0.5) / COLUMNS;
            dr_float4 in = dr_space_make(sine, cosine * cos(turn), cosine * sin(turn));
            sum += (1.0 + slope * sine) * (double)dr_hair_send(place, in)[colour];
        }
    }
    return sum * 4.0 * PI / ((double)ROWS * COLUMNS);
}

static void test_a_clear_hair_sends_on_all_light(void **state)
{
    (void)state;
    static const float roughness[][2] = {{0.15f, 0.3f}, {0.25f, 0.3f}, {0.6f, 0.6f}};
    for (size_t r = 0; r < 3; r++) {
        dr_hair hair = clear_hair(roughness[r][0], roughness[r][1]);
        for (float degrees = -60.0f; degrees <= 60.0f; degrees += 30.0f) {
            for (float offset = -0.9f; offset < 1.0f; offset += 0.45f) {
                dr_hair_place place = seen(&hair, degrees, offset);
                check_near(integrate(&place, 0, 0.0), 1.0, 0.01);
            }
        }
    }
}

static void test_no_absorbing_hair_gives_more_than_it_gets(void **state)
{
    (void)state;
    float before = 1.0f;
    for (float grey = 0.9f; grey > 0.05f; grey *= 0.5f) {
        dr_hair hair = clear_hair(0.25f, 0.3f);
        hair.absorption = dr_hair_absorption(dr_space_make(grey, grey, grey), 0.3f);
        dr_hair_place place = seen(&hair, 20.0f, 0.3f);
        float light = (float)integrate(&place, 1, 0.0);
        assert_true(light < before);
        before = light;
    }
}

// The mean of the draws is the integral, weighted in any way.
static void test_drawn_light_is_what_is_sent(void **state)
{
    (void)state;
    enum { DRAWS = 1 << 16 };
    dr_hair hair = clear_hair(0.3f, 0.4f);
    hair.absorption = dr_space_make(0.1, 0.3, 0.8);
    for (float offset = -0.8f; offset < 1.0f; offset += 0.8f) {
        dr_hair_place place = seen(&hair, 35.0f, offset);
        double sum[2] = {0};
        for (uint32_t s = 0; s < DRAWS; s++) {
            dr_dice dice = {.key = 11, .sample = s};
            dr_float4 in, factor = dr_hair_draw(&place, &dice, &in);
            check_near(dr_space_length(in), 1.0, 1e-4);
            sum[0] += (double)factor[2];
            sum[1] += (double)(factor[2] * (1.0f + 0.8f * in[0]));
        }
        check_near(sum[0] / DRAWS, integrate(&place, 2, 0.0), 0.01);
        check_near(sum[1] / DRAWS, integrate(&place, 2, 0.8), 0.01);
    }
}

// Marschner's two highlights: scales of two degrees move the white one to one side of the mirror's angle by twice that,
// and the coloured one to the other.
static void test_scales_part_the_highlights(void **state)
{
    (void)state;
    dr_hair hair = clear_hair(0.1f, 0.3f);
    dr_hair_place place = seen(&hair, 0.0f, 0.0f);
    check_near(asin((double)place.lean_sine[0]) * 180.0 / PI, -4.0, 1e-3);
    check_near(asin((double)place.lean_sine[2]) * 180.0 / PI, 8.0, 1e-3);
    float brightest = 0.0f, where = 0.0f;
    for (float degrees = -30.0f; degrees <= 30.0f; degrees += 0.25f) { // back to the eye: mirrored, not through
        float angle = degrees * DR_PI_FLOAT / 180.0f;
        dr_hair dark = hair;
        dark.absorption = dr_space_make(50, 50, 50);
        dr_hair_place black = seen(&dark, 0.0f, 0.0f);
        float light = dr_hair_send(&black, dr_space_make(sinf(angle), 0.0, cosf(angle)))[0];
        if (light > brightest) {
            brightest = light;
            where = degrees;
        }
    }
    check_near(where, 4.0, 0.5);
    (void)place;
}

static void test_wet_hair_is_darker_and_smoother(void **state)
{
    (void)state;
    dr_paint dry = dr_paint_make(DR_FINISH_HAIR, (const double[3]){0.5, 0.3, 0.2}), wet = dr_paint_wet(dry, 1.0f);
    dr_hair hairs[2] = {dr_paint_hair(&dry), dr_paint_hair(&wet)};
    dr_hair_place places[2] = {seen(&hairs[0], 10.0f, 0.2f), seen(&hairs[1], 10.0f, 0.2f)};
    for (int c = 0; c < 3; c++) assert_true(integrate(&places[1], c, 0.0) < 0.95 * integrate(&places[0], c, 0.0));
    assert_true(hairs[1].along < hairs[0].along);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_clear_hair_sends_on_all_light),
        cmocka_unit_test(test_no_absorbing_hair_gives_more_than_it_gets),
        cmocka_unit_test(test_drawn_light_is_what_is_sent),
        cmocka_unit_test(test_scales_part_the_highlights),
        cmocka_unit_test(test_wet_hair_is_darker_and_smoother),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
