// The penalty model: its force, its energy of adhesion, two hairs that find each other.
#include "bundle.h"

#define R     0.0037
#define SIGMA 72.0

static const dr_penalty model = {1e4, 1.5};

static dr_contact_law wet(double angle)
{
    dr_bridge_sides sides = {{1, 1}, {angle, angle}}, flat = {{1, INFINITY}, {angle, angle}};
    return (dr_contact_law){.surface_tension = SIGMA,
                            .contact_angle = angle,
                            .pair = dr_bridge_table_create(&sides, NULL),
                            .plane = dr_bridge_table_create(&flat, NULL)};
}

static void dry(dr_contact_law *law)
{
    dr_bridge_table_destroy((dr_bridge_table *)(uintptr_t)law->pair, NULL);
    dr_bridge_table_destroy((dr_bridge_table *)(uintptr_t)law->plane, NULL);
}

static void test_force_at_touching_at_rest_and_beyond(void **unused)
{
    (void)unused;
    dr_contact_law law = wet(PI / 3);
    static const double rows[][3] = {{5e-5, 119.130, 0.66527}, {1e-4, 55.872, 0.9180}, {2e-4, 0.0, 0.9949}};
    for (int i = 0; i < 3; i++) {
        double area = rows[i][0];
        check_near(dr_penalty_force(&model, &law, 2 * R, 2 * R, area, NULL), -37.0, 1e-9);
        check_near(dr_penalty_force(&model, &law, 2 * R, 3 * R, area, NULL), 0.0, 1e-9);
        check_near(dr_penalty_force(&model, &law, 2 * R, 4 * R, area, NULL), rows[i][1], 0.05);
        check_near(dr_penalty_adhesion(&model, &law, 2 * R, area), rows[i][2], 2e-3);
    }
    dry(&law);
}

static void test_force_is_continuous_and_its_stiffness_never_negative(void **unused)
{
    (void)unused;
    dr_contact_law law = wet(PI / 3);
    double area = 8e-5, rupture = 2 * R + (1 + PI / 6) * sqrt(area), before = NAN;
    for (double d = 0.5 * R; d < 0.999 * rupture; d += 0.001 * R) {
        double secant, force = dr_penalty_force(&model, &law, 2 * R, d, area, &secant);
        assert_true(secant >= 0.0);
        check_near(force, secant * (d - 3 * R), 1e-9);
        if (!isnan(before)) check_near(force, before, 0.4);
        before = force;
    }
    check_near(dr_penalty_force(&model, &law, 2 * R, 1.001 * rupture, area, NULL), 0.0, 0.0);
    dry(&law);
}

static bundle *two_hairs(double apart, double film, dr_contact_law *law)
{
    bundle *b = bundle_create(1e10, 0.3, 1, NULL);
    b->gravity[1] = 0.0;
    b->choice.model = DR_CONTACT_PENALTY;
    b->choice.penalty = model;
    b->choice.law = *law;
    bundle_add(b, (double[3]){0, 0, 0}, (double[3]){1, 0, 0}, 11, R);
    bundle_add(b, (double[3]){0.03, apart, 0}, (double[3]){1.03, apart, 0}, 11, R);
    for (size_t v = 0; v < b->strands.vertices; v++) b->strands.film_height[v] = film;
    return b;
}

// Moves the second hair and takes all speed away.
static void set_apart(bundle *b, double apart)
{
    for (size_t v = 11; v < 22; v++) b->strands.position[3 * v + 1] = apart;
    for (size_t v = 0; v < 11; v++) b->strands.position[3 * v + 1] = 0.0;
    memset(b->strands.velocity, 0, 3 * b->strands.vertices * sizeof(double));
}

static double middle_gap(const bundle *b)
{
    return b->strands.position[3 * 16 + 1] - b->strands.position[3 * 5 + 1];
}

