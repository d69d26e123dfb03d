// The viewer's answers without a network: who may ask, what a frame becomes, ages, and memory that runs out.
#include "support/check.h"
#include "support/scarce.h"

#include "base/json.h"
#include "look/view_answer.h"
#include "look/view_page.h"

static const float places[4][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {-1, 0, 1e-30F}};
static const double speeds[4][3] = {{3, 4, 0}, {0, 0, 2}, {0, 0, 0}, {1, 2, 2}};
static const double film[4] = {0.1, 0.2, 0.3, 0.4};
static const float volumes[4] = {1, 1, 1, 1};
static const uint64_t ids[4] = {0, 9, 10, 25};
static const uint32_t first[3] = {0, 1, 4};
static const uint32_t corners[6] = {0, 1, 2, 2, 1, 3};
static const uint8_t sides[2] = {7, 8};

static const dr_frame_array liquid_arrays[] = {{"position", "cm", DR_TYPE_FLOAT32, 3, 4, places},
                                               {"velocity", "cm/s", DR_TYPE_FLOAT64, 3, 4, speeds},
                                               {"volume", "cm3", DR_TYPE_FLOAT32, 1, 4, volumes},
                                               {"id", "", DR_TYPE_UINT64, 1, 4, ids}};
static const dr_frame_array strand_arrays[] = {{"position", "cm", DR_TYPE_FLOAT32, 3, 4, places},
                                               {"radius", "cm", DR_TYPE_FLOAT32, 1, 4, volumes},
                                               {"film_height", "cm", DR_TYPE_FLOAT64, 1, 4, film}};
static const dr_frame_array sheet_arrays[] = {{"position", "cm", DR_TYPE_FLOAT32, 3, 4, places},
                                              {"side", "", DR_TYPE_UINT8, 1, 2, sides}};
static const dr_frame_part parts[] = {{"liquid", DR_FRAME_POINTS, 4, 0, NULL, 4, liquid_arrays},
                                      {"strands", DR_FRAME_CURVES, 4, 2, first, 3, strand_arrays},
                                      {"sheet", DR_FRAME_TRIANGLES, 4, 2, corners, 2, sheet_arrays}};
static const dr_frame frame = {2.0, 12, 5, 1, 3, parts};

// ---- frames

static dr_json_value header_of(const dr_view_frame *made)
{
    uint32_t length;
    assert_memory_equal(made->head, "DRF1", 4);
    memcpy(&length, made->head + 4, sizeof length);
    assert_int_equal(length, made->head_bytes - 8);
    assert_int_equal(length % 8, 0);
    dr_json_value header = dr_json_parse(made->head + 8, length);
    assert_non_null(header.data);
    return header;
}

static dr_json_value part_of(const dr_view_frame *made, const char *name)
{
    char its[32];
    dr_json_value cursor = {0}, part, list = dr_json_member(header_of(made), "parts");
    while ((part = dr_json_next(list, &cursor)).data) {
        assert_true(dr_json_as_text(dr_json_member(part, "name"), its, sizeof its));
        if (strcmp(its, name) == 0) return part;
    }
    fail_msg("no part %s", name);
    return part;
}

// The numbers of an array, NULL where it was not sent.
static const float *array_of(const dr_view_frame *made, const char *part, const char *name)
{
    dr_json_value array = dr_json_member(dr_json_member(part_of(made, part), "arrays"), name);
    if (!array.data) return NULL;
    return made->data + (size_t)dr_json_as_number(dr_json_member(array, "offset"), -1.0) / sizeof(float);
}

static void test_a_frame_holds_what_was_wanted(void **state)
{
    (void)state;
    dr_view_frame made;
    assert_int_equal(dr_view_frame_make(&frame, "liquid:speed,sheet:", NULL, NULL, &made, NULL), DR_STATUS_OK);
    assert_memory_equal(array_of(&made, "liquid", "position"), places, sizeof places);
    const float *speed = array_of(&made, "liquid", "speed");
    for (int i = 0; i < 4; i++) check_near((double)speed[i], ((double[]){5, 2, 0, 3})[i], 0.0);
    assert_memory_equal(array_of(&made, "sheet", "index"), corners, sizeof corners);
    assert_null(array_of(&made, "strands", "position"));
    assert_null(array_of(&made, "liquid", "volume"));
    dr_view_frame_free(&made);
}

