// Films of thick liquids: yield at the wall of a fibre, speed beyond it, elastic strain.
#include "film/flow.h"
#include "film/rheology.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 64
#define PI   3.14159265358979323846

typedef struct fixture {
    double x[3 * MOST], v[3 * MOST], mass[MOST], radius[MOST], pull[3 * MOST], acceleration[3 * MOST];
    unsigned char held[MOST];
    double volume[MOST], velocity[MOST], impulse[3 * MOST], strain[MOST];
    double response[MOST], matrix[6 * MOST], answer_impulse[3 * MOST], tension[MOST];
    dr_film film;
    dr_film_host host;
    dr_film_answer answer;
    dr_film_law law;
    double room[40 * MOST];
} fixture;

static fixture at;

// von Mises' yield stress, consistency of the norm
static void set_law(double density, double modulus, double yield, double consistency, double n)
{
    at.law = (dr_film_law){.density = density,
                           .thick = true,
                           .yield = yield / sqrt(3.0),
                           .consistency = consistency * exp2(-0.5 * (n + 1.0)),
                           .index = n,
                           .shear_modulus = modulus,
                           .plastic = {sqrt(2.0 / 3.0) * yield, consistency, n}};
}

static void begin(int count, double edge, double height)
{
    memset(&at, 0, sizeof at);
    at.film = (dr_film){.volume = at.volume, .velocity = at.velocity, .impulse = at.impulse, .strain = at.strain};
    at.host = (dr_film_host){.count = count,
                             .position = at.x,
                             .velocity = at.v,
                             .mass = at.mass,
                             .radius = at.radius,
                             .pull = at.pull,
                             .acceleration = at.acceleration,
                             .gravity = at.pull,
                             .held = at.held};
    at.answer = (dr_film_answer){at.response, at.matrix, at.answer_impulse, at.tension};
    for (int i = 0; i < count; i++) {
        at.x[3 * i] = edge * i;
        at.pull[3 * i] = 981.0;
        at.mass[i] = 1e-4;
        at.radius[i] = 0.005;
        at.held[i] = 1;
    }
    for (int i = 0; i < count; i++) at.volume[i] = dr_film_volume(height, dr_film_cell(&at.host, i), 0.005);
}

static double fastest(void)
{
    double most = 0.0;
    for (int i = 0; i + 1 < at.host.count; i++) most = fmax(most, fabs(at.velocity[i]));
    return most;
}

static void flow(int steps, double dt)
{
    assert_true(dr_film_flow_room(at.host.count) <= sizeof at.room / sizeof *at.room);
    for (int i = 0; i < steps; i++) assert_true(dr_film_flow(&at.law, &at.host, dt, &at.film, &at.answer, at.room) > 0);
}

// rho g A = 2 pi r tau_y: 0.00530 for drilling mud, 0.00419 for paint on r = 0.005.
static void test_a_film_rests_below_its_yield_height_and_flows_above(void **unused)
{
    (void)unused;
    static const double liquid[2][5] = {{1.22, 1e3, 16.813, 6.496, 0.5173}, {0.95, 4e3, 9.6, 173.56, 0.3162}};
    static const double known[2] = {0.005300802, 0.004190906};
    for (int k = 0; k < 2; k++) {
        const double *m = liquid[k];
        for (int above = 0; above < 2; above++) {
            begin(21, 0.1, (above ? 1.001 : 0.999) * known[k]);
            set_law(m[0], m[1], m[2], m[3], m[4]);
            flow(above ? 5 : 10000, 1e-3);
            if (above)
                assert_true(fastest() > 0.0);
            else
                assert_true(fastest() == 0.0);
        }
    }
}

// What the strand's own acceleration takes counts for the yield: here it holds what would flow, and the other way
// round.
static void test_the_strands_acceleration_counts(void **unused)
{
    (void)unused;
    begin(21, 0.1, 0.01);
    set_law(1.22, 1e3, 16.813, 6.496, 0.5173);
    for (int i = 0; i < 21; i++) at.acceleration[3 * i] = 900.0;
    flow(100, 1e-3);
    assert_true(fastest() == 0.0);
    begin(21, 0.1, 0.005);
    set_law(1.22, 1e3, 16.813, 6.496, 0.5173);
    for (int i = 0; i < 21; i++) at.acceleration[3 * i] = -900.0;
    flow(1, 1e-3);
    assert_true(at.response[10] > 0.0);
}

// The flow of an annulus of Herschel-Bulkley liquid under its weight, by integration of its profile.
static double annulus(const dr_film_law *law, double r, double h, double a)
{
    enum { PARTS = 20000 };
    double H = r + h, step = h / PARTS, u = 0.0, sum = 0.0, wall = 0.0;
    for (int i = 0; i < PARTS; i++) {
        double s = r + (i + 0.5) * step, tau = law->density * a * (H * H - s * s) / (2.0 * s) - law->yield;
        double rate = tau > 0.0 ? pow(tau / law->consistency, 1.0 / law->index) : 0.0;
        sum += 2.0 * PI * s * (u + 0.5 * step * rate) * step;
        u += step * rate;
    }
    double tau = law->density * a * (H * H - r * r) / (2.0 * r) - law->yield;
    if (tau > 0.0) wall = law->slip * pow(tau / law->consistency, 1.0 / law->index);
    return sum / (PI * (H * H - r * r)) + wall;
}

