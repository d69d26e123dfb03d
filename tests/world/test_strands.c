// Strands in worlds: through the ordinary step, held by scripts and skins, saved, looked over before they move.
#define _POSIX_C_SOURCE 200809L
#include "world_test.h"

#include "world/world.h"

#include <unistd.h>

#define HEAD                                                                                                           \
    "domain: {cell: 0.5}\n"                                                                                            \
    "time: {frame_rate: 100, frames: 10}\n"                                                                            \
    "materials:\n"                                                                                                     \
    "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e10, radius: 0.005, damping: 1e4}\n"

#define TUFT                                                                                                           \
    "  - {name: tuft, material: fibre, type: tuft, axis: [1, 0, 0], root_radius: 0.5, count: 11, vertices: 14, "       \
    "length: 4, curl_radius: 0.1, curl_length: 0.7, variation: 0.4}\n"

static dr_frame frame;

static const dr_frame_part *strands_of(dr_world *world)
{
    dr_error error = {0};
    if (dr_world_view(world, &frame, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
    for (int i = 0; i < frame.part_count; i++) {
        if (strcmp(frame.parts[i].name, "strands") == 0) return &frame.parts[i];
    }
    fail_msg("there are no strands");
    return NULL;
}

static void test_strands_are_seen_as_curves(void **state)
{
    (void)state;
    dr_world *world = open_world(HEAD "strands:\n" TUFT, 1);
    const dr_frame_part *part = strands_of(world);
    assert_int_equal(part->kind, DR_FRAME_CURVES);
    assert_int_equal(part->element_count, 11);
    assert_int_equal(part->point_count, 11 * 14);
    assert_int_equal(part->index[11], 11 * 14);
    assert_true(fabsf(floats(part, "radius")[5] - 0.005f) < 1e-9f);
    assert_non_null(dr_frame_find(part, "film_height"));
    assert_non_null(dr_frame_find(part, "velocity"));
    dr_world_destroy(world);
}

static void test_strands_carry_their_group_and_id(void **state)
{
    (void)state;
    dr_world *world = open_world(HEAD "strands:\n" TUFT "  - {material: fibre, type: line, end: [5, 0, 1]}\n", 1);
    const dr_frame_part *part = strands_of(world);
    const dr_frame_array *group = dr_frame_find(part, "group"), *id = dr_frame_find(part, "id");
    assert_true(group && id && group->type == DR_TYPE_UINT32 && id->type == DR_TYPE_UINT64);
    assert_int_equal(group->count, 12);
    assert_int_equal(id->count, 12);
    for (size_t s = 0; s < 12; s++) {
        assert_int_equal(((const uint32_t *)group->data)[s], s < 11 ? 0 : 1);
        assert_int_equal(((const uint64_t *)id->data)[s], s);
    }
    assert_int_equal(dr_world_report(world)->strands, 12);
    assert_int_equal(dr_world_report(world)->vertices, part->point_count);
    dr_world_destroy(world);
}

// A ring of film around one straight strand: its volume is known, and its mass falls with the strand.
static void test_films_that_are_given_count(void **state)
{
    (void)state;
    dr_world *world = open_world(HEAD "strands: [{material: fibre, type: line, end: [5, 0, 0], root: free, "
                                      "film_height: 0.003, film_material: water}]\n",
                                 1);
    double radius = 0.005, outer = 0.008, film = 5.0 * 3.141592653589793 * (outer * outer - radius * radius);
    double mass = film + 1.3 * 5.0 * 3.141592653589793 * radius * radius;
    const dr_report *report = dr_world_report(world);
    assert_true(fabs(report->volume_film - film) < 1e-9 * film);
    assert_true(fabs(report->volume_total - film) < 1e-9 * film);
    assert_true(fabs(report->mass - mass) < 1e-9 * mass);
    advance(world, 0.02);
    assert_true(fabs(report->volume_film - film) < 1e-9 * film);
    assert_true(fabs(report->linear_momentum[1] + mass * 981.0 * 0.02) < 1e-3 * mass * 981.0 * 0.02);
    dr_world_destroy(world);
}

static void test_restored_strands_go_on_with_the_same_bits(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "strands:\n" TUFT "  - {name: soft, material: fibre, type: line, end: [5, 0, 1], vertices: 9, "
             "yield_strain: 1e-4, root_motion: [{type: spin, rate: 3}]}\n";
    dr_world *world = open_world(text, 2), *other = open_world(text, 1);
    advance(world, 0.03);
    pass_state_on(world, other);
    advance(world, 0.06);
    advance(other, 0.06);
    assert_int_equal(dr_world_hash(world), dr_world_hash(other));
    dr_world_destroy(world);
    dr_world_destroy(other);
}

static void test_strands_and_liquid_run_side_by_side(void **state)
{
    (void)state;
    dr_world *world = open_world(
        HEAD "strands:\n" TUFT "bodies: [{material: water, shape: {type: box, center: [0, 9, 0], size: [4, 4, 4]}}]\n"
             "colliders: [{shape: {type: half_space, point: [0, -9, 0]}}]\n",
        1);
    double mass = dr_world_report(world)->mass;
    advance(world, 0.02);
    assert_true(dr_world_report(world)->mass > 64.0 && fabs(dr_world_report(world)->mass - mass) < 1e-9 * mass);
    strands_of(world);
    assert_int_equal(frame.part_count, 4);
    dr_world_destroy(world);
}

// A stiff straight strand turns with its root as a rigid bar, frames included.
static void test_clamped_roots_carry_strands_around(void **state)
{
    (void)state;
    dr_world *world = open_world("domain: {cell: 0.5}\ngravity: [0, 0, 0]\ntime: {fixed_step: 1 ms}\n"
                                 "materials:\n"
                                 "  - {name: wire, kind: hair, density: 1, youngs_modulus: 1e12, radius: 0.05, "
                                 "damping: 1e7}\n"
                                 "strands:\n  - {material: wire, type: line, start: [1, 0, 0], end: [3, 0, 0], "
                                 "vertices: 8, root_motion: [{type: keyframes, keys: [{time: 0}, "
                                 "{time: 0.2, rotate: [0, 0, 90 deg]}]}]}\n",
                                 1);
    advance(world, 0.4);
    const float *x = floats(strands_of(world), "position");
    for (int i = 0; i < 8; i++) {
        assert_true(fabsf(x[3 * i]) < 1e-3f);
        assert_true(fabsf(x[3 * i + 1] - 1.0f - 2.0f / 7.0f * (float)i) < 1e-3f);
    }
    assert_true(fabsf(x[0]) < 1e-6f && fabsf(x[1] - 1.0f) < 1e-6f);
    dr_world_destroy(world);
}

// Spun by four radians per step about itself, far more than half a turn: the strand winds up by as many turns as that
// makes.
static void test_fast_spins_are_counted(void **state)
{
    (void)state;
    double energy[2];
    for (int k = 0; k < 2; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "domain: {cell: 0.5}\ngravity: [0, 0, 0]\ntime: {fixed_step: %s}\n"
                 "materials: [{name: wire, kind: hair, density: 1, youngs_modulus: 1e9, radius: 0.1, damping: 1e6}]\n"
                 "strands: [{material: wire, type: line, end: [4, 0, 0], vertices: 30, tip: clamped, tip_motion: "
                 "[{type: spin, axis: [1, 0, 0], rate: 20, stop: 0.4 s}]}]\n",
                 k ? "200 ms" : "5 ms");
        dr_world *world = open_world(text, 1);
        advance(world, 2.0);
        energy[k] = dr_world_report(world)->energy_elastic;
        dr_world_destroy(world);
    }
    assert_true(energy[0] > 1.0 && fabs(energy[1] / energy[0] - 1.0) < 1e-3);
}

// A hair that hangs from a pin swings in steps as they are chosen by default. The share of its energy that is lost in a
// period of its first mode, 2 pi / (1.2024 sqrt(g/L)).
static double swing_hair(const char *integrator)
{
    char text[1000];
    snprintf(text, sizeof text,
             "domain: {cell: 0.5}\nstrands: [{material: hair, type: line, start: [0, 0, 0], end: [0.5, -10, 0], "
             "vertices: 24, root: pinned, integrator: %s}]\n",
             integrator);
    dr_world *world = open_world(text, 1);
    const dr_report *report = dr_world_report(world);
    double mass = report->mass, low = -0.5 * mass * 981.0 * hypot(10.0, 0.5), time = 2.0;
    double before = report->energy_potential - low, period = 6.283185307179586 / (1.2024 * sqrt(98.1));
    for (int frame_index = 1; frame_index <= 48; frame_index++) advance(world, frame_index * time / 48.0);
    double after = report->energy_kinetic + report->energy_elastic + report->energy_potential - low;
    dr_world_destroy(world);
    return 1.0 - pow(after / before, period / time);
}

// Angular momentum about the centre of mass, relative to its motion, and the sum of its parts' magnitudes.
static double spin_of(const dr_world *world, double spin[3])
{
    const dr_strands *strands = &world->state.strands;
    dr_rigid_sum sum = {0};
    dr_strands_add_motion(strands, 0, &sum);
    dr_rigid_body body = dr_rigid_body_of(&sum);
    double scale = 0.0;
    dr_vec3_copy(spin, body.angular);
    for (size_t v = 0; v < strands->vertices; v++) {
        double r[3], u[3];
        dr_vec3_sub(r, strands->position + 3 * v, body.centre);
        for (size_t a = 0; a < 3; a++) u[a] = strands->velocity[3 * v + a] - sum.linear[a] / sum.mass;
        scale += strands->mass[v] * dr_vec3_length(r) * dr_vec3_length(u);
    }
    return scale;
}

typedef struct flight {
    const char *rest, *integrator;
    double step, turn[3], drift[3];
} flight;

// A strand wound in space flies and turns, without gravity. The angular momentum that it loses, of its own at the start
// and of the magnitudes that there were; by how much its energy rises in a step, at most.
static void fly(const flight *run, double *lost, double *of_magnitudes, double *gained)
{
    char text[1000];
    snprintf(text, sizeof text,
             "domain: {cell: 0.5}\ngravity: [0, 0, 0]\ntime: {fixed_step: %g s}\n"
             "materials: [{name: wire, kind: hair, density: 1.3, youngs_modulus: 1e9, radius: 0.02}]\n"
             "strands: [{material: wire, type: arc, center: [0, 0, 0], root_radius: 0.5, axis: [0, 1, 2], rise: 0.7, "
             "sweep: 470 deg, vertices: 16, taper: 0.5, root: free, contact: none, rest: %s, integrator: %s}]\n",
             run->step, run->rest, run->integrator);
    dr_world *world = open_world(text, 1);
    dr_strands *strands = &world->state.strands;
    const dr_report *report = dr_world_report(world);
    for (size_t v = 0; v < strands->vertices; v++) {
        double u[3];
        dr_vec3_cross(u, run->turn, strands->position + 3 * v);
        dr_vec3_add(strands->velocity + 3 * v, u, run->drift);
    }
    double first[3], now[3], scale = spin_of(world, first), energy = 0.0, most = 0.0;
    *gained = 0.0;
    for (int k = 0; k < 60; k++) {
        advance(world, run->step * (k + 1));
        scale = fmax(scale, spin_of(world, now));
        dr_vec3_sub(now, now, first);
        most = fmax(most, dr_vec3_length(now));
        double after = report->energy_kinetic + report->energy_elastic;
        if (k > 0) *gained = fmax(*gained, after / energy - 1.0);
        energy = after;
    }
    *lost = most / (dr_vec3_length(first) + 1e-300);
    *of_magnitudes = most / scale;
    dr_world_destroy(world);
}

// rods.md, (48)-(50)
static void test_a_free_strand_keeps_its_angular_momentum(void **state)
{
    (void)state;
    static const flight from_rest[] = {{"straight", "euler", 1e-3, {0}, {0}},
                                       {"straight", "tr_bdf2", 1e-4, {0}, {300, -100, 50}}};
    double lost, of_magnitudes, gained;
    for (size_t k = 0; k < sizeof from_rest / sizeof *from_rest; k++) {
        fly(&from_rest[k], &lost, &of_magnitudes, &gained);
        print_message("springs open: angular momentum %.2g of the magnitudes\n", of_magnitudes);
        assert_true(of_magnitudes < 1e-11);
    }
    static const flight turning[] = {{"drawn", "euler", 8e-3, {0, 22, 0}, {0}},
                                     {"drawn", "tr_bdf2", 8e-3, {0, 22, 0}, {300, -100, 50}}};
    for (size_t k = 0; k < sizeof turning / sizeof *turning; k++) {
        fly(&turning[k], &lost, &of_magnitudes, &gained);
        print_message("turns: loses %.2g of its angular momentum\n", lost);
        assert_true(lost < 0.01);
    }
}

// One that an L-stable step straightens while it turns has less inertia: its energy does not rise for that. (50)
static void test_keeping_angular_momentum_makes_no_energy(void **state)
{
    (void)state;
    static const flight run = {"straight", "euler", 1e-3, {20, -10, 30}, {0}};
    double lost, of_magnitudes, gained;
    fly(&run, &lost, &of_magnitudes, &gained);
    print_message("straightens: loses %.2g of its angular momentum, gains %.2g of its energy in a step\n", lost,
                  gained);
    assert_true(gained < 1e-12);
    assert_true(lost > 1e-3 && lost < 0.25);
}

#define LET_GO                                                                                                         \
    "domain: {cell: 0.5}\ntime: {fixed_step: 1 ms}\n"                                                                  \
    "materials: [{name: wire, kind: hair, density: 1.3, youngs_modulus: 1e10, radius: 0.02}]\n"                        \
    "strands: [{material: wire, type: line, end: [4, 0, 0], vertices: 9, tip: clamped, contact: none, film_height: "   \
    "0.005, film_drips: none, root_until: 20 ms, tip_until: 40 ms}]\n"

// The root, then the tip; from then on the strand falls freely, film and all.
static void test_held_ends_are_let_go_in_time(void **state)
{
    (void)state;
    dr_world *world = open_world(LET_GO, 1);
    const double *x = world->state.strands.position, *tip = x + 3 * 8;
    advance(world, 0.02);
    assert_true(fabs(x[1]) < 1e-30 && fabs(tip[1]) < 1e-30);
    advance(world, 0.04);
    assert_true(x[1] < -0.05 && fabs(tip[1]) < 1e-30);
    double before = dr_world_report(world)->linear_momentum[1], mass = dr_world_report(world)->mass;
    advance(world, 0.06);
    double change = dr_world_report(world)->linear_momentum[1] - before;
    assert_true(tip[1] < -0.05);
    assert_true(fabs(change + mass * 981.0 * 0.02) < 1e-7 * mass * 981.0 * 0.02);
    dr_world_destroy(world);
    check_bits_for_any_threads(LET_GO, 60);
    check_bits_after_restore(LET_GO, 30, 30);
}

// Vertices by number moved by a script, others by a shape bound to a collider; both are let go, the root is not.
#define NAMED                                                                                                          \
    "domain: {cell: 0.5}\ntime: {fixed_step: 1 ms}\n"                                                                  \
    "materials: [{name: wire, kind: hair, density: 1.3, youngs_modulus: 1e9, radius: 0.02}]\n"                         \
    "colliders: [{name: hand, shape: {type: sphere, center: [9, 9, 9], radius: 1}, boundary: separate, motion: "       \
    "[{type: keyframes, keys: [{time: 0}, {time: 20 ms, translate: [0, 0.3, 0], ease: linear}]}]}]\n"                  \
    "strands: [{material: wire, type: mat, center: [0, 0, 0], axis: [1, 0, 0], width: 1, depth: 1, count: 4, length: " \
    "4, vertices: 9, contact: %s, film_height: 0.005, film_drips: none, groups: [{name: middle, vertices: \"5-6, "     \
    "14-15\"}, {name: ends, within: {type: half_space, point: [3.9, 0, 0], normal: [-1, 0, 0]}}], holds: [{group: "    \
    "middle, until: 30 ms, motion: [{type: keyframes, keys: [{time: 0}, {time: 20 ms, translate: [0, 0, 0.2], ease: "  \
    "linear}]}]}, {group: ends, bound_to: hand, until: 40 ms}]}]\n"

static void test_vertices_with_a_name_are_held_and_let_go(void **state)
{
    (void)state;
    static const char *const models[] = {"none", "cone", "penalty"};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        double start[36][3];
        snprintf(text, sizeof text, NAMED, models[i]);
        dr_world *world = open_world(text, 1);
        const double(*x)[3] = (const double(*)[3])world->state.strands.position;
        memcpy(start, x, sizeof start);
        advance(world, 0.02);
        for (size_t v = 0; v < 36; v++) {
            bool middle = v == 4 || v == 5 || v == 13 || v == 14, tip = v % 9 == 8, root = v % 9 < 2;
            double shift[3] = {0.0, tip ? 0.3 : 0.0, middle ? 0.2 : 0.0};
            for (size_t a = 0; a < 3 && (middle || tip || root); a++)
                assert_true(fabs(x[v][a] - start[v][a] - shift[a]) < 1e-12);
        }
        advance(world, 0.035);
        assert_true(fabs(x[4][1] - start[4][1]) > 1e-3 && fabs(x[8][1] - start[8][1] - 0.3) < 1e-12);
        advance(world, 0.1);
        assert_true(x[8][1] < start[8][1] + 0.25 && fabs(x[1][1] - start[1][1]) < 1e-12);
        dr_world_destroy(world);
        check_bits_for_any_threads(text, 45);
        check_bits_after_restore(text, 25, 25);
    }
}

