// Contact of strands in the world: scenes, reports, checkpoints.
#include "geom/segment.h"
#include "world_test.h"

#include "world/world.h"

#define HEAD                                                                                                           \
    "domain: {cell: 0.5}\n"                                                                                            \
    "time: {frame_rate: 100, frames: 10, fixed_step: 1 ms}\n"                                                          \
    "materials:\n"                                                                                                     \
    "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e9, radius: 0.02, friction: 0.3}\n"

// Two layers of free strands fall across each other onto a floor.
#define LAYERS                                                                                                         \
    HEAD "colliders: [{shape: {type: half_space}, boundary: separate, friction: 0.3}]\n"                               \
         "strands:\n"                                                                                                  \
         "  - {name: low, material: fibre, type: mat, width: 1, depth: 1, count: 9, vertices: 10, length: 2,"          \
         " rotate: [90 deg, 0, 0], translate: [0, 0.7, -1], root: free}\n"                                             \
         "  - {name: high, material: fibre, type: mat, width: 1, depth: 1, count: 9, vertices: 10, length: 2,"         \
         " rotate: [90 deg, 90 deg, 0], translate: [-1, 1.9, 0], root: free%s}\n"

static dr_world *layers(const char *more, int threads)
{
    char text[2000];
    snprintf(text, sizeof text, LAYERS, more);
    return open_world(text, threads);
}

static float lowest(dr_world *world)
{
    static dr_frame frame;
    dr_error error = {0};
    float least = INFINITY;
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    for (int p = 0; p < frame.part_count; p++) {
        if (strcmp(frame.parts[p].name, "strands") != 0) continue;
        const float *x = floats(&frame.parts[p], "position");
        for (size_t i = 0; i < frame.parts[p].point_count; i++) least = fminf(least, x[3 * i + 1]);
    }
    return least;
}

static void test_strands_lie_on_each_other_and_on_the_floor(void **unused)
{
    (void)unused;
    dr_world *world = layers("", 1);
    advance(world, 0.2);
    const dr_report *report = dr_world_report(world);
    assert_true(report->contacts > 50);
    assert_true(report->stage_seconds[DR_STAGE_CONTACT] > 0.0);
    assert_true(lowest(world) > 0.015f);
    bool told = false;
    for (int i = 0; i < report->solve_count; i++) told = told || strcmp(report->solves[i].name, "contact") == 0;
    assert_true(told);
    dr_world_destroy(world);
}

static void test_the_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    uint64_t hash = 0;
    for (int threads = 1; threads <= 3; threads++) {
        dr_world *world = layers("", threads);
        advance(world, 0.07);
        if (threads == 1) hash = dr_world_hash(world);
        assert_true(dr_world_hash(world) == hash);
        dr_world_destroy(world);
    }
}

static void test_restored_contact_goes_on_with_the_same_bits(void **unused)
{
    (void)unused;
    static const char *const models[] = {", film_height: 0.005", ", contact: cone"};
    for (int i = 0; i < 2; i++) {
        dr_world *world = layers(models[i], 1), *other = layers(models[i], 1);
        advance(world, 0.06);
        assert_true(dr_world_report(world)->contacts > 0);
        pass_state_on(world, other);
        advance(world, 0.08);
        advance(other, 0.08);
        assert_true(dr_world_hash(world) == dr_world_hash(other));
        dr_world_destroy(world);
        dr_world_destroy(other);
    }
}

static void test_a_damaged_checkpoint_is_refused(void **unused)
{
    (void)unused;
    dr_world *world = layers("", 1), *other = layers("", 1);
    stored kept = {0};
    dr_error error = {0};
    advance(world, 0.06);
    assert_int_equal(dr_world_save(world, store_array, &kept, &error), DR_STATUS_OK);
    for (int i = 0; i < kept.count; i++) {
        if (strcmp(kept.names[i], "contacts/who") != 0) continue;
        assert_true(kept.arrays[i].count > 0);
        ((int32_t *)(uintptr_t)kept.arrays[i].data)[2] = 1000000;
    }
    uint64_t before = dr_world_hash(other);
    assert_int_equal(dr_world_restore(other, fetch_stored, &kept, &error), DR_STATUS_IO);
    assert_non_null(strstr(error.text, "contact 0 is none of this scene's strands"));
    assert_true(dr_world_hash(other) == before);
    forget_stored(&kept);
    dr_world_destroy(world);
    dr_world_destroy(other);
}

