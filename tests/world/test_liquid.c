#include "world_test.h"

#include <float.h>

#define TANK                                                                                                           \
    "domain: {cell: 0.5, min: [0, 0, 0], max: [8, 12, 4], x_min: slip, x_max: slip, y_min: slip, z_min: slip, z_max: " \
    "slip}\n"

#define SPLASH                                                                                                         \
    TANK "bodies:\n"                                                                                                   \
         "  - {name: pool, material: water, shape: {type: box, center: [4, 1, 2], size: [8, 2, 4]}}\n"                 \
         "  - {name: column, material: water, shape: {type: box, center: [1.5, 4, 2], size: [3, 4, 4]}}\n"             \
         "emitters: [{name: tap, material: water, velocity: [0, -80, 0], volume_limit: 4,\n"                           \
         "            shape: {type: sphere, center: [6, 8, 2], radius: 0.8}}]\n"                                       \
         "colliders: [{shape: {type: sphere, center: [5, 1, 2], radius: 1}, motion: [{type: sine, amplitude: [1, 0, "  \
         "0], frequency: 1 Hz}]}]\n"

static double total_volume(dr_world *world)
{
    const dr_report *report = dr_world_report(world);
    return report->volume_total;
}

static void test_liquid_at_rest_stays_at_rest(void **unused)
{
    (void)unused;
    dr_world *world =
        open_world(TANK "bodies: [{material: water, shape: {type: box, center: [4, 2, 2], size: [8, 4, 4]}}]\n", 2);
    double potential = dr_world_report(world)->energy_potential;
    advance(world, 0.5);
    const dr_report *report = dr_world_report(world);
    assert_true(report->largest_speed < 0.02 * sqrt(981.0 * 4.0));
    assert_true(fabs(report->energy_potential / potential - 1.0) < 0.01);
    assert_true(report->solve_count > 0 && report->solves[0].reason == DR_REASON_CONVERGED);
    dr_world_destroy(world);
}

// Where two walls and the bottom of a trough meet, particles touch faces far inside the walls: gravity must not be left
// there.
static void test_liquid_in_a_trough_does_not_sink(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.5, min: [-12, -1, -1], max: [12, 8, 1], z_min: slip, z_max: slip}\n"
        "regions: [{name: hollow, shape: {type: intersection, of: [{type: half_space, normal: [1, -1.5, 0]}, {type: "
        "half_space, normal: [-1, -2.5, 0]}]}}]\n"
        "bodies: [{material: water, shape: {type: intersection, of: [{type: region, region: hollow}, {type: "
        "half_space, point: [0, 4, 0]}]}}]\n"
        "colliders: [{boundary: slip, shape: {type: inside_out, of: [{type: region, region: hollow}]}}]\n",
        2);
    advance(world, 0.5);
    double potential = dr_world_report(world)->energy_potential;
    advance(world, 1.0);
    const dr_report *report = dr_world_report(world);
    assert_true(fabs(potential - report->energy_potential) < 1e-3 * 0.5 * report->mass * 981.0);
    dr_world_destroy(world);
}

// A rock in a pool takes the room of its own volume.
static void test_liquid_is_not_poured_into_a_collider(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        TANK "bodies: [{material: water, shape: {type: box, center: [4, 2, 2], size: [8, 4, 4]}}]\n"
             "colliders: [{shape: {type: sphere, center: [2, 2, 2], radius: 1.5}, motion: [{type: sine, amplitude: "
             "[2, 0, 0], phase: 90 deg, frequency: 1 Hz}]}]\n",
        2);
    double rock = 4.0 / 3.0 * 3.14159265 * 1.5 * 1.5 * 1.5;
    assert_true(fabs(dr_world_report(world)->volume_total - (8.0 * 4.0 * 4.0 - rock)) < 0.02 * rock);
    advance(world, 0.05);
    assert_true(dr_world_report(world)->largest_speed < 4.0 * sqrt(981.0 * 4.0));
    dr_world_destroy(world);
}