static void test_a_hold_of_strands_without_vertices_is_refused(void **state)
{
    (void)state;
    dr_error error = {0};
    dr_scene *scene = parse_scene(HEAD "strands: [{name: lone, material: fibre, type: line, end: [1, 0, 0], holds: "
                                       "[{name: air, within: {type: sphere, center: [9, 9, 9], radius: 1}}]}]\n");
    assert_int_not_equal(dr_scene_check(scene, &error), DR_STATUS_OK);
    assert_non_null(strstr(error.text, "strands \"lone\": hold \"air\" holds no vertex"));
    dr_scene_destroy(scene);
}

static void test_a_hanging_hair_swings_on(void **state)
{
    (void)state;
    double second = swing_hair("tr_bdf2"), first = swing_hair("euler");
    print_message("a swinging hair loses %.4f of its energy in a period, by backward Euler %.4f\n", second, first);
    assert_true(second < 0.01 && second > -0.001);
    assert_true(first > 0.2);
}

// The state holds all that the next step needs: after one more step the hash differs where any of it was lost.
static void test_accelerations_are_part_of_the_state(void **state)
{
    (void)state;
    static const char *const needed[] = {"strands/acceleration", "strands/spin_rate", "strand_steps/calm"};
    static const char text[] =
        HEAD "strands: [{material: fibre, type: arc, root_radius: 1, rise: 1, vertices: 12, rest: straight}]\n";
    dr_world *world = open_world(text, 1), *other = open_world(text, 1);
    advance(world, 0.03);
    for (int k = 0; k < 3; k++) {
        stored kept = {0};
        dr_error error = {0};
        bool found = false;
        assert_int_equal(dr_world_save(world, store_array, &kept, &error), DR_STATUS_OK);
        for (int i = 0; i < kept.count; i++) {
            if (strcmp(kept.names[i], needed[k]) != 0) continue;
            size_t bytes = kept.arrays[i].type == DR_TYPE_INT32 ? sizeof(int32_t) : sizeof(double);
            memset((void *)(uintptr_t)kept.arrays[i].data, 0,
                   kept.arrays[i].count * (size_t)kept.arrays[i].components * bytes);
            found = true;
        }
        assert_true(found);
        assert_int_equal(dr_world_restore(other, fetch_stored, &kept, &error), DR_STATUS_OK);
        forget_stored(&kept);
        assert_true(dr_world_hash(world) != dr_world_hash(other));
        advance(other, 0.04);
        dr_world *whole = open_world(text, 1);
        pass_state_on(world, whole);
        advance(whole, 0.04);
        assert_true(dr_world_hash(whole) != dr_world_hash(other));
        dr_world_destroy(whole);
    }
    dr_world_destroy(world);
    dr_world_destroy(other);
}

