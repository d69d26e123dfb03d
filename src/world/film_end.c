// Films at the end of a step, when strands have moved; and what strands are told as the next begins.
// docs/theory/film.md, eq. (16), (31).
#include "world/film_parts.h"

#include "film/drip.h"
#include "film/turn.h"
#include "math/vec.h"
#include "strand/scalar.h"

#include <string.h>

// ---- the end of the step

static void keep_velocity(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_world *world = user;
    memcpy(world->film.velocity + 3 * begin, world->state.strands.velocity + 3 * begin,
           3 * (end - begin) * sizeof(double));
}

void dr_film_stage_keep(dr_world *world)
{
    if (!dr_film_is_there(world)) return;
    dr_par_for(&world->par, world->state.strands.vertices, DR_PARTICLE_CHUNK, keep_velocity, world);
}

static void settle_strands(void *user, size_t begin, size_t end, int thread)
{
    const dr_film_pass *job = user;
    dr_world *world = job->world;
    dr_film_stage *stage = &world->film;
    const dr_strand_solver *solver = world->strands.solver;
    double *room = stage->room + stage->room_size * (size_t)thread;
    for (size_t s = begin; s < end; s++) {
        size_t first = (size_t)world->state.strands.first[s], last = (size_t)world->state.strands.first[s + 1];
        dr_film_host before = dr_film_stage_host(world, (int)s), after = before;
        dr_film film = dr_film_stage_film(world, &stage->after, (int)s);
        dr_film_answer answer = dr_film_stage_answer(stage, first);
        const dr_film_law *law = &dr_film_kind(world, (int)s)->law;
        after.position = dr_strand_solver_position(solver) + 3 * first;
        after.velocity = dr_strand_solver_end_velocity(solver, (int)s) + 3 * first;
        dr_film_settle(law, &before, &after, &answer, &film);
        dr_film_stage_adopt(&stage->settled, &stage->after, first, last - first);
        dr_film_displace(law, &after, answer.way, &film, room);
    }
}

static void multiply(const double m[6], const double x[3], double y[3])
{
    y[0] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
    y[1] = m[1] * x[0] + m[3] * x[1] + m[4] * x[2];
    y[2] = m[2] * x[0] + m[4] * x[1] + m[5] * x[2];
}

void dr_film_stage_add_push(const dr_world *world, size_t v, double dt, double impulse[3])
{
    const dr_film_stage *stage = &world->film;
    double c[3], moved[3];
    if (!dr_film_is_there(world)) return;
    for (size_t a = 0; a < 3; a++)
        c[a] = dt * world->constants.gravity[a] - world->state.strands.velocity[3 * v + a] + stage->velocity[3 * v + a];
    multiply(stage->answer.matrix + 6 * v, c, moved);
    dr_vec3_add(impulse, impulse, moved);
    dr_vec3_add(impulse, impulse, stage->answer.impulse + 3 * v);
}

static bool is_wet(const dr_world *world, int s)
{
    const double *matrix = world->film.answer.matrix;
    for (size_t v = (size_t)world->state.strands.first[s]; v < (size_t)world->state.strands.first[s + 1]; v++) {
        if (matrix[6 * v] > 0.0) return true;
    }
    return false;
}

// What the strand itself does at the end of a step: (m + A) (a - g) less what the film pushes. (16)
static void keep_force(dr_world *world, size_t v, double dt)
{
    const dr_film_stage *stage = &world->film;
    const dr_strands *strands = &world->state.strands;
    double a[3], moved[3], *force = world->state.film.force + 3 * v, *felt = world->state.film.felt + 3 * v;
    dr_vec3_sub(a, strands->acceleration + 3 * v, world->constants.gravity);
    multiply(stage->answer.matrix + 6 * v, a, moved);
    for (size_t k = 0; k < 3; k++)
        force[k] = strands->mass[v] * a[k] + moved[k] - stage->answer.impulse[3 * v + k] / dt;
    double change[3], share = dr_film_feeling(stage->radius[v], dr_vec3_length(stage->apparent + 3 * v), dt);
    for (size_t k = 0; k < 3; k++)
        change[k] = (strands->velocity[3 * v + k] - stage->velocity[3 * v + k]) / dt - felt[k];
    dr_vec3_add_scaled(felt, felt, share, change);
}

