// Films in worlds: through the ordinary step, dripping into liquid, saved and restored, the same for any threads.
#include "world_test.h"

#include "film/turn.h"
#include "world/world.h"

#define HEAD                                                                                                           \
    "domain: {cell: 0.1}\n"                                                                                            \
    "time: {frame_rate: 100, frames: 10, max_step: 1 ms}\n"                                                            \
    "materials:\n"                                                                                                     \
    "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e10, radius: 0.005, damping: 1e5}\n"

// A tuft that is shaken; what drips is liquid.
#define SHAKEN                                                                                                         \
    "strands:\n"                                                                                                       \
    "  - {name: tuft, material: fibre, type: tuft, axis: [0, -1, 0], root_radius: 0.3, count: 6, vertices: 14, "       \
    "length: 2, contact: %s, film_height: 0.02, film_drops: liquid, root_motion: [{type: sine, amplitude: [0.3, 0, "   \
    "0], frequency: 8}]}\n"

static double all_liquid(const dr_report *report)
{
    return report->volume_bulk + report->volume_film + report->volume_drained;
}

static dr_world *open_shaken(const char *contact, int threads)
{
    char text[2048];
    snprintf(text, sizeof text, HEAD SHAKEN, contact);
    return open_world(text, threads);
}

static void test_every_drop_is_counted(void **state)
{
    (void)state;
    dr_world *world = open_shaken("none", 1);
    const dr_report *report = dr_world_report(world);
    double start = all_liquid(report);
    advance(world, 0.1);
    assert_true(report->volume_bulk > 0.01 * start && report->volume_film > 0.01 * start);
    assert_true(fabs(all_liquid(report) - start) < 1e-12 * start);
    assert_int_equal(report->emitted, 0);
    dr_world_destroy(world);
}

static void test_restored_films_go_on_with_the_same_bits(void **state)
{
    (void)state;
    dr_world *world = open_shaken("cone", 2), *other = open_shaken("cone", 1);
    advance(world, 0.03);
    pass_state_on(world, other);
    advance(world, 0.05);
    advance(other, 0.05);
    assert_true(dr_world_report(world)->volume_bulk > 0.0);
    assert_int_equal(dr_world_hash(world), dr_world_hash(other));
    dr_world_destroy(world);
    dr_world_destroy(other);
}

static void test_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const contacts[] = {"none", "cone"};
    for (int i = 0; i < 2; i++) {
        uint64_t hash = 0;
        for (int threads = 1; threads <= 3; threads++) {
            dr_world *world = open_shaken(contacts[i], threads);
            advance(world, 0.05);
            assert_true(dr_world_report(world)->volume_bulk > 0.0);
            if (threads > 1) assert_int_equal(dr_world_hash(world), hash);
            hash = dr_world_hash(world);
            dr_world_destroy(world);
        }
    }
}

// Nothing acts but the film.
static void test_a_free_wet_strand_keeps_momentum(void **state)
{
    (void)state;
    dr_world *world = open_world(
        HEAD "gravity: [0, 0, 0]\n"
             "strands: [{material: fibre, type: arc, root_radius: 1, sweep: 120 deg, axis: [0, 0, 1], vertices: 20, "
             "root: free, contact: none, velocity: [30, 0, 0], film_height: 0.03, film_from: 0.3, film_to: 1}]\n",
        1);
    const dr_report *report = dr_world_report(world);
    double start[3], mass = report->mass;
    memcpy(start, report->linear_momentum, sizeof start);
    assert_true(fabs(start[0] - 30.0 * mass) < 1e-12 * mass * 30.0);
    advance(world, 0.05);
    for (int a = 0; a < 3; a++) assert_true(fabs(report->linear_momentum[a] - start[a]) < 1e-11 * 30.0 * mass);
    dr_world_destroy(world);
}

