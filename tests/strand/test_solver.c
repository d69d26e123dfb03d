// The implicit step of strands: equilibria, momentum, stability, impulses, rest shapes.
#include "strand/solver.h"

#include "math/random.h"
#include "math/vec.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct bundle {
    dr_strand_material material;
    dr_strands strands;
    dr_strand_solver *solver;
    dr_par par;
    dr_strand_verdict verdict;
    double gravity[3];
    unsigned char order[64]; // of strands; all zero: backward Euler
    bool begun;
} bundle;

static void start(bundle *b, double young, int threads)
{
    memset(b, 0, sizeof *b);
    b->material = (dr_strand_material){.density = 1.32, .young = young, .shear = young / 2.8, .friction = 0.3};
    b->strands.materials = &b->material;
    b->par.threads = threads;
    assert_true(dr_strands_reserve(&b->strands, NULL, 64, 8192));
}

static void finish(bundle *b)
{
    dr_strand_solver_close(b->solver);
    dr_strands_free(&b->strands, NULL);
}

// A straight horizontal strand along x whose clamp sits in the middle of its first edge.
static int add_straight(bundle *b, double length, int segments, double radius, double y)
{
    double points[3 * 256], edge = length / (segments - 0.5);
    const double both[2] = {radius, radius};
    for (int i = 0; i <= segments; i++) dr_vec3_set(points + 3 * i, (i - 0.5) * edge, y, 0.0);
    return dr_strands_add(&b->strands, points, segments + 1, both, 0);
}

static void clamp(bundle *b, int s)
{
    size_t first = (size_t)b->strands.first[s];
    b->strands.held[first] = DR_STRAND_HELD | DR_STRAND_TURN_HELD;
    b->strands.held[first + 1] = DR_STRAND_HELD;
}

static void step_between(bundle *b, double dt, const dr_strand_goal *end, const dr_strand_goal *middle,
                         const dr_strand_load *load, bool keep)
{
    static double acceleration[3 * 8192], spin_rate[8192];
    dr_strand_step step = {.dt = dt, .goal = end, .middle = middle, .load = load, .keep = keep};
    if (b->order[0]) step.order = b->order;
    dr_vec3_copy(step.gravity, b->gravity);
    if (!b->solver) b->solver = dr_strand_solver_open(&b->strands, NULL, &b->par);
    assert_non_null(b->solver);
    if (b->order[0] && !b->begun) {
        dr_strand_verdict released;
        assert_true(dr_strand_solver_release(b->solver, &b->strands, &step, acceleration, spin_rate, &released));
        assert_int_equal(released.failed, 0);
        step.acceleration = acceleration;
        step.spin_rate = spin_rate;
    }
    b->begun = true;
    assert_true(dr_strand_solver_predict(b->solver, &b->strands, &step, &b->verdict));
}

static void step_to(bundle *b, double dt, const double *goal, const double *director, const dr_strand_load *load,
                    bool keep)
{
    dr_strand_goal held = {goal ? goal : b->strands.position, director ? director : b->strands.director, NULL};
    step_between(b, dt, &held, &held, load, keep);
}

static void step(bundle *b, double dt)
{
    step_to(b, dt, NULL, NULL, NULL, false);
    dr_strand_solver_commit(b->solver, &b->strands);
}

static void go_by_two_stages(bundle *b)
{
    for (int s = 0; s < b->strands.count; s++) b->order[s] = (unsigned char)dr_strands_order(&b->strands, s);
}

// Gamma = weight per length L^3 / B of a round strand under normal gravity: the modulus that gives it.
static double young_for(double gamma, double length, double radius)
{
    return 4.0 * 1.32 * 981.0 * length * length * length / (gamma * radius * radius);
}

