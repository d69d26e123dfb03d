// Forces on solids: what matter loses they get. Budgets of momentum against Newton's third law, weight, lift, drag.
#include "world_test.h"

#define G 981.0

static dr_world *open_loaded(const char *text, int threads, bool loads, const dr_allocator *allocator)
{
    dr_scene *scene = parse_scene(text);
    dr_world *world;
    dr_error error = {0};
    dr_world_options options = {.threads = threads, .loads = loads, .allocator = allocator};
    dr_status status = dr_world_create(scene, &options, &world, &error);
    dr_scene_destroy(scene);
    if (status && !allocator) fail_msg("%s", error.text);
    return world;
}

static dr_load load_of(const dr_world *world, int solid)
{
    dr_load load;
    dr_error error = {0};
    if (dr_world_load(world, solid, NULL, &load, &error)) fail_msg("%s", error.text);
    return load;
}

// Impulses of a run.
typedef struct books {
    double wanted[3];                   // by the matter's momentum: weight times time, less what it gained
    double solid[3], sides[3], rest[3]; // colliders all together
    double mass, seconds;
} books;

static void add_impulses(const dr_world *world, books *books)
{
    double dt = dr_world_report(world)->dt;
    for (int i = DR_LOAD_REST; i < dr_world_collider_count(world); i++) {
        dr_load load = load_of(world, i);
        double *into = i == DR_LOAD_REST ? books->rest : i == DR_LOAD_SIDES ? books->sides : books->solid;
        for (int a = 0; a < 3; a++) into[a] += dt * load.force[a];
    }
}

static books keep_books(const char *text, double until)
{
    dr_world *world = open_loaded(text, 1, true, NULL);
    const dr_report *report = dr_world_report(world);
    books books = {.mass = report->mass, .seconds = until};
    dr_error error = {0};
    for (int a = 0; a < 3; a++) books.wanted[a] = report->linear_momentum[a];
    while (dr_world_time(world) < until) {
        if (dr_world_step(world, until, &error)) fail_msg("%s", error.text);
        add_impulses(world, &books);
    }
    for (int a = 0; a < 3; a++) books.wanted[a] -= report->linear_momentum[a];
    books.wanted[1] -= books.mass * G * until;
    dr_world_destroy(world);
    return books;
}

static void assert_close(const char *what, double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance)) fail_msg("%s: %g is not %g to %g", what, value, wanted, tolerance);
}

// Matter on nodes and strands: to rounding, and to what the last bend of strands in contact leaves of their equations.
static void assert_exact(const char *what, const books *books)
{
    double scale = 3e-4 * books->mass * G * books->seconds;
    for (int a = 0; a < 3; a++) assert_close(what, books->solid[a] + books->sides[a], books->wanted[a], scale);
}

static void test_elastic_matter_gives_what_it_loses(void **unused)
{
    (void)unused;
    books books = keep_books("domain: {cell: 0.5, min: [-2, -50, -50], max: [50, 50, 50], x_min: separate}\n"
                             "bodies: [{material: jelly, velocity: [-20, 0, 0], shape: {type: sphere, center: [0, 2, "
                             "0], radius: 1.5}}]\ncolliders: [{friction: 0.3, boundary: separate, shape: {type: "
                             "half_space, normal: [0.3, 1, 0]}}]\n",
                             0.1);
    assert_exact("jelly", &books);
    assert_true(books.solid[1] < -500.0 && books.sides[0] < -10.0);
}

static void test_strands_give_what_they_lose(void **unused)
{
    (void)unused;
    books books =
        keep_books("domain: {cell: 0.5}\nstrands: [{material: hair, type: tuft, count: 9, length: 3, "
                   "root_radius: 0.5, axis: [1, 0, 0], center: [1, 0, 0], bound_to: head, film_height: 20 um, "
                   "film_material: water}]\ncolliders: [{name: head, shape: {type: sphere, radius: 1}, motion: "
                   "[{type: sine, amplitude: [0, 0, 1], frequency: 2}]}]\n",
                   0.08);
    assert_exact("hair on a head", &books);
    assert_true(fabs(books.solid[1]) > 0.1 * books.mass * G * books.seconds);
    books = keep_books("domain: {cell: 0.5}\nstrands: [{material: hair, type: mat, count: 20, length: 3, width: 1, "
                       "depth: 1, axis: [1, 0.2, 0], center: [0, 0.3, 0], root: free, velocity: [0, 0, 5]}]\n"
                       "colliders: [{friction: 0.4, shape: {type: half_space}}]\n",
                       0.1);
    assert_exact("hair on a floor", &books);
    assert_true(books.solid[2] > 0.0);
}

