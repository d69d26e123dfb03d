// Loops of the flow of a film that go by several vertices or edges at a time.
#ifndef DR_FILM_FLOW_LANES_H
#define DR_FILM_FLOW_LANES_H

#include "film/flow_parts.h"
#include "math/simd.h"

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
// What edges inside of a plain strand are given beyond what falls, and what momentum goes through vertices for it. (41)
bool dr_flow_lanes_excess(dr_flow *f);
bool dr_flow_lanes_sharing(dr_flow *f);
// How often per second liquid leaves a cell, and the squared rate of capillary waves, at most. (13)
bool dr_flow_lanes_rate(const dr_flow *f, double *rate, double *squared);

#endif