static double speed(double r, double h, double a)
{
    double slope;
    dr_film_section section = dr_film_section_of(&at.law, r, h);
    double tau = at.law.density * a * h * (h + 2.0 * r) / (2.0 * r) - at.law.yield;
    return dr_film_speed(&at.law, &section, tau, &slope);
}

static void test_speed_is_exact_where_newtonian_or_thin(void **unused)
{
    (void)unused;
    set_law(1.0, 1e5, 0.0, 2.0, 1.0); // Newtonian, of viscosity 1
    at.law.slip = 2e-4;
    for (double h = 0.001; h < 0.3; h *= 3.0) {
        double exact = annulus(&at.law, 0.005, h, 981.0);
        assert_true(fabs(speed(0.005, h, 981.0) - exact) < 1e-4 * exact);
    }
    static const double index[3] = {0.3162, 0.5173, 1.5};
    for (int k = 0; k < 3; k++) { // a film much thinner than its fibre
        set_law(1.0, 1e5, 30.0, 5.0, index[k]);
        at.law.slip = 2e-4;
        double exact = annulus(&at.law, 100.0, 0.1, 981.0);
        assert_true(fabs(speed(100.0, 0.1, 981.0) - exact) < 2e-3 * exact);
    }
}

// In between it is near: 3 % up to films three times as thick as their fibre's radius.
static void test_speed_is_near_that_of_the_annulus(void **unused)
{
    (void)unused;
    static const double index[3] = {0.3162, 0.5173, 1.0};
    for (int k = 0; k < 3; k++) {
        set_law(1.0, 1e5, 30.0, 5.0, index[k]);
        for (double h = 0.02; h < 0.16; h *= 1.4) {
            double exact = annulus(&at.law, 0.05, h, 981.0);
            assert_true(fabs(speed(0.05, h, 981.0) - exact) <= 0.03 * exact);
        }
    }
}

static void test_slope_of_the_speed_is_its_difference(void **unused)
{
    (void)unused;
    set_law(1.0, 1e5, 30.0, 5.0, 0.4);
    at.law.slip = 2e-4;
    dr_film_section section = dr_film_section_of(&at.law, 0.005, 0.01);
    for (double over = 0.01; over < 1e3; over *= 7.0) {
        double slope, none, step = 1e-6 * over;
        dr_film_speed(&at.law, &section, over, &slope);
        double difference = (dr_film_speed(&at.law, &section, over + step, &none) -
                             dr_film_speed(&at.law, &section, over - step, &none)) /
                            (2.0 * step);
        assert_true(fabs(slope - difference) < 1e-6 * slope);
    }
}

// The speed at which the flow settles is that of the law, whatever the step.
static void test_a_film_comes_to_its_terminal_speed(void **unused)
{
    (void)unused;
    for (double dt = 1e-4; dt < 0.02; dt *= 10.0) {
        begin(41, 1.0, 0.02);
        set_law(1.22, 1e3, 16.813, 6.496, 0.5173);
        flow((int)(0.3 / dt), dt);
        double expected = speed(0.005, 0.02, 981.0);
        assert_true(fabs(at.velocity[20] - expected) < 1e-3 * expected);
    }
}

// c = sqrt 2/mu (yield + eta (sqrt 2 rate)^n) of shaving cream that is stretched or pushed together.
static void test_strain_comes_to_what_flow_holds(void **unused)
{
    (void)unused;
    set_law(0.2, 2.9e3, 319.0, 272.0, 0.22);
    static const double rate[3] = {5.0, -5.0, 20.0}, known[3] = {0.330952, -0.330952, 0.403456};
    for (int k = 0; k < 3; k++) {
        double c = 0.0;
        for (int i = 0; i < 200; i++) c = dr_film_stretch(&at.law, c, rate[k], 1e-3);
        assert_true(fabs(c - known[k]) < 2e-6);
    }
    double c = dr_film_stretch(&at.law, 0.0, 1.0, 1e-3); // elastic: 2 sinh(2 dt rate)
    assert_true(fabs(c - 2.0 * sinh(2e-3)) < 1e-15);
}

// Volume and the momentum of film and strand, as its ends hold it.
static void test_volume_is_kept(void **unused)
{
    (void)unused;
    begin(41, 0.1, 0.02);
    set_law(1.22, 1e3, 16.813, 6.496, 0.5173);
    for (int i = 0; i < 41; i++) at.volume[i] *= 1.0 + 0.5 * sin(0.7 * i);
    double before = 0.0, after = 0.0;
    for (int i = 0; i < 41; i++) before += at.volume[i];
    flow(1000, 1e-3);
    for (int i = 0; i < 41; i++) after += at.volume[i];
    assert_true(fabs(after - before) < 1e-13 * before);
    for (int i = 0; i < 41; i++) assert_true(at.volume[i] >= 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_film_rests_below_its_yield_height_and_flows_above),
        cmocka_unit_test(test_the_strands_acceleration_counts),
        cmocka_unit_test(test_speed_is_exact_where_newtonian_or_thin),
        cmocka_unit_test(test_speed_is_near_that_of_the_annulus),
        cmocka_unit_test(test_slope_of_the_speed_is_its_difference),
        cmocka_unit_test(test_a_film_comes_to_its_terminal_speed),
        cmocka_unit_test(test_strain_comes_to_what_flow_holds),
        cmocka_unit_test(test_volume_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
