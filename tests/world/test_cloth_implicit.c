// Cloth and yarn on the grid by backward Euler: what holds for any step, far beyond the stability limit.
#include "world_test.h"

#define IMPLICIT "time: {integrator: implicit}\n"
#define SHEET    "{name: sheet, material: fabric, type: rectangle, width: 4, depth: 4, edge: 0.5}"

static const float *positions(dr_world *world, size_t *count)
{
    static dr_frame frame;
    dr_error error = {0};
    assert_int_equal(dr_world_view(world, &frame, &error), DR_STATUS_OK);
    for (int i = 0; i < frame.part_count; i++) {
        if (strcmp(frame.parts[i].name, "cloth") != 0) continue;
        *count = frame.parts[i].point_count;
        return floats(&frame.parts[i], "position");
    }
    fail_msg("there is no cloth");
    return NULL;
}

static const dr_solve_report *find_solve(dr_world *world, const char *name)
{
    const dr_report *report = dr_world_report(world);
    for (int i = 0; i < report->solve_count; i++) {
        if (strcmp(report->solves[i].name, name) == 0) return &report->solves[i];
    }
    return NULL;
}

static void test_free_fall_is_exact(void **unused)
{
    (void)unused;
    dr_world *world =
        open_world("domain: {cell: 0.5}\ntime: {fixed_step: 1e-3, integrator: implicit}\ncloths: [" SHEET "]\n", 1);
    take_steps(world, 50);
    size_t count;
    const float *x = positions(world, &count);
    double expected = -981.0 * 1e-6 * 50 * 51 / 2;
    for (size_t v = 0; v < count; v++) assert_true(fabs((double)x[3 * v + 1] / expected - 1.0) < 2e-5);
    dr_world_destroy(world);
}

#define MEETING                                                                                                        \
    "gravity: [0, 0, 0]\ndomain: {cell: 0.5}\n" IMPLICIT                                                               \
    "materials: [{name: soft, kind: elastic, density: 1, youngs_modulus: 1e4, poisson_ratio: 0.3}]\n"                  \
    "bodies: [{name: ball, material: soft, velocity: [0, -60, 10], shape: {type: sphere, center: [0.3, 2, 0], "        \
    "radius: 1}}]\ncloths: [" SHEET "]\n"

static void test_momentum_of_cloth_and_a_body_is_kept(void **unused)
{
    (void)unused;
    dr_world *world = open_world(MEETING, 1);
    const dr_report *report = dr_world_report(world);
    double before[3], mass = report->mass;
    memcpy(before, report->linear_momentum, sizeof before);
    advance(world, 0.03);
    size_t count;
    const float *x = positions(world, &count);
    double least = 0.0;
    for (size_t v = 0; v < count; v++) least = fmin(least, (double)x[3 * v + 1]);
    assert_true(least < -0.2); // they met
    for (int a = 0; a < 3; a++) assert_true(fabs(report->linear_momentum[a] - before[a]) < 1e-5 * mass * 60.0);
    dr_world_destroy(world);
}

// Grains beside a sheet that meets a pool: what is judged is what vertices and particles have. Nodes and faces at the
// rim of the kernels of cloth weigh next to nothing, and an implicit impulse makes them faster than any of these.
#define BESIDE_GRAINS                                                                                                  \
    "domain: {cell: 0.5, min: [-3, 0, -3], max: [3, 6, 3], x_min: slip, x_max: slip, y_min: slip, z_min: slip, "       \
    "z_max: slip}\n" IMPLICIT "materials: [{name: towel, preset: cotton}]\n"                                           \
    "bodies: [{name: grains, material: sand, shape: {type: sphere, center: [1.8, 3.2, 1.8], radius: 0.5}, velocity: "  \
    "[0, -100, 0]}, {name: pool, material: water, shape: {type: box, center: [0, 0.75, 0], size: [6, 1.5, 6]}}]\n"     \
    "cloths: [{name: sheet, material: towel, type: rectangle, width: 4, depth: 4, center: [-0.5, 2, -0.5], velocity: " \
    "[0, -130, 0]}]\n"

