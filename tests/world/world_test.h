// What the world's tests share: worlds from scene text, an allocator that counts and fails, states in memory.
#ifndef WORLD_TEST_H
#define WORLD_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "drench/drench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ledger {
    long live, calls, fail_at; // fail_at 0: never; every call from the n-th on fails
} ledger;

static inline void *ledger_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    ledger *book = user;
    if (new_bytes > old_bytes && ++book->calls >= book->fail_at && book->fail_at > 0) return NULL;
    const dr_allocator *standard = dr_allocator_default();
    void *fresh = standard->resize(standard->user, block, old_bytes, new_bytes);
    if (new_bytes == 0 || fresh) book->live += (long)new_bytes - (block ? (long)old_bytes : 0);
    return fresh;
}

static inline dr_scene *parse_scene(const char *text)
{
    dr_scene *scene;
    dr_error error = {0};
    if (dr_scene_parse(text, strlen(text), "test.yaml", NULL, &scene, &error) != DR_STATUS_OK)
        fail_msg("%s", error.text);
    return scene;
}

static inline dr_world *open_world_with(const char *text, int threads, const dr_allocator *allocator)
{
    dr_scene *scene = parse_scene(text);
    dr_world *world;
    dr_error error = {0};
    dr_world_options options = {.threads = threads, .allocator = allocator};
    if (dr_world_create(scene, &options, &world, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    dr_scene_destroy(scene);
    return world;
}

static inline dr_world *open_world(const char *text, int threads)
{
    return open_world_with(text, threads, NULL);
}

// Memory that nobody has written holds no numbers.
static inline void *litter_resize(void *user, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)user;
    const dr_allocator *standard = dr_allocator_default();
    char *fresh = standard->resize(standard->user, block, old_bytes, new_bytes);
    size_t kept = block ? old_bytes : 0;
    if (fresh && new_bytes > kept) memset(fresh + kept, 0xFF, new_bytes - kept);
    return fresh;
}

static inline void advance(dr_world *world, double to_time)
{
    dr_error error = {0};
    if (dr_world_advance(world, to_time, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
}

static inline const dr_frame_part *view(dr_world *world)
{
    static dr_frame frame;
    dr_error error = {0};
    if (dr_world_view(world, &frame, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    return &frame.parts[0];
}

static inline const float *floats(const dr_frame_part *part, const char *name)
{
    const dr_frame_array *array = dr_frame_find(part, name);
    assert_non_null(array);
    return array->data;
}

// A checkpoint in memory.
#define STORED 256
typedef struct stored {
    int count;
    char names[STORED][64];
    dr_frame_array arrays[STORED];
} stored;

static inline dr_status store_array(void *user, const dr_frame_array *array, dr_error *error)
{
    (void)error;
    stored *into = user;
    int i = into->count++;
    assert_in_range(i, 0, STORED - 1);
    size_t bytes = array->count * (size_t)array->components * dr_type_bytes(array->type);
    snprintf(into->names[i], sizeof into->names[i], "%s", array->name);
    into->arrays[i] = *array;
    into->arrays[i].name = into->names[i];
    void *copy = malloc(bytes + 1);
    memcpy(copy, array->data ? array->data : "", array->data ? bytes : 0);
    into->arrays[i].data = copy;
    return DR_STATUS_OK;
}

static inline dr_status fetch_stored(void *user, const char *name, dr_frame_array *array, dr_error *error)
{
    (void)error;
    const stored *from = user;
    for (int i = 0; i < from->count; i++) {
        if (strcmp(from->names[i], name) != 0) continue;
        *array = from->arrays[i];
        return DR_STATUS_OK;
    }
    return DR_STATUS_IO;
}

static inline void forget_stored(stored *from)
{
    for (int i = 0; i < from->count; i++) free((void *)(uintptr_t)from->arrays[i].data);
    from->count = 0;
}

// Makes the state of another world of the same scene that of this one.
static inline void pass_state_on(dr_world *world, dr_world *other)
{
    stored state = {0};
    dr_error error = {0};
    assert_int_equal(dr_world_save(world, store_array, &state, &error), DR_STATUS_OK);
    assert_int_equal(dr_world_restore(other, fetch_stored, &state, &error), DR_STATUS_OK);
    assert_true(dr_world_hash(world) == dr_world_hash(other));
    forget_stored(&state);
}

static inline void take_steps(dr_world *world, int steps)
{
    dr_error error = {0};
    for (int i = 0; i < steps; i++) assert_int_equal(dr_world_step(world, 10.0, &error), DR_STATUS_OK);
}

static inline void check_bits_for_any_threads(const char *text, int steps)
{
    const int threads[] = {1, 2, 3, 4, 8};
    uint64_t reference = 0;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        dr_world *world = open_world(text, threads[i]);
        take_steps(world, steps);
        if (i == 0) reference = dr_world_hash(world);
        assert_true(dr_world_hash(world) == reference);
        dr_world_destroy(world);
    }
}

static inline void check_bits_after_restore(const char *text, int steps_before, int steps_after)
{
    const dr_allocator litter = {.resize = litter_resize};
    dr_world *world = open_world(text, 2), *other = open_world_with(text, 1, &litter);
    take_steps(world, steps_before);
    pass_state_on(world, other);
    take_steps(world, steps_after);
    take_steps(other, steps_after);
    assert_true(dr_world_hash(world) == dr_world_hash(other));
    dr_world_destroy(world);
    dr_world_destroy(other);
}

// Something of everything thin.
#define BUSY_CLOTH(more)                                                                                               \
    "domain: {cell: 0.5, min: [-8, 0, -8], max: [8, 12, 8], y_min: separate, friction: 0.3}\n" more "cloths:\n"        \
    "  - {name: sheet, material: fabric, type: disc, radius: 2, center: [0, 2.2, 0], edge: 0.5, disturb: 0.02}\n"      \
    "  - {name: sleeve, material: fabric, type: tube, radius: 1, depth: 2, center: [0, 5, 0], edge: 0.5, holds: "      \
    "[{name: top, edge: top, motion: [{type: spin, rate: 1 rev/s}]}]}\n"                                               \
    "strands: [{name: rope, material: knit sweater, type: line, start: [-2, 3.5, 0.2], end: [2, 3.5, 0.2], vertices: " \
    "12, contact: grid, root: free}]\n"                                                                                \
    "colliders: [{name: ball, shape: {type: sphere, center: [0.2, 1, 0], radius: 0.9}, friction: 0.4}]\n"

// Two elastic balls, a spinning collider, an emitter, a drain, a wind: something of everything.
#define BUSY_SCENE                                                                                                     \
    "seed: 5\n"                                                                                                        \
    "time: {frame_rate: 24, frames: 10}\n"                                                                             \
    "domain: {cell: 0.5, min: [-8, 0, -8], max: [8, 20, 8], y_min: separate, friction: 0.3, x_min: slip, x_max: "      \
    "slip}\n"                                                                                                          \
    "materials:\n"                                                                                                     \
    "  - {name: soft, kind: elastic, density: 1, youngs_modulus: 2e4, poisson_ratio: 0.3}\n"                           \
    "bodies:\n"                                                                                                        \
    "  - {name: low, material: soft, shape: {type: sphere, center: [0.3, 4, 0], radius: 2}, spin: [0, 0, 9]}\n"        \
    "  - {name: high, material: soft, shape: {type: box, center: [0, 9, 0], size: [3, 3, 3], rounding: 0.5}, "         \
    "velocity: [0, -90, 0]}\n"                                                                                         \
    "emitters:\n"                                                                                                      \
    "  - {name: spout, material: dust, velocity: [60, 0, 0], shape: {type: sphere, center: [-5, 6, 0], radius: "       \
    "0.8}}\n"                                                                                                          \
    "drains:\n"                                                                                                        \
    "  - {name: sink, shape: {type: box, center: [5, 6, 0], size: [2, 8, 8]}}\n"                                       \
    "forces:\n"                                                                                                        \
    "  - {name: breeze, type: wind, velocity: [50, 0, 20], rate: 0.5 Hz}\n"                                            \
    "colliders:\n"                                                                                                     \
    "  - name: bar\n"                                                                                                  \
    "    shape: {type: capsule, center: [0, 1.5, 0], radius: 0.8, height: 6, axis: x}\n"                               \
    "    friction: 0.2\n"                                                                                              \
    "    motion: [{type: spin, axis: [0, 1, 0], rate: 1 rev/s}]\n"

// Of the world as it is; good until the next one is asked for.
static inline const dr_frame_part *find_part(dr_world *world, const char *name)
{
    static dr_frame frame;
    dr_error error = {0};
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    for (int i = 0; i < frame.part_count; i++) {
        if (strcmp(frame.parts[i].name, name) == 0) return &frame.parts[i];
    }
    fail_msg("there is no %s", name);
    return NULL;
}

#endif
