// A film of thick liquid on a strand: a yield stress at the wall, a power law, elastic strain along the strand.
// docs/theory/film.md, eq. (20)-(24).
#ifndef DR_FILM_RHEOLOGY_H
#define DR_FILM_RHEOLOGY_H

#include "film/film.h"
#include "math/simd.h"

// Of one place: radius of the strand, height of the film. Made once for many speeds.
typedef struct dr_film_section {
    double near;     // height of a planar film that would flow as fast, where only its layer at the wall is sheared
    double more;     // logarithm of the share of that which a Newtonian film has
    double exponent; // 1/n
} dr_film_section;

dr_film_section dr_film_section_of(const dr_film_law *law, double radius, double height);

// Mean speed of a film whose stress at the wall is `over` beyond its yield stress; *slope: its derivative. (21)
double dr_film_speed(const dr_film_law *law, const dr_film_section *section, double over, double *slope);

// Liquid of a mass is given an impulse, against a wall that it touches along so much area and time: exactly 0 where
// the wall holds it, else the speed u of mass u + wall (yield + over(u)) = impulse. *over: a guess, and what it is.
// (22)
double dr_film_slide(const dr_film_law *law, const dr_film_section *section, double mass, double impulse, double wall,
                     double *over);

// The same of edges side by side, each with its own liquid.
typedef struct dr_film_slides {
    double yield[DR_LANES], consistency[DR_LANES], index[DR_LANES]; // of shear
    double near[DR_LANES], more[DR_LANES];                          // of dr_film_section
    double mass[DR_LANES], impulse[DR_LANES], wall[DR_LANES];
    double over[DR_LANES];  // a guess, and what it is
    double speed[DR_LANES]; // what comes of it
} dr_film_slides;

void dr_film_slide_lanes(dr_film_slides *slides, double slip);

// near and more of sections side by side.
void dr_film_section_lanes(const double radius[DR_LANES], const double height[DR_LANES], double near[DR_LANES],
                           double more[DR_LANES]);

// Strains that are stretched at a rate over dt, and yield. (24)
typedef struct dr_film_stretches {
    double modulus[DR_LANES], yield[DR_LANES], consistency[DR_LANES], index[DR_LANES]; // of the norm of the stress
    double rate[DR_LANES];
    double strain[DR_LANES]; // before, and after
} dr_film_stretches;

void dr_film_stretch_lanes(dr_film_stretches *of, double dt);

#endif
