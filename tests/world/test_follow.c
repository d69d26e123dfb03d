// A grid that moves along with a collider. docs/theory/domain.md, "A grid that moves".
#include "world_test.h"

// A box with water, hair that hangs into it from its lid, a block of jelly and a sheet, all of them carried along.
#define CARRIED(motion, velocity, follows)                                                                             \
    "gravity: [0, -981, 0]\ndomain: {cell: 0.25" follows "}\ntime: {fixed_step: 1 ms}\n"                               \
    "materials: [{name: water, kind: liquid, density: 1, viscosity: 0.01},\n"                                          \
    "  {name: jelly, kind: elastic, density: 0.5, youngs_modulus: 1e4, poisson_ratio: 0.3}]\n"                         \
    "bodies: [{name: pool, material: water, velocity: " velocity ", shape: {type: box, center: [0, 0.6, 0], "          \
    "size: [4, 1.2, 2]}}, {name: block, material: jelly, velocity: " velocity ", shape: {type: box, "                  \
    "center: [1.2, 1.8, 0], size: [0.8, 0.8, 0.8]}}]\n"                                                                \
    "strands: [{name: hair, material: hair, type: line, start: [-1.2, 3.4, 0.1], end: [-1.2, 0.8, 0.1], "              \
    "vertices: 14, bound_to: box, velocity: " velocity ", film_height: 0.005, film_material: water}]\n"                \
    "cloths: [{name: sheet, material: fabric, type: rectangle, width: 0.8, depth: 0.8, center: [0, 2, 0], edge: 0.2, " \
    "velocity: " velocity "}]\n"                                                                                       \
    "colliders: [{name: box, boundary: slip, shape: {type: inside_out, of: [{type: box, center: [0, 1.75, 0], "        \
    "size: [4, 3.5, 2]}]}" motion "}]\n"

#define STILL CARRIED("", "[0, 0, 0]", "")
#define MOVING(follows)                                                                                                \
    CARRIED(", motion: [{type: keyframes, keys: [{time: 0, ease: linear}, {time: 1, translate: [60, 0, 25]}]}]",       \
            "[60, 0, 25]", follows)

enum { STEPS = 16 };

static dr_frame run(dr_world *world, int steps)
{
    dr_error error = {0};
    dr_frame frame;
    for (int i = 0; i < steps; i++) {
        if (dr_world_step(world, 1.0, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    }
    if (dr_world_view(world, &frame, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    return frame;
}

typedef struct named {
    uint64_t name;
    size_t at;
} named;

static int by_name(const void *a, const void *b)
{
    const named *one = a, *other = b;
    if (one->name != other->name) return one->name < other->name ? -1 : 1;
    return one->at < other->at ? -1 : one->at > other->at;
}

// A part's points in the order of what they are called; as they are where they have no name.
static named *order_of(const dr_frame_part *part, size_t count)
{
    const dr_frame_array *id = dr_frame_find(part, "id");
    named *order = malloc((count + 1) * sizeof *order);
    if (id && (id->type != DR_TYPE_UINT64 || id->count != count)) id = NULL;
    for (size_t i = 0; i < count; i++) order[i] = (named){id ? ((const uint64_t *)id->data)[i] : i, i};
    qsort(order, count, sizeof *order, by_name);
    return order;
}

// The largest distance of two worlds' points, the second of them carried along.
static double apart(const dr_frame *still, const dr_frame *moving, size_t *points)
{
    const double velocity[3] = {60.0, 0.0, 25.0};
    double most = 0.0;
    *points = 0;
    assert_int_equal(still->part_count, moving->part_count);
    for (int part = 0; part < still->part_count; part++) {
        const dr_frame_array *a = dr_frame_find(&still->parts[part], "position");
        const dr_frame_array *b = dr_frame_find(&moving->parts[part], "position");
        if (!a || strcmp(still->parts[part].name, "colliders") == 0) continue;
        assert_int_equal(a->count, b->count);
        named *first = order_of(&still->parts[part], a->count), *second = order_of(&moving->parts[part], b->count);
        for (size_t i = 0; i < 3 * a->count; i++) {
            double x = (double)((const float *)a->data)[3 * first[i / 3].at + i % 3];
            double y = (double)((const float *)b->data)[3 * second[i / 3].at + i % 3];
            most = fmax(most, fabs(y - moving->time * velocity[i % 3] - x));
        }
        *points += a->count;
        free(first);
        free(second);
    }
    return most;
}

static void test_what_is_carried_moves_as_what_stands(void **unused)
{
    (void)unused;
    size_t points;
    dr_world *still = open_world(STILL, 2), *along = open_world(MOVING(", follows: box"), 2);
    dr_world *over = open_world(MOVING(""), 2);
    dr_frame a = run(still, STEPS), b = run(along, STEPS), c = run(over, STEPS);
    double with = apart(&a, &b, &points), without = apart(&a, &c, &points);
    assert_true(points > 1000);
    assert_true(with < 1e-4);
    assert_true(without > 0.01); // so that the bound says something
    dr_world_destroy(still);
    dr_world_destroy(along);
    dr_world_destroy(over);
}

static void test_restored_grids_move_on_with_the_same_bits(void **unused)
{
    (void)unused;
    check_bits_after_restore(MOVING(", follows: box"), 4, 4);
}

static void refuse(const char *text, const char *word)
{
    dr_scene *scene = parse_scene(text);
    dr_world *world;
    dr_error error = {0};
    assert_int_not_equal(dr_world_create(scene, &(dr_world_options){.threads = 1}, &world, &error), DR_STATUS_OK);
    assert_non_null(strstr(error.text, word));
    assert_non_null(strstr(error.text, "test.yaml:"));
    dr_scene_destroy(scene);
}

static void test_what_cannot_be_followed_is_refused(void **unused)
{
    (void)unused;
    refuse(MOVING(", follows: glass"), "no such collider");
    refuse(MOVING(", follows: box, min: [unbounded, 0, unbounded], y_min: slip"), "stand still");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_carried_moves_as_what_stands),
        cmocka_unit_test(test_restored_grids_move_on_with_the_same_bits),
        cmocka_unit_test(test_what_cannot_be_followed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