static void test_curves_bring_their_radius_once(void **state)
{
    (void)state;
    dr_view_frame made;
    assert_int_equal(dr_view_frame_make(&frame, "strands:radius", NULL, NULL, &made, NULL), DR_STATUS_OK);
    assert_memory_equal(array_of(&made, "strands", "radius"), volumes, sizeof volumes);
    assert_int_equal(made.count, 12 + 3 + 4);
    dr_view_frame_free(&made);
}

static void test_a_field_that_is_not_there_is_left_out(void **state)
{
    (void)state;
    dr_view_frame made;
    assert_int_equal(dr_view_frame_make(&frame, "liquid:nonsense,nobody:speed,,:", NULL, NULL, &made, NULL),
                     DR_STATUS_OK);
    assert_int_equal(made.count, 12);
    dr_view_frame_free(&made);
}

static void test_numbers_of_elements_are_no_field(void **state)
{
    (void)state;
    dr_view_frame made;
    assert_int_equal(dr_view_frame_make(&frame, NULL, NULL, NULL, &made, NULL), DR_STATUS_OK);
    dr_json_value cursor = {0};
    assert_null(dr_json_next(dr_json_member(part_of(&made, "sheet"), "fields"), &cursor).data);
    assert_non_null(array_of(&made, "strands", "film_height"));
    assert_non_null(array_of(&made, "liquid", "speed"));
    dr_view_frame_free(&made);
}

static void test_points_are_as_large_as_their_volume(void **state)
{
    (void)state;
    dr_view_frame made;
    assert_int_equal(dr_view_frame_make(&frame, "", NULL, NULL, &made, NULL), DR_STATUS_OK);
    double radius = dr_json_as_number(dr_json_member(part_of(&made, "liquid"), "radius"), 0.0);
    check_near(4.0 / 3.0 * PI * radius * radius * radius, 1.0, 1e-12);
    assert_int_equal(made.count, 0);
    dr_view_frame_free(&made);
}

// ---- ages

static void test_age_is_counted_from_the_step_that_handed_out_the_id(void **state)
{
    (void)state;
    dr_view_frame made;
    dr_view_ages ages;
    dr_view_ages_open(&ages, NULL);
    assert_true(dr_view_ages_add(&ages, 0.5, 10)); // 0 .. 9
    assert_true(dr_view_ages_add(&ages, 0.7, 10)); // none
    assert_true(dr_view_ages_add(&ages, 1.0, 20)); // 10 .. 19
    assert_int_equal(ages.count, 2);
    assert_int_equal(dr_view_frame_make(&frame, "liquid:age", &ages, NULL, &made, NULL), DR_STATUS_OK);
    const float *age = array_of(&made, "liquid", "age");
    for (int i = 0; i < 4; i++) check_near((double)age[i], ((double[]){1.5, 1.5, 1.0, 1.0})[i], 0.0);
    dr_view_frame_free(&made);
    dr_view_ages_close(&ages);
}

static void test_without_statistics_there_is_no_age(void **state)
{
    (void)state;
    dr_view_frame made;
    dr_view_ages ages;
    dr_view_ages_open(&ages, NULL);
    assert_int_equal(dr_view_frame_make(&frame, "liquid:age", &ages, NULL, &made, NULL), DR_STATUS_OK);
    assert_null(array_of(&made, "liquid", "age"));
    dr_view_frame_free(&made);
}

// ---- who may ask