#define WATER(shape) "bodies: [{material: water, shape: " shape "}]\n"

// Liquid: pressure at the surface of solids by cut cells, to a few percent; what is left is told as the rest.
static void assert_balanced(const char *what, const books *books)
{
    double scale = 1e-3 * books->mass * G * books->seconds;
    for (int a = 0; a < 3; a++)
        assert_close(what, books->solid[a] + books->sides[a] + books->rest[a], books->wanted[a], scale);
}

static void test_a_tank_bears_the_weight_of_its_water(void **unused)
{
    (void)unused;
    dr_world *world = open_loaded(
        "domain: {cell: 0.5}\n" WATER(
            "{type: box, center: [0, 2, 0], size: [6, 4, 6]}") "colliders: [{shape: {type: inside_out, of: [{type: "
                                                               "cylinder, center: [0, 5.13, 0], radius: 2.83, height: "
                                                               "10}]}}]\n",
        1, true, NULL);
    advance(world, 0.05);
    double weight = G * dr_world_report(world)->mass;
    dr_load load = load_of(world, 0), beside;
    dr_error error = {0};
    assert_close("weight", load.force[1], -weight, 0.02 * weight);
    assert_close("across", hypot(load.force[0], load.force[2]), 0.0, 0.005 * weight);
    for (int a = 0; a < 3; a++) assert_close("torque", load.torque[a], 0.0, 0.01 * weight);
    const double about[3] = {-2.0, 0.0, 0.0}; // the weight acts 2 cm beside it
    assert_int_equal(dr_world_load(world, 0, about, &beside, &error), DR_STATUS_OK);
    assert_close("arm", beside.torque[2], 2.0 * load.force[1] + load.torque[2], 1e-9 * weight);
    dr_world_destroy(world);
}

static void test_a_ball_under_water_is_lifted(void **unused)
{
    (void)unused;
    books books = keep_books(
        "domain: {cell: 0.35, min: [-3.5, 0, -3.5], max: [3.5, 10, 3.5], x_min: slip, x_max: slip, "
        "y_min: slip, z_min: slip, z_max: slip}\n" WATER(
            "{type: box, center: [0, 2.8, 0], size: [7, 5.6, 7]}") "colliders: [{shape: {type: "
                                                                   "sphere, center: [0, 2.8, 0], radius: 1}}]\n",
        0.02);
    double lift = 4.18879 * G * books.seconds;
    assert_close("lift", books.solid[1], lift, 0.05 * lift);
    assert_close("bottom", books.sides[1], books.wanted[1] - lift, 0.02 * fabs(books.wanted[1]));
    assert_balanced("pool", &books);
}

static void test_a_drop_that_hits_the_floor_gives_it_its_momentum(void **unused)
{
    (void)unused;
    books books = keep_books(
        "domain: {cell: 0.35}\ntime: {courant: 0.5}\nbodies: [{material: water, velocity: [0, -100, 0], shape: {type: "
        "sphere, center: [0, 2.8, 0], radius: 2}}]\ncolliders: [{shape: {type: half_space}}]\n",
        0.03);
    assert_balanced("drop", &books);
    assert_true(books.wanted[1] < -1500.0);
    assert_close("impact", books.solid[1], books.wanted[1], 0.055 * fabs(books.wanted[1]));
}

// The floor bears the stress of the viscous solve; of velocities that were handed inwards at the surface since it would
// be 2.9 % less.
static void test_honey_drags_the_floor_along(void **unused)
{
    (void)unused;
    books books =
        keep_books("domain: {cell: 0.35}\nbodies: [{material: honey, velocity: [30, 0, 0], shape: {type: box, "
                   "center: [0, 1, 0], size: [5, 2, 5]}}]\ncolliders: [{boundary: sticky, shape: {type: "
                   "half_space}}]\n",
                   0.05);
    assert_balanced("honey", &books);
    assert_true(books.wanted[0] > 500.0);
    assert_close("drag", books.solid[0], books.wanted[0], 0.01 * books.wanted[0]);
}

static const char *const mixed =
    "domain: {cell: 0.5}\nbodies: [{material: honey, velocity: [9, -30, 0], shape: {type: sphere, center: [0, 1.2, 0], "
    "radius: 1.2}}, {material: jelly, velocity: [0, -30, 0], shape: {type: sphere, center: [6, 1.2, 0], radius: 1}}]\n"
    "strands: [{material: hair, type: mat, count: 9, length: 3, width: 1, depth: 1, axis: [1, 0.2, 0], center: [0, "
    "0.6, 5], root: free}]\ncolliders: [{boundary: sticky, shape: {type: half_space}}]\n";