static void test_strands_of_one_scene_meet_by_one_model(void **unused)
{
    (void)unused;
    char text[2000];
    dr_scene *scene;
    dr_error error = {0};
    snprintf(text, sizeof text, LAYERS, ", contact: penalty");
    scene = parse_scene(text);
    assert_int_not_equal(dr_scene_check(scene, &error), DR_STATUS_OK);
    assert_non_null(strstr(error.text, "strands \"high\": contact differs from that of strands \"low\""));
    dr_scene_destroy(scene);
}

static void test_strands_without_contact_pass_through(void **unused)
{
    (void)unused;
    dr_world *world = layers(", contact: none", 1);
    advance(world, 0.1);
    assert_true(lowest(world) < -0.1f);
    dr_world_destroy(world);
}

// Two strands meet while they fall: a step with contact must not lose a part of what gravity gave them.
static void test_strands_that_meet_in_flight_keep_momentum(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        HEAD "strands:\n"
             "  - {material: fibre, type: line, start: [-1, 0.5, 0], end: [1, 0.5, 0.1], vertices: 9, root: free,"
             " velocity: [0, -20, 3]}\n"
             "  - {material: fibre, type: line, start: [0.1, 0.2, -1], end: [0, 0.2, 1], vertices: 9, root: free}\n",
        1);
    const dr_report *report = dr_world_report(world);
    double start[3], most = 0.0;
    memcpy(start, report->linear_momentum, sizeof start);
    while (report->time < 0.0399) {
        advance(world, report->time + 1e-3);
        most = fmax(most, (double)report->contacts);
        double fall = start[1] - report->mass * 981.0 * report->time;
        assert_true(fabs(report->linear_momentum[1] / fall - 1.0) < 1e-9);
        assert_true(fabs(report->linear_momentum[2] / start[2] - 1.0) < 1e-9);
    }
    assert_true(most > 0.0);
    dr_world_destroy(world);
}

// Distance of two strands that cross and overlap, after one step.
static double push_apart(double distance)
{
    char text[1000];
    static dr_frame frame;
    dr_error error = {0};
    snprintf(text, sizeof text,
             HEAD "gravity: [0, 0, 0]\ncontact: {tolerance: 1e-8, sweeps: 5000}\nstrands:\n"
                  "  - {material: fibre, type: line, start: [-1, 0, 0], end: [1, 0, 0], vertices: 9, root: free}\n"
                  "  - {material: fibre, type: line, start: [0, %g, -1], end: [0, %g, 1], vertices: 9, root: free}\n",
             distance, distance);
    dr_world *world = open_world(text, 1);
    assert_int_equal(dr_world_step(world, 1e-3, &error), DR_STATUS_OK);
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    double apart = NAN;
    for (int p = 0; p < frame.part_count; p++) {
        if (strcmp(frame.parts[p].name, "strands") != 0) continue;
        const float *x = floats(&frame.parts[p], "position");
        apart = (double)x[3 * 13 + 1] - (double)x[3 * 4 + 1];
    }
    dr_world_destroy(world);
    return apart;
}

// docs/theory/contact.md, eq. (4): a fifth of the overlap in a step, a tenth of the touching distance at most.
static void test_strands_that_overlap_are_pushed_apart(void **unused)
{
    (void)unused;
    assert_true(fabs(push_apart(0.032) - (0.032 + 0.2 * 0.008)) < 1e-5);
    assert_true(fabs(push_apart(0.01) - (0.01 + 0.1 * 0.04)) < 1e-5);
}

#define SLOPE "{type: half_space}"
#define RAILS                                                                                                          \
    "{type: union, of: [{type: cylinder, axis: z, center: [0.25, -0.05, 0], radius: 0.05, height: 1}, "                \
    "{type: cylinder, axis: z, center: [0.75, -0.05, 0], radius: 0.05, height: 1}]}"

