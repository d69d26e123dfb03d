// Colliders in frames: where their motion puts them, numbered as the scene lists them.
#include "world_test.h"

static const char text[] = "time: {frames: 1}\n"
                           "domain: {cell: 1 cm}\n"
                           "bodies:\n"
                           "  - {material: water, shape: {type: sphere, center: [0, 20, 0], radius: 3}}\n"
                           "colliders:\n"
                           "  - {name: floor, shape: {type: half_space}}\n"
                           "  - name: ball\n"
                           "    shape: {type: sphere, radius: 2}\n"
                           "    motion:\n"
                           "      - type: keyframes\n"
                           "        keys: [{time: 0, ease: linear}, {time: 1, translate: [10, 5, 0]}]\n";

static dr_frame look(dr_world *world)
{
    dr_frame frame = {0};
    dr_error error = {0};
    if (dr_world_view(world, &frame, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    return frame;
}

static const dr_frame_part *find(const dr_frame *frame, const char *name)
{
    for (int i = 0; i < frame->part_count; i++) {
        if (strcmp(frame->parts[i].name, name) == 0) return &frame->parts[i];
    }
    return NULL;
}

// The mean of the corners of the triangles of one collider.
static void middle_of(const dr_frame_part *part, uint32_t body, double middle[3])
{
    const float *x = floats(part, "position");
    const uint32_t *bodies = dr_frame_find(part, "body")->data;
    double count = 0.0;
    middle[0] = middle[1] = middle[2] = 0.0;
    for (size_t t = 0; t < part->element_count; t++) {
        for (size_t c = 0; c < 3 && bodies[t] == body; c++, count++) {
            for (size_t a = 0; a < 3; a++) middle[a] += (double)x[3 * (size_t)part->index[3 * t + c] + a];
        }
    }
    assert_true(count > 0.0);
    for (size_t a = 0; a < 3; a++) middle[a] /= count;
}

static void test_colliders_are_drawn_where_they_move(void **state)
{
    (void)state;
    dr_world *world = open_world(text, 1);
    double middle[3];
    dr_frame frame = look(world);
    const dr_frame_part *part = find(&frame, "colliders");
    assert_non_null(part);
    assert_int_equal(part->kind, DR_FRAME_TRIANGLES);
    assert_int_equal(dr_frame_find(part, "body")->count, part->element_count);
    middle_of(part, 1, middle);
    for (int a = 0; a < 3; a++) assert_true(fabs(middle[a]) < 1e-4);
    advance(world, 0.02);
    frame = look(world);
    middle_of(find(&frame, "colliders"), 1, middle);
    assert_true(fabs(middle[0] - 0.2) < 1e-4 && fabs(middle[1] - 0.1) < 1e-4);
    middle_of(find(&frame, "colliders"), 0, middle);
    assert_true(fabs(middle[1]) < 1e-6);
    dr_world_destroy(world);
}

static void test_a_world_without_colliders_has_no_such_part(void **state)
{
    (void)state;
    dr_world *world = open_world("domain: {cell: 1 cm}\n"
                                 "bodies:\n  - {material: water, shape: {type: sphere, radius: 3}}\n",
                                 1);
    dr_frame frame = look(world);
    assert_null(find(&frame, "colliders"));
    assert_non_null(find(&frame, "liquid"));
    dr_world_destroy(world);
}

static void test_looking_again_takes_no_memory(void **state)
{
    (void)state;
    ledger book = {0};
    dr_allocator allocator = {&book, ledger_resize};
    dr_world_options options = {.threads = 1, .allocator = &allocator};
    dr_scene *scene = parse_scene(text);
    dr_world *world;
    assert_int_equal(dr_world_create(scene, &options, &world, NULL), DR_STATUS_OK);
    dr_scene_destroy(scene);
    look(world);
    long calls = book.calls;
    look(world);
    assert_int_equal(book.calls, calls);
    dr_world_destroy(world);
    assert_int_equal(book.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_colliders_are_drawn_where_they_move),
        cmocka_unit_test(test_a_world_without_colliders_has_no_such_part),
        cmocka_unit_test(test_looking_again_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
