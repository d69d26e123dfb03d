// What a film tells the strand, and what of it the strand's motion makes. docs/theory/film.md, eq. (14)-(16).
#include "film/flow_parts.h"

#include "film/constants.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

static bool is_inner(const dr_flow *f, int v)
{
    return v > 0 && v + 1 < f->count;
}

void dr_flow_hand_along(dr_flow *f, const double *response, int v)
{
    double *rest = f->carried + 3 * v, given[2] = {0.0, 0.0};
    double stays = f->M[v] < f->through[v] ? f->M[v] / f->through[v] : 1.0;
    for (int side = 0; side < 2 && is_inner(f, v); side++) {
        int e = v - 1 + side;
        double share = dr_film_share(f->V, f->count, e);
        if (!(share > f->dry)) continue;
        given[side] = 0.5 * stays * (response ? response[e] : 1.0) * dr_vec3_dot(rest, f->t + 3 * e);
        f->u[e] += given[side] / dr_film_share(f->M, f->count, e);
    }
    for (int side = 0; side < 2 && is_inner(f, v); side++)
        dr_vec3_add_scaled(rest, rest, -given[side], f->t + 3 * (v - 1 + side));
}

// Mass that moves with the vertex: all of it across the strand, along it what friction holds.
static void fill_matrix(const dr_flow *f, const dr_film_answer *answer, int v)
{
    double mass = f->M[v], *m = answer->matrix + 6 * v;
    for (int k = 0; k < 6; k++) m[k] = k == 0 || k == 3 || k == 5 ? mass : 0.0;
    for (int e = v - 1; e < v + 1 && is_inner(f, v); e++) {
        const double *t = f->t + 3 * e;
        double slides = 0.5 * mass * answer->response[e];
        for (int a = 0, k = 0; a < 3; a++) {
            for (int b = a; b < 3; b++) m[k++] -= slides * t[a] * t[b];
        }
    }
}

static void multiply(const double m[6], const double x[3], double y[3])
{
    y[0] = m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
    y[1] = m[1] * x[0] + m[3] * x[1] + m[4] * x[2];
    y[2] = m[2] * x[0] + m[4] * x[1] + m[5] * x[2];
}

// How the edge's tangent would change in the step at these velocities. (15)
static void expect_turn(const dr_flow *f, int e, const double *velocity, double dt, double turn[3])
{
    const double *x = f->host->position + 3 * e, *v = velocity + 3 * e, *t = f->t + 3 * e;
    for (int a = 0; a < 3; a++) turn[a] = x[3 + a] - x[a] + dt * (v[3 + a] - v[a]);
    dr_vec3_normalize(turn, turn, t);
    dr_vec3_sub(turn, turn, t);
}

// Which part of what turns with an edge is borne by one of its ends: both are pushed alike, each by its mass.
static void find_parts(dr_flow *f)
{
    for (int e = 0; e + 1 < f->count; e++) {
        double low = f->host->mass[e] + f->M[e], high = f->host->mass[e + 1] + f->M[e + 1],
               per_mass = 1.0 / (low + high);
        f->ends[2 * e] = low * per_mass;
        f->ends[2 * e + 1] = high * per_mass;
    }
}

static double part_of(const dr_flow *f, int e, int v)
{
    return f->ends[2 * e + (v > e)];
}

// What the momentum along the edges of a vertex pushes it by as they turn.
static void push_back(const dr_flow *f, const double *turn, int v, double push[3])
{
    dr_vec3_set(push, 0.0, 0.0, 0.0);
    for (int e = v > 0 ? v - 1 : 0; e <= v && e + 1 < f->count; e++)
        dr_vec3_add_scaled(push, push, -part_of(f, e, v) * dr_film_share(f->M, f->count, e) * f->u[e], turn + 3 * e);
}

// Edges turn as their vertices move in the middle of the step, and the momentum that liquid has along them turns with
// them. Velocities there are the means of those at the beginning and of those that liquid alone, with this very
// turning, would make of them: by those of the beginning a heavy film that runs down a light strand drives it to and
// fro. (15)
static void expect_turns(const dr_flow *f, const dr_film_answer *answer, double dt)
{
    size_t bytes = 3 * (size_t)f->count * sizeof *f->middle;
    memcpy(f->middle, f->velocity, bytes);
    for (int round = 0; round <= DR_FILM_TURNS; round++) {
        for (int e = 0; e + 1 < f->count; e++) expect_turn(f, e, f->middle, dt, answer->turn + 3 * e);
        for (int v = 0; v < f->count && round < DR_FILM_TURNS; v++) {
            double per_mass = 1.0 / (f->mass[v] + f->M[v]), push[3];
            push_back(f, answer->turn, v, push);
            for (int a = 0; a < 3; a++)
                f->middle[3 * v + a] =
                    0.5 * (f->host->velocity[3 * v + a] + f->velocity[3 * v + a] + per_mass * push[a]);
        }
    }
}

