// The energy of a film's surface: its pressure is that energy's slope, and a film that flows does not gain any,
// and goes nowhere of itself.
#include "film/flow_parts.h"
#include "one_strand.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
    double l[MOST], cell[MOST], shorter[MOST], steeper[MOST], area[MOST], surface[MOST], sigma[MOST], p[MOST], N[MOST];
} seen;

// A straight strand that nothing moves, along x, without a free end.
static void begin_straight(int count, double (*place)(int))
{
    begin(count);
    assert_non_null(at.room);
    at.host.free_end[1] = false;
    memset(at.held, 1, sizeof at.held);
    for (int i = 0; i < count; i++) at.x[3 * i] = place(i);
}

static double energy(void)
{
    static const double none[3] = {0, 0, 0};
    dr_film_budget sum = {0};
    dr_film_sum(&at.film, &at.law, &at.host, none, &sum);
    return sum.kinetic + sum.surface;
}

static double unevenly(int i)
{
    return 0.05 * i + 0.01 * sin(1.7 * i);
}

// The film as the pressure sees it.
static void press(void)
{
    dr_flow f = {.law = &at.law,
                 .host = &at.host,
                 .count = at.count,
                 .V = at.volume,
                 .film = &at.film,
                 .l = seen.l,
                 .cell = seen.cell,
                 .shorter = seen.shorter,
                 .steeper = seen.steeper,
                 .area = seen.area,
                 .surface = seen.surface,
                 .sigma = seen.sigma,
                 .p = seen.p,
                 .N = seen.N};
    double t[3];
    for (int v = 0; v < at.count; v++) {
        seen.cell[v] = dr_film_cell(&at.host, v);
        seen.shorter[v] = 1.0 / seen.cell[v];
        seen.area[v] = at.volume[v] * seen.shorter[v];
        seen.surface[v] = at.radius[v] + dr_film_height(at.volume[v], seen.cell[v], at.radius[v]);
        seen.sigma[v] = at.law.surface_tension;
        if (v + 1 == at.count) continue;
        seen.l[v] = dr_film_edge(&at.host, v, t);
        seen.steeper[v] = 1.0 / seen.l[v];
    }
    dr_flow_press(&f);
}

// Films that are higher and lower than edges are long, steep and gentle.
static void test_pressure_is_the_slope_of_the_surface_energy(void **state)
{
    (void)state;
    begin_straight(40, unevenly);
    for (int i = 0; i < at.count; i++) {
        double height = 0.04 + 0.03 * sin(0.9 * i) + (i > 20 && i < 24 ? 0.05 : 0.0);
        at.volume[i] = dr_film_volume(height, dr_film_cell(&at.host, i), at.radius[i]);
    }
    press();
    for (int i = 0; i < at.count; i++) {
        double here = at.volume[i], change = 1e-5 * here;
        at.volume[i] = here + change;
        double above = energy();
        at.volume[i] = here - change;
        double below = energy();
        at.volume[i] = here;
        double slope = (above - below) / (2.0 * change);
        assert_true(fabs(seen.p[i] - slope) < 1e-6 * (fabs(slope) + 72.0 / seen.surface[i]));
    }
}

static int edges;

static double evenly(int i)
{
    return 4.7 * i / edges;
}

// A film that begins and ends within cells draws together into a bead: what its front pushes it by comes of its
// surface. In cells half as long as it is high its foot is steeper than pressures are right for.
static void test_a_film_that_draws_together_gains_no_energy(void **state)
{
    (void)state;
    static const int cuts[] = {25, 40, 60, 75, 100, 120, 185, 300};
    static const double filled[] = {1.0, 0.8, 0.5, 0.3};
    for (int k = 0; k < 32; k++) {
        edges = cuts[k / 4];
        begin_straight(edges + 1, evenly);
        int from = edges / 12, to = edges / 4;
        for (int i = from; i <= to; i++)
            at.volume[i] = (i == from || i == to ? filled[k % 4] : 1.0) *
                           dr_film_volume(0.05, dr_film_cell(&at.host, i), at.radius[i]);
        double start = energy(), most = start;
        for (int n = 0; n < 100; n++) {
            assert_true(dr_film_flow(&at.law, &at.host, 3e-5, &at.film, &at.answer, at.room) >= 1);
            most = fmax(most, energy());
        }
        assert_true(most - start <= 1e-5 * start);
    }
}

