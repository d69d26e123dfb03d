// Films flow along their strands before these are solved for. docs/theory/film.md, "In the step".
#include "world/film_parts.h"

#include "film/constants.h"
#include "film/turn.h"

#include <math.h>
#include <string.h>

dr_film dr_film_stage_film(const dr_world *world, const dr_film *all, int s)
{
    dr_film film = dr_film_of(all, (size_t)world->state.strands.first[s]);
    if (!world->constants.strand_kinds[world->state.strands.body[s]].law.liquids) film.mix = NULL;
    return film;
}
dr_film_host dr_film_stage_host(const dr_world *world, int s)
{
    const dr_strands *strands = &world->state.strands;
    size_t first = (size_t)strands->first[s];
    const unsigned char *held = strands->held + first;
    int count = dr_strands_size(strands, s);
    return (dr_film_host){.count = count,
                          .position = strands->position + 3 * first,
                          .velocity = strands->velocity + 3 * first,
                          .mass = strands->mass + first,
                          .spin = strands->spin + first,
                          .radius = world->film.radius + first,
                          .pull = world->film.pull + 3 * first,
                          .acceleration = strands->acceleration + 3 * first,
                          .gravity = world->constants.gravity,
                          .held = held,
                          .bridged = world->film.bridged + first,
                          .company = world->film.company + first,
                          .borne = world->strand_liquid.wet ? world->film.borne + first : NULL,
                          .free_end = {!(held[0] & DR_STRAND_HELD), !(held[count - 1] & DR_STRAND_HELD)}};
}
dr_film_answer dr_film_stage_answer(const dr_film_stage *stage, size_t first)
{
    const dr_film_answer *all = &stage->answer;
    return (dr_film_answer){all->response + first, all->matrix + 6 * first, all->impulse + 3 * first,
                            all->tension + first,  all->turn + 3 * first,   all->way + first};
}

// ---- flow

static void mark(dr_world *world, int32_t strand, int32_t vertex)
{
    if (strand < 0 || vertex < 0) return;
    world->film.bridged[vertex] = 1;
    if (vertex + 1 < world->state.strands.first[strand + 1]) world->film.bridged[vertex + 1] = 1;
}

// Where liquid joins strands the film's surface does not close around one of them.
static void find_bridges(dr_world *world)
{
    const dr_contact_memory *memory = &world->state.contacts;
    bool springs = world->constants.contact.model == DR_CONTACT_PENALTY;
    memset(world->film.bridged, 0, world->film.vertices);
    if (!world->constants.strands_meet) return;
    for (size_t k = 0; k < memory->count; k++) {
        const int32_t *who = memory->who + DR_CONTACT_WHO * k;
        if (springs && (who[4] >= 0 || !(memory->where[DR_CONTACT_WHERE * k + 3] > 0.0))) continue;
        mark(world, who[0], who[2]);
        mark(world, who[1], who[3]);
    }
}

// The weight of film under liquid is borne by the pressure around it. (36)
static void find_submerged(dr_world *world, size_t begin, size_t end)
{
    for (size_t v = begin; v < end && world->strand_liquid.wet; v++)
        world->film.borne[v] = fmax(0.0, 2.0 * world->strand_liquid.filled[v] - 1.0);
}

// Gravity and force fields.
static void find_pull(dr_world *world, size_t begin, size_t end)
{
    const double *fields = world->strands.acceleration, *gravity = world->constants.gravity;
    for (size_t v = begin; v < end; v++) {
        for (size_t a = 0; a < 3; a++) world->film.pull[3 * v + a] = gravity[a] + (fields ? fields[3 * v + a] : 0.0);
    }
}

typedef struct rating {
    const dr_world *world;
    const dr_film *film;
    double *rate;
} rating;

