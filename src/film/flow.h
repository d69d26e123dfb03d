// The film of one strand during a step: it flows along the strand in sub-steps of its own while the strand stands
// still, and tells the strand's implicit solve what it carries. docs/theory/film.md, eq. (5)-(16), (42).
#ifndef DR_FILM_FLOW_H
#define DR_FILM_FLOW_H

#include "film/film.h"

// Room for the flow on a strand of that many vertices, in doubles.
size_t dr_film_flow_room(int count);

// What a flow leaves for the strand. The strand's equation of motion gets matrix (v' - v) on its left and impulse on
// its right, where its own gravity acts on the matrix too; edges pull at their ends by tension. (14)
typedef struct dr_film_answer {
    double *response; // [vertex] of the edge: how much of a change of the strand's velocity the film does not follow
    double *matrix;   // [vertex][6] xx xy xz yy yz zz, g
    double *impulse;  // [vertex][3] dyn s
    double *tension;  // [vertex] of the edge, dyn
    double *turn;     // [vertex][3] of the edge: how its tangent is expected to change in the step
    double *way;      // [vertex] of the edge: how far the film stays behind a change of the strand's velocity, s
} dr_film_answer;

// Moves volume and velocity on by dt. film: the strand's own, its impulse is read and handed on. Returns the number of
// sub-steps, -1: they would be too many. The strand's momentum and the film's are the same before and after, but for
// the pull on the film.
int64_t dr_film_flow(const dr_film_law *law, const dr_film_host *host, double dt, dr_film *film, dr_film_answer *answer,
                     double *room);

// How often per second liquid passes an edge of the strand, weighed by how much of what moves there is liquid: the
// strand and the film that flows on it answer each other once a step. (13)
double dr_film_rate(const dr_film_law *law, const dr_film_host *host, const dr_film *film);

// When the strand's motion is known: the velocity that the film has along the strand where it is now, and what of its
// momentum has turned with the strand. after: the host at the end of the step. answer->way: how far the film has yet to
// go along edges, cm. (15), (16)
void dr_film_settle(const dr_film_law *law, const dr_film_host *host, const dr_film_host *after,
                    const dr_film_answer *answer, dr_film *film);

// Then the film goes there. (42)
void dr_film_displace(const dr_film_law *law, const dr_film_host *after, double *way, dr_film *film, double *room);

// Volume that flows down a strand per time and pull: A u = mobility rho pull / viscosity, cm4. (11)
double dr_film_mobility(double radius, double height, double slip);

#endif
