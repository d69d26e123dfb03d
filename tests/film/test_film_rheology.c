// Films of thick liquids: yield at the wall of a fibre, speed beyond it, elastic strain.
#include "film/flow.h"
#include "film/across.h"
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
    double response[MOST], matrix[6 * MOST], answer_impulse[3 * MOST], tension[MOST], turn[3 * MOST], way[MOST];
    dr_film film;
    dr_film_host host;
    dr_film_answer answer;
    dr_film_law law;
    double room[60 * MOST];
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
                           .elastic = modulus > 0.0,
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
    at.answer = (dr_film_answer){at.response, at.matrix, at.answer_impulse, at.tension, at.turn, at.way};
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

static double stretch_one(double strain, double rate, double dt)
{
    const dr_viscoplastic *plastic = &at.law.plastic;
    dr_film_stretches of;
    for (int k = 0; k < DR_LANES; k++) {
        of.modulus[k] = at.law.shear_modulus;
        of.yield[k] = plastic->yield;
        of.consistency[k] = plastic->consistency;
        of.index[k] = plastic->index;
        of.rate[k] = k == 1 ? rate : 0.0;
        of.strain[k] = k == 1 ? strain : 0.0;
    }
    dr_film_stretch_lanes(&of, dt);
    assert_true(of.strain[0] == 0.0);
    return of.strain[1];
}

