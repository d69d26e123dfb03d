// Finite volumes along one strand. docs/theory/film.md, eq. (5)-(16).
#include "film/flow.h"

#include "film/constants.h"
#include "film/flow_lanes.h"
#include "film/parts.h"
#include "film/rheology.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { PER_VERTEX = 32 + 3 * 4, THICK = 14 };

// Lanes of the last edges reach beyond them.
static size_t padded(int count)
{
    return ((size_t)count + DR_LANES - 1) / DR_LANES * DR_LANES;
}

size_t dr_film_flow_room(int count)
{
    return (size_t)PER_VERTEX * (size_t)count + (size_t)THICK * padded(count);
}

static double *cut(double **room, size_t count)
{
    double *piece = *room;
    *room += count;
    return piece;
}

static dr_flow open_flow(const dr_film_law *law, const dr_film_host *host, dr_film *film, double *room)
{
    size_t n = (size_t)host->count;
    dr_flow f = {.law = law, .host = host, .count = host->count, .V = film->volume, .u = film->velocity, .film = film};
    if (law->thick && law->elastic) f.strain = film->strain;
    double **one[] = {&f.l,       &f.cell,     &f.pull, &f.area,  &f.h,      &f.surface, &f.p,      &f.N,
                      &f.flux,    &f.momentum, &f.lag,  &f.rub,   &f.turned, &f.tension, &f.mass,   &f.rate,
                      &f.shorter, &f.steeper,  &f.lead, &f.over,  &f.moved,  &f.share,   &f.lean,   &f.shift,
                      &f.passes,  &f.M,        &f.rho,  &f.sigma, &f.mu,     &f.G,       &f.corner, &f.through};
    double **three[] = {&f.t, &f.carried, &f.velocity, &f.middle};
    double **thick[] = {
        &f.yield,      &f.consistency, &f.index, &f.modulus, &f.norm,   &f.strength, &f.edge_yield, &f.edge_consistency,
        &f.edge_index, &f.near,        &f.more,  &f.girth,   &f.pulled, &f.push};
    memset(room, 0, ((size_t)PER_VERTEX * n + (law->thick ? (size_t)THICK * padded(host->count) : 0)) * sizeof *room);
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) *one[k] = cut(&room, n);
    for (size_t k = 0; k < sizeof three / sizeof *three; k++) *three[k] = cut(&room, 3 * n);
    for (size_t k = 0; law->thick && k < sizeof thick / sizeof *thick; k++) *thick[k] = cut(&room, padded(host->count));
    memcpy(f.velocity, host->velocity, 3 * n * sizeof *f.velocity);
    return f;
}

static void measure_host(dr_flow *f)
{
    const dr_film_host *host = f->host;
    double most = 0.0;
    for (int e = 0; e + 1 < f->count; e++) {
        f->l[e] = dr_film_edge(host, e, f->t + 3 * e);
        f->steeper[e] = 1.0 / f->l[e];
        f->cell[e] += 0.5 * f->l[e];
        f->cell[e + 1] += 0.5 * f->l[e];
        double pull[3];
        dr_vec3_add(pull, host->pull + 3 * e, host->pull + 3 * e + 3);
        f->pull[e] = 0.5 * dr_vec3_dot(pull, f->t + 3 * e);
        if (host->borne) f->pull[e] *= 1.0 - 0.5 * (host->borne[e] + host->borne[e + 1]);
        if (!f->law->thick || !host->acceleration) continue;
        dr_vec3_add(pull, host->acceleration + 3 * e, host->acceleration + 3 * e + 3);
        f->lead[e] = 0.5 * dr_vec3_dot(pull, f->t + 3 * e);
    }
    for (int v = 0; v < f->count; v++) {
        f->mass[v] = host->held[v] ? INFINITY : host->mass[v];
        f->shorter[v] = 1.0 / f->cell[v];
        most = fmax(most, f->V[v]);
    }
    f->dry = DR_FILM_DRY * most;
}

// Without the care for what is no number.
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static bool hangs(const dr_flow *f, int v)
{
    return (v == 0 && f->host->free_end[0]) || (v + 1 == f->count && f->host->free_end[1]);
}

