// The flow of a film on one strand while it goes on, and the parts that a sub-step is made of.
#ifndef DR_FILM_FLOW_PARTS_H
#define DR_FILM_FLOW_PARTS_H

#include "film/flow.h"
#include "film/parts.h"

typedef struct dr_flow {
    const dr_film_law *law;
    const dr_film_host *host;
    int count;      // vertices
    double *V, *u;  // the film's
    double *strain; // its elastic strain, NULL: none
    dr_film *film;
    double *M, *rho, *sigma, *mu; // of vertices: mass, density, surface tension, viscosity of what is there
    double *G;                    // of edges: mass that flows, g/s
    double *l, *cell, *t;         // of edges; of cells; [3] of edges
    double *pull;                 // along edges
    double *area, *h, *surface;
    double *p, *N; // pressure, tension of the film
    double *flux, *momentum;
    double *lag;      // of edges: response times time
    double *path;     // of edges: response times time, added up over time
    double *rate;     // of edges: of friction, 1/s
    double *shorter;  // of cells: 1 over their length
    double *steeper;  // of edges: 1 over their length
    double *rub;      // of edges: impulse of friction and wall on the strand
    double *turned;   // of vertices: momentum that went round a corner less tension times time
    double *tension;  // of vertices: tension times time
    double *carried;  // [3] of vertices: momentum that came with liquid
    double *sloped;   // [3] of vertices: what of the weight their liquid has along its edges, per mass
    double *spared;   // [3] of vertices: impulse for weight that liquid had along edges before it came there
    double *corner;   // of vertices: what liquid that went round them in a sub-step makes them move by, over their turn
    double *bend;     // [3] of vertices: their first edge's tangent less their second's
    double *ends;     // [2] of edges: what part of what moves there is at each end
    double *through;  // of vertices: mass that went by
    double *velocity; // [3] of vertices: the strand's, as the liquid that comes makes it
    double *middle;   // [3] of vertices: expected of it in the middle of the step
    double *mass;     // of vertices: the strand's; infinite where held
    double *share;    // of edges: mass whose momentum they have
    double *lean;     // of edges: how far from their first to their second end liquid has its velocity from
    double *shift;    // of vertices: momentum that liquid takes through them in a sub-step
    double *passes;   // of vertices: mass that goes through them in a sub-step
    double *excess;   // of edges: what their liquid is given beyond what falls, per time
    double *lead;     // of edges: the strand's own acceleration along them
    double *over;     // of edges: stress at the wall beyond yield
    double *moved;    // of vertices: volume times strain
    double dry;       // volume
    bool plain;       // of one radius, without bridges
    double dt;        // of the sub-step
    double gone;      // time before it
    // Of thick liquid; of vertices:
    double *yield, *consistency, *index; // of shear
    double *modulus, *norm, *strength;   // elastic; yield stress and consistency of the norm of the stress
    // Of edges: what is sheared there, its section, the wall that it touches per time, its momentum and the wall's push
    double *edge_yield, *edge_consistency, *edge_index, *near, *more, *girth, *pulled, *push;
} dr_flow;

// Without the care for what is no number.
static inline double dr_flow_larger(double a, double b)
{
    return a > b ? a : b;
}

// Under liquid nothing flows along the strand: there is no surface that would drive it. (36)
static inline bool dr_flow_is_under(const dr_flow *f, int e)
{
    const double *borne = f->host->borne;
    return borne && borne[e] > 0.0 && borne[e + 1] > 0.0;
}

// What liquid there is at a vertex. (32)
void dr_flow_find_liquid(dr_flow *f, int v);

static inline void dr_flow_measure_liquid(dr_flow *f, int v)
{
    if (f->film->mix || !(f->rho[v] > 0.0)) dr_flow_find_liquid(f, v); // the same for ever where there is but one
    f->M[v] = f->rho[v] * f->V[v];
}

// Pressure and tension as the film is now. (7)-(10)
void dr_flow_press(dr_flow *f);

// Rates of friction, and sections of thick liquid. (11), (20)
void dr_flow_rub(dr_flow *f);

// Momentum of edges.
void dr_flow_find_momentum(dr_flow *f);

// What pushes along an edge besides the tension. (9)
double dr_flow_wall_force(const dr_flow *f, int e);

// Forces and friction over some time. (6), (22)
void dr_flow_drive(dr_flow *f, double dt);

// (34)
void dr_flow_join_fronts(dr_flow *f);

// Fluxes along the edges at a film's ends. (40)
void dr_flow_lead_fronts(dr_flow *f, double dt);

// What edges are given beyond what falls as fluxes say is made up for. (41)
void dr_flow_share_excess(dr_flow *f);

// Liquid flows on for a sub-step. (5), (6), (12)
void dr_flow_carry(dr_flow *f, double dt);

// Liquid goes on along edges by `way`, cm, with the momentum that it has. (42)
void dr_flow_displace(dr_flow *f, double *way);

// What came with liquid along the strand is the film's first: `response` of it, NULL: all. What friction would hand on,
// the strand gets at once, and what belongs to liquid that has gone by.
void dr_flow_hand_along(dr_flow *f, const double *response, int v);

// What the strand is told at the end. (14)
void dr_flow_answer(dr_flow *f, const dr_film *film, const dr_film_answer *answer, double dt);

#endif
