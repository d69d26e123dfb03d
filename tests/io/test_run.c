#define _GNU_SOURCE
#include "support/check.h"
#include "support/scarce.h"

#include "base/error.h"
#include "drench/result.h"
#include "io/checkpoint.h"
#include "io/folder.h"
#include "io/h5.h"
#include "io/result.h"

#include <stdlib.h>
#include <unistd.h>

static char root[64];

static dr_status drop(void *user, const char *folder, const char *name, dr_error *error)
{
    char path[DR_FOLDER_PATH];
    dr_folder_join(path, folder, name);
    if (dr_folder_exists(path)) dr_folder_each(path, drop, user, error);
    if (remove(path) != 0) return DR_STATUS_IO;
    return DR_STATUS_OK;
}

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/drench_run_XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int drop_root(void **state)
{
    (void)state;
    dr_folder_each(root, drop, NULL, NULL);
    return rmdir(root);
}

// A small elastic ball above the floor of the domain.
static dr_scene *make_scene(const dr_allocator *allocator)
{
    dr_scene *scene = NULL;
    void *item = NULL;
    if (dr_scene_create(allocator, &scene, NULL) != DR_STATUS_OK) return NULL;
    dr_scene_spec *spec = dr_scene_edit(scene);
    spec->title = "a ball";
    spec->domain.cell = 0.5;
    spec->time.frame_rate = 100.0;
    spec->time.frames = 3;
    spec->time.samples = 2;
    spec->time.start_frame = 10;
    spec->output.checkpoint_every = 1;
    if (dr_scene_append(scene, "bodies", &item, NULL) == DR_STATUS_OK) {
        dr_body_spec *ball = item;
        ball->name = "ball";
        ball->material = "rubber";
        ball->shape.kind = DR_SHAPE_SPHERE;
        ball->shape.radius = 0.6;
        return scene;
    }
    dr_scene_destroy(scene);
    return NULL;
}

typedef struct diary {
    int steps, frames, observed;
    double times[16];
    int numbers[16], samples[16];
    volatile int stop;
    int stop_after; // steps
} diary;

static void note_progress(void *user, const dr_progress *progress)
{
    diary *book = user;
    if (progress->frame_written) book->frames++;
    if (!progress->frame_written) book->steps++;
    if (book->stop_after && book->steps >= book->stop_after) book->stop = 1;
}

static void note_frame(void *user, const dr_frame *frame)
{
    diary *book = user;
    if (book->observed >= 16) return;
    book->times[book->observed] = frame->time;
    book->numbers[book->observed] = frame->number;
    book->samples[book->observed++] = frame->sample;
}

static dr_run_options listen(diary *book, const char *folder)
{
    dr_run_options options;
    dr_run_options_default(&options);
    options.folder = folder;
    options.threads = 1;
    options.progress = note_progress;
    options.observe = note_frame;
    options.stop = &book->stop;
    options.user = book;
    return options;
}

static void test_output_times_are_exact_and_numbered(void **state)
{
    (void)state;
    diary book = {0};
    dr_run_options options = listen(&book, NULL);
    dr_run_summary summary;
    dr_scene *scene = make_scene(NULL);
    assert_int_equal(dr_run(scene, &options, &summary, NULL), DR_STATUS_OK);
    assert_int_equal(book.observed, 7);
    for (int k = 0; k < 7; k++) {
        assert_true(book.times[k] == k / 200.0);
        assert_int_equal(book.numbers[k], 10 + k / 2);
        assert_int_equal(book.samples[k], k % 2);
    }
    assert_true(summary.complete && !summary.resumed);
    assert_int_equal(summary.frames, 7);
    assert_int_equal(summary.steps, book.steps);
    assert_int_equal(book.frames, 4);
    dr_scene_destroy(scene);
}

