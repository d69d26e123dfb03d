// What the flow of a film works on, and those of its loops that go by several vertices or edges at a time.
#ifndef DR_FILM_FLOW_LANES_H
#define DR_FILM_FLOW_LANES_H

#include "film/flow.h"
#include "math/simd.h"

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
    double *rate;     // of edges: of friction, 1/s
    double *shorter;  // of cells: 1 over their length
    double *steeper;  // of edges: 1 over their length
    double *rub;      // of edges: impulse of friction and wall on the strand
    double *turned;   // of vertices: momentum that went round a corner less tension times time
    double *tension;  // of vertices: tension times time
    double *carried;  // [3] of vertices: momentum that came with liquid
    double *corner;   // of vertices: what liquid that went round them in a sub-step makes them move by, over their turn
    double *through;  // of vertices: mass that went by
    double *velocity; // [3] of vertices: the strand's, as the liquid that comes makes it
    double *middle;   // [3] of vertices: expected of it in the middle of the step
    double *mass;     // of vertices: the strand's; infinite where held
    double *share;    // of edges: mass whose momentum they have
    double *lean;     // of edges: how far from their first to their second end liquid has its velocity from
    double *shift;    // of vertices: momentum that liquid takes through them in a sub-step
    double *passes;   // of vertices: mass that goes through them in a sub-step
    double *lead;     // of edges: the strand's own acceleration along them
    double *over;     // of edges: stress at the wall beyond yield
    double *moved;    // of vertices: volume times strain
    double dry;       // volume
    double dt;        // of the sub-step
    // Of thick liquid; of vertices:
    double *yield, *consistency, *index; // of shear
    double *modulus, *norm, *strength;   // elastic; yield stress and consistency of the norm of the stress
    // Of edges: what is sheared there, its section, the wall that it touches per time, its momentum and the wall's push
    double *edge_yield, *edge_consistency, *edge_index, *near, *more, *girth, *pulled, *push;
} dr_flow;

// Section, height and surface of the film at vertices. All these return false where there are too few of them.
bool dr_flow_lanes_measure(dr_flow *f);
// Pressure and tension inside of a strand, where hoops are.
bool dr_flow_lanes_press(dr_flow *f);
// The rate of friction on edges inside of a strand, of one liquid.
bool dr_flow_lanes_rub(dr_flow *f);
// Edges inside of a strand side by side where all have liquid and nothing pushes besides tension. False: some have not.
bool dr_flow_lanes_drive(dr_flow *f, int e, double dt);

// What flows through edges inside of a strand. (5)
bool dr_flow_lanes_flux(dr_flow *f);
// What goes through vertices inside of a strand, with its momentum. (6)
bool dr_flow_lanes_shift(dr_flow *f);
// Where between the ends of edges liquid has its velocity from. (12)
bool dr_flow_lanes_lean(dr_flow *f);
// How often per second liquid leaves a cell, and the squared rate of capillary waves, at most. (13)
bool dr_flow_lanes_rate(const dr_flow *f, double *rate, double *squared);

#endif