// A strand of two edges slides down a slope of tangent `steep`, or stays.
static double slide_down(const char *ground, double steep, double strand, double collider)
{
    char text[1000];
    double c = 1.0 / hypot(1.0, steep), s = steep * c;
    snprintf(
        text, sizeof text,
        "domain: {cell: 0.5}\ntime: {fixed_step: 1 ms}\ngravity: [%.17g, %.17g, 0]\nmaterials: [{name: wire, kind: "
        "hair, density: 1.3, youngs_modulus: 1e11, radius: 0.02, friction: %g}]\n"
        "strands: [{material: wire, type: line, start: [0, 0.02, 0], end: [1, 0.02, 0], vertices: 3, root: free}]\n"
        "colliders: [{shape: %s, boundary: separate, friction: %g}]\n",
        981.0 * s, -981.0 * c, strand, ground, collider);
    dr_world *world = open_world(text, 1);
    advance(world, 0.03);
    const dr_report *report = dr_world_report(world);
    double speed = report->linear_momentum[0] / report->mass;
    dr_world_destroy(world);
    return speed / (981.0 * c * 0.03);
}

// docs/theory/contact.md: friction of two materials is the square root of the product of both coefficients. Vertices
// lie on a slope, edges on rails.
static void test_friction_with_a_collider_takes_both_coefficients(void **unused)
{
    (void)unused;
    static const char *const grounds[] = {SLOPE, RAILS};
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(slide_down(grounds[i], 0.5, 0.9, 0.1) - (0.5 - 0.3)) < 0.01);
        assert_true(fabs(slide_down(grounds[i], 0.5, 0.1, 0.9) - (0.5 - 0.3)) < 0.01);
        assert_true(fabs(slide_down(grounds[i], 0.25, 0.9, 0.1)) < 0.001);
        assert_true(fabs(slide_down(grounds[i], 0.5, 0.9, 0.0) - 0.5) < 0.001);
    }
}

static void test_hairs_of_the_penalty_model_rest_on_colliders(void **unused)
{
    (void)unused;
    dr_world *world = open_world(HEAD "colliders: [{shape: {type: half_space}, boundary: separate, friction: 0.3}]\n"
                                      "strands: [{material: fibre, type: line, start: [0, 0.2, 0], end: [1, 0.3, 0], "
                                      "vertices: 8, root: free, contact: penalty}]\n",
                                 1);
    advance(world, 0.1);
    assert_true(lowest(world) > 0.015f && dr_world_report(world)->contacts >= 8);
    dr_world_destroy(world);
}

// Springs and contacts that stick, opening and closing in turns, do not lead each other away.
static void test_wet_yarn_of_the_penalty_model_stands_in_a_sticky_ring(void **unused)
{
    (void)unused;
    dr_world *world = open_world("domain: {cell: 1}\n"
                                 "strands: [{material: yarn, type: tuft, contact: penalty, count: 100, vertices: 20, "
                                 "root_radius: 3.8, length: 9.4, film_height: 0.038}]\n"
                                 "colliders: [{boundary: sticky, shape: {type: torus, center: [-5.6, 3, 1.1], "
                                 "radius: 4.4, tube: 1, axis: x, rotate: [-2 rad, 1 rad, -2 rad]}}]\n",
                                 1);
    dr_error error = {0};
    while (dr_world_report(world)->time < 0.32) {
        double frame = (floor(24.0 * dr_world_report(world)->time + 1e-6) + 1.0) / 24.0;
        assert_int_equal(dr_world_step(world, frame, &error), DR_STATUS_OK);
        const dr_report *report = dr_world_report(world);
        assert_true(report->largest_speed < (report->time < 0.03 ? 60.0 : 2000.0));
    }
    dr_world_destroy(world);
}

