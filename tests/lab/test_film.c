// The cases of films, and what they answer at other parameters.
#include "perform.h"

static void test_films_flow_as_their_equations_say(void **state)
{
    (void)state;
    PASS("film-across");
    PASS("film-across", "contact=cone", "viscosity=1");
    PASS("film-fibre");
    PASS("film-fibre", "fibre_radius=0.01 cm", "film_radius=0.012 cm", "viscosity=0.1 P");
    PASS("film-beading", "viscosity=0.0089 P", "surface_tension=72 dyn/cm", "density=1 g/cm3");
    PASS("film-wave");
    PASS("film-stoker");
    PASS("film-stoker", "right_height=0.5", "cells=400");
    PASS("film-stoker", "right_height=0");
}

static void test_films_and_moving_strands_exchange_momentum(void **state)
{
    (void)state;
    PASS("film-spin");
    PASS("film-spin", "step=0.1 ms");
    PASS("film-coriolis");
    PASS("film-drop");
    PASS("film-drop", "edges=100", "speed=300 cm/s", "film_height=0.02 cm");
    PASS("film-arc");
    PASS("film-arc", "surface_tension=20 dyn/cm", "edges=21");
    PASS("film-energy");
    PASS("film-energy", "step=10 ms");
    PASS("film-energy", "edges=80");
    PASS("film-energy", "viscosity=0 P");
    PASS("film-energy", "viscosity=0 P", "step=10 ms", "steps=50");
    PASS("film-energy", "viscosity=0 P", "step=0.2 ms", "steps=700", "edges=80");
    PASS("film-energy", "viscosity=0 P", "surface_tension=200 dyn/cm", "step=0.2 ms", "steps=700");
    PASS("film-energy", "viscosity=0 P", "youngs_modulus=1e14 dyn/cm2", "step=0.2 ms", "steps=700");
    PASS("film-energy", "viscosity=0 P", "edges=20", "step=10 ms", "steps=6");
    PASS("film-energy", "viscosity=0 P", "edges=25", "step=3 ms", "steps=20");
    PASS("film-energy", "edges=20");
    PASS("film-energy", "edges=20", "step=10 ms", "steps=6");
    PASS("film-energy", "edges=128", "step=3 ms", "steps=20");
    PASS("film-energy", "edges=197", "step=0.1 ms", "steps=50");
}

static void test_drops_leave_at_their_size_whatever_the_cell(void **state)
{
    (void)state;
    PASS("drip-tip", "cell=0.05 cm");
    PASS("drip-tip", "cell=0.2 cm");
    PASS("drip-tip", "viscosity=10 P");
    PASS("drip-horizontal", "cell=0.05 cm");
    PASS("drip-horizontal", "cell=0.1 cm");
    PASS("drip-horizontal", "cell=0.2 cm");
    PASS("shake");
    PASS("shake", "acceleration=20");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_films_flow_as_their_equations_say),
        cmocka_unit_test(test_films_and_moving_strands_exchange_momentum),
        cmocka_unit_test(test_drops_leave_at_their_size_whatever_the_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