// A free wet strand falls, and its film flows along it. The largest drift of momentum over the magnitudes added.
static double drift_in_fall(double height, bool drips)
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD "strands: [{material: fibre, type: arc, root_radius: 1, sweep: 120 deg, axis: [0, 0, 1], vertices: "
                  "20, root: free, contact: none, velocity: [30, 0, 0], film_height: %g, film_capture: 0, film_drops: "
                  "liquid}]\n",
             height);
    dr_world *world = open_world(text, 1);
    const dr_report *report = dr_world_report(world);
    double start[3], mass = report->mass, most = 0.0;
    memcpy(start, report->linear_momentum, sizeof start);
    for (int k = 1; k <= 20; k++) {
        advance(world, 0.002 * k);
        double fallen = mass * 981.0 * report->time, added = 30.0 * mass + fallen;
        for (int a = 0; a < 3; a++)
            most = fmax(most, fabs(report->linear_momentum[a] - start[a] + (a == 1 ? fallen : 0.0)) / added);
    }
    assert_true(drips == (report->volume_bulk > 0.1 * report->volume_film));
    dr_world_destroy(world);
    return most;
}

// The weight that the film has along edges the strand has not; what drips takes along what the strand loses, to the
// single precision of particles.
static void test_a_wet_strand_falls_with_its_momentum_and_so_do_its_drops(void **state)
{
    (void)state;
    assert_true(drift_in_fall(0.05, false) < 1e-12);
    assert_true(drift_in_fall(0.1, true) < 3e-7);
}

// Drops fly on as fast as the strand that they leave.
static void test_drops_leave_with_the_speed_of_their_strand(void **state)
{
    (void)state;
    dr_world *world =
        open_world(HEAD "strands: [{material: fibre, type: line, end: [2, 0, 0], vertices: 20, root: free, "
                        "contact: none, velocity: [0, 0, 30], film_height: 0.1, film_capture: 0, "
                        "film_drops: liquid}]\n",
                   1);
    advance(world, 0.01);
    const dr_particles *liquid = &world->state.liquid;
    assert_true(liquid->count > 0);
    for (size_t p = 0; p < liquid->count; p++) assert_true(fabsf(liquid->velocity[3 * p + 2] - 30.0f) < 1.0f);
    dr_world_destroy(world);
}

// Each vertex begins with the film that the profile says for it.
static void test_a_profile_wets_vertices(void **state)
{
    (void)state;
    static const double heights[5] = {0.002, 0.002, 0.001, 0.0, 0.004};
    dr_world *world = open_world(
        HEAD "strands: [{material: fibre, type: line, end: [2, 0, 0], vertices: 5, contact: none, film_profile: "
             "[{at: 0.25, height: 20 um}, {at: 0.75, height: 0}, {at: 1, height: 40 um}]}]\n",
        1);
    const dr_frame_part *part = find_part(world, "strands");
    const float *found = floats(part, "film_height");
    for (int v = 0; v < 5; v++) assert_true(fabs((double)found[v] - heights[v]) < 1e-7);
    assert_true(dr_world_report(world)->volume_film > 0.0);
    dr_world_destroy(world);
}

// A strand far away has the same bits whether or not another one drips, and whether or not it could be wet.
static void test_far_strands_do_not_notice(void **state)
{
    (void)state;
    static const char *const others[] = {"", ", film_height: 0.02"};
    uint64_t bits[2][3];
    for (int i = 0; i < 2; i++) {
        char text[2048];
        dr_frame frame;
        snprintf(text, sizeof text,
                 HEAD
                 "strands:\n"
                 "  - {material: fibre, type: line, start: [0, 0, 0], end: [2, 0, 0], vertices: 12, contact: none}\n"
                 "  - {material: fibre, type: line, start: [9, 0, 0], end: [9, -2, 0], vertices: 9, contact: none, "
                 "film_drips: all%s}\n",
                 others[i]);
        dr_world *world = open_world(text, 1);
        for (int k = 0; k < 40; k++) advance(world, 0.001 * (k + 1));
        dr_error error = {0};
        assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
        const float *x = floats(&frame.parts[frame.part_count > 1 ? frame.part_count - 1 : 0], "position");
        for (int p = 0; p < frame.part_count; p++) {
            if (strcmp(frame.parts[p].name, "strands") == 0) x = floats(&frame.parts[p], "position");
        }
        for (int a = 0; a < 3; a++) {
            uint32_t word;
            memcpy(&word, x + 3 * 11 + a, sizeof word);
            bits[i][a] = word;
        }
        assert_true(i == 0 || dr_world_report(world)->volume_film > 0.0);
        dr_world_destroy(world);
    }
    for (int a = 0; a < 3; a++) assert_int_equal(bits[0][a], bits[1][a]);
}