// Wet strands hang below others that hold them by the bridge alone.
static void test_a_bridge_carries_a_strand(void **unused)
{
    (void)unused;
    static const char *const films[] = {"0.01", "0"};
    for (int dry = 0; dry < 2; dry++) {
        char text[2000];
        snprintf(text, sizeof text,
                 HEAD "strands:\n"
                      "  - {name: bar, material: fibre, type: line, start: [-1, 0, 0], end: [1, 0, 0], vertices: 11,"
                      " tip: clamped, film_height: %s}\n"
                      "  - {name: load, material: fibre, type: line, start: [-0.9, -0.0402, 0], end: [0.9, -0.0402, 0],"
                      " vertices: 10, root: free, film_height: %s}\n",
                 films[dry], films[dry]);
        dr_world *world = open_world(text, 1);
        advance(world, 0.1);
        float low = lowest(world);
        assert_true(dry ? low < -1.0f : low > -0.1f);
        dr_world_destroy(world);
    }
}

// Hair below a ceiling: its film holds it there, by a bridge to the solid; dry, or where bridges are switched off, it
// falls.
static void test_a_bridge_carries_a_strand_below_a_solid(void **unused)
{
    (void)unused;
    static const char *const models[] = {"cone", "penalty"}, *const films[] = {"0.01", "0", "0.01"};
    for (int i = 0; i < 6; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 HEAD "contact: {bridges: %s}\n"
                      "colliders: [{shape: {type: half_space, normal: [0, -1, 0]}, boundary: separate}]\n"
                      "strands: [{material: fibre, type: line, start: [0, -0.0201, 0], end: [1, -0.0201, 0], vertices: "
                      "8, root: free, contact: %s, film_height: %s, film_drips: none}]\n",
                 i / 2 == 2 ? "no" : "yes", models[i % 2], films[i / 2]);
        dr_world *world = open_world(text, 1);
        advance(world, 0.1);
        float low = lowest(world);
        if (!(i / 2 == 0 ? low > -0.03f : low < -1.0f)) fail_msg("case %d: it is at %g", i, (double)low);
        dr_world_destroy(world);
    }
}

// Two loads on bars of their own, each held by the liquid of its strands: water carries, a liquid without tension
// drops.
static void test_every_kind_of_strand_has_its_own_liquid(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        HEAD "  - {name: slack, kind: liquid, density: 1, surface_tension: 1e-3}\n"
             "strands:\n"
             "  - {name: bar, material: fibre, type: line, start: [-1, 0, 0], end: [1, 0, 0], vertices: 11,"
             " tip: clamped, film_height: 0.01}\n"
             "  - {name: load, material: fibre, type: line, start: [-0.9, -0.0402, 0], end: [0.9, -0.0402, 0],"
             " vertices: 10, root: free, film_height: 0.01}\n"
             "  - {name: bar2, material: fibre, type: line, start: [-1, 9, 5], end: [1, 9, 5], vertices: 11,"
             " tip: clamped, film_height: 0.01, film_material: slack}\n"
             "  - {name: load2, material: fibre, type: line, start: [-0.9, 8.9598, 5], end: [0.9, 8.9598, 5],"
             " vertices: 10, root: free, film_height: 0.01, film_material: slack}\n",
        1);
    advance(world, 0.1);
    dr_frame frame = {0};
    dr_error error = {0};
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    const float *x = NULL;
    for (int i = 0; i < frame.part_count; i++) {
        if (strcmp(frame.parts[i].name, "strands") == 0) x = floats(&frame.parts[i], "position");
    }
    assert_non_null(x);
    float held = 0.0f, dropped = 9.0f;
    for (int v = 0; v < 21; v++) held = fminf(held, x[3 * v + 1]);
    for (int v = 21; v < 42; v++) dropped = fminf(dropped, x[3 * v + 1]);
    assert_true(held > -0.1f);
    assert_true(dropped < 8.0f);
    dr_world_destroy(world);
}