// Euler's elastica under its own weight, tip drop over reach.
static void test_hanging_cantilevers_have_the_elastica_shape(void **state)
{
    (void)state;
    static const double gamma[] = {1, 10, 50}, ratio[] = {0.124562, 1.066802, 3.70556};
    for (int k = 0; k < 3; k++) {
        bundle b;
        start(&b, young_for(gamma[k], 10.0, 0.05), 1);
        int s = add_straight(&b, 10.0, 40, 0.05, 0.0);
        clamp(&b, s);
        b.gravity[1] = -981.0;
        for (int i = 0; i < 60; i++) {
            step(&b, 1.0);
            assert_int_equal(b.verdict.failed, 0);
        }
        const double *tip = b.strands.position + 3 * (size_t)(b.strands.first[s + 1] - 1);
        assert_true(fabs(-tip[1] / tip[0] / ratio[k] - 1.0) < 0.01);
        finish(&b);
    }
}

// A free stick turns at 22 rad/s for one second in steps of 8 1/3 ms. Returns the share of its spin that is left.
static double spin_stick(double viscosity, bool two_stages)
{
    bundle b;
    start(&b, 3.9e10, 1);
    b.material.viscosity = viscosity;
    int s = add_straight(&b, 5.0, 15, 0.0037, 0.0);
    for (int v = b.strands.first[s]; v < b.strands.first[s + 1]; v++)
        b.strands.velocity[3 * v + 1] = 22.0 * (b.strands.position[3 * v] - 2.5);
    dr_strand_budget before = {0}, after = {0};
    dr_strands_budget(&b.strands, s, b.gravity, &before);
    if (two_stages) go_by_two_stages(&b);
    for (int i = 0; i < 120; i++) {
        step(&b, 1.0 / 120.0);
        assert_int_equal(b.verdict.failed, 0);
    }
    dr_strands_budget(&b.strands, s, b.gravity, &after);
    finish(&b);
    return after.angular[2] / before.angular[2];
}

static void test_two_stages_keep_spin_that_one_loses(void **state)
{
    (void)state;
    double two = spin_stick(0.0, true), viscous = spin_stick(1e5, true), one = spin_stick(0.0, false);
    print_message("of its spin a stick keeps %.4f, viscous %.4f, by backward Euler %.4f\n", two, viscous, one);
    assert_true(two > 0.97 && two < 1.01);
    assert_true(fabs(viscous - two) < 0.005);
    assert_true(one < 0.5);
}

// A curl of a viscous material is let go and hangs from a root that goes to and fro. Where its tip is, and how
// far its last edge has turned.
static void swing_curl(int steps, double result[4])
{
    bundle b;
    double points[60], end[60], middle[60], duration = 0.16, dt = duration / steps, turned = 0.0;
    const double radius[2] = {0.02, 0.03};
    start(&b, 1e7, 1);
    b.material.viscosity = 2e4;
    for (int i = 0; i < 20; i++) dr_vec3_set(points + 3 * i, 0.4 * cos(0.5 * i), -0.2 * i, 0.4 * sin(0.5 * i));
    clamp(&b, dr_strands_add(&b.strands, points, 20, radius, 0));
    b.gravity[1] = -981.0;
    go_by_two_stages(&b);
    assert_int_equal(b.order[0], DR_STRAND_TR_BDF2);
    for (int i = 0; i < steps; i++) {
        double stages[2] = {(i + DR_STRAND_MIDDLE) * dt, (i + 1) * dt};
        for (int v = 0; v < 60; v++) {
            middle[v] = points[v] + (v % 3 == 0 ? 1.0 - cos(20.0 * stages[0]) : 0.0);
            end[v] = points[v] + (v % 3 == 0 ? 1.0 - cos(20.0 * stages[1]) : 0.0);
        }
        dr_strand_goal goal = {end, b.strands.director, NULL}, between = {middle, b.strands.director, NULL};
        step_between(&b, dt, &goal, &between, NULL, false);
        assert_int_equal(b.verdict.failed, 0);
        turned += dt * dr_strand_solver_spin(b.solver)[18];
        dr_strand_solver_commit(b.solver, &b.strands);
    }
    dr_vec3_copy(result, b.strands.position + 57);
    result[3] = turned;
    finish(&b);
}