// ---- the dry limit

#define TUFT                                                                                                           \
    "domain: {cell: 0.1}\ntime: {fixed_step: 1 ms}\n"                                                                  \
    "materials: [{name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e10, radius: 0.005, damping: 1e5}]\n"        \
    "strands:\n"                                                                                                       \
    "  - {name: dry, material: fibre, type: tuft, axis: [1, 0.2, 0], root_radius: 0.3, spread: 20 deg, count: 5, "     \
    "vertices: 14, length: 2, contact: %s%s}\n"

// Strands that could have a film and have none, beside others that drip, have the bits of a scene without any film.
static void test_strands_without_film_have_the_bits_of_dry_ones(void **state)
{
    (void)state;
    static const char *const contacts[] = {"none", "cone"};
    for (int i = 0; i < 2; i++) {
        char text[2][2048];
        snprintf(text[0], sizeof text[0], TUFT, contacts[i], ", film_flow: no, film_drips: none");
        snprintf(text[1], sizeof text[1],
                 TUFT "  - {material: fibre, type: line, start: [9, 0, 0], end: [11, 0, 0], vertices: "
                      "9, contact: none, film_height: 0.1, film_drops: drained}\n",
                 contacts[i], "");
        dr_world *dry = open_world(text[0], 1), *beside = open_world(text[1], 1);
        for (int k = 0; k < 20; k++) {
            dr_error error = {0};
            assert_int_equal(dr_world_step(dry, 1.0, &error), DR_STATUS_OK);
            assert_int_equal(dr_world_step(beside, 1.0, &error), DR_STATUS_OK);
        }
        size_t bytes = 3 * dry->state.strands.vertices * sizeof(double);
        assert_true(dry->state.film.vertices == 0 && beside->state.film.vertices > 0);
        assert_true(dr_world_report(beside)->volume_drained > 0.0);
        assert_memory_equal(dry->state.strands.position, beside->state.strands.position, bytes);
        assert_memory_equal(dry->state.strands.velocity, beside->state.strands.velocity, bytes);
        dr_world_destroy(dry);
        dr_world_destroy(beside);
    }
}

// Film without bulk liquid has nothing on the grid: no block is made, no coupling is there.
static void test_film_alone_does_not_touch_the_grid(void **state)
{
    (void)state;
    dr_world *world = open_world(HEAD "strands:\n  - {material: fibre, type: tuft, axis: [0, -1, 0], root_radius: 0.3, "
                                      "count: 6, vertices: 14, length: 2, film_height: 0.02, film_drops: drained, "
                                      "root_motion: [{type: sine, amplitude: [0.3, 0, 0], frequency: 8}]}\n",
                                 1);
    advance(world, 0.05);
    const dr_report *report = dr_world_report(world);
    assert_true(report->volume_film > 0.0 && report->volume_drained > 0.0);
    assert_int_equal(report->blocks, 0);
    assert_int_equal(world->grid.block_count, 0);
    assert_int_equal(report->particles, 0);
    assert_false(world->strand_liquid.active);
    dr_world_destroy(world);
}

// ---- locks

#define LEVEL                                                                                                          \
    "  - {material: thin, type: line, start: [0, %g, %g], end: [3, %g, %g], vertices: 31, tip: clamped, film_height: " \
    "0.0655, film_beads: no, film_drops: drained, contact: %s}\n"

// Hairs side by side, so near that they share one surface; row: of one, with its places across at both ends and model.
static dr_world *open_lock(const char *row, int hairs, const char *model)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "%s%s", HEAD,
                          "  - {name: thin, kind: hair, density: 1.3, youngs_modulus: 1e13, radius: 0.0037, damping: "
                          "1e8}\nstrands:\n");
    for (int k = 0; k < hairs; k++) {
        double a = 0.0078 * (k % 2), b = 0.0078 * (k / 2);
        length += snprintf(text + length, sizeof text - (size_t)length, row, a, b, a, b, model);
    }
    return open_world(text, 1);
}