// A bubble that is as large as it looks, and is gone in the end, counted.
// Also over a restore.
static void test_air_that_is_filled_in_is_counted(void **unused)
{
    (void)unused;
    static const char text[] = TANK
        "bodies: [{material: water, shape: {type: difference, of: [{type: box, center: [4, 3, 2], size: [8, 6, 4]}, "
        "{type: sphere, center: [4, 2.5, 2], radius: 1.2}]}}]\n";
    dr_world *world = open_world(text, 2);
    double bubble = 4.0 / 3.0 * 3.14159265 * 1.2 * 1.2 * 1.2;
    dr_error error = {0};
    assert_int_equal(dr_world_step(world, 10.0, &error), DR_STATUS_OK);
    const dr_report *report = dr_world_report(world);
    assert_int_equal(report->bubbles, 1);
    assert_true(fabs(report->volume_bubbles / bubble - 1.0) < 0.15);
    assert_true(report->volume_bubbles_lost == 0.0);
    for (int i = 0; i < 6; i++) {
        dr_world *other = open_world(text, 1);
        pass_state_on(world, other);
        take_steps(other, 1);
        take_steps(world, 1);
        assert_true(dr_world_report(other)->volume_bubbles_lost == dr_world_report(world)->volume_bubbles_lost);
        dr_world_destroy(other);
    }
    advance(world, 0.3);
    report = dr_world_report(world);
    assert_true(report->volume_bubbles < 0.2 * bubble);
    assert_true(report->volume_bubbles_lost > 0.7 * bubble);
    dr_world_destroy(world);
}

static void test_volume_is_kept_while_it_splashes(void **unused)
{
    (void)unused;
    dr_world *world = open_world(SPLASH, 2);
    double start = total_volume(world);
    advance(world, 0.4);
    const dr_report *report = dr_world_report(world);
    assert_true(fabs(report->volume_total - start - 4.0) < 1e-5 * start); // what was there and what the tap gave
    double depth = 2.0 * report->energy_potential / (report->mass * 981.0), volume = report->mass / 0.997;
    assert_true(depth > 0.8 * volume / 32.0); // it did not sink into itself
    dr_world_destroy(world);
}

static void test_liquid_has_the_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    check_bits_for_any_threads(SPLASH "liquid: {surface_tension: yes}\n", 30);
}

// Blocks of one grid: the jelly's, the water's and some of both.
static const char water_and_jelly[] =
    TANK "bodies:\n"
         "  - {name: pool, material: water, shape: {type: box, center: [4, 1, 2], size: [8, 2, 4]}}\n"
         "  - {name: cube, material: jelly, shape: {type: box, center: [6, 3.4, 2], size: [2, 2, 2]}}\n"
         "  - {name: high, material: jelly, shape: {type: box, center: [2, 8, 2], size: [2, 2, 2]}}\n"
         "liquid: {surface_tension: yes}\n";

static void test_liquid_and_elastic_matter_share_a_grid_with_the_same_bits_for_any_number_of_threads(void **unused)
{
    (void)unused;
    check_bits_for_any_threads(water_and_jelly, 20);
}

static void test_restored_liquid_and_elastic_matter_go_on_with_the_same_bits(void **unused)
{
    (void)unused;
    dr_world *world = open_world(water_and_jelly, 2), *other = open_world(water_and_jelly, 1);
    take_steps(world, 11);
    pass_state_on(world, other);
    take_steps(world, 11);
    take_steps(other, 11);
    assert_true(dr_world_hash(world) == dr_world_hash(other));
    dr_world_destroy(world);
    dr_world_destroy(other);
}

// The drop's particles after it was resampled twice, beside jelly of so many particles to a cell.
static size_t drop_beside_jelly(int per_cell)
{
    char text[500];
    snprintf(
        text, sizeof text,
        "domain: {cell: 0.5}\ngravity: [0, 0, 0]\n"
        "bodies:\n"
        "  - {name: drop, material: water, shape: {type: sphere, radius: 1.5}}\n"
        "  - {name: cube, material: jelly, particles_per_cell: %d, shape: {type: box, center: [6, 0, 0], size: [2, "
        "2, 2]}}\n",
        per_cell);
    dr_world *world = open_world(text, 1);
    dr_frame frame = {0};
    dr_error error = {0};
    take_steps(world, 17);
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    assert_string_equal(frame.parts[1].name, "liquid");
    size_t count = frame.parts[1].point_count;
    dr_world_destroy(world);
    return count;
}

static void test_dense_jelly_does_not_split_water(void **unused)
{
    (void)unused;
    assert_int_equal(drop_beside_jelly(27), drop_beside_jelly(8));
}