// A straight rod of elliptical section, its first edge held, swings about itself: edges of inertia I joined by torsion
// springs k have 2 sqrt(k/I) sin(pi / (4 n + 2)), n edges swinging; film that turns with them adds to I.
static void swing(double film)
{
    bundle b;
    double turn[21];
    double points[63], a = 0.02, c = 0.05, pi = 3.14159265358979323846, edge = 0.25;
    const double radius[2] = {a, c};
    start(&b, 1e8, 1);
    for (int i = 0; i <= 20; i++) dr_vec3_set(points + 3 * i, edge * i, 0.0, 0.0);
    clamp(&b, dr_strands_add(&b.strands, points, 21, radius, 0));
    for (int v = 1; v < 20; v++) b.strands.spin[v] = sin(pi * v / 39.0);
    double own = 1.32 * pi * a * c * (a * a + c * c) / 4.0 * edge, inertia = (1.0 + film) * own;
    for (int v = 0; v < 21; v++) turn[v] = film * own;
    dr_strand_load load = {.film_turn = turn};
    double spring = 1e8 / 2.8 * pi * pow(a * c, 3.0) / (a * a + c * c) / edge;
    double quarter = 0.5 * pi / (2.0 * sqrt(spring / inertia) * sin(pi / 78.0)), dt = quarter / 100.0, before = 1.0;
    go_by_two_stages(&b);
    for (int i = 1; i <= 120; i++) {
        step_to(&b, dt, NULL, NULL, film > 0.0 ? &load : NULL, false);
        dr_strand_solver_commit(b.solver, &b.strands);
        double now = b.strands.spin[19];
        if (now < 0.0) {
            double zero = (i - now / (now - before)) * dt;
            assert_true(fabs(zero / quarter - 1.0) < 0.003);
            finish(&b);
            return;
        }
        before = now;
    }
    fail_msg("it does not swing back");
}

static void test_rods_swing_about_themselves_at_their_frequency(void **state)
{
    (void)state;
    swing(0.0);
    swing(3.0); // half the frequency
    swing(0.3);
}

static void test_two_stages_are_of_second_order(void **state)
{
    (void)state;
    double result[4][4];
    for (int k = 0; k < 4; k++) swing_curl(40 << k, result[k]);
    for (int a = 0; a < 4; a++) {
        double coarse = result[1][a] - result[0][a], fine = result[2][a] - result[1][a];
        double finer = result[3][a] - result[2][a];
        print_message("component %d: %.9f, differences %.3e %.3e %.3e\n", a, result[3][a], coarse, fine, finer);
    }
    for (int a = 0; a < 4; a++) {
        double fine = result[2][a] - result[1][a], finer = result[3][a] - result[2][a];
        assert_true(fabs(finer) < fabs(fine) / 3.4);
    }
}

static double noise(uint64_t counter)
{
    return dr_random_unit(5, counter) - 0.5;
}

// Free, bent and flung strands of different sizes: momentum stays what it was.
static void keep_momentum(bool two_stages)
{
    bundle b;
    start(&b, 1e9, 1);
    for (int k = 0; k < 11; k++) {
        int s = add_straight(&b, 3.0, 6 + k, 0.01, 0.1 * k);
        for (int v = b.strands.first[s]; v < b.strands.first[s + 1]; v++) {
            for (int a = 0; a < 3; a++) b.strands.velocity[3 * v + a] = 30.0 * noise((uint64_t)(3 * v + a));
        }
    }
    dr_strand_budget before = {0}, after = {0};
    for (int s = 0; s < b.strands.count; s++) dr_strands_budget(&b.strands, s, b.gravity, &before);
    if (two_stages) go_by_two_stages(&b);
    for (int i = 0; i < 100; i++) {
        step(&b, 2e-3);
        assert_int_equal(b.verdict.failed, 0);
    }
    for (int s = 0; s < b.strands.count; s++) dr_strands_budget(&b.strands, s, b.gravity, &after);
    double size = sqrt(before.mass * before.kinetic);
    for (int a = 0; a < 3; a++) assert_true(fabs(after.linear[a] - before.linear[a]) < 1e-12 * size);
    assert_true(after.kinetic + after.elastic < before.kinetic);
    finish(&b);
}

static void test_free_strands_keep_their_momentum(void **state)
{
    (void)state;
    keep_momentum(false);
    keep_momentum(true);
}