// Level strands that would keep all of their film alone share one surface as a lock: of four each keeps
// 4^(-1/2) V/(2 4^(1/6) R), eq. (18), the rest drips.
static void test_a_lock_holds_less_than_its_hairs(void **state)
{
    (void)state;
    double r = 0.0037, V = 4.0 * 3.14159265358979 * r * 72.0 / 981.0, R = cbrt(0.75 * V / 3.14159265358979);
    double section = 3.14159265358979 * 0.0655 * (0.0655 + 2.0 * r), kept = 0.5 * V / (2.0 * cbrt(2.0) * R) / section;
    for (int i = 0; i < 4; i++) {
        int hairs = i < 2 ? 4 : 1;
        dr_world *world = open_lock(LEVEL, hairs, i % 2 ? "penalty" : "cone");
        const dr_report *report = dr_world_report(world);
        double start = report->volume_film;
        advance(world, 0.03);
        double left = report->volume_film / start;
        if (hairs == 1) assert_true(left > 1.0 - 1e-12);
        if (hairs == 4 && !(fabs(left / kept - 1.0) < 0.06)) fail_msg("%g is left, not %g", left, kept);
        assert_true(fabs(report->volume_film + report->volume_drained - start) < 1e-12 * start);
        dr_world_destroy(world);
    }
}

#define HANGING                                                                                                        \
    "  - {material: thin, type: line, start: [%g, 0, %g], end: [%g, -1, %g], vertices: 11, film_height: 0.025, "       \
    "film_beads: no, film_drops: drained, contact: %s}\n"

// Tips that share one surface hang on one drop: of four it is twice as large as of one alone, eq. (17).
static void test_tips_of_a_lock_hang_on_one_drop(void **state)
{
    (void)state;
    double alone = 2.0 * 3.14159265358979 * 0.0037 * 72.0 / 981.0;
    for (int i = 0; i < 4; i++) {
        int hairs = i < 2 ? 4 : 1;
        dr_world *world = open_lock(HANGING, hairs, i % 2 ? "penalty" : "cone");
        const dr_report *report = dr_world_report(world);
        double start = report->volume_film;
        for (int k = 1; k < 2000 && !(report->volume_drained > 0.0); k++) advance(world, 5e-4 * k);
        double wanted = hairs == 4 ? 2.0 * alone : alone;
        if (!(fabs(report->volume_drained / wanted - 1.0) < 0.05))
            fail_msg("%d hairs: %g falls, not %g", hairs, report->volume_drained, wanted);
        assert_true(fabs(report->volume_film + report->volume_drained - start) < 1e-12 * start);
        dr_world_destroy(world);
    }
}

// Of strand and film about the strand's own axis, and its film's part.
static double spin_about(const dr_world *world, double *of_film)
{
    const dr_strands *strands = &world->state.strands;
    dr_film_host host = dr_film_stage_host(world, 0);
    dr_film film = dr_film_stage_film(world, &world->state.film, 0);
    double sum = 0.0;
    *of_film = 0.0;
    for (int e = 0; e + 1 < host.count; e++) {
        double inertia = dr_film_turn(&world->constants.strand_kinds[0].law, &host, &film, e, NULL);
        sum += (strands->inertia[e] + inertia) * strands->spin[e];
        *of_film += inertia * strands->spin[e];
    }
    return sum;
}

// A strand that spins about itself is pulled up and down by its root: film that stays behind it and goes on takes its
// spin along. Where it took none, what stays would turn faster or slower.
static void test_film_that_stays_behind_keeps_its_spin(void **state)
{
    (void)state;
    dr_world *world = open_world(
        HEAD "gravity: [0, 0, 0]\n"
             "strands: [{material: fibre, type: line, end: [0, -2, 0], vertices: 21, root: pinned, contact: none, "
             "film_height: 0.02, film_from: 0.4, film_to: 0.7, film_beads: no, root_motion: [{type: sine, amplitude: "
             "[0, 0.5, 0], frequency: 20}]}]\n",
        1);
    for (int e = 0; e < 20; e++) world->state.strands.spin[e] = 50.0 + 10.0 * e;
    double of_film, start = spin_about(world, &of_film);
    assert_true(of_film > 0.5 * start);
    for (int k = 1; k <= 10; k++) {
        advance(world, 5e-3 * k);
        double now = spin_about(world, &of_film);
        if (!(fabs(now - start) < 1e-10 * start)) fail_msg("spin %g of %g", now - start, start);
    }
    dr_world_destroy(world);
}