// Strands that touch from the beginning, wet, in both models; every call from the n-th on fails.
static bool live_through(ledger *book, const char *model)
{
    char text[2000];
    dr_allocator allocator = {book, ledger_resize};
    dr_world_options options = {.threads = 1, .allocator = &allocator};
    dr_scene *scene = NULL;
    dr_world *world = NULL;
    dr_error error = {0};
    stored state = {0};
    snprintf(text, sizeof text,
             HEAD
             "contact: {bridge_flow: yes}\n"
             "colliders: [{shape: {type: half_space}, boundary: separate}]\n"
             "strands: [{name: low, material: fibre, type: line, start: [0, 0.02, 0], end: [1, 0.02, 0], vertices: 6, "
             "root: free, film_height: 0.01, contact: %s}, {name: high, material: fibre, type: line, start: [0.5, "
             "0.058, -0.5], end: [0.5, 0.058, 0.5], vertices: 6, root: free, film_height: 0.01, contact: %s}]\n",
             model, model);
    dr_status status = dr_scene_parse(text, strlen(text), "test.yaml", &allocator, &scene, &error);
    if (status == DR_STATUS_OK) status = dr_world_create(scene, &options, &world, &error);
    for (int step = 0; step < 3 && status == DR_STATUS_OK; step++) status = dr_world_step(world, 1.0, &error);
    if (status == DR_STATUS_OK) assert_true(dr_world_report(world)->contacts > 0);
    if (status == DR_STATUS_OK) status = dr_world_save(world, store_array, &state, &error);
    if (status == DR_STATUS_OK) status = dr_world_restore(world, fetch_stored, &state, &error);
    forget_stored(&state);
    assert_true(status == DR_STATUS_OK || status == DR_STATUS_NO_MEMORY);
    dr_world_destroy(world);
    dr_scene_destroy(scene);
    assert_int_equal(book->live, 0);
    return status == DR_STATUS_OK;
}

static void test_memory_that_ends_at_any_call_is_a_clean_error(void **unused)
{
    (void)unused;
    static const char *const models[] = {"cone", "penalty"};
    for (int i = 0; i < 2; i++) {
        long n = 1;
        for (ledger book = {.fail_at = n}; !live_through(&book, models[i]); n++) {
            book = (ledger){.fail_at = n + 1};
            assert_true(n < 100000);
        }
        assert_true(n > 50);
    }
}

// What strands could not do is not tried again at once, and not forgotten until it has been done.
static void test_step_sizes_that_failed_are_remembered(void **unused)
{
    (void)unused;
    dr_world *world = calloc(1, sizeof *world);
    dr_try taken = {.dt = 5e-3};
    int steps = 0;
    dr_timestep_remember(world, &taken, 1e-2);
    assert_true(world->state.step_limit == 5e-3);
    for (; world->state.step_limit < 1e-2 && steps < 100; steps++) {
        double before = world->state.step_limit;
        dr_timestep_remember(world, &taken, 0.0);
        assert_true(world->state.step_limit > before);
    }
    assert_true(steps >= 20 && steps < 40);
    for (int i = 0; i < 10; i++) dr_timestep_remember(world, &taken, 0.0);
    assert_true(world->state.step_limit == 0.0);
    taken.forced = true; // shorter steps did not help: nothing to remember
    dr_timestep_remember(world, &taken, 1e-2);
    assert_true(world->state.step_limit == 0.0);
    free(world);
}