static void test_strand_at_rest_stays_exactly(void **state)
{
    (void)state;
    bundle b;
    start(&b, 1e10, 1);
    double points[3 * 60];
    const double radius[2] = {0.004, 0.006};
    for (int i = 0; i < 60; i++) dr_vec3_set(points + 3 * i, 0.3 * cos(0.4 * i), -0.02 * i, 0.3 * sin(0.4 * i));
    int s = dr_strands_add(&b.strands, points, 60, radius, 0);
    clamp(&b, s);
    for (int i = 0; i < 20; i++) step(&b, 1e-2);
    for (int i = 0; i < 180; i++) assert_true(fabs(b.strands.position[i] - points[i]) < 1e-14);
    finish(&b);
}

// The groom as drawn is the equilibrium under gravity.
static void test_sag_free_curl_stays_where_it_was_drawn(void **state)
{
    (void)state;
    bundle b;
    start(&b, 1e10, 1);
    double points[3 * 50];
    const double radius[2] = {0.004, 0.005};
    for (int i = 0; i < 50; i++)
        dr_vec3_set(points + 3 * i, 0.3 * cos(0.5 * i) + 0.03 * i, -0.05 * i, 0.3 * sin(0.5 * i));
    int s = dr_strands_add(&b.strands, points, 50, radius, 0);
    clamp(&b, s);
    b.gravity[1] = -981.0;
    assert_true(dr_strands_rest_hanging(&b.strands, s, b.gravity));
    for (int i = 0; i < 50; i++) {
        step(&b, 5e-3);
        assert_int_equal(b.verdict.failed, 0);
    }
    for (int i = 0; i < 150; i++) assert_true(fabs(b.strands.position[i] - points[i]) < 1e-7);
    finish(&b);
}

// A hanging helix is a spring of k = G r^4 / (4 R^3 N): its tip sinks by W / (2 k) as the vertices become many; with 16
// and 32 points per turn by the amounts known for this discretisation.
static double sink_of_helix(int per_turn)
{
    bundle b;
    double points[3 * 256], edge = 0.0;
    const double radius[2] = {0.0037, 0.0037}, turn = 6.283185307179586;
    int count = 6 * per_turn + 1;
    start(&b, 3.9e10, 1);
    b.material.shear = 3.9e10 / 2.8;
    for (int i = 0; i < count; i++) {
        double angle = turn * i / per_turn;
        dr_vec3_set(points + 3 * i, 0.3 * cos(angle), -0.06 * i / per_turn, 0.3 * sin(angle));
    }
    int s = dr_strands_add(&b.strands, points, count, radius, 0);
    clamp(&b, s);
    b.gravity[1] = -9.81;
    for (int i = 0; i < 40; i++) step(&b, 1.0);
    edge = b.strands.position[3 * (size_t)(count - 1) + 1] - points[3 * (count - 1) + 1];
    finish(&b);
    return edge;
}

static void test_hanging_helix_sinks_as_a_spring(void **state)
{
    (void)state;
    double coarse = sink_of_helix(16), fine = sink_of_helix(32);
    assert_true(fabs(coarse / -7.040e-4 - 1.0) < 0.02 && fabs(fine / -7.620e-4 - 1.0) < 0.02);
    assert_true(fabs((4.0 * fine - coarse) / 3.0 / -7.822e-4 - 1.0) < 0.01);
}

// Damping slows, but where a strand comes to rest does not depend on it.
static void test_damping_does_not_change_stiffness(void **state)
{
    (void)state;
    double tip[2][3];
    for (int k = 0; k < 2; k++) {
        bundle b;
        start(&b, young_for(8.0, 5.0, 0.02), 1);
        b.material.viscosity = k ? 1e6 : 0.0;
        int s = add_straight(&b, 5.0, 20, 0.02, 0.0);
        clamp(&b, s);
        b.gravity[1] = -981.0;
        for (int i = 0; i < 400; i++) step(&b, 1.0);
        dr_vec3_copy(tip[k], b.strands.position + 3 * (size_t)(b.strands.first[s + 1] - 1));
        finish(&b);
    }
    for (int a = 0; a < 3; a++) assert_true(fabs(tip[0][a] - tip[1][a]) < 1e-6);
}

