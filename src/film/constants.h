// Constants of the film that are not derived.
#ifndef DR_FILM_CONSTANTS_H
#define DR_FILM_CONSTANTS_H

// Cells that liquid crosses in a sub-step. Half: twice the sub-steps; twice: the limiter of fluxes works.
#define DR_FILM_COURANT 0.5
// Share of the longest stable sub-step of capillary waves. Half: twice the sub-steps; twice: none is stable.
#define DR_FILM_CAPILLARY 0.5
// Edges from a film's end inwards along one of which what moves behind it goes on. Half: a film whose end fills a
// twentieth of its cell gains up to twice as much energy as it begins to draw in; twice: nothing changes.
#define DR_FILM_FRONT 2
// Share of the strand's largest cell: edges with less do not move. Half and twice: nothing changes.
#define DR_FILM_DRY 1e-14
// Height over radius below which the mobility comes from its series. Half and twice: nothing changes.
#define DR_FILM_THIN 0.1
// Sub-steps of a step, before a shorter one is tried. Half: gives up sooner; twice: waits longer.
#define DR_FILM_PATIENCE 1e5
// Radius of the narrowest beads over the length of an edge. Half: beads as narrow as an edge stick to their vertex;
// twice: beads up to twice as wide are not formed.
#define DR_FILM_BEAD 0.7
// Steps of Newton's method for the stress at the wall of a thick film. Half: speeds just beyond yield may be off;
// twice: nothing changes, it takes five.
#define DR_FILM_SLIDES 60
// Share of the longest stable sub-step of elastic waves along a thick film. Half: twice the sub-steps; twice: none is
// stable.
#define DR_FILM_ELASTIC 0.5
// Share of a section over which the slope of a bridge's pressure is taken where both sides have nearly the same. Half
// and twice: the slope changes by its own relative change over that, about a thousandth.
#define DR_FILM_TANGENT 1e-3
// Sweeps there and back over all bridges in a step, at most. Half: liquid reaches half as many strands of a bundle in a
// step where bridges are fast; twice: twice as many, for twice the time.
#define DR_FILM_SWEEPS 16
// Share of what a place along a strand holds: so much more it may have before a drop leaves. Half: drops half as large
// and twice as many; twice: what is held is known to half as well.
#define DR_FILM_EXCESS 0.025
// Share of the least drop below which that does not go. Half: particles half as large may come of drops; twice: what
// is held on coarse grids is known less well.
#define DR_FILM_CRUMB 0.25
// Depth of the layer below a surface of liquid in which a strand passes it, in cells; below it its film is part of the
// liquid. Half: thinner than what the surface is known to; twice: strands take liquid along from twice as deep.
#define DR_FILM_PASS 0.5
// A particle gives to a vertex and takes from it within this distance, in cells. Half: particles that are a cell apart
// are missed; twice: liquid jumps as far.
#define DR_FILM_REACH 1.5
// Share of a particle that goes to one vertex in a step at most. Half: strands that come out fast take less along;
// twice: nothing may be left of a particle.
#define DR_FILM_SIP 0.5
// Edges that liquid passes in a step, weighed by its share of what moves. Half: twice the steps; twice: heavy films on
// light strands shake them.
#define DR_FILM_EDGES 0.25
// Times that, and the step is tried again, shorter. Half: every step that grows is tried twice; twice: some shake.
#define DR_FILM_FAR 2.0
// Rounds to the velocities that edges of a wet strand are expected to turn by. Half: heavy films on light strands shake
// them; twice: nothing changes, liquid passes half an edge in a step at most.
#define DR_FILM_TURNS 3
// Rounds of taking away what is more than a strand holds. Half: what is left may leave a step later; twice: nothing
// changes.
#define DR_FILM_PASSES 32
// Share of the least drop to which these rounds come near. Half: more rounds; twice: a little more stays.
#define DR_FILM_NEAR 0.1
// Share of a drop that stays on the strand for the rounding of its particles. Half and twice: nothing changes as long
// as it is more than single precision.
#define DR_FILM_SLACK 1e-6
// Share of a strand's film: less is no drop where particles do not say what is. Half and twice: nothing changes.
#define DR_FILM_LEAST 1e-9
// Share of a particle: the least drop. Half: twice the particles of half the size; twice: tips hold more than they do.
#define DR_FILM_QUARTER 0.25

// Viscosity of liquid that has none among thick liquids, g/(cm s): far below that of any. Half and twice: nothing
// changes.
#define DR_FILM_INVISCID 1e-9

#endif