// c = sqrt 2/mu (yield + eta (sqrt 2 rate)^n) of shaving cream that is stretched or pushed together.
static void test_strain_comes_to_what_flow_holds(void **unused)
{
    (void)unused;
    set_law(0.2, 2.9e3, 319.0, 272.0, 0.22);
    static const double rate[3] = {5.0, -5.0, 20.0}, known[3] = {0.330952, -0.330952, 0.403456};
    for (int k = 0; k < 3; k++) {
        double c = 0.0;
        for (int i = 0; i < 200; i++) c = stretch_one(c, rate[k], 1e-3);
        assert_true(fabs(c - known[k]) < 2e-6);
    }
    double c = stretch_one(0.0, 1.0, 1e-3); // elastic: 2 sinh(2 dt rate)
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

// ---- side by side, and mixed

static void test_edges_side_by_side_slide_as_one_by_one(void **unused)
{
    (void)unused;
    static const double index[3] = {0.22, 0.5173, 1.0}, impulse[4] = {1e-3, -0.2, 4.0, 0.0};
    for (int n = 0; n < 3; n++) {
        set_law(1.22, 1e3, 16.813, 6.496, index[n]);
        at.law.slip = 1e-4;
        for (int h = 0; h < 3; h++) {
            dr_film_slides slides;
            double radius[DR_LANES], height[DR_LANES], over[DR_LANES];
            for (int k = 0; k < DR_LANES; k++) {
                radius[k] = 0.005;
                height[k] = 0.0004 * (k + 1) * (h == 2 ? 20.0 : h + 1.0);
                slides.yield[k] = at.law.yield;
                slides.consistency[k] = at.law.consistency;
                slides.index[k] = at.law.index;
                slides.mass[k] = 0.01;
                slides.impulse[k] = impulse[(k + h) % 4];
                slides.wall[k] = k == 1 ? 0.0 : 1e-3;
                slides.over[k] = over[k] = k == 2 ? 5.0 : 0.0;
            }
            dr_film_section_lanes(radius, height, slides.near, slides.more);
            dr_film_slide_lanes(&slides, at.law.slip);
            for (int k = 0; k < DR_LANES; k++) {
                dr_film_section section = dr_film_section_of(&at.law, radius[k], height[k]);
                double u =
                    dr_film_slide(&at.law, &section, slides.mass[k], slides.impulse[k], slides.wall[k], &over[k]);
                assert_true(fabs(slides.near[k] - section.near) < 1e-12 * section.near);
                assert_true(fabs(slides.more[k] - section.more) < 1e-10);
                assert_true(fabs(slides.speed[k] - u) <= 1e-9 * fabs(u));
            }
        }
    }
}

static dr_film_flow_curve curve(double modulus, double yield, double consistency, double n)
{
    return (dr_film_flow_curve){
        yield / sqrt(3.0), consistency * exp2(-0.5 * (n + 1.0)), n, modulus, sqrt(2.0 / 3.0) * yield, consistency};
}

// A film of drilling mud and paint flows and yields as one liquid with their means does, and keeps the volume of each.
static void test_thick_liquids_mix_by_volume(void **unused)
{
    (void)unused;
    dr_film_liquids two = {.count = 2, .density = {1.22, 0.95}, .thick = true};
    two.curve[0] = curve(1e3, 16.813, 6.496, 0.5173);
    two.curve[1] = curve(4e3, 9.6, 173.56, 0.3162);
    double share = 0.3, speed[2][41], mix[2 * 41], before[2] = {0}, after[2] = {0};
    dr_film_flow_curve mean = {0};
    dr_film_flow_curve_add(&mean, 1.0 - share, &two.curve[0]);
    dr_film_flow_curve_add(&mean, share, &two.curve[1]);
    for (int mixed = 0; mixed < 2; mixed++) {
        begin(41, 0.1, 0.04);
        for (int i = 0; i < 41; i++) at.volume[i] *= 1.0 + 0.3 * sin(0.7 * i);
        set_law(0.7 * 1.22 + 0.3 * 0.95, mean.shear_modulus, 1.0, 1.0, mean.index);
        at.law.yield = mean.yield;
        at.law.consistency = mean.consistency;
        at.law.plastic = (dr_viscoplastic){mean.norm_yield, mean.norm_consistency, mean.index};
        for (int i = 0; i < 41; i++) mix[2 * i + 1] = share * at.volume[i];
        for (int i = 0; i < 41; i++) mix[2 * i] = at.volume[i] - mix[2 * i + 1];
        for (int i = 0; i < 82 && mixed; i++) before[i % 2] += mix[i];
        if (mixed) {
            set_law(1.22, 1e3, 16.813, 6.496, 0.5173);
            at.law.liquids = &two;
            at.film.mix = mix;
            at.film.liquids = 2;
        }
        flow(50, 1e-3);
        memcpy(speed[mixed], at.velocity, sizeof speed[mixed]);
        for (int i = 0; i < 82 && mixed; i++) after[i % 2] += mix[i];
    }
    double most = 0.0;
    for (int i = 0; i < 41; i++) most = fmax(most, fabs(speed[0][i]));
    assert_true(most > 0.1);
    for (int i = 0; i < 41; i++) assert_true(fabs(speed[1][i] - speed[0][i]) < 1e-9 * most);
    for (int k = 0; k < 2; k++) assert_true(fabs(after[k] - before[k]) < 1e-13 * before[k]);
}

// Against the integral of the rate of shear over a tube.
static void test_thick_liquid_in_a_tube(void **unused)
{
    (void)unused;
    dr_film_flow_curve mud = curve(1e3, 16.813, 6.496, 0.5173);
    double r = 0.004, slip = 1e-4, stress = 3.0 * mud.yield, sum = 0.0;
    enum { PARTS = 20000 };
    for (int i = 0; i < PARTS; i++) { // mean of u over the section: integral of (x/r)^2 rate(x) dx
        double x = r * (i + 0.5) / PARTS, over = stress * x / r - mud.yield;
        if (over > 0.0) sum += x * x / (r * r) * pow(over / mud.consistency, 1.0 / mud.index) * r / PARTS;
    }
    sum += slip * pow((stress - mud.yield) / mud.consistency, 1.0 / mud.index);
    assert_true(fabs(dr_film_tube_speed(&mud, r, slip, stress) / sum - 1.0) < 1e-6);
    assert_true(dr_film_tube_speed(&mud, r, slip, mud.yield) == 0.0);
    dr_film_flow_curve water = dr_film_flow_curve_thin(0.01);
    assert_true(fabs(dr_film_tube_speed(&water, r, 0.0, 2.0) / (2.0 * r / 0.04) - 1.0) < 1e-14);
}

// Two strands side by side that bring unlike sections: what their yield stress bears stays, the rest flows until it
// does, and no volume is lost.
static void test_thick_bridges_bear_a_difference_and_even_out_the_rest(void **unused)
{
    (void)unused;
    dr_film_flow_curve liquid = curve(1e3, 16.813, 6.496, 0.5173);
    for (int more = 0; more < 2; more++) {
        double length[4] = {0.1, 0.1, 0.1, 0.1}, parts[4] = {1, 1, 1, 1}, volume[4];
        dr_film_link link = {.surface_tension = 20.6,
                             .slip = 1e-4,
                             .curve = liquid,
                             .vertex = {0, 2},
                             .place = {0.5, 0.5},
                             .length = 0.1,
                             .distance = 0.0085,
                             .radius = {0.0037, 0.0037},
                             .angle = 0.5};
        double share[2] = {1e-5, more ? 3e-5 : 1.0001e-5};
        for (int i = 0; i < 4; i++) volume[i] = 0.1 * share[i / 2];
        double before = volume[0] + volume[1] + volume[2] + volume[3];
        dr_film_cells cells = {length, parts};
        for (int i = 0; i < 400; i++) dr_film_across(&link, 1, &cells, 1e-3, volume);
        double off = dr_film_bridge_share(&link, 1, &cells, volume) - dr_film_bridge_share(&link, 0, &cells, volume);
        assert_true(fabs(volume[0] + volume[1] + volume[2] + volume[3] - before) < 1e-14 * before);
        if (!more) assert_true(volume[2] == 0.1 * share[1]);
        if (more) assert_true(off < 0.5 * (share[1] - share[0]) && off > 0.95 * link.hold && off < 1.3 * link.hold);
    }
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
        cmocka_unit_test(test_edges_side_by_side_slide_as_one_by_one),
        cmocka_unit_test(test_thick_liquids_mix_by_volume),
        cmocka_unit_test(test_thick_liquid_in_a_tube),
        cmocka_unit_test(test_thick_bridges_bear_a_difference_and_even_out_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