static void test_damping_eats_motion(void **state)
{
    (void)state;
    double left[2];
    for (int k = 0; k < 2; k++) {
        bundle b;
        start(&b, 1e9, 1);
        b.material.viscosity = k ? 1e5 : 0.0;
        int s = add_straight(&b, 4.0, 20, 0.01, 0.0);
        for (int v = b.strands.first[s]; v < b.strands.first[s + 1]; v++)
            b.strands.velocity[3 * v + 1] = 40.0 * cos(0.5 * v);
        for (int i = 0; i < 200; i++) step(&b, 1e-4);
        dr_strand_budget sum = {0};
        dr_strands_budget(&b.strands, s, b.gravity, &sum);
        left[k] = sum.kinetic + sum.elastic;
        finish(&b);
    }
    assert_true(left[1] < 0.5 * left[0]);
}

// Roots of a bundle whipped to and fro at up to 20 m/s, over six decades of stiffness. Returns how many of its solves
// were given up; even those leave a state that is no worse than the guess.
static int whip(double dt, double young, bool two_stages)
{
    bundle b;
    int failed = 0;
    start(&b, young, 1);
    int count = 3;
    for (int k = 0; k < count; k++) clamp(&b, add_straight(&b, 5.0, 12 + 4 * k, 0.0037, 0.1 * k));
    b.gravity[1] = -981.0;
    double goal[3 * 256], between[3 * 256], first[3 * 256], time = 0.0;
    size_t n = b.strands.vertices;
    if (two_stages) go_by_two_stages(&b);
    memcpy(first, b.strands.position, 3 * n * sizeof(double));
    int steps = (int)(0.2 / dt);
    for (int i = 0; i < steps && i < 300; i++) {
        time += dt;
        memcpy(goal, first, 3 * n * sizeof(double));
        memcpy(between, first, 3 * n * sizeof(double));
        for (size_t v = 0; v < n; v++) {
            goal[3 * v + 1] += 2000.0 / 80.0 * sin(80.0 * time);
            between[3 * v + 1] += 2000.0 / 80.0 * sin(80.0 * (time - (1.0 - DR_STRAND_MIDDLE) * dt));
        }
        dr_strand_goal end = {goal, b.strands.director, NULL}, middle = {between, b.strands.director, NULL};
        step_between(&b, dt, &end, &middle, NULL, false);
        dr_strand_solver_commit(b.solver, &b.strands);
        for (size_t v = 0; v < 3 * n; v++)
            assert_true(fabs(b.strands.position[v]) < 25.0 + 8.0 + 3.0 * 981.0 * time * time);
        failed += b.verdict.failed;
    }
    finish(&b);
    return failed;
}

static void test_whipped_roots_never_explode(void **state)
{
    (void)state;
    static const double dt[] = {1e-4, 1e-3, 3e-3, 1e-2}, young[] = {1e7, 1e9, 1e11, 1e13};
    for (int i = 0; i < 4; i++) {
        int failed = 0;
        for (int k = 0; k < 8; k++) failed += whip(dt[i], young[k / 2], k % 2 == 1);
        print_message("step %g: %d solves were given up\n", dt[i], failed);
        assert_true(failed <= (dt[i] > 1e-3 ? 4 : 0));
    }
}

// Five centimetres of hair, its root flipped by 0.8 sin 25 t, after 0.1 s in steps of a millisecond: the tip as known
// from another implementation of converged implicit Euler, and hardly any strain on the way.
static void test_flipped_hair_arrives_where_it_should(void **state)
{
    (void)state;
    bundle b;
    double points[48], goal[48], director[48] = {0};
    const double radius[2] = {0.0037, 0.0037};
    start(&b, 3.9e10, 1);
    for (int i = 0; i < 16; i++) dr_vec3_set(points + 3 * i, i / 3.0, 0.0, 0.0);
    clamp(&b, dr_strands_add(&b.strands, points, 16, radius, 0));
    b.gravity[1] = -981.0;
    double first[3], strain = 0.0;
    dr_vec3_copy(first, b.strands.director);
    for (int k = 1; k <= 100; k++) {
        double angle = 0.8 * sin(0.025 * k), c = cos(angle), s = sin(angle);
        memset(goal, 0, sizeof goal);
        dr_vec3_set(goal + 3, c / 3.0, s / 3.0, 0.0);
        dr_vec3_set(director, c * first[0] - s * first[1], s * first[0] + c * first[1], first[2]);
        step_to(&b, 1e-3, goal, director, NULL, false);
        dr_strand_solver_commit(b.solver, &b.strands);
        assert_int_equal(b.verdict.failed, 0);
        for (int i = 0; i < 15; i++) {
            double edge[3];
            dr_vec3_sub(edge, b.strands.position + 3 * i + 3, b.strands.position + 3 * i);
            strain = fmax(strain, fabs(3.0 * dr_vec3_length(edge) - 1.0));
        }
    }
    assert_true(fabs(b.strands.position[45] - 1.527) < 1e-3 && fabs(b.strands.position[46] - 4.451) < 1e-3);
    assert_true(strain < 1e-6);
    finish(&b);
}