static void test_roots_follow_the_collider_they_are_bound_to(void **state)
{
    (void)state;
    dr_world *world = open_world(HEAD "strands:\n  - {material: fibre, type: ball, root_radius: 1, count: 9, "
                                      "vertices: 6, length: 1, bound_to: head}\n"
                                      "colliders: [{name: head, shape: {type: sphere, radius: 0.95}, motion: "
                                      "[{type: keyframes, keys: [{time: 0}, {time: 0.05, translate: [2, 1, 0]}]}]}]\n",
                                 1);
    advance(world, 0.06);
    const dr_frame_part *part = strands_of(world);
    const float *x = floats(part, "position");
    for (size_t s = 0; s < part->element_count; s++) {
        const float *root = x + 3 * part->index[s];
        double reach = sqrt(pow(root[0] - 2.0, 2) + pow(root[1] - 1.0, 2) + pow(root[2], 2));
        assert_true(fabs(reach - 1.0) < 1e-5);
    }
    dr_world_destroy(world);
}

// The same keys move a collider from where its shape is described and strands from where they are drawn, whether the
// keys are the roots' own, the tips' or those of the collider that roots are bound to: from the first moment on.
static void test_one_motion_moves_colliders_and_strands_alike(void **state)
{
    (void)state;
    static const char *const held[] = {"root_motion: [KEYS]", "bound_to: c",
                                       "root: free, tip: clamped, tip_motion: [KEYS]",
                                       "tip: pinned, root_motion: [KEYS], tip_motion: [KEYS]"};
    static const char keys[] =
        "{type: keyframes, keys: [{time: 0, ease: linear, translate: [-8, 0, 1], rotate: [0, 0, 90 "
        "deg]}, "
        "{time: 1, translate: [8, 0, 1], rotate: [0, 0, 90 deg]}]}";
    for (int k = 0; k < 4; k++) {
        char text[2000], how[1000] = "";
        for (const char *at = held[k]; *at;) {
            bool here = strncmp(at, "KEYS", 4) == 0;
            strncat(how, here ? keys : at, here ? sizeof keys : 1);
            at += here ? 4 : 1;
        }
        snprintf(text, sizeof text,
                 HEAD
                 "strands: [{material: fibre, type: line, start: [0, 5, 0], end: [0, 2, 0], vertices: 10, "
                 "contact: none, %s}]\n"
                 "colliders: [{name: c, shape: {type: box, center: [0, 3.5, 0], size: [1, 1, 1]}, motion: [%s]}]\n",
                 how, keys);
        dr_world *world = open_world(text, 1);
        for (int i = 0; i < 2; i++) {
            double way = -8.0 + 16.0 * 0.02 * i, far = 0.0;
            const float *x = floats(strands_of(world), "position") + (k == 2 ? 27 : 0);
            assert_true(fabs((double)x[0] - (way - (k == 2 ? 2.0 : 5.0))) < 1e-5);
            assert_true(fabs((double)x[1]) < 1e-5 && fabs((double)x[2] - 1.0) < 1e-5);
            for (int p = 0; p < frame.part_count; p++) {
                if (strcmp(frame.parts[p].name, "colliders") != 0) continue;
                const float *corner = floats(&frame.parts[p], "position");
                far = INFINITY;
                for (size_t v = 0; v < frame.parts[p].point_count; v++) far = fmin(far, (double)corner[3 * v]);
            }
            assert_true(fabs(far - (way - 4.0)) < 1e-4);
            advance(world, 0.02);
        }
        dr_world_destroy(world);
    }
}