// ---- nothing explodes

static double stretched(dr_world *world)
{
    dr_frame frame;
    dr_error error = {0};
    double most = 0.0;
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    for (int i = 0; i < frame.part_count; i++) {
        if (strcmp(frame.parts[i].name, "strands") != 0) continue;
        const float *x = floats(&frame.parts[i], "position");
        for (size_t k = 0; k < 3 * frame.parts[i].point_count; k++) most = fmax(most, fabs((double)x[k]));
    }
    return most;
}

// Runs a scene of strands no longer than 2 cm about the origin: finite, in place, nothing lost. Returns the number of
// steps.
static int64_t live_through(const char *text, double time, double reach)
{
    dr_world *world = open_world(text, 1);
    const dr_report *report = dr_world_report(world);
    double start = all_liquid(report);
    for (int k = 1; k <= 10; k++) {
        advance(world, 0.1 * k * time);
        double now = all_liquid(report) - report->volume_emitted;
        assert_true(isfinite(report->energy_kinetic) && isfinite(report->largest_speed));
        if (!(fabs(now - start) <= 1e-12 * fmax(start, all_liquid(report))))
            fail_msg("%.17g of %.17g is left:\n%s", now, start, text);
        if (!(stretched(world) < reach)) fail_msg("strands reach %g cm:\n%s", stretched(world), text);
    }
    int64_t steps = (int64_t)report->step;
    dr_world_destroy(world);
    return steps;
}

// A wet root whipped at 20 m/s, surface tension a thousand times that of water, films from 1e-9 to 1 cm, radii over
// three decades, a viscosity a million times that of water in steps of 10 ms.
static void test_rough_treatment_stays_finite(void **state)
{
    (void)state;
    static const char *const wild[] = {
        "film_height: 0.02, root_motion: [{type: sine, amplitude: [5, 0, 0], frequency: 64}]",
        "film_height: 1e-9 cm",
        "film_height: 1e-6 cm",
        "film_height: 0.5",
        "film_height: 1 cm",
        "film_height: 0.02, film_material: strong",
        "film_height: 0.02, film_material: strong, film_beads: no",
        "film_height: 0.02, film_material: thick",
        "film_height: 0.02, radius: 0.1, taper: 1e-3",
        "film_height: 1e-4, radius: 1e-4",
        "film_height: 0.3, radius: 1e-4",
        "film_height: 0.3, radius: 0.1"};
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD "  - {name: strong, kind: liquid, density: 1, viscosity: 0.01, surface_tension: 72000}\n"
                      "  - {name: thick, kind: liquid, density: 1, viscosity: 1e4, surface_tension: 72}\n"
                      "strands:\n  - {material: fibre, type: line, end: [0, -2, 0], vertices: 12, contact: none, %s}\n",
                 wild[i]);
        live_through(text, 0.02, 20.0);
    }
}

static void test_thick_film_goes_by_long_steps(void **state)
{
    (void)state;
    static const char *const contacts[] = {"none", "cone", "penalty"};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "domain: {cell: 0.1}\ntime: {frame_rate: 20, frames: 10, max_step: 10 ms}\n"
            "materials:\n"
            "  - {name: fibre, kind: hair, density: 1.3, youngs_modulus: 1e10, radius: 0.005, damping: 1e5}\n"
            "  - {name: thick, kind: liquid, density: 1, viscosity: 1e4, surface_tension: 72}\n"
            "strands:\n"
            "  - {material: fibre, type: tuft, axis: [1, 0, 0], root_radius: 0.05, count: 5, vertices: 12, length: "
            "2, contact: %s, film_height: 0.02, film_material: thick}\n",
            contacts[i]);
        live_through(text, 0.3, 3.0);
    }
}