static void test_a_sheet_beside_grains_meets_water_at_the_step_it_has(void **unused)
{
    (void)unused;
    dr_world *world = open_world(BESIDE_GRAINS, 1);
    const dr_report *report = dr_world_report(world);
    int steps = 0, rejected = 0;
    dr_error error = {0};
    while (dr_world_time(world) < 0.02) {
        if (dr_world_step(world, 0.02, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
        steps++;
        rejected += report->rejected;
    }
    const dr_solve_report *solve = find_solve(world, "cloth");
    assert_non_null(solve);
    if (20 * rejected > steps) fail_msg("%d of %d steps were rejected", rejected, steps);
    dr_world_destroy(world);
}

// A square that hangs by two corners; nothing damps it but its own steps.
#define DRAPE DRAPE_OF("1e6")
#define DRAPE_OF(modulus)                                                                                              \
    "domain: {cell: 1}\nmaterials: [{name: rag, preset: fabric, youngs_modulus: " modulus "}]\n"                       \
    "cloths: [{name: sheet, material: rag, type: rectangle, width: 6, depth: 6, edge: 1, holds: [{name: pins, "        \
    "within: "                                                                                                         \
    "{type: box, center: [0, 0, -3], size: [9, 1, 0.5]}}]}]\n"

static double energy_of(const dr_report *report)
{
    return report->energy_kinetic + report->energy_elastic + report->energy_potential;
}

static void test_energy_never_rises_at_twenty_times_the_limit(void **unused)
{
    (void)unused;
    dr_world *world = open_world(DRAPE "time: {integrator: implicit, implicit_reach: 20}\n", 1);
    const dr_report *report = dr_world_report(world);
    double energy = energy_of(report), most = 0.0;
    dr_error error = {0};
    while (dr_world_time(world) < 10.0) {
        if (dr_world_step(world, 10.0, &error) != DR_STATUS_OK) fail_msg("%s", error.text);
        const dr_solve_report *solve = find_solve(world, "cloth");
        assert_non_null(solve);
        assert_true(solve->reason == DR_REASON_CONVERGED || solve->residual < 0.1);
        if (!(energy_of(report) <= energy + 1e-6 * fabs(energy)))
            fail_msg("from %.9g to %.9g at %g s", energy, energy_of(report), report->time);
        energy = energy_of(report);
        most = fmax(most, report->energy_kinetic);
    }
    assert_true(most > 100.0);
    assert_true(report->energy_kinetic < 0.05 * most);
    dr_world_destroy(world);
}

#define SETTLING DRAPE "forces: [{name: air, type: wind, velocity: [0, 0, 0], rate: 8}]\n"

// Where it comes to rest does not depend on how: within 1 % of its size.
static void test_rests_where_explicit_steps_rest(void **unused)
{
    (void)unused;
    dr_world *one = open_world(SETTLING "time: {integrator: explicit}\n", 1);
    dr_world *other = open_world(SETTLING "time: {integrator: implicit}\n", 1);
    advance(one, 3.0);
    advance(other, 3.0);
    assert_true(dr_world_step_count(one) > 8 * dr_world_step_count(other));
    size_t count;
    float kept[3 * 100];
    const float *x = positions(one, &count);
    assert_true(count < 100);
    memcpy(kept, x, 3 * count * sizeof *x);
    x = positions(other, &count);
    for (size_t i = 0; i < 3 * count; i++) {
        if (!(fabs((double)(x[i] - kept[i])) < 0.02)) fail_msg("%g, not %g", (double)x[i], (double)kept[i]);
    }
    dr_world_destroy(one);
    dr_world_destroy(other);
}

// A sheet that falls on a floor lies on it, its middle half of its 0.36 mm above, however long steps are and however
// they are made.
static double find_height(const char *text)
{
    dr_world *world = open_world(text, 1);
    size_t count;
    double sum = 0.0;
    advance(world, 0.15);
    const float *x = positions(world, &count);
    for (size_t v = 0; v < count; v++) sum += (double)x[3 * v + 1] / (double)count;
    dr_world_destroy(world);
    return sum;
}

#define ON_A_FLOOR                                                                                                     \
    "domain: {cell: 0.5}\nmaterials: [{name: rag, preset: fabric, youngs_modulus: 1e5}]\n"                             \
    "forces: [{name: air, type: wind, velocity: [0, 0, 0], rate: 8}]\n"                                                \
    "colliders: [{name: floor, shape: {type: half_space, normal: [0, 1, 0]}, boundary: separate, friction: 0.5}]\n"    \
    "cloths: [{name: sheet, material: rag, type: rectangle, width: 3, depth: 3, edge: 0.5, center: [0, 1.3, 0]}]\n"

static void test_lies_on_a_floor_at_any_steps(void **unused)
{
    (void)unused;
    const char *const all[3] = {ON_A_FLOOR "time: {integrator: explicit, max_step: 0.2 ms}\n",
                                ON_A_FLOOR "time: {integrator: implicit, max_step: 0.5 ms}\n",
                                ON_A_FLOOR "time: {integrator: implicit}\n"};
    for (int i = 0; i < 3; i++) {
        double height = find_height(all[i]);
        if (!(height > 0.018 - 1e-6 && height < 0.028)) fail_msg("it is %g cm above the floor, way %d", height, i);
    }
}

// On a ball, with contact and friction. At equal steps drapes are the same to a tenth of a cell. At the longest
// implicit ones what friction keeps of the fall differs, of a sheet too small for folds by less than half a cell; how
// near the layers of a fold come depends on the number of steps, however they are made.
#define ON_A_BALL ON_A_BALL_OF("5")
#define ON_A_BALL_OF(side)                                                                                             \
    "domain: {cell: 0.5}\nmaterials: [{name: rag, preset: fabric, youngs_modulus: 1e5}]\n"                             \
    "forces: [{name: air, type: wind, velocity: [0, 0, 0], rate: 8}]\n"                                                \
    "colliders: [{name: ball, shape: {type: sphere, center: [0, -1.6, 0], radius: 1.5}, boundary: separate, "          \
    "friction: "                                                                                                       \
    "0.5}]\ncloths: [{name: sheet, material: rag, type: rectangle, width: " side ", depth: " side ", edge: 0.5}]\n"

enum { BALL_VERTICES = 200 };

static size_t drape(const char *text, float x[3 * BALL_VERTICES], int64_t *steps)
{
    dr_world *world = open_world(text, 1);
    size_t count;
    advance(world, 0.5);
    const float *from = positions(world, &count);
    assert_true(count < BALL_VERTICES);
    memcpy(x, from, 3 * count * sizeof *x);
    *steps = (int64_t)dr_world_step_count(world);
    dr_world_destroy(world);
    return count;
}

static double farthest(const float *a, const float *b, size_t count)
{
    double most = 0.0;
    for (size_t v = 0; v < 3 * count; v += 3)
        most = fmax(most,
                    hypot(hypot((double)(a[v] - b[v]), (double)(a[v + 1] - b[v + 1])), (double)(a[v + 2] - b[v + 2])));
    return most;
}

static void test_drapes_a_ball_as_explicit_steps_do(void **unused)
{
    (void)unused;
    static float brief[3 * BALL_VERTICES], equal[3 * BALL_VERTICES], tall[3 * BALL_VERTICES];
    int64_t steps[2];
    size_t count = drape(ON_A_BALL "time: {integrator: explicit, max_step: 0.5 ms}\n", brief, &steps[0]);
    drape(ON_A_BALL "time: {integrator: implicit, max_step: 0.5 ms}\n", equal, &steps[1]);
    double lowest = 0.0;
    for (size_t v = 0; v < count; v++) lowest = fmin(lowest, (double)equal[3 * v + 1]);
    assert_true(lowest < -1.5); // it hangs over the sides
    double same = farthest(brief, equal, count);
    if (!(same < 0.05)) fail_msg("at equal steps a vertex is %g cm away", same);
    count = drape(ON_A_BALL_OF("3") "time: {integrator: explicit, max_step: 0.5 ms}\n", brief, &steps[0]);
    drape(ON_A_BALL_OF("3") "time: {integrator: implicit}\n", tall, &steps[1]);
    assert_true(steps[0] > 2 * steps[1]);
    double other = farthest(brief, tall, count);
    if (!(other < 0.25)) fail_msg("at long steps a vertex is %g cm away", other);
}

// The least distance of the middles of edges from the ball's surface.
static double find_lowest_edge(const dr_frame_part *part)
{
    const float *x = floats(part, "position");
    const uint32_t *index = part->index;
    double least = 1e9;
    for (size_t i = 0; i < 3 * part->element_count; i++) {
        const float *a = x + 3 * (size_t)index[i], *b = x + 3 * (size_t)index[i % 3 == 2 ? i - 2 : i + 1];
        double middle[3];
        for (int k = 0; k < 3; k++) middle[k] = 0.5 * ((double)a[k] + (double)b[k]) + (k == 1 ? 1.6 : 0.0);
        least = fmin(least, hypot(hypot(middle[0], middle[1]), middle[2]) - 1.5);
    }
    return least;
}

// What has come down on a ball lies still: nothing goes on falling into it to be brought out again. And it lies on it,
// its middle half of 0.36 mm above, where its edges are chords too.
static void test_comes_to_rest_on_a_ball(void **unused)
{
    (void)unused;
    const char *const all[2] = {ON_A_BALL "time: {integrator: explicit, max_step: 0.5 ms}\n",
                                ON_A_BALL "time: {integrator: implicit}\n"};
    for (int i = 0; i < 2; i++) {
        dr_world *world = open_world(all[i], 1);
        advance(world, 0.8);
        const dr_frame_part *part = find_part(world, "cloth");
        const float *v = floats(part, "velocity");
        double speed = 0.0;
        for (size_t k = 0; k < 3 * part->point_count; k++) speed = fmax(speed, fabs((double)v[k]));
        if (!(speed < 0.5)) fail_msg("%g cm/s, way %d", speed, i);
        double least = find_lowest_edge(part);
        if (!(least > 0.017)) fail_msg("%g cm above the ball, way %d", least, i);
        dr_world_destroy(world);
    }
}

// A sheet lies on a plane; gravity leans. Friction 0.5 holds it at 20 degrees and not at 35.
static double slide(double degrees)
{
    char text[900];
    double angle = degrees * 0.017453292519943295;
    snprintf(text, sizeof text,
             "gravity: [%.17g, %.17g, 0]\ndomain: {cell: 0.5}\n" IMPLICIT
             "materials: [{name: rag, preset: fabric, youngs_modulus: 1e6, friction_angle: 60 deg}]\n"
             "colliders: [{name: floor, shape: {type: half_space, normal: [0, 1, 0]}, boundary: separate, friction: "
             "0.5}]\ncloths: [{name: sheet, material: rag, type: rectangle, width: 4, depth: 4, edge: 0.5, center: [0, "
             "0.4, 0]}]\n",
             981.0 * sin(angle), -981.0 * cos(angle));
    dr_world *world = open_world(text, 1);
    size_t count;
    double from = 0.0, to = 0.0;
    advance(world, 0.05);
    const float *x = positions(world, &count);
    for (size_t v = 0; v < count; v++) from += (double)x[3 * v] / (double)count;
    advance(world, 0.15);
    x = positions(world, &count);
    for (size_t v = 0; v < count; v++) to += (double)x[3 * v] / (double)count;
    dr_world_destroy(world);
    return to - from;
}

static void test_friction_holds_below_its_angle(void **unused)
{
    (void)unused;
    double below = slide(20), above = slide(35);
    if (!(fabs(below) < 0.02)) fail_msg("slid by %g", below);
    if (!(above > 0.3)) fail_msg("slid by %g only", above);
}

// What lies on a floor weighs on it.
static void test_floors_carry_the_weight(void **unused)
{
    (void)unused;
    dr_scene *scene = parse_scene(
        "domain: {cell: 0.5}\n" IMPLICIT
        "colliders: [{name: floor, shape: {type: half_space, normal: [0, 1, 0]}, boundary: separate, friction: 0.5}]\n"
        "cloths: [{name: sheet, material: fabric, type: rectangle, width: 4, depth: 4, edge: 0.5, center: [0, 0.4, "
        "0]}]\n");
    dr_world_options options = {.threads = 1, .loads = true};
    dr_world *world;
    dr_error error = {0};
    assert_int_equal(dr_world_create(scene, &options, &world, &error), DR_STATUS_OK);
    dr_scene_destroy(scene);
    advance(world, 0.2);
    double impulse = 0.0, start = dr_world_time(world), weight = 981.0 * dr_world_report(world)->mass;
    while (dr_world_time(world) < 0.5) {
        dr_load load;
        take_steps(world, 1);
        assert_int_equal(dr_world_load(world, 0, NULL, &load, &error), DR_STATUS_OK);
        impulse += load.force[1] * dr_world_report(world)->dt;
    }
    double share = -impulse / (weight * (dr_world_time(world) - start));
    if (!(fabs(share - 1.0) < 0.03)) fail_msg("%g of the weight", share);
    dr_world_destroy(world);
}

// Two layers that fall on a floor lie one above the other.
static void test_layers_do_not_pass_each_other(void **unused)
{
    (void)unused;
    dr_world *world =
        open_world("domain: {cell: 0.5, min: [-10, 0, -10], max: [10, 20, 10], y_min: separate}\n" IMPLICIT
                   "materials: [{name: soft, preset: fabric, youngs_modulus: 1e6, transfer_damping: 0.3}]\n"
                   "cloths: [{name: stack, material: soft, type: rectangle, center: [0, 1.5, 0], width: 4, depth: 4, "
                   "edge: 0.5, layers: 3, spacing: 1}]\n",
                   1);
    advance(world, 0.25);
    size_t count;
    const float *x = positions(world, &count);
    size_t n = count / 3;
    for (size_t v = 0; v < n; v++) {
        for (size_t layer = 0; layer < 2; layer++) {
            double low = (double)x[3 * (layer * n + v) + 1], high = (double)x[3 * ((layer + 1) * n + v) + 1];
            assert_true(low > 0.0 && high > low + 0.15);
        }
    }
    dr_world_destroy(world);
}

static void test_same_bits_for_any_threads(void **unused)
{
    (void)unused;
    check_bits_for_any_threads(BUSY_CLOTH(IMPLICIT), 15);
}

static void test_same_bits_after_restore(void **unused)
{
    (void)unused;
    check_bits_after_restore(BUSY_CLOTH(IMPLICIT), 12, 8);
}

static void test_auto_is_implicit_where_that_is_cheaper(void **unused)
{
    (void)unused;
    dr_world *stiff = open_world(DRAPE_OF("1e7") "time: {max_step: 0.1}\n", 1);
    take_steps(stiff, 1);
    assert_non_null(find_solve(stiff, "cloth"));
    dr_world_destroy(stiff);
    dr_world *brief = open_world(DRAPE "time: {max_step: 1e-4}\n", 1);
    take_steps(brief, 1);
    assert_null(find_solve(brief, "cloth"));
    dr_world_destroy(brief);
}

// ---- beside liquid

#define DROP                                                                                                           \
    "bodies: [{name: drop, material: water, velocity: [0, -40, 0], shape: {type: sphere, center: [0, 0.8, 0], "        \
    "radius: 0.6}}]\n"
#define COTTON(holds)                                                                                                  \
    "domain: {cell: 0.3}\nmaterials: [{name: shirt, preset: cotton}]\n" DROP                                           \
    "cloths: [{name: sheet, material: shirt, type: rectangle, width: 3, depth: 3, edge: 0.3" holds "}]\n"
#define AT_EDGES ", holds: [{name: left, edge: left}, {name: right, edge: right}]"

// Cotton that is held catches a drop at steps of the liquid, hundreds of times longer than explicit ones: no step makes
// energy from nowhere, and the liquid stays above.
static void test_cotton_catches_a_drop_at_the_liquids_steps(void **unused)
{
    (void)unused;
    dr_world *world = open_world(COTTON(AT_EDGES), 1);
    const dr_report *report = dr_world_report(world);
    double first = report->energy_kinetic + report->energy_elastic + report->energy_potential, most = 0.0;
    int64_t before = report->step;
    while (dr_world_time(world) < 0.024) {
        dr_error error = {0};
        assert_int_equal(dr_world_step(world, 0.024, &error), DR_STATUS_OK);
        most = fmax(most, energy_of(report) - first);
    }
    assert_non_null(find_solve(world, "cloth"));
    if (!(report->step - before < 60)) fail_msg("%lld steps", (long long)(report->step - before));
    if (!(most < 0.02 * first)) fail_msg("%g of %g", most, first);
    const dr_frame_part *cloth = find_part(world, "cloth"), *liquid = find_part(world, "liquid");
    const float *x = floats(cloth, "position"), *y = floats(liquid, "position");
    double lowest = 0.0, mean = 0.0;
    for (size_t i = 0; i < cloth->point_count; i++) lowest = fmin(lowest, (double)x[3 * i + 1]);
    for (size_t i = 0; i < liquid->point_count; i++) mean += (double)y[3 * i + 1] / (double)liquid->point_count;
    if (!(lowest < -0.01 && lowest > -0.4)) fail_msg("the sheet is at %g", lowest);
    if (!(mean > lowest)) fail_msg("the drop is at %g, the sheet at %g", mean, lowest);
    dr_world_destroy(world);
}

// Cream that gives way to pressure, far more than water does, is caught all the same.
static void test_cotton_catches_soft_cream(void **unused)
{
    (void)unused;
    dr_world *world = open_world(
        "domain: {cell: 0.3}\ntime: {integrator: implicit, max_step: 1 ms}\n"
        "materials: [{name: shirt, preset: cotton}, {name: cream, preset: shaving cream, bulk_modulus: 2.5e3}]\n"
        "bodies: [{name: drop, material: cream, velocity: [0, -20, 0], shape: {type: sphere, center: [0, 0.95, 0], "
        "radius: 0.6}}]\n"
        "cloths: [{name: sheet, material: shirt, type: rectangle, width: 3, depth: 3, edge: 0.3" AT_EDGES "}]\n",
        1);
    const dr_report *report = dr_world_report(world);
    double before = energy_of(report);
    while (dr_world_time(world) < 0.02) {
        dr_error error = {0};
        assert_int_equal(dr_world_step(world, 0.02, &error), DR_STATUS_OK);
        if (!(energy_of(report) < before + 1e-3 * fabs(before))) fail_msg("%g, then %g", before, energy_of(report));
        before = energy_of(report);
    }
    const dr_frame_part *cloth = find_part(world, "cloth"), *liquid = find_part(world, "liquid");
    const float *x = floats(cloth, "position"), *y = floats(liquid, "position");
    double lowest = 0.0, mean = 0.0;
    for (size_t i = 0; i < cloth->point_count; i++) lowest = fmin(lowest, (double)x[3 * i + 1]);
    for (size_t i = 0; i < liquid->point_count; i++) mean += (double)y[3 * i + 1] / (double)liquid->point_count;
    if (!(lowest < -0.02 && lowest > -0.2)) fail_msg("the sheet is at %g", lowest);
    if (!(mean > 0.3 && mean < 0.6)) fail_msg("the drop is at %g", mean);
    dr_world_destroy(world);
}

static void test_momentum_of_cloth_and_liquid_is_kept(void **unused)
{
    (void)unused;
    dr_world *world =
        open_world("gravity: [0, 0, 0]\n" COTTON("") "time: {integrator: implicit, max_step: 0.5 ms}\n", 1);
    const dr_report *report = dr_world_report(world);
    double before = report->linear_momentum[1], least = 0.0;
    advance(world, 0.012);
    const dr_frame_part *part = find_part(world, "cloth");
    const float *v = floats(part, "velocity");
    for (size_t i = 0; i < part->point_count; i++) least = fmin(least, (double)v[3 * i + 1]);
    assert_true(least < -5.0);
    if (!(fabs(report->linear_momentum[1] / before - 1.0) < 1e-4))
        fail_msg("%.9g of it", report->linear_momentum[1] / before);
    dr_world_destroy(world);
}

#define SMALL                                                                                                          \
    "domain: {cell: 0.4}\nmaterials: [{name: shirt, preset: cotton}]\n"                                                \
    "bodies: [{name: drop, material: water, velocity: [0, -40, 0], shape: {type: sphere, center: [0, 0.5, 0], "        \
    "radius: 0.6}}]\n"                                                                                                 \
    "cloths: [{name: sheet, material: shirt, type: rectangle, width: 2, depth: 2, edge: 0.4" AT_EDGES "}]\n"

static void test_same_bits_beside_liquid(void **unused)
{
    (void)unused;
    check_bits_for_any_threads(SMALL, 4);
    check_bits_after_restore(SMALL, 3, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall_is_exact),
        cmocka_unit_test(test_momentum_of_cloth_and_a_body_is_kept),
        cmocka_unit_test(test_a_sheet_beside_grains_meets_water_at_the_step_it_has),
        cmocka_unit_test(test_energy_never_rises_at_twenty_times_the_limit),
        cmocka_unit_test(test_rests_where_explicit_steps_rest),
        cmocka_unit_test(test_lies_on_a_floor_at_any_steps),
        cmocka_unit_test(test_drapes_a_ball_as_explicit_steps_do),
        cmocka_unit_test(test_comes_to_rest_on_a_ball),
        cmocka_unit_test(test_friction_holds_below_its_angle),
        cmocka_unit_test(test_floors_carry_the_weight),
        cmocka_unit_test(test_layers_do_not_pass_each_other),
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_same_bits_after_restore),
        cmocka_unit_test(test_auto_is_implicit_where_that_is_cheaper),
        cmocka_unit_test(test_cotton_catches_a_drop_at_the_liquids_steps),
        cmocka_unit_test(test_cotton_catches_soft_cream),
        cmocka_unit_test(test_momentum_of_cloth_and_liquid_is_kept),
        cmocka_unit_test(test_same_bits_beside_liquid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