// With full damping no particle of a shearing drop keeps a symmetric part of its velocity gradient.
static void test_damping_of_the_transfer_acts_on_liquid(void **unused)
{
    (void)unused;
    for (int damped = 0; damped < 2; damped++) {
        char text[400];
        snprintf(text, sizeof text,
                 "domain: {cell: 0.25}\ngravity: [0, 0, 0]\ntransfer: {damping: %d}\n"
                 "bodies:\n"
                 "  - {name: left, material: water, velocity: [8, 0, 0], shape: {type: sphere, radius: 1}}\n"
                 "  - {name: right, material: water, shape: {type: sphere, center: [2, 0, 0], radius: 1}}\n",
                 damped);
        dr_world *world = open_world(text, 1);
        stored state = {0};
        dr_frame_array affine = {0};
        dr_error error = {0};
        double stretch = 0.0;
        take_steps(world, 4);
        assert_int_equal(dr_world_save(world, store_array, &state, &error), DR_STATUS_OK);
        assert_int_equal(fetch_stored(&state, "liquid/affine", &affine, &error), DR_STATUS_OK);
        for (size_t p = 0; p < affine.count; p++) {
            const float *c = (const float *)affine.data + 9 * p;
            for (int i = 0; i < 9; i++) stretch = fmax(stretch, fabs((double)c[i] + (double)c[3 * (i % 3) + i / 3]));
        }
        assert_true(damped ? stretch < 1e-4 : stretch > 1.0);
        forget_stored(&state);
        dr_world_destroy(world);
    }
}

static void test_restored_liquid_goes_on_with_the_same_bits(void **unused)
{
    (void)unused;
    check_bits_after_restore(SPLASH, 21, 20);
}

// What a hundred roundings of the storage type may change of a sum of that size.
static double rounding(double size)
{
    return 100.0 * (double)FLT_EPSILON * size;
}

static void test_a_free_drop_keeps_its_momentum(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "gravity: [0, 0, 0]\ndomain: {cell: 0.25}\n"
        "bodies: [{material: water, shape: {type: sphere, radius: 1.5}, velocity: [20, 5, 0], spin: [0, 0, 5]}]\n",
        2);
    dr_report before = *dr_world_report(world);
    advance(world, 0.1);
    const dr_report *after = dr_world_report(world);
    for (int a = 0; a < 3; a++) {
        assert_true(fabs(after->linear_momentum[a] - before.linear_momentum[a]) < rounding(before.mass * 20.0));
        assert_true(fabs(after->angular_momentum[a] - before.angular_momentum[a]) < rounding(before.mass * 40.0));
    }
    dr_world_destroy(world);
}

// Drops apart, touching, merged and torn again: the sums of all of them stay.
static void test_drops_that_meet_keep_their_momentum(void **unused)
{
    (void)unused;
    dr_world *world = open_world("gravity: [0, 0, 0]\ndomain: {cell: 0.2}\ntime: {courant: 0.5}\nbodies:\n"
                                 "  - {material: water, shape: {type: sphere, center: [-1.2, 0.3, 0], radius: 0.8}, "
                                 "velocity: [60, 0, 10]}\n"
                                 "  - {material: water, shape: {type: sphere, center: [1.2, -0.4, 0], radius: 0.9}, "
                                 "velocity: [-40, 0, 0], spin: [5, 9, 3]}\n",
                                 2);
    dr_report before = *dr_world_report(world);
    for (int part = 1; part <= 4; part++) {
        advance(world, 0.02 * part);
        const dr_report *after = dr_world_report(world);
        for (int a = 0; a < 3; a++) {
            assert_true(fabs(after->linear_momentum[a] - before.linear_momentum[a]) < rounding(before.mass * 50.0));
            assert_true(fabs(after->angular_momentum[a] - before.angular_momentum[a]) < rounding(before.mass * 60.0));
        }
    }
    dr_world_destroy(world);
}

static void test_gravity_and_forces_alone_change_a_free_drops_momentum(void **unused)
{
    (void)unused;
    dr_world *world = open_world("gravity: [0, -100, 0]\ndomain: {cell: 0.25}\ntime: {fixed_step: 2 ms}\n"
                                 "bodies: [{material: water, shape: {type: sphere, center: [3, 0, 0], radius: 1}}]\n"
                                 "forces: [{type: uniform, acceleration: [0, 0, 30]}]\n",
                                 2);
    dr_report before = *dr_world_report(world);
    advance(world, 0.1);
    const dr_report *after = dr_world_report(world);
    double mass = before.mass, speed = 100.0 * 0.1;
    assert_true(fabs(after->linear_momentum[0]) < rounding(mass * speed));
    assert_true(fabs(after->linear_momentum[1] + 10.0 * mass) < rounding(mass * speed));
    assert_true(fabs(after->linear_momentum[2] - 3.0 * mass) < rounding(mass * speed));
    double across = after->angular_momentum[1], about = after->angular_momentum[2]; // -x p_z and x p_y of its middle
    assert_true(fabs(about / (-30.0 * mass) - 1.0) < 0.01);
    assert_true(fabs(3.0 * about - 10.0 * across) < rounding(3.0 * 30.0 * mass));
    dr_world_destroy(world);
}