// Hair across a jet that hits it, in steps of a Courant number of 1.24, with capture and drips.
static void test_hair_stands_in_a_jet(void **state)
{
    (void)state;
    live_through("domain: {cell: 0.1}\ntime: {frame_rate: 100, frames: 10, courant: 1.24}\n"
                 "materials: [{name: hair, preset: hair}, {name: water, preset: water}]\n"
                 "emitters: [{name: jet, material: water, shape: {type: sphere, center: [-0.6, 0, 0], radius: 0.2}, "
                 "velocity: [300, 0, 0]}]\n"
                 "strands: [{material: hair, type: mat, center: [0, 0.6, 0], axis: [0, -1, 0], width: 0.2, depth: 0.2, "
                 "count: 9, length: 1.2, vertices: 13, film_capture: 0.02}]\n",
                 0.04, 3.0);
}

// Hair that stands in a solid with a pool around it, without contact, or just inside its surface, with contact, where
// it is brought out; the second is drawn out. They take liquid along. They lie side by side: two that are brought out
// to one and the same line would hook into each other.
static void test_capture_inside_colliders(void **state)
{
    (void)state;
    static const char *const inside[][2] = {{"0.05", "none"}, {"0.18", "cone"}};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "domain: {cell: 0.1, min: [-0.6, -1, -0.6], max: [0.6, unbounded, 0.6], x_min: slip, x_max: slip, "
                 "y_min: slip, z_min: slip, z_max: slip}\ntime: {frame_rate: 100, frames: 10, max_step: 2 ms}\n"
                 "materials: [{name: hair, preset: hair}, {name: water, preset: water}]\n"
                 "bodies: [{name: pool, material: water, shape: {type: box, center: [0, -0.6, 0], size: [1.2, 0.8, "
                 "1.2]}}]\n"
                 "colliders: [{name: post, shape: {type: box, center: [0, -0.6, 0], size: [0.4, 1, 0.4]}}]\n"
                 "strands: [{material: hair, type: line, start: [%s, 0.6, 0], end: [%s, -0.6, 0], vertices: 13, "
                 "contact: %s, film_capture: 0.02}, {material: hair, type: line, start: [0.3, 0.6, 0.05], end: "
                 "[0.15, -0.6, 0.05], vertices: 13, contact: %s, film_height: 0.01, film_capture: 0.02, root_motion: "
                 "[{type: "
                 "keyframes, keys: [{time: 0}, {time: 0.05, translate: [0, 0.8, 0]}]}]}]\n",
                 inside[i][0], inside[i][0], inside[i][1], inside[i][1]);
        assert_true(live_through(text, 0.05, 3.0) < 100);
    }
}

// Drops are no smaller than a quarter of a particle: there are no more of them than that says.
static void test_drips_make_no_more_particles_than_their_volume(void **state)
{
    (void)state;
    dr_world *world = open_shaken("none", 1);
    const dr_report *report = dr_world_report(world);
    double start = all_liquid(report), least = 0.25 * 0.1 * 0.1 * 0.1 / 8.0;
    for (int k = 1; k <= 20; k++) {
        advance(world, 0.005 * k);
        assert_true((double)report->particles <= start / least);
    }
    assert_true(report->particles > 4);
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_drop_is_counted),
        cmocka_unit_test(test_restored_films_go_on_with_the_same_bits),
        cmocka_unit_test(test_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_a_free_wet_strand_keeps_momentum),
        cmocka_unit_test(test_a_wet_strand_falls_with_its_momentum_and_so_do_its_drops),
        cmocka_unit_test(test_drops_leave_with_the_speed_of_their_strand),
        cmocka_unit_test(test_a_profile_wets_vertices),
        cmocka_unit_test(test_far_strands_do_not_notice),
        cmocka_unit_test(test_strands_without_film_have_the_bits_of_dry_ones),
        cmocka_unit_test(test_film_alone_does_not_touch_the_grid),
        cmocka_unit_test(test_a_lock_holds_less_than_its_hairs),
        cmocka_unit_test(test_tips_of_a_lock_hang_on_one_drop),
        cmocka_unit_test(test_film_that_stays_behind_keeps_its_spin),
        cmocka_unit_test(test_rough_treatment_stays_finite),
        cmocka_unit_test(test_thick_film_goes_by_long_steps),
        cmocka_unit_test(test_hair_stands_in_a_jet),
        cmocka_unit_test(test_capture_inside_colliders),
        cmocka_unit_test(test_drips_make_no_more_particles_than_their_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