#define BOX                                                                                                            \
    "domain: {cell: 0.5, min: [-3, 0, -3], max: [3, 12, 3], x_min: slip, x_max: slip, y_min: slip, z_min: slip, "      \
    "z_max: slip}\n"

static void test_bodies_beside_liquid_give_what_they_lose(void **unused)
{
    (void)unused;
    books books = keep_books(BOX "bodies: [{material: water, shape: {type: box, center: [0, 1, 0], size: [6, 2, 6]}}, "
                                 "{material: jelly, velocity: [0, -40, 0], shape: {type: box, center: [0, 4, 0], size: "
                                 "[3, 2, 3]}}]\n",
                             0.1);
    double due = books.wanted[1];
    assert_balanced("jelly that falls into water", &books);
    assert_close("floor under jelly in water", books.sides[1], due, 0.05 * fabs(due));
    books = keep_books(BOX "bodies: [{material: water, shape: {type: box, center: [2.5, 0.5, 0], size: [1, 1, 6]}}, "
                           "{material: jelly, shape: {type: box, center: [0, 3, 0], size: [4, 6, 4]}}]\n",
                       0.1);
    due = books.wanted[1];
    assert_balanced("jelly that stands in water", &books);
    assert_close("floor under jelly that stands", books.sides[1], due, 0.08 * fabs(due));
}

static void test_loads_have_the_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    dr_world *one = open_loaded(mixed, 1, true, NULL), *two = open_loaded(mixed, 2, true, NULL);
    dr_world *without = open_loaded(mixed, 1, false, NULL);
    advance(one, 0.02);
    advance(two, 0.02);
    advance(without, 0.02);
    for (int i = DR_LOAD_REST; i < 1; i++) {
        dr_load a = load_of(one, i), b = load_of(two, i);
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_true(load_of(one, 0).force[1] < 0.0);
    assert_int_equal(dr_world_hash(one), dr_world_hash(without));
    dr_world_destroy(one);
    dr_world_destroy(two);
    dr_world_destroy(without);
}

static void test_loads_that_are_not_measured_are_refused(void **unused)
{
    (void)unused;
    dr_load load;
    dr_error error = {0};
    dr_world *with = open_loaded(mixed, 1, true, NULL), *without = open_loaded(mixed, 1, false, NULL);
    assert_int_equal(dr_world_load(without, 0, NULL, &load, &error), DR_STATUS_BAD_ARGUMENT);
    assert_non_null(strstr(error.text, "`loads` is true"));
    assert_int_equal(dr_world_load(with, 1, NULL, &load, &error), DR_STATUS_BAD_ARGUMENT);
    assert_int_equal(dr_world_load(with, -3, NULL, &load, &error), DR_STATUS_BAD_ARGUMENT);
    assert_int_equal(dr_world_load(with, 0, NULL, &load, &error), DR_STATUS_OK);
    assert_true(load.force[1] == 0.0); // no step was made
    dr_world_destroy(with);
    dr_world_destroy(without);
}

static void test_memory_that_runs_out_is_a_clean_error(void **unused)
{
    (void)unused;
    bool done = false;
    for (long calls = 1; !done; calls += 1 + calls / 5) {
        assert_true(calls < 1000000);
        ledger book = {.fail_at = calls};
        const dr_allocator allocator = {&book, ledger_resize};
        dr_error error = {0};
        dr_world *world = open_loaded(mixed, 1, true, &allocator);
        done = world && dr_world_step(world, 0.01, &error) == DR_STATUS_OK;
        dr_world_destroy(world);
        assert_int_equal(book.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elastic_matter_gives_what_it_loses),
        cmocka_unit_test(test_strands_give_what_they_lose),
        cmocka_unit_test(test_a_tank_bears_the_weight_of_its_water),
        cmocka_unit_test(test_a_ball_under_water_is_lifted),
        cmocka_unit_test(test_a_drop_that_hits_the_floor_gives_it_its_momentum),
        cmocka_unit_test(test_honey_drags_the_floor_along),
        cmocka_unit_test(test_bodies_beside_liquid_give_what_they_lose),
        cmocka_unit_test(test_loads_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_loads_that_are_not_measured_are_refused),
        cmocka_unit_test(test_memory_that_runs_out_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
