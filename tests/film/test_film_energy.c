// The energy of a film's surface: its pressure is that energy's slope, and a film that flows does not gain any.
#include "film/flow_parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 128

typedef struct fixture {
    int count;
    double x[3 * MOST], v[3 * MOST], mass[MOST], radius[MOST], pull[3 * MOST];
    unsigned char held[MOST];
    double volume[MOST], velocity[MOST], impulse[3 * MOST];
    double response[MOST], matrix[6 * MOST], answer_impulse[3 * MOST], tension[MOST], turn[3 * MOST];
    double l[MOST], cell[MOST], shorter[MOST], steeper[MOST], area[MOST], surface[MOST], sigma[MOST], p[MOST], N[MOST];
    dr_film film;
    dr_film_host host;
    dr_film_answer answer;
    dr_film_law law;
    double *room;
} fixture;

static fixture at;

// A straight strand that nothing moves, along x.
static void begin(int count, double (*place)(int))
{
    free(at.room);
    memset(&at, 0, sizeof at);
    at.count = count;
    at.film = (dr_film){.volume = at.volume, .velocity = at.velocity, .impulse = at.impulse};
    at.host = (dr_film_host){.count = count,
                             .position = at.x,
                             .velocity = at.v,
                             .mass = at.mass,
                             .radius = at.radius,
                             .pull = at.pull,
                             .gravity = at.pull,
                             .held = at.held};
    at.answer = (dr_film_answer){at.response, at.matrix, at.answer_impulse, at.tension, at.turn};
    at.law = (dr_film_law){.density = 1.0, .surface_tension = 72.0, .hoop = true, .transport = true};
    at.room = malloc(dr_film_flow_room(count) * sizeof *at.room);
    assert_non_null(at.room);
    memset(at.held, 1, sizeof at.held);
    for (int i = 0; i < count; i++) {
        at.mass[i] = 1e-4;
        at.radius[i] = 0.005;
        at.x[3 * i] = place(i);
    }
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
                 .l = at.l,
                 .cell = at.cell,
                 .shorter = at.shorter,
                 .steeper = at.steeper,
                 .area = at.area,
                 .surface = at.surface,
                 .sigma = at.sigma,
                 .p = at.p,
                 .N = at.N};
    double t[3];
    for (int v = 0; v < at.count; v++) {
        at.cell[v] = dr_film_cell(&at.host, v);
        at.shorter[v] = 1.0 / at.cell[v];
        at.area[v] = at.volume[v] * at.shorter[v];
        at.surface[v] = at.radius[v] + dr_film_height(at.volume[v], at.cell[v], at.radius[v]);
        at.sigma[v] = at.law.surface_tension;
        if (v + 1 == at.count) continue;
        at.l[v] = dr_film_edge(&at.host, v, t);
        at.steeper[v] = 1.0 / at.l[v];
    }
    dr_flow_press(&f);
}

// Films that are higher and lower than edges are long, steep and gentle.
static void test_pressure_is_the_slope_of_the_surface_energy(void **state)
{
    (void)state;
    begin(40, unevenly);
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
        assert_true(fabs(at.p[i] - slope) < 1e-6 * (fabs(slope) + 72.0 / at.surface[i]));
    }
}

static int edges;

static double evenly(int i)
{
    return 4.7 * i / edges;
}

// A film that begins and ends within cells draws together into a bead: what its front pushes it by comes of its
// surface.
static void test_a_film_that_draws_together_gains_no_energy(void **state)
{
    (void)state;
    static const int cuts[] = {25, 40, 60, 75, 100, 120};
    static const double filled[] = {1.0, 0.8, 0.5, 0.3};
    for (int k = 0; k < 24; k++) {
        edges = cuts[k / 4];
        begin(edges + 1, evenly);
        int from = edges / 12, to = edges / 4;
        for (int i = from; i <= to; i++)
            at.volume[i] = (i == from || i == to ? filled[k % 4] : 1.0) *
                           dr_film_volume(0.05, dr_film_cell(&at.host, i), at.radius[i]);
        double start = energy(), most = start;
        for (int n = 0; n < 100; n++) {
            assert_true(dr_film_flow(&at.law, &at.host, 3e-5, &at.film, &at.answer, at.room) >= 1);
            most = fmax(most, energy());
        }
        assert_true(most - start <= 2e-5 * start);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pressure_is_the_slope_of_the_surface_energy),
        cmocka_unit_test(test_a_film_that_draws_together_gains_no_energy),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(at.room);
    return failed;
}
