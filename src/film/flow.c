// Finite volumes along one strand, in sub-steps. docs/theory/film.md, eq. (5)-(16).
#include "film/flow_parts.h"

#include "film/constants.h"
#include "film/flow_lanes.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { PER_VERTEX = 34 + 2 + 3 * 7, THICK = 14 };

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
    double **one[] = {&f.l,     &f.cell, &f.pull,     &f.area,    &f.h,      &f.surface, &f.p,
                      &f.N,     &f.flux, &f.momentum, &f.lag,     &f.rub,    &f.turned,  &f.tension,
                      &f.mass,  &f.rate, &f.shorter,  &f.steeper, &f.lead,   &f.over,    &f.moved,
                      &f.share, &f.lean, &f.shift,    &f.passes,  &f.M,      &f.rho,     &f.sigma,
                      &f.mu,    &f.G,    &f.corner,   &f.through, &f.excess, &f.path};
    double **three[] = {&f.t, &f.bend, &f.carried, &f.velocity, &f.middle, &f.sloped, &f.spared};
    double **thick[] = {
        &f.yield,      &f.consistency, &f.index, &f.modulus, &f.norm,   &f.strength, &f.edge_yield, &f.edge_consistency,
        &f.edge_index, &f.near,        &f.more,  &f.girth,   &f.pulled, &f.push};
    memset(room, 0, ((size_t)PER_VERTEX * n + (law->thick ? (size_t)THICK * padded(host->count) : 0)) * sizeof *room);
    for (size_t k = 0; k < sizeof one / sizeof *one; k++) *one[k] = cut(&room, n);
    for (size_t k = 0; k < sizeof three / sizeof *three; k++) *three[k] = cut(&room, 3 * n);
    f.ends = cut(&room, 2 * n);
    for (size_t k = 0; law->thick && k < sizeof thick / sizeof *thick; k++) *thick[k] = cut(&room, padded(host->count));
    memcpy(f.velocity, host->velocity, 3 * n * sizeof *f.velocity);
    return f;
}

static bool is_plain(const dr_film_host *host)
{
    for (int v = 0; v < host->count; v++) {
        if ((host->bridged && host->bridged[v]) || host->radius[v] != host->radius[0]) return false;
    }
    return true;
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
        if (v > 0 && v + 1 < f->count) dr_vec3_sub(f->bend + 3 * v, f->t + 3 * v - 3, f->t + 3 * v);
    }
    for (int v = 1; v + 1 < f->count; v++) {
        for (int e = v - 1; e <= v; e++) {
            if (dr_flow_is_under(f, e)) continue;
            dr_vec3_add_scaled(f->sloped + 3 * v, f->sloped + 3 * v, 0.5 * f->pull[e], f->t + 3 * e);
        }
    }
    f->dry = DR_FILM_DRY * most;
    f->plain = is_plain(host);
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
void dr_flow_find_liquid(dr_flow *f, int v)
{
    const dr_film *film = f->film;
    f->rho[v] = dr_film_density(film, f->law, v);
    f->sigma[v] = dr_film_tension(film, f->law, v);
    f->mu[v] = dr_film_viscosity(film, f->law, v);
    if (f->law->thick) measure_goo(f, v);
}

static void measure_film(dr_flow *f)
{
    for (int v = 0; v < f->count; v++) dr_flow_measure_liquid(f, v);
    if (dr_flow_lanes_measure(f)) return;
    for (int v = 0; v < f->count; v++) {
        double r = f->host->radius[v];
        f->area[v] = f->V[v] * f->shorter[v];
        double section = f->area[v] * (1.0 / DR_PI);
        f->h[v] = section / (r + sqrt(r * r + section));
        f->surface[v] = r + f->h[v];
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
        if (!plain || v == 0 || v + 1 == f->count) rate = dr_flow_larger(rate, leave_rate(f, v));
        if (v + 1 < f->count && (!plain || v == 0)) squared = dr_flow_larger(squared, wave_rate(f, v));
    }
    rate /= DR_FILM_COURANT;
    for (int e = 0; f->law->depth > 0.0 && e + 1 < f->count; e++) {
        double A = dr_flow_larger(f->area[e], f->area[e + 1]);
        rate = dr_flow_larger(rate, (fabs(f->u[e]) + sqrt(f->law->depth * A)) / (DR_FILM_COURANT * f->l[e]));
    }
    if (f->strain) {
        double wave = 0.0; // squared
        for (int v = 0; v < f->count; v++) wave = dr_flow_larger(wave, 4.0 * f->modulus[v] / f->rho[v]);
        wave = sqrt(wave);
        for (int e = 0; e + 1 < f->count; e++) rate = dr_flow_larger(rate, wave * f->steeper[e] / DR_FILM_ELASTIC);
    }
    return dr_flow_larger(rate, 2.0 / DR_FILM_CAPILLARY * sqrt(squared));
}

// Half of the forces, the flow, the other half: of second order, so that hardly any energy comes of it.
static void substep(dr_flow *f, double dt)
{
    dr_flow_find_momentum(f);
    dr_flow_drive(f, 0.5 * dt);
    if (!f->law->thick) dr_flow_join_fronts(f);
    for (int e = 0; e + 1 < f->count; e++) f->path[e] += dt * f->lag[e];
    dr_flow_carry(f, dt);
    measure_film(f);
    dr_flow_press(f);
    dr_flow_rub(f);
    dr_flow_drive(f, 0.5 * dt);
    if (!f->law->thick) dr_flow_join_fronts(f);
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
    dr_flow_press(&f);
    dr_flow_rub(&f);
    bool flows = !law->still && !is_dry(host, film);
    while (flows && left > 0.0) {
        double wanted = ceil(left * find_rate(&f)), part = wanted > 1.0 ? left / wanted : left;
        if (!(wanted + (double)steps <= DR_FILM_PATIENCE)) return -1;
        substep(&f, part);
        f.gone += part;
        left = wanted > 1.0 ? left - part : 0.0;
        steps++;
    }
    dr_flow_answer(&f, film, answer, dt);
    return steps;
}

void dr_film_displace(const dr_film_law *law, const dr_film_host *after, double *way, dr_film *film, double *room)
{
    bool goes = false;
    for (int e = 0; e + 1 < after->count; e++) goes = goes || way[e] != 0.0;
    if (!goes) return;
    dr_flow f = open_flow(law, after, film, room);
    measure_host(&f);
    measure_film(&f);
    dr_flow_displace(&f, way);
}

double dr_film_rate(const dr_film_law *law, const dr_film_host *host, const dr_film *film)
{
    double most = 0.0, t[3];
    for (int e = 0; e + 1 < host->count; e++) {
        double mass = dr_film_edge_mass(film, law, host->count, e);
        if (!(mass > 0.0)) continue;
        double share = mass / (mass + 0.5 * (host->mass[e] + host->mass[e + 1]));
        most = fmax(most, share * fabs(film->velocity[e]) / dr_film_edge(host, e, t));
    }
    return most;
}
