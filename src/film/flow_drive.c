// Forces on the liquid of edges. docs/theory/film.md, eq. (6), (9), (22).
#include "film/flow_parts.h"

#include "film/flow_lanes.h"
#include "film/rheology.h"

#include <string.h>

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
double dr_flow_wall_force(const dr_flow *f, int e)
{
    double a = f->host->radius[e], b = f->host->radius[e + 1];
    if (is_bridged(f, e) != is_bridged(f, e + 1))
        return -0.5 * (f->area[e] + f->area[e + 1]) * (f->p[e + 1] - f->p[e]) - (f->N[e + 1] - f->N[e]);
    if (a == b) return 0.0;
    double sum = -0.5 * DR_PI * (f->p[e] + f->p[e + 1]) * (b * b - a * a);
    return f->law->hoop ? sum + DR_PI * (f->sigma[e] + f->sigma[e + 1]) * (b - a) : sum;
}

// Whether an edge has liquid that could flow.
static bool can_flow(const dr_flow *f, int e)
{
    return dr_film_share(f->V, f->count, e) > f->dry && !dr_flow_is_under(f, e);
}

// Edges without liquid leave what pulls at them to the strand.
static void leave_edge(dr_flow *f, int e, double dt)
{
    f->rub[e] += f->momentum[e] + dt * (f->N[e + 1] - f->N[e]);
    f->u[e] = dr_flow_is_under(f, e) ? 0.0 : set_out(f, e, dt);
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
    double wall = dr_flow_wall_force(f, e), mass = dr_film_share(f->M, f->count, e);
    double pulled = f->momentum[e] + dt * (f->N[e + 1] - f->N[e] + wall + mass * f->pull[e]);
    end_edge(f, e, pulled, wall, mass, 1.0 / (1.0 + dt * f->rate[e]), dt);
}

static void drive_thin(dr_flow *f, double dt)
{
    bool plain = !f->host->borne && f->plain;
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
        f->push[e] = wet ? dr_flow_wall_force(f, e) : 0.0;
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
void dr_flow_drive(dr_flow *f, double dt)
{
    if (!f->law->thick) drive_thin(f, dt);
    for (int first = 0; f->law->thick && first + 1 < f->count; first += DR_LANES)
        slide_edges(f, first, f->count - 1, dt);
    for (int v = 0; v < f->count; v++) {
        f->turned[v] -= dt * f->N[v];
        f->tension[v] += dt * f->N[v];
    }
}
