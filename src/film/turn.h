// The film's inertia about its strand: it turns with the edges. docs/theory/film.md, eq. (29)-(31).
#ifndef DR_FILM_TURN_H
#define DR_FILM_TURN_H

#include "film/film.h"

// Of the film on edge e, g cm2, and its volume (may be NULL). (29)
double dr_film_turn(const dr_film_law *law, const dr_film_host *host, const dr_film *film, int e, double *own);

// Liquid that flowed along the strand took its spin along: inertia[vertex] of edges with the volumes after it, and the
// impulse that brings edges from their own spin to what film and strand have together, dyn cm s. kept: the
// inertia that `before` had when edges came to their spin, with lengths of then; NULL: as it is. It may be `inertia`.
// (30)
void dr_film_turn_flow(const dr_film_law *law, const dr_film_host *host, const dr_film *before, const dr_film *after,
                       const double *spin, const double *kept, double *inertia, double *impulse);

#endif
