// docs/theory/film.md, eq. (17)-(19).
#include "film/drip.h"

#include "film/constants.h"
#include "film/parts.h"
#include "math/vec.h"

#include <math.h>

double dr_film_tip_drop(const dr_film_law *law, double radius, double acceleration, double least)
{
    double held = acceleration > 0.0 ? 2.0 * DR_PI * radius * law->surface_tension / (law->density * acceleration)
                                     : (law->surface_tension > 0.0 ? INFINITY : 0.0);
    return fmax(held, least);
}

double dr_film_feeling(double radius, double acceleration, double time)
{
    return acceleration > 0.0 ? -expm1(-time / sqrt(2.0 * DR_PI * radius / acceleration)) : 0.0;
}

double dr_film_hold(const dr_film_law *law, double radius, double company, double acceleration, double *reach)
{
    double bundle = radius * sqrt(company), volume = INFINITY;
    if (acceleration > 0.0) volume = 4.0 * DR_PI * bundle * law->surface_tension / (law->density * acceleration);
    *reach = cbrt(0.75 * volume / DR_PI);
    return volume / company;
}

double dr_film_least_excess(double held, double least)
{
    return fmin(least, fmax(DR_FILM_EXCESS * held, DR_FILM_CRUMB * least));
}

// The acceleration across the strand.
static double across(const dr_film_host *host, const double *acceleration, int v)
{
    double t[3], a[3];
    int next = v + 1 < host->count ? v + 1 : v, last = v > 0 ? v - 1 : v;
    dr_vec3_sub(t, host->position + 3 * next, host->position + 3 * last);
    dr_vec3_normalize(t, t, (double[3]){1.0, 0.0, 0.0});
    dr_vec3_add_scaled(a, acceleration + 3 * v, -dr_vec3_dot(acceleration + 3 * v, t), t);
    return dr_vec3_length(a);
}

static bool hangs(const dr_film_host *host, int v)
{
    return (v == 0 && host->free_end[0]) || (v + 1 == host->count && host->free_end[1]);
}

// What of cell v lies within `reach` of a place that is `away` from its vertex.
static double overlap(const dr_film_host *host, int v, double away, double reach)
{
    double t[3], back = v > 0 ? 0.5 * dr_film_edge(host, v - 1, t) : 0.0;
    double on = v + 1 < host->count ? 0.5 * dr_film_edge(host, v, t) : 0.0;
    double low = fmax(away - back, -reach), high = fmin(away + on, reach);
    return high > low ? (high - low) / (back + on) : 0.0;
}

// The volume within reach of vertex v. Drops at free ends are none of the film's.
static double within(const dr_film_host *host, const double *volume, int v, double reach)
{
    double sum = 0.0, away = 0.0, t[3];
    for (int w = v; w >= 0 && away <= 2.0 * reach; w--) {
        if (!hangs(host, w)) sum += volume[w] * overlap(host, w, -away, reach);
        if (w > 0) away += dr_film_edge(host, w - 1, t);
    }
    away = 0.0;
    for (int w = v + 1; w < host->count && away <= 2.0 * reach; w++) {
        away += dr_film_edge(host, w - 1, t);
        if (!hangs(host, w)) sum += volume[w] * overlap(host, w, away, reach);
    }
    return sum;
}

// Everything within reach of a place that holds too much gives the same share.
static void give(const dr_film_host *host, const double *volume, int v, double reach, double share, double *excess)
{
    double away = 0.0, t[3];
    for (int w = v; w >= 0 && away <= reach; w--) {
        if (!hangs(host, w)) excess[w] = fmax(excess[w], share * volume[w]);
        if (w > 0) away += dr_film_edge(host, w - 1, t);
    }
    away = 0.0;
    for (int w = v + 1; w < host->count; w++) {
        away += dr_film_edge(host, w - 1, t);
        if (away > reach) break;
        if (!hangs(host, w)) excess[w] = fmax(excess[w], share * volume[w]);
    }
}

dr_film_law dr_film_law_at(const dr_film *film, const dr_film_law *law, int v)
{
    dr_film_law at = *law;
    at.density = dr_film_density(film, law, v);
    at.viscosity = dr_film_viscosity(film, law, v);
    at.surface_tension = dr_film_tension(film, law, v);
    return at;
}

bool dr_film_overflow(const dr_film *film, const dr_film_law *law, const dr_film_host *host, const double *volume,
                      const double *acceleration, double least, double *excess)
{
    double total = 0.0, reach;
    bool any = false;
    for (int v = 0; v < host->count; v++) {
        total += volume[v];
        excess[v] = 0.0;
    }
    for (int v = 0; v < host->count; v++) {
        dr_film_law at = dr_film_law_at(film, law, v);
        double company = host->company ? host->company[v] : 1.0;
        double held = dr_film_hold(&at, host->radius[v], company, across(host, acceleration, v), &reach);
        double beyond = held + dr_film_least_excess(held, least);
        if (hangs(host, v) || total <= beyond) continue;
        double sum = within(host, volume, v, reach);
        if (!(sum > beyond)) continue;
        give(host, volume, v, reach, 1.0 - held / sum, excess);
        any = true;
    }
    return any;
}