// The weight works on momentum, the potential energy falls by what flows.
static void test_a_film_that_draws_together_as_it_falls_gains_no_energy(void **state)
{
    (void)state;
    static const int cuts[] = {20, 21, 22, 23, 25, 30, 35, 40, 60, 80, 100, 128, 197};
    const double pull = 981.0 * sqrt(0.5);
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        edges = cuts[k];
        begin_straight(edges + 1, evenly);
        for (int i = 0; i < at.count; i++) {
            double cell = dr_film_cell(&at.host, i), low = edges * 0.07 - i + 0.5, high = i + 0.5 - edges * 0.25;
            double share = fmax(0.0, 1.0 - fmax(0.0, low) - fmax(0.0, high));
            at.pull[3 * i] = pull;
            at.volume[i] = share * dr_film_volume(0.05, cell, at.radius[i]);
        }
        at.law.viscosity = 8.9e-3;
        double start = 0.0, all = 0.0, most = 0.0;
        for (int n = 0; n < 60; n++) {
            double sum = energy(), potential = 0.0;
            for (int i = 0; i < at.count; i++) potential -= at.volume[i] * pull * at.x[3 * i];
            if (n == 0) {
                start = sum + potential;
                all = sum - potential;
            }
            most = fmax(most, (sum + potential - start) / all);
            assert_true(dr_film_flow(&at.law, &at.host, 3e-4, &at.film, &at.answer, at.room) >= 1);
        }
        print_message("%d edges: gains %.2g\n", edges, most);
        assert_true(most < 1e-5);
    }
}

static double closely(int i)
{
    return 0.005 * i;
}

static double middle(void)
{
    double sum = 0.0, all = 0.0;
    for (int i = 0; i < at.count; i++) {
        sum += at.volume[i] * i;
        all += at.volume[i];
    }
    return sum / all;
}

// Water on a fibre of 30 um, from cell to cell but for a part of the first, gathers into a bead six edges high. How far
// that goes in 80 ms, in edges.
static double wander(int count, double part)
{
    begin_straight(count, closely);
    at.law.viscosity = 8.9e-3;
    for (int i = 0; i < count; i++) at.radius[i] = 3e-3;
    for (int i = count / 2 - 14, last = count - 1 - i; i <= last; i++)
        at.volume[i] = (i == count / 2 - 14 ? part : 1.0) * dr_film_volume(0.01, 0.005, 3e-3);
    double start = middle();
    for (int n = 0; n < 80; n++) assert_true(dr_film_flow(&at.law, &at.host, 1e-3, &at.film, &at.answer, at.room) >= 1);
    return middle() - start;
}

static void test_a_bead_stays_where_it_gathers(void **state)
{
    (void)state;
    static const double parts[] = {1.0, 0.7, 0.4, 0.1};
    for (int k = 0; k < 8; k++) {
        double went = wander(101 - k / 4, parts[k % 4]);
        print_message("%d vertices, %g: goes %.2g edges\n", at.count, parts[k % 4], went);
        assert_true(fabs(went) < 1.0);
        if (k % 4 == 0) assert_true(fabs(went) < 1e-3); // the same to both sides
    }
}

// Whatever its surface does meanwhile: a strand that held fronts back by more than friction would slow it.
static void test_a_film_without_viscosity_falls_freely(void **state)
{
    (void)state;
    static const int cuts[] = {80, 160, 320};
    for (int k = 0; k < 3; k++) {
        edges = cuts[k] / 2;
        begin_straight(cuts[k] + 1, evenly);
        for (int i = 0; i < at.count; i++) at.pull[3 * i] = 981.0;
        for (int i = cuts[k] / 16, last = cuts[k] / 7; i <= last; i++)
            at.volume[i] = dr_film_volume(0.05, dr_film_cell(&at.host, i), at.radius[i]);
        double start = middle(), time = 0.0;
        for (; time < 0.055; time += 5e-4)
            assert_true(dr_film_flow(&at.law, &at.host, 5e-4, &at.film, &at.answer, at.room) >= 1);
        double fell = (middle() - start) * 4.7 / edges, due = 0.5 * 981.0 * time * time;
        print_message("%d edges: falls %.4f of what it should\n", cuts[k], fell / due);
        assert_true(fabs(fell - due) < 0.01 * due);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure_is_the_slope_of_the_surface_energy),
        cmocka_unit_test(test_a_film_that_draws_together_gains_no_energy),
        cmocka_unit_test(test_a_film_that_draws_together_as_it_falls_gains_no_energy),
        cmocka_unit_test(test_a_bead_stays_where_it_gathers),
        cmocka_unit_test(test_a_film_without_viscosity_falls_freely),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(at.room);
    return failed;
}