// ---- files

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/drench_strands_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static dr_status open_in_folder(const char *text, dr_world **world, dr_error *error)
{
    char name[128];
    dr_scene *scene;
    snprintf(name, sizeof name, "%s/scene.yaml", folder);
    dr_status status = dr_scene_parse(text, strlen(text), name, NULL, &scene, error);
    if (status != DR_STATUS_OK) return status;
    dr_world_options options = {.threads = 1};
    status = dr_world_create(scene, &options, world, error);
    dr_scene_destroy(scene);
    return status;
}

// A skin that is stretched sideways and lifted takes the roots along.
static void test_roots_follow_a_deforming_skin(void **state)
{
    (void)state;
    static const char faces[] = "f 1 2 3\nf 1 3 4\nf 5 7 6\nf 5 8 7\nf 1 6 2\nf 1 5 6\nf 2 7 3\nf 2 6 7\nf 3 8 4\n"
                                "f 3 7 8\nf 4 5 1\nf 4 8 5\n";
    char text[1000];
    for (int k = 0; k < 2; k++) {
        double s = k ? 2.0 : 1.0, y = k ? 1.0 : 0.0;
        snprintf(text, sizeof text,
                 "v %g -1 -1\nv %g -1 1\nv %g -1 1\nv %g -1 -1\nv %g %g -1\nv %g %g 1\nv %g %g 1\nv %g %g -1\n%s", -s,
                 -s, s, s, -s, y, -s, y, s, y, s, y, faces);
        write_file(k ? "skin_0002.obj" : "skin_0001.obj", text);
    }
    write_file("skin.obj", text);
    write_file("hair.obj", "v 0.5 0 0.3\nv 0.5 0.2 0.3\nv 0.5 0.4 0.3\nv 0.5 0.6 0.3\nl 1 2 3 4\n");
    dr_world *world;
    dr_error error = {0};
    dr_status status = open_in_folder(
        HEAD "strands: [{material: fibre, type: file, file: hair.obj, bound_to: skin}]\n"
             "colliders: [{name: skin, shape: {type: mesh, file: skin_0001.obj}, motion: [{type: sequence, file: "
             "skin_####.obj, frame_rate: 50}]}]\n",
        &world, &error);
    if (status != DR_STATUS_OK) fail_msg("%s", error.text);
    advance(world, 0.02);
    const float *x = floats(strands_of(world), "position");
    assert_true(fabsf(x[0] - 1.0f) < 1e-4f && fabsf(x[1] - 1.0f) < 1e-4f && fabsf(x[2] - 0.3f) < 1e-4f);
    assert_true(fabsf(x[3] - 1.0f) < 1e-4f && fabsf(x[4] - 1.2f) < 1e-4f);
    dr_world_destroy(world);
    status = open_in_folder( // drawn on the mesh as described, which the sequence has elsewhere from the start
        HEAD "strands: [{material: fibre, type: file, file: hair.obj, bound_to: skin}]\n"
             "colliders: [{name: skin, shape: {type: mesh, file: skin_0001.obj}, motion: [{type: sequence, file: "
             "skin_####.obj, frame_rate: 50, first_frame: 2}, {type: keyframes, keys: [{time: 0, translate: [0, 3, "
             "0]}]}]}]\n",
        &world, &error);
    if (status != DR_STATUS_OK) fail_msg("%s", error.text);
    x = floats(strands_of(world), "position");
    assert_true(fabsf(x[0] - 1.0f) < 1e-4f && fabsf(x[1] - 4.0f) < 1e-4f && fabsf(x[2] - 0.3f) < 1e-4f);
    assert_true(fabsf(x[9] - 1.0f) < 1e-4f && fabsf(x[10] - 4.6f) < 1e-4f);
    dr_world_destroy(world);
}

