// Budgets of films.
#include "world/film_parts.h"

#include "math/vec.h"

// ---- budgets

static void sum_films(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    dr_film_budget *sum = world->film.sums + begin / DR_FILM_CHUNK;
    *sum = (dr_film_budget){0};
    for (size_t s = begin; s < end; s++) {
        dr_film_host host = dr_film_stage_host(world, (int)s);
        dr_film film = dr_film_stage_film(world, &world->state.film, (int)s);
        dr_film_sum(&film, &dr_film_kind(world, (int)s)->law, &host, world->constants.gravity, sum);
    }
}

static void join(dr_film_budget *into, const dr_film_budget *from)
{
    into->volume += from->volume;
    into->mass += from->mass;
    dr_vec3_add(into->linear, into->linear, from->linear);
    dr_vec3_add(into->angular, into->angular, from->angular);
    into->kinetic += from->kinetic;
    into->potential += from->potential;
    into->surface += from->surface;
}

void dr_film_stage_account(dr_world *world, dr_budget *sum)
{
    dr_film_budget *sums = world->film.sums;
    size_t chunks = dr_film_chunks(world);
    if (!dr_film_is_there(world)) return;
    dr_par_for(&world->par, (size_t)world->state.strands.count, DR_FILM_CHUNK, sum_films, world);
    for (size_t stride = 1; stride < chunks; stride *= 2) {
        for (size_t i = 0; i + stride < chunks; i += 2 * stride) join(&sums[i], &sums[i + stride]);
    }
    sum->film += sums->volume;
    sum->mass += sums->mass;
    dr_vec3_add(sum->linear, sum->linear, sums->linear);
    dr_vec3_add(sum->angular, sum->angular, sums->angular);
    sum->kinetic += sums->kinetic;
    sum->potential += sums->potential;
    sum->surface += sums->surface;
}