// Edge e acts on vertex v, one of its ends: sign +1 where the edge leads away from it.
static void press_vertex(const dr_flow *f, const dr_film_answer *answer, int v, int e, double sign, double dt,
                         double impulse[3])
{
    double share = dr_film_share(f->V, f->count, e), inner = 0.5 * f->M[v];
    double along = 0.5 * f->rub[e] - sign * f->turned[v] - sign * dt * answer->tension[e];
    if (!f->law->still && share > f->dry && is_inner(f, v) && !dr_flow_is_under(f, e)) along -= inner * dt * f->pull[e];
    dr_vec3_add_scaled(impulse, impulse, along, f->t + 3 * e);
    dr_vec3_add_scaled(impulse, impulse, -part_of(f, e, v) * dr_film_share(f->M, f->count, e) * f->u[e],
                       answer->turn + 3 * e);
}

static void fill_impulse(const dr_flow *f, const dr_film *film, const dr_film_answer *answer, int v, double dt)
{
    const double *pull = f->host->pull + 3 * v;
    double mass = f->M[v], *impulse = answer->impulse + 3 * v, moved[3];
    multiply(answer->matrix + 6 * v, f->host->gravity, moved);
    for (int a = 0; a < 3; a++)
        impulse[a] =
            film->impulse[3 * v + a] + f->carried[3 * v + a] + f->spared[3 * v + a] + dt * (mass * pull[a] - moved[a]);
    if (v > 0) press_vertex(f, answer, v, v - 1, -1.0, dt, impulse);
    if (v + 1 < f->count) press_vertex(f, answer, v, v, 1.0, dt, impulse);
}

// Film that comes to a free end would hit it: that is left to the flow. (42)
static bool can_go(const dr_flow *f, int e)
{
    bool low = e > 0 || f->host->held[0], high = e + 2 < f->count || f->host->held[f->count - 1];
    return e + 1 < f->count && low && high && f->lag[e] > 0.0;
}

void dr_flow_answer(dr_flow *f, const dr_film *film, const dr_film_answer *answer, double dt)
{
    for (int v = 0; v < f->count; v++) {
        bool edge = v + 1 < f->count;
        answer->way[v] = can_go(f, v) ? f->path[v] / dt : 0.0;
        answer->response[v] = edge ? fmin(1.0, f->lag[v] / dt) : 0.0;
        answer->tension[v] = edge ? 0.5 * (f->tension[v] + f->tension[v + 1]) / dt : 0.0;
    }
    for (int v = 0; v < f->count; v++) dr_flow_hand_along(f, answer->response, v);
    find_parts(f);
    expect_turns(f, answer, dt);
    for (int v = 0; v < f->count; v++) fill_matrix(f, answer, v);
    for (int v = 0; v < f->count; v++) fill_impulse(f, film, answer, v, dt);
}

// ---- the end of the step

static double change_along(const dr_film_host *host, const dr_film_host *after, const dr_film *film,
                           const dr_film_law *law, int e, const double t[3])
{
    double sum = 0.0, change[3];
    for (int v = e; v < e + 2; v++) {
        if (v == 0 || v + 1 == host->count) continue;
        dr_vec3_sub(change, after->velocity + 3 * v, host->velocity + 3 * v);
        sum += 0.5 * dr_film_mass(film, law, v) * dr_vec3_dot(change, t);
    }
    return sum;
}

void dr_film_settle(const dr_film_law *law, const dr_film_host *host, const dr_film_host *after,
                    const dr_film_answer *answer, dr_film *film)
{
    memset(film->impulse, 0, 3 * (size_t)host->count * sizeof *film->impulse);
    for (int e = 0; e + 1 < host->count; e++) {
        double mass = dr_film_edge_mass(film, law, host->count, e), t[3], turn[3], owed[3];
        if (!(mass > 0.0)) {
            answer->way[e] = 0.0;
            continue;
        }
        dr_film_edge(host, e, t);
        dr_vec3_scale(owed, film->velocity[e], answer->turn + 3 * e);
        double change = change_along(host, after, film, law, e, t) / mass;
        film->velocity[e] -= answer->response[e] * change;
        answer->way[e] *= -change;
        dr_film_edge(after, e, turn);
        dr_vec3_sub(turn, turn, t);
        dr_vec3_add_scaled(owed, owed, -film->velocity[e], turn);
        double ends[2] = {host->mass[e] + dr_film_mass(film, law, e),
                          host->mass[e + 1] + dr_film_mass(film, law, e + 1)};
        for (int v = e; v < e + 2; v++) {
            double part = ends[v - e] / (ends[0] + ends[1]);
            dr_vec3_add_scaled(film->impulse + 3 * v, film->impulse + 3 * v, part * mass, owed);
        }
    }
}