static void measure_goo(dr_flow *f, int v)
{
    dr_film_flow_curve curve = dr_film_flow_curve_at(f->film, f->law, v);
    f->yield[v] = curve.yield;
    f->consistency[v] = curve.consistency;
    f->index[v] = curve.index;
    f->modulus[v] = f->law->elastic ? curve.shear_modulus : 0.0;
    f->norm[v] = curve.norm_yield;
    f->strength[v] = curve.norm_consistency;
}

// What liquid there is at a vertex. (32)
static void find_liquid(dr_flow *f, int v)
{
    const dr_film *film = f->film;
    f->rho[v] = dr_film_density(film, f->law, v);
    f->sigma[v] = dr_film_tension(film, f->law, v);
    f->mu[v] = dr_film_viscosity(film, f->law, v);
    if (f->law->thick) measure_goo(f, v);
}

static inline void measure_liquid(dr_flow *f, int v)
{
    if (f->film->mix || !(f->rho[v] > 0.0)) find_liquid(f, v); // the same for ever where there is but one
    f->M[v] = f->rho[v] * f->V[v];
}

static void measure_film(dr_flow *f)
{
    for (int v = 0; v < f->count; v++) measure_liquid(f, v);
    if (dr_flow_lanes_measure(f)) return;
    for (int v = 0; v < f->count; v++) {
        double r = f->host->radius[v];
        f->area[v] = f->V[v] * f->shorter[v];
        double section = f->area[v] * (1.0 / DR_PI);
        f->h[v] = section / (r + sqrt(r * r + section));
        f->surface[v] = r + f->h[v];
    }
}

// ---- pressure and tension, (7)-(10)

double dr_film_hoop_pressure(double H, double r, double coarse, double *tension)
{
    double c = coarse > r ? coarse : r, low = H < c ? H : c, over = 1.0 / (c * c), sum = 0.0;
    if (c > r) sum = (low - r) * (low - r) * (low + 2.0 * r) * over * (1.0 / 3.0);
    if (H > c) sum += (H - c) * (1.0 - r * r / (H * c));
    *tension = DR_PI * sum;
    return H < c ? (2.0 * c - H) * over : 1.0 / H;
}

double dr_film_hoop_area(double H, double r, double coarse)
{
    double c = fmax(coarse, r), low = fmin(H, c);
    double sum = (c * (low * low - r * r) - (low * low * low - r * r * r) / 3.0) / (c * c);
    return 2.0 * DR_PI * (sum + fmax(0.0, H - c));
}

// Of a film whose surface slopes, by the root of `slope2`, and bends by `bend`.
static void press(const dr_flow *f, int v, double slope2, double bend, double coarse)
{
    const dr_film_law *law = f->law;
    double sigma = f->sigma[v], r = f->host->radius[v], A = f->area[v], H = f->surface[v];
    bool hoop = law->hoop && !(f->host->bridged && f->host->bridged[v]);
    f->p[v] = -sigma * bend;
    f->N[v] = sigma * bend * A;
    if (hoop) {
        double s = 1.0 / sqrt(1.0 + slope2), less = -slope2 * s * s / (1.0 + s); // s - 1
        double curved = less / H - bend * s * s * s, tension;
        f->p[v] = sigma * (dr_film_hoop_pressure(H, r, coarse, &tension) + curved);
        f->N[v] = sigma * (tension + 2.0 * DR_PI * H * less - A * curved);
    }
    if (law->depth > 0.0) f->N[v] -= 0.5 * law->density * law->depth * A * A;
}

// The drop at a free end draws liquid in through the section next to it where its pressure is lower, and does not push
// back: what comes to the tip goes around it. (10)
static void press_drop(const dr_flow *f, int v)
{
    int next = v == 0 ? 1 : v - 1;
    double coarse = DR_FILM_BEAD * 2.0 * f->cell[v];
    double own = f->sigma[v] * dr_film_drop_pressure(f->V[v], f->host->radius[v], coarse);
    f->p[v] = f->law->hoop ? fmin(own, f->p[next]) : f->p[next];
    f->N[v] = f->N[next] - (f->p[v] - f->p[next]) * f->area[next];
}

