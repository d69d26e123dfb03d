// What files of the film share.
#ifndef DR_FILM_PARTS_H
#define DR_FILM_PARTS_H

#include "base/number.h"
#include "film/film.h"

// Tangent and length of an edge.
double dr_film_edge(const dr_film_host *host, int e, double t[3]);

// Volume whose momentum edge e has: half of its inner vertices. (2)
static inline double dr_film_share(const double *volume, int count, int e)
{
    return 0.5 * ((e > 0 ? volume[e] : 0.0) + (e + 2 < count ? volume[e + 1] : 0.0));
}

// Mass whose momentum edge e has. (2)
static inline double dr_film_edge_mass(const dr_film *film, const dr_film_law *law, int count, int e)
{
    return 0.5 * ((e > 0 ? dr_film_mass(film, law, e) : 0.0) + (e + 2 < count ? dr_film_mass(film, law, e + 1) : 0.0));
}

// Whether vertex v is an end that a drop can hang on.
static inline bool dr_film_hangs(const dr_film_host *host, int v)
{
    return (v == 0 && host->free_end[0]) || (v + 1 == host->count && host->free_end[1]);
}

// Of a drop that hangs on the end of a strand, over surface tension: its pressure, and the area whose slope over volume
// that is. A drop narrower than `coarse` has the pressure of one that is as wide. (10)
double dr_film_drop_pressure(double volume, double radius, double coarse);
double dr_film_drop_area(double volume, double radius, double coarse);

// Of a surface of radius H that closes around a strand of radius r, over surface tension: its pressure, the tension
// whose slope is -A times that of the pressure, the area per length whose slope over A is the pressure. Edges cannot
// hold beads narrower than they are: below H = `coarse` the pressure falls no faster than there. (8)
double dr_film_hoop_pressure(double H, double r, double coarse, double *tension);
double dr_film_hoop_area(double H, double r, double coarse);

#endif
