// Liquid that flows along a strand, and what it takes along. docs/theory/film.md, eq. (5), (6), (12), (24), (32), (42).
#include "film/flow_parts.h"

#include "film/constants.h"
#include "film/flow_lanes.h"
#include "film/rheology.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

static double smaller(double a, double b)
{
    return a * b <= 0.0 ? 0.0 : fabs(a) < fabs(b) ? a : b;
}

// How the section changes along a cell; not at the ends.
static double slope(const dr_flow *f, int v)
{
    if (v == 0 || v + 1 == f->count) return 0.0;
    double on = (f->area[v + 1] - f->area[v]) * f->steeper[v], back = (f->area[v] - f->area[v - 1]) * f->steeper[v - 1];
    return smaller(smaller(2.0 * on, 2.0 * back), 0.5 * (on + back));
}

static void find_flux(dr_flow *f, int e)
{
    double u = f->u[e], left = dr_flow_larger(0.0, 1.0 - fabs(u) * f->dt * f->steeper[e]);
    int up = u > 0.0 ? e : e + 1;
    double side = u > 0.0 ? 0.5 : -0.5;
    f->flux[e] = u * dr_flow_larger(0.0, f->area[up] + side * slope(f, up) * f->l[e] * left);
}

static void find_fluxes(dr_flow *f)
{
    bool inside = dr_flow_lanes_flux(f);
    for (int e = 0; e + 1 < f->count; e++) {
        if (!inside || e == 0 || e + 2 >= f->count) find_flux(f, e);
    }
}

// No cell gives more than it has.
static void limit_fluxes(dr_flow *f, double dt)
{
    for (int v = 0; v < f->count; v++) {
        double out = (v + 1 < f->count ? dr_flow_larger(f->flux[v], 0.0) : 0.0) +
                     (v > 0 ? dr_flow_larger(-f->flux[v - 1], 0.0) : 0.0);
        if (out * dt <= f->V[v]) continue;
        double share = f->V[v] / (out * dt);
        if (v + 1 < f->count && f->flux[v] > 0.0) f->flux[v] *= share;
        if (v > 0 && f->flux[v - 1] < 0.0) f->flux[v - 1] *= share;
    }
}

void dr_flow_find_momentum(dr_flow *f)
{
    for (int e = 0; e + 1 < f->count; e++) {
        f->share[e] = dr_film_share(f->M, f->count, e);
        f->momentum[e] = f->share[e] * f->u[e];
    }
}

static void find_mass_fluxes(dr_flow *f)
{
    for (int e = 0; e + 1 < f->count; e++) f->G[e] = f->rho[f->flux[e] > 0.0 ? e : e + 1] * f->flux[e];
}

// The speed of liquid that leaves edge e through vertex v, `mass` of it: that of the part of the edge which goes, where
// the speed is linear along it (minmod; of second order). What stays then has a speed between its own and its
// neighbours'. Not beside ends.
static double leaving_speed(const dr_flow *f, int e, int v, double mass)
{
    double here = f->share[e], u = f->u[e];
    if (e == 0 || e + 2 >= f->count || !(here > mass)) return u;
    if (!(f->share[e - 1] > 0.0 && f->share[e + 1] > 0.0)) return u;
    double half = 0.5 * (1.0 - mass / here) * smaller(f->u[e + 1] - u, u - f->u[e - 1]);
    return v > e ? u + half : u - half;
}

static void find_shift(dr_flow *f, int v)
{
    int last = f->count - 2;
    bool first = v == 0, end = v == f->count - 1;
    double through = f->dt * (first ? f->G[0] : end ? f->G[last] : 0.5 * (f->G[v - 1] + f->G[v])), speed;
    if (through > 0.0)
        speed = first ? 0.0 : leaving_speed(f, v - 1, v, through);
    else
        speed = end ? 0.0 : leaving_speed(f, v, v, -through);
    f->passes[v] = fabs(through);
    f->shift[v] = through * speed;
}

// Momentum of edges with what flows through vertices; at the ends it is left to the strand. (6)
static void carry_momentum(dr_flow *f)
{
    dr_flow_find_momentum(f);
    bool inside = dr_flow_lanes_shift(f);
    for (int v = 0; v < f->count; v++) {
        if (!inside || v < 2 || v + 2 >= f->count) find_shift(f, v);
    }
    for (int e = 0; e + 1 < f->count; e++) f->momentum[e] += f->shift[e] - f->shift[e + 1];
    for (int v = 0; v < f->count; v++) {
        f->turned[v] += f->shift[v];
        f->through[v] += f->passes[v];
        f->corner[v] = f->shift[v] / (f->mass[v] + dr_flow_larger(f->M[v], f->passes[v]));
    }
}

