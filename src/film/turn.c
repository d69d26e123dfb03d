// docs/theory/film.md, eq. (29)-(31).
#include "film/turn.h"

#include "film/parts.h"

#include <math.h>

double dr_film_turn(const dr_film_law *law, const dr_film_host *host, const dr_film *film, int e, double *own)
{
    double t[3], half = 0.5 * dr_film_edge(host, e, t), sum = 0.0, all = 0.0;
    for (int v = e; v < e + 2; v++) {
        double cell = dr_film_cell(host, v), part = film->volume[v] * half / cell, r = host->radius[v];
        double H = r + dr_film_height(film->volume[v], cell, r);
        sum += 0.5 * dr_film_density(film, law, v) * part * (H * H + r * r);
        all += part;
    }
    if (own) *own = all;
    return sum;
}

void dr_film_turn_flow(const dr_film_law *law, const dr_film_host *host, const dr_film *before, const dr_film *after,
                       const double *spin, const double *kept, double *inertia, double *impulse)
{
    double passed = 0.0, came = 0.0; // volume and spin that went on from the edge before
    inertia[host->count - 1] = impulse[host->count - 1] = 0.0;
    for (int e = 0; e + 1 < host->count; e++) {
        double had, has, next = 0.0, went = 0.0, own = dr_film_turn(law, host, before, e, &had);
        own = (kept ? kept[e] : own) * spin[e];
        inertia[e] = dr_film_turn(law, host, after, e, &has);
        passed += had - has;
        if (e + 2 < host->count && passed > 0.0 && had > 0.0) went = own * fmin(1.0, passed / had);
        if (e + 2 < host->count && passed < 0.0) {
            double theirs = dr_film_turn(law, host, before, e + 1, &next);
            theirs = (kept ? kept[e + 1] : theirs) * spin[e + 1];
            if (next > 0.0) went = -theirs * fmin(1.0, -passed / next);
        }
        impulse[e] = own + came - went - inertia[e] * spin[e];
        came = went;
    }
}