// Torques as the last step left them, on edges with the film they have now. (31)
static void start_spin(const dr_world *world, int s, double dt, double *spin_rate)
{
    const dr_strands *strands = &world->state.strands;
    size_t first = (size_t)strands->first[s];
    dr_film_host host = dr_film_stage_host(world, s);
    dr_film film = dr_film_stage_film(world, &world->state.film, s);
    for (int e = 0; e + 1 < host.count; e++) {
        size_t v = first + (size_t)e;
        double had = dr_film_turn(&dr_film_kind(world, s)->law, &host, &film, e, NULL);
        if (strands->held[v] & DR_STRAND_TURN_HELD) continue;
        spin_rate[e] = ((strands->inertia[v] + had) * spin_rate[e] + world->film.spin[v] / dt) /
                       (strands->inertia[v] + world->film.turn[v]);
    }
}

// What came in the exchange has no spin: edges share theirs with it; what left took its own along. before: film on
// edges, its inertia. (31)
static void share_spin(dr_world *world, int s, const double *before)
{
    dr_strands *strands = &world->state.strands;
    size_t first = (size_t)strands->first[s];
    dr_film_host host = dr_film_stage_host(world, s);
    dr_film film = dr_film_stage_film(world, &world->film.after, s);
    for (int e = 0; e + 1 < host.count; e++) {
        size_t v = first + (size_t)e;
        double own = strands->inertia[v], now = dr_film_turn(&dr_film_kind(world, s)->law, &host, &film, e, NULL);
        if (now == before[e] || strands->held[v] & DR_STRAND_TURN_HELD) continue;
        double share = (own + before[e]) / (own + now);
        strands->spin_rate[v] *= share;
        if (now > before[e]) strands->spin[v] *= share;
    }
}

// Liquid that went on along strands as they had moved takes its spin along; what edges are turned by without the film
// is kept as the rate that it turns them at with the film of then. (30), (31), (42)
static void turn_along(dr_world *world, int s, double dt)
{
    const dr_film_stage *stage = &world->film;
    dr_strands *strands = &world->state.strands;
    size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1] - 1;
    dr_film_host host = dr_film_stage_host(world, s);
    dr_film before = dr_film_stage_film(world, &stage->settled, s), after = dr_film_stage_film(world, &stage->after, s);
    if (!is_wet(world, s)) return;
    for (size_t v = first; v < last; v++) {
        if (strands->held[v] & DR_STRAND_TURN_HELD) continue;
        strands->spin_rate[v] = (strands->inertia[v] + stage->turn[v]) * strands->spin_rate[v] - stage->spin[v] / dt;
    }
    dr_film_turn_flow(&dr_film_kind(world, s)->law, &host, &before, &after, strands->spin + first, stage->turn + first,
                      stage->turn + first, stage->spin + first);
    for (size_t v = first; v < last; v++) {
        double inertia = strands->inertia[v] + stage->turn[v];
        if (strands->held[v] & DR_STRAND_TURN_HELD) continue;
        strands->spin_rate[v] /= inertia;
        strands->spin[v] += stage->spin[v] / inertia;
    }
}

static void turn_strands(void *user, size_t begin, size_t end, int thread)
{
    const dr_film_pass *job = user;
    (void)thread;
    for (size_t s = begin; s < end; s++) turn_along(job->world, (int)s, job->dt);
}

typedef struct starting {
    const dr_world *world;
    double dt, *acceleration, *spin_rate;
} starting;