// What was thrown away and what did not converge until then.
static void run_and_count(dr_world *world, double until, int *steps, int *rejected, int *unsolved)
{
    dr_error error = {0};
    *steps = *rejected = *unsolved = 0;
    while (dr_world_report(world)->time < until - 1e-9) {
        if (dr_world_step(world, until, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
        const dr_report *report = dr_world_report(world);
        (*steps)++;
        *rejected += report->rejected;
        for (int i = 0; i < report->solve_count; i++)
            *unsolved +=
                strcmp(report->solves[i].name, "contact") == 0 && report->solves[i].reason != DR_REASON_CONVERGED;
    }
}

// Hairs are swept over a post: edges slide and turn about it, tips whip around it.
static void test_hairs_are_swept_past_a_post(void **unused)
{
    (void)unused;
    int steps, rejected, unsolved;
    dr_world *world = open_world(
        "domain: {cell: 0.5}\n"
        "strands:\n"
        "  - {name: lock, material: hair, type: tuft, count: 16, vertices: 14, length: 8, root_radius: 0.3,"
        " spread: 15 deg, axis: [0, -1, 0], center: [-3, 9, 0], variation: 0.3,"
        " root_motion: [{type: keyframes, keys: [{time: 0, translate: [0, 0, 0]}, {time: 0.3, translate: [10, 0, "
        "0]}]}]}\n"
        "colliders: [{shape: {type: cylinder, axis: z, center: [0, 4, 0], radius: 1, height: 6}, friction: 0.3}]\n",
        1);
    run_and_count(world, 0.3, &steps, &rejected, &unsolved);
    assert_true(20 * rejected <= steps);
    assert_int_equal(unsolved, 0);
    dr_world_destroy(world);
}

// How many pairs of edges that scripts hold overlap.
static int count_overlaps(const dr_strands *strands)
{
    int count = 0;
    for (int s = 0; s < strands->count; s++) {
        for (int other = s + 1; other < strands->count; other++) {
            double x[12];
            memcpy(x, strands->position + 3 * (size_t)strands->first[s], 6 * sizeof *x);
            memcpy(x + 6, strands->position + 3 * (size_t)strands->first[other], 6 * sizeof *x);
            count += dr_segment_closest(x).distance < 2.0 * strands->radius[0];
        }
    }
    return count;
}

// Thick hairs whose roots overlap: what scripts hold cannot be pushed apart, and is not, nor is what follows within a
// tenth of an edge. Pushed there with all their might, hairs were bent so far that no step was short enough.
static void test_roots_that_overlap_are_left(void **unused)
{
    (void)unused;
    dr_world *world = open_world("time: {frame_rate: 100, frames: 4}\n"
                                 "domain: {cell: 0.5}\n"
                                 "strands: [{material: hair, type: tuft, axis: [0, -1, 0], root_radius: 0.2, count: 12,"
                                 " vertices: 8, length: 2, variation: 1, radius: 0.03}]\n",
                                 1);
    assert_true(count_overlaps(&world->state.strands) > 0);
    advance(world, 0.04);
    size_t count;
    const dr_contact *contacts = dr_contact_stage_contacts(world->contact.stage, &count);
    const unsigned char *held = world->state.strands.held;
    for (size_t k = 0; k < count; k++) {
        double free[2] = {0.0, 0.0};
        for (int side = 0; side < 2; side++) {
            const unsigned char *at = held + contacts[k].vertex[side];
            free[side] = (at[0] ? 0.0 : 1.0 - contacts[k].place[side]) + (at[1] ? 0.0 : contacts[k].place[side]);
        }
        if (contacts[k].distance < contacts[k].touching) assert_true(fmax(free[0], free[1]) >= 0.1);
    }
    assert_true(world->state.step == 4); // none was made shorter
    dr_world_destroy(world);
}

// Strands fall across each other into a bowl, each a group of its own: in flight they go by two stages, and every step
// some are met for the first time.
static void test_strands_that_are_met_in_flight_go_by_one_stage(void **unused)
{
    (void)unused;
    char text[20000];
    int at = snprintf(text, sizeof text,
                      HEAD "colliders: [{shape: {type: difference, of: [{type: box, size: [15, 7.5, 15], center: [0, "
                           "-3.75, 0]}, {type: sphere, radius: 5}]}, boundary: separate, friction: 0.3}]\nstrands:\n");
    for (int i = 0; i < 60; i++) {
        double x = 2.1 * (i % 3 - 1), z = 2.1 * (i / 3 % 3 - 1), y = -1.5 + 0.06 * (i / 9), c = cos(2.4 * i),
               s = sin(2.4 * i);
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: s%d, material: fibre, type: line, start: [%g, %g, %g], end: [%g, %g, %g], vertices: "
                       "30, root: free}\n",
                       i, x - c, y, z - s, x + c, y, z + s);
    }
    dr_world *world = open_world(text, 1);
    int rejected = 0;
    for (int k = 1; k <= 120; k++) {
        advance(world, 1e-3 * k);
        rejected += dr_world_report(world)->rejected;
    }
    assert_true(dr_world_report(world)->contacts > 50);
    assert_int_equal(rejected, 0);
    dr_world_destroy(world);
}

// A strand is bent over a post and stays there. Let go of it would spring back far within a step.
static void test_a_bent_strand_at_rest_takes_one_linear_answer(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        HEAD "  - {name: wire, kind: hair, density: 1.3, youngs_modulus: 1e12, radius: 0.02, friction: 0.3}\n"
             "colliders: [{shape: {type: cylinder, axis: z, center: [3, 0.6, 0], radius: 0.5, height: 4}, friction: "
             "0.3}]\n"
             "strands: [{name: s, material: wire, type: line, start: [0, 0, 0], end: [4, 0, 0], vertices: 20, "
             "root_motion: [{type: keyframes, keys: [{time: 0}, {time: 0.1, translate: [0, 1, 0]}, {time: 1, "
             "translate: [0, 1, 0]}]}]}]\n",
        1);
    advance(world, 0.3);
    for (int k = 1; k <= 20; k++) {
        advance(world, 0.3 + 1e-3 * k);
        assert_true(world->contact.outcome.contacts > 0);
        assert_int_equal(world->contact.outcome.bends, 0);
    }
    dr_world_destroy(world);
}