// The radius of the surface beside a vertex: beside a drop that hangs there the film goes on as it is, at a wall it is
// mirrored.
static double beside(const dr_flow *f, int from, int v)
{
    return v < 0 || v >= f->count ? f->surface[2 * from - v] : hangs(f, v) ? f->surface[from] : f->surface[v];
}

// A film that is stretched pulls, (23); a drop at a free end as the film beside it does.
static void add_stress(dr_flow *f)
{
    for (int v = 0; v < f->count; v++) {
        int from = hangs(f, v) ? (v == 0 ? 1 : v - 1) : v;
        f->N[v] += f->modulus[from] * f->area[from] * f->strain[from];
    }
}

static void find_pressure(dr_flow *f)
{
    if (!(f->law->surface_tension > 0.0) && !f->film->mix && !(f->law->depth > 0.0)) {
        if (f->strain) memset(f->N, 0, (size_t)f->count * sizeof *f->N);
        if (f->strain) add_stress(f);
        return;
    }
    bool plain = f->law->hoop && !(f->law->depth > 0.0) && dr_flow_lanes_press(f);
    for (int v = 0; v < f->count; v++) {
        bool done = plain && v > 1 && v + 2 < f->count && !(f->host->bridged && f->host->bridged[v]);
        if (done || hangs(f, v)) continue;
        bool first = v == 0, last = v + 1 == f->count;
        double back = first ? f->steeper[0] : f->steeper[v - 1], on = last ? back : f->steeper[v];
        double low = beside(f, v, v - 1), high = beside(f, v, v + 1), here = f->surface[v];
        double both = first || last ? 2.0 * f->cell[v] : f->cell[v],
               per = first || last ? 0.5 * f->shorter[v] : f->shorter[v];
        double rise = (high - here) * on, fall = (here - low) * back;
        press(f, v, larger(0.0, rise * fall), (rise - fall) * per, DR_FILM_BEAD * both);
    }
    for (int v = 0; v < f->count; v += f->count - 1) {
        if (hangs(f, v)) press_drop(f, v);
    }
    if (f->strain) add_stress(f);
}

// ---- friction

// The mean of what two vertices have, by volume.
static double between(const dr_flow *f, const double *number, int v, int w)
{
    double all = f->V[v] + f->V[w];
    return all > 0.0 ? (f->V[v] * number[v] + f->V[w] * number[w]) / all : number[v];
}

// The inner vertices of an edge.
static void ends_of(const dr_flow *f, int e, int *v, int *w)
{
    *v = e > 0 ? e : e + 1;
    *w = e + 2 < f->count ? e + 1 : e;
}

// How fast friction slows the liquid of an edge, 1/s. (11)
static double friction_rate(const dr_flow *f, int e)
{
    int v, w;
    ends_of(f, e, &v, &w);
    double A = 0.5 * (f->area[v] + f->area[w]), r = 0.5 * (f->host->radius[v] + f->host->radius[w]);
    double mass = f->M[v] + f->M[w], mu = f->mu[v] == f->mu[w] ? f->mu[v] : between(f, f->mu, v, w);
    if (!(mu > 0.0) || !(A > 0.0)) return 0.0;
    double h = (A / DR_PI) / (r + sqrt(r * r + A / DR_PI)), rho = mass / (f->V[v] + f->V[w]);
    return mu * A / (rho * dr_film_mobility(r, h, f->law->slip));
}

// The liquid that is sheared on edges, their sections and what of the wall they touch: all that slide() needs and that
// stays as it is while volumes do. (20), (32)
static void find_sections(dr_flow *f)
{
    int edges = f->count - 1;
    for (int first = 0; first < edges; first += DR_LANES) {
        double r[DR_LANES], h[DR_LANES];
        for (int k = 0; k < DR_LANES; k++) {
            int e = first + k < edges ? first + k : edges - 1, v, w;
            ends_of(f, e, &v, &w);
            double A = 0.5 * (f->area[v] + f->area[w]);
            r[k] = 0.5 * (f->host->radius[v] + f->host->radius[w]);
            h[k] = A > 0.0 ? (A / DR_PI) / (r[k] + sqrt(r[k] * r[k] + A / DR_PI)) : 0.0;
            bool mixed = f->film->mix != NULL;
            f->edge_yield[first + k] = mixed ? between(f, f->yield, v, w) : f->law->yield;
            f->edge_consistency[first + k] = mixed ? between(f, f->consistency, v, w) : f->law->consistency;
            f->edge_index[first + k] = mixed ? between(f, f->index, v, w) : f->law->index;
            f->girth[first + k] = A > 0.0 ? 2.0 * DR_PI * r[k] * dr_film_share(f->V, f->count, e) / A : 0.0;
        }
        dr_film_section_lanes(r, h, f->near + first, f->more + first);
    }
}

