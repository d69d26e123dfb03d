// Liquid that flows from strand to strand through the bridges between them. docs/theory/film.md, eq. (25)-(28).
#ifndef DR_FILM_ACROSS_H
#define DR_FILM_ACROSS_H

#include "film/film.h"

// A piece of bridge between two places on edges. Vertices are those of all strands; an edge begins at `vertex`.
typedef struct dr_film_link {
    double surface_tension, viscosity, slip; // of what flows
    dr_film_flow_curve curve;                // of thick liquid, instead of the viscosity; index 0: it is not
    int32_t strand[2], vertex[2];
    double place[2];         // along the edge, 0..1
    double length, distance; // of the piece; of the axes; cm
    double radius[2], angle; // of the strands, cm; of contact, rad
    double hold;             // difference of shares that a yield stress bears, cm2
    double conductance;      // volume per time and difference of shares beyond that, cm/s
    double volume;           // that goes from the second side to the first in the step, cm3
} dr_film_link;

// Cells of vertices, and among how many bridges their liquid is divided.
typedef struct dr_film_cells {
    const double *length, *parts; // [vertex] cm; at least 1
} dr_film_cells;

// Weight of an edge's first (end 0) or second vertex at the place of a link. (27)
static inline double dr_film_weight(const dr_film_link *link, int side, int end)
{
    return end ? link->place[side] : 1.0 - link->place[side];
}

// Section of the liquid that a side brings to the bridge, cm2. (27)
double dr_film_bridge_share(const dr_film_link *link, int side, const dr_film_cells *cells, const double *volume);

// Pressure of a bridge to which both strands bring a section of `share`, dyn/cm2. (25)
double dr_film_bridge_pressure(const dr_film_link *link, double share);

// How fast liquid flows through a piece of bridge whose sides bring these sections; tells what thick liquid bears. (26)
double dr_film_bridge_conductance(dr_film_link *link, const double share[2]);

// Mean speed in a tube whose wall bears a stress, with slip. (39)
double dr_film_tube_speed(const dr_film_flow_curve *curve, double radius, double slip, double stress);

// What flows over all links in the time dt: changes volume[vertex] and tells every link its own. (28)
void dr_film_across(dr_film_link *links, size_t count, const dr_film_cells *cells, double dt, double *volume);

#endif