static void test_points_on_each_other_are_joined_and_told(void **state)
{
    (void)state;
    write_file("twice.obj", "v 0 0 0\nv 1 0 0\nv 1 0 0\nv 2 0 0\nv 2.0000001 0 0\nv 3 0 0\nl 1 2 3 4 5 6\n");
    dr_world *world;
    dr_error error = {0};
    assert_int_equal(open_in_folder(HEAD "strands: [{material: fibre, type: file, file: twice.obj}]\n", &world, &error),
                     DR_STATUS_OK);
    assert_int_equal(strands_of(world)->point_count, 4);
    assert_int_equal(dr_world_step(world, 0.001, &error), DR_STATUS_OK);
    assert_int_equal(dr_world_report(world)->warning_count, 1);
    assert_non_null(strstr(dr_world_report(world)->warnings[0], "2 points were joined"));
    advance(world, 0.01);
    dr_world_destroy(world);
}

static void test_points_keep_their_radius_where_others_are_joined(void **state)
{
    (void)state;
    write_file("thick.ply", "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n"
                            "property float z\nproperty float radius\nproperty int strand\nend_header\n"
                            "0 0 0 0.01 0\n1 0 0 0.02 0\n1 0 0 0.03 0\n2 0 0 0.04 0\n3 0 0 0.05 0\n");
    dr_world *world;
    dr_error error = {0};
    dr_status status = open_in_folder(
        HEAD "strands: [{material: fibre, type: file, file: thick.ply, file_radius: true}]\n", &world, &error);
    if (status != DR_STATUS_OK) fail_msg("%s", error.text);
    const dr_frame_part *part = strands_of(world);
    const float *radius = floats(part, "radius");
    assert_int_equal(part->point_count, 4);
    assert_true(fabsf(radius[1] - 0.02f) < 1e-7f && fabsf(radius[2] - 0.04f) < 1e-7f);
    dr_world_destroy(world);
}

