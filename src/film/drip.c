// docs/theory/film.md, eq. (17)-(19).
#include "film/drip.h"

#include "film/parts.h"
#include "math/vec.h"

#include <math.h>

double dr_film_tip_drop(const dr_film_law *law, double radius, double acceleration, double least)
{
    double held = acceleration > 0.0 ? 2.0 * PI * radius * law->surface_tension / (law->density * acceleration)
                                     : (law->surface_tension > 0.0 ? INFINITY : 0.0);
    return fmax(held, least);
}

double dr_film_hold(const dr_film_law *law, double radius, double acceleration, double *reach)
{
    double volume =
        acceleration > 0.0 ? 4.0 * PI * radius * law->surface_tension / (law->density * acceleration) : INFINITY;
    *reach = cbrt(0.75 * volume / PI);
    return volume;
}

// The acceleration across the strand at an inner vertex.
static double across(const dr_film_host *host, const double *acceleration, int v)
{
    double t[3], a[3];
    dr_vec3_sub(t, host->position + 3 * v + 3, host->position + 3 * v - 3);
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

// The volume within reach of vertex v; part[vertex] of each when wanted. Drops at free ends are none of the film's.
static double within(const dr_film_host *host, const double *volume, int v, double reach, double *part)
{
    double sum = 0.0, t[3];
    for (int way = -1; way <= 1; way += 2) {
        double away = 0.0;
        for (int w = v + (way > 0 ? 1 : 0); w >= 0 && w < host->count; w += way) {
            if (way > 0) away += dr_film_edge(host, w - 1, t);
            double share = hangs(host, w) ? 0.0 : overlap(host, w, way > 0 ? away : -away, reach);
            sum += share * volume[w];
            if (part) part[w] = share * volume[w];
            if (way < 0 && w > 0) away += dr_film_edge(host, w - 1, t);
            if (away > 2.0 * reach + dr_film_cell(host, w)) break;
        }
    }
    return sum;
}

int dr_film_overflow(const dr_film_law *law, const dr_film_host *host, const double *volume, const double *acceleration,
                     double least, double *excess)
{
    double worst = least, held = 0.0, reach = 0.0, total = 0.0;
    int place = -1;
    for (int v = 0; v < host->count; v++) {
        total += volume[v];
        excess[v] = 0.0;
    }
    for (int v = 1; v + 1 < host->count; v++) {
        double here, most = dr_film_hold(law, host->radius[v], across(host, acceleration, v), &here);
        if (total <= most + worst) continue;
        double beyond = within(host, volume, v, here, NULL) - most;
        if (!(beyond > worst)) continue;
        worst = beyond;
        place = v;
        held = most;
        reach = here;
    }
    if (place < 0) return -1;
    double sum = within(host, volume, place, reach, excess), gives = (sum - held) / sum;
    for (int v = 0; v < host->count; v++) excess[v] *= gives;
    return place;
}