// Smooth planes leave free what lies along them: here the momentum along x and y and the spin about z.
static void test_a_disc_between_symmetry_planes_keeps_what_they_leave_free(void **unused)
{
    (void)unused;
    dr_world *world = open_world("gravity: [0, 0, 0]\ndomain: {cell: 0.2, min: [unbounded, unbounded, 0], max: "
                                 "[unbounded, unbounded, 0.8], z_min: symmetry, z_max: symmetry}\n"
                                 "bodies: [{material: water, velocity: [5, 2, 0], spin: [0, 0, 6], shape: {type: "
                                 "cylinder, axis: z, center: [1, 0, 0.4], radius: 1.2, height: 0.8}}]\n",
                                 2);
    dr_report before = *dr_world_report(world);
    advance(world, 0.1);
    const dr_report *after = dr_world_report(world);
    for (int a = 0; a < 2; a++)
        assert_true(fabs(after->linear_momentum[a] - before.linear_momentum[a]) < rounding(before.mass * 8.0));
    assert_true(fabs(after->angular_momentum[2] - before.angular_momentum[2]) < rounding(before.mass * 8.0));
    dr_world_destroy(world);
}

static void test_heavy_liquid_sinks_below_light_liquid(void **unused)
{
    (void)unused;
    dr_world *world = open_world(TANK "materials:\n"
                                      "  - {name: heavy, kind: liquid, density: 2, viscosity: 0.3}\n"
                                      "  - {name: light, kind: liquid, density: 1, viscosity: 0.01}\n"
                                      "bodies:\n"
                                      "  - {material: heavy, shape: {type: box, center: [2, 2, 2], size: [4, 4, 4]}}\n"
                                      "  - {material: light, shape: {type: box, center: [6, 2, 2], size: [4, 4, 4]}}\n",
                                 2);
    advance(world, 0.4);
    dr_frame frame;
    dr_error error = {0};
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    const dr_frame_part *liquid = &frame.parts[1];
    const float *x = floats(liquid, "position");
    const uint32_t *body = dr_frame_find(liquid, "body")->data;
    double height[2] = {0}, count[2] = {0};
    for (size_t p = 0; p < liquid->point_count; p++) {
        height[body[p]] += (double)x[3 * p + 1];
        count[body[p]] += 1.0;
    }
    assert_true(height[0] / count[0] < height[1] / count[1] - 0.5);
    dr_world_destroy(world);
}

// ---- scenes that must run to their end

// All liquid is still there and inside of `tank` or has left over its rim, it goes at speeds that something in the
// scene can give it, and what it occupies is near its volume.
static void run_to_the_end(const char *text, double until, const double tank[6], double fastest)
{
    dr_world *world = open_world(text, 2);
    double start = total_volume(world), speed = 0.0;
    dr_error error = {0};
    while (dr_world_time(world) < until) {
        assert_int_equal(dr_world_step(world, until, &error), DR_STATUS_OK);
        speed = fmax(speed, dr_world_report(world)->largest_speed);
    }
    const dr_report *report = dr_world_report(world);
    assert_true(fabs(total_volume(world) / start - 1.0) < 1e-6 && report->volume_bulk > 0.3 * start);
    assert_true(fabs(report->volume_occupied / report->volume_bulk - 1.0) < 0.3);
    if (!(speed < fastest)) fail_msg("liquid went at %g cm/s", speed);
    static dr_frame frame;
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    const dr_frame_part *liquid = &frame.parts[1];
    const float *x = floats(liquid, "position");
    for (size_t p = 0; p < liquid->point_count; p++) {
        for (int a = 0; a < 3; a++)
            assert_true((double)x[3 * p + (size_t)a] > tank[a] && (double)x[3 * p + (size_t)a] < tank[3 + a]);
    }
    dr_world_destroy(world);
}

// What two cubes far apart make of themselves in a while, one with the tension 20, the other with this.
static double motion_of_cubes(const char *other)
{
    char scene[1024];
    snprintf(scene, sizeof scene,
             "gravity: [0, 0, 0]\ndomain: {cell: 0.25}\nliquid: {surface_tension: yes}\n"
             "materials: [{name: one, kind: liquid, density: 1, viscosity: 0, surface_tension: 20}, {name: other, "
             "kind: liquid, "
             "density: 1, viscosity: 0, surface_tension: %s}]\n"
             "bodies:\n"
             "  - {material: one, shape: {type: box, size: [2, 2, 2]}}\n"
             "  - {material: other, shape: {type: box, center: [8, 0, 0], size: [2, 2, 2]}}\n",
             other);
    dr_world *world = open_world(scene, 2);
    advance(world, 0.05);
    double energy = dr_world_report(world)->energy_kinetic;
    dr_world_destroy(world);
    return energy;
}

