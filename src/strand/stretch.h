// Stretch of an edge: E = k/2 (l - L)^2. docs/theory/rods.md, eq. (8), (14), (19).
//   k  stiffness k_s / rest length      L  length at rest (or where rest and the viscous pull balance)
#ifndef DR_STRAND_STRETCH_H
#define DR_STRAND_STRETCH_H

#include "strand/lanes.h"

typedef struct dr_stretch {
    dr_lanes energy, force; // dE/dl
    dr_lanes_symmetric matrix;
} dr_stretch;

// With geometric 0 a pressed edge adds no negative stiffness across itself. drawn: the length whose force stiffens the
// edge across itself; that of the edge for the exact matrix.
DR_INLINE dr_stretch dr_stretch_edge(dr_lanes3 t, dr_lanes length, dr_lanes inverse, dr_lanes rest, dr_lanes stiffness,
                                     dr_lanes geometric, dr_lanes drawn)
{
    dr_lanes strain = length - rest;
    dr_stretch sum = {.energy = 0.5 * stiffness * strain * strain, .force = stiffness * strain};
    dr_lanes across = stiffness * (drawn - rest) * inverse;
    across = dr_lanes_select((dr_lanes_mask)(across < dr_lanes_all(0.0)), geometric * across, across);
    sum.matrix = dr_lanes_add_square(
        (dr_lanes_symmetric){across, dr_lanes_all(0.0), dr_lanes_all(0.0), across, dr_lanes_all(0.0), across},
        dr_lanes3_scale(stiffness - across, t), t);
    return sum;
}

#endif