// Liquid that goes round corners pushes vertices, and what they then move by goes along with the liquid of the same
// time: half of it before that flows, half of it after. (12)
static void push_corners(dr_flow *f)
{
    for (int v = 1; v + 1 < f->count; v++) {
        dr_vec3_add_scaled(f->velocity + 3 * v, f->velocity + 3 * v, 0.5 * f->corner[v], f->bend + 3 * v);
    }
}

// The share of its second end in the velocity of liquid that goes along edge e: that of where it comes from, of second
// order in space and time. (12)
static void find_lean(dr_flow *f, int e)
{
    double mass = f->dt * f->G[e];
    int up = mass > 0.0 ? e : e + 1;
    double share = 0.5 * (1.0 - fabs(mass) / (f->mass[up] + f->M[up]));
    f->lean[e] = mass > 0.0 ? share : 1.0 - share;
}

static void find_leans(dr_flow *f)
{
    if (dr_flow_lanes_lean(f)) return;
    for (int e = 0; e + 1 < f->count; e++) find_lean(f, e);
}

// Momentum that liquid takes along edge e: it has the strand's velocity.
static void take_along(const dr_flow *f, int e, double momentum[3])
{
    const double *low = f->velocity + 3 * e, *high = low + 3;
    double mass = f->dt * f->G[e], lean = f->lean[e];
    for (int a = 0; a < 3; a++) momentum[a] = mass * (low[a] + lean * (high[a] - low[a]));
}

// Liquid that goes along edge e in the middle of a sub-step had another part of its weight along edges until then. (14)
static void spare(dr_flow *f, int e)
{
    double mass = f->dt * f->G[e], past = mass * (f->gone + 0.5 * f->dt);
    double *spared = f->spared + 3 * (mass > 0.0 ? e + 1 : e);
    const double *low = f->sloped + 3 * e, *high = low + 3;
    for (int a = 0; a < 3; a++) spared[a] += past * (high[a] - low[a]);
}

// What came to a vertex beyond what moves with the strand; a vertex that is free follows it, for the liquid of later
// sub-steps.
static void receive(dr_flow *f, int v, const double came[3], double before)
{
    double mass = f->M[v], *carried = f->carried + 3 * v, *velocity = f->velocity + 3 * v;
    const double *own = f->host->velocity + 3 * v;
    for (int a = 0; a < 3; a++) carried[a] += came[a] - (mass - before) * own[a];
    if (!(f->mass[v] < INFINITY)) return;
    double over = 1.0 / (f->mass[v] + mass), heavy = f->mass[v] + before;
    for (int a = 0; a < 3; a++) velocity[a] = (heavy * velocity[a] + came[a]) * over;
}

// Strain goes along with the liquid that has it.
static void carry_strain(dr_flow *f, double dt)
{
    for (int v = 0; v < f->count; v++) f->moved[v] = f->V[v] * f->strain[v];
    for (int e = 0; e + 1 < f->count; e++) {
        double moved = dt * f->flux[e] * f->strain[f->flux[e] > 0.0 ? e : e + 1];
        f->moved[e] -= moved;
        f->moved[e + 1] += moved;
    }
}

// Every liquid goes along by its share of where the flux comes from. (32)
static void carry_mix(dr_flow *f, double dt)
{
    int n = f->film->liquids;
    double came[DR_FILM_LIQUIDS] = {0.0}, *mix = f->film->mix;
    for (int v = 0; v < f->count; v++, mix += n) {
        double out = v + 1 < f->count ? dt * f->flux[v] : 0.0, *from = out > 0.0 ? mix : mix + n;
        double there = out > 0.0 ? f->V[v] : out < 0.0 ? f->V[v + 1] : 0.0, share = there > 0.0 ? out / there : 0.0;
        for (int k = 0; k < n; k++) {
            double went = share != 0.0 ? share * from[k] : 0.0;
            mix[k] = dr_flow_larger(0.0, mix[k] + came[k] - went);
            came[k] = went;
        }
    }
}

