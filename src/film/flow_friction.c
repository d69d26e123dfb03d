// What slows the film on a strand down, and how easily it flows. docs/theory/film.md, eq. (11), (20).
#include "film/flow_parts.h"

#include "film/constants.h"
#include "film/flow_lanes.h"
#include "film/rheology.h"

#include <math.h>
#include <string.h>

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

void dr_flow_rub(dr_flow *f)
{
    bool viscous = !f->law->thick && (f->law->viscosity > 0.0 || f->film->mix);
    if (f->law->thick) find_sections(f);
    if (!viscous) return;
    bool plain = !f->film->mix && dr_flow_lanes_rub(f);
    for (int e = 0; e + 1 < f->count; e++) {
        if (!plain || e == 0 || e + 2 >= f->count) f->rate[e] = friction_rate(f, e);
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
