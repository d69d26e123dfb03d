#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "par/par.h"

#include <float.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void count_visits(void *user, size_t begin, size_t end, int thread)
{
    unsigned char *visits = user;
    assert_true(thread >= 0 && thread < 8);
    for (size_t i = begin; i < end; i++) visits[i]++;
}

static void test_every_item_is_visited_once_for_any_number_of_threads(void **unused)
{
    (void)unused;
    const size_t counts[] = {0, 1, 7, 64, 1000}, grains[] = {0, 1, 3, 64, 5000};
    for (int threads = 1; threads <= 8; threads++) {
        dr_par par = dr_par_open(threads);
        for (size_t c = 0; c < 5; c++) {
            for (size_t g = 0; g < 5; g++) {
                unsigned char visits[1000] = {0};
                dr_par_for(&par, counts[c], grains[g], count_visits, visits);
                for (size_t i = 0; i < 1000; i++) assert_int_equal(visits[i], i < counts[c]);
            }
        }
    }
}

static void note_thread(void *user, size_t begin, size_t end, int thread)
{
    int *threads = user;
    assert_true(end == begin + 1);
    threads[begin] = thread;
}

static void test_no_thread_is_started_for_nothing(void **unused)
{
    (void)unused;
    dr_par par = dr_par_open(8);
    for (int i = 0; i < 200; i++) {
        int threads[2] = {-1, -1};
        dr_par_for(&par, 2, 1, note_thread, threads);
        for (int k = 0; k < 2; k++) assert_true(threads[k] >= 0 && threads[k] < 2);
    }
}

typedef struct late_job {
    atomic_int pieces, holding;
} late_job;

// Whoever besides the caller joins is kept at its piece until all others are done.
static void hold_up(void *user, size_t begin, size_t end, int thread)
{
    late_job *job = user;
    (void)begin;
    (void)end;
    if (thread > 0) atomic_fetch_add(&job->holding, 1);
    while (thread > 0 && atomic_load(&job->pieces) + atomic_load(&job->holding) < 1000) sched_yield();
    atomic_fetch_add(&job->pieces, 1);
    if (thread > 0) atomic_fetch_sub(&job->holding, 1);
}

static void test_others_do_what_a_thread_that_is_held_up_leaves(void **unused)
{
    (void)unused;
    for (int threads = 2; threads <= 4; threads++) {
        dr_par par = dr_par_open(threads);
        late_job job = {0, 0};
        dr_par_for(&par, 1000, 1, hold_up, &job);
        assert_int_equal(atomic_load(&job.pieces), 1000);
    }
}

typedef struct paired_job {
    atomic_bool begun[4];
    int thread[4];
} paired_job;

// Pieces of one half wait for those of the other, so that no thread can do both halves.
static void run_paired(void *user, size_t begin, size_t end, int thread)
{
    paired_job *job = user;
    (void)end;
    job->thread[begin] = thread;
    atomic_store(&job->begun[begin], true);
    for (int i = 0; i < 1000000 && !atomic_load(&job->begun[(begin + 2) % 4]); i++) sched_yield();
}

static void test_a_thread_does_pieces_that_lie_together(void **unused)
{
    (void)unused;
    dr_par par = dr_par_open(2);
    for (int i = 0; i < 100; i++) {
        paired_job job = {.thread = {-1, -1, -1, -1}};
        dr_par_for(&par, 4, 1, run_paired, &job);
        assert_int_equal(job.thread[0], 0);
        assert_int_equal(job.thread[1], 0);
        assert_int_equal(job.thread[2], 1);
        assert_int_equal(job.thread[3], 1);
    }
}

static void count_inner(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    for (size_t i = begin; i < end; i++) atomic_fetch_add((atomic_int *)user, 1);
}

static void nest(void *user, size_t begin, size_t end, int thread)
{
    const dr_par four = dr_par_open(4);
    (void)thread;
    for (size_t i = begin; i < end; i++) dr_par_for(&four, 10, 1, count_inner, user);
}

static void test_a_loop_in_a_loop_is_run_by_who_calls(void **unused)
{
    (void)unused;
    const dr_par four = dr_par_open(4);
    atomic_int sum = 0;
    dr_par_for(&four, 100, 1, nest, &sum);
    assert_int_equal(atomic_load(&sum), 1000);
}