static void test_every_liquid_has_its_own_surface_tension(void **unused)
{
    (void)unused;
    double both = motion_of_cubes("20"), one = motion_of_cubes("0");
    assert_true(both > 0.0 && fabs(one / both - 0.5) < 0.1);
}

static void test_a_jet_into_a_closed_box_stops_when_it_is_full(void **unused)
{
    (void)unused;
    dr_world *world = open_world("domain: {cell: 0.5, min: [0, 0, 0], max: [4, 4, 4], x_min: slip, x_max: slip, y_min: "
                                 "slip, y_max: slip, z_min: slip, z_max: slip}\n"
                                 "emitters: [{name: tap, material: water, velocity: [0, -100, 0], shape: {type: "
                                 "cylinder, center: [2, 3.2, 2], radius: 0.9, height: 1}}]\n",
                                 2);
    advance(world, 1.2);
    const dr_report *report = dr_world_report(world);
    assert_true(report->volume_bulk > 0.85 * 64.0 && report->volume_bulk < 1.15 * 64.0);
    bool told = false;
    for (int i = 0; i < report->warning_count; i++) told |= strstr(report->warnings[i], "tap") != NULL;
    assert_true(told);
    dr_world_destroy(world);
}

// Whether the first step warns of liquid that lies on an open side.
static bool warns_of_open(const char *sides, double height)
{
    char scene[400];
    snprintf(
        scene, sizeof scene,
        "domain: {cell: 0.5, min: [0, 0, 0], max: [4, 4, 4], x_min: slip, x_max: slip, z_min: slip, z_max: slip%s}\n"
        "bodies: [{material: water, shape: {type: box, center: [2, %g, 2], size: [4, 1, 4]}}]\n",
        sides, height);
    dr_world *world = open_world(scene, 1);
    advance(world, 1e-3);
    const dr_report *report = dr_world_report(world);
    bool told = false;
    for (int i = 0; i < report->warning_count; i++) told |= strstr(report->warnings[i], "domain.y_min: slip") != NULL;
    dr_world_destroy(world);
    return told;
}

static void test_liquid_on_an_open_side_is_told_of(void **unused)
{
    (void)unused;
    assert_true(warns_of_open("", 0.5));
    assert_false(warns_of_open("", 2.5));
    assert_false(warns_of_open(", y_min: slip", 0.5));
}

static void test_a_drop_falls_through_a_thousand_cells_of_nothing(void **unused)
{
    (void)unused;
    dr_world *world =
        open_world("domain: {cell: 0.1}\nbodies: [{material: water, shape: {type: sphere, radius: 0.5}}]\n", 2);
    dr_report before = *dr_world_report(world);
    advance(world, 0.46); // 104 cm
    const dr_report *after = dr_world_report(world);
    double steps = (double)after->step; // all particles round the same way
    assert_true(fabs(after->linear_momentum[1] / (-981.0 * 0.46 * before.mass) - 1.0) <
                0.5 * steps * (double)FLT_EPSILON);
    dr_world_destroy(world);
}

static void test_a_collider_sweeps_through_at_five_cells_a_step(void **unused)
{
    (void)unused;
    run_to_the_end(
        TANK
        "time: {max_step: 5 ms}\nbodies: [{material: water, shape: {type: box, center: [4, 1.5, 2], size: [8, 3, "
        "4]}}]\n"
        "colliders: [{shape: {type: box, center: [-3, 2, 2], size: [1, 4, 2]},\n"
        "  motion: [{type: keyframes, keys: [{time: 0.02, ease: linear}, {time: 0.05, translate: [14, 0, 0]}]}]}]\n",
        0.1, (const double[6]){0, 0, 0, 8, 12, 4}, 1500.0); // three times as fast as the collider
}

// The gap around the piston is a twentieth of a cell wide; what leaves through it is sixty times as fast as the piston.
static void test_a_piston_in_a_narrow_box_does_not_shoot_liquid_away(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "gravity: [0, 0, 0]\n"
        "domain: {cell: 0.5, min: [0, 0, 0], max: [6, 8, 6], x_min: slip, x_max: slip, y_min: slip, z_min: slip, "
        "z_max: slip}\n"
        "bodies: [{material: water, shape: {type: box, center: [3, 2, 3], size: [6, 4, 6]}}]\n"
        "colliders: [{shape: {type: box, center: [3, 7, 3], size: [5.95, 6, 5.95]}, motion: [{type: keyframes, "
        "keys: [{time: 0}, {time: 0.5, translate: [0, -4, 0]}]}]}]\n",
        2);
    double start = total_volume(world), fastest = 0.0;
    dr_error error = {0};
    for (int step = 0; step < 80 && dr_world_time(world) < 0.12; step++) {
        assert_int_equal(dr_world_step(world, 0.12, &error), DR_STATUS_OK);
        fastest = fmax(fastest, dr_world_report(world)->largest_speed);
    }
    assert_true(dr_world_time(world) == 0.12);
    assert_true(fastest < 3.0 * 8.0 * 60.0);
    assert_true(fabs(total_volume(world) - start) < 1e-5 * start);
    dr_world_destroy(world);
}