// A plastic strand that was held bent for long stays bent when gravity goes; an elastic one springs back.
static void test_plastic_strands_keep_a_bend(void **state)
{
    (void)state;
    double drop[2];
    for (int k = 0; k < 2; k++) {
        bundle b;
        start(&b, young_for(20.0, 5.0, 0.02), 1);
        b.material.yield = k ? 1e-4 : 0.0;
        b.material.yield_rate = 1.0;
        int s = add_straight(&b, 5.0, 20, 0.02, 0.0);
        clamp(&b, s);
        b.gravity[1] = -981.0;
        for (int i = 0; i < 30; i++) {
            step(&b, 1.0);
            dr_strands_creep(&b.strands, s, 1.0);
        }
        b.gravity[1] = 0.0;
        for (int i = 0; i < 60; i++) step(&b, 1.0);
        drop[k] = -b.strands.position[3 * (size_t)(b.strands.first[s + 1] - 1) + 1];
        finish(&b);
    }
    assert_true(fabs(drop[0]) < 1e-6 && drop[1] > 2.0);
}

// An impulse on one vertex: the factorised system says what a second, nonlinear solve finds.
static void test_compliance_predicts_the_answer_to_an_impulse(void **state)
{
    (void)state;
    bundle b;
    start(&b, 1e9, 1);
    for (int k = 0; k < 3; k++) clamp(&b, add_straight(&b, 5.0, 20 - 3 * k, 0.01, 0.1 * k));
    b.gravity[1] = -981.0;
    for (int i = 0; i < 20; i++) step(&b, 1e-3);
    step_to(&b, 1e-3, NULL, NULL, NULL, true);
    dr_compliance answer = dr_strand_solver_compliance(b.solver, &b.strands);
    int s = 1, n = dr_strands_size(&b.strands, s), at = 9, first = b.strands.first[s];
    double *block = calloc((size_t)n * 32, sizeof *block), *impulse = calloc(3 * b.strands.vertices, sizeof *impulse);
    double *velocity = malloc(3 * b.strands.vertices * sizeof *velocity);
    memcpy(velocity, answer.v, 3 * b.strands.vertices * sizeof *velocity);
    double push[3] = {1e-7, 3e-7, -2e-7};
    for (int a = 0; a < 3; a++) block[(4 * at + a) * 8 + 5] = impulse[3 * (first + at) + a] = push[a];
    answer.solve(answer.self, s, at, block);
    dr_strand_load load = {.impulse = impulse};
    step_to(&b, 1e-3, NULL, NULL, &load, false);
    const double *pushed = dr_strand_solver_velocity(b.solver);
    double size = 0.0, worst = 0.0;
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            int k = 3 * (first + i) + a;
            size = fmax(size, fabs(pushed[k] - velocity[k]));
            worst = fmax(worst, fabs(pushed[k] - velocity[k] - block[(4 * i + a) * 8 + 5]));
        }
    }
    assert_true(size > 1e-4 && worst < 1e-3 * size);
    free(block);
    free(impulse);
    free(velocity);
    finish(&b);
}