static void *call_loops(void *user)
{
    const dr_par three = dr_par_open(3);
    for (int i = 0; i < 200; i++) dr_par_for(&three, 50, 1, count_inner, user);
    return NULL;
}

static void test_several_may_call_at_once(void **unused)
{
    (void)unused;
    pthread_t caller[4];
    atomic_int sum = 0;
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&caller[i], NULL, call_loops, &sum), 0);
    for (int i = 0; i < 4; i++) pthread_join(caller[i], NULL);
    assert_int_equal(atomic_load(&sum), 4 * 200 * 50);
}

static void test_the_sum_has_a_fixed_shape_and_small_error(void **unused)
{
    (void)unused;
    assert_true(dr_par_sum(NULL, 0) == 0.0);
    for (size_t count = 1; count < 70; count++) {
        double values[70];
        for (size_t i = 0; i < count; i++) values[i] = (double)(i + 1);
        assert_true(dr_par_sum(values, count) == (double)(count * (count + 1) / 2));
    }
}

// To the last bit, of values whose sum rounds.
static void test_the_total_is_the_sum_for_any_number_of_threads(void **unused)
{
    (void)unused;
    static double values[5000], copy[5000];
    const size_t counts[] = {0, 1, 2, 1023, 1024, 1025, 2049, 3071, 4096, 4999};
    for (int threads = 1; threads <= 3; threads++) {
        dr_par par = dr_par_open(threads);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            for (size_t i = 0; i < counts[c]; i++) values[i] = 1.0 / (3.0 * (double)i + (i % 7 ? 1.0 : -0.1));
            memcpy(copy, values, sizeof copy);
            assert_true(dr_par_total(&par, values, counts[c]) == dr_par_sum(copy, counts[c]));
        }
    }
}

static void test_memory_is_cleared_and_copied_whole(void **unused)
{
    (void)unused;
    enum { BYTES = 200001 };
    dr_par par = dr_par_open(2);
    char *from = malloc(BYTES), *to = malloc(BYTES);
    for (size_t i = 0; i < BYTES; i++) from[i] = (char)(i % 251 + 1);
    dr_par_copy(&par, to, from, BYTES);
    assert_memory_equal(to, from, BYTES);
    dr_par_clear(&par, to, BYTES - 1);
    for (size_t i = 0; i + 1 < BYTES; i++) assert_int_equal(to[i], 0);
    assert_int_equal(to[BYTES - 1], from[BYTES - 1]);
    free(from);
    free(to);
}

static void halve_tiny(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    volatile float *tiny = user;
    for (size_t i = begin; i < end; i++) tiny[i] *= 0.5F;
}

// In loops, and in them alone.
static void test_what_is_too_small_for_its_digits_is_nought(void **unused)
{
    (void)unused;
#if defined(__SSE2__)
    for (int threads = 1; threads <= 2; threads++) {
        dr_par par = dr_par_open(threads);
        float tiny[64];
        for (size_t i = 0; i < 64; i++) tiny[i] = i % 2 ? FLT_MIN : 4.0F * FLT_MIN;
        dr_par_for(&par, 64, 4, halve_tiny, tiny);
        for (size_t i = 0; i < 64; i++) assert_true(tiny[i] == (i % 2 ? 0.0F : 2.0F * FLT_MIN));
        halve_tiny(tiny, 0, 1, 0);
        halve_tiny(tiny, 0, 1, 0);
        assert_true(tiny[0] == 0.5F * FLT_MIN);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_item_is_visited_once_for_any_number_of_threads),
        cmocka_unit_test(test_what_is_too_small_for_its_digits_is_nought),
        cmocka_unit_test(test_no_thread_is_started_for_nothing),
        cmocka_unit_test(test_others_do_what_a_thread_that_is_held_up_leaves),
        cmocka_unit_test(test_a_thread_does_pieces_that_lie_together),
        cmocka_unit_test(test_a_loop_in_a_loop_is_run_by_who_calls),
        cmocka_unit_test(test_several_may_call_at_once),
        cmocka_unit_test(test_the_sum_has_a_fixed_shape_and_small_error),
        cmocka_unit_test(test_the_total_is_the_sum_for_any_number_of_threads),
        cmocka_unit_test(test_memory_is_cleared_and_copied_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
