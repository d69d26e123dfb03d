// Pressure and tension of a film. docs/theory/film.md, eq. (7)-(10), (23).
#include "film/flow_parts.h"

#include "film/constants.h"
#include "film/flow_lanes.h"

#include <math.h>
#include <string.h>

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

// The surface around a vertex: how it slopes to both sides, over what lengths.
typedef struct around {
    double rise, fall;   // slopes of the edges after and before
    double on, back;     // their lengths
    double cell, coarse; // length of the cell; of the narrowest bead
} around;

// How the area of the cone on one side of a vertex, beyond that of a cylinder, grows with the radius H there, over pi:
// d/dH of (H + b) (S - l), S the slanting length, b the radius at the other end.
static double slant(double H, double slope, double l)
{
    double root = sqrt(1.0 + slope * slope), step = slope * l;
    return slope * slope / (1.0 + root) * l + (2.0 * H - step) * slope / root;
}

static void press(const dr_flow *f, int v, const around *at)
{
    const dr_film_law *law = f->law;
    double sigma = f->sigma[v], r = f->host->radius[v], A = f->area[v], H = f->surface[v];
    bool hoop = law->hoop && !(f->host->bridged && f->host->bridged[v]);
    double bend = (at->rise - at->fall) / at->cell;
    f->p[v] = -sigma * bend;
    f->N[v] = sigma * bend * A;
    if (hoop) {
        double slope2 = dr_flow_larger(0.0, at->rise * at->fall), s = 1.0 / sqrt(1.0 + slope2),
               less = -slope2 * s * s / (1.0 + s); // s - 1
        double curved = (slant(H, at->fall, at->back) + slant(H, -at->rise, at->on)) / (2.0 * H * at->cell), tension;
        f->p[v] = sigma * (dr_film_hoop_pressure(H, r, at->coarse, &tension) + curved);
        f->N[v] = sigma * (tension + 2.0 * DR_PI * H * less - A * curved);
    }
    if (!(law->depth > 0.0)) return;
    f->p[v] += law->density * law->depth * A;
    f->N[v] -= 0.5 * law->density * law->depth * A * A;
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
    return v < 0 || v >= f->count      ? f->surface[2 * from - v]
           : dr_film_hangs(f->host, v) ? f->surface[from]
                                       : f->surface[v];
}

// A film that is stretched pulls, (23); a drop at a free end as the film beside it does.
static void add_stress(dr_flow *f)
{
    for (int v = 0; v < f->count; v++) {
        int from = dr_film_hangs(f->host, v) ? (v == 0 ? 1 : v - 1) : v;
        f->N[v] += f->modulus[from] * f->area[from] * f->strain[from];
    }
}

void dr_flow_press(dr_flow *f)
{
    if (!(f->law->surface_tension > 0.0) && !f->film->mix && !(f->law->depth > 0.0)) {
        if (f->strain) memset(f->N, 0, (size_t)f->count * sizeof *f->N);
        if (f->strain) add_stress(f);
        return;
    }
    bool plain = f->law->hoop && !(f->law->depth > 0.0) && dr_flow_lanes_press(f);
    for (int v = 0; v < f->count; v++) {
        bool done = plain && v > 1 && v + 2 < f->count && !(f->host->bridged && f->host->bridged[v]);
        if (done || dr_film_hangs(f->host, v)) continue;
        bool first = v == 0, last = v + 1 == f->count;
        int back = first ? 0 : v - 1, on = last ? v - 1 : v;
        double low = beside(f, v, v - 1), high = beside(f, v, v + 1), here = f->surface[v];
        double cell = first || last ? 2.0 * f->cell[v] : f->cell[v];
        around at = {(high - here) * f->steeper[on],
                     (here - low) * f->steeper[back],
                     f->l[on],
                     f->l[back],
                     cell,
                     DR_FILM_BEAD * cell};
        press(f, v, &at);
    }
    for (int v = 0; v < f->count; v += f->count - 1) {
        if (dr_film_hangs(f->host, v)) press_drop(f, v);
    }
    if (f->strain) add_stress(f);
}
