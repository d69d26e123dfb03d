// Drops that leave a strand: from its free ends, and from along it where it holds too much. docs/theory/film.md, eq.
// (17)-(19).
#ifndef DR_FILM_DRIP_H
#define DR_FILM_DRIP_H

#include "film/film.h"

// The drop that leaves a free end under an acceleration, at the least `least`. (17)
double dr_film_tip_drop(const dr_film_law *law, double radius, double acceleration, double least);

// How much of a change of acceleration a drop has felt after a time: it takes that of its own swing to leave. (17)
double dr_film_feeling(double radius, double acceleration, double time);

// What a strand across an acceleration holds in one place, and the reach of that place to both sides; of `company`
// strands that share one surface its part of what all of them hold. (18)
double dr_film_hold(const dr_film_law *law, double radius, double company, double acceleration, double *reach);

// What more than is held leaves as a drop along a strand: at most `least`, less where that would be much of what is
// held.
double dr_film_least_excess(double held, double least);

// Where along the strand there is more within reach of a vertex than it can hold, by `least` at least, all within reach
// give their share of what is beyond: excess[vertex]. acceleration[vertex][3]: apparent, pull less that of the strand.
// Returns whether any gives. (19)
// film: what its liquid is mixed of.
bool dr_film_overflow(const dr_film *film, const dr_film_law *law, const dr_film_host *host, const double *volume,
                      const double *acceleration, double least, double *excess);

// The law of what is on a vertex. (32)
dr_film_law dr_film_law_at(const dr_film *film, const dr_film_law *law, int v);

#endif