// Then it is stretched, and yields; (24). Ends are not.
static void stretch(dr_flow *f, double dt)
{
    int n = f->count;
    for (int first = 0; first < n; first += DR_LANES) {
        dr_film_stretches of;
        size_t bytes = sizeof of.rate;
        for (int k = 0; k < DR_LANES; k++) {
            int v = first + k;
            bool wet = v > 0 && v + 1 < n && f->V[v] > f->dry;
            of.strain[k] = wet ? f->moved[v] / f->V[v] : 0.0;
            of.rate[k] = wet ? (f->u[v] - f->u[v - 1]) * f->shorter[v] : 0.0;
        }
        memcpy(of.modulus, f->modulus + first, bytes);
        memcpy(of.yield, f->norm + first, bytes);
        memcpy(of.consistency, f->strength + first, bytes);
        memcpy(of.index, f->index + first, bytes);
        for (int k = n - first; k < DR_LANES; k++) of.index[k] = 1.0;
        dr_film_stretch_lanes(&of, dt);
        for (int k = 0; k < DR_LANES && first + k < n; k++) f->strain[first + k] = of.strain[k];
    }
}

static void move_volume(dr_flow *f)
{
    double in[3] = {0.0, 0.0, 0.0}, out[3] = {0.0, 0.0, 0.0}, came[3], gained = 0.0;
    if (f->law->transport) find_leans(f);
    for (int v = 0; v < f->count; v++) {
        bool last = v + 1 == f->count;
        double before = f->M[v], lost = last ? 0.0 : f->dt * f->flux[v];
        f->V[v] = dr_flow_larger(0.0, f->V[v] - (lost - gained));
        dr_flow_measure_liquid(f, v);
        gained = lost;
        if (!f->law->transport) continue;
        if (last)
            dr_vec3_set(out, 0.0, 0.0, 0.0);
        else {
            take_along(f, v, out);
            spare(f, v);
        }
        dr_vec3_sub(came, in, out);
        receive(f, v, came, before);
        dr_vec3_copy(in, out);
    }
}

void dr_flow_carry(dr_flow *f, double dt)
{
    f->dt = dt;
    find_fluxes(f);
    dr_flow_lead_fronts(f, dt);
    limit_fluxes(f, dt);
    if (!f->law->thick) dr_flow_share_excess(f);
    find_mass_fluxes(f);
    carry_momentum(f);
    if (f->strain) carry_strain(f, dt);
    if (f->film->mix) carry_mix(f, dt);
    if (f->law->transport) push_corners(f);
    move_volume(f);
    if (f->law->transport) push_corners(f);
    if (f->strain) stretch(f, dt);
}

// ---- (42)

// Fluxes of what goes along edges by `way`, as if that took a second.
static void find_displacement(dr_flow *f, double *way)
{
    double *u = f->u;
    f->dt = 1.0;
    f->u = way;
    find_fluxes(f);
    limit_fluxes(f, f->dt);
    f->u = u;
    find_mass_fluxes(f);
}

static void keep_strain(dr_flow *f)
{
    for (int v = 0; v < f->count; v++) f->strain[v] = f->V[v] > f->dry ? f->moved[v] / f->V[v] : 0.0;
}

// What edges without liquid have, they leave to the strand.
static void keep_speeds(dr_flow *f)
{
    for (int e = 0; e + 1 < f->count; e++) {
        double mass = dr_film_share(f->M, f->count, e);
        if (mass > 0.0)
            f->u[e] = f->momentum[e] / mass;
        else {
            f->rub[e] = f->momentum[e];
            f->u[e] = 0.0;
        }
    }
}

// What went round the vertex, and what edge e, one of its own, left: sign +1 where the edge leads away from it.
static void owe(dr_flow *f, int v, int e, double sign)
{
    dr_vec3_add_scaled(f->carried + 3 * v, f->carried + 3 * v, 0.5 * f->rub[e] - sign * f->turned[v], f->t + 3 * e);
}

void dr_flow_displace(dr_flow *f, double *way)
{
    double *owed = f->film->impulse;
    find_displacement(f, way);
    carry_momentum(f);
    if (f->strain) carry_strain(f, f->dt);
    if (f->film->mix) carry_mix(f, f->dt);
    move_volume(f);
    if (f->strain) keep_strain(f);
    keep_speeds(f);
    for (int v = 0; v < f->count; v++) {
        dr_flow_hand_along(f, NULL, v);
        if (v > 0) owe(f, v, v - 1, -1.0);
        if (v + 1 < f->count) owe(f, v, v, 1.0);
        dr_vec3_add(owed + 3 * v, owed + 3 * v, f->carried + 3 * v);
    }
}