static void find_friction(dr_flow *f)
{
    bool viscous = !f->law->thick && (f->law->viscosity > 0.0 || f->film->mix);
    if (f->law->thick) find_sections(f);
    if (!viscous) return;
    bool plain = !f->film->mix && dr_flow_lanes_rub(f);
    for (int e = 0; e + 1 < f->count; e++) {
        if (!plain || e == 0 || e + 2 >= f->count) f->rate[e] = friction_rate(f, e);
    }
}

// ---- how long a sub-step may be, (13)

// How often per second a cell is left.
static double leave_rate(const dr_flow *f, int v)
{
    double out = 0.0;
    if (v + 1 < f->count && f->u[v] > 0.0) out += f->u[v];
    if (v > 0 && f->u[v - 1] < 0.0) out -= f->u[v - 1];
    return f->V[v] > 0.0 ? out * f->shorter[v] : 0.0;
}

// Of capillary waves, squared.
static double wave_rate(const dr_flow *f, int e)
{
    int thick = f->area[e] > f->area[e + 1] ? e : e + 1;
    double wave = f->sigma[thick] / (2.0 * DR_PI * f->rho[thick]), steep2 = f->steeper[e] * f->steeper[e];
    return wave * (f->area[thick] / f->surface[thick] * steep2 * steep2);
}

static double find_rate(const dr_flow *f)
{
    double rate = 0.0, squared = 0.0;
    bool plain = !f->film->mix && dr_flow_lanes_rate(f, &rate, &squared);
    for (int v = 0; v < f->count; v++) {
        if (!plain || v == 0 || v + 1 == f->count) rate = larger(rate, leave_rate(f, v));
        if (v + 1 < f->count && (!plain || v == 0)) squared = larger(squared, wave_rate(f, v));
    }
    rate /= DR_FILM_COURANT;
    for (int e = 0; f->law->depth > 0.0 && e + 1 < f->count; e++) {
        double A = larger(f->area[e], f->area[e + 1]);
        rate = larger(rate, (fabs(f->u[e]) + sqrt(f->law->depth * A)) / (DR_FILM_COURANT * f->l[e]));
    }
    if (f->strain) {
        double wave = 0.0; // squared
        for (int v = 0; v < f->count; v++) wave = larger(wave, 4.0 * f->modulus[v] / f->rho[v]);
        wave = sqrt(wave);
        for (int e = 0; e + 1 < f->count; e++) rate = larger(rate, wave * f->steeper[e] / DR_FILM_ELASTIC);
    }
    return larger(rate, 2.0 / DR_FILM_CAPILLARY * sqrt(squared));
}

// ---- liquid that flows, (5)

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
    double u = f->u[e], left = larger(0.0, 1.0 - fabs(u) * f->dt * f->steeper[e]);
    int up = u > 0.0 ? e : e + 1;
    double side = u > 0.0 ? 0.5 : -0.5;
    f->flux[e] = u * larger(0.0, f->area[up] + side * slope(f, up) * f->l[e] * left);
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
        double out = (v + 1 < f->count ? larger(f->flux[v], 0.0) : 0.0) + (v > 0 ? larger(-f->flux[v - 1], 0.0) : 0.0);
        if (out * dt <= f->V[v]) continue;
        double share = f->V[v] / (out * dt);
        if (v + 1 < f->count && f->flux[v] > 0.0) f->flux[v] *= share;
        if (v > 0 && f->flux[v - 1] < 0.0) f->flux[v - 1] *= share;
    }
}

