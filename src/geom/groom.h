// Grooms made by rule: tufts, mats, balls and cylinders of hair, woven and knitted patches, knitted tubes.
// docs/theory/groom.md.
#ifndef DR_GEOM_GROOM_H
#define DR_GEOM_GROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum dr_groom_kind {
    DR_GROOM_TUFT,     // roots evenly in a disc of `radius`, growing along the axis, fanned out by `spread`
    DR_GROOM_MAT,      // roots evenly in a rectangle size[0] x size[1], growing along the axis
    DR_GROOM_BALL,     // roots evenly on a sphere of `radius`, growing outwards
    DR_GROOM_CYLINDER, // roots evenly on the side of a cylinder of `radius` and height size[1], growing outwards
    DR_GROOM_WEAVE,    // a plain weave of size[0] x size[1], yarns `spacing` apart
    DR_GROOM_KNIT      // rows of loops over size[0] x size[1], loops `spacing` wide: stockinette or rib
} dr_groom_kind;

// Lengths in cm. Patches lie across the axis; rows of a knit are 0.9 spacing apart.
typedef struct dr_groom {
    dr_groom_kind kind;
    double center[3], axis[3]; // the axis need not be of unit length, only not zero
    double radius, size[2];
    double spread;                   // rad, how far the outermost hairs of a tuft lean out
    size_t strands;                  // hair: how many
    size_t vertices;                 // hair: of each strand; yarn: between two crossings, or in one loop
    double length;                   // hair: along the strand
    double curl_radius, curl_length; // hair: a helix about its axis, cm of axis per turn; radius 0: straight
    double variation;                // 0: all alike .. 1; of length, direction, phase and place
    double spacing, amplitude;       // yarn; amplitude of a weave out of its plane
    bool layered;                    // weave: one side lies on the other, they do not interlace
    size_t yarn_vertices;            // weave: of each yarn as a whole; 0: as many as its crossings ask for
    size_t rib;                      // knit: so many wales of knit, as many of purl in turn; 0: stockinette
    bool round;                      // knit: one yarn in the round, a tube about the axis with size[0] of girth
    uint64_t seed;
} dr_groom;

size_t dr_groom_strands(const dr_groom *groom);
size_t dr_groom_vertices(const dr_groom *groom, size_t strand);

// Writes first[strands + 1] and points[3 x vertices of all strands].
void dr_groom_fill(const dr_groom *groom, uint32_t *first, double *points);

#endif