// A hair is pushed against a post and turns by a tenth of a radian in a step. Its lengths are linear in the answer to
// contact: once it is made linear about its new place, what is left is of second order.
static void test_a_strand_that_turns_is_bent_until_the_linear_answer_is_right(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.5}\n"
        "time: {frame_rate: 100, frames: 10, fixed_step: 5 ms}\n"
        "materials: [{name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e9, radius: 0.02, friction: 0.3}]\n"
        "colliders: [{shape: {type: cylinder, axis: z, center: [3, 0.6, 0], radius: 0.5, height: 4}, friction: 0.3}]\n"
        "strands: [{name: s, material: fibre, type: line, start: [0, 0, 0], end: [4, 0, 0], vertices: 20,\n"
        "  root_motion: [{type: keyframes, keys: [{time: 0, ease: linear}, {time: 0.1, translate: [0, 2, 0]}]}]}]\n",
        1);
    int bends = 0, steps = 0;
    for (int k = 1; k <= 20; k++) {
        advance(world, 5e-3 * k);
        steps += world->contact.outcome.contacts > 0;
        bends += world->contact.outcome.bends;
    }
    assert_true(steps > 10);
    assert_true(bends <= steps); // twice as many where also what contact stretches them by must be small
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_sizes_that_failed_are_remembered),
        cmocka_unit_test(test_strands_lie_on_each_other_and_on_the_floor),
        cmocka_unit_test(test_a_bent_strand_at_rest_takes_one_linear_answer),
        cmocka_unit_test(test_a_strand_that_turns_is_bent_until_the_linear_answer_is_right),
        cmocka_unit_test(test_strands_that_are_met_in_flight_go_by_one_stage),
        cmocka_unit_test(test_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_restored_contact_goes_on_with_the_same_bits),
        cmocka_unit_test(test_a_damaged_checkpoint_is_refused),
        cmocka_unit_test(test_strands_of_one_scene_meet_by_one_model),
        cmocka_unit_test(test_strands_without_contact_pass_through),
        cmocka_unit_test(test_strands_that_meet_in_flight_keep_momentum),
        cmocka_unit_test(test_strands_that_overlap_are_pushed_apart),
        cmocka_unit_test(test_friction_with_a_collider_takes_both_coefficients),
        cmocka_unit_test(test_hairs_of_the_penalty_model_rest_on_colliders),
        cmocka_unit_test(test_wet_yarn_of_the_penalty_model_stands_in_a_sticky_ring),
        cmocka_unit_test(test_a_bridge_carries_a_strand),
        cmocka_unit_test(test_a_bridge_carries_a_strand_below_a_solid),
        cmocka_unit_test(test_every_kind_of_strand_has_its_own_liquid),
        cmocka_unit_test(test_hairs_are_swept_past_a_post),
        cmocka_unit_test(test_roots_that_overlap_are_left),
        cmocka_unit_test(test_memory_that_ends_at_any_call_is_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
