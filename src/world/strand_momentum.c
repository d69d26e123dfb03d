// Angular momentum of strands that nothing acts on, by projection. docs/theory/rods.md, eq. (48)-(50).
#include "strand/scalar.h"
#include "world/film_parts.h"

#include <math.h>

static bool is_held(const dr_strands *strands, int s)
{
    for (size_t v = (size_t)strands->first[s]; v < (size_t)strands->first[s + 1]; v++) {
        if (strands->held[v]) return true;
    }
    return false;
}

// By its tip's load or by force fields; gravity is the same everywhere and has no moment about the centre of mass.
static bool is_pulled(const dr_world *world, int s)
{
    const dr_strand_stage *stage = &world->strands;
    for (size_t v = (size_t)world->state.strands.first[s]; v < (size_t)world->state.strands.first[s + 1]; v++) {
        for (size_t k = 3 * v; k < 3 * v + 3; k++) {
            if (stage->acceleration && stage->acceleration[k] != 0.0) return true;
            if (stage->impulse && stage->impulse[k] != 0.0) return true;
        }
        if (stage->turn_impulse && stage->turn_impulse[v] != 0.0) return true;
    }
    return false;
}

static bool is_closed(const dr_world *world, int s)
{
    bool wet = world->strand_liquid.wet && world->strand_liquid.strand[s];
    bool touched = world->constants.strands_meet && world->contact.touched[s];
    return !wet && !touched && !is_held(&world->state.strands, s) && !is_pulled(world, s);
}

// A strand with its film, about its centre of mass; energy: all but that of the centre. (48)
static dr_rigid_body body_of(const dr_world *world, const dr_film *films, int s, double *energy)
{
    const dr_strands *strands = &world->state.strands;
    dr_rigid_sum sum = {0};
    dr_vec3_copy(sum.origin, strands->position + 3 * (size_t)strands->first[s]);
    dr_vec3_copy(sum.drift, strands->velocity + 3 * (size_t)strands->first[s]);
    dr_strands_add_motion(strands, s, &sum);
    *energy = dr_strands_elastic_energy(strands, s);
    if (dr_film_is_there(world)) {
        dr_film_host host = dr_film_stage_host(world, s);
        dr_film film = dr_film_stage_film(world, films, s);
        const dr_film_law *law = &dr_film_kind(world, s)->law;
        dr_film_add_motion(&film, law, &host, &sum);
        *energy += dr_film_surface_energy(&film, law, &host);
    }
    dr_rigid_body body = dr_rigid_body_of(&sum);
    *energy += body.kinetic;
    return body;
}

static void keep_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    for (size_t s = begin; s < end; s++) {
        dr_strand_closed *kept = &world->strands.closed[s];
        kept->is = is_closed(world, (int)s);
        if (!kept->is) continue;
        dr_rigid_body body = body_of(world, &world->state.film, (int)s, &kept->energy);
        dr_vec3_copy(kept->angular, body.angular);
    }
}

void dr_strand_momentum_keep(dr_world *world)
{
    dr_par_for(&world->par, (size_t)world->state.strands.count, DR_FILM_GRAIN, keep_strands, world);
}

// How much of the turn is made: all, or as much as takes the energy that the step has lost. linear and square: what
// the energy gains by it. (50)
static double share_of_turn(double linear, double square, double spare)
{
    if (linear + square <= spare) return 1.0;
    return (sqrt(linear * linear + 4.0 * square * spare) - linear) / (2.0 * square);
}

static void turn_strand(dr_strands *strands, int s, const double centre[3], const double rate[3])
{
    size_t last = (size_t)strands->first[s + 1] - 1;
    for (size_t v = (size_t)strands->first[s]; v <= last; v++) {
        double r[3], u[3], t[3];
        dr_vec3_sub(r, strands->position + 3 * v, centre);
        dr_vec3_cross(u, rate, r);
        dr_vec3_add(strands->velocity + 3 * v, strands->velocity + 3 * v, u);
        if (v == last) break;
        dr_scalar_tangent(strands->position + 3 * v, t);
        strands->spin[v] += dr_vec3_dot(rate, t);
    }
}

// (49), (50)
static void project_strand(dr_world *world, int s)
{
    const dr_strand_closed *kept = &world->strands.closed[s];
    double energy, missing[3], rate[3];
    dr_rigid_body body = body_of(world, &world->film.after, s, &energy);
    dr_vec3_sub(missing, kept->angular, body.angular);
    dr_scalar_solve(body.inertia, missing, rate);
    double linear = dr_vec3_dot(rate, body.angular), square = 0.5 * dr_vec3_dot(rate, missing);
    if (!(square > 0.0) || !isfinite(square)) return;
    dr_vec3_scale(rate, share_of_turn(linear, square, fmax(kept->energy - energy, 0.0)), rate);
    turn_strand(&world->state.strands, s, body.centre, rate);
}

static void project_strands(void *user, size_t begin, size_t end, int thread)
{
    (void)thread;
    dr_world *world = user;
    for (size_t s = begin; s < end; s++) {
        if (world->strands.closed[s].is) project_strand(world, (int)s);
    }
}

void dr_strand_momentum_project(dr_world *world)
{
    dr_par_for(&world->par, (size_t)world->state.strands.count, DR_FILM_GRAIN, project_strands, world);
}