static void find_momentum(dr_flow *f)
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
    find_momentum(f);
    bool inside = dr_flow_lanes_shift(f);
    for (int v = 0; v < f->count; v++) {
        if (!inside || v < 2 || v + 2 >= f->count) find_shift(f, v);
    }
    for (int e = 0; e + 1 < f->count; e++) f->momentum[e] += f->shift[e] - f->shift[e + 1];
    for (int v = 0; v < f->count; v++) {
        f->turned[v] += f->shift[v];
        f->through[v] += f->passes[v];
        f->corner[v] = f->shift[v] / (f->mass[v] + larger(f->M[v], f->passes[v]));
    }
}

// Liquid that goes round corners pushes vertices, and what they then move by goes along with the liquid of the same
// time: half of it before that flows, half of it after. (12)
static void push_corners(dr_flow *f)
{
    for (int v = 1; v + 1 < f->count; v++) {
        double push = 0.5 * f->corner[v], *velocity = f->velocity + 3 * v;
        dr_vec3_add_scaled(velocity, velocity, push, f->t + 3 * v - 3);
        dr_vec3_add_scaled(velocity, velocity, -push, f->t + 3 * v);
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
            mix[k] = larger(0.0, mix[k] + came[k] - went);
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
        f->V[v] = larger(0.0, f->V[v] - (lost - gained));
        measure_liquid(f, v);
        gained = lost;
        if (!f->law->transport) continue;
        if (last)
            dr_vec3_set(out, 0.0, 0.0, 0.0);
        else
            take_along(f, v, out);
        dr_vec3_sub(came, in, out);
        receive(f, v, came, before);
        dr_vec3_copy(in, out);
    }
}

// ---- forces on edges

// The speed that the wall leaves to what sets out from an end with a speed. (22)
static double slide_out(const dr_flow *f, int v, double speed, double dt)
{
    dr_film_law here = *f->law;
    here.yield = f->yield[v];
    here.consistency = f->consistency[v];
    here.index = f->index[v];
    dr_film_section section = dr_film_section_of(&here, f->host->radius[v], f->h[v]);
    double over = 0.0;
    return dr_film_slide(&here, &section, f->M[v], f->M[v] * speed, dt * 2.0 * DR_PI * f->host->radius[v] * f->cell[v],
                         &over);
}

// An edge without liquid of its own beside an end that is wet: liquid sets out there, without momentum yet.
static double set_out(const dr_flow *f, int e, double dt)
{
    int v = e == 0 ? 0 : f->count - 1;
    if (!(f->V[v] > f->dry) || (e != 0 && e + 2 != f->count)) return 0.0;
    double r = f->host->radius[v], push = f->pull[e] - (f->p[e + 1] - f->p[e]) / (f->rho[v] * f->l[e]);
    double rate =
        f->mu[v] > 0.0 ? f->mu[v] * f->area[v] / (f->rho[v] * dr_film_mobility(r, f->h[v], f->law->slip)) : 0.0;
    double u = (f->u[e] + dt * push) / (1.0 + dt * rate);
    if (f->law->thick) u = slide_out(f, v, f->u[e] + dt * (push - f->lead[e]), dt);
    return (v == 0) == (u > 0.0) ? u : 0.0;
}

static bool is_bridged(const dr_flow *f, int v)
{
    return f->host->bridged && f->host->bridged[v];
}

// What pushes besides the tension: the wall of a strand that tapers; and where a bridge begins, the strands that it
// joins bear what the surface no longer does. (9)
static double wall_force(const dr_flow *f, int e)
{
    double a = f->host->radius[e], b = f->host->radius[e + 1];
    if (is_bridged(f, e) != is_bridged(f, e + 1))
        return -0.5 * (f->area[e] + f->area[e + 1]) * (f->p[e + 1] - f->p[e]) - (f->N[e + 1] - f->N[e]);
    if (a == b) return 0.0;
    double sum = -0.5 * DR_PI * (f->p[e] + f->p[e + 1]) * (b * b - a * a);
    return f->law->hoop ? sum + DR_PI * (f->sigma[e] + f->sigma[e + 1]) * (b - a) : sum;
}

// Under liquid nothing flows along the strand: there is no surface that would drive it. (36)
static bool is_under(const dr_flow *f, int e)
{
    const double *borne = f->host->borne;
    return borne && borne[e] > 0.0 && borne[e + 1] > 0.0;
}

// Whether an edge has liquid that could flow.
static bool can_flow(const dr_flow *f, int e)
{
    return dr_film_share(f->V, f->count, e) > f->dry && !is_under(f, e);
}