static void test_closed_curves_are_cut_and_told(void **state)
{
    (void)state;
    write_file("rings.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nl 1 2 3 4 1\nl 1 2 3\n");
    dr_world *world;
    dr_error error = {0};
    assert_int_equal(
        open_in_folder(HEAD "strands: [{name: rings, material: fibre, type: file, file: rings.obj}]\n", &world, &error),
        DR_STATUS_OK);
    const dr_frame_part *part = strands_of(world);
    assert_int_equal(part->index[1], 4); // the ring's corners, each once
    assert_int_equal(part->point_count, 7);
    assert_int_equal(dr_world_step(world, 0.001, &error), DR_STATUS_OK);
    assert_int_equal(dr_world_report(world)->warning_count, 1);
    assert_non_null(strstr(dr_world_report(world)->warnings[0], "strands \"rings\": 1 of 2 curves are closed"));
    assert_int_equal(dr_world_step(world, 0.002, &error), DR_STATUS_OK);
    if (dr_world_report(world)->warning_count) fail_msg("%s", dr_world_report(world)->warnings[0]);
    dr_world_destroy(world);
}

static void refuse(const char *text, const char *why)
{
    dr_world *world = NULL;
    dr_error error = {0};
    assert_int_equal(open_in_folder(text, &world, &error), DR_STATUS_BAD_SCENE);
    if (!strstr(error.text, why)) fail_msg("%s", error.text);
    assert_null(world);
}

