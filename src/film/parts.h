// What files of the film share.
#ifndef DR_FILM_PARTS_H
#define DR_FILM_PARTS_H

#include "film/film.h"

#define PI 3.14159265358979323846

// Tangent and length of an edge.
double dr_film_edge(const dr_film_host *host, int e, double t[3]);

// Volume whose momentum edge e has: half of its inner vertices. (2)
double dr_film_share(const double *volume, int count, int e);

// Of a drop that hangs on the end of a strand. (10)
double dr_film_drop_radius(double volume, double radius);

#endif