// Edges without liquid leave what pulls at them to the strand.
static void leave_edge(dr_flow *f, int e, double dt)
{
    f->rub[e] += f->momentum[e] + dt * (f->N[e + 1] - f->N[e]);
    f->u[e] = is_under(f, e) ? 0.0 : set_out(f, e, dt);
    f->lag[e] = 0.0;
}

// slow: the share of its momentum that an edge keeps.
static void end_edge(dr_flow *f, int e, double pulled, double wall, double mass, double slow, double dt)
{
    f->u[e] = pulled * slow / mass;
    f->rub[e] += pulled * (1.0 - slow) - dt * wall;
    f->lag[e] = (f->lag[e] + dt) * slow;
}

static void drive_edge(dr_flow *f, int e, double dt)
{
    if (!can_flow(f, e)) {
        leave_edge(f, e, dt);
        return;
    }
    double wall = wall_force(f, e), mass = dr_film_share(f->M, f->count, e);
    double pulled = f->momentum[e] + dt * (f->N[e + 1] - f->N[e] + wall + mass * f->pull[e]);
    end_edge(f, e, pulled, wall, mass, 1.0 / (1.0 + dt * f->rate[e]), dt);
}

static void drive_thin(dr_flow *f, double dt)
{
    bool plain = !f->host->borne && !f->host->bridged;
    for (int e = 0; e + 1 < f->count; e++) {
        bool inside = plain && e > 0 && e + DR_LANES + 1 < f->count;
        if (inside && dr_flow_lanes_drive(f, e, dt))
            e += DR_LANES - 1;
        else
            drive_edge(f, e, dt);
    }
}

// The wall leaves to thick liquid a share of an impulse along an edge, none where it holds it. What the strand's own
// acceleration takes counts too: it comes at the end of the step. (22)
static void slide_edges(dr_flow *f, int first, int end, double dt)
{
    dr_film_slides slides;
    size_t bytes = sizeof slides.near;
    for (int k = 0; k < DR_LANES; k++) {
        int e = first + k;
        bool wet = e < end && can_flow(f, e);
        double mass = wet ? dr_film_share(f->M, f->count, e) : 1.0;
        f->push[e] = wet ? wall_force(f, e) : 0.0;
        f->pulled[e] = wet ? f->momentum[e] + dt * (f->N[e + 1] - f->N[e] + f->push[e] + mass * f->pull[e]) : 0.0;
        slides.mass[k] = mass;
        slides.impulse[k] = wet ? f->pulled[e] - dt * mass * f->lead[e] : 0.0;
        slides.wall[k] = wet && f->girth[e] > 0.0 ? dt * f->girth[e] : 1.0;
        slides.over[k] = e < end ? f->over[e] : 0.0;
    }
    memcpy(slides.yield, f->edge_yield + first, bytes);
    memcpy(slides.consistency, f->edge_consistency + first, bytes);
    memcpy(slides.index, f->edge_index + first, bytes);
    memcpy(slides.near, f->near + first, bytes);
    memcpy(slides.more, f->more + first, bytes);
    dr_film_slide_lanes(&slides, f->law->slip);
    for (int e = first; e < first + DR_LANES && e < end; e++) {
        int k = e - first;
        if (!can_flow(f, e)) {
            leave_edge(f, e, dt);
            continue;
        }
        bool goes = slides.speed[k] != 0.0 && f->girth[e] > 0.0;
        double slow = goes ? slides.mass[k] * slides.speed[k] / slides.impulse[k] : 0.0;
        f->over[e] = slides.over[k];
        end_edge(f, e, f->pulled[e], f->push[e], slides.mass[k], slow, dt);
    }
}

// Forces and friction over some time.
static void drive_edges(dr_flow *f, double dt)
{
    if (!f->law->thick) drive_thin(f, dt);
    for (int first = 0; f->law->thick && first + 1 < f->count; first += DR_LANES)
        slide_edges(f, first, f->count - 1, dt);
    for (int v = 0; v < f->count; v++) {
        f->turned[v] -= dt * f->N[v];
        f->tension[v] += dt * f->N[v];
    }
}