static void test_only_pages_of_this_server_may_ask(void **state)
{
    (void)state;
    assert_true(dr_view_answer_may("127.0.0.1:8080", NULL, NULL, "/api/run", 8080));
    assert_true(dr_view_answer_may("localhost:8080", "http://localhost:8080", NULL, "/api/run", 8080));
    assert_true(dr_view_answer_may("[::1]:8080", "http://127.0.0.1:8080", NULL, "/api/run", 8080));
    assert_true(dr_view_answer_may("localhost", NULL, NULL, "/api/run", 80));
    assert_false(dr_view_answer_may(NULL, NULL, NULL, "/api/run", 8080));
    assert_false(dr_view_answer_may("", NULL, NULL, "/api/run", 8080));
    assert_false(dr_view_answer_may("localhost", NULL, NULL, "/api/run", 8080));
    assert_false(dr_view_answer_may("localhost:80801", NULL, NULL, "/api/run", 8080));
    assert_false(dr_view_answer_may("evil.example:8080", NULL, NULL, "/api/run", 8080));
    assert_false(dr_view_answer_may("127.0.0.1:8080.evil.example", NULL, NULL, "/api/run", 8080));
    assert_false(dr_view_answer_may("127.0.0.1:8080", "http://evil.example", NULL, "/api/run", 8080));
    assert_false(dr_view_answer_may("127.0.0.1:8080", "https://127.0.0.1:8080", NULL, "/api/run", 8080));
    assert_true(dr_view_answer_may("127.0.0.1:8080", NULL, "same-origin", "/api/run", 8080));
    assert_true(dr_view_answer_may("127.0.0.1:8080", NULL, "cross-site", "/", 8080)); // a link
    assert_false(dr_view_answer_may("127.0.0.1:8080", NULL, "cross-site", "/api/run", 8080));
    assert_false(dr_view_answer_may("127.0.0.1:8080", NULL, "same-site", "/viewer.js", 8080));
    assert_false(dr_view_answer_may("127.0.0.1:8080", "null", NULL, "/api/run", 8080));
}

static int code_for(const char *path, const char *query)
{
    dr_view_folder folder = {0};
    dr_view_answer answer;
    dr_view_answer_make(&folder, path, query, &answer);
    dr_view_answer_free(&answer);
    return answer.code;
}

static void test_only_known_addresses_are_answered(void **state)
{
    (void)state;
    assert_int_equal(code_for("/", NULL), 200);
    assert_int_equal(code_for("/viewer.js", "x=1"), 200);
    static const char *const strange[] = {
        "", "//", "/.", "/..", "/viewer", "/viewer.js/", "/api", "/api/", "/../etc/passwd"};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) assert_int_equal(code_for(strange[i], NULL), 404);
    assert_int_equal(code_for("/api/frame", "number=1%0"), 403);
    assert_int_equal(code_for("/api/frame", "number=%"), 403);
    assert_int_equal(code_for("/api/stats", "from=9999999999999999999999999"), 403);
}

// ---- memory

static void test_memory_that_runs_out_is_told_of_and_nothing_leaks(void **state)
{
    (void)state;
    long requests = 1;
    for (long fails_at = 1; fails_at <= requests; fails_at++) {
        scarce memory;
        dr_view_frame made;
        dr_error error = {0};
        scarce_open(&memory, fails_at);
        dr_status status = dr_view_frame_make(&frame, NULL, NULL, &memory.allocator, &made, &error);
        requests = memory.requests + (memory.requests == fails_at);
        assert_int_equal(status, memory.requests < fails_at ? DR_STATUS_OK : DR_STATUS_NO_MEMORY);
        dr_view_frame_free(&made);
        assert_int_equal(memory.out, 0);
    }
    assert_true(requests > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_frame_holds_what_was_wanted),
        cmocka_unit_test(test_curves_bring_their_radius_once),
        cmocka_unit_test(test_a_field_that_is_not_there_is_left_out),
        cmocka_unit_test(test_numbers_of_elements_are_no_field),
        cmocka_unit_test(test_points_are_as_large_as_their_volume),
        cmocka_unit_test(test_age_is_counted_from_the_step_that_handed_out_the_id),
        cmocka_unit_test(test_without_statistics_there_is_no_age),
        cmocka_unit_test(test_only_pages_of_this_server_may_ask),
        cmocka_unit_test(test_only_known_addresses_are_answered),
        cmocka_unit_test(test_memory_that_runs_out_is_told_of_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