// Walls that hold the liquid a twentieth of a cell apart see each other's faces; what they make of them must not grow.
static void test_a_ball_that_all_but_fills_a_sticky_box_does_not_shoot_liquid_away(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.5, min: [0, 0, 0], max: [3, 4.5, 3.5], x_min: sticky, x_max: sticky, y_min: separate, y_max: "
        "sticky, z_min: sticky, z_max: sticky}\n"
        "bodies: [{material: water, shape: {type: box, center: [1.5, 1.726, 1.75], size: [3, 3.452, 3.5]}}]\n"
        "colliders: [{shape: {type: sphere, center: [1.5, 2.25, 1.75], radius: 1.475}, boundary: sticky, motion: "
        "[{type: sine, amplitude: [0, -2.25, 0], frequency: 78 Hz}]}]\n",
        2);
    double fastest = 0.0;
    dr_error error = {0};
    for (int step = 0; step < 60 && dr_world_time(world) < 0.002; step++) {
        assert_int_equal(dr_world_step(world, 0.002, &error), DR_STATUS_OK);
        fastest = fmax(fastest, dr_world_report(world)->largest_speed);
    }
    assert_true(dr_world_time(world) == 0.002);
    assert_true(fastest < 10.0 * 1100.0); // of the ball
    dr_world_destroy(world);
}

// Liquid with nothing around it moves the same in every frame, however fast it falls.
static void test_a_falling_drop_takes_the_steps_of_one_at_rest(void **unused)
{
    (void)unused;
    dr_world *world = open_world("domain: {cell: 0.25}\nbodies: [{material: water, velocity: [0, -2000, 300], "
                                 "shape: {type: sphere, radius: 1}}]\n",
                                 1);
    dr_error error = {0};
    for (int step = 0; step < 3; step++) {
        assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
        assert_true(dr_world_report(world)->dt == 0.01);
        assert_int_equal(dr_world_report(world)->rejected, 0);
    }
    assert_true(fabs(dr_world_report(world)->largest_speed - hypot(2000.0 + 29.43, 300.0)) < 0.1);
    dr_world_destroy(world);
}

// A few particles that cross thirty cells in the step of the pool they fall into end at its surface, and leave the
// pool's step as it is.
static void test_spray_does_not_shorten_steps_and_ends_in_the_liquid(void **unused)
{
    (void)unused;
    static const char pool[] =
        "domain: {cell: 0.25}\nbodies:\n- {material: water, shape: {type: box, center: [0, 0.5, 0], size: [2, 1, 2]}}\n"
        "- {material: water, velocity: [0, -800, 0], shape: {type: sphere, center: [0, 3.1, 0], radius: 0.1}}\n"
        "colliders: [{shape: {type: inside_out, of: [{type: box, center: [0, 5, 0], size: [2, 10, 2]}]}}]\n";
    dr_world *world = open_world(pool, 1);
    dr_error error = {0};
    double start = total_volume(world);
    assert_int_equal(dr_world_step(world, 1.0, &error), DR_STATUS_OK);
    assert_true(dr_world_report(world)->largest_speed > 700.0);
    assert_true(dr_world_report(world)->dt == 0.01);
    const dr_frame_part *liquid = view(world);
    while (strcmp(liquid->name, "liquid") != 0) liquid++;
    const float *x = floats(liquid, "position"), *v = floats(liquid, "velocity");
    int found = 0;
    for (size_t p = 0; p < liquid->point_count; p++) {
        if (!(v[3 * p + 1] < -700.0F)) continue;
        assert_true(x[3 * p + 1] > 0.5F && x[3 * p + 1] < 1.3F);
        found++;
    }
    assert_true(found > 0);
    assert_true(fabs(total_volume(world) - start) < 1e-5 * start);
    dr_world_destroy(world);
}

// How far apart the plates are, and how fast they close: they meet at 24 ms, each at up to 15 cm/s.
static double plate_gap(double time, double *closing)
{
    const double rate = 2.0 * 3.14159265358979323846 * 4.4, share = fmin(time / 0.036, 1.0);
    *closing = 60.0 * share * (1.0 - share) + 0.36 * rate * cos(rate * time);
    return 0.49 - 0.36 * sin(rate * time) - 0.36 * share * share * (3.0 - 2.0 * share);
}