static void start_vertex(const starting *job, size_t v)
{
    const dr_strands *strands = &job->world->state.strands;
    const dr_film_answer *answer = &job->world->film.answer;
    double both[6], push[3], change[3];
    for (int k = 0; k < 6; k++)
        both[k] = answer->matrix[6 * v + (size_t)k] + (k == 0 || k == 3 || k == 5 ? strands->mass[v] : 0.0);
    for (size_t k = 0; k < 3; k++)
        push[k] = job->world->state.film.force[3 * v + k] + answer->impulse[3 * v + k] / job->dt;
    dr_scalar_solve(both, push, change);
    dr_vec3_add(job->acceleration + 3 * v, change, job->world->constants.gravity);
}

static void start_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const starting *job = user;
    const dr_strands *strands = &job->world->state.strands;
    for (size_t s = begin; s < end; s++) {
        size_t first = (size_t)strands->first[s], last = (size_t)strands->first[s + 1], n = last - first;
        memcpy(job->acceleration + 3 * first, strands->acceleration + 3 * first, 3 * n * sizeof *job->acceleration);
        memcpy(job->spin_rate + first, strands->spin_rate + first, n * sizeof *job->spin_rate);
        if (!is_wet(job->world, (int)s)) continue;
        start_spin(job->world, (int)s, job->dt, job->spin_rate + first);
        for (size_t v = first; v < last; v++) {
            if (!(strands->held[v] & DR_STRAND_HELD)) start_vertex(job, v);
        }
    }
}

// The next step starts with the acceleration that belongs to the film as it is then. (16)
void dr_film_stage_start(dr_world *world, double dt, double *acceleration, double *spin_rate)
{
    starting job = {world, dt, acceleration, spin_rate};
    dr_par_for(&world->par, (size_t)world->state.strands.count, DR_FILM_GRAIN, start_strands, &job);
}

void dr_film_stage_adopt(dr_film *now, const dr_film *after, size_t first, size_t n)
{
    size_t liquids = (size_t)now->liquids;
    memcpy(now->volume + first, after->volume + first, n * sizeof *now->volume);
    memcpy(now->velocity + first, after->velocity + first, n * sizeof *now->velocity);
    memcpy(now->impulse + 3 * first, after->impulse + 3 * first, 3 * n * sizeof *now->impulse);
    if (now->strain) memcpy(now->strain + first, after->strain + first, n * sizeof *now->strain);
    if (now->mix) memcpy(now->mix + liquids * first, after->mix + liquids * first, liquids * n * sizeof *now->mix);
}

static void end_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    const dr_film_pass *job = user;
    dr_world *world = job->world;
    for (size_t s = begin; s < end; s++) {
        size_t first = (size_t)world->state.strands.first[s], last = (size_t)world->state.strands.first[s + 1];
        share_spin(world, (int)s, world->film.turn + first);
        dr_film_stage_adopt(&world->state.film, &world->film.after, first, last - first);
        for (size_t v = first; v < last; v++) keep_force(world, v, job->dt);
        dr_film_stage_show(world, (int)s);
    }
}

void dr_film_stage_settle(dr_world *world, double dt)
{
    if (!dr_film_is_there(world)) return;
    dr_film_pass job = {world, dt};
    dr_par_for(&world->par, (size_t)world->state.strands.count, DR_FILM_GRAIN, settle_strands, &job);
}

void dr_film_stage_commit(dr_world *world, double dt)
{
    dr_film_stage *stage = &world->film;
    size_t strands = (size_t)world->state.strands.count;
    if (!dr_film_is_there(world)) return;
    dr_film_pass job = {world, dt};
    dr_par_for(&world->par, strands, DR_FILM_GRAIN, turn_strands, &job);
    for (size_t k = 0; k < stage->drop_count; k++) dr_film_drip_release(world, &stage->drops[k]);
    dr_film_exchange_commit(world);
    dr_film_across_commit(world);
    dr_par_for(&world->par, strands, DR_FILM_GRAIN, end_strands, &job);
}
