// Where a film's momentum and what flows differ: at its ends, where it thickens ahead, and where less falls than its
// liquid is given. docs/theory/film.md, eq. (34), (40), (41).
#include "film/flow_parts.h"

#include "film/constants.h"
#include "film/flow_lanes.h"

#include <math.h>

// What falls along an edge as its liquid flows on, per volume: of the surface's energy and the weight's. (41)
static double fall_along(const dr_flow *f, int e)
{
    return f->p[e] - f->p[e + 1] + f->rho[f->u[e] > 0.0 ? e : e + 1] * f->pull[e] * f->l[e];
}

// What tension, wall and weight give the momentum of an edge, per time. (41)
static double work_along(const dr_flow *f, int e)
{
    double mass = dr_film_share(f->M, f->count, e);
    return f->u[e] * (f->N[e + 1] - f->N[e] + dr_flow_wall_force(f, e) + mass * f->pull[e]);
}

// How fast what falls along an edge becomes less as volume goes over, by the curvature of the surface along it. (40)
static double stiffness(const dr_flow *f, int e)
{
    double steep = f->steeper[e], sigma = dr_flow_larger(f->sigma[e], f->sigma[e + 1]);
    return 1.5 / DR_PI * sigma * steep * steep * steep * (1.0 / f->surface[e] + 1.0 / f->surface[e + 1]);
}

// The flux that gives a power by what falls in the middle of the sub-step, or as much of it as that can give. (40)
static double paying_flux(const dr_flow *f, int e, double power, double falls, double dt)
{
    double a = 0.5 * dt * stiffness(f, e), root = falls * falls - 4.0 * a * power;
    return root > 0.0 ? 2.0 * power / (falls + sqrt(root)) : 0.5 * falls / a;
}

// Half of a cell at most in a sub-step, as of any.
static void raise_flux(dr_flow *f, int e, double flux, double dt)
{
    double most = DR_FILM_COURANT * f->V[f->u[e] > 0.0 ? e : e + 1] / dt, size = fmin(fabs(flux), most);
    if (flux * f->u[e] > 0.0 && size > fabs(f->flux[e])) f->flux[e] = flux > 0.0 ? size : -size;
}

// Behind the last wet cell nothing flows, though its half of the edge there moves. Where surface and weight fall along
// the next edge, or the one after it, what that half brings along goes on there, so that what flows is momentum and
// pays for what moves it. first: the edge behind that cell; on: to which side the film is. (40)
static void lead_on(dr_flow *f, int first, int on, double dt)
{
    double owed = work_along(f, first);
    if (!(f->u[first] * on > 0.0)) return;
    for (int k = 0, e = first + on; k < DR_FILM_FRONT && e > 0 && e + 2 < f->count && owed > 0.0; k++, e += on) {
        double u = f->u[e], falls = on * fall_along(f, e);
        int up = on > 0 ? e : e + 1;
        if (!(u * on > 0.0) || !(f->V[up] > f->dry)) return;
        owed += work_along(f, e);
        if (falls > 0.0) {
            double both = 0.5 * f->steeper[e] * (f->V[up] * f->u[first] + (f->V[e] + f->V[e + 1]) * u);
            if (k == 0) raise_flux(f, e, both, dt);
            if (owed > 0.0) raise_flux(f, e, on * paying_flux(f, e, owed, falls, dt), dt);
        }
        owed -= on * f->flux[e] * falls;
    }
}

void dr_flow_lead_fronts(dr_flow *f, double dt)
{
    for (int e = 0; e + 1 < f->count; e++) {
        bool low = f->V[e] > f->dry, high = f->V[e + 1] > f->dry;
        if (low == high) continue;
        lead_on(f, e, high ? 1 : -1, dt);
    }
}

// ---- edges that share momentum

// Edges hand momentum over through the vertices between them: as much as `shift` says.
static void hand_over(dr_flow *f)
{
    for (int v = 1; v + 1 < f->count; v++) {
        if (f->shift[v] == 0.0) continue;
        f->u[v - 1] -= f->shift[v] / dr_film_share(f->M, f->count, v - 1);
        f->u[v] += f->shift[v] / dr_film_share(f->M, f->count, v);
        f->turned[v] += f->shift[v];
    }
}

static void find_excess(dr_flow *f)
{
    bool inside = f->plain && dr_flow_lanes_excess(f);
    for (int e = 0; e + 1 < f->count; e++) {
        if (inside && e > 0 && e + 2 < f->count) continue;
        f->excess[e] = dr_flow_larger(0.0, work_along(f, e) - f->flux[e] * fall_along(f, e));
    }
}

static void find_sharing(dr_flow *f, int v)
{
    double low = f->u[v - 1], high = f->u[v], change = low - high;
    double power = (low > 0.0 ? 0.0 : f->excess[v - 1]) + (high > 0.0 ? f->excess[v] : 0.0);
    double own = dr_film_share(f->M, f->count, v - 1), next = dr_film_share(f->M, f->count, v);
    double all = own * next / (own + next), most = 0.5 * all * change * change;
    f->shift[v] = 0.0;
    if (!(most > 0.0) || !(power > 0.0)) return;
    double lost = f->dt * power / most;
    f->shift[v] = (1.0 - sqrt(1.0 - (lost < 1.0 ? lost : 1.0))) * all * change;
}

// What an edge is given beyond what falls as it flows on is made up for by its liquid and that of the edge it comes
// from sharing their momentum, until that costs as much: viscosity just large enough. (41)
void dr_flow_share_excess(dr_flow *f)
{
    find_excess(f);
    bool inside = dr_flow_lanes_sharing(f);
    for (int v = 1; v + 1 < f->count; v++) {
        if (!inside || v < 2 || v + 2 >= f->count) find_sharing(f, v);
    }
    hand_over(f);
}

// How much of a full sharing of momentum is made by liquid that comes from `up` and runs into thicker film at `down`:
// what can follow is what the thinner side has. (34)
static double joining(const dr_flow *f, int up, int down, bool runs)
{
    return runs && f->area[up] < f->area[down] ? 1.0 - f->area[up] / f->area[down] : 0.0;
}

// Where liquid runs into thicker film ahead of it, its edge shares momentum with the edge ahead, as bodies that stay
// together do: the viscosity of von Neumann and Richtmyer 1950, in compression alone. Without it fronts that draw back
// gain energy that no surface gives. All vertices at once, so that no direction comes first; no energy comes of that
// either, since what two neighbours give an edge is each at most what its mass takes. (34)
void dr_flow_join_fronts(dr_flow *f)
{
    for (int v = 1; v + 1 < f->count; v++) {
        double before = f->u[v - 1], after = f->u[v], change = before - after;
        double part = dr_flow_larger(joining(f, v - 1, v, before > 0.0), joining(f, v + 1, v, after < 0.0));
        double own = dr_film_share(f->M, f->count, v - 1), next = dr_film_share(f->M, f->count, v);
        bool joins = change > 0.0 && part > 0.0 && own > 0.0 && next > 0.0;
        f->shift[v] = joins ? part * own * next / (own + next) * change : 0.0;
    }
    hand_over(f);
}
