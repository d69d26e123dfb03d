// Strains of one strand, and how fast they change: what the viscosity of its material works against.
// docs/theory/rods.md, eq. (22), (40).
#ifndef DR_STRAND_STRAIN_H
#define DR_STRAND_STRAIN_H

#include "strand/strand.h"

// Rows are the strand's vertices: length of the edge that starts there, four curvatures, twist.
typedef struct dr_strain {
    double *length, *curvature, *twist;
} dr_strain;

// Strains of points and directors [count][3]. The twist is not measured; any may be NULL.
void dr_strain_measure(const double *x, const double *director, int count, dr_strain *out);

// What the strains of strand s will be after a short time at the rates they have, by velocity and spin. now: what they
// are; x and director: room for the strand.
void dr_strain_continue(const dr_strands *strands, int s, double time, const dr_strain *now, double *x,
                        double *director, dr_strain *out);

#endif
