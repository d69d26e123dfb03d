// One strand with its film, as tests of src/film lay and ask it.
#ifndef DR_TESTS_FILM_ONE_STRAND_H
#define DR_TESTS_FILM_ONE_STRAND_H

#include "film/flow.h"

#include <stdlib.h>
#include <string.h>

#define MOST 512

typedef struct fixture {
    int count;
    double x[3 * MOST], v[3 * MOST], mass[MOST], radius[MOST], pull[3 * MOST];
    unsigned char held[MOST];
    double volume[MOST], velocity[MOST], impulse[3 * MOST], mix[2 * MOST];
    double response[MOST], matrix[6 * MOST], answer_impulse[3 * MOST], tension[MOST], turn[3 * MOST], way[MOST];
    dr_film film;
    dr_film_host host;
    dr_film_answer answer;
    dr_film_law law;
    double *room;
} fixture;

static fixture at;

static void begin(int count)
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
                             .held = at.held,
                             .free_end = {false, true}};
    at.answer = (dr_film_answer){at.response, at.matrix, at.answer_impulse, at.tension, at.turn, at.way};
    at.law = (dr_film_law){.density = 1.0, .surface_tension = 72.0, .hoop = true, .transport = true};
    at.room = malloc(dr_film_flow_room(count) * sizeof *at.room);
    for (int i = 0; i < count; i++) {
        at.mass[i] = 1e-4;
        at.radius[i] = 0.005;
    }
}

#endif