static void test_a_run_reaches_the_first_output_not_before_until(void **state)
{
    (void)state;
    static const struct {
        double until;
        int outputs;
    } cases[] = {{0.0, 1}, {1e-9, 2}, {0.005, 2}, {0.0050001, 3}, {0.01, 3}, {0.03, 7}, {0.0301, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        diary book = {0};
        dr_run_options options = listen(&book, NULL);
        options.until = cases[i].until;
        dr_scene *scene = make_scene(NULL);
        assert_int_equal(dr_run(scene, &options, NULL, NULL), DR_STATUS_OK);
        assert_int_equal(book.observed, cases[i].outputs);
        dr_scene_destroy(scene);
    }
}

static void test_pre_roll_is_simulated_and_not_put_out(void **state)
{
    (void)state;
    diary with = {0}, without = {0};
    dr_run_options options = listen(&without, NULL);
    dr_scene *scene = make_scene(NULL);
    assert_int_equal(dr_run(scene, &options, NULL, NULL), DR_STATUS_OK);
    dr_scene_edit(scene)->time.pre_roll = 0.02;
    options = listen(&with, NULL);
    assert_int_equal(dr_run(scene, &options, NULL, NULL), DR_STATUS_OK);
    assert_int_equal(with.observed, without.observed);
    assert_true(with.times[0] == 0.0);
    assert_true(with.steps > without.steps);
    dr_scene_destroy(scene);
}

static void test_stopping_after_any_step_does_not_change_the_state(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    dr_scene *scene = make_scene(NULL);
    diary whole = {0};
    dr_run_options options = listen(&whole, NULL);
    dr_run_summary wanted, summary;
    assert_int_equal(dr_run(scene, &options, &wanted, NULL), DR_STATUS_OK);
    int stops = 0;
    for (dr_status status = DR_STATUS_INTERRUPTED; status != DR_STATUS_OK; stops++) {
        diary book = {.stop_after = 3};
        dr_error error = {0};
        options = listen(&book, root);
        options.resume = true;
        status = dr_run(scene, &options, &summary, &error);
        if (status != DR_STATUS_OK && status != DR_STATUS_INTERRUPTED) fail_msg("%s", error.text);
    }
    assert_true(stops >= whole.steps / 4);
    assert_true(summary.state_hash == wanted.state_hash);
    assert_int_equal(summary.steps, wanted.steps);
    dr_scene_destroy(scene);
}

static void test_absurd_lengths_are_refused(void **state)
{
    (void)state;
    dr_scene *scene = make_scene(NULL);
    diary book = {0};
    dr_run_options options = listen(&book, NULL);
    options.until = INFINITY;
    assert_int_equal(dr_run(scene, &options, NULL, NULL), DR_STATUS_BAD_ARGUMENT);
    options.until = NAN;
    assert_int_equal(dr_run(scene, &options, NULL, NULL), DR_STATUS_BAD_ARGUMENT);
    dr_scene_destroy(scene);
}

// Every request of a run fails once, without and with a folder; nothing may leak, and the folder may be resumed.
static void fail_every_request(const char *folder)
{
    dr_scene *scene = make_scene(NULL);
    dr_scene_edit(scene)->time.frames = 1;
    dr_status status = DR_STATUS_NO_MEMORY;
    for (long n = 1; status != DR_STATUS_OK; n++) {
        scarce scarce;
        diary book = {0};
        dr_error error = {0};
        scarce_open(&scarce, n);
        dr_run_options options = listen(&book, folder);
        options.resume = true;
        options.allocator = &scarce.allocator;
        status = dr_run(scene, &options, NULL, &error);
        if (scarce.out) fail_msg("request %ld: %zu bytes are not given back", n, scarce.out);
        if (scarce.requests < n) assert_int_equal(status, DR_STATUS_OK);
        if (status != DR_STATUS_OK && status != DR_STATUS_NO_MEMORY) fail_msg("request %ld: %s", n, error.text);
        if (n > 5000) fail_msg("it never ends");
    }
    dr_scene_destroy(scene);
}

static void test_memory_that_is_out_is_a_clean_error(void **state)
{
    (void)state;
    fail_every_request(NULL);
}

static void test_memory_that_is_out_leaves_a_folder_that_can_go_on(void **state)
{
    (void)state;
    if (!dr_h5_available()) skip();
    fail_every_request(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_output_times_are_exact_and_numbered),
        cmocka_unit_test(test_a_run_reaches_the_first_output_not_before_until),
        cmocka_unit_test(test_pre_roll_is_simulated_and_not_put_out),
        cmocka_unit_test_setup_teardown(test_stopping_after_any_step_does_not_change_the_state, make_root, drop_root),
        cmocka_unit_test(test_absurd_lengths_are_refused),
        cmocka_unit_test(test_memory_that_is_out_is_a_clean_error),
        cmocka_unit_test_setup_teardown(test_memory_that_is_out_leaves_a_folder_that_can_go_on, make_root, drop_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
