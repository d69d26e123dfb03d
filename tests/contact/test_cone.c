#include "support/check.h"

#include "contact/cone.h"
#include "math/random.h"

static double normal_draw(uint64_t *counter)
{
    double sum = 0.0;
    for (int i = 0; i < 12; i++) sum += dr_random_unit(3, (*counter)++);
    return sum - 6.0;
}

// W = F F^T with a 3x6 Gaussian factor whose rows have these sizes.
static void random_matrix(uint64_t *counter, const double size[3], double w[6])
{
    double f[3][6];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) f[i][j] = size[i] * normal_draw(counter);
    }
    static const int places[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (int k = 0; k < 6; k++) {
        w[k] = 0.0;
        for (int j = 0; j < 6; j++) w[k] += f[places[k][0]][j] * f[places[k][1]][j];
    }
}

static double solve(const double w[6], const double b[3], double friction, double r[3], dr_cone_state *state)
{
    double v[3];
    *state = dr_cone_solve(w, b, friction, r);
    v[0] = b[0] + w[0] * r[0] + w[1] * r[1] + w[2] * r[2];
    v[1] = b[1] + w[1] * r[0] + w[3] * r[1] + w[4] * r[2];
    v[2] = b[2] + w[2] * r[0] + w[4] * r[1] + w[5] * r[2];
    return dr_cone_residual(r, v, friction, (w[0] + w[3] + w[5]) / 3.0);
}

static double worst_of(const double size[3], int count, int seen[3])
{
    uint64_t counter = 0;
    double worst = 0.0;
    for (int n = 0; n < count; n++) {
        double w[6], b[3], r[3], friction = 0.01 + 1.99 * dr_random_unit(4, (uint64_t)n);
        dr_cone_state state;
        random_matrix(&counter, size, w);
        for (int a = 0; a < 3; a++) b[a] = normal_draw(&counter);
        worst = fmax(worst, solve(w, b, friction, r, &state));
        assert_true(hypot(r[1], r[2]) <= friction * r[0] * (1.0 + 1e-14) || state == DR_CONE_STICK);
        seen[state]++;
    }
    return worst;
}

static void test_coulombs_law_holds_for_random_contacts(void **unused)
{
    (void)unused;
    int seen[3] = {0};
    check_at_most(worst_of((double[3]){1, 1, 1}, 20000, seen), 1e-12);
    for (int i = 0; i < 3; i++) assert_true(seen[i] > 1000);
}

// Compliances that differ by 1e8 between directions, as along and across a strand.
static void test_coulombs_law_holds_at_stiffness_contrast(void **unused)
{
    (void)unused;
    int seen[3] = {0};
    check_at_most(worst_of((double[3]){1, 1, 1e-4}, 20000, seen), 1e-5);
    check_at_most(worst_of((double[3]){1, 1e-4, 1e-4}, 20000, seen), 1e-5);
    check_at_most(worst_of((double[3]){1e-4, 1, 1e-4}, 20000, seen), 1e-5);
}

static void test_the_threshold_of_sticking(void **unused)
{
    (void)unused;
    double w[6] = {2, 0, 0, 2, 0, 2}, r[3];
    for (double friction = 0.1; friction < 2.0; friction += 0.3) {
        double inside[3] = {-1.0, friction - 1e-9, 0.0}, outside[3] = {-1.0, friction + 1e-9, 0.0};
        assert_true(dr_cone_solve(w, inside, friction, r) == DR_CONE_STICK);
        assert_true(dr_cone_solve(w, outside, friction, r) == DR_CONE_SLIDE);
        check_near(r[0], 0.5, 1e-12);
        check_near(r[1], -0.5 * friction, 1e-12);
    }
}

static void test_separating_contacts_feel_nothing(void **unused)
{
    (void)unused;
    double w[6] = {1, 0.2, 0.1, 1, 0, 1}, b[3] = {1e-9, -5.0, 3.0}, r[3];
    assert_true(dr_cone_solve(w, b, 0.5, r) == DR_CONE_OPEN);
    check_vector_near(r, ((double[3]){0, 0, 0}), 0.0);
}

static void test_no_friction_gives_a_normal_impulse_alone(void **unused)
{
    (void)unused;
    double w[6] = {4, 0.2, 0.1, 1, 0, 1}, b[3] = {-2.0, 1.0, 1.0}, r[3];
    dr_cone_solve(w, b, 0.0, r);
    check_vector_near(r, ((double[3]){0.5, 0, 0}), 0.0);
}

static void test_the_residual_sees_every_violation(void **unused)
{
    (void)unused;
    double none[3] = {0, 0, 0}, push[3] = {1, 0, 0}, drag[3] = {1, 0.5, 0};
    assert_true(dr_cone_residual(none, (double[3]){1, 2, 3}, 0.5, 1.0) < 1e-14);  // open
    assert_true(dr_cone_residual(push, none, 0.5, 1.0) < 1e-14);                  // sticks
    assert_true(dr_cone_residual(drag, (double[3]){0, -3, 0}, 0.5, 1.0) < 1e-14); // slides
    assert_true(dr_cone_residual(none, (double[3]){-1, 0, 0}, 0.5, 1.0) > 0.5);   // approaches
    assert_true(dr_cone_residual(push, (double[3]){0, -1, 0}, 0.5, 1.0) > 0.1);   // slides without friction
    assert_true(dr_cone_residual(drag, (double[3]){0, 3, 0}, 0.5, 1.0) > 0.1);    // friction drives
    assert_true(dr_cone_residual(push, (double[3]){1, 0, 0}, 0.5, 1.0) > 0.1);    // pushes what is open
}

// A sticky collider: motion along it counts as what it is.
static void test_steep_cones_are_measured_in_velocities(void **unused)
{
    (void)unused;
    double held[3] = {1.0, 3.0, 4.0}, sliding[3] = {1e-6, 0.6, 0.8}, none[3] = {0.0, 0.0, 0.0};
    check_near(dr_cone_residual(held, (double[3]){0.0, 0.0, 0.1}, 1e6, 1.0), 0.1, 1e-14);
    check_near(dr_cone_residual(held, none, 1e6, 1.0), 0.0, 1e-14);
    check_near(dr_cone_residual(sliding, (double[3]){0.0, -6.0, -8.0}, 1e6, 1.0), 0.0, 1e-11);
    check_near(dr_cone_residual(sliding, (double[3]){0.0, 6.0, 8.0}, 1e6, 1.0), 10.0, 1e-11);
    check_near(dr_cone_residual(none, (double[3]){2.0, 5.0, 0.0}, 1e6, 1.0), 0.0, 1e-14);
    check_near(dr_cone_residual(none, (double[3]){-2.0, 5.0, 0.0}, 1e6, 1.0), 4.0, 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coulombs_law_holds_for_random_contacts),
        cmocka_unit_test(test_coulombs_law_holds_at_stiffness_contrast),
        cmocka_unit_test(test_the_threshold_of_sticking),
        cmocka_unit_test(test_separating_contacts_feel_nothing),
        cmocka_unit_test(test_no_friction_gives_a_normal_impulse_alone),
        cmocka_unit_test(test_the_residual_sees_every_violation),
        cmocka_unit_test(test_steep_cones_are_measured_in_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