// Liquid between plates goes up as fast as the closing gap loses room, v h / gap: ever faster until they are about a
// fifth of a cell apart, where they hold what is left.
static void clap_at(double place)
{
    char text[1000];
    snprintf(
        text, sizeof text,
        "gravity: [981, -981, 0]\ntime: {courant: 0.5}\n"
        "domain: {cell: 0.1, min: [0, 0, 0], max: [0.9, 1.1, 0.5], x_min: slip, x_max: sticky, y_min: separate, "
        "y_max: open, z_min: slip, z_max: separate}\n"
        "bodies: [{material: water, shape: {type: box, center: [0.45, 0.2, 0.25], size: [0.9, 0.4, 0.5]}}]\n"
        "colliders:\n"
        "  - {shape: {type: box, center: [%g, 0.55, 0.25], size: [0.45, 2.2, 1]}, motion: [{type: keyframes, keys: "
        "[{time: 0}, {time: 0.036, translate: [0.36, 0, 0]}]}]}\n"
        "  - {shape: {type: box, center: [%g, 0.55, 0.25], size: [0.45, 2.2, 1]}, motion: [{type: sine, amplitude: "
        "[-0.36, 0, 0], frequency: 4.4 Hz}]}\n",
        place - 0.47, place + 0.47);
    dr_world *world = open_world(text, 2);
    const double start = total_volume(world), narrow = 0.0225;
    dr_error error = {0};
    for (int step = 0; step < 120 && dr_world_time(world) < 0.06; step++) {
        assert_int_equal(dr_world_step(world, 0.06, &error), DR_STATUS_OK);
        double time = dr_world_time(world), speed = dr_world_report(world)->largest_speed, closing;
        double gap = plate_gap(time, &closing), ideal = closing * fmin(1.1, 0.4 * 0.49 / gap) / gap;
        if (gap > narrow && gap < 0.3) assert_true(speed > 0.45 * ideal && speed < 2.5 * ideal);
        if (gap <= narrow && gap > 0.0) assert_true(speed < 1.5 * 24.0 * 1.1 / narrow);
        if (gap <= 0.0) assert_true(speed < 20.0);
        assert_true(fabs(total_volume(world) - start) < 1e-5 * start);
    }
    assert_true(dr_world_time(world) == 0.06);
    dr_world_destroy(world);
}

static void test_plates_that_clap_on_liquid_press_it_out_as_fast_as_they_close(void **unused)
{
    (void)unused;
    clap_at(0.45);
    clap_at(0.48);
    clap_at(0.51);
}

// Liquid poured twice into a box that a collider all but closes holds twice what there is room for. It may come out no
// faster than the collider, at 400 cm/s, shakes it.
static void test_liquid_poured_twice_does_not_burst(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.5, min: [0, 0, 0], max: [1.5, 2.5, 4], x_min: symmetry, x_max: sticky, y_min: sticky, y_max: "
        "symmetry, z_min: symmetry, z_max: open}\n"
        "bodies:\n"
        "  - {material: water, velocity: [-10, -35, 3], shape: {type: box, center: [0.75, 1.25, 1.5], size: [1.5, 2.5, "
        "3]}}\n"
        "  - {material: water, velocity: [-6, -18, 50], shape: {type: box, center: [0.75, 1.25, 1.5], size: [1.5, 2.5, "
        "3]}}\n"
        "colliders: [{shape: {type: capsule, center: [1.45, 0.18, 3.2], radius: 1.1, height: 2.6}, boundary: slip, "
        "motion: [{type: sine, amplitude: [-0.55, -1, -0.55], frequency: 50 Hz}]}]\n",
        2);
    double start = total_volume(world), fastest = 0.0;
    dr_error error = {0};
    for (int step = 0; step < 60 && dr_world_time(world) < 0.01; step++) {
        assert_int_equal(dr_world_step(world, 0.01, &error), DR_STATUS_OK);
        fastest = fmax(fastest, dr_world_report(world)->largest_speed);
    }
    assert_true(dr_world_time(world) == 0.01);
    assert_true(fastest < 20.0 * 400.0);
    assert_true(fabs(total_volume(world) - start) < 1e-5 * start);
    dr_world_destroy(world);
}

