// Closest points of two segments, and of two segments that move: the first time at which they come near.
// docs/theory/contact.md, "Detection".
#ifndef DR_GEOM_SEGMENT_H
#define DR_GEOM_SEGMENT_H

#include <stdbool.h>

// The places along the first and second segment, 0..1, and the distance. normal is unit, from second to first; where
// they cross, across both.
typedef struct dr_segment_pair {
    double place[2];
    double distance;
    double normal[3];
} dr_segment_pair;

// x: both ends of the first, then both ends of the second. Right for parallel segments and for points alike.
dr_segment_pair dr_segment_closest(const double x[12]);

// Place on the segment a..b nearest to p, 0..1.
double dr_segment_place(const double a[3], const double b[3], const double p[3]);

typedef struct dr_segment_hit {
    double time; // share of the motion
    dr_segment_pair pair;
} dr_segment_hit;

// The ends move along straight lines from x by `motion`. Whether the segments come within `reach`, and when first:
// never late, and early by no more than leaves them `slack` farther apart (more where a thousand steps of the search
// have not come so near). A meeting is never missed.
bool dr_segment_meet(const double x[12], const double motion[12], double reach, double slack, dr_segment_hit *hit);

// By how much a plane that is quickly found keeps them farther apart than `reach` all the way; 0 or less proves
// nothing. No motion from the same places meets either whose ends go elsewhere by less than that, both sides together.
double dr_segment_spare(const double x[12], const double motion[12], double reach);

#endif
