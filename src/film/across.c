// docs/theory/film.md, eq. (25)-(28).
#include "film/across.h"

#include "base/number.h"
#include "bridge/bridge.h"
#include "film/constants.h"

#include <math.h>

double dr_film_bridge_share(const dr_film_link *link, int side, const dr_film_cells *cells, const double *volume)
{
    double sum = 0.0;
    for (int end = 0; end < 2; end++) {
        int32_t v = link->vertex[side] + end;
        sum += dr_film_weight(link, side, end) * volume[v] / (cells->length[v] * cells->parts[v]);
    }
    return sum;
}

double dr_film_bridge_pressure(const dr_film_link *link, double share)
{
    const double *r = link->radius, area = 2.0 * share;
    dr_bridge_sides sides = {{r[0], r[1]}, {link->angle, link->angle}};
    dr_bridge bridge;
    double distance = fmax(link->distance, r[0] + r[1]), sigma = link->surface_tension;
    if (dr_bridge_solve(&sides, distance, area, &bridge)) return -sigma * bridge.curvature;
    return sigma / sqrt(area / DR_PI + r[0] * r[0] + r[1] * r[1]);
}

double dr_film_tube_speed(const dr_film_flow_curve *curve, double radius, double slip, double stress)
{
    double over = stress - curve->yield, n = curve->index;
    if (!(over > 0.0)) return 0.0;
    double rate = pow(over / curve->consistency, 1.0 / n);
    double inside = over * over / (3.0 * n + 1.0) + 2.0 * curve->yield * over / (2.0 * n + 1.0) +
                    curve->yield * curve->yield / (n + 1.0);
    return rate * (radius * n * over * inside / (stress * stress * stress) + slip);
}

// Of thick liquid: the pressure beyond what the wall bears drives it as fast as a tube of the strand's radius lets it.
static double thick_conductance(dr_film_link *link, double slope, double off, double mean)
{
    double r = 0.5 * (link->radius[0] + link->radius[1]), d = fmax(link->distance, 2.0 * r);
    link->hold = 2.0 * d * link->curve.yield / (r * slope);
    if (!(off > link->hold)) return 0.0;
    double speed = dr_film_tube_speed(&link->curve, r, link->slip, slope * off * r / (2.0 * d));
    return speed * link->length * 2.0 * mean / (d * (off - link->hold));
}

double dr_film_bridge_conductance(dr_film_link *link, const double share[2])
{
    double mean = 0.5 * (share[0] + share[1]), off = fmax(0.5 * fabs(share[1] - share[0]), DR_FILM_TANGENT * mean);
    link->hold = 0.0;
    if (!(mean > 0.0)) return 0.0;
    double rise = dr_film_bridge_pressure(link, mean + off) - dr_film_bridge_pressure(link, fmax(0.0, mean - off));
    if (!(rise > 0.0)) return 0.0; // so much that it swallows both
    if (link->curve.index > 0.0) return thick_conductance(link, rise / (2.0 * off), fabs(share[1] - share[0]), mean);
    double r = 0.5 * (link->radius[0] + link->radius[1]), d = fmax(link->distance, 2.0 * r);
    double mobility = (r * r + 4.0 * link->slip * r) / (8.0 * link->viscosity); // Washburn's
    return mobility * rise / (2.0 * off) * link->length * 2.0 * mean / (d * d);
}

// How much the difference of both sides' shares falls per volume that flows.
static double relief(const dr_film_link *link, const dr_film_cells *cells)
{
    double sum = 0.0;
    for (int corner = 0; corner < 4; corner++) {
        int side = corner / 2, end = corner % 2;
        int32_t v = link->vertex[side] + end;
        double weight = dr_film_weight(link, side, end);
        sum += weight * weight / (cells->length[v] * cells->parts[v]);
    }
    return sum;
}

// What a side can give at most, so that no vertex gives more than it has.
static double most(const dr_film_link *link, int side, const double *volume)
{
    double least = INFINITY;
    for (int end = 0; end < 2; end++) {
        double weight = dr_film_weight(link, side, end);
        if (weight > 0.0) least = fmin(least, volume[link->vertex[side] + end] / weight);
    }
    return least;
}

// Two sides by themselves over a time: exact where conductance is constant.
static void relax(dr_film_link *link, const dr_film_cells *cells, double time, double *volume)
{
    double off = dr_film_bridge_share(link, 1, cells, volume) - dr_film_bridge_share(link, 0, cells, volume);
    off = fabs(off) > link->hold ? off - copysign(link->hold, off) : 0.0;
    double fall = relief(link, cells), moved = -expm1(-time * link->conductance * fall) * off / fall;
    int from = moved > 0.0 ? 1 : 0;
    double limit = most(link, from, volume);
    if (fabs(moved) > limit) moved = from ? limit : -limit;
    for (int corner = 0; corner < 4; corner++) {
        double *V = &volume[link->vertex[corner / 2] + corner % 2];
        double change = dr_film_weight(link, corner / 2, corner % 2) * (corner < 2 ? moved : -moved);
        *V = fmax(0.0, *V + change);
    }
    link->volume += moved;
}

void dr_film_across(dr_film_link *links, size_t count, const dr_film_cells *cells, double dt, double *volume)
{
    double rate = 0.0;
    for (size_t k = 0; k < count; k++) {
        dr_film_link *link = &links[k];
        double share[2] = {dr_film_bridge_share(link, 0, cells, volume), dr_film_bridge_share(link, 1, cells, volume)};
        link->volume = 0.0;
        link->conductance = dr_film_bridge_conductance(link, share);
        if (link->conductance > 0.0) rate = fmax(rate, link->conductance * relief(link, cells));
    }
    int sweeps = (int)fmin(fmax(1.0, ceil(rate * dt)), DR_FILM_SWEEPS);
    for (int sweep = 0; sweep < sweeps && rate > 0.0; sweep++) {
        double half = 0.5 * dt / sweeps;
        for (size_t k = 0; k < count; k++) relax(&links[k], cells, half, volume);
        for (size_t k = count; k-- > 0;) relax(&links[k], cells, half, volume);
    }
}