static void flow_strands(void *user, size_t begin, size_t end, int thread)
{
    const dr_film_pass *job = user;
    dr_film_stage *stage = &job->world->film;
    for (size_t s = begin; s < end; s++) {
        size_t first = (size_t)job->world->state.strands.first[s];
        size_t last = (size_t)job->world->state.strands.first[s + 1];
        find_submerged(job->world, first, last);
        find_pull(job->world, first, last);
        dr_film_stage_adopt(&stage->after, &job->world->state.film, first, last - first);
        dr_film_host host = dr_film_stage_host(job->world, (int)s);
        dr_film film = dr_film_stage_film(job->world, &stage->after, (int)s);
        dr_film was = dr_film_stage_film(job->world, &job->world->state.film, (int)s);
        dr_film_answer answer = dr_film_stage_answer(stage, first);
        stage->substeps[s] = dr_film_flow(&dr_film_kind(job->world, (int)s)->law, &host, job->dt, &film, &answer,
                                          stage->room + stage->room_size * (size_t)thread);
        dr_film_turn_flow(&dr_film_kind(job->world, (int)s)->law, &host, &was, &film,
                          job->world->state.strands.spin + first, NULL, stage->turn + first, stage->spin + first);
    }
}

static void rate_strands(void *user, size_t begin, size_t end, int thread)
{
    const rating *job = user;
    const dr_world *world = job->world;
    (void)thread;
    for (size_t s = begin; s < end; s++) {
        dr_film_host host = dr_film_stage_host(world, (int)s);
        dr_film film = dr_film_stage_film(world, job->film, (int)s);
        job->rate[s] = dr_film_kind(world, (int)s)->law.still
                           ? 0.0
                           : dr_film_rate(&dr_film_kind(world, (int)s)->law, &host, &film);
    }
}

static double find_rate(const dr_world *world, const dr_film *film)
{
    rating job = {world, film, world->film.rate};
    double most = 0.0;
    dr_par_for(&world->par, (size_t)world->state.strands.count, DR_FILM_GRAIN, rate_strands, &job);
    for (int s = 0; s < world->state.strands.count; s++) most = fmax(most, job.rate[s]);
    return most;
}

double dr_film_stage_step(const dr_world *world)
{
    double rate = dr_film_is_there(world) ? find_rate(world, &world->state.film) : 0.0;
    return rate > 0.0 ? DR_FILM_EDGES / rate : INFINITY;
}

bool dr_film_stage_flow(dr_world *world, dr_try *attempt)
{
    dr_film_pass job = {world, attempt->dt};
    if (!dr_film_is_there(world)) return true;
    find_bridges(world);
    dr_par_for(&world->par, (size_t)world->state.strands.count, DR_FILM_GRAIN, flow_strands, &job);
    for (int s = 0; s < world->state.strands.count && !attempt->rejected; s++) {
        if (world->film.substeps[s] >= 0) continue;
        attempt->rejected = true;
        attempt->strands = true;
        attempt->reason = "the film on a strand flows too fast for its sub-steps";
    }
    if (!attempt->rejected && find_rate(world, &world->film.after) * attempt->dt > DR_FILM_FAR * DR_FILM_EDGES) {
        attempt->rejected = true;
        attempt->strands = true;
        attempt->reason = "liquid flows past too many edges of a strand in a step";
    }
    return !attempt->rejected;
}

// ---- what others read

const double *dr_film_stage_exposed(dr_world *world)
{
    const double *exposed = world->strand_liquid.wet ? world->strand_liquid.exposed : NULL;
    const dr_strands *strands = &world->state.strands;
    if (!world->state.film.mix) return exposed;
    for (int s = 0; s < strands->count; s++) {
        const dr_film_law *law = &dr_film_kind(world, s)->law;
        dr_film film = dr_film_stage_film(world, &world->state.film, s);
        size_t first = (size_t)strands->first[s];
        for (int v = 0; v < dr_strands_size(strands, s); v++) {
            size_t at = first + (size_t)v;
            double share = law->surface_tension > 0.0 ? dr_film_tension(&film, law, v) / law->surface_tension : 1.0;
            world->film.exposed[at] = exposed ? share * exposed[at] : share;
        }
    }
    return world->film.exposed;
}

int dr_film_stage_view(dr_world *world, dr_frame_array *arrays)
{
    const dr_film *film = &world->state.film;
    if (!film->mix) return 0;
    for (int k = 0; k < film->liquids; k++) {
        float *volume = world->film.view + (size_t)k * film->vertices;
        for (size_t v = 0; v < film->vertices; v++) volume[v] = (float)film->mix[(size_t)film->liquids * v + (size_t)k];
        arrays[k] = (dr_frame_array){world->film.names[k], "cm3", DR_TYPE_FLOAT32, 1, film->vertices, volume};
    }
    return film->liquids;
}