// Where liquid runs into thicker film ahead of it, what can follow is what the thinner side has: the rest of its
// momentum is shared with the edge ahead, as of bodies that stay together (the viscosity of von Neumann and Richtmyer
// 1950, in compression alone). Without it fronts that draw back gain energy that no surface gives. (34)
static void join_fronts(dr_flow *f)
{
    for (int e = 0; e + 1 < f->count; e++) {
        double u = f->u[e];
        if (u == 0.0) continue;
        int up = u > 0.0 ? e : e + 1, down = u > 0.0 ? e + 1 : e, ahead = u > 0.0 ? e + 1 : e - 1;
        if (ahead < 0 || ahead + 1 >= f->count || !(f->area[up] < f->area[down])) continue;
        double change = u - f->u[ahead];
        if (change * u <= 0.0) continue;
        double own = dr_film_share(f->M, f->count, e), next = dr_film_share(f->M, f->count, ahead);
        if (!(own > 0.0 && next > 0.0)) continue;
        double moved = (1.0 - f->area[up] / f->area[down]) * own * next / (own + next) * change;
        f->u[e] -= moved / own;
        f->u[ahead] += moved / next;
        f->turned[down] += ahead > e ? moved : -moved;
    }
}

// Half of the forces, the flow, the other half: of second order, so that hardly any energy comes of it.
static void substep(dr_flow *f, double dt)
{
    find_momentum(f);
    drive_edges(f, 0.5 * dt);
    if (!f->law->thick) join_fronts(f);
    f->dt = dt;
    find_fluxes(f);
    limit_fluxes(f, dt);
    find_mass_fluxes(f);
    carry_momentum(f);
    if (f->strain) carry_strain(f, dt);
    if (f->film->mix) carry_mix(f, dt);
    if (f->law->transport) push_corners(f);
    move_volume(f);
    if (f->law->transport) push_corners(f);
    if (f->strain) stretch(f, dt);
    measure_film(f);
    find_pressure(f);
    find_friction(f);
    drive_edges(f, 0.5 * dt);
    if (!f->law->thick) join_fronts(f);
}

// ---- what the strand is told, (14)

static bool is_inner(const dr_flow *f, int v)
{
    return v > 0 && v + 1 < f->count;
}