// A particle that a wall holds spins fast about itself; faces it hardly touches must not hold up the step.
static void test_a_drop_on_a_sticky_wall_does_not_hold_up_the_step(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "gravity: [0, 0, 0]\n"
        "domain: {cell: 1, min: [0, 0, 0], max: [4, 5, 8], x_min: sticky, y_min: sticky, y_max: slip, z_min: periodic, "
        "z_max: periodic}\n"
        "bodies: [{material: water, particles_per_cell: 1, shape: {type: box, center: [1.5, 4, 0.5], size: [3, 2, "
        "1]}}]\n"
        "forces: [{type: vortex, center: [2, 2.5, 4], strength: 50, reach: 4}]\n",
        1);
    dr_error error = {0};
    int rejected = 0;
    for (int step = 0; step < 100; step++) {
        assert_int_equal(dr_world_step(world, 100.0, &error), DR_STATUS_OK);
        rejected += dr_world_report(world)->rejected;
    }
    assert_true(rejected <= 110);
    dr_world_destroy(world);
}

static void test_an_emitter_inside_a_collider_emits_nothing(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        TANK
        "emitters: [{material: water, velocity: [0, -10, 0], shape: {type: sphere, center: [4, 4, 2], radius: 1}}]\n"
        "colliders: [{shape: {type: sphere, center: [4, 4, 2], radius: 2}}]\n",
        1);
    advance(world, 0.1);
    assert_int_equal(dr_world_report(world)->particles, 0);
    dr_world_destroy(world);
}

static void test_liquid_without_gravity_and_a_domain_that_runs_dry(void **unused)
{
    (void)unused;
    run_to_the_end("gravity: [0, 0, 0]\n" TANK
                   "bodies: [{material: water, shape: {type: box, center: [4, 2, 2], size: [3, 3, 3]}}]\n",
                   0.3, (const double[6]){2.4, 0.4, 0.4, 5.6, 3.6, 3.6}, 1.0);
    dr_world *world = open_world("domain: {cell: 0.5, min: [0, 0, 0], max: [8, 12, 4]}\nbodies: [{material: water, "
                                 "shape: {type: sphere, center: [4, 6, 2], radius: 1.5}}]\n",
                                 2);
    double start = total_volume(world);
    advance(world, 0.4);
    assert_int_equal(dr_world_report(world)->particles, 0);
    assert_true(fabs(dr_world_report(world)->volume_drained - start) < 1e-5 * start);
    dr_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_liquid_at_rest_stays_at_rest),
        cmocka_unit_test(test_liquid_in_a_trough_does_not_sink),
        cmocka_unit_test(test_liquid_is_not_poured_into_a_collider),
        cmocka_unit_test(test_air_that_is_filled_in_is_counted),
        cmocka_unit_test(test_volume_is_kept_while_it_splashes),
        cmocka_unit_test(test_liquid_has_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_liquid_and_elastic_matter_share_a_grid_with_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_restored_liquid_and_elastic_matter_go_on_with_the_same_bits),
        cmocka_unit_test(test_dense_jelly_does_not_split_water),
        cmocka_unit_test(test_damping_of_the_transfer_acts_on_liquid),
        cmocka_unit_test(test_restored_liquid_goes_on_with_the_same_bits),
        cmocka_unit_test(test_a_free_drop_keeps_its_momentum),
        cmocka_unit_test(test_drops_that_meet_keep_their_momentum),
        cmocka_unit_test(test_gravity_and_forces_alone_change_a_free_drops_momentum),
        cmocka_unit_test(test_a_disc_between_symmetry_planes_keeps_what_they_leave_free),
        cmocka_unit_test(test_heavy_liquid_sinks_below_light_liquid),
        cmocka_unit_test(test_every_liquid_has_its_own_surface_tension),
        cmocka_unit_test(test_a_jet_into_a_closed_box_stops_when_it_is_full),
        cmocka_unit_test(test_liquid_on_an_open_side_is_told_of),
        cmocka_unit_test(test_a_drop_falls_through_a_thousand_cells_of_nothing),
        cmocka_unit_test(test_a_collider_sweeps_through_at_five_cells_a_step),
        cmocka_unit_test(test_a_piston_in_a_narrow_box_does_not_shoot_liquid_away),
        cmocka_unit_test(test_a_ball_that_all_but_fills_a_sticky_box_does_not_shoot_liquid_away),
        cmocka_unit_test(test_a_falling_drop_takes_the_steps_of_one_at_rest),
        cmocka_unit_test(test_spray_does_not_shorten_steps_and_ends_in_the_liquid),
        cmocka_unit_test(test_plates_that_clap_on_liquid_press_it_out_as_fast_as_they_close),
        cmocka_unit_test(test_liquid_poured_twice_does_not_burst),
        cmocka_unit_test(test_a_drop_on_a_sticky_wall_does_not_hold_up_the_step),
        cmocka_unit_test(test_an_emitter_inside_a_collider_emits_nothing),
        cmocka_unit_test(test_liquid_without_gravity_and_a_domain_that_runs_dry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
