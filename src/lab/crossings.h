// Counts how often strands pass through each other, from their places before and after a step alone: nothing of the
// contact module is used.
#ifndef DR_LAB_CROSSINGS_H
#define DR_LAB_CROSSINGS_H

#include <stddef.h>

// Pairs of edges, not neighbours, whose centre lines cross while all vertices move on straight lines from `before` to
// `after` ([vertex][3]); first[strands + 1]. Negative when memory is out.
long dr_crossings_count(const double *before, const double *after, const int *first, int strands);

// Whether two moving edges cross: x[12] before and y[12] after, both ends of the first and both of the second.
int dr_crossings_of_pair(const double x[12], const double y[12]);

#endif