static void test_strands_without_length_are_refused(void **state)
{
    (void)state;
    write_file("dot.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1.0000000001\nl 1 2 3\n");
    refuse(HEAD "strands: [{name: dot, material: fibre, type: file, file: dot.obj}]\n",
           "strands \"dot\": strand 0 has fewer than three points that differ");
    refuse(HEAD "strands: [{name: wet, material: water, type: line, end: [1, 0, 0]}]\n", "is no hair or yarn");
    refuse(HEAD "strands: [{name: lost, material: fibre, type: line, end: [1, 0, 0], bound_to: head}]\n",
           "there is no collider \"head\"");
}

static void test_strands_inside_a_collider_are_brought_out_or_refused(void **state)
{
    (void)state;
    static const char ball[] = "colliders: [{shape: {type: sphere, radius: 1}}]\n";
    char text[1500];
    snprintf(text, sizeof text, "%s%s",
             HEAD "strands: [{material: fibre, type: line, start: [-3, 0.9, 0], end: [3, 0.9, 0], vertices: 31}]\n",
             ball);
    dr_world *world = open_world(text, 1);
    const dr_frame_part *part = strands_of(world);
    const float *x = floats(part, "position");
    for (size_t i = 0; i < part->point_count; i++)
        assert_true(hypot(hypot(x[3 * i], x[3 * i + 1]), x[3 * i + 2]) > 1.0);
    dr_world_destroy(world);
    snprintf(
        text, sizeof text, "%s%s",
        HEAD
        "strands: [{name: core, material: fibre, type: line, start: [-0.3, 0, 0], end: [0.3, 0, 0], vertices: 9}]\n",
        ball);
    refuse(text, "strands \"core\": strand 0 is wholly inside a collider");
    static const char *const lines[] = {"0.85", "0.9"}; // one above the other: the ball brings both to one line
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 HEAD
                 "strands: [{name: low, material: fibre, type: line, start: [-3, 0.8, 0], end: [3, 0.8, 0], vertices: "
                 "31, root: pinned, tip: pinned}, {name: high, material: fibre, type: line, start: [-3, %s, %g], end: "
                 "[3, %s, %g], "
                 "vertices: 31, root: pinned, tip: pinned}]\ncolliders: [{shape: {type: cylinder, axis: x, radius: 1, "
                 "height: 4}}]\n",
                 lines[i], 0.1 * i, lines[i], 0.1 * i);
        if (i == 0) refuse(text, "strands \"high\": strand 0 was brought out of a collider onto the line of another");
        if (i == 1) dr_world_destroy(open_world(text, 1)); // side by side
    }
}

// A strand that is drawn straight into the floor, one at a slant, and one whose tip is held: what is inside lies along
// the floor, and no edge is longer or shorter than it was drawn.
static void test_strands_drawn_into_a_floor_lie_along_it(void **state)
{
    (void)state;
    static const char *const ends[] = {"end: [0, -2, 0], root: clamped", "end: [1, -2, 0.3], root: free",
                                       "end: [0.1, 2, 0], root: free, tip: pinned"};
    for (int k = 0; k < 3; k++) {
        char text[1500];
        snprintf(text, sizeof text,
                 HEAD "colliders: [{shape: {type: half_space}}]\n"
                      "strands: [{material: fibre, type: line, start: [0, %d, 0], %s, vertices: 13}]\n",
                 k == 2 ? -2 : 2, ends[k]);
        dr_world *world = open_world(text, 1);
        const dr_frame_part *part = strands_of(world);
        const float *x = floats(part, "position");
        double length = (k == 0 ? 4.0 : k == 1 ? sqrt(17.09) : sqrt(16.01)) / 12.0;
        for (size_t i = 0; i < part->point_count; i++) {
            assert_true(x[3 * i + 1] > 0.0F);
            if (i == 0) continue;
            double d[3] = {x[3 * i] - x[3 * i - 3], x[3 * i + 1] - x[3 * i - 2], x[3 * i + 2] - x[3 * i - 1]};
            assert_true(fabs(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - length) < 0.011 * length);
        }
        dr_world_destroy(world);
    }
}

static void test_sag_free_strands_stay_as_drawn(void **state)
{
    (void)state;
    dr_world *world = open_world(
        HEAD "strands: [{material: fibre, type: tuft, axis: [1, 0.3, 0], root_radius: 1, count: 9, vertices: 24, "
             "length: 6, curl_radius: 0.2, curl_length: 1, variation: 0.5, sag_free: yes, contact: none}]\n",
        1);
    const dr_frame_part *part = strands_of(world);
    size_t bytes = 3 * part->point_count * sizeof(float);
    float *before = malloc(bytes);
    memcpy(before, floats(part, "position"), bytes);
    advance(world, 0.1);
    const float *after = floats(strands_of(world), "position");
    for (size_t i = 0; i < bytes / sizeof(float); i++) assert_true(fabsf(after[i] - before[i]) < 1e-5f);
    free(before);
    dr_world_destroy(world);
}