static void test_wet_hairs_meet_at_their_rest_distance(void **unused)
{
    (void)unused;
    dr_contact_law law = wet(PI / 3);
    bundle *b = two_hairs(2.9 * R, 0.47 * R, &law); // films touch at 2.94 R
    bundle_step(b, 1e-3);
    set_apart(b, 4.5 * R);
    for (int i = 0; i < 300; i++) bundle_step(b, 1e-3);
    check_near(middle_gap(b), 3 * R, 0.02 * R);
    check_at_most(bundle_kinetic(b), 1e-8);
    bundle_free(b);
    b = two_hairs(5 * R, 0.0, &law); // dry: nothing draws them
    for (int i = 0; i < 50; i++) bundle_step(b, 1e-3);
    check_near(middle_gap(b), 5 * R, 1e-9);
    bundle_free(b);
    dry(&law);
}

static void test_overlapping_hairs_are_pushed_apart_and_keep_momentum(void **unused)
{
    (void)unused;
    dr_contact_law law = wet(PI / 3);
    bundle *b = two_hairs(1.5 * R, 0.0, &law);
    for (int i = 0; i < 100; i++) {
        double momentum = 0.0, size = 0.0;
        bundle_step(b, 1e-3);
        for (size_t v = 0; v < b->strands.vertices; v++) {
            momentum += b->strands.mass[v] * b->strands.velocity[3 * v + 1];
            size += b->strands.mass[v] * fabs(b->strands.velocity[3 * v + 1]);
        }
        check_at_most(fabs(momentum), 1e-9 * size + 1e-20);
    }
    assert_true(middle_gap(b) > 2.9 * R);
    bundle_free(b);
    dry(&law);
}

// A bridge that has formed lasts farther than it forms, until it ruptures.
static void test_bridges_remember_that_they_exist(void **unused)
{
    (void)unused;
    dr_contact_law law = wet(PI / 3);
    for (int formed = 0; formed < 2; formed++) {
        bundle *b = two_hairs(formed ? 2.9 * R : 5 * R, 0.47 * R, &law); // rupture is at 6.1 R
        bundle_step(b, 1e-3);
        set_apart(b, 5 * R);
        bundle_step(b, 1e-3);
        assert_true(formed ? b->outcome.contacts > 0 && b->strands.velocity[3 * 5 + 1] > 0.0
                           : b->strands.velocity[3 * 5 + 1] == 0.0);
        set_apart(b, 6.3 * R); // parted: it does not come back by itself
        bundle_step(b, 1e-3);
        set_apart(b, 5 * R);
        bundle_step(b, 1e-3);
        check_near(b->strands.velocity[3 * 5 + 1], 0.0, 0.0);
        bundle_free(b);
    }
    dry(&law);
}

// Springs start from the forces of the last step: where no search follows, these are what acts.
static void test_springs_remember_their_forces(void **unused)
{
    (void)unused;
    dr_contact_law law = wet(PI / 3);
    bundle *b = two_hairs(2.2 * R, 0.0, &law);
    double force[22] = {0};
    bundle_step(b, 1e-3);
    for (size_t k = 0; k < b->memory.count; k++) {
        int32_t vertex = b->memory.who[DR_CONTACT_WHO * k + 2];
        force[vertex] = b->memory.where[DR_CONTACT_WHERE * k];
    }
    set_apart(b, 2.2 * R);
    b->choice.settings.most_sweeps = 0;
    bundle_step(b, 2e-3);
    size_t count, kept = 0;
    const dr_contact *contacts = dr_contact_stage_contacts(b->stage, &count);
    for (size_t k = 0; k < count; k++) {
        double known = force[contacts[k].vertex[0]];
        if (known == 0.0) continue; // its first vertex was beside nothing
        check_near(contacts[k].impulse[0], 2e-3 * known, 1e-12 * fabs(known));
        kept++;
    }
    assert_true(kept >= 16);
    bundle_free(b);
    dry(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_springs_remember_their_forces),
        cmocka_unit_test(test_force_at_touching_at_rest_and_beyond),
        cmocka_unit_test(test_force_is_continuous_and_its_stiffness_never_negative),
        cmocka_unit_test(test_wet_hairs_meet_at_their_rest_distance),
        cmocka_unit_test(test_overlapping_hairs_are_pushed_apart_and_keep_momentum),
        cmocka_unit_test(test_bridges_remember_that_they_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
