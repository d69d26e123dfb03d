// The benchmark of surfaces on few particles: it must measure, and memory per cell is a bar.
#include "../support/check.h"

#include "lab/cases.h"

static void run_small(const char *shape)
{
    const char *settings[] = {"particles=60000", shape};
    dr_lab_request request = {.settings = settings, .setting_count = 2, .threads = 1};
    dr_lab *lab;
    dr_error error = {0};
    if (dr_lab_perform(&dr_lab_surface, &request, &lab, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    char *text = dr_lab_show(lab, true);
    assert_non_null(text);
    const char *memory = strstr(text, "\"memory\": ");
    assert_non_null(memory);
    assert_non_null(strstr(text, "\"time\": "));
    double bytes = 0.0;
    assert_int_equal(sscanf(memory, "\"memory\": %lf", &bytes), 1);
    assert_true(bytes > 60.0);
    check_at_most(bytes, 400.0);
    dr_lab_release_text(text);
    dr_lab_destroy(lab);
}

static void test_a_splash_and_a_ball_are_measured_and_stay_below_their_memory(void **state)
{
    (void)state;
    run_small("ball=false");
    run_small("ball=true");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_splash_and_a_ball_are_measured_and_stay_below_their_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