// What came with liquid along the strand is the film's first; what friction would hand on, the strand gets at once, and
// what belongs to liquid that has gone by.
static void hand_along(dr_flow *f, const dr_film_answer *answer, int v)
{
    double *rest = f->carried + 3 * v, given[2] = {0.0, 0.0};
    double stays = f->M[v] < f->through[v] ? f->M[v] / f->through[v] : 1.0;
    for (int side = 0; side < 2 && is_inner(f, v); side++) {
        int e = v - 1 + side;
        double share = dr_film_share(f->V, f->count, e);
        if (!(share > f->dry)) continue;
        given[side] = 0.5 * stays * answer->response[e] * dr_vec3_dot(rest, f->t + 3 * e);
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
static double part_of(const dr_flow *f, int e, int v)
{
    double here = f->host->mass[v] + f->M[v], all = f->host->mass[e] + f->M[e] + f->host->mass[e + 1] + f->M[e + 1];
    return here / all;
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
    if (!f->law->still && share > f->dry && is_inner(f, v) && !is_under(f, e)) along -= inner * dt * f->pull[e];
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
        impulse[a] = film->impulse[3 * v + a] + f->carried[3 * v + a] + dt * (mass * pull[a] - moved[a]);
    if (v > 0) press_vertex(f, answer, v, v - 1, -1.0, dt, impulse);
    if (v + 1 < f->count) press_vertex(f, answer, v, v, 1.0, dt, impulse);
}

static void fill_answer(dr_flow *f, const dr_film *film, const dr_film_answer *answer, double dt)
{
    for (int v = 0; v < f->count; v++) {
        bool edge = v + 1 < f->count;
        answer->response[v] = edge ? fmin(1.0, f->lag[v] / dt) : 0.0;
        answer->tension[v] = edge ? 0.5 * (f->tension[v] + f->tension[v + 1]) / dt : 0.0;
    }
    for (int v = 0; v < f->count; v++) hand_along(f, answer, v);
    expect_turns(f, answer, dt);
    for (int v = 0; v < f->count; v++) fill_matrix(f, answer, v);
    for (int v = 0; v < f->count; v++) fill_impulse(f, film, answer, v, dt);
}

static bool is_dry(const dr_film_host *host, const dr_film *film)
{
    for (int v = 0; v < host->count; v++) {
        if (film->volume[v] > 0.0) return false;
    }
    return true;
}

int64_t dr_film_flow(const dr_film_law *law, const dr_film_host *host, double dt, dr_film *film, dr_film_answer *answer,
                     double *room)
{
    int64_t steps = 0;
    double left = dt;
    dr_flow f = open_flow(law, host, film, room);
    measure_host(&f);
    measure_film(&f);
    find_pressure(&f);
    find_friction(&f);
    bool flows = !law->still && !is_dry(host, film);
    while (flows && left > 0.0) {
        double wanted = ceil(left * find_rate(&f)), part = wanted > 1.0 ? left / wanted : left;
        if (!(wanted + (double)steps <= DR_FILM_PATIENCE)) return -1;
        substep(&f, part);
        left = wanted > 1.0 ? left - part : 0.0;
        steps++;
    }
    fill_answer(&f, film, answer, dt);
    return steps;
}

// Mass whose momentum edge e has. (2)
static double edge_mass(const dr_film *film, const dr_film_law *law, int count, int e)
{
    return 0.5 * ((e > 0 ? dr_film_mass(film, law, e) : 0.0) + (e + 2 < count ? dr_film_mass(film, law, e + 1) : 0.0));
}

double dr_film_rate(const dr_film_law *law, const dr_film_host *host, const dr_film *film)
{
    double most = 0.0, t[3];
    for (int e = 0; e + 1 < host->count; e++) {
        double mass = edge_mass(film, law, host->count, e);
        if (!(mass > 0.0)) continue;
        double share = mass / (mass + 0.5 * (host->mass[e] + host->mass[e + 1]));
        most = fmax(most, share * fabs(film->velocity[e]) / dr_film_edge(host, e, t));
    }
    return most;
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
        double mass = edge_mass(film, law, host->count, e), t[3], turn[3], owed[3];
        if (!(mass > 0.0)) continue;
        dr_film_edge(host, e, t);
        dr_vec3_scale(owed, film->velocity[e], answer->turn + 3 * e);
        film->velocity[e] -= answer->response[e] * change_along(host, after, film, law, e, t) / mass;
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

// ---- mobility, (11)

// logarithm_lanes()
static inline double logarithm(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint64_t exponent = (bits - UINT64_C(0x3fe6a09e667f3bcd)) >> 52;
    bits -= exponent << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    double t = (m - 1.0) / (m + 1.0), t2 = t * t, t4 = t2 * t2, t8 = t4 * t4; // in pairs, that none waits for the last
    double low = 1.0 + t2 * (1.0 / 3.0) + t4 * (1.0 / 5.0 + t2 * (1.0 / 7.0));
    double middle = 1.0 / 9.0 + t2 * (1.0 / 11.0) + t4 * (1.0 / 13.0 + t2 * (1.0 / 15.0));
    double high = 1.0 / 17.0 + t2 * (1.0 / 19.0) + t4 * (1.0 / 21.0 + t2 * (1.0 / 23.0));
    return (double)exponent * 0.6931471805599453 + 2.0 * t * (low + t8 * (middle + t8 * high));
}

double dr_film_mobility(double radius, double height, double slip)
{
    double x = height / radius, H = 1.0 + x, q;
    if (x < DR_FILM_THIN)
        q = x * x * x *
            (16.0 / 3.0 +
             x * (16.0 / 3.0 +
                  x * (0.8 +
                       x * (-2.0 / 15.0 + x * (4.0 / 105.0 + x * (-1.0 / 70.0 + x * (2.0 / 315.0 - x / 315.0)))))));
    else
        q = 4.0 * H * H * H * H * logarithm(H) - 3.0 * H * H * H * H + 4.0 * H * H - 1.0;
    double area = DR_PI * height * (height + 2.0 * radius), r4 = radius * radius * radius * radius;
    return 0.125 * DR_PI * r4 * q + slip * area * area / (2.0 * DR_PI * radius);
}