// What a script holds answers exactly nothing, wherever the impulse is, so that two held sides of a contact have none
// to find.
static void test_what_is_held_answers_nothing(void **state)
{
    (void)state;
    bundle b;
    start(&b, 1e9, 1);
    clamp(&b, add_straight(&b, 5.0, 11, 0.01, 0.0));
    step_to(&b, 1e-3, NULL, NULL, NULL, true);
    dr_compliance answer = dr_strand_solver_compliance(b.solver, &b.strands);
    double block[12 * 32]; // of its 12 vertices
    for (int at = 0; at < 12; at++) {
        memset(block, 0, sizeof block);
        for (int a = 0; a < 3; a++) block[(4 * at + a) * 8 + a] = 1.0;
        answer.solve(answer.self, 0, at, block);
        for (int v = 0; v < 2; v++) {
            for (int i = 0; i < 24; i++) assert_true(block[32 * v + i] == 0.0);
        }
        assert_true(at < 2 ? block[32 * 5] == 0.0 : block[32 * at] > 0.0);
    }
    finish(&b);
}

// Drag that outweighs everything takes a strand along with the liquid; along and across differ.
static void test_drag_takes_strands_along(void **state)
{
    (void)state;
    bundle b;
    start(&b, 1e8, 1);
    add_straight(&b, 5.0, 10, 0.01, 0.0);
    double drag[22], liquid[33];
    for (int v = 0; v < 11; v++) {
        drag[2 * v] = b.strands.mass[v] / 1e-3;
        drag[2 * v + 1] = 1e6 * b.strands.mass[v] / 1e-3;
        dr_vec3_set(liquid + 3 * v, 7.0, -3.0, 2.0);
    }
    dr_strand_load load = {.drag = drag, .liquid_velocity = liquid};
    step_to(&b, 1e-3, NULL, NULL, &load, false);
    const double *velocity = dr_strand_solver_velocity(b.solver);
    for (int v = 0; v < 11; v++) {
        assert_true(fabs(velocity[3 * v] - 3.5) < 1e-6);
        assert_true(fabs(velocity[3 * v + 1] + 3.0) < 1e-4);
        assert_true(fabs(velocity[3 * v + 2] - 2.0) < 1e-4);
    }
    finish(&b);
}

static void run_tangle(bundle *b, int threads)
{
    start(b, 1e9, threads);
    for (int k = 0; k < 30; k++) {
        int s = add_straight(b, 3.0, 6 + k % 7, 0.01, 0.1 * k);
        if (k % 3) clamp(b, s);
        for (int v = b->strands.first[s] + 2; v < b->strands.first[s + 1]; v++)
            b->strands.velocity[3 * v + 1] = 30.0 * noise((uint64_t)v);
    }
    go_by_two_stages(b);
    for (int s = 0; s < b->strands.count; s += 4) b->order[s] = DR_STRAND_EULER; // some of one stage beside others
    for (int i = 0; i < 10; i++) step(b, 2e-3);
}

static void test_threads_do_not_change_a_bit(void **state)
{
    (void)state;
    bundle one, three;
    run_tangle(&one, 1);
    run_tangle(&three, 3);
    assert_memory_equal(one.strands.position, three.strands.position, 3 * one.strands.vertices * sizeof(double));
    assert_memory_equal(one.strands.twist, three.strands.twist, one.strands.vertices * sizeof(double));
    finish(&one);
    finish(&three);
}

// Eleven strands of two lengths, so that batches are mixed and one is not full.
static void make_brush(bundle *b)
{
    start(b, 3.9e10, 1);
    b->gravity[1] = -981.0;
    for (int k = 0; k < 11; k++) {
        int s = add_straight(b, 4.0 + 0.1 * k, k < 6 ? 20 : 13, 0.004, 0.2 * k);
        if (k != 5) clamp(b, s);
    }
}