static void test_strands_survive_without_memory(void **state)
{
    (void)state;
    dr_scene *scene = parse_scene(HEAD "strands:\n" TUFT "forces: [{type: uniform, acceleration: [1, 0, 0]}]\n");
    for (long fail_at = 1; fail_at < 200; fail_at++) {
        ledger book = {.fail_at = fail_at};
        dr_allocator scarce = {&book, ledger_resize};
        dr_world_options options = {.threads = 2, .allocator = &scarce};
        dr_world *world;
        dr_error error = {0};
        dr_status status = dr_world_create(scene, &options, &world, &error);
        if (status == DR_STATUS_OK) status = dr_world_step(world, 0.01, &error);
        dr_world_destroy(world);
        assert_int_equal(book.live, 0);
        if (status == DR_STATUS_OK) {
            assert_true(fail_at > 20);
            break;
        }
        assert_int_equal(status, DR_STATUS_NO_MEMORY);
    }
    dr_scene_destroy(scene);
}

static void test_a_steady_step_of_strands_allocates_nothing(void **state)
{
    (void)state;
    ledger book = {0};
    dr_allocator counting = {&book, ledger_resize};
    dr_world_options options = {.threads = 1, .allocator = &counting};
    dr_scene *scene = parse_scene(HEAD "strands:\n" TUFT);
    dr_world *world;
    dr_error error = {0};
    assert_int_equal(dr_world_create(scene, &options, &world, &error), DR_STATUS_OK);
    advance(world, 0.05);
    long calls = book.calls;
    advance(world, 0.08);
    assert_int_equal(book.calls, calls);
    dr_world_destroy(world);
    dr_scene_destroy(scene);
    assert_int_equal(book.live, 0);
}

// A root whipped at 20 m/s through the ordinary step, steps chosen and fixed.
static void test_whipped_strands_neither_explode_nor_stop(void **state)
{
    (void)state;
    static const char *const steps[] = {"fixed_step: 0.1 ms", "fixed_step: 1 ms", "fixed_step: 10 ms",
                                        "max_step: 10 ms"};
    static const char *const moduli[] = {"1e7", "1e10", "1e13"};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            char text[1000];
            snprintf(text, sizeof text,
                     "domain: {cell: 1}\ntime: {%s, frame_rate: 100}\n"
                     "materials: [{name: f, kind: hair, density: 1.3, youngs_modulus: %s, radius: 0.0037}]\n"
                     "strands: [{material: f, type: line, end: [5, 0, 0], vertices: 16, root_motion: "
                     "[{type: sine, amplitude: [0, 25, 0], frequency: 12.732}]}]\n",
                     steps[i], moduli[k]);
            dr_world *world = open_world(text, 1);
            advance(world, i == 0 ? 0.05 : 0.2);
            const dr_frame_part *part = strands_of(world);
            const float *x = floats(part, "position");
            for (size_t v = 0; v < 3 * part->point_count; v++) assert_true(fabsf(x[v]) < 100.0f);
            dr_world_destroy(world);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strands_are_seen_as_curves),
        cmocka_unit_test(test_strands_carry_their_group_and_id),
        cmocka_unit_test(test_films_that_are_given_count),
        cmocka_unit_test(test_restored_strands_go_on_with_the_same_bits),
        cmocka_unit_test(test_strands_and_liquid_run_side_by_side),
        cmocka_unit_test(test_clamped_roots_carry_strands_around),
        cmocka_unit_test(test_fast_spins_are_counted),
        cmocka_unit_test(test_held_ends_are_let_go_in_time),
        cmocka_unit_test(test_vertices_with_a_name_are_held_and_let_go),
        cmocka_unit_test(test_a_hold_of_strands_without_vertices_is_refused),
        cmocka_unit_test(test_a_hanging_hair_swings_on),
        cmocka_unit_test(test_a_free_strand_keeps_its_angular_momentum),
        cmocka_unit_test(test_keeping_angular_momentum_makes_no_energy),
        cmocka_unit_test(test_accelerations_are_part_of_the_state),
        cmocka_unit_test(test_roots_follow_the_collider_they_are_bound_to),
        cmocka_unit_test(test_one_motion_moves_colliders_and_strands_alike),
        cmocka_unit_test(test_roots_follow_a_deforming_skin),
        cmocka_unit_test(test_points_on_each_other_are_joined_and_told),
        cmocka_unit_test(test_points_keep_their_radius_where_others_are_joined),
        cmocka_unit_test(test_closed_curves_are_cut_and_told),
        cmocka_unit_test(test_strands_without_length_are_refused),
        cmocka_unit_test(test_strands_inside_a_collider_are_brought_out_or_refused),
        cmocka_unit_test(test_strands_drawn_into_a_floor_lie_along_it),
        cmocka_unit_test(test_sag_free_strands_stay_as_drawn),
        cmocka_unit_test(test_strands_survive_without_memory),
        cmocka_unit_test(test_a_steady_step_of_strands_allocates_nothing),
        cmocka_unit_test(test_whipped_strands_neither_explode_nor_stop),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
