#define _GNU_SOURCE
#include "world_test.h"

// Every call of the C library's allocator by anyone in this process, counted (not under sanitizers, which have their
// own).
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif
#else
#define SANITIZED
#endif

static volatile long library_calls;

#ifndef SANITIZED
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
    __atomic_add_fetch(&library_calls, 1, __ATOMIC_RELAXED);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    __atomic_add_fetch(&library_calls, 1, __ATOMIC_RELAXED);
    return __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    __atomic_add_fetch(&library_calls, 1, __ATOMIC_RELAXED);
    return __libc_realloc(block, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    __atomic_add_fetch(&library_calls, 1, __ATOMIC_RELAXED);
    return __libc_memalign(alignment, bytes);
}
#endif

static const char steady_scene[] =
    "domain: {cell: 0.5, min: [-10, 0, -10], max: [10, 20, 10], y_min: separate}\n"
    "time: {fixed_step: 1 ms}\n"
    "materials: [{name: soft, kind: elastic, density: 1, youngs_modulus: 2e4}]\n"
    "bodies: [{material: soft, shape: {type: sphere, center: [0, 2.6, 0], radius: 2.5}, spin: [0, 5, 0]}]\n"
    "colliders: [{shape: {type: sphere, center: [4, 1, 0], radius: 1}, motion: [{type: sine, amplitude: [1, 0, 0], "
    "frequency: 2 Hz}]}]\n";

static void test_a_steady_step_allocates_nothing(void **unused)
{
    (void)unused;
    for (int threads = 1; threads <= 2; threads++) {
        ledger book = {0};
        dr_allocator allocator = {&book, ledger_resize};
        dr_scene *scene = parse_scene(steady_scene);
        dr_world_options options = {.threads = threads, .allocator = &allocator};
        dr_world *world;
        dr_error error = {0};
        assert_int_equal(dr_world_create(scene, &options, &world, &error), DR_STATUS_OK);
        for (int step = 0; step < 300; step++) assert_int_equal(dr_world_step(world, 10.0, &error), DR_STATUS_OK);
        long ours = book.calls, library = library_calls;
        for (int step = 0; step < 100; step++) assert_int_equal(dr_world_step(world, 10.0, &error), DR_STATUS_OK);
        assert_int_equal(book.calls, ours);
        assert_int_equal(library_calls, library);
        dr_world_destroy(world);
        dr_scene_destroy(scene);
        assert_int_equal(book.live, 0);
    }
}

// Runs everything that allocates with every call from the n-th on failing. True when it got through.
static bool live_through(ledger *book, const char *text, int steps)
{
    dr_allocator allocator = {book, ledger_resize};
    dr_world_options options = {.threads = 1, .allocator = &allocator};
    dr_scene *scene = NULL;
    dr_world *world = NULL;
    dr_error error = {0};
    dr_frame frame;
    dr_status status = dr_scene_parse(text, strlen(text), "test.yaml", &allocator, &scene, &error);
    if (status == DR_STATUS_OK) status = dr_scene_check(scene, &error);
    if (status == DR_STATUS_OK) status = dr_world_create(scene, &options, &world, &error);
    for (int step = 0; step < steps && status == DR_STATUS_OK; step++) status = dr_world_step(world, 1.0, &error);
    if (status == DR_STATUS_OK) status = dr_world_view(world, &frame, &error);
    stored state = {0};
    if (status == DR_STATUS_OK) status = dr_world_save(world, store_array, &state, &error);
    if (status == DR_STATUS_OK) status = dr_world_restore(world, fetch_stored, &state, &error);
    forget_stored(&state);
    assert_true(status == DR_STATUS_OK || status == DR_STATUS_NO_MEMORY);
    if (status != DR_STATUS_OK) assert_non_null(strstr(error.text, "memory"));
    dr_world_destroy(world);
    dr_scene_destroy(scene);
    assert_int_equal(book->live, 0);
    return status == DR_STATUS_OK;
}

static void test_memory_that_ends_at_any_call_is_a_clean_error(void **unused)
{
    (void)unused;
    long n = 1;
    for (;; n++) {
        ledger book = {.fail_at = n};
        if (live_through(&book, BUSY_SCENE, 4)) break;
        assert_true(n < 100000);
    }
    assert_true(n > 20);
}

// Liquid tidies its particles every eighth step; where memory is out that is left undone, so such a step may pass.
static void test_liquid_survives_memory_that_ends_at_any_call(void **unused)
{
    (void)unused;
    static const char scene[] = "domain: {cell: 0.5, min: [0, 0, 0], max: [4, 4, 4], x_min: slip, y_min: sticky}\n"
                                "liquid: {surface_tension: yes}\n"
                                "materials:\n"
                                "  - {name: heavy, kind: liquid, density: 2, viscosity: 50}\n"
                                "  - {name: light, kind: liquid, density: 1, viscosity: 0.01}\n"
                                "bodies:\n"
                                "  - {material: heavy, shape: {type: box, center: [1, 1, 1], size: [2, 2, 2]}}\n"
                                "  - {material: light, shape: {type: box, center: [3, 1, 1], size: [2, 2, 2]}}\n"
                                "colliders: [{shape: {type: sphere, center: [2, 0, 2], radius: 1}}]\n";
    long n = 1;
    for (;; n++) {
        ledger book = {.fail_at = n};
        if (live_through(&book, scene, 3)) break;
        assert_true(n < 100000);
    }
    assert_true(n > 20);
}

static void test_steady_liquid_allocates_nothing(void **unused)
{
    (void)unused;
    ledger book = {0};
    dr_allocator allocator = {&book, ledger_resize};
    dr_scene *scene =
        parse_scene("domain: {cell: 0.5, min: [0, 0, 0], max: [5, 6, 4], x_min: slip, x_max: slip, y_min: slip, z_min: "
                    "slip, z_max: slip}\n"
                    "time: {fixed_step: 2 ms}\n"
                    "bodies: [{material: water, shape: {type: box, center: [2.5, 1.5, 2], size: [5, 3, 4]}}]\n");
    dr_world_options options = {.threads = 2, .allocator = &allocator};
    dr_world *world;
    dr_error error = {0};
    assert_int_equal(dr_world_create(scene, &options, &world, &error), DR_STATUS_OK);
    for (int step = 0; step < 60; step++) assert_int_equal(dr_world_step(world, 10.0, &error), DR_STATUS_OK);
    long ours = book.calls, library = library_calls;
    for (int step = 0; step < 40; step++) assert_int_equal(dr_world_step(world, 10.0, &error), DR_STATUS_OK);
    assert_int_equal(book.calls, ours);
    assert_int_equal(library_calls, library);
    dr_world_destroy(world);
    dr_scene_destroy(scene);
    assert_int_equal(book.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_steady_step_allocates_nothing),
        cmocka_unit_test(test_memory_that_ends_at_any_call_is_a_clean_error),
        cmocka_unit_test(test_liquid_survives_memory_that_ends_at_any_call),
        cmocka_unit_test(test_steady_liquid_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