// A step, its impulses added at once or afterwards to the strands that are wanted.
static void push_brush(bundle *b, const bool *wanted, double size, bool afterwards)
{
    static double first[3 * 8192], more[3 * 8192], both[3 * 8192];
    dr_strand_load load = {.impulse = first};
    dr_strand_goal held = {b->strands.position, b->strands.director, NULL};
    dr_strand_step one = {.dt = 2e-3, .goal = &held, .load = &load, .keep = true, .twice = true};
    dr_vec3_copy(one.gravity, b->gravity);
    for (int s = 0; s < b->strands.count; s++) {
        for (size_t k = 3 * (size_t)b->strands.first[s]; k < 3 * (size_t)b->strands.first[s + 1]; k++) {
            double mass = b->strands.mass[k / 3];
            first[k] = 3.0 * mass * sin(0.7 * (double)k);
            more[k] = wanted[s] ? size * mass * cos(0.3 * (double)k) : 0.0;
            both[k] = first[k] + more[k];
        }
    }
    if (!b->solver) b->solver = dr_strand_solver_open(&b->strands, NULL, &b->par);
    if (!afterwards) load.impulse = both;
    assert_true(dr_strand_solver_predict(b->solver, &b->strands, &one, &b->verdict));
    assert_int_equal(b->verdict.failed, 0);
    if (!afterwards) return;
    load.impulse = both;
    dr_strand_solver_continue(b->solver, &b->strands, &one, wanted, more, &b->verdict);
    assert_int_equal(b->verdict.failed, 0);
}

// Also where the linear answer is far from the truth (the last size); strands that are not wanted keep every bit, and
// so do their systems.
static void test_a_step_goes_on_with_further_impulses(void **state)
{
    (void)state;
    static const double sizes[] = {0.5, 20.0, 2000.0};
    bool wanted[11];
    for (int k = 0; k < 3; k++) {
        bundle whole, parts, dry;
        make_brush(&whole);
        make_brush(&parts);
        make_brush(&dry);
        for (int s = 0; s < 11; s++) wanted[s] = s % 3 != 1;
        push_brush(&whole, wanted, sizes[k], false);
        push_brush(&parts, wanted, sizes[k], true);
        push_brush(&dry, wanted, 0.0, false);
        const double *x = dr_strand_solver_position(whole.solver), *y = dr_strand_solver_position(parts.solver),
                     *z = dr_strand_solver_position(dry.solver);
        dr_compliance answer = dr_strand_solver_compliance(parts.solver, &parts.strands),
                      before = dr_strand_solver_compliance(dry.solver, &dry.strands);
        for (int s = 0; s < 11; s++) {
            size_t first = 3 * (size_t)whole.strands.first[s], end = 3 * (size_t)whole.strands.first[s + 1];
            for (size_t i = first; i < end; i++) assert_true(fabs(x[i] - y[i]) < 1e-8);
            if (wanted[s]) continue;
            static double a[4 * 64 * DR_COMPLIANCE_LANES], c[4 * 64 * DR_COMPLIANCE_LANES];
            memset(a, 0, sizeof a);
            a[(end - first) / 3 * 2 * DR_COMPLIANCE_LANES] = 1.0;
            memcpy(c, a, sizeof c);
            answer.solve(answer.self, s, 0, a);
            before.solve(before.self, s, 0, c);
            assert_memory_equal(z + first, y + first, (end - first) * sizeof *z);
            assert_memory_equal(a, c, sizeof a);
        }
        finish(&whole);
        finish(&parts);
        finish(&dry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hanging_cantilevers_have_the_elastica_shape),
        cmocka_unit_test(test_two_stages_keep_spin_that_one_loses),
        cmocka_unit_test(test_rods_swing_about_themselves_at_their_frequency),
        cmocka_unit_test(test_two_stages_are_of_second_order),
        cmocka_unit_test(test_free_strands_keep_their_momentum),
        cmocka_unit_test(test_strand_at_rest_stays_exactly),
        cmocka_unit_test(test_sag_free_curl_stays_where_it_was_drawn),
        cmocka_unit_test(test_hanging_helix_sinks_as_a_spring),
        cmocka_unit_test(test_damping_does_not_change_stiffness),
        cmocka_unit_test(test_damping_eats_motion),
        cmocka_unit_test(test_whipped_roots_never_explode),
        cmocka_unit_test(test_flipped_hair_arrives_where_it_should),
        cmocka_unit_test(test_plastic_strands_keep_a_bend),
        cmocka_unit_test(test_compliance_predicts_the_answer_to_an_impulse),
        cmocka_unit_test(test_what_is_held_answers_nothing),
        cmocka_unit_test(test_drag_takes_strands_along),
        cmocka_unit_test(test_a_step_goes_on_with_further_impulses),
        cmocka_unit_test(test_threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
